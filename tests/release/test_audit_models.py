"""Checks of the audit on examples made by hand, and on people of a population.

That a check says what its promise says is a contract of all promises (``tests/contracts``), and
that a promise is what its definition says is tested in ``tests/privacy``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.privacy.average_risk import AverageRisk
from indistinct.privacy.estimated_k_map import EstimatedKMap
from indistinct.release.audit import _is_check, audit, checks, t_closeness
from indistinct.release.audit.verdict import (
    CLASS,
    RECORDS,
    TIMES,
    UNITS,
    VALUE,
    Context,
    _numbered,
)
from indistinct.requirement import Requirement

Value = str | None

VALUES: tuple[Value, ...] = ("1", "2", "3", "5", "8", None)
KNOWN = ValueMetadata(
    categories={
        "1": "dire",
        "2": "grave",
        "3": "middling",
        "5": "mild",
        "8": "harmless",
        None: "mild",
    },
    category_order=("harmless", "mild", "middling", "grave", "dire"),
    order=("2", "1", "5", "3", "8"),
    chains=(
        ("1", "odd", "few", "*"),
        ("2", "even", "few", "*"),
        ("3", "odd", "few", "*"),
        ("5", "odd", "few", "*"),
        ("8", "many", "*"),
    ),
    reference={"1": 5.0, "2": 1.0, "3": 2.0, "8": 3.0, "5": 0.0, None: 1.0},
)
ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(VALUES)), max_size=16)


def frame_of(rows: Sequence[tuple[str, Value]]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"place": pl.String, "illness": pl.String}, orient="row")


def verdict(
    rows: Sequence[tuple[str, Value]], model: str, known: ValueMetadata = KNOWN, **settings: Any
) -> Any:
    asked = {"model": model, "sensitive": "illness", **settings}
    return audit(frame_of(rows), [asked], ["place"], known={"illness": known}).promises[0]


def sharing(classes: Sequence[Sequence[Value]]) -> list[tuple[str, Value]]:
    """A release whose classes hold these values."""
    return [(str(at), value) for at, values in enumerate(classes) for value in values]


# Examples made by hand


def test_three_equal_shares_are_three() -> None:
    """Rounding must not make 2.9999999999999996 of 3."""
    for m in range(1, 60):
        rows = sharing([[str(value) for value in range(m) for _ in range(2)]])
        assert verdict(rows, "entropy-l-diversity", l=m).holds
        assert not verdict(rows, "entropy-l-diversity", l=m + 0.001).holds


def test_the_largest_k_whose_theta_is_reached() -> None:
    """Ranks with a variance of 0.21, below (4 - 1) / 12 = 0.25: with mu = 1 no k of 2 or more."""
    rows = sharing([["1"] * 3 + ["2"] * 7])
    own = {"k": 2, "theta": "k"}
    assert verdict(rows, "theta-sensitive", mu=1, **own).achieved["k"] == 1
    assert verdict(rows, "theta-sensitive", mu=0.5, **own).achieved["k"] == 2


@pytest.mark.parametrize(
    ("settings", "achieved"),
    [
        ({"model": "theta-sensitive", "k": 2, "mu": 5e-324, "sensitive": "ill"}, {"k": 3}),
        ({"model": "average-risk", "bound": 5e-324}, {"bound": 1 / 3}),
    ],
)
def test_bounds_next_to_nothing(settings: dict[str, Any], achieved: dict[str, Any]) -> None:
    """One over them is more than the largest number."""
    frame = pl.DataFrame({"age": ["1"] * 3, "ill": ["a", "b", "c"]})
    found = audit(frame, [settings], ["age"]).promises[0].achieved
    assert {name: found[name] for name in achieved} == pytest.approx(achieved)
    if settings["model"] == "average-risk":
        assert AverageRisk(bound=settings["bound"]).largest_violating_size > 2**61


def test_a_prevailing_value() -> None:
    """Four, two and one: 4 < c (2 + 1) for every c above 4/3, and 4 < c 1 for every c above 4."""
    rows = sharing([["1"] * 4 + ["2"] * 2 + ["3"]])
    found = verdict(rows, "recursive-cl-diversity", c=3, l=2)
    assert found.holds
    assert found.achieved == {"c": pytest.approx(4 / 3), "l": 2}
    assert not verdict(rows, "recursive-cl-diversity", c=4, l=3).holds
    assert verdict(rows, "recursive-cl-diversity", c=4.001, l=3).holds
    assert verdict(rows, "recursive-cl-diversity", c=9, l=4).achieved == {"c": None, "l": 3}


SALARIES = [["3", "4", "5"], ["6", "11", "8"], ["7", "9", "10"]]
"""The example of Li, Li and Venkatasubramanian (2007), section 4.2, in thousands."""


def test_the_ordered_distance_of_its_paper() -> None:
    plain = ValueMetadata()
    first = [("low", v) for v in SALARIES[0]]
    rest = [("rest", v) for group in SALARIES[1:] for v in group]
    found = verdict(first + rest, "t-closeness", plain, t=0.4, distance="ordered")
    assert found.achieved == {"t": pytest.approx(0.375)}
    second = [("two", v) for v in SALARIES[1]]
    rest = [("rest", v) for group in (SALARIES[0], SALARIES[2]) for v in group]
    found = verdict(second + rest, "t-closeness", plain, t=0.4, distance="ordered")
    assert found.achieved == {"t": pytest.approx(1 / 6)}


def test_numbers_are_in_the_order_of_numbers() -> None:
    """As text 11 would come before 3."""
    rows = sharing([["3", "11"], ["20"]])
    found = verdict(rows, "t-closeness", ValueMetadata(), t=1, distance="ordered")
    assert found.achieved == {"t": pytest.approx(0.5)}


BODY = ValueMetadata(
    chains=(
        ("gastric ulcer", "stomach", "digestive", "*"),
        ("gastritis", "stomach", "digestive", "*"),
        ("stomach cancer", "stomach", "digestive", "*"),
        ("colitis", "colon", "digestive", "*"),
        ("flu", "infection", "respiratory", "*"),
        ("bronchitis", "infection", "respiratory", "*"),
        ("pneumonia", "infection", "respiratory", "*"),
    )
)


def test_the_hierarchical_distance_of_a_class_of_one_branch() -> None:
    """Half of all mass has to cross the root, the rest stays below the class's own node."""
    rows = sharing([["gastric ulcer", "gastritis"], ["flu", "pneumonia"]])
    found = verdict(rows, "t-closeness", BODY, t=0.5, distance="hierarchical")
    assert found.holds
    assert found.achieved == {"t": pytest.approx(0.5)}
    near = sharing([["gastric ulcer", "colitis"], ["gastritis", "colitis"]])
    found = verdict(near, "t-closeness", BODY, t=0.5, distance="hierarchical")
    assert found.achieved == {"t": pytest.approx(0.25 / 3)}
    # Values that the hierarchy does not know stand for themselves on every level.
    apart = sharing([["rash"], ["burn"]])
    found = verdict(apart, "t-closeness", BODY, t=0.5, distance="hierarchical")
    assert found.achieved == {"t": pytest.approx(0.5)}


def test_the_middle_category_is_in_neither_half() -> None:
    rows = sharing([["1", "3", "3", "3"]])
    found = verdict(rows, "balanced-p-plus-sensitive", p=2)
    assert found.holds
    assert found.achieved == {"p": 2, "difference": 1}


def test_a_large_class_with_one_prevailing_value_keeps_theta_of_k() -> None:
    """Rank variance is no measure of diversity: 90 of 100 have one value."""
    rows = sharing([["0"] * 90 + [str(at) for at in range(1, 11)]])
    found = verdict(rows, "theta-sensitive", k=4)
    assert found.holds
    assert not verdict(rows, "theta-sensitive", k=4, theta="size").holds
    assert not verdict(rows, "max-posterior").holds
    assert verdict(rows, "max-posterior").achieved == {"bound": 0.9}


def test_a_value_that_only_the_class_has() -> None:
    """The original table lacks what noise or a decoy brought: the gain has no bound."""
    known = ValueMetadata(reference={"1": 1.0, "2": 1.0})
    rows = sharing([["1", "2", "5"]])
    for model in ("basic-beta-likeness", "enhanced-beta-likeness"):
        found = verdict(rows, model, known, beta=1e9, reference="original")
        assert not found.holds
        assert found.achieved == {"beta": None}
    found = verdict(rows, "delta-disclosure", known, delta=1e9, reference="original")
    assert not found.holds
    assert found.achieved == {"delta": None}
    found = verdict(rows, "t-closeness", known, t=0.5, reference="original")
    assert found.achieved == {"t": pytest.approx(1 / 3)}


def test_a_column_named_like_one_of_our_own() -> None:
    names = ["size", "class", "records", "value"]
    table = pl.DataFrame([["1", "1", "1", "a"], ["1", "1", "1", "b"]], names, orient="row")
    asked = [{"model": model, "p": 2, "sensitive": "value"} for model in ("p-sensitive",)]
    assert audit(table, asked, names[:3]).holds
    asked = [{"model": "max-posterior", "sensitive": "records"}]
    assert not audit(table, asked, ["size", "class", "value"]).holds


# What a stranger has to be told


@pytest.mark.parametrize(
    ("asked", "known", "said"),
    [
        ({"model": "p-plus-sensitive", "p": 2}, {}, "needs the category of every value"),
        (
            {"model": "p-alpha-sensitive", "p": 2, "alpha": 1},
            {"categories": {"flu": "low"}},
            "needs the order of the categories",
        ),
        (
            {"model": "p-plus-sensitive", "p": 2},
            {"categories": {"flu": "low"}},
            "attribute 'illness': 2 published values have no category",
        ),
        (
            {"model": "balanced-p-plus-sensitive", "p": 2},
            {
                "categories": {"flu": "low", "gout": "low", None: "other"},
                "category_order": ("low", "high"),
            },
            "a published value has no category",
        ),
        (
            {"model": "t-closeness", "t": 0.5, "distance": "ordered"},
            {},
            "needs an order of the values",
        ),
        (
            {"model": "t-closeness", "t": 0.5, "distance": "hierarchical"},
            {},
            "needs a hierarchy of the values",
        ),
        ({"model": "t-closeness", "t": 0.5, "reference": "original"}, {}, "is not known"),
        ({"model": "delta-disclosure", "delta": 1, "reference": "original"}, {}, "is not known"),
        ({"model": "k-map", "k": 2}, {}, "none is given"),
        ({"model": "delta-presence", "lower": 0, "upper": 1}, {}, "none is given"),
    ],
)
def test_what_is_not_known_is_told(asked: dict[str, Any], known: dict[str, Any], said: str) -> None:
    rows = sharing([["flu", "gout", None]])
    asked = (
        asked
        if asked["model"] in ("k-map", "delta-presence")
        else {**asked, "sensitive": "illness"}
    )
    with pytest.raises(PolicyError) as caught:
        audit(frame_of(rows), [asked], ["place"], known={"illness": ValueMetadata(**known)})
    assert said in str(caught.value)
    assert "remedy" in str(caught.value)
    assert "gout" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"model": "distinct-l-diversity", "l": 2, "sensitive": None}, "protects an attribute"),
        ({"model": "distinct-l-diversity"}, "needs 'l'"),
        ({"model": "distinct-l-diversity", "l": 0}, "at least 1, not 0"),
        ({"model": "distinct-l-diversity", "l": 2, "k": 2}, "has no parameter 'k'"),
        ({"model": "distinct-l-diversity", "l": 2, "unit": "person"}, "counts people"),
        (
            {"model": "distinct-l-diversity", "l": 2, "reference": "original"},
            "compares with no distribution",
        ),
        ({"model": "entropy-l-diversity", "l": 0.5}, "a number of at least 1, not 0.5"),
        ({"model": "entropy-l-diversity", "l": math.inf}, "not inf"),
        ({"model": "recursive-cl-diversity", "c": 0, "l": 2}, "a number above 0, not 0"),
        ({"model": "alpha-k-anonymity", "alpha": 1.5, "k": 2}, "at most 1, not 1.5"),
        ({"model": "t-closeness", "t": True}, "a number from 0 to 1, not True"),
        (
            {"model": "t-closeness", "t": 0.2, "distance": "order"},
            "one of 'equal', 'ordered', 'hierarchical', not 'order'",
        ),
        ({"model": "theta-sensitive", "k": 4, "theta": ["k"]}, "one of 'k', 'size'"),
        ({"model": "theta-sensitive", "k": 4, "thta": "k"}, "did you mean 'theta'?"),
        (
            {"model": "delta-presence", "lower": 0.5, "upper": 0.2},
            "lower of delta-presence is above",
        ),
    ],
)
def test_a_promise_that_cannot_be_understood(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        audit(frame_of(sharing([["flu"]])), [{"sensitive": "illness", **asked}], ["place"])
    assert said in str(caught.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    asked = [
        {"model": "p-sensitive", "sensitive": "illness"},
        {"model": "p-plus-sensitive", "p": 2, "sensitive": "illness"},
        {"model": "k-map", "k": 0},
    ]
    with pytest.raises(PolicyError) as caught:
        audit(frame_of(sharing([["flu"]])), asked, ["place"])
    assert len(caught.value.problems) == 3


def test_what_a_promise_looked_at_is_not_named_as_not_looked_at() -> None:
    table = frame_of(sharing([["flu", "gout"]])).with_columns(doctor=pl.lit("x"))
    asked = Requirement("p-sensitive", {"p": 2}, sensitive="illness")
    found = audit(table, [asked], ["place"])
    assert found.beside == ("doctor",)
    assert ("not looked at", "doctor") in found.summary_rows()
    document = found.to_dict()["promises"][0]
    assert document["sensitive"] == "illness"
    assert document["achieved"] == {"p": 2}


def test_the_original_distribution_is_named_in_the_document() -> None:
    found = verdict(sharing([["1", "2"]]), "t-closeness", t=1, reference="original")
    assert found.to_dict()["reference"] == "original"


# Promises about a population

CELLS = ("20", "30", "[20, 30]", "*")
COVERS: Mapping[str, Mapping[Value, frozenset[Value]]] = {
    "age": {"[20, 30]": frozenset({"20", "30"}), "20": frozenset({"20"}), "30": frozenset({"30"})},
    "sex": {"*": frozenset({"F", "M", None}), "F": frozenset("F"), None: frozenset({None})},
}
RELEASED = st.lists(
    st.tuples(st.sampled_from(CELLS[:3]), st.sampled_from(["*", "F", None])), max_size=8
)
PEOPLE = st.lists(
    st.tuples(st.sampled_from(["20", "30", "40"]), st.sampled_from(["F", "M", None])), max_size=12
)


def table_of(rows: Sequence[tuple[Value, Value]]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"age": pl.String, "sex": pl.String}, orient="row")


@given(
    released=RELEASED,
    people=PEOPLE,
    k=st.integers(1, 5),
    lower=st.sampled_from([0, 0.2, 0.5]),
    upper=st.sampled_from([0.5, 0.8, 1.0]),
    on=st.sampled_from([None, ("age",), ("sex",)]),
    absent=st.sampled_from(["break", "skip"]),
)
def test_people_of_a_population(
    released: list[tuple[Value, Value]],
    people: list[tuple[Value, Value]],
    k: int,
    lower: float,
    upper: float,
    on: tuple[str, ...] | None,
    absent: str,
) -> None:
    names = on or ("age", "sex")
    at = [("age", "sex").index(name) for name in names]

    def under(person: tuple[Value, Value], cells: tuple[Value, ...]) -> bool:
        return all(
            person[j] in COVERS[name][cell] for j, name, cell in zip(at, names, cells, strict=True)
        )

    sizes = Counter(tuple(row[j] for j in at) for row in released)
    found = {cells: sum(under(person, cells) for person in people) for cells in sizes}
    asked = [
        Requirement("k-map", {"k": k}, on),
        Requirement("delta-presence", {"lower": lower, "upper": upper, "absent": absent}, on),
    ]
    run = audit(
        table_of(released), asked, ["age", "sex"], population=table_of(people), covers=COVERS
    )
    first, second = run.promises
    left = {}
    for cells in sizes:
        need = 0
        for other in sizes:
            both = sum(under(person, cells) and under(person, other) for person in people)
            need += min(sizes[other], both) if other != cells else 0
        left[cells] = max(found[cells] - need, min(sizes[cells], found[cells]))
    few = [cells for cells in sizes if found[cells] < k]
    assert first.holds == (not few)
    assert bool(first.note) == (len(few) < sum(count < k for count in left.values()))
    assert first.achieved == {"k": min(found.values(), default=None)}
    assert first.breaking_classes == len(few)
    assert first.breaking_records == sum(sizes[cells] for cells in few)
    presence = {cells: sizes[cells] / found[cells] if found[cells] else math.inf for cells in sizes}
    nobody = any(not any(under(person, cells) for cells in sizes) for person in people)
    missed = bool(sizes) and nobody and absent == "break"
    believed = {}
    for cells in sizes:
        sums = [
            sum(sizes[one] / left[one] for one in sizes if under(person, one))
            for person in people
            if under(person, cells)
        ]
        believed[cells] = min(max(sums, default=math.inf), max(1.0, presence[cells]))
    outside = [
        cells for cells in sizes if presence[cells] < lower - 1e-9 or believed[cells] > upper + 1e-9
    ]
    assert second.breaking_classes == len(outside)
    assert second.holds == (not outside and not (missed and lower > 0))
    if sizes:
        lowest, highest = 0.0 if missed else min(presence.values()), max(believed.values())
        assert second.achieved == {
            "lower": lowest if math.isfinite(lowest) else None,
            "upper": pytest.approx(highest) if math.isfinite(highest) else None,
        }


RANKED = ValueMetadata(ranks={"1": 1, "2": 1, "5": 4})


@pytest.mark.parametrize(
    ("settings", "holds", "achieved"),
    [
        ({"k": {"1": 3, "4": 4}}, True, {"k_1": 4, "k_4": 4, "diversity": 2}),
        ({"k": {"1": 5, "4": 4}}, False, {"k_1": 4, "k_4": 4, "diversity": 2}),
        ({"k": {"1": 2, "4": 2}, "count": "rank"}, True, {"k_1": 2, "k_4": 2, "diversity": 2}),
        ({"k": {"1": 2, "4": 3}, "count": "rank"}, False, {"k_1": 2, "k_4": 2, "diversity": 2}),
        ({"k": {"1": 2, "4": 2}, "diversity": 3}, False, {"k_1": 4, "k_4": 4, "diversity": 2}),
        ({"k": {"1": 2, "4": 2}, "diversity": False}, True, {"k_1": 4, "k_4": 4}),
    ],
)
def test_a_k_for_every_sensitivity(
    settings: dict[str, Any], holds: bool, achieved: dict[str, int]
) -> None:
    """A class of four with two sensitive and two harmless values, another of five and two."""
    rows = sharing([["1", "2", "5", "5"], ["1", "1", "5", "5", "5"]])
    found = verdict(rows, "knm-anonymity", RANKED, **settings)
    assert (found.holds, found.achieved) == (holds, achieved)


def test_a_k_for_every_sensitivity_needs_ranks_and_a_k_for_each() -> None:
    for strange, told in (("8", "a published value has"), ("89", "2 published values have")):
        with pytest.raises(PolicyError, match=told) as bare:
            verdict(sharing([["1", *strange]]), "knm-anonymity", RANKED, k={"1": 2, "4": 2})
        assert [one.code for one in bare.value.problems] == ["value-without-rank"]
    with pytest.raises(PolicyError) as unasked:
        verdict(sharing([["1", "5"]]), "knm-anonymity", RANKED, k={"1": 2})
    assert [one.code for one in unasked.value.problems] == ["rank-without-k"]


@pytest.mark.parametrize(
    ("lower", "upper", "holds"),
    [
        (0, 1, True),
        (1 / 3, 1 / 3, True),
        (1 / 3 + 1e-6, 1, False),
        (0, 1 / 3 - 1e-6, False),
    ],
)
def test_a_presence_on_the_bound_is_within(lower: float, upper: float, holds: bool) -> None:
    """One of three people is released."""
    asked = {"model": "delta-presence", "lower": lower, "upper": upper}
    people = table_of([("20", "F")] * 3)
    found = audit(table_of([("20", "F")]), [asked], ["age", "sex"], population=people)
    assert found.holds == holds
    assert found.promises[0].achieved == {"lower": 1 / 3, "upper": 1 / 3}


def test_people_under_no_class_break_a_lower_bound_above_none() -> None:
    people = table_of([("20", "F"), ("30", "M")])
    for lower, absent, holds in (
        (0, "break", True),
        (0.1, "break", False),
        (0.1, "suppressed", True),
        (0.1, "skip", True),
    ):
        asked = {"model": "delta-presence", "lower": lower, "upper": 1, "absent": absent}
        found = audit(table_of([("20", "F")]), [asked], ["age", "sex"], population=people)
        assert found.holds == holds, (lower, absent)
    for lower, upper in ((-0.1, 1), (0, 1.1)):
        asked = {"model": "delta-presence", "lower": lower, "upper": upper}
        with pytest.raises(PolicyError, match="a number from 0 to 1"):
            audit(table_of([("20", "F")]), [asked], ["age", "sex"], population=people)


@pytest.mark.parametrize(
    ("upper", "absent", "holds"),
    [
        (2 / 3, "suppressed", True),
        (2 / 3 - 1e-6, "suppressed", False),
        (2 / 3 - 1e-6, "skip", None),
        (1, "break", True),
    ],
)
def test_suppressed_records_are_so_many_of_the_people_under_no_class(
    upper: float, absent: str, holds: bool | None
) -> None:
    """One of five of F is released, and two of the three others without a class."""
    people = table_of([("20", "F")] * 5 + [("30", "M")] * 3)
    asked = {"model": "delta-presence", "lower": 0, "upper": upper, "absent": absent}
    shown = table_of([("20", "F"), ("*", "*"), ("*", "*")])
    found = audit(shown, [asked], ["age", "sex"], population=people)
    assert found.promises[0].holds
    (group,) = found.suppressed_group
    assert group.holds == holds
    assert group.achieved == {"lower": None, "upper": 2 / 3}
    assert (group.breaking_classes, group.breaking_records) == (
        (0, 0) if upper >= 2 / 3 else (1, 2)
    )


@pytest.mark.parametrize(("domain", "is_sorted"), [(8, False), (9, True)])
def test_few_numbers_for_each_row_are_counted_without_sorting(
    domain: int, is_sorted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to four for each of six rows."""
    times: list[int] = []
    unique = np.unique

    def spy(values: Any, **more: Any) -> Any:
        times.append(len(values))
        return unique(values, **more)

    monkeypatch.setattr(np, "unique", spy)
    before, place = np.array([0, 2, 1, 0, 2, 2]), np.array([domain - 1, 3, 0, 0, 3, 2])
    number, many = _numbered(before, 3, place)
    assert (number.tolist(), many) == ([1, 4, 2, 0, 4, 3], 5)
    assert times == ([6] if is_sorted else [])


@pytest.mark.parametrize("cells", [1, 12, 13])
@given(rows=ROWS, reference=st.sampled_from(["published", "original"]))
def test_classes_looked_at_a_few_at_a_time_have_the_same_distances(
    cells: int, rows: list[tuple[str, Value]], reference: str
) -> None:
    spread = [(f"{place}{at % 4}", value) for at, (place, value) in enumerate(rows)]
    asked = {"t": 0.2, "distance": "ordered", "reference": reference}
    together = verdict(spread, "t-closeness", **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(t_closeness, "_AT_ONCE", cells)
        assert verdict(spread, "t-closeness", **asked) == together


def test_a_class_that_a_sample_of_few_people_would_hardly_be() -> None:
    """Of k = 4 people, of whom 5 % are released: 3 or more with 0.00115, 2 with 0.0164."""
    asked = {"model": "estimated-k-map", "k": 4, "fraction": 0.05, "estimator": "poisson"}
    rows = table_of([("20", "F")] * 3 + [("30", "F")] * 2)
    for significance, broken in ((0.01, 1), (0.02, 0), (0.001, 2)):
        found = audit(rows, [{**asked, "significance": significance}], ["age", "sex"]).promises[0]
        assert found.breaking_classes == broken
        assert found.achieved == {"size": 2}
    # Of those that are seen at all 0.0967 are of two and more, 0.0063 of three and more.
    seen = {**asked, "estimator": "zero-truncated-poisson"}
    assert audit(rows, [{**seen, "significance": 0.1}], ["age", "sex"]).holds
    assert not audit(rows, [{**seen, "significance": 0.09}], ["age", "sex"]).holds


@pytest.mark.parametrize("estimator", ["poisson", "zero-truncated-poisson"])
@pytest.mark.parametrize("fraction", [0.01, 0.3, 1.0])
def test_a_class_of_k_records_stands_for_k_people(estimator: str, fraction: float) -> None:
    asked = {"model": "estimated-k-map", "k": 5, "fraction": fraction, "estimator": estimator}
    assert audit(table_of([("20", "F")] * 5), [asked], ["age", "sex"]).holds
    assert EstimatedKMap(k=5, fraction=fraction, estimator=estimator).size <= 5


def test_a_star_stands_for_everybody_and_a_value_for_itself() -> None:
    people = table_of([("20", "F"), ("30", "M"), ("40", None)])
    found = audit(
        table_of([("20", "*"), ("40", None)]),
        [{"model": "k-map", "k": 1}],
        ["age", "sex"],
        population=people,
    )
    assert found.promises[0].achieved == {"k": 1}


@pytest.mark.parametrize(
    ("quasi", "said"),
    [
        (["age"], "attribute 'sex'"),
        (["age", "sex"], "it is not known which values they cover"),
    ],
)
def test_a_population_that_does_not_fit(quasi: list[str], said: str) -> None:
    population = table_of([("20", "F")]).select(quasi)
    release = table_of([("[20, 30]", "F")])
    asked = [{"model": "k-map", "k": 1}]
    with pytest.raises(PolicyError) as caught:
        audit(release, asked, ["age", "sex"], population=population)
    assert said in str(caught.value)


# Figures that others computed


def test_the_real_table_has_the_values_that_are_known_of_it(shared: Path) -> None:
    oracle = json.loads((shared / "oracles" / "adult_model_values.json").read_text())
    table = shared / "data" / "adult" / "adult.csv"
    for case in oracle["cases"]:
        values, sensitive = case["values"], case["sensitive"]
        asked = {
            "distinct_l": ("distinct-l-diversity", {"l": 1}, "l"),
            "entropy_l_real": ("entropy-l-diversity", {"l": 1}, "l"),
            "alpha": ("alpha-k-anonymity", {"alpha": 1, "k": 1}, "alpha"),
            "k": ("alpha-k-anonymity", {"alpha": 1, "k": 1}, "k"),
            "recursive_c_infimum_for_that_l": (
                "recursive-cl-diversity",
                {"c": 3, "l": max(2, values["distinct_l"])},
                "c",
            ),
            "basic_beta": ("basic-beta-likeness", {"beta": 1}, "beta"),
            "enhanced_beta": ("enhanced-beta-likeness", {"beta": 1}, "beta"),
            "delta_ln_skipping_absent": (
                "delta-disclosure",
                {"delta": 1, "absent": "skip"},
                "delta",
            ),
            "delta_ln_strict": ("delta-disclosure", {"delta": 1}, "delta"),
            "t_equal": ("t-closeness", {"t": 1}, "t"),
            "t_ordered_rank": ("t-closeness", {"t": 1, "distance": "ordered"}, "t"),
        }
        named = [name for name in asked if name in values]
        found = audit(
            table,
            [Requirement(*asked[name][:2], sensitive=sensitive) for name in named],
            case["quasi_identifiers"],
        )
        for name, one in zip(named, found.promises, strict=True):
            expected, got = values[name], one.achieved[asked[name][2]]
            if expected is None or expected == "inf":
                assert got is None, (case["label"], name)
            else:
                assert got == pytest.approx(expected, rel=1e-9), (case["label"], name)


CATEGORIES = {
    "HIV": "top secret",
    "Cancer": "top secret",
    "Hepatitis": "secret",
    "Phthisis": "secret",
    "Asthma": "less secret",
    "Obesity": "less secret",
    "Flu": "non secret",
    "Indigestion": "non secret",
}
ILLNESSES = ValueMetadata(
    categories=CATEGORIES, category_order=("non secret", "less secret", "secret", "top secret")
)


def test_the_tables_of_khan_and_others(shared: Path) -> None:
    oracle = json.loads((shared / "spec" / "oracles.json").read_text())["C_003"]
    for name, table in oracle["tables"].items():
        rows, k, classes = sharing(table["classes"]), table["k"], table["classes"]
        found = verdict(rows, "theta-sensitive", ILLNESSES, k=k)
        assert found.breaking_classes == table["ge_theta"].count(False), name
        assert found.breaking_records == table["detect"]["rec_v"]
        lowest = min(float(Fraction(v)) for v in table["variance"])
        assert found.achieved["mu"] == pytest.approx(lowest * 12 / (k * k - 1))
        assert verdict(rows, "p-sensitive", p=1).achieved == {"p": min(table["distinct"])}
        lone = verdict(rows, "p-sensitive", p=2)
        assert lone.breaking_classes == table["detect"]["homogeneity"]
        assert lone.breaking_records == table["detect"]["rec_h"]
        alike = verdict(rows, "p-plus-sensitive", ILLNESSES, p=2)
        assert alike.achieved == {"p": min(table["categories"])}
        assert alike.breaking_classes == table["detect"]["similarity"]
        assert alike.breaking_records == table["detect"]["rec_s"]
        assert verdict(rows, "max-posterior").achieved["bound"] == max(
            max(Counter(values).values()) / len(values) for values in classes
        )
    for name, weights in oracle["weights_0_1/3_2/3_1_total"].items():
        rows = sharing(oracle["tables"][name]["classes"])
        for over, alpha in weights.items():
            found = verdict(rows, "p-alpha-sensitive", ILLNESSES, p=3, alpha=1, over=over)
            assert found.holds
            assert found.achieved["alpha"] == pytest.approx(float(Fraction(alpha)))


def test_rank_variances_and_thresholds(shared: Path) -> None:
    oracle = json.loads((shared / "spec" / "oracles.json").read_text())["C_003"]
    for counts, (exact, _) in oracle["variance"].items():
        sizes = [int(size) for size in counts.split("-")]
        rows = sharing([[str(at) for at, size in enumerate(sizes) for _ in range(size)]])
        found = verdict(rows, "theta-sensitive", k=2)
        assert found.achieved["mu"] == pytest.approx(float(Fraction(exact)) * 4)
    for k, theta in oracle["theta_mu0.6"].items():
        rows = sharing([[str(at) for at in range(int(k))]])
        found = verdict(rows, "theta-sensitive", k=int(k), mu=0.6)
        variance = found.achieved["mu"] * (int(k) ** 2 - 1) / 12
        assert found.holds
        assert variance * 0.6 == pytest.approx(theta)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["b", "a", None]),
            st.sampled_from([f"{at}" for at in range(9)]),
            st.sampled_from(VALUES),
            st.integers(1, 9),
        ),
        min_size=1,
        max_size=60,
    ),
    st.booleans(),
)
def test_values_of_classes_are_counted_in_the_order_of_their_texts(
    rows: list[tuple[Value, str, Value, int]], counted: bool
) -> None:
    expected = Counter[tuple[Value, str, Value]]()
    for *cell, times in rows:
        expected[cell[0], cell[1], cell[2]] += times if counted else 1
    units = Counter[tuple[Value, str]]()
    for (first, second, _), records in expected.items():
        units[first, second] += records

    def place(cell: tuple[Value, ...]) -> list[tuple[bool, str]]:
        return [(text is not None, text or "") for text in cell]

    number = {key: at for at, key in enumerate(sorted(units, key=place))}
    names = ["a", "b", "ill", TIMES]
    frame = pl.DataFrame(rows, names, orient="row", infer_schema_length=None)
    frame = frame.with_columns(pl.col("a", "b", "ill").cast(pl.String))
    frame = frame if counted else frame.drop(TIMES)
    context = Context(("a", "b"))
    found = context.counts(frame, ("a", "b"), "ill")
    assert found.select(CLASS, VALUE, RECORDS, UNITS).rows() == [
        (number[cell[:2]], cell[2], expected[cell], units[cell[:2]])
        for cell in sorted(expected, key=place)
    ]
    assert sorted(context.sizes(frame, ("a", "b"))) == sorted(units.values())


def test_a_check_is_of_the_model_that_its_file_names() -> None:
    good = checks()["k-anonymity"]
    assert _is_check(good, "k-anonymity")
    assert not _is_check(good, "k-map")
    assert not _is_check(SimpleNamespace(MODEL="k-anonymity"), "k-anonymity")
