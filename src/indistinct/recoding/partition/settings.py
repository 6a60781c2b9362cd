"""How records are put into classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from indistinct.errors import PolicyError, Problem, Problems, refuse
from indistinct.frozen import dataclass, field
from indistinct.recoding.method import Asked
from indistinct.recoding.refusals import bad_choices

Dimension = Literal["width", "entropy", "ncp"]
Cut = Literal["median", "ncp"]
Variant = Literal["safe", "paper"]
Donors = Literal["later", "all"]


@dataclass(frozen=True)
class PartitionSettings:
    """How to partition, and what to publish of a class.

    Arguments:
        strict: whether equal combinations stay together. If not, records that are equal in the
            attribute that is cut may go either way, in their order, where no other cut is left; the
            table then has one combination per record. Of such a table, what is put together anew
            because the whole breaks a promise tells equal records apart in any case.
        dimension: which attribute Mondrian cuts: the one whose cell is the widest (``width``), the
            one of most ``entropy``, or the one whose cut lowers the normalised certainty penalty
            (``ncp``) most.
        cut: where it cuts: units in halves (``median``: below the lowest common ancestor into its
            branches, where all have enough), or where the parts cost least (``ncp``). With both
            set to ``ncp`` the cuts of all attributes are compared by what both parts cost over
            all attributes.
        cells: ``range``, ``set``, ``ancestor`` or ``level``, for all attributes or by name. Where
            none is said: ranges of numbers and dates, ancestors of everything else.
        weights: what attributes count, by name; 1 where none is given.
        suppression_limit: share of records that may be suppressed.
        seed: for algorithms that draw. Mondrian does not.
    """

    strict: bool = True
    dimension: Dimension = "ncp"
    cut: Cut = "ncp"
    cells: Mapping[str, str] | str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    suppression_limit: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        refuse(PolicyError, self.problems())

    def problems(self) -> Problems:
        """What is wrong with them."""
        problems = bad_choices(
            "a partition",
            (
                ("dimension", self.dimension, get_args(Dimension)),
                ("cut", self.cut, get_args(Cut)),
            ),
        )
        if not 0.0 <= self.suppression_limit <= 1.0:
            problems.add(
                "bad-setting",
                f"suppression_limit is a share from 0 to 1, not {self.suppression_limit!r}",
            )
        for name, weight in self.weights.items():
            if not 0.0 <= weight < math.inf:
                message = f"weights are finite and not negative, not {weight!r}"
                problems.add("bad-weight", message, attribute=name)
        return problems

    @classmethod
    def of(cls, asked: Asked, **more: Any) -> Self:
        """The settings that a policy asks for."""
        own = asked.keys.partition
        return cls(
            strict=own.strict,
            dimension=own.dimension or cls.dimension,
            cut=own.cut or cls.cut,
            cells=asked.keys.cells,
            weights=asked.weights,
            suppression_limit=asked.keys.suppression_limit,
            seed=asked.seed,
            **more,
        )

    def allowed(self, records: int) -> int:
        """How many of so many records may be suppressed."""
        return int(np.floor(self.suppression_limit * records + 1e-9))


@dataclass(frozen=True)
class ExchangeSettings(PartitionSettings):
    """The same where records of classes are exchanged, and some may be made up.

    Arguments:
        variant: ``safe``, or ``paper``: as the paper of the method has it.
        donors: which classes or buckets are asked for an exchange: the ``later`` ones, as in the
            papers, or where none of those helps ``all`` of them; None is all for ``safe``, later
            for ``paper``.
        max_noise: how many made-up records or people there may be, as a number or (a float) as a
            share of those there are; None for any number.
    """

    variant: Variant = "safe"
    donors: Donors | None = None
    max_noise: int | float | None = None

    made: ClassVar[str]
    """What is made so, in messages."""
    units: ClassVar[str]
    """What may be made up, in the plural."""

    def problems(self) -> Problems:
        """What is wrong with them."""
        problems = super().problems()
        problems += bad_choices(
            self.made,
            (
                ("variant", self.variant, get_args(Variant)),
                ("donors", self.donors, (None, *get_args(Donors))),
            ),
        )
        most: object = self.max_noise
        fits = most is None or (
            isinstance(most, int | float)
            and not isinstance(most, bool)
            and 0 <= most <= (1 if isinstance(most, float) else most)
        )
        if not fits:
            message = (
                f"max_noise must be a number of {self.units} or a share from 0.0 to 1.0, not "
                f"{most!r}"
            )
            problems.append(Problem("bad-setting", message))
        return problems

    @property
    def all_donors(self) -> bool:
        """Whether all classes or buckets are asked for an exchange."""
        return (self.donors or ("later" if self.variant == "paper" else "all")) == "all"

    def noise_allowed(self, units: int) -> int | None:
        """How many may be made up among so many; None for any number."""
        if isinstance(self.max_noise, float):
            return math.floor(self.max_noise * units + 1e-9)
        return self.max_noise
