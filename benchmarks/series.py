"""What a register keeps that is published every year: as a series, each year by itself, or once.

A made-up register of known turnover: every year some people leave and as many younger ones come,
whose diagnoses are others. Three ways to publish it, with the exact ages and sexes of everybody and
buckets of three different diagnoses:

* ``series``: ``m-invariant`` with a ledger; everybody keeps a bucket of the same diagnoses.
* ``alone``: ``anatomy`` every year, without a look at what is out.
* ``once``: the first year's release, read as if it were of today.

Told are: what a reader of all releases believes at most and of how many people a value is certain
(``check_ledger``); made-up people and people who wait, as shares; the median error of 400 counts of
a diagnosis among ages and a sex in the last year, as a share of the true count; and the CPU
seconds of the first release, of the last, and of the check of the ledger.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import indistinct as ind
from common import describe_machine, show

ILLS = ("asthma", "cancer", "diabetes", "flu", "fracture", "gout", "heart", "migraine", "stroke")
QUERIES = 400


def register(people: int, years: int, turnover: float, seed: int) -> list[pl.DataFrame]:
    """The table of every year."""
    random = np.random.default_rng(seed)
    born = random.normal(1960, 15, people).astype(np.int64)
    ill = _ills(random, born)
    who = np.arange(people)
    tables = []
    for year in range(years):
        tables.append(
            pl.DataFrame(
                {
                    "who": [f"P{one:08d}" for one in who],
                    "born": born,
                    "sex": np.where(who % 2, "m", "f"),
                    "ill": [ILLS[one] for one in ill],
                }
            )
        )
        gone = random.choice(people, int(turnover * people), replace=False)
        who = who.copy()
        who[gone] = people * (year + 1) + gone
        born[gone] = random.normal(1975 + 3 * year, 12, len(gone)).astype(np.int64)
        ill[gone] = _ills(random, born[gone])
    return tables


def _ills(random: np.random.Generator, born: np.ndarray) -> np.ndarray:
    """The diagnosis of everybody: some are of the old, some of the young."""
    middle = np.linspace(1935, 1995, len(ILLS))
    weight = np.exp(-(((born[:, None] - middle) / 25) ** 2)) + 0.05
    chosen = weight.cumsum(axis=1) / weight.sum(axis=1, keepdims=True)
    return np.asarray((random.random(len(born))[:, None] > chosen).sum(axis=1))


def policy(way: str, folder: Path) -> dict[str, Any]:
    """How one way publishes."""
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "born": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "ledger": {"path": str(folder / "ledger"), "conflict": "warn"},
    }
    if way == "series":
        promise = {"model": "tau-safety", "m": 3}
        keys["method"] = {"algorithm": "m-invariant", "max_noise": 0.1, "suppression_limit": 0.05}
    else:
        promise = {"model": "distinct-l-diversity", "l": 3}
        keys["method"] = {"algorithm": "anatomy"}
    keys["promises"] = [promise | {"sensitive": "ill"}]
    return keys


def error(release: ind.Release, table: pl.DataFrame, seed: int) -> float:
    """The median error of counts, each as a share of the true count."""
    quasi, listed = release.tables["quasi"], release.tables["sensitive"]
    share = listed.group_by("bucket", "ill").len("n")
    share = share.with_columns(share=pl.col("n") / pl.col("n").sum().over("bucket"))
    rows = quasi.with_columns(pl.col("born").cast(pl.Int64)).join(share, on="bucket")
    random = np.random.default_rng(seed)
    errors = []
    for _ in range(QUERIES):
        low, width = int(random.integers(1940, 1990)), int(random.integers(3, 15))
        asked = (
            pl.col("born").is_between(low, low + width)
            & (pl.col("sex") == str(random.choice(["f", "m"])))
            & (pl.col("ill") == str(random.choice(ILLS)))
        )
        true = table.filter(asked).height
        if true >= 20:
            told = rows.filter(asked)["share"].sum()
            errors.append(abs(told - true) / true)
    return float(np.median(errors))


def published(way: str, tables: list[pl.DataFrame], folder: Path) -> list[str]:
    """What one way keeps and tells of all years, as a row of the table."""
    keys, seconds, runs = policy(way, folder), [], []
    release = None
    for year, table in enumerate(tables[:1] if way == "once" else tables):
        began = time.process_time()
        release = ind.anonymize(table, keys)
        release.write(folder / str(year), report=False)
        seconds.append(time.process_time() - began)
        runs.append(release.run.to_dict())
    assert release is not None
    began = time.process_time()
    (found,) = ind.check_ledger(folder / "ledger").to_dict()["attributes"]
    checked = time.process_time() - began
    size = tables[0].height
    made_up = max(run["added"]["noise"] for run in runs) / size
    wait = max(run.get("people", run)["suppressed"] for run in runs) / size
    return [
        way,
        f"{found['worst_together']:.0%}",
        f"{found['bound']:.0%}",
        f"{found['certain']:,}",
        f"{made_up:.2%}",
        f"{wait:.2%}",
        f"{error(release, tables[-1], 1):.1%}",
        f"{seconds[0]:.1f}",
        f"{seconds[-1]:.1f}",
        f"{checked:.1f}",
    ]


def main() -> None:
    """Publish the registers in all ways, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--years", type=int, default=5)
    parser.add_argument("--turnover", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--ways", nargs="+", default=["series", "alone", "once"])
    asked = parser.parse_args()
    print(describe_machine())
    for turnover in asked.turnover:
        tables = register(asked.people, asked.years, turnover, seed=1)
        rows = []
        for way in asked.ways:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(published(way, tables, Path(folder)))
        title = f"{asked.people:,} people, {asked.years} years, {turnover:.0%} new every year"
        head = "way, believed, at most, certain, made up, waiting, error, first s, last s, check s"
        show(title, head.split(", "), rows)


if __name__ == "__main__":
    main()
