"""Words of other languages in Latin letters that columns are called by, and what they are about.

Portuguese, Spanish, Catalan, French, Italian, Romanian; Dutch and the Scandinavian languages;
Polish and Czech; Turkish; Indonesian and Malay; Vietnamese; Finnish; Swahili. All are written
without accents. German is with English in :mod:`indistinct.analytics.profile.concepts`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from indistinct.analytics.profile.names import words
from indistinct.word_lists import lists_of

_LONG = 4
_SENTENCE = 5
"""Longer names are questions, of which no word says what the answers are about."""


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for concept, text in lists_of(__file__).items():
        for word in text.split():
            found.setdefault(word.replace("_", ""), concept)
    return found


@lru_cache(maxsize=4096)
def in_other_tongues(name: str) -> tuple[str, str] | None:
    """The concept that a name in another language speaks of, and the word that says so.

    The first word counts, as in most of these languages what a name is about stands first. A word
    of three letters or fewer has to be the whole name, but for numbers; questions say nothing.

    >>> in_other_tongues("usia bulan"), in_other_tongues("Municipio_residencia")
    (('age', 'usia'), ('place', 'municipio'))
    >>> in_other_tongues("cp"), in_other_tongues("cp_type") is None
    (('place', 'cp'), True)
    >>> in_other_tongues("Opleidingsniveau")
    ('education', 'opleiding')
    >>> in_other_tongues("Cinsiyetiniz"), in_other_tongues("provisional") is None
    (('sex', 'cinsiyet'), True)
    """
    parts = [word for word in words(name) if not word.isdigit()]
    if len(parts) > _SENTENCE:
        return None
    if carried := next((part for part in parts if part.startswith(_CARRIED)), None):
        return "health", carried
    table = _table()
    whole = "".join(parts)
    if whole in table:
        return table[whole], whole
    core = [part for part in parts if part not in _ARTICLES]
    pairs = ["".join(pair) for pair in (*pairwise(parts), *pairwise(core))]
    long = [part for part in parts if len(part) >= _LONG]
    for word in (*pairs, *long):
        if word in table:
            return table[word], word
    return next(filter(None, map(_inflected, (*pairs, *long))), None)


_CARRIED = ("gestac", "gestaz", "gestat")
"""How words begin for a pregnancy, of which an age or a week is neither one of life nor a time."""

_ARTICLES = frozenset(
    ("d", "de", "da", "do", "das", "dos", "del", "della", "dello", "di", "du", "des", "l", "la",
     "le", "ya", "van", "der")
)  # fmt: skip
"""Words between the two of a phrase: tipo_de_familia, fascia_di_eta."""

_STEM = 6
_ENDING = 5
"""Letters of a word that is inflected, at least, and of its ending, at most: cinsiyet-iniz."""


def _inflected(word: str) -> tuple[str, str] | None:
    """The concept of the longest word of the vocabulary that this one begins with."""
    for end in range(len(word) - 1, _STEM - 1, -1):
        rest = word[end:]
        if (told := _table().get(word[:end])) and (len(rest) <= _ENDING or rest in _COMPOUND):
            return told, word[:end]
    return None


_COMPOUND = frozenset(
    f"{between}{noun}"
    for between in ("", "s", "en")
    for noun in (
        "niveau", "stand", "status", "groep", "gruppe", "klasse", "nummer", "soort", "plaats",
        "datum", "kategorie", "categorie", "richting", "richtung", "gebied", "gebiet", "sector",
    )
)  # fmt: skip
"""Last words of compounds in Dutch and German, which say nothing by themselves."""
