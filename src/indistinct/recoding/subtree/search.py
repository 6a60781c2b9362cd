"""Exhaustive, greedy and IAB search over generalized tables, on one state space and interface.

Source: Arca and Hewett (2021), sections 3.3 and 4.1. The objective is the number of distinct rows.
Generalizing never raises it, which is why IAB may stop early (their Algorithm 1): once a table
without violations is known, only tables with more rows can lead to a better one.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from indistinct.document import PlainData
from indistinct.errors import PolicyError, Problem, Unsatisfiable, did_you_mean
from indistinct.recoding.limits import Limits, Progress, silent
from indistinct.recoding.subtree.space import CutSpace, Reading, Space

MOST = 200_000
"""Whole-attribute tables after which a search stops where no limit is set."""

READ = 250_000_000
"""Combinations read, for all tables together, after which a search of subtrees stops by itself.

There are exponentially many such tables in the values, and each is counted anew.
"""

TABLE = 10_000
"""What a table takes to make beside its combinations, in combinations read."""

SHOWN = 2_000
"""Tables of a search tree that are written down."""

TieBreak = Literal["least_general", "paper"]


@dataclass
class Step(PlainData):
    """One table of the search tree: how it was reached, and what it comes to."""

    number: int
    state: Hashable = field(repr=False)
    parent: int | None
    generalized: str | None
    violations: int
    rows: int
    expanded: int | None = None
    """The place of this table among those expanded, from 1; None if it never was."""

    @property
    def satisfies(self) -> bool:
        """Whether no row violates a requirement."""
        return self.violations == 0


@dataclass(frozen=True)
class SearchResult(PlainData):
    """The table that was chosen, the search tree, and what the search took.

    ``generated`` counts the tables made (duplicates too), ``distinct`` the different ones, the
    source itself in neither; ``bound`` is an upper bound of the rows that any satisfying table has.
    """

    told_keys: ClassVar = "chosen=chosen.number generated distinct expanded tables=_shown"

    chosen: Step
    steps: tuple[Step, ...]
    generated: int
    distinct: int
    expanded: int
    bound: int
    seconds: float
    stopped_by: str | None = None

    @property
    def _shown(self) -> tuple[Step, ...]:
        return self.steps[:SHOWN]

    @property
    def optimal(self) -> bool:
        """Whether no reachable table keeps more rows, by proof."""
        return self.bound <= self.chosen.rows


def most_tables(space: Space) -> int:
    """Tables after which a search of a space stops where no limit is set."""
    if not isinstance(space, CutSpace):
        return MOST
    each = TABLE + space.data.table.combinations * (1 + len(space.promises))
    return max(READ // each, 1)


class _Search:
    """What the three searches share: making tables once, counting, limits."""

    def __init__(self, name: str, space: Space, limits: Limits, progress: Progress) -> None:
        self.name = name
        self.space = space
        self.limits = Limits(nodes=most_tables(space)) if limits == Limits() else limits
        self.by_itself = limits == Limits()
        self.progress = progress
        self.began = time.perf_counter()
        self.steps: list[Step] = []
        self.known: dict[Hashable, Step] = {}
        self.generated = 0
        self.expansions = 0
        self.stopped_by: str | None = None
        self.root = self._made(space.root, None, None)

    def _made(self, state: Hashable, parent: int | None, generalized: str | None) -> Step:
        reading: Reading = self.space.read(state)
        step = Step(len(self.steps), state, parent, generalized, reading.violations, reading.rows)
        self.steps.append(step)
        self.known[state] = step
        return step

    def expand(self, step: Step, *, all_shields: bool = False) -> Iterator[Step]:
        """The tables one step further that were not known before."""
        self.expansions += 1
        step.expanded = self.expansions
        for name, state in self.space.steps(step.state, all_shields=all_shields):
            self.generated += 1
            if state not in self.known:
                yield self._made(state, step.number, name)
        if self.limits.nodes:
            self.progress(min(len(self.steps) / self.limits.nodes, 1.0))

    def over(self) -> bool:
        """Whether a limit is reached."""
        if self.stopped_by is None:
            seconds, nodes = self.limits.seconds, self.limits.nodes
            if seconds is not None and time.perf_counter() - self.began > seconds:
                self.stopped_by = "time_limit"
            elif nodes is not None and len(self.steps) > nodes:
                self.stopped_by = "node_limit"
        return self.stopped_by is not None

    def result(self, chosen: Step | None, bound: int) -> SearchResult:
        """The result, or Unsatisfiable."""
        if chosen is None:
            raise Unsatisfiable(self._why())
        return SearchResult(
            chosen=chosen,
            steps=tuple(self.steps),
            generated=self.generated,
            distinct=len(self.steps) - 1,
            expanded=self.expansions,
            bound=bound,
            seconds=time.perf_counter() - self.began,
            stopped_by=self.stopped_by,
        )

    @property
    def _by_default(self) -> str:
        unset = self.stopped_by == "node_limit" and self.by_itself
        return f" ({self.limits.nodes} tables where no limit is set)" if unset else ""

    def _why(self) -> Problem:
        asked = "; ".join(str(promise) for promise in self.space.promises)
        closest = min(self.steps, key=lambda step: step.violations)
        found = (
            f"the search was stopped by {self.stopped_by}{self._by_default}, and none of the "
            f"{len(self.steps)} generalizations it evaluated satisfies"
            if self.stopped_by
            else "no generalization satisfies"
        )
        longer = f"a larger {self.stopped_by}, " if self.stopped_by else ""
        if self.stopped_by and isinstance(self.space, CutSpace):
            longer += 'scope = "domain", which has fewer tables, '
        if self.stopped_by and self.name != "iab":
            longer += 'algorithm = "iab", which goes down the quickest way in the end, '
        return Problem(
            "unsatisfiable",
            f"{found} the requirement ({asked}); the closest table has {closest.violations} "
            f"violating rows of {closest.rows}",
            remedy=f"what would help: {longer}a smaller k, a hierarchy with one root, or "
            'suppression (algorithm = "optimal" with objective = "rows" and a suppression_limit)',
        )


def iab(
    space: Space,
    *,
    tie_break: TieBreak = "least_general",
    limits: Limits | None = None,
    progress: Progress = silent,
) -> SearchResult:
    """Intelligent Anonymity Balance: the most rows among all reachable satisfying tables.

    Of the tables that still violate a requirement and have more rows than the best satisfying one,
    that with most rows, then fewest violations, then first made, is expanded, until none is left.

    A limit that is reached before any satisfying table is known ends with the quickest way down
    from the table with the fewest violations; ``bound`` then says what may be missed.

    Arguments:
        space: the tables that can be reached.
        tie_break: ``"paper"`` returns the first satisfying table with the most rows, as Algorithm 1
            does; ``"least_general"`` also expands tables with as many rows, and returns the one of
            least height, then least loss. Both have the same rows.
        limits: when to stop before the end.
        progress: is told the share of the tables that it may make.

    Raises:
        Unsatisfiable: no reachable table satisfies the requirements.
    """
    search = _Search("iab", space, limits or Limits(), progress)
    if search.root.satisfies:
        return search.result(search.root, search.root.rows)
    best: Step | None = None
    ties: list[Step] = []
    frontier: list[tuple[int, int, int]] = []

    def consider(step: Step) -> None:
        nonlocal best
        if not step.satisfies:
            heapq.heappush(frontier, (-step.rows, step.violations, step.number))
            return
        if best is None or step.rows > best.rows:
            best = step
            ties.clear()
        if step.rows == best.rows:
            ties.append(step)

    consider(search.root)
    while frontier and not search.over():
        rows = -frontier[0][0]
        if best is not None and (rows < best.rows or (rows == best.rows and tie_break == "paper")):
            break
        for child in search.expand(search.steps[heapq.heappop(frontier)[2]]):
            consider(child)
    if best is None and search.stopped_by and frontier:
        best = _dive(search, search.steps[min(frontier, key=lambda item: item[1:])[2]])
        ties = [best] if best is not None else []
    if tie_break == "least_general" and ties:
        best = min(
            ties, key=lambda step: (space.height(step.state), space.loss(step.state), step.number)
        )
    open_rows = -frontier[0][0] if frontier else 0
    bound = max(open_rows, best.rows if best else 0) if search.stopped_by else 0
    return search.result(best, bound or (best.rows if best else 0))


def _dive(search: _Search, step: Step) -> Step | None:
    """The first satisfying table on the way of fewest violations, then most rows."""
    while not step.satisfies:
        made = list(search.expand(step))
        known = (search.known[state] for _, state in search.space.steps(step.state))
        children = {child.number: child for child in (*made, *known)}.values()
        if not children:
            return None
        step = min(children, key=lambda child: (child.violations, -child.rows, child.number))
    return step


def exhaustive(
    space: Space,
    *,
    prune_satisfying: bool = False,
    limits: Limits | None = None,
    progress: Progress = silent,
) -> SearchResult:
    """Every reachable table, breadth first; the first with the most rows (Method 1).

    Arguments:
        space: the tables that can be reached.
        prune_satisfying: whether it does not go on from tables that satisfy the requirements:
            nothing above them has more rows.
        limits: when to stop before the end.
        progress: is told the share of the tables that it may make.

    Raises:
        Unsatisfiable: no reachable table satisfies the requirements.
    """
    search = _Search("exhaustive", space, limits or Limits(), progress)
    best: Step | None = search.root if search.root.satisfies else None
    queue = deque([search.root])
    while queue and not search.over():
        step = queue.popleft()
        if prune_satisfying and step.satisfies:
            continue
        for child in search.expand(step, all_shields=True):
            queue.append(child)
            if child.satisfies and (best is None or child.rows > best.rows):
                best = child
    open_rows = max((step.rows for step in queue), default=0)
    return search.result(best, max(open_rows, best.rows if best else 0))


def greedy(
    space: Space,
    *,
    limits: Limits | None = None,
    progress: Progress = silent,
) -> SearchResult:
    """The quickest way to no violations (Method 2).

    Expands the table with the fewest violating rows; stops at the first expansion that holds a
    table without any, and takes the one of these with the most rows.

    Arguments:
        space: the tables that can be reached.
        limits: when to stop before the end.
        progress: is told the share of the tables that it may make.

    Raises:
        Unsatisfiable: no reachable table satisfies the requirements.
    """
    search = _Search("greedy", space, limits or Limits(), progress)
    if search.root.satisfies:
        return search.result(search.root, search.root.rows)
    frontier = [(search.root.violations, 0)]
    while frontier and not search.over():
        step = search.steps[heapq.heappop(frontier)[1]]
        children = list(search.expand(step))
        done = [child for child in children if child.satisfies]
        if done:
            return search.result(max(done, key=lambda step: step.rows), search.root.rows)
        for child in children:
            heapq.heappush(frontier, (child.violations, child.number))
    return search.result(None, 0)


SEARCHES: dict[str, Callable[..., SearchResult]] = {
    "iab": iab,
    "exhaustive": exhaustive,
    "greedy": greedy,
}


def run(algorithm: str, space: Space, **settings: Any) -> SearchResult:
    """Search by one of the algorithms.

    Arguments:
        algorithm: ``iab``, ``exhaustive`` or ``greedy``.
        space: the tables that can be reached.
        settings: the other arguments of the search.

    Raises:
        PolicyError: it is another algorithm.
        Unsatisfiable: as the searches do.
    """
    if algorithm not in SEARCHES:
        known: Sequence[str] = list(SEARCHES)
        raise PolicyError(
            "unknown-algorithm", f"no search '{algorithm}': {did_you_mean(algorithm, known)}"
        )
    return SEARCHES[algorithm](space, **settings)
