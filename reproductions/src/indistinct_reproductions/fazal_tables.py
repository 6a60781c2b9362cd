"""What Fazal and others (2023) print: eight patients, their symptoms, and what becomes of them.

    R. Fazal, R. Khan, A. Anjum, M. H. Syed, A. Khan, S. Rehman: "Improved angelization technique
    against background knowledge attack for 1:M microdata". PeerJ Computer Science 9:e1255, 2023.

Quoted as printed, slips included; :mod:`.fazal` tells of these. Names, which the
paper prints beside the numbers of its patients, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

PERSON, SYMPTOM = "person", "symptom"
QUASI = ("age", "zip", "gender")

MU = 0.6
"""Khan and others (2020), whose theta is taken over; the paper names no value of its own."""

K = 2
"""Table 12 has classes and buckets of two."""


@dataclass(frozen=True)
class Visit:
    """A line of Table 1 or Table 11."""

    person: str
    name: str
    age: str
    zip_code: str
    gender: str
    symptom: str

    @property
    def quasi(self) -> tuple[str, str, str]:
        """The quasi-identifiers."""
        return self.age, self.zip_code, self.gender


def _visits(text: str) -> tuple[Visit, ...]:
    return tuple(
        Visit(*(part.strip() for part in line.split("|"))) for line in text.strip().splitlines()
    )


TABLE_1 = _visits("""
    p1 | t1  | 40 | 2139 | Female | Flu
    p1 | t2  | 40 | 2139 | Female | Chills
    p1 | t3  | 40 | 2139 | Female | Fever
    p2 | t4  | 45 | 2545 | Male   | Difficult Breathing
    p2 | t5  | 45 | 2545 | Male   | Lungs Infection
    p3 | t6  | 45 | 2238 | Female | Cough
    p3 | t7  | 45 | 2238 | Female | Chest Pain
    p4 | t8  | 38 | 2843 | Male   | Stomach Pain
    p4 | t9  | 38 | 2843 | Male   | Lungs Infection
    p5 | t10 | 42 | 2341 | Female | Headache
    p5 | t11 | 42 | 2341 | Female | Tiredness
    p5 | t12 | 42 | 2341 | Female | Flu
    p6 | t13 | 40 | 2548 | Male   | Headache
    p6 | t14 | 40 | 2548 | Male   | Flu
    p7 | t15 | 45 | 2544 | Female | No symptoms
    p8 | t16 | 32 | 2538 | Male   | Headache
""")
"""Sixteen records of eight people."""

PEOPLE = tuple(dict.fromkeys(visit.person for visit in TABLE_1))

TABLE_2: Mapping[str, tuple[str, ...]] = {
    "p1": ("Flu", "Chills", "Fever"),
    "p2": ("Difficult Breathing", "Lungs Infection"),
    "p3": ("Chest pain", "Cough"),
    "p4": ("Stomach pain", "Lungs Infection"),
    "p5": ("Flu", "Tiredness", "Headache"),
    "p6": ("Flu", "Headache"),
    "p7": ("No Symptoms",),
    "p8": ("Headache",),
}
"""The same with a record per person."""

TABLE_3: Mapping[str, tuple[str, ...]] = {
    "A-symptomatic": ("No Symptoms",),
    "Low": ("Flu", "Headache", "Tiredness"),
    "Mild": ("Loss of Appetite", "Cough", "Chills", "Fever"),
    "High": ("Stomach Pain", "Difficult Breathing", "Chest Pain"),
    "Severe": ("Lung's Infection", "Respiratory Problem"),
}
"""The categories, from the least to the most severe."""

LEVELS = tuple(TABLE_3)

TABLE_4: Mapping[str, str] = {
    "t1": "Low",
    "t2": "Mild",
    "t3": "Mild",
    "t4": "High",
    "t5": "Severe",
    "t6": "Mild",
    "t7": "High",
    "t8": "High",
    "t9": "Severe",
    "t10": "Low",
    "t11": "Low",
    "t12": "Low",
    "t13": "Low",
    "t14": "Low",
    "t15": "A-symptomatic",
    "t16": "Low",
}
"""The category of every record."""

TABLE_10: Mapping[str, str] = {
    "p1": "Mild",
    "p2": "Severe",
    "p3": "High",
    "p4": "Severe",
    "p5": "Low",
    "p6": "Low",
    "p7": "A-symptomatic",
    "p8": "Low",
}
"""The category that everybody keeps."""

TABLE_11 = _visits("""
    p1 | t1  | 40 | 2139  | Female | Low
    p1 | t2  | 40 | 2139  | Female | Mild
    p2 | t4  | 45 | 2545  | Male   | High
    p3 | t6  | 45 | 2238  | Female | Mild
    p4 | t8  | 38 | 2843  | Male   | High
    p5 | t10 | 42 | 2341  | Female | Low
    p5 | t11 | 42 | 234a1 | Female | Low
    p6 | t14 | 40 | 2548  | Male   | Low
""")
"""History: the records that nobody keeps."""


@dataclass(frozen=True)
class Row:
    """A line of Table 12A: whose it is, the class, its cells, and the bucket.

    ``exact`` is what stands in brackets behind the ranges.
    """

    person: str
    group: int
    age: tuple[int, int]
    zip_code: tuple[int, int]
    gender: str
    exact: tuple[str, str]
    bucket: int

    @property
    def cells(self) -> tuple[str, str, str]:
        """The ranges as a release has them, and the gender."""
        ends = (self.age, self.zip_code)
        age, code = (f"[{low}, {high}]" if low < high else str(low) for low, high in ends)
        return age, code, self.gender


TABLE_12A = (
    Row("p1", 1, (40, 42), (2139, 2341), "Female", ("40", "2319"), 1),
    Row("p5", 1, (40, 42), (2139, 2341), "Female", ("42", "2341"), 3),
    Row("p2", 2, (40, 45), (2545, 2548), "Male", ("45", "2545"), 1),
    Row("p6", 2, (40, 45), (2545, 2548), "Male", ("40", "2548"), 4),
    Row("p3", 3, (45, 45), (2238, 2544), "Female", ("45", "2238"), 2),
    Row("p7", 3, (45, 45), (2238, 2544), "Female", ("45", "2544"), 3),
    Row("p4", 4, (32, 38), (2538, 2843), "Male", ("38", "2843"), 2),
    Row("p8", 4, (32, 38), (2538, 2843), "Male", ("32", "2538"), 4),
    Row("n1", 4, (32, 38), (2538, 2843), "Male", ("32", "2538"), 4),
)
"""The quasi table; n1 is made up."""

TABLE_12B: Mapping[int, tuple[str, ...]] = {
    1: ("Mild", "Severe"),
    2: ("High", "Severe"),
    3: ("Low", "A-symptomatic"),
    4: ("Low", "Low", "Mild"),
}
"""The sensitive table."""

NOISE = "n1"
NOISE_VALUE = "Mild"
"""Bucket 4 has the Low of p6 and of p8, and this."""

SCENARIO_1 = ("Headache", "Flu", "Tiredness", "Chills")
PARTIAL_CUT = ("Chills", "Low")
"""Scenario I: what (k,l)-diversity publishes of somebody with these four, according to the text."""


def spelt_alike(symptom: str) -> str:
    """A symptom without case and apostrophes, in which the paper's tables differ.

    >>> spelt_alike("Lung's Infection") == spelt_alike("Lungs infection")
    True
    """
    return symptom.replace("'", "").casefold()


CATEGORY: Mapping[str, str] = {
    spelt_alike(symptom): level for level, symptoms in TABLE_3.items() for symptom in symptoms
}
"""The category of every symptom, spelt alike."""


def frame_of_table_1() -> pl.DataFrame:
    """Table 1 as a table."""
    return pl.DataFrame(
        [(visit.person, *visit.quasi, visit.symptom) for visit in TABLE_1],
        schema=dict.fromkeys((PERSON, *QUASI, SYMPTOM), pl.String),
        orient="row",
    )


def frames_of_table_12(*, noise: bool = True) -> dict[str, pl.DataFrame]:
    """Table 12 as two linked tables, without the exact values that the paper prints in brackets.

    Arguments:
        noise: with the made-up record and its value.
    """
    rows = [row for row in TABLE_12A if noise or row.person != NOISE]
    listed = [(str(bucket), value) for bucket, values in TABLE_12B.items() for value in values]
    if not noise:
        listed.remove((str(rows[-1].bucket), NOISE_VALUE))
    return {
        "quasi": pl.DataFrame(
            [(*row.cells, str(row.bucket)) for row in rows],
            schema=dict.fromkeys((*QUASI, "bucket"), pl.String),
            orient="row",
        ),
        "sensitive": pl.DataFrame(
            listed, schema={"bucket": pl.String, SYMPTOM: pl.String}, orient="row"
        ),
    }


def partial_cut(symptoms: tuple[str, ...]) -> tuple[str, ...]:
    """What Scenario I has published of a person's symptoms, sorted.

    A category stands in place of its symptoms where somebody has two of them or more; a symptom
    that is alone in its category stays as it is.

    >>> partial_cut(("Headache", "Flu", "Tiredness", "Chills"))
    ('Chills', 'Low')
    """
    own: dict[str, list[str]] = {}
    for symptom in dict.fromkeys(symptoms):
        own.setdefault(CATEGORY[spelt_alike(symptom)], []).append(symptom)
    return tuple(sorted(level if len(some) > 1 else some[0] for level, some in own.items()))
