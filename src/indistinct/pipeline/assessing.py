"""The verb *assess*: what a table gives away, and what is left to leak after a release."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.pipeline.hierarchies import taxonomy_of
from indistinct.pipeline.opening import Progress, open_source, silent
from indistinct.sources.files import read_table
from indistinct.sources.table import Table, open_table

if TYPE_CHECKING:
    from indistinct.analytics.assessment import Assessment
    from indistinct.policy import Policy


def assess(
    data: Any,
    policy: Policy | None = None,
    *,
    release: Any = None,
    attributes: Sequence[str] | None = None,
    combinations: int | None = None,
    top: int = 10,
    threshold: float = 0.5,
    key_like: float = 0.9,
    weights: str | None = None,
    exposed: int = 10,
    path: str | Path | None = None,
    source: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """What a table gives away, and, where a release of it is given, what is left to leak.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a file. It is not
            changed.
        policy: says which role each column plays; without, roles are suggested.
        release: what was published of it: a frame, the path of a file or of a release's folder.
        attributes: look at these columns only, and tell also what all of them leak together.
        combinations: tell the leakage of every combination of at most so many columns; without,
            that of every column, and the worst combinations of two or three.
        top: how many of the worst combinations are told.
        threshold: the share of what tells everybody apart from which one column leaks a lot.
        key_like: the share from which a combination of columns is nearly as good as a name.
        weights: a column of numbers, how likely each record is to be looked for (up to a factor).
        exposed: how many of the most exposed records are named, in ``Assessment.exposed``; private.
        path: the file that a frame was read from, for messages.
        source: how a file is read, ``{"separator": ";"}``, where there is no policy.
        progress: is told what is being done.

    Raises:
        DataError: the table or the release cannot be read, or lacks a column.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy of the policy does not cover the table's values, or is no tree.
    """
    from indistinct.analytics.assessment import assess_table
    from indistinct.analytics.profile import profile

    tell = progress or silent
    tell("reading", None)
    if policy is not None:
        table, _ = open_source(data, policy, path)
    elif isinstance(data, str | Path):
        table = open_table(read_table(data, **(source or {})), Path(data).name)
    else:
        table = open_table(data, "table" if path is None else Path(path).name)
    published = None if release is None else _published_table(release, table.columns)
    tell("looking at the columns", None)
    return assess_table(
        table,
        profile(table),
        roles=None if policy is None else {k: v.role for k, v in policy.attributes.items()},
        attributes=attributes,
        combinations=combinations,
        top=top,
        threshold=threshold,
        key_like=key_like,
        weights=weights,
        exposed=exposed,
        release=published,
        taxonomy_of=None if policy is None else functools.partial(taxonomy_of, policy, table),
        progress=progress,
    )


def _published_table(release: Any, columns: Sequence[str]) -> Table:
    """The published table that shares most columns with the private one."""
    from indistinct.release.audit.reading import read_release

    best = max(read_release(release).tables, key=lambda part: len(set(part.columns) & set(columns)))
    return open_table(best.texts(best.columns), best.name, allow_empty=True)
