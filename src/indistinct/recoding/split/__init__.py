"""Split by sensitivity: the records of every rank generalized by themselves, with their own k.

    N. Victor, D. Lopez: "Privacy Preserving Sensitive Data Publishing Using (k,n,m) Anonymity
    Approach". Journal of Communications Software and Systems 16(1), 2020, sections IV.D and V.

The table is split by the rank of the sensitive value, every split becomes the best full-domain
release with the k of its rank, and the splits are put together. k holds afterwards, since classes
only grow where two splits publish equal cells. What the paper does not say: a class of one split
has one rank, and one value where the split has one; and splits generalized to different levels
tell which of them a record comes from. The tests show how much is learnt from that; what makes a
release of it has to look first.

The paper is silent about splits with fewer records than their k. Here they are pooled with the
next more sensitive rank (the most sensitive one with the next less sensitive), under the larger k:
no record is dropped for being rare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from indistinct.document import PlainData, many
from indistinct.errors import Problem, Unsatisfiable, refuse
from indistinct.frozen import dataclass
from indistinct.measures import Objective
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.distinct_l_diversity import DistinctLDiversity
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain import Settings, allowed_units, full_domain
from indistinct.recoding.full_domain.local import settle_whole
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.plan import LevelPlan, SearchReport
from indistinct.recoding.recoded import score
from indistinct.types import Codes, Plain

__all__ = ["Split", "SplitPlan", "pooled", "split_by_rank"]


@dataclass(frozen=True)
class Split(PlainData):
    """The records of one rank, or of several that were pooled, and how they are generalized.

    Arguments:
        ranks: the ranks, the most sensitive first.
        k: the largest k of these.
        records: how many records they have.
        levels: the level of every attribute.
        search: how that was found.
    """

    told_keys: ClassVar = "ranks k records levels *search"

    ranks: tuple[int, ...]
    k: int
    records: int
    levels: Mapping[str, int]
    search: SearchReport


@dataclass(frozen=True)
class SplitPlan(LevelPlan):
    """A node of the lattice for every split; ``nodes[i]`` is that of ``splits[i]``."""

    scope: str = "split"
    splits: tuple[Split, ...] = ()

    @property
    def levels(self) -> dict[str, int]:
        """The highest level of each attribute in any split."""
        return {
            name: max((node[j] for node in self.nodes), default=0)
            for j, name in enumerate(self.attributes)
        }

    def to_dict(self) -> Plain:
        """The plan without its combinations: highest levels, and every split."""
        return {**super().to_dict(), "splits": [part.to_dict() for part in self.splits]}


def pooled(records: Mapping[int, int], ks: Mapping[int, int]) -> list[tuple[tuple[int, ...], int]]:
    """Which ranks are generalized together, the most sensitive first, and with what k.

    A rank of fewer records than its k is pooled with the next more sensitive one, the most
    sensitive with the next less sensitive; the larger k holds. From the least sensitive on, until
    every pool has enough records, or all are one.

    Arguments:
        records: records of every rank; ranks without any are left out.
        ks: the k of every rank.

    >>> pooled({1: 3, 2: 40, 4: 2}, {1: 10, 2: 5, 3: 4, 4: 3})
    [((1, 2, 4), 10)]
    >>> pooled({1: 30, 2: 40, 4: 2}, {1: 10, 2: 5, 3: 4, 4: 3})
    [((1,), 10), ((2, 4), 5)]
    """
    pools: list[tuple[int, ...]] = [(rank,) for rank in sorted(records) if records[rank]]

    def short(pool: tuple[int, ...]) -> bool:
        return sum(records[rank] for rank in pool) < max(ks[rank] for rank in pool)

    while len(pools) > 1:
        small = [at for at, pool in enumerate(pools) if short(pool)]
        if not small:
            break
        at = max(small[-1] - 1, 0)
        pools[at : at + 2] = [pools[at] + pools[at + 1]]
    return [(pool, max(ks[rank] for rank in pool)) for pool in pools]


def split_by_rank(
    data: LeveledTable,
    rank_of: Codes,
    promises: Sequence[Promise],
    objective: Objective,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> SplitPlan:
    """The release of every rank by itself, put together.

    Within a split all promises are kept as well; those that compare with a distribution compare
    with that of the whole table. What breaks a promise when the splits stand together is
    suppressed, within the limit. (A class of one rank is seldom close to the whole table: expect
    t-closeness to be out of reach, and take that for an answer.)

    Arguments:
        data: the table; a combination has records of one rank only.
        rank_of: the rank of every combination, [C].
        promises: one of them is (k,n,m)-anonymity.
        objective: what the search of every split minimises.
        settings: how it searches, and what share of its records it may suppress.
        progress: is told the share of the work that is done.

    Raises:
        Unsatisfiable: a split cannot keep the promises, or all together do not, within the limit.
    """
    settings = settings or Settings()
    knm = next(part for part in promises if isinstance(part, KNMAnonymity))
    ks = knm.chosen
    counted = np.bincount(rank_of, weights=data.weight, minlength=5)
    records = {rank: round(counted[rank]) for rank in ks}
    pools = pooled(records, ks)
    node_of = np.full(data.table.combinations, -1, dtype=np.int32)
    splits: list[Split] = []
    nodes: list[tuple[int, ...]] = []
    problems: list[Problem] = []
    for at, (ranks, k) in enumerate(pools):
        rows = np.flatnonzero(np.isin(rank_of, ranks)).astype(np.int32)
        part = data.restricted(rows)
        # Every split has its share of the progress.
        tell = _share_of(progress, at, len(pools))
        try:
            plan = full_domain(
                part,
                _within(promises, knm, ranks, k, data),
                objective,
                settings,
                tell,
                original=data,
            )
        except Unsatisfiable as error:
            named = f"rank {' and '.join(map(str, ranks))} (k = {k}, {part.table.records} records)"
            problems += [_of_split(problem, named, promises) for problem in error.problems]
            continue
        node_of[rows] = np.where(plan.node_of < 0, -1, len(nodes))
        nodes.append(plan.nodes[0])
        splits.append(Split(ranks, k, part.table.records, plan.levels, plan.search))
    refuse(Unsatisfiable, problems)
    settle_whole(data, promises, nodes, node_of)
    lost = int(data.weight[node_of < 0].sum())
    allowed = allowed_units(settings.suppression_limit, data.table.records)
    if lost > allowed:
        raise Unsatisfiable(_together(promises, lost, allowed, data))
    nothing = SearchReport("split", objective.measure, objective.aggregated_by)
    plan = SplitPlan(data.attributes, tuple(nodes), node_of, nothing, splits=tuple(splits))
    return replace(plan, search=_report(data, plan, objective, settings))


def _within(
    promises: Sequence[Promise],
    knm: KNMAnonymity,
    ranks: tuple[int, ...],
    k: int,
    whole: LeveledTable,
) -> list[Promise]:
    """What the classes of a split have to keep, compared with the whole table."""
    found: list[Promise] = []
    for part in promises:
        if part is not knm:
            compared = part.compares and part.reference == "published"
            found.append(replace(part, reference="original") if compared else part)
            continue
        found.append(KAnonymity(k=k, on=knm.on))
        if knm.diversity is not False:
            values = np.count_nonzero(whole.table.sensitive[str(knm.sensitive)].totals)
            wanted = knm.labels_wanted(int(values))
            found.append(DistinctLDiversity(l=wanted, on=knm.on, sensitive=knm.sensitive))
        if knm.count == "rank" and len(ranks) > 1:
            found.append(replace(knm, diversity=False))
    return found


def _share_of(progress: Progress, at: int, of: int) -> Progress:
    return lambda share: progress((at + share) / of)


def _of_split(problem: Problem, named: str, promises: Sequence[Promise]) -> Problem:
    """A problem of a split: if it has too few values, the whole table may have more."""
    helps = problem.remedy
    if problem.code == "too-few-values":
        own = any(problem.message.startswith(str(part)) for part in promises)
        helps = None if own else "diversity = false in the promise 'knm-anonymity'"
    return replace(
        problem,
        message=f"the split of {named}: {problem.message}",
        remedy=f'{helps}, or mode = "joint"' if helps else 'mode = "joint"',
    )


def _together(promises: Sequence[Promise], lost: int, allowed: int, data: LeveledTable) -> Problem:
    asked = "; ".join(map(str, promises))
    return Problem(
        "unsatisfiable",
        f"put together, the splits keep the promises ({asked}) only if {lost} of "
        f"{many(data.table.records, 'record is')} suppressed, and {allowed} may be",
        remedy='what would help: mode = "joint", a larger suppression_limit, weaker parameters',
    )


def _report(
    data: LeveledTable, plan: SplitPlan, objective: Objective, settings: Settings
) -> SearchReport:
    """The searches of all splits as one; the bound is that of releases of any kind."""
    bound = objective.bind(data)
    lattice = Lattice.of(data, settings.min_level, settings.max_level)
    floor = bound.unsuppressed(lattice.first[None, :])[0]
    stopped = [part.search.stopped_by for part in plan.splits if part.search.stopped_by]
    return SearchReport(
        algorithm="split",
        measure=objective.measure,
        aggregate=objective.aggregated_by,
        value=bound.value(score(data, plan, bound)),
        optimal=False,
        bound=bound.value(floor),
        nodes=sum(part.search.nodes for part in plan.splits),
        checked=sum(part.search.checked for part in plan.splits),
        seconds=sum(part.search.seconds for part in plan.splits),
        stopped_by=stopped[0] if stopped else None,
        counters={"splits": len(plan.splits)},
    )
