"""What the name of a column says about what is in it.

Names are taken apart into words wherever the people who name columns put the seams: blanks and
signs, a change from small to capital letters, a change between letters and digits. A word of the
vocabulary is found in a name whether it is written together or apart, so that ``zipcode`` finds
``ZIP_Code`` and ``birthdate`` finds ``DateBirthDate2``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from indistinct.analytics.profile.glossary import in_english

LONGEST_PHRASE = 5
"""How many words of a name are put together, at most, to find a word of the vocabulary."""

_SEAM = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UNFOLDED = str.maketrans(
    {
        "ß": "ss",
        "ø": "o",
        "Ø": "O",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "ł": "l",
        "Ł": "L",
        "ı": "i",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "þ": "th",
    }
)


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case and without accents.

    >>> words("BPSysAve")
    ('bp', 'sys', 'ave')
    >>> words("Date of Birth")
    ('date', 'of', 'birth')
    >>> words("Straße_1")
    ('strasse', '1')
    """
    return tuple(all_words(name))


def all_words(text: str) -> list[str]:
    """The words of a text of any length, as :func:`words` takes a name apart."""
    if not text.isascii():
        text = in_english(text)
        plain = unicodedata.normalize("NFKD", text.translate(_UNFOLDED))
        text = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return [word.lower() for word in _SEAM.findall(text)]


_NUMBERED = re.compile(
    r"(column|col|var|field|feature|unnamed|attr|[acvx])[ _:]*\d+", re.IGNORECASE
)


def says_nothing(name: str) -> bool:
    """Whether a name only numbers its column, as where a file has none.

    >>> says_nothing("column_12"), says_nothing("Q12")
    (True, False)
    """
    return _NUMBERED.fullmatch(name) is not None


def of_questions(names: Sequence[str]) -> frozenset[str]:
    """The names that number the questions of a questionnaire, where most names do: P72, P81A.

    >>> sorted(of_questions(["P1", "P2", "P20A", "sex"])), of_questions(["T3", "T4", "age", "sex"])
    (['P1', 'P2', 'P20A'], frozenset())
    """
    found: dict[str, list[str]] = {}
    for name in names:
        if number := _QUESTION.fullmatch(name):
            found.setdefault(number[1], []).append(name)
    most = max(found.values(), key=len, default=[])
    return frozenset(most if 3 * len(most) >= 2 * len(names) else ())


_QUESTION = re.compile(r"([A-Za-z])_?\d+[A-Za-z]?")

MOST_LETTERS = 4
LEAST_COLUMNS = 5


def without_prefix(names: Sequence[str]) -> dict[str, str]:
    """Every name without the short first word that most names of the table begin with.

    What stands before most names says nothing of any: the columns of a register of procedures are
    called ``PA_SEXO``, ``PA_IDADE`` and so on; but ID_ says that a column numbers something. A
    question that most names only number is a column.

    >>> without_prefix(["PA_AGE", "PA_SEX", "PA_ID", "PA_CARE", "PA_DX", "year"])["PA_SEX"]
    'SEX'
    >>> without_prefix([f"ward_{end}" for end in ("code", "start", "end", "no", "of")])["ward_code"]
    'ward_code'
    """
    if questions := of_questions(names):
        return {
            name: f"column_{at}" if name in questions else name for at, name in enumerate(names)
        }
    if _are_of_modules(names):
        return {name: _behind_its_module(name) for name in names}
    heads = Counter(found[0] for found in map(_HEAD.match, names) if found)
    head, times = heads.most_common(1)[0] if heads else ("", 0)
    if times < LEAST_COLUMNS or 2 * times < len(names) or words(head) == ("id",):
        return {name: name for name in names}
    return {
        name: name[len(head) :] if name.startswith(head) and _is_said(head, name) else name
        for name in names
    }


_SAY_LITTLE = frozenset({"code", "name", "display", "description", "desc", "label", "type"})
_LEAST_OF_A_WORD = 4


def _is_said(head: str, name: str) -> bool:
    """Whether what stands behind the head says something by itself, as ``code`` of wards does not.

    A short head is no word, and says nothing either.
    """
    rest = name[len(head) :]
    little = len(words(head)[0]) >= _LEAST_OF_A_WORD and _SAY_LITTLE.issuperset(words(rest))
    return re.search("[A-Za-z]", rest) is not None and not little


_OF_A_MODULE = re.compile(r"[A-Z]{3}[A-Z0-9]{2,5}")
_FEWEST_MODULES = 3


def _are_of_modules(names: Sequence[str]) -> bool:
    """Whether names are as of old files of SAS: eight capitals at most, the first three a module's.

    So it is where most names are written so, and several of them share their first three letters
    with others.
    """
    written = [name for name in names if _OF_A_MODULE.fullmatch(name)]
    modules = Counter(name[:3] for name in written)
    shared = [module for module, times in modules.items() if times >= _FEWEST_MODULES]
    within = sum(modules[module] for module in shared)
    domains = Counter(name[:2] for name in written)  # CM in front of most is one domain
    several = len(shared) > 1 and 2 * max(domains.values()) < len(written)
    return 4 * len(written) >= 3 * len(names) and several and 2 * within >= len(written)


def _behind_its_module(name: str) -> str:
    """The name without its first three letters, where what is left is a word or a short form."""
    rest = name[3:]
    known = _OF_A_MODULE.fullmatch(name) is not None and _LEFT.fullmatch(rest) is not None
    return rest if known else name


_LEFT = re.compile(r"[A-Z]{4,}\d*")

_HEAD = re.compile(rf"[A-Za-z]{{1,{MOST_LETTERS}}}\d*[_.]")

_BEGINS_WITH_ID = re.compile(r"^ID([a-z]{3,}\w*)$")
_GLUED = re.compile(
    r"(?<=[A-Za-z]{3}[b-hj-np-tv-z])(?<!ac(?=ids?$))(?=(ids?|cd|dt|nr|num|code)$)"
    r"|(?<=^[a-z]{2}[b-hj-np-tv-z])(?<!cov|rap|lip|sol|val|viv|tim|rig|hum|luc|fet)(?=ids?$)",
    re.IGNORECASE,
)


def apart(name: str) -> str:
    """The name with a blank before a word such as "id" that is written together with the last one.

    >>> apart("FIRST_WARDID"), apart("fluid")
    ('FIRST_WARD ID', 'fluid')
    >>> apart("lacticacid"), apart("IDunit"), apart("IDEA")
    ('lacticacid', 'unit ID', 'IDEA')
    """
    return _BEGINS_WITH_ID.sub(r"\1 ID", _GLUED.sub(" ", name))


@lru_cache(maxsize=4096)
def phrases(name: str) -> frozenset[str]:
    """Every run of neighbouring words of the name, written together, and pairs the other way round.

    >>> sorted(phrases("ip_address"))
    ['address', 'addressip', 'ip', 'ipaddress']
    """
    parts = words(name)
    runs = [
        "".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, min(len(parts), start + LONGEST_PHRASE) + 1)
    ]
    turned = (last + first for first, last in pairwise(parts) if len(last) > 1)
    return frozenset((*runs, *turned))


NO_AGE = (
    "stage", "dosage", "usage", "marriage", "rrhage", "drainage", "damage", "average", "percentage",
    "language", "image", "village", "package", "message", "page", "passage", "storage", "voltage",
    "triage", "coverage", "beverage", "garage", "cartilage", "linkage", "lineage", "shortage",
    "wage", "sewage", "massage", "lavage", "dressage", "manage", "menage", "phage", "leakage",
    "breakage", "postage", "cottage", "advantage", "carriage", "wastage", "spillage", "cleavage",
    "mileage", "heritage", "parentage", "tonnage", "acreage", "anlage", "lage", "frage",
    "auflage", "zulage", "bandage",
)  # fmt: skip
"""How words end that end in "age" and are no ages."""


def names_an_age_of_somebody(name: str) -> bool:
    """Whether a word of the name ends in "age" and is no word of English or German that does.

    >>> names_an_age_of_somebody("Entage"), names_an_age_of_somebody("Stage")
    (True, False)
    """
    return any(
        word.endswith("age") and not word.endswith(NO_AGE) and word != "tage"
        for word in words(name)
    )


def names_one_of(name: str, vocabulary: Iterable[str]) -> str | None:
    """The first word of the vocabulary that occurs in the name.

    >>> names_one_of("home-ZIP-code", ["postcode", "zipcode"])
    'zipcode'
    """
    return _first_of(phrases(name), tuple(vocabulary))


def _first_of(phrases: Iterable[str], vocabulary: tuple[str, ...]) -> str | None:
    places = _places(vocabulary)
    found = [places[phrase] for phrase in phrases if phrase in places]
    return vocabulary[min(found)] if found else None


@lru_cache(maxsize=1024)
def _places(vocabulary: tuple[str, ...]) -> dict[str, int]:
    """Where each word of a vocabulary, written together, stands in it first."""
    return {word.replace(" ", ""): at for at, word in reversed([*enumerate(vocabulary)])}


def is_one_of(name: str, vocabulary: Iterable[str], beside: Sequence[str] = ()) -> str | None:
    """The word of a vocabulary that is the whole name, but for numbers and some words.

    Arguments:
        name: the name of a column.
        vocabulary: the words that are looked for.
        beside: words that may stand beside one of them.

    >>> is_one_of("AgeYears", ["age"], beside=["years"])
    'age'
    >>> is_one_of("SmokeAge", ["age"], beside=["years"]) is None
    True
    """
    parts = [word for word in words(name) if not word.isdigit()]
    core = "".join(word for word in parts if word not in beside)
    whole = "".join(parts)
    return _first_of((core, whole), tuple(vocabulary))


def starts_with_one_of(name: str, stems: Iterable[str]) -> str | None:
    """The first stem that a word of the name starts with.

    >>> starts_with_one_of("PregnantNow", ["pregnan"])
    'pregnan'
    """
    parts, stems = words(name), tuple(stems)
    if not any(word.startswith(stems) for word in parts):
        return None
    return next(stem for stem in stems if any(word.startswith(stem) for word in parts))
