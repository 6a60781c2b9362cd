from __future__ import annotations

import ast
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct
from indistinct.errors import PolicyError
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import promise
from indistinct.release.audit import audit, checks
from indistinct.requirement import Requirement

QUASI = ("age", "sex", "zip")
CELL = st.sampled_from(["1", "2", "*", "", None])
ROWS = st.lists(st.tuples(CELL, CELL, CELL), max_size=14)
K = st.integers(1, 6)

Row = tuple[str | None, ...]


def frame_of(rows: list[Row]) -> pl.DataFrame:
    schema = dict.fromkeys(QUASI, pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def classes_of(rows: list[Row], quasi: list[int], on: list[int]) -> Counter[Row]:
    """The definition, word by word."""
    shown = [row for row in rows if any(row[at] != "*" for at in quasi)]
    return Counter(tuple(row[at] for at in on) for row in shown)


@given(rows=ROWS, k=K, data=st.data())
def test_the_audit_is_what_counting_says(rows: list[Row], k: int, data: st.DataObject) -> None:
    quasi = data.draw(st.lists(st.integers(0, 2), min_size=1, unique=True))
    on = data.draw(st.lists(st.sampled_from(quasi), min_size=1, unique=True))
    names = [QUASI[at] for at in quasi]
    asked = Requirement("k-anonymity", {"k": k}, tuple(QUASI[at] for at in on))
    found = audit(frame_of(rows), [asked], names)
    expected = classes_of(rows, quasi, on)
    small = [size for size in expected.values() if size < k]
    verdict = found.promises[0]
    assert verdict.holds == (not small) == found.holds
    assert verdict.achieved == {"k": min(expected.values(), default=None)}
    assert (verdict.breaking_classes, verdict.breaking_records) == (len(small), sum(small))
    everyone = classes_of(rows, quasi, quasi)
    assert found.classes.count == len(everyone)
    assert found.classes.smallest == min(everyone.values(), default=None)
    assert found.classes.largest == max(everyone.values(), default=None)
    assert found.records == len(rows)
    assert found.suppressed == len(rows) - everyone.total()


@given(rows=ROWS, k=K)
def test_pandas_in_disorder_is_audited_alike(rows: list[Row], k: int) -> None:
    table = frame_of(rows)
    frame = table.to_pandas()
    frame.index = pd.Index([3] * len(rows))
    asked = [Requirement("k-anonymity", {"k": k})]
    assert audit(frame, asked, QUASI).to_dict() == audit(table, asked, QUASI).to_dict()


@given(rows=ROWS, k=K)
def test_the_check_and_the_promise_agree(rows: list[Row], k: int) -> None:
    """Two programs that share no line say the same of the same classes."""
    size = np.array(list(classes_of(rows, [0, 1, 2], [0, 1, 2]).values()), dtype=np.int64)
    classes = ClassTable(class_of=np.arange(len(size), dtype=np.int32), size=size)
    model = promise("k-anonymity", k=k)
    breaks = model.breaks(classes)
    verdict = audit(frame_of(rows), [Requirement("k-anonymity", {"k": k})], QUASI).promises[0]
    assert verdict.holds == (not breaks.any())
    assert verdict.achieved == model.achieved(classes)
    assert verdict.breaking_classes == breaks.sum()
    assert verdict.breaking_records == size[breaks].sum()


@given(rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=14), data=st.data())
def test_a_release_that_was_tampered_with(rows: list[Row], data: st.DataObject) -> None:
    """After any change of one cell or row the audit says what is so afterwards, not before."""
    at = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, 2))
    cell = data.draw(CELL)
    changed = [*rows]
    changed[at] = (*rows[at][:column], cell, *rows[at][column + 1 :])
    dropped = rows[:at] + rows[at + 1 :]
    added = [*rows, rows[at]]
    for tampered in (changed, dropped, added):
        expected = classes_of(tampered, [0, 1, 2], [0, 1, 2])
        found = audit(frame_of(tampered), [Requirement("k-anonymity", {"k": 2})], QUASI)
        assert found.promises[0].achieved == {"k": min(expected.values(), default=None)}
        assert found.records == len(tampered)


GOOD: list[Row] = [("20-29", "F", "81*"), ("20-29", "F", "81*"), ("30-39", "M", None)]
GOOD.append(GOOD[2])


def verdict_on(rows: list[Row], k: int = 2) -> Any:
    return audit(frame_of(rows), [Requirement("k-anonymity", {"k": k})], QUASI).to_dict()


def test_one_cell_one_row_less_one_row_more() -> None:
    assert verdict_on(GOOD)["holds"]
    changed = verdict_on([("20-29", "M", "81*"), *GOOD[1:]])
    assert not changed["holds"]
    assert changed["promises"][0]["achieved"] == {"k": 1}
    assert changed["promises"][0]["violations"] == {"classes": 2, "records": 2}
    assert not verdict_on(GOOD[1:])["holds"]
    assert not verdict_on([*GOOD, ("40-49", "F", "81*")])["holds"]
    assert verdict_on([*GOOD, GOOD[0]])["holds"]
    starred = verdict_on([("*", "*", "*"), *GOOD[1:]])
    assert not starred["holds"]
    assert starred["suppressed"] == 1


def test_the_document() -> None:
    assert verdict_on([*GOOD, ("*", "*", "*")]) == {
        "holds": True,
        "records": 5,
        "suppressed": 1,
        "quasi_identifiers": ["age", "sex", "zip"],
        "not_looked_at": [],
        "classes": {"count": 2, "smallest": 2, "mean": 2.0, "largest": 2},
        "promises": [
            {
                "model": "k-anonymity",
                "parameters": {"k": 2},
                "on": ["age", "sex", "zip"],
                "holds": True,
                "achieved": {"k": 2},
                "violations": {"classes": 0, "records": 0},
            }
        ],
        "notes": [
            "there are fewer suppressed records than records in the smallest class: whoever is "
            "known to be in the table and fits no class is one of these few"
        ],
    }


def test_several_promises_on_several_sets_of_attributes() -> None:
    asked = [
        {"model": "k-anonymity", "k": 2},
        {"model": "k-anonymity", "k": 3, "on": ["sex"]},
        {"model": "k-anonymity", "k": 1, "on": ["zip"]},
    ]
    found = audit(frame_of([*GOOD, GOOD[0]]), asked, QUASI)
    assert [verdict.holds for verdict in found.promises] == [True, False, True]
    assert [verdict.on for verdict in found.promises] == [QUASI, ("sex",), ("zip",)]
    assert not found.holds
    table = found.frame()
    assert table["holds"].to_list() == [True, False, True]
    assert table["breaking_records"].to_list() == [0, 2, 0]


def test_the_promises_name_the_quasi_identifiers_where_nobody_else_does() -> None:
    asked = [Requirement("k-anonymity", {"k": 2}, on) for on in (("age",), ("sex", "age"))]
    assert audit(frame_of(GOOD), asked).quasi == ("age", "sex")


def test_one_quasi_identifier_by_its_name() -> None:
    assert audit(frame_of(GOOD), quasi="age").quasi == ("age",)


def test_without_a_promise_the_classes_are_described() -> None:
    found = audit(frame_of(GOOD), quasi=QUASI)
    assert found.holds
    assert found.classes.smallest == 2
    assert "nothing was checked" in found.notes[0]
    assert repr(found) == "<Audit: holds, 4 records>"
    assert found.frame().height == 0


def test_a_release_of_suppressed_records_only_has_no_class() -> None:
    found = audit(frame_of([("*", "*", "*")] * 3), [Requirement("k-anonymity", {"k": 5})], QUASI)
    assert found.holds
    assert (found.suppressed, found.classes.count) == (3, 0)
    assert found.promises[0].achieved == {"k": None}
    assert "no class to look at" in found.notes[0]


def test_a_star_in_some_attributes_is_a_value() -> None:
    found = audit(frame_of([("*", "*", "1"), ("*", "*", "1"), ("*", "*", None)]), quasi=QUASI)
    assert (found.suppressed, found.classes.count) == (0, 2)


def test_the_caller_s_frame_is_left_alone() -> None:
    table = frame_of(GOOD)
    before = table.clone()
    audit(table, quasi=QUASI)
    assert table.equals(before)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"model": "k-anonymty", "k": 5}, "did you mean 'k-anonymity'?"),
        ({"model": "k-anonymity"}, "needs 'k'"),
        ({"model": "k-anonymity", "k": 0}, "whole number of at least 1, not 0"),
        ({"model": "k-anonymity", "k": True}, "whole number of at least 1, not True"),
        ({"model": "k-anonymity", "k": 2.5}, "whole number of at least 1, not 2.5"),
        ({"model": "k-anonymity", "k": 5, "l": 2}, "has no parameter 'l'"),
        ({"model": "k-anonymity", "k": 5, "unit": "person"}, "counts people"),
        ({"model": "k-anonymity", "k": 5, "on": ["ag"]}, "did you mean 'age'?"),
    ],
)
def test_a_promise_that_cannot_be_checked(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        audit(frame_of(GOOD), [asked], QUASI)
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_quasi_identifiers_nobody_names() -> None:
    with pytest.raises(PolicyError, match="does not know the release's quasi-identifiers"):
        audit(frame_of(GOOD), [Requirement("k-anonymity", {"k": 2})])


def test_what_people_see() -> None:
    found = audit(frame_of([*GOOD, ("<b>", "F", "1")]), [{"model": "k-anonymity", "k": 2}], QUASI)
    outcome = "broken by 1 class with 1 record, achieved k=1"
    assert repr(found) == f"<Audit: broken, 5 records: k-anonymity(k=2) {outcome}>"
    assert repr(found.promises[0]) == "<Verdict: k-anonymity(k=2) broken, achieved k=1>"
    assert ("k-anonymity(k=2)", outcome) in found.summary_rows()
    assert ("class sizes", "1 to 2, 1.667 on average") in found.summary_rows()
    assert f"<td>{outcome}</td>" in found._repr_html_()
    assert "<b>" not in found._repr_html_()


def test_the_real_table_measures_what_is_known_of_it(shared: Path) -> None:
    known = json.loads((shared / "oracles" / "adult_model_values.json").read_text())
    table = shared / "data" / "adult" / "adult.csv"
    raw = [case for case in known["cases"] if "raw" in case["label"]]
    assert raw
    for case in raw:
        asked = Requirement("k-anonymity", {"k": 5})
        found = audit(table, [asked], case["quasi_identifiers"])
        assert found.records == case["rows"]
        assert found.classes.count == case["values"]["n_ec"]
        assert found.promises[0].achieved == {"k": case["values"]["k"]}


# The audit stands alone

FORBIDDEN = {"privacy", "recoding", "kernels", "microdata", "measures", "hierarchies", "analytics"}
SOURCE = Path(indistinct.__file__).parent


def imports_of(file: Path) -> set[str]:
    """The package's modules that a file imports, wherever in it the import stands."""
    package = ["indistinct", *file.relative_to(SOURCE).parts[:-1]]
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "indistinct"}


def file_of(module: str) -> Path | None:
    place = SOURCE.joinpath(*module.split(".")[1:])
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def reached_from(folder: Path) -> set[str]:
    """All modules of the package that the folder's files import, and these in turn."""
    reached: set[str] = set()
    waiting = set().union(*(imports_of(file) for file in folder.rglob("*.py")))
    while waiting:
        module = waiting.pop()
        reached.add(module)
        file = file_of(module)
        if file is not None and file != SOURCE / "__init__.py":
            waiting |= imports_of(file) - reached
    return reached


def test_the_audit_shares_no_code_with_what_made_the_release() -> None:
    reached = reached_from(SOURCE / "release" / "audit")
    assert "indistinct.errors" in reached
    shared = {name for name in reached if len(name.split(".")) > 1}
    assert not {name for name in shared if name.split(".")[1] in FORBIDDEN}
    outside = {name.split(".")[1] for name in shared} - {"release"}
    assert outside <= {"document", "errors", "metadata", "plugins", "requirement", "sources"}
    own = {name for name in shared if name.startswith("indistinct.release.")}
    assert all(name.startswith("indistinct.release.audit") for name in own)


def test_the_walk_over_imports_finds_what_it_should() -> None:
    assert "indistinct.microdata.frequencies" in reached_from(SOURCE / "privacy")


def test_every_model_has_a_check_in_a_file_of_its_name() -> None:
    folder = SOURCE / "release" / "audit"
    for model, check in checks().items():
        assert (folder / f"{model.replace('-', '_')}.py").is_file()
        assert model == check.MODEL


def test_the_order_of_rows_does_not_matter() -> None:
    rows: list[Row] = [(str(at % 7), "F", None) for at in range(50)]
    mixed = random.Random(1).sample(rows, len(rows))
    assert verdict_on(rows) == verdict_on(mixed)
