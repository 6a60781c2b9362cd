"""Invented hospital discharges: what a table about patients looks like, with nobody in it.

Every value is drawn here from a seed. The table is skewed as such tables are: many old patients and
newborns, few zip codes with many people and many with few, wards that depend on sex and age,
illnesses that depend on the ward and age, long stays that are rare and dear. Diagnoses follow the
form of ICD-10; frequencies, costs, names and places are made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import polars as pl

from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints, PlainMapping
from indistinct.word_lists import lists_of

RECORDS = 5000
"""Number of discharges in the table, unless another is asked for."""

SEED = 2024
"""The seed of the table, unless another is asked for."""

FIRST_DAY = date(2023, 1, 1)
DAYS = 365


# Ages: the last age of each band, and how many of a hundred patients are in it.
_AGES = (
    (0, 6.0), (4, 3.0), (14, 4.0), (24, 7.0), (34, 11.5), (44, 10.0), (54, 12.0), (64, 15.0),
    (74, 16.0), (84, 11.5), (94, 3.8), (101, 0.2),
)  # fmt: skip

# Areas of the region by their first three figures, and how many zip codes each has.
_AREAS = (("741", 18), ("742", 14), ("745", 10), ("748", 6), ("760", 4))
_ZIPF = 0.75
_WITHOUT_ZIP = 0.01

_AGE_GROUPS = (0, 17, 44, 64)
_WARDS: PlainMapping = lists_of(__file__)["wards"]
_GRAVE: Mapping[str, float] = lists_of(__file__)["grave"]
_ONLY_MEN = ("N40", "C61")


_STARTS = ("Ba", "Bre", "Ca", "Da", "Dor", "E", "Fa", "Gri", "Ha", "I", "Jo", "Ka", "Le", "Ma",
           "No", "O", "Pe", "Ra", "Sa", "Te", "U", "Ve", "Wi", "Ya", "Ze")  # fmt: skip
_MIDDLES = ("la", "ri", "no", "mi", "da", "ve", "so", "lu")
_WOMEN = ("na", "ra", "lia", "sa", "nne", "dy")
_MEN = ("n", "rd", "mo", "s", "rek", "lin")
_FAMILIES = ("berg", "wick", "mann", "son", "feld", "ton", "ley", "ström", "mar", "dahl")


def discharges(records: int = RECORDS, seed: int = SEED) -> pl.DataFrame:
    """A table of invented hospital discharges, one row for each.

    Columns: ``patient_id``, ``name``, ``age`` (years), ``sex``, ``zip`` (text, one in a hundred
    missing), ``admission_date``, ``discharge_date``, ``ward``, ``diagnosis`` (code and text),
    ``length_of_stay`` (nights), ``discharge_status``, ``cost`` (to the next hundred).

    Arguments:
        records: Number of discharges, at least 0.
        seed: The same seed gives the same table. Only uniform draws of NumPy's generator are used,
            which do not change between versions.

    >>> discharges(3).columns[:5]
    ['patient_id', 'name', 'age', 'sex', 'zip']
    """
    draws = simulation(seed)
    age = _ages(draws, records)
    female = draws.random(records) < np.where(age > 74, 0.57, 0.49)
    zips = _zips(draws, records)
    ward = _wards(draws, age, female)
    diagnosis, median_stay, gravity = _diagnoses(draws, age, female, ward)
    nights = _nights(draws, median_stay, age)
    admission = _admissions(draws, records)
    ward_names = list(_WARDS)
    per_night = np.array([own["night"] for own in _WARDS.values()], np.float64)[ward]
    cost = per_night * (nights + 1.5) * np.exp(0.3 * _bell(draws, records))
    return pl.DataFrame(
        {
            "patient_id": _patient_ids(draws, records),
            "name": _names(draws, female),
            "age": age,
            "sex": np.where(female, "female", "male").tolist(),
            "zip": zips,
            "admission_date": pl.Series(admission, dtype=pl.Int32).cast(pl.Date),
            "discharge_date": pl.Series(admission + nights, dtype=pl.Int32).cast(pl.Date),
            "ward": [ward_names[at] for at in ward],
            "diagnosis": diagnosis,
            "length_of_stay": nights,
            "discharge_status": _outcomes(draws, age, gravity),
            "cost": (np.rint(cost / 100) * 100).astype(np.int64),
        },
        schema_overrides={"sex": pl.String, "ward": pl.String, "diagnosis": pl.String,
                          "name": pl.String, "zip": pl.String, "patient_id": pl.String,
                          "discharge_status": pl.String},
    )  # fmt: skip


def _choose(draws: np.random.Generator, weights: Sequence[float], size: int) -> Ints:
    """Indices drawn with these weights."""
    bounds = np.cumsum(np.asarray(weights, np.float64))
    found = np.searchsorted(bounds, draws.random(size) * bounds[-1], side="right")
    chosen: Ints = np.minimum(found, len(bounds) - 1).astype(np.int64)
    return chosen


def _bell(draws: np.random.Generator, size: int) -> Floats:
    """Standard normal numbers, from uniform ones (Box and Muller 1958)."""
    radius = np.sqrt(-2.0 * np.log1p(-draws.random(size)))
    return radius * np.cos(2.0 * np.pi * draws.random(size))


def _ages(draws: np.random.Generator, size: int) -> Ints:
    band = _choose(draws, [weight for _, weight in _AGES], size)
    last = np.array([top for top, _ in _AGES])
    first = np.concatenate([[0], last[:-1] + 1])
    width = last - first + 1
    age: Ints = first[band] + np.floor(draws.random(size) * width[band]).astype(np.int64)
    return age


def _zips(draws: np.random.Generator, size: int) -> list[str | None]:
    """Zip codes after Zipf: the r-th largest has 1/r^0.75 times the people of the largest."""
    codes = [f"{area}{5 * at + 1:02d}" for area, count in _AREAS for at in range(count)]
    drawn = _choose(draws, [(rank + 1) ** -_ZIPF for rank in range(len(codes))], size)
    unknown = draws.random(size) < _WITHOUT_ZIP
    return [None if lost else codes[at] for at, lost in zip(drawn, unknown, strict=True)]


def _wards(draws: np.random.Generator, age: Ints, female: Bools) -> Ints:
    group = np.searchsorted(np.array(_AGE_GROUPS), age, side="left")
    ward = np.zeros(len(age), np.int64)
    for sex in ("women", "men"):
        for at in range(len(_AGE_GROUPS) + 1):
            here = (group == at) & (female == (sex == "women"))
            weights = [own[sex][at] for own in _WARDS.values()]
            ward[here] = _choose(draws, weights, int(here.sum()))
    return ward


def _diagnoses(
    draws: np.random.Generator, age: Ints, female: Bools, ward: Ints
) -> tuple[list[str], Floats, Floats]:
    """Diagnoses that occur in the ward, at that age and sex; their stay and how grave they are."""
    size = len(age)
    drawn = draws.random(size)
    text = [""] * size
    stay, gravity = np.ones(size), np.zeros(size)
    for at, own in enumerate(_WARDS.values()):
        here = np.flatnonzero(ward == at)
        known = own["diagnoses"]
        weights = np.array([row[2] for row in known])
        youngest, oldest = (np.array([row[column] for row in known]) for column in (3, 4))
        old = age[here, None]
        fits = (youngest <= old) & (old <= oldest)
        fits &= ~(female[here, None] & np.array([row[0] in _ONLY_MEN for row in known]))
        bounds = np.cumsum(fits * weights, axis=1)
        chosen = (bounds <= drawn[here, None] * bounds[:, -1:]).sum(axis=1)
        for record, which in zip(here, chosen, strict=True):
            code, words, *_ = known[which]
            text[record] = f"{code} {words}"
            stay[record] = known[which][5]
            gravity[record] = _GRAVE.get(code, 0.004)
    return text, stay, gravity


def _nights(draws: np.random.Generator, median: Floats, age: Ints) -> Ints:
    longer = 1.0 + np.maximum(age - 60, 0) / 120
    nights = median * longer * np.exp(0.45 * _bell(draws, len(age)))
    return np.clip(np.rint(nights), 0, 90).astype(np.int64)


def _admissions(draws: np.random.Generator, size: int) -> Ints:
    """Days since 1970: fewer at weekends, more in winter."""
    days = np.arange(DAYS)
    weekday = (days + FIRST_DAY.weekday()) % 7
    weights = np.where(weekday < 5, 1.0, 0.55) * (1 + 0.18 * np.cos(2 * np.pi * (days - 20) / DAYS))
    start = (FIRST_DAY - date(1970, 1, 1)).days
    return start + _choose(draws, weights.tolist(), size)


def _outcomes(draws: np.random.Generator, age: Ints, gravity: Floats) -> list[str]:
    drawn = draws.random(len(age))
    died = gravity * np.where(age >= 75, 1.8, 1.0)
    nursing = np.where(age >= 75, 0.16, np.where(age >= 60, 0.05, 0.004))
    bounds = np.stack([died, died + nursing, died + nursing + 0.03, died + nursing + 0.045])
    names = ("died", "nursing home", "other hospital", "against advice", "home")
    return [names[at] for at in (drawn >= bounds).sum(axis=0)]


def _patient_ids(draws: np.random.Generator, size: int) -> list[str]:
    """A different number for every record, in no order."""
    order = np.argsort(draws.random(size), kind="stable")
    return [f"P{100003 + 7 * at:07d}" for at in order]


def _names(draws: np.random.Generator, female: Bools) -> list[str]:
    """Invented names, put together from syllables."""
    size = len(female)
    starts, middles, ends = (
        np.floor(draws.random(size) * len(parts)).astype(np.int64)
        for parts in (_STARTS, _MIDDLES, _WOMEN)
    )
    families, tails = (
        np.floor(draws.random(size) * len(parts)).astype(np.int64) for parts in (_STARTS, _FAMILIES)
    )
    return [
        f"{_STARTS[start]}{_MIDDLES[middle]}{(_WOMEN if woman else _MEN)[end]}"
        f" {_STARTS[family]}{_MIDDLES[(middle + start) % len(_MIDDLES)]}{_FAMILIES[tail]}"
        for start, middle, end, family, tail, woman in zip(
            starts, middles, ends, families, tails, female, strict=True
        )
    ]
