"""However a table is condensed beforehand, the classes of a node are those of the whole table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import brute_force, drawing

from indistinct.recoding import grouping
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice


@pytest.mark.parametrize("parts", [0, 2, 4096])
@pytest.mark.parametrize("stems", [1, 3, 256])
def test_classes_of_every_node(parts: int, stems: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "PARTS", parts)
        patch.setattr(grouping, "STEMS", stems)
        every_node()


@settings(max_examples=25)
@given(st.data())
def every_node(data: st.DataObject) -> None:
    case = data.draw(brute_force.cases())
    table = brute_force.leveled(case)
    lattice = Lattice.of(table, *data.draw(drawing.level_bounds(case)))
    grouper = Grouper(table, lattice)
    nodes = data.draw(st.permutations(range(lattice.size)))
    for node in nodes:
        levels = lattice.levels[node].astype(np.int64)
        on = data.draw(st.sampled_from([None, None, (0,), (1, 0)]))
        attributes = range(len(case.names)) if on is None else on
        keys = [
            tuple(int(table.columns[table.row_of[j, levels[j]], row]) for j in attributes)
            for row in range(table.table.combinations)
        ]
        units: Counter[tuple[int, ...]] = Counter()
        for key, weight in zip(keys, table.weight.tolist(), strict=True):
            units[key] += weight
        if on is None:
            found = grouper.condensed(levels)
            spread = grouper.spread(levels, found).tolist()
            assert sorted(found.size.tolist()) == sorted(units.values())
            for number, row in enumerate(found.first.tolist()):
                assert units[keys[row]] == found.size[number]
                assert spread[row] == number
        class_of, size = grouper.classes(levels, on)
        assert len(size) == len(units)
        of_class: dict[int, set[tuple[int, ...]]] = {}
        for row, number in enumerate(class_of.tolist()):
            assert size[number] == units[keys[row]]
            of_class.setdefault(number, set()).add(keys[row])
        assert all(len(found) == 1 for found in of_class.values())
