"""Greedy k-member clustering (Byun, Kamra, Bertino and Li 2007, "Efficient k-anonymization using
clustering techniques", DASFAA 2007).

A class begins with the record furthest from the last one that was placed, and takes the record
that makes its cells cost least until it has k. Records that are left over join the class whose cost
rises least. The first record, from which the first class is furthest, is drawn.

Promises about sensitive values are kept by going on: a class takes the record that brings it most
for what it costs, until it breaks nothing. A class for which no record is left that would help is
merged with another in the end, or suppressed.

Every record is compared with every other: the time grows with their square.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.kernels.clustering import (
    Waiting,
    close_up,
    extend_class,
    grow_classes,
    nearest_of_each,
)
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.randomness import stream
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition.deficits import Deficits, grown_units
from indistinct.recoding.partition.distance import Costs, domains_of, room_to_grow
from indistinct.recoding.partition.repair import Repair, check
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.types import Ints32

AT_ONCE = 16
"""Classes made between two reports of progress."""


def k_member(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: PartitionSettings,
    progress: Progress = silent,
) -> Ints32:
    """The class of every combination, [C]; -1 for suppressed ones.

    A combination of several records is placed as a whole: classes may then be larger than they need
    be. Combinations of weight 0 are in no class.

    Arguments:
        data: the table; one combination per record where equal records may be told apart.
        promises: what every class must keep. k is the largest size they ask for.
        settings: ``cells`` are what is counted as cost, ``weights`` how often each attribute is;
            ``seed`` draws the first record; ``suppression_limit``.
        progress: told the share of records that are placed.

    Raises:
        PolicyError: for more records than clustering takes on.
        Unsatisfiable: if the promises cannot be kept within the suppression limit.
    """
    check(data, promises, settings, "k-member")
    allowed = settings.allowed(data.table.records)
    class_of = np.full(data.table.combinations, -1, dtype=np.int32)
    there = np.flatnonzero(data.weight > 0).astype(np.int32)
    if not len(there) or any(part.infeasible(data.table, allowed) for part in promises):
        return class_of
    costs = domains_of(data, settings)
    wants = Deficits(data, promises)
    growth = _Growth(data, wants, costs, class_of, there)
    first = int(stream(settings.seed, "k-member.first").integers(len(there)))
    growth.run(
        grown_units(promises, data.table.records), costs.places[there[first]].copy(), progress
    )
    mending = Repair(data, promises, wants, costs, class_of, settings)
    mending.take_in(growth.remaining)
    return mending.mend(allowed)


class _Growth:
    """The classes so far, and the rows that are in none yet, moved together."""

    def __init__(
        self, data: LeveledTable, wants: Deficits, costs: Costs, class_of: Ints32, rows: Ints32
    ) -> None:
        self._wants = wants
        domains, places = costs
        self._domains = domains
        self._class_of = class_of
        taken = np.zeros(len(rows), dtype=np.bool_)
        units, profile = data.weight[rows], wants.profile[rows]
        self._waiting = Waiting(places[rows], rows.copy(), units, profile, taken)
        self._left = len(rows)
        self._free = int(units.sum())
        self._growing = room_to_grow(domains)

    @property
    def remaining(self) -> Ints32:
        """The rows that are in no class."""
        return self._waiting.rows[: self._left]

    def run(self, least: int, last: Ints32, progress: Progress) -> None:
        """Make classes while there are units enough left for one.

        Arguments:
            least: the units that a class has at least.
            last: the places of the values from which the first class is furthest, [m]; changes.
            progress: is told the share of units that are in classes.
        """
        group, whole = 0, self._free
        at_once = 1 if self._wants.about else AT_ONCE
        while self._free >= least and self._left:
            self._left, self._free, group = grow_classes(
                self._domains, self._growing, self._waiting, last, self._left, self._free, least,
                group, at_once, self._class_of,
            )  # fmt: skip
            if self._wants.about:
                self._go_on(group - 1, last)
            if group % AT_ONCE == 0:
                progress(1.0 - self._free / whole)

    def _go_on(self, group: int, last: Ints32) -> None:
        """Give the class that was made last what it still lacks."""
        wants, (values, rows, units, profile, taken) = self._wants, self._waiting
        left = slice(self._left)
        class_ = wants.of(wants.profile[np.flatnonzero(self._class_of == group)])
        best = np.empty(wants.profiles, dtype=np.int64)
        cost = np.empty(wants.profiles)
        while not wants.kept(class_):
            table = self._growing.table
            nearest_of_each(values[left], taken[left], table, profile[left], best, cost)
            chosen = wants.helping(class_, cost)
            if chosen < 0:
                break
            row = int(best[chosen])
            extend_class(self._domains, self._growing, values[row])
            class_ = wants.added(class_, chosen)
            last[:] = values[row]
            taken[row] = True
            self._class_of[rows[row]] = group
            self._free -= int(units[row])
        self._left = close_up(self._waiting, self._left)
