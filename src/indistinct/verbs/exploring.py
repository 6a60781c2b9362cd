"""The verb *explore*: many policies on one table, what each keeps and risks, and which to take.

Reading, hierarchies, codes and figures are shared, and nothing is published. Every point is what
:func:`~indistinct.anonymize` makes with its policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.analytics.risk.elbow import select_k
from indistinct.analytics.risk.reidentification import prosecutor
from indistinct.analytics.utility.exploration import Exploration, Point
from indistinct.document import in_quotes
from indistinct.errors import IndistinctError, InputError, PolicyError, Unsatisfiable
from indistinct.frozen import dataclass
from indistinct.intake.asked import sight_of
from indistinct.intake.opening import PolicyLike, Progress, as_policy, names_of
from indistinct.intake.private_table import PrivateTable
from indistinct.intake.run import Run
from indistinct.intake.transform_facts import changes_values, untried_in
from indistinct.measures.objective import measure_named
from indistinct.measures.objective import objective as bound_by
from indistinct.microdata.leveled import LeveledTable
from indistinct.pipeline.anonymization import anonymize, read
from indistinct.pipeline.attack import attack
from indistinct.pipeline.looking_ahead import searched
from indistinct.policy import Method, Policy
from indistinct.policy.promises import promise_keys
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import method_named
from indistinct.recoding.plan import LevelPlan, Plan
from indistinct.recoding.recoded import in_no_class, leaked, published_classes, score
from indistinct.types import Frame, Plain, PlainMapping
from indistinct.verbs.alternatives import COST
from indistinct.verbs.risk import for_k
from indistinct.warnings.what_is_left import lost_attributes

MEASURED = (KnownRecords, KNMAnonymity)
"""Promises of which the release, and not its plan alone, decides."""

MOST = 1000
"""Points that are explored, at most."""


@dataclass(frozen=True)
class _Choice:
    """What the points of one series share; they differ in k.

    Arguments:
        policy: the policy, with the k that it has.
        told: its ``suppression_limit``, ``algorithm``, ``objective`` and varied parameters.
        refused: why these do not go together; the policy is the one that is varied.
    """

    policy: Policy
    told: Plain
    refused: PolicyError | None = None

    def without(self, k: int | None, error: PolicyError) -> Point:
        """The point of a k with which no policy can be run, and why."""
        told = {**self.told, "k": _k_of(self.policy) if k is None else k}
        remedies = "; ".join(one.remedy for one in error.problems if one.remedy)
        return Point(**told, why=f"{_why(error)} ({remedies})" if remedies else _why(error))


def explore(  # noqa: PLR0913, what its user may say
    data: Frame,
    policy: PolicyLike,
    *,
    k: Sequence[int] | int = (),
    suppression: Sequence[float] | float = (),
    algorithm: Sequence[str] | str = (),
    objective: Sequence[str] | str = (),
    promise: PlainMapping | None = None,
    gain: float | None = None,
    attacker: Sequence[str] | str = (),
    progress: Progress | None = None,
    path: str | Path | None = None,
) -> Exploration:
    """Try policies on one table: what each keeps, and what it risks. Nothing is written.

    Arguments:
        data: the private table, a frame or the path of a file.
        policy: what is varied; a policy, its keys or its file.
        k: the k of k-anonymity over all quasi-identifiers; that of the policy where not given.
        suppression: limits of suppression; for methods that have one.
        algorithm: algorithms.
        objective: measures that are minimized.
        promise: values of parameters of promises, ``{"distinct-l-diversity.l": [2, 3]}``.
        gain: what an attacker may gain about a person, from 0 to 1: each point is released and
            attacked. Not where it is not given.
        attacker: the attackers that are tried; all where not given.
        progress: is told what is being done.
        path: the file that a frame was read from, for messages.

    Raises:
        InputError: a setting is out of range, or there are more than 1,000 points.
        PolicyError: none of the points is a policy that can be run.
        IndistinctError: what else :func:`anonymize` raises, but that no release keeps a promise.
    """
    asked = as_policy(policy)
    limits = [suppression] if isinstance(suppression, int | float) else suppression
    named = names_of(algorithm), names_of(objective)
    choices = list(_choices(asked, limits, *named, promise or {}))
    ks = tuple(dict.fromkeys([k] if isinstance(k, int) else k)) or (None,)
    _refuse_idle(asked, choices, ks=ks, limits=limits, promise=promise or {})
    if len(choices) * len(ks) > MOST or any(one is not None and one < 1 for one in ks):
        raise InputError(
            "bad-grid",
            f"{len(choices) * len(ks)} points are asked for, or a k below 1",
            remedy=f"ask for {MOST} points at most, and k of 1 or more",
        )
    if gain is None and attacker:
        message = "attackers are named, and not what they may gain"
        raise InputError("bad-grid", message, remedy="give gain, from 0 to 1, or name no attackers")
    if not 0 <= (gain or 0) <= 1:
        raise InputError(
            "bad-grid",
            "what an attacker may gain is not a share from 0 to 1",
            remedy="give gain from 0 to 1",
        )
    run = Run.begin(asked, progress, path)
    errors = [choice.refused for choice in choices for _ in ks if choice.refused is not None]
    whole = len(errors) == len(choices) * len(ks) or any(map(_is_whole, choices))
    shared = None if whole else read(data, run)[0]
    points: list[Point] = []
    known: dict[object, Plain] = {}
    for at, choice in enumerate(choices):
        run.tell("exploring", at / len(choices))
        if choice.refused is not None:
            points += [choice.without(one, choice.refused) for one in ks]
        elif shared is None or _is_whole(choice):
            points += [_whole(data, choice, one, path, errors) for one in ks]
        else:
            points += _series(shared, choice, ks, known)
    if errors and len(errors) == len(points):
        raise errors[0]
    untried = {} if gain is None else untried_in(asked)
    if gain is not None:
        for at, point in enumerate(points):
            run.tell("attacking", at / len(points))
            points[at] = replace(point, gain=_gain(data, point, names_of(attacker), path))
    return Exploration(
        tuple(points),
        asked.risk.threshold,
        *_recommended(points, asked.risk.threshold, gain),
        _elbow(points),
        gain,
        untried,
    )


def _refuse_idle(
    policy: Policy,
    choices: Sequence[_Choice],
    *,
    ks: Sequence[int | None],
    limits: Sequence[float],
    promise: PlainMapping,
) -> None:
    """Refuse a k that is given twice, and limits of suppression that no algorithm has.

    Raises:
        InputError: one of these is given.
    """
    if "k-anonymity.k" in promise and ks != (None,) and _k_of(policy) is not None:
        raise InputError(
            "bad-grid",
            "k is given, and 'k-anonymity.k' as well",
            remedy="give one of them",
        )
    if limits and all(choice.told["suppression_limit"] is None for choice in choices):
        tried = in_quotes(dict.fromkeys(str(choice.told["algorithm"]) for choice in choices))
        raise InputError(
            "bad-grid",
            f"limits of suppression are given, and {tried} has none",
            remedy="leave them out, or try an algorithm with such a limit as well",
        )


def _choices(
    policy: Policy,
    limits: Sequence[float],
    algorithms: Sequence[str],
    measures: Sequence[str],
    promised: PlainMapping,
) -> Iterator[_Choice]:
    """The policies of the grid, but for k; a limit only for methods that have one."""
    method = policy.method.to_dict()
    for name in algorithms or (policy.method.algorithm,):
        known = method_named(name)
        heeded = () if known is None else known.heeds(Method(algorithm=name))
        same = name == policy.method.algorithm
        own = {key: one for key, one in method.items() if same or key in {"seed", *heeded}}
        own["algorithm"] = name
        limited = "suppression_limit" in heeded
        some = limits if limited and limits else (None,)
        if not limited:
            own.pop("suppression_limit", None)
        for limit, measure in product(some, measures or (None,)):
            keys = {**own, **({} if limit is None else {"suppression_limit": float(limit)})}
            if measure is not None:
                keys["objective"] = _objective(policy, measure)
            for values in product(*promised.values()):
                asked = dict(zip(promised, values, strict=True))
                made, refused = policy, None
                try:
                    made = _with(policy, {"method": keys, "promises": _promises(policy, asked)})
                except PolicyError as error:
                    refused = error
                own_limit = made.method.suppression_limit if limit is None else float(limit)
                told = {
                    "suppression_limit": own_limit if limited else None,
                    "algorithm": name,
                    "objective": measure or made.method.objective.measure,
                    **({"promises": asked} if asked else {}),
                }
                yield _Choice(made, told, refused)


def _objective(policy: Policy, measure: str) -> Plain:
    """A measure, with what the policy says of what is minimized, as far as it has such settings."""
    said = policy.method.to_dict().get("objective", {})
    if measure != policy.method.objective.measure:
        known = measure_named(measure)
        taken = frozenset() if known is None else known.settings
        said = {key: value for key, value in said.items() if key in taken}
    return {**said, "measure": measure}


def _promises(policy: Policy, values: PlainMapping) -> list[Plain]:
    """The promises of a policy with other parameters.

    Raises:
        InputError: it has no such promise.
    """
    promises = [promise_keys(item) for item in policy.promises]
    for name, value in values.items():
        model, _, key = name.rpartition(".")
        hit = [item for item in promises if item["model"] == model]
        if not hit:
            raise InputError(
                "no-such-promise",
                f"'{name}' is varied, and the policy does not promise '{model}'",
                remedy="write it as MODEL.PARAMETER, of a promise of the policy",
            )
        for item in hit:
            item[key] = value
    return promises


def _with(policy: Policy, keys: PlainMapping) -> Policy:
    return Policy.from_dict(
        {**policy.to_dict(), **keys}, directory=policy.directory, file=policy.file
    )


def _with_k(policy: Policy, k: int | None) -> Policy:
    """The policy with another k of k-anonymity over all quasi-identifiers."""
    if k is None:
        return policy
    quasi = set(policy.quasi_identifiers)
    kept = [
        promise_keys(item)
        for item in policy.promises
        if item.model != "k-anonymity" or not (item.on is None or set(item.on) == quasi)
    ]
    return _with(policy, {"promises": [{"model": "k-anonymity", "k": k}, *kept]})


def _is_whole(choice: _Choice) -> bool:
    """Whether points have to be made as whole releases: more than a plan decides of them."""
    policy = choice.policy
    method = method_named(policy.method.algorithm)
    promises = policy.privacy_models
    return (
        method is None
        or method.linked
        or bool(method.may_contain)
        or policy.method.decoys is not None
        or policy.output.suppressed == "keep"
        or sight_of(policy).ranks
        or policy.ledger is not None
        or policy.person is not None
        or bool(policy.analyses)
        or changes_values(policy)
        or any(part.subject == "items" or isinstance(part, MEASURED) for part in promises)
    )


def _series(
    shared: PrivateTable, choice: _Choice, ks: Sequence[int | None], known: dict[object, Plain]
) -> list[Point]:
    """The points of a series, by their plans.

    Arguments:
        shared: the table.
        choice: the policy, but for k.
        ks: the k.
        known: what plans of the table are worth; what is found is added.
    """
    policy = choice.policy
    private = replace(shared, policy=policy, promises=policy.privacy_models)
    if private.sight.by_record == shared.sight.by_record and not private.sight.rows:
        private.__dict__["microdata"] = shared.microdata
    quasi = policy.quasi_identifiers
    promises = [
        private.promises if k is None else tuple(for_k(private.promises, k, quasi)) for k in ks
    ]
    # A search for all k at once may take another of several releases of one cost.
    run = Run(policy, policy.method.seed or 0)
    plans = [_searched(private.promising(some), run) for some in promises]
    return [_point(private, choice, k, plan, known) for k, plan in zip(ks, plans, strict=True)]


def _searched(private: PrivateTable, run: Run) -> Plan | Unsatisfiable:
    """The plan of one table, or why there is none."""
    try:
        found = searched(private, run)
    except Unsatisfiable as error:
        return error
    assert not isinstance(found, LinkedPlan), "points of linked tables are made as whole releases"
    return found


def _why(error: IndistinctError) -> str:
    return "; ".join(problem.message for problem in error.problems)


def _point(
    private: PrivateTable,
    choice: _Choice,
    k: int | None,
    plan: Plan | Unsatisfiable,
    known: dict[object, Plain],
) -> Point:
    told = {**choice.told, "k": _k_of(choice.policy) if k is None else k}
    if isinstance(plan, Unsatisfiable):
        return Point(**told, why=_why(plan), source=partial(_with_k, choice.policy, k))
    key: object = object()
    if isinstance(plan, LevelPlan) and len(plan.nodes) == 1:
        # One node of the lattice is the best one for many k.
        key = plan.nodes, private.sight.by_record, plan.suppressed.tobytes()
    if key not in known:
        known[key] = _worth(private.data, plan, private.policy.risk.threshold)
    return Point(**told, **known[key], source=partial(_with_k, choice.policy, k))


def _worth(data: LeveledTable, plan: Plan, threshold: float) -> Plain:
    """What a plan keeps of a table, and what it risks."""
    size = published_classes(data, plan)
    left_out = int(data.weight[in_no_class(data, plan)].sum())
    bound = bound_by(measure="loss", aggregate="arithmetic").bind(data)
    return {
        "published": int(data.weight.sum()) - left_out,
        "suppressed": left_out,
        "classes": len(size),
        "risk": _risk(size, threshold),
        "kept": 1 - bound.scaled(score(data, plan, bound, size)),
        "lost": tuple(lost_attributes(leaked(data, plan))),
    }


def _risk(size: Any, threshold: float) -> Plain | None:
    if not len(size):
        return None
    found = prosecutor(np.asarray(size, dtype=np.int64), threshold)
    return {
        "highest": float(found.highest),
        "average": float(found.success),
        "at_risk": float(found.at_risk),
    }


def _whole(
    data: Frame,
    choice: _Choice,
    k: int | None,
    path: str | Path | None,
    errors: list[PolicyError],
) -> Point:
    """A point as the release that its policy makes.

    Arguments:
        data: the table.
        choice: the policy, but for k.
        k: the k.
        path: the file of the table, for messages.
        errors: a policy that cannot be run is added.
    """
    policy = _with_k(choice.policy, k)
    told = {**choice.told, "k": _k_of(policy), "source": partial(_with_k, policy, None)}
    try:
        quiet = policy.output.model_copy(update={"report": False})
        release = anonymize(data, policy.model_copy(update={"output": quiet}), path=path)
    except (Unsatisfiable, PolicyError) as error:
        if isinstance(error, PolicyError) and error.problems[0].code != "ranks-given-away":
            errors.append(error)
        return Point(**told, why=_why(error))
    run = release.run.to_dict()
    count, smallest, mean = (run["classes"][key] for key in ("count", "smallest", "mean"))
    starred = _fit_no_class(run)
    if starred and not release.linked:
        smallest = min(smallest or starred, starred)
        mean = ((mean or 0) * count + starred) / (count + 1)
    analyses: Any = release.private.get("analyses.json")
    risk = None
    if smallest:
        # Of classes as they are counted without what is made up, and of who fits none.
        at_risk = None if 1 / smallest > policy.risk.threshold else 0.0
        risk = {"highest": 1 / smallest, "average": 1 / mean, "at_risk": at_risk}
    return Point(
        **told,
        published=run["published"],
        suppressed=run["suppressed"],
        classes=run["classes"]["count"],
        risk=risk,
        kept=None if COST not in release.measures else 1 - release.measures[COST],
        lost=tuple(lost_attributes(run["plan"].get("leakage", {}))),
        analyses=None if analyses is None else analyses["analyses"],
    )


def _fit_no_class(run: Plain) -> int:
    """The people of published rows of stars, one more group in which they can be found."""
    kept = run["records_published"] - run["published"] - sum(run["added"].values())
    return int(run["people"]["suppressed"] if kept and "people" in run else kept)


def _gain(
    data: Frame, point: Point, attackers: Sequence[str], path: str | Path | None
) -> Plain | None:
    """What the attacker gains who gains most on somebody in the release of a point."""
    if point.risk is None:
        return None
    policy = point.policy
    quiet = policy.output.model_copy(update={"report": False})
    release = anonymize(data, policy.model_copy(update={"output": quiet}), path=path)
    found = attack(data, release, policy, only=attackers or None, path=path)
    worst = max(found.attacks, key=lambda item: item.gain["max"], default=None)
    return None if worst is None else {"attacker": worst.name, "most": worst.gain["max"]}


def _k_of(policy: Policy) -> int | None:
    found = [item.parameters.get("k") for item in policy.promises if item.model == "k-anonymity"]
    return next((k for k in found if isinstance(k, int)), None)


# Choosing --------------------------------------------------------------------------------------


def _recommended(
    points: Sequence[Point], threshold: float, gain: float | None
) -> tuple[int | None, str]:
    """The point to take, and why: of those with the risk asked for, the one that keeps most."""
    able = [at for at, point in enumerate(points) if point.risk is not None]
    if not able:
        return None, "no point has a release"
    holding = [at for at in able if points[at].holds(None, gain)]
    safe = [at for at in holding if points[at].holds(threshold, gain)]
    if safe:
        # Of what costs the same and risks the same, the strictest promise.
        best = max(
            safe,
            key=lambda at: (points[at].kept or 0.0, -_highest(points[at]), points[at].k or 0, -at),
        )
        least = f"it keeps most of those whose highest risk is {threshold:g} or less"
        least += "" if gain is None else f", in which no attacker gains more than {gain:g}"
        return best, least + (" and that keep the analyses" if points[best].analyses else "")
    some = holding or able
    best = min(some, key=lambda at: (_highest(points[at]), -(points[at].kept or 0.0), at))
    why = f"no point has a risk of {threshold:g} or less"
    if not any(points[at].holds() for at in able):
        why = "no point keeps the analyses as asked"
    elif not holding:
        why = f"no point that keeps what else is asked holds every attacker to {gain:g}"
    return best, f"{why}; this one has the lowest risk"


def _highest(point: Point) -> float:
    return 1.0 if point.risk is None else float(point.risk["highest"] or 0.0)


def _elbow(points: Sequence[Point]) -> int | None:
    """The k at the bend of the risk, where one series of three or more k was explored."""
    series = [point for point in points if point.risk is not None and point.k is not None]
    kinds = {(point.suppression_limit, point.algorithm, point.objective) for point in series}
    known = [item for item in series if item.risk and item.risk["at_risk"] is not None]
    if len(kinds) != 1 or len(known) < 3 or len({item.k for item in known}) != len(known):
        return None
    known.sort(key=lambda item: item.k or 0)
    at_risk, highest, average = (
        [float(item.risk[key] or 0.0) for item in known if item.risk]
        for key in ("at_risk", "highest", "average")
    )
    return select_k([item.k or 0 for item in known], at_risk, highest, average).k
