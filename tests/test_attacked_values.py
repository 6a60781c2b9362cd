"""What was done to values before a release, followed by those who attack it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind

PEOPLE = pl.DataFrame(
    {
        "age": [20 + at // 10 for at in range(80)],
        "sex": ["fm"[at % 2] for at in range(80)],
        "cost": [100 * (at // 10) + at % 10 for at in range(80)],
        "seen": [dt.date(2024, 1 + at // 10, 1 + at % 10) for at in range(80)],
    }
)
AGE = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 2}}}
SEX = {"role": "quasi-identifier"}
BELIEVERS = ["membership", "worst-posterior", "homogeneity"]


def policy(**attributes: Any) -> dict[str, Any]:
    left_out = {"role": "identifier"}
    return {
        "attributes": {"age": AGE, "sex": SEX, "cost": left_out, "seen": left_out, **attributes},
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"seed": 1, "suppression_limit": 0.1},
    }


def sensitive(transform: Any) -> dict[str, Any]:
    return {"role": "sensitive", "transform": transform}


SURE = [
    ("cost", {"round": 100}),
    ("cost", {"aggregate": {"thresholds": [50, 150, 250, 350, 450, 550, 650]}}),
    ("cost", {"aggregate": {"thresholds": [50, 150, 250, 350, 450, 550, 650], "show": "mean"}}),
    ("cost", {"aggregate": {"top": 99, "bottom": 98}}),
    ("cost", {"microaggregate": 10}),
    ("seen", {"round": "month"}),
    ("seen", {"mask": {"keep": 7}}),
]


@pytest.mark.parametrize(("name", "transform"), SURE)
def test_the_truth_goes_the_way_of_the_published_values(name: str, transform: Any) -> None:
    asked = policy(**{name: sensitive(transform)})
    found = ind.attack(PEOPLE, ind.anonymize(PEOPLE, asked), asked, only=BELIEVERS)
    assert found.skipped == ()
    for item in found.attacks:
        assert item.success["certain"] > 0.8, item.name


@pytest.mark.parametrize(
    ("name", "transform"),
    [("cost", {"noise": 5}), ("seen", {"shift": {"days": 30}})],
)
def test_what_cannot_be_followed_is_not_tried(name: str, transform: Any) -> None:
    asked = policy(**{name: sensitive(transform)})
    release = ind.anonymize(PEOPLE, asked)
    found = ind.attack(PEOPLE, release, asked)
    tried = {item.name for item in found.attacks if item.sensitive is not None}
    assert tried == {"proximity"}
    skipped = [item.to_dict() for item in found.skipped if item.name == "membership"]
    assert [(item["sensitive"], set(item)) for item in skipped] == [
        (name, {"name", "sensitive", "why"})
    ]
    assert "was moved at random" in skipped[0]["why"]
    told = f"Not looked at, as others cannot know what is published: {name}."
    assert found["unicity"].note.endswith(told)


def test_transformed_quasi_identifiers_are_known_as_published() -> None:
    asked = policy(age={**AGE, "transform": {"round": 5}}, cost={"role": "sensitive"})
    found = ind.attack(PEOPLE, ind.anonymize(PEOPLE, asked), asked, only=["record-linkage"])
    assert found.notes == ()
    assert found["record-linkage"].gain["max"] > 0.05


def test_moved_quasi_identifiers_are_not_looked_at() -> None:
    asked = policy(age={**AGE, "transform": {"noise": 1}}, cost={"role": "sensitive"})
    found = ind.attack(PEOPLE, ind.anonymize(PEOPLE, asked), asked, only=["record-linkage"])
    assert [note.split(":")[0] for note in found.notes] == ["'age' is not looked at"]
    asked["attributes"]["sex"] = {**SEX, "transform": "synthesize"}
    with pytest.raises(ind.DataError, match="no attacker can be tried") as caught:
        ind.attack(PEOPLE, ind.anonymize(PEOPLE, asked), asked)
    assert caught.value.problems[0].code == "nothing-to-follow"


def test_labels_of_nobody_are_no_zero() -> None:
    asked = policy(cost={"role": "sensitive"})
    release = PEOPLE.select("age", "sex", cost=pl.lit("about ") + pl.col("cost").cast(pl.String))
    found = ind.attack(PEOPLE, release, asked, only=BELIEVERS)
    assert found.attacks == ()
    assert {item.name for item in found.skipped} == set(BELIEVERS)
    assert all("80 published values are neither" in item.why for item in found.skipped)


def test_a_missing_value_that_nobody_has_is_no_zero() -> None:
    asked = policy(cost={"role": "sensitive"})
    release = PEOPLE.select("age", "sex", cost=pl.lit(None, pl.String))
    found = ind.attack(PEOPLE, release, asked, only=["membership"])
    assert found.attacks == ()


@pytest.mark.parametrize("tokens", [[], ["-1"]])
def test_missing_tokens_and_number_types_are_the_same_values(tokens: list[str]) -> None:
    asked = policy(cost={"role": "sensitive", "missing": {"tokens": tokens, "as": "value"}})
    table = PEOPLE.with_columns(cost=pl.col("cost") // 100 - 1)
    shown = table.select("age", "sex", "cost").cast(pl.String)
    floats = shown.with_columns(pl.col("age", "cost") + ".0")
    want = ind.attack(table, shown, asked, seed=1).to_dict()
    assert ind.attack(table, floats, asked, seed=1).to_dict() == want
    assert ind.attack(table.cast({"age": pl.Float64}), shown, asked, seed=1).to_dict() == want
    assert want["attacks"]


def test_unreadable_cells_of_quasi_identifiers_are_refused() -> None:
    asked = policy(cost={"role": "sensitive"})
    release = PEOPLE.select(pl.format("about {}", "age").alias("age"), "sex", "cost")
    with pytest.raises(ind.DataError, match="80 of 80 records") as caught:
        ind.attack(PEOPLE, release, asked)
    assert [item.code for item in caught.value.problems] == ["unreadable-cell"]


@pytest.mark.parametrize("exposed", [0, 3])
def test_unreadable_cells_are_refused_where_a_release_is_assessed(exposed: int) -> None:
    asked = policy(cost={"role": "sensitive"})
    about = pl.format("about {}", "age")
    few = pl.when(pl.int_range(pl.len()) < 7).then(about).otherwise(pl.col("age").cast(pl.String))
    release = PEOPLE.select(few.alias("age"), "sex", "cost")
    with pytest.raises(ind.DataError, match="7 of 80 records") as caught:
        ind.assess(PEOPLE, asked, release=release, exposed=exposed)
    assert [item.code for item in caught.value.problems] == ["unreadable-cell"]
    other = PEOPLE.select("sex", "cost")  # it lacks what the policy reads: its rows are told
    assert ind.assess(PEOPLE, asked, release=other, exposed=exposed).change is not None


def test_cells_that_stand_for_nobody_of_the_population_are_told() -> None:
    asked = policy(cost={"role": "sensitive"})
    release = PEOPLE.select(pl.format("about {}", "age").alias("age"), "sex")
    told = [one for one in ind.risk(release, asked, population=PEOPLE).notes if "'age'" in one]
    assert len(told) == 1
    assert "published texts are neither a value of the population" in told[0]
    plain = ind.risk(PEOPLE.select("age", "sex"), asked, population=PEOPLE).notes
    assert not [one for one in plain if "neither a value" in one]


@pytest.mark.parametrize("transform", [{"round": 100}, {"noise": 5}])
def test_comparisons_of_people_follow_values_too(transform: Any) -> None:
    table = PEOPLE.with_columns(patient=pl.format("P{}", pl.int_range(pl.len())))
    asked = policy(cost=sensitive(transform)) | {"source": {"person": "patient"}}
    found = ind.compare(table, ind.anonymize(table, asked), policy=asked, queries=5).to_dict()
    (one,) = found["releases"]
    if "round" in transform:
        assert one["record_intersection"]["cost"]["believed"]["certain"] > 0.8
    else:
        assert one["record_intersection"] == {}
        assert any(note.startswith("'cost': beliefs are not measured") for note in one["notes"])


@pytest.mark.parametrize("kind", ["release", "frame", "parquet"])
def test_a_missing_number_is_learnt_whatever_stands_for_it(tmp_path: Path, kind: str) -> None:
    """NaN and null are one value, which both of a class have; NaN was none that could be sought."""
    frame = pl.DataFrame({"age": ["20", "20", "30", "30"], "dose": [float("nan"), None, 1.0, 2.0]})
    keys = {
        "attributes": {"age": {"role": "quasi-identifier"}, "dose": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    release = ind.anonymize(frame, keys)
    release.tables.write_parquet(tmp_path / "release.parquet")
    given = {"release": release, "frame": release.tables, "parquet": tmp_path / "release.parquet"}
    found = ind.attack(frame, given[kind], keys, only=["membership", "homogeneity"])
    assert [one.success["certain"] for one in found.attacks] == [0.5, 0.5]


@pytest.mark.parametrize("seed", range(4))
def test_what_does_not_apply_hides_nobody_from_attackers(seed: int) -> None:
    """All is as if people and rows to which a ward does not apply were in no table."""
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": random.integers(20, 29, 40).astype(str),
            "ward": [ward or None for ward in random.choice(["A", "B", "none", ""], 40).tolist()],
        }
    )

    def found(table: pl.DataFrame, *others: str) -> dict[str, Any]:
        keys: dict[str, Any] = {
            "attributes": {"age": AGE, "ward": {"role": "sensitive", "not_applicable": [*others]}},
            "promises": [{"model": "distinct-l-diversity", "l": 1, "sensitive": "ward"}],
        }
        young = pl.col("age") < "24"
        wide = table.with_columns(
            age=pl.when(young).then(pl.lit("[20, 24)")).otherwise(pl.lit("[24, 30)"))
        )
        shown = wide.sort("ward"), wide.with_columns(age=pl.lit("[20, 30)")).sort("ward")
        report = ind.attack(table, shown[0], keys, second=shown[1])
        told = [one for one in report.attacks if one.sensitive and one.name != "minimality"]
        return {one.name: (one.people, one.success, one.prior, one.gain, one.worst) for one in told}

    some = found(frame.filter(pl.col("ward").is_in(["A", "B"])))
    assert {"membership", "homogeneity", "composition", "order", "non-membership"} <= some.keys()
    assert found(frame, "none", "") == some
    whole = found(frame)
    assert whole["non-membership"] != some["non-membership"]


@pytest.mark.parametrize(("transform", "told"), [({"pram": 0.5}, True), ({"round": 1}, False)])
def test_who_allows_for_values_drawn_at_random_is_surer_than_attackers(
    transform: Any, told: bool
) -> None:
    """All of one class have 0: a half of what they show was drawn from everybody."""
    n = 600
    table = pl.DataFrame(
        {
            "age": [20 + 2 * (at % 6) for at in range(n)],
            "sex": ["fm"[at % 2] for at in range(n)],
            "cost": [at % 6 and at // 6 % 5 for at in range(n)],
            "seen": [""] * n,
        }
    )
    keys = policy(cost=sensitive(transform))
    release = ind.anonymize(table, keys)
    report = ind.attack(table, release, keys, only=["membership"])
    said = (
        "'cost': values were swapped, or drawn at random, and attackers other than pram-stripping "
        "take those of the release"
    )
    assert any(note.startswith(said) for note in report.notes) is told
    if told:
        assert report["membership"].success["0.95"] == 0
        shown = release.tables.with_columns(zero=pl.col("cost") == 0)
        share = shown["zero"].mean()
        of_class = shown.filter(pl.col("age") == 20)["zero"].mean()
        assert of_class < 0.75
        assert (of_class - 0.5 * share) / 0.5 > 0.9
