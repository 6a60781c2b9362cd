"""Learned correlation: what do classes tell about each other? (The deFinetti attack.)

Random worlds treat every class for itself. But if tobacco and cancer meet in one class after the
other, the smoker of the next class is the likely one. A naive Bayes model of the sensitive value
given the quasi-identifiers is fitted by expectation and maximization; who has which value of a
class is what has to be guessed. Expectation shares people out among the values of their classes, so
that every class keeps its counts (the mean of permutations, approximated by proportional fitting);
maximization counts features by value, with one pseudo-record per value that looks like everybody.
In classes of two or three the approximation believes less than the mean of permutations would.

A reader of a single table sees the same cells for everybody in a class. No model of these
tells the members of a class apart, so the best belief is that of random worlds; it is what the
summary tells. Linked tables tell more: the rows of a bucket have different cells, and one each of
its values. So there who has only the release learns, most of all where the quasi-identifiers are
published as they are (anatomy). Beside stands of a release of one table, as figures:

* ``model_*``: the model that the published cells alone give, without looking at the person's class;
  it also tells about people who are not in the table. Where there are very many classes and
  values, ``model_looked_at`` people drawn at random are asked, with ``model_error``, half the width
  of the 95 % confidence interval of a share, at most;
* ``fitted_accuracy``: no model, but everybody's exact quasi-identifiers: where classes overlap,
  that a class is filled by others tells where somebody stands;
* ``exact_*``: the attack with the exact quasi-identifiers of all people (what Kifer assumes, and
  what an anatomized release publishes). Compare its accuracy, the share of people whose most likely
  value is the true one, with that of random worlds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    THRESHOLDS,
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.known_records import margin
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.analytics.weighted import (
    Rows,
    Weighted,
    chosen_rows,
    each_its_own,
    expanded,
    gathered,
    pointers,
)
from indistinct.frozen import dataclass
from indistinct.kernels.proportional_fitting import ALIKE, fit, joined
from indistinct.randomness import simulation
from indistinct.types import Array

NAME = "learned-correlation"
KIND = "attribute"
PLACE = 180
KNOWLEDGE = "the release alone, and learns from all its classes together"
SOURCE = "Kifer (2009), section 3"
REMEDY = bounded_belief

ROUNDS = 2
"""Rounds of expectation and maximization at most.

Further rounds make beliefs more extreme and, for attributes that depend on each other as those of
people do, no better: the model takes them for independent, and counts their evidence twice.
"""

SWEEPS = 3
"""Rounds of proportional fitting in each of them."""

LAST_SWEEPS = 20
"""The same of the last fit."""

LAST_OF_MANY = 10
"""The same where there are very many people, whose sweeps go further."""
PSEUDO = 1.0
STILL = 1e-4
"""Change of any learnt share that calls for another round."""

MANY = 1 << 17
"""People above which numbers have four bytes, and half of the sweeps come as near."""

CELLS_AT_ONCE = 1 << 22
"""Cells (classes of sets, times values) up to which the model of published cells asks everybody."""

DRAWN = 10_000
"""People whom it is asked about else."""

CELLS_TOGETHER = 1 << 20
"""Most of them that are worked out at once."""

_Blocks = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
_Features = tuple[NDArray[np.int32], NDArray[np.int64], list[int]]
_Told = tuple[Array, ...]

_NO_VALUES: _Told = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0)
_NO_PEOPLE: _Told = (
    np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros(0),
)  # fmt: skip


def run(context: AttackContext, sensitive: str, *, rounds: int = ROUNDS) -> Finding | Skipped:
    """Learn from all classes or buckets what each person's value is.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        rounds: of expectation and maximization at most.
    """
    why = _nothing_to_learn(context, sensitive)
    if why is not None:
        return Skipped(NAME, why, sensitive)
    worlds, before = context.spread(sensitive), context.true_prior(sensitive)
    blind = accuracy(context, sensitive, worlds.pooled)
    figures: dict[str, float | int | None] = {
        "accuracy": blind,
        "random_worlds_accuracy": blind,
        "prior_accuracy": float(_guess(context, sensitive).mean()),
    }
    held, base = worlds.held, context.true_belief(sensitive)
    if context.linked:
        belief, held, exact = _from_buckets(context, sensitive, rounds)
        figures |= {
            "accuracy": exact,
            "accuracy_gain": exact - blind,
            "belief_gain": float((belief - base).mean()),
        }
        usual = worlds.held.of(held.row_of, held.index)
        top = held.largest_of((held.amount - usual) / context.classes.size[held.row_of])
        knowledge = KNOWLEDGE.replace("classes", "buckets")
        note = (
            f"A person's own buckets alone tell a value of {sensitive} of {of_people(blind)}; "
            f"all buckets together, of {of_people(exact)}."
        )
    else:
        belief, more = base, _with_exact_values(context, sensitive, rounds, blind)
        figures |= more
        share = held.amount / context.classes.size[held.row_of]
        top = held.largest_of(share - worlds.prior[held.index])
        knowledge = KNOWLEDGE
        note = (
            f"A person's own class alone tells the {sensitive} of {of_people(blind)}; all classes "
            "and everybody's exact quasi-identifiers together, of "
            f"{of_people(more['exact_accuracy'])}."
        )
        if "model_error" in more:
            note += (
                f" The published cells without the class tell it of "
                f"{of_people(more['model_accuracy'])}, give or take {more['model_error']:.1%} "
                f"(from {DRAWN:,} people drawn at random)."
            )
    return summarize(
        context,
        sensitive,
        belief,
        before,
        knowledge=knowledge,
        figures=figures,
        worst=worst_class(context, top, gain=top),
        note=note,
    )


def _nothing_to_learn(context: AttackContext, sensitive: str) -> str | None:
    """Why there is nothing to go on, where there is not."""
    if context.bucket_semantics != "one":
        return "no bucket has one value for each of its people, to be dealt out"
    if not (context.records and context.people.height and context.labels(sensitive)):
        return "nothing is published that could be learnt from"
    if context.one_record_each and context.lists_sets(sensitive):
        return "sets of values are published, which are not covered"
    return None


def _guess(context: AttackContext, sensitive: str) -> NDArray[np.float64]:
    """How often the most frequent value of the release is right, [n]."""
    own, prior = context.own(sensitive), context.spread(sensitive).prior
    most = prior >= prior.max() - ALIKE
    right = np.bincount(own.person, most[own.label], minlength=context.people.height)
    return np.asarray(right / most.sum(), np.float64)


def accuracy(context: AttackContext, sensitive: str, pooled: Weighted) -> float:
    """The share of people of whom the likeliest label is true; ties are guessed blindly.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        pooled: how likely labels are, by candidate sets, [K].
    """
    own, candidates = context.own(sensitive), context.set_of
    top = pooled.largest
    tied = pooled.amount >= top[pooled.row_of] - ALIKE
    ties = np.bincount(pooled.row_of, tied, minlength=len(pooled))
    amount = pooled.of(candidates[own.person], own.label)
    hit = amount >= np.maximum(top[candidates[own.person]] - ALIKE, ALIKE)
    hits = np.bincount(own.person, hit, minlength=len(candidates))
    right = np.minimum(hits / np.maximum(ties[candidates], 1), 1.0)
    return float(np.where(context.found, right, _guess(context, sensitive)).mean())


def _from_buckets(
    context: AttackContext, sensitive: str, rounds: int
) -> tuple[NDArray[np.float64], Weighted, float]:
    """What is learnt from buckets: belief in the truth [n], in labels by class [G], accuracy."""
    linked, domain = context.class_buckets, len(context.labels(sensitive))
    shares, says = learnt_of_buckets(context, sensitive, rounds), context.implied(sensitive)
    entry, at = expanded(says, shares.index)
    pair = shares.row_of[entry]
    held = gathered(
        linked.row_of[pair],
        says.index[at],
        linked.amount[pair] * shares.amount[entry],
        len(context.classes),
        domain,
    )
    pooled = context.over_classes(context.spread(sensitive).shares, held, domain).pooled
    own = context.own(sensitive)
    amount = pooled.of(context.set_of[own.person], own.label)
    believed = own.best(amount / np.maximum(context.places.rows_of[own.person], 1))
    belief = np.where(context.found, believed, context.true_prior(sensitive))
    return belief, held, accuracy(context, sensitive, pooled)


def _with_exact_values(
    context: AttackContext, sensitive: str, rounds: int, blind: float
) -> dict[str, float]:
    """What models tell beside the own class, the published cells' and that of the exact values.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        rounds: of expectation and maximization at most.
        blind: the accuracy of random worlds.
    """
    unmet, found = _guess(context, sensitive), context.found
    asked, drawn = _asked(context, sensitive)
    by_cells = np.where(found[asked], model(context, sensitive, asked), unmet[asked])
    truth = context.true_label(sensitive)
    fitted = _by_sets(context, sensitive).of_people(truth)[1]
    belief, right = _by_combinations(context, sensitive).of_people(truth, rounds)
    before, worlds = context.true_prior(sensitive), context.true_belief(sensitive)
    belief = np.where(found, belief, before)
    exact = share_of(np.where(found, right, unmet))
    return {
        "model_accuracy": share_of(by_cells),
        **({"model_looked_at": len(asked), "model_error": margin(len(asked))} if drawn else {}),
        "fitted_accuracy": share_of(np.where(found, fitted, unmet)),
        "exact_accuracy": exact,
        "exact_accuracy_gain": exact - blind,
        **{f"exact_{at}": share_of(belief >= at - 1e-12) for at in THRESHOLDS},
        "exact_gain_mean": share_of(belief - before),
        "exact_belief_gain": share_of(belief - worlds),
    }


def learnt(context: AttackContext, sensitive: str, rounds: int = ROUNDS) -> Weighted:
    """Belief in each value of the compatible classes, for every combination of exact values.

    Arguments:
        context: people and a release in which every record is of another person.
        sensitive: the attribute that is learnt.
        rounds: of expectation and maximization at most.
    """
    could = context.spread(sensitive).pooled
    own = chosen_rows(could, context.places.set_of_combination)
    return _by_combinations(context, sensitive).of_values(own, rounds)


def _by_combinations(context: AttackContext, sensitive: str) -> _Guess:
    places = context.places
    return _Guess(
        places.weight,
        places.candidate_sets,
        context.buckets[sensitive],
        _grouped(places.set_of_combination, len(places.candidate_sets)),
        _blocks_of(context, sensitive),
        _features(places.codes),
        _grouped(places.combination_of, len(places.weight)),
    )


def _by_sets(context: AttackContext, sensitive: str) -> _Guess:
    """What has to be guessed where nothing but their candidate set tells people apart."""
    sets = context.places.candidate_sets
    people = _grouped(context.set_of, len(sets))
    return _Guess(
        np.diff(people.indptr),
        sets,
        context.buckets[sensitive],
        each_its_own(len(sets)),
        _blocks_of(context, sensitive),
        (np.zeros((len(sets), 0), np.int32), np.zeros(0, np.int64), []),
        people,
    )


def _blocks_of(context: AttackContext, sensitive: str) -> _Blocks:
    """Candidate sets and classes that have to do with each other."""
    sets, number = context.places.candidate_sets, len(context.classes)
    return context.once("blocks", sensitive, lambda _: _blocks(sets, number))


def learnt_of_buckets(context: AttackContext, sensitive: str, rounds: int = ROUNDS) -> Weighted:
    """Belief in each entry of the bucket, for every pair of a class and a bucket linked to it.

    The pairs are those of :attr:`AttackContext.class_buckets`.

    Arguments:
        context: people and linked tables.
        sensitive: the attribute that is learnt.
        rounds: of expectation and maximization at most.
    """
    linked, part = context.class_buckets, context.buckets[sensitive]
    each, number = each_its_own(len(part)), len(linked.index)
    guess = _Guess(
        linked.amount,
        each,
        part,
        _grouped(linked.index, len(part)),
        _blocks(each, len(part)),
        _features(column[linked.row_of] for column in context.places.cell_codes),
        each_its_own(number),
    )
    return guess.of_values(chosen_rows(part, linked.index), rounds)


def _grouped(of: NDArray[np.int32], number: int) -> Rows:
    """Who is in each of ``number`` groups, given the group of everybody."""
    return Rows(pointers(of, number), np.argsort(of, kind="stable").astype(np.int32))


def _blocks(sets: Rows, number: int) -> _Blocks:
    """Sets and places that have to do with each other, as the kernel takes them."""
    label = joined(sets.indptr, sets.index, number)
    there = np.flatnonzero(sets.length)
    of = label[sets.index[sets.indptr[there]]]
    group = np.argsort(label, kind="stable")
    return (
        there[np.argsort(of, kind="stable")], pointers(of, number), group, pointers(label, number),
    )  # fmt: skip


@dataclass(frozen=True)
class _Guess:
    """What has to be guessed: which values of the places that they could be in people have.

    Arguments:
        weight: people of each combination, [C].
        sets: the places of each set: classes, or buckets.
        held: the values of each place.
        members: the combinations of each set.
        blocks: the sets that have to do with each other.
        features: the codes of every combination [C, J], and where those of each feature start.
        people: the people of each combination.
    """

    weight: NDArray[np.int64]
    sets: Rows
    held: Weighted
    members: Rows
    blocks: _Blocks
    features: _Features
    people: Rows

    def of_people(
        self, truth: NDArray[np.int32], rounds: int = 0
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The belief in everybody's true value, and how far it is the likeliest; ties in part.

        Arguments:
            truth: the value of everybody, -1 for none that is listed, [n].
            rounds: of expectation and maximization at most.
        """
        belief, right = np.zeros(len(truth)), np.zeros(len(truth))
        self._fit(
            rounds, (*_NO_VALUES, self.people.index, self.people.indptr, truth, belief, right)
        )
        return belief, right

    def of_values(self, own: Rows, rounds: int = 0) -> Weighted:
        """The belief in each of the own values of every combination.

        Arguments:
            own: values of every combination, [C].
            rounds: of expectation and maximization at most.
        """
        out = np.zeros(len(own.index))
        self._fit(rounds, (own.indptr, own.index, out, *_NO_PEOPLE))
        return Weighted(own.indptr, own.index, out)

    def _fit(self, rounds: int, told: _Told) -> None:
        """Fit a model to all combinations, and tell what people are believed to have."""
        codes, start, sizes = self.features
        weight, held = self.weight, self.held
        domain = int(held.index.max(initial=-1)) + 1
        of_feature = np.repeat(np.arange(len(sizes)), sizes)
        everybody = _counted(codes, start, sizes, weight) / max(int(weight.sum()), 1)
        kind: type[np.floating[Any]] = np.float32 if len(self.people.index) > MANY else np.float64
        table, counted = np.ones((sum(sizes), domain), kind), np.zeros((sum(sizes), domain))
        scale = held.amount.astype(kind)
        whom = (*self.blocks, self.members.index, self.members.indptr, codes, start, table, weight)
        places = self.sets.indptr, self.sets.index, held.indptr, held.index, held.amount, scale
        plain = True
        for _ in range(rounds):
            counted[:] = 0.0
            fit(*whom, *places, SWEEPS, plain, counted, *_NO_VALUES, *_NO_PEOPLE)
            plain = False
            sums = np.zeros((len(sizes), domain))
            np.add.at(sums, of_feature, counted)
            shares = (counted + PSEUDO * everybody[:, None]) / (sums[of_feature] + PSEUDO)
            change = np.abs(shares - table).max(initial=0.0)
            table[:] = shares
            if change < STILL:
                break
        last = LAST_SWEEPS if kind is np.float64 else LAST_OF_MANY
        fit(*whom, *places, last, plain, np.zeros((0, domain)), *told)


def _counted(
    codes: NDArray[np.int32],
    start: NDArray[np.int64],
    sizes: list[int],
    weight: NDArray[np.int64],
) -> NDArray[np.float64]:
    """How many people have each code of each feature."""
    found = np.zeros(sum(sizes))
    for j, size in enumerate(sizes):
        found[start[j] : start[j] + size] = np.bincount(codes[:, j], weight, size)
    return found


def _asked(context: AttackContext, sensitive: str) -> tuple[NDArray[np.int64], bool]:
    """The people whom the model of the published cells is asked about; whether they were drawn."""
    people, sets = context.people.height, context.places.candidate_sets
    if people <= DRAWN or len(sets.index) * len(context.labels(sensitive)) <= CELLS_AT_ONCE:
        return np.arange(people), False
    drawn = simulation([context.seed, 0x4B1F]).choice(people, DRAWN, replace=False)
    return np.sort(drawn).astype(np.int64), True


def model(
    context: AttackContext, sensitive: str, asked: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """How often a naive Bayes model of the published cells guesses each person's value, [asked].

    It is asked for the cells of the compatible classes, weighted by their records, and not told
    which values these classes have.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        asked: the people it is asked about; all where not given.
    """
    held, domain = context.buckets[sensitive], len(context.labels(sensitive))
    codes, start, sizes = _features(context.places.cell_codes)
    size = context.classes.size
    everybody = _counted(codes, start, sizes, size) / context.records
    counted = np.zeros((sum(sizes), domain))
    for j, number in enumerate(sizes):
        keys = codes[held.row_of, j].astype(np.int64) * domain + held.index
        had = np.bincount(keys, held.amount, number * domain)
        counted[start[j] : start[j] + number] = had.reshape(number, domain)
    total = np.bincount(held.index, held.amount, minlength=domain)
    table = np.log((counted + PSEUDO * everybody[:, None]) / (total + PSEUDO))
    known = np.log(np.maximum(context.spread(sensitive).prior, np.finfo(np.float64).tiny))
    asked = np.arange(context.people.height) if asked is None else asked
    truth = context.true_label(sensitive)[asked]
    there, row = np.unique(context.set_of[asked], return_inverse=True)
    sets = chosen_rows(context.places.candidate_sets, there)
    right, people = np.zeros(len(asked)), np.argsort(row, kind="stable")
    together = max(CELLS_TOGETHER // max(domain, 1), 1)
    first = 0
    while first < len(sets):
        last = int(np.searchsorted(sets.indptr, sets.indptr[first] + together, side="right")) - 1
        last = max(last, first + 1)
        own = sets.index[sets.indptr[first] : sets.indptr[last]]
        score = known + sum(table[start[j] + codes[own, j]] for j in range(len(sizes)))
        score = np.exp(score - score.max(axis=1, keepdims=True))
        score *= (size[own] / score.sum(axis=1))[:, None]
        begin = sets.indptr[first:last] - sets.indptr[first]
        filled = np.diff(sets.indptr[first : last + 1]) > 0
        belief = np.zeros((last - first, domain))
        belief[filled] = np.add.reduceat(score, begin[filled]) if len(own) else 0.0
        belief /= np.maximum(belief.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        top = belief >= belief.max(axis=1, keepdims=True) - ALIKE
        members = people[slice(*np.searchsorted(row, [first, last], sorter=people))]
        kept = members[(truth[members] >= 0) & filled[row[members] - first]]
        right[kept] = top[row[kept] - first, truth[kept]] / top.sum(axis=1)[row[kept] - first]
        first = last
    return right


def _features(columns: Iterable[NDArray[np.int32]]) -> _Features:
    """Columns of codes numbered anew [rows, J], where those of each start, and how many it has."""
    coded, sizes = [], []
    for column in columns:
        there = np.bincount(column + 1) > 0  # -1 is one, too
        sizes.append(int(there.sum()))
        coded.append((np.cumsum(there) - 1).astype(np.int32)[column + 1])
    start = np.cumsum([0, *sizes])[:-1].astype(np.int64)
    return np.stack(coded, axis=1), start, sizes
