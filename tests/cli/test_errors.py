"""What a user can do wrong, and what the verbs then say; how an end comes that nobody foresaw."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path

import polars as pl
import pytest

import indistinct
from indistinct.errors import IndistinctError
from indistinct.sources import writing

SECRET = "Smith"  # a value that no message may show


@pytest.fixture
def release(run, policy: Path, tmp_path: Path):
    """Run anonymize on a file of that content, under the policy of the small table."""

    def anonymize(content: str | bytes, *options: object):
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = run("anonymize", path, "--policy", policy, "--out", tmp_path / "out", *options)
        assert SECRET not in result.stderr
        assert result.stdout == ""
        assert not (tmp_path / "out").exists()
        assert not list(tmp_path.glob(".out*"))
        return result

    return anonymize


GOOD = "20,f,81667,flu\n" * 5


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("", ["table.csv", "empty"]),
        ("age,sex,zip,diagnosis\n", ["a header and no records"]),
        ("age,age,zip,diagnosis\n" + GOOD, ["table.csv", "columns 1, 2 have the same names"]),
        (f"age,sex,zip,diagnosis\n{GOOD}20,f,{SECRET}\n", ["6"]),
        (
            "age,sex,zip\n20,f,81667\n",
            ["attributes.diagnosis: table.csv has no such column", "remedy: "],
        ),
        (
            "age,sex,zip,diagnosis,name\n20,f,1,flu,Smith\n",
            ["of table.csv has no role: 'name'", "indistinct init"],
        ),
        (
            f"age,sex,zip,diagnosis\n{GOOD}{SECRET},f,81667,flu\n",
            ["table.csv, attribute 'age', row 6: ", "remedy: "],
        ),
        (b"age,sex,zip,diagnosis\n\xff\xfe\x00", ["table.csv"]),
        (f"{SECRET},f,81667,flu\n{SECRET},f,81667,flu\n", ["table.csv, row 1: the first line"]),
    ],
    ids=["empty", "header", "twice", "ragged", "lacking", "roleless", "uncovered", "bytes", "none"],
)
def test_a_table_that_cannot_be_used(release, content: str | bytes, texts: list[str]):
    result = release(content)
    assert result.exit_code == 2, result.stderr
    assert result.stderr.startswith("error: ")
    for text in texts:
        assert text in result.stderr


@pytest.mark.parametrize("cell", ["34", "M"])
def test_a_first_line_that_may_be_a_record_is_never_shown(run, policy: Path, tmp_path, cell: str):
    data = tmp_path / "people.csv"
    other = "51" if cell == "34" else "F"
    lines = (f"P1,{cell},Smith,x", f"P2,{other},flu,y", f"P3,{other},flu,z")
    data.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    rest = [tmp_path / f"{role}.toml" for role in ("keep", "drop")]
    for file in rest:
        file.write_text(f'rest = "{file.stem}"\n' + policy.read_text("utf-8"), "utf-8")
    for options in (
        ("anonymize", data, "--policy", policy, "--out", out),
        *(("anonymize", data, "--policy", file, "--out", out) for file in rest),
        *(("init", data, "--check", file) for file in rest),
        ("assess", data, "--policy", rest[0]),
        ("anonymize", data, "--policy", rest[0], "--out", out, "--engine", "duckdb"),
        ("anonymize", data, "--quasi", "age", "--k", 2, "--out", out),
        ("anonymize", data, "--quasi", "age", "--k", 2, "--rest", "drop", "--out", out),
        ("assess", data, "--attributes", "age"),
        ("assess", data, "--weights", "weight"),
        ("assess", data, "--policy", policy),
        ("quasi", data, "--identifiers", "name", "--sensitive", "hiv"),
        ("risk", data, "--quasi", "age"),
        ("hierarchy", data, "age", "--intervals", 5),
        ("audit", data, "--k", 2, "--quasi", "age"),
        ("attack", data, data, "--policy", policy),
        ("compare", data, data, "--policy", policy),
        ("anonymize", data, "--policy", policy, "--out", out, "--engine", "duckdb"),
        ("assess", data, "--policy", policy, "--engine", "duckdb"),
        ("risk", data, "--quasi", "Smit", "--engine", "duckdb"),
    ):
        result = run(*options)
        assert result.exit_code == 2, options
        assert "the names of its columns (4) are not shown" in result.stderr
        assert not any(cell in result.stderr for cell in ("'P1'", "'34'", "'M'", "Smith", "'x'"))


def test_a_header_of_numbers_is_doubted(run, tmp_path: Path):
    data, policy = tmp_path / "wide.csv", tmp_path / "wide.toml"
    data.write_text("sex,2019\n" + "f,1\nm,2\n" * 3, encoding="utf-8")
    policy.write_text(
        '[attributes.sex]\nrole = "quasi-identifier"\n[attributes.2019]\nrole = "sensitive"\n'
        '[[promises]]\nmodel = "k-anonymity"\nk = 3\n',
        encoding="utf-8",
    )
    result = run("anonymize", data, "--policy", policy, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "the header has numbers or dates as names (column 2)" in result.stderr


@pytest.mark.parametrize(
    "content",
    [
        'zip\t"size\t"Zq7"\n"81673"\t"12"\n"81667"\t"15"\n',
        '"zip";"sex"81672";"Zq7";"95"\n"81673";"f";"Zq8";"98"\n',
    ],
)
def test_a_header_into_which_a_record_runs_is_not_shown(content: str, run, tmp_path: Path):
    data = tmp_path / "broken.csv"
    data.write_text(content, encoding="utf-8")
    result = run("risk", data, "--quasi", "zip,age")
    assert result.exit_code == 2
    assert "are not shown: the first line may be a record" in result.stderr
    assert "Zq7" not in result.stderr
    data.write_text(content + content.splitlines(keepends=True)[1] * 3, encoding="utf-8")
    words = ("--quasi", "zip", "--k", "2", "--rest", "drop", "--out", tmp_path / "out")
    result = run("anonymize", data, *words)
    assert "the header has names with a quote or a tab (column 2)" in result.stderr
    assert "Zq7" not in result.stderr


def test_a_header_that_the_policy_knows_is_shown(release):
    result = release("age,sex,zip,diag\n20,f,81667,flu\n")
    assert "table.csv has no such column: did you mean 'diag'?" in result.stderr


def test_a_k_larger_than_the_table_ends_with_3(release):
    result = release("age,sex,zip,diagnosis\n20,f,81667,flu\n21,m,81675,flu\n")
    assert result.exit_code == 3
    assert "k-anonymity(k=5) cannot be met: the table has only 2 records" in result.stderr


def test_a_hierarchy_with_two_parents_for_a_value(run, table: Path, tmp_path: Path):
    (tmp_path / "sex.csv").write_text("f,female,*\nm,male,*\nf,other,*\n", encoding="utf-8")
    result = run(
        *("anonymize", table, "--quasi", "sex", "--rest", "drop", "--k", 5),
        *("--hierarchies", tmp_path, "--out", tmp_path / "out"),
    )
    assert result.exit_code == 2
    assert "'f'" in result.stderr
    assert "sex" in result.stderr


def test_a_value_that_a_hierarchy_file_lacks(run, table: Path, tmp_path: Path):
    (tmp_path / "patients_hierarchy_age.csv").write_text("20;*\n21;*\n", encoding="utf-8")
    options = ("--quasi", "age", "--rest", "drop", "--k", 5, "--hierarchies", tmp_path)
    result = run("anonymize", table, *options, "--out", tmp_path / "out")
    assert result.exit_code == 2
    rows = "9, 10, 11, 12, 13, 14, 15, 16, 17, 18 and more"
    assert f"error: patients.csv, attribute 'age', rows {rows}: " in result.stderr
    assert "38 distinct values are not in the hierarchy of patients_hierarchy_age.csv" in (
        result.stderr
    )
    assert 'set uncovered = "suppress"' in result.stderr


def test_an_option_that_names_no_column(run, table: Path, tmp_path: Path):
    result = run("anonymize", table, "--quasi", "agee", "--k", 5, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "error: patients.csv: the table has no column 'agee': did you mean 'age'?" in (
        result.stderr
    )


def test_a_folder_of_hierarchies_that_is_none(run, table: Path, tmp_path: Path):
    result = run(
        *("anonymize", table, "--quasi", "sex", "--rest", "drop", "--k", 5),
        *("--hierarchies", tmp_path / "none", "--out", tmp_path / "out"),
    )
    assert result.exit_code == 2
    assert "none: is not a folder with hierarchy files" in result.stderr


def test_an_output_that_cannot_be_written(run, table: Path, policy: Path, tmp_path: Path):
    out = tmp_path / "out"
    out.write_text("in the way", encoding="utf-8")
    result = run("anonymize", table, "--policy", policy, "--out", out)
    assert result.exit_code == 2
    assert f"error: {out}: there is a file of this name" in result.stderr
    assert out.read_text(encoding="utf-8") == "in the way"


def test_a_disk_that_fills_up_leaves_nothing(release, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "release.csv")

    monkeypatch.setattr("indistinct.pipeline.release.write_csv", full)
    result = release("age,sex,zip,diagnosis\n" + GOOD)
    assert result.exit_code == 2
    assert "the disk is full; nothing was written" in result.stderr


def test_a_file_that_is_not_there_and_one_without_a_known_ending(run, policy: Path, tmp_path: Path):
    missing = run("anonymize", tmp_path / "x.csv", "--policy", policy, "--out", tmp_path / "out")
    assert missing.exit_code == 2
    assert "there is no such file" in missing.stderr
    other = tmp_path / "table.doc"
    other.write_text("age\n1\n", encoding="utf-8")
    assert run("hierarchy", other, "age", "--intervals", 5).exit_code == 2


@pytest.mark.parametrize(
    "arguments", [("anonymise",), ("anonymize",), ("audit",), ("demo", "--outt", "x"), ()]
)
def test_usage_errors_end_with_2(run, arguments: tuple[str, ...]):
    assert run(*arguments).exit_code == 2


def fails(error: BaseException):
    def anonymize(*_: object, **__: object) -> None:
        raise error

    return anonymize


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (PermissionError(13, "Permission denied", "/x/y"), 2, "error: /x/y: Permission denied"),
        (MemoryError(), 2, "error: the table does not fit into the memory"),
        (KeyboardInterrupt(), 130, "interrupted: nothing was left half written"),
        (IndistinctError("withheld"), 1, "error: withheld"),
    ],
)
def test_other_ends(release, monkeypatch, error: BaseException, code: int, text: str):
    monkeypatch.setattr(indistinct, "anonymize", fails(error))
    result = release(GOOD)
    assert result.exit_code == code
    assert text in result.stderr


def test_a_folder_that_was_removed_is_not_our_bug(release, monkeypatch, tmp_path: Path):
    """Numba asks where it runs, and fails without a name of a file."""
    gone = tmp_path / "gone"
    gone.mkdir()
    with contextlib.chdir(gone):
        gone.rmdir()
        monkeypatch.setattr(indistinct, "anonymize", fails(FileNotFoundError(2, "No such file")))
        result = release(GOOD)
    assert result.exit_code == 2
    assert "error: the folder in which the command was started is not there" in result.stderr


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        KeyError(SECRET),
        OSError(SECRET),
        pl.exceptions.PanicException(SECRET),  # a BaseException
    ],
)
def test_our_own_bug_shows_no_value(release, monkeypatch, error: BaseException):
    monkeypatch.setattr(indistinct, "anonymize", fails(error))
    result = release(GOOD)
    assert result.exit_code == 1
    assert f"internal error: {type(error).__name__} in cli/anonymize.py, line " in result.stderr
    assert "Please report" in result.stderr or "please report" in result.stderr
    assert "Traceback" not in result.stderr


def test_debugging_shows_the_traceback(run, table: Path, policy: Path, tmp_path, monkeypatch):
    monkeypatch.setattr(indistinct, "anonymize", fails(ValueError("cell 42")))
    monkeypatch.setenv("INDISTINCT_DEBUG", "1")
    result = run("anonymize", table, "--policy", policy, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert "cell 42" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_while_writing_leaves_nothing(release, monkeypatch, number: signal.Signals):
    def interrupt(*_: object, **__: object) -> None:
        signal.raise_signal(number)

    monkeypatch.setattr("indistinct.pipeline.release.write_csv", interrupt)
    result = release("age,sex,zip,diagnosis\n" + GOOD)
    assert result.exit_code == 128 + number
    assert result.stderr == "interrupted: nothing was left half written\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize("again", [False, True])
def test_an_interrupt_after_the_folder_has_appeared_says_that_the_release_stands(
    run, table: Path, policy: Path, tmp_path: Path, monkeypatch, again: bool
):
    """Also where it takes the place of an earlier one, which is tidied up all the same."""
    out = tmp_path / "out"
    words = ("anonymize", table, "--policy", policy, "--out", out)
    if again:
        assert run(*words).exit_code == 0
    sync = writing._sync_folder

    def interrupt(folder: Path) -> None:
        sync(folder)
        if folder == tmp_path:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(writing, "_sync_folder", interrupt)
    result = run(*words)
    assert result.exit_code == 143
    assert (out / "certificate.json").exists()
    assert not list(tmp_path.glob(".out*"))
    told = f"interrupted: the release is in {out}; nothing was left half written\n"
    assert result.stderr.endswith(told)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_end_that_a_library_answers_with_an_error_is_the_end(
    release, monkeypatch, number: signal.Signals
):
    """A compiler that is broken off says that it could not compile."""

    def compile_(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise SystemError("a result with an exception set") from None

    monkeypatch.setattr("indistinct.pipeline.release.write_csv", compile_)
    result = release("age,sex,zip,diagnosis\n" + GOOD)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert result.exit_code == 128 + number
    assert result.stderr == "interrupted: nothing was left half written\n"


def test_what_a_killed_run_left_is_removed_with_a_word(run, table: Path, policy: Path, tmp_path):
    left = tmp_path / f"{writing._mark(tmp_path / 'another')}abcdefgh"
    (left / "private").mkdir(parents=True)
    (left / "private" / "run.json").write_text(SECRET)
    result = run("anonymize", table, "--policy", policy, "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert not left.exists()
    assert "left unfinished next to the release by a killed run" in result.stderr
    again = run("anonymize", table, "--policy", policy, "--out", tmp_path / "out")
    assert "unfinished" not in again.stderr


def test_a_pipe_is_no_folder(run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run("assess", pipe)
    assert done.exit_code == 2
    assert "this is a pipe" in done.stderr
    assert "write the table to a file first" in done.stderr


@pytest.mark.parametrize(
    ("typed", "told"),
    [("attack table.csv", "What was published of DATA"), ("compare", "The private table")],
)
def test_what_is_missing_is_explained(run, typed: str, told: str) -> None:
    result = run(*typed.split())
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())
    result = run(*typed.split(), "--json")
    assert told in json.loads(result.stdout)["problems"][0]["message"]
