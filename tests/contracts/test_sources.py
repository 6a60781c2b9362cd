"""What holds of every source there is: one table, one release, and the source stays as it was."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.sources.conftest import ENGINES, Engine

import indistinct as ind

TABLE = pl.DataFrame(
    {
        "name": [f"Person {at}" for at in range(60)],
        "age": [20 + at * 7 % 40 for at in range(60)],
        "zip": [("1010", "1020", "2110")[at % 3] for at in range(60)],
        "smokes": [(None, "yes", "no", "no")[at % 4] for at in range(60)],
        "ill": [("flu", "asthma", "gout", "cancer", "flu")[at * 3 % 5] for at in range(60)],
    }
)

FILES: dict[str, Callable[[Path], object]] = {
    "table.csv": TABLE.write_csv,
    "table.tsv": lambda path: TABLE.write_csv(path, separator="\t"),
    "table.parquet": TABLE.write_parquet,
    "table.csv.gz": lambda path: path.write_bytes(gzip.compress(TABLE.write_csv().encode())),
}


METHODS: dict[str, dict[str, Any]] = {
    "optimal": {"suppression_limit": 0.1},
    "mondrian": {"algorithm": "mondrian"},
    "k-member": {"algorithm": "k-member"},
}


def policy(method: str) -> dict[str, Any]:
    return {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
            "smokes": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}, {"model": "max-posterior", "bound": 0.9}],
        "method": {"seed": 4, **METHODS[method]},
    }


def texts(rows: list[tuple[Any, ...]]) -> list[tuple[str, ...]]:
    return sorted(tuple("" if value is None else str(value) for value in row) for row in rows)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_makes_the_same_release(name: str, method: str) -> None:
    engine: Engine = ENGINES[name]()
    given = engine.load(TABLE)
    release = ind.anonymize(given, policy(method))
    expected = ind.anonymize(TABLE, policy(method))
    assert type(release.tables) is type(given)
    assert texts(engine.rows(release.tables)) == texts(expected.tables.rows())
    assert release.certificate.promises == expected.certificate.promises
    assert release.measures == expected.measures
    assert ind.audit(release.tables, policy(method)).holds
    assert texts(engine.rows(given)) == texts(TABLE.rows())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", FILES)
def test_every_file_makes_the_same_release(name: str, method: str, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](path)
    before = path.read_bytes()
    release = ind.anonymize(path, policy(method))
    expected = ind.anonymize(TABLE, policy(method))
    assert texts(release.tables.rows()) == texts(expected.tables.rows())
    assert release.certificate.promises == expected.certificate.promises
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_is_looked_at_alike(name: str) -> None:
    given = ENGINES[name]().load(TABLE)
    quasi = ["age", "zip", "smokes"]
    assert ind.risk(given, quasi=quasi).to_dict() == ind.risk(TABLE, quasi=quasi).to_dict()
    assert ind.assess(given).to_dict() == ind.assess(TABLE).to_dict()
