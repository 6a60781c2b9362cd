"""The people of the private table as attackers need them: what they have, where they may stand."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.attacks import Places
from indistinct.analytics.attacks.places import Combined
from indistinct.analytics.published import unreadable_cell
from indistinct.analytics.release_view import ReleaseView
from indistinct.analytics.weighted import Lists
from indistinct.document import in_quotes
from indistinct.errors import DataError, HierarchyError, Problem
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import Coverage, in_terms_of
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.kept_policy import kept_by
from indistinct.intake.private_table import PrivateTable
from indistinct.microdata.microdata import distinct_values, sorted_values
from indistinct.types import Frame

if TYPE_CHECKING:
    from indistinct.policy import Policy

READ_BY_OWN = "{} read by the hierarchy of its own policy"
"""The note on columns whose labels mean something else in the policy of the first release."""


@dataclass(frozen=True)
class Attacked:
    """The people who are attacked.

    Arguments:
        private: the private table; its population is everybody among whom they could be.
        texts: the table, a row per record.
        beside: further columns of the table, which are published as they are.
    """

    private: PrivateTable
    texts: pl.DataFrame
    beside: tuple[str, ...] = ()
    _values: dict[str, Lists] = field(default_factory=dict, init=False, repr=False)
    _combined: dict[tuple[str, ...], Combined] = field(default_factory=dict, init=False, repr=False)

    def values(self, names: Sequence[str]) -> dict[str, Lists]:
        """What people have of some columns, over all their records, [n]; the same for all."""
        people = self.private.subjects
        for name in names:
            if name not in self._values:
                self._values[name] = (
                    Lists.single(self.texts[name])
                    if people.unit == "record"
                    else Lists.gathered(people.person_of, self.texts[name], people.count)
                )
        return {name: self._values[name] for name in names}

    def places(self, view: ReleaseView) -> Places:
        """Who could stand in which of the published rows."""
        private, around, quasi = self.private, self.private.population, view.quasi
        people = private.subjects.texts.select(quasi)
        taxonomies = {name: private.taxonomies[name] for name in quasi}
        if quasi not in self._combined:
            self._combined[quasi] = Combined.of_people(people, taxonomies, quasi)
        return Places(
            quasi=quasi,
            people=people,
            rows=view.rows,
            taxonomies=taxonomies,
            population=None if around is None else around.select(quasi),
            combined=self._combined[quasi],
        )

    def unreadable(self, view: ReleaseView, *, of_others: bool = False) -> list[Problem]:
        """Columns with cells of which nobody can say whom they stand for.

        Arguments:
            view: the release.
            of_others: whether it may hold people who are not in the table, with other numbers.
        """
        problems = []
        for name in view.quasi:
            coverage, cells = Coverage(self.private.taxonomies[name]), view.rows[name]
            strange = [
                cell
                for cell in cells.unique().to_list()
                if coverage.places(cell) is None and not (of_others and coverage.is_like(cell))
            ]
            if strange:
                found = cells.is_in(pl.Series(strange, dtype=pl.String).implode(), nulls_equal=True)
                rows = view.first_rows[found.to_numpy()] + 1
                problems.append(
                    unreadable_cell(name, view.table.name, rows, len(strange), len(cells))
                )
        return problems

    def reading(self, view: ReleaseView, policy: Policy) -> Attacked:
        """The same people, with the hierarchies of the policy that a release was made with.

        Those of the first release stay where they read more of the cells, or are the same.
        """
        found = own_hierarchies(view, self.private, policy)
        private = replace(self.private, taxonomies={**self.private.taxonomies, **found})
        return replace(self, private=private)


def own_hierarchies(
    view: ReleaseView, private: PrivateTable, policy: Policy
) -> dict[str, Taxonomy]:
    """The hierarchies that a release was made with, where they are others than those of a table.

    Arguments:
        view: the release.
        private: the table; its hierarchies stay where they read more of the cells.
        policy: the policy that the release keeps.
    """
    found = dict[str, Taxonomy]()
    for name in view.quasi:
        if name not in policy.quasi_identifiers:
            continue
        own, first = policy.attributes[name], private.policy.attributes[name]
        if own.hierarchy == first.hierarchy:
            continue
        values, counts = distinct_values(private.subjects.texts[name])
        there = private.population
        people = () if there is None else sorted_values(there[name])
        own_values = set(values)
        others = [value for value in people if value not in own_values]
        with contextlib.suppress(DataError, HierarchyError):
            every = (*values, *others), (*counts, *(0 for _ in others))
            found[name] = taxonomy_of(policy, private.table, name, *every)
            if unread(view.rows, found, [name]) > unread(view.rows, private.taxonomies, [name]):
                del found[name]
    return found


def in_own_terms(
    view: ReleaseView, given: Frame, private: PrivateTable
) -> tuple[ReleaseView, list[str]]:
    """A release whose cells a table's hierarchies read as the release's own ones do, and a note.

    A node of the release's own hierarchy that stands for other values in the table's is written as
    the set of them.

    Arguments:
        view: the release.
        given: what was given as it: it may keep the policy that it was made with.
        private: the table.
    """
    policy = kept_by(given)
    own = {} if policy is None else own_hierarchies(view, private, policy)
    spelt = {
        name: in_terms_of(view.rows[name].unique().to_list(), taxonomy, private.taxonomies[name])
        for name, taxonomy in own.items()
    }
    read = [name for name, cells in spelt.items() if cells]
    return view.respelt(spelt), [READ_BY_OWN.format(in_quotes(read))] if read else []


def unread(records: pl.DataFrame, taxonomies: Mapping[str, Taxonomy], quasi: Sequence[str]) -> int:
    """How many different published cells stand for nothing that is known.

    Arguments:
        records: the published records, as text.
        taxonomies: the hierarchy of each quasi-identifier.
        quasi: the quasi-identifiers that are looked at.
    """
    covers = {name: Coverage(taxonomies[name]) for name in quasi}
    return sum(
        covers[name].places(cell) is None
        for name in quasi
        for cell in records[name].unique().to_list()
    )
