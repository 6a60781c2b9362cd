"""Separation and distinction: how far attributes are from being a key of the table.

Motwani and Xu (Efficient algorithms for masking and finding quasi-identifiers, VLDB 2007): the
*distinction* of a set of attributes is the number of its distinct combinations over that of
records, the *separation* the share of pairs of records that differ in it. ARX reports both for
every subset of the quasi-identifiers. Both are 1 for a key and never fall when an attribute is
added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from indistinct.analytics.leakage import Leakage, LeakageAnalysis
from indistinct.microdata.frequencies import FrequencyTable

Figure = Literal["separation", "distinction"]
Progress = Callable[[float], None]

ENUMERATED = 5000
"""Up to so many sets of attributes are all looked at; of more, one attribute is added at a time."""

_TINY = 1e-12


@dataclass(frozen=True)
class Separation:
    """How well the values of some attributes tell records apart.

    ``classes`` is the number of distinct combinations; ``exact`` is false for a set that was put
    together one attribute at a time, which need not be the best.
    """

    attributes: tuple[str, ...]
    classes: int
    distinction: float
    separation: float
    exact: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {
            "attributes": list(self.attributes),
            "classes": self.classes,
            "distinction": self.distinction,
            "separation": self.separation,
            "exact": self.exact,
        }


def separations(
    table: FrequencyTable | LeakageAnalysis,
    most: int | None = None,
    *,
    least: int = 1,
    progress: Progress | None = None,
) -> list[Separation]:
    """Separation and distinction of every set of attributes, what separates most first.

    Arguments:
        table: the distinct combinations of the table.
        most: the largest number of attributes in a set; all of them unless said.
        least: the smallest number.
        progress: is told the share that is done.
    """
    analysis = _analysis(table)
    most = len(analysis.attributes) if most is None else most
    found = [_of(item) for item in analysis.combinations(most, least=least, progress=progress)]
    return sorted(found, key=_best_first("separation"))


def best(
    table: FrequencyTable | LeakageAnalysis, size: int, by: Figure = "separation"
) -> Separation:
    """The set of so many attributes that comes nearest to a key.

    All sets are looked at where there are few; where there are more than 5,000, the attribute that
    adds most is added until there are enough, and ``exact`` is false (Motwani and Xu's greedy
    algorithm).
    """
    analysis = _analysis(table)
    size = min(size, len(analysis.attributes))
    if size < 1:
        return Separation((), min(1, analysis.records), _one_class(analysis), 0.0)
    if sum(math.comb(len(analysis.attributes), part) for part in range(size + 1)) <= ENUMERATED:
        return min(map(_of, analysis.combinations(size, least=size)), key=_best_first(by))
    return _greedy(analysis, by, lambda found: len(found.attributes) >= size)


def smallest_key(
    table: FrequencyTable | LeakageAnalysis, share: float = 1.0, by: Figure = "separation"
) -> Separation | None:
    """The smallest set of attributes whose separation (or distinction) reaches a share.

    Motwani and Xu's minimum epsilon-separation key, with epsilon = 1 - share. Exact where at most
    5,000 sets have to be looked at. None where all attributes together do not reach it.
    """
    analysis = _analysis(table)
    every = _of(analysis.of(analysis.attributes))
    if not analysis.attributes or getattr(every, by) < share - _TINY:
        return None
    looked = 0
    for size in range(1, len(analysis.attributes) + 1):
        looked += math.comb(len(analysis.attributes), size)
        if looked > ENUMERATED:
            break
        found = min(map(_of, analysis.combinations(size, least=size)), key=_best_first(by))
        if getattr(found, by) >= share - _TINY:
            return found
    return _greedy(analysis, by, lambda found: float(getattr(found, by)) >= share - _TINY)


def _greedy(
    analysis: LeakageAnalysis, by: Figure, enough: Callable[[Separation], bool]
) -> Separation:
    chosen: tuple[str, ...] = ()
    while True:
        rest = [name for name in analysis.attributes if name not in chosen]
        ways = (_of(analysis.of((*chosen, name)), exact=False) for name in rest)
        found = min(ways, key=_best_first(by))
        if enough(found) or len(rest) == 1:
            return found
        chosen = found.attributes


def _analysis(table: FrequencyTable | LeakageAnalysis) -> LeakageAnalysis:
    return table if isinstance(table, LeakageAnalysis) else LeakageAnalysis(table)


def _of(leakage: Leakage, *, exact: bool = True) -> Separation:
    return Separation(
        leakage.attributes, leakage.partitions, leakage.distinction, leakage.separation, exact
    )


def _best_first(by: Figure) -> Callable[[Separation], tuple[float, float, int, tuple[str, ...]]]:
    other = "distinction" if by == "separation" else "separation"

    def key(found: Separation) -> tuple[float, float, int, tuple[str, ...]]:
        first, second = round(getattr(found, by), 12), round(getattr(found, other), 12)
        return -first, -second, len(found.attributes), found.attributes

    return key


def _one_class(analysis: LeakageAnalysis) -> float:
    return 1 / analysis.records if analysis.records else 0.0
