"""What is wrong with settings and promises in the same way for several algorithms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from indistinct.errors import Problem, Problems, did_you_mean
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise

Choice = tuple[str, object, Sequence[object]]
"""The name of a setting, its value, and the values that it can have."""


def bad_choices(of: str, choices: Iterable[Choice]) -> Problems:
    """Settings with a value that they cannot have."""
    return Problems(
        Problem(
            "bad-setting",
            f"'{name}' of {of} cannot be {given!r}: "
            f"{did_you_mean(str(given), [str(one) for one in known if one])}",
        )
        for name, given, known in choices
        if given not in known
    )


def unknown_sensitive(
    promises: Iterable[Promise], there: Collection[str], why: str = "whose values are not there"
) -> Problems:
    """Promises that protect an attribute which an algorithm does not see.

    Arguments:
        promises: what is promised.
        there: the sensitive attributes that it sees.
        why: what is said of the others.
    """
    return Problems(
        Problem("unknown-attribute", f"promise '{part.model}' protects '{part.sensitive}', {why}")
        for part in promises
        if part.sensitive is not None and part.sensitive not in there
    )


def without_hierarchy(data: LeveledTable, algorithm: str) -> Problems:
    """Quasi-identifiers that an algorithm would have to generalize, and cannot."""
    return Problems(
        Problem(
            "unchanged-attribute",
            f"{algorithm} generalizes every quasi-identifier; one without a hierarchy cannot be",
            attribute=name,
            remedy="give it a hierarchy",
        )
        for name in data.attributes
        if name in data.unchanged
    )


def not_quasi(data: LeveledTable, named: Iterable[tuple[str, Iterable[str]]]) -> Problems:
    """Names that stand for quasi-identifiers, and are none."""
    return Problems(
        Problem(
            "unknown-attribute",
            f"{what} '{name}', which is not a quasi-identifier: "
            f"{did_you_mean(name, data.attributes)}",
        )
        for what, names in named
        for name in names
        if name not in data.attributes
    )
