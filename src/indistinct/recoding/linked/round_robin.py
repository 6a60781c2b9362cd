"""Dealing people to buckets like cards, so that every bucket is much like the whole.

People are sorted by what they have (their *profile*: the highest category of every sensitive
attribute) and dealt in turn to B buckets. Every bucket then holds n/B people, and c/B of any c
neighbours in that order, each rounded up or down. Whether all buckets are right can be told without
dealing: where the runs of profiles end, taken modulo B, cut the buckets into stretches that are all
alike, at most one more than there are profiles. So very many B are tried, the largest first, and
the first is taken whose buckets keep every promise. Where only few people have rare categories,
buckets get larger than k until there is enough for each of them.

Where that needs very large buckets, made-up people are added instead: as many as the score of a B
says are worth it. Dealing takes time proportional to the people, trying B does not depend on them.

Which people of a profile come to which bucket is drawn at random, and nothing but the profile
matters, so a bucket tells nothing of its people's quasi-identifiers. This is not in the paper,
which cuts chunks of k people in their order and exchanges records between these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from indistinct.frozen import dataclass
from indistinct.randomness import Random
from indistinct.types import Bools, Ints, Ints32

WORTH = 0.001
"""Made-up people, as a share of all, that buckets of half the size are worth."""

STEP = 0.99
"""From one number of buckets to the next that is tried; all are where there are few."""

MOST_PROFILES = 64
"""With more profiles than this, fewer numbers of buckets are tried."""

EVERY = 10
"""Made-up people are tried with each tenth number of buckets only, where there are many."""

MOST_NOISE = 48
"""Made-up people in one bucket, at most."""

Lists = Mapping[str, Ints]
"""Something by list: how often each value is listed, in each of several buckets."""

Broken = Callable[[Lists, Ints, Lists], Bools]
"""Which of several buckets break a promise, by what they list, how many people they have, and what
all buckets list together."""


@dataclass(frozen=True)
class Deal:
    """How people are dealt.

    Arguments:
        buckets: their number, B.
        turn: the place of every profile in the order of dealing, [P].
        start: the first bucket of every stretch of buckets that are alike, [S].
        noise: per stretch the made-up people of each of its buckets: a row of codes, one for every
            attribute.
        made: made-up people in all buckets together.
        score: what the arrangement costs: less is better.
    """

    buckets: int
    turn: Ints
    start: Ints
    noise: tuple[tuple[tuple[int, ...], ...], ...]
    made: int
    score: float


class Dealer:
    """The profiles of some people, and what is listed of each.

    Arguments:
        people: how many have each profile, [P].
        codes: of every attribute the code that each profile has in it, [P].
        had: of every list what a person of each profile adds to it, [P, D].
        attribute_of: the attribute whose values each list has; a made-up person adds its code once
            to all lists of the attribute.
        broken: which of several buckets break a promise, made-up people counted; and which break
            one of those that have to hold without them.
        k: the smallest bucket.
    """

    def __init__(
        self,
        people: Ints,
        codes: Mapping[str, Ints32],
        had: Lists,
        attribute_of: Mapping[str, str],
        broken: tuple[Broken, Broken],
        k: int,
    ) -> None:
        self.people = people
        self.total = int(people.sum())
        self.codes = codes
        self.had = had
        self.attribute_of = attribute_of
        self.broken, self.hopeless = broken
        self.k = k
        self.whole = {name: people @ own for name, own in had.items()}
        self.first_list = {
            name: next(one for one, of in attribute_of.items() if of == name) for name in codes
        }
        self.least_noise: int | None = None

    def best(self, allowed: int | None) -> Deal | None:
        """The best arrangement found with at most ``allowed`` made-up people, any number if None.

        ``least_noise`` is then the least number of made-up people seen, None if nothing helped.
        """
        found: Deal | None = None
        orders = self._orders()
        numbers = list(self._numbers())
        every = 1 if len(numbers) <= 2 * EVERY else EVERY
        for at, buckets in enumerate(numbers):
            worth = WORTH * math.log2(self.total / (buckets * self.k))
            if found is not None and worth >= found.score:
                break
            for turn in orders:
                start, times, counts = self._stretches(buckets, turn)
                lists = {name: counts @ own for name, own in self.had.items()}
                size = counts.sum(axis=1)
                broken = self.broken(lists, size, self.whole)
                if not broken.any():
                    none: tuple[tuple[tuple[int, ...], ...], ...] = ((),) * len(start)
                    return Deal(buckets, turn, start, none, 0, worth)
                if allowed == 0 or at % every or self.hopeless(lists, size, self.whole).any():
                    continue
                noise = self._filled(lists, size, broken, times)
                if noise is None:
                    continue
                made = sum(len(own) * int(n) for own, n in zip(noise, times, strict=True))
                self.least_noise = min(made, self.least_noise or made)
                score = worth + made / self.total
                if (allowed is None or made <= allowed) and (found is None or score < found.score):
                    found = Deal(buckets, turn, start, noise, made, score)
        return found

    def dealt(self, deal: Deal, profile: Ints32, random: Random) -> Ints32:
        """The bucket of every person, [n].

        Arguments:
            deal: the arrangement.
            profile: that of every person, [n].
            random: draws the order of people with one profile.
        """
        turn = deal.turn.astype(np.min_scalar_type(max(len(deal.turn) - 1, 0)))
        order = random.permutation(len(profile))
        order = order[np.argsort(turn[profile[order]], kind="stable")]
        bucket_of = np.empty(len(profile), dtype=np.int32)
        bucket_of[order] = np.arange(len(profile), dtype=np.int64) % deal.buckets
        return bucket_of

    def made_up(self, deal: Deal) -> tuple[Ints32, dict[str, Ints32]]:
        """The bucket of every made-up person, and its codes by attribute."""
        ends = np.append(deal.start[1:], deal.buckets)
        buckets: list[Ints] = []
        rows: list[Ints32] = []
        for first, end, own in zip(deal.start, ends, deal.noise, strict=True):
            each = np.arange(first, end)
            for row in own:
                buckets.append(each)
                rows.append(np.tile(np.array(row, dtype=np.int32), (len(each), 1)))
        if not buckets:
            return np.zeros(0, np.int32), {name: np.zeros(0, np.int32) for name in self.codes}
        codes = np.concatenate(rows)
        return (
            np.concatenate(buckets).astype(np.int32),
            {name: codes[:, at].copy() for at, name in enumerate(self.codes)},
        )

    def _numbers(self) -> Iterator[int]:
        """Numbers of buckets to try, the largest first."""
        few = len(self.people) <= MOST_PROFILES
        buckets = self.total // self.k
        while buckets >= 1:
            yield buckets
            buckets = min(buckets - 1, int(buckets * (STEP if few else STEP**EVERY)))

    def _orders(self) -> list[Ints]:
        """Orders of profiles to deal in: each attribute leads once, its frequent values first."""
        ranks = {}
        for name, code in self.codes.items():
            totals = np.bincount(code, weights=self.people)
            rank = np.empty(len(totals), dtype=np.int64)
            rank[np.argsort(-totals, kind="stable")] = np.arange(len(totals))
            ranks[name] = rank[code]
        orders = []
        for lead in self.codes:
            others = [ranks[name] for name in self.codes if name != lead]
            order = np.lexsort((-self.people, *others[::-1], ranks[lead]))
            turn = np.empty(len(order), dtype=np.int64)
            turn[order] = np.arange(len(order))
            orders.append(turn)
        return orders

    def _stretches(self, buckets: int, turn: Ints) -> tuple[Ints, Ints, Ints]:
        """Stretches of buckets that are alike: their first, their length, their people [S, P].

        >>> none = lambda lists, size, whole: size < 1
        >>> even = Dealer(np.array([3, 2]), {}, {}, {}, (none, none), 2)
        >>> [part.tolist() for part in even._stretches(2, np.array([0, 1]))]
        [[0, 1], [1, 1], [[2, 1], [1, 1]]]
        """
        order = np.argsort(turn)
        ends = np.concatenate([[0], np.cumsum(self.people[order])]).astype(np.int64)
        start = np.unique(ends % buckets)
        below = np.maximum(-((start[:, None] - ends[None, :]) // buckets), 0)
        counts = np.empty((len(start), len(order)), dtype=np.int64)
        counts[:, order] = np.diff(below, axis=1)
        return start, np.diff(np.append(start, buckets)), counts

    def _filled(
        self, lists: Lists, size: Ints, broken: Bools, times: Ints
    ) -> tuple[tuple[tuple[int, ...], ...], ...] | None:
        """Made-up people for every stretch that mend what is broken; None if so many do not.

        Each has the value that is listed least in its bucket, of several the most frequent one.
        """
        lists = {name: own.copy() for name, own in lists.items()}
        whole = {name: own.copy() for name, own in self.whole.items()}
        size = size.copy()
        taste = {}
        for name, one in self.first_list.items():
            rank = np.empty(len(whole[one]), dtype=np.int64)
            rank[np.argsort(-whole[one], kind="stable")] = np.arange(len(rank))
            taste[name] = rank
        made: list[list[tuple[int, ...]]] = [[] for _ in size]
        for _ in range(MOST_NOISE):
            rows = np.flatnonzero(broken)
            chosen = {}
            for name, one in self.first_list.items():
                domain = len(taste[name])
                chosen[name] = (lists[one][rows] * domain + taste[name]).argmin(axis=1)
            for one, name in self.attribute_of.items():
                lists[one][rows, chosen[name]] += 1
                np.add.at(whole[one], chosen[name], times[rows])
            size[rows] += 1
            for row, codes in zip(
                rows.tolist(), zip(*(chosen[name].tolist() for name in self.codes), strict=True),
                strict=True,
            ):  # fmt: skip
                made[row].append(codes)
            broken = self.broken(lists, size, whole)
            if not broken.any():
                return tuple(map(tuple, made))
        return None


def alike(columns: Sequence[Ints]) -> tuple[Ints, Ints32]:
    """A person of every profile, and everybody's profile: the same for equal rows of columns."""
    profile = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        profile = profile * len(values) + place
        profile = np.unique(profile, return_inverse=True)[1]
    _, first, number = np.unique(profile, return_index=True, return_inverse=True)
    return first, number.astype(np.int32)
