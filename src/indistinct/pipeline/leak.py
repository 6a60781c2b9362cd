"""What a release tells of ranks, where a promise gives each of them a k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.analytics.leakage.leak import Leak
from indistinct.analytics.leakage.telling_columns import followed
from indistinct.analytics.release_view import ReleaseView
from indistinct.document import in_quotes, share
from indistinct.errors import PolicyError
from indistinct.intake.attacked import Attacked
from indistinct.intake.sought_releases import sought_by
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.attack import context_of
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table
from indistinct.types import Frame
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.policy_facts import masked_identifiers

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.policy import Policy

GIVES_AWAY = 0.5
"""A release that tells the rank of so many of those of whom it is not known anyway is refused."""


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
        told = followed(
            private.table,
            name,
            private.policy.published_beside,
            private.metadata[name].ranks,
            None if isinstance(released, Mapping) else _masked(private.policy, released),
        )
        run.warnings += [_followed_from(name, *item) for item in told.items()]


def _masked(policy: Policy, released: Frame) -> tuple[Table, list[str]] | None:
    """A release with identifiers of which it shows some letters, if there are any."""
    masked = masked_identifiers(policy)
    return (open_table(released, allow_empty=True), masked) if masked else None


def _followed_from(name: str, columns: Sequence[str], told: float) -> WarningText:
    """The warning that the ranks of an attribute follow from a published column, or from two."""
    listed = in_quotes(columns, " and ")
    one = ("is", "it", "it tells")
    published, them, tell = one if len(columns) == 1 else ("are", "both", "they tell")
    return Kind.RISK(
        f"{listed} {published} published, and the ranks of '{name}' follow from {them}: {tell} "
        f"the rank of {share(told)} of the records whose rank is in doubt",
        told,
    )


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
