"""Objectives are found by name, refuse what they do not have, and stay on their scale."""

from __future__ import annotations

from typing import Any

import pytest

from indistinct.errors import PolicyError
from indistinct.measures import measures, objective


def test_known_measures() -> None:
    assert list(measures()) == sorted(measures())
    assert set(measures()) >= {
        "average-class-size",
        "discernibility",
        "height",
        "kl-divergence",
        "loss",
        "non-uniform-entropy",
        "precision",
        "rows",
    }
    assert str(objective()) == "loss (geometric)"
    assert str(objective("precision")) == "precision (arithmetic)"
    assert str(objective("height")) == "height (sum)"
    assert str(objective("discernibility")) == "discernibility"


@pytest.mark.parametrize(
    ("measure", "choice", "text"),
    [
        ("los", {}, "did you mean 'loss'"),
        ("loss", {"agregate": "sum"}, "did you mean 'aggregate'"),
        ("loss", {"aggregate": "geometrical"}, "did you mean 'geometric'"),
        ("loss", {"gs_factor": 1.5}, "gs_factor must be from 0 to 1"),
        ("loss", {"gs_factor": float("nan")}, "gs_factor must be from 0 to 1"),
        ("loss", {"monotonic": True}, "'loss' does not take monotonic"),
        ("height", {"gs_factor": 0.2}, "it takes aggregate, weights"),
        ("average-class-size", {"weights": {"a": 2.0}}, "it takes no settings"),
        ("discernibility", {"aggregate": "sum"}, "it takes monotonic"),
    ],
)
def test_what_is_refused(measure: str, choice: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError, match=text) as caught:
        objective(measure, **choice)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("gs_factor", "generalization", "suppression"),
    [(0.0, 1.0, 0.0), (0.25, 1.0, 0.5), (0.5, 1.0, 1.0), (0.75, 0.5, 1.0), (1.0, 0.0, 1.0)],
)
def test_the_two_factors(gs_factor: float, generalization: float, suppression: float) -> None:
    found = objective("loss", gs_factor=gs_factor)
    assert found.generalization_factor == pytest.approx(generalization)
    assert found.suppression_factor == pytest.approx(suppression)
