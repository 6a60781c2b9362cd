"""What a release tells of ranks, where a promise gives each of them a k."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.attacks.rank_disclosure import UNKNOWN
from indistinct.analytics.leakage.leak import BELIEF, Leak
from indistinct.analytics.release_view import ReleaseView
from indistinct.document import share
from indistinct.errors import PolicyError
from indistinct.intake.sought_releases import sought_by
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.attack import Attacked, context_of
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.types import Frame
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy

GIVES_AWAY = 0.5
"""A release that tells the rank of so many of those of whom it is not known anyway is refused."""

FOLLOWS = 0.1
"""A published column that tells so many of the ranks in doubt is warned of."""

BELIEVED = float(BELIEF)


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
            Kind.RISK(
                f"'{column}' is published, and the ranks of '{name}' follow from it: it tells "
                f"the rank of {share(told)} of the records whose rank is in doubt",
                told,
            )
            for column, told in followed(private, name).items()
            if told >= FOLLOWS
        ]


def followed(private: PrivateTable, name: str) -> dict[str, float]:
    """Of what share of records each column that is published as it is tells the rank, by itself.

    A value tells a rank that 95 % of its records have, where as many records drawn at random would
    seldom all have it. Ranks that plain frequencies tell already are left out.

    Arguments:
        private: the source.
        name: the attribute whose values have ranks.
    """
    ranks = private.metadata[name].ranks
    shares = {}
    for column in private.policy.published_beside:
        if column == name:
            continue
        counted = private.table.distinct([name, column])
        value, count = counted[column], counted[counted.columns[-1]].rename("count")
        rank = pl.Series("rank", [ranks.get(one, UNKNOWN) for one in counted[name]], pl.Int32)
        held = pl.DataFrame([value.alias("value"), rank, count]).filter(rank != UNKNOWN)
        held = held.group_by("value", "rank").agg(pl.col("count").sum())
        whole = pl.col("count").sum()
        of_rank, size = whole.over("rank") / whole, whole.over("value")
        in_doubt = held.select("value", "rank", "count", of_rank=of_rank, size=size).filter(
            pl.col("of_rank") < BELIEVED
        )
        told = in_doubt.filter(
            pl.col("count") >= BELIEVED * pl.col("size"),
            pl.col("of_rank").pow(pl.col("size")) <= 1 - BELIEVED,
        )
        shares[column] = int(told["count"].sum()) / max(int(in_doubt["count"].sum()), 1)
    return shares


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
