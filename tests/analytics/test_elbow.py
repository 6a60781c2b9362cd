"""Bends of curves: the printed table, the analytic curve, and what the rule must not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.risk.elbow import TOLERANCE, elbow, select_k
from indistinct.errors import DataError


@pytest.fixture(scope="module")
def oracles(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "spec" / "oracles.json").read_text())["B_001"]


def test_the_bends_of_the_printed_table(oracles: dict[str, Any]) -> None:
    ks = [row[0] for row in oracles["table6"]]
    for said in oracles["elbow_chord"].values():
        found = elbow(ks, [row[said["curve"]] for row in oracles["table6"]])
        assert found.k == said["k"]
        assert found.d == pytest.approx(said["d"], abs=6e-5)
        assert found.ks == tuple(ks)


def test_the_three_curves_speak_for_five(oracles: dict[str, Any]) -> None:
    ks, *curves = (list(column) for column in zip(*oracles["table6"], strict=True))
    found = select_k(ks, *curves)
    assert found.k == oracles["selected_k"] == 5
    assert {name: item.k for name, item in found.elbows.items()} == {
        "records_at_risk": 5,
        "highest": 5,
        "success": 4,
    }
    assert found.to_dict()["curves"]["success"]["k"] == 4


@pytest.mark.parametrize("last", [10, 12, 15, 20, 21])
def test_one_over_k_bends_near_the_root_of_twice_the_range(
    oracles: dict[str, Any], last: int
) -> None:
    ks = range(2, last + 1)
    found = elbow(ks, [1 / k for k in ks])
    tied = oracles["elbow_analytic_1_over_k"][str(last)]
    assert found.k == max(tied)
    assert found.d == pytest.approx([(last - k) * (k - 2) / (k * (last - 2)) for k in ks])
    best = max(found.d)
    assert [k for k, d in zip(ks, found.d, strict=True) if d >= best - TOLERANCE] == tied


def test_a_curve_that_does_not_fall_bends_at_its_start() -> None:
    assert elbow([2, 3, 4], [0.1, 0.1, 0.1]).k == 2
    assert elbow([2, 3, 4], [0.1, 0.2, 0.3]).d == (0.0, 0.0, 0.0)
    assert elbow([7], [0.3]).k == 7


def test_what_rises_again_counts_as_flat() -> None:
    ks = [2, 3, 4, 5]
    assert elbow(ks, [0.5, 0.1, 0.3, 0.05]) == elbow(ks, [0.5, 0.1, 0.1, 0.05])


def test_the_last_bend_where_somebody_is_always_at_risk() -> None:
    ks = [2, 3, 4, 5]
    found = select_k(ks, [0.9, 0.5, 0.4, 0.3], [0.5, 1 / 3, 0.25, 0.2], [0.4, 0.3, 0.1, 0.05])
    assert found.k == max(item.k for item in found.elbows.values())
    assert "throughout" in found.why


def test_a_k_far_beyond_the_bends_is_not_taken() -> None:
    ks = list(range(2, 12))
    steep = [1.0, 0.01, *([0.005] * 8)]
    found = select_k(ks, [1.0, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.0, 0.0, 0.0], steep, steep)
    assert found.k == 3
    assert "none is from 9 on" in found.why


@pytest.mark.parametrize(
    ("ks", "ys"),
    [([], []), ([2, 3], [0.5]), ([3, 2], [0.5, 0.4]), ([2, 2], [1, 0]), ([2, 3], [1, np.nan])],
)
def test_what_is_no_curve_is_refused(ks: list[int], ys: list[float]) -> None:
    with pytest.raises(DataError):
        elbow(ks, ys)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0.1, 9), st.floats(-5, 5))
def test_scale_and_offset_of_the_risk_do_not_matter(
    ys: list[float], factor: float, offset: float
) -> None:
    ys = [round(y, 3) for y in ys]
    ks = range(2, len(ys) + 2)
    found = elbow(ks, ys)
    assert 2 <= found.k <= ks[-1]
    moved = elbow(ks, [factor * y + offset for y in ys])
    assert moved.d == pytest.approx(found.d, abs=1e-6)
