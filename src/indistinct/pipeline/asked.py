"""What a policy asks of its method, as methods are given it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from indistinct.recoding.method import Asked, Method, Sight, method_named

if TYPE_CHECKING:
    from indistinct.policy import Policy


def method_of(policy: Policy) -> Method:
    """The method that a policy names."""
    found = method_named(policy.method.algorithm)
    assert found is not None, "a policy names a method that there is"
    return found


def sight_of(policy: Policy) -> Sight:
    """What a policy's method has to see of the table."""
    return method_of(policy).sight(policy.method, policy.privacy_models)


def asked_of(policy: Policy, seed: int = 0) -> Asked:
    """What a policy asks of its method."""
    return Asked(
        keys=policy.method,
        weights=policy.weights,
        min_level=_bounds(policy, "min_level"),
        max_level=_bounds(policy, "max_level"),
        seed=seed,
    )


def _bounds(policy: Policy, key: str) -> Mapping[str, int]:
    given = {name: getattr(item, key) for name, item in policy.attributes.items()}
    return {name: level for name, level in given.items() if level is not None}
