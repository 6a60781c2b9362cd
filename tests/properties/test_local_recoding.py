"""Local recoding: every promise holds on the whole release, and nothing is lost by it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import brute_force, drawing
from tests.properties.brute_force import Case

from indistinct.errors import Unsatisfiable
from indistinct.measures import objective
from indistinct.privacy import promise
from indistinct.recoding.full_domain import Settings, allowed_units, full_domain, local
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.recoded import published_classes, score


def loss_of(case: Case, cells: dict[int, tuple[brute_force.Label, ...]]) -> float:
    """Mean of (leaves - 1) / (domain - 1) over all cells, those of missing rows costing 1."""
    total = 0.0
    for j in range(len(case.names)):
        full = case.full(j)
        if len(full) == 1:
            continue
        for row, weight in enumerate(case.weights):
            label = cells[row][j] if row in cells else "*"
            under = len(full) if label == "*" else sum(label in chain for chain in full)
            total += weight * (under - 1) / (len(full) - 1)
    return total / (case.records * len(case.names))


@settings(max_examples=150)
@given(st.data())
def test_the_union_of_all_rounds_keeps_every_promise(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    promises = data.draw(drawing.promises(case))
    goal = data.draw(
        st.sampled_from(
            [
                objective("loss", aggregate="arithmetic"),
                objective("loss", aggregate="rank"),
                objective("loss", gs_factor=0.2),
                objective("precision"),
                objective("non-uniform-entropy"),
                objective("discernibility"),
                objective("average-class-size"),
                objective("height"),
            ]
        )
    )
    limit = data.draw(st.sampled_from(drawing.LIMITS))
    lowest, highest = data.draw(drawing.level_bounds(case))
    table = brute_force.microdata(case)
    bounds = {"min_level": lowest, "max_level": highest}
    try:
        plain = full_domain(table.data, promises, goal, Settings(suppression_limit=limit, **bounds))
    except Unsatisfiable:
        return
    plan = full_domain(
        table.data,
        promises,
        goal,
        Settings(suppression_limit=limit, local_recoding=True, **bounds),
    )

    assert plan.node_of.min() >= -1
    node_of = plan.node_of[table.combination_of]
    kept = {row for row in range(len(case.rows)) if node_of[row] >= 0}
    cells = {
        row: brute_force.published(case, plan.nodes[node_of[row]])[row] for row in sorted(kept)
    }
    every = [cells.get(row, ()) for row in range(len(case.rows))]
    asked = [brute_force.asked(one) for one in promises]
    assert brute_force.settled(case, every, asked, kept) == kept

    suppressed = case.records - sum(case.weights[row] for row in kept)
    assert suppressed <= allowed_units(limit, case.records)
    for node in plan.nodes:
        for j, name in enumerate(case.names):
            assert lowest.get(name, 0) <= node[j] <= highest.get(name, 99)

    mean = objective("loss", aggregate="arithmetic").bind(table.data)
    loss = float(score(table.data, plan, mean)[0])
    assert loss == pytest.approx(loss_of(case, cells), abs=1e-12)
    # Recoding is judged with suppression counted in full, whatever the objective makes of it.
    judge = replace(goal, gs_factor=0.5).bind(table.data)
    keys = [score(table.data, one, judge).round(9).tolist() for one in (plan, plain)]
    assert keys[0] <= keys[1]
    if goal.measure == "loss" and goal.aggregated_by == "arithmetic":
        assert loss <= score(table.data, plain, mean)[0] + 1e-12

    classes: dict[tuple[brute_force.Label, ...], int] = {}
    for row, labels in cells.items():
        classes[labels] = classes.get(labels, 0) + case.weights[row]
    assert sorted(published_classes(table.data, plan).tolist()) == sorted(classes.values())


@settings(max_examples=150)
@given(st.data())
def test_the_classes_published_last_are_taken_back_one_by_one_and_then_together(
    data: st.DataObject,
) -> None:
    """Against plain counting: the last classes, latest node first, then all from each node on."""
    case = data.draw(brute_force.cases())
    table = brute_force.microdata(case)
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    nodes = list(map(tuple, random.permutation(list(brute_force.lattice(case)))[:5].tolist()))
    combinations = table.data.table.combinations
    of = random.integers(-1, len(nodes), combinations).tolist()
    most = int(random.choice([1, 2, 3, 8]))
    with mock.patch.object(local, "TAKEN_BACK", most):
        found = list(local._published_last(table.data, nodes, np.array(of, np.int32)))
    taken = [frozenset(rows.tolist()) for rows in found]

    used = sorted(set(of) - {-1}, reverse=True)[:most]
    classes = []
    for at in used:
        labels = brute_force.published(case, nodes[at])
        own: dict[tuple[brute_force.Label, ...], set[int]] = {}
        for row, c in enumerate(table.combination_of.tolist()):
            if of[c] == at:
                own.setdefault(labels[row], set()).add(c)
        classes.append({frozenset(members) for members in own.values()})
    single, together = taken[: len(taken) - len(used)], taken[len(taken) - len(used) :]
    assert together == [frozenset(c for c in range(combinations) if of[c] >= at) for at in used]
    assert len(single) == len(set(single)) == min(most, sum(map(len, classes)))
    for own_classes in classes:
        here, single = single[: len(own_classes)], single[len(own_classes) :]
        assert set(here) <= own_classes


@settings(max_examples=150)
@given(st.data())
def test_records_are_released_at_the_first_node_with_enough_of_their_like(
    data: st.DataObject,
) -> None:
    """The quick way, where sizes alone decide, against plain counting and against the slow way."""
    case = data.draw(brute_force.cases())
    k = data.draw(st.integers(1, 9))
    goal = data.draw(st.sampled_from([objective("loss"), objective("discernibility")]))
    table = brute_force.microdata(case)
    combinations = table.data.table.combinations
    lattice, bound = Lattice.of(table.data), goal.bind(table.data)
    top = tuple(int(level) for level in lattice.last)
    # Some are released already.
    some = data.draw(st.sets(st.integers(0, combinations - 1), max_size=combinations // 2))
    away = [c in some for c in range(combinations)]
    node_of = np.where(away, 0, -1).astype(np.int32)
    promises = [promise("k-anonymity", k=k), promise("k-anonymity", k=max(k - 2, 1))]

    def recoded() -> tuple[list[tuple[int, ...]], list[int]]:
        nodes, where = local.recode_remaining(
            table.data, lattice, promises, bound, (top,), node_of.copy()
        )
        return list(nodes), where.tolist()

    left = {row for row, of in enumerate(table.combination_of) if not away[of]}
    expected = {row: top for row in range(len(case.rows)) if row not in left}
    for levels in local._in_order(lattice, bound).tolist():
        labels = brute_force.published(case, levels)
        size = Counter[tuple[brute_force.Label, ...]]()
        for row in left:
            size[labels[row]] += case.weights[row]
        enough = {row for row in left if size[labels[row]] >= k}
        expected |= {row: tuple(levels) for row in enough}
        left -= enough

    nodes, where = recoded()
    with pytest.MonkeyPatch.context() as patch:
        for at_once in (1, 2):
            patch.setattr(local, "AT_ONCE", at_once)
            assert recoded() == (nodes, where)
        patch.setattr(local, "_large_enough", lambda promises: None)
        assert recoded() == (nodes, where)
    found = {row: nodes[where[of]] for row, of in enumerate(table.combination_of) if where[of] >= 0}
    assert found == expected
    assert len(nodes) == len(set(where) - {-1} | {0}), "no node but the first is there for nothing"
