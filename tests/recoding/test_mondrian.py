"""Mondrian: what every partition must be, and that no cut was left that the promises allow."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.properties.brute_force import AtMost
from tests.recoding import tables
from tests.recoding.tables import ILLS, Table, audited, released

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.files import read_hierarchy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import promise
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.plan import CellPlan

CRITERIA = list(itertools.product(["width", "entropy", "ncp"], ["median", "ncp"], [True, False]))
LIMITS = (0.0, 0.1, 0.3, 1.0)


def options(draw: Any, table: Table) -> PartitionSettings:
    dimension, cut, strict = draw(st.sampled_from(CRITERIA))
    return PartitionSettings(
        strict=strict,
        dimension=dimension,
        cut=cut,
        cells=draw(tables.cells(table)),
        weights=draw(st.sampled_from([{}, {table.attributes[0]: 0.25}])),
        suppression_limit=draw(st.sampled_from(LIMITS)),
    )


def looks(plan: CellPlan) -> list[tuple[str | None, ...]]:
    return [
        tuple(texts[own[group]] for texts, own in zip(plan.texts, plan.cell_of, strict=True))
        for group in range(plan.groups)
    ]


@settings(max_examples=300)
@given(st.data())
def test_what_is_published_keeps_every_promise(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    asked = data.draw(tables.promises(table))
    how = options(data.draw, table)
    found = table.encoded(by_record=not how.strict)
    try:
        plan = partition(found.data, asked, "mondrian", how)
    except Unsatisfiable:
        return
    release = released(table, found, plan)
    audit = audited(table, release, asked, found.data)
    assert tables.classes_keep(audit), audit
    lost = int(found.data.weight[plan.suppressed].sum())
    assert audit.suppressed == lost <= how.suppression_limit * len(table.rows) + 1e-9
    assert plan.search.value == pytest.approx(plan.search.to_dict()["objective"]["value"])
    # Every record is in one class, whose cells stand for its values.
    group_of = plan.class_of[found.combination_of]
    for name in table.attributes:
        coverage = Coverage(found.data.taxonomies[name])
        for text, value, group in zip(release[name], table.texts[name], group_of, strict=True):
            assert group < 0 or coverage.mask(text)[coverage.leaves.index(value)]
    assert set(group_of[group_of >= 0].tolist()) == set(range(plan.groups)) - _empty(plan)
    assert Counter(release["ill"]) == Counter(table.texts["ill"])


def _empty(plan: CellPlan) -> set[int]:
    return set(range(plan.groups)) - set(plan.class_of.tolist())


@settings(max_examples=300)
@given(st.data())
def test_every_class_is_large_enough(data: st.DataObject) -> None:
    table = data.draw(tables.tables(80))
    k = data.draw(st.integers(1, 8))
    how = options(data.draw, table)
    found = table.encoded(by_record=not how.strict)
    if len(table.rows) < k and how.suppression_limit < 1:
        with pytest.raises(Unsatisfiable, match="has only"):
            partition(found.data, [promise("k-anonymity", k=k)], "mondrian", how)
        return
    try:
        plan = partition(found.data, [promise("k-anonymity", k=k)], "mondrian", how)
    except Unsatisfiable:
        # Records with nothing but suppressed values cannot be published.
        assert any(taxonomy.suppressed for taxonomy in found.data.taxonomies.values())
        return
    size = np.bincount(plan.class_of + 1, weights=found.data.weight, minlength=2)[1:]
    assert (size[size > 0] >= k).all()


@settings(max_examples=200)
@given(st.data())
def test_promises_that_ask_for_size_alone_are_judged_alike(data: st.DataObject) -> None:
    """The kernel for k alone finds the classes that the general way finds."""
    table = data.draw(tables.tables(60, plain=True))
    how = options(data.draw, table)
    k = data.draw(st.integers(1, min(6, len(table.rows))))
    found = table.encoded(by_record=not how.strict).data
    alone = partition(found, [promise("k-anonymity", k=k)], "mondrian", how)
    nothing = promise("distinct-l-diversity", l=1, sensitive="ill")
    judged = partition(found, [promise("k-anonymity", k=k), nothing], "mondrian", how)
    assert alone.class_of.tolist() == judged.class_of.tolist()
    assert looks(alone) == looks(judged)


# No cut is left.


def in_order(data: LeveledTable, j: int, style: str) -> list[int]:
    """Codes of an attribute in the order in which it is cut."""
    taxonomy = data.taxonomies[data.attributes[j]]
    if style == "range":
        numbers = [int((leaf or "0").replace("-", "")) for leaf in taxonomy.leaves]
        return sorted(range(len(numbers)), key=numbers.__getitem__)
    return sorted(range(len(taxonomy.leaves)), key=lambda code: taxonomy.compile().order[code])


def look_alike(data: LeveledTable, j: int, style: str, one: int, other: int) -> bool:
    """Whether two codes are dates of one period, between which is no cut."""
    taxonomy = data.taxonomies[data.attributes[j]]
    if style != "range" or taxonomy.dates is None:
        return False
    ends = [taxonomy.dates.end(str(taxonomy.leaves[code])) for code in (one, other)]
    return ends[0] == ends[1]


def cuts_of(
    data: LeveledTable, rows: list[int], j: int, style: str, least: int
) -> Iterator[list[list[int]]]:
    """What LeFevre's criteria offer of one attribute: branches, and the median."""
    codes = data.table.codes[j].tolist()
    order = [code for code in in_order(data, j, style) if any(codes[row] == code for row in rows)]
    if len(order) < 2:
        return

    def size(some: Sequence[int]) -> int:
        return sum(int(data.weight[row]) for row in some)

    if style != "range":
        taxonomy = data.taxonomies[data.attributes[j]]
        paths = {
            code: [
                taxonomy.level(0)[code],
                *taxonomy.ancestors(taxonomy.leaves[code]),
            ][::-1]
            for code in order
        }
        depth = 0
        while len({path[depth] for path in paths.values()}) == 1:
            depth += 1
        branches: dict[Any, list[int]] = {}
        for row in rows:
            branches.setdefault(paths[codes[row]][depth], []).append(row)
        if all(size(branch) >= least for branch in branches.values()):
            yield list(branches.values())
    best: tuple[int, list[list[int]]] | None = None
    for at in range(1, len(order)):
        if look_alike(data, j, style, *order[at - 1 : at + 1]):
            continue
        left = [row for row in rows if codes[row] in order[:at]]
        right = [row for row in rows if codes[row] not in order[:at]]
        uneven = abs(size(left) - size(right))
        if min(size(left), size(right)) >= least and (best is None or uneven < best[0]):
            best = uneven, [left, right]
    if best is not None:
        yield best[1]


@settings(max_examples=300)
@given(st.data())
def test_no_cut_is_left_that_keeps_the_promises(data: st.DataObject) -> None:
    table = data.draw(tables.tables(plain=True))
    diverse = data.draw(st.integers(1, 3))
    least = data.draw(st.integers(1, 4))
    asked = [promise("k-anonymity", k=least)]
    asked += [promise("distinct-l-diversity", l=diverse, sensitive="ill")] if diverse > 1 else []
    style = {name: "range" if name == "age" else "ancestor" for name in table.attributes}
    dimension = data.draw(st.sampled_from(["width", "entropy", "ncp"]))
    how = PartitionSettings(dimension=dimension, cut="median", cells=style)
    found = table.encoded().data
    cells = found.table.sensitive["ill"]
    ills = [set(cells.value[a:b].tolist()) for a, b in itertools.pairwise(cells.indptr)]

    def good(rows: Sequence[int]) -> bool:
        values = set().union(*(ills[row] for row in rows))
        return sum(int(found.weight[row]) for row in rows) >= least and len(values) >= diverse

    try:
        plan = partition(found, asked, "mondrian", how)
    except Unsatisfiable:
        assert not good(range(len(found.weight)))
        return
    for group in range(plan.groups):
        rows = np.flatnonzero(plan.class_of == group).tolist()
        assert good(rows)
        for j, name in enumerate(found.attributes):
            for children in cuts_of(found, rows, j, style[name], least):
                assert not all(map(good, children))


@settings(max_examples=100)
@given(st.data())
def test_with_k_alone_no_class_can_be_cut_anywhere(data: st.DataObject) -> None:
    table = data.draw(tables.tables(60, plain=True))
    k = data.draw(st.integers(1, min(6, len(table.rows))))
    how = options(data.draw, table)
    if not how.strict:
        return
    found = table.encoded().data
    plan = partition(found, [promise("k-anonymity", k=k)], "mondrian", how)
    for group in range(plan.groups):
        rows = np.flatnonzero(plan.class_of == group)
        for j, style in enumerate(plan.style):
            order = in_order(found, j, style)
            codes = found.table.codes[j][rows].tolist()
            for at in range(1, len(order)):
                if look_alike(found, j, style, *order[at - 1 : at + 1]):
                    continue
                left = np.isin(codes, order[:at])
                units = found.weight[rows]
                assert (
                    min(units[left].sum(), units[~left].sum()) < k or left.all() or not left.any()
                )


def test_the_first_cut_is_the_one_of_the_paper() -> None:
    """Widest attribute, median: ages 20 to 60 against two towns, six records."""
    rows = [("20", "N"), ("21", "S"), ("22", "N"), ("40", "S"), ("50", "N"), ("60", "S")]
    texts = pl.DataFrame(rows, schema={"age": pl.String, "town": pl.String}, orient="row")
    ages = Taxonomy("age", [(str(age), "*") for age in range(20, 61)])
    towns = Taxonomy("town", [("N", "*"), ("S", "*"), ("E", "*")])
    found = Microdata.encode(texts, {"age": ages, "town": towns})
    how = PartitionSettings(dimension="width", cut="median")
    plan = partition(found.data, [promise("k-anonymity", k=3)], "mondrian", how)
    assert plan.class_of[found.combination_of].tolist() == [0, 0, 0, 1, 1, 1]
    assert looks(plan) == [("[20, 22]", "*"), ("[40, 60]", "*")]
    town = PartitionSettings(dimension="width", cut="median", weights={"age": 0.0})
    plan = partition(found.data, [promise("k-anonymity", k=3)], "mondrian", town)
    assert looks(plan) == [("[20, 50]", "N"), ("[21, 60]", "S")]


@settings(max_examples=100)
@given(st.data())
def test_relaxed_classes_have_fewer_than_two_k(data: st.DataObject) -> None:
    """Unless nothing tells their records apart."""
    table = data.draw(tables.tables(80))
    k = data.draw(st.integers(1, 6))
    how = PartitionSettings(strict=False, dimension="width", cut="median", cells="set")
    found = table.encoded(by_record=True).data
    if len(table.rows) < k:
        return
    try:
        plan = partition(found, [promise("k-anonymity", k=k)], "mondrian", how)
    except Unsatisfiable:
        assert any(taxonomy.suppressed for taxonomy in found.taxonomies.values())
        return
    for group in range(plan.groups):
        rows = np.flatnonzero(plan.class_of == group)
        alike = all(len(np.unique(codes[rows])) <= 1 for codes in found.table.codes)
        assert len(rows) < 2 * k or alike
        assert len(rows) == 0 or len(rows) >= k


@settings(max_examples=100)
@given(st.data())
def test_the_order_of_records_does_not_matter(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    asked = data.draw(tables.promises(table))
    dimension, cut, _ = data.draw(st.sampled_from(CRITERIA))
    how = PartitionSettings(dimension=dimension, cut=cut, suppression_limit=1.0)
    other = replace(table, rows=tuple(data.draw(st.permutations(table.rows))))
    releases = []
    for one in (table, other):
        found = one.encoded()
        plan = partition(found.data, asked, "mondrian", how)
        again = partition(found.data, asked, "mondrian", how)
        assert plan.class_of.tolist() == again.class_of.tolist()
        releases.append(Counter(released(one, found, plan).rows()))
    assert releases[0] == releases[1]


# Suppression, merging, and what cannot be.


def wards(counts: dict[str, str]) -> Microdata:
    """One record for every letter: people of a ward and what they have."""
    rows = [(ward, ill) for ward, ills in counts.items() for ill in ills]
    texts = pl.DataFrame(rows, schema={"ward": pl.String, "ill": pl.String}, orient="row")
    chains = [(ward, ward[0], "any") for ward in sorted(counts)]
    return Microdata.encode(texts, {"ward": Taxonomy("ward", chains)}, ["ill"])


def test_a_table_that_breaks_a_promise_loses_what_breaks_it() -> None:
    found = wards({"a1": "uvwx", "a2": "uvwx", "b1": "uuuuuuuu"})
    asked = [promise("alpha-k-anonymity", alpha=0.5, k=2, sensitive="ill")]
    with pytest.raises(Unsatisfiable) as caught:
        partition(found.data, asked, "mondrian", PartitionSettings(suppression_limit=0.4))
    assert "suppression_limit" in str(caught.value) or "larger" in str(caught.value)
    plan = partition(found.data, asked, "mondrian", PartitionSettings(suppression_limit=0.5))
    assert found.data.weight[plan.suppressed].tolist() == [8]
    assert sorted(looks(plan)) == [("a1",), ("a2",)]


def test_what_is_compared_with_is_what_is_published() -> None:
    """Suppression changes the distribution that t-closeness compares with."""
    found = wards({"a1": "uuuv", "a2": "uvvv", "b1": "wwwwwwww", "b2": "uv"})
    asked = [
        promise("max-posterior", bound=0.75, sensitive="ill"),
        promise("t-closeness", t=0.35, sensitive="ill"),
    ]
    plan = partition(found.data, asked, "mondrian", PartitionSettings(suppression_limit=0.6))
    kept = np.unique(plan.class_of[plan.class_of >= 0])
    dense = np.zeros((len(found.data.weight), 3))
    cells = found.data.table.sensitive["ill"]
    for row in range(len(dense)):
        for at in range(cells.indptr[row], cells.indptr[row + 1]):
            dense[row, cells.value[at]] += cells.count[at]
    shares = [dense[plan.class_of == group].sum(axis=0) for group in kept]
    whole = np.sum(shares, axis=0)
    for own in shares:
        assert abs(own / own.sum() - whole / whole.sum()).sum() / 2 <= 0.35 + 1e-9
        assert own.max() / own.sum() <= 0.75


def test_classes_that_look_alike_are_one_class() -> None:
    """Two parts are small enough, but both are published as 'any'."""
    texts = pl.DataFrame({"ward": list("aabbbbcc")})
    chains = Taxonomy("ward", [(ward, "any") for ward in "abc"])
    found = Microdata.encode(texts, {"ward": chains}, by_record=True).data
    k = promise("k-anonymity", k=3)
    relaxed = PartitionSettings(strict=False, dimension="width", cut="median")
    plan = partition(found, [k], "mondrian", relaxed)
    assert looks(plan) == [("any",), ("any",)]
    with pytest.raises(Unsatisfiable, match="8 records"):
        partition(found, [k, AtMost(most=4)], "mondrian", relaxed)
    told_apart = replace(relaxed, cells="set")
    plan = partition(found, [k, AtMost(most=4)], "mondrian", told_apart)
    assert looks(plan) == [("{a, b}",), ("{b, c}",)]
    strict = partition(found, [k, AtMost(most=8)])
    assert (strict.class_of == strict.class_of[0]).all() or strict.groups == 2


@pytest.mark.parametrize("criterion", CRITERIA)
def test_values_suppressed_on_every_level_are_one_branch(criterion: tuple[Any, Any, bool]) -> None:
    """There is nothing below their common node to cut into."""
    wards = Taxonomy("ward", [("a", "any"), ("b", "any")])
    towns = Taxonomy("town", [("N", "any"), ("S", "any")])
    texts = pl.DataFrame({"ward": [None, "x"] * 4, "town": ["N"] * 4 + ["S"] * 4})
    found = Microdata.encode(
        texts,
        {"ward": wards.extended("suppress", ["x"]), "town": towns},
        by_record=not criterion[2],
    )
    dimension, cut, strict = criterion
    how = PartitionSettings(dimension=dimension, cut=cut, strict=strict)
    plan = partition(found.data, [promise("k-anonymity", k=2)], "mondrian", how)
    assert not plan.suppressed.any()
    assert set(looks(plan)) == {("*", "N"), ("*", "S")}


@settings(max_examples=150)
@given(st.data())
def test_promises_that_nothing_preserves_hold_of_what_is_published(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    on = data.draw(st.none() | st.lists(st.sampled_from(table.attributes), min_size=1, unique=True))
    how = options(data.draw, table)
    most = data.draw(st.integers(2, 12))
    asked = [promise("k-anonymity", k=data.draw(st.integers(1, 3)))]
    asked += [AtMost(most=most, on=None if on is None else tuple(on))]
    found = table.encoded(by_record=not how.strict)
    try:
        plan = partition(found.data, asked, "mondrian", how)
    except Unsatisfiable:
        return
    release = released(table, found, plan)
    hidden = pl.all_horizontal(pl.col(table.attributes).eq_missing("*"))
    sizes = release.filter(~hidden).group_by(on or list(table.attributes)).len()["len"]
    assert (sizes <= most).all()


@settings(max_examples=200)
@given(st.data())
def test_people_of_a_population_are_counted_under_the_cells(data: st.DataObject) -> None:
    table = data.draw(tables.tables(plain=True))
    more = data.draw(tables.tables(plain=True, like=table))
    people = replace(table, rows=table.rows + more.rows, missing="value")
    asked = data.draw(
        st.sampled_from(
            [
                [promise("k-map", k=3)],
                [promise("k-anonymity", k=2), promise("k-map", k=5)],
                [promise("delta-presence", lower=0.0, upper=0.8)],
                [promise("delta-presence", lower=0.2, upper=0.9)],
                [promise("delta-presence", lower=0.2, upper=0.9, absent="skip")],
                [promise("k-map", k=4, on=table.attributes[:1])],
            ]
        )
    )
    how = options(data.draw, table)
    how = PartitionSettings(
        dimension=how.dimension,
        cut=how.cut,
        cells=how.cells,
        suppression_limit=how.suppression_limit,
    )
    found = table.encoded(population=people)
    try:
        plan = partition(found.data, asked, "mondrian", how)
    except Unsatisfiable:
        return
    release = released(table, found, plan)
    covers = {}
    for name in table.attributes:
        coverage = Coverage(found.data.taxonomies[name])
        covers[name] = {
            cell: frozenset(np.array(coverage.leaves, dtype=object)[coverage.mask(cell)].tolist())
            for cell in release[name].unique()
        }
    audit = audited(
        table,
        release,
        asked,
        found.data,
        population=people.texts.select(table.attributes),
        covers=covers,
    )
    # Classes with a common ancestor may tell together who is there: such a release is withheld.
    overlap = any(
        all(covers[name][one[name]] & covers[name][other[name]] for name in covers)
        for one, other in itertools.combinations(
            release.select(table.attributes).unique().to_dicts(), 2
        )
    )
    together = asked[-1].model == "delta-presence" and overlap
    assert tables.classes_keep(audit) or together, audit
    lost = int(found.data.weight[plan.suppressed].sum())
    assert lost <= how.suppression_limit * len(table.rows) + 1e-9


def test_nothing_can_be_done_about_too_few_records_or_values() -> None:
    found = wards({"a1": "uuv", "b1": "uv"})
    for asked in (
        [promise("k-anonymity", k=6)],
        [promise("distinct-l-diversity", l=3, sensitive="ill")],
        [promise("entropy-l-diversity", l=2.5, sensitive="ill")],
    ):
        with pytest.raises(Unsatisfiable) as caught:
            partition(found.data, asked)
        assert all(problem.message for problem in caught.value.problems)


@pytest.mark.parametrize(
    "wrong",
    [
        {"dimension": "widht"},
        {"cut": "mean"},
        {"suppression_limit": 1.5},
        {"weights": {"ward": -1.0}},
        {"weights": {"wrad": 1.0}},
        {"cells": "range"},
        {"cells": {"ill": "set"}},
    ],
)
def test_settings_that_do_not_fit_are_told(wrong: dict[str, Any]) -> None:
    found = wards({"a1": "uuv", "b1": "uv"})
    with pytest.raises(PolicyError):
        partition(found.data, [promise("k-anonymity", k=2)], "mondrian", PartitionSettings(**wrong))


def test_promises_about_what_is_not_there_are_told() -> None:
    found = wards({"a1": "uuv", "b1": "uv"})
    for asked in (
        promise("k-anonymity", k=2, on=["town"]),
        promise("distinct-l-diversity", l=2, sensitive="age"),
    ):
        with pytest.raises(PolicyError) as caught:
            partition(found.data, [asked])
        assert [problem.code for problem in caught.value.problems] == ["unknown-attribute"]
    with pytest.raises(PolicyError, match="did you mean 'mondrian'"):
        partition(found.data, [], "mondrain")  # type: ignore[arg-type]


def test_progress_ends_with_the_last_record() -> None:
    found = wards({f"{a}{b}": ILLS for a in "abcd" for b in "1234"})
    told: list[float] = []
    asked = [promise("distinct-l-diversity", l=3, sensitive="ill")]
    plan = partition(found.data, asked, progress=told.append)
    assert plan.groups == 16
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert plan.search.to_dict()["classes"] == 16


def test_many_values_are_cut_without_a_table_of_pairs() -> None:
    """More values than are worked out beforehand: paths are gone through instead."""
    random = np.random.default_rng(0)
    chains = [(f"{at:04}", f"{at // 10:03}", f"{at // 100:02}", "*") for at in range(1000)]
    rows = {
        "code": [chains[at][0] for at in random.integers(0, 1000, 400).tolist()],
        "age": [str(age) for age in random.integers(0, 300, 400).tolist()],
    }
    texts = pl.DataFrame(rows)
    ages = Taxonomy("age", [(str(age), "*") for age in range(300)])
    found = Microdata.encode(texts, {"code": Taxonomy("code", chains), "age": ages}).data
    for style, dimension in itertools.product(["ancestor", "set"], ["width", "ncp"]):
        how = PartitionSettings(dimension=dimension, cells={"code": style})  # type: ignore[arg-type]
        plan = partition(found, [promise("k-anonymity", k=4)], "mondrian", how)
        size = np.bincount(plan.class_of, weights=found.weight)
        assert size.min() >= 4
        assert size.sum() == 400
        assert size.max() < 12


# Adult.


ADULT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip


@pytest.fixture(scope="module")
def adult(shared: Path) -> tuple[pl.DataFrame, dict[str, Taxonomy]]:
    folder = shared / "data" / "adult"
    texts = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False).select(ADULT)
    found = {name: read_hierarchy(folder / f"adult_hierarchy_{name}.csv", name) for name in ADULT}
    return texts, found


def content_ncp(data: LeveledTable, class_of: NDArray[np.int32]) -> float:
    """Values of every class, less one, out of those in the table; ages by their range."""
    size = np.bincount(class_of, weights=data.weight)
    total = 0.0
    for j, name in enumerate(data.attributes):
        codes = data.table.codes[j].astype(np.int64)
        pairs = np.unique(class_of.astype(np.int64) * 1000 + codes)
        widths = (np.bincount(pairs // 1000) - 1) / max(len(np.unique(codes)) - 1, 1)
        if name == "age":
            ages = np.array([float(str(leaf)) for leaf in data.taxonomies[name].leaves])[codes]
            low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
            np.minimum.at(low, class_of, ages)
            np.maximum.at(high, class_of, ages)
            widths = (high - low) / (ages.max() - ages.min())
        total += float((widths * size).sum())
    return total / (float(size.sum()) * len(data.attributes))


def mean_loss(data: LeveledTable, plan: CellPlan) -> float:
    """Leaves under every cell, less one, out of those of the hierarchy."""
    total = 0.0
    for j, domain in enumerate(data.domain.tolist()):
        leaves = plan.covered[j][plan.cell_of[j][plan.class_of]]
        total += float((data.weight * (leaves - 1)).sum()) / (domain - 1)
    return total / (data.table.records * len(data.attributes))


def test_adult_loses_little(adult: tuple[pl.DataFrame, dict[str, Taxonomy]]) -> None:
    texts, taxonomies = adult
    k = [promise("k-anonymity", k=5)]
    eight = {name: taxonomies[name] for name in ADULT if name != "salary-class"}
    data = Microdata.encode(texts.select(list(eight)), eight).data
    sets = {name: "set" for name in eight if name != "age"}
    assert content_ncp(data, partition(data, k).class_of) <= 0.029
    plan = partition(data, k, "mondrian", PartitionSettings(cells=sets))
    assert content_ncp(data, plan.class_of) <= 0.025
    median = PartitionSettings(dimension="width", cut="median", cells=sets)
    assert content_ncp(data, partition(data, k, "mondrian", median).class_of) <= 0.029
    nine = Microdata.encode(texts, taxonomies).data
    assert mean_loss(nine, partition(nine, k)) <= 0.05
    plan = partition(nine, k, "mondrian", PartitionSettings(cells={**sets, "salary-class": "set"}))
    assert mean_loss(nine, plan) <= 0.025


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "entropy-l-diversity", "l": 3},
        {"model": "t-closeness", "t": 0.3},
        {"model": "t-closeness", "t": 0.3, "reference": "original"},
        {"model": "recursive-cl-diversity", "c": 4.0, "l": 3},
    ],
)
def test_adult_keeps_promises_about_occupation(
    adult: tuple[pl.DataFrame, dict[str, Taxonomy]], asked: dict[str, Any]
) -> None:
    texts, taxonomies = adult
    quasi = {name: own for name, own in taxonomies.items() if name != "occupation"}
    found = Microdata.encode(texts, quasi, ["occupation"])
    promises = [promise("k-anonymity", k=5), promise(**asked, sensitive="occupation")]
    plan = partition(found.data, promises)
    assert not plan.suppressed.any()
    assert plan.groups > 100
    occupation = texts["occupation"].to_numpy()
    group_of = plan.class_of[found.combination_of]
    counts = np.zeros((plan.groups, 14))
    np.add.at(counts, (group_of, np.unique(occupation, return_inverse=True)[1]), 1)
    size = counts.sum(axis=1)
    assert size.min() >= 5
    share = counts / size[:, None]
    if asked["model"] == "entropy-l-diversity":
        bits = -np.where(share > 0, share * np.log(np.maximum(share, 1e-300)), 0).sum(axis=1)
        assert np.exp(bits).min() >= 3 - 1e-9
    elif asked["model"] == "t-closeness":
        whole = counts.sum(axis=0) / counts.sum()
        assert (abs(share - whole).sum(axis=1) / 2).max() <= 0.3 + 1e-9
    else:
        ordered = -np.sort(-counts, axis=1)
        assert (ordered[:, 0] < 4.0 * ordered[:, 2:].sum(axis=1)).all()
