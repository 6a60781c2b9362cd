"""Quasi-identifiers of visits, generalized once the classes of people are found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.document import some_of
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import distinct_values
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.known_visit import KnownVisit
from indistinct.recoding.plan import published_classes
from indistinct.recoding.visits import VisitAttribute, Visits, told_of_lost
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.recoding.plan import Plan


def visits_within_classes(private: PrivateTable, plan: Plan, run: Run) -> dict[str, pl.Series]:
    """The columns of visits, row by row, as the promise ``known-visit`` lets them be published.

    The policy's limit is the share of records whose visit may be ``*``, beside suppressed people's.

    Arguments:
        private: the table and its promises.
        plan: what becomes of the quasi-identifiers of people, which makes the classes.
        run: is given private documents and warnings.

    Raises:
        HierarchyError: a hierarchy does not cover the values.
        PolicyError, Unsatisfiable: as :func:`~indistinct.recoding.visits.visits_protected`.
    """
    asked = next((part for part in private.promises if isinstance(part, KnownVisit)), None)
    if asked is None:
        return {}
    run.tell("generalizing visits")
    policy, people = private.policy, private.subjects
    texts = private.table.text(asked.visit)
    attributes = []
    for name in asked.visit:
        values, counts = distinct_values(texts[name])
        taxonomy = taxonomy_of(policy, private.table, name, values, counts)
        said = policy.attributes[name]
        leaf = codes_in(texts[name], taxonomy.leaves)
        levels = (said.min_level, said.max_level)
        attributes.append(VisitAttribute(taxonomy, leaf, said.weight, levels))
    combination_of = private.microdata.combination_of
    of_combination = published_classes(private.data, plan, asked.on or private.data.attributes)
    of_combination = np.where(plan.suppressed, -1, of_combination)
    class_of = of_combination[combination_of][people.person_of].astype(np.int32)
    limit = run.asked.method.suppression_limit
    allowed = math.floor(limit * int((class_of >= 0).sum()) + 1e-9)
    visits = Visits(attributes, class_of, people.person_of, asked.k)
    done = visits.protected(allowed)
    run.documents["visits.json"] = done.to_dict()
    there = class_of >= 0
    if visits.lost(done):
        classes = [part.k for part in private.promises if isinstance(part, KAnonymity)]
        lost = told_of_lost(visits, done, max(classes, default=0), limit)
        run.said_first.append(Kind.COLUMN(lost))
    if starred := int((done.starred & there).sum()):
        run.warnings.append(
            Kind.LOSS(
                f"{some_of(starred, int(there.sum()), 'record is')} published with {SUPPRESSED} "
                f"for {', '.join(asked.visit)}: fewer than {asked.k} people of the class have "
                "such a visit"
            )
        )
    found = {}
    for item, level in zip(attributes, done.levels, strict=True):
        number, labels, _ = item.at(level)
        name = item.taxonomy.attribute
        shown = pl.Series([*labels, SUPPRESSED], dtype=pl.String)
        at = np.where(done.starred, len(labels), number[item.leaf]).astype(np.uint32)
        found[name] = shown.gather(pl.Series(at)).alias(name)
    return found


def generalized_visits(run: Run) -> list[str]:
    """The attributes of visits that a run does not publish as they are."""
    done = run.documents.get("visits.json")
    if not isinstance(done, Mapping):
        return []
    return [name for name, level in done["levels"].items() if level or done["starred"]]
