"""Values transformed column by column: what each way keeps, and what it must not show."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.utility.kept import kept
from indistinct.errors import DataError, InputError, PolicyError
from indistinct.release.key_strength import guessed_bits
from indistinct.release.transforms.aggregate import (
    by_name,
    by_thresholds,
    code_ends,
    shared_ends,
)
from indistinct.release.transforms.mask import mask
from indistinct.release.transforms.measured import (
    Least,
    Measured,
    as_measured,
    dominated_sums,
    measured,
)
from indistinct.release.transforms.microaggregate import group_ends, microaggregate
from indistinct.release.transforms.network import Given, Network, drawn, fitted
from indistinct.release.transforms.noise import hidden, noise
from indistinct.release.transforms.noise import told as noise_told
from indistinct.release.transforms.pram import pram
from indistinct.release.transforms.pseudonymize import (
    BITS,
    derived,
    pseudonymize,
    pseudonyms,
    read_key,
)
from indistinct.release.transforms.replace import rare_forms, replace, replacements
from indistinct.release.transforms.round import round_to
from indistinct.release.transforms.shift import offsets, shift
from indistinct.release.transforms.swap import swap
from indistinct.release.transforms.synthesize import Part, synthesize
from indistinct.sources.text import canonical

quickly = settings(max_examples=60)


def held(*values: Any, dtype: Any = None, form: str = "iso") -> Measured:
    column = pl.Series("x", values, dtype=dtype)
    return measured(column, canonical(column.to_frame()).to_series(), form)


def draws(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


whole = st.lists(st.one_of(st.none(), st.integers(-1000, 1000)), min_size=1, max_size=40)
some = whole.filter(lambda values: any(value is not None for value in values))


@pytest.mark.parametrize(
    ("column", "kind", "digits"),
    [
        (pl.Series("x", ["1.50", "-2.25", None, "30.00"]), "number", 2),
        (pl.Series("x", ["1.5", "2", "1e3"]), "number", 1),
        (pl.Series("x", [3, None, -4], dtype=pl.Int16), "number", 0),
        (pl.Series("x", [0.5, None, float("nan"), 2.0]), "number", 1),
        (pl.Series("x", [0.1, 0.2, 1 / 3]), "number", 15),
        (pl.Series("x", ["1.50", "2.00"]).cast(pl.Decimal(10, 2)), "number", 1),
        (pl.Series("x", ["2024-01-31", None]), "date", 0),
        (pl.Series("x", ["2024-01-31T10:20:00"]), "datetime", 0),
        (pl.Series("x", [dt.date(2024, 1, 31), None]), "date", 0),
        (pl.Series("x", [dt.datetime(2024, 1, 31, 10), None]), "datetime", 0),
    ],
)
def test_what_is_measured_comes_back_as_it_was(column: pl.Series, kind: str, digits: int) -> None:
    texts = canonical(column.to_frame()).to_series()
    found = as_measured(column, texts)
    assert found is not None
    assert found.kind == kind
    if digits < 15:
        assert found.digits == digits
    back = found.column(found.present)
    assert back.dtype == column.dtype
    same = canonical(back.to_frame()).to_series().to_list()
    if column.dtype == pl.String and "1e3" in column.to_list():
        assert same == ["1.5", "2", "1000"]
    elif digits == 15:
        assert back.to_list() == pytest.approx(column.to_list(), abs=1e-14)
    else:
        assert same == texts.to_list()


def test_times_of_a_zone_come_back() -> None:
    column = pl.Series("x", [dt.datetime(2024, 7, 1, 12)]).dt.replace_time_zone("Europe/Vienna")
    found = held(*column.to_list(), dtype=column.dtype)
    moved = shift(found, np.array([2]))
    assert moved.dtype == column.dtype
    assert moved.dt.to_string("%d %H").to_list() == ["03 12"]


def test_what_cannot_be_measured_is_told_by_its_rows() -> None:
    with pytest.raises(DataError, match=r"rows? 2: 1 value is neither numbers nor dates"):
        held("1", "x", None, "3")
    with pytest.raises(DataError, match=r"dates in the format '%d\.%m\.%Y'"):
        held("31.1.2024", "secret", form="%d.%m.%Y")
    assert as_measured(pl.Series("x", ["007", "012"]), pl.Series("x", ["007", "012"])) is None
    with pytest.raises(DataError, match="more than 15 digits"):
        held("12345678901234567890")
    with pytest.raises(DataError) as told:
        held("5", "secret")
    assert "secret" not in str(told.value)


@quickly
@given(some, st.sampled_from([1, 2, 5, 10, 250]))
def test_rounding_twice_is_rounding_once(values: list[int | None], base: int) -> None:
    column = held(*values, dtype=pl.Int64)
    once = round_to(column, base)
    assert once.dtype == pl.Int64
    assert round_to(held(*once.to_list(), dtype=pl.Int64), base).equals(once)
    for value, rounded in zip(values, once.to_list(), strict=True):
        assert (value is None) == (rounded is None)
        if value is not None:
            assert rounded % base == 0
            assert 2 * abs(rounded - value) <= base


@pytest.mark.parametrize("base", [2**31, 10**20, 1e308])
def test_a_base_larger_than_every_number_rounds_to_zero(base: float) -> None:
    assert round_to(held(3.14159265358979, -2.7), base).to_list() == [0.0, 0.0]
    assert round_to(held("9.14159265358979", "-1"), base).to_list() == ["0", "0"]
    assert round_to(held(1e-25, 3e-300, 5e-324), base).to_list() == [0.0, 0.0, 0.0]
    with pytest.raises(DataError, match="too fine"):
        round_to(held(0.0), 5e-324)
    assert round_to(held("5e-324"), base).to_list() == ["0"]
    with pytest.raises(DataError, match="more than 15 digits"):
        round_to(held("5.1e-324"), base)


def test_texts_with_all_digits_of_floats_are_computed_with_as_floats() -> None:
    """As R and pandas write a mean or a weight; more digits than a float has are refused."""
    given = ["504.5696202531645", "16090.694444444443", "7", "0.1", None]
    texts, floats = held(*given), held(*[None if one is None else float(one) for one in given])
    assert (texts.steps.tolist(), texts.digits) == (floats.steps.tolist(), floats.digits)
    assert round_to(texts, 0.5).to_list() == ["504.5", "16090.5", "7", "0", None]
    with pytest.raises(DataError, match="more than 15 digits"):
        held("504.569620253164512345")


def test_rounding_keeps_types_and_writes_no_more_than_the_base_has() -> None:
    assert round_to(held("3.14", "2.70", None), 0.5).to_list() == ["3.0", "2.5", None]
    assert round_to(held("3.14", "12.5"), 5).to_list() == ["5", "15"]
    assert round_to(held(3.14, 2.7), "0.1").to_list() == [3.1, 2.7]
    assert round_to(held(1250, 1249), "1000").to_list() == [1000, 1000]
    assert round_to(held(3, 4), 2.0).to_list() == [4, 4]
    assert round_to(held(250, dtype=pl.UInt8), 100).to_list() == [300]
    dates = held(dt.date(2024, 5, 17), None)
    assert round_to(dates, "quarter").to_list() == [dt.date(2024, 4, 1), None]
    assert round_to(held("2024-05-17"), "week").to_list() == ["2024-05-13"]
    assert round_to(held("17.05.2024", form="%d.%m.%Y"), "year").to_list() == ["01.01.2024"]
    moments = held("2024-05-17T10:20:30")
    assert round_to(moments, "month").to_list() == ["2024-05-01T00:00:00"]
    with pytest.raises(DataError, match="dates are not rounded to a number"):
        round_to(dates, 5)
    with pytest.raises(DataError, match="numbers have no month"):
        round_to(held(5), "month")
    with pytest.raises(DataError, match="these are whole numbers"):
        round_to(held(5), 0.5)


@quickly
@given(some, st.sampled_from(["gaussian", "laplace"]), st.booleans())
def test_noise_is_seeded_and_stays_between_named_ends(
    values: list[int | None], distribution: Any, multiplicative: bool
) -> None:
    column = held(*values, dtype=pl.Int64)

    def noised(seed: int) -> pl.Series:
        return noise(
            column, scale=3.0, distribution=distribution, multiplicative=multiplicative,
            random=draws(seed),
        )  # fmt: skip

    found = noised(1)
    assert found.equals(noised(1))
    assert found.is_null().to_list() == [value is None for value in values]
    assert found.dtype == pl.Int64
    held_in = noise(
        column, scale=3.0, distribution=distribution, multiplicative=multiplicative,
        random=draws(1), ends=(-20, 30),
    )  # fmt: skip
    assert held_in.equals(found.clip(-20, 30))


def test_noise_has_the_scale_asked_for() -> None:
    values = np.arange(100_000) % 1000 * 1000.0
    for distribution, spread in (("gaussian", 5.0), ("laplace", 5.0 * 2**0.5)):
        found = noise(
            held(*values), scale=5.0, distribution=cast("Any", distribution),
            multiplicative=False, random=draws(),
        )  # fmt: skip
        away = found.to_numpy() - values
        assert away.std() == pytest.approx(spread, rel=0.02)
        assert abs(away.mean()) < 0.1
        for end in (0, 999_000):
            assert away[values == end].std() == pytest.approx(spread, rel=0.3)
    found = noise(
        held(*values), scale=0.1, distribution="gaussian", multiplicative=True, random=draws()
    )
    middle = (values > 0) & (values < 500_000)
    away = found.to_numpy()[middle] / values[middle] - 1
    assert away.std() == pytest.approx(0.1, rel=0.02)


def test_noise_does_not_tell_the_largest_value() -> None:
    column = held(*([100, 200, 300] * 30), 90_000)
    found = [
        noise(column, scale=50, distribution="gaussian", multiplicative=False, random=draws(seed))
        for seed in range(60)
    ]
    assert sum(made.max() == 90_000 for made in found) <= 3
    told = noise_told(scale=50, distribution="laplace", multiplicative=False, dates=False)
    assert told == (
        "Laplacian noise of scale 50 added: it adds 5000 to the variance, and nothing to the mean"
    )
    told = noise_told(
        scale=0.5, distribution="gaussian", multiplicative=True, dates=False, ends=(0, None)
    )
    assert told == (
        "Gaussian noise of scale 0.5 of the value added: it adds 0.25 times the mean of the "
        "squared values to the variance, leaves 0 as it is; less than 0 published as 0, which "
        "moves the mean away from there and lowers the variance"
    )


@pytest.mark.parametrize("distribution", ["gaussian", "laplace"])
def test_noise_that_rounding_takes_away_is_told_as_what_is_left(distribution: Any) -> None:
    column = held(*([10, 20, 30] * 3000))
    how = {"scale": 0.4, "distribution": distribution, "multiplicative": False}
    moved = noise(column, **how, random=draws(3)).to_numpy() - np.array([10, 20, 30] * 3000)
    said = noise_told(**how, dates=False, step=1.0)
    stay, variance = re.findall(r"leaves (\d+)%.* adds (\S+) to", said)[0]
    assert (moved == 0).mean() == pytest.approx(int(stay) / 100, abs=0.02)
    assert moved.var() == pytest.approx(float(variance), rel=0.1)
    told = noise_told(
        scale=0.1, distribution=distribution, multiplicative=True, dates=False, step=1.0
    )
    assert "and most values below 7." in told


def test_values_that_noise_does_not_hide_are_pointed_out() -> None:
    plain = held(*range(100))
    apart = held(*range(100), 5_000, 5_001)
    many = held(*range(100), *range(5_000, 5_100))
    for column, expected in ((plain, True), (apart, False), (many, True), (held(1, 900), True)):
        assert hidden(column, scale=10, distribution="gaussian", multiplicative=False) == expected
    assert not hidden(apart, scale=0.1, distribution="laplace", multiplicative=True)
    assert hidden(apart, scale=2_000, distribution="laplace", multiplicative=False)


def test_dates_have_ends_as_well() -> None:
    found = noise(
        held(*["2024-01-02", "2024-12-30"] * 50), scale=30, distribution="gaussian",
        multiplicative=False, random=draws(), ends=("2024-01-01", "2024-12-31"),
    )  # fmt: skip
    assert (found.min(), found.max()) == ("2024-01-01", "2024-12-31")
    with pytest.raises(DataError, match="is not a date in the column's format"):
        noise(
            held("2024-01-02"), scale=30, distribution="gaussian", multiplicative=False,
            random=draws(), ends=(5, None),
        )  # fmt: skip
    with pytest.raises(DataError, match="is not a number"):
        noise(
            held(1, 2), scale=30, distribution="gaussian", multiplicative=False, random=draws(),
            ends=("first", None),
        )  # fmt: skip


def test_drawn_numbers_do_not_tell_the_ends_of_the_column() -> None:
    for values in ([*range(500), 90_000], [*([1, 2, 3] * 100), 90_000]):
        column = pl.Series("x", values)
        part = Part(column, canonical(column.to_frame()).to_series(), held(*values))
        found = [synthesize([part], draws(seed))[0][0].max() for seed in range(20)]
        assert max(cast("Any", found)) < 1_000


def test_noise_keeps_decimal_places_and_times_of_day() -> None:
    found = noise(
        held("1.50", "2.25", "9.00"), scale=0.5, distribution="gaussian", multiplicative=False,
        random=draws(),
    )  # fmt: skip
    assert all(len(text.partition(".")[2]) == 2 for text in found.to_list())
    moments = [dt.datetime(2024, 1, day, 8, 30) for day in range(1, 29)]
    found = noise(
        held(*moments), scale=4, distribution="laplace", multiplicative=False, random=draws()
    )
    assert set(found.dt.time().to_list()) == {dt.time(8, 30)}
    assert found.to_list() != moments
    with pytest.raises(DataError, match="dates cannot be multiplied"):
        noise(held(*moments), scale=1, distribution="laplace", multiplicative=True, random=draws())


@quickly
@given(some, st.integers(2, 6), st.sampled_from(["mean", "median"]))
def test_microaggregation_groups_at_least_k(values: list[int | None], k: int, centre: Any) -> None:
    there = [value for value in values if value is not None]
    column = held(*values, dtype=pl.Int64)
    if 0 < len(there) < k:
        with pytest.raises(DataError, match=f"groups of {k} are required"):
            microaggregate(column, Least(k), centre=centre)
        return
    found = microaggregate(column, Least(k), centre=centre)
    assert found.dtype == pl.Int64
    assert found.is_null().to_list() == [value is None for value in values]
    if there:
        assert min(Counter(found.drop_nulls().to_list()).values()) >= k
    if centre == "mean" and there:
        mean = found.mean()
        assert isinstance(mean, float)
        assert abs(mean - sum(there) / len(there)) <= 0.5


@quickly
@given(st.lists(st.integers(0, 60), min_size=2, max_size=11), st.integers(2, 4))
def test_groups_are_the_best_there_are(values: list[int], k: int) -> None:
    ordered = np.sort(np.array(values, np.int64))

    def cost(ends: list[int]) -> float:
        starts = [0, *ends[:-1]]
        return sum(
            float(((part := ordered[a:b]) - part.mean()).__pow__(2).sum())
            for a, b in zip(starts, ends, strict=True)
        )

    def ways(start: int) -> list[list[int]]:
        if start == len(ordered):
            return [[]]
        ends = range(start + k, len(ordered) + 1)
        return [[end, *rest] for end in ends for rest in ways(end)]

    best = min((cost(ends) for ends in ways(0)), default=cost([len(ordered)]))
    ends = group_ends(ordered, k).tolist()
    assert cost(ends) == pytest.approx(best, abs=1e-6)
    assert all(b - a >= k for a, b in pairwise([0, *ends])) or len(ordered) < k


def test_microaggregated_dates_and_texts() -> None:
    days = [dt.date(2024, 1, day) for day in (1, 2, 3, 20, 21)]
    found = microaggregate(held(*days), Least(2), centre="mean")
    assert found.to_list() == [dt.date(2024, 1, 2)] * 3 + [dt.date(2024, 1, 21)] * 2
    texts = microaggregate(held("1.0", "2.5", None, "9.0", "9.4"), Least(2), centre="mean")
    assert texts.to_list() == ["1.8", "1.8", None, "9.2", "9.2"]


@pytest.mark.parametrize(
    ("form", "texts", "mean"),
    [
        ("day-first", ["3.2.1913", "5.2.1913"], "4.2.1913"),
        ("day-first", ["03-02-1913", "05-02-1913"], "04-02-1913"),
        ("month-first", ["2/3/13", "12/30/13"], "7/18/13"),
        ("day-first", ["3.2.1913 7:00", "3.2.1913 9:30"], "3.2.1913 8:15"),
        ("%d.%m.%Y", ["3.2.1913", "5.2.1913"], "4.2.1913"),
        ("%d.%m.%Y", ["03.02.1913", "05.02.1913"], "04.02.1913"),
        ("%d/%m/%Y %H:%M", ["3/2/1913 07:00", "3/2/1913 09:30"], "3/2/1913 08:15"),
    ],
)
def test_dates_are_published_as_they_are_written(form: str, texts: list[str], mean: str) -> None:
    column = measured(pl.Series(texts), pl.Series(texts), form)
    assert microaggregate(column, Least(2), centre="mean").to_list() == [mean] * 2


def test_rows_of_values_that_are_no_dates_of_their_format() -> None:
    texts = pl.Series("born", ["3.2.1913", None, "31.2.1913", "1913-02-03"])
    with pytest.raises(DataError, match="rows 3, 4: 2 values are neither numbers nor dates in the"):
        measured(texts, texts, "day-first")


@quickly
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), min_size=1, max_size=40),
    st.integers(2, 4),
    st.booleans(),
)
def test_the_centre_of_a_group_is_of_k_people(
    rows: list[tuple[int, int]], k: int, by_thresholds_: bool
) -> None:
    owners = np.array([owner for _, owner in rows])
    column, least = held(*(value for value, _ in rows), dtype=pl.Int64), Least(k, owners)

    def made() -> pl.Series:
        if by_thresholds_:
            return by_thresholds(column, [5, 10, 11, 20], "mean", least)
        return microaggregate(column, least, centre="mean")

    if len(set(owners.tolist())) < k:
        with pytest.raises(DataError, match="fewer people have"):
            made()
        return
    if 2 * np.bincount(owners).max() > len(owners):
        with pytest.raises(DataError, match="one person has more than half"):
            made()
        return
    found = made().to_list()
    for centre in set(found):
        of = [owner for owner, own in zip(owners, found, strict=True) if own == centre]
        assert len({*of}) >= k
        assert 2 * max(map(of.count, of)) <= len(of)


def test_a_person_has_at_most_half_of_the_values_behind_a_mean() -> None:
    """90 of 92 values below 50 are of one person."""
    owners = np.array([0] * 90 + [1, 2] + [*range(3, 103)])
    column = held(*([20] * 90 + [30, 40] + [60] * 100), dtype=pl.Int64)
    means = by_thresholds(column, [50], "mean", Least(2, owners)).to_list()
    assert set(means) == {41}
    assert set(by_thresholds(column, [50], "mean", Least(2)).to_list()) == {20, 60}
    assert set(microaggregate(column, Least(2, owners), centre="mean").to_list()) != {20, 35, 60}
    big = held(5, 6, 7, 900)
    means = microaggregate(big, Least(4), centre="mean")
    assert dominated_sums(big, means, None) == 1
    assert dominated_sums(held(5, 6, 7, 9), means, None) == 0
    assert dominated_sums(held("2024-01-01"), pl.Series([1]), None) == 0


def test_one_value_does_not_decide_on_decimal_places() -> None:
    few = ["1.50", "2.50", "3.50", "4.50", "5.50", "6.50", "7.50", "8.50", "9.50", "1.50"]
    for more, places in (([], 2), (["1.12345"], 2), (["1.12345"] * 2, 5)):
        column = held(*few, *more)
        made = [
            noise(column, scale=1.0, distribution="gaussian", multiplicative=False, random=draws()),
            microaggregate(column, Least(3), centre="mean"),
            by_thresholds(column, [5], "mean", Least(3)),
        ]
        for found in made:
            assert max(len(text.partition(".")[2]) for text in found) == places
        if places == 2:
            ends = code_ends(column, bottom=None, top=9).to_list()
            assert ends[:9] == [*few[:8], "9.00"]


columns = st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=1, max_size=40)


@quickly
@given(columns, st.data())
def test_swapping_keeps_every_value_and_every_group(
    values: list[str | None], data: st.DataObject
) -> None:
    share = data.draw(st.sampled_from([0.25, 0.5, 1.0]))
    groups = np.array(
        data.draw(
            st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))
        ), np.int64,
    )  # fmt: skip
    column = pl.Series("x", values, dtype=pl.String)
    there = column.is_not_null().to_numpy()
    found = swap(column, there, share=share, groups=groups, random=draws())
    assert found.is_null().equals(column.is_null())
    for group in range(3):
        own = pl.Series(groups == group)
        assert Counter(found.filter(own)) == Counter(column.filter(own))
    assert found.equals(swap(column, there, share=share, groups=groups, random=draws()))
    moved = (found != column).sum()
    assert moved <= round(share * there.sum())


@quickly
@given(columns, st.data())
def test_pram_draws_what_a_record_of_the_group_has(
    values: list[str | None], data: st.DataObject
) -> None:
    groups = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))), np.int64
    )
    column = pl.Series("x", values, dtype=pl.String)
    there = column.is_not_null().to_numpy()
    found = pram(column, there, keep=0.3, groups=groups, random=draws())
    assert found.is_null().equals(column.is_null())
    for group in range(3):
        own = pl.Series(groups == group)
        assert set(found.filter(own)) <= set(column.filter(own))
    assert found.equals(pram(column, there, keep=0.3, groups=groups, random=draws()))


def test_pram_keeps_values_and_frequencies_as_often_as_it_says() -> None:
    """Of 60,000 records a share of a is off by 0.002 in one of 3, by 0.008 in one of 15,000."""
    column = pl.Series("x", ["a"] * 42_000 + ["b"] * 15_000 + ["c"] * 3_000)
    found = pram(column, np.ones(60_000, bool), keep=0.6, groups=None, random=draws())
    for value, share in (("a", 0.7), ("b", 0.25), ("c", 0.05)):
        assert (found == value).mean() == pytest.approx(share, abs=0.008)
        stays = (found.filter(column == value) == value).mean()
        assert stays == pytest.approx(0.6 + 0.4 * share, abs=0.04)


def test_tables_after_pram_are_corrected_as_the_documents_say() -> None:
    left = pl.Series("x", ["a"] * 30_000 + ["b"] * 20_000)
    right = pl.Series("y", (["u"] * 25_000 + ["v"] * 5_000) + (["u"] * 4_000 + ["v"] * 16_000))
    found = pram(left, np.ones(50_000, bool), keep=0.5, groups=None, random=draws())
    published = float(((found == "a") & (right == "u")).sum())
    expected = float((found == "a").sum()) * float((right == "u").sum()) / 50_000
    assert published == pytest.approx(21_200, rel=0.02)  # half of the way to independence, 17,400
    assert (published - 0.5 * expected) / 0.5 == pytest.approx(25_000, rel=0.03)


def test_swapping_leaves_nobody_with_a_value_that_is_unique() -> None:
    column = pl.Series("x", range(50))
    found = swap(column, np.ones(50, bool), share=1.0, groups=None, random=draws())
    assert not (found == column).any()
    assert found.dtype == column.dtype


@quickly
@given(some, st.sampled_from([0.05, 0.2, 1.0]), st.sampled_from([0.5, 1.0]))
def test_rank_swapping_stays_in_its_window(
    values: list[int | None], window: float, share: float
) -> None:
    distinct = [None if value is None else 3000 * at + value for at, value in enumerate(values)]
    column = pl.Series("x", distinct, dtype=pl.Int64)
    there = column.is_not_null().to_numpy()
    ranked = held(*distinct, dtype=pl.Int64)
    near = (ranked, window)
    found = swap(column, there, share=share, groups=None, random=draws(), near=near)
    assert Counter(found) == Counter(column)
    taken = round(share * there.sum()) if share < 1 else there.sum()
    most = max(int(window * taken), 1)
    if share == 1.0:
        ranks = column.rank("ordinal").to_list()
        after = found.rank("ordinal").to_list()
        assert all(
            abs(one - other) <= most
            for one, other in zip(ranks, after, strict=True)
            if one is not None
        )
        # Of two free neighbours one would have found the other.
        stayed = sorted(
            rank for rank, same in zip(ranks, (found == column).to_list(), strict=True)
            if rank is not None and same
        )  # fmt: skip
        assert all(b - a > most for a, b in pairwise(stayed))


dates = st.dates(dt.date(1901, 1, 1), dt.date(8999, 1, 1))
visits = st.tuples(st.sampled_from(["a", "b", "c", None]), dates, dates)


@quickly
@given(st.lists(visits, min_size=1, max_size=20), st.integers(1, 400))
def test_shifting_keeps_what_lies_between_dates_of_a_person(
    rows: list[tuple[str | None, dt.date, dt.date]], days: int
) -> None:
    people = pl.Series("p", [row[0] for row in rows], dtype=pl.String)
    moved = offsets(people, len(rows), days=days, random=draws())
    assert (np.abs(moved) <= days).all()
    assert (moved != 0).all()
    first = shift(held(*(row[1] for row in rows)), moved).to_list()
    last = shift(held(*(row[2] for row in rows)), moved).to_list()
    for at, one in enumerate(rows):
        assert last[at] - first[at] == one[2] - one[1]
        assert abs((first[at] - one[1]).days) <= days
        for other, two in enumerate(rows):
            if one[0] is not None and one[0] == two[0]:
                assert first[other] - first[at] == two[1] - one[1]
    order = draws(2).permutation(len(rows))
    known = people.is_not_null().to_numpy()[order]
    again = offsets(people[order], len(rows), days=days, random=draws())
    assert (again == moved[order])[known].all()


def test_only_dates_are_shifted() -> None:
    texts = shift(held("31.01.2024", None, form="%d.%m.%Y"), np.array([1, 5]))
    assert texts.to_list() == ["01.02.2024", None]
    with pytest.raises(DataError, match="only dates can be shifted"):
        shift(held(5, 6), np.array([1, 1]))


def test_ends_are_coded() -> None:
    found = code_ends(held(5, None, 40, 99), bottom=18, top=90)
    assert found.to_list() == [18, None, 40, 90]
    assert found.dtype == pl.Int64
    assert code_ends(held("1.50", "3.25"), bottom=2, top=None).to_list() == ["2.00", "3.25"]
    with pytest.raises(DataError, match="more decimal places"):
        code_ends(held(5, 6), bottom=5.5, top=None)
    with pytest.raises(DataError, match="these are dates"):
        code_ends(held("2024-01-01"), bottom=5, top=None)


def test_groups_between_thresholds() -> None:
    column = held(5, 18, None, 39, 40, 70, 80)
    least = Least(2)
    assert by_thresholds(column, [18, 40], "range", least).to_list() == [
        "<40", "<40", None, "<40", ">=40", ">=40", ">=40",
    ]  # fmt: skip
    fixed = by_thresholds(column, [18, 40], "range", least, fixed=True)
    assert fixed.to_list() == ["<18", "[18, 40)", None, "[18, 40)", ">=40", ">=40", ">=40"]
    few = by_thresholds(column, [18, 40], "range", Least(7))
    assert few.to_list() == ["any", "any", None, "any", "any", "any", "any"]
    assert set(by_thresholds(column, [18, 75], "range", Least(3)).drop_nulls()) == {"any"}
    middle = by_thresholds(held(1, 2, 20, 30, 50, 60), [10, 25, 40], "range", least)
    assert middle.to_list() == ["<10", "<10", "[10, 40)", "[10, 40)", ">=40", ">=40"]
    people = Least(2, np.array([1, 1, 2, 3, 4, 4]))
    shared = by_thresholds(held(1, 2, 20, 30, 50, 60), [10, 25, 40], "range", people)
    assert shared.to_list() == ["<25"] * 3 + [">=25"] * 3
    # The mean of a single number would be that number: it goes to the next group.
    means = by_thresholds(column, [18, 40], "mean", least)
    assert means.to_list() == [21, 21, None, 21, 63, 63, 63]
    assert means.dtype == pl.Int64
    medians = by_thresholds(column, [18, 40], "median", least)
    assert medians.to_list() == [18, 18, None, 18, 70, 70, 70]
    assert by_thresholds(column, [18, 80], "mean", least).to_list() == [42, 42, None] + [42] * 4
    with pytest.raises(DataError, match="groups of 7 are required, but there are fewer values: "):
        by_thresholds(column, [18], "mean", Least(7))
    halves = held("1.5", "2.5")
    assert by_thresholds(halves, [2.25], "range", Least(1)).to_list() == ["<2.25", ">=2.25"]


def test_ends_are_shared() -> None:
    column = held(1, 5, 5, 7, 9, 30)
    for k, top, bottom in ((1, 20, 2), (2, 9, 5), (3, 7, 5), (6, 1, 30), (7, 20, 2)):
        assert shared_ends(column, bottom=2, top=20, least=Least(k)) == (bottom, top)
    assert shared_ends(column, bottom=0, top=31, least=Least(3)) == (0, 31)
    assert shared_ends(column, bottom=None, top=9, least=Least(2)) == (None, 9)
    people = Least(2, np.array([1, 2, 3, 4, 5, 5]))
    assert shared_ends(column, bottom=None, top=20, least=people) == (None, 7)
    assert shared_ends(held("1.5", "2.25"), bottom=None, top=2, least=Least(2)) == (None, 1.5)


def test_groups_by_name() -> None:
    texts = pl.Series("x", ["flu", "asthma", None, "gout"])
    groups = {"lung": ["flu", "asthma"]}
    assert by_name(texts, groups, "other").to_list() == ["lung", "lung", None, "other"]
    with pytest.raises(DataError, match="row 4: 1 value is in no group") as told:
        by_name(texts, groups, None)
    assert "gout" not in str(told.value)


def test_replacements_of_a_form_of_their_own_are_counted() -> None:
    codes = [f"V{at:05}" for at in range(20)]
    assert rare_forms(codes, style="auto") == 0
    assert rare_forms([*codes, "V1", "VIP-1"], style="auto") == 2
    names = ["Ann Lee", "Bob Brown", "Cy Young", "Di Fox", "Ed Ericsson", "Flo Ng"]
    assert rare_forms(names, style="auto") == 0
    assert rare_forms([*names, "Anna-Maria von Trapp"], style="auto") == 1
    assert rare_forms(["Anna", "Bob"], style="code") == 2


@quickly
@given(st.sets(st.text("abcXY019- .é", min_size=2, max_size=8), min_size=1, max_size=20))
def test_replacements_keep_the_form_and_are_different(texts: set[str]) -> None:
    for style in ("name", "code"):
        try:
            found = replacements(sorted(texts), style=style, random=draws())
        except DataError:
            continue
        assert set(found) == texts
        assert len(set(found.values())) == len(texts)
        folded = {text.lower() for text in texts}
        assert len(folded) < len(texts) or len({f.lower() for f in found.values()}) == len(texts)
        if style == "code":
            for text, made in found.items():
                assert len(text) == len(made)
                for one, other in zip(text, made, strict=True):
                    assert one.isdigit() == other.isdigit()
                    assert one.isalpha() == other.isalpha()
        assert found == replacements(sorted(texts), style=style, random=draws())


def test_replacements_tell_nothing_of_which_values_there_are() -> None:
    known = [str(code) for code in range(100, 400)]
    random = draws()
    met = Counter(
        made
        for _ in range(60)
        for text, made in replacements(known, style="code", random=random).items()
        if text < "250"
    )
    assert sum(met.values()) == 60 * 150
    assert set(map(len, met)) == {3}
    assert abs(sum(map(met.get, set(known) & set(met))) / (60 * 150) - 300 / 900) < 0.03
    assert len(replacements(["A", "a", "B-07", "b-11"], style="code", random=random)) == 4


def test_names_are_replaced_by_names_and_codes_by_codes() -> None:
    names = pl.Series("x", ["Anna O'Neil", "BOB Smith", None, "Anna O'Neil", "Zoe P. Quinn"])
    made = replace(names, pl.String(), style="auto", random=draws())
    assert made[0] == made[3]
    assert made[2] is None
    assert made.str.count_matches(" ").to_list() == [1, 1, None, 1, 2]
    assert made[1].split()[0].isupper()
    codes = replace(pl.Series("x", ["V-0042", "W-1942"]), pl.String(), style="auto", random=draws())
    assert codes.str.contains(r"^[A-Z]-\d{4}$").all()
    numbers = replace(pl.Series("x", ["104", "977"]), pl.Int32(), style="auto", random=draws())
    assert numbers.dtype == pl.Int64
    assert numbers.is_between(100, 999).all()
    digits = [str(digit) for digit in range(10)]
    made = replace(pl.Series("x", digits), pl.String(), style="code", random=draws())
    assert sorted(made) == digits
    with pytest.raises(DataError, match="too few codes"):
        replace(pl.Series("x", [*digits, "²"]), pl.String(), style="code", random=draws())
    with pytest.raises(DataError, match="too few names"):
        replace(
            pl.Series("x", [*"abcdefghijklmnopqrstuvwxyz", "é"]),
            pl.String(),
            style="name",
            random=draws(),
        )
    with pytest.raises(DataError, match="more than 18 digits"):
        replace(pl.Series("x", ["9" * 19]), pl.UInt64(), style="auto", random=draws())
    with pytest.raises(DataError, match="only texts and whole numbers"):
        replace(pl.Series("x", ["2024-01-01"]), pl.Date(), style="auto", random=draws())


def part(values: Any, dtype: Any = None) -> Part:
    column = pl.Series("x", values, dtype=dtype)
    texts = canonical(column.to_frame()).to_series()
    return Part(column, texts, as_measured(column, texts))


def test_synthetic_columns_have_the_distribution_of_the_source_and_go_together() -> None:
    random = draws(5)
    first = random.normal(50, 10, 4000).round(1)
    second = (first * 2 + random.normal(0, 5, 4000)).round()
    sex = np.where(first + random.normal(0, 5, 4000) > 50, "f", "m")
    missing = [None if at % 10 == 0 else value for at, value in enumerate(second.tolist())]
    found, _ = synthesize([part(first), part(missing), part(sex)], draws())
    again, _ = synthesize([part(first), part(missing), part(sex)], draws())
    assert all(one.equals(other) for one, other in zip(found, again, strict=True))
    assert found[0].dtype == pl.Float64
    assert found[0].mean() == pytest.approx(first.mean(), abs=1)
    assert found[0].std() == pytest.approx(first.std(), rel=0.1)
    assert found[0].min() >= first.min()
    assert found[1].null_count() == pytest.approx(400, abs=80)
    assert set(found[2]) == {"f", "m"}
    both = pl.DataFrame([found[0].alias("a"), found[1].alias("b"), found[2].alias("c")])
    there = both.drop_nulls()
    assert np.corrcoef(there["a"], there["b"])[0, 1] > 0.8
    assert np.corrcoef(there["a"], there["c"] == "f")[0, 1] > 0.4
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=at) for at in range(99)]
    (dates,), _ = synthesize([part(days)], draws())
    assert dates.dtype == pl.Date


@quickly
@given(columns, some)
def test_synthetic_values_of_few_are_values_of_the_source(
    letters: list[str | None], numbers: list[int | None]
) -> None:
    count = min(len(letters), len(numbers))
    parts = [part(letters[:count], pl.String), part(numbers[:count], pl.Int64)]
    (one, other), _ = synthesize(parts, draws())
    assert set(one) <= set(letters[:count])
    assert other.dtype == pl.Int64
    there = [value for value in numbers[:count] if value is not None]
    if there:
        drawn = other.drop_nulls().to_list()
        assert all(min(there) <= value <= max(there) for value in drawn)
    assert synthesize([], draws())[0] == []


def clinic(number: int = 4000) -> dict[str, Any]:
    """Categories of which one settles another, and one that depends on both."""
    random = draws(3)
    diagnosis = random.integers(0, 40, number)
    ward = diagnosis // 5
    outcome = np.where(random.random(number) < 0.8, (ward + diagnosis % 2) % 3, 0)
    stay = ward * 3 + random.gamma(2, 2, number).round()
    return {
        "diagnosis": [f"d{at}" for at in diagnosis],
        "ward": [f"w{at}" for at in ward],
        "outcome": [f"o{at}" for at in outcome],
        "stay": stay,
        "coin": random.choice(["head", "tail"], number),
    }


def test_synthetic_categories_go_together_as_those_of_the_source() -> None:
    source = clinic()
    made, network = synthesize([part(values) for values in source.values()], draws())
    before = pl.DataFrame(source)
    after = pl.DataFrame(dict(zip(source, made, strict=True)))
    # The ward follows from the diagnosis, in every record.
    pairs = set(before.select("diagnosis", "ward").rows())
    assert set(after.select("diagnosis", "ward").rows()) <= pairs
    left = kept(before.cast(pl.String), after.cast(pl.String), source)
    figures = {(pair.one, pair.other): pair for pair in left.pairs}
    assert figures["diagnosis", "ward"].after > 0.99
    assert figures["ward", "outcome"].before > 0.4
    assert all(pair.change < 0.1 for pair in left.pairs)
    assert left.measures["transformed-associations"] < 0.1
    assert left.measures["transformed-distributions"] < 0.05
    assert left.warnings == []
    at = list(source).index("coin")
    assert network.parents[at] == ()
    assert not any(at in own for own in network.parents)


def test_rare_values_of_a_group_are_drawn_for_anybody() -> None:
    """One has Q, nine have R, all in the first of two groups; R's tenth record is one of theirs."""
    group = np.repeat([0, 1], 100)
    values = np.concatenate([np.repeat([0, 1, 2, 3], [1, 9, 30, 60]), np.repeat([2, 3], [60, 40])])
    owners = np.arange(200)
    owners[10] = owners[9]
    values[10] = 1
    one = Network((0,), ((),))
    given = {0: Given([group], 10, owners)}
    found = np.concatenate(
        [drawn(one, [values], draws(at), given)[0].reshape(2, -1) for at in range(200)], axis=1
    )
    share = np.array([np.bincount(own, minlength=4) for own in found]) / found.shape[1]
    # Of Q and R both groups have what the table has, and of the rest each group what it had.
    assert share[:, :2] == pytest.approx(np.array([[0.005, 0.05]] * 2), abs=0.005)
    assert share[0, 2] / share[0, 2:].sum() == pytest.approx(29 / 89, abs=0.02)
    assert share[1, 2] / share[1, 2:].sum() == pytest.approx(0.6, abs=0.02)
    # Where ten have it, the group has it.
    owners = np.arange(200)
    found = drawn(one, [values], draws(), {0: Given([group], 10, owners)})[0]
    assert (found[:100] == 1).any()
    assert not (found[100:] == 1).any()


def test_what_one_of_a_group_has_and_many_of_another_does_not_come_back_to_the_group() -> None:
    """It is drawn again, for anybody: who sees it in the group cannot tell that it was there."""
    group = np.repeat([0, 1], 500)
    values = np.repeat([1, 0, 1, 0], [125, 375, 1, 499])
    one, given = Network((0,), ((),)), {0: Given([group], 10)}
    found = np.concatenate([drawn(one, [values], draws(at), given)[0][500:] for at in range(200)])
    # One of a thousand draws is of that record, and would be for the group half of the time.
    assert (found == 1).sum() == pytest.approx(200 * 0.5 * 0.126, abs=15)


def test_what_is_drawn_alone_loses_what_goes_together() -> None:
    source = clinic()
    made = [synthesize([part(own)], draws(at))[0][0] for at, own in enumerate(source.values())]
    before = pl.DataFrame(source)
    after = pl.DataFrame(dict(zip(source, made, strict=True)))
    left = kept(before.cast(pl.String), after.cast(pl.String), source)
    assert left.measures["transformed-associations"] > 0.9
    assert "'diagnosis' and 'ward' (1.00, now 0.0" in left.warnings[0]


@quickly
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=60))
def test_neighbours_of_the_network_are_pairs_of_the_table(rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(own, np.int64) for own in zip(*rows, strict=True)]
    network = fitted(columns)
    assert sorted(network.order) == [0, 1, 2, 3]
    found = drawn(network, columns, draws())
    for at, own in enumerate(network.parents):
        assert all(network.order.index(one) < network.order.index(at) for one in own)
        together = [at, *own]
        known = set(zip(*(columns[one].tolist() for one in together), strict=True))
        assert set(zip(*(found[one].tolist() for one in together), strict=True)) <= known


def test_a_column_of_names_is_nobodys_parent() -> None:
    names = np.arange(300)
    network = fitted([names, names // 30, names % 2])
    assert not any(0 in own for own in network.parents)
    found = drawn(network, [names, names // 30, names % 2], draws())
    assert len(set(found[0].tolist())) < 250


def test_masks_and_pseudonyms() -> None:
    texts = pl.Series("x", ["ab1234", None, "x"])
    assert mask(texts, keep=2, char="#", end="left").to_list() == ["####34", None, "#"]
    made = pseudonymize(texts, key=b"k" * 16, length=12)
    assert made[1] is None
    assert pseudonyms(texts, key=b"k" * 16, length=12) == {"ab1234": made[0], "x": made[2]}
    with pytest.raises(InputError, match="same pseudonym"):
        pseudonyms(pl.Series("x", [str(at) for at in range(600)]), key=b"k", length=2)


KEY = "8f3a92c1d07be6545a1e0c9b7d3f2846"


def test_every_domain_has_a_key_of_its_own() -> None:
    keys = {derived(KEY.encode(), name) for name in ("a", "b", "")} | {derived(b"other", "a")}
    assert len(keys) == 4
    assert all(len(key) == 32 for key in keys)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "k" * 40,
        "0123456789abcdef" * 2,
        "00112233445566778899aabbccddeeff",
        "0102030405060708090a0b0c0d0e0f10",
        "pass" * 8,
        "8f3a92c1d07be65",
        "qwertyuiopasdfghjklzxcvbnm",
        "1qaz2wsx3edc4rfv5tgb6yhn",
        "Passw0rd!" * 4,
        "deadbeef" * 4,
        "The quick brown fox jumps over the lazy dog.",
        "this is the key of our hospital register",
        "C0rr3ctH0rs3B4tt3ryStapl3",
        "MyHospitalPseudonymKey2024!",
    ],
)
def test_a_key_that_is_easily_guessed(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("VISITS", key)
    with pytest.raises(PolicyError, match="the key for pseudonyms") as caught:
        read_key("visit", env="VISITS", file=None, directory=Path())
    assert caught.value.problems[0].code == "no-key"
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    "written", [bytes.hex, base64.b64encode, base64.urlsafe_b64encode, base64.b85encode, bytes]
)
def test_a_random_key_is_taken_however_it_is_written(written: Callable[[bytes], bytes]) -> None:
    drawn = [hashlib.sha256(b"%d" % number).digest()[:16] for number in range(25)]
    keys = [written(one) for one in drawn]
    bits = [guessed_bits(key.encode() if isinstance(key, str) else key) for key in keys]
    assert min(bits) > BITS


def test_a_key_of_another_owner_can_be_read_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, 4242, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PolicyError, match="it is not yours") as caught:
        read_key("visit", env=None, file="key", directory=tmp_path)
    assert caught.value.problems[0].code == "open-key"


def test_a_key_that_others_can_read(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    path.chmod(0o640)
    with pytest.raises(PolicyError, match="other users can read") as caught:
        read_key("visit", env=None, file="key", directory=tmp_path)
    assert caught.value.problems[0].code == "open-key"
    path.chmod(0o400)
    assert read_key("visit", env=None, file="key", directory=tmp_path) == KEY.encode()


def test_groups_and_pseudonyms_have_no_distribution_of_before() -> None:
    before = pl.DataFrame({"who": ["a", "b", "c"] * 4, "x": ["u", "u", "v"] * 4})
    after = before.with_columns(who=pl.col("who").replace({"a": "1st", "b": "1st", "c": "2nd"}))
    left = kept(before, after, ["who"])
    assert left.moved == {}
    assert list(left.measures) == ["transformed-associations"]
    gone = before.with_columns(who=pl.lit(None, pl.String))
    assert kept(before, gone, ["who"]).moved == {"who": 1.0}
    assert kept(gone, gone, ["who"]).moved == {"who": 0.0}


@pytest.mark.parametrize("far", ["1e-400", "1e400"])
def test_what_is_kept_of_numbers_that_no_float_holds(far: str) -> None:
    table = pl.DataFrame({"x": [far, "3", "4"] * 4, "y": ["a", "b", "c"] * 4})
    assert kept(table, table, ["x"]).moved["x"] == 0.0
    with pytest.raises(DataError, match="more than 15 digits"):
        measured(table["x"], table["x"])
