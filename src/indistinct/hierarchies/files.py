"""Hierarchy files: one line per value, one column per level, no header.

    81667;8166*;816**;81***;8****;*****

The first column is the value, the last one the root. Empty cells at the end of a line make its
chain shorter; an empty first cell stands for the missing value.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from indistinct.errors import HierarchyError, OutputError, Problem, Problems
from indistinct.hierarchies.taxonomy import Label, Origin, Taxonomy, at_most
from indistinct.text_encodings import is_of_files, no_encoding

SEPARATORS = (";", "\t", "|", ",")

_BOMS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


_LINE_END = re.compile(r"\r\n|\n|\r")


def read_hierarchy(
    path: str | os.PathLike[str],
    attribute: str,
    separator: str | None = None,
    *,
    encoding: str | None = None,
) -> Taxonomy:
    """The hierarchy in a file.

    Arguments:
        path: the file. Lines may end in any way, cells may be quoted, lines may be of unequal
            length; blanks around an unquoted cell and empty lines do not count.
        attribute: the attribute's name.
        separator: what parts the columns; by default found among ``;``, tab, ``|`` and ``,``.
        encoding: by default what the file's byte order mark says, or else UTF-8.

    Raises:
        HierarchyError: with all that is wrong, by file and line.
    """
    file = Path(path)
    if separator is not None and len(separator) != 1:
        raise _unfit(file, attribute, "bad-separator", f"separator {separator!r} is not one sign")
    text = _text(file, attribute, encoding)
    chosen = separator or _separator(text)
    chains: list[tuple[Label, ...]] = []
    lines: list[int] = []
    problems = Problems()
    for line, cells in _records(text, chosen, file, attribute, problems):
        while cells and cells[-1] is None:
            cells.pop()
        if not cells:
            continue
        start = next(place for place, cell in enumerate(cells) if cell is not None)
        if None in cells[start:]:
            column = cells.index(None, start) + 1
            problems.add(
                "empty-cell",
                f"line {line}, column {column} is empty, and the columns around it are not",
                file=str(file),
                attribute=attribute,
                remedy="repeat the label of the column before, or move the others to the left",
            )
            continue
        chains.append(tuple(cells))
        lines.append(line)
    if separator and chains and max(map(len, chains)) == 1 and _separator(text) in text:
        problems.add(
            "wrong-separator",
            f"no line holds the separator {separator!r}",
            file=str(file),
            attribute=attribute,
            remedy=f"the file looks as if its separator were {_separator(text)!r}",
        )
    if problems:
        raise HierarchyError(at_most(problems, attribute, str(file)))
    return Taxonomy(attribute, chains, origin=Origin(str(file), lines))


def write_hierarchy(taxonomy: Taxonomy, path: str | os.PathLike[str], separator: str = ";") -> None:
    """Write a hierarchy file, whole or not at all; a file that is there is replaced.

    The first column is the value, also of one that is suppressed on every level.

    Arguments:
        taxonomy: the hierarchy.
        path: the file.
        separator: what parts the columns.

    Raises:
        OutputError: when the file cannot be written.
    """
    file = Path(path)
    lines = (separator.join(_quoted(cell, separator) for cell in row) for row in taxonomy.rows())
    text = "".join(f"{line}\n" for line in lines)
    try:
        partial = file.with_name(f".{file.name}.{secrets.token_hex(6)}.part")
        try:
            with partial.open("x", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(file)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise
    except OSError as error:
        raise OutputError(
            "cannot-write",
            f"the hierarchy cannot be written: {error.strerror or error}",
            file=str(file),
            attribute=taxonomy.attribute,
            remedy="choose a file in a folder that exists and can be written",
        ) from error


def find_hierarchy(directory: str | os.PathLike[str], attribute: str) -> Path | None:
    """The file ``<attribute>.csv`` or ``*_hierarchy_<attribute>.csv`` of a folder, if there is one.

    Raises:
        HierarchyError: when the folder cannot be read, or several files bear such a name.
    """
    folder = Path(directory)
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError as error:
        raise _unfit(
            folder, attribute, "cannot-read", f"the folder cannot be read: {error.strerror}"
        ) from error
    own = f"{attribute}.csv"
    if own in names:
        return folder / own
    fitting = [name for name in names if name.endswith(f"_hierarchy_{attribute}.csv")]
    if len(fitting) > 1:
        raise _unfit(
            folder,
            attribute,
            "several-hierarchies",
            f"several files may be the attribute's hierarchy: {', '.join(fitting)}",
            f"keep one of them, or name it {own}",
        )
    return folder / fitting[0] if fitting else None


def _text(file: Path, attribute: str, encoding: str | None) -> str:
    try:
        data = file.read_bytes()
    except FileNotFoundError as error:
        raise _unfit(
            file, attribute, "no-such-file", "the hierarchy file is not there", "check its name"
        ) from error
    except OSError as error:
        raise _unfit(
            file, attribute, "cannot-read", f"the file cannot be read: {error.strerror}"
        ) from error
    found = next((name for mark, name in _BOMS.items() if data.startswith(mark)), "utf-8")
    chosen = encoding or found
    if not is_of_files(chosen):
        raise _unfit(file, attribute, "bad-encoding", no_encoding(chosen))
    try:
        text = data.decode(chosen)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _unfit(
            file,
            attribute,
            "undecodable",
            f"line {line} is not text in the encoding {chosen}",
            'save the file as UTF-8, or name its encoding, for instance encoding = "cp1252"',
        ) from error
    return text.removeprefix("\ufeff")


def _records(
    text: str, separator: str, file: Path, attribute: str, problems: list[Problem]
) -> Iterator[tuple[int, list[Label]]]:
    """The line number and the cells of every record; an empty cell is None."""
    if '"' not in text:
        for line, record in enumerate(_LINE_END.split(text), start=1):
            yield line, [cell.strip() or None for cell in record.split(separator)]
        return
    blanks = "".join(sign for sign in " \t" if sign != separator).join("[]") + "*"
    apart = re.escape(separator)
    cell_form = re.compile(
        rf'(?:{blanks}"((?:[^"]|"")*)"{blanks}|([^{apart}\r\n]*))({apart}|\r\n|\n|\r|\Z)'
    )
    line = start = 1
    cells: list[Label] = []
    place = 0
    while place < len(text):
        found = cell_form.match(text, place)
        assert found is not None, "an unquoted cell may hold anything"
        quoted, plain, end = found.groups()
        if quoted is None and plain.strip().startswith('"'):
            problems.append(
                Problem(
                    "bad-quote",
                    f"line {line} has a quote that is not closed, or text after one that is",
                    file=str(file),
                    attribute=attribute,
                    remedy="put the whole cell in quotes, and double every quote inside it",
                )
            )
        value = quoted.replace('""', '"') if quoted is not None else plain.strip()
        cells.append(value or None)
        if quoted is not None:
            line += len(_LINE_END.findall(quoted))
        line += end != separator
        place = found.end()
        if end != separator:
            yield start, cells
            cells, start = [], line
        elif place == len(text):
            cells.append(None)
            yield start, cells


def _separator(text: str) -> str:
    """What parts the columns: best that every line holds it equally often, and all end alike."""
    bare = re.sub(r'"(?:[^"]|"")*"', "x", text) if '"' in text else text
    lines = [line for line in bare.splitlines()[:10_000] if line.strip()]

    def fitness(separator: str) -> tuple[float, bool, float]:
        counts = Counter(line.count(separator) for line in lines)
        holding = len(lines) - counts[0]
        tails = {line.rstrip().rsplit(separator, 1)[-1] for line in lines}
        alike = counts.most_common(1)[0][1] if counts else 0
        return holding / max(1, len(lines)), len(tails) == 1, alike / max(1, len(lines))

    return max(SEPARATORS, key=fitness)


def _quoted(cell: Label, separator: str) -> str:
    if cell is None:
        return ""
    plain = cell == cell.strip() and not any(sign in cell for sign in (separator, '"', "\n", "\r"))
    return cell if plain else '"' + cell.replace('"', '""') + '"'


def _unfit(
    file: Path, attribute: str, code: str, message: str, remedy: str | None = None
) -> HierarchyError:
    return HierarchyError(code, message, file=str(file), attribute=attribute, remedy=remedy)
