"""Files of Stata, SPSS and SAS: labels, titles, missing values, and a release made from them."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pyreadstat
import pytest

from indistinct.errors import DataError
from indistinct.sources import memory
from indistinct.sources.files import read_table
from indistinct.sources.titles import titles_of_file

TABLE = pl.DataFrame(
    {
        "Q1": [1.0, 2.0, 2.0, 1.0],
        "Q2": [34.0, 97.0, 51.0, 98.0],
        "Q3": [1.5, None, 2.0, 3.0],
        "Q4": ["a", "b", "", "d"],
        "Q5": [dt.date(2020, 1, 2), dt.date(1999, 5, 6), None, dt.date(1900, 1, 1)],
    }
)
LABELS: dict[str, dict[Any, str]] = {
    "Q1": {1: " Male ", 2: "Female", 3: "Other"},
    "Q2": {97: "97 and over", 98: "Unknown"},
    "Q4": {"a": "first", "b": "second", "d": "first"},
}
TITLES = {"Q1": "Sex  of the respondent", "Q2": "Age in years"}


def write(path: Path, table: pl.DataFrame = TABLE, **more: Any) -> Path:
    titles = {name: title for name, title in TITLES.items() if name in table.columns}
    labels = {name: own for name, own in LABELS.items() if name in table.columns}
    kinds: dict[str, Callable[..., object]] = {
        ".dta": pyreadstat.write_dta,
        ".sav": pyreadstat.write_sav,
        ".zsav": pyreadstat.write_sav,
        ".por": pyreadstat.write_por,
        ".xpt": pyreadstat.write_xport,
    }
    if path.suffix == ".dta":  # labels are of whole numbers there
        labels = {"Q1": labels["Q1"]} if "Q1" in labels else {}
        table = table.with_columns(pl.col("^Q1$").cast(pl.Int32))
    if path.suffix in (".dta", ".sav", ".zsav"):
        more = {"variable_value_labels": labels, **more}
    kinds[path.suffix](table, str(path), column_labels=titles, **more)
    return path


@pytest.mark.parametrize("ending", ["dta", "sav", "zsav", "por", "xpt"])
def test_cells_come_back_as_they_are_meant(ending: str, tmp_path: Path) -> None:
    read = read_table(write(tmp_path / f"wave.{ending}"))
    worded = ending in ("dta", "sav", "zsav")
    assert read["Q1"].to_list() == (
        ["Male", "Female", "Female", "Male"] if worded else [1, 2, 2, 1]
    )
    assert read["Q2"].to_list() == [34, 97, 51, 98]  # only some have labels
    assert read.schema["Q2"] == pl.Int64
    assert read["Q3"].to_list() == [1.5, None, 2.0, 3.0]
    assert read["Q4"].to_list() == ["a", "b", None, "d"]  # two values share a label
    assert read["Q5"].to_list() == TABLE["Q5"].to_list()


def test_numbers_stay_where_the_policy_says_so(tmp_path: Path) -> None:
    read = read_table(write(tmp_path / "wave.sav"), labels=False)
    assert read["Q1"].to_list() == [1, 2, 2, 1]


def test_what_the_file_says_is_missing_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "wave.sav", missing_ranges={"Q2": [{"lo": 97, "hi": 99}], "Q1": [2]})
    read = read_table(path)
    assert read["Q2"].to_list() == [34, None, 51, None]
    assert read["Q1"].to_list() == ["Male", None, None, "Male"]


@pytest.mark.parametrize("ending", ["dta", "sav", "xpt"])
def test_titles_are_of_one_line(ending: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"wave.{ending}")
    assert titles_of_file(path) == {"Q1": "Sex of the respondent", "Q2": "Age in years"}


def test_other_files_have_no_titles(tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "wave.csv")
    (tmp_path / "wave.sav").write_bytes(b"damaged")
    assert titles_of_file(tmp_path / "wave.csv") == titles_of_file(tmp_path / "wave.sav") == {}
    assert titles_of_file(tmp_path / "nothing.sav") == {}


@pytest.mark.parametrize(
    ("ending", "old", "new"),
    [("sav", b"respondent", b"respond\xe9nt"), ("dta", b"Female\0", b"Fem\xe4le\0")],
)
def test_texts_in_another_encoding_than_the_file_says_are_told_with_what_to_name(
    ending: str, old: bytes, new: bytes, tmp_path: Path
) -> None:
    path = write(tmp_path / f"wave.{ending}")
    held = path.read_bytes()
    assert held.count(old) == 1
    path.write_bytes(held.replace(old, new))
    with pytest.raises(DataError, match="another encoding than it says") as caught:
        read_table(path)
    assert [part.code for part in caught.value.problems] == ["undecodable"]
    assert "--encoding windows-1252" in str(caught.value)
    assert read_table(path, encoding="latin-1").height == 4


@pytest.mark.parametrize("encoding", ["latin-1", "iso8859_2", "euc_jp", "cp1252"])
def test_an_encoding_is_named_as_python_names_it(encoding: str, tmp_path: Path) -> None:
    assert read_table(write(tmp_path / "wave.sav"), encoding=encoding).height == 4


@pytest.mark.parametrize(
    ("encoding", "code"), [("mac-roman", "undecodable"), ("nonsense", "unknown-encoding")]
)
def test_an_encoding_that_does_not_fit_is_refused(encoding: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_table(write(tmp_path / "wave.sav"), encoding=encoding)
    assert [problem.code for problem in caught.value.problems] == [code]


@pytest.mark.parametrize("catalog", ["visits.sas7bcat", "formats.sas7bcat", "other.sas7bcat"])
@pytest.mark.parametrize("keep", [None, False])
def test_labels_of_sas_are_read_from_a_catalog_beside_the_file(
    catalog: str, keep: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = SimpleNamespace(
        number_rows=2, column_names=["sex", "age"], variable_to_label={"sex": "SEXF", "age": "BEST"}
    )
    asked = []

    def labels(path: str, **how: Any) -> tuple[None, Any]:
        asked.append(path)
        return None, SimpleNamespace(value_labels={"SEXF": {1.0: "f", 2.0: "m"}})

    cells = {"sex": [1.0, 2.0], "age": [30.0, 31.0]}
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", lambda path, **how: (cells, told))
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", labels)
    for name in ("visits.sas7bdat", catalog):
        (tmp_path / name).write_bytes(b"of SAS")
    used = catalog != "other.sas7bcat" and keep is None
    read = read_table(tmp_path / "visits.sas7bdat", labels=keep)
    assert read["sex"].to_list() == (["f", "m"] if used else [1, 2])
    assert read["age"].to_list() == [30, 31]
    assert asked == ([str(tmp_path / catalog)] if used else [])


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_a_table_that_does_not_fit_is_refused_before_it_is_read(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / f"wave.{ending}", pl.DataFrame({"Q2": [1.0] * 5000}))
    monkeypatch.setattr(memory, "allowed", lambda: memory.OF_CELLS * 4000)
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert [problem.code for problem in caught.value.problems] == ["too-little-memory"]


def test_what_is_needed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "wave.dta")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(DataError, match="a file of Stata needs another package") as caught:
        read_table(path)
    assert "indistinct[statistics]" in str(caught.value)


@pytest.mark.parametrize("ending", ["sav", "por", "xpt"])
@pytest.mark.parametrize("seconds", [90_000.0, -5.0, 86_399.0])
def test_a_span_of_a_day_and_more_is_no_time_of_a_day(
    ending: str, seconds: float, tmp_path: Path
) -> None:
    table = pl.DataFrame({"STAY": [seconds, 2.0, None]})
    path = tmp_path / f"stay.{ending}"
    own = {"variable_format": {"STAY": "TIME8" if ending != "xpt" else "TIME8."}}
    writers = {"sav": pyreadstat.write_sav, "por": pyreadstat.write_por}
    writers.get(ending, pyreadstat.write_xport)(table, str(path), **own)
    (told,) = read_table(path).get_columns()
    if seconds == 86_399:
        assert told.to_list() == [dt.time(23, 59, 59), dt.time(0, 0, 2), None]
    else:
        spans = [dt.timedelta(seconds=seconds), dt.timedelta(seconds=2), None]
        assert told.to_list() == spans


def test_a_date_out_of_reach_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "far.sav"
    table = pl.DataFrame({"a": [1e18, 2.0]})
    pyreadstat.write_sav(table, str(path), variable_format={"a": "DATE11"})
    with pytest.raises(DataError, match="a date or time is out of reach") as caught:
        read_table(path)
    assert "export it to a CSV file" in str(caught.value)
