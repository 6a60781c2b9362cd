"""A release read against the table it was made from: which values each published cell stands for.

Works on any release, by any program. A cell is an exact value, a node of the attribute's
hierarchy, a range ``[20, 24]`` or ``[2024-03, 2024-05]``, a set ``{flu, asthma}``, or ``*``; a
number that the table does not have is read as a number, too. Records with ``*`` in every
quasi-identifier are in no class, whether they were left out or published so. A cell that is none of
these cannot be measured, and is told instead of guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import polars as pl

from indistinct.errors import DataError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.measures.certainty import Domain
from indistinct.microdata.encoding import codes_in, count_combinations, leaf_codes
from indistinct.microdata.microdata import sorted_values
from indistinct.sources.table import ROWS_FOUND
from indistinct.types import Bools, Floats, Ints, Ints32


@dataclass(frozen=True, eq=False)
class Original:
    """The private table as far as releases are measured by it: its distinct combinations.

    Arguments:
        domains: of every quasi-identifier.
        codes: for each of them the leaf of every combination, [C].
        weight: records of each combination, [C].
    """

    domains: Mapping[str, Domain]
    codes: tuple[Ints32, ...]
    weight: Ints

    @classmethod
    def of(
        cls, texts: pl.DataFrame, taxonomies: Mapping[str, Taxonomy], weight: Ints | None = None
    ) -> Original:
        """The table with these canonical texts, one row per record or ``weight`` records each.

        Arguments:
            texts: has a column for every quasi-identifier; null is missing.
            taxonomies: of every quasi-identifier; they cover all values.
            weight: records per row, one each where not given.
        """
        if weight is None:
            weight = np.ones(texts.height, dtype=np.int64)
        columns, counted, _ = count_combinations(
            [leaf_codes(texts[name], taxonomy) for name, taxonomy in taxonomies.items()],
            [len(taxonomy.leaves) for taxonomy in taxonomies.values()],
            weight,
        )
        domains = {
            name: Domain(
                taxonomy, np.bincount(column, counted, len(taxonomy.leaves)).astype(np.int64)
            )
            for (name, taxonomy), column in zip(taxonomies.items(), columns, strict=True)
        }
        return cls(domains, tuple(columns), counted)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.domains)

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return int(self.weight.sum())

    @property
    def combinations(self) -> int:
        """Number of distinct combinations, C."""
        return len(self.weight)


@dataclass(frozen=True, eq=False)
class PublishedCells:
    """The distinct cells of one column of a release, and what each stands for.

    A cell is an interval, whose ends are ``low`` and ``high`` (NaN where it is none), or else it
    stands for the leaves ``leaves[indptr[i]:indptr[i + 1]]``. Intervals are ranges, single numbers,
    ``*`` of a numeric attribute (all of its span), and nodes of the hierarchy with all numbers from
    the smallest to the largest of their leaves. ``covered`` is the number of leaves either way.

    All arrays are over the L labels but for ``leaves``.
    """

    labels: tuple[Label, ...]
    low: Floats
    high: Floats
    indptr: Ints
    leaves: Ints32
    covered: Ints
    suppressed: Bools

    @property
    def intervals(self) -> Bools:
        """Which cells are intervals, [L]."""
        return ~np.isnan(self.low)


@dataclass(frozen=True, eq=False)
class PublishedRows:
    """The rows of a release as classes of equal cells.

    Arguments:
        attributes: the quasi-identifiers.
        cells: for each of them its distinct cells.
        codes: for each of them the cell of every class, [G].
        size: rows of each class, [G].
        class_of: class of every row, in the order of the release; -1 for rows with ``*`` in every
            quasi-identifier.
    """

    attributes: tuple[str, ...]
    cells: tuple[PublishedCells, ...]
    codes: tuple[Ints32, ...]
    size: Ints
    class_of: Ints32

    @property
    def rows(self) -> int:
        """Rows of the release."""
        return len(self.class_of)

    @cached_property
    def kept(self) -> int:
        """Rows that are in a class."""
        return int(self.size.sum())

    @property
    def classes(self) -> int:
        """Number of classes, G."""
        return len(self.size)


def read_rows(
    original: Original,
    texts: pl.DataFrame,
    name: str = "the release",
    transformed: Collection[str] = (),
) -> PublishedRows:
    """The rows of a release, read against the table it was made from.

    Arguments:
        original: the table.
        texts: the published cells as text, null where one is missing.
        name: what messages call the release.
        transformed: attributes whose values were changed before: a cell of theirs that stands for
            no value of the table counts as suppressed.

    Raises:
        DataError: where other cells cannot be read. It names attribute and rows, of all attributes.
    """
    problems: list[Problem] = []
    cells, columns = [], []
    for attribute, domain in original.domains.items():
        labels = sorted_values(texts[attribute])
        codes = codes_in(texts[attribute], labels)
        found, unread = read_cells(domain, labels)
        columns.append(codes)
        if unread.any() and attribute in transformed:
            found = replace(found, suppressed=found.suppressed | unread)
        elif unread.any():
            rows = np.flatnonzero(unread[codes]) + 1
            problems.append(unreadable_cell(attribute, name, rows, int(unread.sum()), len(codes)))
        cells.append(found)
    refuse(DataError, problems)
    hidden = np.ones(texts.height, dtype=np.bool_)
    for found, codes in zip(cells, columns, strict=True):
        hidden &= found.suppressed[codes]
    kept = ~hidden
    counted, size, of_kept = count_combinations(
        [codes[kept] for codes in columns],
        [max(len(found.labels), 1) for found in cells],
        np.ones(int(kept.sum()), dtype=np.int64),
    )
    class_of = np.full(texts.height, -1, dtype=np.int32)
    class_of[kept] = of_kept
    return PublishedRows(original.attributes, tuple(cells), tuple(counted), size, class_of)


def read_cells(domain: Domain, labels: Sequence[Label]) -> tuple[PublishedCells, Bools]:
    """What each label of a column stands for, and which of them cannot be read, [L]."""
    coverage = Coverage(domain.taxonomy)
    count = len(labels)
    low, high = np.full(count, np.nan), np.full(count, np.nan)
    covered = np.ones(count, dtype=np.int64)
    unread = np.zeros(count, dtype=np.bool_)
    indptr = np.zeros(count + 1, dtype=np.int64)
    leaves: list[Ints32] = []
    for at, label in enumerate(labels):
        places = coverage.places(label)
        ends = domain.ends(label, places)
        if places is None and ends is None:
            unread[at] = True
        if ends is not None:
            low[at], high[at] = ends
        elif places is not None:
            leaves.append(np.asarray(places, dtype=np.int32))
            indptr[at + 1] = len(places)
        covered[at] = max(len(places or ()), 1)
    cells = PublishedCells(
        labels=tuple(labels),
        low=low,
        high=high,
        indptr=np.cumsum(indptr),
        leaves=np.concatenate(leaves) if leaves else np.zeros(0, dtype=np.int32),
        covered=covered,
        suppressed=np.array([label == SUPPRESSED for label in labels], dtype=np.bool_),
    )
    return cells, unread


def unreadable_cell(
    attribute: str, name: str, rows: Sequence[int] | Ints, kinds: int, height: int
) -> Problem:
    """That some cells of a release stand for nothing that is known.

    Arguments:
        attribute: the quasi-identifier.
        name: what messages call the release.
        rows: the rows with such cells, from 1.
        kinds: how many different cells there are.
        height: rows of the release.
    """
    texts = "text is" if kinds == 1 else "different texts are"
    return Problem(
        "unreadable-cell",
        f"{kinds} published {texts} neither a value of the table, a node of the hierarchy, a range "
        f"such as [20, 24], [20, 25) or [2024-03, 2024-05], a set such as {{a, b}}, nor *; "
        f"{len(rows)} of {height} records have such",
        file=name,
        attribute=attribute,
        rows=tuple(int(row) for row in rows[:ROWS_FOUND]),
        remedy="write these cells in one of the ways named, or give the policy a hierarchy that "
        "has them",
    )


def is_suppressed(records: pl.DataFrame, quasi: Sequence[str]) -> pl.Series:
    """Which records are published with ``*`` in every quasi-identifier."""
    return records.select(
        pl.all_horizontal(pl.col(name).eq_missing(pl.lit(SUPPRESSED)) for name in quasi)
    ).to_series()
