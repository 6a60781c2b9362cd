"""What holds of every kind of file there is, plugins too."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from indistinct.errors import DataError
from indistinct.sources.file_kind import FileKind, Reading, file_kinds, kind_of
from indistinct.sources.files import read_table

KINDS = file_kinds()
SAID = {
    "separator": ";",
    "quote": "'",
    "encoding": "latin-1",
    "header": False,
    "skip_rows": 1,
    "decimal": ",",
    "labels": False,
    "sheet": "one",
    "query": "SELECT 1",
}


def needed(kind: FileKind) -> dict[str, str]:
    return {"query": "SELECT * FROM people"} if kind.needs_query else {}


def test_no_ending_is_of_two_kinds() -> None:
    for one, other in combinations(KINDS.values(), 2):
        assert not set(one.endings) & set(other.endings)


@pytest.mark.parametrize("name", KINDS)
def test_every_ending_is_known_in_capitals_and_packed_where_it_may_be(name: str) -> None:
    kind = KINDS[name]
    for ending in kind.endings:
        assert ending == ending.lower()
        for found in (kind_of(Path(f"a{ending}")), kind_of(Path(f"A{ending.upper()}"))):
            assert found is not None
            assert found.name == name
        assert (kind_of(Path(f"a{ending}.gz")) is not None) == kind.packed


@pytest.mark.parametrize("key", SAID)
@pytest.mark.parametrize("name", KINDS)
def test_what_is_said_is_of_its_kind_or_refused(name: str, key: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    path = tmp_path / f"table{kind.endings[0]}"
    path.write_bytes(b"no table of any kind")
    if key in kind.takes:
        return
    with pytest.raises(DataError) as caught:
        read_table(path, **{**needed(kind), key: SAID[key]})
    codes = {problem.code for problem in caught.value.problems}
    named = {"sheet": "sheet-without-excel", "query": "query-and-database"}
    assert codes == {"header-without-csv" if key == "header" else named.get(key, "bad-value")}
    assert all(problem.remedy for problem in caught.value.problems)


@pytest.mark.parametrize("start", [b"secret", b"\0" * 64, b"PK\x03\x04secret", b"$FL2@(#) secret"])
@pytest.mark.parametrize("name", [name for name in KINDS if name != "csv"])
def test_a_damaged_file_is_refused_without_what_is_in_it(
    name: str, start: bytes, tmp_path: Path
) -> None:
    for ending in KINDS[name].endings:
        path = tmp_path / f"table{ending}"
        path.write_bytes(start)
        with pytest.raises(DataError) as caught:
            read_table(path, **needed(KINDS[name]))
        assert [problem.code for problem in caught.value.problems] == ["unreadable-file"]
        assert "secret" not in str(caught.value)
        assert not _titles(KINDS[name], path)


def _titles(kind: FileKind, path: Path) -> dict[str, str]:
    try:
        return kind.titles(path, Reading())
    except DataError:
        return {}
