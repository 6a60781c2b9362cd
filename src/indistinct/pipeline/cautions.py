"""What a custodian should know of a release before handing it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from indistinct.pipeline.searching import published_beside
from indistinct.pipeline.transforming import shows_others
from indistinct.release.audit import Audit
from indistinct.sources.eager import EagerTable
from indistinct.sources.table import Table, open_table

if TYPE_CHECKING:
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.microdata.people import People
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan


MUCH_NOISE = 0.1
"""The share of records of noise above which the custodian is warned."""


def cautions_of(policy: Policy, plan: Plan, suppressed: int, verdict: Audit) -> list[str]:
    """Warnings about how a release was found, and what is left of it."""
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


def too_noisy(noise: int, records: int) -> list[str]:
    """The warning that a good part of a release is made up, where it is.

    Arguments:
        noise: records of noise in the release.
        records: all of its records.
    """
    if noise <= MUCH_NOISE * records:
        return []
    return [
        f"{noise} of the {records} published records are noise ({noise / records:.0%}): counts and "
        "shares of this release say little about the people in it, and readers are not told how "
        "many there are; a smaller k or mu needs less noise, max_noise refuses more than it says"
    ]


def _figure(value: float | list[float]) -> str:
    entries = value if isinstance(value, list) else [value]
    return ", ".join(f"{entry:.4g}" for entry in entries)


def too_telling(
    table: Table,
    policy: Policy,
    plan: Plan,
    data: LeveledTable,
    replaced: Mapping[str, pl.Series],
) -> list[str]:
    """Warnings about columns that could be a person's name, or undo what was generalized."""
    from indistinct.analytics.dependence import giving_away
    from indistinct.analytics.profile import NEARLY_UNIQUE, nearly_unique

    # Lists and the like have no text that could be compared.
    beside = [
        name
        for name in published_beside(policy)
        if table.kinds[name] != "other" and not shows_others(policy, name)
    ]
    found = nearly_unique(table, beside)
    warnings = []
    if found:
        names = ", ".join(f"'{name}'" for name in found)
        warnings.append(f"nearly unique, and published as they are: {names}: {NEARLY_UNIQUE}")
    generalized = [name for j, name in enumerate(data.attributes) if not plan.untouched(j)]
    others = [name for name in beside if name not in found]
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


def telling_of_people(
    beside: pl.DataFrame, texts: pl.DataFrame, plan: Plan, known: Sequence[str] = ()
) -> list[str]:
    """The same of columns that are equal in all records of a person: these are counted by person.

    Arguments:
        beside: the columns, with a row for every person.
        texts: the people's quasi-identifiers.
        plan: what becomes of them.
        known: columns that are nearly unique by record already, and warned about.
    """
    from indistinct.analytics.dependence import giving_away
    from indistinct.analytics.profile import NEARLY_UNIQUE, nearly_unique

    if not beside.width:
        return []
    table = open_table(pl.concat([texts, beside], how="horizontal"))
    found = [name for name in nearly_unique(table, beside.columns) if name not in known]
    warnings = []
    if found:
        names = ", ".join(f"'{name}'" for name in found)
        warnings.append(
            f"nearly unique by person, and published as they are: {names}: {NEARLY_UNIQUE}"
        )
    generalized = [name for j, name in enumerate(plan.attributes) if not plan.untouched(j)]
    others = [name for name in beside.columns if name not in found and name not in known]
    warnings += [
        f"'{column}' is published as it is, and determines '{quasi}', which is generalized: "
        f"whoever reads the one knows the other; make '{column}' a quasi-identifier, or leave it "
        "out"
        for column, quasi in giving_away(table, others, generalized)
    ]
    return warnings


def telling_beside(table: Table, policy: Policy, people: People, plan: Plan) -> list[str]:
    """Warnings about what is published beside the quasi-identifiers, counted by person."""
    from indistinct.analytics.profile import nearly_unique
    from indistinct.pipeline.people import same_in_all_records

    names = [
        name
        for name in policy.named("insensitive")
        if name != people.key and table.kinds[name] != "other" and not shows_others(policy, name)
    ]
    if not names or not isinstance(table, EagerTable):
        return []
    beside = same_in_all_records(people, table.text(names))
    return telling_of_people(beside, people.texts, plan, nearly_unique(table, beside.columns))


def _is_masked(policy: Policy, name: str) -> bool:
    transform = policy.attributes[name].transform
    return transform is not None and transform.mask is not None


def unlike_the_others(
    before: pl.DataFrame, after: pl.DataFrame, policy: Policy, fresh: Sequence[str]
) -> list[str]:
    """Warnings about what tells decoys from records: what holds in these, and not in those."""
    from indistinct.analytics.profile import nearly_unique

    others = [name for name in before.columns if name in published_beside(policy)]
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
