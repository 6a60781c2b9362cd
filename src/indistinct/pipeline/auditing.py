"""The verb *audit*: from published tables alone to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from indistinct.pipeline.opening import understood
from indistinct.privacy.promise import Promise
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.requirement import Requirement

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
        Requirement(part.model, part.parameters, part.on, part.sensitive, part.unit)
        if isinstance(part, Promise)
        else part
        for part in promises or ()
    ]
    return audit_release(tables, asked, quasi or (), source=source)
