"""Beliefs against every random world: membership, homogeneity, exclusion, colleagues."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import belief, of_classes, worlds

from indistinct.analytics.attacks import (
    Finding,
    attackers,
    background_exclusion,
    corruption,
    homogeneity,
    membership,
    non_membership,
)

CLASSES = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), min_size=1, max_size=3
)


def people_of(classes: list[list[str]]) -> list[tuple[list[str], str]]:
    """Every person's class and value."""
    return [(own, value) for own in classes for value in own]


def held_to(found: object, beliefs: list[float], priors: list[float]) -> None:
    """The summary is that of these beliefs."""
    assert isinstance(found, Finding)
    gains = [one - other for one, other in zip(beliefs, priors, strict=True)]
    for threshold in (0.5, 0.95):
        for held, shares in ((beliefs, found.success), (priors, found.prior)):
            want = mean(value >= threshold - 1e-9 for value in held)
            assert shares[str(threshold)] == pytest.approx(want)
    assert found.success["certain"] == pytest.approx(mean(one >= 1 - 1e-9 for one in beliefs))
    assert found.gain == pytest.approx({"mean": mean(gains), "max": max(gains)})
    assert found.people == len(beliefs)


def priors_of(classes: list[list[str]]) -> list[float]:
    every = [value for own in classes for value in own]
    return [every.count(value) / len(every) for value in every]


@settings(max_examples=40)
@given(classes=CLASSES)
def test_membership_believes_what_random_worlds_say(classes: list[list[str]]) -> None:
    want = [float(belief(own, s, lambda _: True) or 0) for own, s in people_of(classes)]
    held_to(membership.run(of_classes(classes), "s"), want, priors_of(classes))


@settings(max_examples=40)
@given(classes=CLASSES)
def test_homogeneity_strikes_where_all_worlds_agree(classes: list[list[str]]) -> None:
    priors = priors_of(classes)
    want = [
        1.0 if len({world[0] for world in worlds(own)}) == 1 else prior
        for (own, _), prior in zip(people_of(classes), priors, strict=True)
    ]
    found = homogeneity.run(of_classes(classes), "s")
    held_to(found, want, priors)
    assert isinstance(found, Finding)
    alike = [own for own in classes if len(set(own)) == 1]
    assert found.figures["weak_classes"] == len(alike)
    assert found.figures["weak_records"] == sum(map(len, alike))


@settings(max_examples=40)
@given(classes=CLASSES, b=st.integers(1, 3))
def test_exclusion_leaves_the_worlds_without_the_excluded(classes: list[list[str]], b: int) -> None:
    want = []
    for own, truth in people_of(classes):
        others = sorted(set(own) - {truth})
        want.append(
            max(
                float(belief(own, truth, lambda w, out=out: w[0] not in out) or 0)
                for out in combinations(others, min(b, len(others)))
            )
        )
    held_to(background_exclusion.run(of_classes(classes), "s", b=b), want, priors_of(classes))


@settings(max_examples=30)
@given(classes=CLASSES, c=st.integers(1, 3))
def test_colleagues_leave_the_worlds_in_which_they_have_their_values(
    classes: list[list[str]], c: int
) -> None:
    worst, average = [], []
    for own, truth in people_of(classes):
        met = []
        for real in worlds(own):
            if real[0] == truth:
                told = real[1 : 1 + c]
                met.append(belief(own, truth, lambda w, told=told: w[1 : 1 + c] == told))
        kept = [one for one in met if one is not None]
        worst.append(float(max(kept)))
        average.append(sum(kept) / Fraction(len(kept)))
    found = corruption.run(of_classes(classes), "s", c=c)
    held_to(found, worst, priors_of(classes))
    assert isinstance(found, Finding)
    assert found.figures["average_belief"] == pytest.approx(float(mean(average)))


@settings(max_examples=40)
@given(classes=CLASSES)
def test_exclusions_alone_scale_the_prior_up(classes: list[list[str]]) -> None:
    every = [value for own in classes for value in own]
    priors = priors_of(classes)
    want = [
        prior / sum(every.count(value) / len(every) for value in set(own))
        for (own, _), prior in zip(people_of(classes), priors, strict=True)
    ]
    found = non_membership.run(of_classes(classes), "s")
    held_to(found, want, priors)
    assert isinstance(found, Finding)
    values = set(every)
    pairs = sum(len(values - set(own)) for own, _ in people_of(classes))
    assert found.figures["excluded_pairs"] == pairs
    assert found.figures["exclusion_rate"] == pytest.approx(pairs / len(every) / len(values))
    assert found.figures["right"] == (1 if pairs else None)


@settings(max_examples=25)
@given(classes=CLASSES)
def test_no_attacker_of_these_believes_less_than_one_with_less_knowledge(
    classes: list[list[str]],
) -> None:
    scene = of_classes(classes)
    base = attackers()["membership"].run(scene, "s")
    for name in ("background-exclusion", "colleague"):
        more = attackers()[name].run(scene, "s")
        assert more.gain["mean"] >= base.gain["mean"] - 1e-12
        assert all(more.success[key] >= base.success[key] for key in base.success)


def test_colleague_formulas_by_hand() -> None:
    # 2 of 5 have the value: 2/4 if the other has none, and on average (2 - 1/4) / 4.
    worst, average = corruption.beliefs(np.array([5, 1, 3]), np.array([2, 1, 0]), 1)
    assert worst.tolist() == [0.5, 1.0, 0.0]
    assert average.tolist() == [0.4375, 1.0, 0.0]
