"""No adversary is right more often than is certified, but for what chance does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.attacks.adversary import ADVERSARIES, Guess, Public

import indistinct as ind
from indistinct import randomness
from indistinct.recoding.method import methods

RELEASES = 40
"""Releases of every method, each of another table: one guess of each counts, the surest."""

CHANCE = 0.999
"""How likely no test of this file fails where nobody does better than chance."""

QUASI = ("age", "zip")
ILL = ("flu", "gout", "hiv", "cold", "mumps")
SHARES = (13, 12, 10, 7, 6)
GROUPS = {"light": ["flu", "cold"], "middle": ["gout", "mumps"], "grave": ["hiv"]}
UNDER = {name: frozenset(values) for name, values in GROUPS.items()}

BOUND = {"model": "max-posterior", "bound": 0.5}
SIZE = {"model": "k-anonymity", "k": 3}
THETA = {"model": "theta-sensitive", "k": 3}
RANKS = {"hiv": 1, "mumps": 2, "gout": 3, "cold": 4, "flu": 4}
OF_RANKS = {"model": "knm-anonymity", "k": {"1": 3, "2": 3, "3": 3, "4": 3}, "diversity": 2}

PROMISES: Mapping[str, list[dict[str, Any]]] = {
    **{name: [SIZE, BOUND] for name in ("optimal", "heuristic", "exhaustive", "greedy", "iab")},
    **{name: [SIZE, BOUND] for name in ("mondrian", "k-member", "mdav")},
    "knm": [SIZE, BOUND, OF_RANKS],
    "theta": [SIZE, BOUND, THETA],
    "theta-star": [SIZE, BOUND, THETA],
    "p-l-angelization": [SIZE, BOUND, {"model": "p-plus-sensitive", "p": 2}],
    "anatomy": [BOUND],
    "m-invariant": [SIZE, BOUND, {"model": "m-invariance", "m": 2}],
    "k-l-diversity": [SIZE, BOUND, {"model": "kl-diversity", "k": 3, "l": 2}],
}
"""What every method is asked for that publishes sensitive values."""

OF_RECORDS = ("safepub",)
"""Methods that publish nothing but quasi-identifiers."""

NOISY = {"max_noise": 0.9}
MADE_UP: Mapping[str, tuple[str, dict[str, Any]]] = {
    "optimal, decoys": ("optimal", {"decoys": {"to": 12, "limit": 0.4}}),
    "theta, much noise": ("theta", NOISY | {"partition": {"donors": "later"}}),
    "theta-star, much noise": ("theta-star", NOISY),
}
"""Methods and settings with which records or people are made up."""

LONG = {"optimal, long": "optimal", "mondrian, long": "mondrian"}
"""Methods that publish a row for every record of people who have several."""

VARIED = {"theta": {**THETA, "k": 4, "mu": 0.95}, "theta-star": {**THETA, "mu": 0.95}}
"""So much variance is asked for that there are not values enough everywhere."""

OF_PEOPLE = ("theta-star", "p-l-angelization", "anatomy", "k-l-diversity", "m-invariant")


def people(seed: int, number: int = 48) -> pl.DataFrame:
    """People whose illness has nothing to do with anything else."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "tag": [f"t{at}" for at in range(number)],
            "age": random.integers(20, 60, number),
            "zip": random.integers(100, 112, number),
            "ill": random.permutation(np.repeat(ILL, [number * s // 48 for s in SHARES])),
        }
    )


def visits(seed: int, number: int = 48, again: float = 0.2) -> pl.DataFrame:
    """The same, a share of them with a second visit."""
    first = people(seed, number)
    second = first.sample(fraction=again, seed=seed)
    return pl.concat([first, second]).with_columns(patient=pl.col("tag"))


def policy(algorithm: str, **method: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {
        "attributes": {
            "tag": {"role": "insensitive"},
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"intervals": {"width": 10}},
            },
            "zip": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 4}}},
            "ill": {"role": "sensitive", "ranks": {"table": RANKS}},
        },
        "promises": PROMISES[algorithm],
        "method": {"algorithm": algorithm, **method},
    }
    if algorithm in OF_PEOPLE:
        keys["source"] = {"person": "patient"}
        keys["attributes"]["patient"] = {"role": "identifier"}
        keys["promises"] = [item | {"unit": "person"} for item in keys["promises"]]
        ill = keys["attributes"]["ill"]
        if algorithm in ("theta-star", "p-l-angelization"):
            ill["categories"] = {"table": GROUPS, "order": list(GROUPS)}
        elif algorithm == "k-l-diversity":
            ill["hierarchy"] = {"tree": {"*": GROUPS}}
    return keys


@dataclass(frozen=True)
class Attacked:
    """A release as everybody has it, and the truth.

    Arguments:
        public: what everybody has.
        ill: what everybody has, [n].
        tags: the name of everybody, [n], and of the owner of every row, [r].
    """

    public: Public
    ill: list[str]
    tags: tuple[list[str], list[str]]


def attacked(table: pl.DataFrame, keys: dict[str, Any]) -> Attacked:
    """A release of a table."""
    release = ind.anonymize(table, keys)
    everybody = table.unique("tag", keep="first", maintain_order=True)
    view = Public.of(release, everybody.select(QUASI), "ill", UNDER)
    rows = release.tables["quasi"] if release.linked else release.tables
    return Attacked(
        view, everybody["ill"].to_list(), (everybody["tag"].to_list(), rows["tag"].to_list())
    )


@cache
def releases(case: str) -> tuple[Attacked, ...]:
    """Releases of a method, each of another table."""
    algorithm, method = MADE_UP.get(case, (LONG.get(case, case), {}))
    keys = policy(algorithm, **method)
    if case in LONG:
        keys["source"] = {"person": "patient"}
        keys["attributes"]["patient"] = {"role": "identifier"}
        keys["promises"] = [item | {"unit": "person"} for item in keys["promises"]]
    if "noise" in case:
        unit = {"unit": "person"} if algorithm in OF_PEOPLE else {}
        keys["promises"] = [item | unit for item in (SIZE, BOUND, VARIED[algorithm])]
    make = visits if "source" in keys else people
    return tuple(attacked(make(seed), keys) for seed in range(RELEASES))


def knows_value(item: Attacked, guess: Guess) -> bool:
    """Whether the surest guess of what somebody has is right."""
    beliefs = guess.beliefs
    person, label = np.unravel_index(int(beliefs.argmax()), beliefs.shape)
    name = item.public.labels[int(label)]
    return item.ill[int(person)] in UNDER.get(name, {name})


def knows_row(item: Attacked, guess: Guess) -> bool:
    """Whether the surest guess of somebody's row is right."""
    rows = guess.rows
    person, row = np.unravel_index(int(rows.argmax()), rows.shape)
    return item.tags[0][int(person)] == item.tags[1][int(row)]


def by_chance(bound: float, number: int = RELEASES) -> int:
    """As many of the guesses are right at most, by chance.

    What is counted of one method's releases is the same for most adversaries: two counts of each.

    >>> by_chance(0.5), by_chance(1 / 3)
    (32, 26)
    """
    counts = 2 * len([*PROMISES, *MADE_UP, *LONG])
    total = 0.0
    for count in range(number + 1):
        total += comb(number, count) * bound**count * (1 - bound) ** (number - count)
        if 1 - total <= (1 - CHANCE) / counts:
            return count
    return number


def test_every_method_is_attacked() -> None:
    assert {*PROMISES, *OF_RECORDS} == set(methods())


@pytest.mark.parametrize("case", MADE_UP)
def test_there_is_something_made_up(case: str) -> None:
    assert any(len(item.tags[1]) > len(item.tags[0]) for item in releases(case))


@pytest.mark.parametrize("case", [one for one in MADE_UP if "noise" in one])
def test_what_tells_them_from_others_is_told(case: str) -> None:
    """They take what stands beside quasi-identifiers from others: a name that occurs twice."""
    algorithm, method = MADE_UP[case]
    unit = {"unit": "person"} if algorithm in OF_PEOPLE else {}
    keys = policy(algorithm, **method)
    keys["promises"] = [item | unit for item in (SIZE, BOUND, VARIED[algorithm])]
    for seed in range(RELEASES):
        release = ind.anonymize((visits if unit else people)(seed), keys)
        tags = (release.tables["quasi"] if release.linked else release.tables)["tag"]
        told = [text for text in release.warnings if "can be told apart" in text]
        assert bool(told) == tags.is_duplicated().any()
        if told:
            assert "'tag'" in told[0]
            return
    pytest.fail("nobody was made up")


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("case", [*PROMISES, *MADE_UP, *LONG])
def test_nobody_is_right_more_often_than_is_certified(case: str, adversary: str) -> None:
    found = [(item, ADVERSARIES[adversary](item.public)) for item in releases(case)]
    asked = {item["model"]: item for item in PROMISES[case.partition(",")[0]]}
    values = sum(knows_value(item, guess) for item, guess in found)
    assert values <= by_chance(asked["max-posterior"]["bound"])
    if "k-anonymity" in asked:
        rows = sum(knows_row(item, guess) for item, guess in found)
        assert rows <= by_chance(1 / asked["k-anonymity"]["k"])


# Each of them wins where the guard against it is taken away


def test_whoever_knows_the_order_wins_without_a_shuffle() -> None:
    keys = policy("mondrian") | {"output": {"shuffle": False}}
    found = [attacked(people(seed), keys) for seed in range(9)]
    guesses = [(item, ADVERSARIES["in order"](item.public)) for item in found]
    assert all(knows_row(*one) and knows_value(*one) for one in guesses)


def test_whoever_tries_seeds_wins_where_one_was_chosen() -> None:
    found = [attacked(people(seed), policy("mondrian", seed=seed)) for seed in range(9)]
    assert all(knows_row(item, ADVERSARIES["tries seeds"](item.public)) for item in found)


QUARTER = {"model": "max-posterior", "bound": 0.25, "unit": "person"}
MANY = 12


def knows_whom_buckets_took(seed: int) -> bool:
    """Whether it tells somebody's value who follows how people were dealt to buckets.

    A release by anatomy in buckets of four, of people of whom few have two of five illnesses.
    """
    ill = np.random.default_rng(seed).permutation(np.repeat(ILL, (120, 120, 120, 80, 40)))
    table = visits(seed, 480, 0.0).with_columns(ill=pl.Series(ill), zip=pl.int_range(480))
    item = attacked(table, policy("anatomy") | {"promises": [QUARTER]})
    return knows_value(item, ADVERSARIES["follows the generator"](item.public))


def test_whoever_follows_the_generator_gains_nothing() -> None:
    found = sum(map(knows_whom_buckets_took, range(MANY)))
    assert found <= by_chance(QUARTER["bound"], MANY)


def test_whoever_follows_the_generator_wins_where_there_is_but_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = randomness.Stream.__init__
    monkeypatch.setattr(
        randomness.Stream, "__init__", lambda self, key: made(self, key.split(b" ")[0])
    )
    found = sum(map(knows_whom_buckets_took, range(MANY)))
    assert found > by_chance(QUARTER["bound"], MANY)


def test_whoever_strips_noise_wins_where_a_bound_rests_on_it() -> None:
    """Of buckets of two some have somebody made up, who alone keeps one category to two thirds."""
    buckets = [("light", "middle"), ("light", "light", "grave")] * 5
    rows = [(f"{30 + at}", "100", at, own) for at, own in enumerate(buckets) for _ in own]
    public = Public(
        register=pl.DataFrame([row[:2] for row in rows], QUASI, orient="row"),
        rows=pl.DataFrame([row[:2] for row in rows], QUASI, orient="row"),
        listed=tuple({one: own.count(one) / len(own) for one in own} for *_, own in rows),
        bucket_of=tuple(row[2] for row in rows),
        promises={},
        may_contain=("noise",),
        under={},
    )
    assert ADVERSARIES["by frequencies"](public).beliefs.max() < 0.7
    assert ADVERSARIES["strips noise"](public).beliefs.max() == 1.0
