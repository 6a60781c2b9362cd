"""What a release tells of records that were left out, and of groups that these leave small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.document import in_quotes, many, some_of
from indistinct.intake.transform_facts import shows_suppressed
from indistinct.sources.engines import open_table
from indistinct.types import Bools
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.policy_facts import compared_with_original

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.policy import Policy
    from indistinct.release.publication import Publication


def warn_about_original_shares(private: PrivateTable, left_out: Bools) -> list[WarningText]:
    """The warning that such a certificate tells the values of those who were left out."""
    gone, found = np.flatnonzero(left_out).astype(np.int32), []
    count = int(private.data.weight[gone].sum())
    for name in compared_with_original(private.promises) if count else ():
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


def warn_about_those_left_out(policy: Policy, suppressed: int) -> list[WarningText]:
    """The warning that what was done to values shows something of suppressed records."""
    names = shows_suppressed(policy) if suppressed else []
    listed = in_quotes(names)
    return [
        Kind.RISK(
            f"{listed}: values were exchanged, averaged or modelled over all records of the "
            "table, and tell something about suppressed ones: to prevent it, remove these from "
            "the table first"
        )
    ] * bool(names)


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
