"""The Adult census table as the experiments of Khan and others (2020) need it.

Section 6.1 names the Adult table, with age, zip code and salary as quasi-identifiers, occupation as
sensitive attribute, and 160,150 records. No public file has that many, or a zip code. Here it is
the complete records of the training file, with age, sex, education and a zip code drawn at random
between those of Table 1a. The hierarchies and the four categories of occupations are our own; the
paper prints none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from indistinct import DataError, Problem, Taxonomy
from indistinct.hierarchies.intervals import intervals_taxonomy
from indistinct.hierarchies.masking import masking_taxonomy
from indistinct.hierarchies.suppression import suppression_taxonomy
from indistinct.hierarchies.tree import tree_taxonomy
from indistinct.randomness import simulation
from indistinct_reproductions.khan_tables import OCCUPATIONS

FILE = "adult.data"
FIELDS = 15
PLACES: Mapping[str, int] = {"age": 0, "sex": 9, "education": 3, "occupation": 6}
"""Where the columns that are used stand in a line; a question mark is a missing value."""

QUASI = ("age", "sex", "education", "zip")
OCCUPATION = "occupation"
SEXES = ("Female", "Male")

ZIPS = range(13_000, 15_000)
"""Zip codes are drawn evenly from these; those of Table 1a lie from 13073 to 14247."""

EDUCATION: Mapping[str, Any] = {
    "*": {
        "no diploma": {
            "up to 8th": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
            "9th to 12th": ["9th", "10th", "11th", "12th"],
        },
        "diploma": {
            "school": ["HS-grad", "Some-college"],
            "associate": ["Assoc-voc", "Assoc-acdm"],
        },
        "degree": {
            "undergraduate": ["Bachelors"],
            "graduate": ["Masters", "Prof-school", "Doctorate"],
        },
    }
}

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "1": ("Other-service", "Protective-serv", "Priv-house-serv", "Armed-Forces"),
    "2": ("Adm-clerical", "Sales"),
    "3": ("Exec-managerial", "Prof-specialty", "Tech-support"),
    "4": (
        "Craft-repair",
        "Machine-op-inspct",
        "Transport-moving",
        "Handlers-cleaners",
        "Farming-fishing",
    ),
}
"""Occupations in four categories by kind of work, as Table 3 has four of diseases: services, office
and sales, management and professions, crafts. The rarest kind counts as the most sensitive."""


@dataclass(frozen=True, eq=False)
class Adult:
    """The table with a zip code for everybody, and what algorithms and measures make of it.

    Arguments:
        texts: the quasi-identifiers and the occupation, a row for every record.
        taxonomies: of the quasi-identifiers.
    """

    texts: pl.DataFrame
    taxonomies: Mapping[str, Taxonomy]

    @property
    def records(self) -> int:
        """Number of records."""
        return self.texts.height

    def policy(
        self, promises: Sequence[Mapping[str, Any]], method: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What the program is told of the table, and asked for."""
        attributes: dict[str, Any] = {
            name: {"role": "quasi-identifier", "hierarchy": tree}
            for name, tree in self.taxonomies.items()
        }
        attributes["zip"] |= {"type": "number"}
        attributes[OCCUPATION] = {
            "role": "sensitive",
            "categories": {
                "table": {name: list(values) for name, values in CATEGORIES.items()},
                "order": list(CATEGORIES)[::-1],
            },
        }
        return {
            "attributes": attributes,
            "promises": list(promises),
            "method": dict(method),
            "output": {"shuffle": False},
        }

    @property
    def totals(self) -> list[int]:
        """How often each occupation occurs."""
        return sorted(self.texts[OCCUPATION].value_counts()["count"], reverse=True)

    def first(self, records: int) -> Adult:
        """The table's first records."""
        return Adult(self.texts.head(records), self.taxonomies)


def read_adult(folder: Path, seed: int) -> Adult:
    """The complete records of the training file in a folder, with zip codes drawn from the seed.

    The file may be packed: ``adult.data``, ``adult.data.xz``, ``.gz`` or ``.bz2``.

    Raises:
        DataError: for a file that is missing, cannot be read, or has rows that are none of Adult's.
    """
    path, text = _text(folder)
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines()]
    rows = [row for row in rows if row != [""]]
    wrong = [at for at, row in enumerate(rows, 1) if not _sound(row)]
    complete = [row for row in rows if len(row) == FIELDS and "?" not in row]
    if wrong or not complete:
        raise DataError(
            "bad-rows",
            f"has rows that are not {FIELDS} fields of the Adult census table"
            if wrong
            else "has no complete record",
            file=str(path),
            rows=tuple(wrong[:11]),
        )
    texts = pl.DataFrame(
        {name: [row[at] for row in complete] for name, at in PLACES.items()},
        schema=dict.fromkeys(PLACES, pl.String),
    )
    drawn = simulation(seed).integers(len(ZIPS), size=texts.height)
    zips = pl.Series("zip", [str(ZIPS[at]) for at in drawn.tolist()])
    ages = sorted(texts["age"].unique(), key=int)
    return Adult(
        texts.with_columns(zips).select(*QUASI, OCCUPATION),
        {
            "age": intervals_taxonomy("age", ages, width=5),
            "sex": suppression_taxonomy("sex", SEXES),
            "education": tree_taxonomy("education", EDUCATION),
            "zip": masking_taxonomy("zip", map(str, ZIPS)),
        },
    )


def _text(folder: Path) -> tuple[Path, str]:
    from indistinct.sources.packed import PACKED, bytes_of

    named = [folder / f"{FILE}{ending}" for ending in ("", *PACKED)]
    path = next((one for one in named if one.is_file()), named[0])
    problem = "missing-file", "there is no such file"
    if path.is_file():
        try:
            return path, bytes_of(path).decode("ascii")
        except UnicodeDecodeError:
            problem = "unreadable-file", "cannot be read"
    raise DataError(
        Problem(
            *problem,
            file=str(path),
            remedy=f"--data names the folder that holds the UCI repository's {FILE}",
        )
    )


def _sound(row: Sequence[str]) -> bool:
    if len(row) != FIELDS:
        return False
    age = row[PLACES["age"]]
    return (age == "?" or (age.isdecimal() and len(age) <= 3)) and all(
        row[PLACES[name]] in values for name, values in _WORDS.items()
    )


def _leaves(tree: Any) -> tuple[str, ...]:
    if isinstance(tree, Mapping):
        return tuple(leaf for part in tree.values() for leaf in _leaves(part))
    return tuple(tree)


_WORDS: Mapping[str, frozenset[str]] = {
    "sex": frozenset(("?", *SEXES)),
    "education": frozenset(("?", *_leaves(EDUCATION))),
    "occupation": frozenset(("?", *OCCUPATIONS)),
}
