"""Parameters that make no sense are refused, and what has to be known of values is asked for."""

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest
from tests.privacy.test_definitions import MODELS, example, only

from indistinct.errors import PolicyError, Problem
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, models, promise

NUMBERS: dict[str, dict[str, tuple[float, ...]]] = {
    "l": {"entropy-l-diversity": (0.9, 0)},
    "c": {"recursive-cl-diversity": (0, -1)},
    "alpha": {
        "alpha-k-anonymity": (0, 1.1),
        "p-alpha-sensitive": (-0.1,),
        "p-plus-alpha-sensitive": (-0.1,),
    },
    "bound": {"max-posterior": (0, 1.1, -0.5)},
    "mu": {"theta-sensitive": (0, 1.1)},
    "t": {"t-closeness": (-0.1, 1.1)},
    "beta": {"basic-beta-likeness": (0, -1), "enhanced-beta-likeness": (0, -1)},
    "delta": {"delta-disclosure": (0, -1)},
    "fraction": {"estimated-k-map": (0, 1.1)},
    "significance": {"estimated-k-map": (0, 0.6)},
    "lower": {"delta-presence": (-0.1, 1.1, 0.9)},
    "upper": {"delta-presence": (-0.1, 1.1, 0.05)},
}
WHOLE = {
    "k": (
        "k-anonymity", "alpha-k-anonymity", "theta-sensitive", "k-map", "estimated-k-map",
        "kl-cover",
    ),
    "l": ("distinct-l-diversity", "recursive-cl-diversity", "kl-cover"),
    "m": ("m-invariance", "tau-safety"),
    "p": (
        "p-sensitive", "p-plus-sensitive", "p-alpha-sensitive", "p-plus-alpha-sensitive",
        "balanced-p-plus-sensitive",
    ),
}  # fmt: skip
WORDS = {
    "over": "p-alpha-sensitive",
    "theta": "theta-sensitive",
    "of": "kl-cover",
    "distance": "t-closeness",
    "absent": "delta-disclosure",
    "estimator": "estimated-k-map",
}

KS: tuple[object, ...] = (
    {}, 5, None, "knee", [3], {"5": 2}, {"0": 2}, {True: 2}, {1: 2, "1": 3}, {"one": 2},
)  # fmt: skip

WRONG = [
    *(
        (model, name, given)
        for name, kinds in NUMBERS.items()
        for model, found in kinds.items()
        for given in (*found, True, math.nan, math.inf, "1", None)
    ),
    *(
        (model, name, given)
        for name, kinds in WHOLE.items()
        for model in kinds
        for given in (0, -1, 2.0, True, "2", None)
    ),
    *((model, name, given) for name, model in WORDS.items() for given in ("x", None, 1)),
    ("delta-presence", "absent", "x"),
    ("balanced-p-plus-sensitive", "difference", -1),
    ("balanced-p-plus-sensitive", "difference", 0.5),
    *(("knm-anonymity", "k", given) for given in KS),
    ("knm-anonymity", "diversity", 0),
    ("knm-anonymity", "diversity", 2.5),
    ("knm-anonymity", "count", "value"),
]


@pytest.mark.parametrize(("model", "name", "given"), WRONG)
def test_wrong_parameters(model: str, name: str, given: object) -> None:
    settings = {**example(model).parameters, name: given}
    with pytest.raises(PolicyError) as caught:
        promise(model, sensitive="s", **settings)
    (problem,) = caught.value.problems
    assert problem.code == "bad-parameter"
    assert f"{name} of {model}" in problem.message or "lower of" in problem.message


@pytest.mark.parametrize("model", MODELS)
def test_every_parameter_is_checked(model: str) -> None:
    for name in example(model).parameters:
        assert any(wrong[:2] == (model, name) for wrong in WRONG), name


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
    asked = example(model)
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
NEEDS = {
    "knm-anonymity": ("ranks-missing", "ranks-missing"),
    "p-plus-sensitive": ("categories-missing", None),
    "p-alpha-sensitive": ("categories-missing", "categories-without-order"),
    "p-plus-alpha-sensitive": ("categories-missing", "categories-without-order"),
    "balanced-p-plus-sensitive": ("categories-missing", "categories-without-order"),
}


def code(problem: Problem | None) -> str | None:
    if problem is not None:
        assert problem.attribute == "s"
        assert 'attributes."s".' in str(problem.remedy)
    return None if problem is None else problem.code


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_needs_to_know(model: str) -> None:
    asked = example(model)
    bare, unordered = NEEDS.get(model, (None, None))
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


def test_every_value_needs_a_rank_and_every_rank_a_k() -> None:
    asked = promise("knm-anonymity", k={1: 5, 4: 2}, sensitive="s")
    assert asked.parameters["k"] == {"1": 5, "4": 2}
    partly = SensitiveDomain(("a", "b", None), ValueMetadata(ranks={"a": 1, "b": 4}))
    assert code(asked.missing_metadata(partly)) == "value-without-rank"
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
    for k, fraction, size in ((1000, 30162 / 317238626, 3), (50, 0.1, 12), (10**6, 0.5, 501647)):
        estimator = "zero-truncated-poisson" if fraction < 0.01 else "poisson"
        asked = promise("estimated-k-map", k=k, fraction=fraction, estimator=estimator)
        assert asked.largest_violating_size == size - 1
        assert asked.parameters["significance"] == 0.01


@pytest.mark.parametrize("model", ["known-records", "km-anonymity"])
def test_promises_about_items_name_the_attribute(model: str) -> None:
    with pytest.raises(PolicyError) as caught:
        models()[model](k=5)
    assert any("sensitive" in item.message for item in caught.value.problems)
