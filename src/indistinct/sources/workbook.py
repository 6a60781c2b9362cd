"""How far the cells of a workbook reach, before anything is allocated for them.

Readers of workbooks make a table as large as the rectangle around all cells: one stray cell in the
last column and row takes a terabyte.
"""

from __future__ import annotations

import html
import re
import zipfile
from pathlib import Path

from indistinct.errors import DataError, Problem
from indistinct.sources.memory import OF_BYTES, OF_CELLS, allowed, in_words, require

_BLOCK = 1 << 24
_LONGEST = 1 << 10  # characters of a tag that may be cut in two by a block
_COLUMN = re.compile(rb'<c\b[^>]*?\sr="([A-Z]{1,3})\d')
_ROW = re.compile(rb'<row\b[^>]*?\sr="(\d{1,9})"')


def require_room(path: Path, sheet: str) -> None:
    """Refuse a workbook that takes more memory than it may.

    Arguments:
        path: an ``.xlsx`` file; one of another form is passed over.
        sheet: the name of the sheet that is read.

    Raises:
        DataError: the workbook is too large when unpacked, or a cell lies too far away.
    """
    try:
        with zipfile.ZipFile(path) as held:
            require(OF_BYTES * sum(part.file_size for part in held.infolist()), path.name)
            part = _part_of(held, sheet)
            columns, rows = (0, 0) if part is None else _extent(held, part)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError):
        return
    needed, limit = OF_CELLS * columns * rows, allowed()
    if needed > limit:
        raise DataError(
            Problem(
                "stray-cell",
                f"sheet '{sheet}' reaches as far as column {columns} and row {rows}: that takes "
                f"{in_words(needed)} of memory, and may take {in_words(limit)}",
                file=path.name,
                remedy="delete the cells that lie far from the table, or save the sheet as CSV",
            )
        )


def _part_of(held: zipfile.ZipFile, sheet: str) -> str | None:
    """The file in which a sheet stands."""
    book = held.read("xl/workbook.xml").decode("utf-8", "replace")
    links = held.read("xl/_rels/workbook.xml.rels").decode("utf-8", "replace")
    targets = {
        _key(tag, "Id"): _key(tag, "Target") for tag in re.findall(r"<Relationship\b[^>]*>", links)
    }
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book):
        if html.unescape(_key(tag, "name")) == sheet:
            target = targets.get(_key(tag, r"\w+:id"), "")
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return None


def _key(tag: str, name: str) -> str:
    found = re.search(rf"""\s{name}=(?:"([^"]*)"|'([^']*)')""", tag)
    return "" if found is None else found[1] or found[2] or ""


def _extent(held: zipfile.ZipFile, part: str) -> tuple[int, int]:
    """The last column and the last row of a sheet in which a cell stands."""
    columns: set[bytes] = set()
    rows, rest = 0, b""
    with held.open(part) as file:
        while block := file.read(_BLOCK):
            text = rest + block
            columns.update(_COLUMN.findall(text))
            rows = max(rows, *map(int, _ROW.findall(text)), 0)
            rest = text[-_LONGEST:]
    return max(map(_number, columns), default=0), rows


def _number(column: bytes) -> int:
    """The number of a column, from 1.

    >>> _number(b"A"), _number(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in column:
        number = 26 * number + letter - ord("A") + 1
    return number
