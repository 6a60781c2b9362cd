from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from indistinct.errors import DataError
from indistinct.sources import memory
from indistinct.sources.files import read_table


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    memory.allow(None)


def refused(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert caught.value.exit_code == 2
    return caught.value.problems[0].code


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 << 30), ("500 MB", 500 << 20), ("1.5k", 1536), ("17", 17), ("1 TiB", 1 << 40)],
)
def test_sizes(text: str, size: int) -> None:
    assert memory.size_of(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1", "2 EB", "1e9", "2GBB"])
def test_what_is_no_size(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory.size_of(text) is None
    if text:
        monkeypatch.setenv(memory.VARIABLE, text)
        with pytest.raises(DataError, match="is no size of memory"):
            memory.allowed()


def test_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    assert 0 < memory.allowed() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setenv(memory.VARIABLE, "1MB")
    assert memory.allowed() == 1 << 20
    memory.allow(5)
    assert memory.allowed() == 5


def test_a_csv_file_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "20,f\n" * 1000)
    memory.allow(100_000)
    assert refused(path) == "too-little-memory"  # as read, for its cells
    memory.allow(1000)
    monkeypatch.setattr("indistinct.sources.files.opened", lambda _: pytest.fail("was read"))
    assert refused(path) == "too-little-memory"


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_a_file_that_unpacks_to_too_much(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"people.csv.{ending}"
    path.write_bytes(pack(b"age,sex\n" + b"20,f\n" * 5_000_000))
    memory.allow(50 << 20)
    assert refused(path) == "too-little-memory"


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_a_damaged_file(tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack("".join(f"{at},f\n" for at in range(20_000)).encode())
    path = tmp_path / f"people.csv.{ending}"
    for at in range(0, len(packed), len(packed) // 20):
        path.write_bytes(packed[:at] + b"no" + packed[at + 2 :])
        assert refused(path) in ("unreadable-file", "header-is-a-record")
        path.write_bytes(packed[:at])
        assert refused(path) in ("unreadable-file", "empty-file")


def test_a_parquet_file_of_one_value(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pl.DataFrame({"age": pl.repeat(1, 10_000_000, eager=True)}).write_parquet(path)
    assert path.stat().st_size < 1 << 20
    memory.allow(100 << 20)
    assert refused(path) == "too-little-memory"


def test_a_stray_cell(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    book.active.title = "A & B"
    book.active.append(["age", "sex"])
    book.active.append([20, "f"])
    far = book.create_sheet("Far")
    far.append(["age"])
    far.cell(1 << 20, 1 << 14).value = "x"
    path = tmp_path / "people.xlsx"
    book.save(path)
    memory.allow(8 << 30)
    assert read_table(path).rows() == [(20, "f")]
    with pytest.raises(DataError) as caught:
        read_table(path, sheet="Far")
    (problem,) = caught.value.problems
    assert problem.code == "stray-cell"
    assert "column 16384 and row 1048576" in problem.message
    memory.allow(1000)
    assert refused(path) == "too-little-memory"
