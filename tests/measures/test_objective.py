"""Objectives are found by name, refuse what they do not have, and stay on their scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import brute_force, drawing

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.measures import measures, objective
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.full_domain.optimal import tell_broken_at_most
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.recoded import measured, score


def test_known_measures() -> None:
    assert list(measures()) == sorted(measures())
    assert set(measures()) >= {
        "average-class-size",
        "discernibility",
        "height",
        "loss",
        "non-uniform-entropy",
        "precision",
        "rows",
    }
    assert str(objective()) == "loss (geometric)"
    assert str(objective("precision")) == "precision (arithmetic)"
    assert str(objective("height")) == "height (sum)"
    assert str(objective("discernibility")) == "discernibility"


@pytest.mark.parametrize(
    ("measure", "choice", "text"),
    [
        ("los", {}, "did you mean 'loss'"),
        ("loss", {"agregate": "sum"}, "did you mean 'aggregate'"),
        ("loss", {"aggregate": "geometrical"}, "did you mean 'geometric'"),
        ("loss", {"gs_factor": 1.5}, "gs_factor must be from 0 to 1"),
        ("loss", {"gs_factor": float("nan")}, "gs_factor must be from 0 to 1"),
        ("loss", {"monotonic": True}, "'loss' does not take monotonic"),
        ("height", {"gs_factor": 0.2}, "it takes aggregate, weights"),
        ("average-class-size", {"weights": {"a": 2.0}}, "it takes no settings"),
        ("discernibility", {"aggregate": "sum"}, "it takes monotonic"),
    ],
)
def test_what_is_refused(measure: str, choice: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError, match=text) as caught:
        objective(measure, **choice)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("gs_factor", "generalization", "suppression"),
    [(0.0, 1.0, 0.0), (0.25, 1.0, 0.5), (0.5, 1.0, 1.0), (0.75, 0.5, 1.0), (1.0, 0.0, 1.0)],
)
def test_the_two_factors(gs_factor: float, generalization: float, suppression: float) -> None:
    found = objective("loss", gs_factor=gs_factor)
    assert found.generalization_factor == pytest.approx(generalization)
    assert found.suppression_factor == pytest.approx(suppression)


@settings(max_examples=60)
@given(st.data())
def test_measures_of_a_release_are_shares(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.k_anonymities(case))
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    local = data.draw(st.booleans())
    goal = data.draw(drawing.objectives(case))
    table = brute_force.leveled(case)
    try:
        plan = full_domain(
            table, promises, goal, Settings(suppression_limit=limit, local_recoding=local)
        )
    except Unsatisfiable:
        return
    found = measured(table, plan)
    assert len(found) == 7
    assert all(0.0 <= value <= 1.0 for value in found.values())
    key = score(table, plan, goal.bind(table))
    value = plan.search.value if isinstance(plan.search.value, list) else [plan.search.value]
    assert key.tolist() == pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("measure", [None, "discernibility", "average-class-size"])
@settings(max_examples=25)
@given(data=st.data())
def test_bounds_never_exceed_what_a_node_costs(measure: str | None, data: st.DataObject) -> None:
    """What is concluded from a neighbour or from the suppressed units is no more than is true."""
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    table = brute_force.leveled(case)
    lattice = Lattice.of(table)
    asked = objective(measure) if measure else data.draw(drawing.objectives(case))
    goal = asked.bind(table)
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
