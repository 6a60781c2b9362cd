"""What readers of a release are told: it follows from the policy alone, and is public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from indistinct.intake.asked import method_of
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.known_number import KnownNumber
from indistinct.release.certificate import NOT_BOUNDED
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.policy_facts import compared_with_original, partly_promised, unpromised

if TYPE_CHECKING:
    from indistinct.policy import Policy


def told_of_the_program(policy: Policy) -> list[WarningText]:
    """What readers are told of promises about values: who is alike was decided with a look at them.

    In linked tables that is who shares a bucket, and who is left out or waits for a later release.
    """
    told = [
        Kind.LOSS(
            f"for people with more records than {part.k} of their class have, some records were "
            "left out at random (known-number)"
        )
        for part in policy.privacy_models
        if isinstance(part, KnownNumber)
    ]
    method = method_of(policy)
    items = dict.fromkeys(
        str(part.sensitive)
        for part in policy.privacy_models
        if part.sensitive is not None and part.subject == "items"
    )
    told += [
        Kind.LIMIT(
            f"promises about {named(items)} bound what published items tell by themselves: "
            "which ones were generalized or left out depends on everybody's items; an attacker who "
            "knows these and this program may believe more"
        )
    ] * bool(items)
    about = dict.fromkeys(
        part.sensitive
        for part in policy.privacy_models
        if part.sensitive is not None
        and not part.allows_one_value
        and (method.linked or part.subject == "classes")
    )
    if not about or not method.by_values:
        return told
    what, who = "class", "everybody's quasi-identifiers"
    seen = "which classes were left out, or not made finer"
    if method.linked:
        what, who = "bucket", "who is in the table"
        seen = "who was put together and who left out"
    return [
        *told,
        Kind.LIMIT(
            f"promises about {named(about)} bound what the values of a {what} tell by themselves: "
            f"an attacker who knows {who} and this program sees {seen}, and may believe more"
        ),
    ]


NAMES_TOLD = 6
"""So many of many attributes are named, so that the others can be counted."""


def named(names: Iterable[object]) -> str:
    """The first of some attributes, in quotes, and how many more there are.

    >>> named(["age", "sex"]), named(f"q{i}" for i in range(9))
    ("'age', 'sex'", "'q0', 'q1', 'q2', 'q3', 'q4', 'q5', 3 more")
    """
    return _first([f"'{name}'" for name in names])


def _first(told: Sequence[str]) -> str:
    most = len(told) if len(told) <= NAMES_TOLD + 2 else NAMES_TOLD
    return ", ".join([*told[:most], *[f"{len(told) - most} more"] * (most < len(told))])


def told_of_no_promise(policy: Policy) -> list[WarningText]:
    """What readers are told of sensitive attributes without a promise about all their values."""
    what = "bucket" if method_of(policy).linked else "class"
    bare = unpromised(policy)
    if what == "bucket" and any(part.sensitive for part in policy.privacy_models):
        bare = []  # linked tables list no values but those that promises name
    names = [f"'{name}'" for name in bare]
    names += [f"values of '{name}' that promises leave out" for name in partly_promised(policy)]
    return [
        Kind.LIMIT(
            f"{NOT_BOUNDED}{what} tells about {_first(names)}: all people of a {what} may "
            f"have the same value, and then the {what} discloses it"
        )
    ] * bool(names)


def told_of_chosen_values(policy: Policy) -> list[WarningText]:
    """What readers are told of values of a person that records of theirs gainsaid.

    It follows from the policy alone: whether values differed, and of whom, is private.
    """
    chosen = {"first": "first", "last": "last", "most-frequent": "most frequent"}
    which = chosen.get(policy.source.conflicts)
    if which is None or policy.person is None:
        return []
    return [
        Kind.LOSS(
            f"where a quasi-identifier differed between records of a person, its {which} value "
            "is published for all of them: changes over time are lost"
        )
    ]


def told_of_changed_values(policy: Policy) -> list[WarningText]:
    """What readers are told of promises about values that were changed at random before."""
    rules = {name: item.transform for name, item in policy.attributes.items()}
    changed = [
        name
        for name, rule in rules.items()
        if rule is not None and rule.way.by_chance and rule.way.becomes != "name"
    ]
    about = dict.fromkeys(
        part.sensitive for part in policy.privacy_models if part.sensitive in changed
    )
    found = []
    if about:
        found.append(
            Kind.LIMIT(
                f"promises about {named(about)} hold for the published values, "
                "which were changed at random: they do not bound beliefs about true values; an "
                "attacker who knows how they were changed may learn more"
            )
        )
    counted = {*policy.quasi_identifiers, *policy.visit_identifiers}
    quasi = [name for name in changed if name in counted]
    if quasi and policy.privacy_models:
        found.append(
            Kind.LIMIT(
                f"promises count people by the published {named(quasi)}, which was changed at "
                "random: people of a class need not have its true values; an attacker who "
                "knows how they were changed may tell people apart better than promised"
            )
        )
    return found


def told_of_bins(policy: Policy) -> list[WarningText]:
    """What readers are told of bins of about equally many records: all of the table made them."""
    if "max_level" not in method_of(policy).heeds(policy.method):
        return []  # its ranges are those of classes
    found = []
    for name in (*policy.quasi_identifiers, *policy.visit_identifiers):
        asked = policy.attributes[name].hierarchy
        if not isinstance(asked, Mapping) or "equal_frequency" not in asked:
            continue
        settings = asked["equal_frequency"]
        told = ["each bound is the value of a record"]
        if isinstance(settings, Mapping) and settings.get("ends") == "closed":
            told.append("the outer bounds are its smallest and its largest value")
        if policy.method.suppression_limit > 0:
            told.append(
                "the published number of each bin tells roughly how many of it were left out"
            )
        found.append(
            Kind.LIMIT(
                f"'{name}': each bin was made to hold about as many records of the table, "
                f"suppressed ones included: {', and '.join(told)}"
            )
        )
    return found


def told_of_the_whole_table(policy: Policy) -> list[WarningText]:
    """What readers are told of a certificate that shows what only records left out may have.

    Shares of all values of the table, and how many levels the hierarchy of a classification has:
    as many as its longest code needs. And what a promise left to be chosen.
    """
    chosen = [
        Kind.LIMIT(
            f"'{part.sensitive}': the {' and the '.join(what)} of knm-anonymity are computed "
            "from all values of the table, and tell something about records left out"
        )
        for part in policy.privacy_models
        if isinstance(part, KNMAnonymity)
        and (
            what := ["k of the ranks"] * isinstance(part.k, str)
            + ["figures of diversity"] * (part.diversity is True)
        )
    ]
    if policy.method.suppression_limit == 0:
        return chosen
    of_all = [
        part.sensitive
        for part in policy.privacy_models
        if part.sensitive is not None and getattr(part, "distance", None) == "hierarchical"
    ]
    told = chosen + [
        Kind.LIMIT(
            f"'{name}': its hierarchy has as many levels as the longest code in the table "
            "needs, even if that record was left out"
        )
        for name in dict.fromkeys(of_all)
        if isinstance(asked := policy.attributes[name].hierarchy, Mapping)
        and "code_system" in asked
    ]
    names = compared_with_original(policy.privacy_models)
    if not names:
        return told
    return [
        *told,
        Kind.LIMIT(
            f"{named(names)}: this certificate has the shares of all values of the table; "
            "compared with the release, they tell which values were left out"
        ),
    ]
