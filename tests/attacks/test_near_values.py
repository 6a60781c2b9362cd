"""Promises that count values hold where a class tells a number nearly: that is warned of."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind

TOLD = "promises count near values as different"


def incomes(seed: int, kind: str) -> pl.DataFrame:
    """Incomes that lie near one another for everybody below fifty, or for nobody."""
    random, n = np.random.default_rng(seed), 300
    age = random.integers(20, 80, n)
    wide = random.integers(0, 600, n)
    near = {
        "chance": wide,
        "few": random.integers(0, 8, n),
        "dates": (np.datetime64("2023-01-01") + np.where(age < 50, wide % 20, wide)).astype(str),
    }.get(kind, np.where(age < 50, 100 + wide % 12, wide))
    return pl.DataFrame({"age": age, "sex": random.choice(["F", "M"], n), "income": near})


def keys(kind: str, algorithm: str = "mondrian") -> dict[str, Any]:
    income: dict[str, Any] = {"role": "sensitive"}
    promise: dict[str, Any] = {"model": "distinct-l-diversity", "l": 4}
    if kind == "ordered":
        promise = {"model": "t-closeness", "t": 0.6, "distance": "ordered"}
    if kind == "codes":
        income["type"] = "category"
    if kind == "rounded":
        income["transform"] = {"round": 100}
        promise["l"] = 2
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier"},
            "income": income,
        },
        "promises": [{"model": "k-anonymity", "k": 5}, promise | {"sensitive": "income"}],
        "method": {"algorithm": algorithm},
    }


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("near", True),
        ("dates", True),
        ("chance", False),
        ("few", False),
        ("ordered", False),
        ("codes", False),
        ("rounded", False),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_classes_of_near_values_are_warned_of(kind: str, told: bool, seed: int) -> None:
    release = ind.anonymize(incomes(seed, kind), keys(kind))
    assert all(item["holds"] for item in release.certificate.promises)
    found = [text for text in release.warnings if TOLD in text]
    assert bool(found) == told
    if kind == "near":
        classes = release.tables.group_by("age", "sex").agg(
            pl.len(), (pl.col("income").max() - pl.col("income").min()).alias("width")
        )
        middle = release.tables["income"].sort()
        spread = middle[int(0.95 * 300)] - middle[int(0.05 * 300)]
        close = classes.filter(pl.col("width") <= 0.05 * spread)["len"].sum() / 300
        assert close > 0.3
        assert abs(found[0].share - close) < 0.05  # type: ignore[attr-defined]


def test_buckets_of_near_values_are_warned_of() -> None:
    table = incomes(0, "near").with_columns(who=pl.int_range(300))
    table = table.with_columns(income=pl.col("who") % 20 + pl.when(pl.col("who") < 299).then(0))
    wide = pl.when(pl.col("who") < 40).then(pl.col("who") * 100).otherwise(pl.col("income"))
    policy = keys("near", "anatomy")
    policy["source"] = {"person": "who"}
    policy["attributes"]["who"] = {"role": "identifier"}
    policy["promises"] = [{"model": "max-posterior", "bound": 0.5, "sensitive": "income"}]
    release = ind.anonymize(table.with_columns(income=wide), policy)
    assert any(TOLD in text and "of the bucket" in text for text in release.warnings)


LISTS = "lists that have something in common"


@pytest.mark.parametrize(
    ("lists", "part"),
    [
        (["{0}; flu", "gout;{0}", "{0}"], 0.75),  # the last class is of no list
        (["{0}|flu", "{0} |gout", "eye|{0}"], 0.75),
        (["{0}; flu", "{0}; gout", "flu; gout"], 0.0),
        (["chronic; {0}", "chronic; flu", "chronic; gout"], 0.0),  # what all have is no news
        (["{0}, chronic", "flu, chronic", "gout, chronic"], 0.0),  # a comma of a name
        (["{0};", "flu;", "gout;"], 0.0),
    ],
)
def test_lists_with_something_in_common_are_warned_of(lists: list[str], part: float) -> None:
    """Three different texts in every class, and everybody of a class has the same illness."""
    illnesses = {"a": "HIV", "b": "asthma", "c": "cancer"}
    rows = [(town, text.format(one)) for town, one in illnesses.items() for text in lists]
    rows += [("d", text) for text in (["x; y", "z", "u"] if part else map(str.upper, lists))]
    policy = {
        "attributes": {"town": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        "promises": [{"model": "distinct-l-diversity", "l": 3, "sensitive": "illness"}],
        "method": {"algorithm": "mondrian"},
    }
    release = ind.anonymize(pl.DataFrame(rows, ["town", "illness"], orient="row"), policy)
    told = [text.share for text in release.warnings if LISTS in text]  # type: ignore[attr-defined]
    assert told == [part] * (part > 0)
