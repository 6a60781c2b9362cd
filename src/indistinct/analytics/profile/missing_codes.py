"""Numbers that stand for a missing value or for "not applicable": 97, 98 and 99 beside 1 and 2.

Such a number is written with sevens, eights and nines (or is a small negative one), lies far from
all others of its column, and is mostly the same in several columns. A number that is in a row with
others is none, whatever it is: ages have a 97, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np
import polars as pl

from indistinct.analytics.profile.names import names_one_of, words
from indistinct.analytics.profile.values import Values
from indistinct.types import Floats, Ints

_ABOVE = re.compile(r"9*[6-9]|8+|7+|6{3,}|5{4,}|9+0*")
_BELOW = re.compile(r"-(9*[6-9]|8+|7+|[1-6]|66+)")
MOST_CODES = 5
"""A column has no more numbers than this that stand for missing."""

SMALL = 9
"""Among numbers up to this one, one nine may be a code; among larger ones it is a number."""

Far = dict[str, bool]
"""Texts that may stand for missing, and whether one column is enough to say so."""


def suspected(values: Values, name: str = "") -> Far:
    """The numbers of a column that are far from all others and written like such codes."""
    if values.numbers is None:
        return {}
    numbers = values.numbers.to_numpy()
    # Numpy, as Polars plans each query anew: that is most of the time where there are many columns.
    finite = np.isfinite(numbers)
    held = numbers[finite]
    if len(held) < 2 or (held.min() >= 0 and not _ABOVE.fullmatch(_written(float(held.max())))):
        return {}  # as most columns: nothing is below the others, and the largest is no code
    at = np.flatnonzero(finite)
    found: Far = {}
    below, above = np.flatnonzero(held < 0), np.flatnonzero(held >= 0)
    if 0 < len(below) <= MOST_CODES and not _relative(name):
        below = below[np.argsort(held[below], kind="stable")]
        found |= _below(values, at[below], held[below].tolist(), len(above))
    if len(above) > MOST_CODES + 1:  # all are not sorted for the smallest and the largest
        numbers = held[above]
        beyond = np.partition(numbers, -MOST_CODES - 1)[-MOST_CODES - 1]
        if (least := numbers.min()) < beyond:
            above = np.append(above[numbers == least][:1], above[numbers >= beyond])
    above = above[np.argsort(held[above], kind="stable")]
    return found | _above(values, at[above], held[above])


_RELATIVE = ("day", "diff", "difference", "delta", "change", "offset", "lag", "balance", "zscore")
"""Words for numbers that may be negative, as is VISITDY."""


def _relative(name: str) -> bool:
    """Whether a name speaks of a distance in time or of a change."""
    short = any(len(one) > 4 and one.endswith("dy") and one != "study" for one in words(name))
    return short or names_one_of(name, _RELATIVE) is not None


_NINES = re.compile(r"9+\.99*")


def _written(number: float) -> str:
    """The digits of a whole number, or of one that has nines alone: 99.99."""
    if number == int(number):
        return str(int(number))
    text = str(number)
    return text.replace(".", "") if _NINES.fullmatch(text) else ""


def _below(values: Values, at: Ints, numbers: list[float], others: int) -> Far:
    """Negative codes among numbers that are not negative otherwise: no -1 beside 0 and 1."""
    if not all(_BELOW.fullmatch(_written(one)) for one in numbers):
        return {}
    if others < 2 or (numbers[-1] > -7 and others <= 2 * len(numbers)):
        return {}
    known = _counted(values, at)
    enough = sum(known.values()) >= max(3, 0.002 * values.filled)
    return dict.fromkeys(known, bool(enough))


def _above(values: Values, at: Ints, held: Floats) -> Far:
    """Codes above all other numbers, with a gap that is wider than these are spread."""
    if not len(held):
        return {}
    numbers = [*held[:1].tolist(), *held[1:][-MOST_CODES - 1 :].tolist()]
    most = next(
        (many for many in range(min(MOST_CODES, len(held) - 1), 0, -1) if _apart(numbers, many)), 0
    )
    if not most:
        return _frequent(values, at[-1:], _written(numbers[-1]))
    known = _counted(values, at[-most:])
    return {
        text: (number > SMALL and count > 1) or (numbers[-most - 1] <= 3 and number == SMALL)
        for number, (text, count) in zip(numbers[-most:], known.items(), strict=True)
    }


_OFTEN = 5


def _frequent(values: Values, at: Ints, digits: str) -> Far:
    """The largest number, if it has nines alone and is far more frequent than all others."""
    if len(digits) < 2 or set(digits) != {"9"}:
        return {}
    known = _counted(values, at)
    times, *others = values.counts.top_k(2).sort(descending=True).to_list()
    frequent = _OFTEN <= times <= values.filled / 2 and times in known.values()
    far = frequent and times >= 3 * max(others, default=0)
    return dict.fromkeys(known, True) if far else {}


def _counted(values: Values, at: Ints) -> dict[str, int]:
    """Some texts, and how often each occurs."""
    places = pl.Series(at)
    texts, counts = values.texts.gather(places), values.counts.gather(places)
    return dict(zip(texts.to_list(), counts.to_list(), strict=True))


def _apart(numbers: list[float], codes: int) -> bool:
    """Whether the last so many numbers are codes, and far from those before them."""
    rest, last = numbers[:-codes], numbers[-codes:]
    if not all(_ABOVE.fullmatch(_written(one)) for one in last):
        return False
    gap = last[0] - rest[-1]
    return gap > max(rest[-1] - rest[0], 2) and last[-1] - last[0] <= gap


def missing_codes(suspicions: Mapping[str, Far]) -> dict[str, tuple[str, ...]]:
    """The texts of every column that stand for missing."""
    often = Counter(text for far in suspicions.values() for text in far)
    found = {
        name: tuple(text for text, enough in far.items() if enough or often[text] > 1)
        for name, far in suspicions.items()
    }
    return {name: texts for name, texts in found.items() if texts}
