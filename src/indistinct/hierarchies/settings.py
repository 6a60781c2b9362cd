"""Checks that the builders' settings share; each answers with the problems it found."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from indistinct.errors import Problem, did_you_mean
from indistinct.hierarchies.decimals import parsed

Settings = Mapping[str, object]


def wrong(builder: str, message: str, remedy: str | None = None) -> Problem:
    """A problem with a builder's settings.

    Arguments:
        builder: the kind of hierarchy.
        message: what is wrong.
        remedy: what helps, where that is known.
    """
    return Problem("bad-hierarchy-setting", f"hierarchy '{builder}': {message}", remedy=remedy)


def unknown(builder: str, settings: Settings, known: Collection[str]) -> list[Problem]:
    """A problem for every setting that the builder does not have.

    Arguments:
        builder: the kind of hierarchy.
        settings: what is asked of it.
        known: all settings that it has.
    """
    return [
        Problem(
            "unknown-hierarchy-setting",
            f"hierarchy '{builder}' has no setting '{name}': {did_you_mean(str(name), known)}",
        )
        for name in settings
        if name not in known
    ]


MOST = 100
"""The most levels, or digits, that may be asked for."""


def whole_number(
    builder: str, settings: Settings, name: str, least: int, most: int | None = None
) -> list[Problem]:
    """A problem if the setting is there and no whole number of at least ``least``.

    Arguments:
        builder: the kind of hierarchy.
        settings: what is asked of it.
        name: the setting.
        least: the least number it may be.
        most: the largest number it may be.
    """
    value = settings.get(name)
    if value is None or is_whole(value, least, most):
        return []
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    return [wrong(builder, f"{name} must be a whole number {bounds}, not {value!r}")]


def number(builder: str, settings: Settings, name: str) -> list[Problem]:
    """A problem if the setting is there and no number.

    Arguments:
        builder: the kind of hierarchy.
        settings: what is asked of it.
        name: the setting.
    """
    value = settings.get(name)
    if value is None or is_number(value):
        return []
    return [wrong(builder, f"{name} must be a number, not {value!r}")]


def one_of(builder: str, settings: Settings, name: str, known: Sequence[str]) -> list[Problem]:
    """A problem if the setting is there and none of the known words.

    Arguments:
        builder: the kind of hierarchy.
        settings: what is asked of it.
        name: the setting.
        known: the words.
    """
    value = settings.get(name)
    if value is None or value in known:
        return []
    return [wrong(builder, f"{name} is {value!r}: {did_you_mean(str(value), known)}")]


def rising_levels(
    builder: str, given: object, known: Sequence[str], example: Sequence[str]
) -> list[Problem]:
    """A problem if they are no list of known levels, from fine to coarse.

    Arguments:
        builder: the builder.
        given: the levels that are asked for.
        known: all that it has, from fine to coarse.
        example: some of these.
    """
    if not isinstance(given, (list, tuple)) or not given:
        return [wrong(builder, "levels must be a list", f"levels = {json.dumps(example)}")]
    problems = [
        wrong(builder, f"there is no level {level!r}: {did_you_mean(str(level), known)}")
        for level in given
        if level not in known
    ]
    ranks = [known.index(level) for level in given if level in known]
    if any(low >= high for low, high in pairwise(ranks)):
        problems.append(wrong(builder, f"levels must go from fine to coarse: {', '.join(known)}"))
    return problems


def is_whole(value: object, least: int, most: float | None = None) -> bool:
    """Whether it is a whole number from ``least`` to ``most`` (and no boolean).

    Arguments:
        value: what may be one.
        least: the least number it may be.
        most: the largest; None for no bound.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return value >= least and (most is None or value <= most)


def is_number(value: object) -> bool:
    """Whether it is a finite number (and no boolean)."""
    return parsed(value) is not None
