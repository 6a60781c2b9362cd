from __future__ import annotations

import tomllib
from typing import Any

import pytest

from indistinct.errors import HierarchyError, PolicyError
from indistinct.hierarchies import tree_taxonomy


def test_branches_of_unequal_depth() -> None:
    given = tomllib.loads('tree = { "*" = { Yes = ["Low", "Med", "High"], No = [] } }')["tree"]
    taxonomy = tree_taxonomy("alcohol", given)
    assert taxonomy.chains == (
        ("Low", "Yes", "*"),
        ("Med", "Yes", "*"),
        ("High", "Yes", "*"),
        ("No", "*"),
    )


def test_several_labels_at_the_top_get_a_root() -> None:
    taxonomy = tree_taxonomy("x", {"Europe": ["France"], "Asia": {"East": ["Japan"]}})
    assert taxonomy.chains == (("France", "Europe", "*"), ("Japan", "East", "Asia", "*"))
    assert tree_taxonomy("x", {"*": ["a"], "B": ["b"]}).chains == (("a", "*"), ("b", "B", "*"))


def test_tables_in_lists_numbers_and_the_missing_value() -> None:
    taxonomy = tree_taxonomy("x", {"all": [1, 2.0, "", {"more": [True]}]})
    assert taxonomy.chains == (("1", "all"), ("2", "all"), (None, "all"), ("true", "more", "all"))


def test_the_callers_table_stays_as_it_is() -> None:
    given: dict[str, Any] = {"a": {"b": ["c"]}}
    tree_taxonomy("x", given)
    assert given == {"a": {"b": ["c"]}}


@pytest.mark.parametrize(
    "given", [{}, [], "a", {"a": "b"}, {"a": 5}, {"a": [["b"]]}, {"a": [b"x"]}, {"a": {"b": None}}]
)
def test_what_is_no_tree(given: Any) -> None:
    with pytest.raises(PolicyError):
        tree_taxonomy("x", given)


def test_a_value_in_two_places() -> None:
    with pytest.raises(HierarchyError, match="'c' has two different chains"):
        tree_taxonomy("x", {"a": ["c"], "b": ["c"]})
