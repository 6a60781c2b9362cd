"""Values that were changed at random keep promises that the true ones break: readers are told."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import indistinct as ind

DOSES = (100, 200, 300, 400)


@pytest.mark.parametrize(
    ("transform", "told"),
    [
        ({"noise": {"scale": 3}}, True),
        ({"noise": {"scale": 0.03, "multiplicative": True}}, True),
        ({"swap": {"share": 0.5}}, True),
        ("synthesize", True),
        ({"round": 10}, False),
        (None, False),
    ],
)
def test_a_bound_of_changed_values_is_none_of_true_ones(transform: Any, told: bool) -> None:
    """Everybody of a class has one dose: whoever knows the noise reads it off the class."""
    rows = [(20 + 10 * at, "MF"[at % 2], dose) for at, dose in enumerate(DOSES) for _ in range(8)]
    table = pl.DataFrame(rows, ["age", "sex", "dose"], orient="row")
    dose = {"role": "sensitive"} | ({} if transform is None else {"transform": transform})
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "dose": dose,
        },
        "promises": [
            {"model": "k-anonymity", "k": 5},
            {"model": "max-posterior", "bound": 0.5, "sensitive": "dose"},
        ],
    }
    release = ind.anonymize(table, keys)
    for warnings in (release.certificate.warnings, release.warnings):
        assert any("bound no belief in true values" in warning for warning in warnings) == told
    if transform == {"noise": {"scale": 3}}:
        nearest = pl.col("dose").map_elements(
            lambda value: min(DOSES, key=lambda dose: abs(dose - value)), return_dtype=pl.Int64
        )
        assert release.tables.group_by("age", "sex").agg(nearest.n_unique())["dose"].max() == 1
