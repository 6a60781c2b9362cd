from __future__ import annotations

import datetime as dt
import errno
import fcntl
import json
import os
import re
import stat
import sys
import unicodedata
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.errors import OutputError
from indistinct.release.audit.reading import read_release
from indistinct.sources import writing
from indistinct.sources.files import read_table
from indistinct.sources.writing import (
    formulas,
    neutralized,
    publish_folder,
    unguarded,
    write_csv,
    write_json,
    write_parquet,
    write_text,
)

RELEASE = pl.DataFrame({"age": ["20-24", "*"], "note": ["x, y", None], "n": [1, 2]})


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# Files -----------------------------------------------------------------------------------------


def test_csv_is_plain(tmp_path: Path) -> None:
    write_csv(RELEASE, tmp_path / "release.csv")
    assert (tmp_path / "release.csv").read_bytes() == b'age,note,n\n20-24,"x, y",1\n*,,2\n'
    write_csv(RELEASE.lazy(), str(tmp_path / "release.csv"), separator=";")
    assert (tmp_path / "release.csv").read_bytes() == b"age;note;n\n20-24;x, y;1\n*;;2\n"
    assert everything(tmp_path) == ["release.csv"]


CELLS = pl.DataFrame(
    {
        "text": [" a ", "", None, "=1+1", 'a "b"\nc'],
        "decimal": ["1.0", "2.0", None, "3.0", "4.0"],
        "n": [1, None, -3, 4, 5],
        "whole": [3.0, None, 4.0, 5.0, -0.0],
        "yes": [True, False, None, True, True],
        "day": [dt.date(2024, 1, 31), None, dt.date(1, 1, 1), dt.date(2024, 2, 1), None],
        "none": pl.Series([None] * 5, dtype=pl.Float64),
    }
)


@pytest.mark.parametrize("safe", [False, True])
@pytest.mark.parametrize("frame", [CELLS, CELLS.head(0), CELLS.head(2).lazy()])
def test_what_is_told_of_a_file_is_what_a_reader_finds(
    tmp_path: Path, frame: pl.DataFrame | pl.LazyFrame, *, safe: bool
) -> None:
    path = tmp_path / "release.csv"
    told = write_csv(frame, path, spreadsheet_safe=safe)
    assert told is not None
    read = read_table(path, exact=True, header=True, allow_empty=True)
    (shown,) = read_release(told).tables
    assert shown.texts(list(read.columns)).equals(read)


@pytest.mark.parametrize(
    "frame",
    [
        CELLS.with_columns(part=0.5),
        CELLS.with_columns(moment=dt.datetime(2024, 1, 31, 12)),
        CELLS.rename({"text": " text "}),  # a reader finds it without its blanks
        CELLS.select("day"),  # a missing cell is an empty text in a file of one column
    ],
)
def test_nothing_is_told_of_a_file_that_is_read_otherwise(
    tmp_path: Path, frame: pl.DataFrame
) -> None:
    assert write_csv(frame, tmp_path / "release.csv") is None


def test_what_is_told_of_parquet_is_what_a_reader_finds(tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    told = write_parquet(CELLS.with_columns(moment=pl.lit(dt.datetime(2024, 1, 1, 1))), path)
    assert told is not None
    assert told.equals(read_table(path, exact=True))


def test_files_of_other_engines(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("SELECT 'x' AS a")
    frame = pl.DataFrame({"a": ["x"]})
    for native in (frame.to_pandas(), frame.to_arrow(), relation):
        write_csv(native, tmp_path / "release.csv")
        assert (tmp_path / "release.csv").read_bytes() == b"a\nx\n"


CELL = st.text(st.sampled_from("ab ,;\"\r\nü'=-1"), max_size=5).map(str.strip)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(rows=st.lists(CELL, min_size=1, max_size=8), width=st.integers(1, 3))
def test_csv_is_read_again(tmp_path: Path, rows: list[str], width: int) -> None:
    frame = pl.DataFrame({f"column {at}": [cell or None for cell in rows] for at in range(width)})
    write_csv(frame, tmp_path / "release.csv")
    assert read_table(tmp_path / "release.csv", separator=",").equals(frame)


def test_files_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a.txt", "ä\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640
    assert (tmp_path / "a.txt").read_bytes() == "ä\n".encode()


def test_json(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"größe": [1, None]})
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == {"größe": [1, None]}
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "b.json", {"a": float("nan")})
    assert everything(tmp_path) == ["a.json"]


@pytest.mark.parametrize("kind", ["text", "categorical", "enum"])
def test_parquet_holds_only_what_is_in_its_rows(tmp_path: Path, kind: str) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    hidden = "a zip code that was generalized away"
    values = pl.Series("zip", ["a zip code ***", hidden, "another zip code"] * 50)
    if kind == "categorical":
        values = values.cast(pl.Categorical)
    if kind == "enum":
        values = values.cast(pl.Enum([hidden, "a zip code ***", "another zip code", "never"]))
    number = pl.Series("number", range(150))
    frame = pl.DataFrame([values, number]).filter(pl.col("zip") != hidden)
    path = tmp_path / "release.parquet"
    write_parquet(frame, path)
    file = pq.ParquetFile(path)
    assert set(file.metadata.metadata or {}) <= {b"ARROW:schema"}
    assert file.schema_arrow.metadata is None
    for at in range(file.metadata.num_row_groups):
        for column in (0, 1):
            chunk = file.metadata.row_group(at).column(column)
            assert not chunk.is_stats_set
            assert not chunk.has_column_index
            # PyArrow tells of these filters since version 25.
            assert getattr(chunk, "bloom_filter_offset", None) is None
    assert str(file.schema_arrow.field("zip").type) in ("large_string", "string", "string_view")
    pl.read_parquet(path).write_parquet(tmp_path / "open.parquet", compression="uncompressed")
    for name in ("release.parquet", "open.parquet"):
        raw = (tmp_path / name).read_bytes()
        assert b"generalized" not in raw
        assert b"never" not in raw
    assert b"a zip code ***" in (tmp_path / "open.parquet").read_bytes()


# Formulas --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *(
            "=1+1",
            "+1+1",
            "-1+1",
            "@SUM(1)",
            "\tx",
            "\rx",
            " =1",
            "＝1+1",
            "-x",
            "=cmd|' /C calc'!A0",
        ),
        *("\u200b=1", "\ufeff@SUM(1)", "\x01=1", "\x7f+x", "\xad-x", "\u2066=1", "-2+3+cmd|x"),
        *("\u034f=1", "\ufe0f+x", "\u115f=1", "\u3164-x+1", "\U000e0020=1"),
    ],
)
def test_formulas_are_neutralized(text: str) -> None:
    frame = pl.DataFrame({"a": [text, None, "x"]})
    assert neutralized(frame)["a"].to_list() == ["'" + text, None, "x"]
    assert neutralized(neutralized(frame)).equals(neutralized(frame))


def test_every_form_of_a_sign_and_every_blank_is_known() -> None:
    every = [chr(at) for at in range(sys.maxunicode + 1) if not 0xD800 <= at < 0xE000]
    plain = {one: unicodedata.normalize("NFKC", one)[:1] for one in every}
    signs = [one for one in every if plain[one] in {*"=+-@\u2212"}]
    assert {*"\ufe62\ufe63\ufe6b\ufe66\uff1d\u207a"} <= {*signs}
    shown = re.compile(
        "NUMBER SIGN|FOOTNOTE|NUMBER MARK|SIGN SANAH|SAFHA|SAMVAT|END OF AYAH|ABBREV|ABOVE$"
    )
    unseen = [
        one
        for one in every
        if unicodedata.category(one) in {"Cc", "Cf", "Zs", "Zl", "Zp"}
        and not shown.search(unicodedata.name(one, ""))
    ]
    found = pl.Series([f"{one}1+1" for one in signs] + [f"{one}=1" for one in [*unseen, "\u2800"]])
    safe = neutralized(found.to_frame("a"))["a"]
    assert found.filter(safe == found).to_list() == []


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a,=1,@x", "a,'=1,'@x"),
        ("a\n=1", "a\n'=1"),
        ("a\t\u200b=1", "a\t'\u200b=1"),
        ("a|+cmd|x", "a|'+cmd|x"),
        ("x;-2+3+cmd", "x;'-2+3+cmd"),
    ],
)
def test_formulas_after_a_separator_are_neutralized(text: str, safe: str) -> None:
    frame = pl.DataFrame({"a": [text, None]})
    assert neutralized(frame)["a"].to_list() == [safe, None]
    assert neutralized(neutralized(frame)).equals(neutralized(frame))
    assert unguarded(pl.Series([safe, None])) == {safe: text}
    assert formulas(frame) == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "[-5, -3)",
        "{-1, +2}",
        "a, -3",
        "x;-",
        "1;2",
        "-3.5",
        "+49",
        "-1,5",
        "-.5",
        "-1e-5",
        "-",
        "*",
        "20-24",
        "[20, 25)",
        "a=b",
        "",
        "<=5",
        "\u22123.5",
    ],
)
def test_numbers_and_signs_stay(text: str) -> None:
    frame = pl.DataFrame({"a": [text]})
    assert neutralized(frame).equals(frame)
    assert formulas(frame) == []


def test_only_texts_and_names_are_neutralized() -> None:
    frame = pl.DataFrame({"=a": [-1], "b": [-0.5], "-": [True]})
    assert neutralized(frame).columns == ["'=a", "b", "-"]
    assert neutralized(frame).rows() == frame.rows()


def test_spreadsheet_safe_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["=1", "-1"]})
    write_csv(frame, tmp_path / "a.csv", spreadsheet_safe=True)
    assert (tmp_path / "a.csv").read_text() == "a\n'=1\n-1\n"
    write_csv(frame, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a\n=1\n-1\n"


# Whole or not at all ---------------------------------------------------------------------------


def refused(error: pytest.ExceptionInfo[OutputError]) -> str:
    assert error.value.exit_code == 2
    return error.value.problems[0].code


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for place in ("file/release.csv", "none/release.csv", "folder"):
        with pytest.raises(OutputError) as caught:
            write_csv(RELEASE, tmp_path / place)
        assert refused(caught) == "unwritable"
        assert str(tmp_path / place) in str(caught.value)
    assert everything(tmp_path) == ["file", "folder"]


def full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_durations_are_texts_in_csv_and_lists_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"stay": [dt.timedelta(days=3), None, dt.timedelta(hours=36)]})
    write_csv(frame, tmp_path / "table.csv")
    text = (tmp_path / "table.csv").read_text()
    assert text.split() == ["stay", "P3D", '""', "P1DT12H"]
    for values in ([[1], [2, 3]], [b"a", b"b"]):
        with pytest.raises(OutputError, match="cannot be written to a CSV file") as caught:
            write_csv(pl.DataFrame({"codes": values}), tmp_path / "other.csv")
        assert caught.value.problems[0].attribute == "codes"
        assert not (tmp_path / "other.csv").exists()


@pytest.mark.parametrize("step", ["fsync", "replace", "write"])
def test_a_full_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (tmp_path / "release.csv").write_text("old")
    if step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    elif step == "replace":
        monkeypatch.setattr(Path, "replace", full)
    else:
        monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with pytest.raises(OutputError, match="disk is full") as caught:
        write_csv(RELEASE, tmp_path / "release.csv")
    assert refused(caught) == "disk-full"
    assert everything(tmp_path) == ["release.csv"]
    assert (tmp_path / "release.csv").read_text() == "old"


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_device_that_is_always_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Any
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")

    def on_full_device(handle: int, mode: str) -> Any:
        os.close(handle)
        return Path("/dev/full").open(mode, buffering=0)

    monkeypatch.setattr(os, "fdopen", on_full_device)
    with pytest.raises(OutputError, match="disk is full"):
        write(RELEASE, tmp_path / "release")
    assert everything(tmp_path) == []


def test_a_polars_error_that_is_not_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise pl.exceptions.ComputeError("secret")

    monkeypatch.setattr(pl.DataFrame, "write_csv", fail)
    with pytest.raises(OutputError) as caught:
        write_csv(RELEASE, tmp_path / "release.csv")
    assert "secret" not in str(caught.value)


# A run's folder --------------------------------------------------------------------------------


def leave_a_run(out: Path, release: str = "a\n1\n") -> None:
    with publish_folder(out) as staging:
        write_text(staging.public / "release.csv", release)
        write_json(staging.public / "certificate.json", {"tables": [{"path": "release.csv"}]})
        write_json(staging.private / "run.json", {"seed": 1})


RUN = ["certificate.json", "private", "private/run.json", "release.csv"]


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    out = tmp_path / "some" / "where" / "out"
    with publish_folder(out) as staging:
        assert staging.public.parent == out.parent
        assert stat.S_IMODE(staging.public.stat().st_mode) == 0o700
        write_csv(RELEASE, staging.public / "release.csv")
        write_json(staging.private / "run.json", {"seed": 1})
        assert not out.exists()
    assert everything(out) == ["private", "private/run.json", "release.csv"]
    assert everything(out.parent) == ["out", *(f"out/{name}" for name in everything(out))]
    assert stat.S_IMODE((out / "private").stat().st_mode) == 0o700
    before = os.umask(0)
    os.umask(before)
    assert stat.S_IMODE(out.stat().st_mode) == 0o777 & ~before


def test_no_private_folder_where_nothing_is_private(tmp_path: Path) -> None:
    with publish_folder(tmp_path / "out") as staging:
        write_text(staging.public / "a.txt", "a")
    assert everything(tmp_path / "out") == ["a.txt"]


def test_an_earlier_run_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    leave_a_run(out)
    leave_a_run(out, "a\n2\n")
    assert everything(out) == RUN
    assert (out / "release.csv").read_text() == "a\n2\n"
    assert everything(tmp_path) == ["out", *(f"out/{name}" for name in RUN)]


@pytest.mark.parametrize("exchange", [True, False])
def test_a_run_is_never_without_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    out = tmp_path / "out"
    leave_a_run(out)
    if not exchange:
        monkeypatch.setattr(writing, "_exchanged", lambda *_: False)
    moved: list[Path] = []
    moves = Path.replace
    monkeypatch.setattr(Path, "replace", lambda one, to: (moved.append(one), moves(one, to))[1])
    leave_a_run(out, "a\n2\n")
    assert (out in moved) is not exchange
    assert (out / "release.csv").read_text() == "a\n2\n"
    assert everything(tmp_path) == ["out", *(f"out/{name}" for name in RUN)]


def test_what_a_dead_process_staged_is_removed_and_what_a_living_one_did_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def staged(name: str, rest: str) -> Path:
        return tmp_path / f"{writing._mark(tmp_path / name)}{rest}"

    dead, living, other = (staged(*one) for one in (("out", "a"), ("out", "b"), ("x", "c")))
    foreign = [tmp_path / name for name in (".out.bak", ".out.ind-dead", ".x.ind-12345678-a")]
    for folder in (dead, living, other, *foreign):
        folder.mkdir()
    for name in ("out", "x"):
        staged(name, "file").write_text("secret")
    handle = os.open(living, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with monkeypatch.context() as here:
        here.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert writing.sweep(tmp_path / "y", beside=True) == 0
    with publish_folder(tmp_path / "out") as staging:
        assert staging.swept == 4
        with publish_folder(tmp_path / "another") as beside:
            assert beside.swept == 0
    os.close(handle)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([*(path.name for path in foreign), living.name, "another", "out"])


@pytest.mark.parametrize("name", ["out", "another"])
def test_an_earlier_run_that_was_moved_aside_comes_back(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    leave_a_run(out)
    out.rename(tmp_path / f"{writing._mark(out)}old-abc")
    with pytest.raises(ValueError, match="ours"), publish_folder(tmp_path / name):
        raise ValueError("ours")
    assert everything(tmp_path) == ["out", *(f"out/{name}" for name in RUN)]


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OutputError, match="cannot write here"), publish_folder(tmp_path / "loop"):
        pass
    assert everything(tmp_path) == ["loop"]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    leave_a_run(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert everything(tmp_path / "real") == RUN


def test_foreign_files_are_never_touched(tmp_path: Path) -> None:
    out = tmp_path / "out"
    leave_a_run(out)
    (out / "thesis.odt").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.odt") as caught:
        leave_a_run(out)
    assert refused(caught) == "foreign-files"
    (out / "certificate.json").write_text("no json")
    with pytest.raises(OutputError) as caught:
        leave_a_run(out)
    assert refused(caught) == "foreign-files"
    assert everything(tmp_path) == sorted(["out", "out/thesis.odt", *(f"out/{n}" for n in RUN)])


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(OutputError) as caught:
        leave_a_run(tmp_path / "out")
    assert refused(caught) == "file-in-the-way"
    with pytest.raises(OutputError) as caught:
        leave_a_run(tmp_path / "out" / "deeper" / "out")
    assert refused(caught) == "unwritable"
    assert everything(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("ours")])
def test_an_error_in_the_block_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    def run() -> None:
        with publish_folder(tmp_path / "a" / "out") as staging:
            write_text(staging.public / "a.txt", "a")
            raise error

    with pytest.raises(type(error)):
        run()
    assert everything(tmp_path) == []


def test_a_full_disk_in_the_block_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a" / "out"
    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    with pytest.raises(OutputError) as caught, publish_folder(out) as staging:
        write_csv(RELEASE, staging.public / "release.csv")
    assert refused(caught) == "disk-full"
    assert caught.value.problems[0].file == str(out / "release.csv")
    assert everything(tmp_path) == []
    with pytest.raises(OutputError) as caught, publish_folder(out):
        full()
    assert refused(caught) == "disk-full"
    assert everything(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "replace", "mkdtemp"])
def test_a_full_disk_at_the_end_leaves_the_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    out = tmp_path / "out"
    leave_a_run(out)
    monkeypatch.setattr(writing, "_exchanged", lambda *_: False)
    moves = Path.replace

    def stop_at_the_second(self: Path, target: Path) -> Path:
        if self.name.startswith(".out.") and target == out and (self / "new.txt").exists():
            full()
        return moves(self, target)

    def new_run() -> None:
        with publish_folder(out) as staging:
            write_text(staging.public / "new.txt", "new")
            if step == "fsync":
                monkeypatch.setattr(os, "fsync", full)
            elif step == "mkdtemp":
                monkeypatch.setattr(writing.tempfile, "mkdtemp", full)
            else:
                monkeypatch.setattr(Path, "replace", stop_at_the_second)

    with pytest.raises(OutputError, match="disk is full"):
        new_run()
    monkeypatch.undo()
    assert everything(out) == RUN
    assert everything(tmp_path) == ["out", *(f"out/{name}" for name in RUN)]


@pytest.mark.parametrize("there", [(), ("a",), ("a", "b")])
def test_of_private_texts_all_are_written_or_none(
    tmp_path: Path, there: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the second file cannot take its place: it is mounted, say, by a container."""
    one, two = tmp_path / "a", tmp_path / "b"
    for name in there:
        (tmp_path / name).write_text("earlier")
    replace, exchanged = Path.replace, writing._exchanged

    def replaced(staged: Path, path: Path) -> Path:
        if path == two:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(path))
        return replace(staged, path)

    monkeypatch.setattr(Path, "replace", replaced)
    monkeypatch.setattr(
        writing, "_exchanged", lambda staged, path: path != two and exchanged(staged, path)
    )
    with pytest.raises(OutputError, match="busy"):
        writing.write_private({one: "now", two: "now"})
    found = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert found == dict.fromkeys(there, "earlier")
    monkeypatch.undo()
    writing.write_private({one: "now", two: "now"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "now", "b": "now"}
    assert stat.S_IMODE(one.stat().st_mode) == stat.S_IMODE(two.stat().st_mode) == 0o600
