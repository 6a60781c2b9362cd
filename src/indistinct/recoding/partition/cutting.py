"""Parts of a table, the cuts that are tried of them, and whether what comes of these is accepted.

The rows may be a whole table's combinations, or those of a region of a larger one: what a region is
compared with, a scale or a distribution, is the whole table's all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels import mondrian as kernels
from indistinct.kernels.mondrian import Criterion, Rows, Space, Work
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import numbers_in_order, paths_from_top
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.types import Array, Bools, Floats, Ints, Ints32

SHARE_OF_VALUES: Final = 0.5
"""What the values under a node count beside its leaves."""

TABLE: Final = 256
"""Values of an attribute up to which what any two of them span is worked out beforehand."""

PARTS: Final = 8192
"""Parts that are looked at together, at most."""

APART: Final = 2.0
"""Where values lie that are no numbers, on the scale of 0 to 1 of those that are."""

CELLS: Final = 1 << 22
"""Counts of sensitive values that are held at once, at most."""


class Cutter:
    """Rows that are cut; they are permuted on the way."""

    def __init__(
        self, rank: Array, weight: Ints, member: Ints32, space: Space, criterion: Criterion
    ) -> None:
        values, m = int(space.at[:, kernels.SIZE].sum()), len(space.at)
        self.space, self.criterion = space, criterion
        self.work: Work = kernels.Work(
            values=np.zeros((8, values), dtype=np.int64),
            held=np.zeros(m, dtype=np.int64),
            cuts=np.zeros((2 * m, 5), dtype=np.int64),
            score=np.zeros(2 * m),
        )
        self.rows: Rows = kernels.Rows(
            rank=rank,
            weight=weight,
            member=member,
            spare_rank=np.empty_like(rank),
            spare_weight=np.empty_like(weight),
            spare_member=np.empty_like(member),
        )

    def grow(
        self,
        tree: Tree,
        acceptance: Acceptance,
        nodes: Ints,
        progress: Progress = silent,
        *,
        through: bool = False,
    ) -> None:
        """Cut some parts of the tree, and what comes of them, as long as they can be.

        Arguments:
            tree: takes in what comes of it.
            acceptance: what every part has to keep.
            nodes: the parts to be cut.
            progress: is told the share of rows in parts that are not cut further.
            through: whether they are cut even if all that comes of it breaks a promise.
        """
        waiting = [nodes] if len(nodes) else []
        while waiting:
            nodes = waiting.pop()
            for begin in range(0, len(nodes), PARTS):
                some = nodes[begin : begin + PARTS]
                children = self.cut(some, tree, acceptance, through=through)
                if len(children):
                    waiting.append(children)
            progress(min(tree.rows_closed / len(self.rows.member), 1.0))

    def cut(
        self, nodes: Ints, tree: Tree, acceptance: Acceptance, *, through: bool = False
    ) -> Ints:
        """Cut some parts of the tree, if they can be; returns their children.

        Arguments:
            nodes: the parts to be cut.
            tree: takes in what comes of it.
            acceptance: what every part has to keep.
            through: whether they are cut even if all that comes of it breaks a promise.
        """
        low, high, broken = tree.low[nodes], tree.high[nodes], tree.broken[nodes]
        cuts = np.zeros((len(nodes), 2 * self.rows.rank.shape[1], 5), dtype=np.int64)
        found = np.zeros(len(nodes), dtype=np.int64)
        kernels.propose(self.rows, low, high, self.criterion, self.space, self.work, cuts, found)
        chosen = np.full(len(nodes), -1, dtype=np.int64)

        def look(part: Ints, place: Ints) -> tuple[Ints, Ints, Bools]:
            own = np.ascontiguousarray(cuts[part, place])
            return self._children(low[part], high[part], own, acceptance)

        # The best cut of every part first; all others only of those that it is refused.
        part = np.flatnonzero((found > 0) & ~broken)
        start, _, wrong = look(part, np.zeros_like(part))
        chosen[part[~_any(wrong, start)]] = 0
        rest = np.flatnonzero((found > 0) & (chosen < 0))
        begin = np.where(broken[rest], 0, 1)
        many = found[rest] - begin
        part = np.repeat(rest, many)
        place = np.arange(len(part)) - np.repeat(np.cumsum(many) - many - begin, many)
        start, size, wrong = look(part, place)
        tree.tried += len(part) + int((found > 0).sum())
        if len(part):
            # A part that is broken itself is cut where fewest units stay in broken children.
            lost = np.add.reduceat(np.where(wrong, size, 0), start[:-1])
            fewer = lost < np.add.reduceat(size, start[:-1])
            fine = np.where(broken[part], fewer, ~_any(wrong, start))
            fits = np.flatnonzero(fine | through)
            fits = fits[np.lexsort((place[fits], lost[fits], part[fits]))]
            found_in, best = np.unique(part[fits], return_index=True)
            chosen[found_in] = place[fits[best]]
        closed = chosen < 0
        tree.close(nodes[closed])
        taken = np.flatnonzero(~closed)
        if not len(taken):
            return nodes[:0]
        own = np.ascontiguousarray(cuts[taken, chosen[taken]])
        start = starts_of(own)
        wrong = np.zeros(start[-1], dtype=np.bool_)
        if through or broken[taken].any():
            start, _, wrong = self._children(low[taken], high[taken], own, acceptance)
        child_low = np.empty(start[-1], dtype=np.int64)
        child_high = np.empty(start[-1], dtype=np.int64)
        kernels.divide(
            self.rows, low[taken], high[taken], own, self.space, self.work, start, child_low,
            child_high,
        )  # fmt: skip
        parent = np.repeat(nodes[taken], np.diff(start))
        children = tree.add(child_low, child_high, parent, wrong)
        tree.cuts.append((nodes[taken], own, children[start[:-1]]))
        return children

    def _children(
        self, low: Ints, high: Ints, cuts: Ints, acceptance: Acceptance
    ) -> tuple[Ints, Ints, Bools]:
        """Where the children of each cut start, their units, and whether they break a promise."""
        start = starts_of(cuts)
        size = np.zeros(start[-1], dtype=np.int64)
        broken = np.zeros(start[-1], dtype=np.bool_)
        at_once = max(CELLS // acceptance.width, 64)
        begin = 0
        while begin < len(cuts):
            end = int(np.searchsorted(start, start[begin] + at_once, side="right")) - 1
            end = min(max(end, begin + 1), len(cuts))
            some, first = slice(begin, end), start[begin : end + 1] - start[begin]
            units = np.zeros(first[-1], dtype=np.int64)
            cells = {}
            for name, (indptr, value, count, domain) in acceptance.counted.items():
                cells[name] = np.zeros((first[-1], domain), dtype=np.int64)
                kernels.weigh(
                    self.rows, low[some], high[some], cuts[some], first, self.space, self.work,
                    indptr, value, count, units, cells[name],
                )  # fmt: skip
            size[start[begin] : start[end]] = units
            broken[start[begin] : start[end]] = acceptance.broken(units, cells)
            begin = end
        return start, size, broken


class Tree:
    """The parts that were cut out of the table: each a run of its rows, within its parent's."""

    def __init__(self, rows: int, *, broken: bool) -> None:
        self.low = np.zeros(1, dtype=np.int64)
        self.high = np.full(1, rows, dtype=np.int64)
        self.parent = np.full(1, -1, dtype=np.int64)
        self.broken = np.full(1, broken)
        self.first = np.zeros(1, dtype=np.int64)
        self.tried = 0
        self.rows_closed = 0
        self.cuts: list[tuple[Ints, Ints, Ints]] = []
        self._closed: list[Ints] = []

    @classmethod
    def of(cls, low: Ints, high: Ints, parent: Ints, leaves: Ints, tried: int) -> Tree:
        """Parts that were cut elsewhere, and keep what is promised.

        Arguments:
            low: where the rows of each part begin, [parts].
            high: where they end, [parts].
            parent: the part that each was cut out of, [parts]; -1 of the whole table.
            leaves: the parts that were not cut.
            tried: how many cuts were looked at.
        """
        found = cls(0, broken=False)
        found.low, found.high, found.parent = low, high, parent
        found.broken = np.zeros(len(low), dtype=np.bool_)
        found.tried = tried
        found.close(leaves)
        return found

    def add(self, low: Ints, high: Ints, parent: Ints, broken: Bools) -> Ints:
        """Take in new parts; returns their numbers.

        Arguments:
            low: where the rows of each new part begin, [X].
            high: where they end, [X].
            parent: the part that each was cut out of, [X].
            broken: which of them break a promise, [X].
        """
        before = len(self.low)
        self.low = np.concatenate([self.low, low])
        self.high = np.concatenate([self.high, high])
        self.parent = np.concatenate([self.parent, parent])
        self.broken = np.concatenate([self.broken, broken])
        return np.arange(before, len(self.low))

    def close(self, nodes: Ints) -> None:
        """These parts are not cut."""
        self._closed.append(nodes)
        self.rows_closed += int((self.high[nodes] - self.low[nodes]).sum())

    def leaves(self) -> Ints:
        """The parts that were not cut, in the order of their rows."""
        found = np.concatenate([self.first[:0], *self._closed])
        return found[np.argsort(self.low[found])]

    def without(self, nodes: Ints, dropped: Bools, merged: Ints) -> tuple[Ints, Bools]:
        """The parts with the cuts below some of them taken back, and which are dropped.

        Arguments:
            nodes: the parts that were classes so far, [X].
            dropped: which of them are suppressed, [X].
            merged: the parts whose cuts are taken back.
        """
        every = np.concatenate([nodes, np.unique(merged)])
        gone = np.concatenate([dropped, np.zeros(len(every) - len(nodes), dtype=np.bool_)])
        order = np.lexsort((-self.high[every], self.low[every]))
        every, gone = every[order], gone[order]
        end = np.maximum.accumulate(np.append(0, self.high[every]))[:-1]
        outermost = self.high[every] > end
        return every[outermost], gone[outermost]


Counted = tuple[Ints, Ints32, Ints, int]
"""Of each row where its values begin, the values, how often each occurs; how many there are."""


@dataclass(frozen=True)
class Acceptance:
    """Whether classes keep promises that need more than their number of units.

    What a promise compares with is the distribution in the whole table.

    Arguments:
        promises: what is to be kept.
        records: the units of the whole table.
        reference: how often each sensitive value occurs in it.
        domains: what is known of these values.
        people: how many the population has; None without one.
        counted: how often sensitive values occur by row, and by None the people of the population.
    """

    promises: tuple[Promise, ...]
    records: int
    reference: Mapping[str, Ints]
    domains: Mapping[str, SensitiveDomain]
    people: int | None
    counted: Mapping[str | None, Counted]

    @classmethod
    def of(cls, data: LeveledTable, promises: Sequence[Promise]) -> Acceptance:
        """Of the classes of a table, whose rows are its combinations."""
        table = data.table
        names = sorted({part.sensitive for part in promises if part.sensitive is not None})
        counted: dict[str | None, Counted] = {}
        for name in names:
            cells = table.sensitive[name]
            counted[name] = (cells.indptr, cells.value, cells.count, len(cells.domain))
        rows = len(table.weight)
        if table.population is not None and any(part.needs_population for part in promises):
            each, none = np.arange(rows + 1, dtype=np.int64), np.zeros(rows, dtype=np.int32)
            counted[None] = (each, none, table.population, 1)
        return cls(
            tuple(promises),
            table.records,
            {name: table.sensitive[name].totals for name in names},
            {name: table.sensitive[name].about for name in names},
            None if table.population is None else int(table.population.sum()),
            counted or nothing_counted(),
        )

    @property
    def width(self) -> int:
        """How many values are counted of each class."""
        return max(sum(part[3] for part in self.counted.values()), 1)

    def whole(self) -> bool:
        """Whether the whole table breaks a promise."""
        cells: dict[str | None, Ints] = {name: own[None, :] for name, own in self.reference.items()}
        if self.people is not None:
            cells[None] = np.array([[self.people]], dtype=np.int64)
        return bool(self.broken(np.array([self.records], dtype=np.int64), cells)[0])

    def broken(self, size: Ints, cells: Mapping[str | None, Ints]) -> Bools:
        """Which classes break a promise, [G], given how often each value occurs in them."""
        found = np.zeros(len(size), dtype=np.bool_)
        people = cells[None][:, 0] if None in cells and cells[None].shape[1] else None
        none = np.zeros(0, dtype=np.int32)
        for promise in self.promises:
            name = promise.sensitive
            seen = ClassTable(none, size, population=people if promise.needs_population else None)
            if name is not None:
                seen = replace(
                    seen,
                    cells={name: cells[name]},
                    reference={name: self.reference[name]},
                    domains={name: self.domains[name]},
                )
            found |= promise.breaks(seen)
        return found


def starts_of(cuts: Ints) -> Ints:
    """Where the children of each cut start, when they are numbered on; and their number."""
    children = np.where(cuts[:, kernels.HOW] == kernels.BRANCHES, cuts[:, kernels.B], 2)
    return np.concatenate([[0], np.cumsum(children)]).astype(np.int64)


def criterion_of(settings: PartitionSettings, least: int) -> Criterion:
    """How cuts are chosen, where every child has so many units at least."""
    cheapest = settings.cut == "ncp"
    dimension = {
        "width": kernels.BY_WIDTH,
        "entropy": kernels.BY_ENTROPY,
        "ncp": kernels.BY_BOTH if cheapest else kernels.BY_GAIN,
    }[settings.dimension]
    return kernels.Criterion(least, dimension, cheapest, settings.strict)


def nothing_counted() -> dict[str | None, Counted]:
    """That only units are counted."""
    nothing = np.zeros(0, dtype=np.int64)
    return {None: (nothing, nothing.astype(np.int32), nothing, 0)}


def _any(marked: Bools, start: Ints) -> Bools:
    """Whether any is marked from each start to the next; there is one at least."""
    if len(start) == 1:
        return np.zeros(0, dtype=np.bool_)
    return np.logical_or.reduceat(marked, start[:-1])


def space_of(
    data: LeveledTable, styles: Sequence[str], weights: Mapping[str, float], members: Ints32
) -> tuple[Space, Array, list[Ints]]:
    """What the kernels know of the attributes; the ranks of some combinations, and of leaves.

    Arguments:
        data: the table.
        styles: how the cells of each attribute look, ``range``, ``set`` or by its hierarchy, [m].
        weights: of attributes by name; 1 where there is none.
        members: the combinations whose ranks are asked for, [R].
    """
    starts = np.cumsum([0, *data.domain.tolist()])
    at = np.zeros((len(data.attributes), 6), dtype=np.int64)
    unit = np.zeros((len(data.attributes), 3))
    costs: list[Floats] = []
    orders: list[Ints] = []
    paths: list[Ints] = []
    rank = np.empty((len(members), len(data.attributes)), dtype=kind_of_ranks(data.domain))
    ends, path_ends = 0, 0
    for j, (name, style) in enumerate(zip(data.attributes, styles, strict=True)):
        taxonomy, codes = data.taxonomies[name], data.table.codes[j]
        compiled, size = taxonomy.compile(), len(taxonomy.leaves)
        occurs = np.bincount(codes, weights=data.weight, minlength=size) > 0
        kind = {"range": kernels.RANGE, "set": kernels.SET}.get(style, kernels.TREE)
        order, own_costs = compiled.order, -1
        if kind == kernels.RANGE:
            order, places = _by_number(taxonomy, occurs)
            own_costs = ends
            costs.append(places)
            ends += size
        from_top, labels, covered = paths_from_top(compiled)
        of_rank = np.zeros(size, dtype=np.int64)
        of_rank[order] = np.arange(size)
        nodes = from_top[:, of_rank]
        costs.append((covered - 1.0) / max(size - 1, 1))
        paths.append(np.where(nodes >= 0, nodes + ends, -1).ravel())
        at[j] = starts[j], size, kind, len(nodes), path_ends, own_costs
        ends += len(labels)
        path_ends += nodes.size
        values = max(int(occurs.sum()), 2)
        share = 1.0 if kind == kernels.SET else SHARE_OF_VALUES
        unit[j] = weights.get(name, 1.0), share / (values - 1), np.log2(values)
        rank[:, j] = order[codes[members]]
        orders.append(order)
    space = kernels.Space(
        at,
        unit,
        np.concatenate([np.zeros(0), *costs]),
        np.concatenate([np.zeros(0, np.int64), *paths]).astype(np.int32),
    )
    small = (at[:, kernels.KIND] == kernels.TREE) & (at[:, kernels.SIZE] <= TABLE)
    for j in np.flatnonzero(small).tolist():
        found = np.empty((at[j, kernels.SIZE], at[j, kernels.SIZE]))
        kernels.spans(space, j, found)
        costs.append(found.ravel())
    for j in np.flatnonzero(small).tolist():
        at[j, kernels.COST] = ends
        ends += int(at[j, kernels.SIZE]) ** 2
    return space._replace(cost=np.concatenate([np.zeros(0), *costs])), rank, orders


def kind_of_ranks(domain: Ints) -> type[np.uint8 | np.int32]:
    """The type of ranks of attributes that have so many values."""
    return np.uint8 if domain.max(initial=0) <= TABLE else np.int32


def _by_number(taxonomy: Taxonomy, occurs: Bools) -> tuple[Ints, Floats]:
    """The rank of every leaf by its number, and where each rank lies.

    The smallest number in the table lies at 0, the largest at 1. A missing value, and one that is
    suppressed on every level, comes last and apart, so that it is parted from numbers first. Dates
    of one period have one rank: no cut parts what looks alike.
    """
    ordered = numbers_in_order(taxonomy) or []
    size = len(taxonomy.leaves)
    order = np.full(size, -1, dtype=np.int64)
    ranks = np.arange(len(ordered))
    if taxonomy.dates is not None:
        ranks = np.unique([number for number, _ in ordered], return_inverse=True)[1]
    order[[code for _, code in ordered]] = ranks
    rest = np.flatnonzero(order < 0)
    order[rest] = np.arange(len(ordered), size)
    numbers = np.array([float(number) for number, _ in ordered])
    here = numbers[[occurs[code] for _, code in ordered]]
    places = np.full(size, APART)
    if len(here):
        length = here[-1] - here[0]
        places[ranks] = (numbers - here[0]) / (length if length > 0 else 1.0)
    return order, places
