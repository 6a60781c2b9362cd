"""What an attacker tries: to split classes, to find what was left out, to fool the audit."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.errors import DataError

LONG = "a text that is far too long to stand beside its length"
LETTERS = list("abcdefgh")


def policy(method: dict[str, Any] | None = None, **changes: Any) -> ind.Policy:
    """Two-anonymity on x; w is published as it is."""
    keys: dict[str, Any] = {
        "attributes": {
            "x": {"role": "quasi-identifier", "max_level": 0},
            "w": {"role": "insensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": method or {},
    }
    return ind.Policy.from_dict(keys | changes)


def engines(frame: pl.DataFrame) -> dict[str, Any]:
    arrow = frame.to_arrow()
    return {
        "polars": frame,
        "pandas": frame.to_pandas(),
        "pyarrow": arrow,
        "duckdb": duckdb.from_arrow(arrow),
    }


def cells(table: Any, column: str) -> list[Any]:
    if isinstance(table, duckdb.DuckDBPyRelation):
        return [row[0] for row in table.project(f'"{column}"').fetchall()]
    values = table[column]
    found: list[Any] = values.to_pylist() if isinstance(table, pa.Table) else values.to_list()
    return found


# Splitting a class ------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["polars", "pandas", "pyarrow", "duckdb"])
def test_minus_zero_does_not_split_the_class_of_zero(engine: str) -> None:
    frame = pl.DataFrame({"x": [0.0, -0.0, -0.0, 1.5, 1.5], "w": LETTERS[:5]})
    table = ind.anonymize(engines(frame)[engine], policy()).tables
    assert Counter(map(repr, cells(table, "x"))) == {"0.0": 3, "1.5": 2}


@pytest.mark.parametrize("kind", ["object", "category"])
def test_objects_of_one_text_are_published_as_one_value(kind: str) -> None:
    values = pd.Series([39, "39", 39, "39", "40", 40.0], dtype=object).astype(kind)
    table = ind.anonymize(pd.DataFrame({"x": values, "w": LETTERS[:6]}), policy()).tables
    assert {(type(value), value) for value in table["x"]} == {(int, 39), (int, 40)}


def test_values_that_a_collation_takes_for_equal_are_published_as_one() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE, w VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [("A", "1"), ("a", "2"), ("A", "3")])
    table = ind.anonymize(connection.table("t"), policy()).tables
    assert len({row[0] for row in table.fetchall()}) == 1


@pytest.mark.parametrize("engine", ["polars", "pyarrow", "duckdb"])
def test_a_fraction_of_a_second_is_part_of_a_time(engine: str) -> None:
    times = [dt.time(12, 0, 0, 1), dt.time(12, 0, 0, 2)] * 3
    frame = pl.DataFrame({"x": times, "w": LETTERS[:6]})
    release = ind.anonymize(engines(frame)[engine], policy())
    assert release.certificate.classes["count"] == 2
    alone = pl.DataFrame({"x": [dt.time(12), dt.time(12, 0, 0, 500)], "w": ["a", "b"]})
    assert not ind.audit(alone, promises=[{"model": "k-anonymity", "k": 2}], quasi=["x"]).holds


@pytest.mark.parametrize(
    "values",
    [
        ["a", "a", "a ", "a ", " ", " "],
        ["\ufeffa", "\ufeffa", "a", "a", "a", "a"],
        ["é", "é", "e\u0301", "e\u0301", "E", "E"],
        ["1e1", "1e1", "10", "10", "10.0", "10.0"],
        ["a\rb", "a\rb", 'a"b', 'a"b', "a,b\n", "a,b\n"],
        ["*", "*", "[20, 30)", "[20, 30)", "NA", "NA"],
    ],
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_shows_the_classes_that_its_certificate_counts(
    values: list[str], form: str, tmp_path: Path
) -> None:
    frame = pl.DataFrame({"x": values, "w": LETTERS[:6]})
    for number in range(3):  # in several orders
        release = ind.anonymize(frame, policy(output={"format": form}))
        found = ind.audit(release.write(tmp_path / str(number)))
        assert found.holds
        assert found.agrees
        expected = len(set(values) - {"*"})
        assert found.classes.count == release.certificate.classes["count"] == expected


def test_a_neutralized_file_is_certified_as_it_was_written(tmp_path: Path) -> None:
    frame = pl.DataFrame({"=x": ["=a", "=a", "'=a", "'=a", "b", "b"], "w": LETTERS[:6]})
    chosen = policy(
        attributes={"=x": {"role": "quasi-identifier"}, "w": {"role": "insensitive"}},
        output={"spreadsheet_safe": True},
    )
    out = ind.anonymize(frame, chosen).write(tmp_path / "out")
    found = ind.audit(out)
    assert found.holds
    assert found.classes.count == 2


# What is left out, and what lies beneath ----------------------------------------------------------


def test_a_pickle_holds_no_text_of_a_record_left_out_nor_a_value_generalized_away() -> None:
    left_out = pl.DataFrame({"x": ["1"] * 10 + ["2"], "w": ["short"] * 10 + [LONG]})
    raw = pl.DataFrame({"x": [f"{LONG} {i}" for i in range(10)], "w": ["short"] * 10})
    generalized = policy(
        attributes={"x": {"role": "quasi-identifier"}, "w": {"role": "insensitive"}}
    )
    for frame, chosen in ((left_out, policy({"suppression_limit": 0.2})), (raw, generalized)):
        for engine in ("polars", "pandas", "pyarrow"):
            table = ind.anonymize(engines(frame)[engine], chosen).tables
            assert table.shape[0] == 10
            assert LONG.encode() not in pickle.dumps(table)


@pytest.mark.parametrize("engine", ["polars", "pandas", "pyarrow"])
def test_a_slice_does_not_hand_its_source_on(engine: str) -> None:
    whole = pl.DataFrame({"x": ["a"] * 100, "w": [f"{LONG} {i}" for i in range(100)]})
    given = engines(whole)[engine]
    part = given.iloc[10:16] if engine == "pandas" else given.slice(10, 6)
    table = ind.anonymize(part, policy(output={"shuffle": False})).tables
    assert pickle.dumps(table).count(LONG.encode()) == 6


def marked(engine: str) -> Any:
    """A table with a record that is left out, and texts wherever a frame keeps any."""
    x, w = ["1"] * 10 + ["2"], [*"abababab", "a", "b", LONG]
    if engine == "pandas":
        frame = pd.DataFrame({"x": x, "w": pd.Categorical(w)}, index=[LONG + str(at) for at in x])
        frame.index.name = frame.columns.name = LONG
        frame.attrs["of"] = LONG
        return frame
    if engine == "pyarrow":
        columns = [pa.array(x), pa.array(w).dictionary_encode()]
        fields = [
            pa.field(name, column.type, metadata={LONG: LONG})
            for name, column in zip("xw", columns, strict=True)
        ]
        return pa.table(columns, schema=pa.schema(fields, metadata={LONG: LONG}))
    kind = pl.Enum([*"ab", LONG]) if engine == "enum" else pl.Categorical
    return pl.DataFrame({"x": x, "w": w}).with_columns(pl.col("w").cast(kind))


@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "enum", "categories"])
def test_labels_and_metadata_of_a_frame_stay_behind(engine: str, tmp_path: Path) -> None:
    for form in ("csv", "parquet"):
        asked = policy({"suppression_limit": 0.2}, output={"format": form})
        release = ind.anonymize(marked(engine), asked)
        held = [pickle.dumps(release.tables), repr(release).encode()]
        held += [release._repr_html_().encode(), release.report(public=True).encode()]
        if isinstance(release.tables, pa.Table):
            held.append(release.tables.schema.to_string(show_schema_metadata=True).encode())
        out = release.write(tmp_path / form)
        held += [path.read_bytes() for path in out.iterdir() if path.is_file()]
        assert len(held) >= 7
        assert not any(LONG.encode() in one for one in held)


def test_values_under_missing_ones_are_wiped() -> None:
    frame = pd.DataFrame({"x": ["a"] * 6, "w": pd.array([123456789] * 6, dtype="Int64")})
    frame.loc[1:, "w"] = pd.NA
    table = ind.anonymize(frame, policy()).tables
    assert pickle.dumps(table).count((123456789).to_bytes(8, "little")) == 1
    assert table["w"].isna().sum() == 5


# DuckDB ------------------------------------------------------------------------------------------


def test_a_transformed_identifier_stays_with_its_record_whatever_order_a_query_answers_in() -> None:
    connection = duckdb.connect()
    connection.execute("SET threads = 4")
    connection.execute(
        "CREATE TABLE t AS SELECT 'P' || (100000 + i) AS name, i % 7 AS x, i AS w"
        " FROM range(60000) r(i)"
    )
    unordered = connection.sql("SELECT name, max(x) AS x, max(w) AS w FROM t GROUP BY name")
    attributes = {
        "name": {"role": "identifier", "transform": {"mask": {"keep": 6, "from": "left"}}},
        "x": {"role": "quasi-identifier"},
        "w": {"role": "insensitive"},
    }
    rows = ind.anonymize(unordered, policy(attributes=attributes)).tables.fetchall()
    assert len(rows) == 60_000
    assert all(int(name[1:]) == 100_000 + w for name, _, w in rows)


@pytest.mark.parametrize("engine", ["polars", "pandas", "pyarrow", "duckdb"])
def test_every_order_is_as_likely(engine: str) -> None:
    given = engines(pl.DataFrame({"x": ["a"] * 3, "w": [0, 1, 2]}))[engine]
    times = 60
    orders = Counter(
        tuple(cells(ind.anonymize(given, policy({"seed": seed})).tables, "w"))
        for seed in range(times)
    )
    assert len(orders) == 6
    expected = times / 6
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 25  # p < 0.0002


# Names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["count", "indistinct count", "value", "row", "index", "(other columns)", ' a"b\n,c', "Count"],
)
def test_columns_may_have_the_names_that_we_use_ourselves(name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({name: list("aaabbb"), "w": LETTERS[:6]})
    attributes = {name: {"role": "quasi-identifier"}, "w": {"role": "insensitive"}}
    for engine, given in engines(frame).items():
        for at, method in enumerate(
            ({}, {"algorithm": "iab"}, {"objective": "rows"}, {"decoys": {"to": 4}})
        ):
            release = ind.anonymize(given, policy(method, attributes=attributes))
            assert ind.audit(release.write(tmp_path / f"{engine}{at}")).holds


@pytest.mark.parametrize("name", ["*", "^x.*$"])
def test_names_that_are_patterns_are_refused(name: str) -> None:
    frame = pl.DataFrame({name: ["a", "b"], "x": ["a", "a"]})
    for given in (frame, frame.to_pandas()):
        with pytest.raises(DataError, match="pattern"):
            ind.audit(given, promises=[{"model": "k-anonymity", "k": 2}], quasi=["x"])
        with pytest.raises(DataError, match="pattern"):
            ind.anonymize(given, policy())


# Errors and files --------------------------------------------------------------------------------


def test_a_column_of_many_types_is_written_and_told_without_its_values(tmp_path: Path) -> None:
    values = pd.Series([1, LONG, None, 2.5, True, dt.date(2020, 1, 1)], dtype=object)
    frame = pd.DataFrame({"x": ["a"] * 6, "w": values})
    out = ind.anonymize(frame, policy()).write(tmp_path / "out")
    assert LONG in (out / "release.csv").read_text()
    frame["w"] = pd.Series([f"{LONG} \ud800"] * 6, dtype=object)
    with pytest.raises(DataError, match="'w'") as raised:
        ind.anonymize(frame, policy())
    assert LONG not in str(raised.value)


def test_private_files_are_closed_each_by_itself(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": ["a"] * 3, "w": LETTERS[:3]})
    out = ind.anonymize(frame, policy()).write(tmp_path / "out")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (out / "private").iterdir()}
    assert set(modes) >= {"run.json", "plan.json"}
    assert set(modes.values()) == {0o600}


# The audit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['x,w\na,1\n"a ",2\nb,3\nb,4\n', 'x,w\n,1\n"",2\nb,3\nb,4\n'])
def test_cells_that_differ_in_blanks_or_quotes_alone_are_two_classes(
    text: str, tmp_path: Path
) -> None:
    file = tmp_path / "release.csv"
    file.write_text(text)
    found = ind.audit(file, promises=[{"model": "k-anonymity", "k": 2}], quasi=["x"])
    assert not found.holds
    assert found.classes.count == 3


def test_blanks_that_tell_nothing_apart_do_not_count(tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    file.write_text("x, y, w\na, *, 1\na, *, 2\n*, *, 3\n")
    found = ind.audit(file, promises=[{"model": "k-anonymity", "k": 2}], quasi=["x", "y"])
    assert found.holds
    assert found.suppressed == 1


@pytest.mark.parametrize("values", [[39, "39"], [True, "true"], [None, float("nan")]])
def test_objects_of_several_kinds_are_told_apart(values: list[Any]) -> None:
    frame = pd.DataFrame({"x": pd.Series([*values, "z", "z", 1.5, 1.5], dtype=object)})
    found = ind.audit(frame, promises=[{"model": "k-anonymity", "k": 2}], quasi=["x"])
    assert not found.holds


def certified(folder: Path, files: dict[str, str], **changes: Any) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    tables = [
        {
            "path": name,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "rows": text.count("\n") - 1,
        }
        for name, text in files.items()
    ]
    promise = {"model": "k-anonymity", "parameters": {"k": 2}, "on": ["x"]}
    document = {"quasi_identifiers": ["x"], "promises": [promise], "tables": tables} | changes
    (folder / "certificate.json").write_text(json.dumps(document))
    return folder


def test_an_audit_without_a_promise_does_not_pass(tmp_path: Path) -> None:
    folder = certified(tmp_path, {"release.csv": "x,w\na,1\nb,2\n"}, promises=[])
    result = CliRunner().invoke(app, ["audit", str(folder)])
    assert result.exit_code == 2
    assert "nothing was checked" in result.stderr


def test_an_audit_says_what_it_did_not_look_at(tmp_path: Path) -> None:
    files = {"release.csv": "x,zip,w\na,81667,1\na,81668,2\n", "more.csv": "zip\n81667\n81668\n"}
    folder = certified(tmp_path, files)
    (folder / "people.csv").write_text("name,zip\nBo,81667\n")
    found = ind.audit(folder)
    assert found.to_dict()["not_looked_at"] == ["zip", "w"]
    assert any("'more.csv'" in note for note in found.notes)
    assert any("'people.csv'" in note for note in found.notes)
    asked = ind.audit(folder, promises=[{"model": "k-anonymity", "k": 2}], quasi=["x", "zip"])
    assert not asked.holds
    assert any("other quasi-identifiers" in note for note in asked.notes)
    result = CliRunner().invoke(app, ["audit", str(folder)])
    assert "zip, w" in result.stdout


# What else is published ---------------------------------------------------------------------------


def ages(n: int = 1_000) -> pl.DataFrame:
    random = np.random.default_rng(0)
    born = random.integers(1930, 2005, n)
    return pl.DataFrame(
        {
            "x": 2024 - born,
            "born": born,
            "old": born < 1950,
            "ward": random.choice(list("abcd"), n),
            "name": [f"Person {at:04}" for at in range(n)],
        }
    )


@pytest.mark.parametrize("engine", ["polars", "pandas", "duckdb"])
def test_a_column_that_gives_a_generalized_one_away_draws_a_warning(engine: str) -> None:
    age = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}}
    attributes = {
        "x": age | {"min_level": 1},
        "born": {"role": "insensitive"},
        "old": {"role": "insensitive"},
        "ward": {"role": "sensitive"},
        "name": {"role": "identifier"},
    }
    given = engines(ages())[engine]
    told = [w for w in ind.anonymize(given, policy(attributes=attributes)).warnings if "'x'" in w]
    assert len(told) == 1
    assert "'born'" in told[0]
    attributes["x"] = age | {"max_level": 0}
    loose = policy({"suppression_limit": 0.5}, attributes=attributes)
    assert not [w for w in ind.anonymize(given, loose).warnings if "determines" in w]


def test_a_mask_that_keeps_too_much_draws_a_warning() -> None:
    def warned(keep: int) -> bool:
        attributes = {
            "x": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "born": {"role": "identifier"},
            "old": {"role": "insensitive"},
            "ward": {"role": "sensitive"},
            "name": {
                "role": "identifier",
                "transform": {"mask": {"keep": keep, "from": "left"}},
            },
        }
        warnings = ind.anonymize(ages(), policy(attributes=attributes)).warnings
        return any("mask" in warning and "'name'" in warning for warning in warnings)

    assert warned(4)
    assert not warned(1)


def test_decoys_that_can_be_told_apart_draw_a_warning() -> None:
    n = 60
    frame = pl.DataFrame(
        {
            "x": [at // 5 for at in range(n)],
            "ward": ["cardiology", "surgery", "oncology"] * (n // 3),
            "floor": [1, 2, 3] * (n // 3),
            "cost": [at + 0.5 for at in range(n)],
        }
    )
    attributes = {
        "x": {"role": "quasi-identifier", "max_level": 0},
        "ward": {"role": "sensitive"},
        "floor": {"role": "insensitive"},
        "cost": {"role": "insensitive"},
    }
    chosen = policy({"decoys": {"to": 8, "limit": 0.5}}, attributes=attributes)
    for given in (frame, frame.to_pandas()):
        warnings = ind.anonymize(given, chosen).warnings
        assert any("apart" in warning and "'cost'" in warning for warning in warnings)
        assert any("'ward' and 'floor'" in warning for warning in warnings)
