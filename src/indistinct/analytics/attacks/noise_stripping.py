"""Noise stripping: which records of a class are invented, and what is left without them?

An algorithm that adds noise to classes of k records until they are diverse enough gives the noise
away: it has values that its class did not have, so they occur there once, and without it the class
was not diverse enough. A removal is *consistent* if

* all removed values occur once in the class,
* at least k records are left,
* the class broke what is promised about its values (theta-sensitivity, a bound on the largest
  posterior) as long as one of the removed records was still missing, since noise is added until
  that holds.

Of s records with n_1 values that occur once, a removal of r of them leaves a belief of
n_s / (s - r) in a value s that stays. In the worst case the true value stays and as many others
leave as can. Whether a class had exactly k records before is not known in general; what an attacker
concludes who knows it has figures of its own (``exact``), so has the average over all removals.

Where a published class is several of the algorithm's, with equal cells, or records were exchanged
after noise was added (``donors = "all"``), noise may have a value that occurs more often, and an
attacker may strip more. The note says which classes are large enough for the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, mean_of
from indistinct.analytics.attacks.remedies import without_noise
from indistinct.analytics.attacks.removal import (
    Removal,
    fewest_with,
    over_all,
    over_groups,
    stripped,
)
from indistinct.analytics.weighted import Weighted
from indistinct.document import many
from indistinct.privacy.rank_variance import falls_short, rank_variance, theta, thresholds
from indistinct.types import Bools, Floats, Ints

NAME = "noise-stripping"
KIND = "attribute"
WHOLE_CLASSES = True
PLACE = 150
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, k, and that noise has values which its class did not "
    "have before"
)
SOURCE = "after Khan and others (2020), Algorithm 1, lines 36 to 48, read as an attacker would"
REMEDY = without_noise

ALIKE = (
    " {} of {} records or more may be several with equal cells, in which noise can have values "
    "that occur more often, and more can be stripped: that is not tried."
)
"""What the note says of classes that may be several."""

Broken = Callable[[Ints], Bools]
"""Which classes, given as rows of falling counts, noise would still be added to."""


def run(
    context: AttackContext, sensitive: str, *, k: int | None = None, anyway: bool = False
) -> Finding | Skipped:
    """Take out of every class, or of every bucket of linked tables, all that may be noise.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        k: records that a class has at least without noise; without, the largest promised k.
        anyway: go on where nothing says that the release may contain noise.
    """
    why = _nothing_to_strip(context, sensitive, anyway)
    if why is not None:
        return Skipped(NAME, why, sensitive)
    k = k or context.k
    if k is None:
        groups = "buckets" if context.linked else "classes"
        return Skipped(NAME, f"no k is promised that {groups} have without noise", sensitive)
    held = context.buckets[sensitive]
    once, singles = _singles(held)
    most = removable_of_groups(context, sensitive, k)
    row = held.row_of
    figures: dict[str, float | int | None] = {"k": k}
    if context.one_record_each:
        figures |= _exactly(context, sensitive, np.maximum(held.size - k, 0), most)
    removal = Removal(
        what="noise",
        most=most,
        own_left=held.size[row] - np.minimum(most[row], singles[row] - once),
        average=_average(held, once, singles, most),
        figures=figures,
    )
    found = stripped(context, sensitive, removal)
    large = 0 if context.linked else int((context.classes.ordinary & (held.size >= 2 * k)).sum())
    if large:
        found = replace(
            found, note=found.note + ALIKE.format(many(large, "class", "classes"), 2 * k)
        )
    return found


def _nothing_to_strip(context: AttackContext, sensitive: str, anyway: bool) -> str | None:
    """Why there is nothing to go on, where there is not."""
    if "noise" not in context.may_contain and not anyway:
        return "nothing says that the release may contain noise"
    if context.bucket_semantics != "one":
        return "people have several values, and no single one of them is noise"
    if context.lists_sets(sensitive):
        return "sets of values are listed, and noise has one value"
    return None


def _singles(held: Weighted) -> tuple[Bools, Ints]:
    """Which entries occur once [entries], and how many such entries every group has."""
    once = held.amount == 1
    return once, np.bincount(held.row_of[once], minlength=len(held)).astype(np.int64)


def removable_of_groups(context: AttackContext, sensitive: str, k: int) -> Ints:
    """How many people a consistent removal takes out of each class or bucket at most, [groups].

    Where promises hold without what is made up, no value has a larger share of what is left than
    the bound on beliefs allows.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute.
        k: records that a group has at least without noise.
    """
    held = context.buckets[sensitive]
    most = removable(held, _singles(held)[1], k, condition(context, sensitive))
    left = fewest_with(held.largest, context.bound_of_people(sensitive))
    most = np.minimum(most, np.maximum(held.size - left, 0))
    return most if context.linked else np.where(context.classes.ordinary, most, 0)


def condition(context: AttackContext, sensitive: str) -> Broken | None:
    """When noise is added, as far as the promises tell; None where they do not.

    Where several attributes have a variance to reach, noise may be there for the sake of another
    one, and nothing follows from this one.
    """
    about = [p for p in context.promises if p.model in ("theta-sensitive", "max-posterior")]
    mine = [p for p in about if p.sensitive == sensitive]
    if not any(p.model == "theta-sensitive" for p in mine) or len(mine) < len(about):
        return None
    variances = [p.parameters for p in mine if p.model == "theta-sensitive"]
    bounds = [
        float(p.parameters.get("bound", 0.5))
        for p in mine
        if p.model == "max-posterior" and not p.names_values
    ]
    if context.kept_by_people:
        bounds = []

    def broken(falling: Ints) -> Bools:
        size = falling.sum(axis=1)
        own = rank_variance(falling)
        found = np.zeros(len(falling), np.bool_)
        for asked in variances:
            mu = float(asked.get("mu", 0.6))
            by_size = asked.get("theta") == "size" or "k" not in asked
            found |= falls_short(own, thresholds(size, mu) if by_size else theta(asked["k"], mu))
        for bound in bounds:
            found |= falling.max(axis=1, initial=0) > bound * (1 + 1e-12) * size
        return found

    return broken


def removable(held: Weighted, singles: Ints, k: int, broken: Broken | None) -> Ints:
    """How many records a consistent removal takes out of each class at most, [G].

    Which values occurring once are removed does not matter to the promises, only how many. Every
    state on the way, with one record or more still to be added, has to be one that noise is added
    to.

    Arguments:
        held: how often each class has each value, [G].
        singles: values that occur once in each class, [G].
        k: records that a class has at least without noise.
        broken: to which classes noise would still be added; None where the promises do not tell.
    """
    most: Ints = np.minimum(singles, np.maximum(held.size - k, 0))
    if broken is None or not most.any():
        return most
    which = np.flatnonzero(most)
    falling = _falling(held, which)
    last = np.count_nonzero(falling, axis=1)
    allowed = np.zeros(len(which), np.int64)
    going = np.ones(len(which), np.bool_)
    for step in range(1, int(most.max()) + 1):
        going &= most[which] >= step
        if not going.any():
            break
        falling[going, last[going] - step] = 0
        going[going] = broken(falling[going])
        allowed[going] = step
    most[which] = allowed
    return most


def _falling(held: Weighted, rows: Ints) -> Ints:
    """The counts of some rows, falling, padded with zeros."""
    found = np.zeros((len(rows), int(held.length[rows].max(initial=1))), np.int64)
    number = np.full(len(held), -1)
    number[rows] = np.arange(len(rows))
    place = np.arange(len(held.index)) - held.indptr[held.row_of]
    inside = number[held.row_of] >= 0
    found[number[held.row_of[inside]], place[inside]] = held.amount[inside]
    return -np.sort(-found, axis=1)


def _average(held: Weighted, once: Bools, singles: Ints, most: Ints) -> Floats:
    """Belief in each entry's value, on average over how many are removed, and which of them."""
    row = held.row_of
    total = np.zeros(len(row))
    for r in range(int(most.max(initial=0)) + 1):
        inside = most[row] >= r
        stays = np.where(once, 1 - r / np.maximum(singles[row], 1), 1.0)
        left = np.maximum(held.size[row] - r, 1)
        total += np.where(inside, stays * held.amount / left, 0.0)
    return total / (most[row] + 1)


def _exactly(
    context: AttackContext, sensitive: str, more: Ints, most: Ints
) -> dict[str, float | None]:
    """Mean belief, and share known for certain, of who knows that classes had exactly k records.

    Classes with more records beyond k than can be noise contradict that, and are left as they are.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        more: records of each class beyond k, [G].
        most: how many of them can be noise, [G].
    """
    held, own = context.buckets[sensitive], context.own(sensitive)
    once, singles = _singles(held)
    row, taken = held.row_of, np.where(more <= most, more, 0)
    stays = np.where(once, 1 - taken[row] / np.maximum(singles[row], 1), 1.0)
    total = over_all(context, sensitive, held.size - taken)[context.set_of]
    had = own.best(over_groups(context, sensitive, stays * held.amount))
    share = had / np.maximum(total, 1)
    belief = np.where(context.found, share, context.true_prior(sensitive))
    return {
        "exact_belief": mean_of(belief),
        "exact_certain": mean_of(context.found & (share >= 1 - 1e-12)),
    }
