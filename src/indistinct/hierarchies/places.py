"""States of the United States and countries: how they are written, and what they belong to.

Divisions and regions of states are those of the United States Census Bureau; regions of countries
those of the United Nations (M49, "Standard country or area codes for statistical use"), codes those
of ISO 3166-1.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from indistinct.word_lists import lists_of


class Place(NamedTuple):
    """What a state or country belongs to."""

    name: str
    group: str
    region: str


def _plain(text: str) -> str:
    """A name without accents, blanks, signs and capitals.

    >>> _plain("Côte-d'Ivoire")
    'cotedivoire'
    """
    letters = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^a-z]", "", letters.encode("ascii", "ignore").decode().lower())


@cache
def _known(kind: str) -> dict[str, Place]:
    """Every way of writing a place, by :func:`_plain`."""
    lines = lists_of(__file__)[kind].replace("\n ", " ").splitlines()
    found: dict[str, Place] = {}
    for line in lines:
        home, _, members = line.partition(": ")
        group, _, region = home.partition("/")
        for member in members.split(", "):
            parts = member.split(" ")
            codes = [part for part in parts[:2] if part.isupper() and len(part) in (2, 3)]
            names = " ".join(parts[len(codes) :]).split("|")
            place = Place(names[0], group, region)
            found |= dict.fromkeys(map(_plain, (*codes, *names)), place)
    return found


def place_of(kind: str, text: str) -> Place | None:
    """The state or country that a text names, by its code or its name.

    >>> place_of("us-state", "MA")
    Place(name='Massachusetts', group='New England', region='Northeast')
    >>> place_of("country", "south korea") == place_of("country", "KOR")
    True
    >>> place_of("country", "S701x1015") is None
    True
    """
    return None if re.search(r"\d", text) else _known(kind).get(_plain(text))
