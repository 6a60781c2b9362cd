"""What is known of a release, for all chapters: they compute nothing themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.privacy.promise import models
from indistinct.types import PlainMapping

ALL = "all quasi-identifiers"

VISITS = "visits"
"""What became of the attributes of visits, in the private evidence of a release."""

HARM = 0.09
"""The risk of a record that EMA and Health Canada allow of data for the public."""


@dataclass(frozen=True)
class Evidence:
    """What is known of a release.

    Arguments:
        certificate: the public account.
        published: what can be counted in the published files.
        holds: whether the audit found every promise kept.
        run: the private account; None where a public report is made.
        plan: what became what.
        private: what was counted in the table.
        lost: of attributes of which little is left, the share that is.
        refused: why there is no release, where there is none.
    """

    certificate: PlainMapping = field(default_factory=dict)
    published: PlainMapping = field(default_factory=dict)
    holds: bool = True
    run: PlainMapping | None = None
    plan: PlainMapping | None = None
    private: PlainMapping | None = None
    lost: Mapping[str, float] = field(default_factory=dict)
    refused: Sequence[Problem] = ()

    @property
    def public(self) -> bool:
        """Whether this is what anybody may read."""
        return self.run is None and not self.refused

    @property
    def account(self) -> PlainMapping:
        """The run, else the certificate: what is said of classes and promises."""
        return self.certificate if self.run is None else self.run

    @property
    def made_up(self) -> bool:
        """Whether records of the release may be nobody's."""
        return bool({"noise", "decoys"} & {*self.certificate.get("may_contain", ())})

    @property
    def units(self) -> tuple[str, str]:
        """What a class holds, one and many."""
        people = self.certificate.get("person") or self.certificate.get("linked")
        return ("person", "people") if people else ("record", "records")

    @property
    def suppressed(self) -> int:
        """Published records, or people, with ``*`` in every quasi-identifier."""
        return int(self.published.get("suppressed", 0))

    def of(self, key: str) -> Any:
        """Something that was counted in the table, or added by hand; None where it was not."""
        return (self.private or {}).get(key) or None


def known_of_visits(promises: Iterable[PlainMapping]) -> list[str]:
    """The attributes that others may know of a visit, as promises name them."""
    return [name for item in promises for name in item["parameters"].get("visit") or ()]


def counts_population(model: str) -> bool:
    """Whether promises of a model count people of a population, which no release shows."""
    known = models().get(model)
    return known is not None and known.needs_population


def promised_on(item: PlainMapping) -> str:
    """What of a person a promise is about: quasi-identifiers, or the items that the person has."""
    return "items" if of_items(item) else ", ".join(item.get("on") or (ALL,))


def of_items(item: PlainMapping) -> bool:
    """Whether a promise is about the items that people have, and no quasi-identifiers."""
    known = models().get(item["model"])
    return known is not None and known.of_items_alone
