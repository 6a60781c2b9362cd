"""Verdicts, documents and files of a reproduction."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indistinct.errors import OutputError, PolicyError
from indistinct_reproductions import PAPERS, reproduce, reproduction
from indistinct_reproductions.drawing import Bars
from indistinct_reproductions.reproduction import (
    VERDICTS,
    Ledger,
    Reproduction,
    Verdict,
    verdict_of,
)
from indistinct_reproductions.trees import Node, Tree


@pytest.mark.parametrize(
    ("printed", "computed", "verdict"),
    [
        ("0.99", 0.9928, "equal"),
        ("0.16", 0.1681, "truncated"),
        ("0.38", 0.3797, "rounded"),
        ("6", 5, "differs"),
        ("6", 6, "equal"),
        ("5", 5.0444, "equal"),
        ("0.00", 0.1208, "differs"),
        ("0.00", 0.0, "equal"),
        ("0.11", 0.1251, "differs"),
    ],
)
def test_verdicts(printed: str, computed: float, verdict: Verdict) -> None:
    assert verdict_of(printed, computed) == verdict


@pytest.fixture
def small() -> Reproduction:
    ledger = Ledger()
    ledger.figure("Table 1", "a | figure", "0.16", 0.1681)
    ledger.figure("Table 1", "another", 6, 5, "because")
    ledger.claim("Section 1", "a claim", "always", "never", False, "it is so")
    ledger.unprinted("Section 2", "further", 7, detail={"more": 8})
    ledger.sheet("rows", "Rows", ("name", "share"), [("x", 0.25), ("y", None)])
    ledger.picture("bars", Bars("Bars", ("a", "b"), {"one": [0.0, 2.0]}))
    ledger.picture("tree", Tree("Tree", (Node(("root",)), Node(("leaf",), 0, "step"))))
    return Reproduction(
        "small", "A paper", tuple(ledger.items), tuple(ledger.sheets), tuple(ledger.pictures),
        (("Table 9", "it needs data"),), 3,
    )  # fmt: skip


def test_the_document(small: Reproduction) -> None:
    told = small.to_dict()
    assert told["paper"] == "small"
    assert told["items"][0] == {
        "where": "Table 1",
        "what": "a | figure",
        "printed": 0.16,
        "computed": 0.1681,
        "verdict": "truncated",
        "why": "cut off after the last digit printed, not rounded",
        "source": "computed",
    }
    assert told["items"][3]["printed"] is None
    assert told["items"][3]["detail"] == {"more": 8}
    assert told["verdicts"] == {
        "truncated": 1, "differs": 1, "refuted": 1, "no figure printed": 1,
    }  # fmt: skip
    assert told["left_out"] == [{"where": "Table 9", "why": "it needs data"}]
    assert {item["verdict"] for item in told["items"]} <= set(VERDICTS)
    json.dumps(told, allow_nan=False)


def test_the_files(small: Reproduction, tmp_path: Path) -> None:
    written = small.write(tmp_path / "deep" / "out")
    names = {path.name for path in written}
    assert {
        "bars.svg", "items.csv", "reproduction.json", "reproduction.md", "rows.csv", "tree.mmd",
        "tree.svg",
    } <= names  # fmt: skip
    assert names == {path.name for path in (tmp_path / "deep" / "out").iterdir()}
    page = (tmp_path / "deep" / "out" / "reproduction.md").read_text("utf-8")
    assert "a \\| figure" in page
    assert "![Tree](tree.svg)" in page
    assert "4 items: 4 computed (1 truncated, 1 differs, 1 refuted, 1 no figure printed)." in page
    assert "Not run: Table 9. It needs data." in page
    rows = (tmp_path / "deep" / "out" / "rows.csv").read_text("utf-8")
    assert rows == "name,share\nx,0.25\ny,\n"
    assert small.write(tmp_path / "deep" / "out") == written


def test_png_where_it_can_be_had(small: Reproduction, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    small.write(tmp_path)
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_there_is_svg(
    small: Reproduction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    small.write(tmp_path)
    assert not list(tmp_path.glob("*.png"))
    assert (tmp_path / "tree.svg").is_file()


def test_a_file_in_the_way(small: Reproduction, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="file of this name"):
        small.write(tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_papers_by_name() -> None:
    assert "arca-hewett" in PAPERS
    with pytest.raises(PolicyError, match="did you mean 'arca-hewett'"):
        reproduce("arca-hewit")


def calls(*methods: str) -> Iterator[tuple[str, ast.Call, str]]:
    """The calls of these methods of a ledger in the source, with their files."""
    for path in Path(reproduction.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                on = ast.unparse(node.func.value)
                if node.func.attr in methods and on == "ledger":
                    yield node.func.attr, node, f"{path.name}, line {node.lineno}"


def literal(node: ast.expr) -> bool:
    """Whether nothing is computed by an expression."""
    parts = ast.walk(node)
    return not any(isinstance(part, ast.Name | ast.Call | ast.Attribute) for part in parts)


def test_no_verdict_is_written_down() -> None:
    """Whether a claim holds is computed."""
    found = [
        place
        for _, node, place in calls("claim")
        for holds in [*node.args[4:5], *(one.value for one in node.keywords if one.arg == "holds")]
        if literal(holds)
    ]
    assert found == []


def test_no_figure_is_written_down() -> None:
    """What stands in the column of computed figures is computed, or labelled otherwise."""
    at = {"figure": 3, "same": 3, "claim": 3, "unprinted": 2}
    every = list(calls(*at))
    assert len(every) > 150
    assert [where for name, node, where in every if literal(node.args[at[name]])] == []


def test_what_is_not_computed_is_counted_apart() -> None:
    ledger = Ledger()
    ledger.same("Table 1", "one", 1, 1)
    with ledger.marked("fitted"):
        ledger.same("Table 1", "two", 2, 2)
        with ledger.marked("forced"):
            ledger.same("Table 1", "three", 3, 3)
        ledger.figure("Table 1", "four", 4, 5)
    ledger.transcribed("Table 2", "a caption", "k = 2", "k = 10", "it repeats another")
    ledger.lost("Table 3", "k = 7", None, "out of reach")
    found = Reproduction("p", "P", tuple(ledger.items))
    assert found.to_dict()["sources"] == {
        "computed": {"equal": 1, "no figure printed": 1},
        "fitted": {"equal": 1, "differs": 1},
        "forced": {"equal": 1},
        "transcribed": {"differs": 1},
    }
    assert (
        "6 items: 2 computed (1 equal, 1 no figure printed), 2 fitted (1 equal, 1 differs), "
        "1 forced (1 equal), 1 transcribed (1 differs)." in found.markdown()
    )
    assert sum(found.verdicts.values()) == len(found.items)
    assert [item.source for item in found.items][:3] == ["computed", "fitted", "forced"]
