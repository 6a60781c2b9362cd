"""What the parameters of privacy models may be, said where each is defined: :func:`must`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypedDict, Unpack

from indistinct.errors import PolicyError, did_you_mean


class Bounds(TypedDict, total=False):
    """Between which numbers a parameter has to be; for the words see :func:`number`."""

    least: float
    above: float
    most: float


def must(check: Callable[..., None], **bounds: object) -> dict[str, Any]:
    """The metadata of a parameter: what holds of every value but its default.

    >>> must(whole, least=1)["must"]("k-anonymity", "k", 5)
    """
    return {"must": partial(check, **bounds)}


def whole(model: str, name: str, given: object, least: int, remedy: str | None = None) -> None:
    """Raise :class:`PolicyError` unless the parameter is a whole number that is large enough.

    Arguments:
        model: the privacy model, for the message.
        name: the parameter.
        given: its value.
        least: the smallest number that is allowed.
        remedy: what would mend it.

    >>> whole("k-anonymity", "k", 5, 1)
    """
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise PolicyError(
            "bad-parameter",
            f"{name} of {model} must be {_whole_from(least)}, not {given!r}",
            remedy=remedy,
        )


def number(
    model: str,
    name: str,
    given: object,
    *,
    remedy: str | None = None,
    **bounds: Unpack[Bounds],
) -> None:
    """Raise :class:`PolicyError` unless the parameter is a finite number within these bounds.

    Arguments:
        model: Name of the privacy model, for the message.
        name: Name of the parameter.
        given: Its value.
        remedy: What would mend it.
        bounds: ``least``, the smallest number that is allowed; ``above``, a number below all that
            are; ``most``, the largest one.

    >>> number("t-closeness", "t", 0.2, least=0, most=1)
    """
    least, above, most = bounds.get("least"), bounds.get("above"), bounds.get("most")
    good = (
        isinstance(given, int | float)
        and not isinstance(given, bool)
        and math.isfinite(given)
        and (least is None or given >= least)
        and (above is None or given > above)
        and (most is None or given <= most)
    )
    if good:
        return
    raise PolicyError(
        "bad-parameter",
        f"{name} of {model} must be {_number_within(bounds)}, not {given!r}",
        remedy=remedy,
    )


def wanted(metadata: Mapping[str, Any]) -> str:
    """What a parameter may be, in words, as its metadata has it; empty where that says nothing.

    >>> wanted(must(whole, least=2)), wanted(must(number, above=0, most=1))
    ('a whole number of at least 2', 'a number above 0 and at most 1')
    """
    check = metadata.get("must")
    if not isinstance(check, partial):
        return ""
    words = ""
    if check.func is whole:
        words = _whole_from(check.keywords["least"])
    elif check.func is number:
        words = _number_within(check.keywords)
    return ": ".join(filter(None, [words, check.keywords.get("remedy")]))


def _whole_from(least: int) -> str:
    return f"a whole number of at least {least}"


def _number_within(bounds: Mapping[str, Any]) -> str:
    least, above, most = bounds.get("least"), bounds.get("above"), bounds.get("most")
    told = [
        text
        for bound, text in (
            (above, f"above {above}"),
            (least, f"of at least {least}"),
            (most, f"at most {most}" if least is None and above is None else f"and at most {most}"),
        )
        if bound is not None
    ]
    return " ".join(["a number", *told])


def choice(model: str, name: str, given: object, known: Sequence[str]) -> None:
    """Raise :class:`PolicyError` unless the parameter is one of the known words.

    Arguments:
        model: the privacy model, for the message.
        name: the parameter.
        given: its value.
        known: the words.

    >>> choice("t-closeness", "distance", "equal", ("equal", "ordered"))
    """
    if given not in known:
        raise PolicyError(
            "bad-parameter",
            f"{name} of {model} cannot be {given!r}: {did_you_mean(str(given), known)}",
        )


RANGE_OF_K: Final = (
    "two whole numbers from 1 on, the smaller one first, with 1,000 k between them at most"
)
"""What :func:`is_range_of_k` asks for, in words."""


def is_range_of_k(first: int, last: int) -> bool:
    """Whether all k from the first to the last can be looked at.

    >>> is_range_of_k(2, 20), is_range_of_k(20, 2), is_range_of_k(2, 10**8)
    (True, False, False)
    """
    return 1 <= first <= last <= first + 1_000
