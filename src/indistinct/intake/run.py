"""One run of the program: what was asked, where chance comes in, and what is told on the way."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import polars as pl

from indistinct.intake.opening import PolicyLike, Progress, Scanned, as_policy, no_progress
from indistinct.randomness import Stream, stream
from indistinct.types import PlainMapping
from indistinct.warning_kinds import WarningText

if TYPE_CHECKING:
    from indistinct.policy import Policy


@dataclass
class Run:
    """What goes along with a table through all rooms.

    Arguments:
        policy: what is asked, of what is left of the table where items were generalized.
        seed: what all that is drawn depends on; private.
        progress: a function that gets the stage and the share done.
        path: the file that a frame was read from, for messages and the private account.
        documents: private documents, by file name; long ones are tables.
        warnings: what the custodian should know.
        told: what readers should know, that the release shows.
        said_first: those of them that are said before all others.
        singled_out: what somebody finds in a release of people who knows a few records or cells,
            the figures of each attacker; private.
        to_analyse: what the policy's analyses read of the table; None where it asks for none.
        scanned: how files are scanned where they are; None where they are read.
        source_digest: the digest of the source's file, where there is one; private.
    """

    policy: Policy
    seed: int
    progress: Progress = no_progress
    path: str | Path | None = None
    documents: dict[str, PlainMapping | pl.DataFrame] = field(default_factory=dict)
    warnings: list[WarningText] = field(default_factory=list)
    told: list[WarningText] = field(default_factory=list)
    said_first: list[WarningText] = field(default_factory=list)
    singled_out: dict[str, PlainMapping] = field(default_factory=dict)
    scanned: Scanned | None = None
    source_digest: str | None = None
    to_analyse: pl.DataFrame | None = None

    def __post_init__(self) -> None:
        self.asked = self.policy
        """The policy as it was before items were generalized."""

    @classmethod
    def begin(
        cls,
        policy: PolicyLike,
        progress: Progress | None = None,
        path: str | Path | None = None,
    ) -> Self:
        """A run with the seed of the policy, else one from the operating system.

        Arguments:
            policy: what is asked; its keys or its file will do.
            progress: a function that gets the stage and the share done.
            path: the file that a frame was read from.
        """
        policy = as_policy(policy)
        seed = secrets.randbits(128) if policy.method.seed is None else policy.method.seed
        return cls(policy, seed, progress or no_progress, path)

    def random(self, purpose: str) -> Stream:
        """The random numbers for one purpose, ``publication.shuffle``; others have their own."""
        return stream(self.seed, purpose)

    def tell(self, what: str, share: float | None = None) -> None:
        """Say what is being done, and the share of it that is done where that is known."""
        self.progress(what, share)

    def share_of(self, what: str) -> Callable[[float], None]:
        """What is called with the share of something that is done."""
        return lambda share: self.progress(what, share)
