"""Files of Stata, SPSS and SAS: columns with titles, and numbers that stand for words.

A column whose values all have labels comes back as these, unless the policy wants the numbers. What
the file says is missing is missing, whatever its reason.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

import polars as pl

from indistinct.errors import DataError, OutputError, Problem, refuse
from indistinct.sources import memory
from indistinct.sources.csv_head import NAME_IT, refuse_dialect
from indistinct.sources.csv_records import BLANKS, tidy
from indistinct.sources.file_kind import FileKind, Reading, WrittenKind
from indistinct.sources.packed import broken
from indistinct.sources.storing import EXACT, LEAVE_OUT, Storable

_EXPORT = "export it to a CSV file in the program that wrote it, or make a number of that column"

_CELL = 8
"""Bytes of a number where it is not packed."""

_DAY = 86_400

Labels = Mapping[object, str]
"""Words for the values of a column."""


class Told(Protocol):
    """What pyreadstat tells of a file beside its cells."""

    number_rows: int | None
    column_names: Sequence[str]
    column_names_to_labels: Mapping[str, str | None]
    variable_value_labels: Mapping[str, Labels]
    variable_to_label: Mapping[str, str]
    value_labels: Mapping[str, Labels]


class LabelledFile(FileKind):
    """A file of a program for statistics, read by pyreadstat.

    Arguments:
        readers: the function of pyreadstat for each ending.
        counts_seconds: whether a time is kept as so many seconds.
    """

    takes = frozenset({"encoding", "labels"})
    inferred = True
    readers: ClassVar[Mapping[str, str]]
    counts_seconds: ClassVar[bool] = True

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table, with labels in the place of numbers where all of a column have one."""
        refuse_dialect(path.name, None, None, how.encoding)
        _, meta = self._told(path, how.encoding, metadataonly=True)
        rows = meta.number_rows or -1  # of some kinds it is not known before all are read
        count = path.stat().st_size // _CELL if rows < 0 else rows * len(meta.column_names)
        memory.require(memory.OF_CELLS * count, path.name)
        cells, meta = self._told(path, how.encoding)
        columns = [_column(name, values) for name, values in cells.items()]
        columns = self._with_spans(path, how.encoding, columns)
        if how.labels is not False:
            labels = self.labels(path, how.encoding, meta)
            columns = [_in_words(one, labels.get(one.name, {})) for one in columns]
        return tidy(pl.DataFrame(columns))

    def _with_spans(
        self, path: Path, encoding: str | None, columns: list[pl.Series]
    ) -> list[pl.Series]:
        """The columns with spans of a day and more, where pyreadstat tells the time of a day."""
        times = [column.name for column in columns if column.dtype == pl.Time]
        if not times or not self.counts_seconds:
            return columns
        raw, _ = self._told(path, encoding, usecols=times, disable_datetime_conversion=True)
        seconds = {name: pl.Series(name, raw[name], pl.Float64) for name in times}
        longer = [
            name
            for name in times
            if not seconds[name].drop_nulls().is_between(0, _DAY, "left").all()
        ]
        return [
            (seconds[one.name] * 1_000_000).round().cast(pl.Int64).cast(pl.Duration("us"))
            if one.name in longer
            else one
            for one in columns
        ]

    def labels(self, path: Path, encoding: str | None, meta: Told) -> Mapping[str, Labels]:
        """The labels of each column's values.

        Arguments:
            path: the file.
            encoding: what was said of it.
            meta: what pyreadstat tells of the file.
        """
        return meta.variable_value_labels

    def titles(self, path: Path, how: Reading) -> dict[str, str]:
        """What the file calls its columns in words."""
        _, meta = self._told(path, how.encoding, metadataonly=True)
        found = meta.column_names_to_labels.items()
        return {name: " ".join(title.split()) for name, title in found if title and title.strip()}

    def _told(
        self, path: Path, encoding: str | None, reader: str | None = None, **how: object
    ) -> tuple[Mapping[str, Sequence[object]], Told]:
        """The cells of each column as a list, and what else the file says.

        Arguments:
            path: the file.
            encoding: what was said of it.
            reader: the function of pyreadstat; by the file's ending where not given.
            how: what else it is asked.
        """
        try:
            import pyreadstat
        except ImportError:
            raise DataError(
                "missing-extra",
                f"reading {self.title} needs another package",
                file=path.name,
                remedy='pip install "indistinct[statistics]"',
            ) from None
        read = getattr(pyreadstat, reader or self.readers[path.suffix.lower()])
        try:
            if encoding is not None:
                how["encoding"] = codecs.lookup(encoding).name.replace("_", "-")
            cells, meta = read(str(path), output_format="dict", **how)
        except (
            pyreadstat.ReadstatError,
            pyreadstat.PyreadstatError,
            TypeError,
            UnicodeDecodeError,
        ) as error:
            if encoding is not None:
                message = f"{self.title} cannot be read here in the encoding {encoding}"
                remedy = "leave the encoding out, or name that of the program that wrote the file"
                raise DataError("undecodable", message, file=path.name, remedy=remedy) from None
            if "encoding" in str(error) or isinstance(error, UnicodeDecodeError):
                message = f"{self.title} has texts in another encoding than it says"
                raise DataError("undecodable", message, file=path.name, remedy=NAME_IT) from None
            raise broken(path.name, f"this cannot be read as {self.title}", error) from None
        except (OverflowError, ValueError) as error:
            raise broken(path.name, "a date or time is out of reach", error, _EXPORT) from None
        return cells, meta


class WrittenLabelledFile(LabelledFile, WrittenKind):
    """A file of a program for statistics in which a release can be published.

    Arguments:
        writer: the function of pyreadstat.
        storable: what it stores as it is.
    """

    package = "pyreadstat"
    extra = "statistics"
    writer: ClassVar[str]
    storable: ClassVar[Storable]

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """The rows, without titles and labels."""
        import pyreadstat

        write = getattr(pyreadstat, self.writer)
        stored = self.storable.of(frame, path)
        try:
            write(stored, str(path))
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            refuse(OutputError, list(self._misnamed(stored.clear(), write, path)))
            raise OutputError(
                "unstorable",
                f"{self.title} cannot hold this release ({error})",
                file=path.name,
                remedy=LEAVE_OUT,
            ) from None

    def _misnamed(
        self, frame: pl.DataFrame, write: Callable[..., object], path: Path
    ) -> Iterator[Problem]:
        """The columns whose names alone are refused."""
        for name in frame.columns:
            try:
                write(frame.select(name), str(path))
            except Exception as error:  # noqa: BLE001, whatever the library has against the name
                yield Problem(
                    "unstorable",
                    f"{self.title} cannot have a column of that name ({error})",
                    file=path.name,
                    attribute=name,
                    remedy='rename the column, or write Parquet ([output] format = "parquet")',
                )


def _column(name: str, values: Sequence[object]) -> pl.Series:
    """A column of cells; numbers are whole where all of them are."""
    column = pl.Series(name, values, strict=False)
    if not column.dtype.is_float():
        return column
    column = column.fill_nan(None)
    whole = ((column == column.round()) & (column.abs() <= EXACT)).all()
    return column.cast(pl.Int64) if whole else column


def _in_words(column: pl.Series, labels: Labels) -> pl.Series:
    """The labels of a column's values; the column itself where one has none, or shares it."""
    seen = column.unique().drop_nulls().to_list()
    told = {_plain(code): label.strip(BLANKS) for code, label in labels.items()}
    words = [told.get(_plain(value), "") for value in seen]
    if not words or not all(words) or len(set(words)) < len(words):
        return column
    return column.replace_strict(seen, words, return_dtype=pl.String)


def _plain(value: object) -> object:
    """A value as it is found again: without the blanks that fill up a text."""
    return value.strip(BLANKS) if isinstance(value, str) else value
