"""What the promises about sensitive values have in common: their view of classes and of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import Problem
from indistinct.kernels.promises import distinct
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, Counts, FrequencyTable
from indistinct.privacy.promise import Promise

EXACT = 1e-12
"""How far, in proportion, a product of floats may miss a whole number it is compared with."""

CLOSE = 1e-9
"""How far sums and logarithms of floats may lie beside a bound and still count as equal to it."""


def cells_of(promise: Promise, classes: ClassTable) -> NDArray[np.int64]:
    """Records per class and value of the promise's sensitive attribute, [G, D]."""
    return np.ascontiguousarray(classes.cells[str(promise.sensitive)], dtype=np.int64)


def different_values(promise: Promise, classes: ClassTable) -> NDArray[np.int64]:
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


def shares_of(promise: Promise, classes: ClassTable) -> NDArray[np.float64]:
    """The distribution that classes are compared with, [D]; that of them all if none is named."""
    name = str(promise.sensitive)
    counts = classes.reference.get(name)
    if counts is None:
        counts = classes.cells[name].sum(axis=0)
    found: NDArray[np.float64] = counts / max(counts.sum(), 1)
    return found


def had_by_all(promise: Promise, classes: ClassTable) -> NDArray[np.bool_]:
    """Classes in which people have several values and one of these is had by everybody, [G].

    How many values there are, and how evenly, says nothing of a value that is certain. Where every
    unit has one value this is a class of one value, and broken for that.
    """
    if domain_of(promise, classes).exclusive:
        return np.zeros(len(classes.size), dtype=np.bool_)
    cells = cells_of(promise, classes)
    several = cells.sum(axis=1) > classes.size
    had = cells.max(axis=1, initial=0) >= classes.size
    found: NDArray[np.bool_] = had & several & (classes.size > 0)
    return found


def present(promise: Promise, table: FrequencyTable) -> Counts | None:
    """How often each sensitive value occurs in a table, [D]; None where it does not have them."""
    cells = table.sensitive.get(str(promise.sensitive))
    return None if cells is None else cells.totals


def evened(promise: Promise, table: FrequencyTable, allowed: int | None) -> NDArray[np.float64]:
    """The most even distribution that is left of a table if ``allowed`` records leave, falling.

    Records of the most frequent values leave first, all of them down to one level. Whatever else
    leaves, the k most frequent values of what is left have together no smaller share, for any k:
    what is too uneven here is too uneven in every release. ``allowed`` None stands for all but one
    record, which leaves the uniform distribution.
    """
    cells = table.sensitive[str(promise.sensitive)]
    counts = -np.sort(-cells.totals[cells.totals > 0].astype(np.float64))
    total = counts.sum()
    if not len(counts):
        return counts
    if allowed is None or not cells.exclusive or allowed >= total - 1:
        return np.full(len(counts), 1 / len(counts))
    # The level at which the first `lowered` values stand when the records they lose are gone.
    lost = np.cumsum(counts) - counts * np.arange(1, len(counts) + 1)
    lowered = int(np.searchsorted(lost, allowed, side="right"))
    level = (counts[:lowered].sum() - allowed) / lowered
    found: NDArray[np.float64] = np.minimum(counts, level) / (total - allowed)
    return found


def whole_if_close(found: float) -> float:
    """The nearest whole number, if that is what is meant.

    >>> whole_if_close(2.9999999999996), whole_if_close(2.5)
    (3.0, 2.5)
    """
    return float(round(found)) if abs(found - round(found)) <= CLOSE else float(found)


def least(found: NDArray[np.int64], classes: ClassTable) -> int | None:
    """The smallest of figures [G] over the classes that hold somebody."""
    held = found[classes.size > 0]
    return int(held.min()) if len(held) else None


def most(found: NDArray[np.float64], classes: ClassTable) -> float | None:
    """The largest of figures [G] over the classes that hold somebody; None if it is infinite."""
    held = found[classes.size > 0]
    if not len(held) or not np.isfinite(held).all():
        return None
    return float(held.max())


def too_few_values(promise: Promise, held: int, needed: int, what: str = "value") -> Problem | None:
    """The problem that a table has fewer values (or categories) than every class must hold."""
    if held >= needed:
        return None
    many = what[:-1] + "ies" if what.endswith("y") else what + "s"
    return Problem(
        "too-few-values",
        f"{promise} cannot be met: every class needs {needed} different {many}, and the table "
        f"has only {held}",
        attribute=promise.sensitive,
        remedy="ask for fewer, or choose another promise for this attribute",
    )


def too_uneven(promise: Promise, allowed: int | None, why: str, remedy: str) -> Problem:
    """The problem that the table's values are too unevenly frequent, whatever is left out."""
    if allowed is None or allowed == 0:
        left = ""
    else:
        left = f" with the {allowed} records left out that may be"
    return Problem(
        "values-too-uneven",
        f"{promise} cannot be met{left}: {why}",
        attribute=promise.sensitive,
        remedy=remedy,
    )


def without_categories(
    promise: Promise, domain: SensitiveDomain, *, in_order: bool
) -> Problem | None:
    """The problem that values have no category, or that categories are in no order."""
    key = f'attributes."{promise.sensitive}".categories'
    if not domain.categories:
        return Problem(
            "categories-missing",
            f"{promise} counts categories of values, and none are known",
            attribute=promise.sensitive,
            remedy=f"add {key} = {{ table = {{ ... }}, order = [...] }}",
        )
    bare = int(np.count_nonzero(domain.category_of < 0))
    if bare:
        missing = " (one of them is the missing value)" if _bare_missing(domain) else ""
        return Problem(
            "value-without-category",
            f"{promise} counts categories of values, and {bare} of {len(domain)} values have "
            f"none{missing}",
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


def _bare_missing(domain: SensitiveDomain) -> bool:
    return any(
        label is None and place < 0
        for label, place in zip(domain.labels, domain.category_of, strict=True)
    )
