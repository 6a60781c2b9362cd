"""Tables of combinations with a count are told from records by what records would repeat."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.counted import column_of_counts
from indistinct.analytics.profile.first_policy import first_policy
from indistinct.policy import Policy
from indistinct.sources.engines import open_table

SAID = "seems to say how many people each row stands for"


def records(seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    drawn = {
        "age": random.choice(["20-29", "30-39", "40-49", "50-59"], 300),
        "sex": random.choice(["f", "m"], 300, p=[0.7, 0.3]),
        "diagnosis": random.choice(["flu", "gout", "HIV", "cold", "asthma"], 300),
    }
    return pl.DataFrame(drawn)


def counted(name: str = "count") -> pl.DataFrame:
    own = records()
    return own.group_by(own.columns, maintain_order=True).agg(pl.len().alias(name))


def policy(*names: str) -> dict[str, Any]:
    quasi = {"role": "quasi-identifier", "hierarchy": "suppress"}
    roles = {name: quasi if name in ("age", "sex") else {"role": "sensitive"} for name in names}
    return {"attributes": roles, "promises": [{"model": "k-anonymity", "k": 2}]}


@pytest.mark.parametrize("name", ["count", "n", "Freq", "n_cases", "number_of_patients", "Anzahl"])
def test_a_count_of_combinations_is_found(name: str) -> None:
    table = counted(name)
    found = column_of_counts(open_table(table), table.columns)
    assert found == name
    with_zeros = table.with_columns((pl.col(name).cast(pl.Int64) - 1).alias(name))
    rows = with_zeros.with_row_index("row")
    assert column_of_counts(open_table(rows), rows.columns) == found


def test_records_beside_a_count_are_records() -> None:
    random = np.random.default_rng(1)
    own = records().with_columns(count=random.integers(0, 9, 300))
    assert column_of_counts(open_table(own), own.columns) is None
    # Records that are all different without any chance to be equal say nothing.
    ids = own.with_columns(weight=random.normal(70, 9, 300))
    assert column_of_counts(open_table(ids), ids.columns) is None
    few = counted().head(4)
    assert column_of_counts(open_table(few), few.columns) is None
    table = counted()
    for other in (
        pl.lit(1),
        -pl.col("count").cast(pl.Int64),
        pl.col("count") / 2,
        pl.lit(None, pl.Int64),
    ):
        changed = table.with_columns(other.alias("count"))
        assert column_of_counts(open_table(changed), changed.columns) is None
    assert column_of_counts(open_table(table.select("count")), ["count"]) is None


def test_visits_of_people_are_not_combinations() -> None:
    people = list(product([f"P{at:03d}" for at in range(60)], range(4)))
    table = pl.DataFrame(people, ["patient_id", "visit"], orient="row").with_columns(
        sex=pl.col("patient_id").str.slice(3) < "5", count=pl.col("visit") * 3 + 1
    )
    seen = profile(table)
    assert seen.person is not None
    assert all(warned.code != "counted-rows" for warned in seen.warnings)


def test_a_draft_leaves_the_count_out_and_says_so(tmp_path: Path) -> None:
    table = counted()
    seen = profile(table)
    assert seen["count"].role == "identifier"
    assert SAID in seen.warnings[0].message
    text = first_policy(seen)
    (tmp_path / "first.toml").write_text(text)
    assert Policy.load(tmp_path / "first.toml").attributes["count"].role == "identifier"
    assert SAID in text.replace("\n# ", " ").replace("\n#   ", " ")


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_release_of_combinations_is_warned_of(engine: str | None, tmp_path: Path) -> None:
    if engine is not None:
        pytest.importorskip(engine)
    file = tmp_path / "counted.csv"
    for table, said in ((counted(), True), (records().with_columns(count=1), False)):
        table.write_csv(file)
        release = ind.anonymize(file, policy(*table.columns), engine=engine)
        assert any(SAID in text for text in release.warnings) == said
