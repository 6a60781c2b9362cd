"""Files that are scanned by DuckDB under a ceiling of memory, in place of being read."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import IO, Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.errors import DataError, IndistinctError, PolicyError
from indistinct.intake import opening
from indistinct.pipeline.evidence import published_evidence
from indistinct.sources import memory
from indistinct.sources import scan as scan_module
from indistinct.sources.convert import to_polars
from indistinct.sources.duckdb_table import DuckDBTable, file_of
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table
from indistinct.sources.packed import PACKED
from indistinct.sources.scan import ScannedTable, scan

duckdb = pytest.importorskip("duckdb")

N = 600
TABLE = pl.DataFrame(
    {
        "id": [f"P{i:04}" for i in range(N)],
        "age": [20 + (i * 7) % 60 for i in range(N)],
        "sex": ["f" if i % 3 else "m" for i in range(N)],
        "zip": [str(100 + i % 12) for i in range(N)],
        "ill": [None if i % 11 == 0 else f"d{i % 5}" for i in range(N)],
        "cost": [i * 1.25 for i in range(N)],
        "seen": [f"2024-0{1 + i % 9}-1{i % 10}" for i in range(N)],
    }
).with_columns(pl.col("seen").str.to_date())

BASE: dict[str, Any] = {
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
        "ill": {"role": "sensitive"},
        "cost": {"role": "insensitive"},
        "seen": {"role": "insensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 5}],
    "method": {"seed": 3, "suppression_limit": 0.05},
    "output": {"format": "parquet"},
}


def policy(**changes: Any) -> dict[str, Any]:
    found = dict(BASE)
    for name, value in changes.items():
        old = found.get(name)
        found[name] = {**old, **value} if isinstance(old, dict) else value
    return found


POLICIES: dict[str, dict[str, Any]] = {
    "optimal": policy(),
    "mondrian": policy(method={"algorithm": "mondrian", "suppression_limit": 0}),
    "local": policy(method={"local_recoding": True}),
    "unshuffled": policy(output={"shuffle": False}),
    "l-diversity": policy(
        promises=[
            {"model": "k-anonymity", "k": 5},
            {"model": "distinct-l-diversity", "sensitive": "ill", "l": 3},
        ]
    ),
    "k-member": policy(method={"algorithm": "k-member", "suppression_limit": 0}),
}


def rows_of(frame: pl.DataFrame) -> Counter[str]:
    return Counter(str(row) for row in frame.rows())


def written(release: ind.Release, folder: Path) -> pl.DataFrame:
    release.write(folder)
    return pl.read_parquet(folder / "release.parquet")


@cache
def read_and_released(name: str, *, text: bool) -> tuple[ind.Release, pl.DataFrame]:
    """The release of the table in memory, and as written; of texts of CSV, or of values."""
    with tempfile.TemporaryDirectory() as folder:
        whole = TABLE
        if text:
            TABLE.write_csv(Path(folder) / "table.csv")
            whole = read_table(Path(folder) / "table.csv")
        release = ind.anonymize(whole, POLICIES[name])
        return release, written(release, Path(folder) / "release")


@pytest.mark.parametrize("name", ["optimal", "unshuffled"])
@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz", "folder", "pattern"])
def test_the_release_of_a_scan_is_that_of_reading(name: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{form}"
    if form == "parquet":
        TABLE.write_parquet(path)
    elif form.startswith("csv"):
        data = TABLE.write_csv().encode()
        path.write_bytes(gzip.compress(data) if form == "csv.gz" else data)
    else:
        (tmp_path / "parts").mkdir()
        for at, part in enumerate((TABLE.head(250), TABLE.tail(N - 250))):
            part.write_parquet(tmp_path / "parts" / f"part-{at}.parquet")
        path = tmp_path / "parts" / ("part-*.parquet" if form == "pattern" else "")
    own, expected = read_and_released(name, text=form.startswith("csv"))
    other = ind.anonymize(path, POLICIES[name], engine="duckdb")
    frame = written(other, tmp_path / "a")
    assert frame.schema == expected.schema
    assert rows_of(frame) == rows_of(expected)
    if name == "unshuffled":
        assert frame.equals(expected)
    told, known = other.certificate.to_dict(), own.certificate.to_dict()
    told.pop("created"), known.pop("created")
    assert told == known
    assert other.measures == own.measures
    assert any("tell another for certain" in text for text in own.warnings)
    assert set(other.warnings) == set(own.warnings)
    assert ind.audit(tmp_path / "a").holds


def test_a_scan_brings_no_rows_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("rows were asked for")

    for kind in (DuckDBTable, ScannedTable):
        for name in ("frame", "text", "_keep"):
            monkeypatch.setattr(kind, name, refuse)
    TABLE.write_parquet(tmp_path / "table.parquet")
    for name in ("optimal", "mondrian", "local", "l-diversity"):
        release = ind.anonymize(tmp_path / "table.parquet", POLICIES[name], engine="duckdb")
        release.write(tmp_path / name)


def test_the_release_of_a_scan_is_written_and_counted_once(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    release = ind.anonymize(tmp_path / "table.parquet", BASE, engine="duckdb")
    stored = file_of(release.tables)
    assert stored is not None
    release.write(tmp_path / "a", report=False)
    assert (tmp_path / "a/release.parquet").read_bytes() == stored.path.read_bytes()
    rows = release.tables.pl()
    assert open_table(release.tables).different_records() == rows.n_unique()
    own, read = published_evidence(release), published_evidence(tmp_path / "a")
    for one in (*own["attributes"], *read["attributes"]):
        del one["table"]
    assert own == read


@pytest.mark.parametrize("name", ["optimal", "mondrian"])
def test_a_scan_publishes_class_by_class_in_no_order_of_the_source(
    tmp_path: Path, name: str
) -> None:
    TABLE.with_row_index("nr").write_parquet(tmp_path / "table.parquet")
    asked = POLICIES[name] | {
        "attributes": {"nr": {"role": "insensitive"}, **POLICIES[name]["attributes"]}
    }
    release = ind.anonymize(tmp_path / "table.parquet", asked, engine="duckdb")
    rows = release.tables.pl()
    run_of = rows.select(release.certificate.quasi_identifiers).to_struct("class").rle_id()
    assert rows.select(release.certificate.quasi_identifiers).n_unique() == run_of.n_unique() > 1
    first = rows.filter(run_of == run_of.mode()[0])["nr"].cast(pl.Int64)
    assert 0.2 < (first.diff().drop_nulls() > 0).mean() < 0.8


def test_a_release_is_counted_once_by_all_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    asked: list[str] = []
    own = DuckDBTable._run

    def run(table: DuckDBTable, query: str, *lookup: Any) -> Any:
        if file_of(table._relation) is not None and "FROM indistinct_source" in query:
            asked.append(query)
        return own(table, query, *lookup)

    monkeypatch.setattr(DuckDBTable, "_run", run)
    path = tmp_path / "table.parquet"
    ind.anonymize(path, POLICIES["l-diversity"], engine="duckdb").write(tmp_path / "a")
    of_classes = [one for one in asked if '"sex"' in one and "GROUP BY" in one]
    assert len([one for one in of_classes if "cost" not in one and "seen" not in one]) == 1


def test_a_release_of_all_records_is_not_asked_what_its_table_has_told(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    release = ind.anonymize(tmp_path / "table.parquet", BASE, engine="duckdb")
    assert release.certificate.records_published == N
    stored = file_of(release.tables)
    assert stored is not None
    anew = open_table(duckdb.read_parquet(str(stored.path)))
    assert stored.about == anew.about(list(stored.about))
    assert {"ill", "cost", "seen"} <= set(stored.about)


def test_no_text_of_a_record_that_is_left_out_stands_in_the_file(tmp_path: Path) -> None:
    odd = TABLE.head(1).with_columns(age=pl.lit(99, pl.Int64), ill=pl.lit("only here"))
    for name, table in (("table", TABLE), ("odd", pl.concat([TABLE, odd]))):
        table.write_parquet(tmp_path / f"{name}.parquet")
        release = ind.anonymize(tmp_path / f"{name}.parquet", BASE, engine="duckdb")
        stored = file_of(release.tables)
        assert stored is not None
        assert b"only here" not in stored.path.read_bytes()
        listed = set(release.tables.pl()["ill"].unique())
        assert listed == {None, *(f"d{i}" for i in range(5))}


def test_csv_out_of_a_scan(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    asked = policy(output={"format": "csv", "shuffle": False})
    ind.anonymize(tmp_path / "table.parquet", asked, engine="duckdb").write(tmp_path / "a")
    ind.anonymize(tmp_path / "table.parquet", asked).write(tmp_path / "b")
    assert (tmp_path / "a/release.csv").read_bytes() == (tmp_path / "b/release.csv").read_bytes()


def test_two_scans_with_one_seed_are_the_same(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    path = tmp_path / "table.parquet"
    one = ind.anonymize(path, BASE, engine="duckdb").tables.pl()
    assert one.equals(ind.anonymize(path, BASE, engine="duckdb").tables.pl())
    other = ind.anonymize(path, policy(method={"seed": 4}), engine="duckdb").tables.pl()
    assert rows_of(one) == rows_of(other)
    assert not one.equals(other)


# Cells of CSV ------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(*[st.text(" \tab,;\"'é0.\n", max_size=4)] * 2).filter(any),
        min_size=1,
        max_size=6,
    )
)
def test_cells_are_those_of_reading(tmp_path_factory: Any, rows: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("cells") / "table.csv"
    cells = [["one", "two"], *rows]
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells]
    path.write_text("\n".join(lines) + "\n")
    settings = {"separator": ",", "quote": '"'}
    try:
        expected = read_table(path, **settings)
    except DataError:
        return
    assert scan(path, **settings).text(["one", "two"]).rows() == expected.rows()


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (["24.0", "7.5", "-0.0", "NA", "24"], ["24", "7.5", "0", "NA", "24"]),
        (["24.0", "250.00"], ["24.0", "250.00"]),
        (["24.0", "007"], ["24.0", "007"]),
        (["24.0", "E11"], ["24.0", "E11"]),
        (["24.0", "9" * 16 + ".0"], ["24.0", "9" * 16 + ".0"]),
    ],
)
def test_whole_numbers_are_spelt_as_stored_ones_are(
    cells: list[str], texts: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    pl.DataFrame({"age": cells, "kind": "a"}).write_csv(path)
    assert read_table(path)["age"].to_list() == texts
    assert read_table(path, exact=True)["age"].to_list() == cells
    assert scan(path).text(["age"])["age"].to_list() == texts
    assert scan(path, exact=True).text(["age"])["age"].to_list() == cells


def test_labels_are_the_same_whatever_the_file(tmp_path: Path) -> None:
    """An age beside a missing one is stored as 24.0, and is 24 in every kind of file."""
    table = TABLE.with_columns(pl.when(pl.col("age") != 27).then(pl.col("age").cast(pl.Float64)))
    table.write_csv(tmp_path / "table.csv")
    table.write_parquet(tmp_path / "table.parquet")
    asked = policy(attributes={"zip": {"role": "identifier"}, "age": {"role": "quasi-identifier"}})
    asked["rest"] = "drop"
    found = [
        ind.anonymize(tmp_path / f"table.{ending}", asked, engine=engine)
        for ending in ("csv", "parquet")
        for engine in (None, "duckdb")
    ]
    found.append(ind.anonymize(duckdb.from_arrow(table.to_arrow()), asked))
    labels = [Counter(to_polars(one.tables)["age"].cast(pl.String)) for one in found]
    assert "24" in labels[0]
    plain = [Counter({(k or "").removesuffix(".0"): n for k, n in one.items()}) for one in labels]
    assert all(one == plain[0] for one in plain)


def packing(path: Path) -> IO[bytes]:
    """What packs a file as its ending says."""
    if path.suffix == ".zst":
        import pyarrow as pa

        made: IO[bytes] = pa.output_stream(str(path), compression="zstd")
        return made
    packed: IO[bytes] = PACKED.get(path.suffix, open)(path, "wb")
    return packed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_encodings(encoding: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.csv{ending}"
    with packing(path) as file:
        file.write("\n\nname;stadt\nJürgen;Köln\n  Zoë ;\n".encode(encoding))
    told = {"encoding": "latin-1"} if encoding == "latin-1" else {}
    assert scan(path, **told).text(["name", "stadt"]).rows() == [("Jürgen", "Köln"), ("Zoë", None)]


@cache
def packed_tightly(ending: str) -> bytes:
    """Five million rows alike, as a file of that ending holds them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.csv{ending}"
        with packing(path) as file:
            file.write(b"age,sex\n" + b"20,f\n" * 5_000_000)
        return path.read_bytes()


@pytest.mark.parametrize("ending", [".gz", ".xz", ".bz2", ".zst"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_what_is_packed_too_tightly_is_refused_before_it_is_unpacked(
    ending: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"table.csv{ending}"
    path.write_bytes(packed_tightly(ending))
    monkeypatch.setattr("indistinct.sources.scan.LEAST", 20 << 20)
    monkeypatch.setattr(duckdb, "connect", Unasked)
    with pytest.raises(DataError, match="packed to less than 1/200") as caught:
        scan(path, 20 << 20, encoding=encoding)
    assert caught.value.problems[0].code == "packed-too-tightly"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    with packing(tmp_path / "part.csv.gz") as file:  # nor is it beside others that are tables
        file.write(b"age,sex\n20,f\n")
    if ending == ".gz":
        with pytest.raises(DataError, match="packed to less than 1/200"):
            scan(tmp_path, 20 << 20, encoding=encoding)


class Unasked:
    """A connection that is set up and closed, and asked for nothing."""

    def execute(self, query: str) -> None:
        assert query.startswith("SET ")

    def close(self) -> None:
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_copy_that_finds_no_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv.xz"
    with packing(path) as file:
        file.write(b"age,sex\n" + b"20,f\n" * 5000)
    made = scan_module.staged_folder

    def full(place: Path) -> tuple[Path, int]:
        folder, lock = made(place)
        (folder / "0.csv").symlink_to("/dev/full")
        return folder, lock

    monkeypatch.setattr(scan_module, "staged_folder", full)
    with pytest.raises(DataError, match="nor the disk suffices"):
        scan(path)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "cannot be scanned"),
        ("a,a\n1,2\n", "have the same names"),
        ("x,y\nx,y\n1,2\n", "looks like a record"),
    ],
)
def test_odd_files_are_refused_without_a_cell(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        scan(tmp_path / "table.csv")
    assert "3" not in str(caught.value.problems[0].message)
    assert [one.name for one in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ('"age\n(years)",sex\n20,f\n30,m\n', {}),
        ('"Report\nof 2024",\n\nage,sex\n20,f\n30,m\n', {"skip_rows": 3}),
        ('Report "of"\nage,sex\n20,f\n30,m\n', {"skip_rows": 1}),
        ("Report\r\n\r\nage,sex\r\n20,f\r\n30,m\r\n", {"skip_rows": 2}),
        ("Report\n\n20,f\n30,m\n", {"skip_rows": 1, "header": False}),
    ],
)
@pytest.mark.parametrize(
    ("encoding", "ending"),
    [("utf-8", ".csv"), ("utf-8-sig", ".csv"), ("utf-16", ".csv"), ("utf-8", ".csv.gz")],
)
def test_no_record_is_lost_below_a_header(
    text: str, how: dict[str, Any], encoding: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"t{ending}"
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    held = scan(path, **how).frame()
    assert held.equals(read_table(path, **how))
    assert held.rows() == [("20", "f"), ("30", "m")]


@given(
    st.lists(
        st.tuples(
            *[st.sampled_from(["x", "", " ", " x", "x\t", "x y", "\u00a0x", '" "', '"x\n"'])] * 2
        ),
        min_size=1,
    )
)
def test_blanks_are_stripped_in_the_columns_that_have_some(cells: list[tuple[str, str]]) -> None:
    text = "id,plain,one,other\n" + "".join(f"{at},p,{a},{b}\n" for at, (a, b) in enumerate(cells))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text(text)
        table = scan(path)
        assert table.frame().equals(read_table(path))
        assert len([*table.workspace.folder.glob("*.parquet")]) == 1
        table.workspace.close()


def test_files_of_a_folder_begin_where_they_begin(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\nage,sex\n20,f\n30,m\n")
    (tmp_path / "b.csv").write_text("age,sex\n40,f\n50,m\n")
    assert scan(tmp_path).frame()["age"].to_list() == ["20", "30", "40", "50"]


@pytest.mark.parametrize("text", ["age,sex", "age,sex\r\n", "age,sex\n\n \n", '"age\n",sex\n'])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_header_without_records_is_a_table_without_records(
    text: str, encoding: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    assert scan(tmp_path / "t.csv").height() == 0
    with pytest.raises(DataError, match="the table has no records"):
        ind.anonymize(tmp_path / "t.csv", BASE, engine="duckdb")
    if encoding == "utf-8":
        (tmp_path / "u.csv").write_text(f"{text.rstrip()}\n20,f\n30,m\n")
        assert scan(tmp_path).frame().rows() == [("20", "f"), ("30", "m")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("age,sex\n20,f,HIV\n30,m,flu\n", "ragged-records"),
        ('"age,sex\n' + "20,f\n30,m\n" * 20, "unclosed-quote"),
        ("age,se" + "x" * 300_000 + "\n20,f\n30,m\n", "long-header"),
        (",".join(f'"column {at}"' for at in range(20_000)) + "\n1,2\n", "long-header"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(text: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError) as read:
        read_table(tmp_path / "t.csv")
    with pytest.raises(DataError) as error:
        scan(tmp_path / "t.csv")
    assert code == "ragged-records" or str(read.value) == str(error.value)
    assert [problem.code for problem in error.value.problems] == [code]


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz"])
def test_a_large_file_is_scanned_where_the_method_counts(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        TABLE.write_parquet(path)
    else:
        text = TABLE.write_csv().encode()
        path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)

    def scanned(policy: Any = BASE, engine: str = "auto", data: Any = path) -> bool:
        tables = ind.anonymize(data, policy, engine=engine).tables
        return isinstance(tables, duckdb.DuckDBPyRelation)

    assert not scanned()
    for name, size in {"_LARGE": 600, "_LARGE_PARQUET": 600, "_LARGE_TEXT": 600}.items():
        monkeypatch.setattr(scan_module, name, size)
    assert scanned()
    assert not scanned(engine="memory")
    assert not scanned(data=TABLE)
    assert not scanned({**BASE, "method": {"algorithm": "k-member"}})
    assert not scanned({**BASE, "output": {"format": "csv", "spreadsheet_safe": True}})
    masked = {"role": "identifier", "transform": {"mask": {"keep": 2}}}
    assert not scanned(keys := {**BASE, "attributes": {**BASE["attributes"], "zip": masked}})
    assert not scanned(keys, engine="duckdb")
    monkeypatch.setattr(scan_module, "_LARGE", 601)
    monkeypatch.setattr(scan_module, "_LARGE_TEXT", 1_000_000)
    assert not scanned()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_differ_in_case_alone_are_not_scanned(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB would call the second one otherwise; a large file with them is read."""
    frame = TABLE.with_columns(pl.col("zip").alias("ZIP"))
    path = tmp_path / f"t.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    policy = {**BASE, "attributes": {**BASE["attributes"], "ZIP": {"role": "identifier"}}}
    with pytest.raises(DataError, match="differ in upper and lower case alone") as error:
        ind.anonymize(path, policy, engine="duckdb")
    assert [problem.code for problem in error.value.problems] == ["not-scanned"]
    for name in ("_LARGE", "_LARGE_PARQUET", "_LARGE_TEXT"):
        monkeypatch.setattr(scan_module, name, 100)
    assert isinstance(ind.anonymize(path, policy, engine="auto").tables, pl.DataFrame)


def test_a_draft_of_a_large_file_is_that_of_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is scanned unless memory is asked for, and read where scanning fails."""
    TABLE.write_csv(tmp_path / "t.csv")
    (tmp_path / "ragged.csv").write_text(TABLE.write_csv() + "x,y\n")
    opened: list[Path] = []
    scan = opening.scan
    monkeypatch.setattr(
        opening, "scan", lambda data, *a, **k: opened.append(data) or scan(data, *a, **k)
    )

    def draft(name: str, *more: str) -> tuple[int, str, str]:
        out = tmp_path / "p.toml"
        out.unlink(missing_ok=True)
        done = CliRunner().invoke(app, ["init", str(tmp_path / name), "--policy", str(out), *more])
        return done.exit_code, done.stderr, out.read_text() if out.exists() else ""

    small = draft("t.csv")
    assert not opened
    monkeypatch.setattr(scan_module, "_LARGE_TEXT", 100)
    assert draft("t.csv", "--engine", "memory") == small
    assert not opened
    assert draft("t.csv")[::2] == small[::2]
    assert len(opened) == 1
    checked = CliRunner().invoke(
        app, ["init", str(tmp_path / "t.csv"), "--check", str(tmp_path / "p.toml")]
    )
    assert (checked.exit_code, len(opened)) == (0, 2)
    code, told, text = draft("ragged.csv")
    assert (code, text) == (2, "")
    assert "--engine" not in told


def test_a_large_file_that_cannot_be_scanned_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_module, "_LARGE_TEXT", 100)
    monkeypatch.setattr(memory, "most_combinations", lambda _: 5)
    TABLE.write_csv(tmp_path / "t.csv")
    release = ind.anonymize(tmp_path / "t.csv", BASE, engine="auto")
    assert isinstance(release.tables, pl.DataFrame)
    (tmp_path / "ragged.csv").write_text(TABLE.write_csv() + "x,y\n")
    with pytest.raises(DataError, match="line 602 has 2") as error:
        ind.anonymize(tmp_path / "ragged.csv", BASE, engine="auto")
    assert "--engine" not in str(error.value)


def test_an_engine_that_is_memory_takes_no_size(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    with pytest.raises(PolicyError, match="memory is said of DuckDB"):
        ind.anonymize(tmp_path / "t.csv", BASE, engine="memory", memory="2GB")
    assert ind.risk(tmp_path / "t.csv", BASE, engine="memory").records == N
    for verb in (ind.risk, ind.assess):
        with pytest.raises(PolicyError, match="no engine 'auto'"):
            verb(tmp_path / "t.csv", BASE, engine="auto")


def test_what_cannot_be_scanned_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table.xlsx").write_text("x")
    with pytest.raises(DataError, match="DuckDB scans CSV"):
        scan(tmp_path / "table.xlsx")
    for more in ({"sheet": "one"}, {"query": "SELECT 1"}, {"labels": True}):
        TABLE.write_parquet(tmp_path / "table.parquet")
        with pytest.raises(DataError, match="of files that DuckDB does not scan"):
            scan(tmp_path / "table.parquet", **more)
    with pytest.raises(DataError, match="no such file"):
        scan(tmp_path / "table.csv")
    with pytest.raises(DataError, match="no CSV or Parquet file"):
        scan(tmp_path / "none-*.csv")
    with pytest.raises(PolicyError, match=r"no engine 'duckbd'.*duckdb"):
        ind.anonymize(tmp_path / "table.csv", BASE, engine="duckbd")
    with pytest.raises(PolicyError, match="memory is no size"):
        ind.anonymize(tmp_path / "table.csv", BASE, memory="much")
    with pytest.raises(DataError, match="a frame or a table in a server is counted where it is"):
        ind.anonymize(TABLE, BASE, engine="duckdb")


# Ceiling, folder, faults -------------------------------------------------------------------------


def test_too_low_a_ceiling_is_refused(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    with pytest.raises(DataError, match=r"needs 784\.0 MB at least"):
        ind.anonymize(tmp_path / "table.parquet", BASE, memory="100MB")


def test_what_does_not_fit_is_scanned_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    own = ind.anonymize(tmp_path / "table.parquet", BASE)
    monkeypatch.setenv("INDISTINCT_MAX_MEMORY", "1GB")
    monkeypatch.setattr(memory, "OF_CELLS", 1 << 30)
    release = ind.anonymize(tmp_path / "table.parquet", BASE)
    assert "the table does not fit into memory: it was scanned by DuckDB" in release.warnings
    assert rows_of(release.tables.pl()) == rows_of(own.tables)
    with pytest.raises(DataError, match=r"may take 1\.0 GB"):
        ind.anonymize(tmp_path / "table.parquet", POLICIES["k-member"])
    monkeypatch.setenv("INDISTINCT_MAX_MEMORY", "200MB")
    with pytest.raises(DataError, match=r"may take 200\.0 MB"):
        ind.anonymize(tmp_path / "table.parquet", BASE)


def test_rows_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "table.parquet")
    table = scan(tmp_path / "table.parquet", 1 << 30)
    table.workspace.ceiling = 1000
    for ask in (table.frame, lambda: table.text(["age"])):
        with pytest.raises(DataError, match="goes record by record"):
            ask()


def test_a_file_that_changes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.parquet"
    TABLE.write_parquet(path)
    lookup = DuckDBTable._lookup

    def meanwhile(self: Any, *rest: Any) -> Any:
        found = lookup(self, *rest)
        os.utime(path, ns=(1, 1))
        return found

    monkeypatch.setattr(DuckDBTable, "_lookup", meanwhile)
    with pytest.raises(DataError, match="changed while it was read"):
        ind.anonymize(path, BASE, engine="duckdb")


RUN = """
import sys, os, signal
from pathlib import Path
import indistinct as ind
from indistinct.sources.scan import ScannedTable
path, policy, how = sys.argv[1:]
def folders():
    return [one for one in Path(path).parent.iterdir() if ".ind-" in one.name]
publish = ScannedTable.publish
def publishing(self, change):
    (folder,) = folders()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "source.parquet").stat().st_mode & 0o777 == 0o600
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return publish(self, change)
ScannedTable.publish = publishing
def interrupted():
    assert len(folders()) == 1
    raise SystemExit(4)
if how == "interrupted":
    import duckdb
    duckdb.connect = interrupted
release = ind.anonymize(path, policy, engine="duckdb")
assert len(folders()) == 1
if how == "raise":
    raise SystemExit(3)
"""


@pytest.mark.parametrize("how", ["end", "raise", "interrupted", "kill"])
def test_the_private_folder_goes(how: str, tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "table.csv")
    (tmp_path / "policy.toml").write_text(
        'rest = "keep"\n[attributes.age]\nrole = "quasi-identifier"\nhierarchy = "suppress"\n'
        '[[promises]]\nmodel = "k-anonymity"\nk = 5\n'
    )
    asked = [str(tmp_path / "table.csv"), str(tmp_path / "policy.toml")]
    command = [sys.executable, "-c", RUN, *asked, how]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    expected = {"end": 0, "raise": 3, "interrupted": 4, "kill": -signal.SIGKILL}[how]
    assert done.returncode == expected, done.stderr
    left = [one for one in tmp_path.iterdir() if ".ind-" in one.name]
    assert len(left) == (how == "kill")
    if left:
        subprocess.run([sys.executable, "-c", RUN, *asked, "end"], check=True, capture_output=True)
        assert not left[0].exists()


def test_disk_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    TABLE.write_parquet(tmp_path / "table.parquet")
    table = scan(tmp_path / "table.parquet")

    def full(*_: object) -> None:
        raise duckdb.OutOfMemoryException("failed to offload 'P0001'")

    monkeypatch.setattr(DuckDBTable, "_run", full)
    with pytest.raises(DataError, match="neither the memory") as caught:
        table.distinct(["age"])
    assert "P0001" not in str(caught.value)


def test_no_room_for_the_release(tmp_path: Path) -> None:
    """A disk that is full, as a limit of files makes one, in the middle of the release."""
    TABLE.write_parquet(tmp_path / "table.parquet")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(DataError, match="neither the memory"):
            ind.anonymize(tmp_path / "table.parquet", BASE, engine="duckdb")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_errors_have_their_exit_code(tmp_path: Path) -> None:
    with pytest.raises(IndistinctError) as caught:
        scan(tmp_path / "table.csv")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("header", [True, False])
def test_a_header_is_there_or_not_as_is_said(header: bool, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x,y\nx,y\n1,2\n")
    expected = read_table(path, header=header)
    table = scan(path, header=header)
    assert table.columns == tuple(expected.columns)
    assert table.text(table.columns).rows() == expected.rows()


def test_what_names_its_columns_itself_cannot_be_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    TABLE.write_parquet(path)
    assert scan(path, header=True).columns == tuple(TABLE.columns)
    with pytest.raises(DataError, match="only a CSV file can be without a header"):
        scan(path, header=False)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("where", ["{}/t", "{}"])
@pytest.mark.parametrize(
    ("name", "other"),
    [("a[1]", "a1"), ("a*", "ab"), ("a?", "ab"), ("a[!b]", "ac"), ("it's", "its"), ('a"b', "ab")],
)
def test_a_name_is_no_pattern_where_a_file_has_it(
    tmp_path: Path, name: str, other: str, where: str, ending: str
) -> None:
    """Else the records of other tables were read, in place of its own or beside them."""
    for at, of in enumerate((name, other)):
        file = tmp_path / f"{where.format(of)}.{ending}"
        file.parent.mkdir(exist_ok=True)
        own = pl.DataFrame({"ward": ["north", "south"], "n": [str(at), str(at)]})
        own.write_parquet(file) if ending == "parquet" else own.write_csv(file)
    table = scan(tmp_path / f"{where.format(name)}.{ending}")
    assert table.text(["ward", "n"]).rows() == [("north", "0"), ("south", "0")]
