"""What a register keeps that is published every year: as a series, each year by itself, or once.

A made-up register of known turnover: every year some people leave and as many younger ones come,
whose diagnoses are others. Three ways to publish it, with the exact ages and sexes of everybody and
buckets of three different diagnoses:

* ``series``: ``m-invariant`` with a ledger; everybody keeps a bucket of the same diagnoses.
* ``alone``: ``anatomy`` every year, without a look at what is out.
* ``once``: the first year's release, read as if it were of today.

``--real`` publishes real people in these ways instead, from the tables in ``--shared``: Medicare
beneficiaries 2008 to 2010 (synthetic public use files; ``--medicare`` names a folder with the three
beneficiary summary files) by the first chronic condition that somebody had, and by the one of the
year, which changes for most; Synthea's patients by their first condition, 2016 to 2020; and two
cycles of NHANES, whose people are others each time. INFORMS has one year alone.

Told are: what a reader of all releases believes at most and of how many people a value is certain
(``check_ledger``); made-up people and people who wait, as shares; the median error of 400 counts of
a diagnosis among ages and a sex in the last year, as a share of the true count; and the CPU
seconds of the first release, of the last, and of the check of the ledger.
"""

from __future__ import annotations

import argparse
import lzma
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import indistinct as ind
from common import describe_machine, show

CONDITIONS = (
    "CNCR", "STRKETIA", "ALZHDMTA", "CHF", "CHRNKIDN", "COPD", "DEPRESSN", "DIABETES", "ISCHMCHT",
    "OSTEOPRS", "RA_OA",
)  # fmt: skip
"""The chronic conditions of Medicare's files; of several that somebody has the first counts."""

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


def read(file: Path) -> pl.DataFrame:
    """A table of texts."""
    packed = lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()
    return pl.read_csv(packed, infer_schema=False, null_values="NA")


def medicare(folder: Path, *, first: bool) -> list[pl.DataFrame]:
    """The beneficiaries of three years, by a chronic condition: the first known or the year's."""
    tables = []
    for year in (2008, 2009, 2010):
        (file,) = folder.glob(f"*{year}*.csv")
        ill = pl.lit("none")
        for name in reversed(CONDITIONS):
            ill = pl.when(pl.col(f"SP_{name}") == "1").then(pl.lit(name)).otherwise(ill)
        tables.append(
            read(file).select(
                who="DESYNPUF_ID",
                born=pl.col("BENE_BIRTH_DT").str.head(4).cast(pl.Int64),
                sex=pl.col("BENE_SEX_IDENT_CD").replace({"1": "m", "2": "f"}),
                ill=ill,
            )
        )
    if not first:
        return tables
    known = pl.concat(tables).unique("who", keep="first", maintain_order=True).select("who", "ill")
    return [table.drop("ill").join(known, on="who") for table in tables]


def synthea(folder: Path) -> list[pl.DataFrame]:
    """The living patients of five years who have had a condition, by the first one."""
    people = read(folder / "patients.csv")
    begun = read(folder / "conditions.csv.xz").sort("START", "CODE").unique("PATIENT", keep="first")
    known = people.join(begun, left_on="Id", right_on="PATIENT")
    tables = []
    for year in range(2016, 2021):
        dead = pl.col("DEATHDATE").str.head(4) < str(year)
        there = known.filter(pl.col("START").str.head(4) <= str(year), ~dead.fill_null(value=False))
        tables.append(
            there.select(
                who="Id",
                born=pl.col("BIRTHDATE").str.head(4).cast(pl.Int64),
                sex=pl.col("GENDER").str.to_lowercase(),
                ill="DESCRIPTION",
            )
        )
    return tables


def nhanes(folder: Path) -> list[pl.DataFrame]:
    """The people of two cycles who say how healthy they are."""
    people = read(folder / "nhanes.csv.xz").unique("ID").drop_nulls(["Age", "HealthGen"])
    return [
        people.filter(pl.col("SurveyYr") == cycle).select(
            who="ID",
            born=int(cycle[:4]) - pl.col("Age").cast(pl.Int64),
            sex=pl.col("Gender").str.head(1),
            ill="HealthGen",
        )
        for cycle in ("2009_10", "2011_12")
    ]


def policy(way: str, folder: Path, m: int, wait: float) -> dict[str, Any]:
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
        promise = {"model": "tau-safety", "m": m}
        keys["method"] = {"algorithm": "m-invariant", "max_noise": 0.1, "suppression_limit": wait}
    else:
        promise = {"model": "distinct-l-diversity", "l": m}
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
    ills = table["ill"].value_counts(sort=True)["ill"].to_list()[: len(ILLS)]
    first, last = (int(table["born"].quantile(part) or 0) for part in (0.05, 0.95))
    errors = []
    for _ in range(QUERIES):
        low, width = int(random.integers(first, last)), int(random.integers(3, 15))
        asked = (
            pl.col("born").is_between(low, low + width)
            & (pl.col("sex") == str(random.choice(["f", "m"])))
            & (pl.col("ill") == str(random.choice(ills)))
        )
        true = table.filter(asked).height
        if true >= 20:
            told = rows.filter(asked)["share"].sum()
            errors.append(abs(told - true) / true)
    return float(np.median(errors))


def published(
    way: str, tables: list[pl.DataFrame], folder: Path, m: int = 3, wait: float = 0.05
) -> list[str]:
    """What one way keeps and tells of all years, as a row of the table.

    Arguments:
        way: ``series``, ``alone`` or ``once``.
        tables: the table of every year.
        folder: where it publishes.
        m: how many values everybody is among.
        wait: the share of people who may wait for a later year.
    """
    keys, seconds, runs = policy(way, folder, m, wait), [], []
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


def compared(title: str, tables: list[pl.DataFrame], ways: list[str], *how: Any) -> None:
    """Print what became of the tables in all ways."""
    rows = []
    for way in ways:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(published(way, tables, Path(folder), *how))
    head = "way, believed, at most, certain, made up, waiting, error, first s, last s, check s"
    show(title, head.split(", "), rows)


def real(asked: argparse.Namespace) -> None:
    """Publish real people."""
    series: list[tuple[str, list[pl.DataFrame], int, float]] = []
    if asked.medicare:
        known = medicare(asked.medicare, first=True), medicare(asked.medicare, first=False)
        series.append(("Medicare, first condition", known[0], 2, 0.05))
        series.append(("Medicare, condition of the year", known[1], 2, 0.9))
    series.append(("Synthea", synthea(asked.shared / "data" / "synthea"), 3, 0.05))
    series.append(("NHANES", nhanes(asked.shared / "data" / "nhanes"), 2, 0.05))
    for name, tables, m, wait in series:
        sizes = ", ".join(f"{table.height:,}" for table in tables)
        stay = tables[0].join(tables[-1], on="who", how="semi").height
        title = f"{name}: {sizes} people, {stay:,} of the first in the last, {m} values"
        compared(title, tables, asked.ways, m, wait)


def main() -> None:
    """Publish the registers in all ways, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--years", type=int, default=5)
    parser.add_argument("--turnover", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--ways", nargs="+", default=["series", "alone", "once"])
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    parser.add_argument("--medicare", type=Path)
    asked = parser.parse_args()
    print(describe_machine())
    if asked.real:
        real(asked)
        return
    for turnover in asked.turnover:
        tables = register(asked.people, asked.years, turnover, seed=1)
        title = f"{asked.people:,} people, {asked.years} years, {turnover:.0%} new every year"
        compared(title, tables, asked.ways)


if __name__ == "__main__":
    main()
