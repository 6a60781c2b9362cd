"""Promises that all classes of a table keep together: what is left out, and what a search finds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy.examples import exact
from tests.properties import brute_force

import indistinct as ind
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.measures import objective
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, models, promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.release.audit import audit, checks
from indistinct.requirement import Requirement

MODELS = [name for name, kind in models().items() if kind.subject == "together"]
BOUNDS = (0.05, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.9, 1.0)
ROOM = Settings()
SIZES = st.lists(st.sampled_from([1, 1, 1, 2, 3, 4, 6, 0]), max_size=9)


def figure(model: str, sizes: Sequence[int]) -> Fraction:
    """What is bounded, as the definition reads."""
    if model == "average-risk":  # the mean over records of one by the size of their class
        return sum((Fraction(1, n) for n in sizes for _ in range(n)), Fraction(0)) / sum(sizes)
    return Fraction(sum(n == 1 for n in sizes), sum(sizes))


def keeps(asked: Promise, sizes: Sequence[int]) -> bool:
    bound = exact(asked.parameters["bound"])
    return not any(sizes) or figure(asked.model, [n for n in sizes if n]) <= bound


def classes(sizes: Sequence[int]) -> ClassTable:
    return ClassTable(np.arange(len(sizes), dtype=np.int32), np.array(sizes, dtype=np.int64))


def test_there_are_two() -> None:
    assert MODELS == ["average-risk", "sample-uniqueness"]


@pytest.mark.parametrize("model", MODELS)
@given(sizes=SIZES, bound=st.sampled_from(BOUNDS))
def test_no_other_classes_that_keep_it_have_more_records(
    model: str, sizes: list[int], bound: float
) -> None:
    """Every choice of classes is tried."""
    asked = promise(model, bound=bound)
    broken = asked.breaks(classes(sizes))
    left = [n for n, out in zip(sizes, broken, strict=True) if not out]
    assert keeps(asked, left)
    ways = itertools.product((False, True), repeat=len(sizes))
    most = max(sum(own) for way in ways if keeps(asked, own := [*itertools.compress(sizes, way)]))
    assert sum(left) == most
    assert not broken[np.array(sizes, dtype=int) == 0].any()
    out = [n for n, gone in zip(sizes, broken, strict=True) if gone]
    assert max(out, default=0) < asked.sufficient_size
    assert max(out, default=0) <= min((n for n in left if n), default=9)


@pytest.mark.parametrize(
    ("model", "sizes", "bound"),
    [("sample-uniqueness", [1] * 29 + [21], 0.58), ("average-risk", [49], 1 / 49)],
)
def test_what_is_just_reached_keeps_it(model: str, sizes: list[int], bound: float) -> None:
    """Though the product of the bound and the records falls below by its last digit."""
    assert bound * sum(sizes) < round(bound * sum(sizes))
    assert not promise(model, bound=bound).breaks(classes(sizes)).any()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_class_just_below_what_suffices_may_have_to_go(model: str, bound: float) -> None:
    asked = promise(model, bound=bound)
    assert not asked.breaks(classes([asked.sufficient_size])).any()
    assert asked.sufficient_size == 1 or asked.breaks(classes([asked.sufficient_size - 1])).all()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("bound", [-0.1, 1.1])
def test_a_bound_is_a_share(model: str, bound: float) -> None:
    with pytest.raises(PolicyError, match="bound"):
        promise(model, bound=bound)


def test_where_nobody_may_be_alone_classes_have_two() -> None:
    asked = promise("sample-uniqueness", bound=0.0)
    assert asked.class_size == asked.sufficient_size == 2
    assert asked.breaks(classes([1, 2, 1])).tolist() == [True, False, True]


@pytest.mark.parametrize("model", MODELS)
@given(sizes=st.lists(st.integers(1, 6), max_size=9), bound=st.sampled_from(BOUNDS))
def test_the_audit_agrees(model: str, sizes: list[int], bound: float) -> None:
    rows = [name for name, n in enumerate(sizes) for _ in range(n)]
    frame = pl.DataFrame({"zip": [str(name) for name in rows]})
    asked = promise(model, bound=bound)
    verdict = audit(frame, [Requirement(model, {"bound": bound})], quasi=["zip"]).promises[0]
    assert verdict.holds is keeps(asked, sizes)
    told = asked.achieved(classes(sizes))["bound"]
    assert verdict.achieved["bound"] == pytest.approx(told)
    if sizes:
        assert told == pytest.approx(float(figure(model, sizes)))
    assert (verdict.breaking_classes > 0) is not verdict.holds


@pytest.mark.parametrize("model", MODELS)
@given(
    case=brute_force.cases(),
    bound=st.sampled_from(BOUNDS),
    beside=st.sampled_from([(), ("k-anonymity",), ("distinct-l-diversity",)]),
    share=st.sampled_from([0.0, 0.1, 0.3, 0.6]),
)
def test_a_search_finds_what_a_look_at_every_node_finds(
    model: str, case: brute_force.Case, bound: float, beside: tuple[str, ...], share: float
) -> None:
    """And a more general node leaves no more records out, whatever is promised beside."""
    data = brute_force.leveled(case)
    asked = [promise(model, bound=bound)]
    asked += [promise("k-anonymity", k=2) for name in beside if name == "k-anonymity"]
    asked += [
        promise(name, l=2, sensitive="s") for name in beside if name == "distinct-l-diversity"
    ]
    goal = objective("loss").bind(data)
    records = data.table.records
    evaluator = Evaluator(data, asked, goal, records, Grouper(data))
    nodes = Lattice.of(data, {}, {}).levels.astype(np.int64)
    out = {}
    for node in nodes:
        outcome, least, _ = evaluator.outcome(node)
        assert least == outcome.suppressed
        out[tuple(node.tolist())] = outcome.suppressed, tuple(goal.score(outcome)[0])
    for fine, coarse in itertools.product(out, repeat=2):
        if all(a <= b for a, b in zip(fine, coarse, strict=True)):
            assert out[coarse][0] <= out[fine][0]
    allowed = int(share * records)
    good = [key for lost, key in out.values() if lost <= allowed and lost < records]
    try:
        plan = full_domain(data, asked, objective("loss"), Settings(suppression_limit=share))
    except Unsatisfiable:
        assert not good
        return
    found = tuple(plan.nodes[0])
    assert out[found][1] == pytest.approx(min(good))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_a_release_keeps_it_beside_others(model: str, local: bool) -> None:
    drawn = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": drawn.choice([20, 25, 31, 38, 44, 47, 90], 60).astype(str),
            "zip": drawn.choice(["1101", "1102", "1201", "2101"], 60),
            "ill": drawn.choice(["flu", "gout", "cough"], 60),
        }
    )
    keys = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": model, "bound": 0.08},
            {"model": "t-closeness", "t": 0.3, "sensitive": "ill"},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
        ],
        "method": {"suppression_limit": 0.3, "local_recoding": local},
    }
    release = ind.anonymize(frame, keys)
    assert ind.audit(release).holds
    table = release.tables
    seen = table.filter(~((pl.col("age") == "*") & (pl.col("zip") == "*")))
    sizes = seen.group_by("age", "zip").len()["len"].to_list()
    assert len(sizes) > 1
    assert figure(model, sizes) <= Fraction(8, 100)


@pytest.mark.parametrize(
    ("model", "bound", "k"), [("average-risk", 0.05, 20), ("sample-uniqueness", 0.0, 2)]
)
def test_methods_that_make_one_class_after_another_name_a_promise_that_they_keep(
    model: str, bound: float, k: int
) -> None:
    keys = {
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
        "promises": [{"model": model, "bound": bound}],
        "method": {"algorithm": "mondrian"},
    }
    with pytest.raises(PolicyError, match="kept by all together") as caught:
        ind.Policy.from_dict(keys)
    assert f"'k-anonymity' with k = {k}" in str(caught.value.problems[0].remedy)
    size = int(re.findall(r"k = (\d+)", str(caught.value.problems[0].remedy))[0])
    assert keeps(promise(model, bound=bound), [size] * 3)


@pytest.mark.parametrize("model", MODELS)
def test_a_table_that_is_too_small_as_a_whole_is_told_at_once(model: str) -> None:
    frame = pl.DataFrame({"age": ["1"]})
    keys = {
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
        "promises": [{"model": model, "bound": 0.3}],
    }
    with pytest.raises(Unsatisfiable) as caught:
        ind.anonymize(frame, keys)
    assert caught.value.problems[0].code == "k-exceeds-records"
    with pytest.raises(Unsatisfiable) as caught:
        ind.anonymize(
            pl.DataFrame({"age": ["1", "2"]}),
            keys | {"promises": [{"model": "average-risk", "bound": 0.3}]},
        )
    assert "choose a larger bound, or release" in str(caught.value.problems[0].remedy)


@pytest.mark.parametrize("model", MODELS)
def test_single_people_are_warned_of_unless_a_promise_is_about_each(model: str) -> None:
    def told(*more: dict[str, object]) -> bool:
        keys = {
            "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
            "promises": [{"model": model, "bound": 0.1}, *more],
        }
        said = ind.Policy.from_dict(keys).warnings
        return any("may be alone in a class" in text for text in said)

    assert told()
    assert not told({"model": "k-anonymity", "k": 3})
    assert told({"model": "k-anonymity", "k": 1})
    assert not told({"model": "sample-uniqueness", "bound": 0})


@pytest.mark.parametrize(("model", "bound"), [("average-risk", 0.4), ("sample-uniqueness", 0.2)])
def test_who_is_suppressed_is_a_class_beside_the_others(model: str, bound: float) -> None:
    """Six people in three classes: whoever fits none of the other two is known to be the star."""
    frame = pl.DataFrame({"age": [20] * 4 + [30, 40]})
    policy = {
        "attributes": {"age": {"role": "quasi-identifier", "max_level": 0}},
        "promises": [{"model": model, "bound": bound}],
        "method": {"algorithm": "optimal", "suppression_limit": 0.4},
        "output": {"suppressed": "keep"},
    }
    release = ind.anonymize(frame, policy)
    assert release.tables.height == 5
    assert any("suppressed records would break a promise" in text for text in release.warnings)


def test_audit_and_search_agree_on_what_classes_keep_together() -> None:
    assert [name for name, module in checks().items() if module.check.together] == MODELS
