from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import DataError
from indistinct.sources.format import format_named
from indistinct.sources.formats.omop import omop_records

PERSON = """\
PERSON_ID,GENDER_CONCEPT_ID,YEAR_OF_BIRTH,MONTH_OF_BIRTH,DAY_OF_BIRTH,BIRTH_DATETIME,\
RACE_CONCEPT_ID,ETHNICITY_CONCEPT_ID,LOCATION_ID,PROVIDER_ID,PERSON_SOURCE_VALUE,\
GENDER_SOURCE_VALUE,RACE_SOURCE_VALUE,ETHNICITY_SOURCE_VALUE
1,8532,1961,5,17,1961-05-17T00:00:00Z,8527,38003564,11,7,SECRET-1,F,white,other
2,8507,1980,2,,,8516,0,12,7,SECRET-2,M,black,other
3,44814653,1990,,,,0,38003563,,7,SECRET-3,,,
"""

CONDITION = """\
CONDITION_OCCURRENCE_ID,PERSON_ID,CONDITION_CONCEPT_ID,CONDITION_START_DATE,CONDITION_END_DATE,\
CONDITION_TYPE_CONCEPT_ID,PROVIDER_ID,CONDITION_SOURCE_VALUE
100,2,192671,2011-10-10,,32020,7,K92.2
101,1,28060,1984-02-15 00:00:00,1984-02-25,32020,7,J02.0
102,1,0,1990-01-01,,32020,7,odd
103,1,999,1991-01-01,,32020,7,A00
"""

CONCEPT = """\
CONCEPT_ID,CONCEPT_NAME,DOMAIN_ID
0,No matching concept,
8507,MALE,Gender
8532,FEMALE,Gender
192671,"Hemorrhage, gastrointestinal",Condition
28060,Streptococcal sore throat,Condition
32020,EHR encounter diagnosis,Type Concept
"""

LOCATION = """\
LOCATION_ID,ADDRESS_1,CITY,STATE,ZIP,COUNTY
11,1 SECRET Road,Trier,RP,54290,Trier
12,2 SECRET Road,,NW,53111,
"""


def read_omop(folder: Path) -> pl.DataFrame:
    return omop_records(folder).frame


def database(folder: Path, **tables: str | None) -> Path:
    given: dict[str, str | None] = {
        "PERSON": PERSON,
        "CONDITION_OCCURRENCE": CONDITION,
        "CONCEPT": CONCEPT,
        **tables,
    }
    for name, text in given.items():
        if text is not None:
            (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def refused(folder: Path) -> list[tuple[str | None, str, tuple[int, ...]]]:
    with pytest.raises(DataError) as caught:
        read_omop(folder)
    assert "SECRET" not in str(caught.value)
    return [(item.file, item.message, item.rows) for item in caught.value.problems]


class TestColumns:
    def test_a_row_for_every_condition_with_its_person(self, tmp_path: Path) -> None:
        frame = read_omop(database(tmp_path, LOCATION=LOCATION))
        assert frame.row(1, named=True) == {
            "person_id": "1",
            "year_of_birth": "1961",
            "birth_date": "1961-05-17",
            "gender": "FEMALE",
            "race": "White",
            "ethnicity": "Not Hispanic or Latino",
            "city": "Trier",
            "county": "Trier",
            "state": "RP",
            "zip": "54290",
            "gender_source_value": "F",
            "race_source_value": "white",
            "ethnicity_source_value": "other",
            "condition_concept_id": "28060",
            "condition": "Streptococcal sore throat",
            "condition_source_value": "J02.0",
            "condition_type": "EHR encounter diagnosis",
            "condition_start_date": "1984-02-15",
            "condition_end_date": "1984-02-25",
        }
        assert frame["person_id"].to_list() == ["2", "1", "1", "1"]
        assert frame.columns == list(format_named("omop").preset()["attributes"])

    def test_what_is_not_said_is_missing(self, tmp_path: Path) -> None:
        row = read_omop(database(tmp_path)).row(0, named=True)
        assert (row["birth_date"], row["zip"], row["state"]) == ("1980-02", None, None)
        assert (row["ethnicity"], row["condition_end_date"]) == (None, None)
        assert row["race"] == "Black or African American"

    def test_only_a_year_is_no_date(self, tmp_path: Path) -> None:
        text = CONDITION + "104,3,28060,1999-01-01,,32020,7,\n"
        row = read_omop(database(tmp_path, CONDITION_OCCURRENCE=text)).row(4, named=True)
        assert (row["birth_date"], row["year_of_birth"]) == (None, "1990")
        assert row["gender"] == "concept 44814653"

    def test_nothing_that_names_the_person(self, tmp_path: Path) -> None:
        assert "SECRET" not in read_omop(database(tmp_path, LOCATION=LOCATION)).write_csv()

    def test_concepts_without_a_name(self, tmp_path: Path) -> None:
        found = omop_records(database(tmp_path))
        assert found.frame["condition"].to_list()[2:] == [None, "concept 999"]
        assert found.notes == (
            "1 person has no condition, and no record in the table",
            "1 condition is of no concept, and missing in the table",
            "2 concepts have no name in CONCEPT, and a number in the table",
        )
        assert [file.name for file in found.files] == [
            *("PERSON.csv", "CONDITION_OCCURRENCE.csv", "CONCEPT.csv"),
        ]


class TestFiles:
    def test_any_case_packing_separator_and_type(self, tmp_path: Path) -> None:
        whole = read_omop(database(tmp_path, LOCATION=LOCATION))
        other = tmp_path / "other"
        other.mkdir()
        header, rest = PERSON.split("\n", 1)
        typed = pl.read_csv(f"{header.lower()}\n{rest}".encode(), try_parse_dates=True)
        assert typed.schema["birth_datetime"] == pl.Datetime("us", "UTC")
        typed.write_parquet(other / "person.parquet")
        (other / "Condition_Occurrence.tsv.gz").write_bytes(
            gzip.compress(CONDITION.replace(",", "\t").encode())
        )
        (other / "concept.CSV.xz").write_bytes(lzma.compress(CONCEPT.encode()))
        (other / "Location.txt").write_text(LOCATION.replace("_ID", "_id"))
        (other / "DRUG_EXPOSURE.csv").write_text("rubbish")
        assert read_omop(other).equals(whole)

    def test_a_vocabulary_as_it_is_handed_out(self, tmp_path: Path) -> None:
        text = 'concept_id\tconcept_name\tdomain_id\n28060\t"Sore" throat, so-called\tCondition\n'
        text += '192671\t"5 inch" nail: "\tCondition\n999\t"Unclosed\tCondition\n'
        frame = read_omop(database(tmp_path, CONCEPT=text))
        assert frame["condition"].to_list() == [
            '"5 inch" nail: "',
            '"Sore" throat, so-called',
            None,
            '"Unclosed',
        ]

    def test_ids_that_became_floats(self, tmp_path: Path) -> None:
        text = LOCATION.replace("\n11,", "\n11.0,").replace("\n12,", "\n12.0,")
        frame = read_omop(database(tmp_path, LOCATION=text))
        assert frame["zip"].to_list() == ["53111", "54290", "54290", "54290"]


class TestRefused:
    def test_missing_tables(self, tmp_path: Path) -> None:
        (tmp_path / "PERSONS.csv").write_text(PERSON)
        assert [message for _, message, _ in refused(tmp_path)] == [
            "there is no table PERSON: did you mean 'persons'?",
            "there is no table CONDITION_OCCURRENCE",
            "there is no table CONCEPT",
        ]
        assert refused(tmp_path / "PERSONS.csv")[0][1] == "this is a file, not a folder"
        assert refused(tmp_path / "x")[0][1] == "there is no such folder"

    def test_a_table_that_is_there_twice(self, tmp_path: Path) -> None:
        (database(tmp_path) / "person.txt").write_text(PERSON)
        assert refused(tmp_path)[0][1].startswith("the table PERSON is there more than once: ")

    def test_missing_columns_of_all_tables(self, tmp_path: Path) -> None:
        tables = {
            "PERSON": PERSON.replace("YEAR_OF_BIRTH", "YEAR").replace("GENDER_CONCEPT", "GENDER"),
            "CONCEPT": CONCEPT.replace("CONCEPT_NAME", "NAME"),
            "CONDITION_OCCURRENCE": CONDITION.replace("CONDITION_TYPE_CONCEPT_ID", "person_id"),
        }
        assert [(file, message) for file, message, _ in refused(database(tmp_path, **tables))] == [
            ("PERSON.csv", "there is no column 'gender_concept_id'"),
            ("PERSON.csv", "there is no column 'year_of_birth'"),
            ("CONDITION_OCCURRENCE.csv", "the column 'person_id' is there twice"),
            ("CONCEPT.csv", "there is no column 'concept_name'"),
        ]

    def test_tables_that_do_not_belong_together(self, tmp_path: Path) -> None:
        people = PERSON + PERSON.splitlines()[2] + "\n," + "8532,1961" + "," * 11 + "\n"
        conditions = CONDITION + "104,,28060,1999-01-01,,32020,7,\n105,SECRET,28060,,,32020,7,\n"
        problems = refused(
            database(
                tmp_path,
                PERSON=people,
                CONDITION_OCCURRENCE=conditions,
                CONCEPT=CONCEPT + "28060,again,\n",
                LOCATION=LOCATION + "12,,,,,\n",
            )
        )
        assert problems == [
            ("PERSON.csv", "rows without person_id", (5,)),
            ("PERSON.csv", "several rows have the same person_id", (2, 4)),
            ("CONCEPT.csv", "several rows have the same concept_id", (5, 7)),
            ("LOCATION.csv", "several rows have the same location_id", (2, 3)),
            ("CONDITION_OCCURRENCE.csv", "conditions of nobody", (5,)),
            ("CONDITION_OCCURRENCE.csv", "conditions of people who are not in PERSON", (6,)),
        ]

    def test_broken_files_are_told_together(self, tmp_path: Path) -> None:
        folder = database(tmp_path, PERSON=PERSON + "4,8507\n", CONDITION_OCCURRENCE="")
        assert {file for file, _, _ in refused(folder)} == {
            *("PERSON.csv", "CONDITION_OCCURRENCE.csv"),
        }


class TestSample:
    def test_is_read(self, shared: Path) -> None:
        found = omop_records(shared / "data/omop_gibleed")
        assert found.frame.shape == (65_332, 19)
        assert found.frame["person_id"].n_unique() == 2694
        assert found.frame["condition"].null_count() == 0
        assert found.frame["condition"].n_unique() == found.frame["condition_concept_id"].n_unique()
        assert set(found.frame["gender"].unique()) == {"MALE", "FEMALE"}
        assert found.frame["zip"].null_count() == found.frame.height
        assert len(found.notes) <= 1

    def test_a_release_of_it_keeps_its_promise(self, shared: Path) -> None:
        policy: dict[str, Any] = {
            "source": {"format": "omop"},
            "promises": [{"model": "k-anonymity", "k": 5}],
            "method": {"suppression_limit": 0.02},
        }
        release = ind.anonymize(read_omop(shared / "data/omop_gibleed"), policy)
        audit = ind.audit(release.tables, policy).to_dict()
        assert audit["holds"]
        people = release.tables["person_id"].n_unique()
        assert 2694 * 0.98 <= people <= 2694
