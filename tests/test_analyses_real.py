"""Overlaps on five real tables are those of another computation: Newton's steps, product limits."""

from __future__ import annotations

import lzma
import re
from collections.abc import Callable
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import indistinct as ind

stats = pytest.importorskip("scipy.stats")
pytest.importorskip("statsmodels")

RECORDS = 600
Z = 1.959963984540054
Floats = NDArray[np.float64]
Told = dict[str, tuple[float, float, float]]


def heart(shared: Path) -> pl.DataFrame:
    path = shared / "data" / "heart" / "processed.cleveland.data"
    table = pl.read_csv(path, has_header=False, infer_schema=False)
    age, sex, rate = (table.columns[at] for at in (0, 1, 7))
    return table.select(
        age=pl.col(age).str.replace(r"\.0$", ""),
        sex=pl.when(pl.col(sex) == "1.0").then(pl.lit("m")).otherwise(pl.lit("f")),
        rate=rate,
    )


def adult(shared: Path) -> pl.DataFrame:
    path = shared / "data" / "adult" / "adult.csv"
    table = pl.read_csv(path, separator=";", infer_schema=False).head(RECORDS)
    return table.select("age", "sex", rich="salary-class")


def stroke(shared: Path) -> pl.DataFrame:
    path = shared / "data" / "stroke" / "healthcare-dataset-stroke-data.csv"
    table = pl.read_csv(path, infer_schema=False).filter(pl.col("gender") != "Other")
    own = table.select("age", sex="gender", glucose="avg_glucose_level")
    return own.filter(~own["age"].str.contains(".", literal=True)).head(RECORDS)


def nhanes(shared: Path) -> pl.DataFrame:
    text = lzma.decompress((shared / "data" / "nhanes" / "nhanes.csv.xz").read_bytes())
    table = pl.read_csv(BytesIO(text), infer_schema=False, null_values="NA", n_rows=RECORDS)
    return table.select(age="Age", sex="Gender", rooms="HomeRooms").drop_nulls()


def synthea(shared: Path) -> pl.DataFrame:
    table = pl.read_csv(shared / "data" / "synthea" / "patients.csv", infer_schema=False).head(
        RECORDS
    )
    born, died = (pl.col(name).str.to_date() for name in ("BIRTHDATE", "DEATHDATE"))
    years = (pl.coalesce(died, pl.lit(date(2022, 1, 1))) - born).dt.total_days() // 365
    return table.select(
        age=born.dt.year().cast(pl.String),
        sex="GENDER",
        years=(years + 1).cast(pl.String),
        died=died.is_not_null().cast(pl.Int8).cast(pl.String),
    )


def read(cells: pl.Series) -> Floats:
    """Numbers, and the middles of ranges."""
    found = [[float(part) for part in re.findall(r"\d+(?:\.\d+)?", text)] for text in cells]
    return np.array([sum(parts) / len(parts) for parts in found])


def design(table: pl.DataFrame, common: str) -> tuple[Floats, list[str]]:
    other = next(one for one in table["sex"].unique() if one not in (common, "*"))
    columns = [np.ones(table.height), read(table["age"]), (table["sex"] == other).to_numpy()]
    return np.column_stack(columns).astype(float), ["(intercept)", "age", f"sex = {other}"]


def interval(terms: list[str], value: Floats, variance: Any, wide: float) -> Told:
    error = wide * np.sqrt(np.diag(variance))
    return {
        term: (value[at], value[at] - error[at], value[at] + error[at])
        for at, term in enumerate(terms)
    }


def least_squares(table: pl.DataFrame, common: str) -> Told:
    x, terms = design(table, common)
    y = read(table["rate"])
    inverse = np.linalg.inv(x.T @ x)
    value = inverse @ x.T @ y
    free = len(y) - x.shape[1]
    noise = ((y - x @ value) ** 2).sum() / free
    return interval(terms, value, inverse * noise, float(stats.t.ppf(0.975, free)))


def newton(
    y: Floats, x: Floats, terms: list[str], mean: Callable[[Floats], Floats], own: bool
) -> Told:
    """The largest likelihood with the link that is natural to it."""
    value = np.zeros(x.shape[1])
    for _ in range(60):
        fitted = mean(x @ value)
        weight = fitted * (1 - fitted) if own else fitted
        inverse = np.linalg.inv(x.T @ (weight[:, None] * x))
        step = inverse @ x.T @ (y - fitted)
        value += np.clip(step, -1, 1)
    return interval(terms, value, inverse, Z)


def logistic(table: pl.DataFrame, common: str) -> Told:
    y = (table["rich"] == ">50K").to_numpy().astype(float)
    return newton(y, *design(table, common), lambda at: 1 / (1 + np.exp(-at)), own=True)


def poisson(table: pl.DataFrame, common: str) -> Told:
    return newton(read(table["rooms"]), *design(table, common), np.exp, own=False)


def means(table: pl.DataFrame, common: str) -> Told:
    del common
    found: Told = {}
    for sex in table["sex"].unique():
        own = read(table.filter(pl.col("sex") == sex)["glucose"])
        error = Z * np.sqrt(((own - own.mean()) ** 2).sum() / (len(own) - 1) / len(own))
        found[f"mean of glucose, {sex}"] = (own.mean(), own.mean() - error, own.mean() + error)
    return found


def product_limit(table: pl.DataFrame, times: list[float]) -> Told:
    """The share alive, with Greenwood's variance."""
    found: Told = {}
    for sex in table["sex"].unique():
        own = table.filter(pl.col("sex") == sex)
        years, died = read(own["years"]), (own["died"] == "1").to_numpy()
        for time in times:
            alive, variance = 1.0, 0.0
            for at in sorted({*years[died & (years <= time)]}):
                gone, there = ((years == at) & died).sum(), (years >= at).sum()
                alive *= 1 - gone / there
                variance += gone / (there * (there - gone))
            error = Z * alive * np.sqrt(variance)
            found[f"without it at {time:g}, {sex}"] = (alive, alive - error, alive + error)
    return found


def partial_likelihood(table: pl.DataFrame, common: str) -> Told:
    """Cox's regression by Newton's steps, with Efron's way to count who died at the same time."""
    x, terms = design(table, common)
    x, terms = x[:, 1:], terms[1:]
    years, died = read(table["years"]), (table["died"] == "1").to_numpy()
    value = np.zeros(x.shape[1])
    for _ in range(30):
        weight = np.exp((x - x.mean(axis=0)) @ value)
        slope, inner = x[died].sum(axis=0), np.zeros((x.shape[1],) * 2)
        for at in {*years[died]}:
            there, gone = years >= at, died & (years == at)
            for part in np.arange(gone.sum()) / gone.sum():
                own = np.where(there, weight, 0.0) - part * np.where(gone, weight, 0.0)
                mean = own @ x / own.sum()
                slope = slope - mean
                inner += (x.T * own) @ x / own.sum() - np.outer(mean, mean)
        inverse = np.linalg.inv(inner)
        value = value + inverse @ slope
    return interval(terms, value, inverse, Z)


BOTH = ["age", "sex"]
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "heart": (heart, least_squares, {"kind": "linear", "outcome": "rate", "predictors": BOTH}),
    "adult": (adult, logistic, {"kind": "logistic", "outcome": "rich", "predictors": BOTH}),
    "stroke": (stroke, means, {"kind": "table", "outcome": "glucose", "by": ["sex"]}),
    "nhanes": (nhanes, poisson, {"kind": "poisson", "outcome": "rooms", "predictors": BOTH}),
    "synthea": (
        synthea,
        None,
        {"kind": "kaplan-meier", "outcome": "years", "event": "died", "by": ["sex"]},
    ),
    "synthea, by Cox": (
        synthea,
        partial_likelihood,
        {"kind": "cox", "outcome": "years", "event": "died", "predictors": BOTH},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_overlaps_are_those_of_another_computation(name: str, shared: Path) -> None:
    source, estimate, asked = CASES[name]
    table = source(shared)
    quasi = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5, "levels": 3}}}
    others = [column for column in table.columns if column not in BOTH]
    policy = {
        "attributes": {
            "age": quasi,
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            **{column: {"role": "insensitive"} for column in others},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "mondrian", "seed": 2},
        "analyses": [asked],
    }
    release = ind.anonymize(table, policy)
    told = release.private["analyses.json"]["analyses"][0]
    common = table["sex"].value_counts(sort=True)["sex"][0]
    # Who reads a star has no value there, and leaves the record out.
    sides = [table, release.tables.filter(pl.all_horizontal(pl.col(BOTH) != "*"))]
    if estimate is None:
        times = np.quantile(read(table["years"]), (0.25, 0.5, 0.75)).tolist()
        one, other = (product_limit(side, times) for side in sides)
    else:
        one, other = (estimate(side, common) for side in sides)
    overlaps = []
    for term, (value, low, high) in one.items():
        own = next(item for item in told["estimates"] if item["term"] == term)
        again, least, most = other[term]
        for side, figures in (("original", (value, low, high)), ("release", (again, least, most))):
            found = [own[side][key] for key in ("estimate", "low", "high")]
            assert found == pytest.approx(figures, rel=1e-5, abs=1e-7)
        shared_part = max(min(high, most) - max(low, least), 0.0)
        same = high - low < 1e-12
        overlap = 1.0 if same else (shared_part / (high - low) + shared_part / (most - least)) / 2
        assert own["overlap"] == pytest.approx(overlap, abs=1e-5)
        overlaps.append(overlap)
    assert len(told["estimates"]) == len(one)
    assert told["overlap"] == pytest.approx(np.mean(overlaps), abs=1e-5)
