"""The tables of Khan and others (2020) made again, and who can be in the printed classes.

What is made here is made by :func:`indistinct.anonymize` from a policy, as anybody would. The paper
works through classes in the order of its table, four by four; the program's chunks go by the
quasi-identifiers. So the number of the record, which the paper prints as well, is the first of
these, with a weight of 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from typing import Any

import polars as pl

import indistinct as ind
from indistinct import rank_variance_exact, theta
from indistinct_reproductions.khan_tables import (
    ANYWHERE,
    CONTINENT,
    DISEASE,
    DISEASES,
    MU,
    QUASI,
    TABLE_1A,
    TABLE_3,
    TABLE_4B,
    TABLE_8A,
    TABLE_8B,
    Class,
    Person,
    Released,
)
from indistinct_reproductions.reproduction import Ledger


def members(table: Released) -> Iterator[tuple[tuple[Person, ...], ...]]:
    """All ways in which the people of Table 1a can be the k real records of the classes."""
    ways: list[set[tuple[tuple[Person, int], ...]]] = []
    for disease in DISEASES:
        people = [person for person in TABLE_1A if person.disease == disease]
        places = [
            at for at, part in enumerate(table.classes) for own in part.diseases if own == disease
        ]
        ways.append(
            {
                tuple(zip(people, chosen, strict=True))
                for chosen in permutations(places, len(people))
            }
        )
    for choice in product(*(sorted(way, key=repr) for way in ways)):
        groups: list[list[Person]] = [[] for _ in table.classes]
        for person, at in (pair for part in choice for pair in part):
            groups[at].append(person)
        if all(len(group) == table.k for group in groups):
            yield tuple(map(tuple, groups))


def cells_of(people: Sequence[Person]) -> tuple[str, str, str]:
    """Ages, zip codes and continent of some people as ranges."""
    ages = [person.age for person in people]
    codes = [person.zip_code for person in people]
    continents = {CONTINENT[person.country] for person in people}
    return (
        f"{min(ages)}-{max(ages)}",
        f"{min(codes)}-{max(codes)}",
        continents.pop() if len(continents) == 1 else ANYWHERE,
    )


def fitting(part: Class, people: Sequence[Person]) -> tuple[bool, bool, bool]:
    """Which of the three printed cells are those of these people."""
    ages, codes, country = cells_of(people)
    low, high = map(int, ages.split("-"))
    bound = int(part.age[-2:])
    if part.age.startswith("=<"):
        fits = high <= bound
    elif part.age.startswith(">="):
        fits = low >= bound
    else:
        fits = part.age == ages
    return fits, part.zip_code == codes, part.country == country


def best_members(table: Released) -> tuple[tuple[Person, ...], ...]:
    """The people with whom most printed cells agree; the first of several such ways."""
    return max(
        members(table),
        key=lambda groups: sum(
            sum(fitting(part, group)) for part, group in zip(table.classes, groups, strict=True)
        ),
    )


ATTRIBUTES: Mapping[str, Any] = {
    "Age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
    "Zip Code": {
        "role": "quasi-identifier",
        "type": "number",
        "hierarchy": {"intervals": {"width": 100}},
    },
    "Country": {
        "role": "quasi-identifier",
        "hierarchy": {
            "tree": {
                "*": {
                    name: [place for place, own in CONTINENT.items() if own == name]
                    for name in dict.fromkeys(CONTINENT.values())
                }
            }
        },
    },
    DISEASE: {
        "role": "sensitive",
        "categories": {
            "table": {name: list(values) for name, values in TABLE_3.items()},
            "order": list(TABLE_3)[::-1],
        },
    },
}
"""What a policy says of Table 1a. Numbers become ranges, which their steps do not enter."""

NUMBER = "ID"


def policy(k: int = 4) -> dict[str, Any]:
    """Theta-sensitivity of Table 1a, reached as the paper does."""
    return {
        "attributes": ATTRIBUTES,
        "promises": [{"model": "theta-sensitive", "k": k, "mu": MU, "sensitive": DISEASE}],
        "method": {"algorithm": "theta", "variant": "paper"},
    }


def frame_of(people: Sequence[Person] = TABLE_1A) -> pl.DataFrame:
    """People as a table, without their names."""
    return pl.DataFrame(
        [(person.age, person.zip_code, person.country, person.disease) for person in people],
        schema=[*QUASI, DISEASE],
        orient="row",
    )


@dataclass(frozen=True)
class Remade:
    """A release of people of Table 1a by Algorithm 1, and how it was come by."""

    people: Sequence[Person]
    release: ind.Release

    @classmethod
    def of(cls, groups: Sequence[Sequence[Person]], **method: Any) -> Remade:
        """The classes of k = 4, exchanged and filled up until they keep theta; no row is moved."""
        people = [person for group in groups for person in group]
        asked = policy()
        number = {"role": "quasi-identifier", "hierarchy": "suppress", "type": "number"}
        asked["attributes"] = {NUMBER: {**number, "weight": 0}, **ATTRIBUTES}
        asked["method"] |= {
            "partition": {"start": "chunks"},
            "cells": {NUMBER: "range", "Age": "range", "Zip Code": "range", "Country": "ancestor"},
            "max_noise": len(people),
            "seed": 0,
            **method,
        }
        asked["output"] = {"shuffle": False}
        numbered = frame_of(people).with_row_index(NUMBER, 1)
        return cls(people, ind.anonymize(numbered, asked))

    @cached_property
    def moves(self) -> list[Mapping[str, Any]]:
        """Every exchange, and every record of noise, in their order."""
        return list(self.release.private["moves.json"]["moves"])

    @cached_property
    def noise(self) -> list[tuple[int, str]]:
        """The class of every record of noise, and its disease."""
        return [(move["group"], move["taken"]) for move in self.moves if move["kind"] == "noise"]

    @cached_property
    def members(self) -> list[list[Person]]:
        """The people of each class. Rows are published in the order of the table, noise last."""
        return [
            [self.people[at] for at in rows if at < len(self.people)]
            for rows in self._rows["at"].to_list()
        ]

    @cached_property
    def classes(self) -> list[Class]:
        """The classes as they are published, ranges written as the paper does."""
        return [
            Class(_as_printed(age), _as_printed(code), country, tuple(diseases))
            for age, code, country, diseases in self._rows.select(*QUASI, DISEASE).rows()
        ]

    @cached_property
    def _rows(self) -> pl.DataFrame:
        published: pl.DataFrame = self.release.tables
        numbered = published.with_row_index("at")
        return numbered.group_by(NUMBER, *QUASI, maintain_order=True).agg("at", DISEASE)


def _as_printed(cell: str) -> str:
    return cell.strip("[]").replace(", ", "-")


def chunks(people: Sequence[Person] = TABLE_1A, k: int = 4) -> list[Sequence[Person]]:
    """Table 1a four by four: where the steps that the text tells of begin."""
    return [people[at : at + k] for at in range(0, len(people), k)]


def replay_items(ledger: Ledger) -> None:
    """The exchange step by step, from Table 1a to Table 8a and from Table 4b towards Table 8b."""
    found = Remade.of(chunks())
    ledger.sheet(
        "replay",
        "From Table 1a, four by four, to Table 8a, move by move",
        ("step", "move", "class", "with", "gives", "takes", "variance", "variance of the other"),
        [
            (
                number,
                move["kind"],
                f"EC{move['group'] + 1}",
                f"EC{move['partner'] + 1}" if "partner" in move else "",
                move.get("given"),
                move["taken"],
                move["variance"][1],
                move["partner_variance"][1] if "partner" in move else None,
            )
            for number, move in enumerate(found.moves, 1)
        ],
    )
    _first_class(ledger, found)
    _table_8a(ledger, found)
    _table_8b(ledger)
    _endless(ledger)


def _first_class(ledger: Ledger, found: Remade) -> None:
    where = "Section 5.2"
    first, second, third = found.moves[:3]
    ledger.same(where, "first swap", "HIV with Obesity", f"{first['given']} with {first['taken']}")
    start = Counter(person.disease for person in chunks()[0])
    start.update([first["taken"]])
    start.subtract([first["given"]])
    ledger.same(where, "EC1 after it, different values", 3, len(+start))
    ledger.same(where, "EC1 after it keeps theta", False, first["variance"][1] >= theta(4, MU))
    ledger.same(where, "second swap gives away", "Cancer", second["given"])
    swaps = sum(move["group"] == 0 for move in found.moves)
    ledger.same(where, "swaps until EC1 has four values", 2, swaps)
    ledger.unprinted(
        where,
        "last class and the one before it exchange",
        f"{third['given']} with {third['taken']}",
        "the text says that swapping is not possible any further, and Table 8a is after it",
    )


def _table_8a(ledger: Ledger, found: Remade) -> None:
    where = TABLE_8A.name
    added = found.release.run.to_dict()["added"]["noise"]
    ledger.same(where, "records of noise", 1, added)
    last = len(TABLE_8A.classes)
    for number, (part, own, people) in enumerate(
        zip(TABLE_8A.classes, found.classes, found.members, strict=True), 1
    ):
        printed = Counter(part.diseases)
        if number == last:
            printed.subtract(["Obesity"])
        ledger.same(
            where,
            f"EC{number}, diseases of the real records",
            _list(printed),
            _list(Counter(person.disease for person in people)),
        )
        ages = fitting(part, people)[0]
        ledger.claim(
            where, f"EC{number}, ages of the release, in the printed range", part.age, own.age,
            ages, "",
        )  # fmt: skip
        ledger.same(
            where,
            f"EC{number}, zip codes of the release",
            part.zip_code,
            own.zip_code,
            "14063 is Paul's, who is in EC1: the made-up record copies him",
        )
        ledger.same(
            where,
            f"EC{number}, country of the release",
            part.country,
            own.country,
            "all four are of one country; the paper publishes continents throughout",
        )
    ledger.same(
        where,
        "disease of the made-up record",
        "Obesity",
        ", ".join(value for _, value in found.noise),
        "any that EC3 does not have will do; the paper's choice follows no rule that it states",
    )
    ledger.same(
        where, "variances of the classes", _variances(TABLE_8A.classes), _variances(found.classes)
    )


def _table_8b(ledger: Ledger) -> None:
    where = TABLE_8B.name
    found = Remade.of(best_members(TABLE_4B))
    ledger.same(where, "records of noise", 0, len(found.noise))
    ledger.unprinted(where, "swaps", len(found.moves))
    ledger.same(
        where, "variances of the classes", _variances(TABLE_8B.classes), _variances(found.classes)
    )
    ledger.same(
        where,
        "diseases of the classes",
        "; ".join(_list(Counter(part.diseases)) for part in TABLE_8B.classes),
        "; ".join(_list(Counter(part.diseases)) for part in found.classes),
        "an exchange of records with the cheapest cells gives another table of the same variances",
    )


def _variances(classes: Sequence[Class]) -> str:
    return ", ".join(str(float(part.variance)) for part in classes)


def _list(values: Counter[str]) -> str:
    return ", ".join(sorted((+values).elements()))


def _endless(ledger: Ledger) -> None:
    short, rich = [8, 8, 1, 1], [1, 1, 1, 1]
    before, donor = rank_variance_exact(short), rank_variance_exact(rich)
    stuck = before < Fraction(str(theta(4, MU))) < donor
    ledger.claim(
        "Algorithm 1",
        "it ends on every table",
        True,
        f"not with (8, 8, 1, 1) and (1, 1, 1, 1) of the same values: V = {float(before):.3f}, "
        f"{float(donor)}",
        not stuck,
        "EC_b is found, backCheck leaves nothing to swap, and line 10 asks again; noise is added "
        "only where no EC_b is found",
    )
