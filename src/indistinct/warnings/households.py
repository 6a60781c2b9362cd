"""Records that a pseudonym shows to belong together, and who is found among them by all of them.

A family has one address or one insured person. An attacker who knows its members knows the class of
each, and few families have these classes together: k-anonymity counts records one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from indistinct.document import share
from indistinct.types import Ints
from indistinct.warning_kinds import Kind, WarningText

MOST_MEMBERS = 10
"""Of larger groups hardly anybody knows all members."""

FEW_FOUND = 0.05
"""Where fewer are found nobody is warned."""

_HOUSE, _CLASS, _ROW = "\0house", "\0class", "\0row"


def found_together(house: pl.Series, group: Ints, person: pl.Series | None) -> float:
    """The share who are in a group of two or more whose classes together no other group has.

    Arguments:
        house: what shows which rows belong together; null shows nothing, [rows].
        group: the class of every row.
        person: whose every row is; None where each is another's.

    >>> import numpy as np
    >>> house = pl.Series(["h1", "h1", "h2", "h2", "h3", "h3", "h4"])
    >>> found_together(house, np.array([0, 1, 1, 0, 0, 2, 2]), None)
    0.2857142857142857
    """
    who = pl.int_range(len(house), eager=True) if person is None else person
    rows = pl.DataFrame({_HOUSE: house, _CLASS: group, _ROW: who}).unique([_HOUSE, _ROW])
    people = max(rows[_ROW].n_unique(), 1)
    houses = (
        rows.drop_nulls(_HOUSE)
        .group_by(_HOUSE)
        .agg(pl.len().alias(_ROW), pl.col(_CLASS).sort())
        .filter(pl.col(_ROW).is_between(2, MOST_MEMBERS))
        .with_columns(pl.col(_CLASS).cast(pl.List(pl.String)).list.join(","))
    )
    alone = houses.filter(pl.len().over(_CLASS) == 1)
    return float(alone[_ROW].sum()) / people


def warn_about_households(
    released: pl.DataFrame, names: Sequence[str], group: Ints, person: str | None
) -> list[WarningText]:
    """Warnings about columns that show which records belong together.

    Arguments:
        released: the release.
        names: columns whose equal values were replaced alike.
        group: the class of every row.
        person: the column of the person, where people have many records.
    """
    whose = None if person is None else released[person]
    shares = {name: found_together(released[name], group, whose) for name in names}
    unit = "records" if person is None else "people"
    return [
        Kind.RISK(
            f"'{name}' shows which {unit} belong together: an attacker who knows the "
            f"quasi-identifiers of all of them (a family) finds {share(part)} of {unit}, even in "
            "large classes; "
            "leave it out, or publish one record of each",
            part,
        )
        for name, part in shares.items()
        if part >= FEW_FOUND
    ]
