"""What a custodian should know of a release before handing it out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.leakage.computed import computed
from indistinct.analytics.leakage.dependence import SAMPLE, Narrowed, giving_away, narrowing
from indistinct.analytics.leakage.derivations import following
from indistinct.analytics.profile.columns import FEW_RECORDS, NEARLY_UNIQUE, nearly_unique, profile
from indistinct.analytics.profile.counted import column_of_counts, told_of_counts
from indistinct.analytics.profile.persons import BLANK_BELOW, REPEATS
from indistinct.document import many, some_of, toml_key
from indistinct.errors import DataError
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.asked import method_of
from indistinct.intake.transforming import shows_others, shows_suppressed
from indistinct.measures import measures
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.known_number import KnownNumber
from indistinct.recoding.cells import FLAT
from indistinct.recoding.earlier_plan import published_labels
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.visits import LITTLE
from indistinct.release.audit import Audit
from indistinct.release.certificate import NOT_BOUNDED
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table
from indistinct.types import Bools, Frame
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.policy import Policy
    from indistinct.privacy.promise import Promise
    from indistinct.recoding.plan import Plan
    from indistinct.release.publication import Publication


FEW_CODES = 20
"""Up to so many whole numbers of an attribute may be codes of categories."""

MUCH_MADE_UP = 0.05
"""The share of made-up records above which the custodian is warned."""


def warn_about_search(
    policy: Policy, plan: Plan, suppressed: int, verdict: Audit
) -> list[WarningText]:
    """Warnings about how a release was found, and what is left of it.

    Arguments:
        policy: what was asked.
        plan: how it was found.
        suppressed: records that are suppressed.
        verdict: the audit of the release.
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
    smallest = verdict.classes.smallest
    kept = policy.output.suppressed == "keep" and verdict.suppressed > 0
    if kept and 0 < suppressed < (smallest or 0):
        found.append(
            Kind.RISK(
                "fewer suppressed records are kept than the smallest class has: a person in "
                'the table who fits no class is one of these few; suppressed = "drop" is safer'
            )
        )
    covered = {item.sensitive for item in policy.promises}
    bare = [name for name in policy.sensitive if name not in covered]
    if kept and bare:
        listed = _quoted(bare)
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


def told_of_the_program(policy: Policy) -> list[WarningText]:
    """What readers are told of promises about values: who is alike was decided with a look at them.

    In linked tables that is who shares a bucket, and who is left out or waits for a later release.
    """
    told = [
        Kind.LOSS(
            f"for people with more records than {part.k} of their class have, some records were "
            "left out at random (known-number)"
        )
        for part in policy.privacy_models
        if isinstance(part, KnownNumber)
    ]
    method = method_of(policy)
    items = dict.fromkeys(
        str(part.sensitive)
        for part in policy.privacy_models
        if part.sensitive is not None and part.subject == "items"
    )
    told += [
        Kind.LIMIT(
            f"promises about {_quoted(items)} bound what published items tell by themselves: which "
            "ones were generalized or left out depends on everybody's items; an attacker who knows "
            "these and this program may believe more"
        )
    ] * bool(items)
    about = dict.fromkeys(
        part.sensitive
        for part in policy.privacy_models
        if part.sensitive is not None and (method.linked or part.subject == "classes")
    )
    if not about or not method.by_values:
        return told
    what, who = "class", "everybody's quasi-identifiers"
    seen = "which classes were left out, or not made finer"
    if method.linked:
        what, who = "bucket", "who is in the table"
        seen = "who was put together and who left out"
    listed = _quoted(about)
    return [
        *told,
        Kind.LIMIT(
            f"promises about {listed} bound what the values of a {what} tell by themselves: an "
            f"attacker who knows {who} and this program sees {seen}, and may believe more"
        ),
    ]


def unpromised(policy: Policy) -> list[str]:
    """Sensitive attributes of whose values in a class no promise speaks."""
    about = {
        part.sensitive
        for part in policy.privacy_models
        if part.subject != "items" or getattr(part, "bound", None) is not None
    }
    return [name for name in policy.sensitive if name not in about]


def partly_promised(policy: Policy) -> list[str]:
    """Sensitive attributes of which promises are about some values alone."""
    parts = [part for part in policy.privacy_models if part.subject != "items"]
    whole = {
        part.sensitive
        for part in parts
        if not (getattr(part, "values", ()) or getattr(part, "not_values", ()))
    }
    about = dict.fromkeys(part.sensitive for part in parts)
    return [name for name in about if name is not None and name not in whole]


def told_apart_by_distance(policy: Policy) -> set[str]:
    """Sensitive attributes that are codes, or whose distances a promise weighs."""
    codes = {name for name in policy.sensitive if policy.attributes[name].type == "category"}
    distances = ("ordered", "hierarchical")
    return codes | {
        part.sensitive
        for part in policy.privacy_models
        if part.sensitive is not None and getattr(part, "distance", None) in distances
    }


NAMES_TOLD = 6
"""So many of many attributes without a promise are named, so that the others can be counted."""


def told_of_no_promise(policy: Policy) -> list[WarningText]:
    """What readers are told of sensitive attributes without a promise about all their values."""
    what = "bucket" if method_of(policy).linked else "class"
    bare = unpromised(policy)
    if what == "bucket" and any(part.sensitive for part in policy.privacy_models):
        bare = []  # linked tables list no values but those that promises name
    names = [f"'{name}'" for name in bare]
    names += [f"values of '{name}' that promises leave out" for name in partly_promised(policy)]
    if len(names) > NAMES_TOLD + 2:
        names = [*names[:NAMES_TOLD], f"{len(names) - NAMES_TOLD} more"]
    return [
        Kind.LIMIT(
            f"{NOT_BOUNDED}{what} tells about {', '.join(names)}: all people of a {what} may "
            f"have the same value, and then the {what} discloses it"
        )
    ] * bool(names)


def told_of_chosen_values(policy: Policy) -> list[WarningText]:
    """What readers are told of values of a person that records of theirs gainsaid.

    It follows from the policy alone: whether values differed, and of whom, is private.
    """
    chosen = {"first": "first", "last": "last", "most-frequent": "most frequent"}
    which = chosen.get(policy.source.conflicts)
    if which is None or policy.person is None:
        return []
    return [
        Kind.LOSS(
            f"where a quasi-identifier differed between records of a person, its {which} value "
            "is published for all of them: changes over time are lost"
        )
    ]


def told_of_changed_values(policy: Policy) -> list[WarningText]:
    """What readers are told of promises about values that were changed at random before."""
    rules = {name: item.transform for name, item in policy.attributes.items()}
    changed = [
        name
        for name, rule in rules.items()
        if rule is not None and rule.name in ("noise", "shift", "swap", "synthesize")
    ]
    about = dict.fromkeys(
        part.sensitive for part in policy.privacy_models if part.sensitive in changed
    )
    found = []
    if about:
        found.append(
            Kind.LIMIT(
                f"promises about {_quoted(map(str, about))} hold for the published values, "
                "which were changed at random: they do not bound beliefs about true values; an "
                "attacker who knows how they were changed may learn more"
            )
        )
    counted = {*policy.quasi_identifiers, *policy.visit_identifiers}
    quasi = [name for name in changed if name in counted]
    if quasi and policy.privacy_models:
        found.append(
            Kind.LIMIT(
                f"promises count people by the published {_quoted(quasi)}, which was changed at "
                "random: people of a class need not have its true values; an attacker who "
                "knows how they were changed may tell people apart better than promised"
            )
        )
    return found


def told_of_bins(policy: Policy) -> list[WarningText]:
    """What readers are told of bins of about equally many records: all of the table made them."""
    if "max_level" not in method_of(policy).heeds(policy.method):
        return []  # its ranges are those of classes
    found = []
    for name in (*policy.quasi_identifiers, *policy.visit_identifiers):
        asked = policy.attributes[name].hierarchy
        if not isinstance(asked, Mapping) or "equal_frequency" not in asked:
            continue
        settings = asked["equal_frequency"]
        told = ["each bound is the value of a record"]
        if isinstance(settings, Mapping) and settings.get("ends") == "closed":
            told.append("the outer bounds are its smallest and its largest value")
        if policy.method.suppression_limit > 0:
            told.append(
                "the published number of each bin tells roughly how many of it were left out"
            )
        found.append(
            Kind.LIMIT(
                f"'{name}': each bin was made to hold about as many records of the table, "
                f"suppressed ones included: {', and '.join(told)}"
            )
        )
    return found


def told_of_the_whole_table(policy: Policy) -> list[WarningText]:
    """What readers are told of a certificate that shows what only records left out may have.

    Shares of all values of the table, and how many levels the hierarchy of a classification has:
    as many as its longest code needs. And what a promise left to be chosen.
    """
    chosen = [
        Kind.LIMIT(
            f"'{part.sensitive}': the {' and the '.join(what)} of knm-anonymity are computed "
            "from all values of the table, and tell something about records left out"
        )
        for part in policy.privacy_models
        if isinstance(part, KNMAnonymity)
        and (
            what := ["k of the ranks"] * isinstance(part.k, str)
            + ["figures of diversity"] * (part.diversity is True)
        )
    ]
    if policy.method.suppression_limit == 0:
        return chosen
    of_all = [
        part.sensitive
        for part in policy.privacy_models
        if part.sensitive is not None and getattr(part, "distance", None) == "hierarchical"
    ]
    told = chosen + [
        Kind.LIMIT(
            f"'{name}': its hierarchy has as many levels as the longest code in the table "
            "needs, even if that record was left out"
        )
        for name in dict.fromkeys(of_all)
        if isinstance(asked := policy.attributes[name].hierarchy, Mapping)
        and "code_system" in asked
    ]
    names = _compared_with_original(policy.privacy_models)
    if not names:
        return told
    return [
        *told,
        Kind.LIMIT(
            f"{_quoted(names)}: this certificate has the shares of all values of the table; "
            "compared with the release, they tell which values were left out"
        ),
    ]


def warn_about_original_shares(private: PrivateTable, left_out: Bools) -> list[WarningText]:
    """The warning that such a certificate tells the values of those who were left out.

    Arguments:
        private: the table, and what is promised of it.
        left_out: which of its combinations are suppressed, [C].
    """
    gone, found = np.flatnonzero(left_out).astype(np.int32), []
    count = int(private.data.weight[gone].sum())
    for name in _compared_with_original(private.promises) if count else ():
        most = int(private.data.table.sensitive[name].select(gone).totals.max())
        out = many(count, private.subjects.unit)
        found.append(
            Kind.RISK(
                f"'{name}': the certificate gives the shares of all values of the table, and "
                f"tells with the release what the {out} left out have: {most} of them have the "
                'most frequent value; write reference = "published"'
            )
        )
    return found


def _compared_with_original(promises: Iterable[Promise]) -> list[str]:
    """The sensitive attributes of promises that compare with the original distribution."""
    return [
        name
        for name in dict.fromkeys(
            part.sensitive for part in promises if part.compares and part.reference == "original"
        )
        if name is not None
    ]


def _quoted(names: Iterable[str], between: str = ", ") -> str:
    return between.join(f"'{name}'" for name in names)


def warn_about_those_left_out(policy: Policy, suppressed: int) -> list[WarningText]:
    """The warning that what was done to values shows something of suppressed records.

    Arguments:
        policy: says what was done to values.
        suppressed: how many records are.
    """
    names = shows_suppressed(policy) if suppressed else []
    listed = _quoted(names)
    return [
        Kind.RISK(
            f"{listed}: values were exchanged, averaged or modelled over all records of the "
            "table, and tell something about suppressed ones: to prevent it, remove these from "
            "the table first"
        )
    ] * bool(names)


def warn_about_population(private: PrivateTable) -> list[WarningText]:
    """The warning that the table has people whom the population lacks, so that it is another's.

    Arguments:
        private: the table, with the population that promises count.
    """
    table = private.data.table
    if table.population is None:
        return []
    lacking = np.maximum(table.weight - table.population, 0)[~private.data.suppressed_before].sum()
    models = dict.fromkeys(part.model for part in private.promises if part.needs_population)
    return [
        Kind.RISK(
            f"{some_of(int(lacking), table.records, private.subjects.unit)} cannot be in the "
            f"population, which has too few people of these quasi-identifiers: {', '.join(models)} "
            "counts others than an attacker does, if values are not written alike, or the table "
            "was drawn from another population"
        )
    ] * bool(lacking)


def warn_about_lone_groups(
    policy: Policy, publication: Publication, ends: Mapping[str, Sequence[float]]
) -> list[WarningText]:
    """Warnings about groups of values that are published with fewer than k records, or people.

    Groups are made of all records, before some are suppressed; named groups of any number. Of ends
    only those are looked at: other values are published as they are.

    Arguments:
        policy: says what was done to values.
        publication: what is published.
        ends: numbers that stand for all at or beyond them, by attribute.
    """
    frames = [publication.tables] if publication.link is None else publication.tables.values()
    tables = [open_table(frame, allow_empty=True) for frame in frames]
    found = []
    for name, item in policy.attributes.items():
        rule = item.transform and (item.transform.microaggregate or item.transform.aggregate)
        if not rule or item.role == "quasi-identifier":
            continue
        for table in (own for own in tables if name in own.columns):
            person = [policy.person] if policy.person in table.columns else []
            groups = table.distinct([name, *person]).drop_nulls()
            counted = pl.len() if person else pl.col(groups.columns[-1]).sum()
            sizes = groups.group_by(name).agg(counted.alias("\0size"))
            if name in ends:
                number = pl.col(name).cast(pl.Float64, strict=False)
                sizes = sizes.filter(number.is_in(list(ends[name])))
            few = int((sizes["\0size"] < rule.k).sum())
            if few:
                found.append(
                    Kind.RISK(
                        f"'{name}': {some_of(few, len(sizes), 'group is')} published with fewer "
                        f"than {rule.k} {'people' if person else 'records'}: choose wider groups"
                    )
                )
    return found


WORTH = 0.02
"""An attribute that tells less of who somebody is has little to lose."""


def lost_attributes(leakage: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The attributes of which little is left, with the share of what they told that is.

    Arguments:
        leakage: what each attribute tells before and after, shares of what names a record.
    """
    return {
        name: told["after"] / told["before"]
        for name, told in leakage.items()
        if told["before"] >= WORTH and told["after"] <= LITTLE * told["before"]
    }


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
    if not rest or not names:
        return found
    table = open_table(tables)
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


def warn_about_erased(
    plan: Plan | LinkedPlan, leakage: Mapping[str, Mapping[str, float]]
) -> list[WarningText]:
    """The warning that rows are kept at the cost of what attributes told, where it is so.

    Arguments:
        plan: what is published instead of what, and what was minimized.
        leakage: what each attribute tells before and after, shares of what names a record.
    """
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
    if "max_level" in heeded:
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
            if level
        ]
    if "cells" in heeded and isinstance(plan, CellPlan):
        nodes = zip(plan.attributes, plan.style, strict=True)
        lists = [name for name, style in nodes if style == "ancestor" and name in {**lost, **often}]
        ways += [f'method.cells.{toml_key(name)} = "set"' for name in lists]
    more = ", or ".join([*ways, "a weaker promise"])
    told = [f"keeps {', '.join(left)}"] if left else []
    stars = ", ".join(f"'{name}' in {share:.0%}" for name, share in often.items())
    told += [f"has {SUPPRESSED} for {stars} of its records"] if stars else []
    return [Kind.COLUMN(f"the release {' and '.join(told)}; to keep more, try {more}")]


def warn_about_made_up(made_up: int, records: int) -> list[WarningText]:
    """The warning that a good part of a release is made up, where it is.

    Arguments:
        made_up: records of the release, or people, that are nobody's: noise and decoys.
        records: all of its records.
    """
    if made_up <= MUCH_MADE_UP * records:
        return []
    return [
        Kind.LOSS(
            f"{made_up / records:.0%} of the release is made up: {made_up} of {records} records "
            "are nobody's; readers are not told, and counts are distorted; a smaller k or mu "
            "needs less noise; max_noise and the limit of decoys bound it"
        )
    ]


def _figure(value: float | list[float]) -> str:
    entries = value if isinstance(value, list) else [value]
    return ", ".join(f"{entry:.4g}" for entry in entries)


def warn_about_unprotected_columns(
    private: PrivateTable,
    plan: Plan,
    replaced: Mapping[str, pl.Series],
    visits: Mapping[str, pl.Series],
) -> list[WarningText]:
    """Warnings about columns that could be a person's name, or undo what was generalized.

    Arguments:
        private: the table; where people have many records, its columns are looked at by person,
            too.
        plan: what becomes of the quasi-identifiers.
        replaced: identifiers as they are published, record by record.
        visits: attributes of visits that are generalized, as they are published, [rows].
    """
    table, policy = private.table, private.policy
    beside = _compared(policy, table)
    found = nearly_unique(table, beside)
    warnings = []
    if found:
        names = _quoted(found)
        warnings.append(
            Kind.RISK(f"nearly unique, and published as they are: {names}: {NEARLY_UNIQUE}")
        )
    generalized = [name for j, name in enumerate(plan.attributes) if not plan.untouched(j)]
    others = [name for name in beside if name not in found]
    harmful = set(policy.sensitive)
    plain = [
        name for name in others if name not in harmful and policy.attributes[name].transform is None
    ]
    warnings += _naming(private, plain)
    # An engine does not send long texts, each another one, to have numbers looked for in them.
    short = [name for name in beside if name not in found or table.kinds[name] != "text"]
    compared = beside if table.held else short
    sought = [*generalized, *visits]
    of_records = private.subjects.unit == "record"
    every = list(dict.fromkeys([*others, *compared, *plan.attributes, *visits]))
    sampled = table.sample(every, SAMPLE) if compared and sought and of_records else None
    undone = giving_away(table, others, sought, sampled)
    warnings += _undone(undone)
    seen = sampled if of_records or not sought else _of_everybody(private, every)
    if seen is not None:
        open_still = [name for name in others if name not in dict(undone)]
        warnings += _following(private, open_still, [*plan.attributes, *visits], sought, seen)
        warnings += warn_about_computed(private, compared, plan, visits, seen)
    known = [name for name in others if name not in harmful]
    if sampled is not None and known and generalized:
        warnings += _narrowed(private, plan, sampled.select(known), sampled, undone)
    masked = {name: replaced[name] for name in masked_identifiers(policy)}
    if masked:
        telling = nearly_unique(open_table(pl.DataFrame(masked)), masked)
        warnings += [
            Kind.RISK(
                f"the mask of identifier '{name}' leaves most records a text of their own, or "
                "nearly: keep fewer characters, or leave it out"
            )
            for name in telling
        ]
    subjects = private.subjects
    sensitive = {*harmful, subjects.key}
    own = [name for name in beside if name not in sensitive]
    if subjects.unit == "person" and own:
        constant = subjects.constant(table.text(own))
        known = nearly_unique(table, constant.columns)
        warnings += warn_about_people(private, constant, plan, known)
    if visits:
        known = [name for name in others if name in own]
        warnings += _narrowed_visits(private, plan, known, visits, undone)
    return warnings


def _compared(policy: Policy, table: Table) -> list[str]:
    """Columns beside quasi-identifiers; lists and the like have no text that could be compared."""
    return [
        name
        for name in policy.published_beside
        if name in table.columns and table.kinds[name] != "other" and not shows_others(policy, name)
    ]


def warn_about_people(
    private: PrivateTable, beside: pl.DataFrame, plan: Plan, known: Sequence[str] = ()
) -> list[WarningText]:
    """The same of columns that are equal in all records of a person: these are counted by person.

    Arguments:
        private: the table.
        beside: the columns, with a row for every person.
        plan: what becomes of their quasi-identifiers.
        known: columns that are nearly unique by record already, and warned about.
    """
    if not beside.width:
        return []
    texts = private.subjects.texts
    table = open_table(pl.concat([texts, beside], how="horizontal"))
    found = [name for name in nearly_unique(table, beside.columns) if name not in known]
    warnings = []
    if found:
        names = _quoted(found)
        warnings.append(
            Kind.RISK(
                f"nearly unique by person, and published as they are: {names}: {NEARLY_UNIQUE}"
            )
        )
    generalized = [name for j, name in enumerate(plan.attributes) if not plan.untouched(j)]
    others = [name for name in beside.columns if name not in found and name not in known]
    undone = giving_away(table, others, generalized)
    narrowed = _narrowed(private, plan, beside.select(others), texts, undone)
    return [*warnings, *_undone(undone), *narrowed]


def _of_everybody(private: PrivateTable, columns: Sequence[str]) -> pl.DataFrame:
    """Some records as text; where people have many, one of everybody."""
    table, subjects = private.table, private.subjects
    if subjects.unit == "record":
        return table.sample(columns, SAMPLE)
    return table.text(columns)[pl.Series(subjects.first_rows()[:SAMPLE])]


def _following(
    private: PrivateTable,
    beside: Sequence[str],
    known: Sequence[str],
    generalized: Sequence[str],
    seen: pl.DataFrame,
) -> list[WarningText]:
    """Warnings about columns that follow from quasi-identifiers, of which one is generalized.

    Others than sensitive ones that follow from one alone narrow it, and are warned about as such.

    Arguments:
        private: the table.
        beside: columns that are published as they are.
        known: quasi-identifiers, of people and of visits.
        generalized: those that are not published as they are.
        seen: these columns in some records, or in one of everybody.
    """
    sensitive = private.policy.sensitive
    published = {name: generalized if name in sensitive else () for name in beside}
    return [
        Kind.RISK(
            f"'{column}' is published as it is, and follows from {_quoted(those, ' and ')}: it "
            "leaves fewer records of a class to an attacker who knows "
            f"{'both' if len(those) > 1 else 'that'}; make '{column}' a quasi-identifier, or "
            "leave it out"
        )
        for column, *those in following(seen, private.table.kinds, published, known)
        if {*those} & {*generalized}
    ]


def warn_about_computed(
    private: PrivateTable,
    beside: Sequence[str],
    plan: Plan,
    visits: Iterable[str] = (),
    seen: pl.DataFrame | None = None,
) -> list[WarningText]:
    """Warnings about quasi-identifiers that are generalized, and follow from two columns that stay.

    Arguments:
        private: the table.
        beside: columns that are published; those with changed values compute nothing.
        plan: what becomes of the quasi-identifiers; those that stay as they are can be read too.
        visits: attributes of visits that are generalized.
        seen: all of these in some records, or in one of everybody, where they are at hand.
    """
    policy, table = private.policy, private.table
    stays = [name for j, name in enumerate(plan.attributes) if plan.untouched(j)]
    sought = [name for name in (*plan.attributes, *visits) if name not in stays]
    changed = {name for name, item in policy.attributes.items() if item.transform is not None}
    readable = [name for name in (*beside, *stays) if name not in changed]
    if not sought or len(readable) < 2:
        return []
    if seen is None:
        seen = _of_everybody(private, [*sought, *readable])
    return [
        Kind.RISK(
            f"'{quasi}' is generalized, and can be computed from '{one}' and '{other}', which "
            "are published as they are: make one of them a quasi-identifier, or leave it out"
        )
        for quasi, one, other in computed(seen, table.kinds, sought, readable)
    ]


def _narrowed(
    private: PrivateTable,
    plan: Plan,
    beside: pl.DataFrame,
    texts: pl.DataFrame,
    undone: Sequence[tuple[str, str]],
) -> list[WarningText]:
    """Warnings about columns that leave fewer records of a class to who knows an exact value.

    Arguments:
        private: the table.
        plan: what becomes of the quasi-identifiers.
        beside: the columns, with a row for every record (or person), or for some.
        texts: their quasi-identifiers.
        undone: columns that determine one are warned about already.
    """
    names = [name for j, name in enumerate(plan.attributes) if not plan.untouched(j)]
    if not names or not beside.width:
        return []
    data, mark = private.data, "\0published"
    own = {
        name: pl.Series(data.taxonomies[name].leaves, dtype=pl.String).gather(pl.Series(codes))
        for name, codes in zip(data.attributes, data.table.codes, strict=True)
    }
    labels = published_labels(data, plan).select(pl.col(names).name.suffix(mark))
    known = pl.DataFrame(own).hstack(labels).filter(pl.Series(~plan.suppressed))
    keys = list(data.attributes)
    rows = beside.with_row_index(mark).hstack(texts.select(keys))
    seen = rows.join(known.unique(keys), on=keys, nulls_equal=True, maintain_order="left")
    shown = seen.select(pl.col(f"{name}{mark}").alias(name) for name in names)
    found = narrowing(seen.select(beside.columns), seen.select(names), shown)
    return _told_of_narrowing(found, undone)


def _narrowed_visits(
    private: PrivateTable,
    plan: Plan,
    beside: Sequence[str],
    visits: Mapping[str, pl.Series],
    undone: Sequence[tuple[str, str]],
) -> list[WarningText]:
    """The same of columns that narrow what is known of a visit: one record of everybody is seen.

    Arguments:
        private: the table.
        plan: what becomes of the quasi-identifiers.
        beside: columns that are published as they are.
        visits: attributes of visits that are generalized, as they are published, [rows].
        undone: columns that determine one are warned about already.
    """
    subjects = private.subjects
    there = ~plan.suppressed[private.microdata.combination_of]
    rows = pl.Series(subjects.first_rows()[there][:SAMPLE])
    if not beside:
        return []
    exact = private.table.text([*beside, *visits])[rows]
    shown = pl.DataFrame({name: values.gather(rows) for name, values in visits.items()})
    found = narrowing(exact.select(beside), exact.select(list(visits)), shown)
    return _told_of_narrowing(found, undone)


def _told_of_narrowing(found: Narrowed, undone: Sequence[tuple[str, str]]) -> list[WarningText]:
    return [
        Kind.RISK(
            f"'{column}' is published as it is, and narrows '{quasi}', which is generalized: it "
            f"leaves {ratio:.1f} times fewer records of a class to an attacker who knows the "
            f"exact '{quasi}'; make '{column}' a quasi-identifier, or leave it out"
        )
        for column, quasi, ratio in found
        if (column, quasi) not in undone
    ]


def warn_about_counted_rows(table: Table, policy: Policy) -> list[WarningText]:
    """The warning that the rows of a table are combinations with a count, and none of people.

    Arguments:
        table: the table, its values transformed.
        policy: what was asked.
    """
    if policy.person is not None or policy.source.people or policy.source.format:
        return []
    name = column_of_counts(table, table.columns)
    return [] if name is None else [Kind.RISK(told_of_counts(name))]


def warn_about_forgotten_person(table: Table, policy: Policy) -> list[WarningText]:
    """The warning that promises count records where an identifier repeats, as if it were people's.

    Arguments:
        table: the table, its values transformed.
        policy: what was asked.
    """
    if policy.person is not None or policy.source.people or policy.source.format:
        return []
    records = table.height()
    named = [
        name
        for name in policy.named("identifier")
        if name in table.columns and table.kinds[name] != "other"
    ]
    # All that is asked later, too: an engine looks at its rows once.
    about = table.about(named if table.held else [*named, *_compared(policy, table)])
    suspected = [name for name in named if REPEATS * about[name][1] < 1.1 * records]
    values = {name: table.tally(name, 1)[1] for name in suspected}
    repeated = [name for name in suspected if 1 < REPEATS * values[name] < records]
    quasi = [name for name in policy.named("quasi-identifier") if name in table.columns]
    try:
        seen = profile(table, columns=[*repeated, *quasi]) if repeated else None
    except DataError:  # more values than an engine hands over
        told, blank = repeated, []
    else:
        found = None if seen is None else seen.person
        told = [] if found is None or found.column not in repeated else [found.column]
        blank = (
            []
            if seen is None
            else [one.message for one in seen.warnings if one.code == BLANK_BELOW]
        )
    return [
        *map(Kind.RISK, blank),
        *[
            Kind.RISK(
                f"the identifier '{name}' has {values[name]:,} values in {records:,} records: "
                "if these are people, all k records of a class may be one person's; write "
                f'person = "{name}" under [source] to count people'
            )
            for name in told
        ],
    ]


LOOKED_AT = 20
"""Columns beside the quasi-identifiers that are looked at as a draft of a policy would, at most."""


def _naming(private: PrivateTable, beside: Sequence[str]) -> list[WarningText]:
    """The warning that columns seem to name people, and are published as they are.

    Arguments:
        private: the table.
        beside: columns that are published, and not warned about yet; those of most values count.
    """
    table, policy = private.table, private.policy
    about = table.about(beside)
    many_values = sorted(beside, key=lambda name: -about[name][1])[:LOOKED_AT]
    asked = [name for name in many_values if about[name][1] > 1]
    if not asked or table.height() < FEW_RECORDS:
        return []
    quasi = [name for name in policy.quasi_identifiers if name in table.columns]
    naming = asked
    if table.height() > SAMPLE:
        naming = _identifiers(open_table(table.sample([*asked, *quasi], SAMPLE)), asked, quasi)
    with contextlib.suppress(DataError):  # more values than an engine hands over
        naming = _identifiers(table, naming, quasi) if naming else []
    if not naming:
        return []
    listed = _quoted(naming)
    return [
        Kind.RISK(
            f"{listed}: seems to name people or records, and is published as it is: write role "
            '= "identifier"; if people have many records, also name it as person under '
            "[source], so that promises count people"
        )
    ]


def _identifiers(table: Table, columns: Sequence[str], quasi: Sequence[str]) -> list[str]:
    """The columns that a draft would make identifiers, beside the quasi-identifiers."""
    found = profile(table, columns=[*columns, *quasi]).attributes
    names = [item.attribute for item in found if item.role == "identifier"]
    return [name for name in columns if name in names]


def _undone(pairs: Iterable[tuple[str, str]]) -> list[WarningText]:
    """Warnings about columns, each with the quasi-identifier that it determines."""
    return [
        Kind.RISK(
            f"'{column}' is published as it is, and determines '{quasi}', which is generalized: "
            f"make '{column}' a quasi-identifier, or leave it out"
        )
        for column, quasi in pairs
    ]


def masked_identifiers(policy: Policy) -> list[str]:
    """Identifiers of which some characters are published: a known one has these."""
    rules = {name: policy.attributes[name].transform for name in policy.named("identifier")}
    return [name for name, rule in rules.items() if rule is not None and rule.mask is not None]


def replaced_alike(policy: Policy) -> list[str]:
    """Columns whose equal values are published as one other: they show what belongs together."""
    rules = {name: item.transform for name, item in policy.attributes.items()}
    ways = ("pseudonymize", "replace")
    return [name for name, rule in rules.items() if rule is not None and rule.name in ways]


def shifted_alike(policy: Policy) -> dict[str, str]:
    """Columns of dates that are moved by as many days for all of a person's, and their format."""
    rules = {
        name: item.transform and item.transform.shift
        for name, item in policy.attributes.items()
        if item.role != "quasi-identifier"
    }
    return {name: rule.format for name, rule in rules.items() if rule and rule.by == policy.person}


def distinguishable(
    before: pl.DataFrame, after: pl.DataFrame, policy: Policy, fresh: Sequence[str], what: str
) -> list[WarningText]:
    """Warnings about what tells made-up records from others: what holds in these, not in those.

    Arguments:
        before: what is published without them.
        after: and with them.
        policy: says what stands beside the quasi-identifiers.
        fresh: columns in which each has a pseudonym of its own.
        what: they are called.
    """
    others = [name for name in before.columns if name in policy.published_beside]
    if before.height == after.height:
        return []
    found = []
    if unique := nearly_unique(open_table(before.select(others)), others) if others else []:
        names = _quoted(unique)
        found.append(
            Kind.RISK(
                f"{what} can be told apart: they repeat nearly unique values of records of "
                f"their class: {names}"
            )
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
            Kind.RISK(
                f"{what} can be told apart: in records one column determines the other, in "
                f"{what} it does not: {', '.join(broken)}"
            )
        )
    if several := [name for name in fresh if before[name].drop_nulls().is_duplicated().any()]:
        names = _quoted(several)
        found.append(
            Kind.RISK(
                f"{what} can be told apart: each has a pseudonym of its own, but records share "
                f"{names}"
            )
        )
    return found
