"""Identifiers replaced by made-up ones of the same kind: names by names, codes by codes.

The same value gets the same replacement everywhere in its column, and no other value gets it. A
replacement may happen to be a value of the column, as any other text of its form may: if none
ever was, every published replacement would tell of a value that nobody of the table has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import prod
from typing import Literal

import polars as pl

from indistinct.errors import DataError
from indistinct.randomness import Random
from indistinct.release.transforms.texts import mapped

Style = Literal["auto", "name", "code"]

TRIES = 200
"""Draws after which a kind of text is taken to offer nothing that is not there already."""

FEW = 5
"""Texts of a form that fewer have can be found again by it."""

LONGEST = 18
"""Digits of the longest number of which every replacement is a 64-bit integer."""

_WORD = re.compile(r"[^\W\d_]+")
_ONSETS = (*"bcdfghjklmnprstvwz", "br", "cl", "dr", "fl", "gr", "pr", "st", "tr")
_VOWELS = (*"aeiouaeio", "ai", "ea", "io")
_CODAS = ("", "", "", *"nrlsm", "th", "nd")


def replacements(
    texts: Sequence[str], *, style: Style, random: Random, name: str = ""
) -> dict[str, str]:
    """A made-up text for each of these distinct texts.

    Arguments:
        texts: the values of a column.
        style: ``"name"``: every word becomes an invented one of a length of its own; ``"code"``:
            every letter and digit is drawn, and the rest stays; ``"auto"``: names where most
            texts have words and no digits.
        random: draws the texts, for the values in sorted order.
        name: of the column, for messages.

    Raises:
        DataError: there are fewer texts of that form than values.
    """
    known = sorted(set(texts))
    chosen = _style_of(known, style)
    made = (_names if chosen == "name" else _codes)(known, _Draws(random))
    if made is None:
        raise DataError(
            "no-replacement",
            f"there are too few {chosen}s of the form that the values have",
            attribute=name or None,
            remedy='choose the other style ("name" or "code"), or pseudonymize',
        )
    return made


def replace(
    column: pl.Series,
    dtype: pl.DataType,
    *,
    style: Style,
    random: Random,
) -> pl.Series:
    """Every text of a column as its replacement; whole numbers stay whole numbers.

    Arguments:
        column: canonical texts, null for missing.
        dtype: how the column is stored.
        style: see :func:`replacements`.
        random: draws the replacements.

    Raises:
        DataError: the column holds dates, fractions or whole numbers too long for codes, or there
            are too few replacements.
    """
    if not (dtype.is_integer() or dtype in (pl.String, pl.Categorical, pl.Enum)):
        raise DataError(
            "not-replaceable",
            "only texts and whole numbers are replaced by made-up ones",
            attribute=column.name,
            remedy="shift dates, and leave out other identifiers",
        )
    known = column.drop_nulls().unique().to_list()
    if not dtype.is_integer():
        return mapped(column, replacements(known, style=style, random=random, name=column.name))
    if max(map(len, known), default=0) > LONGEST:
        raise DataError(
            "not-replaceable",
            f"whole numbers of more than {LONGEST} digits are not replaced by made-up ones",
            attribute=column.name,
            remedy="store them as texts, or pseudonymize",
        )
    made = replacements(known, style="code", random=random, name=column.name)
    # The type as stored may be too narrow, which values that are left out would decide.
    return mapped(column, made).cast(pl.Int64)


def told() -> str:
    """What the certificate says of it."""
    return "replaced by made-up values of the same form"


def rare_forms(texts: Sequence[str], *, style: Style) -> int:
    """Distinct texts of a form that fewer than ``FEW`` have: length, pattern, number of words.

    Replacements keep the form. None, if all texts have the same.

    Arguments:
        texts: the values of a column.
        style: see :func:`replacements`.
    """
    known = sorted(set(texts))
    words = _style_of(known, style) == "name"
    counts = Counter(_form(text, words=words) for text in known)
    return sum(count for count in counts.values() if count < FEW) if len(counts) > 1 else 0


def _form(text: str, *, words: bool = False) -> str:
    """What a replacement keeps: capitals, digits and signs; of words not how long they are.

    >>> _form("Anna-Lea 7", words=True), _form("K-01")
    ('Aa-Aa 9', 'A-99')
    """
    plain = "".join(
        "9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in text
    )
    return re.sub(r"(?<=[A-Za-z])(a+|A+)", lambda run: run[0][0], plain) if words else plain


def _style_of(known: Sequence[str], style: Style) -> Style:
    return ("name" if _are_names(known) else "code") if style == "auto" else style


class _Draws:
    """Random numbers below a bound, drawn many at a time."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._left: list[float] = []

    def below(self, bound: int) -> int:
        if not self._left:
            self._left = self._random.random(4096).tolist()
        return int(self._left.pop() * bound)

    def of(self, words: Sequence[str]) -> str:
        return words[self.below(len(words))]

    def distinct(self, bound: int, count: int) -> list[int]:
        """Different numbers below a bound; any so many of them are alike likely."""
        if bound < 4 * count:
            return list(self._random.permutation(bound)[:count].tolist())
        found: dict[int, None] = {}
        while len(found) < count:
            found.setdefault(self._wide(bound))
        return list(found)

    def _wide(self, bound: int) -> int:
        """A number below a bound of any size."""
        words = bound.bit_length() // 32 + 2
        return sum(self.below(2**32) << 32 * at for at in range(words)) * bound >> 32 * words


def _are_names(texts: Sequence[str]) -> bool:
    plain = sum(not any(c.isdigit() for c in text) and len(text) > 2 for text in texts)
    worded = sum(any(len(word) > 2 for word in _WORD.findall(text)) for text in texts)
    cased = sum(text != text.upper() for text in texts)
    return bool(texts) and 2 * min(plain, worded, cased) > len(texts)


def _codes(known: Sequence[str], draw: _Draws) -> dict[str, str] | None:
    """For each text one of its form, of which all are alike likely, those of the table too.

    None where a form has fewer texts than values.
    """
    cased = len({text.lower() for text in known}) < len(known)

    def shape(text: str) -> str:
        return _form(text) if cased else _form(text).lower()

    found = {}
    for _, held in groupby(sorted(known, key=shape), shape):
        texts = list(held)
        places = list(_drawn_places(texts))
        possible = prod(radix for _, radix in places)
        if possible < len(texts):
            return None
        for text, drawn in zip(texts, draw.distinct(possible, len(texts)), strict=True):
            made, number = list(text), drawn
            for place, radix in places:
                number, at = divmod(number, radix)
                letter = "A" if text[place].isupper() else "a"
                made[place] = str(at + 10 - radix) if radix <= 10 else chr(ord(letter) + at)
            found[text] = "".join(made)
    return found


def _drawn_places(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The places that are drawn in texts of one shape, and of how many characters each.

    A number keeps its length: its first digit is no zero unless that of one of the texts is.
    """
    one = texts[0]
    for at, c in enumerate(one):
        if c.isdigit():
            lead = at == 0 or not one[at - 1].isdigit()
            yield at, 9 if lead and all(text[at] != "0" for text in texts) else 10
        elif c.isalpha():
            yield at, 26


def _names(known: Sequence[str], draw: _Draws) -> dict[str, str] | None:
    """For each text invented words; None where no free one is found."""
    taken: set[str] = set()
    found: dict[str, str] = {}
    for text in known:
        free = (_name(text, draw) for _ in range(TRIES))
        made = next((made for made in free if made.lower() not in taken), None)
        if made is None:
            return None
        taken.add(made.lower())
        found[text] = made
    return found


def _name(text: str, draw: _Draws) -> str:
    def invented(found: re.Match[str]) -> str:
        old = found[0]
        if len(old) == 1:
            made = chr(ord("a") + draw.below(26))
            return made.upper() if old.isupper() else made
        return _cased(old)(_syllables(draw))

    drawn = _WORD.sub(invented, text)
    return re.sub(r"\d", lambda _: str(draw.below(10)), drawn)


def _syllables(draw: _Draws) -> str:
    count = 2 + (draw.below(3) == 0)
    parts = [draw.of(_ONSETS) + draw.of(_VOWELS) for _ in range(count)]
    return "".join(parts) + draw.of(_CODAS)


def _cased(old: str) -> Callable[[str], str]:
    if old.isupper():
        return str.upper
    return str.capitalize if old[0].isupper() else str.lower
