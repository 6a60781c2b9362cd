"""A k for every sensitivity, end to end: ranks, chosen k, both modes, every engine."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.leakage.sensitivity_ranks import falling_ks
from indistinct.errors import DataError, IndistinctError, PolicyError

ILLS = ("influenza", "asthma", "hepatitis", "HIV")
RANKS = {"influenza": 4, "asthma": 3, "hepatitis": 2, "HIV": 1}
KS = {"1": 12, "2": 8, "3": 5, "4": 3}
QUASI = ("age", "sex", "zip")


def patients(n: int = 600, seed: int = 5) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    ill = random.choice(ILLS, n, p=[0.5, 0.3, 0.15, 0.05])
    return pl.DataFrame(
        {
            "age": random.integers(18, 90, n),
            "sex": random.choice(["f", "m"], n),
            "zip": [f"{value:05d}" for value in 52000 + random.integers(0, 20, n) ** 2],
            "ill": ill,
            "home": [
                "N" if random.random() < {"HIV": 0.9, "hepatitis": 0.4}.get(one, 0.05) else "Y"
                for one in ill.tolist()
            ],
        }
    )


def policy(
    ranks: object = None, promised: dict[str, Any] | None = None, **changes: Any
) -> ind.Policy:
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
            "ill": {"role": "sensitive", "ranks": ranks or {"table": RANKS}},
            "home": {"role": "identifier"},
        },
        "promises": [{"model": "knm-anonymity", "k": KS} | (promised or {})],
        "method": {"algorithm": "knm", "suppression_limit": 0.05},
    }
    return ind.Policy.from_dict(keys | changes, directory=changes.pop("directory", "."))


def smallest(released: pl.DataFrame) -> dict[str, int]:
    """By hand: the smallest class that has each illness."""
    sizes = released.with_columns(pl.len().over(QUASI).alias("size"))
    return dict(sizes.group_by("ill").agg(pl.col("size").min()).iter_rows())


def assert_kept(released: pl.DataFrame, ks: dict[str, int] = KS) -> None:
    for ill, size in smallest(released).items():
        assert size >= ks[str(RANKS[ill])]


# Both modes


def test_joint_keeps_the_k_of_every_rank(tmp_path: Path) -> None:
    found = ind.anonymize(patients(), policy())
    assert_kept(found.tables)
    (item,) = found.certificate.promises
    assert item["parameters"] == {"k": KS, "count": "class", "diversity": 2}
    assert {f"k_{rank}" for rank in KS} | {"diversity"} == set(item["achieved"])
    again = ind.audit(found.write(tmp_path / "release"))
    assert again.holds
    document = json.loads((tmp_path / "release" / "certificate.json").read_text())
    assert dict(document["sensitive"]["ill"]["ranks"]) == RANKS
    # What only the table tells does not stand in the release's public part.
    assert "elbow" not in json.dumps(document)


def test_split_is_refused_with_figures_and_made_if_accepted() -> None:
    plain = {"diversity": False}
    method = {"algorithm": "knm", "mode": "split", "suppression_limit": 0.1}
    with pytest.raises(PolicyError) as caught:
        ind.anonymize(patients(), policy(promised=plain, method=method))
    assert caught.value.exit_code == 2
    text = str(caught.value)
    assert "one rank for 100%" in text
    assert 'mode = "joint"' in text
    assert "accept_unsafe" in text
    found = ind.anonymize(
        patients(), policy(promised=plain, method={**method, "accept_unsafe": True})
    )
    assert_kept(found.tables)
    assert found.private["leak.json"]["sensitive"] == "ill"
    parts = found.run.to_dict()["plan"]["splits"]
    assert [part["ranks"] for part in parts] == [[1], [2], [3], [4]]
    document = found.private["plan.json"]
    assert [part["k"] for part in document["splits"]] == [12, 8, 5, 3]
    for part in document["splits"]:
        assert set(part["published"]) == set(QUASI)


KS_OF_TWO = {"1": 2, "2": 2, "3": 2, "4": 2}
RANKED = pl.DataFrame(
    {
        "age": [20, 20, 30, 30, 40, 40, 50, 50] * 2,
        "ill": ["HIV", "HIV", "cough", "cough"] * 4,
        "home": ["N", "N", "Y", "Y"] * 4,
    }
)
"""People of one age have one rank, so that a joint release is the same as a split one."""


@pytest.mark.parametrize("mode", ["joint", "split"])
@pytest.mark.parametrize("home", ["identifier", "insensitive"])
def test_what_is_measured_decides_and_not_the_mode(mode: str, home: str) -> None:
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "ranks": {"dependent": "home", "harmful": ["N"]}},
            "home": {"role": home},
        },
        "promises": [{"model": "knm-anonymity", "k": KS_OF_TWO, "diversity": False}],
        "method": {"algorithm": "knm", "mode": mode, "suppression_limit": 0},
    }
    with pytest.raises(PolicyError, match="one rank for 100%") as caught:
        ind.anonymize(RANKED, keys)
    assert [item.code for item in caught.value.problems] == ["ranks-given-away"]
    keys["method"]["accept_unsafe"] = True
    found = ind.anonymize(RANKED, keys)
    assert found.private["leak.json"]["telling"] == 1
    assert any("how sensitive some values are" in text for text in found.warnings)
    follows = [text for text in found.warnings if "follow from it" in text]
    assert bool(follows) == (home == "insensitive")
    attacked = ind.attack(RANKED, found, keys, only=["rank-disclosure"])["rank-disclosure"]
    assert attacked.success["certain"] == 1
    assert attacked.prior["certain"] == 0
    assert attacked.figures["one_rank_classes"] == 4


@pytest.mark.parametrize("ranks", [{"table": RANKS}, {"dependent": "home", "harmful": ["N"]}])
def test_a_published_column_that_ranks_follow_from_is_measured(ranks: dict[str, Any]) -> None:
    asked = policy(ranks, {"k": dict.fromkeys(KS, 3)}).to_dict()
    table = patients().with_columns(
        group=pl.col("ill").replace_strict(RANKS), chance=pl.int_range(pl.len()) % 7
    )
    for name, role in (("group", "sensitive"), ("chance", "insensitive"), ("home", "insensitive")):
        asked["attributes"][name] = {"role": role}
    told = [text for text in ind.anonymize(table, asked).warnings if "follow from it" in text]
    assert all("'chance'" not in text and "'home'" not in text for text in told)
    assert (
        any("'group' is published" in text and "100%" in text for text in told)
        or "dependent" in ranks
    )
    asked["attributes"]["group"] = {"role": "identifier"}
    assert not any("follow from it" in text for text in ind.anonymize(table, asked).warnings)


def rows_of(ranks: list[int], **columns: Any) -> pl.DataFrame:
    """People with an illness of each rank: of two, in turn, so that no value is certain."""
    ill = [f"ill {rank} {at % 2}" for at, rank in enumerate(ranks)]
    return pl.DataFrame({"ill": ill, **columns})


def by_rank(table: pl.DataFrame, **roles: Any) -> dict[str, Any]:
    """A policy for :func:`rows_of`, in which everything else has one class."""
    ranks = {one: int(one.split()[1]) for one in table["ill"].unique()}
    return {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "ranks": {"table": ranks}},
            **roles,
        },
        "promises": [{"model": "knm-anonymity", "k": KS_OF_TWO, "diversity": 2}],
        "method": {"algorithm": "knm", "suppression_limit": 0},
    }


@pytest.mark.parametrize(("others", "told"), [(1, True), (2, False)])
def test_a_class_of_nearly_one_rank_tells_it(others: int, told: bool) -> None:
    """Of 20 people 19 have one rank: whoever is in the class has it with 95 %."""
    ranks = [1] * (20 - others) + [4] * others + [1, 2, 3, 4] * 20
    table = rows_of(ranks, age=[20] * 20 + [30] * 80)
    found = ind.anonymize(table, by_rank(table))
    assert (found.private["leak.json"]["telling"] == 0.2) == told
    said = "one rank for 20.0% (in 95% of the class or more)"
    assert any(said in text for text in found.warnings) == told
    few = table.head(20).vstack(table.tail(4))
    if told:
        with pytest.raises(PolicyError, match="one rank for 83"):
            ind.anonymize(few, by_rank(few))
    else:
        assert ind.anonymize(few, by_rank(few)).private["leak.json"]["telling"] == 0


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"ward": "insensitive", "drug": "insensitive"}, "'ward' and 'drug' are published"),
        ({"ward": "insensitive", "drug": "identifier"}, ""),
        ({"bed": "insensitive"}, "'bed' is published"),
        ({"bed": "mask"}, "'bed' is published"),
    ],
)
def test_two_columns_and_masked_identifiers_may_tell_ranks(
    roles: dict[str, str], said: str
) -> None:
    """Ward and drug each have every rank, and together one; the bed begins with the rank."""
    numbers = range(160)
    ranks = [(at % 4 + at // 4 % 4) % 4 + 1 for at in numbers]
    columns = {
        "ward": [f"w{at % 4}" for at in numbers],
        "drug": [f"d{at // 4 % 4}" for at in numbers],
        "bed": [f"{rank}-{at:03}" for at, rank in zip(numbers, ranks, strict=True)],
    }
    table = rows_of(ranks, age=[20] * 160, **{name: columns[name] for name in roles})
    mask = {"role": "identifier", "transform": {"mask": {"keep": 1}}}
    keys = {name: mask if role == "mask" else {"role": role} for name, role in roles.items()}
    found = ind.anonymize(table, by_rank(table, **keys))
    told = [text for text in found.warnings if "the ranks of 'ill' follow from" in text]
    assert len(told) == bool(said)
    assert all(text.startswith(said) and "100%" in text for text in told)


def told_of_ranks(**columns: Any) -> list[str]:
    """Warnings that ranks follow from columns beside 400 people with ranks 1, 2, 3, 4 in turn."""
    table = rows_of([at % 4 + 1 for at in range(400)], age=[20] * 400, **columns)
    found = ind.anonymize(
        table, by_rank(table, **{name: {"role": "insensitive"} for name in columns})
    )
    return [text for text in found.warnings if "the ranks of 'ill' follow from" in text]


YEARS = [date(2024 + at % 4, 1, 1) + timedelta(at // 2) for at in range(400)]


@pytest.mark.parametrize(
    "values",
    [
        [1000 * (at % 4) + at for at in range(400)],
        [0.25 + 1000 * (at % 4) + at for at in range(400)],
        [f"{day:%d.%m.%Y}" for day in YEARS],
        YEARS,
        [f"{'KLMN'[at % 4]}{at:03}" for at in range(400)],
    ],
    ids=["whole numbers", "numbers", "written dates", "dates", "codes"],
)
def test_ranges_of_a_column_may_tell_ranks(values: list[Any]) -> None:
    """No two people have the same costs, and who has higher ones is iller."""
    (told,) = told_of_ranks(cost=values)
    assert "'cost' is published, and the ranks of 'ill' follow from it" in told


def test_ranges_of_two_columns_may_tell_ranks() -> None:
    """Which half two numbers are in tells the rank; neither tells it alone."""
    first = [at % 2 * 1000 + at for at in range(400)]
    second = [at // 2 % 2 * 1000 + at * 7 % 400 for at in range(400)]
    parted = [at * 37 % 400 for at in range(400)]
    (told,) = told_of_ranks(first=first, second=second, parted=parted)
    assert told.startswith("'first' and 'second' are published")


def test_numbers_that_have_nothing_to_do_with_ranks_tell_none() -> None:
    drawn = np.random.default_rng(3)
    columns = {f"c{at}": drawn.normal(size=400) for at in range(12)}
    assert told_of_ranks(**columns) == []


def test_columns_of_lists_have_no_values_that_ranks_follow_from() -> None:
    table = rows_of([1, 2, 3, 4] * 5, age=[20] * 20, visits=[["a"], ["b"]] * 10)
    asked = by_rank(table, visits={"role": "insensitive"}) | {"output": {"format": "parquet"}}
    assert ind.anonymize(table, asked).certificate.promises[0]["holds"]


def test_ranks_that_are_told_of_people_with_several_values() -> None:
    twice = pl.concat([RANKED.with_columns(who=pl.int_range(pl.len()).cast(pl.String))] * 2)
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "ranks": {"table": {"HIV": 1, "cough": 4}}},
            "home": {"role": "identifier"},
        },
        "promises": [{"model": "knm-anonymity", "k": KS_OF_TWO, "diversity": False}],
        "method": {"suppression_limit": 0},
    }
    with pytest.raises(PolicyError, match="how sensitive people's values are"):
        ind.anonymize(twice, keys)
    keys["method"]["accept_unsafe"] = True
    found = ind.anonymize(twice, keys)
    assert found.private["leak.json"]["told_right"] == 1
    attacked = ind.attack(twice, found, keys, only=["rank-disclosure"])["rank-disclosure"]
    assert attacked.success["certain"] == 1


def test_splits_of_few_records_are_pooled_and_nobody_is_dropped() -> None:
    table = patients().filter((pl.col("ill") != "HIV") | (pl.int_range(pl.len()) < 60))
    rare = table.filter(pl.col("ill") == "HIV").height
    assert 0 < rare < 12
    method = {"algorithm": "knm", "mode": "split", "accept_unsafe": True}
    found = ind.anonymize(table, policy(promised={"diversity": False}, method=method))
    parts = found.run.to_dict()["plan"]["splits"]
    assert [part["ranks"] for part in parts] == [[1, 2], [3], [4]]
    assert parts[0]["k"] == 12
    assert found.tables.height == table.height
    assert_kept(found.tables)


def test_one_split_is_a_release_of_all_and_asks_for_nothing() -> None:
    table = patients().filter(pl.col("ill") == "asthma")
    method = {"algorithm": "knm", "mode": "split", "suppression_limit": 0.1}
    found = ind.anonymize(table, policy(promised={"diversity": False}, method=method))
    assert found.private["leak.json"]["telling"] == 0
    assert not any("how sensitive" in text for text in found.warnings)
    assert_kept(found.tables)


def test_both_modes_go_with_other_promises() -> None:
    close = {"model": "t-closeness", "t": 0.3, "sensitive": "ill"}
    asked = policy().to_dict()
    asked["promises"].append(close)
    found = ind.anonymize(patients(), asked)
    assert found.certificate.promises[1]["achieved"]["t"] <= 0.3
    assert_kept(found.tables)
    asked["promises"] = [
        {"model": "knm-anonymity", "k": KS, "diversity": False, "sensitive": "ill"},
        {**close, "t": 0.96},
        {"model": "k-anonymity", "k": 4, "on": ["age", "zip"]},
    ]
    asked["method"] |= {"mode": "split", "accept_unsafe": True, "suppression_limit": 0.3}
    found = ind.anonymize(patients(), asked)
    assert found.certificate.promises[1]["achieved"]["t"] <= 0.96
    asked["promises"][1]["t"] = 0.1
    with pytest.raises(ind.Unsatisfiable, match="the split of rank 1"):
        ind.anonymize(patients(), asked)


@pytest.mark.parametrize("algorithm", ["optimal", "heuristic", "mondrian", "k-member", "iab"])
def test_every_algorithm_can_keep_it(algorithm: str) -> None:
    method: dict[str, Any] = {"algorithm": algorithm}
    if algorithm != "iab":
        method["suppression_limit"] = 0.05
    if algorithm == "heuristic":
        method["node_limit"] = 200
    found = ind.anonymize(patients(200), policy(method=method))
    assert_kept(found.tables)


def test_records_suppressed_before_stay_out() -> None:
    table = patients().with_columns(
        pl.when(pl.int_range(pl.len()) < 7).then(pl.lit("*")).otherwise(pl.col(name)).alias(name)
        for name in QUASI
    )
    uncovered = policy(promised={"diversity": False}).to_dict()
    for name in QUASI:
        uncovered["attributes"][name]["uncovered"] = "suppress"
    uncovered["attributes"]["age"]["hierarchy"] = {"mask": {"from": "right"}}
    uncovered["method"] |= {"mode": "split", "accept_unsafe": True, "suppression_limit": 0.2}
    found = ind.anonymize(table, uncovered)
    assert not (found.tables["age"] == "*").any() or found.tables["sex"].str.contains("f|m").any()
    assert_kept(found.tables)


@pytest.mark.parametrize("mode", ["joint", "split"])
def test_engines_give_the_same(mode: str) -> None:
    method = {"algorithm": "knm", "mode": mode, "suppression_limit": 0.1, "seed": 1}
    if mode == "split":
        method["accept_unsafe"] = True
    promised = {"k": "elbow", "diversity": False}
    asked = policy(promised=promised, method=method, risk={"k_range": [2, 10]})
    table = patients()
    expected = ind.anonymize(table, asked)
    with duckdb.connect() as connection:
        connection.register("people", table)
        relation = connection.table("people")
        found = ind.anonymize(relation, asked)
        rows = found.tables.pl()
    assert found.certificate.promises == expected.certificate.promises
    columns = expected.tables.columns
    assert rows.sort(columns).rows() == expected.tables.sort(columns).rows()


# The k that is chosen


def test_the_k_of_every_rank_is_chosen_and_falls() -> None:
    promised = {"k": "elbow"}
    found = ind.anonymize(patients(), policy(promised=promised, risk={"k_range": [2, 12]}))
    (item,) = found.certificate.promises
    ks = {int(rank): k for rank, k in item["parameters"]["k"].items()}
    assert list(ks) == [1, 2, 3, 4]
    assert ks == falling_ks(ks)
    document = found.private["elbow.json"]["ill"]
    assert document["k_range"] == [2, 12]
    for rank, part in document["ranks"].items():
        assert part["k"] == ks[int(rank)]
        assert part["elbow"]["k"] <= part["k"]
        for curve in part["elbow"]["curves"].values():
            assert len(curve["d"]) == len(part["curve"]["points"])
    (told,) = [text for text in found.warnings if "was chosen" in text]
    public = " ".join(found.certificate.warnings)
    said = "'ill': the k of the ranks and the figures of diversity of knm-anonymity are"
    assert said in public
    assert "k = 2 to 12" in told
    raised = {rank: part["elbow"]["k"] for rank, part in document["ranks"].items()}
    assert ("raised" in told) == any(raised[str(rank)] < k for rank, k in ks.items())


def test_a_k_beyond_the_records_of_a_rank_is_skipped() -> None:
    table = patients().filter((pl.col("ill") != "HIV") | (pl.int_range(pl.len()) < 60))
    rare = table.filter(pl.col("ill") == "HIV").height
    promised = {"k": "elbow", "diversity": False}
    found = ind.anonymize(table, policy(promised=promised, risk={"k_range": [2, 12]}))
    critical = found.private["elbow.json"]["ill"]["ranks"]["1"]
    assert set(range(rare + 1, 13)) <= set(critical["curve"]["skipped"])
    alone = table.filter((pl.col("ill") != "HIV") | pl.Series([True] * table.height))
    one = pl.concat([table.filter(pl.col("ill") != "HIV"), alone.filter(ill="HIV").head(1)])
    found = ind.anonymize(one, policy(promised=promised, risk={"k_range": [2, 12]}))
    assert found.private["elbow.json"]["ill"]["ranks"]["1"]["elbow"] is None
    assert any("for rank 1 no release can be made" in text for text in found.warnings)


def test_the_risk_of_releases_with_a_chosen_k() -> None:
    asked = policy(promised={"k": "elbow"}, risk={"k_range": [2, 6]})
    found = ind.risk(patients(), asked)
    assert found.curve is not None
    assert found.curve.of == "releases"


# Ranks


def test_ranks_from_a_dependent_attribute() -> None:
    ranks = {"dependent": "home", "harmful": ["N"]}
    found = ind.anonymize(patients(), policy(ranks))
    known = dict(found.certificate.to_dict()["sensitive"]["ill"]["ranks"])
    assert known["HIV"] == 1
    assert known["influenza"] == known["asthma"] == 4
    with pytest.raises(DataError, match="count 'dead' as harmful, which does not occur"):
        ind.anonymize(patients(), policy({"dependent": "home", "harmful": "dead"}))


def test_ranks_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "deaths.csv"
    file.write_text('cause,deaths\nHIV,"90,000"\nhepatitis,50000\nasthma,30000\ninfluenza,100\n')
    ranks = {"file": str(file), "score": "deaths"}
    found = ind.anonymize(patients(), policy(ranks))
    known = dict(found.certificate.to_dict()["sensitive"]["ill"]["ranks"])
    assert known == {"HIV": 1, "hepatitis": 2, "asthma": 3, "influenza": 4}
    with pytest.raises(DataError, match="no column 'death': did you mean 'deaths'"):
        ind.anonymize(patients(), policy({**ranks, "score": "death"}))
    file.write_text("cause,deaths\nHIV,many\nHIV,3\nasthma,30000\n")
    with pytest.raises(DataError) as caught:
        ind.anonymize(patients(), policy(ranks))
    assert {problem.code for problem in caught.value.problems} == {"no-number", "value-twice"}


def test_a_value_without_rank_is_told_by_row_and_never_by_name() -> None:
    known = {name: rank for name, rank in RANKS.items() if name != "HIV"}
    with pytest.raises(DataError) as caught:
        ind.anonymize(patients(), policy({"table": known}))
    (problem,) = caught.value.problems
    assert problem.code == "value-without-rank"
    assert "HIV" not in str(problem)
    first = patients()["ill"].to_list().index("HIV") + 1
    assert problem.rows[0] == first
    found = ind.anonymize(patients(), policy({"table": known, "unknown": "critical"}))
    ranks = dict(found.certificate.to_dict()["sensitive"]["ill"]["ranks"])
    assert ranks["HIV"] == 1


def test_missing_values_have_a_rank_of_their_own() -> None:
    table = patients().with_columns(
        pl.when(pl.int_range(pl.len()) % 40 > 0).then(pl.col("ill")).alias("ill")
    )
    with pytest.raises(DataError, match="missing values"):
        ind.anonymize(table, policy())
    found = ind.anonymize(table, policy({"table": RANKS, "missing": 3}))
    ranks = dict(found.certificate.to_dict()["sensitive"]["ill"]["ranks"])
    assert ranks[None] == 3


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"ranks": {"cuts": [0.7, 0.5, 0.2]}}, "needs one of 'table', 'dependent' and 'file'"),
    ({"ranks": {"table": {"HIV": 5}}}, "attributes.ill.ranks.table.HIV: must be at most 4"),
    ({"ranks": {"table": {"HIV": 1}, "file": "x.csv", "score": "y"}}, "not table and file"),
    ({"ranks": {"dependent": "home"}}, "'dependent' needs 'harmful' too"),
    ({"ranks": {"file": "x.csv"}}, "'file' needs 'score' too"),
    ({"ranks": {"table": {"HIV": 1}, "score": "y"}}, "only with 'file'"),
    ({"ranks": {"dependent": "house", "harmful": "N"}}, "did you mean 'home'"),
    ({"ranks": {"dependent": "ill", "harmful": "N"}}, "names 'ill' itself"),
    (
        {"ranks": {"dependent": "home", "harmful": "N", "cuts": [0.2, 0.5, 0.7]}},
        "must be three shares that fall",
    ),
    (
        {"method": {"mode": "split", "algorithm": "mondrian"}},
        "method.mode: is a setting of knm, optimal, not of 'mondrian'",
    ),
    (
        {
            "method": {"algorithm": "mondrian", "accept_unsafe": True},
            "promises": [{"model": "k-anonymity", "k": 2}],
        },
        "method.accept_unsafe: has no effect without a promise",
    ),
    ({"promises": [{"model": "k-anonymity", "k": 2}]}, "'knm' works towards 'knm-anonymity'"),
    (
        {"method": {"algorithm": "knm", "mode": "split", "objective": "rows"}},
        "'split' makes it in parts",
    ),
    (
        {"method": {"algorithm": "knm", "mode": "split", "local_recoding": True}},
        "method.local_recoding: has no effect on 'knm'",
    ),
    ({"promised": {"k": {"5": 3}}}, "names ranks from 1 (critical) to 4 (low)"),
    ({"promised": {"k": {"1": 0}}}, "k of rank 1 of knm-anonymity must be a whole number"),
    ({"promised": {"k": "knee"}}, "or 'elbow'"),
]


@pytest.mark.parametrize(("changes", "text"), WRONG, ids=[text[:40] for _, text in WRONG])
def test_what_a_policy_cannot_say(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError) as caught:
        policy(**changes)
    assert text in str(caught.value)


def test_ranks_of_values_say_nothing_of_published_groups() -> None:
    asked = policy().to_dict()
    asked["source"] = {"person": "who"}
    asked["promises"].append({"model": "km-anonymity", "k": 2, "sensitive": "ill"})
    asked["attributes"]["ill"]["hierarchy"] = {"tree": {"*": list(ILLS)}}
    with pytest.raises(PolicyError, match="km-anonymity publishes groups") as caught:
        ind.anonymize(patients().with_row_index("who"), asked)
    assert [item.code for item in caught.value.problems] == ["beside-km-anonymity"]


def test_ranks_that_are_missing_are_asked_for() -> None:
    asked = policy().to_dict()
    del asked["attributes"]["ill"]["ranks"]
    for k in (KS, "elbow"):
        asked["promises"][0]["k"] = k
        with pytest.raises(PolicyError, match="needs the rank of every value"):
            ind.anonymize(patients(), asked)
    short = policy(promised={"k": {"1": 5, "4": 2}})
    with pytest.raises(PolicyError, match="no k for rank 2, 3"):
        ind.anonymize(patients(), short)


def test_a_policy_is_written_and_read_again() -> None:
    asked = policy(promised={"k": {1: 9, 4: 3, 2: 8, 3: 5}})
    again = ind.Policy.from_dict(asked.to_dict())
    assert again == asked
    assert asked.promises[0].parameters["k"] == {"1": 9, "4": 3, "2": 8, "3": 5}
    import tomllib

    assert ind.Policy.from_dict(tomllib.loads(asked.to_toml())) == asked


def test_what_deserves_a_second_look() -> None:
    rising = policy(promised={"k": {"1": 2, "2": 5, "3": 5, "4": 5}})
    assert any("k = 2 of rank 1 is below k = 5 of rank 2" in text for text in rising.warnings)


def test_an_audit_without_ranks_or_with_an_open_k_says_so(tmp_path: Path) -> None:
    found = ind.anonymize(patients(), policy(promised={"k": "elbow"}))
    with pytest.raises(IndistinctError, match="as a certificate tells it"):
        ind.audit(found.tables, policy(promised={"k": "elbow"}))
    promised = {"model": "knm-anonymity", "k": KS, "sensitive": "ill"}
    with pytest.raises(PolicyError, match="published values have no rank"):
        ind.audit(found.tables, promises=[promised], quasi=QUASI)
    assert ind.audit(found.write(tmp_path / "out")).holds


def test_an_audit_takes_ranks_from_the_policy_where_no_certificate_tells_them() -> None:
    found = ind.anonymize(patients(), policy())
    checked = ind.audit(found.tables, policy())
    assert checked.holds
    # The classes that the certificate tells of, and no smaller one.
    assert checked.promises[0].achieved == found.certificate.promises[0]["achieved"]
    harder = policy(promised={"k": {**KS, "1": 10_000}})
    assert not ind.audit(found.tables, harder).holds
    # Ranks that follow from outcomes in the source are not recomputed from a part of it.
    dependent = policy({"dependent": "home", "harmful": ["N"]})
    by_outcome = ind.anonymize(patients(), dependent)
    with pytest.raises(PolicyError, match="published values have no rank"):
        ind.audit(by_outcome.tables, dependent)


def test_an_audit_by_the_policy_takes_what_was_chosen_from_the_certificate(tmp_path: Path) -> None:
    asked = policy({"dependent": "home", "harmful": ["N"]}, {"k": "elbow"})
    found = ind.anonymize(patients(), asked)
    checked = ind.audit(found.write(tmp_path / "out"), asked)
    assert checked.holds
    (item,) = found.certificate.promises
    assert checked.to_dict()["promises"][0]["parameters"] == item["parameters"]


@pytest.mark.parametrize("algorithm", ["knm", "optimal", "heuristic", "mondrian", "k-member"])
def test_one_release_of_all_records_may_be_asked_for_by_name(algorithm: str) -> None:
    method = {"algorithm": algorithm, "mode": "joint", "suppression_limit": 0.05}
    assert_kept(ind.anonymize(patients(), policy(method=method)).tables)


def test_the_default_algorithm_splits_as_well() -> None:
    method = {"mode": "split", "suppression_limit": 0.05}
    apart = policy(promised={"diversity": False}, method=method)
    with pytest.raises(PolicyError, match="would disclose how sensitive"):
        ind.anonymize(patients(), apart)
    with pytest.raises(PolicyError, match="'split' goes by the ranks of a promise"):
        policy(method={"mode": "split"}, promises=[{"model": "k-anonymity", "k": 3}])


def test_people_whose_values_have_no_rank_are_refused() -> None:
    frame = pl.DataFrame(
        {"who": ["a", "a", "b", "c"], "age": ["1", "1", "2", "2"], "ill": ["x", "y", "x", "y"]}
    )
    policy = {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "knm-anonymity", "k": {"1": 2, "4": 2}, "sensitive": "ill"}],
        "method": {"algorithm": "optimal"},
    }
    with pytest.raises(PolicyError, match="rank"):
        ind.anonymize(frame, policy)


CODES = ["E11.9", "E10", "I10", "I25.1", "J45", "J18", "C50.9", "C34", "F32.1", "F20"]


@pytest.mark.parametrize(("level", "most"), [(None, 5), ("block", 9), ("category", 10)])
def test_categories_are_groups_of_a_code_system(level: str | None, most: int) -> None:
    system = {"code_system": "icd-10"} | ({} if level is None else {"level": level})
    table = pl.DataFrame({"age": [30] * 10 + [40] * 10, "ill": CODES * 2})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "categories": system},
        },
        "promises": [{"model": "p-plus-sensitive", "p": 3, "sensitive": "ill"}],
    }
    release = ind.anonymize(table, asked)
    assert ind.audit(release.tables, asked).holds
    (promise,) = release.certificate.promises
    assert promise["achieved"] == {"p": most}
    grouped = {"role": "sensitive", "transform": {"aggregate": system}}
    asked["attributes"]["ill"] = grouped
    asked["promises"] = [{"model": "p-sensitive", "p": 3, "sensitive": "ill"}]
    assert ind.anonymize(table, asked).tables["ill"].n_unique() == most


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"code_system": "icd10"}, "did you mean 'icd-10'?"),
        ({"code_system": "icd-10", "level": "blok"}, "did you mean 'block'?"),
        ({"level": "block"}, "there is no 'code_system'"),
        ({"code_system": "icd-10", "order": ["none"]}, "has no place for 5 of the groups"),
        ({"code_system": "atc"}, "have no category"),
    ],
)
def test_what_is_wrong_with_a_code_system_of_categories_is_told(given: Any, told: str) -> None:
    table = pl.DataFrame({"age": [30] * 10, "ill": CODES})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "categories": given},
        },
        "promises": [{"model": "p-plus-sensitive", "p": 2, "sensitive": "ill"}],
    }
    with pytest.raises(IndistinctError, match=re.escape(told)):
        ind.anonymize(table, asked)


@pytest.mark.parametrize("algorithm", [None, "optimal", "knm"])
def test_an_outcome_that_is_no_column_is_an_error_and_one_of_the_rest_is_found(
    algorithm: str | None,
) -> None:
    """With ``rest`` the table may have columns that the policy does not list, or may not."""
    keys: dict[str, Any] = {
        "rest": "drop",
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "ranks": {"dependent": "end", "harmful": ["dead"]}},
        },
        "promises": [{"model": "knm-anonymity", "sensitive": "ill", "k": dict.fromkeys("1234", 2)}],
    } | ({} if algorithm is None else {"method": {"algorithm": algorithm}})
    ills = {"sex": ["f", "m"] * 20, "ill": ["a", "b", "a", "b"] * 10}
    with pytest.raises(ind.DataError, match="no column 'end'"):
        ind.anonymize(pl.DataFrame(ills), keys)
    table = pl.DataFrame(ills | {"end": ["dead", "well", "well", "well"] * 10})
    assert ind.anonymize(table, keys).tables.columns == ["sex", "ill"]
    with pytest.raises(ind.PolicyError, match="no attribute 'end'"):
        ind.Policy.from_dict({key: value for key, value in keys.items() if key != "rest"})
