from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from indistinct.policy import Policy


def test_a_first_policy_is_written_that_makes_a_release(run, table: Path, tmp_path: Path):
    path = tmp_path / "first.toml"
    result = run("init", table, "--policy", path)
    assert result.exit_code == 0, result.stderr
    assert "quasi-identifier (3), generalized:" in result.stdout
    assert f"{path} is written" in result.stdout
    assert Policy.load(path).attributes["age"].role == "quasi-identifier"
    assert run("anonymize", table, "--policy", path, "--out", tmp_path / "out").exit_code == 0


def test_the_next_command_can_be_copied_whatever_the_file_is_called(
    run, table: Path, tmp_path: Path
) -> None:
    spaced = table.rename(table.with_name("of the ward.csv"))
    done = run("init", spaced, "--policy", tmp_path / "first draft.toml")
    command = shlex.split(done.output.splitlines()[-1])
    assert command[:2] == ["indistinct", "anonymize"]
    assert command[2:5] == [str(spaced), "--policy", str(tmp_path / "first draft.toml")]


def test_json_lists_the_suggestions(run, table: Path, tmp_path: Path):
    path = tmp_path / "first.toml"
    result = run("init", table, "--policy", path, "--json")
    document = json.loads(result.stdout)
    assert document["policy"] == str(path)
    assert [item["attribute"] for item in document["attributes"]] == [
        *("age", "sex", "zip", "diagnosis")
    ]
    assert all(item["role"] and item["why"] for item in document["attributes"])


def test_how_the_file_is_read_stands_in_the_policy(run, tmp_path: Path):
    data = tmp_path / "table.csv"
    data.write_text("age;sex\n" + "20;f\n30;m\n" * 9, encoding="utf-8")
    path = tmp_path / "first.toml"
    assert run("init", data, "--policy", path, "--separator", ";").exit_code == 0
    assert Policy.load(path).source.separator == ";"


def test_a_policy_is_not_overwritten_unasked(run, table: Path, policy: Path):
    before = policy.read_text(encoding="utf-8")
    result = run("init", table, "--policy", policy)
    assert result.exit_code == 2
    assert "a file of that name is there already" in result.stderr
    assert "--force" in result.stderr
    assert policy.read_text(encoding="utf-8") == before
    assert run("init", table, "--policy", policy, "--force").exit_code == 0
    assert policy.read_text(encoding="utf-8") != before


def test_a_policy_is_held_against_the_table(run, table: Path, tmp_path: Path):
    draft = tmp_path / "draft.toml"
    draft.write_text(
        '[attributes]\nage.role = "insensitive"\nsex.role = "quasi-identifier"\n'
        'zip.role = "identifier"\ndiagnosis.role = "sensitive"\n',
        encoding="utf-8",
    )
    done = run("init", table, "--check", draft, "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    (exposed,) = document["attributes"]
    assert (exposed["attribute"], exposed["role"]) == ("age", "insensitive")
    assert exposed["suggested"] == "quasi-identifier"
    assert document["warnings"][-1] == "no promise yet"
    assert "age" in run("init", table, "--check", draft).stdout
    assert not (tmp_path / "release.toml").exists()


def test_a_policy_that_does_not_fit_the_table(run, table: Path, tmp_path: Path):
    draft = tmp_path / "draft.toml"
    draft.write_text('[attributes]\nage.role = "insensitive"\n', encoding="utf-8")
    done = run("init", table, "--check", draft)
    assert done.exit_code == 2
    assert "have no role: 'sex', 'zip', 'diagnosis'" in done.stderr


def test_a_policy_that_forgets_columns_stops_a_pipeline(run, table: Path, tmp_path: Path):
    draft = tmp_path / "draft.toml"
    names = ("age", "sex", "zip", "diagnosis")
    draft.write_text("".join(f'[attributes.{name}]\nrole = "insensitive"\n' for name in names))
    assert run("init", table, "--check", draft).exit_code == 0
    assert run("init", table, "--check", draft, "--strict").exit_code == 3
    lone = run("init", table, "--policy", tmp_path / "new.toml", "--strict")
    assert lone.exit_code == 2
    assert "give --check FILE" in lone.stderr
    assert not (tmp_path / "new.toml").exists()


def test_a_policy_that_protects_enough(run, table: Path, policy: Path):
    done = run("init", table, "--check", policy, "--strict")
    assert done.exit_code == 0
    assert "protects every column of patients.csv as is suggested" in done.stdout


def test_a_draft_of_fifty_columns_fits_a_screen(run, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    names = ["patient_id", "age", "sex", "zip_code", *(f"asthma_{at}" for at in range(46))]
    rows = [
        [str(at), str(at % 70), "mf"[at % 2], str(10001 + at % 40), *["12"[at % 2]] * 45, "7"]
        for at in range(200)
    ]
    data = tmp_path / "wide.csv"
    data.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n", encoding="utf-8")
    result = run("init", data, "--policy", tmp_path / "p.toml")
    lines = result.stdout.splitlines()
    assert len(lines) <= 30
    assert "zip_code (us-zip)" in result.stdout
    assert not result.stderr


def test_what_is_doubtful_stands_first(run, tmp_path: Path):
    data = tmp_path / "t.csv"
    rows = [
        f"{at % 60},{at // 2 * 7919 % 90_000 + 10_000},{(1, 2, 98)[at % 3]}" for at in range(300)
    ]
    data.write_text("age,zq,asthma\n" + "\n".join(rows) + "\n", encoding="utf-8")
    lines = run("init", data, "--policy", tmp_path / "p.toml").stdout.splitlines()
    assert lines[0] == "Look at these first:"
    assert any("left out until you decide" in line and "zq" in line for line in lines[1:4])
    assert any("taken for missing: 98" in line for line in lines[1:5])


def test_what_a_policy_forgets_is_told(run, tmp_path: Path):
    data = tmp_path / "t.csv"
    rows = [
        f"P{at // 4:04d},{'mf'[at // 4 % 2]},{1 + at % 3},"
        f"{'9999-99-99' if at % 9 else '2020-01-31'},{(1, 2, 98)[at % 3]},"
        f"{('ME', 'TX', 'OH', 'CA', 'NY')[at % 5]},{at % 2}"
        for at in range(400)
    ]
    data.write_text(
        "patient,sex,ward,died,asthma,state,new\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    policy = tmp_path / "p.toml"
    policy.write_text(
        '[attributes]\npatient.role = "identifier"\nsex.role = "quasi-identifier"\n'
        'ward.role = "quasi-identifier"\ndied.role = "quasi-identifier"\n'
        'asthma.role = "sensitive"\nstate.role = "quasi-identifier"\n'
        '[[promises]]\nmodel = "k-anonymity"\nk = 3\n',
        encoding="utf-8",
    )
    done = run("init", data, "--check", policy, "--json")
    assert done.exit_code == 2
    assert "'new'" in done.stderr
    document = json.loads(done.stdout)
    assert document["attributes"] == [
        {**document["attributes"][0], "attribute": "new", "role": None, "suggested": "sensitive"}
    ]
    told = {(item["attribute"], item["write"]) for item in document["forgotten"]}
    assert ("ward", 'type = "category"') in told
    assert ("state", 'hierarchy = {code_system = "us-state"}') in told
    assert ("patient", '[source] person = "patient"') in told
    assert ("asthma", 'missing = {tokens = ["98"], as = "value"}') in told
    assert ("died", 'missing = {tokens = ["9999-99-99"], as = "value"}') in told
    assert any(name == "died" and 'type = "date"' in write for name, write in told)
    table = run("init", data, "--check", policy)
    assert "code_system" in table.stdout


def test_a_sensitive_attribute_that_is_made_insensitive_is_named(run, table: Path, policy: Path):
    text = policy.read_text(encoding="utf-8")
    assert text.count('"sensitive"') == 1
    policy.write_text(text.replace('"sensitive"', '"insensitive"'), encoding="utf-8")
    document = json.loads(run("init", table, "--check", policy, "--json").stdout)
    (exposed,) = document["attributes"]
    assert (exposed["attribute"], exposed["suggested"]) == ("diagnosis", "sensitive")


def test_a_file_without_a_header(run, tmp_path: Path):
    data, policy = tmp_path / "bare.csv", tmp_path / "p.toml"
    rows = [f"{20 + at % 50},{'mf'[at % 2]}x{at},{100 + at % 9}" for at in range(60)]
    data.write_text("\n".join(rows) + "\n", encoding="utf-8")
    refused = run("init", data, "--policy", policy)
    assert refused.exit_code == 2
    assert "--no-header" in refused.stderr
    assert not policy.exists()
    done = run("init", data, "--policy", policy, "--no-header")
    assert done.exit_code == 0, done.stderr
    text = policy.read_text(encoding="utf-8")
    assert "[source]\nheader = false\n" in text
    assert "[attributes.column_3]" in text
    text = text.replace('"identifier"', '"insensitive"').replace(
        '[attributes.column_1]\nrole = "insensitive"',
        '[attributes.column_1]\nrole = "quasi-identifier"',
    )
    policy.write_text(text, encoding="utf-8")
    done = run("anonymize", data, "--policy", policy, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert "60 of 60 records" in done.stdout + done.stderr


def test_a_first_line_that_may_be_a_record_is_not_shown(run, tmp_path: Path):
    data, policy = tmp_path / "bare.csv", tmp_path / "p.toml"
    data.write_text("P1,anna,HIV\nP2,bert,flu\nP3,carl,cold\n", encoding="utf-8")
    done = run("init", data, "--policy", policy)
    assert done.exit_code == 0
    assert "the first line may be a record" in done.stdout
    assert "no quasi-identifier was recognised" in done.stdout.replace("\n    ", " ")
    assert not any(cell in done.stdout + done.stderr for cell in ("P1", "anna", "HIV"))
    done = run("init", data, "--policy", policy, "--header", "--force")
    assert all(name in done.stdout for name in ("P1", "anna", "HIV"))


def test_a_draft_without_quasi_identifiers_says_what_is_missing(run, tmp_path: Path):
    """Otherwise anonymize would end with an error that init could have told."""
    data, policy = tmp_path / "t.csv", tmp_path / "p.toml"
    rows = [f"s{at * 7919 % 100000:05d},{at % 3}.{at % 7},{at % 5}.{at % 9}\n" for at in range(60)]
    data.write_text("ID1,CA199,CA125\n" + "".join(rows), encoding="utf-8")
    done = run("init", data, "--policy", policy)
    assert done.exit_code == 0
    assert "no quasi-identifier was recognised" in done.stdout.replace("\n    ", " ")
    assert 'give role = "quasi-identifier" to what others may know' in done.stdout


def test_nothing_is_written_to_a_dash(run, table: Path, policy: Path, tmp_path, monkeypatch):
    data, rules = table.resolve(), policy.resolve()
    monkeypatch.chdir(tmp_path)
    for options in (
        ("init", data, "--policy", "-"),
        ("anonymize", data, "--policy", rules, "--out", "-"),
        ("hierarchy", data, "age", "--intervals", "10", "--out", "-"),
        ("risk", data, "--policy", rules, "--plot", "-"),
        ("assess", data, "--write", "-"),
        ("demo", "--out", "-"),
    ):
        done = run(*options)
        assert done.exit_code == 2, options
        assert "'-'" in done.stderr, options
    assert not (tmp_path / "-").exists()
    assert "'-' means standard output" in run("init", data, "--policy", "-").stderr


def test_it_is_told_what_is_published_once_for_all_records_of_a_person(run, tmp_path: Path):
    data = tmp_path / "t.csv"
    rows = [f"P{at // 3:04d},{20 + at // 3 % 50},{'abc'[at % 3]}" for at in range(300)]
    rows += [" ,31,a", " ,32,b"]
    data.write_text("patient_id,age,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = " ".join(run("init", data, "--policy", tmp_path / "p.toml").stdout.split())
    told = "the first value of a person is published for all of the person's records: region"
    assert told in said
    assert "100 people have 300 records" in said
    assert "2 records without a 'patient_id' must be filled in or taken out" in said


def test_where_others_know_visits_alone_all_people_are_one_class(run, tmp_path: Path):
    data = tmp_path / "t.csv"
    rows = [f"P{at // 5:04d},2024-{at % 12 + 1:02d}-{at % 28 + 1:02d}" for at in range(300)]
    data.write_text("patient_id,visit_date\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = " ".join(run("init", data, "--policy", tmp_path / "p.toml").stdout.split())
    assert "all people are one class, by 'everybody', a column that is added" in said
    drafted = tomllib.loads((tmp_path / "p.toml").read_text(encoding="utf-8"))
    assert drafted["source"]["constant"] == {"everybody": "all"}
    assert drafted["attributes"]["visit_date"]["level"] == "event"
    assert run("init", data, "--check", tmp_path / "p.toml", "--strict").exit_code == 0
    for how in ((), ("--engine", "duckdb")):
        out = tmp_path / f"r{len(how)}"
        done = run("anonymize", data, "--policy", tmp_path / "p.toml", "--out", out, *how)
        assert done.exit_code == 0, done.stderr
        lines = (out / "release.csv").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "patient_id,visit_date,everybody"
        assert all(line.endswith(",all") for line in lines[1:])
        assert len({line.split(",")[1] for line in lines[1:]}) == 12
        assert run("audit", out).exit_code == 0
        assert run("attack", data, out, "--only", "record-linkage").exit_code == 0


def test_a_column_that_is_there_is_not_added(run, tmp_path: Path):
    data, policy = tmp_path / "t.csv", tmp_path / "p.toml"
    data.write_text("who,sex\na,f\nb,f\n", encoding="utf-8")
    policy.write_text(
        'rest = "keep"\n[source]\nconstant = { sex = "f" }\n[attributes]\n'
        'sex = { role = "quasi-identifier" }\n[[promises]]\nmodel = "k-anonymity"\nk = 2\n',
        encoding="utf-8",
    )
    done = run("anonymize", data, "--policy", policy, "--out", tmp_path / "r")
    assert done.exit_code == 2
    assert "source.constant adds a column of that name, and the table has one" in done.stderr


def test_ages_at_each_record_are_of_visits_with_the_number_of_the_record(run, tmp_path: Path):
    data = tmp_path / "t.csv"
    rows = [
        f"P{at // 4:04d},{'mf'[at // 4 % 2]},{at % 4},{20 + at // 4 % 50 + 2 * (at % 4)}"
        for at in range(400)
    ]
    data.write_text("patient_id,sex,wave,age\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run("init", data, "--policy", tmp_path / "p.toml")
    drafted = tomllib.loads((tmp_path / "p.toml").read_text(encoding="utf-8"))
    levels = {name: item.get("level") for name, item in drafted["attributes"].items()}
    assert levels == {"patient_id": None, "sex": None, "wave": "event", "age": "event"}
    assert "conflicts" not in drafted["source"]


def test_a_title_and_decimal_commas_are_found(run, tmp_path: Path):
    """What a spreadsheet of another country exports gives a policy that works as it stands."""
    rows = "".join(f"{at};{40 + at % 30};{at % 9},{at % 7}\n" for at in range(60))
    path, policy = tmp_path / "de.csv", tmp_path / "de.toml"
    path.write_text(f"Auswertung 2024;;\n;;\nNr;Alter;HbA1c\n{rows}")
    assert "skip_rows = 2" in run("init", path, "--policy", policy).stdout
    drafted = policy.read_text()
    assert "# 2 rows stand above the names of the columns: skip_rows = 2\nskip_rows = 2" in drafted
    assert 'decimal = ","\n' in drafted
    assert run("anonymize", path, "--policy", policy, "--out", tmp_path / "out").exit_code == 0
    asked = ("--skip-rows", 2, "--decimal", ".", "--force", "--policy", policy)
    assert "HbA1c" in run("init", path, *asked).stdout
    assert 'decimal = "."' in policy.read_text()


def test_the_sheet_of_several_that_is_read_stands_in_the_draft(run, tmp_path: Path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("fastexcel")
    book = openpyxl.Workbook()
    book.active.title = "Codes"
    book.active.append(["code", "meaning"])
    book.active.append(["1", "male"])
    data = book.create_sheet("People")
    data.append(["age", "sex"])
    for at in range(60):
        data.append([20 + at % 30, 1 + at % 2])
    path, policy = tmp_path / "people.xlsx", tmp_path / "p.toml"
    book.save(path)
    told = "the first of 2 sheets is read: sheet = 'Codes'"
    assert told in run("init", path, "--policy", policy).stdout
    assert f'# {told}\nsheet = "Codes"\n' in policy.read_text()
    again = run("init", path, "--policy", policy, "--force", "--sheet", "People").stdout
    assert "sheets" not in again
    assert "age" in again
    book.remove(book["Codes"])
    book.save(path)
    assert "sheets is read" not in run("init", path, "--policy", policy, "--force").stdout
    assert "source" not in tomllib.loads(policy.read_text())


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--separator", "ab"], "a separator is one character"),
        (["--separator", ""], "a separator is one character"),
        (["--encoding", "rot13"], "no encoding of files"),
    ],
)
def test_what_no_file_can_be_read_by_is_refused(run, tmp_path: Path, option: list[str], said: str):
    """Also where the rows above the names are looked for before the table is read."""
    path = tmp_path / "data.csv"
    path.write_text("age,sex\n34,f\n51,m\n")
    done = run("init", path, *option)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.fixture
def omop(tmp_path: Path) -> Path:
    """The tables of a database with one condition of each of two people."""
    folder = tmp_path / "omop"
    folder.mkdir()
    for name, text in {
        "person": "person_id,gender_concept_id,year_of_birth,race_concept_id,ethnicity_concept_id\n"
        "1,8507,1950,8527,38003564\n2,8532,1960,8527,38003564\n3,8532,1961,8527,38003564\n",
        "condition_occurrence": "person_id,condition_concept_id,condition_start_date\n"
        "1,12,2020-01-01\n2,12,2020-01-02\n",
        "concept": "concept_id,concept_name\n12,Influenza\n",
    }.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_policy_is_drafted_only_for_tables_of_a_format_that_can_be_read(run, omop: Path) -> None:
    (omop / "concept.csv").rename(omop / "names.txt")
    path = omop / "first.toml"
    done = run("init", omop, "--policy", path)
    assert done.exit_code == 2
    assert "there is no table CONCEPT" in done.stderr
    assert "add CONCEPT.csv" in done.stderr
    assert not path.exists()
    (omop / "names.txt").rename(omop / "concept.csv")
    done = run("init", omop, "--policy", path)
    assert done.exit_code == 0, done.stderr
    assert "1 person has no condition" in done.stderr
    assert path.exists()


def test_json_lists_the_roles_of_a_format(run, omop: Path) -> None:
    path = omop / "first.toml"
    document = json.loads(run("init", omop, "--policy", path, "--json").stdout)
    assert (document["format"], document["person"]) == ("omop", "person_id")
    found = {item["attribute"]: item for item in document["attributes"]}
    assert found["condition"]["role"] == "sensitive"
    assert found["year_of_birth"]["hierarchy"] == {"intervals": {"width": 5}}
    assert {"kind", "missing_tokens", "why"} <= found["zip"].keys()


def test_options_that_say_how_a_file_is_read_are_refused_where_they_have_no_effect(
    run, table: Path, policy: Path, omop: Path
) -> None:
    path = omop / "first.toml"
    done = run("init", omop, "--policy", path, "--separator", ";", "--skip-rows", 1)
    assert done.exit_code == 2
    assert "source.separator: the format 'omop' says itself how it is read" in done.stderr
    assert "source.skip_rows: the format 'omop' says itself how it is read" in done.stderr
    done = run("init", omop, "--policy", path, "--engine", "duckdb")
    assert "leave --engine and --memory out" in done.stderr
    assert not path.exists()
    done = run("init", table, "--check", policy, "--separator", ";", "--skip-rows", 1)
    assert done.exit_code == 2
    told = f"--separator, --skip-rows cannot be combined with --check {policy}"
    assert told in done.stderr.replace("\n", " ")


def test_a_table_is_drafted_for_where_it_is(run, table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for at in range(2):
        (folder / f"{at}.csv").write_text(table.read_text("utf-8"), encoding="utf-8")
    path = tmp_path / "first.toml"
    done = run("init", folder, "--policy", path, "--engine", "duckdb", "--memory", "1GB")
    assert done.exit_code == 0, done.stderr
    command = shlex.split(done.output.splitlines()[-1])
    assert command[5:9] == ["--engine", "duckdb", "--memory", "1GB"]
    done = run(*command[1:-1], tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    asked = ["init", folder, "--check", path, "--json", "--engine", "duckdb"]
    assert json.loads(run(*asked).stdout)["attributes"] == []
    refused = run("init", table, "--policy", tmp_path / "x.toml", "--memory", "much")
    assert refused.exit_code == 2
    assert "write 2GB" in refused.stderr
