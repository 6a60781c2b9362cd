from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.errors import DataError, PolicyError
from indistinct.policy import Policy
from indistinct.sources.format import format_named, format_of, formats
from indistinct.sources.formats.fhir import fhir_records

CORE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-"

ANNA: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "p1",
    "text": {"status": "generated", "div": "<div>Anna SECRET</div>"},
    "identifier": [{"system": "urn:mrn", "value": "MRN-SECRET"}],
    "name": [{"family": "SECRET", "given": ["Anna"]}],
    "telecom": [{"system": "phone", "value": "555-SECRET"}],
    "birthDate": "1961-05-17",
    "gender": "female",
    "extension": [
        {"url": "http://example.org/maiden-name", "valueString": "SECRET"},
        {
            "url": CORE + "race",
            "extension": [
                {"url": "ombCategory", "valueCoding": {"code": "2106-3", "display": "White"}},
                {"url": "text", "valueString": "White"},
            ],
        },
        {
            "url": CORE + "ethnicity",
            "extension": [
                {"url": "ombCategory", "valueCoding": {"code": "2186-5", "display": "Not Hispanic"}}
            ],
        },
    ],
    "address": [
        {"use": "old", "line": ["1 SECRET Road"], "city": "Bonn", "postalCode": "53111"},
        {"use": "work", "city": "Ulm", "postalCode": "89073"},
        {
            "use": "home",
            "line": ["2 SECRET Road"],
            "city": "Trier",
            "state": "RP",
            "postalCode": "54290",
        },
    ],
    "maritalStatus": {"coding": [{"code": "M", "display": "Married"}]},
    "communication": [
        {"language": {"text": "English"}},
        {"language": {"coding": [{"code": "de", "display": "German"}]}, "preferred": True},
    ],
    "deceasedDateTime": "2021-03-04T05:06:07+01:00",
}

BERT: dict[str, Any] = {"resourceType": "Patient", "id": "p2", "birthDate": "1980"}

ASTHMA: dict[str, Any] = {
    "resourceType": "Condition",
    "id": "c1",
    "clinicalStatus": {"coding": [{"code": "active"}]},
    "verificationStatus": {"coding": [{"code": "confirmed"}]},
    "code": {
        "coding": [
            {"system": "http://snomed.info/sct", "code": "195967001", "display": "Asthma"},
            {"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "J45.909"},
        ],
        "text": "asthma, since childhood",
    },
    "subject": {"reference": "Patient/p1", "display": "Anna SECRET"},
    "encounter": {"reference": "Encounter/e7"},
    "onsetDateTime": "1976-01-19T22:58:16-05:00",
    "recordedDate": "1976-02-01",
    "abatementPeriod": {"start": "1990-01", "end": "1991"},
}


def read_fhir(path: Path) -> pl.DataFrame:
    return fhir_records(path).frame


def condition(number: str, person: str = "Patient/p1", **more: Any) -> dict[str, Any]:
    return {
        "resourceType": "Condition",
        "id": number,
        "subject": {"reference": person},
        "code": {"text": "flu"},
        **more,
    }


def lines(*resources: Any) -> bytes:
    return b"".join(
        (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in resources
    )


def export(folder: Path, **files: bytes) -> Path:
    for name, data in {"Patient": lines(ANNA, BERT), "Condition": lines(ASTHMA), **files}.items():
        (folder / f"{name}.ndjson").write_bytes(data)
    return folder


def refused(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read_fhir(path)
    assert "SECRET" not in str(caught.value)
    return caught.value


def told(error: DataError) -> list[tuple[str, str]]:
    return [(problem.code, problem.message) for problem in error.problems]


class TestColumns:
    def test_a_row_for_every_condition_with_its_patient(self, tmp_path: Path) -> None:
        frame = read_fhir(export(tmp_path))
        assert frame.to_dicts() == [
            {
                "patient": "p1",
                "birth_date": "1961-05-17",
                "gender": "female",
                "race": "White",
                "ethnicity": "Not Hispanic",
                "city": "Trier",
                "state": "RP",
                "postal_code": "54290",
                "marital_status": "Married",
                "language": "German",
                "deceased": "yes",
                "deceased_date": "2021-03-04",
                "code": "195967001",
                "system": "http://snomed.info/sct",
                "condition": "Asthma",
                "condition_text": "asthma, since childhood",
                "clinical_status": "active",
                "verification_status": "confirmed",
                "onset_date": "1976-01-19",
                "recorded_date": "1976-02-01",
                "abatement_date": "1991",
                "encounter": "e7",
            }
        ]

    def test_nothing_that_names_the_patient(self, tmp_path: Path) -> None:
        assert "SECRET" not in read_fhir(export(tmp_path)).write_csv()

    def test_what_is_not_said_is_missing(self, tmp_path: Path) -> None:
        row = read_fhir(export(tmp_path, Condition=lines(condition("c", "Patient/p2")))).row(0)
        assert row == (
            *("p2", "1980", *[None] * 8, "no", None),
            *(None, None, None, "flu", *[None] * 6),
        )

    def test_the_coding_that_a_user_chose(self, tmp_path: Path) -> None:
        coding = [{"code": "1", "display": "one"}, {"code": "2", "userSelected": True}]
        frame = read_fhir(
            export(tmp_path, Condition=lines(condition("c", code={"coding": coding})))
        )
        assert frame["code"].to_list() == ["2"]
        assert frame["condition"].to_list() == ["2"]

    @pytest.mark.parametrize(
        ("addresses", "city"),
        [
            ([{"city": "A"}, {"city": "B", "use": "home"}], "B"),
            ([{"city": "A", "use": "home", "period": {"end": "2001"}}, {"city": "B"}], "B"),
            ([{"city": "A", "use": "temp"}, {"city": "B", "use": "work"}], "B"),
            ([{"city": "A", "use": "old"}, {"city": "B", "use": "billing"}], "A"),
            ([{"use": "home"}, {"city": "B"}], None),
            ([], None),
        ],
    )
    def test_one_address_is_chosen_and_not_mixed(
        self, tmp_path: Path, addresses: list[dict[str, Any]], city: str | None
    ) -> None:
        patient = {"resourceType": "Patient", "id": "p1", "address": addresses}
        assert read_fhir(export(tmp_path, Patient=lines(patient)))["city"].to_list() == [city]

    @pytest.mark.parametrize(
        ("said", "deceased"),
        [
            ({}, "no"),
            ({"deceasedBoolean": True}, "yes"),
            ({"deceasedBoolean": False}, "no"),
            ({"deceasedDateTime": "2020"}, "yes"),
        ],
    )
    def test_deceased(self, tmp_path: Path, said: dict[str, Any], deceased: str) -> None:
        patient = {"resourceType": "Patient", "id": "p1", **said}
        assert read_fhir(export(tmp_path, Patient=lines(patient)))["deceased"].item() == deceased

    @pytest.mark.parametrize(
        "reference",
        [
            "Patient/p1",
            "https://fhir.example.org/r4/Patient/p1",
            "Patient/p1/_history/3",
            "urn:uuid:p1",
        ],
    )
    def test_references(self, tmp_path: Path, reference: str) -> None:
        frame = read_fhir(export(tmp_path, Condition=lines(condition("c", reference))))
        assert frame["patient"].to_list() == ["p1"]

    @pytest.mark.parametrize("format_", formats())
    def test_a_preset_has_no_column_without_a_role(self, format_: str) -> None:
        own = format_named(format_).preset()
        promises = [{"model": "k-anonymity", "k": 2}]
        policy = Policy(source={"format": format_}, promises=promises)
        assert policy.source.person == own["source"]["person"]
        assert list(policy.attributes) == list(own["attributes"])
        sensitive = [name for name, item in policy.attributes.items() if item.role == "sensitive"]
        assert sensitive == ["condition"]
        assert {item.role for item in policy.attributes.values()} == {
            *("identifier", "quasi-identifier", "sensitive"),
        }

    def test_the_preset_has_the_columns_of_the_reader(self, tmp_path: Path) -> None:
        assert read_fhir(export(tmp_path)).columns == list(format_named("fhir").attributes)

    def test_a_preset_is_a_copy(self) -> None:
        format_named("fhir").preset()["attributes"]["city"]["role"] = "insensitive"
        assert format_named("fhir").preset()["attributes"]["city"] == {"role": "identifier"}

    def test_no_such_format(self, tmp_path: Path) -> None:
        for ask in (format_named,):
            with pytest.raises(PolicyError, match="did you mean 'fhir'"):
                ask("fihr")


class TestNotes:
    def test_free_text_is_published_only_if_it_is_asked_for(self, tmp_path: Path) -> None:
        """A condition without a coding has a text that may name people."""
        written = condition("c", code={"text": "flu, as his wife Anna SECRET says"})
        folder = export(tmp_path, Condition=lines(ASTHMA, written))
        found = fhir_records(folder)
        assert found.notes[-1].startswith("1 condition has a free text and no coding")
        keys: dict[str, Any] = {
            "source": {"format": "fhir"},
            "promises": [{"model": "k-anonymity", "k": 1}],
        }
        release = ind.anonymize(found.frame, keys)
        assert {*release.tables["condition"].to_list()} == {"Asthma", None}
        assert "SECRET" not in release.tables.write_csv()
        kept = keys | {"attributes": {"condition_text": {"role": "sensitive"}}}
        assert "SECRET" in ind.anonymize(found.frame, kept).tables.write_csv()

    def test_patients_without_conditions_are_counted(self, tmp_path: Path) -> None:
        found = fhir_records(export(tmp_path))
        assert found.notes == ("1 patient has no condition, and no record in the table",)
        assert [file.name for file in found.files] == ["Condition.ndjson", "Patient.ndjson"]
        again = format_named("fhir").read(tmp_path)
        assert again.frame.equals(found.frame)
        assert again.notes == found.notes

    def test_conditions_that_nobody_had_are_left_out(self, tmp_path: Path) -> None:
        wrong = [
            condition(str(at), verificationStatus={"coding": [{"code": code}]})
            for at, code in enumerate(["refuted", "entered-in-error", "provisional"])
        ]
        both = lines(condition("c", "Patient/p2"), *wrong)
        found = fhir_records(export(tmp_path, Condition=both))
        assert found.frame["verification_status"].to_list() == [None, "provisional"]
        assert found.notes[0] == "2 conditions were refuted or entered in error, and left out"
        export(tmp_path, Condition=lines(*wrong[:2]))
        assert told(refused(tmp_path)) == [
            ("no-records", "no condition is left: all were refuted or in error")
        ]


class TestFiles:
    def test_several_files_of_a_type_in_any_packing(self, tmp_path: Path) -> None:
        (tmp_path / "Patient.000.ndjson.gz").write_bytes(gzip.compress(lines(ANNA)))
        (tmp_path / "Patient.001.ndjson.bz2").write_bytes(bz2.compress(lines(BERT)))
        (tmp_path / "1.Condition.ndjson.xz").write_bytes(lzma.compress(lines(ASTHMA)))
        (tmp_path / "second.jsonl").write_bytes(lines(condition("c2", "Patient/p2")))
        (tmp_path / "Observation.ndjson").write_bytes(lines({"resourceType": "Observation"}))
        (tmp_path / ".hidden.ndjson").write_bytes(b"rubbish")
        (tmp_path / "readme.txt").write_text("rubbish")
        (tmp_path / "manifest.json").write_text('{"output": []}')
        assert read_fhir(tmp_path)["patient"].to_list() == ["p1", "p2"]

    def test_marks_blank_lines_and_returns(self, tmp_path: Path) -> None:
        data = b"\xef\xbb\xbf" + lines(ANNA).replace(b"\n", b"\r\n\r\n") + lines(BERT)
        assert fhir_records(export(tmp_path, Patient=data)).notes
        assert read_fhir(tmp_path)["patient"].to_list() == ["p1"]

    def test_a_file_with_resources_of_many_types(self, tmp_path: Path) -> None:
        other = {"resourceType": "Location", "id": "l", "address": {"city": "Bonn"}}
        for first in ([other, ANNA, ASTHMA], [ANNA, other, ASTHMA], [ASTHMA, ANNA, other]):
            path = tmp_path / "all.ndjson"
            path.write_bytes(lines(*first))
            assert read_fhir(path)["condition"].to_list() == ["Asthma"]

    @pytest.mark.parametrize("full", ["urn:uuid:p1", "https://fhir.example.org/r4/Patient/p1"])
    def test_a_bundle(self, tmp_path: Path, full: str) -> None:
        without = {key: value for key, value in ANNA.items() if key != "id"}
        bundle = {
            "resourceType": "Bundle",
            "entry": [
                {"fullUrl": full, "resource": without},
                {"fullUrl": "urn:uuid:zz", "resource": condition("c", full)},
                {"request": {"method": "GET"}},
            ],
        }
        path = tmp_path / "bundle.json"
        path.write_text(json.dumps(bundle, indent=1))
        assert read_fhir(path)["patient"].to_list() == ["p1"]
        assert read_fhir(tmp_path)["birth_date"].to_list() == ["1961-05-17"]

    def test_a_bundle_whose_addresses_are_not_its_ids(self, tmp_path: Path) -> None:
        entry = [
            {"fullUrl": "urn:uuid:0-1", "resource": ANNA},
            {"resource": condition("c", "urn:uuid:0-1")},
        ]
        path = tmp_path / "bundle.json"
        path.write_text(json.dumps({"resourceType": "Bundle", "entry": entry}))
        assert read_fhir(path)["patient"].to_list() == ["p1"]

    def test_single_resources(self, tmp_path: Path) -> None:
        (tmp_path / "anna.json").write_text(json.dumps(ANNA))
        (tmp_path / "asthma.json").write_text(json.dumps(ASTHMA))
        assert read_fhir(tmp_path).height == 1


class TestRefused:
    def test_a_type_is_missing(self, tmp_path: Path) -> None:
        error = refused(export(tmp_path, Condition=lines({"resourceType": "Encounter"})))
        assert told(error) == [("missing-resource", "there are no Condition resources")]
        (tmp_path / "Patient.ndjson").write_bytes(b"\n")
        assert [code for code, _ in told(refused(tmp_path))] == ["missing-resource"] * 2

    def test_no_files(self, tmp_path: Path) -> None:
        assert told(refused(tmp_path))[0][0] == "no-resources"
        (tmp_path / "export.ndjson").write_bytes(lines(ANNA))
        assert "did you mean 'export.ndjson'" in told(refused(tmp_path / "exports.ndjson"))[0][1]
        (tmp_path / "export.xml").write_text("<Patient/>")
        assert told(refused(tmp_path / "export.xml"))[0][0] == "unknown-ending"

    def test_a_file_that_cannot_be_unpacked(self, tmp_path: Path) -> None:
        (export(tmp_path) / "Patient.001.ndjson.gz").write_bytes(b"SECRET")
        packed = lzma.compress(lines(BERT) * 99_999)
        (tmp_path / "Patient.002.ndjson.xz").write_bytes(packed[:-9])
        error = refused(tmp_path)
        assert [problem.file for problem in error.problems] == [
            "Patient.001.ndjson.gz",
            "Patient.002.ndjson.xz",
        ]

    def test_broken_json_with_its_lines(self, tmp_path: Path) -> None:
        data = lines(ANNA, b"", b'{"id": "SECRET"', BERT, b"[1]", b'{"id": "\xff"}')
        error = refused(export(tmp_path, Patient=data, Condition=b"SECRET\n"))
        assert [(item.file, item.message) for item in error.problems] == [
            ("Condition.ndjson", "line 1 is no JSON object"),
            ("Patient.ndjson", "lines 3, 5, 6 are no JSON object"),
        ]

    def test_a_broken_bundle(self, tmp_path: Path) -> None:
        path = tmp_path / "bundle.json"
        path.write_text('{\n"resourceType": "Bundle",\n"entry": SECRET}')
        assert told(refused(path)) == [
            ("broken-json", "the file is not a JSON document after line 2")
        ]

    @pytest.mark.parametrize(
        ("resource", "message"),
        [
            (condition("c", code="SECRET"), "Condition.code is not an object"),
            (condition("c", code={"coding": {"code": "SECRET"}}), "Condition.code.coding is no"),
            (condition("c", code={"coding": ["SECRET"]}), "Condition.code.coding is not an object"),
            (condition("c", clinicalStatus="SECRET"), "Condition.clinicalStatus is not an object"),
            (
                condition("c", code={"coding": [{"userSelected": "SECRET"}]}),
                "Condition.code.coding.userSelected is neither true nor false",
            ),
            ({"id": "SECRET"}, "a resource has no resourceType"),
        ],
    )
    def test_another_form_than_that_of_r4(
        self, tmp_path: Path, resource: dict[str, Any], message: str
    ) -> None:
        error = refused(export(tmp_path, Condition=lines(ASTHMA, resource)))
        ((code, said),) = told(error)
        assert code == "not-r4"
        assert message in said
        assert said.endswith("(line 2)")

    def test_several_versions_of_one_resource(self, tmp_path: Path) -> None:
        (tmp_path / "Patient.1.ndjson").write_bytes(b"\n" + lines(ANNA))
        error = refused(export(tmp_path, Condition=lines(ASTHMA, condition("c9"), ASTHMA)))
        assert [(item.file, item.code, item.message) for item in error.problems] == [
            ("Patient.1.ndjson", "several-versions", f"{SEVERAL} Patient: line 2"),
            ("Patient.ndjson", "several-versions", f"{SEVERAL} Patient: line 1"),
            ("Condition.ndjson", "several-versions", f"{SEVERAL} Condition: lines 1, 3"),
        ]

    def test_resources_that_do_not_belong_together(self, tmp_path: Path) -> None:
        nobody = [
            condition("a", "Group/SECRET"),
            {"resourceType": "Condition", "id": "b"},
            condition("c", "#contained"),
        ]
        unknown = [condition(f"u{at}", f"Patient/SECRET{at}") for at in range(12)]
        patients = lines(ANNA, {"resourceType": "Patient", "gender": "female"})
        error = refused(
            export(tmp_path, Patient=patients, Condition=lines(ASTHMA, *nobody, *unknown))
        )
        assert told(error) == [
            ("resource-without-id", "Patient without an id: line 2"),
            (
                "condition-without-patient",
                "conditions that name no patient as their subject: lines 2, 3, 4",
            ),
            (
                "unknown-patient",
                "conditions of patients who are not in the export: lines 5, 6, 7, 8, 9, 10, 11, "
                "12, 13, 14 and 2 more",
            ),
        ]

    def test_entries_of_a_bundle_are_named(self, tmp_path: Path) -> None:
        entry = [{"resource": one} for one in (ANNA, condition("c", "Patient/SECRET"))]
        path = tmp_path / "bundle.json"
        path.write_text(json.dumps({"resourceType": "Bundle", "entry": entry}))
        assert told(refused(path))[0][1].endswith("not in the export: entry 2")


SEVERAL = "several resources or versions of one"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    people=st.lists(st.from_regex(r"[A-Za-z0-9.-]{1,8}", fullmatch=True), min_size=1, unique=True),
    picks=st.lists(st.tuples(st.integers(0, 99), st.text(min_size=1, max_size=5)), min_size=1),
    mixed=st.booleans(),
)
def test_every_condition_comes_back_with_its_patient(
    tmp_path: Path, people: list[str], picks: list[tuple[int, str]], mixed: bool
) -> None:
    texts = [(people[at % len(people)], text.replace("\0", "0")) for at, text in picks]
    patients = [{"resourceType": "Patient", "id": one, "gender": f"g{one}"} for one in people]
    conditions = [
        condition(str(at), f"Patient/{person}", code={"text": text})
        for at, (person, text) in enumerate(texts)
    ]
    if mixed:
        path = tmp_path / "all.ndjson"
        path.write_bytes(lines({"resourceType": "Basic"}, *conditions, *patients))
    else:
        path = tmp_path / "export"
        path.mkdir(exist_ok=True)
        export(path, Patient=lines(*patients), Condition=lines(*conditions))
    frame = read_fhir(path)
    assert frame["patient"].to_list() == [person for person, _ in texts]
    assert frame["gender"].to_list() == [f"g{person}" for person, _ in texts]
    assert frame["condition_text"].to_list() == [text for _, text in texts]


class TestSample:
    def test_is_read(self, shared: Path) -> None:
        found = fhir_records(shared / "data/fhir/synthea_10")
        assert found.frame.shape == (555, 22)
        assert found.frame["patient"].n_unique() == 13
        assert found.notes == ()
        assert found.frame.filter(found.frame["deceased"] == "yes")["patient"].n_unique() == 3
        known = ("birth_date", "gender", "race", "ethnicity", "state", "condition", "onset_date")
        assert found.frame.select(known).null_count().row(0) == (0,) * len(known)

    def test_a_release_of_it_keeps_its_promise(self, shared: Path) -> None:
        policy = {"source": {"format": "fhir"}, "promises": [{"model": "k-anonymity", "k": 4}]}
        release = ind.anonymize(read_fhir(shared / "data/fhir/synthea_10"), policy)
        assert ind.audit(release.tables, policy).to_dict()["holds"]
        assert release.tables.height == 555
        assert "city" not in release.tables.columns


def test_twenty_thousand_conditions(tmp_path: Path) -> None:
    one = json.dumps(ASTHMA)
    rows = [one.replace('"c1"', f'"c{at}"') for at in range(20_000)]
    (export(tmp_path) / "Condition.ndjson").write_text("\n".join(rows))
    assert read_fhir(tmp_path).height == 20_000


def test_a_display_in_words_of_somebody_is_told(tmp_path: Path) -> None:
    """It stands for a coding, and may name people all the same."""

    def coded(number: str, display: str, **more: Any) -> dict[str, Any]:
        coding = {"system": "s", "code": "1", "display": display, **more}
        person = f"Patient/{'p1' if number < 'c' else 'p2'}"
        return condition(number, person, code={"coding": [coding]})

    plain = [coded("a", "flu"), coded("b", "flu")]
    others = [coded("d", "flu"), coded("e", "flu", userSelected=True)]
    for more, told in (
        ([], 0),
        ([coded("f", "flu of SECRET")], 1),
        ([coded("f", "mumps of SECRET", code="2", userSelected=True)], 1),
        ([coded("f", "SECRET's illness", code=None)], 1),
        ([coded("f", "mumps", code="2")], 0),
    ):
        rows = lines(*plain, *others, *more)
        found = fhir_records(export(tmp_path, Condition=rows))
        notes = [note for note in found.notes if "a display of one patient alone" in note]
        assert len(notes) == told
        assert all(note.startswith("1 condition has") for note in notes)
        assert "SECRET" not in " ".join(found.notes)
        assert "__chosen" not in found.frame.columns


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("bundle.json", '{"resourceType": "Bundle", "entry": []}', "fhir"),
        ("people.jsonl", '\ufeff{"id": "1", "resourceType":"Patient"}\n', "fhir"),
        ("values.json", '{"resourceType": "Observation", "id": "1"}', None),
        ("other.json", '{"people": [{"sex": "f"}]}', None),
        ("people.log", 'resourceType Patient "resourceType": "Patient"', None),
        ("empty.json", "", None),
    ],
)
def test_a_file_is_recognized_by_what_it_begins_with(
    name: str, text: str, form: str | None, tmp_path: Path
) -> None:
    plain, packed = tmp_path / name, tmp_path / f"{name}.xz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(lzma.compress(text.encode()))
    assert format_of(plain) == format_of(packed) == form
    packed.write_bytes(b"no archive")
    assert format_of(packed) is None
