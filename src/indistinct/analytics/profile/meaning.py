"""What a column is about: by its values, by its name, and where the two have to be weighed."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from indistinct.analytics.profile.amounts import (
    counts_from_zero,
    looks_measured,
)
from indistinct.analytics.profile.concepts import (
    FOR,
    Concept,
    concept_named,
    concept_of,
)
from indistinct.analytics.profile.contents import (
    MOST,
    NEARLY_ALL,
    Content,
    are_parts_of_the_body,
    could_be_ages,
    could_be_years_of_life,
)
from indistinct.analytics.profile.names import (
    is_one_of,
    names_an_age_of_somebody,
    names_one_of,
    words,
)
from indistinct.analytics.profile.neighbours import FEW, RARE
from indistinct.analytics.profile.record_numbers import K, could_be_numbers
from indistinct.analytics.profile.safe_harbor import (
    numbers_things,
)
from indistinct.analytics.profile.values import Values

_SAY_LITTLE = (
    "status", "code", "description", "class", "condition", "conditions", "response", "visit",
)  # fmt: skip
"""Words for something about health that may be about anything else, if the values say so."""


def concept_by(column: str, content: Content | None) -> tuple[Concept, str] | None:
    """What a column is about, and why: by its values, its name, or what its values may be."""
    if content is not None and content.certain:
        return concept_named(content.concept), content.why
    named = concept_of(column)
    if named and (content is None or named[1] not in _SAY_LITTLE):
        return named[0], f"its name says {named[1]}"
    return None if content is None else (concept_named(content.concept), content.why)


def meant(
    column: str, found: tuple[Concept, str] | None, values: Values
) -> tuple[Concept, str] | None:
    """Which of two things a name means, by its values.

    A hospital has many names or numbers, and whether somebody was in one has few values; estado is
    a state with a name, and a status with a number.

    Arguments:
        column: the name of the column.
        found: what it is taken to be about, and why.
        values: its values.
    """
    if _is_weight_of_survey(column, values):
        return concept_named("survey"), (
            "its name says weight, but its values are not body weights"
        )
    if found is None:
        return _by_values(column, values)
    concept, why = found
    if other := _of_a_group(column, values) or _at_which_age(column, concept, why, values):
        return other
    if concept.name == "time" and _are_no_times(column, why, values):
        return None
    if other := _of_a_hospital(column, concept, why, values):
        return other
    if _means_nothing(column, concept, why, values):
        return None
    if words(column) == ("partner",) and _are_yes_and_no(values):
        return concept_named("family"), "its name says partner, and its values whether"
    if words(column) == ("cp",) and _is_postal(values):
        return concept_named("place"), "its name says cp, its values are postal codes"
    if told := _of_an_institution(column, concept, why, values):
        return told
    of_many = values.kind == "float" or 2 * values.distinct >= values.filled
    if words(column) == ("area",) and values.numbers is not None and of_many:
        return None  # of a tumour
    if _is_a_state_of_health(concept, why, values):
        return concept_named("health"), why
    return found


def _by_values(column: str, values: Values) -> tuple[Concept, str] | None:
    """What a name that no vocabulary has is about, by a word in it and the values."""
    if is_one_of(column, ("north", "east", "west")) and values.distinct <= FEW:
        return concept_named("place"), "its name says where, and its values are few"
    several = values.largest is not None and values.largest <= _MANY_SPOKEN
    if _OF_AGES.fullmatch(column.lower()) and several and values.kind == "integer":
        return concept_named("family"), "its name says of which ages it counts people"
    if _PAST_AN_AGE.fullmatch(column) and _says_yes_or_no(values):
        return concept_named("age"), "its name is an age, and its values say whether"
    if _YEAR_OR_NOT.fullmatch(column) and _says_yes_or_no(values):
        return concept_named("time"), "its name is a year, and its values say whether"
    if is_one_of(column, ("student", "pupil")) and values.distinct <= _FEWEST_LETTERS:
        return concept_named("education"), "its name says student, and its values whether"
    other = names_one_of(column, concept_named("occupation").unless) or names_one_of(
        column, _ONLINE
    )
    if names_one_of(column, _HOURS) and not other and _are_hours_of_work(values):
        return concept_named(
            "occupation"
        ), "its name says hours, its values are those of a week of work"
    several = values.kind == "text" and values.distinct > FEW
    if several and words(column)[-1:] == ("state",):
        return concept_named("place"), "its name says state"
    grouped = values.kind == "integer" and _FEWEST_LETTERS <= values.distinct <= FEW
    if names_an_age_of_somebody(column) and (grouped or could_be_years_of_life(values)):
        return concept_named("age"), "its name ends in age"
    if "age" in column.lower() and could_be_ages(values):
        return concept_named("age"), "its name holds age, its values are as those of ages"
    return None


_HOURS = ("hours", "hrs", "horas", "heures", "stunden", "ore", "uren", "godziny", "saat")
_ONLINE = ("online", "internet", "web", "phone", "media", "mobile", "computer")
_FULL_TIME = (28.0, 55.0)
_WEEK = 168


def _are_hours_of_work(values: Values) -> bool:
    """Whether most people have about as many hours as a week of work has: nobody sleeps so long."""
    if values.numbers is None or values.largest is None or values.largest > _WEEK:
        return False
    held = np.repeat(values.numbers.to_numpy(), values.counts.to_numpy())
    low, high = _FULL_TIME
    return bool(np.nanmin(held) >= 0 and low <= float(np.nanmedian(held)) <= high)


_OF_AGES = re.compile(
    r"(?:num|no|nr|tot|pers|persons?|memb|members?|adults?|hh)_?"
    r"(?:(?:lt|le|gt|ge|under|over|u|o)_?\d{1,2}|\d{1,2}_?(?:to)?_\d{1,2}|\d{1,2}(?:plus|up))"
)
"""Names such as numlt5 and num5_17: the people of some ages that a household has."""

_PAST_AN_AGE = re.compile(r"(over|under|above|below|aged|older|younger)[._ ]?\d\d", re.IGNORECASE)
_YEAR_OR_NOT = re.compile(
    r"(?:y|yr|year|yd|dy|ano|jahr)_?(?:19|20)?\d\d|d_?(?:19|20)\d\d", re.IGNORECASE
)


def _says_yes_or_no(values: Values) -> bool:
    """Whether numbers are 0 and 1."""
    return set(values.sample.str.strip_chars().to_list()) == {"0", "1"}


def _of_a_hospital(
    column: str, concept: Concept, why: str, values: Values
) -> tuple[Concept, str] | None:
    """Which hospital, or whether somebody was in one, where the name could mean either."""
    many = values.distinct > FEW and values.kind != "float" and not counts_from_zero(values)
    numbers = values.kind == "integer" and values.distinct > _FEWEST_LETTERS
    which = numbers and is_one_of(column, _HOSPITALS) is not None and not counts_from_zero(values)
    if concept.name == "health" and "hosp…" in why and (many or which):
        return concept_named("stay"), why
    if concept.name == "stay" and _says_whether(column, values):
        return concept_named("health"), "its name says hospital, its values whether"
    if concept.name == "stay" and is_one_of(column, _SEEN_BY) and _begins_at_zero(values):
        return concept_named("health"), f"{why}, its values how often"
    return None


_SEEN_BY = ("doctor", "doctors", "gp", "physician", "medico", "medecin", "arzt", "dottore", "nurse")


def _begins_at_zero(values: Values) -> bool:
    """Whether whole numbers begin at 0, as counts do and numbers of somebody do not."""
    return values.kind == "integer" and values.numbers is not None and values.numbers.min() == 0


def _of_an_institution(
    column: str, concept: Concept, why: str, values: Values
) -> tuple[Concept, str] | None:
    """Which trust, of hospitals, or class, of a school, by how many values there are."""
    numbered = not set(_NUMBERS).isdisjoint(words(column))
    if concept.name == "health" and numbered and is_one_of(column, ("class",), _NUMBERS):
        return concept_named("education"), "its name says the number of a class"
    if values.distinct <= FEW:
        return None
    if why.endswith(" trust") and values.kind == "text":
        return concept_named("stay"), "its name says trust, and its values are many"
    if concept.name == "health" and why.endswith(" class") and values.kind in ("integer", "float"):
        return concept_named("education"), "its name says class, and its values number many"
    return None


_NUMBERS = ("no", "nr", "num", "nbr", "number")
_HOSPITALS = ("hospital", "hosp", "hospitalized", "hopital", "krankenhaus", "ziekenhuis")
_WHETHER = r"^(?i:[01289]|y|n|s|o|j|yes|no|si|sim|nao|não|oui|non|ja|nein|nee|true|false)$"


def _says_whether(column: str, values: Values) -> bool:
    """Whether a column that is called a hospital says of everybody whether they were in one."""
    return is_one_of(column, _HOSPITALS) is not None and _are_yes_and_no(values)


def _are_yes_and_no(values: Values) -> bool:
    """Whether values are words or numbers for yes, no and unknown."""
    few = values.distinct <= _FEWEST_LETTERS
    return few and bool(values.sample.str.strip_chars().str.contains(_WHETHER).all())


_STATES = re.compile(r" (state|…state|estado|etat|site|…site|location|loc|…location)$")
"""How the names end that are those of places, and of states of health and sites of the body."""


def _is_a_state_of_health(concept: Concept, why: str, values: Values) -> bool:
    """Whether a word for a place is one for a status or a part of the body, by the values.

    Places have names with a capital, and states of which there are few have them as well.
    """
    if concept.name != "place" or not _STATES.search(why):
        return False
    if values.kind == "integer":
        low, high = (None, None) if values.numbers is None else _ends(values.numbers)
        most = FEW if "…" in why else K
        numbered = low in (0, 1) and high is not None and high <= most
        return numbered and values.distinct < most and "sta" in why
    if values.kind != "text" or values.distinct > FEW:
        return False
    plain = not values.sample.str.contains(r"\p{Lu}|\d").any()
    plain = plain or bool(values.sample.str.contains(_WELL_OR_ILL).all())
    done = values.sample.str.contains(_DONE).mean()
    return plain or are_parts_of_the_body(values) or (isinstance(done, float) and done >= MOST / 2)


def _ends(numbers: pl.Series) -> tuple[float | None, float | None]:
    """The least and the largest of numbers."""
    low, high = numbers.min(), numbers.max()
    return (
        low if isinstance(low, float) else None,
        high if isinstance(high, float) else None,
    )


_WELL_OR_ILL = (
    r"(?i)^(healthy|well|ill|sick|stable|critical|early|advanced|late|mild|moderate|severe|acute"
    r"|chronic|good|fair|poor|serious|normal|abnormal|dead|alive|death|remission|relapse"
    r"|progression|progressed|critico|crítico|crítica|critique|critica|kritisch|estable|estável|stabil"
    r"|grave|leve|léger|leicht|schwer|moderado|modéré|moderato|lieve|vivo|viva|muerto|muerta|morto"
    r"|fallecido|fallecida)\b"
)
"""What a state of health begins with, and no state of a country."""
_DONE = r"(?i)\pL{3}(ad[oa]|id[oa]|ed|ing|iert|ée?)\b"
"""How words end for what was done, as those for a status do."""

_MANY_SPOKEN = 20
_FURTHEST = 5
"""Somebody lives so many times as far from a place as somebody else, at least."""

_MANY_KINDS = 100
_OF_KINDS = re.compile(r" (status|type|class|stage|grade|group|category|event|response|outcome)$")


def _means_nothing(column: str, concept: Concept, why: str, values: Values) -> bool:
    """Whether values are too many for what a name says: a status, or a word that is cut short.

    So are those of an ``id_time`` that could number anything.
    """
    if concept.role == "sensitive" and numbers_things(column):
        return could_be_numbers(values) or RARE * values.distinct > values.filled
    if words(column) in (("loc",), ("teaching",)) and values.kind == "float":
        return True  # a locus of control, or a load of lessons
    if concept.name == "place" and "geogr" in why and values.kind == "float":
        return True  # marks for it
    if FOR in why:
        many = concept.name == "sex" and values.distinct > FEW
        return many or could_be_numbers(values)
    if concept.name == "survey" and values.kind == "text" and values.distinct <= _FEWEST_LETTERS:
        return True  # a group that a trial drew lots within
    if concept.name == "stay" and "…" in why:  # phoneservice, trubstay: whether, and of what kind
        return values.kind == "integer" and values.distinct <= _FEWEST_LETTERS
    if concept.name == "age" and len(words(column)) > 2 and _says_yes_or_no(values):
        return why.endswith(" age")  # lied_about_age
    if words(column) == ("distance",) and values.numbers is not None:  # or one in a mouth
        low, high = _ends(values.numbers)
        return low is not None and high is not None and high < _FURTHEST * low
    if why.endswith("…land") and _are_yes_and_no(values):
        return True  # whether somebody was treated in Deutschland
    if concept.name == "language":  # or marks for it
        return values.numbers is not None and values.distinct > _MANY_SPOKEN
    kinds = concept.role == "sensitive" and _OF_KINDS.search(why) is not None
    many = values.kind == "text" and values.distinct > _MANY_KINDS
    return kinds and many and RARE * values.distinct > values.filled and not looks_measured(values)


def _are_no_times(column: str, why: str, values: Values) -> bool:
    """Whether a name that could speak of a time has codes, pressures, or counts for its values."""
    few = values.kind == "integer" and values.largest is not None and values.largest < _HUNDRED
    texts = values.kind == "text" and values.distinct > FEW
    two = few and values.distinct < K and why.endswith((" date", " dates", " fecha", " datum"))
    written = two or (few and why.endswith(" dt")) or (texts and why.endswith((" data", " dat")))
    return written or _are_codes(values) or _are_pressures(column, values)


_HUNDRED = 100
"""Whole numbers below this are no dates, whatever is written for a date: NDT counts."""

_CODES = r"^[A-Za-z]\d\d"
_FEWEST_LETTERS = 3


def _are_codes(values: Values) -> bool:
    """Whether most texts begin with one of several letters and two digits, as no time does."""
    if values.kind != "text":
        return False
    codes = values.sample.filter(values.sample.str.contains(_CODES))
    several = codes.str.slice(0, 1).str.to_uppercase().n_unique() >= _FEWEST_LETTERS
    return several and 2 * len(codes) > len(values.sample)


_LEAST_PRESSURE, _MOST_PRESSURE = 10, 200


def _are_pressures(column: str, values: Values) -> bool:
    """Whether numbers called dias are diastolic pressures, of which none is near 0, and no days."""
    if not is_one_of(column, ("dias", "dia")) or values.numbers is None:
        return False
    low, high = _ends(values.numbers)
    if low is None or high is None or values.distinct <= FEW:
        return False
    return low >= _LEAST_PRESSURE and high <= _MOST_PRESSURE


_SIZES = ("taille", "tamano", "tamanho", "dimensione", "size")
_SMALLEST_BODY = 40.0
_HIGHEST_GRADE = 5.0
_LAST_GRADE = 20.0
"""Years of schooling, with those of a university; pain and tumours have lower grades."""


def _of_a_group(column: str, values: Values) -> tuple[Concept, str] | None:
    """A size that is none of a body is that of a household; a grade above five is of a school."""
    if values.largest is None or values.numbers is None:
        return None
    if values.kind != "integer" and not (values.numbers == values.numbers.round()).all():
        return None
    if is_one_of(column, _SIZES) and values.largest < _SMALLEST_BODY:
        return concept_named("family"), "its name says size, but its values are not body heights"
    if is_one_of(column, ("grade",)) and _HIGHEST_GRADE < values.largest <= _LAST_GRADE:
        return concept_named("education"), "its name says grade, its values are grades of a school"
    return None


def _at_which_age(
    column: str, concept: Concept, why: str, values: Values
) -> tuple[Concept, str] | None:
    """The age at something that a name says in one word: ageblood."""
    glued = concept.role == "sensitive" and " …" in why and len(words(column)) == 1
    glued = glued and column.lower().startswith("age")
    if glued and values.kind == "integer" and could_be_years_of_life(values):
        return concept_named("age"), "its name begins with age, its values are as those of ages"
    return None


_WEIGHTS = (
    "weight", "wght", "wgt", "wt", "poids", "peso", "gewicht", "pondera", "ponderation",
    "ponderacion", "ponderacao", "ponderazione",
)  # fmt: skip
_GLUED_WEIGHT = re.compile(
    r"(?!l?(?:birth|baby|child|new|body|b))(\w{2,}wt|[fhprs]wt|weights|\w+(weight|wght|wgt)|wt(mec|int|saf)\w*)"
)
"""Names such as DISCWT, WTMEC2YR and dweight; newborn children weigh thousands of grams."""
_SHORT = re.compile(r"(?i)(^|_)[fhprs]wt(_|$)")
_MANY_DECIMALS = r"\.\d{4,}$"
_LIGHTEST, _HEAVIEST = 2.0, 1000.0
_HEAVIEST_CHILD = 10_000.0
"""Whole numbers that are called a weight may be the grams of a newborn child below this."""
_FURTHER = 2
"""The largest tenth of a survey's weights are at least so many times as large as the smallest."""


def _is_weight_of_survey(column: str, values: Values) -> bool:
    """Whether numbers called a weight are about 1 or in the thousands, and computed.

    Rounded ones differ more than the weights of newborn children do. Computed ones of a few sizes
    are those of strata.
    """
    glued = any(map(_GLUED_WEIGHT.fullmatch, words(column)))
    named = glued or names_one_of(column, _WEIGHTS) is not None
    middle = None if values.numbers is None else values.numbers.median()
    if values.numbers is None or not isinstance(middle, float) or not named:
        return False
    exact = values.sample.str.strip_chars().str.contains(_MANY_DECIMALS).mean()
    computed = values.kind == "float" and isinstance(exact, float) and exact >= NEARLY_ALL / 2
    strata = glued and (
        RARE * values.distinct <= values.filled or _SHORT.search(column) is not None
    )
    if computed and (strata or not _LIGHTEST <= middle <= _HEAVIEST):
        return True
    if middle <= (_HEAVIEST if values.kind == "float" or glued else _HEAVIEST_CHILD):
        return False
    numbers = np.sort(np.repeat(values.numbers.to_numpy(), values.counts.to_numpy()))
    low, high = numbers[[len(numbers) * tenth // 10 for tenth in (1, 9)]]
    return bool(low > 0 and high >= _FURTHER * low)


def _is_postal(values: Values) -> bool:
    """Whether nearly all values are written as a postal code: four to six digits, all as many."""
    digits = values.sample.str.strip_chars().str.contains(r"^\d{4,6}$")
    share = digits.mean() if len(digits) else None
    return isinstance(share, float) and share >= NEARLY_ALL
