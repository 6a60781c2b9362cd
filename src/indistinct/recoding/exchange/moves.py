"""What the exchange did: every move, for the custodian alone, and why it ended as it did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal

from indistinct.document import PlainData
from indistinct.errors import Unsatisfiable
from indistinct.frozen import dataclass, field

Kind = Literal["swap", "cross", "noise"]

Counts = Mapping[str, Sequence[int]]
"""How often each value occurs in one class, for every sensitive attribute."""

WHY = (
    "no value occurs twice in the class",
    "the last class has no other to exchange with",
    "no donor: no class to ask has variance enough and a value that is absent here",
    "guard: every exchange would lower a class below its threshold",
    "promise: every exchange left would break another promise",
)
"""Why a class needs noise, by number."""

NO_REPEAT, LAST, NO_DONOR, GUARD, REFUSED = range(len(WHY))

FAILED = (
    "too few values: none is absent from the class, or adding all of them is not enough",
    "every made-up record would break another promise",
)
"""Why a class was left as it was, by number."""

NO_VALUE, NOT_ALLOWED = range(len(FAILED))


@dataclass(frozen=True)
class Proposal:
    """A move that may be refused: the counts of the classes it changes, before and after."""

    groups: tuple[int, ...]
    before: tuple[Counts, ...]
    after: tuple[Counts, ...]


@dataclass(frozen=True)
class Rules:
    """Which moves may be made.

    Arguments:
        donor_guard: whether a swap must leave its donor within its targets (the paper: no).
        look_back: whether a class that no later one can help may exchange with earlier ones, always
            under guard (the paper: only the last class, once).
        allowed: whether a further move may be made; asked last, in plain Python for every move, so
            that exchanging takes some ten times as long.
    """

    donor_guard: bool = True
    look_back: bool = False
    allowed: Callable[[Proposal], bool] | None = None


class ThetaInfeasible(Unsatisfiable):
    """No exchange and no noise can make every class theta-sensitive within the limits."""


@dataclass(frozen=True)
class Move(PlainData):
    """One step of the exchange.

    Arguments:
        kind: ``swap`` of two records with a later class, ``cross``-swap of the last class with the
            one before it, or a record of ``noise``.
        attribute: the sensitive attribute it was made for.
        group: the class that was short of variance.
        partner: the class it exchanged with; None for noise.
        given: the sensitive value (code) that left the class; None for noise.
        taken: the one that came.
        records: the record that left the class and the one that came; None for noise.
        values: for noise the code of every sensitive attribute.
        variance: of the class before and after.
        partner_variance: of its partner before and after; None for noise.
        cost: by how much both classes together became wider (narrower: negative).
        why: for noise, why no exchange was left.
    """

    told_keys: ClassVar = (
        "kind attribute group partner? given? taken? records? values? variance "
        "partner_variance? cost why?"
    )

    kind: Kind
    attribute: str
    group: int
    taken: int
    variance: tuple[float, float]
    partner: int | None = None
    given: int | None = None
    records: tuple[int, int] | None = None
    values: Mapping[str, int] = field(default_factory=dict)
    partner_variance: tuple[float, float] | None = None
    cost: float = 0.0
    why: str | None = None
