"""Sets of items that people have, generalized before anything else is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.kernels.ragged import pointers
from indistinct.microdata.encoding import codes_in, count_combinations
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.microdata import sorted_values
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.value_metadata import value_metadata_of
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.items import ItemPlan, km_anonymous, known_items_protected, published_items
from indistinct.recoding.plan import published_classes
from indistinct.sources.eager import EagerTable
from indistinct.sources.table import Table, open_table

if TYPE_CHECKING:
    from indistinct.metadata import ValueMetadata
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.pipeline.run import Run
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan


def with_generalized_items(table: Table, run: Run, file: str | None) -> tuple[Table, int, int]:
    """The table with the items of each promise generalized as far as it asks.

    The policy's limit is the share of items that may be left out; their records are dropped. From
    here on the run's policy suppresses nobody any more, for sets that are rare then, and says
    nothing of the items but their published labels.

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
    assert policy.person is not None
    names = [str(part.sensitive) for part in promises]
    rows = table.text([policy.person, *names])
    people = Subjects.of_people(rows, policy.person, (), file=file)
    known = value_metadata_of(policy, table, rows, names, file)
    frame = pl.DataFrame([table.values(name) for name in table.columns])
    keep, plans = _generalized(promises, rows, people, known, policy.method.suppression_limit)
    frame = frame.filter(pl.Series(keep))
    documents = {}
    for (plan, entries, lost), name in zip(plans, names, strict=True):
        texts = rows[name].filter(pl.Series(keep))
        frame = frame.with_columns(published_items(plan, texts).alias(name))
        documents[name] = {**plan.to_dict(), "entries": entries, "left_out": lost}
        if lost:
            run.warnings.append(
                f"'{name}': {lost} of {entries} items of people are left out, with their records"
            )
    without = people.count - len(np.unique(people.person_of[keep]))
    if without:
        run.warnings.append(f"{without} people have no record left, and are not in the release")
    done = open_table(
        frame,
        table.name,
        missing_tokens={
            name: item.missing.tokens
            for name, item in policy.attributes.items()
            if item.missing.tokens
        },
    )
    run.documents["items.json"] = documents
    run.policy = _without_items(policy, names)
    return done, int((~keep).sum()), without


def _generalized(
    promises: Sequence[KMAnonymity],
    rows: pl.DataFrame,
    people: Subjects,
    known: Mapping[str, ValueMetadata],
    limit: float,
) -> tuple[NDArray[np.bool_], list[tuple[ItemPlan, int, int]]]:
    """The rows that are kept, and of each promise its plan, all items, and those left out.

    A row that is left out for the sake of one attribute is missing in the others, whose promises
    are looked at again then, until nothing more is left out.

    Arguments:
        promises: what is promised.
        rows: the attributes as text, a row for every record.
        people: whose each record is.
        known: what is known of the values.
        limit: share of the items of each attribute that may be left out.
    """
    keep = np.ones(rows.height, dtype=np.bool_)
    found: dict[int, tuple[ItemPlan, int, int]] = {}
    while True:
        dropped = False
        for at, part in enumerate(promises):
            name = str(part.sensitive)
            texts = rows[name].filter(pl.Series(keep))
            sets = _sets_of(people.person_of[keep], people.count, texts, known[name])
            now = len(sets.value)
            _, entries, lost = found.get(at, (None, now, 0))
            share = limit if at not in found else max(limit * entries - lost, 0.0) / max(now, 1)
            plan = km_anonymous(name, sets, part.k, part.m, suppress=share)
            found[at] = plan, entries, lost + plan.left_out
            gone = texts.is_in(
                pl.Series(list(plan.suppressed), dtype=pl.String).implode(), nulls_equal=True
            )
            keep[np.flatnonzero(keep)[gone.to_numpy()]] = False
            dropped |= plan.left_out > 0
        if not dropped or len(promises) == 1:
            return keep, [found[at] for at in range(len(promises))]


def items_within_classes(private: PrivateTable, plan: Plan, run: Run) -> dict[str, pl.Series]:
    """The columns of items, row by row, as the promise ``known-records`` lets them be published.

    Arguments:
        private: the table and its promises.
        plan: what becomes of the quasi-identifiers, which makes the classes.
        run: is given private documents and warnings.

    Raises:
        HierarchyError, PolicyError: as :func:`~indistinct.recoding.items.known_items_protected`.
    """
    promises = [part for part in private.promises if isinstance(part, KnownRecords)]
    if not promises:
        return {}
    run.tell("generalizing items")
    people, found, documents = private.subjects, {}, {}
    for part in promises:
        name = str(part.sensitive)
        texts = private.table.text([name])[name]
        sets = _sets_of(people.person_of, people.count, texts, private.metadata[name])
        of_combination = published_classes(private.data, plan, part.on or private.data.attributes)
        class_of = of_combination[private.microdata.combination_of]
        done = known_items_protected(name, sets, class_of, part)
        width = max(len(sets.domain), 1)
        keys = sets.row_of * width + sets.value
        wanted = people.person_of.astype(np.int64) * width + codes_in(texts, sets.domain)
        nodes = done.published[np.searchsorted(keys, wanted)]
        labels = pl.Series(list(done.labels), dtype=pl.String)
        found[name] = labels.gather(pl.Series(nodes.astype(np.uint32))).alias(name)
        documents[name] = {
            "scope": "classes",
            **part.parameters,
            "entries": len(done.published),
            "as_root": done.as_root,
            "ncp": done.ncp,
        }
        if done.as_root:
            run.warnings.append(
                f"'{name}': {done.as_root} of {len(done.published)} items of people are published "
                f"as {SUPPRESSED}, which is what known-records asks of classes of this size: "
                "larger classes, or a smaller k or m, leave more"
            )
    before = run.documents.get("items.json", {})
    assert isinstance(before, Mapping)
    run.documents["items.json"] = {**before, **documents}
    return found


def _sets_of(
    person_of: NDArray[np.int32], people: int, texts: pl.Series, known: ValueMetadata
) -> Cells:
    """The different values of everybody, over all their records."""
    domain = sorted_values(texts)
    sizes = [max(people, 1), max(len(domain), 1)]
    ones = np.ones(len(texts), np.int64)
    (person, item), _, _ = count_combinations([person_of, codes_in(texts, domain)], sizes, ones)
    indptr = pointers(np.bincount(person, minlength=people))
    return Cells(indptr, item, np.ones(len(item), np.int64), domain, False, known)


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
