"""Unicity, held against trying out every set of published cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.people_contexts import lists, of_people

import indistinct as ind
from indistinct.analytics.attacks import Finding, Skipped, unicity
from indistinct.analytics.attacks.unicity import GROUPS, Cells

VALUES = ("10", "9", "a", None, "*", "***")
NOTHING = (None, "*", "***")
COLUMN = st.lists(st.lists(st.sampled_from(VALUES), max_size=4), min_size=3, max_size=6)


@st.composite
def columns(draw: st.DrawFn) -> dict[str, list[list[str | None]]]:
    """Cells of the same people in one to three columns."""
    people = draw(st.integers(2, 6))
    own = st.lists(st.sampled_from(VALUES), max_size=4)
    return {
        name: draw(st.lists(own, min_size=people, max_size=people))
        for name in "xyz"[: draw(st.integers(1, 3))]
    }


def told(columns: Mapping[str, Sequence[Sequence[str | None]]]) -> list[set[tuple[str, str]]]:
    """The different cells of everybody that are something to know."""
    people = len(next(iter(columns.values())))
    return [
        {(name, v) for name, own in columns.items() for v in own[p] if v not in NOTHING}
        for p in range(people)
    ]


def scene(columns: Mapping[str, Sequence[Sequence[str | None]]], **more: Any) -> Any:
    people = len(next(iter(columns.values())))
    cells = {name: lists(own) for name, own in columns.items()}
    return of_people(
        [[["a"]] * people], cells=cells, cells_of=np.arange(people, dtype=np.int64), **more
    )


def won(found: Finding | Skipped) -> Finding:
    assert isinstance(found, Finding)
    return found


def unique(everybody: list[set[tuple[str, str]]], p: int) -> float:
    """The share of sets of p cells that nobody else has, everybody the same weight."""
    shares = []
    for own in everybody:
        sets = list(combinations(sorted(own), min(p, len(own))))
        alone = [sum(other >= set(known) for other in everybody) == 1 for known in sets]
        shares.append(np.mean(alone))
    return float(np.mean(shares))


@settings(max_examples=60)
@given(columns())
def test_shares(drawn: dict[str, list[list[str | None]]]) -> None:
    everybody = told(drawn)
    found = won(unicity.run(scene(drawn), None))
    for p in range(1, 6):
        own = found.figures[str(p)]
        assert isinstance(own, Mapping)
        assert own["unique"] == pytest.approx(unique(everybody, p))
    assert found.figures["error"] == 0.0


@settings(max_examples=30)
@given(columns())
def test_shares_that_are_drawn(drawn: dict[str, list[list[str | None]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unicity, "MOST_SETS", 0)
        found = won(unicity.run(scene(drawn), None))
    for p in range(1, 6):
        own = found.figures[str(p)]
        assert isinstance(own, Mapping)
        assert own["unique"] == pytest.approx(unique(told(drawn), p), abs=0.03)
    assert found.figures["error"] == pytest.approx(0.0098, abs=1e-4)
    exact = won(unicity.run(scene(drawn), None)).figures
    for what in ("without", "coarser"):
        if found.figures["told_at"] == exact["told_at"] and what in exact and what in found.figures:
            assert found.figures[what] == pytest.approx(exact[what], abs=0.1)


@settings(max_examples=60)
@given(columns(), st.data())
def test_counts(drawn: dict[str, list[list[str | None]]], data: st.DataObject) -> None:
    """Of draws, of draws with neighbouring values, and of draws that leave cells out."""
    everybody = told(drawn)
    cells = Cells.of({name: lists(own) for name, own in drawn.items()})
    names = [(name, v) for name, own in drawn.items() for v in ordered(own)]
    drawn_cells = cells.draw(200, [data.draw(st.integers(0, 99))])
    drawn_cells[:, data.draw(st.integers(0, 4))] = -1
    filled = [at for at, own in enumerate(drawn.values()) if any(own)]
    to, column = np.arange(int(cells.first[-1])), None
    if filled:
        column = data.draw(st.sampled_from(filled))
        to = cells.coarser(column)
    first = data.draw(st.integers(1, 5))
    with pytest.MonkeyPatch.context() as patch:
        # Lists of people, rows of bits, and some of both.
        patch.setattr(unicity, "SPARSE", data.draw(st.sampled_from([0, 2, 32])))
        exact = cells.people_with(drawn_cells, first=first, enough=99)
        coarse = cells.people_with(drawn_cells, first=first, enough=99, column=column)
    number = {cell: at for at, cell in enumerate(names)}
    had = [{number[cell] for cell in own} for own in everybody]
    for d in range(len(drawn_cells)):
        for p in range(first, 6):
            known = {int(at) for at in drawn_cells[d, :p] if at >= 0}
            assert exact[d, p - 1] == sum(own >= known for own in had)
            groups = {int(to[at]) for at in known}
            assert coarse[d, p - 1] == sum({int(to[at]) for at in own} >= groups for own in had)


def ordered(own: Sequence[Sequence[str | None]]) -> list[str | None]:
    """The values of a column as cells are numbered; then what is no value."""
    there = {v for part in own for v in part}
    known = sorted(v for v in there if v not in NOTHING)
    if "a" not in known:
        known.sort(key=float)
    return [*known, *sorted(str(v) for v in there - set(known))]


def test_what_carries_it() -> None:
    columns = {
        "day": [[str(at)] for at in range(40)],
        "sex": [["f" if at % 2 else "m"] for at in range(40)],
    }
    found = won(unicity.run(scene(columns), None))
    assert found.figures["1"] == {"unique": pytest.approx(0.5)}
    assert found.figures["2"] == {"unique": pytest.approx(1.0)}
    assert found.figures["told_at"] == 1
    assert found.figures["carried"] == {"day": 1.0}
    assert found.figures["without"] == {"day": 0.0}
    assert found.figures["coarser"] == {"day": 0.0}
    assert found.success["certain"] == 1.0
    assert "without 'day'" in found.note


def test_a_coarser_column_has_few_groups_of_neighbours() -> None:
    cells = Cells.of({"n": lists([[str(at)] for at in range(103)])})
    groups, sizes = np.unique(cells.coarser(0), return_counts=True)
    assert len(groups) == GROUPS
    assert sizes.min() >= 20
    assert groups[0] == 0


def test_fewer_draws_where_they_take_too_long() -> None:
    random = np.random.default_rng(3)
    columns = {name: [[str(random.integers(0, 9))] for _ in range(900)] for name in "abcdef"}
    found = won(unicity.run(scene(columns), None, most=20_000))
    draws = found.figures["draws"]
    assert isinstance(draws, int)
    assert 0 < draws < 900
    assert found.figures["error"] == pytest.approx(0.98 / draws**0.5)


def test_nothing_to_know() -> None:
    found = unicity.run(of_people([[["a"]]]), None)
    assert isinstance(found, Skipped)
    alone = unicity.run(of_people([[["a"]]], cells={"x": lists([["b"]])}), None)
    assert isinstance(alone, Skipped)
    assert "nobody else is published" in alone.why


def visits() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "patient": ["P1", "P1", "P2", "P2", "P3", "P4"],
            "age": ["30", "30", "30", "30", "30", "30"],
            "ward": ["A", "B", "A", "A", "A", "A"],
            "ill": ["flu", "flu", "flu", "flu", "flu", "flu"],
        }
    )


def policy(**more: Any) -> dict[str, Any]:
    return {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ward": {"role": "insensitive"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": {"seed": 1},
        **more,
    }


def test_pseudonyms_are_nothing_to_know_and_other_columns_are() -> None:
    release = ind.anonymize(visits(), policy())
    report = ind.attack(visits(), release, policy(), only=["unicity", "known-records"])
    found = report["unicity"]
    assert found.figures["5"] == {"unique": pytest.approx(0.25)}
    assert found.figures["carried"] == {"ward": 1.0}
    # The one patient who was on ward B is singled out by it; the others are three alike.
    beside = report["known-records"].figures["1"]
    assert beside == {"singled_out": 0.25, "average": pytest.approx(0.25 / 3), "certain": 1.0}


def test_columns_that_others_cannot_know_are_left_out() -> None:
    asked = policy()
    asked["attributes"]["ward"]["transform"] = {"swap": {}}
    release = ind.anonymize(visits(), asked)
    found = ind.attack(visits(), release, asked, only=["unicity"])["unicity"]
    assert found.figures["5"] == {"unique": 0.0}


@pytest.mark.parametrize(
    ("causes", "promised", "advice"),
    [
        (30, False, "leave 'cause' out"),
        (30, True, "leave 'cause' out, as most people have a value there that few share, and what"),
        (3, True, "ask for larger classes"),
        (3, False, "let 'cause' count among what others know"),
        (0, False, "leave 'ward' out"),
    ],
)
def test_the_column_that_tells_most_is_named(causes: int, promised: bool, advice: str) -> None:
    cause = causes or 3
    rows = [(at % 2, f"c{at % cause:02}", "accident" if at else "other") for at in range(30)]
    table = pl.DataFrame(rows, ["age", "cause", "manner"], orient="row")
    # A column with one value tells nothing: to leave it out is no advice.
    beside = {"state": [1] * 30} | ({} if causes else {"ward": [f"w{at // 2}" for at in range(30)]})
    table = table.with_columns(**{name: pl.Series(own) for name, own in beside.items()})
    own = {"model": "max-posterior", "bound": 0.9, "sensitive": "cause"}
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "cause": {"role": "sensitive"},
            "manner": {"role": "sensitive"},
            **{name: {"role": "insensitive"} for name in beside},
        },
        "promises": [{"model": "k-anonymity", "k": 5}, *([own] if promised else [])],
        "method": {"seed": 1},
    }
    release = ind.anonymize(table, keys)
    found = ind.attack(table, release, keys, only=["unicity"])["unicity"]
    assert found.remedy is not None
    assert found.remedy.text.startswith(advice)
