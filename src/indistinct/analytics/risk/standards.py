"""Does a table meet a standard that people ask for: HIPAA's Safe Harbor, or a risk threshold?

**Safe Harbor** is one of two ways in which the United States' Privacy Rule lets health data count
as de-identified (45 CFR 164.514(b)(2)): eighteen kinds of identifiers are left out, and the
publisher knows of no way to identify anybody with the rest. Tested is what a table can show:
whether a column looks like one of the eighteen kinds, ages above 89, zip codes of more than three
digits or of areas with 20,000 people or fewer, dates more exact than a year.

**Thresholds** bound the highest risk of any record; each is the inverse of a smallest class. There
is no value that all agree on (NIST IR 8053, section 3); those known here, and who names them:

* 0.05, classes of 20: strict releases to everybody. K. El Emam, L. Arbuckle: "Anonymizing Health
  Data". O'Reilly, 2013, chapter 2.
* 0.09, classes of 11: European Medicines Agency, "External guidance on the implementation of the
  European Medicines Agency policy on the publication of clinical data for medicinal products for
  human use" (Policy 0070), EMA/90915/2016; Health Canada, "Guidance document on Public Release of
  Clinical Information", 2019.
* 0.1, 0.2 and 0.33, classes of 10, 5 and 3: K. El Emam: "Guide to the De-Identification of Personal
  Health Information". CRC Press, 2013, chapter 18: the more, the better a recipient is bound by
  contract.

None of this is legal advice, and a verdict is no certificate: a rule is applied by people.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import polars as pl

from indistinct.analytics.profile.described import AttributeProfile, Profile
from indistinct.analytics.profile.names import is_one_of, names_one_of, words
from indistinct.analytics.profile.one_column import count_values
from indistinct.analytics.profile.safe_harbor import AGE, BESIDE_AGE, KINDS, MATCHING_SHARE, OLDEST
from indistinct.document import Document, Line, Part, PlainData, many, some_of
from indistinct.errors import DataError, PolicyError, Problem, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.sources.table import Table
from indistinct.types import Ints

SAFE_HARBOR = "hipaa-safe-harbor"

NOT_ADVICE = "This is not legal advice: it says what can be tested on a table; people decide."

FEW_PEOPLE = 20_000
"""Three-digit zip areas of no more people than this are published as 000."""

RESTRICTED = frozenset(
    ("036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878",
     "879", "884", "890", "893")
)  # fmt: skip
"""The areas of 20,000 people or fewer by the Census of 2000, as the guidance of the Department of
Health and Human Services of 26 November 2012 lists them."""

_ZIP_NAMES = ("zip", "zip code", "zip3", "zipcode", "zcta", "post code", "postcode", "postal code",
              "postal", "plz")  # fmt: skip
_PEOPLE_NAMES = ("population", "people", "inhabitants", "persons", "residents", "count", "total")
_AGES = (*AGE, "ages", "age years", "age yrs", "age group", "age grp", "age band", "age cat")
_PER_YEAR = {"month": 12, "months": 12, "week": 52, "weeks": 52, "day": 365, "days": 365}
_BIRTH_NAMES = ("birth", "dob", "born", "geburtsdatum", "geburtsjahr", "naissance", "nacimiento")
_DIGITS = re.compile(r"(\d*)[*xX]*(?:-\d{4})?")
_YEAR = re.compile(r"(1[5-9]|20|21)\d\d(\.0)?|\d{3}0s")
_MONTH = (
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|"
    "oct(ober)?|nov(ember)?|dec(ember)?"
)
_FINE = re.compile(
    r"(?<!\d)(18|19|20|21)\d\d[-/ ]?(Q[1-4]|W\d\d?|H[12])(?!\d)"
    r"|(?<!\d)(18|19|20|21)\d\d[-/](0?[1-9]|1[0-2])(?!\d)"
    r"|^(0?[1-9]|1[0-2])/(18|19|20|21)\d\d$"
    rf"|^(\d{{1,2}}\.? )?({_MONTH})[.,]?( \d{{1,2}},?)?([ -](\d\d)?\d\d)?$",
    re.I,
)
"""A date, or a part of one below the year: 2024-03, 2024-Q1, 3/2024, March 2024, March."""
_OPEN = re.compile(
    r"^(>=?|≥|over |above )|(\+| and (over|above|older)| or (older|more|over))$", re.I
)
_BELOW = re.compile(r"^(<=?|≤|under |below |less than |up to )\s*\d+(\.\d+)?$", re.I)
_INTERVAL = re.compile(r"[\[(]?\s*(\d+(?:\.\d+)?)\s*(?:-|–|,|\.\.)\s*(\d+(?:\.\d+)?)\s*([\])]?)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class StandardCheck(PlainData):
    """One thing that a standard asks.

    ``holds`` is None where a table alone cannot tell; ``attribute`` is the column it is about.
    """

    told_keys: ClassVar = "what attribute holds why"

    what: str
    holds: bool | None
    why: str
    attribute: str | None = None


WORDS = {True: "holds", False: "FAILS", None: "look"}
"""How a verdict is told; ``look`` is what a table alone cannot decide."""


@dataclass(frozen=True)
class StandardVerdict(PlainData, Document):
    """What a table says by one standard.

    ``holds`` is False where a check fails, None where none fails and one cannot be decided.
    ``beyond`` is what the standard asks and no program can look at.
    """

    told_keys: ClassVar = "name title source holds checks note"

    name: str
    title: str
    source: str
    checks: tuple[StandardCheck, ...]
    beyond: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether everything that was checked holds."""
        found = [check.holds for check in self.checks]
        return False if False in found else None if None in found else True

    @property
    def note(self) -> str:
        """What must be read with the verdict."""
        return f"{self.beyond} {NOT_ADVICE}".strip()

    def parts(self) -> Iterator[Part]:
        """The verdict, and the checks that decide it."""
        yield Line(f"\n{self.title}: {WORDS[self.holds]}", "title")
        failing = [check for check in self.checks if check.holds is not True]
        passing = [check for check in self.checks if check.holds is True]
        for check in failing or passing:
            of = "" if check.attribute is None else f"{check.attribute}: "
            yield Line(f"  {WORDS[check.holds]}  {check.what}\n         {of}{check.why}")
        if failing and passing:
            yield Line(f"  {many(len(passing), 'other check holds', 'other checks hold')}")
        yield Line(f"source: {self.source}")
        yield Line(self.note)


@dataclass(frozen=True)
class RiskThreshold:
    """A usual bound of the highest risk, and the smallest class that it stands for."""

    name: str
    k: int
    title: str
    source: str


THRESHOLDS: tuple[RiskThreshold, ...] = (
    RiskThreshold(
        "0.05",
        20,
        "highest risk of 0.05: classes of 20",
        "El Emam and Arbuckle, Anonymizing Health Data, 2013",
    ),
    RiskThreshold(
        "0.09",
        11,
        "highest risk of 0.09: classes of 11",
        "European Medicines Agency, Policy 0070, guidance EMA/90915/2016; Health Canada, Public "
        "Release of Clinical Information, 2019",
    ),
    RiskThreshold(
        "0.1",
        10,
        "highest risk of 0.1: classes of 10",
        "El Emam, Guide to the De-Identification of Personal Health Information, 2013",
    ),
    RiskThreshold(
        "0.2",
        5,
        "highest risk of 0.2: classes of 5",
        "El Emam, Guide to the De-Identification of Personal Health Information, 2013",
    ),
    RiskThreshold(
        "0.33",
        3,
        "highest risk of 0.33: classes of 3",
        "El Emam, Guide to the De-Identification of Personal Health Information, 2013",
    ),
)
"""The thresholds known by name, the strictest first."""

ALIASES: Mapping[str, str] = {
    "ema": "0.09",
    "ema-policy-0070": "0.09",
    "health-canada": "0.09",
    "hipaa": SAFE_HARBOR,
    "safe-harbor": SAFE_HARBOR,
}

NAMES: tuple[str, ...] = (SAFE_HARBOR, *(item.name for item in THRESHOLDS), *ALIASES)


def standard_names(given: Iterable[str]) -> tuple[str, ...]:
    """The names of standards, aliases resolved, each once.

    Raises:
        PolicyError: for a name that is no standard's.

    >>> standard_names(["ema", "0.09", "0.05"])
    ('0.09', '0.05')
    """
    known = {SAFE_HARBOR, *(item.name for item in THRESHOLDS)}
    found = [ALIASES.get(name, name) for name in map(str, given)]
    problems = [
        Problem("unknown-standard", f"no standard '{name}': {did_you_mean(name, NAMES)}")
        for name in found
        if name not in known
    ]
    refuse(PolicyError, problems)
    return tuple(dict.fromkeys(found))


def by_threshold(
    name: str, size: Ints, people: Ints | None = None, suppressed: int = 0
) -> StandardVerdict:
    """Whether the highest risk stays within a threshold.

    Arguments:
        name: the threshold's name.
        size: records of every class.
        people: people of the population in every class, where they were counted: then the
            journalist's risk is looked at, else the prosecutor's.
        suppressed: records in no class. Who fits no class and is in the table is one of them; how
            many people of the population fit none is not known.
    """
    asked = next(item for item in THRESHOLDS if item.name == name)
    held = size if people is None else people
    who = "prosecutor" if people is None else "journalist"
    records = int(size.sum())
    what = f"the highest risk ({who}) is at most 1/{asked.k}"
    if not records:
        check = StandardCheck(what, True, "no record is in any class")
    else:
        least = int(held.min())
        small = int(size[held < asked.k].sum())
        of = many(least, "record" if people is None else "person")
        why = f"the smallest class has {of}: a risk of {1 / least:.3g}"
        if small:
            why += (
                f"; {some_of(small, records, 'record')} ({small / records:.1%}) are in classes of "
            )
            why += f"fewer than {asked.k}"
        check = StandardCheck(what, small == 0, why)
    checks = [check]
    if suppressed:
        holds = True if suppressed >= asked.k else False if people is None else None
        what = f"records with * in every quasi-identifier are {asked.k} or more"
        among = many(suppressed, "record", "records")
        why = f"who is in the table and fits no class is one of {among}: a risk of "
        checks.append(StandardCheck(what, holds, f"{why}{1 / suppressed:.3g}"))
    return StandardVerdict(asked.name, asked.title, asked.source, tuple(checks))


# Safe Harbor -----------------------------------------------------------------------------------


def safe_harbor(
    table: Table,
    looks: Profile,
    zip_people: Mapping[str, int] | None = None,
    *,
    year: int | None = None,
) -> StandardVerdict:
    """Hold a table against the rule's concrete tests.

    Arguments:
        table: what would be published.
        looks: the profile of its columns.
        zip_people: people of every three-digit zip area, where they are known.
        year: the year from which ages are reckoned; that of today without.
    """
    year = dt.date.today().year if year is None else year
    checks: list[StandardCheck] = []
    for kind in KINDS:
        tagged = [
            item
            for item in looks.attributes
            if any(tag.kind.letter == kind.letter for tag in item.tags)
        ]
        what = f"({kind.letter}) {kind.title}"
        found: list[StandardCheck] = []
        if kind.name == "places":
            for item in tagged:
                found.append(_place(table, item, what, zip_people))
        elif kind.name == "dates":
            found += _dates_and_ages(table, looks, what, year)
        else:
            for item in tagged:
                why = next(tag.why for tag in item.tags if tag.kind.letter == kind.letter)
                found.append(StandardCheck(what, False, why, item.attribute))
        checks += found or [StandardCheck(what, True, "no column looks like it")]
    checks += [
        StandardCheck(
            "free text",
            None,
            "free text may hold any of the eighteen: read it, or leave it out",
            item.attribute,
        )
        for item in looks.attributes
        if item.free_text
    ]
    return StandardVerdict(
        SAFE_HARBOR,
        "HIPAA Privacy Rule, Safe Harbor",
        "45 CFR 164.514(b)(2); guidance of the Department of Health and Human Services, 26 "
        "November 2012",
        tuple(checks),
        "The rule also requires that the publisher knows of no way to identify anybody with what "
        "is left; no program can check that.",
    )


def _texts(table: Table, column: str) -> list[str]:
    values = count_values(table, column)["value"].drop_nulls().to_list()
    return [str(value).strip() for value in values if str(value).strip() != "*"]


def _place(
    table: Table, item: AttributeProfile, what: str, zip_people: Mapping[str, int] | None
) -> StandardCheck:
    """Zip codes of three digits may be published where enough people live; no other place may."""
    name = item.attribute
    values = _texts(table, name)
    if not values:
        return StandardCheck(what, True, "every value is suppressed", name)
    parts = [_DIGITS.fullmatch(value) for value in values]
    if not all(parts):
        why = next(tag.why for tag in item.tags if tag.kind.name == "places")
        return StandardCheck(what, False, f"{why}; only states may be named", name)
    prefixes = [part[1] for part in parts if part is not None]
    longest = max(len(prefix) for prefix in prefixes)
    if item.kind == "integer":  # a number has lost the zeros that it began with
        longest = 3 if longest <= 3 else max(longest, 5)
        prefixes = [prefix.zfill(longest) for prefix in prefixes]
    if longest > 3:
        return StandardCheck(
            what, False, f"zip codes of {longest} digits: no more than three may stay", name
        )
    areas = sorted({prefix for prefix in prefixes if len(prefix) == 3 and prefix != "000"})
    if not areas:
        return StandardCheck(what, True, "no zip code has three digits or more", name)
    if zip_people is None:
        listed = [area for area in areas if area in RESTRICTED]
        if listed:
            return StandardCheck(
                what,
                False,
                f"areas of 20,000 people or fewer by the Census of 2000: {', '.join(listed)}",
                name,
            )
        return StandardCheck(
            what,
            None,
            f"{len(areas)} three-digit areas: whether more than {FEW_PEOPLE:,} people live in each "
            "needs a population file",
            name,
        )
    small = [area for area in areas if zip_people.get(area, 0) <= FEW_PEOPLE]
    if small:
        told = ", ".join(small[:10]) + (f" and {len(small) - 10} more" if len(small) > 10 else "")
        return StandardCheck(
            what,
            False,
            f"{len(small)} of {len(areas)} three-digit areas have {FEW_PEOPLE:,} people or fewer, "
            f"or are not in the population file, and must be 000: {told}",
            name,
        )
    return StandardCheck(
        what, True, f"each of {len(areas)} three-digit areas has more than {FEW_PEOPLE:,} people",
        name,
    )  # fmt: skip


def _dates_and_ages(table: Table, looks: Profile, what: str, year: int) -> Iterator[StandardCheck]:
    for item in looks.attributes:
        name = item.attribute
        is_age = bool(is_one_of(name, AGE, BESIDE_AGE) or names_one_of(name, _AGES))
        is_birth = bool(names_one_of(name, _BIRTH_NAMES))
        tags = [tag for tag in item.tags if tag.kind.name == "dates"]
        values = _texts(table, name) if is_age or is_birth or tags or item.kind == "text" else []
        if is_age:
            yield _ages(values, what, name)
            continue
        if not (is_birth or tags or _are_dates(values)):
            continue
        fine = sum(not _YEAR.fullmatch(value) for value in values)
        if fine:
            told = "its name refers to birth" if is_birth else "its values are dates"
            why = tags[0].why if tags else told
            yield StandardCheck(
                what,
                False,
                f"{why}; {some_of(fine, len(values), 'different value is')} more exact than a year",
                name,
            )
        elif is_birth and (old := _oldest(values, year)) is not None and old > OLDEST:
            yield StandardCheck(what, False, f"years of birth disclose ages over {OLDEST}", name)
        else:
            yield StandardCheck(what, True, "no value is more exact than a year", name)


def _are_dates(values: Sequence[str]) -> bool:
    """Whether texts are dates, or parts of dates below the year."""
    fine = sum(_FINE.search(value) is not None for value in values)
    years = sum(_YEAR.fullmatch(value) is not None for value in values)
    return fine > 0 and fine + years >= MATCHING_SHARE * len(values)


def _oldest(values: Iterable[str], year: int) -> int | None:
    years = [int(value[:4]) for value in values if value[:4].isdigit()]
    return year - min(years) if years else None


def _ages(values: Iterable[str], what: str, name: str) -> StandardCheck:
    per_year = next((_PER_YEAR[word] for word in words(name) if word in _PER_YEAR), 1)
    told = [_tells_age(value, per_year) for value in values]
    if any(item is False for item in told):
        return StandardCheck(
            what,
            False,
            f"ages over {OLDEST} occur: they belong together as 90 or older",
            name,
        )
    if any(item is None for item in told):
        return StandardCheck(
            what, None, "90 occurs: it must stand for 90 or older, and nothing else", name
        )
    return StandardCheck(what, True, f"no age over {OLDEST} is disclosed", name)


def _tells_age(text: str, per_year: int = 1) -> bool | None:
    """Whether a text is silent on ages over 89; None where it may be.

    >>> [_tells_age(text) for text in ("89", "90", "91", ">=90", "90+", "[85, 90)", "90-94", "<90")]
    [True, None, False, True, True, True, False, True]
    """
    if per_year > 1:
        ages = [float(number) / per_year for number in _NUMBER.findall(text)]
        return not ages or max(ages) < OLDEST + 1
    top = OLDEST + 1
    if _BELOW.search(text):
        strictly = not text.startswith(("<=", "≤")) and not text.lower().startswith("up to")
        return float(_NUMBER.findall(text)[-1]) <= (top if strictly else OLDEST)
    if _OPEN.search(text):
        numbers = [float(number) for number in _NUMBER.findall(text)]
        return not numbers or max(numbers) <= top
    if (found := _INTERVAL.fullmatch(text)) is not None:
        high = float(found[2])
        return high <= (top if found[3] == ")" else OLDEST)
    numbers = [float(number) for number in _NUMBER.findall(text)]
    if not numbers or max(numbers) <= OLDEST:
        return True
    return None if max(numbers) == top else False


def people_by_zip(frame: pl.DataFrame, name: str = "the population") -> dict[str, int]:
    """How many people live in every three-digit zip area.

    Arguments:
        frame: a table with a column of zip codes, as text, and one with numbers of people
            (``population``, ``people``, ...); without the second, a row for every person.
        name: what messages call it.

    Raises:
        DataError: no column looks like zip codes, or a number of people is none.
    """
    zips = _first(frame.columns, lambda column: bool(names_one_of(column, _ZIP_NAMES)))
    if zips is None:
        raise DataError(
            "no-zip-column",
            "no column looks like one of zip codes",
            file=name,
            remedy="call it zip",
        )
    count = _first(frame.columns, lambda column: bool(is_one_of(column, _PEOPLE_NAMES)))
    people = pl.lit(1) if count is None else pl.col(count).cast(pl.Float64, strict=False)
    codes = pl.col(zips).cast(pl.String).str.strip_chars()
    # Codes that begin with zeros lose them where a program takes them for numbers.
    numbers = codes.str.contains(r"^\d{3,4}$") & codes.str.contains(r"^\d{5}").any()
    codes = pl.when(numbers).then(codes.str.zfill(5)).otherwise(codes)
    codes = pl.when(codes.str.contains(r"^\d{1,2}$")).then(codes.str.zfill(3)).otherwise(codes)
    counted = frame.select(codes.str.slice(0, 3).alias("area"), people.alias("people"))
    wrong = counted["people"].is_null() | ~counted["people"].cast(pl.Float64).is_finite()
    if wrong.any():
        rows = tuple(int(row) + 1 for row in wrong.arg_true().to_list()[:11])
        raise DataError(
            "bad-number", "is not a number of people", file=name, attribute=count, rows=rows
        )
    summed = counted.drop_nulls("area").group_by("area").agg(pl.col("people").sum())
    return {area: int(total) for area, total in summed.iter_rows()}


def _first(columns: Iterable[str], test: Callable[[str], bool]) -> str | None:
    return next((column for column in columns if test(column)), None)
