"""A table whose combinations do not fit is cut where it is: the release is the one of memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding import tables
from tests.recoding.test_first_cuts import Records, published, walked
from tests.sources.suite import TABLES, rows_of

import indistinct as ind
from indistinct.errors import DataError
from indistinct.intake.outline import why_not
from indistinct.policy import Policy
from indistinct.recoding.partition import PartitionSettings, first_cuts, partition
from indistinct.recoding.partition.first_cuts import breaks_as_a_whole, cut_in_parts
from indistinct.sources import memory
from indistinct.sources.eager import PolarsTable
from indistinct.sources.parts import Coding, Walked
from indistinct.sources.scan import ScannedTable, Workspace
from indistinct.sources.table import Change, counted_rows
from indistinct.sources.text import Tokens
from indistinct.types import Ints

PAIR = re.compile(r"; '[^;()]*' and '[^;()]*(?=\) and)| \('[^;():]*' and '[^;()]*\)(?= and)")
"""What a warning says of two values, beside single ones."""


class Spread(PolarsTable):
    """Rows that an engine is taken to hold, which says that combinations do not fit."""

    held = False
    tree: Walked | None = None
    ceiling = 1 << 30

    def with_tokens(self, tokens: Tokens) -> Spread:
        return Spread(self._frame, self.name, tokens)

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
        return too_many(self, columns)

    def in_parts(self, quasi: Sequence[Coding], sensitive: Sequence[Coding]) -> Records:
        return Records(self.text([one.column for one in (*quasi, *sensitive)]), quasi, sensitive)

    def cut(self, tree: Walked) -> Spread:
        found = Spread(self._frame, self.name, self._tokens)
        found.tree = tree
        return found

    def publish(self, change: Change) -> Any:
        assert self.tree is not None
        texts = self.text(change.keys).unique()
        part = Records(texts, self.tree.quasi, ()).coded(texts)
        row = np.zeros(int(self.tree.leaves.max()) + 1, dtype=np.int64)
        row[self.tree.leaves] = self.tree.row
        of = row[self.tree.leaf_of(part.rank)]
        made = change.published[of] if change.published.width else change.published
        changed = replace(change, combinations=texts, published=made, keep=change.keep[of])
        return super().publish(changed)


def policy(
    *promises: Mapping[str, Any], cells: Any = None, output: Any = None, **method: Any
) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 20}}},
            "born": {"role": "quasi-identifier", "hierarchy": {"date": {}}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
            "fee": {"role": "quasi-identifier", "missing": {"as": "suppress"}},
            "ill": {"role": "sensitive"},
        },
        "rest": "keep",
        "promises": list(promises) or [{"model": "k-anonymity", "k": 4}],
        "method": {
            "algorithm": "mondrian",
            "seed": 3,
            **({} if cells is None else {"cells": cells}),
            **method,
        },
        "output": output or {},
    }


def about(model: str, **parameters: Any) -> dict[str, Any]:
    return {"model": model, "sensitive": "ill", **parameters}


POLICIES = {
    "k": policy(),
    "sets": policy(cells={"zip": "set", "born": "level"}),
    "two criteria": policy(partition={"dimension": "width", "cut": "median"}),
    "not all are published": policy(
        {"model": "k-anonymity", "k": 6},
        about("distinct-l-diversity", l=2, on=["age", "zip"]),
        suppression_limit=0.5,
        output={"suppressed": "keep"},
    ),
    "closeness": policy(
        {"model": "k-anonymity", "k": 3},
        about("entropy-l-diversity", l=1.5),
        about("max-posterior", bound=0.9),
    ),
}


def is_that_of_memory(release: ind.Release, named: str) -> None:
    """A release that was cut where its table is has all that one of memory has."""
    known = ind.anonymize(TABLES["table"].drop("patient"), POLICIES[named])
    assert rows_of(release.tables) == rows_of(known.tables)
    at = {"created": None}
    assert release.certificate.to_dict() | at == known.certificate.to_dict() | at
    told = {name: one for name, one in known.measures.items() if name in release.measures}
    assert release.measures == pytest.approx(told)
    assert {*known.measures} - {*release.measures} == {"non-uniform-entropy"}
    assert release.run.to_dict()["plan"]["leakage"] == known.run.to_dict()["plan"]["leakage"]
    own, other = (
        {one["name"]: one["before"] for one in made.private["evidence.json"]["attributes"]}
        for made in (release, known)
    )
    assert own["age"] == other["age"]
    assert release.private["evidence.json"]["risk"] is None  # how many are alone is not known
    # What two values single out is counted in memory alone.
    all_told, told_here = (
        Counter(PAIR.sub("", text) for text in made.run.warnings) for made in (known, release)
    )
    warned = all_told - told_here
    of_memory = ("not tried", "tell another for certain", "quasi-identifiers, '")
    assert not [one for one in warned if not any(part in one for part in of_memory)], warned


@pytest.mark.parametrize("named", POLICIES)
@pytest.mark.parametrize("region", [0, 15])
def test_the_release_is_that_of_memory(
    named: str, region: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_cuts, "REGION", region)
    table = Spread(TABLES["table"].drop("patient"), "table")
    is_that_of_memory(ind.anonymize(table, POLICIES[named]), named)


def too_many(table: Any, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
    """The rows of a table of which values fit and combinations do not, but those of a release."""
    if len(columns) > 1 and table.name != "release":
        memory.require_combinations(2, columns, table.name, 1000)
    return counted_rows(table, columns)


@pytest.mark.parametrize("named", POLICIES)
def test_a_scanned_file_is_cut_where_it_is(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.setattr(ScannedTable, "rows", too_many)
    monkeypatch.setattr(first_cuts, "REGION", 15)
    path = tmp_path / "table.parquet"
    TABLES["table"].drop("patient").write_parquet(path)
    release = ind.anonymize(path, POLICIES[named], engine="duckdb")
    is_that_of_memory(release, named)
    release.write(tmp_path / "run")
    assert ind.audit(tmp_path / "run").holds


@settings(max_examples=25)
@given(st.data())
def test_classes_of_a_scanned_table_are_those_of_memory(
    workspace: Workspace, data: st.DataObject
) -> None:
    table = data.draw(tables.tables())
    asked = [one for one in data.draw(tables.promises(table)) if one.effective_closure != "none"]
    encoded = table.encoded()
    if breaks_as_a_whole(encoded.data, asked):
        return
    relation = workspace.connection.from_arrow(table.texts.to_arrow())
    scanned = ScannedTable(relation, "table", workspace=workspace)
    how = PartitionSettings(suppression_limit=1.0)
    local = partition(encoded.data, asked, "mondrian", how)
    region = data.draw(st.sampled_from([0, 4, 12]))
    found = cut_in_parts(encoded.data, asked, how, scanned.in_parts, region=region)
    assert not [*workspace.folder.glob("*.parquet")]
    assert walked(found, table) == published(local, encoded.combination_of.tolist())


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    pytest.importorskip("duckdb")
    made = Workspace(tmp_path_factory.mktemp("scanned") / "table", 1 << 30)
    yield made
    made.close()


def test_a_run_that_was_cut_in_place_can_be_reported_and_written(tmp_path: Path) -> None:
    release = ind.anonymize(Spread(TABLES["table"].drop("patient"), "table"), POLICIES["k"])
    release.write(tmp_path / "run")
    assert "non-uniform" not in (tmp_path / "run" / "private" / "report.html").read_text("utf-8")
    assert (tmp_path / "run" / "report.html").is_file()
    assert ind.audit(tmp_path / "run").holds


@pytest.mark.parametrize(
    ("keys", "why", "remedy"),
    [
        (policy(algorithm="optimal"), 'only algorithm = "mondrian" can cut it', "[method]"),
        (policy(partition={"strict": False}), "so each is looked at", "strict out"),
        (
            policy({"model": "knm-anonymity", "k": {"1": 2}}),
            "looks at combinations",
            "instead of 'knm-anonymity'",
        ),
        (
            policy(about("distinct-l-diversity", l=40)),
            "breaks a promise as a whole",
            "promise less",
        ),
    ],
)
def test_what_cannot_be_cut_in_place_says_why(keys: dict[str, Any], why: str, remedy: str) -> None:
    table = Spread(TABLES["table"].drop("patient"), "table")
    told = why_not(Policy.from_dict(keys))
    assert (told is None) == ("whole" in why)
    if told is not None:
        assert why in told.message
        assert remedy in told.remedy
    if "each" in why:  # its records are asked for first
        return
    with pytest.raises(DataError) as refused:
        ind.anonymize(table, keys)
    (problem,) = refused.value.problems
    assert problem.code == "combinations-do-not-fit"
    assert why in problem.message
    first, _, last = problem.remedy.partition("; or ")
    assert remedy in first
    assert "more memory" in last


def test_a_column_that_does_not_fit_alone_is_named_whatever_the_method(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def distinct(table: Spread, columns: Sequence[str]) -> pl.DataFrame:
        found = PolarsTable.distinct(table, columns)
        memory.require_combinations(len(found), columns, table.name, 20 * memory.OF_COMBINATIONS)
        return found

    monkeypatch.setattr(Spread, "distinct", distinct)
    table = Spread(TABLES["table"].drop("patient"), "table")
    for algorithm in ("optimal", "mondrian"):
        with pytest.raises(DataError, match=r"^table: 'age' has more than 20 values") as refused:
            ind.anonymize(table, policy(algorithm=algorithm))
        assert refused.value.problems[0].remedy.startswith("coarsen it in a query or a copy")


def test_more_classes_than_fit_are_called_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spread, "ceiling", 1000)
    table = Spread(TABLES["table"].drop("patient"), "table")
    with pytest.raises(DataError, match=r"cut where it is into \d+ classes") as refused:
        ind.anonymize(table, policy())
    assert "ask for larger classes" in str(refused.value.problems[0].remedy)


def test_what_classes_take_is_not_left_to_the_engine(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    work = Workspace(tmp_path / "t.csv", 2 << 30)

    def limit() -> str:
        return str(work.connection.sql("SELECT current_setting('memory_limit')").fetchall()[0][0])

    before = limit()
    work.leave(500 << 20)
    assert (before, limit()) == ("1.1 GiB", "803.0 MiB")
    work.leave(4 << 30)
    assert limit() == "268.0 MiB", "what it needs to sort at all"
    work.close()


def test_other_verbs_refuse_it() -> None:
    table = Spread(TABLES["table"].drop("patient"), "table")
    with pytest.raises(DataError, match="more than 1 combinations"):
        ind.risk(table, policy())
