"""Separation and distinction against their definitions."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.leakage import separation
from indistinct.analytics.leakage.encoded import encode
from indistinct.analytics.leakage.information_loss import LeakageAnalysis
from indistinct.analytics.leakage.separation import best
from indistinct.sources.engines import open_table


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
    assert set(greedy.to_dict()) == {"attributes", "classes", "distinction", "separation", "exact"}
