"""Small random tables of people, for what puts records into classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from indistinct.hierarchies.dates import dates_taxonomy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import Promise, promise
from indistinct.recoding.plan import CellPlan
from indistinct.release.apply import change
from indistinct.release.audit import Audit, audit
from indistinct.requirement import Requirement
from indistinct.sources.engines import open_table

AGES = tuple(str(age) for age in (3, 7, 20, 21, 22, 40, 41, 65))
DAYS = tuple(f"2019-{day}" for day in ("01-03", "01-07", "04-20", "04-21", "05-22", "09-04"))
WARDS = (
    ("A1", "A", "house", "*"),
    ("A2", "A", "house", "*"),
    ("B1", "B", "house", "*"),
    ("B2", "B", "house", "*"),
    ("day", "out", "*"),
    ("night", "out", "*"),
    ("home", "*"),
)
TOWNS = tuple(("town " + letter, "*") for letter in "NESW")
UNKNOWN = "elsewhere"
ILLS = "uvwx"


@dataclass(frozen=True)
class Table:
    """Rows of age, ward, town and illness; what becomes of missing values and unknown wards.

    Of a table with ``levels`` the ages are days, in a hierarchy of dates with these levels.
    """

    rows: tuple[tuple[str | None, str | None, str | None, str], ...]
    missing: Any
    attributes: tuple[str, ...]
    levels: tuple[str, ...] = ()

    @property
    def texts(self) -> pl.DataFrame:
        names = ("age", "ward", "town", "ill")
        frame = pl.DataFrame(list(self.rows), schema=dict.fromkeys(names, pl.String), orient="row")
        return frame.select([*self.attributes, "ill"])

    @property
    def taxonomies(self) -> dict[str, Taxonomy]:
        every = {
            "age": dates_taxonomy("age", DAYS, levels=self.levels)
            if self.levels
            else Taxonomy("age", [(age, "young" if int(age) < 21 else "old") for age in AGES]),
            "ward": Taxonomy("ward", WARDS),
            "town": Taxonomy("town", TOWNS),
        }
        unknown = {UNKNOWN} & {row[1] for row in self.rows if row[1] is not None}
        found = {}
        for name in self.attributes:
            gone = self.texts[name].null_count() > 0
            found[name] = every[name].extended(
                self.missing if gone else None, unknown if name == "ward" else ()
            )
        return found

    def encoded(self, *, by_record: bool = False, population: Table | None = None) -> Microdata:
        people = None if population is None else population.texts.select(self.attributes)
        return Microdata.encode(
            self.texts, self.taxonomies, ["ill"], by_record=by_record, population=people
        )


@st.composite
def tables(
    draw: st.DrawFn, most: int = 40, *, plain: bool = False, like: Table | None = None
) -> Table:
    """Up to so many records; plain ones have no missing or unknown values.

    Ages of a table ``like`` another one are days where those of that are.
    """
    extra: list[str | None] = [] if plain else draw(st.sampled_from([[], [None]]))
    unknown = [] if plain else draw(st.sampled_from([[], [UNKNOWN]]))
    kinds = [(), (), ("day", "month"), ("month", "year"), ("quarter",)]
    levels = draw(st.sampled_from(kinds)) if like is None else like.levels
    row = st.tuples(
        st.sampled_from([*(DAYS if levels else AGES), *extra]),
        st.sampled_from([*(chain[0] for chain in WARDS), *extra, *unknown]),
        st.sampled_from([*(chain[0] for chain in TOWNS), *extra]),
        st.sampled_from("uuuvvwx"),
    )
    rows = tuple(draw(st.lists(row, min_size=1, max_size=most)))
    names = draw(
        st.sampled_from(
            [("age",), ("ward",), ("town",), ("age", "ward"), ("ward", "town"), ("town", "age")]
            + [("age", "ward", "town")] * 3
        )
    )
    return Table(rows, draw(st.sampled_from(["value", "suppress"])), names, levels)


@st.composite
def promises(draw: st.DrawFn, table: Table) -> list[Promise]:
    """One to three, of any closure, some over a part of the quasi-identifiers."""
    found = []
    for _ in range(draw(st.integers(1, 3))):
        on = None
        if draw(st.integers(0, 3)) == 0:
            on = draw(st.lists(st.sampled_from(table.attributes), min_size=1, unique=True))
        reference = draw(st.sampled_from(["published", "original"]))
        settings: dict[str, Any] = draw(
            st.sampled_from(
                [
                    {"model": "k-anonymity", "k": 2},
                    {"model": "k-anonymity", "k": 3},
                    {"model": "k-anonymity", "k": 7},
                    {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
                    {"model": "distinct-l-diversity", "l": 3, "sensitive": "ill"},
                    {"model": "entropy-l-diversity", "l": 1.9, "sensitive": "ill"},
                    {"model": "recursive-cl-diversity", "c": 2.0, "l": 2, "sensitive": "ill"},
                    {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 2, "sensitive": "ill"},
                    {"model": "max-posterior", "bound": 0.55, "sensitive": "ill"},
                    *(
                        {"model": "t-closeness", "t": t, "sensitive": "ill", "reference": reference}
                        for t in (0.12, 0.3)
                    ),
                    {
                        "model": "basic-beta-likeness",
                        "beta": 0.8,
                        "sensitive": "ill",
                        "reference": reference,
                    },
                    {
                        "model": "theta-sensitive",
                        "k": 3,
                        "mu": 0.5,
                        "theta": "size",
                        "sensitive": "ill",
                    },
                ]
            )
        )
        found.append(promise(**{**settings, "on": on}))
    return found


@st.composite
def cells(draw: st.DrawFn, table: Table) -> dict[str, str] | str | None:
    """What to publish."""
    if draw(st.booleans()):
        return draw(st.sampled_from([None, "set", "ancestor", "level"]))
    return {
        name: draw(
            st.sampled_from(["set", "ancestor", "level", *(["range"] if name == "age" else [])])
        )
        for name in table.attributes
        if draw(st.booleans())
    }


def released(table: Table, microdata: Microdata, plan: CellPlan) -> pl.DataFrame:
    """The release that a plan describes, as the source publishes it; suppressed records stay."""
    found: pl.DataFrame = open_table(table.texts).publish(
        change(
            microdata.data,
            plan,
            [*table.attributes, "ill"],
            keep_suppressed=True,
            combination_of=microdata.combination_of,
        )
    )
    return found


def audited(
    table: Table, release: pl.DataFrame, asked: Sequence[Promise], data: LeveledTable, **more: Any
) -> Audit:
    """The audit of a release, told what the certificate would tell."""
    from dataclasses import replace

    totals = data.table.sensitive["ill"]
    known = replace(
        totals.known,
        reference=dict(zip(totals.domain, map(float, totals.totals), strict=True)),
    )
    requirements = [
        Requirement(part.model, part.parameters, part.on, part.sensitive, "record", part.reference)
        for part in asked
    ]
    return audit(release, requirements, table.attributes, known={"ill": known}, **more)


def classes_keep(seen: Audit) -> bool:
    """Whether the classes keep every promise.

    The tests publish suppressed records as well, which the audit judges as a group of their own.
    """
    return not seen.classes.count or all(verdict.holds for verdict in seen.promises)


def members(plan: CellPlan, data: LeveledTable, group: int) -> list[tuple[str | None, ...]]:
    """The exact values of the combinations in a class, for every attribute."""
    rows = np.flatnonzero(plan.class_of == group)
    return [
        tuple(
            data.taxonomies[name].leaves[int(code)] for code in data.table.codes[j][rows].tolist()
        )
        for j, name in enumerate(data.attributes)
    ]
