"""How long attack and compare take on a million rows with three releases, and how much memory.

Tables are Adult repeated, with ages that differ, and the hospital discharges of the demonstration.
Their releases are made by the optimal search, by Mondrian and by local recoding. Every attack is a
process of its own, and so are one of all three together (what several releases tell) and the
comparison of the three: processor seconds by attacker (or by step), and the most memory of the
process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

import indistinct as ind
from common import adult_frame, adult_policy, describe_machine, most_memory, parser, show
from indistinct.demo import POLICY, discharges
from whole_command import large_table

METHODS: dict[str, dict[str, Any]] = {
    "optimal": {"algorithm": "optimal", "suppression_limit": 0.02},
    "mondrian": {"algorithm": "mondrian"},
    "local": {"algorithm": "optimal", "local_recoding": True, "suppression_limit": 0.02},
}
"""The releases of each table, and how they are made."""

LEAST = 0.5
"""Processor seconds below which a step is not told by itself."""


def made(table: str, rows: int, work: Path, shared: Path) -> None:
    """Write a table, its policy and its releases."""
    file = work / "table.csv"
    if table == "adult":
        frame = adult_frame(shared)
        large_table(frame, -(-rows // frame.height), file)
        pl.read_csv(file, separator=";", infer_schema=False).head(rows).write_csv(
            file, separator=";"
        )
        policy = tomllib.loads(adult_policy(shared.resolve()))
    else:
        discharges(rows).write_csv(file)
        policy = {name: part for name, part in tomllib.loads(POLICY).items() if name != "output"}
        policy["promises"] = [{"model": "k-anonymity", "k": 5}]
    for name, method in METHODS.items():
        ind.anonymize(file, {**policy, "method": method}).write(work / name)
    (work / "policy.json").write_text(json.dumps(policy), encoding="utf-8")


def step(verb: str, names: list[str], work: Path) -> None:
    """One verb in this process; tells seconds by step, and megabytes, as JSON."""
    policy = json.loads((work / "policy.json").read_text(encoding="utf-8"))
    told: list[tuple[str, float]] = [("starting", 0.0)]

    def tell(what: str, share: float | None) -> None:
        del share
        told.append((what, time.process_time()))

    releases = [work / name for name in names]
    if verb == "attack":
        more = releases[1:] or None
        found = ind.attack(work / "table.csv", releases[0], policy, second=more, progress=tell)
    else:
        found = ind.compare(work / "table.csv", *releases, policy=policy, progress=tell)
    json.dumps(found.to_dict())
    tell("", None)
    seconds = defaultdict[str, float](float)
    for (what, before), (_, after) in pairwise(told):
        seconds[what] += after - before
    print(json.dumps({"seconds": seconds, "peak": most_memory()}))


def measured(table: str, rows: int, shared: Path) -> None:
    """Make a table and its releases, and look at them in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        made(table, rows, work, shared)
        size = (work / "table.csv").stat().st_size / (1 << 20)
        lines = []
        steps = [*(("attack", [name]) for name in METHODS), ("attack", [*METHODS])]
        for verb, names in [*steps, ("compare", [*METHODS])]:
            command = [sys.executable, __file__, "--step", verb, *names, "--work", folder]
            runs = []
            for _ in range(2):  # The first one also compiles.
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                runs.append(json.loads(done.stdout.splitlines()[-1]))
            best = min(runs, key=lambda run: sum(run["seconds"].values()))
            heavy = sorted(best["seconds"].items(), key=lambda item: -item[1])
            lines.append(
                [
                    verb,
                    ", ".join(names),
                    f"{sum(best['seconds'].values()):.1f}",
                    f"{best['peak']:,.0f}",
                    "; ".join(f"{what} {taken:.1f}" for what, taken in heavy if taken >= LEAST),
                ]
            )
        show(
            f"{table}, {rows:,} rows, {size:.0f} MB",
            ["verb", "releases", "processor s", "peak MB", "of it, s"],
            lines,
        )


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--table", choices=["adult", "discharges"], action="append")
    arguments.add_argument("--step", nargs="+", help="what a process of this benchmark does")
    arguments.add_argument("--work", type=Path, help="where it finds table and releases")
    options = arguments.parse_args()
    if options.step:
        step(options.step[0], options.step[1:], options.work)
        return
    print(describe_machine())
    for table in options.table or ["adult", "discharges"]:
        measured(table, options.rows, options.shared)
    print(describe_machine())


if __name__ == "__main__":
    main()
