"""Minimality against the textbook example, and against every assignment there is."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records, people_of, release_of

from indistinct.analytics.attacks import AttackContext, Finding, Skipped
from indistinct.analytics.attacks.lattice_node import node_of
from indistinct.analytics.attacks.minimality import run
from indistinct.analytics.attacks.refusals import Rerun, assignments
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.requirement import Requirement

TOWNS = Taxonomy("town", [["q1", "Q", "*"], ["q2", "Q", "*"], ["q3", "R", "*"], ["q4", "R", "*"]])
SEXES = Taxonomy("sex", [["f", "*"], ["m", "*"]])
TAXONOMIES = {"town": TOWNS, "sex": SEXES}
K2 = Requirement("k-anonymity", {"k": 2})
DIVERSE = Requirement("distinct-l-diversity", {"l": 2}, sensitive="illness")


def scene(
    people: list[tuple[str, ...]],
    levels: tuple[int, ...],
    promises: tuple[Requirement, ...] = (K2, DIVERSE),
    names: tuple[str, ...] = ("town",),
    k: int = 1,
    seed: int = 0,
) -> AttackContext:
    """A full-domain release of some people without the classes of fewer than k records."""
    table = pl.DataFrame(people, [*names, "illness"], orient="row")
    release = table.with_columns(
        pl.Series(
            name, [TAXONOMIES[name].generalize(v, level) for v in table[name]], dtype=pl.String
        )
        for name, level in zip(names, levels, strict=True)
    ).filter(pl.len().over(names) >= k)
    return of_records(
        quasi=names,
        sensitive=("illness",),
        people=table,
        release=release,
        taxonomies={name: TAXONOMIES[name] for name in names},
        promises=promises,
        seed=seed,
    )


def found(scene: AttackContext, **settings: int) -> Finding:
    result = run(scene, "illness", **settings)
    assert isinstance(result, Finding)
    return result


TEXTBOOK = [
    ("q1", "HIV"), ("q1", "HIV"),
    ("q2", "flu"), ("q2", "gout"), ("q2", "cold"), ("q2", "asthma"),
]  # fmt: skip


def test_beats_the_textbook_release() -> None:
    """q1 and q2 were large enough: that they were merged tells that q1 had one illness."""
    result = found(scene(TEXTBOOK, (1,)))
    assert result.success["certain"] == pytest.approx(2 / 6)
    assert result.figures["plans"] == 1
    assert result.figures["kept"] == pytest.approx(1 / 15)
    assert result.figures["changed"] == 1.0
    assert result.figures["largest_gain_over_random_worlds"] == pytest.approx(2 / 3)
    # What is left for the four of q2: their own values, one of four each.
    assert result.gain["mean"] == pytest.approx((2 * (1 - 1 / 3) + 4 * (1 / 4 - 1 / 6)) / 6)
    assert result.worst["class"] == {"town": "Q"}


def test_as_in_the_paper_with_a_bound_on_one_value() -> None:
    """Two of three ill people in a class of two, or all three in the class of five."""
    people = [("q1", "HIV"), ("q1", "HIV"), *[("q2", v) for v in ("HIV", "a", "b", "c", "d")]]
    bound = Requirement("max-posterior", {"bound": 0.5}, sensitive="illness")
    result = found(scene(people, (1,), (K2, bound)))
    # 5 assignments put two into q1, 10 put all three into q2; of 35.
    assert result.figures["kept"] == pytest.approx(15 / 35)
    # HIV in q1: surely in the 5, never in the 10. In q2: 1 of 5 in the 5, 3 of 5 in the 10.
    # Another value: one of 5 places in the 5; in q2 at all in half of the 10, then one of 5.
    beliefs = [5 / 15] * 2 + [(5 / 5 + 10 * 3 / 5) / 15] + [(5 / 5 + 10 / 10) / 15] * 4
    assert result.gain["mean"] == pytest.approx((sum(beliefs) - 3 * 3 / 7 - 4 / 7) / 7)


def test_a_release_that_few_worlds_explain_is_not_taken_for_one_that_was_not_minimal() -> None:
    """Only the five of q1 can be alike, and none of two thousand drawn orders has them so."""
    others = ["flu"] * 3 + ["asthma", "fracture", "gout", "migraine"] * 2
    people = [("q1", "HIV")] * 5 + [("q2", ill) for ill in others]
    result = found(scene(people, (1,)))
    assert result.figures["plans"] == 1
    assert result.success["0.95"] == 5 / 16
    assert "not made minimal" not in result.note


MIXED = [("q1", "HIV")] * 4 + [("q1", "flu"), ("q1", "gout")]
OTHERS = [("q2", v) for v in ("HIV", "flu", "gout", "flu")]
HALF = Requirement("max-posterior", {"bound": 0.5}, sensitive="illness")


def shown_alone(stars: bool = False) -> AttackContext:
    """The six of q1 are left out, because four have one illness; those of q2 are published."""
    here = scene([*MIXED, *OTHERS], (0,), (K2, HALF))
    release = release_of(here)
    shown = release.filter(pl.col("town") == "q2")
    if stars:
        hidden = release.filter(pl.col("town") == "q1").with_columns(town=pl.lit("*"))
        shown = pl.concat([shown, hidden])
    return of_records(
        here.quasi, here.sensitive, people_of(here), shown, here.places.taxonomies,
        promises=here.promises,
    )  # fmt: skip


def test_a_class_that_was_large_enough_was_left_out_for_its_values() -> None:
    result = found(shown_alone())
    prior = {"HIV": (1 + 1 / 3) / 5, "flu": (2 + 1 / 3) / 5, "gout": (1 + 1 / 3) / 5}
    left: Counter[str] = Counter()
    for world in product(prior, repeat=6):
        if max(Counter(world).values()) > 3:
            left[world[0]] += prod(prior[v] for v in world)  # type: ignore[assignment]
    before = {"HIV": 1 / 4, "flu": 1 / 2, "gout": 1 / 4}
    gains = [left[v] / left.total() - before[v] for _, v in MIXED]
    assert result.gain["mean"] == pytest.approx(sum(gains) / 10)
    assert (result.figures["left_out"], result.figures["left_out_alike"]) == (6, 4)
    assert "6 people were left out" in result.note
    drawn = found(shown_alone(), enumerated=1)
    assert drawn.gain["mean"] == pytest.approx(result.gain["mean"], abs=0.02)
    assert drawn.figures["left_out"] == 6


def test_rows_of_stars_tell_what_those_left_out_have() -> None:
    assert found(shown_alone(stars=True)).figures["left_out_alike"] == 4


def test_classes_that_are_too_small_are_left_out_for_that() -> None:
    people = [*TEXTBOOK, ("q3", "flu"), ("q3", "flu"), ("q3", "flu")]
    result = found(scene(people, (1,), (Requirement("k-anonymity", {"k": 4}), DIVERSE), k=4))
    assert result.figures["left_out"] == 0
    assert "left out" not in result.note


def test_resists_where_no_better_plan_is_large_enough() -> None:
    people = [("q1", "HIV"), ("q2", "flu"), ("q3", "gout"), ("q4", "cold")]
    result = found(scene(people, (1,)))
    assert result.figures["plans"] == 0
    assert result.figures["changed"] == 0.0
    assert "nothing follows" in result.note


def test_resists_where_nothing_is_generalized() -> None:
    result = found(scene([("q1", "a"), ("q1", "b"), ("q2", "a"), ("q2", "c")], (0,)))
    assert result.figures["plans"] == 0
    assert result.success["certain"] == 0.0


def test_a_release_that_was_not_made_minimal_tells_nothing() -> None:
    people = [("q1", "a"), ("q1", "b"), ("q2", "c"), ("q2", "d")]
    result = found(scene(people, (1,)))
    assert result.figures["kept"] == 0.0
    assert result.figures["changed"] == 0.0
    assert "not made minimal" in result.note


def test_two_levels_below_where_promises_are_not_monotone() -> None:
    people = [(f"q{1 + i % 4}", v) for i, v in enumerate("aabbccddabcd")]
    theta = Requirement("theta-sensitive", {"k": 2, "mu": 0.6}, sensitive="illness")
    assert found(scene(people, (2,), (theta,))).figures["plans"] == 2
    assert found(scene(people, (2,))).figures["plans"] == 1


def test_drawn_assignments_come_near() -> None:
    people = [*TEXTBOOK, ("q2", "flu"), ("q1", "HIV")]
    exact = found(scene(people, (1,)))
    drawn = found(scene(people, (1,)), enumerated=1, drawn=20000)
    assert drawn.figures["classes_drawn"] == 1
    assert drawn.gain["mean"] == pytest.approx(exact.gain["mean"], abs=0.05)
    assert drawn.success["certain"] == 0.0
    again = found(scene(people, (1,)), enumerated=1, drawn=20000)
    assert again.to_dict() == drawn.to_dict()
    other = found(scene(people, (1,), seed=1), enumerated=1, drawn=20000)
    assert other.to_dict() != drawn.to_dict()


def test_what_drawing_explains_changes_no_belief() -> None:
    random = np.random.default_rng(4)
    towns = [f"q{1 + v}" for v in random.integers(0, 4, 200)]
    illness = [f"i{v}" for v in random.integers(0, 40, 200)]
    people = list(zip(towns, illness, strict=True))
    close = Requirement("t-closeness", {"t": 0.45}, sensitive="illness")
    result = found(scene(people, (2,), (K2, close)), drawn=300)
    assert result.figures["plans"] == 1
    assert result.figures["changed"] == 0.0


class TestSkipped:
    def test_no_promise_about_values(self) -> None:
        assert isinstance(run(scene(TEXTBOOK, (1,), (K2,)), "illness"), Skipped)

    def test_no_full_domain_release(self) -> None:
        here = scene(TEXTBOOK, (1,))
        ranges = release_of(here).with_columns(town=pl.lit("{q1, q2}"))
        other = of_records(
            here.quasi, here.sensitive, people_of(here), ranges, here.places.taxonomies,
            promises=here.promises,
        )  # fmt: skip
        result = run(other, "illness")
        assert isinstance(result, Skipped)
        assert "is not known" in result.why

    def test_promises_that_are_not_looked_at(self) -> None:
        part = Requirement("distinct-l-diversity", {"l": 2}, ("town",), "illness")
        people = [(town, "f", value) for town, value in TEXTBOOK]
        both = ("town", "sex")
        assert isinstance(run(scene(people, (1, 0), (K2, part), both), "illness"), Skipped)
        unit = Requirement("k-anonymity", {"k": 2}, unit="person")
        assert isinstance(run(scene(TEXTBOOK, (1,), (unit, DIVERSE)), "illness"), Skipped)
        categories = Requirement("p-plus-sensitive", {"p": 2}, sensitive="illness")
        assert isinstance(run(scene(TEXTBOOK, (1,), (K2, categories)), "illness"), Skipped)


def test_levels_are_read_off() -> None:
    people = [("q1", "f", "a"), ("q2", "m", "b"), ("q3", "m", "a"), ("q3", "f", "a")]
    for levels in product(range(3), range(2)):
        node = node_of(scene(people, levels, names=("town", "sex")).places)
        assert node is not None
        assert node.levels == levels


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3))
def test_assignments(counts: list[int]) -> None:
    items = [value for value, count in enumerate(counts) for _ in range(count)]
    assert sorted(map(tuple, assignments(counts).tolist())) == sorted(set(permutations(items)))


def brute(
    here: AttackContext,
    node: tuple[int, ...],
    k: int,
    l: int,  # noqa: E741
) -> tuple[float, list[float | None]]:
    """Share of worlds that are left, and the belief in the value of each published person."""
    people = list(people_of(here).iter_rows())
    names = here.quasi
    cells = set(release_of(here).select(names).iter_rows())

    def at(levels: tuple[int, ...]) -> list[tuple[str, ...]]:
        return [
            tuple(
                TAXONOMIES[name].generalize(value, level)
                for name, value, level in zip(names, row, levels, strict=False)
            )
            for row in people
        ]

    shown = [i for i, cell in enumerate(at(node)) if cell in cells]
    top = at(node)

    def loss(levels: tuple[int, ...]) -> float:
        own = at(levels)
        return sum(TAXONOMIES[n].leaf_count(own[i][j]) / len(TAXONOMIES[n].leaves)
                   for i in shown for j, n in enumerate(names))  # fmt: skip

    plans = []
    for levels in product(*(range(step + 1) for step in node)):
        size = Counter(at(levels)[i] for i in shown)
        if levels != node and loss(levels) < loss(node) - 1e-9 and min(size.values()) >= k:
            plans.append(at(levels))
    classes = [[i for i in shown if top[i] == cell] for cell in sorted(cells)]
    orders = [sorted(set(permutations([people[i][-1] for i in own]))) for own in classes]
    left: list[dict[int, str]] = []
    number = 0
    for choice in product(*orders):
        world = {
            i: v for own, values in zip(classes, choice, strict=True)
            for i, v in zip(own, values, strict=True)
        }  # fmt: skip
        number += 1
        for plan in plans:
            groups: dict[tuple[str, ...], set[str]] = {}
            for i, value in world.items():
                groups.setdefault(plan[i], set()).add(value)
            if all(len(values) >= l for values in groups.values()):
                break
        else:
            left.append(world)
    beliefs: list[float | None] = [
        None if i not in shown or not left else
        sum(world[i] == people[i][-1] for world in left) / len(left)
        for i in range(len(people))
    ]  # fmt: skip
    return len(left) / number, beliefs


@settings(max_examples=80)
@given(
    people=st.lists(
        st.tuples(
            st.sampled_from(["q1", "q2", "q3"]), st.sampled_from("fm"), st.sampled_from("abc")
        ),
        min_size=3,
        max_size=7,
    ),
    levels=st.tuples(st.integers(0, 2), st.integers(0, 1)),
    k=st.integers(1, 3),
    l=st.integers(1, 2),
    at_least=st.integers(1, 2),
)
def test_every_assignment(
    people: list[tuple[str, ...]],
    levels: tuple[int, int],
    k: int,
    l: int,  # noqa: E741
    at_least: int,
) -> None:
    promises = (
        Requirement("k-anonymity", {"k": k}),
        Requirement("distinct-l-diversity", {"l": l}, sensitive="illness"),
    )
    here = scene(people, levels, promises, ("town", "sex"), k=at_least)
    assume(here.records)
    sizes = [Counter(release_of(here)["illness"].to_list())]
    assume(prod(sizes[0].values()) < 200)
    node = node_of(here.places)
    assert node is not None
    values = release_of(here).group_by(here.quasi).agg(pl.col("illness").n_unique())["illness"]
    if values.min() < l:  # type: ignore[operator]
        assert isinstance(run(here, "illness"), Skipped)
        return
    kept, beliefs = brute(here, node.levels, k, l)
    result = found(here)
    assert result.figures["kept"] == pytest.approx(kept)
    base = here.true_belief("illness")
    expected = [base[i] if own is None else own for i, own in enumerate(beliefs)]
    prior = here.true_prior("illness")
    assert result.gain["mean"] == pytest.approx(np.mean(np.array(expected) - prior))
    assert result.gain["max"] == pytest.approx(np.max(np.array(expected) - prior))


def test_classes_are_run_again_in_every_order_one_at_a_time() -> None:
    """The program puts 0, 1 and 2 together if 0 and 1 are alike, 3 and 4 whatever they have."""
    class_of, kind = np.array([0, 1, 0, 1, 0], np.int32), np.array([0, 0, 0, 1, 1])
    asked: list[list[int]] = []

    def same(donors: np.ndarray[Any, np.dtype[np.int64]]) -> bool:
        asked.append(donors.tolist())
        return bool(kind[donors[0]] == kind[donors[2]])

    own = np.eye(2, dtype=np.bool_)
    left = Rerun(class_of, same, 5).left_over(kind, own, 60, 0)
    assert left.likely.tolist() == [1.0, 0.5, 1.0, 0.5, 1.0]
    assert (left.enumerated, left.orders) == (2, len(asked)) == (2, 5)
    assert all(sorted(one) == [0, 1, 2, 3, 4] for one in asked)
    few = Rerun(class_of, same, 4).left_over(kind, own, 60, 0)
    assert np.isnan(few.likely).sum() in (2, 3)
    assert np.isnan(Rerun(class_of, same, 5).left_over(kind, own, 2, 0).likely).sum() == 3
