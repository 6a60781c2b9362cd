"""The verb *risk*: how likely re-identification is in a table, or in what was published of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import polars as pl

from indistinct.analytics.profile.columns import profile
from indistinct.analytics.release_view import ReleaseView, Sought
from indistinct.analytics.risk.population import Population
from indistinct.analytics.risk.reidentification import (
    THRESHOLD,
    Classes,
    CurvePoint,
    RiskCurve,
    RiskReport,
    curve_of_classes,
    curve_point,
    range_of_k,
    require_threshold,
)
from indistinct.analytics.risk.standards import (
    SAFE_HARBOR,
    StandardVerdict,
    by_threshold,
    people_by_zip,
    safe_harbor,
    standard_names,
)
from indistinct.document import OfUnits, in_quotes, many, share, some_of
from indistinct.errors import DataError, HierarchyError, PolicyError, refuse
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.asked import asked_of, method_of, sight_of
from indistinct.intake.chosen_promises import settled
from indistinct.intake.hierarchies import taxonomies_of
from indistinct.intake.opening import (
    PolicyLike,
    Progress,
    Scanned,
    as_policy,
    in_file,
    name_of,
    names_of,
    no_progress,
    open_source,
    plain_table,
    read_as,
    reading,
    scanned_or_as_it_is,
)
from indistinct.intake.population import people_in, published_people
from indistinct.intake.private_table import PrivateTable, subjects_in
from indistinct.intake.run import Run
from indistinct.intake.sought_releases import sought_by
from indistinct.intake.transform_facts import changes_values
from indistinct.intake.transforming import transformed
from indistinct.pipeline.looking_ahead import looks_ahead, searched_alone
from indistinct.pipeline.release import Release
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain import Settings, full_domain_for_each
from indistinct.recoding.full_domain.optimal import LARGEST
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.recoded import published_classes
from indistinct.release.audit.reading import (
    CERTIFICATE,
    PublishedTable,
    missing_columns,
    refuse_idle_source,
)
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import counted_table, open_table
from indistinct.sources.files import read_table
from indistinct.sources.postgres import is_address
from indistinct.sources.table import Table, require_columns
from indistinct.types import Frame, Ints, PlainMapping

if TYPE_CHECKING:
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan


def risk(  # noqa: PLR0913, what its user may say
    data: Frame,
    policy: PolicyLike | None = None,
    *,
    quasi: Sequence[str] | str | None = None,
    population: Frame = None,
    counts: str | None = None,
    threshold: float | None = None,
    k_range: Sequence[int] | None = None,
    releases: bool | None = None,
    standard: str | Sequence[str] | None = None,
    zip_population: Frame = None,
    special_uniques: int | None = None,
    log_linear: int | None = None,
    weights: str | None = None,
    household: str | None = None,
    source: PlainMapping | None = None,
    path: str | Path | None = None,
    engine: str | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> RiskReport:
    """How likely it is that someone finds a person in a table, or in a release of it.

    Records with ``*`` in every quasi-identifier are in no class and left out. If the policy or the
    release's certificate names the person of each record, or if a release is two linked tables, all
    figures count people.

    Arguments:
        data: the private table or a release of it: a frame (Polars, pandas, PyArrow, DuckDB,
            PySpark), a :class:`Release`, the path of a file or of a release's folder.
        policy: the quasi-identifiers and the settings of ``[risk]``; a mapping of its keys is
            enough.
        quasi: the quasi-identifiers. By default those of the policy, else of the release's
            certificate, else those that the columns suggest.
        population: the people among whom someone could be found: a table of them with the
            quasi-identifiers (a frame or the path of a file), their number (1 or more), or the
            share of them that is in the table (below 1). Default: the policy's.
        counts: a column of that table: how many people a row stands for.
        threshold: a record with a higher risk is at risk. Default: the policy's, or 0.2.
        k_range: the first and the last k of the risk curve. Default: the policy's; without it no
            curve.
        releases: True: the curve of releases made for every k with the policy's method; False: that
            of the table without its smaller classes. Default: True if there is a policy and the
            data is the table that it describes.
        standard: names of standards to check, such as ``"hipaa-safe-harbor"`` or ``"0.09"``.
        zip_population: a table of zip codes and how many people live there, for Safe Harbor.
        special_uniques: look for records that so few quasi-identifiers, at most, single out, and
            score them (SUDA).
        log_linear: what a log-linear model of the population expects of unique records, if its size
            is known: 1 for a model without associations, 2 with all of two quasi-identifiers.
        weights: a column of the table: how many people of the population each record of a survey
            stands for.
        household: a column that names the household of each record: who is found with one member
            is found with all.
        source: how a file is read, ``{"separator": ";"}``, where there is no policy.
        path: the file that a frame was read from, for messages.
        engine: ``"duckdb"`` scans the file, or the files of a folder or pattern, as
            :func:`anonymize` does.
        memory: what the process may take then, as ``"2GB"``.
        progress: a function that gets the stage and the share done.

    Raises:
        DataError: the table or the population cannot be read, or lacks a column.
        PolicyError: the policy does not fit the table, or an unknown standard is named.
        HierarchyError: a hierarchy does not cover the table's values, or is not a tree.
    """
    tell = progress or no_progress
    policy = None if policy is None else as_policy(policy, draft=True)
    if threshold is None:
        threshold = THRESHOLD if policy is None else policy.risk.threshold
    if k_range is None and policy is not None:
        k_range = policy.risk.k_range
    require_threshold(threshold)
    ks = None if k_range is None else range_of_k(k_range)
    given = [standard] if isinstance(standard, str | int | float) else standard or ()
    names = standard_names(given)
    _refuse_idle(zip_population, names, curve_of=releases if ks is None else None)
    if weights is not None and population is not None:
        raise DataError(
            "two-populations",
            "sampling weights say how many people the population has, and --population does too",
            remedy="leave one of them out",
        )
    tell("reading", None)
    how = read_as(policy, source)
    if policy is None and Scanned.of(engine, memory) is not None:
        _refuse_certified(data)
    data = scanned_or_as_it_is(data, engine, memory, how)
    whole = SAFE_HARBOR in names or ks is not None
    beside = tuple(name for name in (weights, household) if name is not None)
    looked = _looked_at(data, policy, _Asked(names_of(quasi), beside, source, path, whole))
    own = policy if not looked.released else None
    if releases and (own is None or method_of(own).linked):
        raise PolicyError(
            "no-releases",
            "releases for every k are made of a private table, by a policy that does not ask "
            "for linked tables",
            remedy="give both, or leave this out for the curve of the table as it is",
        )
    tell("counting", None)
    classes = Classes.of(looked.table, looked.quasi)
    among = classes.records + classes.suppressed
    notes = [*looked.notes, *_told_of_stars(classes.suppressed, looked.unit)]
    described = policy
    if weights is not None and policy is not None and policy.risk.population is not None:
        notes.append("the population is that of the sampling weights, not the policy's")
        described = None
    people, table_of_people = _population(
        population, counts, described, looked.quasi, (among, looked.released)
    )
    in_class = None
    if people.cells is not None:
        tell("counting the population", None)
        in_class, told = _in_classes(classes, people, policy, looked.units)
        notes += told
    individual = classes.individual(looked.table, weights)
    report = RiskReport.of(looked.table.name, classes, people, in_class, threshold, individual)
    notes += report.notes
    curve = None
    if ks is not None:
        for_each = own is not None and releases is not False and bool(own.quasi_identifiers)
        if for_each and own is not None and method_of(own).linked:
            for_each = False
            notes.append(
                "the curve is that of the table without its smaller classes: linked tables are not "
                "made for every k"
            )
        if own is not None and (releases or for_each):
            tell("making releases", 0.0)
            curve = _curve_of_releases(own, looked.whole(), threshold, ks, tell)
        else:
            curve = curve_of_classes(classes.size, ks, threshold)
    areas = None
    if SAFE_HARBOR in names:
        tell("looking for identifiers", None)
        areas = _people_by_zip(zip_population, table_of_people)
    return replace(
        report,
        curve=curve,
        special=classes.special_uniques(special_uniques, people.size, tell),
        log_linear=classes.log_linear(log_linear, people.size),
        households=classes.households(looked.table, household, report.link_risk, threshold),
        standards=_verdicts(names, looked.whole, classes, in_class, areas),
        notes=tuple(notes),
        rows=looked.rows,
        _row_of=looked.first,
    )


@dataclass(frozen=True)
class _Asked:
    """What is looked for in a table.

    Arguments:
        quasi: the quasi-identifiers that were named.
        beside: columns that are read with them: of weights, of households.
        source: how a file is read, where there is no policy.
        path: the file that a frame was read from.
        whole: whether other columns than these are looked at.
    """

    quasi: tuple[str, ...]
    beside: tuple[str, ...]
    source: PlainMapping | None
    path: str | Path | None
    whole: bool


@dataclass(frozen=True)
class _Looked(OfUnits):
    """What the risk is measured of.

    Arguments:
        table: a row per record, or per person.
        whole: the table that was given.
        quasi: the quasi-identifiers.
        released: whether it was published already.
        notes: what the reader should know.
        rows: records of the table, where people have many.
        first: the first record of every person.
    """

    table: Table
    whole: Callable[[], Table]
    quasi: tuple[str, ...]
    released: bool = False
    notes: tuple[str, ...] = ()
    rows: int | None = None
    first: Ints | None = None


def _looked_at(data: Frame, policy: Policy | None, asked: _Asked) -> _Looked:
    """The private table, or the release, as a row for everybody.

    Arguments:
        data: what was given.
        policy: says what its columns are.
        asked: what is looked for in it.
    """
    path = asked.path
    if policy is None:
        if _is_made(data, policy):
            refuse_idle_source(data, asked.source)
            return _release(
                data, Sought(quasi=asked.quasi, source=asked.source or {}), asked.beside
            )
        table = plain_table(data, asked.source, path, allow_empty=True)
        chosen, notes = (asked.quasi, ()) if asked.quasi else _suggested(table, asked.beside)
        require_columns(table, [*chosen, *asked.beside])
        chosen = tuple(dict.fromkeys(chosen))
        return _Looked(table, lambda: table, chosen, notes=(*table.notes, *notes))
    native = data
    if not _is_made(data, policy):
        if isinstance(data, str | Path) and policy.source.format is None:
            named = asked.quasi or policy.quasi_identifiers
            needed = [*named, *asked.beside, *filter(None, [policy.person])]
            coded = needed if named and not asked.whole else True
            native = in_file(data, allow_empty=True, coded=coded, **reading(policy))
            path = path if is_address(data) else data
        if not _lacks_columns(native, policy):
            return _private(native, policy, asked, path)
        native = native if path is None else {Path(path).name: native}
    sought = replace(sought_by(policy), sensitive=(), source=reading(policy))
    return _release(native, replace(sought, quasi=asked.quasi or sought.quasi), asked.beside)


def _is_certified(data: Frame) -> bool:
    """Whether it is the folder of a release, or a file in one."""
    if not isinstance(data, str | Path):
        return False
    named = Path(data)
    folder = named if named.is_dir() else named.parent
    return named.exists() and (folder / CERTIFICATE).is_file()


def _refuse_idle(
    zip_population: Frame | None, names: Sequence[str], *, curve_of: bool | None
) -> None:
    """Refuse numbers of people by zip code where no standard looks at them, and the like.

    Arguments:
        zip_population: the numbers.
        names: the standards.
        curve_of: whether a curve would be of releases, where there is none.
    """
    if curve_of is not None:
        raise PolicyError(
            "no-curve",
            "it is said what the curve is of, and no curve is asked for",
            remedy="ask for one, --curve 2-20 (in Python: k_range), or leave this out",
        )
    if zip_population is not None and SAFE_HARBOR not in names:
        raise DataError(
            "bad-setting",
            f"a number of people by zip code is for the standard '{SAFE_HARBOR}' alone",
            remedy=f"name it with --standard {SAFE_HARBOR} (in Python: standard), or leave the "
            "numbers out",
        )


def _refuse_certified(data: Frame) -> None:
    """Refuse a release whose certificate says what its columns are: a scan does not read it."""
    if _is_certified(data):
        raise DataError(
            "not-scanned",
            "the certificate of a release says what its columns are, and a scan heeds none",
            file=name_of(data),
            remedy="leave --engine and --memory out, or name the policy",
        )


def _is_made(data: Frame, policy: Policy | None) -> bool:
    """Whether that is a release by its form: made here, tables by name, or a release's files."""
    if isinstance(data, Release | Mapping):
        return True
    if not isinstance(data, str | Path):
        return False
    export = policy is not None and policy.source.format is not None
    return _is_certified(data) or (Path(data).is_dir() and not export)


def _lacks_columns(native: Frame, policy: Policy) -> bool:
    """Whether a table has the quasi-identifiers of the policy, and lacks others of its columns."""
    if policy.source.format is not None or policy.source.completed:
        return False
    columns = {*open_table(native, allow_empty=True).columns}
    needed = {*policy.quasi_identifiers, *([] if policy.person is None else [policy.person])}
    return needed <= columns and not {*policy.attributes} <= columns


def _private(native: Frame, policy: Policy, asked: _Asked, path: str | Path | None) -> _Looked:
    """The table that a policy describes.

    Arguments:
        native: the table.
        policy: describes it.
        asked: what is looked for in it.
        path: the file that it was read from.
    """
    quasi = asked.quasi or policy.quasi_identifiers
    held = policy.person is not None
    whole, _ = open_source(native, policy, path, held=held, allow_empty=True)
    notes: tuple[str, ...] = ()
    if not quasi:
        quasi, notes = _suggested(whole, asked.beside)
    require_columns(whole, [*quasi, *asked.beside])
    quasi = tuple(dict.fromkeys(quasi))
    if policy.person is None:
        return _Looked(whole, lambda: whole, quasi, notes=(*whole.notes, *notes))
    own = tuple(dict.fromkeys([*quasi, *asked.beside]))
    people = subjects_in(whole.text([policy.person, *own]), policy, whole.name, quasi=own)
    visit = [name for name in policy.visit_identifiers if name not in quasi]
    if visit and people.rows:
        of_each = people.texts.select(quasi)[pl.Series(people.person_of)]
        rows = whole.text([policy.person, *visit]).hstack(of_each.get_columns())
        notes += _told_of_visits(rows, policy.person, quasi, visit)
    if people.resolved:
        notes += (
            "figures are of what a release shows, one value of each quasi-identifier for each "
            "person: whoever knows several finds more people in the table itself",
        )
    return _Looked(
        open_table(people.texts, whole.name, allow_empty=True),
        lambda: whole,
        quasi,
        notes=(*notes, *people.warnings),
        rows=people.rows,
        first=people.first_rows(),
    )


def _release(release: Frame, sought: Sought, beside: tuple[str, ...]) -> _Looked:
    """A release, with the quasi-identifiers that are sought, else those of its certificate.

    Arguments:
        release: the release.
        sought: what is looked for.
        beside: columns that are read with the quasi-identifiers.
    """
    notes: list[str] = []

    def suggested(part: PublishedTable) -> tuple[str, ...]:
        found, told = _suggested(_table_of(part, part.columns), beside)
        notes.extend(told)
        return found

    view = ReleaseView.read(release, sought, suggested=suggested)
    view.refuse_nobody()
    refuse(DataError, missing_columns(view.table, [*sought.quasi, *beside]))
    quasi = view.quasi
    if beside:
        both = dict.fromkeys([*quasi, *beside])
        view = ReleaseView.read(release, replace(sought, quasi=tuple(both)))
    name = "the release" if isinstance(release, Release) else view.table.name
    of_people = view.person is not None or view.link is not None
    counted = None if of_people else view.counted
    asked = [name for part in view.said.promises for name in part.parameters.get("visit") or ()]
    visit = [name for name in dict.fromkeys(asked) if name not in quasi]
    if visit and view.person is not None and {*visit} <= {*view.table.columns}:
        rows = view.table.texts([view.person, *quasi, *visit])
        notes += _told_of_visits(rows, view.person, quasi, visit)
    return _Looked(
        open_table(view.rows, name, allow_empty=True)
        if counted is None
        else counted_table(*counted, name),
        functools.cache(lambda: _table_of(view.table, view.table.columns)),
        quasi,
        released=True,
        notes=(*(f"{name}: {note}" for note in view.notes()), *notes),
        rows=view.height if of_people else None,
        first=view.first_rows if counted is None else None,
    )


def _told_of_visits(
    rows: pl.DataFrame, person: str, quasi: Sequence[str], visit: Sequence[str]
) -> tuple[str, ...]:
    """What becomes of the risk if somebody knows one visit of a person, which is not counted.

    Arguments:
        rows: person, quasi-identifiers and attributes of visits of every record.
        person: the column of the person.
        quasi: the quasi-identifiers.
        visit: attributes of visits.
    """
    known, number = [*quasi, *visit], "\0people"
    held = rows.drop_nulls(person).filter(
        ~pl.all_horizontal(pl.col(name).eq_missing(SUPPRESSED) for name in quasi)
    )
    alike = held.unique([person, *known]).with_columns(pl.len().over(known).alias(number))
    found = 1 / alike.group_by(person).agg(pl.col(number).min())[number]
    if not len(found):
        return ()
    highest, mean = found.to_numpy().max(), found.to_numpy().mean()
    return (
        f"{in_quotes(visit)}: of visits, which no figure counts: who knows one visit of a person "
        f"as well is right with up to {share(highest)}, {share(mean)} on average (of each person's "
        "rarest visit)",
    )


def _table_of(part: PublishedTable, columns: Sequence[str]) -> Table:
    return open_table(part.texts(columns), part.name, allow_empty=True)


def _suggested(table: Table, beside: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The quasi-identifiers that the columns suggest, and the note that they do.

    Arguments:
        table: the table.
        beside: columns that are something else.

    Raises:
        DataError: no column looks like one.
    """
    likely = [item.attribute for item in profile(table).with_role("quasi-identifier")]
    found = tuple(name for name in likely if name not in beside)
    if not found:
        raise DataError(
            "no-quasi-identifier",
            "no column looks like a quasi-identifier",
            file=table.name,
            remedy="name them with --quasi (in Python: quasi)",
        )
    note = (
        f"the quasi-identifiers are those that the columns suggest: {', '.join(found)}; name them "
        "for figures that are to be relied on"
    )
    return found, (note,)


# The population --------------------------------------------------------------------------------


def _population(
    given: Any,
    counts: str | None,
    policy: Policy | None,
    quasi: Sequence[str],
    looked: tuple[int, bool],
) -> tuple[Population, Frame]:
    """What is known of the population; and the table of its people, as it was given.

    Arguments:
        given: a table of people, the path of one, their number, or the share that is in the table;
            the policy's where not given.
        counts: the column of that table that says how many people a row stands for.
        policy: says which texts stand for a missing value.
        quasi: the quasi-identifiers.
        looked: people in the table, and whether it is a release: the values of a population are
            held against those of a release as they are transformed for it.
    """
    records, released = looked
    separator: str | None = None
    if given is None and policy is not None and policy.risk.population is not None:
        named = policy.risk.population
        given = named.size if named.size is not None else named.fraction
        if named.file is not None:
            given, separator = policy.directory / named.file, named.separator
        elif named.fraction is not None:
            given = float(named.fraction)
    if counts is not None and (given is None or isinstance(given, int | float)):
        raise DataError(
            "counts-without-table",
            f"'{counts}' names a column of a table of the population, but no table is given",
            remedy="give the table with --population (in Python: population)",
        )
    if given is None:
        return Population(), None
    if isinstance(given, int | float) and not isinstance(given, bool):
        return Population.of_size(given, records), None
    columns = [*quasi, *([] if counts is None else [counts])]
    if policy is not None and released:
        table = published_people(given, policy, columns, separator=separator)
    else:
        table = people_in(given, policy, columns, separator=separator)
    return Population.of_table(table, quasi, counts), table


def _told_of_stars(suppressed: int, unit: str) -> list[str]:
    """What the reader should know of records in no class.

    Arguments:
        suppressed: how many there are.
        unit: what is counted.
    """
    if not suppressed:
        return []
    return [
        f"{many(suppressed, f'{unit} has')} {SUPPRESSED} in every quasi-identifier and no class: "
        "people who fit no class are known to be among these, and a guess is right with "
        f"{share(1 / suppressed)}; standards look at these, and no other figure counts them"
    ]


def _in_classes(
    classes: Classes, population: Population, policy: Policy | None, units: str
) -> tuple[Ints, list[str]]:
    """People of a population in every class, not fewer than its records, and what to know of them.

    Arguments:
        classes: the classes of the table.
        population: a table of people.
        policy: its hierarchies say who is under a generalized cell.
        units: what is counted in the table, in the plural.
    """
    found, notes = _people_of(classes, population, policy)
    if few := int((found < classes.size).sum()):
        notes.append(
            f"{some_of(few, len(found), 'class has')} more {units} than the population has "
            f"people of their values: they count with as many people as {units}"
        )
    return np.maximum(found, classes.size), notes


def _people_of(
    classes: Classes, population: Population, policy: Policy | None
) -> tuple[Ints, list[str]]:
    """People of the population in every class, [G]; of generalized ones those under its cells.

    And what the reader should know of cells that stand for nobody, as nobody can read them.
    """
    found = population.alike(classes.cells)
    quasi = classes.cells.columns
    if policy is None or found.all() or set(quasi) != set(policy.quasi_identifiers):
        return found, []
    exact, name = population.cells, "the population"
    assert exact is not None
    try:
        taxonomies = taxonomies_of(open_table(exact, name), policy, exact, population.number, name)
    except HierarchyError:
        return found, []
    unread = []
    for column in quasi:
        coverage, cells = Coverage(taxonomies[column]), classes.cells[column].unique().to_list()
        strange = [one for one in cells if coverage.places(one) is None]
        if kinds := sum(not coverage.is_like(one) for one in strange):
            unread.append(
                f"'{column}': {many(kinds, 'published text is', 'published texts are')} neither a "
                "value of the population, a node of the hierarchy, a range, a set nor *: nobody of "
                "the population counts in their classes"
            )
    return np.maximum(found, population.under(classes.cells, taxonomies)), unread


# The curve -------------------------------------------------------------------------------------


def _curve_of_releases(
    policy: Policy, table: Table, threshold: float, ks: range, tell: Progress
) -> RiskCurve:
    """The risk of the releases that the policy's method makes for every k."""
    # Nothing of these releases is published: they need no seed from the operating system.
    run = Run(policy, policy.method.seed or 0)
    if changes_values(policy):
        # What happens to values on the way to a release happens here, too.
        texts_only = open_table(table.text(table.columns), table.name, allow_empty=True)
        table = transformed(texts_only, run, table.name).table
    private = settled(PrivateTable.of(table, run, file=table.name), run)
    data = private.data
    records = int(data.weight[~data.suppressed_before].sum())
    series = [for_k(private.promises, k, policy.quasi_identifiers) for k in ks]
    plans: Iterable[tuple[int, Plan | None]]
    if not looks_ahead(private) and _in_one_go(run.policy, data):
        present = private.present
        data = data if present is private.subjects else private.encode(present).data
        asks = asked_of(run.policy)
        found = full_domain_for_each(data, series, asks.objective, Settings.of(asks))
        own = _own_k(private)
        # Of releases that cost the same, the one that the policy's own run makes.
        plans = [
            (k, searched_alone(private.promising(asked), run) if k == own else plan)
            for k, asked, plan in zip(ks, series, found, strict=True)
        ]
    else:
        plans = (
            (k, searched_alone(private.promising(asked), run))
            for k, asked in zip(ks, series, strict=True)
        )
    grouper = Grouper(data)
    points: list[CurvePoint] = []
    skipped: list[int] = []
    for at, (k, plan) in enumerate(plans):
        size = None if plan is None else published_classes(data, plan, grouper)
        if plan is None or size is None or not len(size):
            skipped.append(k)
        else:
            points.append(curve_point(k, size, records, threshold, plan.levels))
        tell("making releases", (at + 1) / len(ks))
    return RiskCurve("releases", tuple(points), tuple(skipped))


def _own_k(private: PrivateTable) -> int | None:
    """The k that the policy asks for over all quasi-identifiers; None where it asks for none."""
    quasi = private.policy.quasi_identifiers
    asked = [part.k for part in private.promises if _is_over_all(part, quasi)]
    return max(asked, default=None)


def _is_over_all(part: Promise, quasi: Sequence[str]) -> TypeGuard[KAnonymity]:
    return isinstance(part, KAnonymity) and (part.on is None or set(part.on) == set(quasi))


def for_k(promises: Sequence[Promise], k: int, quasi: Sequence[str]) -> list[Promise]:
    """The same promises with another k of k-anonymity over all quasi-identifiers.

    Arguments:
        promises: the promises.
        k: the other k.
        quasi: the quasi-identifiers.
    """
    return [KAnonymity(k=k), *(part for part in promises if not _is_over_all(part, quasi))]


def _in_one_go(policy: Policy, data: LeveledTable) -> bool:
    """Whether the method is the optimal search, which goes through a series of k in one go."""
    method = policy.method
    plain = method.algorithm == "optimal" and not method.local_recoding
    if not plain or sight_of(policy).rows or method.time_limit is not None:
        return False
    return asked_of(policy).lattice(data).size <= LARGEST


# Standards -------------------------------------------------------------------------------------


def _verdicts(
    names: Sequence[str],
    whole: Callable[[], Table],
    classes: Classes,
    in_class: Ints | None,
    areas: Mapping[str, int] | None,
) -> tuple[StandardVerdict, ...]:
    return tuple(
        safe_harbor(whole(), profile(whole()), areas)
        if name == SAFE_HARBOR
        else by_threshold(name, classes.size, in_class, classes.suppressed)
        for name in names
    )


def _people_by_zip(given: Any, people: Table | None) -> dict[str, int] | None:
    """People of every three-digit zip area: of the table given, or of the population's own."""
    if given is not None:
        is_path = isinstance(given, str | Path)
        frame = read_table(given) if is_path else to_polars(given)
        return people_by_zip(frame, Path(given).name if is_path else "the zip codes")
    if people is None:
        return None
    try:
        return people_by_zip(people.text(people.columns))
    except DataError:
        return None
