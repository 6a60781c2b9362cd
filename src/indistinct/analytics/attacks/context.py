"""What attackers are given: people and what they have, published rows, and what these tell of them.

A release of two linked tables has a row for every person, with the number of a bucket, and a list
of sensitive values for every bucket. Every other release is the same. In a long release every
pseudonym has a bucket of its own, and everything that the bucket lists. In a release of records,
each of another person, every class is a bucket, and everybody has one of the values of the own
class. So there is one view of all of them, and its rows are people.

How the listed values belong to the people of a bucket is its *semantics*: everybody has ``one`` of
them, everybody has ``some`` (a value is listed once for everybody who has it), or everybody has
``all``. The share f(b, v) of a bucket's people who have a value is the number of times it is listed
over the number of people; for ``all`` it is 1. Of a person who is known to be in a class E, the
belief in a value is (1/|E|) sum of f(bucket of the row, v) over the rows of E (Fazal and others
2023, whose tables are linked so; the average over random worlds, in which every assignment of a
bucket's values to its people is equally likely, Machanavajjhala and others 2006). A person whom
several classes fit is believed to be in any row of them. Attackers with a register of all people
know more (:meth:`AttackContext.with_register`): all share the rows out, and classes that fit others
alone are likely theirs (:meth:`Places.row_weight`).

A person may have several values, and a release may publish categories or nodes of a hierarchy in
their place. What counts as the truth is every published label that covers one of the person's
values; taken is the one that is believed most (the worst case), for the prior too. A missing value
is no truth of people who have others. A label that is listed speaks for the labels above it as
well: where flu is listed, so is a respiratory disease. A label that covers all values there are,
such as the root of a hierarchy, says nothing and is nobody's truth. And where a whole set is listed
as one value, such as ``{cough, fever}``, it speaks for each of its members: a person who has it has
them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl

from indistinct.analytics.attacks.places import Classes, Places
from indistinct.analytics.attacks.refusals import Rerun, Tried
from indistinct.analytics.weighted import (
    Lists,
    Rows,
    Weighted,
    chosen_rows,
    compressed,
    each_its_own,
    expanded,
    gathered,
    numbers,
    ones,
    pointers,
)
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import Coverage, members_of, range_of
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.kernels.candidate_sets import over_buckets
from indistinct.kernels.class_matching import pool
from indistinct.kernels.grouping import number_lists
from indistinct.metadata import Value, ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.promise import known_promise, promised_class_size
from indistinct.privacy.values import AboutValues, not_applicable
from indistinct.requirement import Requirement
from indistinct.types import Array, Bools, Floats, Ints, Ints32

SURE = 1e-9
"""Beliefs that differ by less are equal; a share of people below 1 differs from it by more."""

BUCKET_SEMANTICS = ("one", "some", "all")

Made = TypeVar("Made")


@dataclass(frozen=True)
class Spread:
    """How likely statements are: of the people of a bucket, of a class, of a candidate set, of all.

    Arguments:
        shares: the share of each bucket's people of whom it is true, [B].
        held: what these shares add up to over the rows of each class, [G].
        prior: the mean over all rows, [statements].
        sets: the classes of each candidate set, [K].
        row_weight: how likely rows of each class are somebody's whom several fit, [G].
    """

    shares: Weighted
    held: Weighted
    prior: Floats
    sets: Rows
    row_weight: Floats

    @cached_property
    def pooled(self) -> Weighted:
        """What the shares add up to over the rows of the classes of each candidate set, [K]."""
        return self.over(self.sets)

    def by_register(self, row_weight: Floats) -> Spread:
        """The same where rows of classes are differently likely; what is pooled is not made anew.

        Arguments:
            row_weight: how likely rows of each class are somebody's whom several fit, [G].
        """
        known = replace(self, row_weight=row_weight)
        vars(known)["pooled"] = self.pooled
        return known

    def over(self, sets: Rows) -> Weighted:
        """The same of some sets of classes."""
        return _pooled(self.held, sets, len(self.prior))

    @cached_property
    def weighed(self) -> Weighted:
        """The same, where each row counts as it is likely that of who fits several classes, [K]."""
        return self.weighed_over(self.sets)

    def weighed_over(self, sets: Rows) -> Weighted:
        """The same of some sets of classes."""
        held = self.held
        if (self.row_weight == 1).all():
            return self.pooled if sets is self.sets else self.over(sets)
        amount = held.amount * self.row_weight[held.row_of]
        return _pooled(Weighted(held.indptr, held.index, amount), sets, len(self.prior))


@dataclass(frozen=True)
class Own:
    """The labels that are true of people: those that cover one of a person's values.

    Arguments:
        person: whose label it is, rising, [pairs].
        label: the label, rising for each person, [pairs].
        values: how many of the person's values the label covers, [pairs].
        number: how many different values every person has, [n].
        indptr: where the pairs of each person begin, [n + 1].
    """

    person: Ints
    label: Ints32
    values: Ints
    number: Ints
    indptr: Ints

    def best(self, amount: Floats) -> Floats:
        """The largest amount of every person, 0 for people without a pair, [n]."""
        if len(self.person) == len(self.number) and self.alone:
            return np.maximum(amount, 0.0)
        found = np.zeros(len(self.number))
        if self.alone:
            found[self.person] = np.maximum(amount, 0.0)
        else:
            np.maximum.at(found, self.person, amount)
        return found

    @cached_property
    def alone(self) -> bool:
        """Whether nobody has several labels."""
        return bool((np.diff(self.indptr) <= 1).all())


@dataclass(frozen=True)
class Covering:
    """Which values labels stand for.

    Arguments:
        values: all values that are known: those of the source, of its categories and hierarchy.
        under: the values under each label, [labels].
        over: the labels that cover each value, [values]; without labels that cover all values and
            so say nothing.
        implied: the labels that a label speaks for: those that cover all it covers, [labels];
            again without labels that say nothing.
        touching: the labels that have a value in common with a label, [labels].
        unread: the labels that stand for nothing known; each counts as a value of its own.
    """

    values: tuple[Label, ...]
    under: Rows
    over: Rows
    implied: Rows
    touching: Rows
    unread: tuple[Label, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether no two labels have a value in common."""
        return len(self.touching.index) == len(self.touching)


@dataclass(frozen=True)
class Visits:
    """Visits of people, and what is published of visits.

    Arguments:
        own: the different visits of every person, as far as they can be told apart, [n].
        over: what each of them may be published as.
        shown: what is published of the visits of every person in the release, [p].
        vague: of what is published whether it may stand for any visit.
    """

    own: Rows
    over: Rows
    shown: Rows
    vague: Bools


@dataclass(frozen=True)
class Redrawn:
    """How values were drawn at random (PRAM), as the certificate says.

    Arguments:
        keep: the probability that a value stays; else another record's is drawn.
        within: the columns in whose groups values are drawn; none for all records.
    """

    keep: float
    within: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Perturbed:
    """A column whose values were moved, exchanged or drawn at random, and how.

    Arguments:
        own: everybody's true number, rank or code, NaN where it is missing, [n].
        shown: what every row shows, NaN where it is missing, [r].
        spread: how far everybody's was moved, above 0, [n]: the standard deviation, the scale, the
            largest shift, or the window in ranks.
        kind: ``gaussian``, ``laplace`` or ``uniform``.
        drawn: the logarithm of how likely a row shows its value whatever was true, [r]; 0 for all
            where not given.
        same: what is added to it where that was true, [r]; nothing where not given.
    """

    own: Floats
    shown: Floats
    spread: Floats
    kind: str
    drawn: Floats | None = None
    same: Floats | None = None


@dataclass(frozen=True)
class AttackContext:
    """Everything that attackers are given, and what several of them need to count.

    Arguments:
        places: people's exact quasi-identifiers, and the published rows.
        sensitive: the sensitive attributes.
        values: of each sensitive attribute the values of all records of every person, [n].
        bucket_of: the bucket of every row, [r].
        buckets: of each sensitive attribute what every bucket lists, [B].
        bucket_semantics: how the values of a bucket belong to its people: ``one``, ``some`` or
            ``all``.
        bucket_size: people of each bucket, suppressed ones too, [B]; its rows, where not given.
        known: what is known of sensitive values.
        promises: what the release promises.
        seed: of all that an attacker draws at random.
        may_contain: what the certificate says the release may contain: ``"noise"``, ``"decoys"``.
        kept_by_people: whether what is promised of beliefs holds without what is made up, as the
            certificate says.
        harmful: the values of each sensitive attribute that would harm most; where an attribute is
            not named, those of its most sensitive category.
        pseudonyms: of a long release the pseudonym of every row.
        records_of: how many records everybody has, [n]; None where that is not known.
        shown: of a release in which every record is of another person, and of each sensitive
            attribute, the value of every row, as a label of ``buckets``, [r].
        second: another release about the same people, in the same order; it may have a further one.
        untried: sensitive attributes whose truth cannot be found in the release, with the reason.
        codes: attributes whose values are codes, even where they look like numbers.
        cells: of each published column that somebody could know, the cells of every person who is
            published, suppressed or not, [p]: of linked tables, what the bucket lists.
        unknowable: published columns of which others cannot know the cells: perturbed ones.
        cells_of: which of these every row is, [r].
        joining: of the columns whose values are the same in every release, and stand in a row with
            others, the cells of every person who is published, [p].
        beside: of further columns, published as they are, what people have, [n].
        visits: quasi-identifiers of visits, each visit as a whole; None where there are none.
        tried: what the program tried in place of the published classes, and refused; None where
            that is not known.
        redrawn: sensitive attributes whose values were drawn at random, and how.
        perturbed: columns whose values were moved, exchanged or drawn at random, where every record
            is of another person.
    """

    places: Places
    sensitive: tuple[str, ...]
    values: Mapping[str, Lists]
    bucket_of: Ints32
    buckets: Mapping[str, Lists]
    bucket_semantics: str
    bucket_size: Ints | None = None
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    promises: tuple[Requirement, ...] = ()
    seed: int = 0
    may_contain: tuple[str, ...] = ()
    kept_by_people: bool = False
    harmful: Mapping[str, frozenset[Value]] = field(default_factory=dict)
    pseudonyms: tuple[str | None, ...] | None = None
    records_of: Ints | None = None
    shown: Mapping[str, Ints32] | None = None
    second: AttackContext | None = None
    untried: Mapping[str, str] = field(default_factory=dict)
    codes: Collection[str] = ()
    cells: Mapping[str, Lists] = field(default_factory=dict)
    unknowable: Sequence[str] = ()
    cells_of: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    joining: Mapping[str, Lists] = field(default_factory=dict)
    beside: Mapping[str, Lists] = field(default_factory=dict)
    visits: Visits | None = None
    tried: Tried | Rerun | None = None
    redrawn: Mapping[str, Redrawn] = field(default_factory=dict)
    perturbed: Mapping[str, Perturbed] = field(default_factory=dict)
    _kept: dict[tuple[str, str], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.bucket_semantics not in BUCKET_SEMANTICS:
            raise ValueError(
                f"bucket_semantics must be one of {BUCKET_SEMANTICS}, not {self.bucket_semantics!r}"
            )
        named = {
            name: frozenset(v for v, own in known.categories.items() if own == most)
            for name, known in self.known.items()
            for most in known.category_order[-1:]
        }
        object.__setattr__(self, "harmful", {**named, **self.harmful})

    @classmethod
    def of_records(
        cls, places: Places, people: pl.DataFrame, release: pl.DataFrame, **more: Any
    ) -> AttackContext:
        """What attackers are given where every record is of another person.

        Arguments:
            places: the quasi-identifiers.
            people: the sensitive values of everybody as text, [n]; null is missing.
            release: those of the published rows, the same columns, [r].
            more: the other fields.
        """
        own = Lists.singles(people.select(release.columns))
        return cls.of_lists(places, own, Lists.singles(release), **more)

    @classmethod
    def of_lists(
        cls, places: Places, values: Mapping[str, Lists], rows: Mapping[str, Lists], **more: Any
    ) -> AttackContext:
        """The same, given what everybody has and every published row shows, one value each.

        Arguments:
            places: the quasi-identifiers.
            values: of each sensitive attribute the value of everybody, [n].
            rows: those of the published rows, [r].
            more: the other fields.
        """
        class_of, groups = places.class_of, len(places.classes)
        return cls(
            places=places,
            sensitive=tuple(rows),
            values=values,
            bucket_of=class_of,
            buckets={name: _by_class(part, class_of, groups) for name, part in rows.items()},
            bucket_semantics="one",
            shown={name: part.index for name, part in rows.items()},
            **more,
        )

    def knowing(self, names: Sequence[str]) -> AttackContext:
        """What attackers are given who know some of a person's quasi-identifiers only.

        The release is the same, and so are its classes and buckets; more of them fit a person. Of
        further releases, those that have none of these quasi-identifiers are left out.

        Arguments:
            names: the quasi-identifiers that they know.

        Raises:
            ValueError: one of them is not a quasi-identifier of the release, or there is none.
        """
        if not names or not {*names} <= {*self.quasi}:
            raise ValueError(f"quasi-identifiers are {self.quasi}, not {tuple(names)}")
        second = self.second
        while second is not None and not {*names} & {*second.quasi}:
            second = second.second
        if second is not None:
            second = second.knowing([name for name in names if name in second.quasi])
        places = replace(self.places, known=tuple(names), combined=None)
        return replace(self, places=places, second=second)

    def applying(self, sensitive: str) -> AttackContext:
        """What attackers are given who know to whom an attribute applies.

        Where all promises about it say which values are not applicable, people and published rows
        with such a value are left aside: they hide nobody.
        """
        about = [item for item in self.promises if item.sensitive == sensitive]
        without = not_applicable(map(known_promise, about))
        if not without or not self.one_record_each:
            return self

        def made(_: str) -> AttackContext:
            own = self.values[sensitive]
            there = ~np.isin([label or "" for label in own.labels], [*without])
            return self.of_some(there[own.index], sensitive, without)

        return self.once("applying", sensitive, made)

    def of_some(self, people: Bools, sensitive: str, without: Collection[str]) -> AttackContext:
        """The same of some people, and of the rows that show none of some values.

        Arguments:
            people: which people, [n].
            sensitive: the attribute.
            without: its values.
        """
        second = None if self.second is None else self.second.of_some(people, sensitive, without)
        kept = pl.Series(people)
        values = Lists.singles(
            pl.DataFrame({name: _texts(self.values[name]).filter(kept) for name in self.sensitive})
        )
        places = replace(self.places, people=self.places.people.filter(kept), combined=None)
        if self.shown is None:
            return replace(self, places=places, values=values, second=second, perturbed={})
        listed = {name: _texts(self.buckets[name], self.shown[name]) for name in self.sensitive}
        there = pl.Series(np.ones(self.records, np.bool_))
        if sensitive in listed:
            there = ~listed[sensitive].fill_null("").is_in([*without])
        places = replace(places, rows=places.rows.filter(there))
        rows = Lists.singles(pl.DataFrame(listed).filter(there))
        class_of, groups = places.class_of, len(places.classes)
        return replace(
            self,
            places=places,
            values=values,
            bucket_of=class_of,
            buckets={name: _by_class(part, class_of, groups) for name, part in rows.items()},
            shown={name: part.index for name, part in rows.items()},
            bucket_size=None,
            cells_of=self.cells_of[there.to_numpy()] if len(self.cells_of) else self.cells_of,
            second=second,
            perturbed={},
        )

    @property
    def one_record_each(self) -> bool:
        """Whether every record is of another person, so that classes are the buckets."""
        return self.shown is not None

    @property
    def linked(self) -> bool:
        """Whether people share buckets that classes do not tell."""
        return self.shown is None and self.bucket_semantics != "all"

    @property
    def linked_tables(self) -> bool:
        """Whether a second table lists what people of a bucket have."""
        return self.shown is None and self.pseudonyms is None

    @property
    def units(self) -> str:
        """What the rows are called."""
        return "records" if self.one_record_each else "people"

    def truth(self, sensitive: str) -> str:
        """What the truth about an attribute is called, in a sentence."""
        if self.one_record_each:
            return f"the {sensitive}"
        return f"one of the own values of {sensitive}"

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.places.quasi

    @property
    def people(self) -> pl.DataFrame:
        """The people's exact quasi-identifiers, one row each."""
        return self.places.people

    @property
    def records(self) -> int:
        """Published rows, which are people."""
        return self.places.records

    @property
    def k(self) -> int | None:
        """The largest k promised for all quasi-identifiers together; None where none is."""
        counted = [item for item in self.promises if self.counts_rows(item)]
        return promised_class_size(counted, self.quasi)

    def counts_rows(self, item: Requirement) -> bool:
        """Whether a promise counts what rows are: records, or people with many records."""
        return item.unit == "record" or not self.one_record_each

    @property
    def classes(self) -> Classes:
        """The distinct rows of published cells, and how many people each holds."""
        return self.places.classes

    @property
    def set_of(self) -> Ints32:
        """The candidate set of every person, [n]: the classes that the person could stand in."""
        return self.places.set_of

    @property
    def found(self) -> Bools:
        """Which people could stand in a row at all, [n]."""
        return self.places.found

    @cached_property
    def number_of_buckets(self) -> int:
        """Buckets, B."""
        listed = [len(part) for part in self.buckets.values()]
        return max([*listed, int(self.bucket_of.max(initial=-1)) + 1])

    @cached_property
    def size_of(self) -> Ints:
        """People of every bucket, [B]."""
        if self.bucket_size is not None:
            return self.bucket_size
        return np.bincount(self.bucket_of, minlength=self.number_of_buckets).astype(np.int64)

    @cached_property
    def class_buckets(self) -> Weighted:
        """The buckets that each class is linked to, with the number of rows, [G]."""
        if self.one_record_each:
            own = each_its_own(len(self.classes))
            return Weighted(own.indptr, own.index, self.classes.size)
        buckets = max(self.number_of_buckets, 1)
        keys, count = np.unique(
            self.places.class_of.astype(np.int64) * buckets + self.bucket_of, return_counts=True
        )
        return Weighted(
            pointers(keys // buckets, len(self.classes)),
            (keys % buckets).astype(np.int32),
            count.astype(np.int64),
        )

    @cached_property
    def set_buckets(self) -> Weighted:
        """The buckets that the rows of each candidate set are linked to, with their number, [K]."""
        sets = self.places.candidate_sets
        return _pooled(self.class_buckets, sets, self.number_of_buckets)

    def bound_of_people(self, sensitive: str) -> float:
        """The largest share of a value that is promised without what is made up; 1 for any."""
        bounds = [
            float(item.parameters["bound"])
            for item in self.promises
            if item.model == "max-posterior"
            and item.sensitive == sensitive
            and not item.names_values
        ]
        return min([1.0, *bounds]) if self.kept_by_people else 1.0

    @cached_property
    def rows_of_people(self) -> Ints:
        """Rows of every class that can be somebody's, [G].

        Where some may be made up, those of the people of the source who could stand in the class,
        at most. Rows with ``*`` in every quasi-identifier are made for nobody.
        """
        size = self.classes.size
        if not any(word in self.may_contain for word in ("noise", "decoys")):
            return size
        met = self.places.compatible
        who = np.bincount(met.index, self.places.weight[met.row_of], minlength=len(size))
        return np.where(self.classes.ordinary, np.clip(who.astype(np.int64), 1, size), size)

    def groups(self, sensitive: str) -> tuple[Weighted, Ints]:
        """Whose values are not told apart: how often each occurs in every group, and its people.

        Groups are buckets of linked tables, else classes.
        """
        if self.linked or self.one_record_each:
            return self.buckets[sensitive], self.size_of
        held = self.listed(sensitive).held
        counts = np.rint(held.amount).astype(np.int64)
        return Weighted(held.indptr, held.index, counts), self.classes.size

    def labels(self, sensitive: str) -> tuple[Label, ...]:
        """What is published of an attribute, sorted, missing last; of sets their members."""
        return self._parts(sensitive)[0]

    def parts(self, sensitive: str) -> Rows:
        """The labels that each listed entry is made of, [entries]: a set of its members."""
        return self._parts(sensitive)[1]

    def lists_sets(self, sensitive: str) -> bool:
        """Whether sets of several values are listed as one."""
        return bool((self.parts(sensitive).length > 1).any())

    def entries(self, sensitive: str) -> Spread:
        """How likely every entry of the lists is, sets as they are listed."""
        number = len(self.buckets[sensitive].labels)
        return self.once(
            "entries", sensitive, lambda name: self._lifted(name, each_its_own(number), number)
        )

    def domain(self, sensitive: str) -> SensitiveDomain:
        """The published labels, and which category each of them is of."""
        return self.once("domain", sensitive, self._make_domain)

    def covering(self, sensitive: str) -> Covering:
        """Which values the published labels stand for."""
        return self.once("covering", sensitive, self._make_covering)

    def why_untried(self, sensitive: str) -> str | None:
        """Why what people have cannot be compared with what is published; None where it can be."""
        if sensitive in self.untried:
            return self.untried[sensitive]
        if not self.people.height:
            return None
        if not self.concerned(sensitive).any():
            return "nobody has one of the values that its promises are about"
        unread = len(self.covering(sensitive).unread)
        if unread:
            what = "value is" if unread == 1 else "values are"
            return (
                f"{unread} published {what} neither of the table nor of its categories or "
                "hierarchy, so the truth cannot be looked for"
            )
        more = self.second
        if more is not None and sensitive in {*more.sensitive, *more.untried}:
            return more.why_untried(sensitive)
        return None

    def exact(self, sensitive: str) -> Bools:
        """Which labels are values as they are, and no category or node above them, [D]."""
        covering, labels = self.covering(sensitive), self.labels(sensitive)
        alone = covering.under.length == 1
        own = [
            bool(alone[at]) and covering.values[covering.under[at][0]] == label
            for at, label in enumerate(labels)
        ]
        return np.array(own, np.bool_)

    def values_that_harm(self, sensitive: str) -> frozenset[Value]:
        """The values that would harm most; where none are named, those that promises are about.

        Empty where every value harms.
        """
        named = self.harmful.get(sensitive, frozenset())
        about = self._about(sensitive)
        if named or not about:
            return named
        values = self.covering(sensitive).values
        domain = SensitiveDomain(tuple(values))
        harm = np.any([part.harmful(domain) for part in about], axis=0)
        return frozenset(value for value, own in zip(values, harm, strict=True) if own)

    def concerned(self, sensitive: str) -> Bools:
        """Who has a value that the promises about the attribute speak of, [n].

        Everybody, unless all of them are about some values alone.
        """
        about = self._about(sensitive)
        if not about:
            return np.ones(self.people.height, np.bool_)
        own, domain = (
            self.own_values(sensitive),
            SensitiveDomain(tuple(self.covering(sensitive).values)),
        )
        harm = np.any([part.harmful(domain) for part in about], axis=0)
        found = np.zeros(self.people.height, np.bool_)
        found[own.row_of[harm[own.index]]] = True
        return found

    def _about(self, sensitive: str) -> list[AboutValues]:
        """The promises about the attribute, if all of them are about some values alone."""
        parts = [known_promise(item) for item in self.promises if item.sensitive == sensitive]
        about = [part for part in parts if isinstance(part, AboutValues) and not part.about_all]
        return about if len(about) == len(parts) else []

    def own_values(self, sensitive: str) -> Rows:
        """The different values of every person, as places in :class:`Covering`, [n].

        Without the missing value, where a person has others.
        """
        return self.once("own_values", sensitive, self._make_own_values)

    def own(self, sensitive: str) -> Own:
        """The labels that are true of every person."""
        return self.once("own", sensitive, self._make_own)

    def true_label(self, sensitive: str) -> Ints32:
        """One label that is true of every person, -1 where none is, [n]."""
        own = self.own(sensitive)
        found = np.full(self.people.height, -1, np.int32)
        found[own.person] = own.label
        return found

    def spread(self, sensitive: str) -> Spread:
        """How likely every label is, where a label speaks for those above it too."""
        return self.once(
            "spread",
            sensitive,
            lambda name: self.lifted(name, self.covering(name).implied, len(self.labels(name))),
        )

    def listed(self, sensitive: str) -> Spread:
        """How likely every label is to be listed for a person, word for word."""
        covering, domain = self.covering(sensitive), len(self.labels(sensitive))
        if covering.plain and len(covering.implied.index) == domain:
            return self.spread(sensitive)
        return self.once(
            "listed", sensitive, lambda name: self.lifted(name, each_its_own(domain), domain)
        )

    def lifted(self, sensitive: str, to: Rows, number: int) -> Spread:
        """How likely statements are that follow from labels.

        Where everybody of a bucket has one label, those that a statement follows from are added
        up; where people have several, the likeliest of them counts.

        Arguments:
            sensitive: the attribute.
            to: the statements that follow from each label, [D].
            number: how many statements there are.
        """
        return self._lifted(sensitive, self.following(sensitive, to, number), number)

    def following(self, sensitive: str, to: Rows, number: int) -> Rows:
        """The statements that follow from each listed entry, [entries].

        Arguments:
            sensitive: the attribute.
            to: the statements that follow from each label, [D].
            number: how many statements there are.
        """
        parts, width = self.parts(sensitive), max(number, 1)
        entry, at = expanded(to, parts.index)
        owner = np.repeat(np.arange(len(parts)), parts.length)[entry]
        keys = np.unique(owner * width + to.index[at])
        return Rows(pointers(keys // width, len(parts)), (keys % width).astype(np.int32))

    def implied(self, sensitive: str) -> Weighted:
        """The labels that each listed entry speaks for, with an amount of 1 each, [entries]."""
        number = len(self.labels(sensitive))
        rows = self.following(sensitive, self.covering(sensitive).implied, number)
        return Weighted(rows.indptr, rows.index, np.ones(len(rows.index)))

    def _lifted(self, sensitive: str, to: Rows, number: int) -> Spread:
        """The same for statements that follow from each listed entry."""
        part, one = self.buckets[sensitive], self.bucket_semantics == "one"
        if self.bucket_semantics == "all":
            share = np.ones(len(part.index))
        else:
            people = part.size if one else self.size_of[: len(part)]
            share = part.amount / np.repeat(np.maximum(people, 1), part.length)
        if to.one_each and (np.diff(to.index) > 0).all() and len(part) == self.number_of_buckets:
            # From every entry follows a statement of its own: nothing is to be added up.
            shares = Weighted(part.indptr, to.index[part.index], np.minimum(share, 1.0))
            return self.over_rows(shares, number)
        entry, at = expanded(to, part.index)
        keys, place = np.unique(part.row_of[entry] * number + to.index[at], return_inverse=True)
        amount = np.zeros(len(keys))
        (np.add if one else np.maximum).at(amount, place, share[entry])
        amount = np.minimum(amount, 1.0)
        width = max(number, 1)
        shares = Weighted(
            pointers(keys // width, self.number_of_buckets),
            (keys % width).astype(np.int32),
            amount,
        )
        return self.over_rows(shares, number)

    def over_rows(self, shares: Weighted, number: int) -> Spread:
        """The shares of buckets over the rows of classes, of candidate sets and of the release."""
        if self.one_record_each:
            # Whole numbers again after division and multiplication.
            people = np.rint(shares.amount * np.repeat(self.classes.size, shares.length))
            return self.over_classes(shares, Weighted(shares.indptr, shares.index, people), number)
        linked = self.class_buckets
        entry, at = expanded(shares, linked.index)
        held = gathered(
            linked.row_of[entry],
            shares.index[at],
            linked.amount[entry] * shares.amount[at],
            len(self.classes),
            number,
        )
        return self.over_classes(shares, held, number)

    def over_classes(self, shares: Weighted, held: Weighted, number: int) -> Spread:
        """What classes hold over the classes of candidate sets and of the whole release.

        Arguments:
            shares: the share of each bucket's people of whom a statement is true, [B].
            held: how much of each statement the rows of each class have, [G].
            number: how many statements there are.
        """
        prior = np.bincount(held.index, held.amount, minlength=number) / max(self.records, 1)
        places = self.places
        return Spread(shares, held, prior, places.candidate_sets, places.row_weight)

    def believed(self, sensitive: str) -> Floats:
        """The belief in every label that is true of somebody, by the pairs of :class:`Own`.

        The prior, for people who could stand in no row.
        """
        return self.once("believed", sensitive, self._make_believed)

    def with_register(self, sensitive: str | None = None) -> AttackContext | None:
        """What attackers are given who know all people, and so who else fits a row.

        None where classes fit nobody twice, as then that tells nothing, and where too many fit.

        Arguments:
            sensitive: an attribute of which is used what is already counted.
        """
        if not self.places.overlaps or self.places.too_many:
            return None
        places = self.places.with_register
        known = self.once("register", "", lambda _: replace(self, places=places()))
        if sensitive is not None:
            weight = known.places.row_weight
            known.once("spread", sensitive, lambda name: self.spread(name).by_register(weight))
        return known

    def likely(self, spread: Spread, person: Array, statement: Array) -> Floats:
        """How likely statements are of people, 0 of those who could stand in no row.

        Arguments:
            spread: how likely each is of the people of classes.
            person: of whom, [pairs].
            statement: which one, [pairs].
        """
        sets = self.set_of[person]
        size = self.places.set_weight[sets]
        found: Floats = spread.weighed.of(sets, statement) / np.where(size > 0, size, 1.0)
        return found

    def true_belief(self, sensitive: str) -> Floats:
        """The largest belief in a label that is true of each person, [n]."""
        return self.once(
            "true_belief", sensitive, lambda name: self.own(name).best(self.believed(name))
        )

    def belief_of(self, sensitive: str, people: Ints) -> Floats:
        """The same of some people, without that of all others."""
        own, spread = self.own(sensitive), self.spread(sensitive)
        there, of = np.unique(self.set_of[people], return_inverse=True)
        pooled = spread.weighed_over(chosen_rows(self.places.candidate_sets, there))
        place, at = expanded(Rows(own.indptr, own.label), people)
        label, size = own.label[at], self.places.set_weight[there][of]
        share = pooled.of(of[place], label) / np.where(size > 0, size, 1.0)[place]
        belief = np.zeros(len(people))
        np.maximum.at(belief, place, np.where(size[place] > 0, share, spread.prior[label]))
        return belief

    def true_prior(self, sensitive: str) -> Floats:
        """The largest share of rows of a label that is true of each person, [n]."""
        return self.once(
            "true_prior",
            sensitive,
            lambda name: self.own(name).best(self.spread(name).prior[self.own(name).label]),
        )

    def alike(self, sensitive: str) -> tuple[Ints, Rows, Ints]:
        """The distinct candidate sets with the labels of their people.

        Returns the candidate set of each [U], its labels [U], and which of them everybody is of
        [n].
        """
        return self.once("alike", sensitive, self._make_alike)

    def over_own(
        self, sensitive: str, places: Rows, times: Array, lists: Weighted
    ) -> tuple[Floats, Floats]:
        """Sum and maximum of amounts of every true label, by the pairs of :class:`Own`.

        Arguments:
            sensitive: the attribute.
            places: the classes or buckets of each candidate set, [K].
            times: how often each of them counts, by the entries of ``places``.
            lists: the amounts of labels in each class or bucket.
        """
        own, domain = self.own(sensitive), max(len(self.labels(sensitive)), 1)
        keys = self.set_of[own.person].astype(np.int64) * domain + own.label
        pairs, of = np.unique(keys, return_inverse=True)
        total, most = np.zeros(len(pairs)), np.zeros(len(pairs))
        over_buckets(
            places.indptr, places.index, times.astype(np.float64), lists.indptr, lists.index,
            lists.amount, pairs // domain, pairs % domain, total, most,
        )  # fmt: skip
        return total[of], most[of]

    def once(self, what: str, sensitive: str, make: Callable[[str], Made]) -> Made:
        """What is made of an attribute, kept under a name.

        Arguments:
            what: the name.
            sensitive: the attribute.
            make: makes it of the attribute, where it is not there yet.
        """
        key = (what, sensitive)
        if key not in self._kept:
            self._kept[key] = make(sensitive)
        return cast("Made", self._kept[key])

    def forget(self) -> None:
        """Let go of what was made of single attributes; in further releases, too."""
        for key in [key for key in self._kept if key[1]]:
            del self._kept[key]
        if self.second is not None:
            self.second.forget()

    def _make_believed(self, sensitive: str) -> Floats:
        own, spread = self.own(sensitive), self.spread(sensitive)
        share = self.likely(spread, own.person, own.label)
        return np.where(self.found[own.person], share, spread.prior[own.label])

    def _parts(self, name: str) -> tuple[tuple[Label, ...], Rows]:
        return self.once("parts", name, self._make_parts)

    def _make_parts(self, name: str) -> tuple[tuple[Label, ...], Rows]:
        known = self.known.get(name, ValueMetadata())
        plain = {*self.values[name].labels, *known.categories}
        sets: list[tuple[Label, ...]] = []
        for label in self.buckets[name].labels:
            members = None if label in plain else members_of(label)
            sets.append((label,) if members is None else tuple(dict.fromkeys(members)))
        labels = sorted_values(pl.Series([m for own in sets for m in own], dtype=pl.String))
        place = {label: at for at, label in enumerate(labels)}
        return labels, compressed([sorted(place[member] for member in own) for own in sets])

    def _make_domain(self, name: str) -> SensitiveDomain:
        known = self.known.get(name, ValueMetadata())
        covering, labels = self.covering(name), self.labels(name)
        homes: dict[Value, str] = {}
        for at, label in enumerate(labels):
            if label in known.categories:
                homes[label] = known.categories[label]
                continue
            own = {known.categories.get(covering.values[v]) for v in covering.under[at].tolist()}
            if len(own) == 1 and (home := own.pop()) is not None:
                homes[label] = home
        return SensitiveDomain(labels, replace(known, categories=homes))

    def _make_covering(self, name: str) -> Covering:
        known, labels = self.known.get(name, ValueMetadata()), self.labels(name)
        values, above = _labels_above(known, self.values[name].labels)
        under: dict[Label, list[int]] = {label: [] for label in labels}
        number = len(values)
        for at, value in enumerate(values):
            for label in above[value]:
                if label in under:
                    under[label].append(at)
        for label, own in under.items():
            if not own:
                own += _read(label, values) or [len(values)]
                if own == [len(values)]:
                    values.append(label)
        some = {at for at, value in enumerate(values) if value is not None}
        empty = {at for at, label in enumerate(labels) if some <= set(under[label])}
        found = _covering(values, [sorted(under[label]) for label in labels], empty, len(some))
        return replace(found, unread=tuple(values[number:]))

    def _make_own_values(self, name: str) -> Rows:
        part, covering = self.values[name], self.covering(name)
        place = {value: at for at, value in enumerate(covering.values)}
        code = np.array([place[label] for label in part.labels], np.int32)
        if part.one_each:
            return Rows(part.indptr, code[part.index])
        gone = np.array([label is None for label in part.labels], np.bool_)
        kept = np.ones(len(part.index), np.bool_)
        if gone.any():
            kept = ~gone[part.index] | (part.length[part.row_of] == 1)
        keys = np.sort(part.row_of[kept] * max(len(covering.values), 1) + code[part.index[kept]])
        width = max(len(covering.values), 1)
        return Rows(pointers(keys // width, len(part)), (keys % width).astype(np.int32))

    def _make_own(self, name: str) -> Own:
        values, over = self.own_values(name), self.covering(name).over
        if values.indptr is self.values[name].indptr and over.one_each:
            people, once = numbers(len(values) + 1)[:-1], ones(len(values))
            return Own(people, over.index[values.index], once, once, values.indptr)
        person = np.repeat(np.arange(len(values)), values.length)
        entry, at = expanded(over, values.index)
        domain = max(len(self.labels(name)), 1)
        keys, number = np.unique(person[entry] * domain + over.index[at], return_counts=True)
        return Own(
            keys // domain,
            (keys % domain).astype(np.int32),
            number.astype(np.int64),
            values.length,
            pointers(keys // domain, len(values)),
        )

    def _make_alike(self, name: str) -> tuple[Ints, Rows, Ints]:
        own = self.own(name)
        of = np.empty(self.people.height, np.int32)
        keys = np.insert(own.label, own.indptr[:-1], self.set_of)
        first = number_lists(own.indptr + np.arange(len(own.indptr)), keys, of)
        sets = chosen_rows(Rows(own.indptr, own.label), first)
        return self.set_of[first].astype(np.int64), sets, of.astype(np.int64)


def _pooled(held: Weighted, sets: Rows, domain: int) -> Weighted:
    """What the classes of each of some sets hold together."""
    indptr = np.zeros(len(sets) + 1, np.int64)
    value, found = np.zeros(0, np.int32), np.zeros(0, held.amount.dtype)
    total, there = np.empty(domain, held.amount.dtype), np.zeros(domain, np.bool_)
    seen = np.empty(domain, np.int32)
    for fill in (False, True):
        if fill:
            value = np.empty(indptr[-1], np.int32)
            found = np.empty(indptr[-1], held.amount.dtype)
        pool(
            sets.indptr, sets.index, held.indptr, held.index, held.amount, total, there,
            seen, indptr, value, found, fill,
        )  # fmt: skip
    return Weighted(indptr, value, found)


def _labels_above(
    known: ValueMetadata, had: Sequence[Label]
) -> tuple[list[Label], dict[Label, set[Label]]]:
    """All values that are known, and of each the labels that cover it, itself among them."""
    leaves = {chain[0] for chain in known.chains}
    values: list[Label] = list(dict.fromkeys([*had, *known.categories, *leaves]))
    above: dict[Label, set[Label]] = {value: {value} for value in values}
    for value, home in known.categories.items():
        above[value].add(home)
    for chain in known.chains:
        above[chain[0]].update(chain)
    if known.chains:
        root = known.chains[0][-1]
        for value in values:
            if value not in leaves:
                above[value].add(root)
    return values, above


def _covering(
    values: Sequence[Label], under: Sequence[Sequence[int]], empty: set[int], some: int
) -> Covering:
    """Which values labels stand for, given those under each label.

    Arguments:
        values: all values.
        under: the values under each label, rising, [labels].
        empty: the labels that cover all values.
        some: how many values there are, the missing one not counted; a single one is not hidden by
            a label that covers it.
    """
    if some < 2:
        empty = set()
    rows = compressed(under)
    covers: list[list[int]] = [[] for _ in values]
    for at, own in enumerate(under):
        for value in own:
            covers[value].append(at)
    over = [[at for at in own if at not in empty] for own in covers]
    shared = Counter((one, two) for own in covers for one in own for two in own)
    implied: list[list[int]] = [[] for _ in under]
    touching: list[list[int]] = [[] for _ in under]
    for (one, two), number in sorted(shared.items()):
        touching[one].append(two)
        if number == len(under[one]) and two not in empty:
            implied[one].append(two)
    return Covering(
        tuple(values), rows, compressed(over), compressed(implied), compressed(touching)
    )


def _read(label: Label, values: Sequence[Label]) -> list[int]:
    """The values that a range or ``*`` stands for."""
    plain = [value for value in values if value is not None]
    if label == SUPPRESSED:
        return list(range(len(values)))
    if not plain or range_of(label) is None:
        return []
    covered = Coverage(Taxonomy("values", [(value,) for value in plain])).places(label) or []
    place = {value: at for at, value in enumerate(values)}
    return [place[plain[at]] for at in covered]


def _texts(lists: Lists, index: Array | None = None) -> pl.Series:
    """The labels of owners who have one each, or with some codes."""
    labels = pl.Series(lists.labels, dtype=pl.String)
    return labels.gather(lists.index if index is None else index)


def _by_class(rows: Lists, class_of: Ints32, groups: int) -> Lists:
    """What the rows of every class list together, where every row lists one value."""
    if not len(class_of):
        return Lists(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64), ())
    found, count, _ = count_combinations(
        [class_of, rows.index], [groups, len(rows.labels)], ones(len(class_of))
    )
    return Lists(pointers(found[0], groups), found[1].astype(np.int32), count, rows.labels)
