"""Tables of Arca and Hewett (2021) as leakage and the three searches see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import indistinct as ind
from indistinct import KAnonymity, Leakage, Promise, Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata, row_numbers
from indistinct.microdata.subjects import Subjects
from indistinct.recoding.subtree.search import SearchResult, Step, run
from indistinct.recoding.subtree.space import space

REST = "everything else"
"""One column for all attributes that no requirement names: they count for what a row is."""

BOUNDS = ("min_level", "max_level")
METHODS = {
    "exhaustive": "Method 1 (exhaustive)",
    "greedy": "Method 2 (greedy)",
    "iab": "IAB",
}


@dataclass(frozen=True)
class Data:
    """A table of texts with a number of records per row, and hierarchies for it."""

    texts: pl.DataFrame
    weight: NDArray[np.int64]
    taxonomies: Mapping[str, Taxonomy]

    def encoded(self, attributes: Sequence[str]) -> Microdata:
        """The table as a search sees it, with some attributes to be generalized."""
        others = [name for name in self.texts.columns if name not in attributes]
        return Microdata.encode(
            Subjects.of_records(self.texts, self.weight),
            {name: self.taxonomies[name] for name in attributes},
            unchanged={REST: row_numbers(self.texts, others)},
        )

    @property
    def records(self) -> pl.DataFrame:
        """The table with a row for every record."""
        return self.texts[np.repeat(np.arange(self.texts.height), self.weight)]

    def leakage(self, levels: Mapping[str, int] | None = None) -> Leaking:
        """The leakage of its columns, as they are or generalized to some levels."""
        return Leaking(
            self.records.with_columns(
                pl.Series(
                    name,
                    [self.taxonomies[name].generalize(value, level) for value in column],
                    dtype=pl.String,
                )
                for name, level in (levels or {}).items()
                for column in [self.records[name]]
            )
        )

    def released(self, shield: Sequence[str], k: int, **method: Any) -> ind.Release:
        """What :func:`indistinct.anonymize` makes of the records, a row for each in their order.

        Arguments:
            shield: the quasi-identifiers; all other columns are published as they are.
            k: records that share them.
            method: the method of a policy, and under ``levels`` those that it has to choose.
        """
        levels: Mapping[str, int] | None = method.pop("levels", None)
        attributes: dict[str, Any] = {}
        for name in self.texts.columns:
            attributes[name] = {"role": "insensitive"}
            if name in shield:
                bounds = {} if levels is None else dict.fromkeys(BOUNDS, levels.get(name, 0))
                tree = self.taxonomies[name]
                attributes[name] = {"role": "quasi-identifier", "hierarchy": tree, **bounds}
        return ind.anonymize(
            self.records,
            {
                "attributes": attributes,
                "promises": [{"model": "k-anonymity", "k": k}],
                "method": {"seed": 0, **method},
                "output": {"shuffle": False},
            },
        )


@dataclass(frozen=True)
class Leaking:
    """What :func:`indistinct.assess` says of the columns of a table with a row for every record."""

    table: pl.DataFrame

    @cached_property
    def whole(self) -> ind.Assessment:
        """Every column by itself."""
        return ind.assess(self.table, attributes=self.table.columns, combinations=1)

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.whole.records

    @property
    def entropy(self) -> float:
        """What naming one of them is worth, in bits."""
        return self.whole.entropy

    def of(self, names: Sequence[str]) -> Leakage:
        """The leakage of some columns together."""
        found = self.whole
        if len(names) > 1:
            found = ind.assess(self.table, attributes=names, combinations=len(names))
        return next(own for own in found.leakage if {*own.attributes} == {*names})


def requirement(on: Sequence[str], k: int) -> Promise:
    """The requirement <on, k>."""
    return KAnonymity(k=k, on=tuple(on))


def searched(
    data: LeveledTable,
    requirements: Sequence[Promise],
    method: str,
    *,
    scope: str = "domain",
    **settings: Any,
) -> SearchResult:
    """What one of the three methods finds."""
    return run(method, space(scope, data, requirements), **settings)


def levels_of(data: LeveledTable, step: Step) -> dict[str, int]:
    """The level of every attribute that can be generalized (domain scope)."""
    assert isinstance(step.state, tuple)
    levels = dict(zip(data.attributes, step.state, strict=True))
    return {name: int(level) for name, level in levels.items() if name != REST}


def told(levels: Mapping[str, int]) -> str:
    """Levels in one phrase.

    >>> told({"Zip": 1, "Age": 0})
    'Zip 1, Age 0'
    """
    return ", ".join(f"{name} {level}" for name, level in levels.items())
