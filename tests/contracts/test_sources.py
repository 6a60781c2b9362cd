"""What holds of every source there is: one table, one release, and the source stays as it was."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.sources.conftest import ENGINES
from tests.sources.suite import (
    BY_ROWS,
    COUNTED,
    POLICIES,
    TABLES,
    VERB_KEYS,
    is_that_of_polars,
    loaded,
    rows_of,
)

import indistinct as ind
from indistinct.sources.files import read_table

READ = ("lazy", "table.csv", "table.parquet")
"""What becomes a frame of Polars at once: each takes a third of the policies, all take all."""


def thirds() -> list[tuple[str, str]]:
    return [(READ[at % 3], policy) for at, policy in enumerate(POLICIES)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "duckdb"])
def test_every_engine_makes_the_release_of_polars(engine: str, policy: str) -> None:
    kind, _ = POLICIES[policy]
    is_that_of_polars(policy, loaded(engine, TABLES[kind]))


@pytest.mark.parametrize(("source", "policy"), thirds())
def test_what_is_read_makes_the_release_of_polars(source: str, policy: str, tmp_path: Path) -> None:
    table = TABLES[POLICIES[policy][0]]
    if source != "lazy":
        FILES[source](table, tmp_path / source)
    is_that_of_polars(policy, table.lazy() if source == "lazy" else tmp_path / source)


FILES: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "table.csv": lambda table, path: table.write_csv(path),
    "table.tsv": lambda table, path: table.write_csv(path, separator="\t"),
    "table.parquet": lambda table, path: table.write_parquet(path),
    "table.csv.gz": lambda table, path: path.write_bytes(gzip.compress(table.write_csv().encode())),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("file", ["table.csv", "table.parquet"])
def test_every_scan_makes_the_release_of_polars(file: str, policy: str, tmp_path: Path) -> None:
    FILES[file](TABLES[POLICIES[policy][0]], path := tmp_path / file)
    before = path.read_bytes()
    is_that_of_polars(policy, path, engine="duckdb")
    assert path.read_bytes() == before


@pytest.mark.parametrize("file", FILES)
def test_every_file_is_opened_as_the_same_table(file: str, tmp_path: Path) -> None:
    FILES[file](TABLES["table"], path := tmp_path / file)
    assert rows_of(read_table(path)) == rows_of(TABLES["table"])
    is_that_of_polars("optimal", path)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_hands_back_its_own_kind(engine: str) -> None:
    given = ENGINES[engine]().load(table := TABLES["table"].drop("visit"))
    keys = POLICIES["optimal"][1]
    kept = {name: one for name, one in keys["attributes"].items() if name != "visit"}
    release = ind.anonymize(given, keys | {"attributes": kept})
    assert type(release.tables) is type(given)
    assert ind.audit(release.tables, keys | {"attributes": kept}).holds
    assert rows_of(given) == rows_of(table)


VERBS = COUNTED | BY_ROWS


@cache
def release_of() -> ind.Release:
    return ind.anonymize(TABLES["table"], VERB_KEYS)


@cache
def answer(verb: str) -> Any:
    """What a verb says of the table in memory."""
    return VERBS[verb](TABLES["table"], release_of().tables)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("source", ["pandas", "pyarrow", "duckdb", "table.csv", "table.parquet"])
def test_every_verb_says_the_same_of_every_source(source: str, verb: str, tmp_path: Path) -> None:
    if source in ENGINES:
        given, made = (loaded(source, one) for one in (TABLES["table"], release_of().tables))
    else:
        FILES[source](TABLES["table"], given := tmp_path / source)
        release_of().write(made := tmp_path / "release", report=False)
    assert VERBS[verb](given, made) == answer(verb)
