"""A plan that was made for another table: what a run saved of it, and what it is on this table.

Levels, cuts and the cells of classes are the same as before. What becomes of the records of a new
table follows from them alone; whether promises hold has to be looked at anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.continued import Row, labels_of
from indistinct.hierarchies.taxonomy import Label
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.judge import Judge
from indistinct.recoding.plan import (
    CellPlan,
    CutPlan,
    LevelPlan,
    Plan,
    SearchReport,
    published_classes,
)
from indistinct.types import Bools, Ints32, Plain, PlainMapping

Kind = Literal["levels", "cut", "classes"]

CELLS = 1 << 24
"""Pairs of a combination and a class that are compared at a time, at most."""

LOOKED_AT = 1000
"""Combinations outside of all classes that are looked at for what keeps them out, at most."""


@dataclass(frozen=True)
class EarlierPlan:
    """What a run saved of its plan.

    Arguments:
        algorithm: the method that found it.
        scope: what it calls itself, as :class:`~indistinct.recoding.plan.LevelPlan` does.
        hierarchies: by quasi-identifier the labels of every value, from level 0 upwards.
        nodes: the choices of levels, in the order in which they were used.
        classes: of several nodes the labels of the classes at each.
        published: by quasi-identifier what every value became, where levels differ between values.
        cells: by quasi-identifier the published cells, and their places in every class.
        styles: by quasi-identifier how cells are published.
        members: the combinations of the table it was made for: by quasi-identifier the place of
            each one's value among the rows of the hierarchy, [C].
        member_class: the class of each, [C]; -1 for suppressed ones.
    """

    algorithm: str
    scope: str
    hierarchies: Mapping[str, Mapping[Label, Row]]
    nodes: tuple[tuple[int, ...], ...] = ()
    classes: tuple[tuple[Row, ...], ...] = ()
    published: Mapping[str, Mapping[Label, Label]] | None = None
    cells: Mapping[str, tuple[tuple[Label, ...], tuple[int, ...]]] | None = None
    styles: Mapping[str, str] | None = None
    members: Mapping[str, Ints32] = field(default_factory=dict)
    member_class: Ints32 = field(default_factory=lambda: np.zeros(0, np.int32))

    @classmethod
    def from_dict(cls, document: PlainMapping, file: str | None = None) -> EarlierPlan:
        """The plan that a ``plan.json`` holds.

        Raises:
            DataError: it is none, or one that does not say enough to be used again.
        """
        try:
            return cls._read(document)
        except (LookupError, TypeError, ValueError, OverflowError, AttributeError):
            raise DataError(
                "bad-plan",
                "is not a plan that can be used again",
                file=file,
                remedy="name private/plan.json of a release of this version, or the folder "
                "of the release",
            ) from None

    @classmethod
    def _read(cls, document: PlainMapping) -> EarlierPlan:
        parts = document["attributes"]
        hierarchies = {
            str(name): {row[0]: row[1:] for row in map(_labels, document["hierarchies"][name])}
            for name in parts
        }
        widths = {len(row) for rows in hierarchies.values() for row in rows.values()}
        if 0 in widths or not all(hierarchies.values()):
            raise ValueError("a hierarchy without levels")
        more: Plain = {}
        if "class_cells" in document:
            places = np.array(document["class_cells"], dtype=np.int64).reshape(-1, len(parts))
            if places.min(initial=0) < 0:
                raise ValueError("a class without a cell")
            more["cells"] = {
                name: (_labels(item["published"]), tuple(places[:, at].tolist()))
                for at, (name, item) in enumerate(parts.items())
            }
            for texts, at in more["cells"].values():
                [texts[place] for place in at]
            more["styles"] = {name: str(document["cells"][name]) for name in parts}
            if "member_class" in document:
                codes = document["members"]
                more["members"] = {name: _numbers(codes[name], hierarchies[name]) for name in parts}
                more["member_class"] = _numbers(document["member_class"], places)
                if any(len(more["member_class"]) != len(own) for own in more["members"].values()):
                    raise ValueError("members of different numbers")
        elif isinstance(document["nodes"], list):
            more["nodes"] = tuple(tuple(int(level) for level in node) for node in document["nodes"])
            heights = [min(map(len, rows.values())) for rows in hierarchies.values()]
            for node in more["nodes"]:
                if not all(0 <= one < most for one, most in zip(node, heights, strict=True)):
                    raise ValueError("a level that a hierarchy does not have")
            of_nodes = document.get("node_classes", [])
            more["classes"] = tuple(tuple(map(_labels, rows)) for rows in of_nodes)
        else:
            more["published"] = {name: dict(item["published"]) for name, item in parts.items()}
            for labels in more["published"].values():
                _labels([*labels.keys(), *labels.values()])
        return cls(str(document["algorithm"]), str(document["scope"]), hierarchies, **more)

    @property
    def kind(self) -> Kind:
        """Whether it has one level for all values, one for each value, or cells of classes."""
        if self.cells is not None:
            return "classes"
        return "levels" if self.published is None else "cut"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.hierarchies)

    def levels_of(self, attribute: str) -> tuple[int, int]:
        """The lowest and the highest level of an attribute over all nodes."""
        place = self.attributes.index(attribute)
        levels = [node[place] for node in self.nodes] or [0]
        return min(levels), max(levels)

    def on(self, data: LeveledTable, promises: Sequence[Promise]) -> Plan:
        """What the plan is on another table, whose hierarchies continue its own.

        Combinations that no cell of a class covers are suppressed. Of several nodes each takes the
        classes that it had, and then those of what is left over that keep the promises.

        Arguments:
            data: the table.
            promises: what classes have to keep, where there are several nodes.
        """
        search = SearchReport(self.algorithm)
        if self.kind == "classes":
            return self._classes(data, search)
        if self.kind == "cut":
            cuts = tuple(self._cut(data, name) for name in data.attributes)
            return CutPlan(data.attributes, cuts, data.table.codes, search, self.scope)
        order = [self.attributes.index(name) for name in data.attributes]
        nodes = tuple(tuple(node[at] for at in order) for node in self.nodes)
        first = np.zeros(data.table.combinations, dtype=np.int32)
        start = LevelPlan(data.attributes, nodes[:1], first, search)
        if len(nodes) == 1:
            return start
        node_of = np.full(data.table.combinations, -1, dtype=np.int32)
        for at, rows in enumerate(self.classes):
            one = LevelPlan(data.attributes, (nodes[at],), first, search)
            schema = dict.fromkeys(self.attributes, pl.String)
            known = pl.DataFrame(rows, schema, orient="row")
            labels = published_labels(data, one).with_row_index("\0row")
            there = labels.join(known, on=list(self.attributes), how="semi", nulls_equal=True)
            fits = np.zeros(len(node_of), dtype=np.bool_)
            fits[there["\0row"].to_numpy()] = True
            node_of[fits & (node_of < 0)] = at
        for at, node in enumerate(nodes):
            left = np.flatnonzero(node_of < 0).astype(np.int32)
            part = data.restricted(left)
            one = LevelPlan(data.attributes, (node,), np.zeros(len(left), np.int32), search)
            node_of[left[~suppressed_by(part, one, promises, data)]] = at
        return LevelPlan(data.attributes, nodes, node_of, search, self.scope, start)

    def _cut(self, data: LeveledTable, name: str) -> NDArray[np.int16]:
        """The level of every leaf: the lowest at which the plan has its label, [domain]."""
        assert self.published is not None
        known, used = self.published[name], set(self.published[name].values())
        found = []
        for leaf, *labels in labels_of(data.taxonomies[name]):
            asked = {known[leaf]} if leaf in known else used
            found.append(next((at for at, label in enumerate(labels) if label in asked), 0))
        return np.array(found, dtype=np.int16)

    def outside(self, data: LeveledTable, name: str) -> list[Label]:
        """The values that no label of a cut covers."""
        if self.published is None:
            return []
        used = set(self.published[name].values())
        rows = labels_of(data.taxonomies[name])
        return [leaf for leaf, *labels in rows if used.isdisjoint(labels)]

    def _classes(self, data: LeveledTable, search: SearchReport) -> CellPlan:
        """Every combination in the class that it was in, others in the narrowest that covers them.

        Cells of several classes may cover a combination: 2020-05 and 2020 cover a day of May. The
        narrowest is that whose cells stand for least.
        """
        assert self.cells is not None
        assert self.styles is not None
        texts = [self.cells[name][0] for name in data.attributes]
        cell_of = [np.array(self.cells[name][1], np.int32) for name in data.attributes]
        masks = [
            Coverage(data.taxonomies[name]).matrix(texts[j])
            for j, name in enumerate(data.attributes)
        ]
        covered = [mask.sum(axis=1) for mask in masks]
        size = sum(covered[j][cell_of[j]] / data.domain[j] for j in range(len(masks)))
        order = np.argsort(size, kind="stable")
        class_of, known = self._as_before(data)
        others = np.flatnonzero(~known)
        step = max(CELLS // max(len(order), 1), 1)
        for begin in range(0, len(others) if len(order) else 0, step):
            rows = others[begin : begin + step]
            fits = np.ones((len(order), len(rows)), dtype=np.bool_)
            for j, mask in enumerate(masks):
                fits &= mask[np.ix_(cell_of[j][order], data.table.codes[j][rows])]
            class_of[rows] = np.where(fits.any(axis=0), order[fits.argmax(axis=0)], -1)
        return CellPlan(
            attributes=data.attributes,
            class_of=class_of,
            cell_of=tuple(cell_of),
            texts=tuple(texts),
            covered=tuple(covered),
            style=tuple(self.styles[name] for name in data.attributes),
            search=search,
            scope=self.scope,
        )

    def attribute_without_class(self, data: LeveledTable, outside: Bools) -> str | None:
        """The attribute without which most combinations outside of all classes would have one.

        Dates of another year are covered by no class of this one, for instance. At most
        :data:`LOOKED_AT` combinations are looked at, evenly spread.
        """
        if self.cells is None or not outside.any():
            return None
        classes = np.unique([self.cells[name][1] for name in data.attributes], axis=1)
        rows = np.flatnonzero(outside)
        most = max(min(LOOKED_AT, CELLS // max(classes.shape[1], 1)), 1)
        rows = rows[:: -(-len(rows) // most)]
        missed = np.zeros((classes.shape[1], len(rows)), dtype=np.int16)
        last = missed.copy()
        for j, name in enumerate(data.attributes):
            mask = Coverage(data.taxonomies[name]).matrix(self.cells[name][0])
            misses = ~mask[np.ix_(classes[j], data.table.codes[j][rows])]
            missed += misses
            last[misses] = j
        alone = [int(((missed == 1) & (last == j)).any(axis=0).sum()) for j in range(len(classes))]
        best = int(np.argmax(alone))
        return data.attributes[best] if 2 * alone[best] > len(rows) else None

    def _as_before(self, data: LeveledTable) -> tuple[Ints32, Bools]:
        """The class that each combination had, and whether it was in the plan's table, [C] each.

        Equal records may have gone to different classes: they go there again in their order.
        """
        names, turn = list(data.attributes), "\0turn"
        before = {}
        for name in names:
            place = data.taxonomies[name].index
            new = np.array([place.get(leaf, -1) for leaf in self.hierarchies[name]], np.int32)
            before[name] = new[self.members[name]] if self.members else np.zeros(0, np.int32)
        then = pl.DataFrame({**before, "\0class": self.member_class}).with_columns(
            pl.int_range(pl.len()).over(names).alias(turn), pl.len().over(names).alias("\0many")
        )
        now = pl.DataFrame(dict(zip(names, data.table.codes, strict=True)))
        now = now.cast(pl.Int32).with_columns(pl.int_range(pl.len()).over(names).alias(turn))
        many = then.select(*names, "\0many").unique()
        now = now.join(many, names, "left", maintain_order="left")
        now = now.with_columns(pl.col(turn).cast(pl.Int64) % pl.col("\0many").cast(pl.Int64))
        found = then.select(*names, pl.col(turn).cast(pl.Int64), "\0class")
        found = now.join(found, [*names, turn], "left", maintain_order="left")
        class_of = found["\0class"].fill_null(-1).to_numpy().astype(np.int32)
        return class_of, found["\0class"].is_not_null().to_numpy()


def _labels(found: Sequence[Label]) -> Row:
    """Labels as a document has them.

    Raises:
        TypeError: something else is among them.
    """
    if not all(label is None or isinstance(label, str) for label in found):
        raise TypeError("no labels")
    return tuple(found)


def _numbers(text: str, of: Sized) -> Ints32:
    """Numbers with spaces between them, none beyond what they count.

    Raises:
        IndexError: one is.
    """
    found = np.array(text.split(), dtype=np.int32)
    if found.max(initial=-1) >= len(of) or found.min(initial=-1) < -1:
        raise IndexError
    return found


def published_labels(data: LeveledTable, plan: Plan) -> pl.DataFrame:
    """What every combination is published as, [C]."""
    return pl.DataFrame(
        {
            name: pl.Series(plan.labels(data, j), dtype=pl.String).gather(plan.cells(data, j))
            for j, name in enumerate(data.attributes)
        }
    )


@dataclass(frozen=True)
class Broken:
    """A promise that a plan breaks on a table: in how many classes, of how many records."""

    promise: Promise
    classes: int
    records: int


def broken_by(data: LeveledTable, plan: Plan, promises: Sequence[Promise]) -> list[Broken]:
    """The promises that a plan breaks.

    Arguments:
        data: the table.
        plan: what is published instead of what.
        promises: those to look at.
    """
    found = []
    for promise, mask, classes in _looked(data, plan.suppressed, plan, promises):
        if classes:
            found.append(Broken(promise, classes, int(data.weight[mask].sum())))
    return found


def suppressed_by(
    data: LeveledTable,
    plan: Plan,
    promises: Sequence[Promise],
    original: LeveledTable | None = None,
) -> Bools:
    """The combinations to be left out for the promises to hold of the rest, [C].

    Arguments:
        data: the table.
        plan: what is published instead of what.
        promises: what is to hold.
        original: the table whose distributions promises compare with, where ``data`` is a part.
    """
    out = plan.suppressed.copy()
    while True:
        broken = [mask for _, mask, _ in _looked(data, out, plan, promises, original)]
        more = np.logical_or.reduce([out, *broken])
        if (more == out).all():
            return out
        out = more


def _looked(
    data: LeveledTable,
    out: Bools,
    plan: Plan,
    promises: Sequence[Promise],
    original: LeveledTable | None = None,
) -> list[tuple[Promise, Bools, int]]:
    """Every promise, the combinations in classes that break it [C], and the number of these."""
    judge = Judge(data, promises, original)
    found = []
    for promise in promises:
        class_of = published_classes(data, plan, promise.on or data.attributes)
        groups = int(class_of.max(initial=-1)) + 1
        units = np.where(out, 0, data.weight)
        size = np.rint(np.bincount(class_of, weights=units, minlength=groups)).astype(np.int64)
        broken = judge.breaks(promise, class_of, size, out)
        found.append((promise, broken[class_of] & ~out, int(broken.sum())))
    return found
