"""Nothing public depends on suppressed records but through the records that are published."""

from __future__ import annotations

import contextlib
import csv
import json
import random
import shutil
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from tests.attacks.test_adversaries import ILL
from tests.attacks.test_adversaries import policy as asked_for

import indistinct as ind
from indistinct.sources.writing import write_parquet

DAY = datetime(2024, 1, 1)
GONE: list[tuple[Any, ...]] = [
    (97, "F", "gout", 1.5, None, "zzz", "1.5", DAY, None),
    (97, "X", "rare", None, 10**19, 'a,"b', "x", None, 5),
    (66, "F", "hiv", -1e9, 0, "", "2020-01-01", DAY.replace(hour=7), 2.5),
    (66, "M", None, float("inf"), -1, "é\nb", None, DAY.replace(microsecond=3), None),
]
"""Records that fit no class, of other values and texts than the others have."""

OTHERS: list[tuple[Any, ...]] = [
    (66, "M", "flu", "none", "none", "z", "z", "none", "none"),
    (66, "M", "flu", "2.50", "3", "z", "02", "2024", "x"),
]
"""And of cells of another type, where each cell has its own."""

NAMES = ["age", "sex", "ill", "weight", "count", "word", "code", "day", "none"]


def rows_of(seed: int, gone: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    random = np.random.default_rng(seed)
    ills = random.permutation(["flu", "gout", "hiv", "cold"] * 4).tolist()
    rows: list[tuple[Any, ...]] = [
        (20 + 2 * (at % 2), "MF"[at // 2 % 2], ill, 2.0, 3, "abc"[at % 3], "12"[at % 2], DAY, None)
        for at, ill in enumerate(ills)
    ]
    rows.insert(int(random.integers(17)), gone)
    return rows


def stored(source: str, gone: tuple[Any, ...], folder: Path) -> Any:
    """The table with this record, as a source of some kind; and how it is opened."""
    rows = rows_of(1, gone)
    if source in ("pandas", "excel", "sqlite"):
        frame = pd.DataFrame(rows, columns=NAMES)
        if source == "pandas":
            return frame
        path = folder / ("table.xlsx" if source == "excel" else "table.db")
        path.unlink(missing_ok=True)
        if source == "excel":
            frame.to_excel(path, index=False)
            return path
        with contextlib.closing(sqlite3.connect(path)) as held:
            held.execute(f"CREATE TABLE t ({', '.join(NAMES)})")
            texts = [[str(c) if isinstance(c, datetime) else c for c in row] for row in rows]
            held.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", texts)
            held.commit()
        return path
    if source in ("csv", "scanned"):
        lines = [NAMES, *([str(c).removesuffix(" 00:00:00") for c in row] for row in rows)]
        with (folder / "table.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["" if c == "None" else c for c in row] for row in lines])
        return folder / "table.csv"
    kinds = {"weight": pl.Float64, "none": pl.Float64, "count": pl.Int128}
    plain = pl.DataFrame(rows, NAMES, orient="row", schema_overrides=kinds)
    if source == "categories":
        texts = plain["word"].drop_nulls().unique().sort()
        return plain.with_columns(pl.col("word").cast(pl.Enum(texts)))
    plain.with_columns(pl.col("count").cast(pl.Float64)).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def published(data: Any, folder: Path, **options: Any) -> tuple[str, ...]:
    """All that is public of a release, but for the order of rows and the moment."""
    keys: dict[str, Any] = {
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
        "output": {"report": False},
    }
    if str(data).endswith(".db"):
        keys["source"] = {"query": "SELECT * FROM t"}
    shutil.rmtree(folder, ignore_errors=True)
    release = ind.anonymize(data, keys, **options)
    release.write(folder)
    certificate = json.loads((folder / "certificate.json").read_text())
    del certificate["created"], certificate["tables"][0]["sha256"]
    told = [json.dumps(certificate), *sorted((folder / "release.csv").read_text().split("\n"))]
    write_parquet(release.tables, folder / "release.parquet")
    file = pq.ParquetFile(folder / "release.parquet")
    rows = sorted(map(repr, file.read().to_pylist()))
    assert len(rows) == 16
    schema = file.schema_arrow.to_string(show_schema_metadata=True)
    return (*told, schema, str(file.metadata.metadata), *rows)


@pytest.mark.parametrize(
    "source", ["categories", "scanned", "parquet", "pandas", "csv", "excel", "sqlite"]
)
def test_another_suppressed_record_changes_nothing(tmp_path: Path, source: str) -> None:
    seen = set()
    options = {"engine": "duckdb"} if source in ("scanned", "parquet") else {}
    for gone in GONE + OTHERS * (source not in ("categories", "parquet")):
        if source in ("excel", "sqlite") and gone[4] == 10**19:
            gone = (*gone[:4], 10**12, *gone[5:])
        seen.add(published(stored(source, gone, tmp_path), tmp_path / "release", **options))
    assert len(seen) == 1


def test_types_do_not_tell_who_was_beyond_an_end_or_had_no_value() -> None:
    """The label of whoever is beyond an end is a text, and so is a star for no value."""
    asked = {
        "attributes": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"intervals": {"width": 5, "top": 60, "bottom": 10}},
                "missing": {"as": "suppress"},
            }
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"suppression_limit": 0.1},
    }
    ages = [20, 24, 31] * 4
    types = set()
    for gone in (400, -70, None):
        release = ind.anonymize(pl.DataFrame({"age": [*ages, gone]}), asked)
        assert sorted(map(int, release.tables["age"])) == sorted(ages)
        types.add(release.tables.schema["age"])
    assert types == {pl.Int64}


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


def of_people(algorithm: str, seed: int, ill: str, starred: bool) -> tuple[frozenset[str], str]:
    """Who is published, and all that is, where the first person has an illness and no class.

    Arguments:
        algorithm: the method.
        seed: that of the table.
        ill: what the first person has.
        starred: whether that is a person without any quasi-identifier; else the promise is such
            that the method leaves some people out.
    """
    random, number = np.random.default_rng(seed), 14 if algorithm == "p-l-angelization" else 12
    ills = random.choice(ILL, number, p=[0.35, 0.35, 0.2, 0.05, 0.05]).tolist()
    if starred:
        number, ills = 25, random.permutation(ILL * 5).tolist()
    ages, towns = (random.integers(*ends, number).astype(str) for ends in ((20, 60), (100, 112)))
    keys = asked_for(algorithm, seed=1, suppression_limit=0.4)
    keys["output"] = {"suppressed": "drop", "report": False}
    if starred:
        ages[0] = towns[0] = "*"
        for name in ("age", "zip"):
            keys["attributes"][name]["hierarchy"] = "suppress"
    else:
        for item in keys["promises"]:
            item |= {"bound": 0.4} if item["model"] == "max-posterior" else {}
    ills[0], tags = ill, [f"t{at}" for at in range(number)]
    frame = pl.DataFrame({"tag": tags, "age": ages, "zip": towns, "ill": ills})
    if "source" in keys:
        frame = frame.with_columns(patient=pl.col("tag"))
    release = ind.anonymize(frame, keys)
    tables = release.tables
    if not isinstance(tables, dict):
        return frozenset(tables["tag"]), repr(sorted(tables.rows()))
    by = release.certificate.linked["by"]
    parts = [tables[name].group_by(by).agg(pl.exclude(by)) for name in ("quasi", "sensitive")]
    rows = parts[0].join(parts[1], on=by).drop(by).rows()
    told = sorted(repr([sorted(part) for part in row]) for row in rows)
    return frozenset(tables["quasi"]["tag"]), repr(told)


@pytest.mark.parametrize(
    "algorithm", ["mondrian", "k-member", "theta-star", "p-l-angelization", "m-invariant"]
)
def test_whoever_is_in_no_class_takes_nobody_along_and_changes_nothing(algorithm: str) -> None:
    seen = {of_people(algorithm, 2, ill, starred=True) for ill in ("flu", "gout", "hiv")}
    ((who, _),) = seen
    assert "t0" not in who
    assert len(who) == 24


@pytest.mark.parametrize(
    ("algorithm", "seed"), [("mondrian", 22), ("k-member", 4), ("p-l-angelization", 8)]
)
def test_a_person_whom_a_promise_leaves_out_changes_nothing_of_the_others(
    algorithm: str, seed: int
) -> None:
    """Which people are left out is decided with a look at values, and told; nothing else is."""
    ((who, _),) = {of_people(algorithm, seed, ill, starred=False) for ill in ("flu", "gout")}
    assert "t0" not in who
    assert len(who) >= 6


GROUPS = {"mild": ["flu", "cold"], "middle": ["gout"], "grave": ["cancer", "hiv"]}
RANKS = {"flu": 4, "cold": 4, "gout": 3, "cancer": 2, "hiv": 1}
EVERY: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 3},
    {"model": "distinct-l-diversity", "l": 2},
    {"model": "entropy-l-diversity", "l": 1.5},
    {"model": "recursive-cl-diversity", "c": 3, "l": 2},
    {"model": "alpha-k-anonymity", "alpha": 0.8, "k": 3},
    {"model": "p-sensitive", "p": 2},
    {"model": "p-plus-sensitive", "p": 2},
    {"model": "p-alpha-sensitive", "p": 2, "alpha": 1},
    {"model": "balanced-p-plus-sensitive", "p": 2, "difference": 60},
    {"model": "max-posterior", "bound": 0.6},
    {"model": "t-closeness", "t": 0.7},
    {"model": "t-closeness", "t": 0.7, "distance": "hierarchical"},
    {"model": "basic-beta-likeness", "beta": 5},
    {"model": "delta-disclosure", "delta": 5, "absent": "skip"},
    {"model": "knm-anonymity", "k": {"1": 4, "2": 4, "3": 3, "4": 2}, "diversity": 2},
    {"model": "estimated-k-map", "k": 6, "fraction": 0.5},
]
"""Promises that one release can keep, in many measures of what a class tells."""


def certified(ill: str, asked: list[dict[str, Any]]) -> str:
    """The certificate of a release without somebody who has this."""
    ills = ["flu", "cold", "gout", "cancer"]
    rows = [(20 + 10 * (at % 2), "ab"[at // 2 % 2], ills[at // 4 % 4]) for at in range(64)]
    told = {"categories": {"table": GROUPS, "order": list(GROUPS)}, "ranks": {"table": RANKS}}
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ward": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive", "hierarchy": {"tree": {"*": GROUPS}}, **told},
        },
        "promises": [
            one
            if one["model"] in ("k-anonymity", "estimated-k-map")
            else one | {"sensitive": "ill"}
            for one in asked
        ],
        "method": {"suppression_limit": 0.1, "seed": 1},
    }
    frame = pl.DataFrame([*rows, (97, "z", ill)], ["age", "ward", "ill"], orient="row")
    release = ind.anonymize(frame, keys)
    assert release.tables.height == 64
    document = release.certificate.to_dict()
    del document["created"]
    return json.dumps(document)


@pytest.mark.parametrize(
    "asked",
    [EVERY, *([one] for one in EVERY)],
    ids=lambda one: "+".join(part["model"] for part in one[:3]),
)
def test_no_promise_tells_what_somebody_has_who_is_left_out(asked: list[dict[str, Any]]) -> None:
    assert len({certified(ill, [EVERY[0], *asked]) for ill in ("flu", "hiv")}) == 1


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "knm-anonymity", "k": "elbow", "diversity": 2}, "'ill': the k of the ranks"),
        (
            {"model": "knm-anonymity", "k": {str(at): 3 for at in (1, 2, 3, 4)}, "diversity": True},
            "'ill': the figures of diversity",
        ),
        ({"model": "t-closeness", "t": 0.9, "reference": "original"}, "the shares of all values"),
    ],
)
def test_a_promise_that_does_says_so(asked: dict[str, Any], told: str) -> None:
    """That a rank stands in the certificate, say, which somebody has who was left out."""
    seen = [certified(ill, [{"model": "k-anonymity", "k": 3}, asked]) for ill in ("flu", "hiv")]
    assert all(told in one for one in seen)
    assert len(set(seen)) == 1 + (asked.get("diversity") is not True)


DAYS = ["2020-01-02", "2020-02-03"]


@pytest.mark.parametrize("role", ["sensitive", "insensitive", "quasi-identifier"])
@pytest.mark.parametrize(
    ("transform", "values", "gone"),
    [
        ({"round": 5}, ["10", "12", "23", "37"], ["999999", "0.12345", "-7"]),
        ({"round": {"digits": 1}}, ["1.25", "2.5"], ["1000000000", "0.123456"]),
        ({"round": "month"}, DAYS, ["1900-01-01"]),
        ({"aggregate": {"top": 30}}, ["10", "12", "23", "37"], ["999", "36"]),
        ({"aggregate": {"thresholds": [15, 30]}}, ["10", "12", "23", "37"], ["999", "16"]),
        ({"aggregate": {"groups": {"low": ["a"]}, "other": "none"}}, ["a", "b"], ["zz"]),
        ({"mask": {"keep": 1}}, ["abc", "abd", "xyz"], ["abcdefghijkl", "z"]),
    ],
    ids=lambda one: str(one).partition(":")[0] if isinstance(one, dict) else "",
)
def test_what_is_done_to_values_tells_nothing_of_those_left_out(
    transform: dict[str, Any], values: list[str], gone: list[str], role: str
) -> None:
    seen = set()
    own: dict[str, Any] = {"role": role, "transform": transform}
    if role == "quasi-identifier":
        if "mask" in transform:
            return
        own["hierarchy"] = "suppress"
    ward = {"role": "quasi-identifier", "hierarchy": "suppress"}
    asked = {
        "attributes": {"ward": ward, "value": own},
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"suppression_limit": 0.1, "seed": 1},
    }
    rows = [("ab"[at % 2], values[at // 4 % len(values)]) for at in range(48)]
    for last in ([], *([("z", value)] for value in gone)):
        frame = pl.DataFrame([*rows, *last], ["ward", "value"], orient="row")
        release = ind.anonymize(frame, asked)
        document = release.certificate.to_dict()
        del document["created"]
        cells = sorted(map(repr, release.tables.rows()))
        assert len(cells) == 48
        seen.add((json.dumps(document), str(release.tables.schema), *cells))
    assert len(seen) == 1


CLOSE: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 2},
    {"model": "t-closeness", "t": 0.3, "sensitive": "ill"},
]


def test_classes_are_compared_with_what_rows_of_stars_show_too() -> None:
    """Everybody sees eight rows: four of them have the z of both people of 20."""
    shown = pl.DataFrame({"age": ["20"] * 2 + ["*"] * 6, "ill": list("zzxyzxyz")})
    audit = ind.audit(shown, promises=CLOSE, quasi=["age"])
    assert not audit.holds
    beside = audit.suppressed_group[1]
    assert (beside.holds, beside.achieved, beside.breaking_records) == (False, {"t": 0.5}, 2)
    hidden = shown.with_columns(pl.when(pl.col("age") == "*").then(pl.lit("*")).otherwise("ill"))
    hidden = hidden.select("age", ill="literal")
    assert ind.audit(hidden, promises=CLOSE, quasi=["age"]).holds


def test_records_that_bring_classes_too_far_are_not_kept() -> None:
    table = pl.DataFrame({"age": [20, 20, *range(31, 37)], "ill": list("zzxyzxyz")})
    policy: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "max_level": 0},
            "ill": {"role": "sensitive"},
        },
        "promises": CLOSE,
        "method": {"suppression_limit": 0.8},
        "output": {"suppressed": "keep"},
    }
    release = ind.anonymize(table, policy)
    assert release.tables.rows() == [(20, "z")] * 2
    assert any("a part of what classes are compared with" in text for text in release.warnings)


@pytest.mark.parametrize("reference", ["published", "original"])
def test_what_local_recoding_stars_throughout_is_compared_with(reference: str) -> None:
    """Rows of stars that bring classes too far are no way to publish what is left."""
    table = pl.DataFrame(
        {"age": [44, 28, 49, 41, 25, 41], "sex": list("ffmmfm"), "ill": list("yyzyxy")}
    )
    policy: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [CLOSE[0], {**CLOSE[1], "reference": reference}],
        "method": {"algorithm": "heuristic", "suppression_limit": 0.6, "local_recoding": True},
    }
    audit = ind.audit(ind.anonymize(table, policy))
    assert audit.holds
    assert audit.records - audit.suppressed >= 3


@pytest.mark.parametrize("seed", range(12))
def test_local_recoding_finds_a_release_where_the_plain_search_does(seed: int) -> None:
    chance = random.Random(seed)
    rows = [(chance.choice(["a1", "a2", "b1", "b2"]), chance.choice("AABC")) for _ in range(8)]
    table = pl.DataFrame(rows, ["ward", "ill"], orient="row")
    compared = chance.choice(
        [
            {"model": "t-closeness", "t": 0.3},
            {"model": "basic-beta-likeness", "beta": 1},
            {"model": "delta-disclosure", "delta": 1},
        ]
    )
    wards = {"*": {"a": ["a1", "a2"], "b": ["b1", "b2"]}}
    policy: dict[str, Any] = {
        "attributes": {
            "ward": {"role": "quasi-identifier", "hierarchy": {"tree": wards}},
            "ill": {"role": "sensitive"},
        },
        "promises": [{**compared, "sensitive": "ill"}],
        "method": {"suppression_limit": 0.5},
        "output": {"suppressed": "keep"},
    }
    assert ind.audit(ind.anonymize(table, policy)).holds
    policy["method"]["local_recoding"] = True
    assert ind.audit(ind.anonymize(table, policy)).holds
