"""People with many records, small enough to look at: the paper's eight, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from hypothesis import strategies as st

from indistinct.hierarchies.intervals import intervals_taxonomy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Subjects
from indistinct.recoding.linked import LinkedPlan, LinkedTable
from indistinct.release.audit import Audit, audit
from indistinct.release.linked import linked_tables
from indistinct.requirement import Requirement

LEVELS = ("A-symptomatic", "Low", "Mild", "High", "Severe")

CATEGORY = {
    "No symptoms": "A-symptomatic",
    "Flu": "Low",
    "Headache": "Low",
    "Tiredness": "Low",
    "Loss of Appetite": "Mild",
    "Cough": "Mild",
    "Chills": "Mild",
    "Fever": "Mild",
    "Stomach Pain": "High",
    "Difficult Breathing": "High",
    "Chest Pain": "High",
    "Lungs Infection": "Severe",
    "Respiratory Problem": "Severe",
}
"""Table 3 of Fazal and others (2023)."""

PEOPLE = {
    "p1": ("40", "2139", "Female", ("Flu", "Chills", "Fever")),
    "p2": ("45", "2545", "Male", ("Difficult Breathing", "Lungs Infection")),
    "p3": ("45", "2238", "Female", ("Cough", "Chest Pain")),
    "p4": ("38", "2843", "Male", ("Stomach Pain", "Lungs Infection")),
    "p5": ("42", "2341", "Female", ("Headache", "Tiredness", "Flu")),
    "p6": ("40", "2548", "Male", ("Headache", "Flu")),
    "p7": ("45", "2544", "Female", ("No symptoms",)),
    "p8": ("32", "2538", "Male", ("Headache",)),
}
"""Table 1 of Fazal and others (2023)."""

QUASI = ("age", "zip", "gender")
SYMPTOM = "symptom"

KNOWN = ValueMetadata(categories=CATEGORY, category_order=LEVELS, order=())


def rows_of_table_1() -> pl.DataFrame:
    """The paper's sixteen records."""
    rows = [(person, *own[:3], symptom) for person, own in PEOPLE.items() for symptom in own[3]]
    return pl.DataFrame(rows, schema=["person", *QUASI, SYMPTOM], orient="row")


def table_1() -> LinkedTable:
    """The paper's eight people."""
    rows = rows_of_table_1()
    taxonomies = {
        "age": intervals_taxonomy("age", sorted(set(rows["age"])), width=5),
        "zip": intervals_taxonomy("zip", sorted(set(rows["zip"])), width=200),
        "gender": Taxonomy("gender", [("Female", "*"), ("Male", "*")]),
    }
    return linked(rows, "person", taxonomies, {SYMPTOM: KNOWN})


def linked(
    rows: pl.DataFrame,
    key: str,
    taxonomies: dict[str, Taxonomy],
    known: dict[str, ValueMetadata],
    population: pl.DataFrame | None = None,
) -> LinkedTable:
    """Rows as people with their records."""
    people = Subjects.of_people(rows, key, list(taxonomies), list(known))
    microdata = Microdata.encode(
        people, taxonomies, list(known), population=population, by_record=True
    )
    assert people.events is not None
    return LinkedTable.joined(microdata.knowing(known).data, people.events)


ILLS = {f"{name}{at}": name for name in "abcde" for at in (1, 2)}
JOBS = {f"{name}{at}": name for name in "uvwx" for at in (1, 2)}

OF_ILLS = ValueMetadata(categories=ILLS, category_order=tuple("abcde"))
OF_JOBS = ValueMetadata(categories=JOBS, category_order=tuple("uvwx"))

AGES = Taxonomy("age", [(str(age), "young" if age < 40 else "old", "*") for age in range(20, 60)])
PLACES = Taxonomy("place", [(town, town.upper(), "*") for town in "abcd"])


def random_people(
    people: Sequence[tuple[int, str, Sequence[str], Sequence[str]]], jobs: bool
) -> LinkedTable:
    """People with an age, a place, and illnesses (and jobs) in as many records as they have."""
    rows = []
    for person, (age, place, ills, works) in enumerate(people):
        for at in range(max(len(ills), len(works))):
            rows.append(
                (str(person), str(age), place, ills[at % len(ills)], works[at % len(works)])
            )
    frame = pl.DataFrame(rows, schema=["person", "age", "place", "ill", "job"], orient="row")
    known = {"ill": OF_ILLS} | ({"job": OF_JOBS} if jobs else {})
    return linked(frame, "person", {"age": AGES, "place": PLACES}, known)


@st.composite
def many(draw: st.DrawFn, least: int = 4, most: int = 60, *, jobs: bool = False) -> LinkedTable:
    """Up to so many people, with one to four illnesses each."""
    person = st.tuples(
        st.integers(20, 59),
        st.sampled_from("abcd"),
        st.lists(st.sampled_from([*ILLS]), min_size=1, max_size=4),
        st.lists(st.sampled_from([*JOBS]), min_size=1, max_size=2),
    )
    return random_people(draw(st.lists(person, min_size=least, max_size=most)), jobs)


def audited(plan: LinkedPlan, promises: Sequence[Any], quasi: Sequence[str]) -> Audit:
    """The audit of the two published tables, by the promises."""
    import numpy as np

    frames = linked_tables(plan, pl.DataFrame(), lambda purpose: np.random.default_rng(0))
    holding = next(iter(plan.buckets.values())).holding
    asked = [
        Requirement(part.model, part.parameters, part.on, part.sensitive, "person", part.reference)
        for part in promises
    ]
    return audit(
        frames,
        asked,
        tuple(quasi),
        known=dict(plan.known),
        linked={"quasi": "quasi", "sensitive": "sensitive", "by": "bucket", "holding": holding},
    )
