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
from hypothesis import assume, given
from hypothesis import strategies as st

import indistinct
from indistinct.errors import PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import promise
from indistinct.release.audit import audit, checks
from indistinct.release.audit.verdict import Context
from indistinct.requirement import Requirement
from indistinct.sources.text import ranks

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
    group = sum(all(row[at] == "*" for at in quasi) for row in rows)
    large = True if group >= k else None
    if expected:
        assert [one.holds for one in found.suppressed_group] == ([large] if group else [])
    elif group:
        # Where nobody else is, the suppressed records are the one class there is.
        expected, small = Counter({("*",): group}), [group] if group < k else []
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
    """Two programs that share no line say the same of the same classes.

    Where all cells are suppressed there are none; what the audit says then is tested by itself.
    """
    assume(not rows or {*rows} != {("*", "*", "*")})
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
        expected = expected or Counter(tampered)
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
    group = ("*", "*", "*")
    assert verdict_on([*GOOD, group, group]) == {
        "holds": True,
        "records": 6,
        "suppressed": 2,
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
        "suppressed_group": {
            "records": 2,
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
        },
        "notes": [],
    }
    alone = verdict_on([*GOOD, group])
    assert alone["holds"]
    assert alone["suppressed_group"]["promises"][0]["holds"] is None
    assert alone["notes"] == [
        "there are fewer suppressed records than records in the smallest class: a person "
        "in the table who fits no class is one of these few"
    ]


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


def test_the_classes_of_several_promises_are_told_apart_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranked = []

    def noted(texts: pl.Series) -> Any:
        ranked.append(texts.name)
        return ranks(texts)

    monkeypatch.setattr("indistinct.release.audit.verdict.ranks", noted)
    rows = pl.DataFrame({name: [*"aabb"] for name in ("sex", "area", "ill", "drug")})
    asked = [
        Requirement("distinct-l-diversity", {"l": 1}, sensitive=name) for name in ("ill", "drug")
    ]
    assert audit(rows, asked, ("sex", "area")).holds
    assert sorted(ranked) == ["area", "drug", "ill", "sex"]


@pytest.mark.parametrize(("rows", "engine"), [(2, "auto"), (3, "streaming")])
def test_tables_of_many_rows_are_counted_part_by_part(
    rows: int, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    collect = pl.LazyFrame.collect

    def noted(frame: pl.LazyFrame, **options: Any) -> Any:
        asked.append(options.get("engine"))
        return collect(frame, **options)

    monkeypatch.setattr("indistinct.release.audit.verdict.MANY", 2)
    monkeypatch.setattr(pl.LazyFrame, "collect", noted)
    records = pl.DataFrame({"sex": ["f"] * rows})
    assert Context(quasi=("sex",)).sizes(records, ("sex",)).to_list() == [rows]
    assert asked == [engine]


def test_plugins_are_asked_for_the_checks_that_are_not_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "indistinct.release.audit.plugins.find", lambda *given: asked.append(given[1])
    )
    rows = pl.DataFrame({"sex": [*"ff"]})
    assert audit(rows, [Requirement("k-anonymity", {"k": 2})], ("sex",)).holds
    assert asked == []
    with pytest.raises(PolicyError, match="no audit of a privacy model 'k-secrecy'"):
        audit(rows, [Requirement("k-secrecy", {"k": 2})], ("sex",))
    assert asked == ["k-secrecy"]


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
    for k, kept in ((3, True), (5, False)):
        asked = [Requirement("k-anonymity", {"k": k})]
        found = audit(frame_of([("*", "*", "*")] * 3), asked, QUASI)
        assert found.holds == kept == found.promises[0].holds
        assert (found.suppressed, found.classes.count) == (3, 0)
        assert found.promises[0].achieved == {"k": 3}
        assert found.suppressed_group == found.promises
        assert "there is no class" in found.notes[0]


OF_VALUES: list[dict[str, Any]] = [
    {"model": "distinct-l-diversity", "l": 2, "sensitive": "illness"},
    {"model": "max-posterior", "bound": 0.5, "sensitive": "illness"},
    {"model": "t-closeness", "t": 0.5, "sensitive": "illness"},
    {
        "model": "knm-anonymity",
        "k": {"1": 2, "4": 2},
        "sensitive": "illness",
    },
]
RANKS = {"illness": ValueMetadata(ranks={"HIV": 1, "flu": 4, "heart": 4, "back": 4, "skin": 4})}


def with_illness(*rows: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, {"age": pl.String, "illness": pl.String}, orient="row")


@pytest.mark.parametrize("asked", OF_VALUES, ids=lambda asked: str(asked["model"]))
def test_suppressed_records_of_one_value_break_what_the_classes_keep(asked: dict[str, Any]) -> None:
    """Whoever fits no class is one of six people with HIV, though every class is diverse."""
    classes = [(age, value) for age in ("20", "30") for value in ("flu", "heart", "back", "skin")]
    whole = with_illness(*classes * 3)
    assert audit(whole, [asked], ["age"], known=RANKS).holds
    found = audit(with_illness(*classes * 3, *[("*", "HIV")] * 6), [asked], ["age"], known=RANKS)
    assert found.promises[0].holds
    assert [one.holds for one in found.suppressed_group] == [False]
    assert found.suppressed_group[0].requirement.reference == "published"
    assert not found.holds
    assert [one.holds for one in found.kept_by_all] == [False]
    assert "suppressed records break" in repr(found)
    assert any("suppressed records" in label for label, _ in found.summary_rows())
    mixed = [("*", "flu"), ("*", "heart"), ("*", "back"), ("*", "skin")]
    assert audit(with_illness(*classes, *mixed), [asked], ["age"], known=RANKS).holds
    # What is not told of them breaks nothing.
    hidden = [("*", "*")] * 6
    assert audit(with_illness(*classes, *hidden), [asked], ["age"], known=RANKS).holds


def test_suppressed_records_are_judged_by_themselves_where_classes_keep_the_promise() -> None:
    rows = [*zip("111222", "xxyxyy", strict=True), *zip("****", "xyxy", strict=True)]
    asked = Requirement("t-closeness", {"t": 0.3}, sensitive="illness")
    found = audit(with_illness(*rows), [asked], ["age"])
    assert found.promises[0].achieved == pytest.approx({"t": 1 / 6})
    assert [one.achieved for one in found.suppressed_group] == [{"t": 0.0}]


def test_classes_are_compared_with_suppressed_records_as_well() -> None:
    """Alone they are like all others; beside so many who are suppressed they are not."""
    rows = [("1", "x"), ("1", "y"), *[("*", "x")] * 7, ("*", "y")]
    found = audit(
        with_illness(*rows), [Requirement("t-closeness", {"t": 0.2}, sensitive="illness")], ["age"]
    )
    assert found.promises[0].holds
    assert [one.holds for one in found.suppressed_group] == [False]
    assert found.suppressed_group[0].achieved == pytest.approx({"t": 0.3})


def test_eight_rows_of_stars_with_one_illness_keep_no_promise_about_it() -> None:
    asked = [part for part in OF_VALUES if part["model"] != "t-closeness"]
    found = audit(with_illness(*[("*", "HIV")] * 8), asked, ["age"], known=RANKS)
    assert [one.holds for one in found.promises] == [False] * 3
    assert not found.holds


def test_half_of_the_table_s_values_are_asked_of_suppressed_records_too() -> None:
    """Of the published table, not of the group."""
    asked = {"model": "knm-anonymity", "k": {"1": 2, "4": 2}, "sensitive": "illness"}
    values = ("flu", "heart", "back", "skin", "HIV", "a", "b", "c")
    known = {"illness": ValueMetadata(ranks=dict.fromkeys(values, 4))}
    classes = [("20", value) for value in values]
    for shown, kept in ((values[:4], True), (values[:2], False)):
        rows = with_illness(*classes, *(("*", value) for value in shown))
        (group,) = audit(rows, [asked], ["age"], known=known).suppressed_group
        assert group.holds == kept


def test_what_cannot_be_said_of_suppressed_records() -> None:
    """A group about one person of a population, and what a value without a rank asks for."""
    people = pl.DataFrame({"age": ["20", "20", "30"]})
    rows = with_illness(("20", "flu"), ("20", "heart"), ("*", "odd"), ("*", "odd"))
    asked = [
        {"model": "k-map", "k": 2},
        {"model": "knm-anonymity", "k": {"4": 2}, "sensitive": "illness"},
    ]
    found = audit(rows, asked, ["age"], known=RANKS, population=people)
    assert [one.holds for one in found.suppressed_group] == [None, None]
    assert found.holds
    assert repr(found.suppressed_group[0]) == "<Verdict: k-map(k=2) not verifiable>"
    assert {(one.breaking_classes, one.breaking_records) for one in found.suppressed_group} == {
        (0, 0)
    }
    assert {one.note for one in found.suppressed_group} == {""}
    assert ("k-map(k=2), suppressed records", "not verifiable") in found.summary_rows()
    document = found.to_dict()["suppressed_group"]
    assert [part["holds"] for part in document["promises"]] == [None, None]
    # Where all are suppressed, they stand for everybody.
    alone = audit(rows[2:], asked[:1], ["age"], population=people)
    assert alone.promises[0].achieved == {"k": 3}


def test_items_of_suppressed_people_are_items_of_the_release() -> None:
    """A combination of items that a suppressed person alone has is had by one person."""
    rows = [("a", "20", "flu"), ("b", "20", "flu"), ("c", "*", "HIV"), ("d", "*", "flu")]
    table = pl.DataFrame(
        rows, {"who": pl.String, "age": pl.String, "item": pl.String}, orient="row"
    )
    asked = {"model": "km-anonymity", "k": 2, "m": 1, "sensitive": "item", "unit": "person"}
    found = audit(table, [asked], ["age"], person="who")
    assert [one.holds for one in found.suppressed_group] == [False]
    assert audit(table[:2], [asked], ["age"], person="who").holds
    flu = audit(table.with_columns(item=pl.lit("flu")), [asked], ["age"], person="who")
    assert [one.achieved for one in flu.suppressed_group] == [{"k": 4, "m": 1}]


@pytest.mark.parametrize(
    ("model", "kept", "broken"), [("average-risk", 0.5, 0.4), ("sample-uniqueness", 2 / 6, 0.3)]
)
def test_the_suppressed_are_a_class_of_what_all_classes_keep_together(
    model: str, kept: float, broken: float
) -> None:
    """Four people of 20, one of 30, and whoever is neither: three classes of six, two unique."""
    rows = pl.DataFrame({"age": ["20"] * 4 + ["30", "*"]})
    for bound, holds in ((kept, True), (broken, False)):
        found = audit(rows, [{"model": model, "bound": bound}], ["age"])
        assert found.promises[0].holds
        assert [(one.holds, one.achieved) for one in found.suppressed_group] == [
            (holds, {"bound": kept})
        ]
        assert found.holds == holds


def test_suppressed_records_are_counted_apart_from_the_classes() -> None:
    """One record of 20, which is too few, and two suppressed ones."""
    asked = {"model": "k-anonymity", "k": 2}
    found = audit(pl.DataFrame({"age": ["20", "*", "*"]}), [asked], ["age"])
    assert [one.holds for one in found.promises] == [False]
    assert [(one.holds, one.achieved) for one in found.suppressed_group] == [(True, {"k": 2})]


def test_suppressed_people_of_linked_tables() -> None:
    """Too few to say how many people they might be; their bucket has values of others as well."""
    tables = {
        "quasi": pl.DataFrame({"age": ["20", "20", "*"], "bucket": ["1", "1", "1"]}),
        "sensitive": pl.DataFrame({"bucket": ["1"] * 3, "illness": ["flu", "heart", "HIV"]}),
    }
    asked = [
        {"model": "k-anonymity", "k": 2, "unit": "person"},
        {"model": "max-posterior", "bound": 0.5, "sensitive": "illness", "unit": "person"},
    ]
    found = audit(tables, asked, ["age"])
    assert [one.holds for one in found.suppressed_group] == [None, None]
    assert (found.suppressed, found.people) == (1, 2)
    assert (found.promises[0].holds, found.promises[0].achieved) == (True, {"k": 2})
    alone = audit(
        {**tables, "quasi": tables["quasi"].with_columns(age=pl.lit("*"))}, asked, ["age"]
    )
    assert [one.holds for one in alone.promises] == [True, True]
    assert (alone.suppressed, alone.classes.count, alone.people) == (3, 0, 0)
    assert alone.suppressed_group == alone.promises
    nobody = audit({name: part.clear() for name, part in tables.items()}, asked, ["age"])
    assert (nobody.suppressed_group, nobody.people) == ((), 0)


@pytest.mark.parametrize(("ages", "suppressed"), [(["20", "20"], 0), (["20", "*"], 1)])
def test_of_how_many_people_suppressed_records_are(ages: list[str], suppressed: int) -> None:
    rows = pl.DataFrame({"who": ["a", "b"], "age": ages})
    found = audit(rows, [], ["age"], person="who")
    assert (found.people, found.suppressed_people) == (2 - suppressed, suppressed)


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
    assert "people" not in dict(found.summary_rows())
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
    assert outside <= {
        "document",
        "errors",
        "frozen",
        "metadata",
        "plugins",
        "requirement",
        "sources",
        "text_encodings",
        "types",
        "warning_kinds",
    }
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


def test_records_show_a_part_of_differential_privacy_alone() -> None:
    asked = [
        {"model": "differential-privacy", "epsilon": 1.0, "delta": 0.01, "search": 0.0},
        {"model": "k-anonymity", "k": 5},
    ]
    found = audit(frame_of([("1", "2", "1")] * 500), asked, QUASI)
    assert found.holds
    assert [item.get("in_part") for item in found.to_dict()["promises"]] == [True, None]
    assert "levels chosen by chance they cannot show" in found.promises[0].note
