"""Combinations that stay where they are counted: what is asked of them, part by part.

An engine that spreads them over machines runs plain functions there, and brings home sums alone;
one on a single machine hands them over some at a time. A function gets codes: of every combination
a number for each quasi-identifier and for each sensitive attribute, and how many records have it.
It has to be one that can be sent: an object of a module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from indistinct.types import Array, Ints, Ints32


class Part(NamedTuple):
    """Some of the combinations; one may be there more than once.

    Arguments:
        rank: the codes of the quasi-identifiers, [n, m].
        value: the codes of the sensitive attributes, [n, s].
        weight: how many records there are of each, [n].
    """

    rank: Array
    value: Array
    weight: Ints


class Coding(NamedTuple):
    """The code of every value of a column.

    Arguments:
        column: its name.
        labels: the canonical texts, None for a missing value.
        codes: the code of each.
    """

    column: str
    labels: Sequence[str | None]
    codes: Ints


Ask = Callable[[Iterable[Part]], tuple[Ints, Ints]]
"""Keys, each once, and what is to be added up by them: of the parts that lie in one place."""

Place = Callable[[Part], Ints32]
"""The region of each combination, [n]; -1 for none."""

Work = Callable[[Part], bytes]
"""What is made of all combinations of a region."""


LeafOf = Callable[[Array], Ints32]
"""The leaf of each record, [n], by the codes of its quasi-identifiers, [n, m]."""


class Parts(Protocol):
    """The combinations of a table."""

    def added_up(self, ask: Ask) -> tuple[Ints, Ints]:
        """The sums by key over all parts."""

    def by_region(self, place: Place, work: Work) -> Iterable[tuple[int, bytes]]:
        """What is made of each region that has a combination, one after the other."""

    def close(self) -> None:
        """They are not asked again."""


@runtime_checkable
class InParts(Protocol):
    """A table whose engine can keep combinations, and publish by a tree of cuts."""

    @property
    def ceiling(self) -> int:
        """How many bytes the program may take."""

    def in_parts(self, quasi: Sequence[Coding], sensitive: Sequence[Coding]) -> Parts:
        """Its combinations, coded."""

    def cut(self, tree: Walked) -> Any:
        """The same table, published by what stands at the leaves of a tree."""


class Walked(NamedTuple):
    """A tree of cuts, and what stands at its leaves.

    Arguments:
        quasi: the code of every value of the attributes in which it is cut.
        leaf_of: the leaf of records by their codes; -1 of one that fits none.
        leaves: the numbers of its leaves, [L].
        records: how many records there are in each, [L].
        row: the combination that stands for each among those of a change, [L].
    """

    quasi: tuple[Coding, ...]
    leaf_of: LeafOf
    leaves: Ints
    records: Ints
    row: Ints
