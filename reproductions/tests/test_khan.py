"""Khan and others (2020): what can be computed of it, and why some of it comes out differently."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.privacy.rank_variance import (
    largest_k,
    least_noise,
    least_values,
    rank_variance_exact,
    theta,
)
from indistinct_reproductions import reproduce
from indistinct_reproductions.khan import DETECTORS, attacked, detected, kept
from indistinct_reproductions.khan_replay import (
    Remade,
    best_members,
    cells_of,
    chunks,
    fitting,
    members,
)
from indistinct_reproductions.khan_scores import (
    discernibility,
    highest_variance,
    least_score,
    least_score_with_noise,
    noise_that_reaches,
)
from indistinct_reproductions.khan_tables import (
    CATEGORY,
    DISEASES,
    OCCUPATIONS,
    RECORDS,
    RELEASED,
    TABLE_1A,
    TABLE_4A,
    TABLE_4B,
    TABLE_8A,
    TABLE_11,
    Released,
)
from indistinct_reproductions.reproduction import Item, Reproduction

TABLES = {"1b": 0, "4a": 1, "4b": 2, "8a": 3, "8b": 4}


@pytest.fixture(scope="module")
def paper() -> Reproduction:
    return reproduce("khan")


@pytest.fixture(scope="module")
def oracle(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text("utf-8"))
    return document["C_003"]  # type: ignore[no-any-return]


def item(found: Reproduction, where: str, what: str) -> Item:
    (one,) = [item for item in found.items if (item.where, item.what) == (where, what)]
    return one


def table(name: str) -> Released:
    return RELEASED[TABLES[name]]


# -------- The printed tables --------


def test_every_table_has_the_people_of_table_1a() -> None:
    whole = Counter(person.disease for person in TABLE_1A)
    for printed in RELEASED:
        own = Counter(disease for part in printed.classes for disease in part.diseases)
        extra = Counter({"Obesity": 1}) if printed is TABLE_8A else Counter[str]()
        assert own == whole + extra
    assert {*CATEGORY} == {*DISEASES} == {*whole}
    assert sum(OCCUPATIONS.values()) == 30162


def test_the_tables_are_those_of_the_oracle(oracle: dict[str, Any]) -> None:
    for name in TABLES:
        wanted = oracle["tables"][name]
        printed = table(name)
        assert printed.k == wanted["k"]
        for part, values in zip(printed.classes, wanted["classes"], strict=True):
            assert Counter(part.diseases) == Counter(values)


def test_variances_values_categories(oracle: dict[str, Any]) -> None:
    for name in TABLES:
        wanted, classes = oracle["tables"][name], table(name).classes
        least = Fraction(str(theta(table(name).k, 0.6)))
        assert [str(part.variance) for part in classes] == wanted["variance"]
        assert [part.variance >= least for part in classes] == wanted["ge_theta"]
        assert [len(part.counts) for part in classes] == wanted["distinct"]
        assert [part.categories for part in classes] == wanted["categories"]


def test_detectors(oracle: dict[str, Any]) -> None:
    short = {"homogeneity": "h", "categorical similarity": "s", "sensitive variance": "v"}
    long = {"h": "homogeneity", "s": "similarity", "v": "variance"}
    assert {*short} == {*DETECTORS}
    for name in TABLES:
        wanted = oracle["tables"][name]["detect"]
        for detector, letter in short.items():
            found = detected(table(name), detector)
            assert found == (wanted[long[letter]], wanted[f"rec_{letter}"]), (name, detector)


def test_weights(oracle: dict[str, Any]) -> None:
    for name, wanted in oracle["weights_0_1/3_2/3_1_total"].items():
        for over, weight in wanted.items():
            found = kept(table(name), "p-alpha-sensitive", p=3, alpha=1, over=over)
            assert found.holds
            assert found.achieved["alpha"] == pytest.approx(float(weight))
    # 8a: p = 4, p+ = 3, alpha = 1; 8b: 4, 3, 4/3.
    for name, weight in (("8a", 1), ("8b", 4 / 3)):
        found = kept(table(name), "p-alpha-sensitive", p=4, alpha=1)
        assert found.achieved == {"p": 4, "alpha": pytest.approx(weight)}
        assert kept(table(name), "p-plus-sensitive", p=3).achieved == {"p": 3}


def test_table_5(paper: Reproduction) -> None:
    second = [one for one in paper.items if one.where == "Table 5" and one.what[:3] == "EC2"]
    assert [one.computed for one in second] == [4, 10, 30, 1.25]
    assert {one.verdict for one in second} == {"equal"}
    third = item(paper, "Table 5", "EC3, variance")
    assert (third.printed, third.computed, third.verdict) == (0.69, 0.6875, "rounded")
    assert third.why == ""


# -------- The printed cells --------


def test_who_can_be_in_a_class() -> None:
    assert sum(1 for _ in members(TABLE_4A)) == 2 * 2 * 3
    for groups in members(TABLE_4A):
        for part, group in zip(TABLE_4A.classes, groups, strict=True):
            assert Counter(person.disease for person in group) == Counter(part.diseases)
    # The made-up record of Table 8a is in its last class, the only one of five.
    assert all([len(group) for group in groups] == [4, 4, 4] for groups in members(TABLE_8A))


def test_cells_that_nobody_can_have(paper: Reproduction) -> None:
    """14247 in EC3 of 4a, and 14063 in EC3 of 8a, which is Paul's of EC1."""
    whole = {}
    for printed in RELEASED:
        groups = best_members(printed)
        whole[printed.name] = sum(
            sum(fitting(part, group)) for part, group in zip(printed.classes, groups, strict=True)
        )
    assert whole == {"Table 1b": 18, "Table 4a": 8, "Table 4b": 9, "Table 8a": 8, "Table 8b": 9}
    upper = item(paper, "Table 4a", "EC3, largest zip code, given that EC1 is as printed")
    assert (upper.printed, upper.computed, upper.verdict) == (14247, 14243, "differs")
    real = item(paper, "Table 8a", "EC3, zip codes of the real records")
    assert (real.printed, real.computed) == ("14063-14247", "14203-14247")
    (paul,) = [person for person in TABLE_1A if person.zip_code == 14063]
    assert all(paul in groups[0] for groups in members(TABLE_8A) if _as_printed(groups[0], 0))


def _as_printed(group: Any, at: int) -> bool:
    return all(fitting(TABLE_8A.classes[at], group))


# -------- Variance and threshold --------


def test_variances_of_counts(oracle: dict[str, Any]) -> None:
    for counts, (exact, decimal) in oracle["variance"].items():
        found = rank_variance_exact([int(count) for count in counts.split("-")])
        assert str(found) == exact
        assert float(found) == pytest.approx(decimal)


def test_thresholds_and_what_they_need(oracle: dict[str, Any]) -> None:
    for k, wanted in oracle["theta_mu0.6"].items():
        assert theta(int(k), 0.6) == pytest.approx(wanted)
    for k, wanted in oracle["min_distinct_mu0.6"].items():
        assert least_values(int(k), 0.6) == wanted
    for number, wanted in oracle["sup_variance_D_values"].items():
        assert highest_variance(int(number)) == pytest.approx(wanted)
    for number, by_mu in oracle["upper_bound_k"].items():
        if number != "note":
            for mu, wanted in by_mu.items():
                assert largest_k(int(number), float(mu)) == wanted


def test_claims_that_a_computation_refutes(paper: Reproduction) -> None:
    refuted = {(one.where, one.what) for one in paper.items if one.verdict == "refuted"}
    assert {
        ("Section 4", "classes of Table 4a open to categorical similarity"),
        ("Section 4", "classes of Table 4a open to sensitive variance"),
        ("Section 4", "whoever cannot win by variance cannot win by similar categories"),
        ("Section 5.2", "Table 4a is open to homogeneity"),
        ("Section 5.1.2", "mu = 0.6 gives fully diverse classes, whatever k"),
        ("Section 5.1", "high variance is high diversity"),
        ("Algorithm 1", "it ends on every table"),
        ("Section 6.4", "34 records of noise are enough for mu = 0.6 and all k up to 20"),
        ("Section 6.4", "at most 6 records of noise for one k, with groups of k"),
    } <= refuted
    for where, what in refuted:
        assert item(paper, where, what).why
    diverse = item(paper, "Section 5.1.2", "mu = 0.6 gives fully diverse classes, whatever k")
    assert diverse.computed == "k up to 4; k = 5 takes (2, 1, 1, 1) with V = 1.36"
    rounded = item(paper, "Section 5.1.1", "variance of 3 different values")
    assert rounded.verdict == "rounded"


# -------- The exchange --------


def test_the_replay_to_table_8a(oracle: dict[str, Any], paper: Reproduction) -> None:
    wanted = oracle["table8a_replay"]
    found = Remade.of(chunks())
    assert [step(move) for move in found.moves][:-1] == wanted["trace"][:-1]
    # Of values that do not occur in the class the oracle has another one added.
    ((group, noise),) = found.noise
    kind, at, other, variance = wanted["trace"][-1]
    assert step(found.moves[-1]) == [kind, at, noise, variance]
    assert len(found.noise) == wanted["noise"]
    for people, own, names, diseases in zip(
        found.members, found.classes, wanted["members"], wanted["sensitive"], strict=True
    ):
        real = [name for name in names if name != "noise"]
        assert sorted(person.name.upper() for person in people) == sorted(real)
        added = Counter([other] if len(names) > len(real) else [])
        assert Counter(own.diseases) - Counter([noise] * added.total()) == Counter(diseases) - added
    assert noise not in {person.disease for person in found.members[group]}
    (steps,) = [sheet for sheet in paper.sheets if sheet.name == "replay"]
    assert len(steps.rows) == 4
    assert item(paper, "Section 5.2", "first swap").verdict == "equal"
    assert item(paper, "Table 8a", "disease of the made-up record").verdict == "differs"
    for number in (1, 2):
        own = item(paper, "Table 8a", f"EC{number}, zip codes of the release")
        assert own.verdict == "equal"
    ours = item(paper, "Table 8a", "EC1, country of the release")
    assert (ours.printed, ours.computed, ours.verdict) == ("America", "USA", "differs")


def step(move: Mapping[str, Any]) -> list[str]:
    """A move as the oracle tells it."""
    parts = [
        move["kind"],
        move["group"],
        *(move[key] for key in ("partner", "given") if key in move),
    ]
    variances = [move[key][1] for key in ("variance", "partner_variance") if key in move]
    fractions = [Fraction(value).limit_denominator(10_000) for value in variances]
    return [str(part) for part in (*parts, move["taken"], *fractions)]


def test_the_release_of_the_paper_keeps_theta_and_is_audited() -> None:
    for groups in (chunks(), best_members(TABLE_4B)):
        found = Remade.of(groups)
        assert ind.audit(found.release).holds
        assert [*map(len, found.members)] == [4, 4, 4]
        own = Counter(person.disease for people in found.members for person in people)
        assert own == Counter(person.disease for person in TABLE_1A)
        for part in found.classes:
            assert part.variance >= Fraction(3, 4)


def test_from_table_4b_without_noise(paper: Reproduction) -> None:
    assert item(paper, "Table 8b", "records of noise").computed == 0
    assert item(paper, "Table 8b", "swaps").computed == 2
    assert item(paper, "Table 8b", "variances of the classes").verdict == "equal"
    assert item(paper, "Table 8b", "diseases of the classes").verdict == "differs"
    assert [cells_of(group)[1] for group in best_members(TABLE_4B)] == [
        part.zip_code for part in TABLE_4B.classes
    ]


def test_noise_can_be_taken_out(oracle: dict[str, Any], paper: Reproduction) -> None:
    wanted = oracle["noise_strip"]["8a_EC3"]
    assert attacked(TABLE_8A)["noise-stripping"]["largest_belief"] == wanted
    what = "EC3, largest belief in a disease once a made-up record is taken out"
    assert item(paper, "Table 8a", what).computed == wanted


# -------- Scores --------


def test_scores_of_the_tables(oracle: dict[str, Any], paper: Reproduction) -> None:
    for name, wanted in oracle["dcp"].items():
        assert discernibility([len(part.diseases) for part in table(name).classes]) == wanted
        assert item(paper, f"Table {name}", "DCP").computed == wanted
    for name, wanted in oracle["cavg"].items():
        found = item(paper, f"Table {name}", "C_AVG").computed
        assert found == pytest.approx(float(Fraction(wanted)))


def test_table_11(oracle: dict[str, Any], paper: Reproduction) -> None:
    for text, wanted in oracle["table11"].items():
        k = int(text)
        assert TABLE_11[k] == tuple(wanted["published"])
        assert (TABLE_11[k][0] == k * RECORDS) == wanted["baseline_ok"]
        assert least_score(RECORDS, k) == wanted["min_dcp_160150"]
        assert least_score_with_noise(RECORDS, k) == wanted["min_over_noise"]
        ways = noise_that_reaches(TABLE_11[k][1], RECORDS, k)
        assert ways == oracle["table11_attainable"][text]
        claim = item(
            paper, "Table 11", f"k = {k}, score {TABLE_11[k][1]} of theta-sensitivity exists"
        )
        assert claim.verdict == ("equal" if ways else "refuted")
    assert sum(not ways for ways in oracle["table11_attainable"].values()) == 8


def test_averages_and_percentages(oracle: dict[str, Any], paper: Reproduction) -> None:
    wanted = oracle["table11_avg"]
    assert item(paper, "Table 11", "average of the baseline").computed == wanted["base"]
    own = item(paper, "Table 11", "average of theta-sensitivity")
    assert (own.computed, own.verdict) == (pytest.approx(wanted["theta"]), "equal")
    plus = item(paper, "Table 11", "average of p+-sensitivity")
    assert (plus.computed, plus.verdict) == (pytest.approx(wanted["p_plus"]), "equal")
    percent = item(paper, "Table 11", "the same of p+-sensitivity, percent")
    assert percent.printed == wanted["published_pct"]
    assert percent.computed == pytest.approx(wanted["p_over_base_pct"], abs=5e-5)
    assert percent.verdict == "differs"
    assert f"{wanted['p_minus_base_over_p_pct']:.2f}" in percent.why
    small = item(paper, "Section 6.2", "theta-sensitivity above the baseline, percent")
    assert small.computed == pytest.approx(wanted["theta_over_base_pct"], abs=5e-8)
    assert small.verdict == "equal"


def partitions(total: int, least: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for part in range(min(total, total if most is None else most), least - 1, -1):
        for rest in partitions(total - part, least, part):
            yield (part, *rest)


@given(k=st.integers(2, 5), records=st.integers(2, 14), data=st.data())
def test_scores_by_trying_all_classes(k: int, records: int, data: st.DataObject) -> None:
    score = data.draw(st.integers(0, 20 * k))
    # A score is at least k times the records, so no more than this can be added.
    ways = [
        noise
        for noise in range(max(0, score // k - records + 1))
        if any(discernibility(sizes) == score for sizes in partitions(records + noise, k))
    ]
    assert noise_that_reaches(score, records, k) == ways


@given(k=st.integers(1, 5), more=st.integers(0, 20))
def test_the_least_score_by_trying_all_classes(k: int, more: int) -> None:
    records = k + more
    assert least_score(records, k) == min(map(discernibility, partitions(records, k)))


# -------- Noise --------


def test_lower_bounds_for_noise(paper: Reproduction) -> None:
    totals = list(OCCUPATIONS.values())
    for k, wanted in ((4, 0), (14, 1031), (16, 3806), (18, 4431), (20, 5001)):
        assert least_noise(totals, sum(totals) // k, k, 0.6) == wanted
    (sheet,) = [sheet for sheet in paper.sheets if sheet.name == "least-noise"]
    assert [row[3] for row in sheet.rows][-4:] == [1031, 3806, 4431, 5001]


def test_occupations_are_those_of_the_real_table(shared: Path) -> None:
    from indistinct.sources.files import read_table

    found = read_table(shared / "data" / "adult" / "adult.csv")["occupation"]
    assert Counter(found.to_list()) == Counter(OCCUPATIONS)


# -------- The whole --------


def test_verdicts(paper: Reproduction) -> None:
    assert sum(paper.verdicts.values()) == len(paper.items)
    assert "truncated" not in paper.verdicts
    assert len({(one.where, one.what) for one in paper.items}) == len(paper.items)
    for one in paper.items:
        if one.verdict == "differs":
            assert one.why, one.what
    assert [where for where, _ in paper.left_out] == ["Figures 3 to 7"]


def test_a_page_and_its_files(paper: Reproduction, tmp_path: Path) -> None:
    written = paper.write(tmp_path / "out")
    names = {path.name for path in written}
    assert {"reproduction.md", "items.csv", "classes.csv", "table-11.csv", "replay.csv"} <= names
    assert {"least-noise.svg", "detectors.csv", "values-needed.csv"} <= names
    page = (tmp_path / "out" / "reproduction.md").read_text("utf-8")
    assert "theta-Sensitive k-Anonymity" in page
