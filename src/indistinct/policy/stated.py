"""What a policy says, section by section, before it is held against itself.

Checks and cautions read it; :class:`indistinct.policy.policy.Policy` calls them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field, InstanceOf

from indistinct._sections import Section
from indistinct.policy.sections import (
    Analysis,
    Attribute,
    Bookkeeping,
    Link,
    Method,
    Output,
    Risk,
    Role,
    Source,
)
from indistinct.privacy.promise import Promise, promise_of
from indistinct.requirement import Requirement


class Stated(Section):
    """The sections of a policy, and what follows from them."""

    source: Source = Source()
    attributes: dict[str, Attribute] = Field(default_factory=dict)
    promises: tuple[InstanceOf[Requirement], ...] = ()
    method: Method = Method()
    output: Output = Output()
    risk: Risk = Risk()
    ledger: Bookkeeping | None = None
    links: tuple[Link, ...] = ()
    analyses: tuple[Analysis, ...] = ()
    rest: Literal["drop", "keep"] | None = None

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The promises, in their declarative form, with every parameter of their models."""
        return tuple(part.spec for part in self.privacy_models)

    @property
    def privacy_models(self) -> tuple[Promise, ...]:
        """The promises as privacy models, in the policy's order."""
        return tuple(map(promise_of, self.promises))

    @property
    def by_policy_alone(self) -> bool:
        """Whether a promise asks that levels and spellings hang on no other record."""
        return any(part.by_policy_alone for part in self.privacy_models)

    @property
    def person(self) -> str | None:
        """The column that names the person of each record, if people have many."""
        return self.source.person

    @property
    def visit_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers of visits (``level = "event"``), in the policy's order."""
        return tuple(
            name
            for name in self.named("quasi-identifier")
            if self.attributes[name].level == "event"
        )

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers of people or records, in the policy's order."""
        return tuple(
            name
            for name in self.named("quasi-identifier")
            if self.attributes[name].level == "person"
        )

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes, in the policy's order."""
        return self.named("sensitive")

    @property
    def published_beside(self) -> tuple[str, ...]:
        """Published columns that are not quasi-identifiers and not made up for the release."""
        return (*self.sensitive, *self.named("insensitive"))

    @property
    def weights(self) -> dict[str, float]:
        """The weight of every quasi-identifier in the objective."""
        own = {name: self.attributes[name].weight for name in self.quasi_identifiers}
        return own | self.method.objective.weights

    def named(self, role: Role) -> tuple[str, ...]:
        """The attributes with that role, in the policy's order."""
        return tuple(name for name, item in self.attributes.items() if item.role == role)

    def missing_tokens(self, columns: Iterable[str] | None = None) -> dict[str, Sequence[str]]:
        """The texts that stand for a missing value, by attribute.

        Arguments:
            columns: the columns that are asked for; all attributes where not given.
        """
        return {
            name: self.attributes[name].missing.tokens
            for name in (self.attributes if columns is None else columns)
            if name in self.attributes and self.attributes[name].missing.tokens
        }
