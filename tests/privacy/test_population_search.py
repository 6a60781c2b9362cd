"""Searches under promises about a population, against trying every generalization."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy.drawing import CHECKED

from indistinct.errors import Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Subjects
from indistinct.privacy import Promise, promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.grouping import Grouper

CHAINS: dict[str, list[tuple[str, ...]]] = {
    "a": [("1", "x", "*"), ("2", "x", "*"), ("3", "y", "*")],
    "b": [("1", "*"), ("2", "*")],
}
Row = tuple[int, int]


def encoded(people: list[tuple[Row, bool]]) -> LeveledTable:
    """People with their two attributes, some of whom are in the table."""
    texts = pl.DataFrame(
        {name: [CHAINS[name][row[j]][0] for row, _ in people] for j, name in enumerate(CHAINS)}
    )
    inside = np.array([there for _, there in people], np.int64)
    taxonomies = {name: Taxonomy(name, chains) for name, chains in CHAINS.items()}
    found = Microdata.encode(Subjects.of_records(texts, inside), taxonomies)
    number = found.data.table.combinations
    population = np.bincount(found.combination_of, minlength=number)
    return replace(found.data, table=replace(found.data.table, population=population))


def fewest(people: list[tuple[Row, bool]], allowed: int, asked: list[Promise]) -> int | None:
    """The least sum of levels at which the promises are kept, by the definitions."""
    best = None
    for first in range(3):
        for second in range(2):
            left = leaves_out(people, (first, second), asked)
            if left is not None and left <= allowed:
                best = first + second if best is None else min(best, first + second)
    return best


def leaves_out(
    people: list[tuple[Row, bool]], levels: tuple[int, int], asked: list[Promise]
) -> int | None:
    """How many records are left out at a node; None if the promises cannot be kept there."""
    dropped: set[int] = set()
    while True:
        before = len(dropped)
        for one in asked:
            names = one.on or tuple(CHAINS)
            cells = [
                tuple(
                    CHAINS[name][row[j]][levels[j]]
                    for j, name in enumerate(CHAINS)
                    if name in names
                )
                for row, _ in people
            ]
            around = Counter(cells)
            there = Counter(
                cell
                for at, (cell, (_, inside)) in enumerate(zip(cells, people, strict=True))
                if inside and at not in dropped
            )
            ever = {cell for cell, (_, inside) in zip(cells, people, strict=True) if inside}
            for cell, number in around.items():
                size = there[cell]
                if size and not good(one, size, number):
                    dropped |= {
                        at for at, (_, inside) in enumerate(people) if inside and cells[at] == cell
                    }
                bounded = one.parameters.get("lower", 0) > 0
                if bounded and cell not in ever and one.parameters["absent"] != "skip":
                    return None
        if len(dropped) == before:
            break
    if dropped and any(one.keeps_everybody for one in asked):
        return None
    return len(dropped)


def good(asked: Promise, size: int, people: int) -> bool:
    own: dict[str, Any] = asked.parameters
    if asked.model == "k-anonymity":
        return size >= int(own["k"])
    if asked.model == "k-map":
        return people >= int(own["k"])
    return bool(own["lower"] * people - 1e-9 <= size <= own["upper"] * people + 1e-9)


@st.composite
def promised(draw: st.DrawFn) -> list[Promise]:
    on = draw(st.sampled_from([None, None, ("a",), ("b",)]))
    found = [
        draw(
            st.one_of(
                st.builds(
                    lambda lower, upper, absent: promise(
                        "delta-presence", lower=lower, upper=upper, absent=absent, on=on
                    ),
                    st.sampled_from([0.0, 0.1, 0.3]),
                    st.sampled_from([0.5, 0.8, 1.0]),
                    st.sampled_from(["break", "suppressed", "skip"]),
                ),
                st.builds(lambda k: promise("k-map", k=k, on=on), st.integers(1, 6)),
            )
        )
    ]
    if draw(st.booleans()):
        found.append(promise("k-anonymity", k=draw(st.integers(1, 3))))
    return found


@pytest.mark.parametrize("absent", ["break", "suppressed", "skip"])
def test_a_class_of_people_who_are_all_missing_is_mended_by_no_suppression(absent: str) -> None:
    """Also beside a promise over other attributes: all of y are missing, so y joins x."""
    people = [((0, 0), True), ((1, 1), True), ((2, 0), False)]
    on_a = promise("delta-presence", lower=0.3, upper=1.0, absent=absent, on=("a",))
    asked = [on_a, promise("k-anonymity", k=1)]
    for limit in (0.0, 0.6, 1.0):
        plan = full_domain(
            encoded(people), asked, objective("height"), Settings(suppression_limit=limit)
        )
        expected = fewest(people, int(limit * 2), asked)
        assert plan.search.value == expected == (0 if absent == "skip" else 2)


@pytest.mark.parametrize(
    "measure",
    ["loss", "precision", "non-uniform-entropy", "discernibility", "height", "average-class-size"],
)
def test_people_of_whom_nobody_is_in_the_table_change_no_cost(measure: str) -> None:
    rows = [(0, 0), (0, 0), (1, 0), (2, 1), (2, 1), (2, 1)]
    there = [(row, True) for row in rows]
    asked = [promise("k-anonymity", k=2)]
    for others in ([(1, 1)], [(1, 1), (2, 0), (2, 0)]):
        tables = [encoded(there), encoded([*there, *((row, False) for row in others)])]
        for levels in product(range(3), range(2)):
            found = [
                Evaluator(data, asked, objective(measure).bind(data), 1, Grouper(data)).evaluate(
                    np.array(levels)
                )
                for data in tables
            ]
            keys = [None if one.key is None else one.key.tolist() for one in found]
            assert keys[0] == keys[1]
            assert found[0].suppressed == found[1].suppressed


@CHECKED
@given(
    people=st.lists(
        st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 1)), st.booleans()),
        min_size=1,
        max_size=14,
    ).filter(lambda people: any(inside for _, inside in people)),
    asked=promised(),
    limit=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
)
def test_the_search_finds_what_trying_every_node_finds(
    people: list[tuple[Row, bool]], asked: list[Promise], limit: float
) -> None:
    data = encoded(people)
    allowed = int(limit * data.table.records + 1e-9)
    expected = fewest(people, allowed, asked)
    goal, settings = objective("height"), Settings(suppression_limit=limit)
    evaluator = Evaluator(data, asked, goal.bind(data), allowed, Grouper(data))
    for levels in product(range(3), range(2)):
        left = leaves_out(people, levels, asked)
        at = np.array(levels)
        assert (evaluator.evaluate(at).key is None) == (left is None or left > evaluator.allowed)
        if left is not None:
            assert data.weight[evaluator.suppressed(at)].sum() == left
    if expected is None:
        with pytest.raises(Unsatisfiable):
            full_domain(data, asked, goal, settings)
        return
    plan = full_domain(data, asked, goal, settings)
    assert plan.search.value == expected
    # What one promise leaves out changes what another sees: the search says why it proves nothing.
    assert plan.search.optimal or plan.search.unproved is not None
    left = leaves_out(people, plan.nodes[0], asked)  # type: ignore[arg-type]
    assert int(data.weight[plan.suppressed].sum()) == left
