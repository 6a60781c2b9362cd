"""The verb *compare*: releases of one table side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.attacks import STRANGERS, AttackReport
from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import Original, PublishedRows, read_rows
from indistinct.analytics.release_view import ReleaseView
from indistinct.analytics.risk.population import covers
from indistinct.analytics.utility.comparison import ComparedRelease, Comparison, Kept, OfPeople
from indistinct.analytics.utility.contingency import Contingency
from indistinct.analytics.utility.contingency import contingency as contingency_of
from indistinct.analytics.utility.figures import Utility
from indistinct.analytics.utility.kept import Kept as Left
from indistinct.analytics.utility.kept import kept
from indistinct.analytics.utility.linkability import record_intersection, record_linkability
from indistinct.analytics.utility.linked_query_error import LinkedQueries
from indistinct.analytics.utility.query_error import MODES, Workload, known_mode
from indistinct.document import many
from indistinct.errors import (
    DataError,
    IndistinctError,
    Problem,
    Problems,
    did_you_mean,
    refuse,
    shown_names,
)
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.attacked import in_own_terms
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.kept_policy import policy_of, refuse_swapped
from indistinct.intake.opening import PolicyLike, Progress, names_of, no_progress, open_source
from indistinct.intake.private_table import PrivateTable
from indistinct.intake.run import Run
from indistinct.intake.sought_releases import sought_by
from indistinct.intake.transform_facts import changes_values, policy_of_originals, untried_in
from indistinct.intake.transforming import followed
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.microdata import distinct_values
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.analyses import analysed, columns_of
from indistinct.pipeline.attack import attack
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import effective, known_promise, promise_of, promised_class_size
from indistinct.release.audit import Verdict
from indistinct.release.audit import audit as audit_release
from indistinct.requirement import Requirement
from indistinct.sources.engines import rows_of
from indistinct.sources.table import Table, count_column
from indistinct.types import Frame

if TYPE_CHECKING:
    from indistinct.policy import Policy


def compare(  # noqa: PLR0913, what its user may say
    data: Frame,
    *releases: Frame,
    policy: PolicyLike | None = None,
    names: Sequence[str] | None = None,
    k: int | None = None,
    queries: int = 1000,
    dimensions: int | None = None,
    selectivity: float = 0.05,
    mode: str = "overlap",
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    attacks: bool | Sequence[str] | str = False,
    contingency: tuple[str, str] | None = None,
    progress: Progress | None = None,
    path: str | Path | None = None,
) -> Comparison:
    """Releases of one table side by side: the promises they keep, and what they cost.

    Releases of other tools work too: cells are exact values, nodes of the policy's hierarchies,
    ranges ``[20, 24]``, sets ``{flu, asthma}`` or ``*``. A quasi-identifier that a release does not
    have counts as suppressed in it. The result is private.

    If the policy names the person of each record, all figures count people, in long releases and
    linked tables. The result then also says whether people can be linked to their rows, what is
    believed about them, and the error of answers from joined tables.

    Arguments:
        data: the private table, a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a
            file. It is not changed.
        releases: what was published of it, each a :class:`Release`, a frame, the path of a file or
            of a release's folder; or one list of these, or one mapping of names to them. Two linked
            tables are a mapping of ``quasi`` and ``sensitive``, as ``Release.tables`` has them.
        policy: roles, hierarchies and promises; or its keys, or its file. By default the one that
            the first release keeps in ``private/``. A release that keeps one of its own is read by
            its hierarchies.
        names: names for the releases in the tables.
        k: the size of classes for C_AVG and the smallest DCP; by default the largest k that each
            release's certificate promises, else the policy's.
        queries: how many counting queries each release is asked.
        dimensions: how many quasi-identifiers a query has conditions on; by default two.
        selectivity: the share of records that a query is expected to find.
        mode: how releases answer, ``overlap`` or ``uniform``; the other is reported too.
        seed: for the random queries. The same seed gives the same queries.
        weights: of quasi-identifiers in the certainty penalty; by default the policy's.
        attacks: True runs the attackers on each release, and shows what the one learns who learns
            most; names of attackers show each of these.
        contingency: two columns whose values are counted together, in the table and in every
            release.
        progress: a function that gets the stage and the share done.
        path: the file that a frame was read from, for messages.

    Raises:
        DataError: the table or a release cannot be read, or has cells that cannot; or a setting is
            out of range.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values, or is not a tree.
    """
    named = _given(releases, names)
    refuse_swapped(data, [given for _, given in named])
    asked, told = policy_of(policy, [given for _, given in named])
    policy = policy_of_originals(asked)
    tell = progress or no_progress
    asked_mode = known_mode(mode)
    workload = Workload(queries, dimensions, selectivity, seed)
    tell("reading the releases", None)
    read = [_read(part, name, policy) for name, part in named]
    tell("reading", None)
    held = _Held.of(data, policy, read, path, contingency)
    subjects, original, people = held.private.subjects, held.original, held.people
    read = [one.settled(subjects.records).in_own_terms(held.private) for one in read]
    tell("drawing queries", None)
    drawn = workload.draw(original)
    changed = [name for name, item in policy.attributes.items() if item.transform is not None]
    if people is not None:
        tell("looking at people and buckets", None)
    shown = [_rows(one, original, people, changed) for one in read]
    untried = untried_in(asked)
    questions = _questions(people, workload, shown)
    quasi, compared = policy.quasi_identifiers, []
    for at, (one, (rows, joined)) in enumerate(zip(read, shown, strict=True)):
        tell(f"measuring {one.name}", at / len(read))
        promised = (promised_k(said, quasi) for said in (one.promises, policy.requirements))
        size = next(filter(None, promised), None) if k is None else k
        chosen = policy.weights if weights is None else weights
        added = one.view.said.added
        total = None if added is None else sum(added.values())
        found = None
        of_people, notes = None, [*filter(None, [told[at]]), *one.notes, *one.view.notes()]
        if attacks:
            only = None if attacks is True else names_of(attacks)
            tried = attack(data, one.given, asked, only=only, path=path)
            found = tried.attacks
            notes += _untried(tried, named=attacks is not True)
        if people is not None and joined is not None and questions is not None:
            met = record_intersection(people, joined, untried)
            notes += [
                f"'{name}': beliefs are not measured, {why}" for name, why in met.untried.items()
            ]
            of_people = OfPeople(
                rows=one.view.height,
                linkability=record_linkability(people, rows),
                intersection=met,
                queries=questions.error(joined),
            )
        utility = Utility(original, rows, total, size, chosen)
        if utility.quality_by_attribute.of_others:
            notes.append(f"{STRANGERS}: what is kept and lost says nothing of it")
        compared.append(
            ComparedRelease(
                name=one.name,
                path=one.path,
                utility=utility,
                errors={each: drawn.error(rows, each) for each in MODES},
                mode=asked_mode,
                promises=held.audited(one, joined),
                added=added,
                seconds=one.view.said.seconds,
                attacks=found,
                notes=tuple(notes),
                of_people=of_people,
                analyses=None
                if held.to_analyse is None
                else analysed(
                    Run(policy, 0, tell), held.to_analyse, one.view, held.private.metadata
                ),
                classes=(one.view.said.of_people or {}).get("classes"),
                transformed=_transformed(held.table, policy, one.view),
                visits=held.of_visits(one, changed),
            )
        )
    return Comparison(
        original.records,
        quasi,
        tuple(compared),
        workload,
        drawn.dimensions,
        drawn.occurring,
        held.together,
        rows=None if people is None else subjects.rows,
        attackers_named=not isinstance(attacks, bool),
    )


@dataclass(frozen=True)
class _Read:
    """A release as it was read.

    Arguments:
        given: what was given.
        name: what tables call it.
        path: what messages call it.
        view: what was found.
        promises: the promises that its certificate names.
        notes: on cells that are read by hierarchies of its own.
    """

    given: Frame
    name: str
    path: str
    view: ReleaseView
    promises: tuple[Requirement, ...]
    notes: tuple[str, ...] = ()

    def in_own_terms(self, private: PrivateTable) -> _Read:
        """The same, with cells that mean by the table's hierarchies what they mean by its own."""
        view, notes = in_own_terms(self.view, self.given, private)
        return replace(self, view=view, notes=tuple(notes))

    def settled(self, texts: pl.DataFrame) -> _Read:
        """The same, with promises settled on the values of the table."""
        return replace(self, promises=tuple(settled(self.promises, texts)))


def _read(given: Frame, name: str, policy: Policy) -> _Read:
    path = str(given) if isinstance(given, str | Path) else name
    try:
        records = policy.person is None
        view = ReleaseView.read(given, sought_by(policy), as_records=records, as_codes=True)
    except DataError as error:
        raise DataError([replace(item, file=path) for item in error.problems]) from None
    view.refuse_nobody()
    promised = [on_all(effective(item), policy.quasi_identifiers) for item in view.said.promises]
    if view.link is not None:
        # A promise about linked tables speaks of buckets without saying so.
        promised = [replace(p, on=None) if p.on == (view.by,) else p for p in promised]
    return _Read(given, name, path, view, tuple(promised))


@dataclass(frozen=True)
class _Held:
    """The private table that releases are held against.

    Arguments:
        private: the table.
        people: the people of the table, where they have many records.
        original: its combinations.
        asked: the promises that releases are held against.
        together: two columns that were counted together, where that was asked.
        to_analyse: what the policy's analyses read of the table; None where it asks for none.
        table: the table as it was read.
        visits: what others know of a visit; None where nothing is.
    """

    private: PrivateTable
    people: PeopleTable | None
    original: Original
    asked: tuple[Requirement, ...]
    together: Contingency | None
    to_analyse: pl.DataFrame | None
    table: Table
    visits: Original | None

    @classmethod
    def of(
        cls,
        data: Frame,
        policy: Policy,
        read: Sequence[_Read],
        path: str | Path | None,
        contingency: tuple[str, str] | None,
    ) -> _Held:
        """The table as far as releases are compared with it.

        Arguments:
            data: the private table.
            policy: says what its columns are.
            read: the releases.
            path: the file that a frame was read from.
            contingency: two columns that are counted together.
        """
        of_people = policy.person is not None
        held = of_people or changes_values(policy)
        table, digest = open_source(data, policy, path, held=held, scanned=not held)
        together = None if contingency is None else _together(table, read, contingency)
        asked = asked_of(policy, [one.promises for one in read])
        told = [item.sensitive for item in asked]
        names = [name for name in policy.sensitive if of_people or name in told]
        known = [known_promise(item) for item in asked]
        source = followed(table, policy, policy.sensitive)
        columns = list(dict.fromkeys([*policy.quasi_identifiers, *names]))
        private = PrivateTable.of(
            source,
            Run(policy, 0),
            sensitive=names,
            file=None if digest is None else table.name,
            promises=[p for p in known if p is not None and p.sensitive in (None, *names)],
            subjects=Subjects.of_records(rows_of(source, columns)[0])
            if source.held and not of_people
            else None,
        )
        subjects, taxonomies = private.subjects, private.taxonomies
        private = replace(private, metadata=_with_certified(private.metadata, read))
        people = None
        if of_people:
            people = PeopleTable.of(
                subjects.texts, taxonomies, subjects.person_of, subjects.records, private.metadata
            )
            original = people.original
        else:
            original = Original.of(subjects.texts, taxonomies, subjects.weight)
        promised = tuple(settled(asked, subjects.records))
        analysed_columns = columns_of(policy, table)
        visits = _visits(source, policy) if of_people else None
        return cls(private, people, original, promised, together, analysed_columns, table, visits)

    def of_visits(self, one: _Read, changed: Sequence[str]) -> Mapping[str, float]:
        """What is lost of each quasi-identifier of visits: its certainty penalty, 0 to 1."""
        if self.visits is None:
            return {}
        names = self.visits.attributes
        there = [name for name in names if name in one.view.table.columns]
        if one.view.person is None or not there:
            return dict.fromkeys(names, 1.0)
        stars = [pl.lit(SUPPRESSED).alias(name) for name in names if name not in there]
        texts = one.view.visits(there)[1].with_columns(stars)
        rows = read_rows(self.visits, texts, one.path, changed)
        return Utility(self.visits, rows).ncp.per_attribute

    def audited(self, one: _Read, joined: JoinedRelease | None) -> tuple[Kept, ...]:
        """What a release achieves of every promise; None of those it cannot be held against."""
        private, view = self.private, one.view
        quasi, known = private.policy.quasi_identifiers, private.metadata
        spoken_of = list(dict.fromkeys(name for item in self.asked for name in _known_in(item)))
        shown = _texts_of(view, {*quasi, *spoken_of})
        release: Frame = shown
        if view.link is not None:
            parts = {part.name: part.texts(part.columns) for part in view.published.tables}
            release = {**parts, view.table.name: shown}
        if joined is not None:
            known = {
                name: view.said.known.get(name) or _of_labels(about, joined.listed[name].labels)
                for name, about in known.items()
                if name in joined.listed
            }
        covering = None
        if private.population is not None and (joined is None or set(view.quasi) == set(quasi)):
            cells = release if joined is None else view.rows
            covering = covers(cells, private.taxonomies, quasi)
            for name in {*view.sought.spelt} & {*quasi}:
                spelt = view.sought.spelt[name]
                read = pl.DataFrame({name: [*spelt.values()]}, schema={name: pl.String})
                of_own = covers(read, private.taxonomies, [name])[name]
                covering[name] |= {raw: of_own[cell] for raw, cell in spelt.items()}

        def verdict(requirement: Requirement) -> Verdict | None:
            others = [name for name in requirement.on or () if name not in quasi]
            if others and private.population is not None:
                return None
            try:
                found = audit_release(
                    release,
                    [requirement],
                    (*quasi, *others),
                    known=known,
                    population=private.population,
                    covers=covering,
                    person=view.person,
                    linked=view.link,
                )
            except IndistinctError:
                return None
            return found.kept_by_all[0]

        own = one.promises or self.asked
        found = [(item, _of_people(one, item, quasi) or verdict(item)) for item in self.asked]
        return tuple(
            Kept(item, kept, item in own, item.on or quasi if kept is None else kept.on)
            for item, kept in found
        )


def _visits(table: Table, policy: Policy) -> Original | None:
    """The quasi-identifiers of visits, a row per record; None where the policy has none."""
    names = [name for name in policy.visit_identifiers if name in table.columns]
    texts = table.text(names)
    taxonomies = {
        name: taxonomy_of(policy, table, name, *distinct_values(texts[name])) for name in names
    }
    return Original.of(texts, taxonomies) if names else None


def _transformed(table: Table, policy: Policy, view: ReleaseView) -> Left | None:
    """What is left of transformed columns, beside others that are published value by value."""
    if view.link is not None:
        return None
    both = {*table.columns} & {*view.table.columns}
    there = [name for name in policy.published_beside if name in both]
    changed = [name for name in there if policy.attributes[name].transform is not None]
    return kept(table.text(there), view.table.texts(there), changed) if changed else None


def _of_people(one: _Read, asked: Requirement, quasi: tuple[str, ...]) -> Verdict | None:
    """What a run says that a promise rests on without what is made up; None where it does not."""
    account = one.view.said.of_people or {}
    for item, said in zip(one.promises, account.get("promises", ()), strict=False):
        if item == asked and dict(item.parameters) == dict(asked.parameters):
            on = tuple(said.get("on") or item.on or quasi)
            return Verdict(
                item, on, said["holds"], said["achieved"],
                achieved_with=said.get("achieved_with", {}),
            )  # fmt: skip
    return None


def _untried(report: AttackReport, *, named: bool) -> Iterator[str]:
    """Which attackers of those that were named were not tried, and why; else which attributes."""
    if not named:
        for what, why in report.untried().items():
            if ": " in what:
                yield f"{what}: not tried, because {why}"
        return
    whys: dict[str, list[str]] = {}
    for item in report.skipped:
        of = f" of '{item.sensitive}'" if item.sensitive else ""
        whys.setdefault(item.why, []).append(f"{item.name}{of}")
    for why, names in whys.items():
        yield f"not tried: {', '.join(names)}, because {why}"


def _rows(
    one: _Read, original: Original, people: PeopleTable | None, changed: Sequence[str]
) -> tuple[PublishedRows, JoinedRelease | None]:
    """The rows of a release against the table; where people have many records, with buckets."""
    if people is None:
        texts = one.view.with_stars(original.attributes)
        return read_rows(original, texts, one.path, changed), None
    joined = one.view.joined(original, one.path, changed)
    return joined.published, joined


def _questions(
    people: PeopleTable | None,
    workload: Workload,
    shown: Sequence[tuple[PublishedRows, JoinedRelease | None]],
) -> LinkedQueries | None:
    """Queries about people and what they have, where people have many records."""
    if people is None:
        return None
    everywhere = [
        name
        for name in people.values
        if all(joined is not None and name in joined.listed for _, joined in shown)
    ]
    return LinkedQueries.draw(people, workload, sensitive=everywhere)


def _texts_of(view: ReleaseView, known: Collection[str]) -> pl.DataFrame:
    """What is published, as it stands; what others know and is not there is suppressed.

    Arguments:
        view: the release; of two linked tables, the one of the quasi-identifiers.
        known: columns that promises take for known.
    """
    there = view.table.columns
    if view.link is None and view.person is None:
        told = [*view.quasi, *view.sensitive]
        there = (*told, *[name for name in there if name in known and name not in told])
    texts = view.table.texts(there)
    return texts.with_columns(
        pl.lit(SUPPRESSED).alias(name) for name in sorted(known) if name not in texts.columns
    )


def _known_in(requirement: Requirement) -> tuple[str, ...]:
    """What a promise takes for known: quasi-identifiers that it names, and facts of a visit."""
    visit = requirement.parameters.get("visit", ())
    return (*(requirement.on or ()), *([visit] if isinstance(visit, str) else visit))


def _with_certified(
    known: Mapping[str, ValueMetadata], read: Sequence[_Read]
) -> dict[str, ValueMetadata]:
    """What is known of sensitive values: by the policy, else by a certificate."""
    found = dict(known)
    for one in read:
        for name, about in one.view.said.known.items():
            own = found.get(name, NO_METADATA)
            if replace(own, reference={}) == NO_METADATA:
                found[name] = replace(about, reference=own.reference or about.reference)
    return found


def _together(table: Table, read: Sequence[_Read], names: tuple[str, str]) -> Contingency:
    """How often two columns have which values together, in records, before and after.

    Raises:
        DataError: the table or a release lacks one of them, they are the same, or a release is of
            two linked tables.
    """
    problems = [
        Problem(
            "linked-tables",
            "linked tables do not say which values stand together in a record",
            file=one.path,
            remedy="count what can be expected: indistinct.expected joins the tables with weights",
        )
        for one in read
        if one.view.link is not None
    ]
    refuse(DataError, problems)
    if isinstance(names, str) or len(names) != 2:
        raise DataError("bad-setting", "two columns are counted together", remedy="name two")
    one, other = names
    columns: dict[str, Sequence[str]] = {table.name: shown_names(table.columns, names)}
    columns |= {
        part.path: [name for name in names if part.view.table.find(name) is not None]
        for part in read
    }
    for part in read:
        if set(columns[part.path]) < set(names):
            columns[part.path] = part.view.table.columns
    problems = [
        Problem("missing-column", f"no column '{name}': {did_you_mean(name, there)}", file=file)
        for file, there in columns.items()
        for name in dict.fromkeys(names)
        if name not in there
    ]
    if one == other:
        problems.append(Problem("bad-setting", "a column is counted together with another one"))
    refuse(DataError, problems)
    counted = table.distinct(names)
    return contingency_of(
        counted,
        {part.name: part.view.table.texts(names) for part in read},
        one,
        other,
        weight=counted[count_column(names)],
    )


def _given(releases: Sequence[Frame], names: Sequence[str] | None) -> list[tuple[str, Frame]]:
    """The releases with their names, no two of them equal."""
    one = releases[0] if len(releases) == 1 else None
    if isinstance(one, Mapping) and set(one) != {"quasi", "sensitive"}:
        names = [str(name) for name in one]
        releases = list(one.values())
    elif isinstance(one, list | tuple):
        releases = one
    problems = Problems()
    if not releases:
        problems.add("no-release", "no release was given")
    if names is not None and len(names) != len(releases):
        problems.add(
            "bad-setting",
            f"{many(len(names), 'name was')} given to {many(len(releases), 'release')}",
        )
    if names is not None and len(set(names)) < len(names):
        problems.add("bad-setting", "two releases were given the same name")
    refuse(DataError, problems)
    if names is None:
        names = _called(releases)
    return list(zip(names, releases, strict=True))


def _called(releases: Sequence[Frame]) -> list[str]:
    """A name for every release: the end of its path that tells it from the others."""
    whole = [_home(Path(part)) if isinstance(part, str | Path) else None for part in releases]
    called = [f"release {at}" for at in range(1, len(releases) + 1)]
    for at, path in enumerate(whole):
        if path is not None:
            others = [other for place, other in enumerate(whole) if place != at and other]
            parts = path.parts or (str(path),)
            ends = (parts[-length:] for length in range(1, len(parts) + 1))
            told = (e for e in ends if all(other.parts[-len(e) :] != e for other in others))
            called[at] = "/".join(next(told, (*parts, str(at + 1))))
    return called


def _home(path: Path) -> Path:
    """The folder of a release whose file is only called that, else the path itself."""
    named = path.stem == "release" and path.parent.name
    return path.parent if named else path


def on_all(requirement: Requirement, quasi: Sequence[str]) -> Requirement:
    """The same promise; on all quasi-identifiers, if it names all of them or is of items alone."""
    if requirement.on is None or set(requirement.on) == set(quasi):
        return replace(requirement, on=None)
    part = known_promise(requirement)
    return replace(requirement, on=None) if part and part.of_items_alone else requirement


def asked_of(policy: Policy, certified: Iterable[Sequence[Requirement]]) -> list[Requirement]:
    """The promises of the policy, and those that any release's certificate names beside.

    A k that was to be chosen from the table stands in a certificate only.
    """
    found = [
        on_all(part.spec, policy.quasi_identifiers)
        for part in policy.privacy_models
        if not part.is_open
    ]
    for promises in certified:
        found += [item for item in promises if item not in found]
    return found


def settled(asked: Sequence[Requirement], texts: pl.DataFrame) -> list[Requirement]:
    """The promises, each once; a number of values where half of the table's are asked for.

    A certificate tells that number, and the policy does not: both mean the same promise.
    """
    found: list[Requirement] = []
    for item in asked:
        part = promise_of(item) if item.model == KNMAnonymity.model else None
        name = "" if part is None else str(part.sensitive)
        if isinstance(part, KNMAnonymity) and part.diversity is True and name in texts.columns:
            wanted = part.labels_wanted(texts[name].n_unique())
            item = replace(part, diversity=wanted).spec
        if item not in found:
            found.append(item)
    return found


def promised_k(promises: Iterable[Requirement], quasi: Sequence[str]) -> int | None:
    """The largest k that is promised over all quasi-identifiers, else over some of them."""
    asked = list(promises)
    return promised_class_size(asked, quasi) or promised_class_size(asked, ())


def _of_labels(about: ValueMetadata, labels: Sequence[str | None]) -> ValueMetadata:
    """What is known of published labels; a category in the place of values is its own."""
    homes = set(about.categories.values())
    if homes and set(labels) <= homes and not set(labels) <= set(about.categories):
        own: dict[str | None, str] = {label: str(label) for label in labels}
        return ValueMetadata(categories=own, category_order=about.category_order)
    return about
