"""Decoy stripping: which records of a class are decoys, and what is left without them?

A decoy copies values that its class shows (see :mod:`indistinct.release.decoys`), so every value is
still there when the decoys are gone, and the class holds at least as many records as were promised
before decoys were added. A removal is *consistent* if that is so. In the worst case only records
with other values than the true one leave: of s records with m values, n_s of them true, up to
s - n_s - (m - 1) can, which leaves a belief of n_s / (n_s + m - 1). Nobody becomes certain: decoys
hide how often a value occurs, and never which values do.
"""

from __future__ import annotations

import functools
from math import comb

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.remedies import without_decoys
from indistinct.analytics.attacks.removal import Removal, fewest_with, stripped
from indistinct.analytics.weighted import Weighted
from indistinct.types import Floats, Ints

NAME = "decoy-stripping"
KIND = "attribute"
WHOLE_CLASSES = True
PLACE = 160
KNOWLEDGE = "the exact quasi-identifiers of a person, and that decoys copy values of their class"
SOURCE = "after Arca and Hewett (2021), section 5, who propose decoys"
REMEDY = without_decoys

AVERAGED = 60
"""Records of the largest class whose removals are averaged one by one.

Of larger ones the share as published is taken: removing records blindly leaves shares as they are,
but for values that occur a few times only.
"""


def run(
    context: AttackContext,
    sensitive: str,
    *,
    k: int | None = None,
    to: int | None = None,
    anyway: bool = False,
) -> Finding | Skipped:
    """Take out of every class all that may be decoys.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        k: records that a class has at least without decoys; without, the largest promised k,
            else 1.
        to: what smaller classes were enlarged to, if that is known: larger ones have no decoys.
        anyway: go on where nothing says that the release may contain decoys.
    """
    if not context.one_record_each:
        return Skipped(NAME, "it attacks tables in which every record is a person")
    if "decoys" not in context.may_contain and not anyway:
        return Skipped(NAME, "nothing says that the release may contain decoys", sensitive)
    if context.lists_sets(sensitive):
        return Skipped(NAME, "sets of values are published, which are not covered", sensitive)
    k = k or context.k or 1
    held = context.buckets[sensitive]
    spare = np.where(context.classes.ordinary, np.maximum(held.size - k, 0), 0)
    if to is not None:
        spare[held.size > to] = 0
    most = np.minimum(spare, held.size - held.length)
    row = held.row_of
    own = np.minimum(spare[row], held.size[row] - held.amount - (held.length[row] - 1))
    bearable = held.size[row] - fewest_with(held.amount, context.bound_of_people(sensitive))
    own = np.clip(own, 0, np.maximum(bearable, 0))
    removal = Removal(
        what="decoys",
        most=most,
        own_left=held.size[row] - own,
        average=_average(held, most),
        figures={"k": k, "to": to},
    )
    return stripped(context, sensitive, removal)


def _average(held: Weighted, most: Ints) -> Floats:
    """Belief in each entry's value, on average over how many are removed, and which of them."""
    found: Floats = held.amount / held.size[held.row_of]
    for g in np.flatnonzero((most > 0) & (held.size <= AVERAGED)).tolist():
        own = slice(held.indptr[g], held.indptr[g + 1])
        counts = held.amount[own]
        order = np.argsort(counts, kind="stable")
        found[own][order] = _averages(tuple(counts[order].tolist()), int(most[g]))
    return found


@functools.lru_cache(maxsize=1 << 14)
def _averages(counts: tuple[int, ...], most: int) -> tuple[float, ...]:
    """The mean share of each value after 0 to ``most`` removals that leave every value there.

    The number of removals is uniform, and so are the sets of that many records. Sets are counted
    with polynomials: removing d of c records of one value is a term C(c, d) x^d, d < c.
    """
    size = sum(counts)
    parts = [np.array([comb(c, d) for d in range(c)], np.float64) for c in counts]
    beliefs = []
    known: dict[int, float] = {}
    for at, count in enumerate(counts):
        if count not in known:
            others = np.ones(1)
            for other, part in enumerate(parts):
                if other != at:
                    others = np.convolve(others, part)
            stays = parts[at] * (count - np.arange(count))
            sets, left = np.convolve(others, parts[at]), np.convolve(others, stays)
            taken = np.arange(min(most, len(sets) - 1) + 1)
            share = left[taken] / sets[taken] / (size - taken)
            known[count] = float(share.mean())
        beliefs.append(known[count])
    return tuple(beliefs)
