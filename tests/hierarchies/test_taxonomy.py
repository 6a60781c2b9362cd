from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError
from indistinct.hierarchies import SUPPRESSED, Taxonomy

ALCOHOL = [("No", "Any"), ("Low", "Yes", "Any"), ("Med", "Yes", "Any"), ("High", "Yes", "Any")]


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Chains of a random tree, some of unequal length, some with repeated labels."""
    parents: list[int] = [draw(st.integers(0, node)) for node in range(draw(st.integers(1, 14)))]
    inner = {0, *parents}
    chains = []
    for node in range(1, len(parents) + 1):
        if node in inner:
            continue
        chain, at = [f"n{node}"], node
        while at:
            at = parents[at - 1]
            chain.append(f"n{at}")
        chains.append(tuple(chain))
    repeat = draw(st.integers(0, 2))
    chains = [chain[:1] * repeat + chain for chain in chains]
    return draw(st.permutations(chains))


def codes(error: pytest.ExceptionInfo[HierarchyError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def test_chains_of_unequal_length_join_at_the_top() -> None:
    taxonomy = Taxonomy("alcohol", ALCOHOL)
    assert taxonomy.levels == 3
    assert taxonomy.height == 2
    assert taxonomy.level(1) == ("Any", "Yes", "Yes", "Yes")
    assert taxonomy.level(2) == ("Any",) * 4
    assert taxonomy.root == "Any"
    assert taxonomy.chains == tuple(ALCOHOL)
    assert taxonomy.rows()[0] == ("No", "Any", "Any")
    assert taxonomy.generalize("Low", 1) == "Yes"
    assert taxonomy.ancestors("Low") == ("Yes", "Any")
    assert taxonomy.leaf_count("Yes") == 3
    assert taxonomy.leaf_count("Any") == 4
    assert taxonomy.leaf_count("No") == 1


def test_leaves_are_those_of_the_node_at_any_depth() -> None:
    table = Taxonomy("alcohol", ALCOHOL).compile()
    assert table.leaves.tolist() == [[1, 1, 1, 1], [4, 3, 3, 3], [4, 4, 4, 4]]
    assert table.code.tolist() == [[0, 1, 2, 3], [0, 1, 1, 1], [0, 0, 0, 0]]
    assert table.card.tolist() == [4, 2, 1]
    assert table.labels == (("No", "Low", "Med", "High"), ("Any", "Yes"), ("Any",))
    assert table.code.dtype == np.uint8


@pytest.mark.parametrize(
    ("leaves", "kind"), [(256, np.uint8), (257, np.uint16), (65537, np.uint32)]
)
def test_codes_take_the_smallest_type_that_fits(leaves: int, kind: type) -> None:
    table = Taxonomy("n", [(str(n), "*") for n in range(leaves)]).compile()
    assert table.code.dtype == kind
    assert table.code[0].tolist() == list(range(leaves))


def test_compiled_once_and_not_writable() -> None:
    taxonomy = Taxonomy("alcohol", ALCOHOL)
    table = taxonomy.compile()
    assert taxonomy.compile() is table
    with pytest.raises(ValueError, match="read-only"):
        table.code[0, 0] = 1


def test_repeated_labels_are_one_node_on_two_levels() -> None:
    taxonomy = Taxonomy("d", [("edema", "lung", "lung", "*"), ("flu", "infection", "lung", "*")])
    assert taxonomy.leaf_count("lung") == 2
    assert taxonomy.compile().leaves[1].tolist() == [2, 1]
    assert taxonomy.ancestors("edema") == ("lung", "*")


def test_an_inner_label_may_be_a_value_itself() -> None:
    taxonomy = Taxonomy("a", [("Yes", "Any"), ("Low", "Yes", "Any"), ("No", "Any")])
    assert taxonomy.leaf_count("Yes") == 2
    assert taxonomy.lowest_common_ancestor(["Yes", "Low"]) == "Yes"
    order = dict(zip(taxonomy.leaves, taxonomy.compile().order.tolist(), strict=True))
    assert abs(order["Yes"] - order["Low"]) == 1


def test_exact_repeats_are_dropped_and_given_lists_not_kept() -> None:
    chain = ["a", "*"]
    taxonomy = Taxonomy("x", [chain, ["a", "*"], ["a", "*", "*"]])
    chain[0] = "changed"
    assert taxonomy.leaves == ("a",)


@pytest.mark.parametrize(
    ("chains", "code"),
    [
        ([], "no-chains"),
        ([()], "empty-chain"),
        (["abc"], "not-a-chain"),
        ([("a", 1)], "not-a-chain"),
        ([("a", "")], "not-a-chain"),
        ([("a", "x", "*"), ("a", "y", "*")], "two-chains"),
        ([("a", "x", "r"), ("b", "x", "s")], "two-parents"),
        ([("a", "x"), ("b", "x", "r")], "top-with-parent"),
        ([("a", "x", "y", "x")], "cycle"),
        ([("a", "*", "r")], "suppressed-below"),
        ([("a", "x", "x", "r"), ("b", "x", "r", "r")], "not-nested"),
    ],
)
def test_what_is_no_nested_tree(chains: list[tuple[str, ...]], code: str) -> None:
    with pytest.raises(HierarchyError) as error:
        Taxonomy("x", chains)
    assert code in codes(error)
    assert all(problem.attribute == "x" for problem in error.value.problems)


def test_a_cycle_through_labels_with_two_parents_is_found() -> None:
    with pytest.raises(HierarchyError) as error:
        Taxonomy("x", [("a", "x", "y", "r"), ("b", "y", "z", "r"), ("c", "z", "x", "y", "r")])
    assert "cycle" in codes(error)


def test_all_problems_are_told_at_once() -> None:
    chains = [("a", "x", "r"), ("b", "x", "s"), ("c", "y", "r"), ("d", "y", "s")]
    with pytest.raises(HierarchyError) as error:
        Taxonomy("x", chains)
    assert codes(error).count("two-parents") == 2
    assert "value 'x' has two parents: 'r' and 's' (chains 1, 2)" in str(error.value)


def test_thousands_of_problems_are_summed_up() -> None:
    chains = [(f"{n}{m}", f"p{n}", f"{m}", "*") for n in range(1000) for m in "ab"]
    with pytest.raises(HierarchyError) as error:
        Taxonomy("x", chains)
    assert 20 <= len(error.value.problems) <= 25
    assert codes(error)[-1] == "more-problems"


def test_asking_for_what_is_not_there() -> None:
    taxonomy = Taxonomy("x", [("private", "*")])
    for ask in (
        lambda: taxonomy.level(2),
        lambda: taxonomy.generalize("secret", 0),
        lambda: taxonomy.code_of("secret"),
        lambda: taxonomy.leaf_count("secret"),
        lambda: taxonomy.ancestors("secret"),
        lambda: taxonomy.lowest_common_ancestor(["secret"]),
        lambda: taxonomy.lowest_common_ancestor([]),
        lambda: Taxonomy("x", [("a", "b"), ("c", "d")]).root,
    ):
        with pytest.raises(HierarchyError) as error:
            ask()
        assert "secret" not in str(error.value)


class TestExtended:
    def test_missing_as_a_value_joins_the_root(self) -> None:
        taxonomy = Taxonomy("a", ALCOHOL).extended("value")
        assert taxonomy.leaves[-1] is None
        assert [taxonomy.generalize(None, level) for level in range(3)] == [None, None, "Any"]
        assert taxonomy.leaf_count("Any") == 5
        assert taxonomy.root == "Any"

    def test_without_a_root_missing_stays_missing(self) -> None:
        taxonomy = Taxonomy("a", [("a", "x"), ("b", "y")]).extended("value")
        assert [taxonomy.generalize(None, level) for level in range(2)] == [None, None]
        assert not taxonomy.has_root

    def test_a_hierarchy_of_one_level_keeps_missing_apart(self) -> None:
        taxonomy = Taxonomy("a", [("a",)]).extended("value")
        assert taxonomy.level(0) == ("a", None)

    def test_missing_suppressed_on_every_level_with_its_own_leaf_code(self) -> None:
        taxonomy = Taxonomy("a", [("a", "*"), ("b", "*")]).extended("suppress", ["u", "a"])
        assert taxonomy.leaves == ("a", "b", None, "u")
        assert taxonomy.suppressed == (None, "u")
        assert taxonomy.level(0) == ("a", "b", "*", "*")
        assert taxonomy.code_of("u") == 3
        assert taxonomy.covers("u")
        assert taxonomy.root == "*"
        assert taxonomy.leaf_count(SUPPRESSED) == 4
        assert taxonomy.compile().leaves.tolist() == [[1, 1, 4, 4], [4, 4, 4, 4]]
        assert taxonomy.compile().code[0].tolist() == [0, 1, 2, 2]
        assert taxonomy.lowest_common_ancestor(["a", "u"]) == "*"
        assert taxonomy.rows()[2:] == [(None, "*"), ("u", "*")]
        assert taxonomy.chains[2:] == (("*", "*"), ("*", "*"))

    def test_a_star_beside_another_root(self) -> None:
        taxonomy = Taxonomy("zip", [("81", "8*", "**"), ("90", "9*", "**")]).extended(
            "suppress", ["u"]
        )
        assert not taxonomy.has_root
        assert taxonomy.leaf_count("**") == 2
        assert taxonomy.leaf_count("*") == 4
        assert taxonomy.compile().leaves[2].tolist() == [2, 2, 4, 4]
        assert taxonomy.lowest_common_ancestor(["81", None]) == "*"

    def test_the_hierarchys_own_place_for_missing(self) -> None:
        own = Taxonomy("a", [(None, "unknown", "*"), ("a", "known", "*")])
        assert own.extended("value").generalize(None, 1) == "unknown"
        assert own.extended(None) is own
        suppressed = own.extended("suppress")
        assert suppressed.generalize(None, 0) == "*"
        assert suppressed.leaves == ("a", None)

    def test_twice_is_as_once(self) -> None:
        once = Taxonomy("a", ALCOHOL).extended("suppress", ["u"])
        assert once.extended("suppress", ["u"]) == once
        assert once.extended("value").extended(None, ["v"]).suppressed == (None, "u", "v")

    def test_nothing_but_suppressed_values(self) -> None:
        taxonomy = Taxonomy("a", [], suppressed=[None])
        assert taxonomy.rows() == [(None, "*")]
        assert taxonomy.compile().leaves.tolist() == [[1], [1]]
        assert taxonomy.extended("value", ["u"]).leaves == (None, "u")

    def test_a_value_cannot_be_covered_and_suppressed(self) -> None:
        with pytest.raises(HierarchyError, match="both"):
            Taxonomy("a", [("a", "*")], suppressed=["a"])


def test_values_with_nothing_in_common_can_only_be_suppressed() -> None:
    taxonomy = Taxonomy("a", [("a", "x"), ("b", "y")])
    assert taxonomy.lowest_common_ancestor(["a", "b"]) == "*"
    assert taxonomy.leaf_count("*") == 2


def test_plain_data_equality_and_text() -> None:
    taxonomy = Taxonomy("a", ALCOHOL)
    assert taxonomy == Taxonomy("a", ALCOHOL)
    assert hash(taxonomy) == hash(Taxonomy("a", ALCOHOL))
    assert taxonomy != Taxonomy("b", ALCOHOL)
    assert taxonomy != "a"
    assert taxonomy.to_dict()["labels"] == [4, 2, 1]
    assert repr(Taxonomy("a", [("a", "x"), ("b", "y")])).endswith("no root)")
    assert dict(taxonomy.index) == {"No": 0, "Low": 1, "Med": 2, "High": 3}


@given(trees())
def test_levels_are_nested_and_labels_have_one_parent(chains: list[tuple[str, ...]]) -> None:
    taxonomy = Taxonomy("x", chains)
    for level in range(taxonomy.height):
        above: dict[object, object] = {}
        for lower, upper in zip(taxonomy.level(level), taxonomy.level(level + 1), strict=True):
            assert above.setdefault(lower, upper) == upper
    for chain in chains:
        for level in range(taxonomy.levels):
            assert taxonomy.generalize(chain[0], level) == chain[min(level, len(chain) - 1)]


@given(trees())
def test_the_compiled_table_says_the_same(chains: list[tuple[str, ...]]) -> None:
    taxonomy = Taxonomy("x", chains)
    table = taxonomy.compile()
    under: dict[str, set[str]] = {}
    for chain in chains:
        for label in chain:
            under.setdefault(label, set()).add(chain[0])
    for level in range(taxonomy.levels):
        column = taxonomy.level(level)
        labels = table.labels[level]
        assert [labels[code] for code in table.code[level]] == list(column)
        assert labels == tuple(dict.fromkeys(column))
        assert table.card[level] == len(labels)
        assert table.leaves[level].tolist() == [len(under[label]) for label in column]  # type: ignore[index]
    assert all(taxonomy.leaf_count(label) == len(leaves) for label, leaves in under.items())


@given(trees())
def test_in_depth_first_order_the_leaves_of_a_node_are_neighbours(
    chains: list[tuple[str, ...]],
) -> None:
    taxonomy = Taxonomy("x", chains)
    rank = dict(zip(taxonomy.leaves, taxonomy.compile().order.tolist(), strict=True))
    assert sorted(rank.values()) == list(range(len(chains)))
    for label in {label for chain in chains for label in chain}:
        ranks = sorted(rank[chain[0]] for chain in chains if label in chain)
        assert ranks == list(range(ranks[0], ranks[0] + len(ranks)))


@given(trees(), st.data())
def test_the_lowest_common_ancestor_by_brute_force(
    chains: list[tuple[str, ...]], data: st.DataObject
) -> None:
    taxonomy = Taxonomy("x", chains)
    chosen = data.draw(st.lists(st.sampled_from(chains), min_size=1))
    common = set.intersection(*(set(chain) for chain in chosen))
    lowest = min(common, key=taxonomy.leaf_count)
    found = taxonomy.lowest_common_ancestor(chain[0] for chain in chosen)
    assert found in common
    assert taxonomy.leaf_count(found) == taxonomy.leaf_count(lowest)
    assert all(label == found or label in taxonomy.ancestors(found) for label in common)
