"""How sensitive each value of an attribute is: ranks from 1 (critical) to 4 (low).

A diagnosis of HIV and one of influenza do not deserve the same protection. A rank per value says
which deserves more:

    N. Victor, D. Lopez: "Privacy Preserving Sensitive Data Publishing Using (k,n,m) Anonymity
    Approach". Journal of Communications Software and Systems 16(1), 2020, definition 3, table IV.

The paper takes ranks from a person who knows, from a dependent attribute of the table (how often
somebody with the value is not discharged), or from figures of others (deaths per disease), and does
not say how a figure becomes one of four ranks. Here its range is cut: a value is critical from 75 %
of the range upwards, major from 50 %, medium from 25 %, and low below. Where fewer than four values
have a figure, a range says little, and they are ranked in their order: the gravest is critical.

What a rank does not say: that the figure behind it is right. A value that is rare in the table has
a share of bad outcomes that chance decides.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from indistinct.errors import DataError
from indistinct.metadata import Value

V = TypeVar("V", bound=Value)

RANKS: Mapping[int, str] = {1: "critical", 2: "major", 3: "medium", 4: "low"}
"""The four ranks, and what the paper calls them."""

CRITICAL, LOW = 1, 4

CUTS = (0.75, 0.5, 0.25)
"""From which share of the range of scores on a value is critical, major and medium."""

CLOSE = 1e-12
"""How far a share of the range may miss its cut and still be at it: what arithmetic loses."""


def ranks_by_score(scores: Mapping[V, float], cuts: Sequence[float] = CUTS) -> dict[V, int]:
    """The rank of every value by a score: the higher, the more sensitive.

    Values of equal scores have one rank. If all have the same one, all are critical.

    Arguments:
        scores: a figure for every value: deaths, a share of bad outcomes.
        cuts: three falling shares of the scores' range, from which on a value is critical, major
            and medium.

    Raises:
        DataError: a score that is not a number, or cuts that do not fall between 1 and 0.

    >>> ranks_by_score({"HIV": 90, "hepatitis": 60, "malaria": 30, "influenza": 5})
    {'HIV': 1, 'hepatitis': 2, 'malaria': 3, 'influenza': 4}
    >>> ranks_by_score({"<=50K": 0.1, ">50K": 0.7})
    {'<=50K': 2, '>50K': 1}
    """
    _check(scores, cuts)
    if len(scores) < len(RANKS):
        falling = sorted(set(scores.values()), reverse=True)
        return {value: falling.index(score) + CRITICAL for value, score in scores.items()}
    low, high = min(scores.values()), max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, CRITICAL)
    return {
        value: CRITICAL + sum((score - low) / (high - low) < cut - CLOSE for cut in cuts)
        for value, score in scores.items()
    }


def share_of_harm(
    counted: Iterable[tuple[Value, Value, int]], harmful: Collection[str]
) -> dict[Value, float]:
    """How often people with each value came to harm, out of those whose outcome is known.

    A value without a known outcome has no share.

    Arguments:
        counted: value, outcome and number of records with both.
        harmful: the outcomes that are harm.

    >>> share_of_harm([("HIV", "N", 2), ("malaria", "Y", 3), ("malaria", "N", 1)], ["N"])
    {'HIV': 1.0, 'malaria': 0.25}
    """
    known: dict[Value, int] = {}
    harmed: dict[Value, int] = {}
    for value, outcome, records in counted:
        if outcome is None:
            continue
        known[value] = known.get(value, 0) + records
        harmed[value] = harmed.get(value, 0) + (records if outcome in harmful else 0)
    return {value: harmed[value] / records for value, records in known.items() if records}


def falling_ks(ks: Mapping[int, int]) -> dict[int, int]:
    """The same k of every rank, raised where a less sensitive rank has a larger one.

    From rank 4 to rank 1 no k is smaller than the one before (running maximum).

    >>> falling_ks({1: 4, 2: 6, 4: 5})
    {1: 6, 2: 6, 4: 5}
    """
    found: dict[int, int] = {}
    largest = 0
    for rank in sorted(ks, reverse=True):
        largest = max(largest, ks[rank])
        found[rank] = largest
    return dict(sorted(found.items()))


def _check(scores: Mapping[V, float], cuts: Sequence[float]) -> None:
    problem = None
    if not all(math.isfinite(score) for score in scores.values()):
        problem = "a score is not a number"
    elif len(cuts) != len(CUTS) or not 1 > cuts[0] > cuts[1] > cuts[2] > 0:
        problem = "cuts must be three shares that fall between 1 and 0"
    if problem is not None:
        raise DataError("bad-scores", problem)
