"""What an algorithm returns: what is published instead of what.

A plan holds no file and no engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from indistinct.document import PlainData
from indistinct.frozen import dataclass, field
from indistinct.microdata.encoding import numbers_of_combinations
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Bools, Codes, Ints, Ints32, Plain, PlainMapping


class Plan(Protocol):
    """What is published instead of what, for every distinct combination of a table."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    @property
    def search(self) -> SearchReport:
        """How the plan was found."""

    @property
    def suppressed(self) -> Bools:
        """Which combinations are suppressed, [C]."""

    @property
    def levels(self) -> dict[str, int]:
        """The level of each attribute; the highest one where they differ between values."""

    def level_of(self, attribute: int) -> NDArray[np.int16]:
        """The level of attribute j in every combination, [C]; of no meaning where suppressed."""

    def untouched(self, attribute: int) -> bool:
        """Whether attribute j is published at level 0 throughout."""

    def cells(self, data: LeveledTable, attribute: int) -> Ints32:
        """What attribute j becomes in every combination, [C]: places in :meth:`labels`, or -1."""

    def labels(self, data: LeveledTable, attribute: int) -> list[str | None]:
        """The published labels of attribute j, all levels one after the other."""

    def to_dict(self) -> Plain:
        """The plan as plain data, without its combinations."""


@dataclass(frozen=True)
class SearchReport(PlainData):
    """How a plan was found: what was minimised, how well, and what is known about better ones.

    ``value`` is the objective (a vector where the aggregate is ``rank``), ``bound`` a lower bound
    of it over every plan of the same kind; ``optimal`` says that the two are equal by proof.
    ``unproved`` says in a sentence why they are not where a search that proves its result went to
    its end. ``nodes`` is the size of the lattice, ``checked`` how many of them were looked at;
    ``counters`` are further counts by name.
    """

    # A search that goes through a lattice makes each node once, when it looks at it.
    told_keys: ClassVar = (
        "algorithm objective.measure=measure objective.aggregate=aggregate objective.value=value "
        "optimal bound unproved? nodes checked seconds=_seconds stopped_by generated=checked "
        "distinct=checked expanded=checked *counters"
    )

    algorithm: str
    measure: str = "ncp"
    aggregate: str = "arithmetic"
    value: float | list[float] = 0.0
    optimal: bool = False
    bound: float | list[float] = 0.0
    nodes: int = 0
    checked: int = 0
    seconds: float = 0.0
    stopped_by: str | None = None
    counters: Mapping[str, int] = field(default_factory=dict)
    unproved: str | None = None

    @property
    def _seconds(self) -> float:
        return round(self.seconds, 6)


def cells_at(
    data: LeveledTable, attribute: int, level_of: NDArray[np.int16], suppressed: Bools
) -> Ints32:
    """Places of the published labels of an attribute, [C]; -1 suppressed.

    Arguments:
        data: the table.
        attribute: the place j of the attribute.
        level_of: the level of every combination, [C].
        suppressed: which combinations are suppressed, [C].
    """
    starts = np.cumsum([0, *(int(card) for card in data.compiled[attribute].card)])
    found = np.full(len(level_of), -1, dtype=np.int32)
    for level in np.unique(level_of[~suppressed]):
        here = (level_of == level) & ~suppressed
        column = data.columns[data.row_of[attribute, level]]
        found[here] = column[here] + starts[level]
    return found


def all_labels(data: LeveledTable, attribute: int) -> list[str | None]:
    """The labels of attribute j, all levels one after the other."""
    return [label for level in data.compiled[attribute].labels for label in level]


@dataclass(frozen=True, eq=False)
class LevelPlan:
    """One node of the lattice for every distinct combination, or none: suppressed.

    ``nodes`` are level vectors [m]; ``node_of`` [C] points into them, -1 for suppressed
    combinations. Full-domain recoding has one node, local recoding several, and ``start`` is the
    full-domain plan it went on from.
    """

    attributes: tuple[str, ...]
    nodes: tuple[tuple[int, ...], ...]
    node_of: Ints32
    search: SearchReport
    scope: str = "domain"
    start: LevelPlan | None = None

    @property
    def suppressed(self) -> Bools:
        """Which combinations are suppressed, [C]."""
        return self.node_of < 0

    @property
    def levels(self) -> dict[str, int]:
        """The level of each attribute in the full-domain plan."""
        if self.start is not None:
            return self.start.levels
        return dict(zip(self.attributes, self.nodes[0], strict=True)) if self.nodes else {}

    def level_of(self, attribute: int) -> NDArray[np.int16]:
        """The level of attribute j in every combination, [C]; 0 where suppressed."""
        levels = np.array([node[attribute] for node in self.nodes] + [0], dtype=np.int16)
        return levels[self.node_of]

    def untouched(self, attribute: int) -> bool:
        """Whether attribute j is published at level 0 throughout."""
        return all(node[attribute] == 0 for node in self.nodes)

    def cells(self, data: LeveledTable, attribute: int) -> Ints32:
        """What attribute j becomes in every combination, [C]: places in :meth:`labels`, or -1."""
        return cells_at(data, attribute, self.level_of(attribute), self.suppressed)

    def labels(self, data: LeveledTable, attribute: int) -> list[str | None]:
        """The published labels of attribute j, all levels one after the other."""
        return all_labels(data, attribute)

    def onto(self, data: LeveledTable, same: Ints32) -> LevelPlan:
        """The plan for a table of fewer columns, whose combination ``same[c]`` is part of c."""
        positions = [self.attributes.index(name) for name in data.attributes]
        node_of = np.zeros(data.table.combinations, dtype=np.int32)
        node_of[same] = self.node_of
        nodes = tuple(tuple(node[at] for at in positions) for node in self.nodes)
        return replace(self, attributes=data.attributes, nodes=nodes, node_of=node_of)

    def beside(self, suppressed: Bools) -> LevelPlan:
        """The plan for a table that has these suppressed combinations [C] beside its own."""
        node_of = np.full(len(suppressed), -1, dtype=np.int32)
        node_of[~suppressed] = self.node_of
        start = None if self.start is None else self.start.beside(suppressed)
        return replace(self, node_of=node_of, start=start)

    def to_dict(self) -> Plain:
        """The plan without its combinations: scope, levels, and how it was found."""
        document = {"scope": self.scope, "levels": self.levels, **self.search.to_dict()}
        if self.start is not None:
            spread = np.array(self.nodes or [(0,) * len(self.attributes)])
            document["recodings"] = len(self.nodes)
            document["levels_used"] = {
                name: [int(spread[:, j].min()), int(spread[:, j].max())]
                for j, name in enumerate(self.attributes)
            }
            document["full_domain"] = self.start.search.to_dict()
        return document


@dataclass(frozen=True, eq=False)
class CutPlan:
    """One level for every leaf of every attribute: what is published is a cut of each hierarchy.

    ``cuts[j]`` [domain] is the level of each leaf of attribute j; ``codes[j]`` [C] the leaf of each
    combination. Nothing is suppressed.
    """

    attributes: tuple[str, ...]
    cuts: tuple[NDArray[np.int16], ...]
    codes: tuple[Codes, ...]
    search: SearchReport
    scope: str = "subtree"

    @property
    def suppressed(self) -> Bools:
        """No combination, [C]."""
        return np.zeros(len(self.codes[0]) if self.codes else 0, dtype=np.bool_)

    @property
    def levels(self) -> dict[str, int]:
        """The highest level of each attribute."""
        return {
            name: int(cut.max(initial=0))
            for name, cut in zip(self.attributes, self.cuts, strict=True)
        }

    def level_of(self, attribute: int) -> NDArray[np.int16]:
        """The level of attribute j in every combination, [C]."""
        return self.cuts[attribute][self.codes[attribute]]

    def untouched(self, attribute: int) -> bool:
        """Whether attribute j is published at level 0 throughout."""
        return not self.level_of(attribute).any()

    def cells(self, data: LeveledTable, attribute: int) -> Ints32:
        """What attribute j becomes in every combination, [C]: places in :meth:`labels`."""
        return cells_at(data, attribute, self.level_of(attribute), self.suppressed)

    def labels(self, data: LeveledTable, attribute: int) -> list[str | None]:
        """The published labels of attribute j, all levels one after the other."""
        return all_labels(data, attribute)

    def onto(self, data: LeveledTable, same: Ints32) -> CutPlan:
        """The plan for a table of fewer columns."""
        cuts = tuple(self.cuts[self.attributes.index(name)] for name in data.attributes)
        return replace(self, attributes=data.attributes, cuts=cuts, codes=data.table.codes)

    def to_dict(self) -> Plain:
        """The plan without its combinations: scope, highest levels, and how it was found."""
        return {"scope": self.scope, "levels": self.levels, **self.search.to_dict()}


@dataclass(frozen=True)
class Noise:
    """One record that an algorithm adds: published in a class, with made-up sensitive values."""

    group: int
    values: Mapping[str, str | None]


@dataclass(frozen=True, eq=False)
class CellPlan:
    """A class for every combination, and one published cell per class and attribute.

    What is published of a class fits that class alone: a range of numbers, a set of values, a node
    of the hierarchy. Where equal records may go to different classes, every record is a combination
    of its own.

    Arguments:
        attributes: the quasi-identifiers, m of them.
        class_of: the class of every combination, [C]; -1 for suppressed ones.
        cell_of: for every attribute the place in ``texts`` of each class's cell, [G].
        texts: for every attribute the published cells.
        covered: for every attribute the number of leaves that each of ``texts`` stands for.
        style: how cells are published: ``range``, ``set``, ``ancestor`` or ``level`` per attribute.
        search: how the plan was found.
        noise: records that are added.
        log: every step on the way, for the custodian alone.
    """

    attributes: tuple[str, ...]
    class_of: Ints32
    cell_of: tuple[Ints32, ...]
    texts: tuple[tuple[str | None, ...], ...]
    covered: tuple[Ints, ...]
    style: tuple[str, ...]
    search: SearchReport
    noise: tuple[Noise, ...] = ()
    log: PlainMapping = field(default_factory=dict)
    scope: str = "partition"

    @property
    def groups(self) -> int:
        """Number of classes, G."""
        return len(self.cell_of[0]) if self.cell_of else 0

    @property
    def suppressed(self) -> Bools:
        """Which combinations are suppressed, [C]."""
        return self.class_of < 0

    @property
    def levels(self) -> dict[str, int]:
        """None: the cells of a class are at no level."""
        return {}

    def level_of(self, attribute: int) -> NDArray[np.int16]:
        """0 throughout: the cells of a class are at no level, [C]."""
        return np.zeros(len(self.class_of), dtype=np.int16)

    def untouched(self, attribute: int) -> bool:
        """Whether every published cell of attribute j stands for one value."""
        used = self.cell_of[attribute][self._published]
        return bool((self.covered[attribute][used] <= 1).all())

    @cached_property
    def _published(self) -> Bools:
        """Which classes have a combination, [G]."""
        found = np.zeros(self.groups + 1, dtype=np.bool_)
        found[self.class_of] = True
        return found[:-1]

    def cells(self, data: LeveledTable, attribute: int) -> Ints32:
        """What attribute j becomes in every combination, [C]: places in :meth:`labels`, or -1."""
        places = np.append(self.cell_of[attribute], np.int32(-1)).astype(np.int32)
        return places[self.class_of]

    def labels(self, data: LeveledTable, attribute: int) -> list[str | None]:
        """The published cells of attribute j."""
        return list(self.texts[attribute])

    def onto(self, data: LeveledTable, same: Ints32) -> CellPlan:
        """The plan for another table of the same records: combination c becomes ``same[c]``."""
        class_of = np.zeros(data.table.combinations, dtype=np.int32)
        class_of[same] = self.class_of
        return replace(self, class_of=class_of)

    def beside(self, suppressed: Bools) -> CellPlan:
        """The plan for a table that has these suppressed combinations [C] beside its own."""
        class_of = np.full(len(suppressed), -1, dtype=np.int32)
        class_of[~suppressed] = self.class_of
        return replace(self, class_of=class_of)

    def to_dict(self) -> Plain:
        """The plan without its combinations: scope, styles of cells, and how it was found."""
        return {
            "scope": self.scope,
            "levels": self.levels,
            "cells": dict(zip(self.attributes, self.style, strict=True)),
            "classes": self.groups,
            **self.search.to_dict(),
        }


def published_classes(data: LeveledTable, plan: Plan, on: Sequence[str]) -> Ints32:
    """The class of every combination over some of the quasi-identifiers, [C].

    Suppressed combinations are a class of their own: people who fit no other are known to be there.

    Arguments:
        data: the table.
        plan: what is published instead of what.
        on: the quasi-identifiers that classes are about.
    """
    columns, domains = [plan.suppressed.astype(np.int32)], [2]
    for j, name in enumerate(data.attributes):
        if name not in on:
            continue
        number: dict[str | None, int] = {}
        of = [number.setdefault(label, len(number)) for label in plan.labels(data, j)]
        cells = np.append(np.array(of, np.int32), 0)[plan.cells(data, j)]
        columns.append(np.where(plan.suppressed, 0, cells).astype(np.int32))
        domains.append(max(len(number), 1))
    return numbers_of_combinations(columns, domains, np.ones(len(plan.suppressed), np.int64))
