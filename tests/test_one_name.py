"""A text in the place of a list of names is one name, in Python as in a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import indistinct as ind

TABLE = pl.DataFrame(
    {
        "age": [20, 20, 30, 30] * 10,
        "a": [1, 2] * 20,
        "g": [at % 5 for at in range(40)],
        "e": list(range(40)),
        "ill": ["flu", "gout"] * 20,
    }
)
"""The letters of one column's name are names of others."""

POLICY: dict[str, Any] = {
    "rest": "drop",
    "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
    "promises": [{"model": "k-anonymity", "k": 5}],
}


def asked_of_a_release(**asked: Any) -> Any:
    release = ind.anonymize(TABLE, POLICY)
    if "attacks" in asked:
        found = ind.compare(TABLE, release, policy=POLICY, queries=5, **asked)
        return found.to_dict()["releases"][0]["attacks"]
    return ind.attack(TABLE, release, POLICY, **asked).to_dict()["attacks"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda one: ind.risk(TABLE, quasi=one("age")),
        lambda one: ind.assess(TABLE, attributes=one("age")),
        lambda one: ind.quasi(TABLE, identifiers=one("age"), sensitive=one("ill")),
        lambda one: ind.explore(TABLE, POLICY, k=3, suppression=0.1, algorithm=one("mondrian")),
        lambda one: ind.explore(TABLE, POLICY, objective=one("height")),
        lambda one: ind.explore(TABLE, POLICY, gain=0.5, attacker=one("membership")),
        lambda one: asked_of_a_release(only=one("membership")),
        lambda one: asked_of_a_release(attacks=one("membership")),
    ],
)
def test_a_text_is_one_name(ask: Callable[[Any], Any]) -> None:
    found, listed = ask(str), ask(lambda name: [name])
    assert str(getattr(found, "to_dict", lambda: found)()) == str(
        getattr(listed, "to_dict", lambda: listed)()
    )


def test_a_text_is_no_pair_of_columns() -> None:
    release = ind.anonymize(TABLE, POLICY)
    for given in ("ag", ("age",)):
        with pytest.raises(ind.DataError, match="two columns are counted together"):
            ind.compare(TABLE, release, policy=POLICY, contingency=given)  # type: ignore[arg-type]


def test_no_record_is_one_of_the_most_exposed() -> None:
    with pytest.raises(ind.DataError, match="exposed must be 0 or more, not -1"):
        ind.assess(TABLE, exposed=-1)
