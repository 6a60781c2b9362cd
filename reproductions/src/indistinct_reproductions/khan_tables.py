"""The tables of Khan and others (2020), quoted.

Source: R. Khan, X. Tao, A. Anjum, T. Kanwal, S. ur R. Malik, A. Khan, W. ur Rehman, C. Maple,
"theta-Sensitive k-Anonymity: An Anonymization Model for IoT based Electronic Health Records",
Electronics 9 (5), 716, 2020, doi 10.3390/electronics9050716, published under CC BY 4.0. Quoted from
it are Tables 1, 3, 4, 5, 7, 8, 10 and 11, and Rules 1 to 9; names are in lower case, and dashes and
stars that mean one thing made equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from indistinct import rank_variance_exact

MU = 0.6
"""The share of the full variance that the paper asks for."""

QUASI = ("Age", "Zip Code", "Country")
DISEASE = "Disease"
ANYWHERE = "*"
"""What is printed for the country of a class whose people are of both continents."""

CONTINENT: Mapping[str, str] = {
    "USA": "America",
    "Canada": "America",
    "Pakistan": "Asia",
    "Japan": "Asia",
    "China": "Asia",
}
"""What Tables 1b to 8b publish of a country."""


@dataclass(frozen=True)
class Person:
    """A record of Table 1a."""

    name: str
    age: int
    zip_code: int
    country: str
    disease: str


def _people(text: str) -> tuple[Person, ...]:
    found = []
    for line in text.strip().splitlines():
        name, age, zip_code, country, disease = (part.strip() for part in line.split("|"))
        found.append(Person(name, int(age), int(zip_code), country, disease))
    return tuple(found)


TABLE_1A = _people(
    """
    Julian  | 34 | 14247 | USA      | HIV
    Kaleem  | 40 | 14208 | Pakistan | HIV
    Johanna | 26 | 14205 | USA      | Cancer
    Michael | 25 | 14242 | Canada   | Cancer
    Judith  | 40 | 14054 | USA      | Hepatitis
    Eva     | 48 | 13073 | Japan    | Phthisis
    Haris   | 45 | 14066 | Pakistan | Asthma
    Paul    | 40 | 14063 | USA      | Obesity
    Yin Li  | 40 | 14243 | China    | Flu
    Beverly | 37 | 14203 | Canada   | Flu
    Denise  | 36 | 14204 | Canada   | Flu
    Janette | 35 | 14247 | USA      | Indigestion
    """
)

TABLE_3: Mapping[str, tuple[str, ...]] = {
    "1": ("HIV", "Cancer"),
    "2": ("Hepatitis", "Phthisis"),
    "3": ("Asthma", "Obesity"),
    "4": ("Indigestion", "Flu"),
}
"""The diseases of each category; the first one is the most sensitive."""

DISEASES = tuple(disease for part in TABLE_3.values() for disease in part)
CATEGORY = {disease: name for name, part in TABLE_3.items() for disease in part}


@dataclass(frozen=True)
class Class:
    """A class as it is published: its three cells, and the diseases of its records."""

    age: str
    zip_code: str
    country: str
    diseases: tuple[str, ...]

    @property
    def counts(self) -> list[int]:
        """How often each of its diseases occurs."""
        return [self.diseases.count(disease) for disease in dict.fromkeys(self.diseases)]

    @property
    def variance(self) -> Fraction:
        """Its rank variance."""
        return rank_variance_exact(self.counts)

    @property
    def categories(self) -> int:
        """Of how many categories its diseases are."""
        return len({CATEGORY[disease] for disease in self.diseases})


@dataclass(frozen=True)
class Released:
    """A published table."""

    name: str
    k: int
    classes: tuple[Class, ...]

    def frame(self) -> pl.DataFrame:
        """The table as it is published, a row for every record."""
        return pl.DataFrame(
            [
                (part.age, part.zip_code, part.country, disease)
                for part in self.classes
                for disease in part.diseases
            ],
            schema=dict.fromkeys((*QUASI, DISEASE), pl.String),
            orient="row",
        )

    def readable(self) -> pl.DataFrame:
        """The same, ranges written as those of releases: every age that a bound leaves open."""
        found = self.frame()
        ages = [person.age for person in TABLE_1A]
        bounds = (
            found["Age"]
            .str.replace("=< ", f"{min(ages)}-")
            .str.replace(">= (.+)", f"$1-{max(ages)}")
        )
        return found.with_columns(
            pl.format("[{}]", column.str.replace("-", ", "))
            for column in (bounds, found["Zip Code"])
        )


def _released(name: str, k: int, text: str) -> Released:
    classes = []
    for line in text.strip().splitlines():
        age, zip_code, country, diseases = (part.strip() for part in line.split("|"))
        classes.append(Class(age, zip_code, country, tuple(diseases.split(", "))))
    return Released(name, k, tuple(classes))


TABLE_1B = _released(
    "Table 1b",
    2,
    """
    34-40 | 14208-14247 | *       | HIV, HIV
    25-26 | 14205-14242 | America | Cancer, Cancer
    >= 40 | 14054-14063 | America | Hepatitis, Obesity
    >= 40 | 13073-14066 | Asia    | Asthma, Phthisis
    35-40 | 14243-14247 | *       | Flu, Indigestion
    36-37 | 14203-14204 | America | Flu, Flu
    """,
)

TABLE_4A = _released(
    "Table 4a",
    4,
    """
    =< 40 | 14204-14247 | America | HIV, Cancer, Flu, Indigestion
    >= 40 | 13073-14066 | *       | Hepatitis, Phthisis, Asthma, Obesity
    =< 40 | 14203-14247 | *       | HIV, Cancer, Flu, Flu
    """,
)

TABLE_4B = _released(
    "Table 4b",
    4,
    """
    =< 40 | 14205-14247 | *       | HIV, HIV, Cancer, Flu
    >= 40 | 13073-14066 | *       | Hepatitis, Phthisis, Asthma, Obesity
    =< 40 | 14203-14247 | America | Cancer, Flu, Flu, Indigestion
    """,
)

TABLE_8A = _released(
    "Table 8a",
    4,
    """
    =< 40 | 14054-14247 | America | HIV, Cancer, Hepatitis, Obesity
    >= 40 | 13073-14243 | Asia    | HIV, Phthisis, Asthma, Flu
    =< 40 | 14063-14247 | America | Cancer, Flu, Flu, Indigestion, Obesity
    """,
)

TABLE_8B = _released(
    "Table 8b",
    4,
    """
    =< 40 | 14054-14247 | America | Hepatitis, HIV, Cancer, Flu
    >= 40 | 13073-14243 | Asia    | HIV, Phthisis, Asthma, Flu
    =< 40 | 14063-14247 | America | Cancer, Obesity, Flu, Indigestion
    """,
)

RELEASED = (TABLE_1B, TABLE_4A, TABLE_4B, TABLE_8A, TABLE_8B)

TABLE_5: Mapping[int, tuple[int, int, int, str]] = {2: (4, 10, 30, "1.25"), 3: (4, 7, 15, "0.69")}
"""Of EC2 and EC3 of Table 4a the sums of f, f x and f x^2, and the variance."""

FULLY_DIVERSE: Mapping[int, str] = {2: "0.25", 3: "0.67", 4: "1.25", 5: "2"}
"""Section 5.1.1: the variance of a class of so many different values."""

PLACES_OF_FIGURE_1 = (
    "MT", "MMT", "KLevel", "CondTF", "Gi", "ds", "CountDs", "Gi'", "PLevel", "CompC",
    "Publish Data", "BK", "SA Disc",
)  # fmt: skip
"""Table 7."""

PLACES_OF_FIGURE_2 = (
    "MT", "MMT", "KValue", "CondTF", "Sigma", "Mu", "Theta", "Found ECb", "VarECs", "AdjECc",
    "AdjECn", "StrictECn-1", "VarAdjECn", "VarAdjECc", "Need Noise", "PublshdData", "BK",
    "SA Disc",
)  # fmt: skip
"""Table 10."""

RULES: Mapping[str, tuple[str, str]] = {
    "Rule 1": (
        "Attack",
        "for all i40 in x40, i42 in x42, i43 in x43, i2 in x2: S-Variance_Attck(i40[2], i42[2]) -> "
        "i43[2] = i2[1] and i43[2] = i2[3]",
    ),
    "Rule 2": (
        "Mask Data",
        "for all i2 in x2, i3 in x3, i4 in x4: i4[1] := Mask{i2[2]} and i4[2] := Mask{i2[3]} and "
        "x4' := x4 + {i4[1], i4[2], i3}",
    ),
    "Rule 3": (
        "Check k",
        "for all i5 in x5, i6 in x6: Count(i5[1]) >= i5[3] -> i6[1] := TRUE, or "
        "not Count(i5[1]) >= i5[3] -> i6[1] := FALSE; and x6' := x6 + {i6[1]}",
    ),
    "Rule 4": (
        "Calc Theta",
        "for all i10 in x10, i11 in x11, i12 in x12: i12 := {i11 * (i10)^2} and "
        "x12' := x12 + {i12}",
    ),
    "Rule 5": (
        "Compute Var",
        "for all i8 in x8, i9 in x9: i9[1] := Compute Var(i8[1]) and i9[2] := i8[2] and "
        "x9' := x9 + {i9[1], i9[2]}",
    ),
    "Rule 6": (
        "Check Variance",
        "for all i13, i14, i15, i19, i23, i24, i32, i33: (i14[1] > i13) -> i16[1] := i15[1] + 1 "
        "and "
        "x16' := x16[2] + {i16}; or (i14[1] < i13) -> i16[2] := i15[1] + 1 and x16' := x16[2] + "
        "{i16}; or (i14[2] > i13) -> i19 and x19' := x19 + {i19}; or (i24 < i13) -> i25 and "
        "x25 := x25 + {i25}; or (i32 < i13) -> i33 and x33 := x33 + {i33}",
    ),
    "Rule 7": (
        "Adjst Var",
        "for all i17, i20, i21, i28, i29: (i17[1] != i17[3]) -> Comp mfsv(i20[1], i17[1]) and "
        "True := "
        "backCheck(i20[1], i17[1]) and i21 := swap(i20[1], i17[1]) and x21' := x21 + {i21}; "
        "(i17[1] = i17[3]) -> Comp mfsv(i17[3], i28[1]) and True := crossCheck(i17[3], i28[1]) and "
        "i29 := swap(i17[3], i28[1]) and x29' := x29 + {i29[1]}",
    ),
    "Rule 8": (
        "Add Noise",
        "for all i34 in x34, i35 in x35, i36 in x36: (i34[1] < i35) -> i36 := addNoise(i34[2], "
        "i34[3], i34[4]) and x36' := x36 + {i36[1], i36[2], i36[3]}",
    ),
    "Rule 9": (
        "S-Variance Attack",
        "for all i38 in x38, i40 in x40, i41 in x41: Att_Dis(i38[2], i40[2]) != (i2[1] + i2[2] + "
        "i2[3]), and (i41[2] + i41[3]) is empty",
    ),
}
"""Which transition each is of, and its text; + stands for the union of sets."""

RECORDS = 160150
"""Section 6.4: records of the table that the experiments are on."""

NOISE = 34
MOST_NOISE = 6
"""Section 6.4: records of noise in all, and most of them for one k."""

TABLE_11: Mapping[int, tuple[int, int, int]] = {
    2: (320300, 320303, 571227),
    4: (640600, 640605, 778626),
    6: (960900, 960912, 1214207),
    8: (1281200, 1281215, 1467959),
    10: (1601500, 1601520, 1876310),
    12: (1921800, 1921824, 2096543),
    14: (2242100, 2242145, 2632775),
    16: (2562400, 2562470, 3017773),
    18: (2882700, 2882812, 3315591),
    20: (3203000, 3203166, 3628936),
}
"""Discernibility by k: the baseline, of theta-sensitivity, of p+-sensitivity."""

OCCUPATIONS: Mapping[str, int] = {
    "Prof-specialty": 4038,
    "Craft-repair": 4030,
    "Exec-managerial": 3992,
    "Adm-clerical": 3721,
    "Sales": 3584,
    "Other-service": 3212,
    "Machine-op-inspct": 1966,
    "Transport-moving": 1572,
    "Handlers-cleaners": 1350,
    "Farming-fishing": 989,
    "Tech-support": 912,
    "Protective-serv": 644,
    "Priv-house-serv": 143,
    "Armed-Forces": 9,
}
"""How often each occupation occurs in the 30,162 complete records of the Adult census table."""
