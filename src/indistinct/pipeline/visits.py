"""Quasi-identifiers of visits, generalized once the classes of people are found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.document import some_of
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.warnings import LITTLE
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import distinct_values
from indistinct.privacy.known_visit import KnownVisit
from indistinct.recoding.plan import published_classes
from indistinct.recoding.visits import VisitAttribute, VisitPlan, visits_protected
from indistinct.types import Bools, Ints, Ints32

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.recoding.plan import Plan


def visits_within_classes(private: PrivateTable, plan: Plan, run: Run) -> dict[str, pl.Series]:
    """The columns of visits, row by row, as the promise ``known-visit`` lets them be published.

    The policy's limit is the share of records whose visit may be ``*``. Visits of people who are
    suppressed are ``*`` as well.

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
    allowed = math.floor(policy.method.suppression_limit * int((class_of >= 0).sum()) + 1e-9)
    done = visits_protected(attributes, class_of, people.person_of, asked.k, allowed)
    run.documents["visits.json"] = done.to_dict()
    there = class_of >= 0
    if lost := _lost(attributes, done, there):
        whole = np.where(there, 0, -1).astype(np.int32)
        best = visits_protected(attributes, whole, people.person_of, asked.k, allowed)
        never = _lost(attributes, best, there)
        larger = min(10 * asked.k, people.count // 2)
        run.said_first.append(_told_of_lost(lost, never, asked.k, larger))
    if starred := int((done.starred & there).sum()):
        run.warnings.append(
            f"{some_of(starred, int(there.sum()), 'record is')} published with {SUPPRESSED} for "
            f"{', '.join(asked.visit)}: fewer than {asked.k} people of a class have such a visit"
        )
    found = {}
    for item, level in zip(attributes, done.levels, strict=True):
        number, labels, _ = item.at(level)
        name = item.taxonomy.attribute
        shown = pl.Series([*labels, SUPPRESSED], dtype=pl.String)
        at = np.where(done.starred, len(labels), number[item.leaf]).astype(np.uint32)
        found[name] = shown.gather(pl.Series(at)).alias(name)
    return found


def _lost(attributes: Sequence[VisitAttribute], done: VisitPlan, there: Bools) -> list[str]:
    """The attributes of visits of which a quarter of the information is left, or less."""
    found = []
    for item, level in zip(attributes, done.levels, strict=True):
        shown = item.at(level)[0]
        told = _bits(item.leaf[there])
        left = _bits(np.where(done.starred, -1, shown[item.leaf])[there])
        if told > 0 and left <= LITTLE * told:
            found.append(item.taxonomy.attribute)
    return found


def _bits(codes: Ints | Ints32) -> float:
    """The entropy of values, in bits."""
    shares = np.unique(codes, return_counts=True)[1] / max(len(codes), 1)
    return float(-(shares * np.log2(shares)).sum())


def _told_of_lost(lost: Sequence[str], never: Sequence[str], k: int, larger: int) -> str:
    """That little of visits is left, and what keeps more.

    Arguments:
        lost: the attributes of visits of which little is left.
        never: those of which little is left even where all people are one class.
        k: people of a class who have such a visit.
        larger: people of larger classes.
    """
    more = [name for name in lost if name not in never]
    ways = []
    if more and larger > k:
        ways.append(
            f"to keep more of {_quoted(more)}, write k = {larger} in k-anonymity, and promise "
            f"known-visit with k = {k}"
        )
    if never:
        ways.append(
            f"no class keeps {_quoted(never)} beside the other attributes of visits: write "
            'role = "identifier" for one of these'
        )
    return (
        f"the release keeps little or nothing of {_quoted(lost)}: fewer than {k} people of a class"
        f" have such a visit; {'; '.join(ways)}"
    )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def generalized_visits(run: Run) -> list[str]:
    """The attributes of visits that a run does not publish as they are."""
    done = run.documents.get("visits.json")
    if not isinstance(done, Mapping):
        return []
    return [name for name, level in done["levels"].items() if level or done["starred"]]
