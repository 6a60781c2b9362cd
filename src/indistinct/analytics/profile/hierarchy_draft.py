"""A first hierarchy for a quasi-identifier, from what its values look like.

Numbers become intervals of a round width, of which there are ten to twenty; dates become months,
quarters and years; codes lose characters from the right; a few ordered groups are merged in runs;
everything else is published as it is or not at all, and a person may draw a tree.
"""

from __future__ import annotations

import math
import re
from typing import Literal

import polars as pl

from indistinct.analytics.profile.concepts import Concept
from indistinct.analytics.profile.contents import Content
from indistinct.analytics.profile.names import all_words, apart, names_one_of, starts_with_one_of
from indistinct.analytics.profile.safe_harbor import OLDEST, names_an_age
from indistinct.analytics.profile.values import Values
from indistinct.frozen import dataclass
from indistinct.hierarchies.month_names import place_in_calendar
from indistinct.types import Plain, PlainMapping

MOST_INTERVALS = 20
"""The width is the smallest round one that gives no more intervals than this."""

FEW_CATEGORIES = 20
"""Up to this many categories are written into the policy, for a person to group."""

FEW_YEARS = 15
"""Dates of more years than this, such as births, have ranges of months, others of days."""

FEW_STEPS = 6
"""A code loses its characters in no more steps than this."""

MOST_EXACT = 2**53
"""Whole numbers up to this one have an exact float."""

ZIP = (
    "zip", "zip code", "post code", "postal", "postal code", "plz", "postleitzahl", "code postal",
    "codigo postal",
)  # fmt: skip


MASKED = "codes lose their last characters, step by step"


Type = Literal["category", "number", "date", "text"]


@dataclass(frozen=True)
class Draft:
    """A suggested hierarchy: as a policy writes it, why, and categories that may be grouped."""

    spec: str | PlainMapping | None = None
    why: str = ""
    categories: tuple[str, ...] = ()
    uncovered: str | None = None

    @property
    def by_itself(self) -> bool:
        """Whether values become nothing that they have in common, or lose characters."""
        return self.spec == "suppress" or self.why == MASKED


_COUNTED = (
    "n", "num", "number", "count", "counts", "total", "times", "days", "hours", "hrs", "minutes",
    "weeks", "months", "years", "year", "yr", "yrs", "visits", "amount", "dose", "rate", "size",
    "per", "freq", "avg", "mean", "max", "min", "score", "pct", "percent", "ratio", "volume", "los",
    "stay", "mons", "time", "nbr", "age", "alter",
)  # fmt: skip
_CODED = (
    "id", "ids", "code", "codes", "cd", "type", "class", "cat", "category", "status", "group",
    "grp", "level", "stage", "grade", "ind", "flag", "source", "disposition", "concept", "unit",
    "ward", "facility", "hospital", "clinic", "site", "center", "centre", "cluster",
)  # fmt: skip
_GROUPED = ("group", "grp", "category", "band", "class", "bracket")
_GROUPED_AGES = ("agegr", "agecat", "ageband", "ageclass")
_FEW_CODES = 10
_LARGEST_CODE = 20
_UNMEASURED = 12


def type_of(
    column: str, values: Values, concept: Concept | None = None, content: Content | None = None
) -> Type:
    """What values are: dates, numbers that count or measure, categories, or other texts.

    Whole numbers are categories where there are few and small ones, and where the name speaks of
    codes; not where it speaks of a count.

    Arguments:
        column: the name of the column.
        values: its values.
        concept: what it is about, if that is known.
        content: what its values are found to be.
    """
    if values.kind in ("date", "datetime") or (content and content.since):
        return "date"
    if content and content.ages:
        return "text"
    if values.kind == "float" or values.numbers is None:
        few = values.distinct <= FEW_CATEGORIES or values.distinct * 20 <= values.filled
        certain = content is not None and content.certain
        known = certain or values.kind == "boolean" or names_one_of(column, _CODED) is not None
        return "number" if values.kind == "float" else "category" if few or known else "text"
    if (content and content.code_system) or values.distinct <= 2:
        return "category"
    column = apart(column)
    few = values.distinct <= _FEW_CODES and (values.largest or 0) <= _LARGEST_CODE
    if few and (names_one_of(column, _GROUPED) or starts_with_one_of(column, _GROUPED_AGES)):
        return "category"
    if names_one_of(column, _COUNTED) or (concept and concept.name in ("age", "birth", "death")):
        return "number"
    if names_one_of(column, _CODED):
        return "category"
    named = concept and concept.name in (
        "place",
        "nationality",
        "ethnicity",
        "language",
        "religion",
    )
    if named or (concept and not concept.measured and values.distinct <= _UNMEASURED):
        return "category"
    return "category" if few and values.kind == "integer" else "number"


def draft_hierarchy(
    column: str, values: Values, kind: Type, content: Content | None = None
) -> Draft:
    """The hierarchy to suggest for a quasi-identifier.

    Arguments:
        column: Its name.
        values: Its values.
        kind: What they are.
        content: The code system that they belong to, if they do.
    """
    if content is not None and content.code_system and values.distinct > 1:
        spec = {"code_system": content.code_system}
        stray = "suppress" if content.stray else None
        return Draft(spec, f"codes of {content.code_system} become what they belong to", (), stray)
    if content is not None and content.since:
        days = {"format": content.since, "levels": ["month", "quarter", "year"]}
        return Draft({"date": days}, f"numbers of days, read as {content.since}")
    if content is not None and content.ages:
        years = {"width": 5, "top": OLDEST + 1, "read": "ages"}
        why = f"ages are read in years; those over {OLDEST} are put together"
        return Draft({"intervals": years}, why, (), "suppress" if content.stray else None)
    if content is not None and content.parts_of_years and values.distinct > 2:
        parts = {"mask": {"from": "right", "step": 2}}
        return Draft(parts, "months or weeks of a year become the year")
    draft = _draft(column, values, kind)
    if values.stray:
        return Draft(draft.spec, draft.why, draft.categories, "suppress")
    return draft


def round_width(span: float, whole: bool = False) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50 … (or 0.5, 0.2 …) that divides the span into few parts.

    >>> round_width(82, whole=True)
    5
    >>> round_width(0.9)
    0.05
    """
    exact = max(span, 0.0) / MOST_INTERVALS
    power = math.floor(math.log10(exact)) if exact > 0 else 0
    for exponent in (power - 1, power, power + 1):
        for step in (1, 2, 5):
            width: float = step * 10**exponent if exponent >= 0 else step / 10**-exponent
            if width >= exact and (not whole or width >= 2):
                return width
    return 2 if whole else 1.0


_MANY = Draft("suppress", "many categories without an order: draw a tree, or name a file")


def _draft(column: str, values: Values, kind: Type) -> Draft:
    if values.distinct <= 2:
        return _suppression(values, "two values or fewer: published as they are, or not at all")
    if values.mixed_dates:
        return Draft("suppress", "dates written in several ways: write them alike")
    if values.kind in ("date", "datetime"):
        return _dates(values)
    if values.numbers is not None and values.kind in ("integer", "float"):
        if names_one_of(column, ZIP):
            return _mask(values)
        if kind == "number":
            return _intervals(column, values)
        if values.distinct > FEW_CATEGORIES:
            return _mask(values) if _alike(values) else _MANY
        return _suppression(values, "numbers that name categories")
    if values.kind == "text":
        return _of_texts(column, values)
    return Draft("suppress", "as numbers, of days or hours, they would be put into intervals")


def _of_texts(column: str, values: Values) -> Draft:
    if values.distinct > 2 and names_one_of(column, ZIP):
        return _mask(values)
    if cut := _cut_times(values):
        return cut
    if values.distinct <= FEW_CATEGORIES:
        return _groups(values) or _calendar(values) or _suppression(values, "few categories")
    if _alike(values):
        return _mask(values)
    return _MANY


def _suppression(values: Values, why: str) -> Draft:
    few = 2 < values.distinct <= FEW_CATEGORIES
    return Draft("suppress", why, tuple(values.texts.sort().to_list()) if few else ())


def _dates(values: Values) -> Draft:
    years = (values.last - values.first).days / 365 if values.first and values.last else 0
    levels = ["day", "month", "quarter", "year"]
    if years > FEW_YEARS:
        levels = ["month", "year", "decade"]
        levels = ["day", *levels] if values.kind == "datetime" else levels
    settings: Plain = {"levels": levels}
    if values.date_format not in (None, "iso"):
        settings = {"format": values.date_format, **settings}
    wider = levels if values.kind == "datetime" else [one for one in levels if one != "day"]
    why = f"dates are generalized to {', then '.join(wider)}; ranges begin and end with a "
    return Draft({"date": settings}, why + levels[0])


def _intervals(column: str, values: Values) -> Draft:
    assert values.numbers is not None
    whole = values.kind == "integer"
    frame = pl.DataFrame({"number": values.numbers, "count": values.counts}).drop_nulls()
    frame = frame.filter(pl.col("number").is_finite()).sort("number")
    numbers = frame["number"]
    below = frame["count"].cum_sum() / frame["count"].sum()
    low, high = float(numbers[0]), float(numbers[-1])
    bulk_low = float(numbers.filter(below >= 0.01)[0])
    bulk_high = float(numbers.filter(below >= 0.99)[0])
    if high - low > MOST_EXACT:
        return Draft("suppress", "the numbers lie too far apart for intervals of one width")
    settings: Plain = {}
    ages = high > OLDEST >= low and names_an_age(column, high)
    if ages:
        width = round_width(OLDEST + 1 - low, whole=whole)
        settings["top"] = OLDEST + 1
    elif high - low > 3 * (bulk_high - bulk_low) > 0:
        width = round_width(bulk_high - bulk_low, whole=whole)
        if low < bulk_low - 2 * width:
            settings["bottom"] = _multiple(math.floor(bulk_low / width), width)
        if high > bulk_high + 2 * width:
            settings["top"] = _multiple(math.floor(bulk_high / width) + 1, width)
    else:
        width = round_width(high - low, whole=whole)
    why = f"numbers are put into intervals of {width:g}, then wider ones"
    if ages:
        why += f"; ages over {OLDEST} are put together, as Safe Harbor has it"
    return Draft({"intervals": {"width": width, **settings}}, why)


def _multiple(times: int, width: float) -> float:
    """A multiple of a round width, without the noise of binary fractions."""
    return times * width if isinstance(width, int) else float(f"{times * width:.12g}")


def _alike(values: Values) -> bool:
    """Whether the values are codes of one length."""
    lengths = values.sample.str.len_chars()
    code = values.sample.str.contains(r"^[\p{L}\d.\-/]+$").all()
    return bool(code and lengths.n_unique() == 1 and 3 <= lengths[0] <= 20)


def _mask(values: Values) -> Draft:
    longest = values.texts.str.len_chars().max()
    assert isinstance(longest, int)
    settings: Plain = {"from": "right"}
    if longest > FEW_STEPS:
        settings["step"] = math.ceil(longest / FEW_STEPS)
    return Draft({"mask": settings}, MASKED)


_PARTS = (
    (r"^\d\d:\d\d(:\d\d)?$", 2, "times of the day become hours"),
    (r"^(19|20)\d\d\D{1,2}\d{1,2}$", 4, "quarters, terms, months and weeks become years"),
)


def _cut_times(values: Values) -> Draft | None:
    """Times of the day and parts of years, without what stands behind the hour or the year."""
    lengths = values.sample.str.len_chars()
    if values.distinct < _FEWEST_GROUPS or lengths.n_unique() > 1:
        return None
    for pattern, kept, why in _PARTS:
        if values.sample.str.contains(pattern).all():
            step = 3 if kept == 2 else int(lengths[0]) - kept
            return Draft({"mask": {"from": "right", "step": step}}, why)
    return None


_FEWEST_GROUPS = 4
_FIRST_NUMBER = re.compile(r"\d+(\.\d+)?")
_BELOW = re.compile(r"^\s*(<|-\d|[\[(]-inf|under|below|less|unter|moins|menos)", re.IGNORECASE)
_SEVERAL = re.compile(r"\d\s*(-|–|to|bis|\+|_to_|,\s*\d+(\.\d+)?[\])])")


def _groups(values: Values) -> Draft | None:
    """Ordered groups such as 0-9, 10-19, 20+: every category starts with a number."""
    texts = values.texts.to_list()
    if len(texts) < _FEWEST_GROUPS:
        return None
    found = [_FIRST_NUMBER.search(text) for text in texts]
    if not all(found) or not any(map(_SEVERAL.search, texts)):
        return None
    ranks = [
        (float(match.group()) - (0.5 if _BELOW.match(text) else 0), text)
        for match, text in zip(found, texts, strict=True)
        if match
    ]
    if len({rank for rank, _ in ranks}) < len(ranks):
        return None
    ordered = [text for _, text in sorted(ranks)]
    spec = {"order": {"values": ordered, "run": 2}}
    return Draft(spec, "ordered groups; neighbours are merged")


def _calendar(values: Values) -> Draft | None:
    """Quarters of the year, or days of the week and the weekend."""
    places: dict[tuple[str, int], str] = {}
    for text in values.texts.to_list():
        known = {place for word in all_words(text) if (place := place_in_calendar(word))}
        if len(known) != 1 or places.setdefault(known.pop(), text) != text:
            return None
    kinds = {kind for kind, _ in places}
    if len(kinds) != 1 or len(places) < 4:
        return None
    ends, why = _RUNS[kinds.pop()]
    ordered = sorted(places)
    runs = [[places[one] for one in ordered if start <= one[1] < end] for start, end in ends]
    settings: Plain = {"runs": [run for run in runs if run]}
    return Draft({"order": settings | ({"run": 2} if len(ends) > 2 else {})}, why)


_RUNS = {
    "month": (((0, 3), (3, 6), (6, 9), (9, 12)), "months become quarters, then halves of the year"),
    "day": (((0, 5), (5, 7)), "days of the week become working days and the weekend"),
}
"""The runs of neighbours of the first level, and what they are."""
