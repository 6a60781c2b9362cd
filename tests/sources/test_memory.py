from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from indistinct.errors import DataError
from indistinct.intake.opening import in_file
from indistinct.sources import memory, workbook
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
    [
        ("2GB", 2 << 30),
        ("500 MB", 500 << 20),
        ("1.5k", 1536),
        ("17", 17),
        ("1 TiB", 1 << 40),
        ("9" * 20, memory.LARGEST),
        ("9" * 400, memory.LARGEST),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert memory.size_of(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1", "2 EB", "1e9", "2GBB"])
def test_what_is_no_size(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory.size_of(text) is None
    if text:
        monkeypatch.setenv(memory.VARIABLE, text)
        with pytest.raises(DataError, match="is not a size of memory"):
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
    monkeypatch.setattr("indistinct.sources.packed.opened", lambda _: pytest.fail("was read"))
    assert refused(path) == "too-little-memory"


@pytest.mark.parametrize(
    ("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
)
def test_a_file_that_unpacks_to_too_much(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / f"people.csv.{ending}"
    # Packed in parts, as by programs that pack side by side: in one it takes bz2 seconds.
    path.write_bytes(pack(b"age,sex\n") + pack(b"20,f\n" * 50_000) * 100)
    memory.allow(50 << 20)
    assert refused(path) == "packed-too-tightly"
    with pytest.raises(DataError, match="unpack it first"):  # nor is it scanned instead
        in_file(path)
    few = "".join(f"{at * at},{at % 7}\n" for at in range(20_000))
    path.write_bytes(pack(b"number,left\n" + few.encode()))
    memory.allow(1 << 20)
    assert refused(path) == "too-little-memory"


def test_a_file_that_will_not_fit_is_refused_by_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indistinct.sources.packed._BLOCK", 1 << 10)
    sizes: list[float] = []
    told = memory.require
    monkeypatch.setattr(
        memory, "require", lambda size, name: (sizes.append(size), told(size, name))
    )
    path = tmp_path / "people.csv"
    path.write_text("age;sex\n" + "20;f\n" * 10_000)
    for limit, most in ((300_000, 2), (700_000, 2), (1_100_000, 60)):
        memory.allow(limit)
        sizes.clear()
        assert refused(path) == "too-little-memory"
        assert len(sizes) <= most, limit
    memory.allow(1_300_000)
    assert read_table(path).height == 10_000


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


def open_document(path: Path, rows: str) -> Path:
    """A workbook of OpenDocument with a sheet before the one that has these rows."""
    names = {
        "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
        "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
        "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    }
    told = " ".join(f'xmlns:{name}="{place}"' for name, place in names.items())
    first = f'<table:table table:name="A &amp; B">{text_row("age", "sex")}</table:table>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held:
        held.writestr("mimetype", kind)
        held.writestr("META-INF/manifest.xml", "<manifest/>")
        held.writestr(
            "content.xml",
            f"<office:document-content {told}><office:body><office:spreadsheet>{first}"
            f'<table:table table:name="Far">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def text_row(*cells: str, more: str = "", keys: str = "") -> str:
    told = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
        for cell in cells
    )
    return f"<table:table-row{keys}>{told}{more}</table:table-row>"


EMPTY = '<table:table-cell table:number-columns-repeated="16384"/>'
FULL = (
    '<table:table-cell table:number-columns-repeated="16384" office:value-type="string">'
    "<text:p>x</text:p></table:table-cell>"
)
MANY = ' table:number-rows-repeated="1048570"'


@pytest.mark.parametrize(
    ("rows", "columns", "height"),
    [
        (
            text_row("20", "f", more=EMPTY) + f"<table:table-row{MANY}>{EMPTY}</table:table-row>",
            2,
            1,
        ),
        (f"<table:table-row{MANY}/>" + text_row("x"), 1, 1_048_571),
        (text_row("x", more=FULL), 16_385, 1),
        (text_row(more=FULL, keys=MANY), 16_384, 1_048_570),
        (text_row("20", more=f'{EMPTY}<table:covered-table-cell office:value="1"/>'), 16_386, 1),
        ("", 0, 0),
    ],
)
def test_cells_of_an_open_document_that_are_repeated(
    rows: str, columns: int, height: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = open_document(tmp_path / "people.ods", rows)
    for block in (64, 1 << 24):
        monkeypatch.setattr(workbook, "_BLOCK", block)
        with zipfile.ZipFile(path) as held:
            assert list(workbook._open_document(held)) == [
                ("A & B", 2, 1),
                ("Far", columns, height),
            ]


def test_what_an_open_document_does_not_show_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = ' table:visibility="collapse"'
    merged = '<table:table-cell office:value-type="string" table:number-rows-spanned="2"/>'
    columns = (
        f'<table:table-column/><table:table-column{hidden} table:number-columns-repeated="1023"/>'
    )
    rows = columns + text_row("age", "sex") + text_row("20", "f", more=merged)
    rows += text_row("21", "m", keys=' table:visibility="filter" table:number-rows-repeated="3"')
    rows += f"<table:table-row{MANY}{hidden}>{EMPTY}</table:table-row>"
    path = open_document(tmp_path / "people.ods", rows)
    for block in (64, 1 << 24):
        monkeypatch.setattr(workbook, "_BLOCK", block)
        told = workbook.hidden_in(path, "Far")
        assert told[0].startswith("3 rows and 2 columns of sheet 'Far' are hidden")
        assert "in column C (1 times)" in told[1]
        assert len(told) == 2
        assert not workbook.hidden_in(path, None)
        assert not workbook.hidden_in(path, "none")
    styles = (
        '<style:style style:name="ta2" style:family="table">'
        '<style:table-properties table:display="false"/></style:style><office:body>'
    )
    with zipfile.ZipFile(path) as held:
        text = held.read("content.xml").decode()
    text = text.replace("<office:body>", styles).replace(
        'table:name="A &amp; B"', 'table:name="A &amp; B" table:style-name="ta2"'
    )
    with zipfile.ZipFile(path, "w") as held:
        held.writestr("content.xml", text)
    (said,) = workbook.hidden_in(path, None)
    assert said.startswith("sheet 'A & B' is hidden in the workbook")


@pytest.mark.parametrize("ending", [".xls", ".xlsb"])
def test_it_is_said_where_hidden_rows_are_not_looked_for(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"people{ending}"
    assert not workbook.hidden_in(path, None)
    path.write_bytes(b"x")
    (told,) = workbook.hidden_in(path, None)
    assert "was not looked at" in told


def test_a_stray_cell_in_an_open_document(tmp_path: Path) -> None:
    """All its sheets are opened at once, so the one that is not asked for counts as well."""
    pytest.importorskip("fastexcel")
    memory.allow(8 << 30)
    near = open_document(tmp_path / "near.ods", text_row("age") + text_row("20"))
    assert read_table(near, sheet="Far").rows() == [("20",)]
    far = open_document(tmp_path / "far.ods", text_row(more=FULL, keys=MANY))
    assert far.stat().st_size < 2_000
    with pytest.raises(DataError) as caught:
        read_table(far, sheet="A & B")
    (problem,) = caught.value.problems
    assert problem.code == "stray-cell"
    assert "column 16384 and row 1048570" in problem.message


def record(kind: int, held: bytes) -> bytes:
    """A record of a binary workbook."""
    told = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return told + bytes([len(held) & 0x7F | 0x80, len(held) >> 7]) + held


def wide(text: str) -> bytes:
    return len(text).to_bytes(4, "little") + text.encode("utf-16-le")


def binary_workbook(path: Path, cells: list[tuple[int, int, str]]) -> Path:
    """A binary workbook of two sheets, the second with these cells: row, column, text."""
    number = [value.to_bytes(4, "little") for value in range(4)]
    book = record(131, b"") + record(143, b"")
    book += record(156, number[0] + number[1] + wide("rId1") + wide("Near"))
    book += record(156, number[0] + number[2] + wide("rId2") + wide("Far"))
    book += record(144, b"") + record(132, b"")

    def sheet(own: list[tuple[int, int, str]]) -> bytes:
        # The dimensions are told wrong: nobody has to believe them.
        found = record(129, b"") + record(148, number[0] * 4) + record(145, b"")
        last = -1
        for row, column, text in own:
            if row != last:
                found += record(0, row.to_bytes(4, "little") + bytes(13))
            found += record(6, column.to_bytes(4, "little") + bytes(4) + wide(text))
            last = row
        return found + record(146, b"") + record(130, b"")

    links = "".join(
        f'<Relationship Id="rId{at}" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        f'relationships/worksheet" Target="worksheets/sheet{at}.bin"/>'
        for at in (1, 2)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held:
        held.writestr("[Content_Types].xml", "<Types/>")
        held.writestr("xl/workbook.bin", book)
        held.writestr("xl/_rels/workbook.bin.rels", f"<Relationships>{links}</Relationships>")
        held.writestr("xl/worksheets/sheet1.bin", sheet([(0, 0, "age"), (1, 0, "20")]))
        held.writestr("xl/worksheets/sheet2.bin", sheet(cells))
    return path


def test_a_stray_cell_in_a_binary_workbook(tmp_path: Path) -> None:
    pytest.importorskip("fastexcel")
    memory.allow(8 << 30)
    far = [(0, 0, "age"), (1, 0, "20"), ((1 << 20) - 1, (1 << 14) - 1, "x")]
    path = binary_workbook(tmp_path / "people.xlsb", far)
    assert read_table(path, sheet="Near").rows() == [("20",)]
    with pytest.raises(DataError) as caught:
        read_table(path, sheet="Far")
    (problem,) = caught.value.problems
    assert problem.code == "stray-cell"
    assert "column 16384 and row 1048576" in problem.message
    near = binary_workbook(tmp_path / "near.xlsb", far[:2])
    assert read_table(near, sheet="Far").rows() == [("20",)]
