"""The verb *audit*: from published tables alone to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.knowledge import Knowledge
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.knowledge import knowledge_of
from indistinct.pipeline.opening import understood
from indistinct.pipeline.population import covers, population_of
from indistinct.privacy.promise import Promise
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.release.audit.reading import read_release
from indistinct.requirement import Requirement
from indistinct.sources.table import open_table

if TYPE_CHECKING:
    from indistinct.policy import Policy


def audit(
    tables: Any,
    policy: Policy | Mapping[str, Any] | None = None,
    *,
    promises: Sequence[Any] | None = None,
    quasi: Sequence[str] | None = None,
    source: Mapping[str, Any] | None = None,
) -> Audit:
    """Recompute from published tables alone whether they keep what was promised.

    Arguments:
        tables: a frame, the path of a file or of a release's folder, or several by name.
        policy: says what was promised on which quasi-identifiers.
        promises: the promises, where there is no policy: ``KAnonymity(k=5)``, requirements, or
            tables of their keys.
        quasi: the quasi-identifiers, where there is no policy.
        source: how files are read, ``{"separator": ";"}``.

    Raises:
        DataError: the release cannot be read, or lacks a column.
        PolicyError: nothing says what was promised.
    """
    if policy is not None:
        policy = understood(policy)
        promises = promises or policy.requirements
        quasi = quasi or policy.quasi_identifiers
    asked = [
        Requirement(part.model, part.parameters, part.on, part.sensitive, part.unit, part.reference)
        if isinstance(part, Promise)
        else part
        for part in promises or ()
    ]
    beside = {} if policy is None else _beside(tables, policy, source)
    return audit_release(tables, asked, quasi or (), source=source, **beside)


def _beside(tables: Any, policy: Policy, source: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the policy says beside the promises: of sensitive values, and of a population.

    The distribution in the original table comes from the certificate, which alone has it.
    """
    told = [
        name
        for name in policy.sensitive
        if policy.attributes[name].categories is not None
        or policy.attributes[name].hierarchy is not None
    ]
    compares = [item.sensitive for item in policy.promises if item.reference == "original"]
    if not told and not compares and policy.risk.population is None:
        return {}
    published = read_release(tables, source)
    found: dict[str, Any] = {}
    claimed = {} if published.claims is None else dict(published.claims.known)
    known: dict[str, Knowledge] = {}
    for table in published.tables:
        here = [name for name in told if table.find(name) is not None and name not in known]
        if here:
            texts = table.texts(here)
            held = open_table(texts, table.name, allow_empty=True)
            known |= knowledge_of(policy, held, texts, here, table.name)
    for name, about in claimed.items():
        known[name] = replace(known.get(name, about), reference=about.reference)
    found["known"] = known
    people = population_of(policy)
    if people is not None:
        held = open_table(people, "the population")
        taxonomies = taxonomies_of(held, policy, people, None, None)
        whole = [
            table
            for table in published.tables
            if all(table.find(name) is not None for name in policy.quasi_identifiers)
        ]
        if whole:
            texts = whole[0].texts(policy.quasi_identifiers)
            found["covers"] = covers(texts, taxonomies, policy.quasi_identifiers)
            found["population"] = people
    return found
