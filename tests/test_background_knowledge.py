"""What is told of a long release of those who know some records or cells of a person."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import long_tables
from tests.analytics.attacks.people_contexts import lists

import indistinct as ind
from indistinct.analytics.attacks import known_records
from indistinct.analytics.leakage.event_leakage import EventLeakage, unicity_of
from indistinct.document import share
from indistinct.sources import memory
from indistinct.warnings import about_values, group_values
from indistinct.warnings.background_warnings import warn_about_known_records

ILLS = ("flu", "asthma", "gout", "cold", "HIV")


def visits(people: int = 60, seed: int = 4) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    rows = [
        (f"P{at:03d}", int(random.integers(20, 60)), "fm"[at % 2], ILLS[own], f"day {day}")
        for at in range(people)
        for own, day in zip(
            random.integers(0, len(ILLS), 3).tolist(), random.integers(0, 200, 3), strict=True
        )
    ]
    table = pl.DataFrame(rows, ["patient", "age", "sex", "ill", "day"], orient="row")
    return table.with_columns(pl.col("age").first().over("patient"))


def policy(**more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
            "day": {"role": "insensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"seed": 1},
    }
    return found | more


def test_a_long_release_is_warned_about_in_private() -> None:
    release = ind.anonymize(visits(), policy())
    told = [text for text in release.warnings if "quasi-identifiers and one value finds" in text]
    assert len(told) == 1
    figures = release.run.to_dict()["singled_out"]
    singled_out = share(figures["known-records"]["1"]["singled_out"])
    assert f"finds {singled_out} of people at worst" in told[0]
    assert len(told[0].split()) <= 35
    assert set(figures["unicity"]) >= {"1", "2", "3", "4", "5", "error", "carried"}
    public = json.dumps(release.certificate.to_dict())
    assert "singled_out" not in public
    assert "value of the person" not in public


@pytest.mark.parametrize("certain", [0.0, 0.2])
def test_no_warning_begins_with_nobody(certain: float) -> None:
    """One value singles out nobody, two do: the sentence is about two."""
    one = {"singled_out": 0.0, "average": 0.0, "certain": certain}
    two = {"singled_out": 0.03, "average": 0.01, "certain": 0.3}
    (told,) = warn_about_known_records({"1": one, "2": two})
    assert "and two values finds 3.0% of people at worst" in str(told)
    assert "0%" not in str(told).replace("3.0%", "").replace("20.0%", "")
    assert ("another is certain for 20.0%" in str(told)) == bool(certain)


@pytest.mark.parametrize("transform", [None, "synthesize", {"swap": {"share": 0.5}}])
def test_the_figures_are_those_of_the_attack(transform: Any) -> None:
    """Others know what somebody had, and not what was drawn in its place."""
    table, asked = visits(), policy()
    if transform is not None:
        asked["attributes"]["ill"]["transform"] = transform
    release = ind.anonymize(table, asked)
    report = ind.attack(table, release, asked, only=["known-records", "unicity"])
    figures = release.run.to_dict()["singled_out"]
    assert figures["known-records"] == report["known-records"].to_dict()["figures"]
    for p in "12345":
        own = report["unicity"].to_dict()["figures"][p]["unique"]
        assert figures["unicity"][p]["unique"] == pytest.approx(own, abs=0.05)


@pytest.mark.parametrize("algorithm", ["anatomy", "p-l-angelization"])
def test_linked_tables_that_list_sets_are_warned_about(algorithm: str) -> None:
    """What the sets of the own bucket, or class, that have the known values have besides."""
    table, asked = visits().drop("day"), policy()
    del asked["attributes"]["day"]
    asked["promises"] = [{"model": "distinct-l-diversity", "sensitive": "ill", "l": 3}]
    asked["method"] = {"algorithm": algorithm, "seed": 1}
    release = ind.anonymize(table, asked)
    figures = release.run.to_dict()["singled_out"]
    assert list(figures) == ["known-records"]
    report = ind.attack(table, release, asked, only=["known-records"])
    assert figures["known-records"] == report["known-records"].to_dict()["figures"]
    certain = figures["known-records"]["1"]["certain"]
    assert certain > 0
    told = [text for text in release.warnings if "another value may be certain" in text]
    assert len(told) == 1
    assert f"for {share(certain)} of people" in told[0]
    listed = release.tables["sensitive"]
    found = []
    for own in table.partition_by("patient"):
        buckets = {
            row["bucket"]
            for row in release.tables["quasi"].to_dicts()
            if row["sex"] in ("*", own["sex"][0]) and covers(row["age"], own["age"][0])
        }
        cells = listed.filter(pl.col("bucket").is_in(buckets))["ill"]
        sets = [set(cell.strip("{}").split(", ")) for cell in cells]
        after = [(ill, [one for one in sets if ill in one]) for ill in own["ill"].unique()]
        found.append(any(set.intersection(*left) - {ill} for ill, left in after))
    assert certain == pytest.approx(np.mean(found))
    held = [(row["bucket"], {*row["ill"].strip("{}").split(", ")}) for row in listed.to_dicts()]
    by_size = [
        set.intersection(*(one for at, one in held if (at, len(one)) == (bucket, len(own))))
        for bucket, own in held
    ]
    (sized,) = (text for text in release.warnings if "number of values of 'ill'" in text)
    certain = share(float(np.mean([bool(one) for one in by_size])))
    assert f"one value may be certain for {certain} " in sized


def test_what_sets_of_several_attributes_tell_is_tried_or_said_not_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = visits().with_columns(pl.col("day").str.slice(-1))
    asked = policy()
    asked["attributes"]["day"] = {"role": "sensitive"}
    asked["promises"] = [
        {"model": "distinct-l-diversity", "sensitive": name, "l": 3} for name in ("ill", "day")
    ]
    asked["method"] = {"algorithm": "p-l-angelization", "seed": 1}
    assert not [text for text in ind.anonymize(table, asked).warnings if "not tried" in text]
    monkeypatch.setattr(known_records, "MOST_POSSIBILITIES", 600)
    monkeypatch.setattr(known_records, "FEWEST_DRAWN", 5)
    whole = known_records.know
    monkeypatch.setattr(known_records, "know", lambda *given: seen.append(given) or whole(*given))
    seen: list[Any] = []
    release = ind.anonymize(table, asked)
    assert not [text for text in release.warnings if "not tried" in text]
    ((context, items, most, chosen),) = seen
    figures = release.run.to_dict()["singled_out"]["known-records"]
    assert 5 <= figures["looked_at"] == chosen.sum() < 60
    assert figures["error"] == pytest.approx(0.98 / math.sqrt(chosen.sum()))
    monkeypatch.setattr(known_records, "MOST_POSSIBILITIES", 10**9)
    everything = known_records._together(
        [known_records.items_of(context, n) for n in ("ill", "day")]
    )
    everybody = whole(context, everything, most)
    assert everybody.looked.all()
    some = whole(context, items, most, chosen)
    assert (some.looked == chosen).all()
    assert (some.found == everybody.found[chosen]).all()
    assert (some.fewest == everybody.fewest[chosen]).all()
    monkeypatch.setattr(known_records, "MOST_POSSIBILITIES", 10)
    told = [text for text in ind.anonymize(table, asked).warnings if "was not tried" in text]
    assert len(told) == 2
    assert "too many" in told[0]


def covers(cell: str, age: int) -> bool:
    """Whether a published age stands for an age."""
    ends = [int(end) for end in cell.strip("[]").split(", ")]
    return ends[0] <= age <= ends[-1]


@pytest.mark.parametrize("promised", [False, True])
def test_what_a_class_tells_of_values_without_a_promise_is_said(promised: bool) -> None:
    ages, sexes = [20, 21, 22, 40, 41, 42] * 2, ["f"] * 6 + ["m"] * 6
    table = pl.DataFrame({"age": ages, "sex": sexes}).with_columns(
        ill=pl.Series(
            ["flu", "gout", None, "HIV", "HIV", "HIV", "?", "?", "?", "flu", "cold", "flu"]
        ),
        ward=pl.Series(["a", "b", "c", *"aaabbbccc"]),
    )
    keys = policy(source={}, promises=[{"model": "k-anonymity", "k": 3}])
    keys["method"] = {"algorithm": "mondrian"}
    keys["attributes"]["ward"] = {"role": "insensitive"}
    keys["attributes"]["ill"]["missing"] = {"tokens": ["?"]}
    del keys["attributes"]["day"]
    if promised:
        keys["promises"].append({"model": "t-closeness", "t": 0.9, "sensitive": "ill"})
    release = ind.anonymize(table, keys)
    assert release.certificate.classes["count"] == 4
    public = [text for text in release.certificate.warnings if "no promise bounds what a" in text]
    alike = [text for text in release.warnings if "all of a class have the same" in text]
    assert len(public) == 1
    assert ("'ill' (25.0% of records) enough" in public[0]) == promised
    assert (alike == []) == promised
    if not promised:
        assert "'ill'" in public[0]
        assert "'ill' (25.0% of records)" in alike[0]
    alone = next(text for text in release.warnings if "and reads the rest" in text)
    assert alone.startswith(
        "an attacker who knows a person's quasi-identifiers and 'ill' finds 25.0% of records "
        "('ward': 25.0%; 'ill' and 'ward': "
    )


@pytest.mark.parametrize("promised", [False, True])
def test_one_value_among_those_known_is_told(promised: bool) -> None:
    """Whoever knows that somebody was tested knows the result; 3 of 12 and 1 of 12 are tested."""
    table = pl.DataFrame({"age": [20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62, 63]}).with_columns(
        ill=pl.Series(["HIV", "HIV", "HIV", "?", "flu", "HIV", None, None, "flu", None, "*", "?"])
    )
    keys = policy(source={}, promises=[{"model": "k-anonymity", "k": 4}])
    keys["method"] = {"algorithm": "mondrian"}
    keys["attributes"] = {name: keys["attributes"][name] for name in ("age", "ill")}
    keys["attributes"]["ill"]["missing"] = {"tokens": ["?"]}
    if promised:
        keys["promises"].append({"model": "max-posterior", "bound": 0.75, "sensitive": "ill"})
    release = ind.anonymize(table, keys)
    assert release.certificate.classes["count"] == 3
    told = [text for text in release.warnings if "of whom a value is known have the same" in text]
    assert "'ill' (33.3% of records)" in told[0]
    assert "certain" not in told[0]


def test_a_value_that_all_people_of_a_class_have_is_told() -> None:
    table = visits().with_columns(day=pl.lit("today"), ill=pl.lit("flu"))
    told = ind.anonymize(table, policy()).warnings
    said = "all of a class have the same 'ill' (100% of people, as 100% of the whole table have"
    assert any(said in text for text in told)


def test_a_value_that_nearly_everybody_has_is_told_as_such() -> None:
    table = pl.DataFrame({"age": list(range(40)), "alive": ["yes"] * 39 + ["no"]})
    keys = policy(source={}, promises=[{"model": "k-anonymity", "k": 5}])
    keys["attributes"] = {
        "age": keys["attributes"]["age"],
        "alive": {"role": "sensitive"},
        "ward": {"role": "sensitive"},
    }
    wards = pl.Series(["a", "b", "c", "d"]).repeat_by(10).explode()
    told = ind.anonymize(table.with_columns(ward=wards), keys).warnings
    alike = next(text for text in told if "all of a class have the same" in text)
    assert "'alive' (75.0% of records, as 97.5% of the whole table have one value)" in alike
    assert "'ward' (100% of records)" in alike


def test_what_is_not_counted_outside_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    visited = visits(20).select("age", "ill")
    keys = policy(source={})
    keys["attributes"] = {name: keys["attributes"][name] for name in ("age", "ill")}
    monkeypatch.setattr(group_values, "MOST_COUNTS", 3)
    monkeypatch.setattr(memory, "OF_A_SAMPLE", 1 << 60)
    left = "what a class tells about 'ill' was not counted: values times classes are more than 3"
    for frame, said in ((visited, False), (duckdb.sql("select * from visited"), True)):
        told = ind.anonymize(frame, keys).warnings
        assert any(left in text for text in told) == said


def test_people_are_counted_of_an_engines_table_too() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = visits(20).with_columns(ill=pl.lit("flu"))
    whole = [text for text in ind.anonymize(table, policy()).warnings if "% of people" in text]
    assert any("all of a class have the same 'ill' (100% of people" in text for text in whole)
    told = ind.anonymize(duckdb.from_arrow(table.to_arrow()), policy()).warnings
    assert [text for text in told if "% of people" in text] == whole


BEDS = pl.DataFrame(
    {
        "age": [age for age in range(20, 100, 10) for _ in range(16)],
        "ill": [*"abcd"] * 32,
        "ward": [*"aaaabbbbccccdddd"] * 8,
        "bed": [ward * 2 for ward in "aaaabbbbccccdddd"] * 8,
    }
)
"""In a class of 16 all pairs of two values with four each are different, and beds tell wards."""


def of_beds() -> dict[str, Any]:
    """Their policy, under which classes keep their ages."""
    keys = policy(source={}, promises=[{"model": "k-anonymity", "k": 5}])
    keys["attributes"] = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "ill": {"role": "sensitive"},
        "ward": {"role": "sensitive"},
        "bed": {"role": "insensitive"},
    }
    return keys


@pytest.mark.parametrize("counted", [1_000_000, 15])
def test_two_values_are_looked_at_outside_memory_too(
    counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr(group_values, "MOST_COUNTS", counted)
    wanted = ("'ill' and 'ward' finds 100% of records and reads", "tell another for certain: ")
    whole = ind.anonymize(BEDS, of_beds()).warnings
    assert all(any(text in one for one in whole) for text in wanted)
    frame = duckdb.from_arrow(BEDS.to_arrow())
    assert ind.anonymize(frame, of_beds()).warnings == whole
    monkeypatch.setattr(memory, "OF_A_SAMPLE", 1 << 60)
    told = ind.anonymize(frame, of_beds()).warnings
    assert any("nor what two values single out" in text for text in told)
    assert not any(wanted[0] in text for text in told)


def test_of_a_large_table_outside_memory_some_classes_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = duckdb.from_arrow(BEDS.to_arrow())
    monkeypatch.setattr(group_values, "MOST_ROWS", 40)
    monkeypatch.setattr(group_values, "MOST_COUNTS", 15)
    told = ind.anonymize(frame, of_beds()).warnings
    wanted = "'ill' and 'bed' finds 100% of records of some classes and reads"
    assert any(wanted in text.replace("'ill' and 'ward'", "'ill' and 'bed'") for text in told)
    tells = next(text for text in told if "tell another for certain: " in text)
    assert "'bed' tells 'ward' (100% of records of some classes)" in tells


def test_the_number_of_somebodys_records_is_looked_for() -> None:
    """One class of a few people each; some are alone with their number of records."""
    random = np.random.default_rng(3)
    rows = [
        (f"P{at:03d}", 20 + at % 3 * 10, "flu")
        for at in range(60)
        for _ in range(random.poisson(3) + 1)
    ]
    table = pl.DataFrame(rows, ["patient", "age", "ill"], orient="row")
    asked = policy()
    del asked["attributes"]["sex"], asked["attributes"]["day"]
    release = ind.anonymize(table, asked)
    people = release.tables.group_by("patient", "age").len().group_by("age", "len").len("people")
    alone = people.filter(pl.col("people") == 1).height / 60
    assert 0 < alone < 1
    figures = release.run.to_dict()["singled_out"]["known-records"]
    assert figures["records"] == {"singled_out": pytest.approx(alone)}
    assert figures["1"]["singled_out"] == 0
    told = [text for text in release.warnings if "and number of records finds" in text]
    assert len(told) == 1
    assert share(alone) in told[0]
    report = ind.attack(table, release, asked, only=["known-records"])
    assert "the number of records" in report["known-records"].note


def test_the_number_of_records_is_looked_for_where_nothing_else_is_published() -> None:
    table = pl.DataFrame(
        {"patient": [f"P{at}" for at in (0, 0, 0, 1, 1, 2, 2, 3, 4, 4)], "age": 30}
    )
    asked = policy()
    asked["attributes"] = {"age": asked["attributes"]["age"]}
    release = ind.anonymize(table, asked)
    figures = release.run.to_dict()["singled_out"]["known-records"]
    assert figures["records"] == {"singled_out": pytest.approx(2 / 5)}
    assert figures["1"] == {"singled_out": 0.0, "average": 0.0, "certain": 0.0}
    assert [text for text in release.warnings if "and number of records finds" in text]
    note = ind.attack(table, release, asked, only=["known-records"])["known-records"].note
    assert "the number of records single out 40" in note


def test_nobody_is_warned_where_nothing_is_found() -> None:
    table = visits().with_columns(ill=pl.lit("flu")).drop("day")
    asked = policy()
    del asked["attributes"]["day"]
    release = ind.anonymize(table, asked)
    assert not [text for text in release.warnings if "person's records" in text]
    assert release.run.to_dict()["singled_out"]["known-records"]["3"]["singled_out"] == 0.0


def test_records_of_others_are_not_looked_at() -> None:
    table = visits().unique("patient", keep="first", maintain_order=True).drop("patient")
    release = ind.anonymize(table, {k: v for k, v in policy().items() if k != "source"})
    assert "singled_out" not in release.run.to_dict()


def test_values_are_taken_as_they_are_transformed() -> None:
    """Who knows the day knows the coarser day that is published; nobody knows a drawn one."""
    asked = policy()
    asked["attributes"]["day"]["transform"] = {"swap": {}}
    asked["attributes"]["ill"]["transform"] = {
        "aggregate": {"groups": {"chest": ["flu", "asthma", "cold"]}, "other": "else"}
    }
    release = ind.anonymize(visits(), asked)
    figures = release.run.to_dict()["singled_out"]
    assert figures["known-records"]["1"]["singled_out"] < 0.2
    assert "day" not in figures["unicity"].get("carried", {})


# Assessment by person


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=4), min_size=1))
def test_bits_of_a_value(column: list[list[str | None]]) -> None:
    found = EventLeakage.of("x", lists(column))
    people = len(column)
    had = {v: sum(v in own for own in column) for own in column for v in own if v is not None}
    means, worst, alone = [], [], []
    for own in column:
        bits = [math.log2(people / had[v]) for v in set(own) if v is not None]
        means.append(sum(bits) / max(len(bits), 1))
        worst.append(max(bits, default=0.0))
        alone.append(any(had[v] == 1 for v in own if v is not None))
    assert found.values == len(had)
    assert found.loss == pytest.approx(np.mean(means))
    assert found.worst == pytest.approx(np.mean(worst))
    assert found.alone == pytest.approx(np.mean(alone))


def test_nobody_tells_nothing() -> None:
    assert EventLeakage.of("x", lists([])) == EventLeakage("x", 0, 0.0, 0.0, 0.0)
    assert unicity_of({}) == {}
    assert unicity_of({"x": lists([["a"]])}) == {}


def test_columns_that_differ_within_people_are_assessed() -> None:
    table, asked = visits(), policy()
    release = ind.anonymize(table, asked)
    found = ind.assess(table, ind.Policy.from_dict(asked), release=release)
    events = {item.attribute: item for item in found.events}
    assert set(events) == {"ill", "day"}
    assert events["day"].worst > events["ill"].worst > 0
    assert {item.attribute for item in found.left_out} == {"patient"}
    document = found.to_dict()
    assert document["unicity"]["before"]["3"]["unique"] > 0.8
    assert document["unicity"]["after"]["5"]["unique"] > 0.5
    text = " ".join(str(part) for part in found.parts())
    assert "what one value of a person's records tells" in text
    assert "who knows some published cells of a person, drawn at random, finds that person" in text


def test_records_have_no_events() -> None:
    table = visits().drop("patient")
    document = ind.assess(table).to_dict()
    assert "events" not in document
    assert "unicity" not in document


# Real tables


@pytest.mark.parametrize("make", [long_tables.informs, long_tables.nhanes, long_tables.synthea])
def test_real_tables(shared: Path, make: Callable[[Path], Any]) -> None:
    """Classes of five people and more, and few known values: what the pages say of it."""
    table, asked = make(shared)
    figures = ind.anonymize(table, asked).run.to_dict()["singled_out"]
    known, expected = figures["known-records"], MEASURED[make.__name__]
    for c in "123":
        assert known[c]["singled_out"] == pytest.approx(expected[int(c) - 1], abs=0.01)
    assert figures["unicity"]["5"]["unique"] == pytest.approx(expected[3], abs=0.03)


MEASURED = {
    "informs": (0.393, 0.640, 0.656, 0.444),
    "nhanes": (0.054, 0.165, 0.212, 0.009),
    "synthea": (0.978, 0.984, 0.985, 0.868),
}
"""Singled out with one, two and three known values; unique with five known cells."""


def test_real_people_whom_no_class_fits(shared: Path) -> None:
    """Seventeen of them are looked for among the rows of stars."""
    table, asked = long_tables.synthea(shared)
    asked["attributes"].pop("START")
    asked["output"] = {"suppressed": "keep"}
    run = ind.anonymize(table.drop("START"), asked).run.to_dict()
    assert run["people"]["suppressed"] == 17
    known = run["singled_out"]["known-records"]
    told = [known[c]["singled_out"] for c in "123"]
    assert told == pytest.approx([0.310, 0.794, 0.893], abs=0.001)


@pytest.mark.parametrize("make", [long_tables.informs, long_tables.synthea])
@pytest.mark.parametrize("m", [1, 2])
def test_real_tables_with_the_promise(shared: Path, make: Callable[[Path], Any], m: int) -> None:
    """With known-records nobody is singled out by m known values of the attribute it names."""
    table, asked = make(shared)
    asked["attributes"].pop("START", None)
    table = table.drop("START", strict=False)
    asked["promises"].append({"model": "known-records", "k": 5, "m": m})
    figures = ind.anonymize(table, asked).run.to_dict()["singled_out"]["known-records"]
    assert [figures[str(c)]["singled_out"] for c in range(1, m + 1)] == [0.0] * m
    assert figures["3"]["singled_out"] == pytest.approx(
        WITH_PROMISE[make.__name__][m - 1], abs=0.01
    )


def test_what_is_promised_of_answers(shared: Path) -> None:
    table, asked = long_tables.nhanes(shared)
    year = asked["attributes"].pop("SurveyYr")
    answers = [name for name, own in asked["attributes"].items() if own["role"] == "sensitive"]
    asked["promises"] += [
        {"model": "known-records", "sensitive": name, "k": 5, "m": 1} for name in answers
    ]
    expected = {True: [0.0019, 0.0413, 0.0977], False: [0.0, 0.0305, 0.0506]}
    for with_year, shares in expected.items():
        keys = asked | {
            "attributes": asked["attributes"] | ({"SurveyYr": year} if with_year else {})
        }
        own = table if with_year else table.drop("SurveyYr")
        known = ind.anonymize(own, keys).run.to_dict()["singled_out"]["known-records"]
        told = [known[c]["singled_out"] for c in "123"]
        assert told == pytest.approx(shares, abs=0.01)


WITH_PROMISE = {"informs": (0.355, 0.009), "synthea": (0.679, 0.046)}
"""Singled out with three known values, where one and where two are promised."""


def test_of_large_tables_a_run_says_that_some_classes_were_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = pl.DataFrame(
        {
            "sex": ["f", "m"] * 60,
            "ill": [f"ill {at % 6}" for at in range(120)],
            "drug": [f"drug {at % 6}" for at in range(120)],
        }
    )
    asked = {
        "attributes": {
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
            "drug": {"role": "sensitive"},
        },
        "promises": [{"model": "max-posterior", "bound": 0.5, "sensitive": "ill"}],
    }
    monkeypatch.setattr(group_values, "MOST_STEPS", 30)
    told = [
        text for text in ind.anonymize(table, asked).warnings if "tell another for certain" in text
    ]
    assert "(100% of records of some classes)" in told[0]


@pytest.mark.parametrize("method", [{"algorithm": "mondrian"}, {"suppression_limit": 0.5}])
@pytest.mark.parametrize("person", [{}, {"source": {}}])
@pytest.mark.parametrize(
    ("kind", "output"),
    [
        (pl.DataFrame.clone, {"suppressed": "keep"}),
        (pl.DataFrame.to_pandas, {}),
        (pl.DataFrame.to_arrow, {"shuffle": False}),
    ],
)
def test_classes_known_from_publishing_are_those_of_the_release(
    monkeypatch: pytest.MonkeyPatch,
    kind: Callable[[pl.DataFrame], Any],
    person: dict[str, Any],
    output: dict[str, Any],
    method: dict[str, Any],
) -> None:
    asked: list[group_values.NumberedRows] = []

    def looked(released: Any, quasi: Any, alike: Any) -> group_values.NumberedRows | None:
        assert alike is not None
        found = group_values.class_numbers(released, quasi, alike)
        counted = group_values.class_numbers(released, quasi)
        assert found is not None
        assert counted is not None
        np.testing.assert_array_equal(found.class_of, counted.class_of)
        asked.append(found)
        return found

    monkeypatch.setattr(about_values, "class_numbers", looked)
    table = visits().with_columns(
        sex=pl.when(pl.int_range(pl.len()).floordiv(3) % 7 > 0).then("sex"),
        age=pl.when(pl.int_range(pl.len()).floordiv(3) % 5 > 0).then("age").otherwise(0.0),
    )
    asked_for = policy(**person, output=output, method={"seed": 1, **method})
    if person:
        asked_for["attributes"]["patient"] = {"role": "identifier"}
    ind.anonymize(kind(table), asked_for)
    assert asked


def test_a_promise_that_bounds_nothing_protects_nothing() -> None:
    keys = policy(source={}, promises=[{"model": "k-anonymity", "k": 3}])
    del keys["attributes"]["day"]
    table = pl.DataFrame({"age": [20] * 3 + [40] * 3, "sex": ["f"] * 6, "ill": [*"aaabcd"]})
    bare = ind.anonymize(table, keys)
    keys["promises"].append({"model": "distinct-l-diversity", "l": 1, "sensitive": "ill"})
    release = ind.anonymize(table, keys)
    assert release.certificate.warnings == bare.certificate.warnings
    assert {*release.warnings} - {*bare.warnings} == {
        "promises[2]: l = 1 bounds nothing: all people of a class may have the same value"
    }
