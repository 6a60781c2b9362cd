"""k^m-anonymity: whoever knows up to m items of a person finds k people with them.

    M. Terrovitis, N. Mamoulis, P. Kalnis: "Privacy-preserving Anonymization of Set-valued Data".
    PVLDB 1(1), 2008, section 4.3, Apriori-based anonymization.

Global recoding: what is published is a cut of the items' hierarchy, the same for everybody. For
i = 1, ..., m the combinations of i published items are counted; while one occurs in the sets of
fewer than k people, the item of it whose lift costs least is published as its parent, and with it
everything else under that parent. What shorter combinations have reached stays: a lift only makes
combinations more frequent.

Cost is the normalised certainty penalty: every occurrence of an item counts the share of the
hierarchy's leaves under the published node, nothing where the item itself is published. Suppressing
an item leaves it out of everybody's set and counts 1 for each occurrence.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, PolicyError, Problem, Unsatisfiable
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label
from indistinct.kernels.items import combinations, generalized_sets, lift_items
from indistinct.kernels.ragged import Ragged, pointers
from indistinct.microdata.frequencies import Cells, Counts
from indistinct.recoding.items.tree import ItemTree, tree_of
from indistinct.recoding.limits import Progress
from indistinct.types import Plain

LARGEST_KEY = 2**62

MOST_COMBINATIONS = 200_000_000
"""Combinations of one length that are counted at once, 16 bytes each."""


@dataclass(frozen=True)
class ItemPlan:
    """What every item is published as: a cut of the hierarchy, and items that are left out.

    Arguments:
        attribute: the attribute whose values are the items.
        published: what each value is published as; None stands for a missing value, also as
            published.
        suppressed: the values that are left out.
        cut: the published labels, in the order of the hierarchy.
        k: people who have each combination.
        m: items in a combination.
        ncp: normalised certainty penalty, 0 to 1, mean over all items of all people; items that
            are left out count 1.
        entries: items of all people together, before.
        left_out: how many of them are left out.
        lifts: how often a node was published as its parent.
        rounds: how often the combinations were counted.
        seconds: how long it took.
    """

    attribute: str
    published: Mapping[Label, Label]
    suppressed: frozenset[Label]
    cut: tuple[Label, ...]
    k: int
    m: int
    ncp: float
    entries: int
    left_out: int
    lifts: int
    rounds: int
    seconds: float

    def to_dict(self) -> Plain:
        """The plan as plain data, with the cut."""
        return {
            "scope": "items",
            "attribute": self.attribute,
            "k": self.k,
            "m": self.m,
            "cut": list(self.cut),
            "suppressed_items": len(self.suppressed),
            "ncp": self.ncp,
            "entries": self.entries,
            "left_out": self.left_out,
            "lifts": self.lifts,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 6),
        }

    def __repr__(self) -> str:
        return (
            f"<ItemPlan: {self.attribute}, k={self.k}, m={self.m}, {len(self.cut)} labels, "
            f"ncp={self.ncp:.4g}>"
        )


def km_anonymous(
    name: str,
    sets: Cells,
    k: int,
    m: int,
    *,
    suppress: float = 0.0,
    progress: Progress | None = None,
) -> ItemPlan:
    """The cut of the items' hierarchy that leaves no rare combination of up to m items.

    Nothing is drawn: equal sets give equal plans, in whatever order people come.

    Arguments:
        name: the attribute whose values are the items.
        sets: the items of every person, and their hierarchy; counts do not matter.
        k: people who have each combination that occurs.
        m: items in a combination.
        suppress: share of all items of all people that may be left out, where that costs less than
            a lift.
        progress: told the share of the lengths of combinations that is done.

    Raises:
        PolicyError: k, m or the share is none; no hierarchy is known; or there are too many
            combinations of m items to be counted.
        HierarchyError: the hierarchy has no root, or lacks an item.
        Unsatisfiable: there are fewer than k people with items.
    """
    began = time.perf_counter()
    _check(k, m, suppress)
    tree = tree_of(name, sets)
    items = Ragged.distinct(sets.row_of, tree.node_of[sets.value], len(sets), len(tree))
    some = int(np.count_nonzero(items.lengths))
    if 0 < some < k:
        raise Unsatisfiable(
            Problem(
                "unsatisfiable",
                f"{k} people are to have every item that is published, and {some} have any",
                attribute=name,
                remedy=f"choose k of at most {some}",
            )
        )
    items, people = _distinct(items)
    search = _Search(name, tree, items, people, (k, m), suppress)
    if not search.run(progress):
        # What was left out leaves fewer than k people with any item. Lifting alone always ends.
        search = _Search(name, tree, items, people, (k, m), 0.0)
        search.run(progress)
    return search.plan(sets.domain, began)


def published_items(plan: ItemPlan, column: pl.Series) -> pl.Series:
    """A column of items as it is published; ``*`` marks items that are left out.

    The rows of these are to be dropped: a published ``*`` would be an item that others have too.

    Arguments:
        plan: what each item is published as.
        column: the items as text, null for a missing one.

    Raises:
        DataError: a value is not in the hierarchy that the plan was made with.

    >>> plan = ItemPlan("ill", {"flu": "cold", "cough": "cold", "plague": "plague"},
    ...                 frozenset({"plague"}), ("cold",), 2, 1, 0.5, 3, 1, 1, 2, 0.0)
    >>> published_items(plan, pl.Series("ill", ["flu", "plague"])).to_list()
    ['cold', '*']
    """
    values = list(plan.published)
    outside = column.unique().is_in(pl.Series(values, dtype=pl.String).implode(), nulls_equal=True)
    if not outside.all():
        rows = ~column.is_in(pl.Series(values, dtype=pl.String).implode(), nulls_equal=True)
        raise DataError(
            Problem(
                "uncovered-value",
                f"{int((~outside).sum())} values are not in the hierarchy of the items",
                attribute=plan.attribute,
                rows=tuple((rows.arg_true() + 1).head(11).to_list()),
                remedy="add them to the hierarchy and make the plan again",
            )
        )
    labels = [
        SUPPRESSED if value in plan.suppressed else label for value, label in plan.published.items()
    ]
    return column.replace_strict(
        pl.Series(values, dtype=pl.String),
        pl.Series(labels, dtype=pl.String),
        return_dtype=pl.String,
    ).alias(column.name)


class _Search:
    """The cut so far, over the sets of people."""

    def __init__(
        self,
        name: str,
        tree: ItemTree,
        items: Ragged,
        people: Counts,
        k_and_m: tuple[int, int],
        suppress: float,
    ) -> None:
        self._name, self._tree = name, tree
        self._k, self._m = k_and_m
        self._items, self._people = items, people
        self._became = np.arange(len(tree), dtype=np.int32)
        occurs = np.bincount(items.value, people[items.row_of], len(tree))
        self._occurs = np.rint(occurs).astype(np.int64)
        self._entries = int(self._occurs.sum())
        self._allowed = math.floor(suppress * self._entries + 1e-9)
        self._lost = self._lifts = self._rounds = 0

    def run(self, progress: Progress | None) -> bool:
        """Settle one length of combinations after the other; whether k people were left for it."""
        for size in range(1, self._m + 1):
            if not self._settle(size):
                return False
            if progress is not None:
                progress(size / self._m)
        return True

    def _settle(self, size: int) -> bool:
        """Lift until every combination of so many items that occurs is held by k people."""
        tree = self._tree
        while len(rare := self._rare(size)):
            lifts, dropped, lost = lift_items(
                rare,
                self._became,
                tree.parent,
                tree.last,
                tree.cost,
                self._occurs,
                self._allowed - self._lost,
            )
            if lifts + dropped == 0:
                return False
            self._lifts += lifts
            self._lost += lost
        return True

    def _rare(self, size: int) -> NDArray[np.int32]:
        """The combinations of so many items that fewer than k people have, in tree order."""
        self._rounds += 1
        indptr, item = generalized_sets(self._items.indptr, self._items.value, self._became)
        used, digits = np.unique(item), np.zeros(len(self._tree), dtype=np.int64)
        digits[used] = np.arange(len(used))
        base = max(len(used), 1)
        total = sum(
            int(number) * math.comb(held, size)
            for held, number in enumerate(np.bincount(np.diff(indptr)).tolist())
        )
        if total > MOST_COMBINATIONS or base**size > LARGEST_KEY:
            raise PolicyError(
                Problem(
                    "too-many-combinations",
                    f"people have {total} combinations of {size} out of {base} items, too many to "
                    "count",
                    attribute=self._name,
                    remedy="choose a smaller m, or a hierarchy that starts with coarser items",
                )
            )
        keys, counts = combinations(indptr, item, size, digits, base, self._people, total)
        keys, held = _added_up(keys, counts)
        keys = keys[held < self._k]
        rare = np.empty((len(keys), size), dtype=np.int32)
        for place in range(size - 1, -1, -1):
            keys, digit = np.divmod(keys, base)
            rare[:, place] = used[digit]
        return rare

    def plan(self, domain: tuple[Label, ...], began: float) -> ItemPlan:
        """What was found."""
        tree = self._tree
        became = self._became[tree.node_of]
        published = {
            value: None if node < 0 else tree.labels[node]
            for value, node in zip(domain, became.tolist(), strict=True)
        }
        cost = np.where(self._became < 0, 1.0, tree.cost[self._became])
        total = float((cost * self._occurs).sum())
        return ItemPlan(
            attribute=self._name,
            published=published,
            suppressed=frozenset(
                value for value, node in zip(domain, became.tolist(), strict=True) if node < 0
            ),
            cut=tuple(tree.labels[node] for node in np.unique(became[became >= 0]).tolist()),
            k=self._k,
            m=self._m,
            ncp=total / max(self._entries, 1),
            entries=self._entries,
            left_out=self._lost,
            lifts=self._lifts,
            rounds=self._rounds,
            seconds=time.perf_counter() - began,
        )


def _check(k: int, m: int, suppress: float) -> None:
    problems = [
        Problem("bad-setting", f"{name} is a whole number of at least 1, not {given!r}")
        for name, given in (("k", k), ("m", m))
        if given < 1
    ]
    if not 0.0 <= suppress <= 1.0:
        problems.append(
            Problem("bad-setting", f"suppress is a share from 0 to 1, not {suppress!r}")
        )
    if problems:
        raise PolicyError(problems)


def _distinct(items: Ragged) -> tuple[Ragged, Counts]:
    """Every set once, with how many people have it; sets without items are left out."""
    frame = (
        pl.DataFrame({"set": items.row_of, "item": items.value})
        .group_by("set", maintain_order=True)
        .agg("item")
        .group_by("item", maintain_order=True)
        .agg(people=pl.len())
    )
    begins = pointers(frame["item"].list.len().to_numpy())
    different = Ragged(begins, frame["item"].explode().to_numpy().astype(np.int32))
    return different, frame["people"].to_numpy().astype(np.int64)


def _added_up(keys: NDArray[np.int64], counts: Counts) -> tuple[NDArray[np.int64], Counts]:
    """The distinct keys, rising, and what the counts of each add up to."""
    if not len(keys):
        return keys, counts
    order = np.argsort(keys)
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return keys[starts], np.add.reduceat(counts, starts)
