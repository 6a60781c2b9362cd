"""OMOP Common Data Model: the conditions of people, from its tables, as one table.

Read are ``PERSON``, ``CONDITION_OCCURRENCE`` and, for the names behind the numbers of concepts,
``CONCEPT``; ``LOCATION`` where it is there. The table has a row for every condition, with what is
known of its person beside it. Street addresses, coordinates, the person's identifier in the source,
and the ids of providers, care sites and visits never enter the table.

    OHDSI: OMOP Common Data Model, versions 5.3 and 5.4, clinical data tables and vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import polars as pl

from indistinct.document import many
from indistinct.errors import ROWS_SHOWN, DataError, Problem, Problems, did_you_mean, refuse
from indistinct.sources.file_kind import ending_of
from indistinct.sources.file_kinds.csv import CsvFile
from indistinct.sources.file_kinds.parquet import ParquetFile
from indistinct.sources.files import read_table
from indistinct.sources.format import CODE, DROPPED, SENSITIVE, WHOLE, Format, HealthRecords
from indistinct.sources.packed import PACKED
from indistinct.sources.text import canonical
from indistinct.types import PlainMapping

PERSON = "person_id"
"""The column that names the person."""

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "person": (
        "person_id",
        "gender_concept_id",
        "year_of_birth",
        "race_concept_id",
        "ethnicity_concept_id",
    ),
    "condition_occurrence": ("person_id", "condition_concept_id", "condition_start_date"),
    "concept": ("concept_id", "concept_name"),
    "location": ("location_id",),
}
"""The tables, and the columns without which they are of no use."""

_USED: Mapping[str, tuple[str, ...]] = {
    "person": (
        "birth_datetime",
        "month_of_birth",
        "day_of_birth",
        "location_id",
        "gender_source_value",
        "race_source_value",
        "ethnicity_source_value",
    ),
    "condition_occurrence": (
        "condition_end_date",
        "condition_type_concept_id",
        "condition_source_value",
    ),
    "concept": (),
    "location": ("city", "county", "state", "zip"),
}
"""Further columns that are used where they are there, and missing values otherwise."""

_KEYS = {"person": "person_id", "concept": "concept_id", "location": "location_id"}
"""What names a row of a table."""

_OPTIONAL = ("location",)

_STANDARD: Mapping[str, str] = {
    "8507": "MALE",
    "8532": "FEMALE",
    "8515": "Asian",
    "8516": "Black or African American",
    "8527": "White",
    "8557": "Native Hawaiian or Other Pacific Islander",
    "8657": "American Indian or Alaska Native",
    "38003563": "Hispanic or Latino",
    "38003564": "Not Hispanic or Latino",
}
"""Concepts of every vocabulary, which an extract may leave out."""

_NO_CONCEPT = "0"


def omop_records(folder: str | Path) -> HealthRecords:
    """The conditions in the tables of an OMOP database, each with what is known of its person.

    With notes on what is not in the table, and the files that were read.

    Every column is text. ``person_id``, ``year_of_birth``, ``birth_date`` (or the month of birth,
    where no more is known), ``gender``, ``race``, ``ethnicity``, ``city``, ``county``, ``state``,
    ``zip``, ``gender_source_value``, ``race_source_value``, ``ethnicity_source_value``; of the
    condition ``condition_concept_id``, ``condition``, ``condition_source_value``,
    ``condition_type``, ``condition_start_date``, ``condition_end_date``. What a database does not
    have is missing. Concept 0, which stands for none, is missing; one that ``CONCEPT`` lacks is
    ``concept 123``.

    People without conditions are left out; the notes say how many.

    Arguments:
        folder: with a file for each table, ``PERSON.csv`` or ``person.parquet.xz``: CSV with commas
            or tabs, also packed, or Parquet. Names of tables and columns in any case.

    Raises:
        DataError: with everything that is wrong: no such table or column, several rows of one
            person or concept, conditions of nobody or of unknown people.
    """
    folder = Path(folder)
    files = _files(folder)
    tables: dict[str, pl.DataFrame] = {}
    problems: list[Problem] = []
    for name, file in files.items():
        try:
            tables[name] = _table(name, file)
        except DataError as error:
            problems += error.problems
    if not problems:
        problems += _unsound(tables, files)
    refuse(DataError, problems)
    person, condition, concept = (tables[name] for name in list(_NEEDED)[:3])
    columns = dict.fromkeys(_NEEDED["location"] + _USED["location"], pl.String)
    location = tables.get("location", pl.DataFrame(schema=columns))
    names = concept.select("concept_id", "concept_name")
    people = _people(person, names, location)
    conditions = _conditions(condition, names)
    frame = conditions.join(people, on=PERSON, how="left", maintain_order="left")
    used = pl.concat(
        [
            *(person[f"{one}_concept_id"].alias("id") for one in ("gender", "race", "ethnicity")),
            condition["condition_concept_id"].alias("id"),
        ]
    )
    return HealthRecords(
        frame.select(*people.columns, *conditions.columns[1:]),
        tuple(_notes(frame, people.height, used, names["concept_id"])),
        tuple(files.values()),
    )


def _notes(frame: pl.DataFrame, people: int, used: pl.Series, known: pl.Series) -> Iterator[str]:
    without = people - frame[PERSON].n_unique()
    if without:
        yield (f"{many(without, 'person has')} no condition, and no record in the table")
    unmapped = frame["condition"].null_count()
    if unmapped:
        yield (f"{many(unmapped, 'condition is')} of no concept, and missing in the table")
    named = pl.concat([known.alias("id"), pl.Series("id", [_NO_CONCEPT, *_STANDARD])])
    strange = used.drop_nulls().unique().to_frame().join(named.to_frame(), on="id", how="anti")
    if strange.height:
        yield (
            f"{many(strange.height, 'concept has')} no name in CONCEPT, and a number in the table"
        )


# -------- From files to tables --------


def _files(folder: Path) -> dict[str, Path]:
    """The file of every table that is there."""
    if not folder.is_dir():
        what = "this is a file, not a folder" if folder.exists() else "there is no such folder"
        remedy = "name the folder with PERSON, CONDITION_OCCURRENCE and CONCEPT"
        raise DataError("no-folder", what, file=str(folder), remedy=remedy)
    found: dict[str, list[Path]] = {}
    for file in sorted(one for one in folder.iterdir() if one.is_file()):
        if (name := _table_in(file)) is not None:
            found.setdefault(name, []).append(file)
    problems = Problems()
    for name in _NEEDED:
        if name not in found and name not in _OPTIONAL:
            near = did_you_mean(name, found)
            problems.add(
                "missing-table",
                f"there is no table {name.upper()}"
                + (f": {near}" if near.startswith("did") else ""),
                file=str(folder),
                remedy=f"add {name.upper()}.csv or {name.upper()}.parquet",
            )
        elif len(found.get(name, ())) > 1:
            several = " and ".join(file.name for file in found[name])
            problems.add(
                "several-tables",
                f"the table {name.upper()} is there more than once: {several}",
                file=str(folder),
                remedy="leave one of them in the folder",
            )
    refuse(DataError, problems)
    return {name: found[name][0] for name in _NEEDED if name in found}


def _table_in(file: Path) -> str | None:
    """The table that is in a file, by the file's name."""
    plain = Path(file.stem) if file.suffix.lower() in PACKED else file
    return plain.stem.lower() if ending_of(file) in CsvFile.endings + ParquetFile.endings else None


def _table(name: str, file: Path) -> pl.DataFrame:
    """The used columns of a table as text."""
    empty = name not in ("person", "condition_occurrence")
    try:
        frame = read_table(file, allow_empty=empty)
    except DataError as error:
        # A vocabulary comes with tabs between its cells, and quotes that mean nothing.
        if name != "concept" or file.suffix.lower() in ParquetFile.endings:
            raise
        try:
            frame = read_table(file, separator="\t", quote="", allow_empty=empty)
        except DataError:
            raise error from None
    lowered = [column.lower() for column in frame.columns]
    problems = [
        Problem("missing-column", f"there is no column '{column}'", file=file.name)
        for column in _NEEDED[name]
        if column not in lowered
    ]
    problems += [
        Problem("duplicate-column", f"the column '{column}' is there twice", file=file.name)
        for column in dict.fromkeys(lowered)
        if lowered.count(column) > 1 and column in _NEEDED[name] + _USED[name]
    ]
    refuse(DataError, problems)
    given = dict(zip(lowered, frame.columns, strict=True))
    wanted = _NEEDED[name] + _USED[name]
    frame = canonical(frame.select(given[one] for one in wanted if one in given))
    frame.columns = [column.lower() for column in frame.columns]
    return frame.select(
        (pl.col(one).str.strip_suffix(".0") if one.endswith("_id") else pl.col(one))
        if one in given
        else pl.lit(None, pl.String).alias(one)
        for one in wanted
    )


def _unsound(tables: Mapping[str, pl.DataFrame], files: Mapping[str, Path]) -> Iterator[Problem]:
    """Rows without a key, several of one key, and conditions of unknown people."""
    for name, key in _KEYS.items():
        if name not in tables:
            continue
        column = tables[name][key]
        yield from _told(
            column.is_null(), files[name], key, f"rows without {key}", "row-without-key"
        )
        again = column.is_duplicated() & column.is_not_null()
        yield from _told(
            again, files[name], key, f"several rows have the same {key}", "several-rows-of-one-key"
        )
    column = tables["condition_occurrence"][PERSON]
    file = files["condition_occurrence"]
    yield from _told(column.is_null(), file, PERSON, "conditions of nobody", "row-without-key")
    known = column.is_in(tables["person"][PERSON].drop_nulls().implode())
    unknown = column.is_not_null() & ~known.fill_null(False)
    yield from _told(
        unknown, file, PERSON, "conditions of people who are not in PERSON", "unknown-person"
    )


def _told(which: pl.Series, file: Path, key: str, what: str, code: str) -> Iterator[Problem]:
    rows: Sequence[int] = which.fill_null(False).arg_true().to_list()
    if rows:
        yield Problem(
            code,
            what,
            file=file.name,
            attribute=key,
            rows=tuple(row + 1 for row in rows[: ROWS_SHOWN + 1]),
            remedy="correct the table, or take these rows out",
        )


# -------- From tables to records --------


def _people(person: pl.DataFrame, names: pl.DataFrame, location: pl.DataFrame) -> pl.DataFrame:
    place = location.select("location_id", "city", "county", "state", "zip")
    known = pl.col("month_of_birth").is_not_null()
    parts = pl.concat_str(
        pl.col("year_of_birth").str.zfill(4),
        pl.col("month_of_birth").str.zfill(2),
        pl.col("day_of_birth").str.zfill(2),
        separator="-",
        ignore_nulls=True,
    )
    found = person.with_columns(
        pl.coalesce(pl.col("birth_datetime").str.slice(0, 10), pl.when(known).then(parts)).alias(
            "birth_date"
        )
    ).join(place, on="location_id", how="left", maintain_order="left")
    for name in ("gender", "race", "ethnicity"):
        found = _named(found, f"{name}_concept_id", name, names)
    return found.select(
        *(PERSON, "year_of_birth", "birth_date", "gender", "race", "ethnicity"),
        *("city", "county", "state", "zip"),
        *("gender_source_value", "race_source_value", "ethnicity_source_value"),
    )


def _conditions(condition: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    found = _named(condition, "condition_concept_id", "condition", names)
    found = _named(found, "condition_type_concept_id", "condition_type", names)
    return found.select(
        *(PERSON, "condition_concept_id", "condition", "condition_source_value", "condition_type"),
        *(pl.col(f"condition_{end}_date").str.slice(0, 10) for end in ("start", "end")),
    )


def _named(frame: pl.DataFrame, key: str, name: str, names: pl.DataFrame) -> pl.DataFrame:
    """The frame with the names of concepts beside their numbers."""
    known = names.select(pl.col("concept_id").alias(key), pl.col("concept_name").alias(name))
    number = pl.col(key)
    standard = number.replace_strict(_STANDARD, default=None, return_dtype=pl.String)
    unknown = pl.when(number.is_not_null()).then(pl.concat_str(pl.lit("concept "), number))
    return frame.join(known, on=key, how="left", maintain_order="left").with_columns(
        pl.when(number != _NO_CONCEPT).then(pl.coalesce(name, standard, unknown)).alias(name)
    )


class OMOP(Format):
    """Tables of the OMOP Common Data Model, a row for every condition of a person."""

    name = "omop"
    title = "tables of the OMOP Common Data Model"
    person = "person_id"
    attributes: ClassVar[Mapping[str, PlainMapping]] = {
        "person_id": DROPPED,
        "year_of_birth": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        "birth_date": DROPPED,
        "gender": WHOLE,
        "race": WHOLE,
        "ethnicity": WHOLE,
        "city": DROPPED,
        "county": DROPPED,
        "state": WHOLE,
        "zip": CODE,
        "gender_source_value": DROPPED,
        "race_source_value": DROPPED,
        "ethnicity_source_value": DROPPED,
        "condition_concept_id": DROPPED,
        "condition": SENSITIVE,
        "condition_source_value": DROPPED,
        "condition_type": DROPPED,
        "condition_start_date": DROPPED,
        "condition_end_date": DROPPED,
    }

    def read(self, path: str | Path) -> HealthRecords:
        """The conditions, with notes on what is not among them."""
        return omop_records(path)

    def recognizes(self, names: list[str]) -> bool:
        """Whether there is a table of people."""
        return any(_table_in(Path(name)) == "person" for name in names)
