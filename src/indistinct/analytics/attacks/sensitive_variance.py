"""Sensitive variance: is the rank variance of a class below theta?

The rank variance of a class is that of the numbers 1..m given to its m values in falling order of
frequency. The attacker strikes where it is below theta = mu (k^2 - 1) / 12. It is no measure of
diversity: a class may pass and still give people away (and the other way round), which is why the
other attackers stand beside this one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.noise_stripping import removable_of_groups
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.analytics.attacks.weak_classes import Weak, target_weak_classes
from indistinct.analytics.weighted import Rows, Weighted
from indistinct.privacy.rank_variance import falls_short, rank_variance, theta, thresholds
from indistinct.types import Array, Bools, Floats, Ints, PlainMapping

NAME = "sensitive-variance"
KIND = "attribute"
PLACE = 80
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Khan and others (2020), section 5.1"
REMEDY = bounded_belief

MU = 0.6
"""The share of the variance of k different values that is asked for where nothing is promised."""

CELLS_AT_ONCE = 1 << 22

FallsShort = Callable[[Weighted, Ints], Bools]
"""Which rows of counts, of so many people, vary too little."""


def run(
    context: AttackContext, sensitive: str, *, k: int | None = None, mu: float | None = None
) -> Finding | Skipped:
    """Strike where the rank variance of the compatible classes is below theta.

    Of linked tables, where a class is linked to a bucket whose variance is. The figures
    ``stripped_*`` tell of buckets after all that may be noise was taken out.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        k: of theta(k); without, that of a theta-sensitive promise for the attribute, else the
            largest promised k, else the size of the smallest class or bucket.
        mu: the share of the full variance; without, that of the promise, else 0.6.
    """
    promised = _promised(context, sensitive)
    mu = float(promised.get("mu", MU)) if mu is None else mu
    pool, sizes = context.groups(sensitive)
    there = sizes > 0
    k = k or promised.get("k") or context.k or (int(sizes[there].min()) if there.any() else 1)
    if k < 2:
        return Skipped(NAME, _too_small(context), sensitive)
    by_size = promised.get("theta") == "size"
    asked: dict[str, float | int | None] = {"mu": mu}
    below = "what its size requires"
    if not by_size:
        asked |= {"k": k, "theta": theta(k, mu)}
        below = f"{theta(k, mu):.4g}"

    def falling_short(counts: Weighted, size: Ints) -> Bools:
        least = thresholds(size, mu) if by_size else theta(k, mu)
        return falls_short(variances(counts), least) & (size > 0)

    own, weak = variances(pool), falling_short(pool, sizes)
    figures = {**asked, "smallest_variance": float(own[there].min()) if there.any() else None}
    if context.linked:
        classes, sets, by_class = _linked_to(context, weak)
        figures |= {"weak_buckets": int(weak.sum()), "bucket_people": int(sizes[weak].sum())}
        if context.bucket_semantics == "one" and "noise" in context.may_contain:
            figures |= _stripped(context, sensitive, k, falling_short)
        what = f"it is linked to a bucket with a rank variance of {sensitive}"
    else:
        pooled = context.listed(sensitive).pooled
        counts = np.rint(pooled.amount).astype(np.int64)
        counted = Weighted(pooled.indptr, pooled.index, counts)
        classes, sets = weak, falling_short(counted, context.places.set_size)
        by_class = {"variance": own}
        what = f"the rank variance of {sensitive} in it is"
    found = Weak(
        classes=classes,
        sets=sets,
        belief=context.true_belief(sensitive),
        prior=context.true_prior(sensitive),
        because=f"A class is weak if {what} below {below}",
        figures=figures,
        by_class=by_class,
    )
    return target_weak_classes(context, sensitive, found)


def _linked_to(context: AttackContext, weak: Bools) -> tuple[Bools, Bools, dict[str, Array]]:
    """Classes and candidate sets that are linked to one of some buckets, with how many rows."""
    linked, met = context.class_buckets, context.set_buckets
    rows = np.bincount(
        linked.row_of, linked.amount * weak[linked.index], minlength=len(context.classes)
    )
    sets = np.bincount(met.row_of, weak[met.index], minlength=len(met)) > 0
    return rows > 0, sets, {"weak_rows": rows.astype(np.int64)}


def _too_small(context: AttackContext) -> str:
    if context.one_record_each:
        return "classes of one record have no variance to fall short of"
    what = "bucket" if context.linked else "class"
    return f"a {what} of one person has no variance to fall short of"


def _promised(context: AttackContext, sensitive: str) -> PlainMapping:
    """The parameters of a promise of theta-sensitivity for the attribute, if there is one."""
    return next(
        (
            item.parameters
            for item in context.promises
            if item.model == "theta-sensitive" and item.sensitive in (None, sensitive)
        ),
        {},
    )


def _stripped(
    context: AttackContext, sensitive: str, k: int, falling_short: FallsShort
) -> dict[str, int]:
    """Buckets that are weak, and those with one value, once all that may be noise is gone."""
    held = context.buckets[sensitive]
    most = removable_of_groups(context, sensitive, k)
    # Which of the values that occur once are taken out does not matter to the variance.
    once = held.amount == 1
    place = np.cumsum(once) - once
    first = np.append(place, once.sum())[held.indptr[:-1]]
    gone = once & (place - first[held.row_of] < most[held.row_of])
    left = Weighted(held.indptr, held.index, np.where(gone, 0, held.amount))
    sizes = held.size - most
    alone = (np.bincount(held.row_of[~gone], minlength=len(held)) == 1) & (sizes > 0)
    weak = falling_short(left, sizes)
    return {
        "stripped_weak_buckets": int(weak.sum()),
        "stripped_certain_buckets": int(alone.sum()),
        "stripped_certain_people": int(sizes[alone].sum()),
    }


def variances(pool: Weighted) -> Floats:
    """The rank variance of every row of counts."""
    found = np.zeros(len(pool))
    width = max(int(pool.length.max(initial=1)), 1)
    step = max(CELLS_AT_ONCE // width, 1)
    for first in range(0, len(pool), step):
        last = min(first + step, len(pool))
        begin, end = pool.indptr[first], pool.indptr[last]
        own = Rows(pool.indptr[first : last + 1] - begin, pool.index[begin:end])
        cells, row = np.zeros((last - first, width), np.int64), own.row_of
        cells[row, np.arange(end - begin) - own.indptr[row]] = pool.amount[begin:end]
        found[first:last] = rank_variance(cells)
    return found
