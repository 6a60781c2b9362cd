"""Small tables of invented people, the same wherever they are made."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl

ILLS = ("flu", "asthma", "gastritis", "migraine", "hepatitis", "lymphoma", "HIV", "psychosis")
GROUPS = {
    "minor": ["flu", "migraine"],
    "lasting": ["asthma", "gastritis"],
    "grave": ["hepatitis", "lymphoma"],
    "feared": ["HIV", "psychosis"],
}
RANKS = {"flu": 4, "migraine": 4, "asthma": 3, "gastritis": 3, "hepatitis": 2, "lymphoma": 2,
         "HIV": 1, "psychosis": 1}  # fmt: skip
CODES = ("E10.9", "E11.9", "I10", "I21.4", "J45.0", "J45.9", "K29.7", "C81.1", "F20.0")
QUASI = ("age", "sex", "zip")


def patients(people: int, seed: int) -> pl.DataFrame:
    """One row per person: numbers, dates, codes, missing values, a diagnosis, a cost."""
    random = np.random.default_rng(seed)
    ages = random.integers(18, 90, people)
    days = np.datetime64("2024-01-01") + random.integers(0, 366, people).astype("timedelta64[D]")
    smokes = random.choice(["yes", "no", "?", ""], people, p=[0.3, 0.5, 0.1, 0.1])
    return pl.DataFrame(
        {
            "name": [f"Person {number:03d}" for number in range(people)],
            "age": ages,
            "sex": random.choice(["f", "m"], people),
            "zip": [f"52{value:03d}" for value in random.integers(0, 12, people) ** 2],
            "admitted": [str(day) for day in days],
            "code": random.choice(CODES, people),
            "smoker": [value or None for value in smokes.tolist()],
            "diagnosis": random.choice(
                ILLS, people, p=[0.2, 0.2, 0.15, 0.15, 0.1, 0.08, 0.07, 0.05]
            ),
            "job": random.choice(["nurse", "cook", "clerk", "driver", "teacher"], people),
            "outcome": random.choice(["home", "ward", "dead"], people, p=[0.7, 0.2, 0.1]),
            "cost": (np.round(random.lognormal(6, 1, people), 2)).tolist(),
        }
    )


def visits(people: int, seed: int) -> pl.DataFrame:
    """One to four rows per person, in no order; few of them grave."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), random.integers(1, 5, people))
    random.shuffle(who)
    return pl.DataFrame(
        {
            "patient": [f"P{number:04d}" for number in who],
            "age": random.integers(20, 60, people)[who],
            "sex": random.choice(["f", "m"], people)[who],
            "zip": random.choice(["1010", "1020", "1030", "1110"], people)[who],
            "diagnosis": random.choice(
                ILLS, len(who), p=[0.19, 0.19, 0.19, 0.19, 0.09, 0.07, 0.04, 0.04]
            ),
            "ward": random.choice(["east", "west"], len(who)),
        }
    )


def conflicting_visits(people: int, seed: int) -> pl.DataFrame:
    """Visits in which the age of some people differs from one row to the next."""
    odd = pl.int_range(pl.len()) % 17 == 0
    return visits(people, seed).with_columns(age=pl.col("age") + odd.cast(pl.Int64))


def equal_records(people: int, seed: int) -> pl.DataFrame:
    """Patients of few different quasi-identifiers."""
    table = patients(people, seed)
    return table.with_columns(age=pl.col("age") // 20 * 20, zip=pl.lit("52000"))


def formulas(people: int, seed: int) -> pl.DataFrame:
    """Patients with jobs that a spreadsheet would run."""
    return patients(people, seed).with_columns(job="=" + pl.col("job"))


def population(people: int, seed: int) -> str:
    """The patients and three times as many others, as CSV with the quasi-identifiers alone."""
    others = patients(3 * people, seed + 1000)
    return pl.concat([patients(people, seed), others]).select(QUASI).write_csv()


def people_file(people: int, seed: int) -> str:
    """What is the same in all visits of a person, as CSV with a row for each."""
    table = visits(people, seed).select("patient", *QUASI).unique().sort("patient")
    return table.rename({"patient": "id"}).write_csv()


def fhir_folder(folder: Path, people: int, seed: int) -> None:
    """A bulk export of patients and their conditions."""
    ndjson = {"Patient": [], "Condition": []}  # type: dict[str, list[dict[str, object]]]
    for number, row in enumerate(patients(people, seed).iter_rows(named=True)):
        ndjson["Patient"].append(
            {
                "resourceType": "Patient",
                "id": f"p{number}",
                "name": [{"family": row["name"]}],
                "birthDate": f"{2024 - row['age']}-0{number % 9 + 1}-11",
                "gender": "female" if row["sex"] == "f" else "male",
                "address": [{"city": "Town", "postalCode": row["zip"]}],
            }
        )
        for at in range(1 + number % 2):
            ndjson["Condition"].append(
                {
                    "resourceType": "Condition",
                    "id": f"c{number}-{at}",
                    "subject": {"reference": f"Patient/p{number}"},
                    "code": {"coding": [{"display": ILLS[(number + at) % 4]}]},
                    "onsetDateTime": row["admitted"],
                }
            )
    for name, lines in ndjson.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{name}.ndjson").write_text(text, encoding="utf-8")


def omop_folder(folder: Path, people: int, seed: int) -> None:
    """Tables of persons, their conditions and the names of concepts."""
    persons, conditions = [], []
    for number, row in enumerate(patients(people, seed).iter_rows(named=True), start=1):
        gender = 8532 if row["sex"] == "f" else 8507
        persons.append((number, gender, 2024 - row["age"], 8527, 38003564))
        for at in range(1 + number % 2):
            conditions.append((10 * number + at, number, 1001 + (number + at) % 4, row["admitted"]))
    tables = {
        "PERSON": pl.DataFrame(
            persons,
            orient="row",
            schema=["person_id", "gender_concept_id", "year_of_birth", "race_concept_id",
                    "ethnicity_concept_id"],
        ),
        "CONDITION_OCCURRENCE": pl.DataFrame(
            conditions,
            orient="row",
            schema=["condition_occurrence_id", "person_id", "condition_concept_id",
                    "condition_start_date"],
        ),
        "CONCEPT": pl.DataFrame(
            {
                "concept_id": [8507, 8532, 8527, 38003564, 1001, 1002, 1003, 1004],
                "concept_name": ["MALE", "FEMALE", "White", "Other", *ILLS[:4]],
                "domain_id": ["Gender"] * 2 + ["Race", "Ethnicity"] + ["Condition"] * 4,
            }
        ),
    }  # fmt: skip
    for name, table in tables.items():
        table.write_csv(folder / f"{name}.csv")


FRAMES = {
    made.__name__: made for made in (patients, visits, conflicting_visits, equal_records, formulas)
}
FILES = {made.__name__: made for made in (population, people_file)}
FOLDERS = {made.__name__: made for made in (fhir_folder, omop_folder)}
