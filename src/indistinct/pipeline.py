"""The verbs, composed from the rooms: anonymize a table, audit a release.

What goes in as a frame of some kind comes out as a frame of that kind; what goes in as a file comes
out as a Polars frame that can be written to a folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import html
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct import __version__
from indistinct.errors import HierarchyError, IndistinctError, Problem
from indistinct.hierarchies.build import build_taxonomy
from indistinct.hierarchies.taxonomy import SUPPRESSED, Taxonomy
from indistinct.microdata.microdata import Microdata, distinct_values, row_numbers
from indistinct.privacy.promise import Promise, promise
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.release.certificate import Certificate, CertifiedTable, Run
from indistinct.requirement import Requirement
from indistinct.sources.convert import like, to_polars
from indistinct.sources.eager import EagerTable
from indistinct.sources.files import read_table
from indistinct.sources.table import Table, count_column, open_table
from indistinct.sources.writing import (
    neutralized,
    publish_folder,
    write_csv,
    write_json,
    write_parquet,
)

if TYPE_CHECKING:
    from indistinct.analytics.assessment import Assessment
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.policy import Output, Policy
    from indistinct.recoding.plan import Plan

OTHERS = "(other columns)"
"""Stands for everything that is published beside the quasi-identifiers, in searches for rows."""

Progress = Callable[[str, float | None], None]
"""Called with what is being done, and the share of it that is done where that is known."""


@dataclass(frozen=True)
class Release:
    """A release and all that is known of it.

    Arguments:
        tables: the released frame, of the kind that went in.
        plan: what is published instead of what; private.
        certificate: the public account.
        run: the private account.
        measures: what the release costs, each measure from 0 (nothing lost) to 1.
        output: how it is written.
        private: further private documents, by file name.
    """

    tables: Any
    plan: Plan
    certificate: Certificate
    run: Run
    measures: Mapping[str, float]
    output: Output
    private: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know before handing the release out."""
        return tuple(self.run.to_dict()["warnings"])

    def write(self, out: str | Path) -> Path:
        """Write the release, its certificate and the private account into a folder.

        The folder appears with all its files, or not at all; ``private/`` in it is closed to
        others. The format is that of the policy's ``[output]``.

        Raises:
            OutputError: If the folder cannot be written, or holds files of somebody else.
        """
        name = f"release.{self.output.format}"
        public = self._as_written()
        with publish_folder(out) as staging:
            path = staging.public / name
            if self.output.format == "parquet":
                write_parquet(self.tables, path)
            else:
                write_csv(self.tables, path, spreadsheet_safe=self.output.spreadsheet_safe)
            table = CertifiedTable(name, _sha256(path), self.certificate.records_published)
            certificate = replace(public, tables=(table,))
            write_json(staging.public / "certificate.json", certificate.to_dict())
            run = replace(self.run, certificate=certificate)
            write_json(staging.private / "run.json", run.to_dict())
            for file, document in self.private.items():
                write_json(staging.private / file, document)
        return Path(out)

    def _as_written(self) -> Certificate:
        """The certificate; where cells or names were neutralized, of what a reader finds."""
        if self.output.format != "csv" or not self.output.spreadsheet_safe:
            return self.certificate
        held = to_polars(self.tables)
        safe = neutralized(held)
        names = dict(zip(held.columns, safe.columns, strict=True))
        asked = []
        for item in self.certificate.promises:
            part = Requirement.from_dict(item)
            on = None if part.on is None else tuple(names[name] for name in part.on)
            sensitive = None if part.sensitive is None else names[part.sensitive]
            asked.append(replace(part, on=on, sensitive=sensitive))
        verdict = audit_release(
            safe, asked, [names[name] for name in self.certificate.quasi_identifiers]
        )
        if not verdict.holds:
            raise IndistinctError("the release made does not keep its promises: it is withheld")
        of_file = Certificate.from_audit(verdict, version=self.certificate.version)
        return replace(
            self.certificate,
            quasi_identifiers=of_file.quasi_identifiers,
            classes=of_file.classes,
            promises=of_file.promises,
        )

    def __repr__(self) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in self.plan.levels.items())
        return f"<Release: {self.certificate!r}, levels {levels}>"

    def _repr_html_(self) -> str:
        measures = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{value:.4f}</td></tr>"
            for name, value in self.measures.items()
        )
        return f"{self.certificate._repr_html_()}<table>{measures}</table>"


def anonymize(
    data: Any,
    policy: Policy | Mapping[str, Any],
    *,
    path: str | Path | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release of a table that keeps the promises of a policy, and prove it.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a file. It is not
            changed.
        policy: roles, hierarchies, promises, method and output; a mapping of its keys will do.
        path: the file that a frame was read from, for messages and the private account.
        progress: is told what is being done.

    Raises:
        DataError: the table cannot be read.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values, or is no tree.
        Unsatisfiable: no release can keep the promises within the policy's limits.
    """
    from indistinct.recoding.recoded import measured
    from indistinct.release.apply import change

    policy = _understood(policy)
    tell = progress or _silent
    tell("reading", None)
    table, source_digest = _open(data, policy, path)
    promises = [promise(part.model, **part.settings) for part in policy.requirements]
    replaced = _transformed(table, policy)
    tell("counting", None)
    texts, weight = _texts(table, policy, promises)
    file = None if source_digest is None else table.name
    taxonomies = _taxonomies(table, policy, texts, weight, file)
    microdata = Microdata.encode(texts, taxonomies, _counted(promises), weight)
    tell("searching", 0.0)
    plan, documents = _search(
        policy, promises, texts, weight, microdata, lambda share: tell("searching", share)
    )
    tell("publishing", None)
    seed = secrets.randbits(128) if policy.method.seed is None else policy.method.seed
    released = table.publish(
        change(
            microdata.data,
            plan,
            _published_columns(table, policy),
            keep_suppressed=policy.output.suppressed == "keep",
            shuffle=np.random.default_rng(seed) if policy.output.shuffle else None,
            replace=replaced,
            combination_of=microdata.combination_of if weight is None else None,
        )
    )
    decoys: tuple[int, ...] = ()
    cautions = _too_telling(table, policy, plan, microdata.data, replaced)
    starred = int(microdata.data.weight[_suppressed_before(microdata.data)].sum())
    if starred and not _counts_rows(policy):
        cautions.append(
            f"records that have {SUPPRESSED} in every quasi-identifier were suppressed before: "
            f"the {starred} of them make no class, and do not count towards the suppression limit"
        )
    if policy.method.decoys is not None:
        released, decoys, further = _enlarge(released, policy, seed)
        cautions += further
        documents["decoys.json"] = {"rows": list(decoys)}
    tell("auditing", None)
    verdict = audit_release(released, policy.requirements, policy.quasi_identifiers)
    _hold_against_plan(verdict, plan, microdata, len(decoys))
    measures = measured(microdata.data, plan)
    return _accounts(
        policy,
        plan,
        microdata,
        released,
        verdict,
        measures,
        seed,
        source_digest,
        cautions,
        documents,
        len(decoys),
    )


def audit(
    tables: Any,
    policy: Policy | Mapping[str, Any] | None = None,
    *,
    promises: Sequence[Any] | None = None,
    quasi: Sequence[str] | None = None,
    source: Mapping[str, Any] | None = None,
) -> Audit:
    """Recompute from published tables alone whether they keep what was promised.

    Arguments:
        tables: a frame, the path of a file or of a release's folder, or several by name.
        policy: says what was promised on which quasi-identifiers.
        promises: the promises, where there is no policy: ``KAnonymity(k=5)``, requirements, or
            tables of their keys.
        quasi: the quasi-identifiers, where there is no policy.
        source: how files are read, ``{"separator": ";"}``.

    Raises:
        DataError: the release cannot be read, or lacks a column.
        PolicyError: nothing says what was promised.
    """
    if policy is not None:
        policy = _understood(policy)
        promises = promises or policy.requirements
        quasi = quasi or policy.quasi_identifiers
    asked = [
        Requirement(part.model, part.parameters, part.on, part.sensitive, part.unit)
        if isinstance(part, Promise)
        else part
        for part in promises or ()
    ]
    return audit_release(tables, asked, quasi or (), source=source)


def _understood(policy: Policy | Mapping[str, Any]) -> Policy:
    from indistinct.policy import Policy

    return Policy.from_dict(policy) if isinstance(policy, Mapping) else policy


def _silent(what: str, share: float | None) -> None:
    del what, share


def _open(data: Any, policy: Policy, path: str | Path | None) -> tuple[Table, str | None]:
    tokens = {
        name: item.missing.tokens for name, item in policy.attributes.items() if item.missing.tokens
    }
    native = data
    if isinstance(data, str | Path):
        path, source = data, policy.source
        native = read_table(
            data,
            separator=source.separator,
            quote=source.quote,
            encoding=source.encoding,
            sheet=source.sheet,
        )
    name = "table" if path is None else Path(path).name
    digest = None if path is None else _sha256(Path(path))
    known = open_table(native, name)
    policy.check(known.columns, "the table" if path is None else name)
    return (open_table(native, name, missing_tokens=tokens) if tokens else known), digest


def _texts(
    table: Table, policy: Policy, promises: Sequence[Promise]
) -> tuple[pl.DataFrame, NDArray[np.int64] | None]:
    """The texts of every record; on lazy engines of every distinct row, with its count."""
    columns = [*policy.quasi_identifiers, *_counted(promises)]
    if _counts_rows(policy):
        columns = list(dict.fromkeys([*columns, *_others(policy)]))
    if isinstance(table, EagerTable):
        return table.text(columns), None
    counted = table.distinct(columns)
    count = count_column(columns)
    return counted.select(columns), counted[count].to_numpy().astype(np.int64)


def _counted(promises: Sequence[Promise]) -> list[str]:
    return list(dict.fromkeys(part.sensitive for part in promises if part.sensitive is not None))


def _taxonomies(
    table: Table,
    policy: Policy,
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    file: str | None,
) -> dict[str, Taxonomy]:
    """The hierarchy of every quasi-identifier over the values that occur; all problems at once.

    Rows that a problem names are those of the table's file.
    """
    found: dict[str, Taxonomy] = {}
    problems: list[Problem] = []
    for name in policy.quasi_identifiers:
        item = policy.attributes[name]
        values, counts = distinct_values(texts[name], weight)
        try:
            found[name] = build_taxonomy(
                name,
                item.hierarchy,
                values,
                counts,
                directory=policy.directory,
                missing=item.missing.as_,
                uncovered=item.uncovered,
                rows_of=functools.partial(table.rows_where, name),
            )
        except HierarchyError as error:
            problems += [
                replace(item, file=file) if item.rows and item.file is None else item
                for item in error.problems
            ]
    if problems:
        raise HierarchyError(problems)
    return found


def _search(
    policy: Policy,
    promises: Sequence[Promise],
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    microdata: Microdata,
    progress: Callable[[float], None],
) -> tuple[Plan, dict[str, dict[str, Any]]]:
    """The plan by the policy's method, and private documents about the search."""
    from indistinct.measures import objective
    from indistinct.recoding.full_domain import Limits, Settings, full_domain
    from indistinct.recoding.lattice import Lattice
    from indistinct.recoding.subtree import SEARCHES, keep_rows

    method = policy.method
    limits = Limits(method.time_limit, method.node_limit)
    lowest = {name: item.min_level for name, item in policy.attributes.items()}
    highest = {
        name: item.max_level
        for name, item in policy.attributes.items()
        if item.max_level is not None
    }
    before = _suppressed_before(microdata.data)
    if not _counts_rows(policy):
        data = microdata.data
        if before.any() and not before.all():
            there = ~before[microdata.combination_of]
            data = Microdata.encode(
                texts.filter(there),
                data.taxonomies,
                _counted(promises),
                None if weight is None else weight[there],
            ).data
    else:
        beside = {_unused(OTHERS, texts.columns): row_numbers(texts, _others(policy))}
        whole = Microdata.encode(
            texts, microdata.data.taxonomies, _counted(promises), weight, beside
        )
        data = whole.data
        quasi = policy.quasi_identifiers
        promises = [replace(part, on=part.on or quasi) for part in promises]
        same = np.zeros(data.table.combinations, dtype=np.int32)
        same[whole.combination_of] = microdata.combination_of
    if method.algorithm in SEARCHES:
        kept, result = keep_rows(
            data,
            promises,
            method.algorithm,
            scope=method.scope,
            tie_break=method.tie_break,
            lattice=Lattice.of(data, lowest, highest),
            limits=limits,
            progress=progress,
        )
        return kept.onto(microdata.data, same), {"search.json": result.to_dict()}
    goal = method.objective
    plan = full_domain(
        data,
        promises,
        objective(
            goal.measure,
            aggregate=goal.aggregate,
            gs_factor=goal.gs_factor,
            monotonic=goal.monotonic,
            weights=_weights(policy),
        ),
        Settings(
            algorithm="heuristic" if method.algorithm == "heuristic" else "optimal",
            suppression_limit=method.suppression_limit,
            min_level=lowest,
            max_level=highest,
            limits=limits,
            local_recoding=method.local_recoding,
        ),
        progress,
    )
    if _counts_rows(policy):
        return plan.onto(microdata.data, same), {}
    return (plan if data is microdata.data else plan.beside(before)), {}


def _suppressed_before(data: LeveledTable) -> NDArray[np.bool_]:
    """Which combinations are ``*`` throughout: records that an earlier release suppressed, [C]."""
    mask = np.ones(data.table.combinations, dtype=np.bool_)
    for name, codes in zip(data.attributes, data.table.codes, strict=True):
        leaves = data.taxonomies[name].leaves
        mask &= np.array([leaf == SUPPRESSED for leaf in leaves], dtype=np.bool_)[codes]
    return mask


def _counts_rows(policy: Policy) -> bool:
    """Whether the search looks at whole rows, not only at quasi-identifiers."""
    from indistinct.policy import ROW_SEARCHES

    return policy.method.objective.measure == "rows" or policy.method.algorithm in ROW_SEARCHES


def _others(policy: Policy) -> list[str]:
    """What is published beside the quasi-identifiers and not made up for the release."""
    return [*policy.sensitive, *policy.named("insensitive")]


def _unused(name: str, columns: Sequence[str]) -> str:
    while name in columns:
        name += "_"
    return name


def _weights(policy: Policy) -> dict[str, float]:
    """Attribute weights where one differs from 1, for objectives that take any."""
    from indistinct.measures import measures

    weights = policy.weights
    takes_any = "weights" in measures()[policy.method.objective.measure].settings
    return weights if takes_any and any(weight != 1.0 for weight in weights.values()) else {}


def _published_columns(table: Table, policy: Policy) -> list[str]:
    """All columns but identifiers that are not transformed, in the table's order."""
    return [
        name
        for name in table.columns
        if policy.attributes[name].role != "identifier"
        or policy.attributes[name].transform is not None
    ]


def _transformed(table: Table, policy: Policy) -> dict[str, pl.Series]:
    from indistinct.release.transform import mask, pseudonymize, read_key

    found = {}
    for name in policy.named("identifier"):
        transform = policy.attributes[name].transform
        if transform is None:
            continue
        column = table.text([name])[name]
        if transform.mask is not None:
            rule = transform.mask
            found[name] = mask(column, keep=rule.keep, char=rule.char, end=rule.from_)
        elif transform.pseudonymize is not None:
            keyed = transform.pseudonymize
            key = read_key(name, env=keyed.key_env, file=keyed.key_file, directory=policy.directory)
            found[name] = pseudonymize(column, key=key, length=keyed.length)
    return found


def _enlarge(released: Any, policy: Policy, seed: int) -> tuple[Any, tuple[int, ...], list[str]]:
    """The release with decoys, as the kind of frame it was; where they are; and warnings."""
    from indistinct.release.decoys import with_decoys

    asked = policy.method.decoys
    assert asked is not None
    before = to_polars(released)
    fresh = [
        name
        for name in policy.named("identifier")
        if (rule := policy.attributes[name].transform) is not None and rule.pseudonymize is not None
    ]
    done = with_decoys(
        before,
        policy.quasi_identifiers,
        to=asked.to,
        limit=asked.limit,
        random=np.random.default_rng([seed, 1]),
        fresh=fresh,
        shuffle=policy.output.shuffle,
    )
    warnings = [
        "the release may hold decoys: counts in it are distorted, and whoever learns how many "
        "decoys a class has can subtract them; their number stays private"
    ]
    if done.short:
        warnings.append(
            f"{done.short} classes could not be enlarged to {asked.to} records: the limit of "
            "decoys was reached, or the class offers no record that is not there already"
        )
    if done.places:
        warnings += _unlike_the_others(before, done.frame, policy, fresh)
    return like(done.frame, released), done.places, warnings  # of one type, decoys or none


def _hold_against_plan(verdict: Audit, plan: Plan, microdata: Microdata, decoys: int) -> None:
    """The audit and the plan speak of the same release, or there is a bug of ours."""
    if not verdict.holds:
        raise IndistinctError("the release made does not keep its promises: it is withheld")
    published = int(microdata.data.weight[~plan.suppressed].sum())
    starred = verdict.suppressed
    if verdict.records - starred > published + decoys:
        raise IndistinctError("the release holds records that the plan suppresses: it is withheld")


def _accounts(
    policy: Policy,
    plan: Plan,
    microdata: Microdata,
    released: Any,
    verdict: Audit,
    measures: Mapping[str, float],
    seed: int,
    source_digest: str | None,
    further: Sequence[str],
    documents: Mapping[str, Mapping[str, Any]],
    decoys: int,
) -> Release:
    from indistinct.recoding.recoded import leaked

    weight = microdata.data.weight
    suppressed = int(weight[plan.suppressed].sum())
    records = int(weight.sum())
    warnings = [*policy.warnings, *_cautions(policy, plan, suppressed, verdict), *further]
    certificate = Certificate.from_audit(
        verdict,
        version=__version__,
        may_contain=["decoys"] if policy.method.decoys is not None else [],
    )
    run = Run(
        certificate=certificate,
        records=records,
        published=records - suppressed,
        suppressed=suppressed,
        plan={
            **plan.to_dict(),
            "rows": _distinct_rows(released),
            "leakage": leaked(microdata.data, plan),
        },
        measures=measures,
        seed=seed,
        decoys=decoys,
        policy_sha256=hashlib.sha256(_policy_bytes(policy)).hexdigest(),
        source_sha256=source_digest,
        warnings=tuple(warnings),
    )
    return Release(
        tables=released,
        plan=plan,
        certificate=certificate,
        run=run,
        measures=measures,
        output=policy.output,
        private={"plan.json": _plan_document(plan, microdata), **documents},
    )


def _figure(value: float | list[float]) -> str:
    entries = value if isinstance(value, list) else [value]
    return ", ".join(f"{entry:.4g}" for entry in entries)


def _cautions(policy: Policy, plan: Plan, suppressed: int, verdict: Audit) -> list[str]:
    found = []
    report = plan.search
    if report.stopped_by is not None and not report.optimal:
        found.append(
            f"the search was stopped by {report.stopped_by}: the release costs "
            f"{_figure(report.value)}, and no release can cost less than {_figure(report.bound)}"
        )
    elif report.algorithm == "heuristic":
        found.append(
            f"a heuristic searched the lattice of {report.nodes} nodes: the release is good, and "
            "not proved the best"
        )
    smallest = verdict.classes.smallest
    if policy.output.suppressed == "keep" and 0 < suppressed < (smallest or 0):
        found.append(
            "fewer suppressed records are kept than the smallest class holds: whoever is known to "
            'be in the table and fits no class is one of these few; suppressed = "drop" is safer'
        )
    if not policy.output.shuffle:
        found.append(
            "the release keeps the order of the source: whoever knows that order can match records"
        )
    if verdict.records == verdict.suppressed and suppressed < verdict.records:
        found.append(
            "nothing is left of any quasi-identifier: a reader cannot tell these records from "
            "suppressed ones"
        )
    if verdict.records == 0:
        found.append("every record is suppressed: the release is empty")
    return found


def _plan_document(plan: Plan, microdata: Microdata) -> dict[str, Any]:
    """The plan with its mappings from value to published value, for the custodian alone."""
    from indistinct.recoding.plan import LevelPlan

    data = microdata.data
    document = plan.to_dict()
    if isinstance(plan, LevelPlan):
        document["nodes"] = [list(node) for node in plan.nodes]
    document["attributes"] = {
        name: {
            "level": plan.levels[name],
            "levels": int(data.heights[j]) + 1,
            "published": _mapping(plan, data, j),
        }
        for j, name in enumerate(data.attributes)
    }
    return document


def _mapping(plan: Plan, data: LeveledTable, attribute: int) -> list[list[str | None]]:
    """Every leaf of attribute j, and what it is published as (by the full-domain plan)."""
    from indistinct.recoding.plan import CutPlan

    taxonomy = data.taxonomies[data.attributes[attribute]]
    leaves = taxonomy.leaves
    if isinstance(plan, CutPlan):
        levels = [int(level) for level in plan.cuts[attribute]]
    else:
        levels = [plan.levels[data.attributes[attribute]]] * len(leaves)
    shown = {level: taxonomy.level(level) for level in set(levels)}
    return [
        [leaf, shown[level][at]]
        for at, (leaf, level) in enumerate(zip(leaves, levels, strict=True))
    ]


def _policy_bytes(policy: Policy) -> bytes:
    """The file of the policy, or its text (hierarchies given as objects spelt out)."""
    if policy.file is not None:
        with contextlib.suppress(OSError):
            return Path(policy.file).read_bytes()
    keys = policy.to_dict()
    for item in keys.get("attributes", {}).values():
        if isinstance(item.get("hierarchy"), Taxonomy):
            item["hierarchy"] = item["hierarchy"].rows()
    return json.dumps(keys, sort_keys=True, default=str).encode()


def _too_telling(
    table: Table,
    policy: Policy,
    plan: Plan,
    data: LeveledTable,
    replaced: Mapping[str, pl.Series],
) -> list[str]:
    """Warnings about columns that could be a person's name, or undo what was generalized."""
    from indistinct.analytics.dependence import giving_away
    from indistinct.analytics.profile import NEARLY_UNIQUE, nearly_unique

    found = nearly_unique(table, _others(policy))
    warnings = []
    if found:
        names = ", ".join(f"'{name}'" for name in found)
        warnings.append(f"nearly unique, and published as they are: {names}: {NEARLY_UNIQUE}")
    generalized = [name for j, name in enumerate(data.attributes) if not plan.untouched(j)]
    others = [name for name in _others(policy) if name not in found]
    warnings += [
        f"'{column}' is published as it is, and determines '{quasi}', which is generalized: "
        f"whoever reads the one knows the other; make '{column}' a quasi-identifier, or leave it "
        "out"
        for column, quasi in giving_away(table, others, generalized)
    ]
    masked = {name: values for name, values in replaced.items() if _is_masked(policy, name)}
    if masked:
        telling = nearly_unique(open_table(pl.DataFrame(masked)), masked)
        warnings += [
            f"the mask of identifier '{name}' leaves most records a text of their own, or nearly: "
            "keep fewer characters, or leave it out"
            for name in telling
        ]
    return warnings


def _is_masked(policy: Policy, name: str) -> bool:
    transform = policy.attributes[name].transform
    return transform is not None and transform.mask is not None


def _unlike_the_others(
    before: pl.DataFrame, after: pl.DataFrame, policy: Policy, fresh: Sequence[str]
) -> list[str]:
    """Warnings about what tells decoys from records: what holds in these, and not in those."""
    from indistinct.analytics.profile import nearly_unique

    others = [name for name in before.columns if name in _others(policy)]
    found = []
    if unique := nearly_unique(open_table(before.select(others)), others) if others else []:
        names = ", ".join(f"'{name}'" for name in unique)
        found.append(
            "decoys can be told apart: they repeat values of records of their class, and nearly "
            f"unique values are seldom repeated otherwise: {names}"
        )
    sizes = {name: before[name].n_unique() for name in others}
    broken = [
        f"'{one}' and '{other}'"
        for one in others
        for other in others
        if one != other
        and one not in unique
        and sizes[other] > 1
        and before.select(one, other).n_unique() == sizes[one]
        and after.select(one, other).n_unique() > after[one].n_unique()
    ]
    if broken:
        found.append(
            "decoys can be told apart: among records the one column settles the other, and among "
            f"decoys it does not: {', '.join(broken)}"
        )
    if several := [name for name in fresh if before[name].drop_nulls().is_duplicated().any()]:
        names = ", ".join(f"'{name}'" for name in several)
        found.append(
            f"decoys can be told apart: each has a pseudonym of its own, and records share {names}"
        )
    return found


def _distinct_rows(released: Any) -> int:
    """Distinct rows of a release, over all of its columns."""
    rows = nw.from_native(released).lazy().unique().select(nw.len()).collect()
    return int(rows.item())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def assess(
    data: Any,
    policy: Policy | None = None,
    *,
    release: Any = None,
    attributes: Sequence[str] | None = None,
    combinations: int | None = None,
    top: int = 10,
    threshold: float = 0.5,
    key_like: float = 0.9,
    weights: str | None = None,
    exposed: int = 10,
    path: str | Path | None = None,
    source: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """What a table gives away, and, where a release of it is given, what is left to leak.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a file. It is not
            changed.
        policy: says which role each column plays; without, roles are suggested.
        release: what was published of it: a frame, the path of a file or of a release's folder.
        attributes: look at these columns only, and tell also what all of them leak together.
        combinations: tell the leakage of every combination of at most so many columns; without,
            that of every column, and the worst combinations of two or three.
        top: how many of the worst combinations are told.
        threshold: the share of what tells everybody apart from which one column leaks a lot.
        key_like: the share from which a combination of columns is nearly as good as a name.
        weights: a column of numbers, how likely each record is to be looked for (up to a factor).
        exposed: how many of the most exposed records are named, in ``Assessment.exposed``; private.
        path: the file that a frame was read from, for messages.
        source: how a file is read, ``{"separator": ";"}``, where there is no policy.
        progress: is told what is being done.

    Raises:
        DataError: the table or the release cannot be read, or lacks a column.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy of the policy does not cover the table's values, or is no tree.
    """
    from indistinct.analytics.assessment import assess_table
    from indistinct.analytics.profile import profile

    tell = progress or _silent
    tell("reading", None)
    if policy is not None:
        table, _ = _open(data, policy, path)
    elif isinstance(data, str | Path):
        table = open_table(read_table(data, **(source or {})), Path(data).name)
    else:
        table = open_table(data, "table" if path is None else Path(path).name)
    published = None if release is None else _published_table(release, table.columns)
    tell("looking at the columns", None)
    return assess_table(
        table,
        profile(table),
        roles=None if policy is None else {k: v.role for k, v in policy.attributes.items()},
        attributes=attributes,
        combinations=combinations,
        top=top,
        threshold=threshold,
        key_like=key_like,
        weights=weights,
        exposed=exposed,
        release=published,
        taxonomy_of=None if policy is None else functools.partial(_taxonomy_of, policy, table),
        progress=progress,
    )


def _published_table(release: Any, columns: Sequence[str]) -> Table:
    """The published table that shares most columns with the private one."""
    from indistinct.release.audit.reading import read_release

    best = max(read_release(release).tables, key=lambda part: len(set(part.columns) & set(columns)))
    return open_table(best.texts(best.columns), best.name, allow_empty=True)


def _taxonomy_of(
    policy: Policy, table: Table, name: str, values: Sequence[str | None], counts: Sequence[int]
) -> Taxonomy | None:
    item = policy.attributes[name]
    return build_taxonomy(
        name,
        item.hierarchy,
        values,
        counts,
        directory=policy.directory,
        missing=item.missing.as_,
        uncovered=item.uncovered,
        rows_of=functools.partial(table.rows_where, name),
    )
