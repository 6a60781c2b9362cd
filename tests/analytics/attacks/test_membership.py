"""Membership and non-membership, with releases that they beat and that resist them."""

from __future__ import annotations

import pytest
from tests.analytics.attacks.contexts import of_classes, of_rows

from indistinct.analytics.attacks import Finding, membership, non_membership
from indistinct.hierarchies.taxonomy import Taxonomy


def run(module: object, scene: object) -> Finding:
    found = module.run(scene, "s")  # type: ignore[attr-defined]
    assert isinstance(found, Finding)
    return found


def test_a_release_that_gives_people_away() -> None:
    found = run(membership, of_classes([["a", "a", "a"], ["a", "b", "b"]]))
    # a, a, a: 1, 1, 1; a: 1/3; b, b: 2/3. Prior: a 4/6, b 2/6.
    assert found.success == pytest.approx({"0.5": 5 / 6, "0.95": 1 / 2, "certain": 1 / 2})
    assert found.prior == pytest.approx({"0.5": 4 / 6, "0.95": 0, "certain": 0})
    assert found.gain == pytest.approx({"mean": (3 * 1 / 3 - 1 / 3 + 2 * 1 / 3) / 6, "max": 1 / 3})
    assert found.worst["class"] == {"q": "class 0"}
    assert found.worst["records"] == 3
    assert found.figures["largest_belief"] == 1
    assert "certain for 50.0% of people" in found.note


def test_a_release_that_tells_nothing() -> None:
    found = run(membership, of_classes([["a", "b"], ["a", "b"], ["b", "a"]]))
    assert found.success == found.prior
    assert found.gain == {"mean": 0, "max": 0}


def test_whoever_is_left_out_is_believed_at_the_prior() -> None:
    ages = Taxonomy("age", [("20", "*"), ("30", "*")])
    people = [{"age": "20", "s": "a"}, {"age": "30", "s": "b"}]
    scene = of_rows(people, [{"age": "20", "s": "a"}], {"age": ages})
    found = run(membership, scene)
    assert found.figures["found"] == 0.5
    assert found.gain == {"mean": 0, "max": 0}
    assert found.success["certain"] == 0.5


def test_an_attacker_can_be_sure_and_wrong() -> None:
    found = run(membership, of_classes([["a"], ["b"]], published=[["b"], ["a"]]))
    assert found.figures["misled"] == 1
    assert found.success == {"0.5": 0, "0.95": 0, "certain": 0}


def test_values_compatible_with_several_classes_are_pooled() -> None:
    ages = Taxonomy("age", [("20", "*"), ("25", "*"), ("30", "*")])
    people = [{"age": age, "s": s} for age, s in (("20", "a"), ("25", "a"), ("30", "b"))]
    release = [
        {"age": cell, "s": s}
        for cell, s in (("[20, 25]", "a"), ("[25, 30]", "b"), ("[25, 30]", "b"))
    ]
    found = run(membership, of_rows(people, release, {"age": ages}))
    # 20: only the first, a for certain. 25: both, 1/3 for a. 30: the second, b for certain.
    assert found.success == pytest.approx({"0.5": 2 / 3, "0.95": 2 / 3, "certain": 2 / 3})


def test_exclusions_beat_classes_that_lack_values() -> None:
    found = run(non_membership, of_classes([["a", "b"], ["c", "d"]]))
    # Every person: two of four values are out, and 1/4 becomes 1/2.
    assert found.figures == {"values": 4, "excluded_pairs": 8, "exclusion_rate": 0.5, "right": 1}
    assert found.success == {"0.5": 1, "0.95": 0, "certain": 0}
    assert found.gain == {"mean": 0.25, "max": 0.25}
    assert found.worst["excluded"] == 2


def test_nothing_is_excluded_where_every_class_has_every_value() -> None:
    found = run(non_membership, of_classes([["a", "b", "b"], ["a", "b"]]))
    assert found.figures["excluded_pairs"] == 0
    assert found.figures["right"] is None
    assert found.gain == {"mean": 0, "max": 0}


def test_exclusions_can_be_wrong() -> None:
    found = run(non_membership, of_classes([["a", "b"], ["b"]], published=[["a", "a"], ["b"]]))
    # Two values; b is out for the first two people (wrongly for one of them), a for the third.
    assert found.figures["excluded_pairs"] == 3
    assert found.figures["right"] == pytest.approx(2 / 3)


def test_exclusions_of_five_categories_in_four_classes() -> None:
    supports = [["M", "S", "L", "A"], ["M", "S", "L"], ["H", "S", "L", "A"], ["H", "S", "L", "M"]]
    found = run(non_membership, of_classes(supports))
    # 4 people lack one value each, 3 lack two, 4 one, 4 one: 18 of 15 x 5.
    assert found.figures["excluded_pairs"] == 18
    assert found.figures["exclusion_rate"] == pytest.approx(18 / 75)
