from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.sources.dialect import (
    SAMPLE,
    SEPARATORS,
    Dialect,
    detect_dialect,
    detect_encoding,
    first_record,
    split,
)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_byte_order_marks(encoding: str) -> None:
    data = "\ufeffname;age\n".encode(encoding)
    assert detect_encoding(data) == (encoding, len("\ufeff".encode(encoding)))


def test_utf_16_without_a_mark() -> None:
    assert detect_encoding("name;age\n".encode("utf-16-be")) == ("utf-16-be", 0)
    assert detect_encoding(b"") == (None, 0)


@pytest.mark.parametrize("separator", SEPARATORS)
def test_separators(separator: str) -> None:
    others = "".join(one for one in SEPARATORS if one != separator)
    text = (
        f'name{separator}note\nAnn{separator}"{others}{separator}"\nBea{separator}x{others[0]}y\n'
    )
    assert detect_dialect(text) == Dialect(separator)


def test_a_comma_inside_of_words_is_no_separator() -> None:
    text = "city;people\nBonn, Rhein;3\nUlm;4\nKöln;5,5\n"
    assert detect_dialect(text).separator == ";"


def test_what_is_known_is_kept() -> None:
    assert detect_dialect("a;b\n", separator=",") == Dialect(",")
    assert detect_dialect("a;b\n", quote="") == Dialect(";", None)
    assert detect_dialect("a;b\n", quote="'") == Dialect(";", "'")


def test_single_quotes() -> None:
    assert detect_dialect("'a';'b'\n'x;y';'z'\n") == Dialect(";", "'")
    assert detect_dialect("a;b\nit's;its'\n") == Dialect(";", '"')
    assert detect_dialect("a;b\n'';'x'\n") == Dialect(";", '"')


def test_only_whole_lines_are_looked_at() -> None:
    text = "a;b\n1;2\n3,3,3,3"
    assert detect_dialect(text, whole=False) == Dialect(";")
    assert detect_dialect("a;b\n" * SAMPLE) == Dialect(";")
    assert detect_dialect("") == Dialect(",")


def test_first_record_may_span_lines() -> None:
    assert first_record('"a\nb";c\n1;2\n', Dialect(";")) == (["a\nb", "c"], 8)
    assert first_record("", Dialect()) == ([], 0)


CELL = st.text(st.sampled_from('ab ,;\t|"\n'), max_size=6).map(str.strip)


@given(
    rows=st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8),
    separator=st.sampled_from(SEPARATORS),
)
def test_what_is_written_is_split_again(rows: list[tuple[str, ...]], separator: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL).writerows(rows)
    assert split(file.getvalue(), Dialect(separator)) == [list(row) for row in rows]
    assert detect_dialect(file.getvalue()).separator in SEPARATORS
