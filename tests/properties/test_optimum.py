"""The search finds what trying every node finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import brute_force, drawing
from tests.properties.brute_force import Case, Node

from indistinct.errors import Unsatisfiable
from indistinct.measures import Objective, objective
from indistinct.privacy import Promise, promise
from indistinct.recoding.full_domain import (
    Limits,
    Settings,
    allowed_units,
    full_domain,
    full_domain_for_each,
)
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.plan import LevelPlan


def as_list(value: float | list[float]) -> list[float]:
    return value if isinstance(value, list) else [value]


def plan_or_why(
    case: Case, promises: list[Promise], goal: Objective, choice: Settings
) -> LevelPlan | str:
    """A plan, or the text of the error."""
    try:
        return full_domain(brute_force.leveled(case), promises, goal, choice)
    except Unsatisfiable as error:
        return str(error)


def holds_what_it_says(case: Case, plan: LevelPlan, nodes: dict[tuple[int, ...], Node]) -> None:
    """The plan's node suppresses what brute force suppresses there, and costs the same."""
    node = nodes[plan.nodes[0]]
    data = brute_force.microdata(case)
    suppressed = plan.suppressed[data.combination_of]
    assert {row for row in range(len(case.rows)) if not suppressed[row]} == set(node.kept)
    assert node.cost is not None
    assert as_list(plan.search.value) == pytest.approx(list(node.cost), rel=1e-9, abs=1e-9)
    for j in range(len(case.names)):
        labels = [*plan.labels(data.data, j), "suppressed"]
        cells = [labels[at] for at in plan.cells(data.data, j)[data.combination_of]]
        expected = [row[j] for row in brute_force.published(case, plan.nodes[0])]
        assert cells == [
            label if row in node.kept else "suppressed" for row, label in enumerate(expected)
        ]


def sees_every_node(
    case: Case,
    promises: list[Promise],
    goal: Objective,
    allowed: int,
    nodes: dict[tuple[int, ...], Node],
) -> None:
    """What becomes of the table at each node, and what it costs, is what brute force says."""
    data = brute_force.microdata(case)
    bound = goal.bind(data.data)
    evaluator = Evaluator(data.data, promises, bound, allowed, Grouper(data.data))
    for levels, node in nodes.items():
        suppressed = evaluator.suppressed(np.array(levels))[data.combination_of]
        assert set(np.flatnonzero(~suppressed).tolist()) == set(node.kept)
        found = evaluator.evaluate(np.array(levels))
        assert found.least <= node.suppressed
        # Who is starred throughout at one node need not be at a more specific one.
        lasting = all(brute_force.asked(one).lasting for one in promises)
        assert found.least == node.suppressed or not lasting or "suppress" in case.missing
        assert found.suppressed == (node.suppressed if found.least <= allowed else None)
        assert (found.key is None) == (node.cost is None)
        if found.key is not None and node.cost is not None:
            assert as_list(bound.value(found.key)) == pytest.approx(
                list(node.cost), rel=1e-9, abs=1e-9
            )


def claims_what_is_proved(plan: LevelPlan, proved: bool) -> None:
    report = plan.search
    assert report.optimal or not proved
    assert report.optimal == (report.bound == report.value)
    assert report.optimal == (report.unproved is None)
    assert as_list(report.bound) <= as_list(report.value)


def agrees(
    case: Case,
    promises: list[Promise],
    goal: Objective,
    limit: float,
    lowest: dict[str, int] | None = None,
    highest: dict[str, int] | None = None,
) -> None:
    allowed = allowed_units(limit, case.records)
    asked = [brute_force.asked(one) for one in promises]
    nodes = brute_force.every_node(case, asked, goal, allowed, lowest, highest)
    sees_every_node(case, promises, goal, allowed, nodes)
    best = brute_force.best(nodes)
    choice = Settings(suppression_limit=limit, min_level=lowest or {}, max_level=highest or {})
    plan = plan_or_why(case, promises, goal, choice)
    if isinstance(plan, str):
        assert best is None
        return
    assert best is not None
    assert as_list(plan.search.value) == pytest.approx(list(best), rel=1e-9, abs=1e-9)
    claims_what_is_proved(plan, not (allowed and brute_force.order_matters(case, asked)))
    assert plan.search.nodes == len(nodes)
    holds_what_it_says(case, plan, nodes)


@settings(max_examples=200)
@given(st.data())
def test_k_anonymity_over_any_attributes(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.k_anonymities(case))
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    agrees(case, promises, goal, limit)


@settings(max_examples=150)
@given(st.data())
def test_promises_of_any_closure(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    agrees(case, promises, goal, limit)


@settings(max_examples=200)
@given(st.data())
def test_who_is_starred_throughout_is_in_no_class(data: st.DataObject) -> None:
    """Where missing values are suppressed, promises over one attribute look at the others alone."""
    case = data.draw(brute_force.cases(attributes=2, missing=("suppress",)))
    on = (data.draw(st.sampled_from(case.names)),)
    promises = [promise("test-distinct", l=data.draw(st.integers(2, 3)), sensitive="s", on=on)]
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    agrees(case, promises, objective("loss"), limit)


@settings(max_examples=200)
@given(st.data())
def test_nothing_that_is_left_out_otherwise_beats_what_is_claimed(data: st.DataObject) -> None:
    """Whole classes of any promise may be left out, broken or not, and in any order."""
    case = data.draw(brute_force.cases(attributes=2, largest=12, rows=7))
    promises = data.draw(drawing.promises(case))
    if data.draw(st.booleans()):
        t = data.draw(st.sampled_from([0.1537, 0.3137, 0.5171]))
        on = data.draw(drawing.subsets(case))
        promises.append(promise("t-closeness", t=t, sensitive="s", on=on))
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    allowed = allowed_units(limit, case.records)
    asked = [brute_force.asked(one) for one in promises]
    plan = plan_or_why(case, promises, goal, Settings(suppression_limit=limit))
    costs = [
        [round(entry, 9) for entry in brute_force.cost(case, levels, set(kept), goal)]
        for levels in brute_force.lattice(case)
        for kept in brute_force.every_release(case, levels, asked, allowed)
    ]
    if isinstance(plan, str):
        assert not costs or "no generalization was found" in plan
        return
    claims_what_is_proved(plan, not (allowed and brute_force.order_matters(case, asked)))
    floor = [round(entry, 9) for entry in as_list(plan.search.bound)]
    assert len(floor) > 1 or floor[0] <= min(costs)[0] + 1e-8
    assert len(floor) == 1 or floor <= min(costs)


def test_a_moving_reference_is_not_called_optimal() -> None:
    case = brute_force.Case(
        (brute_force.SHAPES[0],), ((0,), (0,), (1,)), (3, 3, 4), ("u", "v", "u"), (None,)
    )
    for limit, reference, proved in (
        (0.5, "published", False),
        (0.5, "original", True),
        (0.0, "published", True),
    ):
        asked = promise("t-closeness", t=0.25, sensitive="s", reference=reference)
        choice = Settings(suppression_limit=limit)
        found = full_domain(brute_force.leveled(case), [asked], objective("loss"), choice)
        assert found.search.optimal == proved
        assert ("order" in found.search.to_dict().get("unproved", "")) != proved


@settings(max_examples=150)
@given(st.data())
def test_an_order_matters_where_the_definition_says_so(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    if data.draw(st.booleans()):
        reference = data.draw(st.sampled_from(["original", "published"]))
        promises.append(promise("t-closeness", t=0.3, sensitive="s", reference=reference))
    allowed = data.draw(st.integers(0, 2))
    table, goal = brute_force.leveled(case), objective("loss")
    evaluator = Evaluator(table, promises, goal.bind(table), allowed, Grouper(table))
    expected = brute_force.order_matters(case, [brute_force.asked(one) for one in promises])
    assert evaluator.order_matters == (allowed > 0 and expected)


@settings(max_examples=60)
@given(st.data())
def test_level_bounds(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.k_anonymities(case))
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    lowest, highest = data.draw(drawing.level_bounds(case))
    agrees(case, promises, goal, limit, lowest, highest)


@settings(max_examples=80)
@given(st.data())
def test_a_series_finds_what_separate_searches_find(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    table = brute_force.leveled(case)
    on = data.draw(drawing.subsets(case))
    with_values = data.draw(st.booleans())
    series = []
    for k in range(1, 9):
        extra = [promise("test-entropy", l=1.5, sensitive="s")] if with_values else []
        series.append([promise("k-anonymity", k=k, on=on), *extra])
    choice = Settings(suppression_limit=limit)
    plans = full_domain_for_each(table, series, goal, choice)
    for promises, plan in zip(series, plans, strict=True):
        try:
            alone = full_domain(table, promises, goal, choice)
        except Unsatisfiable:
            assert plan is None
            continue
        assert plan is not None
        assert as_list(plan.search.value) == pytest.approx(as_list(alone.search.value), abs=1e-9)
        asked = [brute_force.asked(one) for one in promises]
        allowed = allowed_units(limit, case.records)
        claims_what_is_proved(plan, not (allowed and brute_force.order_matters(case, asked)))


@settings(max_examples=100)
@given(st.data())
def test_a_search_that_is_stopped_says_how_far_it_may_miss(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    most = data.draw(st.integers(1, 20))
    allowed = allowed_units(limit, case.records)
    asked = [brute_force.asked(one) for one in promises]
    nodes = brute_force.every_node(case, asked, goal, allowed)
    best = brute_force.best(nodes)
    choice = Settings(suppression_limit=limit, limits=Limits(nodes=most))
    plan = plan_or_why(case, promises, goal, choice)
    if isinstance(plan, str):
        assert best is None or "stopped by node_limit" in plan
        return
    assert best is not None
    report = plan.search
    assert report.checked <= most
    value, floor = as_list(report.value), as_list(report.bound)
    if report.stopped_by is None or report.optimal:
        assert report.optimal or (allowed and brute_force.order_matters(case, asked))
        assert report.optimal == (report.unproved is None)
        assert value == pytest.approx(list(best), rel=1e-9, abs=1e-9)
    if len(best) == 1:
        assert floor[0] <= best[0] + 1e-9 * max(1.0, best[0])
        assert best[0] <= value[0] + 1e-9 * max(1.0, best[0])
    else:
        digits = [[round(entry, 9) for entry in key] for key in (floor, best, value)]
        assert digits == sorted(digits)
    holds_what_it_says(case, plan, nodes)


@settings(max_examples=60)
@given(st.data())
def test_the_heuristic_is_never_better_than_the_best(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    goal = data.draw(drawing.objectives(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    allowed = allowed_units(limit, case.records)
    asked = [brute_force.asked(one) for one in promises]
    nodes = brute_force.every_node(case, asked, goal, allowed)
    best = brute_force.best(nodes)
    choice = Settings("heuristic", suppression_limit=limit, limits=Limits(nodes=300))
    plan = plan_or_why(case, promises, goal, choice)
    if isinstance(plan, str):
        lasting = all(one.lasting for one in asked)
        assert best is None or (not lasting and "was found" in plan)
        return
    assert best is not None
    assert not plan.search.optimal
    assert plan.search.algorithm == "heuristic"
    assert plan.search.unproved is None
    value, floor = as_list(plan.search.value), as_list(plan.search.bound)
    digits = [[round(entry, 9) for entry in key] for key in (floor, best, value)]
    assert digits[1] <= digits[2]
    assert floor[0] <= best[0] + 1e-9 * max(1.0, best[0])
    holds_what_it_says(case, plan, nodes)


def test_the_number_of_records_that_may_go_is_rounded_down() -> None:
    assert [allowed_units(limit, 9) for limit in (0.0, 0.1, 1 / 3, 0.999, 1.0)] == [0, 0, 3, 8, 9]
    assert np.isclose(allowed_units(0.07, 100), 7)
