"""How documents describe themselves: once, in lines and tables, for terminals and notebooks alike.

An assessment, an audit and a comparison each say what they found as a sequence of :class:`Line` and
:class:`Grid`. The command line prints them (:mod:`indistinct.cli.terminal`); notebooks show HTML.
Nothing here knows what a document is about.
"""

from __future__ import annotations

import importlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from html import escape
from typing import Any, ClassVar, Literal, Protocol

from indistinct.frozen import dataclass
from indistinct.types import Plain, PlainMapping

Style = Literal["text", "title", "good", "doubt", "bad", "code"]


_NO_LESS_THAN_NOTHING = re.compile(r"(?<![\w.,-])-(?=0\.0+(?![\d.]))")


def unsigned(text: str) -> str:
    """The text with 0.00 for each figure that rounding left as -0.00.

    >>> unsigned("rises by -0.00, from -0.50"), unsigned("-0.0%"), unsigned("2020-0.0")
    ('rises by 0.00, from -0.50', '0.0%', '2020-0.0')
    """
    return _NO_LESS_THAN_NOTHING.sub("", text) if "-0.0" in text else text


@dataclass(frozen=True)
class Line:
    """A line of text.

    Arguments:
        text: what it says; line breaks stand for empty lines around it.
        style: how it is set off: a ``title``, ``good`` news, ``bad`` news, ``doubt`` between them,
            ``code`` to copy as it stands, or not at all.
        indent: columns by which further lines are set in where it is broken on a terminal; all
            lines of code.
    """

    text: str
    style: Style = "text"
    indent: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", unsigned(self.text))


@dataclass(frozen=True)
class Bar:
    """A share of 1 that is drawn as a bar."""

    share: float


Cell = str | Bar


@dataclass(frozen=True)
class Grid:
    """A table without frames.

    Arguments:
        columns: the names of the columns; none where the cells say enough.
        rows: the cells, [rows][columns]; the first of each row names it.
        right: the columns that are aligned to the right.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[str] = ()

    def __post_init__(self) -> None:
        if any(isinstance(cell, str) and "-0.0" in cell for row in self.rows for cell in row):
            rows = [
                [unsigned(cell) if isinstance(cell, str) else cell for cell in row]
                for row in self.rows
            ]
            object.__setattr__(self, "rows", rows)


Part = Line | Grid


class Document(ABC):
    """Something that describes itself in lines and tables."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """The lines and tables, from the first to the last; nothing private is among them."""

    def _repr_html_(self) -> str:
        return as_html(self.parts())


class OfUnits:
    """Figures of ``records``; where these are people, ``rows`` says how many records they have."""

    records: int
    rows: int | None

    @property
    def unit(self) -> str:
        """What figures count: ``record``, or ``person`` where people have many records."""
        return "record" if self.rows is None else "person"

    @property
    def units(self) -> str:
        """The same in the plural, for people to read."""
        return "records" if self.rows is None else "people"

    @property
    def _counted(self) -> Plain:
        """How many there are, as plain data."""
        if self.rows is None:
            return {"records": self.records}
        return {"unit": self.unit, "records": self.rows, "people": self.records}


class PlainData:
    """A dataclass that is told under the names of its fields, or what metadata call them.

    Fields that ``repr`` leaves out are not told. Where ``told_keys`` are listed, one after another,
    what they name is told in their place: attributes, or attributes of these (``kind.title``; None
    where there is no kind). ``path=way`` tells ``way`` under the key ``path``, ``most.k=k`` tells
    ``k`` in a document ``most``, ``share?`` is told only where there is something to be told, and
    what ``*risk`` tells is told beside the others.
    """

    told_keys: ClassVar[str] = ""

    def to_dict(self) -> Plain:
        """The same as plain data."""
        own = [item for item in fields(self) if item.repr]  # type: ignore[arg-type]
        keys = self.told_keys.split() or [
            f"{one.metadata.get('as', one.name)}={one.name}" for one in own
        ]
        found: Plain = {}
        for key in keys:
            name, _, what = key.removeprefix("*").removesuffix("?").rpartition("=")
            value: Any = self
            for attribute in what.split("."):
                value = None if value is None else getattr(value, attribute)
            value = _plain(value)
            nothing = value is None or value is False or value in ("", {})
            if key.startswith("*"):
                found |= value
            elif not (nothing and key.endswith("?")):
                *documents, name = (name or what).split(".")
                inner = found
                for document in documents:
                    inner = inner.setdefault(document, {})
                inner[name] = value
        return found


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value


class Picture(Protocol):
    """A graph as it can be drawn."""

    def svg(self) -> str:
        """As SVG text."""

    def png(self, scale: float = 2.0) -> bytes | None:
        """As PNG; None where the extra ``report`` is not installed."""

    def mermaid(self) -> str:
        """As Mermaid text, for a page of Markdown."""


def drawing(module: str, name: str) -> Any:
    """What :mod:`indistinct.report` draws a document with, imported when it is asked for.

    Pictures are made of documents, so that documents cannot import them.
    """
    return getattr(importlib.import_module(f"indistinct.report.{module}"), name)


STYLE = """
.indistinct{display:inline-block;max-width:60rem;padding:.2rem 1rem .7rem;border-radius:.5rem;
border:1px solid color-mix(in srgb,currentColor 22%,transparent);border-top:4px solid #2c6fb5;
font-size:.93em;line-height:1.45}
.indistinct.bad{border-top-color:#b5502c}
.indistinct p{margin:.35rem 0;max-width:46rem}
.indistinct b.good{color:color-mix(in srgb,#1f8a4a 65%,currentColor)}
.indistinct b.doubt{color:color-mix(in srgb,#b07400 65%,currentColor)}
.indistinct b.bad{color:color-mix(in srgb,#d63a2e 65%,currentColor)}
.indistinct pre{margin:.2rem 0 .5rem 1.5rem;padding:0;background:none;font-size:.95em}
.indistinct table{border-collapse:collapse;font-size:inherit;
margin:.3rem 0 .6rem;font-variant-numeric:tabular-nums}
.indistinct tr{background:none}
.indistinct th,.indistinct td{text-align:left;vertical-align:top;padding:.2rem 1.1rem .2rem 0;
border:0;font-weight:400;white-space:normal;
border-bottom:1px solid color-mix(in srgb,currentColor 12%,transparent)}
.indistinct tr>th:first-child{font-weight:600}
.indistinct thead th{opacity:.75;font-size:.9em}
.indistinct .num{text-align:right}
.indistinct .bar{display:inline-block;width:8rem;height:.65em;border-radius:.2em;overflow:hidden;
vertical-align:middle;background:color-mix(in srgb,currentColor 12%,transparent)}
.indistinct .bar i{display:block;height:100%;background:#2c6fb5}
.indistinct summary{cursor:pointer;font-weight:600}
"""
"""How documents look in a notebook; it follows the notebook's colours."""

MOST_ROWS = 16
"""Rows of a table that a notebook shows at once."""

MOST_SECTIONS = 3
"""Titles whose text a notebook shows at once."""


def as_html(parts: Iterable[Part]) -> str:
    """Lines and tables for a notebook: the first sections at once, the others folded.

    >>> page = as_html([Line("2 < 3", "title"), Grid(("name", "share"), [("age", Bar(0.5))])])
    >>> page.partition("</style>")[2].partition("<tbody>")[0]
    '<p><b>2 &lt; 3</b></p><table><thead><tr><th>name</th><th>share</th></tr></thead>'
    """
    sections: list[list[Part]] = [[]]
    for part in parts:
        if isinstance(part, Line) and part.style == "title" and any(sections):
            sections.append([])
        sections[-1].append(part)
    first, more = sections[:MOST_SECTIONS], sections[MOST_SECTIONS:]
    bad = any(isinstance(part, Line) and part.style == "bad" for own in sections for part in own)
    shown_at_once = "".join(_html_of(part) for own in first for part in own)
    folded = "".join(_folded(_words(own[0]), map(_html_of, own[1:])) for own in more)
    tone = " bad" if bad else ""
    return f'<div class="indistinct{tone}"><style>{STYLE}</style>{shown_at_once}{folded}</div>'


def _words(part: Part) -> str:
    text = part.text if isinstance(part, Line) else ""
    return escape(text.strip()).replace("\n", "<br>").replace("  ", "&emsp;")


def _folded(summary: str, inside: Iterable[str]) -> str:
    within = "".join(inside)
    if not within:
        return f"<p>{summary}</p>"
    return f"<details><summary>{summary}</summary>{within}</details>"


def _html_of(part: Part) -> str:
    if isinstance(part, Line):
        if part.style == "code":
            return f"<pre>{escape(part.text)}</pre>"
        text, style = _words(part), part.style
        tone = "" if style == "title" else f' class="{style}"'
        return f"<p>{text if style == 'text' else f'<b{tone}>{text}</b>'}</p>" if text else ""
    head = ""
    if part.columns:
        marks = (' class="num"' if name in part.right else "" for name in part.columns)
        names = zip(marks, map(escape, part.columns), strict=True)
        head = "".join(f"<th{mark}>{name}</th>" for mark, name in names)
        head = f"<thead><tr>{head}</tr></thead>"
    rows = [_row(part, row) for row in part.rows]
    least, rest = rows[:MOST_ROWS], rows[MOST_ROWS:]
    if len(rest) < MOST_ROWS // 4:
        least, rest = rows, []
    table = f"<table>{head}<tbody>{''.join(least)}</tbody></table>"
    if not rest:
        return table
    more = f"<table>{head}<tbody>{''.join(rest)}</tbody></table>"
    return table + _folded(f"{many(len(rest), 'more row')}", [more])


def _row(part: Grid, row: Sequence[Cell]) -> str:
    found = [f"<th>{_cell(row[0])}</th>"]
    for at, cell in enumerate(row[1:], 1):
        right = part.columns and part.columns[at] in part.right
        mark = ' class="num"' if right else ""
        found.append(f"<td{mark}>{_cell(cell)}</td>")
    return f"<tr>{''.join(found)}</tr>"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Bar):
        wide = f"{cell.share:.1%}"
        drawn = f'<i style="width:{wide}"></i>'
        return f'<span class="bar" role="img" aria-label="{wide}">{drawn}</span>'
    return escape(cell).replace("  ", "&emsp;")


def shown(value: object) -> str:
    """A figure as people read it: thousands separated, shares with four digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        value += 0.0  # no -0
        return f"{value:,.0f}" if value.is_integer() and abs(value) >= 10 else f"{value:,.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(shown(item) for item in value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    return "none" if value is None else str(value)


_MORE = {
    "person": "people", "is": "are", "has": "have", "was": "were", "does": "do", "stands": "stand",
    "names": "name", "lists": "list", "breaks": "break", "matches": "match",
}  # fmt: skip
"""What words become where there are several; other nouns get an ending."""

_VERBS = frozenset(_MORE) - {"person"}

_ENDS = ("of", "in", "with")
"""Words before which the noun of a phrase stands, as it does before a verb."""


def many(count: int, one: str, more: str | None = None) -> str:
    """A count with its noun, and the verb that follows.

    Arguments:
        count: how many there are.
        one: the words for one of them; the noun stands last, or before a verb or an ``of``.
        more: the words for several, where they do not follow from those for one.

    >>> many(1, "class", "classes"), many(1200, "class"), many(2, "person of the class has")
    ('1 class', '1,200 classes', '2 people of the class have')
    """
    return f"{shown(count)} {one if count == 1 else more or _several(one)}"


def some_of(count: int, whole: int, one: str) -> str:
    """How many of a whole, whose number the noun follows, while the verb follows the part.

    Arguments:
        count: how many they are.
        whole: how many there are in all.
        one: the noun in the singular, with the verb that follows, if one does.

    >>> some_of(1, 2000, "person matches"), some_of(0, 1, "record is")
    ('1 of 2,000 people matches', '0 of 1 record are')
    """
    words = one.split()
    noun = next((at for at, word in enumerate(words) if word in _VERBS), len(words))
    named = many(whole, " ".join(words[:noun]))
    verb = [word if count == 1 else _MORE.get(word, word) for word in words[noun:]]
    return " ".join([shown(count), "of", named, *verb])


def in_quotes(names: Iterable[str], between: str = ", ") -> str:
    """Names one after another, each in quotes.

    >>> in_quotes(["age", "sex"], " and ")
    "'age' and 'sex'"
    """
    return between.join(f"'{name}'" for name in names)


def first_names(names: Sequence[str], most: int = 8) -> str:
    """The first names, and how many more there are.

    >>> first_names([f"x{i}" for i in range(10)])
    'x0, x1, x2, x3, x4, x5, x6, x7 and 2 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


_DAY = re.compile(r"\d{4}-\d{2}(-\d{2})?([T ].*)?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def spanned(values: Sequence[str | None]) -> str:
    """From which to which value numbers and days go; of other values the first three.

    >>> spanned(["10", "9"]), spanned(["2024-05-01", "2023-01-02"]), spanned(["7"])
    ('9 to 10', '2023-01-02 to 2024-05-01', '7')
    >>> spanned(["d", None, "b", "a", "c"])
    "'a', 'b', 'c' and 1 more"
    """
    known = [value for value in values if value is not None]
    if known and all(_DAY.fullmatch(value) for value in known):
        ends = [min(known), max(known)]
    elif known and all(_NUMBER.fullmatch(value) for value in known):
        ends = [min(known, key=float), max(known, key=float)]
    else:
        named = ", ".join(f"'{value}'" for value in sorted(known)[:3])
        return named + f" and {len(known) - 3} more" * (len(known) > 3)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _several(one: str) -> str:
    """Words for one thing as words for several.

    >>> _several("query of one column is"), _several("entry"), _several("day")
    ('queries of one column are', 'entries', 'days')
    """
    words = one.split()
    ends = (at for at, word in enumerate(words) if word in _VERBS or word in _ENDS)
    noun = max(next(ends, len(words)) - 1, 0)
    found = [_MORE[word] if word in _VERBS else word for word in words]
    found[noun] = (
        _MORE.get(words[noun])
        or re.sub(r"(s|x|ch|sh)$", r"\1e", re.sub(r"([^aeiou])y$", r"\1ie", words[noun])) + "s"
    )
    return " ".join(found)


def parameters(keys: PlainMapping) -> str:
    """Parameters as the papers write them.

    >>> parameters({"k": 5})
    'k = 5'
    """
    return ", ".join(f"{name} = {shown(value)}" for name, value in keys.items())


def rounded(value: float, *, up: bool, digits: int = 3) -> str:
    """A bound with few digits that still holds: rounded up where it is the least allowed.

    Arguments:
        value: the bound.
        up: whether it is the least allowed, and not the most.
        digits: how many digits are kept.

    >>> rounded(1 / 3, up=True), rounded(2 / 3, up=False), rounded(0.5, up=True)
    ('0.334', '0.666', '0.5')
    """
    exact = Decimal(value)
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    near = round(exact / unit, 6)  # a sum of floats just beside a round number is that number
    way = ROUND_CEILING if up else ROUND_FLOOR
    return f"{float(near.to_integral_value(way) * unit):g}"


def brief(value: float) -> str:
    """Three digits, without powers of ten where a number is one of everyday life.

    >>> brief(3558.9), brief(0.04321), brief(2.5e9)
    ('3,559', '0.0432', '2.5e+09')
    """
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def share(value: float) -> str:
    """A share in per cent, telling none from few and all from nearly all.

    >>> share(0.0), share(0.0001), share(0.25), share(0.9999), share(1.0)
    ('0%', '<0.1%', '25.0%', '>99.9%', '100%')
    """
    if value in (0, 1):
        return f"{abs(value):.0%}"
    if value < 0.001:
        return "<0.1%"
    return ">99.9%" if value > 0.999 else f"{value:.1%}"


def not_toml(error: Exception) -> str:
    """What is wrong with a text that is no TOML.

    >>> not_toml(ValueError("Cannot overwrite a value (at line 3, column 6)"))
    'is not valid TOML: a key is written twice (at line 3, column 6)'
    """
    told = str(error).replace("Cannot overwrite a value", "a key is written twice")
    return f"is not valid TOML: {told}"


def toml_key(name: str) -> str:
    """A key as TOML writes it: bare where it may be, else in quotes.

    >>> toml_key("marital-status"), toml_key("Größe (cm)")
    ('marital-status', '"Größe (cm)"')
    """
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else toml_string(name)


def toml_string(text: str) -> str:
    """A string as TOML writes it, always on one line."""
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(
        f"\\u{ord(sign):04x}" if "\x7f" <= sign <= "\x9f" or sign in "\u2028\u2029" else sign
        for sign in escaped
    )
