"""Tables of a paper made again step by step, cell by cell where the paper does so.

A plan names attributes, rows and how far each cell goes up its hierarchy: more than a release would
allow, since two rows with equal values may be treated differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from indistinct import Taxonomy
from indistinct_reproductions.arca_hewett_tables import Row
from indistinct_reproductions.reproduction import Ledger


@dataclass(frozen=True)
class Lift:
    """Generalize an attribute by some levels, in some rows (by number) or in all of them."""

    attribute: str
    levels: int = 1
    rows: tuple[int, ...] | None = None


def lifted(
    rows: Sequence[Row],
    columns: Sequence[str],
    taxonomies: Mapping[str, Taxonomy],
    plan: Sequence[Lift],
) -> list[Row]:
    """The rows after a plan; nothing is merged yet."""
    level = Counter[tuple[tuple[int, ...], str]]()
    for lift in plan:
        for row in rows:
            if lift.rows is None or set(row.numbers) & set(lift.rows):
                level[row.numbers, lift.attribute] += lift.levels
    found = []
    for row in rows:
        cells = []
        for name, cell in zip(columns, row.cells, strict=True):
            if name in taxonomies:
                tree = taxonomies[name]
                cell = tree.generalize(cell, min(level[row.numbers, name], tree.height)) or ""
            cells.append(cell)
        found.append(replace(row, cells=tuple(cells)))
    return found


def merged(rows: Sequence[Row]) -> list[Row]:
    """Equal rows as one, with the numbers and the records of all."""
    found: dict[tuple[str, ...], Row] = {}
    for row in rows:
        same = found.get(row.cells)
        found[row.cells] = (
            row
            if same is None
            else Row(same.numbers + row.numbers, row.cells, same.counts + row.counts)
        )
    return list(found.values())


def records_sharing(
    rows: Sequence[Row], columns: Sequence[str], on: Sequence[str]
) -> dict[int, int]:
    """For every row (by its numbers), how many records share its values of some attributes."""
    places = [columns.index(name) for name in on]
    shared = Counter[tuple[str, ...]]()
    for row in rows:
        shared[tuple(row.cells[place] for place in places)] += row.records
    return {
        number: shared[tuple(row.cells[place] for place in places)]
        for row in rows
        for number in row.numbers
    }


def compare(
    ledger: Ledger,
    where: str,
    printed: Sequence[Row],
    made: Sequence[Row],
    columns: Sequence[str],
    reasons: Mapping[tuple[str, str], str] | None = None,
) -> None:
    """Hold a printed table against the one made here: rows, cells, records.

    ``reasons`` say why a cell differs, by row as printed and column (``#Rec.`` for records).
    """
    reasons = reasons or {}
    by_numbers = {row.numbers: row for row in made}
    ledger.figure(where, "rows", len(printed), len(made))
    ledger.same(where, "rows that are merged", _merged(printed), _merged(made))
    cells, alike = 0, 0
    wrong: list[tuple[str, str, str, str]] = []
    for row in printed:
        other = by_numbers.get(row.numbers)
        pairs: list[tuple[str, str, str | None]] = [
            (name, cell, None if other is None else other.cells[place])
            for place, (name, cell) in enumerate(zip(columns, row.cells, strict=True))
        ]
        one = len(row.counts) == 1  # printed as a sum
        pairs.append(("#Rec.", _counts(row, one), None if other is None else _counts(other, one)))
        for name, cell, own in pairs:
            cells += 1
            if cell == own:
                alike += 1
            else:
                wrong.append((_named(row), name, cell, own or ""))
    ledger.same(
        where,
        "cells that agree",
        cells,
        alike,
        "the other one follows" if cells - alike == 1 else "the others follow",
    )
    for named, name, printed_cell, made_cell in wrong:
        why = reasons.get((named, name), "does not follow from Table 1")
        ledger.same(where, f"row {named}, {name}", printed_cell, made_cell, why)
    ledger.figure(
        where,
        "records in all",
        sum(row.records for row in printed),
        sum(row.records for row in made),
        "the printed counts do not add up to the records of Table 1",
    )


def _merged(rows: Sequence[Row]) -> str:
    return "; ".join(_named(row) for row in rows if len(row.numbers) > 1) or "none"


def _named(row: Row) -> str:
    return ",".join(str(number) for number in row.numbers)


def _counts(row: Row, summed: bool) -> str:
    return str(row.records) if summed else "+".join(map(str, row.counts))
