"""What a paper prints beside what comes out here, with a verdict and the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from indistinct import OutputError
from indistinct.document import many

Progress = Callable[[str, float | None], None]

Verdict = Literal["equal", "rounded", "truncated", "differs", "refuted", "no figure printed"]
"""``equal``: to all the digits printed. ``rounded``, ``truncated``: the last digit is so, and the
other way would give another one. ``differs``: another figure comes out. ``refuted``: a claim that a
computation shows to be false. ``no figure printed``: there is nothing to compare with."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

Origin = Literal["computed", "fitted", "forced", "transcribed"]
"""Where a figure comes from. ``computed``: from the paper's data. ``fitted``: so too, by something
that was chosen because the printed figures come out by it. ``forced``: it would come out of any
data, and says nothing of these. ``transcribed``: nothing is computed, two passages are held against
each other."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)

Value = int | float | str | bool | None

USUAL: Mapping[Verdict, str] = {
    "truncated": "cut off after the last digit printed, not rounded",
    "rounded": "rounded, where most figures of the paper are cut off",
}


@dataclass(frozen=True)
class Item:
    """One figure or claim of a paper, and what comes out here.

    ``source`` says where the latter comes from; ``detail`` are further figures that belong to it.
    """

    where: str
    what: str
    printed: Value
    computed: Value
    verdict: Verdict
    why: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    source: Origin = "computed"

    def to_dict(self) -> dict[str, Any]:
        """The item as plain data."""
        full = {
            "where": self.where,
            "what": self.what,
            "printed": self.printed,
            "computed": self.computed,
            "verdict": self.verdict,
            "why": self.why,
            "source": self.source,
        }
        return full | ({"detail": dict(self.detail)} if self.detail else {})


@dataclass(frozen=True)
class Sheet:
    """A table of results under a short name, which becomes the name of its file."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
        }


class Drawing(Protocol):
    """What can be drawn."""

    @property
    def title(self) -> str:
        """What stands above it."""

    def svg(self) -> str:
        """The picture as SVG."""

    def png(self, scale: float = 2.0) -> bytes | None:
        """The picture as PNG; None where that cannot be had."""


@dataclass(frozen=True)
class Picture:
    """A drawing under a short name, which becomes the name of its files."""

    name: str
    drawing: Drawing


@dataclass(frozen=True)
class Reproduction:
    """A paper, computed again."""

    paper: str
    source: str
    items: tuple[Item, ...]
    sheets: tuple[Sheet, ...] = ()
    pictures: tuple[Picture, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Parts that were not run, each with the reason."""

    seed: int | None = None

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """How many items have each verdict, wherever they come from."""
        return _counted(self.items)

    @property
    def sources(self) -> dict[Origin, dict[Verdict, int]]:
        """The same for the items of each origin."""
        origins = {item.source for item in self.items}
        return {
            origin: _counted(item for item in self.items if item.source == origin)
            for origin in ORIGINS
            if origin in origins
        }

    @property
    def summary(self) -> str:
        """The line of counts: what is computed, then the rest, each kind by itself."""
        told = [
            f"{sum(counts.values())} {origin} "
            f"({', '.join(f'{count} {verdict}' for verdict, count in counts.items())})"
            for origin, counts in self.sources.items()
        ]
        return f"{many(len(self.items), 'item', 'items')}: {', '.join(told)}"

    def to_dict(self) -> dict[str, Any]:
        """The reproduction as one document."""
        return {
            "paper": self.paper,
            "source": self.source,
            "seed": self.seed,
            "items": [item.to_dict() for item in self.items],
            "verdicts": dict(self.verdicts),
            "sources": {origin: dict(counts) for origin, counts in self.sources.items()},
            "tables": [sheet.to_dict() for sheet in self.sheets],
            "left_out": [{"where": where, "why": why} for where, why in self.left_out],
        }

    def markdown(self, pictures: Mapping[str, Sequence[str]] | None = None) -> str:
        """The reproduction as a page; ``pictures`` gives the files of each picture."""
        said = [f"# {self.source}, computed again", ""]
        said += [f"{self.summary}."]
        if self.seed is not None:
            said += ["", f"What is drawn at random was drawn with seed {self.seed}."]
        for where, why in self.left_out:
            said += ["", f"Not run: {where}. {why[:1].upper()}{why[1:]}."]
        said += ["", "## Figures and claims", ""]
        said += _table(
            ("where", "what", "printed", "computed", "verdict", "source", "why"),
            [
                (
                    item.where,
                    item.what,
                    shown(item.printed),
                    shown(item.computed),
                    item.verdict,
                    item.source,
                    item.why,
                )
                for item in self.items
            ],
        )
        for sheet in self.sheets:
            rows = [tuple(shown(value) for value in row) for row in sheet.rows]
            said += ["", f"## {sheet.title}", "", *_table(sheet.columns, rows)]
        for picture in self.pictures:
            said += ["", f"## {picture.drawing.title}", ""]
            files = (pictures or {}).get(picture.name, ())
            best = [name for name in files if name.endswith(".svg")]
            said += [f"![{picture.drawing.title}]({name})" for name in best]
            others = [name for name in files if name not in best]
            if others:
                said += ["", "Also as " + ", ".join(f"[{name}]({name})" for name in others) + "."]
        return "\n".join(said) + "\n"

    def write(self, folder: str | Path) -> list[Path]:
        """Write a page, the items and tables as CSV, and the pictures; returns the files.

        Pictures are SVG and, for trees, Mermaid text; PNG too where the extra ``report`` is
        installed. Files of the same names are replaced.

        Raises:
            OutputError: if the folder cannot be written.
        """
        from indistinct.sources.writing import refusing, write_bytes, write_json, write_text

        place = Path(folder)
        with refusing(place):
            if place.exists() and not place.is_dir():
                raise OutputError(
                    "file-in-the-way",
                    "there is a file of this name, and a reproduction leaves a folder",
                    file=str(place),
                )
            place.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        files: dict[str, list[str]] = {}

        def put(name: str, content: str | bytes) -> str:
            if isinstance(content, str):
                write_text(place / name, content)
            else:
                write_bytes(place / name, content)
            written.append(place / name)
            return name

        for picture in self.pictures:
            names = files.setdefault(picture.name, [])
            names.append(put(f"{picture.name}.svg", picture.drawing.svg()))
            mermaid = getattr(picture.drawing, "mermaid", None)
            if mermaid is not None:
                names.append(put(f"{picture.name}.mmd", mermaid()))
            pixels = picture.drawing.png()
            if pixels is not None:
                names.append(put(f"{picture.name}.png", pixels))
        columns = ("where", "what", "printed", "computed", "verdict", "why", "source")
        rows = [tuple(item.to_dict()[name] for name in columns) for item in self.items]
        put("items.csv", _csv(columns, rows))
        for sheet in self.sheets:
            put(f"{sheet.name}.csv", _csv(sheet.columns, sheet.rows))
        write_json(place / "reproduction.json", self.to_dict())
        written.append(place / "reproduction.json")
        put("reproduction.md", self.markdown(files))
        return written


class Ledger:
    """Collects the items of a reproduction, in the order of the paper.

    Arguments:
        usual: what to say of figures that are cut off or rounded.
    """

    def __init__(self, usual: Mapping[Verdict, str] = USUAL) -> None:
        self.usual = usual
        self.items: list[Item] = []
        self.sheets: list[Sheet] = []
        self.pictures: list[Picture] = []
        self.left_out: list[tuple[str, str]] = []
        self.source: Origin = "computed"

    @contextmanager
    def marked(self, source: Origin) -> Iterator[None]:
        """Items that are added meanwhile come from there."""
        before, self.source = self.source, source
        try:
            yield
        finally:
            self.source = before

    def figure(
        self, where: str, what: str, printed: str | int, computed: float, why: str = ""
    ) -> Item:
        """A number against a number; ``printed`` is text, so that its digits are known."""
        verdict = verdict_of(str(printed), computed)
        told = why if verdict == "differs" else self.usual.get(verdict, "")
        return self._add(where, what, _number(str(printed)), computed, verdict, told)

    def same(self, where: str, what: str, printed: Value, computed: Value, why: str = "") -> Item:
        """Anything against anything: equal, or it differs."""
        alike = printed == computed
        verdict: Verdict = "equal" if alike else "differs"
        return self._add(where, what, printed, computed, verdict, "" if alike else why)

    def claim(
        self,
        where: str,
        what: str,
        printed: Value,
        computed: Value,
        holds: bool,
        why: str,
        otherwise: Verdict = "refuted",
    ) -> Item:
        """A sentence of the paper, held against a computation: equal or refuted.

        What another table than the paper's shows refutes nothing: ``otherwise`` it ``differs``.
        """
        return self._add(where, what, printed, computed, "equal" if holds else otherwise, why)

    def lost(self, where: str, what: str, printed: Value, why: str) -> Item:
        """A figure, or none, held against a release that could not be made, and why."""
        made = "no release"
        if printed is None:
            return self.unprinted(where, what, made, why)
        return self.same(where, what, printed, made, why)

    def transcribed(self, where: str, what: str, printed: Value, other: Value, why: str) -> Item:
        """A passage beside another one, or beside what is done here; nothing is computed."""
        with self.marked("transcribed"):
            return self.same(where, what, printed, other, why)

    def unprinted(
        self,
        where: str,
        what: str,
        computed: Value,
        why: str = "",
        detail: Mapping[str, Any] | None = None,
    ) -> Item:
        """A result for which the paper prints no figure."""
        return self._add(where, what, None, computed, "no figure printed", why, detail)

    def sheet(
        self, name: str, title: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]
    ) -> None:
        """A table of results."""
        self.sheets.append(Sheet(name, title, tuple(columns), tuple(tuple(row) for row in rows)))

    def picture(self, name: str, drawing: Drawing) -> None:
        """A drawing."""
        self.pictures.append(Picture(name, drawing))

    def _add(
        self,
        where: str,
        what: str,
        printed: Value,
        computed: Value,
        verdict: Verdict,
        why: str,
        detail: Mapping[str, Any] | None = None,
    ) -> Item:
        item = Item(where, what, printed, computed, verdict, why, dict(detail or {}), self.source)
        self.items.append(item)
        return item


def _counted(items: Iterable[Item]) -> dict[Verdict, int]:
    found = Counter(item.verdict for item in items)
    return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


def verdict_of(printed: str, computed: float) -> Verdict:
    """How a printed number stands to the computed one.

    >>> verdict_of("0.99", 0.9928), verdict_of("0.16", 0.1681), verdict_of("0.38", 0.3797)
    ('equal', 'truncated', 'rounded')
    >>> verdict_of("6", 5)
    'differs'
    """
    value = Decimal(printed)
    unit = Decimal(1).scaleb(-len(printed.partition(".")[2]))
    exact = Decimal(repr(computed))
    nearest = exact.quantize(unit, ROUND_HALF_UP) == value
    cut = exact.quantize(unit, ROUND_DOWN) == value
    if nearest and cut:
        return "equal"
    if nearest:
        return "rounded"
    return "truncated" if cut else "differs"


def shown(value: Value) -> str:
    """A value in a table: four digits after the point are enough.

    >>> shown(0.168070567), shown(22), shown(None), shown("5200*"), shown(True)
    ('0.1681', '22', '', '5200*', 'yes')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) >= 0.001 else f"{value:.3g}"
    return str(value)


def _number(printed: str) -> int | float:
    return float(printed) if "." in printed else int(printed)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(columns)} |",
        f"| {' | '.join('---' for _ in columns)} |",
        *(f"| {' | '.join(_cell(value) for value in row)} |" for row in rows),
    ]


def _cell(text: str) -> str:
    for sign in "\\|*_<`":
        text = text.replace(sign, f"\\{sign}")
    return text


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
