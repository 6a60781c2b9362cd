"""Several releases of one series, held together against what was promised over releases.

Nothing but the published files is read. Whether somebody of one release is somebody of another is
not in them, so everybody is taken to be anybody they may be: two classes, or buckets, may share a
person unless a quasi-identifier that people keep tells them apart. What holds of all that may be so
holds of what is so. Where every release has a column that names people by the same names, that
column decides.

* m-invariance and tau-safety: classes that may share a person list the same values, in releases
  that follow each other or in any two (Xiao and Tao 2007; Anjum and others 2017).
* The belief of a reader of all releases: classes are connected that may share a person. Connected
  classes that all list the same values, each equally often, leave each value as likely as any
  other; of a class that is connected with none the release alone tells. Else nothing is proved.
* Rows that agree in what two releases show beside (a weight, a pseudonym) are one person's. Unless
  classes have the same people in both, which a column to follow shows, no belief is proved then.
* All of it compares labels. A label that stands for other values in one release than in another
  tells more than lists do, so nothing is proved where certificates say different things of labels,
  or that categories are listed: of which values, the published files do not say.
* (k,l)-cover: how many people stay together is seen where a column says who is who, and not proved
  without one; the values that stay possible are proved as beliefs are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.document import Document, Grid, Line, Part, PlainData, in_quotes, many
from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.metadata import CATEGORIES, ValueMetadata
from indistinct.release.audit import Audit
from indistinct.release.audit.linking import link_between, listed_values, require_columns
from indistinct.release.audit.reading import Published
from indistinct.release.audit.verdict import words
from indistinct.requirement import Requirement
from indistinct.types import Ints

SIGNATURES = {"m-invariance": True, "tau-safety": False}
"""Promises of signatures, and whether they speak of releases that follow each other alone."""

MOST = 4_000_000
"""Pairs of what quasi-identifiers say that are compared, at most."""

COVER = "kl-cover"
"""The promise of people who stay together, and of values that stay possible."""

TOLERANCE = 1e-9
_CLASS, _GROUP, _VALUE = "\0class", "\0group", "\0value"


@dataclass(frozen=True)
class OneOf:
    """One release of a series, as it was audited by itself.

    Arguments:
        published: its tables.
        quasi: its quasi-identifiers.
        link: how linked tables belong together; None of one table.
        people_have_many: whether a person has many records, or many rows of a bucket.
        transformed: what its certificate says was done to which attributes.
        known: what it says of the values of sensitive attributes.
    """

    published: Published
    quasi: tuple[str, ...]
    link: Mapping[str, str] | None = None
    people_have_many: bool = False
    transformed: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)


@dataclass(frozen=True)
class SeriesVerdict(PlainData):
    """Whether all releases together keep a promise.

    Arguments:
        requirement: The promise.
        holds: Whether it is proved to hold (True) or to be broken (False); None where the published
            files do not decide.
        achieved: What is proved, by parameter; None for what is not.
        classes: How many classes or buckets of all releases the verdict hangs on.
        why: The reason, in a sentence; empty where it holds and nothing is to be said of it.
    """

    told_keys: ClassVar = "*requirement over holds achieved classes why"
    over: ClassVar[str] = "releases"

    requirement: Requirement
    holds: bool | None
    achieved: Mapping[str, float | int | None]
    classes: int = 0
    why: str = ""


@dataclass(frozen=True)
class SeriesAudit(PlainData, Document):
    """What a reader of all releases of a series can verify.

    Arguments:
        releases: The audit of each release by itself, in the order of publication.
        promises: The verdicts on the promises over releases.
        notes: What the verdicts rest on.
    """

    told_keys: ClassVar = "holds releases promises not_looked_at=_alone notes"

    releases: tuple[Audit, ...]
    promises: tuple[SeriesVerdict, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every release holds by itself, and every promise over releases is proved.

        What all releases tell together about the promises in ``alone`` was not looked at.
        """
        alone = all(one.holds for one in self.releases)
        return alone and all(verdict.holds is True for verdict in self.promises)

    @property
    def alone(self) -> tuple[Requirement, ...]:
        """The promises about one release, which were not checked on all releases together."""
        every = (item.requirement for one in self.releases for item in one.promises)
        return tuple(dict.fromkeys(part for part in every if not is_over_releases(part)))

    @property
    def _alone(self) -> list[str]:
        return [str(part) for part in self.alone]

    def __repr__(self) -> str:
        told = [f"{one.requirement} {in_words(one)}" for one in self.promises]
        if self.alone:
            told.append(f"not looked at together: {', '.join(map(str, self.alone))}")
        word = "holds" if self.holds else "not proved"
        word = word if self.promises else f"each release by itself {word}"
        return f"<SeriesAudit: {word}, {len(self.releases)} releases: {'; '.join(told)}>"

    def parts(self) -> Iterator[Part]:
        """The verdicts on all releases together."""
        rows = [(str(one.requirement), in_words(one), words(one.achieved)) for one in self.promises]
        if rows:
            yield Grid(("over all releases", "verdict", "proved"), rows)
        for text in [*(one.why for one in self.promises if one.why), *self.notes]:
            yield Line(text)


def in_words(verdict: SeriesVerdict) -> str:
    """Whether a promise holds, in words."""
    return {True: "holds", False: "BROKEN", None: "not proved"}[verdict.holds]


def is_over_releases(part: Requirement) -> bool:
    """Whether a promise speaks of several releases."""
    about_all = part.model in (*SIGNATURES, COVER)
    return about_all or part.parameters.get("over") == "releases"


def verdict_over(
    part: Requirement, series: Sequence[OneOf], constant: Sequence[str], follow: str | None
) -> SeriesVerdict:
    """Whether a series keeps a promise over releases.

    Arguments:
        part: the promise.
        series: the releases, in the order of publication.
        constant: quasi-identifiers that people keep.
        follow: the column that names people by the same names in every release.

    Raises:
        DataError: a release lacks a column or a table, or rows name nobody who could be followed.
    """
    assert part.sensitive is not None
    keys = (follow,) if follow is not None else tuple(constant)
    shown = [_shown(one, part.sensitive, keys) for one in series]
    beside = [_beside(one, part.sensitive) for one in series]
    for at, one in enumerate(shown, start=1):
        if follow is not None and one is not None and one[0][follow].null_count():
            raise DataError(
                "people-not-told",
                f"rows of release {at} name nobody, so that they may be anybody's",
                attribute=follow,
                remedy="follow a column that names everybody, or name what people keep",
            )
    if any(one is None for one in shown):
        return _undecided(part, 0, "people do not have one value each")
    laid = _Laid.of([one for one in shown if one is not None], keys, exact=follow is not None)
    if laid is None:
        return _undecided(part, 0, f"more than {MOST:,} pairs of labels would have to be compared")
    members = [one[0] for one in shown if one is not None]
    joined = _joined(members, beside, follow) or _known(series, beside)
    unlike = _unlike(series, part.sensitive)
    if part.model in SIGNATURES:
        found = _of_signatures(part, laid, followed=follow is not None)
        if unlike and found.holds:
            return _undecided(part, laid.classes.height, unlike)
        said = f"{joined}: values may be told by more than classes list" if joined else ""
        return replace(found, why=f"{part}: {said}") if found.holds and said else found
    if part.model == COVER:
        found = _of_cover(part, laid, followed=follow is not None)
    else:
        found = _of_beliefs(part, laid)
    if not (joined or unlike) or found.holds is False:
        return found
    proved = {**found.achieved, "l" if part.model == COVER else "bound": None}
    why = found.why or f"{part}: {joined or unlike}"
    return replace(found, holds=None, achieved=proved, why=why)


def _unlike(series: Sequence[OneOf], sensitive: str) -> str:
    """Why a label may stand for other values in one release than in another; empty where not."""
    words = [one.transformed.get(sensitive, "") for one in series]
    if any(CATEGORIES in said for said in words):
        return "categories are listed, and the published files do not say of which values"
    if len({*words}) > 1:
        return "values were not changed in the same way in all releases, as certificates say"
    known = [one.known.get(sensitive, ValueMetadata()) for one in series]
    for one, other in combinations(known, 2):
        above = [{chain[0]: chain for chain in part.chains} for part in (one, other)]
        for mine, its in ((one.categories, other.categories), above):
            if any(mine[label] != its[label] for label in mine.keys() & its.keys()):
                return "certificates say different things of the same value"
    return ""


def _beside(one: OneOf, sensitive: str) -> set[str]:
    """The columns that stand in a row with a sensitive value, beside the quasi-identifiers."""
    if one.link or link_between(one.published):
        return set()
    (table, *_) = one.published.tables
    return {*table.columns} - {*one.quasi, sensitive}


def _joined(members: Sequence[pl.DataFrame], beside: Sequence[set[str]], follow: str | None) -> str:
    """What rows of two releases have in common that divides classes; empty where nothing does.

    Arguments:
        members: who is in which class of each release.
        beside: the columns of each in which rows may agree.
        follow: the column that names people by the same names.
    """
    columns: set[str] = set()
    for (at, one), (later, other) in combinations(enumerate(members), 2):
        both = beside[at] & beside[later]
        if both and (
            follow is None or _divided(one, other, follow) or _divided(other, one, follow)
        ):
            columns |= both
    if not columns:
        return ""
    first, more = sorted(columns)[:3], len(columns) - 3
    listed = in_quotes(first) + (f" and {more} more" if more > 0 else "")
    divide = "may divide" if follow is None else "divides"
    return f"rows of two releases can be joined by {listed}, which {divide} classes"


def _known(series: Sequence[OneOf], beside: Sequence[set[str]]) -> str:
    """Which columns of rows are quasi-identifiers of another release; empty where none is."""
    columns = {
        name
        for own, one in zip(beside, series, strict=True)
        for other in series
        if other is not one
        for name in own & {*other.quasi}
    }
    if not columns:
        return ""
    listed = in_quotes(sorted(columns))
    return f"whoever knows {listed}, as another release takes for known, finds rows"


def _divided(one: pl.DataFrame, other: pl.DataFrame, follow: str) -> bool:
    """Whether people of one class of a release are in several of another one, or in none."""
    both = one.join(other, on=follow, how="left", suffix=" beside")
    apart = both.group_by(_CLASS).agg(pl.col(f"{_CLASS} beside").n_unique().alias("n"))
    return bool((apart["n"] > 1).any())


def _undecided(part: Requirement, classes: int, why: str) -> SeriesVerdict:
    names = (
        ("k", "l") if part.model == COVER else ("m",) if part.model in SIGNATURES else ("bound",)
    )
    return SeriesVerdict(part, None, dict.fromkeys(names), classes, f"{part}: {why}")


def _shown(
    one: OneOf, sensitive: str, keys: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Who may be in which class of a release, and what each class lists.

    The keys with the class of each row; class and value of each record. None where people do not
    have one value each.
    """
    link = one.link or link_between(one.published)
    tables = {table.name: table for table in one.published.tables}
    if link is None:
        table = next(iter(tables.values()))
        by, names = [*one.quasi], [*dict.fromkeys([*keys, *one.quasi])]
        require_columns(table, [*names, sensitive])
        members = table.texts(names)
        listed = members.select(by).with_columns(
            table.texts([sensitive], [sensitive])[sensitive].alias(_VALUE)
        )
    else:
        by = [link["by"]]
        require_columns(tables[link["quasi"]], [*keys, *by])
        members = tables[link["quasi"]].texts([*keys, *by])
        listed = listed_values(tables[link["sensitive"]], sensitive, *by)
        listed = listed.rename({sensitive: _VALUE})
    of_sets = listed[_VALUE].str.starts_with("{").any()
    sizes, lengths = (part.group_by(by).len("n").sort(by) for part in (members, listed))
    if of_sets or one.people_have_many or not sizes.equals(lengths):
        return None
    numbered = sizes.select(by).with_row_index(_CLASS).cast({_CLASS: pl.Int64})
    members, listed = (
        part.join(numbered, on=by, how="left", nulls_equal=True) for part in (members, listed)
    )
    return members.select(*keys, _CLASS), listed.select(_CLASS, _VALUE)


@dataclass(frozen=True)
class _Laid:
    """All classes of a series, and which of them may share a person.

    ``classes``: ``values`` listed, the largest ``share``, whether they are ``even``, and the number
    of the ``signature``, by the number of the class. Groups are people who cannot be told apart:
    ``group_of`` has the groups of every class, ``links`` the pairs of groups of different releases
    that may share somebody, with how many releases they are apart.
    """

    classes: pl.DataFrame
    group_of: pl.DataFrame
    links: pl.DataFrame

    @classmethod
    def of(
        cls, shown: Sequence[tuple[pl.DataFrame, pl.DataFrame]], keys: Sequence[str], *, exact: bool
    ) -> _Laid | None:
        """The classes of all releases; None where too much would have to be compared.

        Arguments:
            shown: of each release, who may be in which class, and the value of each record.
            keys: columns that people keep from release to release; without any, nobody is told
                apart.
            exact: whether they name people, so that only equal texts are of the same person.
        """
        listed, incident, groups = [], [], []
        classes_before = groups_before = 0
        for members, values in shown:
            listed.append(values.with_columns(pl.col(_CLASS) + classes_before))
            # Without keys nobody can be told apart: all are one group, if there is anybody.
            nobody_told = pl.DataFrame([{}] * (not members.is_empty()))
            own = members.select(keys).unique(maintain_order=True) if keys else nobody_told
            own = own.with_columns(pl.int_range(own.height).alias(_GROUP) + groups_before)
            held = members.with_columns(pl.col(_CLASS) + classes_before).unique()
            held = (
                held.join(own, on=list(keys), how="left", nulls_equal=True)
                if keys
                else held.with_columns(pl.lit(groups_before).alias(_GROUP))
            )
            incident.append(held.select(_CLASS, _GROUP).unique())
            groups.append(own)
            classes_before += 1 + int(values[_CLASS].to_numpy().max(initial=0))
            groups_before += own.height
        links = []
        for (at, one), (later, other) in combinations(enumerate(groups), 2):
            found = _meeting(one, other, keys, exact=exact)
            if found is None:
                return None
            links.append(found.with_columns(pl.lit(later - at).alias("apart")))
        counted = pl.concat(listed).group_by(_CLASS, _VALUE).len("n")
        classes = (
            counted.sort(_CLASS, _VALUE)
            .group_by(_CLASS, maintain_order=True)
            .agg(
                values=pl.len().cast(pl.Int64),
                share=pl.col("n").max() / pl.col("n").sum(),
                even=pl.col("n").n_unique() == 1,
                signature=pl.col(_VALUE),
            )
        )
        signature = classes["signature"].rank("dense").cast(pl.Int64)
        classes = classes.with_columns(signature.alias("signature")).sort(_CLASS)
        return cls(classes, pl.concat(incident), pl.concat(links))


def _of_signatures(part: Requirement, laid: _Laid, *, followed: bool) -> SeriesVerdict:
    links = laid.links.filter(pl.col("apart") == 1) if SIGNATURES[part.model] else laid.links
    told = laid.group_of.join(laid.classes.select(_CLASS, "signature"), on=_CLASS)
    of_group = told.group_by(_GROUP).agg(
        least=pl.col("signature").min(), most=pl.col("signature").max()
    )
    pairs = links.join(of_group, left_on="a", right_on=_GROUP).join(
        of_group, left_on="b", right_on=_GROUP, suffix="_b"
    )
    torn = pairs.filter(
        pl.min_horizontal("least", "least_b") != pl.max_horizontal("most", "most_b")
    )
    if torn.is_empty():
        m = laid.classes["values"].min()
        assert isinstance(m, int | None)
        return SeriesVerdict(part, True, {"m": m})
    groups = pl.concat([torn["a"], torn["b"]]).unique()
    number = laid.group_of.filter(pl.col(_GROUP).is_in(groups.implode()))[_CLASS].n_unique()
    what = many(number, "class or bucket", "classes or buckets")
    if followed:
        why = f"{what} share a person with one of another release that lists other values"
        return SeriesVerdict(part, False, {"m": None}, number, f"{part}: {why}")
    return _undecided(
        part,
        number,
        f"{what} may share a person with one of another release that lists other values, as far "
        "as the quasi-identifiers tell that people keep",
    )


def _of_cover(part: Requirement, laid: _Laid, *, followed: bool) -> SeriesVerdict:
    """People who stay together and values that stay possible.

    Values count as they are published: of categories nothing is proved.
    """
    parts = _parts(laid)
    left = pl.when((pl.col("n") == 1) | pl.col("same")).then("values").otherwise(1)
    left = pl.when(pl.col("share") >= 1 - TOLERANCE).then(1).otherwise(left)
    parts = parts.with_columns(left.alias("left"))
    of_values = part.parameters.get("of", "values") == "values"
    values = parts.select(pl.col("left").min()).item() if of_values else None
    people = _together(laid) if followed else None
    achieved = {"k": people, "l": values}
    few = parts.filter(pl.col("left") < int(part.parameters["l"]))["n"].sum()
    if people is not None and people < int(part.parameters["k"]):
        why = f"{part}: somebody shares the classes of all releases with {people - 1} others alone"
        return SeriesVerdict(part, False, achieved, 0, why)
    if not of_values:
        why = "the published files do not say how categories stay possible"
    elif few:
        what = many(int(few), "class or bucket", "classes or buckets")
        why = f"{what} that may share people do not all list the same values equally often"
    elif not followed:
        why = "without a column to follow nothing says which people stay together"
    else:
        return SeriesVerdict(part, True, achieved)
    return SeriesVerdict(part, None, achieved, int(few), f"{part}: {why}")


def _together(laid: _Laid) -> int | None:
    """The fewest people who share all classes of one of them; None where there is nobody.

    Groups are people of one release.
    """
    first = laid.links.group_by("b").agg(person=pl.col("a").min())
    trails = (
        laid.group_of.join(first, left_on=_GROUP, right_on="b", how="left")
        .select(pl.col("person").fill_null(pl.col(_GROUP)), _CLASS)
        .unique()
    )
    number = trails.group_by("person").len("classes")
    least = None
    for size in number["classes"].unique().sort().to_list():
        # Who has these classes: all people who have each of them, and perhaps others.
        of_size = number.filter(pl.col("classes") == size).select("person")
        asked = trails.join(of_size, on="person").sort(_CLASS)
        wanted = asked.group_by("person").agg(_CLASS).unique(_CLASS)
        wanted = wanted.with_row_index("trail").explode(_CLASS)
        both = wanted.join(trails, on=_CLASS, suffix="_other").group_by("trail", "person_other")
        found = both.len("shared").filter(pl.col("shared") == size).group_by("trail").len("n")
        fewest = int(found["n"].to_numpy().min())
        least = fewest if least is None else min(least, fewest)
    return least


def _of_beliefs(part: Requirement, laid: _Laid) -> SeriesVerdict:
    parts = _parts(laid)
    bound = (
        pl.when(pl.col("n") == 1).then("share").when("same").then(1 / pl.col("values")).otherwise(1)
    )
    parts = parts.with_columns(bound.alias("bound"))
    most = float(parts.select(pl.col("bound").max()).item() or 0)
    asked = float(part.parameters.get("bound", 0.5))
    beyond = parts.filter(pl.col("bound") > asked + TOLERANCE)
    if beyond.is_empty():
        return SeriesVerdict(part, True, {"bound": most})
    number = int(beyond["n"].sum())
    what = many(number, "class or bucket", "classes or buckets")
    why = "that may share people do not all list the same values equally often"
    return _undecided(part, number, f"{what} {why}, so no bound is proved")


def _parts(laid: _Laid) -> pl.DataFrame:
    """Connected classes: how many, the largest share, and whether all list the same evenly."""
    classes = laid.classes.with_columns(pl.Series("part", _connected(laid)))
    return classes.group_by("part").agg(
        pl.len().alias("n"),
        pl.col("share").max(),
        (pl.col("even").all() & (pl.col("signature").n_unique() == 1)).alias("same"),
        pl.col("values").first(),
    )


def _connected(laid: _Laid) -> Ints:
    """The number of the part that each class is in; groups that are linked connect theirs."""
    linked = pl.concat([laid.links["a"], laid.links["b"]]).unique()
    inner = laid.group_of.filter(pl.col(_GROUP).is_in(linked.implode()))
    place = pl.DataFrame({_CLASS: laid.classes[_CLASS]}).with_row_index("at")
    first = inner.join(place, on=_CLASS)
    groups = 1 + int(laid.group_of[_GROUP].to_numpy().max(initial=0))
    ends = (
        np.concatenate([first[_GROUP].to_numpy(), laid.links["a"].to_numpy()]).astype(np.int64),
        np.concatenate([groups + first["at"].to_numpy(), laid.links["b"].to_numpy()]).astype(
            np.int64
        ),
    )
    part = np.arange(groups + place.height)
    while True:
        before = part.copy()
        for one, other in (ends, ends[::-1]):
            np.minimum.at(part, one, part[other])
        part = part[part]
        if np.array_equal(before, part):
            return part[groups:]


# What labels say of who is who ------------------------------------------------------------------


def _meeting(
    one: pl.DataFrame, other: pl.DataFrame, keys: Sequence[str], *, exact: bool
) -> pl.DataFrame | None:
    """The groups ``a`` and ``b`` of two releases that may share a person; None where too many."""
    keys = [name for name in keys if exact or not _of_other_levels(one[name], other[name])]
    labels = {name: pl.concat([one[name], other[name]]).unique().to_list() for name in keys}
    # None of these is missing: names are asked for, and what is missing may be anything.
    plain = [name for name in keys if exact or _are_plain(labels[name])]
    numbers = [name for name in plain if not exact and _kind(labels[name][0]) == "number"]
    one, other = (
        part.with_columns(pl.col(numbers).str.strip_chars().cast(pl.Float64))  # 24 and 24.0
        for part in (one.rename({_GROUP: "a"}), other.rename({_GROUP: "b"}))
    )
    rest = [name for name in keys if name not in plain]
    other = other.rename({name: f"{name}\0b" for name in rest})
    if plain:
        sizes = [part.group_by(plain).len("n") for part in (one, other)]
        both = sizes[0].join(sizes[1], on=plain)
        number = int((both["n"] * both["n_right"]).sum())
    else:
        number = one.height * other.height
    if number > MOST:
        return None
    pairs = one.join(other, on=plain) if plain else one.join(other, how="cross")
    for name in rest:
        told = pairs.select(name, f"{name}\0b").unique()
        meets = [may_meet(*row) for row in told.rows()]
        pairs = pairs.join(told.filter(meets), on=told.columns, how="semi", nulls_equal=True)
    return pairs.select("a", "b")


_END = r"\s*(-?\d+(?:\.\d+)?)\s*"
_RANGE = re.compile(rf"([\[(\]]?){_END}(?:,|–|\.\.|-|\bto\b){_END}([\])\[]?)")
_OPEN = re.compile(rf"(<=?|>=?|≤|≥){_END}")
_NUMBER = re.compile(_END)


def _of_other_levels(one: pl.Series, other: pl.Series) -> bool:
    """Whether two releases have words or codes for an attribute, and none of them in common.

    The ones may be states, the others regions: which are under which, the labels do not say. The
    words of a set count one by one; missing ones say nothing.
    """
    mine, its = (
        {word for label in part.drop_nulls().unique().to_list() for word in _members(label)}
        for part in (one, other)
    )
    kinds = {_kind(label) for label in mine | its}
    return mine.isdisjoint(its) and not kinds & {"", "number", "date", "day"}


def _are_plain(labels: Sequence[str | None]) -> bool:
    """Whether labels all look alike and say one value each."""
    kinds = {*map(_kind, labels)}
    return len(kinds) == 1 and kinds != {""}


def may_meet(one: str | None, other: str | None) -> bool:
    """Whether two labels of an attribute may speak of the same value.

    Ranges, masks and sets are read; other labels that differ are taken for different values. A
    missing cell may be anything.

    >>> may_meet("24", "[20, 30)"), may_meet("[20, 30)", "[30, 40)"), may_meet("123*", "1245")
    (True, False, False)
    >>> may_meet("{a, b}", "b"), may_meet("f", "m"), may_meet("*", "m"), may_meet(">=90", "95")
    (True, False, True, True)
    >>> may_meet("2024", "2024-05"), may_meet("2024-05", "2024-06"), may_meet("C34", "C34.1")
    (True, False, True)
    >>> may_meet("[2019-03, 2020-01]", "2019-04-30"), may_meet("[2019, 2020]", "2021-01")
    (True, False)
    """
    if one is None or other is None or one == other:
        return True
    sets = [_members(text) for text in (one, other)]
    if len(sets[0]) > 1 or len(sets[1]) > 1:
        return any(may_meet(a, b) for a in sets[0] for b in sets[1])
    days = [_days(text) for text in (one, other)]
    if days[0] is not None and days[1] is not None and not (one + other).isdecimal():
        return days[0][0] <= days[1][1] and days[1][0] <= days[0][1]
    ranges = [_range(text) for text in (one, other)]
    if ranges[0] is not None and ranges[1] is not None:
        (low, high, lower, upper), (low_, high_, lower_, upper_) = ranges[0], ranges[1]
        within = low < high_ or (low == high_ and lower and upper_)
        return within and (low_ < high or (low_ == high and lower_ and upper))
    kinds = {_kind(one), _kind(other)}
    if len(kinds) == 1 and kinds != {""}:
        return False
    if "*" in one or "*" in other:
        stems = [text.split("*")[0] for text in (one, other)]
        length = min(map(len, stems))
        return stems[0][:length] == stems[1][:length] or any(map(_RANGE.fullmatch, (one, other)))
    return True


def _kind(text: str | None) -> str:
    """What a label that says one value looks like; nothing for one that may say more.

    Of two labels that look alike neither contains the other: numbers, words, dates of one format,
    codes of one shape.
    """
    if text is None or re.search(r"[*\[\]{}()<>≤≥,;–]", text):
        return ""
    if _NUMBER.fullmatch(text):
        return "number"
    if _RANGE.fullmatch(text) or re.search(r"\d\s*(-|to)\s*\d", text):
        if re.fullmatch(r"\d{4}-\d\d", text):
            return "date"
        return "day" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else ""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", text)) if re.search(r"\d", text) else "word"


def _members(text: str) -> list[str]:
    if not (text.startswith("{") and text.endswith("}")):
        return [text]
    return [part.strip().strip('"') for part in text[1:-1].split(",")]


_PERIOD = r"(\d{4})(?:-(0[1-9]|1[0-2])(-\d\d)?|-Q([1-4]))?|(\d{3})0s"
_PERIODS = re.compile(rf"\[(?:{_PERIOD}), (?:{_PERIOD})\]|(?:{_PERIOD})", re.ASCII)


def _days(text: str) -> tuple[str, str] | None:
    """The first and the last day of a period or a range of them; None for what is neither.

    >>> _days("[2019-03, 2020-Q2]"), _days("2020s"), _days("[20, 24]")
    (('2019-03-01', '2020-06-31'), ('2020-01-01', '2029-12-31'), None)
    """
    found = _PERIODS.fullmatch(text)
    if found is None:
        return None
    parts = found.groups()
    low, high = (parts[10:], parts[10:]) if parts[10] or parts[14] else (parts[:5], parts[5:10])
    return _end(low, "0", "01", "-01"), _end(high, "9", "12", "-31")


def _end(parts: Sequence[str | None], year: str, month: str, day: str) -> str:
    """The day at one end of a period, of which what is not said is filled in."""
    if parts[3]:
        month = f"{3 * int(parts[3]) - (2 if year == '0' else 0):02}"
    return f"{parts[0] or f'{parts[4]}{year}'}-{parts[1] or month}{parts[2] or day}"


def _range(text: str) -> tuple[float, float, bool, bool] | None:
    """The ends of a range or number, and whether each belongs to it."""
    if _NUMBER.fullmatch(text):
        value = float(text)
        return value, value, True, True
    if found := _OPEN.fullmatch(text):
        value, closed = float(found[2]), found[1] not in ("<", ">")
        upward = found[1] in (">", ">=", "≥")
        return (value, np.inf, closed, closed) if upward else (-np.inf, value, closed, closed)
    if (found := _RANGE.fullmatch(text)) and float(found[2]) <= float(found[3]):
        return (
            float(found[2]),
            float(found[3]),
            found[1] not in ("(", "]"),
            found[4] not in (")", "["),
        )
    return None
