"""Trees as Mermaid and SVG: boxes that do not overlap, and all that they should say."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct_reproductions.arca_hewett import SHIELD, requirement, searched, table_1
from indistinct_reproductions.arca_hewett_tables import age_taxonomy, alcohol_taxonomy
from indistinct_reproductions.drawing import Bars, Lines
from indistinct_reproductions.trees import Node, Tree, _boxes, search_tree, taxonomy_tree


def found_by_iab() -> Tree:
    data = table_1().encoded(SHIELD).data
    result = searched(data, [requirement(SHIELD, 3)], "iab", tie_break="paper")
    return search_tree(result, "IAB")


def test_a_search_tree_says_what_was_found() -> None:
    tree = found_by_iab()
    assert len(tree.nodes) == 12
    assert tree.nodes[0] == Node(("T", "5 violating", "22 rows"), None, "", "open", "1")
    assert [node.badge for node in tree.nodes if node.badge] == ["1", "2", "3", "4"]
    (chosen,) = [node for node in tree.nodes if node.kind == "chosen"]
    assert chosen.lines == ("T4", "0 violating", "21 rows", "chosen")
    assert chosen.edge == "Zip"
    mermaid = tree.mermaid()
    assert mermaid.startswith("flowchart TD\n")
    assert 'n2 -- "Zip" --> n4["T4<br/>0 violating<br/>21 rows<br/>chosen"]:::chosen' in mermaid
    assert "classDef chosen" in mermaid


def test_svg_is_sound_and_holds_the_texts() -> None:
    svg = found_by_iab().svg()
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("22 rows") == 4
    assert "violates the requirement" in texts


def test_marks_in_labels_are_escaped() -> None:
    tree = Tree('<a & "b">', (Node(('<x> & "y"',)),))
    ElementTree.fromstring(tree.svg())
    assert 'n0["#lt;x> #amp; #quot;y#quot;"]' in tree.mermaid()


def test_many_leaves_are_named_together() -> None:
    (age,) = taxonomy_tree([age_taxonomy(range(20, 86))], "Figure")
    assert ("20 … 34", "15 values") in [node.lines for node in age.nodes]
    assert len(age.nodes) == 11
    (drinks,) = taxonomy_tree([alcohol_taxonomy()], "Figure")
    assert sorted(node.lines[0] for node in drinks.nodes) == [
        "Any", "High", "Low", "Med", "No", "Yes",
    ]  # fmt: skip
    wide = Taxonomy("n", [[str(n), f"{n}x", "*"] for n in range(20)])
    (tree,) = taxonomy_tree([wide], "Wide")
    assert ("… 19x", "16 more") in [node.lines for node in tree.nodes]


@given(
    parents=st.lists(st.integers(0, 30), max_size=30),
    widths=st.lists(st.integers(1, 20), min_size=31, max_size=31),
    right=st.booleans(),
)
def test_boxes_never_overlap(parents: list[int], widths: list[int], right: bool) -> None:
    nodes = [Node(("x" * widths[0],))]
    for at, parent in enumerate(parents, 1):
        nodes.append(Node(("x" * widths[at],), parent % at))
    boxes = _boxes(Tree("t", tuple(nodes), "right" if right else "down"))
    for at, one in enumerate(boxes):
        for other in boxes[:at]:
            apart = (
                one.x + one.width <= other.x + 1e-6
                or other.x + other.width <= one.x + 1e-6
                or one.y + one.height <= other.y + 1e-6
                or other.y + other.height <= one.y + 1e-6
            )
            assert apart


def test_bars_hold_their_figures() -> None:
    bars = Bars(
        "Rows",
        ("Cleveland", "VA"),
        {"one": [303.0, 0.0], "two": [0.25, 12.0]},
        unit="rows",
        reference={"one": [100.0, None]},
        note="a note",
    )
    root = ElementTree.fromstring(bars.svg())
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"303", "0.25", "12", "100", "Cleveland", "in rows", "a note"} <= set(texts)
    ElementTree.fromstring(Bars("Nothing", ("a",), {"one": [0.0]}).svg())


@pytest.mark.parametrize("powers", [False, True])
def test_lines_have_gaps_and_round_marks(powers: bool) -> None:
    lines = Lines(
        "Noise",
        ("2", "4", "6", "8"),
        {"one": [3.0, None, 450.0, 12.0], "two": [0.0, 7.0, 7.0, 7.0]},
        across="k",
        unit="records",
        dashed=frozenset({"two"}),
        powers=powers,
        note="a note",
    )
    root = ElementTree.fromstring(lines.svg())
    inside = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in root.iter(f"{inside}text")]
    marks = {"1", "10", "100", "1,000"} if powers else {"0", "100", "200", "300", "400", "500"}
    assert {"k", "in records", "a note", "one", "two", "8", *marks} <= set(texts)
    dots = [float(str(dot.get("cy"))) for dot in root.iter(f"{inside}circle")]
    assert len(dots) == (6 if powers else 7)
    assert min(dots) == dots[1]
    broken = [part for part in root.iter(f"{inside}polyline") if part.get("stroke-dasharray")]
    assert len(broken) == 2
    for empty in ({}, {"one": [None]}, {"one": [0.0]}):
        ElementTree.fromstring(Lines("Nothing", ("a",), empty, powers=powers).svg())
