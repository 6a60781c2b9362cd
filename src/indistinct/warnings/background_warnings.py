"""What a custodian is told of somebody who knows a few values of a person, or of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from indistinct.document import in_quotes, share
from indistinct.types import PlainMapping
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings import group_values
from indistinct.warnings.group_values import GroupValues

FEWEST = 0.01
"""The share of people of whom a class nearly tells a value, from which on it is said."""

FEW_SINGLED_OUT = 0.05
"""Of a value beside the quasi-identifiers that singles out fewer people nobody is warned."""


def warn_about_uncounted(names: Sequence[str]) -> list[WarningText]:
    """That of a release that is not in memory not everything was counted."""
    listed = in_quotes(names[:3])
    listed += f" and {len(names) - 3} more" * (len(names) > 3)
    return [
        Kind.LIMIT(
            f"what a class tells about {listed} was not counted: values times classes are more "
            f"than {group_values.MOST_COUNTS:,}, or the values are long, and the table is not held "
            "in memory"
        )
    ] * bool(names)


def warn_about_alike(found: Iterable[GroupValues], unit: str) -> list[WarningText]:
    """What a class tells of values that no promise is about: everybody of it has the same one."""
    counted = {one.name: one for one in found}
    alike = {name: one.certain(0) for name, one in counted.items()}
    usual = {name: one.usual for name, one in counted.items() if alike[name] > 0.5}
    listed = _worst(alike, unit, usual)
    return [
        Kind.RISK(
            f"all of a class have the same {listed}: no promise bounds what a class tells "
            "about them; max-posterior would",
            max(alike.values(), default=0.0),
        )
    ] * bool(listed)


def warn_about_only_known(found: Iterable[GroupValues], group: str, unit: str) -> list[WarningText]:
    """What a class or bucket tells of those who have a value, where the others of it have none.

    Arguments:
        found: the values of each group.
        group: what a group is called.
        unit: what is counted.
    """
    counted = {one.name: one for one in found}
    only = {name: part for name, one in counted.items() if (part := one.only_known) >= FEWEST}
    usual = {name: counted[name].usual for name in only}
    listed = _worst(only, unit, usual)
    return [
        Kind.RISK(
            f"all of a {group} of whom a value is known have the same {listed}, and the others "
            "none: an attacker who knows that a person has one knows which; promises count a "
            "missing value as one more",
            max(only.values(), default=0.0),
        )
    ] * bool(listed)


def warn_about_single_values(
    alone: Mapping[str, float], two: tuple[float, str, str], unit: str
) -> list[WarningText]:
    """What one value, or two, tell beside a class.

    Arguments:
        alone: the share who are alone with their value in a class.
        two: the largest share who are alone with two values in a class, and of what.
        unit: what is counted.
    """
    part, one, other = two
    largest = _largest(alone)
    told = [f"'{name}': {share(alone[name])}" for name in largest[1:3]]
    told += [f"{len(largest) - 3} more"] * (len(largest) > 3)
    told += [f"'{one}' and '{other}': {share(part)}"] * bool(largest and part)
    known, found = f", '{one}' and '{other}'", part
    if largest:
        known, found = f" and '{largest[0]}'", alone[largest[0]]
    beside = f" ({'; '.join(told)})" if told else ""
    return [
        Kind.RISK(
            f"an attacker who knows a person's quasi-identifiers{known} finds {share(found)} of "
            f"{unit}{beside} and reads the rest: if others may know a column, make it a "
            "quasi-identifier",
            max(part, *alone.values(), 0.0),
        )
    ] * bool(found)


def warn_about_perturbed(figures: PlainMapping) -> list[WarningText]:
    """That a true value finds records of a class, though it was changed at random.

    Arguments:
        figures: the shares who are linked with ``0.5`` and with ``0.95``, by column.
    """
    return [
        Kind.RISK(
            f"an attacker who knows a person's quasi-identifiers and the true '{name}' finds "
            f"{share(linked['0.95'])} of records with 95 % certainty, {share(linked['0.5'])} with "
            "50 %, though it was changed: change it more, or leave it out",
            linked["0.5"],
        )
        for name, linked in figures.items()
        if linked["0.5"] >= FEW_SINGLED_OUT
    ]


def not_beside() -> WarningText:
    """That what values tell beside classes was not tried."""
    return Kind.LIMIT(
        "what one value of a record tells about another was not tried, nor what two values single "
        "out: the table is not held in memory"
    )


NEARLY_ALL = 0.95
"""Of a value that so many of a table have, it is no news that a class has it."""


def _largest(shares: Mapping[str, float]) -> list[str]:
    """The names of all shares but zero, the largest first."""
    return sorted((name for name in shares if shares[name]), key=lambda one: -shares[one])


def _worst(shares: Mapping[str, float], unit: str, usual: Mapping[str, float] | None = None) -> str:
    """The three largest shares of people, by attribute, and where one value explains them."""
    largest = _largest(shares)
    told = {
        name: f", as {share(most)} of the whole table have one value"
        for name, most in (usual or {}).items()
        if most >= NEARLY_ALL
    }
    listed = ", ".join(
        f"'{name}' ({share(shares[name])} of {unit}{told.get(name, '')})" for name in largest[:3]
    )
    return listed + f" and {len(largest) - 3} more" * (len(largest) > 3)


def warn_about_values_in_buckets(figures: PlainMapping) -> list[WarningText]:
    """That of what a bucket lists, some may go together."""
    one, two = figures["1"]["certain"], figures["2"]["certain"]
    if not (one or two):
        return []
    error = f" (give or take {share(figures['error'])})" if "error" in figures else ""
    return [
        Kind.RISK(
            "with the quasi-identifiers and one value of a person, another value may be "
            f"certain for {share(one)} of people, with two values for {share(two)}{error}: "
            "promises about buckets do not bound that; known-records on a long release does",
            max(one, two),
        )
    ]


def warn_about_known_records(figures: PlainMapping) -> list[WarningText]:
    """That a promise about classes does not speak of somebody who knows more."""
    one, two, counted = figures["1"], figures["2"], figures.get("records", {})
    found = []
    if counted.get("singled_out"):
        found.append(
            Kind.RISK(
                "an attacker who knows a person's quasi-identifiers and number of records finds "
                f"{share(counted['singled_out'])} of people: the promise known-number bounds "
                "this; linked tables of single values do not show it",
                counted["singled_out"],
            )
        )
    if not (one["certain"] or two["singled_out"]):
        return found
    error = f" (give or take {share(figures['error'])})" if "error" in figures else ""
    certain = f"certain for {share(one['certain'])}{error}: the promise known-records bounds it"
    if not two["singled_out"]:
        other = "the quasi-identifiers and one value of a person"
        return [
            *found,
            Kind.RISK(
                f"{other} single out nobody, but make another value {certain}", one["certain"]
            ),
        ]
    knows, then, finds = "one value", "another value is then", one["singled_out"]
    told = f" ({share(one['average'])} on average; with two values {share(two['singled_out'])})"
    if not finds:
        knows, then, finds = "two values", "with one value, another is", two["singled_out"]
        told = ""
    bound = f"; {then} {certain}" if one["certain"] else f"{error}: known-records bounds it"
    return [
        *found,
        Kind.RISK(
            f"an attacker who knows a person's quasi-identifiers and {knows} finds {share(finds)} "
            f"of people at worst{told}{bound}",
            max(one["singled_out"], two["singled_out"], one["certain"]),
        ),
    ]
