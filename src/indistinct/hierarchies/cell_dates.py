"""A release's cells read as dates: the first and the last day that each stands for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import polars as pl

from indistinct.errors import PolicyError, refuse
from indistinct.hierarchies.cells import dates_of, members_of
from indistinct.hierarchies.dates import check
from indistinct.hierarchies.moments import label_of, reader

Days = tuple[date, date]


def read_dates(cells: Iterable[object], *, format: str = "iso") -> pl.DataFrame:  # noqa: A002
    """The days that the cells of one column stand for, one row for each cell.

    Arguments:
        cells: the cells: a column of a frame, or a list.
        format: how exact days are written, as in a hierarchy of dates: ``"iso"``, ``"day-first"``,
            ``"month-first"``, ``"days since 1899-12-30"``, or a pattern of ``strptime``.

    Returns:
        Columns ``first_day`` and ``last_day``. ``2024-02`` has the first and the last day of
        February, ``[2024-02, 2024-04]`` ends with April, and so does the set ``{2024-02,
        [2024-03, 2024-04], missing}``. Both are null for ``*``, for a missing cell, and for one
        that is no date.

    Raises:
        PolicyError: for a format that is none.

    >>> read_dates(["[2024-02, 2024-04]", "1970s", "*"]).rows()[0]
    (datetime.date(2024, 2, 1), datetime.date(2024, 4, 30))
    """
    refuse(PolicyError, check({"format": format}))
    read = reader(format)

    def days(text: str) -> Days | None:
        moment = read(text)
        period = text if moment is None else label_of(moment, "day")
        if (ends := dates_of(period)) is not None:
            return date.fromordinal(int(ends[0])), date.fromordinal(int(ends[1]))
        if (members := members_of(text)) is not None:
            inner = [days(member) for member in members if member is not None]
            parts = [part for part in inner if part is not None]
            if not parts or len(parts) < len(inner):
                return None
            return min(first for first, _ in parts), max(last for _, last in parts)
        return None

    known: dict[object, Days | None] = {}
    for cell in (held := list(cells)):
        if cell not in known:
            known[cell] = None if cell is None or cell != cell else days(str(cell))  # noqa: PLR0124
    return pl.DataFrame(
        [known[cell] or (None, None) for cell in held],
        schema={"first_day": pl.Date, "last_day": pl.Date},
        orient="row",
    )
