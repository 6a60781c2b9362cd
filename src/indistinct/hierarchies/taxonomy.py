"""What a value may be published as: a tree over the domain of one attribute.

A *chain* leads from a leaf to the top: ``("25", "[20, 30)", "*")``. A label is a node of the tree:
wherever it occurs, it has the same parent. Chains may have unequal length; level ``l`` of a leaf is
``chain[min(l, len(chain) - 1)]``. A label repeated in a row means the same node on both levels.
Levels are nested: two leaves that are equal on a level are equal on every level above it, so going
up never splits an equivalence class.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain as concatenate
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import HierarchyError, Problem, Problems, refuse
from indistinct.frozen import dataclass
from indistinct.hierarchies.moments import Timeline
from indistinct.types import Ints

SUPPRESSED = "*"
"""What a suppressed cell is published as."""

Label = str | None
"""A published text, or None for a missing value."""

Missing = Literal["value", "suppress"]
"""What becomes of a missing value: a value of its own, or suppressed."""

CONFLICTS_SHOWN = 20


@dataclass(frozen=True, eq=False)
class LevelTable:
    """A compiled :class:`Taxonomy`: arrays over its D leaves and L levels, level 0 the leaves.

    The arrays cannot be written to.
    """

    code: NDArray[np.unsignedinteger[Any]]
    """[L, D] code of the node that leaf ``d`` is published as on level ``l``: 0 to
    ``card[l] - 1`` in order of first appearance, in the smallest unsigned type that fits."""

    card: Ints
    """[L] number of distinct labels on each level."""

    leaves: Ints
    """[L, D] number of leaves under that node, at any depth of the tree (D for a suppressed
    value)."""

    order: Ints
    """[D] rank of each leaf in depth-first order: the leaves under a node are neighbours."""

    labels: tuple[tuple[Label, ...], ...]
    """``labels[l][code]`` is what is published."""


@dataclass(frozen=True)
class Origin:
    """The file that chains were read from, and the line of each chain."""

    file: str
    lines: Sequence[int]


class Taxonomy:
    """A tree over the domain of one attribute.

    >>> drinks = Taxonomy("alcohol", [("No", "Any"), ("Low", "Yes", "Any"), ("High", "Yes", "Any")])
    >>> drinks
    Taxonomy('alcohol', leaves=3, levels=3, root='Any')
    >>> drinks.level(1)
    ('Any', 'Yes', 'Yes')
    >>> drinks.leaf_count("Yes"), drinks.lowest_common_ancestor(["Low", "High"])
    (2, 'Yes')
    """

    __slots__ = (
        "_attribute",
        "_chains",
        "_columns",
        "_counts",
        "_index",
        "_parents",
        "_shown",
        "_suppressed",
        "_table",
        "_timeline",
        "codes",
        "periods",
    )

    codes: bool
    """Whether it is said that digits are codes, whose neighbours in number tell nothing."""

    periods: tuple[str, str] | None
    """The format of leaves that are dates, and the finest level they are published on."""

    def __init__(
        self,
        attribute: str,
        chains: Iterable[Sequence[Label]],
        *,
        suppressed: Iterable[Label] = (),
        shown: Mapping[Label, Label] | None = None,
        periods: tuple[str, str] | None = None,
        origin: Origin | None = None,
    ) -> None:
        """One chain per leaf, from the leaf to the top.

        Arguments:
            attribute: the attribute's name, for messages.
            chains: ``[leaf, parent, ..., top]`` for every leaf; exact repeats are dropped.
            suppressed: further leaves of the domain that are published as ``*`` on every level,
                also on level 0.
            shown: leaves that are published as another label on level 0: ages above the top.
            periods: the format of leaves that are dates, and the finest level they are shown on.
            origin: where the chains were read, for messages.

        Raises:
            HierarchyError: with all that is wrong: no chains, an empty chain or label, one leaf
                with two different chains, a label with two parents, a cycle, a label that is
                repeated in some chains and not in others, ``*`` below another label.
        """
        self._attribute = attribute
        given, places, problems = _sound(attribute, chains, origin)
        self._suppressed = tuple(dict.fromkeys(suppressed))
        if not given and not self._suppressed and not problems:
            problems.append(
                Problem(
                    "no-chains",
                    "the hierarchy has no values",
                    file=origin.file if origin else None,
                    attribute=attribute,
                    remedy="give one line per value: the value, its generalizations, the root",
                )
            )
        refuse(HierarchyError, problems)

        height = max(map(len, given.values()), default=2)
        self._shown = dict(shown or {})
        given = {
            leaf: (self._shown.get(leaf, chain[0]), *chain[1:]) for leaf, chain in given.items()
        }
        columns = _columns(given, height)
        self._parents, problems = _tree(attribute, columns, places, origin)
        problems += [
            Problem(
                "leaf-suppressed-and-covered",
                "a value is both in the hierarchy and to be suppressed",
                attribute=attribute,
            )
            for leaf in self._suppressed
            if leaf in given
        ][:1]
        refuse(HierarchyError, problems)

        extra = len(self._suppressed)
        everywhere = (SUPPRESSED,) * height
        self._chains = (*given.values(), *((everywhere,) * extra))
        self._columns = tuple(column + (SUPPRESSED,) * extra for column in columns)
        leaves = (*given, *self._suppressed)
        self._index: dict[Label, int] = {leaf: code for code, leaf in enumerate(leaves)}
        self._counts: dict[Label, int] | None = None
        self._table: LevelTable | None = None
        self._timeline: dict[tuple[str, str] | None, Timeline | None] = {}
        self.periods = periods
        self.codes = False

    def of_codes(self) -> Taxonomy:
        """The same tree, with its values marked as categories, not numbers or dates."""
        found = copy.copy(self)
        found.codes = True
        return found

    def like(self, other: Taxonomy) -> Taxonomy:
        """The same tree, with its values read as those of another one: as dates, or as codes."""
        found = copy.copy(self)
        found.codes, found.periods = other.codes, other.periods
        return found

    @property
    def dates(self) -> Timeline | None:
        """The leaves as dates, but for the missing one and those that are suppressed; None if
        one is no date, or all are no more than years, which are numbers.
        """
        if self.codes:
            return None
        if self.periods not in self._timeline:
            gone = {None, *self._suppressed}
            known = [leaf for leaf in self._index if leaf is not None and leaf not in gone]
            self._timeline[self.periods] = Timeline.of(known, *self.periods or ())
        return self._timeline[self.periods]

    @property
    def attribute(self) -> str:
        """Name of the attribute."""
        return self._attribute

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The domain: every value that may occur, in order; a value's place is its leaf code."""
        return tuple(self._index)

    @property
    def index(self) -> Mapping[Label, int]:
        """The leaf code of every value of the domain."""
        return MappingProxyType(self._index)

    @property
    def suppressed(self) -> tuple[Label, ...]:
        """The values of the domain that are published as ``*`` on every level."""
        return self._suppressed

    @property
    def shown(self) -> Mapping[Label, Label]:
        """The values that are published as another label on level 0, and these labels."""
        return MappingProxyType(self._shown)

    @property
    def chains(self) -> tuple[tuple[Label, ...], ...]:
        """What each leaf is published as, level by level, as given (not padded).

        A chain starts with its leaf, except that of a value that is published as another label on
        level 0; the chain of a suppressed value is all ``*``.
        """
        return self._chains

    @property
    def levels(self) -> int:
        """Number of levels, the leaves included."""
        return len(self._columns)

    @property
    def height(self) -> int:
        """The highest level; level 0 publishes values as they are, but for tails."""
        return len(self._columns) - 1

    @property
    def has_root(self) -> bool:
        """Whether all values have one label on the highest level."""
        top = self._columns[-1]
        return all(label == top[0] for label in top)

    @property
    def root(self) -> Label:
        """The label that all values share on the highest level.

        Raises:
            HierarchyError: when there is no such label.
        """
        if not self.has_root:
            raise self._wrong(
                "no-root",
                "the values have no common root",
                "end every chain of the hierarchy with the same label, for instance '*'",
            )
        return self._columns[-1][0]

    def covers(self, value: Label) -> bool:
        """Whether the value is in the domain (suppressed ones are)."""
        return value in self._index

    def code_of(self, value: Label) -> int:
        """The leaf code of a value of the domain.

        Raises:
            HierarchyError: when the value is not in the domain.
        """
        try:
            return self._index[value]
        except KeyError:
            raise self._uncovered() from None

    def level(self, level: int) -> tuple[Label, ...]:
        """What every leaf is published as on that level, in the order of :attr:`leaves`.

        Raises:
            HierarchyError: when there is no such level.
        """
        if not 0 <= level < len(self._columns):
            raise self._wrong(
                "no-such-level",
                f"the hierarchy has no level {level}",
                f"choose a level from 0 to {self.height}",
            )
        return self._columns[level]

    def generalize(self, value: Label, level: int) -> Label:
        """What the value is published as on that level.

        Raises:
            HierarchyError: when the value is not in the domain, or there is no such level.
        """
        return self.level(level)[self.code_of(value)]

    def leaf_count(self, label: Label) -> int:
        """Number of leaves under a label, itself included; all of them for ``*``.

        Raises:
            HierarchyError: when no value is ever published as that label.
        """
        if label == SUPPRESSED:
            return len(self._index)
        if self._counts is None:
            node, labels = self._nodes()
            counts = _leaf_counts(node, len(labels))
            self._counts = dict(zip(labels, counts.tolist(), strict=True))
        try:
            return self._counts[label]
        except KeyError:
            raise self._uncovered() from None

    def ancestors(self, value: Label) -> tuple[Label, ...]:
        """The labels above a value or label, from its parent to its top.

        Raises:
            HierarchyError: when it is neither a value of the domain nor a label.
        """
        return tuple(self._path(value)[1:])

    def lowest_common_ancestor(self, values: Iterable[Label]) -> Label:
        """The lowest label that all the values (or labels) have in common.

        Values with nothing else in common can only be suppressed: the answer is ``*``.

        Raises:
            HierarchyError: when no value is given, or one is unknown.
        """
        distinct = list(dict.fromkeys(values))
        if not distinct:
            raise self._wrong("no-values", "no values, so no common ancestor", None)
        common = self._path(distinct[0])
        for value in distinct[1:]:
            if not common:
                break
            other = set(self._path(value))
            common = [label for label in common if label in other]
        return common[0] if common else SUPPRESSED

    def extended(self, missing: Missing | None, uncovered: Iterable[str] = ()) -> Taxonomy:
        """The same hierarchy over a larger domain: with the missing value, and uncovered ones.

        Arguments:
            missing: ``"value"``: a missing value stays missing on every level but the highest,
                where it joins the root (without a root it stays missing there too), unless the
                hierarchy has its own place for it; ``"suppress"``: it is published as ``*`` on
                every level, also on level 0; None: nothing is added for it.
            uncovered: values that are published as ``*`` on every level; those that the hierarchy
                covers are left as they are.
        """
        outside = [value for value in dict.fromkeys(uncovered) if value not in self._index]
        covered = len(self._index) - len(self._suppressed)
        chains = [
            (leaf, *chain[1:])
            for leaf, chain in zip(self._index, self._chains[:covered], strict=False)
        ]
        suppressed = list(self._suppressed)
        if missing == "suppress" and None not in suppressed:
            if None in self._index:
                del chains[self._index[None]]
            suppressed.append(None)
        elif missing == "value" and None not in self._index:
            chains.append(self._missing_chain())
        elif not outside:
            return self
        found = Taxonomy(
            self._attribute, chains, suppressed=[*suppressed, *outside], shown=self._shown
        )
        return found.like(self)

    def compile(self) -> LevelTable:
        """The hierarchy as arrays; computed once."""
        if self._table is None:
            self._table = self._compiled()
        return self._table

    def rows(self) -> list[tuple[Label, ...]]:
        """One row per leaf, one column per level, all of one length: a hierarchy file's lines.

        The first column is the value itself, also for a value that is suppressed on every level.
        """
        return list(zip(self._index, *self._columns[1:], strict=True))

    def to_dict(self) -> dict[str, object]:
        """The hierarchy as plain data."""
        return {
            "attribute": self._attribute,
            "leaves": len(self._index),
            "levels": self.levels,
            "root": self._columns[-1][0] if self.has_root else None,
            "labels": [len(set(column)) for column in self._columns],
            "rows": [list(row) for row in self.rows()],
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return (
            self._attribute == other._attribute
            and self._columns == other._columns
            and list(self._index) == list(other._index)
        )

    def __hash__(self) -> int:
        return hash((self._attribute, len(self._columns), len(self._index)))

    def __repr__(self) -> str:
        root = f"root={self.root!r}" if self.has_root else "no root"
        size = f"leaves={len(self._index)}, levels={self.levels}"
        return f"Taxonomy({self._attribute!r}, {size}, {root})"

    def _missing_chain(self) -> tuple[Label, ...]:
        covered = self._columns[-1][: len(self._index) - len(self._suppressed)]
        tops = set(covered)
        if len(tops) == 1 and self.height > 0:
            return (*(None,) * self.height, *tops)
        if not covered:
            return (*(None,) * self.height, SUPPRESSED)
        return (None,) * self.levels

    def _path(self, value: Label) -> list[Label]:
        if value in self._index:
            path = [self._columns[0][self._index[value]]]
        elif value in self._parents or value == SUPPRESSED:
            path = [value]
        else:
            raise self._uncovered()
        while (parent := self._parents.get(path[-1], path[-1])) != path[-1]:
            path.append(parent)
        return path

    def _nodes(self) -> tuple[Ints, list[Label]]:
        """[L, D] number of the node of each leaf on each level, and the nodes' labels."""
        numbers: dict[Label, int] = {}
        node = np.empty((self.levels, len(self._index)), dtype=np.int64)
        for level, column in enumerate(self._columns):
            for label in dict.fromkeys(column):
                numbers.setdefault(label, len(numbers))
            node[level] = np.fromiter(map(numbers.__getitem__, column), np.int64, len(column))
        return node, list(numbers)

    def _compiled(self) -> LevelTable:
        node, names = self._nodes()
        labels = tuple(tuple(dict.fromkeys(column)) for column in self._columns)
        card = np.array([len(level) for level in labels], dtype=np.int64)
        code = np.empty(node.shape, dtype=np.min_scalar_type(int(card.max()) - 1))
        number = {name: place for place, name in enumerate(names)}
        rank = np.empty(len(names), dtype=code.dtype)
        for level, column in enumerate(labels):
            rank[[number[label] for label in column]] = np.arange(len(column))
            code[level] = rank[node[level]]

        counts = _leaf_counts(node, len(names))
        if SUPPRESSED in number:
            counts[number[SUPPRESSED]] = len(self._index)
        table = LevelTable(code, card, counts[node], _depth_first(node, len(names)), labels)
        for array in (table.code, table.card, table.leaves, table.order):
            array.flags.writeable = False
        return table

    def _wrong(self, code: str, message: str, remedy: str | None) -> HierarchyError:
        return HierarchyError(code, message, attribute=self._attribute, remedy=remedy)

    def _uncovered(self) -> HierarchyError:
        return self._wrong(
            "uncovered-value",
            "a value is not in the hierarchy",
            'add it to the hierarchy, or set uncovered = "suppress" for the attribute',
        )


def _sound(
    attribute: str, chains: Iterable[Sequence[Label]], origin: Origin | None
) -> tuple[dict[Label, tuple[Label, ...]], list[int], list[Problem]]:
    """The chain of every leaf, where it was given, and what is wrong with single chains."""
    sound: dict[Label, tuple[Label, ...]]
    first: dict[Label, int] = {}
    problems: list[Problem] = []
    file = origin.file if origin else None

    def wrong(code: str, message: str, remedy: str) -> None:
        problems.append(Problem(code, message, file=file, attribute=attribute, remedy=remedy))

    text = {str, type(None)}
    every = list(chains)
    if set(map(type, every)) <= {tuple} and all(every):
        labels = set(concatenate.from_iterable(every))
        if set(map(type, labels)) <= text and "" not in labels:
            sound = {chain[0]: tuple(chain) for chain in every}
            if len(sound) == len(every):
                return sound, list(range(len(every))), []
    sound = {}
    for place, given in enumerate(every):
        chain = tuple(given)
        if isinstance(given, str) or not set(map(type, chain)) <= text or "" in chain:
            wrong(
                "not-a-chain",
                f"{_place(place, origin)} is not a sequence of texts",
                "give the value, its generalizations and the root as texts; None is missing",
            )
        elif not chain:
            wrong("empty-chain", f"{_place(place, origin)} is empty", "give the value and the root")
        else:
            known = sound.setdefault(chain[0], chain)
            if known is chain:
                first[chain[0]] = place
            elif known != chain and not _same_levels(known, chain):
                where = _places([first[chain[0]], place], origin)
                wrong(
                    "two-chains",
                    f"value {_shown(chain[0])} has two different chains ({where})",
                    "keep one of them",
                )
    return sound, list(first.values()), at_most(problems, attribute, file)


def _same_levels(one: tuple[Label, ...], other: tuple[Label, ...]) -> bool:
    longest = max(len(one), len(other))
    return _padded(one, longest) == _padded(other, longest)


def _padded(chain: tuple[Label, ...], levels: int) -> tuple[Label, ...]:
    return chain + chain[-1:] * (levels - len(chain))


def _columns(chains: Mapping[Label, tuple[Label, ...]], levels: int) -> list[tuple[Label, ...]]:
    if not chains:
        return [()] * levels
    ragged = any(len(chain) != levels for chain in chains.values())
    rows = (_padded(chain, levels) for chain in chains.values()) if ragged else chains.values()
    return list(zip(*rows, strict=True))


def _parents(
    columns: Sequence[tuple[Label, ...]],
) -> tuple[dict[Label, Label], dict[Label, dict[Label, None]], set[Label]]:
    """The first parent of every label, its other ones, and which labels stay as they are in some
    chains and have a parent in others.
    """
    parent_of: dict[Label, Label] = {}
    others: dict[Label, dict[Label, None]] = {}
    stays: set[Label] = set()
    for lower, upper in pairwise(columns):
        pairs = dict.fromkeys(zip(lower, upper, strict=True))
        for label, parent in pairs:
            if label != parent and parent_of.setdefault(label, parent) != parent:
                others.setdefault(label, {})[parent] = None
        if len(pairs) != len(set(lower)):
            repeated = {label for label, parent in pairs if label == parent}
            stays |= {label for label, parent in pairs if label != parent and label in repeated}
    return parent_of, others, stays


def _tree(
    attribute: str,
    columns: Sequence[tuple[Label, ...]],
    places: Sequence[int],
    origin: Origin | None,
) -> tuple[dict[Label, Label], list[Problem]]:
    """The parent of every label (a top is its own parent), and why this is no nested tree."""
    parent_of, others, stays = _parents(columns)
    file = origin.file if origin else None
    tops = dict.fromkeys(columns[-1])
    problems = Problems()

    def wrong(code: str, label: Label, message: str, remedy: str) -> None:
        rows = zip(places, zip(*columns, strict=True), strict=True)
        where = _places([place for place, row in rows if label in row], origin)
        problems.add(
            code,
            f"value {_shown(label)} {message} ({where})",
            file=file,
            attribute=attribute,
            remedy=remedy,
        )

    def told() -> bool:
        return len(problems) > CONFLICTS_SHOWN

    in_cycle = _cycles(parent_of, others)
    suspects = stays | in_cycle | (tops.keys() & parent_of.keys()) | {SUPPRESSED} | others.keys()
    for label, parent in parent_of.items():
        if label not in suspects or told():
            continue
        parents = (parent, *others.get(label, ()))
        if label in in_cycle:
            wrong("cycle", label, "is its own ancestor", "give the upper level another label")
        elif len(parents) > 1:
            names = " and ".join(_shown(parent) for parent in parents)
            wrong("two-parents", label, f"has two parents: {names}", "give each its own label")
        elif label == SUPPRESSED:
            wrong(
                "suppressed-below",
                label,
                f"has the parent {_shown(parents[0])}",
                "'*' is what a suppressed cell is published as: it can only be the last label",
            )
        elif label in tops:
            wrong(
                "top-with-parent",
                label,
                f"ends one chain and has the parent {_shown(parents[0])} in another",
                "go on to the same root in every chain",
            )
        elif label in stays:
            wrong(
                "not-nested",
                label,
                "is repeated on the next level in one chain and not in another",
                "repeat it in all chains or in none",
            )
    parent_of.update((top, top) for top in tops if top not in parent_of)
    return parent_of, at_most(problems, attribute, file)


def _cycles(
    parent_of: Mapping[Label, Label], others: Mapping[Label, Mapping[Label, None]]
) -> set[Label]:
    """The labels that are their own ancestors."""
    found: set[Label] = set()
    done: set[Label] = set()
    for start in dict.fromkeys(parent_of.values()):
        way: dict[Label, None] = {}
        label: Label = start
        while label in parent_of and label not in done and label not in way:
            way[label] = None
            label = parent_of[label]
        if label in way:
            steps = list(way)
            found.update(steps[steps.index(label) :])
        done.update(way)
    for label in others:
        seen: set[Label] = set()
        stack = [parent_of[label], *others[label]]
        while stack and label not in seen:
            above = stack.pop()
            if above not in seen:
                seen.add(above)
                stack += [parent_of[above]] if above in parent_of else []
                stack += others.get(above, ())
        if label in seen:
            found.add(label)
    return found


def _leaf_counts(node: Ints, nodes: int) -> Ints:
    """Number of leaves whose chain holds each node; a repeated node counts once."""
    counts = np.bincount(node[0], minlength=nodes)
    for lower, upper in pairwise(node):
        counts += np.bincount(upper[upper != lower], minlength=nodes)
    return counts


def _depth_first(node: Ints, nodes: int) -> Ints:
    """[D] rank of each leaf in depth-first order, siblings by their first leaf.

    Every leaf's way down from its top is written as the first leaf under each node on it; these
    words in lexicographic order are the depth-first order. A leaf that is also an inner node comes
    after what lies under it.
    """
    leaves = node.shape[1]
    first = np.full(nodes, leaves, dtype=np.int64)
    for row in node:
        np.minimum.at(first, row, np.arange(leaves))
    new = np.ones(node.shape, dtype=bool)
    new[1:] = node[1:] != node[:-1]
    depth = new.sum(axis=0) - np.cumsum(new, axis=0)
    word = np.full(node.shape, leaves, dtype=np.int64)
    level, leaf = np.nonzero(new)
    word[depth[level, leaf], leaf] = first[node[level, leaf]]
    sequence = np.lexsort((*word[::-1],))
    order = np.empty(leaves, dtype=np.int64)
    order[sequence] = np.arange(leaves)
    return order


def _shown(label: Label) -> str:
    return "(missing)" if label is None else f"'{label}'"


def _place(place: int, origin: Origin | None) -> str:
    return f"line {origin.lines[place]}" if origin else f"chain {place + 1}"


def _places(places: Sequence[int], origin: Origin | None) -> str:
    kind = ("line" if origin else "chain") + ("s" if len(places) > 1 else "")
    numbers = [origin.lines[place] if origin else place + 1 for place in places]
    shown = ", ".join(map(str, numbers[:5]))
    more = len(numbers) - 5
    return f"{kind} {shown}" + (f" and {more} more" if more > 0 else "")


def at_most(problems: list[Problem], attribute: str, file: str | None) -> list[Problem]:
    """The first problems, and one that says that there are more.

    Arguments:
        problems: all of them.
        attribute: whose hierarchy has them.
        file: the file of the hierarchy, where it has one.
    """
    if len(problems) <= CONFLICTS_SHOWN:
        return problems
    rest = Problem(
        "more-problems",
        "the hierarchy has more problems of this kind",
        file=file,
        attribute=attribute,
    )
    return [*problems[:CONFLICTS_SHOWN], rest]
