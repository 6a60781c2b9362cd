"""Tables that are held in memory: Polars, pandas and PyArrow.

Texts, counts and gathers are Polars'; a release of a pandas or PyArrow table takes the columns it
keeps from the original frame, so that their types stay what they were.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from indistinct.errors import DataError, IndistinctError, Problem, refuse
from indistinct.sources.arrow import (
    arrow_errors,
    has_arrow,
    is_text,
    plain_type,
    to_arrow,
    to_pandas,
)
from indistinct.sources.table import (
    NO_TITLES,
    ROWS_FOUND,
    Change,
    column_names,
    count_column,
    refuse_far,
    require_names,
)
from indistinct.sources.text import (
    Coded,
    Tokens,
    as_codes,
    canonical,
    coded,
    counted_values,
    kind_of,
    kind_of_type,
    recoded,
    settled,
    text_of,
    too_far,
)
from indistinct.types import Codes, Frame, Ints, Plain

if TYPE_CHECKING:
    import pandas
    import pyarrow

_ONE_TEXT = ({str}, {bool}, {int}, {datetime.date})  # types whose equal texts are equal values

_UNREADABLE: tuple[type[Exception], ...] = (
    pl.exceptions.PolarsError,
    ValueError,
    TypeError,
    OverflowError,
)

Index: TypeAlias = "NDArray[np.uint32] | Ints"
Made = Mapping[str, pl.Series]


class EagerTable(ABC):
    """What tables in memory have in common: a Polars frame beside the native one."""

    def __init__(self, frame: pl.DataFrame, name: str, tokens: Tokens | None = None) -> None:
        self.name = name
        self.columns = column_names(frame)
        far = [values.name for values in frame.get_columns() if too_far(values)]
        refuse_far(self.columns, far, name)
        self.kinds: Mapping[str, str] = {
            values.name: kind_of(values) for values in frame.get_columns()
        }
        self._frame = frame
        self._tokens = tokens or {}
        self._tallies: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._seen: dict[str, tuple[int, int]] = {}

    held = True
    notes: tuple[str, ...] = ()
    """What the reader noticed about the table, as sentences for the custodian."""

    titles: Mapping[str, str] = NO_TITLES
    """What its file calls some of its columns in words."""

    inferred = False
    """Whether the types of its columns follow from their cells, as in a workbook."""

    @abstractmethod
    def _assemble(self, change: Change, made: Made, index: Index | None) -> Frame:
        """A native frame of the made columns and of those records of the source's own ones.

        In quasi-identifiers, what has one text must not be told apart.
        """

    def height(self) -> int:
        """Number of records."""
        return self._frame.height

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing."""
        # Polars selects from the whole schema, which takes its time where there are many columns.
        chosen = pl.DataFrame([self._frame.get_column(name) for name in columns])
        return canonical(chosen, self._tokens)

    def codes(self, column: str) -> pl.Series:
        """The canonical texts of a column, held as codes."""
        stored = self._frame.get_column(column)
        if not isinstance(stored.dtype, pl.Enum):
            return as_codes(self.text([column]).to_series())
        labels = stored.dtype.categories.alias(column)
        made = canonical(labels.to_frame(), self._tokens)[column]
        return stored if made.equals(labels) and made.is_sorted() else recoded(stored, made)

    def stored(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, held as codes where the table stores codes."""
        coded = [one for one in columns if isinstance(self._frame.get_column(one).dtype, pl.Enum)]
        if not coded:
            return self.text(columns)
        texts = self.text([name for name in columns if name not in coded])
        return pl.DataFrame([self.codes(one) if one in coded else texts[one] for one in columns])

    def coded(self, columns: Sequence[str]) -> tuple[dict[str, Coded], Ints | None]:
        """These columns of all records as codes, in the order of the source."""
        stored = pl.DataFrame([self._frame.get_column(name) for name in columns])
        return coded(stored, self._tokens), None

    def values(self, column: str) -> pl.Series:
        """A column as it is stored, categories as their texts."""
        stored = self._frame[column]
        held = stored.dtype in (pl.Categorical, pl.Enum)
        return stored.cast(pl.String) if held else stored

    @abstractmethod
    def with_columns(self, columns: Mapping[str, pl.Series]) -> EagerTable:
        """The same table with other values in these columns, stored as they were if they fit."""

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        if len(columns) == 1:
            return self._counted(self._frame.get_column(columns[0]))
        return count_distinct(self.stored(columns)).with_columns(cs.enum().cast(pl.String))

    def _counted(self, values: pl.Series) -> pl.DataFrame:
        """The same of one column, each different value of which is written as a text once."""
        canonical(values.clear().to_frame())  # some types have no text, and cannot be counted
        different = count_distinct(values.to_frame())
        count = different.columns[1]
        found = canonical(different.select(values.name), self._tokens).with_columns(
            different[count]
        )
        # Values of one type that differ have different texts, but for those that are missing.
        return add_up(found, count) if found[values.name].null_count() > 1 else found

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""
        held = pl.DataFrame([self._frame.get_column(name) for name in columns])
        few = held if held.height <= size else held.sample(size, seed=0)
        return canonical(few, self._tokens)

    def like_their_names(self) -> pl.DataFrame:
        """All records."""
        return self._frame

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have."""
        counted = []
        unseen = [name for name in columns if name not in self._seen]
        for at, name in enumerate(unseen):
            values = self._frame.get_column(name)
            plain = kind_of_type(values.dtype) not in ("other", "datetime")
            if values.dtype == pl.Enum:
                values = self.codes(name).to_physical()
            elif self._tokens.get(name) or not plain or values.dtype == pl.Categorical:
                values = self.text([name]).to_series()
            there = pl.lit(values).is_not_null()
            if values.dtype == pl.String:
                there &= pl.lit(values) != ""
            elif values.dtype.is_float():
                there &= pl.lit(values).is_not_nan()
            counted.append(there.sum().alias(f"there {at}"))
            counted.append(pl.lit(values).approx_n_unique().alias(f"values {at}"))
        # One query for all columns: each takes its time.
        found = pl.select(counted).row(0) if counted else ()
        self._seen |= zip(unseen, zip(found[::2], found[1::2], strict=True), strict=True)
        return {name: self._seen[name] for name in columns}

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """Records with a value in a column, its values, and the records of those that are rare."""
        known = column, fewer
        if known not in self._tallies:
            self._tallies[known] = tally_of(self._often(column), fewer)
        return self._tallies[known]

    def _often(self, column: str) -> pl.DataFrame:
        """The different values of a column, whatever their texts, and how often each occurs."""
        values = self._frame.get_column(column)
        if not values.dtype.is_float() or self._tokens.get(column):
            return self.distinct([column])
        different, often = count_distinct(values.to_frame()).get_columns()
        return pl.DataFrame([different.fill_nan(None), often])

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        told = [
            pl.Series(values.name, [repr(one) for one in values], dtype=pl.String)
            if values.dtype == pl.Object
            else values
            for values in self._frame.get_columns()
        ]
        digests = np.sort(pl.DataFrame(told).hash_rows().to_numpy())
        return int(np.count_nonzero(digests[1:] != digests[:-1])) + bool(len(digests))

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
        """The canonical texts of all records, in the order of the source."""
        return self.text(columns), None

    def within(
        self, number: str, others: Sequence[str], tokens: Tokens
    ) -> Mapping[str, pl.DataFrame]:
        """How the records that have the same value of a column go together in other columns."""
        return {other: within_of(self.distinct([number, other]), tokens) for other in others}

    def rows_where(self, column: str, values: Sequence[str | None]) -> tuple[int, ...]:
        """Numbers of the first records (from 1, at most eleven) with one of these texts."""
        texts = self.text([column]).to_series()
        found = texts.is_in(pl.Series(values, dtype=pl.String).implode(), nulls_equal=True)
        return tuple((found.arg_true().head(ROWS_FOUND) + 1).to_list())

    def publish(self, change: Change) -> Frame:
        """The release, as a new frame of the kind that went in, with nothing beside its rows."""
        combination_of = self._combination_of(change)
        index = published_rows(change, combination_of, self.height())
        made = replaced_columns(change, combination_of, index)
        return self._assemble(change, made, index)

    def _combination_of(self, change: Change) -> Codes:
        if change.combination_of is not None:
            return change.combination_of
        if not change.keys:
            return np.zeros(self.height(), np.uint32)
        return find_combinations(self.text(change.keys), change)


class PolarsTable(EagerTable):
    """A table held by Polars; a lazy frame is collected and comes back as a lazy frame."""

    def __init__(
        self, frame: pl.DataFrame, name: str, tokens: Tokens | None = None, *, lazy: bool = False
    ) -> None:
        super().__init__(frame, name, tokens)
        self._lazy = lazy

    def with_columns(self, columns: Mapping[str, pl.Series]) -> EagerTable:
        """The same table with other values in these columns."""
        frame = self._frame.with_columns(values.alias(name) for name, values in columns.items())
        made = PolarsTable(frame, self.name, self._tokens, lazy=self._lazy)
        made.inferred = self.inferred
        return made

    def only(self, columns: Sequence[str]) -> PolarsTable:
        """The same table with some of its columns, texts among them held as codes."""
        kept = [name for name in self.columns if name in columns]
        held = pl.DataFrame(
            [
                as_codes(values) if values.dtype == pl.String else values
                for values in map(self._frame.get_column, kept)
            ]
        )
        found = PolarsTable(held, self.name, self._tokens, lazy=self._lazy)
        found.columns = type(self.columns)(kept)
        found.notes, found.titles, found.inferred = self.notes, self.titles, self.inferred
        return found

    def publish(self, change: Change) -> Frame:
        """The release; texts that stay as they are come from their combination, which is nearer."""
        texts = change.combinations
        same = [
            name
            for name in change.keys
            if name not in change.published.columns
            and self._frame.get_column(name).dtype == pl.String
            and not texts[name].null_count()
        ]
        columns = [*change.published.get_columns(), *texts.select(same).get_columns()]
        return super().publish(replace(change, published=pl.DataFrame(columns)))

    def _assemble(self, change: Change, made: Made, index: Index | None) -> Frame:
        own = self._frame.select(name for name in change.columns if name not in made)
        own = own.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))
        own = own.with_columns(with_one_missing(own[name]) for name in _missing_in(change, own))
        if index is not None:
            own = own.select(pl.all().gather(pl.Series(index)))
        own = pl.DataFrame(
            [
                unsigned_zeros(values) if values.name in change.keys else own_buffers(values)
                for values in own.get_columns()
            ]
        )
        release = pl.DataFrame([made[n] if n in made else own[n] for n in change.columns])
        if self.inferred:
            release = pl.DataFrame(map(settled, release.get_columns()))
        return release.lazy() if self._lazy else release


class ArrowTable(EagerTable):
    """A table held by PyArrow."""

    def __init__(self, table: Frame, name: str, tokens: Tokens | None = None) -> None:
        super().__init__(from_arrow(table, name), name, tokens)
        self._native = table

    def with_columns(self, columns: Mapping[str, pl.Series]) -> EagerTable:
        """The same table with other values in these columns, stored as they were if they fit."""
        import pyarrow as pa

        table = self._native
        for name, values in columns.items():
            kind = table.column(name).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            made = pa.chunked_array([values.to_arrow()])
            with contextlib.suppress(pa.ArrowException):
                made = made.cast(kind)
            if is_text(made.type) and not is_text(kind):
                made = made.cast(pa.string())
            table = table.set_column(self.columns.index(name), name, made)
        return ArrowTable(table, self.name, self._tokens)

    def _assemble(self, change: Change, made: Made, index: Index | None) -> Frame:
        import pyarrow as pa
        import pyarrow.compute as pc

        # Taken even where all are taken: a slice would hand its whole source on.
        taken = pa.array(np.arange(self.height()) if index is None else index)
        arrays = []
        for name in change.columns:
            if name in made:
                arrays.append(to_arrow(made[name]))
                continue
            values = self._native.column(name)
            if pa.types.is_dictionary(values.type):
                values = values.cast(values.type.value_type)
            values = values.take(taken)
            floats = values.type in (pa.float32(), pa.float64())
            if name in change.keys and floats:
                values = pc.add(values, pa.scalar(0.0, values.type))
            if name in change.sensitive and (floats or is_text(values.type)):
                gone = pc.is_nan(values) if floats else pc.equal(values, pa.scalar("", values.type))
                values = pc.if_else(gone, pa.scalar(None, values.type), values)
            arrays.append(values)
        return pa.table(arrays, names=list(change.columns))


class CountedTable(PolarsTable):
    """Different rows, and how many records have each: what an engine counted.

    Arguments:
        frame: the rows.
        times: how many records have each.
        name: what messages call the table.
    """

    def __init__(self, frame: pl.DataFrame, times: pl.Series, name: str) -> None:
        super().__init__(frame, name)
        self._times = times.cast(pl.Int64)

    def height(self) -> int:
        """Number of records."""
        return int(self._times.sum())

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count = count_column(columns)
        return add_up(self.text(columns).with_columns(self._times.alias(count)), count)

    def _often(self, column: str) -> pl.DataFrame:
        """The different texts of a column, and how many records have each."""
        return self.distinct([column])

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
        """The canonical texts of these columns, and how many records have each."""
        return self.text(columns), self._times.to_numpy()

    def coded(self, columns: Sequence[str]) -> tuple[dict[str, Coded], Ints | None]:
        """These columns as codes, and how many records have each row."""
        return super().coded(columns)[0], self._times.to_numpy()


class PandasTable(EagerTable):
    """A table held by pandas; its index and attributes are left behind."""

    def __init__(self, frame: Frame, name: str, tokens: Tokens | None = None) -> None:
        super().__init__(from_pandas(frame, name), name, tokens)
        self._native = frame

    def with_columns(self, columns: Mapping[str, pl.Series]) -> EagerTable:
        """The same table with other values in these columns, stored as they were if they fit."""
        import pandas as pd

        arrays: Plain = {}
        for place, name in enumerate(self.columns):
            if name not in columns:
                arrays[name] = self._native.iloc[:, place].array
                continue
            kind = self._native.dtypes.iloc[place]
            made = to_pandas(columns[name])
            if isinstance(kind, np.dtype) and kind.kind == "O":
                made = pd.Series(columns[name].to_list(), dtype=object)
            elif not isinstance(kind, pd.CategoricalDtype):
                with contextlib.suppress(TypeError, ValueError, OverflowError):
                    made = made.astype(kind)
            arrays[name] = made.array
        return PandasTable(pd.DataFrame(arrays), self.name, self._tokens)

    def publish(self, change: Change) -> Frame:
        """The release; objects of one text and several kinds, 39 and "39", come as their text."""
        mixed = [
            name
            for name in change.keys
            if name in change.columns
            and name not in change.published.columns
            and _blurred(self._native.iloc[:, self.columns.index(name)])
        ]
        columns = [*change.published.get_columns(), *change.combinations.select(mixed)]
        release = super().publish(replace(change, published=pl.DataFrame(columns)))
        for name in mixed:
            texts = pl.Series(release[name].to_list(), dtype=pl.String)
            release[name] = to_pandas(settled(texts)).array
        return release

    def _assemble(self, change: Change, made: Made, index: Index | None) -> Frame:
        import pandas as pd

        taken = np.arange(self.height()) if index is None else index
        arrays = {}
        for name in change.columns:
            if name in made:
                arrays[name] = to_pandas(made[name]).array
                continue
            values = self._native.iloc[:, self.columns.index(name)].take(taken)
            if name in change.keys and pd.api.types.is_float_dtype(values.dtype):
                values = values + 0.0  # no -0.0 beside 0.0
            if name in change.sensitive and not pd.api.types.is_numeric_dtype(values.dtype):
                # Of arrays and lists it cannot be asked at once whether they are an empty text.
                gone = np.array([isinstance(one, str) and not one for one in values], np.bool_)
                values = values.mask(gone) if gone.any() else values
            if isinstance(values.dtype, pd.CategoricalDtype):
                values = values.astype(plain_type(values.dtype, bool(values.isna().any())))
            arrays[name] = _without_hidden(values.array)
        return pd.DataFrame(arrays, copy=True)


def count_distinct(texts: pl.DataFrame) -> pl.DataFrame:
    """The distinct rows of a frame of texts, with how often each occurs in ``count``."""
    count = pl.len().cast(pl.Int64).alias(count_column(texts.columns))
    if texts.width == 1:  # Polars takes longer to plan a grouping of few
        different, often = counted_values(texts.to_series())
        return pl.DataFrame([different, pl.Series(count_column(texts.columns), often)])
    return texts.group_by(texts.columns).agg(count) if texts.width else texts.select(count)


def within_of(counted: pl.DataFrame, tokens: Tokens) -> pl.DataFrame:
    """Of the counted pairs of a number and another column: how records of a number go together."""
    number, other, count = counted.columns
    filled = [
        pl.Series(role, counted[name]).replace(dict.fromkeys(tokens.get(name, ())))
        for role, name in (("number", number), ("value", other))
    ]
    there = filled[1].is_not_null()
    times = (counted[count] * there).alias("times")
    # A number has each of its values once: so many of them are there, and so many in all.
    return (
        pl.DataFrame([filled[0], there.cast(pl.Int64).alias("there"), times])
        .lazy()
        .drop_nulls("number")
        .group_by("number")
        .agg(pl.col("times").sum().alias("records"), pl.col("there").sum(), pl.len().alias("all"))
        .select(
            "records",
            (pl.col("there") > 1).alias("several"),
            ((pl.col("there") > 0) & (pl.col("there") < pl.col("all"))).alias("gaps"),
            pl.lit(None, pl.Boolean).alias("runs"),
        )
        .group_by("records", "several", "gaps", "runs")
        .agg(pl.len().cast(pl.Int64).alias("count"))
        .collect()
    )


def tally_of(counted: pl.DataFrame, fewer: int) -> tuple[int, int, int]:
    """Of the counted texts of a column: records with one, texts, records of those that are rare."""
    text, count = counted.columns
    counts = counted.drop_nulls(text)[count]
    return int(counts.sum()), len(counts), int(counts.filter(counts < fewer).sum())


def add_up(counted: pl.DataFrame, count: str) -> pl.DataFrame:
    """The distinct rows of a frame beside its counts, with the sums of their counts last."""
    columns = [name for name in counted.columns if name != count]
    if not columns:
        return counted.select(pl.col(count).sum())
    return counted.group_by(columns).agg(pl.col(count).sum())


def find_combinations(texts: pl.DataFrame, change: Change) -> Codes:
    """The combination of every record of a frame of texts, missing values equal to each other."""
    at = "\0at"
    keys = list(change.keys)
    found = texts.select(keys).join(
        change.combinations.select(keys).with_row_index(at),
        on=keys,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )[at]
    if found.null_count():
        raise IndistinctError("the table holds combinations that the plan does not know")
    return found.to_numpy()


def published_rows(change: Change, combination_of: Codes, height: int) -> Index | None:
    """Indices of the published records in the order of the release; None for all, as they are.

    Arguments:
        change: what is published.
        combination_of: the combination of every record of the source, [n].
        height: how many records the source has, n.
    """
    every = bool(change.keep.all())
    index: Index
    if change.order is not None:
        index = change.order
        if not every:
            index = index[change.keep[combination_of[index]]]
    elif not every:
        index = np.flatnonzero(change.keep[combination_of]).astype(np.uint32)
    elif change.shuffle is not None:
        index = np.arange(height, dtype=np.uint32)
    else:
        return None
    if change.shuffle is not None:
        change.shuffle.shuffle(index)
    return index


def own_buffers(values: pl.Series) -> pl.Series:
    """The same values in memory of their own.

    A gathered text column goes on sharing its source's memory, with the texts of records that are
    left out, in the order of the source; a pickle of it would hold them, even where every text
    that is left is so short that it stands beside its length.
    """
    return values + "" if values.dtype == pl.String else values


def with_one_missing(values: pl.Series) -> pl.Series:
    """The same values, with null for an empty text and for NaN."""
    if values.dtype.is_float():
        return values.fill_nan(None)
    return values.set(values == "", None) if values.dtype == pl.String else values


def _missing_in(change: Change, own: pl.DataFrame) -> list[str]:
    """The columns of a frame in which all that is missing is published as one."""
    return [name for name in change.sensitive if name in own.columns and name not in change.keys]


def unsigned_zeros(values: pl.Series) -> pl.Series:
    """The same values in memory of their own, and 0.0 for -0.0, which has the same text."""
    return values.set(values == 0.0, 0.0) if values.dtype.is_float() else own_buffers(values)


def replaced_columns(
    change: Change, combination_of: Codes, index: Index | None
) -> dict[str, pl.Series]:
    """The columns of the release that are not the source's own, in the order of the release.

    Arguments:
        change: what is published.
        combination_of: the combination of every record of the source, [n].
        index: the published records, in the order of the release; None for all, as they are.
    """
    kept = pl.Series(change.keep)
    labels = [
        own_buffers(change.published[name].cast(pl.String).set(~kept, None))
        for name in change.columns
        if name in change.published
    ]
    taken = combination_of if index is None else combination_of[index]
    made = pl.DataFrame(labels).select(pl.all().gather(pl.Series(taken))).get_columns()
    made += [
        values.alias(name) if index is None else values.alias(name).gather(pl.Series(index))
        for name, values in change.replace.items()
        if name in change.columns
    ]
    return {values.name: values for values in made}


def from_arrow(frame: Frame, table: str) -> pl.DataFrame:
    """A PyArrow table as a Polars frame.

    Raises:
        DataError: For columns without names of their own, or of types that Polars does not have.
    """
    require_names(frame.column_names, table)
    columns, problems = [], []
    for name, values in zip(frame.column_names, frame.columns, strict=True):
        try:
            columns.append(_from_arrow(name, values))
        except (*arrow_errors(), *_UNREADABLE):
            problems.append(_unsupported(name, table))
    refuse(DataError, problems)
    return pl.DataFrame(columns)


def _from_arrow(name: str, values: pyarrow.ChunkedArray) -> pl.Series:
    import pyarrow as pa

    if isinstance(values.type, pa.BaseExtensionType):
        values = values.cast(values.type.storage_type)
    series = pl.from_arrow(values)
    assert isinstance(series, pl.Series)
    return series.alias(name)


def _unsupported(attribute: str, table: str) -> Problem:
    return Problem(
        "unsupported-values",
        "the column holds values that cannot be read",
        file=table,
        attribute=attribute,
        remedy="turn the column into text, numbers or dates first",
    )


def from_pandas(frame: Frame, table: str) -> pl.DataFrame:
    """A pandas frame as a Polars one; values of several types in one column become texts.

    Raises:
        DataError: For columns without names of their own, or with values that have no text.
    """
    names = [str(column) for column in frame.columns]
    require_names(names, table)
    unreadable = (*arrow_errors(), *_UNREADABLE)
    columns, problems = [], []
    for place, name in enumerate(names):
        try:
            columns.append(_from_pandas(name, frame.iloc[:, place]))
        except ModuleNotFoundError:
            raise DataError(
                "missing-extra",
                f"reading values of type {frame.dtypes.iloc[place]} needs another package",
                file=table,
                attribute=name,
                remedy='pip install "indistinct[pandas]"',
            ) from None
        except unreadable:
            problems.append(_unsupported(name, table))
    refuse(DataError, problems)
    return pl.DataFrame(columns)


def _blurred(values: pandas.Series) -> bool:
    """Whether two values of a pandas column may differ and have one text."""
    import pandas as pd

    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.categories
    if not isinstance(values.dtype, np.dtype) or values.dtype.kind != "O":
        return False
    return {type(value) for value in values} not in _ONE_TEXT


def _without_hidden(
    values: pandas.api.extensions.ExtensionArray,
) -> pandas.api.extensions.ExtensionArray:
    """A pandas array without the values that lie under its missing ones."""
    import pandas as pd

    if not isinstance(
        values, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray
    ):
        return values
    missing = values.isna()
    if missing.any():
        values = values.fillna(values.dtype.type(0))
        values[missing] = pd.NA
    return values


def _from_pandas(name: str, values: pandas.Series) -> pl.Series:
    """A pandas column as a Polars one; values of several types in one column become texts."""
    import pandas as pd

    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        texts = _from_pandas(name, pd.Series(kind.categories.to_numpy(), name=name))
        codes = values.cat.codes.to_numpy()
        return texts.gather(pl.Series(codes).replace(-1, None).cast(pl.UInt32))
    if isinstance(kind, pd.PeriodDtype | pd.IntervalDtype):
        return _texts(name, values.astype(object).where(values.notna(), None).to_list())
    if isinstance(kind, np.dtype) and kind.kind == "O":
        return _from_objects(name, values.where(values.notna(), None).to_list())
    if not has_arrow():
        return _without_arrow(name, values)
    column = values.reset_index(drop=True).rename(name).to_frame()
    return pl.from_pandas(column, nan_to_null=True)[name]


def _without_arrow(name: str, values: pandas.Series) -> pl.Series:
    """The same of a column that is plain enough to be read without PyArrow."""
    import pandas as pd

    if isinstance(values.dtype, np.dtype):
        return pl.Series(name, values.to_numpy(), nan_to_null=True)
    plain = pd.StringDtype, pd.DatetimeTZDtype, pd.BooleanDtype
    if not isinstance(values.dtype, plain) and not hasattr(values.dtype, "numpy_dtype"):
        raise ModuleNotFoundError(str(values.dtype))
    return pl.Series(name, values.astype(object).where(values.notna(), None).to_list())


_OF_ONE_TYPE = {
    str,
    bool,
    int,
    float,
    bytes,
    decimal.Decimal,
    datetime.date,
    datetime.timedelta,
}
"""Types of Python whose values are a column of that type, where it has no others."""


def _from_objects(name: str, values: list[object]) -> pl.Series:
    kinds = {type(value) for value in values if value is not None}
    if any(issubclass(kind, list | tuple | dict | set | np.ndarray) for kind in kinds):
        with contextlib.suppress(OverflowError, TypeError, pl.exceptions.PolarsError):
            lists = [one.tolist() if isinstance(one, np.ndarray) else one for one in values]
            made = pl.Series(name, lists)
            if made.dtype.is_nested():
                return made
        return pl.Series(name, values, dtype=pl.Object)
    if len(kinds) == 1 and kinds <= _OF_ONE_TYPE:
        with contextlib.suppress(OverflowError, TypeError, pl.exceptions.PolarsError):
            return pl.Series(name, values)
    return _texts(name, values)


def _texts(name: str, values: list[object]) -> pl.Series:
    return pl.Series(name, [text_of(value) for value in values], dtype=pl.String)
