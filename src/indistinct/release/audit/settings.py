"""The parameters of a promise, as a check reads them: what each may be, and its default."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from indistinct.document import in_quotes
from indistinct.errors import PolicyError, Problem, Problems, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.requirement import Requirement
from indistinct.types import Plain


@dataclass(frozen=True)
class Setting:
    """A parameter of a privacy model: what it may be, and what it is where it is left out.

    Arguments:
        says: What it must be, in words: ``a whole number of at least 1``.
        fits: Whether a value is one of these.
        example: A value to propose where the parameter is missing.
        default: What it is where it is left out; None for one that must be given.
        optional: Whether it may be left out and is nothing then.
    """

    says: str
    fits: Callable[[Any], bool]
    example: Any
    default: Any = None
    optional: bool = False


def optional(setting: Setting) -> Setting:
    """A parameter that may be left out."""
    return replace(setting, optional=True)


def whole(least: int, example: int, default: int | None = None) -> Setting:
    """A whole number.

    Arguments:
        least: the least it may be.
        example: what is proposed where it is missing.
        default: what it is where it is left out; None for one that must be given.
    """
    return Setting(
        f"a whole number of at least {least}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least,
        example,
        default,
    )


def number(
    says: str, fits: Callable[[float], bool], example: float, default: float | None = None
) -> Setting:
    """A finite number, whole or not.

    Arguments:
        says: what it must be, in words.
        fits: whether a number is one of these.
        example: what is proposed where it is missing.
        default: what it is where it is left out; None for one that must be given.
    """
    return Setting(
        says,
        lambda value: (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and math.isfinite(value)
            and fits(value)
        ),
        example,
        default,
    )


def word(*choices: str) -> Setting:
    """One of several words; the first where it is left out."""
    return Setting(
        "one of " + in_quotes(choices),
        lambda value: isinstance(value, str) and value in choices,
        choices[0],
        choices[0],
    )


def names(*example: str) -> Setting:
    """A list of columns, or of values."""
    return Setting(
        "a list of texts",
        lambda value: (
            isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)
        ),
        list(example),
    )


ABOUT_VALUES = {name: optional(names("HIV")) for name in ("values", "not_values", "not_applicable")}
"""Which values a promise is about: those that harm, those that do not, and those that say that
there is nothing to be known."""


def share(example: float, default: float | None = None) -> Setting:
    """A number above 0 and at most 1."""
    return number("a number above 0 and at most 1", lambda value: 0 < value <= 1, example, default)


def read(
    requirement: Requirement,
    settings: Mapping[str, Setting],
    *,
    sensitive: bool,
    compares: bool,
) -> Plain:
    """The parameters of a promise, each of the right form, in the order of ``settings``.

    Arguments:
        requirement: The promise.
        settings: Its parameters.
        sensitive: Whether it must name an attribute that it protects.
        compares: Whether it compares with a distribution, so that a reference may be named.

    Raises:
        PolicyError: If something is missing, unknown or of the wrong form; all that is.
    """
    model, given = requirement.model, requirement.parameters
    problems = Problems(
        Problem(
            "unknown-setting",
            f"promise '{model}' has no parameter '{name}': {did_you_mean(name, settings)}",
        )
        for name in given
        if name not in settings
    )
    found = {name: given.get(name, setting.default) for name, setting in settings.items()}
    for name, setting in settings.items():
        if found[name] is None and setting.optional:
            continue
        if found[name] is None:
            remedy = f"add {name} = {setting.example}, say"
            problems.add("missing-setting", f"promise '{model}' needs '{name}'", remedy=remedy)
        elif not setting.fits(found[name]):
            problems.add(
                "bad-parameter", f"{name} of {model} must be {setting.says}, not {found[name]!r}"
            )
    problems += _general(requirement, sensitive, compares)
    refuse(PolicyError, problems)
    return found


def _general(requirement: Requirement, sensitive: bool, compares: bool) -> Iterable[Problem]:
    model = requirement.model
    if sensitive and requirement.sensitive is None:
        yield Problem(
            "missing-setting",
            f"promise '{model}' protects an attribute, and none is named",
            remedy='add sensitive = "diagnosis", say',
        )
    if requirement.reference != "published" and not compares:
        yield Problem(
            "unknown-setting",
            f"promise '{model}' compares with no distribution, and a reference is named",
            remedy="leave reference out",
        )
