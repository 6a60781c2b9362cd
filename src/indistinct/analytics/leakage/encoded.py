"""The columns of a table as codes, with the probability of every record to be looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from indistinct.analytics.leakage.information_loss import LeakageAnalysis
from indistinct.errors import DataError, Problems, refuse
from indistinct.frozen import dataclass
from indistinct.microdata.encoding import frequency_table
from indistinct.sources.engines import coded_rows
from indistinct.sources.table import Table
from indistinct.sources.text import Coded
from indistinct.types import Floats, Ints, Ints32


@dataclass(frozen=True)
class Encoded:
    """The columns of a table as codes.

    ``domains`` are the texts of each attribute's codes; ``probabilities`` [C, 2] as
    :class:`LeakageAnalysis` has it; ``combination_of`` [n] is None where the engine has no order.
    """

    analysis: LeakageAnalysis
    domains: Mapping[str, tuple[str | None, ...]]
    combination_of: Ints32 | None

    @property
    def mass(self) -> Floats:
        """What every distinct combination weighs, [C]."""
        return self.analysis.mass


def encode(table: Table, attributes: Sequence[str], weights: str | None = None) -> Encoded:
    """The distinct combinations of some columns, and the probabilities of their records.

    Arguments:
        table: the table.
        attributes: the columns.
        weights: a column with re-identification probabilities up to a factor; not given: all are
            alike.

    Raises:
        DataError: ``weights`` is a column with something else than numbers from 0 on.
    """
    columns = [*attributes, *([weights] if weights else [])]
    rows, weight = coded_rows(table, columns)
    units = np.broadcast_to(np.int64(1), table.height()) if weight is None else weight
    weighing = None if weights is None else rows[weights]
    domains = {name: rows[name][1] for name in attributes}
    codes = {name: rows[name][0] for name in attributes}
    sizes = {name: len(domain) for name, domain in domains.items()}
    found, combination_of = frequency_table(codes, sizes, {}, units)
    probabilities: Floats | None = None
    if weighing is not None:
        p = _probabilities(table, str(weights), weighing, units, ordered=weight is None)
        information = np.where(p > 0, p * np.log2(np.where(p > 0, p, 1.0)), 0.0)
        probabilities = np.stack(
            [
                np.bincount(combination_of, part * units, found.combinations).astype(np.float64)
                for part in (p, information)
            ],
            axis=1,
        )
    ordered = combination_of if weight is None else None
    return Encoded(LeakageAnalysis(found, probabilities), domains, ordered)


def _probabilities(
    table: Table, column: str, coded: Coded, units: Ints, *, ordered: bool
) -> Floats:
    """The probability of one record of every row, so that all of them add up to 1."""
    codes, labels = coded
    texts = pl.Series(labels, dtype=pl.String)
    numbers = texts.cast(pl.Float64, strict=False).to_numpy().astype(np.float64)[codes]
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    problems = Problems()
    if wrong.any():
        rows = tuple((np.flatnonzero(wrong) + 1).tolist()) if ordered else ()
        problems.add(
            "bad-weight",
            "a weight must be a number, 0 or more",
            file=table.name,
            attribute=column,
            rows=rows,
        )
    elif float((numbers * units).sum()) <= 0:
        problems.add("bad-weight", "all weights are 0", file=table.name, attribute=column)
    refuse(DataError, problems)
    return numbers / float((numbers * units).sum())
