"""Every privacy model against its definition, on random classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy.drawing import CHECKED, LABELS, Class, classes, table
from tests.privacy.examples import (
    EVERY,
    EXAMPLES,
    SEE,
    of_classes,
    promises,
    stricter,
    usual,
)

from indistinct.errors import PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import models, promise
from indistinct.release.audit import audit
from indistinct.requirement import Requirement

MODELS = sorted(
    name
    for name, kind in models().items()
    if kind.__module__.startswith("indistinct.") and kind.subject == "classes"
)


def test_every_model_is_defined_here() -> None:
    for model in MODELS:
        of_classes(model)
    assert sorted(name for name, one in EXAMPLES.items() if one.classes) == MODELS


@pytest.mark.parametrize("model", MODELS)
@CHECKED
@given(data=st.data())
def test_breaks_what_the_definition_breaks(model: str, data: st.DataObject) -> None:
    asked, keeps = data.draw(promises(model)), of_classes(model).definition
    drawn = data.draw(st.lists(classes(least=1), min_size=1, max_size=4))
    reference = tuple(sum(one.counts[v] for one in drawn) for v in range(len(LABELS)))
    if data.draw(st.booleans(), label="another reference"):
        reference = data.draw(classes(least=1)).counts
    broken = asked.breaks(table(drawn, reference))
    assert broken.dtype == np.bool_
    assert broken.tolist() == [not keeps(asked, one, reference) for one in drawn]


@pytest.mark.parametrize("model", MODELS)
def test_nothing_is_achieved_without_records(model: str) -> None:
    asked = usual(model)
    for drawn in ([], [Class((0,) * len(LABELS), 0)]):
        assert set(asked.achieved(table(drawn)).values()) == {None}


# What is achieved, asked for again, is kept; anything stricter is not.


@pytest.mark.parametrize(
    "model",
    [name for name in MODELS if name not in EXAMPLES or of_classes(name).apart != EVERY],
)
@CHECKED
@given(data=st.data())
def test_what_is_achieved_is_the_strictest_that_is_kept(model: str, data: st.DataObject) -> None:
    asked = data.draw(promises(model))
    drawn = data.draw(st.lists(classes(least=1), min_size=1, max_size=4))
    seen = table(drawn)
    achieved, known = asked.achieved(seen), of_classes(model)
    for name, figure in achieved.items():
        assert figure is None or type(figure) in (int, float)
        if figure is None or name in known.apart:
            continue
        # The other parameters as weak as they can be.
        others = {*achieved} - {name, *known.apart}
        lacking = sorted(others - {*known.weakest})
        where = f"EXAMPLES['{model}'].classes.weakest in tests/privacy/examples.py"
        assert not lacking, f"{where} lacks {lacking}: {SEE}"
        settings = {**asked.parameters, **{other: known.weakest[other] for other in others}}
        above = name in known.exceeded
        shared = {"sensitive": "s", "reference": asked.reference}
        kept = {**settings, name: figure * 1.0001 + 1e-9 if above else figure}
        if not (figure == 0 and name in ("beta", "delta", "k")):
            assert not promise(model, **kept, **shared).breaks(seen).any(), kept
        strict = figure if above else stricter(model, name, figure)
        possible = strict > 0 or (name in ("t", "difference") and strict >= 0)
        possible = possible and not (name in ("lower", "upper") and strict > 1)
        if possible and not (figure == 0 and name == "lower"):
            assert promise(model, **{**settings, name: strict}, **shared).breaks(seen).any()


@CHECKED
@given(data=st.data())
def test_theta_that_is_achieved(data: st.DataObject) -> None:
    asked = data.draw(promises("theta-sensitive"))
    drawn = data.draw(st.lists(classes(least=1), min_size=1, max_size=4))
    seen = table(drawn)
    achieved = asked.achieved(seen)
    settings = {"sensitive": "s", "theta": asked.parameters["theta"]}
    k, mu = asked.parameters["k"], asked.parameters["mu"]
    largest, best = achieved["k"], achieved["mu"]
    assert isinstance(largest, int)
    if settings["theta"] == "k":
        assert not promise("theta-sensitive", k=largest, mu=mu, **settings).breaks(seen).any()
        assert promise("theta-sensitive", k=largest + 1, mu=mu, **settings).breaks(seen).any()
        smallest = min(one.size for one in drawn)
        if best and best <= 1 and k <= smallest:
            assert not promise("theta-sensitive", k=k, mu=best, **settings).breaks(seen).any()
        if best and best * 1.001 <= 1:
            assert promise("theta-sensitive", k=k, mu=best * 1.001, **settings).breaks(seen).any()
    elif best and best <= 1:
        assert not promise("theta-sensitive", k=largest, mu=best, **settings).breaks(seen).any()


@CHECKED
@given(data=st.data())
def test_the_k_of_every_rank_that_is_achieved(data: st.DataObject) -> None:
    asked = data.draw(promises("knm-anonymity"))
    seen = table(data.draw(st.lists(classes(least=1), min_size=1, max_size=4)))
    achieved = asked.achieved(seen)
    settings = {"sensitive": "s", "count": asked.parameters["count"]}
    weakest = dict.fromkeys("1234", 1)
    for rank in "1234":
        largest = achieved[f"k_{rank}"]
        if largest is None:
            assert (
                not promise("knm-anonymity", k={**weakest, rank: 999}, diversity=False, **settings)
                .breaks(seen)
                .any()
            )
            continue
        for k, good in ((largest, True), (largest + 1, False)):
            again = promise("knm-anonymity", k={**weakest, rank: k}, diversity=False, **settings)
            assert again.breaks(seen).any() != good
    assert ("diversity" in achieved) == (asked.parameters["diversity"] is not False)
    values = achieved.get("diversity")
    if values is not None:
        for wanted, good in ((values, True), (values + 1, False)):
            again = promise("knm-anonymity", k=weakest, diversity=wanted, **settings)
            assert again.breaks(seen).any() != good


@CHECKED
@given(data=st.data())
def test_c_and_l_that_are_achieved(data: st.DataObject) -> None:
    asked = data.draw(promises("recursive-cl-diversity"))
    seen = table(data.draw(st.lists(classes(least=1), min_size=1, max_size=4)))
    largest = asked.achieved(seen)["l"]
    assert isinstance(largest, int)
    c = asked.parameters["c"]
    for place, good in ((largest, True), (largest + 1, False)):
        if place > 0:
            again = promise("recursive-cl-diversity", c=c, l=place, sensitive="s")
            assert again.breaks(seen).any() != good


# Particular classes


def only(counts: list[int], known: SensitiveDomain | None = None) -> ClassTable:
    cells = np.array([counts], np.int64)
    return ClassTable(
        np.zeros(1, np.int32),
        cells.sum(axis=1),
        {"s": cells},
        {},
        {} if known is None else {"s": known},
    )


@pytest.mark.parametrize("values", range(1, 60))
def test_as_many_equal_shares_are_as_diverse(values: int) -> None:
    asked = promise("entropy-l-diversity", l=values, sensitive="s")
    for count in (1, 2, 3, 7):
        seen = only([count] * values)
        assert not asked.breaks(seen).any()
        assert asked.achieved(seen) == {"l": float(values)}
        more = promise("entropy-l-diversity", l=values + 0.001, sensitive="s")
        assert more.breaks(seen).all()


@pytest.mark.parametrize("values", [1, 2, 6])
def test_no_class_has_more_different_values_than_there_are(values: int) -> None:
    asked = promise("recursive-cl-diversity", c=9, l=1, sensitive="s")
    assert asked.achieved(only([3] * values))["l"] == values


def test_the_middle_category_is_in_neither_half() -> None:
    categories: dict[str | None, str] = {"a": "low", "b": "middle", "c": "high"}
    known = SensitiveDomain(("a", "b", "c"), ValueMetadata(categories, ("low", "middle", "high")))
    asked = promise("balanced-p-plus-sensitive", p=2, difference=0, sensitive="s")
    assert not asked.breaks(only([2, 9, 2], known)).any()
    assert asked.breaks(only([2, 9, 3], known)).all()
    assert asked.achieved(only([2, 9, 3], known)) == {"p": 3, "difference": 1}
    # Nine records of the middle and none of either half are in balance, but of one category.
    assert asked.breaks(only([0, 9, 0], known)).all()


def test_only_a_class_that_has_a_value_beyond_the_reference_steps_over_it() -> None:
    known = SensitiveDomain(("a", "b", "c"), ValueMetadata(order=("a", "c", "b")))
    asked = promise("t-closeness", t=0.3, distance="ordered", sensitive="s")
    cells = np.array([[1, 0, 1], [2, 0, 0], [1, 1, 0], [1, 0, 3]], np.int64)
    seen = ClassTable(
        np.arange(4, dtype=np.int32), cells.sum(axis=1), {"s": cells},
        {"s": np.array([4, 0, 4])}, {"s": known},
    )  # fmt: skip
    # In the third a half is one step behind, of two.
    assert asked.breaks(seen).tolist() == [False, True, False, False]
    farther = [replace(asked, t=t).breaks(seen).tolist() for t in (0.24, 0.26)]
    assert farther == [[False, True, True, True], [False, True, False, False]]


def test_values_without_a_common_root_are_a_full_unit_apart() -> None:
    known = SensitiveDomain(
        ("a", "b", "c"), ValueMetadata(chains=(("a", "x"), ("b", "x"), ("c", "y")))
    )
    asked = promise("t-closeness", t=0.5, distance="hierarchical", sensitive="s")
    cells = np.array([[2, 0, 0], [0, 0, 2]], np.int64)
    seen = ClassTable(
        np.arange(2, dtype=np.int32), cells.sum(axis=1), {"s": cells},
        {"s": np.array([0, 2, 0])}, {"s": known},
    )  # fmt: skip
    # From a to b half a unit, from c to b a whole one.
    assert asked.breaks(seen).tolist() == [False, True]
    assert asked.achieved(seen) == {"t": 1.0}


def test_without_a_reference_classes_are_compared_with_all_of_them() -> None:
    cells = np.array([[1, 1], [3, 1]], np.int64)
    seen = ClassTable(np.arange(2, dtype=np.int32), cells.sum(axis=1), {"s": cells})
    asked = promise("t-closeness", t=0.1, sensitive="s")
    assert asked.achieved(seen)["t"] == pytest.approx(2 / 3 - 1 / 2)


@pytest.mark.parametrize("model", MODELS)
def test_the_audit_knows_every_parameter(model: str) -> None:
    """A certificate names all of them, and whoever audits it reads them."""
    asked = usual(model)
    requirement = Requirement(model, asked.parameters, sensitive="s")
    try:
        audit(pl.DataFrame({"q": ["a"] * 4, "s": list("uvwx")}), [requirement], ["q"])
    except PolicyError as error:
        codes = {problem.code for problem in error.problems}
        assert not codes & {"unknown-setting", "missing-setting", "bad-parameter"}
