"""The Adult table split by salary: what the specification measured of it, and of the joint mode."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.oracles.test_adult_optima import FULL

import indistinct as ind
from indistinct.errors import PolicyError

QUASI = tuple(name for name in FULL if name != "salary-class")


@functools.cache
def oracle(shared: Path) -> dict[str, Any]:
    document = json.loads((shared / "spec" / "oracles.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = document["B_001"]["adult_split_by_income"]
    return found


def policy(shared: Path, mode: str, *more: dict[str, Any], **method: Any) -> ind.Policy:
    folder = shared / "data" / "adult"
    attributes: dict[str, Any] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"file": str(folder / f"adult_hierarchy_{name}.csv")},
        }
        for name in QUASI
    }
    attributes["salary-class"] = {
        "role": "sensitive",
        "ranks": {"table": {">50K": 1, "<=50K": 4}},
    }
    promised = {"model": "knm-anonymity", "k": {"1": 5, "4": 5}, "diversity": False}
    how = {"algorithm": "knm", "mode": mode, "suppression_limit": 0.05, "seed": 1}
    return ind.Policy.from_dict(
        {"attributes": attributes, "promises": [promised, *more], "method": how | method}
    )


def adult(shared: Path) -> Path:
    return shared / "data" / "adult" / "adult.csv"


def homogeneous(released: pl.DataFrame) -> tuple[float, int]:
    """By hand: the share of records in classes of one salary, and the number of classes."""
    classes = released.group_by(QUASI).agg(size=pl.len(), values=pl.col("salary-class").n_unique())
    alone = classes.filter(pl.col("values") == 1)["size"].sum()
    return alone / classes["size"].sum(), classes.height


def test_joint(shared: Path) -> None:
    expected = oracle(shared)
    found = ind.anonymize(adult(shared), policy(shared, "joint"))
    share, classes = homogeneous(found.tables)
    assert classes == expected["joint_classes"]
    assert share == pytest.approx(expected["joint_homogeneous_share"], abs=expected["tolerance"])


def test_split(shared: Path) -> None:
    expected = oracle(shared)
    near = functools.partial(pytest.approx, abs=expected["tolerance"])
    with pytest.raises(PolicyError) as caught:
        ind.anonymize(adult(shared), policy(shared, "split"))
    assert caught.value.exit_code == 2
    for figure in ("100% of records", "25.7% of people", "one rank fits 16.0%", "93.6% rightly"):
        assert figure in str(caught.value)
    found = ind.anonymize(adult(shared), policy(shared, "split", accept_unsafe=True))
    share, _ = homogeneous(found.tables)
    assert share == near(expected["split_homogeneous_share"])
    leak = found.private["leak.json"]
    assert leak["one_value"] == pytest.approx(share)
    assert leak["told_rank"] == near(expected["one_split_compatible"])
    assert leak["told_right"] == near(expected["correct"])
    assert leak["believed"] == near(expected["post95"])
    assert any("the release discloses how sensitive" in text for text in found.warnings)
    sizes = [part["records"] for part in found.run.to_dict()["plan"]["splits"]]
    assert sizes == [expected["gt50"], expected["le50"]]


def test_joint_with_another_k_for_every_rank_and_closeness(shared: Path) -> None:
    close = {"model": "t-closeness", "t": 0.2, "reference": "original"}
    asked = policy(shared, "joint", close).to_dict()
    asked["promises"][0] |= {"k": {"1": 20, "4": 5}, "diversity": True}
    found = ind.anonymize(adult(shared), asked)
    sizes = found.tables.select(pl.len().over(QUASI).alias("n"), "salary-class")
    rich = sizes.filter(pl.col("salary-class") == ">50K")["n"]
    assert rich.min() >= 20  # type: ignore[operator]
    assert homogeneous(found.tables)[0] == 0
    achieved = {item["model"]: item["achieved"] for item in found.certificate.promises}
    assert achieved["knm-anonymity"]["diversity"] == 2
    assert achieved["t-closeness"]["t"] <= 0.2
