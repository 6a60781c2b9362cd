"""Whether the values of a column number records, or differ in nearly every one."""

from __future__ import annotations

import re

from indistinct.analytics.profile.amounts import (
    looks_measured,
)
from indistinct.analytics.profile.concepts import (
    Concept,
)
from indistinct.analytics.profile.contents import (
    CODES_OF,
    NEARLY_ALL,
)
from indistinct.analytics.profile.names import (
    words,
)
from indistinct.analytics.profile.safe_harbor import numbers_things
from indistinct.analytics.profile.values import Values

K = 5
"""A value that fewer than this many records share counts as rare."""

FEW_RECORDS = 20
"""With fewer records, nothing is said of how unique a column is."""

_ONE_CODE = r"^[\pL\d]+([-_][\pL\d]+)*$"
LEAST_DIGITS = 4
_LEAST_MIXED = 7
"""Letters and digits of codes that have both, in any order."""

NEARLY_EACH = 0.95
"""The share of records that have a code of their own, where some were entered twice."""


def of_one_record(values: Values) -> str:
    """Why each value numbers one record: they are in a row, or codes written alike."""
    if _runs_through(values):
        return "numbers in a row, each in one record, like a record number"
    if values.kind != "text" or values.distinct < FEW_RECORDS:
        return ""
    if values.distinct >= NEARLY_EACH * values.filled and _are_padded(values):
        return "a different code in nearly every record, like a record number"
    if values.distinct < values.filled:
        return ""
    codes = values.sample.filter(values.sample.str.contains(_ONE_CODE))
    if codes.len() < NEARLY_ALL * values.sample.len():
        return ""
    digits, letters = codes.str.count_matches(r"\d"), codes.str.count_matches(r"\pL")
    many = (digits >= LEAST_DIGITS).all()
    mixed = 2 * int((digits > 0).sum()) >= codes.len() and (letters > 1).all()
    mixed = mixed and (digits + letters >= _LEAST_MIXED).all()
    shapes = codes.str.replace_all(r"[\pL\d]", "A")
    alike = shapes.value_counts()["count"].max()
    assert isinstance(alike, int)
    if alike >= NEARLY_ALL * codes.len() and (many or mixed):
        return "a different code in every record, like a record number"
    return ""


_OF_US_PLACES = f"{CODES_OF} us-"
"""How the reason begins for codes of states, counties and ZIP areas, which may hardly repeat."""

_OF_GROUPS = ("occupation", "education", "nationality", "ethnicity")
"""What registers have codes of that are called id: ID_OCUPA."""

_CODE = ("code", "codigo", "no", "nr", "number", "id")


def numbers_records(column: str, values: Values, found: tuple[Concept, str] | None) -> bool:
    """Whether values number records, although the name speaks of what others know: reg, 1 to n.

    Ages and sizes run through by chance where they are few, but hardly from 1 on without a gap.

    Arguments:
        column: the name of the column.
        values: its values.
        found: what the name speaks of, and why.
    """
    if found is None or found[0].name == "time" or found[1].startswith(_OF_US_PLACES):
        return False
    if _runs_through(values):
        return not found[0].measured or _from_one_on(values)
    each = FEW_RECORDS <= values.distinct == values.filled
    if values.kind == "text" and (of_one_record(values) or (each and _have_digits(values))):
        return True
    if found[0].name == "place":
        return False
    called = [word for word in words(column) if not word.isdigit()]
    if values.kind == "integer" and "id" in (called[:1] + called[-1:]):
        # Codes of hospitals are many in small tables, too.
        least = NEARLY_ALL if found[0].name == "stay" else NEARLY_ALL / 2
        nearly = values.distinct >= least * values.filled and values.filled >= FEW_RECORDS
        if nearly and found[0].name not in _OF_GROUPS and not shared_by_many(values):
            return True
    measured = found[0].measured and values.kind != "text"
    return not measured and each and not {*_CODE}.isdisjoint(called[-1:])


_VISITS = ("visit", "visits")
"""Names of how many visits somebody had, and of the number of one."""


def _numbers_sensitive(column: str, values: Values) -> bool:
    """Whether long whole numbers differ in nearly every record and are called a code or a visit."""
    if values.kind != "integer" or values.filled < FEW_RECORDS:
        return False
    if values.distinct < NEARLY_EACH * values.filled:
        return False
    called = [word for word in words(column) if not word.isdigit()]
    long = int((values.sample.str.len_chars() >= LEAST_DIGITS).sum())
    return long >= NEARLY_ALL * values.sample.len() and not {*_CODE, *_VISITS}.isdisjoint(
        called[-1:]
    )


def numbers_stays(column: str, values: Values, concept: Concept) -> str:
    """Why values number stays, families or records, although the name speaks of more, if they do.

    Of stays there are many codes or long numbers, which may repeat, as a stay has several records.
    Days of a stay and trial visits are few.

    Arguments:
        column: its name.
        values: its values.
        concept: what its name speaks of.
    """
    family = concept.name == "family" and numbers_things(column) and values.distinct > FEW_RECORDS
    if family or (_OF_A_HOUSE.search(column) and _are_long_numbers(values)):
        return "it numbers families or households"
    if concept.role == "sensitive" and _numbers_sensitive(column, values):
        return "a different number in nearly every record, like a record number"
    called = [word for word in words(column) if not word.isdigit()]
    if len(called) != 1 or called[0] not in _NUMBERED or values.distinct < FEW_RECORDS:
        return ""
    lengths = values.sample.str.len_chars()
    if (lengths < LEAST_DIGITS).any() or lengths.n_unique() > 2 or not could_be_numbers(values):
        return ""
    return "numbers or codes of stays: they say which records belong together"


_OF_A_HOUSE = re.compile(r"(?i)house|hous?hold|hogar|menage|haushalt|huishoud|famil")


def _are_long_numbers(values: Values) -> bool:
    """Whether whole numbers are long and hardly repeat, as no sizes and codes do."""
    long = values.kind == "integer" and 2 * values.distinct >= values.filled >= FEW_RECORDS
    return long and bool((values.sample.str.len_chars() > LEAST_DIGITS).all())


_NUMBERED = ("visit", "visits", "stay", "stays")


def _have_digits(values: Values) -> bool:
    """Whether nearly all texts have several digits, as telephone numbers and addresses do."""
    share = (values.sample.str.count_matches(r"\d") >= LEAST_DIGITS).mean()
    return isinstance(share, float) and share >= NEARLY_ALL


def _from_one_on(values: Values) -> bool:
    """Whether whole numbers begin at 0 or 1, and hardly one is left out."""
    if values.kind != "integer" or values.numbers is None:
        return False
    low, high = values.numbers.min(), values.numbers.max()
    assert isinstance(low, float)
    assert isinstance(high, float)
    return low in (0, 1) and values.distinct >= _WITHOUT_GAPS * (high - low + 1)


_WITHOUT_GAPS = 0.8


def is_number_of_records(values: Values) -> bool:
    """Whether whole numbers differ in every record, or texts in nearly every one."""
    if values.filled < FEW_RECORDS or values.kind not in ("integer", "text"):
        return False
    if values.kind == "integer":
        return values.distinct == values.filled
    return values.distinct >= NEARLY_EACH * values.filled and not looks_measured(values)


def _runs_through(values: Values) -> bool:
    """Whether values are whole numbers, each once, with hardly a gap."""
    if values.kind != "integer" or values.filled < FEW_RECORDS or values.numbers is None:
        return False
    low, high = values.numbers.min(), values.numbers.max()
    assert isinstance(low, float)
    assert isinstance(high, float)
    return values.distinct == values.filled and high - low < 2 * values.filled


_MANY = 50
_VERY_MANY = 500
_LONG = 4


def could_be_numbers(values: Values) -> bool:
    """Whether values are many long numbers or codes of about one length, or hardly repeat."""
    if values.kind not in ("integer", "text") or values.filled < FEW_RECORDS:
        return False
    numbered = _are_many_or_long(values)
    return numbered and not looks_measured(values)


def _are_many_or_long(values: Values) -> bool:
    most = values.counts.max()
    if values.kind == "integer" and isinstance(most, int) and 10 * most >= values.filled:
        # Amounts, of which many are 0, have many lengths.
        return values.distinct > _MANY and values.sample.str.len_chars().n_unique() <= 2
    if 2 * values.distinct >= values.filled or (
        values.kind == "integer" and (values.distinct > _VERY_MANY or _are_used_up(values))
    ):
        return True
    if values.distinct < _MANY:
        return _are_padded(values)
    lengths = values.sample.str.len_chars()
    long = bool((lengths >= _LONG).all()) and lengths.n_unique() <= 2
    return long and bool(values.sample.str.contains(r"\d").all())


_PADDED = r"^\pL{1,6}[-_ ]?\d{3,}$"


def _are_padded(values: Values) -> bool:
    """Whether codes are the same letters and digits filled up with zeros: P0042, P0007."""
    texts = values.sample
    if values.kind != "text" or values.distinct < K or not texts.str.contains(_PADDED).all():
        return False
    heads = texts.str.replace(r"\d+$", "")
    zeros = texts.str.contains(r"\D0\d*$").any()
    return bool(zeros) and heads.n_unique() == 1 and texts.str.len_chars().n_unique() == 1


_FEWEST_USED_UP = 50


def _are_used_up(values: Values) -> bool:
    """Whether whole numbers are given out one after the other, as those of people are."""
    return values.distinct >= _FEWEST_USED_UP and _from_one_on(values)


PER_PLACE = 10
"""Records of each place, on average, from which on its numbers are not those of people."""

MOST_OF_A_PERSON = 20
"""One person hardly has more than one of so many records of a table."""


def shared_by_many(values: Values) -> bool:
    """Whether a value has many records on average, or one value more than a person could have."""
    most = values.counts.max()
    assert isinstance(most, int)
    often = most >= PER_PLACE and MOST_OF_A_PERSON * most >= values.filled
    return often or PER_PLACE * values.distinct <= values.filled
