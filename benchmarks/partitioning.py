"""Partitioning: time and what is lost, beside other tools' Mondrians, and growth with n and k.

On the Adult table after encoding: Mondrian with its criteria of cuts and its styles of cells, with
promises about sensitive values, for many k, and on the table repeated and perturbed up to ten
million records; then clustering, whose time grows with the square. Two figures say what is lost.
The common NCP looks at what is in a class (distinct values less one out of those of the table, ages
by their range), whatever is published of it, and so compares tools; the mean loss looks at what is
published (leaves less one out of those of the hierarchy).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import indistinct as ind
from common import (
    ADULT,
    EIGHT,
    adult_frame,
    adult_hierarchy,
    adult_table,
    adult_taxonomies,
    calibrate,
    describe_machine,
    ms,
    parser,
    show,
    timed,
)
from indistinct.microdata.encoding import frequency_table, leaf_codes
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import Promise, promise
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.plan import CellPlan

PEERS = (
    "qiyuangong 270 ms 5.47%, anonypy 37,000 ms 3.20%, mosaicrown 37,000 ms 2.91%; k = 10: 230 ms "
    "7.96%, 19,000 ms 5.84%, 18,000 ms 5.05%"
)

K5 = promise("k-anonymity", k=5)


def sets(names: Sequence[str]) -> dict[str, str]:
    """Sets of everything but ages."""
    return {name: "set" for name in names if name != "age"}


WAYS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "own gain, median": {"cut": "median"},
    "widest, median (LeFevre)": {"dimension": "width", "cut": "median"},
}


def common_ncp(data: LeveledTable, class_of: NDArray[np.int32]) -> float:
    """Mean of (distinct values in the class - 1) / (domain - 1), ages by their range."""
    size = np.bincount(class_of, weights=data.weight)
    total = 0.0
    for j, name in enumerate(data.attributes):
        codes = data.table.codes[j].astype(np.int64)
        if name == "age":
            ages = np.array([float(str(leaf)) for leaf in data.taxonomies[name].leaves])[codes]
            low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
            np.minimum.at(low, class_of, ages)
            np.maximum.at(high, class_of, ages)
            widths = (high - low) / (ages.max() - ages.min())
        else:
            most = int(data.domain[j])
            pairs = np.unique(class_of.astype(np.int64) * most + codes)
            widths = (np.bincount(pairs // most) - 1) / (len(np.unique(codes)) - 1)
        total += float((widths * size).sum())
    return total / (float(size.sum()) * len(data.attributes))


def mean_loss(data: LeveledTable, plan: CellPlan) -> float:
    """Mean over cells of (leaves - 1) / (domain - 1)."""
    total = 0.0
    for j, domain in enumerate(data.domain.tolist()):
        leaves = plan.covered[j][plan.cell_of[j][plan.class_of]]
        total += float((data.weight * (leaves - 1)).sum()) / (domain - 1)
    return total / (data.table.records * len(data.attributes))


def figures(data: LeveledTable, plan: CellPlan) -> list[Any]:
    """Classes, the smallest of them, and both figures of what is lost."""
    size = np.bincount(plan.class_of, weights=data.weight)
    return [
        plan.groups,
        int(size.min()),
        f"{common_ncp(data, plan.class_of):.3%}",
        f"{mean_loss(data, plan):.4f}",
    ]


def cut(
    data: LeveledTable, promises: Sequence[Promise] = (K5,), **settings: Any
) -> tuple[Any, CellPlan]:
    """Time Mondrian and return what it found."""
    how = PartitionSettings(**settings)
    run = timed(lambda: partition(data, promises, "mondrian", how), runs=7)
    return run, run.result


def on_adult(shared: Path) -> None:
    """Criteria and cells, eight and nine quasi-identifiers."""
    rows = []
    for names in (EIGHT, ADULT):
        data = adult_table(shared, names)
        for cells in (None, sets(names)):
            for way, settings in WAYS.items():
                run, plan = cut(data, cells=cells, **settings)
                style = "ancestors, range" if cells is None else "sets, range"
                rows.append(
                    [len(names), style, way, ms(run.best), ms(run.median), *figures(data, plan)]
                )
    data = adult_table(shared, EIGHT)
    run, plan = cut(data, [promise("k-anonymity", k=10)], cells=sets(EIGHT))
    rows.append(
        [
            "8, k = 10",
            "sets, range",
            "as it comes",
            ms(run.best),
            ms(run.median),
            *figures(data, plan),
        ]
    )
    show(
        "Adult, k = 5, after encoding (target: 50 ms; common NCP 2.9% and 2.5%; with nine a mean "
        f"loss of 0.05; {PEERS})",
        ["QIs", "cells", "cut", "best ms", "median", "classes", "least", "common NCP", "mean loss"],
        rows,
    )


def with_promises(shared: Path) -> None:
    """Promises about occupation, beside k alone on the same table in the same run."""
    frame = adult_frame(shared).select(ADULT)
    quasi = [name for name in ADULT if name != "occupation"]
    data = Microdata.encode(frame, adult_taxonomies(shared, quasi), ["occupation"]).data
    alone, plan = cut(data)
    rows = [["k alone", ms(alone.best), ms(alone.median), "1.0", *figures(data, plan)]]
    # Beside each a further run of k alone, so that both see the same machine.
    for settings in (
        {"model": "distinct-l-diversity", "l": 3},
        {"model": "entropy-l-diversity", "l": 3},
        {"model": "recursive-cl-diversity", "c": 4.0, "l": 3},
        {"model": "t-closeness", "t": 0.3},
        {"model": "t-closeness", "t": 0.2},
    ):
        asked = promise(**settings, sensitive="occupation")
        run, plan = cut(data, [K5, asked])
        beside, _ = cut(data)
        rows.append(
            [
                f"+ {asked}",
                ms(run.best),
                ms(run.median),
                f"{run.best / beside.best:.1f}",
                *figures(data, plan),
            ]
        )
    show(
        "Adult, eight quasi-identifiers, occupation sensitive, k = 5 (target: twice k alone)",
        [
            "promises",
            "best ms",
            "median",
            "times k alone",
            "classes",
            "least",
            "common NCP",
            "mean loss",
        ],
        rows,
    )


def over_k(shared: Path) -> None:
    """Growth with k."""
    data = adult_table(shared, EIGHT)
    rows = []
    for k in (2, 5, 10, 20, 50, 100, 1000):
        run, plan = cut(data, [promise("k-anonymity", k=k)])
        rows.append([k, ms(run.best), ms(run.median), *figures(data, plan)])
    show(
        "Adult, eight quasi-identifiers, growth with k",
        ["k", "best ms", "median", "classes", "least", "common NCP", "mean loss"],
        rows,
    )


def perturbed(shared: Path, records: int) -> dict[str, NDArray[np.int32]]:
    """Codes of records drawn from Adult; ages moved by up to five, 5% of other cells drawn anew."""
    frame, taxonomies = adult_frame(shared), adult_taxonomies(shared, EIGHT)
    draw = np.random.default_rng(3)
    which = draw.integers(0, frame.height, records)
    found = {}
    for name in EIGHT:
        codes = leaf_codes(frame[name], taxonomies[name])
        own = codes[which]
        if name == "age":
            own = np.clip(own + draw.integers(-5, 6, records), 16, 89).astype(np.int32)
        else:
            some = np.flatnonzero(draw.random(records) < 0.05)
            own[some] = codes[draw.integers(0, frame.height, len(some))]
        found[name] = own
    return found


def over_n(shared: Path, sizes: Sequence[int]) -> None:
    """Growth with n, equal records counted together and one by one."""
    taxonomies = adult_taxonomies(shared, EIGHT)
    domains = {name: len(taxonomies[name].leaves) for name in EIGHT}
    rows = []
    for records in sizes:
        codes = perturbed(shared, records)
        start = time.perf_counter()
        table, _ = frequency_table(codes, domains, {}, np.ones(records, dtype=np.int64))
        counted = time.perf_counter() - start
        data = LeveledTable(table, taxonomies)
        for way in ("as it comes", "widest, median (LeFevre)"):
            run = timed(
                lambda data=data, way=way: partition(
                    data, [K5], "mondrian", PartitionSettings(**WAYS[way])
                ),
                runs=3,
                warm_ups=1 if records < 1_000_000 else 0,
            )
            rows.append(
                [
                    f"{records:,}",
                    f"{table.combinations:,}",
                    way,
                    f"{counted:.2f}",
                    f"{run.best:.3f}",
                    f"{run.best / records * 1e9:.0f}",
                    f"{run.result.groups:,}",
                    f"{run.result.search.value:.5f}",
                ]
            )
    show(
        "Adult repeated and perturbed, k = 5 (target: ten million within 10 s after reading)",
        ["records", "distinct", "cut", "count s", "cut s", "ns/record", "classes", "NCP"],
        rows,
    )


def whole_call(shared: Path, sizes: Sequence[int]) -> None:
    """From a frame of texts to the audited release, stage by stage."""
    taxonomies = adult_taxonomies(shared, EIGHT)
    policy = {
        "attributes": {
            name: {
                "role": "quasi-identifier",
                "hierarchy": {"file": str(adult_hierarchy(shared, name))},
            }
            for name in EIGHT
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "mondrian"},
    }
    rows = []
    for records in (10_000, *sizes):
        frame = pl.DataFrame(
            {
                name: pl.Series(taxonomies[name].leaves, dtype=pl.String).gather(codes)
                for name, codes in perturbed(shared, records).items()
            }
        )
        stages: dict[str, tuple[float, float]] = {}

        def tell(
            stage: str,
            share: float | None,
            stages: dict[str, tuple[float, float]] = stages,
        ) -> None:
            del share
            stages.setdefault(stage, (time.perf_counter(), time.process_time()))

        release = ind.anonymize(frame, policy, progress=tell)
        tell("done", None)
        if records == 10_000:
            continue  # compiles
        names = list(stages)
        parts = [stages[after][0] - stages[before][0] for before, after in pairwise(names)]
        processor = stages["done"][1] - stages[names[0]][1]
        rows.append(
            [
                f"{records:,}",
                f"{release.certificate.classes['count']:,}",
                *(f"{seconds:.2f}" for seconds in parts),
                f"{sum(parts):.2f}",
                f"{processor:.2f}",
            ]
        )
    show(
        "anonymize, whole call after reading (target: ten million within 10 s)",
        [
            "records",
            "classes",
            "opening s",
            "counting",
            "searching",
            "publishing",
            "auditing",
            "whole s",
            "processor s",
        ],
        rows,
    )


def clusters(shared: Path, sizes: Sequence[int]) -> None:
    """k-member clustering beside Mondrian on the same records."""
    frame, taxonomies = adult_frame(shared).select(EIGHT), adult_taxonomies(shared, EIGHT)
    rows = []
    for records in sizes:
        some = frame.sample(records, seed=1)
        apart = Microdata.encode(some, taxonomies, by_record=True).data
        together = Microdata.encode(some, taxonomies).data
        collect = timed(lambda apart=apart: partition(apart, [K5], "k-member"), runs=1, warm_ups=1)
        run, plan = cut(together)
        rows.append(
            [
                f"{records:,}",
                f"{collect.best:.2f}",
                f"{mean_loss(apart, collect.result):.4f}",
                f"{run.best:.4f}",
                f"{mean_loss(together, plan):.4f}",
            ]
        )
    show(
        "Clustering beside cutting, k = 5, ancestors and ranges",
        ["records", "k-member s", "mean loss", "Mondrian s", "mean loss"],
        rows,
    )


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--most", type=int, default=10_000_000, help="records of the largest")
    options = arguments.parse_args()
    print(describe_machine())
    print(calibrate())
    on_adult(options.shared)
    with_promises(options.shared)
    over_k(options.shared)
    sizes = (30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
    over_n(options.shared, [size for size in sizes if size <= options.most])
    large = (1_000_000, 10_000_000)
    whole_call(options.shared, [size for size in large if size <= options.most])
    clusters(options.shared, (1_000, 2_000, 4_000, 8_000))
    print(describe_machine())


if __name__ == "__main__":
    main()
