"""What somebody learns from a release under a k for every rank of sensitivity."""

from __future__ import annotations

from typing import Self

import numpy as np

from indistinct.analytics.attacks import AttackContext, Finding, membership
from indistinct.analytics.attacks.context import SURE
from indistinct.analytics.attacks.rank_disclosure import (
    RANKS,
    UNKNOWN,
    published_ranks,
    spread_of_ranks,
)
from indistinct.analytics.weighted import Weighted
from indistinct.document import PlainData, share
from indistinct.frozen import dataclass
from indistinct.types import Bools, Ints, Ints32

BELIEF = "0.95"
"""The belief in the truth that counts as knowing it, by the attackers' name for it."""


@dataclass(frozen=True)
class Leak(PlainData):
    """What somebody learns from a release who knows people's exact quasi-identifiers.

    All figures are shares; of records where they are about classes, else of the people of the
    source, suppressed ones too.

    Arguments:
        sensitive: the attribute that is learnt.
        one_value: records in classes in which everybody has the same value.
        one_rank: records in classes of one rank, or in which 95 % or more have one.
        believed: people whose true value is believed with 0.95 or more.
        believed_before: the same for somebody who knows only how frequent each value is.
        certain: people whose true value is the only one that the release leaves.
        telling: the same of ranks that are not believed with 0.95 by plain frequencies already, as
            a share of the records that have such a rank.
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

    @classmethod
    def of(cls, context: AttackContext, name: str) -> Self:
        """Let the detectors of homogeneity, of ranks and of beliefs look at a whole release."""
        found = membership.run(context, name)
        assert isinstance(found, Finding)
        rank_of, of_value = published_ranks(context, name)
        listed, size = context.listed(name), context.classes.size
        records = max(context.records, 1)
        spread = spread_of_ranks(context, name, rank_of)
        unsure = spread.prior < float(BELIEF) - SURE
        known = np.arange(len(unsure)) != UNKNOWN
        in_doubt = float(spread.prior[unsure & known].sum())
        of_class = _told_ranks(listed.held, spread.held, size, rank_of)
        any_rank, in_doubt_told = (of_class[:, own].any(axis=1) for own in (known, known & unsure))
        telling = float(size[in_doubt_told].sum() / records)
        told_as = _only_rank(listed.pooled, rank_of)
        told = (told_as != UNKNOWN)[context.set_of] & context.found
        values = context.own_values(name)
        theirs = of_value[values.index] == told_as[context.set_of][values.row_of]
        right = np.bincount(values.row_of[theirs], minlength=len(told)) > 0
        return cls(
            sensitive=name,
            one_value=float(size[listed.held.length == 1].sum() / records),
            one_rank=float(size[any_rank].sum() / records),
            believed=found.success[BELIEF],
            believed_before=found.prior[BELIEF],
            certain=found.success["certain"],
            telling=min(telling / in_doubt, 1.0) if in_doubt else 0.0,
            told_rank=float(told.mean()) if len(told) else 0.0,
            told_right=float(right[told].mean()) if told.any() else None,
        )

    def __str__(self) -> str:
        right = self.told_right
        whose = "" if right is None else f" ({share(right)} rightly)"
        return (
            f"'{self.sensitive}' has one value per class for {share(self.one_value)} of "
            f"records, one rank for {share(self.one_rank)} (in 95% of the class or more); the "
            f"true value is believed with {BELIEF} or more for {share(self.believed)} of people "
            f"({share(self.believed_before)} without the release); only one rank fits "
            f"{share(self.told_rank)}{whose}"
        )


def _told_ranks(held: Weighted, ranks: Weighted, size: Ints, rank_of: Ints32) -> Bools:
    """Which ranks each class tells: that of all of its labels, or one that 95 % of it have.

    Arguments:
        held: the labels of every class, [G].
        ranks: how many records of every class have each rank, [G].
        size: the records of every class, [G].
        rank_of: the rank of every label, [D].
    """
    told = ranks.dense(RANKS) >= (float(BELIEF) - SURE) * size[:, None]
    told[np.arange(len(size)), _only_rank(held, rank_of)] = True
    return told & (size > 0)[:, None]


def _only_rank(held: Weighted, rank_of: Ints32) -> Ints32:
    """The rank that all labels of each row have, UNKNOWN where there are several."""
    found = np.full(len(held), UNKNOWN, np.int32)
    if len(held.index):
        first = rank_of[held.index[np.minimum(held.indptr[:-1], len(held.index) - 1)]]
        found = np.where(held.distinct(rank_of) == 1, first, UNKNOWN).astype(np.int32)
    return found
