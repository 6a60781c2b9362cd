"""Small scenes of people with many records, and the tables of Fazal and others (2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from tests.recoding.people import CATEGORY as CATEGORIES
from tests.recoding.people import LEVELS, PEOPLE, QUASI

from indistinct.analytics.attacks import AttackContext, Places
from indistinct.analytics.weighted import Lists
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata

Values = Sequence[str | None]

TABLE_1 = {name: (own[:3], own[3]) for name, own in PEOPLE.items()}
"""The people of Table 1: age, zip code and gender, and the symptoms of their records."""

SYMPTOMS = ValueMetadata(categories=CATEGORIES, category_order=LEVELS)

EC = (
    ("[40, 42]", "[2139, 2341]", "Female"),
    ("[40, 45]", "[2545, 2548]", "Male"),
    ("45", "[2238, 2544]", "Female"),
    ("[32, 38]", "[2538, 2843]", "Male"),
)
"""The classes of Table 12 (a), without the exact values that are printed in brackets."""

TABLE_12A = (
    (0, 1), (0, 3), (1, 1), (1, 4), (2, 2), (2, 3), (3, 2), (3, 4), (3, 4),
)  # fmt: skip
"""The class and the bucket of every row; the last one is noise."""

TABLE_12B = {
    1: ("Mild", "Severe"),
    2: ("High", "Severe"),
    3: ("Low", "A-symptomatic"),
    4: ("Low", "Low", "Mild"),
}


def taxonomies(people: pl.DataFrame) -> dict[str, Taxonomy]:
    """Hierarchies of two levels over the values that people have."""
    return {
        name: Taxonomy(name, [(value, "*") for value in people[name].unique().sort().to_list()])
        for name in people.columns
    }


def lists(entries: Sequence[Values]) -> Lists:
    """The values of every person, or of every bucket."""
    owner = np.repeat(np.arange(len(entries)), [len(own) for own in entries])
    flat = [value for own in entries for value in own]
    return Lists.gathered(owner, pl.Series(flat, dtype=pl.String), len(entries))


def table_1() -> pl.DataFrame:
    """The exact quasi-identifiers of the people."""
    return pl.DataFrame([own for own, _ in TABLE_1.values()], schema=list(QUASI), orient="row")


def table_12(**more: Any) -> AttackContext:
    """The release of Table 12, attacked with Table 1."""
    people = table_1()
    settings: dict[str, Any] = {"known": {"s": SYMPTOMS}, **more}
    rows = pl.DataFrame([EC[group] for group, _ in TABLE_12A], schema=list(QUASI), orient="row")
    return AttackContext(
        places=Places(QUASI, people, rows, taxonomies(people)),
        sensitive=("s",),
        values={"s": lists([own for _, own in TABLE_1.values()])},
        bucket_of=np.array([bucket - 1 for _, bucket in TABLE_12A], np.int32),
        buckets={"s": lists(list(TABLE_12B.values()))},
        bucket_semantics="one",
        **settings,
    )


def of_people(
    classes: Sequence[Sequence[Values]],
    *,
    published: Sequence[Values] | None = None,
    bucket_of: Sequence[int] | None = None,
    semantics: str = "all",
    extra_rows: Sequence[int] = (),
    **more: Any,
) -> AttackContext:
    """People in classes, each with their values and a quasi-identifier of their own.

    Every person has a bucket that lists exactly the own values (a long release), unless other
    buckets are given. ``extra_rows`` are the classes of further rows, linked as ``bucket_of`` says.
    """
    names = [[f"{at}.{place}" for place in range(len(own))] for at, own in enumerate(classes)]
    chains = [(leaf, f"class {at}", "*") for at, own in enumerate(names) for leaf in own]
    values = [own for part in classes for own in part]
    rows = [f"class {at}" for at, own in enumerate(classes) for _ in own]
    rows += [f"class {at}" for at in extra_rows]
    leaves = [leaf for own in names for leaf in own]
    of = list(range(len(values))) if bucket_of is None else list(bucket_of)
    text = {"q": pl.String}
    places = Places(
        ("q",),
        pl.DataFrame({"q": leaves}, schema=text),
        pl.DataFrame({"q": rows}, schema=text),
        {"q": Taxonomy("q", chains or [("nobody", "*")])},
        more.pop("population", None),
    )
    return AttackContext(
        places=places,
        sensitive=("s",),
        values={"s": lists(values)},
        bucket_of=np.array(of, np.int32),
        buckets={"s": lists(values if published is None else published)},
        bucket_semantics=semantics,
        **more,
    )


def of_lists(
    quasi: Sequence[str],
    sensitive: Sequence[str],
    people: pl.DataFrame,
    rows: pl.DataFrame,
    taxonomies: Mapping[str, Taxonomy],
    *,
    population: pl.DataFrame | None = None,
    **more: Any,
) -> AttackContext:
    """People, rows about them, and what buckets list."""
    places = Places(tuple(quasi), people, rows, taxonomies, population=population)
    semantics = more.pop("semantics")
    return AttackContext(
        places=places, sensitive=tuple(sensitive), bucket_semantics=semantics, **more
    )


def partial_cut(values: Iterable[str], categories: Mapping[str | None, str]) -> set[str]:
    """A set as it is generalized no further than it has to be (Figure 2).

    A category takes the place of its values where two or more of them occur; a value that is alone
    in its category stays, and so does one without a category.
    """
    given = set(values)
    homes = {value: categories.get(value, value) for value in given}
    often = Counter(homes.values())
    return {home if often[home] > 1 else value for value, home in homes.items()}
