"""Hierarchies that are changed by hand stay trees, and nothing else in them moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError
from indistinct.hierarchies.edits import regroup_labels, rename_labels
from indistinct.hierarchies.taxonomy import Taxonomy

TREE = Taxonomy(
    "ward",
    [
        ("ENT", "head", "knife", "*"),
        ("eyes", "head", "knife", "*"),
        ("bones", "limbs", "knife", "*"),
        ("heart", "inner", "pills", "*"),
        ("lung", "inner", "pills", "*"),
    ],
)


def test_a_group_is_renamed_merged_and_moved():
    assert set(rename_labels(TREE, 1, ["head"], "skull").level(1)) == {"skull", "limbs", "inner"}
    merged = rename_labels(TREE, 1, ["head", "limbs"], "outer")
    assert merged.rows()[2] == ("bones", "outer", "knife", "*")
    joined = rename_labels(TREE, 1, ["limbs"], "head")
    assert joined.level(1).count("head") == 3
    moved = regroup_labels(TREE, 1, ["limbs"], "pills")
    assert moved.rows()[2] == ("bones", "limbs", "pills", "*")
    split = regroup_labels(TREE, 0, ["lung"], "breath")
    assert split.rows()[4] == ("lung", "breath", "pills", "*")
    under = regroup_labels(TREE, 2, ["knife"], "all knives")
    assert under.levels == 5
    assert under.level(3) == ("all knives",) * 3 + ("pills",) * 2


@pytest.mark.parametrize(
    ("level", "labels", "name"),
    [(0, ["ENT"], "x"), (3, ["*"], "x"), (1, [], "x"), (1, ["knife"], "x"), (1, ["head"], " ")],
)
def test_labels_that_are_not_there_are_refused(level: int, labels: list[str], name: str):
    with pytest.raises(HierarchyError, match="no such labels"):
        rename_labels(TREE, level, labels, name)


def test_what_is_shown_otherwise_is_not_lost():
    tops = Taxonomy("age", [("1", "young", "*"), ("99", ">=90", "*")], shown={"99": ">=90"})
    with pytest.raises(HierarchyError, match="as they are"):
        regroup_labels(tops, 0, ["1"], "child")


@given(data=st.data())
def test_whatever_is_moved_is_where_it_was_put_and_all_else_where_it_was(data: st.DataObject):
    parents = data.draw(st.lists(st.integers(0, 2), min_size=2, max_size=7))
    rows = [(f"v{at}", f"g{one}", f"h{one % 2}", "*") for at, one in enumerate(parents)]
    tree = Taxonomy("a", rows)
    level = data.draw(st.integers(0, 2))
    there = sorted({row[level] for row in rows})
    labels = data.draw(st.lists(st.sampled_from(there), min_size=1, unique=True))
    group = data.draw(st.sampled_from(["new", *sorted({row[level + 1] for row in rows})]))
    try:
        made = regroup_labels(tree, level, labels, group)
    except HierarchyError:
        assert group != "new"
        return
    assert made.leaves == tree.leaves
    for before, after in zip(rows, made.rows(), strict=True):
        if before[level] in labels:
            assert after[level + 1] == group
        else:
            assert set(before) == set(after)
