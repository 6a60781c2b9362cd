"""What the program tried in place of the classes of a release, found by running it once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from indistinct.analytics.attacks import AttackContext
from indistinct.analytics.attacks.refusals import Rerun, Tried, orders_of
from indistinct.errors import IndistinctError
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.asked import asked_of, method_of
from indistinct.intake.chosen_promises import settled
from indistinct.intake.private_table import PrivateTable
from indistinct.intake.run import Run
from indistinct.kernels.ragged import Ragged, pointers
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Events
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Method, Task
from indistinct.recoding.plan import LevelPlan, Plan
from indistinct.recoding.refused import Refused
from indistinct.types import Ints, Ints32

FIRSTS = 12
"""Draws of a first record that are tried, where the policy does not say which it was."""

RUNS = 400
"""Runs of a method that cannot tell what it tried, at most."""

WORLDS = 64
"""Orders of the values of all classes together, up to which the program is run with each."""

PEOPLE = 200
"""People of a table up to which that is done."""

WORK = 200_000_000
"""Pairs of records that these runs look at, at most: the time of clustering grows with them."""


Listed = tuple[tuple[str, ...], ...]
"""What a bucket lists, attribute by attribute."""

Listing = Counter[tuple[int, Listed]]
"""How many rows of each class are linked to buckets that list the same."""


def tried_by(context: AttackContext, private: PrivateTable) -> Tried | Rerun | None:
    """What the policy's method tried of a table and refused, in place of the published classes.

    Returns:
        The method to be run again where it cannot tell. None where no promise is about the values
        of classes, or it makes other classes of this table than the published ones, or they are at
        one node, which says what was tried.
    """
    policy = private.policy
    method = method_of(policy)
    if method.linked:
        return _of_people(context, private)
    about = {part.sensitive for part in policy.privacy_models} - {None}
    if not about or not about <= {*private.sensitive} or private.sight.ranks or private.sight.rows:
        return None
    if any(part.is_open or part.subject != "classes" for part in policy.privacy_models):
        return None
    if not context.one_record_each:
        return _of_people(context, private) if method.by_values else None
    seeds = range(FIRSTS) if method.drawn and policy.method.seed is None else (None,)
    for seed in seeds:
        try:
            run = Run(policy, policy.method.seed or 0 if seed is None else seed)
            again = PrivateTable.of(
                private.table, run, file=private.file, subjects=private.subjects
            )
            again = settled(again, run)
            if again.data.suppressed_before.any():
                return None
            task = Task(asked_of(policy, run.seed), again.data, again.promises_of_classes, _nothing)
            plan = method.plan(task)
            if isinstance(plan, LinkedPlan):
                return None
            class_of = _published(context, again.data, plan)
            if class_of is not None:
                return _refused_by(context, again, class_of, method, task, plan)
            class_of = _published(context, again.data, plan, stars=True)
            if class_of is not None:
                return _of_every_world(context, again, class_of, method, task)
        except IndistinctError:
            return None
    return None


def _refused_by(
    context: AttackContext,
    again: PrivateTable,
    class_of: Ints32,
    method: Method,
    task: Task,
    plan: Plan,
) -> Tried | Rerun | None:
    """What a method tried in place of the classes it made; itself where that tells more."""
    refused = method.refused(task, plan)
    domain = isinstance(plan, LevelPlan) and plan.scope == "domain"
    if refused is None and not domain:
        rerun = _rerun(context, again.microdata, class_of, method, task)
        if rerun is not None:
            return rerun
    every = _of_every_world(context, again, class_of, method, task)
    if every is not None or domain or refused is None:
        return every
    return _tried(context, again, class_of, refused)


def _of_every_world(
    context: AttackContext, again: PrivateTable, class_of: Ints32, method: Method, task: Task
) -> Rerun | None:
    """The program, where it can be run with the values of all classes in every order.

    All people whose rows are ``*``, whether suppressed or not, are one class more, -1.
    """
    people = class_of[again.microdata.combination_of]
    stars = int(context.classes.size[~context.classes.ordinary].sum())
    if (people < 0).sum() != stars or len(people) > PEOPLE:
        return None
    values = np.stack([context.values[name].index for name in context.sensitive])
    kind = np.unique(values, axis=1, return_inverse=True)[1].ravel()
    if orders_of(people, kind) > WORLDS:
        return None
    coded = again.encode(again.subjects, by_record=True)
    task = replace(task, data=coded.data)
    plan = method.plan(task)
    found = (
        None if isinstance(plan, LinkedPlan) else _published(context, coded.data, plan, stars=True)
    )
    if found is None or (found[coded.combination_of] != people).any():
        return None
    rerun = _rerun(context, coded, found, method, task, stars=True)
    return None if rerun is None else replace(rerun, together=True)


def _rerun(
    context: AttackContext,
    coded: Microdata,
    class_of: Ints32,
    method: Method,
    task: Task,
    *,
    stars: bool = False,
) -> Rerun | None:
    """The program, of a table in which every record is a combination; None for others.

    Arguments:
        context: the release.
        coded: the table.
        class_of: the published class of every combination, -1 for suppressed ones.
        method: the program.
        task: what it is asked.
        stars: whether -1 is everybody whose row is ``*``.
    """
    data, of = coded.data, coded.combination_of
    cells = data.table.sensitive
    single = all((own.lengths == 1).all() and own.exclusive for own in cells.values())
    runs = min(RUNS, WORK // max(data.table.records, 1) ** 2)
    if not runs or not single or (data.weight != 1).any() or not method.by_values:
        return None
    person = np.argsort(of)

    def same(donors: Ints) -> bool:
        turned = of[donors[person]]
        sensitive = {name: replace(own, value=own.value[turned]) for name, own in cells.items()}
        table = replace(data.table, sensitive=sensitive)
        other = replace(data, table=table)
        try:
            plan = method.plan(replace(task, data=other))
        except IndistinctError:
            return False
        if isinstance(plan, LinkedPlan):
            return False
        found = _published(context, other, plan, stars=stars)
        return found is not None and bool((found == class_of).all())

    return Rerun(class_of[of], same, runs)


def _of_people(context: AttackContext, private: PrivateTable) -> Rerun | None:
    """The program that draws nothing, of people with many records; None where it makes others."""
    method, people = method_of(private.policy), private.subjects
    runs = min(RUNS, WORK // max(people.count, 1) ** 2)
    if method.dealt or people.events is None or not runs:
        return None
    if context.linked_tables != method.linked:
        return None
    run = Run(private.policy, private.policy.method.seed or 0)
    again = PrivateTable.of(private.table, run, file=private.file, subjects=people)
    data, events = again.encode(people, by_record=True).data, people.events
    if (
        data.suppressed_before.any()
        or any(part.is_open for part in private.policy.privacy_models)
        or len(data.weight) != people.count
    ):
        return None

    def made(donors: Ints) -> tuple[Ints32, Listing] | None:
        """The class of everybody, and the rows with what their buckets list."""
        owner = np.empty_like(donors)
        owner[donors] = np.arange(len(donors))
        sensitive = {name: _given(own, donors) for name, own in data.table.sensitive.items()}
        other = replace(data, table=replace(data.table, sensitive=sensitive))
        turned = Events(owner[events.person_of].astype(np.int32), events.texts)
        task = Task(
            asked_of(private.policy, run.seed), other, again.promises_of_classes, _nothing,
            events=turned,
        )  # fmt: skip
        try:
            plan = method.plan(task)
        except IndistinctError:
            return None
        if not isinstance(plan, LinkedPlan):
            found = _published(context, other, plan)
            return None if found is None else (found, Counter())
        found = None if plan.noise else _published(context, other, plan.quasi)
        if found is None:
            return None
        there = np.flatnonzero(~plan.suppressed)
        lists = _listing({name: (own.labels, own) for name, own in plan.buckets.items()})
        rows = Counter((int(found[c]), lists[plan.bucket_of[c]]) for c in there.tolist())
        return np.where(plan.suppressed, -1, found).astype(np.int32), rows

    first = made(np.arange(people.count))
    if first is None or first[1] != (_shown(context) if method.linked else Counter()):
        return None
    held = np.bincount(first[0][first[0] >= 0], minlength=len(context.classes))
    if not method.linked and (held != context.classes.size)[context.classes.ordinary].any():
        return None

    def same(donors: Ints) -> bool:
        found = made(donors)
        if found is None or method.linked:
            return found is not None and found[1] == first[1]
        return bool((found[0] == first[0]).all())

    return Rerun(first[0], same, runs, alone=False)


def _given(cells: Cells, donors: Ints) -> Cells:
    """The values of people who have those of others."""
    held = Ragged(cells.indptr, np.arange(len(cells.value), dtype=np.int32)).select(donors)
    return replace(
        cells, indptr=held.indptr, value=cells.value[held.value], count=cells.count[held.value]
    )


def _listing(
    parts: Mapping[str, tuple[Sequence[str | None], Ragged]],
) -> list[Listed]:
    """What every bucket lists of each attribute, sorted."""
    each = [
        [tuple(sorted(str(labels[v]) for v in own[at].tolist())) for at in range(len(own))]
        for _, (labels, own) in sorted(parts.items())
    ]
    return list(zip(*each, strict=True))


def _shown(context: AttackContext) -> Listing:
    """The published rows: the class of each, and what its bucket lists."""
    parts = {
        name: (
            own.labels,
            Ragged(pointers(own.amount)[own.indptr], np.repeat(own.index, own.amount)),
        )
        for name, own in context.buckets.items()
    }
    lists = _listing(parts)
    pairs = zip(context.places.class_of.tolist(), context.bucket_of.tolist(), strict=True)
    return Counter((row, lists[bucket]) for row, bucket in pairs)


def _tried(
    context: AttackContext, again: PrivateTable, class_of: Ints32, refused: Refused
) -> Tried | None:
    """What was refused, of people; None where others are in the classes than are published."""
    data, of = again.data, again.microdata.combination_of
    people = class_of[of]
    held = np.bincount(people[people >= 0], minlength=len(context.classes))
    if (held != context.classes.size)[context.classes.ordinary].any():
        return None
    order = np.argsort(of, kind="stable")
    members = Ragged.by_owner(of[order], order, data.table.combinations)
    each = members.select(refused.parts.value)
    lengths = refused.parts.sums(members.lengths[refused.parts.value])
    parts = Ragged(pointers(lengths), each.value)
    return Tried(people, refused.attempt, parts)


def _published(
    context: AttackContext, data: LeveledTable, plan: Plan, *, stars: bool = False
) -> Ints32 | None:
    """The published class of every combination, -1 for suppressed ones; None where one is not.

    Arguments:
        context: the release.
        data: the table.
        plan: what is published of it.
        stars: whether others may be ``*`` beside suppressed ones, and are -1, too.
    """
    quasi = list(context.quasi)
    if set(quasi) != set(data.attributes):
        return None
    labels = pl.DataFrame(
        {
            name: pl.Series(plan.labels(data, j), dtype=pl.String)[
                np.maximum(plan.cells(data, j), 0).astype(np.int64)
            ]
            for j, name in enumerate(data.attributes)
        }
    )
    classes = context.classes.cells.with_columns(
        pl.Series("\0class", range(len(context.classes)), dtype=pl.Int32)
    ).filter(context.classes.ordinary)
    joined = labels.join(classes, on=quasi, how="left", nulls_equal=True, maintain_order="left")
    found = joined["\0class"].fill_null(-1).to_numpy()
    starred = labels.select(pl.all_horizontal(pl.all() == SUPPRESSED)).to_series()
    gone = plan.suppressed | (starred.fill_null(False).to_numpy() & stars & (found < 0))
    if (found[~gone] < 0).any():
        return None
    return np.where(gone, -1, found).astype(np.int32)


def _nothing(share: float) -> None:
    """Nobody is told how far the search is."""
    del share
