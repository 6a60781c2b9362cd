"""Which of the eighteen HIPAA Safe Harbor kinds of identifiers a column may hold.

The kinds are those of the United States' Privacy Rule, 45 CFR 164.514(b)(2)(i), letters (A) to (R).
A column is recognised by its name (English, and some German, French and Spanish words), by the type
of its values and by the pattern that they follow. What is found here is a suspicion that a person
should look at; what is not found may still identify somebody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import ClassVar, Literal

import polars as pl

from indistinct.analytics.profile.concepts import concept_of
from indistinct.analytics.profile.names import apart, is_one_of, names_one_of, words
from indistinct.analytics.profile.people_names import are_names_of_people
from indistinct.document import PlainData
from indistinct.frozen import dataclass
from indistinct.word_lists import listed, lists_of

Evidence = Literal["name", "type", "pattern"]

MATCHING_SHARE = 0.8
"""A pattern speaks for a column when this share of its distinct values follow it."""

LOOKED_AT = 1000
"""How many distinct values are held against the patterns."""

AGE = ("age", "alter", "edad")
BESIDE_AGE = ("years", "year", "yrs", "in", "at", "patient", "admission", "begin", "end", "start")
"""Words for an age, and words that may stand beside them."""

MOST_YEARS = 125
"""Nobody is older: larger numbers are ages in months or days."""

_OTHER_UNITS = (
    "month", "months", "week", "weeks", "day", "days", "mes", "meses", "mois", "dias", "monate",
)  # fmt: skip

FEW_PEOPLE = 20
"""A code with no more values than this is hardly one for each person, unless it is unique."""

FEWEST = 4
"""With no more values than this, nothing is said of whether they repeat."""

OLDEST = 89
"""Ages above this one are identifiers; Safe Harbor puts them together as 90 or older."""


@dataclass(frozen=True)
class IdentifierKind:
    """One of the eighteen kinds.

    ``direct`` says that a column of this kind names people by itself and is best left out; places,
    dates and ages may be published in coarser form.
    """

    letter: str
    name: str
    title: str
    direct: bool = True


KINDS: tuple[IdentifierKind, ...] = (
    IdentifierKind("A", "names", "names"),
    IdentifierKind("B", "places", "places smaller than a state", direct=False),
    IdentifierKind("C", "dates", "dates more exact than a year, and ages over 89", direct=False),
    IdentifierKind("D", "telephone", "telephone numbers"),
    IdentifierKind("E", "fax", "fax numbers"),
    IdentifierKind("F", "email", "e-mail addresses"),
    IdentifierKind("G", "social-security", "social security numbers"),
    IdentifierKind("H", "medical-record", "medical record numbers"),
    IdentifierKind("I", "health-plan", "health plan beneficiary numbers"),
    IdentifierKind("J", "account", "account numbers"),
    IdentifierKind("K", "licence", "certificate and licence numbers"),
    IdentifierKind("L", "vehicle", "vehicle identifiers and licence plates"),
    IdentifierKind("M", "device", "device identifiers and serial numbers"),
    IdentifierKind("N", "url", "web addresses"),
    IdentifierKind("O", "ip", "IP addresses"),
    IdentifierKind("P", "biometric", "biometric identifiers"),
    IdentifierKind("Q", "photograph", "full-face photographs"),
    IdentifierKind("R", "other", "any other unique number, characteristic or code"),
)
"""The eighteen kinds, in the order of the rule."""

BY_NAME: dict[str, IdentifierKind] = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class Tag(PlainData):
    """A suspicion that a column holds one kind of identifier, and what it rests on."""

    told_keys: ClassVar = "letter=kind.letter name=kind.name title=kind.title by why"

    kind: IdentifierKind
    by: tuple[Evidence, ...]
    why: str

    def __str__(self) -> str:
        return f"Safe Harbor ({self.kind.letter}) {self.kind.title}: {self.why}"


@dataclass(frozen=True)
class Column:
    """What has to be known of a column to recognise its kind.

    ``kind`` is what its values are (text, integer, float, boolean, date, datetime); ``filled`` the
    number of records that have a value, ``distinct`` the number of different values; ``sample``
    some of the different values as text; ``largest`` the largest value of a column of numbers.
    """

    name: str
    kind: str
    filled: int
    distinct: int
    sample: pl.Series
    largest: float | None = None


def recognise(column: Column) -> tuple[Tag, ...]:
    """The kinds of identifiers that the column may hold, strongest evidence first."""
    found: dict[str, list[tuple[Evidence, str]]] = {}
    by = (_by_name, _by_type, _by_pattern, _by_length, _by_words)
    seen = (one for look in by for one in look(column))
    for kind, evidence, why in seen:
        found.setdefault(kind, []).append((evidence, why))
    tags = [
        Tag(
            BY_NAME[kind],
            tuple(dict.fromkeys(evidence for evidence, _ in reasons)),
            ", ".join(dict.fromkeys(why for _, why in reasons)),
        )
        for kind, reasons in found.items()
    ]
    return tuple(sorted(tags, key=lambda tag: (-len(tag.by), tag.kind.letter)))


@cache
def _words_of(kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a kind: anywhere in the name, and as the whole of it."""
    anywhere, whole = (lists_of(__file__)[place].get(kind) for place in ("anywhere", "whole"))
    return listed(anywhere), listed(whole) if whole else ()


_PEOPLE = (
    "id", "ids", "ssid", "ptid", "subjid", "subject", "person", "participant", "respondent", "pid",
    "seqn", "duid", "household id", "hh id", "family id", "ptnum", "ptno", "patnum", "patno",
    "subjno", "subno", "student", "pupil", "employee", "client", "customer", "member",
    "eleve", "alumno", "aluno", "estudiante", "estudante", "studente", "schuler", "ogrenci",
    "uczen", "empleado", "proband", "case", "caso",
)  # fmt: skip
_NO_PLACE = (
    "ip address", "mac address", "mail address", "email address", "web address", "adresse ip",
    "ip adresse", "mailadresse",
)  # fmt: skip
_PLATES = ("license plate", "licence plate")
_DROPPED_PLACES = (
    "street", "home address", "address", "addr", "latitude", "longitude", "geocode", "geohash",
    "coordinates", "strasse", "hausnummer", "anschrift", "adresse", "direccion", "calle", "lat",
    "lon", "lng", "long lat", "lat lon", "logradouro", "endereco", "domicilio exacto", "gps",
)  # fmt: skip


def names_a_doorstep(name: str) -> bool:
    """Whether the name speaks of a place so small that it is as good as a name."""
    anywhere = tuple(word for word in _DROPPED_PLACES if len(word) > 3)
    named = names_one_of(name, anywhere) or is_one_of(name, _DROPPED_PLACES)
    return bool(named) or _names_a_point(name)


_AXES = {"x", "y"}
_BESIDE_AN_AXIS = {
    "loc", "coord", "coordinate", "coordenada", "coordinata", "coordonnee", "koordinate", "pos",
    "geo", "home", "house", "residence", "workplace", "utm", "gps",
    "point", "rd", "lambert",
}  # fmt: skip
_BESIDE_A_LATITUDE = {"home", "house", "school", "work", "dec", "dd", "deg", "utm", "gps", "geo"}
_POINTS = re.compile(
    r"[xy](coord|utm|geo)|(coord|utm|gps|geo)[xy]|utm[en]|(east|north)ings?"
    r"|(home|house|school|work)?(lat|lon|lng)(dec|dd|deg)?|(home|house)long|longd(ec|d)"
    r"|latitud(ine)?|longitudine|(breiten|laengen|langen)grad"
)
_OR_LENGTHS = ("longitud", "breite", "laenge")
_IN_METRES = re.compile(r"(east|north)ings?|utm[xyen]|[xy]utm|[xy]coord|coord[xy]")


def _names_a_point(name: str) -> bool:
    """Whether the name is that of one coordinate: site_lat, x_loc, gps_long, easting."""
    parts = words(name)
    if "gps" in parts or _POINTS.fullmatch("".join(parts)):
        return True
    if _AXES & set(parts) and _BESIDE_AN_AXIS & set(parts):
        return True
    if parts and parts[0] in ("lat", "lon", "lng") and _BESIDE_A_LATITUDE & set(parts):
        return True
    return bool(parts) and parts[-1] in ("lat", "lon", "lng")


def _is_a_point(column: Column) -> bool:
    """Whether numbers are those of a coordinate, by what they are called."""
    if column.kind == "integer":
        metres = _IN_METRES.fullmatch("".join(words(column.name)))
        return bool(metres) and column.distinct > FEW_PEOPLE
    if column.kind != "float":
        return False
    fine = column.sample.str.contains(r"^-?\d{1,3}\.\d{4,}$").mean()
    if is_one_of(column.name, _OR_LENGTHS):
        return isinstance(fine, float) and fine >= MATCHING_SHARE
    return _names_a_point(column.name)


def _by_name(column: Column) -> Iterator[tuple[str, Evidence, str]]:
    spelt = apart(column.name)
    for kind in KINDS:
        anywhere, whole = _words_of(kind.name)
        word = names_one_of(column.name, anywhere) or is_one_of(column.name, whole)
        if word and _name_is_believed(kind.name, column):
            yield kind.name, "name", f"its name says {word}"
    if _is_a_point(column):
        yield "places", "name", IS_A_POINT
    parts = words(column.name if names_one_of(spelt, _PLACES_OF_CARE) else spelt)
    several = column.distinct > FEW_PEOPLE or 2 * column.distinct >= column.filled > FEWEST
    several = several or (column.distinct >= _SEVERAL_IDS and _many(column))
    several = several or (
        column.distinct > 2 and column.kind == "integer" and _long_numbers(column)
    )
    somebody = numbers_somebody(column.name)
    parts = tuple(word for word in parts if not word.isdigit())
    if somebody and column.distinct > 1 and column.kind in ("integer", "text"):
        yield "other", "name", "its name says whose number it is"
    elif _is_an_id(parts) and several and "concept" not in parts:
        codes = any(word in _OF_CODES for word in parts)
        repeated = 2 * column.distinct < column.filled
        if (_long_numbers(column) and not codes) or (_many(column) and not (codes and repeated)):
            yield "other", "name", _IS_AN_ID


IS_A_POINT = "its name says that it is one of two coordinates"
_IS_AN_ID = "its name says id"
_SEVERAL_IDS = 10
"""So many numbers that few records share are more than those of kinds and states."""

_LEAST_OF_A_WORD = 3
_OF_GROUPS = ("place", "stay", "nationality", "occupation", "ethnicity", "education")


def numbers_things(name: str) -> bool:
    """Whether a name is that of numbers of things or people, and of no code of a kind.

    >>> numbers_things("nutritionist_id"), numbers_things("type_id"), numbers_things("ID_Dentista")
    (True, False, True)
    """
    parts = tuple(word for word in words(apart(name)) if not word.isdigit())
    return _is_an_id(parts) and not any(word in _OF_CODES for word in parts)


def numbers_kinds(name: str) -> bool:
    """Whether a name is that of the numbers of a list of kinds: of tests, of drugs.

    >>> numbers_kinds("lab_test_id"), numbers_kinds("patient_id"), numbers_kinds("test")
    (True, False, False)
    """
    parts = words(apart(name))
    return _is_an_id(parts) and any(word in _OF_CODES for word in parts)


def _is_an_id(parts: Sequence[str]) -> bool:
    """Whether a name ends in id, or begins with it, as Romance languages have it.

    Registers of these languages have codes of places and occupations that begin with it.
    """
    if len(parts) < 2 or parts[-1] == "id":
        return len(parts) > 1
    if parts[0] != "id" or len(parts[1]) < _LEAST_OF_A_WORD:
        return False
    about = concept_of(" ".join(parts[1:]))
    return about is None or about[0].name not in _OF_GROUPS


_OF_SOMEBODY = (
    "patient", "person", "subject", "participant", "member", "beneficiary", "client", "enrollee",
    "respondent", "individual", "paciente", "student", "pupil", "eleve", "alumno", "aluno",
    "employee", "customer", "encounter", "admission", "hadm", "icustay", "stay",
    "visit occurrence", "visit detail", "exposure", "episode", "claim", "usubj", "subj",
)  # fmt: skip


def numbers_somebody(name: str) -> bool:
    """Whether a name is that of the numbers of people or of their stays, and of nothing else.

    >>> numbers_somebody("PERSON_ID"), numbers_somebody("patient_type_id")
    (True, False)
    >>> numbers_somebody("id_paciente"), numbers_somebody("id_tipo_paciente")
    (True, False)
    """
    parts = words(apart(name))
    if parts[:1] == ("id",):  # as Romance languages have it
        return " ".join(parts[1:]) in _OF_SOMEBODY
    ends = len(parts) > 1 and parts[-1] in ("id", "ids")
    return ends and (parts[-2] in _OF_SOMEBODY or " ".join(parts[-3:-1]) in _OF_SOMEBODY)


def _name_is_believed(kind: str, column: Column) -> bool:
    """Whether the values could be what the name says."""
    if kind == "places":
        return not names_one_of(column.name, _NO_PLACE) and column.kind != "boolean"
    if kind == "dates":
        if column.kind in ("date", "datetime"):
            return True
        counts = names_one_of(column.name, ("birth", "dob", "dobmm", "dobdd", "month", "day"))
        return column.kind == "text" or bool(counts)
    if kind == "licence" and names_one_of(column.name, _PLATES):
        return False
    if column.kind in ("date", "datetime"):
        return kind == "dates"
    if column.kind in ("integer", "float") and kind in _WRITTEN:
        digits = column.sample.str.count_matches(r"\d").mean()
        return column.kind == "integer" and isinstance(digits, float) and digits >= _WRITTEN[kind]
    if kind == "other":
        anywhere, whole = _words_of("other")
        numbered = [word for word in whole if word.endswith((" no", " nr", " num"))]
        people = names_one_of(column.name, anywhere) or is_one_of(
            column.name, (*_PEOPLE, *numbered)
        )
        few = 2 if is_one_of(column.name, ("id", "ids")) else FEW_PEOPLE
        return _many(column) or (column.distinct > few and bool(people))
    if kind == "names":
        return column.kind != "boolean" and not (_are_answers(column) or _are_sentences(column))
    # One text for all may hide what is there in another table.
    hidden = column.distinct < 2 and column.kind == "text" and not _are_answers(column)
    return column.kind != "boolean" and (column.distinct > 2 or hidden)


_ANSWERS = frozenset((
    "yes", "no", "y", "n", "ja", "nein", "si", "s", "oui", "non", "o", "sim", "nao", "tak", "nie",
    "evet", "hayir", "ya", "tidak", "nej", "nee",
))  # fmt: skip


def _are_answers(column: Column) -> bool:
    """Whether texts are yes and no, as where a name says that something was the first."""
    return 0 < column.distinct <= 2 and all(
        "".join(words(text)) in _ANSWERS for text in column.sample.to_list()
    )


_OTHERWISE = ("first", "last", "middle")
_LONGEST_NAME = 5


def _are_sentences(column: Column) -> bool:
    """Whether texts of which the name says first or last have more words than names do."""
    if not is_one_of(column.name, _OTHERWISE):
        return False
    several = column.sample.str.count_matches(r"\S+").median()
    return isinstance(several, float) and several > _LONGEST_NAME


_NEVER = 100
_WRITTEN = {
    "names": _NEVER, "email": _NEVER, "url": _NEVER, "photograph": _NEVER, "biometric": _NEVER,
    "ip": 8, "telephone": 6, "fax": 6,
}  # fmt: skip
"""Digits that numbers need, for a name to be believed: MEDREIMB_IP is no address."""


_OF_CODES = (
    "concept", "item", "type", "tipo", "typ", "code", "status", "source", "class", "category",
    "unit", "proc", "procedure", "diagnosis", "diag", "drug", "icd", "dept", "department",
    "specialty", "score", "scale", "result", "rating", "level", "disease", "test", "treatment",
    "medication", "medicine", "medicament", "medicamento", "farmaco", "vaccine", "vacuna", "vacina",
)  # fmt: skip
_PLACES_OF_CARE = ("ward", "hospital", "site", "unit", "clinic", "region", "facility")
_LONG = 5


def _long_numbers(column: Column) -> bool:
    """Whether the values are all long, and of about one length."""
    lengths = column.sample.str.len_chars()
    return bool((lengths >= _LONG).all()) and lengths.n_unique() <= 2


def _many(column: Column) -> bool:
    """Whether a number or code could be one for each person."""
    return column.distinct > 2 and column.distinct * 10 >= column.filled


def names_an_age(name: str, largest: float) -> bool:
    """Whether numbers up to this one are ages in years, as far as their name tells.

    >>> names_an_age("EDAD_DECLARADA", 104), names_an_age("age_months", 104)
    (True, False)
    """
    if is_one_of(name, AGE, BESIDE_AGE):
        return True
    found = concept_of(name)
    years = largest <= MOST_YEARS and names_one_of(name, _OTHER_UNITS) is None
    return years and found is not None and found[0].name == "age"


def _by_type(column: Column) -> Iterator[tuple[str, Evidence, str]]:
    if column.kind == "date":
        yield "dates", "type", "its values are dates"
    if column.kind == "datetime":
        yield "dates", "type", "its values are dates with times"
    if (
        column.largest is not None
        and column.largest > OLDEST
        and names_an_age(column.name, column.largest)
    ):
        yield "dates", "type", f"ages over {OLDEST} occur"


# Patterns of whole values.

_STREETS = (
    r"street|st|avenue|ave|road|rd|drive|lane|ln|boulevard|blvd|court|square|terrace|parkway|"
    r"highway|suite|apt"
)
_GERMAN_STREETS = r"straße|strasse|str\.|weg|platz|allee|gasse"
_MONTHS = r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"

_TITLED = r"^(Mr|Mrs|Ms|Miss|Dr|Dra|Prof|Herr|Frau|Mme|Sr|Sra)\.?\s+\p{Lu}"

_NUMBERED_PERSON = (
    r"(?i)^(.*\W)?(patient|participant|subject|case|donor|volunteer|paciente|proband|sujet)"
    r"( ?(no|nr|number|id)\.?)?[ _#:-]*\d+(\W.*)?$"
)

POINTS = "coordinates of points"
_A_POINT = (
    r"(?i)^[(\[]?-?\d{1,3}\.\d{4,}[,;\s]+-?\d{1,3}\.\d{4,}(\s+-?[\d.]+){0,2}[)\]]?$"
    r"|^(srid=\d+;)?(multi)?(point|polygon)\s*z?\s*\("
)
"""Latitude and longitude, with the height and how exact it is as forms on telephones have them."""

PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("email", r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$", "e-mail addresses"),
    ("url", r"(?i)^(https?://|ftp://|www\.)\S+$", "web addresses"),
    ("ip", r"^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$", "IP addresses"),
    ("ip", r"(?i)^([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$|^[0-9a-f:]*::[0-9a-f:]+$", "IP addresses"),
    ("social-security", r"^\d{3}-\d{2}-\d{4}$", "social security numbers"),
    ("device", r"(?i)^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$", "network device addresses"),
    (
        "other",
        r"(?i)^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$",
        "universally unique identifiers",
    ),
    ("other", r"^[012]\.\d[\d.]{28,61}$", "identifiers of images or studies"),
    ("other", _NUMBERED_PERSON, "numbers of people"),
    ("photograph", r"(?i)^(data:image/.*|\S+\.(jpe?g|png|gif|bmp|tiff?|heic|dcm))$", "images"),
    ("places", rf"(?i)^\d+\w?\s+\S.*\b({_STREETS})\b\.?", "street addresses"),
    ("places", rf"(?i)({_GERMAN_STREETS})\s+\d+\s?[a-z]?$", "street addresses"),
    ("places", _A_POINT, POINTS),
    ("places", r"(?i)^[a-z]{1,2}\d[a-z\d]?\s?\d[a-z]{2}$", "postcodes"),
    ("places", r"^\d{5}-\d{4}$", "postcodes"),
    ("names", _TITLED, "names of people"),
    ("names", r"^\p{Lu}[\p{L}'’\-]+,\s+\p{Lu}[\p{L}'’\-]+(\s+\p{Lu}\.?)?$", "names of people"),
    ("names", r"^\p{Lu}[\p{Ll}'’]+(\s\p{Lu}\.?)?\s\p{Lu}[\p{L}'’\-]+$", "names of people"),
    ("dates", rf"(?i)^(\d\d?[\s-])?({_MONTHS})[a-z]*[\s.,-]+(\d\d?,?\s+)?\d{{2,4}}$", "dates"),
)
"""Kind, pattern of a whole value, and what the pattern shows."""

_DIGEST = r"^(?i)[0-9a-f]{16,128}$"
_PHONE = r"^(\+|00|\(?0)?[\d\s().\-/]{6,}(\s*(x|ext\.?)\s*\d+)?$"
_DATE_LIKE = r"^\d{1,4}[./\-]\d{1,2}[./\-]\d{1,4}"
_VIN = r"^[A-HJ-NPR-Z0-9]{17}$"
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


@cache
def _matching() -> list[pl.Expr]:
    """The share of the values that each pattern fits."""
    patterns = (*(pattern for _, pattern, _ in PATTERNS), _DIGEST, _PHONE, _VIN, "[A-Z]", r"\d")
    return [
        pl.col("").str.contains(pattern).mean().alias(str(at))
        for at, pattern in enumerate(patterns)
    ]


_MOST_WITH_ONE = {"names": 5, "photograph": 50}
"""Records that have one name, or one picture, on average, at most; people are shown others."""


def _by_pattern(column: Column) -> Iterator[tuple[str, Evidence, str]]:
    values = column.sample.head(LOOKED_AT)
    if min(values.len(), column.distinct) < 3 or not _long_enough(column.kind, values):
        return
    if column.kind == "integer":
        if _share(values, lambda texts: _passing(texts, _is_card)) >= MATCHING_SHARE:
            yield "account", "pattern", "its values look like card numbers"
        return
    shares = values.alias("").to_frame().select(_matching()).row(0)
    matching, (digests, phones, *vehicles) = shares[: len(PATTERNS)], shares[len(PATTERNS) :]
    if told := _codes(values, column.distinct, digests):
        yield "other", "pattern", told
    for (kind, pattern, what), share in zip(PATTERNS, matching, strict=True):
        many = _MOST_WITH_ONE.get(kind, column.filled) if pattern != _TITLED else column.filled
        if (share or 0.0) >= MATCHING_SHARE and column.distinct * many >= column.filled:
            yield kind, "pattern", f"its values look like {what}"
    if phones >= MATCHING_SHARE and _share(values, _phones) >= MATCHING_SHARE:
        yield "telephone", "pattern", "its values look like telephone numbers"
    if _share(values, lambda texts: _passing(texts, _is_iban)) >= MATCHING_SHARE:
        yield "account", "pattern", "its values look like bank account numbers"
    if _share(values, lambda texts: _passing(texts, _is_card)) >= MATCHING_SHARE:
        yield "account", "pattern", "its values look like card numbers"
    if min(vehicles) >= MATCHING_SHARE:
        yield "vehicle", "pattern", "its values look like vehicle identification numbers"


def _by_length(column: Column) -> Iterator[tuple[str, Evidence, str]]:
    values = column.sample.head(LOOKED_AT)
    several = min(values.len(), column.distinct) > 2 and column.kind in ("integer", "text")
    if several and _are_account_numbers(column.name, values):
        yield "other", "pattern", "its values are as long as account numbers"


_ACCOUNT = r"^\pL{0,3}\d[\d-]{7,}\d$"
_ACCOUNT_DIGITS = 9
_MOMENT = r"^(1[89]|2[0-6])\d\d(0[1-9]|1[0-2])[0-3]\d[0-2]\d[0-5]\d([0-5]\d)?$"
"""Days with a time, written together; Buddhist years as well."""
_HYPHENED = r"^\d{3}-\d{2}-\d{4}$|^\d{5}-\d{4}$|^\d{4,5}-\d{3,4}-\d{1,2}$"
"""Social security numbers, postcodes and codes of drugs, which have patterns of their own."""
_LONG_CODES = ("ndc", "snomed", "loinc", "rxnorm", "fips", "tract", "geoid", "time", "timestamp")
"""Words for codes of drugs, findings, places and moments that are as long."""


def _are_account_numbers(name: str, values: pl.Series) -> bool:
    """Whether values are numbers of nine digits and more, all of one length, under any name.

    Codes of classifications are shorter, or of several lengths; so are sums of money.
    """
    about = concept_of(name)
    coded = not {*_OF_CODES, *_LONG_CODES}.isdisjoint(words(name))
    if coded or (about is not None and about[0].name == "place"):
        return False
    if values.str.len_chars().n_unique() > 1 or not values.str.contains(_ACCOUNT).all():
        return False
    if values.str.contains(_MOMENT).all() or values.str.contains(_HYPHENED).all():
        return False
    return bool((values.str.count_matches(r"\d") >= _ACCOUNT_DIGITS).all())


_BY_CHANCE = r"^[0-9A-Za-z]{8,64}$"
_FEWEST_TURNS = 3
"""Runs of letters and of digits in a code, on average, are more than these."""


def _codes(values: pl.Series, distinct: int, digests: float) -> str:
    """What says that values are codes that nobody made up; empty where they are none."""
    if distinct >= FEW_PEOPLE and digests >= MATCHING_SHARE:
        return "its values look like long codes or digests"
    return "its values look like codes made by chance" if _are_by_chance(values) else ""


def _are_by_chance(texts: pl.Series) -> bool:
    """Whether codes of one length mix letters and digits as chance does: a1c2e6b2eb.

    Codes that people make up, such as MBR000344, have their letters and digits apart.
    """
    if texts.len() < FEWEST or texts.str.len_chars().n_unique() > 1:
        return False
    turns = texts.str.replace_all(r"[A-Za-z]+", "a").str.replace_all(r"[0-9]+", "0").str.len_chars()
    mean = turns.mean()
    return (
        isinstance(mean, float)
        and mean > _FEWEST_TURNS
        and (bool(texts.str.contains(_BY_CHANCE).all()))
    )


_CALLED_AFTER_SOMEBODY = (
    "place", "stay", "nationality", "travel", "vehicle", "religion", "education",
)  # fmt: skip


def _called_after_somebody(column: Column) -> bool:
    """Whether texts are few, or called places and the like, which are called after somebody."""
    about = concept_of(column.name)
    places = about is not None and about[0].name in _CALLED_AFTER_SOMEBODY
    return places or column.distinct <= FEW_PEOPLE


def _by_words(column: Column) -> Iterator[tuple[str, Evidence, str]]:
    if column.kind == "text" and are_names_of_people(
        column.sample.head(LOOKED_AT), plainly=_called_after_somebody(column)
    ):
        yield "names", "pattern", "its values are names of people"


_SHORT_WORDS = re.compile(r"[^\W_]{0,4}|[^\W\d_]{0,15}")


def _long_enough(kind: str, values: pl.Series) -> bool:
    """Whether a pattern may fit: short and plain texts, such as v3 or abcdef, are too short."""
    if kind == "text":
        return not all(map(_SHORT_WORDS.fullmatch, values.to_list()))
    return kind == "integer"


def _share(values: pl.Series, test: Callable[[pl.Series], pl.Series]) -> float:
    share = test(values).mean()
    return share if isinstance(share, float) else 0.0


def _phones(texts: pl.Series) -> pl.Series:
    """Seven to fifteen digits that are set apart as people write telephone numbers."""
    digits = texts.str.count_matches(r"\d")
    apart = texts.str.contains(r"^\+|^\(|\d[\s).\-/]+\d")
    number = texts.str.contains(r"^-?\d+\.\d+$|^[1-9]\d*\s?-\s?\d+$")
    return (
        texts.str.contains(_PHONE)
        & apart
        & digits.is_between(7, 15)
        & ~number
        & ~texts.str.contains(_DATE_LIKE)
        & ~texts.str.contains(r"^\d{3}-\d{2}-\d{4}$|^\d{5}-\d{4}$|^\d+(\.\d+){3}$")
        & ~texts.str.contains(r"^\d{4,5}-\d{3,4}-\d{1,2}$")  # National Drug Codes
        & ~texts.str.contains(r"^(19|20)\d\d\s?/\s?(19|20)\d\d$")  # seasons, years of a school
    )


def _passing(texts: pl.Series, test: Callable[[str], bool]) -> pl.Series:
    return pl.Series([test(text) for text in texts.to_list()], dtype=pl.Boolean)


def _is_card(text: str) -> bool:
    """Whether the digits of a payment card check (Luhn; ISO/IEC 7812-1)."""
    if len(text) < 13 or not set(text) <= set("0123456789 -"):
        return False
    digits = [int(sign) for sign in text if sign in "0123456789"]
    if not 13 <= len(digits) <= 19:
        return False
    doubled = [digit if at % 2 == 0 else sum(divmod(2 * digit, 10)) for at, digit in
               enumerate(reversed(digits))]  # fmt: skip
    return sum(doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """Whether the check digits of a bank account number agree (ISO 13616, remainder 97)."""
    plain = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(plain):
        return False
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1
