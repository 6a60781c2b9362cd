"""A private table, in any engine: what the other rooms may ask of it.

The search sees a table only through :meth:`Table.distinct`, counted by the engine that holds the
data; a release is made by :meth:`Table.publish` in that same engine, and comes back as the kind of
frame that went in. Every value is spoken of by its canonical text (see
:mod:`indistinct.sources.text`).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import (
    ROWS_SHOWN,
    DataError,
    Problem,
    Problems,
    UncertainNames,
    did_you_mean,
    refuse,
    running_on,
    shown_names,
)
from indistinct.frozen import dataclass, field
from indistinct.types import Bools, Codes, Frame, Ints

COUNT = "count"
"""Name of the last column of :meth:`Table.distinct`, unless the table has a column of that name."""

_NUMBER = re.compile(r"[+-]?\d[\d.,:/-]*")
_QUANTITY = r"^[\[({<>≤≥]*\s*[+-]?\d"  # a number, a date or a range, as far as its start tells
_LOOKED_AT = 100
_NAMES_FOR_A_NUMBER = 10

NO_TITLES: Mapping[str, str] = MappingProxyType({})
"""Of a table whose columns have names alone."""

ROWS_FOUND = 11
"""How many record numbers :meth:`Table.rows_where` finds: one more than a message shows."""


class Shuffle(Protocol):
    """What draws the order of a release: the methods of that name of NumPy's generators."""

    def permutation(self, x: Any, /) -> Any:
        """The numbers below ``x`` in random order."""

    def shuffle(self, x: Any, /) -> None:
        """Put an array into random order, in place."""

    def integers(self, low: Any, /) -> Any:
        """A whole number from 0 to below ``low``."""


@dataclass(frozen=True)
class Change:
    """What is published instead of what, for every distinct combination of quasi-identifiers."""

    keys: tuple[str, ...]
    """The quasi-identifier columns."""

    combinations: pl.DataFrame
    """The canonical texts of the keys, one row for each distinct combination, null for missing."""

    published: pl.DataFrame
    """What is published for each combination, row for row with ``combinations``; a key without a
    column here keeps its own values and type."""

    keep: Bools
    """Whether the records of a combination are published at all."""

    columns: tuple[str, ...]
    """The columns of the release, in order."""

    replace: Mapping[str, pl.Series] = field(default_factory=dict)
    """Further columns that are replaced record by record, in the order of the source."""

    order: Ints | NDArray[np.uint32] | None = None
    """Record indices of the source, from 0, in the order in which they are published; records of
    a combination that is not kept are passed over. None: the order of the source, or a shuffle."""

    shuffle: Shuffle | None = None
    """Publish the records in an order drawn from this generator."""

    sensitive: Sequence[str] = ()
    """Columns in which an empty text and NaN are published as null, as promises take all that is
    missing for one value."""

    combination_of: Codes | None = None
    """The combination of every row that :meth:`Table.rows` told, where the caller knows it."""

    def __post_init__(self) -> None:
        if self.order is not None and self.shuffle is not None:
            raise ValueError("a release has either a given order or a shuffled one")
        if not self.combinations.height == self.published.height == len(self.keep):
            if self.published.width:
                raise ValueError("combinations, published and keep differ in length")
            if self.combinations.height != len(self.keep):
                raise ValueError("combinations and keep differ in length")
        if twice := set(self.published.columns) & set(self.replace):
            raise ValueError(f"replaced twice: {sorted(twice)}")

    def shown(self, keys: Sequence[str]) -> pl.DataFrame:
        """The texts that combinations are published with in some of the keys."""
        return pl.DataFrame(
            [(self.published if key in self.published else self.combinations)[key] for key in keys]
        )


class Table(Protocol):
    """A private table in some engine."""

    name: str
    """What messages call it: a file name, or ``table``."""

    columns: tuple[str, ...]
    """Its columns, in order."""

    notes: tuple[str, ...]
    """What the reader noticed about the table, as sentences for the custodian."""

    titles: Mapping[str, str]
    """What its file calls some of its columns in words."""

    inferred: bool
    """Whether the types of its columns follow from their cells, as in a workbook."""

    kinds: Mapping[str, str]
    """The kind of each column: text, integer, float, boolean, date, datetime or other."""

    held: bool
    """Whether its records are in memory."""

    def height(self) -> int:
        """Number of records."""

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing."""

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs.

        The counts are the last column, named ``count`` (:func:`count_column` says how it is named
        where one of the columns has that name already).
        """

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""

    def like_their_names(self) -> pl.DataFrame:
        """The first records, and some that have the name of a column as its value, as stored."""

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have.

        The second figure misses by a few per cent, and is never far below the number of canonical
        texts.
        """

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """How many records have a value in a column, how many values they have, and how many of the
        records have one that occurs fewer times than this.
        """

    def different_records(self) -> int:
        """How many records differ, over all columns; two that differ are taken for equal with a
        probability of 2^-64, by their digests.
        """

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
        """The canonical texts of these columns, and how many records each row stands for.

        Of a table in memory these are all records in the order of the source, None for one each;
        of others the distinct combinations, counted by the engine.
        """

    def within(
        self, number: str, others: Sequence[str], tokens: Mapping[str, Sequence[str]]
    ) -> Mapping[str, pl.DataFrame]:
        """How the records that have the same value of a column go together in other columns.

        For each other column: how many values of ``number`` (``count``) have so many ``records``
        with a value there, whether these have ``several`` values, whether other records of the
        number lack one (``gaps``), and whether they are as many as the whole numbers from the least
        to the largest (``runs``; null where they are no numbers, or that is not looked at).

        Arguments:
            number: the column.
            others: the other columns.
            tokens: by column further texts that stand for a missing value.
        """

    def rows_where(self, column: str, values: Sequence[str | None]) -> tuple[int, ...]:
        """Numbers of the first records (from 1, at most eleven) with one of these texts.

        Empty on engines that have no order.
        """

    def publish(self, change: Change) -> Frame:
        """The release, as a new frame of the kind that went in, with nothing beside its rows."""


def count_column(columns: Sequence[str]) -> str:
    """The name of the column of counts beside these columns, also for engines that fold cases.

    >>> count_column(["age"]), count_column(["Count"])
    ('count', 'count_')
    """
    name, taken = COUNT, {column.lower() for column in columns}
    while name in taken:
        name += "_"
    return name


def counted_rows(table: Table, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints]:
    """The distinct combinations of some columns as text, and how many records have each, [C]."""
    counted = table.distinct(columns)
    return counted.select(columns), counted[count_column(columns)].to_numpy().astype(np.int64)


def require_columns(table: Table, columns: Sequence[str]) -> None:
    """Raise :class:`DataError`, naming all of them, unless the table has these columns."""
    known = shown_names(table.columns, columns)
    problems = [
        Problem(
            "missing-column",
            f"no column '{column}': {did_you_mean(column, known)}",
            file=table.name,
        )
        for column in columns
        if column not in table.columns
    ]
    refuse(DataError, problems)


def is_opened(native: Frame) -> bool:
    """Whether it is a table in a server or in files that somebody opened, and no frame."""
    return hasattr(native, "with_tokens")


def is_spark(native: Frame) -> bool:
    """Whether it is a frame of Spark, near or far."""
    near = _is_a(native, "pyspark.sql", "DataFrame")
    return near or type(native).__module__.startswith("pyspark.sql.connect.")


def is_pandas(native: Frame) -> bool:
    """Whether it is a frame of pandas."""
    return _is_a(native, "pandas", "DataFrame")


def is_arrow(native: Frame) -> bool:
    """Whether it is a table of PyArrow."""
    return _is_a(native, "pyarrow", "Table")


def is_duckdb(native: Frame) -> bool:
    """Whether it is a relation of DuckDB."""
    return _is_a(native, "duckdb", "DuckDBPyRelation")


def _is_a(native: Frame, package: str, kind: str) -> bool:
    """Whether it is of a class of a package, which is imported if it is."""
    return isinstance(native, getattr(sys.modules.get(package), kind, ()))


def unwrapped(data: Frame) -> Frame:
    """The frame that Narwhals has wrapped; others as they are."""
    if "narwhals" not in sys.modules:
        return data
    import narwhals as nw

    return nw.to_native(data, pass_through=True)


def is_pattern(column: str) -> bool:
    """Whether Polars takes the name of a column for a pattern of names, and reads others too."""
    return column == "*" or (column.startswith("^") and column.endswith("$"))


def column_names(frame: pl.DataFrame) -> tuple[str, ...]:
    """The names of a frame's columns, uncertain where they may be the cells of a record.

    They are believed where the values of some column are numbers, dates or ranges and its name is
    none; where names are numbers, too, where there are ten such columns for each of them. A name as
    ``6th stage`` over values of which none begins so is no such number. A name that runs on is not
    believed. Above the questions and codes of Qualtrics stand names.

    >>> isinstance(column_names(pl.DataFrame({"P1": ["P2"], "34": ["51"]})), UncertainNames)
    True
    >>> column_names(pl.DataFrame({"person": ["P1"], "age": ["34"]}))
    ('person', 'age')
    """
    names = tuple(frame.columns)
    seen = frame.head(_LOOKED_AT)
    if any(map(holds_codes_of_questions, seen.head(_HEADS).get_columns())):
        return names
    doubtful = sum(_maybe_quantity(seen.to_series(at - 1)) for at in quantities(names))
    asked = max(1, _NAMES_FOR_A_NUMBER * doubtful)
    if doubtful + asked > len(names) or running_on(names):
        return UncertainNames(names)
    for values in seen.get_columns():
        asked -= not _is_quantity(values.name) and _of_quantities(values)
        if not asked:
            return names
    return UncertainNames(names)


_HEADS = 3


def holds_codes_of_questions(cells: pl.Series) -> bool:
    """Whether a cell is the code that Qualtrics writes below each question: {"ImportId":"QID1"}."""
    texts = cells.to_list() if cells.dtype == pl.String else []
    return any(text is not None and text.startswith('{"ImportId":') for text in texts)


def _of_quantities(values: pl.Series) -> bool:
    """Whether all values of a column are numbers, dates or ranges: its name is none in a header."""
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return values.dtype != pl.Null
    cells = [cell for cell in values.to_list() if cell not in (None, "*")]
    return bool(cells) and all(_is_quantity(cell) for cell in cells)


def _maybe_quantity(values: pl.Series) -> bool:
    """Whether a column has numbers, dates or ranges, or nothing: its name may be one of them."""
    if values.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return True
    cells = [cell for cell in values.to_list() if cell not in (None, "*")]
    return not cells or any(map(_is_quantity, cells))


_is_quantity = re.compile(_QUANTITY).match


def quantities(names: Sequence[str]) -> list[int]:
    """Which of some names, from 1, are numbers, dates or ranges, as cells of a record are."""
    return [at for at, name in enumerate(names, start=1) if _is_quantity(name)]


def quantity_values(cells: pl.Series) -> bool:
    """Whether nearly all of some cells are numbers, dates or ranges."""
    return 0 < 0.9 * len(cells) <= int(cells.str.contains(_QUANTITY).sum())


def name_problems(columns: Sequence[str], name: str) -> list[Problem]:
    """What is wrong with the names of a table's columns: none at all, empty ones, repeated ones."""
    if not columns:
        return [Problem("no-columns", "the table has no columns", file=name)]
    problems = Problems()
    repeated = {one for one, times in Counter(columns).items() if times > 1 and one.strip()}
    if repeated:
        at = [place for place, column in enumerate(columns, start=1) if column in repeated]
        no_header = any(_NUMBER.fullmatch(column) for column in columns)
        problems.add(
            "duplicate-columns",
            f"columns {_listed(at)} have the same names",
            file=name,
            remedy="give every column a name of its own, or add the header if it is missing; for a "
            "CSV file without one: header = false under [source], init --no-header"
            if no_header
            else "give every column a name of its own",
        )
    patterns = [at for at, column in enumerate(columns, start=1) if is_pattern(column)]
    if patterns:
        problems.add(
            "pattern-name",
            f"the name of column {_listed(patterns)} is a pattern for names, "
            "such as '*' or '^...$'",
            file=name,
            remedy="give it another name",
        )
    if empty := [at for at, column in enumerate(columns, start=1) if not column.strip()]:
        listed = _listed(empty)
        problems.add(
            "unnamed-column",
            f"the header has no name for column {listed}",
            file=name,
            remedy="if a title stands above the names of the columns, say how many rows do: "
            "skip_rows = 2 under [source], init --skip-rows 2, say"
            if 2 * len(empty) > len(columns)
            else "give every column a name, or delete it",
        )
    return problems


NAMELESS = "\0"
"""What the names of columns begin with that have none in a file, until their cells are seen."""


def until_seen(columns: Sequence[str], name: str) -> list[str]:
    """The names of a file's columns, those without one numbered where they may turn out empty.

    Raises:
        DataError: names are wrong, or no column has one.
    """
    problems = name_problems(columns, name)
    empty = {problem.code for problem in problems} == {"unnamed-column"}
    if problems and not (empty and any(columns)):
        raise DataError(problems)
    return [column or f"{NAMELESS}{at}" for at, column in enumerate(columns)]


def without_nameless(columns: Sequence[str], filled: Collection[str], name: str) -> list[str]:
    """The columns that have a name: a separator at the end of each line makes more of them.

    Arguments:
        columns: the names, as :func:`until_seen` has them.
        filled: those of columns with at least one cell that is not blank.
        name: what messages call the file.

    Raises:
        DataError: a column has cells and no name.
    """
    if any(column.startswith(NAMELESS) for column in filled):
        given = [
            "" if column in filled and column.startswith(NAMELESS) else column for column in columns
        ]
        raise DataError(name_problems(given, name))
    return [column for column in columns if not column.startswith(NAMELESS)]


def _listed(places: Sequence[int]) -> str:
    more = f" and {len(places) - ROWS_SHOWN} more" if len(places) > ROWS_SHOWN else ""
    return ", ".join(map(str, places[:ROWS_SHOWN])) + more


def refuse_far(columns: Sequence[str], far: Collection[str], name: str) -> None:
    """Refuse a table in which some columns have dates that have no text, as none can be read.

    Arguments:
        columns: the names of all columns, in order.
        far: the names of those that have such dates.
        name: what messages call the table.

    Raises:
        DataError: there are some.
    """
    at = [place for place, column in enumerate(columns, start=1) if column in far]
    if at:
        raise DataError(
            "unsupported-values",
            f"column {_listed(at)} has dates more than 250,000 years away, as infinity is stored",
            file=name,
            remedy="make them missing, or make texts of the column",
        )


def require_names(columns: Sequence[str], name: str) -> None:
    """Raise :class:`DataError` unless every column has a name of its own."""
    refuse(DataError, name_problems(columns, name))
