"""Leakage of all combinations: from the distinct combinations, against a group-by for each.

First all pairs and triples of the nine columns of the Adult table, repeated to 1.2 million records
with ages that differ, beside a plain Polars group-by per combination; then all 32,767 combinations
of 15 columns of a million records, once with columns that depend on each other as those of people
do, once with independent ones.
"""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import polars as pl

from common import ADULT, adult_frame, calibrate, describe_machine, parser, show, timed
from indistinct.analytics.leakage.encoded import encode
from indistinct.analytics.leakage.information_loss import LeakageAnalysis
from indistinct.sources.engines import open_table

COPIES = 40
RECORDS = 1_000_000
DOMAINS = (2, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 50, 80, 100)
GROUPS = 2000
NOISE = 0.05


def repeated(frame: pl.DataFrame) -> pl.DataFrame:
    """The table many times over, all ages but those of the first copy moved by up to three."""
    draw = np.random.default_rng(1)
    ages = frame["age"].cast(pl.Int64).to_numpy()
    parts = [
        frame.with_columns(
            pl.Series(
                "age",
                np.clip(ages + (draw.integers(-3, 4, frame.height) if copy else 0), 1, 100),
            ).cast(pl.String)
        )
        for copy in range(COPIES)
    ]
    return pl.concat(parts)


def synthetic(dependent: bool) -> pl.DataFrame:
    """Fifteen columns of 2 to 100 values, some frequent and some rare."""
    draw = np.random.default_rng(0)
    group = draw.integers(0, GROUPS, RECORDS)
    columns = {}
    for place, values in enumerate(DOMAINS):
        share = 1 / np.arange(1, values + 1)
        own = draw.choice(values, RECORDS, p=share / share.sum())
        if dependent:
            of_group = draw.choice(values, GROUPS)[group]
            own = np.where(draw.random(RECORDS) < NOISE, own, of_group)
        columns[f"c{place}"] = own.astype(np.int32)
    return pl.DataFrame(columns)


def by_group_by(frame: pl.DataFrame, names: tuple[str, ...]) -> float:
    """Leakage of one combination with a plain group-by."""
    sizes = frame.group_by(names).len()["len"].to_numpy().astype(np.float64)
    total = sizes.sum()
    return math.log2(total) - float((sizes * np.log2(sizes)).sum()) / total


def pairs_and_triples(frame: pl.DataFrame) -> None:
    """Compare both ways on the same combinations."""
    wanted = [names for size in (2, 3) for names in itertools.combinations(ADULT, size)]
    # The group-by is given codes, not texts, which is the faster of the two.
    coded = frame.select(
        pl.col(name).cast(pl.Categorical).to_physical().alias(name) for name in ADULT
    )
    plain = timed(
        lambda: {names: by_group_by(coded, names) for names in wanted}, runs=3, warm_ups=1
    )
    texts = timed(
        lambda: {names: by_group_by(frame, names) for names in wanted}, runs=1, warm_ups=0
    )
    table = open_table(frame)
    encoding = timed(lambda: encode(table, ADULT), runs=3, warm_ups=1)

    def ours() -> dict[tuple[str, ...], float]:
        analysis = encode(table, ADULT).analysis
        return {item.attributes: item.loss for item in analysis.combinations(3, least=2)}

    whole = timed(ours, runs=3, warm_ups=1)
    for names, loss in whole.result.items():
        assert abs(loss - plain.result[names]) < 1e-9
    distinct = encoding.result.analysis.table.combinations
    counted = encoding.result.analysis.table
    search = timed(
        lambda: list(LeakageAnalysis(counted).combinations(3, least=2)), runs=3, warm_ups=1
    ).best
    show(
        f"Adult x {COPIES}: {frame.height:,} records, {distinct:,} distinct, {len(wanted)} pairs "
        "and triples (target: 10 times as fast as the group-bys)",
        ["way", "seconds", "times as fast"],
        [
            ["a Polars group-by each, on texts", f"{texts.best:.2f}", ""],
            ["a Polars group-by each, on codes", f"{plain.best:.2f}", "1.0"],
            ["ours, encoding the texts included", f"{whole.best:.2f}",
             f"{plain.best / whole.best:.1f} ({texts.best / whole.best:.1f} on texts)"],
            ["ours, the combinations alone", f"{search:.3f}",
             f"{plain.best / search:.1f}"],
        ],
    )  # fmt: skip


def all_of_fifteen() -> None:
    """Every combination of 15 columns, and the prunings."""
    rows = []
    for dependent in (True, False):
        table = open_table(synthetic(dependent))
        start = time.perf_counter()
        analysis = encode(table, table.columns).analysis
        encoded = time.perf_counter()
        count = sum(1 for _ in analysis.combinations(len(DOMAINS)))
        everything = time.perf_counter()
        analysis.top(len(DOMAINS), 10)
        worst = time.perf_counter()
        minimal = analysis.minimal_above(0.9, len(DOMAINS))
        end = time.perf_counter()
        rows.append(
            [
                "dependent" if dependent else "independent",
                f"{analysis.table.combinations:,}",
                f"{encoded - start:.1f}",
                f"{count:,}",
                f"{everything - encoded:.1f}",
                f"{worst - everything:.1f}",
                f"{end - worst:.1f}",
                len(minimal),
            ]
        )
    show(
        f"{len(DOMAINS)} columns, {RECORDS:,} records (target: seconds to a few minutes)",
        [
            "columns", "distinct", "encoding s", "combinations", "all of them s", "top 10 s",
            "minimal at 0.9 s", "found",
        ],
        rows,
    )  # fmt: skip


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--pairs-only", action="store_true", help="leave the 15 columns out")
    options = arguments.parse_args()
    print(describe_machine())
    print(calibrate())
    pairs_and_triples(repeated(adult_frame(options.shared)))
    if not options.pairs_only:
        all_of_fifteen()
    print(describe_machine())


if __name__ == "__main__":
    main()
