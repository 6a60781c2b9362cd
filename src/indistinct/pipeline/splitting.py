"""A release split by sensitivity: how it is made, and what somebody learns from it.

The search knows no attackers, and the attackers no search; here the one is shown to the others
before anything is handed out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problem
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import Promise
from indistinct.sources.convert import to_polars
from indistinct.sources.text import canonical

if TYPE_CHECKING:
    from indistinct.measures import Objective
    from indistinct.policy import Policy
    from indistinct.recoding.full_domain import Settings
    from indistinct.recoding.split import SplitPlan

SPLIT = "(split)"
"""Keeps records with equal quasi-identifiers and different ranks apart."""

BELIEF = "0.95"
"""The belief in the truth that counts as knowing it, by the attackers' name for it."""


def splits(policy: Policy) -> bool:
    """Whether the policy's method makes the release of every rank by itself."""
    return policy.method.mode == "split"


def split_plan(
    promises: Sequence[Promise],
    texts: pl.DataFrame,
    microdata: Microdata,
    encode: Callable[..., Microdata],
    objective: Objective,
    settings: Settings,
    before: Callable[[LeveledTable], NDArray[np.bool_]],
    progress: Callable[[float], None] | None = None,
) -> SplitPlan:
    """The plan that generalizes the records of every rank by themselves.

    Arguments:
        promises: one of them is (k,n,m)-anonymity, whose k are known.
        texts: one row per record.
        microdata: the same, every record a combination of its own.
        encode: makes microdata of the texts.
        objective: what the search of every split minimises.
        settings: how it searches.
        before: which combinations of a table were suppressed before.
        progress: is told the share of the work that is done.

    Raises:
        Unsatisfiable: a split cannot keep the promises, or all together do not, within the limit.
    """
    from indistinct.recoding.split import split_by_rank

    name = next(str(part.sensitive) for part in promises if isinstance(part, KNMAnonymity))
    rank_of_row = _ranks_of_rows(texts[name], microdata, name)
    column = next(free for free in _names(SPLIT) if free not in texts.columns)
    whole = encode(texts, unchanged={column: rank_of_row}, by_record=False)
    table = whole.data.table
    ranks = table.codes[-1].astype(np.int64)
    table = replace(table, attributes=table.attributes[:-1], codes=table.codes[:-1])
    data = LeveledTable(table, whole.data.taxonomies)
    gone = before(data)
    if gone.any() and not gone.all():
        there = np.flatnonzero(~gone).astype(np.int32)
        part = data.restricted(there)
        plan = split_by_rank(part, ranks[there], promises, objective, settings, progress)
        node_of = np.full(len(gone), -1, dtype=np.int32)
        node_of[there] = plan.node_of
        plan = replace(plan, node_of=node_of)
    else:
        plan = split_by_rank(data, ranks, promises, objective, settings, progress)
    return replace(plan, node_of=plan.node_of[whole.combination_of])


def _names(first: str) -> Iterator[str]:
    while True:
        yield first
        first += "_"


def _ranks_of_rows(column: pl.Series, microdata: Microdata, name: str) -> NDArray[np.int32]:
    """The rank of the sensitive value of every record."""
    rank_of = microdata.data.table.sensitive[name].known.ranks
    return np.array([rank_of[value] for value in column.to_list()], dtype=np.int32)


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


def leak_of(
    policy: Policy,
    name: str,
    people: pl.DataFrame,
    released: Any,
    taxonomies: Mapping[str, Taxonomy],
    known: Mapping[str, ValueMetadata],
) -> Leak:
    """Let the detectors of homogeneity and of beliefs look at a whole release.

    Arguments:
        policy: names the quasi-identifiers.
        name: the sensitive attribute.
        people: the texts of the source, one row per person.
        released: the release, any frame.
        taxonomies: the hierarchies of the quasi-identifiers.
        known: what is known of sensitive values, their ranks among it.
    """
    from indistinct.analytics.attacks import AttackContext, Finding, Places, membership
    from indistinct.analytics.attacks.places import is_suppressed

    quasi = policy.quasi_identifiers
    published = _as_read(policy, released, [*quasi, name])
    gone = is_suppressed(published, quasi)
    shown = published.filter(~gone)
    context = AttackContext.of_records(
        Places(
            quasi=quasi,
            people=people.select(quasi),
            rows=shown.select(quasi),
            taxonomies={one: taxonomies[one] for one in quasi},
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
