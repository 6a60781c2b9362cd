"""The cells of a release, read as categories."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import indistinct as ind


def test_a_set_is_its_values_in_equal_parts() -> None:
    cells = ["a", "{a, b}", '{"b, c", missing}', "*", None]
    found = ind.read_categories(cells)
    assert found.to_dict(as_series=False) == {
        "a": [1.0, 0.5, 0.0, None, None],
        "b": [0.0, 0.5, 0.0, None, None],
        "b, c": [0.0, 0.0, 1.0, None, None],
    }


def test_a_set_of_other_values_is_a_category_of_its_own() -> None:
    found = ind.read_categories(["a", "{a, b}", "{x, y}", "north"], ["a", "b", "{x, y}"])
    assert found.columns == ["a", "b", "north", "{x, y}"]
    assert found.rows()[1:3] == [(0.5, 0.5, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)]
    assert ind.read_categories(["{a, b}"], ["a"]).columns == ["{a, b}"]


@pytest.mark.parametrize("cells", [pl.Series(["1", "{1, 2}"]), pd.Series(["1", "{1, 2}"])])
def test_columns_of_frames_are_read(cells: pl.Series) -> None:
    assert ind.read_categories(cells).rows() == [(1.0, 0.0), (0.5, 0.5)]


def test_nothing_is_read_of_nothing() -> None:
    assert ind.read_categories(["*", None, float("nan")]).columns == []
