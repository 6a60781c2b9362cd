"""The promises about values as an attacker sees them that thinks of how a release was made."""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import AttackContext
from indistinct.frozen import dataclass
from indistinct.kernels.ragged import Ragged
from indistinct.metadata import NO_METADATA
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.promise import Promise, known_promise
from indistinct.types import Bools, Floats, Ints, Ints32


@dataclass(frozen=True)
class Asked:
    """The promises as this attacker reads them.

    Arguments:
        sizes: attributes (by place) over which classes have at least so many records.
        about: promises about sensitive values.
    """

    sizes: tuple[tuple[tuple[int, ...], int], ...]
    about: tuple[Promise, ...]

    @property
    def monotone(self) -> bool:
        """Whether a plan that breaks a promise stands above plans that break it, too.

        Closed under union is enough. What a promise compares with is the same for all plans here,
        since all publish the same records.
        """
        return all(item.closure in ("superset", "union") for item in self.about)

    @property
    def lasting(self) -> bool:
        """Whether parts of a class that breaks a promise break it, too."""
        return all(item.closure == "superset" for item in self.about)


def asked_about(context: AttackContext) -> Asked | str:
    """The promises, or why they are none that this attacker can use."""
    sizes: list[tuple[tuple[int, ...], int]] = []
    about: list[Promise] = []
    if not context.one_record_each:
        return (
            "people are put into buckets at random, so other runs tell nothing about this one, "
            "or exchanged between them (variant = 'paper'), which tells much, or there are more "
            "than 14,000 people: what their buckets tell was not tried"
            if context.linked_tables
            else "people with many records are looked at where the program can be run again as it "
            "ran: of at most 14,000 people, from the same first record, for promises about classes"
        )
    for item in context.promises:
        on = tuple(
            context.quasi.index(name) for name in item.on or context.quasi if name in context.quasi
        )
        if item.unit != "record":
            return "promises that count people and not records are not looked at"
        made = known_promise(item)
        if made is None:
            return f"the promise {item.model} cannot be computed here"
        if made.class_size > 1:
            sizes.append((on, made.class_size))
        if made.needs_population:
            return "promises about a population are not looked at"
        if item.sensitive is None:
            if made.largest_violating_size != made.class_size - 1:
                return f"the promise {item.model} is not looked at"
            continue
        if item.sensitive not in context.sensitive:
            return f"a promise is about '{item.sensitive}', which is not published"
        if len(on) < len(context.quasi):
            return "promises about some of the quasi-identifiers are not looked at"
        if made.missing_metadata(values_of(context, item.sensitive).domain) is not None:
            return f"what {item.model} needs to know of the values is not known"
        about.append(made)
    return Asked(tuple(sizes), tuple(about))


@dataclass(frozen=True)
class Values:
    """One sensitive attribute, its values those of the source and of the release.

    Arguments:
        domain: the values, and what is known of them.
        truth: the value of every person, [n].
        published: that of every published row, [r].
    """

    domain: SensitiveDomain
    truth: Ints32
    published: Ints32


def values_of(context: AttackContext, name: str) -> Values:
    """One attribute of a release in which every record is of another person."""
    assert context.shown is not None
    people, rows = context.values[name], context.buckets[name].labels
    labels = sorted_values(pl.Series([*people.labels, *rows], dtype=pl.String))
    place = {label: at for at, label in enumerate(labels)}
    own, theirs = (np.array([place[v] for v in part], np.int32) for part in (people.labels, rows))
    known = context.known.get(name, NO_METADATA)
    return Values(SensitiveDomain(labels, known), own[people.index], theirs[context.shown[name]])


class Seen:
    """The values of people, as promises and this attacker see them."""

    def __init__(self, context: AttackContext, sensitive: str, asked: Asked) -> None:
        self.asked = asked
        names = [str(item.sensitive) for item in asked.about]
        self.values = {
            name: values_of(context, name) for name in dict.fromkeys([sensitive, *names])
        }
        self.class_of_row = context.places.class_of
        kinds, _, self.of_person = count_combinations(
            [own.truth for own in self.values.values()],
            [len(own.domain) for own in self.values.values()],
            np.ones(context.people.height, np.int64),
        )
        self.kinds = dict(zip(self.values, kinds, strict=True))
        self.number = len(kinds[0])
        self.kind = self.of_person.astype(np.int64)
        self.reference = {
            item: reference_of(context, self.values[str(item.sensitive)], item)
            for item in asked.about
        }
        self._starred = context.places.classes.starred[self.class_of_row]

    @property
    def about(self) -> set[str]:
        """The attributes that promises are about."""
        return {str(item.sensitive) for item in self.asked.about}

    def shown(self, name: str) -> Ints:
        """How often every value is published, [D]."""
        own = self.values[name]
        return np.bincount(own.published, minlength=len(own.domain)).astype(np.int64)

    def hidden(self, name: str) -> Ints | None:
        """The same in rows of ``*``; None where there are none."""
        own = self.values[name]
        if not self._starred.any() or self._starred.all():
            return None
        found = np.bincount(own.published[self._starred], minlength=len(own.domain))
        return found.astype(np.int64)

    def changed(self, class_of: Ints32) -> bool:
        """Whether classes list other values than those of their people."""
        inside, groups = class_of >= 0, int(self.class_of_row.max(initial=-1)) + 1
        for own in self.values.values():
            width = len(own.domain)
            true = class_of[inside].astype(np.int64) * width + own.truth[inside]
            told = self.class_of_row.astype(np.int64) * width + own.published
            there = np.zeros(groups, np.bool_)
            there[class_of[inside]] = True
            told = told[there[self.class_of_row]]
            counts = [np.bincount(of, minlength=groups * width) for of in (true, told)]
            if (counts[0] != counts[1]).any():
                return True
        return False

    def same(self, sensitive: str) -> Bools:
        """Which kinds of records have the same value, [K, K]."""
        own = self.kinds[sensitive]
        found: Bools = own[:, None] == own[None, :]
        return found

    def has(self, sensitive: str) -> Bools:
        """Which value each kind of record has, [K, D]."""
        own = self.kinds[sensitive]
        found: Bools = own[:, None] == np.arange(len(self.values[sensitive].domain))
        return found

    def mixed(self, class_of: Ints32) -> Bools:
        """Which classes have people of several kinds, [G]."""
        found: Bools = (self.counted(class_of) > 0).sum(axis=1) > 1
        return found

    def shares(self, sensitive: str, class_of: Ints32) -> Floats:
        """The share of everybody's own value in the class, [n]; of no meaning outside of one."""
        own = self.values[sensitive]
        inside = np.maximum(class_of, 0)
        width = len(own.domain)
        keys = inside.astype(np.int64) * width + own.truth
        there = class_of >= 0
        counts = np.bincount(keys[there], minlength=int(keys.max(initial=-1)) + 1)
        size = np.bincount(inside[there], minlength=int(inside.max(initial=-1)) + 1)
        found: Floats = counts[keys] / np.maximum(size[inside], 1)
        return found

    def counted(self, class_of: Ints32) -> Ints:
        """How often every kind occurs in each class, [G, K]."""
        there, groups = class_of >= 0, int(self.class_of_row.max(initial=-1)) + 1
        keys = class_of[there].astype(np.int64) * self.number + self.kind[there]
        found = np.bincount(keys, minlength=groups * self.number)
        return found.reshape(groups, self.number).astype(np.int64)

    def counted_in(self, parts: Ragged) -> Ints:
        """The same of parts, [P, K]."""
        keys = parts.row_of * self.number + self.kind[parts.value]
        found = np.bincount(keys, minlength=len(parts) * self.number)
        return found.reshape(len(parts), self.number).astype(np.int64)

    def counted_among(self, people: Ints) -> Ints:
        """The same of some people, [1, K]."""
        return np.bincount(self.kind[people], minlength=self.number)[None, :].astype(np.int64)

    def breaks(self, size: Ints, counts: Ints) -> Bools:
        """Which parts break a promise about values, [P], by their kinds, [P, K]."""
        broken = np.zeros(len(size), np.bool_)
        for name in self.about:
            cells = np.zeros((len(size), len(self.values[name].domain)), np.int64)
            for kind, value in enumerate(self.kinds[name].tolist()):
                cells[:, value] += counts[:, kind]
            broken |= self.breaks_about(name, size, cells)
        return broken

    def breaks_about(self, name: str, size: Ints, cells: Ints) -> Bools:
        """Which parts break a promise about an attribute, [P].

        Arguments:
            name: the attribute.
            size: people of each part, [P].
            cells: how often each value occurs in it, [P, D].
        """
        broken = np.zeros(len(size), np.bool_)
        for item in self.asked.about:
            if str(item.sensitive) == name:
                table = class_table(item, size, cells, self.reference[item], self.values[name])
                broken |= item.breaks(table)
        return broken


def reference_of(context: AttackContext, own: Values, item: Promise) -> Ints:
    """How often every value occurs in what a promise compares classes with, [D].

    Arguments:
        context: what the attacker is given.
        own: the values of the promise's attribute.
        item: the promise.
    """
    ordinary = context.places.classes.ordinary[context.places.class_of]
    values = own.truth if item.reference == "original" else own.published[ordinary]
    return np.bincount(values, minlength=len(own.domain)).astype(np.int64)


def class_table(item: Promise, size: Ints, cells: Ints, reference: Ints, own: Values) -> ClassTable:
    """Classes as a promise about one attribute reads them.

    Arguments:
        item: the promise.
        size: records of each class, [G].
        cells: how often each value occurs in it, [G, D].
        reference: how often it occurs in what classes are compared with, [D].
        own: the values.
    """
    name = str(item.sensitive)
    return ClassTable(
        np.zeros(0, np.int32), size, {name: cells}, {name: reference}, {name: own.domain}
    )
