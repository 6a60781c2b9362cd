"""All that is out, as a ledger knows it, held against what was promised."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from heapq import merge
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.analytics.series.joined_rows import Joined, joined_rows, unproved
from indistinct.analytics.series.together import Composition, Series
from indistinct.document import Document, Grid, Line, Part, PlainData, in_quotes, many, shown
from indistinct.errors import InputError
from indistinct.frozen import dataclass
from indistinct.privacy.alpha_k_anonymity import AlphaKAnonymity
from indistinct.privacy.balanced_p_plus_sensitive import BalancedPPlusSensitive
from indistinct.privacy.differential_privacy import DifferentialPrivacy
from indistinct.privacy.distinct_l_diversity import DistinctValues
from indistinct.privacy.entropy_l_diversity import EntropyLDiversity
from indistinct.privacy.kl_cover import KLCover
from indistinct.privacy.m_invariance import Signatures
from indistinct.privacy.max_posterior import MaxPosterior
from indistinct.privacy.p_alpha_sensitive import WeighedSensitive
from indistinct.privacy.p_plus_sensitive import PPlusSensitive
from indistinct.privacy.promise import Promise, known_promise
from indistinct.privacy.recursive_cl_diversity import RecursiveCLDiversity
from indistinct.privacy.values import AboutValues, not_applicable
from indistinct.release.ledger import Entry, Ledger, numbered, written
from indistinct.requirement import Requirement
from indistinct.types import Bools, Floats, Plain

NEAR = 1e-3
"""A belief that is no more than this above a bound keeps it: so much may be missing of fitting."""

JUDGED = (MaxPosterior, AlphaKAnonymity, DistinctValues)
"""Promises about beliefs and possible values, which are held against all releases together."""

BY_VALUES = (
    EntropyLDiversity,
    RecursiveCLDiversity,
    PPlusSensitive,
    WeighedSensitive,
    BalancedPPlusSensitive,
)
"""Promises that are broken where too few values are possible, and of which no more is looked at."""


@dataclass(frozen=True)
class Broken(PlainData):
    """A promise that all releases together break.

    Arguments:
        promise: the promise.
        people: how many people it is broken for.
        worst: the largest belief in a value of one of them; None where it is about no belief.
        unlike: whether it is not known to be broken, but the releases write values in ways that
            cannot be compared.
    """

    told_keys: ClassVar = (
        "model=promise.model parameters=promise.parameters sensitive=promise.sensitive people "
        "worst unlike?"
    )

    promise: Requirement
    people: int
    worst: float | None
    unlike: bool = False


@dataclass(frozen=True)
class Pair(PlainData):
    """What two releases say together of an attribute, of those who are in either.

    Arguments:
        releases: their numbers.
        attribute: the attribute.
        worst: the largest belief in a value of somebody.
        certain: people of whom a value is certain.
    """

    releases: tuple[int, int]
    attribute: str
    worst: float
    certain: int


@dataclass(frozen=True)
class LedgerReport(Document):
    """What all releases of a ledger say together; private.

    Arguments:
        releases: how many there are.
        people: how many people are in them.
        compositions: by sensitive attribute what a reader believes about everybody.
        broken: the promises that are broken by all together.
        unproved: promises about one release only, which were not checked.
        pairs: what every two releases say together, worst first, if requested.
        joined: by sensitive attribute of whom rows may tell more than classes list.
        notes: what was not compared.
        looked_at: how many promises were checked over the releases.
    """

    releases: int
    people: int
    compositions: Mapping[str, Composition] = field(default_factory=dict)
    broken: Sequence[Broken] = ()
    unproved: Sequence[str] = ()
    pairs: Sequence[Pair] = ()
    joined: Mapping[str, Joined] = field(default_factory=dict)
    notes: Sequence[str] = ()
    looked_at: int = 0

    @property
    def holds(self) -> bool:
        """Whether no promise is broken."""
        return not self.broken

    def __repr__(self) -> str:
        word = "no promise broken" if self.holds else f"{many(len(self.broken), 'promise')} broken"
        releases = many(self.releases, "release")
        return f"<LedgerReport: {releases} of {many(self.people, 'person')}, {word}>"

    def to_dict(self) -> Plain:
        """The report as plain data."""
        return {
            "releases": self.releases,
            "people": self.people,
            "holds": self.holds,
            "worst_posterior": max((one.worst for one in self.compositions.values()), default=0.0),
            "broken": [one.to_dict() for one in self.broken],
            "attributes": [
                _figures(one) | _of_joined(self.joined.get(name))
                for name, one in self.compositions.items()
            ],
            "not_looked_at": list(self.unproved),
            "notes": list(self.notes),
            **({"pairs": [one.to_dict() for one in self.pairs]} if self.pairs else {}),
        }

    def beliefs(self) -> pl.DataFrame:
        """What is believed about everybody by now, worst first.

        A row for each person and attribute: the keyed hash, in how many releases the person is, the
        largest belief in a value by one release, by all, and what none can exceed.
        """
        columns = ("person", "attribute", "releases", "one_release", "together", "at_most")
        found = []
        for one in self.compositions.values():
            figures = (one.releases, one.alone, np.maximum(one.alone, one.together), one.bound)
            found.append(
                pl.DataFrame(
                    {
                        "person": written(one.hashes),
                        "attribute": [one.attribute] * len(one.hashes),
                        **dict(zip(columns[2:], figures, strict=True)),
                    }
                )
            )
        told = pl.concat(found) if found else pl.DataFrame(schema=columns)
        worst = ["together", "at_most", "releases"]
        return told.sort([*worst, "person"], descending=[True, True, True, False])

    def parts(self) -> Iterator[Part]:
        """The beliefs by attribute, and what is broken."""
        releases = many(self.releases, "release", "releases")
        yield Line(f"{releases} of {many(self.people, 'person', 'people')}", "title")
        columns = ("attribute", "in several", "one release", "together", "at most", "certain")
        rows = [
            (
                item["attribute"],
                shown(item["in_several"]),
                f"{item['worst_alone']:.0%}",
                f"{item['worst_together']:.0%}",
                f"{item['bound']:.0%}",
                shown(item["certain"]),
            )
            for item in self.to_dict()["attributes"]
        ]
        yield Grid(columns, rows, right=columns[1:])
        if self.pairs:
            pairs = [
                ("{} and {}".format(*one.releases), one.attribute, f"{one.worst:.0%}",
                 shown(one.certain))
                for one in self.pairs
            ]  # fmt: skip
            yield Grid(("releases", "attribute", "together", "certain"), pairs, right=columns[3:])
        for one in self.broken:
            if one.unlike:
                whom = many(one.people, "person", "people")
                yield Line(f"{one.promise} is not proved for {whom}", "doubt")
                continue
            worst = "" if one.worst is None else f" (one value is believed with {one.worst:.0%})"
            whom = many(one.people, "person", "people")
            yield Line(f"{one.promise} is broken for {whom}{worst}", "bad")
        if self.unproved:
            yield Line(f"not looked at over releases: {', '.join(self.unproved)}")
        divided = unproved(self.joined)
        for text in (*divided, *self.notes):
            yield Line(text, "doubt")
        other = "other " * bool(self.unproved)
        holds = f"every {other}promise holds" + ", as far as classes tell" * bool(divided)
        if self.unproved and not self.looked_at:
            holds = "no promise is checked over releases"
        lacking = "NOT PROVED for" if all(one.unlike for one in self.broken) else "BROKEN by"
        yield Line(holds if self.holds else f"{lacking} all releases together")


def _of_joined(found: Joined | None) -> Plain:
    if found is None or not found.people.any():
        return {"joined": 0, "joined_by": [], "known": [], "unlisted": False}
    return {
        "joined": int(found.people.sum()),
        "joined_by": list(found.columns),
        "known": list(found.known),
        "unlisted": found.unlisted,
    }


def _figures(found: Composition) -> Plain:
    return {
        "attribute": found.attribute,
        "people": len(found.alone),
        "in_several": int((found.releases > 1).sum()),
        "worst_alone": float(found.alone.max(initial=0.0)),
        "worst_together": float(found.together.max(initial=0.0)),
        "bound": float(found.bound.max(initial=0.0)),
        "proved": int((found.bound < 1).sum()),
        "certain": int((found.together >= 1 - NEAR).sum()),
        "fewest_values": int(found.left.min()) if len(found.left) else 0,
    }


def check_ledger(path: str | Path, *others: str | Path, pairs: bool = False) -> LedgerReport:
    """Check all published releases against their promises.

    Arguments:
        path: the folder of the ledger.
        others: further ledgers, of custodians who publish about the same people and share the key.
        pairs: whether every two releases are also compared.

    Raises:
        InputError: there is no ledger; or two ledgers have different keys, so their people cannot
            be compared.
    """
    ledgers = [Ledger(one).entries() for one in (path, *others)]
    entries = [*merge(*ledgers, key=lambda one: one.created)]
    signs = {one.account.get("key_check") for one in entries}
    if len(signs - {None}) > 1 or (others and None in signs and not _all_meet(ledgers)):
        raise InputError(
            "other-key",
            "the ledgers hash people with different keys, so nobody in one is found in another",
            file=str(path),
            remedy="let both policies name one key from the first release on, by key_env or "
            "key_file under [ledger]",
        )
    found = reported(entries)
    return replace(found, pairs=_pairs(entries)) if pairs else found


def _pairs(entries: Sequence[Entry]) -> list[Pair]:
    """What every two releases say together, worst first; numbered in the order of the releases."""
    found = []
    promises = _promises(entries)
    for (first, one), (second, other) in combinations(enumerate(entries, start=1), 2):
        for name in one.listed.keys() & other.listed.keys():
            series = Series.of([one, other], name, about=_applying(name, promises))
            if series.unlike.any():
                continue
            figures = _figures(series.composed())
            worst, certain = figures["worst_together"], figures["certain"]
            found.append(Pair((first, second), name, worst, certain))
    return sorted(found, key=lambda pair: (-pair.worst, -pair.certain, pair.releases))


def _all_meet(ledgers: Sequence[Sequence[Entry]]) -> bool:
    """Whether each ledger shares people with the first: nobody does where the keys differ."""
    held = [{tuple(row) for one in each for row in one.people.tolist()} for each in ledgers]
    return all(held[0] & other for other in held[1:])


def reported(entries: Sequence[Entry], *, of_last: bool = False) -> LedgerReport:
    """What releases say together.

    Arguments:
        entries: the releases.
        of_last: only promises count that are broken for people of the last release, or by it for
            others: what its people have tells of those who are not in it.
    """
    promises = _promises(entries)
    names = dict.fromkeys(name for entry in entries for name in entry.listed)
    broken, not_looked_at, looked_at = [], dict[str, None](), 0
    series = {name: Series.of(entries, name, about=_applying(name, promises)) for name in names}
    joined = {name: joined_rows(one, entries) for name, one in series.items()}
    compositions = {name: _composed(one, joined[name].people) for name, one in series.items()}
    for promise in promises:
        about = compositions.get(str(promise.sensitive))
        judged = None
        if about is not None:
            own, torn = series[about.attribute], joined[about.attribute].people
            kind = known_promise(promise)
            if isinstance(kind, JUDGED) and not kind.about_all:
                own = Series.of(entries, about.attribute, about=kind)
                about = _composed(own, torn)
            judged = _judged(promise, own, about, entries, torn)
        if about is None or judged is None:
            not_looked_at[str(promise)] = None
            continue
        there, belief = judged
        unlike = ~there & own.unlike & _compares(promise)
        if of_last:
            counts = _new(promise, own, there | unlike, entries)
            there, unlike = there & counts, unlike & counts
        if isinstance(kind, BY_VALUES) and not there.any():
            not_looked_at[str(promise)] = None
            continue
        looked_at += 1
        if there.any():
            worst = None if belief is None else float(belief[there].max())
            broken.append(Broken(promise, int(there.sum()), worst))
        elif unlike.any():
            broken.append(Broken(promise, int(unlike.sum()), None, unlike=True))
    held = sum(len(entry.people) for entry in entries)
    of_all = (one.people for one in series.values() if one.members.height == held)
    everybody = next(of_all, None)
    if everybody is None:
        everybody = len(np.unique(numbered([entry.people for entry in entries])[1]))
    return LedgerReport(
        len(entries),
        everybody,
        compositions,
        broken,
        list(not_looked_at),
        joined=joined,
        notes=[
            *_alone(series, entries, everybody),
            *_unlike(series),
            *_changed(series, compositions),
            *_added_up(entries),
        ],
        looked_at=looked_at,
    )


def _added_up(entries: Sequence[Entry]) -> list[str]:
    """What releases under differential privacy promise together (Dwork and others 2006)."""
    each = [map(known_promise, _promises([entry])) for entry in entries]
    spent = [one for made in each for one in made if isinstance(one, DifferentialPrivacy)]
    if not spent or len(entries) < 2:
        return []
    epsilon, delta = sum(one.epsilon for one in spent), sum(one.delta for one in spent)
    of = "both" if len(entries) == 2 else f"all {len(entries)}"
    if others := len(entries) - len(spent):
        without = many(others, "release was", "releases were")
        return [
            f"{without} made without differential privacy, and {of} together promise none; those "
            f"with it add up to epsilon = {epsilon:g}, delta = {delta:g}"
        ]
    return [
        f"differential privacy adds up: {of} releases together promise epsilon = {epsilon:g}, "
        f"delta = {delta:g} to people whose records are in all of their tables"
    ]


def _promises(entries: Sequence[Entry]) -> list[Requirement]:
    """The promises of some releases, each once."""
    found: dict[str, Requirement] = {}
    for entry in entries:
        for item in entry.account.get("promises", ()):
            one = Requirement.from_dict(item)
            found[json.dumps(one.to_dict(), sort_keys=True)] = one
    return [*found.values()]


def _applying(name: str, promises: Sequence[Requirement]) -> AboutValues | None:
    """What is not applicable by all promises about an attribute, as a bound; None for nothing.

    Others know to whom an attribute applies, so that who has none of its values hides nobody.
    """
    parts = [known_promise(one) for one in promises if one.sensitive == name]
    without = not_applicable(parts)
    if not without or not all(isinstance(part, AboutValues) for part in parts):
        return None
    return MaxPosterior(sensitive=name, bound=1, not_applicable=tuple(sorted(without)))


def _composed(series: Series, torn: Bools) -> Composition:
    """The beliefs about everybody; nothing is proved of those whose rows or values are unlike."""
    found = series.composed()
    if not (unproved_of := torn | series.unlike).any():
        return found
    return replace(found, bound=np.where(unproved_of, 1.0, found.bound))


def _new(promise: Requirement, series: Series, broken: Bools, entries: Sequence[Entry]) -> Bools:
    """Of whom a broken promise counts against the last release, [people].

    These are the people in it, and others for whom all earlier releases together keep the promise.

    Arguments:
        promise: the promise.
        series: all releases.
        broken: for whom all of them break it, or leave it unproved, [people].
        entries: the releases.
    """
    last = series.members.filter(pl.col("release") == len(entries) - 1)["person"]
    found = np.zeros(series.people, np.bool_)
    found[last.to_numpy()] = True
    if not (broken & ~found).any():
        return found
    before = Series.of(entries[:-1], series.attribute, about=series.about)
    torn = joined_rows(before, entries[:-1]).people
    judged = _judged(promise, before, _composed(before, torn), entries[:-1], torn)
    assert judged is not None
    already = before.hashes[judged[0] | (before.unlike & _compares(promise))]
    order, person = numbered([series.hashes, already])
    told = np.zeros(series.people, np.bool_)
    told[order[np.flatnonzero(person[1:] == person[:-1])]] = True
    return found | ~told


def _compares(promise: Requirement) -> bool:
    """Whether values of several releases are compared: in a cover people are, and not values."""
    return not isinstance(known_promise(promise), KLCover)


def _alone(series: Mapping[str, Series], entries: Sequence[Entry], people: int) -> list[str]:
    """What stands in one of several releases alone, so that nothing was compared."""
    if len(entries) < 2:
        return []
    if people == sum(len(entry.people) for entry in entries):
        return [
            "nobody is in two releases: nothing was compared; people whose names are written "
            "in two ways count as two"
        ]
    few = [f"'{name}'" for name, one in series.items() if one.members["release"].n_unique() < 2]
    return [
        f"only one release lists {', '.join(few)}: nothing was compared; under another name in "
        "another release, it counts as another attribute"
    ] * bool(few)


def _unlike(series: Mapping[str, Series]) -> list[str]:
    """What stands in several releases in ways that cannot be compared."""
    names_of: dict[int, list[str]] = {}
    for name, one in series.items():
        if one.unlike.any():
            names_of.setdefault(int(one.unlike.sum()), []).append(name)
    return [
        f"{in_quotes(names)}: releases write the values in several ways (as they are, as groups, "
        f"rounded), so nothing is proved of {many(people, 'person', 'people')}: a reader who knows "
        "which values a group stands for may find the only one that fits"
        for people, names in names_of.items()
    ]


def _changed(series: Mapping[str, Series], found: Mapping[str, Composition]) -> list[str]:
    """Whose values are taken for changed: they may be the same in other words or codes."""
    changed = {
        name: many(int(mask.sum()), "person", "people")
        for name, one in found.items()
        if (mask := one.changed & ~series[name].unlike).any()
    }
    return [
        f"'{name}': releases of {who} contradict each other, so a value is taken for changed; "
        "where the same value is written in other words or codes, both may tell it"
        for name, who in changed.items()
    ]


def _judged(
    promise: Requirement,
    series: Series,
    found: Composition,
    entries: Sequence[Entry],
    torn: Bools,
) -> tuple[Bools, Floats | None] | None:
    """For whom a promise is broken [n], and what is believed of them; None: it says nothing.

    Of whose classes are divided by rows that can be joined (``torn``, [n]) nothing is proved.
    """
    kind = known_promise(promise)
    if isinstance(kind, Signatures):
        changed = series.changed(consecutive=kind.consecutive)
        there = np.zeros(len(found.alone), np.bool_)
        there[changed] = True
        return there, found.together
    if isinstance(kind, KLCover):
        return _uncovered(kind, entries, series) | torn, None
    if isinstance(kind, MaxPosterior | AlphaKAnonymity):
        belief = np.maximum(found.alone, found.together)
        most = kind.alpha if isinstance(kind, AlphaKAnonymity) else kind.bound
        if isinstance(kind, MaxPosterior) and kind.over == "releases":
            belief = found.bound
        return belief > most + NEAR, belief
    if isinstance(kind, DistinctValues) and not (kind.values or kind.not_values):
        return found.left < kind.least_values, found.together
    if isinstance(kind, BY_VALUES):
        return found.left < _least_values(kind), found.together
    return None


def _least_values(kind: Promise) -> int:
    """Different values that a class needs at least to keep a promise that asks for more than that.

    >>> _least_values(EntropyLDiversity(l=1.5, sensitive="ill"))
    2
    >>> _least_values(PPlusSensitive(p=3, sensitive="ill"))
    3
    """
    if isinstance(kind, EntropyLDiversity):
        return math.ceil(kind.l - NEAR)
    return int(kind.parameters["l" if isinstance(kind, RecursiveCLDiversity) else "p"])


def _uncovered(promise: KLCover, entries: Sequence[Entry], series: Series) -> Bools:
    """Who is with too few people in all of their releases, or has too few values left, [n].

    Categories are those of every release in turn: a value may be in another one later.
    """
    if promise.of == "values":
        left = series.possible()
    else:
        told = [entry.account.get("categories", {}).get(series.attribute, ()) for entry in entries]
        any_of = {label: category for each in told for label, category in each}
        groupings: list[dict[str | None, str]] = []
        for each in told:
            if (grouping := any_of | dict(each)) not in groupings:
                groupings.append(grouping)
        left = np.minimum.reduce(
            [Series.of(entries, series.attribute, one).possible() for one in groupings]
        )
    return (series.companions() < promise.k) | (left < promise.l)


def over_releases(promise: Requirement) -> bool:
    """Whether a promise is about all releases of a person."""
    about_all = isinstance(known_promise(promise), Signatures | KLCover)
    return about_all or promise.parameters.get("over") == "releases"
