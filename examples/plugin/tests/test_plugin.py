"""The pieces of this plugin, as a policy, an attack and a folder ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind

PROMISE = {"model": "simpson-diversity", "bound": 0.6, "sensitive": "diagnosis"}
VISITS = pl.DataFrame(
    {
        "age": [str(20 + at % 20) for at in range(80)],
        "diagnosis": [("flu", "gout", "asthma")[at % 7 % 3] for at in range(80)],
    }
)


def policy(**method: Any) -> ind.Policy:
    """A policy that makes the promise."""
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}}
    return ind.Policy(
        attributes={"age": age, "diagnosis": {"role": "sensitive"}},
        promises=[PROMISE],
        method={"seed": 1, **method},
    )


@pytest.mark.parametrize("method", [{"objective": "largest-class"}, {"algorithm": "even-steps"}])
def test_what_the_search_keeps_the_audit_finds_kept(method: dict[str, str]) -> None:
    release = ind.anonymize(VISITS, policy(**method))
    (verdict,) = ind.audit(release.tables, policy()).promises
    assert verdict.holds
    assert verdict.achieved["bound"] <= PROMISE["bound"]


def test_what_is_tolerated_of_the_largest_class_costs_nothing() -> None:
    costs = [
        ind.anonymize(VISITS, policy(objective=asked)).run.to_dict()["plan"]["objective"]["value"]
        for asked in ("largest-class", {"measure": "largest-class", "tolerated": 7})
    ]
    assert costs[1] == max(costs[0] - 7, 0)
    with pytest.raises(ind.PolicyError, match="objective: tolerated must be 0 or more, not -1"):
        policy(objective={"measure": "largest-class", "tolerated": -1})


def test_the_audit_finds_a_broken_promise() -> None:
    alike = pl.DataFrame({"age": ["30"] * 4, "diagnosis": ["flu"] * 4})
    (verdict,) = ind.audit(alike, quasi=["age"], promises=[PROMISE]).promises
    assert not verdict.holds
    assert verdict.achieved == {"bound": 1.0}


def test_the_attacker_is_certain_where_everybody_has_the_same() -> None:
    alike = VISITS.with_columns(diagnosis=pl.lit("flu"))
    (found,) = ind.attack(alike, alike, policy(), only=["best-guess"]).attacks
    assert found.success["certain"] == 1.0
    assert found.figures["guessed"] == 1.0


def test_a_folder_of_wards_is_one_table(tmp_path: Path) -> None:
    for ward in (1, 2):
        visits = VISITS.with_row_index("patient").with_columns(sex=pl.lit("f"))
        visits.write_csv(tmp_path / f"ward-{ward}.csv")
    asked = {"source": {"format": "wards"}, "promises": [{"model": "k-anonymity", "k": 2}]}
    release = ind.anonymize(tmp_path, asked)
    assert release.tables.height == 160


def test_lines_with_labels_are_one_table(tmp_path: Path) -> None:
    lines = [f"age:{age}\tdiagnosis:{what}" for age, what in VISITS.iter_rows()]
    (tmp_path / "visits.ltsv").write_text("\n".join(lines), encoding="utf-8")
    release = ind.anonymize(tmp_path / "visits.ltsv", policy())
    assert release.tables.height == 80
