"""Values that were changed at random keep promises that the true ones break: readers are told."""

from __future__ import annotations

from typing import Any

import numpy as np
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
        said = "do not bound beliefs about true values"
        assert any(said in warning for warning in warnings) == told
    if transform == {"noise": {"scale": 3}}:
        nearest = pl.col("dose").map_elements(
            lambda value: min(DOSES, key=lambda dose: abs(dose - value)), return_dtype=pl.Int64
        )
        assert release.tables.group_by("age", "sex").agg(nearest.n_unique())["dose"].max() == 1


@pytest.mark.parametrize(
    ("transform", "told"),
    [
        ({"noise": {"scale": 3}}, True),
        ({"swap": {"share": 0.5}}, True),
        ({"round": 10}, False),
        (None, False),
    ],
)
@pytest.mark.parametrize("constant", [True, False])
def test_many_records_of_a_person_tell_what_was_changed_in_each(
    transform: Any, told: bool, constant: bool
) -> None:
    rows = [
        (f"p{at}", 20 + 10 * (at % 3), 150 + at + (0 if constant else visit))
        for at in range(30)
        for visit in range(100)
    ]
    table = pl.DataFrame(rows, ["who", "age", "height"], orient="row")
    height = {"role": "insensitive"} | ({} if transform is None else {"transform": transform})
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "height": height,
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    release = ind.anonymize(table, keys)
    said = "a person's records together tell it again"
    found = any(said in warning for warning in release.warnings)
    assert found == (told and constant)
    if transform == {"noise": {"scale": 3}} and constant:
        means = release.tables.group_by("who").agg(pl.col("height").mean())["height"].sort()
        assert max(abs(mean - 150 - at) for at, mean in enumerate(means)) < 1.5


@pytest.mark.parametrize(
    ("transform", "told"),
    [
        ({"swap": {}}, True),
        ({"microaggregate": 3}, True),
        ({"aggregate": {"thresholds": [200], "show": "mean"}}, True),
        ({"aggregate": {"thresholds": [200]}}, False),
        ({"noise": {"scale": 3}}, False),
    ],
)
@pytest.mark.parametrize("suppressed", [True, False])
def test_values_of_suppressed_records_among_those_of_others_are_told(
    transform: Any, told: bool, suppressed: bool
) -> None:
    rows = [(20 + 10 * (at % 2), 100 + 10 * at) for at in range(24)]
    rows += [(97, 9000)] if suppressed else []
    table = pl.DataFrame(rows, ["age", "cost"], orient="row")
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "cost": {"role": "insensitive", "transform": transform},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"suppression_limit": 0.1},
    }
    release = ind.anonymize(table, keys)
    assert release.tables.height == 24
    found = any("tell something about suppressed ones" in warning for warning in release.warnings)
    assert found == (told and suppressed)


@pytest.mark.parametrize(
    ("transform", "few"),
    [
        ({"aggregate": {"thresholds": [150, 1000]}}, None),
        ({"aggregate": {"top": 9000}}, None),
        (
            {"aggregate": {"groups": {"one": ["9001"]}, "other": "else"}},
            "1 of 2 groups is published with fewer than 3",
        ),
        ({"aggregate": {"thresholds": [150, 1000], "show": "mean"}}, None),
        ({"microaggregate": 3}, None),
    ],
)
def test_a_record_that_is_alone_in_its_group_is_told(transform: Any, few: str | None) -> None:
    rows = [(20 + 10 * (at % 2), 100 + 10 * at) for at in range(24)] + [(30, 9001)]
    table = pl.DataFrame(rows, ["age", "cost"], orient="row")
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "cost": {"role": "insensitive", "transform": transform},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    told = [text for text in ind.anonymize(table, keys).warnings if "fewer than 3 records" in text]
    assert [few in text for text in told] == [True] if few else not told
    if few:
        return
    # Of the three in a group two are suppressed: one row stands for it.
    rows = [(20, 100)] * 6 + [(20, 9000), (97, 9001), (98, 9002)]
    table = pl.DataFrame(rows, ["age", "cost"], orient="row")
    keys |= {"method": {"suppression_limit": 0.5}}
    release = ind.anonymize(table, keys)
    found = [text for text in release.warnings if "is published with fewer than 3 rec" in text]
    assert len(found) == 1


@pytest.mark.parametrize("transform", ["swap", {"noise": 3}, {"round": 5}])
def test_classes_of_quasi_identifiers_changed_at_random_are_told_of(transform: Any) -> None:
    table = pl.DataFrame({"age": [20 + at % 12 for at in range(96)], "ill": ["flu", "gout"] * 48})
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": 10}}
    if transform == "swap":
        transform = {"swap": {"share": 0.5}}
    keys: dict[str, Any] = {
        "attributes": {"age": age | {"transform": transform}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 3}],
    }
    release = ind.anonymize(table, keys)
    told = any("people of a class need not have its true values" in w for w in release.warnings)
    assert told == ("round" not in transform)
    assert told == any("need not have its" in w for w in release.certificate.warnings)


def test_an_exchange_within_all_quasi_identifiers_hides_nothing() -> None:
    table = pl.DataFrame({"age": [20 + at % 4 for at in range(96)], "ill": ["flu", "gout"] * 48})
    for within, told in ((["age"], True), ([], False)):
        ill = {"role": "sensitive", "transform": {"swap": {"share": 1, "within": within}}}
        keys: dict[str, Any] = {
            "attributes": {"age": {"role": "quasi-identifier"}, "ill": ill},
            "promises": [{"model": "k-anonymity", "k": 3}],
        }
        warnings = ind.anonymize(table, keys).warnings
        assert any("this hides nothing" in warning for warning in warnings) == told


def some_people(seed: int = 0, n: int = 300) -> pl.DataFrame:
    """People with an age and a sex, to which a test adds a column."""
    random = np.random.default_rng(seed)
    return pl.DataFrame({"age": random.integers(20, 60, n), "sex": random.choice(["F", "M"], n)})


def warnings_of(table: pl.DataFrame, attributes: dict[str, Any]) -> list[str]:
    keys = {
        "rest": "keep",
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier"},
            **attributes,
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"algorithm": "mondrian"},
    }
    return list(map(str, ind.anonymize(table, keys).warnings))


@pytest.mark.parametrize("way", ["swap", "synthesize"])
@pytest.mark.parametrize("rare", [True, False])
def test_true_values_of_few_that_stand_in_other_records_are_warned_of(way: str, rare: bool) -> None:
    """Drawn or exchanged names are names of patients: they tell who is in the table."""
    table = some_people()
    names = [f"Sur{'abcdefghij'[at % 10]}{'abcdef'[at // 10 % 6]}" for at in range(300)]
    few = pl.Series("x", [f"{name}{at % 150 if rare else ''}" for at, name in enumerate(names)])
    found = warnings_of(table.with_columns(few), {"x": {"role": "insensitive", "transform": way}})
    told = "published values are true values of fewer than 5 records, in other records"
    assert any(text.startswith("'x': ") and told in text for text in found) == rare


@pytest.mark.parametrize(
    ("by", "told"), [("hospital", True), ("doctor", False), ("patient", False)]
)
def test_dates_that_are_moved_alike_for_many_are_warned_of(by: str, told: bool) -> None:
    table = some_people()
    day = np.datetime64("2023-01-01") + np.random.default_rng(1).integers(0, 600, 300)
    columns = {
        "hospital": np.arange(300) % 2,
        "doctor": np.arange(300) % 40,
        "patient": np.arange(300) % 4,
        "day": day.astype(str),
    }
    table = table.with_columns(**{name: pl.Series(values) for name, values in columns.items()})
    attributes = {
        "hospital": {"role": "insensitive"},
        "doctor": {"role": "insensitive"},
        "patient": {"role": "identifier"},
        "day": {"role": "insensitive", "transform": {"shift": {"by": by, "days": 50}}},
    }
    found = warnings_of(table, attributes)
    said = "'day': dates are moved alike by 'hospital', which has 2 values: one true date"
    assert any(said in text for text in found) == told
    assert any("moved alike" in text for text in found) == told


def test_a_moved_end_is_said_to_be_a_record_s_value() -> None:
    cost = np.random.default_rng(2).integers(0, 60, 300) * 10
    cost[:3] = [1_234_567, 5_000_000, 7_333_000]
    table = some_people().with_columns(cost=pl.Series(cost))
    keys = {
        "rest": "keep",
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier"},
            "cost": {"role": "insensitive", "transform": {"aggregate": {"top": 2_000_000}}},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
    }
    release = ind.anonymize(table, keys)
    said = release.certificate.transformed["cost"]
    assert said.startswith("1234567 stands for 1234567 or more; ")
    assert "it is the value of a record" in said
    assert any("moved to the value of a record" in text for text in release.warnings)
    keys["attributes"]["cost"]["transform"]["aggregate"]["top"] = 500
    assert "value of a record" not in ind.anonymize(table, keys).certificate.transformed["cost"]
