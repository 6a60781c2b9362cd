"""Quality over time of the heuristic, on lattices that are too large to search.

Two tables: Adult with its nine quasi-identifiers, where the optimum is known, and Adult with nine
more made from them with a seed (a disturbed copy of each value, under the same hierarchy), a
lattice of 168 million nodes. The heuristic runs under growing time limits.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl

from common import ADULT, adult_frame, adult_table, adult_taxonomies, describe_machine, parser, show
from indistinct.measures import objective
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy.promise import promise
from indistinct.recoding.full_domain import Limits, Settings, full_domain


def widened(shared: Path, share: float = 0.1) -> LeveledTable:
    """Adult with a second copy of every attribute, a share of its cells drawn anew."""
    frame = adult_frame(shared)
    random = np.random.default_rng(7)
    taxonomies = adult_taxonomies(shared, ADULT)
    columns = []
    for name in ADULT:
        values = frame[name]
        other = values.gather(pl.Series(random.integers(0, len(values), len(values))))
        new = pl.Series(random.random(len(values)) < share)
        columns.append(values)
        columns.append(values.zip_with(~new, other).alias(f"{name} again"))
        taxonomies[f"{name} again"] = taxonomies[name]
    made = pl.DataFrame(columns)
    return Microdata.encode(made, {name: taxonomies[name] for name in made.columns}).data


def over_time(title: str, data: LeveledTable, limits: list[float], exact: bool) -> None:
    """Value and nodes looked at, under each time limit."""
    rows = []
    goal = objective("loss", aggregate="arithmetic")
    for seconds in limits:
        start = time.perf_counter()
        plan = full_domain(
            data,
            [promise("k-anonymity", k=5)],
            goal,
            Settings("heuristic", suppression_limit=1.0, limits=Limits(seconds=seconds)),
        )
        took = time.perf_counter() - start
        found = plan.search
        rows.append(
            [seconds, f"{took:.2f}", f"{found.value:.6f}", found.checked, found.stopped_by or "end"]
        )
    if exact:
        best = full_domain(
            data, [promise("k-anonymity", k=5)], goal, Settings(suppression_limit=1.0)
        ).search
        rows.append(["optimal", f"{best.seconds:.2f}", f"{best.value:.6f}", best.checked, "proof"])
    show(
        f"{title}: {len(data.attributes)} quasi-identifiers, {data.table.combinations} "
        f"combinations, {int((data.heights + 1).prod())} nodes",
        ["limit s", "took s", "value", "nodes looked at", "ended by"],
        rows,
    )


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--seconds", type=float, nargs="+", default=[0.3, 1.0, 3.0, 10.0])
    options = arguments.parse_args()
    print(describe_machine())
    over_time("Adult", adult_table(options.shared), [0.03, 0.1, 0.3], exact=True)
    wide = widened(options.shared)
    over_time("Adult doubled", wide, options.seconds, exact=False)
    print(describe_machine())


if __name__ == "__main__":
    main()
