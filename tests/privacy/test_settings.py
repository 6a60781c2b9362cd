"""Parameters that make no sense are refused, and what has to be known of values is asked for."""

from __future__ import annotations

import importlib
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np
import pytest
from tests.privacy.examples import EXAMPLES, SEE, Settings, of_classes, usual
from tests.privacy.test_definitions import MODELS, only

from indistinct.errors import PolicyError, Problem
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, models, promise
from indistinct.privacy.parameters import is_range_of_k
from indistinct.privacy.promise import SHARED
from indistinct.privacy.values import ABOUT_VALUES

WRONG = [
    (model, name, given)
    for model, one in EXAMPLES.items()
    if one.classes
    for name, several in one.classes.wrong.items()
    for given in several
]


@pytest.mark.parametrize(("model", "name", "given"), WRONG)
def test_wrong_parameters(model: str, name: str, given: object) -> None:
    settings = {**usual(model).parameters, name: given}
    with pytest.raises(PolicyError) as caught:
        promise(model, sensitive="s", **settings)
    (problem,) = caught.value.problems
    assert problem.code == "bad-parameter"
    assert f"{name} of {model}" in problem.message


@pytest.mark.parametrize("model", MODELS)
def test_every_parameter_is_checked(model: str) -> None:
    lacking = sorted({*usual(model).parameters} - {*of_classes(model).wrong})
    where = f"EXAMPLES['{model}'].classes.wrong in tests/privacy/examples.py"
    assert not lacking, f"{where} lacks {lacking}: {SEE}"


def test_messages_say_what_is_asked() -> None:
    with pytest.raises(PolicyError, match="mu of theta-sensitive must be a number above 0 and at"):
        promise("theta-sensitive", k=4, mu=3, sensitive="s")
    with pytest.raises(PolicyError, match="t of t-closeness must be a number of at least 0 and at"):
        promise("t-closeness", t=3, sensitive="s")
    with pytest.raises(PolicyError, match="did you mean 'ordered'"):
        promise("t-closeness", t=0.1, distance="order", sensitive="s")


@pytest.mark.parametrize("model", MODELS)
def test_a_model_says_what_it_applies_to(model: str) -> None:
    kind = models()[model]
    asked = usual(model)
    assert kind.__doc__
    assert "Closed under" in " ".join(kind.__doc__.split()) or model == "k-anonymity"
    page = str(importlib.import_module(kind.__module__).__doc__)
    assert "does not promise" in page or model == "k-anonymity"
    if kind.needs_sensitive:
        assert "missing value" in " ".join(page.split())
        with pytest.raises(PolicyError, match="protects a sensitive attribute"):
            promise(model, **asked.parameters)
    if not kind.compares:
        with pytest.raises(PolicyError, match="compares with no distribution"):
            promise(model, sensitive="s", reference="original", **asked.parameters)


SAID: dict[str, set[str]] = {
    "compares": {
        "basic-beta-likeness", "delta-disclosure", "enhanced-beta-likeness", "t-closeness",
    },
    "needs_population": {"delta-presence", "k-map"},
    "about_population": {"delta-presence", "estimated-k-map", "k-map"},
    "counts_made_up": {"m-invariance", "tau-safety", "theta-sensitive"},
    "of_items_alone": {"km-anonymity"},
    "consecutive": {"m-invariance"},
}  # fmt: skip
"""Of which models a fact is true, where it is not true of most."""

OF_RECORDS = {
    "average-risk", "delta-presence", "differential-privacy", "estimated-k-map", "k-anonymity",
    "k-map", "known-number", "known-visit", "sample-uniqueness",
}  # fmt: skip


def test_which_models_need_what() -> None:
    ours = {
        name: kind for name, kind in models().items() if kind.__module__.startswith("indistinct.")
    }
    for fact, known in SAID.items():
        assert {name for name, kind in ours.items() if getattr(kind, fact, False)} == known
    assert {name for name, kind in ours.items() if not kind.needs_sensitive} == OF_RECORDS


@pytest.mark.parametrize("model", MODELS)
def test_a_promise_that_says_nothing_of_sizes_says_so(model: str) -> None:
    asked = usual(model)
    assert asked.caution is None
    assert asked.is_open is False
    assert asked.keeps_everybody is (model == "delta-presence")
    assert (asked.relaxation_hint is not None) is (model == "delta-presence")
    k = asked.parameters.get("k", 1)
    least = min(k.values()) if isinstance(k, dict) else k
    most = max(k.values()) if isinstance(k, dict) else k
    if model not in {"differential-privacy", "estimated-k-map", "k-map"}:
        assert (asked.class_size, asked.sufficient_size) == (least, most)
    assert (asked.largest_violating_size is None) is (
        model not in {"differential-privacy", "estimated-k-map", "k-anonymity"}
    )


def test_where_every_k_is_left_open_no_size_is_asked_for_yet() -> None:
    asked = promise("knm-anonymity", sensitive="s", k="elbow")
    assert asked.is_open
    assert (asked.class_size, asked.sufficient_size) == (1, 1)


DEFAULTS: dict[str, dict[str, Any]] = {
    "balanced-p-plus-sensitive": {"difference": 1},
    "delta-disclosure": {"absent": "break"},
    "delta-presence": {"absent": "break"},
    "differential-privacy": {"search": 0.05},
    "estimated-k-map": {"significance": 0.01, "estimator": "zero-truncated-poisson"},
    "kl-cover": {"of": "values"},
    "km-anonymity": {"m": 2, "together": ()},
    "knm-anonymity": {"count": "class", "diversity": True},
    "known-records": {"k": None, "bound": None, "m": 1},
    "known-visit": {"visit": ()},
    "max-posterior": {"bound": 0.5, "over": "release"},
    "p-alpha-sensitive": {"over": "distinct"},
    "t-closeness": {"distance": "equal"},
    "tau-safety": {"m": 2},
    "theta-sensitive": {"mu": 0.6, "theta": "k"},
}


def test_what_holds_of_a_promise_that_does_not_say() -> None:
    for model, kind in models().items():
        if kind.__module__.startswith("indistinct."):
            found = {
                one.name: one.default
                for one in fields(kind)
                if one.default is not MISSING and one.name not in {*SHARED, *ABOUT_VALUES}
            }
            assert found == DEFAULTS.get(model, {})


def test_about_some_values_a_promise_is_closed_under_unions_alone() -> None:
    for model in ("distinct-l-diversity", "p-sensitive"):
        (name,) = usual(model).parameters
        for settings, closure in (
            ({}, "superset"),
            ({"values": ["1"]}, "union"),
            ({"not_values": ["1"]}, "union"),
            ({"not_applicable": ["1"]}, "union"),
        ):
            asked = promise(model, sensitive="s", **{name: 2}, **settings)
            assert asked.effective_closure == closure
    about = promise("t-closeness", t=0.2, sensitive="s", values=["1"])
    assert about.effective_closure == "none"
    assert replace(about, reference="original").effective_closure == "union"
    mine = promise("max-posterior", bound=0.5, sensitive="s", values=["1"])
    assert mine.effective_closure == "union"


def test_without_a_k_known_records_ask_for_no_size() -> None:
    for settings, size in (({"k": 4}, 4), ({"bound": 0.5}, 1), ({"k": 3, "bound": 0.5}, 3)):
        asked = promise("known-records", m=2, sensitive="s", **settings)
        assert asked.class_size == size
        assert asked.parameters == {"m": 2, **settings}


# What has to be known of the values

BARE = SensitiveDomain(("a", "b", None))
SORTED = SensitiveDomain(("a", "b", None), ValueMetadata({"a": "x", "b": "y", None: "x"}))
FULL = SensitiveDomain(
    ("a", "b", None),
    ValueMetadata(
        {"a": "x", "b": "y", None: "x"},
        ("x", "y"),
        ("b", "a"),
        (("a", "*"), ("b", "*")),
        ranks={"a": 1, "b": 3, None: 4},
    ),
)


def code(problem: Problem | None) -> str | None:
    if problem is not None:
        assert problem.attribute == "s"
        assert 'attributes."s".' in str(problem.remedy)
    return None if problem is None else problem.code


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_needs_to_know(model: str) -> None:
    asked = usual(model)
    bare, unordered = of_classes(model).lacks
    assert code(asked.missing_metadata(BARE)) == bare
    assert code(asked.missing_metadata(SORTED)) == unordered
    assert code(asked.missing_metadata(FULL)) is None


def test_every_value_needs_a_category() -> None:
    asked = promise("p-plus-sensitive", p=2, sensitive="s")
    partly = SensitiveDomain(("a", "b", None), ValueMetadata({"a": "x"}, ("x", "y")))
    problem = asked.missing_metadata(partly)
    assert code(problem) == "value-without-category"
    assert problem is not None
    assert "2 of 3 values have none (one of them is the missing value)" in problem.message
    # Asked nevertheless, values without a category count for none.
    assert asked.achieved(only([1, 1, 1], partly)) == {"p": 1}
    assert asked.achieved(only([0, 1, 1], partly)) == {"p": 0}


def test_values_without_a_category_are_on_no_side_and_weigh_nothing() -> None:
    partly = SensitiveDomain(("a", "b", None), ValueMetadata({"a": "x", "b": "y"}, ("x", "y")))
    balanced = promise("balanced-p-plus-sensitive", p=2, difference=1, sensitive="s")
    for counts, apart in (([3, 1, 0], 2), ([1, 1, 9], 0), ([1, 2, 9], 1), ([1, 3, 0], 2)):
        assert balanced.achieved(only(counts, partly)) == {"p": 2, "difference": apart}
    unordered = SensitiveDomain(("a", "b", None), ValueMetadata({"a": "x", "b": "y"}))
    light = promise("p-plus-alpha-sensitive", p=1, alpha=0.5, sensitive="s")
    assert light.achieved(only([1, 1, 1], unordered)) == {"p": 2, "alpha": 0.0}
    assert light.achieved(only([1, 1, 1], partly)) == {"p": 2, "alpha": 1.0}


def test_every_value_needs_a_rank_and_every_rank_a_k() -> None:
    asked = promise("knm-anonymity", k={1: 5, 4: 2}, sensitive="s")
    assert asked.parameters["k"] == {"1": 5, "4": 2}
    partly = SensitiveDomain(("a", "b", None), ValueMetadata(ranks={"a": 1, "b": 4}))
    lacking = asked.missing_metadata(partly)
    assert code(lacking) == "value-without-rank"
    assert str(lacking.message if lacking else "").endswith("and 1 of 3 values has none")
    nothing = asked.missing_metadata(BARE)
    assert code(nothing) == "ranks-missing"
    assert str(nothing.message if nothing else "").endswith("and none is known")
    # Asked nevertheless, values without a rank count like the gravest.
    assert asked.breaks(only([0, 4, 0], partly)).any()  # one value, and two are wanted
    plain = promise("knm-anonymity", k={1: 5, 4: 2}, diversity=False, sensitive="s")
    assert not plain.breaks(only([0, 4, 0], partly)).any()
    assert plain.breaks(only([0, 3, 1], partly)).all()
    problem = asked.missing_metadata(FULL)
    assert problem is not None
    assert problem.code == "rank-without-k"
    assert "no k for rank 3" in problem.message
    for k in (0, True, 2.5, "3"):
        with pytest.raises(PolicyError, match="k of rank 2 of knm-anonymity must be a whole"):
            promise("knm-anonymity", k={"2": k}, sensitive="s")


def test_a_k_that_was_not_chosen_judges_nothing() -> None:
    asked = promise("knm-anonymity", k="elbow", sensitive="s")
    problem = asked.missing_metadata(FULL)
    assert problem is not None
    assert problem.code == "k-not-chosen"
    with pytest.raises(PolicyError, match="was not chosen here"):
        asked.breaks(only([1, 1, 0], FULL))


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "k-anonymity"},
        {"model": "k-map"},
        {"model": "estimated-k-map", "fraction": 0.5},
        {"model": "theta-sensitive", "sensitive": "s"},
        {"model": "km-anonymity", "m": 1, "sensitive": "s"},
        {"model": "known-records", "m": 1, "sensitive": "s"},
    ],
)
def test_a_k_of_one_promises_nothing(settings: dict[str, Any]) -> None:
    assert promise("kl-cover", k=1, l=2, sensitive="s").caution is None
    told = {k: promise(k=k, **settings).caution for k in (1, 2, 3)}
    assert told == {1: "k = 1 promises nothing: everybody stands out", 2: None, 3: None}


@pytest.mark.parametrize(
    ("weak", "strict"),
    [
        ({"model": "distinct-l-diversity", "l": 1}, {"l": 2}),
        ({"model": "p-sensitive", "p": 1}, {"p": 2}),
        ({"model": "entropy-l-diversity", "l": 1}, {"l": 1.1}),
        ({"model": "recursive-cl-diversity", "c": 1.5, "l": 1}, {"c": 1}),
        ({"model": "recursive-cl-diversity", "c": 1.5, "l": 1}, {"l": 2}),
        ({"model": "max-posterior", "bound": 1}, {"bound": 0.9}),
        ({"model": "alpha-k-anonymity", "alpha": 1, "k": 2}, {"alpha": 0.9}),
        ({"model": "t-closeness", "t": 1}, {"t": 0.3}),
        ({"model": "kl-cover", "k": 2, "l": 1}, {"l": 2}),
    ],
)
def test_parameters_that_bound_nothing_are_told(weak: Settings, strict: Settings) -> None:
    """Under the first a class of one value is allowed, under the second it is not."""
    cells = np.array([[3, 0], [1, 2]])
    seen = ClassTable(np.arange(2, dtype=np.int32), cells.sum(axis=1), {"s": cells})
    idle, asked = (promise(**{**weak, **more}, sensitive="s") for more in ({}, strict))
    for one, allowed in ((idle, True), (asked, False)):
        assert one.allows_one_value is allowed
        assert one.breaks(seen)[0] != allowed
        assert bool(one.caution) is allowed
    assert "bounds nothing: all people of a class may have the same value" in (idle.caution or "")


def test_a_range_of_k_begins_at_one_and_is_not_too_long() -> None:
    assert all(is_range_of_k(*ends) for ends in [(1, 1), (1, 1001), (7, 1007)])
    assert not any(is_range_of_k(*ends) for ends in [(0, 5), (3, 2), (1, 1002), (7, 1008)])


def test_one_category_bounds_nothing() -> None:
    assert promise("p-plus-sensitive", p=1, sensitive="s").allows_one_value
    for model in ("p-alpha-sensitive", "p-plus-alpha-sensitive"):
        assert promise(model, p=1, alpha=0, sensitive="s").allows_one_value
        assert not promise(model, p=1, alpha=0.5, sensitive="s").allows_one_value
    assert not promise("balanced-p-plus-sensitive", p=1, sensitive="s").allows_one_value


def test_a_k_of_one_says_nothing_where_values_are_bounded() -> None:
    def told(alpha: float) -> str | None:
        return promise("alpha-k-anonymity", alpha=alpha, k=1, sensitive="s").caution

    assert told(0.5) is None
    assert str(told(1)).endswith("k = 1 promises nothing: everybody stands out")


def test_one_k_for_all_is_closed_under_supersets() -> None:
    def closure_of(**settings: Any) -> str:
        return str(promise("knm-anonymity", sensitive="s", **settings).effective_closure)

    assert closure_of(k={1: 5, 4: 5}) == "superset"
    assert closure_of(k={1: 5, 4: 5}, count="rank") == "union"
    assert closure_of(k={1: 5, 4: 3}) == closure_of(k="elbow") == "union"
    assert promise("knm-anonymity", k={1: 9, 4: 3}, sensitive="s").largest_violating_size is None
    plain = promise("knm-anonymity", k={1: 9, 4: 3}, diversity=False, sensitive="s")
    assert plain.largest_violating_size == 8


def closeness(distance: str) -> Promise:
    return promise("t-closeness", t=0.1, distance=distance, sensitive="s")


@pytest.mark.parametrize(
    ("distance", "expected"),
    [("equal", None), ("ordered", "order-missing"), ("hierarchical", "hierarchy-missing")],
)
def test_what_a_distance_needs_to_know(distance: str, expected: str | None) -> None:
    asked = closeness(distance)
    assert code(asked.missing_metadata(BARE)) == expected
    assert code(asked.missing_metadata(FULL)) is None
    seen: ClassTable = only([1, 1, 0], BARE)
    if expected is None:
        assert not asked.breaks(seen).any()
    else:
        with pytest.raises(PolicyError, match="needs a"):
            asked.breaks(seen)


def test_numbers_are_in_order() -> None:
    assert closeness("ordered").missing_metadata(SensitiveDomain(("10", "9", None))) is None


def test_an_estimate_of_the_population() -> None:
    """Exact sums of Poisson probabilities, for means that do and do not fit a float."""
    for k, fraction, size in (
        (1000, 30162 / 317238626, 3),
        (50, 0.1, 12),
        (10**6, 0.5, 501647),
        (1, 0.5, 1),
        (2, 0.5, 2),
        (3, 1.0, 3),
    ):
        estimator = "zero-truncated-poisson" if fraction < 0.01 else "poisson"
        asked = promise("estimated-k-map", k=k, fraction=fraction, estimator=estimator)
        assert asked.largest_violating_size == size - 1
        assert asked.parameters["significance"] == 0.01


@pytest.mark.parametrize("model", ["known-records", "km-anonymity"])
def test_promises_about_items_name_the_attribute(model: str) -> None:
    with pytest.raises(PolicyError) as caught:
        models()[model](k=5)
    assert any("sensitive" in item.message for item in caught.value.problems)
