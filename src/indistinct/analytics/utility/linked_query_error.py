"""How wrong joined tables answer questions about people: how many, and how old in total and on
average.

A question has conditions on quasi-identifiers, drawn as in
:mod:`indistinct.analytics.utility.query_error`, and one on what people have: "how many people of 40
to 42 in these postcodes have something severe?" (Fazal and others 2023, equation 24, and figure 7).
It asks for whole categories if they are known, else for values. In the private table a person with
at least one such value, in any record, counts once.

A release answers by its joined tables. A row of class E and bucket b counts by the share of its
cells that fits, times how likely a person of b has the value:

* everybody of b has ``one`` of its rows: the sum over labels of f_b(label) * share(label),
* ``some`` or ``all``: 1 - the product over labels of (1 - f_b(label) * share(label)), as if values
  were independent,

f_b is the share of the bucket's people who have the label, share(label) the part of its values that
is asked for. That is the mode ``uniform``; with ``overlap`` every row that could fit counts fully.

SUM adds up a numeric quasi-identifier of the people found, AVG divides that by their number. People
without a number do not count. A cell counts with the middle of its range or the mean of its values;
in the mode ``uniform``, if the question has a condition on this attribute, with the middle of what
fits. If a release finds nobody, its average is wrong by 1. Questions whose true sum is 0 are left
out of SUM and AVG.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import ClassVar, Final, Literal

import numpy as np

from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import PublishedCells
from indistinct.analytics.utility.query_error import (
    MODES,
    Condition,
    Mode,
    Query,
    Workload,
    answers_over,
    draw_query,
    fits_of,
    known_mode,
    leaves_asked,
)
from indistinct.document import PlainData
from indistinct.errors import DataError, Problem, did_you_mean, refuse
from indistinct.frozen import dataclass, field
from indistinct.measures.certainty import Domain
from indistinct.metadata import NO_METADATA
from indistinct.randomness import simulation
from indistinct.types import Array, Bools, Floats, Ints, Ints32

Aggregate = Literal["count", "sum", "avg"]

AGGREGATES: Final[tuple[Aggregate, ...]] = ("count", "sum", "avg")

_TINY = 1e-9


@dataclass(frozen=True)
class Question:
    """Conditions on quasi-identifiers, and on what people have.

    Arguments:
        conditions: on quasi-identifiers; the place of each is its place among these.
        sensitive: the attribute of which a value is asked for; None for none.
        values: places of these values among those of the private table.
    """

    conditions: Query
    sensitive: str | None = None
    values: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        if not self.conditions and self.sensitive is None:
            raise ValueError("a question needs a condition")


@dataclass(frozen=True)
class AnswerError(PlainData):
    """Mean and median relative error of one kind of question, in one mode of answering.

    Both are None where no question could be asked.
    """

    mean: float | None
    median: float | None
    questions: int = field(metadata={"as": "queries"})

    @classmethod
    def of(cls, errors: Floats) -> AnswerError:
        """The figures of some errors."""
        if not len(errors):
            return cls(None, None, 0)
        return cls(float(errors.mean()), float(np.median(errors)), len(errors))


@dataclass(frozen=True)
class LinkedQueryError(PlainData):
    """The error of a release over some questions.

    Arguments:
        of: the quasi-identifier that SUM and AVG are of; None where there is no numeric one.
        sensitive: the attributes of which values are asked for.
        errors: by kind of question and mode.
    """

    told_keys: ClassVar = "of sensitive *errors"

    of: str | None
    sensitive: tuple[str, ...]
    errors: Mapping[Aggregate, Mapping[Mode, AnswerError]]


@dataclass(frozen=True, eq=False)
class _Rows:
    """A table as rows of codes, the private one or a release.

    ``codes`` of the quasi-identifiers, each [n] and below its ``cards``; ``groups`` of values of
    each sensitive attribute, each [n] and below its ``sizes``; ``weight`` [n]. ``fits``: how far
    each code meets a condition; ``holds``: how far each group has one of the values asked for;
    ``numbers``: what each code of the attribute that is added up counts for, None to count rows.
    """

    codes: Sequence[Ints32]
    cards: Sequence[int]
    groups: Mapping[str, Ints32]
    sizes: Mapping[str, int]
    weight: Ints
    fits: Callable[[Condition], Floats]
    holds: Callable[[str, Bools], Floats]
    numbers: Callable[[Condition | None], Floats] | None


@dataclass(frozen=True, eq=False)
class LinkedQueries:
    """Questions about people, and the private table's own answers.

    Arguments:
        people: the private table.
        asked: the questions.
        of: the numeric quasi-identifier that SUM and AVG are of, None for none.
    """

    people: PeopleTable
    asked: tuple[Question, ...]
    of: str | None = None

    def __post_init__(self) -> None:
        if self.of is not None:
            _require_numeric(self.people, self.of)

    def __len__(self) -> int:
        return len(self.asked)

    @classmethod
    def draw(
        cls,
        people: PeopleTable,
        workload: Workload,
        *,
        sensitive: Sequence[str] | None = None,
        of: str | None = None,
    ) -> LinkedQueries:
        """Questions at random, each with an answer above 0 in the private table.

        So that about a share ``selectivity`` of the people fits all conditions, each takes the
        share ``selectivity ** (1 / m)`` of its domain, of m conditions, that on a sensitive
        attribute included.

        Arguments:
            people: the private table.
            workload: how many, how wide, from which seed.
            sensitive: attributes one of which is asked for, drawn anew for each question; all, if
                not given. None of them: conditions are on quasi-identifiers alone.
            of: the quasi-identifier that SUM and AVG are of; the first numeric one, if not given.

        Raises:
            DataError: for more dimensions than quasi-identifiers, an unknown attribute, one that is
                not numeric, and where hardly any question finds somebody.
        """
        names = tuple(people.values if sensitive is None else sensitive)
        problems = [
            Problem(
                "unknown-attribute",
                f"no sensitive attribute '{name}': {did_you_mean(name, people.values)}",
            )
            for name in names
            if name not in people.values
        ]
        domains = tuple(people.original.domains.values())
        dimensions = workload.conditions(len(domains))
        problems += workload.too_wide(len(domains))
        refuse(DataError, problems)
        of = of or next(
            (n for n, d in people.original.domains.items() if d.numbers is not None), None
        )
        random = simulation(workload.seed)
        share = workload.selectivity ** (1.0 / (dimensions + bool(names)))
        groups = {name: _groups(people, name) for name in names}

        def draw(occurring: bool) -> Question:
            query = draw_query(domains, dimensions, share, random, occurring=occurring)
            if not names:
                return Question(query)
            name = names[int(random.integers(len(names)))]
            return Question(query, name, _some(groups[name], share, random))

        asked, _, _ = workload.answered(
            draw, lambda tried: cls(people, tuple(tried), of).counts, "somebody"
        )
        return cls(people, tuple(asked), of)

    @cached_property
    def counts(self) -> Floats:
        """How many people of the private table each question finds, [Q]."""
        return self._true()

    @cached_property
    def sums(self) -> Floats:
        """The true sum over these people, [Q]."""
        return self._true(value=True)

    @cached_property
    def numbers(self) -> Floats:
        """How many of these people have a number, [Q]."""
        return self._true(number=True)

    def answers(self, release: JoinedRelease, mode: Mode = "overlap") -> dict[Aggregate, Floats]:
        """What a release answers to each question: counts, sums and averages, each [Q].

        An average is NaN where the release finds nobody. Without a numeric quasi-identifier there
        are counts alone.

        Raises:
            DataError: for an unknown mode, or a sensitive attribute that the release lacks.
        """
        uniform = known_mode(mode) == "uniform"
        lacking = {
            question.sensitive
            for question in self.asked
            if question.sensitive is not None and question.sensitive not in release.listed
        }
        if lacking:
            raise DataError(
                [
                    Problem("missing-column", "the release does not have it", attribute=name)
                    for name in sorted(lacking)
                ]
            )
        found: dict[Aggregate, Floats] = {"count": self._of(release, uniform)}
        if self.of is not None:
            found["sum"] = self._of(release, uniform, value=True)
            number = self._of(release, uniform, number=True)
            found["avg"] = np.divide(
                found["sum"], number, out=np.full(len(number), np.nan), where=number > 0
            )
        return found

    def error(self, release: JoinedRelease) -> LinkedQueryError:
        """The relative errors of a release, by kind of question and mode."""
        errors: dict[Aggregate, dict[Mode, AnswerError]] = {}
        for mode in MODES:
            for kind, own in self.errors(release, mode).items():
                errors.setdefault(kind, {})[mode] = AnswerError.of(own)
        names = dict.fromkeys(q.sensitive for q in self.asked if q.sensitive is not None)
        return LinkedQueryError(self.of, tuple(names), errors)

    def errors(self, release: JoinedRelease, mode: Mode = "overlap") -> dict[Aggregate, Floats]:
        """The relative error of what a release answers, of every question that has one."""
        found = self.answers(release, mode)
        errors: dict[Aggregate, Floats] = {
            "count": np.abs(found["count"] - self.counts) / self.counts
        }
        if self.of is not None:
            there = self.sums != 0
            sums, numbers = self.sums[there], self.numbers[there]
            errors["sum"] = np.abs(found["sum"][there] - sums) / np.abs(sums)
            true = sums / numbers
            off = np.abs(found["avg"][there] - true) / np.abs(true)
            errors["avg"] = np.where(np.isnan(off), 1.0, off)
        return errors

    def _true(self, *, value: bool = False, number: bool = False) -> Floats:
        people = self.people
        domains = tuple(people.original.domains.values())
        at = self._place_of_number
        alike = {name: own.alike for name, own in people.values.items()}

        def fits(condition: Condition) -> Floats:
            return leaves_asked(domains[condition.attribute], condition).astype(np.float64)

        def numbers(condition: Condition | None) -> Floats:
            del condition
            exact = domains[at].numbers
            assert exact is not None
            return np.isfinite(exact).astype(np.float64) if number else np.nan_to_num(exact)

        def holds(name: str, asked: Bools) -> Floats:
            own = people.values[name]
            found = (_sums(own.indptr, asked[own.index]) > 0).astype(np.float64)
            return found[alike[name][1]]

        rows = _Rows(
            people.codes,
            [len(domain) for domain in domains],
            {name: group for name, (group, _) in alike.items()},
            {name: len(first) for name, (_, first) in alike.items()},
            np.ones(people.count, np.int64),
            fits,
            holds,
            numbers if value or number else None,
        )
        return self._answered(rows)

    def _of(
        self, release: JoinedRelease, uniform: bool, *, value: bool = False, number: bool = False
    ) -> Floats:
        domains = tuple(self.people.original.domains.values())
        published = release.published
        at = self._place_of_number
        there = (published.class_of >= 0) & (release.bucket_of >= 0)
        if not any(question.sensitive for question in self.asked):
            there = published.class_of >= 0
        class_of = published.class_of[there]
        bucket_of = np.maximum(release.bucket_of[there], 0)
        alike = release.alike

        def fits(condition: Condition) -> Floats:
            return fits_of(domains, published, condition, uniform)

        def numbers(condition: Condition | None) -> Floats:
            part = condition if uniform else None
            middle = middles(domains[at], published.cells[at], part)
            return np.isfinite(middle).astype(np.float64) if number else np.nan_to_num(middle)

        @cache
        def stands(name: str) -> tuple[Ints, Ints]:
            return self.people.standing(name, release.listed[name].labels)

        def holds(name: str, asked: Bools) -> Floats:
            return chances(release, name, stands(name), asked, uniform)[alike[name][1]]

        rows = _Rows(
            [codes[class_of] for codes in published.codes],
            [len(cells.labels) for cells in published.cells],
            {name: group[bucket_of] for name, (group, _) in alike.items()},
            {name: len(first) for name, (_, first) in alike.items()},
            np.ones(len(class_of), np.int64),
            fits,
            holds,
            numbers if value or number else None,
        )
        return self._answered(rows)

    @property
    def _place_of_number(self) -> int:
        attributes = self.people.original.attributes
        return 0 if self.of is None else attributes.index(self.of)

    def _answered(self, rows: _Rows) -> Floats:
        """The answers; further conditions stand after the quasi-identifiers."""
        width, groups, numbers = len(rows.codes), rows.groups, rows.numbers
        place = {name: width + at for at, name in enumerate(groups)}
        names = {at: name for name, at in place.items()}
        last = width + len(place)
        columns = [*rows.codes, *groups.values()]
        widths = [*rows.cards, *rows.sizes.values()]
        own = self._place_of_number
        if numbers is not None:
            columns.append(rows.codes[own])
            widths.append(rows.cards[own])

        known: dict[tuple[str, bytes], Floats] = {}

        def fit(condition: Condition) -> Floats:
            if condition.attribute < width:
                return rows.fits(condition)
            if condition.attribute == last:
                assert numbers is not None
                nothing = condition.leaves is None and math.isnan(condition.low)
                return numbers(None if nothing else _moved(condition, own))
            name = names[condition.attribute]
            asked_for = np.zeros(len(self.people.values[name].labels), dtype=np.bool_)
            asked_for[condition.leaves] = True
            key = name, asked_for.tobytes()
            if key not in known:
                known[key] = rows.holds(name, asked_for)
            return known[key]

        queries = []
        for question in self.asked:
            query = list(question.conditions)
            if question.sensitive is not None:
                query.append(Condition(place[question.sensitive], leaves=question.values))
            if numbers is not None:
                on = next((part for part in question.conditions if part.attribute == own), None)
                query.append(Condition(last) if on is None else _moved(on, last))
            queries.append(tuple(query))
        return answers_over(columns, widths, rows.weight, queries, fit)


def chances(
    release: JoinedRelease, name: str, stands: tuple[Ints, Ints], asked: Bools, uniform: bool
) -> Floats:
    """How likely a person of each bucket has one of the values that are asked for, [B].

    Arguments:
        release: what was published.
        name: the sensitive attribute.
        stands: which of its values each published label stands for, as compressed rows.
        asked: which of its values are asked for, [V].
        uniform: as expected; else 1 where it could be at all.
    """
    part = release.listed[name]
    indptr, values = stands
    under = np.diff(indptr)
    share = np.divide(
        _sums(indptr, asked[values]), under, out=np.zeros(len(under)), where=under > 0
    )
    if not uniform:
        return (_sums(part.indptr, share[part.index] > 0) > 0).astype(np.float64)
    chance = release.shares(name) * share[part.index]
    if release.holding == "one":
        return np.minimum(np.bincount(part.row_of, chance, len(part)), 1.0).astype(np.float64)
    sure = chance > 1.0 - _TINY
    left = np.exp(_sums(part.indptr, np.log1p(-np.where(sure, 0.0, chance))))
    return np.where(_sums(part.indptr, sure) > 0, 1.0, 1.0 - left)


def middles(domain: Domain, cells: PublishedCells, asked: Condition | None = None) -> Floats:
    """The number that each cell counts with, NaN where it has none, [L].

    The middle of a range, the mean of the numbers of another cell; where something is asked for, of
    the part that fits (and of the whole where nothing does, which counts nowhere).

    Arguments:
        domain: the exact values of the attribute.
        cells: its published cells.
        asked: the condition on it, if there is one.
    """
    assert domain.numbers is not None
    wanted = None if asked is None else leaves_asked(domain, asked)
    found = np.full(len(cells.labels), np.nan)
    for at in range(len(cells.labels)):
        low, high = float(cells.low[at]), float(cells.high[at])
        if not math.isnan(low):
            if asked is not None and asked.leaves is None:
                start, end = max(low, asked.low), min(high, asked.high)
                if domain.whole and math.ceil(low) <= math.floor(high):
                    start, end = math.ceil(start), math.floor(end)
                low, high = (start, end) if start <= end else (low, high)
            found[at] = (low + high) / 2
            continue
        own = cells.leaves[cells.indptr[at] : cells.indptr[at + 1]]
        fitting = own if wanted is None else own[wanted[own]]
        numbers = domain.numbers[fitting if len(fitting) else own]
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers):
            found[at] = numbers.mean()
    return found


def _sums(indptr: Ints, values: Array) -> Floats:
    """The sum over each of the compressed rows."""
    whole = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    found: Floats = whole[indptr[1:]] - whole[indptr[:-1]]
    return found


def _moved(condition: Condition, attribute: int) -> Condition:
    return Condition(attribute, condition.low, condition.high, condition.leaves)


def _groups(people: PeopleTable, name: str) -> list[Ints]:
    """What is asked for together: values of one category each, or single values."""
    values = people.values[name].labels
    categories = people.known.get(name, NO_METADATA).categories
    if not categories:
        return [np.array([at]) for at in range(len(values))]
    found: dict[str | None, list[int]] = {}
    for at, value in enumerate(values):
        found.setdefault(categories.get(value), []).append(at)
    return [np.array(places) for places in found.values()]


def _some(groups: Sequence[Ints], share: float, random: np.random.Generator) -> Ints:
    """The values of a share of the groups, rounded up, drawn at random."""
    wanted = max(math.ceil(share * len(groups) - _TINY), 1)
    chosen = random.choice(len(groups), wanted, replace=False, shuffle=False)
    return np.sort(np.concatenate([groups[at] for at in chosen.tolist()]))


def _require_numeric(people: PeopleTable, name: str) -> None:
    domain = people.original.domains.get(name)
    if domain is None or domain.numbers is None:
        why = "no quasi-identifier" if domain is None else "not numeric"
        raise DataError("not-numeric", f"sums and averages of '{name}': it is {why}")
