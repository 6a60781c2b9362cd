"""The people among whom somebody could be found, and how many of them share each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Self

import numpy as np
import polars as pl

from indistinct.errors import DataError
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table, count_column
from indistinct.types import Bools, Frame, Ints, Ints32

_PEOPLE = "\0people"

MOST = 1e11
"""People of a population, or that one row may stand for: all who ever lived."""

Basis = Literal["table", "counts", "weights", "size", "none"]
"""What is known of the population: a table of its people, counts per class, what records stand for,
its size, nothing.

Without a count of the people of every class, one may stand for no more people than it has records:
then the journalist's risk is at most the prosecutor's, and told as the same.
"""


@dataclass(frozen=True, eq=False)
class Population:
    """What is known of the population.

    Arguments:
        basis: what its figures come from.
        size: number of its people; None where that is not known.
        cells: its distinct combinations of quasi-identifiers as text, [P rows]; None where there is
            no table of its people.
        number: how many people have each of them, [P].
    """

    basis: Basis = "none"
    size: float | None = None
    cells: pl.DataFrame | None = None
    number: Ints | None = None

    @classmethod
    def of_size(cls, given: float, records: int) -> Self:
        """A population of which only the size is known.

        Arguments:
            given: number of its people; below 1, or 1.0, the share of them that is in the table.
            records: people in the table.

        Raises:
            DataError: it is no such number, or they are fewer than the table holds.
        """
        share = given < 1 or (isinstance(given, float) and given == 1)
        if not 0 < given <= MOST or (share and records / given > MOST):
            raise DataError(
                "bad-setting",
                "population must be a number of people, at most 100 billion, or a share below 1, "
                f"not {given:g}",
            )
        size = records / given if share else float(given)
        if size < records:
            raise DataError(
                "small-population",
                f"a population of {size:,.0f} cannot hold a table of {records:,} records",
                remedy="give the number of people that the table was drawn from",
            )
        return cls("size", size)

    @classmethod
    def of_table(cls, table: Table, quasi: Sequence[str], counts: str | None = None) -> Self:
        """A population whose people are in a table.

        Arguments:
            table: the table, which has the columns named.
            quasi: the quasi-identifiers.
            counts: the column that says how many people each row stands for; one where not given.

        Raises:
            DataError: cells of that column are no whole numbers of people.
        """
        columns = list(dict.fromkeys([*quasi, *([] if counts is None else [counts])]))
        found = table.distinct(columns)
        people = pl.col(count_column(columns)).cast(pl.Int64)
        if counts is not None:
            number = found[counts].cast(pl.Float64, strict=False)
            wrong = ~number.is_between(0, MOST).fill_null(False) | (number % 1 != 0)
            if wrong.any():
                raise DataError(
                    "bad-count",
                    "must be a whole number of people, 0 or more",
                    file=table.name,
                    attribute=counts,
                    rows=table.rows_where(counts, found.filter(wrong)[counts].to_list()),
                )
            people *= number.cast(pl.Int64)
        cells = found.select(*quasi, people.alias(_PEOPLE)).group_by(list(quasi)).sum()
        number_of = cells[_PEOPLE].to_numpy().astype(np.int64)
        basis: Basis = "table" if counts is None else "counts"
        return cls(basis, float(number_of.sum()), cells.drop(_PEOPLE), number_of)

    def alike(self, classes: pl.DataFrame) -> Ints:
        """How many people have exactly the values of every class, [G]; for a table of people."""
        assert self.cells is not None
        theirs = self.cells.with_columns(pl.Series(_PEOPLE, self.number))
        joined = classes.join(
            theirs, on=classes.columns, how="left", nulls_equal=True, maintain_order="left"
        )
        return joined[_PEOPLE].fill_null(0).to_numpy().astype(np.int64)

    def under(self, classes: pl.DataFrame, taxonomies: Mapping[str, Taxonomy]) -> Ints:
        """How many people are under the generalized cells of every class; for a table of people.

        Arguments:
            classes: the quasi-identifiers of every class as text, [G rows].
            taxonomies: their hierarchies, over the values of the population.
        """
        assert self.cells is not None
        assert self.number is not None
        exact = self.cells.select(classes.columns)
        covering = covers(classes, taxonomies, classes.columns)
        return people_under(classes, exact, self.number, covering)


def covers(
    released: Frame, taxonomies: Mapping[str, Taxonomy], quasi: Sequence[str]
) -> dict[str, dict[Label, frozenset[Label]]]:
    """For each quasi-identifier the exact values that each published cell stands for.

    Arguments:
        released: a table with the quasi-identifiers as they are published.
        taxonomies: their hierarchies.
        quasi: the quasi-identifiers.
    """
    table = open_table(released, allow_empty=True)
    found = {}
    for name in quasi:
        coverage = Coverage(taxonomies[name])
        leaves = np.array(coverage.leaves, dtype=object)
        found[name] = {
            cell: frozenset(leaves[coverage.mask(cell)].tolist())
            for cell in table.distinct([name])[name].to_list()
        }
    return found


def people_under(
    classes: pl.DataFrame,
    people: pl.DataFrame,
    number: Ints,
    covers: Mapping[str, Mapping[Label, frozenset[Label]]],
) -> Ints:
    """How many people of a population are under the published cells of every class, [G].

    Arguments:
        classes: the published cells, one row per class.
        people: the distinct combinations of exact values of the population, the same columns.
        number: how many people have each combination, [P].
        covers: the exact values that each published cell of a column stands for.
    """
    labels: list[tuple[Ints32, list[Bools]]] = []
    for name in classes.columns:
        distinct, told = sorted_values(people[name]), sorted_values(classes[name])
        at = codes_in(people[name], distinct)
        masks = [
            np.array([value in covers[name][cell] for value in distinct], dtype=np.bool_)[at]
            for cell in told
        ]
        labels.append((codes_in(classes[name], told), masks))
    # Columns of few labels first: what many classes have in common is looked up once.
    labels.sort(key=lambda column: len(column[1]))
    found = np.zeros(classes.height, dtype=np.int64)

    def descend(rows: Ints, under: Ints, depth: int) -> None:
        if depth == len(labels):
            found[rows] = number[under].sum()
            return
        code, masks = labels[depth]
        ordered = rows[np.argsort(code[rows], kind="stable")]
        for alike in np.split(ordered, np.flatnonzero(np.diff(code[ordered])) + 1):
            descend(alike, under[masks[code[alike[0]]][under]], depth + 1)

    if classes.height:
        descend(np.arange(classes.height), np.arange(people.height), 0)
    return found
