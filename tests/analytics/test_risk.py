"""The three attackers: figures of others, their order, distribution and curve; and the verb."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.risk.reidentification import (
    curve_of_classes,
    distribution,
    journalist,
    marketer,
    prosecutor,
    range_of_k,
)
from indistinct.analytics.risk.standards import people_by_zip
from indistinct.errors import DataError, HierarchyError, PolicyError

ADULT = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "salary-class",
)  # fmt: skip


def test_the_worked_examples(shared: Path) -> None:
    examples = json.loads((shared / "spec" / "oracles.json").read_text())["B_001"]["risk_example"]
    for said in examples:
        size, people = np.array(said["f"]), np.array(said["F"])
        p, j = prosecutor(size, said["tau"]), journalist(size, people, said["tau"])
        assert (p.at_risk, p.highest, p.success) == pytest.approx(
            (said["pR1"], said["pR2"], said["pR3"])
        )
        assert (j.at_risk, j.highest, j.success) == pytest.approx(
            (said["jR1"], said["jR2"], said["jR3"])
        )
        assert marketer(size) == pytest.approx(said["mR_n_eq_N"])
        assert marketer(size, people, size.sum()) == pytest.approx(said["mR_n_eq_N"])
        assert marketer(size, people) == pytest.approx(said["mR2"])


def test_table_iii_of_the_paper(shared: Path) -> None:
    said = json.loads((shared / "spec" / "oracles.json").read_text())["B_001"]["table3"]
    found = prosecutor(np.array(said["sizes"]))
    assert found.at_risk == said["pR1_tau_0_2"]
    assert (found.highest, found.success) == (said["pR2"], said["pR3"])


def test_risk_of_the_adult_table(shared: Path) -> None:
    found = ind.risk(
        shared / "data" / "adult" / "adult.csv", quasi=ADULT, population=317_238_626
    ).to_dict()
    assert found["prosecutor"]["R1"] == pytest.approx(0.778131, abs=5e-7)
    assert found["prosecutor"]["R2"] == 1.0
    for average in (found["prosecutor"]["R3"], found["journalist"]["R3"], found["marketer"]["R"]):
        assert average == pytest.approx(0.646575, abs=5e-7)
    assert found["uniques"]["sample"] == 15_512
    assert round(found["uniques"]["population"]["pitman"]) == 12_339_373
    assert found["estimated"]["journalist"]["R3"] < 0.06


SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=25)


@given(SIZES, st.lists(st.integers(0, 100), min_size=25, max_size=25), st.floats(0.01, 1.0))
def test_the_order_of_the_attackers(sizes: list[int], more: list[int], threshold: float) -> None:
    size = np.array(sizes)
    people = size + np.array(more[: len(size)])
    p, j, m = prosecutor(size, threshold), journalist(size, people, threshold), None
    m = marketer(size, people)
    assert p.highest >= j.highest
    assert j.highest >= m - 1e-12
    assert p.success >= j.success - 1e-12
    assert j.success >= m - 1e-12
    assert p.at_risk >= j.at_risk


def test_records_at_risk_have_no_such_order() -> None:
    size, people = np.array([2, 3, 5]), np.array([10, 12, 20])
    assert journalist(size, people).at_risk == 0 < marketer(size, people)


@given(SIZES)
def test_a_population_that_is_the_table_changes_nothing(sizes: list[int]) -> None:
    size = np.array(sizes)
    assert journalist(size, size) == prosecutor(size)
    assert marketer(size, size) == pytest.approx(prosecutor(size).success)


@given(SIZES)
def test_the_distribution_counts_everybody_once(sizes: list[int]) -> None:
    size = np.array(sizes)
    steps = distribution(size)
    assert sum(step.records for step in steps) == size.sum()
    assert steps[-1].cumulative == 1.0
    at_most = next(step for step in steps if step.to == 0.2)
    assert at_most.cumulative == pytest.approx(1 - prosecutor(size).at_risk)


@given(SIZES)
def test_the_curve_of_a_table_leaves_small_classes_out(sizes: list[int]) -> None:
    size = np.array(sizes)
    curve = curve_of_classes(size, range(2, 12))
    for point in curve.points:
        kept = size[size >= point.k]
        assert point.risk == prosecutor(kept)
        assert point.kept == pytest.approx(kept.sum() / size.sum())
        assert point.classes == len(kept)
    assert len(curve.points) + len(curve.skipped) == 10
    assert (curve.selection is None) == (not curve.points)


@pytest.mark.parametrize("given_", [(2,), (5, 2), (0, 3), (2.5, 4), (True, 4), "ab"])
def test_what_is_no_range_of_k(given_: Any) -> None:
    with pytest.raises(DataError, match="range of k"):
        range_of_k(given_)


# The verb --------------------------------------------------------------------------------------

PEOPLE = pl.DataFrame(
    {
        "age": ["20", "20", "30", "30", "30", "40", "41"],
        "sex": ["f", "f", "m", "m", "m", "f", None],
        "diagnosis": list("abcdefg"),
    }
)


def policy(**further: Any) -> ind.Policy:
    return ind.Policy(
        attributes={
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier"},
            "diagnosis": {"role": "sensitive"},
        },
        promises=[{"model": "k-anonymity", "k": 2}],
        **further,
    )


def test_a_table() -> None:
    found = ind.risk(PEOPLE, quasi=["age", "sex"])
    assert found.classes == {"count": 4, "smallest": 1, "mean": 1.75, "largest": 3}
    assert found.unique == 2
    assert found.prosecutor.success == pytest.approx(4 / 7)
    assert found.basis == "none"
    assert found.frame().height == 3
    assert "7 records in 4 classes" in repr(found)
    assert "prosecutor" in found._repr_html_()


def test_every_record_has_its_risk_and_the_report_tells_none() -> None:
    found = ind.risk(PEOPLE, quasi=["age", "sex"])
    exposed = found.exposed
    assert exposed is not None
    assert exposed["row"].to_list()[:2] == [6, 7]
    assert exposed["prosecutor"].to_list() == pytest.approx([1, 1, 0.5, 0.5, 1 / 3, 1 / 3, 1 / 3])
    assert found.to_dict(exposed=2)["exposed"] == exposed.head(2).to_dicts()
    assert "exposed" not in found.to_dict()
    told = json.dumps(found.to_dict()) + repr(found) + found._repr_html_()
    assert "row" not in found.to_dict()
    assert "41" not in told.replace("0.41", "")


@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "duckdb"])
def test_every_engine_gives_the_same(engine: str) -> None:
    pytest.importorskip(engine)
    frame: Any = PEOPLE
    if engine == "pandas":
        frame = PEOPLE.to_pandas()
    elif engine == "pyarrow":
        frame = PEOPLE.to_arrow()
    else:
        import duckdb

        arrow = PEOPLE.to_arrow()
        frame = duckdb.from_arrow(arrow)
    found = ind.risk(frame, policy(), k_range=(2, 4)).to_dict()
    assert found == ind.risk(PEOPLE, policy(), k_range=(2, 4)).to_dict()


def test_suppressed_records_are_in_no_class() -> None:
    stars = pl.DataFrame({"age": ["*", "20", "20", "*"], "sex": ["*", "*", "*", "f"]})
    found = ind.risk(stars, quasi=["age", "sex"])
    assert (found.records, found.suppressed, found.unique) == (3, 1, 1)
    assert "are known to be among these, and a guess is right with 100%" in found.notes[0]
    assert found.exposed is not None
    assert found.exposed["row"].to_list() == [4, 2, 3]


def test_rows_of_stars_count_in_standards() -> None:
    stars = pl.DataFrame({"age": ["*"] * 2 + ["20"] * 30})
    found = ind.risk(stars, quasi=["age"], standard=["0.2", "0.33"])
    assert [verdict.holds for verdict in found.standards] == [False, False]


def test_nothing_is_told_of_classes_that_are_not_there() -> None:
    text = str(list(ind.risk(pl.DataFrame({"age": ["*"] * 2}), quasi=["age"]).parts()))
    assert "'0%', '0', '0'" not in text
    assert "'-', '-', '-'" in text


def test_a_release_with_nobody_left() -> None:
    found = ind.risk(pl.DataFrame({"age": ["*"]}), quasi=["age"], population=10, k_range=(2, 3))
    assert found.prosecutor.highest == 0.0
    assert found.curve is not None
    assert found.curve.skipped == (2, 3)
    assert json.loads(json.dumps(found.to_dict()))["records"] == 0


def test_a_population_table_counts_people() -> None:
    people = pl.concat([PEOPLE, PEOPLE.head(5), pl.DataFrame({"age": ["99"], "sex": ["f"],
                                                              "diagnosis": ["x"]})])  # fmt: skip
    found = ind.risk(PEOPLE, quasi=["age", "sex"], population=people)
    assert found.basis == "table"
    assert found.population == 13
    assert found.journalist.highest == 1.0
    assert found.journalist.success == pytest.approx(max(4 / 12, (2 / 4 + 3 / 6 + 1 + 1) / 7))
    assert found.unique_in_population == 2
    assert found.to_dict()["uniques"]["population"]["counted"] == 2
    assert found.estimated is None


def test_a_population_table_of_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("age,sex,people\n20,f,10\n30,m,30\n40,f,4\n41,,1\n")
    found = ind.risk(PEOPLE, quasi=["age", "sex"], population=path, counts="people")
    assert found.basis == "counts"
    assert found.population == 45
    assert found.journalist.at_risk == pytest.approx(2 / 7)
    assert found.journalist.highest == 1.0
    assert found.marketer == pytest.approx((2 / 10 + 3 / 30 + 1 / 4 + 1) / 7)


def test_counts_that_are_none_are_told_by_row(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("age,sex,people\n20,f,10\n30,m,many\n40,f,-1\n")
    with pytest.raises(DataError, match="whole number of people") as caught:
        ind.risk(PEOPLE, quasi=["age", "sex"], population=path, counts="people")
    assert caught.value.problems[0].rows == (2, 3)
    assert "many" not in str(caught.value)


@pytest.mark.parametrize("number", ["nan", "inf", "-0.5", "1e300", "9223372036854775807"])
def test_counts_that_no_people_can_have_are_told(number: str) -> None:
    counted = PEOPLE.head(2).with_columns(pl.Series("people", ["3", number]))
    with pytest.raises(DataError, match="whole number of people") as caught:
        ind.risk(PEOPLE, quasi=["age", "sex"], population=counted, counts="people")
    assert caught.value.problems[0].rows == (2,)


def test_a_population_that_lacks_people_is_told() -> None:
    found = ind.risk(PEOPLE, quasi=["age", "sex"], population=PEOPLE.head(4))
    assert found.journalist == found.prosecutor
    assert any("more records than the population has people" in note for note in found.notes)


def test_size_and_share_of_the_population() -> None:
    size = ind.risk(PEOPLE, quasi=["age", "sex"], population=70)
    share = ind.risk(PEOPLE, quasi=["age", "sex"], population=0.1)
    assert size.population == share.population == pytest.approx(70)
    assert size.basis == share.basis == "size"
    assert size.journalist == size.prosecutor
    assert size.marketer == pytest.approx(4 / 7)
    assert size.uniqueness is not None
    assert size.to_dict()["uniques"] == share.to_dict()["uniques"]
    with pytest.raises(DataError, match="cannot hold a table"):
        ind.risk(PEOPLE, quasi=["age", "sex"], population=6)
    for people in (-1, 1e-320, 10**19, 10**20, float("inf"), float("nan")):
        with pytest.raises(DataError, match="share below 1"):
            ind.risk(PEOPLE, quasi=["age", "sex"], population=people)


def test_what_a_policy_says_of_risk(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n" + "20,f\n" * 9 + "30,m\n" * 9)
    asked = policy(risk={"population": {"size": 700}, "threshold": 0.4, "k_range": [2, 3]})
    found = ind.risk(PEOPLE, asked)
    assert (found.population, found.threshold) == (700, 0.4)
    assert found.curve is not None
    assert [point.k for point in found.curve.points] == [2, 3]
    assert ind.risk(PEOPLE, asked, population=90, threshold=0.2).population == 90
    share = policy(risk={"population": {"fraction": 1.0}})
    assert ind.risk(PEOPLE, share).population == 7
    keys = policy().to_dict() | {"risk": {"population": {"file": "people.csv"}}}
    named = ind.Policy.from_dict(keys, directory=tmp_path)
    assert ind.risk(PEOPLE, named).basis == "table"


@pytest.mark.parametrize("model", ["k-map", "delta-presence"])
def test_promises_that_count_people_need_a_table_of_them(model: str) -> None:
    keys: dict[str, Any] = {"model": model}
    keys |= {"k": 2} if model == "k-map" else {"lower": 0.0, "upper": 0.5}
    asked = ind.Policy(
        attributes={"age": {"role": "quasi-identifier"}},
        promises=[keys],
        risk={"population": {"size": 100}},
    )
    with pytest.raises(PolicyError, match="says only how many there are"):
        ind.anonymize(PEOPLE.select("age"), asked)


def test_a_release_in_its_folder_is_read_as_its_certificate_says(tmp_path: Path) -> None:
    release = ind.anonymize(PEOPLE, policy(method={"suppression_limit": 0.3}))
    release.write(tmp_path / "out")
    found = ind.risk(tmp_path / "out")
    assert found.quasi == ("age", "sex")
    assert found.prosecutor.highest <= 0.5
    assert found.prosecutor == ind.risk(release).prosecutor
    assert ind.risk(tmp_path / "out" / "release.csv").records == found.records


def test_people_under_generalized_cells_are_counted(tmp_path: Path) -> None:
    keys = policy(method={"suppression_limit": 0.3}).to_dict()
    keys["attributes"]["age"]["min_level"] = 1
    asked = ind.Policy.from_dict(keys)
    release = ind.anonymize(PEOPLE, asked)
    people = pl.DataFrame(
        {"age": [str(age) for age in range(20, 50)] * 2, "sex": ["f"] * 30 + ["m"] * 30}
    )
    found = ind.risk(release, asked, population=people)
    cells = release.tables.group_by("age", "sex").len()
    assert found.records == cells["len"].sum()
    assert cells["age"].str.contains(", ").all()
    assert found.journalist.highest == pytest.approx(1 / 10)
    assert found.prosecutor.highest == pytest.approx(1 / 2)
    counted = people.group_by("age", "sex").len("people")
    again = ind.risk(release, asked, population=counted, counts="people")
    assert again.journalist == found.journalist
    assert again.marketer == found.marketer


def test_the_curve_of_releases_is_that_of_each_release(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    table = pl.DataFrame(
        {
            "age": draw.integers(20, 60, 200).astype(str),
            "sex": draw.choice(["f", "m"], 200),
            "diagnosis": draw.choice(list("abc"), 200),
        }
    )
    for method in ({}, {"suppression_limit": 0.1}, {"algorithm": "mondrian"}):
        asked = policy(method=method)
        found = ind.risk(table, asked, k_range=(2, 6)).curve
        assert found is not None
        assert found.of == "releases"
        for point in found.points:
            keys = asked.to_dict() | {"promises": [{"model": "k-anonymity", "k": point.k}]}
            one = ind.risk(ind.anonymize(table, keys), quasi=["age", "sex"])
            assert one.prosecutor.highest == pytest.approx(point.risk.highest)
            assert one.prosecutor.success == pytest.approx(point.risk.success)
            assert one.records / 200 == pytest.approx(point.kept)


def test_a_k_that_no_release_can_have_is_skipped() -> None:
    for method in ({}, {"algorithm": "mondrian"}):
        found = ind.risk(PEOPLE, policy(method=method), k_range=(6, 9)).curve
        assert found is not None
        assert [point.k for point in found.points] == [6, 7]
        assert found.skipped == (8, 9)


def test_curve_of_the_table_itself_although_a_policy_is_there() -> None:
    found = ind.risk(PEOPLE, policy(), k_range=(2, 3), releases=False).curve
    assert found is not None
    assert found.of == "classes"
    assert found.frame().columns[:4] == ["k", "records_at_risk", "highest", "success"]
    with pytest.raises(PolicyError, match="by a policy"):
        ind.risk(PEOPLE, quasi=["age"], k_range=(2, 3), releases=True)
    with pytest.raises(PolicyError, match="no curve is asked for"):
        ind.risk(PEOPLE, policy(), releases=False)


def test_quasi_identifiers_that_nobody_named_are_told() -> None:
    found = ind.risk(PEOPLE)
    assert set(found.quasi) >= {"age", "sex"}
    assert any("suggest" in note for note in found.notes)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(DataError, match="threshold"):
        ind.risk(PEOPLE, quasi=["age"], threshold=0)
    with pytest.raises(DataError, match="no table is given"):
        ind.risk(PEOPLE, quasi=["age"], population=0.5, counts="people")
    with pytest.raises(DataError, match="no column 'agee'"):
        ind.risk(PEOPLE, quasi=["agee"])
    with pytest.raises(PolicyError, match="no standard 'hippa'"):
        ind.risk(PEOPLE, quasi=["age"], standard="hippa")
    with pytest.raises((PolicyError, HierarchyError)):
        ind.risk(PEOPLE.rename({"sex": "gender"}), policy())


def test_releases_are_read_in_whatever_form_they_are_given(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["[20, 29]", "[20, 29]", "*"], "zip": ["10", "10", "*"]})
    named = ind.risk({"release": frame}, quasi=["age", "zip"])
    assert (named.records, named.suppressed, named.classes["count"]) == (2, 1, 1)
    folder = tmp_path / "out"
    folder.mkdir()
    frame.write_csv(folder / "release.csv")
    alone = ind.risk(folder)
    assert alone.quasi == ("age", "zip")
    assert any("the columns suggest" in note for note in alone.notes)
    assert alone.classes == ind.risk(folder, quasi=["age", "zip"]).classes
    with pytest.raises(ind.DataError, match="no such column"):
        ind.risk(folder, quasi=["age", "height"])
    guarded = pl.DataFrame({"age": ["20", "20"], "zip": ["'=1", "'=1"], "ill": ["flu", "flu"]})
    people = pl.DataFrame({"age": ["20", "20", "20"], "zip": ["=1", "=1", "=1"]})
    keys = {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "zip": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "output": {"spreadsheet_safe": True},
    }
    found = ind.risk(guarded, keys, population=people)
    assert found.journalist.highest == pytest.approx(1 / 3)


def test_zip_codes_lose_zeros_in_text_files_as_well() -> None:
    frame = pl.DataFrame({"zip": ["36", "036", "101"], "population": ["5", "6", "7"]})
    assert people_by_zip(frame) == {"036": 11, "101": 7}
