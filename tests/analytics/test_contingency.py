"""Two columns together, before and after: counts, their order, what is shown of them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.utility.contingency import OTHERS, Counts, contingency, in_order
from indistinct.errors import DataError

FRAME = pl.DataFrame(
    {
        "age": [str(20 + at % 30) for at in range(120)],
        "sex": ["f", "m", "m"] * 40,
        "ward": ["a", "b", None, "b"] * 30,
    }
)
POLICY = ind.Policy(
    attributes={
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}, "min_level": 1},
        "sex": {"role": "quasi-identifier"},
        "ward": {"role": "insensitive"},
    },
    promises=[{"model": "k-anonymity", "k": 5}],
)


def test_counts() -> None:
    counts = Counts.of(FRAME, "sex", "ward")
    assert counts.rows == ("f", "m")
    assert counts.columns == ("a", "b", None)
    assert counts.counts.tolist() == [[10, 20, 10], [20, 40, 20]]
    weight = pl.Series([2] * FRAME.height)
    assert Counts.of(FRAME, "sex", "ward", weight).counts.sum() == 240


def test_values_stand_in_an_order() -> None:
    labels = ["b", ">=65", None, "9", "[40, 65)", "a", "*", "<18", "[18, 40)", "10", "[5, 8]"]
    assert in_order(labels) == (
        "[5, 8]", "9", "10", "<18", "[18, 40)", "[40, 65)", ">=65", "a", "b", None, "*",
    )  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from("abcde"), st.sampled_from(["1", "2", "3", None])), min_size=1
    ),
    st.integers(2, 5),
    st.integers(2, 5),
)
def test_what_is_put_together_loses_nobody(
    rows: list[tuple[str, str | None]], most: int, others: int
) -> None:
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String}, orient="row")
    counts = Counts.of(frame, "x", "y")
    few = counts.within(most, others)
    assert few.counts.sum() == counts.counts.sum() == len(rows)
    assert few.counts.shape == (len(few.rows), len(few.columns))
    assert len(few.rows) <= most
    assert len(few.columns) <= others
    assert (OTHERS in few.rows) == (len(counts.rows) > most)


def test_before_and_after() -> None:
    release = ind.anonymize(FRAME, POLICY)
    found = ind.compare(FRAME, release, policy=POLICY, queries=10, contingency=("age", "ward"))
    told = found.contingency
    assert told is not None
    after = told.after["release 1"]
    assert after.rows == ("[20, 30)", "[30, 40)", "[40, 50)")
    assert after.counts.sum() == told.before.counts.sum() == 120
    document = found.to_dict()["contingency"]
    assert json.loads(json.dumps(document)) == document
    assert document["after"]["release 1"]["columns"] == ["a", "b", None]
    frame = told.frame()
    assert frame.columns == ["of", "age", "ward", "records"]
    assert frame.filter(pl.col("of") == "the table")["records"].sum() == 120
    lazy = ind.compare(
        FRAME.to_pandas(), release, policy=POLICY, queries=10, contingency=("age", "ward")
    )
    assert lazy.contingency is not None
    assert lazy.contingency.to_dict() == told.to_dict()
    assert "contingency" not in ind.compare(FRAME, release, policy=POLICY, queries=10).to_dict()


def test_columns_that_are_none_are_told() -> None:
    release = ind.anonymize(FRAME, POLICY)
    with pytest.raises(DataError, match="no column 'wart': did you mean 'ward'"):
        ind.compare(FRAME, release, policy=POLICY, contingency=("age", "wart"))
    with pytest.raises(DataError, match="together with another one"):
        ind.compare(FRAME, release, policy=POLICY, contingency=("age", "age"))


@pytest.mark.skipif(importlib.util.find_spec("altair") is None, reason="needs Altair")
@pytest.mark.parametrize("ending", ["svg", "html"])
def test_heat_maps_are_drawn(tmp_path: Path, ending: str) -> None:
    from indistinct.report.contingency_plots import draw_contingency, heat_map

    found = contingency(FRAME, {"it": FRAME}, "age", "sex")
    path = draw_contingency(found, tmp_path / f"map.{ending}")
    text = path.read_text()
    assert "the table" in text
    assert "records" in text
    wide = pl.DataFrame({"x": [str(at) for at in range(200)], "y": ["1", "2"] * 100})
    chart = heat_map(Counts.of(wide, "x", "y"), ("x", "y"), "wide").to_dict()
    assert len(chart["data"]["values"]) == 80
