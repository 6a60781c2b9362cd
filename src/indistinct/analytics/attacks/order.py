"""Order: does the release tell in which order the source was? (Unsorted matching.)

Somebody who knows the order of the source (by admission, by name) takes the first published row
that fits for the first person, and so on. In a release that was not shuffled everybody is found so.
How many are is told by the sensitive values: the row taken for a person shows the own value. How
often that happens by chance is found by shuffling the published rows again and again, with the
seed that all attackers share.

The attacker trusts an order as far as it is better than chance: of the people who get a row, with a
share of m right rows, e of them by chance, it believes in the row with weight (m - e) / (1 - e),
and in random worlds with the rest; not at all where chance alone does as well in more than one of a
hundred shuffles. Where there are very many rows, the share that chance gets right is close to
normal, and five shuffles tell its mean and spread: how rarely one more would do as well is then
Student's t. ``shuffles`` says how many there were, ``chance_error`` half the width of the 95 %
confidence interval of ``matched_by_chance``.

Where every record is another person's, two further orders are tried: the published rows backward,
and sorted by a column that is published as it is and is not sensitive, up or down. A source that is
sorted by such a column has its order in every shuffle. One of these is looked at where it is right
so often that chance is, in hardly any of all that are tried.

People with many records are in the order of their first record, rows of a long release in that of
each pseudonym's first row; there the order of the pseudonyms themselves is tried as well, and the
better one taken. People with many records come early in any order, the source's too. So chance is a
shuffle of the records of a long release, in which people with many come first more often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.places import Places
from indistinct.analytics.attacks.remedies import bounded_belief, shuffled, without
from indistinct.analytics.weighted import Rows, expanded
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Label
from indistinct.kernels.class_matching import count_hits
from indistinct.kernels.matching import first_unused, number_aligned
from indistinct.kernels.ragged import look_up
from indistinct.microdata.domains import numbers_of
from indistinct.randomness import simulation
from indistinct.types import Array

NAME = "order"
KIND = "attribute"
PLACE = 200
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and the order in which people stand in the source"
)
SOURCE = "Sweeney (2002), section 4.1"
REMEDY = bounded_belief

SHUFFLES = 99
"""Shuffled releases that the published one is compared with."""

SIGNIFICANT = 0.01
"""An order is trusted where chance does as well in no more than this share of shuffles."""

RARE = 0.001
"""A further order is looked at where chance does as well in so few, of all that are tried."""

ALIKE = 10
"""Records of a value, on average, up to which a column may give an order back."""

MANY = 1 << 17
"""Rows above which fewer shuffles are made."""

FEW = 5
"""How many, an odd number."""

WIDTH = 2.776
"""Student's t with so many shuffles less one that chance passes, up or down, in 5 of 100."""

SORTED, DOWN = "sorted by ", " down\0"
"""What orders by a column are called."""

Right = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""How far the rows that were taken for people, -1 for none, show their values, [n]."""


@dataclass(frozen=True)
class Tried:
    """Rows taken for people in one order of the rows.

    Arguments:
        taken: the row of every person, -1 for none, [n].
        right: how far it shows the person's values, [n].
        by_chance: the mean of that in each shuffled release, [shuffles].
        with_a_row: the share of people for whom a row is taken there, [shuffles].
    """

    taken: NDArray[np.int64]
    right: NDArray[np.float64]
    by_chance: NDArray[np.float64]
    with_a_row: NDArray[np.float64]

    @property
    def beyond_chance(self) -> float:
        """By how much it is better than chance."""
        return float(self.right.mean() - self.by_chance.mean())

    @property
    def spread(self) -> float:
        """How far apart shuffles are, at least as far as one person makes."""
        return max(float(self.by_chance.std(ddof=1)), 1 / len(self.taken))

    @property
    def likely(self) -> float:
        """How likely one more shuffle does as well, if what they do is normally distributed."""
        number = len(self.by_chance)
        deviation = self.beyond_chance / (self.spread * math.sqrt(1 + 1 / number))
        return as_rare(deviation, number - 1)

    @property
    def trust(self) -> float:
        """How far rows that are taken for people are theirs, beyond chance."""
        there = self.taken >= 0
        if not there.any() or not self.with_a_row.sum():
            return 0.0
        share = float(self.right[there].mean())
        expected = float(self.by_chance.sum() / self.with_a_row.sum())
        return (share - expected) / (1 - expected) if expected < 1 else 0.0


def run(context: AttackContext, sensitive: str, *, shuffles: int = SHUFFLES) -> Finding | Skipped:
    """Take published rows for people in the order of both, and compare with chance.

    Arguments:
        context: what the attacker was given.
        sensitive: the attribute it learns, by which rows are told to be the right ones.
        shuffles: how many shuffled releases it is compared with.
    """
    if not context.records or not context.people.height:
        return Skipped(NAME, "nothing is published whose order could be looked at", sensitive)
    places = context.places
    shuffles = FEW if context.records > MANY else shuffles
    tried = _tried(context, sensitive, shuffles)
    which = max(tried, key=lambda name: tried[name].beyond_chance)
    best = tried[which]
    taken, right = best.taken, best.right
    share, expected = float(right.mean()), float(best.by_chance.mean())
    shuffles, many = len(best.by_chance), context.records > MANY
    likely = (1 + int((best.by_chance >= share - 1e-12).sum())) / (shuffles + 1)
    if many:
        likely = best.likely
    trust = best.trust if likely <= SIGNIFICANT else 0.0
    before, base = context.true_prior(sensitive), context.true_belief(sensitive)
    believed = taken >= 0
    belief = np.where(believed, trust * right + (1 - trust) * base, base)
    by_class = np.bincount(
        places.class_of[taken[believed]], right[believed], minlength=len(places.classes)
    )
    score = by_class / places.classes.size
    figures: dict[str, float | int | None] = {
        "matched": float(tried["published"].right.mean()),
        "matched_by_chance": expected,
        "p_value": likely,
        "trust": trust,
        "beyond_chance": max(share - expected, 0.0) * context.people.height if trust else 0.0,
        "shuffles": shuffles,
        **({"chance_error": WIDTH * best.spread / math.sqrt(shuffles)} if many else {}),
    }
    if context.one_record_each:
        score = score - _expected(context, sensitive)
        figures |= _correlation(context, sensitive)
        figures |= _aligned(places)
    if "pseudonyms" in tried:
        figures["matched_by_pseudonym"] = float(tried["pseudonyms"].right.mean())
    found = summarize(
        context,
        sensitive,
        belief,
        before,
        (believed & (right >= 1) & (trust >= 1)) | (context.found & (base >= 1)),
        figures=figures,
        worst=worst_class(context, score, right=by_class) if trust else {},
        note=_note(share, expected, trust),
    )
    column = which.removeprefix(SORTED).removesuffix(DOWN) if which.startswith(SORTED) else None
    if column is not None:
        found = replace(found, note=f"{found.note} Sorting by '{column}' gives it back.")
    remedy = shuffled(context, sensitive) if column is None else without(column)
    return replace(found, remedy=remedy) if trust else found


def _tried(context: AttackContext, sensitive: str, shuffles: int) -> dict[str, Tried]:
    """What comes of the orders that a release may have kept, by what they are of."""
    alike = [name for name in context.sensitive if context.why_untried(name) is None]
    if not context.one_record_each or sensitive not in alike:
        return _compared(context, [sensitive], shuffles)[sensitive]
    # Which rows are taken for people does not depend on what is learnt from them.
    together = context.once(
        f"order of {shuffles}", "", lambda _: _compared(context, alike, shuffles)
    )
    return together[sensitive]


def _compared(
    context: AttackContext, names: Sequence[str], shuffles: int
) -> dict[str, dict[str, Tried]]:
    """What comes of the orders of a release and of shuffles, by attribute."""
    random = simulation([context.seed, 0x0DE2])
    rows, places = context.records, context.places
    right = {name: right_rows(context, name) for name in names}
    orders = {"published": np.arange(rows)}
    many = np.ones(rows)
    if context.pseudonyms is not None:
        keys = [(len(name or ""), name or "") for name in context.pseudonyms]
        orders["pseudonyms"] = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
        listed = context.buckets[names[0]].size[context.bucket_of]
        many = np.maximum(listed, 1).astype(np.float64)
    found: dict[str, dict[str, Tried]] = {name: {} for name in names}
    for of, order in orders.items():
        rates = many if of == "published" else np.ones(rows)
        by_chance, with_a_row = np.zeros((len(names), shuffles)), np.zeros(shuffles)
        own = take_in_order(places, order)
        for at in range(shuffles):
            if context.one_record_each:
                mixed = random.permutation(rows)
            else:
                mixed = np.argsort(random.exponential(size=rows) / rates, kind="stable")
            taken = take_in_order(places, mixed)
            by_chance[:, at] = [right[name](taken).mean() for name in names]
            with_a_row[at] = (taken >= 0).mean()
        for name, chance in zip(names, by_chance, strict=True):
            found[name][of] = Tried(own, right[name](own), chance, with_a_row)
    further = _further_orders(context) if context.one_record_each else {}
    for of, order in further.items():
        own = take_in_order(places, order)
        for name in names:
            # By chance any order of shuffled rows is right as often as another.
            one = replace(found[name]["published"], taken=own, right=right[name](own))
            if one.likely <= RARE / len(further):
                found[name][of] = one
    return found


def _further_orders(context: AttackContext) -> dict[str, NDArray[np.int64]]:
    """The rows backward, and sorted by columns that are no quasi-identifiers and not sensitive."""
    forward = np.arange(context.records)
    found = {"backward": forward[::-1].copy()}
    taken = {*context.quasi, *context.sensitive, *context.untried, *context.unknowable}
    for name in context.cells:
        own = None if name in taken else context.cells[name]
        if own is None or not own.one_each or len(own.labels) * ALIKE < context.records:
            continue
        order = np.argsort(_ranks(own.labels)[own.index[context.cells_of]], kind="stable")
        found |= {f"{SORTED}{name}": order, f"{SORTED}{name}{DOWN}": order[::-1].copy()}
    return found


def _ranks(labels: Sequence[Label]) -> NDArray[np.int64]:
    """The places of labels in their order, of numbers where all are; what is missing is last."""
    numbers = numbers_of(labels)
    keys = [
        (label is None, label or "" if numbers is None else numbers[at])
        for at, label in enumerate(labels)
    ]
    found = np.empty(len(keys), np.int64)
    found[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return found


def as_rare(deviation: float, freedom: int) -> float:
    """How likely a number with Student's distribution is at least so large.

    Arguments:
        deviation: the number.
        freedom: its degrees of freedom, even (Abramowitz and Stegun 1964, 26.7.4).

    >>> round(as_rare(2.896, 8), 4), round(as_rare(0.0, 8), 4), round(as_rare(-2.896, 8), 4)
    (0.01, 0.5, 0.99)
    """
    angle = math.atan(deviation / math.sqrt(freedom))
    term = total = 1.0
    for i in range(2, freedom, 2):
        term *= (i - 1) / i * math.cos(angle) ** 2
        total += term
    return max((1 - math.sin(angle) * total) / 2, 0.0)


def right_rows(context: AttackContext, sensitive: str) -> Right:
    """How far the rows that were taken for people show their values.

    A row is right where its bucket lists the person's values: where everybody has all of a bucket,
    exactly these; else as far as its people have one of them. A row of a release of records is
    right where it shows the person's value.
    """
    own, domain = context.own(sensitive), max(len(context.labels(sensitive)), 1)
    keys = own.person * domain + own.label

    def of_values(taken: NDArray[np.int64]) -> NDArray[np.float64]:
        right: NDArray[np.bool_] = (taken >= 0) & (shown[taken] == truth)
        return right.astype(np.float64)

    def of_labels(taken: NDArray[np.int64]) -> NDArray[np.float64]:
        person = np.flatnonzero(taken >= 0)
        entry, at = expanded(parts, shown[taken[person]])
        hit = np.isin(person[entry] * domain + parts.index[at], keys)
        found = np.zeros(len(taken))
        found[person[entry[hit]]] = 1.0
        return found

    def of_shares(taken: NDArray[np.int64]) -> NDArray[np.float64]:
        bucket = np.where(taken >= 0, context.bucket_of[taken], -1)
        share = context.spread(sensitive).shares.of(bucket[own.person], own.label)
        return np.where(taken >= 0, own.best(share), 0.0)

    def of_sets(taken: NDArray[np.int64]) -> NDArray[np.float64]:
        # A set is a person's own if every label in it covers values of theirs, and all of them
        # together.
        bucket = np.where(taken >= 0, context.bucket_of[taken], -1)
        part = context.listed(sensitive).shares
        person = np.flatnonzero(bucket >= 0)
        entry, at = expanded(part, bucket[person])
        wanted = person[entry] * domain + part.index[at]
        place = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        hit = keys[place] == wanted if len(keys) else np.zeros(len(wanted), np.bool_)
        values = own.values[place] if len(keys) else np.zeros(len(wanted), np.int64)
        covered = np.bincount(
            person[entry], np.where(hit, values, -(1 << 40)), minlength=len(taken)
        )
        right: NDArray[np.bool_] = (covered == own.number) & (own.number > 0)
        return right.astype(np.float64)

    if context.shown is None:
        return of_sets if context.bucket_semantics == "all" else of_shares
    shown, parts = context.shown[sensitive], context.parts(sensitive)
    truth = context.true_label(sensitive)
    plain = context.covering(sensitive).plain and not context.lists_sets(sensitive)
    return of_values if plain else of_labels


def take_in_order(places: Places, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row that is taken for every person, -1 for none, [n]."""
    sets, size = places.candidate_sets, places.classes.size
    indptr = np.zeros(len(size) + 1, np.int64)
    np.cumsum(size, out=indptr[1:])
    taken = np.empty(places.people.height, np.int64)
    first_unused(
        places.set_of, sets.indptr, sets.index, places.class_of, indptr, order,
        np.empty(len(order), np.int32), np.empty(len(size), np.int64),
        np.empty(len(size), np.int32), taken,
    )  # fmt: skip
    return taken


def _correlation(context: AttackContext, sensitive: str) -> dict[str, float | int | None]:
    """How far the order of people and of the rows that can be told to be theirs goes together."""
    people, rows = attributable(context, sensitive)
    return {
        "rank_correlation": rank_correlation(people, rows, context.places.class_of[rows]),
        "overall_rank_correlation": rank_correlation(people, rows, np.zeros(len(rows), np.int32)),
        "attributable": len(people),
    }


def attributable(
    context: AttackContext, sensitive: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """People and the one row that can be theirs: only they have the value in their class, as it.

    A value that occurs once in a class, and that one person alone of those who could stand there
    has, in the source. For releases in which every record is of another person.
    """
    assert context.shown is not None
    held, places = context.buckets[sensitive], context.places
    sets, truth = places.candidate_sets, context.true_label(sensitive)
    could, whose = np.zeros(len(held.index), np.int64), np.zeros(len(held.index), np.int64)
    count_hits(places.set_of, sets.indptr, sets.index, truth, held.indptr, held.index, could, whose)
    alone = (could == 1) & (held.amount == 1)
    shown = entries(held, places.class_of, context.shown[sensitive])
    rows = np.flatnonzero(shown >= 0)
    rows = rows[alone[shown[rows]]]
    return whose[shown[rows]], rows


def entries(rows: Rows, chosen: Array, wanted: Array) -> NDArray[np.int64]:
    """Where what is wanted stands among all entries, -1 where it does not, [m].

    Arguments:
        rows: what each row lists.
        chosen: the row that is looked at, [m].
        wanted: what is looked for in it, [m].
    """
    found = np.full(len(chosen), -1, np.int64)
    each = np.arange(len(rows.index))
    look_up(rows.indptr, rows.index, chosen.astype(np.int64), wanted.astype(np.int64), each, found)
    return found


def rank_correlation(
    one: NDArray[np.int64], other: NDArray[np.int64], groups: NDArray[np.int32]
) -> float | None:
    """Spearman's rank correlation of two lists, pooled over groups.

    Ranks are taken within each group, equal values in their order, and their deviations from the
    group's middle are put together; None where no group has two members.

    Arguments:
        one: the first list, [m].
        other: the second one, [m].
        groups: the group of each member, [m].

    >>> ends = np.array([0, 1, 2]), np.array([5, 3, 1])
    >>> rank_correlation(*ends, np.zeros(3, np.int32))
    -1.0
    """
    centred = [_centred_ranks(part, groups) for part in (one, other)]
    spread = float((centred[0] ** 2).sum())
    return float((centred[0] * centred[1]).sum()) / spread if spread else None


def _centred_ranks(values: NDArray[np.int64], groups: NDArray[np.int32]) -> NDArray[np.float64]:
    order = np.argsort(values, kind="stable")
    if groups.any():
        order = order[np.argsort(groups[order], kind="stable")]
    sizes = np.bincount(groups) if len(groups) else np.zeros(0, np.int64)
    start = np.cumsum(sizes) - sizes
    found = np.empty(len(values))
    inside = groups[order]
    found[order] = np.arange(len(values)) - start[inside] - (sizes[inside] - 1) / 2
    return found


def _aligned(places: Places) -> dict[str, float]:
    """How often the i-th row fits the i-th of the people who fit any row, and would by chance."""
    sets, order = places.candidate_sets, np.arange(places.records)
    fit, number = number_aligned(places.set_of, sets.indptr, sets.index, places.class_of, order)
    fitting = places.rows_of[places.found][:number]
    return {
        "aligned": fit / number if number else 0.0,
        "aligned_by_chance": share_of(fitting / places.records),
    }


def _expected(context: AttackContext, sensitive: str) -> NDArray[np.float64]:
    """The share of right rows of a class if its rows were dealt out blindly, [G]."""
    held = context.buckets[sensitive]
    found = np.zeros(len(held))
    np.add.at(found, held.row_of, (held.amount / held.size[held.row_of]) ** 2)
    return found


def _note(share: float, expected: float, trust: float) -> str:
    told = f"Rows taken in the source's order show the right value for {of_people(share)}"
    if not trust:
        return f"{told}, and shuffled ones for {of_people(expected)}: the order tells nothing."
    return (
        f"{told}, and by chance for {of_people(expected)}: the order identifies people; shuffle "
        "the release."
    )
