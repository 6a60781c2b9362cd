"""Whether texts are names of people, told by the names that most people have.

A few hundred given and family names are those of a sixth of the different names, or more, in most
lists of people that are written in Latin letters. Towns, counties and hospitals are called after
people too, but hardly one in twenty by such a name.
"""

from __future__ import annotations

from functools import cache

import polars as pl

from indistinct.analytics.profile.names import all_words
from indistinct.word_lists import lists_of


@cache
def _words(key: str) -> frozenset[str]:
    text: str = lists_of(__file__)[key]
    return frozenset(text.split())


_SHARE = 0.12
_KINDS = 8
_MOST_WORDS = 6

_PLAIN_SHARE = 0.5
_PLAIN_KINDS = 4
"""Of few texts, and of those whose name speaks of places, half have to hold such a name."""


def are_names_of_people(texts: pl.Series, *, plainly: bool = False) -> bool:
    """Whether every eighth text holds one of the most frequent names, and several of these occur.

    Arguments:
        texts: different texts, each once.
        plainly: whether half of them have to, as where they are few or are called a place.

    >>> are_names_of_people(pl.Series(["blood", "urine", "liver"]))
    False
    >>> are_names_of_people(pl.Series(["Ana", "Luis", "Carlos", "Marta"]), plainly=True)
    True
    """
    seen: set[str] = set()
    names, of_no_people, held = _words("names"), _words("of_no_people"), 0
    names -= _words("words_too") if plainly else frozenset()
    for text in texts.to_list():
        parts = all_words(text)
        if len(parts) > _MOST_WORDS or not of_no_people.isdisjoint(parts):
            continue
        known = names.intersection(parts)
        seen |= known
        held += bool(known)
    kinds, share = (_PLAIN_KINDS, _PLAIN_SHARE) if plainly else (_KINDS, _SHARE)
    return len(seen) >= kinds and held >= share * len(texts)
