"""The verb *compare* where people have many records: long releases and linked tables, by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from indistinct.errors import DataError, IndistinctError, Problem
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.microdata import distinct_values
from indistinct.microdata.people import Events
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.opening import Progress, open_source
from indistinct.pipeline.people import events_of, pairs_of, people_in
from indistinct.pipeline.population import covers, population_of
from indistinct.pipeline.published_people import PublishedPeople, published_people
from indistinct.pipeline.release import Release
from indistinct.pipeline.value_metadata import value_metadata_of
from indistinct.privacy.promise import effective
from indistinct.release.audit import audit as audit_release
from indistinct.requirement import Requirement
from indistinct.sources.eager import EagerTable

if TYPE_CHECKING:
    from indistinct.analytics.comparison import Comparison, Kept
    from indistinct.analytics.contingency import Contingency
    from indistinct.analytics.joined import JoinedRelease
    from indistinct.analytics.query_error import Mode, Workload
    from indistinct.policy import Policy
    from indistinct.release.audit import Verdict


@dataclass(frozen=True)
class _Read:
    """A release as it was read, and what its certificate and its run say."""

    given: Any
    name: str
    path: str
    people: PublishedPeople
    requirements: tuple[Requirement, ...]
    known: Mapping[str, ValueMetadata]
    added: Mapping[str, int] | None
    seconds: float | None


def compare_people(
    data: Any,
    given: Sequence[tuple[str, Any]],
    policy: Policy,
    *,
    k: int | None,
    workload: Workload,
    mode: Mode,
    weights: Mapping[str, float] | None,
    attackers: tuple[str, ...] | None,
    contingency: tuple[str, str] | None,
    tell: Progress,
    path: str | Path | None,
) -> Comparison:
    """Releases of a table of people with many records, side by side; all figures count people.

    Arguments:
        data: the private table.
        given: the releases with their names.
        policy: names the person.
        k: the size of classes that C_AVG refers to.
        workload: which queries are asked.
        mode: the mode that is told first.
        weights: of quasi-identifiers; those of the policy where not given.
        attackers: the attackers that are let loose; None for none.
        contingency: two columns that are counted together, of long releases.
        tell: is told what is being done.
        path: the file that a frame was read from.

    Raises:
        DataError, PolicyError, HierarchyError: as :func:`indistinct.compare`.
    """
    from indistinct.analytics.comparison import ComparedRelease, Comparison, OfPeople
    from indistinct.analytics.joined import PeopleTable
    from indistinct.analytics.linkability import record_intersection, record_linkability
    from indistinct.analytics.linked_query_error import LinkedQueries
    from indistinct.analytics.query_error import MODES
    from indistinct.analytics.utility import Utility
    from indistinct.pipeline.comparing import (
        asked_of,
        attacked,
        needs_population,
        promised_k,
        settled,
        total_of,
    )

    tell("reading the releases", None)
    read = [_read(part, name, policy) for name, part in given]
    tell("reading", None)
    table, digest = open_source(data, policy, path, held=True)
    file = None if digest is None else table.name
    assert isinstance(table, EagerTable)
    together = None if contingency is None else _together(table, read, contingency)
    asked = asked_of(policy, [one.requirements for one in read])
    assert policy.person is not None
    names = list(policy.sensitive)
    texts = table.text([policy.person, *policy.quasi_identifiers, *names])
    people = people_in(texts, policy, file)
    assert people is not None
    asked = settled(asked, texts)
    read = [replace(one, requirements=tuple(settled(one.requirements, texts))) for one in read]
    population = population_of(policy) if any(map(needs_population, asked)) else None
    taxonomies = taxonomies_of(table, policy, people.texts, None, file, population)
    known = value_metadata_of(policy, table, texts, names, file)
    referring = _with_references(known, asked, events_of(people, texts, names))
    private = PeopleTable.of(people.texts, taxonomies, people.person_of, texts.select(names), known)
    original = private.original
    tell("drawing queries", None)
    drawn = workload.draw(original)
    tell("looking at people and buckets", None)
    joined = [one.people.joined(original, policy, one.path) for one in read]
    everywhere = [name for name in names if all(name in part.listed for part in joined)]
    questions = LinkedQueries.draw(private, workload, sensitive=everywhere)
    quasi = policy.quasi_identifiers
    compared = []
    for at, (one, part) in enumerate(zip(read, joined, strict=True)):
        tell(f"measuring {one.name}", at / len(read))
        size = k or promised_k(one.requirements, quasi) or promised_k(policy.requirements, quasi)
        chosen = policy.weights if weights is None else weights
        promised = _audited(one, part, asked, quasi, referring, population, taxonomies, policy)
        compared.append(
            ComparedRelease(
                name=one.name,
                path=one.path,
                utility=Utility(original, part.published, total_of(one.added), size, chosen),
                errors={each: drawn.error(part.published, each) for each in MODES},
                mode=mode,
                promises=promised,
                added=one.added,
                seconds=one.seconds,
                attacks=(
                    None
                    if attackers is None
                    else attacked(data, one.given, policy, attackers, path)
                ),
                notes=one.people.notes,
                of_people=OfPeople(
                    rows=one.people.rows,
                    linkability=record_linkability(private, part.published),
                    intersection=record_intersection(private, part),
                    queries=questions.error(part),
                ),
            )
        )
    return Comparison(
        original.records,
        quasi,
        tuple(compared),
        workload,
        drawn.dimensions,
        together,
        rows=people.rows,
    )


def _read(given: Any, name: str, policy: Policy) -> _Read:
    from indistinct.pipeline.comparing import account_beside, added_by, on_all, seconds_of

    path = str(given) if isinstance(given, str | Path) else name
    try:
        people = published_people(given, policy.quasi_identifiers, policy.person)
    except DataError as error:
        raise DataError([replace(item, file=path) for item in error.problems]) from None
    requirements: tuple[Requirement, ...] = ()
    known: Mapping[str, ValueMetadata] = {}
    run: Mapping[str, Any] | None = None
    claims = people.published.claims
    if isinstance(given, Release):
        requirements = tuple(map(Requirement.from_dict, given.certificate.promises))
        known, run = given.certificate.sensitive, given.run.to_dict()
    elif claims is not None:
        requirements, known = claims.requirements, claims.known
        run = account_beside(claims.path.parent / "private" / "run.json")
    return _Read(
        given=given,
        name=name,
        path=path,
        people=people,
        requirements=tuple(
            _of_bucket(on_all(effective(item), policy.quasi_identifiers), people)
            for item in requirements
        ),
        known=known,
        added=added_by(run),
        seconds=seconds_of(run),
    )


def _of_bucket(requirement: Requirement, people: PublishedPeople) -> Requirement:
    """The same promise; of linked tables it speaks of buckets without saying so."""
    if people.person is None and requirement.on == (people.link_column,):
        return replace(requirement, on=None)
    return requirement


def _with_references(
    known: Mapping[str, ValueMetadata], asked: Sequence[Requirement], events: Events
) -> dict[str, ValueMetadata]:
    """The same, with how many people have each value, where a promise compares with that."""
    found = dict(known)
    for item in asked:
        if item.reference == "original" and item.sensitive in found:
            values, counts = distinct_values(pairs_of(events, item.sensitive))
            total = sum(counts)
            shares = {value: count / total for value, count in zip(values, counts, strict=True)}
            found[item.sensitive] = replace(found[item.sensitive], reference=shares)
    return found


def _audited(
    one: _Read,
    joined: JoinedRelease,
    asked: Sequence[Requirement],
    quasi: tuple[str, ...],
    known: Mapping[str, ValueMetadata],
    population: pl.DataFrame | None,
    taxonomies: Mapping[str, Taxonomy],
    policy: Policy,
) -> tuple[Kept, ...]:
    """What a release achieves of every promise; None of those that it cannot be held against."""
    from indistinct.analytics.comparison import Kept

    people = one.people
    tables = {part.name: part.texts(part.columns) for part in people.published.tables}
    release = tables if people.person is None else tables[people.table.name]
    about = {
        name: one.known.get(name) or _of_labels(known[name], joined.listed[name].labels)
        for name in known
        if name in joined.listed
    }
    covering = None
    if population is not None and set(people.quasi) == set(quasi):
        covering = covers(people.cells(policy), taxonomies, quasi)

    def verdict(requirement: Requirement) -> Verdict | None:
        try:
            found = audit_release(
                release,
                [requirement],
                quasi,
                known=about,
                population=population,
                covers=covering,
                person=people.person,
                linked=people.link,
            )
        except IndistinctError:
            return None
        return found.promises[0]

    own = one.requirements or asked
    found = [(item, verdict(item)) for item in asked]
    return tuple(
        Kept(item, kept, item in own, quasi if kept is None else kept.on) for item, kept in found
    )


def _of_labels(about: ValueMetadata, labels: Sequence[str | None]) -> ValueMetadata:
    """What is known of published labels; a category in the place of values is its own."""
    homes = set(about.categories.values())
    if homes and set(labels) <= homes and not set(labels) <= set(about.categories):
        own: dict[str | None, str] = {label: str(label) for label in labels}
        return ValueMetadata(categories=own, category_order=about.category_order)
    return about


def _together(table: EagerTable, read: Sequence[_Read], names: tuple[str, str]) -> Contingency:
    """How often two columns have which values together, in records of long releases."""
    from indistinct.pipeline.comparing import together_in

    problems = [
        Problem(
            "linked-tables",
            "linked tables do not say which values stand together in a record",
            file=one.path,
            remedy="count what can be expected: indistinct.expected joins the tables with weights",
        )
        for one in read
        if one.people.person is None
    ]
    if problems:
        raise DataError(problems)
    shown = {
        one.name: (
            one.path,
            one.people.table.texts(
                [name for name in dict.fromkeys(names) if one.people.table.find(name) is not None]
            ),
        )
        for one in read
    }
    return together_in(table, shown, names)
