"""Visits of people who are attacked, and what a release publishes of visits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import Visits
from indistinct.analytics.release_view import ReleaseView
from indistinct.analytics.weighted import Rows, compressed
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.attacked import Attacked
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.transform_facts import FOLLOWED
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import distinct_values, sorted_values
from indistinct.types import Ints, Ints32

if TYPE_CHECKING:
    from indistinct.policy import Policy


def moved_visits(policy: Policy) -> list[str]:
    """Quasi-identifiers of visits whose truth cannot be found again in a release."""
    rules = {name: policy.attributes[name].transform for name in policy.visit_identifiers}
    return [name for name, rule in rules.items() if rule and rule.name not in FOLLOWED]


def visits_of(view: ReleaseView, attacked: Attacked) -> Visits | None:
    """The visits of people, and what is published of visits; None where no one is known."""
    policy, people = attacked.private.policy, attacked.private.subjects
    known = [name for name in policy.visit_identifiers if name in attacked.texts.columns]
    names = [name for name in known if view.table.find(name) is not None]
    if not names or view.person is None or moved_visits(policy):
        return None
    owner, shown = view.visits(names)
    label, labels = _numbered(shown)
    visit, different = _numbered(attacked.texts.select(names))
    number, sets = np.empty(different.height, np.int64), dict[bytes, int]()
    members: list[Ints32] = []
    covers = []
    for name in names:
        values, counts = distinct_values(different[name])
        taxonomy = taxonomy_of(policy, attacked.private.table, name, values, counts)
        cells = sorted_values(labels[name])
        covered = Coverage(taxonomy).matrix(cells)
        covered[[cell == SUPPRESSED for cell in cells]] = True
        covers.append(
            covered[codes_in(labels[name], cells)][:, codes_in(different[name], taxonomy.leaves)]
        )
    fits = np.logical_and.reduce(covers)
    for at in range(different.height):
        own = np.flatnonzero(fits[:, at]).astype(np.int32)
        number[at] = sets.setdefault(own.tobytes(), len(sets))
        if number[at] == len(members):
            members.append(own)
    held = Ragged.distinct(people.person_of, number[visit], people.count, len(sets))
    found = Ragged.distinct(owner, label, view.people_published, labels.height)
    return Visits(
        Rows(held.indptr, held.value),
        compressed(members),
        Rows(found.indptr, found.value),
        fits.all(axis=1),
    )


def _numbered(table: pl.DataFrame) -> tuple[Ints, pl.DataFrame]:
    """The number of every row among the distinct ones, and these."""
    distinct = table.unique(maintain_order=True)
    joined = table.join(
        distinct.with_row_index("\0row"), on=table.columns, nulls_equal=True, maintain_order="left"
    )
    return joined["\0row"].to_numpy().astype(np.int64), distinct
