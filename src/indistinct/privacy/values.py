"""What the promises about sensitive values have in common: their view of classes and of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from indistinct.document import many, rounded, some_of
from indistinct.errors import PolicyError, Problem
from indistinct.frozen import dataclass
from indistinct.kernels.promises import distinct
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.promise import Closure, Promise
from indistinct.requirement import ABOUT_VALUES
from indistinct.types import Bools, Floats, Ints, Plain

EXACT = 1e-12
"""How far, in proportion, a product of floats may miss a whole number it is compared with."""

CLOSE = 1e-9
"""How far sums and logarithms of floats may lie beside a bound and still count as equal to it."""


@dataclass(frozen=True, kw_only=True)
class AboutValues(Promise):
    """A promise that can be about some values of its attribute alone.

    Only ``values`` harm, or all but ``not_values``: nobody minds what else is believed. A value
    that is ``not_applicable`` says that there is nothing to be known of a record; others often know
    to whom that applies. So records with such a value are left aside: they harm nobody, and hide
    nobody among them. Without any of the three every value harms.

    An empty text stands for a missing value. Closed as without them, but for unions in place of
    supersets: a record with a harmful value may join a class that had none.
    """

    needs_sensitive: ClassVar[bool] = True

    values: tuple[str, ...] = ()
    """The values that harm; all where none is named. An empty text is the missing value."""
    not_values: tuple[str, ...] = ()
    """Values that do not harm, in place of those that do."""
    not_applicable: tuple[str, ...] = ()
    """Values that say that there is nothing to be known, such as the ward of an outpatient."""

    def __post_init__(self) -> None:
        super().__post_init__()
        problems = []
        for name in ABOUT_VALUES:
            given = getattr(self, name)
            if not isinstance(given, list | tuple) or not all(isinstance(v, str) for v in given):
                problems.append(f"{name} of {self.model} must be a list of values, not {given!r}")
            else:
                object.__setattr__(self, name, tuple(dict.fromkeys(given)))
        if not problems and self.values and self.not_values:
            problems.append(f"{self.model} has values and not_values: one of them says it all")
        if not problems and set(self.not_applicable) & {*self.values, *self.not_values}:
            problems.append(f"{self.model} names a value twice: what does not apply harms nobody")
        if not problems and self.not_applicable and self.unit == "person":
            problems.append(
                f"{self.model} of people with many records: something may apply to some of the "
                "records of a person, and not_applicable says nothing then"
            )
        if problems:
            remedy = 'write values = ["HIV"] or not_values = ["healthy"], say'
            raise PolicyError([Problem("bad-parameter", told, remedy=remedy) for told in problems])

    @property
    def parameters(self) -> Plain:
        """The model's own parameters, and the values that it is about where some are named."""
        found = super().parameters
        named = {name: list(found[name]) for name in ABOUT_VALUES if found[name]}
        return {name: value for name, value in found.items() if name not in ABOUT_VALUES} | named

    @property
    def about_all(self) -> bool:
        """Whether every value harms."""
        return not (self.values or self.not_values or self.not_applicable)

    @property
    def effective_closure(self) -> Closure:
        """Unions in place of supersets where it is about some values."""
        found = super().effective_closure
        return "union" if found == "superset" and not self.about_all else found

    def harmful(self, domain: SensitiveDomain) -> Bools:
        """Which values of a domain harm, [D]."""
        without = {*self.not_values, *self.not_applicable}
        labels = [label or "" for label in domain.labels]
        if self.values:
            return np.array([label in self.values for label in labels], np.bool_)
        return np.array([label not in without for label in labels], np.bool_)

    def named_in_vain(self, domain: SensitiveDomain) -> int:
        """How many of the values that it names are none of the domain."""
        labels = {label or "" for label in domain.labels}
        return len({*self.values, *self.not_values, *self.not_applicable} - labels)

    def seen(self, classes: ClassTable) -> ClassTable:
        """The classes without the records that it does not apply to; their sizes are those left."""
        if not self.not_applicable:
            return classes
        name = str(self.sensitive)
        labels = domain_of(self, classes).labels
        there = np.array([(label or "") not in self.not_applicable for label in labels], np.bool_)
        cells = classes.cells[name]
        own = {**classes.cells, name: np.where(there, cells, 0)}
        shares = dict(classes.reference)
        if len(shares.get(name, ())) == len(there):
            shares[name] = np.where(there, shares[name], 0)
        return replace(
            classes,
            size=classes.size - cells[:, ~there].sum(axis=1),
            cells=own,
            reference=shares,
        )

    def harmful_cells(self, classes: ClassTable) -> Ints:
        """Records per class and value, [G, D]: of harmless values none."""
        cells = cells_of(self, classes)
        if self.about_all:
            return cells
        return np.where(self.harmful(domain_of(self, classes)), cells, 0)


def not_applicable(promises: Iterable[Promise | None]) -> frozenset[str]:
    """The values that all promises about an attribute leave aside, of those about some values."""
    named = [frozenset(one.not_applicable) for one in promises if isinstance(one, AboutValues)]
    return frozenset.intersection(*named) if named else frozenset()


def cells_of(promise: Promise, classes: ClassTable) -> Ints:
    """Records per class and value of the promise's sensitive attribute, [G, D]."""
    return np.ascontiguousarray(classes.cells[str(promise.sensitive)], dtype=np.int64)


def different_values(promise: Promise, classes: ClassTable) -> Ints:
    """The number of different values of the promise's sensitive attribute in every class, [G]."""
    cells = cells_of(promise, classes)
    found = np.empty(len(cells), np.int64)
    distinct(cells, found)
    return found


def domain_of(promise: Promise, classes: ClassTable) -> SensitiveDomain:
    """What is known of the values of the promise's sensitive attribute."""
    name = str(promise.sensitive)
    known = classes.domains.get(name)
    return SensitiveDomain((None,) * classes.cells[name].shape[1]) if known is None else known


def shares_of(promise: Promise, classes: ClassTable) -> Floats:
    """The distribution that classes are compared with, [D]; that of them all if none is named."""
    name = str(promise.sensitive)
    counts = classes.reference.get(name)
    if counts is None:
        counts = classes.cells[name].sum(axis=0)
    found: Floats = counts / max(counts.sum(), 1)
    return found


def had_by_all(promise: Promise, classes: ClassTable) -> Bools:
    """Classes in which people have several values and one of these is had by everybody, [G].

    How many values there are, and how evenly, says nothing of a value that is certain. Where every
    unit has one value this is a class of one value, and broken for that.
    """
    if domain_of(promise, classes).exclusive:
        return np.zeros(len(classes.size), dtype=np.bool_)
    cells = cells_of(promise, classes)
    several = cells.sum(axis=1) > classes.size
    if isinstance(promise, AboutValues):
        cells = promise.harmful_cells(classes)
    had = cells.max(axis=1, initial=0) >= classes.size
    found: Bools = had & several
    return found


def present(promise: Promise, table: FrequencyTable) -> Ints | None:
    """How often each sensitive value occurs in a table, [D]; None where it does not have them."""
    cells = table.sensitive.get(str(promise.sensitive))
    return None if cells is None else cells.totals


def evened(promise: Promise, table: FrequencyTable, allowed: int | None) -> Floats:
    """The most even distribution that may be left of a table if records leave: shares, falling.

    Records of the most frequent values leave first, all of them down to one level. Whatever else
    leaves, the k most frequent values of what is left have together no smaller share, for any k:
    what is too uneven here is too uneven in every release.

    Arguments:
        promise: says which values.
        table: the table to be released.
        allowed: records that may leave; None for all but one, which leaves the uniform
            distribution.
    """
    cells = table.sensitive[str(promise.sensitive)]
    counts = -np.sort(-cells.totals[cells.totals.nonzero()].astype(np.float64))
    if not len(counts):
        return counts
    total = counts.sum()
    left = 1 if allowed is None or not cells.exclusive else max(total - allowed, 1)
    # The level at which the first `lowered` values stand when the records they lose are gone.
    lost = np.cumsum(counts) - counts * np.arange(1, len(counts) + 1)
    lowered = int(np.searchsorted(lost, total - left, side="right"))
    level = (counts[:lowered].sum() - (total - left)) / lowered
    found: Floats = np.minimum(counts, level) / left
    return found


def whole_if_close(found: float) -> float:
    """The nearest whole number, if that is what is meant.

    >>> whole_if_close(2.9999999999996), whole_if_close(2.5)
    (3.0, 2.5)
    """
    return float(round(found)) if abs(found - round(found)) <= CLOSE else float(found)


def least(found: Ints, classes: ClassTable) -> int | None:
    """The smallest of figures [G] over the classes that hold somebody."""
    held = found[classes.held]
    return int(held.min()) if len(held) else None


def most(found: Floats, classes: ClassTable) -> float | None:
    """The largest of figures [G] over the classes that hold somebody; None if it is infinite."""
    held = found[classes.held]
    if not len(held) or not np.isfinite(held).all():
        return None
    return float(held.max())


LEAVE_OUT = (
    'leave it out (role = "identifier"): all have one value, so everybody in the table is '
    "known to have it"
)
"""What helps where no promise can: every class has the one value that there is."""


def beside_one(value: float, *, up: bool) -> str:
    """A bound with few digits that still holds, and says more than 1 does: more digits near it.

    >>> beside_one(1 / 3, up=True), beside_one(0.99996, up=True), beside_one(1.0031, up=False)
    ('0.334', '0.99996', '1.003')
    """
    texts = [rounded(value, up=up, digits=digits) for digits in range(3, 10)]
    return next((text for text in texts if text != "1"), "1")


def too_few_values(
    promise: Promise, held: int, needed: int, *, categories: bool = False
) -> Problem | None:
    """The problem that a table has fewer values (or categories) than every class must hold.

    Arguments:
        promise: what is promised.
        held: different values in the table.
        needed: different values that a class holds at least.
        categories: whether categories are counted in place of values.
    """
    if held >= needed:
        return None
    many = "categories" if categories else "values"
    return Problem(
        "too-few-values",
        f"{promise} cannot be met: every class needs {needed} different {many}, and the table "
        f"has only {held}",
        attribute=promise.sensitive,
        remedy="use a smaller number, or another promise for this attribute"
        if held > 1
        else "divide the values into more categories"
        if categories
        else LEAVE_OUT,
    )


def too_uneven(promise: Promise, allowed: int | None, why: str, remedy: str) -> Problem:
    """The problem that the table's values are too unevenly frequent, with any suppression.

    Arguments:
        promise: what is promised.
        allowed: records that may be left out; None for any number.
        why: what is too uneven, in words.
        remedy: what would mend it.
    """
    if allowed is None or allowed == 0:
        left = ""
    else:
        left = f" with the {many(allowed, promise.unit)} left out that may be"
    return Problem(
        "values-too-uneven",
        f"{promise} cannot be met{left}: {why}",
        attribute=promise.sensitive,
        remedy=remedy,
    )


def without_categories(
    promise: Promise, domain: SensitiveDomain, *, in_order: bool
) -> Problem | None:
    """The problem that values have no category, or that categories are in no order.

    Arguments:
        promise: what is promised.
        domain: the values, and what is known of them.
        in_order: whether categories have to be in an order.
    """
    key = f'attributes."{promise.sensitive}".categories'
    if not domain.categories:
        return Problem(
            "categories-missing",
            f"{promise} counts categories of values, and none are known",
            attribute=promise.sensitive,
            remedy=f"add {key} = {{ table = {{ ... }}, order = [...] }}",
        )
    pairs = zip(domain.labels, domain.category_of.tolist(), strict=True)
    bare = [label for label, place in pairs if place == -1]
    if bare:
        missing = " (one of them is the missing value)" if None in bare else ""
        return Problem(
            "value-without-category",
            f"{promise} counts categories of values, and "
            f"{some_of(len(bare), len(domain), 'value has')} none{missing}",
            attribute=promise.sensitive,
            remedy=f"name every value in {key}",
        )
    if in_order and not domain.known.category_order:
        return Problem(
            "categories-without-order",
            f"{promise} weighs categories by how sensitive they are, and their order is not known",
            attribute=promise.sensitive,
            remedy=f"add order = [...] to {key}, from the least to the most sensitive",
        )
    return None
