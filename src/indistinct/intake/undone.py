"""Warnings of what gives changed values back to those who know a little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.profile.record_numbers import FEW_RECORDS
from indistinct.intake.transform_facts import (
    EXCHANGED,
)
from indistinct.release.transforms.measured import (
    ISO,
    Measured,
)
from indistinct.release.transforms.nearness import FEW as FEW_FOUND
from indistinct.release.transforms.nearness import found_again
from indistinct.release.transforms.noise import FEW
from indistinct.types import Ints
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.policy.sections import (
        Swap,
        Transform,
    )


FOUND = 0.25
"""The share of records that are found by their true value, from which on it is said."""

FREQUENT = 1.2
"""A value that is so many times as frequent as the next one is recognized by that."""

FEWEST_MOVED = 0.5
"""The share of values that become others, of those that would if anybody could exchange with
anybody, below which a run warns."""


def found_in_many(
    name: str, rule: Transform, before: pl.Series, person: pl.Series
) -> list[WarningText]:
    """The warning that a person's records together tell a value that was changed in each apart.

    Arguments:
        name: the column.
        rule: how it was changed.
        before: its texts before, [rows].
        person: whose the rows are, [rows].
    """
    apart = rule.name in ("noise", *EXCHANGED) or (rule.shift is not None and rule.shift.by is None)
    people = pl.DataFrame({"person": person, "value": before}).drop_nulls().group_by("person")
    found = people.agg(pl.len().alias("rows"), pl.col("value").n_unique().alias("values"))
    several = found.filter(pl.col("rows") > 1)
    if not apart or 2 * int((several["values"] == 1).sum()) <= several.height:
        return []
    return [
        Kind.RISK(
            f"'{name}' is the same in all records of most people, but each record is changed "
            "separately: a person's records together tell it again; round or group it instead, "
            "or leave it out"
        )
    ]


def few_moved(rule: Swap, before: pl.Series, changed: int) -> list[WarningText]:
    """The warning that an exchange left most values where they were.

    Equal values are exchanged as well, and nobody sees it: it is compared with how many would have
    become others without groups and window.

    Arguments:
        rule: how values are exchanged.
        before: the texts of the column.
        changed: values that are others now.
    """
    counts = before.drop_nulls().value_counts()["count"].to_numpy()
    there = int(counts.sum())
    freely = rule.share * (there - float((counts / max(there, 1)) @ counts))
    if changed >= FEWEST_MOVED * freely or not (rule.within or rule.window is not None):
        return []
    where = "the groups of 'within' are" if rule.within else "the window is"
    return [
        Kind.RISK(
            f"'{before.name}': the exchange has changed only {changed} of {there} values; "
            f"without limits it would change about {freely:.0f}: {where} narrow"
        )
    ]


def found_by_value(rule: Transform, before: pl.Series, after: pl.Series) -> list[WarningText]:
    """The warning that values were moved so little that a known one finds its record.

    Arguments:
        rule: how they were changed.
        before: the texts of the column, null for missing, [n].
        after: the texts that are published, record by record, [n].
    """
    if rule.name not in ("noise", *EXCHANGED, "shift", "microaggregate"):
        return []
    there = len(before) - before.null_count()
    found = found_again(before, after, getattr(getattr(rule, rule.name), "format", ISO))
    return [
        Kind.RISK(
            f"'{before.name}': the true value finds {found} of {there} records among fewer than "
            f"{FEW_FOUND}, because the published values are equal or near: change them more, or "
            "make it a quasi-identifier, unless nobody can know it"
        )
    ] * (found >= FOUND * there > 0)


def shown_elsewhere(rule: Transform, before: pl.Series, after: pl.Series) -> list[WarningText]:
    """The warning that values which name somebody are published, in any record.

    Arguments:
        rule: how values were changed.
        before: the texts of the column, null for missing, [n].
        after: the texts that are published, record by record, [n].
    """
    if rule.name not in (*EXCHANGED, "synthesize"):
        return []
    counts = before.drop_nulls().value_counts(name="count").filter(pl.col("count") < FEW_FOUND)
    shown = after.drop_nulls()
    rare = int(shown.is_in(counts[before.name].implode()).sum())
    return [
        Kind.RISK(
            f"'{before.name}': {rare} of {len(shown)} published values are true values of fewer "
            f"than {FEW_FOUND} records, in other records: a known value shows that its person "
            "is in the table; group the values, or leave the column out",
            rare / max(len(shown), 1),
        )
    ] * (len(shown) >= FEW_RECORDS and rare >= FOUND * len(shown))


def found_by_time(column: Measured) -> list[WarningText]:
    """The warning that dates which are moved by whole days keep a time that few others have."""
    alone = int((np.unique(column.times, return_counts=True)[1] == 1).sum())
    return [
        Kind.RISK(
            f"'{column.name}': dates are moved by whole days, and the time of day stays; for "
            f"{alone} of {len(column.present)} no other record has it: remove the times from "
            "the table first"
        )
    ] * bool(alone)


def undone_by_groups(name: str, groups: Ints) -> list[WarningText]:
    """The warning that who knows small groups knows what was exchanged with what.

    Arguments:
        name: the column.
        groups: the group of every value that is not missing.
    """
    size = np.bincount(groups)
    few = int(size[size < 3].sum())
    return [
        Kind.RISK(
            f"'{name}': {few} of {len(groups)} values are in groups of 'within' with one value, "
            "which stays, or two, which change places: an attacker who knows the groups undoes "
            "this; name fewer columns"
        )
    ] * bool(few)


def few_to_draw_from(name: str, groups: Ints) -> list[WarningText]:
    """The warning that values are drawn from small groups, and mostly stay.

    Arguments:
        name: the column.
        groups: the group of every value that is not missing.
    """
    size = np.bincount(groups)
    few = int(size[size < FEW].sum())
    return [
        Kind.RISK(
            f"'{name}': {few} of {len(groups)} values are drawn from groups of 'within' with fewer "
            f"than {FEW} values: they are often the same again; name fewer columns"
        )
    ] * bool(few)


def told_by_frequency(texts: pl.Series) -> list[WarningText]:
    """The warning that values which are replaced alike are known by how frequent they are."""
    counts = texts.drop_nulls().value_counts(sort=True)["count"].to_numpy()
    above = np.append(np.inf, counts[:-1] / counts[1:]) if len(counts) else counts
    below = np.append(above[1:], np.inf)
    apart = (counts >= FEW) & (np.minimum(above, below) >= FREQUENT)
    part = float(counts[apart].sum() / max(counts.sum(), 1))
    return [
        Kind.RISK(
            f"'{texts.name}': equal values are replaced alike, and {int(apart.sum())} of them "
            f"({part:.0%} of records) are recognized by their frequency: it differs from that "
            "of all others",
            part,
        )
    ] * (len(counts) > 1 and part >= FOUND)
