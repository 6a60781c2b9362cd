"""Decoy stripping against every removal there is."""

from __future__ import annotations

from itertools import product
from math import comb, prod

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_records

from indistinct.analytics.attacks import AttackContext, Finding, Skipped
from indistinct.analytics.attacks.decoy_stripping import run
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.release.decoys import Insertion, with_decoys
from indistinct.requirement import Requirement

PLACES = Taxonomy("place", [[place, "*"] for place in "abcdef"])
COLUMNS = ["place", "illness"]


def scene(
    people: list[tuple[str, str]],
    release: list[tuple[str, str]] | None = None,
    *,
    k: int | None = None,
    may_contain: tuple[str, ...] = ("decoys",),
) -> AttackContext:
    return of_records(
        quasi=("place",),
        sensitive=("illness",),
        people=pl.DataFrame(people, COLUMNS, orient="row"),
        release=pl.DataFrame(people if release is None else release, COLUMNS, orient="row"),
        taxonomies={"place": PLACES},
        promises=() if k is None else (Requirement("k-anonymity", {"k": k}),),
        may_contain=may_contain,
    )


def found(scene: AttackContext, **settings: object) -> Finding:
    result = run(scene, "illness", **settings)  # type: ignore[arg-type]
    assert isinstance(result, Finding)
    return result


def test_beats_a_class_that_was_filled_with_copies() -> None:
    people = [("a", "flu"), ("a", "flu"), ("a", "flu"), ("a", "gout")]
    result = found(scene(people, [*people, ("a", "gout"), ("a", "gout")]))
    assert result.figures["unstripped_belief"] == pytest.approx(0.5)
    # In the worst case the three of gout were one: 3 of 4 have the flu.
    assert result.figures["largest_belief"] == 0.75
    assert result.success["0.5"] == 1.0
    assert result.success["certain"] == 0.0


def test_beats_decoys_as_they_are_made() -> None:
    table = pl.DataFrame(
        {
            "place": ["a"] * 3 + ["b"] * 6,
            "illness": ["flu", "flu", "gout", "flu", "flu", "gout", "gout", "cold", "cold"],
            "ward": list("112112233"),
        }
    )
    made = with_decoys(
        table, ["place"], to=6, limit=0.5, insertion=Insertion(np.random.default_rng(1))
    )
    assert made.places
    people = list(table.select(COLUMNS).iter_rows())
    here = scene(people, list(made.frame.select(COLUMNS).iter_rows()), k=3)
    result = found(here)
    assert result.figures["open_classes"] == 2
    counts = here.buckets["illness"].dense(3)
    assert float(result.figures["largest_belief"] or 0) > max(
        float((counts / here.classes.size[:, None]).max()), 0.5
    )


def test_resists_classes_of_k_and_classes_of_different_values() -> None:
    assert found(scene([("a", "flu"), ("a", "flu"), ("a", "gout")], k=3)).figures["removable"] == 0
    different = found(scene([("a", "flu"), ("a", "gout"), ("a", "cold")], k=1))
    assert different.figures["removable"] == 0
    assert different.gain["max"] == pytest.approx(0.0)


def test_nobody_becomes_certain_who_was_not() -> None:
    people = [("a", v) for v in ["flu"] * 50 + ["gout"]] + [("b", "cold")] * 3
    result = found(scene(people))
    assert result.success["certain"] == pytest.approx(3 / 54)


def test_larger_classes_have_no_decoys_where_their_size_is_known() -> None:
    people = [("a", v) for v in ("flu", "flu", "gout")] + [("b", v) for v in ["flu", "gout"] * 4]
    assert found(scene(people), to=3).figures["open_classes"] == 1
    assert found(scene(people)).figures["open_classes"] == 2


def test_skipped() -> None:
    quiet = scene([("a", "flu")], may_contain=("noise",))
    assert isinstance(run(quiet, "illness"), Skipped)
    assert isinstance(run(quiet, "illness", anyway=True), Finding)


@given(
    counts=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    k=st.integers(1, 8),
)
def test_every_removal(counts: list[int], k: int) -> None:
    people = [("a", str(v)) for v, count in enumerate(counts) for _ in range(count)]
    result = found(scene(people), k=k)
    size = sum(counts)
    by_number: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for taken in product(*(range(count) for count in counts)):
        if size - sum(taken) >= k or not any(taken):
            sets = prod(comb(c, t) for c, t in zip(counts, taken, strict=True))
            left = tuple(c - t for c, t in zip(counts, taken, strict=True))
            by_number.setdefault(sum(taken), []).append((sets, left))
    worst = [
        max(left[v] / sum(left) for kept in by_number.values() for _, left in kept)
        for v in range(len(counts))
    ]
    assert result.figures["largest_belief"] == pytest.approx(max(worst))
    assert result.gain["mean"] == pytest.approx(
        sum(c * (w - c / size) for c, w in zip(counts, worst, strict=True)) / size
    )
    mean = [
        np.mean(
            [
                sum(sets * left[v] / sum(left) for sets, left in kept) / sum(s for s, _ in kept)
                for kept in by_number.values()
            ]
        )
        for v in range(len(counts))
    ]
    expected = sum(c * m for c, m in zip(counts, mean, strict=True)) / size
    assert result.figures["average_belief"] == pytest.approx(expected)


def test_same_again() -> None:
    people = [("a", "flu"), ("a", "flu"), ("a", "gout"), ("b", "cold"), ("b", "flu")]
    assert found(scene(people)).to_dict() == found(scene(people)).to_dict()
