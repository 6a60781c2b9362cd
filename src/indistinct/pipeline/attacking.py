"""The verb *attack*: what an adversary learns from a release, tried out against its own source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from indistinct import plugins
from indistinct.errors import DataError, PolicyError, Problem, did_you_mean
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.opening import Progress, as_policy, no_progress, open_source
from indistinct.pipeline.population import population_of
from indistinct.pipeline.release import Release
from indistinct.pipeline.transforming import policy_of_originals
from indistinct.pipeline.value_metadata import value_metadata_of
from indistinct.sources.files import read_table
from indistinct.sources.table import open_table, require_columns
from indistinct.sources.writing import FORMULA_STARTS

if TYPE_CHECKING:
    from indistinct.analytics.attacks import AttackContext, AttackReport
    from indistinct.policy import Policy
    from indistinct.release.audit.reading import Published, PublishedTable

SPREADSHEET_GUARD = rf"^'(\s*[{FORMULA_STARTS}]|[\t\r])"
"""An apostrophe before a cell that a spreadsheet would run as a formula, where that was asked."""


def attack(
    data: Any,
    release: Any,
    policy: Policy | Mapping[str, Any],
    *,
    only: Sequence[str] | None = None,
    seed: int | None = None,
    population: Any = None,
    harmful: Mapping[str, Iterable[str | None]] | None = None,
    second: Any = None,
    progress: Progress | None = None,
    path: str | Path | None = None,
) -> AttackReport:
    """Let every attacker loose on a release, and tell what each learns about the people in it.

    The attackers know the exact quasi-identifiers of the people in the source, and read the
    release. What they show is private: it must never be published with the data. Where the policy
    says whose each record is (``source.person``), people are attacked and rows of the release are
    people too: a long release with a pseudonym, or two linked tables.

    Arguments:
        data: the private table, a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a
            file. It is not changed.
        release: what was published of it: a :class:`Release`, a frame, the path of a file or of a
            release's folder.
        policy: roles, hierarchies and promises of the release; a mapping of its keys will do.
        only: the names of the attackers to run; without, all of them.
        seed: of what attackers draw at random; without, that of the policy, else 0.
        population: a table of the people among whom somebody could be found, a frame or the path of
            a file; without, the one that the policy names.
        harmful: the values that would harm most, by sensitive attribute; where not named, those of
            the attribute's most sensitive category.
        second: another release about the same people, as ``release``: what both say together.
        progress: is told what is being done.
        path: the file that a frame was read from, for messages.

    Raises:
        DataError: the table or the release cannot be read, or the release has no quasi-identifier;
            or people have many records, and nothing in the release tells the people apart.
        PolicyError: the policy does not fit the table, or an attacker or attribute is unknown; or
            the release is one of people with many records, and the policy does not name them.
        HierarchyError: a hierarchy does not cover the table's values, or is no tree.
    """
    from indistinct.analytics.attacks import AttackContext, Places
    from indistinct.analytics.attacks.places import is_suppressed

    policy = policy_of_originals(as_policy(policy))
    only = known_names(only, harmful, policy)
    tell = progress or no_progress
    if policy.person is not None:
        from indistinct.pipeline.attacking_people import attack_people

        return attack_people(
            data, release, policy, only, seed, population, harmful, second, tell, path
        )
    tell("reading", None)
    table, digest = open_source(data, policy, path)
    read = _read(release, policy)
    other = None if second is None else _read(second, policy)
    file = None if digest is None else table.name
    learnt = tuple(dict.fromkeys([*read.sensitive, *(other.sensitive if other else ())]))
    texts = table.text([*policy.quasi_identifiers, *learnt])
    published = read.texts(policy, [*read.quasi, *read.sensitive])
    people = population_given(population, policy)
    tell("looking at the hierarchies", None)
    taxonomies = taxonomies_of(table, policy, texts, None, file)
    if people is not None:
        wider = taxonomies_of(table, policy, texts, None, file, people)
        if unread(published, wider, read.quasi) <= unread(published, taxonomies, read.quasi):
            taxonomies = wider
    gone = is_suppressed(published, read.quasi)
    known = value_metadata_of(policy, table, texts, learnt, file)
    later = None
    if other is not None:
        theirs = other.texts(policy, [*other.quasi, *other.sensitive])
        theirs = theirs.filter(~is_suppressed(theirs, other.quasi))
        later = AttackContext.of_records(
            Places(
                quasi=other.quasi,
                people=texts.select(other.quasi),
                rows=theirs.select(other.quasi),
                taxonomies={name: taxonomies[name] for name in other.quasi},
            ),
            texts.select(other.sensitive),
            theirs.select(other.sensitive),
            known={name: known[name] for name in other.sensitive},
        )
    shown = published.filter(~gone)
    context = AttackContext.of_records(
        Places(
            quasi=read.quasi,
            people=texts.select(read.quasi),
            rows=shown.select(read.quasi),
            taxonomies={name: taxonomies[name] for name in read.quasi},
            suppressed=int(gone.sum()),
            population=None if people is None else people.select(read.quasi),
        ),
        texts.select(read.sensitive),
        shown.select(read.sensitive),
        known={name: known[name] for name in read.sensitive},
        promises=policy.requirements,
        seed=next(part for part in (seed, policy.method.seed, 0) if part is not None),
        may_contain=tuple(dict.fromkeys([*read.may_contain, *_made_up(policy)])),
        harmful={name: frozenset(values) for name, values in (harmful or {}).items()},
        second=later,
    )
    return reported(context, only, [*read.notes, *doubts(context)], tell)


def reported(
    context: AttackContext, only: Sequence[str] | None, notes: Sequence[str], tell: Progress
) -> AttackReport:
    """What attackers find.

    Arguments:
        context: what they are given.
        only: the names of those that are run; None for all.
        notes: what else the reader should know.
        tell: is told what is being done.
    """
    from indistinct.analytics.attacks import AttackReport, Finding, Skipped, attackers, findings

    chosen = [name for name in attackers() if only is None or name in only]
    found: list[Finding] = []
    skipped: dict[Skipped, None] = {}
    for place, name in enumerate(chosen):
        tell(f"attacking: {name}", place / len(chosen))
        for result in findings(context, name):
            if isinstance(result, Finding):
                found.append(result)
            else:
                skipped[result] = None
    unit = "record" if context.one_record_each else "person"
    return AttackReport(tuple(found), tuple(skipped), context.records, tuple(notes), unit=unit)


@dataclass(frozen=True)
class _Read:
    """A release as attackers read it."""

    table: PublishedTable
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    may_contain: tuple[str, ...]
    notes: tuple[str, ...]

    def texts(self, policy: Policy, names: Sequence[str]) -> pl.DataFrame:
        """The published cells as text; what stands for a missing value is one here, too."""
        found = self.table.texts(names)
        return pl.DataFrame([as_meant(found[name], policy, name) for name in names])


def as_meant(column: pl.Series, policy: Policy, name: str) -> pl.Series:
    """Published texts without spreadsheet guards, and missing where that is what they say."""
    if policy.output.spreadsheet_safe and policy.output.format == "csv":
        column = column.str.replace(SPREADSHEET_GUARD, "$1")
    tokens = policy.attributes[name].missing.tokens
    if tokens:
        column = column.set(column.is_in(list(tokens)), None)
    return column


def _read(release: Any, policy: Policy) -> _Read:
    from indistinct.release.audit.linking import link_between
    from indistinct.release.audit.reading import missing_columns, read_release

    contains: tuple[str, ...] = ()
    person: str | None = None
    linked: Mapping[str, str] | None = None
    if isinstance(release, Release):
        contains = release.certificate.may_contain
        person, linked = release.certificate.person, release.certificate.linked
        release = release.tables
    published = read_release(release)
    if published.claims is not None:
        person, linked = published.claims.person, published.claims.linked
    if person is not None or linked is not None or link_between(published) is not None:
        raise PolicyError(_of_people(person))
    names = (*policy.quasi_identifiers, *policy.sensitive)
    table = max(
        published.tables, key=lambda part: sum(part.find(name) is not None for name in names)
    )
    quasi = tuple(name for name in policy.quasi_identifiers if table.find(name) is not None)
    if not quasi:
        raise DataError(missing_columns(table, policy.quasi_identifiers))
    sensitive = tuple(name for name in policy.sensitive if table.find(name) is not None)
    left = [f"'{name}'" for name in names if name not in (*quasi, *sensitive)]
    notes = list(published.notes)
    if left:
        notes.append(f"the release has no column {', '.join(left)}: nothing is learnt from it")
    if table.matches is False:
        notes.append("the release is not the one that its certificate speaks of")
    return _Read(table, quasi, sensitive, contains or contained(published), tuple(notes))


def _of_people(person: str | None) -> Problem:
    """That rows of a release are not what its policy takes them for."""
    what = (
        "is of two linked tables, for people with many records"
        if person is None
        else f"is of people with many records, whom the column '{person}' tells apart"
    )
    return Problem(
        "release-of-people",
        f"the release {what}, and the policy does not say whose each record is: rows would be "
        "taken for people",
        remedy='name the column: [source] person = "patient_id", say',
    )


def contained(published: Published) -> tuple[str, ...]:
    """What the certificate beside a release says it may contain."""
    if published.claims is None:
        return ()
    document = json.loads(published.claims.path.read_text(encoding="utf-8"))
    words = document.get("may_contain")
    return tuple(map(str, words)) if isinstance(words, list) else ()


def population_given(given: Any, policy: Policy) -> pl.DataFrame | None:
    """The quasi-identifiers of the population's people as text, where there is one."""
    if given is None:
        return population_of(policy)
    named = isinstance(given, str | Path)
    name = Path(given).name if named else "the population"
    quasi = policy.quasi_identifiers
    tokens = {
        name: policy.attributes[name].missing.tokens
        for name in quasi
        if policy.attributes[name].missing.tokens
    }
    native = read_table(given) if named else given
    require_columns(open_table(native, name), quasi)
    return open_table(native, name, missing_tokens=tokens).text(quasi)


def unread(records: pl.DataFrame, taxonomies: Mapping[str, Taxonomy], quasi: Sequence[str]) -> int:
    """How many different published cells stand for nothing that is known."""
    covers = {name: Coverage(taxonomies[name]) for name in quasi}
    return sum(
        covers[name].places(cell) is None
        for name in quasi
        for cell in records[name].unique().to_list()
    )


def _made_up(policy: Policy) -> list[str]:
    """What the policy's own method adds, where no certificate lies beside the release to say so."""
    method = policy.method
    return ["noise"] * (method.algorithm == "theta") + ["decoys"] * (method.decoys is not None)


def doubts(context: AttackContext) -> list[str]:
    """What the figures of this release do not rest upon as they should."""
    notes = []
    what = "record" if context.one_record_each else "row"
    places = context.places
    for name in places.quasi:
        coverage = Coverage(places.taxonomies[name])
        cells = places.rows[name]
        strange = [c for c in cells.unique().to_list() if coverage.places(c) is None]
        if strange:
            rows = cells.is_in(strange).sum() + (cells.null_count() if None in strange else 0)
            notes.append(
                f"'{name}': {rows} {what}s have a cell that is neither a value of the table, a "
                "node of its hierarchy, a range nor a set; nobody is looked for there"
            )
    if not places.records:
        notes.append(f"no {what} is published in a class: attackers know nothing but the source")
    lost = int((~places.found).sum())
    if lost:
        notes.append(
            f"{lost} of {places.people.height} people meet no published class (left out, or "
            "changed): of them attackers believe what is frequent in the release"
        )
    return notes


def known_names(
    only: Sequence[str] | None,
    harmful: Mapping[str, Iterable[str | None]] | None,
    policy: Policy,
) -> list[str] | None:
    """The attackers that are asked for, by the names they are told under.

    Arguments:
        only: names as they were given; None for all attackers.
        harmful: sensitive attributes.
        policy: names the attributes.

    Raises:
        PolicyError: names of attackers or attributes that there are not.
    """
    from indistinct.analytics.attacks import attackers, is_attacker

    known = {
        name: own
        for own, module in attackers().items()
        for name in (own, *getattr(module, "ALIASES", ()))
    }
    for name in only or ():
        if name not in known:
            plugins.find("attackers", name, is_attacker)
    problems = [
        Problem("unknown-attacker", f"no attacker '{name}': {did_you_mean(name, list(known))}")
        for name in only or ()
        if name not in known
    ]
    problems += [
        Problem(
            "unknown-attribute",
            f"no sensitive attribute '{name}': {did_you_mean(name, policy.sensitive)}",
        )
        for name in harmful or ()
        if name not in policy.sensitive
    ]
    if problems:
        raise PolicyError(problems)
    return None if only is None else [known[name] for name in only]
