"""What attackers say of small random releases is what follows from release and register alone.

The register has the exact quasi-identifiers and values of everybody. What is compared is counted
here, person by person and set by set, with no code of the package.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import indistinct as ind

SOUTH, NORTH = ("Ulm", "Isny"), ("Kiel", "Husum", "Emden")
TOWNS = {"*": {"south": [*SOUTH], "north": [*NORTH], "Rom": []}}
GROUPS = {"first": ["A", "B"], "second": ["C", "D"]}
ATTACKERS = ["record-linkage", "known-records", "unicity", "membership", "non-membership"]


@dataclass(frozen=True)
class Person:
    """Somebody of the register or the release: quasi-identifiers, and the values of all rows."""

    quasi: tuple[str, ...]
    values: frozenset[str]


def drawn(seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A long table of a few people, and a policy: no value of it is missing."""
    chance = random.Random(seed)
    ages = chance.choice([[20, 21, 34, 35], [18, 40, 63, 64, 90], [33]])
    rows = list[tuple[str, int, str, str]]()
    for at in range(chance.choice([2, 3, 5, 8, 12])):
        who = (f"P{at}", chance.choice(ages), chance.choice([*SOUTH, *NORTH, "Rom"]))
        for _ in range(chance.choice([1, 1, 2, 3])):
            rows.append((*who, chance.choice("AABCDE")))
    chance.shuffle(rows)
    age = {"hierarchy": {"intervals": 10}}
    changed = chance.choice([None, {"round": 10}, {"aggregate": {"top": 60}}])
    value = chance.choice([None, {"aggregate": {"groups": GROUPS, "other": "rest"}}])
    policy = {
        "source": {"person": "id"},
        "attributes": {
            "age": {
                "role": "quasi-identifier",
                **age,
                **({"transform": changed} if changed else {}),
            },
            "town": {"role": "quasi-identifier", "hierarchy": {"tree": TOWNS}},
            "value": {"role": "sensitive", **({"transform": value} if value else {})},
        },
        "promises": [{"model": "k-anonymity", "k": chance.choice([1, 1, 2])}],
        "method": {"algorithm": chance.choice(["optimal", "mondrian"]), "seed": seed},
    }
    return pl.DataFrame(rows, ["id", "age", "town", "value"], orient="row"), policy


def people(rows: Iterable[Sequence[Any]]) -> list[Person]:
    """Everybody of a table with person, quasi-identifiers and value."""
    found: dict[str, tuple[tuple[str, ...], set[str]]] = {}
    for name, *quasi, value in rows:
        found.setdefault(name, (tuple(map(str, quasi)), set()))[1].add(value)
    return [Person(quasi, frozenset(values)) for quasi, values in found.values()]


def as_published(table: pl.DataFrame, policy: dict[str, Any]) -> list[Person]:
    """The register, as the policy's transformations change it."""
    attributes = policy["attributes"]
    of_age = attributes["age"].get("transform", {})
    grouped = {value: name for name, values in GROUPS.items() for value in values}
    rows = []
    for name, exact, town, value in table.iter_rows():
        age = (exact + 5) // 10 * 10 if "round" in of_age else exact
        age = min(age, 60) if "aggregate" in of_age else age
        group = grouped.get(value, "rest") if "transform" in attributes["value"] else value
        rows.append((name, age, town, group))
    return people(rows)


def fits(cell: str, exact: str) -> bool:
    """Whether somebody with an exact value may be in a class with a cell."""
    if cell in ("*", exact):
        return True
    if cell in ("south", "north"):
        return exact in {"south": SOUTH, "north": NORTH}[cell]
    if not cell.startswith("["):
        return False
    low, high = (int(end) for end in cell[1:-1].split(", "))
    return low <= int(exact) < high or (cell.endswith("]") and int(exact) == high)


def average(parts: Sequence[Fraction | bool | int]) -> float:
    return float(sum((Fraction(part) for part in parts), Fraction(0)) / len(parts))


def sets_of(things: Iterable[Any], number: int) -> list[frozenset[Any]]:
    """All sets of so many of some things, of all of them where there are fewer."""
    every = sorted(things)
    return [frozenset(some) for some in combinations(every, min(number, len(every)))]


def believed(person: Person, rows: Sequence[Person]) -> Fraction:
    """The belief in the value of somebody that is believed most."""
    return max(Fraction(sum(v in row.values for row in rows), len(rows)) for v in person.values)


def told_by_known(
    person: Person, rows: Sequence[Person], number: int
) -> tuple[bool, Fraction, bool]:
    """Whether some known values single out, which share of them does, and whether others follow."""
    left = {
        known: [row for row in rows if known <= row.values]
        for known in sets_of(person.values, number)
    }
    alone = [len(found) == 1 for found in left.values()]
    certain = any(
        all(value in row.values for row in found)
        for known, found in left.items()
        for value in person.values - known
    )
    return any(alone), Fraction(sum(alone), len(alone)), certain


def test_attackers_say_what_follows() -> None:
    compared = 0
    for seed in range(40):
        table, policy = drawn(seed)
        if table["id"].n_unique() < policy["promises"][0]["k"]:
            continue
        release = ind.anonymize(table, policy)
        shown = people(release.tables.select("id", "age", "town", "value").iter_rows())
        if any(set(row.quasi) == {"*"} for row in shown):
            continue  # Rows of stars are no class.
        report = ind.attack(table, release, policy, only=ATTACKERS)
        figures = {name: report[name].to_dict() for name in ATTACKERS}
        for name, expected in following(as_published(table, policy), shown).items():
            attacker, *keys = name.split("/")
            found: Any = figures[attacker]
            for key in keys:
                found = found[key]
            assert found == pytest.approx(expected), f"{name} of seed {seed}"
        compared += 1
    assert compared > 30


def following(register: Sequence[Person], shown: Sequence[Person]) -> dict[str, float]:
    """What follows from a release in which everybody is published, by attacker and figure."""
    rows_of = [
        [
            row
            for row in shown
            if all(fits(*pair) for pair in zip(row.quasi, own.quasi, strict=True))
        ]
        for own in register
    ]
    both = list(zip(register, rows_of, strict=True))
    values = {value for row in shown for value in row.values}
    beliefs = [believed(own, rows) for own, rows in both]
    risks = [Fraction(1, len(rows)) for rows in rows_of]
    found = {
        "membership/success/0.5": average([belief >= Fraction(1, 2) for belief in beliefs]),
        "membership/success/0.95": average([belief >= Fraction(19, 20) for belief in beliefs]),
        "membership/success/certain": average([belief == 1 for belief in beliefs]),
        "record-linkage/figures/prosecutor_highest": float(max(risks)),
        "record-linkage/figures/prosecutor_at_risk": average([r > Fraction(1, 5) for r in risks]),
        "non-membership/figures/excluded_pairs": sum(
            all(value not in row.values for row in rows) for rows in rows_of for value in values
        ),
    }
    for number in (1, 2, 3):
        told = zip(*(told_by_known(own, rows, number) for own, rows in both), strict=True)
        for name, parts in zip(("singled_out", "average", "certain"), told, strict=True):
            found[f"known-records/figures/{number}/{name}"] = average(parts)
    known = [
        {(at, cell) for at, cell in enumerate(row.quasi) if cell != "*"}
        | {(len(row.quasi), value) for value in row.values}
        for row in shown
    ]
    for number in range(1, 6):
        shares = [
            average([sum(some <= other for other in known) == 1 for some in sets_of(own, number)])
            for own in known
        ]
        found[f"unicity/figures/{number}/unique"] = sum(shares) / len(shares)
    return found
