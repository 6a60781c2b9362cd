"""Every key of a section of a policy is honoured, or refused where it would do nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind
from indistinct.policy.sections import Bookkeeping, Population, Risk, Source

ROWS = [(f"P{at // 2}", 20 + at // 8 * 10, "fm"[at // 4 % 2], "abcd"[at % 4]) for at in range(48)]
TABLE = pl.DataFrame(ROWS, ["patient", "age", "sex", "ill"], orient="row")
ATTRIBUTES: dict[str, Any] = {
    "patient": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 20}},
    "sex": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive"},
}
PERSON = {"person": "patient"}
FILE = {"file": "people.csv"}


def keys(attributes: dict[str, Any] | None = None, **sections: Any) -> dict[str, Any]:
    """A policy with so much more."""
    return {
        "attributes": ATTRIBUTES | (attributes or {}),
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": {"seed": 1},
        **sections,
    }


READ: dict[str, tuple[str, dict[str, Any]]] = {
    "separator": (TABLE.write_csv(separator="|"), {"separator": "|"}),
    "encoding": (TABLE.with_columns(ill="é" + pl.col("ill")).write_csv(), {"encoding": "cp437"}),
    "quote": (TABLE.write_csv().replace(",d\n", ",'d,d'\n"), {"quote": "'"}),
    "skip_rows": ("Visits of 2024\n\n" + TABLE.write_csv(), {"skip_rows": 2}),
    "header": (TABLE.write_csv(include_header=False), {"header": False}),
}
"""The text of a file, and what is said of it: it is read so, as no other words would have it."""

SOURCE = {"format", "person", "people", "constant", "conflicts"}
SOURCE |= {"decimal", "labels", "sheet", "query", *READ}
OTHER = {
    Source: SOURCE,
    Population: {"file", "separator", "size", "fraction"},
    Risk: {"population", "threshold", "k_range", "amber", "red"},
    Bookkeeping: {"path", "person", "key_env", "key_file", "conflict"},
}


@pytest.mark.parametrize("section", OTHER, ids=lambda section: section.__name__)
def test_every_key_is_tried(section: Any) -> None:
    assert OTHER[section] == set(section.model_fields)


@pytest.mark.parametrize("key", READ)
def test_a_csv_file_is_read_as_is_said(key: str, tmp_path: Path) -> None:
    text, said = READ[key]
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode(said.get("encoding", "utf-8")))
    names = dict(zip(ATTRIBUTES, (f"column_{at}" for at in range(1, 5)), strict=True))
    named = {names[name] if key == "header" else name: own for name, own in ATTRIBUTES.items()}
    asked = {**keys(), "attributes": named, "source": said}
    release = ind.anonymize(path, asked)
    assert release.run.to_dict()["records"] == 48
    shown = set(release.tables.get_column(list(named)[-1]))
    expected = {"encoding": {"éa", "éb", "éc", "éd"}, "quote": {"a", "b", "c", "d,d"}}
    assert shown == expected.get(key, set("abcd"))


@pytest.mark.parametrize("key", READ)
def test_what_is_said_of_csv_files_is_refused_of_others(key: str, tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    with pytest.raises(ind.DataError, match=f"header|a Parquet file is read without it: {key}"):
        ind.anonymize(tmp_path / "table.parquet", keys(source=READ[key][1]))


@pytest.mark.parametrize("engine", ["polars", "pandas", "file", "duckdb"])
def test_a_constant_column_is_added(engine: str, tmp_path: Path) -> None:
    pytest.importorskip("duckdb" if engine == "duckdb" else "pandas")
    path = tmp_path / "table.csv"
    TABLE.write_csv(path)
    data = {"polars": TABLE, "pandas": TABLE.to_pandas()}.get(engine, path)
    added = {"site": {"role": "quasi-identifier"}}
    asked = keys(added, source={"constant": {"site": "north"}})
    if engine == "duckdb":
        with pytest.raises(ind.DataError, match="constant columns are put together in memory"):
            ind.anonymize(data, asked, engine="duckdb")
        asked["source"] |= PERSON  # these are put together in memory in any case
        del asked["attributes"]["patient"]
    told = {"engine": "duckdb"} if engine == "duckdb" else {}
    assert set(ind.anonymize(data, asked, **told).tables["site"]) == {"north"}


IDLE: list[tuple[str, dict[str, Any]]] = [
    *(
        (f"source.{key}", {"source": {"format": "fhir", key: value}})
        for key, value in (
            ("separator", ";"), ("encoding", "latin-1"), ("quote", "'"), ("header", True),
            ("skip_rows", 2), ("decimal", ","), ("labels", False), ("sheet", "one"),
            ("query", "select 1"),
        )
    ),
    ("source.people", {"source": {"people": FILE}}),
    ("source.conflicts", {"source": {"conflicts": "first"}}),
    ("population.separator", {"risk": {"population": {"size": 90, "separator": ";"}}}),
    ("population", {"risk": {"population": {"size": 90, "fraction": 0.5}}}),
    ("population", {"risk": {"population": {**FILE, "size": 90}}}),
    ("risk.amber", {"risk": {"amber": 0.5}}),
    ("risk.k_range", {"risk": {"k_range": [5, 2]}}),
    ("ledger", {"ledger": {"path": "l"}}),
    *(
        (f"intervals.{key}", {"attributes": {
            "ill": {"role": "sensitive", "hierarchy": {"intervals": {"width": 5, key: 60}}},
        }})
        for key in ("bottom", "top")
    ),
    ("key_env", {"ledger": {"path": "l", "key_env": "K", "key_file": "k"}, "source": PERSON}),
    ("ledger.person", {"ledger": {"path": "l", "person": "ill"}, "source": PERSON}),
    *(
        (key, {"attributes": {"ill": {"role": "sensitive", "transform": transform}}})
        for key, transform in (
            ("aggregate.k", {"aggregate": {"thresholds": [30], "k": 5}}),
            ("aggregate.k", {"aggregate": {"top": 30, "k": 5}}),
            ("swap.format", {"swap": {"format": "%d.%m.%Y"}}),
            ("mask.from", {"mask": {"from": "left"}}),
            ("synthesize.k", {"synthesize": {"k": 5}}),
            ("aggregate.level", {"aggregate": {"groups": {"x": ["a"]}, "level": "block"}}),
            ("aggregate.show", {"aggregate": {"groups": {"x": ["a"]}, "show": "mean"}}),
            ("aggregate.other", {"aggregate": {"top": 30, "other": "x"}}),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(IDLE)), ids=lambda at: f"{at}-{IDLE[at][0]}")
def test_a_key_that_would_do_nothing_is_refused(at: int) -> None:
    key, sections = IDLE[at]
    with pytest.raises(ind.PolicyError, match=key):
        ind.Policy.from_dict(keys(**sections))


def test_what_is_known_of_the_risk_is_reported() -> None:
    def told(**risk: Any) -> dict[str, Any]:
        found: dict[str, Any] = ind.risk(TABLE, keys(risk=risk)).to_dict()
        return found

    plain = told()
    assert told(threshold=0.5)["threshold"] == 0.5 != plain["threshold"]
    assert told(k_range=[2, 4]) != plain
    for population in ({"size": 480}, {"fraction": 0.1}):
        assert told(population=population) != plain
