"""Numbers and dates as whole steps, so that what is computed with them is exact.

A column of numbers with two decimal places is held in hundredths, dates in days, dates with a time
in millionths of a second. However the column was stored, as texts of a file or as the numbers of a
frame, what comes back is stored in the same way.

As many decimal places are published as a tenth of the values have, and never more because of one
value: that of a suppressed record would show there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
import polars as pl

from indistinct.document import many
from indistinct.errors import DataError
from indistinct.frozen import dataclass
from indistinct.hierarchies import decimals
from indistinct.sources.table import ROWS_FOUND
from indistinct.types import Bools, Ints

Kind = Literal["number", "date", "datetime"]

DAY = 86_400_000_000
"""Millionths of a second in a day."""

ISO = "iso"
SHARE_OF_PERSON = 0.5
"""The share of the values of a group that one person may have: the dominance rule for the number of
values, (1, 50 %) (Hundepool and others 2012, "Statistical Disclosure Control", chapter 4)."""

SHARE_OF_SUM = 0.75
"""The share of a sum that one person, or value, has at most where a mean does not tell it: (1, 75
%)-dominance."""

SHOWN_BY = 0.1
"""The share of values that have so many decimal places, for these to be published."""

LARGEST = 2**53
"""Steps up to this size are computed with exactly."""

MOST_DIGITS = 300
"""Decimal places that are computed with: 10 to their number is a number of a computer."""

_CODE = re.compile(r"[+-]?0\d")
"""How texts begin that look like numbers and are codes: their zeros would be lost."""


@dataclass(frozen=True, eq=False)
class Least:
    """How many a group of values needs before their centre is published.

    Arguments:
        k: values, or people where people have many records.
        owners: the number of every record's person, [records]; None where each is another's.
    """

    k: int
    owners: Ints | None = None


@dataclass(frozen=True, eq=False)
class Measured:
    """A column of numbers or dates in whole steps.

    Arguments:
        name: the column.
        kind: what its values are.
        steps: the value of every record, 0 where it is missing.
        there: which values are not missing.
        digits: decimal places of numbers: a step is 10 to the minus ``digits``.
        dtype: how the column is stored.
        form: how texts that are dates are written, by a pattern of ``strftime``.
        places: decimal places that are published of new values: as many as a tenth of the values,
            and two of them, have.
        padded: whether texts show just as many, with zeros at the end: at least as many of them as
            show fewer.
    """

    name: str
    kind: Kind
    steps: Ints
    there: Bools
    digits: int = 0
    dtype: pl.DataType | type[pl.DataType] = pl.String
    form: str = "%Y-%m-%d"
    places: int = 0
    padded: bool = False

    @property
    def present(self) -> Ints:
        """The steps of the values that are not missing."""
        return self.steps[self.there]

    @property
    def days(self) -> Ints:
        """Dates as whole days, [n]."""
        return self.steps // DAY if self.kind == "datetime" else self.steps

    @property
    def times(self) -> Ints:
        """The times of day of dates that are there and have one, in steps."""
        found: Ints = self.present % DAY if self.kind == "datetime" else self.present[:0]
        return found if found.any() else found[:0]

    def in_steps(self, amount: float) -> float:
        """An amount of the column's unit (of days, for dates) as steps."""
        if self.kind == "number":
            return amount * 10.0**self.digits
        return amount * DAY if self.kind == "datetime" else amount

    def limit(self, end: float | str) -> int:
        """An end of the column's range as steps.

        Raises:
            DataError: it is no value of the column's kind, or has more decimal places than it.
        """
        if self.kind != "number":
            text = pl.Series([str(end)])
            found = _parsed(text, self.form, self.kind)
            if found.null_count():
                raise _unfit_limit(self, "is not a date in the column's format")
            return int(found.to_physical()[0])
        number = decimals.parsed(end)
        if number is None:
            raise _unfit_limit(self, "is not a number, unlike the column's other values")
        if number[1] > self.digits and number[0] % 10 ** (number[1] - self.digits):
            raise _unfit_limit(self, "has more decimal places than the column")
        if number[1] > self.digits:
            return int(number[0] // 10 ** (number[1] - self.digits))
        return decimals.at(number, self.digits)

    def near(self, present: Ints) -> Ints:
        """Steps rounded to the decimal places that are published, halves upwards."""
        width = 10 ** (self.digits - self.places)
        found: Ints = (2 * present + width) // (2 * width) * width
        return found

    def column(self, present: Ints, digits: int | None = None) -> pl.Series:
        """The column with other values in place of those that are not missing.

        Arguments:
            present: the new values in steps, in the order of the records.
            digits: their decimal places, where these are others than the column's.
        """
        places = self.digits if digits is None else digits
        steps = self.steps.copy()
        steps[self.there] = present
        made = pl.Series(self.name, steps).set(pl.Series(~self.there), None)
        if self.kind == "number":
            return self._numbers(made, places)
        if self.kind == "date":
            days = made.cast(pl.Int32).cast(pl.Date)
            return days.dt.strftime(self.form) if self.dtype == pl.String else self._stored(days)
        moments = made.cast(pl.Datetime("us"))
        return moments.dt.strftime(self.form) if self.dtype == pl.String else self._stored(moments)

    def _numbers(self, made: pl.Series, places: int) -> pl.Series:
        dtype = self.dtype
        if dtype in (pl.String, pl.Decimal):
            known = made.drop_nulls().unique().to_list()
            least = places if places != self.digits else self.places
            least = least if self.padded and dtype == pl.String else 0
            texts = {step: _padded(step, places, least) for step in known}
            shown = made.replace_strict(texts, default=None, return_dtype=pl.String)
            return shown if dtype == pl.String else shown.cast(dtype)
        if dtype.is_integer():
            narrow = made.cast(dtype, strict=False)
            return made if narrow.null_count() > made.null_count() else narrow
        # NumPy divides; a product with the inverse would not be the nearest number.
        divided = pl.Series(self.name, made.fill_null(0).to_numpy() / 10.0**places)
        return divided.set(pl.Series(~self.there), None).cast(dtype)

    def _stored(self, values: pl.Series) -> pl.Series:
        if isinstance(self.dtype, pl.Datetime) and self.dtype.time_zone is not None:
            zone = self.dtype.time_zone
            values = values.cast(pl.Datetime(self.dtype.time_unit)).dt.replace_time_zone("UTC")
            return values.dt.convert_time_zone(zone)
        return values.cast(self.dtype)


def owned_by_enough(
    column: Measured, starts: Ints, order: Ints, least: Least, *, share: float = SHARE_OF_PERSON
) -> Ints:
    """Where groups of the ordered values begin, those with too few owners put to the next.

    The last one goes to the one before it. Where people have many records, nobody has more than
    ``share`` of the values of a group.

    Arguments:
        column: the values.
        starts: where groups begin, rising, the first at 0, [groups].
        order: places of the values that are there, in their order.
        least: how many a group needs, and whose the records are.
        share: of the values of a group that a person may have.

    Raises:
        DataError: if all of them together are too few, or one person's.
    """
    if not len(order):
        return starts
    owners = order if least.owners is None else least.owners[column.there][order]
    most = 1.0 if least.owners is None else share

    def enough(seen: Counter[int]) -> bool:
        return len(seen) >= least.k and max(seen.values()) <= most * seen.total()

    groups: list[tuple[int, Counter[int]]] = []
    ends = np.append(starts[1:], len(order))
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if not groups or enough(groups[-1][1]):
            groups.append((start, Counter()))
        groups[-1][1].update(owners[start:end].tolist())
    while len(groups) > 1 and not enough(groups[-1][1]):
        _, seen = groups.pop()
        groups[-1][1].update(seen)
    seen = groups[-1][1]
    if not enough(seen):
        raise _too_few(column, least, dominated=len(seen) >= least.k)
    return np.array([start for start, _ in groups], np.int64)


def _too_few(column: Measured, least: Least, *, dominated: bool) -> DataError:
    if dominated:
        return DataError(
            "dominated-values",
            "one person has more than half of all values, so that the mean or median of any group "
            "with them is nearly theirs",
            attribute=column.name,
            remedy="leave the column out, or take fewer records of every person",
        )
    few = "fewer people have values" if least.owners is not None else "there are fewer values"
    return DataError(
        "too-few-values",
        f"groups of {least.k} are required, but {few}: what is published "
        "would tell a single value, or nearly",
        attribute=column.name,
        remedy="leave the column out, or allow smaller groups",
    )


def dominated_sums(column: Measured, centres: pl.Series, owners: Ints | None) -> int:
    """Groups of more than two owners in which one has most of what a mean is made of.

    Arguments:
        column: the values.
        centres: what is published of every record.
        owners: whose every record is; None where each is another's.
    """
    if column.kind != "number":
        return 0
    whose = np.arange(len(column.there)) if owners is None else owners
    table = pl.DataFrame(
        {
            "group": centres.filter(pl.Series(column.there)),
            "whose": whose[column.there],
            "value": np.abs(column.present),
        }
    )
    each = table.group_by("group", "whose").agg(pl.col("value").sum())
    found = each.group_by("group").agg(
        pl.len().alias("owners"), pl.col("value").max() > SHARE_OF_SUM * pl.col("value").sum()
    )
    return int((found["value"] & (found["owners"] > 2)).sum())


def measured(values: pl.Series, texts: pl.Series, form: str = ISO) -> Measured:
    """A column as numbers, or else as dates.

    Arguments:
        values: the column as it is stored.
        texts: its canonical texts, null for missing.
        form: how texts that are dates are written: ``"iso"``, ``"day-first"``, ``"month-first"``,
            or a pattern of ``strptime``.

    Raises:
        DataError: some of its values are neither. It names the rows.
    """
    found = as_measured(values, texts, form)
    if found is not None:
        return found
    rows = _wrong_rows(texts, form)
    told = "dates in the format " + f"'{form}'" if form != ISO else "dates such as 2024-01-31"
    raise DataError(
        "not-measured",
        f"{many(len(rows), 'value is')} neither numbers nor {told}, and cannot be computed with",
        attribute=texts.name,
        rows=tuple(rows[:ROWS_FOUND]),
        remedy="name missing values in missing.tokens, give the transformation the format of "
        'dates (format = "day-first"), or choose another transformation',
    )


def as_measured(values: pl.Series, texts: pl.Series, form: str = ISO) -> Measured | None:
    """A column as numbers, or else as dates; None where it is neither.

    Arguments:
        values: the column as it is stored.
        texts: its cells as texts, null for missing.
        form: how texts that are dates are written: ``"iso"``, or a pattern of ``strptime``.
    """
    there = texts.is_not_null().to_numpy()
    dtype = values.dtype
    if dtype == pl.Date:
        return _temporal(values, there, "date")
    if isinstance(dtype, pl.Datetime):
        return _temporal(values, there, "datetime")
    if dtype.is_integer():
        steps = values.cast(pl.Int64, strict=False).set(pl.Series(~there), None)
        if (steps.null_count() == texts.null_count()) and _exact(steps):
            return Measured(
                texts.name, "number", steps.fill_null(0).to_numpy().copy(), there, dtype=dtype
            )
    if dtype.is_numeric() or dtype in (pl.String, pl.Categorical, pl.Enum):
        kept = dtype if dtype.is_numeric() else pl.String()
        number = None if form != ISO else _numbers(texts, there, kept)
        return number or (None if dtype.is_numeric() else _dates(texts, there, form))
    return None


def _unfit_limit(column: Measured, why: str) -> DataError:
    return DataError(
        "unfit-limit",
        f"an end of the range, bottom or top, {why}",
        attribute=column.name,
        remedy="name one that could be a value of the column",
    )


def _exact(steps: pl.Series) -> bool:
    """Whether no number is larger than what is computed with exactly."""
    return bool((steps.abs() <= LARGEST).all())


def _temporal(values: pl.Series, there: Bools, kind: Kind) -> Measured:
    held = values
    if kind == "datetime":
        held = values.cast(pl.Datetime("us", getattr(values.dtype, "time_zone", None)))
    steps = held.to_physical().cast(pl.Int64).set(pl.Series(~there), None).fill_null(0)
    return Measured(values.name, kind, steps.to_numpy().copy(), there, dtype=values.dtype)


def _numbers(texts: pl.Series, there: Bools, dtype: pl.DataType) -> Measured | None:
    distinct, times = texts.drop_nulls().value_counts(name="\0count").get_columns()
    known = distinct.to_list()
    if dtype == pl.String and any(_CODE.match(text) for text in known):
        return None
    numbers = [decimals.parsed(text) for text in known]
    parsed = [number for number in numbers if number is not None]
    if len(parsed) < len(numbers):
        return None
    digits = decimals.places(parsed)
    largest = max((Fraction(abs(number), 10**scale) for number, scale in parsed), default=0)
    if dtype.is_float() or (dtype == pl.String and all(map(_is_float, known))):
        digits = min(digits, MOST_DIGITS)
        while digits and largest * 10**digits > LARGEST:
            digits -= 1
    if largest * 10**digits > LARGEST or digits > MOST_DIGITS:
        raise DataError(
            "too-large",
            "numbers of more than 15 digits cannot be computed with exactly",
            attribute=texts.name,
            remedy="round them before; if they are codes, choose a transformation that does not "
            "compute",
        )
    steps = [_step(number, digits) for number in parsed]
    counts, total = times.to_numpy(), int(times.sum())
    scale = np.array([own for _, own in parsed], np.int64)
    enough = max(SHOWN_BY * total, min(total, 2))
    places = max((d for d in range(1, digits + 1) if counts[scale >= d].sum() >= enough), default=0)
    shown = np.array([len(text.partition(".")[2]) for text in known], np.int64)
    zeros = (shown == places) & np.array([text.endswith("0") for text in known], np.bool_)
    found = texts.replace_strict(
        distinct, pl.Series(steps, dtype=pl.Int64), default=None, return_dtype=pl.Int64
    ) if known else pl.Series([0] * len(texts), dtype=pl.Int64)  # fmt: skip
    return Measured(
        texts.name,
        "number",
        found.fill_null(0).to_numpy().copy(),
        there,
        digits=digits,
        dtype=dtype,
        places=places,
        padded=places > 0 and bool(counts[zeros].sum() >= counts[shown < places].sum()),
    )


def _is_float(text: str) -> bool:
    """Whether a number is written with no more digits than a float of a program has.

    >>> _is_float("504.5696202531645"), _is_float("7"), _is_float("504.569620253164512345")
    (True, True, False)
    """
    exact, shortest = decimals.parsed(text), decimals.parsed(repr(float(text)))
    if exact is None or shortest is None:
        return False
    return Fraction(exact[0], 10 ** exact[1]) == Fraction(shortest[0], 10 ** shortest[1])


def _step(number: decimals.Scaled, digits: int) -> int:
    if number[1] <= digits:
        return decimals.at(number, digits)
    # A float that is written with more digits than it holds.
    return round(number[0] / float(10 ** (number[1] - digits)))


def _dates(texts: pl.Series, there: Bools, form: str) -> Measured | None:
    first = texts.drop_nulls().head(1)
    for pattern, kind in _patterns(form):
        if _parsed(first, pattern, kind).null_count():
            continue
        found = _parsed(texts, pattern, kind)
        if found.null_count() == texts.null_count():
            steps = found.to_physical().cast(pl.Int64).fill_null(0).to_numpy().copy()
            return Measured(texts.name, kind, steps, there, form=pattern)
    return None


_NUMERIC = {"day-first": ("%d", "%m"), "month-first": ("%m", "%d")}


def _patterns(form: str) -> Sequence[tuple[str, Kind]]:
    """The ways in which a column of that format may be written, with zeros and without."""
    forms = [form]
    if form == ISO:
        times = [mark + time for time in ("%H:%M:%S", "%H:%M") for mark in "T "]
        forms = ["%Y-%m-%d" + time for time in ("", *times)]
    elif form in _NUMERIC:
        days = [sign.join((*_NUMERIC[form], year)) for sign in "./-" for year in ("%Y", "%y")]
        forms = [day + time for day in days for time in ("", " %H:%M", " %H:%M:%S")]
    if form != ISO:
        forms += [re.sub(f"%(?=[{some}])", "%-", one) for some in ("dm", "dmHI") for one in forms]
    return [(one, "datetime" if re.search("%-?[HIMST]", one) else "date") for one in forms]


def _parsed(texts: pl.Series, pattern: str, kind: Kind) -> pl.Series:
    read: Callable[..., pl.Series]
    read = texts.str.to_date if kind == "date" else texts.str.to_datetime
    found = read(pattern, strict=False)
    if kind == "datetime":
        found = found.cast(pl.Datetime("us"))
    # What would be written otherwise was understood otherwise: 2024-1-5, or half of a text.
    return found.set((found.dt.strftime(pattern) != texts).fill_null(True), None)


def _wrong_rows(texts: pl.Series, form: str) -> list[int]:
    """Rows of values that are no numbers, or that are no dates: the smaller group."""
    known = texts.drop_nulls().unique()
    numbers = [text for text in known if decimals.parsed(text) is None or _CODE.match(text)]
    wrong = [numbers] if form == ISO else []
    for pattern, kind in _patterns(form):
        wrong.append(known.filter(_parsed(known, pattern, kind).is_null()).to_list())
    return _rows_of(texts, min(wrong, key=len))


def _rows_of(texts: pl.Series, values: Sequence[str]) -> list[int]:
    found = texts.is_in(pl.Series(values, dtype=pl.String).implode()).fill_null(False)
    return (found.arg_true() + 1).to_list()


def _padded(step: int, scale: int, least: int) -> str:
    """A number with so many decimal places at least.

    >>> _padded(1050, 2, 2), _padded(-5, 1, 1), _padded(1005, 3, 2), _padded(7, 0, 0)
    ('10.50', '-0.5', '1.005', '7')
    """
    text = decimals.written(step, scale)
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction.ljust(least, '0')}" if least else text
