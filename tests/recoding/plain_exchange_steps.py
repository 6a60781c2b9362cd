"""A worked example of the exchange, step by step, with names and values instead of codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.recoding.plain_exchange import exchange

from indistinct.privacy.rank_variance import rank_variance_exact
from indistinct.recoding.exchange.moves import FAILED, Kind, Rules, ThetaInfeasible
from indistinct.recoding.exchange.target import By, Target


@dataclass(frozen=True)
class Step:
    """One move: what it was, between which classes, of which values, and the variances after it.

    ``partner``, ``given`` and ``partner_variance`` are None for a record of noise.
    """

    kind: Kind
    group: int
    partner: int | None
    given: Hashable
    taken: Hashable
    variance: Fraction
    partner_variance: Fraction | None

    def to_list(self) -> list[str]:
        """The step as a row of texts, without what does not apply."""
        parts = [
            self.kind,
            self.group,
            self.partner,
            self.given,
            self.taken,
            self.variance,
            self.partner_variance,
        ]
        return [str(part) for part in parts if part is not None]


@dataclass(frozen=True)
class Replay:
    """The classes in the end (records, then the values of noise), and every step on the way."""

    classes: tuple[tuple[int, ...], ...]
    noise: tuple[tuple[Hashable, ...], ...]
    values: tuple[tuple[Hashable, ...], ...]
    variance: tuple[Fraction, ...]
    steps: tuple[Step, ...]


def replay(
    classes: Sequence[Sequence[int]],
    values: Sequence[Hashable],
    cost: Callable[[Sequence[int]], float],
    k: int,
    mu: float = 0.6,
    *,
    threshold: By = "k",
    donor_guard: bool = False,
    max_noise: int | None = None,
    posterior: float | None = None,
    categories: Mapping[Hashable, Hashable] | None = None,
) -> Replay:
    """Work through Algorithm 1 on explicit records.

    Arguments:
        classes: the records of each class, in order.
        values: the sensitive value of every record; the domain in order of first appearance.
        cost: how wide a class of these records is.
        k: of theta(k).
        mu: of theta(k).
        threshold: whether theta goes by ``k`` or by the ``size`` of each class.
        donor_guard: whether a donor must keep its variance (the paper: no).
        max_noise: how many records of noise there may be.
        posterior: the largest share of one value in a class.
        categories: the category of each value; noise takes an absent category first.

    Raises:
        ThetaInfeasible: if a class cannot be repaired, or more noise is needed than allowed.
    """
    domain = list(dict.fromkeys(values))
    code = {value: at for at, value in enumerate(domain)}
    names = list(dict.fromkeys((categories or {}).values()))
    target = Target(
        domain=len(domain),
        k=k,
        mu=mu,
        by=threshold,
        posterior=posterior,
        categories=tuple(
            names.index(categories[value]) if value in categories else -1 for value in domain
        )
        if categories
        else (),
    )
    found = exchange(
        classes,
        {"value": [code[value] for value in values]},
        {"value": target},
        cost,
        Rules(donor_guard=donor_guard),
    )
    if found.failed:
        reasons = Counter(found.failed.values())
        raise ThetaInfeasible(
            "; ".join(f"{number} classes: {FAILED[why]}" for why, number in sorted(reasons.items()))
        )
    if max_noise is not None and len(found.noise) > max_noise:
        raise ThetaInfeasible(
            f"{len(found.noise)} records of noise are needed, and {max_noise} are allowed"
        )
    held = [Counter(code[values[record]] for record in group) for group in classes]
    steps = []
    for move in found.log:
        held[move.group][move.taken] += 1
        if move.partner is not None and move.given is not None:
            held[move.group][move.given] -= 1
            held[move.partner][move.given] += 1
            held[move.partner][move.taken] -= 1
        steps.append(
            Step(
                kind=move.kind,
                group=move.group,
                partner=move.partner,
                given=None if move.given is None else domain[move.given],
                taken=domain[move.taken],
                variance=rank_variance_exact(list(held[move.group].values())),
                partner_variance=None
                if move.partner is None
                else rank_variance_exact(list(held[move.partner].values())),
            )
        )
    noise = tuple(
        tuple(domain[own["value"]] for at, own in found.noise if at == group)
        for group in range(len(classes))
    )
    return Replay(
        classes=found.classes,
        noise=noise,
        values=tuple(
            (*(values[record] for record in group), *more)
            for group, more in zip(found.classes, noise, strict=True)
        ),
        variance=tuple(rank_variance_exact(list(counts.values())) for counts in held),
        steps=tuple(steps),
    )
