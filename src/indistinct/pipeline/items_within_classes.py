"""Sets of items that people have, generalized class by class, once classes are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.document import some_of
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.items import Items, items_of
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.items import ClassItems, known_items_protected
from indistinct.recoding.plan import published_classes
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.recoding.plan import Plan


@dataclass(frozen=True, eq=False)
class Protected:
    """The items of one promise, generalized class by class.

    Arguments:
        promise: what is promised.
        items: the items of everybody.
        done: what each of them is published as.
    """

    promise: KnownRecords
    items: Items
    done: ClassItems


def protected_items(private: PrivateTable, plan: Plan) -> list[Protected]:
    """What the promises ``known-records`` let items be published as, in the classes of a plan.

    Arguments:
        private: the table and its promises.
        plan: what becomes of the quasi-identifiers, which makes the classes.

    Raises:
        HierarchyError, PolicyError: as :func:`~indistinct.recoding.items.known_items_protected`.
    """
    people, found = private.subjects, []
    for part in private.promises:
        if not isinstance(part, KnownRecords):
            continue
        name = str(part.sensitive)
        texts = private.table.text([name])
        items = items_of(people.person_of, people.count, texts, private.metadata[name])
        of_combination = published_classes(private.data, plan, part.on or private.data.attributes)
        class_of = of_combination[private.microdata.combination_of]
        done = known_items_protected(name, items.sets, class_of, part)
        found.append(Protected(part, items, done))
    return found


def items_within_classes(private: PrivateTable, plan: Plan, run: Run) -> dict[str, pl.Series]:
    """The columns of items, row by row, as the promise ``known-records`` lets them be published.

    Arguments:
        private: the table and its promises.
        plan: what becomes of the quasi-identifiers, which makes the classes.
        run: is given private documents and warnings.

    Raises:
        HierarchyError, PolicyError: as :func:`~indistinct.recoding.items.known_items_protected`.
    """
    if not any(isinstance(part, KnownRecords) for part in private.promises):
        return {}
    run.tell("generalizing items")
    found, documents = {}, {}
    for one in protected_items(private, plan):
        name, done = str(one.promise.sensitive), one.done
        nodes = done.published[one.items.entry[0]]
        labels = pl.Series(list(done.labels), dtype=pl.String)
        found[name] = labels.gather(pl.Series(nodes.astype(np.uint32))).alias(name)
        documents[name] = {
            "scope": "classes",
            **one.promise.parameters,
            "entries": len(done.published),
            "as_root": done.as_root,
            "ncp": done.ncp,
        }
        if done.as_root:
            run.warnings.append(
                Kind.LOSS(
                    f"'{name}': "
                    f"{some_of(done.as_root, len(done.published), 'item of people is')} "
                    f"published as {SUPPRESSED}, as known-records requires for classes of this "
                    "size: a smaller k or m, or larger classes, keep more "
                    "(private/class_sizes.json)"
                )
            )
    before = run.documents.get("items.json", {})
    assert isinstance(before, Mapping)
    run.documents["items.json"] = {**before, **documents}
    return found
