"""What holds of every verb of tables that an engine holds: rows are counted there, or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import DataError
from indistinct.sources import memory
from indistinct.sources.duckdb_table import DuckDBTable
from indistinct.sources.scan import ScannedTable

duckdb = pytest.importorskip("duckdb")

TABLE = pl.DataFrame(
    {
        "id": [f"P{at:03}" for at in range(120)],
        "age": [20 + at * 7 % 40 for at in range(120)],
        "zip": [("1010", "1020", "2110")[at % 3] for at in range(120)],
        "ill": [("flu", "asthma", "gout", "cancer", "flu")[at * 3 % 5] for at in range(120)],
    }
)
POLICY: dict[str, Any] = {
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
        "ill": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 3}],
    "method": {"seed": 4},
    "output": {"format": "parquet"},
}
K_MEMBER = {**POLICY, "method": {"seed": 4, "algorithm": "k-member"}}

Verb = Callable[[Any, Any], Any]
"""What is asked of a table, and of a release of it."""

COUNTED: dict[str, Verb] = {
    "anonymize": lambda table, _: ind.anonymize(table, POLICY).certificate.promises,
    "assess": lambda table, _: ind.assess(table, POLICY, attributes=["age", "zip"]).together,
    "audit": lambda _, release: ind.audit(release, POLICY).promises,
    "explore": lambda table, _: len(ind.explore(table, POLICY, k=[3, 4]).to_dict()),
    "quasi": lambda table, _: ind.quasi(table, POLICY).to_dict()["quasi_identifiers"],
    "risk": lambda table, _: ind.risk(table, POLICY).prosecutor,
    "risk of a release": lambda _, release: ind.risk(release, quasi=["age", "zip"]).prosecutor,
    "standards": lambda table, _: ind.risk(table, POLICY, standard="0.2").standards,
}
BY_ROWS: dict[str, Verb] = {
    "a method of records": lambda table, _: ind.anonymize(table, K_MEMBER),
    "alternatives": lambda table, _: ind.alternatives(table, POLICY),
    "attack": lambda table, release: ind.attack(table, release, POLICY),
    "compare": lambda table, release: ind.compare(table, {"a": release}, policy=POLICY),
}


def too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no table fit into memory."""
    monkeypatch.setenv("INDISTINCT_MAX_MEMORY", "1GB")
    monkeypatch.setattr(memory, "OF_CELLS", 1 << 30)


@pytest.fixture(params=["scanned", "relation"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Any]:
    """A table and a release of it, in files or in DuckDB."""
    release = ind.anonymize(TABLE, POLICY)
    if request.param == "relation":
        return tuple(duckdb.from_arrow(one.to_arrow()) for one in (TABLE, release.tables))
    TABLE.write_parquet(tmp_path / "table.parquet")
    release.write(tmp_path / "release", report=False)
    return tmp_path / "table.parquet", tmp_path / "release"


@pytest.mark.parametrize("verb", COUNTED)
def test_counts_alone_come_home(
    verb: str, given: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("rows were asked for")

    table = TABLE
    expected = COUNTED[verb](table, ind.anonymize(TABLE, POLICY).tables)
    if isinstance(given[0], Path):  # a relation's release is made in memory, as itself
        too_large(monkeypatch)
        for kind in (DuckDBTable, ScannedTable):
            for name in ("frame", "text", "_keep"):
                monkeypatch.setattr(kind, name, refuse)
    found = COUNTED[verb](*given)
    assert found == expected


@pytest.mark.parametrize("verb", BY_ROWS)
def test_what_goes_by_rows_says_so_where_they_do_not_fit(
    verb: str, given: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    too_large(monkeypatch)
    with pytest.raises(DataError) as caught:
        BY_ROWS[verb](*given)
    assert {one.code for one in caught.value.problems} <= {"needs-rows", "too-little-memory"}


def test_combinations_that_do_not_fit_are_refused(
    given: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    too_large(monkeypatch)
    monkeypatch.setattr(memory, "OF_COMBINATIONS", 1 << 24)
    with pytest.raises(DataError, match="'id' has more than 64 values") as caught:
        ind.risk(given[0], quasi=["id"])
    assert caught.value.problems[0].remedy is not None
    assert ind.risk(given[0], quasi=["zip"]).classes["count"] == 3
