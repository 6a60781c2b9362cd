"""How a CSV file is written: its encoding, its separator, its quotes and its line ends.

A byte order mark decides the encoding; without one the file must be UTF-8 (or UTF-16, which its
zero bytes give away), because a guess among the one-byte encodings can be wrong without a sign of
it. The separator is the one that cuts the first records into the same number of cells, more than
one of them where possible; a blank where none does and the lines are numbers. Single quotes count
as quotes where the whole header stands in them.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from indistinct.frozen import dataclass

SEPARATORS = (",", ";", "\t", "|")
"""The separators that are looked for."""

SAMPLE = 1 << 16
"""How many characters of a file are looked at."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Dialect:
    """How the cells of a CSV file are told apart; ``quote`` is None where quotes mean nothing."""

    separator: str = ","
    quote: str | None = '"'


@dataclass(frozen=True)
class Layout:
    """What is said of how a CSV file is written, each None where nothing is.

    Arguments:
        separator: between cells.
        quote: around cells; an empty text for none.
        header: whether the first line has the names of the columns.
        skip_rows: how many lines stand above it.
    """

    separator: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip_rows: int = 0


def detect_encoding(data: bytes) -> tuple[str | None, int]:
    """The encoding of a file as far as its bytes tell, and the length of its byte order mark.

    None means that nothing says what it is: UTF-8, if it decodes.

    >>> detect_encoding("Jürgen".encode("utf-8-sig"))
    ('utf-8', 3)
    >>> detect_encoding("a;b".encode("utf-16-le"))
    ('utf-16-le', 0)
    >>> detect_encoding(b"a;b")
    (None, 0)
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    start = data[:SAMPLE]
    even, odd = start[::2].count(0), start[1::2].count(0)
    if odd > len(start) // 4 and not even:
        return "utf-16-le", 0
    if even > len(start) // 4 and not odd:
        return "utf-16-be", 0
    return None, 0


def detect_dialect(
    text: str, *, separator: str | None = None, quote: str | None = None, whole: bool = True
) -> Dialect:
    r"""The dialect in which the start of a file is most plausibly written.

    Arguments:
        text: The start of the file, decoded.
        separator: The separator, if it is known.
        quote: The quote, if it is known; an empty string for none.
        whole: Whether ``text`` is the whole file; else its last line may be cut off.

    >>> detect_dialect('name;age\n"Smith; John";40\n')
    Dialect(separator=';', quote='"')
    >>> detect_dialect("name\nSmith\n")
    Dialect(separator=',', quote='"')
    """
    sample = text[:SAMPLE]
    if (not whole or len(text) > SAMPLE) and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    tried = [separator] if separator is not None else list(SEPARATORS)
    best = max(tried, key=lambda one: _fitness(sample, one, quote))
    if separator is None and not _fitness(sample, best, quote)[0] and _of_blanks(sample):
        best = " "
    if quote is None:
        quote = _likely_quote(sample, best)
    return Dialect(best, quote or None)


def _fitness(sample: str, separator: str, quote: str | None) -> tuple[bool, float, int]:
    """How well a separator fits: cuts at all, share of records of the usual width, that width."""
    quotes = quote if quote is not None else _likely_quote(sample, separator)
    widths = Counter(len(row) for row in split(sample, Dialect(separator, quotes or None)) if row)
    if not widths:
        return False, 0.0, 0
    width, times = max(widths.items(), key=lambda item: (item[1], item[0]))
    return width > 1, times / widths.total(), width


def _of_blanks(sample: str) -> bool:
    r"""Whether single blanks separate numbers: as many in every line, as old data files have them.

    >>> _of_blanks("40 1 2\n49 0 3\n37 1 ?"), _of_blanks("a few words\nand some more")
    (True, False)
    """
    rows = [line.split(" ") for line in sample.splitlines() if line.strip()]
    cells = [cell for row in rows for cell in row]
    numbers = sum(cell.lstrip("+-").replace(".", "", 1).isdigit() for cell in cells)
    width = {len(row) for row in rows}
    return len(rows) > 2 and len(width) == 1 and max(width) > 2 and 2 * numbers > len(cells)


def _likely_quote(sample: str, separator: str) -> str:
    if '"' in sample:
        return '"'
    header = [cell.strip() for cell in sample.lstrip().partition("\n")[0].split(separator)]
    return "'" if all(len(c) > 2 and c[0] == c[-1] == "'" for c in header) else '"'


def split(text: str, dialect: Dialect) -> list[list[str]]:
    """The records of a text, cell by cell; an empty line is a record without cells."""
    return list(records(io.StringIO(text, newline=""), dialect))


def first_record(text: str, dialect: Dialect) -> tuple[list[str], int]:
    r"""The first record of a text, and how many characters it takes with its line end.

    >>> first_record("age;sex\r\n40;f", Dialect(";"))
    (['age', 'sex'], 9)
    """
    used = 0

    def lines() -> Iterator[str]:
        nonlocal used
        for line in io.StringIO(text, newline=""):
            used += len(line)
            yield line

    return next(records(lines(), dialect), []), used


ROW_NAME = "row_name"
"""What the first column is called where the header leaves its name out, as R and pandas do."""


def names_of(cells: Sequence[str]) -> list[str]:
    """The columns' names, by the cells of a header.

    >>> names_of(["", "age", " sex"])
    ['row_name', 'age', 'sex']
    """
    names = [cell.strip() for cell in cells]
    last = max((at for at, name in enumerate(names) if name), default=0)
    first = not names[0] and all(names[1 : last + 1]) if names else False
    if first and last and 2 * last >= len(names) - 1 and ROW_NAME not in names:
        names[0] = ROW_NAME
    return names


def records(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str]]:
    """The records that lines of text make, by Python's own reader: slow, but sure of quotes."""
    return csv.reader(
        lines,
        delimiter=dialect.separator,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        skipinitialspace=dialect.separator != "\t",
    )
