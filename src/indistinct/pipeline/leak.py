"""What somebody learns from a release that was split by sensitivity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from indistinct.analytics.attacks import AttackContext, Finding, Places, membership
from indistinct.analytics.attacks.places import is_suppressed
from indistinct.errors import PolicyError, Problem
from indistinct.sources.convert import to_polars
from indistinct.sources.text import canonical

if TYPE_CHECKING:
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.policy import Policy

BELIEF = "0.95"
"""The belief in the truth that counts as knowing it, by the attackers' name for it."""


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
        told_rank: people who fit records of one rank only.
        told_right: those of them whose rank it is, as a share of them; None where there are none.
    """

    sensitive: str
    one_value: float
    one_rank: float
    believed: float
    believed_before: float
    certain: float
    told_rank: float
    told_right: float | None

    def to_dict(self) -> dict[str, Any]:
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


def leak_of(private: PrivateTable, name: str, released: Any) -> Leak:
    """Let the detectors of homogeneity and of beliefs look at a whole release.

    Arguments:
        private: the source, one row per person.
        name: the sensitive attribute.
        released: the release, any frame.
    """
    policy, people, known = private.policy, private.subjects.texts, private.metadata
    quasi = policy.quasi_identifiers
    published = _as_read(policy, released, [*quasi, name])
    gone = is_suppressed(published, quasi)
    shown = published.filter(~gone)
    context = AttackContext.of_records(
        Places(
            quasi=quasi,
            people=people.select(quasi),
            rows=shown.select(quasi),
            taxonomies={one: private.taxonomies[one] for one in quasi},
            suppressed=int(gone.sum()),
        ),
        people.select(name),
        shown.select(name),
        known={name: known[name]},
    )
    found = membership.run(context, name)
    assert isinstance(found, Finding)
    ranks, values = known[name].ranks, context.values[name]
    rank_of = np.array([ranks.get(label, 0) for label in context.labels(name)], np.int32)
    held, size = context.listed(name).held, context.classes.size
    records = max(context.records, 1)
    met = context.listed(name).pooled
    # Whoever fits records of one rank, and what rank the first (so any) of these records has.
    told = (met.distinct(rank_of) == 1)[context.set_of]
    first = np.minimum(met.indptr[:-1], max(len(met.index) - 1, 0))
    told_as = rank_of[met.index[first]] if len(met.index) else np.zeros(len(met), np.int32)
    own_rank = np.array([ranks.get(label, 0) for label in values.labels], np.int32)
    right = told_as[context.set_of] == own_rank[values.index]
    return Leak(
        sensitive=name,
        one_value=float(size[held.length == 1].sum() / records),
        one_rank=float(size[held.distinct(rank_of) == 1].sum() / records),
        believed=found.success[BELIEF],
        believed_before=found.prior[BELIEF],
        certain=found.success["certain"],
        told_rank=float(told.mean()) if len(told) else 0.0,
        told_right=float(right[told].mean()) if told.any() else None,
    )


def require_accepted(policy: Policy, leak: Leak) -> str:
    """The warning that goes with a release that was split, where its custodian accepts that.

    Raises:
        PolicyError: nobody said so.
    """
    if policy.method.accept_unsafe:
        return f"the release was made by splitting, which gives people away: {leak}"
    raise PolicyError(
        Problem(
            "split-gives-away",
            f'method.mode: "split" gives people away, and no release was made. Of the one it would '
            f"be, {leak}",
            attribute=leak.sensitive,
            remedy='choose mode = "joint", which keeps the same promise; or accept_unsafe = true',
        )
    )


def _as_read(policy: Policy, released: Any, names: Sequence[str]) -> pl.DataFrame:
    """The published cells as text; what stands for a missing value is one here, too."""
    texts = canonical(to_polars(released).select(names))
    columns = []
    for name in names:
        column, tokens = texts[name], policy.attributes[name].missing.tokens
        columns.append(column.set(column.is_in(list(tokens)), None) if tokens else column)
    return pl.DataFrame(columns)
