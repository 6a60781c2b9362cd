"""Releases in files of other programs: what a reader finds is what was published."""

from __future__ import annotations

import datetime as dt
import tempfile
from decimal import Decimal
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.sources.file_kind import output_formats, written_kinds
from indistinct.sources.file_kinds import excel
from indistinct.sources.files import read_table
from indistinct.sources.text import canonical
from indistinct.sources.writing import as_shown, require_format, write_as

KINDS = sorted(written_kinds())
COLUMNS = {
    "text": (st.text("aB=-+@'\"_x0D 1.5ü—\U0001f600,;[]*\n", max_size=6), pl.String),
    "whole": (st.integers(-(2**62), 2**62), pl.Int64),
    "small": (st.integers(-128, 127), pl.Int8),
    "float": (st.floats(allow_nan=False, allow_infinity=False), pl.Float64),
    "truth": (st.booleans(), pl.Boolean),
    "day": (st.dates(), pl.Date),
    "moment": (st.datetimes(), pl.Datetime("us")),
    "second": (
        st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2050, 1, 1)).map(
            lambda one: one.replace(microsecond=0)
        ),
        pl.Datetime("us"),
    ),
    "time": (st.times(), pl.Time),
    "span": (st.timedeltas(dt.timedelta(-9), dt.timedelta(9)), pl.Duration("us")),
    "decimal": (st.decimals(-(10**9), 10**9, places=2), pl.Decimal(20, 2)),
}


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(1, 5))
    columns = []
    for name in draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, unique=True)):
        cells, kind = COLUMNS[name]
        held = draw(st.lists(st.none() | cells, min_size=rows, max_size=rows))
        columns.append(pl.Series(f"the_{name}", held, kind))
    # A row of missing cells alone is no row of a workbook.
    return pl.DataFrame([pl.Series("number", range(rows)), *columns])


def _tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """Blanks around cells are left out by every reader."""
    texts = canonical(frame).with_columns(pl.all().str.strip_chars())
    return texts.with_columns(pl.when(pl.all() != "").then(pl.all()))


@pytest.mark.parametrize("kind", KINDS)
@given(frame=tables())
def test_a_reader_finds_what_was_written(kind: str, frame: pl.DataFrame) -> None:
    own = written_kinds()[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"release{own.written}"
        write_as(own, frame, path)
        assert [one.name for one in Path(folder).iterdir()] == [path.name]
        found = read_table(path)
    assert found.columns == frame.columns
    assert _tidy(found).rows() == _tidy(as_shown(frame)).rows()


@pytest.mark.parametrize(
    ("kind", "name"), [("stata", "long"), ("stata", "a b"), ("stata", "x" * 33), ("spss", "1st")]
)
def test_a_name_that_is_none_there_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    own = written_kinds()[kind]
    with pytest.raises(ind.OutputError, match="column of that name") as caught:
        write_as(own, pl.DataFrame({"fine": ["a"], name: ["b"]}), tmp_path / "x")
    assert [one.attribute for one in caught.value.problems] == [name]
    assert not list(tmp_path.iterdir())
    with pytest.raises(ind.OutputError, match="column of that name"):
        require_format(kind, ["fine", name])
    require_format(kind, ["fine"])


@pytest.mark.parametrize("kind", KINDS)
def test_lists_and_bytes_are_refused(kind: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"many": [["a"]], "raw": [b"a"], "one": ["a"]})
    with pytest.raises(ind.OutputError) as caught:
        write_as(written_kinds()[kind], frame, tmp_path / "x")
    assert [one.attribute for one in caught.value.problems] == ["many", "raw"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("kind", "most"), [("excel", 32_767), ("spss", 32_767)])
def test_the_longest_text_is_whole_and_a_longer_one_refused(
    kind: str, most: int, tmp_path: Path
) -> None:
    own, path = written_kinds()[kind], tmp_path / "x"
    path = path.with_suffix(own.written)
    write_as(own, pl.DataFrame({"note": ["a" * most], "other": ["b"]}), path)
    assert read_table(path)["note"].str.len_chars().to_list() == [most]
    with pytest.raises(ind.OutputError, match="more than 32,767"):
        write_as(own, pl.DataFrame({"note": ["a" * (most + 1)]}), path)


def test_texts_of_workbooks_are_counted_in_characters(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    write_as(written_kinds()["excel"], pl.DataFrame({"note": ["ü" * 32_767]}), path)
    assert read_table(path)["note"].to_list() == ["ü" * 32_767]
    with pytest.raises(ind.OutputError, match="more than 32,767 bytes"):
        write_as(written_kinds()["spss"], pl.DataFrame({"note": ["ü" * 32_767]}), path)


def test_a_folder_with_a_workbook_alone_is_read_as_one(tmp_path: Path) -> None:
    for ending in ("xlsx", "dta", "sav"):
        folder = tmp_path / ending
        folder.mkdir()
        kind = next(one for one in written_kinds().values() if one.written == f".{ending}")
        write_as(kind, pl.DataFrame({"age": ["20"] * 3}), folder / f"any.{ending}")
        asked = [{"model": "k-anonymity", "k": 3}]
        assert ind.audit(folder, promises=asked, quasi=["age"]).holds


def test_a_sheet_has_no_more_records_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel, "MOST_ROWS", 3)
    frame = pl.DataFrame({"n": [1, 2, 3]})
    write_as(written_kinds()["excel"], frame, tmp_path / "x.xlsx")
    with pytest.raises(ind.OutputError, match="at most 3 records"):
        write_as(written_kinds()["excel"], frame.vstack(frame), tmp_path / "y.xlsx")


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_that_is_missing_is_told_before_anything_is_done(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ind.OutputError) as caught:
        require_format(kind, ["age"])
    assert (caught.value.problems[0].remedy or "").startswith('pip install "indistinct[')
    require_format("csv", ["age"])


def test_a_workbook_runs_nothing_keeps_all_digits_and_tells_no_time(tmp_path: Path) -> None:
    frame = pl.DataFrame({"note": ["=1+1", "http://a.b"], "x": [0.1 + 0.2, 1e-300]})
    for name in ("a.xlsx", "b.xlsx"):
        write_as(written_kinds()["excel"], frame, tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    cells = [[(one.data_type, one.value) for one in row] for row in book["release"].iter_rows()]
    assert cells[1] == [("s", "=1+1"), ("n", 0.1 + 0.2)]
    assert cells[2] == [("s", "http://a.b"), ("n", 1e-300)]
    assert book.properties.created.year == 2000


def _table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "who": [f"p{at // 2}" for at in range(60)],
            "age": [20 + at // 2 % 7 for at in range(60)],
            "seen": [dt.date(2024, 1 + at // 2 % 12, 1) for at in range(60)],
            "cost": [Decimal(at) / 4 for at in range(60)],
            "ill": ["flu", "gout", "hiv", None, "flu", "asthma"] * 10,
        }
    )


POLICY = {
    "attributes": {
        "who": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
        "seen": {"role": "quasi-identifier", "hierarchy": {"date": {"levels": ["month", "year"]}}},
        "cost": {"role": "insensitive"},
        "ill": {"role": "sensitive"},
    },
    "promises": [
        {"model": "k-anonymity", "k": 3},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
    ],
}


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "anatomy"])
@pytest.mark.parametrize("form", output_formats())
def test_a_release_is_audited_compared_and_attacked_from_its_file(
    form: str, algorithm: str, tmp_path: Path
) -> None:
    policy = {**POLICY, "output": {"format": form}, "method": {"algorithm": algorithm}}
    if algorithm == "anatomy":
        policy["source"] = {"person": "who"}
        policy["promises"] = POLICY["promises"][1:]
    release = ind.anonymize(_table(), policy)
    out = release.write(tmp_path / "out")
    ending = {"excel": "xlsx", "stata": "dta", "spss": "sav"}.get(form, form)
    names = {"quasi", "sensitive"} if algorithm == "anatomy" else {"release"}
    assert {one.stem for one in out.glob(f"*.{ending}")} == names
    assert ind.audit(out).holds
    assert ind.audit(out, policy).holds
    assert ind.risk(out).prosecutor == ind.risk(release).prosecutor
    if algorithm != "anatomy":
        found = [ind.compare(_table(), one, policy=policy) for one in (release, out)]
        here, there = (one.to_dict() for one in found)
        assert here["releases"][0]["quality"] == there["releases"][0]["quality"]
    assert (
        ind.attack(_table(), out, policy).to_dict()
        == ind.attack(_table(), release, policy).to_dict()
    )


def test_a_format_that_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(ind.PolicyError, match="excel"):
        ind.Policy.from_dict({**POLICY, "output": {"format": "xls"}})


def test_a_workbook_with_numbers_of_more_than_64_bits_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["id", "n", "x"], [12345678901234567890, 1, 0.5], [5, 2, None]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    found = canonical(read_table(tmp_path / "a.xlsx"))
    assert found["id"].to_list() == ["1.234567890123457e+19", "5"]
    assert found["n"].to_list() == ["1", "2"]
