"""Decoys enlarge the smallest classes, show nothing new, and copy nobody."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.release.decoys import Decoyed, Insertion, with_decoys


def released(sizes: list[int], seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    rows = [
        (f"group {at}", "*" if at == 0 else "x", ward, int(cost))
        for at, size in enumerate(sizes)
        for ward, cost in zip(
            random.choice(["a", "b", "c"], size), random.integers(0, 9, size), strict=True
        )
    ]
    return pl.DataFrame(rows, schema=["age", "sex", "ward", "cost"], orient="row")


def enlarge(frame: pl.DataFrame, **changes: Any) -> Decoyed:
    asked: dict[str, Any] = {"to": 8, "limit": 1.0, "random": np.random.default_rng(5)} | changes
    insertion = Insertion(
        asked.pop("random"), asked.pop("fresh", ()), shuffle=asked.pop("shuffle", True)
    )
    return with_decoys(frame, ["age", "sex"], insertion=insertion, **asked)


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(3, 12), min_size=1, max_size=5),
    to=st.integers(2, 12),
    shuffle=st.booleans(),
    seed=st.integers(0, 99),
)
def test_decoys_show_only_what_their_class_shows(
    sizes: list[int], to: int, shuffle: bool, seed: int
) -> None:
    frame = released(sizes, seed)
    done = enlarge(frame, to=to, shuffle=shuffle, random=np.random.default_rng(seed))
    decoys = done.frame[[place - 1 for place in done.places]]
    real = done.frame.with_row_index().filter(
        ~pl.col("index").is_in(pl.Series([place - 1 for place in done.places], dtype=pl.UInt32))
    )
    assert Counter(real.drop("index").rows()) == Counter(frame.rows())
    if not shuffle:
        assert real.drop("index").equals(frame)
    published = set(frame.rows())
    for age, sex, ward, cost in decoys.rows():
        members = frame.filter(pl.col("age") == age)
        assert sex in members["sex"].to_list()
        assert ward in members["ward"].to_list()
        assert cost in members["cost"].to_list()
        offers = members["ward"].n_unique() * members["cost"].n_unique()
        if offers > 3 * members.height:
            assert (age, sex, ward, cost) not in published
    before, after = (Counter(table["age"].to_list()) for table in (frame, done.frame))
    assert all(after[age] <= max(before[age], to) for age in before)
    assert (done.short > 0) == any(after[age] < to for age in before)


def test_the_limit_of_decoys_is_kept() -> None:
    done = enlarge(released([4, 4, 4, 30]), to=20, limit=0.1)
    assert 0 < len(done.places) <= 0.1 * done.frame.height
    assert done.short > 0


def test_the_smallest_class_comes_first() -> None:
    done = enlarge(released([7, 4, 30]), to=8, limit=4 / 45)
    assert Counter(done.frame["age"].to_list())["group 1"] == 8


def test_where_a_class_offers_nothing_else_a_decoy_equals_a_record() -> None:
    frame = pl.DataFrame({"age": ["30"] * 3, "sex": ["f"] * 3, "ward": ["a"] * 3})
    for table in (frame, frame.drop("ward")):
        done = enlarge(table)
        assert (len(done.places), done.short) == (5, 0)
        assert done.frame.unique().equals(table.unique())
    wards = frame.with_columns(ward=pl.Series(["a", "b", "c"]))
    assert set(enlarge(wards, to=40).frame["ward"]) == {"a", "b", "c"}


def test_suppressed_records_are_no_class() -> None:
    frame = pl.DataFrame(
        {"age": ["*"] * 3, "sex": ["*"] * 3, "ward": ["a", "b", "c"], "cost": [1, 2, 3]}
    )
    assert enlarge(frame).places == ()


def test_pseudonyms_of_decoys_are_their_own() -> None:
    frame = (
        released([3, 9])
        .with_row_index("name")
        .with_columns(("0123456789ab" + pl.col("name").cast(pl.String).str.zfill(4)).alias("name"))
    )
    done = enlarge(frame, fresh=["name"])
    assert done.places
    assert done.frame["name"].n_unique() == done.frame.height
    assert set(done.frame["name"].str.len_chars().to_list()) == {16}


def test_the_same_generator_makes_the_same_decoys() -> None:
    first, second = (enlarge(released([3, 9])) for _ in range(2))
    assert first.frame.equals(second.frame)
    assert first.places == second.places
    assert not enlarge(released([3, 9]), random=np.random.default_rng(6)).frame.equals(first.frame)


@pytest.mark.parametrize("to", [2, 3])
def test_classes_that_are_large_enough_stay(to: int) -> None:
    frame = released([3, 9])
    assert enlarge(frame, to=to).frame.equals(frame)


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(3, 9), min_size=1, max_size=5),
    most=st.integers(0, 9),
    seed=st.integers(0, 99),
)
def test_decoys_that_break_a_promise_are_left_out(sizes: list[int], most: int, seed: int) -> None:
    frame = released(sizes, seed)

    def keeps(with_some: pl.DataFrame) -> bool:  # at most so many more in one of the wards
        return len(with_some.filter(ward="a")) - len(frame.filter(ward="a")) <= most

    def enlarged(**changes: Any) -> Decoyed:
        return enlarge(frame, random=np.random.default_rng(seed), **changes)

    every, some = enlarged(), enlarged(keeps=keeps)
    assert keeps(some.frame)
    assert some.left_out == len(every.places) - len(some.places)
    assert some.short >= every.short
    before, after = (Counter(table["age"].to_list()) for table in (frame, some.frame))
    assert some.short == sum(0 < before[age] < 8 and after[age] < 8 for age in before)
    assert Counter(frame.rows()) <= Counter(some.frame.rows()) <= Counter(every.frame.rows())
    if keeps(every.frame):
        assert some.frame.equals(every.frame)
    decoys = every.frame[[place - 1 for place in every.places]]
    if (decoys["ward"] != "a").any():  # found within the looks there are
        assert some.places
    assert enlarged(keeps=lambda _: False).frame.equals(frame)
