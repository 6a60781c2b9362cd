"""Values under which everything that a program tried in place of its classes breaks a promise.

The values of a class belong to its people in some order. If it is known what the program tried,
and refused, the orders are left under which every attempt has a part that breaks
a promise. Classes that no attempt has in common are looked at alone: their orders are enumerated;
where there are too many, a walk goes through them from one to the next. It begins at the truth,
which is one of them, and in each step gives the values of a class to its people anew: two of them
exchange theirs, all are dealt again, or those of one part move on to the people of another. A step
after which an attempt would have been taken is not made. The orders it comes by are as likely as
all that are left (Metropolis and others 1953).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from math import factorial, prod

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels.ragged import Ragged
from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints, Ints32

CELLS = 1 << 22
"""Counts of values in parts that are held at once, at most."""

STEPS_EACH = 44
"""Steps of a walk for each person of the largest class."""

FEWEST, MOST = 440, 8800
"""Steps of a walk, at least and at most."""

STRETCHES = 10
"""Stretches of a walk that are compared, to tell by how much it may be wrong."""


@dataclass(frozen=True)
class Tried:
    """What the program tried in place of the published classes, and refused.

    Arguments:
        class_of: the published class of every person, [n]; -1 for suppressed people.
        attempt: the attempt that every part belongs to, from 0 and rising, [P].
        parts: the people of each part, [P].
    """

    class_of: Ints32
    attempt: Ints
    parts: Ragged

    def some(self, attempts: Bools) -> Tried:
        """Some of the attempts."""
        kept = np.flatnonzero(attempts[self.attempt])
        attempt = np.unique(self.attempt[kept], return_inverse=True)[1]
        return Tried(self.class_of, attempt, self.parts.select(kept))

    @property
    def attempts(self) -> int:
        """The number of attempts, A."""
        return int(self.attempt.max(initial=-1)) + 1

    def all_broken(self, broken: Bools) -> Bools:
        """Whether each attempt has a part that is broken: [..., P] becomes [..., A]."""
        starts = np.searchsorted(self.attempt, np.arange(self.attempts))
        return np.logical_or.reduceat(broken, starts, axis=-1)

    @property
    def with_others(self) -> Bools:
        """Attempts with people who are in no published class, whose values nothing tells, [A]."""
        found = np.zeros(self.attempts, np.bool_)
        outside = self.class_of[self.parts.value] < 0
        found[self.attempt[self.parts.row_of[outside]]] = True
        return found

    def outside(self, lasting: bool) -> list[Ints]:
        """Parts that were tried alone, of people who are in no published class; none twice.

        Arguments:
            lasting: whether the largest say most, since what they break their parts break, too;
                else the smallest do.
        """
        alone = np.bincount(self.attempt, minlength=self.attempts)[self.attempt] == 1
        out = self.parts.sums((self.class_of[self.parts.value] < 0).astype(np.int64))
        those = np.flatnonzero(alone & (out == self.parts.lengths))
        size = self.parts.lengths[those]
        free, found = np.ones(len(self.class_of), np.bool_), []
        for at in those[np.argsort(-size if lasting else size, kind="stable")].tolist():
            people = self.parts[at].astype(np.int64)
            if free[people].all():
                free[people] = False
                found.append(people)
        return found

    @property
    def touching(self) -> Ints:
        """The classes that each attempt is about, as pairs of attempt and class, [2, pairs]."""
        people = self.parts.value
        return np.unique(
            np.stack([self.attempt[self.parts.row_of], self.class_of[people].astype(np.int64)]),
            axis=1,
        )

    def groups(self) -> Ints:
        """The number of what every class belongs to, [G]: classes that attempts have in common.

        -1 for classes that no attempt is about.
        """
        attempt, of = self.touching
        least = np.arange(int(self.class_of.max(initial=-1)) + 1)
        while True:
            of_attempt = np.full(self.attempts, len(least))
            np.minimum.at(of_attempt, attempt, least[of])
            lower = least.copy()
            np.minimum.at(lower, of, of_attempt[attempt])
            if (lower == least).all():
                break
            least = lower
        found = np.full(len(least), -1)
        found[of] = np.unique(least[of], return_inverse=True)[1]
        return found


@dataclass(frozen=True)
class Rerun:
    """The program itself, which tells whether it makes the same classes of other values.

    Arguments:
        class_of: the published class of every person, [n]; -1 for suppressed people.
        same: whether it makes the published classes where everybody has the values of somebody,
            [n], whose place is given.
        runs: how often it may be asked.
        alone: whether suppressed people can be given other values one by one.
        together: whether the orders of all classes are tried with each other; suppressed people are
            one class then, whose rows are published.
    """

    class_of: Ints32
    same: Callable[[Ints], bool]
    runs: int
    alone: bool = True
    together: bool = False

    def left_over(self, kind: Ints, has: Bools, most: int, seed: int) -> Left:
        """What the orders of single classes are that lead to the same classes.

        All other classes have their values. Classes are taken at random while there are runs left
        for all their orders; those with more than ``most`` are passed over. Suppressed people are
        taken first, one by one: each may have what any published person has, as often as these.

        Arguments:
            kind: the kind of record that every person has, below K, [n].
            has: which values of the attribute learnt each kind has, [K, V].
            most: orders of a class up to which all are tried.
            seed: what the choice of classes depends on.
        """
        if self.together:
            return self._of_all(kind, has)
        likely = np.full(len(kind), np.nan)
        inside = np.argsort(self.class_of, kind="stable")[(self.class_of < 0).sum() :]
        groups = int(self.class_of.max(initial=-1)) + 1
        members = Ragged.by_owner(self.class_of[inside], inside, groups)
        tried = 0
        asked = self._alone(likely, kind, has, most) if self.alone else 0
        for group in simulation([seed, 0x3133]).permutation(len(members)).tolist():
            people = members[group].astype(np.int64)
            own = kind[people]
            number = _orders(own)
            if not 1 < number <= min(most, self.runs - asked):
                continue
            by_kind = np.argsort(own, kind="stable")
            kinds, counts = np.unique(own, return_counts=True)
            orders = np.array(
                [
                    order
                    for order in assignments(counts.tolist())
                    if self._kept(people, by_kind, order)
                ]
            )
            tried, asked = tried + 1, asked + number
            if len(orders):
                held = has[kinds[orders]].mean(axis=0)
                likely[people] = np.where(has[own], held, 0.0).max(axis=1)
        exact = ~np.isnan(likely)
        return Left(likely, np.zeros(len(kind)), exact, tried, 0, asked)

    def _alone(self, likely: Floats, kind: Ints, has: Bools, most: int) -> int:
        """Fill in how likely the values of suppressed people are; returns the runs it took."""
        donor = np.unique(kind, return_index=True)[1]
        weight = np.bincount(kind[self.class_of >= 0], minlength=len(donor)).astype(np.float64)
        weight += 1 / len(weight)
        asked = 0
        for person in np.flatnonzero(self.class_of < 0).tolist():
            if len(donor) > min(most, self.runs - asked):
                break
            left = weight.copy()
            for other, of in enumerate(donor.tolist()):
                donors = np.arange(len(kind))
                donors[person] = of
                if other != kind[person] and not self.same(donors):
                    left[other] = 0.0
            asked += len(donor)
            likely[person] = (left @ has)[has[kind[person]]].max() / left.sum()
        return asked

    def _of_all(self, kind: Ints, has: Bools) -> Left:
        """What the orders of all classes together leave that lead to the same classes."""
        members = [np.flatnonzero(self.class_of == at) for at in np.unique(self.class_of)]
        orders = [
            assignments(np.unique(kind[people], return_counts=True)[1].tolist())
            for people in members
        ]
        held, left, asked = np.zeros((len(kind), has.shape[1])), 0, 0
        for world in product(*orders):
            donors = np.arange(len(kind))
            for people, order in zip(members, world, strict=True):
                by_kind = np.argsort(kind[people], kind="stable")
                donors[people[np.argsort(order, kind="stable")]] = people[by_kind]
            asked += 1
            if self.same(donors):
                left += 1
                held += has[kind[donors]]
        likely = np.where(has[kind], held, 0.0).max(axis=1) / max(left, 1)
        mixed = sum(len(own) > 1 for own in orders)
        return Left(likely, np.zeros(len(kind)), np.ones(len(kind), np.bool_), mixed, 0, asked)

    def _kept(self, people: Ints, by_kind: Ints, order: Ints) -> bool:
        """Whether the classes are the same where an order says whose values its people have."""
        donors = np.arange(len(self.class_of))
        donors[people[np.argsort(order, kind="stable")]] = people[by_kind]
        return self.same(donors)


Breaks = Callable[[Ints, Ints], Bools]
"""Whether parts break a promise, by their size [P] and how often they have each kind [P, K]."""


@dataclass(frozen=True)
class Left:
    """How likely what is true of people is under the orders that are left.

    Arguments:
        likely: the share of the orders under which somebody has the own value, [n]; not a number
            for people of whom nothing was tried.
        noise: the standard error of the share, [n]; 0 where it is exact.
        exact: whether the share is of all orders, [n].
        enumerated: classes whose orders were all tried.
        walked: classes whose orders a walk went through.
        orders: how many orders were looked at.
    """

    likely: Floats
    noise: Floats
    exact: Bools
    enumerated: int
    walked: int
    orders: int

    @property
    def untried(self) -> Bools:
        """Of whom nothing was tried, [n]."""
        return np.isnan(self.likely)


def left_over(
    tried: Tried, kind: Ints, same: Bools, breaks: Breaks, *, enumerated: int, seed: int
) -> Left:
    """What the orders are that leave every attempt refused.

    Arguments:
        tried: the attempts, all of them refused under the truth.
        kind: the kind of record that every person has, below K, [n].
        same: whether records of two kinds have the same value of the attribute that is learnt,
            [K, K].
        breaks: whether parts break a promise.
        enumerated: orders up to which all are tried.
        seed: of the walk.
    """
    likely, exact = np.full(len(kind), np.nan), np.zeros(len(kind), np.bool_)
    noise = np.zeros(len(kind))
    counts = [0, 0, 0]
    if not tried.attempts:
        return Left(likely, noise, exact, *counts)
    waiting: list[tuple[int, _Together]] = []
    for here in _Together.each(tried, kind):
        number = prod(_orders(own) for own in np.split(here.kind, np.cumsum(here.lengths)[:-1]))
        if number <= enumerated:
            likely[here.people] = here.enumerated(same, breaks)
            exact[here.people] = True
            counts[0] += len(here.lengths)
            counts[2] += number
        else:
            waiting.append((int(here.lengths.max()), here))
    waiting.sort(key=lambda item: item[0])
    for at, batch in enumerate(_batches([here for _, here in waiting], same.shape[0])):
        shares, steps = batch.walked(same, breaks, simulation([seed, 0x3132, at]))
        likely[batch.people] = shares.mean(axis=0)
        noise[batch.people] = shares.std(axis=0, ddof=1) / STRETCHES**0.5
        counts[1] += len(batch.lengths)
        counts[2] += steps
    return Left(likely, noise, exact, *counts)


def orders_of(class_of: Ints32, kind: Ints) -> int:
    """How many ways there are to give the values of every class to its people."""
    return prod(_orders(kind[class_of == at]) for at in np.unique(class_of))


def _orders(kinds: Ints) -> int:
    counts = np.unique(kinds, return_counts=True)[1]
    return factorial(len(kinds)) // prod(factorial(int(n)) for n in counts)


@dataclass(frozen=True)
class _Together:
    """Classes that attempts have in common, or several such groups.

    Arguments:
        people: of all classes, class after class, [m].
        lengths: people of each class.
        kind: the kind of each of these people, [m].
        tried: the attempts; classes and people by their places here.
    """

    people: Ints
    lengths: Ints
    kind: Ints
    tried: Tried

    @classmethod
    def each(cls, tried: Tried, kind: Ints) -> Iterator[_Together]:
        """Every group of classes that attempts have in common."""
        groups = tried.groups()
        group = np.where(tried.class_of >= 0, groups[tried.class_of], -1)
        order = np.lexsort((tried.class_of, group))
        every = np.arange(int(groups.max()) + 2)
        starts = np.searchsorted(group[order], every)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - starts[np.maximum(group[order], 0)]
        of_part = group[tried.parts.value[tried.parts.indptr[:-1]]]
        parts = np.argsort(of_part, kind="stable")
        parts_from = np.searchsorted(of_part[parts], every)
        for at in every[:-1].tolist():
            people = order[starts[at] : starts[at + 1]]
            own = parts[parts_from[at] : parts_from[at + 1]]
            held = tried.parts.select(own)
            within = Ragged(held.indptr, place[held.value].astype(np.int32))
            class_of, lengths = np.unique(
                tried.class_of[people], return_inverse=True, return_counts=True
            )[1:]
            attempt = np.unique(tried.attempt[own], return_inverse=True)[1]
            own_tried = Tried(class_of.astype(np.int32), attempt, within)
            yield cls(people, lengths, kind[people], own_tried)

    @classmethod
    def joined(cls, parts: Sequence[_Together]) -> _Together:
        """Several groups, which have nothing in common."""
        first = np.cumsum([0, *(len(one.people) for one in parts)])
        attempts = np.cumsum([0, *(one.tried.attempts for one in parts)])
        classes = np.cumsum([0, *(len(one.lengths) for one in parts)])
        tried = [one.tried for one in parts]
        values = np.concatenate([t.parts.value + f for t, f in zip(tried, first[:-1], strict=True)])
        lengths = np.concatenate([t.parts.lengths for t in tried])
        return cls(
            np.concatenate([one.people for one in parts]),
            np.concatenate([one.lengths for one in parts]),
            np.concatenate([one.kind for one in parts]),
            Tried(
                np.concatenate(
                    [t.class_of + c for t, c in zip(tried, classes[:-1], strict=True)]
                ).astype(np.int32),
                np.concatenate([t.attempt + a for t, a in zip(tried, attempts[:-1], strict=True)]),
                Ragged(np.concatenate([[0], np.cumsum(lengths)]), values.astype(np.int32)),
            ),
        )

    def refused(self, worlds: Ints, domain: int, breaks: Breaks) -> Bools:
        """Whether every attempt has a broken part under each order, [orders, A].

        Arguments:
            worlds: the kind of every person under each order, [orders, m].
            domain: how many kinds there are, K.
            breaks: whether parts break a promise.
        """
        parts = self.tried.parts
        number = len(parts)
        row = np.arange(len(worlds))[:, None] * number + parts.row_of
        flat = (row * domain + worlds[:, parts.value]).ravel()
        cells = np.bincount(flat, minlength=len(worlds) * number * domain)
        size = np.tile(parts.lengths, len(worlds))
        broken = breaks(size, cells.reshape(-1, domain).astype(np.int64))
        return self.tried.all_broken(broken.reshape(len(worlds), number))

    def enumerated(self, same: Bools, breaks: Breaks) -> Floats:
        """How often everybody has the own value, over all orders that are left, [m]."""
        worlds = np.zeros((1, 0), np.int64)
        first = 0
        for length in self.lengths.tolist():
            values, counts = np.unique(self.kind[first : first + length], return_counts=True)
            own = values[assignments(counts.tolist())]
            worlds = np.hstack(
                [np.repeat(worlds, len(own), axis=0), np.tile(own, (len(worlds), 1))]
            )
            first += length
        domain = same.shape[0]
        left, has = 0, np.zeros(len(self.people))
        at_once = max(CELLS // max(len(self.tried.parts) * domain, 1), 1)
        for begin in range(0, len(worlds), at_once):
            some = worlds[begin : begin + at_once]
            some = some[self.refused(some, domain, breaks).all(axis=1)]
            left += len(some)
            has += same[some, self.kind].sum(axis=0)
        return has / left

    def walked(
        self, same: Bools, breaks: Breaks, random: np.random.Generator
    ) -> tuple[Floats, int]:
        """The same share over each stretch of a walk but the first, [stretches, m]; and the steps.

        Arguments:
            same: whether records of two kinds have the same value, [K, K].
            breaks: whether parts break a promise.
            random: where chance comes from.
        """
        state, has = self.kind.copy(), np.zeros((STRETCHES + 1, len(self.people)))
        each = int(np.clip(STEPS_EACH * self.lengths.max(), FEWEST, MOST)) // (STRETCHES + 1)
        steps = each * (STRETCHES + 1)
        touching = self.tried.touching
        for step in range(steps):
            moving = self._moving(touching, random)
            other = self._moved(state, moving, step % 4, random)
            refused = self.refused(other[None, :], same.shape[0], breaks)[0]
            stays = np.zeros(len(self.lengths), np.bool_)
            stays[touching[1][~refused[touching[0]]]] = True
            taken = (moving & ~stays)[self.tried.class_of]
            state[taken] = other[taken]
            has[step // each] += same[state, self.kind]
        return has[1:] / each, steps

    def _moving(self, touching: Ints, random: np.random.Generator) -> Bools:
        """Classes no two of which an attempt has in common."""
        rank = random.permutation(len(self.lengths))
        first = np.full(self.tried.attempts, len(rank))
        np.minimum.at(first, touching[0], rank[touching[1]])
        moving = np.ones(len(rank), np.bool_)
        moving[touching[1][first[touching[0]] < rank[touching[1]]]] = False
        return moving

    def _moved(self, state: Ints, moving: Bools, how: int, random: np.random.Generator) -> Ints:
        """The values dealt anew within classes that move."""
        of, lengths = self.tried.class_of, self.lengths
        starts = np.cumsum(lengths) - lengths
        other = state.copy()
        if how < 2:
            one, two = (starts + random.integers(lengths) for _ in range(2))
            one, two = one[moving], two[moving]
            other[one], other[two] = state[two], state[one]
            return other
        key = random.random(len(state))
        if how == 3:
            key += self._in_parts(random)
        order = np.lexsort((key, of))
        by = random.integers(lengths)
        place = np.arange(len(state)) - starts[of]
        if how == 2:
            found = state[order]
        else:
            found = np.empty_like(state)
            found[order] = state[order][starts[of] + (place + by[of]) % lengths[of]]
        return np.where(moving[of], found, state)

    def _in_parts(self, random: np.random.Generator) -> Floats:
        """For everybody the part of one attempt, drawn anew for each class, [m]."""
        tried = self.tried
        drawn = random.permutation(tried.attempts)[tried.attempt]
        number = np.zeros(len(self.people))
        chosen = np.full(len(self.lengths), -1)
        entries = tried.parts.row_of
        np.maximum.at(chosen, tried.class_of[tried.parts.value], drawn[entries])
        there = drawn[entries] == chosen[tried.class_of[tried.parts.value]]
        number[tried.parts.value[there]] = 1.0 + entries[there]
        return number


def _batches(groups: Sequence[_Together], domain: int) -> Iterator[_Together]:
    """Groups that are walked through at the same time."""
    batch: list[_Together] = []
    cells = 0
    for one in groups:
        own = len(one.tried.parts) * domain
        if own > CELLS:
            continue
        if batch and cells + own > CELLS:
            yield _Together.joined(batch)
            batch, cells = [], 0
        batch.append(one)
        cells += own
    if batch:
        yield _Together.joined(batch)


def assignments(counts: Sequence[int]) -> Ints:
    """Every order of a multiset, as places of its values, [orders, items].

    >>> assignments([2, 1]).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    size = sum(counts)
    found = np.full((1, size), -1, np.int64)
    free = size
    for value, count in enumerate(counts):
        places = np.array(list(combinations(range(free), count)), np.int64).reshape(-1, count)
        open_at = np.nonzero(found < 0)[1].reshape(len(found), free)
        taken = open_at[:, places].reshape(-1, count)
        found = np.repeat(found, len(places), axis=0)
        np.put_along_axis(found, taken, value, axis=1)
        free -= count
    return found
