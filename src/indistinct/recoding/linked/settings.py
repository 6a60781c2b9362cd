"""How two linked tables are made of people with many records."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, get_args

from indistinct.errors import PolicyError, Problems
from indistinct.frozen import dataclass
from indistinct.recoding.method import Asked
from indistinct.recoding.partition.settings import ExchangeSettings
from indistinct.recoding.refusals import bad_choices

Quasi = Literal["k-member", "mondrian"]
Bucketing = Literal["dealt", "exchanged"]
KeepHistory = Literal[False, "generalized"]


@dataclass(frozen=True)
class LinkedSettings(ExchangeSettings):
    """How the quasi table is generalized, and how people are put into buckets.

    The settings of the partition are those of the quasi table, whose ``variant`` is that of
    Algorithm 1 of Fazal and others (2023).

    Arguments:
        quasi: how the classes of the quasi table are made: ``k-member`` or ``mondrian``. None:
            clustering for up to 50,000 people, whose time grows with their square, else Mondrian.
        buckets: for theta-star, ``dealt``: people are dealt to the buckets by category;
            ``exchanged``: chunks of k people exchange records. None: dealt for ``safe``, exchanged
            for ``paper``.
        keep_history: ``generalized``: publish all categories of the people of a bucket, where the
            promises hold for them too, and not only the highest of each person.
        unchecked_tails: leave the last k to 2k people in a bucket that nobody looks at, as the
            paper does. It takes the variant ``paper``.
    """

    quasi: Quasi | None = None
    buckets: Bucketing | None = None
    keep_history: KeepHistory = False
    unchecked_tails: bool = False

    made: ClassVar[str] = "linked tables"
    units: ClassVar[str] = "people"

    def problems(self) -> Problems:
        """What is wrong with them."""
        problems = super().problems()
        problems += bad_choices(
            self.made,
            (
                ("quasi", self.quasi, (None, *get_args(Quasi))),
                ("buckets", self.buckets, (None, *get_args(Bucketing))),
                ("keep_history", self.keep_history, get_args(KeepHistory)),
            ),
        )
        if self.unchecked_tails and (self.variant, self.bucketing) != ("paper", "exchanged"):
            problems.add(
                "bad-setting",
                "unchecked_tails is the paper's way of exchanging records",
                remedy='leave it out, or choose variant = "paper"',
            )
        return problems

    @classmethod
    def of(cls, asked: Asked, **more: Any) -> Self:
        """The settings that a policy asks for.

        Raises:
            PolicyError: the quasi table cannot be made so.
        """
        keys, start = asked.keys, asked.keys.partition.start
        if start not in (None, "k-member", "mondrian"):
            raise PolicyError(
                "bad-setting",
                f"method.partition.start: the quasi table cannot be made by '{start}'",
                remedy='choose "k-member" or "mondrian"',
            )
        return super().of(
            asked,
            variant=keys.variant,
            quasi=start,
            donors=keys.partition.donors,
            max_noise=keys.max_noise,
            keep_history=keys.keep_history,
            unchecked_tails=keys.partition.unchecked_tails,
            **more,
        )

    @property
    def bucketing(self) -> Bucketing:
        """How people are put into buckets."""
        return self.buckets or ("exchanged" if self.variant == "paper" else "dealt")
