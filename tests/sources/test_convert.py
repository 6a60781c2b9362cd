"""What a table loses on its way through a run: nothing, on any engine."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import DataError, OutputError
from indistinct.sources.convert import like, to_polars
from indistinct.sources.engines import open_table
from indistinct.sources.writing import as_shown

LARGE = 2**53 + 1
N = 24

RICH = pl.DataFrame(
    {
        "person": [f"P{i // 2:02}" for i in range(N)],
        "age": pl.Series([30 + i // 2 % 3 for i in range(N)], dtype=pl.Int32),
        "visit": pl.Series([None if i % 5 == 0 else LARGE + i for i in range(N)], dtype=pl.Int64),
        "wide": pl.Series([None if i % 7 == 0 else 2**62 + i for i in range(N)], dtype=pl.Int64),
        "fee": pl.Series(
            [None if i % 4 == 0 else decimal.Decimal(f"{i}.10") for i in range(N)],
            dtype=pl.Decimal(18, 2),
        ),
        "born": [None if i % 6 == 0 else dt.date(1900 + i, 2, 28) for i in range(N)],
        "seen": [
            None if i % 8 == 0 else dt.datetime(2024, 1, 1, 12, 30, i, 250_001) for i in range(N)
        ],
        "asleep": [None if i % 9 == 0 else i % 2 == 0 for i in range(N)],
        "dose": [None if i % 3 == 0 else i / 8 for i in range(N)],
        "marks": [None if i % 10 == 0 else [i, LARGE] for i in range(N)],
        "place": [{"ward": i % 3, "bed": f"b{i}"} for i in range(N)],
    }
)

POLICY = {
    "source": {"person": "person"},
    "attributes": {
        "person": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        **{name: {"role": "insensitive"} for name in RICH.columns[2:]},
    },
    "promises": [{"model": "k-anonymity", "k": 4}],
    "method": {"seed": 7},
}


def columns_of(rows: list[tuple[Any, ...]]) -> Counter[str]:
    return Counter(str(row) for row in rows)


def test_there_and_back(engine: Any) -> None:
    native = engine.load(RICH)
    again = like(to_polars(native), native)
    assert type(again) is type(native)
    assert columns_of(engine.rows(again)) == columns_of(engine.rows(native))
    for told in ("dtypes", "schema", "types"):
        if engine.name != "lazy" and hasattr(native, told):
            before, after = getattr(native, told), getattr(again, told)
            alike = before.equals(after) if hasattr(before, "equals") else before == after
            assert alike, told


def test_a_release_record_by_record_keeps_values_and_types(engine: Any) -> None:
    native = engine.load(RICH)
    released = ind.anonymize(native, POLICY).tables
    assert type(released) is type(native)
    names = list(RICH.columns[2:])
    kept = [row[2:] for row in engine.rows(released)]
    before = [row[2:] for row in engine.rows(native)]
    assert columns_of(kept) == columns_of(before)
    if engine.name.startswith("duckdb"):
        types = dict(zip(native.columns, map(str, native.types), strict=True))
        after = dict(zip(released.columns, map(str, released.types), strict=True))
        assert {name: after[name] for name in names} == {name: types[name] for name in names}
    if engine.name == "pandas":
        assert [released[name].dtype for name in names] == [native[name].dtype for name in names]


def test_different_records_are_counted(engine: Any) -> None:
    twice = pl.concat([RICH, RICH.head(5), RICH.head(5).with_columns(dose=pl.lit(-1.0))])
    assert open_table(engine.load(twice)).different_records() == N + 5


def test_columns_of_pandas_keep_values_and_types() -> None:
    pd = pytest.importorskip("pandas")
    times = pd.to_datetime(["2024-10-27 00:30", "2024-10-27 01:30", None])
    native = pd.DataFrame(
        {
            "whole": pd.array([LARGE, None, -LARGE], "Int64"),
            "unsigned": pd.array([2**63 + 5, None, 1], "UInt64"),
            "arrow": pd.array([LARGE, None, 1], "int64[pyarrow]"),
            "truth": pd.array([True, None, False], "boolean"),
            "small": pd.array([1.5, None, 2.0], "Float32"),
            "text": pd.array(["a", None, ""], "string"),
            "day": pd.Series([dt.date(2024, 1, 1), None, dt.date(1, 1, 1)], dtype=object),
            "fee": pd.Series(
                [decimal.Decimal("1.10"), None, decimal.Decimal("2.00")], dtype=object
            ),
            "zone": pd.Series(times.tz_localize("UTC").tz_convert("Europe/Berlin")),
            "month": pd.period_range("2024-01", periods=3, freq="M"),
            "list": pd.Series([[1, 2], None, [3]], dtype=object),
            "byte": pd.array([1, 2, 3], "int8"),
        }
    )
    again = like(to_polars(native), native)
    assert list(again.dtypes) == list(native.dtypes)
    for name in native.columns:
        assert str(again[name].tolist()) == str(native[name].tolist()), name


def test_texts_in_place_of_numbers_stay_texts_in_pandas() -> None:
    pd = pytest.importorskip("pandas")
    native = pd.DataFrame({"age": pd.array([39, None], "Int64"), "year": [1, 2]})
    months = pd.DataFrame({"month": pd.period_range("2024-01", periods=2, freq="M")})
    again = like(pl.DataFrame({"age": ["39", "40"], "year": ["1", "2"]}), native)
    assert [row.tolist() for _, row in again.items()] == [["39", "40"], ["1", "2"]]
    assert like(pl.DataFrame({"month": ["2024", "2024-01"]}), months)["month"].dtype != (
        months["month"].dtype
    )


def test_no_list_of_categories_comes_with_a_release() -> None:
    pd = pytest.importorskip("pandas")
    native = pd.DataFrame({"ward": pd.Categorical(["A", "B", "only of Eve"])})
    native["code"] = pd.Categorical([LARGE, None, 7])
    again = like(to_polars(native).head(2), native)
    assert not any(isinstance(kind, pd.CategoricalDtype) for kind in again.dtypes)
    assert again["ward"].tolist() == ["A", "B"]
    assert again["code"].iloc[0] == LARGE
    arrow = to_polars(native).with_columns(pl.col("ward").cast(pl.Categorical)).to_arrow()
    assert "dictionary" not in str(like(to_polars(arrow).head(2), arrow).schema)


def test_columns_of_pyarrow_keep_values_and_types() -> None:
    pa = pytest.importorskip("pyarrow")
    at = dt.datetime(2024, 1, 1, 12)
    native = pa.table(
        {
            "text": pa.array(["a", None]),
            "view": pa.array(["a", None], pa.string_view()),
            "day": pa.array([at.date(), None], pa.date64()),
            "second": pa.array([at, None], pa.timestamp("s")),
            "zone": pa.array([at, None], pa.timestamp("us", "Europe/Berlin")),
            "fee": pa.array([decimal.Decimal("1.10"), None], pa.decimal128(20, 2)),
            "list": pa.array([[1], None], pa.list_(pa.int32())),
            "pair": pa.array([[1, 2], None], pa.list_(pa.int16(), 2)),
            "struct": pa.array([{"a": LARGE, "b": "x"}, None]),
            "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
            "bytes": pa.array([b"a", None]),
            "time": pa.array([1, None], pa.time32("s")),
            "span": pa.array([1, None], pa.duration("s")),
            "half": pa.array([np.float16(1.5), None], pa.float16()),
            "unsigned": pa.array([2**64 - 1, None], pa.uint64()),
        }
    )
    if int(pl.__version__.partition(".")[0]) < 2:
        native = native.drop_columns(["map"])  # Polars 1 reads lists, and no nulls
    assert like(to_polars(native), native).equals(native)


def test_a_column_of_pyarrow_that_cannot_be_read_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(DataError, match="odd': the column holds values that cannot be read"):
        to_polars(pa.table({"odd": union}))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("170141183460469231731687303715884105727", "HUGEINT"),
        ("340282366920938463463374607431768211455", "UHUGEINT"),
        ("INTERVAL 1 DAY", "INTERVAL"),
        ("'101'::BIT", "BIT"),
        ("'12:00:00+02'", "TIME WITH TIME ZONE"),
        ("'12:00:00.5'", "TIME"),
        ("'2024-01-01 00:00:00'", "TIMESTAMP_S"),
        ("'2024-01-01 00:00:00.123456789'", "TIMESTAMP_NS"),
        ("'2024-01-01 00:00:00+02'", "TIMESTAMP WITH TIME ZONE"),
        ("'12345678-1234-1234-1234-123456789012'", "UUID"),
        ("MAP {'a': INTERVAL 1 DAY}", "MAP(VARCHAR, INTERVAL)"),
        ("[[1], NULL]", "INTEGER[][]"),
        ("'\\xAA'", "BLOB"),
    ],
)
@pytest.mark.parametrize("algorithm", ["optimal", "k-member"])
def test_columns_of_duckdb_keep_values_and_types(value: str, kind: str, algorithm: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    held = f"CASE WHEN age < 20 THEN CAST({value} AS {kind}) END AS held"
    ages = connection.sql("SELECT unnest([10, 11, 12, 20, 21, 22]) AS age")
    native = ages.project(f"age, {held}")
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "held": {"role": "insensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    release = ind.anonymize(native, policy)
    released = release.tables
    assert not any("formula" in warning for warning in release.warnings)
    assert str(released.types[1]) == str(native.types[1])
    texts = "SELECT count(*), held::VARCHAR FROM v GROUP BY ALL ORDER BY ALL"
    assert released.query("v", texts).fetchall() == native.query("v", texts).fetchall()


def test_numbers_of_duckdb_that_are_generalized_stay_texts() -> None:
    duckdb = pytest.importorskip("duckdb")
    of = duckdb.connect().sql(f"SELECT 1 AS age, '{uuid.UUID(int=7)}'::UUID AS who")
    again = like(pl.DataFrame({"age": ["1"], "who": ["0000*"]}), of)
    assert list(map(str, again.types)) == ["VARCHAR", "VARCHAR"]


def test_a_column_of_several_types_of_duckdb_is_read_as_text(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = "SELECT 1 AS age, union_value(a := i) AS odd FROM range(3) t(i)"
    policy = {
        "rest": "keep",
        "attributes": {"age": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 3}],
    }
    release = ind.anonymize(duckdb.connect().sql(query), policy)
    assert sorted(to_polars(release.tables)["odd"]) == ["0", "1", "2"]
    release.write(tmp_path / "out")
    assert sorted((tmp_path / "out" / "release.csv").read_text().split()[1:]) == [
        "1,0",
        "1,1",
        "1,2",
    ]


def test_days_of_duckdb_are_written_as_days_whatever_their_precision(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    kinds = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")
    days = ", ".join(f"'2024-01-31'::{kind} AS {kind}" for kind in kinds)
    release = as_shown(duckdb.connect().sql(f"SELECT {days}"))
    assert [str(kind) for kind in release.types] == ["DATE"] * 4


@pytest.mark.parametrize("load", [pl.DataFrame.lazy, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas])
def test_time_zones_stay(load: Callable[[pl.DataFrame], Any]) -> None:
    zone = ZoneInfo("Europe/Berlin")
    frame = pl.DataFrame({"at": [dt.datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=1), None]})
    native = load(frame)
    again = to_polars(like(to_polars(native), native))
    assert again["at"].dt.epoch().to_list() == frame["at"].dt.epoch().to_list()


@pytest.mark.parametrize(
    "value", ["'infinity'::DATE", "'-infinity'::TIMESTAMP", "'2900000-01-01'::DATE"]
)
@pytest.mark.parametrize("form", ["relation", "arrow", "parquet", "scan"])
def test_dates_that_have_no_text_are_refused(value: str, form: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = f"SELECT i AS age, CASE WHEN i = 1 THEN {value} ELSE '2024-01-01' END AS until"
    given = duckdb.connect().sql(f"{query} FROM range(9) t(i)")
    native = given.to_arrow_table() if form == "arrow" else given
    if form in ("parquet", "scan"):
        given.write_parquet(native := str(tmp_path / "t.parquet"))
    policy = {
        "rest": "keep",
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": "suppress"}},
        "promises": [{"model": "k-anonymity", "k": 3}],
    }
    with pytest.raises(DataError, match="column 2 has dates more than 250,000 years away") as error:
        ind.anonymize(native, policy, engine="duckdb" if form == "scan" else None)
    assert [problem.code for problem in error.value.problems] == ["unsupported-values"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1, 2], pl.List(pl.Int64)),
        (np.array([1.5, 2.5]), pl.List(pl.Float64)),
        ({"a": 1}, pl.Struct({"a": pl.Int64})),
        (b"\xff", pl.Binary()),
        (dt.timedelta(days=1), pl.Duration),
    ],
)
@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_objects_of_pandas_are_written_as_what_they_are(
    value: Any, kind: pl.DataType, role: str, tmp_path: Path
) -> None:
    pd = pytest.importorskip("pandas")
    values = pd.Series([value, None, value], dtype=object)
    policy = {
        "attributes": {"age": {"role": "quasi-identifier"}, "x": {"role": role}},
        "promises": [{"model": "k-anonymity", "k": 3}],
        "output": {"format": "parquet"},
    }
    release = ind.anonymize(pd.DataFrame({"age": [1] * 3, "x": values}), policy)
    release.write(tmp_path / "out")
    written = pl.read_parquet(tmp_path / "out" / "release.parquet")["x"]
    assert written.dtype == kind, "of whatever unit: that of pandas 2 is another one"
    assert written.null_count() == 1


def test_objects_of_no_type_are_refused_in_parquet(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    policy = {
        "rest": "keep",
        "attributes": {"age": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 3}],
        "output": {"format": "parquet"},
    }
    release = ind.anonymize(pd.DataFrame({"age": [1] * 3, "x": [{1}, {2}, {3}]}), policy)
    with pytest.raises(OutputError, match="'x': values of several types of Python") as error:
        release.write(tmp_path / "out")
    assert error.value.problems[0].code == "unsupported-type"
