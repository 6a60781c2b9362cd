"""The canonical text of a cell: what a value is called, in every engine.

Hierarchies, policies and published files speak of values as text, so equal values must have equal
texts in every engine. Strings stay as they are, and an empty one is missing; whole numbers are
written in decimal, also when they are stored as floats (39.0 is ``39``); other floats by their
shortest exact form; booleans as ``true`` and ``false``; dates as ``2024-01-31``; times of day after
a ``T``, left out where every value of the column is a midnight. NaN and null are missing.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, Problems, refuse
from indistinct.types import Codes, Ints

NUMBER = r"^-?(0|[1-9][0-9]{0,14})(\.(0|[0-9]*[1-9]))?$"
"""A number as programs write it: no zeros before it, and after its fraction none or one."""

WHOLE = ".0"

COMMA_NUMBER = r"^([<>≤≥]=? ?)?[+-]?([0-9]{1,15}|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?$"
"""A number whose decimal mark is a comma, and whose thousands may be set apart by points."""

Tokens = Mapping[str, Sequence[str]]
"""Texts that stand for a missing value, by column."""


def kind_of(values: pl.Series) -> str:
    """The kind of a column: text, integer, float, boolean, date, datetime or other."""
    dtype = values.dtype
    if dtype == pl.Datetime and only_midnights(values):
        return "date"
    return kind_of_type(dtype)


def kind_of_type(dtype: pl.DataType) -> str:
    """The kind of a column as far as its type tells it, without a look at its values."""
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    if dtype.is_integer():
        return "integer"
    if dtype.is_float() or dtype.is_decimal():
        return "float"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype == pl.Date:
        return "date"
    if dtype == pl.Datetime:
        return "datetime"
    return "other"


MOST_DAYS = 94_000_000
"""Dates are so many days from 1970 at most: what is further away has no text."""

_IN_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000}


def too_far(values: pl.Series) -> bool:
    """Whether some date or moment of a column has no text."""
    kind, unit = values.dtype, getattr(values.dtype, "time_unit", None)
    if kind not in (pl.Date, pl.Datetime) or unit == "ns":
        return False
    most = MOST_DAYS * _IN_A_DAY.get(str(unit), 1)
    return not values.to_physical().cast(pl.Int64).is_between(-most, most).all()


def only_midnights(values: pl.Series) -> bool:
    """Whether no value of a datetime column has a time of day."""
    return bool((values.dt.truncate("1d") == values).all())


def canonical(frame: pl.DataFrame, tokens: Tokens | None = None) -> pl.DataFrame:
    """Every cell of the frame as its canonical text, missing ones as null.

    Raises:
        DataError: For columns of a type that has no text, such as lists; all of them at once.
    """
    problems = Problems()
    columns: list[pl.Series] = []
    for values in frame.get_columns():
        try:
            columns.append(_text(values, (tokens or {}).get(values.name, ())))
        except pl.exceptions.PolarsError:
            problems.add(
                "unsupported-type",
                f"values of type {values.dtype} have no text",
                attribute=values.name,
                remedy="turn the column into text, numbers or dates first",
            )
    refuse(DataError, problems)
    return pl.DataFrame(columns)


def with_whole_numbers(frame: pl.DataFrame, *, each: bool = False) -> pl.DataFrame:
    """The same texts, with whole numbers written as such, ``24.0`` as ``24``, as stored ones are.

    In columns whose cells are numbers as programs write them, or have no digit (``NA``). One other
    text, such as the code ``250.00``, leaves its column as it is.

    Arguments:
        frame: texts; columns of other types are left as they are.
        each: take every number by itself, whatever else is in its column.

    >>> with_whole_numbers(pl.DataFrame({"age": ["24.0", "NA"], "code": ["1.0", "1.00"]})).rows()
    [('24', '1.0'), ('NA', '1.00')]
    """
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    if not texts:
        return frame
    found = frame.select(pl.col(texts).str.ends_with(WHOLE).any())
    texts = [values.name for values in found.get_columns() if values.item()]
    for name in texts:
        values = frame[name]
        numbers = values.str.contains(NUMBER)
        if each or not (values.str.contains(r"[0-9]") & ~numbers).any():
            plain = values.str.strip_suffix(WHOLE)
            frame = frame.with_columns(
                pl.when(~numbers)
                .then(pl.col(name))
                .when(plain == "-0")
                .then(pl.lit("0"))
                .otherwise(plain)
                .alias(name)
            )
    return frame


def with_decimal_points(frame: pl.DataFrame) -> pl.DataFrame:
    """The same texts, with numbers written with a point where a comma is the decimal mark.

    In columns whose cells are such numbers, some with a comma, or have no digit. One other text,
    such as the date ``1.2.2024``, leaves its column as it is.

    >>> with_decimal_points(pl.DataFrame({"a": ["1.234,5", "k.A."], "b": ["1,5", "1,2,3"]})).rows()
    [('1234.5', '1,5'), ('k.A.', '1,2,3')]
    """
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    for name in texts:
        values = frame[name]
        numbers = values.str.contains(COMMA_NUMBER)
        if (values.str.contains("[0-9]") & ~numbers).any() or not (
            numbers & values.str.contains(",", literal=True)
        ).any():
            continue
        plain = values.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
        frame = frame.with_columns(values.zip_with(~numbers.fill_null(False), plain))
    return frame


def settled(values: pl.Series) -> pl.Series:
    """A column of texts as what all of its cells are texts of: numbers, dates.

    For tables in which one cell of another kind makes texts of a whole column.

    >>> settled(pl.Series(["3", None])).to_list(), settled(pl.Series(["013", "9"])).to_list()
    ([3, None], ['013', '9'])
    """
    if values.dtype != pl.String or values.null_count() == len(values):
        return values
    if values.is_in(["true", "false", None]).all():
        return values == "true"
    numbers = (values.cast(kind, strict=False) for kind in (pl.Int64, pl.Float64))
    moments = (
        values.str.to_date("%Y-%m-%d", strict=False),
        values.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us"),
    )
    for made in (*numbers, *moments):
        if made.null_count() == values.null_count() and _text(made, ()).equals(values):
            return made
    return values


def as_codes(texts: pl.Series) -> pl.Series:
    """The same texts held as numbers of their sorted distinct values: one to four bytes a cell.

    >>> as_codes(pl.Series(["b", None, "a", "b"])).to_physical().to_list()
    [1, None, 0, 1]
    """
    codes = _as_few_codes(texts)
    return texts.cast(pl.Enum(texts.unique().drop_nulls().sort())) if codes is None else codes


def held_as_few_codes(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table of many records with texts held as codes in columns of few different ones.

    >>> held_as_few_codes(pl.DataFrame({"a": ["x"] * 10_001})).dtypes
    [Enum(categories=['x'])]
    """
    if frame.height <= _FEW_RECORDS:  # these are sorted sooner
        return frame
    texts = [values for values in frame.get_columns() if values.dtype == pl.String]
    held = map(_as_few_codes, texts)
    return frame.with_columns(codes for codes in held if codes is not None)


_LOOKED_AT = 1_000
_FEW_VALUES = 10_000


def _as_few_codes(texts: pl.Series) -> pl.Series | None:
    """The same of a column whose different texts are seen in some records; None of others."""
    some = texts.gather_every(max(len(texts) // _LOOKED_AT, 1)).unique().drop_nulls()
    if 2 * len(some) > _LOOKED_AT:
        return None
    codes = texts.cast(pl.Enum(some.sort()), strict=False)
    if codes.null_count() == texts.null_count():
        return codes
    others = texts.filter(codes.is_null()).unique().drop_nulls()
    if len(others) > _FEW_VALUES:
        return None
    return texts.cast(pl.Enum(some.append(others).sort()))


def counted_values(values: pl.Series) -> tuple[pl.Series, Ints]:
    """The different values of a column, missing ones too, and how often each occurs.

    >>> values, often = counted_values(pl.Series([0.5, None, 0.5, -0.0]))
    >>> values.to_list(), often.tolist()
    ([0.0, 0.5, None], [1, 2, 1])
    """
    if not values.dtype.is_float():
        known = _by_place(values, least=_FEW_VALUES) if values.dtype.is_integer() else None
        if known is not None and not values.null_count():  # many: hashed later than counted
            place, low = known
            often = np.bincount(place)
            found = np.flatnonzero(often)
            return pl.Series(values.name, found + low).cast(values.dtype), often[found]
        if _all_differ(values):
            return values, np.ones(len(values), np.int64)
        different, count = values.value_counts(name="\0count").get_columns()
        return different, count.to_numpy().astype(np.int64)
    # Of fractions many differ: they are sorted sooner than hashed.
    numbers = values.drop_nulls().to_numpy() + 0.0  # 0.0 and -0.0 are one number
    found, often = np.unique(numbers, return_counts=True)
    different = pl.Series(values.name, found, values.dtype)
    if missing := values.null_count():
        different, often = different.extend_constant(None, 1), np.append(often, missing)
    return different, often


def _all_differ(values: pl.Series) -> bool:
    """Whether none of many texts occurs twice: their hashes take a tenth of what counting takes."""
    seen = values.head(_LOOKED_AT)
    if values.dtype != pl.String or len(values) == len(seen) or seen.n_unique() < len(seen):
        return False
    hashes = np.sort(values.hash().to_numpy())
    return bool((hashes[1:] != hashes[:-1]).all())


def ranks(column: pl.Series) -> Ints:
    """The rank of every value among those of its column, from 1; 0 where it is missing.

    >>> ranks(pl.Series(["b", None, "a", "b"])).tolist()
    [2, 0, 1, 2]
    """
    if column.dtype == pl.String:  # these are sorted once each, and not record by record
        place = as_codes(column).to_physical().cast(pl.Int64) + 1
    else:
        place = column.rank("dense")
    return place.fill_null(0).to_numpy().astype(np.int64)


_FEW_RECORDS = 10_000


def all_ranks(frame: pl.DataFrame) -> dict[str, Ints]:
    """The :func:`ranks` of every column; of few records in one query, however many columns.

    >>> {name: code.tolist() for name, code in all_ranks(pl.DataFrame({"a": ["y", None]})).items()}
    {'a': [1, 0]}
    """
    if frame.height > _FEW_RECORDS:
        return {column.name: ranks(column) for column in frame}
    rank = pl.all().rank("dense").cast(pl.Int64).fill_null(0)
    return {column.name: column.to_numpy() for column in frame.select(rank)}


Coded = tuple[Codes, tuple[str | None, ...]]
"""The codes of a column, one a record, in few bytes; and the texts that they stand for."""


def coded(frame: pl.DataFrame, tokens: Tokens | None = None) -> dict[str, Coded]:
    """Every column as codes of its canonical texts, which are sorted, missing last.

    Each different value is written as a text once, and not record by record.

    Raises:
        DataError: For columns of a type that has no text.

    >>> coded(pl.DataFrame({"age": [9.0, None, 10.0]}))["age"]
    (array([1, 2, 0], dtype=uint8), ('10', '9', None))
    """
    canonical(frame.clear())
    return {values.name: _coded(values, tokens) for values in frame.get_columns()}


def _coded(values: pl.Series, tokens: Tokens | None) -> Coded:
    different, place, at = _placed(values)
    texts = canonical(different.to_frame(), tokens).to_series()
    order = texts.arg_sort(nulls_last=True)
    texts = texts.gather(order)
    first = texts.ne_missing(texts.shift()).to_numpy().copy()
    first[:1] = True  # also of a missing value
    code = np.zeros(int(at.max(initial=-1)) + 1, np.min_scalar_type(max(len(order) - 1, 0)))
    code[at[order.to_numpy()]] = np.cumsum(first) - 1
    return code[place], tuple(texts.filter(pl.Series(first)).to_list())


def _placed(values: pl.Series) -> tuple[pl.Series, NDArray[Any], Ints]:
    """The different values of a column, a place for each record's, and the place of each value."""
    if values.dtype.is_float():  # sorted sooner than hashed; 0.0 and -0.0 are one, NaN is missing
        found, place = np.unique(values.to_numpy() + 0.0, return_inverse=True)
        different = pl.Series(values.name, found, values.dtype).fill_nan(None)
        return different, place, np.arange(len(found))
    codes = _as_few_codes(values) if values.dtype == pl.String else None
    values = values if codes is None else codes
    known = _by_place(values)
    if known is not None:
        place, low = known
        at = np.flatnonzero(np.bincount(place))
        numbers = pl.Series(values.name, at + low)
        if values.null_count():
            numbers = numbers.scatter(len(at) - 1, None)
        if isinstance(values.dtype, pl.Enum):
            return values.dtype.categories.gather(numbers).alias(values.name), place, at
        return numbers.cast(values.to_physical().dtype).cast(values.dtype), place, at
    numbered = values.unique().to_frame().with_row_index("\0place")
    joined = values.to_frame().join(
        numbered, on=values.name, how="left", nulls_equal=True, maintain_order="left"
    )
    return numbered[values.name], joined["\0place"].to_numpy(), np.arange(len(numbered))


def _by_place(values: pl.Series, least: int = 0) -> tuple[Ints, int] | None:
    """How far each value of a column is from the smallest, and that one; a missing one is last.

    None where they are no whole numbers, days or codes, too far apart to have a place each, or
    nearer than ``least``.
    """
    if not (values.dtype.is_integer() or values.dtype in (pl.Date, pl.Enum)):
        return None
    held = values.to_physical()
    low: Any = held.min()
    high: Any = held.max()
    if low is None or not -(2**62) < low <= high < 2**62:
        return None
    if not least <= high - low <= 2 * len(held):
        return None
    place = held.cast(pl.Int64)
    place = place - low if low else place
    return place.fill_null(high - low + 1).to_numpy(), low


def recoded(codes: pl.Series, labels: pl.Series) -> pl.Series:
    """Texts held as codes with others in their place.

    Arguments:
        codes: texts as :func:`as_codes` holds them.
        labels: what stands for each of their distinct values, null for a missing one.

    >>> recoded(as_codes(pl.Series(["b", "*", "b"])), pl.Series([None, "a"])).to_list()
    ['a', None, 'a']
    """
    kind = pl.Enum(labels.unique().drop_nulls().sort())
    return labels.cast(kind).gather(codes.to_physical().cast(pl.UInt32)).alias(codes.name)


def text_of(value: Any) -> str | None:
    """The canonical text of one Python value, for columns that mix their types.

    >>> [text_of(value) for value in (39.0, 0.25, True, 7, "", None)]
    ['39', '0.25', 'true', '7', None, None]
    """
    if value is None or value == "" or value != value:  # noqa: PLR0124 - NaN is not equal to itself
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(_float_text(pl.Series([value])).item())
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return str(value)


def _text(values: pl.Series, tokens: Sequence[str]) -> pl.Series:
    kind = kind_of_type(values.dtype)
    if values.dtype == pl.Decimal:
        texts = values.cast(pl.String).str.replace(r"(\.\d*?)0+$", "${1}").str.strip_suffix(".")
    elif kind == "float":
        texts = _float_text(values)
    elif kind == "datetime":
        texts = _datetime_text(values)
    elif values.dtype == pl.Duration:
        texts = values.dt.to_string("iso")
    elif values.dtype == pl.Time:
        texts = values.dt.to_string("%H:%M:%S%.f")  # a cast would cut the fraction off
    elif values.dtype == pl.Null:
        texts = values.cast(pl.String)
    elif values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary):
        raise pl.exceptions.InvalidOperationError(str(values.dtype))
    else:
        texts = values if values.dtype == pl.String else values.cast(pl.String)
    missing = [token for token in tokens if token != ""]
    empty = texts.is_in(["", *missing]) if missing else texts == ""
    if empty.any():
        texts = texts.set(empty.fill_null(False), None)
    return texts


def _float_text(values: pl.Series) -> pl.Series:
    exact = values.fill_nan(None)
    texts = exact.cast(pl.String).str.strip_suffix(".0")
    whole = (exact == exact.floor()) & (exact.abs() < 2.0**53)
    frame = pl.DataFrame({"text": texts, "whole": whole, "number": exact})
    return frame.select(
        pl.when("whole")
        .then(pl.col("number").cast(pl.Int64, strict=False).cast(pl.String))
        .otherwise("text")
        .alias(values.name)
    ).to_series()


def _datetime_text(values: pl.Series) -> pl.Series:
    if only_midnights(values):
        return values.dt.strftime("%Y-%m-%d")
    assert isinstance(values.dtype, pl.Datetime)
    zone = "%:z" if values.dtype.time_zone else ""
    return values.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.f{zone}")
