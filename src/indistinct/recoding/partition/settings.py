"""How records are put into classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from indistinct.errors import PolicyError, Problem
from indistinct.recoding.method import Asked
from indistinct.recoding.refusals import bad_choices

Dimension = Literal["width", "entropy", "ncp"]
Cut = Literal["median", "ncp"]


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
            none is said: ranges of numbers, ancestors of everything else.
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
        problems = bad_choices(
            "a partition",
            (
                ("dimension", self.dimension, get_args(Dimension)),
                ("cut", self.cut, get_args(Cut)),
            ),
        )
        if not 0.0 <= self.suppression_limit <= 1.0:
            problems.append(
                Problem(
                    "bad-setting",
                    f"suppression_limit is a share from 0 to 1, not {self.suppression_limit!r}",
                )
            )
        problems += [
            Problem(
                "bad-weight", f"weights are finite and not negative, not {weight!r}", None, name
            )
            for name, weight in self.weights.items()
            if not 0.0 <= weight < math.inf
        ]
        if problems:
            raise PolicyError(problems)

    @classmethod
    def of(cls, asked: Asked) -> PartitionSettings:
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
        )

    def allowed(self, records: int) -> int:
        """How many of so many records may be suppressed."""
        return int(np.floor(self.suppression_limit * records + 1e-9))
