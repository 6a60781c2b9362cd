"""The rules of theta and p+ as nets: what is so in every final marking, and where attackers win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import indistinct as ind
from indistinct_reproductions import khan_tables
from indistinct_reproductions.khan_nets import (
    CATEGORIES,
    SYMPTOMS,
    TABLE_1A,
    TABLE_1B,
    TABLE_4A,
    TABLE_4B,
    VISITS,
    Known,
    Published,
    Record,
    Release,
    Row,
    disclosed,
    exchanges,
    full_variance,
    intersecting,
    looking_up,
    one_each,
    p_plus_net,
    p_plus_start,
    rank_variance,
    releases,
    start,
    stripping,
    theta_net,
)
from indistinct_reproductions.khan_replay import Remade, best_members, chunks, frame_of, policy
from indistinct_reproductions.khan_tables import TABLE_8A, TABLE_8B, Released
from indistinct_reproductions.net_tokens import flat_marking, flat_release
from indistinct_reproductions.nets import Marking, Reached, reachable

CHUNKS = None
STARTS: Mapping[str, Sequence[Sequence[str]] | None] = {
    "chunks of four": CHUNKS,
    "Table 4a": TABLE_4A,
    "Table 4b": TABLE_4B,
}
THETA = Fraction(3, 4)
LEVELS = tuple(dict.fromkeys(SYMPTOMS.values()))


def explore(
    classes: Sequence[Sequence[str]] | None,
    *,
    guard: bool = True,
    categories: Mapping[str, str] = CATEGORIES,
    strips: bool = False,
) -> Reached:
    """All markings of the theta net on Table 1a."""
    adversary = stripping(categories) if strips else looking_up(categories)
    net = theta_net(CATEGORIES, adversary, guard=guard)
    return reachable(net, start(TABLE_1A, classes, k=4))


def published(reached: Reached) -> list[Release]:
    """What is published in each final marking: exactly one release."""
    found = [releases(marking) for marking in reached.final]
    assert all(len(some) == 1 for some in found)
    return [some[0] for some in found]


@pytest.mark.parametrize(
    ("classes", "printed"),
    [
        (TABLE_1B, khan_tables.TABLE_1B),
        (TABLE_4A, khan_tables.TABLE_4A),
        (TABLE_4B, khan_tables.TABLE_4B),
    ],
)
def test_who_is_in_a_class_fits_what_is_printed(
    classes: Sequence[Sequence[str]], printed: Released
) -> None:
    best = [{person.name for person in group} for group in best_members(printed)]
    assert [set(names) for names in classes] == best


class TestTheta:
    """Khan and others, section 5.3, Rules 2 to 9."""

    @pytest.mark.parametrize("guard", [True, False])
    @pytest.mark.parametrize("name", STARTS)
    def test_every_end_keeps_the_promise_and_the_attack_yields_nothing(
        self, name: str, guard: bool
    ) -> None:
        reached = explore(STARTS[name], guard=guard)
        assert reached.always_ends
        assert reached.stuck == ()
        assert "S-Variance Attack" not in reached.fired
        real = Counter(record.row.value for record in TABLE_1A)
        for marking, release in zip(reached.final, published(reached), strict=True):
            assert disclosed(marking) == ()
            assert all(rank_variance(group.values) >= THETA for group in release)
            assert all(len(group.values) >= 4 for group in release)
            assert not real - Counter(value for group in release for value in group.values)

    @pytest.mark.parametrize("name", STARTS)
    def test_noise_is_added_to_the_chunks_alone(self, name: str) -> None:
        added = {
            sum(len(group.values) for group in release) - 12
            for release in published(explore(STARTS[name]))
        }
        assert added == ({1} if name == "chunks of four" else {0})

    @pytest.mark.parametrize(
        ("name", "table"), [("chunks of four", TABLE_8A), ("Table 4b", TABLE_8B)]
    )
    def test_the_printed_tables_are_among_the_ends(self, name: str, table: Released) -> None:
        printed = tuple(tuple(sorted(group.diseases)) for group in table.classes)
        ends = [tuple(group.values for group in end) for end in published(explore(STARTS[name]))]
        assert printed in ends

    def test_the_attack_is_alive(self) -> None:
        """Negative control: the classes as they were, published without any adjustment."""
        reached = reachable(p_plus_net(1), p_plus_start(TABLE_1A, TABLE_4A, k=4, p=1))
        assert "S-Variance Attack" in reached.fired
        chunks = [[r.person for r in TABLE_1A[at : at + 4]] for at in (0, 4, 8)]
        reached = reachable(p_plus_net(1), p_plus_start(TABLE_1A, chunks, k=4, p=1))
        groups = {found.group for m in reached.final for found in disclosed(m)}
        assert groups == {0, 2}

    def test_classes_that_are_too_small_are_not_published(self) -> None:
        net = theta_net(CATEGORIES, looking_up(CATEGORIES))
        reached = reachable(net, start(TABLE_1A, TABLE_1B, k=4))
        assert [releases(marking) for marking in reached.final] == [()]
        assert reached.final[0].tokens("CondTF") == (False,)

    def test_who_leaves_noise_out_wins_wherever_there_is_some(self) -> None:
        with_noise = explore(CHUNKS, strips=True)
        assert all(disclosed(marking) for marking in with_noise.final)
        attacks = {found.attack for marking in with_noise.final for found in disclosed(marking)}
        assert attacks == {"sensitive variance"}
        for without in (TABLE_4A, TABLE_4B):
            assert "S-Variance Attack" not in explore(without, strips=True).fired

    def test_variance_does_not_see_categories(self) -> None:
        """Four values of one category have full variance: one attack does not cover the other."""
        acute = {"HIV", "Cancer", "Flu", "Indigestion"}
        coarse = {value: "1" if value in acute else "2" for value in CATEGORIES}
        reached = explore(TABLE_4A, categories=coarse)
        assert all(disclosed(marking) for marking in reached.final)
        attacks = {found.attack for marking in reached.final for found in disclosed(marking)}
        assert attacks == {"categorical similarity"}

    def test_where_no_value_is_left_nothing_is_published(self) -> None:
        """Two values cannot reach theta(4): the run ends in need of noise."""
        rows = [Record(str(at), Row((at,), "ab"[at % 2])) for at in range(4)]
        net = theta_net("ab", looking_up({"a": "1", "b": "2"}))
        reached = reachable(net, start(rows, k=4))
        assert reached.always_ends
        assert [releases(marking) for marking in reached.final] == [()]
        assert reached.final[0].tokens("Need Noise")


class TestAsPrinted:
    """Algorithm 1 to the letter can go on for ever."""

    def rows(self) -> list[Record]:
        values = ["a"] * 6 + ["b", "a", "b"]
        return [Record(str(at), Row((at,), value)) for at, value in enumerate(values)]

    def run(self, as_printed: bool) -> Reached:
        classes = [[str(at) for at in range(7)], ["7", "8"]]
        net = theta_net("abc", looking_up({"a": "1", "b": "2", "c": "3"}), as_printed=as_printed)
        return reachable(net, start(self.rows(), classes, k=2))

    def test_a_partner_without_a_new_value_is_found_again_and_again(self) -> None:
        reached = self.run(as_printed=True)
        assert reached.stuck
        assert not reached.always_ends
        assert reached.final == ()

    def test_the_repaired_rules_add_noise_there(self) -> None:
        reached = self.run(as_printed=False)
        assert reached.always_ends
        (release,) = published(reached)
        assert release[0].values == ("a",) * 6 + ("b", "c")


class TestPPlus:
    """Khan and others, section 4, Rule 1."""

    @pytest.mark.parametrize(
        ("classes", "p", "alpha", "losing"),
        [
            (TABLE_4A, 2, None, {2}),
            (TABLE_4B, 2, None, {0, 2}),
            (TABLE_4B, 3, Fraction(1), {0, 2}),
        ],
    )
    def test_the_promise_holds_and_the_attacker_wins(
        self,
        classes: Sequence[Sequence[str]],
        p: int,
        alpha: Fraction | None,
        losing: set[int],
    ) -> None:
        net = p_plus_net(p, alpha=alpha)
        reached = reachable(net, p_plus_start(TABLE_1A, classes, k=4, p=p))
        (final,) = reached.final
        assert len(final.tokens("CondTF")) == 3
        assert reached.path(final)[-1] == "S-Variance Attack"
        assert {found.group for found in disclosed(final)} == losing
        assert {found.attack for found in disclosed(final)} == {"sensitive variance"}

    def test_more_categories_than_there_are_are_not_published(self) -> None:
        reached = reachable(p_plus_net(3), p_plus_start(TABLE_1A, TABLE_4A, k=4, p=3))
        (final,) = reached.final
        assert releases(final) == disclosed(final) == ()

    def test_two_anonymous_classes_fall_to_all_three(self) -> None:
        reached = reachable(p_plus_net(1), p_plus_start(TABLE_1A, TABLE_1B, k=2, p=1))
        (final,) = reached.final
        by_attack: dict[str, set[int | None]] = {}
        for found in disclosed(final):
            by_attack.setdefault(found.attack, set()).add(found.group)
        assert {attack: len(groups) for attack, groups in by_attack.items()} == {
            "homogeneity": 3,
            "categorical similarity": 4,
            "sensitive variance": 3,
        }

    def test_a_diverse_table_gives_nothing_away(self) -> None:
        """Negative control: the same net on an end of the theta net."""
        diverse = (
            ("Johanna", "Michael", "Julian", "Denise"),
            ("Kaleem", "Eva", "Haris", "Paul"),
            ("Judith", "Janette", "Yin Li", "Beverly"),
        )
        values = {record.person: record.row.value for record in TABLE_1A}
        kept = [len({values[person] for person in people}) for people in diverse]
        reached = reachable(p_plus_net(2), p_plus_start(TABLE_1A, diverse, k=4, p=2))
        assert kept == [3, 4, 3]
        assert {found.group for m in reached.final for found in disclosed(m)} == {0, 2}
        better = (("Julian", "Judith", "Paul", "Denise"), ("Kaleem", "Eva", "Haris", "Yin Li"))
        left = [r for r in TABLE_1A if any(r.person in people for people in better)]
        reached = reachable(p_plus_net(2), p_plus_start(left, better, k=4, p=2))
        assert "S-Variance Attack" not in reached.fired
        assert len(releases(reached.final[0])) == 1


class TestManyRecords:
    """Fazal and others: records are told apart, people are not protected."""

    @pytest.mark.parametrize(("k", "bound"), [(2, Fraction(1)), (3, Fraction(1)), (4, THETA)])
    def test_theta_holds_and_the_attacker_wins(self, k: int, bound: Fraction) -> None:
        reached = reachable(theta_net(SYMPTOMS, intersecting(bound)), start(VISITS, k=k))
        assert reached.always_ends
        for marking, release in zip(reached.final, published(reached), strict=True):
            theta = Fraction(3, 5) * full_variance(k)
            assert all(rank_variance(group.values) >= theta for group in release)
            assert {"Susan"} <= {found.person for found in disclosed(marking)}
        truth = {(record.person, record.row.value) for record in VISITS}
        if bound == 1:
            learnt = {(d.person, d.learnt) for m in reached.final for d in disclosed(m)}
            assert learnt <= truth
            assert len(learnt) == 6

    @pytest.mark.parametrize("k", [2, 3, 4])
    def test_one_record_each_gives_the_same_attacker_nothing(self, k: int) -> None:
        """Negative control: people with one record, as Fazal and others transform them."""
        people = one_each(VISITS, SYMPTOMS)
        assert [record.row.value for record in people] == [
            "Mild", "Severe", "High", "Severe", "Low", "Low", "A-symptomatic", "Low",
        ]  # fmt: skip
        for bound in (Fraction(1), THETA):
            reached = reachable(theta_net(LEVELS, intersecting(bound)), start(people, k=k))
            assert reached.always_ends
            assert "S-Variance Attack" not in reached.fired

    def test_the_buckets_of_table_12_are_an_end_without_the_guard(self) -> None:
        people = one_each(VISITS, SYMPTOMS)
        net = theta_net(LEVELS, looking_up({level: level for level in LEVELS}), guard=False)
        found = [
            tuple(group.values for group in end)
            for end in published(reachable(net, start(people, k=2)))
        ]
        assert (
            ("Mild", "Severe"),
            ("High", "Severe"),
            ("A-symptomatic", "Low"),
            ("Low", "Low", "Mild"),
        ) in found

    def test_who_cannot_be_elsewhere_is_where_she_is(self) -> None:
        cells = ((1, 5),)
        release = (Published(cells, ("a", "b")), Published(((4, 9),), ("c", "c")))
        known = [Known("x", (2,)), Known("y", (8,), 2), Known("z", (4,))]
        assert [
            (found.person, found.learnt) for found in intersecting()(release, known, THETA, 2)
        ] == [("y", "c")]
        known = [Known("x", (2,)), Known("y", (8,)), Known("z", (4,), 2)]
        found = intersecting()(release, known, THETA, 2)
        # z is the only one who can fill both classes.
        assert {(part.person, part.learnt) for part in found} == {("y", "c"), ("z", "c")}


class TestParts:
    """What the rules compute."""

    @pytest.mark.parametrize(
        ("values", "variance"),
        [
            ("abcd", Fraction(5, 4)),
            ("aabc", Fraction(11, 16)),
            ("aabb", Fraction(1, 4)),
            ("aaab", Fraction(3, 16)),
            ("aaaa", Fraction(0)),
            ("aabcd", Fraction(34, 25)),
            ("", Fraction(0)),
        ],
    )
    def test_rank_variance(self, values: str, variance: Fraction) -> None:
        assert rank_variance(values) == variance

    def test_the_next_frequency_is_tried_where_the_guard_forbids_the_first(self) -> None:
        one = tuple(Row((at,), value) for at, value in enumerate("aabb"))
        other = tuple(Row((at,), value) for at, value in enumerate("ccdea"))
        assert {pair[1].value for pair in exchanges((one, other), 0, 1, THETA, False)} == {"c"}
        assert rank_variance("cdeaa") >= THETA
        four = tuple(Row((at,), value) for at, value in enumerate("ccde"))
        assert exchanges((one, four), 0, 1, Fraction(5, 4), True) != ()
        assert {pair[1].value for pair in exchanges((one, four), 0, 1, Fraction(5, 4), True)} == {
            "c"
        }
        assert exchanges((one, one), 0, 1, THETA, False) == ()

    def test_remaining_records_join_the_last_class(self) -> None:
        (table,) = start(VISITS, k=3).tokens("MT")
        assert Counter(at for _, at in table) == {0: 3, 1: 3, 2: 3, 3: 3, 4: 4}


def made(name: str, *, guard: bool) -> Release:
    """What the program publishes from one of the starts, as a token of the net."""
    of = {person.name: person for person in khan_tables.TABLE_1A}
    people = STARTS[name]
    groups = chunks() if people is None else [[of[one] for one in own] for own in people]
    sets = {"Country": "set", "ID": "range", "Age": "range", "Zip Code": "range"}
    only = {"start": "chunks", "donors": "later"}
    variant = "safe" if guard else "paper"
    found = Remade.of(groups, cells=sets, partition=only, variant=variant)
    return flat_release(found.release.tables, khan_tables.QUASI, khan_tables.DISEASE)


@pytest.mark.parametrize("guard", [True, False])
@pytest.mark.parametrize("name", STARTS)
def test_the_release_of_the_program_is_one_of_the_ends(name: str, guard: bool) -> None:
    """Two programs: what :func:`indistinct.anonymize` publishes is something the rules allow."""
    release, ends = made(name, guard=guard), published(explore(STARTS[name], guard=guard))
    assert release in ends
    assert len(set(ends)) > 1
    missing = (*release[:-1], Published(release[-1].cells, ("Flu",) * 4))
    assert missing not in ends


@pytest.mark.parametrize("guard", [True, False])
@pytest.mark.parametrize("name", STARTS)
def test_the_adversary_of_the_net_looks_at_the_release_of_the_program(
    name: str, guard: bool
) -> None:
    known = [Known(record.person, record.row.quasi) for record in TABLE_1A]
    begin = start(TABLE_1A, STARTS[name], k=4)
    for strips in (False, True):
        adversary = stripping(CATEGORIES) if strips else looking_up(CATEGORIES)
        net = theta_net(CATEGORIES, adversary, guard=guard)
        release = made(name, guard=guard)
        reached = reachable(net, flat_marking(release, known, begin))
        noisy = any(len(group.values) > 4 for group in release)
        assert ("S-Variance Attack" in reached.fired) == (strips and noisy)


def test_net_and_program_find_the_same_classes_weak() -> None:
    """A release without theta: what :func:`indistinct.attack` finds, and what the net does."""
    frame = frame_of()
    asked: dict[str, Any] = policy() | {"promises": [{"model": "k-anonymity", "k": 4}]}
    asked["method"] = {"algorithm": "k-member", "cells": {"Country": "set"}, "seed": 0}
    release = ind.anonymize(frame, asked)
    found = ind.attack(frame, release, policy(), only=["sensitive-variance"])
    token = flat_release(release.tables, khan_tables.QUASI, khan_tables.DISEASE)
    known = [Known(record.person, record.row.quasi) for record in TABLE_1A]
    net = theta_net(CATEGORIES, looking_up(CATEGORIES))
    (end,) = reachable(net, flat_marking(token, known, start(TABLE_1A, k=4))).final
    weak = {part.group for part in disclosed(end) if part.attack == "sensitive variance"}
    assert len(weak) == found.attacks[0].figures["weak_classes"] > 0


def test_every_transition_is_explained() -> None:
    page = Path(__file__).resolve().parents[1] / "nets.md"
    text = page.read_text(encoding="utf-8")
    nets = (p_plus_net(2), theta_net(CATEGORIES, looking_up(CATEGORIES)))
    names = [transition.name for net in nets for transition in net.transitions]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert all(transition.rule for net in nets for transition in net.transitions)


def test_markings_tell_what_happened() -> None:
    assert releases(Marking({})) == disclosed(Marking({})) == ()
