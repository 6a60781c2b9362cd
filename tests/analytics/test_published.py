"""Which values published cells stand for, whoever published them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.published import Original, read_cells, read_rows
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.measures.certainty import Domain
from indistinct.microdata.microdata import Microdata
from indistinct.recoding.cells import cells_of
from indistinct.recoding.plan import SearchReport
from indistinct.recoding.styles import STYLES

FOUND = SearchReport("by hand", "none", "none", 0.0, False, 0.0, 0, 0, 0.0)

AGES = Taxonomy("age", [(str(age), f"{age // 4 * 4} up", "*") for age in (1, 2, 4, 5, 8, 13)])
WARDS = Taxonomy("ward", [("A", "top", "*"), ("B", "top", "*"), ("C", "low", "*")])


@st.composite
def classes(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, Taxonomy], list[int]]:
    """A table, its hierarchies, and the class of every record."""
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from([*AGES.leaves, None, "odd"]),
                st.sampled_from([*WARDS.leaves, None]),
            ),
            min_size=1,
            max_size=12,
        )
    )
    frame = pl.DataFrame(rows, schema={"age": pl.String, "ward": pl.String}, orient="row")
    taxonomies = {
        "age": AGES.extended(draw(st.sampled_from(["value", "suppress"])), ["odd"]),
        "ward": WARDS.extended("value"),
    }
    return frame, taxonomies, [draw(st.integers(-1, 3)) for _ in rows]


@settings(max_examples=120)
@given(classes(), st.sampled_from(list(STYLES)), st.sampled_from(["set", "ancestor", "level"]))
def test_cells_of_partitions_are_read_as_they_were_meant(
    drawn: tuple[pl.DataFrame, dict[str, Taxonomy], list[int]], age: str, ward: str
) -> None:
    frame, taxonomies, groups = drawn
    encoded = Microdata.encode(frame, taxonomies)
    class_of = np.full(encoded.data.table.combinations, -1, dtype=np.int32)
    class_of[encoded.combination_of] = groups
    plan = cells_of(encoded.data, class_of, {"age": age, "ward": ward}, FOUND)
    original = Original.of(frame, taxonomies)
    published = {}
    for at, (name, domain) in enumerate(original.domains.items()):
        cells, unread = read_cells(domain, plan.texts[at])
        assert not unread.any()
        if plan.groups:
            assert cells.covered.tolist() == plan.covered[at].tolist()
        labels = [*plan.labels(encoded.data, at), "*"]
        shown = plan.cells(encoded.data, at)[encoded.combination_of]
        published[name] = [labels[place] for place in shown.tolist()]
    rows = read_rows(original, pl.DataFrame(published, schema=frame.schema))
    kept = ~plan.suppressed[encoded.combination_of]
    assert rows.kept == kept.sum()
    assert ((rows.class_of >= 0) == kept).all()


@given(
    st.lists(
        st.sampled_from(
            ["1", "2", "13", "0 up", "4 up", "*", None, "[2, 5]", "[0, 99]", "{1, 13}",
             '{"[4, 8]", missing}', "7", "2.5", "[50, 60]"]
        ),
        unique=True,
    )
)  # fmt: skip
def test_intervals_and_leaves_are_the_same_values(labels: list[Label]) -> None:
    taxonomy = AGES.extended("value")
    domain = Domain(taxonomy, np.ones(len(taxonomy.leaves), dtype=np.int64))
    cells, unread = read_cells(domain, labels)
    assert not unread.any()
    coverage = Coverage(taxonomy)
    assert domain.numbers is not None
    for at, label in enumerate(labels):
        mask = coverage.mask(label)
        if cells.intervals[at]:
            inside = (domain.numbers >= cells.low[at]) & (domain.numbers <= cells.high[at])
            if label == "*":
                inside |= np.isnan(domain.numbers)
            assert (inside == mask).all()
            assert cells.indptr[at] == cells.indptr[at + 1]
        else:
            held = cells.leaves[cells.indptr[at] : cells.indptr[at + 1]]
            assert np.flatnonzero(mask).tolist() == held.tolist()
        assert cells.covered[at] == max(mask.sum(), 1)


@pytest.mark.parametrize(
    ("values", "numeric", "whole"),
    [
        (["1", "2", None], True, True),
        (["1", "2.5"], True, False),
        (["1", "two"], False, False),
        ([None], False, False),
    ],
)
def test_what_is_a_number(values: list[Label], numeric: bool, whole: bool) -> None:
    chains = [(value, "*") for value in values if value is not None]
    taxonomy = Taxonomy("x", chains or [("1", "*")]).extended("value" if None in values else None)
    original = Original.of(pl.DataFrame({"x": values}, schema={"x": pl.String}), {"x": taxonomy})
    domain = original.domains["x"]
    assert (domain.numbers is not None) == numeric
    assert domain.whole == whole
    assert np.isnan(domain.span[0]) != numeric


def test_values_that_do_not_occur_do_not_widen_the_range() -> None:
    original = Original.of(pl.DataFrame({"age": ["2", "8"]}), {"age": AGES})
    assert original.domains["age"].span == (2.0, 8.0)
    assert (original.records, original.combinations) == (2, 2)


def test_rows_and_their_classes() -> None:
    frame = pl.DataFrame({"age": ["1", "2", "13", "1"], "ward": ["A", "B", "C", "A"]})
    original = Original.of(frame, {"age": AGES, "ward": WARDS})
    assert original.combinations == 3
    shown = pl.DataFrame({"age": ["[1, 2]", "*", "*", "[1, 2]"], "ward": ["top", "*", "C", "top"]})
    rows = read_rows(original, shown)
    assert (rows.rows, rows.kept, rows.classes) == (4, 3, 2)
    assert sorted(rows.size.tolist()) == [1, 2]
    assert rows.class_of[1] == -1
    assert rows.class_of[0] == rows.class_of[3] != rows.class_of[2]
    weighed = Original.of(frame, {"age": AGES, "ward": WARDS}, np.array([1, 1, 1, 7]))
    assert weighed.records == 10
    assert weighed.combinations == 3
