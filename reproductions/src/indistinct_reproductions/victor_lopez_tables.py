"""The tables and figures of Victor and Lopez (2020), quoted, and the graphs that they stand for.

Source: N. Victor, D. Lopez, "Privacy Preserving Sensitive Data Publishing Using (k,n,m) Anonymity
Approach", Journal of Communications Software and Systems 16 (1), 2020, doi
10.24138/jcomss.v16i1.825. Quoted from it are Tables II, III, V and VI and the figures of Figures 7
and 11. Figure 11 is small print, quoted from a copy of the text: single digits may be misread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import polars as pl

import indistinct as ind

THRESHOLD = 0.2
"""None is printed; 1.46 % of records at risk for k = 4 and none for k = 5 leave 0.2 to 0.25."""

QUASI = ("Age", "Gender", "Job", "Dis Status")
STATUS, DIAGNOSIS = "Dis Status", "Diagnosis"

_TABLE_II = """
    1  | 10 | Sarah  | 23 | F | Dancer      | Y | Hepatitis
    2  | 11 | Jacob  | 36 | M | Singer      | Y | Malaria
    3  | 12 | Julie  | 24 | F | Singer      | Y | Influenza
    4  | 13 | Luke   | 31 | M | Singer      | N | HIV
    5  | 14 | Anna   | 27 | F | Dancer      | Y | Malaria
    6  | 15 | Isaac  | 44 | M | Doctor      | N | H1N1
    7  | 16 | Andrew | 46 | M | Lawyer      | Y | Malaria
    8  | 17 | Dania  | 29 | F | Keyboardist | Y | Hepatitis
    9  | 18 | Mark   | 33 | M | Dancer      | N | H1N1
    10 | 19 | Samuel | 49 | M | Engineer    | Y | Influenza
    11 | 20 | John   | 38 | M | Keyboardist | Y | Hepatitis
    12 | 21 | Mathew | 41 | M | Engineer    | N | HIV
"""

_TABLE_III = """
    1  | 20-25 | F | Artist       | Y | Hepatitis
    2  | 20-25 | F | Artist       | Y | Influenza
    3  | 25-30 | F | Artist       | Y | Malaria
    4  | 25-30 | F | Artist       | Y | Hepatitis
    5  | 30-35 | M | Artist       | N | HIV
    6  | 30-35 | M | Artist       | N | H1N1
    7  | 35-40 | M | Artist       | Y | Malaria
    8  | 35-40 | M | Artist       | Y | Hepatitis
    9  | 40-45 | M | Professional | N | H1N1
    10 | 40-45 | M | Professional | N | HIV
    11 | 45-50 | M | Professional | Y | Malaria
    12 | 45-50 | M | Professional | Y | Influenza
"""


def _frame(text: str, columns: Sequence[str]) -> pl.DataFrame:
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def table_ii() -> pl.DataFrame:
    """Table II, all cells as text."""
    return _frame(_TABLE_II, ("Sl No", "H. No", "Name", *QUASI, DIAGNOSIS))


def table_iii() -> pl.DataFrame:
    """Table III, all cells as text."""
    return _frame(_TABLE_III, ("Sl No", *QUASI, DIAGNOSIS))


_KINDS = {
    "Artist": ("Dancer", "Singer", "Keyboardist"),
    "Professional": ("Doctor", "Lawyer", "Engineer"),
}

JOBS = ind.Taxonomy("Job", [(job, kind, "*") for kind, jobs in _KINDS.items() for job in jobs])
"""What Table III makes of the jobs of Table II."""


def age_range(age: str) -> str:
    """The range of Table III for an age: five years, each end printed twice.

    >>> age_range("23"), age_range("49")
    ('20-25', '45-50')
    """
    low = int(age) // 5 * 5
    return f"{low}-{low + 5}"


TABLE_V: Mapping[str, tuple[int, int]] = {"Adult": (8, 2), "Toy": (4, 2), "Disease": (4, 5)}
"""Quasi-identifiers, and values of the sensitive attribute."""

RECORDS = 30_162

TABLE_VI: Mapping[int, tuple[str, str, str]] = {
    2: ("8.61", "50", "5.95"),
    3: ("4.29", "33.33", "3.99"),
    4: ("1.46", "25", "2.5"),
    5: ("0", "20", "2.18"),
    6: ("0", "16.67", "1.97"),
    7: ("0", "14.29", "1.78"),
    8: ("0", "12.5", "1.6"),
    9: ("0", "11.11", "1.51"),
    10: ("0", "10", "1.45"),
}
"""For each k the records at risk, the highest risk and the success rate, in percent."""

RANKS: Mapping[int, str] = {1: "critical", 2: "major", 3: "medium", 4: "low"}
"""What Table IV calls the four ranks of sensitivity."""

FIGURE_7: Mapping[str, Mapping[str, int]] = {
    "1980": {
        "Diseases of heart": 761_065,
        "Malignant neoplasms": 415_589,
        "Cardiovascular diseases": 178_225,
        "Unintentional injuries": 105_715,
        "Chronic obstructive pulmonary diseases": 58_050,
        "Pneumonia and influenza": 54_519,
        "Diabetes mellitus": 34_851,
        "Chronic liver disease and cirrhosis": 34_583,
        "Alzheimer's disease": 29_449,
        "Suicide": 26_869,
    },
    "2016": {
        "Diseases of heart": 635_260,
        "Malignant neoplasms": 598_838,
        "Unintentional injuries": 161_374,
        "Chronic liver respiratory diseases": 154_596,
        "Cerebrovascular diseases": 142_142,
        "Alzheimer's disease": 116_183,
        "Diabetes mellitus": 80_858,
        "Influenza and pneumonia": 51_537,
        "Nephritis, nephrotic syndrome and nephrosis": 50_846,
        "Suicide": 44_965,
    },
}
"""Deaths by cause, as Figure 7 prints them under the title of sensitivity ranks."""

COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
"""The attributes of Figure 11."""

FIGURES = ("generalization intensity", "granularity", "non-uniform entropy", "squared error")

FIGURE_11: Mapping[int, Mapping[str, tuple[str, str, str, str]]] = {
    2: {
        "sex": ("91.77442", "91.77442", "91.06903", "91.77442"),
        "age": ("32.6436", "74.16115", "34.64906", "85.37705"),
        "race": ("91.77442", "91.77442", "80.67683", "82.78006"),
        "marital-status": ("91.77442", "91.77442", "88.43232", "92.25407"),
        "education": ("36.36147", "57.97913", "33.787", "29.71234"),
        "native-country": ("91.77442", "91.77442", "61.23532", "83.83328"),
        "workclass": ("91.77442", "91.77442", "97.79791", "92.7352"),
        "occupation": ("45.88721", "65.48329", "42.88831", "53.12903"),
        "salary-class": ("91.77442", "91.77442", "91.58176", "91.77442"),
    },
    10: {
        "sex": ("86.71176", "86.71176", "85.49548", "86.71176"),
        "age": ("21.67794", "70.07011", "22.94398", "80.88153"),
        "race": ("86.71176", "86.71176", "67.49509", "88.34319"),
        "marital-status": ("86.71176", "86.71176", "82.33795", "88.04373"),
        "education": ("28.90392", "54.73311", "31.61646", "27.90664"),
        "native-country": ("43.35588", "62.89172", "20.32943", "16.57924"),
        "workclass": ("43.35588", "61.89697", "33.84699", "77.99388"),
        "occupation": ("43.35588", "61.92815", "40.3306", "50.41687"),
        "salary-class": ("86.71176", "86.71176", "86.46125", "86.71176"),
    },
}
"""Quality by attribute in percent, for k = 2 and k = 10, in the order of :data:`FIGURES`."""

MISSING: Mapping[int, str] = {2: "0.22558", 10: "13.28824"}
"""Suppressed records in percent, as Figure 11 prints them."""


# -------- Attribute graphs --------


@dataclass(frozen=True)
class Graph:
    """Attributes of a table beside a name, and what links them.

    Arguments:
        table: columns that can be cut.
        ways: attributes that are linked, each to the next.
        sensitive: columns at which ways end.
        stand_ins: columns that derive from another one, or are a part of it, by the policy's word.
    """

    table: tuple[str, ...]
    ways: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...] = ("diagnosis",)
    stand_ins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def found(self) -> ind.QuasiIdentifiers:
        """The quasi-identifiers by the links alone.

        Raises:
            Unsatisfiable: a way passes no column that could be cut.
        """
        table = pl.DataFrame({name: ["a", "b"] for name in (*self.table, *self.sensitive)})
        attributes = {name: {"role": "insensitive", **self.stand_ins.get(name, {})}
                      for name in self.table}  # fmt: skip
        attributes |= {name: {"role": "sensitive"} for name in self.sensitive}
        links = [{"from": one, "to": other} for way in self.ways for one, other in pairwise(way)]
        policy = {"attributes": attributes}
        return ind.quasi(table, policy, identifiers=["name"], links=links, rows=False)


def _graph(table: Sequence[str], *ways: tuple[str, ...], **more: Any) -> Graph:
    return Graph(tuple(table), ways, **more)


PARALLEL = _graph(
    ("age", "gender", "job"),
    *(("name", attribute, "diagnosis") for attribute in ("age", "gender", "job")),
)
"""As Figure 2: a block of identifiers, one of quasi-identifiers side by side, one sensitive."""

STAND_INS = _graph(
    ("date of birth", "address", "age", "locality", "zip code"),
    ("name", "date of birth", "diagnosis"),
    ("name", "address", "diagnosis"),
    stand_ins={
        "age": {"derived_from": "date of birth"},
        "locality": {"part_of": "address"},
        "zip code": {"part_of": "address"},
    },
)
"""As Figures 4 and 5: a date of birth from which an age derives, an address with two parts."""

ALL_PARTS = _graph(
    ("locality", "zip code"), ("name", "locality", "diagnosis"), ("name", "zip code", "diagnosis")
)
"""The graph that section IV.A wants to avoid: an address replaced by all of its parts."""

GRAPHS: Mapping[str, Graph] = {
    "three in parallel": PARALLEL,
    "one after the other": _graph(("zip", "region"), ("name", "zip", "region", "diagnosis")),
    "a diamond": _graph(
        ("age", "zip", "visit"), ("name", "age", "visit", "diagnosis"), ("name", "zip", "visit")
    ),
    "behind a register": _graph(
        ("zip", "age"),
        ("name", "voter number", "zip", "diagnosis"),
        ("voter number", "age", "diagnosis"),
    ),
    "linked directly": _graph(("zip",), ("name", "zip", "diagnosis"), ("name", "diagnosis")),
    "derived and composite": STAND_INS,
    "all parts": ALL_PARTS,
    "two sensitive": _graph(
        ("age", "job"),
        ("name", "age", "diagnosis"),
        ("name", "job", "income"),
        sensitive=("diagnosis", "income"),
    ),
    "two chains": _graph(
        ("a", "b", "c", "d"), ("name", "a", "b", "diagnosis"), ("name", "c", "d", "diagnosis")
    ),
    "apart": _graph(("zip", "age"), ("name", "zip"), ("age", "diagnosis")),
}
"""Small graphs, each with another way in which identifiers lead to something sensitive."""

SIZES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((2, 3, 5), (10, 12, 20)),
    ((2, 3, 5), (4, 4, 8)),
    ((4, 4, 2), (4, 40, 2)),
    ((2, 3, 5), (2, 3, 5)),
)
"""Sizes of classes in a table and in its population, for equations 5 to 12."""
