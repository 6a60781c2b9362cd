"""How long theta-sensitivity takes, how it grows, and how much noise it needs beside the bound.

Adult, eight quasi-identifiers, occupation sensitive (14 values), mu = 0.6. Larger tables are drawn
from it: rows with replacement, a fifth of the values of each column drawn anew.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import common
from indistinct.errors import Unsatisfiable
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy.promise import promise
from indistinct.privacy.rank_variance import least_noise
from indistinct.recoding.exchange import Rules, ThetaSettings, Widths, theta_sensitive
from indistinct.recoding.exchange.procedure import Moves, exchange_classes
from indistinct.recoding.exchange.target import Target
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.recoded import ncp

QUASI = tuple(name for name in common.ADULT if name != "occupation")


def drawn(frame: pl.DataFrame, records: int, seed: int = 0) -> pl.DataFrame:
    """A table of so many rows like the given one."""
    generator = np.random.default_rng(seed)
    base = frame[generator.integers(0, frame.height, records)]
    columns = []
    for name in frame.columns:
        other = frame[name][generator.integers(0, frame.height, records)]
        anew = pl.Series(generator.random(records) < 0.2)
        columns.append(pl.select(pl.when(anew).then(other).otherwise(base[name])).to_series())
    return pl.DataFrame([column.alias(n) for column, n in zip(columns, frame.columns, strict=True)])


def encoded(shared: Path, frame: pl.DataFrame) -> LeveledTable:
    """The table by record."""
    taxonomies = common.adult_taxonomies(shared, QUASI)
    return Microdata.encode(frame, taxonomies, ["occupation"], by_record=True).data


def made(data: LeveledTable, k: int, **settings: Any) -> tuple[CellPlan | None, float]:
    """The plan, None where there is none, and seconds."""
    promises = [promise("theta-sensitive", k=k, sensitive="occupation")]
    if settings.get("variant", "safe") == "safe":
        promises.append(promise("max-posterior", bound=0.5, sensitive="occupation"))
    began = time.perf_counter()
    try:
        plan = theta_sensitive(data, promises, ThetaSettings(**settings))
    except Unsatisfiable:
        return None, time.perf_counter() - began
    return plan, time.perf_counter() - began


def exchanged(data: LeveledTable, k: int, *, guard: bool, back: bool) -> Moves:
    """Chunks of k in the order of the quasi-identifiers, the exchange alone."""
    records = data.table.records
    widths = Widths.of(data)
    order = np.lexsort(widths.key[::-1]).astype(np.int32)
    groups = records // k
    start = np.append(np.arange(groups) * k, records).astype(np.int64)
    cells = data.table.sensitive["occupation"]
    target = {"occupation": Target(len(cells.domain), k=k)}
    values = {"occupation": cells.value}
    return exchange_classes(Ragged(start, order), values, target, widths, Rules(guard, back))


def main() -> None:
    """Growth with n and with k; noise with and without the guard."""
    shared = common.parser(__doc__).parse_args().shared
    frame = common.adult_frame(shared).select([*QUASI, "occupation"])
    print(common.describe_machine())
    small = encoded(shared, frame[:2000])
    for partition in ("mondrian", "chunks"):
        made(small, 4, partition=partition)  # compiles, or loads what is compiled

    rows = []
    for records in (10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 640_000):
        data = encoded(shared, drawn(frame, records))
        row: list[Any] = [f"{records:,}"]
        for partition in ("mondrian", "chunks"):
            tries = [made(data, 4, partition=partition) for _ in range(3)]
            plan, best = min(tries, key=lambda found: found[1])
            log = {} if plan is None else plan.log
            row += [f"{best:.2f}", log.get("classes"), log.get("swaps"), log.get("noise")]
        rows.append(row)
    common.show(
        "k = 4, safe: partition, exchange and cells, by number of records",
        [
            "records",
            *("mondrian s", "classes", "swaps", "noise"),
            *("chunks s", "classes", "swaps", "noise"),
        ],
        rows,
    )

    data = encoded(shared, frame)
    rows = []
    for k in range(2, 21, 2):
        row = [k]
        for variant, donors in (("safe", "all"), ("safe", "later"), ("paper", "later")):
            plan, seconds = made(data, k, variant=variant, donors=donors)
            if plan is None:
                row += [f"{seconds:.2f}", "-", "-", "-"]
                continue
            log = plan.log
            row += [f"{seconds:.2f}", log["classes"], log["noise"], f"{ncp(data, plan):.3%}"]
        rows.append(row)
    common.show(
        "Adult, Mondrian, by k (- where no release keeps the promise)",
        [
            "k",
            *("safe s", "classes", "noise", "NCP"),
            *("later s", "classes", "noise", "NCP"),
            *("paper s", "classes", "noise", "NCP"),
        ],
        rows,
    )

    totals = data.table.sensitive["occupation"].totals
    rows = []
    for k in range(2, 21, 2):
        row = [k, least_noise(totals, data.table.records // k, k, 0.6)]
        for guard, back in ((False, False), (True, False), (True, True)):
            moves = exchanged(data, k, guard=guard, back=back)
            row += [len(moves.noise_group), len(moves.failed)]
        rows.append(row)
    common.show(
        "Adult, chunks of k: noise of any algorithm at least; without the guard, with it, and with "
        "all classes as donors",
        ["k", "bound", "unguarded", "failed", "guarded", "failed", "all donors", "failed"],
        rows,
    )
    print(common.describe_machine())


if __name__ == "__main__":
    main()
