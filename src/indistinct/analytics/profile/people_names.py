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


def are_names_of_people(texts: pl.Series) -> bool:
    """Whether every eighth text holds one of the most frequent names, and several of these occur.

    Arguments:
        texts: different texts, each once.


    >>> are_names_of_people(pl.Series(["blood", "urine", "liver"]))
    False
    """
    seen: set[str] = set()
    names, of_no_people, held = _words("names"), _words("of_no_people"), 0
    for text in texts.to_list():
        parts = all_words(text)
        if len(parts) > _MOST_WORDS or not of_no_people.isdisjoint(parts):
            continue
        known = names.intersection(parts)
        seen |= known
        held += bool(known)
    return len(seen) >= _KINDS and held >= _SHARE * len(texts)
