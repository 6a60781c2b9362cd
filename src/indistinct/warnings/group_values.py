"""How many records, or people, of each class or bucket of a release have which value.

Of n people of a class n_v have a value. It is certain if it is known that n - n_v others have
another one: to everybody where all have it, to somebody who knows c others where all but c have it
(corruption: Tao, Xiao, Li and Zhang 2008).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from indistinct.document import in_quotes, share
from indistinct.errors import DataError
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import members_of
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.kernels.grouping import LARGEST_KEY
from indistinct.microdata.encoding import distinct_rows
from indistinct.privacy.values import AboutValues
from indistinct.release.certificate import NOT_BOUNDED, WITH_OTHERS
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import open_table, some_classes
from indistinct.sources.text import all_ranks
from indistinct.types import Bools, Frame, Ints, Ints32
from indistinct.warning_kinds import Kind, WarningText

MOST_COUNTS = 1_000_000
"""Values times groups that are counted of a release that is not in memory."""

MOST_ROWS = 100_000
"""Rows of a release that is not in memory that are looked at one by one."""

MOST_STEPS = 2_000_000
"""Pairs of attributes times records that are looked at; of more, some of the classes."""

FEW_KEYS = 8
"""With fewer keys for each record, an array has a place for all of them."""

MOST_TOGETHER = 6
"""So many attributes at most are looked at two by two."""

HARMED = 0.95
"""A class of which so many have a value that harms tells it of everybody."""

OF_SOME = " of some classes"
"""Of whom a share is, where not all classes are looked at."""

NO_TWO = (0.0, "", "")
"""No two attributes single anybody out."""

MOSTLY_OTHERS = 0.25
"""Where no more of those of whom a value is certain have a rarer one, that is said."""

GROUP, OF, HAVE, _MEMBER, _ROW = "\0group", "\0of", "\0have", "\0member", "\0row"


@dataclass(frozen=True)
class GroupValues:
    """How many of each group have each value of an attribute, for those who have one.

    Arguments:
        name: the attribute.
        rows: a row for every value of a group, whose number from 0 is ``GROUP``: ``HAVE`` so many
            of the group have the value, and ``OF`` so many are in it.
        total: how many are in any group.
    """

    name: str
    rows: pl.DataFrame
    total: int

    @property
    def alone(self) -> float:
        """The share who are the only ones of their group with a value."""
        return float(np.count_nonzero(self.rows[HAVE].to_numpy() == 1)) / self.total

    @property
    def only_known(self) -> float:
        """The share who have the one value of a group of which others have none, or none known."""
        group, of, have = (self.rows[name].to_numpy() for name in (GROUP, OF, HAVE))
        one = (np.bincount(group)[group] == 1) & (have < of)
        return float(have[one].sum()) / self.total

    @property
    def usual(self) -> float:
        """The share who have the value that most have."""
        counted = self.rows.group_by(self.name).agg(pl.col(HAVE).sum())[HAVE]
        return (int(counted.max()) if len(counted) else 0) / self.total  # type: ignore[arg-type]

    def certain(self, others: int) -> float:
        """The largest share of people whose value is certain if ``others`` of a group are known.

        People with several values may count for each, but no group for more than all of it.
        """
        group, of, have = (self.rows[name].to_numpy() for name in (GROUP, OF, HAVE))
        sure = of - have <= others
        summed = np.bincount(group[sure], have[sure])
        whole = np.zeros(len(summed))
        whole[group[sure]] = of[sure]
        return float(np.minimum(summed, whole).sum()) / self.total


class NumberedRows:
    """The rows of a table in memory, the class of each, and its values by their ranks.

    Arguments:
        rows: the table.
        quasi: the quasi-identifiers.
        alike: a number of each row that those of its class share, where it is known.
    """

    def __init__(
        self, rows: pl.DataFrame, quasi: Sequence[str], alike: Ints32 | None = None
    ) -> None:
        self.rows = rows
        self.class_of: Ints = _groups(rows.select(quasi), alike)
        self._ranks: dict[str, Ints32] = {}

    def ranks(self, names: Sequence[str]) -> dict[str, Ints32]:
        """The ranks of the values of these columns, each ranked once, however often asked for."""
        new = [name for name in names if name not in self._ranks]
        ranked = all_ranks(self.rows.select(new)).items() if new else ()
        self._ranks |= {name: rank.astype(np.int32) for name, rank in ranked}
        return {name: self._ranks[name] for name in names}


def of_classes(
    released: Frame,
    quasi: Sequence[str],
    person: str | None,
    unknown: Mapping[str, Collection[str]],
    numbered: NumberedRows | None = None,
) -> Iterator[GroupValues]:
    """The values of the classes of a table.

    Where the release is not in memory, attributes of which that would be much are not among them.

    Arguments:
        released: the table.
        quasi: the quasi-identifiers.
        person: the column of the person; where given people are counted, else records.
        unknown: the attributes to look at, and the texts that stand for none of their values.
        numbered: what :func:`class_numbers` says, where that is known.
    """
    table = open_table(released, allow_empty=True)
    if not table.held:
        of = table.distinct(quasi)
        of = of.rename({of.columns[-1]: OF}).with_row_index(GROUP)
        values = table.about(list(unknown))
        for name in (one for one in unknown if values[one][1] * of.height <= MOST_COUNTS):
            try:
                have = table.distinct([*quasi, name])
            except DataError as error:  # long texts, more of them than the engine hands over
                if error.problems[0].code != "combinations-do-not-fit":
                    raise
                continue
            have = have.rename({have.columns[-1]: HAVE}).join(of, on=quasi, nulls_equal=True)
            yield _counted(name, have, of, unknown[name])
        return
    own = [person] if person else []
    numbered = numbered or NumberedRows(to_polars(released), quasi)
    rows, key = numbered.rows.select(*own, *unknown), numbered.class_of
    size = pl.col(own[0]).n_unique() if own else pl.len()
    if own:
        rows = rows.with_columns(pl.Series(GROUP, key))
        of = rows.group_by(GROUP).agg(size.alias(OF))
        for name, tokens in unknown.items():
            have = rows.group_by(GROUP, name).agg(size.alias(HAVE))
            yield _counted(name, have.join(of, on=GROUP), of, tokens)
        return
    # Polars plans every query anew: where there are thousands of columns, that is most of the time.
    sizes = np.bincount(key)
    told = _telling(rows, unknown)
    for name, code in numbered.ranks([*unknown]).items():
        width = int(code.max(initial=0)) + 1
        pairs, have_of = _counted_keys(key * width + code)
        of_code = np.zeros(width, np.int64)
        of_code[code] = np.arange(len(code))
        at, first = pairs // width, of_code[pairs % width]
        held = told[name][first]
        columns = {GROUP: at[held], name: rows[name].gather(first[held]), HAVE: have_of[held]}
        listed = pl.DataFrame({**columns, OF: sizes[at[held]]})
        yield GroupValues(name, listed, max(rows.height, 1))


def certain_beside(
    numbered: NumberedRows,
    quasi: Sequence[str],
    names: Sequence[str],
    unknown: Mapping[str, Collection[str]],
) -> dict[str, dict[str, tuple[float, float]]]:
    """The share of records of whose value of ``names`` is certain who knows another attribute's.

    In a class all with the one value have the same other one. Of a large release some classes are
    looked at.

    Arguments:
        numbered: the rows and their classes.
        quasi: the quasi-identifiers.
        names: the attributes that somebody may learn.
        unknown: all attributes to look at, and the texts that stand for none of their values.

    Returns:
        For each of ``names`` the share by what is known; and of these records the share who do not
        have the value that most have.
    """
    found: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in names}
    if len({*names, *unknown}) < 2:
        return found
    steps = numbered.rows.height * len(names) * (len(unknown) - 1)
    if steps > MOST_STEPS:
        part = pl.struct(quasi).hash(0) % -(-steps // MOST_STEPS)
        rows = numbered.rows.select(*quasi, *unknown)
        rows = rows.filter(part == part.min())  # some class is in it, however few there are
        numbered = NumberedRows(rows, quasi)
    rows, group = numbered.rows, numbered.class_of
    if not rows.height or not names:
        return found
    telling = _telling(rows, unknown)
    codes = numbered.ranks([*unknown])
    value = np.stack([codes[name] for name in names])
    told = np.stack([telling[name] for name in names])
    rarer = np.stack([_rarer(rows[name], codes[name]) for name in names])
    for known in unknown:
        if [known] == [*names]:
            continue
        own = np.flatnonzero(codes[known])
        key = group[own] * (int(codes[known].max()) + 1) + codes[known][own]
        sure = _one_value(key, value[:, own]) & told[:, own]
        count, rare = sure.sum(axis=1), (sure & rarer[:, own]).sum(axis=1)
        for name, part, other in zip(names, count.tolist(), rare.tolist(), strict=True):
            if name != known:
                found[name][known] = part / rows.height, other / max(part, 1)
    return found


def _rarer(values: pl.Series, ranks: Ints32) -> Bools:
    """Which records have another value than most; of equally frequent ones the first text counts.

    Arguments:
        values: a column.
        ranks: the ranks of its values, 0 for a missing one.
    """
    often = np.bincount(ranks, minlength=1)
    often[0] = 0
    most = np.flatnonzero(often == often.max())
    if len(most) > 1 and values.dtype != pl.String:  # ranks of numbers are not in order of texts
        place = np.zeros(len(often), np.int64)
        place[ranks] = np.arange(len(ranks))
        texts = values.gather(pl.Series(place[most])).cast(pl.String)
        most = most[texts.arg_sort().to_numpy()]
    rarer: Bools = ranks != (most[0] if often.any() else 0)
    return rarer


def _one_value(key: Ints, value: Ints32) -> Bools:
    """Of each column of values, whether all rows of a row's key have the same one, [m, n].

    Arguments:
        key: the keys of the rows, from 0, [n].
        value: the values of the rows, [m, n].
    """
    if key.max(initial=0) > FEW_KEYS * len(key):
        key = np.unique(key, return_inverse=True)[1]
    places = int(key.max(initial=-1)) + 1
    some = np.empty((len(value), places), value.dtype)
    some[:, key] = value  # that of any row of the key
    column, row = np.nonzero(some[:, key] != value)
    differs = np.zeros((len(value), places), bool)
    differs[column, key[row]] = True
    return ~differs[:, key]


def class_numbers(
    released: Frame, quasi: Sequence[str], alike: Ints32 | None = None
) -> NumberedRows | None:
    """The rows and the number of the class of each; None of a release that is not in memory.

    Arguments:
        released: the table.
        quasi: the quasi-identifiers.
        alike: a number of each row that those of its class share, where it is known.
    """
    held = open_table(released, allow_empty=True).held
    return NumberedRows(to_polars(released), quasi, alike) if held else None


def numbers_of_some(
    released: Frame, quasi: Sequence[str], names: Iterable[str]
) -> tuple[NumberedRows | None, bool]:
    """The same of a release that is not in memory: of some of its classes, if there are many rows.

    Arguments:
        released: the table.
        quasi: the quasi-identifiers.
        names: the attributes to look at.

    Returns:
        The rows, None where they are too many; and whether they are of all classes.
    """
    table = open_table(released, allow_empty=True)
    parts = -(-table.height() // MOST_ROWS) or 1
    rows = some_classes(table, quasi, [*dict.fromkeys([*quasi, *names])], parts)
    return None if rows is None else NumberedRows(rows, quasi), parts == 1


def alike_rows(texts: pl.DataFrame) -> Ints32:
    """A number of every row that equal ones share: that of one of them."""
    numbered = texts.with_row_index(_ROW).select(pl.col(_ROW).first().over(texts.columns))
    return numbered[_ROW].to_numpy().astype(np.int32)


def _groups(quasi: pl.DataFrame, alike: Ints32 | None) -> Ints:
    """The number of the class of every row, from 0."""
    if not quasi.height:
        return np.zeros(0, np.int64)
    alike = alike_rows(quasi) if alike is None else alike
    row = np.full(int(alike.max()) + 1, -1, np.int64)
    row[alike] = np.arange(len(alike))
    there = np.flatnonzero(row >= 0)
    codes = np.column_stack(list(all_ranks(quasi[row[there]]).values()))
    number = np.zeros(len(row), np.int64)
    number[there] = distinct_rows(codes, int(codes.max(initial=0)) + 1)[1]
    return number[alike]


def _counted_keys(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, sorted, and how often each occurs."""
    if keys.max(initial=0) > FEW_KEYS * len(keys):
        return np.unique(keys, return_counts=True)
    count = np.bincount(keys)
    held = np.flatnonzero(count)
    return held, count[held]


def _telling(rows: pl.DataFrame, unknown: Mapping[str, Collection[str]]) -> dict[str, Bools]:
    """Where a column has a value: a cell that is not empty, nor a star or code of a missing one."""
    told = [_held(rows.schema[name], name, tokens) for name, tokens in unknown.items()]
    return {column.name: column.to_numpy() for column in rows.select(told)} if told else {}


def _held(kind: pl.DataType, name: str, tokens: Collection[str]) -> pl.Expr:
    """Whether a cell of a column has a value."""
    own = pl.col(name).fill_nan(None) if kind.is_float() else pl.col(name)
    text = own.cast(pl.String, strict=False)
    return (text.is_not_null() & ~text.is_in([SUPPRESSED, "", *tokens])).fill_null(value=False)


def of_buckets(
    tables: Mapping[str, Any], link: Mapping[str, str], unknown: Mapping[str, Collection[str]]
) -> Iterator[GroupValues]:
    """The same of the buckets of linked tables, in which everybody has one of the values, or some.

    Arguments:
        tables: the frames that the link names.
        link: how they belong together, as a certificate has it.
        unknown: the attributes to look at, and the texts that stand for none of their values.
    """
    by = link["by"]
    people, listed = (to_polars(tables[link[key]]) for key in ("quasi", "sensitive"))
    of = people.group_by(by).agg(pl.len().alias(OF)).with_row_index(GROUP)
    for name, tokens in unknown.items():
        own = listed if name in listed.columns else listed.filter(pl.col("attribute") == name)
        cells = pl.col(name if name in listed.columns else "value").cast(pl.String).alias(name)
        have = own.join(of, on=by).group_by(GROUP, OF, cells).agg(pl.len().alias(HAVE))
        cells_held = have[name].drop_nulls().unique().to_list()
        sets = [(cell, list(members_of(cell) or (cell,))) for cell in cells_held]
        columns = [pl.Series(name, [cell for cell, _ in sets], pl.String)]
        columns += [pl.Series(_MEMBER, [own for _, own in sets], pl.List(pl.String))]
        have = have.join(pl.DataFrame(columns), on=name).explode(_MEMBER)
        counted = have.group_by(GROUP, OF, pl.col(_MEMBER).alias(name)).agg(pl.col(HAVE).sum())
        yield _counted(name, counted, of, tokens)


def _counted(
    name: str, rows: pl.DataFrame, of: pl.DataFrame, tokens: Collection[str]
) -> GroupValues:
    held = rows.filter(_held(rows.schema[name], name, tokens))
    return GroupValues(name, held, max(int(of[OF].sum()), 1))


def told_of_known_values(found: Iterable[GroupValues], group: str, unit: str) -> list[WarningText]:
    """What follows for who knows the values of one other of a group, or of two.

    Arguments:
        found: the values of attributes that promises are about.
        group: what the groups are called: classes, or buckets.
        unit: what is counted: records, or people.
    """
    shares = {one.name: (one.certain(1), one.certain(2)) for one in found}
    first = sorted((name for name in shares if shares[name][1]), key=lambda one: shares[one][::-1])
    listed = ", ".join(
        f"'{name}' ({share(shares[name][0])} of {unit}, two others' {share(shares[name][1])})"
        for name in first[:-4:-1]
    )
    more = f" and {len(first) - 3} more" * (len(first) > 3)
    return [
        Kind.RISK(
            f"{WITH_OTHERS}another person's value in a {group} may tell a person's own "
            f"{listed}{more} for certain: promises bound only what a {group} tells by itself",
            max((two for _, two in shares.values()), default=0.0),
        )
    ] * bool(first)


def told_where_made_up(names: Sequence[str], group: str) -> list[WarningText]:
    """The same where the release shows it of nobody, who may be made up."""
    listed = in_quotes(names)
    return [
        Kind.LIMIT(
            f"{WITH_OTHERS}other people's values in a {group} may tell a person's own {listed} "
            f"for certain: promises bound only what a {group} tells by itself"
        )
    ] * bool(names)


def told_where_alike(found: Iterable[GroupValues], unit: str) -> list[WarningText]:
    """What readers are told of promises under which a class may have one value, where one has.

    A promise on some of the quasi-identifiers; one that compares with a table in which most have
    the value; one that asks for nothing. Buckets of one value are made by no method.
    """
    return told_of_no_bound(
        {one.name: part for one in found if (part := one.certain(0))},
        unit,
        "max-posterior below 1 on all quasi-identifiers would: all of such a class have the same "
        "value, so an attacker who knows that a person is in it knows the value",
    )


def told_of_no_bound(told: Mapping[str, float], unit: str, would: str) -> list[WarningText]:
    """What readers are told of attributes of which classes tell something for certain.

    Arguments:
        told: of each the share of those whose class does.
        unit: what is counted: records, or people.
        would: which promise would bound it, and what is told.
    """
    listed = ", ".join(f"'{name}' ({share(part)} of {unit})" for name, part in told.items())
    text = f"{NOT_BOUNDED}class tells of {listed} enough, as {would}"
    return [Kind.RISK(text, max(told.values(), default=0.0))] * bool(told)


def told_where_harmed(
    found: Iterable[GroupValues], promises: Iterable[object], unit: str
) -> list[WarningText]:
    """What readers are told of promises about some values, where a class has nothing but these.

    Each value has a small share, and everybody in the class has one of them.

    Arguments:
        found: the values of classes, of attributes that promises are about.
        promises: all promises.
        unit: what is counted: records, or people.
    """
    named = [one for one in promises if isinstance(one, AboutValues)]
    alike = {}
    for one in found:
        parts = [part for part in named if part.sensitive == one.name]
        named_values = [part for part in parts if part.values or part.not_values]
        if named_values and (share_of := _harmed(one, named_values)):
            alike[one.name] = share_of
    listed = ", ".join(f"'{name}' ({share(part)} of {unit})" for name, part in alike.items())
    return [
        Kind.RISK(
            f"{NOT_BOUNDED}class tells of all values of {listed} together that promises name: "
            f"{HARMED:.0%} or more of such a class have one of them, and each value has a share of "
            "its own; give values that harm alike one name (aggregate), and promise max-posterior "
            "of that",
            max(alike.values(), default=0.0),
        )
    ] * bool(alike)


def _harmed(found: GroupValues, promises: Sequence[AboutValues]) -> float:
    """The share who are in a class in which nearly everybody has a value that harms."""
    value = pl.col(found.name).cast(pl.String, strict=False).fill_null("")
    harms, leaves = pl.lit(value=False), pl.lit(value=False)
    for part in promises:
        without = [*part.not_values, *part.not_applicable]
        harms |= value.is_in(list(part.values)) if part.values else ~value.is_in(without)
        leaves |= value.is_in(list(part.not_applicable))
    have = pl.col(HAVE)
    groups = found.rows.group_by(GROUP).agg(
        (pl.col(OF).first() - have.filter(leaves).sum()).alias(OF),
        have.filter(harms).sum().alias(HAVE),
        have.filter(~harms & ~leaves).sum().alias("others"),
        harms.sum().alias("values"),
    )
    nearly = groups.filter(
        pl.col(HAVE) >= HARMED * pl.col(OF),
        pl.col("others") <= (1 - HARMED) * pl.col(OF),
        pl.col("values") > 1,
    )
    usual = groups.select(pl.col(HAVE).sum() >= HARMED * pl.col(OF).sum()).item()
    return 0.0 if usual else float(nearly[OF].sum()) / found.total


def alone_with_two(found: Sequence[GroupValues], numbered: NumberedRows) -> tuple[float, str, str]:
    """The largest share of records that are alone in their class with values of two attributes.

    Of the attributes that single out most by themselves those are looked at that are not nearly
    unique, two by two; of a large table some classes.

    Arguments:
        found: how many of each class have which value.
        numbered: the rows and their classes.

    Returns:
        The share, and the two attributes; 0 where no two single out more than each does.
    """
    first = sorted(found, key=lambda one: -one.alone)[:MOST_TOGETHER]
    if len(first) < 2:
        return NO_TWO
    names, group = [one.name for one in first], numbered.class_of
    pairs = list(combinations(names, 2))
    seen: Ints | slice = slice(None)
    parts = -(-len(group) * len(pairs) // MOST_STEPS)
    if parts > 1:
        seen = np.flatnonzero(group % parts == group[:1] % parts)
    ranks_of = {name: rank[seen] for name, rank in numbered.ranks(names).items()}
    widths = {name: int(rank.max(initial=0)) + 1 for name, rank in ranks_of.items()}
    own, worst = group[seen], NO_TWO
    for one, other in pairs:
        keys = own * widths[one] + ranks_of[one]
        if int(keys.max(initial=0)) > LARGEST_KEY // widths[other]:
            keys = np.unique(keys, return_inverse=True)[1]
        have = _counted_keys(keys * widths[other] + ranks_of[other])[1]
        worst = max(worst, (np.count_nonzero(have == 1) / max(len(own), 1), one, other))
    return worst if worst[0] > max(one.alone for one in first) else NO_TWO


def told_beside(
    beside: Mapping[str, Mapping[str, tuple[float, float]]],
    counted: Sequence[GroupValues],
    looked_at: str,
    few: float,
) -> list[WarningText]:
    """What one value tells of another one, beyond what the class does, or who is alone with it.

    Arguments:
        beside: the shares of records, by what is told and what is known.
        counted: how many of each class have which value.
        looked_at: says that not all classes were.
        few: of fewer records nothing is told.
    """
    by_name = {one.name: one for one in counted}
    worst: dict[str, tuple[float, float, str]] = {}  # what most have is told last
    for name, shares in beside.items():
        for known, (part, other) in shares.items():
            there = {name, known} <= {*by_name}
            told = max(by_name[name].certain(0), by_name[known].alone) if there else 0.0
            if part - told >= few:
                worst[name] = max(worst.get(name, (0.0, 0.0, "")), (part * other, part, known))
    first = sorted(worst, key=lambda name: worst[name][:2], reverse=True)
    listed = ", ".join(
        f"'{known}' tells '{name}' ({share(part)} of records{looked_at}{_mostly(rare / part)})"
        for name in first[:3]
        for rare, part, known in [worst[name]]
    )
    more = f" and {len(first) - 3} more" * (len(first) > 3)
    return [
        Kind.RISK(
            f"beside quasi-identifiers, one value may tell another for certain: {listed}{more}: a "
            "promise about one attribute does not bound what another attribute tells about it",
            max((rare for rare, _, _ in worst.values()), default=0.0),
        )
    ] * bool(first)


def _mostly(other: float) -> str:
    """That most of whom a value is certain have the value that most of the table have anyway."""
    return f", {share(1 - other)} of them the most frequent value" * (other <= MOSTLY_OTHERS)
