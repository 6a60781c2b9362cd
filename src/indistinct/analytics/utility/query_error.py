"""How wrong a release answers counting questions about the table it was made from.

A query asks how many records have a value in a given range or set, in each of some attributes at
once: "how many women of 30 to 39 in ward A or C?". It is answered from the table (c) and from the
release (c*); its error is ``|c* - c| / c`` (Khan and others 2020, equation 5; Xiao and Tao 2006).
The queries are drawn at random, and the same ones are put to every release that is compared:

* the attributes, ``dimensions`` of them, are drawn from the quasi-identifiers;
* so that about a share ``selectivity`` of the records fits all conditions, each condition takes the
  share ``selectivity ** (1 / dimensions)`` of its attribute's domain: of a numeric one a range that
  starts anywhere (of whole numbers where all values are), of another that many values, rounded up,
  of its hierarchy;
* a query that no record of the table answers is drawn again; where hardly any query finds one, as
  in a small table with gaps between its numbers, ranges go over the values that occur instead.

A release answers in one of two modes. ``overlap``: every record counts whose cells meet the
conditions, as for a reader who looks for all possible ones. ``uniform``: a record counts as the
share of its cells that meets them, as if all values that a cell stands for were equally likely; a
range of whole numbers has ``hi - lo + 1`` values. Records that were added count like others, and
suppressed ones not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeVar

import numpy as np

from indistinct.analytics.published import Original, PublishedRows
from indistinct.document import PlainData
from indistinct.errors import DataError, Problem, Problems, refuse
from indistinct.frozen import dataclass
from indistinct.kernels.queries import answers, fit_leaves, fit_range
from indistinct.measures.certainty import Domain
from indistinct.microdata.encoding import count_combinations
from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints, Ints32

Mode = Literal["overlap", "uniform"]

MODES: Final[tuple[Mode, ...]] = ("overlap", "uniform")

DIMENSIONS = 2
"""How many attributes a query has conditions on, unless somebody says otherwise."""

DRAWN_AT_MOST = 200
"""How many queries are drawn for each one that is wanted, before giving up."""

WORTH_GROUPING = 24
"""From so many queries on the same attributes on, rows are first grouped by these."""

CELLS_AT_ONCE = 1 << 22
"""Most entries of the tables that are made at once."""

MOST_QUERIES = 10_000_000
"""The most queries that are drawn."""

_TINY = 1e-9

Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Workload:
    """Which queries are asked: how many, how wide, and from which seed they are drawn.

    The same workload draws the same queries from the same table. Nothing private hangs on the
    seed.

    Arguments:
        queries: how many.
        dimensions: how many quasi-identifiers each has a condition on; without, two, or all where
            there are fewer.
        selectivity: the share of records that a query is expected to find.
        seed: where chance starts from.

    Raises:
        DataError: with all settings that are out of range.
    """

    queries: int = 1000
    dimensions: int | None = None
    selectivity: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        problems = Problems(
            Problem("bad-setting", f"{name} must be {least} or more, not {value}")
            for name, value, least in (
                ("queries", self.queries, 1),
                ("dimensions", self.dimensions, 1),
                ("seed", self.seed, 0),
            )
            if value is not None and value < least
        )
        if self.queries > MOST_QUERIES:
            problems.add(
                "bad-setting", f"queries must be {MOST_QUERIES:,} or fewer, not {self.queries:,}"
            )
        if not 0 < self.selectivity <= 1:
            problems.add(
                "bad-setting",
                f"selectivity must be a share above 0 and up to 1, not {self.selectivity:g}",
            )
        refuse(DataError, problems)

    def draw(self, original: Original) -> Queries:
        """The queries for one table, with its own answers.

        Raises:
            DataError: for more dimensions than quasi-identifiers, and where hardly any query finds
                a record.
        """
        domains = tuple(original.domains.values())
        refuse(DataError, self.too_wide(len(domains)))
        random, dimensions = simulation(self.seed), self.conditions(len(domains))
        share = self.selectivity ** (1.0 / dimensions)
        asked, counts, occurring = self.answered(
            lambda occurring: draw_query(domains, dimensions, share, random, occurring=occurring),
            lambda tried: _true_answers(original, tried),
            "a record",
        )
        return Queries(self, dimensions, original, tuple(asked), counts, occurring)

    def conditions(self, width: int) -> int:
        """How many of so many quasi-identifiers a query has conditions on."""
        return min(DIMENSIONS, width) if self.dimensions is None else self.dimensions

    def too_wide(self, width: int) -> list[Problem]:
        """The problem that queries would have more conditions than there are quasi-identifiers."""
        dimensions = self.conditions(width)
        if dimensions <= width:
            return []
        return [
            Problem(
                "bad-setting",
                f"queries cannot have conditions on {dimensions} attributes: there are "
                f"{width} quasi-identifiers",
                remedy=f"ask for at most {width} dimensions",
            )
        ]

    def answered(
        self, draw: Callable[[bool], Drawn], count: Callable[[list[Drawn]], Floats], what: str
    ) -> tuple[list[Drawn], Floats, bool]:
        """Queries that find something, how much each finds, and whether ranges are of values.

        Arguments:
            draw: makes one of them, with ranges over the values that occur if it is told so.
            count: how much each finds.
            what: what they are to find, for the message.

        Raises:
            DataError: hardly any does.
        """
        for occurring in (False, True):
            asked: list[Drawn] = []
            counts: list[Floats] = []
            drawn = 0
            while len(asked) < self.queries and drawn < DRAWN_AT_MOST * self.queries:
                tried = [draw(occurring) for _ in range(self.queries - len(asked))]
                found = count(tried)
                drawn += len(tried)
                asked += [query for query, number in zip(tried, found, strict=True) if number > 0]
                counts.append(found[found > 0])
            if len(asked) == self.queries:
                return asked, np.concatenate(counts), occurring
        raise DataError(
            "empty-queries",
            f"of {drawn} queries only {len(asked)} found {what}",
            remedy="ask for a larger selectivity, or for fewer dimensions",
        )


@dataclass(frozen=True)
class Condition:
    """What a query asks of one attribute: ``low <= value <= high``, or one of some leaves.

    ``leaves`` is None for a range. ``attribute`` is the place of the quasi-identifier.
    """

    attribute: int
    low: float = math.nan
    high: float = math.nan
    leaves: Ints | None = None


Query = tuple[Condition, ...]
"""Conditions on different attributes, in the order of these."""


@dataclass(frozen=True, eq=False)
class Queries:
    """The queries of a workload for one table, and its own answers.

    Arguments:
        workload: how many they are, how wide, and from which seed.
        dimensions: how many conditions each has.
        original: the table.
        asked: the queries, Q of them.
        counts: how many records of the table each finds, [Q].
        occurring: whether their ranges go over the values that occur.
    """

    workload: Workload
    dimensions: int
    original: Original
    asked: tuple[Query, ...]
    counts: Floats
    occurring: bool = False

    def __len__(self) -> int:
        return len(self.asked)

    def answers(self, published: PublishedRows, mode: Mode = "overlap") -> Floats:
        """What a release answers to each query, [Q].

        Raises:
            DataError: for an unknown mode.
        """
        domains = tuple(self.original.domains.values())
        uniform = known_mode(mode) == "uniform"
        return answers_over(
            published.codes,
            [len(cells.labels) for cells in published.cells],
            published.size,
            self.asked,
            lambda condition: fits_of(domains, published, condition, uniform),
        )

    def errors(self, published: PublishedRows, mode: Mode = "overlap") -> Floats:
        """The relative error of what a release answers to each query, [Q].

        Raises:
            DataError: for an unknown mode.
        """
        found: Floats = np.abs(self.answers(published, mode) - self.counts)
        return found / self.counts

    def error(self, published: PublishedRows, mode: Mode = "overlap") -> QueryError:
        """The error of a release over all queries.

        Raises:
            DataError: for an unknown mode.
        """
        errors = self.errors(published, mode)
        return QueryError(float(errors.mean()), float(np.median(errors)), mode, len(errors))


@dataclass(frozen=True)
class QueryError(PlainData):
    """Mean and median relative error of a release over some queries, in one mode of answering."""

    mean: float
    median: float
    mode: Mode
    queries: int


def known_mode(mode: str) -> Mode:
    """The mode of that name.

    Raises:
        DataError: where there is none.
    """
    for one in MODES:
        if mode == one:
            return one
    raise DataError("bad-setting", f"mode must be overlap or uniform, not '{mode}'")


def draw_query(
    domains: Sequence[Domain],
    dimensions: int,
    share: float,
    random: np.random.Generator,
    *,
    occurring: bool = False,
) -> Query:
    """Conditions on so many attributes, each of which takes a share of its domain.

    Arguments:
        domains: the attributes.
        dimensions: how many of them get a condition.
        share: of each domain.
        random: where chance comes from.
        occurring: ranges take a share of the values that occur, not of the span.
    """
    chosen = np.sort(random.choice(len(domains), dimensions, replace=False))
    return tuple(
        draw_condition(domains[at], at, share, random, occurring=occurring)
        for at in chosen.tolist()
    )


def draw_condition(
    domain: Domain,
    attribute: int,
    share: float,
    random: np.random.Generator,
    *,
    occurring: bool = False,
) -> Condition:
    """A condition that takes a share of the domain: a range, or values.

    Arguments:
        domain: the attribute.
        attribute: its place among the quasi-identifiers.
        share: of the domain.
        random: where chance comes from.
        occurring: a range takes a share of the values that occur, not of the span.
    """
    if domain.numbers is not None and occurring:
        there = np.unique(domain.numbers[np.isfinite(domain.numbers)])
        wanted = max(math.ceil(share * len(there) - _TINY), 1)
        first = int(random.integers(len(there) - wanted + 1))
        return Condition(attribute, float(there[first]), float(there[first + wanted - 1]))
    if domain.numbers is None:
        wanted = max(math.ceil(share * len(domain) - _TINY), 1)
        values = random.choice(len(domain), wanted, replace=False, shuffle=False)
        return Condition(attribute, leaves=values)
    low, high = domain.span
    if domain.whole:
        possible = int(high - low) + 1
        wanted = max(math.ceil(share * possible - _TINY), 1)
        start = low + int(random.integers(possible - wanted + 1))
        return Condition(attribute, start, start + wanted - 1)
    width = share * (high - low)
    start = low + random.random() * (high - low - width)
    return Condition(attribute, start, start + width)


def _true_answers(original: Original, asked: Sequence[Query]) -> Floats:
    domains = tuple(original.domains.values())

    def fits(condition: Condition) -> Floats:
        return leaves_asked(domains[condition.attribute], condition).astype(np.float64)

    return answers_over(
        original.codes, [len(domain) for domain in domains], original.weight, asked, fits
    )


def leaves_asked(domain: Domain, condition: Condition) -> Bools:
    """The leaves that a condition asks for, [D]."""
    if condition.leaves is None:
        assert domain.numbers is not None
        return (domain.numbers >= condition.low) & (domain.numbers <= condition.high)
    asked = np.zeros(len(domain), dtype=np.bool_)
    asked[condition.leaves] = True
    return asked


def fits_of(
    domains: Sequence[Domain], published: PublishedRows, condition: Condition, uniform: bool
) -> Floats:
    """How well every cell of an attribute fits a condition on it, [L].

    Arguments:
        domains: the exact values of each quasi-identifier.
        published: the release.
        condition: what is asked.
        uniform: whether a cell fits by the share of it that is asked for; else it fits if any is.
    """
    domain, cells = domains[condition.attribute], published.cells[condition.attribute]
    found = np.zeros(len(cells.labels))
    if len(cells.leaves):
        fit_leaves(cells.indptr, cells.leaves, leaves_asked(domain, condition), uniform, found)
    if condition.leaves is None:
        low, high, whole = condition.low, condition.high, domain.whole
        fit_range(cells.low, cells.high, low, high, whole, uniform, found)
    return found


def answers_over(
    codes: Sequence[Ints32],
    cards: Sequence[int],
    weight: Ints,
    asked: Sequence[Query],
    fits: Callable[[Condition], Floats],
) -> Floats:
    """Answers to queries over distinct rows, those on the same attributes together, [Q].

    Arguments:
        codes: the codes of each attribute, [n] each.
        cards: how many codes each attribute has.
        weight: how many records each row stands for, [n].
        asked: the queries.
        fits: gives how well each code of an attribute fits a condition on it, [codes].
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, query in enumerate(asked):
        alike.setdefault(tuple(part.attribute for part in query), []).append(place)
    found = np.zeros(len(asked))
    for attributes, places in alike.items():
        columns, counted = [codes[at] for at in attributes], weight
        widest = max(cards[at] for at in attributes)
        if len(places) >= WORTH_GROUPING and len(weight):
            sizes = [max(cards[at], 1) for at in attributes]
            columns, counted, _ = count_combinations(columns, sizes, weight)
        rows = np.stack(columns).astype(np.int32, copy=False)
        step = max(CELLS_AT_ONCE // max(len(attributes) * widest, 1), 1)
        for start in range(0, len(places), step):
            part = places[start : start + step]
            tables = np.zeros((len(part), len(attributes), widest))
            for number, place in enumerate(part):
                for at, condition in enumerate(asked[place]):
                    tables[number, at, : cards[condition.attribute]] = fits(condition)
            counts = np.zeros(len(part))
            answers(rows, counted, tables, counts)
            found[part] = counts
    return found
