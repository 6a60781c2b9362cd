"""Nothing public depends on suppressed records but through the records that are published."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import indistinct as ind

GONE: list[tuple[Any, ...]] = [
    (97, "F", "gout", 1.5, None, "zzz", "1.5"),
    (97, "X", "rare", None, 10**12, 'a,"b', "x"),
    (66, "F", "hiv", -1e9, 0, "", "2020-01-01"),
    (66, "M", None, float("inf"), -1, "é\nb", None),
]
"""Records that fit no class, of other values and texts than the others have."""


def table(seed: int, gone: tuple[Any, ...]) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    ills = random.permutation(["flu", "gout", "hiv", "cold"] * 4).tolist()
    rows: list[tuple[Any, ...]] = [
        (20 + 2 * (at % 2), "MF"[at // 2 % 2], ill, 2.0, 3, "abc"[at % 3], "12"[at % 2])
        for at, ill in enumerate(ills)
    ]
    rows.insert(int(random.integers(17)), gone)
    names = ["age", "sex", "ill", "weight", "count", "word", "code"]
    return pl.DataFrame(rows, names, orient="row", infer_schema_length=None)


def published(data: Any, folder: Path, **options: Any) -> tuple[str, ...]:
    """All that is public of a release, but for the order of rows and the moment."""
    keys = {
        "rest": "keep",
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 2}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 3},
            {"model": "t-closeness", "t": 0.9, "sensitive": "ill"},
        ],
        "method": {"suppression_limit": 0.1},
        "output": {"format": "parquet", "report": False},
    }
    shutil.rmtree(folder, ignore_errors=True)
    ind.anonymize(data, keys, **options).write(folder)
    certificate = json.loads((folder / "certificate.json").read_text())
    del certificate["created"], certificate["tables"][0]["sha256"]
    file = pq.ParquetFile(folder / "release.parquet")
    rows = sorted(map(repr, file.read().to_pylist()))
    assert len(rows) == 16
    schema = file.schema_arrow.to_string(show_schema_metadata=True)
    return (json.dumps(certificate), schema, str(file.metadata.metadata), *rows)


@pytest.mark.parametrize("source", ["categories", "scanned"])
def test_another_suppressed_record_changes_nothing(tmp_path: Path, source: str) -> None:
    seen = set()
    for gone in GONE:
        frame, options = table(1, gone), {}
        data: Any = frame
        if source == "categories":
            texts = frame["word"].drop_nulls().unique().sort()
            data = frame.with_columns(pl.col("word").cast(pl.Enum(texts)))
        if source == "scanned":
            data, options = tmp_path / "table.csv", {"engine": "duckdb"}
            frame.write_csv(data)
        seen.add(published(data, tmp_path / "release", **options))
    assert len(seen) == 1


def linked(gone: list[tuple[str, str]]) -> dict[str, Any]:
    """What a linked release shows of a table with a person who is suppressed, and has records."""
    random, ills = np.random.default_rng(5), ["flu", "cold", "gout", "ache", "hiv"]
    rows: list[tuple[Any, ...]] = [
        (f"p{at}", 20 + 10 * (at % 2), "MF"[at // 2 % 2], ill, "abc"[at % 3])
        for at in range(24)
        for ill in random.choice(ills, 2, replace=False)
    ]
    rows[10:10] = [("gone", "*", "*", *visit) for visit in gone]
    schema = dict.fromkeys(["who", "age", "sex", "ill", "town"], pl.String)
    texts = [tuple(map(str, row)) for row in rows]
    keys = {
        "source": {"person": "who"},
        "rest": "keep",
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {
                "role": "sensitive",
                "hierarchy": {"tree": {"any": {ill: [ill] for ill in ills}}},
            },
            "town": {"role": "insensitive"},
        },
        "promises": [{"model": "kl-diversity", "k": 3, "l": 2, "sensitive": "ill"}],
        "method": {"algorithm": "k-l-diversity", "seed": 1},
    }
    release = ind.anonymize(pl.DataFrame(texts, schema, orient="row"), keys)
    found = {name: sorted(map(repr, one.to_dicts())) for name, one in release.tables.items()}
    assert 0 < len(found["quasi"]) <= 24
    return found


def test_another_suppressed_person_changes_no_linked_table() -> None:
    """A column that differs within a suppressed person's records is published all the same."""
    same = linked([("gout", "a"), ("hiv", "a")])
    assert "town" in same["quasi"][0]
    for other in ([("gout", "a"), ("hiv", "b")], [("flu", "zz")], [("gout", "a")] * 4):
        assert linked(other) == same
