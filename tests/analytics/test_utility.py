"""What a release is worth: figures known beforehand, by hand and from papers."""

from __future__ import annotations

import json
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.published import Original, PublishedRows, read_cells, read_rows
from indistinct.analytics.utility.figures import Utility, c_avg, dcp, least_dcp, ncp_of_cells
from indistinct.demo import POLICY, discharges
from indistinct.errors import DataError
from indistinct.hierarchies.taxonomy import Taxonomy

DISEASE = Taxonomy(
    "disease",
    [
        ("flu", "lung", "*"), ("asthma", "lung", "*"), ("hepatitis", "gut", "*"),
        ("ulcer", "gut", "*"), ("gastritis", "gut", "*"),
    ],
)  # fmt: skip


def flat(name: str, *values: str | None) -> Taxonomy:
    chains = [(value, "*") for value in values if value is not None]
    return Taxonomy(name, chains).extended("value" if None in values else None)


def table(**columns: list[str | None]) -> Original:
    texts = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    known = {"disease": DISEASE}
    taxonomies = {
        name: known.get(name) or flat(name, *dict.fromkeys(texts[name])) for name in columns
    }
    return Original.of(texts, taxonomies)


def released(original: Original, **columns: list[str | None]) -> PublishedRows:
    return read_rows(original, pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)))


def costs(original: Original, name: str, *labels: str | None) -> list[float]:
    domain = original.domains[name]
    cells, unread = read_cells(domain, labels)
    assert not unread.any()
    found: list[float] = ncp_of_cells(domain, cells).tolist()
    return found


# The eight people of table 4 of Fazal and others (2023), and the classes that cost them least.
PEOPLE: dict[str, list[str | None]] = {
    "age": ["40", "45", "45", "38", "42", "40", "45", "32"],
    "zip": ["2139", "2545", "2238", "2843", "2341", "2548", "2544", "2538"],
    "gender": ["F", "M", "F", "M", "F", "M", "F", "M"],
}
CLASSES: dict[str, list[str | None]] = {
    "age": ["[40, 42]", "[40, 45]", "45", "[32, 38]"] * 2,
    "zip": ["[2139, 2341]", "[2545, 2548]", "[2238, 2544]", "[2538, 2843]"] * 2,
    "gender": PEOPLE["gender"],
}


def test_penalties_of_the_published_tables(shared: Path) -> None:
    known = json.loads((shared / "spec/oracles.json").read_text())["C_003"]
    for name, classes in known["tables"].items():
        sizes = np.array([len(part) for part in classes["classes"]])
        if name in known["dcp"]:
            assert dcp(sizes) == known["dcp"][name]
        if name in known["cavg"]:
            assert c_avg(sizes, classes["k"]) == pytest.approx(Fraction(known["cavg"][name]))
    for k, row in known["table11"].items():
        assert least_dcp(160_150, int(k)) == row["min_dcp_160150"]


@given(st.integers(1, 60), st.integers(1, 8))
def test_the_least_penalty_is_the_least(records: int, k: int) -> None:
    if records < k:
        with pytest.raises(ValueError, match="at least k"):
            least_dcp(records, k)
        return
    best = [0, *[10**9] * records]
    for n in range(1, records + 1):
        for size in range(k, n + 1):
            best[n] = min(best[n], best[n - size] + size * size)
    assert least_dcp(records, k) == best[records]


def test_eight_people_in_pairs(shared: Path) -> None:
    known = json.loads((shared / "spec/oracles.json").read_text())["D_004"]["ncp"]
    original = table(**PEOPLE)
    utility = Utility(original, released(original, **CLASSES), k=2)
    assert utility.ncp.total == pytest.approx(known["total_float"])
    assert utility.ncp.normalized == pytest.approx(known["normalised"])
    per_tuple = sorted(float(Fraction(value)) for value in known["per_tuple"].values())
    assert sorted(utility.ncp.of_class) == pytest.approx(per_tuple)
    assert (utility.dcp, utility.dcp_least, utility.c_avg) == (16, 16, 1.0)
    assert utility.suppressed == 0
    assert utility.noise_ratio is None


def test_each_kind_of_cell() -> None:
    original = table(age=["20", "30", "60", None], disease=["flu", "asthma", "ulcer", "flu"])
    assert costs(original, "age", "20", None, "[20, 30]", "[20, 60]", "*", "[0, 40]", "25") == [
        0.0, 0.0, 0.25, 1.0, 1.0, 0.5, 0.0,
    ]  # fmt: skip
    assert costs(original, "age", "{20, 60}", '{"[20, 30]", missing}') == [2 / 4, 3 / 4]
    assert costs(original, "disease", "flu", "lung", "gut", "*", "{flu, ulcer}") == [
        0.0, 2 / 5, 3 / 5, 1.0, 2 / 5,
    ]  # fmt: skip


def test_nodes_of_numbers_are_ranges_where_they_have_no_holes() -> None:
    chains = [("1", "low", "*"), ("2", "low", "*"), ("4", "high", "*"), ("8", "high", "*")]
    original = Original.of(pl.DataFrame({"x": ["1", "2", "4", "8"]}), {"x": Taxonomy("x", chains)})
    assert costs(original, "x", "low", "high") == [1 / 7, 4 / 7]
    crossed = [("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*"), ("4", "even", "*")]
    original = Original.of(pl.DataFrame({"x": ["1", "2", "3", "4"]}), {"x": Taxonomy("x", crossed)})
    assert costs(original, "x", "odd", "even") == [2 / 4, 2 / 4]


def test_weights_and_records_left_out() -> None:
    original = table(age=["20", "30", "60", "20"], disease=["flu", "asthma", "ulcer", "flu"])
    rows = released(original, age=["[20, 30]", "[20, 30]", "*"], disease=["lung", "lung", "*"])
    assert rows.class_of.tolist() == [0, 0, -1]
    utility = Utility(original, rows, weights={"age": 2.0})
    assert (rows.rows, rows.kept, utility.suppressed) == (3, 2, 2)
    assert utility.ncp.of_class.tolist() == [2 * 0.25 + 2 / 5]
    assert utility.ncp.per_attribute == {"age": (0.5 + 2) / 4, "disease": (0.8 + 2) / 4}
    assert utility.ncp.total == pytest.approx(2 * 2.5 + 2.8)
    assert utility.ncp.normalized == pytest.approx(7.8 / 12)
    assert utility.missings == 0.5
    assert utility.discernibility == 4 + 2 * 4
    assert utility.c_avg is None
    assert utility.dcp_least is None


def test_what_was_added_does_not_hide_what_was_suppressed() -> None:
    original = table(age=["20", "30", "60", "20"])
    rows = released(original, age=["[20, 30]"] * 4)
    assert Utility(original, rows).suppressed == 0
    assert Utility(original, rows, added=1).suppressed == 1
    assert Utility(original, rows, added=1).noise_ratio == 0.25
    assert Utility(original, rows, added=1).records == 5


def test_the_table_itself_loses_nothing() -> None:
    original = table(**PEOPLE)
    utility = Utility(original, released(original, **PEOPLE), k=2)
    assert utility.ncp.total == 0
    assert set(utility.loss.values()) == {0.0}
    assert set(utility.quality.values()) == {1.0}


def test_nothing_is_left() -> None:
    original = table(**PEOPLE)
    for stars in (0, 8):
        rows = released(original, **{name: ["*"] * stars for name in PEOPLE})
        utility = Utility(original, rows, k=2)
        assert (utility.suppressed, utility.dcp, utility.c_avg) == (8, 0, None)
        assert utility.ncp.normalized == 1.0
        assert set(utility.loss.values()) == {1.0}
        assert set(utility.quality.values()) == {0.0}
        assert utility.to_dict()["classes"]["smallest"] is None


def test_quality_of_ages_in_ranges(shared: Path) -> None:
    known = json.loads((shared / "spec/oracles.json").read_text())["B_001"]
    expected = known["arx_quality_age_TableII_to_III"]
    ages = ["23", "24", "27", "29", "31", "33", "36", "38", "41", "44", "46", "49"]
    original = table(age=list(ages))
    pairs = [f"[{low}, {high}]" for low, high in zip(ages[::2], ages[1::2], strict=True)]
    quality = Utility(original, released(original, age=[*pairs, *pairs])).quality
    assert quality["granularity"] == pytest.approx(expected["granularity"])
    assert quality["discernibility"] == pytest.approx(expected["discernibility_quality"])
    assert quality["average_class_size"] == pytest.approx(expected["aecs_quality"])


@pytest.mark.parametrize("method", [{"suppression_limit": 0.05}, {"local_recoding": True}])
def test_the_run_says_the_same_of_itself(method: dict[str, object]) -> None:
    frame = discharges(600)
    keys = ind.Policy.from_dict(tomllib.loads(POLICY)).to_dict()
    policy = ind.Policy.from_dict(keys | {"method": {"suppression_limit": 0.05} | method})
    release = ind.anonymize(frame, policy)
    from indistinct.intake.hierarchies import taxonomies_of
    from indistinct.sources.engines import open_table

    opened = open_table(frame)
    texts = opened.text(policy.quasi_identifiers)
    original = Original.of(texts, taxonomies_of(opened, policy, texts, None, None))
    published = open_table(release.tables).text(policy.quasi_identifiers)
    utility = Utility(original, read_rows(original, published))
    assert utility.suppressed == release.run.suppressed
    assert utility.mean_loss == pytest.approx(release.measures["loss-arithmetic"])
    worst = float(original.records)
    assert utility.discernibility / worst**2 == pytest.approx(release.measures["discernibility"])
    assert utility.average_class_size / worst == pytest.approx(
        release.measures["average-class-size"]
    )


def test_intervals_of_others_are_read_where_nobody_is_in_them_too() -> None:
    original = table(age=["20", "30"], disease=["flu", "ulcer"])
    read = released(original, age=["[20, 25)", "[25, 30)", "*"], disease=["flu", "flu", "*"])
    cells = read.cells[0]
    own = [cells.labels.index(cell) for cell in ("[20, 25)", "[25, 30)")]
    assert cells.low[own[0]] == cells.high[own[0]] == 20
    assert np.isnan(cells.low[own[1]])
    assert cells.indptr[own[1]] == cells.indptr[own[1] + 1]


def test_cells_of_others_that_cannot_be_read_are_told() -> None:
    original = table(age=["20", "30"], disease=["flu", "ulcer"])
    with pytest.raises(DataError) as raised:
        released(original, age=["[20, 25[", "[25, 30[", "*"], disease=["flu", "gastro", "gastro"])
    first, second = raised.value.problems
    assert (first.attribute, first.rows) == ("age", (1, 2))
    assert first.message.startswith("2 published different texts are neither")
    assert "2 of 3 records" in first.message
    assert (second.attribute, second.rows) == ("disease", (2, 3))
    assert "gastro" not in str(raised.value)
    assert "25[" not in first.message


@pytest.mark.parametrize(
    ("weights", "k", "says"),
    [
        ({"agee": 1.0}, None, "did you mean 'age'"),
        ({"age": -1.0}, None, "finite and not negative"),
        ({"age": 0.0}, None, "at least above 0"),
        ({}, 0, "k must be 1 or more"),
    ],
)
def test_settings_out_of_range(weights: dict[str, float], k: int | None, says: str) -> None:
    original = table(age=["20", "30"])
    with pytest.raises(DataError, match=says):
        Utility(original, released(original, age=["20", "30"]), weights=weights, k=k)
