"""What a table gives away: which columns leak, alone and together, and what to do about it.

Method: average information loss as in :mod:`indistinct.analytics.leakage.information_loss`, applied
to the columns of a table as Arca and Hewett (2021, section 3.1) do before a release is made. For
sensitive attributes, what the quasi-identifiers tell about them: the mutual information I(S; E),
which is the mean over records of H(S) - H(S | E), after Longpre, Kreinovich and Dumrongpokaphan
(2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.analytics.leakage.encoded import Encoded, encode
from indistinct.analytics.leakage.event_leakage import EventLeakage
from indistinct.analytics.leakage.information_loss import TINY, Leakage, LeakageAnalysis
from indistinct.analytics.leakage.leakage_change import (
    Known,
    LeakageChange,
    TaxonomyOf,
    compare_leakage,
    in_per_cent,
    leakage_by_level,
    level_below,
)
from indistinct.analytics.leakage.sensitive_leakage import SensitiveLeakage, sensitive_leakage
from indistinct.analytics.profile.concepts import Role
from indistinct.analytics.profile.described import Profile
from indistinct.document import Bar, Document, Grid, Line, OfUnits, Part, PlainData, many, shown
from indistinct.errors import DataError, Problem, Problems, refuse
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.build import build_taxonomy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.sources.table import Table, require_columns
from indistinct.types import Ints, Plain, PlainMapping

Progress = Callable[[str, float | None], None]
"""Called with what is being done, and the share of it that is done where that is known."""

THRESHOLD = 0.5
"""From this share of S0 on, what one attribute leaks is called a lot."""

KEY_LIKE = 0.9
"""From this share of S0 on, a combination of attributes is nearly as good as a name."""

LOOKED_AT = 3000
"""How many combinations are looked at where nobody says how large they may be."""

TOP = 10

TOLD = 20
"""How many smallest combinations are told."""


@dataclass(frozen=True)
class LeftOut(PlainData):
    """A column that was not analysed, and why."""

    attribute: str
    why: str


@dataclass(frozen=True)
class Shield(PlainData):
    """The attributes that a release should protect together, and why, in words."""

    attributes: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True)
class LevelAdvice(PlainData):
    """The level from which on a quasi-identifier leaks less, and how much it leaks there."""

    attribute: str
    level: int
    normalized: float


@dataclass(frozen=True)
class Exposed(PlainData):
    """A record of which the quasi-identifiers tell much: its number from 1, and bits. Private."""

    row: int
    loss: float
    alike: int


@dataclass(frozen=True)
class Assessment(OfUnits, PlainData, Document):
    """What a table leaks, and what a release of it still leaks.

    Arguments:
        table: the table's name.
        records: its records, or its people if ``rows`` is given; the same in all figures.
        entropy: S0 in bits: what tells all records (people) apart.
        roles: the role of every analysed attribute, from the policy or suggested.
        left_out: columns that were not analysed.
        leakage: of every attribute, and of the requested combinations.
        together: of all quasi-identifiers together.
        top: the combinations that leak most, worst first, without columns that alone are nearly as
            good as a name.
        key_like: the smallest combinations that leak nearly all, worst first.
        sensitive: what the quasi-identifiers tell about each sensitive attribute.
        shield: the attributes to protect together, and why.
        min_levels: for quasi-identifiers that leak a lot, the lowest level to publish.
        profile: what the columns look like, with the role suggested for each.
        threshold: the share of S0 from which a single attribute leaks a lot.
        change: before and after, if a release was given.
        exposed: the most exposed records; private, and in ``to_dict()`` only on request. For people
            with many records, the first record of each. With a release, who is exposed in it, by
            how many of its rows fit.
        exposed_rows: whose rows these are: of the private ``table``, or of the ``release`` where
            nothing says which of its rows fit whom.
        rows: the table's records, if people have many and all figures count people.
        events: for people with many records, what the columns tell that differ between the records
            of a person.
        unicity: ``before`` and ``after`` a release, by the number of published cells of a person
            that are known, of any columns and records, how many people are unique.
    """

    told_keys: ClassVar = (
        "*_counted entropy threshold leakage uniqueness together top key_like sensitive "
        "suggested_shield=shield min_levels roles left_out suggested"
    )

    table: str
    records: int
    entropy: float
    roles: Mapping[str, Role]
    left_out: tuple[LeftOut, ...]
    leakage: tuple[Leakage, ...]
    together: Leakage
    top: tuple[Leakage, ...]
    key_like: tuple[Leakage, ...]
    sensitive: tuple[SensitiveLeakage, ...]
    shield: Shield
    min_levels: tuple[LevelAdvice, ...]
    profile: Profile = field(repr=False)
    threshold: float = THRESHOLD
    change: LeakageChange | None = None
    exposed: tuple[Exposed, ...] = field(default=(), repr=False)
    exposed_rows: str = "table"
    rows: int | None = None
    events: tuple[EventLeakage, ...] = ()
    unicity: Mapping[str, PlainMapping] = field(default_factory=dict)

    @property
    def uniqueness(self) -> float:
        """The share of records that are unique in all quasi-identifiers."""
        return self.together.alone

    @property
    def suggested(self) -> list[dict[str, str]]:
        """The role suggested for every column, and why."""
        return self.profile.suggested()

    @property
    def singles(self) -> tuple[Leakage, ...]:
        """The leakage of every attribute alone, worst first."""
        alone = (item for item in self.leakage if len(item.attributes) == 1)
        return tuple(sorted(alone, key=lambda item: -item.loss))

    def crowd(self, leakage: Leakage) -> float:
        """The size of the group in which a person hides, the geometric mean over people."""
        return float(2.0 ** (self.entropy - leakage.loss))

    def frame(self) -> pl.DataFrame:
        """The leakage as a frame, one row per attribute or combination."""
        rows = [
            {**item.to_dict(), "attributes": ", ".join(item.attributes)} for item in self.leakage
        ]
        return pl.DataFrame(rows)

    def to_dict(self, *, exposed: bool = False) -> Plain:
        """The document of ``assess``; record numbers of the most exposed only where asked for."""
        document = super().to_dict()
        if self.rows is not None:
            document["events"] = [item.to_dict() for item in self.events]
            document["unicity"] = {when: dict(own) for when, own in self.unicity.items()}
        if self.change is not None:
            document["change"] = self.change.to_dict()
        if exposed:
            document["exposed"] = [item.to_dict() for item in self.exposed]
            document["exposed_in"] = "table" if self.change is None else "release"
            document["exposed_rows"] = self.exposed_rows
        return document

    def __repr__(self) -> str:
        worst = ", ".join(
            f"{item.attributes[0]} {item.normalized:.2f}" for item in self.singles[:3]
        )
        return (
            f"<Assessment: {self.records} {self.units}, {self.entropy:.2f} bits; "
            f"leaking most: {worst}>"
        )

    def parts(self) -> Iterator[Part]:
        """What leaks, alone and together, and what to do about it; no record is named."""
        yield Line(
            f"{self.table}: {_counted(self)}; {self.entropy:.2f} bits tell all of them apart",
            "title",
        )
        yield Line(
            "Each bit that a column leaks halves the group in which a person can hide.\n",
        )
        yield _columns(self)
        together = [item for item in self.top if len(item.attributes) > 1]
        yield from _combinations("leaking most together", self, together)
        smallest = "nearly as good as a name: the smallest combinations"
        yield from _combinations(smallest, self, self.key_like)
        yield from _told_of_events(self)
        yield from _advice(self)
        yield from _told_of_sensitive(self)
        if self.change is not None:
            yield Line("\nbefore and after the release", "title")
            yield from self.change.parts()

    def exposed_parts(self) -> Iterator[Part]:
        """The most exposed records by their numbers: private."""
        if not self.exposed:
            return
        what = "the most exposed records"
        if self.change is not None:
            what = "the records most exposed in the release"
        if self.exposed_rows == "release":
            what = "the most exposed rows of the release"
        yield Line(f"\n{what} (private)", "title")
        rows = [(shown(item.row), f"{item.loss:.2f}", shown(item.alike)) for item in self.exposed]
        yield Grid(("record", "bits", f"{self.units} alike"), rows, right=("record", "bits"))

    def left_out_parts(self) -> Iterator[Part]:
        """The columns that were not analysed."""
        if self.left_out:
            yield Line("\nnot analysed", "title")
            yield Grid(("column", "why"), [(item.attribute, item.why) for item in self.left_out])


def _counted(found: Assessment) -> str:
    """How many records there are; of people with many, how many people and of how many records."""
    if found.rows is None:
        return many(found.records, "record", "records")
    return f"{many(found.records, 'person', 'people')} with {found.rows:,} records"


def _columns(found: Assessment) -> Grid:
    rows = [
        (
            item.attributes[0],
            found.roles[item.attributes[0]].replace("-identifier", ""),
            shown(item.partitions),
            f"{item.loss:.2f}",
            Bar(item.normalized),
            f"{item.normalized:.0%}",
            shown(round(found.crowd(item))),
            in_per_cent(item.alone),
        )
        for item in found.singles
    ]
    head = ("column", "role", "values", "bits", "leaks", "", "hides among", "alone")
    return Grid(head, rows, right=("values", "bits", "", "hides among", "alone"))


def _combinations(title: str, found: Assessment, items: Sequence[Leakage]) -> Iterator[Part]:
    if not items:
        return
    yield Line(f"\n{title}", "title")
    rows = [
        (
            ", ".join(item.attributes),
            f"{item.loss:.2f}",
            Bar(item.normalized),
            f"{item.normalized:.0%}",
            shown(round(found.crowd(item))),
            in_per_cent(item.alone),
        )
        for item in items[:TOLD]
    ]
    head = ("columns", "bits", "leak", "", "hides among", "alone")
    yield Grid(head, rows, right=("bits", "", "hides among", "alone"))
    if len(items) > TOLD:
        yield Line(f"and {many(len(items) - TOLD, 'other', 'others')}")


def _advice(found: Assessment) -> Iterator[Part]:
    if not found.shield.attributes:
        yield Line("\nno column distinguishes anybody: nothing to shield")
        return
    yield Line("\nwhat a release should shield together", "title")
    yield Line(", ".join(found.shield.attributes))
    for reason in found.shield.why:
        yield Line(f"  * {reason}")
    for item in found.min_levels:
        yield Line(
            f"  * {item.attribute} leaks {item.normalized:.0%} at level {item.level} of its "
            f"hierarchy: min_level = {item.level}"
        )


def _told_of_events(found: Assessment) -> Iterator[Part]:
    if found.events:
        yield Line("\nwhat one value of a person's records tells", "title")
        rows = [
            (
                item.attribute,
                shown(item.values),
                f"{item.loss:.2f}",
                f"{item.worst:.2f}",
                in_per_cent(item.alone),
            )
            for item in sorted(found.events, key=lambda item: -item.worst)
        ]
        head = ("column", "values", "bits", "at worst", "alone")
        yield Grid(head, rows, right=head[1:])
    for when, own in found.unicity.items():
        shares = [in_per_cent(own[str(p)]["unique"]) for p in (1, 2, 3, 4, 5)]
        error = f" (give or take {own['error']:.1%})" if own["error"] else ""
        where = "cells of a person" if when == "before" else "published cells of a person"
        yield Line(
            f"\nan attacker who knows some {where}, drawn at random, finds that person: one cell "
            f"for {shares[0]} of people, two for {shares[1]}, three for {shares[2]}, "
            f"four for {shares[3]}, five for {shares[4]}{error}",
        )


def _told_of_sensitive(found: Assessment) -> Iterator[Part]:
    if not found.sensitive:
        return
    yield Line("\nwhat these disclose about sensitive columns", "title")
    rows = [
        (
            item.attribute,
            f"{item.information:.2f} of {item.entropy:.2f}",
            Bar(item.share),
            f"{item.share:.0%}",
            f"{item.maximum:.2f}",
            in_per_cent(item.certain),
        )
        for item in found.sensitive
    ]
    head = ("column", "bits", "told", "", "at most", "known for certain")
    yield Grid(head, rows, right=("bits", "", "at most", "known for certain"))


@dataclass(frozen=True)
class Asked:
    """What is asked of a table.

    Arguments:
        attributes: analyse these columns only, in any role, and tell also what all of them
            leak together.
        combinations: tell the leakage of every combination of at most so many attributes.
            Without, that of every attribute, and the worst among combinations of a size that
            a table of so many columns can be searched for quickly.
        top: how many of the worst combinations are reported.
        threshold: the share of S0 from which a single attribute leaks a lot.
        key_like: the share of S0 from which a combination is nearly as good as a name.
        weights: a column of numbers, the probability of each record to be looked for (up to a
            factor). Without, all records are equally likely.
        exposed: how many of the most exposed records are named, of the release where one is given.
            Private.

    Raises:
        DataError: figures that are none of these.
    """

    attributes: Sequence[str] | None = None
    combinations: int | None = None
    top: int = TOP
    threshold: float = THRESHOLD
    key_like: float = KEY_LIKE
    weights: str | None = None
    exposed: int = TOP

    def __post_init__(self) -> None:
        problems = Problems(
            Problem("bad-setting", f"{name} must be a share from 0 to 1, not {value:g}")
            for name, value in (("threshold", self.threshold), ("key_like", self.key_like))
            if not 0 <= value <= 1
        )
        if self.combinations is not None and self.combinations < 1:
            problems.add("bad-setting", f"combinations must be 1 or more, not {self.combinations}")
        for name, number in (("top", self.top), ("exposed", self.exposed)):
            if number < 0:
                problems.add("bad-setting", f"{name} must be 0 or more, not {number}")
        refuse(DataError, problems)


@dataclass(frozen=True, eq=False)
class Given:
    """What is there beside a table.

    Arguments:
        roles: the role of every column, where a policy says so; else those that the profile
            suggests. Identifiers, which no release holds, are not analysed.
        taxonomy_of: the hierarchy of a quasi-identifier with those values, which occur so often;
            without, the one that the profile suggests.
        release: the published table, to tell what is left to leak.
        left_out: columns of the profile that the table lacks, and why.
        rows: the number of records, where the table has a row for every person.
        not_applicable: of sensitive attributes the values that say that there is nothing to know.
    """

    roles: Mapping[str, Role] | None = None
    taxonomy_of: TaxonomyOf | None = None
    release: Table | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    rows: int | None = None
    not_applicable: Mapping[str, Collection[str]] = field(default_factory=dict)


def assess_table(
    table: Table,
    profile: Profile,
    asked: Asked,
    given: Given,
    *,
    tell: Progress,
) -> Assessment:
    """What a table leaks.

    Arguments:
        table: the private table.
        profile: what its columns look like.
        asked: what is asked of it.
        given: what is there beside it.
        tell: a function that gets the stage and the share done.

    Raises:
        DataError: an unknown column, no column to analyse, weights that are no weights.
    """
    known = known_roles(given.roles, profile)
    of_whom = [] if asked.weights is None else [asked.weights]
    require_columns(table, [*(asked.attributes or ()), *of_whom])
    names, others = _analysed(table, profile, asked, given)
    tell("counting", None)
    encoded = encode(table, names, asked.weights)
    analysis = encoded.analysis
    quasi, learnt = _played(names, known)
    sensitive = {name: given.not_applicable.get(name, ()) for name in learnt}
    singles = {item.attributes[0]: item for item in analysis.singles()}
    together = analysis.of(quasi)
    most = asked.combinations or (3 if math.comb(len(names), 3) <= LOOKED_AT else 2)
    leakage = _listed(analysis, asked.combinations, asked.attributes, tell)
    hierarchies = _hierarchies(encoded, given.taxonomy_of or _drafted(profile))
    change = None
    release, threshold, key_like = given.release, asked.threshold, asked.key_like
    if release is not None:
        tell("reading the release", None)
        change = compare_leakage(
            encoded,
            release,
            names,
            shield=quasi,
            threshold=threshold,
            known=Known(known, sensitive, hierarchies),
        )
    leaking = [name for name in quasi if singles[name].normalized >= threshold]
    leaking = [name for name in leaking if known[name] == "quasi-identifier"]
    advice = [_level_advice(encoded, name, hierarchies(name), threshold) for name in leaking]
    return Assessment(
        table=table.name,
        records=analysis.records,
        entropy=analysis.entropy,
        roles={name: known[name] for name in names},
        left_out=tuple(others),
        leakage=tuple(leakage),
        together=together,
        # Before combinations are compared, of which much is kept in memory.
        sensitive=tuple(
            sensitive_leakage(encoded, name, quasi, without) for name, without in sensitive.items()
        ),
        shield=_shield(analysis, quasi, singles, known, given.rows is not None, threshold),
        top=tuple(
            analysis.top(
                most,
                asked.top,
                below=key_like - TINY,
                progress=lambda share: tell("comparing combinations", share),
            )
        ),
        key_like=tuple(
            analysis.minimal_above(
                key_like, most, progress=lambda share: tell("looking for keys", share)
            )
        ),
        min_levels=tuple(item for item in advice if item is not None),
        profile=profile,
        threshold=threshold,
        change=change,
        exposed=_exposed(
            encoded if release is None else _shown(release, quasi), quasi, asked.exposed
        ),
        exposed_rows="table" if release is None else "release",
        rows=given.rows,
    )


def known_roles(roles: Mapping[str, Role] | None, profile: Profile) -> Mapping[str, Role]:
    """The roles that are decided, else those that the profile suggests."""
    return roles or {item.attribute: item.role for item in profile.attributes}


def _analysed(
    table: Table, profile: Profile, asked: Asked, given: Given
) -> tuple[list[str], list[LeftOut]]:
    names, left_out = [], []
    chosen, weights, lacking = asked.attributes, asked.weights, given.left_out
    known = known_roles(given.roles, profile)
    why = {item.attribute: item.why for item in profile.attributes}
    for name in dict.fromkeys([*why, *table.columns]):
        if name == weights and name not in (chosen or ()):
            left_out.append(LeftOut(name, "holds the weights of the records"))
        elif chosen is not None and name not in chosen:
            left_out.append(LeftOut(name, "was not asked for"))
        elif chosen is None and known[name] == "identifier":
            says = "the policy leaves it out" if given.roles else f"an identifier: {why[name]}"
            left_out.append(LeftOut(name, says))
        elif name in lacking:
            left_out.append(LeftOut(name, lacking[name]))
        else:
            names.append(name)
    if not names:
        raise DataError(
            "nothing-to-assess",
            "no column was named"
            if chosen is not None
            else "every column is an identifier, which no release holds",
            file=table.name,
            remedy="name the columns to look at with --attributes (in Python: attributes)",
        )
    return names, left_out


def _played(names: Sequence[str], roles: Mapping[str, Role]) -> tuple[list[str], list[str]]:
    """The quasi-identifiers (failing these all that is not sensitive) and the sensitive ones."""
    sensitive = [name for name in names if roles[name] == "sensitive"]
    quasi = [name for name in names if roles[name] == "quasi-identifier"]
    quasi = quasi or [name for name in names if name not in sensitive]
    return (quasi, sensitive) if quasi else (list(names), [])


def _listed(
    analysis: LeakageAnalysis,
    combinations: int | None,
    chosen: Sequence[str] | None,
    tell: Progress,
) -> list[Leakage]:
    found = analysis.singles()
    if combinations is not None and combinations > 1:
        further = analysis.combinations(
            combinations,
            least=2,
            progress=lambda share: tell("measuring combinations", share),
        )
        place = {name: at for at, name in enumerate(analysis.attributes)}
        found += sorted(
            further,
            key=lambda item: (len(item.attributes), [place[name] for name in item.attributes]),
        )
    if chosen is not None and len(set(chosen)) > max(combinations or 1, 1):
        found.append(analysis.of(chosen))
    return found


def _shield(
    analysis: LeakageAnalysis,
    quasi: Sequence[str],
    singles: Mapping[str, Leakage],
    roles: Mapping[str, Role],
    people: bool,
    threshold: float,
) -> Shield:
    ranked = sorted(quasi, key=lambda name: -singles[name].loss)
    ranked = [name for name in ranked if singles[name].loss > TINY]
    whole = analysis.entropy
    why, before = [], 0.0
    for at, name in enumerate(ranked):
        alone = singles[name]
        now = analysis.of(ranked[: at + 1]).loss
        text = f"{name} alone leaks {alone.loss:.2f} of {whole:.2f} bits ({alone.normalized:.0%})"
        if at and now - before < 0.005:
            text += " and adds next to nothing to those before it"
        elif at:
            text += f" and adds {now - before:.2f} to those before it"
        why.append(text)
        before = now
    if len(ranked) > 1:
        together, units = analysis.of(quasi), "people" if people else "records"
        why.append(
            f"together they leak {together.loss:.2f} bits ({together.normalized:.0%}): "
            f"{together.alone:.1%} of the {units} are unique"
        )
    for name, item in singles.items():
        if name not in quasi and item.normalized >= threshold:
            why.append(
                f"{name} is not among them because it counts as {roles[name]}, but leaks "
                f"{item.normalized:.0%}: if anybody could know it, it belongs to them, or out of"
                " the release"
            )
    return Shield(tuple(ranked), tuple(why))


def _drafted(profile: Profile) -> TaxonomyOf:
    """The hierarchies that a first policy would have."""

    def taxonomy_of(
        name: str, values: Sequence[str | None], counts: Sequence[int]
    ) -> Taxonomy | None:
        if profile[name].hierarchy is None:
            return None
        return build_taxonomy(
            name, profile[name].hierarchy, values, counts, directory=".", uncovered="suppress"
        )

    return taxonomy_of


def _hierarchies(encoded: Encoded, taxonomy_of: TaxonomyOf) -> Callable[[str], Taxonomy | None]:
    table = encoded.analysis.table

    def of(name: str) -> Taxonomy | None:
        codes = table.codes[table.attributes.index(name)]
        counts = np.bincount(codes, table.weight, len(encoded.domains[name])).astype(np.int64)
        return taxonomy_of(name, encoded.domains[name], counts.tolist())

    return of


def _level_advice(
    encoded: Encoded, name: str, taxonomy: Taxonomy | None, threshold: float
) -> LevelAdvice | None:
    """The lowest level that leaks less than the threshold, failing this the last before the top."""
    if taxonomy is None or taxonomy.height < 2:
        return None
    shares = leakage_by_level(encoded, name, taxonomy)
    level = level_below(shares, threshold, 1) or taxonomy.height - 1
    return LevelAdvice(name, level, shares[level])


def exposed_people(first: Ints, fit: Ints, records: int, number: int) -> tuple[Exposed, ...]:
    """Who is exposed in a release: those whom fewest of its rows fit, and any.

    Arguments:
        first: the first row of everybody in the private table, from 0, [n].
        fit: how many rows of the release fit them, [n].
        records: rows of the release.
        number: how many are named.
    """
    there = np.flatnonzero(fit > 0)
    most = there[np.argsort(fit[there], kind="stable")[: max(number, 0)]]
    return tuple(
        Exposed(int(first[at]) + 1, float(np.log2(records / fit[at])), int(fit[at])) for at in most
    )


def _shown(release: Table, quasi: Sequence[str]) -> Encoded:
    """A release as far as it shows quasi-identifiers."""
    return encode(release, [name for name in quasi if name in release.columns])


def _exposed(encoded: Encoded, quasi: Sequence[str], number: int) -> tuple[Exposed, ...]:
    if encoded.combination_of is None or number < 1:
        return ()
    analysis = encoded.analysis
    quasi = [name for name in quasi if name in analysis.table.attributes]
    loss = analysis.loss_of_combinations(quasi)
    class_of = analysis.classes(quasi)
    size = np.bincount(class_of, analysis.table.weight)
    of_record = encoded.combination_of
    rows = np.argsort(-np.round(loss, 9)[of_record], kind="stable")[:number]
    return tuple(
        Exposed(int(row) + 1, float(loss[of_record[row]]), int(size[class_of[of_record[row]]]))
        for row in rows
    )
