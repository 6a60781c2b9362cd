"""What a policy says of the releases of its table, for those who read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.analytics.release_view import Sought

if TYPE_CHECKING:
    from indistinct.policy import Policy


def sought_by(policy: Policy) -> Sought:
    """What a policy says of the releases of its table: columns, missing values, guards."""
    output = policy.output
    return Sought(
        quasi=policy.quasi_identifiers,
        sensitive=tuple(policy.sensitive),
        person=policy.person,
        missing={name: item.missing.tokens for name, item in policy.attributes.items()},
        guarded=output.spreadsheet_safe and output.format == "csv",
    )
