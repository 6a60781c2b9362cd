"""Invented hospital discharges: what a table about patients looks like, with nobody in it.

Every value is drawn here from a seed. The table is skewed as such tables are: many old patients and
newborns, few zip codes with many people and many with few, wards that depend on sex and age,
illnesses that depend on the ward and age, long stays that are rare and dear. Diagnoses follow the
form of ICD-10; frequencies, costs, names and places are made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import polars as pl

from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints

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

# Wards: weight for women and men at the ages of 0, 1-17, 18-44, 45-64 and 65 and more.
_AGE_GROUPS = (0, 17, 44, 64)
_WARDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "Neonatology": ((1.0, 0, 0, 0, 0), (1.0, 0, 0, 0, 0)),
    "Paediatrics": ((0, 1.0, 0, 0, 0), (0, 1.0, 0, 0, 0)),
    "Obstetrics": ((0, 0, 0.52, 0, 0), (0, 0, 0, 0, 0)),
    "Gynaecology": ((0, 0, 0.10, 0.12, 0.05), (0, 0, 0, 0, 0)),
    "Internal medicine": ((0, 0, 0.10, 0.26, 0.36), (0, 0, 0.22, 0.26, 0.30)),
    "Cardiology": ((0, 0, 0.02, 0.14, 0.24), (0, 0, 0.08, 0.26, 0.27)),
    "Surgery": ((0, 0, 0.13, 0.20, 0.12), (0, 0, 0.34, 0.23, 0.14)),
    "Orthopaedics": ((0, 0, 0.06, 0.14, 0.16), (0, 0, 0.18, 0.12, 0.10)),
    "Psychiatry": ((0, 0, 0.07, 0.09, 0.02), (0, 0, 0.15, 0.06, 0.02)),
    "Urology": ((0, 0, 0, 0.05, 0.05), (0, 0, 0.03, 0.07, 0.17)),
}

# Diagnoses of a ward: code, text, weight, least and greatest age, median days of stay.
_DIAGNOSES: dict[str, tuple[tuple[str, str, float, int, int, float], ...]] = {
    "Neonatology": (
        ("Z38", "Liveborn infant", 10, 0, 0, 3),
        ("P07", "Preterm birth, low weight", 2.5, 0, 0, 21),
        ("P59", "Neonatal jaundice", 2.5, 0, 0, 4),
        ("P22", "Respiratory distress of the newborn", 1.2, 0, 0, 9),
    ),
    "Paediatrics": (
        ("J20", "Acute bronchitis", 4, 1, 17, 3),
        ("A09", "Gastroenteritis", 4, 1, 17, 2),
        ("J45", "Asthma", 2.5, 3, 17, 3),
        ("S06", "Head injury", 3, 1, 17, 2),
        ("K35", "Acute appendicitis", 2.5, 5, 17, 4),
        ("E10", "Type 1 diabetes mellitus", 1, 4, 17, 6),
        ("C91", "Lymphoid leukaemia", 0.25, 1, 17, 18),
    ),
    "Obstetrics": (
        ("O80", "Single spontaneous delivery", 10, 18, 49, 3),
        ("O82", "Delivery by caesarean section", 4.5, 18, 49, 5),
        ("O60", "Preterm labour", 1.3, 18, 49, 6),
        ("O14", "Pre-eclampsia", 0.8, 18, 49, 7),
        ("O03", "Spontaneous abortion", 1.1, 18, 49, 1),
    ),
    "Gynaecology": (
        ("D25", "Leiomyoma of the uterus", 4, 25, 60, 4),
        ("N80", "Endometriosis", 3, 18, 50, 3),
        ("C50", "Malignant neoplasm of the breast", 2.5, 32, 101, 5),
        ("N81", "Female genital prolapse", 2.5, 45, 101, 4),
    ),
    "Internal medicine": (
        ("J18", "Pneumonia", 5, 18, 101, 8),
        ("E11", "Type 2 diabetes mellitus", 3.5, 35, 101, 7),
        ("K29", "Gastritis and duodenitis", 3, 18, 101, 3),
        ("J44", "Chronic obstructive pulmonary disease", 3, 45, 101, 8),
        ("N17", "Acute kidney failure", 1.8, 45, 101, 10),
        ("A41", "Sepsis", 1.4, 30, 101, 13),
        ("C34", "Malignant neoplasm of the lung", 1.2, 42, 101, 9),
        ("K70", "Alcoholic liver disease", 1.2, 28, 80, 9),
        ("B20", "HIV disease", 0.3, 20, 70, 11),
    ),
    "Cardiology": (
        ("I50", "Heart failure", 5, 45, 101, 9),
        ("I48", "Atrial fibrillation and flutter", 4.5, 18, 101, 4),
        ("I21", "Acute myocardial infarction", 3, 35, 101, 7),
        ("I20", "Angina pectoris", 3, 35, 101, 3),
        ("I10", "Essential hypertension", 2.5, 25, 101, 3),
    ),
    "Surgery": (
        ("K40", "Inguinal hernia", 4, 18, 101, 2),
        ("K80", "Gallstones", 4, 18, 101, 4),
        ("K35", "Acute appendicitis", 2.5, 18, 60, 4),
        ("S06", "Head injury", 2, 18, 101, 3),
        ("K57", "Diverticular disease", 2, 40, 101, 7),
        ("C18", "Malignant neoplasm of the colon", 1.2, 42, 101, 12),
    ),
    "Orthopaedics": (
        ("M17", "Arthrosis of the knee", 4, 45, 101, 8),
        ("S82", "Fracture of the lower leg", 3, 18, 101, 6),
        ("M51", "Intervertebral disc disorder", 3, 25, 80, 5),
        ("S72", "Fracture of the femur", 2.5, 60, 101, 13),
        ("M16", "Arthrosis of the hip", 2.5, 50, 101, 9),
    ),
    "Psychiatry": (
        ("F10", "Disorders due to use of alcohol", 4, 18, 75, 9),
        ("F32", "Depressive episode", 4, 18, 101, 24),
        ("F20", "Schizophrenia", 2, 18, 70, 26),
        ("F43", "Reaction to severe stress", 2, 18, 80, 10),
        ("F11", "Disorders due to use of opioids", 0.6, 18, 60, 11),
    ),
    "Urology": (
        ("N40", "Enlarged prostate", 4, 50, 101, 4),
        ("N20", "Kidney and ureter stones", 4, 18, 101, 3),
        ("C61", "Malignant neoplasm of the prostate", 2.5, 50, 101, 6),
        ("C67", "Malignant neoplasm of the bladder", 1.5, 45, 101, 5),
    ),
}
_ONLY_MEN = ("N40", "C61")
_GRAVE = {"A41": 0.22, "C34": 0.14, "I50": 0.09, "I21": 0.09, "N17": 0.10, "S72": 0.05, "J18": 0.07,
          "C18": 0.06, "P07": 0.03, "K70": 0.07, "C91": 0.03}  # fmt: skip

_DAY_COST = {
    "Neonatology": 690, "Paediatrics": 520, "Obstetrics": 610, "Gynaecology": 640,
    "Internal medicine": 540, "Cardiology": 830, "Surgery": 780, "Orthopaedics": 760,
    "Psychiatry": 310, "Urology": 650,
}  # fmt: skip

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
    per_night = np.array([_DAY_COST[name] for name in ward_names], np.float64)[ward]
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
    angle: Floats = radius * np.cos(2.0 * np.pi * draws.random(size))
    return angle


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
    for sex in (0, 1):
        for at in range(len(_AGE_GROUPS) + 1):
            here = (group == at) & (female == (sex == 0))
            weights = [by_sex[sex][at] for by_sex in _WARDS.values()]
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
    for at, name in enumerate(_WARDS):
        here = np.flatnonzero(ward == at)
        known = _DIAGNOSES[name]
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
