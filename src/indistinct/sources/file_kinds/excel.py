"""Workbooks of Excel and OpenDocument, a sheet of them at a time."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from indistinct.document import in_quotes
from indistinct.errors import DataError, OutputError, did_you_mean
from indistinct.sources.csv_head import too_few_rows
from indistinct.sources.csv_records import tidy, with_names
from indistinct.sources.dialect import names_of
from indistinct.sources.file_kind import Reading, WrittenKind
from indistinct.sources.packed import broken
from indistinct.sources.storing import Storable
from indistinct.sources.table import NAMELESS, until_seen, without_nameless
from indistinct.sources.text import with_decimal_points
from indistinct.sources.workbook import require_room, require_unpacked
from indistinct.types import Plain

STORABLE = Storable(
    "a workbook",
    datetime.date(1900, 3, 1),
    datetime.date(9999, 12, 31),
    32_767,
    "characters",
    truths=True,
)
MOST_ROWS = 1_048_575
MOST_COLUMNS = 16_384
MADE = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
"""When every workbook says that it was made: nobody is told when a release was."""


class Workbook(WrittenKind):
    """A workbook, of which one sheet is read: its first one if none is named.

    A release becomes one sheet, texts as texts: no cell is run as a formula.
    """

    name = "excel"
    title = "a workbook"
    endings = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    takes = frozenset({"sheet", "skip_rows", "decimal"})
    inferred = True
    written = ".xlsx"
    package = "xlsxwriter"
    extra = "excel"

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table of the sheet."""
        sheet, skip_rows = how.sheet, how.skip_rows or 0
        name = path.name
        try:
            import fastexcel
        except ImportError:
            raise DataError(
                "missing-extra",
                "reading Excel files needs another package",
                file=name,
                remedy='pip install "indistinct[excel]"',
            ) from None
        # It warns of columns without a name, and so does the table.
        logging.getLogger("fastexcel").setLevel(logging.ERROR)
        try:
            require_unpacked(path)
            sheets = fastexcel.read_excel(path).sheet_names
            sheet = sheets[0] if sheet is None and sheets else sheet
            if sheet not in sheets:
                raise DataError(
                    "unknown-sheet",
                    f"no sheet '{sheet}': {did_you_mean(str(sheet), sheets)}",
                    file=name,
                    sheets=tuple(sheets),
                )
            require_room(path, str(sheet))
            settings: Plain = {"sheet_name": sheet, "raise_if_empty": False}
            above: Plain = {"skip_rows": skip_rows} if skip_rows else {}
            try:
                only: Plain = {"n_rows": 1, **above}
                top = pl.read_excel(path, has_header=False, read_options=only, **settings)
            except fastexcel.InvalidParametersError:  # fewer rows than are to be passed over
                raise too_few_rows(skip_rows, name) from None
            header = [str(cell or "").strip() for cell in (top.row(0) if top.height else ())]
            others = [one for one in sheets if one != sheet]
            if others and not top.width:
                raise DataError(
                    "no-columns",
                    f"sheet '{sheet}' has no table",
                    file=name,
                    remedy="name another sheet (--sheet, or sheet under [source]): "
                    f"{in_quotes(others)}",
                    sheets=tuple(others),
                )
            with _naming(others):
                names = until_seen(header, name)
            below: Plain = {"read_options": {"header_row": skip_rows}} if skip_rows else {}
            settings |= {**below, "drop_empty_cols": False, "infer_schema_length": None}
            try:
                frame = pl.read_excel(path, **settings)
            except pl.exceptions.InvalidOperationError:  # whole numbers of more than 64 bits
                rows = fastexcel.read_excel(path).load_sheet(str(sheet), header_row=skip_rows)
                floats = {one.name: one.dtype for one in rows.to_polars() if one.dtype.is_float()}
                frame = pl.read_excel(path, schema_overrides=floats, **settings)
        except (pl.exceptions.PolarsError, fastexcel.FastExcelError) as error:
            raise broken(name, "this is not a readable Excel file", error) from None
        if frame.width == len(names):
            numbered = frame.to_series(0).null_count() < frame.height
            frame.columns = until_seen(names_of(header), name) if numbered else names
        elif any(column.startswith(NAMELESS) for column in names):
            without_nameless(names, names, name)
        # Days beside a text are moments to the library; a text must not change how they are spelt.
        texts = pl.col(pl.String).str.replace(r"^(\d{4}-\d\d-\d\d) 00:00:00$", "$1")
        frame = tidy(frame.with_columns(texts))
        with _naming(others):
            frame = with_names(frame, name)
        return with_decimal_points(frame) if how.decimal == "," else frame

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """One sheet, with the names of the columns above it."""
        import xlsxwriter

        if frame.height > MOST_ROWS or frame.width > MOST_COLUMNS:
            raise OutputError(
                "unstorable",
                f"a sheet has at most {MOST_ROWS:,} records and {MOST_COLUMNS:,} columns",
                file=path.name,
                remedy='write Parquet ([output] format = "parquet")',
            )
        stored = STORABLE.of(frame, path)
        settings = {"constant_memory": True, "tmpdir": str(path.parent)}
        with xlsxwriter.Workbook(str(path), settings) as book:
            book.set_properties({"created": MADE})
            sheet = book.add_worksheet("release", worksheet_class=_sheet_class())
            bold = book.add_format({"bold": True})
            shown = {
                pl.Date: book.add_format({"num_format": "yyyy-mm-dd"}),
                pl.Datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
            }
            sheet.freeze_panes(1, 0)
            for at, name in enumerate(stored.columns):
                sheet.write_string(0, at, name, bold)
            writers = [_writer(sheet, kind, shown) for kind in stored.dtypes]
            plain = stored.with_columns(cs.float().fill_nan(None))
            for row, cells in enumerate(plain.iter_rows(), 1):
                for at, (cell, write) in enumerate(zip(cells, writers, strict=True)):
                    if cell is not None and cell != "":
                        write(row, at, cell)


@contextmanager
def _naming(others: Sequence[str]) -> Iterator[None]:
    """Name the other sheets in what is wrong with the names of this one: it may be no table."""
    try:
        yield
    except DataError as error:
        if not others:
            raise
        told = "; or name another sheet (--sheet, or sheet under [source]): "
        told += in_quotes(others)
        raise DataError(
            [
                replace(one, remedy=f"{one.remedy or ''}{told}", sheets=tuple(others))
                for one in error.problems
            ]
        ) from None


def _sheet_class() -> type:
    """A sheet that writes all digits of a number, where the library leaves the last one out."""
    from xlsxwriter.worksheet import Worksheet

    class Sheet(Worksheet):  # type: ignore[misc]
        def _xml_number_element(
            self, number: float, attributes: Sequence[tuple[str, object]] | None = None
        ) -> None:
            told = "".join(f' {key}="{value}"' for key, value in attributes or ())
            self.fh.write(f"<c{told}><v>{number!r}</v></c>")

    return Sheet


def _writer(sheet: Any, kind: pl.DataType, shown: Mapping[Any, object]) -> Callable[..., object]:
    """What writes the cells of a column: row, column and cell.

    Arguments:
        sheet: the sheet.
        kind: the type of the column.
        shown: how days and moments are shown.
    """
    own = {pl.String: sheet.write_string, pl.Boolean: sheet.write_boolean}
    write: Callable[..., object] = own.get(kind.base_type(), sheet.write_number)
    if kind.is_temporal():
        how = shown[kind.base_type()]
        return lambda row, at, cell: sheet.write_datetime(row, at, cell, how)
    return write
