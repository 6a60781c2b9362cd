"""Down-coding against every way in which a class could have come about."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_classes, of_records

from indistinct.analytics.attacks import AttackContext, Finding, Skipped
from indistinct.analytics.attacks.down_coding import (
    _all_large,
    _of_branches,
    _of_forced,
    meaning,
    run,
)
from indistinct.hierarchies.cells import Coverage, range_text, set_text
from indistinct.hierarchies.dates import dates_taxonomy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.requirement import Requirement

AGES = Taxonomy("age", [[str(age), f"{age // 10}0s", "*"] for age in range(20, 40)])
TOWNS = Taxonomy(
    "town",
    [["Bonn", "Rhine", "*"], ["Köln", "Rhine", "*"], ["Ulm", "South", "*"], ["Hof", "South", "*"],
     ["Jena", "*"]],
)  # fmt: skip


def scene(
    people: list[tuple[str, ...]],
    release: list[tuple[str, ...]],
    promises: tuple[Requirement, ...] = (),
) -> AttackContext:
    return of_records(
        quasi=("age", "town"),
        sensitive=(),
        people=pl.DataFrame(people, ["age", "town"], orient="row"),
        release=pl.DataFrame(release, ["age", "town"], orient="row"),
        taxonomies={"age": AGES, "town": TOWNS},
        promises=promises,
    )


def found(scene: AttackContext) -> Finding:
    result = run(scene, None)
    assert isinstance(result, Finding)
    assert result.sensitive is None
    return result


def test_beats_pairs_with_ranges() -> None:
    """The two of a pair have the two ends of its range."""
    people = [("20", "Ulm"), ("29", "Ulm"), ("25", "Ulm"), ("33", "Ulm")]
    release = [("[20, 29]", "Ulm")] * 2 + [("[25, 33]", "Ulm")] * 2
    figures = found(scene(people, release)).figures
    assert figures["age.generalized"] == 4
    assert figures["age.sharpened"] == 1.0
    assert figures["age.width_before"] == pytest.approx((10 + 9) / 2)
    assert figures["age.width_after"] == 1.0
    assert figures["town.generalized"] == 0
    assert figures["sharpened"] == 1.0


def test_beliefs_in_a_pair() -> None:
    people = [("20", "Ulm"), ("29", "Ulm")]
    result = found(scene(people, [("[20, 29]", "Ulm")] * 2))
    assert result.prior == {"0.5": 0.5, "0.95": 0.5, "certain": 0.5}
    assert result.success == {"0.5": 1.0, "0.95": 0.5, "certain": 0.5}
    assert result.gain == pytest.approx({"mean": 0.2, "max": 0.4})
    assert result.worst["class"] == {"age": "[20, 29]", "town": "Ulm"}
    assert "100.0%" in result.note


def test_the_ends_of_a_range_of_dates_are_known_where_one_value_fits() -> None:
    days = dates_taxonomy("day", ["2019-01-05", "2019-02-03", "2019-02-07", "2019-04-01"])
    coverage = Coverage(days)
    for cell, forced in (
        ("[2019-01, 2019-04]", 2),
        ("[2019-01-05, 2019-02-07]", 2),
        ("[2019-01, 2019-02]", 0),
        ("{[2019-01, 2019-04], 2019-02-07}", 3),
    ):
        assert meaning(cell, days, coverage).forced == forced, cell


def test_a_node_of_two_branches() -> None:
    people = [("20", "Bonn"), ("20", "Köln"), ("20", "Bonn"), ("30", "Hof")]
    release = [("20", "Rhine")] * 3 + [("30", "Hof")]
    figures = found(scene(people, release)).figures
    assert figures["town.sharpened"] == pytest.approx(2 / 3)
    assert figures["town.width_after"] == pytest.approx((1 + 1 + 2) / 3)


def test_resists_a_class_that_is_large() -> None:
    people = [(str(20 + i % 20), "Ulm") for i in range(400)]
    result = found(scene(people, [("[20, 39]", "Ulm")] * 400))
    assert float(result.figures["age.sharpened"] or 0) == pytest.approx(2 / 400)
    assert result.gain["max"] < 0.01


def test_resists_cells_that_are_wider_than_they_have_to_be() -> None:
    people = [("21", "Ulm"), ("28", "Ulm"), ("25", "Ulm"), ("33", "Ulm")]
    release = [("[20, 29]", "Ulm")] * 2 + [("[25, 33]", "Ulm")] * 2
    result = found(scene(people, release))
    assert result.figures["age.minimal"] == 0
    assert result.figures["sharpened"] == 0.0
    assert result.gain == {"mean": 0.0, "max": 0.0}
    assert "No generalized cell" in result.note


def test_levels_are_not_taken_for_ancestors() -> None:
    people = [("21", "Ulm"), ("28", "Hof"), ("33", "Ulm"), ("33", "Hof")]
    release = [("20s", "South")] * 2 + [("30s", "South")] * 2
    result = found(scene(people, release))
    assert result.figures["town.sharpened"] == 0.0
    assert result.figures["age.minimal"] == 0


def test_a_minimal_node_tells_how_a_class_is_spread() -> None:
    """One class of four in Rhine: if Bonn and Köln had two each, Rhine would not be needed."""
    people = [("20", "Bonn"), ("20", "Bonn"), ("20", "Bonn"), ("20", "Köln")]
    two = (Requirement("k-anonymity", {"k": 2}),)
    result = found(scene(people, [("20", "Rhine")] * 4, two))
    assert result.figures["town.minimal"] == 1
    # Of 16 spreads 6 + 2 would do with Bonn and Köln; 8 are left, and Bonn is as likely as Köln.
    assert result.gain["max"] == pytest.approx(0.0)
    assert result.figures["changed"] == 0.0
    rhine, south = ("Bonn", "Köln"), "abcdef"
    chains = [[t, "Rhine", "*"] for t in rhine] + [[t, "South", "*"] for t in south]
    wider = Taxonomy("town", chains)
    here = of_records(
        ("town",), (), pl.DataFrame({"town": ["Bonn", "a", "b"]}),
        pl.DataFrame({"town": ["*"] * 3}), {"town": wider}, promises=two,
    )  # fmt: skip
    changed = found(here)
    # Spreads of 3 over 8 towns with exactly one in Rhine (3·2·36) or one in South (3·6·4) of 512.
    kept = 3 * 2 * 36 + 3 * 6 * 4
    assert changed.figures["town.minimal"] == 1
    belief_rhine = (36 + 2 * 2 * 6) / kept  # Bonn first: two of South, or one of Rhine and one not
    belief_south = (4 + 2 * 2 * 6) / kept
    assert changed.gain["mean"] == pytest.approx((belief_rhine + 2 * belief_south) / 3 - 1 / 8)
    left_out = found(scene(people, [*[("20", "Rhine")] * 4, ("*", "*")], two))
    assert left_out.figures["town.minimal"] == 0
    other = (*two, Requirement("distinct-l-diversity", {"l": 2}, sensitive="town"))
    assert found(scene(people, [("20", "Rhine")] * 4, other)).figures["town.minimal"] == 0


def test_skipped() -> None:
    assert isinstance(run(scene([("20", "Ulm")], []), None), Skipped)


def test_people_left_out_are_believed_to_have_anything() -> None:
    people = [("20", "Ulm"), ("21", "Ulm"), ("39", "Hof")]
    result = found(scene(people, [("[20, 21]", "Ulm")] * 2))
    assert result.prior["0.5"] == pytest.approx(4 / 6)
    assert result.prior["certain"] == pytest.approx(2 / 6)
    assert result.gain["mean"] == pytest.approx(0.0)


def test_same_again() -> None:
    here = of_classes([["a", "b"], ["a", "c", "c"]])
    assert found(here).to_dict() == found(here).to_dict()


@given(st.integers(1, 5), st.integers(0, 5), st.integers(1, 5))
def test_values_that_have_to_occur(width: int, forced: int, size: int) -> None:
    assume(forced <= min(width, size))
    worlds = [w for w in product(range(width), repeat=size) if set(range(forced)) <= set(w)]
    other, own = _of_forced(width, forced, size)
    if forced:
        assert own == pytest.approx(sum(w[0] == 0 for w in worlds) / len(worlds))
    if forced < width:
        assert other == pytest.approx(sum(w[0] == width - 1 for w in worlds) / len(worlds))


def test_large_classes_are_counted_alike() -> None:
    for forced in (1, 2, 3):
        exact = _of_forced.__wrapped__(12, forced, 64)
        near = _of_forced.__wrapped__(12, forced, 65)
        assert near == pytest.approx(exact, rel=1e-2)
        assert 12 - forced > 0
        assert (12 - forced) * near[0] + forced * near[1] == pytest.approx(1.0)


@given(st.lists(st.integers(1, 3), min_size=2, max_size=3), st.integers(2, 4))
def test_branches(sizes: list[int], size: int) -> None:
    branch = np.repeat(np.arange(len(sizes)), sizes).tolist()
    worlds = [
        w for w in product(range(len(branch)), repeat=size) if len({branch[v] for v in w}) > 1
    ]
    beliefs = _of_branches(len(branch), tuple(sizes), size)
    for number, belief in enumerate(beliefs):
        own = branch.index(number)
        assert belief == pytest.approx(sum(w[0] == own for w in worlds) / len(worlds))


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 4))
def test_branches_that_are_all_large(sizes: list[int], size: int, k: int) -> None:
    branch = np.repeat(np.arange(len(sizes)), sizes).tolist()
    shares = tuple(part / len(branch) for part in sizes)
    worlds = list(product(branch, repeat=size))
    good = [w for w in worlds if all(w.count(b) >= k for b in set(w))]
    every, given_ = _all_large(shares, size, k)
    assert every == pytest.approx(len(good) / len(worlds))
    for number, chance in enumerate(given_):
        with_it = [w for w in worlds if w[0] == number]
        assert chance == pytest.approx(sum(w in good for w in with_it) / len(with_it))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(20, 29), st.sampled_from(TOWNS.leaves)), min_size=2, max_size=4),
    st.sampled_from(["range", "set"]),
)
def test_every_class_there_could_be(people: list[tuple[int, str]], style: str) -> None:
    """One class with tight cells: enumerate all classes that would be published so."""

    def publish(values: list[tuple[int, str]]) -> tuple[str | None, str | None]:
        ages = sorted(str(age) for age, _ in values)
        age = range_text(ages[0], ages[-1]) if style == "range" else set_text(sorted(set(ages)))
        return age, TOWNS.lowest_common_ancestor([town for _, town in values])

    cell = publish(people)
    texts = [(str(age), town) for age, town in people]
    fixed = ("39", "Jena")
    here = scene([*texts, fixed], [cell] * len(people) + [fixed])  # type: ignore[list-item]
    result = found(here)
    covered = [
        [leaf for leaf, held in zip(t.leaves, Coverage(t).mask(c), strict=True) if held]
        for t, c in zip((AGES, TOWNS), cell, strict=True)
    ]
    gains = []
    for j in range(2):
        whole = [
            world
            for world in product(covered[j], repeat=len(people))
            if publish(
                [(int(v), "Ulm") if j == 0 else (20, v) for v in world]  # type: ignore[misc]
            )[j] == cell[j]
        ]  # fmt: skip
        for person in texts:
            share = sum(world[0] == person[j] for world in whole) / len(whole)
            gains.append(share - 1 / len(covered[j]))
    assert result.gain["mean"] == pytest.approx(sum(gains) / (2 * len(people) + 2))
    assert result.gain["max"] == pytest.approx(max(0.0, *gains))


def test_what_cells_mean() -> None:
    coverage = Coverage(AGES)
    assert meaning("[20, 22]", AGES, coverage).forced == 2
    assert meaning("{20, 23, 25}", AGES, coverage).forced == 3
    assert meaning("20s", AGES, coverage).branches == (1,) * 10
    assert meaning("*", AGES, coverage).branches == (10, 10)
    assert not meaning("25", AGES, coverage).says_something
    assert not meaning("[15, 22]", AGES, coverage).says_something
    assert not meaning("unheard of", AGES, coverage).says_something
    assert meaning("*", TOWNS, Coverage(TOWNS)).branches == (2, 2, 1)
    with_missing = AGES.extended("value")
    tight = meaning('{"[20, 22]", missing}', with_missing, Coverage(with_missing))
    assert tight.forced == 3
    gone = AGES.extended("suppress")
    assert not meaning("*", gone, Coverage(gone)).says_something
