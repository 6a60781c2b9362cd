"""What holds of every measure there is, with any of its settings, on random tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import brute_force, drawing

from indistinct.errors import Unsatisfiable
from indistinct.measures import AGGREGATES, Objective, measures, objective
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.full_domain.optimal import tell_broken_at_most
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.recoded import measured, score

MEASURES = sorted(measures())

SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "aggregate": st.sampled_from(sorted(AGGREGATES)),
    "gs_factor": st.sampled_from(drawing.GS_FACTORS),
    "monotonic": st.booleans(),
}
"""How a setting is drawn; weights depend on the attributes."""


@st.composite
def objectives(draw: st.DrawFn, measure: str, names: tuple[str, ...]) -> Objective:
    """The measure with any of the settings that it takes."""
    chosen: dict[str, Any] = {}
    for name in sorted(measures()[measure].settings):
        if not draw(st.booleans()):
            continue
        if name == "weights":
            weights = [draw(st.sampled_from([0.0, 0.25, 1.0, 2.0])) for _ in names]
            if any(weights):
                chosen[name] = dict(zip(names, weights, strict=True))
        else:
            chosen[name] = draw(SETTINGS[name])
    return objective(measure, **chosen)


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_reported_is_a_share_and_what_was_minimized(
    measure: str, data: st.DataObject
) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.k_anonymities(case))
    goal = data.draw(objectives(measure, case.names))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    choice = Settings(suppression_limit=limit, local_recoding=data.draw(st.booleans()))
    table = brute_force.leveled(case)
    try:
        plan = full_domain(table, promises, goal, choice)
    except Unsatisfiable:
        return
    assert all(0.0 <= share <= 1.0 for share in measured(table, plan).values())
    bound = goal.bind(table)
    key = score(table, plan, bound)
    assert bound.value(key) == pytest.approx(plan.search.value, rel=1e-9, abs=1e-9)
    assert 0.0 <= bound.scaled(key) <= 1.0


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=25)
@given(data=st.data())
def test_nothing_is_lost_where_nothing_is_changed(measure: str, data: st.DataObject) -> None:
    """The exact table costs no more than any other release of it."""
    # A missing value that is * in the exact table as well may be anything to readers, by KL.
    ways = (None, "value") if measure == "kl-divergence" else (None, None, "value", "suppress")
    case = data.draw(brute_force.cases(missing=ways))
    table = brute_force.leveled(case)
    goal = data.draw(objectives(measure, case.names)).bind(table)
    evaluator = Evaluator(table, [], goal, 0, Grouper(table))
    costs = [evaluator.evaluate(levels.astype(np.int64)).key for levels in Lattice.of(table).levels]
    assert all(tuple(costs[0]) <= tuple(cost + 1e-9) for cost in costs)


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=25)
@given(data=st.data())
def test_bounds_never_exceed_what_a_node_costs(measure: str, data: st.DataObject) -> None:
    """What is concluded from a neighbour or from the suppressed units is no more than is true."""
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    table = brute_force.leveled(case)
    lattice = Lattice.of(table)
    goal = data.draw(objectives(measure, case.names)).bind(table)
    tell_broken_at_most(goal, promises, table.table.records)
    evaluator = Evaluator(table, promises, goal, table.table.records, Grouper(table))
    looked = [evaluator.evaluate(levels.astype(np.int64)) for levels in lattice.levels]
    for node, levels in enumerate(lattice.levels):
        own = looked[node]
        inherited = own.inherited[None, :]
        for j, level in enumerate(levels):
            if goal.inherits_up and level > lattice.first[j]:
                inherited = np.maximum(
                    inherited, looked[node - int(lattice.stride[j])].inherited[None, :]
                )
            if not goal.inherits_up and level < lattice.last[j]:
                above = looked[node + int(lattice.stride[j])]
                assert above.least <= own.least
                inherited = np.maximum(inherited, above.inherited[None, :])
        floor = goal.lower(levels[None, :], np.array([own.least]), inherited)[0]
        slack = 1e-9 * max(1.0, float(own.key.max()))
        assert (floor <= own.key + slack).all()
        assert own.suppressed >= own.least
