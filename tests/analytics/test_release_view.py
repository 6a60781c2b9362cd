"""Releases of every form, read in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.release_view import ReleaseView, Sought

SOUGHT = Sought(quasi=("age", "sex"), sensitive=("dx",), missing={})
LONG = Sought(quasi=("age", "sex"), sensitive=("dx",), person="who", missing={})
RECORDS = pl.DataFrame({"age": ["20", "*"], "sex": ["f", ""], "dx": ["flu", None]})
VISITS = pl.DataFrame(
    {
        "who": ["b", "a", "b", None, "a"],
        "age": ["20", "30", "20", "40", "35"],
        "sex": ["f", "m", "f", "m", "m"],
        "dx": ["flu", "gout", "HIV", "flu", "gout"],
    }
)
LINKED = {
    "quasi": pl.DataFrame({"age": ["20", "30", "40"], "sex": ["f", "m", "m"], "bucket": [2, 1, 2]}),
    "sensitive": pl.DataFrame({"bucket": [1, 2, 2], "dx": ["flu", "gout", "flu"]}),
}


def listed(view: ReleaseView, name: str = "dx") -> list[dict[str | None, int]]:
    part = view.lists[name]
    return [
        {
            part.labels[v]: int(n)
            for v, n in zip(part[b], part.amount[part.indptr[b] : part.indptr[b + 1]], strict=True)
        }
        for b in range(len(part))
    ]


def test_every_row_of_a_table_of_records_is_somebody() -> None:
    view = ReleaseView.read(RECORDS, SOUGHT)
    assert view.rows.rows() == [("20", "f"), ("*", None)]
    assert view.cells(["dx"]).rows() == [("flu",), (None,)]
    assert (view.person, view.link, view.torn) == (None, None, 0)
    assert view.first_rows.tolist() == [0, 1]
    assert view.notes() == []


def test_a_long_release_has_a_row_for_everybody() -> None:
    view = ReleaseView.read(VISITS, LONG)
    assert view.rows.rows() == [("20", "f"), ("30", "m"), ("35", "m")]
    assert view.first_rows.tolist() == [0, 1, 4]
    assert view.pseudonyms == ("b", "a", "a")
    assert view.bucket_of.tolist() == [0, 1, 1]
    assert listed(view) == [{"flu": 1, "HIV": 1}, {"gout": 2}]
    assert view.semantics() == "all"
    assert view.torn == 1
    assert "1 more combinations than people" in view.notes()[0]
    with pytest.raises(ind.DataError, match="1 row names no person") as told:
        view.refuse_nobody()
    assert told.value.problems[0].rows == (4,)


def test_the_same_table_taken_for_records() -> None:
    view = ReleaseView.read(VISITS, LONG, as_records=True)
    assert view.person is None
    assert len(view.rows) == view.height == 5


def test_linked_tables_are_read_by_their_buckets() -> None:
    view = ReleaseView.read(LINKED, SOUGHT)
    assert view.by == "bucket"
    assert view.bucket_of.tolist() == [1, 0, 1]
    assert view.bucket_size.tolist() == [1, 2]
    assert listed(view) == [{"flu": 1}, {"gout": 1, "flu": 1}]
    assert view.semantics() == "one"
    assert view.semantics("all") == "all"
    more = {**LINKED, "sensitive": pl.concat([LINKED["sensitive"]] * 2)}
    assert ReleaseView.read(more, SOUGHT).semantics() == "some"


def test_quasi_identifiers_that_nothing_names_can_be_suggested() -> None:
    view = ReleaseView.read(RECORDS, Sought(), suggested=lambda table: table.columns[:1])
    assert view.quasi == tuple(RECORDS.columns[:1])
    with pytest.raises(ind.DataError, match="no quasi-identifier that is known"):
        ReleaseView.read(RECORDS, Sought())


def test_several_attributes_in_one_list() -> None:
    several = LINKED["sensitive"].select(
        "bucket", pl.lit("dx").alias("attribute"), pl.col("dx").alias("value")
    )
    sought = Sought(quasi=("age", "sex"), sensitive=("dx", "drug"))
    view = ReleaseView.read({**LINKED, "sensitive": several}, sought)
    assert view.sensitive == ("dx",)
    assert view.lacking == ("drug",)
    assert listed(view) == [{"flu": 1}, {"gout": 1, "flu": 1}]


def test_guards_and_missing_values() -> None:
    cells = pl.DataFrame({"age": ["'=1", "n/a", "'x"], "sex": ["f", "", "m"]})
    sought = Sought(quasi=("age", "sex"), missing={"age": ("n/a",)}, guarded=True)
    assert ReleaseView.read(cells, sought).rows.rows() == [("=1", "f"), (None, None), ("'x", "m")]
    plain = Sought(quasi=("age", "sex"))
    assert ReleaseView.read(cells, plain).rows.rows() == cells.rows()


def test_what_is_not_there_is_suppressed() -> None:
    view = ReleaseView.read(RECORDS.drop("sex"), SOUGHT)
    assert view.quasi == ("age",)
    assert view.with_stars(("age", "sex")).rows() == [("20", "*"), ("*", "*")]
    assert view.notes() == ["has no column 'sex': it counts as suppressed throughout"]


@pytest.mark.parametrize(
    ("release", "sought", "code"),
    [
        (RECORDS.select("dx"), SOUGHT, "missing-column"),
        (RECORDS, LONG, "release-without-people"),
        (RECORDS, Sought(), "missing-column"),
        ({**LINKED, "quasi": LINKED["quasi"].select("bucket")}, SOUGHT, "missing-column"),
    ],
)
def test_what_a_release_cannot_be_read_without(release: Any, sought: Sought, code: str) -> None:
    with pytest.raises(ind.DataError) as told:
        ReleaseView.read(release, sought)
    assert {item.code for item in told.value.problems} == {code}


def test_what_a_release_of_ours_says_of_itself(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "who": [f"P{at:02d}" for at in random.integers(0, 30, 60)],
            "dx": random.choice(list("abc"), 60),
        }
    )
    ages = {who: str(20 + at % 7) for at, who in enumerate(sorted(set(table["who"])))}
    table = table.with_columns(age=pl.col("who").replace_strict(ages))
    policy: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "dx": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"algorithm": "mondrian", "seed": 5},
    }
    release = ind.anonymize(table, policy)
    folder = release.write(tmp_path / "out")
    views = [ReleaseView.read(one, Sought(sensitive=("dx",))) for one in (release, folder)]
    for view in views:
        assert view.person == "who"
        assert view.quasi == ("age",)
        assert [item.model for item in view.said.promises] == ["k-anonymity"]
        assert view.said.added == {"noise": 0, "decoys": 0}
        assert view.said.seconds is not None
        assert view.intact
    assert views[0].rows.equals(views[1].rows)
    assert listed(views[0]) == listed(views[1])
    (folder / "private" / "run.json").unlink()
    assert ReleaseView.read(folder, Sought()).said.added is None
