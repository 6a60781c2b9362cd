"""How far the cells of a workbook reach, before anything is allocated for them.

Readers of workbooks make a table as large as the rectangle around all cells: one stray cell in the
last column and row takes a terabyte. An OpenDocument file says so in a few bytes, as cells and rows
that are repeated, and its reader opens all sheets at once; in the others one sheet is read.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from indistinct.document import many
from indistinct.errors import DataError
from indistinct.sources.memory import OF_BYTES, OF_CELLS, allowed, in_words, require

_BLOCK = 1 << 24
_LONGEST = 1 << 10  # characters of a tag that may be cut in two by a block
_COLUMN = re.compile(rb'<c\b[^>]*?\sr="([A-Z]{1,3})\d')
_ROW = re.compile(rb'<row\b[^>]*?\sr="(\d{1,9})"')
_FOLDED = re.compile(rb"""<row\b[^>]*?\shidden=["'](?:1|true)["']""")
_COLUMNS = re.compile(rb"<col\b[^>]*>")
_MERGED = re.compile(
    rb"""<mergeCell\b[^>]*?\sref=["']([A-Z]{1,3})(\d{1,9}):([A-Z]{1,3})(\d{1,9})"""
)


_TABLE = re.compile(
    rb"<(/?)table:(table|table-row|table-column|table-cell|covered-table-cell)(?=[\s/>])"
    rb"""((?:[^>"']|"[^"]*"|'[^']*')*?)(/?)>"""
)
_REPEATED = re.compile(rb"""\stable:number-(?:rows|columns)-repeated=["'](\d{1,9})["']""")
_NAME = re.compile(rb"""\stable:name=(?:"([^"]*)"|'([^']*)')""")
_STYLED = re.compile(rb"""\stable:style-name=(?:"([^"]*)"|'([^']*)')""")
_VANISHED = re.compile(rb"""\stable:visibility=["'](?:collapse|filter)["']""")
_SPANNED = re.compile(rb"""\stable:number-rows-spanned=["'](\d{1,9})["']""")
_SHEET_STYLE = re.compile(
    rb"""<style:style\b[^>]*?\sstyle:name=["']([^"']*)["'][^>]*>\s*<style:table-properties\b([^>]*)>"""
)
_UNDISPLAYED = re.compile(rb"""\stable:display=["']false["']""")
_HELD = re.compile(rb"\s(?:office:|table:formula=)")
_Folds = tuple[int, int, Counter[str]]
"""Hidden rows and columns of a sheet, and the cells of each column that are merged over rows."""

_DAMAGED = (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, IndexError)
"""What is raised of a damaged workbook; NotImplementedError of a packing unknown to zipfile."""


def require_unpacked(path: Path) -> None:
    """Refuse a workbook that is too large to be opened.

    Arguments:
        path: a workbook; one that is no packed file is passed over.

    Raises:
        DataError: it is too large when unpacked, or a cell of any sheet of an OpenDocument file
            lies too far away.
    """
    try:
        with zipfile.ZipFile(path) as held:
            require(OF_BYTES * sum(part.file_size for part in held.infolist()), path.name)
            for sheet, columns, rows in _open_document(held):
                _require_extent(path, sheet, columns, rows)
    except _DAMAGED:
        return


def require_room(path: Path, sheet: str) -> None:
    """Refuse a sheet that takes more memory than it may.

    Arguments:
        path: an ``.xlsx`` or ``.xlsb`` file; one of another form is passed over.
        sheet: the name of the sheet that is read.

    Raises:
        DataError: a cell lies too far away.
    """
    try:
        with zipfile.ZipFile(path) as held:
            binary = "xl/workbook.bin" in held.namelist()
            part = (_binary_part_of if binary else _part_of)(held, sheet)
            if part is not None:
                columns, rows = (_binary_extent if binary else _extent)(held, part)
                _require_extent(path, sheet, columns, rows)
    except _DAMAGED:
        return


def hidden_in(path: Path, sheet: str | None) -> tuple[str, ...]:
    """What a spreadsheet does not show of the table that is read from it, as sentences.

    Arguments:
        path: a workbook; of ``.xls`` and ``.xlsb`` it is said that it was not looked at.
        sheet: the sheet that is read; the first one where not given.
    """
    if path.suffix.lower() in (".xls", ".xlsb") and path.is_file():
        return (
            f"whether sheets, rows or columns are hidden was not looked at, as the file is one of "
            f"{path.suffix.lower()}: hidden ones are read like all others",
        )
    try:
        with zipfile.ZipFile(path) as held:
            opened = "content.xml" in held.namelist()
            name, hidden, folds = (_of_open if opened else _of_excel)(held, sheet)
    except (*_DAMAGED, OSError):  # a pattern, a folder, an address
        return ()
    rows, columns, merged = folds
    found = []
    if hidden:
        found.append(f"sheet '{name}' is hidden in the workbook, and it is the one that is read")
    if rows + columns:
        told = [many(rows, "row")] * bool(rows) + [many(columns, "column")] * bool(columns)
        found.append(
            f"{' and '.join(told)} of sheet '{name}' are hidden in the workbook, and are read like "
            "all others: delete what shall not be part of the table"
        )
    if merged:
        where = ", ".join(f"{key} ({times:,} times)" for key, times in sorted(merged.items()))
        place = "columns" if len(merged) > 1 else "column"
        found.append(
            f"cells of sheet '{name}' are merged over several rows in {place} {where}: only the "
            "first of these rows has the value, the others are read as missing; split the cells "
            "and fill each with the value, or nothing says which records are of one person"
        )
    return tuple(found)


def _of_excel(held: zipfile.ZipFile, sheet: str | None) -> tuple[str, bool, _Folds]:
    """The name of the sheet that is read, whether it is hidden, and what of it is."""
    book = held.read("xl/workbook.xml").decode("utf-8", "replace")
    tags = re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book)
    named = {html.unescape(_key(tag, "name")): _key(tag, "state") for tag in tags}
    name = next(iter(named), "") if sheet is None else sheet
    part = _part_of(held, name)
    folds = (0, 0, Counter[str]()) if part is None else _folded(held, part)
    return name, named.get(name, "") in ("hidden", "veryHidden"), folds


def _folded(held: zipfile.ZipFile, part: str) -> tuple[int, int, Counter[str]]:
    """How many rows and columns with cells are hidden, and of each column how many are merged.

    Cells are counted as merged where they are of several rows below the first one.
    """
    width, _ = _extent(held, part)
    rows, rest = 0, b""
    columns: set[int] = set()
    merged: Counter[str] = Counter()
    with held.open(part) as file:
        while block := file.read(_BLOCK):
            whole, begun, rest = (rest + block).rpartition(b"<")
            rows += len(_FOLDED.findall(whole))
            for tag in map(bytes.decode, _COLUMNS.findall(whole)):
                if _key(tag, "hidden") in ("1", "true"):
                    least, most = (int(_key(tag, end) or 0) for end in ("min", "max"))
                    columns.update(range(least, min(most, width) + 1))
            merged.update(_merged(whole))
            rest = begun + rest
        merged.update(_merged(rest))
    return rows, len(columns), merged


def _merged(text: bytes) -> Iterator[str]:
    """The first column of each block of merged cells that takes several rows of a table.

    >>> list(_merged(b'<mergeCell ref="A2:A9"/><mergeCell ref="B3:D3"/>'))
    ['A']
    """
    for column, first, _, last in _MERGED.findall(text):
        if 1 < int(first) < int(last):
            yield column.decode()


def _require_extent(path: Path, sheet: str, columns: int, rows: int) -> None:
    needed, limit = OF_CELLS * columns * rows, allowed()
    if needed > limit:
        raise DataError(
            "stray-cell",
            f"sheet '{sheet}' reaches as far as column {columns} and row {rows}: that takes "
            f"{in_words(needed)} of memory, and may take {in_words(limit)}",
            file=path.name,
            remedy="delete the cells that lie far from the table, or save the sheet as CSV",
        )


def _part_of(held: zipfile.ZipFile, sheet: str) -> str | None:
    """The file in which a sheet stands."""
    book = held.read("xl/workbook.xml").decode("utf-8", "replace")
    for tag in re.findall(r"<(?:\w+:)?sheet\b[^>]*>", book):
        if html.unescape(_key(tag, "name")) == sheet:
            return _target(held, "xl/_rels/workbook.xml.rels", _key(tag, r"\w+:id"))
    return None


def _target(held: zipfile.ZipFile, part: str, link: str) -> str:
    """The file that a link of a workbook leads to."""
    links = held.read(part).decode("utf-8", "replace")
    targets = {
        _key(tag, "Id"): _key(tag, "Target") for tag in re.findall(r"<Relationship\b[^>]*>", links)
    }
    target = targets.get(link, "")
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


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


# OpenDocument -----------------------------------------------------------------------------------


def _open_document(held: zipfile.ZipFile) -> Iterator[tuple[str, int, int]]:
    """The sheets of an OpenDocument file: name, last column and last row in which a cell stands."""
    if "content.xml" not in held.namelist():
        return
    name, columns, rows = "", 0, 0
    row = column = times = last = 0
    with held.open("content.xml") as file:
        for ends, what, keys, closed in _tags(file):
            number = int(found[1]) if (found := _REPEATED.search(keys)) else 1
            if what == b"table" and ends:
                yield name, columns, rows
            elif what == b"table":
                name = _said(_NAME, keys)
                columns = rows = row = 0
            elif what == b"table-row" and not ends:
                column, times, last = 0, number, 0
            elif not ends and what != b"table-column":
                column += number
                last = column if _HELD.search(keys) else last
            if what == b"table-row" and (ends or closed):
                row += times
                rows = row if last else rows
                columns = max(columns, last)


def _of_open(held: zipfile.ZipFile, sheet: str | None) -> tuple[str, bool, _Folds]:
    """The name of the sheet that is read, whether it is hidden, and what of it is."""
    hidden: set[bytes] = set()
    with held.open("content.xml") as file:
        head = b""
        while b"<office:body" not in head and (block := file.read(_BLOCK)):
            head += block
    for name, keys in _SHEET_STYLE.findall(head):
        hidden |= {name} if _UNDISPLAYED.search(keys) else set()
    with held.open("content.xml") as file:
        tags = _tags(file)
        for ends, what, keys, _ in tags:
            if what == b"table" and not ends and sheet in (None, _said(_NAME, keys)):
                vanished = _said(_STYLED, keys).encode() in hidden
                return _said(_NAME, keys), vanished, _folded_open(tags)
    raise KeyError(sheet)


def _folded_open(tags: Iterator[tuple[bytes, bytes, bytes, bytes]]) -> _Folds:
    """Hidden rows and columns with cells of a sheet, and merged cells, by its tags."""
    ranges: list[tuple[int, int]] = []
    merged: Counter[str] = Counter()
    rows = width = row = times = column = begun = last = 0
    gone = False
    for ends, what, keys, closed in tags:
        number = int(found[1]) if (found := _REPEATED.search(keys)) else 1
        if what == b"table" and ends:
            break
        if what == b"table-column":
            begun += number
            if _VANISHED.search(keys):
                ranges.append((begun - number, begun))
        elif what == b"table-row" and not ends:
            row, times, column, last = row + number, number, 0, 0
            gone = bool(_VANISHED.search(keys))
        elif what != b"table-row" and not ends:
            column += number
            last = column if _HELD.search(keys) else last
            if row > 1 and (span := _SPANNED.search(keys)) and int(span[1]) > 1:
                merged[_letters(column)] += 1
        if what == b"table-row" and (ends or closed) and last:
            rows, width = rows + times * gone, max(width, last)
    return rows, sum(max(min(end, width) - start, 0) for start, end in ranges), merged


def _said(pattern: re.Pattern[bytes], keys: bytes) -> str:
    """What a key says, or nothing."""
    found = pattern.search(keys)
    text = b"" if found is None else found[1] or found[2] or b""
    return html.unescape(text.decode("utf-8", "replace"))


def _letters(number: int) -> str:
    """What the column of a number, from 1, is called.

    >>> _letters(1), _letters(27), _letters(16384)
    ('A', 'AA', 'XFD')
    """
    found = ""
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(ord("A") + rest) + found
    return found


def _tags(file: IO[bytes]) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
    """The tags of tables, rows and cells: whether one ends, of what, its keys, if it closes."""
    rest = b""
    while block := file.read(_BLOCK):
        before, begun, rest = (rest + block).rpartition(b"<")
        yield from _TABLE.findall(before)
        rest = begun + rest if begun else b""
    yield from _TABLE.findall(rest)


# Binary workbooks -------------------------------------------------------------------------------

_ROW_HEADER, _CELLS, _SHEET = 0, range(1, 12), 156
"""Records of a binary workbook ([MS-XLSB] 2.3): a row, cells of any kind, a sheet of the book."""


def _binary_part_of(held: zipfile.ZipFile, sheet: str) -> str | None:
    """The file in which a sheet of a binary workbook stands."""
    for kind, record in _records(held.read("xl/workbook.bin")):
        if kind == _SHEET:
            link, rest = _text(record[8:])
            if _text(rest)[0] == sheet:
                return _target(held, "xl/_rels/workbook.bin.rels", link)
    return None


def _binary_extent(held: zipfile.ZipFile, part: str) -> tuple[int, int]:
    columns = rows = 0
    for kind, record in _records(held.read(part)):
        if kind in _CELLS:
            columns = max(columns, int.from_bytes(record[:4], "little") + 1)
        elif kind == _ROW_HEADER:
            rows = max(rows, int.from_bytes(record[:4], "little") + 1)
    return columns, rows


def _records(held: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a part of a binary workbook: kind and bytes."""
    at = 0
    while at < len(held):
        kind, at = held[at], at + 1
        if kind & 0x80:
            kind, at = kind & 0x7F | (held[at] & 0x7F) << 7, at + 1
        size = shift = 0
        while True:
            byte, at = held[at], at + 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift == 28:
                break
        yield kind, held[at : at + size]
        at += size


def _text(held: bytes) -> tuple[str, bytes]:
    """A text that begins with its length, and what comes after it."""
    length = int.from_bytes(held[:4], "little")
    return held[4 : 4 + 2 * length].decode("utf-16-le", "replace"), held[4 + 2 * length :]
