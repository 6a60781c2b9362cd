"""The verb *attack* as a function: reading, pairing, and what is told beside."""

from __future__ import annotations

import random
from itertools import permutations, product
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import indistinct as ind
from indistinct.analytics.attacks.finding import NEVER_PUBLISH
from indistinct.document import Line
from indistinct.pipeline import rerunning

ROWS = [
    (age, sex, "cancer" if age % 3 == 0 else "flu") for age in range(20, 60) for sex in ("f", "m")
]
PEOPLE = pl.DataFrame(ROWS, schema=["age", "sex", "diagnosis"], orient="row")
POLICY: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier"},
        "diagnosis": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 5}],
}


def with_keys(**sections: Any) -> dict[str, Any]:
    return {**POLICY, **sections}


def with_attribute(name: str, **keys: Any) -> dict[str, Any]:
    attributes = POLICY["attributes"]
    return with_keys(attributes={**attributes, name: {**attributes[name], **keys}})


def test_a_release_of_our_own_is_attacked() -> None:
    release = ind.anonymize(PEOPLE, POLICY)
    found = ind.attack(PEOPLE, release, POLICY)
    assert isinstance(found, ind.AttackReport)
    assert found.records == 80
    assert found.warning == NEVER_PUBLISH
    assert found["membership"].people == 80
    assert found["membership"].figures["found"] == 1
    assert {item.name for item in found.skipped} >= {"presence", "categorical-similarity"}
    assert found.notes == ()


def test_folder_file_and_frame_give_the_same(tmp_path: Path) -> None:
    release = ind.anonymize(PEOPLE, POLICY)
    folder = release.write(tmp_path / "out")
    PEOPLE.write_csv(tmp_path / "people.csv")
    want = ind.attack(PEOPLE, release, POLICY).to_dict()
    assert ind.attack(tmp_path / "people.csv", folder, POLICY).to_dict() == want
    assert (
        ind.attack(PEOPLE, folder / "release.csv", ind.Policy.from_dict(POLICY)).to_dict() == want
    )
    assert (
        ind.attack(PEOPLE, release.tables, POLICY, path=tmp_path / "people.csv").to_dict() == want
    )


def test_every_engine_gives_the_same() -> None:
    release = ind.anonymize(PEOPLE, POLICY)
    want = ind.attack(PEOPLE, release, POLICY).to_dict()
    for frame in (PEOPLE.to_pandas(), PEOPLE.to_arrow(), PEOPLE.lazy()):
        assert ind.attack(frame, release, POLICY).to_dict() == want
    connection = duckdb.connect()
    connection.register("people", PEOPLE.to_arrow())
    relation = connection.table("people")
    core = [item["name"] for item in want["attacks"] if item["name"] != "order"]
    of_duckdb = ind.attack(relation, release, POLICY, only=core).to_dict()
    assert of_duckdb["attacks"] == [i for i in want["attacks"] if i["name"] in core]
    assert isinstance(release.tables, pl.DataFrame)
    arrow: pa.Table = release.tables.to_arrow()
    assert ind.attack(PEOPLE, arrow, POLICY).to_dict() == want


def test_the_source_given_away_as_it_is_loses() -> None:
    found = ind.attack(PEOPLE, PEOPLE, POLICY)
    assert found["record-linkage"].success["certain"] == 1
    assert found["membership"].success["certain"] == 1
    assert found["homogeneity"].success["certain"] == 1


def test_a_release_of_stars_tells_nothing() -> None:
    stars = PEOPLE.with_columns(pl.lit("*").alias("age"))
    found = ind.attack(PEOPLE, stars, POLICY)
    assert found["membership"].gain["max"] == pytest.approx(0, abs=0.01)
    assert found["record-linkage"].success["0.5"] == 0


def test_rows_of_stars_are_told() -> None:
    hidden = pl.DataFrame(
        {"age": ["*", "[20, 30)"], "sex": ["*", "f"], "diagnosis": ["flu", "flu"]}
    )
    found = ind.attack(PEOPLE, hidden, POLICY)
    assert found.records == 2
    assert "people who fit no class (70 people) are among these" in found.notes[-1]
    assert "also fit a class" not in found.notes[-1]
    nothing = ind.attack(PEOPLE, hidden.head(1), POLICY)
    assert nothing.records == 1
    assert any("no record is published" in note for note in nothing.notes)
    assert nothing["membership"].gain["max"] == 0.0
    many = pl.concat([hidden.head(1)] * 71 + [hidden.tail(1)])
    told = ind.attack(PEOPLE, many, POLICY, only=["membership"]).notes[-1]
    assert "at least 1 of them also fit a class" in told


def test_only_some_attackers() -> None:
    found = ind.attack(PEOPLE, PEOPLE, POLICY, only=["membership", "record-linkage"])
    assert [item.name for item in found.attacks] == ["record-linkage", "membership"]


def test_unknown_names_are_told_together() -> None:
    with pytest.raises(ind.PolicyError) as told:
        ind.attack(PEOPLE, PEOPLE, POLICY, only=["membrship"], harmful={"diagnoses": ["flu"]})
    assert [item.code for item in told.value.problems] == ["unknown-attacker", "unknown-attribute"]
    assert "did you mean 'membership'?" in str(told.value)


@pytest.mark.parametrize(
    ("given", "heeding"),
    [
        ({"population": PEOPLE}, "record-linkage"),
        ({"harmful": {"diagnosis": ["cancer"]}}, "skewness"),
        ({"second": PEOPLE}, "composition"),
    ],
)
def test_what_no_attacker_looks_at_is_refused(given: dict[str, Any], heeding: str) -> None:
    with pytest.raises(ind.PolicyError) as told:
        ind.attack(PEOPLE, PEOPLE, POLICY, only=["membership"], **given)
    (problem,) = told.value.problems
    assert problem.code == "other-attacker"
    assert f"'{heeding}'" in str(problem.remedy)
    found = ind.attack(PEOPLE, PEOPLE, POLICY, only=["membership", heeding], **given)
    assert heeding in {item.name for item in found.attacks}


def test_a_seed_that_is_none() -> None:
    with pytest.raises(ind.PolicyError, match="seed must be 0 or more, not -1"):
        ind.attack(PEOPLE, PEOPLE, POLICY, only=["membership"], seed=-1)


def test_a_release_of_others_is_not_one_that_tells_nothing() -> None:
    release = ind.anonymize(PEOPLE, POLICY)
    others = PEOPLE.with_columns(age=pl.col("age") + 60)
    found = ind.attack(others, release.tables, POLICY, only=["membership", "record-linkage"])
    assert found.attacks == ()
    assert all("no person of the table fits" in why for why in found.untried().values())
    assert len(found.untried()) == 2
    (compared,) = ind.compare(others, release, policy=POLICY, attacks=["membership"]).releases
    assert "no person of the table fits" in compared.notes[-1]
    some = pl.concat([others, PEOPLE.head(1)])
    (compared,) = ind.compare(some, release, policy=POLICY).releases
    assert not any("no person of the table fits" in note for note in compared.notes)
    assert ind.attack(some, release.tables, POLICY, only=["membership"]).attacks


def test_columns_that_the_release_lacks_are_told() -> None:
    found = ind.attack(PEOPLE, PEOPLE.drop("sex"), POLICY, only=["record-linkage"])
    assert found.notes[0] == "the release has no column 'sex': nothing is learnt from it"
    assert found["record-linkage"].figures["prosecutor_highest"] == 0.5
    found = ind.attack(PEOPLE, PEOPLE.drop("diagnosis"), POLICY, only=["membership", "presence"])
    assert "membership" in {item.name for item in found.skipped}
    promises = [{"model": "distinct-l-diversity", "l": 1, "sensitive": "diagnosis"}]
    found = ind.attack(PEOPLE, PEOPLE.drop("diagnosis"), {**POLICY, "promises": promises})
    assert "minimality" not in {item.name for item in found.attacks}
    renamed = ind.attack(PEOPLE, PEOPLE.rename({"sex": "Sex "}), POLICY, only=["record-linkage"])
    assert renamed.notes[0].endswith("nothing is learnt from it; 'Sex ' may be 'sex'")
    with pytest.raises(ind.DataError, match="no such column"):
        ind.attack(PEOPLE, PEOPLE.select("diagnosis"), POLICY)


def test_cells_that_nobody_can_read_are_refused() -> None:
    odd = PEOPLE.with_columns(
        pl.when(pl.col("sex") == "f").then(pl.lit("?")).otherwise("sex").alias("sex"),
        pl.lit("old").alias("age"),
    )
    with pytest.raises(ind.DataError, match="40 of 80 records have such") as caught:
        ind.attack(PEOPLE, odd, POLICY, only=["membership"])
    assert [item.attribute for item in caught.value.problems] == ["age", "sex"]


def test_tokens_for_missing_values_are_missing_in_the_release_too() -> None:
    people = pl.DataFrame({"age": ["20", "?"], "sex": ["f", "f"], "diagnosis": ["flu", "cold"]})
    policy = with_attribute("age", missing={"tokens": ["?"], "as": "value"}, hierarchy="suppress")
    found = ind.attack(people, people, policy, only=["membership"])
    assert found.notes == ()
    assert found["membership"].success["certain"] == 1


def test_guarded_formulas_are_read_as_they_were(tmp_path: Path) -> None:
    people = pl.DataFrame({"age": ["20"] * 5, "sex": ["f"] * 5, "diagnosis": ["=flu"] * 5})
    policy = with_keys(output={"spreadsheet_safe": True})
    folder = ind.anonymize(people, policy).write(tmp_path / "out")
    assert "'=flu" in (folder / "release.csv").read_text(encoding="utf-8")
    found = ind.attack(people, folder, policy, only=["membership"])
    assert found["membership"].success["certain"] == 1


def test_a_population_from_the_policy_a_file_or_a_frame(tmp_path: Path) -> None:
    release = ind.anonymize(PEOPLE, POLICY)
    others = pl.concat([PEOPLE, PEOPLE]).select("age", "sex")
    others.write_csv(tmp_path / "people.csv")
    found = ind.attack(PEOPLE, release, POLICY, population=others, only=["presence"])
    assert found["presence"].figures == {
        "population": 160,
        "delta_lowest": 0.5,
        "delta_highest": 0.5,
    }
    read = ind.attack(PEOPLE, release, POLICY, population=tmp_path / "people.csv")
    assert read["presence"].to_dict() == found["presence"].to_dict()
    named = ind.Policy.from_dict(
        with_keys(risk={"population": {"file": "people.csv"}}), directory=tmp_path
    )
    assert ind.attack(PEOPLE, release, named)["presence"].to_dict() == found["presence"].to_dict()


def test_people_of_the_population_whose_values_the_source_lacks_count() -> None:
    some = PEOPLE.filter(pl.col("age") % 2 == 0)
    policy = with_keys(method={"suppression_limit": 1.0})
    release = ind.anonymize(some, policy)
    others = PEOPLE.select("age", "sex")
    found = ind.attack(some, release, policy, population=others, only=["presence"])
    assert found["presence"].figures["delta_highest"] == 0.5


@pytest.mark.parametrize(
    ("risk", "level"),
    [
        ({}, "high"),
        ({"amber": 0.1, "red": 1.0}, "some"),
        ({"amber": 1.0, "red": 1.0}, "low"),
        ({"threshold": 1.0}, "some"),
    ],
)
def test_levels_by_the_thresholds_of_the_policy(risk: dict[str, float], level: str) -> None:
    found = ind.attack(PEOPLE, PEOPLE, with_keys(risk=risk), only=["homogeneity"])
    assert found["homogeneity"].learnt > 0.2
    summary = [item["level"] for item in found.to_dict()["summary"] if item["learnt"]]
    assert summary == [level]


def test_harmful_values_by_name() -> None:
    found = ind.attack(PEOPLE, PEOPLE, POLICY, only=["skewness"], harmful={"diagnosis": ["cancer"]})
    assert found["skewness"].figures["harmful_values"] == 1


def test_categories_of_the_policy_are_known() -> None:
    policy = with_attribute(
        "diagnosis",
        categories={"table": {"mild": ["flu"], "bad": ["cancer"]}, "order": ["mild", "bad"]},
    )
    found = ind.attack(PEOPLE, PEOPLE, policy, only=["categorical-similarity", "skewness"])
    assert found["categorical-similarity"].success["certain"] == 1
    assert found["skewness"].figures["harmful_values"] == 1


def test_runs_are_repeatable_and_tell_how_far_they_are() -> None:
    told: list[tuple[str, float | None]] = []
    release = ind.anonymize(PEOPLE, POLICY)
    first = ind.attack(
        PEOPLE, release, POLICY, progress=lambda what, share: told.append((what, share))
    )
    assert told[0] == ("reading", None)
    assert any(what == "attacking: membership" for what, _ in told)
    assert ind.attack(PEOPLE, release, POLICY).to_dict() == first.to_dict()
    assert ind.attack(PEOPLE, release, POLICY, seed=5).records == first.records


def test_a_release_that_was_changed_after_it_was_certified_is_told(tmp_path: Path) -> None:
    folder = ind.anonymize(PEOPLE, POLICY).write(tmp_path / "out")
    file = folder / "release.csv"
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    found = ind.attack(PEOPLE, folder, POLICY, only=["membership"])
    assert "the release is not the one that its certificate describes" in found.notes


OF_VALUES = {
    "membership", "worst-posterior", "non-membership", "homogeneity", "background-exclusion",
    "colleague", "learned-correlation", "minimality", "order",
}  # fmt: skip
"""Attackers who are certain of a value that all whom they cannot tell apart have."""


def starred() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Six hundred people in classes, and forty with HIV whom no class fits."""
    ages = [20 + at % 60 for at in range(600)] + [95] * 40
    ills = [("flu", "gout", "asthma", "cold")[at % 4] for at in range(600)] + ["HIV"] * 40
    keys: dict[str, Any] = {
        "attributes": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"intervals": {"width": 10}},
                "max_level": 1,
            },
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 50},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
        ],
        "method": {"suppression_limit": 0.1, "seed": 1},
        "output": {"suppressed": "keep"},
    }
    return pl.DataFrame({"age": ages, "ill": ills}), keys


def test_whoever_fits_no_class_is_known_to_be_a_row_of_stars() -> None:
    table, keys = starred()
    of_sizes = {**keys, "promises": keys["promises"][:1]}
    release = ind.anonymize(table, of_sizes)
    assert any("known to be among them" in text for text in release.warnings)
    found = ind.attack(table, release, keys)
    assert found.records == 640
    assert any("no class (40 people) are among these" in note for note in found.notes)
    assert {item.name for item in found.attacks} >= OF_VALUES
    for item in found.attacks:
        if item.name in OF_VALUES:
            assert item.success["certain"] == pytest.approx(40 / 640), item.name
            assert item.prior["certain"] == 0.0
    assert found["record-linkage"].figures["prosecutor_highest"] == 1 / 40
    lines = [part.text for part in found.summary() if isinstance(part, Line)]
    assert any(text.startswith("some  what somebody has") for text in lines)
    dropped = ind.anonymize(table, {**of_sizes, "output": {"suppressed": "drop"}})
    assert ind.attack(table, dropped, keys)["membership"].success["certain"] == 0.0


def test_long_releases_have_rows_of_stars_too() -> None:
    table, keys = starred()
    table = table.with_columns(who=pl.int_range(pl.len()).cast(pl.String))
    more = table.with_columns(ill=pl.lit("cold"))
    keys = {**keys, "promises": keys["promises"][:1], "source": {"person": "who"}}
    long = pl.concat([table, more])
    release = ind.anonymize(long, keys)
    found = ind.attack(long, release, keys)
    assert found.records == 640
    assert found["homogeneity"].success["certain"] == pytest.approx(1.0)
    keys["promises"] = [{"model": "k-anonymity", "k": 50}]
    found = ind.attack(table, ind.anonymize(table, keys), keys)
    for name in ("membership", "worst-posterior", "homogeneity", "background-exclusion"):
        assert found[name].success["certain"] == pytest.approx(40 / 640), name


def test_linked_tables_refuse_their_own_names() -> None:
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "bucket": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "distinct-l-diversity", "l": 2}],
        "method": {"algorithm": "anatomy"},
    }
    with pytest.raises(ind.PolicyError, match="have a column 'bucket' of their own"):
        ind.Policy.from_dict(keys)


@pytest.mark.parametrize("method", [{"algorithm": "mondrian"}, {"local_recoding": True}])
def test_a_class_that_values_kept_from_being_finer_is_not_passed_over(
    method: dict[str, Any],
) -> None:
    """The five of 31 have one illness: with eleven of 36 they are in one class because of it."""
    others = ["flu"] * 3 + ["asthma", "fracture", "gout", "migraine"] * 2
    rows = [(31, "hiv")] * 5 + [(36, ill) for ill in others]
    rows += [(age, ill) for age in (51, 56, 71) for ill in sorted({*others, "hiv"})]
    table = pl.DataFrame(rows, {"age": pl.Int64, "ill": pl.String}, orient="row")
    keys = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 5},
            {"model": "distinct-l-diversity", "l": 2},
        ],
        "method": method,
    }
    release = ind.anonymize(table, keys)
    cells = release.tables["age"].cast(pl.String)
    assert "31" not in cells.to_list()
    told = release.certificate.to_dict()["warnings"]
    assert any(
        "this program sees which classes were left out, or not made finer" in w for w in told
    )
    found = ind.attack(table, release, keys, only=["minimality"])["minimality"]
    # Worlds are walked through from one to the next: the five keep their illness in nearly all.
    assert found.success["0.95"] == 5 / 34
    assert found.figures["plans"] == 1
    plain = ind.anonymize(table, keys | {"promises": keys["promises"][:1]})
    assert not any("this program" in warning for warning in plain.warnings)


@pytest.mark.parametrize("algorithm", ["k-member", "mdav"])
def test_orders_under_which_the_program_makes_other_classes_are_struck_out(algorithm: str) -> None:
    """Had the three near each other more than one illness, the fourth would not be with them."""
    rows = [(30, "hiv"), (31, "hiv"), (32, "hiv"), (40, "flu")]
    rows += [(age, ill) for age in (60, 61, 62) for ill in ("flu", "hiv", "gout")]
    table = pl.DataFrame(rows, {"age": pl.Int64, "ill": pl.String}, orient="row")
    keys: dict[str, Any] = {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 3}, {"model": "distinct-l-diversity", "l": 2}],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    release = ind.anonymize(table, keys)
    del keys["method"]["seed"]
    found = ind.attack(table, release, keys, only=["minimality"])["minimality"]
    assert found.success["certain"] == 4 / 13
    assert found.figures["plans"] == 4
    assert found.remedy is not None
    cut = keys | found.remedy.policy
    less = ind.attack(table, ind.anonymize(table, cut), cut, only=["minimality"])["minimality"]
    assert less.success["certain"] == 0
    assert found.figures["people_passed_over"] == 0


@pytest.mark.parametrize("method", ["optimal", "mondrian", "mdav"])
def test_people_who_are_left_out_for_their_values_are_attacked(method: str) -> None:
    ages = [*range(31, 43), *range(51, 71)]
    rows = [(age, "hiv" if age < 43 else ("flu", "gout", "hiv")[age % 3]) for age in ages]
    table = pl.DataFrame(rows, {"age": pl.Int64, "ill": pl.String}, orient="row")
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 4},
            {"model": "max-posterior", "bound": 0.5, "sensitive": "ill"},
        ],
        "method": {"algorithm": method, "suppression_limit": 0.5, "seed": 1},
    }
    release = ind.anonymize(table, keys)
    report = ind.attack(table, release, keys, only=["minimality"])
    found = report["minimality"]
    assert found.figures["left_out"] == len(table) - len(release.tables) > 0
    assert found.gain["max"] > 0.1
    lines = [part.text for part in report.summary() if isinstance(part, Line)]
    assert any(text.startswith("also  what") for text in lines) == (method == "optimal")


def test_what_cannot_be_tried_is_left_open() -> None:
    rows = [(age, ill) for age in (31, 36, 51, 56) for ill in ("flu", "gout", "hiv")]
    table = pl.DataFrame(rows, {"age": pl.Int64, "ill": pl.String}, orient="row")
    keys = {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 4}, {"model": "distinct-l-diversity", "l": 2}],
        "method": {"algorithm": "k-member", "seed": 1},
    }
    shown = {31: "[31, 51]", 36: "[36, 56]", 51: "[31, 51]", 56: "[36, 56]"}
    other = table.with_columns(pl.col("age").replace_strict(shown))
    report = ind.attack(table, other, keys)
    lines = [part.text for part in report.summary() if hasattr(part, "text")]
    assert any(line.startswith("open  what somebody has: ill") for line in lines)


def test_the_program_of_another_policy_is_not_taken_for_the_one_that_was_run() -> None:
    rows = [(age, ill) for age in (31, 36, 51, 56) for ill in ("flu", "gout", "hiv")]
    table = pl.DataFrame(rows, {"age": pl.Int64, "ill": pl.String}, orient="row")
    keys = {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 3}, {"model": "distinct-l-diversity", "l": 2}],
        "method": {"algorithm": "mondrian"},
    }
    coarse = pl.DataFrame({"age": ["[31, 56]"] * 12, "ill": table["ill"]})
    report = ind.attack(table, coarse, keys, only=["minimality"])
    assert report.skipped[0].why == "what the program tried instead of these classes is not known"


def test_refused_classes_with_suppressed_records_tell_nothing() -> None:
    """The flu of 14 is not published: what the other class of 14 broke depends on it."""
    rows = [(14, "f", "gout"), (14, "f", "hiv"), (14, "m", "flu"), (21, "m", "flu")]
    rows += [(28, "f", "hiv")] * 2
    schema = {"age": pl.Int64, "sex": pl.String, "ill": pl.String}
    table = pl.DataFrame(rows, schema, orient="row")
    keys = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}],
        "method": {"local_recoding": True, "suppression_limit": 0.3},
    }
    release = ind.anonymize(table, keys)
    assert len(release.tables) == 5
    found = ind.attack(table, release, keys, only=["minimality"])["minimality"]
    assert found.figures["plans_left_out"] > 0


@pytest.mark.parametrize(
    ("seed", "algorithm", "limit"),
    [
        (5, "mondrian", 0),
        (55, "mondrian", 0),
        (5, "optimal", 0),
        (4, "optimal", 0.5),
        (25, "optimal", 0.5),
    ],
)
def test_what_the_program_makes_of_all_other_values_is_known_of_small_tables(
    seed: int, algorithm: str, limit: float
) -> None:
    """Every way to give the values of classes to their people, and which lead to these classes."""
    chance = random.Random(seed)
    rows = [
        (chance.choice([20, 21, 25, 34, 38, 47]), chance.choice("fmx"), chance.choice("AABC"))
        for _ in range(chance.choice([5, 6, 7]))
    ]
    table = pl.DataFrame(rows, ["age", "sex", "ill"], orient="row")
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 2},
            {"model": "max-posterior", "bound": 0.67, "sensitive": "ill"},
        ],
        "method": {
            "algorithm": algorithm,
            "seed": 1,
            "suppression_limit": limit,
            **({"local_recoding": True} if algorithm == "optimal" else {}),
        },
        "output": {"shuffle": False, "suppressed": "keep"},
    }

    def classes(values: list[str]) -> list[tuple[str, ...]] | None:
        try:
            made = ind.anonymize(table.with_columns(ill=pl.Series(values)), policy)
        except ind.Unsatisfiable:
            return None
        return made.tables.select("age", "sex").rows()

    truth = table["ill"].to_list()
    cells = classes(truth)
    assert cells is not None
    assert len(cells) == len(truth)
    assert (("*", "*") in cells) is bool(limit)
    places = [[at for at, own in enumerate(cells) if own == cell] for cell in sorted({*cells})]
    dealt = [sorted({*permutations([truth[at] for at in own])}) for own in places]
    left = []
    for world in product(*dealt):
        values = [""] * len(truth)
        for own, part in zip(places, world, strict=True):
            for at, value in zip(own, part, strict=True):
                values[at] = value
        if classes(values) == cells:
            left.append(values)
    beliefs = [
        sum(values[at] == own for values in left) / len(left) for at, own in enumerate(truth)
    ]
    release = ind.anonymize(table, policy)
    found = ind.attack(table, release, policy, only=["minimality"])["minimality"]
    assert found.success["certain"] == sum(belief == 1 for belief in beliefs) / len(truth)
    prior = [truth.count(own) / len(truth) for own in truth]
    gain = sum(belief - before for belief, before in zip(beliefs, prior, strict=True)) / len(truth)
    assert found.gain["mean"] == pytest.approx(gain)


def test_cuts_that_other_values_would_have_led_to_are_not_said_to_tell_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the nine ways to deal out values three lead to these classes: three people are certain."""
    table = pl.DataFrame(
        [
            (20, "f", "x"), (56, "m", "y"), (38, "f", "x"),
            (46, "m", "y"), (44, "m", "x"), (36, "m", "y"),
        ],
        ["age", "sex", "ill"],
        orient="row",
    )  # fmt: skip
    keys = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
        ],
        "method": {"algorithm": "mondrian", "suppression_limit": 0.4, "seed": 3},
    }
    release = ind.anonymize(table, keys)
    found = ind.attack(table, release, keys, only=["minimality"])["minimality"]
    assert found.figures["assignments"] == 9
    assert found.success["certain"] == 0.5
    assert "in every order, all of them together. " in found.note
    monkeypatch.setattr(rerunning, "WORLDS", 8)
    found = ind.attack(table, release, keys, only=["minimality"])["minimality"]
    assert found.figures["plans"] == 0
    assert found.success["certain"] == 0
    assert found.note.endswith(
        "To what other classes other values would have led was not looked at."
    )


def test_a_second_release_may_have_intervals_of_another_width() -> None:
    """Those from 24 to 26 have x, y and z, and with 27 x, x, y and z: 27 has x; and so on to 32."""
    values = "xyzxyyzzxyxz"
    table = pl.DataFrame({"age": range(24, 36), "ill": list(values)})
    policies = [
        {
            "attributes": {
                "age": {
                    "role": "quasi-identifier",
                    "hierarchy": {"intervals": {"width": width}},
                    "min_level": 1,
                },
                "ill": {"role": "sensitive"},
            },
            "promises": [{"model": "k-anonymity", "k": 2}],
        }
        for width in (3, 4)
    ]
    first, second = (ind.anonymize(table, policy) for policy in policies)
    assert second.tables["age"].unique().sort().to_list() == ["[24, 28)", "[28, 32)", "[32, 36)"]
    report = ind.attack(table, first, policies[0], second=second, only=["composition"])
    found = report["composition"]
    assert found.success == pytest.approx({"0.5": 0.5, "0.95": 0.5, "certain": 0.5})
    assert found.figures["left_with_one"] == 0.5
    assert found.figures["first_certain"] == 0
    assert found.gain["max"] == pytest.approx(1 - 1 / 3)


TOWNS = {
    first: {"*": tree}
    for first, tree in (
        ("here", {"west": ["A", "B"], "east": ["C", "D"]}),
        ("there", {"north": ["A", "C", "D"], "west": ["B"]}),
    )
}


def composed(
    first: list[tuple[str, str]], cells: list[str], values: str, second: object = None
) -> tuple[float, tuple[str, ...]]:
    """What a release by age and town and another one by town say together of A, B, C, D."""
    table = pl.DataFrame(
        {"age": ["30", "30", "40", "40"], "town": list("ABCD"), "ill": list(values)}
    )
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "town": {"role": "quasi-identifier", "hierarchy": {"tree": TOWNS["here"]}},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 1}],
    }
    one = pl.DataFrame(first, ["age", "town"], orient="row").with_columns(table["ill"])
    two = pl.DataFrame({"town": cells, "ill": list(values)}) if second is None else second
    report = ind.attack(table, one, policy, second=two, only=["composition"])
    return report["composition"].success["certain"], report.notes


def test_a_second_release_is_attacked_by_the_columns_it_has() -> None:
    classes = [("30", "*")] * 2 + [("40", "*")] * 2
    assert composed(classes, ["west", "west", "east", "east"], "xyxy")[0] == 0
    certain, notes = composed(classes, ["A", "B", "C", "D"], "xyxy")
    assert certain == 1
    assert notes == ("second release: the release has no column 'age': nothing is learnt from it",)


def test_a_column_of_a_second_release_that_nothing_can_read_is_left_out() -> None:
    """A town somewhere in the north may be anywhere; age alone still tells."""
    classes = [("*", "A"), ("*", "B"), ("*", "C"), ("*", "D")]
    two = pl.DataFrame(
        {"age": ["30", "30", "40", "40"], "town": ["north"] * 4, "ill": ["x", "x", "y", "y"]}
    )
    certain, notes = composed([("*", "*")] * 4, [], "xxyy", two)
    assert certain == 1
    assert notes[-1:] == (
        "second release: 'town' is left out: nothing says what some of its cells stand for; an "
        "attacker may know",
    )
    with pytest.raises(ind.DataError) as caught:
        composed(classes, [], "xxyy", two.drop("age"))
    assert [item.code for item in caught.value.problems] == ["unreadable-cell"]


def test_a_second_release_is_read_by_the_hierarchies_it_was_made_with() -> None:
    """West is A and B in one release, and B alone in the other, as its policy says."""
    table = pl.DataFrame({"town": list("ABCD"), "ill": list("xyyz")})
    policy = {
        "attributes": {
            "town": {
                "role": "quasi-identifier",
                "hierarchy": {"tree": TOWNS["there"]},
                "min_level": 1,
                "max_level": 1,
            },
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 1}],
    }
    second = ind.anonymize(table, policy)
    assert sorted(second.tables["town"]) == ["north", "north", "north", "west"]
    classes = [("*", "west")] * 2 + [("*", "east")] * 2
    # West here is x or y, east y or z. There B is y, so A is x; C and D are y or z.
    certain, notes = composed(classes, [], "xyyz", second)
    assert certain == 0.5
    assert notes[-1] == "second release: 'town' read by the hierarchy of its own policy"
    # By the first hierarchy A could be that row of the west as well, and nobody anything else.
    with pytest.raises(ind.DataError):
        composed(classes, [], "xyyz", second.tables)
