"""Greedy k-member clustering: against a plain reading of it, and what every result must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Subjects
from indistinct.privacy import Promise, promise
from indistinct.randomness import stream
from indistinct.recoding.cells import classes_as_published
from indistinct.recoding.judge import Judge
from indistinct.recoding.partition import PartitionSettings, partition, repair
from indistinct.recoding.partition.deficits import Deficit, Deficits, grown_units, least_units
from indistinct.recoding.partition.k_member import k_member

JOBS = Taxonomy(
    "job",
    [
        ("nurse", "care", "*"),
        ("doctor", "care", "*"),
        ("cook", "kitchen", "services", "*"),
        ("waiter", "services", "*"),
        ("driver", "services", "*"),
        ("farmer", "*"),
    ],
)
AGES = Taxonomy("age", [(str(age), "*") for age in range(20, 30)])
ILLS = ("asthma", "burn", "cold", "dengue")


def encoded(
    columns: Mapping[str, Sequence[str | None]],
    taxonomies: Sequence[Taxonomy] = (AGES, JOBS),
    sensitive: Sequence[str] = (),
) -> LeveledTable:
    """The table of some columns of text, a combination for every record."""
    trees = {tree.attribute: tree for tree in taxonomies}
    return Microdata.encode(pl.DataFrame(columns), trees, sensitive, by_record=True).data


def k_anonymity(k: int) -> list[Promise]:
    return [promise("k-anonymity", k=k)]


def members(class_of: np.ndarray) -> list[list[int]]:
    """The rows of each class, in the order of the classes."""
    return [np.flatnonzero(class_of == group).tolist() for group in range(class_of.max() + 1)]


@st.composite
def tables(draw: st.DrawFn, least: int = 1) -> dict[str, list[str]]:
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(AGES.leaves), st.sampled_from(JOBS.leaves), st.sampled_from(ILLS)
            ),
            min_size=least,
            max_size=24,
        )
    )
    return {name: [row[at] for row in rows] for at, name in enumerate(("age", "job", "ill"))}


@dataclass
class Plainly:
    """The algorithm once more, over texts and without tables of costs.

    Costs are added up in the same order, so that equal ones are equal to the last bit.
    """

    columns: dict[str, list[str]]
    style: str

    def cost(self, rows: Sequence[int]) -> float:
        ages = [(int(self.columns["age"][row]) - 20) / 9 for row in rows]
        jobs = {self.columns["job"][row] for row in rows}
        if self.style == "set":
            return (max(ages) - min(ages)) + (len(jobs) - 1) * (1 / 5)
        ancestor = JOBS.lowest_common_ancestor(jobs)
        return (max(ages) - min(ages)) + (JOBS.leaf_count(ancestor) - 1) / 5

    def classes(self, k: int, first: int) -> list[list[int]]:
        left = list(range(len(self.columns["age"])))
        last, found = first, []
        while len(left) >= k:
            last = max(left, key=lambda row: (self.cost([last, row]), -row))
            own = [last]
            left.remove(last)
            while len(own) < k:
                last = min(left, key=lambda row: (self.cost([*own, row]), row))
                own.append(last)
                left.remove(last)
            found.append(own)
        for row in left:
            rises = [
                self.cost([*own, row]) * (len(own) + 1) - self.cost(own) * len(own) for own in found
            ]
            found[int(np.argmin(rises))].append(row)
        return [sorted(own) for own in found]


@given(tables(), st.integers(1, 6), st.sampled_from(["ancestor", "set"]), st.integers(0, 3))
@settings(max_examples=150)
def test_the_classes_are_those_of_the_paper(
    columns: dict[str, list[str]], k: int, style: str, seed: int
) -> None:
    if len(columns["age"]) < k:
        return
    data = encoded({name: columns[name] for name in ("age", "job")})
    chosen = PartitionSettings(cells={"job": style}, seed=seed)
    first = int(stream(seed, "k-member.first").integers(len(columns["age"])))
    found = members(k_member(data, k_anonymity(k), chosen))
    assert found == Plainly(columns, style).classes(k, first)
    assert min(map(len, found)) >= k
    assert sorted(row for own in found for row in own) == list(range(len(columns["age"])))


def test_a_first_class_by_hand() -> None:
    data = encoded({"age": ["20", "29", "21", "28", "22"]}, [AGES])
    # The stream of seed 0 draws row 2 (21): the furthest is 29, the nearest to that is 28. The
    # furthest from 28 is 20, the nearest to that 21; 22 joins them.
    assert int(stream(0, "k-member.first").integers(5)) == 2
    assert k_member(data, k_anonymity(2), PartitionSettings(seed=0)).tolist() == [1, 0, 1, 0, 1]


def test_distances_follow_the_hierarchy() -> None:
    data = encoded({"job": ["nurse", "cook", "doctor", "waiter"]}, [JOBS])
    found = members(k_member(data, k_anonymity(2), PartitionSettings()))
    assert sorted(found) == [[0, 2], [1, 3]]


def test_weights_of_attributes_decide_what_is_near() -> None:
    columns = {"age": ["20", "20", "29", "29"], "job": ["nurse", "cook", "nurse", "cook"]}
    for weights, expected in (({"job": 0.1}, [[0, 1], [2, 3]]), ({"age": 0.1}, [[0, 2], [1, 3]])):
        chosen = PartitionSettings(weights=weights)
        assert sorted(members(k_member(encoded(columns), k_anonymity(2), chosen))) == expected


@pytest.mark.parametrize("cells", [None, "set"])
def test_missing_and_suppressed_values_keep_apart(cells: str | None) -> None:
    ages = AGES.extended("value", ["old"])
    data = encoded({"age": ["20", None, "20", None]}, [ages])
    found = members(k_member(data, k_anonymity(2), PartitionSettings(cells=cells)))
    assert sorted(found) == [[0, 2], [1, 3]]
    data = encoded({"age": ["20", "old", "20", "21", "old"]}, [ages])
    found = members(k_member(data, k_anonymity(2), PartitionSettings(cells=cells)))
    assert min(map(len, found)) >= 2


PROMISES = st.lists(
    st.one_of(
        st.builds(lambda k: promise("k-anonymity", k=k), st.integers(1, 6)),
        st.builds(
            lambda l: promise("distinct-l-diversity", l=l, sensitive="ill"),  # noqa: E741
            st.integers(1, 4),
        ),
        st.builds(
            lambda l: promise("entropy-l-diversity", l=l, sensitive="ill"),  # noqa: E741
            st.sampled_from([1.5, 2.0, 3.0]),
        ),
        st.builds(
            lambda c: promise("recursive-cl-diversity", c=c, l=2, sensitive="ill"),
            st.sampled_from([1.0, 3.0]),
        ),
        st.builds(
            lambda t, reference: promise(
                "t-closeness", t=t, distance="equal", sensitive="ill", reference=reference
            ),
            st.sampled_from([0.2, 0.5]),
            st.sampled_from(["original", "published"]),
        ),
        st.builds(lambda b: promise("max-posterior", bound=b, sensitive="ill"), st.just(0.5)),
    ),
    min_size=1,
    max_size=3,
)


@given(tables(), PROMISES, st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 2))
@settings(max_examples=200)
def test_promises_are_kept_and_nothing_is_drawn_anew(
    columns: dict[str, list[str]], promises: list[Promise], limit: float, seed: int
) -> None:
    data = encoded(columns, sensitive=["ill"])
    chosen = PartitionSettings(suppression_limit=limit, seed=seed)
    try:
        class_of = k_member(data, promises, chosen)
    except Unsatisfiable:
        return
    dropped = class_of < 0
    assert dropped.sum() <= limit * len(dropped) + 1e-9
    groups = int(class_of.max(initial=-1)) + 1
    kept = np.where(dropped, groups, class_of).astype(np.int32)
    size = np.append(np.bincount(class_of[~dropped], minlength=groups), 0).astype(np.int64)
    assert (size[:-1] >= least_units(promises)).all()
    assert not Judge(data, promises).broken(kept, size, dropped).any()
    assert k_member(data, promises, chosen).tolist() == class_of.tolist()


@given(tables(4), st.sampled_from(["range", "set", "ancestor", "level"]))
@settings(max_examples=30)
def test_what_is_published_keeps_k(columns: dict[str, list[str]], style: str) -> None:
    data = encoded(columns, sensitive=["ill"])
    cells = {"age": style, "job": "ancestor" if style == "range" else style}
    plan = partition(data, k_anonymity(3), "k-member", PartitionSettings(cells=cells))
    rows = list(
        zip(
            *(np.array(plan.texts[j])[plan.cell_of[j][plan.class_of]] for j in range(2)),
            strict=True,
        )
    )
    assert min(rows.count(row) for row in rows) >= 3


@given(tables(4), st.sampled_from(["set", "ancestor"]), st.sampled_from(["k-member", "mdav"]))
@settings(max_examples=100)
def test_classes_that_look_alike_are_one_where_that_matters(
    columns: dict[str, list[str]], style: str, algorithm: Literal["k-member", "mdav"]
) -> None:
    """Rank variance can fall when classes are merged: what is published is what is looked at."""
    trees = (AGES, JOBS) if algorithm == "k-member" else (AGES,)
    data = encoded(columns, trees, ["ill"])
    promises = [promise("theta-sensitive", k=2, sensitive="ill")]
    chosen = PartitionSettings(cells=style)
    try:
        plan = partition(data, promises, algorithm, chosen)
    except Unsatisfiable as error:
        if "no partition was found" in str(error):  # suppressed after the fact
            raise
        return
    alike = classes_as_published(plan)
    assert len(set(alike.tolist())) == plan.groups
    size = np.bincount(plan.class_of).astype(np.int64)
    assert not Judge(data, promises).broken(plan.class_of, size).any()


def test_a_class_goes_on_until_it_has_what_it_lacks() -> None:
    columns = {
        "age": ["20", "20", "20", "25", "29", "29", "29", "26"],
        "ill": ["cold", "cold", "cold", "burn", "cold", "cold", "cold", "burn"],
    }
    data = encoded(columns, [AGES], ["ill"])
    promises = [*k_anonymity(2), promise("distinct-l-diversity", l=2, sensitive="ill")]
    found = sorted(members(k_member(data, promises, PartitionSettings())))
    assert [{columns["ill"][row] for row in own} for own in found] == [{"burn", "cold"}] * 2
    assert sorted(len(own) for own in found) == [3, 5]


def test_what_nobody_can_help_is_suppressed_within_the_limit() -> None:
    columns = {
        "age": ["20", "20", "21", "29", "29"],
        "ill": ["cold", "burn", "cold", "cold", "cold"],
    }
    data = encoded(columns, [AGES], ["ill"])
    promises = [*k_anonymity(2), promise("max-posterior", bound=0.5, sensitive="ill")]
    with pytest.raises(Unsatisfiable):
        k_member(data, promises, PartitionSettings())
    class_of = k_member(data, promises, PartitionSettings(suppression_limit=0.6))
    assert (class_of < 0).sum() == 3
    assert class_of[1] == 0


def test_everything_may_be_suppressed_where_that_is_allowed() -> None:
    data = encoded({"age": ["20", "21"]}, [AGES])
    with pytest.raises(Unsatisfiable, match="only 2 records"):
        k_member(data, k_anonymity(3), PartitionSettings(suppression_limit=0.5))
    found = k_member(data, k_anonymity(3), PartitionSettings(suppression_limit=1.0))
    assert found.tolist() == [-1, -1]


def test_equal_records_in_one_combination_stay_together() -> None:
    texts = pl.DataFrame({"age": ["20", "21", "28", "29"]})
    weight = np.array([3, 1, 2, 1])
    data = Microdata.encode(Subjects.of_records(texts, weight), {"age": AGES}).data
    found = members(k_member(data, k_anonymity(3), PartitionSettings()))
    assert sorted(found) == [[0, 1], [2, 3]]


def test_people_of_the_population_alone_are_in_no_class() -> None:
    texts = pl.DataFrame({"age": ["20", "21", "29", "28"]})
    population = pl.DataFrame({"age": ["20", "21", "25", "28", "29"]})
    data = Microdata.encode(texts, {"age": AGES}, population=population, by_record=True).data
    promises = [*k_anonymity(2), promise("k-map", k=2)]
    found = k_member(data, promises, PartitionSettings())
    assert sorted(members(found)) == [[0, 1], [2, 3]]
    assert (found[4:] == -1).all()


def test_too_many_people_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "MOST", 3)
    with pytest.raises(PolicyError, match="grows with their square") as caught:
        k_member(encoded({"age": ["20"] * 4}, [AGES]), k_anonymity(2), PartitionSettings())
    assert caught.value.problems[0].code == "too-many-records"


def test_progress_is_told() -> None:
    told: list[float] = []
    data = encoded({"age": [str(20 + at % 10) for at in range(400)]}, [AGES])
    k_member(data, k_anonymity(2), PartitionSettings(), told.append)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1


class TestWants:
    """What a class lacks, and which value would help."""

    def wants(self, *promises: Promise) -> Deficits:
        columns = {"age": ["20"] * 8, "ill": [*ILLS, "asthma", "asthma", "asthma", "burn"]}
        return Deficits(encoded(columns, [AGES], ["ill"]), promises)

    def holding(self, wants: Deficits, counts: Sequence[int]) -> Deficit:
        return Deficit({"ill": np.array(counts)}, sum(counts))

    def test_a_value_that_is_new(self) -> None:
        wants = self.wants(promise("distinct-l-diversity", l=2, sensitive="ill"))
        own = self.holding(wants, [2, 0, 0, 0])
        assert not wants.kept(own)
        assert wants.helping(own, np.array([0.1, 0.5, 0.2, 0.9])) == 2
        assert wants.kept(wants.added(own, 2))

    def test_the_cheaper_of_two_that_help_alike(self) -> None:
        wants = self.wants(promise("distinct-l-diversity", l=4, sensitive="ill"))
        own = self.holding(wants, [2, 0, 0, 1])
        assert wants.helping(own, np.array([0.0, 0.5, 0.4, 0.0])) == 2

    def test_nothing_helps(self) -> None:
        wants = self.wants(promise("distinct-l-diversity", l=4, sensitive="ill"))
        own = self.holding(wants, [2, 0, 0, 0])
        assert wants.helping(own, np.array([0.1, np.inf, np.inf, np.inf])) == -1
        assert wants.helping(own, np.full(4, np.inf)) == -1

    def test_only_what_is_lacking_counts(self) -> None:
        # k is reached; one record more would be further from it, and does not count.
        wants = self.wants(promise("alpha-k-anonymity", alpha=0.3, k=2, sensitive="ill"))
        own = self.holding(wants, [2, 1, 1, 0])
        assert wants.helping(own, np.array([0.1, 0.2, 0.3, 9.0])) in (1, 2, 3)

    def test_a_promise_that_achieves_no_parameter_of_its_own(self) -> None:
        known = promise("distinct-l-diversity", l=3, sensitive="ill")

        class Silent(type(known)):  # type: ignore[misc]
            model = "silent"

            def achieved(self, classes: object) -> dict[str, float | int | None]:
                return {}

        wants = self.wants(Silent(l=4, sensitive="ill"))
        assert wants.helping(self.holding(wants, [2, 0, 0, 0]), np.array([0.1, 0.2, 0.3, 0.4])) == 1

    def test_values_of_two_attributes_make_a_profile(self) -> None:
        columns = {
            "age": ["20"] * 4,
            "ill": ["cold", "cold", "burn", "cold"],
            "pay": ["low", "high", "low", "low"],
        }
        data = encoded(columns, [AGES], ["ill", "pay"])
        promises = [promise("distinct-l-diversity", l=2, sensitive=name) for name in ("ill", "pay")]
        wants = Deficits(data, promises)
        assert wants.profile.tolist() == [0, 1, 2, 0]
        assert not wants.kept(wants.of([0, 1]))
        assert wants.kept(wants.of([0, 1, 2]))
        assert not Deficits(data, k_anonymity(2)).about

    def test_size_comes_from_the_largest_k(self) -> None:
        three = promise("distinct-l-diversity", l=3, sensitive="ill")
        assert least_units([three]) == (three.largest_violating_size or 0) + 1
        assert least_units([*k_anonymity(4), replace(k_anonymity(2)[0], on=("age",))]) == 4


def test_people_of_a_population_are_no_units_of_a_class() -> None:
    """A class of fewer records may stand for k people; grown to k it does for certain."""
    people = promise("k-map", k=50)
    estimate = promise("estimated-k-map", k=1000, fraction=30162 / 317238626)
    assert (least_units([people]), grown_units([people], 100)) == (1, 50)
    assert grown_units([people], 20) == 20
    assert (least_units([estimate]), grown_units([estimate], 5000)) == (3, 3)
