"""``indistinct quasi`` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]

LINKS = """
[attributes.age]
role = "insensitive"
[attributes.sex]
role = "insensitive"
[attributes.zip]
role = "quasi-identifier"
weight = 2.0
[attributes.diagnosis]
role = "sensitive"
[[links]]
from = "name"
to = "voter number"
source = "list of voters"
[[links]]
from = "voter number"
to = ["age", "zip"]
source = "list of voters"
[[links]]
from = ["age", "zip"]
to = "diagnosis"
"""


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """Roles and links for the table; no promise yet."""
    path = tmp_path / "links.toml"
    path.write_text(LINKS, encoding="utf-8")
    return path


def test_on_the_screen(run: Run, table: Path, links: Path) -> None:
    done = run("quasi", table, "--policy", links, "--identifiers", "name")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "patients.csv: ways from name to diagnosis"
    assert any(line.startswith("name – voter number (outside)") for line in lines)
    assert any(line.startswith("age ") and "source, sink" in line for line in lines)
    assert "if what is outside could be cut" in done.stdout
    assert "compared with other rankings" in lines
    assert "separates identifiers from" in done.stdout
    assert "[[links]]" in done.stdout
    assert 'to = "sex"' in done.stdout
    assert "note: age: insensitive so far" in done.stderr


def test_the_document(run: Run, table: Path, links: Path) -> None:
    done = run("quasi", table, "--policy", links, "--identifiers", "name", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["quasi_identifiers"] == ["age", "zip"]
    assert set(document["cuts"]) == {"source_side", "sink_side", "union", "single"}
    assert document["variants"] == []
    assert document["anywhere"]["single"] == ["voter number"]
    assert {item["attribute"] for item in document["why"]} == {"age", "zip"}
    assert document["graph"]["edges"][0]["source"] == "list of voters"
    kinds = {item["name"]: item["kind"] for item in document["graph"]["nodes"]}
    assert kinds["voter number"] == "outside"


def test_options_for_the_graph(run: Run, table: Path, links: Path, tmp_path: Path) -> None:
    club = tmp_path / "club.csv"
    club.write_text("name,sex\nA,f\n", encoding="utf-8")
    asked = ("--policy", links, "--identifiers", "name", "--json")
    done = run("quasi", table, *asked, "--published", club, "--rows")
    assert json.loads(done.stdout)["quasi_identifiers"] == ["age", "sex", "zip"]
    done = run("quasi", table, *asked, "--weights")
    assert json.loads(done.stdout)["cost"] == 3.0
    done = run("quasi", table, *asked, "--accept", "--threshold", 0.9)
    document = json.loads(done.stdout)
    assert document["threshold"] == 0.9
    assert document["proposed"] == []


def test_without_a_policy(run: Run, table: Path) -> None:
    done = run("quasi", table, "--identifiers", "name", "--accept", "--rows")
    assert done.exit_code == 0, done.output
    assert "roles are suggested ones" in done.stderr
    # Links of a value to what stands beside it are one line, whatever the number of columns.
    (beside,) = [line for line in done.stdout.splitlines() if line.endswith("  in one record")]
    assert beside.split("  ")[0].endswith(" columns – diagnosis")
    assert any(
        line.startswith("sex ") and "source, sink" in line for line in done.stdout.splitlines()
    )
    bare = run("quasi", table)
    assert bare.exit_code == 0
    assert "paths start at (somebody)" in bare.stderr


def test_without_a_way_it_says_how_to_begin(run: Run, table: Path, tmp_path: Path) -> None:
    policy = tmp_path / "bare.toml"
    policy.write_text(LINKS.partition("[[links]]")[0] + '[attributes.mrn]\nrole = "identifier"\n')
    named = tmp_path / "named.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    numbered = [f"{line},{at or 'mrn'}" for at, line in enumerate(lines)]
    named.write_text("\n".join(numbered) + "\n", encoding="utf-8")
    done = run("quasi", named, "--policy", policy, "--graph-only")
    assert done.exit_code == 0, done.output
    assert "warning: the answer rests on the stated links alone" in done.stderr
    assert "no quasi-identifiers: no way leads to anything sensitive" in done.stdout
    assert "as [[links]] of a policy" in done.stdout
    assert "--accept takes the proposals" in done.stdout


def test_pictures(run: Run, table: Path, links: Path, tmp_path: Path) -> None:
    asked = ("--policy", links, "--identifiers", "name")
    done = run("quasi", table, *asked, "--mermaid")
    assert done.stdout.startswith("flowchart LR\n")
    svg = tmp_path / "graph.svg"
    done = run("quasi", table, *asked, "--plot", svg)
    assert done.exit_code == 0, done.output
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    again = run("quasi", table, *asked, "--plot", svg)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert run("quasi", table, *asked, "--plot", svg, "--force").exit_code == 0
    assert run("quasi", table, *asked, "--plot", tmp_path / "graph.gif").exit_code == 2
    pytest.importorskip("vl_convert")
    png = tmp_path / "graph.png"
    assert run("quasi", table, *asked, "--plot", png).exit_code == 0
    assert png.read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_protected_ends_with_3(run: Run, table: Path, links: Path) -> None:
    text = links.read_text(encoding="utf-8")
    links.write_text(
        text + '[[links]]\nfrom = "voter number"\nto = "diagnosis"\nsource = "leak"\n',
        encoding="utf-8",
    )
    done = run("quasi", table, "--policy", links, "--identifiers", "name")
    assert done.exit_code == 3
    assert "name – voter number – diagnosis" in done.stderr
    assert done.stdout == ""


def test_options_that_contradict(run: Run, table: Path, links: Path) -> None:
    done = run("quasi", table, "--policy", links, "--separator", ";", "--json", "--mermaid")
    assert done.exit_code == 2
    assert "--separator cannot be combined" in done.stderr
    assert "--mermaid and --json" in done.stderr
    done = run("quasi", table, "--policy", links, "--identifiers", "name", "--threshold", 2)
    assert done.exit_code == 2
    done = run("quasi", table, "--identifiers", "age", "--sensitive", "diagnosis", "--weights")
    assert done.exit_code == 2
    assert "weights stand in a policy" in done.stderr


def test_a_table_without_identifiers_is_one_of_somebody(run, tmp_path: Path):
    file = tmp_path / "t.csv"
    rows = [f"{30 + at % 7},{'mf'[at % 2]},{'flu' if at % 3 else 'hiv'}" for at in range(40)]
    file.write_text("\n".join(["age,sex,diagnosis", *rows]))
    found = run("quasi", file, "--json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["quasi_identifiers"] == ["age", "sex"]
    assert any("paths start at (somebody)" in note for note in json.loads(found.stdout)["notes"])


def test_where_nothing_is_known_of_anybody_a_start_is_asked_for(run, tmp_path: Path):
    file = tmp_path / "t.csv"
    file.write_text("q,diagnosis\n" + "1,flu\n2,hiv\n" * 9)
    found = run("quasi", file)
    assert found.exit_code == 2
    assert "no identifier: paths to sensitive attributes need a start" in found.stderr
