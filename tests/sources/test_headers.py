"""Names of columns that are the cells of a record: refused, whatever holds the table."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.sources.conftest import Engine
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.errors import DataError
from indistinct.sources.headers import header_problems
from indistinct.sources.scan import scan
from indistinct.verbs.workbench import workbench

duckdb = pytest.importorskip("duckdb")

NAMES = ["Zq7secret", "34", "HIV"]
"""The first record of a file without a header, which a program took for its header."""
TABLE = pl.DataFrame(
    {
        "Zq7secret": [f"P{at}" for at in range(60)],
        "34": [20 + at * 7 % 60 for at in range(60)],
        "HIV": [("HIV", "flu", "asthma")[at % 3] for at in range(60)],
    }
)
KEYS: dict[str, Any] = {
    "attributes": {
        "Zq7secret": {"role": "identifier"},
        "34": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 20}}},
        "HIV": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 3}],
}
POLICY = """
[source]
{said}
[attributes.Zq7secret]
role = "identifier"
[attributes."34"]
role = "quasi-identifier"
hierarchy = {{ intervals = {{ width = 20 }} }}
[attributes.HIV]
role = "sensitive"
[[promises]]
model = "k-anonymity"
k = 3
"""


def _sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as held:
        held.execute('CREATE TABLE t ("Zq7secret" TEXT, "34" INTEGER, "HIV" TEXT)')
        held.executemany("INSERT INTO t VALUES (?, ?, ?)", TABLE.rows())
        held.commit()


def _duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as held:
        held.register("given", TABLE.to_arrow())
        held.execute("CREATE TABLE t AS SELECT * FROM given")


FILES: dict[str, Callable[[Path], object]] = {
    "h.csv": TABLE.write_csv,
    "h.parquet": TABLE.write_parquet,
    "texts.parquet": TABLE.cast(pl.String).write_parquet,
    "categories.parquet": TABLE.with_columns(pl.col("HIV").cast(pl.Categorical)).write_parquet,
    "h.db": _sqlite,
    "h.duckdb": _duckdb,
}


@pytest.mark.parametrize("file", FILES)
def test_no_verb_shows_names_that_are_a_record(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    FILES[file](tmp_path / file)
    query = ' \nquery = "SELECT * FROM t"' * file.endswith(("db", "duckdb"))
    (tmp_path / "asked.toml").write_text(POLICY.format(said=query))
    (tmp_path / "said.toml").write_text(POLICY.format(said=f"header = true{query}"))
    (tmp_path / "r.csv").write_text("34,HIV\n" + "*,HIV\n" * 4)
    plain = [("assess",), ("quasi",), ("risk",), ("hierarchy", "34", "--intervals", "5"), ("init",)]
    asked = [("anonymize", "--out", "out"), ("assess",), ("quasi",), ("risk",), ("explore",)]
    asked += [("attack", "r.csv"), ("compare", "r.csv"), ("init", "--check", "asked.toml")]
    commands = [] if query else [(verb, file, *more) for verb, *more in plain]
    checked = ("init", file, "--check", "asked.toml")
    commands += [
        checked if verb == "init" else (verb, file, *more, "--policy", "asked.toml")
        for verb, *more in asked
    ]
    for words in commands if file in ("h.csv", "h.parquet") else commands[:3]:
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == 2, words
        assert "look like a record" in done.stderr or "looks like a record" in done.stderr, words
        assert "header = true under [source]" in done.stderr
        assert not any(one in done.output for one in ("Zq7secret", "asthma", "'34'")), words
    done = CliRunner().invoke(app, ["anonymize", file, "--policy", "said.toml", "--out", "out"])
    assert done.exit_code == 0, done.stderr
    assert CliRunner().invoke(app, ["audit", "out"]).exit_code == 0


def test_a_scan_refuses_them_too(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "h.parquet")
    with pytest.raises(DataError, match="look like a record"):
        scan(tmp_path / "h.parquet")
    assert scan(tmp_path / "h.parquet", header=True).columns == tuple(NAMES)


def test_frames_are_refused_as_files_are(engine: Engine) -> None:
    frame = engine.load(TABLE)
    for tried in (
        lambda: ind.anonymize(frame, KEYS),
        lambda: ind.assess(frame),
        lambda: ind.risk(frame, quasi=["34"]),
    ):
        with pytest.raises(DataError, match="the names of the columns look like a record") as error:
            tried()
        assert "Zq7secret" not in str(error.value)
    assert len(ind.anonymize(frame, {**KEYS, "source": {"header": True}}).certificate.promises) == 1
    with pytest.raises(DataError, match="has no effect on a frame: header"):
        ind.anonymize(frame, {**KEYS, "source": {"header": False}})


def test_the_workbench_refuses_them() -> None:
    with pytest.raises(DataError, match="look like a record"):
        workbench(TABLE)
    assert workbench(TABLE, "[source]\nheader = true").table.columns == tuple(NAMES)


@pytest.mark.parametrize(
    ("frame", "record"),
    [
        ({"a": ["x"], "b": ["y"]}, False),
        ({"2019": [1], "2020": [2], "ward": ["x"]}, False),
        ({"True": [False, True], "no": ["no", "x"], "P1": ["P2", "P3"]}, True),
        ({"P1": ["P2"], "no": ["no"], "no.1": ["no"], "no.2": ["yes"]}, True),
        ({"v": ["x"], "v.1": ["v"], "v.2": ["v"], "w": ["a"], "z": ["b"]}, False),
        ({"34": [[1, 2]], "35.5": [[2]]}, False),
        ({"34": [b"x"], "35.5": [b"y"]}, False),
        ({"34": [1.5], "2020-01-01": [None]}, False),
    ],
)
def test_what_looks_like_a_record(frame: dict[str, list[Any]], record: bool) -> None:
    assert bool(header_problems(pl.DataFrame(frame), "t")) == record
