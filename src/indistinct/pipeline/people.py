"""Whose records are these: people of a table as its policy names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.metadata import ValueMetadata
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.people import Events, People

if TYPE_CHECKING:
    from indistinct.policy import Policy

_PSEUDONYM = 6
"""What a generator draws for, beside the seed; see :mod:`indistinct.pipeline.transforming`."""


def people_in(
    texts: pl.DataFrame,
    policy: Policy,
    file: str | None,
    *,
    attributes: Sequence[str] | None = None,
) -> People | None:
    """The people behind a table's rows, where the policy names their column.

    Arguments:
        texts: the rows, with the person's column and the quasi-identifiers.
        policy: names the column, and what becomes of quasi-identifiers that differ.
        file: the table's name, for messages.
        attributes: what has to be the same in all rows of a person; the quasi-identifiers where
            not given.

    Raises:
        DataError: rows without a person, or quasi-identifiers that differ within one.
    """
    if policy.person is None:
        return None
    return People.of(
        texts,
        policy.person,
        policy.quasi_identifiers if attributes is None else attributes,
        conflicts=policy.source.conflicts,
        file=file,
    )


def events_of(people: People, texts: pl.DataFrame, sensitive: Sequence[str]) -> Events:
    """The records of people with their sensitive values."""
    return Events(people.person_of, texts.select(sensitive))


def pairs_of(events: Events, name: str) -> pl.Series:
    """The values of an attribute, each once for every person who has it."""
    pairs = pl.DataFrame({"person": events.person_of, "value": events.texts[name]})
    return pairs.unique(maintain_order=True)["value"].alias(name)


def most_sensitive(
    people: People, rows: pl.DataFrame, known: Mapping[str, ValueMetadata]
) -> pl.DataFrame:
    """The people's quasi-identifiers, and of ranked attributes the most critical value of each."""
    columns = []
    for name, about in known.items():
        if about.ranks:
            order = sorted(about.ranks, key=lambda value: (about.ranks[value], value or ""))
            place = codes_in(rows[name], order)
            found = pl.DataFrame({"person": people.person_of, "value": rows[name], "place": place})
            first = found.sort("person", "place", maintain_order=True).unique(
                "person", keep="first", maintain_order=True
            )
            columns.append(first["value"].alias(name))
    return people.texts.with_columns(columns)


def pseudonyms_of(people: People, seed: int) -> pl.Series:
    """A pseudonym of every row's person, made for one release alone, [rows].

    A number from 1 to the number of people, drawn at random: it tells nothing of the person, and
    not where the person's records stood.
    """
    random = np.random.default_rng([seed, _PSEUDONYM])
    number = random.permutation(people.count) + 1
    width = len(str(people.count))
    texts = pl.Series(number).cast(pl.String).str.zfill(width)
    return texts.gather(pl.Series(people.person_of)).alias(people.key)


def has_own_pseudonym(policy: Policy) -> bool:
    """Whether the person's column gets a pseudonym made for the release."""
    return policy.person is not None and policy.attributes[policy.person].transform is None


def same_in_all_records(people: People, texts: pl.DataFrame) -> pl.DataFrame:
    """The columns that are the same in all records of a person, a row for every person.

    Arguments:
        people: whose the records are.
        texts: columns of the table, a row for every record.
    """
    first = pl.Series(people.first_rows())
    person = pl.Series("\0person", people.person_of)
    return pl.DataFrame(
        [
            values.gather(first)
            for values in texts.get_columns()
            if pl.DataFrame([person, values]).n_unique() == people.count
        ]
    )


def cautions_of(people: People) -> list[str]:
    """What the custodian should know of how rows became people."""
    return [
        f"'{name}' differed between the records of {number} people: one value was chosen for each"
        for name, number in people.resolved.items()
    ]
