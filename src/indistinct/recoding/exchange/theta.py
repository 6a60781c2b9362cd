"""theta-sensitive k-anonymity by exchange: from a table and promises to a plan.

Classes come from a partitioning; records are exchanged until the rank variance of every class
suffices, noise is added where exchange cannot help, and what is published fits the classes in the
end. :mod:`indistinct.recoding.exchange.procedure` says what is done in detail.

Two variants. ``paper`` is Algorithm 1 as it stands: a donor may be left short of variance, and no
other promise is looked at on the way. ``safe`` makes a move only if it breaks nothing: donors keep
their variance, the bound on the largest posterior holds beside it, and so do all further promises;
and earlier classes are asked where no later one helps, which saves most of the noise. Classes that
cannot be repaired are merged with a neighbour, and the exchange begins again. In both variants
classes whose cells are equal in the end are one class to a reader; where they break a promise as
one, they are made one, and the exchange begins again.

What theta-sensitivity does not give, with or without the repairs:

* Rank variance is no measure of diversity (:mod:`indistinct.privacy.rank_variance`), and noise
  counts towards it. Promise ``max-posterior`` beside it, which records keep without the noise.
* Noise can be stripped. Where classes have k records as a rule, a class of k + j tells that j of
  them are made up, and that each of those has a value that occurs once there. Taking them away
  returns a class whose variance does not suffice. The attacker ``noise-stripping`` measures what
  that is worth; larger k, and classes of many different sizes, work against it.
* Exchanged records widen the cells of both classes, and nothing says how much.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal, cast, get_args

import numpy as np

from indistinct.document import many, some_of
from indistinct.errors import PolicyError, Problem, Problems, Unsatisfiable, refuse
from indistinct.frozen import dataclass
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.frequencies import Cells, ClassTable, FrequencyTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy import rank_variance as ranks
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.max_posterior import MaxPosterior
from indistinct.privacy.promise import Promise
from indistinct.privacy.theta_sensitive import ThetaSensitive
from indistinct.recoding.cells import cells_of, classes_as_published, styles_of
from indistinct.recoding.exchange.moves import FAILED, Proposal, Rules, ThetaInfeasible
from indistinct.recoding.exchange.procedure import Moves, exchange_classes
from indistinct.recoding.exchange.target import By, Target
from indistinct.recoding.exchange.widths import Widths
from indistinct.recoding.judge import Judge
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition import partition
from indistinct.recoding.partition.publishing import (
    broken_as_published,
    broken_classes,
    broken_either_way,
    check_suppressed,
)
from indistinct.recoding.partition.settings import ExchangeSettings, Variant
from indistinct.recoding.plan import CellPlan, Noise, SearchReport
from indistinct.recoding.refusals import (
    bad_choices,
    not_quasi,
    unknown_sensitive,
    without_hierarchy,
)
from indistinct.types import Bools, Ints, Ints32, Plain, PlainMapping

Partitioning = Literal["mondrian", "k-member", "mdav", "chunks"]

THETA, POSTERIOR = "theta-sensitive", "max-posterior"

PATIENCE = 6
"""Rounds of merging with one neighbour each, before more are merged at once."""


@dataclass(frozen=True)
class ThetaSettings(ExchangeSettings):
    """How theta-sensitivity is reached.

    The variants are those that the module tells of; earlier classes are always left with variance
    enough, with any classes for an exchange.

    Arguments:
        partition: how the first classes are made: ``mondrian``, ``k-member``, ``mdav``, or
            ``chunks`` of k records in the order of the quasi-identifiers (what is left over joins
            the last).
    """

    partition: Partitioning = "mondrian"

    made: ClassVar[str] = "theta"
    units: ClassVar[str] = "records"

    def problems(self) -> Problems:
        """What is wrong with them."""
        own = [("partition", self.partition, get_args(Partitioning))]
        return Problems([*super().problems(), *bad_choices(self.made, own)])


def theta_sensitive(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: ThetaSettings | None = None,
    progress: Progress = silent,
) -> CellPlan:
    """Classes in which the sensitive values' rank variance suffices, and what is published of them.

    Arguments:
        data: the table, one combination per record (``Microdata.encode(..., by_record=True)``).
        promises: what is promised; at least one is theta-sensitivity.
        settings: how it is done.
        progress: told the share of classes that are done.

    Raises:
        ThetaInfeasible: if theta cannot be reached: with the values there are, with classes as
            large as they are, or with the noise that is allowed.
        Unsatisfiable: if another promise cannot be kept beside it.
        PolicyError: for settings or promises that do not fit the table.
    """
    return _Making(data, promises, settings or ThetaSettings(), progress).plan()


def targets_of(
    data: LeveledTable, promises: Sequence[Promise], variant: Variant = "safe"
) -> dict[str, Target]:
    """What every class has to keep of each sensitive attribute, by its name.

    Of several thresholds for one attribute the highest counts; one by size outdoes one by k.

    Arguments:
        data: the table.
        promises: what is promised.
        variant: that of the paper knows no bound on the posterior.
    """
    found = {}
    for name, cells in data.table.sensitive.items():
        categories = cells.about.category_of.tolist() if cells.known.categories else ()
        target = Target(len(cells.domain), categories=tuple(categories))
        for promise in promises:
            if promise.sensitive != name:
                continue
            if isinstance(promise, ThetaSensitive):
                by = cast("By", promise.theta)
                higher = ranks.theta(promise.k, promise.mu) > ranks.theta(target.k, target.mu)
                if (by, higher) == ("size", True) or (by == target.by and higher):
                    target = replace(target, k=promise.k, mu=promise.mu, by=by)
            elif isinstance(promise, MaxPosterior) and variant == "safe":
                bound = promise.bound
                least = bound if target.posterior is None else min(bound, target.posterior)
                target = replace(target, posterior=least)
        found[name] = target
    return found


def chunks(data: LeveledTable, k: int) -> Ints32:
    """Chunks of k records in the order of the quasi-identifiers; the rest joins the last chunk."""
    keys = Widths.of(data).key
    there = np.flatnonzero(data.weight > 0)
    order = there[np.lexsort(keys[::-1, there])] if len(keys) else there
    groups = max(1, len(order) // k)
    class_of = np.full(data.table.combinations, -1, dtype=np.int32)
    class_of[order] = np.minimum(np.arange(len(order)) // k, groups - 1)
    return class_of


def check_feasible(
    table: FrequencyTable,
    thetas: Sequence[ThetaSensitive],
    promises: Sequence[Promise],
    suppression_limit: float = 0.0,
) -> None:
    """See before any work whether there are records and values enough.

    Arguments:
        table: the records.
        thetas: promises of theta-sensitivity.
        promises: all promises. Those that have to hold without made-up records are out of reach
            where the table breaks them, even with less left out.
        suppression_limit: the share of it that may be.

    Raises:
        ThetaInfeasible: if theta is out of reach with the values there are.
        Unsatisfiable: if another promise is out of reach.
    """
    problems = Problems()
    for part in thetas:
        values = int(np.count_nonzero(table.sensitive[str(part.sensitive)].totals))
        k, mu, by_size = part.k, part.mu, part.theta == "size"
        most = ranks.largest_size(values, mu) if by_size else ranks.largest_k(values, mu)
        if most >= k:
            continue
        needs = ranks.least_values(k, mu)
        problems.add(
            "theta-too-few-values",
            f"theta({k}) = {ranks.theta(k, mu):.4g} (mu = {mu:g}) cannot be reached: every "
            f"class would need {needs} different values, but the table has {values}"
            if needs > values
            else f"no class of {k} records or more reaches theta of its own size with the "
            f"{values} different values in the table (mu = {mu:g})",
            attribute=part.sensitive,
            remedy=ranks.within_reach(values, k, mu, by_size=by_size),
        )
    if problems:
        raise ThetaInfeasible(problems)
    allowed = math.floor(suppression_limit * table.records + 1e-9)
    further = [
        found
        for part in promises
        if (found := part.infeasible(table, None if part.counts_made_up else allowed))
    ]
    refuse(Unsatisfiable, further)


class _Making:
    """One run: the partition, the exchange, and what is done with classes it cannot repair."""

    def __init__(
        self,
        data: LeveledTable,
        promises: Sequence[Promise],
        settings: ThetaSettings,
        progress: Progress,
    ) -> None:
        self.began = time.perf_counter()
        self.data = data
        self.promises = tuple(promises)
        self.settings = settings
        self.progress = progress
        self.safe = settings.variant == "safe"
        self._check()
        self.thetas = [part for part in promises if isinstance(part, ThetaSensitive)]
        self.k = max(part.k for part in promises if isinstance(part, ThetaSensitive | KAnonymity))
        self.others = [
            part for part in promises if part.model not in (THETA, POSTERIOR, "k-anonymity")
        ]
        self.targets = targets_of(data, promises, settings.variant)
        self.values = {
            name: _codes(cells, data.weight) for name, cells in data.table.sensitive.items()
        }
        self.widths = Widths.of(data, settings.weights)
        self.by_size = any(target.by == "size" for target in self.targets.values())
        self.merged = 0
        self.rounds = 0

    def plan(self) -> CellPlan:
        """Exchange, and merge and exchange again, until the plan keeps its promises."""
        settings = self.settings
        limit = settings.suppression_limit
        check_feasible(self.data.table, self.thetas, self.promises, limit)
        class_of = self._first_classes()
        self._check_sizes(class_of)
        while True:
            classes = _members(class_of)
            moves = exchange_classes(
                classes,
                self.values,
                self.targets,
                self.widths,
                Rules(
                    donor_guard=self.safe,
                    look_back=settings.all_donors,
                    allowed=self._allowed if self.safe and self.others else None,
                ),
                progress=silent if self.merged else self.progress,
            )
            if moves.failed:
                class_of = self._merge(class_of, classes, set(moves.failed), moves)
                continue
            plan = self._cells(class_of, moves)
            broken, alike = self._broken(plan, moves)
            if not broken.any():
                self._check_noise(moves)
                check_suppressed(self.data, self.promises, plan.class_of, self.settings)
                return self._finished(plan, class_of, moves)
            class_of = self._merge_broken(class_of, classes, broken, alike, moves)

    def _check(self) -> None:
        problems = Problems()
        if not any(part.model == THETA for part in self.promises):
            problems.add(
                "no-theta",
                "algorithm 'theta' makes theta-sensitive releases, but no promise requires it",
                remedy='add [[promises]] with model = "theta-sensitive"',
            )
        there = self.data.table.sensitive
        problems += unknown_sensitive(self.promises, there, "whose values are not counted")
        problems += without_hierarchy(self.data, "theta")
        problems += not_quasi(self.data, [("a weight is set for", self.settings.weights)])
        if self.data.weight.max(initial=0) > 1:
            problems.add(
                "not-by-record",
                "theta exchanges single records, and some combinations stand for several",
                remedy="encode the table by record",
            )
        refuse(PolicyError, problems)
        styles_of(self.data, self.settings.cells)

    def _first_classes(self) -> Ints32:
        own = self.settings
        if own.partition == "chunks":
            return chunks(self.data, self.k)
        asked: list[Promise] = [KAnonymity(k=self.k)]
        if self.safe:
            asked += self.others
        return partition(self.data, asked, own.partition, own).class_of

    def _check_sizes(self, class_of: Ints32) -> None:
        """Whether classes can keep theta of their own size: neither move nor noise shrinks them."""
        size = np.bincount(class_of[class_of >= 0])
        for name, target in self.targets.items():
            if target.by != "size":
                continue
            values = int(np.count_nonzero(self.data.table.sensitive[name].totals))
            most = ranks.largest_size(values, target.mu)
            large = int((size > most).sum())
            if large:
                raise ThetaInfeasible(
                    "theta-classes-too-large",
                    f"{large} of {len(size)} classes have more than {most} records, and with "
                    f"{values} different values no larger class reaches theta of its own size "
                    f"(mu = {target.mu:g})",
                    attribute=name,
                    remedy='make classes of equal size with partition = "chunks" or '
                    '"k-member", choose theta = "k" with a bound on the posterior, or a '
                    "smaller mu",
                )

    def _allowed(self, proposal: Proposal) -> bool:
        """Whether a move breaks none of the further promises."""
        for promise in self.others:
            name = promise.sensitive
            if name is None:
                continue  # promises about sizes alone: no move makes a class smaller
            broke = promise.breaks(self._seen(promise, name, proposal.before))
            if (promise.breaks(self._seen(promise, name, proposal.after)) & ~broke).any():
                return False
        return True

    def _seen(
        self, promise: Promise, name: str, classes: Sequence[Mapping[str, Sequence[int]]]
    ) -> ClassTable:
        cells = self.data.table.sensitive[name]
        counts = np.array([own[name] for own in classes], dtype=np.int64)
        return ClassTable(
            class_of=np.arange(len(counts), dtype=np.int32),
            size=counts.sum(axis=1),
            cells={name: counts},
            reference={name: cells.totals},
            domains={name: cells.about},
        )

    def _cells(self, class_of: Ints32, moves: Moves) -> CellPlan:
        now = np.full(len(class_of), -1, dtype=np.int32)
        now[moves.classes.value] = moves.classes.row_of
        return cells_of(self.data, now, self.settings.cells, self._report(moves), scope="exchange")

    def _broken(self, plan: CellPlan, moves: Moves) -> tuple[Bools, Ints32]:
        """Which classes break a promise as they are published, and the number of their cells.

        Noise is looked at as records that share the cells of their class. What others believe is
        bounded only where it is without noise too: all promises but theta are held against both.
        """
        data = _with_noise(self.data, moves)
        noise = np.where(_hidden(plan, moves), -1, moves.noise_group).astype(np.int32)
        class_of = np.concatenate([plan.class_of, noise])
        seen = replace(plan, class_of=class_of)
        judge = Judge(data, self.promises, self.data)
        broken = broken_classes(data, self.promises, seen, judge)
        broken |= broken_as_published(data, self.promises, seen, judge)
        of_records = [part for part in self.promises if not part.counts_made_up]
        if len(noise) and of_records:
            broken |= broken_either_way(self.data, of_records, plan)
        return broken, classes_as_published(plan)

    def _merge(self, class_of: Ints32, classes: Ragged, failed: set[int], moves: Moves) -> Ints32:
        """Merge each class that cannot be repaired with that of its neighbours it fits best."""
        groups = len(classes)
        if groups == 1 or not self.safe or self.by_size:
            raise ThetaInfeasible(self._unrepaired(moves, groups))
        self.rounds += 1
        # Few at first, since every class that is merged widens; then ever more at once.
        reach = 1 if self.rounds <= PATIENCE else 2 ** (self.rounds - PATIENCE)
        joined = list(range(groups))
        for group in sorted(failed):
            if joined[group] != group:
                continue
            best = min(
                (other for other in (group - 1, group + 1) if 0 <= other < groups),
                key=lambda other: self._joint(classes, group, other),
            )
            low, high = (group, group + reach) if best > group else (group - reach, group)
            for other in range(max(low, 0) + 1, min(high, groups - 1) + 1):
                joined[other] = joined[other - 1]
        return self._renumbered(class_of, joined)

    def _merge_broken(
        self, class_of: Ints32, classes: Ragged, broken: Bools, alike: Ints32, moves: Moves
    ) -> Ints32:
        """Merge classes that are published alike and break a promise so; others with neighbours."""
        if self.by_size:
            raise Unsatisfiable(self._kept_not(int(broken.sum())))
        first: dict[int, int] = {}
        joined = list(range(len(broken)))
        for group in np.flatnonzero(broken).tolist():
            joined[group] = first.setdefault(int(alike[group]), group)
        shared = Counter(joined)
        lonely = {group for group in np.flatnonzero(broken).tolist() if shared[joined[group]] == 1}
        if len(lonely) < int(broken.sum()):
            return self._renumbered(class_of, joined)
        if len(broken) == 1 or not self.safe:
            raise Unsatisfiable(self._kept_not(len(lonely)))
        return self._merge(class_of, classes, lonely, moves)

    def _renumbered(self, class_of: Ints32, joined: Sequence[int]) -> Ints32:
        roots = np.array(joined, dtype=np.int64)
        while (roots != roots[roots]).any():
            roots = roots[roots]
        number = np.unique(roots, return_inverse=True)[1].astype(np.int32)
        self.merged += len(roots) - int(number.max()) - 1
        return np.append(number, np.int32(-1))[class_of]

    def _joint(self, classes: Ragged, group: int, other: int) -> float:
        own, theirs = classes[group].tolist(), classes[other].tolist()
        return self.widths(own + theirs) - self.widths(theirs)

    def _out_of_reach(self) -> list[Problem]:
        """The attributes whose rank variance in the whole table is below theta, where any is.

        Classes that are merged come nearer to the frequencies of the table.
        """
        problems = Problems()
        for part in self.thetas:
            own = self.data.table.sensitive[str(part.sensitive)].totals
            whole = float(ranks.rank_variance(own[None, :])[0])
            asked = ranks.theta(part.k, part.mu)
            if whole >= asked or part.theta == "size":
                continue
            reached = max(k for k in range(1, part.k) if ranks.theta(k, part.mu) <= whole)
            mu = math.floor(100 * part.mu * whole / asked) / 100
            ways = [f"k = {reached}"] * (reached > 1) + [f"mu = {mu:g}"] * (mu > 0)
            problems.add(
                "theta-infeasible",
                "classes were merged until the whole table was one, and its own rank "
                f"variance, {whole:.4g}, is below theta({part.k}) = {asked:.4g} "
                f"(mu = {part.mu:g}): classes that are merged come nearer to it",
                attribute=part.sensitive,
                remedy=f"choose {' or '.join(ways)}, which the whole table reaches"
                if ways
                else "choose another promise: the table has nearly one value alone",
            )
        return problems

    def _unrepaired(self, moves: Moves, groups: int) -> list[Problem]:
        problems = Problems(self._out_of_reach() if groups == 1 and self.safe else [])
        if problems:
            return problems
        for why in sorted(set(moves.failed.values())):
            number = sum(own == why for own in moves.failed.values())
            problems.add(
                "theta-infeasible",
                f"{some_of(number, groups, 'class')} cannot be made theta-sensitive by "
                "exchange and "
                f"noise: {FAILED[why]}",
                attribute=", ".join(dict.fromkeys(str(p.sensitive) for p in self.thetas)),
                remedy="choose a smaller k or mu"
                + ("" if self.safe else ', or variant = "safe", which merges such classes'),
            )
        return problems

    def _kept_not(self, number: int) -> Problem:
        return Problem(
            "unsatisfiable",
            f"after exchange and noise {many(number, 'class breaks')} a promise as they are "
            "published: " + "; ".join(map(str, self.promises)),
            remedy="ask for less"
            + (
                '; classes with equal cells are one to a reader, and too large for theta = "size"'
                if self.by_size
                else ""
            )
            + ("" if self.safe else ', or choose variant = "safe", which keeps other promises too'),
        )

    def _check_noise(self, moves: Moves) -> None:
        records = len(moves.classes.value)
        allowed = self.settings.noise_allowed(records)
        needed = len(moves.noise_group)
        if allowed is None or needed <= allowed:
            return
        reasons = "; ".join(f"{count}: {why}" for why, count in moves.reasons().items())
        raise ThetaInfeasible(
            "theta-max-noise",
            f"{many(needed, 'record of noise is')} needed for theta-sensitive, "
            f"{needed / records:.3%} of the table, and {allowed} are allowed ({reasons})",
            remedy=f"allow max_noise = {needed}, or choose a smaller k or mu"
            + ("" if self.safe else ', or variant = "safe"')
            + (', or donors = "all"' if self.settings.donors == "later" else ""),
        )

    def _report(self, moves: Moves) -> SearchReport:
        groups = len(moves.classes)
        noise = len(moves.noise_group)
        return SearchReport(
            algorithm="theta",
            measure="noise",
            aggregate="sum",
            value=float(noise),
            bound=float(self._least_noise(groups)),
            nodes=groups,
            checked=groups,
            seconds=time.perf_counter() - self.began,
            counters={"swaps": moves.swaps, "noise": noise, "merged": self.merged},
        )

    def _least_noise(self, groups: int) -> int:
        """What any algorithm needs for that many classes."""
        return max(
            ranks.least_noise(
                self.data.table.sensitive[str(part.sensitive)].totals,
                groups,
                part.k,
                part.mu,
            )
            for part in self.thetas
        )

    def _finished(self, plan: CellPlan, class_of: Ints32, moves: Moves) -> CellPlan:
        labels = {name: cells.domain for name, cells in self.data.table.sensitive.items()}
        noise = tuple(
            Noise(
                int(group),
                {name: labels[name][value] for name, value in zip(moves.names, row, strict=True)},
            )
            for group, row, hidden in zip(
                moves.noise_group, moves.noise_values.tolist(), _hidden(plan, moves), strict=True
            )
            if not hidden
        )
        self.progress(1.0)
        return replace(plan, noise=noise, search=self._report(moves), log=self._log(moves, labels))

    def _log(self, moves: Moves, labels: Mapping[str, tuple[str | None, ...]]) -> PlainMapping:
        groups = len(moves.classes)
        return {
            "variant": self.settings.variant,
            "partition": self.settings.partition,
            "k": self.k,
            "records": len(moves.classes.value),
            "classes": groups,
            "merged": self.merged,
            "swaps": moves.swaps,
            "noise": len(moves.noise_group),
            "noise_ratio": len(moves.noise_group) / max(len(moves.classes.value), 1),
            "least_noise": self._least_noise(groups),
            "reasons": moves.reasons(),
            "moves": [told(move.to_dict(), labels) for move in moves.moves()],
        }


def told(document: Plain, labels: Mapping[str, tuple[str | None, ...]]) -> Plain:
    """A move as plain data, with values instead of codes, and record numbers from 1."""
    own = labels[document["attribute"]]
    for key in ("given", "taken"):
        if key in document:
            document[key] = own[document[key]]
    if "values" in document:
        document["values"] = {name: labels[name][at] for name, at in document["values"].items()}
    if "records" in document:
        document["records"] = [record + 1 for record in document["records"]]
    return document


def _codes(cells: Cells, weight: Ints) -> Ints32:
    """The value of every record; 0 for combinations that are no record."""
    found = np.zeros(len(weight), dtype=np.int32)
    held = np.flatnonzero((cells.lengths > 0) & (weight > 0))
    found[held] = cells.value[cells.indptr[held]]
    return found


def _members(class_of: Ints32) -> Ragged:
    """The records of each class, in their own order."""
    there = np.flatnonzero(class_of >= 0)
    order = there[np.argsort(class_of[there], kind="stable")]
    return Ragged.by_owner(class_of[order], order, int(class_of.max(initial=-1)) + 1)


def _hidden(plan: CellPlan, moves: Moves) -> Bools:
    """Which records of noise are in classes that are suppressed, since no cell can tell them."""
    first = moves.classes.value[moves.classes.indptr[moves.noise_group]]
    return plan.class_of[first] < 0


def _with_noise(data: LeveledTable, moves: Moves) -> LeveledTable:
    """The table with the records of noise behind the others, each with a classmate's cells."""
    more = len(moves.noise_group)
    if not more:
        return data
    table = data.table
    mates = moves.classes.value[moves.classes.indptr[moves.noise_group]]
    columns = {name: moves.noise_values[:, at] for at, name in enumerate(moves.names)}
    ones = np.ones(more, dtype=np.int64)
    sensitive = {}
    for name, cells in table.sensitive.items():
        after = cells.indptr[-1] + np.arange(1, more + 1, dtype=np.int64)
        sensitive[name] = replace(
            cells,
            indptr=np.concatenate([cells.indptr, after]),
            value=np.concatenate([cells.value, columns[name].astype(np.int32)]),
            count=np.concatenate([cells.count, ones]),
        )
    population = table.population
    if population is not None:
        population = np.concatenate([population, np.zeros(more, dtype=np.int64)])
    extended = replace(
        table,
        codes=tuple(np.concatenate([codes, codes[mates]]) for codes in table.codes),
        weight=np.concatenate([table.weight, ones]),
        sensitive=sensitive,
        population=population,
    )
    return LeveledTable(extended, data.taxonomies, data.unchanged)
