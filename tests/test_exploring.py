"""Every point of an exploration is the run of its policy by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.report.test_report import run  # noqa: F401
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.errors import PolicyError
from indistinct.randomness import simulation


def patients(n: int = 300) -> pl.DataFrame:
    draw = simulation(5)
    return pl.DataFrame(
        {
            "age": draw.integers(20, 80, n).astype(str),
            "sex": draw.choice(["f", "m"], n),
            "zip": draw.choice(["81101", "81102", "81203", "81204"], n),
            "ill": draw.choice(["flu", "asthma", "none"], n),
        }
    )


POLICY: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
        "ill": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 5}],
    "method": {"seed": 3, "suppression_limit": 0.02},
}
DIVERSE = {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}


def assert_each_is_its_run(found: ind.Exploration, table: pl.DataFrame) -> None:
    for point in found.points:
        try:
            alone = ind.anonymize(table, point.policy)
        except ind.Unsatisfiable:
            assert point.published is None
            continue
        told = alone.run.to_dict()
        assert (point.published, point.suppressed) == (told["published"], told["suppressed"])
        assert point.classes == told["classes"]["count"]
        if point.risk is not None:
            assert point.risk["highest"] == pytest.approx(1 / told["classes"]["smallest"])
            assert point.risk["average"] == pytest.approx(1 / told["classes"]["mean"])
        assert point.kept == pytest.approx(1 - told["measures"]["loss-arithmetic"], abs=1e-9)


@pytest.mark.parametrize(
    ("more", "grid"),
    [
        ({}, {"k": range(2, 9), "suppression": (0, 0.05)}),
        ({}, {"k": (3, 7), "algorithm": ("optimal", "mondrian", "heuristic")}),
        ({}, {"k": (7, 3, 400), "objective": ("precision", "discernibility")}),
        ({"promises": [{"model": "k-anonymity", "k": 2}, DIVERSE]},
         {"promise": {"distinct-l-diversity.l": (2, 3)}, "k": (3, 6)}),
        ({"method": {"seed": 3, "local_recoding": True, "suppression_limit": 0.0}}, {"k": (3, 6)}),
        ({"analyses": [{"kind": "table", "by": ["sex"], "min_overlap": 0.9}]}, {"k": (3, 6)}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_every_point_is_the_run_by_itself(more: dict[str, Any], grid: dict[str, Any]) -> None:
    if "analyses" in more:
        pytest.importorskip("statsmodels")
        pytest.importorskip("sklearn")
    table = patients()
    found = ind.explore(table, ind.Policy.from_dict(POLICY | more), **grid)
    assert_each_is_its_run(found, table)
    if "k" in grid and len(grid) == 1:
        assert [point.k for point in found.points] == list(grid["k"])
    if "analyses" in more:
        assert all(point.analyses for point in found.points)


@pytest.mark.parametrize("promises", [[], [DIVERSE | {"l": 3}]])
@pytest.mark.parametrize("person", [False, True])
def test_who_fits_no_class_is_found_among_the_rows_of_stars(
    promises: list[dict[str, Any]], person: bool
) -> None:
    """They are one more group, which may be smaller than every class."""
    more: dict[str, Any] = {"output": {"suppressed": "keep"}}
    table, more["promises"] = patients(), [*POLICY["promises"], *promises]
    if person:
        table = pl.concat([table.with_row_index("who")] * 2)
        more |= {"source": {"person": "who"}}
        more["attributes"] = POLICY["attributes"] | {"who": {"role": "identifier"}}
    found = ind.explore(table, ind.Policy.from_dict(POLICY | more), k=(3, 5, 8))
    smaller = 0
    for point in found.points:
        release = ind.anonymize(table, point.policy)
        one = pl.col("who").n_unique() if person else pl.len()
        sizes = release.tables.group_by("age", "sex", "zip").agg(one.alias("n"))["n"]
        assert point.risk is not None
        assert point.risk["highest"] == pytest.approx(1 / sizes.min())
        assert point.risk["average"] == pytest.approx(1 / sizes.mean())
        smaller += point.k is not None and sizes.min() < point.k
    assert smaller or promises


def test_of_releases_of_one_cost_it_is_the_one_of_the_run() -> None:
    rows = ["001", "330", "230", "331", "101", "030", "321", "101", "031", "200"]
    table = pl.DataFrame([list(row) for row in rows], ["a", "b", "c"], orient="row")
    tree = {"tree": {"*": {"x": ["0", "1"], "y": ["2", "3"]}}}
    hierarchies = {"a": tree, "b": tree, "c": "suppress"}
    policy = {
        "attributes": {
            name: {"role": "quasi-identifier", "hierarchy": own}
            for name, own in hierarchies.items()
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": {"algorithm": "optimal", "seed": 1},
    }
    found = ind.explore(table, policy, k=(2, 3, 4), suppression=(0.2, 0.5))
    assert_each_is_its_run(found, table)


def test_the_recommended_point_keeps_most_of_those_that_are_safe_enough() -> None:
    found = ind.explore(patients(), ind.Policy.from_dict(POLICY), k=range(2, 12))
    assert found.recommended is not None
    best = found.points[found.recommended]
    assert best.risk is not None
    assert best.risk["highest"] <= 0.2
    for point in found.points:
        if point.risk is not None and point.risk["highest"] <= 0.2:
            assert point.kept <= best.kept
    smallest = found.smallest_k(0.09)
    assert smallest is not None
    held = [item.k for item in found.points if item.risk and item.risk["highest"] <= 0.09]
    assert found.points[smallest].k == min(held)
    assert found.recommended in found.frontier
    assert found.elbow in range(2, 12)
    assert "<circle" in found.svg()
    assert found.frame().height == 10
    assert "recommended" in found._repr_html_()


def test_of_points_that_cost_and_risk_the_same_the_strictest_promise_is_recommended() -> None:
    table = pl.DataFrame({"sex": ["f", "m"] * 40, "ill": ["flu", "cold", "gout", "flu"] * 20})
    asked = {
        "attributes": {
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "rest": "drop",
    }
    found = ind.explore(table, asked, k=[2, 5, 30])
    assert found.recommended is not None
    assert found.points[found.recommended].k == 30


def test_the_verb_tells_the_points_and_writes_a_policy(run: Any, tmp_path: Path) -> None:  # noqa: F811
    patients().write_csv(tmp_path / "t.csv")
    policy = tmp_path / "p.toml"
    policy.write_text(ind.Policy.from_dict(POLICY).to_toml(), encoding="utf-8")
    given = (
        "explore",
        tmp_path / "t.csv",
        "--policy",
        policy,
        "--k",
        "2..4",
        "--suppression",
        "0,0.05",
    )
    result = run(*given, "--write", 2, "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert [item["k"] for item in document["points"]] == [2, 3, 4] * 2
    assert [item["suppression_limit"] for item in document["points"]] == [0] * 3 + [0.05] * 3
    assert set(document["points"][0]) >= {
        "k", "suppression_limit", "algorithm", "objective", "published", "suppressed", "risk",
        "analyses", "policy",
    }  # fmt: skip
    assert document["points"][document["recommended"]]["risk"]
    written = ind.Policy.load(tmp_path / "p-2.toml")
    assert written.to_dict() == document["points"][1]["policy"]
    shown = run(*given)
    assert "recommended: point" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    drawn = run(*given, "--plot", tmp_path / "f.svg")
    assert drawn.exit_code == 0
    assert (tmp_path / "f.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    "options",
    [("--k", "2..x"), ("--k", "0"), ("--write", "9"), ("--promise", "l=2"),
     ("--promise", "t-closeness.t=0.2"), ("--k", "1..2000"), ("--algorithm", "magic"),
     ("--k", "2..99999999999999999999"), ("--k", "5..2"), ("--suppression", ","),
     ("--k", "2", "--promise", "k-anonymity.k=5"),
     ("--algorithm", "iab", "--suppression", "0.1")],
)  # fmt: skip
def test_what_cannot_be_explored_is_refused(run: Any, tmp_path: Path, options: Any) -> None:  # noqa: F811
    patients().write_csv(tmp_path / "t.csv")
    policy = tmp_path / "p.toml"
    policy.write_text(ind.Policy.from_dict(POLICY).to_toml(), encoding="utf-8")
    result = run("explore", tmp_path / "t.csv", "--policy", policy, *options)
    assert result.exit_code == 2, result.stdout
    assert "memory" not in result.stderr


@pytest.mark.parametrize("keys", [{}, {"output": {"suppressed": "keep"}}])
def test_a_point_without_a_release_says_why(keys: dict[str, Any]) -> None:
    table, ks = patients(), [3, 5000, *range(6001, 6008)]
    found = ind.explore(table, POLICY | keys, k=ks)
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.anonymize(table, found[2].policy)
    assert found[1].why is None
    assert found[2].why == caught.value.problems[0].message
    assert found.to_dict()["points"][1]["why"] == found[2].why
    told = [part.text for part in found.parts() if hasattr(part, "text")]
    assert f"point 2: {found[2].why}" in told
    assert "3 more points without a release: --json has the reasons" in told


@pytest.mark.parametrize("mode", ["joint", "split"])
def test_what_would_give_ranks_away_is_no_release(mode: str) -> None:
    """Of age 20 all have rank 1: anonymize refuses, and explore recommends nothing."""
    ill = ["HIV", "hepatitis", "flu", "cold"] * 10
    table = pl.DataFrame({"age": [20, 20, 30, 30] * 10, "ill": ill})
    ranks = {"HIV": 1, "hepatitis": 1, "flu": 4, "cold": 4}
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "ranks": {"table": ranks}},
        },
        "promises": [{"model": "knm-anonymity", "k": {"1": 2, "4": 2}, "diversity": 2}],
        "method": {"algorithm": "knm", "mode": mode},
    }
    with pytest.raises(PolicyError, match="disclose how sensitive"):
        ind.anonymize(table, asked)
    found = ind.explore(table, asked, suppression=[0, 0.1])
    assert found.recommended is None
    assert all(point.risk is None for point in found.points)


def test_a_measure_keeps_what_the_policy_says_of_it() -> None:
    """And so do others, as far as they have such settings."""
    said = {"measure": "loss", "aggregate": "max", "weights": {"age": 4.0}, "gs_factor": 0.4}
    asked = {**POLICY, "method": {"seed": 3, "objective": said}}
    names = ["loss", "precision", "discernibility"]
    found = ind.explore(patients(), asked, objective=names)
    own, other, plain = (point.policy.method.to_dict()["objective"] for point in found.points)
    assert own == said
    assert other == {**said, "measure": "precision"}
    assert plain in ({"measure": "discernibility"}, "discernibility")
    assert_each_is_its_run(found, patients())


def test_settings_that_do_not_go_together_are_points_without_a_release(tmp_path: Path) -> None:
    """Theta works towards another promise: its points say so, and the others are explored."""
    table, asked = patients(), {**POLICY, "promises": [{"model": "k-anonymity", "k": 2}]}
    found = ind.explore(table, asked, k=[2, 3], algorithm=["optimal", "theta"])
    there, gone = found.points[:2], found.points[2:]
    assert all(point.risk is not None and point.policy is not None for point in there)
    assert [point.k for point in gone] == [2, 3]
    assert all("no promise is (add [[promises]]" in str(point.why) for point in gone)
    assert all(point.policy is None for point in gone)
    assert found.to_dict()["points"][2]["policy"] is None
    with pytest.raises(PolicyError, match="no promise is"):
        ind.explore(table, asked, k=[2, 3], algorithm="theta")
    (tmp_path / "p.toml").write_text(ind.Policy.from_dict(asked).to_toml())
    table.write_csv(tmp_path / "t.csv")
    asked_for = ["--algorithm", "optimal,theta", "--write", "2"]
    done = CliRunner().invoke(
        app, ["explore", str(tmp_path / "t.csv"), "--policy", str(tmp_path / "p.toml"), *asked_for]
    )
    assert done.exit_code == 2
    assert "point 2 has no policy that can be run" in done.output + done.stderr
    assert not (tmp_path / "p-2.toml").exists()


def test_what_no_attacker_can_follow_is_told_beside_the_bound() -> None:
    """The bound is held of what is tried: of a value that was moved at random nothing is."""
    table = patients().with_columns(cost=pl.int_range(pl.len()) * 7 % 50)
    moved = {"role": "sensitive", "transform": {"noise": 5}}
    asked = {**POLICY, "attributes": {**POLICY["attributes"], "cost": moved}}
    for policy, told in ((asked, True), (POLICY, False)):
        seen = table.select(*policy["attributes"])
        found = ind.explore(seen, policy, k=(5,), gain=1.0, attacker=["record-linkage"])
        assert ("no attacker looks at" in found._repr_html_()) == told
        assert list(found.to_dict().get("untried", {})) == ["cost"] * told
    assert not ind.explore(table, asked, k=(5,)).untried


def test_every_attacker_is_held_below_a_bound() -> None:
    table, names = patients(), ("record-linkage", "worst-posterior")
    found = ind.explore(table, POLICY, k=(2, 5, 30), gain=0.5, attacker=names)
    gains = []
    for point in found.points:
        policy = point.policy
        alone = ind.attack(table, ind.anonymize(table, policy), policy, only=names)
        worst = max(alone.attacks, key=lambda item: item.gain["max"])
        assert point.gain == {"attacker": worst.name, "most": worst.gain["max"]}
        gains.append(worst.gain["max"])
    for bound in (*gains, 0.0):
        able = [at for at, gain in enumerate(gains) if gain <= bound]
        assert found.smallest_k(gain=bound) == min(able, default=None)
    held = ind.explore(table, POLICY, k=(2, 30), gain=gains[2], attacker=names)
    assert held.recommended == held.smallest_k(gain=gains[2]) == 1
    assert f"gains more than {gains[2]:g}: point 2" in held._repr_html_()
    none = ind.explore(table, POLICY, k=(2,), gain=0, attacker=names)
    assert "gains more than 0 at every point" in none._repr_html_()
    assert none.to_dict()["smallest_k_for_gain"] is None


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"gain": 1.1}, "share from 0 to 1"), ({"attacker": ["homogeneity"]}, "attackers are named")],
)
def test_a_bound_on_gains_is_a_share(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ind.InputError, match=told):
        ind.explore(patients(), POLICY, **wrong)
