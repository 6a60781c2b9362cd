"""Victor and Lopez (2020): what can be computed of it without data, against independent figures."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from indistinct.analytics.risk.elbow import elbow
from indistinct_reproductions import PAPERS, reproduce
from indistinct_reproductions.reproduction import Item, Reproduction, Sheet
from indistinct_reproductions.victor_lopez import (
    bends_of_reciprocal,
    found_in,
    generalized,
    kept,
    quality_of_ages,
    ranks,
)
from indistinct_reproductions.victor_lopez_adult import FILES, printed_selection
from indistinct_reproductions.victor_lopez_tables import (
    COLUMNS,
    DIAGNOSIS,
    FIGURE_7,
    FIGURE_11,
    GRAPHS,
    QUASI,
    TABLE_VI,
    table_ii,
    table_iii,
)


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduce("victor-lopez")


@pytest.fixture(scope="module")
def oracle(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text("utf-8"))
    return document["B_001"]  # type: ignore[no-any-return]


def item(found: Reproduction, where: str, what: str) -> Item:
    (one,) = [item for item in found.items if (item.where, item.what) == (where, what)]
    return one


def sheet(found: Reproduction, name: str) -> Sheet:
    (one,) = [sheet for sheet in found.sheets if sheet.name == name]
    return one


# -------- Tables II and III --------


def test_quoted_tables_are_whole() -> None:
    assert table_ii().shape == (12, 8)
    assert table_iii().shape == (12, 6)
    assert [len(own) for own in FIGURE_7.values()] == [10, 10]
    assert {tuple(own) for own in FIGURE_11.values()} == {COLUMNS}
    assert PAPERS["victor-lopez"].files == FILES


def test_table_iii_is_table_ii_made_coarser(paper: Reproduction, oracle: dict[str, Any]) -> None:
    printed = Counter(table_iii().drop("Sl No").rows())
    assert (Counter(generalized().rows()) == printed) is oracle["table3_equals_generalised_table2"]
    rows = item(paper, "Table III", "rows that Table II gives, made coarser")
    assert (rows.printed, rows.computed, rows.verdict) == (12, 12, "equal")
    said = oracle["table3"]
    classes = sheet(paper, "table-iii")
    assert [row[-2] for row in classes.rows] == said["sizes"]
    assert [row[-1] for row in classes.rows] == said["distinct_sensitive"]
    assert item(paper, "Table III", "classes").computed == said["classes"]
    alike = "classes by age, gender and job in which all have the same discharge status"
    assert item(paper, "Table III", alike).computed == said["status_homogeneous_classes"]
    for name, key in (("R1", "pR1_tau_0_2"), ("R2", "pR2"), ("R3", "pR3")):
        own = item(paper, "Table III", f"prosecutor's {name}, threshold 0.2")
        assert own.computed == pytest.approx(said[key])


def test_table_iii_by_hand() -> None:
    """The audit and a count by hand say the same of every class."""
    graver = {value for value, rank in ranks().items() if rank == 1}
    assert graver == {"HIV", "H1N1"}
    classes: dict[tuple[str, ...], list[str]] = {}
    for row in table_iii().rows(named=True):
        classes.setdefault(tuple(row[name] for name in QUASI), []).append(row["Diagnosis"])
    assert all(len(set(own) & graver) in (0, 2) for own in classes.values())
    assert kept("knm-anonymity", k={"1": 2, "4": 2}, count="rank", diversity=2).holds
    assert not kept("knm-anonymity", k={"1": 3, "4": 2}, diversity=False).holds
    assert not kept("knm-anonymity", k={"1": 2, "4": 2}, diversity=3).holds


# -------- Graphs --------


NAMES = {
    "three in parallel": "E1_parallel",
    "a diamond": "E3_diamond",
    "behind a register": "E4_table_only",
    "two sensitive": "E8_two_sensitive",
    "two chains": "E9_union",
    "apart": "E10_disconnected",
}


@pytest.mark.parametrize("name", NAMES)
def test_graphs_of_the_oracle(name: str, oracle: dict[str, Any]) -> None:
    found = found_in(GRAPHS[name])
    assert found is not None
    assert list(found.quasi_identifiers) == oracle["graph"][NAMES[name]]


def test_graphs_in_series_with_parts_and_without_protection(oracle: dict[str, Any]) -> None:
    said = oracle["graph"]
    serial = found_in(GRAPHS["one after the other"])
    assert serial is not None
    assert {
        "source": list(serial.cuts.source_side),
        "sink": list(serial.cuts.sink_side),
        "union": list(serial.cuts.union),
    } == said["E2_serial"]
    stand_ins, parts = (found_in(GRAPHS[name]) for name in ("derived and composite", "all parts"))
    assert stand_ins is not None
    assert parts is not None
    short = {"date of birth": "dob", "zip code": "zip"}
    named = sorted(short.get(name, name) for name in stand_ins.quasi_identifiers)
    assert named == said["E6_union"]
    assert [short.get(name, name) for name in parts.quasi_identifiers] == said["E7_all_parts"]
    assert found_in(GRAPHS["linked directly"]) is None
    chains = found_in(GRAPHS["two chains"])
    assert chains is not None
    assert chains.cuts.value == said["E9_value"]


def test_what_the_paper_says_of_cut_vertices_is_refuted(paper: Reproduction) -> None:
    single = item(paper, "Section IV.A", "quasi-identifiers of Figure 2 are cut vertices")
    assert (single.computed, single.verdict) == ("0 of 3", "refuted")
    parts = [one for one in paper.items if "all of its parts" in one.what]
    assert [one.verdict for one in parts] == ["refuted"]
    assert len(sheet(paper, "graphs").rows) == len(GRAPHS) == 10
    pictures = {one.name for one in paper.pictures}
    assert {"figure-2", "figure-5", "figure-5-1", "figure-5-2", "figure-5-3"} <= pictures


# -------- Bends --------


def test_bends_of_the_printed_curves(oracle: dict[str, Any]) -> None:
    assert [[k, *map(float, row)] for k, row in TABLE_VI.items()] == oracle["table6"]
    found = printed_selection()
    assert found.k == oracle["selected_k"] == 5
    for name, said in oracle["elbow_chord"].items():
        assert found.elbows[name].k == said["k"]
        assert [round(d, 4) for d in found.elbows[name].d] == said["d"]


def test_bends_of_the_curve_1_over_k(oracle: dict[str, Any], paper: Reproduction) -> None:
    for last, said in oracle["elbow_analytic_1_over_k"].items():
        if last.isdecimal():
            assert list(bends_of_reciprocal(int(last))) == said
            what = f"highest risk over k = 2 to {last}: where it bends in every table"
            bend = item(paper, "Section IV.D", what).computed
            assert bend == " or ".join(map(str, said))
    for last in range(4, 60):
        ks = list(range(2, last + 1))
        assert elbow(ks, [1 / k for k in ks]).k == bends_of_reciprocal(last)[-1]
        chord = [
            1 - Fraction(k - 2, last - 2)
            - (Fraction(1, k) - Fraction(1, last)) / (Fraction(1, 2) - Fraction(1, last))
            for k in ks
        ]  # fmt: skip
        at = max(range(len(ks)), key=lambda place: (chord[place], place))
        assert ks[at] == bends_of_reciprocal(last)[-1]


def test_highest_risks_are_those_of_any_table(paper: Reproduction) -> None:
    found = item(paper, "Table VI", "highest risks that are 100 / k, whatever the table")
    assert (found.printed, found.computed) == (9, 9)


# -------- Risks, ranks, ranges, quality --------


def test_risks_of_the_oracle(paper: Reproduction, oracle: dict[str, Any]) -> None:
    rows = sheet(paper, "attackers").rows
    names = ("pR1", "pR2", "pR3", "jR1", "jR2", "jR3", "mR2")
    for row, said in zip(rows, oracle["risk_example"], strict=False):
        assert row[0] == ", ".join(map(str, said["f"]))
        assert row[1] == ", ".join(map(str, said["F"]))
        assert row[2:] == pytest.approx(tuple(said[name] for name in names))
    assert rows[3][2:5] == rows[3][5:8]
    assert rows[3][-1] == rows[3][4]


def test_the_order_of_attackers(paper: Reproduction) -> None:
    claims = {one.what: one for one in paper.items if one.where == "Section IV.E"}
    assert [(one.computed, one.verdict) for one in claims.values()] == [
        ("4 of 4", "equal"),
        ("3 of 4", "refuted"),
    ]


def test_ranks_stand_in_the_order_of_the_table() -> None:
    assert list(ranks()) == table_ii()[DIAGNOSIS].unique(maintain_order=True).to_list()


def test_ranks_by_deaths(paper: Reproduction) -> None:
    for year, deaths in FIGURE_7.items():
        low, high = min(deaths.values()), max(deaths.values())
        rank = {
            cause: 1 + sum(4 * (number - low) < cut * (high - low) for cut in (3, 2, 1))
            for cause, number in deaths.items()
        }
        rows = [row for row in sheet(paper, "figure-7").rows if row[0] == year]
        assert {row[1]: row[3] for row in rows} == rank


def test_ages_in_ranges_of_equal_frequency(paper: Reproduction, oracle: dict[str, Any]) -> None:
    found: dict[str, list[list[int]]] = {}
    for bins, label, records in sheet(paper, "equal-frequency").rows:
        low, high = str(label).strip("[]").split(", ")
        found.setdefault(str(bins), []).append([int(low), int(high), int(str(records))])
    assert found == {bins: oracle["equal_frequency_TableII"][bins] for bins in found}
    assert set(found) == {"3", "4", "5", "6"}


def test_quality_of_ages(oracle: dict[str, Any]) -> None:
    said, own = oracle["arx_quality_age_TableII_to_III"], quality_of_ages()
    assert own["generalization_intensity"] == said["intensity"]
    assert own["granularity"] == pytest.approx(said["granularity"])
    assert own["non_uniform_entropy"] == pytest.approx(said["non_uniform_entropy"])
    assert own["squared_error"] == pytest.approx(said["squared_error_tight"])
    assert own["discernibility"] == pytest.approx(said["discernibility_quality"])
    assert own["average_class_size"] == pytest.approx(said["aecs_quality"])
    wide = quality_of_ages(tight=False)["squared_error"]
    assert wide == pytest.approx(said["squared_error_nominal"])


# -------- As a whole --------


def test_every_verdict_that_is_not_equal_has_a_reason(paper: Reproduction) -> None:
    for found in paper.items:
        if found.verdict in ("differs", "refuted", "truncated"):
            assert found.why, found


def test_what_is_left_out_is_told(paper: Reproduction) -> None:
    assert ["toy" in where for where, _ in paper.left_out] == [True, False]
    assert "--data" in paper.left_out[1][1]
    assert paper.seed is None
    assert not [one for one in paper.items if one.where.startswith("Figure 11")]


def test_it_is_written(paper: Reproduction, tmp_path: Path) -> None:
    names = {path.name for path in paper.write(tmp_path / "again")}
    assert {"reproduction.md", "items.csv", "graphs.csv", "figure-2.svg", "figure-2.mmd"} <= names
    page = (tmp_path / "again" / "reproduction.md").read_text(encoding="utf-8")
    assert page.startswith("# Victor and Lopez (2020)")
