"""The engines every test of the seam runs over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest


@dataclass(frozen=True)
class Engine:
    """How a test speaks to one engine."""

    name: str
    load: Callable[[pl.DataFrame], Any]
    rows: Callable[[Any], list[tuple[Any, ...]]]
    ordered: bool = True


def _polars() -> Engine:
    return Engine("polars", lambda frame: frame.clone(), lambda native: native.rows())


def _lazy() -> Engine:
    return Engine("lazy", lambda frame: frame.lazy(), lambda native: native.collect().rows())


def _pandas() -> Engine:
    pytest.importorskip("pandas")

    def load(frame: pl.DataFrame) -> Any:
        native = frame.to_pandas()
        native.index = range(7, 7 + len(native))
        native.attrs["secret"] = "attributes stay at home"
        return native

    return Engine("pandas", load, lambda native: pl.from_pandas(native).rows())


def _pyarrow() -> Engine:
    pytest.importorskip("pyarrow")

    def load(frame: pl.DataFrame) -> Any:
        return frame.to_arrow().replace_schema_metadata({"secret": "metadata stays at home"})

    return Engine("pyarrow", load, lambda native: pl.from_arrow(native).rows())


def _duckdb(query: str) -> Engine:
    duckdb = pytest.importorskip("duckdb")

    def load(frame: pl.DataFrame) -> Any:
        connection = duckdb.connect()
        held = frame.to_arrow()
        connection.register("held", held)
        connection.execute("CREATE TABLE source AS SELECT * FROM held")
        connection.unregister("held")
        relation = connection.table("source")
        return relation.query("v", query) if query else relation

    def rows(native: Any) -> list[tuple[Any, ...]]:
        return native.pl().rows()

    return Engine("duckdb-query" if query else "duckdb", load, rows, ordered=False)


def _duckdb_default() -> Engine:
    duckdb = pytest.importorskip("duckdb")

    def load(frame: pl.DataFrame) -> Any:
        return duckdb.from_arrow(frame.to_arrow())

    return Engine("duckdb-default", load, lambda native: native.pl().rows(), ordered=False)


ENGINES: dict[str, Callable[[], Engine]] = {
    "polars": _polars,
    "lazy": _lazy,
    "pandas": _pandas,
    "pyarrow": _pyarrow,
    "duckdb": lambda: _duckdb(""),
    "duckdb-query": lambda: _duckdb("SELECT * FROM v"),
    "duckdb-default": _duckdb_default,
}


@pytest.fixture(params=[*ENGINES])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Every engine but Spark, one after the other."""
    return ENGINES[request.param]()
