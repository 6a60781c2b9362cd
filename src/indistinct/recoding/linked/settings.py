"""How two linked tables are made of people with many records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from indistinct.errors import PolicyError, Problem
from indistinct.recoding.method import Asked
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.recoding.refusals import bad_choices, bad_noise, noise_allowed

Variant = Literal["safe", "paper"]
Quasi = Literal["k-member", "mondrian"]
Bucketing = Literal["dealt", "exchanged"]
Donors = Literal["later", "all"]
KeepHistory = Literal[False, "generalized"]


@dataclass(frozen=True)
class LinkedSettings:
    """How the quasi table is generalized, and how people are put into buckets.

    Arguments:
        variant: ``safe``, or ``paper``: as Algorithm 1 of Fazal and others (2023) has it.
        quasi: how the classes of the quasi table are made: ``k-member`` or ``mondrian``. None:
            clustering for up to 50,000 people, whose time grows with their square, else Mondrian.
        buckets: for theta-star, ``dealt``: people are dealt to the buckets by category;
            ``exchanged``: chunks of k people exchange records. None: dealt for ``safe``, exchanged
            for ``paper``.
        donors: where records are exchanged, which buckets are asked: the ``later`` ones or ``all``;
            None is all for ``safe``, later for ``paper``.
        max_noise: how many made-up people there may be, as a number or (a float) as a share of the
            people; None for any number.
        keep_history: ``generalized``: publish all categories of the people of a bucket, where the
            promises hold for them too, and not only the highest of each person.
        unchecked_tails: leave the last k to 2k people in a bucket that nobody looks at, as the
            paper does. It takes the variant ``paper``.
        cells: ``range``, ``set``, ``ancestor`` or ``level``, for all attributes or by name.
        weights: what quasi-identifiers count, by name.
        suppression_limit: share of people who may be suppressed in the quasi table.
        seed: draws the people of a bucket, and where made-up people go.
        partitioning: further settings of Mondrian; the four above are taken from there.
    """

    variant: Variant = "safe"
    quasi: Quasi | None = None
    buckets: Bucketing | None = None
    donors: Donors | None = None
    max_noise: int | float | None = None
    keep_history: KeepHistory = False
    unchecked_tails: bool = False
    cells: Mapping[str, str] | str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    suppression_limit: float = 0.0
    seed: int = 0
    partitioning: PartitionSettings = field(default_factory=PartitionSettings)

    def __post_init__(self) -> None:
        problems = bad_choices(
            "linked tables",
            (
                ("variant", self.variant, get_args(Variant)),
                ("quasi", self.quasi, (None, *get_args(Quasi))),
                ("buckets", self.buckets, (None, *get_args(Bucketing))),
                ("donors", self.donors, (None, *get_args(Donors))),
                ("keep_history", self.keep_history, get_args(KeepHistory)),
            ),
        )
        problems += bad_noise(self.max_noise, "people")
        if self.unchecked_tails and (self.variant, self.bucketing) != ("paper", "exchanged"):
            problems.append(
                Problem(
                    "bad-setting",
                    "unchecked_tails is the paper's way of exchanging records",
                    remedy='leave it out, or choose variant = "paper"',
                )
            )
        if problems:
            raise PolicyError(problems)

    @classmethod
    def of(cls, asked: Asked) -> LinkedSettings:
        """The settings that a policy asks for.

        Raises:
            PolicyError: the quasi table cannot be made so.
        """
        keys, start = asked.keys, asked.keys.partition.start
        if start not in (None, "k-member", "mondrian"):
            raise PolicyError(
                Problem(
                    "bad-setting",
                    f"method.partition.start: the quasi table cannot be made by '{start}'",
                    remedy='choose "k-member" or "mondrian"',
                )
            )
        return cls(
            variant=keys.variant,
            quasi=start,
            donors=keys.partition.donors,
            max_noise=keys.max_noise,
            keep_history=keys.keep_history,
            unchecked_tails=keys.partition.unchecked_tails,
            cells=keys.cells,
            weights=asked.weights,
            suppression_limit=keys.suppression_limit,
            seed=asked.seed,
            partitioning=PartitionSettings.of(asked),
        )

    @property
    def bucketing(self) -> Bucketing:
        """How people are put into buckets."""
        return self.buckets or ("exchanged" if self.variant == "paper" else "dealt")

    @property
    def all_donors(self) -> bool:
        """Whether all buckets are asked for an exchange."""
        return (self.donors or ("later" if self.variant == "paper" else "all")) == "all"

    def noise_allowed(self, people: int) -> int | None:
        """How many made-up people there may be among so many."""
        return noise_allowed(self.max_noise, people)

    def partition(self) -> PartitionSettings:
        """The settings of the partitioning."""
        return replace(
            self.partitioning,
            cells=self.cells,
            weights=self.weights,
            suppression_limit=self.suppression_limit,
            seed=self.seed,
        )
