"""Fazal and others (2023): the tables person by person, and what the text says of them."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.privacy.rank_variance import rank_variance_exact, theta
from indistinct_reproductions import PAPERS, reproduce
from indistinct_reproductions.fazal import (
    CLASSES,
    Replayed,
    attacked,
    believed,
    pairings,
    patients_of_table_1,
    penalties,
    printed_release,
)
from indistinct_reproductions.fazal_releases import KL, PL, ROWS, made, measured, one_person_classes
from indistinct_reproductions.fazal_tables import (
    CATEGORY,
    LEVELS,
    NOISE,
    PARTIAL_CUT,
    PEOPLE,
    QUASI,
    SCENARIO_1,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_10,
    TABLE_11,
    TABLE_12A,
    TABLE_12B,
    frames_of_table_12,
    partial_cut,
    spelt_alike,
)
from indistinct_reproductions.khan_nets import SYMPTOMS, VISITS
from indistinct_reproductions.reproduction import Item, Reproduction


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduce("fazal")


@pytest.fixture(scope="module")
def oracle(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text("utf-8"))
    return document["D_004"]  # type: ignore[no-any-return]


def item(found: Reproduction, where: str, what: str) -> Item:
    (one,) = [item for item in found.items if (item.where, item.what) == (where, what)]
    return one


# -------- The printed tables --------


def test_the_nets_have_the_same_people_and_categories() -> None:
    assert [(one.row.quasi, spelt_alike(one.row.value)) for one in VISITS] == [
        ((int(one.age), int(one.zip_code), one.gender), spelt_alike(one.symptom)) for one in TABLE_1
    ]
    assert {spelt_alike(symptom): level for symptom, level in SYMPTOMS.items()} == CATEGORY


def test_the_tables_fit_each_other_but_for_the_slips_that_are_told() -> None:
    for person, symptoms in TABLE_2.items():
        own = {spelt_alike(visit.symptom) for visit in TABLE_1 if visit.person == person}
        assert {*map(spelt_alike, symptoms)} == own
    assert Counter(TABLE_10.values()) == Counter(
        value for bucket in TABLE_12B.values() for value in bucket
    ) - Counter(["Mild"])
    assert {row.person for row in TABLE_12A} == {*PEOPLE, NOISE}
    assert len(TABLE_10) + len(TABLE_11) == len(TABLE_1)
    rows, lists = frames_of_table_12().values()
    assert rows["bucket"].value_counts().sort("bucket").rows() == (
        lists["bucket"].value_counts().sort("bucket").rows()
    )


def test_the_tables_are_those_of_the_oracle(oracle: dict[str, Any]) -> None:
    assert oracle["table4"] == TABLE_4
    assert oracle["transformed"] == TABLE_10
    assert oracle["history_published"] == {visit.name: visit.symptom for visit in TABLE_11}
    assert oracle["QT"]["EC"] == [list(members) for members in CLASSES.values()]
    assert oracle["QT"]["BID"] == {r.person: r.bucket for r in TABLE_12A if r.person != NOISE}
    assert {int(at): tuple(own) for at, own in oracle["ST"].items()} == TABLE_12B
    for bucket, variance in oracle["bucket_variance"].items():
        own = rank_variance_exact([*Counter(TABLE_12B[int(bucket)]).values()])
        assert own == Fraction(variance)
    assert oracle["theta_k2_mu0.6"] == theta(2, 0.6)


def test_the_replay_is_that_of_the_oracle(oracle: dict[str, Any]) -> None:
    paper = Replayed.of_table_1()
    assert paper.category == TABLE_10
    left = [name for names in paper.history.values() for name in names]
    assert left == oracle["history_keep_last"]
    wanted = [tuple(one for one in own if one != "n1") for own in oracle["replay"]["buckets"]]
    assert sorted(paper.buckets.values()) == sorted(wanted)
    assert paper.classes == [*CLASSES.values()]
    assert len(paper.noise) == oracle["replay"]["noise"]
    moves = paper.release.private["moves.json"]["moves"]
    assert [move["kind"] for move in moves] == ["swap", "noise"]


# -------- Measures --------


def test_certainty_penalty(oracle: dict[str, Any]) -> None:
    wanted = oracle["ncp"]
    for group, total in zip(CLASSES, penalties([[own] for own in CLASSES.values()]), strict=True):
        exact = Fraction(wanted["per_tuple"][f"EC{group}"])
        assert total / 2 == pytest.approx(float(exact))
    paper = Replayed.of_table_1()
    total, linked = penalties([CLASSES.values(), paper.buckets.values()])
    assert total == pytest.approx(float(Fraction(wanted["total"])))
    assert total / (len(PEOPLE) * len(QUASI)) == pytest.approx(wanted["normalised"])
    assert linked == pytest.approx(wanted["one_to_one_total"])
    every = sorted(penalties(pairings(PEOPLE)))
    assert len(every) == 105
    assert every[0] == pytest.approx(total)
    assert every[1] == pytest.approx(wanted["second_best"])


def test_the_cells_of_the_release_are_those_that_are_printed() -> None:
    paper = Replayed.of_table_1()
    for group, people in CLASSES.items():
        printed = next(row.cells for row in TABLE_12A if row.group == group)
        assert paper.cells(people) == printed
    assert attacked()["noise-stripping"]["bucket_certain_people"] == 2


def test_linkability_beliefs_and_exclusions(oracle: dict[str, Any], paper: Reproduction) -> None:
    rl = item(paper, "Equations 26, 27", "record linkability of Table 12, with the made-up row")
    assert rl.computed == pytest.approx(float(Fraction(oracle["RL"]["value"])))
    without = item(paper, "Equations 26, 27", "record linkability of Table 12, without it")
    assert without.computed == pytest.approx(4)
    for group, wanted in oracle["posterior_by_EC"].items():
        own = {level: belief for level, belief in believed(int(group)).items() if belief}
        assert own == {level: Fraction(belief) for level, belief in wanted.items()}
        excluded = {*LEVELS} - own.keys()
        assert excluded == {*oracle["nma_excluded"][group]}


def test_questions(oracle: dict[str, Any], paper: Reproduction) -> None:
    first, second = oracle["query_examples"]
    for mode in ("overlap", "uniform"):
        found = item(paper, "Equation 24", f"age 40 to 42, zip 2139 to 2545: error, {mode}")
        assert found.computed == pytest.approx(first[f"{mode}_error"])
    found = item(paper, "Equation 24", "everybody: error, overlap")
    assert found.computed == pytest.approx(second["overlap_error"])


def test_the_partial_cut(oracle: dict[str, Any]) -> None:
    wanted = oracle["partial_cut_example"]
    assert {*SCENARIO_1} == {*wanted["in"]}
    assert partial_cut(SCENARIO_1) == PARTIAL_CUT == tuple(wanted["partial"])


@given(st.lists(st.sampled_from([one for own in TABLE_3.values() for one in own]), max_size=8))
def test_the_partial_cut_keeps_what_is_alone_in_its_category(symptoms: list[str]) -> None:
    found = partial_cut(tuple(symptoms))
    assert list(found) == sorted(found)
    for level, own in TABLE_3.items():
        had = {*symptoms} & {*own}
        assert (level in found) == (len(had) > 1)
        assert {*found} & {*own} == (had if len(had) == 1 else set())


# -------- What is told --------


def test_it_is_there_without_any_file(paper: Reproduction) -> None:
    assert "fazal" in PAPERS
    assert [where for where, _ in paper.left_out] == ["Figures 6 to 9", "the same on INFORMS"]
    assert all(
        found.why or found.verdict in ("equal", "no figure printed") for found in paper.items
    )


@pytest.mark.parametrize(
    ("where", "what", "printed", "computed"),
    [
        ("Table 11", "t11, zip code", "234a1", "2341"),
        ("Table 11", "p6, records left over", "t14", "t13"),
        ("Table 12A", "p1, zip code in brackets", "2319", "2139"),
        ("Table 12B", "bucket 4", "Low, Low, Mild", "Low, Low, Severe"),
        ("Section 8", "table of the categories", "Table 2", "Table 3"),
        ("Table 3", "spelling of the symptom of p2 and p4", "Lung's Infection", "Lungs Infection"),
    ],
)
def test_slips_are_named(
    paper: Reproduction, where: str, what: str, printed: str, computed: str
) -> None:
    found = item(paper, where, what)
    assert (found.printed, found.computed, found.verdict) == (printed, computed, "differs")


def test_everything_else_of_the_tables_comes_out(paper: Reproduction) -> None:
    tables = [found for found in paper.items if found.where in ("Table 2", "Table 4", "Table 10")]
    assert len(tables) == 24
    assert {found.verdict for found in tables} == {"equal"}
    ids = [found for found in paper.items if found.what.endswith(", BID")]
    assert len(ids) == 8
    assert {found.verdict for found in ids} == {"equal"}


def test_claims_that_do_not_hold(paper: Reproduction) -> None:
    refuted = {(found.where, found.what) for found in paper.items if found.verdict == "refuted"}
    assert refuted == {
        ("Table 11", "the history is kept to avoid any wastage of data"),
        ("Table 12A", "the published table is 2-anonymous"),
        ("Section 5", "the sensitive variance attack is prevented"),
        ("Section 6", "loose linkage almost vanishes record linkability"),
        ("Definition 2", "non-membership attacks are prevented: nothing is ruled out"),
        ("Scenario II", "theta cannot be computed of people with several records"),
        ("Algorithm 1", "every bucket is sensitive to theta, that of line 22 too"),
        ("Algorithm 1", "it makes buckets of k for any k that is asked for"),
        ("Figure 5", "Rule 16, non-membership: nothing is ruled out"),
        ("Figure 5", "Rule 16 on the release of the program"),
        ("Figure 5", "Rule 19 against who leaves out single values of larger buckets"),
    }


def test_what_is_refused(paper: Reproduction) -> None:
    found = item(paper, "Algorithm 1", "Table 1, k = 7")
    assert found.computed == "no release"
    assert "cannot be reached" in found.why
    tail = item(paper, "Algorithm 1", "every bucket is sensitive to theta, that of line 22 too")
    assert "Low, Low, Low: V = 0" in str(tail.computed)


def test_files_are_written(paper: Reproduction, tmp_path: Path) -> None:
    names = {path.name for path in paper.write(tmp_path / "out")}
    assert {"buckets.csv", "certainty.csv", "beliefs.csv", "nets.csv", "reproduction.md"} <= names
    for number in (3, 4, 5):
        assert {f"figure-{number}.svg", f"figure-{number}.mmd"} <= names
        assert {f"figure-{number}-places.csv", f"figure-{number}-transitions.csv"} <= names


# -------- The baselines on the paper's people --------


def test_theta_on_rows_fills_classes_with_one_person() -> None:
    patients = patients_of_table_1()
    release = made(ROWS, 2, patients)
    alone, classes = one_person_classes(release, patients.read.subjects.person_of)
    assert (alone, classes) == (4, 8)
    run = measured(ROWS, 2, patients)
    assert run.alone == 0.5
    assert run.vulnerable == 4
    assert run.table is not None
    assert run.table.count == 16


def test_k_l_diversity_publishes_a_symptom_as_it_is() -> None:
    run = measured(KL, 2, patients_of_table_1())
    assert run.published is not None
    (listed,) = run.published.listed.values()
    assert "Lungs Infection" in listed.labels


def test_angelization_links_one_to_one() -> None:
    release = made(PL, 2, patients_of_table_1())
    quasi = release.tables["quasi"]
    assert quasi.unique().height == quasi["bucket"].n_unique()


def test_the_printed_release_is_read_as_eight_people_and_noise() -> None:
    people = patients_of_table_1().people
    assert people.count == 8
    assert printed_release(people).rows == 9
    assert printed_release(people, noise=False).rows == 8
