"""Proximity: numbers that are roughly known, against counting row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.attacks.finding import Finding


def policy(**income: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"intervals": {"width": 10}},
                "min_level": 1,
            },
            "income": {"role": "sensitive", **income},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"seed": 1},
    }


def table(size: int = 60) -> pl.DataFrame:
    """Incomes that follow from the decade of the age, but for the last digits."""
    random = np.random.default_rng(size)
    age = random.integers(20, 60, size)
    income = 10_000 * (age // 10) + random.integers(-90, 90, size)
    some = pl.Series(income).set(pl.Series(random.random(size) < 0.1), None)
    return pl.DataFrame({"age": age, "income": some})


def found_in(
    rows: pl.DataFrame, release: pl.DataFrame, asked: dict[str, Any]
) -> tuple[list[Finding], list[Any]]:
    told = ind.attack(rows, release, asked, only=["proximity"])
    return list(told.attacks), list(told.skipped)


def far(values: pl.Series) -> float:
    low, high = np.quantile(values.drop_nulls().to_numpy(), [0.05, 0.95])
    return float(0.05 * (high - low))


def near(rows: pl.DataFrame, release: pl.DataFrame, scale: float = 0.0) -> list[float]:
    """The belief of everybody, row by row: the share of the class that is near the truth."""
    reach, found = far(rows["income"]), []
    for age, truth in rows.iter_rows():
        own = release.filter(pl.col("age") == f"[{age // 10 * 10}, {age // 10 * 10 + 10})")
        if truth is None or not own.height:
            found.append(0.0)
            continue
        inside = 0.0
        for other in own["income"].drop_nulls().to_list():
            if not scale:
                inside += abs(other - truth) <= reach
                continue
            ends = [(other - truth + sign * reach) / scale for sign in (-1, 1)]
            low, high = (math.erf(end / math.sqrt(2)) / 2 for end in ends)
            inside += high - low
        found.append(inside / own.height)
    return found


def test_incomes_of_a_class_that_are_near_one_another_are_known() -> None:
    rows = table()
    made = ind.anonymize(rows, policy() | {"method": {"algorithm": "optimal", "seed": 1}})
    release = made.tables.with_columns(pl.col("age").cast(pl.String))
    (found,), _ = found_in(rows, made.tables, policy())
    belief = np.array(near(rows, release))
    assert found.success["0.95"] == pytest.approx((belief >= 0.95).mean())
    assert found.success["0.5"] == pytest.approx((belief >= 0.5).mean())
    assert found.success["0.5"] > 0.8
    assert found.prior["0.5"] == 0
    assert found.figures["near"] == pytest.approx(far(rows["income"]))
    assert "roughly" in found.learns


@pytest.mark.parametrize("scale", [20.0, 400.0, 1500.0])
def test_noise_hides_no_more_than_it_moves(scale: float) -> None:
    rows, asked = table(400), policy(transform={"noise": scale})
    made = ind.anonymize(rows, asked)
    (found,), skipped = found_in(rows, made.tables, asked)
    release = made.tables.with_columns(pl.col("age").cast(pl.String))
    belief = np.array(near(rows, release, scale))
    assert not skipped
    assert found.success["0.5"] == pytest.approx((belief >= 0.5).mean(), abs=0.03)
    assert found.success["certain"] == 0
    whole = near(
        rows.with_columns(age=20),
        release.with_columns(age=pl.lit("[20, 30)")),
        scale,
    )
    assert found.gain["mean"] == pytest.approx(belief.mean() - np.mean(whole), abs=0.01)


def test_promises_that_hold_for_values_with_noise_are_warned_of() -> None:
    """Different values, all near: a little noise does not silence the warning."""
    promise = {"model": "distinct-l-diversity", "l": 3, "sensitive": "income"}
    for more in ({}, {"transform": {"noise": 5}}):
        asked = policy(**more)
        asked["promises"].append(promise)
        told = ind.anonymize(table(), asked).warnings
        assert any("all values of the class are near" in text for text in told), more


@pytest.mark.parametrize(
    ("values", "more", "why"),
    [
        (["flu", "gout", "HIV"] * 20, {}, "no numbers or dates"),
        ([1, 2, 3] * 20, {}, "near each other"),
        (list(range(401, 461)), {"type": "category"}, "no numbers or dates"),
    ],
)
def test_what_is_no_number_is_not_looked_at(
    values: list[Any], more: dict[str, Any], why: str
) -> None:
    rows = table().with_columns(income=pl.Series(values))
    found, (skipped,) = found_in(rows, ind.anonymize(rows, policy(**more)).tables, policy(**more))
    assert not found
    assert why in skipped.why


@pytest.mark.parametrize(("most", "share"), [(2, 1.0), (400, 0.0)])
def test_dates_that_were_shifted(most: int, share: float) -> None:
    """Everybody of a decade has one date: it is known if no date was moved far."""
    day = pl.date(2020, 1, 1) + pl.duration(days=pl.col("age") // 10 * 400)
    rows, asked = table().with_columns(income=day), policy(transform={"shift": {"days": most}})
    (found,), _ = found_in(rows, ind.anonymize(rows, asked).tables, asked)
    assert found.success["0.95"] == share
