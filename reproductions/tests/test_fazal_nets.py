"""The nets of Fazal and others (2023): which attacks are reached, in every way to group people."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct_reproductions.fazal import patients_of_table_1
from indistinct_reproductions.fazal_nets import (
    Known,
    Line,
    Release,
    beliefs,
    by_exclusion,
    by_membership,
    by_symptom,
    by_variance,
    disclosed,
    kl_net,
    kl_start,
    partitions,
    patients,
    releases,
    rows_net,
    rows_start,
    stripped,
    theta_star_net,
    theta_star_start,
)
from indistinct_reproductions.fazal_releases import GUARDED, THETA_STAR, asked_of, made
from indistinct_reproductions.fazal_tables import (
    LEVELS,
    QUASI,
    SYMPTOM,
    TABLE_12A,
    TABLE_12B,
    frame_of_table_1,
)
from indistinct_reproductions.khan_nets import SYMPTOMS, VISITS, rank_variance
from indistinct_reproductions.net_tokens import (
    cell_of,
    linked_marking,
    linked_release,
    renumbered,
)
from indistinct_reproductions.nets import Reached, reachable

NAMES = tuple(dict.fromkeys(record.person for record in VISITS))
OF = dict(zip([f"p{at}" for at in range(1, 9)], NAMES, strict=True))


def groups(by: str) -> list[tuple[str, ...]]:
    """The real people of the classes or buckets of Table 12A."""
    own: dict[int, list[str]] = {}
    for row in TABLE_12A:
        if row.person in OF:
            own.setdefault(getattr(row, by), []).append(OF[row.person])
    return [tuple(own[at]) for at in sorted(own)]


def table_12() -> Release:
    """The paper's release, by hand."""
    rows = [
        Line((row.age, row.zip_code, (row.gender,)), bucket=row.bucket - 1) for row in TABLE_12A
    ]
    return Release(tuple(rows), tuple(TABLE_12B.values()))


def known() -> tuple[Known, ...]:
    return tuple(Known(one.person, one.quasi, one.symptoms[-1]) for one in patients(VISITS))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_k_l_diversity_reaches_the_attack(k: int) -> None:
    reached = reachable(kl_net(), kl_start(k=k))
    assert reached.always_ends
    assert "sVer Attack" in reached.fired
    own = {one.person: {SYMPTOMS[symptom] for symptom in one.symptoms} for one in patients(VISITS)}
    symptoms = {one.person: {*one.symptoms} for one in patients(VISITS)}
    found = [part for end in reached.final for part in disclosed(end)]
    assert {part.attack for part in found} == {"vertical"}
    # Whatever the adversary concludes is true.
    assert all(part.learnt in own[part.person] | symptoms[part.person] for part in found)
    # People without two symptoms, or with one category alone, have nothing further to learn.
    assert {part.person for part in found}.isdisjoint({"Helan", "Jonas", "Peter", "Cynthia"})


def test_classes_of_k_l_diversity_have_l_nodes() -> None:
    reached = reachable(kl_net(), kl_start(k=2, least=5))
    several = [release for end in reached.final for release in releases(end)]
    assert several
    for release in several:
        for cells, rows in itertools.groupby(release.rows, key=lambda row: row.cells):
            assert cells
            assert len({node for row in rows for node in row.nodes}) >= 5


@pytest.mark.parametrize("k", [2, 3])
def test_theta_on_rows_reaches_the_attack(k: int) -> None:
    reached = reachable(rows_net(), rows_start(k=k))
    assert "S-Variance Attack" in reached.fired
    assert all(disclosed(end) for end in reached.final)


@pytest.fixture(scope="module")
def explored() -> Reached:
    return reachable(theta_star_net(classes=groups("group")), theta_star_start(k=2))


def test_theta_star_never_reaches_three_attacks_and_always_the_fourth(explored: Reached) -> None:
    reached = explored
    assert {"MA Attack", "SVer Attack", "SVA"}.isdisjoint(reached.fired)
    assert "NMA Attack" in reached.fired
    assert reached.always_ends
    for end in reached.final:
        (release,) = releases(end)
        assert {part.attack for part in disclosed(end)} == {"non-membership"}
        assert all(rank_variance(own) >= Fraction(3, 20) for own in release.buckets)
        assert len(release.rows) == sum(map(len, release.buckets))


def test_the_papers_buckets_are_among_the_ends(explored: Reached) -> None:
    wanted = sorted(tuple(sorted(own)) for own in TABLE_12B.values())
    ends = [releases(end)[0] for end in explored.final]
    assert wanted in [sorted(release.buckets) for release in ends]


def test_other_buckets_with_the_papers_noise_lose_to_who_strips_it() -> None:
    net = theta_star_net(classes=groups("group"), buckets=groups("bucket"), strips=True)
    reached = reachable(net, theta_star_start(k=2))
    assert "SVA" in reached.fired
    quiet = theta_star_net(classes=groups("group"), buckets=groups("bucket"))
    assert "SVA" not in reachable(quiet, theta_star_start(k=2)).fired


@pytest.mark.parametrize("bound", [Fraction(2, 5), Fraction(1, 2), Fraction(1)])
def test_a_lower_bound_makes_the_membership_attack_alive(bound: Fraction) -> None:
    net = theta_star_net(bound=bound, classes=groups("group"), buckets=groups("bucket"))
    fired = reachable(net, theta_star_start(k=2)).fired
    assert ("MA Attack" in fired) == (bound == Fraction(2, 5))


# -------- The program's own releases --------


def made_of_table_1(name: str) -> ind.Release:
    return made(name, 2, patients_of_table_1())


def classes_of(release: ind.Release) -> list[tuple[str, ...]]:
    """The people of each class, by what the custodian keeps."""
    links = release.private["links.csv"].drop_nulls("person")
    groups = links.group_by("class", maintain_order=True).agg("person")["person"].to_list()
    return [tuple(OF[person] for person in people) for people in groups]


@pytest.mark.parametrize("name", [THETA_STAR, GUARDED])
def test_the_release_of_the_program_is_an_end_and_is_attacked_alike(name: str) -> None:
    """Two programs: the rules allow what :func:`indistinct.anonymize` publishes."""
    release = made_of_table_1(name)
    net = theta_star_net(classes=classes_of(release))
    begin = theta_star_start(k=2)
    token = linked_release(release.tables, QUASI, SYMPTOM)
    reached = reachable(net, begin)
    ends = {renumbered(one) for end in reached.final for one in releases(end)}
    assert token in ends
    other = replace(token, buckets=(("Low", "Low"), *token.buckets[1:]))
    assert renumbered(other) not in ends

    # The adversaries of the net on this release, and the program's own.
    policy = patients_of_table_1().policy(*asked_of(name, 2, patients_of_table_1()))
    only = ["membership", "non-membership", "vertical", "sensitive-variance"]
    report = ind.attack(frame_of_table_1(), release, policy, only=only)
    figures = {attack.name: attack.figures for attack in report.attacks}
    seen = reachable(net, linked_marking(token, net, begin, VISITS))
    (end,) = seen.final
    assert ("MA Attack" in seen.fired) == (figures["membership"]["largest_belief"] == 1)
    assert ("SVer Attack" in seen.fired) == (figures["vertical"]["exposed_people"] > 0)
    assert ("SVA" in seen.fired) == (figures["sensitive-variance"]["weak_buckets"] > 0)
    excluded = [part for part in disclosed(end) if part.attack == "non-membership"]
    assert len(excluded) == figures["non-membership"]["excluded_pairs"] > 0
    strips = theta_star_net(classes=classes_of(release), strips=True)
    stripped_fired = reachable(strips, linked_marking(token, strips, begin, VISITS)).fired
    weak = figures["sensitive-variance"]["stripped_weak_buckets"]
    assert ("SVA" in stripped_fired) == (weak > 0) == (name == THETA_STAR)


def test_beliefs_of_the_net_are_those_of_expected() -> None:
    release = made_of_table_1(THETA_STAR)
    token = linked_release(release.tables, QUASI, SYMPTOM)
    joined = ind.expected(release)
    for cells, rows in joined.group_by(*QUASI):
        people = release.tables["quasi"].filter(
            [pl.col(name) == cell for name, cell in zip(QUASI, cells, strict=True)]
        )
        weights = dict(rows.group_by(SYMPTOM).agg(pl.col("weight").sum()).rows())
        lines = [row for row in token.rows if row.cells == tuple(map(cell_of, cells))]
        inside = tuple(cell[0] for cell in lines[0].cells)
        own = beliefs(token, inside)
        for level in LEVELS:
            assert float(own[level]) == pytest.approx(weights.get(level, 0.0) / people.height)


def test_too_few_people_are_not_published() -> None:
    three = [record for record in VISITS if record.person in NAMES[:3]]
    for net, start in (
        (theta_star_net(), theta_star_start(three, k=4)),
        (kl_net(), kl_start(three, k=4)),
    ):
        assert all(not releases(end) for end in reachable(net, start).final)


# -------- Adversaries, on the printed release --------


def test_adversaries_on_table_12() -> None:
    release, theta = table_12(), Fraction(3, 20)
    assert by_symptom(release, known()) == ()
    assert by_variance(release, known(), theta) == ()
    assert by_membership(release, known(), Fraction(1, 2)) == ()
    own = beliefs(release, (40, 2139, "Female"))
    assert own["Mild"] == Fraction(1, 4)
    excluded = {(part.person, part.learnt) for part in by_exclusion(release, known())}
    assert ("Ronald", "High") in excluded
    assert len(excluded) == 10
    low = by_variance(stripped(release, 2), known(), theta)
    assert {part.learnt for part in low} == {"Low"}
    assert {part.person for part in low} == {"Ronald", "Peter", "Heather", "Jonas"}


def test_a_symptom_beside_a_category_tells_the_category() -> None:
    cells = ((40, 45), (2000, 3000), ("Female", "Male"))
    rows = (Line(cells, ("Chills", "Low")), Line(cells, ("High",)))
    who = (Known("Susan", (40, 2139, "Female"), "Chills"),)
    assert [part.learnt for part in by_symptom(Release(rows), who)] == ["Low"]
    # A row of Mild could be hers as well, whose chills are in it.
    assert by_symptom(Release((*rows, Line(cells, ("Mild",)))), who) == ()


# -------- Groups --------


@settings(max_examples=25)
@given(st.integers(0, 7), st.integers(1, 3), st.integers(1, 7))
def test_partitions_against_all_ways(people: int, least: int, most: int) -> None:
    names = "abcdefg"[:people]
    found = [*partitions(names, least, most)]
    assert len({*found}) == len(found)
    wanted = {
        frozenset(frozenset(names[at] for at in range(people) if way[at] == one) for one in {*way})
        for way in itertools.product(range(people), repeat=people if people <= 5 else 0)
    }
    for way in found:
        assert sorted(itertools.chain(*way)) == [*names]
        assert all(least <= len(group) <= most for group in way)
    if people <= 5:
        kept = [way for way in wanted if all(least <= len(group) <= most for group in way)]
        assert {frozenset(map(frozenset, way)) for way in found} == {*kept}


@given(st.lists(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=5), min_size=1, max_size=4))
def test_beliefs_add_up_to_one(buckets: Sequence[Sequence[str]]) -> None:
    cell = ((1, 9),)
    rows = tuple(Line(cell, bucket=at) for at in range(len(buckets)))
    own = beliefs(Release(rows, tuple(map(tuple, buckets))), (5,))
    assert sum(own.values()) == 1
    assert max(own.values()) <= max(
        Fraction(max(map([*part].count, part)), len(part)) for part in buckets
    )
