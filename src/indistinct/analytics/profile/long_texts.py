"""Texts that cannot be recoded: sentences, streets and addresses; and lists of terms."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indistinct.analytics.profile.concepts import FREE_TEXT, concept_of
from indistinct.analytics.profile.contents import MOST, NEARLY_ALL
from indistinct.analytics.profile.names import names_one_of
from indistinct.analytics.profile.neighbours import FEW, RARE
from indistinct.analytics.profile.record_numbers import FEW_RECORDS, PER_PLACE
from indistinct.analytics.profile.safe_harbor import IS_A_POINT, POINTS, Tag, names_a_doorstep
from indistinct.analytics.profile.values import Values


def is_doorstep(column: str, values: Values, tags: Iterable[Tag]) -> bool:
    """Whether the column holds places as small as a street or a point on the map.

    A few values that many records share are none, despite the name: U and R for addresses.

    Arguments:
        column: the name of the column.
        values: its values.
        tags: the kinds of identifiers that it may be.
    """
    if _are_addresses(values) or _are_streets(values):
        return True
    places = [tag for tag in tags if tag.kind.name == "places"]
    shared = values.distinct <= FEW and PER_PLACE * values.distinct <= values.filled
    named = names_a_doorstep(column) and not (
        (shared and values.kind == "text") or _are_years_there(values)
    )
    shown = ("street addresses", POINTS, IS_A_POINT)
    return bool(places) and (named or any(one in tag.why for tag in places for one in shown))


_LONGEST = 100


def _are_years_there(values: Values) -> bool:
    """Whether whole numbers could be years that somebody lives at an address: 0, 1, 2 and so on."""
    if values.kind != "integer" or values.numbers is None or RARE * values.distinct > values.filled:
        return False
    low, high = values.numbers.min(), values.numbers.max()
    return low == 0 and isinstance(high, float) and high <= _LONGEST


_ADDRESS = (
    r"^\s*\d{1,6}[A-Za-z]?,? +\pL[^,]* [^,]*, *\pL|^\pL[^,\d]* \d{1,4} ?[A-Za-z]?, *\d{4,6} +\pL"
)
"""A number, a street of two words and a town, or a street, a number and a town."""

_STREETS = (
    r"(?i)^(rua|avenida|av|travessa|estrada|rodovia|alameda|calle|carrera|rue|boulevard|chemin"
    r"|impasse|viale|piazza|jalan|ulica|prospekt)\b[. ]"
    r"|\b(street|road|avenue|lane|boulevard)\.?$|(stra(ß|ss)e|straat|laan|gasse)$"
)


def _are_streets(values: Values) -> bool:
    """Whether most values are names of many streets, in one of several languages."""
    if values.kind != "text" or values.distinct < FEW_RECORDS:
        return False
    share = values.sample.str.strip_chars().str.contains(_STREETS).mean()
    return isinstance(share, float) and share >= MOST


def _are_addresses(values: Values) -> bool:
    """Whether most values are written as the address of a house, and hardly one repeats."""
    if values.kind != "text" or values.filled < FEW_RECORDS:
        return False
    if values.distinct < 0.9 * values.filled:
        return False
    share = values.sample.str.contains(_ADDRESS).mean()
    return isinstance(share, float) and share >= NEARLY_ALL / 2


_NAMED_AT_LENGTH = ("place", "stay", "travel", "vehicle", "nationality", "education", "occupation")
"""What columns are about of which names have many words: a faculty of humanities."""

_SENTENCE_LETTERS = 20
_SENTENCE_BLANKS = 3
_NOTE_LETTERS = 12
_LINKS = 0.1


def is_free_text(column: str, values: Values) -> bool:
    """Whether people wrote sentences here: long, with many blanks, and hardly two alike."""
    if values.kind != "text" or values.distinct < 3:
        return False
    form = values.form
    if form.links >= _LINKS:
        return True
    if are_lists(values):
        return False
    named = names_one_of(column, FREE_TEXT) is not None
    letters, blanks = form.letters, form.blanks
    varied = values.distinct * 5 >= values.filled
    about = concept_of(column)
    if about and about[0].name in _NAMED_AT_LENGTH:
        return varied and letters >= 2 * _SENTENCE_LETTERS
    asked = about is not None and about[0].name == "opinion"
    if asked and 2 * values.distinct >= values.filled >= FEW_RECORDS:
        return blanks >= 1
    if named:
        return blanks >= 1 and letters >= _NOTE_LETTERS and (varied or values.distinct > 20)
    long = letters >= 3 * _SENTENCE_LETTERS and values.distinct > 20
    return (varied or long) and letters >= _SENTENCE_LETTERS and blanks >= _SENTENCE_BLANKS


_BETWEEN = re.compile(r"\s*[,;|+]\s*")
_OFTEN = 3
_TERM = 4
MOST_TERMS = 0.8
"""Of lists, so many parts have so few words; of sentences with commas, fewer."""


def are_lists(values: Values) -> bool:
    """Whether texts are lists of a few terms, each of which stands in several."""
    parts = [part for text in values.sample.to_list() for part in _BETWEEN.split(text)]
    several = 2 * len(parts) >= 3 * len(values.sample)
    terms = sum(len(part.split()) <= _TERM for part in parts)
    return several and len(parts) >= _OFTEN * len(set(parts)) and terms >= MOST_TERMS * len(parts)
