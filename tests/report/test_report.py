"""Reports say what certificate and run say; the public one says what everybody can count."""

from __future__ import annotations

import errno
import html
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from html.parser import HTMLParser
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.golden.cases import CASES
from tests.golden.replay import _data, _policy
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.document import parameters, share, shown
from indistinct.report.outlines import outlines
from indistinct.warning_kinds import Kind

KINDS = (
    "optimal",
    "mondrian",
    "theta",
    "linked",
    "person",
    "keep",
    "decoys",
    "noise",
    "transform",
    "km-anonymity",
    "k-map",
)


def cases() -> list[str]:
    """Of every kind of release the first golden case that is written down as such."""
    able = [name for name, case in CASES.items() if case.verb == "anonymize"]
    text = {name: json.dumps(CASES[name].policy, default=str) + name for name in able}
    found = {kind: [name for name in able if kind in text[name]] for kind in KINDS}
    assert all(found.values()), {kind for kind in KINDS if not found[kind]}
    return list(dict.fromkeys(name for names in found.values() for name in names[:2]))


def made(name: str, folder: Path) -> ind.Release | None:
    try:
        return ind.anonymize(_data(CASES[name], folder), _policy(CASES[name], folder, 0))
    except ind.Unsatisfiable:
        return None


def test_warnings_stand_below_their_kinds_and_people_are_counted(tmp_path: Path) -> None:
    rows = [(f"P{i % 40}", 20 + i % 40 % 4, "ab"[i % 3 == 0]) for i in range(100)]
    table = pl.DataFrame(rows, schema=["who", "age", "ill"], orient="row")
    policy = {
        "source": {"person": "who"},
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"seed": 1},
    }
    release = ind.anonymize(table, policy)
    kinds = Counter(Kind(kind) for kind in release.run.to_dict()["warning_kinds"])
    assert len(kinds) > 1
    page = re.sub(r"<[^>]*>", "\n", release.report())
    places = [re.search(rf"\n{n} warnings? on {kind.title}\n", page) for kind, n in kinds.items()]
    assert all(places)
    assert [one.start() for one in places if one] == sorted(one.start() for one in places if one)
    assert re.search(r"\n40 of 40\s+people published\n", page)
    assert "0 of 40 people are suppressed (0%). 0 of 100 records are suppressed (0%)." in page
    assert "\nhighest risk of a person (R2)\n" in page
    assert "\npeople with a risk above 0.09 (R1)\n" in page
    public = release.report(public=True)
    assert "people published" not in public


@pytest.mark.parametrize("name", cases())
@pytest.mark.filterwarnings("ignore")
def test_a_public_report_is_made_of_the_published_files_alone(name: str, tmp_path: Path) -> None:
    release = made(name, tmp_path)
    if release is None:
        return
    out = release.write(tmp_path / "out")
    written = (out / "report.html").read_text(encoding="utf-8")
    assert (out / "private" / "report.html").stat().st_mode & 0o777 == 0o600
    shutil.rmtree(out / "private")
    ind.write_report(out, public=True)
    assert (out / "report.html").read_text(encoding="utf-8") == written
    for template in outlines():
        for public in (True, False):
            page = release.report(public=public, template=template)
            assert page == release.report(public=public, template=template)
            assert_well_formed(page)
            assert_every_figure_is_explained(page)
    private = release.report()
    certificate = release.certificate.to_dict()
    made_up = {"noise", "decoys"} & {*certificate["may_contain"]}
    assert_figures_are_those_of(certificate, written, classes=True)
    assert_figures_are_those_of(release.run.to_dict(), private, classes=not made_up)
    assert_figures_of_the_run(release.run.to_dict(), private)


def test_of_many_attributes_those_that_others_know_are_listed_first() -> None:
    """200 columns would hide them; the others are behind a line."""
    many = {f"v{at}": ["x", "y"] * 10 for at in range(50)}
    frame = pl.DataFrame({"age": [40, 41] * 10, **many})
    roles: dict[str, Any] = {name: {"role": "insensitive"} for name in many}
    roles["age"] = {"role": "quasi-identifier", "hierarchy": "suppress"}
    few = {name: roles[name] for name in ("age", "v1", "v2")}
    for asked, folded in ((roles, True), (few, False)):
        release = ind.anonymize(
            frame.select(*asked),
            {"attributes": asked, "promises": [{"model": "k-anonymity", "k": 2}]},
        )
        page = release.report()
        assert_well_formed(page)
        chapter = page[page.index('id="attributes"') :]
        assert ("<summary>50 others</summary>" in chapter) == folded
        assert chapter.index(">age<") < chapter.index(">v1<")


def rows_of(page: str) -> set[tuple[str, ...]]:
    """What stands side by side in a page: cells of tables, and what is said of terms."""
    rows = re.findall(r"<tr>(.*?)</tr>|<div>(<dt>.*?</dd>)</div>", page, flags=re.DOTALL)
    cells = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>|<d[td]>(.*?)</d[td]>", one or other, re.DOTALL)
             for one, other in rows)  # fmt: skip
    return {tuple(text_of(one or other).strip() for one, other in row) for row in cells}


def assert_figures_are_those_of(account: Mapping[str, Any], page: str, *, classes: bool) -> None:
    """What anybody may know: promises, classes, and which files they are of."""
    told = rows_of(page)
    verdicts = {True: "kept", False: "BROKEN", None: "not verifiable"}
    for item in account["promises"]:
        of = f" of {item['sensitive']}" if item.get("sensitive") else ""
        asked = {key: one for key, one in item["parameters"].items() if one is not None}
        on = ", ".join(item.get("on") or ("all quasi-identifiers",))
        on = "items" if item["model"] == "km-anonymity" else on
        verdict = verdicts[item["holds"]]
        row = (item["model"] + of, parameters(asked), on, verdict, parameters(item["achieved"]))
        assert tuple(text_of(cell).strip() for cell in row) in told
    smallest = account["classes"].get("smallest")
    if smallest and ("smallest", shown(smallest)) in told:
        for name, key in (("classes", "count"), ("on average", "mean"), ("largest", "largest")):
            assert (name, shown(account["classes"][key])) in told
        risks = [row[-1] for row in told if row[0].startswith("highest risk of a ")]
        assert not classes or risks in ([], [share(1 / smallest)])
    assert f"<b>{shown(account['records_published'])}</b>" in page
    for item in account.get("tables", ()):
        assert (item["path"], f"{shown(item['rows'])} rows, SHA-256 {item['sha256']}") in told


def assert_figures_of_the_run(run: Mapping[str, Any], page: str) -> None:
    """What the custodian alone may know: what it cost."""
    told = rows_of(page)
    assert ("records suppressed", shown(run["suppressed"])) in told
    assert ("records of noise", shown(run["added"]["noise"])) in told
    assert ("decoys", shown(run["added"]["decoys"])) in told
    drawn = {(row[0], row[-1]) for row in told}
    for name, value in run["measures"].items():
        if isinstance(value, int | float) and 0 <= value <= 1:
            assert (name, shown(float(value))) in drawn
    for name, item in (run["plan"].get("leakage") or {}).items():
        words = [f"{100 * item[key]:.1f}%" for key in ("before", "after")]
        assert any(row[0] == name and re.findall(r"[\d.]+%", row[1]) == words for row in told), name


class Tags(HTMLParser):
    """What a page loads, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.names.append(tag)
        assert tag not in {"script", "link", "img", "iframe", "object"}
        assert "src" not in found
        assert (found.get("href") or "#").startswith("#")
        self.ids += [found["id"] or ""] if "id" in found else []
        if tag not in {"meta", "line", "polyline", "circle", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and tag not in {"line", "polyline", "circle"}:
            assert self.open.pop() == tag


def assert_well_formed(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert len(tags.ids) == len(set(tags.ids))
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


def assert_every_figure_is_explained(page: str) -> None:
    """A line says what would be alarming, of the chapter and after each picture or map of it."""
    for chapter in re.findall(r'<section class="chapter".*?</section>', page, flags=re.DOTALL):
        _, reading = chapter.split('class="reading">', maxsplit=1)
        parts = re.split(r'</figure>|<table class="heat">', chapter)
        if len(parts) > 1 or 'class="bars' in chapter:
            assert "alarming" in reading.split("</p>")[0]
        after = re.split(r"<details>(?!<summary>(?:figures|this))", parts[-1])[0]
        assert len(parts) == 1 or "alarming" in after, reading[:60]


def patients() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [f"Somebody {at}" for at in range(60)],
            "age": [str(20 + at % 40) for at in range(60)],
            "sex": ["f" if at % 3 else "m" for at in range(60)],
            "<b>ill</b>": [
                "<script>alert(1)</script>" if at % 2 else "flu & co" for at in range(60)
            ],
        }
    )


POLICY: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "<b>ill</b>": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 4}],
    "method": {"suppression_limit": 0.1, "seed": 8_675_309},
}


@pytest.fixture
def release() -> ind.Release:
    return ind.anonymize(patients(), ind.Policy.from_dict(POLICY))


@pytest.fixture
def out(release: ind.Release, tmp_path: Path) -> Path:
    return release.write(tmp_path / "out")


def text_of(page: str) -> str:
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)))


def test_a_public_report_says_nothing_of_the_run(release: ind.Release) -> None:
    run = release.run.to_dict()
    page = text_of(release.report(public=True))
    assert "Somebody 1 " not in page
    for word in (f"{run['seed']}", run["policy_sha256"], "left out (", "optimal", "Attackers"):
        assert word not in page
    assert "records suppressed" not in page
    assert "Public: may travel with the data" in page


def test_what_is_still_at_risk_begins_with_the_most_urgent_warning() -> None:
    table = patients().with_columns(pl.Series("bill", range(1000, 1000 + patients().height)))
    attributes = {**POLICY["attributes"], "bill": {"role": "sensitive"}}
    policy = {**POLICY, "attributes": attributes, "method": {"suppression_limit": 0.1}}
    release = ind.anonymize(table, policy)
    risks = [one for one in release.warnings if one.kind is Kind.RISK]
    assert "'bill'" in risks[0]

    def at_risk(page: str) -> str:
        return html.unescape(page).partition("What is still at risk?")[2].partition("<h2")[0]

    assert f"{risks[0][0].upper()}{risks[0][1:]}." in at_risk(release.report())
    assert risks[0][1:] not in at_risk(release.report(public=True))


@pytest.mark.parametrize(("alone", "chance"), [(2, "1 in 2"), (0, "1 in 5")])
def test_suppressed_records_that_are_kept_are_a_group_that_may_be_small(
    alone: int, chance: str
) -> None:
    table = pl.DataFrame({"age": ["30"] * 10 + ["40"] * 5 + ["90", "95"][:alone]})
    release = ind.anonymize(
        table.with_columns(ill=pl.Series(["flu", "gout"] * 9)[: table.height]),
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
                "ill": {"role": "insensitive"},
            },
            "promises": [{"model": "k-anonymity", "k": 5}],
            "method": {"algorithm": "optimal", "suppression_limit": 0.2},
            "output": {"suppressed": "keep"},
        },
    )
    for public in (True, False):
        page = text_of(release.report(public=public))
        assert f" {chance} the best chance" in page
        assert ("fits no class with 1 in 2: so many" in page) == bool(alone)
        assert ("2 records published as * in every" in page) == bool(alone)


def test_a_public_report_has_no_value_that_the_release_has_not() -> None:
    """Neither of who is left out nor exact quasi-identifiers: it is scanned as a certificate is."""
    rare = {"name": "Somebody else", "age": "97", "sex": "x", "<b>ill</b>": "Kuru"}
    table = pl.concat([patients(), pl.DataFrame([rare])])
    release = ind.anonymize(table, ind.Policy.from_dict(POLICY))
    published = {str(one) for column in release.tables for one in column.to_list()}
    assert "Kuru" not in published
    page = text_of(release.report(public=True))
    assert not [one for one in rare.values() if one != "x" and f" {one} " in page]
    cells = {cell for row in rows_of(release.report(public=True)) for cell in row}
    hidden = {one for column in table for one in column.to_list()} - published
    assert not {one for one in hidden if not one.isdigit()} & cells
    pairs = {(row["age"], row["sex"]) for row in table.iter_rows(named=True)}
    assert not pairs & {row[:2] for row in rows_of(release.report(public=True))}


def test_the_commands_of_a_report_can_be_copied(tmp_path: Path) -> None:
    path = tmp_path / "my patients; old.csv"
    patients().write_csv(path)
    page = text_of(ind.anonymize(path, POLICY).report())
    assert "indistinct anonymize 'my patients; old.csv' --policy" in html.unescape(page)


def test_cells_are_text_and_never_html(release: ind.Release) -> None:
    for public in (True, False):
        page = release.report(public=public)
        assert "<script" not in page
        assert "<b>ill</b>" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_most_exposed_are_named_by_their_rows(release: ind.Release) -> None:
    evidence = release.private["evidence.json"]
    assert isinstance(evidence, dict)
    exposed = evidence["exposed"]
    assert exposed["smallest"] == release.certificate.classes["smallest"]
    table = patients()
    for row, alike, _ in exposed["rows"]:
        own = table.row(row - 1, named=True)
        same = table.filter((pl.col("age") == own["age"]) & (pl.col("sex") == own["sex"]))
        assert same.height == alike
    assert "Who is most exposed" in release.report()
    assert "Who is most exposed" not in release.report(public=True)


def test_templates_order_the_same_evidence(release: ind.Release) -> None:
    plain = text_of(release.report())
    for name, outline in outlines().items():
        page = text_of(release.report(template=name))
        assert outline.title in page
        assert all(heading in page for heading, _, _ in outline.headings)
        if outline.headings:
            assert "cannot certify anything" in page
            assert "How much each attribute identifies people" in page
    assert "cannot certify anything" not in plain
    with pytest.raises(ind.InputError, match="no template 'gdpr'"):
        release.report(template="gdpr")


@pytest.fixture
def run():
    def call(*arguments: object) -> Any:
        return CliRunner().invoke(app, [str(item) for item in arguments])

    return call


def test_the_verb_writes_what_write_wrote(run, out: Path) -> None:
    paths = {True: out / "report.html", False: out / "private" / "report.html"}
    before = {public: path.read_text(encoding="utf-8") for public, path in paths.items()}
    for public, path in paths.items():
        path.unlink()
        result = run("report", out, *["--public"] * public, "--json")
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["path"] == str(path)
        assert path.read_text(encoding="utf-8") == before[public]
    assert paths[False].stat().st_mode & 0o777 == 0o600


def test_a_changed_release_is_reported_as_broken(run, out: Path) -> None:
    table = pl.read_csv(out / "release.csv", infer_schema=False)
    table.with_columns(age=pl.Series([str(at) for at in range(table.height)])).write_csv(
        out / "release.csv"
    )
    run("report", out, "--public")
    assert "Do not publish" in (out / "report.html").read_text(encoding="utf-8")


def test_attackers_are_tried_where_the_table_is_at_hand(run, out: Path, tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "t.csv")
    ind.Policy.from_dict(POLICY)
    (tmp_path / "p.toml").write_text(ind.Policy.from_dict(POLICY).to_toml(), encoding="utf-8")
    private = out / "private" / "report.html"
    assert "No attacker was tried" in private.read_text(encoding="utf-8")
    given = ("--data", tmp_path / "t.csv", "--policy", tmp_path / "p.toml")
    result = run("report", out, *given)
    assert result.exit_code == 0, result.stderr
    page = text_of(private.read_text(encoding="utf-8"))
    assert "No attacker was tried" not in page
    found = json.loads((out / "private" / "evidence.json").read_text(encoding="utf-8"))
    assert all(item["name"] in page for item in found["attacks"]["attacks"])
    together = found["comparison"]["contingency"]
    assert np.sum(together["before"]["counts"]) == patients().height
    assert f"Records by {' and '.join(together['attributes'])}, before" in page
    lost = found["comparison"]["releases"][0]["loss"]["per_attribute"]
    assert all(f"{name} {share(part)}" in page for name, part in lost.items())
    assert_every_figure_is_explained(private.read_text(encoding="utf-8"))
    run("report", out, "--template", "wp216")
    page = text_of(private.read_text(encoding="utf-8"))
    assert "Attackers who infer" in page
    refused = run("report", out, "--public", *given)
    assert refused.exit_code == 2
    (out / "private" / "policy.toml").unlink()
    assert run("report", out, "--data", tmp_path / "t.csv").exit_code == 2


def test_a_full_disk_leaves_what_was_kept_for_reports(
    run, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report and what attackers found are written both, or none."""
    patients().write_csv(tmp_path / "t.csv")
    before = {path: path.read_bytes() for path in (out / "private").iterdir()}
    synced = os.fsync

    def full_disk(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    for after in range(2):
        calls = iter([*[synced] * after, full_disk])
        monkeypatch.setattr(os, "fsync", lambda handle, calls=calls: next(calls)(handle))
        result = run("report", out, "--data", tmp_path / "t.csv")
        assert result.exit_code == 2, result.stderr
        assert "the disk is full; nothing was written" in " ".join(result.stderr.split())
        assert {path: path.read_bytes() for path in (out / "private").iterdir()} == before


def test_reports_can_be_left_out(run, tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "t.csv")
    policy = ind.Policy.from_dict(POLICY).to_toml()
    for at, (more, options) in enumerate(
        [("", ["--no-report"]), ("[output]\nreport = false\n", [])]
    ):
        path = tmp_path / f"p{at}.toml"
        path.write_text(policy + more, encoding="utf-8")
        out = tmp_path / f"out{at}"
        result = run("anonymize", tmp_path / "t.csv", "--policy", path, "--out", out, *options)
        assert result.exit_code == 0, result.stderr
        assert not list(out.rglob("report.html"))
        assert run("report", out).exit_code == 0
        assert (out / "private" / "report.html").is_file()


def test_where_nothing_can_be_released_a_report_says_why(run, tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "t.csv")
    impossible = POLICY | {"promises": [{"model": "k-anonymity", "k": 61}]}
    (tmp_path / "p.toml").write_text(ind.Policy.from_dict(impossible).to_toml(), encoding="utf-8")
    result = run("anonymize", tmp_path / "t.csv", "--policy", tmp_path / "p.toml", "--out",
                 tmp_path / "out", "--refused", tmp_path / "why.html")  # fmt: skip
    assert result.exit_code == 3
    assert not (tmp_path / "out").exists()
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert_well_formed(page)
    assert "the table has only 60 records" in text_of(page)
    assert "remedy" not in text_of(page)
    with pytest.raises(ind.Unsatisfiable) as refused:
        ind.anonymize(patients(), ind.Policy.from_dict(impossible))
    said = {row[-1] for row in rows_of(page)}
    assert {
        f"{item.message}. {item.remedy or ''}".strip() for item in refused.value.problems
    } <= said


def test_without_the_private_account_there_is_the_public_report_alone(run, out: Path) -> None:
    shutil.rmtree(out / "private")
    result = run("report", out)
    assert result.exit_code == 2
    assert "--public" in result.stderr
    assert run("report", out, "--public").exit_code == 0
    (out / "certificate.json").unlink()
    assert run("report", out, "--public").exit_code == 2


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: what holds it, and its key there."""
    for key, item in document.items() if isinstance(document, dict) else enumerate(document):
        yield document, key
        if isinstance(item, dict | list):
            yield from places(item)


@pytest.mark.parametrize("file", ["certificate.json", "private/run.json", "private/evidence.json"])
def test_damaged_documents_are_told_as_such(run, out: Path, file: str) -> None:
    whole = json.loads((out / file).read_text(encoding="utf-8"))
    count = sum(1 for _ in places(whole))
    codes = Counter()
    for at, wrong in zip(range(0, count, count // 20 + 1), cycle([None, 7, "x", []]), strict=False):
        holder, key = next(islice(places(changed := deepcopy(whole)), at, None))
        holder[key] = wrong
        (out / file).write_text(json.dumps(changed), encoding="utf-8")
        told = run("report", out)
        codes[told.exit_code] += 1
        assert told.exit_code in (0, 2), (key, wrong, told.output)
    (out / file).write_text("{", encoding="utf-8")
    assert run("report", out).exit_code == 2
    assert codes[2]


def test_of_many_quasi_identifiers_the_first_answer_names_eight(tmp_path: Path) -> None:
    names = [f"q{at}" for at in range(10)]
    role = {"role": "quasi-identifier", "hierarchy": "suppress"}
    policy = {
        "attributes": dict.fromkeys(names, role),
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    table = pl.DataFrame({name: ["a", "b"] * 4 for name in names})
    ind.anonymize(table, policy).write(tmp_path / "release")
    page = (tmp_path / "release" / "report.html").read_text(encoding="utf-8")
    assert page.count(", ".join(names[:8]) + " and 2 more") == 1
    assert ", ".join(names) in page  # in the chapter on promises


def test_a_report_tells_what_became_of_visits(tmp_path: Path) -> None:
    rows = 240
    table = pl.DataFrame(
        {
            "who": [f"p{at // 2}" for at in range(rows)],
            "age": [str(20 + at // 2 % 40) for at in range(rows)],
            "ward": [f"ward {at % 60}" for at in range(rows)],
            "ill": ["flu" if at % 3 else "asthma" for at in range(rows)],
            "smokes": ["yes" if at % 2 else "no" for at in range(rows)],
        }
    )
    items = [
        {"model": "km-anonymity", "sensitive": name, "k": 2, "m": 1} for name in ("ill", "smokes")
    ]
    policy = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "ward": {"role": "quasi-identifier", "level": "event"},
            "ill": {"role": "sensitive", "hierarchy": "suppress"},
            "smokes": {"role": "sensitive", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}, *items],
        "method": {"algorithm": "mondrian"},
    }
    release = ind.anonymize(table, policy)
    release.write(tmp_path / "out")
    public, private = text_of(release.report(public=True)), text_of(release.report())
    for page in (public, private, text_of((tmp_path / "out" / "report.html").read_text("utf-8"))):
        assert "with 1 attribute that others may know of a person, and 1 of a visit" in page
        assert re.search(r"ward +quasi-identifier", page)
        assert "km-anonymity of ill, smokes (k = 2, m = 1) on items" in page
    assert "Nothing is left of ward of the visits." in private
    assert "Nothing is left of ward" not in public
