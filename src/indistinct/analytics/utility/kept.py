"""What transformations leave of columns: their distributions, and how they go together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.analytics.leakage.associations import association, coarse
from indistinct.document import PlainData
from indistinct.frozen import dataclass, field
from indistinct.hierarchies import decimals
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.randomness import simulation
from indistinct.types import Ints, Plain
from indistinct.warning_kinds import Kind, WarningText

LOOKED_AT = 50_000
"""Records that are compared, at most."""

MOST_PAIRS = 1_000
"""Pairs of columns that are compared, at most."""

MUCH = 0.1
"""The custodian is warned of pairs whose association changes by as much."""

TOLD = 5
"""Pairs that the warning names, at most."""


@dataclass(frozen=True)
class Pair:
    """How much two columns depend on each other, before and after: Cramér's V, without chance."""

    one: str
    other: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """By how much it differs."""
        return abs(self.before - self.after)

    def to_dict(self) -> Plain:
        """The pair as plain data."""
        names = [self.one, self.other]
        return {"columns": names, "before": self.before, "after": self.after}


@dataclass(frozen=True)
class Kept(PlainData):
    """What is left of transformed columns.

    Arguments:
        pairs: each of them with every other published column.
        moved: of each the share of records that would have to change for the distribution before;
            columns whose texts are all new, such as groups or pseudonyms, have none.
    """

    told_keys: ClassVar = "*measures moved pairs"

    pairs: tuple[Pair, ...] = ()
    moved: Mapping[str, float] = field(default_factory=dict)

    @property
    def measures(self) -> dict[str, float]:
        """Two measures from 0, nothing lost, to 1."""
        if not self.pairs and not self.moved:
            return {}
        most = sum(max(pair.before, pair.after) for pair in self.pairs)
        lost = sum(pair.change for pair in self.pairs) / most if most > 0 else 0.0
        moved = {"transformed-distributions": sum(self.moved.values()) / max(len(self.moved), 1)}
        return {**(moved if self.moved else {}), "transformed-associations": lost}

    @property
    def warnings(self) -> list[WarningText]:
        """What the custodian should know of them."""
        much = sorted(
            (pair for pair in self.pairs if pair.change >= MUCH), key=lambda pair: -pair.change
        )
        if not much:
            return []
        listed = ", ".join(
            f"'{pair.one}' and '{pair.other}' ({pair.before:.2f}, now {pair.after:.2f})"
            for pair in much[:TOLD]
        )
        more = f" and {len(much) - TOLD} more pairs" if len(much) > TOLD else ""
        return [
            Kind.LOSS(
                "transformed columns are associated differently than in the table (Cramér's "
                f"V): {listed}{more}"
            )
        ]


def kept(before: pl.DataFrame, after: pl.DataFrame, transformed: Collection[str]) -> Kept:
    """What is left of columns.

    Arguments:
        before: texts of the published columns as they were, null for missing.
        after: the same as they are now; of other records, perhaps.
        transformed: those of them that were transformed.
    """
    before, after = _some(before), _some(after)
    names = [name for name in before.columns if name in transformed]
    others = [name for name in before.columns if name not in transformed]
    wanted = [
        (one, other) for at, one in enumerate(names) for other in (*names[at + 1 :], *others)
    ][:MOST_PAIRS]
    used = dict.fromkeys([*names, *(name for pair in wanted for name in pair)])
    found = {name: _codes(before[name], after[name]) for name in used}
    codes = {name: own for name, (own, _) in found.items()}
    weights = [np.ones(table.height, np.int64) for table in (before, after)]
    pairs = []
    for one, other in wanted:
        figures = [association(codes[one][at], codes[other][at], weights[at])[0] for at in (0, 1)]
        pairs.append(Pair(one, other, *figures))
    moved = {name: _moved(*own) for name, (own, named) in found.items() if not named}
    return Kept(tuple(pairs), {name: moved[name] for name in names if name in moved})


def _some(table: pl.DataFrame) -> pl.DataFrame:
    """The records that are looked at: the same of two tables that are equally long."""
    if table.height <= LOOKED_AT:
        return table
    drawn = pl.Series(simulation(0).choice(table.height, LOOKED_AT, replace=False))
    return table.select(pl.all().gather(drawn))


def _codes(before: pl.Series, after: pl.Series) -> tuple[Sequence[Ints], bool]:
    """The values of a column before and after, or bins of its numbers; -1 is missing.

    And whether texts have taken the place of all values.
    """
    both = pl.concat([before, after])
    known = sorted_values(both.drop_nulls())
    codes = codes_in(both, [*known, None]).astype(np.int64)
    codes[codes == len(known)] = -1
    values = _measured([text for text in known if text is not None])
    if values is not None:
        codes = coarse(codes, values, np.ones(len(codes), np.int64))
    parts = np.split(codes, [len(before)])
    old, new = (own[own >= 0] for own in parts)
    named = values is None and len(old) > 0 < len(new) and not np.isin(new, old).any()
    return parts, bool(named)


def _measured(texts: Sequence[str]) -> list[float] | None:
    """Texts as numbers, dates as days; None where some are neither."""
    numbers, values = [decimals.parsed(text) for text in texts], list[float]()
    with suppress(OverflowError):  # whole numbers divide exactly; 1e400 is no float
        values = [number[0] / 10 ** number[1] for number in numbers if number is not None]
    if len(values) < len(texts):
        days = pl.Series(texts, dtype=pl.String).str.to_date("%Y-%m-%d", strict=False)
        values = days.drop_nulls().dt.epoch("d").cast(pl.Float64).to_list()
    return values if texts and len(values) == len(texts) else None


def _moved(before: Ints, after: Ints) -> float:
    """Half the sum of differences between two distributions, missing values among them."""
    most = int(max(before.max(initial=-1), after.max(initial=-1))) + 2
    first, second = (np.bincount(codes + 1, minlength=most) for codes in (before, after))
    n, m = max(len(before), 1), max(len(after), 1)
    return int(np.abs(first * m - second * n).sum()) / (2 * n * m)
