"""The exchange of Khan and others (2020) step by step, and who can be in their printed classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product

from indistinct.privacy.rank_variance import rank_variance_exact, theta
from indistinct_reproductions.exchange_steps import Replay, replay
from indistinct_reproductions.khan_tables import (
    ANYWHERE,
    CATEGORY,
    CHUNKS,
    CONTINENT,
    DISEASES,
    MU,
    TABLE_1A,
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


def width(people: Sequence[Person]) -> float:
    """The normalized certainty penalty of a class of these people over Table 1a, summed.

    A single country costs nothing, one continent the share of its countries, both of them all.
    """
    found = 0.0
    for values in (
        [(person.age, everyone.age) for person in people for everyone in TABLE_1A],
        [(person.zip_code, everyone.zip_code) for person in people for everyone in TABLE_1A],
    ):
        own, every = {one for one, _ in values}, {other for _, other in values}
        found += (max(own) - min(own)) / (max(every) - min(every))
    countries = {person.country for person in people}
    continents = {CONTINENT[country] for country in countries}
    if len(continents) > 1:
        found += 1
    elif len(countries) > 1:
        found += sum(place in continents for place in CONTINENT.values()) / len(CONTINENT)
    return found * len(people)


def exchanged(start: Sequence[Sequence[int]], *, guarded: bool = False) -> Replay:
    """Algorithm 1 on Table 1a from some classes (places in it), for k = 4 and mu = 0.6."""
    return replay(
        start,
        [person.disease for person in TABLE_1A],
        lambda records: width([TABLE_1A[record] for record in records]),
        k=4,
        mu=MU,
        donor_guard=guarded,
        categories=dict[Hashable, Hashable](CATEGORY.items()),
    )


def replay_items(ledger: Ledger) -> None:
    """The exchange step by step, from Table 1a to Table 8a and from Table 4b towards Table 8b."""
    found = exchanged(CHUNKS)
    ledger.sheet(
        "replay",
        "From Table 1a, four by four, to Table 8a, move by move",
        ("step", "move", "class", "with", "gives", "takes", "variance", "variance of the other"),
        [
            (
                number,
                step.kind,
                f"EC{step.group + 1}",
                "" if step.partner is None else f"EC{step.partner + 1}",
                None if step.given is None else str(step.given),
                str(step.taken),
                float(step.variance),
                None if step.partner_variance is None else float(step.partner_variance),
            )
            for number, step in enumerate(found.steps, 1)
        ],
    )
    _first_class(ledger, found)
    _table_8a(ledger, found)
    _table_8b(ledger)
    _endless(ledger)


def _first_class(ledger: Ledger, found: Replay) -> None:
    where = "Section 5.2"
    first, second, third = found.steps[:3]
    ledger.same(where, "first swap", "HIV with Obesity", f"{first.given} with {first.taken}")
    start = Counter(TABLE_1A[record].disease for record in CHUNKS[0])
    start.update([str(first.taken)])
    start.subtract([str(first.given)])
    ledger.same(where, "EC1 after it, different values", 3, len(+start))
    ledger.same(where, "EC1 after it keeps theta", False, first.variance >= theta(4, MU))
    ledger.same(where, "second swap gives away", "Cancer", str(second.given))
    swaps = sum(step.group == 0 for step in found.steps)
    ledger.same(where, "swaps until EC1 has four values", 2, swaps)
    ledger.unprinted(
        where,
        "last class and the one before it exchange",
        f"{third.given} with {third.taken}",
        "the text says that swapping is not possible any further, and Table 8a is after it",
    )


def _table_8a(ledger: Ledger, found: Replay) -> None:
    where = TABLE_8A.name
    ledger.same(where, "records of noise", 1, sum(map(len, found.noise)))
    for number, (part, records) in enumerate(zip(TABLE_8A.classes, found.classes, strict=True), 1):
        printed = Counter(part.diseases)
        if number == len(TABLE_8A.classes):
            printed.subtract(["Obesity"])
        people = [TABLE_1A[record] for record in records]
        ledger.same(
            where,
            f"EC{number}, diseases of the real records",
            _list(printed),
            _list(Counter(person.disease for person in people)),
        )
        _, codes, country = cells_of(people)
        ledger.same(
            where,
            f"EC{number}, zip codes after the replay",
            part.zip_code,
            codes,
            "14063 is Paul's, who is in EC1: the made-up record copies him",
        )
        ledger.same(where, f"EC{number}, country after the replay", part.country, country)
    ledger.same(
        where,
        "disease of the made-up record",
        "Obesity",
        ", ".join(map(str, found.noise[-1])),
        "any that EC3 does not have will do; the paper's choice follows no rule that it states",
    )
    ledger.same(where, "variances of the classes", _variances(TABLE_8A), _told(found))


def _table_8b(ledger: Ledger) -> None:
    where = TABLE_8B.name
    places = {person: at for at, person in enumerate(TABLE_1A)}
    found = exchanged([[places[person] for person in group] for group in best_members(TABLE_4B)])
    ledger.same(where, "records of noise", 0, sum(map(len, found.noise)))
    ledger.unprinted(where, "swaps", len(found.steps))
    ledger.same(where, "variances of the classes", _variances(TABLE_8B), _told(found))
    ledger.same(
        where,
        "diseases of the classes",
        "; ".join(_list(Counter(part.diseases)) for part in TABLE_8B.classes),
        "; ".join(_list(Counter(map(str, values))) for values in found.values),
        "an exchange of records with the cheapest cells gives another table of the same variances",
    )


def _variances(table: Released) -> str:
    return ", ".join(str(float(part.variance)) for part in table.classes)


def _told(found: Replay) -> str:
    return ", ".join(str(float(one)) for one in found.variance)


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
