"""Average information loss: the paper's table, its properties, and brute force."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.leakage.encoded import encode
from indistinct.analytics.leakage.information_loss import LeakageAnalysis, worst_first
from indistinct.errors import DataError
from indistinct.microdata.encoding import frequency_table
from indistinct.sources.engines import open_table


def analysis_of(frame: pl.DataFrame, weights: str | None = None) -> LeakageAnalysis:
    names = [name for name in frame.columns if name != weights]
    return encode(open_table(frame), names, weights).analysis


# -------- the paper --------


@pytest.fixture(scope="module")
def oracle(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "spec/oracles.json").read_text())["A_000"]
    return found


@pytest.fixture(scope="module")
def table_1(oracle: dict[str, Any]) -> LeakageAnalysis:
    rows = [row for row in oracle["table1"] for _ in range(row["count"])]
    return analysis_of(pl.DataFrame(rows).drop("row", "count"))


def test_table_2(oracle: dict[str, Any], table_1: LeakageAnalysis) -> None:
    assert table_1.records == 60
    assert table_1.entropy == pytest.approx(5.9069, abs=5e-5)
    assert table_1.entropy == pytest.approx(oracle["S0"], abs=1e-12)
    found = {item.attributes[0]: item for item in table_1.singles()}
    assert set(found) == set(oracle["table2"])
    for name, expected in oracle["table2"].items():
        assert found[name].partitions == expected["partitions"]
        assert found[name].loss == pytest.approx(expected["loss"], abs=5e-5)
        assert found[name].normalized == pytest.approx(expected["norm"], abs=5e-5)


def test_the_joint_leakage_of_table_1(oracle: dict[str, Any], table_1: LeakageAnalysis) -> None:
    expected = oracle["joint_Age_Zip_AC"]
    found = table_1.of(["Age", "Zip", "AC"])
    assert found.partitions == expected["partitions"] == 21
    assert found.loss == pytest.approx(expected["loss"], abs=5e-5)
    assert found.normalized == pytest.approx(expected["norm"], abs=5e-5)


def test_cleveland(oracle: dict[str, Any], shared: Path) -> None:
    columns = [
        "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak",
        "slope", "ca", "thal", "num",
    ]  # fmt: skip
    frame = pl.read_csv(
        shared / "data/heart/processed.cleveland.data",
        has_header=False,
        new_columns=columns,
        infer_schema=False,
    ).with_columns((pl.col("num") != "0").alias("num>0"))
    analysis = analysis_of(frame)
    expected = oracle["cleveland"]
    assert analysis.records == expected["n"]
    assert analysis.entropy == pytest.approx(expected["S0"], abs=1e-9)
    for name in ("age", "sex", "chol", "fbs", "num>0"):
        found = analysis.of([name])
        assert found.normalized == pytest.approx(expected["norm"][name], abs=5e-5)
        assert found.partitions == expected["partitions"].get(name, found.partitions)


def test_distinction_and_separation(shared: Path) -> None:
    cases = json.loads((shared / "oracles/arx_small_cases.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "small-16")
    data = case["data"]
    analysis = analysis_of(pl.DataFrame(data["rows"], schema=data["columns"], orient="row"))
    for expected in case["expected_order_and_values"]:
        found = analysis.of(expected["attributes"])
        assert found.distinction == pytest.approx(expected["distinction"])
        assert found.separation == pytest.approx(expected["separation"])
    assert len(case["expected_order_and_values"]) == 7


# -------- the definition, written out --------


def written_out(
    columns: Sequence[Sequence[int]], p: Sequence[float]
) -> tuple[float, float, float, float, list[float]]:
    """S0, Delta S, standard deviation, maximum and loss by record, by the long form."""
    classes: dict[tuple[int, ...], list[int]] = {}
    for record, key in enumerate(zip(*columns, strict=True)):
        classes.setdefault(key, []).append(record)
    whole = -sum(x * math.log2(x) for x in p if x > 0)
    loss = [0.0] * len(p)
    mean = 0.0
    for members in classes.values():
        mass = sum(p[record] for record in members)
        inside = -sum(
            p[record] / mass * math.log2(p[record] / mass) for record in members if p[record] > 0
        )
        for record in members:
            loss[record] = whole - inside
        mean += mass * (whole - inside)
    spread = sum(x * (one - mean) ** 2 for x, one in zip(p, loss, strict=True))
    most = max((one for x, one in zip(p, loss, strict=True) if x > 0), default=0.0)
    return whole, mean, math.sqrt(max(spread, 0.0)), most, loss


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[int]], list[float]]:
    """Columns of small codes, and a weight per record."""
    records = draw(st.integers(1, 14))
    width = draw(st.integers(1, 4))
    columns = [
        draw(st.lists(st.integers(0, top), min_size=records, max_size=records))
        for top in draw(st.lists(st.integers(0, 4), min_size=width, max_size=width))
    ]
    weights = draw(
        st.one_of(
            st.just([1.0] * records),
            st.lists(
                st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.5]), min_size=records, max_size=records
            ).filter(any),
        )
    )
    return columns, weights


def built(columns: list[list[int]], weights: list[float]) -> LeakageAnalysis:
    frame = pl.DataFrame({f"c{place}": column for place, column in enumerate(columns)})
    if len(set(weights)) == 1:
        return analysis_of(frame)
    return analysis_of(frame.with_columns(pl.Series("weight", weights)), "weight")


@given(tables())
@settings(max_examples=150)
def test_every_combination_against_the_long_form(
    table: tuple[list[list[int]], list[float]],
) -> None:
    columns, weights = table
    p = [weight / sum(weights) for weight in weights]
    analysis = built(columns, weights)
    found = {item.attributes: item for item in analysis.combinations(len(columns))}
    assert len(found) == 2 ** len(columns) - 1
    for names, item in found.items():
        chosen = [columns[int(name[1:])] for name in names]
        whole, mean, deviation, most, loss = written_out(chosen, p)
        sizes = Counter(zip(*chosen, strict=True))
        assert analysis.entropy == pytest.approx(whole, abs=1e-9)
        assert item.loss == pytest.approx(mean, abs=1e-9)
        assert item.normalized == pytest.approx(mean / whole if whole else 0, abs=1e-9)
        assert item.deviation == pytest.approx(deviation, abs=1e-6)
        assert item.maximum == pytest.approx(max(most, 0), abs=1e-9)
        assert item.partitions == len(sizes)
        assert item.alone == pytest.approx(sum(n == 1 for n in sizes.values()) / len(p))
        again = analysis.of(names)
        assert again.loss == pytest.approx(item.loss, abs=1e-9)
        by_combination = analysis.loss_of_combinations(names)
        assert max(by_combination) == pytest.approx(max(loss), abs=1e-9)
        # The closed form: the entropy of the partition.
        masses: dict[tuple[int, ...], float] = {}
        for key, x in zip(zip(*chosen, strict=True), p, strict=True):
            masses[key] = masses.get(key, 0.0) + x
        closed = -sum(x * math.log2(x) for x in masses.values() if x > 0)
        assert item.loss == pytest.approx(closed, abs=1e-9)
        assert 0 <= item.loss <= analysis.entropy


@given(tables())
@settings(max_examples=100)
def test_more_attributes_never_leak_less(table: tuple[list[list[int]], list[float]]) -> None:
    columns, weights = table
    found = {item.attributes: item.loss for item in built(columns, weights).combinations(4)}
    for names, loss in found.items():
        for name in names:
            assert loss >= found[(name,)] - 1e-9
            rest = tuple(other for other in names if other != name)
            if rest:
                assert found[rest] - 1e-9 <= loss <= found[rest] + found[(name,)] + 1e-9


@given(tables(), st.lists(st.integers(0, 2), min_size=5, max_size=5))
@settings(max_examples=100)
def test_generalizing_never_leaks_more(
    table: tuple[list[list[int]], list[float]], parent: list[int]
) -> None:
    columns, weights = table
    coarser = [[parent[value] for value in columns[0]], *columns[1:]]
    before, after = built(columns, weights), built(coarser, weights)
    for fine, coarse in zip(before.singles(), after.singles(), strict=True):
        assert coarse.loss <= fine.loss + 1e-9
    names = before.attributes
    assert after.of(names).loss <= before.of(names).loss + 1e-9


@given(tables(), st.integers(1, 4), st.integers(1, 5), st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.0]))
@settings(max_examples=150)
def test_the_worst_and_the_smallest_against_all_subsets(
    table: tuple[list[list[int]], list[float]], most: int, number: int, threshold: float
) -> None:
    columns, weights = table
    analysis = built(columns, weights)
    every = {
        names: analysis.of(names)
        for size in range(1, min(most, len(columns)) + 1)
        for names in itertools.combinations(analysis.attributes, size)
    }
    worst = sorted(every.values(), key=worst_first)[:number]
    assert [item.attributes for item in analysis.top(most, number)] == [
        item.attributes for item in worst
    ]
    alone = {item.attributes[0] for item in analysis.singles() if item.normalized < threshold}
    worst = sorted((every[names] for names in every if set(names) <= alone), key=worst_first)
    assert [item.attributes for item in analysis.top(most, number, below=threshold)] == [
        item.attributes for item in worst[:number]
    ]
    reached = {
        names for names, item in every.items() if item.loss >= threshold * analysis.entropy - 1e-9
    }
    minimal = {
        names
        for names in reached
        if not any(
            part in reached
            for size in range(1, len(names))
            for part in itertools.combinations(names, size)
        )
    }
    assert {item.attributes for item in analysis.minimal_above(threshold, most)} == minimal


# -------- edges --------


def test_a_key_leaks_everything_and_a_constant_nothing() -> None:
    key, constant = analysis_of(pl.DataFrame({"id": range(8), "same": ["x"] * 8})).singles()
    assert (key.loss, key.normalized, key.alone, key.separation) == (3.0, 1.0, 1.0, 1.0)
    assert (constant.loss, constant.partitions, constant.separation) == (0.0, 1, 0.0)


def test_one_record_has_nothing_to_lose() -> None:
    analysis = analysis_of(pl.DataFrame({"a": [1], "b": [2]}))
    assert analysis.entropy == 0
    for item in analysis.combinations(2):
        assert (item.loss, item.normalized, item.maximum) == (0, 0, 0)


def test_an_empty_table() -> None:
    table, _ = frequency_table(
        {"a": np.zeros(0, np.int32)}, {"a": 0}, {}, np.zeros(0, dtype=np.int64)
    )
    analysis = LeakageAnalysis(table)
    (item,) = analysis.combinations(1)
    assert (item.loss, item.partitions, item.alone) == (0, 0, 0)
    assert analysis.of(["a"]).loss == 0


def test_sizes_that_are_asked_for() -> None:
    analysis = analysis_of(pl.DataFrame({name: [1, 2, 3] for name in "abcd"}))
    assert len(list(analysis.combinations(3, least=2))) == 6 + 4
    assert len(list(analysis.combinations(9))) == 15
    assert list(analysis.combinations(0)) == []
    assert analysis.top(2, 0) == []


def test_the_progress_ends_at_everything() -> None:
    analysis = analysis_of(pl.DataFrame({f"c{j}": range(j + 2, j + 9) for j in range(9)}))
    told: list[float] = []
    assert len(list(analysis.combinations(9, progress=told.append))) == 511
    assert told == sorted(told)
    assert 0.85 < told[-1] <= 1
    told.clear()
    analysis.minimal_above(0.5, 9, progress=told.append)
    assert all(0 < share <= 1 for share in told)


def test_some_of_the_attributes() -> None:
    analysis = analysis_of(pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 3, 4], "c": [1, 1, 1, 2]}))
    part = analysis.among(["a", "c"])
    assert part.attributes == ("a", "c")
    assert {item.attributes: item.partitions for item in part.combinations(2)} == {
        ("a",): 2,
        ("c",): 2,
        ("a", "c"): 3,
    }


def test_an_attribute_that_is_not_there() -> None:
    with pytest.raises(DataError, match="did you mean 'age'"):
        analysis_of(pl.DataFrame({"age": [1, 2]})).of(["aeg"])


@settings(max_examples=50)
@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=20)
    )
)
def test_one_more_attribute_leaks_as_all_of_them_do(rows: list[tuple[int, ...]]) -> None:
    names = [f"a{at}" for at in range(len(rows[0]))]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    analysis = encode(open_table(frame), names).analysis
    for size in range(len(names)):
        found = list(analysis.with_one_more(names[:size]))
        assert [item.attributes for item in found] == [
            (*names[:size], name) for name in names[size:]
        ]
        for item in found:
            alone = analysis.of(item.attributes)
            assert item.partitions == alone.partitions
            assert item.loss == pytest.approx(alone.loss, abs=1e-12)
            assert item.separation == pytest.approx(alone.separation, abs=1e-12)
