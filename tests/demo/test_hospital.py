from __future__ import annotations

import tomllib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from indistinct import anonymize
from indistinct.analytics.profile.columns import profile
from indistinct.demo import POLICY, discharges
from indistinct.policy import Policy
from indistinct.warnings.what_is_left import lost_attributes


def test_the_same_seed_gives_the_same_table() -> None:
    assert_frame_equal(discharges(300), discharges(300))
    assert_frame_equal(discharges(300, seed=7), discharges(300, seed=7))
    assert not discharges(300).equals(discharges(300, seed=7))


def test_the_table_is_pinned() -> None:
    """Another platform or version of NumPy makes the same table."""
    table = discharges()
    assert table.height == 5000
    sums = table.select(pl.col("age", "length_of_stay").sum(), pl.col("zip").n_unique()).row(0)
    assert sums == PINNED


PINNED = (239605, 35087, 53)


@settings(max_examples=20)
@given(st.integers(0, 400), st.integers(0, 2**32))
def test_every_record_makes_sense(records: int, seed: int) -> None:
    table = discharges(records, seed)
    assert table.height == records
    assert table.schema == discharges(1).schema
    assert table["patient_id"].n_unique() == records
    assert table.select(pl.col("age").is_between(0, 101).all()).item()
    stay = (pl.col("discharge_date") - pl.col("admission_date")).dt.total_days()
    assert table.filter(stay != pl.col("length_of_stay")).is_empty()
    assert table.filter(pl.col("ward").eq("Obstetrics") & pl.col("sex").eq("male")).is_empty()
    assert table.filter(pl.col("ward").eq("Neonatology") & (pl.col("age") > 0)).is_empty()
    assert table.filter(
        pl.col("diagnosis").str.contains("prostate") & pl.col("sex").eq("female")
    ).is_empty()
    assert table.filter(~pl.col("diagnosis").str.contains(r"^[A-Z]\d\d [A-Z]")).is_empty()
    assert table["zip"].drop_nulls().str.contains(r"^7\d{4}$").all()
    assert table.drop("zip").null_count().sum_horizontal().sum() == 0


def test_the_table_is_skewed_as_such_tables_are() -> None:
    table = discharges()
    zips = table["zip"].value_counts(sort=True)["count"]
    assert zips[0] > 20 * zips[-1]
    stay = table["length_of_stay"]
    assert stay.mean() > stay.median()  # type: ignore[operator]
    assert 0 < table["zip"].null_count() < 100
    assert table["ward"].n_unique() == 10
    assert table["diagnosis"].n_unique() > 45


def test_the_policy_applies_to_every_column(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    path.write_text(POLICY, encoding="utf-8")
    policy = Policy.load(path)
    assert set(policy.attributes) == set(discharges(1).columns)
    assert [item["k"] for item in tomllib.loads(POLICY)["promises"]] == [5, 20, 10]


def test_the_policy_gives_a_release() -> None:
    release = anonymize(discharges(), Policy.from_dict(tomllib.loads(POLICY)))
    assert [item["holds"] for item in release.certificate.to_dict()["promises"]] == [True] * 3
    run = release.run.to_dict()
    assert not lost_attributes(run["plan"]["leakage"])
    assert run["suppressed"] == 0


def test_the_suggestions_for_the_table_agree_with_its_policy() -> None:
    own = {name: item["role"] for name, item in tomllib.loads(POLICY)["attributes"].items()}
    own["discharge_date"] = "quasi-identifier"
    assert {item.attribute: item.role for item in profile(discharges()).attributes} == own


@pytest.mark.parametrize("column", ["ward"])
def test_the_policy_groups_every_category(column: str) -> None:
    tree = tomllib.loads(POLICY)["attributes"][column]["hierarchy"]["tree"]["*"]
    assert sorted(name for group in tree.values() for name in group) == (
        discharges()[column].unique().sort().to_list()
    )
