"""k^m-anonymity: for any m items of a person, k people have them.

    M. Terrovitis, N. Mamoulis, P. Kalnis: "Privacy-preserving Anonymization of Set-valued Data".
    PVLDB 1(1), 2008.

Every value is published as itself or as a node above it, the same for everybody; some siblings may
stay while others become their parent, which then stands for these others ("sibling
generalization"). What is rare even so is left out, person by person: of a person's combinations of
up to m published items that fewer than k people have, so many items that none remains. People with
equal items are treated alike.

Local generalization (as in their "Local and global recoding methods for anonymizing set-valued
data", VLDB Journal 20, 2011, but set by set) leaves nothing out: an item that would have to be is
published as the node above it, for these people alone, up to the root.

What is lost is counted in bits (Gionis and Tassa 2009, non-uniform entropy): an occurrence of a
value that n of N occurrences are tells log2(N / n), and log2(N / n') where it is published as a
node with n' of them below. An item that is left out tells nothing. Sought is the plan that loses
least and leaves out no more than is allowed:

* few ways to choose a node for every value: all of them, cheapest first, until none can be better;
* many: the values are lifted whose lift costs least for every occurrence that had to be left out
  otherwise, each alone or with all below the node it is lifted to, until few enough have to be; or
  all stand at one depth. Of the best of these, the values below a node, or single ones, are moved
  where that loses less.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.document import many
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Label
from indistinct.kernels.grouping import LARGEST_KEY
from indistinct.kernels.items import combinations, published_sets, rare_within
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.frequencies import Cells
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.recoding.items.tree import tree_of
from indistinct.recoding.limits import Progress, silent
from indistinct.types import Array, Bools, Floats, Ints, Ints32, Plain

MOST_COMBINATIONS = 200_000_000
"""Combinations of one length that are counted at once, 16 bytes each."""

MOST_WAYS = 4096
"""Ways to choose a node for every value up to which all are looked at."""

MOST_TRIALS = 5_000_000
"""Entries that are counted again, over all values that are put back."""

EQUAL = 1e-6
"""Bits by which two plans may differ and lose the same."""

SMALLEST_PRICE = 0.01
"""Bits that a lift counts besides what it loses, where generalization is local."""

PATIENCE = 10
"""Rounds of lifts after which nothing better is expected, once few enough are left out."""


@dataclass(frozen=True, eq=False)
class ItemPlan:
    """What every item is published as: a node for each value, and entries that are left out.

    Arguments:
        attribute: the attribute whose values are the items.
        published: what each value is published as, unless it is too rare beside a person's others;
            None stands for a missing value, also as published.
        labels: the label of every node of the hierarchy, [N].
        node: the node that every entry of the people's sets is published as, -1 for one that is
            left out with its record, [entries].
        left: which entries are left out, or the root only because they are too rare, [entries].
        cut: the published labels, in the order of the hierarchy, each with the values behind it.
        k: people who have each combination.
        m: items in a combination.
        information: share of the bits that the items told and still tell, 0 to 1.
        exact: share of all items of all people that are published as they are.
        bound: the largest share of the bits that any plan could keep; this one's where it is
            known to be that.
        ncp: normalised certainty penalty, 0 to 1, mean over all items of all people; items that
            are left out count 1.
        rounds: how many plans were looked at.
        seconds: how long it took.
        local: whether some people's items are generalized further than those of others.
    """

    attribute: str
    published: Mapping[Label, Label]
    labels: tuple[Label, ...]
    node: Ints32
    left: Bools
    cut: Mapping[Label, Sequence[Label]]
    k: int
    m: int
    information: float
    exact: float
    bound: float
    ncp: float
    rounds: int
    seconds: float
    local: bool = False

    @property
    def entries(self) -> int:
        """Items of all people together, before."""
        return len(self.left)

    @property
    def left_out(self) -> int:
        """How many of them are left out."""
        return int(self.left.sum())

    def to_dict(self) -> Plain:
        """The plan as plain data: the values behind every published label, and what is lost."""
        return {
            "scope": "items",
            "attribute": self.attribute,
            "k": self.k,
            "m": self.m,
            **({"generalization": "local"} if self.local else {}),
            "cut": {label or "": list(values) for label, values in self.cut.items()},
            "information": self.information,
            "information_at_most": self.bound,
            "exact": self.exact,
            "ncp": self.ncp,
            "entries": self.entries,
            "left_out": self.left_out,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 6),
        }

    def __repr__(self) -> str:
        return (
            f"<ItemPlan: {self.attribute}, k={self.k}, m={self.m}, {len(self.cut)} labels, "
            f"{self.information:.1%} of the information kept>"
        )


def km_anonymous(
    sets: Cells,
    asked: KMAnonymity,
    *,
    suppress: float = 0.0,
    local: bool = False,
    progress: Progress = silent,
) -> ItemPlan:
    """What to publish of people's items so that no combination of up to m of them is rare.

    Nothing is drawn: equal sets give equal plans, in any order of people.

    Where records have items in several columns, or generalization is local, one that is left out
    becomes the root, which counts as an item that people have; else with its record it is gone.

    Arguments:
        sets: the items of every person, and their hierarchy; counts do not matter.
        asked: the promise.
        suppress: share of all items of all people that may be left out.
        local: publish an item that is too rare beside a person's others more generally for this
            person, rather than leave it out.
        progress: told the share of what had to be left out at first and has not to be any more.

    Raises:
        PolicyError: no hierarchy is known, or there are too many combinations of m items to be
            counted.
        HierarchyError: the hierarchy has no root, or lacks an item.
        Unsatisfiable: there are fewer than k people with items.
    """
    began = time.perf_counter()
    some = int(np.count_nonzero(sets.lengths))
    if 0 < some < asked.k:
        raise Unsatisfiable(
            "unsatisfiable",
            f"{asked.k} people are to have every item that is published, and {some} have any",
            attribute=asked.sensitive,
            remedy=f"choose k of at most {some}"
            if some > 1
            else "leave the items out: they are those of one person",
        )
    kind = _LocalSearch if local else _Search
    return kind(sets, asked, suppress).run(began, progress)


def published_items(plan: ItemPlan, name: str, entry: Ints) -> pl.Series:
    """A column of items as it is published.

    Arguments:
        plan: what each item is published as.
        name: the column.
        entry: the entry of the people's sets that each cell has, -1 for none.

    >>> plan = ItemPlan("ill", {"flu": "cold", "cough": "cold"}, ("*", "cold", "flu", "cough"),
    ...                 np.array([1, 0]), np.zeros(2, bool), {"cold": ["flu", "cough"]},
    ...                 2, 1, 0.5, 0.0, 0.5, 0.5, 1, 0.0)
    >>> published_items(plan, "ill", np.array([0, 1, -1])).to_list()
    ['cold', '*', None]
    """
    labels = pl.Series(name, [*plan.labels, None], dtype=pl.String)
    node = np.append(plan.node, -1)[entry]
    return labels.gather(np.where(node < 0, len(plan.labels), node))


def _within(amount: Array, first: Ints32, last: Ints32) -> Floats:
    """The sums of amounts of nodes, each from a first to a last one."""
    upto = np.append(0.0, np.cumsum(amount))
    return np.asarray(upto[last + 1] - upto[first])


@dataclass(frozen=True, eq=False)
class _State:
    """A plan: the node of every leaf, the node of every entry (-1: left out), and what it costs.

    Arguments:
        became: of every node of the tree what it is published as, [N].
        node: of every entry what it is published as, [entries].
        gone: entries that are left out.
        lost: bits that are lost.
        penalty: normalised certainty penalty of all entries, which decides between equals.
        settled: whether no rare combination is left.
    """

    became: Ints32
    node: Ints32
    gone: int
    lost: float
    penalty: float
    settled: bool

    def better(self, other: _State) -> bool:
        """Whether less is lost, or as much at a lower penalty."""
        if abs(self.lost - other.lost) > EQUAL:
            return self.lost < other.lost
        return self.penalty < other.penalty - EQUAL


class _Search:
    """Plans over the sets of people, and what they lose."""

    local: ClassVar[bool] = False

    def __init__(self, sets: Cells, asked: KMAnonymity, suppress: float) -> None:
        self._name = str(asked.sensitive)
        self._tree, self._sets = tree_of(self._name, sets), sets
        tree, as_root = self._tree, bool(asked.together) or self.local
        self._asked, self._k = asked, asked.k
        self._m = min(asked.m, int(sets.lengths.max(initial=1)))
        """Items that a combination has at most: no more than any person has."""
        self._leaf = tree.node_of[sets.value]
        self._entries = len(self._leaf)
        self._allowed = math.floor(suppress * self._entries + 1e-9)
        self._as_root = as_root
        self._ones = np.ones(len(sets), np.int64)
        self._occurs = np.bincount(self._leaf, minlength=len(tree))
        upto = np.append(0, np.cumsum(self._occurs))
        below = np.maximum(upto[tree.last + 1] - upto[:-1], 1)
        self._told = np.log2(max(self._entries, 1) / below)
        """Bits that an occurrence tells where it is published as each node, [N]."""
        self._total = float(self._told[self._leaf].sum())
        self._price = 1.0 + self._told
        self._instead = np.full(len(tree), 0 if as_root else -1, np.int32)
        """What an entry of each node becomes where it is too rare beside others, [N]."""
        if as_root:
            self._price[0] = np.inf
        self._used = np.flatnonzero(self._occurs).astype(np.int32)
        self._rounds = 0

    def run(self, began: float, progress: Progress) -> ItemPlan:
        """The best plan that is found."""
        best = self.best(progress)
        whole = bool((best.node == self._leaf).all())
        return self._plan(best, 0.0 if whole else self._least_lost(), began)

    def best(self, progress: Progress) -> _State:
        """The plan that loses least of those looked at."""
        own = self._settled(np.arange(len(self._tree), dtype=np.int32))
        if own.settled and not own.gone and not own.lost:
            return own
        best = self._start(own, progress)
        ways = math.prod((self._tree.depth[self._used].astype(object) + 1).tolist())
        return self._best_of_all(best) if ways <= MOST_WAYS else self._put_back(best)

    def _start(self, own: _State, progress: Progress) -> _State:
        """The best with all values at one depth, and after lifts of values alone or of branches."""
        best = self._lifted(own, progress)
        found = [self._lifted(own, progress, together=True), *map(self._settled, self._layers())]
        for state in found:
            if self._fits(state) and state.better(best):
                best = state
        return best

    def _layers(self) -> Iterator[Ints32]:
        """The nodes of values that all stand at one depth, or above; the lowest depth last."""
        tree = self._tree
        for depth, above in enumerate(tree.from_top[1:-1], 1):
            yield np.where(tree.depth > depth, above, np.arange(len(tree), dtype=np.int32))

    def _fits(self, state: _State) -> bool:
        return state.settled and state.gone <= self._allowed

    def _lifted(self, state: _State, progress: Progress, *, together: bool = False) -> _State:
        """Lift what costs least for every occurrence that is left out, round by round.

        Arguments:
            state: where to begin.
            progress: told how much has not to be left out any more.
            together: whether all values below a node become it, if one does.
        """
        best, since, first = None, 0, max(state.gone - self._allowed, 1)
        while since < PATIENCE:
            if self._fits(state) and (best is None or state.better(best)):
                best, since = state, 0
            elif best is not None:
                since += 1
            progress(min(max(1 - (state.gone - self._allowed) / first, 0.0), 1.0))
            became = self._after_lifts(state, together)
            if became is None:
                break
            state = self._settled(became)
        assert best is not None
        return best

    def _after_lifts(self, state: _State, together: bool) -> Ints32 | None:
        """The nodes after a round of lifts; None where everything is the root."""
        tree, labels = self._tree, state.became[self._leaf]
        gone = self._is_gone(state.became, state.node)
        held = np.bincount(labels, minlength=len(tree))
        dropped = np.bincount(labels[gone], minlength=len(tree))
        first: Ints32 = np.flatnonzero(held).astype(np.int32)
        first = first[first > 0]
        if not len(first):
            return None
        last, to = first, tree.parent[first]
        if together:
            first = to = np.unique(to)
            last = tree.last[to]
        cost = _within(held * self._told, first, last) - _within(held, first, last) * self._told[to]
        relieved = _within(dropped, first, last)
        wanted = np.flatnonzero(relieved)
        if len(wanted):
            order = wanted[np.argsort(cost[wanted] / relieved[wanted], kind="stable")]
            most = max((state.gone - self._allowed) * 0.2, 0.1 * state.gone)
            reached = np.cumsum(relieved[order])
            chosen = order[: int(np.searchsorted(reached, most)) + 1]
        else:
            chosen = np.array([np.argmin(cost)])
        lifted = np.arange(len(tree), dtype=np.int32)
        for at in np.sort(chosen)[::-1].tolist():
            lifted[first[at] : last[at] + 1] = to[at]
        return lifted[state.became]

    def _best_of_all(self, best: _State) -> _State:
        """The best of all ways to choose a node for every value, and of the plan given."""
        tree = self._tree
        chains = [list(self._chain(int(leaf))) for leaf in self._used]
        ways = np.array(list(product(*chains)), dtype=np.int32)
        lost = (self._occurs[self._used] * (self._told[self._used] - self._told[ways])).sum(axis=1)
        for at in np.argsort(lost, kind="stable").tolist():
            if lost[at] > best.lost + EQUAL:
                break
            became = np.arange(len(tree), dtype=np.int32)
            became[self._used] = ways[at]
            state = self._settled(became, best.lost)
            if self._fits(state) and state.better(best):
                best = state
        return best

    def _put_back(self, best: _State) -> _State:
        """Move all values below a node to it, or a single one, as long as that fits and loses less.

        The move that would save most is tried first; after one that is better, all are looked at
        anew.
        """
        trials, found = MOST_TRIALS // max(self._entries, 1), True
        while found:
            found = False
            for became in self._moves(best.became):
                if trials <= 0:
                    return best
                trials -= 1
                state = self._settled(became, best.lost)
                if self._fits(state) and state.better(best):
                    best, found = state, True
                    break
        return best

    def _moves(self, became: Ints32) -> Iterator[Ints32]:
        """The nodes after each move that loses less by itself, the one that saves most first."""
        tree, used = self._tree, self._used
        pairs: list[tuple[int, Ints32]] = [
            (node, used[(used >= node) & (used <= tree.last[node])]) for node in range(1, len(tree))
        ]
        pairs += [
            (node, used[[at]])
            for at, leaf in enumerate(used.tolist())
            for node in self._chain(leaf)
        ]

        def saved(price: Floats) -> Floats:
            each = self._occurs * price[became]
            return np.array(
                [each[own].sum() - self._occurs[own].sum() * price[node] for node, own in pairs]
            )

        bits, penalty = saved(-self._told), saved(tree.cost)
        bits[np.abs(bits) <= EQUAL] = 0.0
        for at in np.lexsort((-penalty, -bits)).tolist():
            if bits[at] < 0 or (not bits[at] and penalty[at] <= EQUAL):
                break
            moved = became.copy()
            moved[pairs[at][1]] = pairs[at][0]
            yield moved

    def _chain(self, leaf: int) -> Iterator[int]:
        """A leaf and the nodes above it, the root last."""
        while leaf >= 0:
            yield leaf
            leaf = int(self._tree.parent[leaf])

    def _is_gone(self, became: Ints32, node: Ints32) -> Bools:
        if not self._as_root:
            return node < 0
        return np.asarray((node == 0) & (became[self._leaf] != 0))

    def _settled(self, became: Ints32, worth: float = math.inf) -> _State:
        """The plan with these nodes: what has to be left out, until no combination is rare.

        Given up, and not settled, where more is left out than is allowed, or more is lost than
        would be ``worth`` it: at once where a worth is given, for such a plan is of no use; else
        once combinations of every length were looked at.
        """
        self._rounds += 1
        node, size, clean = became[self._leaf], 1, 0
        owner = self._sets.row_of.astype(np.int64) * len(self._tree)
        indptr, item = published_sets(self._sets.indptr, node)
        while clean < self._m:
            rare, number, base = self._rare(indptr, item, size)
            clean = 0 if len(rare) else clean + 1
            if not len(rare):
                size = size % self._m + 1
                continue
            nothing = np.zeros(0)
            gone = rare_within(indptr, item, size, number, base, rare, self._price, nothing)
            if not gone.any():
                break
            keys = Ragged(indptr, item).row_of[gone].astype(np.int64) * len(self._tree) + item[gone]
            out = np.isin(owner + node, keys) & (node >= 0)
            node = np.where(out, self._instead[node], node).astype(np.int32)
            indptr, item = published_sets(self._sets.indptr, node)
            if size == self._m or worth < math.inf:
                state = self._state(became, node, False)
                if state.gone > self._allowed or state.lost > worth + EQUAL:
                    return state
        return self._state(became, node, clean == self._m)

    def _state(self, became: Ints32, node: Ints32, settled: bool) -> _State:
        lost = self._total - float(np.where(node < 0, 0.0, self._told[node]).sum())
        penalty = float(np.where(node <= 0, 1.0, self._tree.cost[node]).sum())
        gone = int(self._is_gone(became, node).sum())
        return _State(became, node, gone, lost, penalty, settled)

    def _rare(self, indptr: Ints, item: Ints32, size: int) -> tuple[Ints, Ints, int]:
        """The keys of combinations of so many items that fewer than k people have, rising.

        Beside them the digit of every node, and the base of the keys.
        """
        used = np.flatnonzero(np.bincount(item, minlength=len(self._tree)))
        digits = np.zeros(len(self._tree), dtype=np.int64)
        digits[used] = np.arange(len(used))
        base = max(len(used), 1)
        total = sum(
            int(number) * math.comb(held, size)
            for held, number in enumerate(np.bincount(np.diff(indptr)).tolist())
        )
        if total > MOST_COMBINATIONS or base**size > LARGEST_KEY:
            raise PolicyError(
                "too-many-combinations",
                f"people have {many(total, 'combination')} of {size} out of "
                f"{many(base, 'item')}, too many to "
                "count",
                attribute=self._name,
                remedy="choose a smaller m, or a hierarchy that starts with coarser items",
            )
        keys, _ = combinations(indptr, item, size, digits, base, self._ones, total)
        keys.sort()
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if total else keys
        held = np.diff(np.append(starts, total))
        return keys[starts[held < self._k]], digits, base

    def _least_lost(self) -> float:
        """Bits that every plan loses.

        Where all items of a rare combination of values were published as they are, it would be as
        rare as before. So every person who has one loses, of one of its items, at least what its
        parent tells less.
        """
        tree = self._tree
        parent = np.maximum(tree.parent, 0)
        order = np.lexsort((self._leaf, self._sets.row_of))
        item = self._leaf[order]
        left = self._told[item] - self._told[parent[item]]
        least = 0.0
        for size in range(1, self._m + 1):
            before = float(left.sum())
            rare, number, base = self._rare(self._sets.indptr, item, size)
            rare_within(self._sets.indptr, item, size, number, base, rare, self._price, left)
            least += (before - float(left.sum())) / size
        return least

    def _plan(self, state: _State, least: float, began: float) -> ItemPlan:
        """What was found."""
        tree, total = self._tree, max(self._total, 1e-300)
        gone = self._is_gone(state.became, state.node)
        kept = 1.0 - state.lost / total if self._total else 1.0
        cut = self._cut(state, gone)
        alone = {values[0] for label, values in cut.items() if list(values) == [label]}
        domain = np.array(self._sets.domain, dtype=object)
        same = np.array(tree.labels, dtype=object)[state.node] == domain[self._sets.value]
        own = np.array([value in alone for value in domain], np.bool_)[self._sets.value]
        return ItemPlan(
            attribute=self._name,
            published={
                value: tree.labels[state.became[leaf]]
                for value, leaf in zip(self._sets.domain, tree.node_of.tolist(), strict=True)
            },
            labels=tree.labels,
            node=state.node,
            left=gone,
            cut=cut,
            k=self._k,
            m=self._asked.m,
            information=kept,
            exact=float((own & same & ~gone).mean()) if self._entries else 1.0,
            bound=max(kept, 1.0 - least / total),
            ncp=state.penalty / max(self._entries, 1),
            rounds=self._rounds,
            seconds=time.perf_counter() - began,
            local=self.local,
        )

    def _cut(self, state: _State, gone: Bools) -> dict[Label, list[Label]]:
        """The values behind every published label, in the order of the hierarchy."""
        tree, values = self._tree, self._sets.value
        shown = np.unique(state.node[~gone])
        pairs = np.stack([state.became[tree.node_of], np.arange(len(tree.node_of))])
        if self.local:
            pairs = np.stack([state.node, values])[:, ~gone]
        found: dict[Label, list[Label]] = {}
        for node, value in np.unique(pairs[:, np.isin(pairs[0], shown)], axis=1).T.tolist():
            behind = found.setdefault(tree.labels[node], [])
            if self._sets.domain[value] not in behind:
                behind.append(self._sets.domain[value])
        return found


class _LocalSearch(_Search):
    """Plans in which an item that is too rare beside others is generalized for some people only."""

    local = True

    def __init__(self, sets: Cells, asked: KMAnonymity, suppress: float) -> None:
        super().__init__(sets, asked, suppress)
        self._suppress = suppress
        self._instead = np.maximum(self._tree.parent, 0).astype(np.int32)
        self._price = SMALLEST_PRICE + self._told - self._told[self._instead]
        self._price[0] = np.inf

    def _start(self, own: _State, progress: Progress) -> _State:
        """The best after lifts, or with the cut that is best for everybody alike."""
        alike = _Search(self._sets, self._asked, self._suppress).best(progress)
        state = self._settled(alike.became)
        lifted = self._lifted(own, progress)
        return state if self._fits(state) and state.better(lifted) else lifted
