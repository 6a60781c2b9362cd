"""Whether the rows of a table are combinations with a count, and not records of people.

So are tables that a query or a cross-tabulation has grouped: no two rows are equal but for the
count, where of records many would be by chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from indistinct.analytics.profile.names import is_one_of
from indistinct.sources.table import Table

COUNTS = (
    "count", "counts", "cnt", "n", "nb", "freq", "frequency", "cases", "people", "persons",
    "patients", "anzahl", "haufigkeit", "faelle", "effectif", "casos", "aantal", "numerosita",
    "cantidad", "quantidade", "conteo", "contagem", "frecuencia", "frequencia", "frequenza",
    "liczba", "sayi", "adet", "antal", "antall", "deaths", "defunciones", "obitos", "muertes",
    "nombre de cas",
    "number of people", "number of persons", "number of patients", "number of cases",
)  # fmt: skip
"""What a column is called that says how many people a row stands for."""

OF = ("of", "people", "persons", "patients", "cases", "records", "rows")
"""Words that may stand beside these."""

FEWEST_EQUAL = 5.0
"""So many pairs of equal rows must be expected by chance, for their lack to say something."""

LOOKED_AT = 20_000
"""Rows that are looked at."""


def column_of_counts(table: Table, columns: Sequence[str]) -> str | None:
    """The column that says how many people each row of a table stands for; None without one.

    Its name says so, its values are whole numbers from 0 on, and no two rows are equal in all other
    columns, though many would be if these were drawn one by one. Columns that are different in
    every row are no others.
    """
    columns = [name for name in columns if table.kinds[name] != "other"]
    named = [name for name in columns if is_one_of(name, COUNTS, OF)]
    if len(named) != 1 or len(columns) < 2:
        return None
    rows = table.sample(columns, LOOKED_AT)
    counts = rows[named[0]].cast(pl.Int64, strict=False)
    least, most = counts.min(), counts.max()
    if counts.null_count() or not isinstance(least, int) or not isinstance(most, int):
        return None
    if least < 0 or most < 2:
        return None
    others = [name for name in columns if name != named[0] and rows[name].is_duplicated().any()]
    equal = rows.height * (rows.height - 1) / 2
    for name in others:
        equal *= float((rows[name].value_counts()["count"] / rows.height).pow(2).sum())
    if equal < FEWEST_EQUAL or not others or rows.select(others).is_duplicated().any():
        return None
    return named[0]


def told_of_counts(name: str) -> str:
    """What is to be known of a table whose rows are combinations with a count."""
    return (
        f"'{name}' seems to say how many people each row stands for, as no two rows are equal "
        "otherwise: every promise and figure counts rows, and not these people; write a row for "
        f"each person (repeat every row as often as '{name}' says), and leave '{name}' out"
    )
