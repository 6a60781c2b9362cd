"""How a release was found, and of which attributes little is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from indistinct.analytics.profile.about_tables import MANY_QUASI_IDENTIFIERS
from indistinct.document import in_quotes, many, toml_key
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.asked import method_of
from indistinct.measures import measures
from indistinct.recoding.cells import FLAT
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import method_named
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.visits import LITTLE
from indistinct.release.audit import Audit
from indistinct.sources.engines import open_table
from indistinct.types import Frame
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan


def warn_about_search(
    policy: Policy, plan: Plan, suppressed: int, verdict: Audit, *, left_out: bool
) -> list[WarningText]:
    """Warnings about how a release was found, and what is left of it.

    Arguments:
        policy: what was asked.
        plan: how it was found.
        suppressed: records that are suppressed.
        verdict: the audit of the release.
        left_out: whether the plan suppresses some, and not their own values alone.
    """
    found = []
    report = plan.search
    if report.stopped_by is not None and not report.optimal:
        value, bound = _figure(report.value), _figure(report.bound)
        known = measures().get(report.measure)
        told = f"costs {value}, and no release can cost less than {bound}"
        if known is not None and known.maximized:
            told = f"keeps {value} {report.measure}, and no release can keep more than {bound}"
        found.append(
            Kind.LOSS(f"the search was stopped by {report.stopped_by}: the release {told}")
        )
    elif report.algorithm == "heuristic":
        found.append(
            Kind.SETTING(
                f"a heuristic searched the lattice of {many(report.nodes, 'node')}: no "
                "optimality guarantee"
            )
        )
    kept = policy.output.suppressed == "keep" and verdict.suppressed > 0 and left_out
    if kept and verdict.few_suppressed:
        few = "fewer suppressed records are kept than the smallest class has"
        if verdict.suppressed_people is not None:
            few = "suppressed records are kept of fewer people than the smallest class has"
        found.append(
            Kind.RISK(
                f"{few}: a person in the table who fits no class is one of these few; "
                'suppressed = "drop" is safer'
            )
        )
    if not kept and verdict.few_suppressed:
        few = f"{many(verdict.suppressed, 'record is', 'records are')} * in every quasi-identifier"
        found.append(
            Kind.RISK(
                f"{few}, fewer than the smallest class has: a person in the table who fits no "
                'class is one of these few; missing = "value" may put them into classes, or leave '
                "them out of the table"
            )
        )
    covered = {item.sensitive for item in policy.promises}
    bare = [name for name in policy.sensitive if name not in covered]
    if kept and bare:
        listed = in_quotes(bare)
        found.append(
            Kind.RISK(
                "suppressed records are kept, and people who fit no class are known to be "
                f"among them: no promise bounds what they tell about {listed}; suppressed = "
                '"drop" is safer'
            )
        )
    if not policy.output.shuffle:
        found.append(
            Kind.RISK(
                "the release keeps the order of the source: an attacker who knows that order "
                "can match records"
            )
        )
    if verdict.records == verdict.suppressed and suppressed < verdict.records:
        found.append(
            Kind.LOSS("nothing is left of any quasi-identifier: records look like suppressed ones")
        )
    if verdict.records == 0:
        found.append(Kind.LOSS("every record is suppressed: the release is empty"))
    return found


def _figure(value: float | list[float]) -> str:
    entries = value if isinstance(value, list) else [value]
    return ", ".join(f"{entry:.4g}" for entry in entries)


FEW_CODES = 20
"""Up to so many whole numbers of an attribute may be codes of categories."""


def warn_about_ranges(private: PrivateTable, plan: Plan | LinkedPlan) -> list[WarningText]:
    """Warnings about few whole numbers that are put into ranges, and may be codes of categories."""
    cells = plan.quasi if isinstance(plan, LinkedPlan) else plan
    if not isinstance(cells, CellPlan):
        return []
    said, found = private.policy.method.cells or {}, []
    for name, style, texts in zip(cells.attributes, cells.style, cells.texts, strict=True):
        asked = said if isinstance(said, str) else said.get(name)
        if style != "range" or asked == style or private.policy.attributes[name].type is not None:
            continue
        taxonomy = private.taxonomies[name]
        values = {one for one in taxonomy.leaves if one} - {*taxonomy.suppressed}
        codes = taxonomy.levels <= FLAT and all(one.isdecimal() for one in values)
        if codes and len(values) <= FEW_CODES and any((one or "").startswith("[") for one in texts):
            found.append(
                Kind.SETTING(
                    f"'{name}': its {many(len(values), 'value')} are numbers, and published as "
                    f"ranges; if they are codes, write attributes.{toml_key(name)}.type = "
                    '"category", else "number"'
                )
            )
    return found


WORTH = 0.02
"""An attribute that tells less of who somebody is has little to lose."""


def lost_attributes(leakage: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The attributes of which little is left, with the share of what they told that is."""
    return {
        name: told["after"] / told["before"]
        for name, told in leakage.items()
        if told["before"] >= WORTH and told["after"] <= LITTLE * told["before"]
    }


MOST_WAYS = 3
"""Attributes for each of which a way to keep more is written out."""

OFTEN = 1 / 3
"""The share of the published records above which it is said that an attribute is ``*``."""


def often_starred(tables: Frame, names: Sequence[str], verdict: Audit) -> dict[str, float]:
    """The attributes that are ``*`` in a good part of a release, with the share of its records.

    Arguments:
        tables: the release.
        names: its quasi-identifiers.
        verdict: its audit; records that are suppressed altogether are not counted.
    """
    found: dict[str, float] = {}
    rest = verdict.records - verdict.suppressed
    if not rest:
        return found
    table = open_table(tables)
    names = [name for name in names if table.kinds[name] == "text"]
    if not names:
        return found
    # Texts take memory, and are looked at one by one; an engine has counted all together.
    for columns in [[name] for name in names] if table.held else [names]:
        text, times = table.rows(columns)
        for name in columns:
            starred = (text[name] == SUPPRESSED).fill_null(value=False)
            counted = starred.sum() if times is None else times[starred.to_numpy()].sum()
            stars = int(counted) - verdict.suppressed
            if stars > OFTEN * rest:
                found[name] = stars / rest
    return found


def warn_about_uncovered(private: PrivateTable) -> list[WarningText]:
    """Warnings about values that a hierarchy does not cover, as a later table may have them."""
    found = []
    for place, name in enumerate(private.data.attributes):
        taxonomy = private.taxonomies[name]
        new = {*taxonomy.suppressed} - {None, SUPPRESSED}
        units = int(private.data.units(place)[[taxonomy.index[leaf] for leaf in new]].sum())
        if units:
            found.append(
                Kind.LOSS(
                    f"'{name}': {many(len(new), 'value')} of {many(units, private.subjects.unit)} "
                    "not in its hierarchy, and published as *: add what occurs often"
                )
            )
    return found


def warn_about_erased(
    plan: Plan | LinkedPlan, leakage: Mapping[str, Mapping[str, float]]
) -> list[WarningText]:
    """The warning that rows are kept at the cost of what attributes told, where it is so."""
    erased = [name for name, told in leakage.items() if told["before"] > 0.0 == told["after"]]
    if plan.search.measure != "rows" or not erased:
        return []
    return [
        Kind.COLUMN(
            "most distinct rows are kept at the cost of all information in "
            f"{', '.join(erased)}: the number of rows alone does not show what a release is "
            "worth; look at loss and leakage too"
        )
    ]


def warn_about_lost(
    policy: Policy,
    plan: Plan | LinkedPlan,
    leakage: Mapping[str, Mapping[str, float]],
    starred: Mapping[str, float],
) -> list[WarningText]:
    """Warnings about attributes of which little or nothing is left, and what prevents that.

    Arguments:
        policy: what was asked.
        plan: what is published instead of what.
        leakage: what each attribute tells before and after, shares of what names a record.
        starred: the attributes that are often ``*``, with the share of records.
    """
    lost = lost_attributes(leakage)
    often = {name: share for name, share in starred.items() if name not in lost}
    if not lost and not often:
        return []
    left = [
        f"{part:.0%} of what '{name}' told"
        if part >= 0.005
        else f"{'hardly anything' if part else 'nothing'} of '{name}'"
        for name, part in lost.items()
    ]
    asked, heeded = policy.method, method_of(policy).heeds(policy.method)
    ways = []
    known = policy.quasi_identifiers
    if len(known) >= MANY_QUASI_IDENTIFIERS:
        ways.append(f"fewer than {len(known)} quasi-identifiers: leave out what nobody needs")
    if "max_level" in heeded:
        other = method_named("mondrian")
        if other is not None and all(other.keeps(type(item)) for item in policy.privacy_models):
            ways.append('algorithm = "mondrian"')
        if "local_recoding" in heeded and not asked.local_recoding:
            ways.append("local_recoding = true")
        if "suppression_limit" in heeded and not asked.suppression_limit:
            ways.append("suppression_limit = 0.05")
        levels = [
            (name, plan.levels[name])
            for name in (*lost, *often)
            if not isinstance(plan, LinkedPlan)
        ]
        ways += [
            f"attributes.{toml_key(name)}.max_level = {level - 1}"
            for name, level in levels
            if level > policy.attributes[name].min_level
        ]
    if "cells" in heeded and isinstance(plan, CellPlan):
        nodes = zip(plan.attributes, plan.style, strict=True)
        lists = [name for name, style in nodes if style == "ancestor" and name in {**lost, **often}]
        ways += [f'method.cells.{toml_key(name)} = "set"' for name in lists[:MOST_WAYS]]
        if len(lists) > MOST_WAYS:
            ways[-1] += f" (and so for {many(len(lists) - MOST_WAYS, 'more column')})"
    more = ", or ".join([*ways, "a weaker promise"])
    told = [f"keeps {', '.join(left)}"] if left else []
    stars = ", ".join(f"'{name}' in {share:.0%}" for name, share in often.items())
    told += [f"has {SUPPRESSED} for {stars} of its records"] if stars else []
    return [Kind.COLUMN(f"the release {' and '.join(told)}; to keep more, try {more}")]
