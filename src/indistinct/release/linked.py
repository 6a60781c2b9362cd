"""From a plan of linked tables to the two tables that are published."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from indistinct.randomness import Random
from indistinct.recoding.linked_plan import Buckets, LinkedPlan
from indistinct.types import Ints, Ints32, PlainMapping

BUCKET = "bucket"
"""The column that links the two tables."""

ATTRIBUTE, VALUE = "attribute", "value"
"""Columns of a sensitive table that lists several attributes."""


def quasi_table(
    plan: LinkedPlan, names: Ints, beside: pl.DataFrame, random: Random
) -> pl.DataFrame:
    """A row for every published person: the cells of the class, and the bucket.

    Arguments:
        plan: who is in which class and bucket.
        names: the published number of every bucket, [B].
        beside: columns of the people that are published as they are, [n]; made-up people take
            theirs from people of their class.
        random: orders the rows, and draws for made-up people.
    """
    there = np.flatnonzero(~plan.suppressed)
    group = plan.quasi.class_of[there]
    bucket = plan.bucket_of[there]
    taken = there
    if plan.noise:
        made = np.array([one.group for one in plan.noise], np.int32)
        taken = np.concatenate([taken, _somebody(group, there, made, random)])
        group = np.concatenate([group, made])
        bucket = np.concatenate([bucket, np.array([one.bucket for one in plan.noise], np.int32)])
    order = random.permutation(len(group))
    columns = [
        pl.Series(name, list(texts), pl.String).gather(pl.Series(cell_of[group[order]]))
        for name, texts, cell_of in zip(
            plan.attributes, plan.quasi.texts, plan.quasi.cell_of, strict=True
        )
    ]
    others = beside.select(pl.all().gather(pl.Series(taken[order]))).get_columns()
    # Texts are copied out of the memory that they share with the source's.
    others = [part + "" if part.dtype == pl.String else part for part in others]
    return pl.DataFrame([*columns, *others, pl.Series(BUCKET, names[bucket[order]])])


def _somebody(group: Ints32, people: Ints, wanted: Ints32, random: Random) -> Ints:
    """For each of the groups that are wanted one of its people, drawn at random."""
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], wanted, side="left")
    ends = np.searchsorted(group[order], wanted, side="right")
    return people[order[random.integers(starts, np.maximum(ends, starts + 1))]]


def sensitive_table(plan: LinkedPlan, names: Ints, random: Random) -> pl.DataFrame:
    """What the people of each bucket have: rows in random order.

    One attribute has a column of its name; of several, every row names its attribute.

    Arguments:
        plan: what each bucket lists.
        names: the published number of every bucket, [B].
        random: orders the rows.
    """
    parts = {name: _listed(part, names) for name, part in plan.buckets.items()}
    if len(parts) == 1:
        name, (bucket, values) = next(iter(parts.items()))
        found = pl.DataFrame([bucket, values.alias(name)])
    else:
        found = pl.concat(
            [
                pl.DataFrame([bucket, pl.Series(ATTRIBUTE, [name] * len(bucket)), values])
                for name, (bucket, values) in parts.items()
            ]
        )
    order = random.permutation(found.height)
    return found.select(pl.all().gather(pl.Series(order)))


def _listed(part: Buckets, names: Ints) -> tuple[pl.Series, pl.Series]:
    labels = pl.Series(VALUE, list(part.labels), pl.String)
    return (
        pl.Series(BUCKET, names[part.row_of]),
        labels.gather(pl.Series(part.value.astype(np.int64))),
    )


def bucket_numbers(plan: LinkedPlan, random: Random) -> Ints:
    """The published number of every bucket, from 1, drawn at random, [B]."""
    buckets = len(next(iter(plan.buckets.values())))
    return random.permutation(buckets).astype(np.int64) + 1


def linked_tables(
    plan: LinkedPlan, beside: pl.DataFrame, random: Callable[[str], Random]
) -> Mapping[str, pl.DataFrame]:
    """The tables ``quasi`` and ``sensitive`` of a release.

    Arguments:
        plan: who is in which class and bucket.
        beside: columns of the people that are published as they are, [n].
        random: gives the random numbers for a purpose.
    """
    names = bucket_numbers(plan, random("publication.buckets"))
    return {
        "quasi": quasi_table(plan, names, beside, random("publication.quasi")),
        "sensitive": sensitive_table(plan, names, random("publication.sensitive")),
    }


def private_documents(
    plan: LinkedPlan, names: pl.Series, random: Callable[[str], Random]
) -> dict[str, PlainMapping | pl.DataFrame]:
    """What stays with the custodian: who is in which class and bucket, and the history.

    Arguments:
        plan: who is linked to what.
        names: the person's key in the source, [n].
        random: as :func:`linked_tables` was given it, so that buckets have their published numbers.
    """
    number = np.append(bucket_numbers(plan, random("publication.buckets")), -1)
    noise = {
        "person": [None] * len(plan.noise),
        "class": [one.group for one in plan.noise],
        "bucket": [int(number[one.bucket]) for one in plan.noise],
    }
    people = {
        "person": names.cast(pl.String),
        "class": plan.quasi.class_of[: len(names)].astype(np.int64),
        "bucket": number[plan.bucket_of[: len(names)]],
    }
    schema = {"person": pl.String, "class": pl.Int64, "bucket": pl.Int64}
    links = pl.concat([pl.DataFrame(people, schema), pl.DataFrame(noise, schema)])
    found: dict[str, PlainMapping | pl.DataFrame] = {"links.csv": links}
    if plan.history:
        found["history.csv"] = pl.concat(
            [
                pl.DataFrame(
                    {
                        "person": names.cast(pl.String).gather(pl.Series(part.person)),
                        "attribute": pl.Series([name] * len(part.person), dtype=pl.String),
                        "value": pl.Series(list(part.value), dtype=pl.String),
                        "records": part.count.astype(np.int64),
                    }
                )
                for name, part in plan.history.items()
            ]
        )
    if plan.log:
        found["moves.json"] = dict(plan.log)
    return found
