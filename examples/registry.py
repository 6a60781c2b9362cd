"""Invent the tables of a registry in three years, as the tutorial on series uses them.

    python examples/registry.py

Nobody in them exists. In 2023, 40 of the 600 patients have left and 40 are new. In 2024 a hospital
has closed: 160 have left, 40 are new. Who stays has the same number and the same diagnosis.
"""

from __future__ import annotations

import csv
from pathlib import Path

from visits import visits

YEARS = {"2022": (0, 600), "2023": (40, 640), "2024": (200, 680)}
COLUMNS = ("patient_id", "age", "sex", "diagnosis")


def main() -> None:
    """Write a table for each year."""
    patients = [{**one, "patient_id": f"P{at:04}"} for at, one in enumerate(visits(680), start=1)]
    for year, (first, last) in YEARS.items():
        with Path(f"{year}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(patients[first:last])
        print(f"{year}.csv is written: {last - first} patients")


if __name__ == "__main__":
    main()
