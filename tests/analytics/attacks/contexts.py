"""Small scenes for attackers, and beliefs by trying out every random world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import polars as pl

from indistinct.analytics.attacks import AttackContext, Places
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata

Classes = Sequence[Sequence[str]]

K20: dict[str, tuple[int, Classes]] = {
    "1b": (
        2,
        [
            ["HIV", "HIV"],
            ["Cancer", "Cancer"],
            ["Hepatitis", "Obesity"],
            ["Asthma", "Phthisis"],
            ["Flu", "Indigestion"],
            ["Flu", "Flu"],
        ],
    ),
    "4a": (
        4,
        [
            ["HIV", "Cancer", "Flu", "Indigestion"],
            ["Hepatitis", "Phthisis", "Asthma", "Obesity"],
            ["HIV", "Cancer", "Flu", "Flu"],
        ],
    ),
    "4b": (
        4,
        [
            ["HIV", "HIV", "Cancer", "Flu"],
            ["Hepatitis", "Phthisis", "Asthma", "Obesity"],
            ["Cancer", "Flu", "Flu", "Indigestion"],
        ],
    ),
    "8a": (
        4,
        [
            ["HIV", "Cancer", "Hepatitis", "Obesity"],
            ["HIV", "Phthisis", "Asthma", "Flu"],
            ["Cancer", "Flu", "Flu", "Indigestion", "Obesity"],
        ],
    ),
    "8b": (
        4,
        [
            ["Hepatitis", "HIV", "Cancer", "Flu"],
            ["HIV", "Phthisis", "Asthma", "Flu"],
            ["Cancer", "Obesity", "Flu", "Indigestion"],
        ],
    ),
}
"""The classes of tables of Khan and others (2020), with their k."""

DISEASES = ValueMetadata(
    categories={
        "HIV": "top secret",
        "Cancer": "top secret",
        "Phthisis": "secret",
        "Hepatitis": "secret",
        "Asthma": "less secret",
        "Obesity": "less secret",
        "Flu": "non secret",
        "Indigestion": "non secret",
    },
    category_order=("non secret", "less secret", "secret", "top secret"),
)


def of_classes(
    classes: Classes,
    *,
    published: Classes | None = None,
    known: ValueMetadata | None = None,
    **more: Any,
) -> AttackContext:
    """People in classes, each with a quasi-identifier of their own, published as their class.

    ``published`` are the values of each class in the release, where they are not the people's.
    """
    names = [[f"{at}.{place}" for place in range(len(own))] for at, own in enumerate(classes)]
    chains = [(leaf, f"class {at}", "*") for at, own in enumerate(names) for leaf in own]
    chains = chains or [("nobody", "nowhere", "*")]
    people = [
        (leaf, value)
        for leaves, own in zip(names, classes, strict=True)
        for leaf, value in zip(leaves, own, strict=True)
    ]
    release = [
        (f"class {at}", value) for at, own in enumerate(published or classes) for value in own
    ]
    schema = {"q": pl.String, "s": pl.String}
    return of_records(
        ("q",),
        ("s",),
        pl.DataFrame(people, schema=schema, orient="row"),
        pl.DataFrame(release, schema=schema, orient="row"),
        {"q": Taxonomy("q", chains)},
        known={} if known is None else {"s": known},
        **more,
    )


def of_rows(
    people: Sequence[Mapping[str, str | None]],
    release: Sequence[Mapping[str, str | None]],
    taxonomies: Mapping[str, Taxonomy],
    **more: Any,
) -> AttackContext:
    """People and published records as they are given; the sensitive attribute is ``s``."""
    schema = {**dict.fromkeys(taxonomies, pl.String), "s": pl.String}
    return of_records(
        tuple(taxonomies),
        ("s",),
        pl.DataFrame(people, schema=schema),
        pl.DataFrame(release, schema=schema),
        taxonomies,
        **more,
    )


def of_records(
    quasi: Sequence[str],
    sensitive: Sequence[str],
    people: pl.DataFrame,
    release: pl.DataFrame,
    taxonomies: Mapping[str, Taxonomy],
    *,
    population: pl.DataFrame | None = None,
    **more: Any,
) -> AttackContext:
    """People and published records as frames of text, every record of another person."""
    quasi = tuple(quasi)
    return AttackContext.of_records(
        Places(quasi, people.select(quasi), release.select(quasi), taxonomies, population),
        people.select(sensitive),
        release.select(sensitive),
        **more,
    )


def release_of(context: AttackContext) -> pl.DataFrame:
    """The published records that attackers were given."""
    assert context.shown is not None
    columns = [
        pl.Series(name, [context.buckets[name].labels[at] for at in codes], pl.String)
        for name, codes in context.shown.items()
    ]
    return context.places.rows.with_columns(columns)


def people_of(context: AttackContext) -> pl.DataFrame:
    """The people that attackers were given, with what they have."""
    columns = [
        pl.Series(name, [part.labels[at] for at in part.index], pl.String)
        for name, part in context.values.items()
    ]
    return context.people.with_columns(columns)


def worlds(values: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every assignment of a class's values to its people; the first person is the target."""
    yield from permutations(values)


def belief(
    values: Sequence[str], truth: str, possible: Callable[[tuple[str, ...]], bool]
) -> Fraction | None:
    """The share of possible worlds in which the target has the value; None if none is possible."""
    kept = [world for world in worlds(values) if possible(world)]
    if not kept:
        return None
    return Fraction(sum(world[0] == truth for world in kept), len(kept))


def numbers(figures: Mapping[str, Any]) -> list[float]:
    """The figures of an attacker that are numbers, those by number known and by column too."""
    found: list[float] = []
    for own in figures.values():
        found += numbers(own) if isinstance(own, Mapping) else [] if own is None else [own]
    return found


def likely_classes(context: AttackContext) -> list[dict[int, float]]:
    """How likely everybody is in each class that fits, if all who fit share all rows out.

    Plain proportional fitting, person by person, of as many people as there are rows: some may have
    none, or some rows be strangers'.
    """
    places = context.places
    sets = [set(places.compatible[own].tolist()) for own in places.combination_of]
    fits = [own for own in sets if own]
    rows = {at: int(places.classes.size[at]) for at in set().union(*fits)}
    more = len(fits) - sum(rows.values())
    if more > 0:
        rows[-1] = more
        fits = [own | {-1} for own in fits]
    strangers = [set(rows)] * -min(more, 0)
    weight = dict.fromkeys(rows, 1.0)
    everybody = [*fits, *strangers]
    scale = [1.0] * len(everybody)
    for _ in range(3000):
        for at, number in rows.items():
            share = sum(s for s, own in zip(scale, everybody, strict=True) if at in own)
            weight[at] = number / share if share else 0.0
        scale = [1 / max(sum(weight[at] for at in own), 1e-300) for own in everybody]
    found = []
    for own in sets:
        whole = sum(weight[at] for at in own)
        found.append({at: weight[at] / whole for at in own} if whole else {})
    return found
