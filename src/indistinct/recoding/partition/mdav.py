"""MDAV: groups of k records that are near each other (Domingo-Ferrer and Mateo-Sanz 2002; in the
form of Domingo-Ferrer and Torra 2005, "maximum distance to average vector").

The record furthest from the average of all that are left and the k - 1 nearest to it are one
group; the record furthest from that one and the k - 1 nearest to it another; and so on while 3 k
are left. Of the last 2 k to 3 k - 1 records those around the outermost are one group and the rest
another, so that a group has k to 2 k - 1 records. Every quasi-identifier is put on a scale on which
its standard deviation is 1. Categories are points of a space of their own: the squared distance of
two of them grows with the levels of their hierarchy on which they differ.

Promises about sensitive values are kept by going on: a group takes the record that brings it most
for its distance, until it breaks nothing; such groups can be larger than 2 k - 1.

What is published here are the cells of the groups, not their averages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from indistinct.errors import PolicyError, Problems, refuse
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels.clustering import (
    Points,
    average_groups,
    distances,
    gather,
    keep_apart,
    nearest_by_profile,
    outermost,
)
from indistinct.microdata.domains import numbers_of
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import places_of, styles_of
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition.deficits import Deficits, grown_units
from indistinct.recoding.partition.distance import domains_of
from indistinct.recoding.partition.repair import Repair, check
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.types import Floats, Ints32

AT_ONCE = 64
"""Groups made between two reports of progress."""


MOST_CATEGORIES = 300
"""Labels on all levels of the hierarchy of an attribute of categories, at most."""


def mdav(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: PartitionSettings,
    progress: Progress = silent,
) -> Ints32:
    """The class of every combination, [C]; -1 for suppressed ones.

    Nothing is drawn: equal tables give equal groups. Combinations of weight 0 are in no class.

    Arguments:
        data: the table, one combination per record.
        promises: what every class must keep. k is the largest size they ask for.
        settings: ``weights`` of attributes, ``suppression_limit``; ``cells`` are what is counted
            as cost where classes have to be merged.
        progress: told the share of records that are placed.

    Raises:
        PolicyError: for numbers of which some are missing, too many categories, combinations of
            several records, or more records than clustering takes on.
        Unsatisfiable: if the promises cannot be kept within the suppression limit.
    """
    check(data, promises, settings, "mdav")
    styles = styles_of(data, settings.cells)
    _check_points(data, styles)
    allowed = settings.allowed(data.table.records)
    class_of = np.full(data.table.combinations, -1, dtype=np.int32)
    there = np.flatnonzero(data.weight > 0).astype(np.int32)
    if not len(there) or any(part.infeasible(data.table, allowed) for part in promises):
        return class_of
    wants = Deficits(data, promises)
    averaging = _Averaging(
        wants, standardized(data, settings.weights, styles)[there], there, class_of
    )
    averaging.run(grown_units(promises, data.table.records), progress)
    mending = Repair(data, promises, wants, domains_of(data, settings), class_of, settings)
    mending.take_in(averaging.remaining)
    return mending.mend(allowed)


def standardized(
    data: LeveledTable,
    weights: Mapping[str, float] | None = None,
    styles: Sequence[str] = (),
) -> Floats:
    """The quasi-identifiers as points less their mean, over their standard deviation, [C, m].

    Mean and deviation (divided by n) are those of the records. A number is one coordinate, a
    category one for every label of its hierarchy. A constant attribute is 0. Squared distances
    count every attribute as often as its weight says, once where none is given.

    Arguments:
        data: the table.
        weights: of attributes.
        styles: how each attribute is published; numbers that are not named as ranges are
            categories. Without it all are numbers.
    """
    weights = weights or {}
    found = []
    weight = (data.weight / max(data.table.records, 1))[:, None]
    for j, (name, codes) in enumerate(zip(data.attributes, data.table.codes, strict=True)):
        taxonomy = data.taxonomies[name]
        if styles and _is_category(taxonomy, styles[j]):
            points = _labels_of(taxonomy)[codes]
        else:
            points = np.array(places_of(taxonomy), dtype=np.float64)[codes][:, None]
        points -= (points * weight).sum(axis=0)
        deviation = float(np.sqrt((points**2 * weight).sum()))
        varies = deviation > 0 and len(np.unique(codes)) > 1
        points *= np.sqrt(weights.get(name, 1.0)) / deviation if varies else 0.0
        found.append(points)
    return np.ascontiguousarray(np.hstack(found))


def _is_category(taxonomy: Taxonomy, style: str) -> bool:
    """Whether values are told apart by what they are, and not by how far they are."""
    gaps = None in taxonomy.leaves or bool(taxonomy.suppressed)
    if taxonomy.dates is not None:
        return style != "range" or gaps
    return style != "range" and (style == "set" or gaps or numbers_of(taxonomy.leaves) is None)


def _labels_of(taxonomy: Taxonomy) -> Floats:
    """Of every leaf 1 for its label on each level but the highest, 0 else, [leaves, c]."""
    found = []
    for level in range(max(1, taxonomy.levels - 1)):
        shown = taxonomy.level(level)
        labels = sorted(set(shown), key=lambda label: (label is None, label or ""))
        place = {label: at for at, label in enumerate(labels)}
        found.append(np.eye(len(labels))[[place[label] for label in shown]])
    return np.hstack(found)


def _check_points(data: LeveledTable, styles: Sequence[str]) -> None:
    problems = Problems()
    for name, style in zip(data.attributes, styles, strict=True):
        taxonomy = data.taxonomies[name]
        why = None
        if _is_category(taxonomy, style):
            levels = range(max(1, taxonomy.levels - 1))
            labels = sum(len(set(taxonomy.level(level))) for level in levels)
            if labels > MOST_CATEGORIES:
                why = f"its hierarchy has {labels} labels, more than {MOST_CATEGORIES}"
        elif None in taxonomy.leaves or taxonomy.suppressed:
            why = "some of its numbers are missing or suppressed"
        elif places_of(taxonomy) is None:
            why = "its values are not all numbers"
        if why:
            problems.add(
                "no-numbers",
                f"mdav measures distances between points, and {why}",
                attribute=name,
                remedy='choose algorithm = "k-member" or "mondrian", which use the hierarchy',
            )
    if (data.weight > 1).any():
        problems.add(
            "repeated-records",
            "mdav makes groups of a fixed size, but some rows count several records",
            remedy="give every record a row of its own",
        )
    refuse(PolicyError, problems)


class _Averaging:
    """The groups so far, and the rows that are in none yet, moved together."""

    def __init__(self, wants: Deficits, numbers: Floats, rows: Ints32, class_of: Ints32) -> None:
        self._wants = wants
        self._class_of = class_of
        self._left = len(rows)
        taken, found = np.zeros(len(rows), dtype=np.bool_), np.empty(len(rows))
        self._points = Points(numbers, rows.copy(), taken, found, np.empty(numbers.shape[1]))

    @property
    def remaining(self) -> Ints32:
        """The rows that are in no group."""
        return self._points.rows[: self._left]

    def run(self, k: int, progress: Progress) -> None:
        """Make groups of k records or more until fewer than k are left."""
        group, whole = 0, self._left
        self._heap = np.empty(k, dtype=np.int64)
        while self._left >= 3 * k:
            if self._wants.about:
                group = self._two(group, k)
            else:
                self._left, group = average_groups(
                    self._points, self._heap, self._left, group, AT_ONCE, self._class_of
                )
            progress(1.0 - self._left / whole)
        if self._left >= 2 * k:
            self._gather(outermost(self._points, self._left), group)
            self._left = keep_apart(self._points, self._left)
            group += 1
        if self._left >= k:
            self._class_of[self.remaining] = group
            self._left = 0

    def _two(self, group: int, k: int) -> int:
        """Two groups that keep the promises about sensitive values as far as records help."""
        points = self._points
        one = outermost(points, self._left)
        other = distances(points, self._left, points.numbers[one])
        self._gather(one, group)
        group += 1
        if self._left - int(points.taken[: self._left].sum()) >= k:
            if points.taken[other]:
                other = distances(points, self._left, points.numbers[one])
            self._gather(other, group)
            group += 1
        self._left = keep_apart(points, self._left)
        return group

    def _gather(self, centre: int, group: int) -> None:
        points, wants = self._points, self._wants
        gather(points, centre, self._left, self._heap, group, self._class_of)
        if not wants.about:
            return
        class_ = wants.of(wants.profile[np.flatnonzero(self._class_of == group)])
        profile = wants.profile[points.rows]
        best = np.empty(wants.profiles, dtype=np.int64)
        away = np.empty(wants.profiles)
        distances(points, self._left, points.numbers[centre])
        while not wants.kept(class_):
            nearest_by_profile(points, self._left, profile, best, away)
            chosen = wants.helping(class_, away)
            if chosen < 0:
                break
            class_ = wants.added(class_, chosen)
            points.taken[best[chosen]] = True
            self._class_of[points.rows[best[chosen]]] = group
