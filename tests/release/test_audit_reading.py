from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import indistinct as ind
from indistinct.errors import DataError, InputError, PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.release.audit import Audit, _same, audit
from indistinct.release.audit.reading import Claims, PublishedTable, _claims_in, _text, read_release
from indistinct.release.audit.verdict import TIMES, Context, one_by_one
from indistinct.requirement import Requirement
from indistinct.sources import memory
from indistinct.sources.duckdb_table import DuckDBTable

K2 = Requirement("k-anonymity", {"k": 2})


def sizes(frame: Any, *quasi: str) -> tuple[int, int | None, int | None]:
    found = audit(frame, quasi=quasi).classes
    return found.count, found.smallest, found.largest


def as_relation(frame: pl.DataFrame) -> Any:
    return duckdb.connect().from_arrow(frame.to_arrow())


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "lazy polars": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "pyarrow": lambda frame: frame.to_arrow(),
    "duckdb": as_relation,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_is_read_alike(kind: str) -> None:
    table = pl.DataFrame(
        {
            "age": [30, 30, None, None, 41],
            "height": [1.5, 1.5, 2.0, 2.0, None],
            "born": [dt.date(1990, 1, 1)] * 2 + [None] * 3,
            "seen": [dt.datetime(2020, 1, 1, 10, 30)] * 4 + [None],
            "smoker": [True, True, False, False, None],
            "zip": ["*", "*", None, None, "1*"],
            "ward": ["A", "B", "C", "D", "E"],
        }
    )
    quasi = ["age", "height", "born", "seen", "smoker", "zip"]
    found = audit(KINDS[kind](table), [K2], quasi)
    assert found.to_dict() == audit(table, [K2], quasi).to_dict()
    assert (found.records, found.suppressed, found.classes.count) == (5, 0, 3)
    assert found.promises[0].achieved == {"k": 1}
    assert found.promises[0].breaking_records == 1


@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_a_missing_quasi_identifier_are_counted(kind: str) -> None:
    table = pl.DataFrame({"age": ["20", "20", None], "sex": ["F", "F", "F"]})
    found = audit(KINDS[kind](table), [K2], ["age", "sex"])
    assert not found.holds
    assert found.records == 3


@pytest.mark.parametrize("kind", KINDS)
def test_suppressed_records_are_no_class(kind: str) -> None:
    table = pl.DataFrame({"age": ["20", "20", "*"], "sex": ["*", "*", "*"]})
    found = audit(KINDS[kind](table), [K2], ["age", "sex"])
    assert found.holds
    assert (found.records, found.suppressed, found.classes.count) == (3, 1, 1)
    assert "one of these few" in found.notes[0]


def test_unused_categories_are_not_counted() -> None:
    frame = pd.DataFrame({"sex": pd.Categorical(["F", "F"], categories=["F", "M", "X"])})
    assert sizes(frame, "sex") == (1, 2, 2)
    enum = pl.DataFrame({"sex": pl.Series(["F", "F"], dtype=pl.Enum(["F", "M"]))})
    assert sizes(enum, "sex") == (1, 2, 2)


def test_a_pandas_frame_is_read_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"age": [30, 41, None], "member": [True, False, True]})
    (table,) = read_release(frame).tables
    expected = table.texts(["age", "member"])

    def refuse(_: Any) -> None:
        raise ModuleNotFoundError("pyarrow")

    monkeypatch.setattr("indistinct.release.audit.reading.has_arrow", lambda: False)
    monkeypatch.setattr("narwhals.Series.to_polars", refuse)
    (table,) = read_release(frame).tables
    assert table.texts(["age", "member"]).equals(expected)


def test_the_index_of_a_pandas_frame_is_no_matter() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "y"], "b": [1.0, 2.0, 2.0]}, index=[7, 7, -1])
    assert sizes(frame, "a", "b") == (2, 1, 2)
    assert sizes(frame.set_index("a", append=True).reset_index("a"), "a", "b") == (2, 1, 2)


@pytest.mark.parametrize(
    "column",
    [
        pd.cut(pd.Series([1, 5, 6]), [0, 4, 10]),
        pd.Series([1, "b", "b"], dtype=object),
        pd.Series([None, True, True], dtype=object),
        pd.Series([pd.NA, 2, 2], dtype="Int64"),
        pd.Series([1.5, 2, 2], dtype=object),
        pd.Series([dt.date(2020, 1, 1), None, None], dtype=object),
        pd.Series(pd.to_datetime(["2020-01-01", None, None])),
        pd.Series(pd.to_timedelta([1, 2, 2], unit="s")),
        pd.Series(pd.period_range("2020", periods=3, freq="M"))[[0, 1, 1]],
        pd.Series([[1], [2], [2]]),
        pd.Series([1, 2, 2]).astype("category"),
    ],
)
def test_pandas_columns_of_any_kind(column: pd.Series) -> None:
    assert sizes(pd.DataFrame({"q": column}), "q") == (2, 1, 2)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([[1], [2], [2]], None),
        ([{"a": 1}, {"a": 2}, {"a": 2}], None),
        ([b"a", b"b", b"b"], None),
        ([dt.timedelta(1), dt.timedelta(2), dt.timedelta(2)], None),
        ([dt.time(1), dt.time(2), dt.time(2)], None),
        ([dt.datetime(2020, 1, 1, tzinfo=dt.UTC), None, None], None),
        ([1, 2, 2], pl.Decimal(10, 2)),
        ([object(), None, None], pl.Object),
    ],
)
def test_polars_columns_of_any_kind(values: list[Any], dtype: pl.DataType | None) -> None:
    column = pl.Series(values, dtype=dtype)
    assert sizes(pl.DataFrame({"q": column}), "q") == (2, 1, 2)
    assert sizes(pl.DataFrame({"q": pl.Series([None, None])}), "q") == (1, 2, 2)


def test_what_can_be_told_apart_is_told_apart() -> None:
    assert sizes(pl.DataFrame({"q": ["", "", None]}), "q") == (2, 1, 2)
    assert sizes(pl.DataFrame({"q": [float("nan"), None, None]}), "q") == (2, 1, 2)
    assert sizes(pa.table({"q": pa.array(["a", None, "a"]).dictionary_encode()}), "q") == (2, 1, 2)


def test_objects_of_several_kinds_are_told_apart() -> None:
    assert sizes(pd.DataFrame({"q": pd.Series([39, "39", "39"], dtype=object)}), "q") == (2, 1, 2)


def test_objects_of_one_kind_are_read_as_they_are_written() -> None:
    def texts(*values: object) -> list[str | None]:
        frame = pd.DataFrame({"q": pd.Series(values, dtype=object)})
        return read_release(frame).tables[0].texts(["q"])["q"].to_list()

    assert texts(dt.date(2020, 1, 1), None) == ["2020-01-01", None]
    assert texts(True, False, None) == ["true", "false", None]
    assert texts(39, "39", "*")[1:] == ["39", "*"], "texts stay what the policy calls them"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((39, "*", None), ["39", "*", None]),
        ((39.0, 39.5, "*", np.nan), ["39", "39.5", "*", None]),
        ((np.int64(39), 39, "*"), ["39", "39", "*"]),
        ((True, "*"), ["true", "*"]),
        ((dt.date(2020, 1, 2), "*"), ["2020-01-02", "*"]),
        ((pd.Timestamp("2020-01-02"), "*", pd.NaT), ["2020-01-02", "*", None]),
        ((pd.Timestamp("2020-01-02 10:00"), "*"), ["2020-01-02T10:00:00", "*"]),
    ],
)
def test_values_beside_stars_are_read_as_values(
    values: tuple[object, ...], texts: list[str | None]
) -> None:
    frame = pd.DataFrame({"q": pd.Series(values, dtype=object)})
    assert read_release(frame).tables[0].texts(["q"])["q"].to_list() == texts


def test_whole_floats_are_read_as_whole_numbers() -> None:
    texts = read_release(pl.DataFrame({"q": [39.0, 39.5, None]})).tables[0].texts(["q"])
    assert texts["q"].to_list() == ["39", "39.5", None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["q", "q ", "\tq"])
def test_how_many_rows_have_each_text(kind: str, name: str) -> None:
    """Blanks around names do not count; a column of floats, of texts, or of one engine."""
    for values, wanted in (
        ([39.0, 39.5, None, 39.0], {"39": 2, "39.5": 1, None: 1}),
        (["b", "a", None, "b"], {"b": 2, "a": 1, None: 1}),
    ):
        (table,) = read_release(KINDS[kind](pl.DataFrame({"q": values}))).tables
        texts, times = table.tallied(name)
        assert dict(zip(texts.to_list(), times.tolist(), strict=True)) == wanted
        (own,) = table.texts([name]).columns
        assert own == name
        assert table.counted([name]).columns[0] == name


def test_floats_are_told_apart_before_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def noted(values: pl.Series) -> pl.Series:
        written.append(len(values))
        return _text(values)

    monkeypatch.setattr("indistinct.release.audit.reading._text", noted)
    for values, often in (([1.5] * 9, 1), ([1] * 9, 9)):
        (table,) = read_release(pl.DataFrame({"q": values})).tables
        assert table.tallied("q")[1].tolist() == [9]
        assert written.pop() == often


def test_columns_of_pandas_are_read_whole_with_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Any) -> None:
        raise AssertionError("cell by cell")

    (table,) = read_release(pd.DataFrame({"age": [30, 41], "member": [True, False]})).tables
    monkeypatch.setattr("narwhals.Series.to_list", refuse)
    assert table.texts(["age", "member"]).rows() == [("30", "true"), ("41", "false")]


@pytest.mark.parametrize("path", [None, Path("folder") / "certificate.json"])
def test_a_malformed_certificate_is_named(path: Path | None) -> None:
    with pytest.raises(DataError) as caught:
        _claims_in([], path)
    names = {problem.file for problem in caught.value.problems}
    assert names == {"its certificate" if path is None else str(path)}


def test_what_a_certificate_says() -> None:
    bare: dict[str, Any] = {"promises": [], "tables": []}
    assert _claims_in(bare, None) == Claims(None, (), (), (), {})
    promise = {"model": "k-anonymity", "parameters": {"k": 2}, "on": ["age", "sex"]}
    claims = _claims_in(
        {
            "promises": [{**promise, "achieved": {"k": 3}}, {**promise, "counts_made_up": True}],
            "tables": [{"path": "a.csv", "sha256": "00", "rows": 4}],
            "records_published": 4,
            "classes": {"count": 2},
            "sensitive": {"ill": {"categories": [["flu", "mild"]]}},
            "person": "who",
            "linked": {"quasi": "a.csv", "sensitive": "b.csv", "by": "bucket"},
            "created": "2026-01-01T00:00:00Z",
            "transformed": {"ill": "grouped"},
            "may_contain": ["decoys"],
        },
        Path("folder") / "certificate.json",
    )
    part = Requirement("k-anonymity", {"k": 2}, on=("age", "sex"))
    assert claims == Claims(
        folder=Path("folder"),
        promises=(part, part),
        achieved=({"k": 3}, None),
        quasi=("age", "sex"),
        tables={"a.csv": ("00", 4)},
        records=4,
        classes={"count": 2},
        known={"ill": ValueMetadata(categories={"flu": "mild"})},
        person="who",
        linked={"quasi": "a.csv", "sensitive": "b.csv", "by": "bucket"},
        as_asked=(False, True),
        created="2026-01-01T00:00:00Z",
        transformed={"ill": "grouped"},
        may_contain=("decoys",),
    )
    assert _claims_in({**bare, "quasi_identifiers": ["a", "b", "a"]}, None).quasi == ("a", "b")


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([dt.datetime(2020, 1, 2), None], ["2020-01-02", None]),
        ([dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5)],
         ["2020-01-02T00:00:00", "2020-01-02T03:04:05"]),
        ([dt.datetime(2020, 1, 2, 3, 4, 5, 60)], ["2020-01-02T03:04:05.000060"]),
        ([dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC)], ["2020-01-02T03:00:00+00:00"]),
        ([dt.datetime(2020, 1, 2, tzinfo=dt.UTC)], ["2020-01-02"]),
        ([dt.date(2020, 1, 2)], ["2020-01-02"]),
        ([dt.time(3, 4, 5), dt.time(3, 4, 5, 60)], ["03:04:05", "03:04:05.000060"]),
        ([dt.timedelta(days=1, hours=2)], ["P1DT2H"]),
        ([Decimal("1.50"), Decimal("2.00"), Decimal("0.05")], ["1.5", "2", "0.05"]),
        ([1.0, 0.5, 100.0, float("nan")], ["1", "0.5", "100", "NaN"]),
        ([0.0, -0.0, -0.5], ["0", "0", "-0.5"]),
        ([["b", "a"], None], ["['b', 'a']", None]),
        ([True, False], ["true", "false"]),
    ],
)  # fmt: skip
def test_how_values_are_written(values: list[Any], texts: list[str | None]) -> None:
    (table,) = read_release(pl.DataFrame({"q": values})).tables
    assert table.texts(["q"])["q"].to_list() == texts


@pytest.mark.parametrize(
    ("values", "several"),
    [
        (["24", "24.0", "25"], 2),
        (["HIV", "hiv ", "flu"], 2),
        (["24", "24.5", "240"], 0),
        ([24.0, 25.0, None], 0),
    ],
)
def test_values_that_are_written_in_several_ways(values: list[Any], several: int) -> None:
    """They count as several, as promises count texts, and the reader is told."""
    promise = {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}
    found = audit(pl.DataFrame({"age": ["20"] * 3, "ill": values}), [promise], ["age"])
    told = [note for note in found.notes if "differ from another one" in note]
    assert [note.startswith(f"{several} values of 'ill'") for note in told] == [True] * bool(
        several
    )


def test_columns_named_by_numbers() -> None:
    assert sizes(pd.DataFrame([["a", 1], ["a", 2]]), "0") == (1, 2, 2)


def test_columns_of_one_name() -> None:
    with pytest.raises(DataError, match="two columns have the same name"):
        audit(pd.DataFrame([[1, 2]], columns=["a", "a"]), [K2], ["a"])
    with pytest.raises(DataError, match="two columns have the same name"):
        audit(pd.DataFrame([[1, 2]], columns=[1, "1"]), [K2], ["1"])


def test_what_is_no_table() -> None:
    with pytest.raises(DataError, match="a int is not a table"):
        audit(3, [K2], ["a"])
    with pytest.raises(DataError, match="the release has no table"):
        audit({}, [K2], ["a"])


def test_missing_columns_are_named_together() -> None:
    table = pl.DataFrame({"age": [1], "sex": [2]})
    asked = Requirement("k-anonymity", {"k": 2}, sensitive="ward")
    with pytest.raises(DataError) as caught:
        audit(table, [asked], ["agee", "sex", "zip"])
    assert caught.value.exit_code == 2
    assert [part.attribute for part in caught.value.problems] == ["agee", "zip", "ward"]
    assert "did you mean 'age'?" in str(caught.value)


def test_one_of_several_tables_has_the_quasi_identifiers() -> None:
    people, diagnoses = pl.DataFrame({"age": [1, 1]}), pl.DataFrame({"diagnosis": ["a"]})
    assert audit({"people": people, "diagnoses": diagnoses}, [K2], ["age"]).records == 2
    with pytest.raises(DataError, match="more than one table"):
        audit({"a": people, "b": people}, [K2], ["age"])
    with pytest.raises(DataError, match="no such column"):
        audit({"a": people, "b": diagnoses}, [K2], ["sex"])


# Files


def write(folder: Path, text: str, name: str = "release.csv", **certificate: Any) -> Path:
    """A folder with a release and, if something is said of it, a certificate."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    document = {
        "promises": [{"model": "k-anonymity", "parameters": {"k": 2}, "on": ["age", "sex"]}],
        "tables": [
            {
                "path": name,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
                "rows": text.count("\n") - 1,
            }
        ],
        **certificate,
    }
    (folder / "certificate.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


GOOD = "age,sex,ward\n20-29,F,A\n20-29,F,B\n,M,A\n,M,C\n"


def test_a_folder_is_audited_by_its_certificate(tmp_path: Path) -> None:
    found = audit(write(tmp_path, GOOD))
    assert found.holds
    assert found.quasi == ("age", "sex")
    assert found.to_dict()["tables"] == [{"path": "release.csv", "matches": True}]
    assert found.promises[0].achieved == {"k": 2}
    assert audit(tmp_path / "release.csv").to_dict() == found.to_dict()
    assert audit(str(tmp_path)).to_dict() == found.to_dict()


def test_own_promises_are_checked_instead_of_the_certificate_s(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    found = audit(tmp_path, [{"model": "k-anonymity", "k": 3}])
    assert not found.holds
    assert found.tables == (("release.csv", True),)
    assert audit(tmp_path, [{"model": "k-anonymity", "k": 4}], ["ward"]).quasi == ("ward",)


@pytest.mark.parametrize(("quasi", "agrees"), [(["sex", "age"], False), (["age"], True)])
def test_classes_of_other_quasi_identifiers_are_not_the_certificate_s(
    tmp_path: Path, quasi: list[str], agrees: bool
) -> None:
    folder = write(tmp_path, GOOD, classes={"count": 9})
    assert audit(folder, [{"model": "k-anonymity", "k": 2}], quasi).agrees is agrees


@pytest.mark.parametrize(
    "tampered",
    [
        GOOD.replace("F,A", "F,B"),
        GOOD.replace("M,A", "F,A"),
        GOOD[: GOOD.rindex(",M,C")],
        GOOD + "20-29,F,C\n",
        GOOD + "\n",
        GOOD.replace("\n", "\r\n"),
    ],
)
def test_a_file_that_was_tampered_with_fails(tmp_path: Path, tampered: str) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "release.csv").write_bytes(tampered.encode())
    found = audit(tmp_path)
    assert not found.holds
    assert found.tables == (("release.csv", False),)
    assert any("not the file that the certificate was written for" in note for note in found.notes)
    assert ("release.csv", "not as certified") in found.summary_rows()


@pytest.mark.parametrize("tampered", ["age;sex\n1;2;3\n", "agee,sex\n1,2\n", "", "age,sex,\n1,2\n"])
def test_a_tampered_file_that_cannot_be_read(tmp_path: Path, tampered: str) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "release.csv").write_text(tampered)
    with pytest.raises(DataError) as caught:
        audit(tmp_path)
    assert caught.value.problems[-1].code == "certificate-mismatch"


@pytest.mark.parametrize(
    ("text", "rows", "matches"),
    [(GOOD, 4, True), (GOOD, 5, False), (GOOD.replace("F,A", "F,B"), 4, False)],
)
def test_a_certified_file_that_is_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, rows: int, matches: bool
) -> None:
    """Where it does not fit into memory, digest and number of rows are compared all the same."""
    digest = hashlib.sha256(GOOD.encode()).hexdigest()
    write(tmp_path, text, tables=[{"path": "release.csv", "sha256": digest, "rows": rows}])
    in_memory = audit(tmp_path)

    def refuse(*_: Any, **__: Any) -> None:
        raise DataError("too-little-memory", "the table does not fit")

    monkeypatch.setattr("indistinct.release.audit.reading.read_table", refuse)
    found = audit(tmp_path)
    assert found.to_dict() == in_memory.to_dict()
    assert found.tables == (("release.csv", matches),)


@pytest.mark.parametrize("scanned", [False, True])
@pytest.mark.parametrize("certified", [False, True])
def test_blanks_count_where_they_tell_values_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanned: bool, certified: bool
) -> None:
    """Or where a certificate speaks of the file as it is; whether or not it fits into memory."""
    text = 'age,zip\n"30 ","1"\n"31","1 "\n"31","1"\n'
    source = write(tmp_path, text)
    if not certified:
        (source / "certificate.json").unlink()
    if scanned:

        def refuse(*_: Any, **__: Any) -> None:
            raise DataError("too-little-memory", "the table does not fit")

        monkeypatch.setattr("indistinct.release.audit.reading.read_table", refuse)
    (table,) = read_release(source).tables
    texts = table.texts(["age", "zip"])
    assert sorted(texts["age"]) == [*(["30 "] if certified else ["30"]), "31", "31"]
    assert sorted(texts["zip"]) == ["1", "1", "1 "]


@pytest.mark.parametrize(("rows", "matches"), [(4, True), (5, False)])
def test_a_table_in_a_server_has_as_many_rows_as_its_certificate_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, matches: bool
) -> None:
    folder = write(tmp_path, GOOD, tables=[{"path": "release.csv", "sha256": "", "rows": rows}])
    document = json.loads((folder / "certificate.json").read_text())

    class InServer(DuckDBTable):
        __len__ = DuckDBTable.height

    rows = pl.read_csv(folder / "release.csv").with_columns(ward=pl.col("ward") + " ")
    table = InServer(as_relation(rows), "release.csv")

    def in_server(*_: Any, **__: Any) -> Any:
        return {table.name: table}, document

    monkeypatch.setattr("indistinct.release.audit.reading.release_in_server", in_server)
    found = audit("postgresql://somewhere/release?schema=public")
    assert found.tables == (("release.csv", matches),)
    assert found.promises[0].achieved == {"k": 2}
    (part,) = read_release("postgresql://somewhere/release?schema=public").tables
    assert part.texts(["ward"])["ward"].to_list() == ["A ", "B ", "A ", "C "]


def test_it_says_what_else_was_published_and_claimed(tmp_path: Path) -> None:
    write(tmp_path, GOOD, quasi_identifiers=["age", "sex"])
    asked = [{"model": "k-anonymity", "k": 1}]
    said = "the certificate names other quasi-identifiers: age, sex"
    assert said in audit(tmp_path, asked, ["age", "ward"]).notes
    assert said not in audit(tmp_path, asked, ["sex", "age"]).notes
    tables = {"people": pl.DataFrame({"age": [1]}), "diagnoses": pl.DataFrame({"ill": ["a"]})}
    said = "not looked at, for it lacks a quasi-identifier: 'diagnoses'"
    assert said in audit(tables, [K2], ["age"]).notes


def test_whose_records_are_is_told_by_the_certificate_unless_it_is_said(tmp_path: Path) -> None:
    rows = "age,sex,who,of\n20,F,1,1\n20,F,1,2\n20,F,2,3\n"
    promised = {"model": "k-anonymity", "parameters": {"k": 2}, "unit": "person"}
    write(tmp_path, rows, person="who", quasi_identifiers=["age", "sex"], promises=[promised])
    assert audit(tmp_path).promises[0].achieved == {"k": 2}
    assert audit(tmp_path, person="of").promises[0].achieved == {"k": 3}


def test_a_wrong_number_of_rows_fails(tmp_path: Path) -> None:
    digest = hashlib.sha256(GOOD.encode()).hexdigest()
    write(tmp_path, GOOD, tables=[{"path": "release.csv", "sha256": digest, "rows": 5}])
    assert audit(tmp_path).tables == (("release.csv", False),)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ({"records_published": 5}, "own: records"),
        ({"records_published": "4"}, "own: records"),
        ({"classes": {"count": 2, "smallest": 3, "mean": 2.0, "largest": 2}}, "classes, smallest"),
        (
            {
                "promises": [
                    {
                        "model": "k-anonymity",
                        "parameters": {"k": 2},
                        "on": ["age", "sex"],
                        "holds": True,
                        "achieved": {"k": 7},
                    }
                ]
            },
            "own: k-anonymity(k=2)",
        ),
    ],
)
def test_a_certificate_that_boasts_fails(tmp_path: Path, claim: Any, said: str) -> None:
    found = audit(write(tmp_path, GOOD, **claim))
    assert not found.holds
    assert any(said in note for note in found.notes)
    assert found.promises[0].holds
    assert found.tables == (("release.csv", True),)


@pytest.mark.parametrize(
    ("claimed", "computed", "same"),
    [
        ({"c": 0.5, "l": None}, {"c": 0.5 + 1e-12, "l": None}, True),
        ({"c": 0.5}, {"c": 0.5 + 1e-6}, False),
        ({"c": 0.5}, {"c": 0.5, "l": 2}, False),
        ({"c": {"l": 2}}, {"c": {"l": 2.0}}, True),
        ({"c": {"l": 2}}, {"c": {"l": 3}}, False),
        ({"c": 0.5}, 0.5, False),
        (0.5, {"c": 0.5}, False),
        (None, 2, False),
        (2, None, False),
        (None, None, True),
        (0.0, 1e-12, True),
        (0.0, 1e-6, False),
        ("2", 2, False),
    ],
)
def test_figures_are_the_same_up_to_rounding(claimed: Any, computed: Any, same: bool) -> None:
    assert _same(claimed, computed) is same


@pytest.mark.parametrize(
    ("rows", "made_up", "achieved", "agrees"),
    [
        (GOOD, False, 2, True),
        (GOOD, False, 1, False),
        (GOOD, True, 2, False),
        (GOOD, True, 1, True),
        ("age,sex,ward\n", True, 1, False),
        ("age,sex,ward\n", True, None, True),
    ],
)
def test_where_records_are_made_up_a_certificate_says_what_was_asked(
    tmp_path: Path, rows: str, made_up: bool, achieved: int | None, agrees: bool
) -> None:
    told = {"model": "k-anonymity", "parameters": {"k": 1}, "on": ["age", "sex"]}
    told |= {"achieved": {"k": achieved}} | ({"counts_made_up": "yes"} if made_up else {})
    found = audit(write(tmp_path, rows, promises=[told]))
    assert found.agrees is agrees
    assert any("made-up records" in note for note in found.notes) is made_up


def test_records_that_a_certificate_of_linked_tables_claims_are_counted(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "max-posterior", "bound": 0.5, "sensitive": "ill"}],
        "method": {"algorithm": "anatomy"},
    }
    rows = pl.DataFrame({"who": [*"abcd"], "sex": [*"ffmm"], "ill": [*"xyxy"]})
    ind.anonymize(rows, asked).write(tmp_path, report=False)
    certificate = tmp_path / "certificate.json"
    claims = json.loads(certificate.read_text())
    for more, holds in ((0, True), (1, False)):
        changed = {**claims, "records_published": claims["records_published"] + more}
        certificate.write_text(json.dumps(changed))
        found = audit(tmp_path)
        assert found.holds is holds
        assert any("own: records" in note for note in found.notes) is not holds


def test_a_certificate_that_says_what_is_so_holds(tmp_path: Path) -> None:
    found = audit(
        write(
            tmp_path,
            GOOD,
            records_published=4,
            classes={"count": 2, "smallest": 2, "mean": 2, "largest": 2},
            quasi_identifiers=["sex", "age"],
        )
    )
    assert found.holds
    assert found.quasi == ("sex", "age")


def test_a_file_without_a_certificate(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text(GOOD)
    found = audit(tmp_path / "other.csv", [K2], ["age", "sex"])
    assert found.holds
    assert "tables" not in found.to_dict()
    assert audit(tmp_path, [K2], ["age", "sex"]).to_dict() == found.to_dict()
    named = audit({"other": tmp_path / "other.csv"}, [K2], ["age", "sex"])
    assert named.to_dict() == found.to_dict()


def test_settings_for_reading(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age|sex\n1,5|2\n1,5|2\n")
    assert audit(tmp_path / "a.csv", [K2], ["age", "sex"], source={"separator": "|"}).holds


def test_a_certificate_of_another_file_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "copy.csv").write_text(GOOD)
    found = audit(tmp_path / "copy.csv", [K2], ["age"])
    assert found.holds
    assert found.tables == ()
    assert "does not list the file" in found.notes[0]


def test_a_certificate_that_is_none_is_passed_over_for_a_file(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "certificate.json").write_text("{}")
    found = audit(tmp_path / "release.csv", [K2], ["age"])
    assert found.tables == ()
    assert "was ignored" in found.notes[0]
    with pytest.raises(PolicyError, match="does not know the release's quasi-identifiers"):
        audit(tmp_path / "release.csv")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a JSON document"),
        ("[" * 100_000, "not a JSON document"),
        ("[]", "no list of promises"),
        ('{"promises": 1, "tables": []}', "no list of promises"),
        ('{"promises": []}', "no list of tables"),
        ('{"promises": [], "tables": []}', "names no table"),
        ('{"promises": [{"k": 3}], "tables": []}', "names no privacy model"),
        ('{"promises": [3], "tables": []}', "a promise is a table"),
        ('{"promises": [], "tables": [{"path": "../a.csv"}]}', "not a file in its folder"),
        ('{"promises": [], "tables": [{"path": "/a.csv"}]}', "not a file in its folder"),
        ('{"promises": [], "tables": [3]}', "not a file in its folder"),
        ('{"promises": [], "tables": [{"path": "release.csv"}]}', "lacks the digest"),
        ('{"promises": [], "tables": [], "quasi_identifiers": "age"}', "not a list of names"),
        ('{"promises": [], "tables": [], "quasi_identifiers": [3]}', "not a list of names"),
        (
            '{"promises": [], "tables": [], "sensitive": {"illness": 3}}',
            "about sensitive attributes",
        ),
        ('{"promises": [], "tables": [], "person": 3}', "no column of the person"),
        ('{"promises": [], "tables": [], "linked": "bucket"}', "linked tables belong together"),
        ('{"promises": [], "tables": [], "linked": {}}', "linked tables belong together"),
        (
            '{"promises": [], "tables": [], "linked": {"quasi": "q.csv", "sensitive": "s.csv"}}',
            "linked tables belong together",
        ),
        (
            '{"promises": [], "tables": [], "linked": {"quasi": "q", "sensitive": "s", "by": 3}}',
            "linked tables belong together",
        ),
        ('{"promises": [], "tables": [], "transformed": ["age"]}', "done to which attributes"),
        ('{"promises": [], "tables": [], "transformed": {"age": 3}}', "done to which attributes"),
        ('{"promises": [], "tables": [], "transformed": null}', "done to which attributes"),
        ('{"promises": [], "tables": [], "sensitive": []}', "about sensitive attributes"),
        ('{"promises": [], "tables": [{"path": "."}]}', "not a file in its folder"),
        ('{"promises": [], "tables": [{"path": "a", "sha256": 3, "rows": 1}]}', "lacks the digest"),
        ('{"promises": [], "tables": [{"path": "a", "sha256": "0"}]}', "lacks the digest"),
        ('{"promises": [], "tables": [{"path": 3}]}', "not a file in its folder"),
    ],
)
def test_a_folder_with_a_broken_certificate(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "certificate.json").write_text(text)
    with pytest.raises(DataError, match=said):
        audit(tmp_path)


def test_a_table_that_the_certificate_does_not_name_is_told(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "other.csv").write_text(GOOD)
    found = audit(tmp_path)
    assert [note for note in found.notes if note.endswith(": 'other.csv'")]


@pytest.mark.parametrize("name", ["^age", "age$", "a*", "a^$"])
def test_a_column_whose_name_is_nearly_a_pattern_is_read(name: str) -> None:
    found = audit(pl.DataFrame({name: ["20", "20"]}), [K2], [name])
    assert (found.holds, found.classes.count) == (True, 1)


@pytest.mark.parametrize("coded", [False, True])
def test_texts_are_held_as_codes_where_that_is_asked(tmp_path: Path, coded: bool) -> None:
    folder = write(tmp_path, GOOD)
    table = (read_release(folder, coded=True) if coded else read_release(folder)).tables[0]
    assert (table._codes is not None) is coded
    assert table.texts(["age"])["age"].to_list() == ["20-29", "20-29", None, None]
    ages = table.codes("age ")
    assert (ages.name, ages.cast(pl.String).to_list()) == ("age ", ["20-29", "20-29", None, None])
    assert isinstance(ages.dtype, pl.Enum)
    (folder / "certificate.json").unlink()
    assert read_release(folder, coded=coded).tables[0]._codes is None


@pytest.mark.parametrize("name", ["*", "^age$"])
def test_a_column_whose_name_is_a_pattern_is_refused(name: str) -> None:
    with pytest.raises(DataError) as caught:
        audit(pl.DataFrame({name: ["a"], "^sex$": ["f"], "age": ["20"]}), [K2], ["age"])
    assert [one.code for one in caught.value.problems] == ["pattern-name"]
    assert f"'{name}'" in str(caught.value)


def test_objects_that_are_missing_differ_as_cells_and_are_one_value() -> None:
    pandas = pytest.importorskip("pandas")
    cells = pandas.Series([None, float("nan"), 3, "a"] * 2, dtype=object)
    asked = Requirement("distinct-l-diversity", {"l": 1}, sensitive="ill")
    frame = pandas.DataFrame({"age": cells, "ill": cells})
    assert audit(frame, [asked], ["age"]).classes.count == 4
    assert audit(frame.assign(age="20"), [asked], ["age"]).promises[0].achieved == {"l": 3}


def test_a_certified_table_that_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "release.csv").unlink()
    with pytest.raises(InputError) as caught:
        audit(tmp_path)
    assert caught.value.exit_code == 2
    with pytest.raises(InputError):
        audit(tmp_path / "release.csv")


def test_a_folder_that_does_not_say_what_is_in_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no table"):
        audit(tmp_path, [K2], ["age"])
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "a.md").write_text(GOOD)
    (tmp_path / "old.csv").mkdir()
    assert audit(tmp_path, [K2], ["age"]).holds
    (tmp_path / "b.csv").write_text(GOOD)
    with pytest.raises(DataError, match="holds several tables"):
        audit(tmp_path, [K2], ["age"])


def test_a_header_and_nothing_else_is_an_empty_release(tmp_path: Path) -> None:
    found = audit(write(tmp_path, "age;sex;ward\n"))
    assert_empty(found)
    assert found.tables == (("release.csv", True),)


def test_an_empty_frame_is_an_empty_release() -> None:
    assert_empty(audit(pl.DataFrame(schema={"age": pl.Int64}), [K2], ["age"]))
    assert_empty(audit(pd.DataFrame({"age": []}), [K2], ["age"]))


def test_an_empty_parquet_file_is_an_empty_release(tmp_path: Path) -> None:
    pl.DataFrame(schema={"age": pl.String}).write_parquet(tmp_path / "a.parquet")
    assert_empty(audit(tmp_path / "a.parquet", [K2], ["age"]))


def assert_empty(found: Audit) -> None:
    assert found.holds
    assert found.promises[0].achieved == {"k": None}
    assert found.classes.to_dict() == {
        "count": 0,
        "smallest": None,
        "mean": None,
        "largest": None,
    }
    assert any("no records" in note for note in found.notes)


def test_a_parquet_file(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [30, 30, None], "sex": ["F", "F", "*"]})
    table.write_parquet(tmp_path / "a.parquet")
    assert sizes(tmp_path / "a.parquet", "age", "sex") == (2, 1, 2)


def test_what_is_kept_of_a_table_is_not_shown() -> None:
    frame = pl.DataFrame({"age": ["20", "30"]})
    table = PublishedTable("t.csv", ("age",), None, frame.select)
    assert repr(table) == "PublishedTable(name='t.csv', columns=('age',), matches=None)"
    context, fresh = Context(("age",)), Context(("age",))
    before = repr(context)
    context.counts(frame, ("age",), "age")
    context.sizes(frame, ("age",))
    assert repr(context) == before
    assert context == fresh


def test_more_combinations_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = as_relation(pl.DataFrame({"age": ["20", "20", "30", "30", "40", "40"]}))
    for most in (3, 2):
        monkeypatch.setattr("indistinct.sources.memory.most_combinations", lambda _, n=most: n)
        if most == 3:
            assert audit(relation, [K2], ["age"]).holds
            continue
        with pytest.raises(DataError) as refused:
            audit(relation, [K2], ["age"])
        assert [one.code for one in refused.value.problems] == ["combinations-do-not-fit"]


def test_more_records_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each of them is looked at, as many as all their cells have room for are taken."""
    frame = pl.DataFrame({"age": [20, 20, 30], "ward": [*"aab"], "who": [*"xyz"]})
    table = read_release(as_relation(frame), None).tables[0]
    room = memory.OF_CELLS * 3 * 2
    monkeypatch.setattr(memory, "allowed", lambda: room)
    assert table.texts(["age", "ward"]).height == 3
    monkeypatch.setattr(memory, "allowed", lambda: room - 1)
    with pytest.raises(DataError) as refused:
        table.texts(["age", "ward"])
    assert [one.code for one in refused.value.problems] == ["needs-rows"]
    assert read_release(frame.lazy(), None).tables[0].texts(["age", "ward"]).height == 3


def test_how_the_source_was_read_says_nothing_of_a_release(tmp_path: Path) -> None:
    """A source without a header, of which a release with one was made, and its certificate."""
    table = pl.DataFrame({"age": ["20", "20", "30", "30"]})
    policy = {
        "source": {"header": False},
        "attributes": {"column_1": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    (tmp_path / "ages.csv").write_text(table.write_csv(include_header=False))
    ind.anonymize(tmp_path / "ages.csv", policy).write(tmp_path / "out")
    found = audit(tmp_path / "out", source={"header": False, "separator": ";"})
    assert found.holds
    assert found.records == 4


@pytest.mark.parametrize("kind", [*KINDS, "objects", "parquet"])
def test_what_is_missing_is_one_sensitive_value(tmp_path: Path, kind: str) -> None:
    """NaN, null and an empty text say the same of a dose and of a drug, as a search counts."""
    frame = pl.DataFrame(
        {"age": ["30"] * 2, "dose": [float("nan"), None], "drug": ["", None]},
        {"age": pl.String, "dose": pl.Float64, "drug": pl.String},
    )
    given: Any
    if kind == "objects":
        cells = {"age": ["30"] * 2, "dose": [float("nan"), None], "drug": ["", None]}
        given = pd.DataFrame(cells, dtype=object)
    elif kind == "parquet":
        given = tmp_path / "release.parquet"
        frame.write_parquet(given)
    else:
        given = KINDS[kind](frame)
    several = [
        Requirement("distinct-l-diversity", {"l": 2}, sensitive=name) for name in ("dose", "drug")
    ]
    assert [one.achieved for one in audit(given, several, ["age"]).promises] == [{"l": 1}] * 2


def test_rows_that_stand_for_several_records_become_as_many_rows() -> None:
    counted = pl.DataFrame({"age": ["20", None], "s": ["a", "b"], TIMES: [2, 1]})
    assert one_by_one(counted).rows() == [("20", "a"), ("20", "a"), (None, "b")]
    assert one_by_one(counted[:0]).rows() == []
    assert one_by_one(counted.drop(TIMES)).rows() == counted.drop(TIMES).rows()


def test_sensitive_objects_are_missing_in_one_way() -> None:
    """None, NaN and NaT among objects of a sensitive column are one value, and no other is."""
    ill = ["flu", "flu", "cold", None, float("nan"), pd.NaT]
    frame = pd.DataFrame({"age": ["30"] * 6, "ill": pd.Series(ill, dtype=object)})
    asked = [{"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}]
    assert audit(frame, asked, ["age"]).promises[0].achieved == {"l": 3}
    alone = [{"model": "max-posterior", "bound": 0.9, "sensitive": "ill"}]
    assert audit(frame, alone, ["age"]).promises[0].achieved == {"bound": pytest.approx(0.5)}
