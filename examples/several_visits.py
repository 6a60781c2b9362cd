"""People with several visits: the day and ward of a visit, three diagnoses, and which values harm.

Others may know one visit of a person (``level = "event"``), or two diagnoses (``km-anonymity`` of
three columns as one set). Of how it ended only one value harms.
"""

from __future__ import annotations

import random

import polars as pl

import indistinct as ind

CODES = ["401", "250", "272", "493", "402", "414", "428", "255"]
OFTEN = [40, 30, 20, 15, 0.5, 2, 1, 0.3]


def admissions(people: int) -> pl.DataFrame:
    """A row for every visit of everybody."""
    draws = random.Random(5)
    rows = []
    for person in range(people):
        for _ in range(draws.randint(1, 3)):
            codes = list(dict.fromkeys(draws.choices(CODES, OFTEN, k=draws.randint(1, 3))))
            rows.append(
                (
                    f"P{person:04d}",
                    20 + person % 60,
                    f"2024-{draws.randint(1, 12):02d}-{draws.randint(1, 28):02d}",
                    draws.choice(["surgery", "medicine", "medicine"]),
                    *[*codes, None, None][:3],
                    "died" if draws.random() < 0.03 else "went home",
                )
            )
    names = ["patient", "age", "day", "ward", "diag_1", "diag_2", "diag_3", "end"]
    return pl.DataFrame(rows, names, orient="row")


POLICY = {
    "source": {"person": "patient"},
    "attributes": {
        "age": {
            "role": "quasi-identifier",
            "hierarchy": {"intervals": {"width": 20}},
            "min_level": 1,
        },
        "day": {"role": "quasi-identifier", "type": "date", "level": "event"},
        "ward": {"role": "quasi-identifier", "level": "event"},
        "diag_1": {"role": "sensitive", "hierarchy": {"code_system": "icd-9-cm"}},
        "diag_2": {"role": "sensitive"},
        "diag_3": {"role": "sensitive"},
        "end": {"role": "sensitive", "values": ["died"]},
    },
    "promises": [
        {"model": "k-anonymity", "k": 5},
        {
            "model": "km-anonymity",
            "k": 5,
            "m": 2,
            "sensitive": "diag_1",
            "together": ["diag_2", "diag_3"],
        },
        {"model": "max-posterior", "sensitive": "end", "bound": 0.2},
    ],
    "method": {"suppression_limit": 0.05},
}

release = ind.anonymize(admissions(900), POLICY)
print(release.tables.head(5))
for promise in release.certificate.promises:
    print(promise["model"], promise["parameters"], "holds:", promise["holds"])
kept = release.private["items.json"]["diag_1"]
print(f"{kept['information']:.0%} of what the diagnoses told is left")
print("visits are published at", release.private["visits.json"]["levels"])
