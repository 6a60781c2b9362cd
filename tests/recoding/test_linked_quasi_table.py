"""The quasi table: clustering in the order of the people, and Mondrian on distinct combinations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.people import many, random_people, table_1

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.privacy.promise import promise
from indistinct.recoding.exchange import Widths
from indistinct.recoding.linked import LinkedSettings, LinkedTable
from indistinct.recoding.linked.quasi_table import homes_of_noise, quasi_table

WEIGHTS = {"age": 2.0, "place": 0.5}


def plainly(widths: Widths, people: int, k: int) -> list[list[int]]:
    """Clustering as the paper has it, by the widths of lists of people."""
    free = list(range(people))
    classes: list[list[int]] = []

    def row(members: list[int]) -> float:
        return widths(members) / len(members)

    while len(free) >= k:
        own = [free.pop(0)]
        while len(own) < k:
            best = min(free, key=lambda one: (round(row([*own, one]), 9), one))
            free.remove(best)
            own.append(best)
        classes.append(own)
    for one in free:
        best_class = min(
            range(len(classes)),
            key=lambda at: (round(widths([*classes[at], one]) - widths(classes[at]), 9), at),
        )
        classes[best_class].append(one)
    return [sorted(own) for own in classes]


@settings(max_examples=60)
@given(many(), st.integers(2, 4), st.booleans())
def test_clustering_in_order(table: LinkedTable, k: int, weighted: bool) -> None:
    weights = WEIGHTS if weighted else {}
    own = LinkedSettings(variant="paper", weights=weights)
    plan, notes = quasi_table(table.data, [], k, own)
    assert notes == ()
    widths = Widths.of(table.data, weights)
    found = [np.flatnonzero(plan.class_of == at).tolist() for at in range(plan.groups)]
    assert sum(map(widths, found)) == pytest.approx(
        sum(map(widths, plainly(widths, table.people, k)))
    )
    assert found == plainly(widths, table.people, k)


@settings(max_examples=30)
@given(many(), st.integers(2, 4))
def test_equal_people_are_in_one_class_of_mondrian(table: LinkedTable, k: int) -> None:
    plan, _ = quasi_table(table.data, [], k, LinkedSettings(quasi="mondrian"))
    classes: dict[tuple[int, ...], int] = {}
    for at, group in enumerate(plan.class_of.tolist()):
        row = tuple(int(codes[at]) for codes in table.data.table.codes)
        assert classes.setdefault(row, group) == group
    assert np.bincount(plan.class_of).min() >= k


def test_cells_are_as_asked() -> None:
    table = table_1()
    own = LinkedSettings(cells={"age": "set", "zip": "ancestor"})
    plan, _ = quasi_table(table.data, [], 2, own)
    assert plan.style == ("set", "ancestor", "ancestor")
    with pytest.raises(PolicyError):
        quasi_table(table.data, [], 2, LinkedSettings(cells="rnge"))


def test_the_papers_classes_keep_other_promises_or_none_are_made() -> None:
    people = [(20 + at, "a", ["a1"], ["u1"]) for at in range(8)]
    table = random_people(people, False)
    paper = LinkedSettings(variant="paper")
    with pytest.raises(Unsatisfiable, match="clustering break"):
        quasi_table(table.data, [promise("k-anonymity", k=4)], 2, paper)
    with pytest.raises(Unsatisfiable):
        quasi_table(table.data, [], 9, paper)


def test_made_up_people_are_spread() -> None:
    people = [(20 + at, "a", ["a1"], ["u1"]) for at in range(12)]
    table = random_people(people, False)
    plan, _ = quasi_table(table.data, [], 3, LinkedSettings())
    random = np.random.default_rng(0)
    homes = homes_of_noise(table.data, plan, [promise("k-anonymity", k=3)], 10, random)
    assert sorted(np.bincount(homes, minlength=plan.groups).tolist()) == [2, 2, 3, 3]
    assert len(homes_of_noise(table.data, plan, [], 0, random)) == 0
