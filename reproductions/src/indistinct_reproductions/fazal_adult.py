"""A table of people with many records, generated from the Adult census table.

The experiments of Fazal and others (2023, section 6) are on a "modified Adult dataset" of 6,000:
age, zip code and gender are quasi-identifiers, symptoms are sensitive. Neither how it was modified
nor how many records a person has is printed. Here the people are the first complete records of the
training file as :mod:`.khan_adult` reads them, with a zip code drawn at random.
Their symptoms are drawn from the categories of Table 3, in the proportions of Table 1: one person
in eight has none, and one record that says so; everybody else has 1, 2 or 3 different symptoms,
with probabilities 1/7, 4/7 and 2/7, every symptom being as likely as any other.

Everything is drawn from one seed: the zip codes by :func:`.khan_adult.read_adult`
from the seed itself, symptoms from a generator of their own, person after person, so that the first
thousand people are the same in a table of six thousand.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from indistinct.randomness import simulation
from indistinct_reproductions.fazal_releases import Patients
from indistinct_reproductions.fazal_tables import LEVELS, PERSON, SYMPTOM, TABLE_1, TABLE_3
from indistinct_reproductions.khan_adult import Adult, read_adult

PEOPLE = 6000
"""Section 6.2: the size of the data set."""

QUASI = {
    "age": {"intervals": {"width": 5}},
    "zip": {"mask": {}},
    "sex": "suppress",
}

WITHOUT = LEVELS[0]
"""The category of people without symptoms."""

NONE = TABLE_3[WITHOUT][0]
SYMPTOMS = tuple(one for level in LEVELS[1:] for one in TABLE_3[level])


def records_per_person() -> tuple[float, dict[int, float]]:
    """The share of people without symptoms in Table 1, and how many symptoms the others have.

    >>> share, number = records_per_person()
    >>> share, [round(7 * number[many]) for many in (1, 2, 3)]
    (0.125, [1, 4, 2])
    """
    own = Counter(visit.person for visit in TABLE_1)
    without = {visit.person for visit in TABLE_1 if visit.symptom.casefold() == NONE.casefold()}
    number = Counter(often for person, often in own.items() if person not in without)
    others = len(own) - len(without)
    return len(without) / len(own), {many: often / others for many, often in sorted(number.items())}


def generated(adult: Adult, seed: int, people: int = PEOPLE) -> Patients:
    """The first people of a table with symptoms drawn from the seed.

    Arguments:
        adult: the table, with a row for every person.
        seed: where chance starts from.
        people: how many of them.
    """
    random = simulation([seed, 1])
    without, number = records_per_person()
    texts = adult.texts.head(people).select("age", "zip", "sex")
    person: list[int] = []
    symptoms: list[str] = []
    for at in range(texts.height):
        # Three draws for everybody, so that what is drawn for one does not depend on another.
        chance, share = random.random(2)
        order = random.permutation(len(SYMPTOMS))
        many = next(
            (n for n, least in zip(number, np.cumsum([*number.values()]), strict=True)
             if share < least),
            max(number),
        )  # fmt: skip
        own = [NONE] if chance < without else [SYMPTOMS[one] for one in order[:many].tolist()]
        person += [at] * len(own)
        symptoms += own
    width = len(str(people))
    rows = texts.select(pl.all().gather(pl.Series(person, dtype=pl.Int64))).with_columns(
        pl.Series(PERSON, [f"a{at + 1:0{width}}" for at in person]),
        pl.Series(SYMPTOM, symptoms, dtype=pl.String),
    )
    return Patients(rows, PERSON, QUASI, SYMPTOM, TABLE_3)


def read_generated(folder: Path, seed: int, people: int = PEOPLE) -> Patients:
    """The table from the folder that holds Adult's training file.

    Raises:
        DataError: as :func:`.khan_adult.read_adult`.
    """
    return generated(read_adult(folder, seed), seed, people)
