"""The tables of Arca and Hewett (2021), quoted, and the hierarchies that belong to them.

Source: S. Arca and R. Hewett, "Analytics on Anonymity for Privacy Retention in Smart Health Data",
Future Internet 13 (11), 274, 2021, doi 10.3390/fi13110274, published under CC BY 4.0. Quoted from
it are Tables 1 to 8; column names are shortened, and letters and dashes that look alike made equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from indistinct import Taxonomy

COLUMNS = ("Sex", "AC", "Age", "Zip", "Weight", "Race", "Genetic Risk")
"""AC is the consumption of alcohol."""

SMALL = ("Sex", "AC", "Age", "Zip")
"""The columns of Table 3."""

TABLE_1 = """
1 | F | Med | 35 | 52000 | 143 | Black | No | 1
2 | F | Low | 35 | 52000 | 143 | Black | No | 3
3 | M | Med | 50 | 53000 | 166 | White | No | 4
4 | M | Low | 35 | 52003 | 143 | White | No | 1
5 | M | Med | 68 | 52000 | 190 | Hispanic | No | 3
6 | M | High | 68 | 52000 | 190 | Hispanic | No | 4
7 | M | Med | 44 | 52003 | 166 | Asian | Hereditary Thrombophilia | 3
8 | F | Low | 75 | 52002 | 122 | Native Hawaiian | No | 4
9 | F | Med | 35 | 52003 | 143 | Black | No | 2
10 | F | High | 75 | 52002 | 143 | White | Hereditary Thrombophilia | 1
11 | M | High | 44 | 52003 | 166 | Asian | Hereditary Thrombophilia | 3
12 | F | Med | 38 | 52000 | 166 | White | No | 4
13 | F | High | 35 | 52000 | 122 | American Indian | Hereditary Thrombophilia | 1
14 | F | Low | 35 | 52000 | 122 | American Indian | Hereditary Thrombophilia | 2
15 | M | Med | 38 | 52003 | 122 | White | No | 3
16 | F | Med | 22 | 54004 | 180 | Native Hawaiian | No | 3
17 | M | High | 20 | 54000 | 180 | American Indian | L.O. Alzheimer's | 3
18 | M | Low | 21 | 54001 | 180 | Black | Parkinson's | 3
19 | F | High | 24 | 54003 | 180 | Asian | Hereditary Thrombophilia | 3
20 | M | No | 25 | 54000 | 122 | American Indian | Celiac | 3
21 | M | No | 26 | 54001 | 166 | Asian | L.O. Alzheimer's | 3
22 | F | High | 23 | 54003 | 180 | Asian | Parkinson's | 3
"""
"""Row 7 is read off Tables 4 and 5, where it stands generalized: with it the records are 60,
27 of women and 33 of men, and every number of partitions in Table 2 is met."""

TABLE_4 = """
1,9 | F | Med | 35 | 5200* | 143 | Black | No | 1+3
2 | F | Low | 35 | 5200* | 143 | Black | No | 3
3 | M | Med | 50 | 5300* | 166 | White | No | 4
4 | M | Low | 35 | 5200* | 143 | White | No | 1
5 | M | Med | 68 | 5200* | 190 | Hispanic | No | 3
6 | M | High | 68 | 5200* | 190 | Hispanic | No | 4
7 | M | Med | 44 | 5200* | 166 | Asian | Hereditary Thrombophilia | 3
8 | F | Low | 75 | 5200* | 122 | Native Hawaiian | No | 4
10 | F | High | 75 | 5200* | 143 | White | Hereditary Thrombophilia | 1
11 | M | High | 44 | 5200* | 166 | Asian | Hereditary Thrombophilia | 3
12 | F | Med | 38 | 5200* | 166 | White | No | 4
13 | F | High | 35 | 5200* | 122 | American Indian | Hereditary Thrombophilia | 1
14 | F | Low | 35 | 5200* | 122 | American Indian | Hereditary Thrombophilia | 2
15 | M | Med | 38 | 5200* | 122 | White | No | 3
16 | F | Med | 22 | 5400* | 180 | Native Hawaiian | No | 3
17 | M | High | 20 | 5400* | 180 | American Indian | L.O. Alzheimer's | 3
18 | M | Low | 21 | 5400* | 180 | Black | Parkinson's | 3
19 | F | High | 24 | 5400* | 180 | Asian | Hereditary Thrombophilia | 3
20 | M | No | 25 | 5400* | 122 | American Indian | Celiac | 3
21 | M | No | 26 | 5400* | 166 | Asian | L.O. Alzheimer's | 3
22 | F | High | 23 | 5400* | 180 | Asian | Parkinson's | 3
"""

TABLE_5 = """
1,9 | F | Med | [35-44] | 5200* | 143 | Black | No | 1+2
2 | F | Low | [35-44] | 5200* | 143 | Black | No | 3
3 | M | Med | [45-64] | 5300* | 166 | White | No | 4
4 | M | Low | [35-44] | 5200* | 143 | White | No | 1
5 | M | Med | [65-85] | 5200* | 190 | Hispanic | No | 3
6 | M | High | [65-85] | 5200* | 190 | Hispanic | No | 4
7 | M | Med | [35-44] | 5200* | 166 | Asian | Hereditary Thrombophilia | 3
8 | F | Low | [65-85] | 5200* | 122 | Native Hawaiian | No | 4
10 | F | High | [65-85] | 5200* | 143 | White | Hereditary Thrombophilia | 1
11 | M | High | [35-44] | 5200* | 166 | Asian | Hereditary Thrombophilia | 3
12 | F | Med | [35-44] | 5200* | 166 | White | No | 4
13 | F | High | [35-44] | 5200* | 122 | American Indian | Hereditary Thrombophilia | 1
14 | F | Low | [35-44] | 5200* | 122 | American Indian | Hereditary Thrombophilia | 2
15 | M | Med | [35-44] | 5200* | 122 | White | No | 3
16 | F | Med | [20-34] | 5400* | 180 | Native Hawaiian | No | 3
17 | M | High | [20-34] | 5400* | 180 | American Indian | L.O. Alzheimer's | 3
18 | M | Low | [20-34] | 5400* | 180 | Black | Parkinson's | 3
19 | F | High | [20-34] | 5400* | 180 | Asian | Hereditary Thrombophilia | 3
20 | M | No | [20-34] | 5400* | 122 | American Indian | Celiac | 3
21 | M | No | [20-34] | 5400* | 166 | Asian | L.O. Alzheimer's | 3
22 | F | High | [20-34] | 5400* | 180 | Asian | Parkinson's | 3
"""

TABLE_6 = """
1,2 | F | Yes | 35 | 52000 | 143 | Black | No | 1+3
3 | M | Yes | 50 | 52000 | 166 | White | No | 4
4 | M | Yes | 35 | 52003 | 143 | White | No | 1
5,6 | M | Yes | 68 | 52000 | 190 | Hispanic | No | 3+4
7,11 | M | Yes | 44 | 52003 | 166 | Asian | Hereditary Thrombophilia | 3+3
8 | F | Yes | 75 | 52002 | 122 | Native Hawaiian | No | 3
9 | F | Yes | 35 | 52003 | 143 | Black | No | 2
10 | F | Yes | 75 | 52002 | 143 | White | Hereditary Thrombophilia | 1
12 | F | Yes | 38 | 52000 | 166 | White | No | 10
13,14 | F | Yes | 35 | 52000 | 122 | American Indian | Hereditary Thrombophilia | 1+2
15 | M | Yes | 38 | 52003 | 122 | White | No | 3
16 | F | Yes | 22 | 54004 | 180 | Native Hawaiian | No | 3
17 | M | Yes | 20 | 54000 | 180 | American Indian | L.O. Alzheimer's | 3
18 | M | Yes | 21 | 54001 | 180 | Black | Parkinson's | 3
19 | F | Yes | 24 | 54003 | 180 | Asian | Hereditary Thrombophilia | 3
20 | M | Any | 25 | 54000 | 122 | American Indian | Celiac | 3
21 | M | Any | 26 | 54001 | 166 | Asian | L.O. Alzheimer's | 3
22 | F | Yes | 23 | 54003 | 180 | Asian | Parkinson's | 3
"""

TABLE_3A = """
1 | F | Med | 35 | 52000 | 1
2 | F | Low | 35 | 52000 | 3
3 | M | High | 68 | 52000 | 4
4 | M | Med | 68 | 52000 | 3
5 | F | High | 75 | 52002 | 1
6 | F | Med | 35 | 52003 | 2
"""

TABLE_3B = """
1 | F | Yes | 35 | 52000 | 1
2 | F | Yes | 35 | 52000 | 3
3 | M | High | 68 | 52000 | 4
4 | M | Med | 68 | 52000 | 3
5 | F | Yes | 75 | 52002 | 1
6 | F | Yes | 35 | 52003 | 2
"""

TABLE_3C = """
1 | F | Yes | 35 | 52000 | 1
2 | F | Yes | 35 | 52000 | 3
3 | M | High | 68 | 52000 | 4
4 | M | Med | 68 | 52000 | 3
5 | F | Yes | [20-85] | 5200* | 1
6 | F | Yes | [20-85] | 5200* | 2
"""

TABLE_3D = """
1,2 | F | Yes | 35 | 52000 | 4
3 | M | High | 68 | 52000 | 4
4 | M | Med | 68 | 52000 | 3
5,6 | F | Yes | [20-85] | 5200* | 3
"""

TABLE_2: dict[str, tuple[int, str, str]] = {
    "Sex": (2, "0.99", "0.16"),
    "AC": (4, "1.86", "0.31"),
    "Age": (13, "3.55", "0.60"),
    "Zip": (8, "2.75", "0.46"),
    "Weight": (5, "2.24", "0.38"),
    "Race": (6, "2.52", "0.42"),
}
"""Partitions, average information loss and its normalized form."""

FIGURE_3: dict[str, tuple[dict[str, int], int, int]] = {
    "T": ({}, 6, 22),
    "T1": ({"Zip": 1}, 2, 21),
    "T2": ({"Age": 1}, 4, 21),
    "T3": ({"AC": 1}, 0, 18),
    "T4": ({"Zip": 2}, 2, 21),
    "T5": ({"Zip": 1, "Age": 1}, 0, 21),
    "T6": ({"Zip": 1, "AC": 1}, 0, 17),
}
"""Levels of the attributes, and T(n, m) as printed: n violating rows of m rows."""

TABLE_7: dict[tuple[str, ...], dict[str, tuple[int, int]]] = {
    ("Zip", "Smoker", "Sex", "Age"): {
        "exhaustive": (297, 563),
        "greedy": (274, 68),
        "iab": (297, 304),
    },
    ("Zip", "Smoker", "Sex"): {"exhaustive": (303, 11), "greedy": (303, 6), "iab": (303, 6)},
    ("Zip", "Smoker", "Age"): {"exhaustive": (298, 93), "greedy": (274, 11), "iab": (298, 51)},
    ("Zip", "Age"): {"exhaustive": (298, 14), "greedy": (274, 12), "iab": (298, 14)},
}
"""Rows and generalizations on the Cleveland data, k = 5."""

TABLE_8: dict[tuple[str, ...], dict[str, str]] = {
    (): {
        "Age": "0.61", "Zip": "0.99", "Smoker": "0.12", "Sex": "0.11", "Chol": "0.85", "BS": "0.07",
    },
    ("Age", "Zip"): {
        "Age": "0.00", "Zip": "0.4", "Smoker": "0.12", "Sex": "0.11", "Chol": "0.85", "BS": "0.07",
    },
    ("Age", "Zip", "Smoker", "Sex"): {
        "Age": "0.00", "Zip": "0.4", "Smoker": "0.00", "Sex": "0.11", "Chol": "0.85", "BS": "0.07",
    },
}  # fmt: skip
"""Normalized leakage before, and after generalizing for k = 5 on a shield."""

RANGES = (("20-44", ("20-34", "35-44")), ("45-85", ("45-64", "65-85")))
"""The ranges of age in Figure 2, as its text and Table 5 let them be read."""

WHOLE_AGE = "20-85"


@dataclass(frozen=True)
class Row:
    """A row of a table: the rows it was merged from, its cells, and how many records each had."""

    numbers: tuple[int, ...]
    cells: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def records(self) -> int:
        """How many records it stands for."""
        return sum(self.counts)


def rows_of(table: str) -> list[Row]:
    """The rows of a quoted table.

    >>> rows_of("1,9 | F | [35-44] | 5200* | 1+2")
    [Row(numbers=(1, 9), cells=('F', '35-44', '5200*'), counts=(1, 2))]
    """
    found = []
    for line in table.strip().splitlines():
        number, *cells, count = (cell.strip() for cell in line.split("|"))
        found.append(
            Row(
                tuple(int(part) for part in number.split(",")),
                tuple(cell.strip("[]") for cell in cells),
                tuple(int(part) for part in count.split("+")),
            )
        )
    return found


def frame(rows: Sequence[Row], columns: Sequence[str] = COLUMNS) -> pl.DataFrame:
    """Rows as a frame of texts."""
    return pl.DataFrame(
        [row.cells for row in rows], schema=dict.fromkeys(columns, pl.String), orient="row"
    )


def age_taxonomy(ages: Iterable[int], *, fives: bool = False) -> Taxonomy:
    """Age as in Figure 2; with ``fives`` ranges of five years come in between, for five levels."""
    chains = []
    for age in sorted(set(ages)):
        half, quarter = next(
            (half, quarter)
            for half, quarters in RANGES
            for quarter in quarters
            if int(quarter[:2]) <= age <= int(quarter[3:])
        )
        low = 20 + (age - 20) // 5 * 5
        five = f"{low}-{min(low + 4, 85)}" if low < 80 else "80-85"
        chains.append([str(age), *([five] if fives else []), quarter, half, WHOLE_AGE])
    return Taxonomy("Age", chains)


def zip_taxonomy(codes: Iterable[str]) -> Taxonomy:
    """Zip of Table 1: one digit after the other becomes a star, from the right."""
    return Taxonomy(
        "Zip",
        [[code[: 5 - stars] + "*" * stars for stars in range(6)] for code in sorted(set(codes))],
    )


def zip4_taxonomy(codes: Iterable[str]) -> Taxonomy:
    """Zip of the heart data: dddd, d***, ****."""
    return Taxonomy("Zip", [[code, f"{code[0]}***", "****"] for code in sorted(set(codes))])


def alcohol_taxonomy() -> Taxonomy:
    """Consumption of alcohol as in Figure 2; No has no level of its own below Any."""
    return Taxonomy(
        "AC",
        [["Low", "Yes", "Any"], ["Med", "Yes", "Any"], ["High", "Yes", "Any"], ["No", "Any"]],
    )


def either_taxonomy(attribute: str, values: Sequence[str]) -> Taxonomy:
    """An attribute of two values, or any of them."""
    return Taxonomy(attribute, [[value, "Any"] for value in values])
