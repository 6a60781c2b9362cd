"""What holds of every format there is: its columns, its folders, and the way to a release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.errors import DataError
from indistinct.sources.format import Format, format_named, format_of, formats

ILLS = ("Asthma", "Gout", "Influenza", "Asthma SECRET")
PEOPLE = [(f"p{at}", 1950 + at % 2 * 30, "mf"[at % 2], ILLS[at % 4]) for at in range(24)]
"""Whom every sample tells of: key, year of birth, sex, what they have; none is alone."""


def fhir(folder: Path) -> None:
    sexes = {"m": "male", "f": "female"}
    patients = [
        {"resourceType": "Patient", "id": key, "birthDate": f"{year}-03-04", "gender": sexes[sex]}
        for key, year, sex, _ in PEOPLE
    ]
    conditions = [
        {
            "resourceType": "Condition",
            "id": f"c-{key}",
            "subject": {"reference": f"Patient/{key}"},
            "code": {"coding": [{"display": ill}]},
        }
        for key, _, _, ill in PEOPLE
    ]
    for name, resources in (("Patient", patients), ("Condition", conditions)):
        lines = "".join(f"{json.dumps(item)}\n" for item in resources)
        (folder / f"{name}.ndjson").write_text(lines, encoding="utf-8")


def omop(folder: Path) -> None:
    concepts = {"m": 8507, "f": 8532} | {ill: at for at, ill in enumerate(ILLS, start=1)}
    tables = {
        "PERSON": (
            "person_id,gender_concept_id,year_of_birth,race_concept_id,ethnicity_concept_id",
            [f"{key[1:]},{concepts[sex]},{year},8527,38003564" for key, year, sex, _ in PEOPLE],
        ),
        "CONDITION_OCCURRENCE": (
            "person_id,condition_concept_id,condition_start_date",
            [f"{key[1:]},{concepts[ill]},2011-10-10" for key, _, _, ill in PEOPLE],
        ),
        "CONCEPT": (
            "concept_id,concept_name",
            [f"{concepts[ill]},{ill}" for ill in ILLS],
        ),
    }
    for name, (head, rows) in tables.items():
        (folder / f"{name}.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def wards(folder: Path) -> None:
    """The format of the template of a plugin."""
    rows = "".join(f"{key},{2020 - year},{sex},{ill}\n" for key, year, sex, ill in PEOPLE)
    for ward in "12":
        path = folder / f"ward-{ward}.csv"
        path.write_text(f"patient,age,sex,diagnosis\n{rows}", encoding="utf-8")


SAMPLES: dict[str, Callable[[Path], None]] = {"fhir": fhir, "omop": omop, "wards": wards}

every_format = pytest.mark.parametrize("name", formats())


def sample(name: str, folder: Path) -> Path:
    """A folder of this format."""
    assert name in SAMPLES, (
        f"SAMPLES in tests/contracts/test_formats.py lacks '{name}': "
        "see CONTRIBUTING.md, What else a new piece needs"
    )
    folder.mkdir()
    SAMPLES[name](folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@every_format
def test_the_keys_of_a_format_are_those_of_a_policy(name: str) -> None:
    kind = format_named(name)
    assert kind.name == name
    assert kind.title
    assert kind.person in kind.attributes
    promise = {"model": "k-anonymity", "k": 2}
    policy = ind.Policy.from_dict({"source": {"format": name}, "promises": [promise]})
    assert policy.person == kind.person
    assert list(policy.attributes) == list(kind.attributes)
    assert policy.quasi_identifiers
    assert policy.sensitive
    preset = kind.preset()
    preset["attributes"].clear()
    preset["source"].clear()
    assert list(kind.preset()["attributes"]) == list(kind.attributes)
    assert kind.preset()["source"]["person"] == kind.person


@every_format
def test_the_columns_are_the_attributes_and_the_files_stay_as_they_were(
    name: str, tmp_path: Path
) -> None:
    folder = sample(name, tmp_path / "given")
    before = contents(folder)
    kind = format_named(name)
    found = kind.read(folder)
    assert found.frame.columns == list(kind.attributes)
    assert found.frame.height >= len(PEOPLE)
    assert found.frame[kind.person].n_unique() == len(PEOPLE)
    assert found.frame[kind.person].null_count() == 0
    assert {path.name for path in found.files} <= set(before)
    assert found.frame.equals(kind.read(str(folder)).frame)
    assert contents(folder) == before


@every_format
def test_a_folder_is_recognized_by_its_own_format_alone(name: str, tmp_path: Path) -> None:
    folder = sample(name, tmp_path / "given")
    names = [path.name.lower() for path in folder.iterdir()]
    assert [other for other, kind in formats().items() if kind.recognizes(names)] == [name]
    assert format_of(folder) == name
    assert not format_named(name).recognizes([])
    assert not format_named(name).recognizes(["visits.csv", "release.csv", "certificate.json"])


@every_format
def test_from_a_folder_to_an_audited_release(name: str, tmp_path: Path) -> None:
    folder = sample(name, tmp_path / "given")
    before = contents(folder)
    policy, out = tmp_path / "policy.toml", tmp_path / "out"

    def run(*words: object) -> Any:
        done = CliRunner().invoke(app, [*map(str, words), "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    run("init", folder, "--policy", policy)
    told = run("anonymize", folder, "--policy", policy, "--out", out)
    assert told["people"]["source"] == len(PEOPLE)
    assert run("audit", out)["holds"]
    assert run("audit", out, "--policy", policy)["holds"]
    assert run("risk", folder, "--policy", policy)["people"] == len(PEOPLE)
    assert contents(folder) == before


def refused(kind: Format, folder: Path) -> DataError | None:
    """Why a folder cannot be read; None if it can."""
    try:
        kind.records(folder)
    except DataError as error:
        return error
    return None


BREAKINGS = {
    "empty": b"",
    "no text": b"\xff\xfe\x00 SECRET\n\x00",
    "another table": b"SECRET-1,SECRET-2\nSECRET-3,SECRET-4\n",
}
"""What stands in a file in place of what belongs there."""


@every_format
def test_what_is_no_such_folder_is_refused_without_its_values(name: str, tmp_path: Path) -> None:
    kind = format_named(name)
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "nowhere", tmp_path / "empty"):
        with pytest.raises(DataError):
            kind.records(path)
    folder = sample(name, tmp_path / "given")
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for what, put in BREAKINGS.items():
            path.write_bytes(put)
            case = f"{path.name} with {what} in it"
            caught = refused(kind, folder)
            assert caught is not None, f"{name} reads {case}"
            assert all(item.file for item in caught.problems), case
            assert "SECRET" not in str(caught), case
        path.write_bytes(whole)
