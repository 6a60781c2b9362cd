"""The verb *compare*: releases of one table side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, IndistinctError, Problem, did_you_mean
from indistinct.hierarchies.taxonomy import SUPPRESSED, Taxonomy
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.microdata import distinct_values
from indistinct.pipeline.attacking import SPREADSHEET_GUARD, attack
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.opening import Progress, as_policy, no_progress, open_source
from indistinct.pipeline.population import covers, population_of
from indistinct.pipeline.release import Release
from indistinct.pipeline.transforming import policy_of_originals
from indistinct.pipeline.value_metadata import value_metadata_of
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import effective, models, promise_of, promised_class_size
from indistinct.release.audit import audit as audit_release
from indistinct.release.audit.reading import missing_columns, read_release
from indistinct.requirement import Requirement
from indistinct.sources.eager import EagerTable
from indistinct.sources.table import Table, count_column

if TYPE_CHECKING:
    from indistinct.analytics.attacks.finding import Finding
    from indistinct.analytics.comparison import Comparison, Kept
    from indistinct.analytics.contingency import Contingency
    from indistinct.policy import Policy
    from indistinct.release.audit import Verdict

ATTACKERS = (
    "record-linkage",
    "membership",
    "homogeneity",
    "categorical-similarity",
    "background-exclusion",
    "noise-stripping",
    "learned-correlation",
)
"""The attackers that releases are compared by, unless others are named."""


def compare(
    data: Any,
    *releases: Any,
    policy: Policy | Mapping[str, Any],
    names: Sequence[str] | None = None,
    k: int | None = None,
    queries: int = 1000,
    dimensions: int | None = None,
    selectivity: float = 0.05,
    mode: str = "overlap",
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    attacks: bool | Sequence[str] = False,
    contingency: tuple[str, str] | None = None,
    progress: Progress | None = None,
    path: str | Path | None = None,
) -> Comparison:
    """Releases of one table side by side: what they keep of promises, and what they cost.

    Any release will do, also of other tools: cells are exact values, nodes of the policy's
    hierarchies, ranges ``[20, 24]``, sets ``{flu, asthma}`` or ``*``. A quasi-identifier that a
    release does not have counts as suppressed in it. What comes out is private.

    Where the policy names the person of each record, all figures count people, of long releases and
    of linked tables. Then it is also told whether people can be linked to their rows, what is
    believed of them, and how wrong the joined tables answer.

    Arguments:
        data: the private table, a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a
            file. It is not changed.
        releases: what was published of it, each a :class:`Release`, a frame, the path of a file or
            of a release's folder; or one list of these, or one mapping of names to them.
        policy: roles, hierarchies and promises; a mapping of its keys will do.
        names: what the tables call the releases.
        k: the size of classes that C_AVG and the least DCP refer to; without, for each release the
            largest k that its certificate promises, or else the policy.
        queries: how many counting queries each release is asked.
        dimensions: how many quasi-identifiers a query has a condition on; without, two.
        selectivity: the share of records that a query is expected to find.
        mode: how releases answer, ``overlap`` or ``uniform``; the other mode is told as well.
        seed: of the random queries. The same seed asks the same.
        weights: of quasi-identifiers in the certainty penalty; without, those of the policy.
        attacks: whether attackers are let loose on each release; their names, for others than the
            usual ones.
        contingency: two columns whose values are counted together, in the table and in every
            release.
        progress: is told what is being done.
        path: the file that a frame was read from, for messages.

    Raises:
        DataError: the table or a release cannot be read, or has cells that cannot; or a setting is
            out of range.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values, or is no tree.
    """
    from indistinct.analytics.comparison import ComparedRelease, Comparison
    from indistinct.analytics.published import Original, read_rows
    from indistinct.analytics.query_error import MODES, Workload, known_mode
    from indistinct.analytics.utility import Utility

    policy = policy_of_originals(as_policy(policy))
    tell = progress or no_progress
    asked_mode = known_mode(mode)
    workload = Workload(queries, dimensions, selectivity, seed)
    given = _given(releases, names)
    if policy.person is not None:
        from indistinct.pipeline.comparing_people import compare_people

        return compare_people(
            data,
            given,
            policy,
            k=k,
            workload=workload,
            mode=asked_mode,
            weights=weights,
            attackers=(ATTACKERS if attacks is True else tuple(attacks)) if attacks else None,
            contingency=contingency,
            tell=tell,
            path=path,
        )
    tell("reading the releases", None)
    read = [_read(part, name, policy, contingency or ()) for name, part in given]
    tell("reading", None)
    table, digest = open_source(data, policy, path)
    file = None if digest is None else table.name
    shown = {item.name: (item.path, item.texts) for item in read}
    together = None if contingency is None else together_in(table, shown, contingency)
    asked = asked_of(policy, [one.requirements for one in read])
    texts, weight = _texts(table, policy, asked)
    asked = settled(asked, texts)
    read = [replace(one, requirements=tuple(settled(one.requirements, texts))) for one in read]
    people = population_of(policy) if any(map(needs_population, asked)) else None
    taxonomies = taxonomies_of(table, policy, texts, weight, file, people)
    original = Original.of(texts, taxonomies, weight)
    known = _known(policy, table, texts, weight, asked, read, file)
    tell("drawing queries", None)
    drawn = workload.draw(original)
    quasi = policy.quasi_identifiers
    changed = [name for name, item in policy.attributes.items() if item.transform is not None]
    compared = []
    for at, one in enumerate(read):
        tell(f"measuring {one.name}", at / len(read))
        rows = read_rows(original, one.canonical(policy), one.path, changed)
        size = k or promised_k(one.requirements, quasi) or promised_k(policy.requirements, quasi)
        chosen = policy.weights if weights is None else weights
        utility = Utility(original, rows, total_of(one.added), size, chosen)
        audited = _audited(one, asked, quasi, known, people, taxonomies)
        found = None
        if attacks:
            names_of = ATTACKERS if attacks is True else tuple(attacks)
            found = attacked(data, one.given, policy, names_of, path)
        compared.append(
            ComparedRelease(
                name=one.name,
                path=one.path,
                utility=utility,
                errors={each: drawn.error(rows, each) for each in MODES},
                mode=asked_mode,
                promises=audited,
                added=one.added,
                seconds=one.seconds,
                attacks=found,
                notes=one.notes,
            )
        )
    return Comparison(
        original.records, quasi, tuple(compared), workload, drawn.dimensions, together
    )


def together_in(
    table: Table, releases: Mapping[str, tuple[str, pl.DataFrame]], names: tuple[str, str]
) -> Contingency:
    """How often two columns have which values together, before and after.

    Arguments:
        table: the private table.
        releases: by the name of every release its path and its texts.
        names: the two columns.

    Raises:
        DataError: the table or a release lacks one of them, or they are the same.
    """
    from indistinct.analytics.contingency import contingency

    one, other = names
    columns = {table.name: list(table.columns)}
    columns |= {path: texts.columns for path, texts in releases.values()}
    problems = [
        Problem("missing-column", f"no column '{name}': {did_you_mean(name, there)}", file=file)
        for file, there in columns.items()
        for name in dict.fromkeys(names)
        if name not in there
    ]
    if one == other:
        problems.append(Problem("bad-setting", "a column is counted together with another one"))
    if problems:
        raise DataError(problems)
    counted = table.distinct(names)
    return contingency(
        counted,
        {name: texts for name, (_, texts) in releases.items()},
        one,
        other,
        weight=counted[count_column(names)],
    )


@dataclass(frozen=True)
class _Read:
    """A release as it was read, and what its certificate and its run say."""

    given: Any
    name: str
    path: str
    texts: pl.DataFrame
    requirements: tuple[Requirement, ...]
    known: Mapping[str, ValueMetadata]
    added: Mapping[str, int] | None
    seconds: float | None
    notes: tuple[str, ...]

    def canonical(self, policy: Policy) -> pl.DataFrame:
        """The quasi-identifiers as text, what stands for a missing value null."""
        guarded = policy.output.spreadsheet_safe and policy.output.format == "csv"
        columns = []
        for name in policy.quasi_identifiers:
            column = self.texts[name]
            if guarded:
                column = column.str.replace(SPREADSHEET_GUARD, "$1")
            tokens = ["", *policy.attributes[name].missing.tokens]
            columns.append(column.set(column.is_in(tokens), None))
        return pl.DataFrame(columns)


def _given(releases: Sequence[Any], names: Sequence[str] | None) -> list[tuple[str, Any]]:
    """The releases with their names, no two of them equal."""
    if len(releases) == 1 and isinstance(releases[0], Mapping):
        names = [str(name) for name in releases[0]]
        releases = list(releases[0].values())
    elif len(releases) == 1 and isinstance(releases[0], list | tuple):
        releases = releases[0]
    problems = []
    if not releases:
        problems.append(Problem("no-release", "there is no release to look at"))
    if names is not None and len(names) != len(releases):
        problems.append(
            Problem("bad-setting", f"{len(names)} names were given to {len(releases)} releases")
        )
    if names is not None and len(set(names)) < len(names):
        problems.append(Problem("bad-setting", "two releases were given the same name"))
    if problems:
        raise DataError(problems)
    if names is None:
        names = _called(releases)
    return list(zip(names, releases, strict=True))


def _called(releases: Sequence[Any]) -> list[str]:
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


def _read(given: Any, name: str, policy: Policy, further: Sequence[str] = ()) -> _Read:
    release = given.tables if isinstance(given, Release) else given
    published = read_release(release)
    path = str(given) if isinstance(given, str | Path) else name
    names = (*policy.quasi_identifiers, *policy.sensitive)
    table = max(
        published.tables, key=lambda part: sum(part.find(column) is not None for column in names)
    )
    lacking = [column for column in names if table.find(column) is None]
    if set(policy.quasi_identifiers) <= set(lacking):
        problems = missing_columns(table, policy.quasi_identifiers)
        raise DataError([replace(item, file=path) for item in problems])
    more = [column for column in further if table.find(column) is not None]
    there = [column for column in names if column not in lacking]
    texts = table.texts(list(dict.fromkeys([*there, *more])))
    notes = list(published.notes)
    for column in lacking:
        if column in policy.quasi_identifiers:
            notes.append(f"has no column '{column}': it counts as suppressed throughout")
            texts = texts.with_columns(pl.lit(SUPPRESSED).alias(column))
    if table.matches is False:
        notes.append("is not the release that its certificate speaks of")
    requirements: tuple[Requirement, ...] = ()
    known: Mapping[str, ValueMetadata] = {}
    run: Mapping[str, Any] | None = None
    if isinstance(given, Release):
        requirements = tuple(map(Requirement.from_dict, given.certificate.promises))
        known, run = given.certificate.sensitive, given.run.to_dict()
    elif published.claims is not None:
        requirements, known = published.claims.requirements, published.claims.known
        run = account_beside(published.claims.path.parent / "private" / "run.json")
    return _Read(
        given=given,
        name=name,
        path=path,
        texts=texts,
        requirements=tuple(
            on_all(effective(item), policy.quasi_identifiers) for item in requirements
        ),
        known=known,
        added=added_by(run),
        seconds=seconds_of(run),
        notes=tuple(notes),
    )


def on_all(requirement: Requirement, quasi: Sequence[str]) -> Requirement:
    """The same promise; on all quasi-identifiers, where it names all of them."""
    if requirement.on is not None and set(requirement.on) == set(quasi):
        return replace(requirement, on=None)
    return requirement


def account_beside(path: Path) -> Mapping[str, Any] | None:
    """The private account of a run, where it lies beside its release and can be read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, Mapping) else None


def added_by(run: Mapping[str, Any] | None) -> Mapping[str, int] | None:
    """How many records were added, by what was added; None where that is not known."""
    added = None if run is None else run.get("added")
    if not isinstance(added, Mapping):
        return None
    return {str(key): count for key, count in added.items() if isinstance(count, int)}


def seconds_of(run: Mapping[str, Any] | None) -> float | None:
    """How long a run's search took; None where that is not known."""
    plan = None if run is None else run.get("plan")
    seconds = plan.get("seconds") if isinstance(plan, Mapping) else None
    return float(seconds) if isinstance(seconds, int | float) else None


def total_of(added: Mapping[str, int] | None) -> int | None:
    """How many records were added in all; None where that is not known."""
    return None if added is None else sum(added.values())


def asked_of(policy: Policy, certified: Iterable[Sequence[Requirement]]) -> list[Requirement]:
    """The promises of the policy, and those that any release's certificate names beside.

    A k that was to be chosen from the table stands in a certificate only.
    """
    found = [
        on_all(part.spec, policy.quasi_identifiers)
        for part in policy.privacy_models
        if not part.is_open
    ]
    for requirements in certified:
        found += [item for item in requirements if item not in found]
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


def needs_population(requirement: Requirement) -> bool:
    """Whether a promise counts people of a population."""
    model = models().get(requirement.model)
    return model is not None and model.needs_population


def promised_k(requirements: Iterable[Requirement], quasi: Sequence[str]) -> int | None:
    """The largest k that is promised over all quasi-identifiers, else over some of them."""
    asked = list(requirements)
    return promised_class_size(asked, quasi) or promised_class_size(asked, ())


def _texts(
    table: Table, policy: Policy, asked: Sequence[Requirement]
) -> tuple[pl.DataFrame, NDArray[np.int64] | None]:
    """The texts of every record; on lazy engines of every distinct row, with its count."""
    sensitive = [item.sensitive for item in asked if item.sensitive in policy.sensitive]
    columns = list(
        dict.fromkeys([*policy.quasi_identifiers, *(name for name in sensitive if name)])
    )
    if isinstance(table, EagerTable):
        return table.text(columns), None
    counted = table.distinct(columns)
    count = count_column(columns)
    return counted.select(columns), counted[count].to_numpy().astype(np.int64)


def _known(
    policy: Policy,
    table: Table,
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    asked: Sequence[Requirement],
    read: Sequence[_Read],
    file: str | None,
) -> dict[str, ValueMetadata]:
    """What is known of sensitive values: by the policy, else by a certificate."""
    names = [name for name in texts.columns if name in policy.sensitive]
    found = value_metadata_of(policy, table, texts, names, file)
    for one in read:
        for name, about in one.known.items():
            if found.get(name, NO_METADATA) == NO_METADATA:
                found[name] = about
    for item in asked:
        if item.reference == "original" and item.sensitive in texts.columns:
            values, counts = distinct_values(texts[item.sensitive], weight)
            total = sum(counts)
            shares = {value: count / total for value, count in zip(values, counts, strict=True)}
            found[item.sensitive] = replace(
                found.get(item.sensitive, NO_METADATA), reference=shares
            )
    return found


def _audited(
    one: _Read,
    asked: Sequence[Requirement],
    quasi: tuple[str, ...],
    known: Mapping[str, ValueMetadata],
    people: pl.DataFrame | None,
    taxonomies: Mapping[str, Taxonomy],
) -> tuple[Kept, ...]:
    """What a release achieves of every promise; None of those that it cannot be held against."""
    from indistinct.analytics.comparison import Kept

    covering = None if people is None else covers(one.texts, taxonomies, quasi)

    def verdict(requirement: Requirement) -> Verdict | None:
        try:
            found = audit_release(
                one.texts, [requirement], quasi, known=known, population=people, covers=covering
            )
        except IndistinctError:
            return None
        return found.promises[0]

    own = one.requirements or asked
    return tuple(Kept(item, verdict(item), item in own, item.on or quasi) for item in asked)


def attacked(
    data: Any, release: Any, policy: Policy, names: tuple[str, ...], path: str | Path | None
) -> tuple[Finding, ...]:
    """What attackers reach against a release."""
    return attack(data, release, policy, only=names, path=path).attacks
