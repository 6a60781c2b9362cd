"""What is kept of Adult under differential privacy, beside ARX's SafePub.

Both choose levels by chance, leave records out at random and suppress small classes, with the same
hierarchies, epsilon and delta. What a release keeps is said in two ways: the share of all levels
that values stay below, and the share of all other values that each is told apart from. A record
that is left out keeps nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import indistinct as ind
from common import adult_frame, adult_hierarchy, describe_machine, parser, show

QUASI = (
    ("sex", "age", "race", "marital-status", "education"),
    (
        *("sex", "age", "race", "marital-status", "education"),
        *("native-country", "workclass", "occupation"),
    ),
)

DELTA = 1e-6

KEPT = ("records", "levels", "values")

ARX: dict[tuple[int, float], tuple[float, float, float]] = {
    (5, 0.5): (0.305, 0.200, 0.252),
    (5, 1.0): (0.524, 0.348, 0.437),
    (5, 2.0): (0.702, 0.485, 0.605),
    (8, 0.5): (0.297, 0.125, 0.161),
    (8, 1.0): (0.526, 0.228, 0.290),
    (8, 2.0): (0.723, 0.306, 0.389),
}
"""Means of 10 runs of ARX 3.9.2 on the same table, which spend a tenth of epsilon on the search, in
300 steps, for its measure of loss."""


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=20)
    options = arguments.parse_args()
    frame, rows = adult_frame(options.shared), []
    for quasi in QUASI:
        leaves = {name: _leaves(options.shared, name) for name in quasi}
        for epsilon in (0.5, 1.0, 2.0):
            policy = _policy(options.shared, quasi, epsilon)
            found = [_kept(frame, policy, leaves, seed) for seed in range(options.runs)]
            ours = [f"{mean:.3f}" for mean in np.mean(found, axis=0)]
            rows.append([len(quasi), epsilon, *ours, *ARX[len(quasi), epsilon]])
    head = ["quasi", "epsilon", "records", "levels", "values", *(f"ARX: {one}" for one in KEPT)]
    print(describe_machine())
    show(f"differential privacy of Adult, delta = {DELTA:g}", head, rows)


def _policy(shared: Path, quasi: Sequence[str], epsilon: float) -> dict[str, Any]:
    files = {name: {"file": str(adult_hierarchy(shared, name))} for name in quasi}
    return {
        "attributes": {
            name: {"role": "quasi-identifier", "hierarchy": file} for name, file in files.items()
        },
        "promises": [{"model": "differential-privacy", "epsilon": epsilon, "delta": DELTA}],
        "method": {"algorithm": "safepub"},
        "rest": "drop",
    }


def _leaves(shared: Path, name: str) -> pl.DataFrame:
    """The hierarchy of an attribute, a row for every value."""
    file = adult_hierarchy(shared, name)
    return pl.read_csv(file, separator=";", has_header=False, infer_schema=False)


def _kept(
    frame: pl.DataFrame, policy: dict[str, Any], leaves: Mapping[str, pl.DataFrame], seed: int
) -> tuple[float, float, float]:
    """The shares of records, levels and values that a run keeps."""
    policy = {**policy, "method": {**policy["method"], "seed": seed}}
    release = ind.anonymize(frame, policy)
    plan, published = release.run.to_dict()["plan"], release.tables
    values = 0.0
    for name, chains in leaves.items():
        often = chains[:, plan["levels"][name]].alias(name).value_counts(name="leaves")
        others = published.join(often, on=name, how="left")["leaves"] - 1
        values += float((1 - others / (chains.height - 1)).sum()) / len(leaves)
    records = len(frame)
    return published.height / records, 1 - plan["objective"]["value"], values / records


if __name__ == "__main__":
    main()
