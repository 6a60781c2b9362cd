"""What is about to be published: its tables, how they belong together, and what was made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from indistinct.metadata import ValueMetadata
from indistinct.release.audit import Audit


@dataclass(frozen=True)
class Publication:
    """The tables of a release, before it is accounted for.

    Arguments:
        tables: the released frame; of linked tables a mapping of the frames ``quasi`` and
            ``sensitive``.
        link: how linked tables belong together, as the audit and the certificate have it; None of
            one table.
        noise: how many made-up records, or people, an algorithm added.
        decoys: how many made-up records enlarge classes.
        known: what a reader has to know of sensitive values to recompute the promises.
        told: what a reader should know, without any figure of the run.
        of_people: the audit of what is published without what is made up; None where nothing is.
    """

    tables: Any
    link: Mapping[str, str] | None = None
    noise: int = 0
    decoys: int = 0
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    of_people: Audit | None = None
