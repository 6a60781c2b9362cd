"""Releases of transformed values: made on every engine, audited, and told in the certificate."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import DataError, PolicyError
from indistinct.release.transforms.shift import possible

KEY = "8f3a92c1d07be6545a1e0c9b7d3f2846"


def patients(n: int = 240) -> pl.DataFrame:
    random = np.random.default_rng(11)
    born = [dt.date(1930, 1, 1) + dt.timedelta(days=int(d)) for d in random.integers(0, 25_000, n)]
    return pl.DataFrame(
        {
            "patient": [f"P{at // 2:04d}" for at in range(n)],
            "name": [f"Anna{at // 2} Berg".replace(str(at // 2), "x" * (at // 2 % 5)) + f" {at}"
                     for at in range(n)],
            "age": random.integers(18, 95, n),
            "sex": random.choice(["f", "m"], n),
            "visit": [dt.date(2024, 1, 1) + dt.timedelta(days=int(d))
                      for d in random.integers(0, 300, n)],
            "born": born,
            "ward": random.choice(["cardiology", "surgery", "oncology"], n),
            "cost": (random.integers(100, 9_000, n) + 0.5),
        }
    ).with_columns(
        pl.when(pl.col("cost") > 8_500).then(None).otherwise(pl.col("cost")).alias("cost")
    )  # fmt: skip


def policy(
    transforms: dict[str, Any], roles: dict[str, Any] | None = None, **method: Any
) -> ind.Policy:
    attributes: dict[str, Any] = {
        "patient": {"role": "identifier"},
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier"},
        "visit": {"role": "quasi-identifier", "hierarchy": {"date": ["quarter", "year"]}},
        "born": {"role": "identifier"},
        "ward": {"role": "sensitive"},
        "cost": {"role": "insensitive"},
    }
    for name, role in (roles or {}).items():
        attributes[name]["role"] = role
        attributes[name].pop("hierarchy", None)
    for name, transform in transforms.items():
        attributes[name]["transform"] = transform
    return ind.Policy(
        attributes=attributes,
        promises=[
            {"model": "k-anonymity", "k": 4},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "ward"},
        ],
        method={"suppression_limit": 0.1, "seed": 5, **method},
        output={"shuffle": False},
    )


def as_engine(frame: pl.DataFrame, engine: str) -> Any:
    if engine == "polars-lazy":
        return frame.lazy()
    if engine == "pandas":
        return frame.to_pandas()
    if engine == "pandas-objects":
        return frame.to_pandas().assign(
            visit=pd.Series(frame["visit"].to_list(), dtype=object),
            ward=frame["ward"].to_pandas().astype("category"),
            age=frame["age"].to_pandas().astype("Int16"),
        )
    if engine == "pyarrow":
        return frame.with_columns(pl.col("ward").cast(pl.Categorical)).to_arrow()
    if engine == "duckdb":
        return duckdb.from_arrow(frame.to_arrow())
    return frame


def rows_of(frame: Any) -> list[tuple[str, ...]]:
    known = nw.from_native(frame)
    held = known.collect(backend="polars") if isinstance(known, nw.LazyFrame) else known
    return sorted(
        tuple("" if value is None or pd.isna(value) else str(value)[:10]
              for value in row)
        for row in held.rows()
    )  # fmt: skip


EVERYTHING: dict[str, Any] = {
    "patient": {"replace": {}},
    "name": {"mask": {"keep": 1}},
    "age": {"round": 5},
    "sex": {"swap": {"share": 0.2}},
    "visit": {"shift": {"by": "patient", "days": 30}},
    "born": {"shift": {"by": "patient", "days": 30}},
    "ward": {"swap": {"within": ["sex"]}},
    "cost": {"noise": {"scale": 50}},
}


@pytest.mark.parametrize("engine", ["polars-lazy", "pandas", "pandas-objects", "pyarrow", "duckdb"])
def test_every_engine_gives_the_same_release(engine: str) -> None:
    frame = patients()
    asked = policy(EVERYTHING)
    expected = ind.anonymize(frame, asked)
    given = as_engine(frame, engine)
    release = ind.anonymize(given, asked)
    assert type(release.tables) is type(given)
    assert rows_of(release.tables) == rows_of(expected.tables)
    assert release.certificate.transformed == expected.certificate.transformed


def test_types_stay(tmp_path: Path) -> None:
    frame = patients()
    asked = policy(
        EVERYTHING | {"visit": {"shift": {"by": "patient", "days": 30}}}, {"visit": "insensitive"}
    )
    kept = ind.anonymize(frame, asked).tables
    assert isinstance(kept, pl.DataFrame)
    for name in ("visit", "born", "cost", "ward", "patient"):
        assert kept.schema[name] == frame.schema[name], name
    held = ind.anonymize(frame.to_pandas(), asked).tables
    assert isinstance(held, pd.DataFrame)
    assert str(held["visit"].dtype) == str(frame.to_pandas()["visit"].dtype)
    assert held["cost"].dtype == float
    path = tmp_path / "patients.csv"
    frame.write_csv(path)
    texts = ind.anonymize(path, asked).tables
    assert texts["visit"].to_list() == kept["visit"].cast(pl.String).to_list()
    assert [None if t is None else float(t) for t in texts["cost"]] == kept["cost"].to_list()


def test_shifts_keep_what_lies_between_all_dates_of_a_person() -> None:
    frame = patients()
    asked = policy(EVERYTHING | {"patient": {"pseudonymize": {"key_env": "NO"}}},
                   {"visit": "insensitive", "patient": "insensitive"})  # fmt: skip
    keys = asked.to_dict()
    del keys["attributes"]["patient"]["transform"]
    release = ind.anonymize(frame, keys).tables
    assert isinstance(release, pl.DataFrame)
    apart = frame.select("patient", days=(pl.col("visit") - pl.col("born")).dt.total_days())
    after = release.select("patient", days=(pl.col("visit") - pl.col("born")).dt.total_days())
    assert not Counter(after.rows()) - Counter(apart.rows())
    before = {row[0]: row[1] for row in frame.select("patient", pl.col("visit")).rows()}
    assert any(row[1] != before[row[0]] for row in release.select("patient", "visit").rows())
    other = ind.anonymize(frame, {**keys, "method": {**keys["method"], "seed": 6}}).tables
    assert isinstance(other, pl.DataFrame)
    assert set(other["visit"]) != set(release["visit"])


CASES: list[tuple[str, Any]] = [
    ("age", {"round": 5}),
    ("age", {"round": {"digits": -1}}),
    ("age", {"noise": {"scale": 3, "distribution": "laplace"}}),
    ("age", {"noise": {"scale": 0.1, "multiplicative": True}}),
    ("age", {"microaggregate": 5}),
    ("age", {"aggregate": {"bottom": 20, "top": 90}}),
    ("age", {"aggregate": {"thresholds": [40, 65], "show": "mean"}}),
    ("age", {"swap": {"window": 0.1}}),
    ("age", "synthesize"),
    ("visit", {"shift": {"by": "patient"}}),
    ("visit", {"noise": 14}),
    ("visit", {"round": "month"}),
    ("visit", "swap"),
    ("ward", {"pram": 0.7}),
    ("age", {"pram": {"keep": 0.5, "within": "sex"}}),
    ("ward", "swap"),
    ("ward", {"aggregate": {"groups": {"inner": ["cardiology", "oncology"]}, "other": "other"}}),
    ("ward", "synthesize"),
    ("ward", {"mask": {"keep": 1}}),
    ("cost", {"microaggregate": {"k": 3, "centre": "median"}}),
    ("cost", {"round": 100}),
    ("cost", {"noise": 25}),
    ("cost", {"aggregate": {"thresholds": [1000, 5000]}}),
]


@pytest.mark.parametrize(("name", "transform"), CASES, ids=str)
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_the_audit_holds_after_each(name: str, transform: Any, algorithm: str) -> None:
    frame = patients()
    asked = policy({name: transform}, algorithm=algorithm)
    release = ind.anonymize(frame, asked)
    assert ind.audit(release.tables, asked).holds
    certificate = release.certificate.to_dict()
    assert list(certificate["transformed"]) == [name]
    ways = asked.attributes[name].transform
    assert ways is not None
    perturbed = ways.name not in ("round", "aggregate", "mask")
    assert (certificate["may_contain"] == ["perturbed values"]) == perturbed
    again = ind.anonymize(frame, asked)
    assert rows_of(again.tables) == rows_of(release.tables)
    document = release.private["transforms.json"]["attributes"][name]
    assert document["transform"] == ways.name
    assert 0 < document["changed"] <= document["values"] == 240 - frame[name].null_count()
    # Other verbs still read the release against the original values.
    found = ind.compare(frame, release, policy=asked, queries=20)
    assert found.to_dict()["releases"][0]["rows"] == release.tables.shape[0]
    assert ind.attack(frame, release, asked, only=["homogeneity", "record-linkage"]).attacks


def test_promises_are_judged_on_transformed_values() -> None:
    frame = patients()
    merged = {"aggregate": {"groups": {"all": ["cardiology", "oncology", "surgery"]}}}
    with pytest.raises(ind.Unsatisfiable):
        ind.anonymize(frame, policy({"ward": merged}))
    rounded = ind.anonymize(frame, policy({"age": {"round": 100}}))
    assert rounded.measures["loss-arithmetic"] < ind.anonymize(frame, policy({})).measures[
        "loss-arithmetic"
    ]  # fmt: skip
    assert set(rounded.tables["age"]) <= {"0", "100", "[0, 10)", "[100, 110)", "*"} | {0, 100}


def test_whole_records_are_synthetic() -> None:
    frame = patients()
    names = ("age", "sex", "visit", "ward", "cost")
    asked = policy(dict.fromkeys(names, "synthesize"))
    release = ind.anonymize(frame, asked)
    assert set(release.certificate.transformed.values()) == {
        "synthetic: drawn from a model, together with the others drawn so; "
        "that alone promises nothing"
    }
    assert any("synthetic values carry no promise" in text for text in release.warnings)
    assert ind.audit(release.tables, asked).holds
    source = Counter(frame["cost"].to_list())
    assert sum((Counter(release.tables["cost"].to_list()) & source).values()) < frame.height / 4


def test_what_is_drawn_goes_with_what_is_given() -> None:
    frame = patients().with_columns(cost=pl.when(pl.col("sex") == "f").then("age").otherwise(20))
    release = ind.anonymize(frame, policy({"cost": "synthesize"}))
    assert any("are associated differently" in text for text in release.warnings)
    asked = policy({"cost": {"synthesize": {"given": ["age", "sex"], "k": 5}}})
    given = ind.anonymize(frame, asked)
    lost = "transformed-associations"
    assert given.measures[lost] < 0.5 * release.measures[lost]
    assert given.certificate.transformed["cost"] == (
        "synthetic: drawn from a model, by itself, given groups of 'age', 'sex' as far as 5 or "
        "more of a group share a value; that alone promises nothing"
    )


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"given": ["cost"]}, "names 'cost' itself"),
        ({"given": ["ages"]}, "no attribute 'ages'"),
        ({"given": ["visit"]}, "'visit' is an identifier"),
        ({"given": ["ward"]}, "'ward' is drawn from the model itself"),
        ({"k": 5}, "k: does nothing without 'given'"),
    ],
)
def test_only_published_columns_are_given(rule: Any, said: str) -> None:
    with pytest.raises(ind.PolicyError, match=said):
        policy({"cost": {"synthesize": rule}, "ward": "synthesize"}, {"visit": "identifier"})


def test_noise_that_moves_few_values_is_told() -> None:
    """A multiple of 0 is 0, and noise of a fifth hardly ever moves a whole number."""
    frame = patients().with_columns(cost=pl.int_range(pl.len()) * (pl.int_range(pl.len()) % 4 == 0))
    for rule, expected in (
        ({"scale": 0.5, "multiplicative": True}, True),
        ({"scale": 0.2}, True),
        ({"scale": 5}, False),
    ):
        made = ind.anonymize(frame, policy({"cost": {"noise": rule}})).warnings
        assert any("the noise left" in text for text in made) == expected


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"swap": {"share": 0.1}}, True),
        ({"swap": {"window": 0.001}}, True),
        ({"swap": {}}, False),
        ({"pram": 0.9}, True),
        ({"pram": 0.1}, False),
        ({"noise": {"scale": 1}}, True),
        ({"noise": {"scale": 900}}, False),
        ({"microaggregate": 2}, True),
        ({"microaggregate": 6}, False),
        ({"synthesize": {}}, False),
    ],
)
def test_who_is_found_by_a_value_that_was_hardly_changed_is_told(rule: Any, told: bool) -> None:
    """A cost of their own finds everybody; where it is published as it is, that is told, too."""
    frame = patients().with_columns(cost=7.5 * pl.int_range(pl.len()))
    made = ind.anonymize(frame, policy({"cost": rule})).warnings
    assert any("'cost': the true value finds" in text for text in made) == told


@pytest.mark.parametrize("way", ["replace", "pseudonymize"])
def test_values_known_by_how_frequent_they_are_are_told(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATIENT_KEY", KEY)
    rule = {way: {"key_env": "PATIENT_KEY"} if way == "pseudonymize" else {}}
    for shares, told in (((180, 40, 20), True), ((80, 80, 80), False), ((1,) * 240, False)):
        wards = [f"ward {at}" for at, count in enumerate(shares) for _ in range(count)]
        made = ind.anonymize(
            patients().with_columns(name=pl.Series(wards)), policy({"name": rule})
        ).warnings
        assert any("'name': equal values are replaced alike" in text for text in made) == told


def test_a_day_more_or_less_is_found_again() -> None:
    days = pl.datetime_range(pl.datetime(2020, 1, 1), pl.datetime(2020, 8, 27), "1d", eager=True)
    for moved, told in ((1, True), (90, False)):
        frame = patients().with_columns(born=days.dt.strftime("%d.%m.%Y"))
        rule = {"shift": {"days": moved, "format": "%d.%m.%Y"}}
        made = ind.anonymize(frame, policy({"born": rule}, {"born": "insensitive"})).warnings
        assert any("'born': the true value finds" in text for text in made) == told


@pytest.mark.parametrize("rule", [{"swap": {}}, {"pram": 0.5}, {"synthesize": {}}])
def test_a_column_without_a_value_can_be_changed(rule: dict[str, Any]) -> None:
    frame = patients().with_columns(born=pl.lit(None, pl.Float64))
    made = ind.anonymize(frame, policy({"born": rule}, {"born": "insensitive"}))
    assert made.tables["born"].null_count() == made.tables.height


def test_pram_is_told_with_its_probability_and_its_small_groups() -> None:
    frame = patients()
    made = ind.anonymize(frame, policy({"ward": {"pram": 0.8}}))
    told = made.certificate.to_dict()["transformed"]["ward"]
    assert told == (
        "kept with a probability of 0.8, otherwise drawn by how frequent values are (PRAM)"
    )
    few = "are drawn from groups of 'within' with fewer than"
    assert few not in " ".join(made.warnings)
    alone = policy({"ward": {"pram": {"keep": 0.8, "within": "name"}}}, {"name": "identifier"})
    assert few in " ".join(ind.anonymize(frame, alone).warnings)


def test_an_exchange_that_moves_few_values_is_told() -> None:
    """Groups of one keep what they have; groups of half of the table do not."""
    frame = patients()
    for within, expected in (("name", True), ("sex", False)):
        asked = policy({"ward": {"swap": {"within": [within]}}}, {"name": "identifier"})
        made = ind.anonymize(frame, asked).warnings
        found = [text for text in made if "'ward'" in text]
        assert any("changed no value" in text for text in found) == expected
    some = frame.with_columns(name=pl.when(pl.int_range(pl.len()) % 4 == 0).then(pl.lit("x"))
                              .otherwise(pl.col("name")))  # fmt: skip
    (said,) = (
        text
        for text in ind.anonymize(some, policy({"ward": {"swap": {"within": ["name"]}}})).warnings
        if "the groups of 'within' are narrow" in text
    )
    trading = pl.DataFrame({"pair": [at // 2 for at in range(24)], "ward": [*range(24)]})
    ward = {"role": "insensitive", "transform": {"swap": {"within": ["pair"]}}}
    asked = {
        "attributes": {"pair": {"role": "quasi-identifier"}, "ward": ward},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    warned = ind.anonymize(trading, asked).warnings
    assert any("24 of 24 values are in groups of 'within' with one" in w for w in warned)
    assert "of 240 values; without limits it would change about 159" in said
    assert "narrow" not in " ".join(ind.anonymize(some, policy({"ward": "swap"})).warnings)


def test_the_population_is_transformed_as_the_table_is(tmp_path: Path) -> None:
    """Ages that are rounded are counted among rounded ages of the population."""
    frame = patients().select("age", "sex", "ward")
    around = pl.concat([frame, frame.with_columns(age=pl.col("age") + 1)]).select("age", "sex")
    around.write_csv(tmp_path / "people.csv")

    def asked(**transform: Any) -> ind.Policy:
        keys = {
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": "suppress", **transform},
                "sex": {"role": "quasi-identifier"},
                "ward": {"role": "sensitive"},
            },
            "promises": [{"model": "k-map", "k": 8}],
            "risk": {"population": {"file": "people.csv"}},
            "method": {"seed": 1, "suppression_limit": 0.1},
        }
        return ind.Policy.from_dict(keys, directory=tmp_path)

    rounded = asked(transform={"round": 20})
    release = ind.anonymize(frame, rounded)
    # Without the population's rounding no age of 20, 40 or 60 had eight people.
    assert set(release.tables["age"].cast(pl.String)) != {"*"}
    assert ind.audit(release, rounded).holds
    cells = release.tables.select("age", "sex").unique()
    shown = around.with_columns((pl.col("age") + 10) // 20 * 20)
    kept = cells.join(shown, on=["age", "sex"]).group_by("age", "sex").len()
    assert kept["len"].min() >= 8
    assert ind.attack(frame, release, rounded, only=["presence"])["presence"].people == 240
    found = ind.risk(release, rounded)
    assert found.journalist.highest <= 1 / 8
    for way in ({"noise": 3}, {"microaggregate": 5}, {"aggregate": {"thresholds": [40],
                "show": "mean"}}, "synthesize"):  # fmt: skip
        with pytest.raises(PolicyError, match="say how many people there are") as told:
            ind.anonymize(frame, asked(transform=way))
        assert told.value.problems[0].code == "population-not-followed"


def test_one_more_transformation_changes_no_other() -> None:
    frame = patients()
    alone = ind.anonymize(frame, policy({"cost": {"noise": 50}})).tables["cost"]
    both = ind.anonymize(frame, policy({"cost": {"noise": 50}, "ward": "swap"})).tables["cost"]
    assert not Counter(both.to_list()) - Counter(alone.to_list()) or alone.len() != both.len()


def test_pseudonyms_are_reversible_only_if_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STUDY_KEY", KEY)
    frame = patients()
    plain = ind.anonymize(frame, policy({"patient": {"pseudonymize": {"key_env": "STUDY_KEY"}}}))
    assert not [name for name in plain.private if name.startswith("pseudonyms")]
    keyed = {"pseudonymize": {"key_env": "STUDY_KEY", "table": True}}
    frame = frame.rename({"patient": "patient id"})
    keys = policy({}).to_dict()
    keys["attributes"]["patient id"] = keys["attributes"].pop("patient") | {"transform": keyed}
    release = ind.anonymize(frame, keys)
    out = release.write(tmp_path / "out")
    document = json.loads((out / "private" / "pseudonyms_patient_id.json").read_text())
    known = document["pseudonyms"]
    assert {known[made] for made in release.tables["patient id"]} <= set(frame["patient id"])
    public = "".join(file.read_text() for file in out.iterdir() if file.is_file())
    assert "P0001" not in public
    assert "undoes them" in " ".join(release.warnings)


def test_the_certificate_says_what_was_done_and_not_how_to_undo_it() -> None:
    release = ind.anonymize(patients(), policy(EVERYTHING))
    told = release.certificate.to_dict()["transformed"]
    assert told == {
        "patient": "replaced by made-up values of the same form",
        "name": "masked, 1 character kept",
        "age": "rounded to multiples of 5",
        "sex": "swapped between some of the records",
        "visit": "dates shifted by a secret number of days, the same for all of each person's "
        "dates; the days between them stay",
        "born": "dates shifted by a secret number of days, the same for all of each person's "
        "dates; the days between them stay",
        "ward": "swapped between records within groups",
        "cost": "Gaussian noise of scale 50 added: it adds 2500 to the variance, and nothing to "
        "the mean",
    }
    assert "30" not in json.dumps(told)
    assert release.run.to_dict()["transformed"] == told
    assert "transformed" in release.certificate._repr_html_()
    assert "transformed" not in ind.anonymize(patients(), policy({})).certificate.to_dict()


@pytest.mark.parametrize("way", [{"noise": {"scale": 50}}, {"round": 50}])
def test_values_that_a_transform_does_not_hide_are_warned_of(way: dict[str, Any]) -> None:
    frame = patients().with_columns(
        cost=pl.when(pl.int_range(pl.len()) == 3).then(pl.lit(90_000)).otherwise("cost")
    )
    noisy = {"cost": way}
    told = [
        text
        for text in ind.anonymize(frame, policy(noisy)).warnings
        if "far from all others" in text
    ]
    assert len(told) == 1
    assert "90" not in told[0]
    assert not [
        t for t in ind.anonymize(patients(), policy(noisy)).warnings if "far from all others" in t
    ]


def test_what_cannot_be_transformed_is_told_at_once() -> None:
    with pytest.raises(DataError) as told:
        ind.anonymize(
            patients(),
            policy({"ward": {"round": 5}, "cost": {"shift": {}}, "born": {"replace": {}}},
                   {"born": "insensitive"}),
        )  # fmt: skip
    assert [item.attribute for item in told.value.problems] == ["born", "ward", "cost"]


def test_spreadsheet_safe_names_are_those_of_the_file(tmp_path: Path) -> None:
    frame = patients().rename({"cost": "=cost"})
    keys = policy({}).to_dict()
    keys["attributes"]["=cost"] = {"role": "insensitive", "transform": {"round": 10}}
    del keys["attributes"]["cost"]
    keys["output"] = {"spreadsheet_safe": True}
    out = ind.anonymize(frame, keys).write(tmp_path / "out")
    document = json.loads((out / "certificate.json").read_text())
    assert list(document["transformed"]) == ["'=cost"]


def test_the_curve_of_risk_is_that_of_transformed_values() -> None:
    frame = patients()
    found = ind.risk(frame, policy=policy({"age": {"round": 100}}), k_range=(2, 4))
    plain = ind.risk(frame, policy=policy({}), k_range=(2, 4))
    assert found.curve is not None
    assert plain.curve is not None
    assert found.curve.points[0].to_dict() != plain.curve.points[0].to_dict()


@pytest.mark.parametrize(
    ("name", "transform", "text"),
    [
        ("age", {"mask": {}}, "transform.mask: does not go with role 'quasi-identifier'"),
        ("name", "swap", "transform.swap: does not go with role 'identifier'"),
        ("cost", {"round": {}}, "round: needs one of 'to' and 'digits'"),
        ("cost", {"round": "day"}, "round.to: must be a number, or one of week, month"),
        ("cost", {"round": -5}, "round.to: must be a number above 0"),
        ("cost", {"aggregate": {}}, "aggregate: needs one of 'bottom' and 'top', 'thr"),
        ("cost", {"aggregate": {"bottom": 5, "top": 5}}, "bottom: must be below 'top'"),
        ("cost", {"aggregate": {"thresholds": [5, 5]}}, "thresholds: must rise"),
        ("cost", {"aggregate": {"top": 5, "show": "mean"}}, "show: there are no 'thresholds'"),
        ("cost", {"aggregate": {"top": 5, "other": "x"}}, "other: there are no 'groups'"),
        ("ward", {"aggregate": {"groups": {"a": ["x"], "b": ["x"]}}}, "'x' is in a and b"),
        ("cost", {"swap": {"within": "cost"}}, "swap.within: names 'cost' itself"),
        ("cost", {"swap": {"within": ["sec"]}}, "no attribute 'sec': did you mean 'sex'?"),
        ("visit", {"shift": {"by": "patents"}}, "no attribute 'patents': did you mean 'patie"),
        ("visit", {"shift": {"format": "%Y"}}, "format: must be 'iso', 'day-first', 'month-"),
        ("cost", "noise", "noise.scale: is missing"),
        ("cost", {"noise": {"scale": 3, "bottom": 5, "top": 5}}, "must be below 'top'"),
        ("cost", {"noise": {"scale": 3, "bottom": 5, "top": "9"}}, "and of its kind"),
        ("cost", "nois", "transform.nois: unknown key: did you mean 'noise'?"),
        ("cost", {"microaggregate": 1}, "microaggregate.k: must be at least 2, not 1"),
        ("cost", {}, "transform: needs one of 'mask', 'pseudonymize'"),
        ("cost", {"swap": {}, "noise": 3}, "'synthesize', not 2"),
    ],
)  # fmt: skip
def test_wrong_transformations_are_told(name: str, transform: Any, text: str) -> None:
    with pytest.raises(PolicyError) as told:
        policy({name: transform})
    assert text in str(told.value)


def test_dates_of_a_person_are_moved_alike() -> None:
    with pytest.raises(PolicyError, match="the dates of one patient are all moved alike"):
        policy({"visit": {"shift": {"by": "patient", "days": 30}},
                "born": {"shift": {"by": "patient", "days": 31}}})  # fmt: skip


def test_a_policy_with_transformations_can_be_written_and_read(tmp_path: Path) -> None:
    asked = policy(EVERYTHING | {"ward": {"aggregate": {"groups": {"a": ["surgery"]}}}})
    path = tmp_path / "policy.toml"
    path.write_text(asked.to_toml(), encoding="utf-8")
    assert ind.Policy.load(path) == asked


def test_decoys_get_made_up_identifiers_of_their_own() -> None:
    frame = patients().with_columns(number=pl.int_range(1000, 1240))
    keys = policy({"patient": {"replace": {}}}, suppression_limit=0.0).to_dict()
    keys["attributes"]["number"] = {"role": "identifier", "transform": "replace"}
    keys["method"]["decoys"] = {"to": 60, "limit": 0.5}
    release = ind.anonymize(frame, keys)
    table = release.tables
    assert isinstance(table, pl.DataFrame)
    rows = [place - 1 for place in release.private["decoys.json"]["rows"]]
    assert rows
    assert table["patient"].str.contains(r"^[A-Z]\d{4}$").all()
    assert table["number"].is_between(1000, 9999).all()
    assert table["number"].n_unique() == table.height
    kept = table.with_row_index("row").filter(~pl.col("row").is_in(rows))
    assert not set(table[rows]["patient"]) & set(kept["patient"])


def test_columns_of_one_domain_have_the_same_pseudonyms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDY_KEY", KEY)
    frame = patients().with_columns(pl.col("patient").alias("other"))
    for domain, same in ((None, False), ("person", True)):
        rule = {"pseudonymize": {"key_env": "STUDY_KEY"} | ({"domain": domain} if domain else {})}
        keys = policy({"patient": rule}).to_dict()
        keys["attributes"]["other"] = keys["attributes"]["patient"]
        released = ind.anonymize(frame, keys).tables
        assert released["patient"].equals(released["other"]) is same


def test_an_exchange_in_groups_of_two_is_told_of() -> None:
    """Whoever knows that a group has two records knows that these have traded their values."""
    frame = patients().with_columns(name=(pl.int_range(pl.len()) // 2).cast(pl.String))
    made = ind.anonymize(
        frame, policy({"ward": {"swap": {"within": ["name"]}}}, {"name": "identifier"})
    ).warnings
    count = frame["ward"].drop_nulls().len()
    assert any(f"'ward': {count} of {count} values are in groups" in text for text in made)


def test_what_bins_tell_of_records_left_out_is_told_in_public() -> None:
    """The oldest is left out, and the label of the last bin ends at that age."""
    ages = [*(20 + at % 20 for at in range(60)), 119]
    frame = pl.DataFrame({"age": ages, "sex": ["f", "m"] * 30 + ["x"]})
    bins = {"equal_frequency": {"bins": 4, "ends": "closed"}}
    asked = ind.Policy(
        attributes={
            "age": {"role": "quasi-identifier", "hierarchy": bins, "min_level": 1},
            "sex": {"role": "quasi-identifier", "max_level": 0},
        },
        promises=[{"model": "k-anonymity", "k": 4}],
        method={"suppression_limit": 0.1},
    )
    release = ind.anonymize(frame, asked)
    assert "x" not in set(release.tables["sex"])
    assert any("119" in text for text in set(release.tables["age"]))
    (told,) = release.certificate.warnings
    assert "the outer bounds are its smallest and its largest value" in told
    assert "each bound is the value of a record" in told


def test_days_between_shifted_dates_are_counted_against_their_people() -> None:
    """Two people of one class have 9 and 20 days between their visits, two others 5 days each."""
    days = {"a": (0, 9), "b": (0, 20), "c": (3, 8), "d": (1, 6)}
    rows = [(one, "f", dt.date(2024, 1, 1 + day)) for one, both in days.items() for day in both]
    frame = pl.DataFrame(rows, schema=["patient", "sex", "visit"], orient="row")
    asked = ind.Policy(
        source={"person": "patient"},
        attributes={
            "sex": {"role": "quasi-identifier"},
            "visit": {
                "role": "insensitive",
                "transform": {"shift": {"by": "patient", "days": 400}},
            },
        },
        promises=[{"model": "k-anonymity", "k": 4}],
    )
    told = [text for text in ind.anonymize(frame, asked).warnings if "'visit'" in text]
    assert any("single out 50.0% of people at worst (50.0% on average)" in text for text in told)
    assert any("how far the dates of 4 of 4 people were moved" in text for text in told)


def test_dates_near_the_ends_tell_how_far_they_were_moved() -> None:
    """Somebody seen on the first and on the last day can have been moved by any number of days to
    whoever does not know these days, and only by what is seen to everybody else."""
    days, moved = np.array([0, 100, 50, 10]), np.array([7, 7, -30, -365])
    found = possible(days, moved, np.array([0, 0, 1, 2]), most=365)
    assert found.tolist() == [1, 100, 11]


@pytest.mark.parametrize("rule", [{"shift": {"days": 30}}, {"noise": 30}])
def test_a_time_of_day_that_moved_dates_keep_is_told_of(rule: dict[str, Any]) -> None:
    """Every record has a time of its own, but for two at midnight."""
    first = dt.datetime(2024, 1, 1)
    times = [first + dt.timedelta(days=at, minutes=7 * at) for at in range(9)]
    frame = pl.DataFrame({"sex": ["f"] * 10, "visit": [*times, first]})
    asked = ind.Policy(
        attributes={
            "sex": {"role": "quasi-identifier"},
            "visit": {"role": "insensitive", "transform": rule},
        },
        promises=[{"model": "k-anonymity", "k": 4}],
    )
    release = ind.anonymize(frame, asked)
    assert {at.time() for at in release.tables["visit"]} == {at.time() for at in times}
    assert any("for 8 of 10 no other record has it" in text for text in release.warnings)
    assert "the time of day" in release.certificate.transformed["visit"]
    whole = frame.with_columns(pl.col("visit").dt.truncate("1d"))
    assert "time of day" not in ind.anonymize(whole, asked).certificate.transformed["visit"]


def test_a_column_that_tells_what_another_was_before_is_told_of() -> None:
    """A twin of the ward settles it, one of the cost follows it; ages in tens are coarser."""
    frame = patients().with_columns(
        name=pl.col("ward").str.to_uppercase(),
        born=pl.col("cost") * 1.19,
        patient=pl.col("age") // 10 * 10,
    )
    transforms = {"ward": {"swap": {}}, "cost": {"noise": 90}, "age": {"round": 5}}
    asked = policy(transforms, dict.fromkeys(("name", "born", "patient"), "insensitive"))
    warnings = ind.anonymize(frame, asked).warnings
    told = [text for text in warnings if "before its transformation" in text]
    assert [(text.split(":")[0], "roughly" in text) for text in told] == [
        ("'name'", False),
        ("'born'", True),
    ]


SHIFT = {"days": 100, "by": "who"}


@pytest.mark.parametrize(
    ("transforms", "told"),
    [
        ({"one": {"round": 10}, "twice": {"round": 10}}, {"one": "'twice'"}),
        ({"one": {"round": 5}, "twice": {"round": 10}}, {}),
        ({"one": {"noise": 20}, "twice": {"noise": 2}}, {"one": "'twice'"}),
        ({"one": {"noise": 4}, "twice": {"noise": 8}}, {}),
        ({"one": {"round": 40}, "sum": {"noise": 5}}, {"one": "'sum' and 'other'"}),
        ({"one": {"aggregate": {"thresholds": [50]}}, "twice": {"round": 10}}, {"one": "'twice'"}),
        ({"one": {"round": 10}, "twice": {"swap": {}}}, {"twice": "'one'"}),
        ({"days": {"round": 7}, "from": {"shift": SHIFT}, "to": {"shift": SHIFT}},
         {"days": "'from' and 'to'"}),
        ({"days": {"round": 7}, "from": {"noise": 30}, "to": {"noise": 30}}, {}),
    ],
)  # fmt: skip
def test_changed_columns_that_tell_another_more_closely_are_told_of(
    transforms: dict[str, Any], told: dict[str, str]
) -> None:
    random, n = np.random.default_rng(1), 300
    one, other = random.integers(0, 100, n), random.integers(0, 1000, n)
    days, first = (
        random.integers(1, 40, n),
        np.datetime64("2020-01-01") + random.integers(0, 700, n),
    )
    columns = {"one": one, "twice": 2 * one, "sum": one + other, "days": days}
    frame = pl.DataFrame({"age": 1, "who": np.arange(n), "other": other, **columns})
    frame = frame.with_columns(pl.Series("from", first), pl.Series("to", first + days))
    roles: dict[str, Any] = {"age": "quasi-identifier", "who": "identifier"}
    shown = {"other": {"role": "insensitive"}} | {
        name: {"role": "insensitive", "transform": rule} for name, rule in transforms.items()
    }
    asked = {
        "attributes": {name: {"role": role} for name, role in roles.items()} | shown,
        "rest": "drop",
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    warnings = ind.anonymize(frame, asked).warnings
    said = "{}: what is published tells what '{}' was before its transformation, more closely"
    found = [text for text in warnings if "more closely than its own values" in text]
    assert len(found) == len(told)
    assert all(said.format(those, name) in found[0] for name, those in told.items())


def test_what_belongs_together_is_told_of_a_relation_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three houses of two people each, whose classes together no other house has."""
    monkeypatch.setenv("KEY", "f3a9c17e5b2d8046a1c3e5f70918b2d4c6e8fa0b1c2d3e4f5a6b7c8d9e0f1a2b")
    frame = pl.DataFrame({"age": [1, 2, 1, 3, 2, 3] * 2, "house": [0, 0, 1, 1, 2, 2, *range(3, 9)]})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "house": {"role": "identifier", "transform": {"pseudonymize": {"key_env": "KEY"}}},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    told = ind.anonymize(frame, asked).warnings
    assert any("'house' shows which records belong together" in text for text in told)
    assert ind.anonymize(duckdb.from_arrow(frame.to_arrow()), asked).warnings == told
