"""Separation and distinction: how far attributes are from being a key of the table.

Motwani and Xu (Efficient algorithms for masking and finding quasi-identifiers, VLDB 2007): the
*distinction* of a set of attributes is the number of its distinct combinations over that of
records, the *separation* the share of pairs of records that differ in it. ARX reports both for
every subset of the quasi-identifiers. Both are 1 for a key and never fall when an attribute is
added.
"""

from __future__ import annotations

import math
from dataclasses import replace

from indistinct.analytics.leakage.information_loss import Leakage, LeakageAnalysis
from indistinct.document import PlainData
from indistinct.frozen import dataclass
from indistinct.microdata.frequencies import FrequencyTable

ENUMERATED = 5000
"""Up to so many sets of attributes are all looked at; of more, one attribute is added at a time."""


@dataclass(frozen=True)
class Separation(PlainData):
    """How well the values of some attributes tell records apart.

    ``classes`` is the number of distinct combinations; ``exact`` is false for a set that was put
    together one attribute at a time, which need not be the best.
    """

    attributes: tuple[str, ...]
    classes: int
    distinction: float
    separation: float
    exact: bool = True


def best(table: FrequencyTable | LeakageAnalysis, size: int) -> Separation:
    """The set of so many attributes that tells most pairs of records apart.

    All sets are looked at where there are few. Where there are more than 5,000, the attribute that
    adds most is added until there are enough, and ``exact`` is false (Motwani and Xu's greedy
    algorithm).
    """
    analysis = table if isinstance(table, LeakageAnalysis) else LeakageAnalysis(table)
    size = min(size, len(analysis.attributes))
    if size < 1:
        alone = 1 / analysis.records if analysis.records else 0.0
        return Separation((), min(1, analysis.records), alone, 0.0)
    if sum(math.comb(len(analysis.attributes), part) for part in range(size + 1)) <= ENUMERATED:
        return min(map(_of, analysis.combinations(size, least=size)), key=_rank)
    most = _rank(_of(analysis.of(analysis.attributes)))[:2]
    found = min((_of(one, exact=False) for one in analysis.singles()), key=_rank)
    while len(found.attributes) < size and _rank(found)[:2] > most:
        wider = analysis.with_one_more(found.attributes)
        found = min((_of(one, exact=False) for one in wider), key=_rank)
    # What separates all that can be separated does so with any others, too.
    others = [name for name in analysis.attributes if name not in found.attributes]
    return replace(found, attributes=(*found.attributes, *others[: size - len(found.attributes)]))


def _of(leakage: Leakage, *, exact: bool = True) -> Separation:
    return Separation(
        leakage.attributes, leakage.partitions, leakage.distinction, leakage.separation, exact
    )


def _rank(found: Separation) -> tuple[float, float, tuple[str, ...]]:
    """What separates most comes first."""
    return -round(found.separation, 12), -round(found.distinction, 12), found.attributes
