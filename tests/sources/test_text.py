from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import DataError
from indistinct.sources.text import canonical, coded, counted_values, kind_of, text_of


def texts(values: pl.Series) -> list[str | None]:
    return canonical(values.alias("x").to_frame())["x"].to_list()


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (pl.Series(["a", "", " a ", None]), "text", ["a", None, " a ", None]),
        (pl.Series(["a", ""], dtype=pl.Categorical), "text", ["a", None]),
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), "text", ["a", "b"]),
        (pl.Series([1, -2, None]), "integer", ["1", "-2", None]),
        (pl.Series([1], dtype=pl.UInt64), "integer", ["1"]),
        (pl.Series([39.0, 0.1, -0.0, -2.0]), "float", ["39", "0.1", "0", "-2"]),
        (pl.Series([0.1], dtype=pl.Float32), "float", ["0.1"]),
        (pl.Series([float("nan"), None, 2.0**60]), "float", [None, None, "1.152921504606847e+18"]),
        (pl.Series([float("inf"), -float("inf")]), "float", ["inf", "-inf"]),
        (pl.Series([True, False, None]), "boolean", ["true", "false", None]),
        (pl.Series([dt.date(2024, 1, 31), None]), "date", ["2024-01-31", None]),
        (pl.Series([dt.datetime(2024, 1, 31), None]), "date", ["2024-01-31", None]),
        (pl.Series([dt.datetime(2024, 1, 31, 5)]), "datetime", ["2024-01-31T05:00:00"]),
        (pl.Series([dt.time(5, 30)]), "other", ["05:30:00"]),
        (pl.Series([dt.timedelta(hours=5)]), "other", ["PT5H"]),
        (pl.Series([Decimal("1.50"), Decimal("20.00")]), "float", ["1.5", "20"]),
        (pl.Series([None, None]), "other", [None, None]),
    ],
)
def test_kinds_and_texts(values: pl.Series, kind: str, expected: list[str | None]) -> None:
    assert kind_of(values) == kind
    assert texts(values) == expected


@pytest.mark.parametrize(
    "values",
    [
        pl.Series(["b", "", None, "a", "NA", "b", "é"]),
        pl.Series(["b", "NA", None, "a"], dtype=pl.Enum(["b", "NA", "a", "unused"])),
        pl.Series([0.0, -0.0, float("nan"), None, 1.5, 10.0, 9.0, 1e300]),
        pl.Series([float("nan")]),
        pl.Series([10, 9, None, -1, 10]),
        pl.Series([Decimal("1.50"), None, Decimal("1.50"), Decimal("20.00")]),
        pl.Series([dt.datetime(2024, 1, 31), None, dt.datetime(1999, 1, 1, 5)]),
        pl.Series([True, None, False, True]),
        pl.Series([None, None]),
        pl.Series([], dtype=pl.String),
        pl.Series([-128, 127, None, -128], dtype=pl.Int8),
        pl.Series([2**64 - 1, 2**64 - 2], dtype=pl.UInt64),
        pl.Series([-(2**63), None, 2**63 - 1]),
        pl.Series([dt.date(2024, 1, 31), None, dt.date(2024, 1, 31), dt.date(1969, 1, 1)]),
        pl.Series([None, ""], dtype=pl.String),
        pl.Series([*["b", "a"] * 2000, "NA", "rare", None, *["b"] * 2000]),
        pl.Series([str(number) for number in range(3000)]),
    ],
)
def test_codes_stand_for_the_sorted_texts_of_a_column(values: pl.Series) -> None:
    tokens = {"x": ["NA", "10"]}
    codes, labels = coded(values.alias("x").to_frame(), tokens)["x"]
    expected = canonical(values.alias("x").to_frame(), tokens)["x"].to_list()
    assert [labels[code] for code in codes] == expected
    assert labels == tuple(sorted(set(expected), key=lambda text: (text is None, text or "")))


@pytest.mark.parametrize("least", [-5, 2**62, 2**64 - 30_000])
def test_many_whole_numbers_are_counted_as_few_are(least: int) -> None:
    numbers = pl.Series([*range(least, least + 30_000, 2), *[least + 20_000] * 4], dtype=pl.Int128)
    numbers = numbers.cast(pl.UInt64 if least > 0 else pl.Int64)
    for values in (numbers, numbers.extend_constant(None, 3)):
        different, often = counted_values(values)
        found = dict(zip(different.to_list(), often.tolist(), strict=True))
        assert found == Counter(values.to_list())
        assert different.dtype == values.dtype


@pytest.mark.parametrize("more", [[], [None], [None, None], ["", None], ["7"], ["3000", "3000"]])
def test_texts_that_all_differ_are_counted_as_others_are(more: list[str | None]) -> None:
    values = pl.Series("x", [*map(str, range(3000)), *more])
    different, often = counted_values(values)
    assert dict(zip(different.to_list(), often.tolist(), strict=True)) == Counter(values.to_list())
    assert (different.name, different.dtype, often.dtype) == ("x", pl.String, "int64")


def test_times_keep_their_zone_and_fraction() -> None:
    moment = dt.datetime(2024, 7, 1, 5, 0, 0, 250_000)
    values = pl.Series([moment]).dt.replace_time_zone("Europe/Berlin")
    assert texts(values) == ["2024-07-01T05:00:00.250+02:00"]


def test_tokens_are_missing() -> None:
    frame = pl.DataFrame({"a": ["?", "-", "", None, "x"], "b": [1, 9, 9, 2, None]})
    assert canonical(frame, {"a": ["?", "-"], "b": ["9"]}).rows() == [
        (None, "1"),
        (None, None),
        (None, None),
        (None, "2"),
        ("x", None),
    ]


@pytest.mark.parametrize("made", [canonical, coded])
def test_types_without_text_are_told_together(made: Callable[[pl.DataFrame], object]) -> None:
    with pytest.raises(DataError) as caught:
        made(pl.DataFrame({"a": [[1]], "b": [b"x"], "c": [1]}))
    assert [problem.attribute for problem in caught.value.problems] == ["a", "b"]


@given(st.floats() | st.integers(-(2**53), 2**53).map(float))
def test_floats_have_one_text_that_says_all(value: float) -> None:
    (text,) = texts(pl.Series([value], dtype=pl.Float64))
    assert text == text_of(value)
    if math.isnan(value):
        assert text is None
    else:
        assert text is not None
        assert float(text) == value


def test_python_values() -> None:
    assert text_of(dt.datetime(2024, 1, 31, 5)) == "2024-01-31T05:00:00"
    assert text_of(Decimal("1.5")) == "1.5"
