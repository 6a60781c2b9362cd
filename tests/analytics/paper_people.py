"""The paper's eight people and the release of its Table 12, by hand."""

from __future__ import annotations

import polars as pl
from tests.recoding.people import CATEGORY, KNOWN, PEOPLE, QUASI, SYMPTOM, rows_of_table_1

from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import read_rows
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.subjects import Subjects

EC = {
    1: ("[40, 42]", "[2139, 2341]", "Female"),
    2: ("[40, 45]", "[2545, 2548]", "Male"),
    3: ("45", "[2238, 2544]", "Female"),
    4: ("[32, 38]", "[2538, 2843]", "Male"),
}
"""The classes of Table 12A; the paper prints the exact values of p3 and p7's age."""

QT = [
    ("p1", 1, 1), ("p5", 1, 3), ("p2", 2, 1), ("p6", 2, 4), ("p3", 3, 2), ("p7", 3, 3),
    ("p4", 4, 2), ("p8", 4, 4), ("n1", 4, 4),
]  # fmt: skip
"""Person, class and bucket of every row of Table 12A."""

ST = {
    1: ("Mild", "Severe"),
    2: ("High", "Severe"),
    3: ("Low", "A-symptomatic"),
    4: ("Low", "Low", "Mild"),
}
"""Table 12B."""

__all__ = ["CATEGORY", "EC", "KNOWN", "PEOPLE", "QT", "QUASI", "ST", "SYMPTOM", "rows_of_table_1"]


def taxonomies() -> dict[str, Taxonomy]:
    rows = rows_of_table_1()
    return {
        name: Taxonomy(name, [(value, "*") for value in sorted(set(rows[name]))]) for name in QUASI
    }


def people() -> PeopleTable:
    rows = rows_of_table_1()
    found = Subjects.of_people(rows, "person", QUASI)
    return PeopleTable.of(
        found.texts, taxonomies(), found.person_of, rows.select(SYMPTOM), {SYMPTOM: KNOWN}
    )


def tables(*, noise: bool = True) -> dict[str, pl.DataFrame]:
    """The quasi table and the sensitive table; without noise, rows of real people alone."""
    rows = [(*EC[group], bucket) for name, group, bucket in QT if noise or name != "n1"]
    listed = [(bucket, value) for bucket, values in ST.items() for value in values]
    if not noise:
        listed.remove((4, "Mild"))
    return {
        "quasi": pl.DataFrame(rows, schema=[*QUASI, "bucket"], orient="row"),
        "sensitive": pl.DataFrame(listed, schema=["bucket", SYMPTOM], orient="row"),
    }


def table_12(table: PeopleTable, *, noise: bool = True) -> JoinedRelease:
    frames = tables(noise=noise)
    return JoinedRelease.of_linked(
        read_rows(table.original, frames["quasi"].select(QUASI)),
        frames["quasi"]["bucket"].cast(pl.String),
        {SYMPTOM: frames["sensitive"].select(pl.col("bucket").cast(pl.String), SYMPTOM)},
        "one",
    )
