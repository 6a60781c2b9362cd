"""Noise: made-up records that an algorithm adds where the table has no record that would do.

A noise record is published with the cells of its class and with sensitive values that the class
lacked. Everything else it shows is drawn, column by column, from the records of that class, so that
it copies no person and no value appears that was not there before. Nothing in the release tells it
from a record; but it can be found if the size of classes without noise is known (Khan and
others 2020 do not say so; see the attacker ``noise-stripping``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from indistinct.errors import IndistinctError
from indistinct.frozen import dataclass
from indistinct.release.decoys import Insertion, with_pseudonyms
from indistinct.sources.text import Tokens, canonical

Cells = tuple[str | None, ...]


@dataclass(frozen=True)
class Noised:
    """A release with noise among its records; ``places`` are its rows, from 1: private."""

    frame: pl.DataFrame
    places: tuple[int, ...]


def with_noise(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    noise: Sequence[tuple[Cells, Mapping[str, str | None]]],
    insertion: Insertion,
    tokens: Tokens | None = None,
) -> Noised:
    """Add noise records to a release.

    Arguments:
        frame: the release.
        quasi: its quasi-identifiers.
        noise: for each record the published cells of its class, and its sensitive values.
        insertion: what draws the other columns, and how the records get into the release.
        tokens: texts that stand for a missing value, by column.
    """
    if not noise:
        return Noised(frame, ())
    random, fresh = insertion.random, insertion.fresh
    members = _members(frame, quasi)
    base: list[int] = []
    drawn: dict[str, list[int]] = {}
    given: dict[str, list[str | None]] = {name: [] for name in noise[0][1]}
    others = [name for name in frame.columns if name not in (*quasi, *given, *fresh)]
    for cells, values in noise:
        rows = members.get(cells)
        if rows is None:
            raise IndistinctError("a noise record belongs to no class of the release")
        base.append(int(random.choice(rows)))
        for name in others:
            drawn.setdefault(name, []).append(int(random.choice(rows)))
        for name, value in values.items():
            given[name].append(value)
    made = frame[base].with_columns(
        [
            *(frame[name][places].alias(name) for name, places in drawn.items()),
            *(_natively(frame[name], values, tokens) for name, values in given.items()),
        ]
    )
    made = with_pseudonyms(made, frame, fresh, random)
    whole, where, _ = insertion.into(frame, made, base)
    return Noised(whole, where)


def _members(frame: pl.DataFrame, quasi: Sequence[str]) -> dict[Cells, list[int]]:
    """The rows of every class, by its published cells."""
    grouped = (
        canonical(frame.select(quasi))
        .with_row_index("\0row")
        .group_by(list(quasi), maintain_order=True)
        .agg(pl.col("\0row"))
    )
    return {tuple(row[:-1]): row[-1] for row in grouped.iter_rows()}


def _natively(column: pl.Series, values: Sequence[str | None], tokens: Tokens | None) -> pl.Series:
    """Texts as values of a column's own type, by the rows of the column that have such a text."""
    texts = canonical(column.to_frame(), tokens).to_series()
    first: dict[str | None, int] = {}
    for at, text in enumerate(texts.to_list()):
        first.setdefault(text, at)
    if all(value in first for value in values):
        return column[[first[value] for value in values]].alias(column.name)
    plain = pl.Series(column.name, values, dtype=pl.String)
    return plain.cast(column.dtype)
