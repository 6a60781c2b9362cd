"""Codes and the ranges of their categories: what all classifications of diseases have in common."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Code(NamedTuple):
    """A code of a classification, apart from how it is written."""

    category: str
    """The category, which everything above is told from: 250, V10, E11."""

    rest: str
    """What stands behind the dot; empty for a category itself."""

    def cut(self, length: int) -> str:
        """The code with no more than so many signs behind the dot.

        >>> Code("250", "01").cut(1), Code("250", "01").cut(0), Code("250", "").cut(1)
        ('250.0', '250', '250')
        """
        rest = self.rest[:length]
        return f"{self.category}.{rest}" if rest else self.category


class Range(NamedTuple):
    """Categories from the first to the last, both included."""

    first: str
    last: str
    label: str


class Ranges:
    """Ranges that do not overlap, such as chapters.

    >>> chapters = Ranges(["001-139 infections", "140-239 neoplasms"])
    >>> chapters.home("042"), chapters.home("250")
    ('001-139 infections', None)
    """

    def __init__(self, lines: Iterable[str], elsewhere: Mapping[str, str] | None = None) -> None:
        """The ranges of some lines.

        Arguments:
            lines: ``first-last`` and, behind a blank, words that are part of the label.
            elsewhere: labels of single categories, which go before the ranges.
        """
        self.ranges = sorted(_range(line) for line in lines)
        self._firsts = [item.first for item in self.ranges]
        self._elsewhere = dict(elsewhere or {})

    def home(self, category: str) -> str | None:
        """The label of the range that a category is in; None if it is in none."""
        if category in self._elsewhere:
            return self._elsewhere[category]
        at = bisect_right(self._firsts, category) - 1
        item = self.ranges[at] if at >= 0 else None
        return item.label if item is not None and category <= item.last else None


def _range(line: str) -> Range:
    label = line.strip()
    first, _, last = label.split(" ", 1)[0].partition("-")
    return Range(first, last or first, label)
