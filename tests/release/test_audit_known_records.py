"""The audit of what is left to those who know a class and a few items."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.recoding.test_known_items import CLASSES, PROMISES, achieved, broken

from indistinct.errors import PolicyError
from indistinct.privacy.known_records import KnownRecords
from indistinct.release.audit import audit

OVERLAPPING = [[["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"], ["a"], ["b"], ["c"]]]
"""Items of which none implies another, as few people's do that are drawn."""


@settings(max_examples=200)
@example(OVERLAPPING, KnownRecords(k=2, m=2, sensitive="s"), set())
@example(OVERLAPPING, KnownRecords(k=2, m=3, sensitive="s"), set())
@example(OVERLAPPING, KnownRecords(bound=0.5, m=1, sensitive="s"), set())
@example(OVERLAPPING, KnownRecords(bound=0.5, m=2, sensitive="s"), set())
@given(CLASSES, PROMISES, st.sets(st.sampled_from(["a", "b", "c"])))
def test_the_audit_agrees(
    classes: list[list[list[str | None]]], promise: KnownRecords, starred: set[str]
) -> None:
    """Of any release, some of whose items are stars."""
    shown = [
        [frozenset("*" if v in starred else v for v in own) for own in part] for part in classes
    ]
    rows = [
        (f"{at}.{person}", f"class {at}", item)
        for at, part in enumerate(shown)
        for person, own in enumerate(part)
        for item in own
    ]
    release = pl.DataFrame(rows, ["id", "q", "s"], orient="row", schema_overrides={"s": pl.String})
    asked = {"model": "known-records", **promise.parameters, "sensitive": "s", "unit": "person"}
    verdict = audit(release, [asked], ["q"], person="id").promises[0]
    bad = [part for part in shown if broken(part, promise)]
    assert verdict.holds == (not bad)
    assert verdict.breaking_classes == len(bad)
    assert verdict.breaking_records == sum(map(len, bad))
    expected = achieved(shown, promise)
    for name, figure in verdict.achieved.items():
        assert figure == (None if expected[name] is None else pytest.approx(expected[name]))


def test_what_cannot_be_audited() -> None:
    shown = pl.DataFrame({"id": ["1"], "q": ["x"], "s": ["a"]})
    asked = {"model": "known-records", "sensitive": "s", "unit": "person"}
    with pytest.raises(PolicyError, match="needs 'k' or 'bound'"):
        audit(shown, [asked], ["q"], person="id")
    with pytest.raises(PolicyError, match="nothing says whose each record is"):
        audit(shown, [{**asked, "k": 2, "unit": "record"}], ["q"])
    tables = {
        "quasi": pl.DataFrame({"q": ["x", "x"], "bucket": ["1", "1"]}),
        "sensitive": pl.DataFrame({"bucket": ["1", "1"], "s": ["a", "b"]}),
    }
    with pytest.raises(PolicyError, match="which linked tables do not show"):
        audit(tables, [{**asked, "k": 2}], ["q"])


def test_suppressed_people_are_looked_at_as_a_class() -> None:
    rows = [("1", "x", "a"), ("2", "x", "a"), ("3", "*", "b"), ("4", "*", "c")]
    release = pl.DataFrame(rows, ["id", "q", "s"], orient="row")
    asked = {"model": "known-records", "k": 2, "sensitive": "s", "unit": "person"}
    found = audit(release, [asked], ["q"], person="id")
    assert found.promises[0].holds
    assert found.suppressed_break
    starred = release.with_columns(s=pl.when(pl.col("q") == "*").then(pl.lit("*")).otherwise("s"))
    assert audit(starred, [asked], ["q"], person="id").holds


def test_a_class_of_fewer_people_breaks_it_whatever_it_shows() -> None:
    """Whoever knows the class has found the person, and nobody is known to be suppressed."""
    rows = [("1", "x", "a"), ("2", "x", "a"), ("3", "y", "*")]
    release = pl.DataFrame(rows, ["id", "q", "s"], orient="row")
    asked = {"model": "known-records", "k": 2, "sensitive": "s", "unit": "person"}
    found = audit(release, [asked], ["q"], person="id").promises[0]
    assert not found.holds
    assert found.achieved == {"k": 1}
    assert (found.breaking_classes, found.breaking_records) == (1, 1)
    believed = {**asked, "k": None, "bound": 1.0}
    assert audit(release, [believed], ["q"], person="id").holds
    hidden = release.with_columns(q=pl.col("q").replace("y", "*"))
    group = audit(hidden, [asked], ["q"], person="id").suppressed_group[0]
    assert group.holds is None
