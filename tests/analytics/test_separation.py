"""Separation and distinction against their definitions."""

from __future__ import annotations

import itertools
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics import separation
from indistinct.analytics.encoded import encode
from indistinct.analytics.leakage import LeakageAnalysis
from indistinct.analytics.separation import best, separations, smallest_key
from indistinct.sources.files import read_table
from indistinct.sources.table import open_table


def analysis(frame: pl.DataFrame) -> LeakageAnalysis:
    return encode(open_table(frame), frame.columns).analysis


TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from("abc"), min_size=width, max_size=width), min_size=2, max_size=12
    )
).map(
    lambda rows: pl.DataFrame(
        rows, schema=[f"c{at}" for at in range(len(rows[0]))], orient="row"
    )
)  # fmt: skip


def by_hand(frame: pl.DataFrame, attributes: tuple[str, ...]) -> tuple[float, float]:
    rows = frame.select(attributes).rows()
    pairs = list(itertools.combinations(rows, 2))
    return len(set(rows)) / len(rows), sum(one != other for one, other in pairs) / len(pairs)


@settings(max_examples=60)
@given(TABLES)
def test_every_set_as_defined(frame: pl.DataFrame) -> None:
    found = separations(analysis(frame))
    assert len(found) == 2**frame.width - 1
    for item in found:
        distinction, separated = by_hand(frame, item.attributes)
        assert item.distinction == pytest.approx(distinction)
        assert item.separation == pytest.approx(separated)
    assert [item.separation for item in found] == sorted(
        (item.separation for item in found), reverse=True
    )


@settings(max_examples=60)
@given(
    TABLES, st.sampled_from([0.3, 0.6, 0.9, 1.0]), st.sampled_from(["separation", "distinction"])
)
def test_the_smallest_key(frame: pl.DataFrame, share: float, by: separation.Figure) -> None:
    place = 0 if by == "distinction" else 1
    sizes = [
        size
        for size in range(1, frame.width + 1)
        for chosen in itertools.combinations(frame.columns, size)
        if by_hand(frame, chosen)[place] >= share - 1e-9
    ]
    found = smallest_key(analysis(frame), share, by)
    assert (found is None) == (not sizes)
    if found is not None:
        assert len(found.attributes) == min(sizes)
        assert found.exact
        assert getattr(found, by) >= share - 1e-9


@settings(max_examples=40)
@given(TABLES, st.integers(0, 5))
def test_the_best_of_a_size(frame: pl.DataFrame, size: int) -> None:
    found = best(analysis(frame), size)
    size = min(size, frame.width)
    assert len(found.attributes) == size
    if size:
        most = max(by_hand(frame, c)[1] for c in itertools.combinations(frame.columns, size))
        assert found.separation == pytest.approx(most)


def test_of_many_sets_one_attribute_is_added_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame(
        {
            name: [str(at % step) for at in range(60)]
            for name, step in zip("abcd", (2, 3, 4, 5), strict=True)
        }
    )
    exact = best(analysis(frame), 2)
    monkeypatch.setattr(separation, "ENUMERATED", 3)
    greedy = best(analysis(frame), 2)
    assert not greedy.exact
    assert greedy.separation <= exact.separation
    key = smallest_key(analysis(frame))
    assert key is not None
    assert key.separation == 1.0
    assert set(key.to_dict()) == {"attributes", "classes", "distinction", "separation", "exact"}


def test_all_subsets_of_adult(shared: Path) -> None:
    table = open_table(read_table(shared / "data" / "adult" / "adult_subset.csv"))
    adult = encode(table, table.columns).analysis
    found = separations(adult)
    assert len(found) == 2 ** len(table.columns) - 1
    assert found[0].attributes[0] in table.columns
