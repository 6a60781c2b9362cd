"""What holds for every attacker of people, whatever the release."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.anything_published import AGES, CELLS, TAXONOMIES, TOWNS, VALUES, holds
from tests.analytics.attacks.people_contexts import lists, of_lists

from indistinct.analytics.attacks import AttackContext, Finding, attackers
from indistinct.metadata import ValueMetadata
from indistinct.requirement import Requirement

CHAINS = (
    ("flu", "mild", "any"), ("gout", "mild", "any"), ("HIV", "grave", "any"),
    ("cancer", "grave", "any"),
)  # fmt: skip
KNOWN = ValueMetadata(
    categories={"flu": "mild", "gout": "mild", "HIV": "grave", "cancer": "grave", None: "mild"},
    category_order=("mild", "grave"),
    chains=CHAINS,
)
PROMISES = st.lists(
    st.sampled_from(
        [
            Requirement("k-anonymity", {"k": 2}, unit="person"),
            Requirement("theta-sensitive", {"k": 2, "mu": 0.6}, sensitive="s", unit="person"),
            Requirement("theta-sensitive", {"k": 3, "theta": "size"}, sensitive="s", unit="person"),
            Requirement("max-posterior", {"bound": 0.6}, sensitive="s", unit="person"),
        ]
    ),
    max_size=3,
)
OWN = st.lists(st.sampled_from((*VALUES, None)), min_size=1, max_size=4)
PEOPLE = st.lists(
    st.tuples(st.sampled_from(AGES.leaves), st.sampled_from(TOWNS.leaves), OWN),
    min_size=1,
    max_size=9,
)
LISTED = st.lists(
    st.lists(st.sampled_from((*VALUES, "mild", "grave", "any", "odd", None)), max_size=5),
    min_size=3,
    max_size=3,
)


def made(people: Any, cells: Any, bucket_of: Any, listed: Any, holding: str, **more: Any) -> Any:
    schema = {"age": pl.String, "town": pl.String}
    return of_lists(
        quasi=("age", "town"),
        sensitive=("s",),
        people=pl.DataFrame([own[:2] for own in people], schema, orient="row"),
        values={"s": lists([own[2] for own in people])},
        rows=pl.DataFrame(cells, schema, orient="row"),
        bucket_of=np.array(bucket_of, np.int32),
        buckets={"s": lists(listed)},
        semantics=holding,
        taxonomies=TAXONOMIES,
        known={"s": KNOWN},
        may_contain=("noise",),
        **more,
    )


def found(scene: AttackContext) -> list[Finding]:
    results = [module.run(scene, "s") for module in attackers().values()]
    return [result for result in results if isinstance(result, Finding)]


@settings(max_examples=80)
@given(PEOPLE, st.data(), LISTED, st.sampled_from(["one", "some", "all"]), PROMISES, st.booleans())
def test_shares_are_shares_whatever_is_published(
    people: list[Any],
    data: st.DataObject,
    listed: list[list[str | None]],
    holding: str,
    promises: list[Requirement],
    twice: bool,
) -> None:
    def drawn(**more: Any) -> AttackContext:
        rows = data.draw(st.lists(st.tuples(CELLS, st.integers(0, 2)), max_size=10))
        names = tuple(str(at) for at in range(len(rows)))
        scene: AttackContext = made(
            people,
            [cells for cells, _ in rows],
            [bucket for _, bucket in rows],
            listed,
            holding,
            promises=tuple(promises),
            pseudonyms=names if holding == "all" else None,
            **more,
        )
        return scene

    scene = drawn(second=drawn()) if twice else drawn()
    for result in found(scene):
        holds(result, len(people))


@settings(max_examples=30)
@given(PEOPLE, LISTED, st.sampled_from(["one", "some", "all"]))
def test_nothing_published_tells_nothing(
    people: list[Any], listed: list[list[str | None]], holding: str
) -> None:
    scene = made(people, [], [], listed, holding)
    for result in found(scene):
        holds(result, len(people))
        assert result.success["certain"] == 0.0
        assert result.gain["max"] <= 1e-9


@pytest.mark.parametrize("holding", ["one", "some", "all"])
def test_nobody_is_attacked_with_no_success(holding: str) -> None:
    listed = [["flu", "mild"], ["HIV"], []]
    other = made([], [("*", "*")], [1], listed, holding)
    for result in found(made([], [("20+", "*")] * 2, [0, 0], listed, holding, second=other)):
        holds(result, 0)
        assert result.success == result.prior == {"0.5": 0.0, "0.95": 0.0, "certain": 0.0}


@settings(max_examples=40)
@given(PEOPLE, st.sampled_from(["one", "all"]))
def test_one_class_resists_who_knows_only_of_classes(people: list[Any], holding: str) -> None:
    """Everybody is in one class and, where they have one value each, in one bucket."""
    cells = [("*", "{Bonn, Köln, Ulm, Hof}")] * len(people)
    own = [values if holding == "all" else values[:1] for *_, values in people]
    people = [(age, town, values) for (age, town, _), values in zip(people, own, strict=True)]
    if holding == "all":
        scene = made(people, cells, range(len(people)), own, "all")
    else:
        scene = made(people, cells, [0] * len(people), [[own[0] for own in own]], "one")
    by_name = {result.name: result for result in found(scene)}
    for name in (
        "membership", "worst-posterior", "homogeneity", "categorical-similarity",
        "sensitive-variance", "skewness", "record-linkage",
    ):  # fmt: skip
        if name in by_name:
            assert by_name[name].success["0.5"] == by_name[name].prior["0.5"]
            assert by_name[name].gain["max"] == pytest.approx(0.0, abs=1e-9)


def test_every_attacker_says_what_it_knows() -> None:
    for name, module in attackers().items():
        assert name == module.NAME
        assert module.SOURCE
        assert not module.KNOWLEDGE.endswith(".")
        assert module.run.__doc__
