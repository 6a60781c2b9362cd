"""Identifiers replaced by made-up ones of the same kind: names by names, codes by codes.

The same value gets the same replacement everywhere in its column, and no other value gets it. None
is a value of the column, and no word of a made-up name is a word of one, so that nobody is taken
for somebody else of the table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
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
            every letter and digit becomes another, and the rest stays; ``"auto"``: names where most
            texts have words and no digits.
        random: draws the texts, for the values in sorted order.
        name: of the column, for messages.

    Raises:
        DataError: there are not enough texts of that form that are not values themselves.
    """
    known = sorted(set(texts))
    chosen = _style_of(known, style)
    words = {word.lower() for text in known for word in _WORD.findall(text) if len(word) > 2}
    taken = {text.lower() for text in known}
    found: dict[str, str] = {}
    draw = _Draws(random)
    for text in known:
        for _ in range(TRIES):
            made = _name(text, words, draw) if chosen == "name" else _code(text, draw)
            if made.lower() not in taken:
                taken.add(made.lower())
                found[text] = made
                break
        else:
            raise DataError(
                "no-replacement",
                f"there are too few {chosen}s of the form that the values have, and too many "
                "of them are values themselves",
                attribute=name or None,
                remedy='choose the other style ("name" or "code"), or pseudonymize',
            )
    return found


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
        DataError: the column holds dates or fractions, or there are too few replacements.
    """
    if not (dtype.is_integer() or dtype in (pl.String, pl.Categorical, pl.Enum)):
        raise DataError(
            "not-replaceable",
            "only texts and whole numbers are replaced by made-up ones",
            attribute=column.name,
            remedy="shift dates, and leave out other identifiers",
        )
    known = column.drop_nulls().unique().to_list()
    if dtype.is_integer():
        style = "code"
    made = mapped(column, replacements(known, style=style, random=random, name=column.name))
    if not dtype.is_integer():
        return made
    narrow = made.cast(dtype, strict=False)
    return narrow if narrow.null_count() == made.null_count() else made.cast(pl.Int64)


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


def _form(text: str, *, words: bool) -> str:
    """What a replacement keeps: capitals, digits and signs; of words not how long they are.

    >>> _form("Anna-Lea 7", words=True), _form("K-01", words=False)
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


def _are_names(texts: Sequence[str]) -> bool:
    plain = sum(not any(c.isdigit() for c in text) and len(text) > 2 for text in texts)
    worded = sum(any(len(word) > 2 for word in _WORD.findall(text)) for text in texts)
    cased = sum(text != text.upper() for text in texts)
    return bool(texts) and 2 * min(plain, worded, cased) > len(texts)


def _code(text: str, draw: _Draws) -> str:
    made = []
    for at, c in enumerate(text):
        if c.isdigit():
            # A number keeps its length: its first digit is no zero unless it was one.
            lead = at == 0 or not text[at - 1].isdigit()
            made.append(str(1 + draw.below(9)) if lead and c != "0" else str(draw.below(10)))
        elif c.isalpha():
            letter = chr(ord("a") + draw.below(26))
            made.append(letter.upper() if c.isupper() else letter)
        else:
            made.append(c)
    return "".join(made)


def _name(text: str, words: set[str], draw: _Draws) -> str:
    def invented(found: re.Match[str]) -> str:
        old = found[0]
        if len(old) == 1:
            made = chr(ord("a") + draw.below(26))
            return made.upper() if old.isupper() else made
        for _ in range(TRIES):
            made = _syllables(draw)
            if made not in words:
                break
        return _cased(old)(made)

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
