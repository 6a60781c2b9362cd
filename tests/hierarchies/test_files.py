from __future__ import annotations

import csv
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError, OutputError
from indistinct.hierarchies import (
    Taxonomy,
    find_hierarchy,
    intervals_taxonomy,
    masking_taxonomy,
    read_hierarchy,
    write_hierarchy,
)


def read(tmp_path: Path, data: str | bytes, separator: str | None = None, **more: str) -> Taxonomy:
    file = tmp_path / "h.csv"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_hierarchy(file, "x", separator, **more)


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(tmp_path: Path, separator: str, end: str) -> None:
    lines = [separator.join(cells) for cells in (("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"))]
    for text in (end.join(lines), end.join(lines) + end, end.join(["", *lines, "", ""])):
        assert read(tmp_path, text).rows() == [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")]


def test_commas_inside_labels_are_no_separators(tmp_path: Path) -> None:
    assert read(tmp_path, "1;1,3;1,6;*\n4;4,6;1,6;*\n").level(1) == ("1,3", "4,6")
    assert read(tmp_path, "a;b,x,*\nc,x,*\n").leaves == ("a;b", "c")


def test_byte_order_marks_and_encodings(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        assert read(tmp_path, "Köln;*\n".encode(encoding)).leaves == ("Köln",)
    assert read(tmp_path, "Köln;*\n".encode("cp1252"), encoding="cp1252").leaves == ("Köln",)
    with pytest.raises(HierarchyError, match="line 2 is not text in the encoding utf-8"):
        read(tmp_path, b"a;*\nK\xf6ln;*\n")
    with pytest.raises(HierarchyError, match="no encoding"):
        read(tmp_path, "a;*", encoding="utf-9")


def test_quotes(tmp_path: Path) -> None:
    text = '"1,5", "[0, 5)" ,*\n"say ""hi""","[5,\n 9)",*\n 7 , x ,*\n'
    assert read(tmp_path, text, ",").rows() == [
        ("1,5", "[0, 5)", "*"),
        ('say "hi"', "[5,\n 9)", "*"),
        ("7", "x", "*"),
    ]
    assert read(tmp_path, '5" pipe;*\n" a";*').leaves == ('5" pipe', " a")
    for broken in ('a;*\n"b;*\n', 'a;*\n"b"c;*\n'):
        with pytest.raises(HierarchyError, match="line 2 has a quote"):
            read(tmp_path, broken)


def test_ragged_lines_and_missing_values(tmp_path: Path) -> None:
    taxonomy = read(tmp_path, "No;Any;;\nLow;Yes;Any\n;;Any\n;;;\n")
    assert taxonomy.chains == (("No", "Any"), ("Low", "Yes", "Any"), (None, None, "Any"))
    quoted = read(tmp_path, '"No";Any;\n"";;Any;\nLow;Yes;Any;')
    assert quoted.chains == (("No", "Any"), (None, None, "Any"), ("Low", "Yes", "Any"))


def test_errors_name_file_and_lines(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError) as error:
        read(tmp_path, "a;x;r\n\nb;x;s\n")
    assert "h.csv" in str(error.value)
    assert "value 'x' has two parents: 'r' and 's' (lines 1, 3)" in str(error.value)
    with pytest.raises(HierarchyError) as error:
        read(tmp_path, "a;;r\nb;x;r\nc;;r\n")
    assert [problem.code for problem in error.value.problems] == ["empty-cell"] * 2
    assert "line 1, column 2 is empty" in str(error.value)
    with pytest.raises(HierarchyError, match="two different chains \\(lines 1, 2\\)"):
        read(tmp_path, "a;x;r\na;y;r\n")
    for empty in ("", "\n;;\n"):
        with pytest.raises(HierarchyError, match="no values"):
            read(tmp_path, empty)


def test_many_problems_are_summed_up(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError) as error:
        read(tmp_path, "\n".join(f"{n};;*" for n in range(500)))
    assert len(error.value.problems) == 21


def test_a_separator_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="looks as if its separator were ';'"):
        read(tmp_path, "a;*\nb;*\n", ",")
    with pytest.raises(HierarchyError, match="not one sign"):
        read(tmp_path, "a;*", ";;")
    assert read(tmp_path, "a\nb\n", ",").levels == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="not there"):
        read_hierarchy(tmp_path / "none.csv", "x")
    with pytest.raises(HierarchyError, match="cannot be read"):
        read_hierarchy(tmp_path, "x")


def test_finding_the_file_of_an_attribute(tmp_path: Path) -> None:
    for name in ("adult_hierarchy_age.csv", "adult_hierarchy_wage.csv", "sex.csv", "note.txt"):
        (tmp_path / name).write_text("a;*\n")
    (tmp_path / "zip.csv").mkdir()
    assert find_hierarchy(tmp_path, "age") == tmp_path / "adult_hierarchy_age.csv"
    assert find_hierarchy(tmp_path, "sex") == tmp_path / "sex.csv"
    for name in ("Age", "zip", "../sex", "note", "*"):
        assert find_hierarchy(tmp_path, name) is None
    (tmp_path / "other_hierarchy_age.csv").write_text("a;*\n")
    with pytest.raises(HierarchyError, match=r"adult_hierarchy_age\.csv, other_hierarchy_age\.csv"):
        find_hierarchy(tmp_path, "age")
    (tmp_path / "age.csv").write_text("a;*\n")
    assert find_hierarchy(tmp_path, "age") == tmp_path / "age.csv"
    with pytest.raises(HierarchyError, match="folder cannot be read"):
        find_hierarchy(tmp_path / "none", "age")


def test_writing_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "h.csv"
    write_hierarchy(Taxonomy("x", [("a", "*")]), file)
    assert file.read_text() == "a;*\n"

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match="No space left"):
        write_hierarchy(Taxonomy("x", [("b", "*")]), file)
    assert file.read_text() == "a;*\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["h.csv"]
    with pytest.raises(OutputError):
        write_hierarchy(Taxonomy("x", [("b", "*")]), tmp_path / "none" / "h.csv")


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_built_hierarchies_survive_a_file(tmp_path: Path, separator: str) -> None:
    for taxonomy in (
        intervals_taxonomy("x", [str(n) for n in range(-9, 99)], width=2.5).extended("value"),
        masking_taxonomy("x", ["81667", "81,31", "8"]),
    ):
        write_hierarchy(taxonomy, tmp_path / "h.csv", separator)
        assert read_hierarchy(tmp_path / "h.csv", "x") == taxonomy
        assert read_hierarchy(tmp_path / "h.csv", "x", separator) == taxonomy


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="*"), min_size=1),
        min_size=1,
        unique=True,
    ),
    st.sampled_from([";", ",", "\t", "|", " "]),
)
def test_any_values_survive_a_file(
    tmp_path_factory: pytest.TempPathFactory, values: list[str], separator: str
) -> None:
    taxonomy = Taxonomy("x", [(value, f"p{len(value) % 2}*", "*") for value in values])
    file = tmp_path_factory.mktemp("h") / "h.csv"
    write_hierarchy(taxonomy, file, separator)
    assert read_hierarchy(file, "x", separator) == taxonomy


def test_the_adult_hierarchies(shared: Path) -> None:
    expected = {
        "age": [100, 20, 10, 5, 1],
        "education": [16, 5, 3, 1],
        "marital-status": [7, 2, 1],
        "native-country": [41, 5, 1],
        "occupation": [14, 3, 1],
        "race": [5, 1],
        "salary-class": [2, 1],
        "sex": [2, 1],
        "workclass": [8, 3, 1],
    }
    folder = shared / "data" / "adult"
    records = [line.split(";") for line in (folder / "adult.csv").read_text().splitlines()]
    assert set(records[0]) == set(expected)
    for column, attribute in enumerate(records[0]):
        file = find_hierarchy(folder, attribute)
        assert file is not None
        taxonomy = read_hierarchy(file, attribute)
        assert taxonomy.compile().card.tolist() == expected[attribute]
        assert taxonomy.root == "*"
        assert all(taxonomy.covers(value) for value in {record[column] for record in records[1:]})
        for level, labels in enumerate(taxonomy.compile().labels):
            counts = [taxonomy.level(level).count(label) for label in labels]
            assert counts == [taxonomy.leaf_count(label) for label in labels]


def test_other_hierarchies_of_the_field(shared: Path, tmp_path: Path) -> None:
    toys = sorted((shared / "data" / "adult" / "toy").glob("*hierarchy*.csv"))
    trees = sorted((shared / "data" / "informs" / "trees").iterdir())
    assert toys
    assert trees
    for file in [*toys, *trees]:
        taxonomy = read_hierarchy(file, "x")
        assert taxonomy.has_root
        write_hierarchy(taxonomy, tmp_path / "h.csv", ",")
        assert read_hierarchy(tmp_path / "h.csv", "x") == taxonomy


def test_the_codes_of_real_patients_are_covered(shared: Path) -> None:
    folder = shared / "data" / "informs"
    text = lzma.decompress((folder / "conditions05.csv.xz").read_bytes()).decode()
    codes = {row["ICD9CODX"] for row in csv.DictReader(text.splitlines())}
    taxonomy = read_hierarchy(folder / "trees" / "informs_ICD9.txt", "icd9")
    covered = {code for code in codes if taxonomy.covers(code)}
    assert covered == codes
