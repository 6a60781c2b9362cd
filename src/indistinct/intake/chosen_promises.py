"""What a promise leaves to be chosen from the table: a k of every rank, a number of values.

A policy may say ``k = "elbow"``, and ``diversity = true``. Both become numbers before anything is
searched, and these numbers are what the release promises and its certificate tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.analytics.leakage.sensitivity_ranks import falling_ks
from indistinct.analytics.risk.reidentification import RiskCurve, curve_point
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.intake.asked import asked_of
from indistinct.measures import objective as objective_by_name
from indistinct.metadata import NO_METADATA
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity, without_ranks
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain import Settings, full_domain, full_domain_for_each
from indistinct.recoding.full_domain.optimal import LARGEST
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.plan import published_classes
from indistinct.types import Ints, Plain
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.measures import Objective
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.recoding.plan import LevelPlan

K_RANGE = (2, 20)
"""The values of k that curves are made for, where a policy does not say: those of the paper."""


def settled(private: PrivateTable, run: Run) -> PrivateTable:
    """The table with everything chosen that its promises leave to be chosen.

    Arguments:
        private: the table and its promises; its policy says the range of k, what counts as a high
            risk, and how releases for the curves are searched.
        run: is given the curves, and a warning that tells what was chosen.

    Raises:
        PolicyError: a value has no rank.
    """
    promises = list(private.promises)
    if not any(isinstance(part, KNMAnonymity) for part in promises):
        return private
    ranks = {name: about.ranks for name, about in private.metadata.items() if about.ranks}
    shown = replace(private.subjects, texts=private.subjects.with_most_sensitive(ranks))
    for at, part in enumerate(promises):
        if not isinstance(part, KNMAnonymity):
            continue
        name = str(part.sensitive)
        # People have one value each where values have ranks; without ranks all of theirs are named.
        values = (shown.texts if name in shown.texts.columns else shown.records)[name]
        domain = SensitiveDomain(sorted_values(values), private.metadata.get(name, NO_METADATA))
        problem = without_ranks(part, domain)
        if problem is not None:
            raise PolicyError(problem)
        if isinstance(part.k, str):
            ks = _elbows(replace(private, subjects=shown), part, domain, run)
            part = replace(part, k={str(rank): k for rank, k in ks.items()})
        if part.diversity is True:
            part = replace(part, diversity=part.labels_wanted(len(domain)))
        promises[at] = part
    return replace(private, promises=tuple(promises))


def _elbows(
    private: PrivateTable, asked: KNMAnonymity, domain: SensitiveDomain, run: Run
) -> dict[int, int]:
    """The k of every rank; the run is given the curves, and what the custodian is told of them."""
    policy, name = private.policy, asked.sensitive or ""
    first, last = policy.risk.k_range or K_RANGE
    rows = policy.method.objective.measure == "rows"
    asks = asked_of(policy)
    objective = objective_by_name("loss") if rows else asks.objective
    settings = replace(Settings.of(asks), local_recoding=False)
    rank_of = dict(zip(domain.labels, domain.sensitivity.tolist(), strict=True))
    of_subject = np.array([rank_of[value] for value in private.subjects.texts[name].to_list()])
    ranks = sorted(set(of_subject.tolist()))
    bends: dict[int, int] = {}
    curves: Plain = {}
    without_curve = []
    for at, rank in enumerate(ranks):
        subjects = private.subjects.among(of_subject == rank)
        data = private.encode(subjects, by_record=False, population=False).data
        gone = data.suppressed_before
        if gone.any():
            data = data.restricted(np.flatnonzero(~gone).astype(np.int32))
        curve = curve_of_split(
            data, asked.on, range(first, last + 1), policy.risk.threshold, objective, settings
        )
        selection = curve.selection
        bends[rank] = first if selection is None else selection.k
        if selection is None:
            without_curve.append(rank)
        curves[str(rank)] = {
            "records": data.table.records,
            "curve": curve.to_dict(),
            "elbow": None if selection is None else selection.to_dict(),
        }
        run.tell("choosing k", (at + 1) / len(ranks))
    ks = falling_ks(bends)
    for rank in ranks:
        curves[str(rank)]["k"] = ks[rank]
    raised = [f"{bends[r]} to {ks[r]} for rank {r}" for r in ranks if ks[r] > bends[r]]
    told = (
        f"k of '{name}' was chosen where the curves of risk over k = {first} to {last} "
        f"bend: {', '.join(f'{ks[rank]} for rank {rank}' for rank in ranks)}; another range bends "
        "elsewhere"
    )
    if raised:
        told += f"; raised so that no less sensitive rank has a larger k: {', '.join(raised)}"
    if without_curve:
        told += (
            f"; for rank {' and '.join(map(str, without_curve))} no release can be made at any "
            "k, so there is no curve"
        )
    run.warnings.append(Kind.SETTING(told))
    document = {
        "k_range": [first, last],
        "threshold": policy.risk.threshold,
        "raised": {str(rank): [bends[rank], ks[rank]] for rank in ranks if ks[rank] > bends[rank]},
        "ranks": curves,
    }
    before = run.documents.get("elbow.json", {})
    assert isinstance(before, Mapping)
    run.documents["elbow.json"] = {**before, name: document}
    return ks


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


def _sizes(data: LeveledTable, plan: LevelPlan, on: Sequence[str]) -> Ints:
    """Records of every published class over some of the quasi-identifiers."""
    kept = ~plan.suppressed
    size = np.bincount(published_classes(data, plan, on)[kept], data.weight[kept])
    return np.rint(size[size > 0]).astype(np.int64)
