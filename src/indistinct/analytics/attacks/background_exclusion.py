"""Background exclusion: what remains if values that the person does not have are known?

The attacker knows b values that the person does not have, in the worst case those that hide the
true one best: of a class with n records and n_s of the true value s, after excluding the b most
frequent others, the belief is n_s / (n - their records). l-diversity is made so that l - 2 such
exclusions leave two values.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    mean_of,
    of_people,
    summarize,
    with_one_more,
    worst_class,
)
from indistinct.analytics.attacks.remedies import several_left
from indistinct.analytics.weighted import Rows, Weighted, compressed, expanded
from indistinct.kernels.candidate_sets import exclude
from indistinct.kernels.ragged import largest_few
from indistinct.types import Array, Floats, Ints32

NAME = "background-exclusion"
KIND = "attribute"
PLACE = 100
KNOWLEDGE = "the exact quasi-identifiers of a person, and one value that the person does not have"
SOURCE = "Machanavajjhala and others (2006); Martin and others (2007)"
REMEDY = several_left

MOST_STEPS = 3e8
"""Sets of labels times entries of buckets up to which exclusions are tried without the release."""


def run(context: AttackContext, sensitive: str, *, b: int = 1) -> Finding | Skipped:
    """Exclude, for every person, the values that hide the true ones best.

    To know that somebody does not have a value rules out what lists it: where everybody has one
    entry of a bucket, the entries with it, else the rows whose people have it. The attacker
    excludes, one after the other, the value that raises the belief most.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        b: how many values the attacker can exclude; the figures tell of one more as well.
    """
    told = "largest_belief" if context.one_record_each else "mean_belief"
    return with_one_more(lambda known: _finding(context, sensitive, known), "b", b, {told: told})


def _finding(context: AttackContext, sensitive: str, b: int) -> Finding:
    own, before = context.own(sensitive), context.true_prior(sensitive)
    belief = np.where(context.found, own.best(after_exclusion(context, sensitive, b)), before)
    anyway = None
    if _countable(context, sensitive):
        anyway = own.best(after_exclusion(context, sensitive, b, everywhere=True))
    if context.one_record_each:
        by_class, what = largest_beliefs(context.buckets[sensitive], b), "belief"
    else:
        raised = np.where(context.found, belief - context.true_belief(sensitive), 0.0)
        by_class, what = context.places.by_class(raised), "raised"
    found = summarize(
        context,
        sensitive,
        belief,
        before,
        knowledge=KNOWLEDGE if b == 1 else KNOWLEDGE.replace("one value", f"{b} values"),
        figures={
            "largest_belief": float(by_class.max(initial=0.0)),
            "mean_belief": mean_of(belief),
        },
        worst=worst_class(context, by_class, **{what: by_class}),
        alone=anyway,
    )
    known = "one value" if b == 1 else f"{b} values"
    note = (
        f"In the worst case, knowing {known} that a person does not have makes "
        f"{context.truth(sensitive)} certain for {of_people(found.success[CERTAIN])}; without the "
        f"release, for {of_people(found.without[CERTAIN])}."
    )
    if (values := len(context.labels(sensitive))) <= b + 1:
        note += (
            f" With {values} values, only the true one is left: no release and no promise changes "
            "that."
        )
    return Finding(**{**vars(found), "note": note})


def after_exclusion(
    context: AttackContext, sensitive: str, b: int, *, everywhere: bool = False
) -> Floats:
    """Belief after b exclusions in every label that is true of somebody, by the pairs of `Own`.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        b: how many values are excluded.
        everywhere: whether everybody could stand in any row: what follows without the classes.
    """
    own = context.own(sensitive)
    if context.one_record_each and context.covering(sensitive).plain:
        # Labels without a value in common: the most frequent ones are those to exclude.
        pool, candidates = context.spread(sensitive).pooled, context.set_of[own.person]
        size = context.places.rows_of[own.person]
        if everywhere:
            pool = _one_row(np.rint(context.spread(sensitive).prior * context.records))
            candidates, size = np.zeros_like(candidates), np.full_like(size, context.records)
        true = pool.of(candidates, own.label)
        left = size - hidden(most_frequent(pool, b + 1), candidates, true, b)
        return np.asarray(true / np.maximum(left, 1), np.float64)
    _, sets, of = context.alike(sensitive)
    what, most = f"exclusions {everywhere}", b + 1
    found = context.once(what, sensitive, lambda name: _steps(context, name, most, everywhere))
    if found.shape[1] <= b:
        found = _steps(context, sensitive, b, everywhere)
    start = sets.indptr[of[own.person]]
    within = np.arange(len(own.person)) - own.indptr[own.person]
    mine: Floats = found[start + within, b]
    return mine


def _steps(context: AttackContext, sensitive: str, most: int, everywhere: bool) -> Floats:
    """Belief in every label of :meth:`AttackContext.alike` after 0 to ``most`` exclusions."""
    spread, domain = context.spread(sensitive), len(context.labels(sensitive))
    candidates, sets, _ = context.alike(sensitive)
    pooled, shares, places = spread.pooled, spread.shares, context.set_buckets
    again = None
    if everywhere:
        numbers: dict[bytes, int] = {}
        of = [
            numbers.setdefault(own.tobytes(), len(numbers))
            for own in map(sets.__getitem__, range(len(sets)))
        ]
        sets = compressed([np.frombuffer(own, np.int32) for own in numbers])
        again = expanded(sets, np.array(of, np.int64))[1]
        candidates = np.zeros(len(sets), candidates.dtype)
        pooled = _one_row(spread.prior * context.records)
        rows_in = np.bincount(context.bucket_of, minlength=context.number_of_buckets)
        places = _one_row(rows_in.astype(np.int64))
    rows: Rows = places
    times = places.amount.astype(np.float64)
    if context.bucket_semantics == "one":
        # One entry each: as if every entry were a bucket whose people have all that it says.
        entries = context.entries(sensitive).pooled
        if everywhere:
            entries = _one_row(context.entries(sensitive).prior * context.records)
        rows, times = entries, entries.amount
        shares = context.implied(sensitive)
    found = np.zeros((len(sets.index), most + 1))
    exclude(
        candidates, sets.indptr, sets.index, rows.indptr, rows.index, times, shares.indptr,
        shares.index, shares.amount, pooled.indptr, pooled.index, pooled.amount,
        np.empty(int(rows.length.max(initial=0))), np.zeros(domain), np.zeros(domain), found,
    )  # fmt: skip
    found = np.minimum(found, 1.0)
    return found if again is None else found[again]


def _countable(context: AttackContext, sensitive: str) -> bool:
    """Whether what exclusions tell without the release can be counted in :data:`MOST_STEPS`.

    Everybody's set of labels is held against what every bucket lists.
    """
    if context.bucket_semantics == "one":
        return True
    _, sets, _ = context.alike(sensitive)
    different = len({sets[at].tobytes() for at in range(len(sets))})
    return different * len(context.spread(sensitive).shares.index) <= MOST_STEPS


def _one_row(amount: Array) -> Weighted:
    """Amounts of values as a single row, without those that are zero."""
    index = np.flatnonzero(amount).astype(np.int32)
    return Weighted(np.array([0, len(index)]), index, amount[index])


def most_frequent(pool: Weighted, number: int) -> Array:
    """The counts of the most frequent values of each row, falling, [rows, number]."""
    found = np.zeros((len(pool), number), pool.amount.dtype)
    largest_few(pool.indptr, pool.amount, found)
    return found


def hidden(top: Array, row: Ints32, true: Array, b: int) -> Array:
    """Records of the b most frequent values other than the true one.

    Arguments:
        top: the counts of the b + 1 most frequent values of each row, [rows, b + 1].
        row: the row of every person, [n].
        true: how often the person's true value occurs in it, [n]; 0 if it does not.
        b: how many are excluded.

    If the true value is among the b + 1, the others of them are excluded; if it is not, all b of
    the first. Values with equal counts exchange for each other.
    """
    first = top[:, :b].sum(axis=1)[row]
    last = top[row, b]
    among = true > last
    found: Array = np.where(among, first + last - true, first)
    return found


def largest_beliefs(held: Weighted, b: int) -> Floats:
    """The largest belief in any value of each row that b exclusions can lead to.

    That of the most frequent value: the others are largest when it is the one that is left.
    """
    top = most_frequent(held, b + 1)
    left = held.size - top[:, 1:].sum(axis=1)
    found: Floats = top[:, 0] / np.maximum(left, 1)
    return found
