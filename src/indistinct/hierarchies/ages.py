"""Ages as people write them, in years: 45, 3 months, 2 y 6 m, 90+, <1."""

from __future__ import annotations

import re
import unicodedata

from indistinct.hierarchies.decimals import Scaled

_UNITS = {
    "y": "y yr yrs yo year years a an ans annee annees ano anos anni anno jahr jahre j jaar"
    " lat let ar",
    "m": "m mo mos mon mth mths month months mois mes meses mese mesi monat monate maand maanden",
    "w": "w wk wks week weeks semana semanas sem semaine semaines woche wochen settimana settimane"
    " weken",
    "d": "d day days dia dias jour jours tag tage dag dagen giorno giorni",
}
UNIT_OF = {word: unit for unit, words in _UNITS.items() for word in words.split()}
"""Of each word for a unit of ages, without accents, the letter that stands for it."""
_OF_A_YEAR = {"y": (1, 1), "m": (1, 12), "w": (7, 365), "d": (1, 365)}
_AGE = re.compile(
    r"(?:[<>≤≥]=?|under|over|below|above|less than|more than)? ?(\d{1,3})(?:[.,](\d{1,2}))? ?"
    r"([a-z]*)\.?(?: ?(?:and|und|et|y|e|,)? ?(\d{1,2}) ?([a-z]+)\.?)?"
    r" ?(?:\+|old|of age|and (?:over|above|older)|or (?:more|older|above)|plus)?"
)
_PLACES = 3


def in_years(text: str) -> Scaled | None:
    """The age in years that a text says, to the thousandth below; None where it says no single one.

    >>> in_years("45"), in_years("18 months"), in_years("90+"), in_years("40-49")
    ((45000, 3), (1500, 3), (90000, 3), None)
    """
    letters = unicodedata.normalize("NFKD", text.strip().lower().replace("/", ""))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    found = _AGE.fullmatch(plain)
    if not found:
        return None
    whole, part, first, more, second = found.groups()
    parts = [(int(whole + (part or "")), len(part or ""), first or "y")]
    parts += [(int(more), 0, second)] if more else []
    if not all(word in UNIT_OF for _, _, word in parts):
        return None
    total = 0
    for number, places, word in parts:
        times, share = _OF_A_YEAR[UNIT_OF[word]]
        total += number * times * 10**_PLACES // (share * 10**places)
    return total, _PLACES
