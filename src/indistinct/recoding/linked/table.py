"""What algorithms for people with many records see: one combination per person, and the events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from indistinct.frozen import dataclass
from indistinct.kernels.ragged import pointers
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.subjects import Events
from indistinct.recoding.method import Task
from indistinct.types import Ints


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
    last: Mapping[str, Ints]

    @classmethod
    def of(cls, task: Task) -> LinkedTable:
        """The people of a task, with the values of all their records."""
        assert task.events is not None
        return cls.joined(task.data, task.events)

    @classmethod
    def joined(cls, data: LeveledTable, events: Events) -> LinkedTable:
        """People with the values of all their records, how often and where last."""
        found: dict[str, Cells] = {}
        last: dict[str, Ints] = {}
        for name, cells in data.table.sensitive.items():
            place = {label: at for at, label in enumerate(cells.domain)}
            value = pl.Series(events.texts[name]).replace_strict(
                pl.Series(list(place), dtype=pl.String),
                pl.Series(list(place.values()), dtype=pl.Int64),
                return_dtype=pl.Int64,
            )
            counted = (
                pl.DataFrame({"person": events.person_of, "value": value})
                .with_row_index("row")
                .group_by("person", "value")
                .agg(pl.len().cast(pl.Int64).alias("count"), pl.col("row").max().cast(pl.Int64))
                .sort("person", "value")
            )
            of_person = np.bincount(counted["person"].to_numpy(), minlength=data.table.combinations)
            found[name] = replace(
                cells,
                indptr=pointers(of_person),
                value=counted["value"].to_numpy().astype(np.int32),
                count=counted["count"].to_numpy(),
            )
            last[name] = counted["row"].to_numpy()
        return cls(data, found, last)

    @property
    def of_classes(self) -> LinkedTable:
        """The same, where who has ``*`` in every quasi-identifier is in no class, and weighs 0."""
        gone = self.data.suppressed_before
        if not gone.any() or gone.all():
            return self
        table = replace(self.data.table, weight=np.where(gone, 0, self.data.weight))
        return replace(self, data=replace(self.data, table=table))

    @property
    def people(self) -> int:
        """Number of people, n."""
        return self.data.table.combinations
