"""Optimal full-domain search on Adult: time per objective, next to ARX, and the exact optimum.

Times are of the whole search call on a table that is already encoded (lattice, objective, search),
best and median of five after two warm-ups. Values are held against the brute-force oracle.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

import arx
import indistinct as ind
from common import (
    ADULT,
    EIGHT,
    Calibration,
    adult_file,
    adult_table,
    calibrate,
    describe_machine,
    ms,
    need,
    parser,
    show,
    timed,
)
from indistinct.measures import objective
from indistinct.privacy.promise import promise
from indistinct.recoding.full_domain import Settings, full_domain, full_domain_for_each

OBJECTIVES: dict[str, dict[str, Any]] = {
    "loss": {"measure": "loss"},
    "loss arithmetic": {"measure": "loss", "aggregate": "arithmetic"},
    "non-uniform-entropy": {"measure": "non-uniform-entropy"},
    "discernibility": {"measure": "discernibility"},
    "discernibility monotonic": {"measure": "discernibility", "monotonic": True},
    "average-class-size": {"measure": "average-class-size"},
    "precision": {"measure": "precision"},
    "height": {"measure": "height"},
}

ORACLE = {
    "loss": "loss_geom",
    "loss arithmetic": "loss_arith",
    "non-uniform-entropy": "nu_entropy",
    "discernibility": "dm",
    "average-class-size": "aecs",
    "precision": "precision",
    "height": "height",
}

TARGETS = {("loss", 0.0): 3, ("loss", 0.02): 15, ("loss", 0.05): 15, ("loss", 1.0): 15}
"""How many times faster than ARX; 3 for what is not named."""

CASES = [
    *(("loss", limit) for limit in (0.0, 0.02, 0.05, 1.0)),
    *(("loss arithmetic", limit) for limit in (0.0, 0.02, 0.05, 1.0)),
    *((name, 0.05) for name in list(OBJECTIVES)[2:]),
]

SERIES = range(2, 21)


def compared(ours: float, theirs: float | None, here: bool, scale: Calibration) -> list[str]:
    """Their milliseconds, and how many times faster we are: raw, and scaled three ways."""
    if theirs is None:
        return ["-"] * 5
    raw = theirs / (ours * 1e3)
    if here:
        return [f"{theirs:.0f} here", f"{raw:.1f}", "", "", ""]
    factors = (scale.loop, scale.plain, scale.sort)
    return [f"{theirs:.0f}", f"{raw:.1f}", *(f"{raw * factor:.1f}" for factor in factors)]


def verdict(name: str, limit: float, value: float, oracle: Mapping[str, Any]) -> str:
    """Whether the value is the brute-force optimum, to nine digits."""
    known = oracle.get(f"{ORACLE.get(name, '')}@{limit}")
    if known is None:
        return "no oracle"
    right = abs(value - known["value"]) <= 1e-9 * max(1.0, abs(known["value"]))
    return "exact" if right else f"WRONG: {known['value']}"


def main() -> None:
    """Run the benchmark."""
    options = parser(__doc__).parse_args()
    table = adult_file(options.shared)
    oracle_file = need(options.shared / "oracles" / "adult_bruteforce.json")
    oracle = json.loads(oracle_file.read_text())["full"]
    data = adult_table(options.shared)
    print(describe_machine())
    scale = calibrate()
    print(scale)
    measured = arx.measure(table, ADULT, [(name, limit, 5, 5) for name, limit in CASES])
    rows = []
    for name, limit in CASES:
        run = timed(
            lambda name=name, limit=limit: full_domain(
                data,
                [promise("k-anonymity", k=5)],
                objective(**OBJECTIVES[name]),
                Settings(suppression_limit=limit),
            )
        )
        report = run.result.search
        theirs = arx.REFERENCE.get((name, limit))
        if measured is not None:
            theirs = measured.get((name, limit, 5, 5))
        rows.append(
            [
                name,
                limit,
                ms(run.best),
                ms(run.median),
                report.checked,
                *compared(run.best, theirs, measured is not None, scale),
                TARGETS.get((name, limit), 3) if theirs else "-",
                verdict(name, limit, report.value, oracle),
                " ".join(str(level) for level in run.result.nodes[0]),
            ]
        )
    show(
        f"Adult, {len(ADULT)} quasi-identifiers, k = 5, lattice of {report.nodes} nodes",
        [
            "objective",
            "limit",
            "best ms",
            "median",
            "checked",
            "ARX ms",
            "times",
            "by loop",
            "by plain sort",
            "by sort",
            "target",
            "value",
            "levels",
        ],
        rows,
    )
    series(options.shared, scale)
    whole(options.shared)
    print(describe_machine())


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def whole(shared: Any) -> None:
    """All of ``anonymize`` on a frame in memory, beside ARX's search with its output read."""
    table = adult_file(shared)
    frame = pl.read_csv(table, separator=";")
    limits = (0.0, 0.02, 0.05, 1.0)
    measured = arx.measure_both(table, ADULT, [("loss", limit, 5, 5) for limit in limits]) or {}
    quasi = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"file": str(table.with_name(f"adult_hierarchy_{name}.csv"))},
        }
        for name in ADULT
    }
    rows = []
    for limit in limits:
        policy = {
            "attributes": quasi,
            "rest": "keep",
            "promises": [{"model": "k-anonymity", "k": 5}],
            "method": {"suppression_limit": limit},
        }
        spent = min(_cpu(lambda policy=policy: ind.anonymize(frame, policy)) for _ in range(7))
        _, theirs = measured.get(("loss", limit, 5, 5), (None, None))
        share = ["-", "-"] if theirs is None else [f"{theirs:.0f}", f"{spent * 1e3 / theirs:.2f}"]
        rows.append([limit, ms(spent), *share])
    show("whole run, loss", ["limit", "CPU ms", "ARX with output, CPU ms", "share"], rows)


def series(shared: Any, scale: Calibration) -> None:
    """K = 2 to 20 in one call."""
    data = adult_table(shared, EIGHT)
    jobs: list[arx.Job] = [("loss", limit, SERIES[0], SERIES[-1]) for limit in (0.02, 1.0)]
    measured = arx.measure(adult_file(shared), EIGHT, jobs)
    rows = []
    for job in jobs:
        limit = job[1]
        run = timed(
            lambda limit=limit: full_domain_for_each(
                data,
                [[promise("k-anonymity", k=k)] for k in SERIES],
                objective("loss"),
                Settings(suppression_limit=limit),
            ),
            warm_ups=1,
        )
        theirs = arx.SERIES_REFERENCE[limit] if measured is None else measured.get(job)
        plans = [plan for plan in run.result if plan is not None]
        rows.append(
            [
                limit,
                ms(run.best),
                ms(run.median),
                max(plan.search.checked for plan in plans),  # one search looks for all k
                *compared(run.best, theirs, measured is not None, scale),
                20,
                f"{plans[3].search.value:.6f}",
            ]
        )
    show(
        "Adult, 8 quasi-identifiers, k = 2 to 20 in one call, loss",
        [
            "limit",
            "best ms",
            "median",
            "checked",
            "ARX ms",
            "times",
            "by loop",
            "by plain sort",
            "by sort",
            "target",
            "value at k = 5",
        ],
        rows,
    )


if __name__ == "__main__":
    main()
