"""Where the records of a CSV file begin, and what stands before them."""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from pathlib import Path

from indistinct.errors import DataError, Problem, Problems, refuse
from indistinct.sources.dialect import (
    SAMPLE,
    Dialect,
    Layout,
    detect_dialect,
    first_record,
    names_of,
)
from indistinct.sources.table import until_seen
from indistinct.text_encodings import is_of_files, no_encoding

_LINE_END = re.compile(r"\r\n|\n|\r")


def refuse_dialect(
    name: str, separator: str | None, quote: str | None, encoding: str | None
) -> None:
    """Raise for a separator or quote of several characters, and for an unknown encoding.

    Arguments:
        name: what messages call the file.
        separator: what was said to stand between cells; None where nothing was.
        quote: what was said to stand around cells, likewise; empty where nothing does.
        encoding: what was said of the encoding, likewise.
    """
    problems = Problems()
    if separator is not None and (len(separator) != 1 or separator in '\r\n"'):
        problems.add(
            "bad-separator",
            f"a separator is one character, not {separator!r}",
            file=name,
            remedy='choose one, such as separator = ";"',
        )
    if quote and (len(quote) != 1 or quote in "\r\n"):
        problems.add("bad-quote", f"a quote is one character, not {quote!r}", file=name)
    if encoding is not None and not is_of_files(encoding):
        problems.add("unknown-encoding", no_encoding(encoding), file=name)
    refuse(DataError, problems)


def separator_of(path: Path, said: str | None) -> str | None:
    """What is between the cells of a CSV file, as is said, or as the file's ending says."""
    return "\t" if said is None and path.suffix.lower() in (".tsv", ".tab") else said


def head_in_bytes(data: bytes, name: str, layout: Layout) -> tuple[list[str], Dialect, str]:
    """The columns' names, how cells are told apart, and all before the first record.

    Arguments:
        data: the file, or its beginning where that is longer than what is looked at.
        name: what messages call it.
        layout: what is said of it.
    """
    try:
        start = codecs.getincrementaldecoder("utf-8")().decode(data[: 4 * SAMPLE])
    except UnicodeDecodeError as error:
        raise undecodable(data, error, "utf-8", name, 0) from None
    columns, dialect, head = head_in(start, name, layout, whole=len(data) <= 4 * SAMPLE)
    if not columns:
        raise DataError("empty-file", "the file holds only blank lines", file=name)
    return until_seen(columns, name), dialect, head


def head_in(
    start: str, name: str, layout: Layout, *, whole: bool
) -> tuple[list[str], Dialect, str]:
    """The columns' names, how cells are told apart, and all before the first record.

    Arguments:
        start: the text that a file begins with.
        name: what messages call it.
        layout: what is said of it.
        whole: whether that is all of it.

    Raises:
        DataError: a quote is not closed, the first line is longer than what is looked at, or there
            are not so many lines.
    """
    lead = begin_of(start, layout.skip_rows, name)
    line = start[:lead].count("\n") + 1
    if not whole and _LINE_END.search(start, lead) is None:
        raise DataError(
            "long-header",
            f"line {line} is longer than {len(start) - lead:,} characters, in which the names of "
            "the columns should stand",
            file=name,
            remedy="look whether this is a CSV file; if it is, shorten the names",
        )
    try:
        dialect = detect_dialect(
            start[lead:], separator=layout.separator, quote=layout.quote, whole=whole
        )
        names, used = first_record(start[lead:], dialect)
    except csv.Error:
        raise DataError(unclosed(line, name)) from None
    head = start[: lead + used]
    first = head[lead:]
    if dialect.quote and head.count("\n") > 1 and first.count(dialect.quote) % 2:
        raise DataError(unclosed(line, name))
    columns = names_of(names)
    if layout.header is False:
        columns = [f"column_{at}" for at in range(1, len(names) + 1)]
        head = start[:lead]
    return columns, dialect, head


def begin_of(start: str, skip_rows: int, name: str) -> int:
    r"""Where a table begins: after the lines above it, and after empty ones.

    Arguments:
        start: the text that a file begins with.
        skip_rows: how many lines stand above the table.
        name: what messages call the file.

    Raises:
        DataError: there are not so many lines, or they are longer than what is looked at.

    >>> begin_of("Report\n\nage;sex\n", 1, "a.csv")
    8
    """
    lines = list(itertools.islice(_LINE_END.finditer(start), min(skip_rows, len(start))))
    lead = lines[-1].end() if lines else 0
    if len(lines) < skip_rows or (skip_rows and not start[lead:].strip()):
        raise too_few_rows(skip_rows, name)
    rest = start[lead:]
    return lead + len(rest) - len(rest.lstrip("\r\n"))


def too_few_rows(skip_rows: int, name: str) -> DataError:
    """That nothing stands below the rows that are to be passed over."""
    return DataError(
        "too-few-rows",
        f"nothing is there below the {skip_rows} rows above the names of the columns",
        file=name,
        remedy="correct skip_rows: the number of the row with the names, less one",
    )


def unclosed(line: int, name: str) -> Problem:
    """That a quote is opened and not closed."""
    return Problem(
        "unclosed-quote",
        f"a quote that is opened on line {line} is not closed within reason",
        file=name,
        remedy='close it, or write quote = "" if quotes have no meaning in this file',
    )


NAME_IT = (
    "name its encoding, such as windows-1252 or latin-1: --encoding windows-1252 without a policy,"
    ' encoding = "windows-1252" under [source] with one'
)
"""What to do about texts in another encoding.

The first example has what spreadsheets write, such as a euro sign, and all letters of latin-1.
"""


def undecodable(
    data: bytes, error: ValueError, encoding: str, name: str, lines_before: int
) -> DataError:
    """That a file has bytes that its encoding does not have.

    Arguments:
        data: the bytes.
        error: what decoding them ended with.
        encoding: that of the file.
        name: what messages call it.
        lines_before: how many lines of the file stand before these bytes.
    """
    place = ""
    if isinstance(error, UnicodeDecodeError):
        line = data.count(b"\n", 0, error.start) + 1 + lines_before
        place = f": line {line} has bytes that are not valid in it"
    return encoded_otherwise(name, encoding, place)


def encoded_otherwise(name: str, encoding: str, place: str = "") -> DataError:
    """That a file is not in an encoding.

    Arguments:
        name: what messages call it.
        encoding: the one that was said or found.
        place: where that is seen.
    """
    return DataError(
        "undecodable",
        f"the file is not encoded in {encoding}{place}",
        file=name,
        remedy=NAME_IT,
    )
