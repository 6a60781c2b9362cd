"""How long `quasi` and `anonymize` take on tables with thousands of columns.

Every table has a name, a diagnosis, and columns of one kind: five categories, numbers below 100, or
texts of six letters, drawn at random. For `quasi`, all columns are named quasi-identifiers, so that
each is in a minimum cut; or nothing is said. For `anonymize`, three are.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import indistinct as ind
from common import describe_machine, parser, show

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


def table(columns: int, rows: int, kind: str) -> pl.DataFrame:
    """A table of that many columns, two of them the name and the diagnosis."""
    draw = np.random.default_rng(1)
    data = {"name": [f"P{row}" for row in range(rows)]}
    for column in range(columns - 2):
        if kind == "categories":
            values = [f"v{value}" for value in draw.integers(0, 5, rows)]
        elif kind == "numbers":
            values = [str(value) for value in draw.integers(0, 100, rows)]
        else:
            values = ["".join(signs) for signs in LETTERS[draw.integers(0, 26, (rows, 6))]]
        data[f"c{column}"] = values
    data["diagnosis"] = np.array(["HIV", "flu", "cold", "gout"])[draw.integers(0, 4, rows)].tolist()
    return pl.DataFrame(data)


def policy(data: pl.DataFrame, quasi: int) -> dict[str, object]:
    """A policy for k = 5 with so many quasi-identifiers."""
    attributes = {
        name: {"role": "quasi-identifier", "hierarchy": "suppress"}
        if at <= quasi
        else {"role": "insensitive"}
        for at, name in enumerate(data.columns)
    }
    attributes |= {"name": {"role": "identifier"}, "diagnosis": {"role": "sensitive"}}
    return {
        "attributes": attributes,
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "heuristic", "seed": 1, "suppression_limit": 0.05},
    }


def main() -> None:
    """Every kind of columns, every verb."""
    options = parser(__doc__)
    options.add_argument("--columns", type=int, default=3000)
    options.add_argument("--rows", type=int, default=200)
    chosen = options.parse_args()
    print(describe_machine())
    warm = table(20, 50, "categories")
    ind.quasi(warm, policy(warm, 20))
    rows = []
    for kind in ("categories", "numbers", "texts"):
        data = table(chosen.columns, chosen.rows, kind)
        runs = {
            "quasi, all named": lambda data=data: ind.quasi(data, policy(data, data.width)),
            "quasi, nothing named": lambda data=data: ind.quasi(
                data, identifiers=["name"], sensitive=["diagnosis"]
            ),
            "anonymize, three named": lambda data=data: ind.anonymize(data, policy(data, 3)),
        }
        for what, run in runs.items():
            before = time.process_time()
            run()
            rows.append((kind, what, f"{time.process_time() - before:.1f}"))
    size = f"{chosen.columns:,} columns, {chosen.rows} rows"
    show(size, ("columns", "run", "CPU seconds"), rows)
    print(describe_machine())


if __name__ == "__main__":
    main()
