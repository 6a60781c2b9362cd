"""The risk of households: who is found with one member, is found with all.

Members of a household know each other, and are often published beside each other. If somebody finds
one of them, all are found. With r_i, how likely a link to member i is right, that is

    1 - product over the members of (1 - r_i)

for each of them, as in sdcMicro (M. Templ, A. Kowarik, B. Meindl: "Statistical Disclosure Control
for Micro-Data Using the R Package sdcMicro". Journal of Statistical Software 67(4), 2015, section
2.3). Classes are still those of single records: whoever knows the attributes of all members at once
finds more, which a warning of ``anonymize`` measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Self

import numpy as np
import polars as pl

from indistinct.document import Grid, Line, Part, PlainData, share, shown
from indistinct.frozen import dataclass, field
from indistinct.sources.table import Table, count_column
from indistinct.types import Floats

_RISK, _SAFE = "\0risk", "\0safe"


@dataclass(frozen=True, eq=False)
class HouseholdRisk(PlainData):
    """How likely a member of a household is found with it.

    Arguments:
        column: the column that names the household.
        households: how many there are; records without one are a household each.
        largest: the members of the largest.
        at_risk: R1, the share of records whose household's risk is above the threshold.
        highest: R2, the highest risk of a household.
        success: R3, the average risk of a record.
        of_each: the risk of every household by its name, for records in classes.
        of_records: that of every record, NaN for those without a household, [n]; None where records
            have no order.
    """

    column: str
    households: int
    largest: int
    at_risk: float = field(metadata={"as": "R1"})
    highest: float = field(metadata={"as": "R2"})
    success: float = field(metadata={"as": "R3"})
    of_each: pl.DataFrame = field(repr=False)
    of_records: Floats | None = field(default=None, repr=False)

    def with_records(self, household: pl.Series) -> Self:
        """The same, with the risk of every record by its household."""
        names = household.rename(self.column).to_frame()
        joined = names.join(self.of_each, on=self.column, how="left", maintain_order="left")
        return replace(self, of_records=joined[_RISK].cast(pl.Float64).fill_null(np.nan).to_numpy())

    def parts(self, threshold: float) -> Iterator[Part]:
        """The risk of records with their households.

        Arguments:
            threshold: the risk above which a record is at risk.
        """
        yield Line(f"\nwho is found with a member of '{self.column}'", "title")
        at_risk = f"above {threshold:g}"
        head = ("households", "largest", at_risk, "highest", "average")
        own = (share(self.at_risk), shown(self.highest), shown(self.success))
        yield Grid(head, [(f"{self.households:,}", f"{self.largest:,}", *own)], right=head)


def household_risk(
    table: Table, cells: pl.DataFrame, risk: Floats, column: str, threshold: float
) -> HouseholdRisk:
    """The risk of every household.

    Arguments:
        table: a row for everybody, with the quasi-identifiers and the household.
        cells: the quasi-identifiers of every class as text, [G rows].
        risk: how likely a link to a record of it is right, [G].
        column: the column that names the household; an empty cell names none.
        threshold: the risk above which a record is at risk.
    """
    names = list(dict.fromkeys([*cells.columns, column]))
    number = count_column(names)
    found = table.distinct(names).join(
        cells.with_columns(pl.Series(_RISK, risk)), on=cells.columns, how="inner", nulls_equal=True
    )
    members = pl.col(number).cast(pl.Float64)
    # A certain link makes the logarithm minus infinity, and the risk 1.
    safe = (members * (1 - pl.col(_RISK)).log()).alias(_SAFE)
    held = found.filter(pl.col(column).is_not_null()).select(column, number, safe)
    of_each = (
        held.group_by(column)
        .agg(pl.col(number).sum(), pl.col(_SAFE).sum())
        .select(column, number, (1 - pl.col(_SAFE).exp()).alias(_RISK))
    )
    alone = found.filter(pl.col(column).is_null())
    own = np.concatenate([of_each[_RISK].to_numpy(), alone[_RISK].to_numpy()])
    times = np.concatenate([of_each[number].to_numpy(), alone[number].to_numpy()]).astype(float)
    everybody = max(float(times.sum()), 1.0)
    single = int(alone[number].sum())
    return HouseholdRisk(
        column=column,
        households=of_each.height + single,
        largest=int(of_each[number].max() or bool(single)),  # type: ignore[arg-type]
        at_risk=float(times[own > threshold].sum()) / everybody,
        highest=float(own.max(initial=0.0)),
        success=float((times * own).sum()) / everybody,
        of_each=of_each.select(column, _RISK),
    )
