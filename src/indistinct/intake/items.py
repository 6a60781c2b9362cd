"""Sets of items that people have, generalized before anything else is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.document import many, some_of
from indistinct.errors import PolicyError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.intake.value_metadata import value_metadata_of
from indistinct.kernels.ragged import pointers
from indistinct.metadata import NO_METADATA
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import codes_in, count_combinations
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.microdata import sorted_values
from indistinct.microdata.subjects import Subjects
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.privacy.promise import Promise
from indistinct.recoding.items import ItemPlan, km_anonymous, published_items
from indistinct.sources.eager import EagerTable
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table
from indistinct.types import Bools, Ints, Ints32
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.run import Run
    from indistinct.metadata import ValueMetadata
    from indistinct.policy import Policy


@dataclass(frozen=True, eq=False)
class Items:
    """The items of everybody, and where each cell of the table has its own.

    Arguments:
        sets: the different items of everybody, over all their records.
        entry: the entry of ``sets`` of each cell, -1 of none, [columns, rows].
    """

    sets: Cells
    entry: Ints


def with_generalized_items(table: Table, run: Run, file: str | None) -> tuple[Table, int, int]:
    """The table with the items of each promise generalized as far as it asks.

    The policy's limit is the share of items that may be left out; their records are dropped, or
    their cells become the root where a record has several items. From here on the run's policy
    suppresses nobody any more, for sets that are rare then, and says nothing of the items but their
    published labels.

    Arguments:
        table: the table, in memory.
        run: its policy names the person of every record, and the hierarchies of the items; it is
            given private documents and warnings.
        file: the table's name, for messages.

    Returns:
        The table, how many of its records were left out, and how many people with them.

    Raises:
        DataError, HierarchyError, PolicyError, Unsatisfiable: as
            :func:`~indistinct.recoding.items.km_anonymous`.
    """
    policy = run.policy
    promises = [part for part in policy.privacy_models if isinstance(part, KMAnonymity)]
    if not promises:
        return table, 0, 0
    run.tell("generalizing items")
    assert isinstance(table, EagerTable)
    names = list(dict.fromkeys(name for part in promises for name in part.columns))
    _require_groups_to_do(policy.privacy_models, names)
    keys = [] if policy.person is None else [policy.person]
    rows = table.text([*keys, *names])
    people = Subjects.of_records(rows)
    if policy.person is not None:
        people = Subjects.of_people(rows, policy.person, (), file=file)
    known = {
        part: value_metadata_of(
            policy, table, _stacked(rows, part.columns), [str(part.sensitive)], file
        )[str(part.sensitive)]
        for part in promises
    }
    keep, plans = _generalized(promises, rows, people, known, run)
    frame = _held_rows(table, keep)
    documents = {}
    for part, (plan, items, entries, lost) in plans.items():
        for name, entry in zip(part.columns, items.entry, strict=True):
            frame = frame.with_columns(published_items(plan, name, entry))
        name = str(part.sensitive)
        documents[name] = {**plan.to_dict(), "entries": entries, "left_out": lost}
        if part.together:
            documents[name]["columns"] = list(part.columns)
        if lost:
            how = (
                "published as the root of their hierarchy"
                if part.together or plan.local
                else "left out, with their records"
            )
            run.warnings.append(
                Kind.LOSS(f"'{name}': {some_of(lost, entries, 'item of people is')} {how}")
            )
    without = people.count - len(np.unique(people.person_of[keep]))
    if without:
        run.warnings.append(
            Kind.LOSS(f"{many(without, 'person has')} no record left: not in the release")
        )
    done = open_table(frame, table.name, missing_tokens=policy.missing_tokens())
    run.documents["items.json"] = documents
    run.policy = _without_items(policy, names)
    return done, int((~keep).sum()), without


def _require_groups_to_do(promises: Sequence[Promise], names: Sequence[str]) -> None:
    """Refuse promises that need to know of values what nobody says of published groups of them."""
    unknown = SensitiveDomain(("one", "other"), NO_METADATA)
    refuse(
        PolicyError,
        [
            Problem(
                "beside-km-anonymity",
                f"promise '{part.model}' needs categories, ranks, an order or a hierarchy of what "
                "is published, and km-anonymity publishes groups of values",
                attribute=part.sensitive,
                remedy=f"leave '{part.model}' or 'km-anonymity' out",
            )
            for part in promises
            if part.sensitive in names and part.missing_metadata(unknown)
        ],
    )


def with_rows(table: Table, keep: Bools, policy: Policy) -> Table:
    """A table in memory with some of its records.

    Arguments:
        table: the table, in memory.
        keep: which records stay, [n].
        policy: says which texts stand for a missing value.
    """
    assert isinstance(table, EagerTable)
    made = open_table(_held_rows(table, keep), table.name, missing_tokens=policy.missing_tokens())
    assert isinstance(made, EagerTable)
    made.inferred = table.inferred
    return made


def _held_rows(table: EagerTable, keep: Bools) -> pl.DataFrame:
    return pl.DataFrame([table.values(name) for name in table.columns]).filter(pl.Series(keep))


def _generalized(
    promises: Sequence[KMAnonymity],
    rows: pl.DataFrame,
    people: Subjects,
    known: Mapping[KMAnonymity, ValueMetadata],
    run: Run,
) -> tuple[Bools, dict[KMAnonymity, tuple[ItemPlan, Items, int, int]]]:
    """The rows that are kept; of each promise its plan, the items, all of them, those left out.

    A row that is left out for the sake of one attribute is missing in the others, whose promises
    are looked at again then, until nothing more is left out.

    Arguments:
        promises: what is promised.
        rows: the attributes as text, a row for every record.
        people: whose each record is.
        known: what is known of the values.
        run: is told how far it is; its policy says which share of the items of each attribute may
            be left out, and whether generalization is local.
    """
    method = run.policy.method
    limit, local = method.suppression_limit, method.items == "local"
    keep = np.ones(rows.height, dtype=np.bool_)
    found: dict[KMAnonymity, tuple[ItemPlan, Items, int, int]] = {}
    while True:
        dropped = False
        for part in promises:
            texts = rows.select(part.columns).filter(pl.Series(keep))
            items = items_of(people.person_of[keep], people.count, texts, known[part])
            now = len(items.sets.value)
            _, _, entries, lost = found.get(part, (None, None, now, 0))
            stay = local or bool(part.together)
            if stay:
                lost = 0  # Its rows are looked at anew.
            share = limit if part not in found else max(limit * entries - lost, 0.0) / max(now, 1)
            told = partial(run.tell, "generalizing items")
            plan = km_anonymous(
                items.sets, part, suppress=min(share, 1.0), local=local, progress=told
            )
            if plan.left_out and not stay:
                gone = plan.left[items.entry[0]]
                keep[np.flatnonzero(keep)[gone]] = False
                items = replace(items, entry=items.entry[:, ~gone])
                dropped = True
            found[part] = plan, items, entries, lost + plan.left_out
        if not dropped or len(promises) == 1:
            return keep, found


def _stacked(texts: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The values of several columns as one, called as the first."""
    return pl.concat([texts.select(pl.col(name).alias(names[0])) for name in names])


def items_of(person_of: Ints32, people: int, texts: pl.DataFrame, known: ValueMetadata) -> Items:
    """The different values of everybody, over all their records and columns.

    Of one column a missing value is a value; of several it is none.

    Arguments:
        person_of: the number of every record's person, from 0, [n].
        people: how many people there are.
        texts: the columns, null for missing, [n].
        known: what is known of the values.
    """
    values = _stacked(texts, texts.columns).to_series()
    whose = np.tile(person_of, texts.width)
    there = np.ones(len(values), np.bool_)
    if texts.width > 1:
        there = values.is_not_null().to_numpy()
    domain = sorted_values(values.filter(pl.Series(there)))
    sizes = [max(people, 1), max(len(domain), 1)]
    codes = codes_in(values.filter(pl.Series(there)), domain)
    ones = np.ones(len(codes), np.int64)
    (person, item), _, _ = count_combinations([whose[there], codes], sizes, ones)
    indptr = pointers(np.bincount(person, minlength=people))
    sets = Cells(indptr, item, np.ones(len(item), np.int64), domain, False, known)
    keys = sets.row_of * sizes[1] + sets.value
    entry = np.full(len(values), -1, np.int64)
    entry[there] = np.searchsorted(keys, whose[there].astype(np.int64) * sizes[1] + codes)
    return Items(sets, entry.reshape(texts.width, texts.height))


def _without_items(policy: Policy, names: Sequence[str]) -> Policy:
    """The policy for a table whose items are generalized."""
    attributes = {
        name: item.model_copy(
            update={"hierarchy": None, "categories": None, "ranks": None, "order": ()}
        )
        if name in names
        else item
        for name, item in policy.attributes.items()
    }
    method = policy.method.model_copy(update={"suppression_limit": 0.0})
    return policy.model_copy(update={"attributes": attributes, "method": method})
