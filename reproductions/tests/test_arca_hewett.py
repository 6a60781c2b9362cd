"""Arca and Hewett (2021): what can be computed of it, and why some of it comes out differently."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from indistinct.errors import DataError
from indistinct.recoding.subtree.space import Space, space
from indistinct_reproductions import reproduce
from indistinct_reproductions.arca_hewett import SHIELD, requirement, searched, table_1
from indistinct_reproductions.arca_hewett_data import REST
from indistinct_reproductions.arca_hewett_heart import HOSPITALS, K, read_hospitals
from indistinct_reproductions.arca_hewett_tables import (
    COLUMNS,
    FIGURE_3,
    SMALL,
    TABLE_1,
    TABLE_2,
    TABLE_3A,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    age_taxonomy,
    rows_of,
)
from indistinct_reproductions.replay import Lift, lifted, merged, records_sharing
from indistinct_reproductions.reproduction import Item, Reproduction

EXACT = {
    "Sex": (2, 0.9928, 0.1681),
    "AC": (4, 1.8616, 0.3152),
    "Age": (13, 3.5581, 0.6024),
    "Zip": (8, 2.7574, 0.4668),
    "Weight": (5, 2.2428, 0.3797),
    "Race": (6, 2.5224, 0.4270),
    "Genetic Risk": (5, 1.8422, 0.3119),
}
TABLES = {
    "T": (5, 22), "T1": (2, 21), "T2": (3, 22), "T3": (0, 18), "T4": (2, 21), "T5": (0, 21),
    "T6": (0, 17),
}  # fmt: skip
IF_52001 = TABLES | {"T": (6, 22), "T2": (4, 22), "T3": (0, 19)}


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduce("arca-hewett")


@pytest.fixture(scope="module")
def oracle(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text("utf-8"))
    return document["A_000"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def heart(shared: Path) -> Path:
    return shared / "data" / "heart"


@pytest.fixture(scope="module")
def with_heart(heart: Path) -> Reproduction:
    return reproduce("arca-hewett", heart)


def item(found: Reproduction, where: str, what: str) -> Item:
    (one,) = [item for item in found.items if (item.where, item.what) == (where, what)]
    return one


def fresh(row_2_zip: str = "52000") -> Space:
    data = table_1(row_2_zip).encoded(SHIELD).data
    return space("domain", data, [requirement(SHIELD, 3)])


def reading(states: Space, name: str) -> tuple[int, int]:
    levels = FIGURE_3[name][0]
    found = states.read(tuple(levels.get(column, 0) for column in states.data.attributes))
    return found.violations, found.rows


# -------- Leakage --------


def test_table_2_to_four_digits() -> None:
    analysis = table_1().leakage()
    assert analysis.entropy == pytest.approx(5.9069, abs=5e-5)
    for attribute, (parts, loss, normalized) in EXACT.items():
        found = analysis.of([attribute])
        assert found.partitions == parts
        assert found.loss == pytest.approx(loss, abs=5e-5)
        assert found.normalized == pytest.approx(normalized, abs=5e-5)
    joint = analysis.of(["Age", "Zip", "AC"])
    assert joint.partitions == 21
    assert joint.loss == pytest.approx(4.2750, abs=5e-5)
    assert joint.normalized == pytest.approx(0.7237, abs=5e-5)


def test_verdicts_of_table_2(paper: Reproduction) -> None:
    verdicts = [
        item(paper, "Table 2", f"{attribute}, {what}").verdict
        for attribute in TABLE_2
        for what in ("loss in bits", "normalized loss")
    ]
    assert verdicts.count("truncated") == 6
    assert verdicts.count("rounded") == 1
    assert verdicts.count("equal") == 5
    assert item(paper, "Table 2", "Weight, normalized loss").verdict == "rounded"


def test_leakage_of_the_oracle(oracle: dict[str, Any]) -> None:
    named = {"GR": "Genetic Risk"}
    own = table_1()
    for key, levels in (
        ("table2", {}),
        ("loss_after_T5", {"Zip": 1, "Age": 1}),
        ("loss_after_T3", {"AC": 1}),
    ):
        analysis = own.leakage(levels)
        for attribute, said in oracle[key].items():
            found = analysis.of([named.get(attribute, attribute)])
            assert found.partitions == said["partitions"]
            assert found.loss == pytest.approx(said["loss"], abs=1e-9)
            assert found.normalized == pytest.approx(said["norm"], abs=1e-9)
    analysis = own.leakage()
    joint, said = analysis.of(["Age", "Zip", "AC"]), oracle["joint_Age_Zip_AC"]
    assert (analysis.records, joint.partitions) == (said["n"], said["partitions"])
    assert joint.loss == pytest.approx(said["loss"], abs=1e-9)
    assert analysis.entropy == pytest.approx(oracle["S0"], abs=1e-9)


def test_table_1_is_that_of_the_oracle(oracle: dict[str, Any]) -> None:
    short = {
        "Native Hawaiian": "NativeHawaiian", "American Indian": "AmIndian",
        "Hereditary Thrombophilia": "HT", "L.O. Alzheimer's": "LOA", "Parkinson's": "Park",
    }  # fmt: skip
    own = [
        (*row.numbers, *(short.get(cell, cell) for cell in row.cells), row.records)
        for row in rows_of(TABLE_1)
    ]
    said = [tuple(str(value) for value in row.values()) for row in oracle["table1"]]
    assert [tuple(map(str, row)) for row in own] == said


# -------- The search of section 3.3.2 --------


@pytest.mark.parametrize("name", TABLES)
def test_figure_3_exactly(name: str) -> None:
    assert reading(fresh(), name) == TABLES[name]
    assert reading(fresh("52001"), name) == IF_52001[name]


def test_figure_3_of_the_oracle(oracle: dict[str, Any], paper: Reproduction) -> None:
    for name, said in oracle["tables_exact"].items():
        assert list(reading(fresh(), name)) == said
    for name, said in oracle["tables_if_row2_zip_were_52001"].items():
        assert list(reading(fresh("52001"), name)) == said
    for name, (_, violations, rows) in FIGURE_3.items():
        assert [violations, rows] == oracle["tables_published"][name]
    (sheet,) = [sheet for sheet in paper.sheets if sheet.name == "figure-3"]
    for row in sheet.rows:
        told = ", ".join(map(str, oracle["violating_rows_exact"][str(row[0])])) or "none"
        assert row[-1] == told


def test_what_the_printed_search_gets_wrong(paper: Reproduction) -> None:
    generated = item(paper, "Figure 3", "tables that IAB generates")
    assert (generated.printed, generated.computed, generated.verdict) == (6, 11, "differs")
    assert item(paper, "Section 4.1", "rows of the result of Method 2").computed == 18
    assert item(paper, "Figure 4", "distinct tables of Method 1").computed == 71
    refuted = {item.what for item in paper.items if item.verdict == "refuted"}
    assert any("k = 4" in what for what in refuted)
    assert any("siblings" in what for what in refuted)
    assert any("no information is lost" in what for what in refuted)


def test_every_verdict_that_is_not_equal_has_a_reason(paper: Reproduction) -> None:
    for found in paper.items:
        if found.verdict not in ("equal", "no figure printed"):
            assert found.why, found


def test_iab_equals_method_1_for_every_k(paper: Reproduction) -> None:
    claim = item(paper, "Section 3.3.1", "IAB keeps the most rows: as many as Method 1")
    assert (claim.computed, claim.verdict) == ("6 of 6", "equal")
    assert item(paper, "beyond", "methods that say k = 61 cannot be met").computed == "3 of 3"
    by_name = {found.what: found.detail for found in paper.items if found.where == "beyond"}
    assert by_name["IAB, first found, k = 3"]["generated"] == 11
    assert by_name["IAB, least general, k = 4"]["levels"] == {"Zip": 4, "Age": 2, "AC": 0}
    assert by_name["IAB, first found, two requirements"]["generated"] == 18


# -------- Tables 3 to 6 --------


def test_single_cells_of_table_3() -> None:
    start = rows_of(TABLE_3A)
    shield = ("AC", "Age", "Zip")
    few = [n for n, r in records_sharing(start, SMALL, shield).items() if r < 3]
    assert few == [1, 5, 6]
    ages = {"Age": age_taxonomy(range(20, 86))}
    once = lifted(start, SMALL, ages, [Lift("Age", rows=(5,))])
    assert [row.cells[2] for row in once] == ["35", "35", "68", "68", "65-85", "35"]
    assert merged(start) == start


@pytest.mark.parametrize(
    ("where", "agree", "wrong"),
    [
        ("Table 3b", (30, 30), []),
        ("Table 3c", (30, 30), []),
        ("Table 3d", (20, 20), []),
        ("Table 4", (168, 167), ["row 1,9, #Rec."]),
        ("Table 5", (168, 168), []),
        ("Table 6", (144, 141), ["row 3, Zip", "row 8, #Rec.", "row 12, #Rec."]),
    ],
)
def test_printed_tables_cell_by_cell(
    paper: Reproduction, where: str, agree: tuple[int, int], wrong: Sequence[str]
) -> None:
    cells = item(paper, where, "cells that agree")
    assert (cells.printed, cells.computed) == agree
    rows = [found.what for found in paper.items if found.where == where]
    assert [what for what in rows if what.startswith("row ")] == list(wrong)


def test_quoted_tables_are_whole() -> None:
    for table, rows in ((TABLE_1, 22), (TABLE_4, 21), (TABLE_5, 21), (TABLE_6, 18)):
        found = rows_of(table)
        assert len(found) == rows
        assert {len(row.cells) for row in found} == {len(COLUMNS)}
        assert sorted(number for row in found for number in row.numbers) == list(range(1, 23))
    assert sum(row.records for row in rows_of(TABLE_1)) == 60


# -------- Without and with the heart files --------


def test_without_data_the_rest_is_named(paper: Reproduction) -> None:
    ((where, why),) = paper.left_out
    assert "Tables 7 and 8" in where
    assert "--data" in why
    assert not [found for found in paper.items if found.where in ("Table 7", "Table 8")]


def test_all_that_is_wrong_with_a_folder_is_told(tmp_path: Path) -> None:
    line = "63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n"
    (tmp_path / "processed.cleveland.data").write_text(line + "1,2\n" + line.replace("63.0", "?"))
    (tmp_path / "processed.va.data").write_text("")
    with pytest.raises(DataError) as told:
        reproduce("arca-hewett", tmp_path)
    codes = [(problem.code, problem.rows) for problem in told.value.problems]
    assert codes == [("bad-rows", (2, 3)), ("missing-file", ()), ("bad-rows", ())]


def test_cleveland_leakage_of_the_oracle(heart: Path, oracle: dict[str, Any]) -> None:
    said = oracle["cleveland"]
    cleveland = read_hospitals(heart)[0]
    analysis = cleveland.drawn(0).leakage()
    assert analysis.records == said["n"]
    assert analysis.entropy == pytest.approx(said["S0"], abs=1e-9)
    names = {"Age": "age", "Sex": "sex", "Chol": "chol", "BS": "fbs", "Heart disease": "num>0"}
    for name, field in names.items():
        assert analysis.of([name]).normalized == pytest.approx(said["norm"][field], abs=5e-5)
    for name, field in list(names.items())[:4]:
        assert analysis.of([name]).partitions == said["partitions"][field]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_line_of_table_7_that_comes_out_exactly(heart: Path, seed: int) -> None:
    shield = ("Zip", "Smoker", "Sex")
    data = read_hospitals(heart)[0].drawn(seed).encoded(shield).data
    for method, printed in TABLE_7[shield].items():
        extra = {"tie_break": "paper"} if method == "iab" else {}
        found = searched(data, [requirement(shield, K)], method, **extra)
        assert (found.chosen.rows, found.distinct) == printed


def test_heart(with_heart: Reproduction) -> None:
    assert not with_heart.left_out
    for name, (_, rows) in HOSPITALS.items():
        assert item(with_heart, "Figure 6", f"rows of {name}").computed == rows
    exact = [
        found
        for found in with_heart.items
        if found.where == "Table 7" and found.what.startswith("<Zip, Smoker, Sex; 5>")
    ]
    assert len(exact) == 6
    assert {found.verdict for found in exact} == {"equal"}
    five = f"<Zip, Age; {K}>, Method 1, generalizations with five levels of age"
    assert item(with_heart, "Table 7", five).verdict == "equal"
    table_8 = [
        found
        for found in with_heart.items
        if found.where == "Table 8" and "as general as" not in found.what
    ]
    assert len(table_8) == 18
    assert {found.verdict for found in table_8} <= {"equal", "rounded", "truncated"}
    always = [found for found in with_heart.items if found.where == "Section 4.2"]
    assert [(found.computed, found.verdict) for found in always] == [("36 of 36", "equal")] * 4
    names = {picture.name for picture in with_heart.pictures}
    assert {f"figure-{n}" for n in (3, 4, 5, 8, 9, 10)} <= names
    assert {f"figure-7-{name}" for name in ("age", "zip", "smoker", "sex")} <= names


def test_a_question_mark_is_a_value(heart: Path) -> None:
    hungarian = read_hospitals(heart)[1]
    assert "?" in hungarian.texts["Chol"].to_list()
    assert hungarian.texts["Chol"].null_count() == 0


def test_seeds(heart: Path) -> None:
    cleveland = read_hospitals(heart)[0]
    one, same, other = cleveland.drawn(4), cleveland.drawn(4), cleveland.drawn(5)
    assert one.texts.equals(same.texts)
    assert not one.texts.equals(other.texts)
    assert set(one.texts["Zip"].str.len_chars()) == {4}
    assert set(one.texts["Smoker"]) == {"0", "1"}
    assert REST in one.encoded(("Age",)).data.attributes
