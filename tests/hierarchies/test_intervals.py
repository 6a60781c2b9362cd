from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError, PolicyError
from indistinct.hierarchies import SUPPRESSED, interval_key, intervals_taxonomy


def labels(values: list[str], level: int = 1, **settings: Any) -> dict[str, str]:
    taxonomy = intervals_taxonomy("x", values, **settings)
    return dict(zip(taxonomy.leaves, taxonomy.level(level), strict=True))  # type: ignore[arg-type]


def test_half_open_on_a_grid_through_zero() -> None:
    found = labels(["17", "20", "24", "25", "-1"], width=5)
    assert found == {
        "-1": "[-5, 0)",
        "17": "[15, 20)",
        "20": "[20, 25)",
        "24": "[20, 25)",
        "25": "[25, 30)",
    }


def test_tenths_are_tenths() -> None:
    found = labels(["0.3", "0.29999999999999999999999", "0.1", "0.7", "3e-1"], width=0.1)
    assert found["0.3"] == found["3e-1"] == "[0.3, 0.4)"
    assert found["0.29999999999999999999999"] == "[0.2, 0.3)"
    assert found["0.1"] == "[0.1, 0.2)"
    assert found["0.7"] == "[0.7, 0.8)"


def test_the_grid_does_not_start_at_the_smallest_value() -> None:
    assert labels(["18", "19"], width=5) == {"18": "[15, 20)", "19": "[15, 20)"}
    assert labels(["18"], width=5, origin=18) == {"18": "[18, 23)"}


def test_bottom_and_top_are_their_own_intervals_on_every_level() -> None:
    taxonomy = intervals_taxonomy(
        "age", ["3", "18", "44", "89", "90", "104"], width=5, bottom=18, top=90, levels=3
    )
    assert taxonomy.level(0) == ("<18", "18", "44", "89", ">=90", ">=90")
    assert taxonomy.leaves == ("3", "18", "44", "89", "90", "104")
    assert taxonomy.level(1) == ("<18", "[18, 20)", "[40, 45)", "[85, 90)", ">=90", ">=90")
    assert taxonomy.level(3) == ("<18", "[18, 20)", "[40, 60)", "[80, 90)", ">=90", ">=90")
    assert taxonomy.level(4) == (SUPPRESSED,) * 6


def test_breaks_with_open_ends() -> None:
    found = labels(["-1", "0", "17", "18", "64", "65", "99"], breaks=[0, 18, 65])
    assert list(found.values()) == [
        "<0",
        "[0, 18)",
        "[0, 18)",
        "[18, 65)",
        "[18, 65)",
        ">=65",
        ">=65",
    ]
    bounded = labels(["-1", "1", "99"], breaks=[18, 65], bottom=0, top=80)
    assert list(bounded.values()) == ["<0", "[0, 18)", ">=80"]


def test_merged_breaks() -> None:
    values = [str(value) for value in range(0, 60, 10)]
    assert list(
        labels(values, 2, breaks=[0, 10, 20, 30, 40, 50, 60], factor=4, levels=2).values()
    ) == [
        *["[0, 40)"] * 4,
        *["[40, 60)"] * 2,
    ]


def test_levels_until_few_intervals_are_left() -> None:
    taxonomy = intervals_taxonomy("age", [str(age) for age in range(17, 91)], width=5)
    assert [len(set(taxonomy.level(level))) for level in range(taxonomy.levels)] == [
        74,
        16,
        9,
        5,
        3,
        1,
    ]
    assert intervals_taxonomy("age", ["1", "2"], width=5).levels == 3
    assert intervals_taxonomy("age", ["1", "2"], width=5, levels=4).levels == 6


def test_a_huge_range_makes_only_the_nodes_it_needs() -> None:
    taxonomy = intervals_taxonomy("x", ["0", "1000000000000", "1e300", "-5e299"], width=0.001)
    assert taxonomy.compile().card.tolist() == [4, 4, 1]
    many = intervals_taxonomy("x", [f"{10**n}" for n in range(60)], width=1)
    assert many.levels == 14


def test_leaves_and_labels_are_in_the_order_of_the_numbers() -> None:
    taxonomy = intervals_taxonomy("x", ["100", "9", "20", "-3", "1.5"], width=10, levels=1)
    assert taxonomy.leaves == ("-3", "1.5", "9", "20", "100")
    bands = [label for label in dict.fromkeys(taxonomy.level(1)) if label]
    assert sorted(bands, key=interval_key) == bands


def test_the_key_puts_other_texts_after_the_numbers() -> None:
    mixed = ["x", None, ">=90", "-5 to -1", "[1, 2]", "7", "<-5", "*"]
    assert sorted(mixed, key=interval_key) == [
        "<-5",
        "-5 to -1",
        "[1, 2]",
        "7",
        ">=90",
        "*",
        "x",
        None,
    ]


def test_zeros_for_labels_that_sort_as_text() -> None:
    taxonomy = intervals_taxonomy("x", [str(n) for n in range(0, 130, 3)], width=5, digits=3)
    bands = list(dict.fromkeys(taxonomy.level(1)))
    assert bands[0] == "[000, 005)"
    assert sorted(bands, key=str) == bands


def test_range_style() -> None:
    found = labels(["-3", "7", "20", "21", "90"], width=5, style="range", top=90)
    assert list(found.values()) == ["-5 to -1", "5-9", "20-24", "20-24", ">=90"]
    assert labels(["20"], width=1, style="range") == {"20": "20"}
    with pytest.raises(HierarchyError, match="cannot be read as a whole number"):
        labels(["1.5"], width=5, style="range")


def test_default_labels_are_no_dates_to_a_spreadsheet_and_no_formulas() -> None:
    taxonomy = intervals_taxonomy("x", [str(n) for n in range(-20, 60)], width=5, bottom=-5, top=40)
    for level in range(1, taxonomy.levels):
        assert all(str(label)[0] in "[<>*" for label in taxonomy.level(level))


def test_values_that_are_no_numbers_are_counted_not_shown() -> None:
    with pytest.raises(HierarchyError) as error:
        labels(["1", "secret", "nan", "inf", "1/2", "1_000", "1e9999", "0x10"], width=5)
    assert "7 distinct values cannot be read as a number" in str(error.value)
    assert "secret" not in str(error.value)
    assert "missing" in str(error.value)


def test_missing_and_suppressed_values_are_left_to_the_caller() -> None:
    assert intervals_taxonomy("x", [None, "*", "3", "3"], width=5).leaves == ("3",)
    with pytest.raises(HierarchyError, match="no values"):
        intervals_taxonomy("x", [None], width=5)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"width": 5, "breaks": [1]},
        {"width": 0},
        {"width": -1},
        {"width": "wide"},
        {"width": True},
        {"width": math.inf},
        {"width": 5, "bottom": 9, "top": 9},
        {"width": 5, "levels": 0},
        {"width": 5, "factor": 1},
        {"width": 5, "style": "dash"},
        {"width": 0.5, "style": "range"},
        {"breaks": [1, 2.5], "style": "range"},
        {"breaks": []},
        {"breaks": 5},
        {"breaks": [3, 2]},
        {"breaks": [1, "x"]},
        {"breaks": [1, 2], "bottom": 5},
        {"width": 5, "digits": -1},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        intervals_taxonomy("x", ["1"], **settings)


def test_the_callers_settings_stay_as_they_are() -> None:
    breaks = [0, 10]
    intervals_taxonomy("x", ["1"], breaks=breaks, bottom=-5)
    assert breaks == [0, 10]


decimal_texts = st.decimals(-10_000, 10_000, places=3).map(str)


@given(
    st.lists(decimal_texts, min_size=1, max_size=30),
    st.decimals("0.01", 100, places=2),
    st.decimals(-50, 50, places=1),
    st.integers(2, 5),
)
def test_every_value_lies_in_its_interval(
    values: list[str], width: Any, origin: Any, factor: int
) -> None:
    taxonomy = intervals_taxonomy("x", values, width=str(width), origin=str(origin), factor=factor)
    for level in range(1, taxonomy.height):
        size = Fraction(width) * factor ** (level - 1)
        for value, label in zip(taxonomy.leaves, taxonomy.level(level), strict=True):
            assert value is not None
            assert label is not None
            low, high = (Fraction(bound) for bound in label[1:-1].split(", "))
            assert low <= Fraction(value) < high
            assert high - low == size
            assert (low - Fraction(origin)) % size == 0


@given(st.lists(decimal_texts, min_size=1), st.decimals(-100, 0, places=1), st.decimals(1, 100))
def test_levels_are_disjoint_with_bottom_and_top(values: list[str], bottom: Any, top: Any) -> None:
    taxonomy = intervals_taxonomy("x", values, width=7, bottom=str(bottom), top=str(top))
    for level in range(1, taxonomy.height):
        ends = sorted({label: interval_key(label)[1:3] for label in taxonomy.level(level)}.values())
        assert all(one[1] <= other[0] for one, other in pairwise(ends))
