"""Anatomy: exact quasi-identifiers, and buckets of l different values."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.recoding.people import (
    QUASI,
    SYMPTOM,
    audited,
    linked,
    many,
    random_people,
    rows_of_table_1,
    table_1,
)

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.cells import members_of
from indistinct.metadata import ValueMetadata
from indistinct.privacy.promise import promise
from indistinct.recoding.linked import LinkedSettings, LinkedTable, anatomy
from indistinct.recoding.linked.anatomy import _grouped

L2 = promise("distinct-l-diversity", l=2, sensitive="ill")


def test_everybody_has_the_highest_category_and_exact_quasi_identifiers() -> None:
    wanted = [promise("distinct-l-diversity", l=2, sensitive=SYMPTOM)]
    plan = anatomy(table_1(), wanted)
    assert plan.buckets[SYMPTOM].labels == ("A-symptomatic", "Low", "Mild", "High", "Severe")
    assert plan.quasi.groups == 8
    assert plan.quasi.style == ("level",) * 3
    at = plan.quasi.class_of[0]
    row = [texts[own[at]] for texts, own in zip(plan.quasi.texts, plan.quasi.cell_of, strict=True)]
    assert row == ["40", "2139", "Female"]
    assert "whether the person is in the table" in plan.told[0]
    assert len(plan.history[SYMPTOM].person) == 8
    assert audited(plan, wanted, QUASI).holds


def test_too_frequent_values_are_told_before() -> None:
    people = [(20 + at, "a", ["a1" if at < 6 else "b1"], ["u1"]) for at in range(9)]
    with pytest.raises(Unsatisfiable, match="6 of 9") as told:
        anatomy(random_people(people, False), [L2])
    assert "bound of at least 0.667" in str(told.value)
    assert "a1" not in str(told.value)


def test_what_is_asked_must_fit() -> None:
    table = table_1()
    with pytest.raises(PolicyError, match="no promise requires"):
        anatomy(table, [promise("k-anonymity", k=2)])
    with pytest.raises(PolicyError, match="not there"):
        anatomy(table, [L2])
    both = random_people([(20, "a", ["a1"], ["u1"]), (21, "b", ["b1"], ["v1"])], True)
    with pytest.raises(PolicyError, match="one sensitive attribute"):
        anatomy(both, [L2])
    own = promise("distinct-l-diversity", l=2, sensitive=SYMPTOM)
    with pytest.raises(Unsatisfiable, match="exact quasi-identifiers"):
        anatomy(table, [own, promise("k-anonymity", k=2)])
    with pytest.raises(Unsatisfiable, match="buckets break"):
        anatomy(table, [own, promise("theta-sensitive", k=4, sensitive=SYMPTOM)])
    with pytest.raises(PolicyError):
        anatomy(table, [own, promise("t-closeness", t=0.2, distance="hierarchical",
                                     sensitive=SYMPTOM)])  # fmt: skip


@settings(max_examples=60)
@given(many(), st.integers(2, 4), st.integers(0, 3))
def test_buckets_have_different_values(table: LinkedTable, l: int, seed: int) -> None:  # noqa: E741
    wanted = [promise("distinct-l-diversity", l=l, sensitive="ill")]
    cells = table.events["ill"]
    letter = np.array(["abcde".index(str(label)[0]) for label in cells.domain])
    top = np.maximum.reduceat(letter[cells.value], cells.indptr[:-1]).tolist()
    eligible = max(Counter(top).values()) * l <= table.people
    try:
        plan = anatomy(table, wanted, LinkedSettings(seed=seed))
    except Unsatisfiable:
        assert not eligible
        return
    assert eligible
    counts = plan.buckets["ill"].counts
    assert counts.max() == 1
    assert counts.sum(axis=1).min() >= l
    assert counts.sum(axis=1).max() < 2 * l
    assert len(counts) == table.people // l
    assert (np.bincount(plan.bucket_of) == counts.sum(axis=1)).all()
    labels = plan.buckets["ill"].labels
    assert ["abcde".index(str(labels[at])) for at in plan.truth["ill"].tolist()] == top
    assert (counts[plan.bucket_of, plan.truth["ill"]] == 1).all()
    bound = promise("max-posterior", bound=1 / l, sensitive="ill")
    assert audited(plan, [*wanted, bound], ("age", "place")).holds
    again = anatomy(table, [bound], LinkedSettings(seed=seed))
    assert again.bucket_of.tolist() == plan.bucket_of.tolist()


def _without_categories(table: LinkedTable) -> LinkedTable:
    from dataclasses import replace

    cells = replace(table.events["ill"], known=ValueMetadata())
    return replace(table, events={"ill": cells})


@settings(max_examples=60)
@given(many(least=8), st.integers(2, 3), st.booleans())
def test_sets_are_one_value_and_nothing_is_certain(
    table: LinkedTable,
    l: int,  # noqa: E741
    bounded: bool,
) -> None:
    table = _without_categories(table)
    wanted = [promise("distinct-l-diversity", l=l, sensitive="ill")]
    if bounded:
        wanted.append(promise("max-posterior", bound=0.5, sensitive="ill"))
    try:
        plan = anatomy(table, wanted)
    except Unsatisfiable:
        return
    part = plan.buckets["ill"]
    assert audited(plan, wanted, ("age", "place")).holds
    if len(plan.told) == 1:
        assert (np.diff(table.events["ill"].indptr) == 1).all()
        return
    for at in range(len(part)):
        sets = [
            set(members_of(part.labels[one]) or [part.labels[one]])
            for one in part.value[part.indptr[at] : part.indptr[at + 1]]
        ]
        had = Counter(value for own in sets for value in own)
        assert max(had.values()) < len(sets)
        assert not bounded or max(had.values()) <= 0.5 * len(sets)


def test_a_value_that_everybody_has_cannot_be_hidden() -> None:
    people = [(20 + at, "a", ["a1", f"{'bcde'[at % 4]}1"], ["u1"]) for at in range(8)]
    table = _without_categories(random_people(people, False))
    with pytest.raises(Unsatisfiable, match="categories"):
        anatomy(table, [L2])


def test_single_values_are_published_as_they_are() -> None:
    rows = rows_of_table_1().unique("person", keep="last", maintain_order=True)
    table = linked(rows, "person", dict(table_1().data.taxonomies), {SYMPTOM: ValueMetadata()})
    seen: list[float] = []
    wanted = [
        promise("distinct-l-diversity", l=2, sensitive=SYMPTOM),
        promise("t-closeness", t=1.0, sensitive=SYMPTOM, reference="original"),
    ]
    plan = anatomy(table, wanted, None, seen.append)
    assert "Fever" in plan.buckets[SYMPTOM].labels
    assert plan.history == {}
    assert plan.known[SYMPTOM].reference["Fever"] == 1.0
    assert seen[-1] == 1.0
    assert audited(plan, wanted, QUASI).holds


def test_very_many_values_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from indistinct.recoding.linked import bucketing

    people = [
        (20 + at % 40, "a", [f"{'abcde'[at % 5]}1", f"{'abcde'[at // 5 % 5]}2"], ["u1"])
        for at in range(100)
    ]
    table = _without_categories(random_people(people, False))
    whole = anatomy(table, [L2])
    monkeypatch.setattr(bucketing, "AT_ONCE", 100)
    monkeypatch.setattr(bucketing, "FEW_BUCKETS", 2)
    far = promise("t-closeness", t=1.0, sensitive="ill")
    assert anatomy(table, [L2]).bucket_of.tolist() == whole.bucket_of.tolist()
    assert anatomy(table, [L2, far]).bucket_of.tolist() == whole.bucket_of.tolist()
    near = promise("t-closeness", t=0.05, sensitive="ill")
    with pytest.raises(Unsatisfiable):
        anatomy(table, [L2, near])
    with pytest.raises(Unsatisfiable):
        anatomy(table, [L2, promise("entropy-l-diversity", l=9.0, sensitive="ill")])


def test_people_of_a_bucket_may_exchange_their_values() -> None:
    """Buckets are as likely then, so that nothing follows from them but what they list."""
    code, there = np.array([0, 0, 1, 2, 1, 0], np.int32), np.ones(6, np.bool_)
    turned = code.copy()
    turned[[0, 2]] = code[[2, 0]]  # who share a bucket in what is looked for

    def alike(own: NDArray[np.int32], seed: int) -> Counter[frozenset[frozenset[int]]]:
        random, found = np.random.default_rng(seed), Counter[frozenset[frozenset[int]]]()
        for _ in range(400):
            bucket_of, buckets = _grouped(own, 3, there, 2, "ill", random)
            rows = (np.flatnonzero(bucket_of == at).tolist() for at in range(buckets))
            found[frozenset(map(frozenset, rows))] += 1
        return found

    one, other = alike(code, 1), alike(turned, 2)
    met = {part for part in one | other if any({0, 2} <= bucket for bucket in part)}
    assert len(met) == 2
    assert sum(one[part] for part in met) > 80
    for part in met:
        assert abs(one[part] - other[part]) < 5 * math.sqrt(one[part] + other[part] + 1)
