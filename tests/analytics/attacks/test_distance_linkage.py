"""Distance linkage: held against definitions, and against how often its guesses are right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.attacks import distance_linkage
from indistinct.kernels.nearness import LAPLACE, NORMAL, UNIFORM, link_nearest
from indistinct.pipeline.attack import context_of

NUMBERS = st.none() | st.integers(-5, 5).map(float)


def _chance(own: float | None, shown: float | None, spread: float, kind: int) -> float:
    if own is None or shown is None:
        return float(own is shown)
    away = abs(own - shown) / spread
    if kind == UNIFORM:
        return float(away <= 1)
    return math.exp(-(away**2) / 2 if kind == NORMAL else -away)


@given(st.data())
def test_beliefs_are_those_of_all_records_one_by_one(data: st.DataObject) -> None:
    people, columns, groups = (data.draw(st.integers(1, 5)) for _ in range(3))
    sizes = data.draw(st.lists(st.integers(0, 4), min_size=groups, max_size=groups))
    rows = sum(sizes)

    def table(height: int, cells: Any) -> list[list[Any]]:
        one = st.lists(cells, min_size=height, max_size=height)
        return data.draw(st.lists(one, min_size=columns, max_size=columns))

    own, shown = table(people, NUMBERS), table(rows, NUMBERS)
    drawn, same = (table(rows, st.sampled_from([0.0, -1.0, 1.5])) for _ in range(2))
    spread = table(people, st.sampled_from([0.5, 1.0, 3.0]))
    kind = data.draw(
        st.lists(st.sampled_from([NORMAL, LAPLACE, UNIFORM]), min_size=columns, max_size=columns)
    )
    sets = data.draw(
        st.lists(st.sets(st.integers(0, groups - 1)).map(sorted), min_size=1, max_size=3)
    )
    set_of = data.draw(st.lists(st.integers(-1, len(sets) - 1), min_size=people, max_size=people))
    first = np.append(0, np.cumsum(sizes)).astype(np.int64)
    looked = sorted(data.draw(st.sets(st.integers(0, people - 1), min_size=1)))
    found = np.empty(len(looked))
    link_nearest(
        np.array(looked),
        (
            np.array(set_of, np.int32),
            np.append(0, np.cumsum([len(one) for one in sets])),
            np.array([g for one in sets for g in one], np.int32),
            first,
        ),
        np.array(own, np.float64),
        np.array(shown, np.float64).reshape(columns, rows),
        np.array(spread),
        np.array(kind),
        np.array(drawn, np.float64).reshape(columns, rows),
        np.array(same, np.float64).reshape(columns, rows),
        found,
    )
    for at, i in enumerate(looked):
        among = [] if set_of[i] < 0 else sets[set_of[i]]
        chances = [
            math.prod(
                _chance(own[c][i], shown[c][r], spread[c][i], kind[c])
                * (1 if own[c][i] is None else math.exp(drawn[c][r]))
                * (math.exp(same[c][r]) if own[c][i] == shown[c][r] is not None else 1)
                for c in range(columns)
            )
            for g in among
            for r in range(first[g], first[g + 1])
        ]
        expected = max(chances) / sum(chances) if any(chances) else 0.0
        assert found[at] == pytest.approx(expected)


def _table(size: int, seed: int = 1, spread: float = 30.0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    start = np.datetime64("2020-01-01")
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, size),
            "cost": np.rint(random.normal(1000, spread, size)),
            "seen": start + random.integers(0, 400, size).astype("timedelta64[D]"),
            "ill": random.choice(["flu", "gout", "hiv"], size),
        }
    )


def _policy(cost: Any = None, seen: Any = None, role: str = "insensitive") -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "cost": {"role": role} | ({"transform": cost} if cost else {}),
            "seen": {"role": "insensitive"} | ({"transform": seen} if seen else {}),
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"algorithm": "mondrian", "seed": 4},
        "output": {"shuffle": False},
    }


def _belief(context: Any) -> np.ndarray[Any, Any]:
    people = np.arange(context.people.height)
    return distance_linkage._linked(context, people, list(context.perturbed.values()))


NOISE = {
    "gaussian": {"noise": {"scale": 6.0}},
    "laplace": {"noise": {"scale": 5.0, "distribution": "laplace"}},
    "little": {"noise": {"scale": 0.3}},
    "multiplied": {"noise": {"scale": 0.004, "multiplicative": True}},
    "near ranks": {"swap": {"window": 0.05}},
    "some near ranks": {"swap": {"window": 0.2, "share": 0.5}},
    "some": {"swap": {"share": 0.4}},
    "kept": {"pram": 0.7},
}


@pytest.mark.parametrize("how", NOISE)
def test_guesses_are_right_as_often_as_they_are_believed(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, believed = 0, 0.0
    for seed in range(8):
        table = _table(300, seed)
        policy = _policy(cost=NOISE[how])
        policy["method"]["seed"] = seed
        kept: list[Any] = []

        def kept_context(*args: Any, into: list[Any] = kept, **more: Any) -> Any:
            into.append(context_of(*args, **more))
            return into[-1]

        release = ind.anonymize(table, policy)
        with monkeypatch.context() as patched:
            patched.setattr("indistinct.pipeline.attack.context_of", kept_context)
            ind.attack(table, release, policy, only=["distance-linkage"])
        context = kept[0]
        column = context.perturbed["cost"]
        belief = _belief(context)
        # Without a shuffle rows stand in the order of the table, so the truth is known here.
        for i in range(300):
            rows = np.flatnonzero(context.places.class_of == context.places.class_of[i])
            away = np.abs(column.shown[rows] - column.own[i]) / column.spread[i]
            if column.kind == "uniform":
                away = np.where(away > 1, np.inf, 0)
            if column.same is not None:
                away = away - column.same[rows] * (column.shown[rows] == column.own[i])
            if column.drawn is not None:
                away = away - column.drawn[rows]
            nearest = rows[away == away.min()]
            right += (i in nearest) / len(nearest)
            believed += belief[i]
    assert right / believed == pytest.approx(1, abs=0.08 if "swap" in NOISE[how] else 0.05)


def test_little_noise_gives_nearly_all_away_and_much_nobody() -> None:
    table = _table(300)
    for scale, low, high in ((0.2, 0.3, 1.0), (5000.0, 0.0, 0.0)):
        policy = _policy(cost={"noise": {"scale": scale}})
        found = ind.attack(table, ind.anonymize(table, policy), policy)["distance-linkage"]
        assert low <= found.success["0.95"] <= high
    assert found.success["0.5"] == 0
    assert found.remedy is None


@pytest.mark.parametrize("role", ["insensitive", "sensitive", "quasi-identifier"])
def test_whatever_the_role_of_the_column_is(role: str) -> None:
    table = _table(200, spread=3000.0)
    policy = _policy(cost={"noise": {"scale": 1.0}}, role=role)
    if role == "quasi-identifier":
        policy["attributes"]["cost"]["hierarchy"] = "suppress"
        policy["promises"][0]["on"] = ["age"]
        policy["method"]["algorithm"] = "optimal"
    found = ind.attack(table, ind.anonymize(table, policy), policy)["distance-linkage"]
    assert found.success["0.95"] > 0.8


def test_a_shift_hides_among_those_within_it() -> None:
    table = _table(200)
    policy = _policy(seen={"shift": {"days": 3}})
    found = ind.attack(table, ind.anonymize(table, policy), policy)["distance-linkage"]
    assert found.success["0.95"] > 0.5
    wide = _policy(seen={"shift": {"days": 5000}})
    nothing = ind.attack(table, ind.anonymize(table, wide), wide)["distance-linkage"]
    linked = ind.attack(table, ind.anonymize(table, wide), wide)["record-linkage"]
    assert nothing.success == linked.success


def test_who_knows_both_finds_more() -> None:
    table = _table(300)
    policy = _policy(cost={"noise": {"scale": 20.0}}, seen={"shift": {"days": 40}})
    figures = ind.attack(table, ind.anonymize(table, policy), policy)["distance-linkage"].figures
    assert {*figures} == {"cost", "seen", "together"}
    both = figures["together"]
    assert all(both["0.5"] > figures[name]["0.5"] for name in ("cost", "seen"))


def test_missing_stays_missing_and_tells() -> None:
    table = _table(100).with_columns(
        cost=pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise("cost")
    )
    policy = _policy(cost={"noise": {"scale": 1e6}})
    release = ind.anonymize(table, policy)
    found = ind.attack(table, release, policy)["distance-linkage"]
    assert found.success["certain"] == pytest.approx(0.01)


def test_some_people_are_drawn_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(3000)
    policy = _policy(cost={"noise": {"scale": 5.0}})
    release = ind.anonymize(table, policy)
    whole = ind.attack(table, release, policy)["distance-linkage"]
    assert "looked_at" not in whole.figures
    monkeypatch.setattr(distance_linkage.run, "__kwdefaults__", {"most": 10})
    part = ind.attack(table, release, policy)["distance-linkage"]
    assert part.figures["looked_at"] == distance_linkage.FEWEST
    assert part.success["0.5"] == pytest.approx(whole.success["0.5"], abs=part.figures["error"])


def test_people_with_many_records_are_not_looked_at_and_that_is_said() -> None:
    table = _table(60).with_columns(
        who=pl.int_range(pl.len()) // 2, age=pl.int_range(pl.len()) // 2
    )
    policy = _policy(cost={"noise": {"scale": 1.0}})
    policy["source"] = {"person": "who"}
    policy["attributes"]["who"] = {"role": "identifier"}
    report = ind.attack(table, ind.anonymize(table, policy), policy)
    why = {item.name: item.why for item in report.skipped}
    assert "every record is a person" in why["distance-linkage"]
    plain = ind.attack(_table(60), ind.anonymize(_table(60), _policy()), _policy())
    assert "drawn at random" in {item.name: item.why for item in plain.skipped}["distance-linkage"]


@pytest.mark.parametrize(("scale", "told"), [(0.4, True), (4.0, True), (5000.0, False)])
def test_a_run_warns_of_what_an_attacker_finds(scale: float, told: bool) -> None:
    table = _table(300, spread=90.0).with_columns(
        age=pl.when(pl.int_range(pl.len()) == 5).then(99).otherwise("age")
    )
    policy = _policy(cost={"noise": {"scale": scale}}, role="sensitive")
    policy["method"] |= {"algorithm": "optimal", "suppression_limit": 0.1}
    policy["output"] = {"shuffle": True}
    release = ind.anonymize(table, policy)
    assert release.certificate.records_published < 300
    found = ind.attack(table, release, policy)["distance-linkage"].figures["cost"]
    warned = [one for one in release.warnings if "the true 'cost' finds" in one]
    assert bool(warned) is told
    if told:
        assert f"{found['0.5']:.1%}" in warned[0].replace("100%", "100.0%")


def test_an_attacker_that_was_tried_on_another_attribute_is_not_called_untried() -> None:
    table = _table(200)
    policy = _policy(cost={"noise": {"scale": 5.0}}, role="sensitive")
    report = ind.attack(table, ind.anonymize(table, policy), policy)
    told = str(list(report.summary())[-1])
    assert "not tried: " in told
    assert "presence" in told
    assert "worst-posterior" not in told, "it was tried on ill"
    assert any(item.name == "worst-posterior" for item in report.skipped)
