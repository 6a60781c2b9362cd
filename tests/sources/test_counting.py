"""What a table is asked in place of its rows: digests, a sample, about how many values."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.profile.columns import nearly_unique
from indistinct.analytics.profile.record_numbers import FEW_RECORDS, K
from indistinct.release.audit import audit
from indistinct.sources import memory
from indistinct.sources.duckdb_table import relation_as_shown
from indistinct.sources.engines import open_table, some_classes

MIXED = pl.DataFrame(
    {
        "text": [None if i % 5 == 0 else "" if i % 5 == 1 else f"t{i % 50}" for i in range(1000)],
        "number": [None if i % 4 == 0 else i % 100 for i in range(1000)],
        "share": [float("nan") if i % 2 else i / 8 for i in range(1000)],
        "word": [("nan", "NaN", "", "a")[i % 4] for i in range(1000)],
        "code": ["?" if i % 10 else f"c{i}" for i in range(1000)],
    }
)


def test_about_how_many_values(engine: Any) -> None:
    table = open_table(engine.load(MIXED), missing_tokens={"code": ["?"]})
    found = table.about(MIXED.columns)
    for name in MIXED.columns:
        texts = table.text([name])[name].drop_nulls()
        filled, values = found[name]
        assert filled == len(texts), name
        assert values >= 0.9 * texts.n_unique(), name


def test_a_sample_is_the_same_for_every_question(engine: Any) -> None:
    table = open_table(engine.load(MIXED))
    both = table.sample(["text", "number"], 100)
    assert 60 <= both.height <= 100
    assert table.sample(["number"], 100)["number"].sort().equals(both["number"].sort())
    assert set(both.rows()) <= set(table.text(["text", "number"]).rows())
    assert table.sample(["text"], 5000).height == 1000


def test_some_classes_are_told_whole(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_table(engine.load(MIXED.select("number", "word", "text")), allow_empty=True)
    if some_classes(table, ["number"], ["number"], 1) is None:
        return  # of a table in memory everything is looked at
    every = some_classes(table, ["number", "word"], ["text", "number", "word"], 1)
    assert every is not None
    assert every.height == 1000
    drawn = some_classes(table, ["number", "word"], ["text", "number", "word"], 5)
    assert drawn is not None
    assert 0 < drawn.height < 500
    keys = ["number", "word"]
    sizes = every.group_by(keys).len()
    assert (
        drawn.group_by(keys)
        .len()
        .join(sizes, on=keys, nulls_equal=True)
        .filter(pl.col("len") != pl.col("len_right"))
        .is_empty()
    )
    assert some_classes(table, ["word"], ["word"], 1 << 30) is None
    monkeypatch.setattr(memory, "OF_A_SAMPLE", 1 << 60)
    assert some_classes(table, ["number"], ["number"], 1) is None


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.booleans())
def test_nearly_unique_is_found_as_by_counting_all(sizes: list[int], text: bool) -> None:
    values = [at for at, size in enumerate(sizes) for _ in range(size)]
    frame = pl.DataFrame({"a": [f"v{value}" for value in values] if text else values})
    records = len(values)
    rare = sum(size for size in sizes if size < K)
    expected = records >= FEW_RECORDS and (len(sizes) * K > records or 2 * rare >= records)
    assert nearly_unique(open_table(frame), ["a"]) == ["a"] * expected


def test_what_was_tallied_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = open_table(duckdb.connect().from_arrow(MIXED.to_arrow()))
    found = {fewer: table.tally("number", fewer) for fewer in (1, 11)}
    assert found == {1: (750, 75, 0), 11: (750, 75, 750)}
    monkeypatch.setattr(type(table), "_run", None)
    assert {fewer: table.tally("number", fewer) for fewer in (1, 11)} == found


PROMISES: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 3},
    {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
    {"model": "entropy-l-diversity", "l": 1.5, "sensitive": "ill"},
    {"model": "recursive-cl-diversity", "c": 3, "l": 2, "sensitive": "ill"},
    {"model": "alpha-k-anonymity", "alpha": 0.6, "k": 2, "sensitive": "ill"},
    {"model": "t-closeness", "t": 0.3, "distance": "equal", "sensitive": "ill",
     "reference": "published"},
    {"model": "max-posterior", "bound": 0.7, "sensitive": "ill"},
    {"model": "p-sensitive", "p": 2, "sensitive": "ill"},
    {"model": "basic-beta-likeness", "beta": 1, "sensitive": "ill", "reference": "published"},
    {"model": "delta-disclosure", "delta": 1, "sensitive": "ill", "reference": "published"},
]  # fmt: skip


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab*"), st.sampled_from("xy*"), st.sampled_from(["1", "2", None])
        ),
        min_size=1,
        max_size=40,
    )
)
def test_an_audit_of_counted_rows_is_that_of_all(rows: list[tuple[str, str, str | None]]) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame(rows, schema=["a", "b", "ill"], orient="row", infer_schema_length=None)
    frame = frame.with_columns(pl.col("ill").cast(pl.String))
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    own = audit(frame, PROMISES, ["a", "b"]).to_dict()
    assert audit(relation, PROMISES, ["a", "b"]).to_dict() == own


@pytest.mark.parametrize("odd", [0, 4999, 5000, 8999])
def test_a_column_is_shown_as_whole_numbers_by_all_of_its_records(odd: int) -> None:
    duckdb = pytest.importorskip("duckdb")
    records = pl.DataFrame(
        {
            "whole": pl.Series(range(9000), dtype=pl.Float64),
            "missing": pl.Series([None] * 9000, dtype=pl.Float64),
            "share": [0.5 if at == odd else 2.0 if at > 4500 else None for at in range(9000)],
            "seen": [datetime(2024, 1, 1, 8 * (at == odd)) for at in range(9000)],
        }
    )
    relation = duckdb.connect().from_arrow(records.to_arrow())
    assert list(map(str, relation_as_shown(relation).types)) == [
        "BIGINT",
        "VARCHAR",
        "DOUBLE",
        "TIMESTAMP",
    ]
