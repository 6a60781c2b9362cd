"""Workbooks of Excel and OpenDocument, a sheet of them at a time."""

from __future__ import annotations

import logging
from pathlib import Path

import polars as pl

from indistinct.document import in_quotes
from indistinct.errors import DataError, did_you_mean
from indistinct.sources.csv_head import too_few_rows
from indistinct.sources.csv_records import tidy
from indistinct.sources.file_kind import FileKind, Reading
from indistinct.sources.packed import broken
from indistinct.sources.table import NAMELESS, until_seen, without_nameless
from indistinct.sources.text import with_decimal_points
from indistinct.sources.workbook import require_room, require_unpacked
from indistinct.types import Plain


class Workbook(FileKind):
    """A workbook, of which one sheet is read: its first one if none is named."""

    name = "excel"
    title = "a workbook"
    endings = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    takes = frozenset({"sheet", "skip_rows", "decimal"})
    inferred = True

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
                )
            require_room(path, str(sheet))
            settings: Plain = {"sheet_name": sheet, "raise_if_empty": False}
            above: Plain = {"skip_rows": skip_rows} if skip_rows else {}
            try:
                only: Plain = {"n_rows": 1, **above}
                top = pl.read_excel(path, has_header=False, read_options=only, **settings)
            except fastexcel.InvalidParametersError:  # fewer rows than are to be passed over
                raise too_few_rows(skip_rows, name) from None
            names = [str(cell or "").strip() for cell in (top.row(0) if top.height else ())]
            others = [one for one in sheets if one != sheet]
            if others and not top.width:
                raise DataError(
                    "no-columns",
                    f"sheet '{sheet}' has no table",
                    file=name,
                    remedy="name another sheet (--sheet, or sheet under [source]): "
                    f"{in_quotes(others)}",
                )
            names = until_seen(names, name)
            below: Plain = {"read_options": {"header_row": skip_rows}} if skip_rows else {}
            settings |= {**below, "drop_empty_cols": False, "infer_schema_length": None}
            frame = pl.read_excel(path, **settings)
        except (pl.exceptions.PolarsError, fastexcel.FastExcelError) as error:
            raise broken(name, "this is not a readable Excel file", error) from None
        if frame.width == len(names):
            frame.columns = names
        elif any(column.startswith(NAMELESS) for column in names):
            without_nameless(names, names, name)
        # Days beside a text are moments to the library; a text must not change how they are spelt.
        texts = pl.col(pl.String).str.replace(r"^(\d{4}-\d\d-\d\d) 00:00:00$", "$1")
        frame = tidy(frame.with_columns(texts))
        return with_decimal_points(frame) if how.decimal == "," else frame
