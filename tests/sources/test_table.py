from __future__ import annotations

import datetime as dt
import pickle
from collections import Counter
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.conftest import ENGINES
from tests.sources.suite import (
    MISSING,
    TOGETHER,
    classes_of_a_sample_are_whole,
    numbers_are_held_together,
)

from indistinct.errors import DataError, IndistinctError
from indistinct.release.audit.reading import read_release
from indistinct.sources.engines import open_table
from indistinct.sources.table import Change, count_column, require_columns

PEOPLE = pl.DataFrame(
    {
        "name": ["Ann", "Bea", "Cid", "Dan", "Eve", "Flo"],
        "sex": ["f", "f", "m", "m", "f", None],
        "age": [39, 41, 39, 39, None, 41],
        "weight": [70.5, float("nan"), 80.0, -0.0, None, 1e22],
        "seen": [dt.date(2024, 1, day) for day in (1, 2, 3, 3, 2, 1)],
        "asleep": [True, False, True, True, None, False],
    }
)


def change(table: Any, keys: tuple[str, ...], columns: tuple[str, ...], **more: Any) -> Change:
    """Publish the first key as ``*`` and leave out whoever misses a value of the last one."""
    combinations = table.distinct(keys).drop("count")
    return Change(
        keys=keys,
        combinations=combinations,
        published=combinations.select(
            pl.col(keys[0])
            .is_null()
            .replace_strict({True: "?", False: "*"}, return_dtype=pl.String)
        ),
        keep=combinations[keys[-1]].is_not_null().to_numpy(),
        columns=columns,
        **more,
    )


# What a table says of itself -------------------------------------------------------------------


def test_columns_kinds_and_height(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    assert table.columns == tuple(PEOPLE.columns)
    assert table.height() == 6
    kinds = dict(table.kinds)
    assert kinds.pop("age") in ("integer", "float")  # pandas keeps missing whole numbers as floats
    assert kinds == {
        "name": "text",
        "sex": "text",
        "weight": "float",
        "seen": "date",
        "asleep": "boolean",
    }


def test_text_is_the_same_in_every_engine(engine: Any) -> None:
    text = open_table(engine.load(PEOPLE)).text(PEOPLE.columns[1:])
    assert set(text.dtypes) == {pl.String}
    assert text.rows() == [
        ("f", "39", "70.5", "2024-01-01", "true"),
        ("f", "41", None, "2024-01-02", "false"),
        ("m", "39", "80", "2024-01-03", "true"),
        ("m", "39", "0", "2024-01-03", "true"),
        ("f", None, None, "2024-01-02", None),
        (None, "41", "1e+22", "2024-01-01", "false"),
    ]


def test_distinct_counts(engine: Any) -> None:
    counted = open_table(engine.load(PEOPLE)).distinct(["sex", "age"])
    assert counted.columns == ["sex", "age", "count"]
    assert counted.schema["count"] == pl.Int64
    assert set(counted.rows()) == {
        ("f", "39", 1),
        ("f", "41", 1),
        ("m", "39", 2),
        ("f", None, 1),
        (None, "41", 1),
    }


def test_distinct_joins_values_with_one_text(engine: Any) -> None:
    frame = pl.DataFrame({"note": ["", None, "a", "a"], "x": [0.0, -0.0, float("nan"), None]})
    counted = open_table(engine.load(frame)).distinct(["note", "x"])
    assert set(counted.rows()) == {(None, "0", 2), ("a", None, 2)}


@pytest.mark.parametrize("name", ["duckdb", "duckdb-default"])
def test_classes_of_a_sample_are_whole(name: str) -> None:
    classes_of_a_sample_are_whole(open_table(ENGINES[name]().load(MISSING)))


@pytest.mark.parametrize("name", ENGINES)
def test_records_of_a_number_are_held_together(name: str) -> None:
    native = ENGINES[name]().load(TOGETHER)
    numbers_are_held_together(open_table(native))
    some = {"word": ["?"], "number": ["?"]}
    known = open_table(native, missing_tokens=some).within("number", ["word"], {"word": ["x"]})
    every = open_table(native).within("number", ["word"], {**some, "word": ["?", "x"]})
    assert sorted(known["word"].rows(), key=str) == sorted(every["word"].rows(), key=str)


KINDS = {
    "whole": pl.Series([1, 2, 2, None]),
    "signed zeros": pl.Series([0.0, -0.0, float("nan"), None]),
    "single": pl.Series([0.1, 0.1, float("nan"), None], dtype=pl.Float32),
    "texts": pl.Series(["", "a", None, "?"]),
    "yes or no": pl.Series([True, None, False, True]),
    "moments": pl.Series([dt.datetime(2020, 1, 1), None, dt.datetime(2021, 1, 1, 3, 4, 5, 6)]),
    "spans": pl.Series([dt.timedelta(days=1), None, dt.timedelta(hours=24)]),
    "categories": pl.Series(["a", "", "a", None], dtype=pl.Categorical),
    "codes": pl.Series(["a", "", "a", None], dtype=pl.Enum(["a", ""])),
    "nothing": pl.Series([None, None]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_distinct_of_one_column_counts_its_texts(kind: str) -> None:
    table = open_table(pl.DataFrame({"a": KINDS[kind]}), missing_tokens={"a": ["?", "2"]})
    counted = table.distinct(["a"])
    assert counted.schema == {"a": pl.String, "count": pl.Int64}
    assert len(counted) == counted["a"].n_unique()
    assert dict(counted.rows()) == Counter(table.text(["a"])["a"].to_list())


@pytest.mark.parametrize("tokens", [{}, {"a": ["?", "2"]}])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tally_is_of_texts(kind: str, tokens: dict[str, list[str]]) -> None:
    table = open_table(pl.DataFrame({"a": KINDS[kind]}), missing_tokens=tokens)
    often = Counter(table.text(["a"])["a"].drop_nulls().to_list()).values()
    for _ in range(2):
        for fewer in (1, 2):
            rare = sum(count for count in often if count < fewer)
            assert table.tally("a", fewer) == (sum(often), len(often), rare)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_a_release_are_counted_as_they_are_read(kind: str) -> None:
    part = read_release(pl.DataFrame({"a": KINDS[kind]})).tables[0]
    texts, times = part.tallied("a")
    read = part.texts(["a"])["a"].replace("-0", "0")
    assert dict(zip(texts.to_list(), times.tolist(), strict=True)) == Counter(read.to_list())


def test_distinct_beside_a_column_called_count(engine: Any) -> None:
    table = open_table(engine.load(pl.DataFrame({"count": ["1", "1", "2"]})))
    counted = table.distinct(["count"])
    assert counted.columns == ["count", count_column(["count"])]
    assert set(counted.rows()) == {("1", 2), ("2", 1)}


def test_rows_where(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    found = table.rows_where("sex", ["m", None])
    assert found == ((3, 4, 6) if engine.ordered else ())


def test_rows_where_stops_after_eleven() -> None:
    table = open_table(pl.DataFrame({"a": ["x"] * 20}))
    assert table.rows_where("a", ["x"]) == tuple(range(1, 12))


def test_times_of_midnight_are_dates(engine: Any) -> None:
    noon = [dt.datetime(2024, 1, 31, hour) for hour in (0, 12)]
    frame = pl.DataFrame({"day": [noon[0], None], "time": noon})
    table = open_table(engine.load(frame))
    assert dict(table.kinds) == {"day": "date", "time": "datetime"}
    assert table.text(["day", "time"]).rows() == [
        ("2024-01-31", "2024-01-31T00:00:00"),
        (None, "2024-01-31T12:00:00"),
    ]


def test_missing_tokens(engine: Any) -> None:
    frame = pl.DataFrame({"a": ["?", "NA", "x", None], "b": ["?"] * 4})
    table = open_table(engine.load(frame), missing_tokens={"a": ["?", "NA"]})
    assert table.text(["a"]).to_series().to_list() == [None, None, "x", None]
    assert set(table.distinct(["a", "b"]).rows()) == {(None, "?", 3), ("x", "?", 1)}
    if engine.ordered:
        assert table.rows_where("a", [None]) == (1, 2, 4)
    combinations = table.distinct(["a"]).drop("count")
    published = combinations.select(pl.col("a").fill_null("none"))
    release = table.publish(Change(("a",), combinations, published, np.ones(2, bool), ("a",)))
    assert sorted(engine.rows(release)) == [("none",)] * 3 + [("x",)]


# Publishing ------------------------------------------------------------------------------------


def test_publish_keeps_order_types_and_other_values(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    release = table.publish(change(table, ("sex", "age"), ("age", "sex", "seen")))
    days = PEOPLE["seen"].cast(pl.String)
    rows = [(sex, str(day)[:10]) for _, sex, day in engine.rows(release)]
    expected = [("?" if number == 5 else "*", days[number]) for number in (0, 1, 2, 3, 5)]
    assert rows == expected
    assert sorted(row[0] for row in engine.rows(release)) == [39, 39, 39, 41, 41]
    assert type(release) is type(engine.load(PEOPLE))


def test_publish_with_known_combinations_is_the_same(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    plain = change(table, ("sex", "age"), ("sex", "age"))
    place = {row: at for at, row in enumerate(plain.combinations.rows())}
    rows = table.text(["sex", "age"]).rows()
    known = np.array([place[row] for row in rows], np.int32)
    told = Change(**{**vars(plain), "combination_of": known})
    assert Counter(engine.rows(table.publish(told))) == Counter(engine.rows(table.publish(plain)))


def test_publish_shuffled_is_repeatable_and_complete(engine: Any) -> None:
    frame = pl.DataFrame(
        {"a": [str(i % 5) for i in range(200)], "b": [f"{i:03}" for i in range(200)]}
    )
    table = open_table(engine.load(frame))

    def release(seed: int) -> list[tuple[Any, ...]]:
        generator = np.random.default_rng(seed)
        return engine.rows(table.publish(change(table, ("a",), ("a", "b"), shuffle=generator)))

    first = release(1)
    assert first == release(1)
    assert first != release(2)
    assert sorted(first) == sorted(release(2)) == [("*", f"{i:03}") for i in range(200)]
    assert [row[1] for row in first] != frame["b"].to_list()


def test_publish_in_a_given_order(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    order = np.array([5, 4, 3, 0, 1, 2])
    release = table.publish(change(table, ("sex", "age"), ("name",), order=order))
    assert engine.rows(release) == [("Flo",), ("Dan",), ("Ann",), ("Bea",), ("Cid",)]


def test_publish_everybody_in_a_given_order(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    plain = change(table, ("sex",), ("name",), order=np.array([5, 4, 3, 0, 1, 2]))
    everybody = Change(**{**vars(plain), "keep": np.ones(len(plain.keep), bool)})
    names = [row[0] for row in engine.rows(table.publish(everybody))]
    assert names == ["Flo", "Eve", "Dan", "Ann", "Bea", "Cid"]


@pytest.mark.parametrize("ordering", ["source", "given", "shuffled"])
def test_publish_replaces_columns_record_by_record(engine: Any, ordering: str) -> None:
    table = open_table(engine.load(PEOPLE))
    more: dict[str, Any] = {}
    if ordering == "given":
        more["order"] = np.arange(6)[::-1].copy()
    if ordering == "shuffled":
        more["shuffle"] = np.random.default_rng(5)
    new = {"name": pl.Series([f"person {number}" for number in range(6)])}
    wanted = change(table, ("sex", "age"), ("name", "sex", "seen"), replace=new, **more)
    rows = engine.rows(table.publish(wanted))
    days = PEOPLE["seen"].cast(pl.String)
    assert sorted((name, sex, str(day)[:10]) for name, sex, day in rows) == [
        (f"person {number}", "?" if number == 5 else "*", days[number])
        for number in (0, 1, 2, 3, 5)
    ]
    if ordering == "source":
        assert rows == sorted(rows)
    if ordering == "given":
        assert rows == sorted(rows)[::-1]


@pytest.mark.parametrize("ordering", ["source", "given", "shuffled"])
def test_publish_what_is_missing_as_one(engine: Any, ordering: str) -> None:
    """Promises take an empty text and null for one value, and so does who reads the release."""
    more: dict[str, Any] = {}
    if ordering == "given":
        more["order"] = np.arange(4)[::-1].copy()
    if ordering == "shuffled":
        more["shuffle"] = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "sex": ["f", "f", "m", "m"],
            "ill": ["flu", "", None, "gout"],
            "note": ["", "a", "b", "c"],
            "dose": [1.5, float("nan"), None, -0.5],
        }
    )
    table = open_table(engine.load(frame))
    wanted = change(table, ("sex",), ("ill", "note", "dose"), sensitive=("ill", "dose"), **more)
    rows = [
        tuple(None if cell != cell else cell for cell in row)  # noqa: PLR0124, NaN of pandas
        for row in engine.rows(table.publish(wanted))
    ]
    assert sorted(rows, key=lambda row: row[1]) == [
        ("flu", "", 1.5), (None, "a", None), (None, "b", None), ("gout", "c", -0.5),
    ]  # fmt: skip


def test_publish_without_keys(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    for keep in (True, False):
        nothing = pl.DataFrame(height=1)
        whole = Change((), nothing, nothing, np.array([keep]), ("name",))
        assert len(engine.rows(table.publish(whole))) == 6 * keep


def test_publish_nobody(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    plain = change(table, ("sex", "age"), ("sex", "age", "name"))
    nobody = Change(**{**vars(plain), "keep": np.zeros(len(plain.keep), bool)})
    assert engine.rows(table.publish(nobody)) == []


def test_publish_leaves_the_source_alone(engine: Any) -> None:
    native = engine.load(PEOPLE)
    table = open_table(native)
    before = str(engine.rows(native))
    generator = np.random.default_rng(1)
    table.publish(change(table, ("sex", "age"), ("sex",), shuffle=generator))
    assert str(engine.rows(native)) == before


def test_unknown_combinations_are_refused(engine: Any) -> None:
    table = open_table(engine.load(PEOPLE))
    some = table.distinct(["sex"]).drop("count").head(1)
    with pytest.raises(IndistinctError, match="does not know") as caught:
        table.publish(Change(("sex",), some, some, np.ones(1, bool), ("sex",)))
    assert caught.value.exit_code == 1


def test_awkward_names(engine: Any) -> None:
    names = ['a "b"', "sélect", "source", "lookup", "row", "k0", "group by"]
    frame = pl.DataFrame({name: ["1", "1", "2"] for name in names})
    table = open_table(engine.load(frame))
    assert table.distinct(names).height == 2
    release = table.publish(change(table, tuple(names[:4]), tuple(names)))
    assert sorted(engine.rows(release)) == [("*",) + (v,) * 6 for v in ("1", "1", "2")]


# What must not be in a release -----------------------------------------------------------------

SECRETS = pl.DataFrame(
    {
        "zip": [f"zip code to hide {i % 9}" for i in range(90)],
        "ward": [f"ward {i % 3} of the eastern wing" for i in range(90)],
        "note": [f"a note of some length on {i}" for i in range(90)],
    }
)


def test_nothing_beside_the_rows_in_a_pickle(engine: Any) -> None:
    if engine.name.startswith(("duckdb", "lazy")):
        pytest.skip("is no value that can be pickled")
    table = open_table(engine.load(SECRETS))
    combinations = table.distinct(["zip"]).drop("count")
    hidden = combinations["zip"].str.ends_with("3")
    published = combinations.select(pl.col("zip").str.replace(r".*", "zip code ***"))
    wanted = Change(
        ("zip",),
        combinations,
        published,
        (~hidden).to_numpy(),
        ("zip", "note"),
        shuffle=np.random.default_rng(3),
    )
    raw = pickle.dumps(table.publish(wanted))
    assert b"zip code to hide" not in raw
    assert b"some length on 12" not in raw
    assert b"some length on 13" in raw
    assert b"at home" not in raw


def test_categories_come_back_as_plain_strings() -> None:
    kinds = {
        "open": pl.Series(["a", "b", "hidden"], dtype=pl.Categorical),
        "closed": pl.Series(["a", "b", "hidden"], dtype=pl.Enum(["hidden", "a", "b", "never"])),
    }
    frame = pl.DataFrame({"key": ["1", "2", "3"], **kinds})
    pandas = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    native = pandas.DataFrame({"key": ["1", "2", "3"]})
    native["open"] = pandas.Categorical(["a", "b", "hidden"])
    native["closed"] = pandas.Categorical([1, None, 7])
    relation = duckdb.connect().sql(
        "SELECT *, CAST(open AS ENUM('hidden', 'a', 'b', 'never')) AS closed"
        " FROM (VALUES ('1', 'a'), ('2', 'b'), ('3', 'hidden')) AS t(key, open)"
    )
    for given_frame in (frame, frame.to_arrow(), native, relation):
        table = open_table(given_frame)
        combinations = table.distinct(["key"]).drop("count")
        keep = (combinations["key"] != "3").to_numpy()
        release = table.publish(
            Change(("key",), combinations, combinations, keep, ("open", "closed"))
        )
        told = release.pl() if given_frame is relation else release
        schema = nw.from_native(told).schema
        assert not any(isinstance(kind, nw.Categorical | nw.Enum) for kind in schema.values())
        if given_frame is relation:
            assert set(map(str, release.types)) == {"VARCHAR"}


def test_pandas_index_and_attributes_stay_behind() -> None:
    pandas = pytest.importorskip("pandas")
    native = pandas.DataFrame({"a": ["x", "y"]}, index=pandas.Index(["Ann", "Bea"], name="who"))
    native.attrs["who"] = "Ann"
    native["a"].attrs["who"] = "Ann"
    table = open_table(native)
    combinations = table.distinct(["a"]).drop("count")
    for published in (combinations, combinations.select()):
        release = table.publish(Change(("a",), combinations, published, np.ones(2, bool), ("a",)))
        assert release.attrs == {}
        assert release["a"].attrs == {}
        assert isinstance(release.index, pandas.RangeIndex)


def test_arrow_metadata_stays_behind() -> None:
    pa = pytest.importorskip("pyarrow")
    field = pa.field("a", pa.string(), metadata={"who": "Ann"})
    native = pa.table([["x", "y"]], schema=pa.schema([field], metadata={"who": "Ann"}))
    table = open_table(native)
    combinations = table.distinct(["a"]).drop("count")
    for published in (combinations, combinations.select()):
        wanted = Change(("a",), combinations, published, np.ones(2, bool), ("a",))
        schema = table.publish(wanted).schema
        assert schema.metadata is None
        assert schema.field("a").metadata is None


def test_arrow_extension_types_have_texts() -> None:
    pa = pytest.importorskip("pyarrow")
    values = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0, None], pa.int8()))
    table = open_table(pa.table({"a": values}))
    assert table.text(["a"]).to_series().to_list() == ["1", "0", None]


def test_a_duckdb_release_outlives_its_source() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t AS SELECT 'x' AS a, 12::HUGEINT AS b, 1.5::DECIMAL(4,1) AS c"
    )
    table = open_table(connection.table("t"))
    combinations = table.distinct(["a"]).drop("count")
    wanted = Change(("a",), combinations, combinations, np.ones(1, bool), ("a", "b", "c"))
    release = table.publish(wanted)
    connection.close()
    del connection, table
    assert [str(kind) for kind in release.types] == ["VARCHAR", "HUGEINT", "DECIMAL(4,1)"]
    assert release.fetchall()[0][:2] == ("x", 12)


# Other columns of pandas -----------------------------------------------------------------------


def test_mixed_objects_of_pandas_have_texts() -> None:
    pandas = pytest.importorskip("pandas")
    mixed = pandas.Series(["a", 1, 2.0, True, None, dt.date(2024, 1, 31)], dtype=object)
    periods = pandas.Series(pandas.period_range("2024-01", periods=6, freq="M"))
    bins = pandas.Series(pandas.cut([1, 2, 3, 4, 5, 6], [0, 3, 6]))
    whole = pandas.array([1, None, 3, 4, 5, 6], dtype="Int64")
    native = pandas.DataFrame({"mixed": mixed, "month": periods, "bin": bins, "whole": whole})
    native["number"] = pandas.Categorical([7, 7, None, 8, 8, 8])
    text = open_table(native).text(["mixed", "month", "bin", "whole", "number"])
    assert text["mixed"].to_list() == ["a", "1", "2", "true", None, "2024-01-31"]
    assert text["month"].to_list()[0] == "2024-01"
    assert text["bin"].to_list()[0] == "(0, 3]"
    assert text["whole"].to_list() == ["1", None, "3", "4", "5", "6"]
    assert text["number"].to_list() == ["7", "7", None, "8", "8", "8"]


def test_pandas_with_numbers_for_names() -> None:
    pandas = pytest.importorskip("pandas")
    table = open_table(pandas.DataFrame([["x", "y"]]))
    assert table.columns == ("0", "1")
    assert table.text(["1"]).rows() == [("y",)]


# Refusals --------------------------------------------------------------------------------------


def test_narwhals_frames_are_unwrapped() -> None:
    assert open_table(nw.from_native(PEOPLE)).height() == 6
    assert open_table(nw.from_native(PEOPLE.lazy())).height() == 6


def test_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="type list is not a supported table type"):
        open_table([1, 2])


def test_no_records_are_refused(engine: Any) -> None:
    empty = engine.load(PEOPLE.clear())
    with pytest.raises(DataError, match=r"people: the table has no records"):
        open_table(empty, "people")
    assert open_table(empty, allow_empty=True).height() == 0


def test_names_that_are_empty_or_repeated_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    native = pandas.DataFrame([[1, 2, 3]], columns=["a", "a", " "])
    with pytest.raises(DataError) as caught:
        open_table(native)
    assert [problem.code for problem in caught.value.problems] == [
        "duplicate-columns",
        "unnamed-column",
    ]
    with pytest.raises(DataError, match="no columns"):
        open_table(pl.DataFrame())


def test_tokens_of_unknown_columns_are_refused() -> None:
    with pytest.raises(DataError, match="did you mean 'weight'"):
        open_table(PEOPLE, missing_tokens={"wieght": ["?"]})


def test_missing_columns_are_told_together() -> None:
    table = open_table(PEOPLE, "people")
    require_columns(table, ["age", "sex"])
    with pytest.raises(DataError) as caught:
        require_columns(table, ["agee", "sexx"])
    assert len(caught.value.problems) == 2
    assert "did you mean 'age'?" in str(caught.value)


def test_values_without_a_text_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    for frame in (
        pl.DataFrame({"a": [[1]], "b": [{"x": 1}], "c": ["fine"]}),
        pandas.DataFrame({"a": [[1]], "b": [{"x": 1}], "c": ["fine"]}),
    ):
        table = open_table(frame)
        assert table.text(["c"]).rows() == [("fine",)]
        with pytest.raises(DataError) as caught:
            table.text(["a", "b"])
        assert [problem.attribute for problem in caught.value.problems] == ["a", "b"]


def test_a_change_is_checked() -> None:
    one = pl.DataFrame({"a": ["x"]})
    two = pl.DataFrame({"a": ["x", "y"]})
    keep = np.ones(1, bool)
    with pytest.raises(ValueError, match="differ in length"):
        Change(("a",), one, two, keep, ("a",))
    with pytest.raises(ValueError, match="differ in length"):
        Change(("a",), two, two.select(), keep, ("a",))
    with pytest.raises(ValueError, match="replaced twice"):
        Change(("a",), one, one, keep, ("a",), replace={"a": one["a"]})
    with pytest.raises(ValueError, match="either"):
        Change(
            ("a",),
            one,
            one,
            keep,
            ("a",),
            order=np.zeros(1, np.int64),
            shuffle=np.random.default_rng(1),
        )


# Properties ------------------------------------------------------------------------------------

CELL = st.sampled_from(["a", "b", "A", " ", "ü", None])


@given(
    rows=st.lists(st.tuples(CELL, CELL, st.integers(0, 3)), min_size=1, max_size=40),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_a_release_is_the_change_of_every_record(
    rows: list[tuple[str | None, str | None, int]], seed: int, data: st.DataObject
) -> None:
    schema = {"p": pl.String, "q": pl.String, "s": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    loads = [lambda f: f, lambda f: f.to_arrow(), lambda f: f.to_pandas()]
    table = open_table(data.draw(st.sampled_from(loads))(frame))
    combinations = table.distinct(["p", "q"]).drop("count")
    keep = np.array(
        data.draw(
            st.lists(st.booleans(), min_size=combinations.height, max_size=combinations.height)
        )
    )
    published = combinations.select(
        pl.Series("q", [f"node {i}" for i in range(combinations.height)])
    )
    release = table.publish(
        Change(
            ("p", "q"),
            combinations,
            published,
            keep,
            ("q", "s", "p"),
            shuffle=np.random.default_rng(seed),
        )
    )
    place = {row: at for at, row in enumerate(combinations.rows())}
    expected = Counter((f"node {place[p, q]}", s, p) for p, q, s in rows if keep[place[p, q]])
    assert Counter(nw.from_native(release).to_polars().rows()) == expected
