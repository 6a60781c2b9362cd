"""A page of a report: chapters of lines, tables and charts, as one HTML file that loads nothing.

Charts are tables with bars, and small SVG pictures with their figures beside them: they need no
script, so that a report opens wherever scripts are forbidden, prints as it is read, follows the
reader's colours, and is read aloud in full. ``page.html`` and ``page.css`` beside this file say how
it looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from indistinct.document import Grid, Line, shown
from indistinct.frozen import dataclass
from indistinct.kept_code import code_folder
from indistinct.report.drawing import width_of

if TYPE_CHECKING:
    from jinja2 import Template

Tone = Literal["before", "after", "doubt"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Facts:
    """Terms and what is to be said of each.

    Arguments:
        rows: term and text.
    """

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Bars:
    """Shares of 1 as bars, one below the other.

    Arguments:
        caption: what they show.
        columns: what the rows are, and what the bars are.
        rows: the name of each, its share, and what is written beside it.
        tone: whether they show the table before, or the release.
    """

    caption: str
    columns: tuple[str, str]
    rows: Sequence[tuple[str, float, str]]
    tone: Tone = "after"


@dataclass(frozen=True)
class Pairs:
    """Two shares of 1 as bars, before and after, for each of several things.

    Arguments:
        caption: what they show.
        columns: what the rows are, the first and the second bars.
        rows: the name of each, and its two shares; None where there is none.
    """

    caption: str
    columns: tuple[str, str, str]
    rows: Sequence[tuple[str, float | None, float | None]]


@dataclass(frozen=True)
class Curve:
    """Lines over a common axis, with their figures in a table below.

    Arguments:
        caption: what they show.
        axes: what stands on the axes, horizontal and vertical.
        series: the name of each line, and its points.
        bound: where a line across shows what is asked; none without.
    """

    caption: str
    axes: tuple[str, str]
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]]
    bound: float | None = None

    WIDE, TALL, LEFT, LOW = 560, 240, 52, 40

    @property
    def top(self) -> float:
        """Where the vertical axis ends."""
        largest = max((y for _, points in self.series for _, y in points), default=0.0)
        largest = max(largest, self.bound or 0.0)
        step = 10 ** math.floor(math.log10(largest)) if largest > 0 else 1.0
        return math.ceil(largest / step) * step

    @property
    def ends(self) -> tuple[float, float]:
        """Where the horizontal axis begins and ends."""
        xs = [x for _, points in self.series for x, _ in points]
        return (min(xs), max(xs)) if xs else (0.0, 1.0)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is drawn."""
        low, high = self.ends
        across = (x - low) / (high - low or 1.0)
        right, down = self.WIDE - self.LEFT - 12, self.TALL - self.LOW - 12
        return self.LEFT + across * right, 12 + (1 - y / self.top) * down

    def lines(self) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
        """Of every line its name, its path and its points."""
        for name, points in self.series:
            at = [self.place(x, y) for x, y in points]
            yield name, " ".join(f"{x:.1f},{y:.1f}" for x, y in at), at

    def ticks(self) -> Iterator[tuple[Literal["x", "y"], float, float, str]]:
        """The marks of both axes: axis, place, and what is written there."""
        low, high = self.ends
        whole = all(x == round(x) for _, points in self.series for x, _ in points)
        for at in range(5):
            x, y = low + (high - low) * at / 4, self.top * at / 4
            x = round(x) if whole and high - low >= 4 else x
            yield "x", *self.place(x, 0.0), f"{x:.4g}"
            yield "y", *self.place(low, y), f"{y:.3g}"

    @property
    def table(self) -> Grid:
        """The figures, a row for every place on the horizontal axis."""
        names = [name for name, _ in self.series]
        found = [dict(points) for _, points in self.series]
        xs = sorted({x for points in found for x in points})
        rows = [
            (f"{x:.4g}", *(f"{points[x]:.4f}" if x in points else "" for points in found))
            for x in xs
        ]
        return Grid((self.axes[0], *names), rows, right=(self.axes[0], *names))


@dataclass(frozen=True)
class Block:
    """A part of a strip.

    Arguments:
        label: written where there is room, and read out.
        begin: where it begins, from 0 to 1.
        end: where it ends.
        filled: the share of it that is marked.
    """

    label: str
    begin: float
    end: float
    filled: float


@dataclass(frozen=True)
class Strips:
    """Blocks beside each other in strips below each other, with a table of what they say.

    Arguments:
        caption: what they show.
        strips: the name of each strip, and its blocks.
        table: the same in words.
    """

    caption: str
    strips: Sequence[tuple[str, Sequence[Block]]]
    table: Grid

    WIDE, STEP, LEFT, SIZE = 720, 26, 100, 11

    @property
    def tall(self) -> int:
        """The height of the picture."""
        return self.STEP * len(self.strips)

    def drawn(self) -> Iterator[tuple[str, float, Iterator[tuple[Block, float, float, str]]]]:
        """Of every strip its name, its place, and its blocks with place, width and words."""
        for at, (name, blocks) in enumerate(self.strips):
            yield name, at * self.STEP, self._blocks(blocks)

    def _blocks(self, blocks: Sequence[Block]) -> Iterator[tuple[Block, float, float, str]]:
        room = self.WIDE - self.LEFT
        for block in blocks:
            width = (block.end - block.begin) * room
            fits = width_of(block.label, self.SIZE) + 6 <= width
            place = self.LEFT + block.begin * room
            yield block, place, max(width - 1, 0.7), block.label if fits else ""


@dataclass(frozen=True)
class Heat:
    """How two columns go together: a table whose cells are the darker, the more records they have.

    Arguments:
        caption: what is counted.
        columns: the name of the rows' column, and the values of the other one.
        rows: the value of each row, and its counts, one for each of the other values.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[int]]]

    @property
    def largest(self) -> int:
        """The largest count, 1 at least."""
        return max((count for _, counts in self.rows for count in counts), default=1) or 1


@dataclass(frozen=True)
class Beside:
    """Parts that stand beside each other where there is room.

    Arguments:
        parts: from left to right.
    """

    parts: Sequence[Part]


@dataclass(frozen=True)
class Fold:
    """Parts that are shown when they are asked for.

    Arguments:
        title: what is behind it.
        parts: from the first to the last.
        printed: whether they are printed all the same.
    """

    title: str
    parts: Sequence[Part]
    printed: bool = True


@dataclass(frozen=True)
class Code:
    """Text that a machine reads.

    Arguments:
        text: as it stands.
        title: what it is, for those who hear it.
    """

    text: str
    title: str


Part = Line | Grid | Facts | Bars | Pairs | Curve | Strips | Heat | Beside | Fold | Code


@dataclass(frozen=True)
class Chapter:
    """What a report has to say on one question.

    Arguments:
        name: by which outlines call it.
        title: its heading.
        reading: how to read it, and what would be alarming.
        parts: from the first to the last.
    """

    name: str
    title: str
    reading: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Group:
    """Chapters under a heading of a standard.

    Arguments:
        title: the heading; empty where chapters stand by themselves.
        note: what the standard asks there.
        chapters: the evidence.
    """

    title: str
    note: str
    chapters: Sequence[Chapter]


@dataclass(frozen=True)
class Tile:
    """One figure that is read first.

    Arguments:
        figure: in large letters.
        what: what it is.
        style: whether it is good news.
    """

    figure: str
    what: str
    style: Literal["good", "doubt", "bad", "text"] = "text"


@dataclass(frozen=True)
class Page:
    """A report.

    Arguments:
        title: its heading.
        public: whether anybody may read it.
        lead: what is published, in one sentence.
        tiles: the figures that are read first.
        answers: the questions that are asked first, with their answers.
        groups: the evidence.
        made: by what, and from what.
        note: what a template says of itself.
    """

    title: str
    public: bool
    lead: str
    tiles: Sequence[Tile]
    answers: Sequence[tuple[str, str]]
    groups: Sequence[Group]
    made: str
    note: str = ""

    def html(self) -> str:
        """The page, as one file that loads nothing."""
        return _template().render(page=self, css=(HERE / "page.css").read_text(encoding="utf-8"))


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
    from jinja2.bccache import Bucket

    class Kept(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            with suppress(OSError):  # such as a full disk: then it is compiled anew next time
                super().dump_bytecode(bucket)

    # Jinja looks whether what it kept is of this template and this Python, not of these settings.
    kept = code_folder("pages", sha256(Path(__file__).read_bytes()).hexdigest()[:16])
    # A cell is text: nothing of it is taken for HTML.
    environment = Environment(
        loader=FileSystemLoader(HERE),
        bytecode_cache=None if kept is None else Kept(str(kept)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["kind"] = lambda part: type(part).__name__
    environment.filters["shown"] = shown
    environment.filters["percent"] = lambda value: f"{100 * value:.1f}%"
    return environment.get_template("page.html")
