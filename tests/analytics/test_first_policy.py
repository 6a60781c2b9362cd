from __future__ import annotations

import lzma
import tomllib
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.described import Profile
from indistinct.analytics.profile.first_policy import (
    first_policy,
    health_policy,
    toml_value,
    write_first_policy,
)
from indistinct.document import toml_key, toml_string
from indistinct.errors import OutputError
from indistinct.hierarchies.build import build_taxonomy
from indistinct.policy import Policy
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table

HEART = (
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak",
    "slope", "ca", "thal", "num",
)  # fmt: skip


def quasi(seen: Profile) -> list[str]:
    return [item.attribute for item in seen.with_role("quasi-identifier")]


def loaded(text: str, tmp_path: Path) -> Policy:
    path = tmp_path / "release.toml"
    write_first_policy(text, path)
    return Policy.load(path)


def accepted(frame: pl.DataFrame, tmp_path: Path) -> Profile:
    """The profile of a table whose first policy loads, fits the table, and gives a release."""
    seen = profile(frame)
    policy = loaded(first_policy(seen), tmp_path)
    assert list(policy.attributes) != []
    assert set(policy.attributes) == set(frame.columns)
    assert sorted(policy.quasi_identifiers) == sorted(quasi(seen))
    tokens = {
        name: item.missing.tokens for name, item in policy.attributes.items() if item.missing.tokens
    }
    table = open_table(frame, missing_tokens=tokens)
    for name in policy.quasi_identifiers:
        counted = table.distinct([name])
        item = policy.attributes[name]
        values, counts = counted[name].to_list(), counted["count"].to_list()
        taxonomy = build_taxonomy(
            name, item.hierarchy, values, counts,
            directory=tmp_path, missing=item.missing.as_, uncovered=item.uncovered,
        )  # fmt: skip
        assert taxonomy.has_root, name
    if frame.height >= 100:
        release = anonymize(frame, policy)
        published = release.certificate.to_dict()
        assert all(item["holds"] for item in published["promises"])
        assert release.tables.height >= 0.95 * frame.height
    return seen


def test_stroke(shared: Path, tmp_path: Path) -> None:
    frame = read_table(shared / "data" / "stroke" / "healthcare-dataset-stroke-data.csv")
    seen = accepted(frame, tmp_path)
    assert quasi(seen) == ["gender", "age", "ever_married", "work_type", "Residence_type"]
    assert seen["id"].role == "identifier"
    assert seen["bmi"].missing_tokens == {"N/A": 201}
    assert [warned.code for warned in seen["avg_glucose_level"].warnings] == ["nearly-unique"]
    assert 'missing = { tokens = ["N/A"], as = "value" }' in first_policy(seen)


def test_nhanes(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "nhanes.csv"
    packed = (shared / "data" / "nhanes" / "nhanes.csv.xz").read_bytes()
    path.write_bytes(lzma.decompress(packed))
    seen = accepted(read_table(path), tmp_path)
    assert quasi(seen) == [
        "SurveyYr", "Gender", "Age", "AgeDecade", "AgeMonths", "Race1", "Race3", "Education",
        "MaritalStatus", "HomeOwn", "Work",
    ]  # fmt: skip
    assert [item.attribute for item in seen.with_role("identifier")] == ["ID"]
    told = {"many-columns", "people-with-several-records"}
    assert {warned.code for warned in seen.warnings} == told
    unique = {item.attribute for item in seen.attributes if item.warnings}
    assert {"Testosterone", "UrineFlow1", "HeadCirc", "Length"} <= unique
    assert not unique & {"Diabetes", "Pulse", "Poverty"}


def test_heart(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "heart.csv"
    data = (shared / "data" / "heart" / "processed.cleveland.data").read_text(encoding="utf-8")
    path.write_text(",".join(HEART) + "\n" + data, encoding="utf-8")
    seen = accepted(read_table(path), tmp_path)
    assert quasi(seen) == ["age", "sex"]
    assert seen["chol"].distinct == 152
    assert seen["chol"].role in ("sensitive", "insensitive")
    assert [warned.code for warned in seen["chol"].warnings] == ["nearly-unique"]


def test_adult(shared: Path, tmp_path: Path) -> None:
    seen = accepted(read_table(shared / "data" / "adult" / "adult.csv"), tmp_path)
    assert len(quasi(seen)) == 8
    assert seen["salary-class"].role == "sensitive"
    assert seen["age"].hierarchy == {"intervals": {"width": 5, "top": 90}}


def test_synthea_patients(shared: Path, tmp_path: Path) -> None:
    seen = accepted(read_table(shared / "data" / "synthea" / "patients.csv"), tmp_path)
    roles = {item.attribute: item.role for item in seen.attributes}
    for name in ("Id", "SSN", "DRIVERS", "PASSPORT", "FIRST", "LAST", "MAIDEN", "ADDRESS", "LAT"):
        assert roles[name] == "identifier", name
    for name in ("BIRTHDATE", "RACE", "GENDER", "ZIP", "CITY"):
        assert roles[name] == "quasi-identifier", name
    letters = {tag.kind.letter for item in seen.attributes for tag in item.tags}
    assert {"A", "B", "C", "G", "K", "R"} <= letters


def test_omop_people(shared: Path, tmp_path: Path) -> None:
    seen = accepted(read_table(shared / "data" / "omop_gibleed" / "PERSON.csv"), tmp_path)
    roles = {item.attribute: item.role for item in seen.attributes}
    assert roles["PERSON_ID"] == roles["PERSON_SOURCE_VALUE"] == "identifier"
    assert roles["YEAR_OF_BIRTH"] == roles["BIRTH_DATETIME"] == "quasi-identifier"


def test_the_text_says_why(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "age": [str(at % 60) for at in range(100)],
            "colour": ["red", "green", "blue", "?"] * 25,
            "race": ["A", "B", "C", "D"] * 25,
            "email": [f"p{at}@home.org" for at in range(100)],
        }
    )
    text = first_policy(accepted(frame, tmp_path), source={"separator": ";"}, k=7)
    assert "# its name says age: others know the approximate age" in text
    assert "# whole numbers; 60 distinct values in 100 records; 20.0% unique" in text
    assert '# hierarchy = { tree = { "*" = { "group 1" = ["A", "B"], "group 2" =' in text
    assert "Safe Harbor (F) e-mail addresses" in text
    assert '25 missing (25.0%, written "?")' in text.replace("\n# ", " ")
    assert '[source]\nseparator = ";"' in text
    assert tomllib.loads(text)["promises"] == [{"model": "k-anonymity", "k": 7}]
    assert "home.org" not in text
    assert "red" not in text.replace("hundred", "")
    assert max(map(len, text.splitlines())) <= 110


def test_the_commented_tree_is_a_hierarchy_when_it_is_uncommented() -> None:
    frame = pl.DataFrame({"race": ["A", "B", "C", 'D "x"'] * 25})
    lines = first_policy(profile(frame)).splitlines()
    (line,) = [line for line in lines if line.startswith("# hierarchy = ")]
    tree = tomllib.loads(line.removeprefix("# "))["hierarchy"]
    build_taxonomy("race", tree, ["A", "B", "C", 'D "x"'], [25] * 4, directory=".")


def test_without_a_quasi_identifier_a_person_must_name_one() -> None:
    text = first_policy(profile(pl.DataFrame({"x": ["a", "b"] * 20})))
    assert "# No quasi-identifier was recognised" in text
    tomllib.loads(text)


def test_a_draft_of_one_column_with_a_stray_can_be_run() -> None:
    """A record of which only * would be published counts as left out, which 0 did not allow."""
    ages = [str(20 + at * 7 % 60) for at in range(400)]
    frame = pl.DataFrame({"age": ["[unknown age]", *ages[1:]], "diabetes": ["yes", "no"] * 200})
    seen = profile(frame)
    assert quasi(seen) == ["age"]
    policy = tomllib.loads(first_policy(seen))
    assert policy["attributes"]["age"]["uncovered"] == "suppress"
    assert policy["method"]["suppression_limit"] == 0.05
    release = anonymize(frame, Policy.from_dict(policy))
    assert release.tables.height >= 380


def test_a_small_table_gets_a_promise_it_can_keep() -> None:
    text = first_policy(profile(pl.DataFrame({"sex": ["a", "b", "a"]})))
    assert tomllib.loads(text)["promises"][0]["k"] == 3


_NAMES = st.lists(st.text(min_size=1, max_size=15), min_size=1, max_size=5, unique=True)


@settings(max_examples=30)
@given(_NAMES, st.lists(st.text(max_size=8), min_size=3, max_size=10))
def test_any_names_and_values_make_a_file(names: list[str], values: list[str]) -> None:
    names = [name for name in names if name.strip()] or ["x"]
    frame = pl.DataFrame(dict.fromkeys(names, values))
    text = first_policy(profile(frame))
    assert sorted(tomllib.loads(text)["attributes"]) == sorted(names)


@given(st.text())
def test_keys_and_texts_survive(text: str) -> None:
    assert tomllib.loads(f"{toml_key(text)} = 1") == {text: 1}
    assert tomllib.loads(f"x = {toml_string(text)}") == {"x": text}


_PLAIN = st.recursive(
    st.text() | st.integers(-(2**40), 2**40) | st.booleans() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(_PLAIN)
def test_values_survive(value: Any) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}") == {"x": value}


def test_no_file_is_replaced_unasked(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    write_first_policy("a = 1\n", path)
    with pytest.raises(OutputError, match="there already"):
        write_first_policy("a = 2\n", path)
    assert path.read_text(encoding="utf-8") == "a = 1\n"
    write_first_policy("a = 2\n", path, overwrite=True)
    assert path.read_text(encoding="utf-8") == "a = 2\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write here"):
        write_first_policy("", tmp_path / "no folder" / "release.toml")


def encounters(patient: str) -> pl.DataFrame:
    """One to five stays per patient, two rows per stay; names tell nothing but sex and birth."""
    random = Random(5)
    rows = []
    for at in range(300):
        who = (f"{1000 + 7 * at}", random.choice("fm"), 1930 + random.randrange(60))
        for stay in range(1 + at % 5):
            for _ in range(2):
                rows.append(
                    (*who, f"S{at}-{stay}", 30 + stay, random.random(), random.choice("ABC"))
                )
    names = [patient, "sex", "birth_year", "adm", "age", "x9", "drug"]
    return pl.DataFrame(rows, schema=names, orient="row")


@pytest.mark.parametrize("name", ["patient_nbr", "pat_nr", "case_no", "patientnummer", "q7"])
def test_numbers_of_people_are_found_whatever_they_are_called(name: str, tmp_path: Path) -> None:
    frame = encounters(name)
    seen = profile(frame)
    assert seen.person is not None
    assert seen.person.column == name
    assert seen["adm"].role == "identifier"
    policy = loaded(first_policy(seen), tmp_path)
    assert policy.person == name
    release = anonymize(frame, policy)
    assert isinstance(release.tables, pl.DataFrame)
    published = {str(cell) for column in release.tables for cell in column.to_list()}
    assert not published & {str(cell) for cell in (*frame[name], *frame["adm"], *frame["x9"])}
    assert release.certificate.classes["smallest"] >= 5


def test_numbers_of_people_among_columns_of_which_nothing_is_known() -> None:
    frame = encounters("q7").rename({"sex": "a1", "birth_year": "a2", "age": "a3"})
    found = profile(frame).person
    assert found is not None
    assert found.column == "q7"


def test_codes_with_their_names_number_nobody() -> None:
    random = Random(2)
    codes = [random.randrange(60) for _ in range(2000)]
    frame = pl.DataFrame(
        {
            "ward_nr": [str(code) for code in codes],
            "ward_name": [f"ward {code}" for code in codes],
            "floor": [str(code // 10) for code in codes],
            "sex": [random.choice("fm") for _ in codes],
        }
    )
    for table in (frame, frame.rename({"sex": "a1"})):
        assert profile(table).person is None


def test_nothing_nearly_unique_is_published_before_somebody_decides() -> None:
    for records in (8, 500):
        frame = pl.DataFrame(
            {
                "sex": ["f", "m"] * (records // 2),
                "reading": [at / 7 for at in range(records)],
                "kind": ["a", "b"] * (records // 2),
            }
        )
        closed = profile(frame).closed()
        assert closed["reading"].role == "identifier"
        assert closed["reading"].why.startswith("left out until you decide")
        assert closed["kind"].role == ("identifier" if records == 8 else "sensitive")
        policy = Policy.from_dict(tomllib.loads(first_policy(profile(frame))))
        assert policy.attributes["reading"].role == "identifier"


def stays(people: int = 300, seed: int = 3) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    rows = [
        (f"P{at:04d}", int(random.integers(20, 80)), code, drug)
        for at in range(people)
        for code, drug in zip(
            [f"E{own:02d}" for own in random.integers(0, 25, 3)],
            random.choice(["aspirin", "insulin", "a very rare drug"], 3, p=[0.6, 0.399, 0.001]),
            strict=True,
        )
    ]
    table = pl.DataFrame(rows, ["patient_id", "age", "diagnosis", "drug"], orient="row")
    return table.with_columns(pl.col("age").first().over("patient_id"))


def test_people_with_many_records_get_a_promise_about_these(tmp_path: Path) -> None:
    table = stays()
    text = first_policy(profile(table))
    policy = loaded(text, tmp_path)
    asked = {item.sensitive: item for item in policy.promises if item.model == "km-anonymity"}
    assert policy.promises[0].model == "k-anonymity"
    assert asked["diagnosis"].parameters == {"k": 5, "m": 2}
    assert policy.attributes["diagnosis"].hierarchy == {"code_system": "icd-10"}
    assert policy.method.suppression_limit == round(0.05 / len(asked), 3)
    assert "and known-records in its place bounds that" in " ".join(text.split("\n# "))
    release = anonymize(table, policy)
    assert all(item["holds"] for item in release.certificate.promises)
    one = table.unique("patient_id", keep="first", maintain_order=True)
    assert "km-anonymity" not in first_policy(profile(one))


def test_visits_are_of_records_and_several_columns_of_codes_are_one_set(tmp_path: Path) -> None:
    table = stays(60).with_row_index("at")
    own = pl.col("at") % 5
    table = table.with_columns(
        other_diagnosis=pl.concat_str(pl.lit("E"), own.cast(pl.String).str.zfill(2)),
        weight_kg=50 + pl.col("at") // 3 % 41 + 0.5,
        ward=own.cast(pl.String),
        city=pl.when(pl.col("at") == 7).then(pl.lit("Bonn")).otherwise(pl.lit("Rome")),
    ).drop("at", "drug")
    policy = loaded(first_policy(profile(table)), tmp_path)
    assert {name: item.level for name, item in policy.attributes.items() if item.level} == {
        **dict.fromkeys(policy.attributes, "person"),
        "ward": "event",
    }
    assert policy.source.conflicts == "first"  # of the city alone
    models = [item.model for item in policy.promises]
    assert models == ["k-anonymity", "km-anonymity", "known-visit"]
    assert policy.promises[1].parameters["together"] == ["other_diagnosis"]
    assert policy.attributes["weight_kg"].hierarchy is None
    (tmp_path / "alone").mkdir()
    alone = loaded(first_policy(profile(table.drop("age", "city"))), tmp_path / "alone")
    assert alone.attributes["ward"].level == "event"
    assert alone.source.constant == {"everybody": "all"}  # classes are made of people


@pytest.mark.parametrize("form", ["fhir", "omop"])
def test_health_formats_get_it_too(form: str, tmp_path: Path) -> None:
    policy = loaded(health_policy(form), tmp_path)
    assert [item.model for item in policy.promises] == ["k-anonymity", "km-anonymity"]
    assert policy.promises[1].parameters == {"k": 5, "m": 1}


def test_a_household_is_no_person() -> None:
    random = Random(4)
    rows = [
        (f"H{house}", f"H{house}-{member}", sex, born, race)
        for house in range(300)
        for race in [random.choice("ABC")]
        for member in range(1 + house % 4)
        for sex, born in [(random.choice("fm"), 1930 + random.randrange(60))]
        for _ in range(2)
    ]
    names = ["household_id", "patient_id", "sex", "birth_year", "race"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    found = profile(frame).person
    assert found is not None
    assert (found.column, found.sure) == ("patient_id", True)
    alone = profile(frame.drop("patient_id"))
    assert alone.person is None or not alone.person.sure
    assert "\nperson = " not in first_policy(alone)
    assert "km-anonymity" not in first_policy(alone)
    assert alone.to_dict()["person"] is None


def test_where_all_quasi_identifiers_are_of_visits_all_people_are_one_class() -> None:
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{at // 4 * 7919 + 10**6}" for at in range(400)],
            "visit_date": [
                f"2020-{at * 7 % 12 + 1:02d}-{at * 11 % 28 + 1:02d}" for at in range(400)
            ],
            "ward": ["north", "south", "east"] * 133 + ["north"],
        }
    )
    policy = Policy.from_dict(tomllib.loads(first_policy(profile(frame))))
    assert policy.person == "patient_id"
    assert policy.visit_identifiers == ("visit_date", "ward")
    assert policy.quasi_identifiers == ("everybody",)


def test_durations_are_said_to_be_better_as_numbers() -> None:
    stay = pl.Series([timedelta(days=at % 40) for at in range(400)])
    told = first_policy(profile(pl.DataFrame({"age": [*range(20, 60)] * 10, "stay": stay})))
    assert "# durations or times of day; 40 distinct values" in told
    assert "# as numbers, of days or hours, they would be put into intervals" in told
