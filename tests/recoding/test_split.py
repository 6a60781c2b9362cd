"""Splitting by rank: pools, the k of every record, and what the splits keep together."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.tables import Table, tables

from indistinct.errors import Unsatisfiable
from indistinct.measures import objective
from indistinct.metadata import ValueMetadata
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy import Promise, promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.plan import LevelPlan
from indistinct.recoding.recoded import published_classes
from indistinct.recoding.split import SplitPlan, pooled, split_by_rank
from indistinct.release.apply import change
from indistinct.release.audit import audit
from indistinct.requirement import Requirement
from indistinct.sources.engines import open_table

RANKS = {"u": 4, "v": 3, "w": 2, "x": 1}
KNOWN = ValueMetadata(ranks=RANKS)


def ranked(table: Table) -> tuple[LeveledTable, np.ndarray]:
    """Every record a combination of its own, and its rank."""
    from dataclasses import replace

    data = table.encoded(by_record=True).data
    cells = {name: replace(own, known=KNOWN) for name, own in data.table.sensitive.items()}
    data = replace(data, table=replace(data.table, sensitive=cells))
    return data, np.array([RANKS[value] for value in table.texts["ill"].to_list()])


def knm(**more: object) -> Promise:
    keys = {"k": {"1": 5, "2": 4, "3": 3, "4": 2}, "diversity": False, "sensitive": "ill"}
    return promise("knm-anonymity", **(keys | more))


# Pools


COUNTS = st.fixed_dictionaries(dict.fromkeys((1, 2, 3, 4), st.integers(0, 12)))
KS = st.fixed_dictionaries(dict.fromkeys((1, 2, 3, 4), st.integers(1, 9)))


@given(COUNTS, KS)
def test_pools_are_neighbours_and_large_enough(records: dict[int, int], ks: dict[int, int]) -> None:
    found = pooled(records, ks)
    present = [rank for rank in sorted(records) if records[rank]]
    # Nobody is dropped, and ranks stay in their order.
    assert [rank for ranks, _ in found for rank in ranks] == present
    for ranks, k in found:
        assert k == max(ks[rank] for rank in ranks)
        assert len(found) == 1 or sum(records[rank] for rank in ranks) >= k
    if all(records[rank] >= ks[rank] for rank in present):
        assert found == [((rank,), ks[rank]) for rank in present]


def test_the_rule_of_pooling() -> None:
    ks = {1: 10, 2: 5, 3: 4, 4: 3}
    assert pooled({1: 50, 2: 50, 3: 1, 4: 50}, ks) == [((1,), 10), ((2, 3), 5), ((4,), 3)]
    assert pooled({1: 9, 2: 50, 3: 50, 4: 50}, ks) == [((1, 2), 10), ((3,), 4), ((4,), 3)]
    assert pooled({1: 9, 2: 0, 3: 50, 4: 50}, ks) == [((1, 3), 10), ((4,), 3)]
    assert pooled({1: 1, 2: 1, 3: 1, 4: 1}, ks) == [((1, 2, 3, 4), 10)]
    assert pooled({1: 0, 2: 0, 3: 0, 4: 0}, ks) == []


# The release


@settings(max_examples=60)
@given(tables(plain=True), st.sampled_from([0.0, 0.2, 0.5]), st.booleans(), st.booleans())
def test_every_record_has_the_k_of_its_rank(
    table: Table, limit: float, close: bool, by_rank: bool
) -> None:
    data, rank_of = ranked(table)
    asked = [knm(count="rank" if by_rank else "class")]
    if close:
        asked.append(promise("t-closeness", t=0.7, sensitive="ill"))
        asked.append(promise("t-closeness", t=0.75, sensitive="ill", reference="original"))
    how = Settings(suppression_limit=limit)
    try:
        plan = split_by_rank(data, rank_of, asked, objective("loss"), how)
    except Unsatisfiable:
        return
    lost = int(data.weight[plan.suppressed].sum())
    assert lost <= limit * data.table.records + 1e-9
    known = ValueMetadata(
        ranks=RANKS,
        reference={v: float(n) for v, n in table.texts["ill"].value_counts().iter_rows()},
    )
    frame = open_table(table.texts).publish(
        change(
            data,
            plan,
            [*table.attributes, "ill"],
            combination_of=np.arange(table.texts.height, dtype=np.int32),
        )
    )
    requirements = [
        Requirement(p.model, p.parameters, p.on, p.sensitive, "record", p.reference) for p in asked
    ]
    found = audit(frame, requirements, table.attributes, known={"ill": known})
    assert found.holds
    assert frame.height == table.texts.height - lost
    assert_published(frame, table)
    assert [part.records for part in plan.splits] == [
        int(np.isin(rank_of, part.ranks).sum()) for part in plan.splits
    ]
    assert plan.to_dict()["scope"] == "split"


def assert_published(frame: pl.DataFrame, table: Table) -> None:
    """By hand: in a class as large as the record's rank asks."""
    ks = {4: 2, 3: 3, 2: 4, 1: 5}
    size = frame.group_by(table.attributes).len()
    joined = frame.join(size, on=list(table.attributes), nulls_equal=True)
    for ill, large in joined.select("ill", "len").iter_rows():
        assert large >= ks[RANKS[ill]]


@settings(max_examples=40)
@given(tables(plain=True))
def test_every_split_is_the_best_of_its_records(table: Table) -> None:
    data, rank_of = ranked(table)
    try:
        plan = split_by_rank(data, rank_of, [knm()], objective("loss"))
    except Unsatisfiable:
        return
    for at, part in enumerate(plan.splits):
        rows = np.flatnonzero(np.isin(rank_of, part.ranks)).astype(np.int32)
        alone = full_domain(
            data.restricted(rows), [promise("k-anonymity", k=part.k)], objective("loss")
        )
        assert plan.nodes[at] == alone.nodes[0]
        assert (plan.node_of[rows] == at).all()
        assert part.search.value == alone.search.value
    assert plan.levels == {
        name: max(part.levels[name] for part in plan.splits) for name in table.attributes
    }


@settings(max_examples=40)
@given(tables(plain=True))
def test_one_rank_is_no_split(table: Table) -> None:
    data, _ = ranked(table)
    same = np.full(data.table.combinations, 3)
    try:
        plan = split_by_rank(data, same, [knm()], objective("loss"))
        alone = full_domain(data, [promise("k-anonymity", k=3)], objective("loss"))
    except Unsatisfiable:
        return
    assert isinstance(plan, SplitPlan)
    assert isinstance(alone, LevelPlan)
    assert len(plan.splits) == 1
    assert plan.nodes == alone.nodes
    assert sorted(published_classes(data, plan)) == sorted(published_classes(data, alone))
    assert plan.search.value == alone.search.value


def people(*rows: tuple[str, str]) -> Table:
    return Table(tuple((age, "A1", "town N", ill) for age, ill in rows), "value", ("age",))


def test_every_split_that_fails_is_named() -> None:
    # Three records of rank 1 and a k of 3, but two values are wanted and each split has one.
    table = people(*(("20", "u") for _ in range(3)), *(("21", "x") for _ in range(5)))
    data, rank_of = ranked(table)
    with pytest.raises(Unsatisfiable) as caught:
        split_by_rank(data, rank_of, [knm(diversity=True)], objective("loss"))
    first, second = caught.value.problems
    assert "the split of rank 1 (k = 5, 5 records)" in first.message
    assert "the split of rank 4 (k = 2, 3 records)" in second.message
    helps = "diversity = false in the promise 'knm-anonymity', or mode = \"joint\""
    assert first.remedy == second.remedy == helps
    diverse = promise("distinct-l-diversity", l=2, sensitive="ill")
    with pytest.raises(Unsatisfiable) as caught:
        split_by_rank(data, rank_of, [knm(diversity=False), diverse], objective("loss"))
    assert {problem.remedy for problem in caught.value.problems} == {'mode = "joint"'}


def test_what_breaks_when_splits_stand_together() -> None:
    """Both splits keep a promise that is closed under nothing; in one class they break it."""
    table = people(*(("20", ill) for ill in "uuvwuvww"))
    data, _ = ranked(table)
    theta = promise("theta-sensitive", k=3, mu=1.0, sensitive="ill")
    weak = knm(k=dict.fromkeys("1234", 2))
    halves = np.repeat([4, 1], 4)
    for half in (halves == 4, halves == 1):
        part = data.restricted(np.flatnonzero(half).astype(np.int32))
        assert not full_domain(part, [theta], objective("loss")).suppressed.any()
    with pytest.raises(Unsatisfiable, match="put together, the splits keep the promises") as caught:
        split_by_rank(data, halves, [weak, theta], objective("loss"))
    assert "8 of 8 records" in str(caught.value)
