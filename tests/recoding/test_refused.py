"""What methods say that they refused, against the same methods run on all other values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.recoding.tables import Table

from indistinct.errors import Unsatisfiable
from indistinct.measures import objective
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy import Promise, promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.full_domain import local as module
from indistinct.recoding.full_domain.local import refused_classes
from indistinct.recoding.judge import Judge
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.partition.mondrian import refused_cuts
from indistinct.recoding.plan import Plan
from indistinct.recoding.refused import Refused

Run = Callable[[LeveledTable, list[Promise]], "tuple[Plan, Refused | None] | None"]

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["3", "7", "20", "41"]),
        st.sampled_from(["A1", "A2", "B1", "day"]),
        st.just("town N"),
        st.sampled_from("uuvw"),
    ),
    min_size=4,
    max_size=8,
)
ASKED = st.sampled_from(
    [
        {"model": "distinct-l-diversity", "l": 2},
        {"model": "entropy-l-diversity", "l": 1.8},
        {"model": "max-posterior", "bound": 0.5},
        {"model": "t-closeness", "t": 0.3, "reference": "original"},
    ]
)
NAMES = st.sampled_from([("age",), ("ward",), ("age", "ward")])


def mondrian(data: LeveledTable, asked: list[Promise]) -> tuple[Plan, Refused | None] | None:
    try:
        plan = partition(data, asked, "mondrian", PartitionSettings(suppression_limit=0.3))
    except Unsatisfiable:
        return None
    return plan, refused_cuts(data, asked, PartitionSettings(), plan.class_of)


def local(data: LeveledTable, asked: list[Promise]) -> tuple[Plan, Refused | None] | None:
    goal = objective("loss")
    try:
        plan = full_domain(data, asked, goal, Settings(local_recoding=True, suppression_limit=0.3))
    except Unsatisfiable:
        return None
    return plan, refused_classes(data, Lattice.of(data), asked, goal.bind(data), plan)


def cells(data: LeveledTable, plan: Plan) -> list[tuple[str | None, ...]]:
    labels = [
        np.array([*plan.labels(data, j), "-"], dtype=object)[plan.cells(data, j)]
        for j in range(len(data.attributes))
    ]
    return list(zip(*labels, strict=True))


def refused(data: LeveledTable, asked: list[Promise], found: Refused) -> bool:
    """Whether some part of each attempt breaks a promise."""
    broken: dict[int, bool] = {}
    for part, at in enumerate(found.attempt.tolist()):
        dropped = np.ones(len(data.weight), np.bool_)
        dropped[found.parts[part]] = False
        size = data.weight[~dropped].sum(keepdims=True)
        class_of = np.zeros(len(dropped), np.int32)
        wrong = bool(Judge(data, asked).broken(class_of, size, dropped).any())
        broken[at] = broken.get(at, False) or wrong
    return all(broken.values())


def worlds(table: Table, class_of: list[tuple[str | None, ...]]) -> Iterator[Table]:
    """The table with the values of every class given to its people in every order."""
    rows = table.rows
    groups = [[i for i, own in enumerate(class_of) if own == c] for c in dict.fromkeys(class_of)]
    orders = [sorted(set(permutations([rows[i][3] for i in own]))) for own in groups]
    for choice in product(*orders):
        value = {
            i: v
            for own, vs in zip(groups, choice, strict=True)
            for i, v in zip(own, vs, strict=True)
        }
        yield replace(table, rows=tuple((*row[:3], value[i]) for i, row in enumerate(rows)))


@pytest.mark.parametrize("run", [mondrian, local])
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(rows=ROWS, asked=ASKED, names=NAMES, k=st.integers(1, 3))
def test_no_table_that_gives_the_same_classes_is_struck_out(
    run: Run,
    rows: list[tuple[str, str, str, str]],
    asked: dict[str, object],
    names: tuple[str, ...],
    k: int,
) -> None:
    own = [promise("k-anonymity", k=k), promise(**asked, sensitive="ill")]
    table = Table(tuple(rows), "value", names)
    encoded = table.encoded()
    found = run(encoded.data, own)
    assume(found is not None)
    plan, tried = found
    assume(tried is not None)
    combination = cells(encoded.data, plan)
    class_of = [combination[c] for c in encoded.combination_of]
    sizes = [class_of.count(c) for c in set(class_of)]
    assume(prod(factorial(size) for size in sizes) <= 60)
    left = same = 0
    for other in worlds(table, class_of):
        again = other.encoded()
        assert (again.combination_of == encoded.combination_of).all()
        fits = refused(again.data, own, tried)
        left += fits
        result = run(again.data, own)
        if result is not None and cells(again.data, result[0]) == combination:
            same += 1
            assert fits, (other.rows, combination)
    assert same
    assert same <= left


@pytest.mark.parametrize("lasting", [True, False])
def test_what_follows_from_what_was_refused_is_not_told_again(lasting: bool) -> None:
    """Parts of a refused class are refused, too, where others that join break no promise."""
    found = module._Found(lasting, 5)
    several = [[[0, 1, 2]], [[0, 1]], [[0, 1, 2]], [[1, 3]], [[2, 3]], [[0], [1]], [[3]], [[4]]]
    for parts in several:
        found.add([np.array(part, np.int32) for part in parts])
    told = [[part.tolist() for part in own] for own in found.attempts]
    own = [[[0, 1, 2]], [[1, 3]], [[2, 3]], [[0], [1]], [[4]]]
    assert told == (own if lasting else [parts for at, parts in enumerate(several) if at != 2])


def published_and_refused(wards: Mapping[str, str], beside: str = "") -> tuple[Any, Any]:
    """What local recoding publishes of wards with these illnesses, and what it was refused.

    The population has somebody in the ward ``beside``, too.
    """
    rows = tuple(("3", ward, "town N", ill) for ward, ills in wards.items() for ill in ills)
    table = Table(rows, "value", ("ward",))
    more = replace(table, rows=(*rows, ("3", beside, "town N", "u"))) if beside else None
    encoded = table.encoded(population=more)
    own = [promise("k-anonymity", k=2), promise("distinct-l-diversity", l=2, sensitive="ill")]
    found = local(encoded.data, own)
    assert found is not None
    plan, tried = found
    return cells(encoded.data, plan), tried


@pytest.mark.parametrize("looked_back", [1000, 1, 0])
def test_wards_of_one_illness_are_told_to_have_been_refused(
    looked_back: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are large enough, and are published together on the next level."""
    monkeypatch.setattr("indistinct.recoding.full_domain.local.LOOKED_BACK", looked_back)
    wards = {"A1": "uu", "A2": "ww", "B1": "uw"}
    shown, tried = published_and_refused(wards)
    assert shown == [("A",), ("A",), ("B1",)]
    assert tried is not None
    parts = [tried.parts[at].tolist() for at in range(len(tried.attempt))]
    assert parts == ([[0], [1]] if looked_back else [])
    assert set(tried.attempt.tolist()) <= {0}


def test_what_the_first_node_suppressed_is_told_to_have_been_refused_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("indistinct.recoding.full_domain.local.LOOKED_BACK", 0)
    wards = {"A1": "uu", "A2": "ww", "B1": 6 * "uw", "day": 6 * "uw"}
    shown, tried = published_and_refused(wards)
    assert shown == [("A",), ("A",), ("B1",), ("day",)]
    assert tried is not None
    assert [tried.parts[at].tolist() for at in range(len(tried.attempt))] == [[0], [1]]


def test_who_is_in_the_population_alone_is_in_nothing_that_was_refused() -> None:
    """Nobody in the table is of B2, which is on the next level what B1 is."""
    wards = {"A1": "uu", "A2": "ww", "B1": "uu", "day": 6 * "uw"}
    shown, tried = published_and_refused(wards, beside="B2")
    assert shown == [("A",), ("A",), ("-",), ("-",), ("day",)]
    assert tried is not None
    assert [tried.parts[at].tolist() for at in range(len(tried.attempt))] == [[2], [0], [1]]
