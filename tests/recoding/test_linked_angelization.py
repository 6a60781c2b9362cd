"""(p,l)-angelization: classes that are buckets, with sets of values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.people import QUASI, SYMPTOM, audited, many, random_people, table_1

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import Cells
from indistinct.privacy.promise import Promise, promise
from indistinct.recoding.cells import classes_as_published
from indistinct.recoding.linked import LinkedSettings, LinkedTable, p_l_angelization, theta_star
from indistinct.recoding.linked.angelization import dependency_weights
from indistinct.recoding.linked.sets import fingerprints


def wanted(p: int, l: int, k: int, name: str = "ill") -> list[Promise]:  # noqa: E741
    return [
        promise("p-plus-sensitive", p=p, sensitive=name),
        promise("distinct-l-diversity", l=l, sensitive=name),
        promise("k-anonymity", k=k),
    ]


def test_the_papers_people() -> None:
    table = table_1()
    asked = wanted(2, 2, 2, SYMPTOM)
    plan = p_l_angelization(table, asked)
    assert audited(plan, asked, QUASI).holds
    assert plan.bucket_of.tolist() == plan.quasi.class_of.tolist()
    assert plan.buckets[SYMPTOM].holding == "one"
    assert "{Chills, Fever, Flu}" in plan.buckets[SYMPTOM].labels
    assert plan.known[SYMPTOM].categories["{Chills, Fever, Flu}"] == "Mild"
    assert "baseline after the description" in plan.told[0]
    # What sensitive values need widens the classes; theta-star's are as narrow as k alone allows.
    loose = theta_star(table, [promise("theta-sensitive", k=2, sensitive=SYMPTOM)])
    assert plan.search.value >= loose.search.value


@settings(max_examples=50)
@given(
    many(least=8, jobs=True),
    st.integers(1, 3),
    st.integers(2, 4),
    st.integers(2, 4),
    st.sampled_from(["k-member", "mondrian"]),
)
def test_every_class_is_one_bucket(
    table: LinkedTable,
    p: int,
    l: int,  # noqa: E741
    k: int,
    quasi: Any,
) -> None:
    asked = wanted(p, l, k)
    try:
        plan = p_l_angelization(table, asked, LinkedSettings(quasi=quasi))
    except Unsatisfiable:
        return
    everywhere = [*asked, *wanted(p, l, k, "job")[:2]]
    assert audited(plan, everywhere, ("age", "place")).holds
    there = plan.bucket_of >= 0
    assert plan.bucket_of.tolist() == plan.quasi.class_of.tolist()
    assert len(np.unique(classes_as_published(plan.quasi))) == plan.quasi.groups
    assert np.bincount(plan.bucket_of[there]).min() >= k
    assert list(plan.buckets) == [plan.log["lead"], *({"ill", "job"} - {plan.log["lead"]})]
    for name, part in plan.buckets.items():
        assert (part.counts.sum(axis=1) == np.bincount(plan.bucket_of[there])).all()
        own = fingerprints(table.events[name])
        assert plan.truth[name][there].tolist() == own.code[there].tolist()


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([20, 21, 50]),
            st.sampled_from("ab"),
            st.lists(st.sampled_from(["a1", "a2", "b1", "c1"]), min_size=1, max_size=3),
            st.just(["u1"]),
        ),
        min_size=6,
        max_size=40,
    ),
    st.sampled_from(["k-member", "mondrian"]),
    st.sampled_from([None, 0.5, 0.8]),
)
def test_nobody_has_what_everybody_of_the_bucket_has(
    people: list[Any], quasi: Any, bound: float | None
) -> None:
    """Different sets may share values, but none is in all of a bucket's, or in too many."""
    table = random_people(people, False)
    asked = wanted(1, 2, 2)
    if bound is not None:
        asked.append(promise("max-posterior", bound=bound, sensitive="ill"))
    had = [set(ills) for _, _, ills, _ in people]
    most = max(sum(ill in own for own in had) for ill in set().union(*had)) / len(had)
    if len({frozenset(own) for own in had}) < 2 or most > (bound or 1 - 1e-9):
        with pytest.raises(Unsatisfiable):
            p_l_angelization(table, asked, LinkedSettings(quasi=quasi))
        return
    plan = p_l_angelization(table, asked, LinkedSettings(quasi=quasi))
    assert audited(plan, asked, ("age", "place")).holds
    for bucket in range(int(plan.bucket_of.max()) + 1):
        own = [had[at] for at in np.flatnonzero(plan.bucket_of == bucket)]
        shares = [sum(ill in one for one in own) / len(own) for ill in set().union(*own)]
        assert max(shares) <= (bound or 1 - 1e-9) + 1e-9


def test_what_is_asked_must_fit() -> None:
    table = table_1()
    with pytest.raises(PolicyError, match="no promise requires"):
        p_l_angelization(table, [promise("k-anonymity", k=2)])
    with pytest.raises(PolicyError, match="not there"):
        p_l_angelization(table, wanted(2, 2, 2))
    bare = random_people([(20, "a", ["a1"], ["u1"]), (21, "b", ["b1"], ["v1"])], False)
    unknown = LinkedTable(bare.data, {"ill": _unknown(bare.events["ill"])}, bare.last)
    with pytest.raises(PolicyError, match="categories"):
        p_l_angelization(unknown, wanted(2, 2, 2))
    far = promise("t-closeness", t=0.2, distance="ordered", sensitive=SYMPTOM)
    with pytest.raises(PolicyError):
        p_l_angelization(table, [*wanted(2, 2, 2, SYMPTOM), far])
    with pytest.raises(Unsatisfiable):
        p_l_angelization(table, wanted(2, 9, 2, SYMPTOM))


def test_distributions_go_with_the_release() -> None:
    near = promise("t-closeness", t=0.9, sensitive=SYMPTOM, reference="original")
    asked = [*wanted(2, 2, 2, SYMPTOM), near]
    plan = p_l_angelization(table_1(), asked)
    assert sum(plan.known[SYMPTOM].reference.values()) == 8
    assert audited(plan, asked, QUASI).holds


def _unknown(cells: Cells) -> Cells:
    from dataclasses import replace

    return replace(cells, known=ValueMetadata())


def test_the_attribute_on_which_others_depend_leads() -> None:
    people = [
        (20 + at % 40, "abcd"[at % 4], [f"{'abcde'[at % 5]}1"], [f"{'uvwxx'[at % 5]}1"])
        for at in range(200)
    ]
    table = random_people(people, True)
    weights = dependency_weights({name: fingerprints(own) for name, own in table.events.items()})
    # Illness settles the job; the job leaves open which of two illnesses it is.
    assert weights["ill"] > weights["job"] > 0.5
    plan = p_l_angelization(table, wanted(2, 2, 3))
    assert plan.log["lead"] == "ill"
    alone = random_people(people, False)
    assert dependency_weights({"ill": fingerprints(alone.events["ill"])}) == {"ill": 0.0}


@settings(max_examples=60)
@given(st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=30), st.booleans())
def test_sets_are_numbered(sets: list[set[int]], backwards: bool) -> None:
    ordered = [sorted(own, reverse=backwards) for own in sets]
    cells = Cells(
        np.cumsum([0, *map(len, ordered)]),
        np.array([value for own in ordered for value in own], dtype=np.int32),
        np.ones(sum(map(len, ordered)), dtype=np.int64),
        (*"abcde", None),
        False,
    )
    found = fingerprints(cells)
    for one, number in zip(sets, found.code.tolist(), strict=True):
        same = [at for at, other in enumerate(found.code.tolist()) if other == number]
        assert all(sets[at] == one for at in same)
        assert len(same) == sets.count(one)
    assert len(set(found.labels)) == len(found.labels)


def test_a_value_that_reads_like_a_set_is_that_set() -> None:
    cells = Cells(
        np.array([0, 2, 3]),
        np.array([0, 1, 2], dtype=np.int32),
        np.ones(3, dtype=np.int64),
        ("a", "b", "{a, b}"),
        False,
    )
    found = fingerprints(cells)
    assert found.labels == ("{a, b}",)
    assert found.code.tolist() == [0, 0]


def test_dependence_of_sets_without_categories() -> None:
    people = [(20, "a", [f"{'ab'[at % 2]}1"], [f"{'uv'[at % 2]}1"]) for at in range(40)]
    table = random_people(people, True)
    bare = {name: fingerprints(_unknown(own)) for name, own in table.events.items()}
    weights = dependency_weights(bare)
    assert weights["ill"] == weights["job"] > 0.9


def test_too_many_sets_for_clustering_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    from indistinct.recoding.partition import deficits

    asked = wanted(2, 2, 2, SYMPTOM)
    assert p_l_angelization(table_1(), asked).log["quasi"] == "k-member"
    monkeypatch.setattr(deficits, "ROOM", 0)
    plan = p_l_angelization(table_1(), asked)
    assert plan.log["quasi"] == "mondrian"
    assert audited(plan, asked, QUASI).holds
