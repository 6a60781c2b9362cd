"""What a release tells of ranks, where a promise gives each of them a k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.attacks.rank_disclosure import UNKNOWN
from indistinct.analytics.leakage.derivations import SAMPLE
from indistinct.analytics.leakage.leak import BELIEF, Leak
from indistinct.analytics.release_view import ReleaseView
from indistinct.document import share
from indistinct.errors import PolicyError
from indistinct.intake.sought_releases import sought_by
from indistinct.intake.warnings import masked_identifiers
from indistinct.metadata import Value
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.attack import Attacked, context_of
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.sources.engines import open_table
from indistinct.types import Frame
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy

GIVES_AWAY = 0.5
"""A release that tells the rank of so many of those of whom it is not known anyway is refused."""

FOLLOWS = 0.1
"""A published column that tells so many of the ranks in doubt is warned of."""

BELIEVED = float(BELIEF)

MOST_PAIRED = 24
"""Columns of which every two are looked at together: those that tell most by themselves."""


def hold_against_ranks(private: PrivateTable, released: Frame, run: Run) -> None:
    """Measure what a release tells of ranks, wherever a promise gives each of them a k.

    Arguments:
        private: the source.
        released: the release, any frame, or the frames of linked tables by name.
        run: is given the figures and a warning.

    Raises:
        PolicyError: it tells the rank of most people, and nobody accepts that.
    """
    asked = [str(part.sensitive) for part in private.promises if isinstance(part, KNMAnonymity)]
    for number, name in enumerate(dict.fromkeys(asked)):
        leak = leak_of(private, name, released)
        run.documents[f"leak_{number + 1}.json" if number else "leak.json"] = leak.to_dict()
        if leak.telling >= GIVES_AWAY and not run.policy.method.accept_unsafe:
            raise _given_away(run.policy, leak)
        if leak.telling:
            run.warnings.append(
                Kind.RISK(
                    f"the release discloses how sensitive some values are: {leak}", leak.telling
                )
            )
        run.warnings += [
            _followed_from(name, columns, told)
            for columns, told in followed(private, name, released).items()
        ]


def _followed_from(name: str, columns: Sequence[str], told: float) -> WarningText:
    """The warning that the ranks of an attribute follow from a published column, or from two."""
    listed = " and ".join(f"'{column}'" for column in columns)
    one = ("is", "it", "it tells")
    published, them, tell = one if len(columns) == 1 else ("are", "both", "they tell")
    return Kind.RISK(
        f"{listed} {published} published, and the ranks of '{name}' follow from {them}: {tell} "
        f"the rank of {share(told)} of the records whose rank is in doubt",
        told,
    )


def followed(private: PrivateTable, name: str, released: Frame) -> dict[tuple[str, ...], float]:
    """Of what share of records columns that are published tell the rank, one alone or two together.

    A value, or two, tells a rank that 95 % of its records have, where as many records drawn at
    random would seldom all have it (for two, ever more seldom: there are many pairs). Ranks that
    plain frequencies tell already are left out. Two columns are looked at in a sample, where
    neither is told of alone.

    Arguments:
        private: the source, with values as transformed.
        name: the attribute whose values have ranks.
        released: the release, whose masked identifiers are looked at.
    """
    policy, table, ranks = private.policy, private.table, private.metadata[name].ranks
    beside = [one for one in policy.published_beside if one != name and table.kinds[one] != "other"]
    told = {(one,): _told(table.distinct([name, one]), [one], ranks) for one in beside}
    masked = masked_identifiers(policy)
    if masked and not isinstance(released, Mapping):
        shown = open_table(released, allow_empty=True)
        told |= {(one,): _told(shown.distinct([name, one]), [one], ranks) for one in masked}
    found: dict[tuple[str, ...], float]
    found = {columns: share for columns, share in told.items() if share >= FOLLOWS}
    left = sorted((one for one in beside if (one,) not in found), key=lambda one: -told[one,])
    if len(left) > 1:
        some = table.sample([name, *left[:MOST_PAIRED]], SAMPLE)
        for pair in combinations(left[:MOST_PAIRED], 2):
            share = _told(some.group_by(name, *pair).len(), pair, ranks)
            found |= {pair: share} if share >= FOLLOWS else {}
    return found


def _told(counted: pl.DataFrame, columns: Sequence[str], ranks: Mapping[Value, int]) -> float:
    """The share of the records whose rank is in doubt that values of some columns tell.

    Arguments:
        counted: values with ranks, and of these columns, with how often they occur together, last.
        columns: the columns.
        ranks: the rank of every value.
    """
    (name,) = {*counted.columns[:-1]} - {*columns}
    rank = pl.Series("\0rank", [ranks.get(one, UNKNOWN) for one in counted[name]], pl.Int32)
    count = counted[counted.columns[-1]].cast(pl.Int64).alias("\0count")
    held = counted.select(columns).with_columns(rank, count).filter(rank != UNKNOWN)
    held = held.group_by(*columns, "\0rank").agg(pl.col("\0count").sum())
    times = pl.col("\0count")
    of_rank, size = times.sum().over("\0rank") / times.sum(), times.sum().over(columns)
    in_doubt = held.select(times, of_rank=of_rank, size=size).filter(pl.col("of_rank") < BELIEVED)
    told = in_doubt.filter(
        times >= BELIEVED * pl.col("size"),
        pl.col("of_rank").pow(pl.col("size")) <= (1 - BELIEVED) ** len(columns),
    )
    return int(told["\0count"].sum()) / max(int(in_doubt["\0count"].sum()), 1)


def leak_of(private: PrivateTable, name: str, released: Frame) -> Leak:
    """What a release tells of the ranks of an attribute.

    Arguments:
        private: the source.
        name: the sensitive attribute.
        released: the release, any frame, or the frames of linked tables by name.
    """
    subjects = private.subjects
    sought = replace(sought_by(private.policy), sensitive=(name,), guarded=False)
    view = ReleaseView.read(released, sought)
    if subjects.weight is not None:
        each = np.repeat(np.arange(len(subjects.weight)), subjects.weight)
        subjects = Subjects.of_records(subjects.texts[each])
    private = replace(private, subjects=subjects, population=None)
    context = context_of(view, Attacked(private, subjects.records))
    return Leak.of(context, name)


def _given_away(policy: Policy, leak: Leak) -> PolicyError:
    apart = policy.method.mode == "split"
    return PolicyError(
        "ranks-given-away",
        "the release would disclose how sensitive people's values are, so none was made. In "
        f"it, {leak}",
        attribute=leak.sensitive,
        remedy=('choose mode = "joint"' if apart else "promise diversity or a larger k")
        + ", take out what ranks follow from, or say accept_unsafe = true",
    )
