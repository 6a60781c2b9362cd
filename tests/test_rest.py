"""``rest``: what becomes of the columns that a policy does not list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind

TABLE = pl.DataFrame(
    {
        "age": [30, 31, 32, 33] * 5,
        "ill": ["flu", "gout"] * 10,
        "note": ["a", "b"] * 10,
        "x": [1] * 20,
    }
)


def keys(rest: str | None = None) -> dict[str, Any]:
    own = {} if rest is None else {"rest": rest}
    return own | {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 5}],
    }


def test_it_is_dropped_or_kept():
    assert ind.anonymize(TABLE, keys("drop")).tables.columns == ["age", "ill"]
    assert ind.anonymize(TABLE, keys("keep")).tables.columns == TABLE.columns


def test_without_it_every_column_has_a_role_and_the_remedy_works():
    with pytest.raises(ind.PolicyError) as caught:
        ind.anonymize(TABLE, keys())
    (problem,) = caught.value.problems
    assert problem.remedy is not None
    assert 'rest = "drop"' in problem.remedy


@pytest.mark.parametrize("rest", ["drop", "keep"])
def test_every_verb_takes_it(rest: str):
    policy = ind.Policy.from_dict(keys(rest))
    release = ind.anonymize(TABLE, policy)
    assert ind.audit(release.tables, policy).holds
    assert ind.compare(TABLE, release, policy=policy).releases
    assert ind.attack(TABLE, release, policy, only=["membership"]).to_dict()["attacks"]
    assert ind.assess(TABLE, policy).to_dict()["leakage"]
    assert ind.risk(TABLE, policy).to_dict()["prosecutor"]


VERBS = {
    "anonymize": ind.anonymize,
    "assess": ind.assess,
    "attack": lambda table, policy: ind.attack(table, table, policy),
    "compare": lambda table, policy: ind.compare(table, table, policy=policy),
    "explore": ind.explore,
    "quasi": ind.quasi,
    "risk": ind.risk,
}


@pytest.mark.parametrize("verb", VERBS)
def test_how_a_file_is_read_is_not_said_of_a_frame(verb: str):
    said = keys("drop") | {"source": {"separator": ";", "encoding": "cp1252"}}
    with pytest.raises(
        ind.DataError, match=r"has no effect on a frame: separator, encoding"
    ) as one:
        VERBS[verb](TABLE, said)
    assert [problem.code for problem in one.value.problems] == ["no-file"]


def test_what_was_said_of_the_file_of_a_frame_stays(tmp_path: Path):
    said, path = keys("drop") | {"source": {"separator": ";"}}, tmp_path / "people.csv"
    with pytest.raises(ind.DataError, match="there is no such file"):
        ind.anonymize(TABLE, said, path=path)
    TABLE.write_csv(path, separator=";")
    assert ind.anonymize(TABLE, said, path=path).tables.height == TABLE.height
    for refusing in (ind.assess, ind.risk):
        with pytest.raises(ind.DataError, match="no effect on a frame: separator"):
            refusing(TABLE, source={"separator": ";"})


def test_a_policy_is_not_changed_by_a_table():
    policy = ind.Policy.from_dict(keys("keep"))
    ind.anonymize(TABLE, policy)
    assert list(policy.attributes) == ["age", "ill"]
    assert ind.anonymize(TABLE.drop("x"), policy).tables.columns == ["age", "ill", "note"]


def test_what_is_kept_is_warned_about_as_if_it_were_listed():
    table = TABLE.with_columns(x=pl.int_range(20))
    warnings = ind.anonymize(table, keys("keep")).warnings
    assert any("nearly unique" in text and "'x'" in text for text in warnings)


@pytest.mark.parametrize("rest", ["hide", ["drop"], {"drop": True}])
def test_other_words_are_refused(rest: Any):
    with pytest.raises(ind.PolicyError, match="rest: must be 'drop' or 'keep'"):
        ind.Policy.from_dict(keys(rest))


def test_it_is_written_and_read_and_checked(run, tmp_path: Path):
    policy = ind.Policy.from_dict(keys("drop"))
    file, data = tmp_path / "p.toml", tmp_path / "t.csv"
    file.write_text(policy.to_toml())
    TABLE.write_csv(data)
    assert ind.Policy.load(file) == policy
    out = tmp_path / "out"
    result = run("anonymize", data, "--policy", file, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert (out / "release.csv").read_text().splitlines()[0] == "age,ill"
    assert run("init", data, "--check", file).exit_code == 0
