"""The documentation says what is so: blocks print what they show, names and links are there."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

import indistinct
from indistinct.analytics.attacks import attackers
from indistinct.cli import app
from indistinct.privacy import models

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "examples" / "README.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "reproductions").glob("*.md")),
]

needs_a_shell = pytest.mark.skipif(
    sys.platform != "linux", reason="the pages use commands of a Linux shell"
)


def module(name: str) -> ModuleType:
    """A script of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


blocks = module("blocks")
reference = module("build_reference")


@needs_a_shell
@pytest.mark.parametrize("page", blocks.pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_print_what_the_page_shows(page: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pandas")
    _, differences = blocks.run_page(page)
    assert "\n".join(map(str, differences)) == ""


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_the_reference_is_up_to_date(name: str) -> None:
    written = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert written == reference.PAGES[name](), "python docs/build_reference.py"


def test_every_public_name_has_an_entry() -> None:
    page = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    assert [name for name in indistinct.__all__ if f"### `{name}`" not in page] == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as hosts of repositories make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        place = page if not file else (page.parent / file).resolve()
        if not place.exists() or (anchor and anchor not in anchors(place)):
            broken.append(target)
    assert broken == []


def in_words(number: int) -> str:
    """A number from ten to ninety-nine."""
    teens = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    ones = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    if number < 20:
        return teens.split()[number - 10]
    ten, one = divmod(number, 10)
    return tens[ten - 2] + (f"-{ones[one - 1]}" if one else "")


def test_the_readme_counts_promises_and_attackers_as_they_are() -> None:
    whole = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(whole.splitlines()) <= 150
    text = " ".join(whole.split())
    own = [kind for kind in models().values() if kind.__module__.startswith("indistinct.")]
    told = re.search(r"any of ([\w-]+) \[promises about sensitive values\]", text)
    assert told is not None
    assert told[1] == in_words(sum(kind.needs_sensitive for kind in own))
    assert "Over twenty [attackers]" in text
    own_attackers = [one for one in attackers().values() if one.__name__.startswith("indistinct.")]
    assert 20 < len(own_attackers) < 30


def test_the_page_on_attacks_says_what_helps_against_every_attacker() -> None:
    page = (DOCS / "how-to" / "attack-a-release.md").read_text(encoding="utf-8")
    table = page[page.index("## The attackers, and what to do") : page.index("## People with")]
    own = [one.NAME for one in attackers().values() if one.__name__.startswith("indistinct.")]
    assert [name for name in own if f"`{name}`" not in table] == []


def test_the_readme_is_read_in_minutes() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    end = text[text.index("## Read on") :]
    assert len(re.findall(r"^\* ", end, flags=re.M)) == 4
    assert "<picture>" in text


def test_every_page_can_be_reached_from_the_readme() -> None:
    assert "(docs/README.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    index = DOCS / "README.md"
    links = re.findall(r"\]\(([^)\s#]+)\)", index.read_text(encoding="utf-8"))
    linked = {(DOCS / link).resolve() for link in links}
    found = [*DOCS.rglob("*.md"), *(ROOT / "reproductions").glob("*.md")]
    assert [page for page in found if page != index and page not in linked] == []


def test_the_site_leads_to_every_page() -> None:
    site = module("site")
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    led = {page for links in site.sections(index).values() for _, page in links}
    assert {page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md")} <= {
        *led,
        "docs/README.md",
    }
    assert all((ROOT / page).exists() for page in led)


def documents(folder: Path) -> dict[str, dict[str, Any]]:
    """What every verb prints with ``--json``, and the files of a run."""
    table, policy, out = "visits.csv", "examples/release.toml", "visits-release"
    commands = {
        "profile": ["init", table, "--policy", "first.toml"],
        "run": ["anonymize", table, "--policy", policy, "--out", out],
        "audit": ["audit", out],
        "assessment": ["assess", table, "--policy", policy, "--release", out, "--exposed", "1"],
        "attack report": ["attack", table, out, "--policy", policy],
        "comparison": ["compare", table, out, "--policy", policy, "--attack"],
        "hierarchy": ["hierarchy", table, "age", "--intervals", "5"],
        "risk": ["risk", table, "--policy", policy, "--population", "4000", "--curve", "2-6",
                 "--standard", "ema,hipaa-safe-harbor"],
        "quasi": ["quasi", table, "--identifiers", "name", "--sensitive", "diagnosis", "--rows",
                  "--accept", "--threshold", "0.3"],
        "paper": ["paper", "victor-lopez"],
    }  # fmt: skip
    found: dict[str, dict[str, Any]] = {}
    for name, words in commands.items():
        done = CliRunner().invoke(app, [*words, "--json"])
        assert done.exit_code == 0, done.output
        found[name] = json.loads(done.stdout)
    found["plan"] = json.loads((folder / out / "private" / "plan.json").read_text())
    found["certificate"] = json.loads((folder / out / "certificate.json").read_text())
    return found


def test_every_key_of_a_document_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    subprocess.run([sys.executable, "examples/visits.py"], cwd=tmp_path, check=True)
    for name, document in documents(tmp_path).items():
        keys = [*document, *document.get("plan", {})]
        if name == "profile":
            keys += document["attributes"][0]
        if name == "assessment":
            keys += [*document["leakage"][0], *document["sensitive"][0], *document["change"]]
        if name == "attack report":
            keys += [key for attack in document["attacks"] for key in (*attack, *attack["figures"])]
            repeated = ("b2_", "c2_", "age.", "sex.", "postcode.", "visit_date.", "smoker.")
            keys = [key for key in keys if not key.startswith(repeated)]
        if name == "comparison":
            keys += [*document["releases"][0], *document["releases"][0]["quality"]]
        if name == "risk":
            point, verdict = document["curve"]["points"][0], document["standards"][0]
            parts = [
                document["classes"], document["prosecutor"], document["marketer"], point, verdict,
                document["population"], document["uniques"], document["uniques"]["population"],
                document["estimated"], document["distribution"][0], document["curve"],
                document["elbow"], document["elbow"]["curves"], verdict["checks"][0],
            ]  # fmt: skip
            parts += list(document["elbow"]["curves"].values())
            keys += [key for part in parts for key in part]
        if name == "quasi":
            graph = document["graph"]
            parts = [
                document["cuts"], document["why"][0], graph, graph["nodes"][0], graph["edges"][0],
                document["ranking"][0], document["sets"][0],
            ]  # fmt: skip
            keys += [key for part in parts for key in part]
        if name == "paper":
            keys += [*document["items"][0], *document["tables"][0], *document["left_out"][0]]
        assert [key for key in keys if f"`{key}`" not in page] == [], name


def test_every_promise_can_be_chosen() -> None:
    page = (DOCS / "how-to" / "choose-a-method.md").read_text(encoding="utf-8")
    own = [name for name, kind in models().items() if kind.__module__.startswith("indistinct.")]
    assert [name for name in own if f"`{name}`" not in page] == []


def added_by_the_architecture(page: str) -> list[tuple[str, str]]:
    """The files that it adds to the package, and what is in them."""
    files = re.findall(r"^```python path=(\S+) skip\n(.*?)^```", page, flags=re.M | re.S)
    assert len(files) == 5
    return files


def test_what_the_architecture_adds_is_linted_and_typed(tmp_path: Path) -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    names = []
    for path, source in added_by_the_architecture(page):
        names.append(str(tmp_path / path.replace("/", "_")))
        Path(names[-1]).write_text(source, encoding="utf-8")
    settings = str(ROOT / "pyproject.toml")
    for tool in (
        ["ruff", "check", "--quiet", "--config", settings, "--ignore", "INP001"],
        ["ruff", "format", "--quiet", "--check", "--config", settings],
        ["mypy", "--no-error-summary", "--config-file", settings],
    ):
        start = [sys.executable, "-m", *tool, *names]
        done = subprocess.run(start, capture_output=True, text=True, cwd=ROOT, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_what_the_architecture_adds_is_one_file_each(tmp_path: Path) -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    package = tmp_path / "indistinct"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "indistinct", package, ignore=ignored)
    for path, source in added_by_the_architecture(page):
        (package / path).write_text(source, encoding="utf-8")
    promise = re.findall(r"^```toml\n(\[\[promises\]\].*?)^```", page, flags=re.M | re.S)
    policy = (ROOT / "examples" / "release.toml").read_text(encoding="utf-8")
    (tmp_path / "release.toml").write_text(f"{policy}\n{promise[0]}", encoding="utf-8")
    script = f"""
import sys
sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT / "examples")!r}]
from pathlib import Path
import polars as pl
import indistinct as ind
from indistinct.sources.files import read_table
from visits import write
write("visits.csv")
policy = ind.Policy.load("release.toml")
release = ind.anonymize("visits.csv", policy)
verdict = ind.audit(release.tables, policy)
assert ind.__file__.startswith({str(tmp_path)!r})
print(verdict.holds, verdict.promises[1].achieved["bound"] <= 0.8)
(found,) = ind.attack("visits.csv", release.tables, policy, only=["acquaintance"]).attacks
print(0 < found.gain["max"] < 1)
frame = pl.DataFrame({{"patient": [*"abcd"], "sex": "f", "diagnosis": [*"xyxy"]}})
Path("wards").mkdir()
frame.write_csv("wards/ward-1.csv")
asked = {{"source": {{"format": "wards"}}, "promises": [{{"model": "k-anonymity", "k": 4}}]}}
print(ind.anonymize("wards", asked).tables.height)
Path("a.lines").write_text("x\\ny\\n")
print(read_table("a.lines", header=True)["line"].to_list())
"""
    # Kernels of the copy would be compiled anew.
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    start = [sys.executable, "-c", script]
    done = subprocess.run(
        start, capture_output=True, text=True, cwd=tmp_path, env=plain, check=False
    )
    assert done.stdout.split() == ["True", "True", "True", "4", "['x',", "'y']"], done.stderr
