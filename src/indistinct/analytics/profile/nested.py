"""Columns that lie within each other, such as ward, hospital and region: trees to generalize by.

What lies where is seen from the values, whatever columns are called: all records of a ward are of
one hospital. A value generalizes to what it lies in, and that to the next wider column. A value
that lies in several, such as a name of places in two provinces, generalizes to what these have in
common.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

import polars as pl

from indistinct.frozen import dataclass
from indistinct.sources.table import Table
from indistinct.types import Plain

MOST = 2500
"""Values of a column up to which a tree over them is written into a policy."""

NEARLY = 0.9
"""The share of records of a value, beside the first, that lie where most of them do, at least,
of columns about one thing; of others all have to."""

SOME_RECORDS = 500
"""Records that show of most columns that they do not lie within each other."""

FEWEST = 50
"""Records beside the first of each value from which on something is concluded."""

BY_CHANCE = log(1e-6)
"""The logarithm of how likely it may be that values lie within each other by chance."""

TOP = "*"
COUNTED = "\0records"

Path = tuple[str, ...]


@dataclass(frozen=True)
class Nestable:
    """A column that others may lie within, or that may lie within others.

    Arguments:
        name: its name.
        about: what it is about, if that is known.
        distinct: how many values it has.
        missing: texts that stand for a missing value.
        narrow: whether it needs a tree.
    """

    name: str
    about: str | None
    distinct: int
    missing: tuple[str, ...] = ()
    narrow: bool = False


def columns_around(table: Table, columns: Sequence[Nestable]) -> dict[str, tuple[str, ...]]:
    """The columns that each narrow one lies in, each within the next."""
    narrow = [one for one in columns if one.narrow and one.distinct <= MOST]
    if not narrow:
        return {}
    some = _without(table.sample([one.name for one in columns], SOME_RECORDS), columns)

    @functools.cache
    def lies_in(one: Nestable, other: Nestable) -> bool:
        counted = some.group_by(one.name, other.name).agg(pl.len().alias(COUNTED))
        if not _may_lie_in(counted, one, other, seen=True):
            return False
        counted = _without(table.distinct([one.name, other.name]), (one, other))
        return _may_lie_in(counted, one, other)

    found: dict[str, tuple[str, ...]] = {}
    for one in narrow:
        chain = [one]
        for other in sorted(columns, key=lambda wider: -wider.distinct):
            wider = 2 <= other.distinct <= chain[-1].distinct // 2
            if wider and all(lies_in(inner, other) for inner in {one, chain[-1]}):
                chain.append(other)
        if len(chain) > 1:
            found[one.name] = tuple(wider.name for wider in chain[1:])
    return found


def _may_lie_in(
    counted: pl.DataFrame, one: Nestable, other: Nestable, *, seen: bool = False
) -> bool:
    """Whether nearly all records of a value of one column have one value of another.

    Arguments:
        counted: pairs of values of both, and how often each occurs.
        one: the narrow column.
        other: the wide one.
        seen: whether these are some records alone: then whether more of them might show it.
    """
    counted = counted.drop_nulls()
    often = pl.col(counted.columns[-1])
    of_value = counted.group_by(one.name).agg(often.max().alias(COUNTED))
    shares = counted.group_by(other.name).agg(often.sum()).get_columns()[1]
    records = int(shares.sum())
    more = records - of_value.height
    inside = (int(of_value[COUNTED].sum()) - of_value.height) / max(more, 1)
    alike = one.about is not None and one.about == other.about
    if more < FEWEST or seen:
        return seen and (inside == 1 or (alike and inside >= NEARLY / 2) or more < FEWEST)
    chance = float(((shares / records) ** 2).sum())
    sure = chance < 1 and more * log(max(chance, 1e-9)) < BY_CHANCE
    if not alike:
        return sure and inside == 1
    return sure and inside - chance >= NEARLY * (1 - chance)


def _without(rows: pl.DataFrame, columns: Sequence[Nestable]) -> pl.DataFrame:
    """The rows, null where a text stands for a missing value."""
    return rows.with_columns(
        pl.when(~pl.col(one.name).is_in(list(one.missing))).then(pl.col(one.name))
        for one in columns
        if one.missing
    )


def tree_of(table: Table, columns: Sequence[Nestable]) -> Plain:
    """The tree of a column's values over the columns that they lie in, as a policy writes it."""
    names = [one.name for one in columns]
    rows = _without(table.distinct(names), columns).select(names).sort(names)
    rows = rows.filter(pl.col(names[0]) != TOP)
    above: dict[str, Path] = {}
    for leaf, *wider in rows.iter_rows():
        path = _known(wider)
        above[leaf] = _shared(above[leaf], path) if leaf in above else path
    labels = _labels(above, names[1:])
    tree: Plain = {}
    for leaf in sorted(above):
        node = tree
        for depth in range(len(above[leaf])):
            node = node.setdefault(labels[above[leaf][: depth + 1]], {})
        node[leaf] = {}
    return {TOP: _folded(tree)}


def _known(wider: Sequence[str | None]) -> Path:
    """From the widest column down, what is known of where a value lies."""
    path: list[str] = []
    for one in reversed(wider):
        if one is None:
            break
        path.append(one)
    return tuple(path)


def _shared(one: Path, other: Path) -> Path:
    """What two ways down have in common."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def _labels(above: Mapping[str, Path], wider: Sequence[str]) -> dict[Path, str]:
    """A label for every node, of its own: with the column where another one is called so."""
    paths = {path[: depth + 1] for path in above.values() for depth in range(len(path))}
    called = Counter([*above, *(path[-1] for path in paths), TOP])
    plain = {path: f"{path[-1]} ({wider[-len(path)]})" for path in paths}
    often = Counter(plain.values())
    found = {}
    for path in sorted(paths):
        label = path[-1] if called[path[-1]] == 1 else plain[path]
        if often[plain[path]] > 1:
            label = f"{path[-1]} ({', '.join((wider[-len(path)], *path[-2::-1]))})"
        found[path] = label
    return found


def _folded(node: Plain) -> Plain | list[str]:
    """The same, values that stand alone under a label as a list."""
    if all(not inside for inside in node.values()):
        return list(node)
    return {label: _folded(inside) if inside else [] for label, inside in node.items()}
