"""What several releases leave to people when they are subtracted, against every possible world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records

from indistinct.analytics.attacks import AttackContext, Finding, composition, subtraction
from indistinct.hierarchies.cells import set_text
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata

Groups = Sequence[Sequence[int]]
NAMES = "ABCDEFGH"


def released(
    values: str, groups: Groups, second: AttackContext | None = None, **more: Any
) -> AttackContext:
    """A release whose classes name their people; a value for each of them.

    Arguments:
        values: the value of everybody.
        groups: the people of every class; others are not published.
        second: another release of the same people.
        more: further rows and fields.
    """
    tree = Taxonomy("q", [(name, "*") for name in NAMES])
    people = pl.DataFrame({"q": [*NAMES[: len(values)]], "s": [*values]})
    rows = [
        (set_text([NAMES[one] for one in own]) if len(own) > 1 else NAMES[own[0]], values[one])
        for own in groups
        for one in own
    ]
    rows += more.pop("rows", [])
    frame = pl.DataFrame(rows, {"q": pl.String, "s": pl.String}, orient="row")
    return of_records(("q",), ("s",), people, frame, {"q": tree}, second=second, **more)


def composed(*releases: AttackContext) -> Finding:
    """What is found by who has all of them."""
    last: AttackContext | None = None
    for one in reversed(releases):
        last = replace(one, second=last)
    assert last is not None
    found = composition.run(last, "s")
    assert isinstance(found, Finding)
    return found


def left_of(*releases: AttackContext) -> subtraction.Left | None:
    """What these leave to people."""
    return subtraction.left_over(releases, *composition._listed(releases, "s", sets=False))


def beliefs(values: str, releases: Sequence[Groups]) -> dict[int, dict[str, float]]:
    """The share of all worlds in which each published person has each value."""
    lists = [(own, Counter(values[one] for one in own)) for groups in releases for own in groups]
    people = sorted({one for own, _ in lists for one in own})
    worlds = [
        world
        for told in product(sorted({*values}), repeat=len(people))
        for world in [dict(zip(people, told, strict=True))]
        if all(Counter(world[one] for one in own) == count for own, count in lists)
    ]
    return {
        one: {v: n / len(worlds) for v, n in Counter(world[one] for world in worlds).items()}
        for one in people
    }


def test_who_leaves_a_class_is_told_by_who_stays() -> None:
    """A, B and C have x, y and z; next year A and B have x and y: C, who is gone, has z."""
    values = "xyz"
    found = composed(released(values, [(0, 1, 2)]), released(values, [(0, 1)]))
    assert found.success["certain"] == pytest.approx(1 / 3)
    assert found.success["0.5"] == 1
    assert found.figures["left_with_one"] == pytest.approx(1 / 3)
    assert found.figures["in_both"] == pytest.approx(2 / 3)


def test_the_rest_of_a_class_has_what_is_left() -> None:
    """Of x, x, x and y two people have x and y: the other two have x."""
    values = "xyxx"
    found = composed(released(values, [(0, 1, 2, 3)]), released(values, [(0, 1)]))
    assert found.success["certain"] == 0.5
    alone = composed(released(values, [(0, 1)]), released(values, [(0, 1, 2, 3)]))
    assert alone.success["certain"] == 0.5


def test_what_is_not_certain_is_believed_by_what_is_left() -> None:
    """Eight people, four of each value; four of them have x once: of the others three have x."""
    values = "xyyyxxxy"
    both = released(values, [range(8)]), released(values, [(0, 1, 2, 3)])
    found, left = composed(*both), left_of(*both)
    assert left is not None
    assert left.belief.tolist() == pytest.approx([0.25, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75, 0.25])
    assert found.success["0.5"] == 0.75


@st.composite
def series(draw: st.DrawFn) -> tuple[str, list[list[list[int]]]]:
    """Values of people, and two or three releases of some of them in classes."""
    number = draw(st.integers(2, 6))
    values = "".join(draw(st.sampled_from("xyz")) for _ in range(number))
    releases = []
    for _ in range(draw(st.integers(2, 3))):
        of = [draw(st.integers(-1, 2)) for _ in range(number)]
        groups = [[one for one in range(number) if of[one] == at] for at in range(3)]
        releases.append([own for own in groups if own])
    return values, [groups or [[0]] for groups in releases]


@settings(max_examples=150)
@given(drawn=series())
def test_nothing_is_ruled_out_that_some_world_has(drawn: tuple[str, list[list[list[int]]]]) -> None:
    values, releases = drawn
    contexts = [released(values, groups) for groups in releases]
    left = left_of(*contexts)
    assert left is not None
    truth = beliefs(values, releases)
    for one in range(len(values)):
        if one not in truth:
            assert left.belief[one] == 0
            continue
        assert left.known[one]
        assert left.possible[one] >= len(truth[one])
        assert left.belief[one] > 0
        if left.possible[one] == 1:
            assert truth[one] == {values[one]: 1.0}
    found = composed(*contexts).success["certain"]
    certain = sum(len(own) == 1 for own in truth.values())
    assert found <= certain / len(values) + 1e-9


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(released("xyz", [(0, 1, 2)], rows=[("{A, B, C}", "x")]), id="a stranger"),
        pytest.param(released("xyz", [(0, 1, 2)], may_contain=("decoys",)), id="decoys"),
        pytest.param(released("xyz", [(0, 1)], rows=[("{B, C}", "z")]), id="classes overlap"),
        pytest.param(released("xyz", [(0, 1)], rows=[("*", "z"), ("*", "z")]), id="stars"),
    ],
)
def test_nothing_is_subtracted_where_it_is_not_certain_who_is_in_a_class(
    first: AttackContext,
) -> None:
    left = left_of(first, released("xyz", [(0, 1)]))
    assert left is not None
    assert not left.known.any()


def test_values_that_changed_are_not_subtracted() -> None:
    """The second release says that A and B have x and w, the first that they have x, y or z."""
    for values in ("xwz", "uwz"):
        left = left_of(released("xyz", [(0, 1, 2)]), released(values, [(0, 1)]))
        assert left is not None
        assert left.known.tolist() == [False, False, True]
        assert left.possible[2] == 3


def test_a_changed_value_hides_nobody_else() -> None:
    """Of four others, two classes away, it is as certain as without it who has what."""
    first = released("xyzxyz", [(0, 1, 2), (3, 4, 5)])
    for values in ("xyzxyz", "xyzuyz"):
        left = left_of(first, released(values, [(0, 1), (3, 4)]))
        assert left is not None
        assert left.known[:3].all()
        assert left.belief[:3].tolist() == pytest.approx([0.5, 0.5, 1])
        assert left.possible[:3].tolist() == [2, 2, 1]
        assert left.known[3:].all() == (values == "xyzxyz")


def test_many_kinds_of_people_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    both = released("xyz", [(0, 1, 2)]), released("xyz", [(0, 1)])
    monkeypatch.setattr(subtraction, "MOST", 8)
    assert left_of(*both) is not None
    monkeypatch.setattr(subtraction, "MOST", 7)
    assert left_of(*both) is None
    assert composed(*both).success["certain"] == 0


def test_labels_of_several_values_are_not_subtracted() -> None:
    """A label that stands for x and y does not say how many have x."""
    kinds = {"s": ValueMetadata(categories={"x": "few", "y": "few", "z": "many"})}
    exact = released("xyz", [(0, 1, 2)], known=kinds)
    rows = [("{A, B}", "few"), ("{A, B}", "few")]
    left = left_of(exact, released("xyz", [], rows=rows, known=kinds))
    assert left is not None
    assert left.known.tolist() == [False, False, True]
    assert left.possible[2] == 3
