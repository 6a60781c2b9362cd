"""Linked tables put together for analysis: what can be expected of every row, not a plain join.

A plain join of a quasi table with its sensitive table by bucket gives every person all values of
the bucket, and counts each person as often as the bucket has values. Counts are right when every
joined row weighs what it stands for: of a bucket whose people have one value each, the share of the
bucket's rows that have the value (Xiao and Tao 2006, section 4, for anatomy).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from indistinct.errors import DataError, Problem, Problems, did_you_mean, refuse
from indistinct.release.audit.reading import read_release
from indistinct.sources.files import read_table
from indistinct.types import Frame, PlainMapping

WEIGHT = "weight"
"""The column that says how many people a joined row stands for."""

HOLDING = ("one", "some", "all")

QUASI, SENSITIVE, BUCKET = "quasi", "sensitive", "bucket"

_PEOPLE = "\0people"


def expected(
    tables: Frame, *, by: str | None = None, holding: str | None = None, weight: str = WEIGHT
) -> Any:
    """The two tables of a release, joined, with a weight to count by.

    The sum of the weights over any rows is how many people one can expect to have these
    quasi-identifiers and this value. Where people have several values, weights of several values of
    one person must not be added up to a number of people: they count pairs of person and value.

    Arguments:
        tables: a release: the folder it was written to, what :func:`indistinct.anonymize` returned,
            or the frames ``quasi`` and ``sensitive``, of any kind that Narwhals knows.
        by: the column that links them; by default the one that the certificate names under
            ``linked``, else ``bucket``.
        holding: how the rows of a bucket belong to its people: everyone has ``one`` of them,
            ``some`` of its values (each listed once for everyone who has it), or ``all``. By
            default as the certificate says; for frames alone, ``one``.
        weight: the name of the column of weights.

    Returns:
        A frame of the same kind: every row of the quasi table with every value of its bucket, and
        the weight, from 0 to 1.

    Raises:
        DataError: a table or the column that links them is missing, the folder is not a
            release of linked tables, both tables have another column of the same name, or a column
            has the name of the weight.
        ValueError: ``holding`` is none of the three.
    """
    import narwhals as nw

    frames, link = _opened(tables)
    by = by or link.get("by", BUCKET)
    holding = holding or link.get("holding", "one")
    if holding not in HOLDING:
        raise ValueError(f"holding must be one of {HOLDING}, not {holding!r}")
    problems = [
        Problem("no-table", f"there is no table '{name}'", remedy=did_you_mean(name, frames))
        for name in (QUASI, SENSITIVE)
        if name not in frames
    ]
    refuse(DataError, problems)
    quasi, sensitive = (nw.from_native(frames[name]) for name in (QUASI, SENSITIVE))
    columns = {
        QUASI: quasi.collect_schema().names(),
        SENSITIVE: sensitive.collect_schema().names(),
    }
    problems = list(_refused(columns, by, weight))
    refuse(DataError, problems)
    values = [name for name in columns[SENSITIVE] if name != by]
    listed = _counted(sensitive, [by, *values], weight)
    if holding == "all":
        listed = listed.with_columns(nw.lit(1.0).alias(weight))
    else:
        keys = [by, "attribute"] if holding == "one" and "attribute" in values else [by]
        people = _counted(sensitive if holding == "one" else quasi, keys, _PEOPLE)
        listed = listed.join(people, on=keys, how="left")
        listed = listed.with_columns((nw.col(weight) / nw.col(_PEOPLE)).alias(weight))
        listed = listed.drop(_PEOPLE)
    return quasi.join(listed, on=by, how="inner").to_native()


def _opened(tables: Frame) -> tuple[PlainMapping, Mapping[str, str]]:
    """The frames ``quasi`` and ``sensitive``, and how they are linked where that is known."""
    if isinstance(tables, Mapping):
        return tables, {}
    if isinstance(tables, str | Path):
        return _read(Path(tables))
    certificate = getattr(tables, "certificate", None)
    frames = getattr(tables, "tables", None)
    if certificate is None or not isinstance(frames, Mapping):
        raise DataError(_not_linked(None))
    return frames, certificate.linked or {}


def _read(folder: Path) -> tuple[PlainMapping, Mapping[str, str]]:
    claims = read_release(folder).claims if folder.is_dir() else None
    link = None if claims is None else claims.linked
    if link is None:
        raise DataError(_not_linked(str(folder)))
    frames = {
        name: read_table(folder / link[name], exact=True, header=True)
        for name in (QUASI, SENSITIVE)
    }
    return frames, link


def _not_linked(file: str | None) -> Problem:
    return Problem(
        "not-linked",
        "is not a release of linked tables",
        file=file,
        remedy="a release of one table is counted as it is; of linked tables give the folder with "
        "their certificate, or the frames quasi and sensitive",
    )


def _refused(columns: Mapping[str, list[str]], by: str, weight: str) -> list[Problem]:
    """What stands in the way of joining tables of these columns."""
    problems = Problems()
    for file, names in columns.items():
        if by not in names:
            near = did_you_mean(by, names)
            problems.add("missing-column", f"has no column '{by}': {near}", file=file)
        if weight in names:
            problems.add(
                "column-exists",
                f"has a column '{weight}' already",
                file=file,
                remedy="name another one with weight",
            )
    both = [name for name in columns[QUASI] if name in columns[SENSITIVE] and name != by]
    problems += [
        Problem(
            "column-exists",
            f"both tables have a column '{name}', and are not linked by it",
            remedy="give it another name in one of them",
        )
        for name in both
        if name != weight
    ]
    return problems


def _counted(frame: Frame, keys: list[str], name: str) -> Any:
    """How often each combination of the keys occurs, as a column of that name."""
    import narwhals as nw

    counted = frame.group_by(keys, drop_null_keys=False).agg(nw.len().alias(name))
    return counted.with_columns(nw.col(name).cast(nw.Float64))
