"""What a column is about, as far as its name tells, and which role that suggests.

A quasi-identifier is what other people know or can see of a person: age, sex, home, family, school
and work, dates of events. Sensitive is what would harm a person who is found: illness, treatment,
substances, money. The vocabulary is English, with some words of German and of Romance languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

from indistinct.analytics.profile.abbreviations import abbreviated
from indistinct.analytics.profile.names import (
    NO_AGE,
    apart,
    is_one_of,
    names_one_of,
    starts_with_one_of,
    words,
)
from indistinct.analytics.profile.questions import asked_for
from indistinct.analytics.profile.tongues import in_other_tongues
from indistinct.frozen import dataclass
from indistinct.types import Plain
from indistinct.word_lists import listed, lists_of

Role = Literal["identifier", "quasi-identifier", "sensitive", "insensitive"]


@dataclass(frozen=True)
class Concept:
    """Something that columns are often about.

    A name speaks of it when it is one of the words in ``whole`` (beside those that say nothing),
    holds one of the words in ``anywhere``, ends with one of ``last``, or has a word that begins
    with one of ``stems`` or ends with one of ``endings``, and has no word of ``unless``.
    ``measured`` says that its numbers are quantities, which may be put into intervals, rather than
    codes.
    """

    name: str
    role: Role
    why: str
    whole: tuple[str, ...] = ()
    anywhere: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    measured: bool = False


@dataclass(frozen=True)
class _Vocabulary:
    """What columns are about, the words that say nothing of it, and all words of the concepts.

    The first concept that a name speaks of counts.
    """

    concepts: tuple[Concept, ...]
    beside: tuple[str, ...]
    words: tuple[str, ...]


def _concept(keys: Plain) -> Concept:
    told: Plain = {
        key: own if key in ("name", "role", "why", "measured") else listed(own)
        for key, own in keys.items()
    }
    return Concept(**told)


@cache
def _vocabulary() -> _Vocabulary:
    lists = lists_of(__file__)
    concepts = tuple(map(_concept, lists["concepts"]))
    words = {word for one in concepts for word in (*one.whole, *one.anywhere)}
    return _Vocabulary(concepts, listed(lists["beside"]), tuple(words))


_MONEY_FIRST = (
    "healthcare expenses", "healthcare coverage", "health insurance", "insurance provider",
    "insurance company",
)  # fmt: skip

_WHEN = re.compile(r"(year|month|week|quarter|day|date) of \w")
_OF_A_LIFE = ("birth", "death", "life", "age", "pregnancy", "gestation", "cycle", "illness")
"""When something happened is known of any event; a week of pregnancy is none of the year."""

_MOMENTS = ("wave", "season", "datetime", "timestamp")
"""Last words of names that speak of a time, whatever stands before them: covid_wave."""

FREE_TEXT = (
    "additional info", "info", "information", "details", "explanation",
    "comment", "comments", "note", "notes", "remark", "remarks", "free text", "narrative",
    "summary", "anamnesis", "letter", "report", "history", "bemerkung", "bemerkungen", "notiz",
    "kommentar", "freitext", "befundtext", "arztbrief", "commentaire", "remarque", "observaciones",
    "comentario", "nota",
)  # fmt: skip
"""Words for columns of free text."""


@lru_cache(maxsize=8192)
def concept_of(name: str) -> tuple[Concept, str] | None:
    """What a column of that name is about, and the word that says so.

    >>> concept, word = concept_of("MaritalStatus")
    >>> concept.name, concept.role, word
    ('family', 'quasi-identifier', 'marital status')
    """
    if word := names_one_of(name, _MONEY_FIRST) or _earned_by_a_relative(name):
        return concept_named("money"), word
    if asked := asked_for(name):
        return concept_named(asked[0]), asked[1]
    if _is_a_rate(name):
        counted = _concept_of(name)
        return None if counted and counted[0].name == "time" else counted
    if _WHEN.match(" ".join(words(name))) and not names_one_of(name, _OF_A_LIFE):
        return concept_named("time"), words(name)[0]
    if _PART_OF_A_DATE.fullmatch(name.lower()):
        return concept_named("time"), _PART_OF_A_DATE.sub(r"\1", name.lower())
    if _ends_with_a_moment(name):
        return concept_named("time"), words(name)[-1]
    if counted := _of_a_household(name) or _grade_of_a_parent(name):
        return counted
    stem = _stem(name)
    found = _of_somebody(name) or _concept_of(name) or (_concept_of(stem) if stem != name else None)
    if found is None and (told := in_other_tongues(name)):
        return concept_named(told[0]), told[1]
    found = found or _of_a_wave(name) or _of_a_parent(name)
    found = found or _of_a_kind(name) or _glued(name) or _without_vowels(name)
    if found is None and re.fullmatch(r"[nld][a-z]{3,}\d*", name):
        # ndisease is a number of diseases, lwage76 the logarithm of a wage, dkids a 0 or 1.
        found = _concept_of(name[1:])
    found = found or _nearly_whole(name)
    if found is None and (short := abbreviated(name)):
        return concept_named(short[0]), short[1]
    if found is None and (head := _OF_THE_BASELINE.fullmatch(name)):
        return concept_of(head[1])
    return found or _begun(name) or _cut_short(name) or _compound(name) or _of_known_words(name)


_EARNED = (
    "income", "wage", "wages", "salary", "earnings", "worth", "ingreso", "ingresos", "sueldo",
    "salario", "renda", "revenu", "revenus", "salaire", "einkommen", "gehalt", "reddito",
)  # fmt: skip


def _earned_by_a_relative(name: str) -> str | None:
    """The word for money in a name that says whose it is as well, and nothing that groups it.

    >>> _earned_by_a_relative("spouse_wage_sal"), _earned_by_a_relative("income_group_area")
    ('wage', None)
    """
    parts = words(name)
    own = next((word for word in parts if word in _EARNED), None)
    whose = not _RELATIVES.isdisjoint(parts) or any(one.startswith("famil") for one in parts)
    return own if whose and len(parts) < _QUESTION else None


_RELATIVES = frozenset(
    ("spouse", "spouses", "husband", "husbands", "wife", "wifes", "partner", "parent", "parents",
     "parental", "mother", "mothers", "father", "fathers", "mom", "dad", "hh", "household", "hogar",
     "conyuge", "conjuge", "conjoint", "menage", "foyer", "haushalt", "padre", "madre", "pai",
     "mae")
)  # fmt: skip

_COUNTS = frozenset(("num", "number", "no", "n", "nb", "nbr", "nr", "count", "total", "tot", "how"))
_OF_A_HOUSEHOLD = frozenset(
    ("hh", "household", "child", "children", "kids", "adults", "persons", "people", "members",
     "siblings", "brothers", "sisters", "dependents", "hogar", "personas", "menores", "hijos",
     "pessoas", "filhos", "enfants", "personnes", "menage", "foyer", "kinder", "personen",
     "haushalt", "figli", "dzieci")
)  # fmt: skip
_BESIDE_A_COUNT = frozenset(
    ("of", "in", "at", "the", "de", "en", "el", "hogar", "au", "im", "bio", "res", "nonres", "home",
     "house", "living", "under", "over", "above", "below", "age", "aged", "younger", "older", "u",
     "years", "yrs", "and", "many", "mayores", "menores", "do", "no", "du", "unter")
)  # fmt: skip


def _of_a_household(name: str) -> tuple[Concept, str] | None:
    """The people of a household whom a name counts, by their age or by whose they are.

    >>> _of_a_household("num_hh_under_18")[1], _of_a_household("people_tested_total") is None
    ('hh', True)
    >>> _of_a_household("hh_under5")[1], _of_a_household("hh_id") is None
    ('hh', True)
    """
    parts = [word for word in words(name) if not word.isdigit()]
    whom = next((word for word in parts if word in _OF_A_HOUSEHOLD), None)
    several = len(_OF_A_HOUSEHOLD.intersection(parts)) > 1
    aged = len(parts) < len(words(name)) and not _BY_AGE.isdisjoint(parts)
    counted = several or aged or (len(parts) > 1 and parts[0] in _COUNTS)
    known = (_COUNTS | _OF_A_HOUSEHOLD | _BESIDE_A_COUNT).issuperset(parts)
    return (concept_named("family"), whom) if whom and counted and known else None


_BY_AGE = frozenset(
    ("under", "over", "above", "below", "u", "younger", "older", "menores", "mayores", "unter")
)

_FIRST = 4
"""Letters of a short form that stands before other words, at least."""


def _begun(name: str) -> tuple[Concept, str] | None:
    """What others know that a name begins with in short, as Romance languages have it.

    The other words are about nothing, or about something that others know as well.

    >>> concept, word = _begun("ocup_forca")
    >>> concept.name, word, _begun("local_recurrence") is None
    ('occupation', 'ocup', True)
    """
    first, *others = words(name) or ("",)
    if len(first) < _FIRST or not 0 < len(others) < _QUESTION:
        return None
    short = abbreviated(first)
    if short is None or short[1] != first:
        return None
    rest = concept_of(" ".join(others))
    about = concept_named(short[0])
    known = about.role == "quasi-identifier" and about.name not in ("time", "stay")
    return (about, first) if known and (rest is None or rest[0].role == about.role) else None


_OF_COMPOUNDS = (
    "age", "sex", "job", "zip", "edu", "occ", "sch", "dist", "prov", "reg", "fam", "res", "liv",
    "rel", "arr", "resp", "hh", "lt", "gt", "yrs", "num", "tot", "par", "kid", "kids", "us",
    "mar", "marr", "educ", "occup", "empl", "neigh", "head", "home", "house", "own", "first",
    "last", "each", "sz", "work", "wrk", "hrs", "wk", "size", "hosp",
)  # fmt: skip
"""Short parts of compounds, beside the words of the vocabulary that are long enough."""

_ARTICLES = frozenset(("at", "in", "of", "the", "der", "du", "de", "la", "del", "des", "is", "no"))


@cache
def _parts_of_compounds() -> frozenset[str]:
    """Words that compounds are made of: those for what others know, and those that say nothing."""
    known = {
        word
        for one in _vocabulary().concepts
        if one.role == "quasi-identifier"
        for word in (*one.whole, *one.anywhere)
        if " " not in word and len(word) >= _SHORTEST_PART
    }
    return frozenset((*known, *_vocabulary().beside, *_OF_COMPOUNDS)) - _ARTICLES


_SHORTEST_PART = 4
_LONGEST_PART = 12


@lru_cache(maxsize=4096)
def _taken_apart(word: str) -> tuple[str, ...]:
    """The fewest known parts that a word is written together from; none if there are none."""
    best: list[tuple[str, ...] | None] = [()]
    for end in range(1, len(word) + 1):
        starts = range(max(0, end - _LONGEST_PART), end)
        found = [
            (*before, word[start:end])
            for start in starts
            if (before := best[start]) is not None
            and end - start > 1
            and word[start:end] in _parts_of_compounds()
        ]
        best.append(min(found, key=len, default=None))
    return best[-1] or ()


def _compound(name: str) -> tuple[Concept, str] | None:
    """What others know that a name is about of which all words are written together.

    >>> concept, word = _compound("schoolyrs")
    >>> concept.name, word, _compound("dosage") is None
    ('education', 'school', True)
    """
    parts = [
        (word,) if word.endswith((*NO_AGE, *_NOT_GLUED)) else _taken_apart(word) or (word,)
        for word in words(name)
    ]
    if all(len(part) == 1 for part in parts):
        return None
    told = concept_of(" ".join(word for part in parts for word in part))
    return told if told and told[0].role == "quasi-identifier" else None


def _of_known_words(name: str) -> tuple[Concept, str] | None:
    """What others know that a name is about of which every word is one for what others know.

    >>> concept, word = _of_known_words("work_experience_status")
    >>> concept.name, word, _of_known_words("work_load") is None
    ('occupation', 'experience', True)
    """
    parts = [word for word in words(name) if not word.isdigit()]
    about = [
        (concept, word)
        for word in parts
        for concept in _vocabulary().concepts
        if concept.role == "quasi-identifier" and word in (*concept.whole, *concept.anywhere)
    ]
    known = {word for _, word in about} | {*_vocabulary().beside}
    return about[-1] if about and known.issuperset(parts) else None


_PART_OF_A_DATE = re.compile("(year|month)(?!s|ly|born|age|end)[a-z]{1,4}")
"""Names such as yearfm: the year of something in short."""

_SOMEBODY = (
    "fallecido", "fallecida", "falecido", "falecida", "difunto", "difunta", "occiso", "occisa",
    "victima", "vitima", "deceased", "victim", "decede", "defunt",
)  # fmt: skip
"""Last words of names that say whose it is, and nothing of what it is: sexo_fallecido."""

_DEMOGRAPHY = re.compile(r"(dem|demo|demog|sociodem)_?\d+[a-z]?", re.IGNORECASE)


def _of_somebody(name: str) -> tuple[Concept, str] | None:
    """What others know that a name is about which ends with a word for somebody.

    So are the numbered questions of a part that is called demography.

    >>> _of_somebody("ultimo_ano_aprobado_fallecido")[0].name, _of_somebody("causa_difunto") is None
    ('education', True)
    """
    if _DEMOGRAPHY.fullmatch(name):
        return concept_named("family"), "demography"
    parts = words(name)
    if len(parts) < _PAIR or parts[-1] not in _SOMEBODY:
        return None
    told = concept_of(" ".join(parts[:-1]))
    return told if told and told[0].role == "quasi-identifier" else None


def _ends_with_a_moment(name: str) -> bool:
    """Whether the last word of a name is one for a time; the T wave of a heart is none.

    >>> _ends_with_a_moment("covid_wave"), _ends_with_a_moment("T wave")
    (True, False)
    """
    parts = words(name)
    return len(parts) > 1 and parts[-1] in _MOMENTS and len(parts[-2]) > 1


_COUNTED = (
    "hours", "minutes", "times", "units", "horas", "minutos", "veces", "vezes", "heures", "fois",
    "stunden", "ore", "uren",
)  # fmt: skip
_EACH = ("week", "month", "day", "semana", "semaine", "woche", "settimana", "mes", "mois", "dia")


def _is_a_rate(name: str) -> bool:
    """Whether a name speaks of how much there is in a week or a month, and of no moment.

    >>> _is_a_rate("horas_actividad_semana"), _is_a_rate("epi_week")
    (True, False)
    """
    parts = words(name)
    return bool(parts) and parts[-1] in _EACH and not set(parts).isdisjoint(_COUNTED)


def _concept_of(name: str) -> tuple[Concept, str] | None:
    parts, beside = [word for word in words(name) if not word.isdigit()], _vocabulary().beside
    while len(parts) > 1 and parts[-1] in beside:
        parts.pop()
    for concept in _vocabulary().concepts:
        if not set(parts).isdisjoint(concept.unless):
            continue
        word = is_one_of(name, concept.whole, beside) or names_one_of(name, concept.anywhere)
        if word is None and parts and parts[-1] in concept.last:
            word = parts[-1]
        if word:
            return concept, word
        asked = len(parts) >= _QUESTION
        stem = starts_with_one_of(name, concept.stems)
        if stem and not (asked and concept.name == "age"):  # ágeis is no age
            return concept, f"{stem}…"
        for ending in () if asked else concept.endings:
            if any(part.endswith(ending) and len(part) > max(4, len(ending)) for part in parts):
                return concept, f"…{ending}"
    return None


_OF_THE_BASELINE = re.compile("([A-Z]{3,})(?:BL|GR\\d)")
"""Names as trials have them for what was measured before the treatment, and for groups: HGTBL."""

_LEAST_OF_A_KIND = 3


def _of_a_kind(name: str) -> tuple[Concept, str] | None:
    """What a name is about that is written together with a word that says nothing: jobclass."""
    beside = tuple(word for word in _vocabulary().beside if len(word) > _LEAST_OF_A_KIND)
    for part in words(name):
        for end in beside:
            rest = part.removesuffix(end)
            if rest == part or len(rest) < _LEAST_OF_A_KIND:
                continue
            told = in_other_tongues(rest)
            if told and concept_named(told[0]).role == "quasi-identifier":
                return concept_named(told[0]), told[1]
            for concept in _vocabulary().concepts:
                known = (*concept.whole, *concept.anywhere)
                if concept.role == "quasi-identifier" and rest in known:
                    return concept, rest
            if end == "code" and (short := _cut_short(rest)):
                return short
    return None


_PAIR = 2
_LEAST_CUT = 4
"""Letters of a word that is cut short; of the words of a phrase, one fewer."""

_MOST_CUT = 7
_WHOLE_WORDS = frozenset(
    ("enum", "cent", "home", "kind", "labor", "inter", "const", "cast", "alter", "minor", "stat",
     "mont", "serv", "sess", "passe", "consul", "prec", "paris", "cabi", "race", "provide", "divi",
     "post", "comp", "complex", "equi", "indi", "mede", "inte", "sect", "cont", "contin", "disc",
     "orth", "ortho", "prot", "prote", "cath", "fresh", "tele", "pret", "sepa", "depe", "spor",
     "posi", "posit", "self", "prog", "progr", "care", "refe", "refer", "disp", "dest", "tran",
     "trans", "transf", "ambu", "spec", "speci", "prom", "cour", "singl", "trai", "train", "first",
     "atte", "attend", "resi", "plur", "perso", "super", "work", "shif", "term", "rank", "life")
)  # fmt: skip
"""Short words that are cut from others, or mean something by themselves."""

FOR = ", short for "


@cache
def _beginnings() -> dict[str, tuple[Concept, str] | None]:
    """What words and phrases of the vocabulary begin with, and the one concept that it is about.

    None stands where words of several concepts begin so.
    """
    found: dict[str, tuple[Concept, str] | None] = {}
    for concept in _vocabulary().concepts:
        for phrase in (*concept.whole, *concept.anywhere):
            for cut in _cuts(phrase):
                known = found.setdefault(cut, (concept, phrase))
                if known is not None and known[0] is not concept:
                    found[cut] = None
    return found


def _cuts(phrase: str) -> Iterator[str]:
    """What a word, or a phrase of two, can be cut short to."""
    parts = phrase.split()
    if len(parts) == 1:
        yield from (phrase[:end] for end in range(_LEAST_CUT, len(phrase)))
    elif len(parts) == _PAIR:
        first, second = ([part[:end] for end in range(3, len(part) + 1)] for part in parts)
        yield from (f"{one} {two}" for one in first[:-1] for two in second)


def _cut_short(name: str) -> tuple[Concept, str] | None:
    """What others know that a name is about which begins a word, or both words of a phrase.

    >>> concept, word = _cut_short("occu")
    >>> concept.name, word
    ('occupation', 'occu, short for occupation')
    >>> _cut_short("marSta")[0].name, _cut_short("cont") is None
    ('family', True)
    """
    parts = [word for word in words(name) if not word.isdigit()] or [""]
    found = _beginnings().get(" ".join(parts))
    if len("".join(parts)) > _MOST_CUT or parts[0] in _WHOLE_WORDS:
        return None
    if found is None or found[0].role != "quasi-identifier":
        return None
    if found[0].name == "place" and words(name)[-1].isdigit():
        return None  # pref_1 and pref_2 are no prefectures
    return found[0], f"{name}{FOR}{found[1]}"


_LEAST_WHOLE = 5
_LOST = 2


def _nearly_whole(name: str) -> tuple[Concept, str] | None:
    """What a word of the vocabulary is about of which a name lacks one or two letters: incom.

    >>> _nearly_whole("INCOM")[0].name, _nearly_whole("commun") is None
    ('money', True)
    """
    cut = "".join(word for word in words(name) if not word.isdigit())
    found = _beginnings().get(cut) if len(cut) >= _LEAST_WHOLE else None
    near = found is not None and len(found[1]) - len(cut) <= _LOST and cut not in _WHOLE_WORDS
    return (found[0], f"{name}{FOR}{found[1]}") if found and near else None


_OF_A_PARENT = re.compile(
    r"(?:(?i:mom|mum|dad|moth|fath|mother|father|parent|par|husb|hus|wife|spouse)([A-Za-z]{2,})"
    r"|[CFHMPWcfhmpw]([a-z]{3,}|[A-Z]{3,}))\d*"
)
_GRADES = ("grade", "gradecomp", "schooling", "degree", "diploma")


def _grade_of_a_parent(name: str) -> tuple[Concept, str] | None:
    """The schooling of a parent, whatever grade a name says: highgrade_bio_mom."""
    parts = words(name)
    own = next((word for word in parts if word.endswith(_GRADES)), None)
    return None if own is None or _PARENTS.isdisjoint(parts) else (concept_named("education"), own)


_PARENTS = frozenset(
    ("mother", "father", "mom", "mum", "dad", "parent", "parents", "maternal", "paternal", "spouse")
)

_OF_ONE = re.compile(r"(age|sex|race|educ|occup|edad|sexo)_?[bcfhmprw]", re.IGNORECASE)
"""Names that end with the letter of somebody: agec, sexc."""

_OF_PARENTS = ("education", "occupation", "ethnicity", "religion", "sex")


def _of_a_parent(name: str) -> tuple[Concept, str] | None:
    """What a name is about that begins with the letter of a relative: Medu, fjob, csex."""
    if own := _OF_ONE.fullmatch(name):
        return _concept_of(own[1])
    found = _OF_A_PARENT.fullmatch(name)
    if found is None:
        return None
    rest = (found[1] or found[2]).lower()
    short = abbreviated(rest)
    if found[1] and short and short[1] == rest and short[0] in _OF_PARENTS:
        return concept_named(short[0]), rest
    for concept in map(concept_named, _OF_PARENTS):
        if rest in (*concept.whole, *concept.anywhere, *concept.stems, *concept.endings):
            return concept, rest
    return None


_WAVE = re.compile(r"([A-Za-z].*)[._]([A-Za-z]{1,2}\d{1,2})", re.DOTALL)
_SECTION = re.compile(r"[A-Za-z][._]([A-Za-z].{3,})", re.DOTALL)


def _of_a_wave(name: str) -> tuple[Concept, str] | None:
    """What others know that is told of one wave, grade or visit, or in one section of a survey.

    >>> [_of_a_wave(name)[0].name for name in ("male_g6", "d_urban")], _of_a_wave("t_stage")
    (['sex', 'place'], None)
    """
    for match in (_WAVE.fullmatch(name), _SECTION.fullmatch(name)):
        told = _concept_of(match[1]) if match else None
        if match and told is None and (short := abbreviated(match[1])):
            told = concept_named(short[0]), short[1]
        if told and told[0].role == "quasi-identifier" and told[0].name != "time":  # a T wave
            return told
    return None


def _stem(name: str) -> str:
    """The name without an "id" that is written together with a word of the vocabulary: SITEID."""
    stem = name[:-2].lower()
    if name.lower().endswith("id") and any(
        stem in concept.whole for concept in _vocabulary().concepts
    ):
        return stem
    return apart(name)


def _without_vowels(name: str) -> tuple[Concept, str] | None:
    """What a name without vowels is about, such as ``fml`` and ``gndr``, if others can know it."""
    if not re.fullmatch("[b-df-hj-np-tv-z]{3,}", name.lower()) or len({*name.lower()}) < _PAIR:
        return None
    for concept in _vocabulary().concepts:
        for word in (*concept.whole, *concept.anywhere):
            known = concept.role == "quasi-identifier" and len(word) >= 5 and word.isalpha()
            known = known and (len(name) > _LEAST_OF_A_KIND or concept.name == "sex")
            inner = word[:1] + re.sub("[aeiou]", "", word[1:])
            if known and inner == name.lower():
                return concept, word
    return None


_LEAST_GLUED = 4
_BEFORE = 2
"""So many letters stand before a word of four, which many words end with: praca is no raca."""
_NOT_GLUED = (
    "discharge", "relation", "damage", "stillbirth", "stillbirths", "code", "bathroom", "bathrooms",
    "mushroom", "mushrooms", "homework", "housework", "network", "shift", "histgrad", "tract",
    "perimetro", "diametro", "parametro", "termometro", "kilometro",
    *(f"{one}s" for one in NO_AGE),
)  # fmt: skip
"""Words that mean something else, alone or behind others: Bewertungsrelation, autocorrelation."""

_NOUNS = (
    *(f"{vowel}{end}" for vowel in "aio" for end in ("city", "cidad", "lidad")),
    "edad", "edades", "idade", "idades",
)  # fmt: skip
"""How words for a quality end, which are no city and no age: toxicity, toxicidade, ansiedad."""

_QUESTION = 6
"""Names of so many words are questions, in which words that end like others say nothing."""


def _glued(name: str) -> tuple[Concept, str] | None:
    """What a name is about of which a word ends with one of the vocabulary: ``youngkids``."""
    parts = [
        part
        for part in words(name)
        if len(part) > _LEAST_GLUED
        and not part.endswith(_NOUNS)
        and part not in _vocabulary().words
    ]
    if len(words(name)) >= _QUESTION or not any(
        part.endswith(_vocabulary().words) for part in parts
    ):
        return None
    for concept in _vocabulary().concepts:
        for word in (*concept.whole, *concept.anywhere):
            before = _BEFORE if len(word) == _LEAST_GLUED else 1
            if len(word) >= _LEAST_GLUED and any(
                part.endswith(word)
                and len(part) >= len(word) + before
                and not part.endswith(_NOT_GLUED)
                for part in parts
            ):
                return concept, f"…{word}"
    return None


def concept_named(name: str) -> Concept:
    """The concept of that name."""
    return next(concept for concept in _vocabulary().concepts if concept.name == name)
