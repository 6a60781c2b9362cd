"""What becomes of every promise under every method: it is kept, audited and listed, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.privacy.examples import EXAMPLES, example

import indistinct as ind
from indistinct.privacy import models
from indistinct.recoding.method import methods

ILLS = ("flu", "asthma", "gout", "hepatitis", "cancer", "HIV")
GROUPS = {"mild": ["flu", "asthma"], "middle": ["gout", "hepatitis"], "grave": ["cancer", "HIV"]}
RANKS = {"flu": 4, "asthma": 4, "gout": 3, "hepatitis": 3, "cancer": 2, "HIV": 1}
PEOPLE = 24

ASKED = {name: one.reached for name, one in EXAMPLES.items()}
"""Every promise, with figures that a small table can reach."""

TOGETHER: Sequence[frozenset[str]] = (
    frozenset({"m-invariance", "tau-safety"}),
    frozenset({"known-records", "known-visit"}),
    frozenset({"known-number"}),
    frozenset({"km-anonymity"}),
)
"""Promises that go with each other and with few others; all others are asked for at once."""


def _table(person: bool) -> pl.DataFrame:
    rows = [
        (f"P{at}", 20 + at * 7 % 18 * 2, 100 + at * 5 % 12, ILLS[at % 6], "AB"[at % 2])
        for at in range(PEOPLE)
    ]
    names = ["patient", "age", "zip", "ill", "ward"]
    again = [(*row[:3], ILLS[(ILLS.index(row[3]) + 1) % 6], row[4]) for row in rows[::2]]
    return pl.DataFrame(rows + (again if person else []), names, orient="row")


TABLES = {person: _table(person) for person in (False, True)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the population, in which everybody of the table is."""
    place: Path = tmp_path_factory.mktemp("population")
    everybody = [TABLES[False].select("age", "zip")] * 6
    pl.concat(everybody).write_csv(place / "population.csv")
    return place


def _keys(algorithm: str, person: bool, asked: Sequence[str]) -> dict[str, Any]:
    """A policy with these promises, and one that the method works towards."""
    own = methods()[algorithm].works_towards
    wanted = [*asked, *(own[:1] if not set(own) & set(asked) else ())]
    keys: dict[str, Any] = {
        "attributes": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 4}}},
            "ill": {
                "role": "sensitive",
                "categories": {"table": GROUPS, "order": list(GROUPS)},
                "ranks": {"table": RANKS},
                "hierarchy": {"tree": {"*": GROUPS}},
            },
            "ward": {"role": "identifier"},
        },
        "promises": [
            {"model": model, **ASKED[model]}
            | ({"sensitive": "ill"} if models()[model].needs_sensitive else {})
            for model in wanted
        ],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    if "differential-privacy" in wanted:  # nothing else may depend on the table
        for name in ("age", "zip"):
            one_class = {"intervals": {"width": 1000, "levels": 1}}
            keys["attributes"][name] |= {"hierarchy": one_class, "min_level": 1}
        if not any("sensitive" in item for item in keys["promises"]):
            keys["attributes"]["ill"] = {"role": "identifier"}
    limits = {"suppression_limit": 0.2, "max_noise": 0.9}
    keys["method"] |= {key: limits[key] for key in set(limits) & methods()[algorithm].settings}
    if any(models()[model].needs_population for model in asked):
        keys["risk"] = {"population": {"file": "population.csv"}}
    if "known-visit" in asked:
        visit = {"role": "quasi-identifier", "level": "event", "hierarchy": "suppress"}
        keys["attributes"]["ward"] = visit
    if set(asked) & {"known-number", "known-visit"} and "k-anonymity" not in wanted:
        keys["promises"].append({"model": "k-anonymity", **ASKED["k-anonymity"]})
    if person:
        keys["source"] = {"person": "patient"}
        del keys["attributes"]["patient"]
    return keys


def _assert_refused_by_name(error: Exception, algorithm: str, asked: Sequence[str]) -> None:
    """An error names the promise, or the method that cannot keep it."""
    assert any(name in str(error) for name in (algorithm, *asked)), (asked, str(error))


def _accepted(algorithm: str) -> Iterator[tuple[bool, str]]:
    """The promises that a policy with the method may make, to records or else to people."""
    for model in ASKED:
        for person in (False, True):
            try:
                ind.Policy.from_dict(_keys(algorithm, person, [model]))
            except ind.PolicyError as error:
                _assert_refused_by_name(error, algorithm, [model])
            else:
                yield person, model
                break


def _together(algorithm: str) -> Iterator[tuple[bool, list[str]]]:
    """The same, those together that are asked for at once."""
    held: dict[tuple[bool, frozenset[str]], list[str]] = {}
    for person, model in _accepted(algorithm):
        group = next((one for one in TOGETHER if model in one), frozenset())
        held.setdefault((person, group), []).append(model)
    for (person, _), asked in held.items():
        yield person, asked


def _kept(algorithm: str, person: bool, asked: Sequence[str], folder: Path) -> bool:
    """Whether there is a release; one that there is keeps all promises, and lists them."""
    try:
        policy = ind.Policy.from_dict(_keys(algorithm, person, asked), directory=folder)
        release = ind.anonymize(TABLES[person], policy)
    except (ind.PolicyError, ind.Unsatisfiable) as error:
        _assert_refused_by_name(error, algorithm, asked)
        return False
    audited = ind.audit(release.tables, policy)
    assert audited.holds
    assert {item["model"] for item in release.certificate.promises} >= set(asked)
    assert {item.requirement.model for item in audited.promises if item.holds} >= set(asked)
    return True


def test_every_promise_is_asked_for() -> None:
    own = {name for name, kind in models().items() if kind.__module__.startswith("indistinct.")}
    for model in own:
        example(model)
    assert set(ASKED) == own


@pytest.mark.parametrize("algorithm", methods())
def test_a_promise_is_kept_and_listed_or_refused_by_name(algorithm: str, folder: Path) -> None:
    """Those that are not kept together are asked for one by one."""
    kept = set()
    for person, asked in _together(algorithm):
        if _kept(algorithm, person, asked, folder):
            kept |= set(asked)
        elif len(asked) > 1:
            kept |= {one for one in asked if _kept(algorithm, person, [one], folder)}
    assert kept >= set(methods()[algorithm].works_towards[:1])
