"""What holds for every attacker, whatever the release."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.anything_published import AGES, CELLS, TAXONOMIES, TOWNS, VALUES, holds
from tests.analytics.attacks.contexts import of_records

from indistinct.analytics.attacks import AttackContext, Finding, attackers, findings
from indistinct.metadata import ValueMetadata
from indistinct.requirement import Requirement

KNOWN = ValueMetadata(
    categories={"flu": "mild", "gout": "mild", "HIV": "grave", "cancer": "grave", None: "mild"},
    category_order=("mild", "grave"),
)
COLUMNS = {"age": pl.String, "town": pl.String, "illness": pl.String}

NO_MORE_THAN_THE_CLASS = (
    "membership",
    "homogeneity",
    "categorical-similarity",
    "sensitive-variance",
    "skewness",
    "learned-correlation",
)
"""Attackers who know of a person's class alone, and so nothing where all are in one."""

PEOPLE = st.lists(
    st.tuples(
        st.sampled_from(AGES.leaves),
        st.sampled_from(TOWNS.leaves),
        st.sampled_from((*VALUES, None)),
    ),
    min_size=1,
    max_size=12,
)
PROMISES = st.lists(
    st.sampled_from(
        [
            Requirement("k-anonymity", {"k": 2}),
            Requirement("distinct-l-diversity", {"l": 2}, sensitive="illness"),
            Requirement("theta-sensitive", {"k": 2, "mu": 0.6}, sensitive="illness"),
            Requirement("max-posterior", {"bound": 0.6}, sensitive="illness"),
            Requirement("t-closeness", {"t": 0.4}, sensitive="illness"),
        ]
    ),
    max_size=3,
    unique_by=lambda item: item.model,
)


def made(people: object, release: object, promises: object = (), **more: object) -> AttackContext:
    return of_records(
        quasi=("age", "town"),
        sensitive=("illness",),
        people=pl.DataFrame(people, COLUMNS, orient="row"),  # type: ignore[arg-type]
        release=pl.DataFrame(release, COLUMNS, orient="row"),  # type: ignore[arg-type]
        taxonomies=TAXONOMIES,
        known={"illness": KNOWN},
        promises=tuple(promises),  # type: ignore[arg-type]
        may_contain=("noise", "decoys"),
        **more,  # type: ignore[arg-type]
    )


def found(scene: AttackContext) -> list[Finding]:
    told = [result for name in attackers() for result in findings(scene, [name])]
    return [result for result in told if isinstance(result, Finding)]


@settings(max_examples=60)
@given(PEOPLE, st.lists(CELLS, min_size=12, max_size=12), PROMISES, st.randoms())
def test_shares_are_shares_whatever_is_published(
    people: list[tuple[str, str, str | None]],
    cells: list[tuple[str, str]],
    promises: list[Requirement],
    random: object,
) -> None:
    values = [value for *_, value in people]
    random.shuffle(values)  # type: ignore[attr-defined]
    release = [(*cell, value) for cell, value in zip(cells, values, strict=False)]
    scene = made(people, release, promises)
    for result in found(scene):
        holds(result, len(people))


@settings(max_examples=40)
@given(PEOPLE, st.integers(0, 2), st.integers(0, 2), PROMISES)
def test_shares_are_shares_in_full_domain_releases(
    people: list[tuple[str, str, str | None]], age: int, town: int, promises: list[Requirement]
) -> None:
    release = [
        (AGES.generalize(a, age), TOWNS.generalize(t, town), value) for a, t, value in people
    ]
    for result in found(made(people, release, promises)):
        holds(result, len(people))


@settings(max_examples=40)
@given(PEOPLE)
def test_one_class_resists_who_knows_only_of_classes(
    people: list[tuple[str, str, str | None]],
) -> None:
    release = [("*", "{Bonn, Köln, Ulm, Hof}", value) for *_, value in people]
    scene = made(people, release)
    by_name = {result.name: result for result in found(scene)}
    for name in NO_MORE_THAN_THE_CLASS:
        if name in by_name:
            assert by_name[name].success["0.5"] == by_name[name].prior["0.5"]
            assert by_name[name].gain["max"] == pytest.approx(0.0, abs=1e-9)
            assert by_name[name].gain["mean"] == pytest.approx(0.0, abs=1e-9)
    assert by_name["record-linkage"].gain["max"] == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=30)
@given(PEOPLE)
def test_nothing_published_tells_nothing(people: list[tuple[str, str, str | None]]) -> None:
    for result in found(made(people, [])):
        holds(result, len(people))
        assert result.success["certain"] == 0.0
        assert result.gain["max"] <= 1e-9


def test_every_attacker_says_what_it_knows() -> None:
    for name, module in attackers().items():
        assert name == module.NAME
        assert module.KNOWLEDGE
        assert module.SOURCE
        assert not module.KNOWLEDGE.endswith(".")
