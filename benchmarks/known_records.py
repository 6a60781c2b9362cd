"""What others who know some of a person's records find, before and after `known-records`.

The table of docs/how-to/promise-to-people.md, row by row: INFORMS, Synthea and NHANES by person,
with k-anonymity alone and with `known-records` beside it, in the smallest classes and larger ones.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import indistinct as ind
from common import describe_machine, need, parser, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import long_tables

ROWS: tuple[tuple[str, int, int | None, str | None], ...] = (
    ("informs", 5, None, None),
    ("informs", 5, 1, None),
    ("informs", 5, 2, None),
    ("synthea", 5, None, "START"),
    ("synthea", 5, None, None),
    ("synthea", 5, 1, "START"),
    ("synthea", 5, 2, "START"),
    ("nhanes", 5, None, None),
    ("informs", 50, None, None),
    ("informs", 50, 2, None),
)
"""A table, the k of its classes, the m of `known-records`, and a column that is left out."""


def measured(shared: Path, name: str, k: int, m: int | None, without: str | None) -> list[Any]:
    """One row of the table."""
    table, asked = getattr(long_tables, name)(shared)
    if without is not None:
        asked["attributes"].pop(without)
        table = table.drop(without)
    asked["promises"][0]["k"] = k
    if m is not None:
        asked["promises"].append({"model": "known-records", "k": 5, "m": m})
    begun = time.process_time()
    run = ind.anonymize(table, asked).run.to_dict()
    known, cells = (run["singled_out"][one] for one in ("known-records", "unicity"))
    left = f" without {without}" if without else ""
    return [
        f"{name}{left}, k = {k}",
        "k-anonymity alone" if m is None else f"known-records, m = {m}",
        ", ".join(f"{known[c]['singled_out']:.1%}" for c in "123"),
        f"{cells['5']['unique']:.1%}",
        f"{time.process_time() - begun:.0f}",
    ]


def main() -> None:
    """Every row of the table."""
    shared = need(parser(__doc__).parse_args().shared / "data").parent
    print(describe_machine())
    rows = [measured(shared, *row) for row in ROWS]
    head = ("table", "promise", "singled out by 1, 2, 3", "unique by 5", "CPU s")
    show("who knows some of a person's records", head, rows)
    print(describe_machine())


if __name__ == "__main__":
    main()
