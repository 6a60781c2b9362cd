"""What is said to be impossible before a search is impossible."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy.drawing import (
    CHECKED,
    KNOWN,
    LABELS,
    Class,
    classes,
    table,
)
from tests.privacy.examples import promises

from indistinct.errors import PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import Cells, ClassTable, FrequencyTable
from indistinct.privacy import Promise, models, promise
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.privacy.p_alpha_sensitive import too_light
from indistinct.privacy.promise import Closure
from indistinct.privacy.values import LEAVE_OUT, too_few_values
from indistinct.types import Bools

MODELS = sorted(
    name
    for name, kind in models().items()
    if kind.__module__.startswith("indistinct.") and kind.subject == "classes"
)


def frequencies(drawn: list[Class]) -> FrequencyTable:
    """A table whose distinct combinations are these classes."""
    counts = np.array([one.counts for one in drawn], np.int64).reshape(len(drawn), len(LABELS))
    rows, values = np.nonzero(counts)
    indptr = np.searchsorted(rows, np.arange(len(drawn) + 1)).astype(np.int64)
    cells = Cells(indptr, values.astype(np.int32), counts[rows, values], LABELS, known=KNOWN)
    return FrequencyTable(
        ("q",),
        (np.arange(len(drawn), dtype=np.uint8),),
        counts.sum(axis=1),
        {"s": cells},
        population=np.array([one.people for one in drawn], np.int64),
    )


@pytest.mark.parametrize("model", MODELS)
@CHECKED
@given(data=st.data())
def test_what_a_remedy_names_can_be_asked_for(model: str, data: st.DataObject) -> None:
    """Each of the numbers by itself."""
    asked = data.draw(promises(model))
    whole = frequencies(data.draw(st.lists(classes(least=1), min_size=1, max_size=5)))
    allowed = data.draw(st.integers(0, whole.records - 1))
    problem = asked.infeasible(whole, allowed)
    told = "" if problem is None or problem.remedy is None else problem.remedy
    named = r"(\w+)(?: bound)? of at (?:most|least) ([0-9]+(?:\.[0-9]+)?)"
    for word, number in re.findall(named, told):
        name = word if word in asked.parameters else "bound"
        other = replace(asked, **{name: type(getattr(asked, name))(float(number))})
        again = other.infeasible(whole, allowed)
        assert again is None or again.code != problem.code, (asked, told)


@pytest.mark.parametrize("model", MODELS)
@CHECKED
@given(data=st.data())
def test_no_release_keeps_what_is_impossible(model: str, data: st.DataObject) -> None:
    """Combinations are put into classes, and some of them left out, at random."""
    asked = data.draw(promises(model))
    drawn = data.draw(st.lists(classes(least=1), min_size=1, max_size=5))
    groups = data.draw(st.lists(st.integers(0, 2), min_size=len(drawn), max_size=len(drawn)))
    merged = [
        reduce(add, members)
        for group in range(3)
        if (members := [one for one, of in zip(drawn, groups, strict=True) if of == group])
    ]
    keep = data.draw(st.lists(st.booleans(), min_size=len(merged), max_size=len(merged)))
    published = [one for one, kept in zip(merged, keep, strict=True) if kept]
    if not published:
        return
    records = sum(one.size for one in drawn)
    lost = records - sum(one.size for one in published)
    reference = tuple(np.sum([one.counts for one in drawn], axis=0).tolist())
    if asked.breaks(table(published, reference)).any() or (asked.keeps_everybody and lost):
        return
    whole = frequencies(drawn)
    assert asked.infeasible(whole) is None
    for allowed in {lost, (lost + records) // 2, records - 1}:
        assert asked.infeasible(whole, allowed) is None, allowed


@pytest.mark.parametrize("model", MODELS)
@CHECKED
@given(data=st.data())
def test_nothing_is_said_of_values_that_a_table_is_without(model: str, data: st.DataObject) -> None:
    asked = data.draw(promises(model))
    whole = frequencies(data.draw(st.lists(classes(least=1), min_size=1, max_size=5)))
    problem = asked.infeasible(replace(whole, sensitive={}), 0)
    assert problem is None or (problem.attribute is None and asked.infeasible(whole, 0) is not None)


@pytest.mark.parametrize("model", MODELS)
@CHECKED
@given(data=st.data())
def test_what_one_class_of_all_breaks_is_impossible(model: str, data: st.DataObject) -> None:
    """A promise that survives merging is kept by all records together, or by no release of all."""
    asked = data.draw(promises(model))
    drawn = data.draw(st.lists(classes(least=1), min_size=1, max_size=4))
    whole = reduce(add, drawn)
    problem = asked.infeasible(frequencies(drawn), 0)
    if asked.effective_closure != "none":
        assert (problem is not None) == asked.breaks(table([whole], whole.counts)).all()


@dataclass(frozen=True, kw_only=True)
class TwoGuesses(Promise):
    """The two most frequent values of a class have at most this share: nothing said of tables."""

    model: ClassVar[str] = "two-guesses-of-a-test"
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True
    bound: float

    def breaks(self, classes: ClassTable) -> Bools:
        two = np.sort(classes.cells["s"], axis=1)[:, -2:].sum(axis=1)
        return np.asarray(two > self.bound * classes.size)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        return {"bound": None}


@dataclass(frozen=True, kw_only=True)
class TwoValues(TwoGuesses):
    """A closure by which nobody who leaves can rescue it."""

    model: ClassVar[str] = "two-values-of-a-test"
    closure: ClassVar[Closure] = "superset"


def test_what_all_break_together_is_impossible_without_a_word_of_the_promise() -> None:
    whole = frequencies([Class((2, 1, 0, 0, 0, 0), 3), Class((0, 1, 1, 0, 0, 0), 2)])
    asked = TwoGuesses(bound=0.7, sensitive="s")
    problem = asked.infeasible(whole, 0)
    assert problem is not None
    assert problem.code == "broken-by-all"
    assert problem.message == (
        "promise 'two-guesses-of-a-test' is broken even where everybody is published alike"
    )
    assert TwoGuesses(bound=0.8, sensitive="s").infeasible(whole, 0) is None
    for allowed in (1, None):  # some who leave may rescue it
        assert asked.infeasible(whole, allowed) is None
        assert TwoValues(bound=0.7, sensitive="s").infeasible(whole, allowed) is not None


def test_nothing_is_concluded_without_the_values_or_where_people_have_several() -> None:
    whole = frequencies([Class((2, 1, 0, 0, 0, 0), 3)])
    asked = TwoGuesses(bound=0.1, sensitive="s")
    assert asked.infeasible(replace(whole, sensitive={}), 0) is None
    several = {"s": replace(whole.sensitive["s"], exclusive=False)}
    assert asked.infeasible(replace(whole, sensitive=several), 0) is None
    assert asked.infeasible(replace(whole, population=None), 0) is not None


IMPOSSIBLE = [
    ("k-anonymity", {"k": 13}, None, "k-exceeds-records"),
    ("distinct-l-diversity", {"l": 4}, None, "too-few-values"),
    ("entropy-l-diversity", {"l": 3.2}, None, "too-few-values"),
    ("entropy-l-diversity", {"l": 2.9}, 0, "values-too-uneven"),
    ("entropy-l-diversity", {"l": 2.9}, 6, None),
    ("recursive-cl-diversity", {"c": 9, "l": 4}, None, "too-few-values"),
    ("recursive-cl-diversity", {"c": 1.9, "l": 2}, 0, "values-too-uneven"),
    ("recursive-cl-diversity", {"c": 1.9, "l": 2}, 3, None),
    ("alpha-k-anonymity", {"alpha": 0.6, "k": 2}, 0, "values-too-uneven"),
    ("alpha-k-anonymity", {"alpha": 0.6, "k": 2}, 1, "values-too-uneven"),
    ("alpha-k-anonymity", {"alpha": 0.6, "k": 2}, 2, None),
    ("alpha-k-anonymity", {"alpha": 0.3, "k": 2}, None, "values-too-uneven"),
    ("alpha-k-anonymity", {"alpha": 0.6, "k": 13}, None, "k-exceeds-records"),
    ("max-posterior", {}, 0, "values-too-uneven"),
    ("max-posterior", {}, 4, None),
    ("p-sensitive", {"p": 4}, None, "too-few-values"),
    ("p-plus-sensitive", {"p": 3}, None, "too-few-values"),
    ("p-alpha-sensitive", {"p": 4, "alpha": 0}, None, "too-few-values"),
    ("p-alpha-sensitive", {"p": 2, "alpha": 2.5}, None, "values-too-light"),
    ("p-alpha-sensitive", {"p": 2, "alpha": 2.5, "over": "records"}, None, None),
    ("p-alpha-sensitive", {"p": 2, "alpha": 12, "over": "records"}, None, "values-too-light"),
    ("p-plus-alpha-sensitive", {"p": 3, "alpha": 1}, None, "too-few-values"),
    ("p-plus-alpha-sensitive", {"p": 2, "alpha": 1.5}, None, "values-too-light"),
    ("balanced-p-plus-sensitive", {"p": 3}, None, "too-few-values"),
    ("balanced-p-plus-sensitive", {"p": 2, "difference": 3}, 0, "halves-out-of-balance"),
    ("balanced-p-plus-sensitive", {"p": 2, "difference": 3}, 1, "halves-out-of-balance"),
    ("balanced-p-plus-sensitive", {"p": 2, "difference": 3}, 2, None),
    ("balanced-p-plus-sensitive", {"p": 2, "difference": 4}, 0, None),
    ("knm-anonymity", {"k": dict.fromkeys("1234", 2), "diversity": 4}, None, "too-few-values"),
    ("knm-anonymity", {"k": dict.fromkeys("1234", 13)}, None, "k-exceeds-records"),
    ("knm-anonymity", {"k": dict.fromkeys("1234", 12)}, None, None),
    ("knm-anonymity", {"k": dict.fromkeys("1234", 3), "count": "rank"}, None, None),
    ("knm-anonymity", {"k": dict.fromkeys("1234", 3), "count": "rank"}, 2, None),
    ("knm-anonymity", {"k": dict.fromkeys("1234", 3), "count": "rank"}, 1, "k-exceeds-records"),
    ("kl-cover", {"k": 13, "l": 2}, None, "k-exceeds-records"),
    ("kl-cover", {"k": 12, "l": 4}, None, "too-few-values"),
    ("kl-cover", {"k": 12, "l": 3, "of": "categories"}, None, "too-few-values"),
    ("kl-cover", {"k": 12, "l": 3}, None, None),
    ("theta-sensitive", {"k": 4}, None, "too-few-values"),
    ("theta-sensitive", {"k": 13}, None, "k-exceeds-records"),
    ("theta-sensitive", {"k": 3}, None, None),
    ("theta-sensitive", {"k": 3, "theta": "size"}, 5, "classes-too-large"),
    ("theta-sensitive", {"k": 2, "theta": "size"}, 11, "classes-too-large"),
    ("theta-sensitive", {"k": 2, "theta": "size"}, None, "classes-too-large"),
    ("k-map", {"k": 25}, None, "k-exceeds-population"),
    ("estimated-k-map", {"k": 200, "fraction": 0.5}, None, "k-exceeds-records"),
    ("delta-presence", {"lower": 0, "upper": 0.4}, 0, "table-too-large"),
    ("delta-presence", {"lower": 0, "upper": 0.4}, 2, "table-too-large"),
    ("delta-presence", {"lower": 0, "upper": 0.4}, 3, None),
    ("delta-presence", {"lower": 0, "upper": 0.4}, 6, None),
    ("delta-presence", {"lower": 0.1, "upper": 0.4}, 6, "table-too-large"),
    ("delta-presence", {"lower": 0.6, "upper": 1}, 0, "table-too-small"),
    ("delta-presence", {"lower": 0.6, "upper": 1}, 3, "table-too-small"),
    ("delta-presence", {"lower": 0.6, "upper": 1, "absent": "suppressed"}, 3, None),
    ("t-closeness", {"t": 0}, 0, None),
    ("basic-beta-likeness", {"beta": 0.01}, 0, None),
    ("enhanced-beta-likeness", {"beta": 0.01}, 0, None),
    ("delta-disclosure", {"delta": 0.01}, 0, None),
]


@pytest.mark.parametrize(("model", "settings", "allowed", "code"), IMPOSSIBLE)
def test_what_is_said_of_twelve_records(
    model: str, settings: dict[str, float], allowed: int | None, code: str | None
) -> None:
    """Values 1, 2 and 4 occur 8, 2 and 2 times: two of one category, one sensitive."""
    whole = frequencies([Class((6, 1, 0, 0, 0, 0), 12), Class((2, 1, 0, 2, 0, 0), 12)])
    asked = promise(model, sensitive="s", **settings)
    problem = asked.infeasible(whole, allowed)
    assert (None if problem is None else problem.code) == code
    if problem is not None:
        assert str(asked) in problem.message
        assert problem.remedy
    # A table without the attribute is somebody else's problem.
    asked.infeasible(replace(whole, sensitive={}), allowed)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"lower": 0}, []),
        ({"lower": 0.1}, ["suppressed", "skip"]),
        ({"lower": 0.1, "absent": "suppressed"}, ["skip"]),
        ({"lower": 0.1, "absent": "skip"}, []),
    ],
)
def test_who_is_left_out_may_be_passed_over(settings: dict[str, float], named: list[str]) -> None:
    hint = promise("delta-presence", upper=0.5, **settings).relaxation_hint or ""
    assert [word for word in ("suppressed", "skip") if f'absent = "{word}"' in hint] == named


@pytest.mark.parametrize("alpha", [1.0, 5 / 3])
def test_the_weight_of_two_categories(alpha: float) -> None:
    """Of four categories the least sensitive weighs 1, the next 2/3, and the last nothing."""
    asked = promise("p-plus-alpha-sensitive", p=2, alpha=alpha, sensitive="s")
    drawn = [
        Class((1, 0, 1, 0, 0, 0), 9),
        Class((1, 0, 0, 0, 1, 0), 9),
        Class((9, 9, 0, 0, 0, 0), 9),
    ]
    assert asked.breaks(table(drawn)).tolist() == [False, alpha > 1.0, True]


def test_classes_that_stand_for_few_people() -> None:
    drawn = [Class((1, 1, 0, 0, 0, 0), 3), Class((1, 1, 0, 0, 0, 0), 2), Class((0,) * 6, 1)]
    assert promise("k-map", k=3).breaks(table(drawn)).tolist() == [False, True, False]
    asked = promise("estimated-k-map", k=3, fraction=0.5)
    sizes = [Class((count, 0, 0, 0, 0, 0), 99) for count in (0, 1, asked.size - 1, asked.size)]
    assert asked.breaks(table(sizes)).tolist() == [False, True, True, False]
    assert asked.largest_violating_size == asked.size - 1


def test_one_half_alone_serves_where_the_difference_allows_its_categories() -> None:
    """Two harmless categories: a class with both of them is out of balance by two at least."""
    harmless = frequencies([Class((3, 0, 3, 0, 0, 0), 12), Class((1, 0, 1, 0, 0, 0), 12)])
    for difference, code in ((1, "halves-out-of-balance"), (2, None)):
        asked = promise("balanced-p-plus-sensitive", p=2, difference=difference, sensitive="s")
        problem = asked.infeasible(harmless, 6)
        assert (None if problem is None else problem.code) == code


@pytest.mark.parametrize(("low", "high", "possible"), [(2, 2, True), (2, 3, False), (3, 2, False)])
def test_records_of_a_category_in_the_middle_are_of_neither_half(
    low: int, high: int, possible: bool
) -> None:
    whole = frequencies([Class((low, 9, high, 0, 0, 0), 99)])
    known = ValueMetadata(
        categories=dict(zip(LABELS, ("low", "middle", "high") * 2, strict=True)),
        category_order=("low", "middle", "high"),
    )
    of = whole.sensitive["s"]
    cells = Cells(of.indptr, of.value, of.count, LABELS, known=known)
    asked = promise("balanced-p-plus-sensitive", p=1, difference=0, sensitive="s")
    problem = asked.infeasible(replace(whole, sensitive={"s": cells}), 0)
    assert (problem is None) is possible
    if problem is not None:
        assert f"{low} records of the harmless half" in problem.message
        assert f"and {high} of the sensitive half" in problem.message


@pytest.mark.parametrize(
    ("model", "settings", "many"),
    [
        ("p-sensitive", {"p": 4}, "values"),
        ("p-plus-sensitive", {"p": 3}, "categories"),
        ("p-plus-alpha-sensitive", {"p": 3, "alpha": 1}, "categories"),
        ("balanced-p-plus-sensitive", {"p": 3}, "categories"),
        ("kl-cover", {"k": 3, "l": 4}, "values"),
        ("kl-cover", {"k": 3, "l": 3, "of": "categories"}, "categories"),
    ],
)
def test_what_there_is_too_little_of_is_named(
    model: str, settings: dict[str, Any], many: str
) -> None:
    whole = frequencies([Class((6, 1, 0, 0, 0, 0), 12), Class((2, 1, 0, 2, 0, 0), 12)])
    problem = promise(model, sensitive="s", **settings).infeasible(whole)
    assert problem is not None
    assert f" different {many}, and the table" in problem.message


@pytest.mark.parametrize(
    ("model", "settings", "ordered"),
    [
        ("p-plus-sensitive", {"p": 2}, False),
        ("kl-cover", {"k": 2, "l": 2, "of": "categories"}, False),
        ("kl-cover", {"k": 2, "l": 2}, False),
        ("balanced-p-plus-sensitive", {"p": 2}, True),
        ("p-plus-alpha-sensitive", {"p": 2, "alpha": 1}, True),
    ],
)
def test_whose_categories_need_an_order(
    model: str, settings: dict[str, Any], ordered: bool
) -> None:
    unordered = SensitiveDomain(LABELS, ValueMetadata(categories=KNOWN.categories))
    asked = promise(model, sensitive="s", **settings)
    assert (asked.missing_metadata(unordered) is not None) is ordered
    assert asked.missing_metadata(SensitiveDomain(LABELS, KNOWN)) is None


@pytest.mark.parametrize("lower", [0.07, 0.14, 0.29, 0.57])
def test_a_share_of_the_population_that_is_just_reached(lower: float) -> None:
    """Though 0.07 times 100 is more than 7 in floating point."""
    records = round(100 * lower)
    whole = frequencies([Class((records, 0, 0, 0, 0, 0), 100)])
    for less, possible in ((0.0, True), (-0.005, True), (0.005, False)):
        asked = promise("delta-presence", lower=lower + less, upper=1)
        assert (asked.infeasible(whole, 0) is None) is possible


@pytest.mark.parametrize("together", [[3], "ab", ["s"], ["a", "a"], 3, [None]])
def test_further_columns_are_a_list_of_other_names(together: Any) -> None:
    with pytest.raises(PolicyError, match="must be a list of further columns"):
        promise("km-anonymity", k=2, sensitive="s", together=together)
    kept = KMAnonymity(k=2, sensitive="s", together=("a",))
    assert (kept.columns, kept.parameters["together"]) == (("s", "a"), ("a",))


def test_five_values_serve_no_k_of_seven() -> None:
    """3 mu (k^2 - 1) <= (2D - 1)^2 fails for mu = 0.6, k = 7 and D = 5."""
    five = frequencies([Class((9, 9, 9, 9, 9, 0), 90)])
    problem = promise("theta-sensitive", k=7, sensitive="s").infeasible(five)
    assert problem is not None
    assert "with 5 different values in the table no class reaches theta(7)" in problem.message
    assert problem.remedy == "choose k of at most 6, or mu of at most 0.56"
    for theta, mu in (("k", 0.42), ("size", 0.41)):
        asked = promise("theta-sensitive", k=8, sensitive="s", theta=theta)
        assert f"choose k of at most 6, or mu of at most {mu}" in str(asked.infeasible(five))
    assert promise("theta-sensitive", k=6, sensitive="s").infeasible(five) is None
    assert promise("theta-sensitive", k=7, mu=0.5, sensitive="s").infeasible(five) is None
    assert promise("theta-sensitive", k=6, mu=0.9, sensitive="s").infeasible(five) is not None


def test_people_with_several_values_are_not_evened() -> None:
    """Leaving out one person takes any number of values away."""
    whole = frequencies([Class((6, 1, 0, 0, 0, 0), 12)])
    several = replace(whole.sensitive["s"], exclusive=False)
    asked = promise("max-posterior", sensitive="s")
    assert asked.infeasible(whole, 0) is not None
    assert asked.infeasible(replace(whole, sensitive={"s": several}), 0) is None


def test_a_population_is_needed() -> None:
    whole = replace(frequencies([Class((1, 1, 1, 1, 1, 1), 9)]), population=None)
    seen = replace(table([Class((1, 1, 1, 1, 1, 1), 9)]), population=None)
    for asked in (promise("k-map", k=2), promise("delta-presence", lower=0, upper=1)):
        problem = asked.infeasible(whole)
        assert problem is not None
        assert problem.code == "population-missing"
        assert asked.needs_population
        with pytest.raises(PolicyError, match="compares with the population"):
            asked.breaks(seen)


def test_the_share_of_the_population_is_told() -> None:
    half = frequencies([Class((6, 1, 0, 0, 0, 0), 12), Class((2, 1, 0, 2, 0, 0), 12)])
    for lower, upper in ((0, 0.4), (0.6, 1)):
        problem = promise("delta-presence", lower=lower, upper=upper).infeasible(half, 0)
        assert problem is not None
        assert "the table's records are a share of 0.5 of the population" in problem.message
        assert problem.remedy is not None
        assert lower == 0 or problem.remedy.startswith("choose a lower bound of at most 0.5, or")
    only = promise("delta-presence", lower=0, upper=0.4).infeasible(
        frequencies([Class((1, 0, 0, 0, 0, 0), 1)]), 0
    )
    assert only is not None
    assert "are a share of 1 of the population" in only.message


def test_bounds_that_are_proposed_would_do() -> None:
    """Rounded up where they are upper ones, and down where they are lower ones."""
    third = frequencies([Class((4, 8, 0, 0, 0, 0), 36)])
    posterior = promise("max-posterior", bound=0.6, sensitive="s").infeasible(third, 0)
    assert posterior is not None
    assert str(posterior.remedy).startswith("choose a bound of at least 0.667, or")
    uneven = frequencies([Class((7, 3, 0, 0, 0, 0), 36)])
    diverse = promise("recursive-cl-diversity", c=2, l=2, sensitive="s").infeasible(uneven, 0)
    assert diverse is not None
    assert str(diverse.remedy).startswith("choose c above 2.34 or a smaller l, or")
    few = promise("delta-presence", lower=0.6, upper=1).infeasible(third, 0)
    assert few is not None
    assert str(few.remedy).startswith("choose a lower bound of at most 0.333, or")


def test_people_with_several_values_may_have_ranks_in_classes_of_others() -> None:
    whole = frequencies([Class((6, 1, 0, 0, 0, 0), 12), Class((2, 1, 0, 2, 0, 0), 12)])
    several = replace(whole.sensitive["s"], exclusive=False)
    asked = promise("knm-anonymity", sensitive="s", k=dict.fromkeys("1234", 3), count="rank")
    assert asked.infeasible(whole, 1) is not None
    assert asked.infeasible(replace(whole, sensitive={"s": several}), 1) is None


@pytest.mark.parametrize(("lower", "hint"), [(0, False), (0.1, True)])
def test_who_is_left_out_is_named_where_nobody_may_be(lower: float, hint: bool) -> None:
    asked = promise("delta-presence", lower=lower, upper=0.4)
    problem = asked.infeasible(frequencies([Class((6, 0, 0, 0, 0, 0), 12)]), 0)
    assert problem is not None
    told = f" (and {asked.relaxation_hint})" if hint else ""
    assert problem.remedy == (
        f"choose a larger upper bound, allow more to be left out{told}, or name the "
        "population from which the table is a sample"
    )


@pytest.mark.parametrize(("records", "smaller"), [(1, ""), (2, "choose a smaller k, or ")])
def test_of_one_record_no_smaller_k_is_proposed(records: int, smaller: str) -> None:
    whole = frequencies([Class((records, 0, 0, 0, 0, 0), 9)])
    problem = promise("k-anonymity", k=3).infeasible(whole)
    assert problem is not None
    assert problem.remedy == f"{smaller}release a larger table"


def test_fewer_records_than_a_class_needs_are_told() -> None:
    asked = promise("kl-cover", k=5, l=2, sensitive="s")
    assert asked.infeasible(frequencies([Class((3, 2, 0, 0, 0, 0), 9)])) is None
    problem = asked.infeasible(frequencies([Class((2, 2, 0, 0, 0, 0), 9)]))
    assert problem is not None
    assert problem.code == "k-exceeds-records"
    assert "the table has only 4 records" in problem.message


def test_of_values_that_are_not_in_the_table_nothing_is_impossible() -> None:
    bare = replace(frequencies([Class((1, 0, 0, 0, 0, 0), 9)]), sensitive={})
    assert promise("m-invariance", m=2, sensitive="s").infeasible(bare) is None


def test_a_distribution_that_is_not_there_cannot_be_compared_with() -> None:
    with pytest.raises(PolicyError, match="'reference' of promise 't-closeness' cannot be 'mine'"):
        promise("t-closeness", t=0.2, sensitive="s", reference="mine")


def test_theta_of_its_own_size_reaches_less_than_theta_of_k() -> None:
    """Eight values vary enough for theta(9), but in no class of nine records."""
    labels = tuple("abcdefgh")
    cells = Cells(
        np.array([0, 8]), np.arange(8, dtype=np.int32), np.full(8, 9, np.int64), labels, known=KNOWN
    )
    whole = FrequencyTable(("q",), (np.zeros(1, np.uint8),), np.array([72]), {"s": cells})
    asked = promise("theta-sensitive", sensitive="s", k=9, mu=0.9)
    problem = replace(asked, theta="size").infeasible(whole, 71)
    assert problem is not None
    assert problem.code == "too-few-values"
    assert asked.infeasible(whole, 71) is None


def test_it_is_said_how_many_records_may_be_left_out() -> None:
    whole = frequencies([Class((6, 1, 0, 0, 0, 0), 12), Class((2, 1, 0, 2, 0, 0), 12)])
    asked = promise("alpha-k-anonymity", sensitive="s", alpha=0.6, k=2)
    told = {allowed: str(asked.infeasible(whole, allowed)) for allowed in (0, 1)}
    assert "with the 1 record left out that may be" in told[1]
    assert "left out that may be" not in told[0]
    stricter = replace(asked, alpha=0.3)
    assert "left out that may be" not in str(stricter.infeasible(whole, None))


@pytest.mark.parametrize(
    ("settings", "lost", "named", "remedy"),
    [
        ({"k": (13, 13)}, 12, "rank 2 (k = 13, 2 records), rank 4 (k = 13, 10 records)", ""),
        ({"k": (2, 13)}, 10, "rank 4 (k = 13, 10 records)", ", or allow 10 records"),
        (
            {"k": (3, 3), "count": "rank"},
            2,
            "rank 2 (k = 3, 2 records)",
            ', or count = "class", or allow 2 records',
        ),
    ],
)
def test_ranks_of_too_few_records_are_named(
    settings: dict[str, Any], lost: int, named: str, remedy: str
) -> None:
    """Of twelve records ten have rank 4, and two have rank 2."""
    whole = frequencies([Class((6, 1, 0, 0, 0, 0), 12), Class((2, 1, 0, 2, 0, 0), 12)])
    few, many = settings["k"]
    ks = {"1": many, "2": few, "3": many, "4": many}
    asked = promise("knm-anonymity", sensitive="s", **{**settings, "k": ks})
    problem = asked.infeasible(whole, lost - 1)
    assert problem is not None
    assert problem.message.endswith(f"cannot be met: too few records for {named}")
    told = f"choose a smaller k{remedy}" + (" to be suppressed" if remedy else "")
    assert problem.remedy == told
    for allowed in (lost, lost + 1, None):
        assert (asked.infeasible(whole, allowed) is None) == (lost < 12)


@pytest.mark.parametrize(
    ("place", "ordinal"),
    [(2, "2nd"), (3, "3rd"), (4, "4th"), (10, "10th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (22, "22nd"), (23, "23rd"), (111, "111th"), (121, "121st")],
)  # fmt: skip
def test_from_which_value_on_they_are_rare(place: int, ordinal: str) -> None:
    labels = tuple(map(str, range(place)))
    count = np.array([9, *[1] * (place - 1)])
    cells = Cells(np.array([0, place]), np.arange(place, dtype=np.int32), count, labels)
    whole = FrequencyTable(("q",), (np.zeros(1, np.uint8),), np.array([count.sum()]), {"s": cells})
    asked = promise("recursive-cl-diversity", c=9, l=place, sensitive="s")
    problem = asked.infeasible(whole, 0)
    assert problem is not None
    assert f"9 times as frequent as the {ordinal} and rarer ones" in problem.message


def test_what_to_write_follows_from_what_the_table_has() -> None:
    asked = promise("distinct-l-diversity", l=3, sensitive="ill")
    two, one = (too_few_values(asked, held, 3) for held in (2, 1))
    assert two is not None
    assert one is not None
    assert two.remedy == "use a smaller number, or another promise for this attribute"
    assert one.remedy == LEAVE_OUT
    grouped = too_few_values(asked, 1, 3, categories=True)
    assert grouped is not None
    assert grouped.remedy == "divide the values into more categories"
    assert "every class needs 3 different categories, and the table has only 1" in grouped.message
    assert too_few_values(asked, 3, 3) is None
    weighed = promise("p-alpha-sensitive", p=2, alpha=1.5, sensitive="ill")
    light, none = (too_light(weighed, 1.5, together) for together in (0.5, 0.0))
    assert light is not None
    assert none is not None
    assert light.remedy == "choose alpha of at most 0.5"
    assert none.remedy.startswith("order the categories")
    assert too_light(weighed, 1.5, 1.5) is None
    thirds = too_light(weighed, 1.5, 2 / 3)
    assert thirds is not None
    assert float(thirds.remedy.removeprefix("choose alpha of at most ")) <= 2 / 3
