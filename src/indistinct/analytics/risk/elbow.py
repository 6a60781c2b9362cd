"""Where a curve of risk over k bends, and the k that three such curves speak for.

Risk falls quickly for the first few k, and slowly afterwards; the bend is where more anonymity
begins to buy little. It is taken as the point farthest below the straight line between the ends of
the curve, both axes brought to the unit square. "Elbow" as a rule for choosing k:

    N. Victor, D. Lopez: "Privacy Preserving Sensitive Data Publishing Using (k,n,m) Anonymity
    Approach". Journal of Communications Software and Systems 16(1), 2020, section IV.D, figure 10.

The paper shows the rule in a picture. The farthest point below the chord is the reading under which
its picture and its "4 and 5" agree; the rule depends on the range of k, which is why the range is
always named.

What it does not say: that the risk at the bend is low enough. For the curve 1/k over 2 to K, which
the highest risk follows in every table, the bend is near the square root of 2K.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from indistinct.document import PlainData
from indistinct.errors import DataError
from indistinct.frozen import dataclass

TOLERANCE = 1e-9
"""Distances that differ by no more are the same; the larger k is taken."""


@dataclass(frozen=True)
class Elbow(PlainData):
    """The bend of one curve.

    ``d`` is how far each point lies below the chord, from 0 to 1, for the ``ks`` of the curve.
    """

    told_keys: ClassVar = "k d"

    k: int
    d: tuple[float, ...]
    ks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Selection(PlainData):
    """The bends of several curves, and the k that follows from them, with the reason."""

    told_keys: ClassVar = "k why curves=elbows"

    k: int
    elbows: Mapping[str, Elbow]
    why: str


def elbow(ks: Sequence[int], ys: Sequence[float]) -> Elbow:
    """The bend of a curve: where it lies farthest below the line between its ends.

    A curve that rises somewhere is replaced by its running minimum before. Where two points are
    equally far, the larger k is taken; a curve that does not fall bends at its first k.

    Arguments:
        ks: the values of k, rising.
        ys: the risk at each.

    Raises:
        DataError: no point, not one risk for each k, values of k that do not rise, or a risk that
            is not a number.

    >>> elbow([2, 3, 4, 5], [0.5, 1 / 3, 0.25, 0.2]).k
    3
    """
    _check(ks, ys)
    x = np.asarray(ks, dtype=np.float64)
    y = np.minimum.accumulate(np.asarray(ys, dtype=np.float64))
    fall = float(y[0] - y[-1])
    if fall <= 0:
        return Elbow(int(ks[0]), (0.0,) * len(ks), tuple(map(int, ks)))
    d = 1 - (x - x[0]) / (x[-1] - x[0]) - (y - y[-1]) / fall
    at = int(np.flatnonzero(d >= d.max() - TOLERANCE)[-1])
    return Elbow(int(ks[at]), tuple(d.tolist()), tuple(map(int, ks)))


def select_k(
    ks: Sequence[int],
    at_risk: Sequence[float],
    highest: Sequence[float],
    success: Sequence[float],
) -> Selection:
    """The k that follows from the curves of the three criteria of risk.

    The smallest k with nobody at risk, if it is at least the first bend and at most one above
    the last bend; otherwise the last bend.

    Arguments:
        ks: the values of k, rising.
        at_risk: the share of records at risk at each (R1).
        highest: the highest risk at each (R2).
        success: the average risk at each (R3).

    Raises:
        DataError: as :func:`elbow` does.
    """
    curves = {"records_at_risk": at_risk, "highest": highest, "success": success}
    elbows = {name: elbow(ks, ys) for name, ys in curves.items()}
    bends = sorted({item.k for item in elbows.values()})
    low, high = bends[0], bends[-1]
    named = f"the curve bends at k = {low}" if low == high else f"curves bend from {low} to {high}"
    free = next((int(k) for k, y in zip(ks, at_risk, strict=True) if y == 0), None)
    if free is not None and low <= free <= high + 1:
        return Selection(free, elbows, f"{named}, and from {free} on no record is at risk")
    beyond = "some record is at risk throughout" if free is None else f"none is from {free} on"
    return Selection(high, elbows, f"{named}; {high} is the last bend ({beyond})")


def _check(ks: Sequence[int], ys: Sequence[float]) -> None:
    problem = None
    if not len(ks):
        problem = "a curve needs a point"
    elif len(ks) != len(ys):
        problem = f"{len(ks)} values of k have {len(ys)} risks"
    elif any(after <= before for before, after in zip(ks, list(ks)[1:], strict=False)):
        problem = "the values of k must rise"
    elif not np.isfinite(np.asarray(ys, dtype=np.float64)).all():
        problem = "a risk is not a number"
    if problem is not None:
        raise DataError("bad-curve", problem)
