"""What a promise leaves to be chosen from the table: a k of every rank, a number of values.

A policy may say ``k = "elbow"``, and ``diversity = true``. Both become numbers before anything is
searched, and these numbers are what the release promises and its certificate tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.sensitivity_ranks import falling_ks
from indistinct.errors import PolicyError
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.microdata import Microdata, sorted_values
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity, without_ranks
from indistinct.privacy.promise import Promise
from indistinct.requirement import Requirement

if TYPE_CHECKING:
    from indistinct.analytics.risk import RiskCurve
    from indistinct.measures import Objective
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.policy import Policy
    from indistinct.recoding.full_domain import Settings
    from indistinct.recoding.plan import LevelPlan

K_RANGE = (2, 20)
"""The values of k that curves are made for, where a policy does not say: those of the paper."""


@dataclass(frozen=True)
class Chosen:
    """Promises with nothing left open; and how it came about.

    ``documents`` are private, ``warnings`` for the custodian.
    """

    promises: list[Promise]
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The promises as they are written down."""
        return tuple(part.spec for part in self.promises)


def chosen(
    policy: Policy,
    promises: Sequence[Promise],
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    known: Mapping[str, ValueMetadata],
    encode: Callable[..., Microdata],
    progress: Callable[[float], None] = lambda share: None,
) -> Chosen:
    """The promises of a policy with everything chosen that they leave to be chosen.

    Arguments:
        policy: says the range of k, what counts as a high risk, and how releases for the curves
            are searched.
        promises: the promises as the policy has them.
        texts: the texts of the table.
        weight: how many records each row stands for; one where not given.
        known: what is known of sensitive values, their ranks among it.
        encode: makes microdata of rows.
        progress: is told the share of the curves that is done.

    Raises:
        PolicyError: a value has no rank.
    """
    found = list(promises)
    documents: dict[str, dict[str, Any]] = {}
    warnings: list[str] = []
    for at, part in enumerate(promises):
        if not isinstance(part, KNMAnonymity):
            continue
        name = str(part.sensitive)
        domain = SensitiveDomain(sorted_values(texts[name]), known.get(name, NO_METADATA))
        problem = without_ranks(part, domain)
        if problem is not None:
            raise PolicyError(problem)
        if isinstance(part.k, str):
            ks, document, told = _elbows(policy, part, texts, weight, domain, encode, progress)
            part = replace(part, k={str(rank): k for rank, k in ks.items()})
            documents["elbow.json"] = documents.get("elbow.json", {}) | {name: document}
            warnings.append(told)
        if part.diversity is True:
            part = replace(part, diversity=part.labels_wanted(len(domain)))
        found[at] = part
    return Chosen(found, documents, warnings)


def _elbows(
    policy: Policy,
    asked: KNMAnonymity,
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    domain: SensitiveDomain,
    encode: Callable[..., Microdata],
    progress: Callable[[float], None],
) -> tuple[dict[int, int], dict[str, Any], str]:
    """The k of every rank; the curves; and what the custodian is told of them."""
    from indistinct.measures import objective as objective_by_name
    from indistinct.pipeline.searching import objective_of, search_settings, suppressed_before

    first, last = policy.risk.k_range or K_RANGE
    rows = policy.method.objective.measure == "rows"
    objective = objective_by_name("loss") if rows else objective_of(policy)
    settings = replace(search_settings(policy), local_recoding=False)
    rank_of = dict(zip(domain.labels, domain.sensitivity.tolist(), strict=True))
    of_row = np.array([rank_of[value] for value in texts[asked.sensitive or ""].to_list()])
    ranks = sorted(set(of_row.tolist()))
    bends: dict[int, int] = {}
    curves: dict[str, Any] = {}
    silent = []
    for at, rank in enumerate(ranks):
        there = of_row == rank
        data = encode(
            texts.filter(there),
            weight=None if weight is None else weight[there],
            population=None,
            by_record=False,
            there=there,
        ).data
        gone = suppressed_before(data)
        if gone.any():
            data = data.restricted(np.flatnonzero(~gone).astype(np.int32))
        curve = curve_of_split(
            data, asked.on, range(first, last + 1), policy.risk.threshold, objective, settings
        )
        selection = curve.selection
        bends[rank] = first if selection is None else selection.k
        if selection is None:
            silent.append(rank)
        curves[str(rank)] = {
            "records": data.table.records,
            "curve": curve.to_dict(),
            "elbow": None if selection is None else selection.to_dict(),
        }
        progress((at + 1) / len(ranks))
    ks = falling_ks(bends)
    for rank in ranks:
        curves[str(rank)]["k"] = ks[rank]
    raised = [f"{bends[r]} to {ks[r]} for rank {r}" for r in ranks if ks[r] > bends[r]]
    told = (
        f"k of '{asked.sensitive}' was chosen where the curves of risk over k = {first} to {last} "
        f"bend: {', '.join(f'{ks[rank]} for rank {rank}' for rank in ranks)}; another range bends "
        "elsewhere"
    )
    if raised:
        told += f"; raised so that no less sensitive rank has a larger k: {', '.join(raised)}"
    if silent:
        told += (
            f"; of rank {' and '.join(map(str, silent))} no release can be made at any k, and "
            "there is no curve"
        )
    document = {
        "k_range": [first, last],
        "threshold": policy.risk.threshold,
        "raised": {str(rank): [bends[rank], ks[rank]] for rank in ranks if ks[rank] > bends[rank]},
        "ranks": curves,
    }
    return ks, document, told


def curve_of_split(
    data: LeveledTable,
    on: Sequence[str] | None,
    ks: range,
    threshold: float,
    objective: Objective,
    settings: Settings,
) -> RiskCurve:
    """The prosecutor's risk of the best release of some records, for every k.

    A k for which no release can be made is skipped.

    Arguments:
        data: the records of one rank.
        on: the quasi-identifiers that make classes; all where not named.
        ks: the values of k, rising.
        threshold: the risk above which a record is at risk.
        objective: what the search minimises.
        settings: how it searches.
    """
    from indistinct.analytics.risk import RiskCurve, curve_point

    records = data.table.records
    within = [k for k in ks if k <= records]
    points, skipped = [], [k for k in ks if k > records]
    over = None if on is None else tuple(on)
    promises = [KAnonymity(k=k, on=over) for k in within]
    for k, plan in zip(within, _plans(data, promises, objective, settings), strict=True):
        size = None if plan is None else _sizes(data, plan, on or data.attributes)
        if plan is None or size is None or not len(size):
            skipped.append(k)
        else:
            points.append(curve_point(k, size, records, threshold, plan.levels))
    return RiskCurve("releases", tuple(points), tuple(sorted(skipped)))


def _plans(
    data: LeveledTable, promises: Sequence[Promise], objective: Objective, settings: Settings
) -> list[LevelPlan | None]:
    """The best plan for every promise, ever stricter; None where it cannot be kept."""
    from indistinct.errors import Unsatisfiable
    from indistinct.recoding.full_domain import full_domain, full_domain_for_each
    from indistinct.recoding.full_domain.optimal import LARGEST
    from indistinct.recoding.lattice import Lattice

    small = Lattice.of(data, settings.min_level, settings.max_level).size <= LARGEST
    if small and settings.algorithm == "optimal" and settings.limits.seconds is None:
        return full_domain_for_each(data, [[part] for part in promises], objective, settings)
    found: list[LevelPlan | None] = []
    for part in promises:
        try:
            found.append(full_domain(data, [part], objective, settings))
        except Unsatisfiable:
            found.append(None)
    return found


def _sizes(data: LeveledTable, plan: LevelPlan, on: Sequence[str]) -> NDArray[np.int64]:
    """Records of every published class over some of the quasi-identifiers."""
    kept = ~plan.suppressed
    if not kept.any():
        return np.zeros(0, dtype=np.int64)
    columns, domains = [], []
    for j, name in enumerate(data.attributes):
        if name not in on:
            continue
        number: dict[str | None, int] = {}
        of = np.array(
            [number.setdefault(label, len(number)) for label in plan.labels(data, j)], np.int32
        )
        columns.append(of[plan.cells(data, j)[kept]])
        domains.append(len(number))
    return count_combinations(columns, domains, data.weight[kept])[1]
