"""What algorithms for people with many records see: one combination per person, and the events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indistinct.microdata.frequencies import Cells, Counts
from indistinct.microdata.leveled import LeveledTable


@dataclass(frozen=True)
class LinkedTable:
    """People with their quasi-identifiers, and the sensitive values of all their records.

    Arguments:
        data: the people, each a combination of its own in the order of their first record, so that
            combination ``c`` is person ``c`` and weighs 1.
        events: of each sensitive attribute the values of every person, as compressed rows:
            ``count`` is how many of the person's records have the value. What is known of the
            values (categories, hierarchy) is in ``Cells.about``.
        last: of each sensitive attribute and every entry of ``events``, the last record of the
            source (counted from 0) that has this value of this person, [entries].
    """

    data: LeveledTable
    events: Mapping[str, Cells]
    last: Mapping[str, Counts]

    @property
    def people(self) -> int:
        """Number of people, n."""
        return self.data.table.combinations
