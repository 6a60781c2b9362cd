"""Sets of items that people have, generalized class by class, once classes are found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.pipeline.items import items_of
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.items import known_items_protected
from indistinct.recoding.plan import published_classes

if TYPE_CHECKING:
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.pipeline.run import Run
    from indistinct.recoding.plan import Plan


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
        texts = private.table.text([name])
        items = items_of(people.person_of, people.count, texts, private.metadata[name])
        of_combination = published_classes(private.data, plan, part.on or private.data.attributes)
        class_of = of_combination[private.microdata.combination_of]
        done = known_items_protected(name, items.sets, class_of, part)
        nodes = done.published[items.entry[0]]
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
