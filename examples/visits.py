"""Invent the small table that the examples and the documentation use.

    python examples/visits.py visits.csv

Nobody in it exists. The numbers are drawn from a fixed seed, so the table is the same every time.
"""

from __future__ import annotations

import csv
import random
import sys
from datetime import date, timedelta
from pathlib import Path

COLUMNS = (
    "visit_id",
    "name",
    "age",
    "sex",
    "postcode",
    "visit_date",
    "smoker",
    "referral",
    "diagnosis",
    "cost",
    "remark",
)

_FIRST = {
    "F": ("Ada", "Berta", "Carla", "Dora", "Elif", "Fatma", "Grete", "Hanna", "Ines", "Jana"),
    "M": ("Adam", "Bruno", "Cem", "David", "Emil", "Frank", "Georg", "Hasan", "Ivan", "Jonas"),
}
_LAST = ("Adler", "Berg", "Celik", "Dorn", "Ernst", "Fuchs", "Graf", "Huber", "Imhof", "Jung")
_POSTCODES = ("81667", "81669", "81671", "81673", "81675", "81925", "81927", "81929", "82031")
_DIAGNOSES = {
    "I10 Hypertension": 5,
    "I48 Atrial fibrillation": 2,
    "I50 Heart failure": 2,
    "J44 Chronic bronchitis": 3,
    "J45 Asthma": 4,
    "L20 Eczema": 2,
    "L40 Psoriasis": 2,
    "E10 Type 1 diabetes": 1,
    "E11 Type 2 diabetes": 4,
}
_REMARKS = (
    "comes with {who}, wants a letter for the employer",
    "was asked by {who} to come back in {weeks} weeks",
    "called on day {day}, reached {who} only",
    "takes the tablets since {weeks} weeks, says {who}",
)


def visits(rows: int = 800) -> list[dict[str, str]]:
    """Invented visits to a clinic in a small town, as texts by column; some cells are empty."""
    draw = random.Random(2024)
    found = []
    for number in range(1, rows + 1):
        sex = draw.choice("FM")
        diagnosis = draw.choices(tuple(_DIAGNOSES), weights=tuple(_DIAGNOSES.values()))[0]
        age = min(96, max(18, round(draw.gauss(60 if diagnosis[0] == "I" else 47, 15))))
        day = date(2024, 1, 1) + timedelta(days=draw.randrange(366))
        smoker = draw.choices(("never", "former", "current", "n/a"), weights=(50, 25, 20, 5))[0]
        remark = draw.choice(_REMARKS).format(
            who=draw.choice(_FIRST["F" if draw.random() < 0.5 else "M"]),
            weeks=draw.randrange(2, 40),
            day=draw.randrange(1, 366),
        )
        found.append(
            {
                "visit_id": f"V{number:05}",
                "name": f"{draw.choice(_FIRST[sex])} {draw.choice(_LAST)}",
                "age": "" if draw.random() < 0.02 else str(age),
                "sex": sex,
                "postcode": draw.choices(_POSTCODES, weights=(9, 8, 7, 6, 5, 4, 4, 3, 1))[0],
                "visit_date": day.isoformat(),
                "smoker": smoker,
                "referral": draw.choice(("family doctor", "hospital", "own wish")),
                "diagnosis": diagnosis,
                "cost": f"{draw.lognormvariate(4.4, 0.6):.2f}",
                "remark": remark if draw.random() < 0.9 else "",
            }
        )
    return found


def write(path: str | Path, rows: int = 800, separator: str = ",") -> None:
    """Write invented visits to a CSV file."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=separator, lineterminator="\n")
        writer.writeheader()
        writer.writerows(visits(rows))


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "visits.csv"
    write(target)
    print(f"{target} is written")
