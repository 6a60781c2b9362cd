"""What somebody learns from a release under a k for every rank of sensitivity."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks import Finding, membership
from indistinct.analytics.attacks.context import SURE
from indistinct.analytics.attacks.rank_disclosure import RANKS, UNKNOWN, published_ranks
from indistinct.analytics.release_view import ReleaseView
from indistinct.analytics.weighted import Weighted
from indistinct.errors import PolicyError, Problem
from indistinct.microdata.subjects import Subjects
from indistinct.pipeline.attack import Attacked, context_of
from indistinct.pipeline.sought_releases import sought_by
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.types import Frame, Plain

if TYPE_CHECKING:
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.pipeline.run import Run
    from indistinct.policy import Policy

BELIEF = "0.95"
"""The belief in the truth that counts as knowing it, by the attackers' name for it."""

GIVES_AWAY = 0.5
"""A release that tells the rank of so many of those of whom it is not known anyway is refused."""


@dataclass(frozen=True)
class Leak:
    """What somebody learns from a release who knows people's exact quasi-identifiers.

    All figures are shares; of records where they are about classes, else of the people of the
    source, suppressed ones too.

    Arguments:
        sensitive: the attribute that is learnt.
        one_value: records in classes in which everybody has the same value.
        one_rank: records in classes of one rank.
        believed: people whose true value is believed with 0.95 or more.
        believed_before: the same for somebody who knows only how frequent each value is.
        certain: people whose true value is the only one that the release leaves.
        telling: records in classes of one rank, of those with ranks that are not believed with
            0.95 by plain frequencies already.
        told_rank: people who fit records of one rank only.
        told_right: those of them whose rank it is, as a share of them; None where there are none.
    """

    sensitive: str
    one_value: float
    one_rank: float
    believed: float
    believed_before: float
    certain: float
    telling: float
    told_rank: float
    told_right: float | None

    def to_dict(self) -> Plain:
        """The figures as plain data; private."""
        return asdict(self)

    def __str__(self) -> str:
        right = self.told_right
        whose = "" if right is None else f", and for {right:.1%} of these it is theirs"
        return (
            f"{self.one_value:.1%} of its records are in classes with one value of "
            f"'{self.sensitive}', {self.one_rank:.1%} in classes of one rank; who knows people's "
            f"quasi-identifiers believes in the true value with {BELIEF} or more for "
            f"{self.believed:.1%} of people (for {self.believed_before:.1%} without looking at "
            f"classes), and {self.told_rank:.1%} of people fit records of one rank only{whose}"
        )


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
            run.warnings.append(f"the release tells how sensitive some values are: {leak}")


def leak_of(private: PrivateTable, name: str, released: Frame) -> Leak:
    """Let the detectors of homogeneity, of ranks and of beliefs look at a whole release.

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
    found = membership.run(context, name)
    assert isinstance(found, Finding)
    rank_of, of_value = published_ranks(context, name)
    listed, size = context.listed(name), context.classes.size
    records = max(context.records, 1)
    held, class_rank = listed.held, _only_rank(listed.held, rank_of)
    share = np.bincount(rank_of, listed.prior, minlength=RANKS)
    unsure = share < float(BELIEF) - SURE
    in_doubt = float(share[unsure].sum())
    telling = float(size[(class_rank != UNKNOWN) & unsure[class_rank]].sum() / records)
    told_as = _only_rank(listed.pooled, rank_of)
    told = (told_as != UNKNOWN)[context.set_of] & context.found
    values = context.own_values(name)
    theirs = of_value[values.index] == told_as[context.set_of][values.row_of]
    right = np.bincount(values.row_of[theirs], minlength=len(told)) > 0
    return Leak(
        sensitive=name,
        one_value=float(size[held.length == 1].sum() / records),
        one_rank=float(size[class_rank != UNKNOWN].sum() / records),
        believed=found.success[BELIEF],
        believed_before=found.prior[BELIEF],
        certain=found.success["certain"],
        telling=min(telling / in_doubt, 1.0) if in_doubt else 0.0,
        told_rank=float(told.mean()) if len(told) else 0.0,
        told_right=float(right[told].mean()) if told.any() else None,
    )


def _only_rank(held: Weighted, rank_of: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rank that all labels of each row have, UNKNOWN where there are several."""
    found = np.full(len(held), UNKNOWN, np.int32)
    if len(held.index):
        first = rank_of[held.index[np.minimum(held.indptr[:-1], len(held.index) - 1)]]
        found = np.where(held.distinct(rank_of) == 1, first, UNKNOWN).astype(np.int32)
    return found


def _given_away(policy: Policy, leak: Leak) -> PolicyError:
    apart = policy.method.mode == "split"
    return PolicyError(
        Problem(
            "ranks-given-away",
            "the release would tell how sensitive people's values are, which gives people away, "
            f"and none was made. Of the one it would be, {leak}",
            attribute=leak.sensitive,
            remedy=('choose mode = "joint"' if apart else "ask for diversity or for a larger k")
            + ", take out what ranks follow from, or say accept_unsafe = true",
        )
    )
