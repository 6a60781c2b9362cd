"""Every warning says what kind it is, and the kind decides its place."""

from __future__ import annotations

import copy
import html
import json
import pickle
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest

import indistinct as ind
from indistinct.demo import POLICY, discharges
from indistinct.warning_kinds import Kind, WarningText, kinds_of, ranked, read_warnings


def test_each_warning_once_and_people_at_risk_first() -> None:
    given = [kind(kind.value) for kind in reversed(Kind)]
    assert ranked([*given, *given]) == ["risk", "loss", "limit", "setting", "source"]


def test_within_a_kind_the_order_stays() -> None:
    given = [Kind.LOSS("b"), Kind.RISK("d"), Kind.LOSS("a"), Kind.RISK("c")]
    assert ranked(given) == ["d", "c", "b", "a"]


def test_what_is_about_more_people_comes_first_and_what_is_not_counted_may_be_about_all() -> None:
    given = [Kind.RISK("some", 0.1), Kind.RISK("most", 0.9), Kind.RISK("whoever"), Kind.LOSS("a")]
    assert ranked(given) == ["whoever", "most", "some", "a"]
    again = ranked(copy.deepcopy(given[::-1]))
    assert again == ranked(given)


def test_a_copy_of_a_warning_knows_its_kind() -> None:
    warning = Kind.LOSS("the release keeps nothing of 'age'")
    for again in (pickle.loads(pickle.dumps(warning)), copy.deepcopy(warning)):  # noqa: S301
        assert isinstance(again, WarningText)
        assert (again, again.kind) == (warning, Kind.LOSS)


def test_a_warning_without_a_kind_is_refused() -> None:
    """By the types in the first place; and by every release, whose warnings are ranked."""
    with pytest.raises(AttributeError, match="kind"):
        ranked([cast("Any", "a sentence alone")])


def test_documents_keep_the_kinds_beside_the_sentences() -> None:
    given = [Kind.RISK("a"), Kind.SOURCE("b")]
    assert read_warnings(given, kinds_of(given)) == given
    assert kinds_of(read_warnings(given, kinds_of(given))) == ["risk", "source"]
    assert kinds_of(read_warnings(["of an older program"], ())) == ["risk"]


def test_a_release_tells_its_warnings_in_one_order_everywhere(tmp_path: Path) -> None:
    policy = ind.Policy.from_dict(
        {**tomllib.loads(POLICY), "method": {"seed": 1, "suppression_limit": 0.05}}
    )
    release = ind.anonymize(discharges(400), policy)
    told = ranked(release.warnings)
    assert len(told) > 2
    assert list(release.warnings) == told
    release.write(tmp_path / "out")
    for file in ("certificate.json", "private/run.json"):
        document = json.loads((tmp_path / "out" / file).read_text("utf-8"))
        read = read_warnings(document["warnings"], document["warning_kinds"])
        assert read == ranked(read)
        assert len(document["warning_kinds"]) == len(document["warnings"])
    assert document["warnings"] == told
    report = html.unescape((tmp_path / "out" / "private" / "report.html").read_text("utf-8"))
    places = [report.index(f">{text}<") for text in told]
    assert places == sorted(places)
