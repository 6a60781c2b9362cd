"""Drafts and releases of a survey in a file of SPSS, whose columns have titles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest

import indistinct as ind
from indistinct.errors import DataError


def survey(rows: int = 400) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "V1": [f"{at * 7919 % 100_003:06d}" for at in range(rows)],
            "V2": [float(15 + at % 60) for at in range(rows)],
            "V3": [float(1 + at % 3) for at in range(rows)],
            "V4": [float(at // 7 % 2) for at in range(rows)],
            "V5": [float(at * 31 % 1997) for at in range(rows)],
        }
    )


SURVEY_TITLES = {
    "V1": "Name of the patient",
    "V2": "Respondent's current age",
    "V3": "Region",
    "V4": "Ever been tested for HIV",
    "V5": "How many of all the people in your house have had a job for more than a year at any age",
}


def test_a_draft_reads_titles(tmp_path: Path, run: Any) -> None:
    labels = {"V3": {1: "North", 2: "South", 3: "East"}, "V4": {0: "No", 1: "Yes"}}
    path, policy = tmp_path / "survey.sav", tmp_path / "survey.toml"
    pyreadstat.write_sav(
        survey(), str(path), column_labels=SURVEY_TITLES, variable_value_labels=labels
    )
    assert run("init", path, "--policy", policy).exit_code == 0
    drafted = ind.Policy.load(policy)
    roles = {name: own.role for name, own in drafted.attributes.items()}
    assert roles["V1"] == "identifier"
    assert roles["V2"] == roles["V3"] == "quasi-identifier"
    assert roles["V4"] == "sensitive"
    text = policy.read_text()
    assert '# "Respondent\'s current age"\n# its title says age' in text
    release = ind.anonymize(path, policy)
    assert set(release.tables["V4"]) == {"Yes", "No"}
    for known in (None, text):
        assert ind.workbench(path, known).profile["V4"].title == SURVEY_TITLES["V4"]
    assert [item["role"] for item in ind.assess(path).to_dict()["suggested"]] == [
        item.role for item in ind.workbench(path).profile.attributes
    ]


def test_a_draft_and_a_run_keep_numbers_where_that_is_said(tmp_path: Path, run: Any) -> None:
    path, policy = tmp_path / "survey.sav", tmp_path / "survey.toml"
    labels = {"V3": {1: "North", 2: "South", 3: "East"}}
    pyreadstat.write_sav(survey(), str(path), variable_value_labels=labels)
    assert run("init", path, "--policy", policy, "--no-labels").exit_code == 0
    assert ind.Policy.load(policy).source.labels is False
    keys = {
        "source": {"labels": False},
        "attributes": {
            "V1": {"role": "identifier"},
            "V2": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 20}}},
            **{name: {"role": "insensitive"} for name in ("V3", "V4", "V5")},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    assert set(ind.anonymize(path, keys).tables["V3"]) == {1, 2, 3}
    with pytest.raises(DataError, match="has no effect on a frame: labels"):
        ind.anonymize(survey(), keys)
