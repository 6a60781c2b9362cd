"""Attributes that follow from others, recognised from data: an age, a year, a postcode, a group.

What is recognised is proposed, with the lines of a policy that would say so; a person decides. A
table shows that values go together, not that one is computed from the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, combinations
from typing import ClassVar, Literal

import numpy as np
import polars as pl
import polars.selectors as cs

from indistinct import _toml
from indistinct._sections import place_of
from indistinct.analytics.leakage.attribute_graph import Derivation
from indistinct.analytics.leakage.dependence import CHANCE as DETERMINED_BY_CHANCE
from indistinct.analytics.leakage.dependence import PURE
from indistinct.analytics.profile.record_numbers import FEW_RECORDS
from indistinct.analytics.profile.values import Values, read_values
from indistinct.document import PlainData
from indistinct.frozen import dataclass
from indistinct.hierarchies.moments import reader
from indistinct.kernels.dependencies import few_pairs, settled_columns
from indistinct.sources.text import all_ranks
from indistinct.types import Array, Bools, Floats, Ints

Key = Literal["derived_from", "part_of", "links"]

SAMPLE = 20_000
"""Of a larger table so many records are looked at."""

CERTAIN = 0.98
"""From this share of records on, a rule is held to be one."""

INSIDE = 0.95
"""From this share of records on, a text is held to be a part of another."""

CHANCE = 0.5
"""If as many would fit by chance, nothing is concluded."""

MOST_PAIRS = 1.5
"""A column that follows from another has at most so many pairs of values with each value of it."""

FEW = 20
"""With fewer records that have both values, nothing is concluded."""

OLDEST = 130

TURNS = 0.05
"""A column that follows from two others turns back so much less often than by chance, at most."""

NEARLY = 0.3
"""Where it turns back no more often than this along one of the two, that one explains it."""

CLEAR = 40
"""Turns by chance from which something is concluded."""

ALIKE = 0.97
"""Goodman and Kruskal's gamma from which a column follows from one other."""

ENOUGH = 2_000
"""Ordered pairs of rows that differ in both columns, from which that is concluded."""

FIRST_ROWS = 500
"""Rows that are looked at before all are."""


@dataclass(frozen=True)
class Proposal(PlainData):
    """Something that a policy might say: what an attribute follows from, or who can know it.

    ``key`` is the key of the policy. Of a derivation ``of`` is the base; of a link it is the end
    that others start from. ``share`` is that of the records that fit, where records were counted.
    """

    told_keys: ClassVar = "key attribute of why toml share?"

    key: Key
    attribute: str
    of: str
    why: str
    share: float | None = None

    @property
    def toml(self) -> str:
        """The lines of a policy that say so."""
        if self.key == "links":
            return (
                f"[[links]]\nfrom = {_toml.value(self.of)}\nto = {_toml.value(self.attribute)}\n"
                f"source = {_toml.value(self.why)}"
            )
        return f"[{place_of(('attributes', self.attribute))}]\n{self.key} = {_toml.value(self.of)}"

    @property
    def derivation(self) -> Derivation | None:
        """What the proposal says of an attribute; None for a link."""
        if self.key == "links":
            return None
        return Derivation(self.of, self.attribute, self.key)


def recognise(
    texts: pl.DataFrame,
    kinds: Mapping[str, str],
    *,
    identifiers: Collection[str] = (),
) -> tuple[Proposal, ...]:
    """Attributes of a table that seem to follow from others of it.

    Looked for are ages and parts of dates (an age with a year of birth, too), texts within other
    texts, and attributes of which every value goes with one value of another. What follows over a
    third attribute is not told again, and of two attributes that settle each other the first is
    taken for the base.

    Arguments:
        texts: the columns as text, held as codes or not, null for missing.
        kinds: the kind that each column has by its type, ``text`` where only texts are known.
        identifiers: columns of which it is no news that each value goes with one of another.
    """
    rows = texts if texts.height <= SAMPLE else texts.sample(SAMPLE, seed=0)
    rows = rows.with_columns(cs.enum().cast(pl.String))
    weight = np.ones(rows.height, dtype=np.int64)
    columns = _columns(rows, kinds, weight)
    columns = [column for column in columns if column.distinct > 1]
    found: dict[tuple[str, str], Proposal] = {}
    for proposal in (*_by_date(columns, weight), *_inside(columns, weight)):
        found.setdefault((proposal.of, proposal.attribute), proposal)
    computed = set(found)
    telling = [column for column in columns if column.name not in identifiers]
    for proposal in _settled(telling, columns, weight, computed):
        found.setdefault((proposal.of, proposal.attribute), proposal)
    return tuple(_told_once(found, computed, list(texts.columns)))


def following(
    texts: pl.DataFrame,
    kinds: Mapping[str, str],
    published: Mapping[str, Collection[str]],
    known: Sequence[str],
) -> list[tuple[str, ...]]:
    """Columns that rise or fall with another, or with the difference or sum of two: a stay.

    With one: of pairs of rows that differ in both columns, nearly all are ordered alike, or nearly
    all are not (Goodman and Kruskal's gamma). With two: the values, in the order of the difference
    (sum), hardly ever turn back, but do so in the order of either. The one, or the
    two, tell such a value, at least roughly.

    Arguments:
        texts: the columns as text, null for missing.
        kinds: the kind that each column has by its type, ``text`` where only texts are known.
        published: the columns in question, with those that each may follow from alone.
        known: attributes that others know, of which two are looked at together; codes have no
            difference.

    Returns:
        Each such column, with the first attribute, or the first two, that it follows from.
    """
    scaled = on_scales(texts, kinds, published)
    if not scaled:
        return []
    others = on_scales(texts, kinds, dict.fromkeys([*known, *chain(*published.values())]))
    found: list[tuple[str, ...]] = []
    for name, values in scaled.items():
        ones = (one for one in published[name] if one in others)
        if one := next((one for one in ones if _ordered_alike(others[one], values, ALIKE)), None):
            found.append((name, one))
        far = [one for one in known if one in others and not in_order(others[one], values, NEARLY)]
        for one, other in combinations(far, 2):
            left, right = others[one], others[other]
            if in_order(left - right, values) or in_order(left + right, values):
                found.append((name, one, other))
                break
    return found


def on_scales(
    texts: pl.DataFrame, kinds: Mapping[str, str], names: Iterable[str]
) -> dict[str, Floats]:
    """The numbers of columns, or the days to their dates, [n]; without columns that have neither.

    Arguments:
        texts: the columns as text, null for missing.
        kinds: the kind that each column has by its type, ``text`` where only texts are known.
        names: the columns that are read.
    """
    columns = _columns(texts.select(*names), kinds, np.ones(texts.height, dtype=np.int64))
    return {column.name: scale for column in columns if (scale := column.scale) is not None}


def _ordered_alike(one: Floats, other: Floats, gamma: float) -> bool:
    there = ~(np.isnan(one) | np.isnan(other))
    one, other = one[there][:FIRST_ROWS], other[there][:FIRST_ROWS]
    alike = np.sign(one[:, None] - one) * np.sign(other[:, None] - other)
    differ = int(np.count_nonzero(alike))
    return differ >= ENOUGH and abs(float(alike.sum())) >= gamma * differ


def in_order(by: Floats, values: Floats, turns: float = TURNS) -> bool:
    """Whether values, in an order or its reverse, turn back at most that often by chance's measure.

    Where several values stand at one place they are taken the worst way round; where there are few
    places they turn back seldom whatever they are, so that rows at different ones have to be
    ordered alike as well. Some rows are looked at first.

    Arguments:
        by: the number that orders each row, nan where it is missing, [n].
        values: the value of each row, nan where it is missing, [n].
        turns: turns that are allowed, as a share of those that chance makes.
    """
    there = ~(np.isnan(by) | np.isnan(values))
    by, values = by[there], values[there]
    if len(values) <= 2 * CLEAR:  # by chance every second one turns back, at most
        return False
    for rows, more in ((FIRST_ROWS, CLEAR), (len(values), 0)):
        shares = np.unique(values[:rows], return_counts=True)[1] / len(values[:rows])
        by_chance = (len(values[:rows]) - 1) * (1 - float((shares**2).sum())) / 2
        most = turns * by_chance + more
        if min(_turns(by[:rows], values[:rows]), _turns(by[:rows], -values[:rows])) > most:
            return False
    return by_chance >= CLEAR and _ordered_alike(by, values, 1 - 2 * turns)


def _turns(by: Floats, values: Floats) -> int:
    along = values[np.lexsort((-values, by))]
    return int((along[1:] < along[:-1]).sum())


@dataclass(frozen=True)
class _Column:
    """A column: its codes (-1: missing), and its values as numbers or dates where they are that.

    ``plain`` are codes of the texts, of those as well that stand for a missing value.
    """

    name: str
    kind: str
    texts: pl.Series
    plain: Ints
    codes: Ints
    distinct: int
    numbers: Floats | None = None
    days: Floats | None = None
    """Year, month and day of every row, [3, n]; nan where they are not known."""

    @property
    def scale(self) -> Floats | None:
        """Every row's number, or the days from 1970 to its date; nan where it is missing, [n]."""
        if self.days is None:
            return self.numbers
        year, month, day = self.days
        there = ~np.isnan(year)
        months = np.where(there, (year - 1970) * 12 + np.nan_to_num(month, nan=1) - 1, 0)
        days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.float64)
        return np.where(there, days + np.nan_to_num(day, nan=1) - 1, np.nan)

    @classmethod
    def read(cls, texts: pl.Series, held: Ints, kind: str, weight: Ints) -> _Column:
        """Understand a column.

        Arguments:
            texts: the text of each row, [n].
            held: the rank of each text, 0 where it is missing, [n].
            kind: the kind that the column has by its type.
            weight: how many records each row stands for, [n].
        """
        first, count = _first_and_count(held, weight)
        order = np.argsort(first[1:], kind="stable")
        value = texts.gather(first[1:][order])
        values = read_values(pl.DataFrame({"value": value, "count": count[1:][order]}), kind)
        code = np.full(len(first), -1, dtype=np.int64)
        code[order + 1] = np.arange(len(order))
        plain = at = code[held]
        if values.distinct < len(order):
            place = {text: at for at, text in enumerate(values.texts.to_list())}
            kept = [place.get(text, -1) for text in value.to_list()]
            at = np.array([*kept, -1], dtype=np.int64)[plain]
        numbers = days = None
        if values.numbers is not None:
            numbers = _spread(values.numbers.fill_null(float("nan")).to_numpy(), at)
        elif values.date_format is not None:
            days = np.stack([_spread(part, at) for part in _days(values)])
        return cls(texts.name, values.kind, texts, plain, at, values.distinct, numbers, days)


def _columns(texts: pl.DataFrame, kinds: Mapping[str, str], weight: Ints) -> list[_Column]:
    held = all_ranks(texts)
    return [
        _Column.read(texts[name], held[name], kinds.get(name, "text"), weight)
        for name in texts.columns
    ]


def _first_and_count(ranks: Ints, weight: Ints) -> tuple[Ints, Ints]:
    """The first row of every rank, and the records that have it; rank 0 is that of no text."""
    most = int(ranks.max(initial=0)) + 1
    first = np.full(most, len(ranks), dtype=np.int64)
    np.minimum.at(first, ranks, np.arange(len(ranks)))
    return first, np.bincount(ranks, weight, minlength=most).astype(np.int64)


def _spread(values: Floats, at: Ints) -> Floats:
    return np.append(values.astype(np.float64), np.nan)[at]


def _days(values: Values) -> Floats:
    read = reader(str(values.date_format))
    moments = [read(text) for text in values.texts.to_list()]
    return np.array(
        [
            [np.nan] * 3 if moment is None else [part or np.nan for part in moment[:3]]
            for moment in moments
        ],
        dtype=np.float64,
    ).T.reshape(3, -1)


# -------- Ages and parts of dates --------


def _by_date(columns: Sequence[_Column], weight: Ints) -> Iterator[Proposal]:
    dated = [column for column in columns if column.days is not None]
    numbered = [
        (column, column.numbers)
        for column in columns
        if column.numbers is not None and column.kind == "integer"
    ]
    for born in dated:
        assert born.days is not None
        for column, numbers in numbered:
            if _could_be_ages(numbers):
                yield from _age(born, column, numbers, dated, weight)
            yield from _part_of_date(born, column, numbers, weight)
    for born, years in numbered:
        low, high = np.nanmin(years), np.nanmax(years)
        if low < 1850 or high > date.today().year + 1 or born.distinct < 5:
            continue
        for column, numbers in numbered:
            if column is not born and _could_be_ages(numbers):
                share = _two_neighbours(years + numbers, weight)
                if share is not None and share >= CERTAIN:
                    yield Proposal(
                        "derived_from",
                        column.name,
                        born.name,
                        f"with {born.name} it adds up to one year: an age",
                        share,
                    )


def _could_be_ages(numbers: Floats) -> bool:
    known = numbers[~np.isnan(numbers)]
    return (
        len(known) >= FEW
        and known.min() >= 0
        and known.max() <= OLDEST
        and len(np.unique(known)) >= 5
    )


def _age(
    born: _Column, column: _Column, numbers: Floats, dated: Sequence[_Column], weight: Ints
) -> Iterator[Proposal]:
    assert born.days is not None
    for other in dated:
        if other is born:
            continue
        assert other.days is not None
        passed = other.days[0] - born.days[0]
        before = (other.days[1] < born.days[1]) | (
            (other.days[1] == born.days[1]) & (other.days[2] < born.days[2])
        )
        share = _share(passed - before == numbers, passed + numbers, weight)
        if share is not None and share >= INSIDE:
            why = f"the years from {born.name} to {other.name}"
            yield Proposal("derived_from", column.name, born.name, why, share)
            return
    years = born.days[0]
    share = _two_neighbours(years + numbers, weight)
    if share is not None and share >= CERTAIN and np.nanmax(years) - np.nanmin(years) >= 5:
        why = f"the years since {born.name}, on one day"
        yield Proposal("derived_from", column.name, born.name, why, share)


def _two_neighbours(sums: Floats, weight: Ints) -> float | None:
    """The share of records in the best pair of neighbouring years."""
    known = ~np.isnan(sums)
    if weight[known].sum() < FEW:
        return None
    years, at = np.unique(sums[known], return_inverse=True)
    count = np.bincount(at, weight[known])
    pairs = count.copy()
    pairs[1:] += np.where(np.diff(years) == 1, count[:-1], 0)
    return float(pairs.max() / count.sum())


def _part_of_date(
    born: _Column, column: _Column, numbers: Floats, weight: Ints
) -> Iterator[Proposal]:
    assert born.days is not None
    year, month, day = born.days
    parts = {
        "year": year,
        "quarter": np.floor((month - 1) / 3) + 1,
        "month": month,
        "day": day,
        "decade": np.floor(year / 10) * 10,
    }
    for part, values in parts.items():
        share = _share(values == numbers, values + numbers, weight)
        if share is not None and share >= CERTAIN and column.distinct > 1:
            why = f"the {part} of {born.name}"
            yield Proposal("derived_from", column.name, born.name, why, share)
            return


def _share(fits: Bools, known: Floats, weight: Ints) -> float | None:
    """The share of the records with both values that fit; None of few."""
    held = ~np.isnan(known)
    total = int(weight[held].sum())
    return float(weight[held & fits].sum() / total) if total >= FEW else None


# -------- Texts within texts --------


def _inside(columns: Sequence[_Column], weight: Ints) -> Iterator[Proposal]:
    """Texts that stand in another column's texts: a postcode in an address."""
    texts = pl.DataFrame([column.texts for column in columns])
    lowered = texts.select(pl.all().str.to_lowercase()).get_columns()
    for at, of in _could_stand_in(columns, lowered):
        whole, part = columns[at], columns[of]
        known = (whole.codes >= 0) & (part.codes >= 0)
        total = int(weight[known].sum())
        if total < FEW:
            continue
        pair = pl.DataFrame({"whole": lowered[at], "part": lowered[of]}).filter(known)
        if _contained(pair.head(FEW), np.ones(FEW)) < INSIDE / 2:
            continue
        held = weight[known]
        share = _contained(pair, held)
        turned = pair.with_columns(pl.col("part").shuffle(seed=0))
        if share >= INSIDE and _contained(turned, held) < CHANCE:
            why = f"its text stands in that of {whole.name}"
            yield Proposal("part_of", part.name, whole.name, why, share)


def _could_stand_in(
    columns: Sequence[_Column], lowered: Sequence[pl.Series]
) -> Iterator[tuple[int, int]]:
    """Columns, by place, whose first texts may have those of another: no sign is in these alone."""
    texts = pl.DataFrame([column.texts for column in columns])
    means = texts.select(pl.all().str.len_chars().mean())
    lengths = np.array(means.row(0) if columns else (), dtype=np.float64)
    distinct = np.array([column.distinct for column in columns])
    plain = np.array([column.numbers is None and column.days is None for column in columns])
    first = [texts.head(FEW).to_list() for texts in lowered]
    known = np.array([bool((c.codes[:FEW] >= 0).all()) and len(c.codes) >= FEW for c in columns])
    signs = np.array(
        [[_signs(text) for text in [*some, *[None] * FEW][:FEW]] for some in first], dtype=np.uint64
    ).reshape(-1, FEW)
    for at in np.flatnonzero(plain).tolist():
        fits = (lengths >= 2) & (lengths < lengths[at]) & (distinct <= distinct[at])
        missing = (signs & ~signs[at]) != 0
        never = known & known[at] & ((~missing).mean(axis=1) < INSIDE / 2)
        fits &= ~never
        fits[at] = False
        yield from ((at, of) for of in np.flatnonzero(fits).tolist())


def _signs(text: str | None) -> int:
    """The signs of a text as bits, of which several may be one."""
    found = 0
    for sign in set(text or ""):
        found |= 1 << (ord(sign) % 64)
    return found


def _contained(pair: pl.DataFrame, weight: Array) -> float:
    held = pair.select(pl.col("whole").str.contains(pl.col("part"), literal=True))["whole"]
    hit = held.to_numpy()
    return float(weight[: len(hit)][hit].sum() / weight[: len(hit)].sum())


# -------- Values that settle others --------


def _settled(
    bases: Sequence[_Column], columns: Sequence[_Column], weight: Ints, known: set[tuple[str, str]]
) -> Iterator[Proposal]:
    """Columns of which every value goes with one value of a base, as ``determines`` says."""
    codes = np.array([column.codes for column in columns], dtype=np.int32)
    plain = np.array([column.plain for column in columns], dtype=np.int32)
    distinct = np.array([column.distinct for column in columns], dtype=np.int64)
    marks = np.full(int(codes.max(initial=0)) + 1, -1, dtype=np.int64)
    near = np.zeros(len(columns), dtype=np.bool_)
    place = {column.name: at for at, column in enumerate(columns)}
    for base in bases:
        at = place[base.name]
        shared = _Shared.of(base.plain, weight)
        if shared is None:
            continue
        impure = (1 - PURE) * int(shared.sizes.sum())
        settled_columns(plain, shared.order, shared.ends, shared.sizes, impure, near)
        near[at] = False
        if not near.any():
            continue
        order = np.argsort(codes[at], kind="stable")
        few_pairs(codes, distinct, at, order, MOST_PAIRS * base.distinct, marks, near)
        for column in (columns[of] for of in np.flatnonzero(near).tolist()):
            if (base.name, column.name) in known or not shared.more_than_chance(column.plain):
                continue
            why = f"every value of {base.name} goes with one value of it"
            share = shared.share(column.plain)
            yield Proposal("derived_from", column.name, base.name, why, share)


@dataclass(frozen=True)
class _Shared:
    """The records with a value of a base, and those of them that share it.

    Arguments:
        codes: the value of every row, -1 where there is none.
        weight: how many records each row stands for.
        records: how many have a value.
        order: the rows of which records share the value, value by value.
        ends: where each shared value ends in that order.
        sizes: how many records share each.
    """

    codes: Ints
    weight: Ints
    records: int
    order: Ints
    ends: Ints
    sizes: Ints

    @classmethod
    def of(cls, codes: Ints, weight: Ints) -> _Shared | None:
        """What records share; None where too few do to conclude anything."""
        held = codes >= 0
        count = np.bincount(codes[held], weight[held]).astype(np.int64)
        shared = count > 1
        rows = np.flatnonzero(held)
        rows = rows[shared[codes[rows]]]
        order = rows[np.argsort(codes[rows], kind="stable")]
        ends = np.cumsum(np.bincount(codes[rows], minlength=len(count))[shared])
        found = cls(codes, weight, int(count.sum()), order, ends, count[shared])
        too_few = found.records < FEW_RECORDS or 2 * int(found.sizes.sum()) < found.records
        return None if too_few else found

    def more_than_chance(self, other: Ints) -> bool:
        """Whether fewer records would be settled by chance."""
        held = self.codes >= 0
        shares = np.bincount(other[held] + 1, self.weight[held]) / self.records
        sizes, count = np.unique(self.sizes, return_counts=True)
        expected = sum(
            float(size * times * (shares**size).sum())
            for size, times in zip(sizes, count, strict=True)
        )
        return expected < DETERMINED_BY_CHANCE * int(self.sizes.sum())

    def share(self, other: Ints) -> float:
        """The share of records that have the most frequent value beside their own."""
        held = self.codes >= 0
        width = int(other.max(initial=-1)) + 2
        pairs, at = np.unique(self.codes[held] * width + other[held] + 1, return_inverse=True)
        most = np.zeros(int(self.codes.max()) + 1)
        np.maximum.at(most, pairs // width, np.bincount(at, self.weight[held]))
        return float(most.sum()) / self.records


def _told_once(
    found: Mapping[tuple[str, str], Proposal],
    computed: Collection[tuple[str, str]],
    order: Sequence[str],
) -> Iterable[Proposal]:
    """Without the way back, and without what is only seen to follow over a third attribute."""
    kept = {
        (base, name): proposal
        for (base, name), proposal in found.items()
        if (name, base) not in found or order.index(base) < order.index(name)
    }
    for (base, name), proposal in kept.items():
        over = (
            third
            for third in order
            if (base, third) in kept and (third, name) in kept and third not in (base, name)
        )
        if (base, name) in computed or next(over, None) is None:
            yield proposal
