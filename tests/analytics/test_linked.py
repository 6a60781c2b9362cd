"""Linked tables joined by what can be expected: every kind of frame, every kind of release."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.test_compare_people import linked_policy
from tests.test_people import policy, visits

import indistinct as ind
from indistinct.sources.convert import to_polars

QUASI = pl.DataFrame({"age": ["20", "20", "30", "30", "30"], "bucket": [1, 2, 1, 2, 2]})
LISTED = pl.DataFrame({"bucket": [1, 1, 2, 2, 2], "dx": ["A", None, "A", "A", "B"]})


def kinds() -> list[Any]:
    return [
        lambda frame: frame,
        lambda frame: frame.lazy(),
        lambda frame: frame.to_pandas(),
        lambda frame: frame.to_arrow(),
        lambda frame: duckdb.from_arrow(frame.to_arrow()),
    ]


@pytest.mark.parametrize("number", range(5))
def test_every_kind_of_frame(number: int) -> None:
    made = kinds()[number]
    given_frame = made(QUASI)
    joined = ind.expected({"quasi": given_frame, "sensitive": made(LISTED)})
    assert type(joined) is type(given_frame)
    found = to_polars(joined).with_columns(pl.col("dx").fill_null("missing"))
    counted = found.group_by("age", "dx").agg(pl.col("weight").sum()).sort("age", "dx")
    assert counted.rows() == [
        ("20", "A", pytest.approx(1 / 2 + 2 / 3)),
        ("20", "B", pytest.approx(1 / 3)),
        ("20", "missing", pytest.approx(1 / 2)),
        ("30", "A", pytest.approx(1 / 2 + 4 / 3)),
        ("30", "B", pytest.approx(2 / 3)),
        ("30", "missing", pytest.approx(1 / 2)),
    ]


def test_how_values_are_held() -> None:
    tables = {"quasi": QUASI, "sensitive": LISTED}
    some = ind.expected(tables, holding="some").filter(pl.col("bucket") == 2)
    assert dict(some.select("dx", "weight").unique().iter_rows()) == {
        "A": pytest.approx(2 / 3),
        "B": pytest.approx(1 / 3),
    }
    every = ind.expected(tables, holding="all", weight="people")
    assert every["people"].unique().to_list() == [1.0]
    assert every.height == 10
    with pytest.raises(ValueError, match="holding must be one of"):
        ind.expected(tables, holding="none")


def test_several_attributes_are_counted_each_by_itself() -> None:
    listed = pl.DataFrame(
        {
            "bucket": [1, 1, 1, 1, 2, 2],
            "attribute": ["dx", "dx", "job", "job", "dx", "job"],
            "value": ["A", "B", "u", "u", "A", "v"],
        }
    )
    quasi = pl.DataFrame({"age": ["20", "20", "30"], "bucket": [1, 1, 2]})
    found = ind.expected({"quasi": quasi, "sensitive": listed})
    whole = found.group_by("attribute").agg(pl.col("weight").sum()).sort("attribute")
    assert whole.rows() == [("dx", pytest.approx(3)), ("job", pytest.approx(3))]


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("ABC")), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_weights_are_averages_over_random_worlds(buckets: list[list[tuple[str, str]]]) -> None:
    """Everybody of a bucket has one of its rows: in all worlds with the same buckets."""
    rows = [(name, value, at) for at, own in enumerate(buckets) for name, value in own]
    frame = pl.DataFrame(rows, schema=["name", "dx", "bucket"], orient="row")
    tables = {"quasi": frame.select("name", "bucket"), "sensitive": frame.select("bucket", "dx")}
    joined = ind.expected(tables)
    found = {
        (name, value): weight
        for name, value, weight in joined.group_by("name", "dx")
        .agg(pl.col("weight").sum())
        .iter_rows()
    }
    mean: dict[tuple[str, str], float] = {}
    for own in buckets:
        worlds = list(permutations([value for _, value in own]))
        for world in worlds:
            for (name, _), value in zip(own, world, strict=True):
                mean[name, value] = mean.get((name, value), 0.0) + 1 / len(worlds)
    assert found == pytest.approx(mean)
    assert joined["weight"].sum() == pytest.approx(len(rows))


def test_releases_and_folders_say_how_they_are_linked(tmp_path: Path) -> None:
    release = ind.anonymize(visits(), linked_policy())
    joined = ind.expected(release)
    assert joined["weight"].sum() == pytest.approx(release.tables["quasi"].height)
    release.write(tmp_path / "out")
    read = ind.expected(tmp_path / "out")
    assert read.height == joined.height
    assert read["weight"].sum() == pytest.approx(joined["weight"].sum())
    assert ind.expected(str(tmp_path / "out")).columns == joined.columns


def test_what_cannot_be_joined(tmp_path: Path) -> None:
    tables = {"quasi": QUASI, "sensitive": LISTED}
    with pytest.raises(ind.DataError, match="no table 'sensitive'"):
        ind.expected({"quasi": QUASI})
    with pytest.raises(ind.DataError, match="has no column 'buckets'"):
        ind.expected(tables, by="buckets")
    with pytest.raises(ind.DataError, match="has a column 'age' already"):
        ind.expected(tables, weight="age")
    with pytest.raises(ind.DataError, match="both tables have a column 'dx'"):
        ind.expected({"quasi": QUASI.with_columns(dx=pl.lit("A")), "sensitive": LISTED})
    release = ind.anonymize(visits(), policy())
    release.write(tmp_path / "long")
    for given_release in (release, tmp_path / "long", tmp_path / "nowhere"):
        with pytest.raises(ind.DataError, match="not a release of linked tables"):
            ind.expected(given_release)
