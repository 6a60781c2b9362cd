"""How long a thousand queries take on releases of up to a million rows and more."""

from __future__ import annotations

import time

import numpy as np
import polars as pl

from common import EIGHT, adult_frame, adult_taxonomies, describe_machine, parser, show, timed
from indistinct.analytics.published import Original, read_rows
from indistinct.analytics.utility.query_error import MODES, Workload
from indistinct.hierarchies.taxonomy import Taxonomy

ROWS = 1_000_000
QUERIES = 1_000
"""What the target speaks of: a thousand queries on a million rows, in seconds."""


def perturbed(frame: pl.DataFrame, rows: int, share: float) -> pl.DataFrame:
    """Rows of the Adult table drawn again and again, a share of the cells from another row each."""
    random = np.random.default_rng(0)
    drawn = frame[random.integers(frame.height, size=rows)]
    columns = []
    for column in drawn.get_columns():
        other = frame[column.name].gather(random.integers(frame.height, size=rows))
        columns.append(
            pl.select(
                pl.when(pl.Series(random.random(rows) < share)).then(other).otherwise(column)
            ).to_series().alias(column.name)
        )  # fmt: skip
    return pl.DataFrame(columns)


def in_ranges(frame: pl.DataFrame, taxonomies: dict[str, Taxonomy]) -> pl.DataFrame:
    """A release of any kind: ages in ranges of varying width, all else at level 1."""
    random = np.random.default_rng(1)
    ages = frame["age"].cast(pl.Int64)
    width = pl.Series(random.choice([2, 5, 9], frame.height))
    low = ages // width * width
    age = pl.select(pl.format("[{}, {}]", low, low + width - 1)).to_series().alias("age")
    columns = [age]
    for name in frame.columns:
        if name != "age":
            chains = dict(zip(taxonomies[name].leaves, taxonomies[name].level(1), strict=True))
            columns.append(frame[name].replace_strict(chains, return_dtype=pl.String))
    return pl.DataFrame(columns).select(frame.columns)


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    options = arguments.parse_args()
    print(describe_machine())
    taxonomies = adult_taxonomies(options.shared, EIGHT)
    adult = adult_frame(options.shared).select(EIGHT)
    growth = []
    for rows, share in ((10_000, 0.1), (100_000, 0.1), (ROWS, 0.1), (ROWS, 0.5)):
        texts = perturbed(adult, rows, share)
        published = in_ranges(texts, taxonomies)
        start = time.perf_counter()
        original = Original.of(texts, taxonomies)
        read = read_rows(original, published)
        reading = time.perf_counter() - start
        for dimensions in (1, 2, 4, 8):
            work = Workload(QUERIES, dimensions, 0.05)
            drawing = timed(lambda: work.draw(original), runs=2, warm_ups=1)  # noqa: B023
            queries = drawing.result
            took, errors = [], []
            for mode in MODES:
                asking = timed(lambda: queries.error(read, mode), runs=2, warm_ups=1)  # noqa: B023
                took.append(f"{asking.best:.2f}")
                errors.append(f"{asking.result.mean:.3f}")
            growth.append(
                [f"{rows:,}", f"{original.combinations:,}", f"{read.classes:,}",
                 f"{reading:.2f}", dimensions, f"{drawing.best:.2f}", *took, *errors]
            )  # fmt: skip
    show(
        f"{QUERIES:,} queries of selectivity 0.05 on eight columns",
        ["rows", "combinations", "classes", "encoding s", "dimensions", "drawing s",
         "overlap s", "uniform s", "overlap error", "uniform error"],
        growth,
    )  # fmt: skip
    print(describe_machine())


if __name__ == "__main__":
    main()
