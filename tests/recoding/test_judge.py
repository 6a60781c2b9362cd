from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import promise
from indistinct.recoding import judge as judging
from indistinct.recoding.judge import Judge

ROWS = st.lists(
    st.tuples(st.sampled_from("ABCDE"), st.sampled_from("xyz")), min_size=1, max_size=40
)


def judge(rows: list[tuple[str, str]], promises: list[Any]) -> tuple[Judge, Microdata]:
    texts = pl.DataFrame(rows, schema={"ward": pl.String, "ill": pl.String}, orient="row")
    wards = Taxonomy("ward", [[ward, "*"] for ward in "ABCDE"])
    data = Microdata.encode(texts, {"ward": wards}, ["ill"])
    return Judge(data.data, promises), data


def distance(values: list[str], whole: list[str]) -> float:
    return sum(abs(values.count(v) / len(values) - whole.count(v) / len(whole)) for v in "xyz") / 2


@settings(max_examples=300)
@given(ROWS, st.sampled_from([0.1, 0.2, 0.35, 0.5]), st.integers(1, 4))
def test_published_classes_are_compared_with_each_other(
    rows: list[tuple[str, str]], t: float, k: int
) -> None:
    asked = [
        promise("k-anonymity", k=k),
        promise("t-closeness", t=t, sensitive="ill"),
    ]
    found, data = judge(rows, asked)
    size = data.data.weight
    broken = found.broken(np.arange(len(size), dtype=np.int32), size)

    groups = {ward: [ill for w, ill in rows if w == ward] for ward in sorted({w for w, _ in rows})}
    left = {ward: values for ward, values in groups.items() if len(values) >= k}
    while True:
        whole = [value for values in left.values() for value in values]
        good = {w: v for w, v in left.items() if distance(v, whole) <= t + 1e-9}
        if good.keys() == left.keys():
            break
        left = good
    assert [ward for ward, bad in zip(groups, broken, strict=True) if not bad] == list(left)


@settings(max_examples=200)
@given(ROWS, st.sampled_from([0.1, 0.2, 0.35, 0.5]))
def test_classes_can_be_compared_with_the_original_table(
    rows: list[tuple[str, str]], t: float
) -> None:
    found, data = judge(rows, [promise("t-closeness", t=t, sensitive="ill", reference="original")])
    size = data.data.weight
    broken = found.broken(np.arange(len(size), dtype=np.int32), size)
    whole = [ill for _, ill in rows]
    for ward, bad in zip(sorted({ward for ward, _ in rows}), broken, strict=True):
        values = [ill for w, ill in rows if w == ward]
        assert bad == (distance(values, whole) > t + 1e-9)


def test_dropped_combinations_are_in_no_class() -> None:
    found, data = judge(
        [("A", "x"), ("A", "y"), ("B", "x")],
        [promise("distinct-l-diversity", l=2, sensitive="ill")],
    )
    one = np.zeros(2, dtype=np.int32)
    everybody = found.broken(one, np.array([3]))
    without = found.broken(one, np.array([1]), np.array([True, False]))
    assert everybody.tolist() == [False]
    assert without.tolist() == [True]
    assert data.data.table.sensitive["ill"].totals.tolist() == [2, 1]


def test_the_population_counts_in_every_class() -> None:
    wards = Taxonomy("ward", [[ward, "*"] for ward in "AB"])
    people = pl.DataFrame({"ward": ["A", "A", "A", "B"]})
    data = Microdata.encode(pl.DataFrame({"ward": ["A", "B"]}), {"ward": wards}, population=people)
    assert data.data.table.population is not None
    found = Judge(data.data, [promise("k-map", k=2)])
    broken = found.broken(np.array([0, 1], dtype=np.int32), np.array([1, 1]))
    assert broken.tolist() == [False, True]
    assert found.broken(np.array([0, 0], dtype=np.int32), np.array([2])).tolist() == [False]


@settings(max_examples=200)
@given(
    rows=ROWS,
    drops=st.lists(st.booleans(), min_size=5, max_size=5),
    groups=st.lists(st.integers(0, 5), min_size=5, max_size=5),
    model=st.sampled_from(
        [
            ("t-closeness", {"t": 0.3}),
            ("t-closeness", {"t": 0.3, "reference": "original"}),
            ("distinct-l-diversity", {"l": 2}),
            ("p-plus-sensitive", {"p": 2}),
            ("theta-sensitive", {"k": 3, "mu": 0.5}),
            ("knm-anonymity", {"k": {"1": 4, "3": 2}, "diversity": True}),
            ("max-posterior", {"bound": 0.6}),
        ]
    ),
    room=st.integers(1, 20),
)
def test_classes_are_judged_alike_a_part_at_a_time(
    rows: list[tuple[str, str]],
    drops: list[bool],
    groups: list[int],
    model: tuple[str, dict[str, Any]],
    room: int,
) -> None:
    name, parameters = model
    texts = pl.DataFrame(rows, schema={"ward": pl.String, "ill": pl.String}, orient="row")
    wards = Taxonomy("ward", [[ward, "*"] for ward in "ABCDE"])
    known = ValueMetadata(
        categories={"x": "low", "y": "low", "z": "high"},
        category_order=("low", "high"),
        ranks={"x": 3, "y": 3, "z": 1},
    )
    data = Microdata.encode(texts, {"ward": wards}, ["ill"]).knowing({"ill": known}).data
    asked = [promise("k-anonymity", k=2), promise(name, **parameters, sensitive="ill")]
    found = Judge(data, asked)
    rows_there = len(data.weight)
    class_of = np.array(groups[:rows_there], dtype=np.int32)
    dropped = np.array(drops[:rows_there])
    kept = np.where(dropped, 0, data.weight)
    size = np.bincount(class_of, weights=kept, minlength=6).astype(np.int64)
    whole = found.broken(class_of, size, dropped)
    alone = found.breaks(asked[1], class_of, size, dropped)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "CELLS", room)
        patch.setattr(judging, "TOGETHER", 1 + room // 4)
        assert found.broken(class_of, size, dropped).tolist() == whole.tolist()
        assert found.breaks(asked[1], class_of, size, dropped).tolist() == alone.tolist()


def test_many_values_in_many_classes_take_little_room() -> None:
    people = 40_000
    texts = pl.DataFrame({"ward": ["A"] * people, "ill": [str(at) for at in range(people)]})
    wards = Taxonomy("ward", [["A", "*"]])
    data = Microdata.encode(texts, {"ward": wards}, ["ill"], by_record=True).data
    found = Judge(data, [promise("distinct-l-diversity", l=2, sensitive="ill")])
    class_of = (np.arange(people) // 2).astype(np.int32)  # 20,000 classes: 6 GB of counts
    size = np.full(people // 2, 2)
    assert not found.broken(class_of, size).any()
    class_of[1] = 1
    assert found.broken(class_of, size).nonzero()[0].tolist() == [0]
