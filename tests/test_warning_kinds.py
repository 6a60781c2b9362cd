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
from indistinct.cli.summary import warn
from indistinct.demo import POLICY, discharges
from indistinct.warning_kinds import Kind, WarningText, kinds_of, ranked, read_warnings


def test_each_warning_once_and_a_lost_column_and_people_at_risk_first() -> None:
    given = [kind(kind.value) for kind in reversed(Kind)]
    assert ranked([*given, *given]) == ["column", "risk", "loss", "limit", "setting", "source"]


def test_half_a_screen_shows_a_lost_column_and_who_is_at_risk_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = Kind.COLUMN("nothing of 'age' " * 40)
    visits = Kind.COLUMN("nothing of 'ward' " * 40)
    risks = [Kind.RISK(f"at risk {at} " * 30, 1 - at / 10) for at in range(4)]
    given = [*risks, Kind.SOURCE("short"), lost, visits]
    run = {"warnings": list(given), "warning_kinds": kinds_of(given)}
    warn([], run, None, details=False)
    said = capsys.readouterr().err.split("warning: ")[1:]
    assert said[0].startswith("nothing of 'age'")
    assert " ".join(said[0].split()) == lost.strip()
    assert " ".join(said[1].split()) == visits.strip()
    assert " ".join(said[2].split()) == risks[0].strip()
    assert len(said) == 4
    assert said[3].startswith("4 more, 3 on people at risk, 1 on how the table was read")


def test_what_follows_a_long_warning_is_shown_while_there_is_room(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [Kind.LOSS("a little"), Kind.LIMIT("long " * 200), Kind.SETTING("short")]
    run = {"warnings": list(given), "warning_kinds": kinds_of(given)}
    warn([], run, None, details=False)
    said = capsys.readouterr().err
    assert "a little" in said
    assert "long" not in said
    assert "2 more" in said


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
