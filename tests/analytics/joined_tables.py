"""Small private tables of people, and any linked or long release of them, for brute force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl
from hypothesis import strategies as st

from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import Original, read_rows
from indistinct.analytics.release_view import ReleaseView, Sought
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.subjects import Subjects

AGES = ("20", "21", "23", "27", "30", None)
WARDS = ("A", "B", "C")
ILLS = ("a1", "a2", "b1", "c1")
CATEGORY = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}
KNOWN = ValueMetadata(categories=CATEGORY, category_order=("a", "b", "c"))

WARD_TREE = Taxonomy("ward", [("A", "top", "*"), ("B", "top", "*"), ("C", "low", "*")])
AGE_TREE = Taxonomy("age", [*((age, "*") for age in AGES if age is not None), (None, "*")])

AGE_CELLS = {
    "[20, 23]": {"20", "21", "23"},
    "[21, 27]": {"21", "23", "27"},
    "20": {"20"},
    "27": {"27"},
    "{20, 30}": {"20", "30"},
    "*": set(AGES),
}
WARD_CELLS = {
    "A": {"A"}, "C": {"C"}, "top": {"A", "B"}, "{B, C}": {"B", "C"}, "*": set(WARDS),
}  # fmt: skip
LABELS = {
    "a": {"a1", "a2"}, "b": {"b1"}, "c1": {"c1"}, "a1": {"a1"}, "{a2, b1}": {"a2", "b1"},
    "*": set(ILLS),
}  # fmt: skip
"""Published cells and labels, and the values that each stands for."""

Person = tuple[str | None, str, tuple[str, ...]]


@dataclass(frozen=True)
class Case:
    """A table of people and a release: rows of two cells and a bucket, and what buckets list."""

    people: list[Person]
    rows: list[tuple[str, str, int]]
    lists: dict[int, list[str]]
    holding: str

    @property
    def table(self) -> PeopleTable:
        rows = [
            (str(at), age, ward, ill)
            for at, (age, ward, ills) in enumerate(self.people)
            for ill in ills
        ]
        frame = pl.DataFrame(
            rows, schema=dict.fromkeys(["who", "age", "ward", "ill"], pl.String), orient="row"
        )
        found = Subjects.of_people(frame, "who", ["age", "ward"])
        trees = {"age": AGE_TREE, "ward": WARD_TREE}
        return PeopleTable.of(
            found.texts, trees, found.person_of, frame.select("ill"), {"ill": KNOWN}
        )

    def release(self, table: PeopleTable) -> JoinedRelease:
        frame = pl.DataFrame(
            [(age, ward, str(bucket)) for age, ward, bucket in self.rows],
            schema=dict.fromkeys(["age", "ward", "bucket"], pl.String),
            orient="row",
        )
        listed = pl.DataFrame(
            [(str(bucket), label) for bucket, own in self.lists.items() for label in own],
            schema={"bucket": pl.String, "ill": pl.String},
            orient="row",
        )
        return JoinedRelease.of_linked(
            read_rows(table.original, frame.drop("bucket")),
            frame["bucket"],
            {"ill": listed},
            self.holding,
        )

    def share(self, bucket: int, label: str) -> float:
        """How likely a person of a bucket has a label, the slow way."""
        own = self.lists[bucket]
        if self.holding == "all":
            return float(label in own)
        of = len(own) if self.holding == "one" else sum(row[2] == bucket for row in self.rows)
        return min(own.count(label) / of, 1.0)

    def belief(self, bucket: int, label: str) -> float:
        """How likely a person of a bucket is one of those of whom a label is true."""
        below = [own for own in set(self.lists[bucket]) if LABELS[own] <= LABELS[label]]
        shares = [self.share(bucket, own) for own in below]
        return min(sum(shares), 1.0) if self.holding == "one" else max(shares, default=0.0)


def fits(person: Person, row: tuple[Any, ...]) -> bool:
    """Whether the cells of a row stand for the values of a person."""
    return person[0] in AGE_CELLS[row[0]] and person[1] in WARD_CELLS[row[1]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    person = st.tuples(
        st.sampled_from(AGES),
        st.sampled_from(WARDS),
        st.lists(st.sampled_from(ILLS), min_size=1, max_size=3).map(tuple),
    )
    people = draw(st.lists(person, min_size=1, max_size=8))
    if all(age is None for age, _, _ in people):
        people[0] = ("20", *people[0][1:])
    buckets = draw(st.integers(1, 3))
    row = st.tuples(
        st.sampled_from([*AGE_CELLS]), st.sampled_from([*WARD_CELLS]), st.integers(1, buckets)
    )
    rows = draw(st.lists(row, min_size=1, max_size=9))
    rows += [("[20, 23]", "top", bucket) for bucket in range(1, buckets + 1)]
    own = st.lists(st.sampled_from([*LABELS]), min_size=1, max_size=4)
    lists = {bucket: draw(own) for bucket in range(1, buckets + 1)}
    return Case(people, rows, lists, draw(st.sampled_from(["one", "some", "all"])))


def long_release(
    original: Original, rows: pl.DataFrame, person: str, sensitive: str
) -> JoinedRelease:
    """A table with a row for every record, and who it is of."""
    sought = Sought(quasi=original.attributes, sensitive=(sensitive,), person=person)
    return ReleaseView.read(rows, sought).joined(original, "the release", ())
