"""A release's cells read as categories: which one each stands for, and in what parts.

For analyses of a release: a column of codes holds ``1``, ``{1, 2}`` and ``*``, and a model needs a
column of numbers for each code.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

import polars as pl

from indistinct.hierarchies.cells import members_of
from indistinct.hierarchies.taxonomy import SUPPRESSED


def read_categories(
    cells: Iterable[object], categories: Iterable[str] | None = None
) -> pl.DataFrame:
    """The categories that the cells of one column stand for, one row for each cell.

    A set stands for its values in equal parts: ``{1, 2}`` is half of 1 and half of 2. That is a
    guess, as the middle of a range is: a model is as good as sets are small.

    Arguments:
        cells: the cells: a column of a frame, or a list.
        categories: the values there are; a set with another one is a category of its own. Where
            not given, all sets are read as their values.

    Returns:
        A column for each category with the part of every cell that it is, 0 to 1. ``{1, missing}``
        is 1 where it is not missing. All are null for a missing cell and for ``*``.

    >>> read_categories(["1", "{1, 2}", "*"]).to_dict(as_series=False)
    {'1': [1.0, 0.5, None], '2': [0.0, 0.5, None]}
    """
    known = None if categories is None else {*categories}
    of_cell: dict[str | None, tuple[str, ...]] = {None: ()}
    texts = [_text(cell) for cell in cells]
    for text in texts:
        if text is not None and text not in of_cell:
            of_cell[text] = values_in(text, known)
    names = sorted({name for values in of_cell.values() for name in values})
    parts = {
        text: {name: (name in values) / len(values) for name in names}
        for text, values in of_cell.items()
        if values
    }
    return pl.DataFrame(
        {name: [None if text is None else parts[text][name] for text in texts] for name in names},
        schema=dict.fromkeys(names, pl.Float64),
    )


def _text(cell: object) -> str | None:
    if cell is None or cell != cell or cell == SUPPRESSED:  # noqa: PLR0124, a nan of pandas
        return None
    return str(cell)


def values_in(cell: str, known: AbstractSet[str] | None = None) -> tuple[str, ...]:
    """The values that a cell lists: those of a set that are all known; of another cell, itself.

    Arguments:
        cell: the cell.
        known: the values there are; None where a set may have any.
    """
    members = None if known is not None and cell in known else members_of(cell)
    values = tuple(value for value in members or () if value is not None)
    return values if values and (known is None or known >= {*values}) else (cell,)
