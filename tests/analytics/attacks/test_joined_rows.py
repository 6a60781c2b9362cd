"""Rows of two releases that are joined, against all pairs of rows written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.attacks import joined_rows

KEYS: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "town": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "weight": {"role": "insensitive"},
        "drug": {"role": "sensitive"},
        "ill": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 2}],
}


def people(seed: int, size: int = 14) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": random.integers(20, 40, size).astype(str),
            "town": random.choice(["Bonn", "Hof"], size),
            "weight": random.choice(["60", "70", None], size),
            "drug": random.choice(["a", "b"], size),
            "ill": random.choice(["flu", "gout", "HIV"], size),
        }
    )


def released(table: pl.DataFrame, *, by_age: bool) -> pl.DataFrame:
    """The table by ten years of age and no town, or by town and no age."""
    decade = pl.format(
        "[{}, {})", pl.col("age").str.head(1) + "0", pl.col("age").str.head(1).cast(int) * 10 + 10
    )
    star = pl.lit("*")
    return table.with_columns(
        age=decade if by_age else star, town=star if by_age else pl.col("town")
    )


def believed(table: pl.DataFrame, releases: list[pl.DataFrame]) -> list[tuple[Fraction, int]]:
    """Of everybody the belief in the own illness, and how many rows of the first are left."""
    own = [
        release(table)
        for release in (lambda t: released(t, by_age=True), lambda t: released(t, by_age=False))
    ]
    found = []
    for at in range(table.height):
        fits = [
            [row for row in one.rows() if row[:2] == mine.row(at)[:2]]
            for one, mine in zip(releases, own, strict=True)
        ]
        numbered = list(enumerate(fits[0]))
        pairs = [(n, one) for (n, one), two in product(numbered, fits[1]) if one[2:] == two[2:]]
        right = sum(one[4] == table.row(at)[4] for _, one in pairs)
        found.append(
            (Fraction(right, len(pairs)) if pairs else Fraction(-1), len({n for n, _ in pairs}))
        )
    return found


@pytest.mark.parametrize("seed", range(6))
def test_belief_is_the_share_of_agreeing_pairs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined_rows, "ROWS_AT_ONCE", 1 + 9 * (seed % 2))
    table = people(seed)
    one = released(table, by_age=True).sample(fraction=1, shuffle=True, seed=seed)
    two = released(table, by_age=False).sample(fraction=1, shuffle=True, seed=seed + 1)
    found = ind.attack(table, one, KEYS, second=two, only=["joined-rows"])
    want = believed(table, [one, two])
    (ill,) = [item for item in found.attacks if item.sensitive == "ill"]
    assert ill.figures["singled_out"] == pytest.approx(np.mean([rows == 1 for _, rows in want]))
    assert ill.figures["rows_left"] == pytest.approx(np.mean([rows for _, rows in want]))
    for bound in (0.5, 0.95):
        share = np.mean([float(belief) >= bound - 1e-9 for belief, _ in want])
        assert ill.success[str(bound)] == pytest.approx(share)
    assert ill.remedy is None or ill.remedy.policy == {
        "attributes": {"weight": {"role": "identifier"}}
    }
    assert ill.success["certain"] == pytest.approx(np.mean([belief == 1 for belief, _ in want]))


def test_more_releases_leave_fewer_rows_and_too_many_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = people(8, 30)
    one, two = (released(table, by_age=which) for which in (True, False))
    three = table.with_columns(town=pl.lit("*"))

    def left(*further: pl.DataFrame) -> Any:
        found = ind.attack(table, one, KEYS, second=list(further), only=["joined-rows"])
        return found.attacks[-1].figures

    assert left(two, three)["rows_left"] < left(two)["rows_left"] < left(two)["rows_in_first"]
    assert left(two, three)["releases"] == 3
    monkeypatch.setattr(joined_rows, "MOST_STEPS", 9)
    (told,) = ind.attack(table, one, KEYS, second=two, only=["joined-rows"]).skipped
    assert "too many rows" in told.why


def test_pseudonyms_under_one_key_join_long_releases() -> None:
    table = pl.concat([people(5, 30).with_columns(who=pl.format("p{}", pl.int_range(30)))] * 2)
    keys = {**KEYS, "source": {"person": "who"}, "attributes": {
        **{name: own for name, own in KEYS["attributes"].items() if name != "weight"},
        "who": {"role": "identifier", "transform": {"pseudonymize": {"key_env": "KEY"}}},
    }}  # fmt: skip
    one, two = (released(table, by_age=which).drop("weight") for which in (True, False))
    found = ind.attack(table.drop("weight"), one, keys, second=two, only=["joined-rows"])
    assert found.attacks[0].figures["joined"] == 1
    assert found.attacks[0].figures["rows_left"] < found.attacks[0].figures["rows_in_first"]
