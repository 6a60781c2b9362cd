"""Record linkage and presence by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_classes, of_rows

from indistinct.analytics.attacks import Finding, Skipped, presence, record_linkage
from indistinct.analytics.attacks.record_linkage import journalist, marketer, prosecutor
from indistinct.hierarchies.taxonomy import Taxonomy

CASES = [
    ((2, 3, 5), (10, 12, 20), (0.5, 0.5, 0.3), (0, 0.1, 1 / 14), 0.07),
    ((2, 3, 5), (4, 4, 8), (0.5, 0.5, 0.3), (0.5, 0.25, 0.1875), 0.1875),
    ((4, 4, 2), (4, 40, 2), (1, 0.5, 0.3), (0.6, 0.5, 0.21), 0.21),
    ((2, 3, 5), (2, 3, 5), (0.5, 0.5, 0.3), (0.5, 0.5, 0.3), 0.3),
    ((2,) * 6, (2,) * 6, (1, 0.5, 0.5), (1, 0.5, 0.5), 0.5),
]


@pytest.mark.parametrize(("sample", "population", "prosecuted", "told", "sold"), CASES)
def test_three_adversaries(
    sample: tuple[int, ...],
    population: tuple[int, ...],
    prosecuted: tuple[float, ...],
    told: tuple[float, ...],
    sold: float,
) -> None:
    small, large = np.array(sample), np.array(population)
    assert prosecutor(small, 0.2) == pytest.approx(prosecuted)
    assert journalist(small, large, 0.2) == pytest.approx(told)
    assert marketer(small, large, whole=sample == population) == pytest.approx(sold)


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 30)), min_size=1, max_size=8))
def test_prosecutors_risk_is_the_largest(classes: list[tuple[int, int]]) -> None:
    small = np.array([size for size, _ in classes])
    large = small + np.array([more for _, more in classes])
    _, highest, average = prosecutor(small, 0.2)
    _, journalists, journalists_average = journalist(small, large, 0.2)
    assert highest >= journalists
    assert average >= journalists_average - 1e-12
    assert journalists_average >= marketer(small, large, whole=False) - 1e-12


@pytest.mark.parametrize("k", range(2, 11))
def test_nobody_is_at_risk_from_the_threshold_on(k: int) -> None:
    at_risk, _, _ = prosecutor(np.array([k]), 1 / k)
    assert at_risk == 0


def test_a_person_who_is_alone_is_found() -> None:
    found = record_linkage.run(of_classes([["a"], ["b", "c"]]))
    assert isinstance(found, Finding)
    assert found.sensitive is None
    assert found.success == pytest.approx({"0.5": 1, "0.95": 1 / 3, "certain": 1 / 3})
    assert found.prior == {"0.5": 0, "0.95": 0, "certain": 0}
    assert found.gain == pytest.approx({"mean": 2 / 3 - 1 / 3, "max": 2 / 3})
    assert found.figures == pytest.approx(
        {
            "threshold": 0.2,
            "prosecutor_at_risk": 1,
            "prosecutor_highest": 1,
            "prosecutor_average": 2 / 3,
            "marketer": 2 / 3,
        }
    )
    assert found.worst == {"class": {"q": "class 0"}, "records": 1}
    assert "1 of 3 people is found for certain" in found.note


def test_large_classes_resist_linkage() -> None:
    found = record_linkage.run(of_classes([["a"] * 10, ["b"] * 10]))
    assert isinstance(found, Finding)
    assert found.success == {"0.5": 0, "0.95": 0, "certain": 0}
    assert found.figures["prosecutor_at_risk"] == 0
    assert found.note.endswith("a guess is right with 10% at most.")


def test_overlapping_classes_hide_a_person_among_all_their_records() -> None:
    ages = Taxonomy("age", [("20", "*"), ("25", "*")])
    people = [{"age": "20", "s": "a"}, {"age": "25", "s": "a"}]
    release = [{"age": "20", "s": "a"}, {"age": "[20, 25]", "s": "a"}]
    found = record_linkage.run(of_rows(people, release, {"age": ages}))
    assert isinstance(found, Finding)
    assert found.success == {"0.5": 1, "0.95": 0.5, "certain": 0.5}


def test_nothing_published_nobody_linked() -> None:
    ages = Taxonomy("age", [("20", "*")])
    found = record_linkage.run(of_rows([{"age": "20", "s": "a"}], [], {"age": ages}))
    assert isinstance(found, Finding)
    assert found.success["certain"] == 0
    assert "Nothing is published" in found.note


def population(*counts: int) -> pl.DataFrame:
    """So many people who could be in class 0, class 1, ..."""
    leaves = [f"{at}.0" for at, count in enumerate(counts) for _ in range(count)]
    return pl.DataFrame({"q": leaves}, schema={"q": pl.String})


def test_a_population_makes_a_journalist() -> None:
    scene = of_classes([["a"] * 2, ["b"] * 3, ["c"] * 5], population=population(10, 12, 20))
    found = record_linkage.run(scene)
    assert isinstance(found, Finding)
    assert found.figures["journalist_at_risk"] == 0
    assert found.figures["journalist_highest"] == 0.1
    assert found.figures["journalist_average"] == pytest.approx(1 / 14)
    assert found.figures["marketer"] == pytest.approx(0.07)


def test_the_marketer_of_a_whole_population() -> None:
    found = record_linkage.run(of_classes([["a"] * 2, ["b"] * 8], population=population(2, 8)))
    assert isinstance(found, Finding)
    assert found.figures["marketer"] == 0.2


def test_a_class_that_is_its_whole_population_tells_presence() -> None:
    found = presence.run(of_classes([["a"] * 2, ["b"] * 2], population=population(2, 6)))
    assert isinstance(found, Finding)
    # Two are certain; two at 2 of 6. A blind guess says 4 of 8.
    assert found.success == {"0.5": 0.5, "0.95": 0.5, "certain": 0.5}
    assert found.prior == {"0.5": 1, "0.95": 0, "certain": 0}
    assert found.gain == pytest.approx({"mean": (0.5 - 1 / 6) / 2, "max": 0.5})
    assert found.figures == pytest.approx(
        {"population": 8, "delta_lowest": 1 / 3, "delta_highest": 1}
    )
    assert found.worst["population"] == 2


@pytest.mark.parametrize("shares", [(1, 3), (1, 7), (2, 5), (1, 10), (3, 10)])
def test_presence_is_certain_whatever_the_shares_of_other_classes(shares: tuple[int, int]) -> None:
    """Shares that no binary number has: what sums lose takes no certainty away."""
    some, of = shares
    classes = [["a"] * some, ["b"] * some, ["c"] * 2]
    found = presence.run(of_classes(classes, population=population(of, of, 2)))
    assert isinstance(found, Finding)
    assert found.success["certain"] == found.success["0.95"] == 2 / (2 * some + 2)


def test_even_shares_of_a_population_resist() -> None:
    found = presence.run(of_classes([["a"] * 2, ["b"] * 2], population=population(8, 8)))
    assert isinstance(found, Finding)
    assert found.success == found.prior
    assert found.gain == {"mean": 0, "max": 0}


def test_whoever_meets_no_class_is_not_in_the_table() -> None:
    others = pl.concat([population(4), pl.DataFrame({"q": ["somebody"]})])
    found = presence.run(of_classes([["a"] * 2], population=others))
    assert isinstance(found, Finding)
    assert found.figures["delta_lowest"] == 0


def test_presence_needs_a_population() -> None:
    found = presence.run(of_classes([["a"]]))
    assert isinstance(found, Skipped)
    assert found.to_dict() == {
        "name": "presence",
        "sensitive": None,
        "why": "it needs a table of the population",
    }
