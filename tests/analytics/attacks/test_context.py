"""What attackers of people are given, held against the paper's tables and against all worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records
from tests.analytics.attacks.people_contexts import (
    CATEGORIES,
    EC,
    QUASI,
    SYMPTOMS,
    TABLE_1,
    lists,
    of_lists,
    of_people,
    table_12,
)

from indistinct.analytics.attacks import non_membership, worst_posterior
from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.weighted import Lists, MadeLists, Weighted
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata

POSTERIOR = (
    {"Mild": "1/4", "Severe": "1/4", "Low": "1/4", "A-symptomatic": "1/4"},
    {"Mild": "5/12", "Severe": "1/4", "Low": "1/3"},
    {"High": "1/4", "Severe": "1/4", "Low": "1/4", "A-symptomatic": "1/4"},
    {"High": "1/6", "Severe": "1/6", "Low": "4/9", "Mild": "2/9"},
)
"""Belief in each category, by the classes of Table 12 (a)."""

EXCLUDED = ({"High"}, {"A-symptomatic", "High"}, {"Mild"}, {"A-symptomatic"})


def test_who_knows_less_fits_more_classes() -> None:
    tree = {name: Taxonomy(name, [(v, "*") for v in "abc"]) for name in ("q", "r")}
    people = pl.DataFrame({"q": ["a", "a", "b", "c"], "r": ["a", "b", "a", "c"], "s": list("wxyz")})
    stars = people.with_columns(
        q=pl.Series(["a", "a", "b", "*"]), r=pl.Series(["a", "b", "*", "*"])
    )
    scene = of_records(("q", "r"), ("s",), people, stars, tree)
    assert scene.true_belief("s").tolist() == [1, 1, 1, 1]
    less = scene.knowing(["q"])
    assert less.quasi == ("q", "r")
    assert less.classes.cells.equals(scene.classes.cells)
    assert less.places.rows_of.tolist() == [2, 2, 1, 1]
    assert less.true_belief("s").tolist() == [0.5, 0.5, 1, 1]
    # The row b, * may be anybody's of whom only r is known; the row of stars is nobody else's.
    other = scene.knowing(["r"])
    assert other.places.rows_of.tolist() == [2, 2, 2, 1]
    assert other.true_belief("s").tolist() == [0.5, 0.5, 0.5, 0]
    assert scene.knowing(["q", "r"]).true_belief("s").tolist() == [1, 1, 1, 1]
    twice = replace(scene, second=scene).knowing(["q"])
    assert twice.second is not None
    assert twice.second.places.known == ("q",)
    # Of further releases those count that have some of what is known, by what they have of it.
    of_q, both = (
        of_records(
            quasi=quasi,
            sensitive=("s",),
            people=people.select(*quasi, "s"),
            release=stars.select(*quasi, "s"),
            taxonomies={name: tree[name] for name in quasi},
        )
        for quasi in (("q",), ("q", "r"))
    )
    chain = replace(scene, second=replace(of_q, second=both))
    by_r, by_both = chain.knowing(["r"]).second, chain.knowing(["q", "r"]).second
    assert by_r is not None
    assert by_r.places.quasi == ("q", "r")
    assert by_r.second is None
    assert by_both is not None
    assert (by_both.places.quasi, by_both.places.known) == (("q",), ("q",))
    assert replace(scene, second=of_q).knowing(["r"]).second is None
    for wrong in ([], ["t"]):
        with pytest.raises(ValueError, match="quasi-identifiers are"):
            scene.knowing(wrong)


def test_what_nobody_has_is_pooled_as_nothing() -> None:
    """Ten classes that all fit everybody list a value of which there is nothing."""
    tree = {"q": Taxonomy("q", [(v, "*") for v in "abcdefghij"]), "r": Taxonomy("r", [("x",)])}
    people = pl.DataFrame({"q": [*"abcdefghij"], "r": ["x"] * 10, "s": ["w"] * 10})
    scene = of_records(("q", "r"), ("s",), people, people, tree).knowing(["r"])
    each = np.arange(11), np.zeros(10, np.int32)
    for amount in (np.zeros(10), np.eye(10)[9]):
        found = scene.over_rows(Weighted(*each, amount), 1)
        assert found.pooled.indptr.tolist() == [0, 1]
        assert found.pooled.amount.tolist() == [amount.sum()]
        assert found.prior.tolist() == [amount.mean()]


def class_at(scene: AttackContext, ec: int) -> int:
    rows = scene.classes.cells.rows()
    return rows.index(EC[ec])


def test_beliefs_in_the_classes_of_table_12() -> None:
    scene = table_12()
    held, labels = scene.spread("s").held.dense(5), scene.labels("s")
    for ec, wanted in enumerate(POSTERIOR):
        at = class_at(scene, ec)
        found = held[at] / scene.classes.size[at]
        for label, belief in zip(labels, found, strict=True):
            assert belief == pytest.approx(float(Fraction(wanted.get(label, "0"))))
        assert {label for label, b in zip(labels, found, strict=True) if b == 0} == EXCLUDED[ec]
    most = max(Fraction(belief) for own in POSTERIOR for belief in own.values())
    found_most = worst_posterior.run(scene, "s")
    assert found_most.figures["largest"] == pytest.approx(float(most))


def test_values_that_table_12_excludes() -> None:
    found = non_membership.run(table_12(), "s")
    # Two people are in every class.
    assert found.figures["excluded_pairs"] == sum(2 * len(own) for own in EXCLUDED)
    assert found.figures["exclusion_rate"] == 10 / (8 * 5)
    assert found.figures["support_smallest"] == 3
    assert found.worst["excluded"] == 2


def test_everybody_of_table_1_meets_the_own_class_only() -> None:
    scene = table_12()
    group = {"p1": 0, "p5": 0, "p2": 1, "p6": 1, "p3": 2, "p7": 2, "p4": 3, "p8": 3}
    for at, person in enumerate(TABLE_1):
        met = scene.places.candidate_sets[scene.set_of[at]]
        assert met.tolist() == [class_at(scene, group[person])]


def test_all_categories_of_a_person_are_true() -> None:
    scene = table_12()
    own, labels = scene.own("s"), scene.labels("s")
    had = [{labels[at] for at in own.label[own.person == person]} for person in range(len(TABLE_1))]
    assert had[0] == {"Low", "Mild"}
    assert had[1] == {"High", "Severe"}
    assert had[6] == {"A-symptomatic"}
    assert own.values[own.person == 0].tolist() == [1, 2]


def test_a_label_speaks_for_those_above_it() -> None:
    chains = (("flu", "lung", "*"), ("asthma", "lung", "*"), ("gout", "joint", "*"))
    scene = of_people(
        [[["flu"], ["gout"]]],
        published=[["flu"], ["lung", "joint"]],
        known={"s": ValueMetadata(chains=chains)},
    )
    covering, labels = scene.covering("s"), scene.labels("s")
    assert labels == ("flu", "joint", "lung")
    assert [covering.implied[at].tolist() for at in range(3)] == [[0, 2], [1], [2]]
    assert covering.touching[2].tolist() == [0, 2]
    assert not covering.plain
    assert scene.exact("s").tolist() == [True, False, False]
    assert scene.spread("s").prior.tolist() == [0.5, 0.5, 1.0]
    assert scene.listed("s").prior.tolist() == [0.5, 0.5, 0.5]


def test_ranges_and_stars_are_read() -> None:
    scene = of_people([[["20"], ["25"], ["40"]]], published=[["[20, 30]"], ["*"], ["odd"]])
    covering = scene.covering("s")
    under = {
        label: {covering.values[v] for v in covering.under[at]}
        for at, label in enumerate(scene.labels("s"))
    }
    assert under["[20, 30]"] == {"20", "25"}
    assert under["*"] >= {"20", "25", "40"}
    assert under["odd"] == {"odd"}


def test_a_set_that_is_listed_speaks_for_its_members() -> None:
    scene = of_people(
        [[["a", "b"], ["b", "c"], ["a"]]],
        published=[["{a, b}", "{b, c}", "a"]],
        bucket_of=[0, 0, 0],
        semantics="one",
    )
    assert scene.labels("s") == ("a", "b", "c")
    assert scene.lists_sets("s")
    np.testing.assert_allclose(scene.spread("s").prior, [2 / 3, 2 / 3, 1 / 3])
    np.testing.assert_allclose(scene.true_belief("s"), [2 / 3, 2 / 3, 2 / 3])
    odd = of_people([[["{a, b}"]]])
    assert odd.labels("s") == ("{a, b}",)


def test_what_is_missing_is_no_truth_of_who_has_a_value() -> None:
    scene = of_people([[["flu", None], [None], [None, None]]])
    own = scene.own("s")
    assert own.number.tolist() == [1, 1, 1]
    assert scene.labels("s") == ("flu", None)
    assert own.label.tolist() == [0, 1, 1]


def test_a_release_of_records_is_one_of_people_with_one_each() -> None:
    people = pl.DataFrame({"q": ["a", "b", "c"], "s": ["x", "y", "x"]})
    release = pl.DataFrame({"q": ["*", "*", "c"], "s": ["x", "y", "x"]})
    scene = of_records(
        quasi=("q",),
        sensitive=("s",),
        people=people,
        release=release,
        taxonomies={"q": Taxonomy("q", [(value, "*") for value in "abc"])},
    )
    other = of_lists(
        quasi=("q",),
        sensitive=("s",),
        people=people.select("q"),
        rows=release.select("q"),
        taxonomies=scene.places.taxonomies,
        values={"s": lists([[value] for value in people["s"]])},
        bucket_of=np.arange(3, dtype=np.int32),
        buckets={"s": lists([[value] for value in release["s"]])},
        semantics="all",
    )
    np.testing.assert_allclose(other.true_belief("s"), scene.true_belief("s"))
    np.testing.assert_allclose(other.true_prior("s"), scene.true_prior("s"))
    assert scene.one_record_each
    assert not scene.linked


def test_the_belief_of_some_people_is_theirs_among_all() -> None:
    for scene in (table_12(), of_people([[["a"], ["a", "b"]], [["c"], ["b"], ["a"]]])):
        every = scene.true_belief("s")
        for chosen in ([], [2], [3, 0], list(range(len(every)))):
            some = scene.belief_of("s", np.array(chosen, np.int64))
            assert some.tolist() == every[chosen].tolist()


def test_what_is_let_go_is_found_again() -> None:
    first, second = table_12(), table_12()
    scene = replace(first, second=second)
    before = [one.true_belief("s").tolist() for one in (scene, second)]
    scene.once("people", "", lambda _: "kept")
    scene.forget()
    assert scene.once("people", "", lambda _: "anew") == "kept"
    assert scene.once("belief", "s", lambda _: "anew") == "anew"
    assert scene.second is second
    assert second.once("true_belief", "s", lambda _: None) is None
    scene.forget()
    assert [one.true_belief("s").tolist() for one in (scene, second)] == before


def test_columns_are_laid_out_when_they_are_asked_for() -> None:
    made = list[str]()

    def make(name: str) -> Lists:
        made.append(name)
        return lists([[name]])

    columns = MadeLists(["a", "b"], make)
    assert (list(columns), len(columns), made) == (["a", "b"], 2, [])
    assert ("a" in columns, "c" in columns, made) == (True, False, [])
    assert columns["b"].labels == ("b",)
    assert made == ["b"]
    with pytest.raises(KeyError):
        columns["c"]


def test_semantics_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="bucket_semantics must be one of"):
        of_people([[["a"]]], semantics="few")


def test_scenes_have_the_tables_of_the_paper() -> None:
    assert SYMPTOMS.categories is CATEGORIES
    assert tuple(table_12().people.columns) == QUASI


# Beliefs against all worlds

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5)
LABELS = ("a", "b", "c")


def worlds_of_one(rows: Sequence[int], listed: Sequence[Sequence[str]]) -> Iterator[list[set[str]]]:
    """Every way to deal the values of buckets to their rows."""
    members = {b: [at for at, own in enumerate(rows) if own == b] for b in set(rows)}
    for dealt in product(*(list(permutations(listed[b])) for b in members)):
        world: list[set[str]] = [set() for _ in rows]
        for own, values in zip(members.values(), dealt, strict=True):
            for row, value in zip(own, values, strict=True):
                world[row] = {value}
        yield world


def worlds_of_some(
    rows: Sequence[int], listed: Sequence[Sequence[str]]
) -> Iterator[list[set[str]]]:
    """Every way to say who of a bucket has each of its values."""
    choices: list[list[tuple[str, tuple[int, ...]]]] = []
    for b in set(rows):
        members = [at for at, own in enumerate(rows) if own == b]
        for value in sorted(set(listed[b])):
            number = listed[b].count(value) if isinstance(listed[b], list) else 0
            choices.append([(value, who) for who in combinations(members, number)])
    for chosen in product(*choices):
        world: list[set[str]] = [set() for _ in rows]
        for value, who in chosen:
            for row in who:
                world[row].add(value)
        yield world


@settings(max_examples=60)
@given(ROWS, st.data())
def test_beliefs_are_those_of_random_worlds(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    holding = data.draw(st.sampled_from(["one", "some", "all"]))
    class_of, bucket_of = zip(*rows, strict=True)
    listed: list[list[str]] = []
    for bucket in range(3):
        size = bucket_of.count(bucket)
        if holding == "one":
            listed.append(
                data.draw(st.lists(st.sampled_from(LABELS), min_size=size, max_size=size))
            )
        elif holding == "some":
            counts = [data.draw(st.integers(0, size)) for _ in LABELS]
            listed.append([v for v, n in zip(LABELS, counts, strict=True) for _ in range(n)])
        else:
            listed.append(sorted(data.draw(st.sets(st.sampled_from(LABELS)))))
    numbers = sorted(set(class_of))
    people = [[["a"] for own in class_of if own == number] for number in numbers]
    order = [at for number in numbers for at, own in enumerate(class_of) if own == number]
    scene = of_people(
        people, published=listed, bucket_of=[bucket_of[at] for at in order], semantics=holding
    )
    if holding == "all":
        worlds = [[set(listed[b]) for b in bucket_of]]
    else:
        worlds = list((worlds_of_one if holding == "one" else worlds_of_some)(bucket_of, listed))
    labels = scene.labels("s")
    held = scene.spread("s").held.dense(len(labels))
    for at, number in enumerate(numbers):
        own = [row for row, group in enumerate(class_of) if group == number]
        for code, label in enumerate(labels):
            wanted = Fraction(
                sum(label in world[row] for world in worlds for row in own), len(worlds) * len(own)
            )
            assert held[at, code] / scene.classes.size[at] == pytest.approx(float(wanted))


def test_lists_count_what_is_there_twice() -> None:
    part = lists([["b", "a", "b"], [], [None]])
    assert part.labels == ("a", "b", None)
    assert part.dense(3).tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 1]]
