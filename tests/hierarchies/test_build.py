from __future__ import annotations

import copy
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError, PolicyError
from indistinct.hierarchies import (
    BUILDERS,
    Taxonomy,
    build_taxonomy,
    describe,
    preview,
    validate_spec,
)

HERE = Path()


def build(spec: Any, values: Sequence[str | None], **settings: Any) -> Taxonomy:
    counts = settings.pop("counts", [1] * len(values))
    settings.setdefault("directory", HERE)
    return build_taxonomy("x", spec, values, counts, **settings)


@pytest.mark.parametrize(
    ("spec", "values", "top"),
    [
        (None, ["a", "b"], "*"),
        ("suppress", ["a", "b"], "*"),
        ({"intervals": {"width": 5}}, ["1", "7"], "*"),
        ({"intervals": 5}, ["1", "7"], "*"),
        ({"intervals": {"breaks": [0, 5]}}, ["1", "7"], "*"),
        ({"equal_frequency": 2}, ["1", "7"], "*"),
        ({"equal_frequency": {"bins": 2, "levels": 1}}, ["1", "7"], "*"),
        ({"mask": {"from": "left"}}, ["12", "13"], "**"),
        ({"date": {}}, ["2024-01-01"], "*"),
        ({"date": {"format": "day-first", "levels": ["year"]}}, ["1.1.2024"], "*"),
        ({"date": ["year"]}, ["2024-01-01"], "*"),
        ({"order": ["a", "b", "c"]}, ["a", "b"], "*"),
        ({"order": {"values": ["a", "b"], "run": 2}}, ["a", "b"], "*"),
        ({"code_system": "icd-10"}, ["A00.1", "b99"], "*"),
        ({"code_system": {"name": "icd-9-cm", "levels": ["block"]}}, ["250", "E800.1"], "*"),
        ({"tree": {"all": ["a", "b"]}}, ["a", "b"], "all"),
    ],
)
def test_every_builder_covers_its_values(spec: Any, values: list[str], top: str) -> None:
    before = copy.deepcopy(spec)
    assert validate_spec(spec) == []
    taxonomy = build(spec, values)
    assert all(taxonomy.covers(value) for value in values)
    assert taxonomy.root == top
    assert not taxonomy.covers(None)
    with_missing = build(spec, [*values, None])
    assert with_missing.generalize(None, 0) is None
    assert with_missing.generalize(None, with_missing.height) == top
    suppressed = build(spec, [*values, None], missing="suppress")
    assert suppressed.generalize(None, 0) == "*"
    assert spec == before


def test_files_are_relative_to_the_policys_folder(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a|*\nb|*\n")
    for spec in ({"file": "h.csv"}, {"file": "h.csv", "separator": "|", "encoding": "utf-8"}):
        assert build(spec, ["a"], directory=tmp_path).leaves == ("a", "b")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("supress", "no hierarchy 'supress'"),
        ("h.csv", "{ file = "),
        (5, "must be a table"),
        ({}, "names no builder"),
        ({"interval": {"width": 5}}, "did you mean 'intervals'?"),
        ({"file": "h.csv", "seperator": ";"}, "did you mean 'separator'?"),
        ({"file": 5}, "name of a file"),
        ({"file": "h.csv", "separator": "; "}, "one sign"),
        ({"file": "h.csv", "encoding": 5}, "must be a text"),
        ({"separator": ";"}, "no hierarchy builder 'separator'"),
        ({"mask": {}, "date": {}}, "one hierarchy, but mask and date are given"),
        ({"intervals": {"widht": 5}}, "did you mean 'width'?"),
        ({"mask": True}, "table of settings"),
        ({"mask": {"side": "left"}}, "no setting 'side'"),
        ({"equal_frequency": {}}, "number of bins"),
        ({"equal_frequency": 0}, "at least 1"),
        ({"intervals": {"width": 5, "levels": 2**31}}, "a whole number from 1 to 100, not 2147"),
        ({"intervals": {"width": 5, "digits": 10**20}}, "digits must be a whole number from 0"),
        ({"order": {"values": ["a", "b"], "levels": 10**20}}, "from 1 to 100, not 1000"),
        ({"equal_frequency": {"bins": 2, "levels": 101}}, "from 1 to 100, not 101"),
        ({"tree": {"a": 5}}, "list or a table"),
        ({"date": {"levels": ["weeks"]}}, "no level 'weeks'"),
        ({"order": []}, "list of texts"),
        ({"code_system": "icd-9"}, "did you mean 'icd-9-cm'?"),
        ({"code_system": {"levels": ["block"]}}, "no code system None"),
        (
            {"code_system": {"name": "icd-10", "levels": ["chapter", "block"]}},
            "from fine to coarse",
        ),
        ({"code_system": {"name": "icd-10", "levels": ["blocks"]}}, "did you mean 'block'?"),
        ({"code_system": {"name": "icd-10", "levels": "block"}}, "levels must be a list"),
        ({"code_system": {"name": "icd-10", "level": 1}}, "did you mean 'levels'?"),
        ({"code_system": 10}, "table of settings"),
    ],
)
def test_specifications_that_make_no_sense(spec: Any, told: str) -> None:
    problems = validate_spec(spec, "x")
    assert any(told in str(problem) for problem in problems)
    assert all(problem.attribute == "x" for problem in problems)
    with pytest.raises(PolicyError) as error:
        build(spec, ["a"])
    assert told in str(error.value)


@pytest.mark.parametrize(
    "spec",
    [
        {"intervals": dict.fromkeys(("origin", "factor", "digits", "top")) | {"width": 5}},
        {"mask": {"step": None, "from": None}},
        {"equal_frequency": {"bins": 2, "ends": None}},
    ],
)
def test_a_setting_that_is_none_is_as_if_left_out(spec: dict[str, dict[str, Any]]) -> None:
    ((name, settings),) = spec.items()
    said = {key: value for key, value in settings.items() if value is not None}
    values = ["31", "42"]
    assert build(spec, values).rows() == build({name: said}, values).rows()


def test_all_wrong_settings_are_told_at_once() -> None:
    assert len(validate_spec({"intervals": {"widht": 5, "factor": 1, "style": "x"}})) == 4


def test_uncovered_values_are_rows_not_values() -> None:
    asked: list[Sequence[str | None]] = []

    def rows_of(values: Sequence[str | None]) -> tuple[int, ...]:
        asked.append(values)
        return (3, 17)

    spec = {"tree": {"all": ["a"]}}
    with pytest.raises(HierarchyError) as error:
        build(spec, ["a", "secret", None, "hidden"], rows_of=rows_of)
    assert asked == [["secret", "hidden"]]
    text = str(error.value)
    assert "attribute 'x', rows 3, 17: 2 distinct values are not in the hierarchy" in text
    assert "uncovered" in text
    assert "secret" not in text
    taxonomy = build(spec, ["a", "secret"], uncovered="suppress")
    assert taxonomy.level(0) == ("a", "*")
    assert taxonomy.leaf_count("*") == 2


def test_values_that_a_builder_cannot_place() -> None:
    for spec in ({"intervals": 5}, {"equal_frequency": 2}, {"date": {}}):
        good = "2024-01-01" if "date" in spec else "3"
        with pytest.raises(HierarchyError, match=r"row 9: 1 distinct value cannot be read as a"):
            build(spec, [good, "?"], rows_of=lambda _: (9,))
        taxonomy = build(spec, ["?", good, None], uncovered="suppress", counts=[5, 1, 1])
        assert taxonomy.generalize("?", 0) == "*"
        assert taxonomy.generalize(good, 0) == good
    with pytest.raises(HierarchyError, match="whole number"):
        build({"intervals": {"width": 5, "style": "range"}}, ["1.5"])


def test_a_star_in_the_data_is_a_suppressed_value() -> None:
    for spec in (None, {"intervals": 5}, {"mask": {}}):
        taxonomy = build(spec, ["12", "*", "34"])
        assert taxonomy.generalize("*", 0) == "*"
        assert taxonomy.leaf_count("*") == 3


def test_columns_without_usable_values() -> None:
    assert build(None, [None]).rows() == [(None, "*")]
    assert build({"intervals": 5}, [None], missing="suppress").level(0) == ("*",)
    assert build({"date": {}}, ["?", None], uncovered="suppress").leaves == (None, "?")
    with pytest.raises(HierarchyError, match="no values"):
        build(None, [])


def test_the_order_in_which_an_engine_counts_does_not_matter() -> None:
    values = ["10", "9", "100", None, "x1"]
    for spec in (None, {"mask": {}}, {"intervals": 5}):
        one = build(spec, values, uncovered="suppress", counts=[1, 2, 3, 4, 5])
        other = build(spec, values[::-1], uncovered="suppress", counts=[5, 4, 3, 2, 1])
        assert one == other


def test_a_hundred_thousand_zip_codes() -> None:
    values = [f"{n:05d}" for n in range(100_000)]
    table = build({"mask": {}}, values).compile()
    assert table.card.tolist() == [100_000, 10_000, 1000, 100, 10, 1]


@given(
    st.lists(
        st.none() | st.text("0123456789.-ab*", min_size=1, max_size=4), min_size=1, unique=True
    ),
    st.sampled_from([None, {"intervals": 5}, {"equal_frequency": 3}, {"mask": {}}, {"date": {}}]),
    st.sampled_from(["value", "suppress"]),
    st.data(),
)
def test_whatever_the_values_everything_is_covered_and_nested(
    values: list[str | None], spec: Any, missing: str, data: st.DataObject
) -> None:
    counts = data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    taxonomy = build(spec, values, counts=counts, missing=missing, uncovered="suppress")
    assert set(taxonomy.leaves) == set(values)
    table = taxonomy.compile()
    for lower, upper in pairwise(table.code):
        above: dict[int, int] = {}
        assert all(
            above.setdefault(a, b) == b for a, b in zip(lower.tolist(), upper.tolist(), strict=True)
        )
    assert (table.leaves[1:] >= table.leaves[:-1]).all()
    assert sorted(table.order.tolist()) == list(range(len(values)))


def test_every_builder_is_named() -> None:
    names = ("file", "intervals", "equal_frequency", "mask", "date", "order", "code_system", "tree")
    assert names == BUILDERS


class TestPreview:
    def test_a_line_per_level_and_one_for_missing_values(self) -> None:
        lines = describe(build({"intervals": 5}, [*map(str, range(40)), None]))
        assert lines == [
            "x: 41 values, 4 levels, root '*'",
            "level 0: 41 labels: 0, 1, 2, …, (missing)",
            "level 1: 9 labels: [0, 5), [5, 10), [10, 15), …, (missing)",
            "level 2: 5 labels: [0, 10), [10, 20), [20, 30), [30, 40), (missing)",
            "level 3: 1 label: *",
            "a missing value is published as (missing), then *",
        ]

    def test_suppressed_values_and_no_root(self) -> None:
        taxonomy = Taxonomy("x", [("a", "b"), ("c", "d")]).extended("suppress")
        assert describe(taxonomy)[0] == "x: 3 values, 2 levels, no common root"
        assert describe(taxonomy)[-1] == (
            "suppressed on every level: 1 value, the missing value among them"
        )

    def test_rows(self) -> None:
        taxonomy = build(None, ["a", "b", None])
        assert preview(taxonomy, 1) == [("a", "*")]
        assert preview(taxonomy, 0)[-1] == ("(missing)", "*")


@pytest.mark.parametrize("word", ["intervals", "equal_frequency", "mask", "date", "code_system"])
def test_the_name_of_a_builder_alone_is_told_how_to_write_it(word: str) -> None:
    (problem,) = validate_spec(word)
    told = str(problem.remedy).partition("write ")[2]
    assert word in told
    assert validate_spec(tomllib.loads(told)["hierarchy"]) == []
