"""Columns that number people who have several records each, recognised from the data.

A number that repeats, and in whose records the sex, the birth, the ethnicity hardly ever differ,
numbers people, under any name. How often they would differ by chance is known from how frequent
their values are: a number in whose records they differ a tenth as often, or less, is taken for one
of people. Where no column is known to be about a person, two columns do that are the same in all
records of a number and do not follow from each other, and so does a column that counts the records
of every number from 1 on; both could be true of a visit, a batch or an order, so that a person is
asked unless the name speaks of people. Words number nobody, and a number beside which another one
is different in every record may be that of a pair or a group.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from indistinct.analytics.profile.safe_harbor import Tag
from indistinct.frozen import dataclass
from indistinct.sources.table import Table, count_column

STEADY = frozenset(
    ("birth", "death", "sex", "ethnicity", "nationality", "language", "religion")
)  # fmt: skip
"""What a column may be about that is the same in all records of a person."""

CHANGING = frozenset(("age", "family", "education", "occupation"))
"""What seldom changes from one record of a person to the next: asked where nothing is steady."""

FEWEST_DIFFERENCES = 3.0
"""With fewer differences expected by chance, nothing follows from there being none."""

MOST_DIFFERENCES = 0.1
"""Differences there may be for each that is expected by chance: people are mistyped."""

FEWEST_NUMBERS = 20
"""With fewer numbers, each of them has to be that of five records or fewer on average."""

MOST_OF_ONE = 0.2
"""The share of records that one number of many may have: who has more is nobody, but a default."""

MOST_LOOKED_AT = 40
"""Columns with the most values that may be numbers, and columns looked at beside each of them."""


@dataclass(frozen=True)
class Column:
    """What is known of a column before others are looked at beside it.

    Arguments:
        name: its name.
        about: what its name says it is about.
        kind: of what kind its values are.
        distinct: how many different values it has.
        filled: how many records have one.
        tokens: what stands for a missing one.
        coded: whether most of its values have a digit: words number nobody.
        signed: whether some numbers are below 0, as none of somebody is.
        records: how many records there are.
        role: the role that is suggested for it.
        tags: the kinds of identifiers that it may be.
        left_out: whether it is an identifier only until somebody decides.
    """

    name: str
    about: str | None
    kind: str
    distinct: int
    filled: int
    tokens: tuple[str, ...] = ()
    coded: bool = True
    signed: bool = False
    records: int = 0
    role: str = "insensitive"
    tags: tuple[Tag, ...] = ()
    left_out: bool = False

    @property
    def could_number(self) -> bool:
        """Whether its values could be numbers of people with several records."""
        several = self.distinct >= FEWEST_NUMBERS or 5 * self.distinct >= self.filled
        codes = self.kind == "integer" or (self.kind == "text" and self.coded)
        return codes and not self.signed and 1 < self.distinct < self.filled and several


@dataclass(frozen=True)
class Numbering:
    """What shows that a column numbers people.

    Arguments:
        shown: the columns that are the same in all records of a number, or count them.
        steady: whether these are about people themselves, as sex and birth are.
        named: whether its own name says that it is a number of somebody.
    """

    shown: tuple[str, ...] = ()
    steady: bool = False
    named: bool = False


def person_keys(
    table: Table, columns: Sequence[Column], candidates: Sequence[str]
) -> dict[str, Numbering]:
    """The columns that number people, each with what shows it.

    Arguments:
        table: the table.
        columns: its columns.
        candidates: the names of those that may be such numbers.
    """
    known = [item for item in columns if item.distinct > 1]
    lasting = [item for item in known if item.about in STEADY]
    personal = lasting or [item for item in known if item.about in CHANGING]
    others = [item for item in known if item.about is None]
    numbers = [item for item in columns if item.name in candidates and item.could_number]
    numbers.sort(key=lambda item: -item.distinct)
    found = {}
    for item in numbers[:MOST_LOOKED_AT]:
        if item.distinct >= FEWEST_NUMBERS and _largest_share(table, item) > MOST_OF_ONE:
            continue
        if not table.held:
            # Their engine is asked about all of them at once.
            table.within(item.name, *_others_and_tokens(item, personal[:MOST_LOOKED_AT]))
        steady = tuple(
            one.name
            for one in personal[:MOST_LOOKED_AT]
            if one is not item and _constant(table, item, one)
        )
        shown = steady
        if not personal:
            shown = _independent(table, item, others)
        if not shown and 2 * item.distinct <= item.filled:
            # Where everybody has every occasion, the people count the records of each.
            counters = [one for one in known if one.role != "identifier"]
            shown = counting(table, item, counters)[:1]
        if shown and not several_people(table, columns, item.name):
            found[item.name] = Numbering(shown, bool(steady and lasting))
    return found


ONE_BY_ONE = 0.9
"""The share of numbers of which a column counts the records, for it to be said to count them."""


def counting(table: Table, number: Column, others: Sequence[Column]) -> tuple[str, ...]:
    """The columns that count the records of nearly every number from 0 or 1 on.

    Arguments:
        table: the table.
        number: the column of the number.
        others: the columns that may count.
    """
    found = []
    whole = [
        item
        for item in others
        if item is not number and item.kind == "integer" and 2 * item.distinct <= number.filled
    ][:MOST_LOOKED_AT]
    inside = {} if table.held else table.within(number.name, *_others_and_tokens(number, whole))
    for item in whole:
        if item.name in inside and not _runs(inside[item.name]):
            continue
        pairs = table.distinct([number.name, item.name])
        if pairs.height < ONE_BY_ONE * min(number.filled, item.filled):
            continue
        # A 0 and a 1 say no and yes.
        least = 1 if item.distinct == 2 else 0
        whole_run = (pl.col("at") - pl.col("first") + 1 == pl.col("records")) & (
            pl.col("first").is_between(least, 1)
        )
        runs = (
            pairs.lazy()
            .select(
                pl.col(number.name).alias("number"),
                pl.col(item.name).str.strip_chars().cast(pl.Float64, strict=False).alias("at"),
                pl.col(count_column([number.name, item.name])).alias("count"),
            )
            .drop_nulls()
            .group_by("number")
            .agg(
                pl.col("count").sum().alias("records"),
                pl.col("at").min().alias("first"),
                pl.col("at").max(),
            )
        )
        # Of one record alone every 0 and every 1 is a run.
        several = runs.filter(pl.col("records") > 1).select(whole_run.mean())
        shares = pl.collect_all([runs.select(whole_run.mean()), several])
        if min(share.item() or 0 for share in shares) >= ONE_BY_ONE:
            found.append(item.name)
    return tuple(found)


def _others_and_tokens(
    number: Column, others: Sequence[Column]
) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The names of other columns, and what stands for a missing value in each and in the number."""
    tokens = {item.name: item.tokens for item in (number, *others) if item.tokens}
    return [item.name for item in others if item is not number], tokens


def _runs(inside: pl.DataFrame) -> bool:
    """Whether a column may count the records of nearly every number: of most they are a run."""
    told = inside.drop_nulls("runs")
    runs, every = (int(part["count"].sum()) for part in (told.filter("runs"), told))
    return runs >= ONE_BY_ONE * every


CROSSED = 0.8
"""The share of people that have a value equally often, from which on a design gave it to them."""


def crossed(table: Table, number: str, other: str, people: int) -> bool:
    """Whether nearly everybody has each value of a column, and as often as nearly everybody else.

    Arguments:
        table: the table.
        number: the column of people's numbers.
        other: the column.
        people: how many people there are.
    """
    if people < FEWEST_NUMBERS:
        return False
    pairs = table.distinct([number, other])
    often = pairs.select(other, count_column([number, other])).rename(
        {other: "value", count_column([number, other]): "count"}
    )
    alike = often.group_by("value", "count").len().group_by("value").agg(pl.col("len").max())
    return alike.height > 1 and bool((alike["len"] >= CROSSED * people).all())


def several_people(table: Table, columns: Sequence[Column], name: str) -> bool:
    """Whether a number is one of several people: their sex or birth differs within it.

    Arguments:
        table: the table.
        columns: its columns.
        name: the column of the number.
    """
    number = next(item for item in columns if item.name == name)
    steady = [item for item in columns if item.about in ("sex", "birth") and item.distinct > 1]
    found = (_differences(table, number, item) for item in steady if item is not number)
    return any(
        expected > 0 and differing > MOST_DIFFERENCES * expected for differing, expected in found
    )


def _independent(table: Table, number: Column, others: Sequence[Column]) -> tuple[str, ...]:
    """Two columns that hardly differ in the records of a number, and are no names of each other."""
    shown: list[str] = []
    few = [item for item in others if item is not number and 2 * item.distinct <= number.distinct]
    for item in few[:MOST_LOOKED_AT]:
        if not _constant(table, number, item):
            continue
        if any(not _follows(table, one, item.name) for one in shown):
            return (shown[0], item.name)
        shown = shown or [item.name]
    return ()


def _follows(table: Table, one: str, other: str) -> bool:
    """Whether one of two columns says what the other is."""
    pairs = table.distinct([one, other]).height
    return pairs in (table.distinct([one]).height, table.distinct([other]).height)


def _largest_share(table: Table, number: Column) -> float:
    """The share of the records with a number that have the most frequent one."""
    counted = table.distinct([number.name])
    gone = [None, *number.tokens]
    counts = counted.filter(~pl.col(number.name).is_in(gone, nulls_equal=True))
    return float(counts[count_column([number.name])].max() or 0) / number.filled  # type: ignore[arg-type]


def _constant(table: Table, number: Column, other: Column) -> bool:
    """Whether a column differs far less often within the records of a number than by chance."""
    differing, expected = _differences(table, number, other)
    return expected >= FEWEST_DIFFERENCES and differing <= MOST_DIFFERENCES * expected


def _differences(table: Table, number: Column, other: Column) -> tuple[int, float]:
    """Numbers within which a column differs, and how many there would be by chance.

    A missing value differs from no other.
    """
    inside = table.within(number.name, *_others_and_tokens(number, [other]))[other.name]
    inside = inside.filter(pl.col("records") > 1)
    expected = _by_chance(_shares(table, other), inside["records"], inside["count"])
    differing = int(inside.filter("several")["count"].sum())
    if differing <= MOST_DIFFERENCES * expected and number.filled < number.records:
        # All who have a day of death are dead, and by no chance.
        among = _shares(table, other, number)
        expected = _by_chance(among, inside["records"], inside["count"])
    return differing, expected


def _shares(table: Table, other: Column, number: Column | None = None) -> pl.Series:
    """How often each value of a column occurs, of a number among the records that have it."""
    columns = [*([number] if number else []), other]
    names = [item.name for item in columns]
    there = [~pl.col(one.name).is_in([None, *one.tokens], nulls_equal=True) for one in columns]
    counted = table.distinct(names).filter(*there)
    return counted.group_by(other.name).agg(pl.col(count_column(names)).sum().alias("n"))["n"]


def differences(table: Table, number: str, other: str) -> tuple[int, float]:
    """Values of a column within which another one differs, and how many there would be by chance.

    A missing value differs from all others.

    Arguments:
        table: the table.
        number: the one column.
        other: the other column.
    """
    columns = [number, other]
    texts, values, counts = table.distinct(columns).get_columns()
    counted = pl.DataFrame([texts.alias("number"), values.alias("value"), counts.alias("count")])
    shares, groups = pl.collect_all(
        [
            counted.lazy().group_by("value").agg(pl.col("count").sum()),
            counted.lazy()
            .group_by("number")
            .agg(pl.len().alias("values"), pl.col("count").sum().alias("records"))
            .filter(pl.col("records") > 1),
        ]
    )
    sizes = groups["records"].value_counts(name="times")
    expected = _by_chance(shares["count"], sizes["records"], sizes["times"])
    return int((groups["values"] > 1).sum()), expected


def _by_chance(share: pl.Series, sizes: pl.Series, times: pl.Series) -> float:
    """Of so many groups of each size, in how many values of these frequencies would differ."""
    parts = share.to_numpy() / max(share.sum(), 1)
    pairs = zip(sizes.to_list(), times.to_list(), strict=True)
    return sum((count * (1.0 - float((parts**size).sum())) for size, count in pairs), 0.0)
