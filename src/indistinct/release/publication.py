"""What is about to be published: its tables, how they belong together, and what was made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from indistinct.frozen import dataclass, field
from indistinct.metadata import ValueMetadata
from indistinct.release.audit import Audit
from indistinct.sources.convert import like
from indistinct.sources.table import unwrapped
from indistinct.types import Frame, Ints32
from indistinct.warning_kinds import WarningText


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
        instead: in words, what is published of sensitive attributes instead of their values.
        told: what a reader should know, without any figure of the run.
        real: the tables without what is made up; None where nothing is. Private.
        of_people: the audit of these.
        alike: a number of each row that rows with equal quasi-identifiers share, where nothing is
            made up and the rows are in memory. Private.
    """

    tables: Frame
    link: Mapping[str, str] | None = None
    noise: int = 0
    decoys: int = 0
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    told: tuple[WarningText, ...] = ()
    real: Any = None
    of_people: Audit | None = None
    alike: Ints32 | None = None

    @property
    def quasi(self) -> Any:
        """The frame with the quasi-identifiers."""
        return self.tables if self.link is None else self.tables["quasi"]

    @property
    def without_made_up(self) -> Publication:
        """What would be published of real people alone."""
        return self if self.real is None else replace(self, tables=self.real, real=None)

    def like(self, data: Frame) -> Publication:
        """The same, its frames of the kind that ``data`` is."""
        native = unwrapped(data)
        tables = self.tables
        if self.link is not None:
            tables = {name: like(frame, native) for name, frame in tables.items()}
        elif not isinstance(native, type(tables)):
            tables = like(tables, native)
            return replace(self, tables=tables, alike=None)  # an engine keeps no order
        return replace(self, tables=tables)
