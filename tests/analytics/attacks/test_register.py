"""Attackers with a register of all people, where classes overlap."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import likely_classes, of_rows

from indistinct.analytics.attacks import (
    AttackContext,
    Finding,
    Skipped,
    membership,
    places,
    record_linkage,
    register_linkage,
    register_membership,
)
from indistinct.hierarchies.taxonomy import Taxonomy

AGES = (20, 25, 30)
CLASSES = {"20": (20,), "[20, 25]": (20, 25), "[20, 30]": AGES, "[25, 30]": (25, 30), "*": AGES}


def scene_of(drawn: list[tuple[int, str, str]]) -> AttackContext:
    """People of an age, what is published of each, and what they have."""
    ages = Taxonomy("age", [(str(age), "*") for age in AGES])
    people = [{"age": str(age), "s": value} for age, _, value in drawn]
    return of_rows(people, [{"age": cell, "s": value} for _, cell, value in drawn], {"age": ages})


def test_who_fits_one_class_alone_tells_where_others_are() -> None:
    """Both fit [20, 25], and one of them is all who can have it: the other has the row of 20."""
    scene = scene_of([(20, "20", "a"), (25, "[20, 25]", "b")])
    plain, found = record_linkage.run(scene), register_linkage.run(scene)
    assert isinstance(plain, Finding)
    assert isinstance(found, Finding)
    assert plain.success == {"0.5": 1, "0.95": 0.5, "certain": 0.5}
    # That it is certain is left to who counts; proportional fitting comes near.
    assert found.success == {"0.5": 1, "0.95": 1, "certain": 0.5}
    told = register_membership.run(scene, "s")
    assert isinstance(told, Finding)
    assert (membership.run(scene, "s").success["0.95"], told.success["0.95"]) == (0.5, 1)


def test_overlapping_classes_hide_a_person_among_all_their_records() -> None:
    """Of the four in two classes nobody fits one alone: each may have any of four rows."""
    scene = scene_of(
        [(20, cell, v) for cell, v in zip(["20", "[20, 25]"] * 2, "abcd", strict=True)]
    )
    found = register_linkage.run(scene)
    assert isinstance(found, Finding)
    assert found.success == {"0.5": 0, "0.95": 0, "certain": 0}
    assert found.gain["max"] == 0


def test_a_register_tells_nothing_where_classes_do_not_overlap() -> None:
    scene = scene_of([(20, "20", "a"), (25, "[25, 30]", "b"), (30, "[25, 30]", "c")])
    assert isinstance(register_linkage.run(scene), Skipped)
    assert isinstance(register_membership.run(scene, "s"), Skipped)


def test_where_too_many_classes_fit_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = scene_of([(20, "20", "a"), (25, "[20, 25]", "b")])
    monkeypatch.setattr(places, "MOST_PAIRS", 2)
    for found in (register_linkage.run(scene), register_membership.run(scene, "s")):
        assert isinstance(found, Skipped)
        assert "pairs of people and classes fit each other" in found.why
        assert found.leaves_open


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [(age, cell) for cell, ages in CLASSES.items() if cell != "*" for age in ages]
            ),
            st.sampled_from("abc"),
        ),
        min_size=2,
        max_size=8,
    )
)
def test_beliefs_are_those_of_classes_as_everybody_is_likely_in_them(
    drawn: list[tuple[tuple[int, str], str]],
) -> None:
    scene = scene_of([(age, cell, value) for (age, cell), value in drawn])
    assume(scene.places.overlaps)
    known = scene.with_register()
    assert known is not None
    labels = scene.labels("s")
    listed, size = scene.buckets["s"].dense(len(labels)), scene.classes.size
    for (own, likely), belief in zip(
        zip(drawn, likely_classes(scene), strict=True), known.true_belief("s"), strict=True
    ):
        label = labels.index(own[1])
        expected = sum(part * listed[at, label] / size[at] for at, part in likely.items())
        assert belief == pytest.approx(expected, abs=0.02)
