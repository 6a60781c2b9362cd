"""Values that stand as they are in every release of a table, so that rows of two can be joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from indistinct.analytics.series.ledger_report import over_releases
from indistinct.intake.asked import method_of
from indistinct.intake.transform_facts import PERTURBING
from indistinct.warning_kinds import Kind, WarningText

if TYPE_CHECKING:
    from indistinct.policy import Policy


def kept_beside(policy: Policy) -> tuple[str, ...]:
    """The columns that stand in a row with values, and are the same in every release.

    Buckets list values beside nothing else. What is made up anew for each release joins no rows:
    pseudonyms without a key of their own, and invented names.
    """
    if method_of(policy).linked:
        return ()
    named = []
    for name in policy.named("identifier"):
        rule = policy.attributes[name].transform
        keyed = rule and rule.pseudonymize
        if rule and (rule.mask or (keyed and (keyed.key_env or keyed.key_file))):
            named.append(name)
    return (*policy.published_beside, *policy.visit_identifiers, *named)


def kept_in_rows(policy: Policy) -> tuple[str, ...]:
    """Those of them that are not changed at random, which releases would show differently."""
    rules = {name: policy.attributes[name].transform for name in kept_beside(policy)}
    random = {*PERTURBING} - {"microaggregate"}
    return tuple(name for name, rule in rules.items() if not (rule and rule.name in random))


def kept_alike(policy: Policy, kept: Policy | None, quasi: Sequence[str]) -> tuple[str, ...]:
    """The columns whose values are the same in the rows of the first release and of a further one.

    Arguments:
        policy: of the first release.
        kept: the policy that the further one keeps.
        quasi: the quasi-identifiers of the further one.
    """
    names = [name for name in kept_in_rows(policy) if name not in quasi]
    if kept is None:
        return tuple(names)
    there, rules = {*kept_in_rows(kept)}, (policy.attributes, kept.attributes)
    return tuple(
        name
        for name in names
        if name in there and rules[0][name].transform == rules[1][name].transform
    )


def told_of_joined_rows(policy: Policy) -> list[WarningText]:
    """What readers are told of promises over releases: they look at classes, and not at rows."""
    kept = kept_beside(policy)
    about = dict.fromkeys(part.sensitive for part in policy.promises if over_releases(part))
    found = []
    for name in about:
        others = [f"'{one}'" for one in kept if one != name]
        if others:
            listed = ", ".join(others[:3]) + f" and {len(others) - 3} more" * (len(others) > 3)
            found.append(
                Kind.LIMIT(
                    f"promises over releases compare what classes list for '{name}': an "
                    f"attacker who joins rows of two releases by values in both ({listed}) may "
                    "learn more"
                )
            )
    return found
