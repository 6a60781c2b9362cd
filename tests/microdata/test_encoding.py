"""Texts become codes, rows become combinations, and nothing is lost on the way."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import brute_force

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.encoding import (
    codes_in,
    count_combinations,
    distinct_rows,
    leaf_codes,
    numbers_of_combinations,
)
from indistinct.microdata.microdata import Microdata, distinct_values

LABELS = st.one_of(st.none(), st.sampled_from(["a", "b", "ä", "*", " ", "10", "null", "None"]))


@settings(max_examples=60)
@given(
    st.lists(LABELS, max_size=12),
    st.lists(LABELS, unique=True, max_size=9),
)
def test_codes_are_places_in_the_domain(values: list[str | None], domain: list[str | None]) -> None:
    found = codes_in(pl.Series(values, dtype=pl.String), domain)
    assert found.dtype == np.int32
    assert found.tolist() == [domain.index(value) if value in domain else -1 for value in values]


def test_what_a_taxonomy_does_not_cover_has_no_code() -> None:
    taxonomy = Taxonomy("q", [("a", "*"), ("b", "*")])
    column = pl.Series(["b", "z", None, "a"])
    assert leaf_codes(column, taxonomy).tolist() == [1, -1, -1, 0]
    assert leaf_codes(column, taxonomy.extended("value", ["z"])).tolist() == [1, 3, 2, 0]
    suppressed = taxonomy.extended("suppress")
    assert leaf_codes(column, suppressed).tolist() == [1, -1, 2, 0]


@settings(max_examples=80)
@given(st.data())
def test_combinations_are_counted_and_sorted(data: st.DataObject) -> None:
    attributes = data.draw(st.integers(1, 4))
    domains = [data.draw(st.sampled_from([1, 2, 5, 70_000, 1 << 30])) for _ in range(attributes)]
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows = data.draw(st.integers(0, 50))
    columns = [
        np.minimum(random.integers(0, 3, rows) * (domain // 3 + 1), domain - 1).astype(np.int32)
        for domain in domains
    ]
    weight = random.integers(1, 1 << 40, rows)
    codes, total, combination_of = count_combinations(columns, domains, weight)
    expected: Counter[tuple[int, ...]] = Counter()
    for row in range(rows):
        expected[tuple(int(column[row]) for column in columns)] += int(weight[row])
    order = sorted(expected)
    assert list(zip(*[column.tolist() for column in codes], strict=True)) == order
    assert total.tolist() == [expected[key] for key in order]
    assert combination_of.tolist() == [
        order.index(tuple(int(column[row]) for column in columns)) for row in range(rows)
    ]


@pytest.mark.parametrize("weights", ["each its own", "of two each", "of one each"])
@pytest.mark.parametrize("values", [3, 4000, 1 << 20])
def test_many_rows_are_counted_whether_or_not_they_differ(values: int, weights: str) -> None:
    random = np.random.default_rng(values)
    rows = random.integers(0, values, (20_000, 2)) % [values, 7]
    weight = random.integers(0, 1 << 40, len(rows))
    if weights != "each its own":
        weight = np.broadcast_to(np.int64(1 + (weights == "of two each")), len(rows))
    columns = [column.astype(np.int32) for column in rows.T]
    codes, total, combination_of = count_combinations(columns, [values, 7], weight)
    found, place = np.unique(rows, axis=0, return_inverse=True)
    expected = np.zeros(len(found), np.int64)
    np.add.at(expected, place.ravel(), weight)
    np.testing.assert_array_equal(np.column_stack(codes), found)
    np.testing.assert_array_equal(total, expected)
    np.testing.assert_array_equal(combination_of, place.ravel())
    np.testing.assert_array_equal(
        numbers_of_combinations(columns, [values, 7], weight), place.ravel()
    )


def test_rows_that_mostly_differ_are_numbered_in_little_memory() -> None:
    rows = 400_000
    columns = [np.random.default_rng(1).permutation(rows).astype(np.int32)]
    weight = np.broadcast_to(np.int64(1), rows)
    most = {}
    for numbered in (numbers_of_combinations, count_combinations):
        tracemalloc.start()
        numbered(columns, [rows], weight)
        most[numbered.__name__] = tracemalloc.get_traced_memory()[1] / rows
        tracemalloc.stop()
    assert most["numbers_of_combinations"] < 24  # bytes of a row
    assert most["count_combinations"] < 32


def test_without_quasi_identifiers_all_records_are_one_combination() -> None:
    codes, total, combination_of = count_combinations([], [], np.array([2, 3]))
    assert codes == []
    assert total.tolist() == [5]
    assert combination_of.tolist() == [0, 0]
    assert numbers_of_combinations([], [], np.array([2, 3])).tolist() == [0, 0]


@settings(max_examples=60)
@given(brute_force.cases())
def test_a_table_is_the_same_in_any_order_and_however_it_is_counted(
    case: brute_force.Case,
) -> None:
    first = brute_force.microdata(case).data.table
    texts = brute_force.texts(case)
    repeated = texts[np.repeat(np.arange(texts.height), case.weights)].reverse()
    second = Microdata.encode(repeated, brute_force.taxonomies(case), ["s"]).data.table
    assert first.attributes == second.attributes == case.names
    assert first.records == second.records == case.records
    assert first.weight.tolist() == second.weight.tolist()
    for one, other in zip(first.codes, second.codes, strict=True):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype == np.uint8
    one, other = first.sensitive["s"], second.sensitive["s"]
    assert one.domain == other.domain
    assert one.indptr.tolist() == other.indptr.tolist()
    assert one.value.tolist() == other.value.tolist()
    assert one.count.tolist() == other.count.tolist()
    assert np.add.reduceat(one.count, one.indptr[:-1]).tolist() == first.weight.tolist()


def test_distinct_values_are_sorted_with_the_missing_last() -> None:
    column = pl.Series(["b", None, "a", "b", None, "b"])
    assert distinct_values(column) == (("a", "b", None), (1, 3, 2))
    weight = np.array([1, 10, 100, 1000, 10_000, 100_000])
    assert distinct_values(column, weight) == (("a", "b", None), (100, 101_001, 10_010))
    assert distinct_values(pl.Series([], dtype=pl.String)) == ((), ())


@given(st.integers(0, 20), st.integers(0, 18), st.integers(0, 999))
def test_distinct_rows_are_numbered(rows: int, columns: int, seed: int) -> None:
    codes = np.random.default_rng(seed).integers(0, 2, (rows, columns))
    distinct, number = distinct_rows(codes, 2)
    assert (distinct[number] == codes).all()
    assert len(np.unique(distinct, axis=0)) == len(distinct) == len(set(map(tuple, codes)))
