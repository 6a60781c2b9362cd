"""Values drawn from a model of the columns: their distributions, and how they go together.

The model is a Bayesian network (:mod:`~indistinct.release.transforms.network`) over the values of
categories, and over bins of numbers and dates; in a bin a number is drawn from the column's own
distribution. A missing value is a value, so that what goes with it is kept. Records are drawn from
the model, as many as the table has.

This promises nothing. Categories, and numbers of a column with few distinct ones, are values of the
table, rare ones among them, and pairs of columns that are neighbours in the network are pairs of
the table; other numbers and dates lie between two neighbouring values of it. Of numbers and dates
the four smallest and the four largest are drawn as the fifth: the ends tell nobody apart. What is
drawn given a published column goes with coarse groups of it, as far as enough people of a group
share it. Differential privacy would need noise in the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.document import in_quotes
from indistinct.frozen import dataclass
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.randomness import Random
from indistinct.release.transforms.measured import Measured
from indistinct.release.transforms.network import Given, Network, drawn, fitted
from indistinct.types import Ints

ENDS = 4
"""How many of the smallest and of the largest numbers are drawn as the next one."""

FEW = 20
"""A column with so few distinct numbers is drawn from them, without others in between."""

MOST_BINS = 40
"""Bins of a column of numbers, at most."""

GIVEN_BINS = 8
"""The same for a column that others are drawn given."""

DRAWN_GIVEN_BINS = 12
"""The same for a column that is drawn given others."""


@dataclass(frozen=True, eq=False)
class Part:
    """A column to be drawn: as it is stored, as text, and as numbers or dates where it is such.

    Arguments:
        values: the column as it is stored.
        texts: its cells as texts.
        measured: its numbers or dates.
        bins: how many bins of them there are, at most.
        given: what it is drawn given, beside the other columns that are drawn.
    """

    values: pl.Series
    texts: pl.Series
    measured: Measured | None
    bins: int = MOST_BINS
    given: Given | None = None

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Places of the numbers in their order, those at the ends replaced by the fifth."""
        order = self._sorted
        if len(order) <= 2 * ENDS:
            return np.full_like(order, order[len(order) // 2]) if len(order) else order
        return order[np.clip(np.arange(len(order)), ENDS, len(order) - 1 - ENDS)]

    @property
    def binned(self) -> bool:
        """Whether numbers are drawn that lie between those of the table."""
        return self.measured is not None and len(np.unique(self.measured.present)) > FEW

    @cached_property
    def codes(self) -> Ints:
        """The value of every record, or its bin; 0 is missing."""
        if self.measured is None:
            known = sorted_values(self.texts.drop_nulls())
            return codes_in(self.texts, [None, *known]).astype(np.int64)
        found, order = np.zeros(len(self.values), np.int64), self._sorted
        steps = self.measured.steps[self.order]
        if not self.binned:
            found[order] = np.unique(steps, return_inverse=True)[1] + 1
            return found
        first = np.searchsorted(steps, steps, side="left")
        last = np.searchsorted(steps, steps, side="right")
        found[order] = self._bins * (first + last) // (2 * len(steps)) + 1
        return found

    @property
    def _bins(self) -> int:
        return int(np.clip(np.sqrt(len(self.order)) / 2, 2, self.bins))

    def column(self, codes: Ints, random: Random) -> pl.Series:
        """The column with values of these codes."""
        there = codes > 0
        if not self.binned:
            some = np.zeros(int(self.codes.max(initial=0)) + 1, np.int64)
            some[self.codes] = np.arange(len(self.codes))
            if self.measured is not None:
                some[self.codes[self._sorted]] = self.order
            made = self.values.gather(pl.Series(some[codes]))
            return made.set(pl.Series(~there), None)
        assert self.measured is not None
        own = self.codes[self._sorted]
        low = np.searchsorted(own, codes[there], side="left")
        high = np.searchsorted(own, codes[there], side="right")
        at = np.clip(low + random.random(len(low)) * (high - low) - 0.5, 0, len(own) - 1)
        ordered = self.measured.steps[self.order]
        below = np.floor(at).astype(np.int64)
        above = np.minimum(below + 1, len(own) - 1)
        more = np.rint((at - below) * (ordered[above] - ordered[below])).astype(np.int64)
        steps = np.zeros(len(codes), np.int64)
        return replace(self.measured, steps=steps, there=there).column(ordered[below] + more)

    @cached_property
    def _sorted(self) -> NDArray[np.intp]:
        """Places of the numbers in their order."""
        assert self.measured is not None
        there = np.flatnonzero(self.measured.there)
        return there[np.argsort(self.measured.steps[there], kind="stable")]


def synthesize(parts: Sequence[Part], random: Random) -> tuple[list[pl.Series], Network]:
    """The columns, drawn together, as many records as there are; and what they were drawn by."""
    if not parts or not len(parts[0].values):
        return [part.values for part in parts], Network((), ())
    columns = [part.codes for part in parts]
    network = fitted(columns)
    given = {at: part.given for at, part in enumerate(parts) if part.given is not None}
    codes = drawn(network, columns, random, given)
    made = [part.column(own, random) for part, own in zip(parts, codes, strict=True)]
    return made, network


def told(*, joint: bool, given: Sequence[str], k: int) -> str:
    """What the certificate says of it.

    Arguments:
        joint: whether other columns are drawn together with it.
        given: columns that stay as they are, given which it is drawn.
        k: the fewest people of a group who have a value that is drawn for the group.
    """
    how = "together with the others drawn so" if joint else "by itself"
    if given:
        listed = in_quotes(given)
        how += f", given groups of {listed} as far as {k} or more of a group share a value"
    return f"synthetic: drawn from a model, {how}; that alone promises nothing"
