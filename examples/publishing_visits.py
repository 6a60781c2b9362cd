"""Patients who come back: from a table of visits to tables that can be published.

python examples/publishing_visits.py            the whole way
python examples/publishing_visits.py clinic.csv  write the invented table, and nothing else
"""

from __future__ import annotations

import random
import sys

import polars as pl

import indistinct as ind

CATEGORIES = {
    "check-up": ["Check-up"],
    "minor": ["Cold", "Headache", "Sprain"],
    "chronic": ["Asthma", "Hypertension", "Back pain", "Migraine"],
    "grave": ["Diabetes", "Heart failure", "Cancer"],
    "stigma": ["Depression", "HIV"],
}
"""Diagnoses from the least to the most sensitive: what somebody would mind least comes first."""


def clinic(people: int = 400, seed: int = 5) -> pl.DataFrame:
    """Visits of invented patients to an invented clinic: one to five each, in no order."""
    draw = random.Random(seed)
    shares = {"check-up": 0.2, "minor": 0.36, "chronic": 0.24, "grave": 0.12, "stigma": 0.08}
    rows = []
    for number in range(people):
        person = {
            "patient": f"P{1000 + number}",
            "age": draw.randint(18, 89),
            "sex": draw.choice("FM"),
            "postcode": draw.choice(["8161", "8162", "8163", "8171", "8172", "8191"]),
        }
        for _ in range(draw.choice([1, 1, 2, 2, 3, 4, 5])):
            kind = draw.choices([*shares], [*shares.values()])[0]
            rows.append({**person, "diagnosis": draw.choice(CATEGORIES[kind])})
    draw.shuffle(rows)
    return pl.DataFrame(rows)


def policy(promises: list[dict[str, object]], **method: object) -> dict[str, object]:
    """What the columns are, what is promised, and how."""
    return {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "postcode": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
            "diagnosis": {
                "role": "sensitive",
                "categories": {"table": CATEGORIES, "order": [*CATEGORIES]},
            },
        },
        "promises": promises,
        "method": {"seed": 1, **method},
    }


def main() -> None:
    """A long release, linked tables, and how to count in these."""
    visits = clinic()
    print(visits.height, "visits of", visits["patient"].n_unique(), "patients")

    # One row per visit: everybody looks like four other people, however many visits they have.
    long = ind.anonymize(visits, policy([{"model": "k-anonymity", "k": 5}], algorithm="mondrian"))
    print(long.certificate)

    # Two tables: people with the number of a bucket, and what the people of each bucket have.
    linked = ind.anonymize(
        visits,
        policy(
            [{"model": "theta-sensitive", "k": 4, "sensitive": "diagnosis"}],
            algorithm="theta-star",
        ),
    )
    print(linked.certificate)
    print(linked.tables["quasi"].head(3))
    print(linked.tables["sensitive"].head(3))

    # Counting is adding up weights, never a plain join.
    joined = ind.expected(linked)
    men = joined.filter(pl.col("sex") == "M").group_by("diagnosis").agg(pl.col("weight").sum())
    print(men.sort("diagnosis"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        clinic().write_csv(sys.argv[1])
    else:
        main()
