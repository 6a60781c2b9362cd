"""How records are spread over the values of an attribute: before, generalized, equalized.

Intervals of equal width hold unequal numbers of records; "equalized" ones of a hierarchy
``equal_frequency`` hold about as many each, so that none is sparse:

    N. Victor, D. Lopez: "Privacy Preserving Sensitive Data Publishing Using (k,n,m) Anonymity
    Approach". Journal of Communications Software and Systems 16(1), 2020, section V, figure 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

import polars as pl

from indistinct.document import Document, Grid, Line, Part, PlainData, drawing, shown
from indistinct.errors import DataError
from indistinct.frozen import dataclass
from indistinct.hierarchies.equal_frequency import equal_frequency_taxonomy
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

_LOWER_END = re.compile(r"[<>=\[(\s]*(-?\d+(?:\.\d+)?)")

BEFORE, GENERALIZED, EQUALIZED = "before", "generalized", "equalized"


@dataclass(frozen=True)
class Histogram(PlainData):
    """Records per label, numbers and intervals rising; missing values come last, as None."""

    told_keys: ClassVar = "labels records unevenness"

    labels: tuple[Label, ...]
    records: tuple[int, ...]

    @property
    def unevenness(self) -> float | None:
        """How much more the fullest label holds than the emptiest one; None without records."""
        held = [count for count in self.records if count]
        return max(held) / min(held) if held else None


@dataclass(frozen=True)
class Equalization(PlainData, Document):
    """The histograms of one attribute: of its values, at a level of a hierarchy, and equalized."""

    attribute: str
    before: Histogram
    generalized: Histogram
    equalized: Histogram

    @property
    def stages(self) -> dict[str, Histogram]:
        """The three histograms, by what was done."""
        return {
            BEFORE: self.before,
            GENERALIZED: self.generalized,
            EQUALIZED: self.equalized,
        }

    def frame(self) -> pl.DataFrame:
        """One row per stage and label: how many records have it."""
        rows = [
            (stage, label, count)
            for stage, held in self.stages.items()
            for label, count in zip(held.labels, held.records, strict=True)
        ]
        schema = {"stage": pl.String, "label": pl.String, "records": pl.Int64}
        return pl.DataFrame(rows, schema, orient="row")

    def plot(self, path: str | Path) -> Path:
        """Draw the three histograms one below the other into a file.

        Raises:
            OutputError: the file cannot be written, or its name has another ending than .svg, .png
                and .html.
            InputError: the extra ``report`` is not installed.
        """
        found: Path = drawing("histogram_plots", "draw_equalization")(self, path)
        return found

    def __repr__(self) -> str:
        told = ", ".join(
            f"{stage} {len(held.labels)} labels"
            + ("" if held.unevenness is None else f" ({held.unevenness:.3g} to 1)")
            for stage, held in self.stages.items()
        )
        return f"<Equalization of {self.attribute}: {told}>"

    def parts(self) -> Iterator[Part]:
        """The records of every label, stage by stage."""
        yield Line(self.attribute, "title")
        rows = [
            (stage, "(missing)" if label is None else label, shown(count))
            for stage, label, count in self.frame().iter_rows()
        ]
        yield Grid(("stage", "label", "records"), rows, right=("records",))


def histogram(labels: Sequence[Label], counts: Sequence[int]) -> Histogram:
    """The records of every label; labels that occur several times are put together.

    >>> histogram(["[30, 39]", "[4, 9]", "[30, 39]", None], [2, 1, 3, 1])
    Histogram(labels=('[4, 9]', '[30, 39]', None), records=(1, 5, 1))
    """
    held: dict[Label, int] = {}
    for label, count in zip(labels, counts, strict=True):
        held[label] = held.get(label, 0) + int(count)
    ordered = sorted(held, key=_place)
    return Histogram(tuple(ordered), tuple(held[label] for label in ordered))


def equalization(
    attribute: str,
    values: Sequence[Label],
    counts: Sequence[int],
    taxonomy: Taxonomy,
    level: int = 1,
    bins: int | None = None,
) -> Equalization:
    """The histograms of a numeric attribute: its values, a level of its hierarchy, equalized.

    Arguments:
        attribute: its name.
        values: its different texts, None for the missing one.
        counts: records with each.
        taxonomy: its hierarchy, which covers all of them.
        level: the level of the hierarchy.
        bins: intervals of equal frequency; by default as many as the level has.

    Raises:
        DataError: the hierarchy has no such level.
        HierarchyError: a value is not a number, or is not covered.
    """
    if not 0 <= level < taxonomy.levels:
        raise DataError(
            "no-level",
            f"the hierarchy of '{attribute}' has levels 0 to {taxonomy.levels - 1}, not {level}",
            attribute=attribute,
        )
    generalized = histogram([taxonomy.generalize(value, level) for value in values], counts)
    wanted = bins or sum(label is not None for label in generalized.labels)
    even = equal_frequency_taxonomy(attribute, values, counts, bins=max(wanted, 1), levels=1)
    of = dict(zip(even.leaves, even.level(1), strict=True))
    return Equalization(
        attribute,
        histogram(values, counts),
        generalized,
        histogram([None if value is None else of[value] for value in values], counts),
    )


def _place(label: Label) -> tuple[int, Decimal, int, str]:
    """Numbers and intervals by their lower end, other texts after them, ``*`` and missing last."""
    none = Decimal(0)
    if label is None or label == SUPPRESSED:
        return (2, none, label is None, "")
    found = _LOWER_END.match(label)
    if found is None:
        return (1, none, 0, label)
    side = -1 if label.startswith("<") else int(label.startswith(">"))
    return (0, Decimal(found[1]), side, label)
