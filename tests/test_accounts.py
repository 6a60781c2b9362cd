"""What certificate and run say: every parameter, what a figure holds with, how much is noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind
from indistinct.cli.summary import print_promises
from indistinct.pipeline.warnings import warn_about_noise

RANKS = {"flu": 4, "asthma": 3, "hiv": 1, "gout": 3, "cold": 4}


def frame(n: int = 120, ill: tuple[str, ...] = tuple(RANKS)) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + at * 7 % 40 for at in range(n)],
            "ill": [ill[at % 11 % len(ill)] for at in range(n)],
        }
    )


def policy(promises: list[dict[str, Any]], **method: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ill": {"role": "sensitive", "ranks": {"table": RANKS}},
        },
        "promises": promises,
        "method": method,
    }


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "k-anonymity", "k": 2}, {"k": 2}),
        ({"model": "t-closeness", "t": 0.5}, {"t": 0.5, "distance": "equal"}),
        ({"model": "delta-disclosure", "delta": 4, "absent": "skip"}, None),
        (
            {"model": "knm-anonymity", "k": {"1": 5, "3": 3, "4": 2}},
            {"k": {"1": 5, "3": 3, "4": 2}, "count": "class", "diversity": 2},
        ),
    ],
)
def test_a_certificate_names_every_parameter(
    asked: dict[str, Any], told: dict[str, Any] | None
) -> None:
    document = ind.anonymize(frame(), policy([asked])).certificate.to_dict()
    (found,) = document["promises"]
    assert found["parameters"] == (told or {"delta": 4, "absent": "skip"})


def test_parameters_of_theta_and_an_old_certificate_without_them(tmp_path: Path) -> None:
    asked = policy([{"model": "theta-sensitive", "k": 3}], algorithm="theta")
    ind.anonymize(frame(), asked).write(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text())
    theta, bound = document["promises"]
    assert theta["parameters"] == {"k": 3, "mu": 0.6, "theta": "k"}
    assert theta["achieved_with"] == {"k": {"mu": 0.6}, "mu": {"k": 3}}
    assert "achieved_with" not in bound
    assert ind.audit(tmp_path / "out").holds
    theta["parameters"] = {"k": 3}
    del theta["achieved_with"]
    path.write_text(json.dumps(document))
    audited = ind.audit(tmp_path / "out")
    assert audited.holds
    assert audited.promises[0].achieved_with == {"k": {"mu": 0.6}, "mu": {"k": 3}}


def test_what_is_achieved_says_with_what(capsys: pytest.CaptureFixture[str]) -> None:
    table = pl.DataFrame({"age": ["x"] * 10, "ill": ["flu"] * 4 + ["hiv"] * 3 + ["gout"] * 3})
    found = ind.audit(
        table,
        promises=[{"model": "recursive-cl-diversity", "c": 3, "l": 2, "sensitive": "ill"}],
        quasi=["age"],
    )
    (verdict,) = found.promises
    # 4 < c (3 + 3), and for c = 3 still 4 < 3 * 3.
    assert verdict.achieved == {"c": pytest.approx(4 / 6), "l": 3}
    assert verdict.achieved_with == {"c": {"l": 2}, "l": {"c": 3}}
    assert "c=0.666667 (l=2), l=3 (c=3)" in repr(found)
    print_promises([verdict.to_dict()])
    assert "c = 0.6667 with l = 2, l = 3 with c = 3" in " ".join(capsys.readouterr().out.split())


def test_theta_by_size_has_figures_that_stand_alone() -> None:
    table = pl.DataFrame({"age": ["x"] * 4, "ill": ["flu", "hiv", "gout", "cold"]})
    asked = {"model": "theta-sensitive", "k": 3, "theta": "size", "sensitive": "ill"}
    (verdict,) = ind.audit(table, promises=[asked], quasi=["age"]).promises
    assert verdict.achieved == {"k": 4, "mu": pytest.approx(1.0)}
    assert "achieved_with" not in verdict.to_dict()


def test_much_noise_draws_a_private_warning() -> None:
    assert warn_about_noise(10, 100) == []
    assert "11 of the 100 published records are noise (11%)" in warn_about_noise(11, 100)[0]
    assert warn_about_noise(0, 0) == []
    # Mostly one illness: without made-up records no class has variance enough.
    uneven = frame(60, ("flu",) * 7 + tuple(RANKS)[1:])
    asked = policy([{"model": "theta-sensitive", "k": 4, "mu": 0.9}], algorithm="theta")
    release = ind.anonymize(uneven, asked)
    noise = release.run.noise
    assert noise > 0.1 * release.certificate.records_published
    assert any(f"{noise} of the" in text for text in release.warnings)
    assert not any("noise (" in text for text in release.certificate.to_dict()["warnings"])
