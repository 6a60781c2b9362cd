"""People and their diagnoses: the data of the INFORMS 2008 contest, for linked tables.

Two files: people (``demographics05test.csv``), and their conditions (``conditions05.csv``) with the
category of a three-digit code of ICD-9-CM each. 26,854 people have conditions, 104,855 together.
Year of birth, sex, race and years of education are quasi-identifiers here, the code is sensitive.
Negative codes stand for a missing one: such years of education are missing, and such conditions are
left out, and with them the people who have no others. The categories are the chapters of the
classification; since nobody says how grave a chapter is, the rarer counts as the more sensitive.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from indistinct import DataError
from indistinct.hierarchies import icd9
from indistinct.hierarchies.code_systems import code_system
from indistinct.sources.packed import PACKED, bytes_of
from indistinct_reproductions.fazal_releases import Patients

PEOPLE_FILE = "demographics05test.csv"
CONDITIONS_FILE = "conditions05.csv"
FILES = (PEOPLE_FILE, CONDITIONS_FILE)

PERSON, CODE = "DUPERSID", "ICD9CODX"

QUASI = {
    "DOBYY": {"intervals": {"width": 5}},
    "SEX": "suppress",
    "RACEX": "suppress",
    "EDUCYEAR": {"intervals": {"width": 4}},
}


def file_in(folder: Path, name: str) -> Path | None:
    """A file of the folder or of one right below it, as it is or packed."""
    for place in (folder, *sorted(path for path in folder.glob("*") if path.is_dir())):
        for ending in ("", *PACKED):
            if (path := place / f"{name}{ending}").is_file():
                return path
    return None


def read_informs(folder: Path) -> Patients:
    """The people and their conditions.

    Raises:
        DataError: for files that are missing, cannot be read, or lack a column.
    """
    people = _read(folder, PEOPLE_FILE, (PERSON, *QUASI)).unique(PERSON, keep="first")
    conditions = _read(folder, CONDITIONS_FILE, (PERSON, CODE))
    chapters = code_system("icd-9-cm").chapters
    homes = {
        text: home
        for text in conditions[CODE].unique()
        if text is not None
        and (code := icd9.read(text)) is not None
        and (home := chapters.home(code.category)) is not None
    }
    kept = conditions.filter(pl.col(CODE).is_in(list(homes)))
    rows = kept.join(people, on=PERSON, how="inner", maintain_order="left")
    if not rows.height:
        raise DataError("no-records", "no person of the one file is in the other", file=str(folder))
    years = pl.col("EDUCYEAR")
    rows = rows.with_columns(
        pl.when(years.str.starts_with("-")).then(None).otherwise(years).alias("EDUCYEAR")
    )
    often = (
        rows.with_columns(pl.col(CODE).replace_strict(homes).alias("chapter"))
        .group_by("chapter")
        .len()
        .sort("len", "chapter", descending=[True, False])
    )
    there = set(rows[CODE])
    categories = {
        chapter: sorted(text for text, home in homes.items() if home == chapter and text in there)
        for chapter in often["chapter"]
    }
    return Patients(rows, PERSON, QUASI, CODE, categories)


def _read(folder: Path, name: str, columns: tuple[str, ...]) -> pl.DataFrame:
    path = file_in(folder, name)
    if path is None:
        raise DataError(
            "missing-file",
            "there is no such file",
            file=str(folder / name),
            remedy="--data names the folder that holds the files of the contest",
        )
    try:
        frame = pl.read_csv(io.BytesIO(bytes_of(path)), infer_schema_length=0)
        return frame.select(columns)
    except (OSError, EOFError, ValueError, pl.exceptions.PolarsError):
        raise DataError(
            "unreadable-file",
            f"cannot be read as a table with the columns {', '.join(columns)}",
            file=str(path),
        ) from None
