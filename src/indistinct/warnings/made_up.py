"""How much of a release is made up, and what tells it from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from indistinct.analytics.profile.columns import nearly_unique
from indistinct.document import in_quotes
from indistinct.sources.engines import open_table
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.policy import Policy


MUCH_MADE_UP = 0.05
"""The share of made-up records above which the custodian is warned."""


def warn_about_made_up(made_up: int, records: int) -> list[WarningText]:
    """The warning that a good part of a release is made up, where it is."""
    if made_up <= MUCH_MADE_UP * records:
        return []
    return [
        Kind.LOSS(
            f"{made_up / records:.0%} of the release is made up: {made_up} of {records} records "
            "are nobody's; readers are not told, and counts are distorted; a smaller k or mu "
            "needs less noise; max_noise and the limit of decoys bound it"
        )
    ]


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
        names = in_quotes(unique)
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
        names = in_quotes(several)
        found.append(
            Kind.RISK(
                f"{what} can be told apart: each has a pseudonym of its own, but records share "
                f"{names}"
            )
        )
    return found
