"""What the questions of forms ask, in the languages that these have: where do you live?

A question has many words, of which one of the vocabulary says little: *how do you feel about your
city?* asks for what somebody thinks. So questions are read as a whole.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from indistinct.analytics.profile.names import words
from indistinct.word_lists import lists_of

_FEWEST_WORDS = 2
_NUMBER = re.compile(r"^\s*[A-Za-z]{0,2}\d{1,3}[A-Za-z]?\d?[.):]?\s")
"""What a question is numbered by: Q1a, 12., F3b."""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns of every concept, in the order in which they are looked for."""
    return tuple(
        (concept, re.compile(line.strip().replace(" ... ", r" (?:\w+ ){0,4}")))
        for concept, text in lists_of(__file__).items()
        for line in text.strip().splitlines()
    )


@lru_cache(maxsize=4096)
def asked_for(name: str) -> tuple[str, str] | None:
    """The concept that a question asks for, and the words that say so.

    >>> asked_for("3. Where do you live?"), asked_for("How do you feel about where you live?")
    (('place', 'where do you live'), ('opinion', 'how do you feel'))
    >>> asked_for("¿Con quién vives?"), asked_for("live birth") is None
    (('family', 'con quien vives'), True)
    """
    parts = [word for word in words(_NUMBER.sub("", name)) if not word.isdigit()]
    if len(parts) < _FEWEST_WORDS:
        return None
    asked = " ".join(parts)
    for concept, pattern in _patterns():
        if found := pattern.search(asked):
            return concept, found[0]
    return None
