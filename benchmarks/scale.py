"""Large tables: a whole run as a process against its floor, in CPU seconds and peak memory.

The floor is a process that reads the same file, counts the combinations of the quasi-identifiers
and writes the file again, by one engine. Ratios of CPU seconds in one run are what counts: wall
clocks of a busy machine say little. Each algorithm runs once before it is measured, over a million
rows at most, so that its kernels are compiled.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from common import describe_machine, parser, show, spent

QUASI = ("age", "sex", "region", "education")

MOST_FIRST = 1_000_000
"""Rows of the run before the one that is measured, at most."""

POLICY = """
[attributes.id]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = { width = 5 } }
[attributes.sex]
role = "quasi-identifier"
hierarchy = "suppress"
[attributes.region]
role = "quasi-identifier"
hierarchy = { mask = {} }
[attributes.education]
role = "quasi-identifier"
hierarchy = "suppress"
[attributes.diagnosis]
role = "sensitive"
[attributes.cost]
role = "insensitive"
[attributes.ward]
role = "insensitive"
[[promises]]
model = "k-anonymity"
k = 10
[[promises]]
model = "distinct-l-diversity"
l = 2
sensitive = "diagnosis"
[method]
algorithm = "ALGORITHM"
suppression_limit = 0.02
[output]
format = "parquet"
"""

FLOORS = {
    "polars": """
import sys
import polars as pl
source, target, *keys = sys.argv[1:]
frame = pl.read_parquet(source)
print(frame.group_by(keys).len().height)
frame.write_parquet(target)
""",
    "duckdb": """
import sys
import duckdb
source, target, *keys = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET memory_limit = '1400MB'")
connection.execute("SET temp_directory = '" + target + ".spill'")
table = connection.read_parquet(source)
print(len(table.aggregate(", ".join(keys) + ", count(*)").fetchall()))
table.write_parquet(target, compression="zstd")
""",
}


def write_table(rows: int, target: Path) -> None:
    """People of a register, a million at a time: eight columns."""
    import pyarrow.parquet as pq

    random = np.random.default_rng(1)
    writer = None
    for first in range(0, rows, 1_000_000):
        n = min(1_000_000, rows - first)
        frame = pl.DataFrame(
            {
                "id": np.arange(first, first + n),
                "age": random.integers(0, 100, n),
                "sex": pl.Series(random.integers(0, 2, n)).replace_strict({0: "f", 1: "m"}),
                "region": pl.Series(random.integers(100, 116, n)).cast(pl.String),
                "education": pl.Series(random.integers(1, 9, n)).cast(pl.String),
                "diagnosis": "D" + pl.Series(random.integers(10, 30, n)).cast(pl.String),
                "cost": random.gamma(2.0, 900.0, n).round(2),
                "ward": "ward " + pl.Series(random.integers(0, 40, n)).cast(pl.String),
            }
        ).to_arrow()
        writer = writer or pq.ParquetWriter(target, frame.schema, compression="zstd")
        writer.write_table(frame)
    assert writer is not None
    writer.close()


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--algorithms", default="optimal", help="with local: local recoding")
    arguments.add_argument("--folder", type=Path, help="where the tables are written")
    arguments.add_argument("--options", default="", help="further options of the command")
    arguments.add_argument("--floor", choices=[*FLOORS], default="polars")
    options = arguments.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        work = Path(folder)
        source = work / "register.parquet"
        write_table(options.rows, source)
        first = source if options.rows <= MOST_FIRST else work / "first.parquet"
        if first != source:
            write_table(MOST_FIRST, first)
        floor = [sys.executable, "-c", FLOORS[options.floor], str(source), str(work / "copy")]
        rows = []
        least = spent([*floor, *QUASI])
        figures = [f"{least.cpu:.1f}", "1.0", f"{least.megabytes:.0f}"]
        rows.append([f"floor ({options.floor})", *figures])
        for algorithm in options.algorithms.split(","):
            policy = work / "policy.toml"
            further = "\nlocal_recoding = true" if algorithm == "local" else ""
            named = "optimal" if algorithm == "local" else algorithm
            policy.write_text(POLICY.replace('"ALGORITHM"', f'"{named}"{further}'))
            out = work / "release"
            script = str(Path(sys.executable).with_name("indistinct"))
            further_options = ["--policy", str(policy), "--out", str(out), *options.options.split()]
            spent([script, "anonymize", str(first), *further_options])
            shutil.rmtree(out)
            took = spent([script, "anonymize", str(source), *further_options])
            times = f"{took.cpu / least.cpu:.1f}"
            rows.append([algorithm, f"{took.cpu:.1f}", times, f"{took.megabytes:.0f}"])
            shutil.rmtree(out)
        size = source.stat().st_size >> 20
        title = f"{options.rows} rows of 8 columns ({size} MB Parquet) {options.options}"
        show(title, ["what", "CPU s", "times the floor", "peak MB"], rows)


if __name__ == "__main__":
    main()
