from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import OutputError

OPTIONS = ("--quasi", "age,sex,zip", "--sensitive", "diagnosis", "--k", 5)


def test_a_policy_gives_a_release_and_a_summary(run, table: Path, policy: Path, tmp_path: Path):
    out = tmp_path / "out"
    result = run("anonymize", table, "--policy", policy, "--out", out)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "160 of 160 records published, 0 suppressed (0.00 %)"
    assert any(line.startswith("k-anonymity  k = 5") and "holds" in line for line in lines)
    assert any(line.startswith("age ") and " of " in line and "[" in line for line in lines)
    assert any(line.startswith("loss ") and "optimal" in line for line in lines)
    assert "private/run.json" in result.stdout
    assert max(map(len, lines)) <= 80 or any(str(out) in line for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert "\x1b" not in result.stdout
    (told,) = result.stderr.splitlines()
    assert told.startswith("warning: no promise bounds what a class tells about 'diagnosis'")
    assert (out / "release.csv").is_file()
    assert (out / "private").stat().st_mode & 0o777 == 0o700


def test_json_is_the_run_and_nothing_else(run, table: Path, policy: Path, tmp_path: Path):
    out = tmp_path / "out"
    result = run("anonymize", table, "--policy", policy, "--out", out, "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["records"] == 160
    assert document["plan"]["optimal"] is True
    assert set(document["plan"]["levels"]) == {"age", "sex", "zip"}
    assert document["promises"][0]["parameters"] == {"k": 5}
    written = json.loads((out / "private" / "run.json").read_text(encoding="utf-8"))
    # The seed undoes the shuffle, and standard output is logged.
    assert written.pop("seed")
    assert document == written
    (file,) = document["tables"]
    assert file["path"] == "release.csv"
    assert file["rows"] == 160
    assert file["sha256"] == hashlib.sha256((out / "release.csv").read_bytes()).hexdigest()


def test_options_stand_for_a_policy_and_defaults_are_told(run, table: Path, tmp_path: Path):
    out = tmp_path / "out"
    result = run("anonymize", table, *OPTIONS, "--out", out)
    assert result.exit_code == 0, result.stderr
    warnings = result.stderr.splitlines()
    assert len(warnings) == 4
    assert warnings[0].startswith("warning: no promise bounds what a class tells about 'diagnosis'")
    assert warnings[1].startswith("warning: no hierarchy was given for 'age': it gets hierarchy = ")
    frame = pl.read_csv(out / "release.csv", infer_schema=False)
    assert frame.columns == ["age", "sex", "zip", "diagnosis"]
    assert frame.group_by("age", "sex", "zip").len()["len"].min() >= 5


def test_hierarchy_files_are_found(run, table: Path, tmp_path: Path):
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    ages = "".join(f"{age};{age // 20};*\n" for age in range(20, 60))
    (folder / "table_hierarchy_age.csv").write_text(ages, encoding="utf-8")
    (folder / "sex.csv").write_text("f,*\nm,*\n", encoding="utf-8")
    (folder / "zip.csv").write_text("81667|816|*\n81675|816|*\n", encoding="utf-8")
    out = tmp_path / "out"
    result = run("anonymize", table, *OPTIONS, "--hierarchies", folder, "--out", out)
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: the release keeps 19% of what 'age' told")
    assert len(result.stderr.splitlines()) == 2
    assert set(pl.read_csv(out / "release.csv", infer_schema=False)["age"]) <= {"1", "2", "*"}


def test_columns_that_are_not_named_are_an_error_with_remedies(run, table: Path, tmp_path: Path):
    options = ("anonymize", table, "--quasi", "age", "--k", 5, "--out", tmp_path / "out")
    result = run(*options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "these columns have no role: 'sex', 'zip', 'diagnosis'" in result.stderr
    assert "remedy: name them with --drop (left out) or --keep" in result.stderr
    assert not (tmp_path / "out").exists()
    done = run(*options, "--drop", "zip", "--keep", "diagnosis", "--rest", "drop")
    assert done.exit_code == 0
    assert pl.read_csv(tmp_path / "out" / "release.csv").columns == ["age", "diagnosis"]


def test_options_beside_a_policy_are_refused(run, table: Path, policy: Path, tmp_path: Path):
    result = run(
        *("anonymize", table, "--policy", policy, "--k", 5, "--suppression-limit", 0.1),
        *("--out", tmp_path / "out"),
    )
    assert result.exit_code == 2
    assert f"--k, --suppression-limit cannot be combined with --policy {policy}" in result.stderr
    assert "write it in the policy (suppression_limit under [method]), or leave" in result.stderr


def test_neither_a_policy_nor_options(run, table: Path, tmp_path: Path):
    result = run("anonymize", table, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "error: there is no --quasi and no --k" in result.stderr
    assert "--k\n" in run("anonymize", table, "--quasi", "age", "--out", tmp_path / "o").stderr


def test_the_format_and_the_suppressed_records_are_chosen(run, table: Path, tmp_path: Path):
    out = tmp_path / "out"
    with table.open("a", encoding="utf-8") as file:
        file.write("99,f,10115,flu\n")
    result = run(
        *("anonymize", table, *OPTIONS, "--suppression-limit", 0.05, "--format", "parquet"),
        *("--suppressed", "keep", "--out", out),
    )
    assert result.exit_code == 0, result.stderr
    frame = pl.read_parquet(out / "release.parquet")
    assert frame.height == 161
    assert frame.filter(pl.all_horizontal(pl.col("age", "sex", "zip") == "*")).height >= 1
    audit = run("audit", out, "--json")
    assert audit.exit_code == 0
    assert json.loads(audit.stdout)["suppressed"] >= 1


def test_a_promise_that_cannot_be_met_ends_with_3(run, table: Path, tmp_path: Path):
    options = ("anonymize", table, "--quasi", "age,sex,zip", "--sensitive", "diagnosis")
    result = run(*options, "--k", 161, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 3
    assert [item["code"] for item in json.loads(result.stdout)["problems"]] == ["k-exceeds-records"]
    assert (
        "error: k-anonymity(k=161) cannot be met: the table has only 160 records" in result.stderr
    )
    assert "remedy: choose a smaller k" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_name_with_a_comma_is_one_name(run, tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_text('"weight, kg";sex\n' + "70;f\n" * 5, encoding="utf-8")
    result = run("anonymize", path, "--quasi", "weight, kg", "--quasi", "sex", "--k", 5,
                 "--out", tmp_path / "out")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    frame = pl.read_csv(tmp_path / "out" / "release.csv")
    assert frame.columns == ["weight, kg", "sex"]


def test_square_brackets_of_values_are_printed_as_they_are(run, tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_text("ward\n" + "[bold]:smile:\n" * 5 + "[/]\n" * 5, encoding="utf-8")
    result = run("anonymize", path, "--quasi", "ward", "--k", 5, "--out", tmp_path / "out")
    assert "[bold]:smile:" in result.stdout


def test_an_earlier_run_is_replaced_and_foreign_files_are_not(
    run, table: Path, policy: Path, tmp_path: Path
):
    out = tmp_path / "out"
    verb = ("anonymize", table, "--policy", policy, "--out", out)
    assert run(*verb).exit_code == 0
    assert run(*verb).exit_code == 0
    (out / "mine.txt").write_text("keep me", encoding="utf-8")
    result = run(*verb)
    assert result.exit_code == 2
    assert "'mine.txt'" in result.stderr
    assert (out / "mine.txt").read_text(encoding="utf-8") == "keep me"
    assert {path.name for path in out.iterdir()} == {
        *("certificate.json", "mine.txt", "private", "release.csv", "report.html")
    }


@pytest.mark.parametrize("name", ["", " "])
def test_a_folder_without_a_name_is_refused(
    run, table: Path, policy: Path, tmp_path: Path, monkeypatch, name: str
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    result = run("anonymize", table, "--policy", policy, "--out", name)
    assert result.exit_code == 2
    assert "it is empty" in result.stderr
    assert run("demo", "--out", name).exit_code == 2
    assert not list(here.iterdir())
    with pytest.raises(OutputError, match="name of the folder is empty"):
        ind.anonymize(table, ind.Policy.load(policy)).write(name)
    result = run("anonymize", table, "--policy", policy, "--out", ".")
    assert result.exit_code == 2
    assert "this is the current one" in result.stderr


@pytest.mark.parametrize(
    "name", ["release.csv", "release.csv.gz", "release.xlsx", "Release.PARQUET"]
)
def test_a_folder_that_is_called_like_a_table_is_refused(
    run, table: Path, policy: Path, tmp_path: Path, name: str
):
    result = run("anonymize", table, "--policy", policy, "--out", tmp_path / name)
    assert result.exit_code == 2
    assert "a release is a folder, and this is called like a file" in result.stderr
    assert not (tmp_path / name).exists()
    made = run("anonymize", table, "--policy", policy, "--out", tmp_path / "release-2.0")
    assert made.exit_code == 0


@pytest.mark.parametrize(
    ("into", "said"),
    [("folder/release", "write postgresql://host/db?schema=NAME"),
     ("postgresql://host/db", "end the address with ?schema=NAME")],
)  # fmt: skip
def test_where_rows_cannot_go_is_told_before_the_search(
    run, table: Path, policy: Path, tmp_path: Path, into: str, said: str
) -> None:
    policy.write_text(policy.read_text("utf-8").replace("k = 5", "k = 500"), encoding="utf-8")
    done = run("anonymize", table, "--policy", policy, "--out", tmp_path / "out", "--into", into)
    assert done.exit_code == 2
    assert said in done.stderr
