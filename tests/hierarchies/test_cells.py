from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from indistinct.hierarchies.cells import (
    Coverage,
    members_of,
    range_of,
    range_text,
    set_text,
)
from indistinct.hierarchies.taxonomy import Taxonomy

VALUES = st.text(
    st.sampled_from('[]{},"\\ 12ab') | st.characters(codec="utf-8", exclude_categories=["Cs"]),
    min_size=1,
)


@given(st.lists(VALUES | st.none(), min_size=2, max_size=6, unique=True))
def test_a_set_is_read_as_it_was_written(values: list[str | None]) -> None:
    assert members_of(set_text(values)) == tuple(values)


def test_ranges_in_a_set_are_not_quoted() -> None:
    assert set_text(["[21, 90]", None]) == "{[21, 90], missing}"
    assert set_text(["[2019-03, 2020-Q1]", None]) == "{[2019-03, 2020-Q1], missing}"


@given(VALUES)
def test_a_set_of_one_is_the_value(value: str) -> None:
    assert set_text([value]) == value


def test_what_is_no_set_is_not_read_as_one() -> None:
    for cell in ("flu", "{flu}", "{", "}", "{}", '{"flu, asthma}', "{a} b", None):
        assert members_of(cell) is None


def test_ranges_have_both_ends() -> None:
    assert range_of(range_text("-3.5", "20")) == (Decimal("-3.5"), Decimal(20))
    for cell in ("[20, 25)", "20-24", "20", "*", "[a, b]", "[1, 2", None):
        assert range_of(cell) is None


def test_what_a_cell_stands_for() -> None:
    places = Taxonomy(
        "place",
        [["ward 1", "house A", "*"], ["ward 2", "house A", "*"], ["ward 3", "house B", "*"]],
    ).extended("value", [])
    coverage = Coverage(places)
    assert coverage.mask("ward 2").tolist() == [False, True, False, False]
    assert coverage.mask("house A").tolist() == [True, True, False, False]
    assert coverage.mask("*").tolist() == [True, True, True, True]
    assert coverage.mask("{ward 1, missing}").tolist() == [True, False, False, True]
    assert coverage.mask(None).tolist() == [False, False, False, True]
    assert coverage.mask("house C").tolist() == [False, False, False, False]
    ages = Coverage(Taxonomy("age", [["20", "*"], ["24.5", "*"], ["x", "*"]]))
    assert ages.mask("[20, 24]").tolist() == [True, False, False]
    assert ages.mask("[20, 24.5)").tolist() == [True, False, False]
    assert ages.mask("[-5, 25)").tolist() == [True, True, False]
    assert ages.places("[20, 25") is None
    assert ages.matrix(["[20, 25]", "x"]).tolist() == [[True, True, False], [False, False, True]]
