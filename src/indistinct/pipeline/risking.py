"""The verb *risk*: how likely re-identification is in a table, or in what was published of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.release_view import (
    ReleaseView,
    Said,
    Sought,
    speaks_of_people,
    told_of_made_up,
)
from indistinct.errors import DataError, HierarchyError, PolicyError, Problem, Unsatisfiable
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.asked import asked_of, method_of, sight_of
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.opening import (
    PolicyLike,
    Progress,
    as_policy,
    no_progress,
    open_source,
    reading,
)
from indistinct.pipeline.population import covers, people_under
from indistinct.pipeline.private_table import PrivateTable
from indistinct.pipeline.release import Release
from indistinct.pipeline.run import Run
from indistinct.pipeline.searching import search
from indistinct.pipeline.sought_releases import sought_by
from indistinct.pipeline.transforming import changes_values, transformed
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain import Settings, full_domain_for_each
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.recoded import published_classes
from indistinct.sources.eager import EagerTable
from indistinct.sources.files import read_table
from indistinct.sources.table import Table, count_column, open_table, require_columns
from indistinct.types import Frame, PlainMapping

if TYPE_CHECKING:
    from indistinct.analytics.encoded import Encoded
    from indistinct.analytics.risk import Basis, RiskCurve, RiskReport
    from indistinct.analytics.standards import StandardVerdict
    from indistinct.analytics.uniqueness import Uniqueness
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan


def risk(
    data: Frame,
    policy: PolicyLike | None = None,
    *,
    quasi: Sequence[str] | None = None,
    population: Frame = None,
    counts: str | None = None,
    threshold: float | None = None,
    k_range: Sequence[int] | None = None,
    releases: bool | None = None,
    standard: str | Sequence[str] | None = None,
    zip_population: Frame = None,
    source: PlainMapping | None = None,
    path: str | Path | None = None,
    progress: Progress | None = None,
) -> RiskReport:
    """How likely it is that somebody finds a person in a table, or in what was published of it.

    Records with ``*`` in every quasi-identifier are in no class, and left out. Where the policy, or
    the release's certificate, names the person of each record, or a release is two linked tables,
    classes hold people, and all figures count them.

    Arguments:
        data: the private table or a release of it: a frame (Polars, pandas, PyArrow, DuckDB,
            PySpark), a :class:`Release`, the path of a file or of a release's folder.
        policy: says which columns are quasi-identifiers, and what its ``[risk]`` says; a mapping of
            its keys will do.
        quasi: the quasi-identifiers. Not named: those of the policy, of the release's certificate,
            or failing both those that the columns suggest.
        population: the people among whom somebody could be found: a table of them with the
            quasi-identifiers (a frame or the path of a file), how many they are (1 or more), or the
            share of them that is in the table (below 1). Not given: what the policy says.
        counts: a column of that table that says how many people each of its rows stands for.
        threshold: the risk above which a record is at risk. Not given: that of the policy, or 0.2.
        k_range: the first and the last k of the curve of risk. Not given: that of the policy; no
            curve without.
        releases: whether the curve is that of releases made for every k with the policy's method,
            or that of the table without its smaller classes. Not said: the first where there is a
            policy, and the data is what it describes.
        standard: names of standards to hold the data against, such as ``"hipaa-safe-harbor"`` or
            ``"0.09"``.
        zip_population: a table of zip codes and how many people live there, for Safe Harbor.
        source: how a file is read, ``{"separator": ";"}``, where there is no policy.
        path: the file that a frame was read from, for messages.
        progress: is told what is being done.

    Raises:
        DataError: the table or the population cannot be read, or lacks a column.
        PolicyError: the policy does not fit the table, or an unknown standard is named.
        HierarchyError: a hierarchy does not cover the table's values, or is no tree.
    """
    from indistinct.analytics.encoded import encode
    from indistinct.analytics.risk import (
        THRESHOLD,
        RiskReport,
        curve_of_classes,
        distribution,
        estimated,
        journalist,
        marketer,
        prosecutor,
        range_of_k,
        require_threshold,
    )
    from indistinct.analytics.standards import standard_names

    tell = progress or no_progress
    policy = None if policy is None else as_policy(policy, draft=True)
    if threshold is None:
        threshold = THRESHOLD if policy is None else policy.risk.threshold
    if k_range is None and policy is not None:
        k_range = policy.risk.k_range
    require_threshold(threshold)
    ks = None if k_range is None else range_of_k(k_range)
    asked = standard_names(
        [standard] if isinstance(standard, str | int | float) else standard or ()
    )
    tell("reading", None)
    read = _read(data, policy, quasi, source, path)
    linked = policy is not None and method_of(policy).linked
    if releases and (policy is None or read.released or linked):
        raise PolicyError(
            Problem(
                "no-releases",
                "releases for every k are made of a private table, by a policy that does not ask "
                "for linked tables",
                remedy="give both, or leave this out for the curve of the table as it is",
            )
        )
    tell("counting", None)
    encoded = encode(read.table, read.quasi)
    kept = ~_starred(encoded, read.quasi)
    weight = encoded.analysis.table.weight
    size = weight[kept]
    suppressed = int(weight[~kept].sum())
    people = _population(population, counts, policy, read.quasi, int(weight.sum()))
    notes = list(read.notes)
    in_class: NDArray[np.int64] | None = None
    if people.counted is not None:
        tell("counting the population", None)
        found = _people_of(encoded, kept, people.counted, read, policy)
        in_class = np.maximum(found, size)
        few = int((found < size).sum())
        if few:
            notes.append(
                f"{few} of {len(size)} classes have more {read.units} than the population has "
                f"people of their values: they count with as many people as {read.units}"
            )
    uniqueness = _uniqueness(size, people, notes)
    curve = None
    if ks is not None:
        own = releases is None and not read.released
        own = own and policy is not None and bool(policy.quasi_identifiers)
        if policy is not None and own and method_of(policy).linked:
            own = False
            notes.append(
                "the curve is that of the table without its smaller classes: linked tables are not "
                "made for every k"
            )
        if policy is not None and (releases or own):
            tell("making releases", 0.0)
            curve = _curve_of_releases(policy, read, threshold, ks, tell)
        else:
            curve = curve_of_classes(size, ks, threshold)
    return RiskReport(
        table=read.table.name,
        quasi=read.quasi,
        threshold=threshold,
        records=int(size.sum()),
        suppressed=suppressed,
        classes=_sizes(size),
        prosecutor=prosecutor(size, threshold),
        journalist=(
            prosecutor(size, threshold)
            if in_class is None
            else journalist(size, in_class, threshold)
        ),
        marketer=marketer(size, in_class, people.size),
        basis=people.basis,
        population=people.size,
        unique=int((size == 1).sum()),
        unique_in_population=None if in_class is None else int((in_class == 1).sum()),
        uniqueness=uniqueness,
        estimated=(
            estimated(size, uniqueness, threshold)
            if uniqueness is not None and in_class is None
            else None
        ),
        distribution=distribution(size),
        curve=curve,
        standards=_verdicts(asked, read, size, in_class, zip_population, people, tell),
        notes=tuple(notes),
        rows=read.rows,
        _size=size,
        _people=in_class,
        _class_of=_classes_of_records(encoded.combination_of, kept),
        _row_of=read.first,
    )


@dataclass(frozen=True)
class _Read:
    """What the risk is measured of; ``released`` says that it was published already.

    Of people with many records ``table`` has a row for each person, ``whole`` is the table itself,
    ``rows`` are its records, and ``first`` the first of them of each person.
    """

    table: Table
    quasi: tuple[str, ...]
    released: bool
    notes: tuple[str, ...] = ()
    whole: Table | None = None
    rows: int | None = None
    first: NDArray[np.int64] | None = None

    @property
    def units(self) -> str:
        """What is counted, in the plural."""
        return "records" if self.rows is None else "people"


def _read(
    data: Frame,
    policy: Policy | None,
    quasi: Sequence[str] | None,
    source: PlainMapping | None,
    path: str | Path | None,
) -> _Read:
    counted = _read_people(data, policy, tuple(quasi or ()), path)
    if counted is not None:
        return counted
    certified: tuple[str, ...] = ()
    notes: list[str] = []
    released = isinstance(data, Release)
    if policy is not None:
        source = reading(policy)
    if isinstance(data, Release):
        native, name = data.tables, "the release"
        certified = data.certificate.quasi_identifiers
        notes += [f"the release {told}" for told in told_of_made_up(data.certificate.may_contain)]
    elif isinstance(data, str | Path) and _is_release(Path(data)):
        native, name, certified, told = _published(data, source, quasi or ())
        notes += told
        released = True
    elif isinstance(data, str | Path):
        native, name = read_table(data, allow_empty=True, **(source or {})), Path(data).name
    else:
        native, name = data, "table" if path is None else Path(path).name
    columns = open_table(native, name, allow_empty=True).columns
    if policy is not None and not released:
        described = [item for item in policy.attributes if item in columns]
        released = len(described) < len(policy.attributes) and set(policy.quasi_identifiers) <= set(
            columns
        )
        if not released:
            policy.check(columns, name)
    table = open_table(native, name, missing_tokens=_tokens(policy, columns), allow_empty=True)
    chosen = tuple(quasi or ()) or (policy.quasi_identifiers if policy is not None else certified)
    if not chosen:
        chosen = _suggested(table)
        notes.append(
            "the quasi-identifiers are those that the columns suggest: "
            f"{', '.join(chosen)}; name them for figures that are to be relied on"
        )
    require_columns(table, chosen)
    return _Read(table, tuple(dict.fromkeys(chosen)), released, tuple(notes))


def _read_people(
    data: Frame, policy: Policy | None, quasi: tuple[str, ...], path: str | Path | None
) -> _Read | None:
    """A table or a release with a row for every person; None where nothing speaks of people."""
    person = None if policy is None else policy.person
    released = isinstance(data, Release | Mapping) or (
        isinstance(data, str | Path)
        and _is_release(Path(data))
        and not _is_export(Path(data), policy)
    )
    native = data
    if not released:
        if policy is None or person is None:
            return None
        plain = policy.source.format is None and policy.source.people is None
        if plain and isinstance(data, str | Path):
            path, native = data, read_table(data, allow_empty=True, **reading(policy))
        if plain:
            columns = open_table(native, "table", allow_empty=True).columns
            lacking = [name for name in policy.attributes if name not in columns]
            released = bool(lacking) and {*policy.quasi_identifiers, person} <= {*columns}
        if not released:
            return _people_of_table(native, policy, quasi or policy.quasi_identifiers, path)
    if person is None and not speaks_of_people(native, reading(policy)):
        return None
    chosen = quasi or (() if policy is None else policy.quasi_identifiers)
    sought = Sought(person=person) if policy is None else sought_by(policy)
    sought = replace(sought, quasi=chosen, sensitive=(), source=reading(policy))
    found = ReleaseView.read(native, sought)
    found.refuse_nobody()
    name = "the release" if isinstance(data, Release) else found.table.name
    table = open_table(found.rows, name, allow_empty=True)
    require_columns(table, chosen)
    return _Read(
        table,
        found.quasi,
        True,
        tuple(found.notes()),
        whole=open_table(found.table.texts(found.table.columns), name, allow_empty=True),
        rows=found.height,
        first=found.first_rows,
    )


def _is_export(path: Path, policy: Policy | None) -> bool:
    """Whether a folder is the source itself, in a health format."""
    from indistinct.release.audit.reading import CERTIFICATE

    known = policy is not None and policy.source.format is not None
    return known and path.is_dir() and not (path / CERTIFICATE).is_file()


def _people_of_table(
    data: Frame, policy: Policy, quasi: tuple[str, ...], path: str | Path | None
) -> _Read:
    whole, _ = open_source(data, policy, path, held=True)
    require_columns(whole, quasi)
    assert policy.person is not None
    rows = whole.text([policy.person, *quasi]) if isinstance(whole, EagerTable) else None
    assert rows is not None
    people = Subjects.of_people(
        rows, policy.person, quasi, conflicts=policy.source.conflicts, file=whole.name
    )
    return _Read(
        open_table(people.texts, whole.name),
        tuple(dict.fromkeys(quasi)),
        False,
        tuple(people.warnings),
        whole=whole,
        rows=people.rows,
        first=people.first_rows(),
    )


def _tokens(policy: Policy | None, columns: Iterable[str]) -> dict[str, Sequence[str]]:
    """The texts that stand for a missing value, by column."""
    known = {} if policy is None else policy.attributes
    return {
        name: known[name].missing.tokens
        for name in columns
        if name in known and known[name].missing.tokens
    }


def _is_release(path: Path) -> bool:
    """Whether that is a folder, or a file beside a certificate that speaks of it."""
    from indistinct.release.audit.reading import CERTIFICATE

    return path.is_dir() or (path.is_file() and (path.parent / CERTIFICATE).is_file())


def _published(
    data: str | Path, source: PlainMapping | None, quasi: Sequence[str]
) -> tuple[pl.DataFrame, str, tuple[str, ...], list[str]]:
    """The published table, its name, the certified quasi-identifiers, and notes."""
    from indistinct.release.audit.reading import read_release

    published = read_release(data, source)
    certified = () if published.claims is None else published.claims.quasi
    wanted = [*quasi, *certified]
    best = max(
        published.tables, key=lambda part: sum(part.find(name) is not None for name in wanted)
    )
    notes = list(published.notes)
    if best.matches is False:
        notes.append(f"{best.name} is not the file that its certificate was written for")
    notes += [
        f"{best.name} {told}" for told in told_of_made_up(Said.of(data, published).may_contain)
    ]
    return best.texts(best.columns), best.name, certified, notes


def _suggested(table: Table) -> tuple[str, ...]:
    from indistinct.analytics.profile import profile

    found = tuple(item.attribute for item in profile(table).with_role("quasi-identifier"))
    if not found:
        raise DataError(
            Problem(
                "no-quasi-identifier",
                "no column looks like a quasi-identifier",
                file=table.name,
                remedy="name them with --quasi (in Python: quasi)",
            )
        )
    return found


def _starred(encoded: Encoded, quasi: Sequence[str]) -> NDArray[np.bool_]:
    """The combinations with ``*`` in every quasi-identifier, [C]."""
    table = encoded.analysis.table
    mask = np.ones(table.combinations, dtype=np.bool_)
    for name, codes in zip(quasi, table.codes, strict=True):
        labels = encoded.domains[name]
        mask &= np.array([label == SUPPRESSED for label in labels], dtype=np.bool_)[codes]
    return mask


def _sizes(size: NDArray[np.int64]) -> dict[str, float]:
    if not len(size):
        return {"count": 0, "smallest": 0, "mean": 0.0, "largest": 0}
    return {
        "count": len(size),
        "smallest": int(size.min()),
        "mean": float(size.mean()),
        "largest": int(size.max()),
    }


def _classes_of_records(
    combination_of: NDArray[np.int32] | None, kept: NDArray[np.bool_]
) -> NDArray[np.int32] | None:
    """The class of every record, -1 for those in none."""
    if combination_of is None:
        return None
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    found: NDArray[np.int32] = number[combination_of]
    return found


# The population --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _People:
    """What is known of the population: ``counted`` are its combinations, with how many of each."""

    basis: Basis
    size: float | None = None
    counted: pl.DataFrame | None = None
    frame: Frame = None


def _population(
    given: Any,
    counts: str | None,
    policy: Policy | None,
    quasi: Sequence[str],
    records: int,
) -> _People:
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
            Problem(
                "counts-without-table",
                f"'{counts}' names a column, and there is no table of the population to have it",
                remedy="give the table with --population (in Python: population)",
            )
        )
    if given is None:
        return _People("none")
    if isinstance(given, int | float) and not isinstance(given, bool):
        size = _number(given, records)
        if size < records:
            raise DataError(
                Problem(
                    "small-population",
                    f"a population of {size:,.0f} cannot hold a table of {records:,} records",
                    remedy="give the number of people that the table was drawn from",
                )
            )
        return _People("size", size)
    is_path = isinstance(given, str | Path)
    name = Path(given).name if is_path else "the population"
    native = read_table(given, separator=separator) if is_path else given
    tokens = _tokens(policy, quasi)
    require_columns(open_table(native, name), [*quasi, *([counts] if counts else [])])
    table = open_table(native, name, missing_tokens=tokens)
    counted = _counted(table, quasi, counts)
    return _People(
        "table" if counts is None else "counts", float(counted["people"].sum()), counted, native
    )


def _number(given: float, records: int) -> float:
    """The size of the population from its size, or from the share that is in the table."""
    if not (np.isfinite(given) and given > 0):
        raise DataError(
            Problem(
                "bad-setting",
                f"population must be a number of people, or a share below 1, not {given:g}",
            )
        )
    if given < 1 or (isinstance(given, float) and given == 1):
        return records / given
    return float(given)


def _counted(table: Table, quasi: Sequence[str], counts: str | None) -> pl.DataFrame:
    """The distinct combinations of the population, with a column ``people`` after the others."""
    columns = [*quasi, *([counts] if counts is not None and counts not in quasi else [])]
    found = table.distinct(columns)
    rows = count_column(columns)
    people = pl.col(rows).cast(pl.Int64)
    if counts is not None:
        number = found[counts].cast(pl.Float64, strict=False)
        wrong = number.is_null() | (number.fill_null(0) < 0) | (number.fill_null(0) % 1 != 0)
        if wrong.any():
            bad = found.filter(wrong)[counts].to_list()
            raise DataError(
                Problem(
                    "bad-count",
                    "must be a whole number of people, 0 or more",
                    file=table.name,
                    attribute=counts,
                    rows=table.rows_where(counts, bad),
                )
            )
        people = people * number.cast(pl.Int64)
    names = [f"\0{at}" for at in range(len(quasi))]
    return (
        found.select(
            *(pl.col(own).alias(name) for own, name in zip(quasi, names, strict=True)),
            people.alias("people"),
        )
        .group_by(names)
        .agg(pl.col("people").sum())
        .rename(dict(zip(names, quasi, strict=True)) if "people" not in quasi else {})
    )


def _people_of(
    encoded: Encoded,
    kept: NDArray[np.bool_],
    counted: pl.DataFrame,
    read: _Read,
    policy: Policy | None,
) -> NDArray[np.int64]:
    """People of the population in every class that is kept, [G]."""
    table = encoded.analysis.table
    names = [f"\0{at}" for at in range(len(read.quasi))]
    own = pl.DataFrame(
        {
            name: pl.Series(encoded.domains[attribute], dtype=pl.String).gather(codes[kept])
            for name, attribute, codes in zip(names, read.quasi, table.codes, strict=True)
        }
    )
    theirs = counted.rename(dict(zip(counted.columns[:-1], names, strict=True)))
    joined = own.join(theirs, on=names, how="left", nulls_equal=True, maintain_order="left")
    found = joined["people"].fill_null(0).to_numpy().astype(np.int64)
    if policy is None or found.all() or set(read.quasi) != set(policy.quasi_identifiers):
        return found
    under = _people_under(own, theirs, read.quasi, policy)
    return found if under is None else np.maximum(found, under)


def _people_under(
    own: pl.DataFrame, theirs: pl.DataFrame, quasi: Sequence[str], policy: Policy
) -> NDArray[np.int64] | None:
    """People under the generalized cells of every class; None where hierarchies say nothing."""
    number = theirs[theirs.columns[-1]].to_numpy().astype(np.int64)
    classes = own.rename(dict(zip(own.columns, quasi, strict=True)))
    exact = theirs.select(pl.col(at).alias(to) for at, to in zip(own.columns, quasi, strict=True))
    try:
        taxonomies = taxonomies_of(
            open_table(exact, "the population"), policy, exact, number, "the population"
        )
    except HierarchyError:
        return None
    return people_under(classes, exact, number, covers(classes, taxonomies, quasi))


def _uniqueness(size: NDArray[np.int64], people: _People, notes: list[str]) -> Uniqueness | None:
    """Estimates of population uniqueness, where the population's size is known and there is one."""
    from indistinct.analytics.uniqueness import estimate_uniqueness

    if people.size is None or not len(size):
        return None
    if people.size < size.sum():
        notes.append("the population has fewer people than the table: no uniqueness is estimated")
        return None
    return estimate_uniqueness(size, people.size)


# The curve -------------------------------------------------------------------------------------


def _curve_of_releases(
    policy: Policy, read: _Read, threshold: float, ks: range, tell: Progress
) -> RiskCurve:
    """The risk of the releases that the policy's method makes for every k."""
    from indistinct.analytics.risk import CurvePoint, RiskCurve, curve_point

    # Nothing of these releases is published: they need no seed from the operating system.
    run = Run(policy, policy.method.seed or 0)
    table = read.whole or read.table
    if changes_values(policy):
        # What happens to values on the way to a release happens here, too.
        texts_only = open_table(table.text(table.columns), table.name, allow_empty=True)
        table = transformed(texts_only, run, table.name).table
    private = PrivateTable.of(table, run, file=table.name)
    data = private.data
    records = int(data.weight[~data.suppressed_before].sum())
    series = [for_k(private.promises, k, policy.quasi_identifiers) for k in ks]
    plans: Iterable[tuple[int, Plan | None]]
    if _in_one_go(run.policy, data):
        present = private.present
        data = data if present is private.subjects else private.encode(present).data
        asks = asked_of(run.policy)
        found = full_domain_for_each(data, series, asks.objective, Settings.of(asks))
        plans = zip(ks, found, strict=True)
    else:
        plans = (
            (k, _alone(private.promising(asked), run)) for k, asked in zip(ks, series, strict=True)
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


def for_k(promises: Sequence[Promise], k: int, quasi: Sequence[str]) -> list[Promise]:
    """The same promises with another k of k-anonymity over all quasi-identifiers."""
    from indistinct.privacy.k_anonymity import KAnonymity

    def is_over_all(part: Promise) -> bool:
        return isinstance(part, KAnonymity) and (part.on is None or set(part.on) == set(quasi))

    return [KAnonymity(k=k), *(part for part in promises if not is_over_all(part))]


def _in_one_go(policy: Policy, data: LeveledTable) -> bool:
    """Whether the method is the optimal search, which goes through a series of k in one go."""
    from indistinct.recoding.full_domain.optimal import LARGEST

    method = policy.method
    plain = method.algorithm == "optimal" and not method.local_recoding
    if not plain or sight_of(policy).rows or method.time_limit is not None:
        return False
    return asked_of(policy).lattice(data).size <= LARGEST


def _alone(private: PrivateTable, run: Run) -> Plan | None:
    """The plan by the policy's method; None where no release keeps the promises."""
    try:
        found = search(private, run)
    except Unsatisfiable:
        return None
    return None if isinstance(found, LinkedPlan) else found


# Standards -------------------------------------------------------------------------------------


def _verdicts(
    names: Sequence[str],
    read: _Read,
    size: NDArray[np.int64],
    in_class: NDArray[np.int64] | None,
    zip_population: Frame,
    people: _People,
    tell: Progress,
) -> tuple[StandardVerdict, ...]:
    from indistinct.analytics.profile import profile
    from indistinct.analytics.standards import SAFE_HARBOR, by_threshold, safe_harbor

    found = []
    for name in names:
        if name == SAFE_HARBOR:
            tell("looking for identifiers", None)
            areas = _people_by_zip(zip_population, people)
            whole = read.whole or read.table
            found.append(safe_harbor(whole, profile(whole), areas))
        else:
            found.append(by_threshold(name, size, in_class))
    return tuple(found)


def _people_by_zip(given: Any, people: _People) -> dict[str, int] | None:
    """People of every three-digit zip area: of the table given, or of the population's own."""
    from indistinct.analytics.standards import people_by_zip
    from indistinct.sources.convert import to_polars

    if given is not None:
        is_path = isinstance(given, str | Path)
        frame = read_table(given) if is_path else to_polars(given)
        return people_by_zip(frame, Path(given).name if is_path else "the zip codes")
    if people.frame is None:
        return None
    try:
        return people_by_zip(to_polars(people.frame))
    except DataError:
        return None


__all__ = ["for_k", "risk"]
