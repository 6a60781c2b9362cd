"""Buckets that keep their values from release to release."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.series.together import worlds
from indistinct.intake.private_table import PrivateTable
from indistinct.pipeline import searching
from indistinct.pipeline.recording import earlier_signatures
from indistinct.randomness import stream
from indistinct.recoding.linked.m_invariant import _Dealer
from indistinct.recoding.method import Earlier

PEOPLE = 160


def population(seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    ills = ["flu", "gout", "asthma", "cancer", "heart"]
    ages = random.integers(20, 80, PEOPLE)
    return ages, random.choice(ills, PEOPLE, p=[0.3, 0.25, 0.2, 0.15, 0.1])


def table(ids: Any, seed: int = 0) -> pl.DataFrame:
    ages, ills = population(seed)
    return pl.DataFrame({"who": [f"P{at}" for at in ids], "age": ages[ids], "ill": ills[ids]})


def policy(folder: Path, m: int = 3, **method: Any) -> dict[str, Any]:
    return {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "tau-safety", "m": m, "sensitive": "ill"},
            {"model": "k-anonymity", "k": 4},
        ],
        "method": {"algorithm": "m-invariant", "seed": 1, "max_noise": 0.9, **method},
        "ledger": {"path": str(folder / "ledger")},
    }


def years(random: np.random.Generator, number: int, turnover: int) -> list[Any]:
    """Who is in the table in each year: some leave, some come, some come back."""
    ids, found = np.arange(60), []
    for _ in range(number):
        found.append(np.sort(ids))
        gone = random.choice(ids, turnover, replace=False)
        away = np.setdiff1d(np.arange(PEOPLE), ids)
        come = random.choice(away, turnover, replace=False)
        ids = np.concatenate([np.setdiff1d(ids, gone), come])
    return found


@settings(max_examples=8)
@given(st.integers(0, 99), st.integers(0, 30), st.integers(2, 4))
def test_nobody_believes_more_than_one_in_m_whoever_comes_and_goes(
    tmp_path_factory: pytest.TempPathFactory, seed: int, turnover: int, m: int
) -> None:
    folder = tmp_path_factory.mktemp("years")
    random = np.random.default_rng(seed)
    for number, ids in enumerate(years(random, 4, turnover)):
        release = ind.anonymize(table(ids), policy(folder, m))
        assert ind.audit(release).holds
        assert release.run.to_dict()["suppressed"] == 0
        release.write(folder / str(number))
        found = ind.check_ledger(folder / "ledger").to_dict()
        assert found["holds"]
        assert found["attributes"][0]["bound"] <= 1 / m + 1e-9


def test_releases_made_by_themselves_give_people_away(tmp_path: Path) -> None:
    for number, ids in enumerate(years(np.random.default_rng(1), 3, 12)):
        alone = policy(tmp_path)
        alone["ledger"]["conflict"] = "warn"
        alone["promises"] = [{"model": "distinct-l-diversity", "l": 3, "sensitive": "ill"}]
        alone["method"] = {"algorithm": "anatomy"}
        ind.anonymize(table(ids), alone).write(tmp_path / str(number))
    found = ind.check_ledger(tmp_path / "ledger").to_dict()["attributes"][0]
    assert found["certain"] > 10
    assert found["worst_alone"] == pytest.approx(1 / 3)


def test_new_people_take_the_place_of_those_who_left(tmp_path: Path) -> None:
    ages, ills = population(0)
    del ages
    first = np.arange(60)
    ind.anonymize(table(first), policy(tmp_path)).write(tmp_path / "one")
    left = 5
    same = next(at for at in range(60, PEOPLE) if ills[at] == ills[left])
    second = np.append(np.delete(first, left), same)
    release = ind.anonymize(table(second), policy(tmp_path, max_noise=0))
    assert release.run.to_dict()["added"]["noise"] == 0


def test_counterfeits_are_limited_and_waiting_comes_before_them(tmp_path: Path) -> None:
    ind.anonymize(table(np.arange(60)), policy(tmp_path)).write(tmp_path / "one")
    fewer = table(np.arange(3, 60))
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.anonymize(fewer, policy(tmp_path, max_noise=0))
    (problem,) = caught.value.problems
    assert problem.code == "too-many-counterfeits"
    assert "max_noise = 3" in str(problem.remedy)
    share = float(str(problem.remedy).rsplit("= ", 1)[1])
    told = ind.anonymize(fewer, policy(tmp_path, max_noise=0, suppression_limit=share))
    assert told.run.to_dict()["added"]["noise"] == 0
    made = ind.anonymize(fewer, policy(tmp_path, max_noise=3)).run.to_dict()
    assert (made["added"]["noise"], made["suppressed"]) == (3, 0)
    waited = ind.anonymize(fewer, policy(tmp_path, max_noise=0, suppression_limit=0.2))
    run = waited.run.to_dict()
    assert run["added"]["noise"] == 0
    assert 0 < run["people"]["suppressed"] <= 11
    assert any("wait for a later release" in text for text in waited.warnings)
    assert ind.audit(waited).holds


def test_made_up_people_stay_as_they_are_as_long_as_nobody_comes_or_goes(tmp_path: Path) -> None:
    asked = policy(tmp_path)
    del asked["method"]["seed"]
    asked["promises"] = asked["promises"][:1]
    rows = []
    for number, ids in enumerate((np.arange(60), np.arange(12, 60), np.arange(12, 60))):
        release = ind.anonymize(table(ids), asked)
        rows.append(sorted(release.tables["quasi"]["age"].to_list()))
        release.write(tmp_path / str(number), report=False)
    assert release.run.to_dict()["added"]["noise"] > 3
    assert rows[1] == rows[2] != sorted(map(str, table(np.arange(12, 60))["age"]))


def test_who_has_another_value_than_before_waits(tmp_path: Path) -> None:
    asked = policy(tmp_path, 2)
    data = table(np.arange(60))
    ind.anonymize(data, asked).write(tmp_path / "one")
    changed = data.with_columns(
        ill=pl.when(pl.col("who") == "P7").then(pl.lit("measles")).otherwise("ill")
    )
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.anonymize(changed, asked)
    assert caught.value.problems[0].code == "changed-values"
    waits = ind.anonymize(changed, policy(tmp_path, 2, suppression_limit=0.05))
    assert waits.run.to_dict()["people"]["suppressed"] >= 1
    assert "measles" not in waits.tables["sensitive"].to_series().to_list()


def test_values_that_nobody_has_any_more_are_still_listed(tmp_path: Path) -> None:
    data = table(np.arange(60))
    ind.anonymize(data, policy(tmp_path)).write(tmp_path / "one")
    gone = data.filter(pl.col("ill") != "heart")
    release = ind.anonymize(gone, policy(tmp_path))
    assert "heart" in set(release.tables["sensitive"]["ill"])
    assert ind.audit(release).holds


def test_people_with_several_values_need_an_order(tmp_path: Path) -> None:
    data = pl.concat([table(np.arange(60)), table(np.arange(60), seed=5)])
    data = data.with_columns(age=pl.lit(30))
    with pytest.raises(ind.PolicyError) as caught:
        ind.anonymize(data, policy(tmp_path))
    assert caught.value.problems[0].code == "several-values"
    asked = policy(tmp_path, 2)
    groups = {"low": ["flu", "gout"], "middle": ["asthma"], "high": ["cancer", "heart"]}
    asked["attributes"]["ill"]["categories"] = {"table": groups, "order": list(groups)}
    for name in ("one", "two"):
        release = ind.anonymize(data, asked)
        assert ind.audit(release).holds
        release.write(tmp_path / name)
    assert ind.check_ledger(tmp_path / "ledger").holds


def test_who_waits_tells_what_they_have_and_readers_are_told(tmp_path: Path) -> None:
    """Only worlds fit in which those who wait have the value that was too frequent."""
    waiting: dict[tuple[Any, ...], set[str]] = {}
    for world in product(range(3), repeat=6):
        code = np.array(world, np.int32)
        dealer = _Dealer(code, 3, 2, stream(1, "m-invariant.dealing"), may_wait=2)
        found = dealer.dealt(np.ones(6, np.bool_), np.full(6, -1), [])
        if len(found.waiting) == 2 and not found.made_up:
            listed = sorted(
                "".join(sorted("xyz"[at] for at in code[found.bucket_of == bucket]))
                for bucket in range(found.buckets)
            )
            theirs = "".join(sorted("xyz"[code[at]] for at in found.waiting))
            waiting.setdefault(tuple(listed), set()).add(theirs)
    assert waiting["xy", "xz"] == {"xx"}
    seen = policy(tmp_path, 2, suppression_limit=0.5, max_noise=0)
    seen["promises"] = seen["promises"][:1]
    six = pl.DataFrame({"who": list("abcdef"), "age": [*range(30, 36)], "ill": list("xxxxyz")})
    release = ind.anonymize(six, seen)
    assert release.run.to_dict()["people"]["suppressed"] == 2
    assert any("who was put together and who left out" in w for w in release.certificate.warnings)
    assert any("may conclude their value" in w for w in release.warnings)


def test_the_composition_attacker_learns_nothing_from_releases_that_keep_their_values(
    tmp_path: Path,
) -> None:
    found = {}
    for way in ("series", "alone"):
        keys = policy(tmp_path / way)
        del keys["promises"][1]  # everybody is known by the exact age
        if way == "alone":
            keys["promises"] = [{"model": "distinct-l-diversity", "l": 3, "sensitive": "ill"}]
            keys["method"] = {"algorithm": "anatomy"}
            del keys["ledger"]
        out = [tmp_path / way / year for year in "12"]
        for folder, new in zip(out, ([], range(60, 72)), strict=True):
            ids = np.array([*range(60), *new])
            exact = table(ids).with_columns(age=pl.Series(ids))
            ind.anonymize(exact, keys).write(folder, report=False)
        keys.pop("ledger", None)
        people = table(np.arange(60)).with_columns(age=pl.int_range(60))
        attacks = ind.attack(people, out[0], keys, second=out[1:], only=["composition"])
        found[way] = attacks["composition"]
    assert found["series"].figures["in_both"] == found["alone"].figures["in_both"] == 1
    assert found["series"].success["0.5"] == 0
    assert found["series"].figures["possible_in_both"] == 3
    assert found["alone"].success["0.5"] > 0.2


THETA = {"model": "theta-sensitive", "k": 3, "sensitive": "ill"}


def visits(ids: Any) -> tuple[pl.DataFrame, dict[str, Any]]:
    """One to three records of everybody, and the order of their categories."""
    who = [at for at in ids for _ in range(1 + at % 3)]
    ills = [f"i{(at * 7 + turn * 5) % 10}" for at in ids for turn in range(1 + at % 3)]
    table = pl.DataFrame({"who": [f"P{at}" for at in who], "ill": ills})
    groups = {name: [f"i{2 * at}", f"i{2 * at + 1}"] for at, name in enumerate("abcde")}
    ages = pl.Series("age", [20 + at % 60 for at in who])
    return table.with_columns(ages), {"table": groups, "order": list(groups)}


def test_theta_star_year_after_year(tmp_path: Path) -> None:
    """Buckets keep their categories; made-up people are in both tables, and stay as they were."""
    asked = policy(tmp_path, 2)
    asked["promises"] = [asked["promises"][0], THETA]
    rows: list[list[str]] = []
    for number, ids in enumerate((range(60), range(2, 60), range(2, 60))):
        data, asked["attributes"]["ill"]["categories"] = visits(ids)
        release = ind.anonymize(data, asked)
        assert ind.audit(release).holds
        quasi, listed = release.tables["quasi"], release.tables["sensitive"]
        assert sorted(quasi["bucket"]) == sorted(listed["bucket"])
        assert quasi.height == len(ids) + release.run.to_dict()["added"]["noise"]
        rows.append(sorted(quasi["age"].to_list()))
        release.write(tmp_path / str(number), report=False)
    assert release.run.to_dict()["added"]["noise"] > 0
    assert rows[1] == rows[2]
    (found,) = ind.check_ledger(tmp_path / "ledger").to_dict()["attributes"]
    assert found["bound"] == pytest.approx(1 / 3)


def test_buckets_that_list_a_category_twice_tell_more_together_than_each_of_them() -> None:
    low, high = 0, 1
    lists = {bucket: {low: 2, high: 1} for bucket in range(4)}
    found = worlds({0: [0, 1, 2], 1: [3, 4, 5], 2: [0, 3, 4], 3: [1, 2, 5]}, lists)
    assert found[0][low] == pytest.approx(4 / 5)


def test_promises_that_the_buckets_do_not_keep_are_refused(tmp_path: Path) -> None:
    data, order = visits(range(60))
    codes = {}
    asked = policy(tmp_path, 2)
    asked["attributes"]["ill"]["categories"] = order
    series = asked["promises"][0]
    for name, m, more, algorithm in (
        ("dealt", 2, THETA, "theta-star"),
        ("few", 6, None, "m-invariant"),
        ("close", 2, {"model": "t-closeness", "t": 0.01, "sensitive": "ill"}, "m-invariant"),
        ("first", 2, None, "m-invariant"),
        ("later", 3, None, "m-invariant"),
    ):
        asked["promises"] = [series | {"m": m}, *([more] if more else [])]
        asked["method"] = {"algorithm": algorithm, "seed": 1}
        try:
            ind.anonymize(data, asked).write(tmp_path / name, report=False)
        except (ind.Unsatisfiable, ind.PolicyError) as error:
            codes[name] = error.problems[0].code
    assert codes == {
        "dealt": "series-dealt-anew",
        "few": "too-few-values",
        "close": "unsatisfiable",
        "later": "unsatisfiable",
    }


def test_only_methods_that_go_on_from_earlier_releases_look_them_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def seen(private: PrivateTable) -> Earlier:
        looked.append(private.policy.method.algorithm)
        return earlier_signatures(private)

    monkeypatch.setattr(searching, "earlier_signatures", seen)
    asked = policy(tmp_path, m=2)
    bound = {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}
    ind.anonymize(
        table(np.arange(60)), asked | {"promises": [bound], "method": {"algorithm": "anatomy"}}
    )
    ind.anonymize(table(np.arange(60)), asked)
    assert looked == ["m-invariant"]
