"""PRAM stripping: what did a class have before its values were drawn at random?

Under PRAM a value stays with the probability ``keep``, and otherwise that of a random record is
drawn. What most of a class show, more of it had: of a hundred people of whom four in five show flu,
with ``keep`` 0.8 and flu at a tenth elsewhere, nearly all have it. A bound on the shares of
published values is none on what is believed of true ones.

Of every value a class of n records shows c, and a share x of its people has it. With p, its share
in the release, somebody who has it shows it with keep + (1 - keep) p, and somebody else with
(1 - keep) p, whatever else they have: the matrix is invariant, and all other values can count as
one. Before, x has a beta distribution of mean p, as wide as the classes of the release differ by
more than chance (a Dirichlet-multinomial model, by moments). The belief is what is then expected of
a record of the class, by a quadrature (Golub and Welsch 1969) that is exact for up to 255 records.
Of larger classes as much is concluded as of those of some hundreds, which is little less. Which
other values a class shows is not looked at.

So small classes tell less than what they show, and large ones more. Nobody becomes certain. A
missing value stays missing, and is never drawn.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, mean_of, summarize
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.analytics.weighted import expanded
from indistinct.types import Floats, Ints

NAME = "pram-stripping"
KIND = "attribute"
PLACE = 165
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and with which probability values were kept (PRAM)"
)
SOURCE = (
    "Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), read as an attacker would; after Warner "
    "(1965)"
)
REMEDY = bounded_belief

NODES = 128
"""Points at which shares of a class are looked at."""

AS_LARGE = 400
"""Records of a class times the square of ``keep`` of which as much is concluded as of more."""

AT_ONCE = 4096
"""Counts whose likelihood is worked out at once."""


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Believe of every class what it had before values were drawn."""
    redrawn = context.redrawn.get(sensitive)
    if redrawn is None:
        return Skipped(NAME, "nothing says that values were drawn at random (PRAM)", sensitive)
    if not context.one_record_each:
        return Skipped(NAME, "it attacks tables in which every record is a person")
    if redrawn.within:
        return Skipped(NAME, "values were drawn within groups, each with its own shares", sensitive)
    if not context.covering(sensitive).plain or context.lists_sets(sensitive):
        return Skipped(NAME, "groups or sets of values are published, of which one is drawn")
    keep, own, classes = redrawn.keep, context.own(sensitive), context.classes
    held = context.buckets[sensitive].dense(max(len(context.labels(sensitive)), 1))
    missing = np.array([label is None for label in context.labels(sensitive)], np.bool_)
    counts, gone = np.where(missing, 0, held), held[:, missing].sum(axis=1)
    size = counts.sum(axis=1)
    share = counts.sum(axis=0) / max(int(size.sum()), 1)
    alike = likeness(counts, share, keep)
    # The people of every candidate set believe alike of a label.
    labels = max(len(missing), 1)
    keys, of = np.unique(
        context.set_of[own.person].astype(np.int64) * labels + own.label, return_inverse=True
    )
    there = keys >= 0
    place, at = expanded(context.places.candidate_sets, keys[there] // labels)
    of_class, label = context.places.candidate_sets.index[at], (keys[there] % labels)[place]
    told = _told(counts[of_class, label], size[of_class], label, share, (keep, alike))
    had = np.where(missing[label], gone[of_class], told * size[of_class])
    total, rows = np.zeros(int(there.sum())), np.zeros(int(there.sum()))
    np.add.at(total, place, had)
    np.add.at(rows, place, classes.size[of_class].astype(np.float64))
    found = np.zeros(len(keys))
    found[there] = total / np.maximum(rows, 1)
    prior = context.spread(sensitive).prior[own.label]
    believed = np.where(context.found[own.person], found[of], prior)
    belief, shown = own.best(believed), context.true_belief(sensitive)
    note = (
        f"With what was drawn taken off, a true {sensitive} is believed with "
        f"{float(belief.max(initial=0.0)):.0%} at most; taken as published, with "
        f"{float(shown.max(initial=0.0)):.0%}."
    )
    return summarize(
        context,
        sensitive,
        belief,
        context.true_prior(sensitive),
        figures={
            "keep": keep,
            "likeness": alike,
            "largest_belief": float(belief.max(initial=0.0)),
            "largest_shown": float(shown.max(initial=0.0)),
            "shown_belief": mean_of(shown),
        },
        note=note,
    )


def likeness(counts: Ints, share: Floats, keep: float) -> float:
    """How alike the people of a class are, from 0 (as any two of the release) to 1, by moments.

    It is the correlation of two people of a class in having a value: 1 / (1 + alpha) of a
    Dirichlet distribution of alpha pseudo-records.

    Arguments:
        counts: how many of each class show each value, [G, D].
        share: the share of each value in the release, [D].
        keep: the probability that a value stays.
    """
    size = counts.sum(axis=1)
    counts, size = counts[size > 0], size[size > 0]
    once, further = 1 - float((share**2).sum()), float((size - 1).sum())
    if once <= 0 or further <= 0:
        return 0.0
    apart = float((size[:, None] * (counts / size[:, None] - share) ** 2).sum())
    by_chance = once * (len(size) - 1)
    return min(max((apart - by_chance) / (once * keep**2 * further), 0.0), 1.0)


def _told(count: Ints, size: Ints, label: Ints, share: Floats, how: tuple[float, float]) -> Floats:
    """The share of each class's people who had a value, by how many show it.

    Arguments:
        count: how many records of the class show the value.
        size: its records, without those of a missing value.
        label: the value.
        share: the share of each value in the release, [D].
        how: ``keep``, and how alike the people of a class are.
    """
    found = np.zeros(len(count))
    for one in np.unique(label[share[label] > 0]).tolist():
        own = label == one
        pairs, of = np.unique(np.stack([count[own], size[own]]), axis=1, return_inverse=True)
        found[own] = shares_before(pairs[0], pairs[1], float(share[one]), *how)[of.ravel()]
    return found


def shares_before(count: Ints, size: Ints, share: float, keep: float, alike: float) -> Floats:
    """The share of a class that had a value before it was drawn, by how many show it after.

    Arguments:
        count: how many records of each class show the value, [pairs].
        size: how many records each has, [pairs].
        share: the share of the value in the release.
        keep: the probability that a value stays.
        alike: how alike the people of a class are, from 0 to 1.

    >>> shares_before(np.array([5, 80]), np.array([5, 100]), 0.1, 0.8, 0.5).round(2).tolist()
    [0.99, 0.96]
    """
    if share >= 1:
        return np.ones(len(count))
    x, weight = beta_nodes(share, 1 / min(max(alike, 1e-4), 1 - 1e-4) - 1)
    drawn = (1 - keep) * share
    shown = drawn + keep * x
    right, wrong = x * (keep + drawn) / shown, x * (1 - keep - drawn) / (1 - shown)
    n = np.minimum(size, max(2 * NODES - 1, AS_LARGE / keep**2))
    part = count / np.maximum(size, 1)
    found = np.zeros(len(count))
    for first in range(0, len(count), AT_ONCE):
        own = slice(first, first + AT_ONCE)
        c, many = (part * n)[own, None], n[own, None]
        fit = c * np.log(shown) + (many - c) * np.log1p(-shown)
        chance = np.exp(fit - fit.max(axis=1, keepdims=True)) * weight
        c = part[own, None]
        mean = (chance * (c * right + (1 - c) * wrong)).sum(axis=1)
        found[own] = mean / chance.sum(axis=1)
    return found


def beta_nodes(mean: float, records: float) -> tuple[Floats, Floats]:
    """Points and weights of Gauss and Jacobi: a mean over a beta distribution, exactly.

    Arguments:
        mean: its mean.
        records: its pseudo-records, the sum of its two parameters.

    >>> x, weight = beta_nodes(0.25, 2.0)
    >>> round(float((x * weight).sum()), 9), round(float((x**2 * weight).sum()), 9)
    (0.25, 0.125)
    """
    a, b, n = records * (1 - mean) - 1, records * mean - 1, np.arange(1, NODES)
    twice = 2 * n + a + b
    diagonal = np.append((b - a) / records, (b - a) * (a + b) / (twice * (twice + 2)))
    n, twice = n[1:], twice[1:]
    beside = n * (n + a) * (n + b) * (n + a + b) / (twice**2 * (twice + 1) * (twice - 1))
    # In the first, two factors are the same, and may be 0.
    beside = 4 * np.append((1 + a) * (1 + b) / (records**2 * (records + 1)), beside)
    points, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(np.sqrt(beside), 1), "U")
    return np.clip((1 + points) / 2, 0.0, 1.0), vectors[0] ** 2
