"""Quasi-identifiers of visits, generalized once the classes of people are found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.document import some_of
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.warnings import LITTLE
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import distinct_values
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.known_visit import KnownVisit
from indistinct.recoding.plan import published_classes
from indistinct.recoding.visits import VisitAttribute, VisitPlan, visits_protected
from indistinct.types import Ints, Ints32

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan

WIDER_LIMITS = (0.05, 0.1, 0.2)
"""Shares of visits published as ``*`` that are tried where little of an attribute is left."""


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
    limit = run.asked.method.suppression_limit
    allowed = math.floor(limit * int((class_of >= 0).sum()) + 1e-9)
    visits = _Visits(attributes, class_of, people.person_of, asked.k)
    done = visits.protected(allowed)
    run.documents["visits.json"] = done.to_dict()
    there = class_of >= 0
    if visits.lost(done):
        run.said_first.append(_told_of_lost(visits, done, policy, limit))
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


@dataclass(frozen=True, eq=False)
class _Visits:
    """Attributes of visits, and the classes within which people must have such visits.

    Arguments:
        attributes: what is known of a visit.
        class_of: the class of every row, -1 of rows that are not to be looked at.
        person_of: the person of every row.
        k: people of a class who have a visit that looks like any one of them.
    """

    attributes: Sequence[VisitAttribute]
    class_of: Ints32
    person_of: Ints32
    k: int

    def protected(self, allowed: int) -> VisitPlan:
        """What is published of them where so many rows may be ``*``."""
        return visits_protected(self.attributes, self.class_of, self.person_of, self.k, allowed)

    def lost(self, done: VisitPlan) -> list[str]:
        """The attributes of which a quarter of the information is left, or less."""
        found = []
        there = self.class_of >= 0
        for item, level in zip(self.attributes, done.levels, strict=True):
            shown = item.at(level)[0]
            told = _bits(item.leaf[there])
            left = _bits(np.where(done.starred, -1, shown[item.leaf])[there])
            if told > 0 and left <= LITTLE * told:
                found.append(item.taxonomy.attribute)
        return found

    def without(self, allowed: int) -> list[str]:
        """Attributes that have to go so that more than a quarter is left of all others.

        One after the other is tried beside those that stay, the first first.
        """
        stay: list[VisitAttribute] = []
        for item in self.attributes:
            tried = replace(self, attributes=[*stay, item])
            if not tried.lost(tried.protected(allowed)):
                stay.append(item)
        return [item.taxonomy.attribute for item in self.attributes if item not in stay]

    def in_one_class(self) -> _Visits:
        """The same where all people are one class."""
        whole = np.where(self.class_of >= 0, 0, -1).astype(np.int32)
        return replace(self, class_of=whole)


def _bits(codes: Ints | Ints32) -> float:
    """The entropy of values, in bits."""
    shares = np.unique(codes, return_counts=True)[1] / max(len(codes), 1)
    return float(-(shares * np.log2(shares)).sum())


def _told_of_lost(visits: _Visits, done: VisitPlan, policy: Policy, limit: float) -> str:
    """That little of visits is left, and what keeps more, each way tried.

    Arguments:
        visits: what was looked at.
        done: what is published of it.
        policy: what is asked.
        limit: the share of rows that may be ``*``.
    """
    lost, k = visits.lost(done), visits.k
    rows = int((visits.class_of >= 0).sum())
    allowed = math.floor(limit * rows + 1e-9)
    ways, left = [], set(lost)
    for wider in (wider for wider in WIDER_LIMITS if wider > limit):
        better = visits.lost(visits.protected(math.floor(wider * rows)))
        if kept := [name for name in lost if name not in better]:
            ways.append(f"to keep more of {_quoted(kept)}, write suppression_limit = {wider}")
            left -= set(kept)
            break
    whole = visits.in_one_class()
    never = whole.lost(whole.protected(allowed))
    people = len(np.unique(visits.person_of[visits.class_of >= 0]))
    larger = min(10 * k, people // 2)
    classes = [part.k for part in policy.privacy_models if isinstance(part, KAnonymity)]
    more = [name for name in lost if name not in never]
    if more and larger > max([k, *classes]):
        ways.append(
            f"to keep more of {_quoted(more)}, write k = {larger} in k-anonymity, and promise "
            f"known-visit with k = {k}"
        )
        left -= set(more)
    if left:
        gone = whole.without(allowed) if left & set(never) else visits.without(allowed)
        stay = [item.taxonomy.attribute for item in visits.attributes]
        stay = [name for name in stay if name not in gone]
        if stay:
            ways.append(
                f'to keep more of {_quoted(stay)}, write role = "identifier" in place of role and '
                f"level of {_quoted(gone)}"
            )
        elif not ways:
            ways.append("no more would be left of one of them alone")
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
