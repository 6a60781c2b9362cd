"""Forty policies over every algorithm, and every verb, on one table: the same on every source.

The table has nulls, dates, large whole numbers and decimals, among the quasi-identifiers and beside
them. A source's test opens the table its own way and asks whether the release is that of Polars.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
from tests.contracts.test_methods import ALGORITHMS, people, policies, visits
from tests.sources.conftest import ENGINES

import indistinct as ind
from indistinct.sources.convert import to_polars
from indistinct.sources.eager import count_distinct
from indistinct.sources.engines import open_table, some_classes
from indistinct.sources.text import canonical

LARGE = 2**62


def _beside(table: pl.DataFrame) -> pl.DataFrame:
    """The table with columns that engines like to change."""
    at = range(len(table))
    further = {
        "born": [None if i % 9 == 0 else date(1950 + i % 4, 1 + i % 3, 1) for i in at],
        "fee": [None if i % 7 == 0 else Decimal(i % 8 * 250 + 25) / 100 for i in at],
        "visit": [None if i % 5 == 0 else LARGE + i for i in at],
        "site": [LARGE + 10 * (i % 6) + 1 for i in at],
        "seen": [None if i % 4 == 0 else date(2024, 1 + i % 12, 28) for i in at],
        "paid": [None if i % 3 == 0 else Decimal(i) / 100 for i in at],
        "note": [("", None, "NaN", "a,b")[i % 4] for i in at],
    }
    money = pl.Decimal(12, 2)
    return table.with_columns(
        **{name: pl.Series(name, values) for name, values in further.items()}
    ).with_columns(pl.col("fee", "paid").cast(money))


TABLE = _beside(people(1))
MISSING = pl.when(pl.int_range(pl.len()) % 11 != 0)
"""Some ages and illnesses are missing where policies are not of one algorithm each."""
WITH_NULLS = TABLE.with_columns(MISSING.then("age").alias("age"), MISSING.then("ill").alias("ill"))
VISITS = _beside(visits(1))
KEPT = ("born", "fee", "visit", "site", "seen", "paid", "note")
TABLES = {"table": WITH_NULLS, "people": TABLE, "visits": VISITS}

QUASI: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 20}}},
    "born": {"role": "quasi-identifier", "hierarchy": {"date": {}}},
    "fee": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
    "site": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
}
K3 = {"model": "k-anonymity", "k": 3}


def _policy(
    *promises: Mapping[str, Any],
    transform: Any = None,
    output: Any = None,
    patient: Any = None,
    **method: Any,
) -> tuple[str, dict[str, Any]]:
    kept = {name: {"role": "insensitive"} for name in (*KEPT, "zip") if name not in QUASI}
    if transform:
        kept["paid"] = {"role": "insensitive", "transform": transform}
    keys = {
        "attributes": {
            "patient": {"role": "identifier", **(patient or {})},
            **QUASI,
            "ill": {"role": "sensitive"},
        }
        | kept,
        "promises": [K3, *promises],
        "method": {"seed": 3, "suppression_limit": 0.2, **method},
        "output": output or {},
    }
    return "table", keys


def _about(model: str, **parameters: Any) -> dict[str, Any]:
    return {"model": model, "sensitive": "ill", **parameters}


def _of_methods() -> dict[str, tuple[str, dict[str, Any]]]:
    found = {}
    for algorithm in ALGORITHMS:
        for keys in policies(algorithm, seed=3):
            kind = "visits" if "source" in keys else "people"
            role = "identifier" if algorithm == "safepub" else "insensitive"
            keys["attributes"] |= {name: {"role": role} for name in KEPT}
            found[f"{algorithm}, {kind}"] = kind, keys
    return found


POLICIES: dict[str, tuple[str, dict[str, Any]]] = _of_methods() | {
    "optimal": _policy(),
    "heuristic": _policy(algorithm="heuristic"),
    "mondrian": _policy(algorithm="mondrian", suppression_limit=0),
    "k-member": _policy(algorithm="k-member", suppression_limit=0),
    "local recoding": _policy(local_recoding=True),
    "suppressed kept": _policy(output={"suppressed": "keep"}),
    "not shuffled": _policy(output={"shuffle": False}),
    "distinct": _policy(_about("distinct-l-diversity", l=2)),
    "entropy": _policy(_about("entropy-l-diversity", l=2)),
    "closeness": _policy(_about("t-closeness", t=0.6, distance="equal")),
    "alpha": _policy(_about("alpha-k-anonymity", alpha=0.7, k=3)),
    "posterior": _policy(_about("max-posterior", bound=0.7)),
    "recursive": _policy(_about("recursive-cl-diversity", c=3, l=2)),
    "p-sensitive": _policy(_about("p-sensitive", p=2)),
    "delta": _policy(_about("delta-disclosure", delta=4, absent="skip")),
    "beta": _policy(_about("basic-beta-likeness", beta=4)),
    "Mondrian, distinct": _policy(
        _about("distinct-l-diversity", l=2), algorithm="mondrian", suppression_limit=0
    ),
    "decoys": _policy(decoys={"to": 5}, suppression_limit=0),
    "noise": _policy(transform={"noise": 5}),
    "masked": _policy(patient={"transform": {"mask": {"keep": 2}}}),
}
"""The table that each is about, and its keys."""

RISKED = ["age", "zip"]
VERB_KEYS = POLICIES["distinct"][1]
Verb = Callable[[Any, Any], Any]
"""What is asked of a table, and of a release of it."""

COUNTED: dict[str, Verb] = {
    "assess": lambda table, _: ind.assess(table, VERB_KEYS, attributes=RISKED).together,
    "audit": lambda _, release: ind.audit(release, VERB_KEYS).promises,
    "explore": lambda table, _: len(ind.explore(table, VERB_KEYS, k=[3, 4]).to_dict()),
    "quasi": lambda table, _: ind.quasi(table, VERB_KEYS).to_dict()["quasi_identifiers"],
    "risk": lambda table, _: ind.risk(table, VERB_KEYS).prosecutor,
    "risk of a release": lambda _, release: ind.risk(release, quasi=list(QUASI)).prosecutor,
    "standards": lambda table, _: ind.risk(table, VERB_KEYS, standard="0.2").standards,
}
BY_ROWS: dict[str, Verb] = {
    "alternatives": lambda table, _: ind.alternatives(table, VERB_KEYS).to_dict(),
    "attack": lambda table, release: ind.attack(table, release, VERB_KEYS).attacks,
    "compare": lambda table, release: [
        {name: one[name] for name in ("rows", "suppressed", "classes", "ncp", "loss", "k", "dcp")}
        for one in ind.compare(table, {"a": release}, policy=VERB_KEYS).to_dict()["releases"]
    ],
}


def rows_of(frame: Any) -> Counter[str]:
    """The records of a frame of any engine, as texts, whatever their order."""
    table = open_table(frame, allow_empty=True)
    columns = sorted(table.columns)
    plain = pl.all().str.replace(r"^(-?\d+\.\d*?)0+$", "$1").str.strip_suffix(".")
    return Counter(str(row) for row in table.text(columns).select(columns).select(plain).rows())


def loaded(engine: str, table: pl.DataFrame) -> Any:
    """The table as a frame of an engine; pandas has a type for whole numbers beside nulls."""
    native = ENGINES[engine]().load(table)
    if engine == "pandas":
        whole = [name for name, kind in table.schema.items() if kind.is_integer()]
        for name in whole:
            native[name] = table[name].to_pandas(use_pyarrow_extension_array=True).array
            native[name] = native[name].astype("Int64")
    return native


def types_of(frame: Any, names: Any = KEPT) -> dict[str, pl.DataType]:
    """The types of columns that are published as they are."""
    held = to_polars(frame)
    return {name: held.schema[name] for name in names if name in held.columns}


WITH_TYPES = ("optimal", "not shuffled", "k-member", "decoys")
"""What is held against the types that went in: engine and memory, order, rows, and additions."""


@cache
def released(name: str) -> tuple[dict[str, Counter[str]], dict[str, Any], Any]:
    """The published tables of the reference, its certificate and its measures."""
    kind, keys = POLICIES[name]
    return told(ind.anonymize(TABLES[kind], keys))


def told(release: ind.Release) -> tuple[dict[str, Counter[str]], dict[str, Any], Any]:
    """What a release has to have in common with the reference."""
    certificate = release.certificate.to_dict()
    del certificate["created"]
    frames = release.tables if release.linked else {"release": release.tables}
    tables = {name: rows_of(frame) for name, frame in frames.items()}
    return tables, certificate, release.measures


def is_that_of_polars(name: str, given: Any, keys: Any = None, **options: Any) -> None:
    """The release of a source by that policy: as a multiset, with its certificate and types."""
    release = ind.anonymize(given, keys or POLICIES[name][1], **options)
    for found, expected in zip(told(release), released(name), strict=True):
        assert found == expected
    if name in WITH_TYPES and not isinstance(given, str | Path):
        beside = [one for one in KEPT if one not in QUASI]
        assert types_of(release.tables, beside) == types_of(given, beside)


MISSING = pl.DataFrame(
    {
        "note": ["", None, "x"] * 40,
        "x": [float("nan"), None, 0.0, -0.0] * 30,
    }
)
"""Values that are told apart by what holds them, and have no text or the same one."""


TOGETHER = pl.DataFrame(
    {
        "number": [*"aaabbccdd", "", "?", None, *"eeee"],
        "day": [1, 2, 3, 4, 4, 6, 8, 0, 1, 1, 2, 3, None, None, 5, 6],
        "word": [*"xxxy?", None, None, "", "z", "z", *"zzvvv?"],
        "size": [1.0, 1.0, 1.0, float("nan"), 2.0, 0.0, -0.0, None, None, *([3.5] * 7)],
        "born": [date(2020, 1, 1 + at // 3) for at in range(16)],
        "well": [True, True, None, False, True, *([None] * 4), *([True] * 7)],
    }
)
"""Records of numbers, and what they have in common."""


def numbers_are_held_together(table: Any, held: pl.DataFrame = TOGETHER) -> None:
    """Hold that an engine tells how the records of a number go together, as counted one by one."""
    tokens = {"number": ["?"], "word": ["?"]}
    others = [name for name in held.columns if name != "number"]
    texts = canonical(held, tokens)
    for gone in (tokens, {"number": ["?"]}):
        texts = canonical(held, gone)
        found = table.within("number", others, gone)
        assert list(found) == others
        for name in others:
            expected: Counter[tuple[int, bool, bool]] = Counter()
            for number in set(texts["number"].drop_nulls()):
                own = texts.filter(pl.col("number") == number)[name].to_list()
                there = [one for one in own if one is not None]
                gaps = 0 < len(there) < len(own)
                expected[len(there), len(set(there)) > 1, gaps] += 1
            told = found[name].group_by("records", "several", "gaps").agg(pl.col("count").sum())
            assert {row[:3]: row[3] for row in told.rows()} == dict(expected)
    if not table.held:
        days = table.within("number", ["day"], tokens)["day"]
        assert days.filter("runs").select("records", "count").sum().row(0) == (7, 3)


def classes_of_a_sample_are_whole(table: Any) -> None:
    """Hold that all records of a class are drawn, or none."""
    every = table.distinct(["note", "x"])
    for parts in range(2, 9):
        drawn = some_classes(table, ["note", "x"], ["note", "x"], parts)
        counted = count_distinct(canonical(drawn, {})) if drawn is not None else every[:0]
        found = counted.join(every, on=["note", "x", "count"], nulls_equal=True)
        assert found.height == counted.height
