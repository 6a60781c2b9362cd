"""What all releases of a ledger say together of everybody who is in them.

The reader knows who is in which release, when somebody joined, left or came back, and the class or
bucket of everybody in each: more than the releases show. A value that one of a
person's releases does not list is impossible, as long as it has not changed.

Three figures for every person:

* ``alone``: the belief of a reader who takes each release by itself.
* ``together``: the belief of one who puts what all releases say of all people together. It is
  ``bound`` where that is known, else the beliefs of largest entropy. Where releases contradict each
  other the value of a person has changed, and what is said before and after goes by itself.
* ``bound``: what no reader can exceed, who draws any conclusion from all people at once (but for
  who was in a table and left out, and which release the program would else have made). People are
  connected who share a class. If all classes of such people list the same values, each equally
  often, then exchanging values turns every possible world into another one, so each value is as
  likely as any other: the bound is one over their number (the argument of m-invariance, Xiao and
  Tao 2007, for classes of any size). If they are in one release only, it is the share. If they are
  few, or their worlds are, all worlds are counted. Else nothing is proved, and the bound is 1.

Two further figures say how well somebody is covered: ``companions``, the people who are in the same
class in all releases that the person is in, and ``possible``, the values that are proved to be
possible in some world, by the same three arguments and a fourth: people who are in the same classes
of the same releases can be exchanged as a whole, and if more people of one of these classes have a
value than there are others in it, one of them has it. Where a value is certain it is the only one.

Where everybody's values are listed as one set, a value is believed as all sets are that hold it.

Of a promise about some values only these count in beliefs. What does not apply to somebody is known
of others, so beliefs are those of a reader who knows that something applies to the person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import factorial, inf, perm, prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.series.writings import writing_of
from indistinct.analytics.value_shares import NEAR, Listings, fitted_shares, possible_cells
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import members_of
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import distinct_rows
from indistinct.privacy.values import AboutValues
from indistinct.release.ledger import Entry, numbered
from indistinct.types import Bools, Floats, Ints

MANY = np.iinfo(np.int64).max
"""Values that are possible of somebody of whom nothing is asked."""

FEW = 7
"""People whose possible worlds are always counted, at most."""

SOME = 64
"""People whose possible worlds are counted if that takes no more than :data:`STEPS`, at most."""

STEPS = 20_000
"""Ways to share out values among people alike that are looked at, at most."""

TOGETHER = 250_000
"""People with a value they may have that are looked at together, where people have several."""

SETS = 50
"""Sets of more than a few connected people of whom this is tried, at most."""


@dataclass(frozen=True, eq=False)
class Composition:
    """What a reader believes of one sensitive attribute, person by person.

    Arguments:
        attribute: the attribute.
        alone: the largest belief in a value by one release, [n].
        together: the largest belief by all of the person's releases, [n].
        left: the least number of values that are possible at any time, [n].
        bound: what no belief can exceed, [n].
        releases: how many releases the person is in, [n].
        hashes: the keyed hash of everybody, two halves, [n, 2].
        changed: whose releases contradict each other, which is taken for a change, [n].
    """

    attribute: str
    alone: Floats
    together: Floats
    left: Ints
    bound: Floats
    releases: Ints
    hashes: NDArray[np.uint64]
    changed: Bools

    @property
    def worst(self) -> float:
        """The largest belief in anything about anybody."""
        return float(np.maximum(self.alone, self.together).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Series:
    """All releases that say something of one sensitive attribute, laid out person by person.

    Arguments:
        attribute: the attribute.
        members: ``person``, ``release`` and ``group`` (numbered over all releases) of everybody in
            every release.
        listed: ``group``, ``value``, ``count``, ``had`` (by so many people) and ``share`` of what
            each group lists, sorted.
        people: how many people there are.
        groups: how many groups.
        hashes: the keyed hash of everybody, two halves, [people, 2].
        single: whether everybody has exactly one value in every release.
        of_categories: whether values are categories, several of which may be one person's.
        unlike: of whom, or of whose companions, releases write values in ways that cannot be
            compared, [people].
        about: a promise about some of the values, where only these are looked at.
        applies: which values say that something applies to a person, [values].
        harms: which values beliefs are about, [values].
        sizes: the people of every group, made-up ones too, [groups].
        inside: ``value`` and the number ``one`` of each that it holds, where some are sets.
    """

    attribute: str
    members: pl.DataFrame
    listed: pl.DataFrame
    people: int
    groups: int
    hashes: NDArray[np.uint64]
    single: bool
    of_categories: bool = False
    unlike: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    about: AboutValues | None = None
    applies: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    harms: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    sizes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    inside: pl.DataFrame | None = None

    @classmethod
    def of(
        cls,
        entries: Sequence[Entry],
        attribute: str,
        category_of: Mapping[str | None, str] | None = None,
        about: AboutValues | None = None,
    ) -> Series:
        """The series of the releases that list an attribute; places count all releases.

        Arguments:
            entries: the releases.
            attribute: the attribute.
            category_of: the category of every value, where categories are what is looked at.
            about: a promise about some of the values, where only these are looked at.
        """
        parts = [
            (place, entry, part)
            for place, entry in enumerate(entries)
            if (part := entry.listed.get(attribute)) is not None
        ]
        if not parts:
            nobody = {"person": pl.Int64, "release": pl.Int32, "group": pl.Int64}
            nothing = {"group": pl.Int64, "value": pl.Int64, "count": pl.Int64, "share": pl.Float64}
            empty = pl.DataFrame([], nobody), pl.DataFrame([], nothing)
            return cls(attribute, *empty, 0, 0, np.zeros((0, 2), np.uint64), single=True)
        writings = [writing_of(entry, attribute) for _, entry, _ in parts]
        values: dict[tuple[str, str | None], int] = {}
        releases, groups, listed, first = [], [], [], 0
        for (place, entry, part), (written, _) in zip(parts, writings, strict=True):
            releases.append(np.full(len(entry.people), place, np.int32))
            groups.append(entry.groups.astype(np.int64) + first)
            group = np.repeat(np.arange(len(entry.sizes)), np.diff(part.starts))
            share = part.counts / np.maximum(entry.sizes[group], 1)
            had = part.counts
            if part.holding == "all":
                share, had = np.ones(len(group)), entry.sizes[group]
            names = [(written, label) for label in part.labels]
            if category_of is not None:
                names = [("", category_of.get(label)) for label in part.labels]
            value_of = np.array([values.setdefault(name, len(values)) for name in names], np.int64)
            listed.append((group + first, value_of[part.places], part.counts, had, share))
            first += len(entry.sizes)
        order, person = numbered([entry.people for _, entry, _ in parts])
        members = pl.DataFrame(
            {
                "person": person,
                "release": np.concatenate(releases)[order],
                "group": np.concatenate(groups)[order],
            }
        )
        columns = map(np.concatenate, zip(*listed, strict=True))
        keys = ("group", "value", "count", "had", "share")
        rows = pl.DataFrame(dict(zip(keys, columns, strict=True)))
        if category_of is not None:
            rows = rows.group_by("group", "value").agg(pl.col("count", "had", "share").sum())
            rows = rows.with_columns(pl.col("share").clip(upper_bound=1))
        place_of = rows["group"].to_numpy() * max(len(values), 1) + rows["value"].to_numpy()
        rows = rows[np.argsort(place_of, kind="stable")]
        single = all(part.holding == "one" for _, _, part in parts)
        hashes = np.concatenate([entry.people for _, entry, _ in parts])
        hashes = hashes[order[np.flatnonzero(np.diff(person, prepend=-1))]]
        of_categories = category_of is not None
        applies = np.ones(len(values), np.bool_)
        harms = applies
        if about is not None:
            labels = [label for _, label in values]
            applies = np.array([(label or "") not in about.not_applicable for label in labels])
            harms = about.harmful(SensitiveDomain(tuple(labels)))
        inside, harms = _inside(values, about, harms)
        if about is not None:
            rows = _of_harmful(rows, applies, harms, first)
        unlike = _written_unlike(members, [place for place, *_ in parts], writings, first)
        return cls(
            attribute, members, rows, len(hashes), first, hashes, single, of_categories, unlike,
            about, applies, harms, np.concatenate([entry.sizes for _, entry, _ in parts]), inside,
        )  # fmt: skip

    @cached_property
    def signature(self) -> Ints:
        """A number for the values that each group lists, [groups]."""
        value = self.listed["value"].to_numpy()
        starts = np.cumsum(self._values) - self._values
        found, numbers = np.full(self.groups, -1, np.int64), 0
        for size in np.unique(self._values[self._values > 0]).tolist():
            own = np.flatnonzero(self._values == size)
            rows = value[starts[own][:, None] + np.arange(size)]
            distinct, number = distinct_rows(rows, int(value.max()) + 1)
            found[own] = number + numbers
            numbers += len(distinct)
        return found

    def _per_group(self, what: str, reduced: np.ufunc) -> Floats:
        """The largest, say, of a figure of every group's values, [groups]; 0 without values."""
        group = self.listed["group"].to_numpy()
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        found = np.zeros(self.groups)
        if len(starts):
            found[group[starts]] = reduced.reduceat(self.listed[what].to_numpy(), starts)
        return found

    def _largest(self, shares: pl.DataFrame, of: str, number: int) -> Floats:
        """The largest belief in anything that harms, [number]; of sets in what they hold.

        Arguments:
            shares: ``of``, ``value`` and its ``share``, 0 where it does not harm.
            of: the column of those who are looked at, numbers below ``number``.
            number: how many there are.
        """
        if self.inside is not None:
            shares = (
                shares.join(self.inside, on="value")
                .group_by(of, "one")
                .agg(pl.col("share").sum().clip(upper_bound=1))
            )
        found = np.zeros(number)
        np.maximum.at(found, shares[of].to_numpy(), shares["share"].to_numpy())
        return found

    @cached_property
    def _values(self) -> Ints:
        """How many values every group lists, [groups]."""
        return np.bincount(self.listed["group"].to_numpy(), minlength=self.groups)

    @cached_property
    def _applying(self) -> Ints:
        """How many of them say that something applies, [groups]."""
        there = self.applies[self.listed["value"].to_numpy()]
        return np.bincount(self.listed["group"].to_numpy()[there], minlength=self.groups)

    def changed(self, *, consecutive: bool) -> Ints:
        """The people whose signature differs between two of their releases.

        Arguments:
            consecutive: only releases that follow each other count; else all that a person is in.
        """
        rows = self.members.with_columns(
            signature=pl.Series(self.signature[self.members["group"].to_numpy()])
        )
        follows = pl.col("person") == pl.col("person").shift(1)
        if consecutive:
            follows &= pl.col("release") == pl.col("release").shift(1) + 1
        other = pl.col("signature") != pl.col("signature").shift(1)
        return rows.filter(follows & other)["person"].unique().sort().to_numpy()

    def composed(self) -> Composition:
        """What a reader believes of everybody."""
        n = self.people
        group = self.members["group"].to_numpy()
        person = self.members["person"].to_numpy()
        largest = self._largest(self.listed, "group", self.groups)
        starts = np.flatnonzero(np.diff(person, prepend=-1))
        alone = np.maximum.reduceat(largest[group], starts) if n else np.zeros(0)
        bound = self._bound(alone)
        left = np.zeros(n, np.int64)
        none_applies = (self._values > 0) & (self._applying == 0)
        left[person] = np.where(none_applies, MANY, self._applying)[group]
        moving = (bound >= 1) | ~self._steady
        left[moving] = MANY
        units, support = self._units(moving)
        whose = units.select("unit", "person").unique()
        changed = np.bincount(whose["person"].to_numpy(), minlength=n) > 1
        applying = support.filter(pl.Series(self.applies).gather(support["value"]))
        fewest = applying.group_by("unit").len().join(whose, on="unit")
        np.minimum.at(left, fewest["person"].to_numpy(), fewest["len"].to_numpy())
        together = bound.copy()
        counted = {who: self._given(belief) for who, belief in self._counted.items() if belief}
        settled = np.array(list(counted), np.int64)
        left[settled] = np.minimum(left[settled], [len(one) or MANY for one in counted.values()])
        unknown = bound >= 1
        unknown[settled] = False  # all worlds are counted: what is certain there is proved
        units = units.filter(pl.Series(unknown).gather(units["person"])) if n else units
        if units.height and self.single:
            changed |= self._fit(units, support, together, left)
        elif units.height:
            self._mixed(units, support, together)
            changed |= self._by_value(unknown, together, left)
        if self.inside is not None:
            left[together > 1 - NEAR] = 1
        releases = np.bincount(person, minlength=n)
        return Composition(
            self.attribute, alone, together, left, bound, releases, self.hashes, changed
        )

    def _units(self, who: Bools) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Everybody as long as nothing says that the value has changed, and what is possible.

        ``person``, ``unit`` and ``group`` of each; ``unit`` and ``value``, for all values that are
        possible in all of its releases.
        """
        unit_of = np.arange(self.people)
        members = self.members.filter(pl.Series(who).gather(self.members["person"]))
        units, state, done, count = [], None, [], self.people
        for _, rows in sorted(members.partition_by("release", as_dict=True).items()):
            people = rows["person"].to_numpy()
            now = rows.join(self.listed, on="group").select("person", "value")
            if state is not None:
                here = rows.select("person")
                both = state.join(now, on=["person", "value"], how="semi")
                before = state.join(here, on="person", how="semi")
                ended = before.join(both, on="person", how="anti")
                gone = ended["person"].unique().to_numpy()
                done.append(
                    pl.DataFrame(
                        {"unit": unit_of[ended["person"].to_numpy()], "value": ended["value"]}
                    )
                )
                unit_of[gone] = count + np.arange(len(gone))
                count += len(gone)
                now = pl.concat(
                    [
                        state.join(here, on="person", how="anti"),
                        both,
                        now.join(both, on="person", how="anti"),
                    ]
                )
            state = now
            units.append(rows.select("person", "group").with_columns(unit=unit_of[people]))
        if state is None:
            nothing = {"unit": pl.Int64, "value": pl.Int64}
            return members.with_columns(unit=pl.col("person")), pl.DataFrame([], nothing)
        last = pl.DataFrame({"unit": unit_of[state["person"].to_numpy()], "value": state["value"]})
        return pl.concat(units), pl.concat([*done, last])

    def _fit(
        self, units: pl.DataFrame, support: pl.DataFrame, together: Floats, left: Ints
    ) -> Bools:
        """Fill in beliefs that agree with the lists of all groups at once, and what is possible.

        People in the same groups are alike. Of all shares of values that add up to what groups
        list those of largest entropy are taken, by proportional fitting (Deming and Stephan 1940):
        what most of the possible worlds are near to, the more people the nearer.

        Where lists contradict each other a value has changed, and each release tells of these
        people by itself: whose they are is returned, [n].
        """
        changed = np.zeros(self.people, np.bool_)
        while True:
            kinds = units.group_by("unit").agg(pl.col("group").unique().sort())
            kinds = kinds.with_columns(kind=pl.col("group").rank("dense").cast(pl.Int64) - 1)
            cells, size, listings = self._cells(units, support, kinds)
            kind = cells["kind"].to_numpy()
            possible, torn = possible_cells(listings, kind, size)
            apart = _apart(kinds, torn)
            if not len(apart):
                break
            changed[units.join(apart, on="unit", how="semi")["person"].to_numpy()] = True
            units, support = self._by_release(units, support, apart)
        share = fitted_shares(listings, kind, size, possible)
        value = cells["value"].to_numpy()
        applying = self.applies[value]
        whole = np.bincount(kind, share * applying, minlength=len(size))[kind]
        share = np.divide(share, whole, out=np.zeros(len(share)), where=whole > 0)
        told = pl.DataFrame({"kind": kind, "value": value, "share": share * self.harms[value]})
        best = self._largest(told, "kind", len(size))
        values = np.bincount(kind, possible & applying, minlength=len(size)).astype(np.int64)
        values[values == 0] = MANY
        unit = kinds.join(units.select("unit", "person").unique(), on="unit")
        who = unit["person"].to_numpy()
        together[who] = 0.0
        np.maximum.at(together, who, best[unit["kind"].to_numpy()])
        np.minimum.at(left, who, values[unit["kind"].to_numpy()])
        return changed

    def _cells(
        self, units: pl.DataFrame, support: pl.DataFrame, kinds: pl.DataFrame
    ) -> tuple[pl.DataFrame, Floats, Listings]:
        """Each ``kind`` with each ``value`` it may have; how many are of it; what groups list.

        Rows that are nobody's fill up what a group lists, as kinds of their own.
        """
        first = kinds.group_by("kind").agg(pl.col("unit").first(), size=pl.len()).sort("kind")
        cells = first.join(support, on="unit").select("kind", "value")
        inside = first.select("kind", "unit").join(
            kinds.select("unit", "group").explode("group"), on="unit"
        )
        held = units.group_by("group").len("people")
        rest = self.listed.group_by("group").agg(pl.col("count").sum()).join(held, on="group")
        rest = rest.filter(pl.col("count") > pl.col("people")).with_row_index("at")
        rest = rest.select(
            "group",
            kind=pl.col("at").cast(pl.Int64) + first.height,
            size=pl.col("count") - pl.col("people"),
        )
        size = np.append(first["size"].to_numpy(), rest["size"].to_numpy()).astype(np.float64)
        more = rest.join(self.listed, on="group").select("kind", "value")
        cells = pl.concat([cells, more]).with_row_index("cell")
        inside = pl.concat([inside.select("kind", "group"), rest.select("kind", "group")])
        pairs = cells.join(inside, on="kind").join(
            self.listed.select("group", "value", "count"), on=["group", "value"]
        )
        pairs = pairs.join(self.members.select("group", "release").unique(), on="group")
        return cells, size, Listings.of(pairs)

    def _by_release(
        self, units: pl.DataFrame, support: pl.DataFrame, apart: pl.DataFrame
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Units and what is possible of them, some of them taken apart into one for each release.

        Arguments:
            units: ``person``, ``unit`` and ``group``.
            support: ``unit`` and ``value``.
            apart: the units that are taken apart.
        """
        new = int(units["unit"].max()) + 1  # type: ignore[arg-type]
        alone = units.join(apart, on="unit", how="semi").with_columns(
            unit=new + pl.int_range(pl.len(), dtype=pl.Int64)
        )
        listed = alone.join(self.listed, on="group").select("unit", "value")
        units = pl.concat([units.join(apart, on="unit", how="anti"), alone.select(units.columns)])
        return units, pl.concat([support.join(apart, on="unit", how="anti"), listed])

    def _mixed(self, units: pl.DataFrame, support: pl.DataFrame, together: Floats) -> None:
        """Fill in beliefs where people have several values: each by the release that says most."""
        rows = units.join(self.listed, on="group").join(support, on=["unit", "value"], how="semi")
        rows = rows.group_by("unit").agg(
            pl.col("person").first(), pl.col("share").max(), values=pl.col("value").n_unique()
        )
        share = rows["share"].to_numpy()
        belief = np.where((rows["values"].to_numpy() == 1) & (share > 0), 1.0, share)
        who = rows["person"].to_numpy()
        together[who] = 0.0
        np.maximum.at(together, who, belief)

    def _by_value(self, who: Bools, together: Floats, left: Ints) -> Bools:
        """Raise beliefs where people have several values, to what follows for each value by itself.

        Somebody has it or not, and every group says how many have it: one of two values. Categories
        do not say so, as two values of one person may be of one.

        Arguments:
            who: the people who are looked at, [n].
            together: what is believed of them, [n].
            left: how many values are possible, [n].

        Returns:
            Of whom releases contradict each other, [n].
        """
        changed = np.zeros(self.people, np.bool_)
        if self.of_categories:
            return changed
        members = self.members.filter(pl.Series(who).gather(self.members["person"]))
        values = np.flatnonzero(self.applies)
        listed = self.listed.filter((pl.col("had") > 0) & pl.col("value").is_in(values))
        pairs = members.join(listed, on="group").select("person", "value").unique()
        pairs = pairs.sort("value", "person")
        possible, harmful = np.zeros(self.people, np.int64), np.zeros(self.people, np.int64)
        rows = pairs.group_by("value", maintain_order=True).len()
        rows = rows.with_columns(batch=pl.col("len").cum_sum() // TOGETHER)
        for part in pairs.join(rows, on="value", maintain_order="left").partition_by("batch"):
            found = self._having(part)
            own = part["person"].to_numpy()
            sure = (found.left == 1) & ~found.changed
            changed[own[found.changed]] = True
            harms = self.harms[part["value"].to_numpy()]
            may = ~(sure & (found.together < NEAR))
            np.add.at(possible, own, may)
            np.add.at(harmful, own, may & harms)
            np.maximum.at(together, own[harms], found.together[harms])
            left[own[harms & sure & (found.together > 1 - NEAR)]] = 1
        there = possible > 0
        left[there] = np.minimum(left, possible)[there]
        together[(possible == 1) & (harmful == 1)] = 1.0
        return changed

    def _having(self, pairs: pl.DataFrame) -> Composition:
        """What follows of whether people have values.

        Arguments:
            pairs: each ``person`` with each ``value`` that some group of theirs lists, sorted.
        """
        whole = pairs.select("person", "value").with_row_index("pair")
        whole = whole.with_columns(pl.col("pair").cast(pl.Int64))
        rows = whole.join(self.members, on="person").join(
            self.listed.select("group", "value", "had"), on=["group", "value"], how="left"
        )
        rows = rows.with_columns(
            pl.col("had").fill_null(0),
            own=pl.struct("group", "value").rank("dense").cast(pl.Int64) - 1,
        ).sort("pair", "release")
        groups = rows.group_by("own").agg(pl.col("group", "had").first(), there=pl.len())
        # Of a group in which nobody has a value others tell nothing.
        size = pl.Series(self.sizes).gather(groups["group"])
        groups = groups.with_columns(
            size=pl.when(pl.col("had") > 0).then(size).otherwise(pl.col("there"))
        )
        had = pl.min_horizontal("had", "size")
        listed = pl.concat(
            groups.select(group="own", value=pl.lit(value, pl.Int64), count=count, size="size")
            for value, count in enumerate((pl.col("size") - had, had))
        )
        return Series(
            self.attribute,
            rows.select(person="pair", release="release", group="own"),
            listed.filter(pl.col("count") > 0)
            .sort("group", "value")
            .with_columns(share=pl.col("count") / pl.col("size")),
            len(whole),
            len(groups),
            self.hashes[whole["person"].to_numpy()],
            single=True,
            applies=np.ones(2, np.bool_),
            harms=np.array([False, True]),
        ).composed()

    @cached_property
    def _steady(self) -> Bools:
        """Who has the same signature in all releases, [n]."""
        person = self.members["person"].to_numpy()
        signature = self.signature[self.members["group"].to_numpy()]
        first = np.full(self.people, -1, np.int64)
        first[person[::-1]] = signature[::-1]
        found = np.ones(self.people, np.bool_)
        found[person[signature != first[person]]] = False
        return found

    def companions(self) -> Ints:
        """How many people are in the person's classes in all releases of the person, [n].

        The person is one of them. People in further releases count.
        """
        found = np.zeros(self.people, np.int64)
        if not self.people:
            return found
        classes = self.members.pivot("release", index="person", values="group")
        releases = [name for name in classes.columns if name != "person"]
        there = pl.concat_str(pl.col(name).is_not_null().cast(pl.Int8) for name in releases)
        for own in classes.with_columns(there.alias("in")).partition_by("in"):
            names = [name for name in releases if own[name].null_count() == 0]
            together = classes.drop_nulls(names).group_by(names).len("together")
            both = own.join(together, on=names)
            found[both["person"].to_numpy()] = both["together"].to_numpy()
        return found

    def possible(self) -> Ints:
        """How many values of everybody are proved to be possible, [n]; 1 where none is proved."""
        found = np.ones(self.people, np.int64)
        if not self.people:
            return found
        person = self.members["person"].to_numpy()
        group = self.members["group"].to_numpy()
        values, clear = self._clear()
        # A person may have several values of one category, and none twice: no exchange.
        clear &= self.single or not self.of_categories
        _, doubtful, by_one = self._doubtful(clear)
        doubtful &= ~by_one
        if self.single or not self.of_categories:
            found = self._had_by_alike()
        found[~doubtful] = values[~doubtful]
        for who, belief in self._counted.items():
            found[who] = max(len(belief), 1)
        certain = self._per_group("share", np.maximum) >= 1
        found[person[certain[group]]] = 1
        if self.inside is not None:
            found[self.composed().left == 1] = 1
        return found

    def _had_by_alike(self) -> Ints:
        """Values that people in the same classes of the same releases have, at least, [n]."""
        trails = self.members.sort("person", "release").group_by("person").agg("group")
        kinds = trails.group_by("group").agg("person", alike=pl.len()).with_row_index("kind")
        lists = self.listed.with_columns(size=(pl.col("count") / pl.col("share")).round())
        had = kinds.select("kind", "group", "alike").explode("group").join(lists, on="group")
        had = had.filter(pl.col("count") > pl.col("size") - pl.col("alike"))
        left = had.group_by("kind").agg(pl.col("value").n_unique())
        both = kinds.select("kind", "person").explode("person").join(left, on="kind")
        found = np.ones(self.people, np.int64)
        found[both["person"].to_numpy()] = both["value"].to_numpy()
        return found

    def _clear(self) -> tuple[Floats, Bools]:
        """How many values the person's classes list, and whether all list the same evenly, [n]."""
        person = self.members["person"].to_numpy()
        group = self.members["group"].to_numpy()
        size = np.zeros(self.people)
        size[person] = np.maximum(self._applying, 1)[group]
        least = self._per_group("count", np.minimum)
        even = least == self._per_group("count", np.maximum)
        clear = self._steady.copy()
        clear[person[~even[group]]] = False
        return size, clear

    def _doubtful(self, clear: Bools) -> tuple[Ints, Bools, Bools]:
        """With whom everybody is connected, who with somebody unclear, who of these by one class.

        Arguments:
            clear: whose classes all list the same values, each equally often, [n].
        """
        person = self.members["person"].to_numpy()
        group = self.members["group"].to_numpy()
        home = connected(person, group, self.people, self.groups)
        doubtful = np.zeros(self.people, np.bool_)
        doubtful[home[~clear]] = True
        doubtful = doubtful[home]
        groups_of = np.bincount(
            home[person[np.unique(group, return_index=True)[1]]], minlength=self.people
        )
        return home, doubtful, doubtful & (groups_of[home] == 1)

    def _bound(self, alone: Floats) -> Floats:
        """What no belief can exceed, [n]."""
        if not self.people:
            return alone
        size, clear = self._clear()
        clear &= self.single
        # Of sets that all are as likely a value may be in several.
        by_size = alone if self.inside is not None else np.where(alone > 0, 1 / size, 0.0)
        if clear.all():
            return by_size
        _, doubtful, by_one = self._doubtful(clear)
        found = np.ones(self.people)
        found[~doubtful] = by_size[~doubtful]
        found[by_one] = alone[by_one]
        for who, belief in self._counted.items():
            shares = {v: share for v, share in self._given(belief).items() if self.harms[v]}
            found[who] = self._most(shares) if belief else 1.0
        return found

    def _most(self, shares: Mapping[int, float]) -> float:
        """The largest belief in anything that harms, by the beliefs in values or sets."""
        if self.inside is None or not shares:
            return max(shares.values(), default=0.0)
        told = {"who": [0] * len(shares), "value": [*shares], "share": [*shares.values()]}
        return float(self._largest(pl.DataFrame(told), "who", 1)[0])

    def _given(self, belief: Mapping[int, float]) -> Mapping[int, float]:
        """What is believed of somebody of whom it is known that something applies."""
        if self.about is None:
            return belief
        rest = {value: share for value, share in belief.items() if self.applies[value]}
        whole = sum(rest.values())
        return {value: share / whole for value, share in rest.items()}

    @cached_property
    def _counted(self) -> dict[int, dict[int, float]]:
        """Beliefs of people with few others, by all worlds; empty where their values changed."""
        if not self.single or not self.people:
            return {}
        home, doubtful, by_one = self._doubtful(self._clear()[1])
        return dict(self._worlds(home, doubtful & ~by_one))

    def _worlds(self, home: Ints, doubtful: Bools) -> Iterator[tuple[int, dict[int, float]]]:
        """The beliefs of people with few others, by all worlds there are."""
        crowd = np.bincount(home, minlength=self.people)
        some = doubtful & (crowd[home] <= SOME)
        rows = self.members.filter(pl.Series(some)[self.members["person"]])
        rows = rows.with_columns(home=pl.Series(home).gather(rows["person"]))
        lists: dict[int, dict[int, int]] = {}
        wanted = self.listed.join(rows.select("group").unique(), on="group", how="semi")
        for group, value, count in wanted.select("group", "value", "count").iter_rows():
            lists.setdefault(group, {})[value] = count
        tried = 0
        for part in rows.partition_by("home"):
            members: dict[int, list[int]] = {}
            for person, group in part.select("person", "group").iter_rows():
                members.setdefault(group, []).append(person)
            few = part["person"].n_unique() <= FEW
            tried += not few
            if few or tried <= SETS:
                told = worlds(members, lists, inf if few else STEPS) or {}
                yield from ((who, belief) for who, belief in told.items() if belief or few)


def _inside(
    values: Mapping[tuple[str, str | None], int], about: AboutValues | None, harms: Bools
) -> tuple[pl.DataFrame | None, Bools]:
    """What sets of values hold that harms, where some are sets; and which values, or sets, harm.

    Arguments:
        values: the number of each, by how it is written and its label.
        about: a promise about some of the values.
        harms: which of the labels harm.
    """
    held = {at: (way, members_of(label) or (label,)) for (way, label), at in values.items()}
    if all(len(own) == 1 for _, own in held.values()):
        return None, harms
    numbers: dict[tuple[str, str | None], int] = {}
    pairs = [
        (at, numbers.setdefault((way, one), len(numbers)))
        for at, (way, own) in held.items()
        for one in own
    ]
    each = np.ones(len(numbers), np.bool_)
    if about is not None:
        each = about.harmful(SensitiveDomain(tuple(label for _, label in numbers)))
    inside = pl.DataFrame(pairs, {"value": pl.Int64, "one": pl.Int64}, orient="row")
    inside = inside.filter(pl.Series(each).gather(inside["one"]))
    harms = np.zeros(len(values), np.bool_)
    harms[inside["value"].to_numpy()] = True
    return inside, harms


def _of_harmful(listed: pl.DataFrame, applies: Bools, harms: Bools, groups: int) -> pl.DataFrame:
    """What groups list, with the shares among those to whom something applies; of others 0.

    Arguments:
        listed: as in :class:`Series`.
        applies: which values say that something applies, [values].
        harms: which values beliefs are about, [values].
        groups: how many groups there are.
    """
    group, value = listed["group"].to_numpy(), listed["value"].to_numpy()
    share = listed["share"].to_numpy()
    whole = 1 - np.bincount(group, share * ~applies[value], minlength=groups)[group]
    own = np.divide(share, whole, out=np.zeros(len(share)), where=whole > NEAR) * harms[value]
    return listed.with_columns(share=pl.Series(own))


def _written_unlike(
    members: pl.DataFrame, places: Sequence[int], writings: Sequence[tuple[str, bool]], groups: int
) -> Bools:
    """Whose releases write values in ways that cannot be compared; who shares a class with them.

    Arguments:
        members: as in :class:`Series`.
        places: the releases.
        writings: how each writes values, and whether no other does so.
        groups: how many groups there are.
    """
    people = members["person"].n_unique()
    unlike = np.zeros(people, np.bool_)
    if len({*writings}) < 2 and not any(own for _, own in writings):
        return unlike
    numbers: dict[object, int] = {}
    keys = [
        (way, place if own else None) for place, (way, own) in zip(places, writings, strict=True)
    ]
    number = {
        place: numbers.setdefault(key, len(numbers))
        for place, key in zip(places, keys, strict=True)
    }
    ways = members.with_columns(way=pl.col("release").replace_strict(number))
    several = ways.group_by("person").agg(pl.col("way").n_unique()).filter(pl.col("way") > 1)
    person, group = members["person"].to_numpy(), members["group"].to_numpy()
    home = connected(person, group.astype(np.int64), people, groups)
    unlike[home[several["person"].to_numpy()]] = True
    return unlike[home]


def _apart(kinds: pl.DataFrame, torn: Bools) -> pl.DataFrame:
    """The units of whom releases are not put together any more: they contradict each other there.

    Who is in one group only has not changed, but somebody else of that group.

    Arguments:
        kinds: ``unit``, the ``group`` list of each, and the ``kind`` that those of one list are.
        torn: of which kinds nothing is possible that all lists say, [kinds].
    """
    wrong = kinds.filter(pl.Series(torn).gather(kinds["kind"]))
    several = kinds.filter(pl.col("group").list.len() > 1)
    found = several.join(wrong, on="unit", how="semi")
    if not len(found) and torn.any():
        places = kinds if not len(wrong) else wrong
        met = several.explode("group").join(places.explode("group"), on="group", how="semi")
        found = met.unique("unit")
    return found.select("unit")


def connected(person: Ints, group: Ints, people: int, groups: int) -> Ints:
    """For everybody a person of the same connected set: people linked by shared groups, [n].

    Arguments:
        person: the person of each pair, [pairs].
        group: the group of each pair, [pairs].
        people: how many people there are, n.
        groups: how many groups.
    """
    home = np.arange(people)
    while True:
        least = np.full(groups, people)
        np.minimum.at(least, group, home[person])
        new = home.copy()
        np.minimum.at(new, person, least[group])
        new = new[new]
        if (new == home).all():
            return home
        home = new


def worlds(
    members: Mapping[int, Sequence[int]],
    lists: Mapping[int, Mapping[int, int]],
    steps: float = inf,
) -> dict[int, dict[int, float]] | None:
    """How likely every value of every person is, if all possible worlds are equally likely.

    A world says which row of each group is whose; rows may be nobody's. Nobody's value changes.
    People in the same groups are alike, and only how many of them have each value is counted.

    Arguments:
        members: the people of every group.
        lists: how often each group lists each value.
        steps: how many ways to share out values are looked at, at most.

    Returns:
        The shares, empty where there is no world; None where it takes more steps.

    >>> lists = {0: {1: 1, 2: 1}, 1: {2: 1, 3: 1}}
    >>> worlds({0: [7], 1: [7]}, lists)
    {7: {2: 1.0}}
    """
    kinds = _alike(members)
    listed = [(group, value) for group in members for value in lists[group]]
    place = {slot: at for at, slot in enumerate(listed)}
    given = tuple(lists[group][value] for group, value in listed)
    # In how many ways each rest of the rows is reached, and how the rests follow each other.
    reached: dict[tuple[int, ...], int] = {given: 1}
    ways: list[list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]] = []
    before = []
    for own, who in kinds:
        slots = [[place[group, value] for group in own] for value in _common(own, lists)]
        before.append(reached)
        ways.append([])
        reached = {}
        for left, number in before[-1].items():
            most = [min(left[slot] for slot in of) for of in slots]
            for have in shared_out(len(who), most):
                steps -= 1
                if steps < 0:
                    return None
                after = [*left]
                for of, taken in zip(slots, have, strict=True):
                    for slot in of:
                        after[slot] -= taken
                rest = tuple(after)
                reached[rest] = reached.get(rest, 0) + number * _multinomial(have)
                ways[-1].append((left, have, rest))
    # In how many ways each rest leads to the end.
    ahead = {
        rest: prod(perm(whole, whole - left) for whole, left in zip(given, rest, strict=True))
        for rest in reached
    }
    total = sum(number * ahead[rest] for rest, number in reached.items())
    found: dict[int, dict[int, float]] = {person: {} for _, who in kinds for person in who}
    if not total:  # the values have changed
        return found
    for (own, who), start, way in reversed([*zip(kinds, before, ways, strict=True)]):
        values, behind = _common(own, lists), dict.fromkeys(start, 0)
        weight = dict.fromkeys(values, 0)
        for left, have, rest in way:
            number = _multinomial(have) * ahead[rest]
            behind[left] += number
            for value, taken in zip(values, have, strict=True):
                weight[value] += taken * number * start[left]
        ahead = behind
        shares = {value: part / (len(who) * total) for value, part in weight.items() if part}
        found |= dict.fromkeys(who, shares)
    return found


def _alike(members: Mapping[int, Sequence[int]]) -> list[tuple[tuple[int, ...], list[int]]]:
    """The people who are in the same groups, by these."""
    groups_of: dict[int, list[int]] = {}
    for group, who in members.items():
        for person in who:
            groups_of.setdefault(person, []).append(group)
    found: dict[tuple[int, ...], list[int]] = {}
    for person, own in groups_of.items():
        found.setdefault(tuple(own), []).append(person)
    return sorted(found.items())


def _common(own: Sequence[int], lists: Mapping[int, Mapping[int, int]]) -> list[int]:
    """The values that all of some groups list."""
    return sorted(set.intersection(*(set(lists[group]) for group in own)))


def shared_out(number: int, most: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All ways to share a number out among places that hold so many at most.

    >>> list(shared_out(3, [1, 2, 1]))
    [(0, 2, 1), (1, 1, 1), (1, 2, 0)]
    """
    if not most:
        if number == 0:
            yield ()
        return
    others = sum(most[1:])
    for here in range(max(0, number - others), min(number, most[0]) + 1):
        for rest in shared_out(number - here, most[1:]):
            yield (here, *rest)


def _multinomial(counts: Sequence[int]) -> int:
    """In how many ways people can be shared out into groups of these sizes."""
    return factorial(sum(counts)) // prod(map(factorial, counts))
