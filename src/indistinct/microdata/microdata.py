"""The private table, encoded: texts become codes, records become combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import polars as pl

from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.encoding import (
    cells_of_people,
    codes_in,
    frequency_table,
    leaf_codes,
    numbers_of_combinations,
    record_table,
)
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.subjects import Subjects
from indistinct.types import Ints, Ints32


@dataclass(frozen=True)
class Microdata:
    """A table as the algorithms see it.

    ``combination_of`` [n] is the combination of every row of the texts it was encoded from.
    """

    data: LeveledTable
    combination_of: Ints32

    @classmethod
    def encode(
        cls,
        subjects: Subjects | pl.DataFrame,
        taxonomies: Mapping[str, Taxonomy],
        sensitive: Sequence[str] = (),
        *,
        unchanged: Mapping[str, Ints32] | None = None,
        population: pl.DataFrame | None = None,
        by_record: bool = False,
    ) -> Microdata:
        """Encode rows of canonical text.

        Arguments:
            subjects: whose rows they are; of texts alone every row is a record, null is missing.
                Where people have records, it is counted of each value how many people have it.
            taxonomies: of every quasi-identifier; they cover all values.
            sensitive: attributes whose values promises count.
            unchanged: codes of further columns, which are published as they are.
            population: the quasi-identifiers of the people of a population, one row each; the
                taxonomies cover them too. Combinations that only it has weigh 0.
            by_record: keep every row a combination of its own, in the order of the rows, for
                algorithms that treat equal records differently.
        """
        if isinstance(subjects, pl.DataFrame):
            subjects = Subjects.of_records(subjects)
        texts, weight, events = subjects.texts, subjects.weight, subjects.events
        if weight is None:
            weight = np.ones(texts.height, dtype=np.int64)
        held = subjects.records
        domains: dict[str, tuple[Label, ...]] = {
            name: sorted_values(held[name]) for name in sensitive
        }
        with ThreadPoolExecutor() as beside:
            # A column is coded on one processor: several columns at once.
            found = beside.map(lambda item: leaf_codes(texts[item[0]], item[1]), taxonomies.items())
            codes = dict(zip(taxonomies, found, strict=True))
        sizes = {name: len(taxonomy.leaves) for name, taxonomy in taxonomies.items()}
        fixed = {name: int(own.max(initial=0)) + 1 for name, own in (unchanged or {}).items()}
        values = {name: (codes_in(held[name], domain), domain) for name, domain in domains.items()}
        several = values if events is not None else {}
        values = values if events is None else {}
        rows = texts.height
        if population is not None:
            # The population follows the records: counted in a column of its own, with no values.
            codes = {
                name: np.concatenate([own, leaf_codes(population[name], taxonomies[name])])
                for name, own in codes.items()
            }
            weight = np.concatenate([weight, np.zeros(population.height, np.int64)])
            none = np.zeros(population.height, np.int32)
            values = {
                name: (np.concatenate([own, none]), domain)
                for name, (own, domain) in values.items()
            }
        make = record_table if by_record else frequency_table
        table, combination_of = make(codes | dict(unchanged or {}), sizes | fixed, values, weight)
        if events is not None:
            table = replace(
                table,
                unit="person",
                sensitive={
                    name: cells_of_people(
                        own, domain, events.person_of, combination_of[:rows], table
                    )
                    for name, (own, domain) in several.items()
                },
            )
        if population is not None:
            people = np.bincount(combination_of[rows:], minlength=table.combinations)
            table = replace(table, population=people.astype(np.int64))
        return cls(LeveledTable(table, dict(taxonomies), fixed), combination_of[:rows])

    def knowing(self, known: Mapping[str, ValueMetadata]) -> Microdata:
        """The same table, with what is known of the values of its sensitive attributes."""
        table = self.data.table
        cells = {
            name: replace(own, known=known.get(name, NO_METADATA))
            for name, own in table.sensitive.items()
        }
        return replace(self, data=replace(self.data, table=replace(table, sensitive=cells)))


def row_numbers(texts: pl.DataFrame, columns: Sequence[str]) -> Ints32:
    """A number for every row: the same for rows that are equal in these columns."""
    domains = [sorted_values(texts[name]) for name in columns]
    codes = [codes_in(texts[name], domain) for name, domain in zip(columns, domains, strict=True)]
    ones = np.ones(texts.height, dtype=np.int64)
    return numbers_of_combinations(codes, [max(len(domain), 1) for domain in domains], ones)


def sorted_values(column: pl.Series) -> tuple[Label, ...]:
    """The distinct texts of a column, sorted, missing last."""
    return tuple(column.unique().sort(nulls_last=True).to_list())


def distinct_values(
    column: pl.Series, weight: Ints | None = None
) -> tuple[tuple[Label, ...], tuple[int, ...]]:
    """The distinct texts of a column, sorted, missing last, and how many records have each."""
    if weight is None:
        counted = column.alias("value").value_counts(name="count")
    else:
        counted = (
            pl.DataFrame({"value": column, "count": weight})
            .group_by("value")
            .agg(pl.col("count").sum())
        )
    counted = counted.sort(counted.columns[0], nulls_last=True)
    return (
        tuple(counted.to_series(0).to_list()),
        tuple(int(count) for count in counted["count"]),
    )
