"""The values of one column, as texts: what kind they are, and which stand for a missing one.

Files tell no types, so numbers and dates are recognised by how they are written. A word such as
``N/A`` among numbers is taken for a missing value, and so is a date that is none (9999-99-99) or
that lies apart from all others (0001-01-01, 1900-01-01); a few values that fit in with nothing are
told as strays.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta

import polars as pl

from indistinct.frozen import dataclass, field
from indistinct.hierarchies.dates import formats
from indistinct.hierarchies.moments import UNKNOWN
from indistinct.hierarchies.month_names import in_english

MISSING_AMONG_NUMBERS = frozenset(
    (
        "na", "n/a", "n.a.", "n.a", "na.", "#n/a", "nan", "null", "nil", "none", "?", "??", "-",
        "--", "---", ".", "..", "...", "*", "/", "//", "unknown", "unk", "missing", "not available",
        "not known", "not recorded", "not applicable", "undefined", "unbekannt", "k.a.", "k. a.",
        "keine angabe", "fehlt", "inconnu", "inconnue", "manquant", "non renseigne",
        "non renseigné", "desconocido", "sin dato", "sin datos", "(null)", "<na>", "#value!",
        "sd", "s/d", "s.d.", "ns", "nr", "ns/nr", "nd", "n/d", "nc", "dk", "no aplica",
        "no especificado", "sin especificar", "se ignora", "ignorado", "ignorada", "nao informado",
        "não informado", "nao se aplica", "não se aplica", "sem informacao", "sem informação",
        "non applicable", "non disponible", "non precise", "non précisé", "ukjent", "okänd",
        "nieznany", "brak", "brak danych", "neznámo", "bilinmiyor", "tidak ada", "tidak tahu",
        "sconosciuto", "non noto", "onbekend", "not stated", "not reported", "unspecified",
        "refused", "declined", "don't know", "不明", "未知", "未詳",
        "不详", "неизвестно", "нет данных", "inf", "-inf", "+inf",
        "empty", "blank", "vacio", "vazio", "leer",
    )
)  # fmt: skip
"""What stands for a missing value in a column of numbers or dates, in lower case."""

MISSING_AMONG_WORDS = frozenset(
    (
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "nan",
        "null",
        "(null)",
        "<na>",
        "?",
        "??",
        "#value!",
        "missing",
        ".",
        "..",
        "...",
        "(missing)",
        "not available",
        "not recorded",
        ".",
        "..",
    )
)
"""What stands for a missing value among words, in lower case: only what can mean nothing else.

A point is one as programs of statistics write it, unless no other value has a letter or a digit.
"""

MISSING_BESIDE_OTHERS = frozenset(
    ("unknown", "unk", "not known", "unbekannt", "inconnu", "inconnue", "desconocido")
)
"""What stands for a missing value among words where another text of the column certainly does."""

_NO_WORDS = MISSING_AMONG_NUMBERS | {"true", "false", ""}

NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
CODE_WITH_ZEROS = r"^\s*0\d+\s*$"
STRAY_SHARE = 0.02
STRAY_VALUES = 20
SAMPLE = 1000

_DAY = "%Y-%m-%d"

_SIGNED = "|".join(rf"\d{{1,2}}{sign}\d{{1,2}}{sign}(\d\d|\d{{4}})" for sign in (r"\.", "/", "-"))

DATE_FORMATS: tuple[tuple[str, str, str], ...] = (
    (r"\d{4}-\d\d-\d\d", _DAY, "iso"),
    (r"\d{4}-\d{1,2}-\d{1,2}", _DAY, _DAY),
    (r"\d{4}-\d\d", "%Y-%m", "iso"),
    (r"\d{4}/\d{1,2}/\d{1,2}", "%Y/%m/%d", "%Y/%m/%d"),
    (r"\d{1,2}\.\d{1,2}\.(\d\d|\d{4})", "%d.%m.%Y", "day-first"),
    (_SIGNED, "%d/%m/%Y", "day-first"),
    (_SIGNED, "%m/%d/%Y", "month-first"),
    (r"(?i)\d{1,2}[a-z]{3}\d{4}", "%d%b%Y", "%d%b%Y"),
    (r"(?i)\d{1,2}-[a-z]{3}-\d{4}", "%d-%b-%Y", "%d-%b-%Y"),
    (r"(?i)\d{1,2}-[a-z]{3}-\d\d", "%d-%b-%y", "%d-%b-%y"),
    (r"(?i)\d{1,2}[a-z]{3}\d\d", "%d%b%y", "%d%b%y"),
    (r"(?i)\d{1,2} [a-z]{3} \d{4}", "%d %b %Y", "%d %b %Y"),
    (r"(?i)\d{1,2} [a-z]{3,9} \d{4}", "%d %B %Y", "%d %B %Y"),
    (r"(?i)[a-z]{3} \d{1,2}, \d{4}", "%b %d, %Y", "%b %d, %Y"),
    (r"(?i)[a-z]{3,9} \d{1,2}, \d{4}", "%B %d, %Y", "%B %d, %Y"),
    (r"(?i)[a-z]{3} \d{1,2} \d{4}", "%b %d %Y", "%b %d %Y"),
    (r"(?i)[a-z]{3,9} \d{1,2} \d{4}", "%B %d %Y", "%B %d %Y"),
    (r"(?i)\d{1,2}/[a-z]{3}/\d{4}", "%d/%b/%Y", "%d/%b/%Y"),
    (r"(?i)\d{4}-[a-z]{3}-\d{1,2}", "%Y-%b-%d", "%Y-%b-%d"),
    (r"(?i)\d{1,2}\. [a-z]{3} \d{4}", "%d. %b %Y", "%d. %b %Y"),
    (r"(?i)\d{1,2}\. [a-z]{3,9} \d{4}", "%d. %B %Y", "%d. %B %Y"),
    (r"(?i)\d{1,2} de [a-z]{3} de \d{4}", "%d de %b de %Y", "%d de %b de %Y"),
    (r"(?i)\d{1,2} de [a-z]{3,9} de \d{4}", "%d de %B de %Y", "%d de %B de %Y"),
    (r"(?i)[a-z]{6,9}, \d{1,2} [a-z]{3,9} \d{4}", "%A, %d %B %Y", "%A, %d %B %Y"),
    (r"(?i)[a-z]{6,9}, [a-z]{3,9} \d{1,2}, \d{4}", "%A, %B %d, %Y", "%A, %B %d, %Y"),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", "%Y.%m.%d", "%Y.%m.%d"),
    (r"(0?[1-9]|1[0-2])/(19|20)\d\d", "%m/%Y", "%m/%Y"),
    (r"(19|20)\d\d/(0?[1-9]|1[0-2])", "%Y/%m", "%Y/%m"),
    (r"(?i)[a-z]{3}-\d{4}", "%b-%Y", "%b-%Y"),
    (r"(?i)[a-z]{3} \d{4}", "%b %Y", "%b %Y"),
    (r"(?i)[a-z]{3,9} \d{4}", "%B %Y", "%B %Y"),
    (r"(19|20)\d{6}", "%Y%m%d", "%Y%m%d"),
    (r"\d{4}(19|20)\d\d", "%d%m%Y", "%d%m%Y"),
    (r"\d{4}(19|20)\d\d", "%m%d%Y", "%m%d%Y"),
)
"""How dates are written: what a value looks like, its parts as ``strptime`` names them, and the
name of the format in a policy."""

_EITHER_WAY = {"%d/%m/%Y": "%m/%d/%Y", "%d%m%Y": "%m%d%Y"}
_UNSIGNED = ("%Y%m%d", "%d%m%Y", "%m%d%Y")
"""Formats without signs between the parts: a number may look so, and all of a column have to."""
_SHORT_YEAR = r"^\d{1,2}[./-]\d{1,2}[./-]\d\d$"
_TIME = r" \d{1,2}:\d\d(:\d\d)?( ?(?i:[ap]m))?"
_TIMED = ("day-first", "month-first")
"""Formats of which a time may stand behind the date."""

_ISO_DATETIME = r"^\d{4}-\d\d-\d\d(?:T| +)\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$"
_ISO_CLOCK = r"^(\d{4}-\d\d-\d\d)(?:T| +)\d\d:\d\d(:\d\d(\.\d+)?)?Z?$"
_HALF_DAYS = r"(?i)[ T]\d{1,2}:\d\d(:\d\d)? ?[ap](m|\. ?m\.)( ?[a-z]{3,4}([+-]\d{1,2})?)?$"
"""A time of the day with a zone by name, of which there are two in a year, or with a.m. and p.m."""

_WHOLE_DATE = r"^((19|20)\d{6}(\d{4}|\d{6})?|\d{4}(19|20)\d\d)$"
_ONE_WHOLE_DATE = re.compile(_WHOLE_DATE)

_NO_DATE = r"^([09]{2}|[09]{4})[-/. ]?[09]{2}[-/. ]?([09]{2}|[09]{4})([T ][\d:.]+Z?)?$"
"""What stands for no date, written like one: 9999-99-99, 00/00/0000."""

_NO_NUMBER = r"^0{8,}$"
"""What stands for no number of a person or thing, where others have as many digits."""

FAR_APART = timedelta(days=3653)
"""A first or last day of a year that lies further from all other dates than this, and than these
from each other, stands for no date."""


_LINK = re.compile(r"\bhttps?://|\bwww\.", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_WORDS = re.compile(r"\D*|[^\W\d_](\w*|\D*(\d\D*){0,2})")
"""What is neither a number nor a date: it has no digit, or begins with a letter and has no sign or
no more than two digits.
"""

_SHORT_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,4}|(0|[1-9][0-9]{0,2})\.[0-9]{1,2})")
"""A number with too few digits for a date, and no zeros before it as codes have."""


@dataclass(frozen=True)
class Form:
    """What the texts of a column look like: the share of links, mean letters and stretches of
    blanks, and whether there are blanks around one.
    """

    links: float
    letters: float
    blanks: float
    around: bool


@dataclass(frozen=True)
class Values:
    """The distinct values of a column, without the missing ones.

    ``texts`` and ``counts`` go together; ``numbers`` are the same values as floats where the column
    holds numbers, null for strays. ``date_format`` is how dates are written, as a policy says it;
    ``first`` and ``last`` are the range of dates, which ``mixed_dates`` says are written in several
    ways.
    """

    kind: str
    texts: pl.Series
    counts: pl.Series
    missing_tokens: Mapping[str, int] = field(default_factory=dict)
    numbers: pl.Series | None = None
    date_format: str | None = None
    first: date | None = None
    last: date | None = None
    ambiguous_dates: bool = False
    short_years: bool = False
    mixed_dates: bool = False
    stray: tuple[str, ...] = ()
    stray_records: int = 0

    @property
    def distinct(self) -> int:
        """Number of different values."""
        return self.texts.len()

    @property
    def filled(self) -> int:
        """Number of records that have a value."""
        return int(self.counts.sum())

    @functools.cached_property
    def sample(self) -> pl.Series:
        """Some of the different values: the same ones in every engine's order."""
        if self.distinct <= SAMPLE:  # Polars takes longer to sort few texts
            return pl.Series(self.texts.name, sorted(self.texts.to_list()), dtype=pl.String)
        drawn = self.texts.hash(seed=0)
        limit = int(2**64 * min(1.0, 2 * SAMPLE / self.distinct)) - 1
        few = pl.DataFrame({"text": self.texts, "drawn": drawn}).filter(pl.col("drawn") <= limit)
        return few.sort("drawn", "text")["text"].head(SAMPLE)

    @property
    def largest(self) -> float | None:
        """The largest number, where the column holds numbers."""
        top = None if self.numbers is None else self.numbers.max()
        return top if isinstance(top, float) else None

    @functools.cached_property
    def form(self) -> Form:
        """What its texts look like."""
        texts = self.sample.to_list()
        linked = _LINK.search("\n".join(texts)) is not None
        links = sum(_LINK.search(text) is not None for text in texts) if linked else 0
        blanks = len(_BLANKS.findall(".".join(texts)))
        around = any(text != text.strip() for text in texts)
        return Form(
            links / len(texts), sum(map(len, texts)) / len(texts), blanks / len(texts), around
        )

    @property
    def blanks_around(self) -> bool:
        """Whether a text begins or ends with a blank."""
        return self.kind == "text" and self.distinct > 0 and self.form.around


def read_values(counted: pl.DataFrame, kind: str, missing: Collection[str] = ()) -> Values:
    """Understand the values of a column.

    Arguments:
        counted: Columns ``value`` (String, null for missing) and ``count``.
        kind: The kind that the column has by its type; texts are looked at more closely.
        missing: Texts that stand for a missing value, beside those that are found to.
    """
    present = counted.drop_nulls("value") if counted["value"].null_count() else counted
    if missing:
        gone = present["value"].is_in(list(missing))
        found = read_values(present.filter(~gone), kind)
        tokens = _told(present["value"], present["count"], gone)
        return replace(found, missing_tokens={**found.missing_tokens, **tokens})
    texts, counts = present["value"], present["count"].cast(pl.Int64)
    if kind in ("integer", "float"):
        numbers = texts.cast(pl.Float64, strict=False)
        if not numbers.is_empty() and (numbers == numbers.round()).all():
            kind = "integer"  # pandas has floats where a value is missing, SAS everywhere
        dates = _whole_dates(texts, counts) if kind == "integer" else None
        return dates or Values(kind, texts, counts, numbers=numbers)
    if kind in ("date", "datetime"):
        days = texts.str.slice(0, 10).str.to_date(_DAY, strict=False)
        return _dated(kind, "iso", texts, counts, days, pl.repeat(False, len(texts), eager=True))
    if kind != "text" or texts.is_empty():
        return Values(kind, texts, counts)
    if len(texts) <= SAMPLE:  # Polars takes longer to look at few texts
        held = texts.to_list()
        if _only_words(held):
            return Values(kind, texts, counts)
        if all(map(_SHORT_NUMBER.fullmatch, held)):
            return _short_numbers(texts, counts, held)
    return _read_text(texts, counts)


LEAST_DATES = 3
"""Whole numbers are dates only if there are at least so many different ones."""


def _whole_dates(texts: pl.Series, counts: pl.Series) -> Values | None:
    """Whole numbers that are all dates without signs, such as 20201231 or 20201231101500."""
    first = texts.head(20).to_list()  # Polars takes longer to look at few texts
    if len(texts) < LEAST_DATES or not all(map(_ONE_WHOLE_DATE.fullmatch, first)):
        return None
    if not texts.str.contains(_WHOLE_DATE).all():
        return None
    return _dates(texts, counts, pl.repeat(False, len(texts), eager=True))


def _short_numbers(texts: pl.Series, counts: pl.Series, held: list[str]) -> Values:
    numbers = [float(text) for text in held]
    kind = "integer" if all(map(float.is_integer, numbers)) else "float"
    return Values(kind, texts, counts, numbers=pl.Series(texts.name, numbers, pl.Float64))


def _only_words(held: list[str]) -> bool:
    """Whether none of a few texts can be a number, a date, a truth or a missing value."""
    return all(map(_WORDS.fullmatch, held)) and _NO_WORDS.isdisjoint(
        [text.strip().lower() for text in held]
    )


def _read_text(texts: pl.Series, counts: pl.Series) -> Values:
    signs = pl.DataFrame({"text": texts}).with_columns(_SIGNS)
    numeric = signs["numeric"]
    tokens = signs["token"] & ~numeric
    plain = texts.filter(~tokens)
    if _are_no_values(texts, signs):
        return Values(
            "text", plain.clear(), counts.clear(), _told(texts, counts, texts.is_not_null())
        )
    if not plain.is_empty():
        stray = _strays(counts, numeric, tokens)
        no_date = signs["no date"]
        if signs["date"].any() and not no_date.all():
            dates = _dates(texts, counts, tokens | no_date | _told_instead(signs, counts))
            if dates is not None:
                return dates
        if stray is not None and not signs["zeros"].any():
            return _numbers(texts, counts, numeric, tokens, stray)
        if plain.len() <= 6 and plain.str.to_lowercase().is_in(["true", "false"]).all():
            return Values("boolean", plain, counts.filter(~tokens), _told(texts, counts, tokens))
    found = texts.filter(tokens).to_list()
    certain = [token for token in found if token.strip().lower() in MISSING_AMONG_WORDS]
    certain += texts.filter(signs["no number"]).to_list()
    if not certain:
        return Values("text", texts, counts)
    certain += [one for one in found if one.strip().lower() in MISSING_BESIDE_OTHERS]
    tokens = texts.is_in(certain)
    others = texts.filter(~tokens)
    if not others.str.contains(r"[\pL\pN]").any():
        return Values("text", texts, counts)
    if others.str.len_chars().max() == 2:
        # Among codes of two letters, NA is one of them: a country.
        tokens = texts.is_in([token for token in certain if token.strip().lower() != "na"])
    return Values(
        "text", texts.filter(~tokens), counts.filter(~tokens), _told(texts, counts, tokens)
    )


_CODES_OF_PLACES = frozenset(("sd", "ns", "nr", "nd", "nc", "dk"))


def _are_no_values(texts: pl.Series, signs: pl.DataFrame) -> bool:
    """Whether nothing stands in any record but what stands for a missing value.

    One word such as "unknown" is none where nothing else is said; NC and ND are states.
    """
    if (signs["no date"] | signs["no number"]).all():
        return True
    said = set[str]()
    for some in (texts.head(SAMPLE), texts):  # of many texts one of the first says something
        said = set(some.str.strip_chars().str.to_lowercase().to_list()) - {""}
        if not said <= MISSING_AMONG_NUMBERS | MISSING_AMONG_WORDS:
            return False
    if len(said) == 1:
        return said <= MISSING_AMONG_NUMBERS - _CODES_OF_PLACES
    return said <= MISSING_AMONG_WORDS


_LONGEST_TOKEN = 20


def _strays(counts: pl.Series, fitting: pl.Series, tokens: pl.Series) -> pl.Series | None:
    """Which values fit in with neither numbers nor missing; None where they are too many."""
    stray = ~fitting & ~tokens
    if not fitting.any():
        return None
    if stray.any():
        records = counts.filter(stray).sum()
        few = int(records) <= STRAY_SHARE * int(counts.filter(~tokens).sum())
        if not few or stray.sum() > STRAY_VALUES or fitting.sum() < 10:
            return None
    return stray


def _numbers(
    texts: pl.Series, counts: pl.Series, numeric: pl.Series, tokens: pl.Series, stray: pl.Series
) -> Values:
    kept = texts.filter(~tokens)
    numbers = pl.select(
        pl.when(numeric.filter(~tokens)).then(kept.str.strip_chars().cast(pl.Float64, strict=False))
    ).to_series()
    known = numbers.drop_nulls()
    whole = bool((known == known.round()).all())
    return Values(
        "integer" if whole else "float",
        kept,
        counts.filter(~tokens),
        _told(texts, counts, tokens),
        numbers=numbers,
        stray=tuple(texts.filter(stray).to_list()),
        stray_records=int(counts.filter(stray).sum()),
    )


def _dates(texts: pl.Series, counts: pl.Series, tokens: pl.Series) -> Values | None:
    plain = texts.filter(~tokens)
    if plain.is_empty():
        return None
    named = _in_english(texts)
    few = named.filter(~tokens).head(20)
    if few.str.contains(_ISO_DATETIME).all() and plain.str.contains(_ISO_DATETIME).all():
        days = texts.str.slice(0, 10).str.to_date(_DAY, strict=False)
        if (days.is_null() & ~tokens).any():
            return None
        return _dated("datetime", "iso", texts, counts, days, tokens)
    if dates := _iso_in_part(texts, counts, tokens):
        return dates
    among = pl.select(
        pl.lit(few).str.contains(whole).any().alias(str(at)) for at, whole in enumerate(_WHOLES)
    ).row(0)
    for (_, written, name), whole, fits in zip(DATE_FORMATS, _WHOLES, among, strict=True):
        if not fits:
            continue
        days = _days(named, written)
        fitting = days.is_not_null() & named.str.contains(whole) & ~tokens
        stray = _strays(counts, fitting, tokens)
        if stray is None or (
            written in _EITHER_WAY and _of_unknown_order(texts.filter(stray)).any()
        ):
            continue
        if written in _UNSIGNED and fitting.sum() < plain.len():
            continue
        other = _EITHER_WAY.get(written)
        unclear = other is not None and not _days(plain, other).null_count()
        timed = name in _TIMED and bool(few.str.contains(_TIME).any())
        found = _dated("datetime" if timed else "date", name, texts, counts, days, tokens)
        return replace(
            found,
            ambiguous_dates=unclear,
            short_years=bool(plain.str.contains(_SHORT_YEAR).any()),
            stray=tuple(texts.filter(stray).to_list()),
            stray_records=int(counts.filter(stray).sum()),
        )
    return _with_clock(texts, counts, tokens) or _mixed(texts, counts, tokens)


def _of_unknown_order(strays: pl.Series) -> pl.Series:
    """Which texts have numbers, and do not begin with a year, behind which no day comes first."""
    return strays.str.contains(r"\d") & ~strays.str.contains(r"^\d{4}[-/.]\d")


MOST_MIXED = 0.8
"""The share of records that have a date, however it is written."""


def _mixed(texts: pl.Series, counts: pl.Series, tokens: pl.Series) -> Values | None:
    """Dates written in several ways, each of which says what is a day and what a year."""
    days = pl.repeat(None, len(texts), dtype=pl.Date, eager=True)
    plain = _in_english(texts).str.replace(r", (\d{1,2}:\d\d)", " $1")
    plain = plain.str.replace(_ISO_CLOCK, "$1").str.replace(_HALF_DAYS, "")
    ways = [
        (written, whole)
        for (_, written, _), whole in zip(DATE_FORMATS, _WHOLES, strict=True)
        if written not in _UNSIGNED and "%d" in written
    ]
    asked = MOST_MIXED * int(counts.filter(~tokens).sum())
    any_way = plain.str.contains("|".join(f"(?:{whole})" for _, whole in ways))
    if int(counts.filter(any_way & ~tokens).sum()) < asked:
        return None
    for written, whole in ways:
        fits = plain.str.contains(whole) & ~tokens
        days = days.zip_with(days.is_not_null() | ~fits, _days(plain, written))
    stray = days.is_null() & ~tokens
    if int(counts.filter(days.is_not_null()).sum()) < asked:
        return None
    if texts.filter(days.is_not_null()).len() < LEAST_DATES:
        return None
    dates = _dated("date", "iso", texts, counts, days, tokens)
    return replace(
        dates,
        date_format=None,
        mixed_dates=True,
        stray=tuple(texts.filter(stray).to_list()),
        stray_records=int(counts.filter(stray).sum()),
    )


def _with_clock(texts: pl.Series, counts: pl.Series, tokens: pl.Series) -> Values | None:
    """Dates with a time in any other order that a policy can name, such as 28AUG2015:10:15:00."""
    plain = texts.filter(~tokens)
    if not plain.str.contains(_CLOCKED).all():
        return None
    for form in formats(plain.head(SAMPLE).to_list()):
        if "%H" not in form and "%I" not in form:
            continue
        moments = texts.str.to_datetime(form.replace(".%f", "%.f"), strict=False, exact=True)
        days = (moments.dt.replace_time_zone(None) if "%z" in form else moments).dt.date()
        if not (days.is_null() & ~tokens).any():
            return _dated("datetime", form, texts, counts, days, tokens)
    return None


WORDS_AMONG_DATES = 5
"""So many different words stand for no date, at most, each in several records."""


def _told_instead(signs: pl.DataFrame, counts: pl.Series) -> pl.Series:
    """Words that records have instead of a date, such as "asymptomatic" for the day of onset."""
    word = ~signs["date"] & ~signs["numeric"] & (counts > 1) & ~signs["text"].str.contains(r"\d")
    few = 0 < int(word.sum()) <= WORDS_AMONG_DATES and int(signs["date"].sum()) >= 10
    return word if few else pl.repeat(False, len(word), eager=True)


_ISO_IN_PART = r"^(1[89]|20)\d\d(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d(\.\d+)?)?)?Z?)?)?)?$"
_LENGTHS = (4, 7, 10)
"""Letters of a year, a month and a day as ISO 8601 writes them."""


def _iso_in_part(texts: pl.Series, counts: pl.Series, tokens: pl.Series) -> Values | None:
    """Dates, some known to the month, the year or the minute: 2012-03-31, 2012-03, 2012-99-99.

    At least one is known to the day, and some are known less or more exactly.
    """
    plain = texts.str.replace(UNKNOWN.pattern, "${1}${2}")
    lengths = plain.str.len_bytes()
    if lengths.filter(~tokens).is_in(_LENGTHS[2:]).all():
        return None
    days = pl.select(
        pl.when(lengths == _LENGTHS[0])
        .then(plain + "-01-01")
        .when(lengths == _LENGTHS[1])
        .then(plain + "-01")
        .otherwise(plain.str.slice(0, 10))
    ).to_series()
    days = days.str.to_date(_DAY, strict=False)
    fitting = plain.str.contains(_ISO_IN_PART) & ~tokens & days.is_not_null()
    stray = _strays(counts, fitting, tokens)
    if stray is None or not (fitting & (lengths >= _LENGTHS[2])).any():
        return None
    timed = 2 * (fitting & (lengths > _LENGTHS[2])).sum() >= fitting.sum()
    found = _dated("datetime" if timed else "date", "iso", texts, counts, days, tokens)
    return replace(
        found,
        stray=tuple(texts.filter(stray).to_list()),
        stray_records=int(counts.filter(stray).sum()),
    )


def _wholes() -> Iterator[str]:
    """What the whole of a value looks like, for every format of dates."""
    for pattern, _, name in DATE_FORMATS:
        yield f"^(?:{pattern})({_TIME})?$" if name in _TIMED else f"^(?:{pattern})$"


_WHOLES = tuple(_wholes())
_CLOCKED = (
    r"(?i)^(?:[a-z]{3,9},? )?(?:\d{1,4}[-/. ]{0,2}(?:\d{1,2}|[a-z]{3,9})[-/. ]?,? ?\d{1,4}"
    r"|[a-z]{3,9} \d{1,2},? \d{4})(?:[ T:]|, )\d{1,2}:\d\d(?:[:.]\d+)*(?: ?[ap](?:m|\. ?m\.))?"
    r"(?:z|[+-]\d\d(?::?\d\d)?| ?(?:gmt|utc)(?:[+-]\d{1,2})?| (?-i:[A-Z]{3,4}))?$"
    r"|^(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d[ t]?[0-2]\d[0-5]\d(?:[0-5]\d)?z?$"
)
"""What a date with a time looks like that is written as no format of ``DATE_FORMATS``."""
_NAMED = r"^(?:\d{1,2}(?:er|[º°.])?[ /-]?(?:de )?)?\pL{3,10}\.?[ /-](?:del? )?\d{2,4}$"
"""What a date with the name of a month in any language looks like."""
_DATE = "|".join(
    f"(?:{whole})" for whole in (_ISO_DATETIME, _ISO_IN_PART, *_WHOLES, _CLOCKED, _NAMED)
)
"""What at least one value of a column of dates looks like."""


def _in_english(texts: pl.Series) -> pl.Series:
    """Texts with the names of months in English, where at least one names a month."""
    if not texts.str.contains(_NAMED).any():
        return texts
    return pl.Series(texts.name, [in_english(text) for text in texts.to_list()], pl.String)


_TEXT = pl.col("text")
_SIGNS = (
    _TEXT.str.contains(NUMBER).alias("numeric"),
    _TEXT.str.contains(CODE_WITH_ZEROS).alias("zeros"),
    _TEXT.str.contains(_NO_DATE).alias("no date"),
    _TEXT.str.contains(_DATE).alias("date"),
    _TEXT.str.contains(_NO_NUMBER).alias("no number"),
    (
        (_TEXT.str.len_bytes() <= _LONGEST_TOKEN)
        & _TEXT.str.strip_chars().str.to_lowercase().is_in(sorted(MISSING_AMONG_NUMBERS))
    ).alias("token"),
)
"""What the texts of a column show at once; ``token`` is what may stand for a missing value."""


def _days(texts: pl.Series, written: str) -> pl.Series:
    """The days that texts name in a format, with or without a time."""
    if "%d" not in written:
        return ("01 " + texts).str.to_date(f"%d {written}", strict=False)
    plain = texts.str.replace(f"{_TIME}$", "")
    if written not in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"):
        return plain.str.to_date(written, strict=False)
    form, slashed = written.replace(".", "/"), plain.str.replace_all("[.-]", "/")
    short = slashed.str.to_date(form.replace("%Y", "%y"), strict=False)
    long = slashed.str.to_date(form, strict=False)
    return short.zip_with(plain.str.contains(_SHORT_YEAR).fill_null(False), long)


def _dated(
    kind: str, form: str, texts: pl.Series, counts: pl.Series, days: pl.Series, tokens: pl.Series
) -> Values:
    """A column of dates, without those that stand for no date."""
    tokens = tokens | _far(days, counts, tokens)
    told = days.filter(~tokens & days.dt.year().is_between(date.min.year, date.max.year))
    return Values(
        kind, texts.filter(~tokens), counts.filter(~tokens), _told(texts, counts, tokens),
        date_format=form, first=_day(told.min()), last=_day(told.max()),
    )  # fmt: skip


def _far(days: pl.Series, counts: pl.Series, tokens: pl.Series) -> pl.Series:
    """Which dates stand for none: the first or last day of a year, repeated, far from all others.

    In the years 1 and 9999 once is enough, and so is the last day of a thousand years to come
    (31/12/2999, 31/12/4000), which says that something has not ended yet.
    """
    told = ~tokens & days.dt.year().is_between(date.min.year, date.max.year).fill_null(False)
    known = pl.DataFrame({"day": days, "count": counts}).filter(told)
    left = known.group_by("day").agg(pl.col("count").sum()).sort("day")
    far: list[date] = []
    for ends_of_time in (True, False):
        for day, count in (*left.head(3).iter_rows(), *left.tail(3).iter_rows()):
            rest = left["day"].filter(left["day"] != day)
            if ends_of_time and _end_of_a_thousand_years(day) and not rest.is_empty():
                far.append(day)
                continue
            low, high = _day(rest.min()), _day(rest.max())
            if _day(day) is None or low is None or high is None or low <= day <= high:
                continue
            gap = low - day if day < low else day - high
            year_end = (day.month, day.day) in ((1, 1), (12, 30), (12, 31))
            apart = year_end and count > 1 and gap > max(high - low, FAR_APART)
            if day.year in (1, 9999) if ends_of_time else apart:
                far.append(day)
        left = left.filter(~pl.col("day").is_in(far))
    return days.is_in(far).fill_null(False) if far else pl.repeat(False, days.len(), eager=True)


def _end_of_a_thousand_years(day: date) -> bool:
    """Whether a day ends a year such as 2999, 3000 or 4000, as software writes what has no end."""
    return day.year >= 2999 and day.year % 1000 in (0, 999) and (day.month, day.day) == (12, 31)


def _told(texts: pl.Series, counts: pl.Series, tokens: pl.Series) -> dict[str, int]:
    found = zip(texts.filter(tokens).to_list(), counts.filter(tokens).to_list(), strict=True)
    return dict(sorted(found, key=lambda item: (-item[1], item[0])))


def _day(value: object) -> date | None:
    return value if isinstance(value, date) else None
