"""Mondrian where the combinations are spread over machines: the first cuts by histograms.

What cuts a part offers follows from how many units there are of each value; which of them is the
best, and whether what comes of it keeps the promises, from the same counts of its children. So all
parts of one depth are cut by one pass over the combinations, in which every cut that they offer is
tried at once. A part that has few enough combinations is a region: it is cut to its end in one
place, by the kernels that cut a whole table in memory.

The classes are those that a table in memory is cut into. They are known by a tree of cuts, down
which a record finds its class, and by an outline: of every class the combinations, made up of its
values, that span its cells.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels import cut_tree as trees
from indistinct.kernels import mondrian as kernels
from indistinct.kernels.mondrian import Criterion, Space, Work
from indistinct.kernels.ragged import pointers
from indistinct.microdata.frequencies import FrequencyTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import numbers_in_order, styles_of
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition.cutting import (
    Acceptance,
    Counted,
    Cutter,
    Tree,
    criterion_of,
    kind_of_ranks,
    nothing_counted,
    space_of,
)
from indistinct.recoding.partition.mondrian import by_size_alone, plan_of_classes, plan_of_parts
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.recoding.plan import CellPlan
from indistinct.sources.parts import Coding, Part, Parts, Walked
from indistinct.types import Array, Bools, Ints, Ints32

REGION: Final = 250_000
"""Combinations that are cut in one place, at most."""

CELLS: Final = 1 << 23
"""Counts that are held at once in one place, at most, unless one part alone takes more."""

PASSES: Final = 10
"""Passes over all combinations that take as long as cutting all regions to their end, measured."""

Coded = Callable[[Sequence[Coding], Sequence[Coding]], Parts]
"""What keeps the combinations of a table by these codes of quasi-identifiers, and of values."""


@dataclass(frozen=True)
class Cut:
    """Classes of a table whose combinations are elsewhere.

    Arguments:
        data: the outline of the classes.
        plan: what is published of it.
        tree: how a record finds its class.
    """

    data: LeveledTable
    plan: CellPlan
    tree: Walked


def breaks_as_a_whole(data: LeveledTable, promises: Sequence[Promise]) -> bool:
    """Whether a table breaks a promise before it is cut: then cuts alone do not do.

    Arguments:
        data: the table, or one with as many records of each value.
        promises: what is to be kept.
    """
    least, others = by_size_alone(promises)
    return data.table.records < least or Acceptance.of(data, others).whole()


def cut_in_parts(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: PartitionSettings,
    coded: Coded,
    *,
    region: int | None = None,
    progress: Progress = silent,
) -> Cut:
    """Classes found by cutting a table where it is, the same as in memory.

    Arguments:
        data: a table with as many records of each value as the one that is cut.
        promises: what every class must keep; the whole table keeps it.
        settings: criteria of cuts, cells, suppression; equal records stay together.
        coded: what keeps the combinations.
        region: combinations that are cut in one place, at most; a quarter of a million where not
            given.
        progress: told the share of the work that is done: one step after each pass over the
            combinations, and one after each region.

    Raises:
        Unsatisfiable: if more would be suppressed than is allowed.
    """
    began = time.perf_counter()
    least, others = by_size_alone(promises)
    styles = styles_of(data, settings.cells)
    members = np.arange(data.table.combinations, dtype=np.int32)
    space, _, orders = space_of(data, styles, settings.weights, members)
    quasi = tuple(
        Coding(name, data.taxonomies[name].leaves, order)
        for name, order in zip(data.attributes, orders, strict=True)
    )
    acceptance = Acceptance.of(data, others)
    names = list(acceptance.reference)
    sensitive = []
    for name in names:
        labels = data.table.sensitive[name].domain
        sensitive.append(Coding(name, labels, np.arange(len(labels))))
    rules = _Rules(
        space,
        criterion_of(settings, least),
        replace(acceptance, counted={}),
        tuple(names),
        _ends(data, styles),
    )
    parts = coded(quasi, sensitive)
    try:
        top = _Top(rules, parts)
        top.grow(REGION if region is None else region, progress)
        grown = top.whole(progress)
    finally:
        parts.close()
    outline, rows = _outline(data, grown, orders, names)
    of_row = np.repeat(np.arange(len(grown.leaf)), np.diff(rows))
    if others:
        tree = Tree.of(rows[grown.low], rows[grown.high], grown.parent, grown.leaf, grown.tried)
        in_order = np.arange(len(of_row), dtype=np.int32)
        plan = plan_of_parts(outline, promises, settings, tree, in_order, began)
    else:
        plan = plan_of_classes(outline, promises, settings, of_row.astype(np.int32), began)
    leaf_of = LeafOf(grown.node, grown.side)
    walked = Walked(quasi, leaf_of, grown.leaf, grown.size, rows[:-1])
    return Cut(outline, plan, walked)


def _ends(data: LeveledTable, styles: Sequence[str]) -> Ints:
    """Of every attribute the values in its order of which the ends of a class are enough, [m].

    A class that is ``*`` in every attribute is told by all its values in one. There is none where
    an attribute of ranges has no value that is suppressed on every level.
    """
    found = np.zeros(len(styles), dtype=np.int64)
    never = any(
        style == "range" and not data.taxonomies[name].suppressed
        for name, style in zip(data.attributes, styles, strict=True)
    )
    for j, (name, style) in enumerate(zip(data.attributes, styles, strict=True)):
        if style == "range":
            found[j] = len(numbers_in_order(data.taxonomies[name]) or [])
        elif style == "ancestor" and never:
            found[j] = data.domain[j]
    return found


@dataclass(frozen=True)
class _Rules:
    """How parts are cut, wherever that is done.

    Arguments:
        space: the attributes.
        criterion: how cuts are chosen.
        acceptance: the promises, and what they compare with.
        names: the sensitive attributes whose values are counted.
        ends: of every attribute the values of which the ends of a class are enough.
    """

    space: Space
    criterion: Criterion
    acceptance: Acceptance
    names: tuple[str, ...]
    ends: Ints

    @property
    def begin(self) -> Ints:
        """Where the values of each attribute begin, all in one row, and how many there are."""
        sizes = [len(self.acceptance.reference[name]) for name in self.names]
        return pointers([*self.space.at[:, kernels.SIZE].tolist(), *sizes])

    def counted_in(self, part: Part) -> Acceptance:
        """The promises, held against what the rows of a part have."""
        rows = len(part.weight)
        each = np.arange(rows + 1, dtype=np.int64)
        counted: dict[str | None, Counted] = {}
        for s, name in enumerate(self.names):
            own = len(self.acceptance.reference[name])
            counted[name] = (each, part.value[:, s].astype(np.int32), part.weight, own)
        return replace(self.acceptance, counted=counted or nothing_counted())

    def work(self) -> Work:
        """Room for what is known of one part."""
        m = len(self.space.at)
        return kernels.Work(
            values=np.zeros((8, int(self.begin[m])), dtype=np.int64),
            held=np.zeros(m, dtype=np.int64),
            cuts=np.zeros((2 * m, 5), dtype=np.int64),
            score=np.zeros(2 * m),
        )


@dataclass(frozen=True)
class _Grown:
    """Parts that were cut to their end.

    Arguments:
        node: the tree, [N, 5]; its children are numbered on.
        side: where values go.
        parent: of every node, [N]; -1 of the first.
        low: the first leaf below every node, [N].
        high: the end of those, [N].
        leaf: the nodes that are leaves, in their order, [L].
        size: the units of each, [L].
        spans: the values that span its cells: leaf, attribute and rank, [., 3].
        values: its sensitive values: leaf, attribute, value and how often, [., 4].
        tried: how many cuts were tried.
    """

    node: Ints
    side: Ints32
    parent: Ints
    low: Ints
    high: Ints
    leaf: Ints
    size: Ints
    spans: Ints
    values: Ints
    tried: int

    def packed(self) -> bytes:
        """As bytes."""
        held = io.BytesIO()
        np.savez_compressed(held, **{**self.__dict__, "tried": np.array(self.tried)})
        return held.getvalue()

    @classmethod
    def of(cls, packed: bytes) -> _Grown:
        """From these bytes."""
        with np.load(io.BytesIO(packed), allow_pickle=False) as held:
            found = {name: held[name] for name in held.files}
        return cls(**{**found, "tried": int(found["tried"])})


@dataclass(frozen=True)
class LeafOf:
    """The leaf of every row by its ranks, -1 where it fits none.

    Arguments:
        node: the nodes of a tree, [N, 5].
        side: where values go.
    """

    node: Ints
    side: Ints32

    def __call__(self, rank: Array) -> Ints32:
        """The leaf of every row."""
        found = np.empty(len(rank), dtype=np.int32)
        trees.leaves_of(rank, self.node, self.side, found)
        return found


@dataclass(frozen=True)
class _Placed:
    """The part of every row among some that are numbered, [N]; -1 for another one."""

    leaf_of: LeafOf
    number: Ints32

    def __call__(self, part: Part) -> Ints32:
        return np.append(self.number, np.int32(-1))[self.leaf_of(part.rank)]


@dataclass(frozen=True)
class _Tried:
    """All cuts that some parts offer, tried on every row."""

    place: _Placed
    tried: Ints
    starts: Ints
    tried_side: Ints32
    begin: Ints
    children: int

    def __call__(self, parts: Iterable[Part]) -> tuple[Ints, Ints]:
        width = int(self.begin[-1]) + 1
        found = np.zeros((self.children, width), dtype=np.int64)
        for part in parts:
            trees.weigh_tried(
                part.rank, part.value, part.weight, self.place(part), self.tried, self.starts,
                self.tried_side, self.begin, found,
            )  # fmt: skip
        keys = np.flatnonzero(found)
        return keys, found.ravel()[keys]


@dataclass(frozen=True)
class _Finished:
    """A region that is cut to its end."""

    rules: _Rules

    def __call__(self, part: Part) -> bytes:
        return self.grown(part).packed()

    def grown(self, part: Part) -> _Grown:
        """What comes of it."""
        rows = len(part.weight)
        space = self.rules.space
        rank = np.ascontiguousarray(part.rank, dtype=kind_of_ranks(space.at[:, kernels.SIZE]))
        member = np.arange(rows, dtype=np.int32)
        cutter = Cutter(rank, part.weight.copy(), member, space, self.rules.criterion)
        tree = Tree(rows, broken=False)
        cutter.grow(tree, self.rules.counted_in(part), tree.first)
        node, side = _written_down(tree, rank)
        leaf = tree.leaves()
        starts = tree.low[leaf]
        of_row = np.repeat(np.arange(len(leaf)), np.diff(np.append(starts, rows)))
        spans = [
            _spanning(of_row, rank[:, j], j, int(plain)) for j, plain in enumerate(self.rules.ends)
        ]
        units, values = cutter.rows.weight, []
        for s, name in enumerate(self.rules.names):
            domain = len(self.rules.acceptance.reference[name])
            key = of_row * domain + part.value[cutter.rows.member, s]
            pairs, place = np.unique(key, return_inverse=True)
            times = np.rint(np.bincount(place, weights=units)).astype(np.int64)
            values.append(
                np.stack([pairs // domain, np.full(len(pairs), s), pairs % domain, times], axis=1)
            )
        return _Grown(
            node,
            side,
            tree.parent,
            np.searchsorted(starts, tree.low),
            np.searchsorted(starts, tree.high),
            leaf,
            np.add.reduceat(units, starts),
            np.concatenate(spans),
            np.concatenate([np.zeros((0, 4), np.int64), *values]),
            tree.tried,
        )


def _written_down(tree: Tree, rank: Array) -> tuple[Ints, Ints32]:
    """The nodes of a tree, and where values go that are not cut in a run."""
    node = np.full((len(tree.low), trees.FIELDS), -1, dtype=np.int64)
    side: list[Ints32] = [np.zeros(0, dtype=np.int32)]
    length = 0
    for nodes, cuts, first in tree.cuts:
        node[nodes, trees.ATTRIBUTE] = cuts[:, kernels.ATTRIBUTE]
        node[nodes, trees.FIRST] = first
        node[nodes, trees.LOW] = cuts[:, kernels.A]
        node[nodes, trees.HIGH] = cuts[:, kernels.B]
        for at in np.flatnonzero(cuts[:, kernels.HOW] != kernels.RUN).tolist():
            own, j = int(nodes[at]), int(cuts[at, kernels.ATTRIBUTE])
            held = rank[tree.low[own] : tree.high[own], j]
            low, high = int(held.min()), int(held.max())
            goes = np.full(high - low + 1, -1, dtype=np.int32)
            children = int(cuts[at, kernels.B]) if cuts[at, kernels.HOW] == kernels.BRANCHES else 2
            for child in range(children):
                to = int(first[at]) + child
                goes[rank[tree.low[to] : tree.high[to], j].astype(np.int64) - low] = child
            node[own, trees.LOW :] = low, high, length
            side.append(goes)
            length += len(goes)
    return node, np.concatenate(side)


def _spanning(of_row: Ints, rank: Array, attribute: int, plain: int) -> Ints:
    """The values that span the cells of each leaf in one attribute: leaf, attribute, rank.

    Of the first ``plain`` values the ends are enough.
    """
    size = int(rank.max(initial=0)) + 1
    pairs = np.unique(of_row * size + rank)
    leaf, own = pairs // size, pairs % size
    return _without_between(leaf, own, attribute, plain)


def _without_between(leaf: Ints, own: Ints, attribute: int, plain: int) -> Ints:
    among = own < plain
    first = np.append(True, leaf[1:] != leaf[:-1])
    last = np.append((leaf[1:] != leaf[:-1]) | ~among[1:], True)
    kept = ~among | first | last
    return np.stack([leaf[kept], np.full(int(kept.sum()), attribute), own[kept]], axis=1)


class _Top:
    """The first parts of a table, as far as they are too large to be cut in one place."""

    def __init__(self, rules: _Rules, parts: Parts) -> None:
        self._rules, self._parts = rules, parts
        self._begin, self._work = rules.begin, rules.work()
        self._node: list[list[int]] = [[-1] * trees.FIELDS]
        self._parent = [-1]
        self._side: list[Ints32] = [np.zeros(0, dtype=np.int32)]
        self._regions: dict[int, int] = {}
        self._known: dict[int, Ints] = {}
        self._tried = 0
        self._grown = 0.0

    def grow(self, region: int, tell: Progress) -> None:
        """Cut parts until each has at most so many combinations, or cannot be cut."""
        every = [[0, 0, -1, np.iinfo(np.int64).max, -1]]
        self._known[0] = self._asked([0], np.array(every), np.array([0, 1]), [], 1)[0]
        rows, waiting = int(self._known[0][-1]), [0]
        depths = math.log2(max(rows / max(region, 1), 1))
        while waiting:
            size = {at: int(self._known[at][-1]) for at in waiting}
            large = [at for at in waiting if size[at] > region]
            for at in waiting:
                if size[at] <= region:
                    self._regions[at] = size[at]
                    del self._known[at]
            waiting = []
            for some in self._at_once(large):
                waiting += self._cut(some)
            if large:
                most = max([region, *(int(self._known[at][-1]) for at in waiting)])
                self._grown = math.log2(rows / max(most, 1)) / (depths + PASSES)
                tell(self._grown)

    def _at_once(self, nodes: Sequence[int]) -> Iterable[Sequence[int]]:
        """So many parts that what is counted of their cuts can be held."""
        m = len(self._rules.space.at)
        width = 2 * m * 2 * (int(self._begin[-1]) + 1)
        step = max(CELLS // width, 1)
        return [nodes[at : at + step] for at in range(0, len(nodes), step)]

    def _arrays(self) -> tuple[Ints, Ints32]:
        return np.array(self._node, dtype=np.int64), np.concatenate(self._side)

    def _placed(self, nodes: Sequence[int]) -> _Placed:
        number = np.full(len(self._node), -1, dtype=np.int32)
        number[list(nodes)] = np.arange(len(nodes), dtype=np.int32)
        return _Placed(LeafOf(*self._arrays()), number)

    def _asked(
        self,
        nodes: Sequence[int],
        tried: Ints,
        starts: Ints,
        sides: Sequence[Ints32],
        children: int,
    ) -> Ints:
        """What the children of some cuts of parts hold: units by value, and combinations last."""
        held = np.concatenate([np.zeros(0, dtype=np.int32), *sides])
        ask = _Tried(
            self._placed(nodes), tried.astype(np.int64), starts.astype(np.int64),
            held, self._begin, children,
        )  # fmt: skip
        keys, amounts = self._parts.added_up(ask)
        found = np.zeros((children, int(self._begin[-1]) + 1), dtype=np.int64)
        found.ravel()[keys] = amounts
        return found

    def _cut(self, nodes: Sequence[int]) -> list[int]:
        """Cut some parts, all by one pass over the combinations; returns their children."""
        values = int(self._begin[len(self._rules.space.at)])
        rows, starts, sides, cuts = [], [0], [], []
        length = children = 0
        for at in nodes:
            own, goes = self._offered(self._known[at][:values])
            for cut, to in zip(own, goes, strict=True):
                node, written = self._as_node(cut, to, children, length)
                rows.append(node)
                sides.append(written)
                length += len(written)
                children += _children(cut)
            cuts.append(own)
            starts.append(len(rows))
        if not rows:
            return []
        tried = np.array(rows, dtype=np.int64)
        found = self._asked(nodes, tried, np.array(starts), sides, children)
        self._tried += len(rows)
        made: list[int] = []
        for place, at in enumerate(nodes):
            begin, end = starts[place], starts[place + 1]
            if begin == end:
                continue
            chosen = self._chosen(at, cuts[place], tried[begin:end, trees.FIRST], found)
            if chosen is not None:
                which = begin + chosen
                many = _children(cuts[place][chosen])
                made += self._add(at, tried[which], sides[which], many, found)
        return made

    def _offered(self, units: Ints) -> tuple[Ints, Ints32]:
        """The cuts that a part offers [t, 5], and where values go by each, [t, V]."""
        rules, m = self._rules, len(self._rules.space.at)
        goes = np.full((2 * m, len(units)), -1, dtype=np.int32)
        found = kernels.offered(units.copy(), rules.criterion, rules.space, self._work, goes)
        return self._work.cuts[:found].copy(), goes[:found]

    def _as_node(
        self, cut: Ints, goes: Ints32, first: int, length: int
    ) -> tuple[list[int], Ints32]:
        """A cut as a node whose children begin there."""
        j = int(cut[kernels.ATTRIBUTE])
        if cut[kernels.HOW] == kernels.RUN:
            low, high = int(cut[kernels.A]), int(cut[kernels.B])
            return [j, first, low, high, -1], goes[:0]
        own = goes[self._begin[j] : self._begin[j + 1]]
        there = np.flatnonzero(own >= 0)
        low, high = int(there[0]), int(there[-1])
        return [j, first, low, high, length], own[low : high + 1]

    def _chosen(self, at: int, cuts: Ints, first: Ints, found: Ints) -> int | None:
        """The best of the cuts whose children all keep the promises; None where there is none."""
        rules, work = self._rules, self._work
        begin, m = self._begin, len(rules.space.at)
        here = slice(int(first[0]), int(first[-1]) + _children(cuts[-1]))
        held = found[here]
        units = np.ascontiguousarray(held[:, : begin[m]])
        own = self._known[at][: begin[m]].copy()
        many = kernels.ranked(
            own, rules.criterion, rules.space, work, cuts, first - first[0], units
        )
        size = units[:, : begin[1]].sum(axis=1)
        cells: Mapping[str | None, Ints] = {
            name: held[:, begin[m + s] : begin[m + s + 1]] for s, name in enumerate(rules.names)
        }
        broken: Bools = rules.acceptance.broken(size, cells or {None: held[:, :0]})
        place = {tuple(cut[:4].tolist()): at for at, cut in enumerate(cuts)}
        for cut in work.cuts[:many]:
            which = place[tuple(cut[:4].tolist())]
            start = int(first[which] - first[0])
            if not broken[start : start + _children(cut)].any():
                return which
        return None

    def _add(self, at: int, tried: Ints, side: Ints32, many: int, found: Ints) -> list[int]:
        """Take a cut; returns the children."""
        first, length = len(self._node), sum(map(len, self._side))
        run = tried[trees.AT] < 0
        self._node[at] = tried.tolist()
        self._node[at][trees.FIRST] = first
        self._node[at][trees.AT] = -1 if run else length
        if not run:
            self._side.append(side)
        children = list(range(first, first + many))
        for child, place in zip(children, range(int(tried[trees.FIRST]), len(found)), strict=False):
            self._node.append([-1] * trees.FIELDS)
            self._parent.append(at)
            self._known[child] = found[place].copy()
        del self._known[at]
        return children

    def whole(self, tell: Progress) -> _Grown:
        """The whole tree, the regions cut to their end where their combinations are."""
        node, side = self._arrays()
        regions = [*self._regions]
        rows, ready, done = sum(self._regions.values()), 0, {}
        if regions:
            for which, packed in self._parts.by_region(
                self._placed(regions), _Finished(self._rules)
            ):
                at = regions[which]
                done[at] = _Grown.of(packed)
                ready += self._regions[at]
                tell(self._grown + (1 - self._grown) * ready / rows)
        for at, known in self._known.items():
            done[at] = self._closed(known)
        return _joined(node, side, self._parent, done, self._tried)

    def _closed(self, known: Ints) -> _Grown:
        """A part that offers no cut that is accepted, as large as it is."""
        begin, m = self._begin, len(self._rules.space.at)
        spans, values = [], []
        for j in range(m):
            own = np.flatnonzero(known[begin[j] : begin[j + 1]])
            leaf = np.zeros(len(own), dtype=np.int64)
            spans.append(_without_between(leaf, own, j, int(self._rules.ends[j])))
        for s in range(len(self._rules.names)):
            counts = known[begin[m + s] : begin[m + s + 1]]
            own = np.flatnonzero(counts)
            none = np.zeros(len(own), dtype=np.int64)
            values.append(np.stack([none, none + s, own, counts[own]], axis=1))
        zero = np.zeros(1, dtype=np.int64)
        return _Grown(
            np.full((1, trees.FIELDS), -1, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
            zero - 1,
            zero,
            zero + 1,
            zero,
            known[: begin[1]].sum(keepdims=True),
            np.concatenate(spans),
            np.concatenate([np.zeros((0, 4), np.int64), *values]),
            0,
        )


def _children(cut: Ints) -> int:
    return int(cut[kernels.B]) if cut[kernels.HOW] == kernels.BRANCHES else 2


def _joined(
    node: Ints, side: Ints32, parent: Sequence[int], done: Mapping[int, _Grown], tried: int
) -> _Grown:
    """The first nodes, with what was made of those that are not cut among them."""
    children: dict[int, list[int]] = {}
    for at, above in enumerate(parent):
        children.setdefault(above, []).append(at)
    order, waiting = [], [0]
    while waiting:
        at = waiting.pop()
        order.append(at)
        waiting += reversed(children.get(at, []))
    low = np.zeros(len(node), dtype=np.int64)
    high = np.zeros(len(node), dtype=np.int64)
    leaves = 0
    for at in order:
        low[at] = leaves
        leaves += len(done[at].leaf) if at in done else 0
    for at in reversed(order):
        high[at] = low[at] + len(done[at].leaf) if at in done else high[children[at][-1]]
    nodes, sides, parents = [node], [side], [np.array(parent, dtype=np.int64)]
    lows, highs, leaf, size, spans, values = [low], [high], [], [], [], []
    base, length = len(node), len(side)
    for at in (at for at in order if at in done):
        own = done[at]
        number = np.append(at, base + np.arange(len(own.node) - 1))
        made = own.node.copy()
        cut = made[:, trees.ATTRIBUTE] >= 0
        made[cut, trees.FIRST] = number[made[cut, trees.FIRST]]
        written = made[:, trees.AT] >= 0
        made[written, trees.AT] += length
        node[at] = made[0]
        nodes.append(made[1:])
        sides.append(own.side)
        parents.append(number[own.parent[1:]])
        lows.append(own.low[1:] + low[at])
        highs.append(own.high[1:] + low[at])
        leaf.append(number[own.leaf])
        size.append(own.size)
        spans.append(own.spans + np.array([low[at], 0, 0]))
        values.append(own.values + np.array([low[at], 0, 0, 0]))
        base += len(own.node) - 1
        length += len(own.side)
        tried += own.tried
    return _Grown(
        np.concatenate(nodes),
        np.concatenate(sides),
        np.concatenate(parents),
        np.concatenate(lows),
        np.concatenate(highs),
        np.concatenate(leaf),
        np.concatenate(size),
        np.concatenate(spans),
        np.concatenate(values),
        tried,
    )


def _outline(
    data: LeveledTable, grown: _Grown, orders: Sequence[Ints], names: Sequence[str]
) -> tuple[LeveledTable, Ints]:
    """Combinations that span the cells of every class, and where those of each begin.

    The first of a class has all its records.
    """
    leaves, spans = len(grown.leaf), grown.spans
    pairs = []
    for j in range(len(orders)):
        own = spans[spans[:, 1] == j]
        own = own[np.lexsort((own[:, 2], own[:, 0]))]
        pairs.append((pointers(np.bincount(own[:, 0], minlength=leaves)), own[:, 2]))
    many = np.max([np.diff(starts) for starts, _ in pairs], axis=0)
    rows = pointers(many)
    of_row = np.repeat(np.arange(leaves), many)
    nth = np.arange(len(of_row)) - rows[of_row]
    codes = []
    for (starts, ranks), order, domain in zip(pairs, orders, data.domain.tolist(), strict=True):
        of_rank = np.empty(len(order), dtype=np.int64)
        of_rank[order] = np.arange(len(order))
        last = np.diff(starts)[of_row] - 1
        own = of_rank[ranks[starts[of_row] + np.minimum(nth, last)]]
        codes.append(own.astype(np.min_scalar_type(max(domain - 1, 0))))
    weight = np.where(nth == 0, grown.size[of_row], 0).astype(np.int64)
    sensitive = dict(data.table.sensitive)
    for s, name in enumerate(names):
        own = grown.values[grown.values[:, 1] == s]
        own = own[np.lexsort((own[:, 2], own[:, 0]))]
        lengths = np.zeros(len(of_row), dtype=np.int64)
        lengths[rows[:-1]] = np.bincount(own[:, 0], minlength=leaves)
        sensitive[name] = replace(
            sensitive[name],
            indptr=pointers(lengths),
            value=own[:, 2].astype(np.int32),
            count=own[:, 3],
        )
    kept = {name: sensitive[name] for name in names}
    table = FrequencyTable(data.attributes, tuple(codes), weight, kept)
    units = tuple(data.units(j) for j in range(len(orders)))
    return LeveledTable(table, data.taxonomies, marginals=units), rows
