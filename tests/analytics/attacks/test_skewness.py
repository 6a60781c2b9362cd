"""Skewness, background exclusion and colleagues by hand."""

from __future__ import annotations

import pytest
from tests.analytics.attacks.contexts import of_classes

from indistinct.analytics.attacks import (
    Finding,
    background_exclusion,
    corruption,
    skewness,
)
from indistinct.metadata import ValueMetadata

RARE = [["hiv", "flu"], ["flu"] * 8]
HARM = ValueMetadata({"hiv": "bad", "flu": "mild"}, ("mild", "bad"))


def run(module: object, *given: object, **settings: int) -> Finding:
    found = module.run(*given, "s", **settings)  # type: ignore[attr-defined]
    assert isinstance(found, Finding)
    return found


def test_a_rare_harmful_value_that_fills_half_of_a_class() -> None:
    found = run(skewness, of_classes(RARE, known=HARM))
    # hiv: 1/10 everywhere, 1/2 in the first class. Its two people are suspected.
    assert found.figures == pytest.approx(
        {
            "harmful_values": 1,
            "doubled": 0.2,
            "harmed": 1.0,
            "largest_ratio": 5.0,
            "mean_ratio": (5 + 5 / 9 + 8 * 10 / 9) / 10,
        }
    )
    assert found.success == {"0.5": 1, "0.95": 0, "certain": 0}
    assert found.prior == {"0.5": 0.9, "0.95": 0, "certain": 0}
    # The one with hiv gains 0.4; the other one's flu falls from 0.9 to 0.5.
    assert found.gain == pytest.approx({"mean": 0, "max": 0.4})
    assert found.worst == {"class": {"q": "class 0"}, "records": 2, "ratio": 5}
    assert found.note.startswith("The release at least doubles the suspicion of a harmful s for 20")


def test_evenly_spread_values_resist_skewness() -> None:
    found = run(skewness, of_classes([["hiv", *["flu"] * 4]] * 2, known=HARM))
    assert found.figures["doubled"] == 0
    assert found.success == found.prior
    assert found.gain == {"mean": 0, "max": 0}


def test_harmful_values_can_be_named() -> None:
    scene = of_classes(RARE, known=HARM, harmful={"s": frozenset({"flu"})})
    assert run(skewness, scene).figures["doubled"] == 0


def test_without_harmful_values_everybody_s_own_is_looked_at() -> None:
    found = run(skewness, of_classes(RARE))
    assert found.figures["doubled"] == 0.1
    assert found.figures["harmed"] is None
    assert "their own s" in found.note


def test_a_value_that_nobody_publishes_is_never_doubled() -> None:
    found = run(skewness, of_classes([["x", "y"]], published=[["y", "y"]]))
    assert found.figures["doubled"] == 0


def test_one_exclusion_breaks_two_values() -> None:
    found = run(background_exclusion, of_classes([["a", "b"]] * 3))
    assert found.success == {"0.5": 1, "0.95": 1, "certain": 1}
    assert found.gain == {"mean": 0.5, "max": 0.5}
    assert found.figures["largest_belief"] == 1
    assert found.note == (
        "In the worst case, knowing one value that a person does not have makes the s certain for "
        "everybody; without the release, for everybody. With 2 values, only the true one is left: "
        "no release and no promise changes that."
    )
    assert found.alone == found.success
    assert found.learnt == 0


def test_many_even_values_resist_one_exclusion_and_fall_to_more() -> None:
    scene = of_classes([list("abcdef")] * 2)
    found = run(background_exclusion, scene)
    assert found.success["0.5"] == 0
    assert found.gain == pytest.approx({"mean": 1 / 5 - 1 / 6, "max": 1 / 5 - 1 / 6})
    assert found.figures["b2_0.5"] == 0
    assert found.figures["b2_largest_belief"] == pytest.approx(1 / 4)
    assert run(background_exclusion, scene, b=5).success["certain"] == 1


def test_the_most_frequent_others_are_excluded() -> None:
    found = run(background_exclusion, of_classes([["a", "a", "a", "b", "b", "c"]]))
    # a without b: 3/4; b without a: 2/3; c without a: 1/3. Two: a, b, c for certain.
    assert found.success == pytest.approx({"0.5": 5 / 6, "0.95": 0, "certain": 0})
    assert found.figures["largest_belief"] == 0.75
    assert found.figures["b2_certain"] == 1
    assert found.worst["belief"] == 0.75


def test_one_colleague_breaks_classes_of_two() -> None:
    found = run(corruption, of_classes([["a", "b"], ["c", "d"]]))
    assert found.success["certain"] == 1
    assert found.figures["average_belief"] == 1


def test_large_even_classes_resist_colleagues() -> None:
    found = run(corruption, of_classes([["a", "b"] * 10] * 2))
    assert found.success["0.95"] == 0
    assert found.gain == pytest.approx({"mean": 10 / 19 - 0.5, "max": 10 / 19 - 0.5})
    # The other one has the value with 9/19, for the target has it already.
    assert found.figures["average_belief"] == pytest.approx((10 - 9 / 19) / 19)
    assert found.figures["c2_average_belief"] == pytest.approx((10 - 2 * 9 / 19) / 18)
    assert found.figures["c2_gain_mean"] == pytest.approx(10 / 18 - 0.5)


def test_a_value_that_is_not_in_the_class_is_not_believed() -> None:
    scene = of_classes([["a", "b"]], published=[["a", "a"]])
    assert run(corruption, scene).success["certain"] == 0.5
    assert run(background_exclusion, scene).success["certain"] == 0.5
