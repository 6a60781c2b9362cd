"""Names of columns that are written together from short forms, as health registers do.

``CODMUNRES`` is cod + mun + res, the code of the municipality of residence; ``DTNASC`` a date of
birth; ``ESCMAE`` the schooling of the mother. A name is read so only if all of it is made of known
parts, and at least one of them says what the column is about. The forms are those of the health
registers of Brazil, Spanish and French speaking countries, Germany, and of surveys in English.
"""

from __future__ import annotations

from functools import cache, lru_cache

from indistinct.analytics.profile.names import words
from indistinct.word_lists import lists_of


@cache
def _concepts() -> dict[str, str | None]:
    """The concept of every known form; None of those that say nothing by themselves."""
    lists = lists_of(__file__)
    told = {part: name for name, parts in lists["about"].items() for part in parts.split()}
    return {**dict.fromkeys(lists["beside"].split()), **told}


_FIRST_OF_DATES = frozenset(
    ["dia", "dias", "dt", "dat", "data", "date", "fec", "fch", "fecha", "datum"]
)


def abbreviated(name: str) -> tuple[str, str] | None:
    """The concept that a name of short forms speaks of, and the form that says so.

    The first form counts, as in Romance languages, unless it is that of a date.

    >>> abbreviated("CODMUNRES"), abbreviated("ESCMAE2010")
    (('place', 'mun'), ('education', 'esc'))
    >>> abbreviated("EDADM"), abbreviated("COD_MUN_O")
    (('age', 'edad'), ('place', 'mun'))
    >>> abbreviated("DTNASC"), abbreviated("command") is None
    (('birth', 'nasc'), True)
    """
    parts: list[str] = []
    for word in words(name):
        if word.isdigit() or (len(word) == 1 and word != words(name)[0]):
            continue
        taken = _parts(word) or _of_one(word)
        if word.endswith(_NOUNS) and word not in _concepts() and not word.startswith(_NOUNS):
            return None
        if taken is None or (word.capitalize() in name and _is_chance(taken)):
            return None
        parts += taken
    concept_of = _concepts()
    about = [(about_what, part) for part in parts if (about_what := concept_of[part]) is not None]
    births = [told for told in about if told[0] == "birth"]
    if about and about[0][1] in _FIRST_OF_DATES and births:
        about = births
    return about[0] if about else None


_NOUNS = ("idad", "idade")
"""How nouns for a quality end, which are no short forms: compacidad is not com, pac and idad."""

_ONE = 5


def _of_one(word: str) -> tuple[str, ...] | None:
    """The parts of a word of which the last letter says whose it is: EDADM is of the mother."""
    last = word[-1] in "mphf" and len(word) >= _ONE
    return _parts(word[:-1]) if last else None


_LONG = 3


def _is_chance(parts: tuple[str, ...]) -> bool:
    """Whether a written word is made of known forms by chance, as Resistin of resi, st and in."""
    long = sum(len(part) for part in parts if len(part) >= _LONG)
    return len(parts) >= _LONG and 2 * long <= sum(map(len, parts))


@lru_cache(maxsize=4096)
def _parts(word: str) -> tuple[str, ...] | None:
    """The fewest known parts that a word is written together from; None if there are none."""
    best: list[tuple[str, ...] | None] = [()]
    known = _concepts()
    longest = max(map(len, known))
    for end in range(1, len(word) + 1):
        found = None
        for start in range(max(0, end - longest), end):
            before, part = best[start], word[start:end]
            if (
                before is not None
                and part in known
                and (found is None or len(before) + 1 < len(found))
            ):
                found = (*before, part)
        best.append(found)
    return best[-1]
