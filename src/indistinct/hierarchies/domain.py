"""What the builders have in common: the texts they build on, and values they cannot place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date

from indistinct.document import many
from indistinct.errors import HierarchyError
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label

RowsOf = Callable[[Sequence[Label]], tuple[int, ...]]
"""The record numbers (from 1) where one of these values stands."""

MOST_LEVELS = 12
"""Levels that a builder makes of its own accord, however many values there are."""


def texts(values: Iterable[Label]) -> list[str]:
    """The distinct values, in the order of their text, without the missing and suppressed ones.

    Those are added to the finished hierarchy by :meth:`Taxonomy.extended`.
    """
    return sorted({value for value in values if value is not None and value != SUPPRESSED})


def as_text(value: object) -> str | None:
    """The text of a value that a policy gives (39.0 is "39"), or None for none or an empty text.

    Raises:
        TypeError: for a list, a table or anything else that has no text.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no text")


def unplaced(
    attribute: str, count: int, what: str, rows: tuple[int, ...] = (), *, first: str = ""
) -> HierarchyError:
    """The error for values that a builder cannot place, without saying what they are.

    Arguments:
        attribute: whose values.
        count: how many.
        what: what they cannot be read as.
        rows: where they are.
        first: what helps best, where it is known.
    """
    values = many(count, "distinct value")
    return HierarchyError(
        "unplaced-value",
        f"{values} cannot be read as {what}",
        attribute=attribute,
        rows=rows,
        remedy=f"{first}; or "
        * bool(first)
        + "correct the values; or, if they mean missing, empty them or declare them as "
        'missing; or choose another hierarchy; or set uncovered = "suppress"',
    )
