"""Spark: the questions of the seam, releases as in memory, and nothing on the driver but counts.

One session serves all tests of this file: to start Java costs more than they do. Some policies and
verbs stand for all, but where ``INDISTINCT_SPARK`` is ``all`` (``make test-spark``).
"""

from __future__ import annotations

import datetime as dt
import gc
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.sources.suite import (
    BY_ROWS,
    COUNTED,
    MISSING,
    POLICIES,
    TABLES,
    TOGETHER,
    VERB_KEYS,
    classes_of_a_sample_are_whole,
    is_that_of_polars,
    numbers_are_held_together,
)
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.errors import DataError, OutputError, PolicyError
from indistinct.recoding.partition import first_cuts
from indistinct.sources import memory, spark_files, spark_release, spark_session, spark_table
from indistinct.sources.convert import like, to_polars
from indistinct.sources.engines import open_table, some_classes
from indistinct.sources.spark_kept import numbered

pytest.importorskip("pyspark", reason="PySpark (the extra spark) is not installed")
pytestmark = [
    # PySpark leaves the sockets by which it reads to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

ALL = os.environ.get("INDISTINCT_SPARK") == "all"
SOME = {"suppressed kept", "Mondrian, distinct", "noise", "risk"}
"""Counted and kept as it is, counted with values, and record by record; a verb that counts."""

N = 400
TABLE = pl.DataFrame(
    {
        "age": [None if at % 50 == 0 else 20 + at * 7 % 20 for at in range(N)],
        "height": [(0.0, -0.0)[at % 2] for at in range(N)],
        "born": [dt.date(1990, 1, 1 + at % 3) for at in range(N)],
        "ill": [None if at % 9 == 0 else f"d{at % 4}" for at in range(N)],
        "seen": [dt.datetime(2024, 1, 1, 12, at % 60, 1, 250_001) for at in range(N)],
        "cost": [Decimal(at % 5) / 4 for at in range(N)],
        "big": [2**62 + at for at in range(N)],
        "marks": [None if at % 10 == 0 else [at, 2**53 + 1] for at in range(N)],
        "note": [("", None, "NaN")[at % 3] for at in range(N)],
        "scan": [f"{at:05}" * 4000 for at in range(N)],
    },
    schema_overrides={"cost": pl.Decimal(10, 2)},
)
KEPT = ["height", "born", "ill", "seen", "cost", "big", "marks", "note", "scan"]
POLICY: dict[str, Any] = {
    "rest": "keep",
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "height": {"role": "quasi-identifier"},
        "born": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "promises": [
        {"model": "k-anonymity", "k": 5},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
    ],
    "method": {"seed": 3},
    "output": {"format": "parquet"},
}


TOML = """
rest = "keep"
attributes.age = { role = "quasi-identifier", hierarchy = { intervals = { width = 10 } } }
attributes.height.role = "quasi-identifier"
attributes.born.role = "quasi-identifier"
promises = [{ model = "k-anonymity", k = 5 }]
output.format = "parquet"
"""


class Context:
    """What is asked of Spark's own about the Python of its executors."""

    def __init__(self, master: str, *settings: str) -> None:
        self.master, self.settings, self.pythonExec = master, settings, "python3"

    def getConf(self) -> Any:  # noqa: N802 - as Spark calls it
        return self

    def contains(self, name: str) -> bool:
        return name in self.settings


def test_executors_on_this_machine_use_its_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    for master, settings, used in (
        ("local", (), sys.executable),
        ("local[2]", (), sys.executable),
        ("local-cluster[2,1,1024]", (), sys.executable),
        ("yarn", (), "python3"),
        ("local[1]", ("spark.pyspark.python",), "python3"),
    ):
        context = Context(master, *settings)
        spark_session.use_own_python(context)
        assert context.pythonExec == used
    monkeypatch.setenv("PYSPARK_PYTHON", "python3.12")
    spark_session.use_own_python(context := Context("local[1]"))
    assert context.pythonExec == "python3"


class Session:
    """What is asked of a session that is set for what is read."""

    def __init__(self, *settings: str) -> None:
        self.sparkContext = Context("local[3]", *settings)
        self.sparkContext.defaultParallelism = 3  # type: ignore[attr-defined]
        self.conf, self.held = self, {}
        self.set, self.unset = self.held.__setitem__, lambda name: self.held.pop(name, None)


def test_a_session_of_our_own_is_set_for_what_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "visits").mkdir()
    (folder / "a.csv").write_text("age\n1\n")
    session = Session("spark.sql.adaptive.enabled")
    spark_session.settle(session, folder)
    assert not session.held  # somebody else's
    counts = spark_session._OF_COUNTS
    monkeypatch.setattr(spark_session._Own, "session", session)
    for source in (folder, f"file://{folder}/*.csv", folder / "a.csv"):
        spark_session.settle(session, source)
        assert session.held == counts | {
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.shuffle.partitions": "3",
        }
        spark_session.settle(session, "hdfs://node/visits")
        assert session.held == counts
    monkeypatch.setattr(spark_session, "SMALL", 5)
    spark_session.settle(session, folder)
    assert session.held == counts
    monkeypatch.undo()
    other = Session(own := next(iter(counts)))
    other.sparkContext.master = "spark://node:7077"
    monkeypatch.setattr(spark_session._Own, "session", other)
    spark_session.settle(other, folder)
    assert other.held == {name: value for name, value in counts.items() if name != own}


def test_a_session_that_begins_beside_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    let, asked = threading.Event(), []

    def made(*given: Any) -> str:
        asked.append((threading.current_thread() is threading.main_thread(), *given))
        assert let.wait(60)
        if given[0] == "none":
            raise DataError("not-installed", "Java does not start")
        return "session"

    monkeypatch.setattr(spark_session, "_made", made)
    monkeypatch.setattr(spark_session, "_running", lambda: None)
    monkeypatch.setattr(spark_session, "_active", lambda session: f"active {session}")
    spark_session.begin_beside("local[2]", "visits.csv")
    let.set()
    assert spark_session.begin_spark() == "active session"
    assert asked == [(False, "local[2]", "visits.csv")]
    assert spark_session.begin_spark("local[1]") == "session"
    spark_session.begin_beside("none")
    with pytest.raises(DataError, match="Java does not start"):
        spark_session.begin_spark()
    monkeypatch.setattr(spark_session, "_running", lambda: "running")
    spark_session.begin_beside("local[2]")
    assert spark_session.begin_spark() == "running"


def test_of_combinations_that_were_counted_some_are_kept() -> None:
    tables = [pl.DataFrame({"age": range(at)}).to_arrow() for at in (100, 30, 20, 10)]
    known = spark_release.Known()
    for one in tables:
        known.keep_counted(one, 8 * 60)
    assert [one.num_rows for one in known.counted] == [30, 20, 10]
    known.keep_counted(tables[0], 0)  # the last is kept, however large
    assert [one.num_rows for one in known.counted] == [100]


def test_what_combinations_publish_alike_has_one_number() -> None:
    nan = float("nan")
    lookup = pl.DataFrame(
        {"k0": [1.5, nan, nan, None], "k1": [*"abcd"], "p0": ["x", "x", "x", "y"]}
    )
    beside, shown = numbered(lookup.to_arrow(), ["k0", "p0"])
    assert beside.column("number").to_pylist() == [0, 1, 1, 2]
    assert beside.select(["k1", "p0"]).equals(lookup.to_arrow().select(["k1", "p0"]))
    assert str(shown.to_pylist()) == (
        "[{'k0': 1.5, 'p0': 'x', 'number': 0}, {'k0': nan, 'p0': 'x', 'number': 1}, "
        "{'k0': None, 'p0': 'y', 'number': 2}]"
    )


def some_of(names: Iterable[str]) -> list[Any]:
    """Each of some names, skipped where it does not stand for all."""
    rare = pytest.mark.skipif(not ALL, reason="make test-spark runs all policies and verbs")
    return [name if name in SOME else pytest.param(name, marks=rare) for name in names]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A local session."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[1]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",  # compiles longer than so few rows take
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # To compile what is soon over takes half of the time.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    }
    session = builder.config(map=settings).getOrCreate()
    spark_session.use_own_python(session.sparkContext)
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    gc.collect()  # what PySpark left, while it is not held against another test


@pytest.fixture(scope="module")
def given(spark: Any) -> Any:
    return spark.createDataFrame(TABLE.to_arrow())


def in_spark(spark: Any, table: pl.DataFrame) -> Any:
    return spark.createDataFrame(table.to_arrow())


def rows(frame: Any) -> Counter[str]:
    held = to_polars(frame)
    return Counter(str(row) for row in held.rows())


def told(spark: Any, work: Callable[[], Any]) -> tuple[Any, int, int]:
    """What some work gives; the jobs it took, and the bytes that the driver got of their tasks."""
    context = spark.sparkContext._jsc.sc()
    store = context.statusStore()
    before = {job.jobId() for job in _listed(store.jobsList(None))}
    known = {(one.stageId(), one.attemptId()) for one in _stages(spark, store)}
    found = work()
    context.listenerBus().waitUntilEmpty()
    jobs = {job.jobId() for job in _listed(store.jobsList(None))} - before
    got = [one for one in _stages(spark, store) if (one.stageId(), one.attemptId()) not in known]
    return found, len(jobs), sum(one.resultSize() for one in got)


def _listed(found: Any) -> list[Any]:
    return [found.apply(at) for at in range(found.size())]


def _stages(spark: Any, store: Any) -> list[Any]:
    java = spark.sparkContext._jvm
    doubles = spark.sparkContext._gateway.new_array(java.double, 0)
    return _listed(store.stageList(None, False, False, doubles, None))


def test_questions_are_answered_as_in_memory(given: Any) -> None:
    table, own = open_table(given), open_table(TABLE)
    assert table.kinds == own.kinds
    assert table.height() == N
    names = [name for name in TABLE.columns if name not in ("marks", "scan")]
    assert rows(table.text(names)) == rows(own.text(names))
    for asked in (names, ["height", "age"], ["note"]):
        wanted = own.distinct(asked)
        assert rows(table.distinct(asked).select(wanted.columns)) == rows(wanted)
    assert table.tally("note", 5) == own.tally("note", 5)
    assert table.tally("age", 25) == own.tally("age", 25)
    for name, (filled, values) in table.about(names).items():
        assert filled == own.about([name])[name][0]
        assert values >= 0.9 * own.distinct([name]).drop_nulls(name).height
    assert table.different_records() == N
    assert not rows(table.sample(["big"], 50)) - rows(own.text(["big"]))
    assert rows(to_polars(like(TABLE, given))) == rows(TABLE)


def test_a_release_is_that_of_memory_and_the_driver_gets_counts(spark: Any, given: Any) -> None:
    dealt = given.repartition(3).withMetadata("big", {"secret": "stays at home"})
    release, jobs, got = told(spark, lambda: ind.anonymize(dealt, POLICY))
    assert jobs <= 17
    assert got < 2_000_000 < TABLE["scan"].str.len_bytes().sum()
    memory_run = ind.anonymize(TABLE, POLICY)
    assert rows(release.tables) == rows(memory_run.tables)
    at = {"created": None}
    assert release.certificate.to_dict() | at == memory_run.certificate.to_dict() | at
    assert release.measures == memory_run.measures
    assert release.tables.select(KEPT[3:]).schema == given.select(KEPT[3:]).schema
    assert not any(field.metadata for field in release.tables.schema.fields)
    assert {str(one) for one in to_polars(release.tables)["height"]} == {"0.0"}
    again = ind.anonymize(given, POLICY)
    assert str(again.tables.collect()) == str(release.tables.collect())
    held = spark.sparkContext._jsc.getPersistentRDDs
    before = held().size()
    again.tables.unpersist()
    assert held().size() == before - 1
    assert ind.audit(release.tables, POLICY).holds
    assert ind.risk(given, POLICY).classes == ind.risk(TABLE, POLICY).classes


@pytest.mark.parametrize(
    ("frame", "named"),
    [
        ({"age": [1, 2], "7": [8, 9], "sex": ["f", "m"]}, False),
        ({"age": [1, 2], "7": [7, 9], "sex": ["f", "m"]}, True),
        ({"age": [1.5, float("nan")], "NaN": [2.5, float("nan")]}, True),
        ({"age": [1.5, float("nan")], "no": [True, False]}, False),
        ({"True": [True, False], "sex": [None, "m"]}, False),
        ({"true": [True, False], "sex": [None, "m"]}, True),
        ({"sex": ["f", "sex"], "age": [1, 2]}, True),
    ],
)
def test_names_are_held_against_values_where_these_can_be_names(
    spark: Any, frame: dict[str, list[Any]], named: bool
) -> None:
    table = open_table(spark.createDataFrame(pl.DataFrame(frame).to_arrow()))
    assert table._known.named is named
    assert table.like_their_names().height == 2 + named


def test_what_the_driver_gets_does_not_grow_with_texts_and_columns(
    spark: Any, given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import functions as f

    monkeypatch.setattr(spark_table, "_SENT", most := 50_000)
    monkeypatch.setattr(spark_table, "_SENT_OF_CLASSES", most)
    repeated = {f"n{at}": f.repeat(f.col("ill"), 3000) for at in range(4)}
    wide = given.select("age", "height", "born", "ill").withColumns(repeated)
    release, _, got = told(spark, lambda: ind.anonymize(wide, POLICY))
    assert release.tables.count() == N
    assert got < 20 * most < 4 * 6000 * N / 3
    own = open_table(wide)
    for columns in (wide.columns, wide.columns[2:]):
        some, _, got = told(spark, lambda: own.sample(columns, 4000))  # noqa: B023
        assert 0 < some.height < N / 3
        assert got < 3 * most
    _, _, got = told(spark, own.like_their_names)
    assert got < 3 * most


def test_texts_that_the_driver_cannot_hold_are_not_counted_by_class(
    spark: Any, given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import functions as f

    wide = given.select(*KEPT[:3], "age").withColumn("told", f.repeat(f.col("ill"), 20_000))
    attributes = {**POLICY["attributes"], "told": {"role": "sensitive"}}
    policy = {**POLICY, "attributes": attributes, "promises": POLICY["promises"][:1]}
    monkeypatch.setattr(spark_table, "_SENT", 50_000)
    whole, _, most = told(spark, lambda: ind.anonymize(wide, policy))
    monkeypatch.setattr(memory, "allowed", lambda: 800_000)
    release, _, got = told(spark, lambda: ind.anonymize(wide, policy))
    assert got < most - 200_000
    assert [
        any("'told' was not counted" in warning for warning in one.warnings)
        for one in (whole, release)
    ] == [False, True]
    own = open_table(wide)
    own.about(["told"])
    with pytest.raises(DataError, match="KB of texts in 'told', and may have 195"):
        own.distinct(["told", "age"])


def test_of_what_a_class_tells_whole_classes_come_home_in_one_job(
    spark: Any, given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quasi, names = ["age", "ill"], ["ill", "big", "age", "scan"]
    own, keys = open_table(given.repartition(3)), pl.struct(quasi)
    every, jobs, _ = told(spark, lambda: some_classes(own, quasi, names, 1))
    assert jobs == 1
    assert rows(every) == rows(TABLE.select(names))
    drawn, jobs, got = told(spark, lambda: some_classes(own, quasi, names, 8))
    assert jobs == 1
    assert 0 < drawn.height < N / 2
    assert got < TABLE["scan"].str.len_bytes().sum() / 2
    whole = keys.is_in(drawn.select(keys).to_series())
    assert rows(drawn) == rows(TABLE.select(names).filter(whole))
    monkeypatch.setattr(spark_table, "_SENT_OF_CLASSES", most := 300_000)
    none, _, got = told(spark, lambda: some_classes(own, quasi, names, 1))
    assert none is None
    assert got < 2 * most


def test_what_one_value_tells_of_another_is_told_as_in_memory(spark: Any) -> None:
    table = pl.DataFrame(
        {
            "sex": [("f", "m", None)[at % 3] for at in range(90)],
            "ill": [f"ill {at % 10}" for at in range(90)],
            "drug": [None if at % 10 == 7 else f"drug {at % 10}" for at in range(90)],
            "ward": [at // 3 for at in range(90)],
        }
    )
    asked = {
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
            "drug": {"role": "sensitive"},
            "ward": {"role": "sensitive"},
        },
        "promises": [{"model": "max-posterior", "bound": 0.5, "sensitive": "ill"}],
    }
    warnings = ind.anonymize(table, asked).warnings
    assert any("tell another for certain" in text for text in warnings)
    assert ind.anonymize(in_spark(spark, table), asked).warnings == warnings


@pytest.mark.parametrize("parts", [1, 2])
def test_a_release_is_the_same_however_its_table_is_parted(
    spark: Any, given: Any, parts: int
) -> None:
    releases = [ind.anonymize(one, POLICY) for one in (given, given.repartition(parts, "ill"))]
    one, other = releases
    assert str(one.tables.collect()) == str(other.tables.collect())
    at = {"created": None}
    assert one.certificate.to_dict() | at == other.certificate.to_dict() | at


@pytest.mark.parametrize("policy", some_of(POLICIES))
def test_the_suite_is_released_as_by_polars(spark: Any, policy: str) -> None:
    is_that_of_polars(policy, in_spark(spark, TABLES[POLICIES[policy][0]]))


CUT: dict[str, Any] = {
    "rest": "keep",
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "height": {"role": "quasi-identifier"},
        "born": {"role": "quasi-identifier"},
        "seen": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "ill": {"role": "sensitive"},
    },
    "promises": [
        {"model": "k-anonymity", "k": 60},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
    ],
    "method": {"seed": 3, "algorithm": "mondrian"},
    "output": {"format": "parquet"},
}


def test_what_does_not_fit_the_driver_is_cut_by_the_executors(
    spark: Any, given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_run = ind.anonymize(TABLE, CUT)
    most = 75
    monkeypatch.setattr(memory, "most_combinations", lambda _: most)
    monkeypatch.setattr(first_cuts, "REGION", 40)
    with pytest.raises(DataError) as refused:
        ind.anonymize(given, {**CUT, "method": {"seed": 3}})
    assert 'only algorithm = "mondrian" can cut it' in str(refused.value)
    release, jobs, got = told(spark, lambda: ind.anonymize(given.repartition(3), CUT))
    assert jobs <= 55
    assert got < 2_000_000
    assert rows(release.tables) == rows(memory_run.tables)
    at = {"created": None}
    assert release.certificate.to_dict() | at == memory_run.certificate.to_dict() | at
    left_out = {"non-uniform-entropy"}
    assert release.measures == pytest.approx(
        {name: one for name, one in memory_run.measures.items() if name not in left_out}
    )
    assert {str(one) for one in to_polars(release.tables)["height"]} == {"0.0"}
    assert (
        release.tables.select("big", "marks", "scan").schema
        == given.select("big", "marks", "scan").schema
    )


@pytest.mark.parametrize("verb", some_of(COUNTED | BY_ROWS))
def test_every_verb_says_what_it_says_of_memory(spark: Any, verb: str) -> None:
    ask = (COUNTED | BY_ROWS)[verb]
    table, release = TABLES["table"], ind.anonymize(TABLES["table"], VERB_KEYS).tables
    assert ask(in_spark(spark, table), in_spark(spark, release)) == ask(table, release)


def test_a_path_in_and_a_folder_out(spark: Any, tmp_path: Path) -> None:
    plain = TABLE.drop("marks", "note", "seen", "scan").with_columns(pl.col("age").cast(pl.Float64))
    (tmp_path / "visits").mkdir()
    plain.head(150).write_csv(tmp_path / "visits" / "one.csv")
    plain.tail(-150).write_csv(tmp_path / "visits" / "two.csv")
    plain.write_csv(whole := tmp_path / "whole.csv")
    (policy := tmp_path / "policy.toml").write_text(TOML)
    place = tmp_path / "release [1].parquet"
    command = ["anonymize", str(tmp_path / "visits"), "--policy", str(policy), "--engine", "spark"]
    run = [*command, "--out", str(tmp_path / "run"), "--into", f"file://{place}"]
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    own = ind.anonymize(whole, policy)
    written = [pl.read_parquet(one, glob=False) for one in place.glob("*.parquet")]
    assert rows(pl.concat(written)) == rows(own.tables)
    document = json.loads((place / "_certificate.json").read_text("utf-8"))
    assert document == json.loads((tmp_path / "run" / "certificate.json").read_text("utf-8"))
    assert document["classes"] == own.certificate.to_dict()["classes"]
    assert (tmp_path / "run" / "report.html").is_file()
    assert not [one for one in tmp_path.iterdir() if ".ind-" in one.name]
    again = CliRunner().invoke(app, run)
    assert again.exit_code == 2, again.output
    assert "something of that name is there already" in again.output
    local = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "local"), "--no-report"])
    assert local.exit_code == 0, local.output
    assert ind.audit(tmp_path / "local").holds
    spark.read.parquet(str(place).replace("[", "\\[")).createOrReplaceTempView("visits")
    assert ind.risk("table:visits", quasi=["born"], engine="spark").classes["count"] == 3


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "a b.csv", "a%20b.csv", "a?.csv"])
def test_a_file_is_read_by_its_own_name_alone(spark: Any, tmp_path: Path, name: str) -> None:
    del spark
    for at, other in enumerate(("a1.csv", "ab.csv", name)):
        (tmp_path / other).write_text(f"age,ill\n{at},d\n")
    own = spark_files.open_in_spark(tmp_path / name)
    assert own.text(["age"])["age"].to_list() == ["2"]
    (tmp_path / name).unlink()
    if "*" in name:  # what is no file is a pattern
        assert sorted(spark_files.open_in_spark(tmp_path / name).text(["age"])["age"]) == ["0", "1"]


def test_lines_with_too_few_or_too_many_cells_are_counted_and_end_no_task(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_files, "_HEAD", 60)
    table = tmp_path / "visits.csv"
    table.write_text("age,ill\n" + "4,d\n" * 20 + "2\n3,c,hiv\n\n4,d\n")
    tracker = spark.sparkContext._jsc.sc().statusStore()

    def refused(**reading: Any) -> str:
        with pytest.raises(DataError) as caught:
            spark_files.open_in_spark(table, **reading)
        return str(caught.value)

    said = [refused(), refused(header=False)]
    assert all("2 lines have more or fewer" in one for one in said)
    assert not any(cell in one for one in said for cell in ("3", "hiv"))
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    assert not any(one.numFailedTasks() for one in _stages(spark, tracker))
    table.write_text('age,ill\n1,a\n2,"b\n,c"\n')
    assert spark_files.open_in_spark(table).height() == 2


QUIET = """
import sys
from indistinct.sources import spark_release, spark_session
from pyspark.sql import functions as f
session = spark_session.begin_spark("local[1]")
spark_session.use_own_python(session.sparkContext)
cell = f.concat(f.lit("no "), f.lit("cell"))
with spark_release.telling("visits"):
    session.range(9).select(f.raise_error(cell)).toArrow()
"""


@pytest.mark.skipif(not ALL, reason="make test-spark starts a session of its own")
def test_what_ends_a_task_is_not_printed() -> None:
    command = [sys.executable, "-c", QUIET]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert "Spark ended a job" in done.stderr
    assert "no cell" not in done.stdout + done.stderr


def test_what_is_refused(
    spark: Any, given: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def code(work: Callable[[], Any]) -> str:
        with pytest.raises((DataError, PolicyError, OutputError)) as caught:
            work()
        return caught.value.problems[0].code

    monkeypatch.setattr(memory, "allowed", lambda: 200_000)
    said, _, got = told(spark, lambda: code(lambda: open_table(given).distinct(["big", "scan"])))
    assert said == "combinations-do-not-fit"
    assert got < 100_000 < 200 * TABLE["scan"].str.len_bytes().min()  # type: ignore[operator]
    monkeypatch.setattr(memory, "allowed", lambda: 20_000)
    assert code(lambda: open_table(given).distinct(["big"])) == "combinations-do-not-fit"
    assert code(lambda: open_table(given).text(["big", "ill"])) == "needs-rows"
    monkeypatch.undo()
    assert code(lambda: ind.anonymize("table:none", POLICY, engine="spark")) == "refused-by-spark"
    nothing = str(tmp_path / "none.parquet")
    assert code(lambda: ind.anonymize(nothing, POLICY, engine="spark")) == "missing-file"
    both: dict[str, Any] = {"engine": "spark", "memory": "2GB"}
    assert code(lambda: ind.anonymize(nothing, POLICY, **both)) == "bad-memory"
    table = tmp_path / "visits.parquet"
    TABLE.write_parquet(table)
    opened = spark_files.open_in_spark(table)
    os.utime(table, (1, 1))
    own = open_table(given)
    monkeypatch.setattr(spark_table.SparkTable, "publish", lambda *_: given)
    assert code(lambda: opened.publish(own)) == "changed-while-read"  # type: ignore[arg-type]


def test_what_was_written_is_what_was_audited(
    given: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = ind.anonymize(given, POLICY)
    monkeypatch.setattr(spark_files, "contents_of", lambda _: ((N, 1), 0))
    place = tmp_path / "release"
    with pytest.raises(ind.IndistinctError, match="not what was audited"):
        release.write(tmp_path / "run", report=False, into=str(place))
    assert not list(tmp_path.iterdir())


def test_classes_of_a_sample_are_whole(spark: Any) -> None:
    classes_of_a_sample_are_whole(open_table(spark.createDataFrame(MISSING.to_arrow())))


def test_records_of_a_number_are_held_together(spark: Any) -> None:
    numbers_are_held_together(open_table(spark.createDataFrame(TOGETHER.to_arrow())))
