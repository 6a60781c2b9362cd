"""Promises that are closed under less than others say so; the class sizes that they demand.

That what they declare is true is a contract of all promises: ``tests/contracts``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.privacy.drawing import DOMAIN, LABELS, Class, Counts, table

from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, models, promise

MODELS = sorted(
    name
    for name, kind in models().items()
    if kind.__module__.startswith("indistinct.") and kind.subject == "classes"
)


def kept(asked: Promise, one: Class, reference: Counts) -> bool:
    return not asked.breaks(table([one], reference)).any()


@pytest.mark.parametrize(
    ("model", "settings", "size"),
    [
        ("k-anonymity", {"k": 5}, 5),
        ("alpha-k-anonymity", {"alpha": 0.5, "k": 4}, 4),
        ("theta-sensitive", {"k": 4}, 4),
        ("theta-sensitive", {"k": 4, "theta": "size"}, 4),
        ("knm-anonymity", {"k": {"1": 9, "4": 3}}, 3),
        ("knm-anonymity", {"k": "elbow"}, 1),
        ("kl-diversity", {"k": 10, "l": 5}, 10),
        ("estimated-k-map", {"k": 1000, "fraction": 30162 / 317238626}, 3),
        ("k-map", {"k": 50}, 1),
        ("km-anonymity", {"k": 50, "m": 2}, 1),
        ("distinct-l-diversity", {"l": 5}, 1),
        ("t-closeness", {"t": 0.2}, 1),
    ],
)
def test_the_smallest_class_that_is_demanded(
    model: str, settings: dict[str, Any], size: int
) -> None:
    assert promise(model, sensitive="s", **settings).class_size == size


def counts(**values: int) -> Class:
    return Class(tuple(values.get(f"v{label}", 0) for label in LABELS), 100)


NOT_SUPERSET = [
    ("entropy-l-diversity", {"l": 2}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("recursive-cl-diversity", {"c": 2, "l": 2}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("alpha-k-anonymity", {"alpha": 0.5, "k": 2}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("max-posterior", {"bound": 0.5}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("t-closeness", {"t": 0.5}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("basic-beta-likeness", {"beta": 1}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("enhanced-beta-likeness", {"beta": 1}, {"v1": 1, "v2": 1}, {"v1": 9}),
    ("knm-anonymity", {"k": {"1": 9, "4": 2, "2": 2, "3": 2}}, {"v1": 1, "v2": 1}, {"v5": 1}),
    ("theta-sensitive", {"k": 4}, {"v1": 1, "v2": 1, "v3": 1, "v4": 1}, {"v1": 99}),
    ("balanced-p-plus-sensitive", {"p": 2}, {"v1": 1, "v4": 1}, {"v1": 9}),
]


@pytest.mark.parametrize(("model", "settings", "good", "more"), NOT_SUPERSET)
def test_what_is_not_closed_under_supersets_does_not_say_so(
    model: str, settings: dict[str, float], good: dict[str, int], more: dict[str, int]
) -> None:
    asked = promise(model, sensitive="s", **settings)
    reference = counts(v1=3, v2=3, v3=3, v4=3).counts
    assert kept(asked, counts(**good), reference)
    assert not kept(asked, counts(**good) + counts(**more), reference)
    assert asked.effective_closure != "superset"


def test_what_is_not_closed_under_union_does_not_say_so() -> None:
    balanced = promise("balanced-p-plus-sensitive", p=2, sensitive="s")
    uneven = counts(v1=2, v4=1)
    assert kept(balanced, uneven, uneven.counts)
    assert not kept(balanced, uneven + uneven, uneven.counts)
    theta = promise("theta-sensitive", k=3, mu=1.0, sensitive="s")
    parts = [counts(v1=2, v2=1, v3=1), counts(v1=1, v2=1, v3=2)]
    assert all(kept(theta, part, part.counts) for part in parts)
    assert not kept(theta, parts[0] + parts[1], parts[0].counts)
    skipping = promise(
        "delta-disclosure", delta=0.8, absent="skip", sensitive="s", reference="original"
    )
    usual = counts(v1=1, v2=1).counts
    parts = [counts(v1=1, v2=1), counts(v2=9)]
    assert all(kept(skipping, part, usual) for part in parts)
    assert not kept(skipping, parts[0] + parts[1], usual)
    assert (
        balanced.effective_closure
        == theta.effective_closure
        == skipping.effective_closure
        == "none"
    )
    # People outside the table dilute a class that they join.
    presence = promise("delta-presence", lower=0.5, upper=1.0, absent="skip")
    assert replace(presence, lower=0.0).effective_closure == "union"
    inside, outside = Class((1, 0, 0, 0, 0, 0), 2), Class((0,) * 6, 2)
    assert kept(presence, inside, usual)
    assert kept(presence, outside, usual)
    assert not kept(presence, inside + outside, usual)
    assert presence.effective_closure == "none"


def test_people_in_no_class() -> None:
    nobody = Class((0,) * 6, 3)
    some = Class((1, 1, 0, 0, 0, 0), 4)
    for absent, breaks, everybody in (
        ("break", True, True),
        ("suppressed", True, False),
        ("skip", False, False),
    ):
        asked = promise("delta-presence", lower=0.1, upper=0.5, absent=absent)
        assert asked.breaks(table([some, nobody])).tolist() == [False, breaks]
        assert asked.keeps_everybody == everybody
        lowest = asked.achieved(table([some, nobody]))["lower"]
        assert lowest == (0.5 if absent == "skip" else 0.0)
    unbounded = promise("delta-presence", lower=0, upper=0.5)
    assert not unbounded.breaks(table([some, nobody])).any()
    assert not unbounded.keeps_everybody
    assert not promise("k-map", k=2).keeps_everybody
    # A class of records beyond the population has no share.
    beyond = Class((1, 0, 0, 0, 0, 0), 0)
    assert unbounded.breaks(table([some, beyond])).tolist() == [False, True]
    assert unbounded.achieved(table([some, beyond])) == {"lower": 0.5, "upper": None}
    assert unbounded.achieved(table([beyond])) == {"lower": None, "upper": None}


@pytest.mark.parametrize("model", MODELS)
def test_a_published_reference_promises_nothing_of_a_part(model: str) -> None:
    kind = models()[model]
    if not kind.compares:
        return
    settings = {"t-closeness": {"t": 0.1}, "delta-disclosure": {"delta": 1.0}}
    asked = promise(model, sensitive="s", **settings.get(model, {"beta": 1.0}))
    assert asked.reference == "published"
    assert asked.effective_closure == "none"
    assert DOMAIN.rank is not None


def test_a_value_that_everybody_has_is_no_diversity() -> None:
    """Of two people with two values each one in common is certain, however many there are."""
    known = ValueMetadata(ranks={"a": 4, "b": 4, "c": 1})
    for cells, certain in (([[1, 1, 1]], False), ([[2, 1, 1]], True)):
        seen = ClassTable(
            np.zeros(1, np.int32),
            np.array([2]),
            {"s": np.array(cells)},
            {"s": np.array([2, 2, 2])},
            {"s": SensitiveDomain(("a", "b", "c"), known, exclusive=False)},
        )
        for diversity in (True, 2):
            asked = promise("knm-anonymity", k={"1": 2, "4": 2}, diversity=diversity, sensitive="s")
            assert asked.breaks(seen).tolist() == [certain]
        sizes = promise("knm-anonymity", k={"1": 2, "4": 2}, diversity=False, sensitive="s")
        assert not sizes.breaks(seen).any()


@pytest.mark.parametrize(
    ("reference", "broken"),
    [(None, True), ((5, 5, 5, 5, 5, 5), True), ((2, 2, 1, 1, 0, 0), False)],
)
def test_the_values_that_a_class_needs_are_counted_in_the_whole_table(
    reference: tuple[int, ...] | None, broken: bool
) -> None:
    """Half of its values, two at least: of six values three, where the first class has but two."""
    asked = promise("knm-anonymity", k={"1": 1, "4": 1}, diversity=True, sensitive="s")
    seen = table([Class((2, 2, 0, 0, 0, 0), 4), Class((0, 0, 2, 2, 2, 2), 8)], reference)
    if reference is None:
        seen = replace(seen, reference={})
    assert asked.breaks(seen).tolist() == [broken, False]
