"""Noise stripping against published tables, and against every removal there is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records

from indistinct.analytics.attacks import AttackContext, Finding, Skipped
from indistinct.analytics.attacks.noise_stripping import condition, run
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.privacy.rank_variance import rank_variance_exact, theta
from indistinct.requirement import Requirement

PLACES = Taxonomy("place", [[place, "*"] for place in "abcdef"])


def scene(
    people: list[tuple[str, str]],
    noise: list[tuple[str, str]] = (),  # type: ignore[assignment]
    *,
    k: int | None = 2,
    further: tuple[Requirement, ...] = (),
    may_contain: tuple[str, ...] = ("noise",),
    release: list[tuple[str, str]] | None = None,
) -> AttackContext:
    """People of some places, published with their place as it is, and made-up records beside."""
    columns = ["place", "illness"]
    shown = [*people, *noise] if release is None else release
    return of_records(
        quasi=("place",),
        sensitive=("illness",),
        people=pl.DataFrame(people, columns, orient="row"),
        release=pl.DataFrame(shown, columns, orient="row"),
        taxonomies={"place": PLACES},
        promises=(*(() if k is None else (Requirement("k-anonymity", {"k": k}),)), *further),
        may_contain=may_contain,
    )


def found(scene: AttackContext, **settings: object) -> Finding:
    result = run(scene, "illness", **settings)  # type: ignore[arg-type]
    assert isinstance(result, Finding)
    return result


class TestPublishedTables:
    def test_low_low_mild_leaves_low_for_certain(self) -> None:
        people = [("a", "Low"), ("a", "Low")]
        result = found(scene(people, [("a", "Mild")], k=2))
        assert result.success["certain"] == 1.0
        assert result.figures["largest_belief"] == 1.0
        assert result.figures["exact_certain"] == 1.0
        assert result.worst["class"] == {"place": "a"}

    def test_third_class_of_table_8a_leaves_one_half(self) -> None:
        people = [("a", "Cancer"), ("a", "Flu"), ("a", "Flu"), ("a", "Indigestion")]
        asked = Requirement("theta-sensitive", {"k": 4, "mu": 0.6}, sensitive="illness")
        result = found(scene(people, [("a", "Obesity")], k=4, further=(asked,)))
        assert result.figures["largest_belief"] == 0.5
        assert result.success["0.5"] == 0.5
        assert result.success["certain"] == 0.0


class TestResisting:
    def test_classes_of_exactly_k(self) -> None:
        people = [("a", "Low"), ("a", "Mild"), ("b", "Low"), ("b", "High")]
        result = found(scene(people))
        assert result.success["certain"] == 0.0
        assert result.figures["largest_belief"] == 0.5
        assert result.figures["open_classes"] == 0

    def test_values_that_occur_twice_are_no_noise(self) -> None:
        people = [("a", v) for v in ("Low", "Low", "Mild", "Mild", "High", "High")]
        result = found(scene(people))
        assert result.figures["removable"] == 0
        assert result.gain["max"] == pytest.approx(0.0)

    def test_classes_that_may_be_several_are_told(self) -> None:
        """Low, Low, and Mild that is made up, twice: with equal cells Mild occurs twice."""
        asked = Requirement("theta-sensitive", {"k": 2, "mu": 0.3}, sensitive="illness")
        people = [("a", "Low")] * 4
        result = found(scene(people, [("a", "Mild")] * 2, k=2, further=(asked,)))
        assert result.figures["removable"] == 0
        assert "1 class of 4 records or more may be several with equal cells" in result.note
        alone = found(scene(people[:2], [("a", "Mild")], k=2, further=(asked,)))
        assert alone.success["certain"] == 1.0
        assert "several" not in alone.note

    def test_noise_is_not_added_where_a_class_was_diverse_without(self) -> None:
        people = [("a", v) for v in ("Low", "Mild", "High", "None")]
        asked = Requirement("theta-sensitive", {"k": 2, "mu": 0.6}, sensitive="illness")
        assert found(scene(people, k=2)).figures["removable"] == 2
        assert found(scene(people, k=2, further=(asked,))).figures["removable"] == 0

    def test_theta_of_each_size(self) -> None:
        people = [("a", v) for v in ("Low", "Mild", "High", "High")]
        asked = Requirement(
            "theta-sensitive", {"k": 2, "mu": 0.6, "theta": "size"}, sensitive="illness"
        )
        other = Requirement("theta-sensitive", {"k": 4, "mu": 0.6}, sensitive="illness")
        broken = condition(scene(people, further=(asked,)), "illness")
        fixed = condition(scene(people, further=(other,)), "illness")
        assert broken is not None
        assert fixed is not None
        falling = np.array([[1, 1, 0], [2, 1, 0], [2, 1, 1], [1, 1, 1]])
        assert broken(falling).tolist() == [False, True, True, False]
        assert fixed(falling).tolist() == [True, True, True, True]


class TestSkipped:
    def test_without_noise(self) -> None:
        quiet = scene([("a", "Low"), ("a", "Mild")], may_contain=())
        assert isinstance(run(quiet, "illness"), Skipped)
        assert isinstance(run(quiet, "illness", anyway=True), Finding)

    def test_without_k(self) -> None:
        assert isinstance(run(scene([("a", "Low")], k=None), "illness"), Skipped)
        assert isinstance(run(scene([("a", "Low")], k=None), "illness", k=1), Finding)


def removals(counts: list[int], k: int, asked: float | None) -> list[list[int]]:
    """Every class that could have been there before noise, by trying all sets of values."""
    once = [value for value, count in enumerate(counts) if count == 1]
    left = []
    for number in range(len(once) + 1):
        for gone in combinations(once, number):
            before = [0 if v in gone else c for v, c in enumerate(counts)]
            if sum(before) < k:
                continue
            states = [
                [0 if v in part else c for v, c in enumerate(counts)]
                for size in range(1, number + 1)
                for part in combinations(gone, size)
            ]
            if asked is None or all(rank_variance_exact(state) < asked for state in states):
                left.append(before)
    return left


@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=6).filter(any),
    k=st.integers(1, 6),
    with_theta=st.booleans(),
    wanted=st.integers(2, 4),
)
def test_every_removal(counts: list[int], k: int, with_theta: bool, wanted: int) -> None:
    asked = theta(wanted, 0.6) if with_theta else None
    further = (
        (Requirement("theta-sensitive", {"k": wanted, "mu": 0.6}, sensitive="illness"),)
        if with_theta
        else ()
    )
    people = [("a", str(v)) for v, count in enumerate(counts) for _ in range(count)]
    here = scene(people, k=None, further=further)
    result = found(here, k=k)
    tried = removals(counts, k, asked) or [counts]
    expected = [max(left[int(v)] / sum(left) for left in tried if sum(left)) for _, v in people]
    assert result.gain["mean"] == pytest.approx(
        np.mean(expected) - np.mean([counts[int(v)] / sum(counts) for _, v in people])
    )
    assert result.success["certain"] == np.mean(np.array(expected) == 1)
    by_number: dict[int, list[list[int]]] = {}
    for left in tried:
        by_number.setdefault(sum(left), []).append(left)
    mean = [
        np.mean([np.mean([left[int(v)] / n for left in kept]) for n, kept in by_number.items()])
        for _, v in people
    ]
    assert result.figures["average_belief"] == pytest.approx(np.mean(mean))


def test_several_compatible_classes_are_taken_together() -> None:
    people = [("a", "Low"), ("a", "Low"), ("b", "Low"), ("b", "Mild")]
    release = [
        ("{a, b}", "Low"), ("{a, b}", "Low"), ("{a, b}", "High"), ("a", "Low"), ("a", "Mild"),
        ("a", "High"),
    ]  # fmt: skip
    result = found(scene(people, release=release, k=2))
    # In a: two Low of the set, Low and another one of a, 3 of 4. In b: 2 of 2, and no Mild.
    assert result.success["0.5"] == 0.75
    assert result.success["certain"] == 0.25


def test_same_again() -> None:
    people = [("a", "Low"), ("a", "Low"), ("b", "Low"), ("b", "Mild")]
    noise = [("a", "Mild"), ("b", "High")]
    assert found(scene(people, noise)).to_dict() == found(scene(people, noise)).to_dict()
