"""Columns beside the quasi-identifiers that name people, or undo what was generalized."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.leakage.computed import computed
from indistinct.analytics.leakage.dependence import SAMPLE, Narrowed, giving_away, narrowing
from indistinct.analytics.leakage.derivations import following
from indistinct.analytics.profile.columns import nearly_unique, profile
from indistinct.analytics.profile.one_column import NEARLY_UNIQUE
from indistinct.analytics.profile.record_numbers import FEW_RECORDS
from indistinct.document import in_quotes
from indistinct.errors import DataError
from indistinct.intake.asked import are_codes
from indistinct.intake.transform_facts import MOVED
from indistinct.recoding.earlier_plan import published_labels
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.policy_facts import compared_beside, masked_identifiers, read_beside

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.recoding.plan import Plan


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
    beside = compared_beside(policy, table)
    found = nearly_unique(table, beside)
    warnings = []
    if found:
        names = in_quotes(found)
        warnings.append(
            Kind.RISK(f"nearly unique, and published as they are: {names}: {NEARLY_UNIQUE}")
        )
    generalized = [name for j, name in enumerate(plan.attributes) if not plan.untouched(j)]
    told = read_beside(policy, table)
    others = [name for name in told if name not in found]
    harmful = set(policy.sensitive)
    plain = [
        name for name in others if name not in harmful and policy.attributes[name].transform is None
    ]
    warnings += _naming(private, plain)
    # An engine does not send long texts, each another one, to have numbers looked for in them.
    short = [name for name in told if name not in found or table.kinds[name] != "text"]
    compared = told if table.held else short
    sought = [*generalized, *visits]
    of_records = private.subjects.unit == "record"
    every = list(dict.fromkeys([*others, *compared, *plan.attributes, *visits]))
    sampled = table.sample(every, SAMPLE) if compared and sought and of_records else None
    undone = giving_away(table, others, sought, sampled)
    warnings += _undone(private, undone)
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
    own = [name for name in told if name not in sensitive]
    if subjects.unit == "person" and own:
        constant = subjects.constant(table.text(own))
        known = nearly_unique(table, constant.columns)
        warnings += warn_about_people(private, constant, plan, known)
    if visits:
        known = [name for name in others if name in own]
        warnings += _narrowed_visits(private, plan, known, visits, undone)
    return warnings


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
    compared = compared_beside(private.policy, private.table)
    found = nearly_unique(table, [name for name in beside.columns if name in compared])
    found = [name for name in found if name not in known]
    warnings = []
    if found:
        names = in_quotes(found)
        warnings.append(
            Kind.RISK(
                f"nearly unique by person, and published as they are: {names}: {NEARLY_UNIQUE}"
            )
        )
    generalized = [name for j, name in enumerate(plan.attributes) if not plan.untouched(j)]
    others = [name for name in beside.columns if name not in found and name not in known]
    undone = giving_away(table, others, generalized)
    narrowed = _narrowed(private, plan, beside.select(others), texts, undone)
    return [*warnings, *_undone(private, undone), *narrowed]


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

    Others that follow from one alone narrow it, and are warned about as such; but for sensitive
    ones, and such in which hardly two values are equal, as after noise.

    Arguments:
        private: the table.
        beside: columns that are published as they are.
        known: quasi-identifiers, of people and of visits.
        generalized: those that are not published as they are.
        seen: these columns in some records, or in one of everybody.
    """
    policy = private.policy
    rules = {name: policy.attributes[name].transform for name in beside}
    moved = {name for name, rule in rules.items() if rule is not None and rule.name in MOVED}
    alone = {*policy.sensitive, *moved}
    published = {name: generalized if name in alone else () for name in beside}
    numbers = [name for name in known if not are_codes(policy.attributes[name])]
    return [
        Kind.RISK(
            f"{_published(private, column)}, and follows from {in_quotes(those, ' and ')}: it "
            "leaves fewer records of a class to an attacker who knows "
            f"{'both' if len(those) > 1 else 'that'}; make '{column}' a quasi-identifier, or "
            "leave it out"
        )
        for column, *those in following(seen, private.table.kinds, published, numbers)
        if {*those} & {*generalized}
    ]


def warn_about_computed(
    private: PrivateTable,
    beside: Sequence[str],
    plan: Plan,
    visits: Iterable[str] = (),
    seen: pl.DataFrame | None = None,
) -> list[WarningText]:
    """Warnings about quasi-identifiers that are generalized, and follow from columns that stay.

    Arguments:
        private: the table.
        beside: columns that are published.
        plan: what becomes of the quasi-identifiers; those that stay as they are can be read too.
        visits: attributes of visits that are generalized.
        seen: all of these in some records, or in one of everybody, where they are at hand.
    """
    table = private.table
    stays = [name for j, name in enumerate(plan.attributes) if plan.untouched(j)]
    sought = [name for name in (*plan.attributes, *visits) if name not in stays]
    readable = [*beside, *stays]
    if not sought or len(readable) < 2:
        return []
    if seen is None:
        seen = _of_everybody(private, [*sought, *readable])
    return [
        Kind.RISK(
            f"'{quasi}' is generalized, and can be computed from {in_quotes(those, ' and ')}, "
            f"which are published{' as they are' * _as_they_are(private, *those)}: make one of "
            "them a quasi-identifier, or leave it out"
        )
        for quasi, *those in computed(seen, table.kinds, sought, readable)
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
    return _told_of_narrowing(private, found, undone)


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
    return _told_of_narrowing(private, found, undone)


def _as_they_are(private: PrivateTable, *columns: str) -> bool:
    """Whether no transformation changes columns."""
    return all(private.policy.attributes[name].transform is None for name in columns)


def _published(private: PrivateTable, column: str) -> str:
    """How a column is published, in words."""
    how = "as it is" if _as_they_are(private, column) else "after its transformation"
    return f"'{column}' is published {how}"


def _told_of_narrowing(
    private: PrivateTable, found: Narrowed, undone: Sequence[tuple[str, str]]
) -> list[WarningText]:
    return [
        Kind.RISK(
            f"{_published(private, column)}, and narrows '{quasi}', which is generalized: it "
            f"leaves {ratio:.1f} times fewer records of a class to an attacker who knows the "
            f"exact '{quasi}'; make '{column}' a quasi-identifier, or leave it out"
        )
        for column, quasi, ratio in found
        if (column, quasi) not in undone
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
    listed = in_quotes(naming)
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


def _undone(private: PrivateTable, pairs: Iterable[tuple[str, str]]) -> list[WarningText]:
    """Warnings about columns, each with the quasi-identifier that it determines."""
    return [
        Kind.RISK(
            f"{_published(private, column)}, and determines '{quasi}', which is generalized: "
            f"make '{column}' a quasi-identifier, or leave it out"
        )
        for column, quasi in pairs
    ]
