from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import sqlite3
import sys
from contextlib import closing, suppress
from encodings.aliases import aliases
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.errors import DataError, PolicyError, UncertainNames
from indistinct.policy.sections import Source
from indistinct.sources import csv_parts, csv_records, memory, spark_files
from indistinct.sources.file_kind import refuse_missing
from indistinct.sources.file_kinds import csv as csv_kind
from indistinct.sources.files import read_table
from indistinct.sources.scan import scan
from indistinct.sources.table import column_names
from indistinct.sources.titles import notes_of_file, rows_above
from indistinct.sources.workbook import hidden_in
from indistinct.sources.writing import write_csv
from indistinct.text_encodings import is_of_files


def put(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: Path, **settings: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        read_table(path, **settings)
    assert caught.value.exit_code == 2
    return caught.value


def codes(error: DataError) -> list[str]:
    return [problem.code for problem in error.problems]


# What is understood ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a;b\n1;2\n", [("1", "2")]),
        ("a;b\n1;2", [("1", "2")]),
        ("a;b\r\n1;2\r\n3;\r\n", [("1", "2"), ("3", None)]),
        ("a;b\r1;2\r3;4\r", [("1", "2"), ("3", "4")]),
        ("a,b\n1,2\n\n\n", [("1", "2")]),
        ("a,b\r\n1,2\r\n\r\n", [("1", "2")]),
        ("\n\na,b\n1,2\n", [("1", "2")]),
        ("a,b\n\n1,2\n \n3,4\n", [("1", "2"), ("3", "4")]),
        ("a, b\n 1 ,\t2 \n3, \n", [("1", "2"), ("3", None)]),
        ('a,b\n"x, y","z\nz"\n', [("x, y", "z\nz")]),
        ('a,b\n"x ""y""",""\n', [('x "y"', None)]),
        ('a,b\n"x, y", "z"\n"1" ,2\n', [("x, y", "z"), ("1", "2")]),
        ('a,b\n1, "x, y"\n', [("1", "x, y")]),
        ('a,b\n5" pipe,6" pipe\n', [('5" pipe', '6" pipe')]),
        ('a,b\n5" pipe,1\n', [('5" pipe', "1")]),
        ("a\tb\n1\t2,5\n", [("1", "2,5")]),
        ('a,b\n1,"x\n"', [("1", "x")]),
        ('a,b\n"\r","x"\n', [(None, "x")]),
        ("a|b\n1|2\n", [("1", "2")]),
        ("'a';'b'\n'x;y';'z'\n", [("x;y", "z")]),
        ("a\n1\n\n2\n\n", [("1",), (None,), ("2",)]),
        ('a\n1\n""\n', [("1",), (None,)]),
        ("a,b\nNA,null\nnan,None\n", [("NA", "null"), ("nan", "None")]),
        ('"a\nb",c\n1,2\n', [("1", "2")]),
        ("ä,b\nü,ß\n", [("ü", "ß")]),
    ],
)
def test_csv(tmp_path: Path, content: str, rows: list[tuple[str | None, ...]]) -> None:
    frame = read_table(put(tmp_path, content))
    assert frame.rows() == rows
    assert set(frame.dtypes) == {pl.String}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_unicode_is_known_by_itself(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path, "Größe;b\nü;2\n".encode(encoding))
    frame = read_table(path)
    assert frame.columns == ["Größe", "b"]
    assert frame.rows() == [("ü", "2")]


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "utf-8", "utf-16"])
def test_a_given_encoding(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path, "Größe;b\nü;2\n".encode(encoding))
    assert read_table(path, encoding=encoding).rows() == [("ü", "2")]


def test_a_mark_is_passed_over_with_a_given_encoding(tmp_path: Path) -> None:
    path = put(tmp_path, "a;b\nü;2\n".encode("utf-8-sig"))
    assert read_table(path, encoding="utf8").columns == ["a", "b"]


@pytest.mark.parametrize(
    ("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_packed_csv(tmp_path: Path, ending: str, pack: Any) -> None:
    path = put(tmp_path, pack(b"a;b\n1;2\n"), f"people.csv{ending}")
    assert read_table(path).rows() == [("1", "2")]
    broken = put(tmp_path, b"no archive", f"broken.csv{ending}")
    assert codes(refused(broken)) == ["unreadable-file"]


def test_tab_separated_file_of_one_record(tmp_path: Path) -> None:
    path = put(tmp_path, "a, b\tc\n1, 1\t2\n", "people.tsv")
    assert read_table(path).columns == ["a, b", "c"]


def test_separators_and_quotes_of_other_alphabets(tmp_path: Path) -> None:
    path = put(tmp_path, "a¦b\n«x¦y»¦2\n".replace("»", "«"))
    assert read_table(path, separator="¦", quote="«").rows() == [("x¦y", "2")]


def test_quotes_may_mean_nothing(tmp_path: Path) -> None:
    path = put(tmp_path, 'a,b\n"x,2\n"y,"z"\n')
    assert read_table(path, quote="").rows() == [('"x', "2"), ('"y', '"z"')]


def test_many_records_by_the_careful_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_records, "_CHUNK", 3)
    content = "a,b\n\n" + "".join(f'{i}, "x, {i}"\n' for i in range(10))
    rows = read_table(put(tmp_path, content)).rows()
    assert rows == [(str(i), f"x, {i}") for i in range(10)]


def test_the_quick_way_is_taken_for_usual_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(csv_kind, "read_carefully")
    content = 'a;b\r\n"x;""y""\n;";2\r\n;\r\n "";3 \r\n'.replace(' ""', '""')
    assert read_table(put(tmp_path, content)).rows() == [
        ('x;"y"\n;', "2"),
        (None, None),
        (None, "3"),
    ]


CELL = st.text(st.sampled_from("ab ,;\"\r\nü'="), max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=12),
    separator=st.sampled_from([",", ";"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_python_writes_is_read_again(
    tmp_path: Path, rows: list[tuple[str, str]], separator: str, quoting: Any, end: str
) -> None:
    if any("\r" in cell for row in rows for cell in row):
        quoting = csv.QUOTE_ALL
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([("first", "second"), *rows])
    frame = read_table(put(tmp_path, file.getvalue()), separator=separator, quote='"')
    assert frame.rows() == [tuple(c.strip(" \t\r\n") or None for c in row) for row in rows]


def test_adult(shared: Path) -> None:
    frame = read_table(shared / "data/adult/adult.csv")
    assert frame.shape == (30162, 9)
    assert frame.columns[:3] == ["sex", "age", "race"]
    assert frame["age"].n_unique() == 72
    toys = shared / "data/adult/toy"
    assert read_table(toys / "test_dirty.csv").shape == (7, 3)
    assert read_table(toys / "test2.csv").shape == (9, 4)
    assert read_table(toys / "test.xlsx").rows()[0] == (34, "male", 81667)
    ragged = refused(toys / "test-import.csv").problems
    assert [problem.code for problem in ragged] == ["ragged-records"]


# What is refused -------------------------------------------------------------------------------


def test_ragged_records(tmp_path: Path) -> None:
    content = "a,b,c\n1,2,3\nsecret\n4,5,6\n\n7,8\n9,9,9,9\n"
    error = refused(put(tmp_path, content))
    (problem,) = error.problems
    assert problem.code == "ragged-records"
    assert problem.rows == (2, 4, 5)
    assert str(error).startswith(
        "people.csv, rows 2, 4, 5: the header has 3 cells,"
        " but line 3 has 1, line 6 has 2, line 7 has 4\n"
    )
    assert "secret" not in str(error)


@pytest.mark.parametrize("short", ["x", "1", '"1"'])
def test_a_single_short_record_among_many(tmp_path: Path, short: str) -> None:
    body = ["1,2"] * 5000
    body[4000] = short
    (problem,) = refused(put(tmp_path, "\n".join(["a,b", *body]))).problems
    assert problem.rows == (4001,)


def test_many_ragged_records_are_counted(tmp_path: Path) -> None:
    (problem,) = refused(put(tmp_path, "a,b\n1,2\n" + "1,2,3\n" * 30), separator=",").problems
    assert len(problem.rows) == 30
    assert "and 20 more" in problem.message


def test_lines_are_counted_through_quotes(tmp_path: Path) -> None:
    (problem,) = refused(put(tmp_path, 'a,b\n"x\n\ny",2\n1\n')).problems
    assert problem.rows == (2,)
    assert "line 5 has 1" in problem.message


def test_a_quote_that_is_never_closed(tmp_path: Path) -> None:
    error = refused(put(tmp_path, 'a,b\n1,2\n3,"secret\n5,6\n7,8\n'))
    assert codes(error) == ["unclosed-quote"]
    assert "line 3" in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("rest", "line"), [("1,2\n", None), ('3,"secret\n5,6\n', 3)], ids=["closed", "unclosed"]
)
def test_a_cell_beyond_what_pythons_reader_takes(
    tmp_path: Path, rest: str, line: int | None
) -> None:
    """A quote inside a cell has the file read with care, whose limit is of 131,072 characters."""
    before = csv.field_size_limit()
    long = 'says "no" ' + "x" * 200_000
    path = put(tmp_path, f"a,b\n1,{long}\n{rest}")
    if line is None:
        assert read_table(path)["b"].to_list() == [long, "2"]
    else:
        error = refused(path)
        assert codes(error) == ["unclosed-quote"]
        assert f"line {line}" in str(error)
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty-file"),
        ("\n\n", "empty-file"),
        ("a,b\n", "no-records"),
        ("a,b", "no-records"),
        ("a,b\n\n\n", "no-records"),
        ("a,b\r\n\r\n", "no-records"),
        ("a,a\n1,2\n", "duplicate-columns"),
        ("a, a \n1,2\n", "duplicate-columns"),
        ("a,\n1,2\n", "unnamed-column"),
    ],
)
def test_no_table(tmp_path: Path, content: str, code: str) -> None:
    assert codes(refused(put(tmp_path, content))) == [code]


def test_a_release_without_records_may_be_read(tmp_path: Path) -> None:
    for content in ("a,b\n", "a,b", "a,b\n\n"):
        frame = read_table(put(tmp_path, content), allow_empty=True)
        assert frame.schema == {"a": pl.String, "b": pl.String}
        assert frame.height == 0


@pytest.mark.parametrize("odd", ['"say ""so"" twice"', '"{"" a""}"', "plain"])
def test_exact_cells_wherever_quotes_stand(tmp_path: Path, odd: str) -> None:
    content = f'a,b\n{odd},1\n a,2\na ,3\n,4\n"",5\n'
    frame = read_table(put(tmp_path, content), exact=True)
    assert frame["a"].to_list()[1:] == [" a", "a ", None, ""]
    assert frame["b"].to_list() == ["1", "2", "3", "4", "5"]


def test_exact_cells_of_a_file_with_blanks_before_its_quotes(tmp_path: Path) -> None:
    frame = read_table(put(tmp_path, 'a, b\n1, "x, y"\n2,\n'), exact=True)
    assert frame.rows() == [("1", "x, y"), ("2", None)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    rows=st.lists(
        st.tuples(*[st.none() | st.text(alphabet='a "\n,;{}*\u00e9', max_size=5)] * 2),
        min_size=1,
        max_size=6,
    )
)
def test_what_was_written_is_read_exactly(
    tmp_path: Path, rows: list[tuple[str | None, str | None]]
) -> None:
    frame = pl.DataFrame(rows, schema={"first": pl.String, "other": pl.String}, orient="row")
    write_csv(frame, tmp_path / "people.csv")
    read = read_table(tmp_path / "people.csv", separator=",", exact=True, allow_empty=True)
    assert read.rows() == rows


def test_a_missing_header_is_not_quoted(tmp_path: Path) -> None:
    error = refused(put(tmp_path, "Smith,Smith,39\nJones,Jones,40\n"))
    assert codes(error) == ["duplicate-columns"]
    assert "columns 1, 2" in str(error)
    assert "give every column a name of its own, or add the header" in str(error)
    assert "Smith" not in str(error)


def test_a_first_line_that_is_a_record(tmp_path: Path) -> None:
    content = "Smith,39,f,x1\nJones,40,m,x2\nSmith,40,f,x3\nJones,39,f,x4\n"
    error = refused(put(tmp_path, content))
    assert codes(error) == ["header-is-a-record"]
    assert "people.csv: the first line looks like a record" in str(error)
    assert "put a line with the columns' names above it" in str(error)
    assert not any(secret in str(error) for secret in ("Smith", "39", "x1"))


def test_a_header_that_is_repeated(tmp_path: Path) -> None:
    (problem,) = refused(put(tmp_path, "age,sex\n20,f\n30,m\nage,sex\n40,f\n")).problems
    assert problem.code == "header-is-a-record"
    assert problem.rows == (3,)
    assert "take out the rows that repeat it" in str(problem)


@pytest.mark.parametrize(
    "content", ["2019,2020,ward\n3,4,ward\n2,1,x\n", "a\na\nb\n", "a,b\na,1\n2,3\n"]
)
def test_a_name_that_is_a_value_too(tmp_path: Path, content: str) -> None:
    assert read_table(put(tmp_path, content)).height == 2


@pytest.mark.parametrize("filler", [1, 200_000])
def test_a_header_that_is_never_closed(tmp_path: Path, filler: int) -> None:
    error = refused(put(tmp_path, 'a,"b\n' + "1,2\n" * filler))
    assert codes(error) == ["unclosed-quote"]
    assert "line 1" in str(error)


def test_a_quote_opened_in_a_large_file(tmp_path: Path) -> None:
    error = refused(put(tmp_path, 'a,b\n3,"x\n' + "1,2\n" * 200_000))
    assert codes(error) == ["unclosed-quote"]
    assert "line 2" in str(error)


def test_line_ends_of_several_kinds(tmp_path: Path) -> None:
    assert read_table(put(tmp_path, "a,b\n1,2\r3,4\r\n5,6\n")).height == 3


def test_several_problems_of_a_header(tmp_path: Path) -> None:
    error = refused(put(tmp_path, "a,a,,b,b,\nx,x,x,x,x,x\n"))
    assert codes(error) == ["duplicate-columns", "unnamed-column"]
    assert "columns 1, 2, 4, 5 have the same names\n" in str(error)
    assert "column 3, 6" in str(error)


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_a_title_with_odd_white_space_is_one_line(tmp_path: Path, end: str) -> None:
    path = put(tmp_path, f"Report{end} of 2024\nage,sex\n20,f\n30,m\n40,f\n")
    assert rows_above(path) == 1


def test_titles_above_the_names(tmp_path: Path) -> None:
    error = refused(
        put(tmp_path, "Discharges 2020\nas of May\n\nage;sex;city\n34;f;Bonn\n41;m;Ulm\n")
    )
    assert codes(error) == ["ragged-records"]
    assert "if line 4 has the names of the columns" in str(error)
    assert "skip_rows = 3" in str(error)
    error = refused(put(tmp_path, "Discharges,,\nage,sex,city\n34,f,Bonn\n"))
    assert codes(error) == ["unnamed-column"]
    assert "skip_rows" in str(error)


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    error = refused(put(tmp_path, "name;age\nAnn;1\nJürgen;2\n".encode("latin-1")))
    assert codes(error) == ["undecodable"]
    assert "line 3" in str(error)
    assert 'encoding = "windows-1252"' in str(error)
    assert "rgen" not in str(error)
    euro = put(tmp_path, "Kosten €;age\n“3”;1\n".encode("cp1252"))  # no letters in latin-1
    advised = re.findall(r'encoding = "([^"]+)"', str(refused(euro)))
    assert [read_table(euro, encoding=one).columns for one in advised] == [["Kosten €", "age"]]
    header = refused(put(tmp_path, "Größe;age\n1;1\n".encode("latin-1")))
    assert codes(header) == ["undecodable"]
    wrong = refused(put(tmp_path, "a;b\nü;1\n"), encoding="ascii")
    assert codes(wrong) == ["undecodable"]
    odd = refused(put(tmp_path, b"a;b\n1;2\n3"), encoding="utf-16-le")
    assert codes(odd) == ["undecodable"]


def test_bytes_that_are_not_utf_8_far_down(tmp_path: Path) -> None:
    content = "name;age\n" + "Ann;1\n" * 100_000 + "Jürgen;2\n"
    error = refused(put(tmp_path, content.encode("latin-1")))
    assert codes(error) == ["undecodable"]
    assert "line 100002" in str(error)


def test_ragged_records_where_quotes_mean_nothing(tmp_path: Path) -> None:
    (problem,) = refused(put(tmp_path, 'a,b\n1,2\n"3\n'), quote="").problems
    assert problem.rows == (2,)


@pytest.mark.parametrize(
    "encoding",
    ["base64", "rot13", "hex", "idna", "undefined", "", "bz2", "utf-7", "U7", "charmap", "quopri",
     "raw_unicode_escape", "unicode-escape", "punycode", "mbcs", "a\0b"],
)  # fmt: skip
def test_what_is_no_encoding_of_files(tmp_path: Path, encoding: str) -> None:
    error = refused(put(tmp_path, "a;b\n1;2\n"), encoding=encoding)
    assert codes(error) == ["unknown-encoding"]
    with pytest.raises(PolicyError, match="no encoding of files"):
        Source(encoding=encoding)


def is_codec(name: str) -> bool:
    with suppress(LookupError):  # some are those of Windows
        return bool(codecs.lookup(name))
    return False


def test_every_encoding_of_text_is_one_of_files() -> None:
    """What Python has besides turns bytes into bytes, or is an envelope or an escape."""
    every = {codecs.lookup(one).name for one in aliases.values() if is_codec(one)}
    assert sorted(one for one in every if not is_of_files(one)) == [
        "base64", "bz2", "hex", "quopri", "rot-13", "utf-7", "uu", "zlib"
    ]  # fmt: skip


def test_settings_that_make_no_sense(tmp_path: Path) -> None:
    path = put(tmp_path, "a;b\n1;2\n")
    error = refused(path, separator=";;", quote="''", encoding="utf-9")
    assert codes(error) == ["bad-separator", "bad-quote", "unknown-encoding"]
    assert "did you mean 'utf-8'?" in str(error)
    assert codes(refused(path, sheet="x")) == ["sheet-without-excel"]
    assert codes(refused(path, query="SELECT 1")) == ["query-and-database"]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    put(tmp_path, "a;b\n1;2\n")
    error = refused(tmp_path / "peopel.csv")
    assert codes(error) == ["missing-file"]
    assert "did you mean 'people.csv'?" in str(error)
    assert codes(refused(tmp_path / "no" / "people.csv")) == ["missing-file"]
    assert codes(refused(tmp_path / "people.docx")) == ["missing-file", "unknown-ending"]
    (tmp_path / "folder.csv").mkdir()
    assert codes(refused(tmp_path / "folder.csv")) == ["not-a-file"]
    for many in ("folder.csv", "p*.csv"):
        remedy = str(refused(tmp_path / many))
        assert "read as one table by --engine duckdb" in remedy
        assert "in verbs that have it" in remedy
    assert "--engine" not in str(refused(tmp_path / "q*.csv"))


# Other files -----------------------------------------------------------------------------------


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})
    frame.write_parquet(tmp_path / "people.parquet")
    assert read_table(tmp_path / "people.parquet").equals(frame)
    frame.clear().write_parquet(tmp_path / "none.parquet")
    assert codes(refused(tmp_path / "none.parquet")) == ["no-records"]
    assert codes(refused(put(tmp_path, "secret", "broken.parquet"))) == ["unreadable-file"]


def test_excel(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    book.active.title = "People"
    for row in (["name", "age"], [" Ann ", 39], ["Bea", None]):
        book.active.append(row)
    other = book.create_sheet("Twice")
    for row in (["a", "a", None], [1, 2, 3]):
        other.append(row)
    book.create_sheet("Nothing")
    path = tmp_path / "people.xlsx"
    book.save(path)
    assert read_table(path).rows() == [("Ann", 39), ("Bea", None)]
    assert read_table(path, sheet="People").height == 2
    assert codes(refused(path, sheet="Twice")) == ["duplicate-columns", "unnamed-column"]
    error = refused(path, sheet="Nothing")
    assert codes(error) == ["no-columns"]
    assert "'People', 'Twice'" in str(error)
    error = refused(path, sheet="Poeple")
    assert codes(error) == ["unknown-sheet"]
    assert "did you mean 'People'?" in str(error)
    assert codes(refused(put(tmp_path, "secret", "broken.xlsx"))) == ["unreadable-file"]


def test_what_a_workbook_does_not_show_is_told(tmp_path: Path, run: Any) -> None:
    """Rows that were filtered away are read like all others, and so is a hidden sheet."""
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["age", "ward", "ill"])
    for at in range(8):
        sheet.append([20 + at % 2, "a", "flu"])
    book.create_sheet("Shown").append(["age", "ill"])
    path, policy = tmp_path / "people.xlsx", tmp_path / "p.toml"
    book.save(path)
    quasi = {"role": "quasi-identifier", "hierarchy": "suppress"}
    asked = {
        "rest": "drop",
        "attributes": {"age": quasi},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    assert not hidden_in(path, None)
    assert not any("hidden" in text for text in ind.anonymize(path, asked).warnings)
    sheet.sheet_state = "hidden"
    sheet.column_dimensions["B"].hidden = True
    sheet.column_dimensions.group("F", "XFD", hidden=True)  # nothing stands there
    for row in (3, 4):
        sheet.row_dimensions[row].hidden = True
    book.active = 1
    book.save(path)
    told = hidden_in(path, "Sheet")
    assert told == hidden_in(path, None)
    assert "sheet 'Sheet' is hidden" in told[0]
    assert told[1].startswith("2 rows and 1 column of sheet 'Sheet' are hidden")
    assert {*told} <= {*ind.anonymize(path, asked).warnings}
    assert {*told} <= {*ind.workbench(path).notes}
    drafted = " ".join(run("init", path, "--policy", policy).stderr.split())
    assert all(text in drafted for text in told)
    assert not hidden_in(path, "Shown")
    assert not hidden_in(put(tmp_path, "a,b\n1,2\n"), None)


def test_merged_cells_of_a_workbook_are_told(tmp_path: Path, run: Any) -> None:
    """The number of a patient, merged over all visits, is read of the first visit alone."""
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["patient", "age", "ill"])
    for at in range(8):
        sheet.append([at // 2 if at % 2 == 0 else None, 20 + at // 2, "flu"])
    path = tmp_path / "people.xlsx"
    sheet.merge_cells("A12:C12")  # a line below the table, in one row
    book.save(path)
    assert not hidden_in(path, None)
    for row in (2, 4, 6, 8):
        sheet.merge_cells(f"A{row}:A{row + 1}")
    book.save(path)
    (told,) = hidden_in(path, None)
    assert told.startswith("cells of sheet 'Sheet' are merged over several rows in column A (4 ")
    assert "fill" in told
    assert {told} <= {*ind.workbench(path).notes}
    drafted = run("init", path, "--policy", tmp_path / "p.toml").stderr
    assert told in " ".join(drafted.split())


@pytest.mark.parametrize("rows", [[["Report", None], ["as of", "May"]], [["a", "a"], [1, 2]]])
def test_other_sheets_are_named_where_one_is_no_table(
    rows: list[list[object]], tmp_path: Path
) -> None:
    """Of many workbooks the first sheet is about the table alone."""
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    book.active.title = "About"
    for row in rows:
        book.active.append(row)
    path = tmp_path / "people.xlsx"
    book.save(path)
    assert "another sheet" not in str(refused(path))
    people = book.create_sheet("People")
    for row in (["age", "ill"], [34, "flu"]):
        people.append(row)
    book.save(path)
    told = str(refused(path))
    assert told.endswith("; or name another sheet (--sheet, or sheet under [source]): 'People'")
    assert str(refused(path, sheet="About")) == told
    assert {one.sheets for one in refused(path).problems} == {("People",)}
    assert read_table(path, sheet="People").rows() == [(34, "flu")]


def test_that_the_first_of_several_sheets_is_read_is_told(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    path = tmp_path / "people.xlsx"
    for row in (["age", "ill"], *[[20 + at // 4, "flu"] for at in range(12)]):
        book.active.append(row)
    book.save(path)
    assert ind.workbench(path).notes == ()
    book.create_sheet("2023")
    book.save(path)
    told = "sheet 'Sheet' is read, the first of the workbook: if the table is in another one, "
    note = f"{told}name it (--sheet, or sheet under [source]): 2023"
    assert any("the first of" in one for one in ind.workbench(path).notes)
    keys = {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    assert note in ind.anonymize(path, keys).warnings
    assert note not in ind.anonymize(path, {**keys, "source": {"sheet": "Sheet"}}).warnings


@pytest.mark.parametrize(
    ("below", "told"),
    [
        ([], ""),
        (["Mean: 31,,"], "the last record is nearly empty"),
        (["Mean: 31,,", "* as of May,,"], "the last 2 records are nearly empty"),
        ([f"note {at},," for at in range(11)], ""),  # too many: they may be people
        (["Mean: 31,f,"], ""),  # as full as records may be
    ],
)
def test_sums_and_notes_below_a_table_are_told(
    below: list[str], told: str, tmp_path: Path, run: Any
) -> None:
    lines = ["name,sex,ill", *(f"N{at},{'mf'[at % 2]},flu" for at in range(30)), *below]
    path = put(tmp_path, "\n".join(lines) + "\n", "people.csv")
    drafted = " ".join(run("init", path, "--policy", tmp_path / "p.toml").stderr.split())
    asked = ind.Policy.load(tmp_path / "p.toml")
    notes, warnings = ind.workbench(path).notes, ind.anonymize(path, asked).warnings
    for seen in (drafted, " ".join(notes), " ".join(warnings)):
        assert ("nearly empty" in seen) == bool(told)
        assert told in seen
    # A record like the others that is as empty: it is how people are answered for.
    path.write_text(path.read_text().replace("N3,f,flu", "N3,,"), encoding="utf-8")
    assert not any("nearly empty" in note for note in ind.workbench(path).notes)


def test_excel_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    error = refused(put(tmp_path, "x", "people.xlsx"))
    assert codes(error) == ["missing-extra"]
    assert "indistinct[excel]" in str(error)


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow"])
def test_duckdb_without_its_packages(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every way to DuckDB names the extra, and a file that may be scanned by itself is read."""
    duckdb = pytest.importorskip("duckdb")
    table = pl.DataFrame({"age": [20, 21] * 3})
    table.write_csv(tmp_path / "people.csv")
    table.write_parquet(tmp_path / "people.parquet")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as held:
        held.execute("CREATE TABLE t (age INTEGER)")
    relation = duckdb.sql("SELECT 20 AS age FROM range(6)")
    monkeypatch.setitem(sys.modules, missing, None)
    policy = {
        "attributes": {"age": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    asked = {**policy, "source": {"query": "SELECT * FROM t"}}
    for tried in (
        lambda: ind.anonymize(tmp_path / "people.csv", policy, engine="duckdb"),
        lambda: ind.risk(tmp_path / "people.parquet", policy, engine="duckdb"),
        lambda: ind.anonymize(tmp_path / "people.duckdb", asked),
        *([] if missing == "duckdb" else [lambda: ind.assess(relation, policy)]),
    ):
        with pytest.raises(DataError, match=r"indistinct\[duckdb\]") as caught:
            tried()
        assert codes(caught.value) == ["missing-extra"]
    monkeypatch.setattr("indistinct.sources.scan._LARGE_TEXT", 1)
    release = ind.anonymize(tmp_path / "people.csv", policy, engine="auto")
    assert release.certificate.promises[0]["holds"]


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    with closing(sqlite3.connect(path)) as held:
        held.execute("CREATE TABLE people AS SELECT 'Ann' AS name, 39 AS age")
        held.commit()
    assert read_table(path, query="SELECT * FROM people").rows() == [("Ann", 39)]
    assert codes(refused(path, query="SELECT * FROM peopel")) == ["unreadable-file"]
    assert codes(refused(path)) == ["query-and-database"]


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as held:
        held.execute("CREATE TABLE people AS SELECT 'Ann' AS name, 39 AS age")
    assert read_table(path, query="SELECT * FROM people").rows() == [("Ann", 39)]
    assert codes(refused(path, query="SELECT * FROM peopel")) == ["unreadable-file"]


@pytest.mark.parametrize(
    "content",
    [
        "63,Smith,130.5\n45,Jones,120\n46,Miller,99.5\n",
        "63.5\n45\n46\n",
        "2012-01-03,M,17\n2013-01-03,F,18\n2014-01-03,M,19\n",
        "12345,x,2001-01-01,high\n22345,y,2001-01-02,low\n32345,z,2001-01-03,low\n",
    ],
)
def test_a_first_line_of_numbers_that_is_a_record(tmp_path: Path, content: str) -> None:
    path = put(tmp_path, content)
    error = refused(path)
    assert codes(error) == ["header-is-a-record"]
    assert "header = false under [source]" in str(error)
    assert not any(secret in str(error) for secret in ("Smith", "63", "2012", "12345"))
    frame = read_table(path, header=False)
    assert frame.columns == [f"column_{at + 1}" for at in range(frame.width)]
    assert frame.height == read_table(path, header=True).height + 1
    assert frame.row(0) == tuple(content.partition("\n")[0].split(","))


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("RDS", 'in R: write.csv(table, "my wave.csv"'),
        ("rdata", 'in R: write.csv(table, "my wave.csv"'),
        ("docx", "use one of .feather, .arrow, .ipc, .csv, .tsv"),
    ],
)
def test_how_a_file_of_another_program_is_exported_is_told(
    tmp_path: Path, ending: str, told: str
) -> None:
    error = refused(put(tmp_path, "secret", f"my wave.{ending}"))
    assert codes(error) == ["unknown-ending"]
    assert told in str(error)


def test_a_header_of_years_is_one(tmp_path: Path) -> None:
    assert read_table(put(tmp_path, "2010,2015,2020,ward\n3,4,5,a\n2,1,0,b\n")).height == 2


def test_a_name_that_begins_with_a_number_among_many_is_one(tmp_path: Path) -> None:
    """Tests are called 25-OH vitamin D; a record would have numbers in the other columns too."""
    names = ["2019-nCoV", *(f"test {at}" for at in "abcdefghij")]
    lines = [names, *([str(10 * row + at) for at in range(11)] for row in range(5))]
    path = put(tmp_path, "\n".join(",".join(line) for line in lines))
    assert not isinstance(column_names(read_table(path)), UncertainNames)
    fewer = put(tmp_path, "\n".join(",".join(line[:10]) for line in lines), "fewer.csv")
    assert isinstance(column_names(read_table(fewer)), UncertainNames)
    texts = "1,Smith,Oslo\n2,Berg,Bergen\n3,Dahl,Bodo"
    assert isinstance(column_names(read_table(put(tmp_path, texts, "t.csv"))), UncertainNames)


@pytest.mark.parametrize(
    ("cells", "sure"), [("IIA\nIIB", True), ("IIA\n7th", False), ("6\n7", False), ("*\n*", False)]
)
def test_a_name_that_begins_with_a_number_is_one_only_over_such_values(
    tmp_path: Path, cells: str, sure: bool
) -> None:
    """As a cell of a record it would be as the others of its column."""
    lines = "".join(f"{at},{cell}\n" for at, cell in enumerate(cells.split("\n")))
    names = column_names(read_table(put(tmp_path, "age,6th stage\n" + lines, "t.csv")))
    assert names == ("age", "6th stage")
    assert isinstance(names, UncertainNames) is not sure


def test_whether_there_is_a_header_is_said_of_csv_files_alone(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "t.parquet", header=False)
    assert codes(caught.value) == ["header-without-csv"]
    assert read_table(tmp_path / "t.parquet", header=True).columns == ["a"]


def test_a_parquet_file_over_which_the_library_gives_up_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"age": [33]}).write_parquet(path)

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("left: 0, right: 1")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(DataError, match="a Parquet file is damaged here") as caught:
        read_table(path)
    (problem,) = caught.value.problems
    assert problem.code == "unreadable-file"
    assert "copy or export the file once more" in (problem.remedy or "")


def in_parts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cells: list[str], **how: Any
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A file of 300 KB whose records end with one of some cells, read in parts and at once."""
    path = tmp_path / "table.csv"
    lines = [f"{at},{'x' * (at % 30)},{cells[at % len(cells)]}\n" for at in range(14_000)]
    path.write_text("number,long,cell\n" + "".join(lines), encoding="utf-8")
    monkeypatch.setattr(csv_kind, "LARGE", 0)
    monkeypatch.setattr(csv_parts, "_PART", 1 << 15)
    return read_table(path, coded={"number", "cell"}, **how), read_table(path, **how)


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "", "b"],
        [" a", "a", "  "],
        ["24.0", "7", "NA"],
        ['"a, b"', '""', '"x\ny"', "a"],
        ["ü", "b"],
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_a_large_file_is_read_in_parts_as_it_is_read_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cells: list[str], exact: bool
) -> None:
    parts, whole = in_parts(monkeypatch, tmp_path, cells, exact=exact)
    assert parts.columns == whole.columns
    assert parts.schema["cell"] == pl.Enum
    assert parts.schema["number"] == pl.String  # codes of what differs everywhere take more
    assert parts.schema["long"] == pl.Null
    for name in ("number", "cell"):
        assert parts[name].cast(pl.String).equals(whole[name], null_equal=True)


@pytest.mark.parametrize(
    "cells", [["a", "b\r"], ['a "b" c', "d"], ["a", "b\n"], ['"say ""a"""', "d"]]
)
def test_what_is_not_plainly_written_is_read_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cells: list[str]
) -> None:
    parts, whole = in_parts(monkeypatch, tmp_path, cells)
    assert parts.schema["long"] == pl.String
    assert parts.equals(whole)


def test_ragged_records_of_a_large_file_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match="line 3 has 4"):
        in_parts(monkeypatch, tmp_path, ["a", "b,c"])


def test_a_first_column_without_a_name_is_that_of_row_names(tmp_path: Path) -> None:
    """As R writes tables, and pandas: ``write.csv`` and ``to_csv`` leave the name out."""
    path = put(tmp_path, '"","age","sex"\n"1",40,"f"\n"2",50,"m"\n')
    assert read_table(path).columns == ["row_name", "age", "sex"]
    assert list(scan(path).columns) == ["row_name", "age", "sex"]
    path = put(tmp_path, ";age;sex;\n1;40;f;\n2;50;m;\n")
    assert read_table(path).columns == ["row_name", "age", "sex"]


@pytest.mark.parametrize(
    ("first", "names"), [([0, 1], ["row_name", "age", "sex"]), ([None, None], ["age", "sex"])]
)
def test_a_first_column_without_a_name_of_a_workbook_is_that_of_row_names(
    first: list[int | None], names: list[str], tmp_path: Path
) -> None:
    """As pandas' ``to_excel`` writes tables; a margin that is left free is no column."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([None, "age", "sex"], [first[0], 40, "f"], [first[1], 50, "m"]):
        book.active.append(row)
    book.save(path := tmp_path / "people.xlsx")
    assert read_table(path).columns == names


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("more", [";", ";;", "; ;"])
def test_separators_at_the_ends_of_lines_are_no_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, more: str
) -> None:
    """As spreadsheets export a sheet in which a cell to the right was used once."""
    lines = ["age;sex;city", "40;f;Bonn", '50;m;"Ulm; Donau"', ";;"]
    path = put(tmp_path, ends.join(line + more for line in lines) + ends)
    for exact in (False, True):
        frame = read_table(path, exact=exact)
        assert frame.columns == ["age", "sex", "city"]
        assert frame["city"].to_list() == ["Bonn", "Ulm; Donau", None]
    scanned = scan(path)
    assert list(scanned.columns) == ["age", "sex", "city"]
    assert scanned.height() == 3
    monkeypatch.setattr(csv_kind, "LARGE", 0)
    assert read_table(path, coded=True)["city"].to_list() == frame["city"].to_list()
    (told,) = notes_of_file(path)
    assert "column 4" in told.replace("columns", "column")
    assert not notes_of_file(put(tmp_path, "age;sex\n40;f\n", "plain.csv"))
    assert read_table(path, header=False).width == 3 + more.count(";")
    assert not notes_of_file(path, header=False)


def test_a_column_without_a_name_that_has_values_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "age;sex;;;\n40;f;;1;\n50;m;;;\n")
    error = refused(path)
    assert codes(error) == ["unnamed-column"]
    assert "no name for column 4\n" in str(error)
    with pytest.raises(DataError, match="no name for column 4"):
        scan(path)


def test_a_sheet_without_a_name_above_an_empty_column(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    for row in (["age", None, "sex", None], [40, None, "f", " "], [50, None, "m", None]):
        book.active.append(row)
    path = tmp_path / "people.xlsx"
    book.save(path)
    assert read_table(path).rows() == [(40, "f"), (50, "m")]
    (told,) = notes_of_file(path)
    assert "columns 2, 4" in told
    book.active["D3"] = 7
    book.save(path)
    assert "no name for column 4\n" in str(refused(path))


class _Bytes(io.BytesIO):
    readNBytes = io.BytesIO.read  # noqa: N815, as Java calls it


class _Lying:
    """A file where Spark reads it: its bytes, and how many it says there are."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size = data, size

    def open(self, _: object) -> io.BytesIO:
        return _Bytes(self.data)

    def getFileStatus(self, _: object) -> _Lying:  # noqa: N802, as Java calls it
        return self

    def getLen(self) -> int:  # noqa: N802, as Java calls it
        return self.size


def test_how_tightly_a_file_is_packed_is_told_by_what_was_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No more than 200 times the beginning is unpacked, and this one is packed to a thousandth."""
    data = gzip.compress(b"1" * 50_000_000)
    monkeypatch.setattr(spark_files, "_system", lambda *_: (_Lying(data, len(data)), None))
    monkeypatch.setattr(memory, "allowed", lambda: 40_000_000)
    with pytest.raises(DataError, match="packed to less than") as caught:
        spark_files._start(None, "file:///data/t.csv.gz")
    assert caught.value.problems[0].code == "packed-too-tightly"


@pytest.mark.parametrize(
    ("name", "data", "size", "code"),
    [
        ("t.csv", b"age,ill\n", 1 << 60, None),
        ("t.csv.gz", gzip.compress(b"age,ill\n" * 10, mtime=0), 1 << 30, None),
        ("t.csv.gz", gzip.compress(b"1" * 4_000_000, mtime=0), 1 << 20, None),
        ("t.csv.gz", gzip.compress(b"1" * 4_000_000, mtime=0), 1 << 60, "packed-too-tightly"),
        ("t.csv.gz", b"no gzip", 7, "unreadable-file"),
        ("t.csv.zst", b"", 0, "not-scanned"),
        ("t.csv.xz", b"", 0, "not-scanned"),
        ("T.CSV.BZ2", b"", 0, "not-scanned"),
    ],
)
def test_spark_is_given_no_file_that_is_packed_too_tightly_or_otherwise(
    monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, size: int, code: str | None
) -> None:
    monkeypatch.setattr(spark_files, "_system", lambda *_: (_Lying(data, size), None))
    if code is None:
        assert spark_files._start(None, f"file:///data/{name}")
        return
    with pytest.raises(DataError) as caught:
        spark_files._start(None, f"file:///data/{name}")
    assert [(one.code, one.file) for one in caught.value.problems] == [(code, name)]


TITLED = 'Visits of "2024\n\nage;crp;code\n30,0;1.234,5;1,2,3\n31,5;k.A.;1,2\n7;<0,5;3\n'


def test_rows_above_the_names_and_decimal_commas(tmp_path: Path) -> None:
    """A title is passed over and commas become points, alike in memory and where it is scanned."""
    path = put(tmp_path, TITLED)
    expected = [("30", "1234.5", "1,2,3"), ("31.5", "k.A.", "1,2"), ("7", "<0.5", "3")]
    how: dict[str, Any] = {"skip_rows": 2, "decimal": ","}
    assert rows_above(path) == 2
    assert read_table(path, **how).rows() == expected
    assert scan(path, **how).frame().rows() == expected
    assert read_table(path, skip_rows=2).rows()[0] == ("30,0", "1.234,5", "1,2,3")
    assert codes(refused(path, skip_rows=6)) == ["too-few-rows"]
    assert codes(refused(path, skip_rows=10**20)) == ["too-few-rows"]
    padded = put(tmp_path, "Visits;;\n;;\nage;crp;code\n3;4;5\n")
    assert rows_above(padded) == 2
    assert "skip_rows = 2" in str(refused(padded))
    assert rows_above(put(tmp_path, "age;sex\n3;f\n")) == 0


def test_a_large_file_with_decimal_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_kind, "LARGE", 1)
    path = put(tmp_path, "Title\nage;x\n" + "30,0;1,5\n31;a\n" * 9)
    held = read_table(path, skip_rows=1, decimal=",", coded=True)
    assert held.schema["age"] == pl.Enum(["30", "31"])
    assert held.cast(pl.String).rows()[:2] == [("30", "1.5"), ("31", "a")]


@pytest.mark.parametrize("exact", [False, True])
def test_decimal_commas_of_a_large_file_are_read_as_they_are_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exact: bool
) -> None:
    path = put(tmp_path, "few;differ\n" + "".join(f"{at % 2},0;{at},0\n" for at in range(1, 40)))
    whole = read_table(path, decimal=",", exact=exact)
    monkeypatch.setattr(csv_kind, "LARGE", 1)
    parts = read_table(path, decimal=",", exact=exact, coded=True)
    assert parts.dtypes == [pl.Enum, pl.String]
    assert parts.cast(pl.String).equals(whole)
    assert whole.row(0) == (("1.0", "1.0") if exact else ("1", "1"))


def test_a_workbook_with_rows_above_the_names(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    for row in ([], ["Visits"], [], ["age", "crp"], [30, "1,5"], [31, "12,25"]):
        book.active.append(row)
    path = tmp_path / "people.xlsx"
    book.save(path)
    above = rows_above(path)
    held = read_table(path, skip_rows=above, decimal=",")
    assert held.rows() == [(30, "1.5"), (31, "12.25")]
    assert codes(refused(path, skip_rows=above + 9)) == ["too-few-rows"]


def test_layout_is_refused_where_it_has_no_meaning(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    for how in ({"skip_rows": 1}, {"decimal": ","}):
        assert codes(refused(path, **how)) == ["bad-value"]
        with pytest.raises(DataError, match="leave it out"):
            scan(path, **how)


def test_few_texts_of_a_parquet_file_are_held_as_codes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("indistinct.sources.text._FEW_RECORDS", 1499)
    path, rows = tmp_path / "people.parquet", 1500
    frame = pl.DataFrame(
        {
            "id": [f"P{number}" for number in range(rows)],
            "city": ["Ulm", " Ulm", "", None, "Bonn"] * (rows // 5),
            "age": list(range(50)) * (rows // 50),
            "nothing": pl.Series([None] * rows, dtype=pl.String),
        }
    )
    frame.write_parquet(path)
    held = read_table(path, coded=True)
    kinds = [type(kind) for kind in held.dtypes]
    assert kinds == [pl.String, pl.Enum, pl.Int64, pl.Enum]
    assert held.cast({"city": pl.String, "nothing": pl.String}).equals(frame)
    assert read_table(path).equals(frame)
    assert read_table(path, coded=True, exact=True).equals(frame)
    roles = {"id": "identifier", "city": "quasi-identifier", "age": "sensitive"}
    policy: Any = {"attributes": {name: {"role": role} for name, role in roles.items()}}
    policy["attributes"]["nothing"] = {"role": "quasi-identifier"}
    policy["attributes"]["city"]["missing"] = {"tokens": ["Bonn"]}
    for verb in (ind.assess, ind.quasi):
        assert verb(path, policy).to_dict() == verb(frame, policy).to_dict()


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("jdbc:postgresql://h/db", "write postgresql://"),
        ("postgresql+psycopg2://h/db?table=t", "write postgresql://"),
        ("sqlite:///visits.db", "give the path of the file"),
        ("jdbc:sqlserver://h:1433", "export the table"),
        ("mysql://h/db", "export the table"),
    ],
)
def test_the_address_of_a_server_says_what_to_write(address: str, remedy: str) -> None:
    with pytest.raises(DataError, match="address of a server") as refused:
        refuse_missing([Path(address)])
    (problem,) = refused.value.problems
    assert problem.remedy is not None
    assert problem.remedy.startswith(remedy)
    assert "password" in problem.remedy
