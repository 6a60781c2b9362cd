"""The policy that a release keeps serves where none is named."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

import indistinct as ind
from indistinct.errors import DataError, IndistinctError, InputError, PolicyError
from indistinct.types import Plain

Run = Callable[..., Result]

TABLE = pl.DataFrame(
    {
        "age": [20 + at % 30 for at in range(90)],
        "sex": ["f", "m", "m"] * 30,
        "ill": ["flu", "gout", "hiv", "flu", "gout"] * 18,
    }
)
POLICY: Plain = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
        "sex": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 3}],
    "method": {"seed": 1},
}
STRICTER: Plain = {**POLICY, "promises": [{"model": "k-anonymity", "k": 10}]}


def with_sex(own: Plain) -> Plain:
    """The policy with another section of the sex."""
    return {**POLICY, "attributes": {**POLICY["attributes"], "sex": own}}


def made(folder: Path, keys: Plain = POLICY) -> Path:
    """A release of the table in a folder, which keeps its policy."""
    return ind.anonymize(TABLE, keys).write(folder)


def code(error: IndistinctError) -> str:
    """The code of the one problem."""
    return error.problems[0].code


def test_attackers_read_a_folder_and_a_release_by_their_own_policy(tmp_path: Path) -> None:
    given = ind.attack(TABLE, made(tmp_path / "a"), POLICY)
    found = ind.attack(TABLE, tmp_path / "a")
    assert found.attacks == given.attacks
    place = tmp_path / "a" / "private" / "policy.toml"
    assert found.notes == (f"the policy is the one it was made with: {place}", *given.notes)
    alone = ind.attack(TABLE, tmp_path / "a" / "release.csv")
    assert alone.notes[0] == found.notes[0]
    held = ind.attack(TABLE, ind.anonymize(TABLE, POLICY))
    assert held.notes[0] == "the policy is the one it was made with: its own"


def test_the_first_that_keeps_a_policy_serves_and_others_are_said(tmp_path: Path) -> None:
    one, other = made(tmp_path / "a"), made(tmp_path / "b", STRICTER)
    bare = pl.read_csv(one / "release.csv")
    found = ind.compare(TABLE, {"bare": bare, "one": one, "other": other, "again": one})
    given = ind.compare(
        TABLE, {"bare": bare, "one": one, "other": other, "again": one}, policy=POLICY
    )
    first, differs = "the policy is the one it was made with: ", "it was made with another policy"
    for name, begins in (("one", first), ("other", differs)):
        assert found[name].notes[0].startswith(begins)
        assert found[name].notes[1:] == given[name].notes
    assert found["bare"].notes == given["bare"].notes
    assert found["again"].notes == given["again"].notes
    assert found["other"].utility.ncp == given["other"].utility.ncp
    attacked = ind.attack(TABLE, one, second=other)
    assert f"second release: {found['other'].notes[0]}" in attacked.notes


def test_a_report_takes_the_policy_of_its_folder(tmp_path: Path) -> None:
    folder = made(tmp_path / "a")
    ind.write_report(folder, data=TABLE)
    kept = json.loads((folder / "private" / "evidence.json").read_text(encoding="utf-8"))
    assert kept["attacks"]["attacks"]
    with pytest.raises(InputError, match="attackers need the private table") as caught:
        ind.write_report(folder, policy=POLICY)
    assert code(caught.value) == "table-and-policy"


def test_without_a_policy_anywhere_it_is_refused_with_what_to_write(tmp_path: Path) -> None:
    folder = made(tmp_path / "a")
    shutil.rmtree(folder / "private")
    for ask in (
        lambda: ind.attack(TABLE, folder),
        lambda: ind.compare(TABLE, folder),
        lambda: ind.attack(TABLE, pl.read_csv(folder / "release.csv")),
    ):
        with pytest.raises(PolicyError, match="the release keeps none in") as caught:
            ask()
        assert code(caught.value) == "no-policy"
        assert "--policy FILE" in str(caught.value)


def test_a_release_where_the_table_belongs_is_refused_with_the_order(tmp_path: Path) -> None:
    folder = made(tmp_path / "a")
    table = tmp_path / "table.csv"
    TABLE.write_csv(table)
    for ask in (ind.attack, ind.compare):
        for policy in (None, POLICY):
            with pytest.raises(DataError, match="the folder of a release, where the private table"):
                ask(folder, table, policy=policy)


def test_a_release_that_is_not_there_is_told_before_its_policy(tmp_path: Path) -> None:
    for ask in (ind.attack, ind.compare):
        with pytest.raises(DataError, match="there is no such file or folder") as caught:
            ask(TABLE, tmp_path / "rel")
        assert code(caught.value) == "missing-file"


def test_hierarchies_of_python_are_not_kept(tmp_path: Path) -> None:
    tree = ind.Taxonomy("sex", [("f", "*"), ("m", "*")])
    keys = with_sex({"role": "quasi-identifier", "hierarchy": tree})
    folder = made(tmp_path / "a", keys)
    with pytest.raises(PolicyError, match="were made in Python") as caught:
        ind.attack(TABLE, folder)
    assert code(caught.value) == "bad-toml"


def test_files_that_it_names_are_looked_for_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    own = {"role": "quasi-identifier", "hierarchy": {"file": "sex.csv"}}
    keys = with_sex(own)
    folder = made(tmp_path / "a", keys)
    assert ind.attack(TABLE, folder).attacks
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(IndistinctError, match=r"sex\.csv"):
        ind.attack(TABLE, folder)


def test_the_command_line_says_which_policy(run: Run, tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    folder = made(tmp_path / "a")
    for verb in ("attack", "compare"):
        done = run(verb, tmp_path / "t.csv", folder)
        assert done.exit_code == 0, done.stderr
        assert "the policy is the one it was made with:" in " ".join(done.stderr.split())
        refused = run(verb, tmp_path / "t.csv", tmp_path / "t.csv")
        assert refused.exit_code == 2, refused.stderr
        assert "no policy is named" in refused.stderr


def kept_text(folder: Path) -> str:
    return (folder / "private" / "policy.toml").read_text(encoding="utf-8")


def test_a_release_keeps_the_policy_that_it_was_made_with(tmp_path: Path) -> None:
    """And not what its file says by then, nor the file that another policy was made from."""
    file = tmp_path / "policy.toml"
    text = f"# as it was written\r\n{ind.Policy.from_dict(POLICY).to_toml()}"
    file.write_bytes(text.encode())
    digest = hashlib.sha256(file.read_bytes()).hexdigest()

    def edited(stage: str, _: float | None) -> None:
        if stage == "publishing":
            file.write_text(text.replace("k = 3", "k = 10"), encoding="utf-8")

    release = ind.anonymize(TABLE, file, progress=edited)
    assert kept_text(release.write(tmp_path / "a")) == text.replace("\r\n", "\n")
    assert release.run.policy_sha256 == digest
    file.write_bytes(text.encode())
    policy = ind.Policy.load(file)
    (point,) = ind.explore(TABLE, policy, k=7).points
    assert "k = 7" in kept_text(ind.anonymize(TABLE, point.policy).write(tmp_path / "b"))
    other = policy.model_copy(update={"rest": "drop"})
    assert 'rest = "drop"' in kept_text(ind.anonymize(TABLE, other).write(tmp_path / "c"))
    assert ind.anonymize(TABLE, other).run.policy_sha256 != digest
    file.unlink()
    assert kept_text(ind.anonymize(TABLE, policy).write(tmp_path / "d")).startswith("# as it was")
