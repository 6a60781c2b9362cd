"""The risk of every record of a survey, by its sampling weights.

A record of a survey stands for as many people of the population as its weight says. A class of f
records whose weights sum to W is a sample of about W people: with p = f / W the class has F of
them, negative binomial from f on, and a link to one of its records is right with

    r = E[1 / F | f] = p * integral over z from 0 to 1 of z^(f - 1) / (p + (1 - p) z)

for f = 1 that is p log(1 / p) / (1 - p). A record that nobody else in the sample is like is alone
in the population with p.

    R. Benedetti, L. Franconi: "Statistical and Technological Solutions for Controlled Data
    Dissemination". New Techniques and Technologies for Statistics, 1998; L. Franconi, S. Polettini:
    "Individual Risk Estimation in mu-Argus: A Review". Privacy in Statistical Databases, 2004.

The model knows nothing of a class but its own weights: it takes the risk of a record with a rare
combination for lower than it is if its weight is large.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from indistinct.document import Grid, Line, Part, PlainData, share, shown
from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.sources.table import Table, count_column
from indistinct.types import Floats, Ints

MOST = 1e11
"""People that one record may stand for: all who ever lived."""

FEW = 20
"""Records of a class from which on the series needs few terms whatever its share."""

TERMS = 120
"""Terms of the series: what is left out is below the last digits."""

_SUM = "\0sum"


@dataclass(frozen=True, eq=False)
class IndividualRisk(PlainData):
    """What the weights of a sample say about the people of each class.

    Arguments:
        column: the column of the weights.
        population: the sum of all weights.
        uniques: records that are unique in the population, as expected of those unique in the
            sample.
        matches: right links of all records, one guess each, as expected.
        people: the sum of the weights of every class, [G].
        risk: how likely a link to a record of it is right, [G].
    """

    column: str
    population: float
    uniques: float
    matches: float
    people: Floats = field(repr=False)
    risk: Floats = field(repr=False)

    def parts(self, records: int, alone: int, units: str) -> Iterator[Part]:
        """How many are expected to be unique, and to be found.

        Arguments:
            records: how many there are in classes.
            alone: how many are alone in theirs.
            units: what is counted, in the plural.
        """
        yield Line(f"\nexpected by the sampling weights '{self.column}'", "title")
        rows = [
            ("unique in the population", shown(self.uniques), f"of {shown(alone)} that are here"),
            ("found by a link", shown(self.matches), share(self.matches / max(records, 1))),
        ]
        yield Grid(("", units, "share"), rows, right=(units,))


def people_by_weight(table: Table, cells: pl.DataFrame, column: str) -> Floats:
    """The sum of the weights of every class, [G].

    Arguments:
        table: a row for everybody, with the quasi-identifiers and the weights.
        cells: the quasi-identifiers of every class as text, [G rows].
        column: the column of the weights.

    Raises:
        DataError: a weight is no number above 0.
    """
    names = list(dict.fromkeys([*cells.columns, column]))
    found = table.distinct(names)
    weight = found[column].cast(pl.Float64, strict=False)
    wrong = ~(weight.is_finite() & (weight > 0) & (weight <= MOST)).fill_null(value=False)
    if wrong.any():
        raise DataError(
            "bad-weight",
            "a sampling weight must be a number above 0",
            file=table.name,
            attribute=column,
            rows=table.rows_where(column, found.filter(wrong)[column].unique().to_list()),
            remedy="mend these cells, leave their records out, or measure without weights",
        )
    total = (weight * found[count_column(names)].cast(pl.Float64)).alias(_SUM)
    sums = found.select(*cells.columns, total).group_by(cells.columns).sum()
    if sums[_SUM].sum() < found[count_column(names)].sum():
        raise DataError(
            "small-population",
            "the weights stand for fewer people than the table has records",
            file=table.name,
            attribute=column,
            remedy="name the column that says how many people of the population a record stands "
            "for; weights that are scaled to the sample do not say it",
        )
    joined = cells.join(sums, on=cells.columns, how="left", nulls_equal=True, maintain_order="left")
    return joined[_SUM].fill_null(0.0).to_numpy().astype(np.float64)


def individual_risk(column: str, size: Ints, people: Floats) -> IndividualRisk:
    """What the weights say.

    Arguments:
        column: the column of the weights.
        size: records of every class, each 1 or more, [G].
        people: the sum of their weights, [G].
    """
    risk = risk_of_links(size, people)
    alone = size == 1
    return IndividualRisk(
        column=column,
        population=float(people.sum()),
        uniques=float(np.minimum(1 / people[alone], 1).sum()),
        matches=float((size * risk).sum()),
        people=people,
        risk=risk,
    )


def risk_of_links(size: Ints, people: Floats) -> Floats:
    """E[1 / F | f] of every class, [G].

    Arguments:
        size: its records f, each 1 or more.
        people: the people W that they stand for; fewer than f count as f.

    >>> risk_of_links(np.array([1, 2, 3]), np.array([1.0, 2.0, 6.0])).round(4).tolist()
    [1.0, 0.5, 0.1931]
    """
    p = np.minimum(size / people, 1.0)
    q = 1 - p
    risk = np.empty(len(p))
    # The integral I(f) by steps, q I(f + 1) = 1 / f - p I(f): errors shrink where p is below q.
    stepped = (size < FEW) & (p <= 0.5)
    left, share_of, own = q[stepped], p[stepped], size[stepped]
    integral: Floats = -np.log(share_of) / left
    found = integral
    for at in range(1, int(own.max(initial=1))):
        integral = (1 / at - share_of * integral) / left
        found = np.where(own == at + 1, integral, found)
    risk[stepped] = share_of * found
    # Elsewhere a series of positive terms: q^j times Beta(f, j + 1).
    f, left = size[~stepped].astype(np.float64), q[~stepped]
    term: Floats = 1 / f
    total = term
    for j in range(1, TERMS):
        term = term * left * j / (f + j)
        total = total + term
    risk[~stepped] = p[~stepped] * total
    return risk


def chance_of_fewer(size: Ints, people: Floats, than: int) -> Floats:
    """How probable it is that a class has fewer people than so many, [G].

    Arguments:
        size: its records, each 1 or more, [G].
        people: the people that they stand for, [G].
        than: the number of people.

    >>> chance_of_fewer(np.array([1, 5]), np.array([2.0, 5.0]), 3).tolist()
    [0.75, 0.0]
    """
    chance = np.zeros(len(size))
    few = np.flatnonzero(size < than)
    f, p = size[few], np.minimum(size[few] / people[few], 1.0)
    term, total = p**f, np.zeros(len(few))
    for more in range(than - int(f.min(initial=than))):
        total += np.where(f + more < than, term, 0.0)
        term = term * (1 - p) * (f + more) / (more + 1)
    chance[few] = total
    return chance
