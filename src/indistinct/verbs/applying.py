"""The verb *apply*: the plan of an earlier release on another table, audited anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indistinct.document import in_quotes, many, some_of, spanned
from indistinct.errors import (
    DataError,
    HierarchyError,
    PolicyError,
    Problem,
    Problems,
    Unsatisfiable,
    refuse,
)
from indistinct.hierarchies.build import build_taxonomy, needs_counts
from indistinct.hierarchies.continued import Continued, continued, labels_of
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label
from indistinct.intake.asked import asked_of, method_of
from indistinct.intake.opening import PolicyLike, Progress
from indistinct.intake.run import Run
from indistinct.measures import objective
from indistinct.pipeline.anonymization import released
from indistinct.pipeline.release import Release
from indistinct.pipeline.searching import search
from indistinct.recoding.earlier_plan import EarlierPlan, broken_by, suppressed_by
from indistinct.recoding.full_domain import allowed_units
from indistinct.recoding.method import Task, method_named
from indistinct.recoding.plan import CellPlan, CutPlan, LevelPlan, Plan, SearchReport
from indistinct.recoding.recoded import mean_loss, score
from indistinct.types import Bools, Frame, Ints32, Plain, PlainMapping
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable

PlanLike = str | Path | Release | PlainMapping
"""A release, the folder of one, its ``private/plan.json``, or what stands in it."""

MOST_LEFT_OUT = 0.9
"""The share of a table above which leaving records out is no advice."""

ADAPT = "let the rest be searched anew: --adapt (adapt=True)"


def apply(
    plan: PlanLike,
    data: Frame,
    policy: PolicyLike,
    *,
    adapt: bool = False,
    path: str | Path | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release with the plan of an earlier one: the same labels; the promises are checked
    again.

    Arguments:
        plan: the earlier release, its folder, its ``private/plan.json`` or the content of that
            file.
        data: another table of the same shape; a frame or the path of a file.
        policy: roles, promises and limits, as for :func:`anonymize`.
        adapt: if the plan does not hold, keep its labels for as many quasi-identifiers (or classes)
            as possible, and search for the rest.
        path: the file that a frame was read from, for messages and the private account.
        progress: a function that gets the stage and the share done.

    Raises:
        DataError: the table or the plan cannot be read.
        PolicyError: the policy does not fit the table or the plan, or plans of this method fit no
            other table.
        HierarchyError: a hierarchy does not cover the table's values.
        Unsatisfiable: the plan does not cover all values, or breaks a promise; the message names
            the cost.
    """
    run = Run.begin(policy, progress, path)
    earlier = read_plan(plan)

    def planned(private: PrivateTable, run: Run) -> tuple[PrivateTable, Plan]:
        return _Reuse(private, earlier, run).planned(adapt=adapt)

    return released(data, run, planned)


def read_plan(plan: PlanLike) -> EarlierPlan:
    """The plan of an earlier release.

    Raises:
        DataError: it cannot be read, or is none.
        PolicyError: its method makes plans that fit no other table.
    """
    file: str | None = None
    document: object = plan
    if isinstance(plan, Release):
        found = plan.run.to_dict()["plan"]
        document = plan.private.get("plan.json", found)
    elif isinstance(plan, str | Path):
        path = Path(plan)
        if path.is_dir():
            private = path if path.name == "private" else path / "private"
            path = private / "plan.json"
            if not path.exists():
                path = private / "run.json"
        file = str(path)
        document = _json(path)
        if path.name == "run.json" and isinstance(document, Mapping):
            document = document.get("plan")
    if isinstance(document, Mapping):
        _refuse_unusable(document, file)
        return EarlierPlan.from_dict(document, file)
    return EarlierPlan.from_dict({}, file)


def _json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = (error.strerror or "unknown reason").lower() if isinstance(error, OSError) else "JSON"
        raise DataError(
            "unreadable-plan",
            f"cannot be read as a plan: {why if why != 'JSON' else 'it is no JSON document'}",
            file=str(path),
            remedy="name the folder of a release, or its private/plan.json",
        ) from None


def _refuse_unusable(document: PlainMapping, file: str | None) -> None:
    """Raise :class:`PolicyError` for a plan that says what became of single records."""
    name = str(document.get("algorithm"))
    method = method_named(name)
    why = None if method is None else method.one_off
    if document.get("scope") == "split":
        why = "it generalizes the records of every rank by themselves"
    if why is not None:
        raise PolicyError(
            "plan-of-one-table",
            f"a plan of '{name}' fits no other table: {why}",
            file=file,
            remedy="anonymize this table with the ledger of the earlier release, to go on with it"
            if name == "m-invariant"
            else "make a release of this table by itself, or by a method whose plans can be "
            "used again: optimal, heuristic, knm, iab, exhaustive, greedy or mondrian",
        )


EARLIER = "the labels are those of an earlier plan as far as they can be; no others were looked at"
"""Why nothing is proved of a plan that is used again."""


class _Reuse:
    """An earlier plan, held against a table."""

    def __init__(self, private: PrivateTable, earlier: EarlierPlan, run: Run) -> None:
        self.table = private
        self.earlier = earlier
        self.run = run
        self.policy = private.policy
        self._require_fit()
        self.continued = {name: self._continued(name) for name in earlier.attributes}
        self._require_hidden()
        self.kept = self._with(frozenset())
        self.records = self.kept.data.table.records
        self.unit = private.subjects.unit
        self.allowed = 0
        if "suppression_limit" in method_of(self.policy).heeds(self.policy.method):
            limit = self.policy.method.suppression_limit
            self.allowed = allowed_units(limit, self.records)

    def planned(self, *, adapt: bool) -> tuple[PrivateTable, Plan]:
        """The table as the plan sees it, and the plan, adapted where that is asked."""
        problems = list(self._uncovered())
        if not problems and (plan := self._held()) is not None:
            return self._told(self.kept, plan, [])
        if not adapt:
            raise Unsatisfiable([*problems, *self._broken()] or [self._unkept()])
        if self.earlier.kind == "cut":
            raise PolicyError(
                "cannot-adapt",
                f"a plan of '{self.earlier.algorithm}' with a level for each value is applied "
                "as it is, or not at all",
                remedy="search for a plan of this table: indistinct anonymize",
            )
        return self._told(*self._nearest())

    # Whether plan, policy and table fit each other

    def _require_fit(self) -> None:
        earlier, quasi = self.earlier, self.policy.quasi_identifiers
        problems = Problems()
        if set(earlier.attributes) != set(quasi):
            lacking = sorted(set(earlier.attributes) - set(quasi))
            more = sorted(set(quasi) - set(earlier.attributes))
            told = [
                f"'{name}' of the plan is not a quasi-identifier of the policy" for name in lacking
            ]
            told += [f"the plan does not mention '{name}'" for name in more]
            problems.add(
                "plan-of-other-attributes",
                "; ".join(told),
                remedy="use the policy that the plan was made with",
            )
        kinds = {"classes": {"mondrian"}, "cut": {"iab", "exhaustive", "greedy"}}
        levels = {"optimal", "heuristic", "knm"}
        if earlier.algorithm in kinds["cut"]:
            levels = kinds["cut"]
        fitting = kinds.get(earlier.kind, levels)
        if self.policy.method.algorithm not in fitting or self.policy.method.mode == "split":
            problems.add(
                "plan-of-another-method",
                f"the plan was made by '{earlier.algorithm}', and the policy asks for "
                f"'{self.policy.method.algorithm}'",
                remedy=f'write algorithm = "{earlier.algorithm}" in [method]',
            )
        refuse(PolicyError, problems)
        for name in quasi if earlier.kind == "levels" else ():
            item, (low, high) = self.policy.attributes[name], earlier.levels_of(name)
            most = high if item.max_level is None else item.max_level
            if low < item.min_level or high > most:
                problems.add(
                    "plan-outside-bounds",
                    f"the plan publishes it at levels {low} to {high}, which min_level or "
                    "max_level of the policy forbids",
                    attribute=name,
                    remedy="change the bounds, or make a release of this table by itself",
                )
        refuse(PolicyError, problems)

    def _require_hidden(self) -> None:
        """Refuse a plan that shows what the hierarchies of the policy hide at every level."""
        problems = Problems()
        for name, one in self.continued.items():
            now, shown = self.table.taxonomies[name], list[Label]()
            low = self.earlier.levels_of(name)[0]
            for leaf, *labels in labels_of(now):
                published = one.taxonomy.generalize(leaf, low)
                if self.earlier.published is not None:
                    published = self.earlier.published[name].get(leaf, published)
                if labels[0] != leaf and published not in {SUPPRESSED, *labels}:
                    shown.append(leaf)
            if shown:
                problems.add(
                    "plan-outside-bounds",
                    f"the plan publishes {many(len(shown), 'value')} that the policy puts under "
                    "another label at every level (top, bottom, missing or uncovered)",
                    file=self.table.file,
                    attribute=name,
                    rows=self.table.table.rows_where(name, shown),
                    remedy="use the hierarchy that the plan was made with, or make a release of "
                    "this table by itself",
                )
        refuse(PolicyError, problems)

    def _continued(self, name: str) -> Continued:
        """The plan's hierarchy of an attribute with the values of this table."""
        before, now = self.earlier.hierarchies[name], self.table.taxonomies[name]
        item, both = self.policy.attributes[name], None
        ranked = needs_counts(item.hierarchy)
        if not ranked:
            values: list[Label] = list(dict.fromkeys([*before, *now.leaves]))
            try:
                both = build_taxonomy(
                    name,
                    item.hierarchy,
                    values,
                    directory=self.policy.directory,
                    missing=item.missing.as_,
                    uncovered=item.uncovered,
                )
            except HierarchyError:
                both = None  # the hierarchy no longer knows the earlier values
        lowest = self.earlier.levels_of(name)[0] if self.earlier.kind == "levels" else None
        highest = lowest if item.uncovered == "suppress" else None
        return continued(name, before, now, both, ranked=ranked, highest=highest)

    def _with(self, freed: frozenset[str]) -> PrivateTable:
        """The table under the plan's hierarchies, but for attributes that are searched anew."""
        kept = {name: one.taxonomy for name, one in self.continued.items() if name not in freed}
        return replace(self.table, taxonomies={**self.table.taxonomies, **kept})

    # Whether it holds

    def _gaps(self) -> Iterator[tuple[str, list[Label]]]:
        """The values of every attribute that no label of the plan covers."""
        for name in self.kept.data.attributes:
            if self.earlier.kind == "levels":
                low, _ = self.earlier.levels_of(name)
                gaps = self.continued[name].covered_from
                yield name, [leaf for leaf, level in gaps.items() if level > low > 0]
            else:
                known = set(self.table.taxonomies[name].leaves)
                outside = self.earlier.outside(self.kept.data, name)
                yield name, [leaf for leaf in outside if leaf in known]

    def _beyond(self) -> Bools:
        """The combinations with a value that no label of the plan covers, [C]."""
        data = self.kept.data
        found = np.zeros(data.table.combinations, dtype=np.bool_)
        for j, (name, values) in enumerate(self._gaps()):
            known = data.taxonomies[name].index
            found |= np.isin(data.table.codes[j], [known[value] for value in values])
        return found

    def _uncovered(self) -> Iterator[Problem]:
        for name, values in self._gaps():
            if values:
                many = "value is" if len(values) == 1 else "values are"
                yield Problem(
                    "uncovered-by-plan",
                    f"{len(values)} {many} covered by no label of the plan",
                    file=self.table.file,
                    attribute=name,
                    rows=self.table.table.rows_where(name, values),
                    remedy=f'set uncovered = "suppress" for the attribute, or {ADAPT}',
                )

    def _held(self) -> Plan | None:
        """The plan with what breaks a promise left out; None where that is more than the limit."""
        one_node = self.earlier.kind == "levels" and len(self.earlier.nodes) == 1
        if one_node:
            return self._searched(frozenset())
        data, promises = self.kept.data, self.kept.promises_of_classes
        plan = self.earlier.on(data, promises)
        out = suppressed_by(data, plan, promises)
        if self._lost(out) > self.allowed:
            return None
        if isinstance(plan, CellPlan):
            return replace(plan, class_of=np.where(out, -1, plan.class_of).astype(np.int32))
        if isinstance(plan, LevelPlan):
            return replace(plan, node_of=np.where(out, -1, plan.node_of).astype(np.int32))
        return None if out.any() else plan

    def _searched(self, freed: frozenset[str]) -> Plan | None:
        """The plan of least cost that has the earlier levels but for some attributes."""
        private = self._with(freed)
        attributes = dict(self.policy.attributes)
        for name in set(self.earlier.attributes) - freed:
            low, high = self.earlier.levels_of(name)
            bounds = {"min_level": low, "max_level": high}
            attributes[name] = attributes[name].model_copy(update=bounds)
        policy = self.policy.model_copy(update={"attributes": attributes})
        try:
            found = search(replace(private, policy=policy), self.run)
        except Unsatisfiable:
            return None
        assert isinstance(found, LevelPlan | CutPlan | CellPlan)
        return found

    def _broken(self) -> list[Problem]:
        """Which promises the plan breaks here, and what would mend it."""
        data, promises = self.kept.data, self.kept.promises_of_classes
        plan = self.earlier.on(data, promises)
        if isinstance(plan, LevelPlan):  # what no label covers is told by itself
            plan = replace(plan, node_of=np.where(self._beyond(), -1, plan.node_of))
        broken = broken_by(data, plan, promises)
        beyond = self._lost(self._beyond())
        lost = self._lost(suppressed_by(data, plan, promises)) - beyond
        outside = self._lost(plan.suppressed) - beyond
        if not broken and lost <= self.allowed:
            return []
        told = [
            f"breaks {one.promise} in {many(one.classes, 'class', 'classes')} with "
            f"{some_of(one.records, self.records, self.unit)}"
            for one in broken
        ]
        if outside:
            cause = self.earlier.attribute_without_class(data, plan.suppressed)
            told.append(
                f"has no class for {some_of(outside, self.records, self.unit)}"
                + (f", most of them because of '{cause}'" if cause else "")
                + (self._new_values(cause, plan.suppressed) if cause else "")
            )
        message = f"the plan {'; '.join(told)}"
        ways = []
        if lost <= MOST_LEFT_OUT * self.records and not isinstance(plan, CutPlan):
            share = np.ceil(lost / self.records * 1000) / 1000
            ways.append(
                f"leave out {many(lost, self.unit)} instead of {self.allowed}: suppression_limit "
                f"= {share:.3f}"
            )
        if self.earlier.kind != "cut":
            ways.append(self._price())
        return [
            Problem(
                "plan-breaks",
                message,
                file=self.table.file,
                remedy="; or ".join(ways) or "search for a plan of this table",
            )
        ]

    def _new_values(self, name: str, rows: Bools) -> str:
        """The values of some combinations that the plan was not made of, and those that it was."""
        data, known = self.kept.data, self.earlier.hierarchies[name]
        codes = np.unique(data.table.codes[data.attributes.index(name)][rows])
        leaves = data.taxonomies[name].leaves
        values = [leaves[at] for at in codes.tolist() if leaves[at] not in known]
        if not values:
            return ""
        return f" ({spanned(values)}; the plan was made of {spanned([*known])})"

    def _lost(self, out: Bools) -> int:
        """Records that are left out; those that were suppressed before do not count."""
        data = self.kept.data
        return int(data.weight[out & ~data.suppressed_before].sum())

    def _unkept(self) -> Problem:
        return Problem(
            "plan-breaks",
            "the plan keeps not all promises on this table",
            file=self.table.file,
            remedy=ADAPT,
        )

    def _price(self) -> str:
        """What adapting the plan would change, and what would be lost by it."""
        try:
            private, plan, changed = self._nearest()
        except Unsatisfiable:
            return "ask for less: no plan of this method keeps the promises here"
        loss = mean_loss(private.data, plan)
        what = ", ".join(changed) or "some classes"
        return f"{ADAPT}, which changes the labels of {what} (a loss of {loss:.1%})"

    # Adapting it

    def _nearest(self) -> tuple[PrivateTable, Plan, list[str]]:
        """The nearest plan that holds: the table as it sees it, and the attributes it changes.

        Raises:
            Unsatisfiable: there is none.
        """
        if self.earlier.kind == "classes":
            return self._with_rest()
        names = self.kept.data.attributes
        needed = {name for name, values in self._gaps() if values}
        for size in range(len(needed), len(names) + 1):
            found = []
            for chosen in combinations(names, size):
                if needed <= set(chosen):
                    freed = frozenset(chosen)
                    plan = self._searched(freed)
                    if plan is not None:
                        loss = mean_loss(self._with(freed).data, plan)
                        found.append((loss, chosen, plan))
            if found:
                _, chosen, plan = min(found, key=lambda one: one[:2])
                return self._with(frozenset(chosen)), plan, list(chosen)
        search(self.table, self.run)
        raise Unsatisfiable(self._unkept())

    def _with_rest(self) -> tuple[PrivateTable, Plan, list[str]]:
        """The classes that hold here, and new ones of everybody else."""
        data, promises = self.kept.data, self.kept.promises_of_classes
        plan = self.earlier.on(data, promises)
        assert isinstance(plan, CellPlan)
        out = suppressed_by(data, plan, promises)
        rest = np.flatnonzero(out & ~data.suppressed_before).astype(np.int32)
        kept = replace(plan, class_of=np.where(out, -1, plan.class_of).astype(np.int32))
        more = self._of_rest(rest)
        if more is not None:
            both = _side_by_side(kept, more, rest)
            if self._lost(both.suppressed) <= self.allowed and not broken_by(data, both, promises):
                return self.kept, both, []
        found = search(self.table, self.run)
        assert isinstance(found, CellPlan)
        return self.table, found, list(data.attributes)

    def _of_rest(self, rest: Ints32) -> CellPlan | None:
        task = Task(
            asked=asked_of(self.policy, self.run.seed),
            data=self.kept.data.restricted(rest),
            promises=self.kept.promises_of_classes,
            progress=self.run.share_of("searching"),
        )
        try:
            found = method_of(self.policy).plan(task)
        except Unsatisfiable:
            return None
        assert isinstance(found, CellPlan)
        return found

    def _told(
        self, private: PrivateTable, plan: Plan, changed: Sequence[str]
    ) -> tuple[PrivateTable, Plan]:
        """The plan, with a note of what was changed."""
        account: Plain = {
            "algorithm": self.earlier.algorithm,
            "scope": self.earlier.scope,
            "kept": [name for name in self.earlier.attributes if name not in changed],
            "changed": list(changed),
        }
        self.run.documents["applied.json"] = account
        if changed:
            listed = in_quotes(changed)
            self.run.warnings.append(
                Kind.LOSS(
                    f"the labels of {listed} differ from the earlier plan's, which did not hold "
                    "on this table"
                )
            )
        differ = [name for name, one in self.continued.items() if one.differs]
        if unused := [name for name in differ if name not in changed]:
            self.run.warnings.append(
                Kind.SETTING(
                    f"the policy has another hierarchy for {in_quotes(unused)} than the plan, "
                    "whose labels are published: to use the policy's, make a release of this "
                    "table by itself"
                )
            )
        made_from_values = self.earlier.kind == "classes" or any(
            isinstance(asked := self.policy.attributes[name].hierarchy, Mapping)
            and "equal_frequency" in asked
            for name in self.earlier.attributes
        )
        if made_from_values:
            self.run.warnings.append(
                Kind.RISK(
                    "labels of the earlier plan end at values of people in its table: if its "
                    "release was not published, this release is the first to show them"
                )
            )
        assert isinstance(plan, LevelPlan | CutPlan | CellPlan)
        goal = asked_of(self.policy, self.run.seed).objective
        if goal.measure == "rows":
            goal = objective("loss")
        bound = goal.bind(private.data)
        value = bound.value(score(private.data, plan, bound))
        # Nothing is proved: plans with other labels were not looked at.
        report = SearchReport(
            self.earlier.algorithm,
            goal.measure,
            goal.aggregated_by,
            value,
            bound=[0.0] * len(value) if isinstance(value, list) else 0.0,
            unproved=EARLIER,
        )
        return private, replace(plan, search=report)


def _side_by_side(one: CellPlan, other: CellPlan, rest: Ints32) -> CellPlan:
    """A plan, and one of some of its combinations beside it."""
    class_of = one.class_of.copy()
    class_of[rest] = np.where(other.class_of < 0, -1, other.class_of + one.groups)
    places = range(len(one.attributes))
    return replace(
        one,
        class_of=class_of,
        cell_of=tuple(
            np.append(one.cell_of[j], other.cell_of[j] + len(one.texts[j])).astype(np.int32)
            for j in places
        ),
        texts=tuple((*one.texts[j], *other.texts[j]) for j in places),
        covered=tuple(np.append(one.covered[j], other.covered[j]) for j in places),
        search=other.search,
    )
