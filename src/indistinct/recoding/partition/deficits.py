"""What a class that is being made still lacks of its promises, and which record would help.

A promise says whether a class breaks it and what it achieves. A class is helped by a record if it
breaks fewer promises with it, or comes nearer to what it still lacks in those it breaks. This needs
nothing of a privacy model beyond what every promise has, so it works for models to come.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from indistinct.errors import IndistinctError
from indistinct.frozen import dataclass
from indistinct.microdata.frequencies import Cells, ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.types import Bools, Codes, Floats, Ints, Ints32, Plain

AT_ONCE = 64
"""Profiles compared with each other; dearer ones are looked at where none of these helps."""

_NEARER = 1e-12

ROOM: Final = 1 << 27
"""Counts of sensitive values by profile that are held, at most: a gigabyte of them."""

CellCounts = Mapping[str, Ints]


def least_units(promises: Sequence[Promise]) -> int:
    """The units that any class must have: the largest size that a promise demands.

    >>> from indistinct.privacy import promise
    >>> least_units([promise("k-anonymity", k=5), promise("k-anonymity", k=3, on=["age"])])
    5
    >>> least_units([])
    1
    """
    return max((promise.class_size for promise in promises), default=1)


def grown_units(promises: Sequence[Promise], records: int) -> int:
    """The units that classes are grown to: enough for any member, where each asks for its own k.

    No more than all ``records``, of which one class can be all that there is: people of a
    population can make up for records that the table does not have.

    >>> from indistinct.privacy import promise
    >>> grown_units([promise("knm-anonymity", k={1: 9, 4: 3}, sensitive="diagnosis")], 100)
    9
    """
    return min(max((promise.sufficient_size for promise in promises), default=1), records)


def too_wide(data: LeveledTable, promises: Sequence[Promise]) -> bool:
    """Whether the sensitive values are too many to count each of them in every profile."""
    names = {part.sensitive for part in promises if part.sensitive in data.table.sensitive}
    cells = [data.table.sensitive[name] for name in names if name is not None]
    profiles = 1
    for own in cells:
        single = int(own.lengths.max(initial=0)) <= 1 and int(own.count.max(initial=0)) <= 1
        profiles *= len(own.domain) + 1 if single else data.table.combinations
    profiles = min(profiles, data.table.combinations)
    return bool(profiles * sum(len(own.domain) for own in cells) > ROOM)


@dataclass(frozen=True)
class Deficit:
    """The class so far: how often each sensitive value occurs in it, and its units."""

    counts: CellCounts
    size: int


class Deficits:
    """The promises about sensitive values, held against classes that are being made.

    Combinations that have the same sensitive values in the same numbers have one *profile*:
    ``profile`` [C] numbers them, those of nobody last, ``profiles`` is their number, ``unit``
    [profiles] the units of a combination of each. For a promise they are as good as each other.
    ``about`` says whether any promise speaks of sensitive values at all.
    """

    def __init__(self, data: LeveledTable, promises: Sequence[Promise]) -> None:
        cells = data.table.sensitive
        # How many of the population a class stands for depends on its cells, known in the end.
        self.promises = tuple(
            part for part in promises if part.sensitive in cells and not part.needs_population
        )
        self._asked = [part.parameters for part in self.promises]
        self.about = bool(self.promises)
        names = sorted({part.sensitive for part in self.promises if part.sensitive is not None})
        self._reference = {name: cells[name].totals for name in names}
        self._domains = {name: cells[name].about for name in names}
        self.profile, chosen = _profiles([cells[name] for name in names], data.weight)
        self.profiles = len(chosen)
        self.unit = data.weight[chosen]
        self._counts = {
            name: cells[name].select(chosen).dense(max(len(cells[name].domain), 1))
            for name in names
        }

    def nothing(self) -> Deficit:
        """An empty class."""
        return Deficit(
            {name: np.zeros(len(total), np.int64) for name, total in self._reference.items()}, 0
        )

    def of(self, profile: Sequence[int] | Codes) -> Deficit:
        """A class of combinations with these profiles."""
        chosen = np.asarray(profile, dtype=np.int64)
        return Deficit(
            {name: table[chosen].sum(axis=0) for name, table in self._counts.items()},
            int(self.unit[chosen].sum()),
        )

    def added(self, wanted: Deficit, profile: int, times: int = 1) -> Deficit:
        """The class with one combination of a profile more, or less.

        Arguments:
            wanted: the class so far.
            profile: that of the combination.
            times: how many come, 1; or -1 where one goes.
        """
        counts = {
            name: own + times * self._counts[name][profile] for name, own in wanted.counts.items()
        }
        return Deficit(counts, wanted.size + times * int(self.unit[profile]))

    def broken(self, counts: CellCounts, size: Ints) -> Ints:
        """How many promises each of several classes breaks: ``counts`` are [X, D], ``size`` [X]."""
        found: Ints = self._broken_each(counts, size).sum(axis=0, dtype=np.int64)
        return found

    def _broken_each(self, counts: CellCounts, size: Ints) -> Bools:
        """Which promises each of several classes breaks, [promises, X]."""
        found = np.zeros((len(self.promises), len(size)), dtype=np.bool_)
        for at, promise in enumerate(self.promises):
            found[at] = promise.breaks(self._table(promise, counts, size))
        return found

    def kept_by_first(self, profile: Codes, least: int) -> Bools:
        """Whether classes of the first profile, of the first two and so on keep every promise.

        One combination of each; a class of fewer units than ``least`` does not.
        """
        counts = {name: table[profile].cumsum(axis=0) for name, table in self._counts.items()}
        size = self.unit[profile].cumsum()
        found: Bools = (self.broken(counts, size) == 0) & (size >= least)
        return found

    def broken_with(self, wanted: Deficit, profile: Codes) -> Ints:
        """How many promises the class breaks with one combination more, of each profile apart."""
        now, size = _one(wanted)
        counts = {name: now[name] + self._counts[name][profile] for name in now}
        return self.broken(counts, size + self.unit[profile])

    def fits(self, counts: CellCounts, size: Ints, profile: int) -> Bools:
        """Which of several classes keep their promises with one combination of a profile more, [X].

        Arguments:
            counts: how often each sensitive value occurs in each class, [X, D], by attribute.
            size: units of each class, [X].
            profile: that of the combination.
        """
        more = {name: own + self._counts[name][profile] for name, own in counts.items()}
        found: Bools = self.broken(more, size + self.unit[profile]) == 0
        return found

    def kept(self, wanted: Deficit) -> bool:
        """Whether the class keeps every promise."""
        return not self.broken(*_one(wanted))[0]

    def helping(self, wanted: Deficit, cost: Floats) -> int:
        """The profile that brings the class most for what it costs; -1 if none helps it.

        ``cost`` [profiles] is what the cheapest combination of each profile costs, infinite where
        there is none left. Of very many profiles the cheapest are looked at first.
        """
        there = np.flatnonzero(np.isfinite(cost))
        if not len(there):
            return -1
        there = there[np.argsort(cost[there], kind="stable")]
        now, size = _one(wanted)
        broken = self._broken_each(now, size)[:, 0]
        before = int(broken.sum())
        unmet = self._unmet(wanted, broken)
        lack = self._lack(unmet, wanted, broken)
        for start in range(0, len(there), AT_ONCE):
            some = there[start : start + AT_ONCE]
            counts = {name: now[name] + self._counts[name][some] for name in now}
            each = self._broken_each(counts, size + self.unit[some])
            breaks = each.sum(axis=0)
            best, least = -1, math.inf
            for at in np.flatnonzero(breaks <= before).tolist():
                then = self._lack(unmet, self.added(wanted, int(some[at])), each[:, at])
                gain = lack - then + (before - int(breaks[at]))
                if gain > _NEARER and (price := (cost[some[at]] + _NEARER) / gain) < least:
                    best, least = int(some[at]), price
            if best >= 0:
                return best
        return -1

    def hindering(self, wanted: Deficit, there: Ints32) -> int:
        """Which of some profiles the class would best have one less of; -1 if none is in its way.

        ``there`` are profiles of combinations that are in the class.
        """
        broken = self._broken_each(*_one(wanted))[:, 0]
        before = int(broken.sum())
        unmet = self._unmet(wanted, broken)
        best, least = -1, self._lack(unmet, wanted, broken) - _NEARER
        for profile in np.unique(there).tolist():
            less = self.added(wanted, profile, -1)
            broken = self._broken_each(*_one(less))[:, 0]
            gone = before - int(broken.sum())
            if gone < 0:
                continue
            then = self._lack(unmet, less, broken) - gone
            if then < least:
                best, least = profile, then
        return best

    def _table(self, promise: Promise, counts: CellCounts, size: Ints) -> ClassTable:
        name = promise.sensitive
        assert name is not None
        return ClassTable(
            np.arange(len(size), dtype=np.int32),
            size,
            {name: counts[name]},
            {name: self._reference[name]},
            {name: self._domains[name]},
        )

    def _achieved(self, at: int, wanted: Deficit) -> dict[str, float]:
        """What a class achieves of a promise's own parameters, as far as these are numbers."""
        promise, asked = self.promises[at], self._asked[at]
        found = promise.achieved(self._table(promise, *_one(wanted)))
        return {
            name: int(value) if isinstance(value, int | np.integer) else float(value)
            for name, value in found.items()
            if value is not None and _number(value) and _number(asked.get(name))
        }

    def _unmet(self, wanted: Deficit, broken: Bools) -> list[tuple[int, tuple[str, ...]]]:
        """The places of promises that the class breaks, each with what it does not reach of it."""
        found = []
        for at in np.flatnonzero(broken).tolist():
            achieved = self._achieved(at, wanted)
            names = tuple(
                name
                for name in achieved
                if self._breaks_by(self.promises[at], wanted, achieved, name)
            )
            found.append((at, names or tuple(achieved)))
        return found

    def _breaks_by(
        self, promise: Promise, wanted: Deficit, achieved: Mapping[str, float], name: str
    ) -> bool:
        """Whether this parameter alone breaks it, all others being as low as they are reached."""
        others: Plain = {other: value for other, value in achieved.items() if other != name}
        if not others:
            return True
        try:
            eased = replace(promise, **others)
        except (IndistinctError, TypeError, ValueError):
            return True
        return bool(eased.breaks(self._table(eased, *_one(wanted)))[0])

    def _lack(
        self, unmet: Sequence[tuple[int, tuple[str, ...]]], wanted: Deficit, broken: Bools
    ) -> float:
        """How far a class that breaks these promises is from what is unmet; smaller is nearer."""
        total = 0.0
        for place, names in unmet:
            if not broken[place]:
                continue
            promise, achieved = self.promises[place], self._achieved(place, wanted)
            if not names:
                assert promise.sensitive is not None
                total += 1.0 / (1 + np.count_nonzero(wanted.counts[promise.sensitive]))
            for name in names:
                asked = float(self._asked[place][name])
                total += abs(achieved[name] - asked) / (1 + abs(asked)) if name in achieved else 1.0
        return total


def _profiles(cells: Sequence[Cells], weight: Ints) -> tuple[Ints32, Ints32]:
    """The profile of every combination, and the first combination of each profile.

    What is suppressed from the start weighs nothing, and has no part in the profiles of others.
    """
    number: dict[tuple[int | bytes, ...], int] = {}
    found = np.zeros(len(weight), dtype=np.int32)
    first: list[int] = []
    order = np.argsort(weight == 0, kind="stable").tolist()
    for row in order if cells else order[:1]:
        parts: list[int | bytes] = [int(weight[row])]
        for own in cells:
            held = slice(int(own.indptr[row]), int(own.indptr[row + 1]))
            parts += [own.value[held].tobytes(), own.count[held].tobytes()]
        at = number.setdefault(tuple(parts), len(number))
        if at == len(first):
            first.append(row)
        found[row] = at
    return found, np.array(first, dtype=np.int32)


def _one(wanted: Deficit) -> tuple[CellCounts, Ints]:
    counts = {name: own[None, :] for name, own in wanted.counts.items()}
    return counts, np.array([wanted.size], dtype=np.int64)


def _number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )
