"""Figures 6 to 9 of Fazal and others (2023): the generated table, the four methods, INFORMS."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import DataError
from indistinct_reproductions import reproduce
from indistinct_reproductions.fazal_adult import NONE, PEOPLE, generated, read_generated
from indistinct_reproductions.fazal_figures import COLUMNS, figures, informs
from indistinct_reproductions.fazal_informs import file_in, read_informs
from indistinct_reproductions.fazal_releases import (
    COMPARED,
    GUARDED,
    KL,
    METHODS,
    PL,
    ROWS,
    THETA_STAR,
    Patients,
    asked_of,
    joined,
    made,
    measured,
    one_person_classes,
)
from indistinct_reproductions.fazal_tables import PERSON, SYMPTOM, TABLE_3
from indistinct_reproductions.khan_adult import Adult
from indistinct_reproductions.reproduction import Ledger


def small(people: int = 120, seed: int = 0) -> Patients:
    """Invented people in the place of Adult's."""
    draw = Random(7)
    texts = pl.DataFrame(
        {
            "age": [str(draw.randint(20, 60)) for _ in range(people)],
            "sex": [draw.choice(["Female", "Male"]) for _ in range(people)],
            "zip": [str(draw.randint(13000, 14999)) for _ in range(people)],
        }
    )
    return generated(Adult(texts, {}), seed, people)


@pytest.fixture(scope="module")
def patients() -> Patients:
    return small()


# -------- The generated table --------


def test_the_same_seed_gives_the_same_people_and_another_others() -> None:
    one, again, other = small(), small(), small(seed=1)
    assert one.rows.equals(again.rows)
    assert not one.rows.equals(other.rows)
    assert small(60).rows[SYMPTOM].to_list() == one.first(60).rows[SYMPTOM].to_list()


def test_symptoms_are_as_in_the_papers_table() -> None:
    rows = small(4000).rows
    own = rows.group_by(PERSON).agg(pl.col(SYMPTOM))[SYMPTOM].to_list()
    assert all(len({*some}) == len(some) for some in own)
    assert all(some == [NONE] for some in own if NONE in some)
    without = sum(some == [NONE] for some in own)
    assert without / len(own) == pytest.approx(1 / 8, abs=0.02)
    many = Counter(len(some) for some in own if some != [NONE])
    shares = [many[at] / (len(own) - without) for at in (1, 2, 3)]
    assert shares == pytest.approx([1 / 7, 4 / 7, 2 / 7], abs=0.03)
    assert {*rows[SYMPTOM]} == {one for some in TABLE_3.values() for one in some}


def test_quasi_identifiers_are_the_same_in_all_rows_of_a_person(patients: Patients) -> None:
    own = patients.rows.select(PERSON, *patients.names).unique()
    assert own.height == patients.people.count == 120
    assert patients.records.count == patients.rows.height


# -------- The methods --------


@pytest.mark.parametrize("name", METHODS)
def test_every_method_keeps_what_it_is_asked_for(patients: Patients, name: str) -> None:
    release = made(name, 2, patients)
    assert all(part["holds"] for part in release.certificate.promises)
    table = patients.records if name == ROWS else patients.people
    published = joined(release, table, SYMPTOM)
    assert published.rows == table.count + len(release.plan.noise)  # type: ignore[union-attr]


def test_one_person_classes_against_counting(patients: Patients) -> None:
    release = made(ROWS, 2, patients)
    person_of = patients.read.subjects.person_of
    own: dict[int, set[int]] = {}
    class_of = release.plan.class_of  # type: ignore[union-attr]
    for group, person in zip(class_of.tolist(), person_of.tolist(), strict=True):
        own.setdefault(group, set()).add(person)
    alone = sum(len(people) == 1 for people in own.values())
    assert one_person_classes(release, person_of) == (alone, len(own))
    assert alone > 0


def test_a_method_without_a_release_says_why(patients: Patients) -> None:
    run = measured(THETA_STAR, 7, patients)
    assert not run.made
    assert "cannot be reached" in run.why
    assert run.error() is run.believed() is run.vulnerable is None


@pytest.mark.parametrize("method", [THETA_STAR, KL, PL])
def test_what_compare_measures_too_is_the_same(patients: Patients, method: str) -> None:
    run = measured(method, 2, patients)
    promises, settings = asked_of(method, 2, patients)
    policy = patients.policy(promises, {**settings, "seed": 0})
    release = made(method, 2, patients)
    (found,) = ind.compare(patients.rows, release, policy=policy, queries=1).to_dict()["releases"]
    assert run.ncp is not None
    assert found["ncp"] == run.ncp.to_dict()
    assert found["classes"]["count"] == run.classes


def test_what_is_true_of_everybody_is_not_believed() -> None:
    """A set that is generalized to the root tells nothing, and counts for nothing."""
    run = measured(KL, 4, small(60))
    assert run.published is not None
    (listed,) = run.published.listed.values()
    assert "*" in listed.labels
    assert run.believed("certain") == 0


def test_what_the_published_method_cannot_keep_is_no_release() -> None:
    run = measured(KL, 12, small(60))
    assert not run.made
    assert "as published breaks" in run.why


def test_linkability_is_between_none_and_all(patients: Patients) -> None:
    for name in METHODS:
        run = measured(name, 2, patients)
        assert run.linkability is not None
        assert 0 < run.linkability.normalized < 1
        assert run.ncp is not None
        assert 0 < run.ncp.normalized < 1


# -------- What is told --------


@pytest.fixture(scope="module")
def told(patients: Patients) -> Ledger:
    ledger = Ledger()
    figures(ledger, patients, 0, lambda s, x: None, ks=(2, 4, 6), sizes=(60, 120), queries=30)
    return ledger


def test_every_figure_is_drawn(told: Ledger) -> None:
    assert [picture.name for picture in told.pictures] == [
        "figure-6a", "figure-6b", "figure-7a", "figure-7b", "figure-8b", "figure-8a", "figure-9a",
        "figure-9b",
    ]  # fmt: skip
    for picture in told.pictures:
        assert picture.drawing.svg().startswith("<svg")


def test_the_sheet_has_every_release(told: Ledger) -> None:
    (sheet,) = [sheet for sheet in told.sheets if sheet.name == "figures"]
    assert sheet.columns == COLUMNS
    assert {(row[0], row[1]) for row in sheet.rows} == {(m, k) for m in METHODS for k in (2, 4, 6)}
    rows = {(row[0], row[1]): dict(zip(COLUMNS, row, strict=True)) for row in sheet.rows}
    for name in (THETA_STAR, GUARDED):
        assert all(rows[name, k]["exact records"] in (0, None) for k in (2, 4, 6))
    assert rows[ROWS, 2]["classes of one person"] > 0.2  # type: ignore[operator]
    assert rows[GUARDED, 2]["noise"] == 0
    sizes = next(sheet for sheet in told.sheets if sheet.name == "figures-by-size")
    assert {row[0] for row in sizes.rows} == {60, 120}


def test_claims_have_a_reason_where_they_fail(told: Ledger) -> None:
    wrong = [item for item in told.items if item.verdict in ("differs", "refuted")]
    assert wrong
    assert all(item.why for item in wrong)
    refuted = {item.what for item in wrong if item.verdict == "refuted"}
    assert "linkability almost vanishes: theta-star" in refuted
    assert "classes of theta on rows hold k = 2 people" in refuted
    assert all(any(f": {name}" in item.what for item in told.items) for name in COMPARED)
    assert PL in METHODS


# -------- INFORMS --------


def write_informs(folder: Path, people: int = 80) -> Path:
    """Two small files of its kind, one of them packed."""
    draw = np.random.default_rng(1)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["DUPERSID,DOBYY,SEX,RACEX,EDUCYEAR"]
    lines += [
        f"{at},{1930 + draw.integers(60)},{draw.integers(1, 3)},1,{draw.integers(-1, 17)}"
        for at in range(people)
    ]
    (folder / "demographics05test.csv").write_text("\n".join(lines))
    codes = ["-1", "008", "250", "401", "460", "V70", "E888", "311", "724"]
    lines = ["DUPERSID,ICD9CODX"]
    lines += [f"{at},{codes[draw.integers(len(codes))]}" for at in range(people) for _ in range(3)]
    (folder / "conditions05.csv.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    return folder


def test_informs_leaves_out_what_is_no_code(tmp_path: Path) -> None:
    patients = read_informs(write_informs(tmp_path))
    assert "-1" not in {*patients.rows["ICD9CODX"]}
    assert not any((text or "").startswith("-") for text in patients.rows["EDUCYEAR"])
    often = [
        sum(code in codes for code in patients.rows["ICD9CODX"])
        for codes in patients.categories.values()
    ]
    assert often == sorted(often, reverse=True)
    ledger = Ledger()
    informs(ledger, patients, 0, lambda s, x: None, ks=(3,), queries=20)
    assert [sheet.name for sheet in ledger.sheets] == ["informs"]


def test_files_are_found_in_a_folder_and_right_below(tmp_path: Path) -> None:
    write_informs(tmp_path / "informs")
    assert file_in(tmp_path, "conditions05.csv") == tmp_path / "informs" / "conditions05.csv.xz"
    assert file_in(tmp_path, "adult.data") is None
    assert read_informs(tmp_path).people.count > 70


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_informs(tmp_path)
    (tmp_path / "demographics05test.csv").write_text("DUPERSID,DOBYY,SEX,RACEX,EDUCYEAR\n1,2,1,1,1")
    (tmp_path / "conditions05.csv").write_text("DUPERSID,WRONG\n1,2")
    with pytest.raises(DataError, match="cannot be read as a table with the columns"):
        read_informs(tmp_path)
    (tmp_path / "conditions05.csv").write_text("DUPERSID,ICD9CODX\n9,401")
    with pytest.raises(DataError, match="no person of the one file"):
        read_informs(tmp_path)


# -------- The public files --------


def test_adult(shared: Path) -> None:
    patients = read_generated(shared / "data" / "adult_uci", 0)
    assert patients.people.count == PEOPLE
    run = measured(GUARDED, 4, patients)
    assert run.made
    assert run.noise == 0
    assert run.believed() == 0


def test_informs(shared: Path) -> None:
    patients = read_informs(shared / "data" / "informs")
    assert patients.people.count == 26735
    assert patients.rows.height == 102673


def test_informs_alone_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(ledger: Ledger, patients: Patients, *_: object) -> None:
        ledger.unprinted("INFORMS", "people", patients.people.count)

    monkeypatch.setattr("indistinct_reproductions.fazal.informs", told)
    monkeypatch.setattr("indistinct_reproductions.fazal._nets", lambda *_: None)  # need no data
    found = reproduce("fazal", write_informs(tmp_path))
    assert [where for where, _ in found.left_out] == ["Figures 6 to 9"]
    assert found.items[-1].where == "INFORMS"
