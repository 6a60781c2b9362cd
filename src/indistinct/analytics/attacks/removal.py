"""What noise stripping and decoy stripping share: belief after records were taken out of classes.

Both take made-up records out of every class, and believe in a value as often as it occurs among
what is left of the compatible classes. In the worst case exactly those records go that hide a
person's value.

In linked tables a made-up person has a row in the quasi table, too. Nobody can tell which of a
bucket's rows it is, so each of them is real with the share of people that are left of the bucket.
Who also knows somebody's bucket learns more: of that the figures ``bucket_*`` tell.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    mean_of,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.weighted import Lists, Weighted
from indistinct.frozen import dataclass
from indistinct.types import Array, Floats, Ints


@dataclass(frozen=True)
class Removal:
    """What can be taken out of classes, or out of the buckets of linked tables.

    Arguments:
        what: what is taken out: noise, decoys.
        most: how many records can be taken out of each group at most, [groups].
        own_left: records that are left of it where an entry's value is kept whole, [entries].
        average: belief in an entry's value on average over all removals, [entries].
        figures: further figures.
    """

    what: str
    most: Ints
    own_left: Ints
    average: Floats
    figures: Mapping[str, float | int | None]


def fewest_with(amount: Ints, bound: float) -> Ints:
    """The records of the smallest groups in which so many of one value are no larger a share.

    >>> fewest_with(np.array([1, 2, 3]), 0.5)
    array([2, 4, 6])
    """
    return np.ceil(amount / bound - 1e-9).astype(np.int64)


def over_groups(context: AttackContext, sensitive: str, amount: Array) -> Floats:
    """The sum of amounts of every true label over the groups that a person's rows are of.

    By the pairs of :class:`~indistinct.analytics.attacks.context.Own`. A group counts by the share
    of its rows that could be the person's: classes whole.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        amount: by the entries of the groups.
    """
    lists = context.buckets[sensitive]
    weighted = Weighted(lists.indptr, lists.index, np.asarray(amount, np.float64))
    total, _ = context.over_own(sensitive, context.set_buckets, _times(context, lists), weighted)
    return total


def over_all(context: AttackContext, sensitive: str, amount: Array) -> Floats:
    """The sum of the amounts of groups over those that the rows of a candidate set are of, [K].

    Arguments:
        context: people and release.
        sensitive: the attribute.
        amount: of each group, [groups].
    """
    linked = context.set_buckets
    times = _times(context, context.buckets[sensitive])
    total = np.bincount(linked.row_of, times * amount[linked.index], minlength=len(linked))
    return total.astype(np.float64)


def _times(context: AttackContext, lists: Lists) -> Floats:
    linked = context.set_buckets
    return np.asarray(linked.amount / np.maximum(lists.size, 1)[linked.index], np.float64)


def stripped(context: AttackContext, sensitive: str, removal: Removal) -> Finding:
    """The finding of an attacker that takes made-up records out of classes.

    Arguments:
        context: what the attacker was given.
        sensitive: the attribute it learns.
        removal: what it can take out.
    """
    held, own = context.buckets[sensitive], context.own(sensitive)
    candidates, before = context.set_of[own.person], context.true_prior(sensitive)
    left = held.size - removal.most
    in_group = held.amount / np.maximum(removal.own_left, 1)
    true = over_groups(context, sensitive, held.amount)
    kept = over_groups(context, sensitive, removal.own_left - left[held.row_of])
    remaining = over_all(context, sensitive, left)[candidates] + kept
    share = np.divide(true, remaining, out=np.zeros(len(true)), where=remaining > 0)
    worst = np.where(context.found, own.best(share), before)
    figures: dict[str, float | int | None] = {
        **removal.figures,
        "largest_belief": float(in_group.max(initial=0.0)),
    }
    unstripped = {"unstripped_belief": mean_of(context.true_belief(sensitive))}
    is_open = removal.most > 0
    number, what = int(is_open.sum()), removal.what
    if context.linked:
        figures |= unstripped | _of_buckets(context, held, removal, in_group)
        linked = context.class_buckets
        score = np.bincount(
            linked.row_of, linked.amount * is_open[linked.index], minlength=len(context.classes)
        )
        by_class = {"open_people": score.astype(np.int64)} if score.any() else {}
    else:
        average = over_groups(context, sensitive, removal.average * held.size[held.row_of])
        meant = own.best(average / np.maximum(context.places.rows_of[own.person], 1))
        mean = np.where(context.found, meant, before)
        figures |= {
            "average_belief": mean_of(mean),
            "average_0.5": mean_of(mean >= 0.5 - 1e-12),
            "average_gain": mean_of(mean - before),
            **unstripped,
            "open_classes": number,
            "open_records": int(held.size[is_open].sum()),
        }
        score = held.largest_of(in_group)
        by_class = {"belief": score, "removable": removal.most}
    found = summarize(
        context,
        sensitive,
        worst,
        before,
        context.found & (worst >= 1 - SURE),
        figures={**figures, "removable": int(removal.most.sum())},
        worst=worst_class(context, score.astype(np.float64), **by_class) if by_class else {},
    )
    groups = "buckets" if context.linked else "classes"
    more = "."
    if context.linked:
        more = f"; with the bucket known, for {figures['bucket_certain_people']:,} people."
    note = (
        f"{number:,} of {len(held):,} {groups} could hold {what}. In the worst case, stripping "
        f"them makes the {sensitive} certain for {of_people(found.success[CERTAIN])}{more}"
    )
    return Finding(**{**vars(found), "note": note})


def _of_buckets(
    context: AttackContext, held: Lists, removal: Removal, in_bucket: Floats
) -> dict[str, float | int | None]:
    """What follows of buckets for who knows somebody's.

    Arguments:
        context: what the attacker was given.
        held: what every bucket lists.
        removal: what can be taken out of it.
        in_bucket: the largest belief in each entry's value afterwards, [entries].
    """
    left = held.size - removal.most
    known = held.largest_of(in_bucket) >= 1 - SURE
    return {
        "open_buckets": int((removal.most > 0).sum()),
        "open_people": int(context.size_of[removal.most > 0].sum()),
        "bucket_certain": int(known.sum()),
        "bucket_certain_people": int(left[known].sum()),
        "bucket_certain_before": int(((held.largest == held.size) & (held.size > 0)).sum()),
    }
