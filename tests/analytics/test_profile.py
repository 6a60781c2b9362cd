from __future__ import annotations

import json
import random
import tomllib
from datetime import date, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.profile.codebooks import titles_of
from indistinct.analytics.profile.columns import _beside, profile
from indistinct.analytics.profile.concepts import concept_of
from indistinct.analytics.profile.described import Profile
from indistinct.analytics.profile.first_policy import first_policy
from indistinct.analytics.profile.names import without_prefix
from indistinct.analytics.profile.one_column import look_at
from indistinct.analytics.profile.person_keys import Column
from indistinct.errors import DataError, UncertainNames
from indistinct.hierarchies.build import build_taxonomy
from indistinct.intake.forgotten import forgotten
from indistinct.policy import DraftPolicy
from indistinct.sources.eager import PolarsTable
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table
from indistinct.sources.table import column_names

N = 400


def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [f"{at:05d}" for at in range(N)],
            "Name": [f"Person{at}" for at in range(N)],
            "age": [str(at * 7 % 95) for at in range(N)],
            "AgeGroup": [f"{at * 7 % 95 // 20 * 20}+" for at in range(N)],
            "Geschlecht": ["m" if at % 2 else "w" for at in range(N)],
            "zip": [f"{10000 + at * 13 % 90:05d}" for at in range(N)],
            "admitted": [f"2024-{at % 12 + 1:02d}-{at % 28 + 1:02d}" for at in range(N)],
            "diagnosis": [f"I{at % 9}" for at in range(N)],
            "chol": [str(150 + at * 11 % 130) if at % 10 else "?" for at in range(N)],
            "remarks": [f"Came {at} times since and slept badly each night" for at in range(N)],
            "device": ["pump" if at % 3 else None for at in range(N)],
            "constant": ["x"] * N,
            "empty": pl.Series([None] * N, dtype=pl.String),
            "count": [str(at % 11 % 3) for at in range(N)],
        }
    )


@pytest.fixture(scope="module")
def seen() -> Profile:
    return profile(people(), "people.csv")


def test_roles(seen: Profile) -> None:
    assert {item.attribute: item.role for item in seen.attributes} == {
        "id": "identifier",
        "Name": "identifier",
        "age": "quasi-identifier",
        "AgeGroup": "quasi-identifier",
        "Geschlecht": "quasi-identifier",
        "zip": "quasi-identifier",
        "admitted": "quasi-identifier",
        "diagnosis": "sensitive",
        "chol": "sensitive",
        "remarks": "identifier",
        "device": "sensitive",
        "constant": "insensitive",
        "empty": "identifier",
        "count": "sensitive",
    }
    assert len(seen.with_role("quasi-identifier")) == 5
    assert "5 quasi-identifier" in repr(seen)


def test_reasons_name_what_they_rest_on(seen: Profile) -> None:
    assert seen["Geschlecht"].why == "its values are the sexes: others know it"
    assert seen["id"].why.startswith("Safe Harbor (R)")
    assert "its name says id" in seen["id"].why
    assert seen["empty"].why == "left out until you decide: no value to look at"


def test_figures(seen: Profile) -> None:
    chol = seen["chol"]
    assert (chol.kind, chol.missing, chol.missing_tokens) == ("integer", 40, {"?": 40})
    assert chol.distinct == people().filter(pl.col("chol") != "?")["chol"].n_unique()
    assert seen["id"].unique_share == 1.0
    assert seen["Geschlecht"].unique_share == 0.0
    assert seen["device"].missing == sum(at % 3 == 0 for at in range(N))
    assert seen["empty"].distinct == 0
    assert seen.records == N


def test_nearly_unique_columns_are_pointed_out(seen: Profile) -> None:
    (warned,) = seen["chol"].warnings
    assert warned.code == "nearly-unique"
    assert "anyone who knows the value finds the record" in warned.message
    assert seen["diagnosis"].warnings == ()


def test_free_text_is_pointed_out(seen: Profile) -> None:
    assert seen["remarks"].free_text
    assert [warned.code for warned in seen["remarks"].warnings] == ["free-text"]
    assert not seen["diagnosis"].free_text


def test_what_follows_from_another_column_is_noted(seen: Profile) -> None:
    assert "follows from 'age'" in seen["AgeGroup"].notes[0]
    assert seen["age"].notes == ()
    assert (
        "tell what other quasi-identifiers tell: leave one of them out",
        ("AgeGroup",),
    ) in (seen.doubts)


def test_plain_data(seen: Profile) -> None:
    plain = json.loads(json.dumps(seen.to_dict()))
    first = plain["attributes"][0]
    assert {"attribute", "role", "why", "kind", "distinct", "unique_share", "missing", "tags",
            "hierarchy", "warnings"} <= set(first)  # fmt: skip
    assert first["tags"][0]["name"] == "other"
    assert seen.suggested()[2] == {
        "attribute": "age", "role": "quasi-identifier", "why": seen["age"].why,
    }  # fmt: skip


def test_no_value_of_identifiers_and_free_text_is_told(seen: Profile) -> None:
    told = json.dumps(seen.to_dict())
    for private in ("Person", "00001", "slept badly"):
        assert private not in told


def test_people_with_several_records() -> None:
    frame = people().with_columns(pl.col("id").str.slice(0, 4))
    assert [warned.code for warned in profile(frame).warnings] == ["people-with-several-records"]


def test_more_values_than_people_differ_and_are_not_counted_by_person(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pl.DataFrame(
        {
            "mrn": [f"P{at % 100:04}" for at in range(N)],
            "sex": ["m" if at % 100 % 2 else "w" for at in range(N)],
            "admitted": [str(datetime(2024, 1, 1) + at * timedelta(hours=7)) for at in range(N)],
        }
    )
    counted: list[set[str]] = []
    plain = PolarsTable.distinct
    monkeypatch.setattr(
        PolarsTable,
        "distinct",
        lambda table, columns: counted.append(set(columns)) or plain(table, columns),
    )
    found = profile(frame).person
    assert found is not None
    assert found.column == "mrn"
    assert found.differing == ("admitted",)
    assert counted.count({"mrn", "admitted"}) == 0
    frame = frame.with_columns(mrn=pl.when(pl.int_range(N) % 9 > 0).then("mrn"))
    assert profile(frame).person.differing == ("admitted",)  # some have no number


def test_no_quasi_identifier_and_too_many() -> None:
    bare = profile(pl.DataFrame({"x": ["a", "b"] * 20}))
    assert [warned.code for warned in bare.warnings] == ["no-quasi-identifier"]
    many = profile(pl.DataFrame({f"race{at}": ["a", "b"] * 20 for at in range(12)}))
    assert [warned.code for warned in many.warnings] == ["many-quasi-identifiers"]


def test_a_table_of_places_is_told() -> None:
    draw = random.Random(6)
    countries = ["Chile", "Peru", "Kenya", "Ghana", "Nepal", "Italy", "Spain", "France", "Poland"]
    frame = pl.DataFrame(
        {
            "country": [f"{countries[at % 9]} {'ABCDE'[at // 9]}" for at in range(45)],
            "births": [f"{draw.gauss(20, 5):.2f}" for _ in range(45)],
            "doctors": [str(draw.randrange(900)) for _ in range(45)],
        }
    )

    def told(table: pl.DataFrame) -> bool:
        return any(one.code == "rows-are-places" for one in profile(table, "t").warnings)

    assert told(frame)
    assert not told(frame.head(19))
    assert not told(frame.with_columns(pl.Series("sex", ["m", "f", "f"] * 15)))
    assert not told(frame.with_columns(pl.Series("patient_id", [f"{at:05d}" for at in range(45)])))
    assert not told(frame.drop("births"))
    assert not told(frame.with_columns(country=pl.Series(countries * 5)))
    counted = {"population": [str(1000 + at * 37) for at in range(45)]}
    for share in ("pct_rural", "poverty_rate"):
        counted[share] = [f"{draw.random():.3f}" for _ in range(45)]
    counties = pl.DataFrame({"fips": [str(1001 + 2 * at) for at in range(45)], **counted})
    assert told(counties)
    assert not told(counties.drop("poverty_rate"))
    assert not told(counties.with_columns(population=pl.Series(["500", "600", "700"] * 15)))
    assert not told(counties.with_columns(pl.Series("sex", ["m", "f", "f"] * 15)))


def test_a_wide_table_needs_few_of_its_columns() -> None:
    for columns, told in ((59, []), (60, ["many-columns"])):
        wide = profile(pl.DataFrame({f"x{at}": ["a", "b"] * 20 for at in range(columns)}))
        codes = [warned.code for warned in wide.warnings if warned.code == "many-columns"]
        assert codes == told
    (said,) = (warned.message for warned in wide.warnings if warned.code == "many-columns")
    assert said.startswith("60 columns: ")
    assert 'rest = "drop" above the first table' in said


def test_strays_are_told_by_their_rows() -> None:
    frame = people().with_columns(
        pl.when(pl.int_range(pl.len()) == 6).then(pl.lit("4e")).otherwise("age").alias("age")
    )
    (warned,) = profile(frame)["age"].warnings
    assert "row 7" in warned.message
    assert "4e" not in warned.message


def test_the_engine_makes_no_difference(seen: Profile) -> None:
    frame = people().drop("empty", "count")
    relation = duckdb.from_arrow(frame.to_arrow())
    for data in (frame.lazy(), frame.to_pandas(), relation):
        found = profile(data, "people.csv")
        plain = [item.to_dict() for item in found.attributes]
        assert plain == [
            item.to_dict() for item in seen.attributes if item.attribute not in ("empty", "count")
        ]


def test_typed_columns() -> None:
    frame = pl.DataFrame(
        {
            "age": list(range(40)),
            "height": [1.5 + at / 100 for at in range(40)],
            "smoker": [at % 2 == 0 for at in range(40)],
            "born": pl.Series(range(40), dtype=pl.Int32).cast(pl.Date),
        }
    )
    found = profile(frame)
    assert [item.kind for item in found.attributes] == ["integer", "float", "boolean", "date"]
    assert found["born"].role == "quasi-identifier"


def test_no_table() -> None:
    with pytest.raises(DataError):
        profile(pl.DataFrame({"a": pl.Series([], dtype=pl.String)}))


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("Age", "age"),
        ("AGE_AT_ADMISSION", "age"),
        ("is_child", "age"),
        ("Volljährig", "age"),
        ("menor_de_edad", "age"),
        ("Age1stBaby", "health"),
        ("SmokeAge", "health"),
        ("sex", "sex"),
        ("GENDER_CONCEPT_ID", "sex"),
        ("SexAge", "sexual life"),
        ("Race1", "ethnicity"),
        ("native-country", "nationality"),
        ("Familienstand", "family"),
        ("ever_married", "family"),
        ("education-num", "education"),
        ("work_type", "occupation"),
        ("Residence_type", "place"),
        ("YEAR_OF_BIRTH", "birth"),
        ("length_of_stay", "stay"),
        ("ward", "stay"),
        ("ICD9CODX", "health"),
        ("discharge_status", "health"),
        ("Medikation", "health"),
        ("HHIncome", "money"),
        ("health_insurance", "money"),
        ("Gehalt", "money"),
        ("HomeRooms", None),
        ("fnlwgt", None),
        ("perweight", "survey"),
        ("hhweight", "survey"),
        ("yedu", "education"),
        ("Insurance Provider", "money"),
        ("NAICS code", "occupation"),
        ("MHTERM", "health"),
        ("AEBODSYS", "health"),
        ("AESPID", "number of a record"),
        ("midterm", "health"),
    ],
)
def test_what_names_are_about(name: str, about: str | None) -> None:
    found = concept_of(name)
    assert (found[0].name if found else None) == about


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("BENE_SEX_IDENT_CD", "sex"),
        ("donor.sex", "sex"),
        ("SexEver", "sexual life"),
        ("MEDREIMB_IP", "money"),
        ("PPPYMT_OP", "money"),
        ("MEDICAL_UNIT", "stay"),
        ("medical_specialty", "stay"),
        ("time_in_hospital", "stay"),
        ("DATE_DIED", "death"),
        ("age_at_diagnosis", "age"),
        ("mother_age", "age"),
        ("fatheduc", "education"),
        ("n_children", "family"),
        ("ndisease", "health"),
        ("metformin", "health"),
        ("appendicitis", "health"),
        ("COPD", "health"),
        ("passengerClass", "travel"),
    ],
)
def test_names_are_read_as_words(name: str, about: str) -> None:
    found = concept_of(name)
    assert found is not None
    assert found[0].name == about


def test_an_amount_is_no_address() -> None:
    frame = pl.DataFrame({"MEDREIMB_IP": [str(at * 10 % 700) for at in range(N)]})
    item = profile(frame)["MEDREIMB_IP"]
    assert (item.role, item.tags) == ("sensitive", ())


def illnesses() -> pl.DataFrame:
    """Codes of illnesses as a ministry writes them: 97 not applicable, 98 and 99 unknown."""
    codes = {
        "PNEUMONIA": [1, 2, 99], "COPD": [1, 2, 98], "ASTHMA": [2, 1, 98], "DIABETES": [2, 1, 98],
        "INMSUPR": [2, 1, 98], "INTUBED": [97, 2, 1], "ICU": [97, 2, 99],
    }  # fmt: skip
    return pl.DataFrame(
        {
            "SEX": [1 + at % 2 for at in range(N)],
            "AGE": [at % 100 for at in range(N)],
            "DATE_DIED": [
                "9999-99-99" if at % 3 else f"{at % 28 + 1:02d}/05/20" for at in range(N)
            ],
            **{name: [few[at * 7 % 11 % 3] for at in range(N)] for name, few in codes.items()},
        }
    ).cast(pl.String)


def test_columns_alike_are_treated_alike() -> None:
    seen = profile(illnesses())
    roles = {item.attribute: item.role for item in seen.attributes}
    assert [name for name, role in roles.items() if role == "quasi-identifier"] == [
        *("SEX", "AGE", "DATE_DIED")
    ]
    assert not seen["INMSUPR"].sure
    assert seen["INMSUPR"].why == "it is next to 'DIABETES' and has the same values"


def test_codes_for_missing_are_told_from_values() -> None:
    seen = profile(illnesses())
    assert set(seen["ICU"].missing_tokens) == {"97", "99"}
    assert set(seen["ASTHMA"].missing_tokens) == {"98"}
    assert seen["AGE"].missing_tokens == {}
    assert list(seen["DATE_DIED"].missing_tokens) == ["9999-99-99"]
    assert seen["DATE_DIED"].type == "date"
    assert {item.type for item in seen.with_role("sensitive")} == {"category"}
    told = dict(seen.doubts)
    assert told["taken for missing: 97, 99"] == ("ICU",)


@pytest.mark.parametrize(
    "values",
    [
        [f"{at * 7919 % 900_000 + 100_000}" for at in range(N)],
        [f"{at // 8 * 7919 % 900_000 + 100_000}" for at in range(2 * N)],
        [f"K{at // 8:04d}" for at in range(2 * N)],
        [f"{at}" for at in range(N)],
    ],
)
def test_what_could_be_a_number_of_people_is_left_out(values: list[str]) -> None:
    frame = pl.DataFrame({"zq": values}).with_row_index("at")
    ill = [(pl.col("at") % 3).cast(pl.String).alias(name) for name in ("diabetes", "asthma")]
    seen = profile(frame.with_columns(*ill).drop("at")).closed()
    assert seen["zq"].role == "identifier"


def test_numbers_of_people_in_a_second_column_are_left_out_too() -> None:
    ids = [f"{1_000_000 + 17 * at}" for at in range(N)]
    frame = pl.DataFrame({"patient_id": ids, "infected_by": [ids[at // 6] for at in range(N)]})
    item = profile(frame)["infected_by"]
    assert (item.role, item.why) == ("identifier", "its values are those of 'patient_id'")


def test_a_column_called_like_another_has_its_role() -> None:
    frame = people().select(
        "diagnosis",
        "chol",
        ed=pl.Series(["1", "2", "3", "4"] * (N // 4)),
        ded=pl.Series(["1", "2", "3", "5"] * (N // 4)),
        older=pl.Series([str(int(at * 7 % 95 > 50)) for at in range(N)]),
        age=pl.Series([str(at % 37) for at in range(N)]),
        old=pl.Series([str(int(at % 37 > 20)) for at in range(N)]),
    )
    seen = profile(frame)
    assert (seen["ded"].role, seen["ded"].why) == (*("quasi-identifier", "it is called like 'ed'"),)
    assert (seen["old"].role, seen["old"].why) == ("quasi-identifier", "it follows from 'age'")
    assert seen["older"].role == "sensitive"


def test_what_nothing_speaks_for_is_sensitive_as_it_could_harm() -> None:
    columns = {"age": [str(at % 50) for at in range(N)], "colour": ["a", "b", "b", "a"] * 100}
    seen = profile(pl.DataFrame(columns))["colour"]
    assert (seen.role, seen.sure) == ("sensitive", False)
    assert "about people" in seen.why
    seen = profile(pl.DataFrame({"size": columns["age"], "colour": columns["colour"]}))["colour"]
    assert (seen.role, seen.sure) == ("sensitive", False)
    assert seen.why.startswith("nothing says what its table is about")


def test_what_follows_from_a_time_seldom_twice_alike_is_known_as_the_time_is() -> None:
    times = [f"{at * 7 % 24:02d}:{at * 13 % 60:02d}:00" for at in range(N)]
    frame = pl.DataFrame(
        {
            "sex": ["m", "f", "f", "m", "m"] * (N // 5),
            "x": times,
            "rounded": [time[:2].lstrip("0") or "0" for time in times],
            "other": [str(at * at // 7 % 24) for at in range(N)],
        }
    )
    seen = profile(frame)
    assert seen["rounded"].role == "quasi-identifier"
    assert seen["rounded"].why == "it follows from 'x'"
    assert seen["other"].role == "sensitive"


def test_what_lies_in_a_place_is_a_place_whatever_it_is_called() -> None:
    draw = np.random.default_rng(5)
    within = draw.integers(60, size=4 * N).tolist()
    frame = pl.DataFrame(
        {
            "sex": draw.choice(["m", "f"], 4 * N),
            "region": [
                f"R{at // 10}" if row % 50 else "R9"  # a few mistakes
                for row, at in enumerate(within)
            ],
            "sektor": [str(900 + at) for at in within],
            "x2": [f"B{one}" for one in draw.integers(40, size=4 * N)],
        }
    )
    seen = profile(frame)
    assert seen["sektor"].role == "quasi-identifier"
    assert seen["x2"].role == "sensitive"


def test_readings_are_sensitive_and_points_on_a_map_are_left_out() -> None:
    draw = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "sex": ["m", "f"] * (N // 2),
            "m1": [f"{one:.2f}" for one in draw.normal(40, 6, N)],
            "m2": [f"{one:.1f}" for one in draw.lognormal(3, 1, N)],
            "p": [f"{one:.5f}" for one in draw.normal(48.1, 0.2, N)],
            "q": [f"{one:.5f}" for one in draw.normal(11.5, 0.3, N)],
            "share": [f"{one:.7f}" for one in draw.random(N)],
        }
    )
    closed = profile(frame).closed()
    assert closed["m1"].role == closed["m2"].role == "sensitive"
    assert [warned.code for warned in closed["m1"].warnings] == ["nearly-unique"]
    assert closed["p"].role == closed["q"].role == "identifier"
    assert "points on a map" in closed["p"].why
    assert closed["share"].role == "identifier"


NO_VALUES: list[list[str | None]] = [
    [None], ["NA"], ["N/A", "."], ["unknown"], ["-"], ["  "], ["0000-00-00"]
]  # fmt: skip


@pytest.mark.parametrize("held", NO_VALUES)
@pytest.mark.parametrize("records", [5, N])
def test_a_column_without_any_value_is_left_out(held: list[str | None], records: int) -> None:
    names = ("residence", "status", "sex", "onset", "zzz", "patient_name", "phone", "csf_prot")
    columns = {name: pl.Series([held[at % len(held)] for at in range(records)]) for name in names}
    others = {
        "age": [str(20 + at % 60) for at in range(records)],
        "diagnosis": ["flu" if at % 3 else "cold" for at in range(records)],
        "csf_gluc": [f"{at % 7}.5" for at in range(records)],
        "csf_wbc": [f"{at % 5}.5" for at in range(records)],
    }
    closed = profile(pl.DataFrame(columns | others)).closed()
    assert {closed[name].role for name in names} == {"identifier"}
    assert closed["residence"].why == "left out until you decide: no value to look at"
    assert closed["patient_name"].why.startswith("Safe Harbor")
    told = {what: names for what, names in closed.doubts if what.startswith("left out")}
    assert "onset" in told["left out until you decide, as no record has a value"]


@pytest.mark.parametrize("records", [5, 20, 21])
def test_few_records_make_nothing_insensitive_because_nothing_was_seen(records: int) -> None:
    frame = pl.DataFrame(
        {
            "a": ["x"] * records,
            "sex": ["f"] * records,
            "b": ["u" if at % 2 else "v" for at in range(records)],
        }
    )
    closed = profile(frame).closed()
    published = {item.attribute for item in closed.with_role("insensitive")}
    assert published == ({"a", "sex"} if records > 20 else set())
    assert closed["sex"].role == ("insensitive" if records > 20 else "quasi-identifier")
    if records <= 20:
        assert f"{records} records to look at" in closed["a"].why


@pytest.mark.parametrize("name", ["phone", "ssn", "email", "account number"])
def test_one_value_for_all_is_left_out_where_the_name_speaks_of_people(name: str) -> None:
    frame = pl.DataFrame({name: ["xxx"] * N, "age": [str(at % 80) for at in range(N)]})
    assert profile(frame).closed()[name].role == "identifier"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("usia bulan", [str(at % 60) for at in range(N)], "quasi-identifier"),
        ("jk", ["L", "P"] * (N // 2), "quasi-identifier"),
        ("plec", ["K", "M"] * (N // 2), "quasi-identifier"),
        ("kolom", ["Laki-laki", "Perempuan"] * (N // 2), "quasi-identifier"),
        ("cor", ["Branca", "Parda", "Preta", "Branca"] * (N // 4), "quasi-identifier"),
        ("cp", ["28001", "28013", "08012", "41004"] * (N // 4), "quasi-identifier"),
        ("cp", ["0", "1", "2", "3"] * (N // 4), "sensitive"),
        ("Departamento_ocurrencia", ["A", "B", "C", "D"] * (N // 4), "quasi-identifier"),
        ("tekanan darah", [str(100 + at % 70) for at in range(N)], "sensitive"),
        ("EDADM", [str(at % 40 + 10) for at in range(N)], "quasi-identifier"),
        ("COD_MUN_O", [str(at % 40 + 100) for at in range(N)], "quasi-identifier"),
        ("Entage", [str(at % 40 + 10) for at in range(N)], "quasi-identifier"),
        ("Stage", [str(at % 40 + 10) for at in range(N)], "sensitive"),
        ("csex", ["0", "1", "1", "0"] * (N // 4), "quasi-identifier"),
        ("hhid", [str(at % 90 + 100) for at in range(N)], "identifier"),
        ("caseid", [f"{at % 90}" for at in range(N)], "identifier"),
        ("reply", ["Non", "Oui", "Non", "."] * (N // 4), "sensitive"),
        ("unit", ["mg/dL", "U/L", "%", "mIU/L"] * (N // 4), "sensitive"),
        ("UNIT", ["bpm", "degC", "breaths/min", "score"] * (N // 4), "sensitive"),
        ("group", [f"hospital_{at % 13 % 7}" for at in range(N)], "quasi-identifier"),
        ("poids", [f"{1 + at % 97 / 331:.6f}" for at in range(N)], "identifier"),
        ("sampling_wt", [f"{50000 + at % 97 / 331:.6f}" for at in range(N)], "identifier"),
        ("WTMEC4YR_norm", [f"{0.1 + at % 97 / 331:.6f}" for at in range(N)], "identifier"),
        ("centre_traitement", [f"ETC {'ABCDEFGH'[at % 8]}" for at in range(N)], "quasi-identifier"),
        ("poids", [f"{60 + at % 97 / 3:.1f}" for at in range(N)], "sensitive"),
        ("NAME_FAMILY", [f"Rossi{at}" for at in range(N)], "identifier"),
        ("POSTAL_CODE", [f"S{at % 9}M" for at in range(N)], "quasi-identifier"),
        ("place", [f"Hospital San {'ABCDEFGH'[at % 8]}" for at in range(N)], "quasi-identifier"),
        ("HABLA_LENGUA", ["1", "2", "2", "2"] * (N // 4), "quasi-identifier"),
        ("id_medico", [str(at % 49) for at in range(N)], "quasi-identifier"),
        ("Alter_bei_Anmeldung", [str(at % 70 + 10) for at in range(N)], "quasi-identifier"),
        ("Berufsstatus", ["Rentner", "Angestellt"] * (N // 2), "quasi-identifier"),
        ("STDs", ["0", "1", "0", "0"] * (N // 4), "sensitive"),
        ("Regional Node Examined", [str(at % 30) for at in range(N)], "sensitive"),
        ("state_of_origin", [f"{'ABCDEFGH'[at % 8]}land" for at in range(N)], "quasi-identifier"),
        ("Month of diagnosis", [str(at % 12 + 1) for at in range(N)], "quasi-identifier"),
        ("dose_unit", ["Mg", "mg.", "milligrams", "MG"] * (N // 4), "sensitive"),
        ("anchor_year", [str(2110 + at % 90) for at in range(N)], "quasi-identifier"),
        ("era", ["2011 - 2013", "2014 - 2016"] * (N // 2), "quasi-identifier"),
        ("relationship", ["related", "unrelated", "possible", "No"] * (N // 4), "sensitive"),
        ("flag", ["HIGH", "Abnormal high", "> ULN", "low"] * (N // 4), "sensitive"),
        ("GEN", ["R", "S", "I", "S"] * (N // 4), "sensitive"),
        ("VARPSU", ["1", "2", "3", "2"] * (N // 4), "identifier"),
        ("MDC", [str(at % 25 + 1) for at in range(N)], "sensitive"),
        ("case_month", [str(at % 12 + 1) for at in range(N)], "quasi-identifier"),
        ("DISCWT", [f"{5000 + at % 97 / 331:.6f}" for at in range(N)], "identifier"),
        ("DTHDY", [str(at * 7 % 1900 + 1) for at in range(N)], "sensitive"),
    ],
)
def test_names_and_values_in_several_languages(name: str, values: list[str], role: str) -> None:
    frame = pl.DataFrame({"Alter": [str(at * 7 % 95) for at in range(N)], name: values})
    assert profile(frame)[name].role == role


def test_numbers_below_zero_number_nobody() -> None:
    frame = pl.DataFrame(
        {
            "disease": ["a", "b"] * (N // 2),
            "fever": ["no", "yes", "yes", "no"] * (N // 4),
            "wasting": [str((at * 37) % 301 - 150) for at in range(N)],
            "other": [str((at * 37) % 301 + 1500) for at in range(N)],
        }
    )
    seen = profile(frame)
    assert (seen["wasting"].role, seen["other"].role) == ("sensitive", "identifier")


def test_claims_of_beneficiaries() -> None:
    codes = [*map(str, range(4010, 4040)), "V5789", "486"]
    frame = pl.DataFrame(
        {
            "DESYNPUF_ID": [f"{at // 3 * 7919 + 2**40:016X}" for at in range(N)],
            "BENE_BIRTH_DT": [f"19{at // 3 % 60 + 20}{at // 3 % 12 + 1:02d}01" for at in range(N)],
            "BENE_SEX_IDENT_CD": [str(at // 3 % 2 + 1) for at in range(N)],
            "SP_CHF": [str(at % 3 % 2 + 1) for at in range(N)],
            "SP_CNCR": [str(at % 5 % 2 + 1) for at in range(N)],
            "SP_STATE_CODE": [str(at // 3 % 54 + 1) for at in range(N)],
            "MEDREIMB_IP": [str(at % 7 * at * 10) for at in range(N)],
            "BENRES_IP": [str(at % 7 * at) for at in range(N)],
            "ICD9_DGNS_CD_1": [codes[at % 32] for at in range(N)],
            "ICD9_PRCDR_CD_1": [codes[at % 29] for at in range(N)],
        }
    )
    seen = profile(frame).closed()
    roles = {item.attribute: item.role for item in seen.attributes}
    assert seen.person is not None
    assert seen.person.column == "DESYNPUF_ID"
    assert [name for name, role in roles.items() if role == "quasi-identifier"] == [
        *("BENE_BIRTH_DT", "BENE_SEX_IDENT_CD", "SP_STATE_CODE")
    ]
    assert [name for name, role in roles.items() if role == "identifier"] == ["DESYNPUF_ID"]
    assert seen["ICD9_DGNS_CD_1"].hierarchy == {"code_system": "icd-9-cm"}
    assert seen["ICD9_PRCDR_CD_1"].hierarchy != {"code_system": "icd-9-cm"}
    assert seen["BENE_BIRTH_DT"].type == "date"


@pytest.mark.parametrize(("one", "other"), [("subject_id", "hadm_id"), ("patient", "visit_id")])
def test_of_two_numbers_the_one_of_people_counts(one: str, other: str) -> None:
    frame = pl.DataFrame(
        {
            "row_id": [str(at) for at in range(N)],
            one: [str(10_000 + at // 8) for at in range(N)],
            other: [str(150_000 + at // 2) for at in range(N)],
            "finding": [str(at % 7) for at in range(N)],
        }
    )
    found = profile(frame).person
    assert found is not None
    assert found.column == one


def test_numbers_in_a_row_number_records_whatever_they_are_called() -> None:
    frame = pl.DataFrame(
        {"diagnosis_case": [str(at) for at in range(N)], "asthma": ["1", "2"] * (N // 2)}
    )
    assert profile(frame)["diagnosis_case"].role == "identifier"


def test_a_draft_says_all_that_a_check_asks_for() -> None:
    for frame in (illnesses(), people()):
        seen = profile(frame)
        policy = DraftPolicy.from_dict(tomllib.loads(first_policy(seen)))
        assert list(forgotten(seen, policy)) == []
        assert policy.warnings == ()
    assert seen["id"].type == "text"


def visits(key: str = "USUBJID", **more: list[str]) -> pl.DataFrame:
    """Forty people, each with 7 to 12 drugs: nothing in the table is about the people."""
    people = [at for at in range(40) for _ in range(7 + at % 6)]
    rows = range(len(people))
    first = {who: people.index(who) for who in people}
    drugs = ["ASPIRIN", "TYLENOL", "ZOCOR", "LASIX", "NEXIUM", "XANAX", "PREMARIN", "ARICEPT"] * 3
    drugs = [f"{name}{'XR' * (at // 8)}" for at, name in enumerate(drugs)]
    drug = [at * 7 % 24 for at in rows]
    return pl.DataFrame(
        {
            key: [f"01-70{who % 7}-{1000 + 13 * who}" for who in people],
            "CMSEQ": [str(row - first[who] + 1) for row, who in zip(rows, people, strict=True)],
            "CMTRT": [drugs[at] for at in drug],
            "CMDECOD": [f"CLASS {'ABCDE'[at % 5]}" for at in drug],
            "CMROUTE": ["ORAL" if at % 3 else "TOPICAL" for at in drug],
            "CMDTC": [f"2012-{at % 11 + 1:02d}-{at % 27 + 1:02d}" for at in rows],
            **more,
        }
    )


def test_people_are_told_by_what_counts_their_records() -> None:
    found = profile(visits()).person
    assert found is not None
    assert (found.column, found.people, found.sure) == ("USUBJID", 40, True)


def test_words_are_no_numbers_of_people() -> None:
    found = profile(visits("USUBJID").drop("USUBJID", "CMSEQ")).person
    assert found is None


def test_whose_records_are_is_asked_where_no_name_says_it() -> None:
    seen = profile(visits("thing"))
    assert seen.person is not None
    assert (seen.person.column, seen.person.sure) == ("thing", False)
    assert "'CMSEQ'" in seen.person.doubt
    assert seen.counted is None
    assert seen.warnings[0].message.startswith("does 'thing' identify people?")
    draft = first_policy(seen)
    assert '# person = "thing"' in draft
    assert "\nperson = " not in draft
    assert "conflicts" not in draft


def test_a_number_of_groups_beside_one_of_people_is_asked_about() -> None:
    frame = pl.DataFrame(
        {
            "id": [str(1000 + 3 * at) for at in range(N)],
            "case.id": [str(at // 4) for at in range(N)],
            "male": [str(at // 4 % 2) for at in range(N)],
            "weight": [str(50 + at % 40) for at in range(N)],
        }
    )
    seen = profile(frame)
    assert seen.person is not None
    assert (seen.person.column, seen.person.sure) == ("case.id", False)
    assert "'id' is different in every record" in seen.person.doubt
    named = profile(frame.rename({"case.id": "patient_id"})).person
    assert named is not None
    assert named.sure


def test_numbers_that_hardly_repeat_are_asked_about() -> None:
    numbers = [str(at) for at in range(N)]
    numbers[7] = numbers[8]
    found = profile(pl.DataFrame({"id": numbers, "age": [str(at % 60) for at in range(N)]})).person
    assert found is not None
    assert (found.sure, found.doubt) == (False, "few of them repeat, which may be a mistake")


def test_what_counts_the_records_of_people_is_harmless() -> None:
    frame = visits().with_columns(pl.lit("MILD").alias("AESEV"))
    severity = [("MILD", "MODERATE", "SEVERE")[at % 3] for at in range(frame.height)]
    seen = profile(frame.with_columns(AESEV=pl.Series(severity), VSDX=pl.Series(severity)))
    assert (seen["CMSEQ"].role, seen["CMSEQ"].why) == (
        *("insensitive", "it counts the records of every 'USUBJID'"),
    )
    assert seen["AESEV"].role == "sensitive"
    assert seen["CMDECOD"].role == "sensitive"


def test_dates_known_in_part_are_dates() -> None:
    days = [f"201{at % 9}-{at % 11 + 1:02d}-{at % 27 + 1:02d}" for at in range(N)]
    part = [day[: (4, 7, 10, 10)[at % 4]] for at, day in enumerate(days)]
    timed = [f"{day}T11:45" if at % 5 else day for at, day in enumerate(days)]
    seen = profile(
        pl.DataFrame({"CMSTDTC": part, "RFPENDTC": timed, "year": [d[:4] for d in days]})
    )
    assert (seen["CMSTDTC"].type, seen["CMSTDTC"].kind) == ("date", "date")
    assert (seen["RFPENDTC"].type, seen["RFPENDTC"].kind) == ("date", "datetime")
    assert seen["year"].kind == "integer"
    assert isinstance(seen["CMSTDTC"].hierarchy, dict)
    assert "date" in seen["CMSTDTC"].hierarchy


def test_empty_or_a_value_is_two_values() -> None:
    frame = illnesses().with_columns(
        DTHFL=pl.Series(["Y" if at % 90 == 0 else None for at in range(N)]),
        SAME=pl.lit("x"),
    )
    seen = profile(frame)
    assert seen["DTHFL"].role == "sensitive"
    assert seen["SAME"].role == "insensitive"


def test_counts_from_zero_number_nobody() -> None:
    visits = [str(max(0, at % 80 - 17)) for at in range(4 * N)]
    seen = profile(pl.DataFrame({"mdu": visits, "asthma": ["1", "2"] * (2 * N)})).closed()
    assert seen["mdu"].role == "sensitive"


def test_names_of_illnesses_follow_from_them() -> None:
    ills = ["Pneumonia", "Asthma", "Arthritis", "Migraine", "Anaemia", "Sepsis"] * 10
    frame = pl.DataFrame({"AEDECOD": [f"{ills[at % 60]} {at % 60}" for at in range(N)]})
    frame = frame.with_columns(AEHLT=pl.Series([f"HLT_{at % 60 * 7:04d}" for at in range(N)]))
    item = profile(frame).closed()["AEHLT"]
    assert (item.role, item.why) == ("sensitive", "it follows from 'AEDECOD'")


def test_days_before_and_after_are_not_missing() -> None:
    days = [str((-7, -1, 1, 14, 28, 42, 56, 70)[at % 8]) for at in range(N)]
    seen = profile(pl.DataFrame({"VISITDY": days, "q1": days}))
    assert seen["VISITDY"].missing_tokens == {}
    assert set(seen["q1"].missing_tokens) == {"-1", "-7"}


def test_numbers_of_places_are_categories() -> None:
    frame = pl.DataFrame({"commune": [str(at % 190 + 3) for at in range(10 * N)]})
    assert profile(frame)["commune"].type == "category"


def test_a_hospital_is_not_called_missing() -> None:
    wards = [("Central", "Port", "Missing", "Military")[at % 4] for at in range(N)]
    assert profile(pl.DataFrame({"hospital": wards}))["hospital"].missing_tokens == {"Missing": 100}


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("SITEID", "place"),
        ("highest_qualification", "education"),
        ("fml", "sex"),
        ("gndr", "sex"),
        ("AGEGR1", "age"),
        ("wt_kg", "health"),
        ("ht_cm", "health"),
        ("fluid", None),
        ("hgt", None),
        ("CODMUNRES", "place"),
        ("DTNASC", "birth"),
        ("ESTCIV", "family"),
        ("sem_not", "time"),
        ("command", None),
        ("matage", "age"),
        ("stage", "health"),
        ("villnum", "place"),
        ("Tumormultiplicity", None),
        ("CIUOMAD", "occupation"),
        ("occu", "occupation"),
        ("marSta", "family"),
        ("jobclass", "occupation"),
        ("mom_work", "occupation"),
        ("Életkora", "age"),
        ("Neme", "sex"),
        ("age_w1", "age"),
        ("HGTBL", "health"),
        ("kind", None),
        ("cont", None),
    ],
)
def test_names_written_together_or_without_vowels(name: str, about: str | None) -> None:
    found = concept_of(name)
    assert (found[0].name if found else None) == about


def test_a_matched_set_is_no_person() -> None:
    frame = pl.DataFrame(
        {
            "education": [str(at // 3 % 3) for at in range(N)],
            "age": [str(20 + at // 3 * 7 % 25) for at in range(N)],
            "stratum": [str(at // 3) for at in range(N)],
            "case": ["1", "0", "0", "0"] * (N // 4),
        }
    )
    found = profile(frame).person
    assert found is None or not found.sure


def test_a_file_without_names() -> None:
    """Where no name says anything, what nothing speaks for could harm, and ages are recognised."""
    table = pl.DataFrame(
        {
            "column_1": [str(30 + at * 37 % 54) for at in range(N)],
            "column_2": [str(at * at % 7) for at in range(N)],
            "column_3": [str(round(1.3 + at * 0.017, 3)) for at in range(N)],
            "column_4": [str(0 if at % 2 else at % 60) for at in range(N)],
        }
    )
    drafted = {item.attribute: item for item in profile(table).attributes}
    assert drafted["column_1"].role == "quasi-identifier"
    assert drafted["column_1"].reasons == (
        "its values could be ages: others know the approximate age",
    )
    assert {drafted[f"column_{at}"].role for at in (2, 3, 4)} == {"sensitive"}


def test_codes_of_places_go_with_their_names() -> None:
    towns = [f"Town {chr(65 + at % 25)}" for at in range(N)]
    numbers = [str(311_860 + at % 25 * 77) for at in range(N)]
    people = [str(700_000 + at % 25) for at in range(N)]
    table = pl.DataFrame({
        "municipio": towns, "community_id": numbers, "site_subject_id": people,
        "idade": [str(at % 80) for at in range(N)],
    })  # fmt: skip
    roles = {item.attribute: item.role for item in profile(table).attributes}
    assert roles["municipio"] == roles["community_id"] == roles["idade"] == "quasi-identifier"
    assert roles["site_subject_id"] == "identifier"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Año_Diagnostico", "quasi-identifier"),
        ("Diagnosejahr", "quasi-identifier"),
        ("icd9", "sensitive"),
    ],
)
def test_years_are_no_codes_of_diseases(name: str, role: str) -> None:
    table = pl.DataFrame(
        {name: [str(2008 + at % 5) for at in range(N)], "sex": ["f", "m"] * (N // 2)}
    )
    assert profile(table).attributes[0].role == role


def test_what_is_called_a_number_or_a_doctor_is_left_out() -> None:
    draws = random.Random(7)
    found = profile(
        pl.DataFrame(
            {
                "id": [str(at % 19) for at in range(N)],
                "diagnosisid": [str(7400000 + at * 37 % 100_003) for at in range(N)],
                "investigator": ["Dr. Nick" if at % 3 else "Dr. Nicola" for at in range(N - 1)]
                + ["Dr. Nikku"],
                "diagnosis": ["flu" if at % 3 else "asthma" for at in range(N)],
                "csf_ph": [f"{7 + draws.random():.2f}" for _ in range(N)],
                "csf_glucose": [str(draws.randrange(40, 90)) for _ in range(N)],
                "csf_q": [str(draws.randrange(1000, 9999)) for _ in range(N)],
                "csf_no": [str(draws.randrange(1000, 9999)) for _ in range(N)],
                "ill.stage": [str(at % 4) for at in range(N)],
                "age": [str(20 + at % 60) for at in range(N)],
                "infector": [f"k{at * 7 % 997:05x}" for at in range(N)],
                "record": [f"k{at * 7 % 2003:05x}" for at in range(N)],
                "asked at": [f"{at % 24}:{at * 7 % 60:02d}" for at in range(N)],
                "age_unit": ["years" if at % 9 else "months" for at in range(N)],
                "score": [str(1 + at * at % 5) for at in range(N)],
                "education": [str(1 + at % 5) for at in range(N)],
            }
        )
    )
    roles = {item.attribute: item.role for item in found.attributes}
    for name in ("id", "diagnosisid", "investigator", "csf_no", "record", "infector"):
        assert roles[name] == "identifier", name
    for name in ("csf_q", "ill.stage", "score"):
        assert roles[name] == "sensitive", name
    for name in ("asked at", "age_unit", "education"):
        assert roles[name] == "quasi-identifier", name


@pytest.mark.parametrize(
    ("name", "top"),
    [("EDAD_DECLARADA", 90), ("age_at_death", 90), ("mthage", 90), ("age_months", None)],
)
def test_the_oldest_are_put_together_whatever_else_a_name_says(name: str, top: int | None) -> None:
    table = pl.DataFrame({name: [str(20 + at % 88) for at in range(N)]})
    spec = profile(table)[name].hierarchy
    assert isinstance(spec, dict)
    assert spec["intervals"].get("top") == top


def test_codes_of_one_chapter_filled_up_to_four_signs() -> None:
    codes = [f"{'PQ'[at % 2]}{at % 30:02d}{'X' if at % 5 == 0 else at % 9}" for at in range(N)]
    item = profile(pl.DataFrame({"k": codes, "age": [str(20 + at % 60) for at in range(N)]}))["k"]
    assert (item.role, item.hierarchy) == ("sensitive", {"code_system": "icd-10"})


def test_one_column_about_health_among_measures() -> None:
    table = pl.DataFrame({
        "diagnosis": ["M" if at % 3 else "B" for at in range(N)],
        **{f"radius_{at}": [str(at + row * 13 / 1000) for row in range(N)] for at in range(9)},
    })  # fmt: skip
    assert {item.role for item in profile(table).attributes} == {"sensitive"}


def test_dates_without_signs_and_words_instead_of_dates() -> None:
    days = [f"{at % 28 + 1:02d}{at % 12 + 1:02d}2016" for at in range(N)]
    onset = ["Asymptomatic" if at % 3 else f"{at % 28 + 1:02d}/07/2020" for at in range(N)]
    found = profile(pl.DataFrame({"DTOBITO": days, "onset": onset}))
    assert [item.type for item in found.attributes] == ["date", "date"]
    assert found["DTOBITO"].hierarchy["date"]["format"] == "%d%m%Y"  # type: ignore[index,call-overload]
    assert dict(found["onset"].missing_tokens) == {"Asymptomatic": N - N // 3 - 1}


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("hospitalid", [str(at % 90 + 50) for at in range(N)], "quasi-identifier"),
        ("hospitalised", [str(at % 2) for at in range(N)], "sensitive"),
        ("estado", [str(at % 3) for at in range(N)], "sensitive"),
        ("estado", ["Oaxaca", "Puebla", "Jalisco", "Colima"] * (N // 4), "quasi-identifier"),
        ("detected_state", [f"State{'abcdefghijklmnop'[at % 16]}" for at in range(N)], None),
        ("site_lat", [str(14 + at % 90 / 7) for at in range(N)], "identifier"),
    ],
)
def test_values_tell_which_of_two_things_a_name_means(
    name: str, values: list[str], role: str | None
) -> None:
    assert profile(pl.DataFrame({name: values}))[name].role == (role or "quasi-identifier")


def test_measures_that_were_rounded_number_nobody() -> None:
    rows = range(5 * N)
    sums = [100 + at * 7919 % 211 + at * 104729 % 223 + at * 1299709 % 227 for at in rows]
    frame = pl.DataFrame(
        {
            "hiv": [str(at % 2) for at in rows],
            "cd420": [str(one // 10 * 10 if at % 4 == 0 else one) for at, one in enumerate(sums)],
            "folder": [str(100 + at * 7919 % 607) for at in rows],
        }
    )
    found = profile(frame)
    assert [found[name].role for name in ("cd420", "folder")] == ["sensitive", "identifier"]


def test_a_physician_is_no_patient() -> None:
    rows = 20 * N
    frame = pl.DataFrame(
        {
            "sub_id": [str(at + 1) for at in range(rows)],
            "phy_id": [str(at % N + 1000) for at in range(rows)],
            "sex": ["m" if at % N % 2 else "f" for at in range(rows)],
        }
    )
    person = profile(frame).person
    assert person is None or not person.sure


def test_dates_that_were_shifted_into_time_to_come_are_told() -> None:
    frame = pl.DataFrame(
        {
            "ADMITTIME": [f"{2100 + at % 90}-{at % 12 + 1:02d}-11 10:11:00" for at in range(N)],
            "DOB": [f"{1940 + at % 70}-{at % 12 + 1:02d}-11" for at in range(N)],
        }
    )
    told = {
        item.attribute: [one.code for one in item.warnings] for item in profile(frame).attributes
    }
    assert told == {"ADMITTIME": ["shifted-dates"], "DOB": []}


def test_what_most_names_begin_with_says_nothing() -> None:
    draw = random.Random(1).randrange
    some = {
        "PA_IDADE": [str(draw(80)) for _ in range(N)],
        "PA_SEXO": ["MF"[draw(2)] for _ in range(N)],
        "PA_MUNPCN": [str(120000 + draw(9)) for _ in range(N)],
        "PA_RACACOR": [f"0{draw(5)}" for _ in range(N)],
        "PA_CIDPRI": [("B181", "F200", "N180", "G20")[draw(4)] for _ in range(N)],
        "PA_PROC_ID": [f"06044600{draw(30):02d}" for _ in range(N)],
    }
    seen = profile(pl.DataFrame(some))
    roles = {item.attribute: item.role for item in seen.attributes}
    others = {"PA_CIDPRI": "sensitive", "PA_PROC_ID": "sensitive"}
    assert roles == {name: others.get(name, "quasi-identifier") for name in some}
    assert seen["PA_CIDPRI"].hierarchy == {"code_system": "icd-10"}


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("性別", "sex"), ("年代", "age"), ("居住地", "place"), ("生年月日", "birth"),
        ("性别", "sex"), ("年龄", "age"), ("성별", "sex"), ("진단", "health"),
        ("Пол", "sex"), ("Дата рождения", "birth"), ("диагноз", "health"), ("pohlavi", "sex"),
        ("sesso", "sex"), ("leeftijd", "age"), ("Medu", "education"), ("fjob", "occupation"),
        ("reporting_ctry", "nationality"), ("week_report", "time"), ("Eyes", "appearance"),
        ("Arresting Agency", "place"), ("EDADHOM", "age"), ("ESCMUJ", "education"),
        ("los_icu", "stay"), ("relation2", "family"), ("COUFINF", "place"),
    ],
)  # fmt: skip
def test_names_of_other_scripts_and_short_ones(name: str, about: str) -> None:
    found = concept_of(name)
    assert found is not None
    assert found[0].name == about


def test_a_column_called_name_in_another_script_is_left_out() -> None:
    frame = pl.DataFrame(
        {"氏名": [f"山田{at}" for at in range(N)], "性別": ["男性", "女性"] * (N // 2)}
    )
    seen = profile(frame)
    assert (seen["氏名"].role, seen["性別"].role) == ("identifier", "quasi-identifier")
    assert seen["性別"].why == "its values are the sexes: others know it"


def test_letters_are_the_sexes_unless_the_name_speaks_of_something_else() -> None:
    frame = pl.DataFrame(
        {
            "charge_degree": ["F" if at % 3 else "M" for at in range(N)],
            "degree_of_offense": [f"({'MF'[at % 2]}{at % 3})" for at in range(N)],
            "V1": ["F" if at % 3 else "M" for at in range(N)],
        }
    )
    roles = [item.role for item in profile(frame).attributes]
    assert roles == ["sensitive", "sensitive", "quasi-identifier"]


def test_an_address_of_few_values_is_a_quasi_identifier() -> None:
    frame = pl.DataFrame({"address": ["U" if at % 4 else "R" for at in range(N)]})
    assert profile(frame)["address"].role == "quasi-identifier"


def test_numbers_of_hospitals_that_have_many_patients_number_nobody() -> None:
    many = [str(100 + at) for at in range(N // 2)] + ["7"] * (N // 2)
    frame = pl.DataFrame({"hosp_id": many, "pat_id": [str(5000 + at // 2) for at in range(N)]})
    seen = profile(frame)
    assert (seen["hosp_id"].role, seen["pat_id"].role) == ("quasi-identifier", "identifier")


def test_measurements_are_smooth_and_numbers_of_people_are_not() -> None:
    order = random.Random(3)
    measured = [str(round(order.gauss(40, 12))) for _ in range(6000)]
    numbers = [str(at) for at in range(10, 99) for _ in range(order.randrange(20, 120))]
    numbers += ["50"] * 1000
    frame = pl.DataFrame({"triceps": measured, "blood_pressure": ["120", "130"] * 3000})
    assert profile(frame)["triceps"].role == "sensitive"
    assert profile(pl.DataFrame({"q": numbers}))["q"].role == "identifier"


def test_a_country_beside_some_continents() -> None:
    lands = ["Belgium", "Korea", "Vietnam", "France", "Egypt", "Turkey", "Morocco", "Europe"]
    frame = pl.DataFrame({"Country": [lands[at % 8] for at in range(N)]})
    assert profile(frame)["Country"].hierarchy == {"code_system": "country"}
    policy = tomllib.loads(first_policy(profile(frame)))
    assert policy["attributes"]["Country"]["uncovered"] == "suppress"


def test_dates_as_numbers_of_days_are_no_codes_and_no_published_values() -> None:
    days = [str(17_101 + at * 37 % 1_500) for at in range(N)]
    frame = pl.DataFrame(
        {"date_dx": days, "Aufnahmedatum": days, "Geburtsdatum": days, "candidate_id": days}
    )
    seen = profile(frame)
    for name in ("date_dx", "Aufnahmedatum", "Geburtsdatum"):
        assert seen[name].role == "quasi-identifier"
        assert "intervals" in seen[name].hierarchy
        told = [warned.message for warned in seen[name].warnings]
        assert any("days since 1970-01-01" in one for one in told)
    assert seen["Geburtsdatum"].about == "birth"
    assert seen["candidate_id"].role == "identifier"


def test_days_as_spreadsheets_count_them_become_months() -> None:
    days = [str(44_000 + at * 7 % 900) for at in range(N)]
    seen = profile(pl.DataFrame({"admission_date": days, "born": days, "birth weight": days}))
    item = seen["admission_date"]
    assert (item.role, item.type) == ("quasi-identifier", "date")
    assert seen["born"].type == "date"
    assert seen["birth weight"].type != "date"
    spec = item.hierarchy["date"]
    assert spec["format"] == "days since 1899-12-30"
    made = build_taxonomy("admission_date", item.hierarchy, ["44197"], directory=".")
    assert made.rows() == [("44197", "2021-01", "2021-Q1", "2021", "*")]
    assert not item.warnings


def test_seconds_as_spss_counts_them_become_months_whatever_their_name() -> None:
    days = [13_600_000_000 // 86_400 + at * 7 % 900 for at in range(N)]
    seconds = [str(day * 86_400) for day in days]
    seen = profile(pl.DataFrame({"V7": seconds, "phone": [str(10**10 + d) for d in days]}))
    item = seen["V7"]
    assert (item.role, item.type) == ("quasi-identifier", "date")
    assert item.hierarchy["date"]["format"] == "seconds since 1582-10-14"
    assert seen["phone"].role == "identifier"


def test_dates_of_which_the_day_or_the_month_is_not_known_are_dates() -> None:
    born = [f"19{50 + at % 40}-0{1 + at % 9}-1{at % 10}" for at in range(N)]
    born[::4] = [day[:5] + "99-99" for day in born[::4]]
    born[1::4] = [day[:8] + "00" for day in born[1::4]]
    spans = [f"{1990 + at % 20}-{(91 + at % 20) % 100:02}" for at in range(N)]
    seen = profile(pl.DataFrame({"fecha_nac": born, "season": spans}))
    assert seen["fecha_nac"].hierarchy == {"date": {"levels": ["month", "year", "decade"]}}
    assert not seen["fecha_nac"].warnings
    assert seen["season"].kind == "text"


def test_numbers_of_a_list_of_tests_and_drugs_are_no_numbers_of_people() -> None:
    frame = pl.DataFrame(
        {
            "patient_id": [str(at) for at in range(N)],
            "disease_id": [str(at * 7 % (N // 4)) for at in range(N)],
            "test_id": [str(at * 11 % (N // 4)) for at in range(N)],
            "medicine_id": [str(at * 13 % (N // 4)) for at in range(N)],
            "order_id": [str(at * 17 % (N // 4)) for at in range(N)],
            "treatment_id": [str(at) for at in range(N)],
        }
    )
    seen = profile(frame)
    lists = ("disease_id", "test_id", "medicine_id")
    assert [seen[name].role for name in lists] == ["sensitive"] * 3
    numbers = ("patient_id", "order_id", "treatment_id")
    assert [seen[name].role for name in numbers] == ["identifier"] * 3


@pytest.mark.parametrize(
    ("name", "values", "role", "about"),
    [
        (
            "owner_name",
            ["Norberto865 Mante251", "Dell305 Trantow673", "Jazmine498"],
            "identifier",
            None,
        ),
        ("PPERHOM", ["1", "2", "9"], "quasi-identifier", "ethnicity"),
        ("OCUMUJ", ["9712", "9711", "4120", "2341"], "quasi-identifier", "occupation"),
        ("ClassNr", ["1", "2", "3", "4", "5"], "quasi-identifier", "education"),
        ("HOSP", ["1", "2", "3", "5", "9"], "quasi-identifier", "stay"),
        ("hosp", ["0", "1", "9"], "sensitive", "health"),
        ("camp_name", ["kigeme", "mugombwa"], "quasi-identifier", "place"),
        ("Estado", ["NORMAL", "CRÍTICO"], "sensitive", "health"),
        ("Q04", ["none_primary_only", "secondary", "higher_edu"], "quasi-identifier", "education"),
        ("unit", ["mmHg", "kg/m2"], "sensitive", "health"),
        ("life", ["yes", "no"], "sensitive", None),
        ("id_problem_frequency", ["daily", "weekly", "monthly"], "sensitive", None),
    ],
)
def test_names_and_values_of_further_makers_are_known(
    name: str, values: list[str], role: str, about: str | None
) -> None:
    frame = pl.DataFrame(
        {
            name: [values[at * 7 % 11 % len(values)] for at in range(N)],
            "sex": ["m", "f"] * (N // 2),
            "smoker": [str(at // 3 % 2) for at in range(N)],
        }
    )
    item = profile(frame)[name]
    assert (item.role, item.about) == (role, about) if about else item.role == role


def test_everybody_of_a_study_has_each_occasion_and_no_occasion_is_a_person() -> None:
    """The people count the records of every occasion, as the occasions those of every person."""
    people, occasions = 60, 40
    frame = pl.DataFrame(
        {
            "EthicaID": [str(who + 1) for who in range(people) for _ in range(occasions)],
            "OccNrR": [str(at + 1) for _ in range(people) for at in range(occasions)],
            "mood": [str(at * 13 % 7) for at in range(people * occasions)],
        }
    )
    seen = profile(frame)
    assert seen.person is not None
    assert seen.person.column == "EthicaID"
    assert seen["OccNrR"].role != "identifier"


def test_numbers_of_memberships_of_one_patient_are_the_patients() -> None:
    members = [str(1_000 + at // 2) for at in range(N)]
    frame = pl.DataFrame(
        {
            "PATIENT": [f"p-{int(one) // 6}" for one in members],
            "MEMBERID": members,
            "plan": [str(int(one) % 3) for one in members],
        }
    )
    persons = profile(frame).person
    assert persons is not None
    assert persons.column == "PATIENT"


def test_identifiers_of_series_of_images_are_left_out_though_each_has_one_day() -> None:
    series = [f"1.2.840.99999999.1.{98_365_000 + at // 4}.15890243{at // 4}" for at in range(N)]
    frame = pl.DataFrame(
        {
            "SERIES_UID": series,
            "DATE": [f"20{10 + at // 40}-0{1 + at // 4 % 9}-1{at // 4 % 10}" for at in range(N)],
            "SOP_CODE": [f"1.2.840.10008.5.1.4.1.1.{at % 4}" for at in range(N)],
        }
    )
    seen = profile(frame)
    assert seen["SERIES_UID"].role == "identifier"
    assert seen["SOP_CODE"].role != "identifier"


def test_ages_with_words_and_signs_are_read_in_years() -> None:
    """Few of them among numbers were strays, to be suppressed: the oldest and the youngest."""
    few = [f"{20 + at * 7 % 60}" for at in range(N)]
    few[:3] = ["90+", "3 months", "<1"]
    mixed = [("{}", "{} Jahre", "{} months")[at % 3].format(at * 7 % 90) for at in range(N)]
    seen = profile(pl.DataFrame({"age": few, "patient_age": mixed}))
    for name in ("age", "patient_age"):
        item = seen[name]
        assert item.hierarchy == {"intervals": {"width": 5, "top": 90, "read": "ages"}}
        assert not item.warnings
        assert item.draft.uncovered is None
    values = ["90+", "3 months", "<1", "44"]
    made = build_taxonomy("age", seen["age"].hierarchy, values, directory=".")
    above = {row[0]: row[1] for row in made.rows()}
    assert above == {"90+": ">=90", "3 months": "[0, 5)", "<1": "[0, 5)", "44": "[40, 45)"}


def test_a_person_that_few_records_lack_is_proposed() -> None:
    people = [f"P{1000 + at // 4}" for at in range(N)]
    people[3::50] = [None] * len(people[3::50])
    frame = pl.DataFrame({"patient_id": people, "ill": ["a", "b"] * (N // 2)})
    (told,) = [one.message for one in profile(frame).warnings if "patient_id" in one.message]
    assert f"{len(people[3::50])} records have none" in told
    people[: N // 2] = [None] * (N // 2)
    frame = frame.with_columns(patient_id=pl.Series(people))
    assert profile(frame).person is None


def test_ages_in_several_ways_say_how_to_write_them() -> None:
    ways = ("{}", "{} years", "{} Monate", "ca. {}")
    mixed = [ways[at % 4].format(at * 7 % 90) for at in range(N)]
    bands = [("0-17 years", "18-64 years", "65 and over")[at % 3] for at in range(N)]
    seen = profile(pl.DataFrame({"age": mixed, "Alter": bands}))
    told = [warned.message for warned in seen["age"].warnings]
    assert any("written as 34, 3 months or 90+" in one for one in told)
    assert seen["age"].draft.uncovered == "suppress"
    assert not seen["Alter"].warnings


def test_months_of_years_become_years() -> None:
    frame = pl.DataFrame({"sem_not": [str(202001 + at % 50) for at in range(N)]})
    assert profile(frame)["sem_not"].hierarchy == {"mask": {"from": "right", "step": 2}}


def test_weeks_written_with_a_sign() -> None:
    frame = pl.DataFrame({"x": [f"2015_{20 + at % 9}" for at in range(N)]})
    assert profile(frame)["x"].why == (
        "its values are weeks or quarters of years: others know when things happened"
    )


def test_questions_that_are_only_numbered_say_nothing() -> None:
    draw = random.Random(4).randrange
    frame = pl.DataFrame(
        {
            "Resistin": [f"{draw(900) / 70}" for _ in range(N)],
            **{f"P{at}": [str(draw(3)) for _ in range(N)] for at in (1, 2, 7, 8)},
            "P4": [str(18 + draw(60)) for _ in range(N)],
        }
    )
    seen = profile(frame)
    assert seen["P4"].why == "its values could be ages: others know the approximate age"
    assert {seen[f"P{at}"].role for at in (1, 2, 7, 8)} == {"sensitive"}
    assert seen["Resistin"].about is None


def test_a_number_that_stands_in_the_first_record_of_each_person_alone() -> None:
    """The cells of a patient's number are merged, or blank below the first: no key repeats."""
    frame = pl.DataFrame(
        {
            "patient_id": [str(at // 5) if at % 5 == 0 else None for at in range(200)],
            "age": [str(20 + at // 5) for at in range(200)],
            "sex": ["fm"[at // 5 % 2] for at in range(200)],
        }
    )
    (warned,) = profile(frame).warnings
    assert warned.code == "blank-below"
    assert warned.message.startswith("'patient_id' is filled in 40 of 200 records")
    policy = {
        "rest": "drop",
        "attributes": {
            "patient_id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    assert warned.message in ind.anonymize(frame, policy).warnings
    filled = frame.with_columns(pl.col("patient_id").forward_fill())
    (named,) = profile(filled).warnings
    assert named.code == "people-with-several-records"
    few = frame.with_columns(pl.Series("patient_id", [str(at) for at in range(200)]))
    assert not profile(few).warnings


def test_times_of_which_one_is_the_end_of_a_study_number_nobody() -> None:
    """Days to an event that most people did not have: 8,766 for all of them."""
    rng = random.Random(3)
    people = []
    for at in range(600):
        day = rng.randint(1, 8000) if at % 3 == 0 else 8766
        fixed = (f"{97 * at + 2448}", str(rng.randint(1, 4)), str(day))
        people += [(*fixed, str(30 + at % 40 + 6 * visit)) for visit in range(rng.randint(1, 3))]
    frame = pl.DataFrame(people, schema=["RANDID", "EDUC", "TIMEDTH", "AGE"], orient="row")
    seen = profile(frame)
    assert seen.person is not None
    assert seen.person.column == "RANDID"
    assert seen["TIMEDTH"].role != "identifier" or seen["TIMEDTH"].left_out


def test_no_in_french_is_no_sex() -> None:
    """Of a sign that few have nearly all values are Non, as in "non binary"."""
    frame = pl.DataFrame(
        {
            "ptu1": ["Oui" if at % 40 == 0 else "Non" for at in range(200)],
            "col2": ["non binary" if at % 40 == 0 else "male" for at in range(200)],
        }
    )
    seen = profile(frame)
    assert "the sexes" not in seen["ptu1"].why
    assert "the sexes" in seen["col2"].why


def test_what_is_dense_in_the_middle_was_measured_and_numbers_nobody() -> None:
    draw = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "sex": ["m", "f"] * (N // 2),
            "diagnosis": [f"I{at % 9}" for at in range(N)],
            "fvc": [str(round(one)) for one in draw.normal(2700, 700, N)],
            "bnp": [str(round(one)) for one in draw.lognormal(6, 1.2, N)],
            "even": [str(one) for one in draw.integers(1000, 9000, N)],
            "later": [str(9000 - round(one)) for one in draw.exponential(900, N)],
            "blocks": [str(1000 * draw.choice([1, 4, 9]) + one) for one in draw.integers(0, 90, N)],
            "long": [str(round(one)) for one in draw.lognormal(13, 1, N)],
        }
    )
    closed = profile(frame).closed()
    assert closed["fvc"].role == closed["bnp"].role == "sensitive"
    assert [warned.code for warned in closed["bnp"].warnings] == ["nearly-unique"]
    for name in ("even", "later", "blocks", "long"):
        assert closed[name].role == "identifier", name


def test_many_words_that_repeat_are_of_places_or_occupations_and_codes_are_not() -> None:
    draw = np.random.default_rng(8)
    towns = [first + last for first in ("Ne", "Sa", "Bru", "Kil") for last in ("ko", "ra", "mis")]
    frame = pl.DataFrame(
        {
            "sex": draw.choice(["m", "f"], N),
            "diagnosis": draw.choice(["flu", "cold"], N),
            "wk": draw.choice([*towns, "Obo", "Ili"], N),
            "cds": [f"D{one}" for one in draw.integers(10, 40, N)],
        }
    )
    seen = profile(frame)
    assert seen["wk"].role == "quasi-identifier"
    assert seen["wk"].why.startswith("its values are many and repeat")
    assert seen["cds"].role == "sensitive"


def test_what_is_measured_twice_is_no_point_on_a_map() -> None:
    draw = np.random.default_rng(9)
    told = draw.normal(23, 3, N)
    frame = pl.DataFrame(
        {
            "m1": [f"{one:.6f}" for one in told],
            "m2": [f"{one:.6f}" for one in told + draw.normal(0.5, 0.7, N)],
        }
    )
    assert "points on a map" not in profile(frame)["m1"].why


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("taille", [str(at % 9 + 1) for at in range(N)], "quasi-identifier"),
        ("taille", [str(at % 60 + 130) for at in range(N)], "sensitive"),
        ("grade", [str(at % 4 + 9) for at in range(N)], "quasi-identifier"),
        ("grade", [str(at % 3 + 1) for at in range(N)], "sensitive"),
        ("since", ["1990-1994", "1995-99", "2000-", "<1990"] * (N // 4), "quasi-identifier"),
        ("HSAGEIR", [str(at * 11 % 70 + 17) for at in range(N)], "quasi-identifier"),
        ("STORAGEX", [str(at % 3) for at in range(N)], "sensitive"),
        ("DIA01", ["F45", "I66", "R34 I54", "F41"] * (N // 4), "sensitive"),
        ("dia", ["lunes", "martes", "sabado", "domingo"] * (N // 4), "quasi-identifier"),
        ("job role", ["1", "2", "3", "4"] * (N // 4), "quasi-identifier"),
        ("nation", ["Thai", "Non-Thai"] * (N // 2), "quasi-identifier"),
        ("Excess Urination", ["0", "1"] * (N // 2), "sensitive"),
        ("observationTime", [str(at * 13 % 300) for at in range(N)], "sensitive"),
    ],
)
def test_values_say_what_a_name_means(name: str, values: list[str], role: str) -> None:
    frame = pl.DataFrame({"Alter": [str(at * 7 % 95) for at in range(N)], name: values})
    assert profile(frame)[name].role == role


def test_decimal_commas_are_said_first() -> None:
    draw = np.random.default_rng(3)
    written = [f"{one:.2f}".replace(".", ",") for one in draw.normal(27, 5, N)]
    frame = pl.DataFrame(
        {
            "sex": ["m", "f"] * (N // 2),
            "BMI": ["k.A." if at % 9 == 0 else one for at, one in enumerate(written)],
            "Bewertungsrelation": written,
            "place": [f"{one}, {at}" for at, one in enumerate(written)],
        }
    )
    doubts = [what for what in profile(frame).doubts if "decimal comma" in what[0]]
    assert [names for _, names in doubts] == [("BMI", "Bewertungsrelation")]


def test_german_days_and_ratios_are_no_ages_and_no_families() -> None:
    stays = [str(at % 23) for at in range(N)]
    frame = pl.DataFrame({"sex": ["m", "f"] * (N // 2), "Tage": stays, "VWD (Tage)": stays})
    seen = profile(frame)
    assert seen["Tage"].about is None
    assert (seen["VWD (Tage)"].about, seen["VWD (Tage)"].role) == ("stay", "quasi-identifier")
    assert concept_of("Bewertungsrelation") is None


def test_numbers_with_limits_or_decimal_commas_are_readings() -> None:
    draw = np.random.default_rng(11)
    frame = pl.DataFrame(
        {
            "sex": ["m", "f"] * (N // 2),
            "vw": ["<0.5" if one < 2 else f"{one:.1f}" for one in draw.lognormal(2, 1, N)],
            "hand": [f"{one:.1f}".replace(".", ",") for one in draw.normal(18, 2, N)],
            "slash": ["/" if at % 5 == 0 else f"{30 + at % 83 / 7:.1f}" for at in range(N)],
            "card": [f"{one}" for one in draw.integers(100000, 999999, N)],
        }
    )
    closed = profile(frame).closed()
    assert closed["vw"].role == closed["hand"].role == closed["slash"].role == "sensitive"
    assert closed["slash"].missing_tokens == {"/": N // 5}
    assert closed["card"].role == "identifier"


def test_lists_of_a_few_terms_are_no_free_text() -> None:
    draw = np.random.default_rng(12)
    terms = ["DIURETIC AGENT", "ANTACID AGENT", "ACE INHIBITOR", "BETA BLOCKER", "STATIN"]
    lists = [", ".join(draw.permutation(terms)[: draw.integers(2, 5)]) for _ in range(N)]
    notes = [f"came {at} days late, with cough, slept badly, left early {at}" for at in range(N)]
    names = [f"Miller {at}, Anna {at}, of the {at % 7}th ward" for at in range(N)]
    seen = profile(pl.DataFrame({"drugs": lists, "more": notes, "who": names}))
    assert not seen["drugs"].free_text
    assert seen["drugs"].role == "sensitive"
    assert seen["more"].free_text
    assert seen["who"].free_text


def test_dates_in_several_ways_some_with_a_clock_behind_a_comma() -> None:
    dates = ["12/30/2022, 00:00:00", "2023-10-13", "2022/03/05", "18 Apr 2025"] * (N // 4)
    seen = profile(pl.DataFrame({"reg": dates}))["reg"]
    assert (seen.role, seen.type) == ("quasi-identifier", "date")
    assert [warned.code for warned in seen.warnings] == ["dates-in-several-ways"]


def test_no_address_and_no_number_of_a_record_is_published_for_its_name() -> None:
    many = range(60)
    frame = pl.DataFrame(
        {
            "place_of_death": [f"{100 + 7 * at} West Haven Apt. {at}, Adamsbury" for at in many],
            "Wohnort": [f"Lange Gasse {at + 1}, {10115 + at} Berlin" for at in many],
            "lab": [f"{at * 37 % 101:03}-{at:03}" + "1" * (at % 20 == 0) for at in many],
            "blood_pressure": [f"{100 + at}/{at + 60}" for at in many],
            "damage": [str(at % 5) for at in many],
            "any_stillbirth": ["yes" if at % 7 else "no" for at in many],
            "sex": ["m" if at % 2 else "f" for at in many],
            "diabetes": ["yes" if at % 3 else "no" for at in many],
        }
    )
    roles = {item.attribute: item.role for item in profile(frame).attributes}
    assert [name for name, role in roles.items() if role == "identifier"] == [
        "place_of_death", "Wohnort", "lab",
    ]  # fmt: skip
    assert {roles[name] for name in ("blood_pressure", "damage", "any_stillbirth")} == {"sensitive"}


GIVEN = "Maria Juan Ana Pedro Luis Marta Jorge Lucia Miguel Elena Ramon Quiteria Baltasar Ginesa"


def test_names_of_people_are_told_by_the_names_that_most_people_have() -> None:
    people = [f"{GIVEN.split()[at % 14]} {'ABCDEFGH'[at % 8]}." for at in range(N)]
    towns = [f"{town}{at % 3}" for at in range(N) for town in (f"Port {'ABCDEFGH'[at % 8]}",)]
    cities = [
        ["San Juan", "Springfield", "Jackson", "Santa Ana", "Ames"][at % 5] for at in range(N)
    ]
    frame = pl.DataFrame({"q1": people, "town": people, "q2": towns, "city": cities})
    seen = profile(frame)
    assert seen["q1"].role == "identifier"
    assert "names of people" in seen["q1"].why
    assert seen["town"].role == "identifier", "no town is called Mary B."
    assert seen["city"].role == "quasi-identifier", "some are called after somebody"
    assert seen["q2"].role != "identifier"


@pytest.mark.parametrize("name", ["person_id", "PATIENT_ID", "visit_occurrence_id"])
def test_numbers_of_a_few_people_are_left_out(name: str) -> None:
    frame = pl.DataFrame(
        {
            name: [str(1000 + at % 8) for at in range(N)],
            "unit_concept_id": [str(8000 + at % 13) for at in range(N)],
            "value": [f"{at % 97 / 3:.1f}" for at in range(N)],
        }
    )
    seen = profile(frame).closed()
    assert seen[name].role == "identifier"
    assert seen["unit_concept_id"].role != "identifier"


def test_names_of_eight_capitals_are_read_behind_their_modules() -> None:
    names = ["DMDMARTL", "DMDEDUC2", "DMDHHSIZ", "RIDSTATR", "RIDEXMON", "RIDRETH1"]
    called = without_prefix([*names, "RIAGENDR", "SIALANG", "INDHHIN2"])
    assert [called[name] for name in names[:3]] == ["MARTL", "EDUC2", "HHSIZ"]
    about = [concept_of(called[name]) for name in (*names[:3], "RIDRETH1", "SIALANG")]
    assert [found and found[0].name for found in about] == [
        "family",
        "education",
        "family",
        "ethnicity",
        "language",
    ]
    of_one_domain = ["CMDECOD", "CMDOSE", "CMDOSU", "CMSTDTC", "CMSTDY", "CMSTRF", "VISITNUM"]
    assert without_prefix(of_one_domain) == {name: name for name in of_one_domain}


def test_a_mistyped_age_leaves_the_others_ages() -> None:
    ages = [str(at * 7 % 80 + 5) for at in range(4 * N)]
    ages[5] = "455"
    frame = pl.DataFrame({"column_1": ages, "column_2": ["f", "m"] * (2 * N)})
    assert profile(frame)["column_1"].role == "quasi-identifier"


@pytest.mark.parametrize("names", [("dd", "mm", "yyyy"), ("a", "b", "c"), ("d_nac", "m_nac", "y")])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_day_month_and_year_side_by_side_are_a_date(
    names: tuple[str, ...], order: tuple[int, ...]
) -> None:
    draw = random.Random(3)
    parts = [
        [str(draw.randint(1, 28)) for _ in range(N)],
        [str(draw.randint(1, 12)) for _ in range(N)],
        [str(draw.randint(1930, 2010)) for _ in range(N)],
    ]
    columns = {"age": [str(at % 80) for at in range(N)], "result": ["pos", "neg"] * (N // 2)}
    columns |= {names[at]: parts[at] for at in order}
    seen = profile(pl.DataFrame(columns)).closed()
    assert [seen[name].role for name in names] == ["quasi-identifier"] * 3
    told = [seen[name].why for name in names]
    assert any("it makes a date: write the three as one column" in why for why in told)
    # Apart from each other they say nothing of a date, and days that reach 40 are none.
    columns[names[0]] = [str(draw.randint(1, 40)) for _ in range(N)]
    assert profile(pl.DataFrame(columns))[names[0]].role != "quasi-identifier"


def test_ages_in_several_units_are_told() -> None:
    draw = random.Random(3)
    units = [draw.choice(["years", "years", "months"]) for _ in range(N)]
    ages = [str(draw.randint(1, 80 if unit == "years" else 23)) for unit in units]
    for name in ("unit", "age_unit", "x"):
        seen = profile(pl.DataFrame({"age": ages, name: units, "ill": ["flu", "gout"] * (N // 2)}))
        assert seen[name].role == "quasi-identifier"
        assert [warned.code for warned in seen["age"].warnings] == ["ages-in-units"]
        assert f"leave '{name}' out" in seen["age"].warnings[0].message
    same = pl.DataFrame({"age": ages, "unit": ["years"] * N, "ill": ["flu", "gout"] * (N // 2)})
    assert not profile(same)["age"].warnings


def test_numbers_of_people_are_told_with_id_in_front_and_few() -> None:
    frame = pl.DataFrame(
        {
            "id_paciente": [str(1 + at % 8) for at in range(N)],
            "ssid": [str(1 + at % 60) for at in range(N)],
            "isolate_id": [str(2300967 + at % 12 * 577) for at in range(N)],
            "reg": [str(at + 1) for at in range(N)],
            "household_code": [f"A-B-{at}" for at in range(N)],
            "diagnosis": ["flu", "gout"] * (N // 2),
        }
    )
    seen = profile(frame).closed()
    assert {item.role for item in seen.attributes[:-1]} == {"identifier"}


def test_notes_with_commas_are_free_text() -> None:
    parts = [f"patient seen on ward {at} with pain of the left knee" for at in range(20)]
    notes = [f"{parts[at % 20]}, {parts[at * 7 % 20]}, {parts[at * 3 % 19]}" for at in range(N)]
    frame = pl.DataFrame({"soap": notes, "diagnosis": ["flu", "gout"] * (N // 2)})
    assert profile(frame)["soap"].role == "identifier"


def test_what_words_for_qualities_drugs_and_codes_say() -> None:
    drugs = ["Amoxicillin", "Clarithromycin", "Meropenem", "Ciprofloxacin", "Doxycycline", "other"]
    drugs += [f"{name} / Clav" for name in drugs] + ["Metronidazole", "Fluconazole IV"]
    codes = [f"{65000 + at}-{100 + at}-2{at % 9}" for at in range(40)]
    frame = pl.DataFrame(
        {
            "sex": ["m", "f"] * (N // 2),
            "tr_desc": [drugs[at % len(drugs)] for at in range(N)],
            "ndc": [codes[at % 40] for at in range(N)],
            "toxicidade": [str(at % 9) for at in range(N)],
            "lacticacid": [f"{at % 37 / 10:.1f}" for at in range(N)],
        }
    )
    seen = profile(frame).closed()
    assert "names of drugs" in seen["tr_desc"].why
    assert {item.role for item in seen.attributes[1:]} == {"sensitive"}


def test_days_that_no_name_speaks_of_are_left_out_and_said() -> None:
    draw = random.Random(5)
    days = [str(draw.randint(41000, 45000)) for _ in range(N)]
    frame = pl.DataFrame({"seen": days, "diagnosis": ["flu", "gout"] * (N // 2)})
    seen = profile(frame).closed()["seen"]
    assert seen.role == "identifier"
    assert "or days counted since 1899-12-30" in seen.why
    others = [str(int(day) * 10) for day in days]
    assert "days counted" not in profile(frame.with_columns(seen=pl.Series(others)))["seen"].why


def test_what_says_little_behind_a_word_keeps_it() -> None:
    wards = ["AMU", "8 West", "8 South", "6 East"]
    frame = pl.DataFrame(
        {
            "ward_display_name": [wards[at % 4] for at in range(N)],
            "ward_start": [f"2024-01-{1 + at % 28:02}" for at in range(N)],
            "ward_end": [f"2024-02-{1 + at % 28:02}" for at in range(N)],
            "ward_code": [str(at % 4) for at in range(N)],
            "ward_nurses": [str(at % 7) for at in range(N)],
            "diagnosis": ["flu", "gout"] * (N // 2),
        }
    )
    seen = profile(frame)
    assert {seen[name].role for name in ("ward_display_name", "ward_code")} == {"quasi-identifier"}


def role_of(values: list[str], name: str, **others: list[str]) -> str:
    """The role that a draft gives to a column beside others."""
    return profile(pl.DataFrame({name: values, **others}), "t").closed()[name].role


REPEATED = [str(1 + at * 7 % 83) for at in range(N)]
MIXED_CODES = [f"TCGA-{'ABCDEFGH'[at % 8]}{at % 10}-A{at // 10:02d}X" for at in range(N)]


@pytest.mark.parametrize("name", ["visit", "visits", "visit_nr", "visit_no", "code", "test_code"])
def test_numbers_called_as_what_is_sensitive_are_left_out(name: str) -> None:
    numbers = [100_003 + at * 7919 % 899_981 for at in range(N)]
    assert role_of([str(one) for one in numbers], name) == "identifier"
    assert role_of([str(one // 20_000) for one in numbers], name) != "identifier"


@pytest.mark.parametrize("name", ["ID_Parto", "id_diagnosi2", "PartoID", "id_visita"])
def test_a_number_with_id_at_either_end_is_none_of_what_else_its_name_says(name: str) -> None:
    assert role_of(REPEATED, name) == "identifier"


@pytest.mark.parametrize("name", ["ID_MN_RESI", "id_municipio", "ID_OCUPACAO"])
def test_codes_of_places_and_work_may_begin_with_id(name: str) -> None:
    few = [str(310000 + at % 12) for at in range(N)]
    assert role_of(few, name) != "identifier"


@pytest.mark.parametrize("name", ["sexo", "grade", "patient_barcode", "age", "month_seen"])
def test_codes_that_differ_in_every_record_are_left_out_whatever_they_are_called(name: str) -> None:
    assert role_of(MIXED_CODES, name) == "identifier"


def test_numbers_that_run_through_are_no_ages_or_births() -> None:
    through = [str(at) for at in range(1, N + 1)]
    assert [role_of(through, name) for name in ("age", "birth", "reg", "grade")] == [
        "identifier"
    ] * 4
    assert role_of([str(18 + at % 70) for at in range(N)], "age") == "quasi-identifier"


def test_repeated_numbers_that_begin_at_one_are_left_out() -> None:
    sick = ["flu" if at % 3 else "asthma" for at in range(N)]
    assert role_of(REPEATED, "qz", diagnosis=sick, outcome=sick) == "identifier"


def test_telephone_numbers_that_many_have_are_left_out() -> None:
    shared = ["5551234567", "555 123 4567", "INVALID"]
    assert role_of([shared[at % 3] for at in range(N)], "phone") == "identifier"
    assert role_of(["iPhone", "Android"] * (N // 2), "phone") != "identifier"


@pytest.mark.parametrize(("unit", "length"), [("days", 1), ("weeks", 7), ("months", 30.4375)])
def test_the_time_between_two_days_of_a_table_is_known_as_these(unit: str, length: float) -> None:
    drawn = random.Random(6)
    onset = [date(2020, 1, 1) + timedelta(drawn.randrange(900)) for _ in range(N)]
    took = [drawn.randrange(1_500) for _ in range(N)]
    end = [day + timedelta(days) for day, days in zip(onset, took, strict=True)]
    table = {
        "onset": [str(day) for day in onset],
        "end": [str(day) for day in end],
        "time2": [str(int(days / length)) for days in took],
        "delay": [str(days) for days in drawn.sample(took, N)],
        "diagnosis": ["flu", "asthma"] * (N // 2),
    }
    seen = profile(pl.DataFrame(table), "t")
    told = ("quasi-identifier", f"it counts the {unit} between 'onset' and 'end'")
    assert (seen["time2"].role, seen["time2"].why) == told
    assert "between" not in seen["delay"].why


def test_numbers_that_go_with_an_age_or_a_day_are_known_as_these() -> None:
    drawn = random.Random(5)
    days = [drawn.randrange(-33_000, -7_000) for _ in range(N)]
    ages = [str(-day // 365) for day in days]
    seen = profile(
        pl.DataFrame(
            {"AGE": ages, "QZ": [str(day) for day in days], "diagnosis": ["flu", "x"] * 200}
        ),
        "t",
    )
    assert (seen["QZ"].role, seen["QZ"].why) == ("quasi-identifier", "it goes with 'AGE'")


def test_texts_that_go_with_a_number_of_somebody_are_left_out() -> None:
    who = [f"somebody {'abcdefghij'[at % 50 % 10] * 3} {at % 50 // 10}" for at in range(N)]
    number = [f"P{at % 50:04d}" for at in range(N)]
    ill = ["flu" if at % 3 else "asthma" for at in range(N)]
    assert role_of(who, "qz", patient_id=number, diagnosis=ill) == "identifier"


def test_tests_are_told_by_their_units() -> None:
    units = ["mg/dL", "mmol/L", "g/L", "U/L"]
    names = [chr(97 + at % 16) * 6 for at in range(N)]
    held = [units[at % 16 % 4] for at in range(N)]
    seen = profile(pl.DataFrame({"qz": names, "unite": held, "sexe": ["H", "F"] * 200}), "t")
    assert (seen["qz"].role, seen["qz"].why) == ("sensitive", "each of its values has one 'unite'")


@pytest.mark.parametrize(
    ("values", "about", "role"),
    [
        (["NOITE", "TARDE", "MANHA", "MADRUGADA"], "time", "quasi-identifier"),
        (["am", "pm"], "time", "quasi-identifier"),
        (["T2N0M0", "T3N1M0", "pT4aN2", "T1N0M0"], "health", "sensitive"),
        (["CARD/INT/OTHER", "NEC/NEU", "CHIR", "CAPU"], None, "sensitive"),
        (["mg/dL", "mmol/L", "10^9/L", "U/L"], "health", "sensitive"),
        (["Alta", "Baja", "Normal"], "health", "sensitive"),
    ],
)
def test_what_values_say_by_how_they_are_written(
    values: list[str], about: str | None, role: str
) -> None:
    item = profile(pl.DataFrame({"qz": [values[at % len(values)] for at in range(N)]}), "t")["qz"]
    assert (item.about, item.role) == (about, role)


def test_minutes_as_parts_of_a_day_are_times() -> None:
    drawn = random.Random(7)
    clock = [str(drawn.randrange(1440) / 1440) for _ in range(N)]
    shares = [str(drawn.randrange(100) / 100) for _ in range(N)]
    seen = profile(pl.DataFrame({"adm_icu": clock, "share": shares}), "t")
    assert (seen["adm_icu"].about, seen["share"].about) == ("time", None)


def test_dates_as_days_before_and_after_one_are_dates() -> None:
    drawn = random.Random(9)
    births = [str(drawn.randrange(-19_000, 16_000)) for _ in range(N)]
    seen = profile(pl.DataFrame({"bdate": births, "update": births}), "t")
    assert (seen["bdate"].about, seen["update"].about) == ("time", None)
    days = [str(drawn.randrange(10_700, 12_400)) for _ in range(N)]
    seen = profile(pl.DataFrame({"sadmdte": days, "TRTSDT": days, "amount": days}), "t")
    assert [item.about == "time" for item in seen.attributes] == [True, True, False]


@pytest.mark.parametrize("name", ["Eta_Madre", "edad_padre", "alter_mutter", "umur_ibu"])
def test_ages_of_parents_are_ages(name: str) -> None:
    found = concept_of(name)
    assert found is not None
    assert found[0].name == "age"


def test_codes_made_by_chance_are_left_out_however_often_they_repeat() -> None:
    drawn = random.Random(3)
    codes = [f"{drawn.getrandbits(40):010x}" for _ in range(6)]
    repeated = [codes[at % 6] for at in range(N)]
    ill = ["flu" if at % 3 else "asthma" for at in range(N)]
    assert role_of(repeated, "user_code", diagnosis=ill) == "identifier"
    made_up = [f"Study_{at % 3}_Arm_{at % 4}" for at in range(N)]
    assert role_of(made_up, "arm", diagnosis=ill) == "sensitive"


def test_codes_filled_up_with_zeros_are_left_out_where_nothing_speaks_for_them() -> None:
    ill = ["flu" if at % 3 else "asthma" for at in range(N)]
    padded = [f"P{at % 9 + 1:04d}" for at in range(N)]
    assert role_of(padded, "qz", diagnosis=ill) == "identifier"
    assert role_of([f"I{at % 9 + 1}" for at in range(N)], "qz", diagnosis=ill) == "sensitive"


@pytest.mark.parametrize("name", ["nutritionist_id", "ID_Dentista"])
def test_few_numbers_of_somebody_are_what_others_know(name: str) -> None:
    ill = ["flu" if at % 3 else "asthma" for at in range(N)]
    assert role_of([str(1 + at * 7 % 5) for at in range(N)], name, diagnosis=ill) == (
        "quasi-identifier"
    )
    kinds = [str(1 + at * 7 % 5) for at in range(N)]
    assert role_of(kinds, "status_id", diagnosis=ill) == "sensitive"


def test_some_numbers_of_things_in_few_records_are_left_out() -> None:
    few = pl.DataFrame(
        {
            "diagnostico_id": [str(1 + at * 7 % 19) for at in range(40)],
            "fecha": [f"2024-01-{1 + at % 28:02d}" for at in range(40)],
        }
    )
    assert profile(few, "t")["diagnostico_id"].role == "identifier"


@pytest.mark.parametrize("name", ["V", "id_visit", "ward", "city", "Anonymised code"])
def test_padded_codes_of_nearly_every_record_are_left_out_whatever_they_look_like(
    name: str,
) -> None:
    """They are none of ICD-9 (V019) and of regions (HH-019), and one of them was entered twice."""
    for head in ("V", "HH-"):
        codes = [f"{head}{at:03d}" for at in (1, *range(1, N))]
        assert role_of(codes, name) == "identifier", head


def test_whatever_its_name_says_a_text_with_a_number_in_every_record_is_left_out() -> None:
    phones = [f"({at % 90 + 10}){at * 37 % 9000 + 1000}x{at}" for at in range(N)]
    samples = [f"TC-{'5A'[at % 2]}{at % 7}-{'AB3'[at % 3]}{at:03d}" for at in range(N)]
    assert [role_of(phones, name) for name in ("child", "age", "city")] == ["identifier"] * 3
    assert role_of(samples, "tumor_barcode") == "identifier"
    nearly = [str(700 + 13 * (at * 7 % 390)) for at in range(N)]
    assert [role_of(nearly, name) for name in ("id_ward", "ward_id")] == ["identifier"] * 2
    assert role_of(nearly, "ID_OCUPA_N") != "identifier"


def test_few_names_of_people_and_those_called_a_ward_are_told() -> None:
    names = ["Ana", "Luis", "Carlos", "Marta", "Jorge", "Elena", "Fulgencio", "Pedro"]
    assert [role_of([names[at % 8] for at in range(N)], name) for name in ("x", "ward")] == [
        "identifier"
    ] * 2
    colours = ["White", "Brown", "Green", "Gray", "Rosa"]
    assert role_of([colours[at % 5] for at in range(N)], "x") != "identifier"


@pytest.mark.parametrize("name", ["x", "outcome", "member"])
def test_numbers_as_long_as_those_of_accounts_are_left_out(name: str) -> None:
    few = [str(3968305736 + 1288348919 * (at % 4)) for at in range(N)]
    longer = [f"{at % 60 * 5923 + 100000000}-01" for at in range(N)]
    assert [role_of(values, name) for values in (few, longer)] == ["identifier"] * 2


@pytest.mark.parametrize("name", ["drug_code", "NDC", "census_tract"])
def test_codes_may_be_as_long_as_account_numbers(name: str) -> None:
    assert role_of([str(36061000100 + 100 * (at % 12)) for at in range(N)], name) != "identifier"


def test_moments_written_together_are_no_numbers_of_accounts() -> None:
    moments = [f"25330825{at % 12 + 10}{at % 6}000" for at in range(N)]
    assert role_of(moments, "onset") != "identifier"


def test_a_yes_or_no_counts_no_records() -> None:
    """Nearly everybody has one record, of which every 0 and every 1 could be the first."""
    ids = [f"p{at:04d}" for at in (*range(N - 20), *range(20))]
    random.seed(1)
    given = [str(random.randint(0, 1)) for _ in range(N)]
    frame = pl.DataFrame({"patient_id": ids, "trt": given, "sex": ["m", "f"] * (N // 2)})
    assert profile(frame, "t").closed()["trt"].role == "sensitive"


def test_readings_that_differ_in_every_record_number_nobody() -> None:
    ratios = [f"{30 + at // 10},{at % 10}{at % 7}" for at in range(N)]
    frame = pl.DataFrame({"r": ratios, "diagnosis": [f"I{at % 9}" for at in range(N)]})
    assert profile(frame, "t").closed()["r"].role == "sensitive"


def test_what_names_of_cells_rates_and_questions_say() -> None:
    about = {
        name: (concept_of(name) or (None,))[0]
        for name in ("macrophages", "horas_actividad_semana", "How many years old is she?")
    }
    assert about["macrophages"] is None
    assert about["horas_actividad_semana"] is None
    assert about["How many years old is she?"].name == "age"


def test_concentrations_near_zero_are_no_points_on_a_map() -> None:
    draw = np.random.default_rng(4)
    shares = {name: [f"{one:.6f}" for one in draw.exponential(6, N)] for name in ("p1", "p2")}
    places = {
        "x": [f"{one:.6f}" for one in draw.normal(5.6, 1, N).clip(4, 9)],
        "y": [f"{one:.6f}" for one in draw.normal(-1.6, 1, N)],
    }
    assert "points on a map" not in profile(pl.DataFrame(shares))["p1"].why
    assert "points on a map" in profile(pl.DataFrame(places))["y"].why, "Kumasi and around it"


ILL = {"diagnosis": ["flu", "gout"] * (N // 2)}


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("site", ["colon", "rectum"], "sensitive"),
        ("subsite", ["Trunk", "Limbs", "Head and Neck"], "sensitive"),
        ("site", ["Boston", "Lima"], "quasi-identifier"),
        ("estado", ["completada", "agendada", "cancelada"], "sensitive"),
        ("ESTADO", ["Entrevista en curso", "Finalizada", "Rechazada en curso"], "sensitive"),
        ("estado", ["Jalisco", "Sonora", "Yucatán"], "quasi-identifier"),
        ("state", ["1", "2", "3"], "sensitive"),
        ("state", ["14", "15", "16", "18"], "quasi-identifier"),
        ("first", ["Yes", "No"], "sensitive"),
        ("first", ["Ana", "Luis"], "identifier"),
        ("bodysite", ["Thoracic structure", "Knee"], "sensitive"),
    ],
)
def test_what_a_word_of_two_meanings_says_is_told_by_its_values(
    name: str, values: list[str], role: str
) -> None:
    assert role_of([values[at % len(values)] for at in range(N)], name, **ILL) == role


def test_a_status_with_a_thousand_values_is_none() -> None:
    surnames = [
        f"{'abcdefghij'[at % 10]}{'klmno'[at // 10 % 5]}ez{at // 50 * 'a'}" for at in range(N)
    ]
    assert role_of(surnames, "status", **ILL) == "identifier"


def test_numbers_of_times_are_not_published_for_their_name() -> None:
    days = [str(at * 7 % 365 + 1) for at in range(4 * N)]
    names = ["ID_Visita", "ID_Paciente", "ID_Medico", "ID_Sede"]
    frame = pl.DataFrame(dict.fromkeys(names, days) | {"ID_Tempo": days, "Custo": days})
    assert profile(frame)["ID_Tempo"].role == "identifier"


def test_numbers_of_somebody_within_texts_are_left_out() -> None:
    texts = [f"Patient {at // 2}, {'lesion' if at % 2 else 'normal tissue'}" for at in range(18)]
    assert role_of(texts, "title") == "identifier"


def test_a_month_follows_from_a_date_beside_a_number_of_the_person() -> None:
    days = [date(1980 + at % 9, at * 5 % 12 + 1, 7) for at in range(4 * N)]
    frame = pl.DataFrame(
        {
            "birth": [f"{1900 + at / 100:.3f}" for at in range(4 * N)],
            "bdate": [str(date(1900, 1, 1) + timedelta(at)) for at in range(4 * N)],
            "cdate": [str(date(1920, 1, 1) + timedelta(at)) for at in range(4 * N)],
            "edate": [str(date(1940, 1, 1) + timedelta(at)) for at in range(4 * N)],
            "dx": [str(day) for day in days],
            "mmdx": [str(day.month) for day in days],
        }
    )
    assert profile(frame)["mmdx"].why == "it follows from 'dx'"


def test_what_a_person_has_throughout_does_not_follow_from_a_moment_of_the_person() -> None:
    people = [at // 12 for at in range(720)]
    start = datetime(2020, 1, 1, 8)
    frame = pl.DataFrame(
        {
            "USUBJID": [f"S-{one:04d}" for one in people],
            "EXSTDTC": [str(start + timedelta(minutes=17 * one)) for one in people],
            "ARMAN": [str(one % 6 + 1) for one in people],
            "DV": [f"{at * 7919 % 1009 / 7:.3f}" for at in range(720)],
        }
    )
    assert profile(frame)["ARMAN"].role == "sensitive"


def test_hours_of_a_clock_are_times_of_the_day() -> None:
    hours = [str(at * 7 % 24) for at in range(N)]
    assert role_of(hours, "arrival_hour", **ILL) == "quasi-identifier"
    few = [str(at % 6) for at in range(N)]
    assert role_of(few, "hour_exercise", **ILL) == "sensitive"


def test_numbers_of_a_question_with_a_range_of_ages_are_ages() -> None:
    ages = [str(18 + at * 7 % 60) for at in range(N)]
    assert profile(pl.DataFrame({"SQ2": ages, "pco2": ages}))["SQ2"].about == "age"
    assert profile(pl.DataFrame({"SQ2": ages, "pco2": ages}))["pco2"].about is None


def test_words_of_two_letters_are_words_where_a_letter_is_a_syllable() -> None:
    places = [
        "경기",
        "서울",
        "부산",
        "경남",
        "인천",
        "대구",
        "경북",
        "충남",
        "전남",
        "전북",
        "충북",
        "대전",
        "광주",
        "울산",
        "강원",
    ]
    values = [places[at * at % 15] for at in range(N)] + places * 20
    assert role_of(values, "SQ3", age=[str(at % 60) for at in range(len(values))]) == (
        "quasi-identifier"
    )


def test_zeros_are_no_zip_code() -> None:
    codes = [f"{10000 + at * 89}" if at % 20 else "00000" for at in range(N)]
    item = profile(pl.DataFrame({"zip_code": codes}))["zip_code"]
    assert set(item.missing_tokens) == {"00000"}


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("covid_wave", "quasi-identifier"),
        ("measurement_datetime", "quasi-identifier"),
        ("T_wave", "sensitive"),
        ("professionepoux", "quasi-identifier"),
        ("domicileepouse", "quasi-identifier"),
        ("demog_employ", "quasi-identifier"),
    ],
)
def test_the_word_that_a_name_is_about_counts_wherever_it_stands(name: str, role: str) -> None:
    assert role_of([f"kind {'abcd'[at % 4]}" for at in range(N)], name, **ILL) == role


@pytest.mark.parametrize(
    ("name", "lightest", "step", "survey"),
    [("svywt", 1200, 17, True), ("bodywt", 2900, 3, False), ("birthwt", 1200, 17, False)],
)
def test_rounded_weights_of_a_survey_differ_more_than_those_of_children(
    name: str, lightest: int, step: int, survey: bool
) -> None:
    item = profile(pl.DataFrame({name: [str(lightest + at * step) for at in range(N)] * 2}))[name]
    assert ("weights of a survey" in item.why) == survey


def test_whether_somebody_was_in_hospital_is_no_hospital() -> None:
    assert role_of(["129"[at % 3] for at in range(N)], "HOSPITAL", **ILL) == "sensitive"
    assert role_of([f"clinic {at % 3}" for at in range(N)], "HOSPITAL", **ILL) == "quasi-identifier"


def test_zip_codes_that_hardly_repeat_are_places() -> None:
    item = profile(pl.DataFrame({"zip_code": [f"{10001 + at * 89}" for at in range(50)]}))
    assert item["zip_code"].role == "quasi-identifier"


def test_long_texts_of_which_each_has_its_code_are_titles() -> None:
    titles = [f"disorder of kind {at} with a long name for the {at}th time" for at in range(100)]
    frame = pl.DataFrame(
        {
            "diagnosis_code": [str(100 + at % 100) for at in range(N)],
            "title": [titles[at % 100] for at in range(N)],
            "remarks": [titles[at * at % 100] + f" {at}" for at in range(N)],
        }
    )
    seen = profile(frame)
    assert seen["title"].why == "its texts are titles, one for each 'diagnosis_code'"
    assert seen["remarks"].role == "identifier"


def test_months_beside_years_are_known_by_them() -> None:
    frame = pl.DataFrame(
        {
            "mmarr": [str(1 + at % 12) for at in range(N)],
            "ymarr": [str(1950 + at * 7 % 60) for at in range(N)],
            "pain": [str(1 + at % 12) for at in range(N)],
            **ILL,
        }
    )
    seen = profile(frame)
    assert (seen["mmarr"].role, seen["pain"].role) == ("quasi-identifier", "sensitive")


def test_numbers_that_count_the_lines_of_a_claim_say_nothing() -> None:
    claims = [(claim, line) for claim in range(80) for line in range(1, 2 + claim % 9)]
    frame = pl.DataFrame(
        {
            "claim_id": [f"C{claim * 7919 % 90001:05d}" for claim, _ in claims],
            "line": [str(line) for _, line in claims],
            "diagnosis": [f"I{claim * line % 9}" for claim, line in claims],
        }
    )
    assert profile(frame)["line"].role == "insensitive"


def test_what_everybody_has_equally_often_is_the_design_of_a_study() -> None:
    rows = [(one, visit) for one in range(60) for visit in ("first", "second", "last")]
    frame = pl.DataFrame(
        {
            "patient_id": [f"P{one * 7919 % 90001:05d}" for one, _ in rows],
            "visit": [visit for _, visit in rows],
            "mood": [f"mood {one * one * len(visit) % 7 % 3}" for one, visit in rows],
            "sex": ["mf"[one % 2] for one, _ in rows],
        }
    )
    seen = profile(frame)
    assert (seen["visit"].role, seen["mood"].role) == ("insensitive", "sensitive")
    assert "equally often" in seen["visit"].why


def test_a_number_that_says_what_a_text_of_its_name_says_is_left_out() -> None:
    frame = pl.DataFrame(
        {
            "SEX": ["M" if at % 2 else "F" for at in range(N)],
            "SEXN": [str(at % 2 + 1) for at in range(N)],
            "RACE": [("White", "Black", "Asian")[at % 3] for at in range(N)],
            "RACEN": [str(at * at % 4) for at in range(N)],
        }
    )
    seen = profile(frame)
    assert (seen["SEX"].role, seen["SEXN"].role) == ("quasi-identifier", "identifier")
    assert seen["SEXN"].why == "it says in numbers what 'SEX' says: one of the two is enough"
    assert seen["RACEN"].role == "quasi-identifier"


def test_a_number_of_somebody_in_short_is_asked_for_where_it_repeats() -> None:
    frame = pl.DataFrame(
        {
            "ptnum": [str(1 + at // 4) for at in range(N)],
            "time": [f"{at % 4 + at / 900:.3f}" for at in range(N)],
            "state": [str(1 + at * at % 3) for at in range(N)],
        }
    )
    person = profile(frame).person
    assert person is not None
    assert (person.column, person.sure) == ("ptnum", False)


def test_streets_and_points_called_gps_are_doorsteps() -> None:
    streets = [f"RUA {'ABCDEFGH'[at % 8]} {'XYZ'[at % 3]}{at % 40}" for at in range(N)]
    assert role_of(streets, "nome_logradouro_residencia") == "identifier"
    assert role_of([one.replace("RUA", "Via") for one in streets], "route", **ILL) == "sensitive"
    points = [f"78.{at * 7919 % 90001:05d}" for at in range(N)]
    assert role_of(points, "gps_long", **ILL) == "identifier"


def test_no_and_yes_of_people_with_one_record_or_two_count_nothing() -> None:
    rows = [(one, spell) for one in range(300) for spell in range(1 + one // 200)]
    frame = pl.DataFrame(
        {
            "id": [str(1000 + one * 7) for one, _ in rows],
            "pneumonia_since": [str(spell) for _, spell in rows],
            "sex": ["mf"[one % 2] for one, _ in rows],
        }
    )
    assert profile(frame)["pneumonia_since"].role == "sensitive"


def test_diastolic_pressures_are_no_days() -> None:
    assert role_of([str(50 + at * 7 % 60) for at in range(N)], "dias", **ILL) == "sensitive"
    assert role_of([str(1 + at * 7 % 30) for at in range(N)], "dias", **ILL) == "quasi-identifier"


@pytest.mark.parametrize("name", ["OCCUCODE", "SITEGR1", "labforce", "nativity", "hhcivil"])
def test_short_forms_within_names_are_read(name: str) -> None:
    assert role_of([str(1 + at % 4) for at in range(N)], name, **ILL) == "quasi-identifier"


def test_a_code_in_a_name_is_not_about_health() -> None:
    assert concept_of("COMPCODE") is None


@pytest.mark.parametrize(
    ("values", "about"),
    [
        (["Женщина", "Мужчина"], "sex"),
        (["Groom", "Bride"], "sex"),
        (["Высшее", "Среднее общее", "Начальное"], "education"),
        (["本科", "硕士", "高中"], "education"),
        (["Studia magisterskie", "Studia licencjackie", "Inne"], "education"),
        (["Hauptschule", "Realschule", "ohne"], "education"),
        (["SOLTERO(A)", "CASADO(A)", "VIUDO(A)", "UNION LIBRE"], "family"),
        (["已婚", "未婚", "离异"], "family"),
        (["Gehuwd", "Gescheiden", "Weduwe"], "family"),
        (["Emekli", "Memur", "Diğer"], "occupation"),
        (["Skilled", "Unskilled", "Agri (self)"], "occupation"),
        (["Aries", "Leo", "Cancer", "Pisces", "Libra"], "birth"),
        (["2012/2013", "2013/2014", "2014/2015"], "time"),
        (["2020-Q1", "2020-Q2", "2020-Q3"], "time"),
        (["poniedziałek", "wtorek", "środa"], "time"),
        (["Uomo", "Donna"], "sex"),
        (["Masc", "Fem"], "sex"),
        (["garçon", "fille"], "sex"),
        (["Célibataire", "Marié(e)", "Divorcé(e)"], "family"),
        (["panna", "mężatka", "wdowa"], "family"),
        (["gift", "ugift", "skilt"], "family"),
        (["mother", "father", "other"], "family"),
        (["Liceo scientifico", "Istituto tecnico", "Liceo linguistico"], "education"),
        (["grundskola", "gymnasium", "universitet"], "education"),
        (["full-time", "part-time"], "occupation"),
        (["CDI", "CDD", "Interim"], "occupation"),
        (["IT", "HR", "Sales"], "occupation"),
        (["technical", "support", "product_mng", "accounting"], "occupation"),
        (["tenured", "tenure track", "teaching"], "occupation"),
        (["Relación de dependencia", "Autónomo", "Otro"], "occupation"),
        (["ville", "campagne", "périurbain"], "place"),
        (["miasto powyżej 100 tys.", "wieś"], "place"),
        (["kent", "kır"], "place"),
        (["Nord", "Sud", "Centro"], "place"),
        (["ze wsi", "z miasta"], "place"),
        (["own", "rent", "other"], "place"),
        (["Mietwohnung", "Eigentum"], "place"),
        (["18 a 25 años", "26 a 40 años", "41 a 60 años", "más de 60 años"], "age"),
        (["moins de 25 ans", "25-40 ans", "41-60 ans", "60 ans et plus"], "age"),
    ],
)
def test_what_others_know_is_read_in_other_languages(values: list[str], about: str) -> None:
    item = profile(pl.DataFrame({"qz": [values[at % len(values)] for at in range(N)], **ILL}))["qz"]
    assert (item.about, item.role) == (about, "quasi-identifier")


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Czy.pracujesz.", "quasi-identifier"),
        ("dział", "quasi-identifier"),
        ("Czy kierownik", "quasi-identifier"),
        ("kıdem", "quasi-identifier"),
        ("Führungskraft", "quasi-identifier"),
        ("anos_de_estudo", "quasi-identifier"),
        ("Années d'études", "quasi-identifier"),
        ("kindergarten", "quasi-identifier"),
        ("Scuola superiore", "quasi-identifier"),
        ("habitation", "quasi-identifier"),
        ("habit", "sensitive"),
        ("distract", "sensitive"),
        ("circuito", "quasi-identifier"),
        ("Staatsangehörigkeit", "quasi-identifier"),
        ("dkids", "quasi-identifier"),
        ("yrdispl", "quasi-identifier"),
        ("pref_1", "sensitive"),
        ("Dominant Hand", "quasi-identifier"),
        ("HoursWk", "quasi-identifier"),
        ("parented", "quasi-identifier"),
        ("schoolsize", "quasi-identifier"),
        ("geography", "quasi-identifier"),
        ("Programa Académico", "quasi-identifier"),
        ("EmpStatusID", "quasi-identifier"),
        ("PerfScoreID", "sensitive"),
        ("Teenhome", "quasi-identifier"),
        ("kidney", "sensitive"),
        ("ocup_forca", "quasi-identifier"),
        ("trab_procurou", "quasi-identifier"),
        ("local_recurrence", "sensitive"),
        ("freq_esc", "quasi-identifier"),
        ("esco_hom", "quasi-identifier"),
        ("perimetro", "sensitive"),
        ("compacidad", "sensitive"),
        ("localidad", "quasi-identifier"),
        ("reg_procedencia", "quasi-identifier"),
        ("source_of_referral", "quasi-identifier"),
        ("religion_importance", "sensitive"),
        ("religion", "quasi-identifier"),
        ("Na.jakiej.uczelni.studiujesz.", "quasi-identifier"),
        ("Miejsce zamieszkania", "quasi-identifier"),
        ("Cinsiyetinizi seçin", "quasi-identifier"),
        ("Czy uważasz że praca sprawia ci trudność", "sensitive"),
        ("Turma", "quasi-identifier"),
        ("husEd", "quasi-identifier"),
        ("birthOrd", "quasi-identifier"),
        ("meducation", "quasi-identifier"),
        ("dem4", "quasi-identifier"),
        ("dem", "sensitive"),
        ("SSS", "sensitive"),
        ("job_sat1", "sensitive"),
        ("JobInvolvement", "sensitive"),
        ("ResidentAbuseByStaff", "sensitive"),
        ("ultimo_ano_aprobado_fallecido", "quasi-identifier"),
        ("causa_fallecido", "sensitive"),
        ("muerte_materna", "sensitive"),
        ("cie10_clasificacion", "sensitive"),
        ("state_prov", "quasi-identifier"),
    ],
)
def test_what_names_are_about_in_several_languages(name: str, role: str) -> None:
    values = [f"kind {'abcd'[at % 4]}" for at in range(N)]
    assert role_of(values, name, **ILL) == role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("NDT", [str(at * at % 17) for at in range(N)], "sensitive"),
        ("pspwght", [f"{0.3 + at % 97 / 31:.9f}" for at in range(N)], "identifier"),
        ("bweight", [f"{2.5 + at % 97 / 61:.9f}" for at in range(N)], "sensitive"),
    ],
)
def test_what_short_names_of_numbers_are_about(name: str, values: list[str], role: str) -> None:
    assert role_of(values, name, **ILL) == role


@pytest.mark.parametrize(
    "way",
    [
        "%d/%m/%Y",
        "%m/%d/%Y",
        "%d.%m.%Y 10:15",
        "%Y%m%d",
        "%Y/%m/%d 3:02:11 PM GMT-3",
        "%Y/%m/%d 3:02:11 PM OEZ",
    ],
)
def test_a_stay_of_some_days_is_told_however_its_days_are_written(way: str) -> None:
    drawn = random.Random(6)
    came = [date(2020, 1, 1) + timedelta(drawn.randrange(900)) for _ in range(N)]
    stayed = [drawn.randrange(9) for _ in range(N)]
    table = {
        "came": [day.strftime(way) for day in came],
        "left": [
            (day + timedelta(days)).strftime(way) for day, days in zip(came, stayed, strict=True)
        ],
        "qz": [str(days) for days in stayed],
        "other": [str(days) for days in drawn.sample(stayed, N)],
        **ILL,
    }
    seen = profile(pl.DataFrame(table), "t")
    assert seen["qz"].why == "it counts the days between 'came' and 'left'"
    assert "between" not in seen["other"].why


@pytest.mark.parametrize("name", ["mupio_ocu", "ensinomedcomp", "brancas"])
def test_short_forms_of_places_schooling_and_groups_are_read(name: str) -> None:
    assert role_of([str(1 + at % 4) for at in range(N)], name, **ILL) == "quasi-identifier"


def test_death_and_divorce_are_ends_of_a_marriage() -> None:
    assert role_of(["Death", "Divorce"] * (N // 2), "qz", **ILL) == "quasi-identifier"
    assert role_of(["Death", "Alive"] * (N // 2), "qz", **ILL) == "sensitive"


@pytest.mark.parametrize(
    "name",
    [
        "nev_mar", "evermarr", "collgrad", "catholic", "experience", "CompanySizeNumber", "Remote",
        "south", "sport", "monthfm",
    ],
)  # fmt: skip
def test_what_others_know_is_told_by_names_written_in_short(name: str) -> None:
    assert role_of([str(at % 2) for at in range(N)], name, **ILL) == "quasi-identifier"


@pytest.mark.parametrize(
    ("name", "last", "role"), [("grade", 18, "quasi-identifier"), ("grade", 4, "sensitive")]
)
def test_grades_above_those_of_pain_are_years_of_schooling(name: str, last: int, role: str) -> None:
    assert role_of([str(at % (last + 1)) for at in range(N)], name, **ILL) == role


def test_codes_and_titles_of_diseases_are_told_by_words_of_other_languages() -> None:
    codes = [f"C{at * at % 97:02d}{at % 7}" for at in range(4 * N)]
    frame = pl.DataFrame(
        {
            "Código da Topografia": codes,
            "Descrição da Topografia": [f"lugar {code} do corpo" for code in codes],
            "idade": [str(at * 7 % 90) for at in range(4 * N)],
        }
    )
    seen = profile(frame)
    assert {seen[name].role for name in frame.columns[:2]} == {"sensitive"}


def test_jobs_in_a_hospital_are_work() -> None:
    jobs = ["Enfermeras/os", "Auxiliar", "Celador", "Otros"] * (N // 4)
    assert profile(pl.DataFrame({"qz": jobs, **ILL}))["qz"].about == "occupation"


def test_letters_and_as_many_digits_are_no_codes_of_diseases() -> None:
    numbers = [f"{'ABCDEFGHIJKLM'[at % 13]}{at * 37 % 5000:06d}" for at in range(N)] * 3
    assert role_of(numbers, "bioguide") == "identifier"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("weight", [str(40_000 + at * 977 % 90_000) for at in range(N)], "identifier"),
        ("weight", [f"{400 + at * 977 % 9000}.8" for at in range(N)], "identifier"),
        ("weight", [str(2500 + at * 7 % 1500) for at in range(N)], "sensitive"),
        ("west", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("breast", ["0", "1"] * (N // 2), "sensitive"),
        ("bathroom", ["no", "yes"] * (N // 2), "sensitive"),
        ("mtr", ["1", "2"] * (N // 2), "sensitive"),
        ("smcity", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("birth_mo", [str(1 + at % 12) for at in range(N)], "quasi-identifier"),
        ("kidlt6", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("bluecol", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("nativeBorn", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("divorced", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("children_under_18", ["0", "1"] * (N // 2), "quasi-identifier"),
    ],
)
def test_what_columns_of_surveys_are_about(name: str, values: list[str], role: str) -> None:
    assert role_of(values, name, **ILL) == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Ansiedad: en una escala de 0 a 10, ¿padece ansiedad?", "sensitive"),
        ("ansiedad", "sensitive"),
        ("prioridade", "sensitive"),
        ("¿Cuántos hermanos tienes?", "quasi-identifier"),
        ("trabaja", "quasi-identifier"),
        ("Lieu de vote", "quasi-identifier"),
        ("Do you ever talk to a stranger in the classroom?", "sensitive"),
    ],
)
def test_words_that_end_like_others_say_nothing_of_these(name: str, role: str) -> None:
    assert role_of([str(at % 4) for at in range(N)], name, **ILL) == role


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("trust_country_parliament", [str(at % 6) for at in range(N)], "sensitive"),
        ("trust", [f"Trust {'ABCDEFGHIJKLMNOP'[at % 16]}" for at in range(N)], "quasi-identifier"),
        ("Opleidingsniveau", ["Master", "PhD"] * (N // 2), "quasi-identifier"),
        ("Berufsgruppe", ["A", "B"] * (N // 2), "quasi-identifier"),
        ("USUBJID", ["P0001", "P0002"] * (N // 2), "identifier"),
        ("flags", [str(at % 9) for at in range(N)], "sensitive"),
        ("Class", [f"{at % 30 + 1}.{at % 3}" for at in range(N)], "quasi-identifier"),
        ("class", [str(1 + at % 4) for at in range(N)], "sensitive"),
        ("PATDATA", [f"RE-{at % 20} LE" for at in range(N)], "sensitive"),
        ("continent", ["Asia", "Oceania"] * (N // 2), "quasi-identifier"),
        ("livch", [str(at % 4) for at in range(N)], "quasi-identifier"),
    ],
)
def test_words_of_two_meanings_in_further_names(name: str, values: list[str], role: str) -> None:
    assert role_of(values, name, **ILL) == role


def test_questions_with_one_scale_ask_what_somebody_thinks() -> None:
    drawn = random.Random(4)
    names = ["tu salud", "tus amistades", "tu empleo", "tu vida", "tu vivienda", "tu tiempo"]
    scale = {name: [str(drawn.randrange(1, 11)) for _ in range(N)] for name in names}
    seen = profile(pl.DataFrame({"edad": [str(at % 80) for at in range(N)], **scale}))
    assert {seen[name].role for name in names} == {"sensitive"}
    alone = profile(
        pl.DataFrame(
            {
                "edad": [str(at % 80) for at in range(N)],
                **{name: scale[name] for name in names[1:4]},
            }
        )
    )
    assert alone["tu empleo"].role == "quasi-identifier"


@pytest.mark.parametrize("name", ["prot", "cath", "ortho", "disc", "fresh", "tele"])
def test_short_words_of_medicine_are_cut_from_no_others(name: str) -> None:
    assert role_of(["1", "2"] * (N // 2), name, **ILL) == "sensitive"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("Student", ["No", "Yes"] * (N // 2), "quasi-identifier"),
        ("student", [str(104_120 + at) for at in range(N)], "identifier"),
        ("studage", ["2", "4", "6", "8"] * (N // 4), "quasi-identifier"),
        ("dosage", ["2", "4", "6", "8"] * (N // 4), "sensitive"),
        ("momed", ["1", "2"] * (N // 2), "quasi-identifier"),
        ("T.Stage", ["1", "2", "3"] * (N // 3) + ["1"], "sensitive"),
        ("occp", ["1", "2"] * (N // 2), "quasi-identifier"),
        ("ged", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("curso", ["2", "3"] * (N // 2), "quasi-identifier"),
        ("RBC.Age.Group", ["1", "2", "3", "4"] * (N // 4), "sensitive"),
    ],
)
def test_what_short_names_of_studies_are_about(name: str, values: list[str], role: str) -> None:
    assert role_of(values, name, **ILL) == role


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Gostaria de escolher um corretor?", "sensitive"),
        ("escolaridade_mae", "quasi-identifier"),
        ("In welchem Beschäftigungsverhältnis befinden Sie sich?", "quasi-identifier"),
    ],
)
def test_questions_in_portuguese_and_german(name: str, role: str) -> None:
    assert role_of([str(at % 3) for at in range(N)], name, **ILL) == role


def test_a_number_from_1_to_31_beside_a_month_is_its_day() -> None:
    months = [("January", "May", "July")[at % 3] for at in range(N)]
    days = [str(at * 7 % 31 + 1) for at in range(N)]
    others = [str(at * 11 % 37 % 31 + 1) for at in range(N)]
    frame = pl.DataFrame({"month": months, "d": days, "x": others, **ILL})
    seen = profile(frame, "t")
    assert (seen["d"].role, seen["x"].role) == ("quasi-identifier", "sensitive")
    assert seen["d"].why == "with 'month' it makes a day"


def test_what_follows_from_something_known_is_known() -> None:
    draw = random.Random(8)
    at = [draw.randrange(30) for _ in range(2 * N)]
    frame = pl.DataFrame(
        {
            "peak": [f"{'ABCDE'[one % 5]}{'aeiou'[one // 6]}ngh{'eiouay'[one % 6]}" for one in at],
            "up": [str(6000 + one * 97) for one in at],
            "qz": [str(draw.randrange(20)) for _ in at],
            "sex": [draw.choice("mf") for _ in at],
            "diagnosis": [draw.choice(("flu", "gout")) for _ in at],
        }
    )
    seen = profile(frame, "t")
    assert (seen["peak"].role, seen["up"].role) == ("quasi-identifier", "quasi-identifier")
    assert seen["up"].why == "it follows from 'peak'"
    assert seen["qz"].role == "sensitive"


def test_scores_of_few_records_are_as_those_that_are_called_alike() -> None:
    draw = random.Random(5)
    few = {f"ados.{part}": [str(draw.randrange(6)) for _ in range(60)] for part in "acd"}
    rare = {"ados.b": [str(draw.randrange(19)) for _ in range(60)]}
    ages = {"age": [str(at % 13 + 2) for at in range(60)]}
    closed = profile(pl.DataFrame({**ages, **few, **rare})).closed()
    assert closed["ados.b"].distinct * 5 > 60
    assert {closed[name].role for name in (*few, *rare)} == {"sensitive"}


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("y94", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("yr2004", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("y94", ["1", "2"] * (N // 2), "sensitive"),
        ("d10", ["0", "1"] * (N // 2), "sensitive"),
        ("custate", ["1", "2", "3", "4", "6"] * (N // 5), "sensitive"),
        ("custate", [str(at % 40 + 1) for at in range(N)], "quasi-identifier"),
        ("area", [f"{200 + at}.5" for at in range(N)], "sensitive"),
        ("area", ["1", "2", "3", "4"] * (N // 4), "quasi-identifier"),
    ],
)
def test_what_names_of_years_states_and_areas_say_with_their_values(
    name: str, values: list[str], role: str
) -> None:
    assert role_of(values, name, **ILL) == role


def test_a_yes_or_no_between_two_about_one_thing_is_about_it_too() -> None:
    draw = random.Random(2)
    names = ("pain", "qx", "hispanic", "other", "white")
    frame = pl.DataFrame({name: [draw.choice("01") for _ in range(N)] for name in names})
    seen = profile(frame, "t")
    assert (seen["qx"].role, seen["other"].role) == ("sensitive", "quasi-identifier")
    assert seen["other"].why == "it stands between 'hispanic' and 'white'"


@pytest.mark.parametrize("name", ["student", "Alumno", "eleve", "employee", "customer", "öğrenci"])
def test_numbers_of_somebody_are_left_out_where_the_name_says_no_more_than_who(name: str) -> None:
    draw = random.Random(3)
    numbers = [str(1 + int(draw.expovariate(1 / 60))) for _ in range(6 * N)]
    others = {
        "school": [str(draw.randrange(65)) for _ in numbers],
        "mark": [f"{draw.gauss(0, 1):.4f}" for _ in numbers],
        "sex": [draw.choice("mf") for _ in numbers],
    }
    assert role_of(numbers, name, **others) == "identifier"
    assert role_of(numbers, "points", **others) == "sensitive"


@pytest.mark.parametrize(
    ("values", "role"), [(["No", "Yes"], "quasi-identifier"), (["0", "1", "2", "5"], "sensitive")]
)
def test_a_partner_or_none_is_family_and_several_partners_are_not(
    values: list[str], role: str
) -> None:
    assert role_of(values * (N // len(values)), "partner", **ILL) == role


@pytest.mark.parametrize("signed", [True, False])
def test_days_before_and_after_a_visit_number_no_people(signed: bool) -> None:
    days = Column("day", None, "integer", distinct=30, filled=370, signed=signed)
    assert days.could_number is not signed
    frame = pl.DataFrame({"day": [str(at % 30 - 8 * signed) for at in range(N)]})
    assert _beside(look_at(open_table(frame, "t"), "day", N, "day")).signed is signed


KNOWN_OF_SOMEBODY = [
    "is_male", "latinx", "native_american", "home_language", "english_speaker",
    "refugee_status", "years_in_us", "hh_members", "n_brothers", "older_siblings",
    "only_child", "lives_alone", "relation_to_head", "family_structure", "currmarr",
    "college_grad", "highest_degree", "some_college", "can_read", "grade_in_school",
    "enrolled", "schoolyrs", "work_experience", "joblevel", "shift_type", "part_time",
    "hours_week", "public_sector", "military_rank", "union_member", "home_ownership",
    "residential_area", "health_zone", "rurality", "pop_density", "wardid", "is_weekend",
    "fiscal_year", "mode_of_arrival", "referred_from", "discharge_destination",
    "teaching_hospital", "arrival_mode", "integrantes_hogar", "anios_servicio",
    "jornada_laboral", "tipo_ingreso", "dias_uci", "nivel_atencion", "colegio",
    "qtd_moradores", "situacao_ocupacional", "carater_internacao", "local_parto",
    "aposentado", "taille_menage", "lieu_naissance", "categorie_prof", "mode_admission",
    "aufnahmeart", "entlassungsart", "haushaltsgroesse", "betriebszugehoerigkeit",
    "ortsgroesse", "huishoudgrootte", "werkzaam", "stedelijkheid", "fascia_eta",
    "stato_occupazionale", "modalita_dimissione", "tryb_przyjecia", "status_zawodowy",
    "poziom_wyksztalcenia", "medeni_hal", "calisma_suresi", "yasadigi_yer",
    "jumlah_tanggungan", "masa_kerja", "cara_masuk", "bracni_status",
]  # fmt: skip


@pytest.mark.parametrize("name", KNOWN_OF_SOMEBODY)
def test_what_others_know_is_read_in_short_forms_and_further_languages(name: str) -> None:
    told = concept_of(name)
    assert told is not None
    assert told[0].role == "quasi-identifier"


@pytest.mark.parametrize(
    "name", ["bandage", "homework_hours", "trainload", "transfusion", "progesterone", "specimen"]
)
def test_words_that_only_begin_or_end_like_others_are_not_known_to_others(name: str) -> None:
    told = concept_of(name)
    assert told is None or told[0].role == "sensitive"


@pytest.mark.parametrize(
    ("name", "last", "role"),
    [
        ("dx_month", 12, "quasi-identifier"), ("mes_alta", 12, "quasi-identifier"),
        ("wk_of_dx_week", 52, "quasi-identifier"), ("dx_dow", 7, "quasi-identifier"),
        ("dx_month", 30, "sensitive"), ("dx_score", 12, "sensitive"),
    ],
)  # fmt: skip
def test_parts_of_years_are_told_by_their_last_number(name: str, last: int, role: str) -> None:
    assert role_of([str(at % last + 1) for at in range(N)], name, **ILL) == role


def test_marks_that_hardly_repeat_are_sensitive_in_any_table_about_people() -> None:
    draw = random.Random(8)
    marks = [str(int(draw.gauss(60, 14))) for _ in range(80)]
    frame = pl.DataFrame(
        {"sex": ["m", "f"] * 40, "calculus": marks, "words": [f"w{at}" for at in range(80)]}
    )
    closed = profile(frame).closed()
    assert (closed["calculus"].role, closed["words"].role) == ("sensitive", "identifier")


@pytest.mark.parametrize("name", ["visit", "Visits", "stay"])
@pytest.mark.parametrize("form", ["V{:04}", "{:05}", "{}"])
def test_numbers_of_stays_that_repeat_are_left_out(name: str, form: str) -> None:
    """They are no diagnosis and nothing that others know: days of a stay are, and stay so."""
    values = [form.format(10_000 + 37 * at) for at in range(60) for _ in range(3)]
    item = profile(pl.DataFrame({name: values, "sex": ["f", "m"] * 90}))[name]
    assert item.role == "identifier"
    assert "which records belong together" in item.reasons[0]
    days = profile(pl.DataFrame({name: [str(at % 30) for at in range(180)]}))[name]
    assert days.role != "identifier"


@pytest.mark.parametrize("half", ["p.m. GMT-5", "p. m.", "PM EET"])
def test_dates_with_halves_of_a_day_and_zones_by_name_are_dates(half: str) -> None:
    days = [
        f"2020/{at % 12 + 1:02d}/{at % 28 + 1:02d} {at % 11 + 1}:49:53 {half}" for at in range(N)
    ]
    seen = profile(pl.DataFrame({"Timestamp": days, **ILL}), "t")
    assert (seen["Timestamp"].type, seen["Timestamp"].role) == ("date", "quasi-identifier")


def test_answers_of_which_several_may_be_given_are_no_places() -> None:
    draw = random.Random(9)
    terms = ["Work", "Schools", "Safety", "Roads", "Clean water"]
    lists = [", ".join(draw.sample(terms, draw.choice([1, 2, 2, 3]))) for _ in range(N)]
    names = [
        f"{draw.choice(terms)} {draw.choice(['Hill', 'Vale', 'Cross', 'End'])}" for _ in range(N)
    ]
    assert role_of(lists, "qz", sex=["m", "f"] * (N // 2)) == "sensitive"
    assert role_of(names, "qz", sex=["m", "f"] * (N // 2)) == "quasi-identifier"


def test_many_questions_called_alike_with_three_answers_ask_what_somebody_thinks() -> None:
    draw = random.Random(10)
    names = [
        "natcity",
        "nateduc",
        *(f"nat{end}" for end in ("sp", "arm", "aid", "soc", "sci", "env")),
    ]
    asked = {name: [draw.choice(["-1", "0", "1"]) for _ in range(N)] for name in names}
    seen = profile(pl.DataFrame({"sex": ["m", "f"] * (N // 2), **asked}))
    assert {seen[name].role for name in names} == {"sensitive"}
    few = pl.DataFrame({"sex": ["m", "f"] * (N // 2), **{name: asked[name] for name in names[:5]}})
    assert profile(few)["natcity"].role == "quasi-identifier"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("DISCH_DEST", ["HOME", "OTHER", "DIED", "NURSING"], "quasi-identifier"),
        ("outcome", ["HOME", "OTHER", "DIED", "NURSING"], "sensitive"),
        ("status", ["Full Time Employee", "Contractor"], "quasi-identifier"),
        ("status", ["abc", "xyz"], "sensitive"),
        ("conocimiento_plan_estudios", ["Si", "No"], "sensitive"),
        ("plan_estudios", ["Si", "No"], "quasi-identifier"),
        ("Study_Hours_per_Week", ["10", "20", "30"], "sensitive"),
        ("Hours_per_Week", ["10", "20", "30"], "quasi-identifier"),
        ("tipo_de_familia", ["a", "b", "c"], "quasi-identifier"),
        ("Reside em Coari?", ["Sim", "Não"], "quasi-identifier"),
        ("partyid", ["1", "2", "3"], "sensitive"),
    ],
)
def test_what_values_and_first_words_say_of_names(name: str, values: list[str], role: str) -> None:
    assert role_of([values[at % len(values)] for at in range(N)], name, **ILL) == role


def test_a_scale_in_a_long_question_is_no_schooling() -> None:
    asked = "Nivel de ánimo: En una escala de 0 a 10, ¿cómo se ha sentido en el último año?"
    assert role_of([str(at % 11) for at in range(N)], asked, **ILL) == "sensitive"
    assert role_of([str(at % 11) for at in range(N)], "nivel_madre", **ILL) == "quasi-identifier"


def test_faculties_with_long_names_are_no_free_text() -> None:
    held = [f"Escuela de las Ciencias Basicas {'ABCDEFG'[at % 7]}" for at in range(30)]
    assert role_of(held, "Facultad", sex=["m", "f"] * 15) == "quasi-identifier"
    assert role_of(held, "qz", sex=["m", "f"] * 15) == "identifier"


@pytest.mark.parametrize(
    "name", ["persnum", "indno", "caseno", "membno", "subject_nr", "hhno", "child_nr"]
)
def test_numbers_of_somebody_within_a_household_are_left_out(name: str) -> None:
    draw = random.Random(11)
    numbers = [str(min(4 + int(draw.expovariate(0.05)), 230)) for _ in range(4 * N)]
    others = {"sex": ["m", "f"] * (2 * N), "age": [str(20 + at % 60) for at in range(4 * N)]}
    assert role_of(numbers, name, **others) == "identifier"
    assert role_of(["1", "2", "3", "4"] * N, name, **others) != "identifier"


def test_weights_of_a_survey_that_couples_share_number_nobody() -> None:
    draw = random.Random(12)
    rows = []
    for _ in range(N):
        weight, race = str(draw.randrange(20_000, 400_000)), draw.choice(["white", "black"])
        rows += [(weight, race, draw.choice("ab"), str(draw.randrange(60)))] * draw.choice([1, 2])
    frame = pl.DataFrame(rows, schema=["wght", "race", "region", "experience"], orient="row")
    seen = profile(frame)
    assert seen.person is None
    assert (seen["wght"].role, seen["wght"].about) == ("identifier", "survey")


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("lang", [str(at % 47 + 10) for at in range(N)], "sensitive"),
        ("lang", ["en", "de", "fr", "it"] * (N // 4), "quasi-identifier"),
        ("lwage76", [f"{5 + at * 7 % 311 / 97:.6f}" for at in range(N)], "sensitive"),
        ("hjob", ["1", "2", "3", "4"] * (N // 4), "quasi-identifier"),
        ("mar76", ["1", "2", "3", "4"] * (N // 4), "quasi-identifier"),
        ("prodi", ["A", "B", "C", "D"] * (N // 4), "quasi-identifier"),
        ("Habilidades Profesionales", ["1", "2", "3", "4"] * (N // 4), "sensitive"),
        ("UNIT", ["score", "mmHg", "degC", "breaths/min"] * (N // 4), "sensitive"),
        ("statut", ["Cadre", "Collaborateur"] * (N // 2), "quasi-identifier"),
        ("qz", ["Petani", "Guru", "PNS", "Buruh"] * (N // 4), "quasi-identifier"),
    ],
)
def test_what_values_say_where_names_could_be_several_things(
    name: str, values: list[str], role: str
) -> None:
    assert role_of(values, name, sex=["m", "f"] * (N // 2)) == role


def test_values_written_in_several_ways_and_cells_with_lists_are_told() -> None:
    codes = ["I10", "E11.9", "J44.0", "F41.1"]
    groups = ["White British", "White-British", "Asian", "asian ", "Mixed"]
    frame = pl.DataFrame(
        {
            "ethnicity": [groups[at % 5] for at in range(N)],
            "icd10_sec": [
                codes[at % 4] if at % 3 else f"{codes[at % 4]}|{codes[at // 4 % 4]}"
                for at in range(N)
            ],
            "ward": [f"W-{at % 4}" if at % 2 else f"W{at % 4}" for at in range(N)],
            "stage": ["EGFR+", "EGFR-", "HER2+", "HER2-"] * (N // 4),
        }
    )
    found = dict(profile(frame).doubts)
    spelled = "values that differ only in capitals, blanks or signs: write them alike"
    listed = "cells that list several values: a promise takes each list for one value"
    assert found[spelled] == ("ethnicity",)
    assert found[listed] == ("icd10_sec",)
    notes = {item.attribute: item.notes for item in profile(frame).attributes}
    assert f"{spelled}: 'Asian', 'asian'" in notes["ethnicity"]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("num5_17", ["0", "1", "2", "4"], "quasi-identifier"),
        ("numlt5", ["0", "0", "1", "2"], "quasi-identifier"),
        ("num5_17", ["10", "250", "370", "64"], "sensitive"),
        ("super", ["0", "1"], "sensitive"),
        ("distance", ["0.5", "1", "4.5", "20"], "quasi-identifier"),
        ("distance", ["20.5", "22", "26.5", "31"], "sensitive"),
        ("walk_distance", ["120", "240", "360", "400"], "sensitive"),
        (
            "problem",
            [f"{kind} of {what}" for kind in ("Loss", "Theft") for what in "abcdefgh"],
            "sensitive",
        ),
        ("repeatgr", ["0", "1", "2"], "quasi-identifier"),
    ],
)
def test_counts_by_age_distances_and_problems(name: str, values: list[str], role: str) -> None:
    held = [values[at % len(values)] for at in range(N)]
    assert role_of(held, name, sex=["m", "f"] * (N // 2)) == role


@pytest.mark.parametrize(
    ("held", "about"),
    [
        ("Agriculture|Manufacturing|Services|Construction", "occupation"),
        ("Cardiology|Orthopedics|Pediatrics|Emergency", "stay"),
        ("Urgencias|Pediatría|Medicina Interna|Cirugía", "stay"),
        ("Emergency|Elective|Urgent|Newborn", "stay"),
        ("Home|Rehab|Skilled nursing facility|AMA", "stay"),
        ("Public hospital|Private clinic|Health centre", "stay"),
        ("Propia|Alquilada|Prestada|Familiar", "place"),
        ("North West|South East|London|Wales", "place"),
        ("Tamil Nadu|Kerala|Delhi|Gujarat", "place"),
        ("Colombiana|Venezolana|Peruana", "nationality"),
        ("Español|Quechua|Aymara", "language"),
        ("Alone|With family|With spouse", "family"),
        ("Mother|Father|Other relative", "family"),
        ("Ambulance|Walk-in|Car|Police", "travel"),
        ("Right|Left|Ambidextrous", "appearance"),
        ("Blue|Brown|Green|Hazel", "appearance"),
        ("9th grade|10th grade|11th grade", "education"),
        ("SD|SMP|SMA|Sarjana", "education"),
        ("Kawin|Belum Kawin|Cerai Mati", "family"),
        ("Católico|Evangélico|Ninguna", "religion"),
        ("18-25|26-35|36-45|46+", "age"),
        ("Right|Left", None),
        ("Public|Private", None),
        ("Red|Yellow|Green", None),
        ("Surgery|General|Medicine", None),
        ("own|private|public", None),
        ("first|second|third", None),
    ],
)
def test_listed_words_say_what_a_column_without_a_telling_name_is_about(
    held: str, about: str | None
) -> None:
    values = [held.split("|")[at % (held.count("|") + 1)] for at in range(N)]
    seen = profile(pl.DataFrame({"qz": values, **ILL}))["qz"]
    assert seen.about == about
    assert seen.role == ("sensitive" if about is None else "quasi-identifier")


def test_names_of_a_large_survey_are_read_where_several_stand_together() -> None:
    codes = {name: [str(at % 7) for at in range(N)] for name in ("COW", "SCHL", "MIL", "DREM")}
    census = {"RAC1P": [str(at % 4) for at in range(N)], "PWGTP": ["12"] * N, **codes}
    seen = profile(pl.DataFrame({"AGEP": [str(at % 90) for at in range(N)], **census}))
    assert seen["COW"].title == "class of worker"
    assert seen["COW"].why.startswith("its title says worker: ")
    assert [seen[name].role for name in ("COW", "SCHL", "MIL", "RAC1P", "AGEP")] == (
        ["quasi-identifier"] * 5
    )
    assert seen["DREM"].role == "sensitive"
    farm = profile(pl.DataFrame({"age": [str(at % 90) for at in range(N)], "COW": codes["COW"]}))
    assert farm["COW"].title == ""
    assert farm["COW"].role == "sensitive"


@pytest.mark.parametrize(
    ("names", "titles"),
    [
        (("mager", "meduc", "mracehisp", "rf_gdiab"), ("age", "education", "race", "pregnancy")),
        (("PUBCSNUM", "PRIMSITE", "MAR_STAT", "STCOUNTY"),
         ("person number", "diagnosis", "marital status", "place of residence")),
        (("SP_CHF", "SP_STATE_CODE", "MEDREIMB_IP"), ("health", "place of residence", "charges")),
        (("RB080", "PB190", "PL031"), ("birth year", "marital status", "occupation")),
        (("patient_num", "race_cd", "nval_num"), ("person number", "race", "test result")),
    ],
)  # fmt: skip
def test_names_of_registers_and_claims_are_read_by_their_codebooks(
    names: tuple[str, ...], titles: tuple[str, ...]
) -> None:
    assert titles_of(names) == dict(zip(names, titles, strict=True))


@pytest.mark.parametrize(
    "names",
    [
        ["v012", "v025", "v106", "v190", "v101"],  # any questionnaire numbers its columns so
        ["milk", "COW", "MAR", "ENG", "ST"],
        ["agep", "note", "text"],
    ],
)
def test_names_that_other_tables_have_as_well_show_no_codebook(names: list[str]) -> None:
    assert titles_of(names) == {}


def test_flags_of_a_trial_are_sensitive_and_its_days_are_read() -> None:
    trial = {
        "USUBJID": [f"01-{at:04d}" for at in range(N)],
        "SAFFL": ["Y" if at % 9 else "N" for at in range(N)],
        "EFFFL": ["Y" if at % 7 else "N" for at in range(N)],
        "TRTSDT": [str(19_000 + at * 13 % 700) for at in range(N)],
        "ARM": ["Placebo", "Drug"] * (N // 2),
    }
    seen = profile(pl.DataFrame(trial))
    assert [seen[name].role for name in trial] == [
        "identifier", "sensitive", "sensitive", "quasi-identifier", "sensitive",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("3. Where do you live?", "place"),
        ("How do you feel about the city you live in?", "opinion"),
        ("¿Cuánto tiempo llevas trabajando en la empresa?", "occupation"),
        ("Em que ano você entrou na universidade?", "education"),
        ("Combien de personnes vivent dans votre foyer ?", "family"),
        ("Wie alt sind Sie?", "age"),
        ("Q1a How close do you feel to: town - city?", "opinion"),
        ("Agree/disagree - migrants take jobs from people who were born here?", "opinion"),
        ("V12. Should the country accept more foreigners?", "opinion"),
        ("F3 In which country were you born?", "nationality"),
        ("¿Cuántos años tienes?", "age"),
        ("En qué medida confía en su ciudad", "opinion"),
        ("Wie wichtig ist Ihnen Ihre Arbeit?", "opinion"),
        ("Quanti anni hai?", "age"),
        ("Di mana Anda tinggal?", "place"),
        ("Vous êtes un homme ou une femme ?", "sex"),
        ("Ihr Alter", "age"),
        ("What is your highest level of education?", "education"),
        ("Tempo de experiência em equipes", "occupation"),
        ("Você sofreu em equipes ágeis onde a diversidade é tema?", None),
    ],
)
def test_questions_are_read_as_a_whole(question: str, about: str | None) -> None:
    told = concept_of(question)
    assert (None if told is None else told[0].name) == about


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("spouse_wage_sal", "money"),
        ("income_spouse", "money"),
        ("spouse_age", "age"),
        ("num_hh_under_18", "family"),
        ("hh_children", "family"),
        ("people_tested_total", None),
        ("highgrade_bio_mom", "education"),
        ("tumor_grade", "health"),
        ("familysz", "family"),
        ("years_usa", "nationality"),
        ("othereth", "ethnicity"),
        ("hombre", "sex"),
        ("boy_weight", None),
        ("crsgpa", "marks"),
    ],
)
def test_whose_it_is_and_whom_it_counts(name: str, about: str | None) -> None:
    told = concept_of(name)
    assert (None if told is None else told[0].name) == about


def test_columns_of_0_and_1_of_which_each_record_has_one_are_one_attribute() -> None:
    one_of = {f"deg_{name}": at for at, name in enumerate(("nd", "hs", "ba", "ma"))}
    dummies = {name: [str(int(row % 4 == at)) for row in range(N)] for name, at in one_of.items()}
    seen = profile(pl.DataFrame({"age": [str(at % 83) for at in range(N)], **dummies}))
    assert {seen[name].role for name in dummies} == {"quasi-identifier"}
    for at, name in enumerate(dummies):  # several at once are no kinds of one
        dummies[name] = [str(int(row % (2 + at) == 0)) for row in range(N)]
    seen = profile(pl.DataFrame({"age": [str(at % 83) for at in range(N)], **dummies}))
    assert {seen[name].role for name in dummies} == {"sensitive"}


def test_dummies_beside_one_that_others_know_are_known_too() -> None:
    dummies = {
        name: [str(int(row % 3 == at)) for row in range(N)]
        for at, name in enumerate(("white", "zvt", "blq"))
    }
    seen = profile(pl.DataFrame({"wage": [str(at % 83) for at in range(N)], **dummies}))
    assert [seen[name].role for name in dummies] == ["quasi-identifier"] * 3


def test_what_no_record_has_beside_what_others_know_is_known_too() -> None:
    once = {name: [str(int(row % 3 == at)) for row in range(N)] for at, name in ((0, "married"),)}
    seldom = {"zvt": [str(int(row % 3 == 1 and row % 2)) for row in range(N)]}
    often = {"blq": [str(int(row % 2)) for row in range(N)]}
    seen = profile(pl.DataFrame({"wage": [str(at % 83) for at in range(N)], **once, **seldom}))
    assert seen["zvt"].role == "quasi-identifier"
    assert seen["zvt"].why.endswith("and 'married' says what others know")
    seen = profile(pl.DataFrame({"wage": [str(at % 83) for at in range(N)], **once, **often}))
    assert seen["blq"].role == "sensitive"
    rare = {"zvt": [str(int(row == 1)) for row in range(N)]}  # chance alone gives none both
    seen = profile(pl.DataFrame({"wage": [str(at % 83) for at in range(N)], **once, **rare}))
    assert seen["zvt"].role == "sensitive"


def test_the_names_of_exclusive_columns_are_the_values_of_one_attribute() -> None:
    held = {name: [str(int(row % 4 == at)) for row in range(N)] for at, name in ((0, "Jiangsu"),)}
    held |= {"Zhejiang": [str(int(row % 4 == 1)) for row in range(N)]}
    held |= {"Other": [str(int(row % 4 == 2)) for row in range(N)]}
    seen = profile(pl.DataFrame({"diagnosis": ["flu", "cold"] * (N // 2), **held}))
    assert {seen[name].role for name in held} == {"quasi-identifier"}
    assert "their names, regions, say what others know" in seen["Other"].why
    ills = {name: held[old] for name, old in zip(("tumor", "flu", "xyz"), held, strict=True)}
    seen = profile(pl.DataFrame({"diagnosis": ["flu", "cold"] * (N // 2), **ills}))
    assert {seen[name].role for name in ills} == {"sensitive"}


def test_what_follows_from_a_hospital_is_known_beside_columns_with_more_values() -> None:
    hospital = [f"H{at * 7 % 15:03}" for at in range(N)]
    kind = [("General", "Special")[int(one[1:]) % 2] for one in hospital]
    whose = {"mother": 3, "father": 7, "son": 11, "sister": 13}
    many = {f"{name}_age": [str(at * step % 80) for at in range(N)] for name, step in whose.items()}
    seen = profile(pl.DataFrame({"hospital_id": hospital, "ownership_": kind, **many}))
    assert seen["ownership_"].why == "it follows from 'hospital_id'"


def test_numbers_that_differ_in_the_last_letter_of_their_names_are_scores() -> None:
    scores = {f"student{letter}": [str(20 + at * step % 31) for at in range(N)]
              for step, letter in enumerate("NEOAC", start=2)}  # fmt: skip
    seen = profile(pl.DataFrame({"sex": ["m", "f"] * (N // 2), **scores}))
    assert {seen[name].role for name in scores} == {"sensitive"}
    seen = profile(pl.DataFrame({"sex": ["m", "f"] * (N // 2), "student": scores["studentN"]}))
    assert seen["student"].role != "sensitive"


def test_readings_that_differ_by_the_test_beside_them_are_no_numbers_of_people() -> None:
    levels = {"QXA": 30, "QXB": 60, "QXC": 300}
    test = [[*levels][at % 3] for at in range(N)]
    read = [str(levels[one] + at * 17 % 19) for at, one in enumerate(test)]
    sex = [("m", "f")[at // 3 % 2] for at in range(N)]
    seen = profile(pl.DataFrame({"sex": sex, "what": test, "Zahl": read}))
    assert seen["Zahl"].role == "sensitive"
    blocks = {"what": sorted(test), "Zahl": [str(100 + at // 2) for at in range(N)]}
    seen = profile(pl.DataFrame({"sex": sex, **blocks}))  # numbered one kind after the other
    assert seen["Zahl"].role != "sensitive"


@pytest.mark.parametrize(
    ("name", "held", "role"),
    [
        ("VISIT", ["SCREENING", "WEEK 2", "WEEK 4", "WEEK 6"] * (N // 4), "quasi-identifier"),
        ("S", ["Casat/ada", "Solter/a", "Vidu/a", "Divorciat/ada"] * (N // 4), "quasi-identifier"),
        ("u", ["mg/dL", "g/L", "mmol/L", "U/L"] * (N // 4), "sensitive"),
        ("BDI", [str(at * 7 % 58) for at in range(N)], "sensitive"),
    ],
)
def test_values_tell_visits_and_states_of_marriage_from_readings(
    name: str, held: list[str], role: str
) -> None:
    seen = profile(pl.DataFrame({"sex": ["m", "f"] * (N // 2), name: held}))
    assert seen[name].role == role


def test_questions_with_one_scale_are_no_more_known_than_the_one_they_stand_beside() -> None:
    commute = [str(1 + at % 7) for at in range(N)]
    asked = [str(1 + at * 5 % 11 % 7) for at in range(N)]
    seen = profile(pl.DataFrame({"commute": commute, "envfac": asked}))
    assert seen["commute"].role == "quasi-identifier"
    assert seen["envfac"].role == "sensitive"
    seen = profile(pl.DataFrame({"commute": commute, "envfac": commute}))
    assert seen["envfac"].role == "quasi-identifier"


def test_a_column_called_after_the_icd_has_its_codes_beside_wrong_ones() -> None:
    held = ["C50.9", "C18.9", "C34.1", "INVALID_CODE"] * (N // 4)
    sexes = {"sex": ["m", "f"] * (N // 2)}
    seen = profile(pl.DataFrame({"icd10_code": held, **sexes}))
    assert seen["icd10_code"].hierarchy == {"code_system": "icd-10"}
    assert profile(pl.DataFrame({"zvt": held, **sexes}))["zvt"].about is None


def test_years_beside_a_wage_are_those_of_work() -> None:
    years = {"years_zvt": [str(at * at % 31) for at in range(N)], "sex": ["m", "f"] * (N // 2)}
    seen = profile(pl.DataFrame({**years, "salary": [str(1000 * (at % 83)) for at in range(N)]}))
    assert seen["years_zvt"].role == "quasi-identifier"
    assert profile(pl.DataFrame(years))["years_zvt"].role == "sensitive"


def test_days_counted_from_a_day_that_another_column_shows_are_dates() -> None:
    days = [date(2013, 1, 1) + timedelta(days=at * 13 % 700) for at in range(N)]
    since = [(day - date(1960, 1, 1)).days for day in days]
    frame = {"RFSTDTC": [str(day) for day in days], "TRTSDT": [f"{one}.0" for one in since]}
    later = [str(one + at % 90) for at, one in enumerate(since)]
    seen = profile(pl.DataFrame({**frame, "TRTEDT": later, "sex": ["m", "f"] * (N // 2)}))
    for name in ("TRTSDT", "TRTEDT"):
        assert seen[name].role == "quasi-identifier"
        assert seen[name].type == "date"
        assert seen[name].warnings == ()
        assert seen[name].hierarchy == {
            "date": {"format": "days since 1960-01-01", "levels": ["month", "quarter", "year"]}
        }
    alone = profile(pl.DataFrame({"TRTSDT": frame["TRTSDT"], "sex": ["m", "f"] * (N // 2)}))
    assert [told.code for told in alone["TRTSDT"].warnings] == ["dates-as-numbers"]


@pytest.mark.parametrize(
    ("name", "held", "role"),
    [
        ("hours", [str(30 + at % 16) for at in range(N)], "quasi-identifier"),
        ("hours", [str(5 + at % 5) for at in range(N)], "sensitive"),
        ("periodo", ["2018.1", "2018.2", "2019.1", "2020.2"] * (N // 4), "quasi-identifier"),
        ("dose", ["2018.1", "0.4", "1.5", "7.2"] * (N // 4), "sensitive"),
        ("kind", ["c", "q", "w", "i", "m", "x", "k", "ff"] * (N // 8), "sensitive"),
        ("marital_status", ["g", "s", "p", "m"] * (N // 4), "quasi-identifier"),
        ("Hospital_Environment", [f"{1 + at % 40 / 10:.1f}" for at in range(N)], "sensitive"),
        ("date", ["1", "2"] * (N // 2), "sensitive"),
        ("trubstay", ["1", "2"] * (N // 2), "sensitive"),
        ("length_stay", [str(at % 30) for at in range(N)], "quasi-identifier"),
        (
            "essential_industry",
            ["Grocery", "Medical", "None", "Nope"] * (N // 4),
            "quasi-identifier",
        ),
        ("online_hrs", [str(30 + at % 16) for at in range(N)], "sensitive"),
        ("lied_about_age", ["0", "1"] * (N // 2), "sensitive"),
        ("seniorcitizen", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("kids_vs_parents", ["Better off", "Worse off"] * (N // 2), "sensitive"),
        ("shown", [f"picture{at % 4}.jpg" for at in range(N)], "sensitive"),
        ("male_g6", ["0", "1"] * (N // 2), "quasi-identifier"),
        ("d_urban", ["1", "2", "3", "2"] * (N // 4), "quasi-identifier"),
        ("t_stage", ["1", "2", "3", "2"] * (N // 4), "sensitive"),
        (
            "games",
            ["2012 Summer", "2016 Summer", "2014 Winter", "2010 Winter"] * (N // 4),
            "quasi-identifier",
        ),
        ("presented", ["2013J", "2014B", "2014J", "2013B"] * (N // 4), "quasi-identifier"),
        ("zvt", ["2013 Toyota", "2014 Ford", "2014 Fiat", "2013 Opel"] * (N // 4), "sensitive"),
        ("state", ["Healthy", "Early", "Advanced", "Early"] * (N // 4), "sensitive"),
        ("state", ["Bihar", "Assam", "Goa", "Kerala"] * (N // 4), "quasi-identifier"),
        ("medical_school", ["Zvt", "Blq", "Rrs", "Ttk"] * (N // 4), "quasi-identifier"),
        (
            "word_A",
            [f"w{chr(97 + at % 20)}t" for at in range(N)],
            "sensitive",
        ),
        ("htn_patient_type", ["Known", "New", "None", "Unknown"] * (N // 4), "sensitive"),
        ("patient_type", ["Known", "New", "None", "Unknown"] * (N // 4), "quasi-identifier"),
        ("gestational_age", [str(28 + at * at % 14) for at in range(N)], "sensitive"),
        ("died_in_hospital", ["0", "1"] * (N // 2), "sensitive"),
        ("dispensing_pharmacy", ["Zvt", "Blq", "Rrs", "Ttk"] * (N // 4), "quasi-identifier"),
    ],
)
def test_values_say_what_a_name_leaves_open(name: str, held: list[str], role: str) -> None:
    assert role_of(held, name, sex=["m", "f"] * (N // 2)) == role


def test_answers_of_a_form_do_not_follow_from_the_moment_it_was_sent() -> None:
    sent = [f"2021-08-{1 + at % 25:02d} 12:{at % 50:02d}:56" for at in range(50)]
    people = {
        "sent_at": [sent[at % 50] for at in range(N)],
        "age": [str(20 + at % 50 % 7) for at in range(N)],
    }
    seen = profile(pl.DataFrame({**people, "indice": [str(at % 50 % 13) for at in range(N)]}))
    assert seen["indice"].role == "sensitive"


def test_a_grade_and_a_class_are_of_a_school_where_a_column_speaks_of_one() -> None:
    frame = {name: [str(1 + at % 4) for at in range(N)] for name in ("grade", "class", "dropout")}
    ill = {
        "disease": ["flu", "gout"] * (N // 2),
        "temp": [f"{36 + at % 40 / 10}" for at in range(N)],
    }
    school = {"school night sleep": [str(400 + at % 150) for at in range(N)]}
    seen = profile(pl.DataFrame({**frame, **ill, **school}))
    assert [seen[name].role for name in frame] == ["quasi-identifier"] * 3
    seen = profile(pl.DataFrame({**frame, **ill}))
    assert [seen[name].role for name in frame] == ["sensitive"] * 3


@pytest.mark.parametrize(
    ("name", "held", "role"),
    [
        ("visit_month", [f"{1 + at % 11:02d}" for at in range(N)], "quasi-identifier"),
        ("visit_day", [f"{1 + at % 31:02d}" for at in range(N)], "quasi-identifier"),
        ("fav_cuisine", ["Italian", "Mexican", "Thai", "French"] * (N // 4), "sensitive"),
        ("ethnic_food", ["1", "2", "3", "4"] * (N // 4), "sensitive"),
        (
            "xq",
            ["Solteiro", "Casado", "Em um relacionamento"] * (N // 3) + ["Casado"],
            "quasi-identifier",
        ),
    ],
)
def test_months_tastes_and_relationships(name: str, held: list[str], role: str) -> None:
    assert (
        role_of(held, name, sex=["m", "f"] * (N // 2), diagnosis=["flu", "gout"] * (N // 2)) == role
    )


def test_questions_that_a_short_form_numbers_are_no_departments() -> None:
    draw = random.Random(5)
    scale = {f"dep{at}": [str(draw.randrange(1, 5)) for _ in range(N)] for at in range(1, 8)}
    people = {"age": [str(at % 83) for at in range(N)], "pain": ["0", "1"] * (N // 2)}
    seen = profile(pl.DataFrame({**people, **scale}))
    assert {seen[name].role for name in scale} == {"sensitive"}
    few = {name: scale[name] for name in ("dep1", "dep2")}
    seen = profile(pl.DataFrame({**people, **few}))
    assert {seen[name].role for name in few} == {"quasi-identifier"}


@pytest.mark.parametrize(
    ("name", "held", "about"),
    [
        ("Q11", ["she/her/hers", "he/him/his"] * (N // 2), "sex"),
        ("LOC", ["No Coma", "Deep Stupor", "Coma", "No Coma"] * (N // 4), "health"),
        ("loc", [f"{at * 7 % 60 / 7:.6f}" for at in range(N)], None),
        ("districte", [str(1 + at % 10) for at in range(N)], "place"),
        ("stare_civila", [str(1 + at % 4) for at in range(N)], "family"),
        ("grupo_edad_gestacional", ["pretermino", "termino"] * (N // 2), "health"),
        ("momcoll", ["0", "1"] * (N // 2), "education"),
    ],
)
def test_words_of_values_and_of_further_languages(
    name: str, held: list[str], about: str | None
) -> None:
    assert profile(pl.DataFrame({name: held, **ILL}))[name].about == about


def test_a_yes_or_no_between_others_about_one_thing_may_stand_beside_another() -> None:
    jobs = {
        name: [str(int(row % 7 == at)) for row in range(N)]
        for at, name in enumerate(("profession_a", "ndurm", "trcomm", "profession_b"))
    }
    seen = profile(pl.DataFrame({"wage": [str(at % 83) for at in range(N)], **jobs}))
    assert [seen[name].role for name in jobs] == ["quasi-identifier"] * 4


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("vehicle_details_model", "vehicle"),
        ("car_make", "vehicle"),
        ("tipo_vehiculo", "vehicle"),
        ("marca_veiculo", "vehicle"),
        ("num_cars", "vehicle"),
        ("body", None),
        ("h_tract", "place"),
        ("home_tract", "place"),
        ("puma12", "place"),
        ("PUMA", "place"),
        ("urinary_tract_infection", "health"),
        ("hospsize", "stay"),
        ("hospital_size", "stay"),
        ("hsize", "family"),
        ("hh_type", "family"),
    ],
)
def test_what_people_drive_and_where_a_census_counts_them(name: str, about: str | None) -> None:
    told = concept_of(name)
    assert (None if told is None else told[0].name) == about


def _points(form: str = "{:.5f}", of: float = -1.9) -> list[str]:
    draw = random.Random(9)
    far = 0.2 if of < 90 else 900
    return [form.format(draw.gauss(of, far), draw.gauss(30, 0.2)) for _ in range(N)]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("xcoord", _points()),
        ("coordx", _points()),
        ("easting", _points("{:.0f}", 512_000)),
        ("utm_e", _points("{:.1f}", 512_000)),
        ("coordenada_x", _points()),
        ("home_x", _points()),
        ("geo_x", _points()),
        ("lat_home", _points()),
        ("homelat", _points()),
        ("latdec", _points()),
        ("latitud", _points()),
        ("longitud", _points()),
        ("breitengrad", _points()),
        ("breite", _points()),
        ("POINT_X", _points()),
        ("wo", _points("{:.5f}, {:.5f}")),
        ("start", _points("{:.5f} {:.5f} 1500.2 4.5")),
        ("geom", _points("POINT ({:.5f} {:.5f})")),
        ("shape", _points("SRID=4326;POINT({:.4f} {:.4f})")),
    ],
)
def test_points_on_a_map_are_left_out(name: str, held: list[str]) -> None:
    assert role_of(held, name) == "identifier"


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("longitud", [f"{44 + at % 9}.5" for at in range(N)]),
        ("home_x", ["0", "1"] * (N // 2)),
        ("utm_source", ["mail", "search"] * (N // 2)),
        ("lat_knee", ["0.5", "1.5"] * (N // 2)),
        ("geometry", ["pass", "fail"] * (N // 2)),
    ],
)
def test_lengths_answers_and_sides_are_no_points_on_a_map(name: str, held: list[str]) -> None:
    assert role_of(held, name) != "identifier"


def test_a_column_of_numbers_without_any_number_is_no_reading() -> None:
    columns = {"age": [None] * 10, "sex": list("mmfmffmfmf"), "dx": list("abcabcabca")}
    (age, *_) = profile(pl.DataFrame(columns, schema_overrides={"age": pl.Float64})).attributes
    assert (age.attribute, age.missing, age.distinct) == ("age", 10, 0)


def test_terms_of_a_dictionary_and_their_codes_are_called_alike() -> None:
    ills = ["pain", "fever", "swelling", "nausea", "rash", "fatigue"]
    parts = ["head", "neck", "arm", "hip", "knee", "foot", "back", "eye", "ear", "nose"]
    terms = [f"{ill} {part}" for ill in ills for part in parts]
    codes = [10019211 + 37 * at for at in range(60)]
    table = {"age": [20 + at % 50 for at in range(100)], "AELLT": (terms * 2)[:100]}
    alike, other = (
        profile(pl.DataFrame({**table, name: (codes * 2)[:100]})) for name in ("AELLTCD", "TERMS")
    )
    assert (alike["AELLTCD"].role, other["TERMS"].role) == ("sensitive", "identifier")


@pytest.mark.parametrize(
    ("name", "numbers", "role"),
    [
        ("doctor", [0, 1, 2, 2, 3, 10], "sensitive"),
        ("doctor", [1, 2, 3, 4, 5, 6], "quasi-identifier"),
        ("address", [0, 1, 2, 3, 5, 40], "quasi-identifier"),
        ("address", [1107, 2034, 4411, 5120, 6001, 7002], "identifier"),
        ("quantity", list(range(1, 91)), "sensitive"),
        ("RAC", [1, 2, 3], "quasi-identifier"),
        ("househld", [1, 2, 3, 4], "quasi-identifier"),
        ("academia_length", [1, 2, 3, 4], "quasi-identifier"),
        ("job_security", [1, 2, 3, 4], "sensitive"),
    ],
)
def test_what_short_numbers_count(name: str, numbers: list[int], role: str) -> None:
    records = 12 * len(numbers)
    table = {"sex": ["f", "m"] * (records // 2), name: numbers * 12}
    assert profile(pl.DataFrame(table))[name].role == role


def test_numbers_that_say_yes_or_no_are_those_of_nobody() -> None:
    table = {"sex": ["f", "m"] * 20, "age": list(range(30, 70)), "callid": ["Yes", "No"] * 20}
    assert profile(pl.DataFrame(table))["callid"].role == "sensitive"


def test_a_column_beside_a_latitude_is_the_other_coordinate() -> None:
    north = [f"{44.9 + at / 1000:.6f}" for at in range(120)]
    west = [f"{-93.3 + at % 60 / 700:.6f}" for at in range(120)]
    table = {"sex": ["f", "m"] * 60, "lat": north, "long": west, "dose": [1.5, 2.5] * 60}
    seen = profile(pl.DataFrame(table))
    assert [seen[name].role for name in ("lat", "long", "dose")] == [
        "identifier", "identifier", "sensitive",
    ]  # fmt: skip


def test_what_says_the_same_as_a_number_of_people_is_one() -> None:
    """As EU-SILC numbers households and people again in each of its files, as 30 and 30.1."""
    numbers = [7 * at + 30 for at in range(200)]
    table = {
        "pid": [f"{one}.1" for one in numbers],
        "again": [f"{one}.1" for one in numbers],
        "hhid": numbers,
        "rx030": [f"{one}.0" for one in numbers],
        "hgt": [f"{150 + 7 * at % 97 / 2}" for at in range(200)],
        "age": [20 + at % 60 for at in range(200)],
    }
    seen = profile(pl.DataFrame(table))
    assert [seen[name].role for name in table][:4] == ["identifier"] * 4
    assert seen["hgt"].role == "sensitive"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("学号", [7, 8, 9], "identifier"),
        ("שם משפחה", ["כהן", "לוי", "מזרחי"], "identifier"),
        ("ชื่อ", ["สมชาย", "สมหญิง", "มานะ"], "identifier"),
        ("کد ملی", [1234567891, 2234567891, 3234567891], "identifier"),
        ("नाम", ["राम", "सीता", "गीता"], "identifier"),
        ("전공", [1, 2, 3], "quasi-identifier"),
        ("학년", [1, 2, 3], "quasi-identifier"),
        ("가구소득", [100, 200, 300], "sensitive"),
        ("Вік", [31, 42, 53], "quasi-identifier"),
    ],
)
def test_names_in_other_scripts(name: str, values: list[object], role: str) -> None:
    table = {"sex": ["f", "m", "f"] * 8, "diagnosis": ["flu"] * 24, name: values * 8}
    assert profile(pl.DataFrame(table))[name].role == role


def test_the_first_column_of_a_redcap_project_numbers_its_people() -> None:
    table = {
        "study_id": [one for one in range(1, 4) for _ in range(6)],
        "redcap_event_name": [f"visit_{at % 6}_arm_1" for at in range(18)],
        "sex": ["f"] * 12 + ["m"] * 6,
        "weight": [60 + at % 7 for at in range(18)],
    }
    seen = profile(pl.DataFrame(table))
    assert seen["study_id"].role == "identifier"
    assert seen.person is not None
    assert seen.person.column == "study_id"
    other = {name: values for name, values in table.items() if name != "redcap_event_name"}
    assert profile(pl.DataFrame(other))["study_id"].role != "identifier"


def test_what_an_event_log_tells_is_not_where_people_were() -> None:
    done = ["admission", "blood sample", "release", "antibiotics", "triage", "return"] * 20
    log = {
        "case_id": [f"A{at // 6:04}" for at in range(120)],
        "timestamp": [f"2024-01-{1 + at % 28:02} 10:{at % 60:02}:00" for at in range(120)],
        "activity": [f"{one} {at % 40}" for at, one in enumerate(done)],
    }
    assert profile(pl.DataFrame(log))["activity"].role == "sensitive"


def test_the_further_heads_of_qualtrics_are_told_and_the_first_one_is_believed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "answers.csv"
    lines = ["ResponseId,gender,Q1", "Response ID,What is your gender?,How are you?"]
    lines += ['"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"']
    lines += [
        f"R_{at}k3,{('Woman', 'Man')[at % 2]},{('Well', 'Ill')[at % 3 // 2]}" for at in range(90)
    ]
    path.write_text("\n".join(lines))
    frame = read_table(path)
    assert not isinstance(column_names(frame), UncertainNames)
    seen = profile(frame)
    assert [one.code for one in seen.warnings][:1] == ["further-heads"]
    assert "further-heads" not in [one.code for one in profile(frame[2:]).warnings]


@pytest.mark.parametrize(("people", "role"), [(4, "identifier"), (5, "sensitive")])
def test_what_hardly_anybody_has_is_left_out_where_people_have_several_records(
    people: int, role: str
) -> None:
    """No five people have what a promise about each of its values would ask for."""
    said, done = ["M11", "C50"] * 3, ["rest", "diet"] * 3
    table = {
        "patient_id": [f"P{at // 6:03}" for at in range(240)],
        "sex": [("f", "m")[at // 6 % 2] for at in range(240)],
        "diagnosis": [said[at % 6] for at in range(240)],
        "treatment": [done[at % 6] if at < 6 * people else None for at in range(240)],
    }
    seen = profile(pl.DataFrame(table))
    assert seen.person is not None
    assert (seen["diagnosis"].role, seen["treatment"].role) == ("sensitive", role)


def test_strays_of_one_column_are_those_of_its_whole_set_of_items() -> None:
    codes = ["486", "4280", "41401", "V5789", "2724", "78650", "42731", "0389"]
    table = {
        "patient_id": [f"P{at // 4:03}" for at in range(400)],
        "sex": [("f", "m")[at // 4 % 2] for at in range(400)],
        "diagnosis_1": [codes[at % 8] for at in range(400)],
        "diagnosis_2": ["OTH" if at % 90 == 0 else codes[at % 7] for at in range(400)],
    }
    seen = profile(pl.DataFrame(table))
    drafts = [seen[name].draft for name in ("diagnosis_1", "diagnosis_2")]
    assert [one.uncovered for one in drafts] == ["suppress", "suppress"]
