"""What other methods keep, beside the one asked for."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.release.certificate import Certificate
from indistinct.verbs import alternatives as verb

NAMES = [
    "as asked",
    "one level per attribute",
    "levels by record",
    "ranges by class",
    "ranges by nearest records",
]


def table(records: int = 300) -> pl.DataFrame:
    random = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "age": [97, *random.integers(20, 60, records - 1).tolist()],
            "ward": random.choice(["a", "b", "c"], records),
            "ill": random.choice(["flu", "gout"], records),
        }
    )


def policy(**method: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ward": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": method,
    }


def test_others_are_told_beside_the_one_asked_for():
    found = ind.alternatives(table(), policy())
    assert [item.name for item in found.tried] == NAMES
    asked, levels, local, mondrian, _ = found.tried
    assert "age" in asked.lost
    assert levels.left_out is not None
    assert levels.left_out > 0 == asked.left_out == local.left_out == mondrian.left_out
    assert all(item.kept is not None for item in found.tried)
    assert found.recommended not in {None, 0}


def test_each_figure_is_that_of_a_run_by_itself():
    found = ind.alternatives(table(), policy(suppression_limit=0.02))
    for item in found.tried[1:]:
        alone = ind.anonymize(table(), policy(**item.method))
        assert item.kept == pytest.approx(1 - alone.measures["loss-arithmetic"])
        assert item.left_out == alone.run.to_dict()["suppressed"] / 300


def test_what_is_asked_is_not_tried_twice_and_pairs_only_of_few(monkeypatch):
    monkeypatch.setattr(verb, "MANY", 299)
    found = ind.alternatives(table(), policy(algorithm="mondrian"))
    assert [item.name for item in found.tried] == ["as asked", *NAMES[1:3]]
    assert found.recommended == 0


def test_a_method_that_has_no_release_says_why():
    keys = policy(suppression_limit=0.05)
    keys["attributes"]["age"]["min_level"] = 1
    found = ind.alternatives(table(), keys)
    refused = {item.name: item.why_not for item in found.tried if item.kept is None}
    assert refused == {"ranges by class": "other-algorithm", NAMES[4]: "other-algorithm"}
    assert found.tried[found.recommended or 0].kept is not None


def test_of_two_linked_tables_there_are_none():
    keys = policy(algorithm="anatomy")
    keys["source"] = {"person": "who"}
    keys["attributes"]["who"] = {"role": "identifier"}
    keys["promises"] = [{"model": "max-posterior", "bound": 0.6, "unit": "person"}]
    with pytest.raises(ind.PolicyError) as caught:
        ind.alternatives(table().with_row_index("who"), keys)
    assert [problem.code for problem in caught.value.problems] == ["no-alternatives"]


def test_the_command_shows_them_and_writes_one_release(run, tmp_path: Path):
    file, asked = tmp_path / "t.csv", tmp_path / "p.toml"
    table().write_csv(file)
    asked.write_text(
        '[attributes.age]\nrole = "quasi-identifier"\nhierarchy = { intervals = { width = 5 } }\n'
        '[attributes.ward]\nrole = "quasi-identifier"\n[attributes.ill]\nrole = "sensitive"\n'
        '[[promises]]\nmodel = "k-anonymity"\nk = 5\n'
    )
    out = tmp_path / "out"
    result = run("anonymize", file, "--policy", asked, "--out", out, "--alternatives")
    assert result.exit_code == 0, result.stderr
    assert "recommended: " in result.stdout
    assert all(name in result.stdout for name in NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "p.toml", "t.csv"]
    document = run(
        "anonymize", file, "--policy", asked, "--out", tmp_path / "o2", "--alternatives", "--json"
    )
    told = json.loads(document.stdout)
    assert [item["name"] for item in told["alternatives"]] == NAMES
    assert told["alternatives"][told["recommended"]]["kept"] > told["alternatives"][0]["kept"]


def test_a_notebook_shows_the_first_rows_of_a_release():
    release = ind.anonymize(table(), policy(algorithm="mondrian"))
    shown = release._repr_html_()
    assert "release, the first 5 rows" in shown
    assert "".join(f"<th>{name}</th>" for name in ("age", "ward", "ill")) in shown
    assert shown.count("<tr>") > 6


def test_a_release_shows_its_warnings_first():
    """Whoever makes releases in a notebook sees what the command line prints."""
    release = ind.anonymize(table(), policy(algorithm="mondrian"))
    first, count = release.warnings[0], len(release.warnings)
    assert repr(release).endswith(f"; {count} warnings, first: {first}>")
    shown = html.unescape(release._repr_html_())
    assert all(shown.count(text) == 1 for text in release.warnings)
    place = shown.index(f"{count} warnings, for the custodian alone")
    assert place < shown.index(first) < shown.index("release, the first 5 rows")
    quiet = replace(release, run=replace(release.run, warnings=(), certificate=quiet_of(release)))
    assert "warning" not in repr(quiet) + quiet._repr_html_()


def quiet_of(release: ind.Release) -> Certificate:
    return replace(release.certificate, warnings=())
