"""Pictures of what leaks: complete, of the files they claim to be, and loading nothing."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import indistinct as ind
from indistinct.report import plots

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + 7 * at % 40 for at in range(40)],
            "sex": ["f", "m"] * 20,
            "zip": ["1", "2", "3", "4"] * 10,
        }
    )


def test_bars_of_every_column() -> None:
    found = ind.assess(table())
    values = plots.leakage_bars(found).to_dict()["data"]["values"]
    assert [row["column"] for row in values] == ["age", "zip", "sex"]
    assert {row["when"] for row in values} == {plots.BEFORE}
    assert values[0]["leaks"] == pytest.approx(1)


def test_bars_before_and_after() -> None:
    found = ind.assess(table(), release=table().select("age", sex=pl.lit("*")))
    values = plots.leakage_bars(found).to_dict()["data"]["values"]
    after = {row["column"]: row["leaks"] for row in values if row["when"] == plots.AFTER}
    assert after == {"age": pytest.approx(1), "sex": 0}


def test_the_map_needs_all_pairs() -> None:
    assert plots.leakage_map(ind.assess(table())) is None
    chart = plots.leakage_map(ind.assess(table(), combinations=2))
    assert chart is not None
    values = chart.to_dict()["data"]["values"]
    assert len(values) == 9
    found = {(row["one"], row["other"]): row["leaks"] for row in values}
    assert found["sex", "zip"] == found["zip", "sex"]
    assert found["zip", "zip"] <= found["sex", "zip"]


@pytest.mark.parametrize(
    ("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("A.HTML", b"<!DOCTYPE html>")]
)
def test_files(tmp_path: Path, name: str, start: bytes) -> None:
    path = plots.draw_leakage(ind.assess(table(), combinations=2), tmp_path / name)
    content = path.read_bytes()
    assert content.lstrip().startswith(start)
    assert list(tmp_path.iterdir()) == [path]
    assert not re.search(rb"<script[^>]*\ssrc=|<link[^>]*\shref=|@import", content)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ind.OutputError, match="cannot write here"):
        plots.draw_leakage(ind.assess(table()), tmp_path / "nowhere" / "a.svg")


def test_an_ending_that_is_not_offered() -> None:
    with pytest.raises(ind.OutputError, match="one of these endings"):
        plots.require_drawing("a.jpg")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ind.InputError, match="drawing needs altair and vl_convert"):
        plots.require_drawing("a.svg")
