"""The whole command as a process: on Adult, the very first run, and on 1.2 million rows.

The large table is Adult forty times with ages disturbed by a seeded draw. Its floor is a process
that reads the same file, counts the combinations of the same quasi-identifiers and writes the file
again; floor and command alternate.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from common import (
    ADULT,
    adult_file,
    adult_frame,
    adult_policy,
    describe_machine,
    parser,
    show,
    spent,
)

QUASI = tuple(name for name in ADULT if name != "occupation")

FLOOR = """
import sys
import polars as pl
source, target, *keys = sys.argv[1:]
frame = pl.read_csv(source, separator=";", infer_schema=False)
print(frame.group_by(keys).len().height)
frame.write_csv(target)
"""


def large_table(frame: pl.DataFrame, copies: int, target: Path) -> None:
    """Write the table several times over, ages up to three years off but in the first."""
    random = np.random.default_rng(1)
    ages = frame["age"].cast(pl.Int64).to_numpy()
    parts = [frame]
    for _ in range(copies - 1):
        moved = np.clip(ages + random.integers(-3, 4, len(ages)), 1, 100)
        parts.append(frame.with_columns(pl.Series("age", moved).cast(pl.String)))
    pl.concat(parts).write_csv(target, separator=";")


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--copies", type=int, default=40, help="how often Adult is repeated")
    arguments.add_argument("--runs", type=int, default=5)
    options = arguments.parse_args()
    source = adult_file(options.shared)
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        policy = work / "adult.toml"
        policy.write_text(adult_policy(options.shared.resolve()))

        def command(table: Path) -> list[str]:
            out = work / "release"
            shutil.rmtree(out, ignore_errors=True)
            script = Path(sys.executable).with_name("indistinct")
            return [
                str(script), "anonymize", str(table), "--policy", str(policy), "--out", str(out),
            ]  # fmt: skip

        rows = []
        empty = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"), LOCALAPPDATA=str(work / "c"))
        empty.pop("NUMBA_CACHE_DIR", None)
        first = spent(command(source), empty)
        figures = [f"{first.wall:.2f}", "", f"{first.megabytes:.0f}", ""]
        rows.append(["first run, no kernel compiled", *figures])
        runs = [spent(command(source), empty) for _ in range(options.runs)]
        times = [run.wall for run in runs]
        rows.append(
            [
                "later runs, kernels from the cache",
                f"{min(times):.2f}",
                f"{statistics.median(times):.2f}",
                f"{max(run.megabytes for run in runs):.0f}",
                "2.5 s",
            ]
        )
        show(
            f"indistinct anonymize adult.csv, {len(QUASI)} quasi-identifiers, k = 5, limit 0.05",
            ["what", "best s", "median s", "peak MB", "target"],
            rows,
        )

        large = work / "large.csv"
        large_table(adult_frame(options.shared), options.copies, large)
        copy = work / "copy.csv"
        floor_command = [sys.executable, "-c", FLOOR, str(large), str(copy), *QUASI]
        floors, wholes = [], []
        for _ in range(options.runs):
            floors.append(spent(floor_command, empty))
            wholes.append(spent(command(large), empty))
        ratios = [whole.wall / floor.wall for whole, floor in zip(wholes, floors, strict=True)]
        best = min(run.wall for run in wholes) / min(run.wall for run in floors)
        show(
            f"the same on {options.copies * 30162} rows ({large.stat().st_size >> 20} MB)",
            ["what", "best", "median", "peak MB", "target"],
            [
                [name, *(f"{pick([run.wall for run in runs]):.2f} s" for pick in (min, _median)),
                 f"{max(run.megabytes for run in runs):.0f}", target]
                for name, runs, target in (
                    ("floor: read, one group-by, write", floors, ""),
                    ("whole command", wholes, "1500 MB"),
                )
            ]
            + [["whole command / floor", f"{best:.2f}", f"{_median(ratios):.2f}", "", "4"]],
        )  # fmt: skip
    print(describe_machine())


def _median(values: list[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    main()
