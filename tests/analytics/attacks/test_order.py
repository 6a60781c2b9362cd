"""Unsorted matching: a release in its source's order, and one that was shuffled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records

import indistinct as ind
from indistinct.analytics.attacks import AttackContext, Finding, Skipped, order
from indistinct.analytics.attacks.order import (
    attributable,
    rank_correlation,
    run,
    take_in_order,
)
from indistinct.hierarchies.taxonomy import Taxonomy

AREAS = Taxonomy("area", [[f"{i}{j}", f"{i}*", "*"] for i in "123" for j in "12345"])


def scene(people: pl.DataFrame, release: pl.DataFrame, seed: int = 0) -> AttackContext:
    return of_records(
        quasi=("area",),
        sensitive=("illness",),
        people=people,
        release=release,
        taxonomies={"area": AREAS},
        seed=seed,
    )


def invented(seed: int, people: int = 300, values: int = 6) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "area": random.choice(AREAS.leaves, people).tolist(),
            "illness": [f"i{v}" for v in random.integers(0, values, people)],
        }
    )


def generalized(people: pl.DataFrame) -> pl.DataFrame:
    return people.with_columns(pl.col("area").str.slice(0, 1) + "*")


def found(scene: AttackContext) -> Finding:
    result = run(scene, "illness")
    assert isinstance(result, Finding)
    return result


def test_beats_a_release_in_the_order_of_its_source() -> None:
    people = invented(1)
    result = found(scene(people, generalized(people)))
    assert result.success == {"0.5": 1.0, "0.95": 1.0, "certain": 1.0}
    assert result.figures["matched"] == 1.0
    assert result.figures["aligned"] == 1.0
    assert result.figures["p_value"] == pytest.approx(1 / 100)
    assert float(result.figures["beyond_chance"] or 0) > 200


def test_resists_shuffling() -> None:
    people = invented(2)
    release = generalized(people).sample(fraction=1, shuffle=True, seed=5)
    here = scene(people, release)
    result = found(here)
    assert result.figures["trust"] == 0.0
    assert result.success["certain"] == 0.0
    assert result.gain["mean"] == pytest.approx(
        float((here.true_belief("illness") - here.true_prior("illness")).mean())
    )
    assert result.worst == {}


def test_few_shuffles_of_many_rows_tell_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    people = invented(2)
    for release in (
        generalized(people),
        generalized(people).sample(fraction=1, shuffle=True, seed=5),
        generalized(people).sort("area", "illness"),
    ):
        within = []
        each = cast("dict[str, float]", found(scene(people, release)).figures)
        for seed in range(10):
            with monkeypatch.context() as few:
                few.setattr(order, "MANY", 0)
                here = replace(scene(people, release), seed=seed)
                many = cast("dict[str, float]", found(here).figures)
            apart = abs(many["matched_by_chance"] - each["matched_by_chance"])
            within.append(apart < many["chance_error"])
            assert many["shuffles"] == order.FEW
            assert each["shuffles"] == order.SHUFFLES
            assert "chance_error" not in each
            assert many["matched"] == each["matched"]
            assert many["trust"] == pytest.approx(each["trust"], abs=2 * many["chance_error"])
            assert (many["p_value"] <= order.SIGNIFICANT) == (each["p_value"] <= order.SIGNIFICANT)
        # An interval of 95 %, whose middle is compared with 99 shuffles and not with all there are.
        assert sum(within) >= 8


def test_values_that_chance_never_finds_are_no_order_by_one_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shuffles that are all alike have no spread; one person counts for as much."""
    monkeypatch.setattr(order, "MANY", 0)
    monkeypatch.setattr(order, "FEW", 3)
    people = pl.DataFrame({"area": ["11"] * 900, "illness": [f"i{at}" for at in range(900)]})
    mixed = generalized(people).sample(fraction=1, shuffle=True, seed=3)
    assert found(scene(people, mixed)).figures["trust"] == 0.0
    assert found(scene(people, generalized(people))).figures["trust"] == 1.0


def test_beats_a_release_that_was_sorted_by_what_it_shows_only() -> None:
    """A stable sort keeps the order inside every class."""
    people = invented(3)
    release = generalized(people).sort("area", maintain_order=True)
    result = found(scene(people, release))
    assert result.figures["matched"] == 1.0
    assert result.success["certain"] == 1.0


def test_resists_a_release_sorted_by_everything() -> None:
    people = invented(4)
    result = found(scene(people, generalized(people).sort("area", "illness")))
    assert result.figures["trust"] == 0.0


def test_rows_left_out_make_it_less_certain() -> None:
    people = invented(5)
    release = generalized(people).gather_every(1).with_row_index().filter(pl.col("index") % 50 > 0)
    result = found(scene(people, release.drop("index")))
    assert 0.0 < float(result.figures["trust"] or 0) < 1.0
    assert result.success["certain"] == 0.0
    assert result.gain["mean"] > 0.05


def test_people_without_a_class_do_not_shift_the_others() -> None:
    people = invented(6)
    release = generalized(people).filter(pl.col("area") != "2*")
    here = scene(people, release)
    result = found(here)
    assert result.figures["aligned"] == 1.0
    assert result.figures["trust"] == 1.0
    there = here.found
    assert result.success["certain"] == pytest.approx(there.mean())
    taken = take_in_order(here.places, np.arange(here.records))
    assert (taken[~there] == -1).all()
    shown = here.shown["illness"] if here.shown else None
    assert shown is not None
    assert (shown[taken] == here.true_label("illness"))[there].all()


def test_rank_correlation_of_attributable_people() -> None:
    names = [f"i{v}" for v in range(60)]
    people = pl.DataFrame(
        {"area": [f"{1 + i % 3}{1 + i % 5}" for i in range(60)], "illness": names}
    )
    kept = found(scene(people, generalized(people)))
    assert kept.figures["attributable"] == 60
    assert kept.figures["rank_correlation"] == pytest.approx(1.0)
    assert kept.figures["overall_rank_correlation"] == pytest.approx(1.0)
    turned = found(scene(people, generalized(people).reverse()))
    assert turned.figures["rank_correlation"] == pytest.approx(-1.0)
    mixed = found(scene(people, generalized(people).sample(fraction=1, shuffle=True, seed=1)))
    assert abs(float(mixed.figures["rank_correlation"] or 0)) < 0.5
    by_area = generalized(people).sort("area", maintain_order=True)
    inside = found(scene(people, by_area))
    assert inside.figures["rank_correlation"] == pytest.approx(1.0)
    assert float(inside.figures["overall_rank_correlation"] or 0) < 0.7


def test_skipped() -> None:
    people = invented(7, 10)
    assert isinstance(run(scene(people, generalized(people).head(0)), "illness"), Skipped)


def test_same_again() -> None:
    people = invented(8, 80)
    release = generalized(people).sample(fraction=1, shuffle=True, seed=2)
    assert found(scene(people, release)).to_dict() == found(scene(people, release)).to_dict()


def spearman(one: list[int], other: list[int]) -> float:
    ranks = [np.argsort(np.argsort(part)) for part in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=20, unique=True), st.randoms())
def test_rank_correlation_of_one_group(values: list[int], random: object) -> None:
    other = sorted(values)
    random.shuffle(other)  # type: ignore[attr-defined]
    ours = rank_correlation(np.array(values), np.array(other), np.zeros(len(values), np.int32))
    assert ours == pytest.approx(spearman(values, other))


def fits(cell: str, value: str) -> bool:
    return value[0] == cell[0] if cell.endswith("*") else value in cell.strip("{}").split(", ")


CELLS = st.sampled_from(["11", "12", "21", "1*", "2*", "*", "{11, 21}"])


@settings(max_examples=60)
@given(
    people=st.lists(
        st.tuples(st.sampled_from(["11", "12", "21"]), st.sampled_from("ab")),
        min_size=1,
        max_size=8,
    ),
    release=st.lists(st.tuples(CELLS, st.sampled_from("ab")), min_size=1, max_size=8),
)
def test_rows_are_taken_as_said(
    people: list[tuple[str, str]], release: list[tuple[str, str]]
) -> None:
    columns = ["area", "illness"]
    here = scene(
        pl.DataFrame(people, columns, orient="row"), pl.DataFrame(release, columns, orient="row")
    )
    fitted = {v for v in AREAS.leaves for cell, _ in release if cell != "*" and fits(cell, v)}
    covers = {
        cell: {v for v in AREAS.leaves if (v not in fitted if cell == "*" else fits(cell, v))}
        for cell, _ in release
    }
    assume(here.places.suppressed <= (~here.places.in_class).sum())
    unused = list(range(len(release)))
    expected = []
    for area, _ in people:
        fitting = [row for row in unused if area in covers[release[row][0]]]
        expected.append(fitting[0] if fitting else -1)
        if fitting:
            unused.remove(fitting[0])
    assert take_in_order(here.places, np.arange(len(release))).tolist() == expected

    pairs = set()
    for row, (cell, value) in enumerate(release):
        if release.count((cell, value)) > 1:
            continue
        able = [p for p, (area, own) in enumerate(people) if area in covers[cell] and own == value]
        if len(able) == 1:
            pairs.add((able[0], row))
    got = attributable(here, "illness")
    assert set(zip(*(part.tolist() for part in got), strict=True)) == pairs


def test_rows_that_fit_by_chance_are_counted_as_shuffles_would() -> None:
    people = invented(9, 40)
    here = scene(people, generalized(people).filter(pl.col("area") != "2*"))
    fitting = here.people.filter(pl.Series(here.found))["area"].str.slice(0, 1)
    shown, random = here.places.rows["area"].str.slice(0, 1), np.random.default_rng(1)
    drawn = [
        (shown.gather(random.permutation(len(shown))) == fitting[: len(shown)]).mean()
        for _ in range(400)
    ]
    assert found(here).figures["aligned_by_chance"] == pytest.approx(np.mean(drawn), abs=0.02)


@pytest.mark.parametrize("how", ["up", "down", "backward", "apart"])
def test_a_column_by_which_the_source_is_sorted_gives_its_order_back(how: str) -> None:
    """A shuffle hides no order that a published cost has; one by chance has none."""
    random = np.random.default_rng(3)
    rows = {
        "age": random.integers(20, 60, 60),
        "cost": [100 * at for at in random.permutation(60)],
        "ill": random.choice([*"abcdefgh"], 60),
    }
    table = pl.DataFrame(rows)
    if how in ("up", "down"):
        table = table.sort("cost", descending=how == "down")
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 20}},
            "cost": {"role": "insensitive"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"seed": 3},
        "output": {"shuffle": how != "backward"},
    }
    release = ind.anonymize(table, keys)
    shown = release.tables.reverse() if how == "backward" else release.tables
    told = ind.attack(table, shown, keys, only=["order"])["order"]
    assert told.success["certain"] == (how != "apart")
    by_cost = how in ("up", "down")
    assert ("Sorting by 'cost' gives it back." in told.note) == by_cost
    if how == "apart":
        assert told.remedy is None
        return
    assert told.remedy is not None
    wanted = (
        {"attributes": {"cost": {"role": "identifier"}}}
        if by_cost
        else {"output": {"shuffle": True}}
    )
    assert told.remedy.policy == wanted
