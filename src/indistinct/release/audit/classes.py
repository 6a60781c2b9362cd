"""What several checks share: counting values class by class, and what is known of the values.

No privacy model is defined here. A check asks :meth:`Asked.cells` how often each sensitive value
occurs in each equivalence class, describes every class with figures of its own, and says with
:meth:`Asked.judged` which classes break the promise.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from indistinct.errors import PolicyError
from indistinct.frozen import dataclass
from indistinct.metadata import Value, ValueMetadata
from indistinct.release.audit.verdict import (
    CLASS,
    RECORDS,
    UNITS,
    VALUE,
    Context,
    Verdict,
    one_by_one,
    people_not_told,
    times,
)
from indistinct.requirement import Requirement
from indistinct.types import PlainMapping

SIZE = "size"
"""Column with the number of records of a class."""

APPLIES = "applies"
"""Column with the number of records of a class that a promise applies to."""

SHARE = "share"
"""Column with the share of a value: in its class, or in a distribution to compare with."""

TOLERANCE = 1e-9
"""By how much a computed figure may miss its bound: what arithmetic loses, never a record."""


@dataclass(frozen=True)
class Asked:
    """A promise and the release that it is held against: what the check of a model works on.

    Arguments:
        counted: The published records as text, missing cells null, suppressed records left out;
            where an engine has counted equal ones, a column says how often a row occurs.
        requirement: The promise.
        context: The release's quasi-identifiers, and what is known beside the records.
        settings: The promise's parameters, all of them; ``asked["k"]`` is one.
        counts_values: Whether the check counts values, so that one that everybody has is broken.
    """

    counted: pl.DataFrame
    requirement: Requirement
    context: Context
    settings: PlainMapping
    counts_values: bool

    @functools.cached_property
    def records(self) -> pl.DataFrame:
        """The published records, a row each: of a table that an engine counts, all of them."""
        return one_by_one(self.counted)

    def __getitem__(self, name: str) -> Any:
        """A parameter of the promise."""
        return self.settings[name]

    def above(self, name: str) -> pl.Expr:
        """Whether the figure of that name is larger than is asked, by more than rounding."""
        return pl.col(name).gt(self[name] + TOLERANCE)

    def below(self, name: str) -> pl.Expr:
        """Whether the figure of that name is smaller than is asked, by more than rounding."""
        return pl.col(name).lt(self[name] - TOLERANCE)

    @property
    def on(self) -> tuple[str, ...]:
        """The quasi-identifiers whose classes are looked at."""
        return self.context.on(self.requirement)

    @property
    def person(self) -> str:
        """The column that says whose each record is.

        Raises:
            PolicyError: If nothing tells people apart.
        """
        if self.context.person is None:
            raise PolicyError(people_not_told(self.requirement.model))
        return self.context.person

    @property
    def sensitive(self) -> str:
        """The attribute that is protected."""
        return str(self.requirement.sensitive)

    @property
    def harmful(self) -> pl.Expr:
        """Of a value of :meth:`cells` or of a distribution, whether the promise is about it."""
        text = pl.col(VALUE).fill_null("")
        if self.settings.get("values"):
            return text.is_in(list(self["values"]))
        without = [*self._named("not_values"), *self._named("not_applicable")]
        return ~text.is_in(without) if without else pl.lit(value=True)

    def _named(self, parameter: str) -> list[str]:
        return list(self.settings.get(parameter) or ())

    def applicable(self, table: pl.DataFrame) -> pl.DataFrame:
        """The rows of values, without those that say that there is nothing to be known."""
        without = self._named("not_applicable")
        return table.filter(~pl.col(VALUE).fill_null("").is_in(without)) if without else table

    @property
    def known(self) -> ValueMetadata:
        """What is known of the values of that attribute."""
        return self.context.known.get(self.sensitive, ValueMetadata())

    def cells(self) -> pl.DataFrame:
        """How often each value of the sensitive attribute occurs in each class.

        One row for each value that occurs in a class, with the columns ``class`` (a number),
        ``value``, ``records``, ``units`` (the size of the class) and ``applies`` (how many of these
        the promise applies to); a missing value is a value of its own, and one that is not
        applicable is left out. Rows are sorted, so that sums over floating point numbers come out
        alike each time.
        """
        every = self.context.counts(self.counted, self.on, self.sensitive)
        cells = self.applicable(every)
        applies = pl.col(UNITS)
        if cells.height < every.height:
            applies = pl.col(RECORDS).sum().over(CLASS)
        return cells.with_columns(applies.alias(APPLIES))

    def published_cells(self) -> pl.DataFrame:
        """The same of all published records, where ``records`` are some of them."""
        published = self.context.published
        if published is None:
            return self.cells()
        everybody = replace(self.context, published=None, _sizes={}, _counts={})
        return self.applicable(everybody.counts(published, self.on, self.sensitive))

    @property
    def suppressed(self) -> int:
        """How many published records, or their people, are in none of the classes."""
        published, person = self.context.published, self.context.person
        assert published is not None
        if person is not None:
            return published[person].n_unique() - self.counted[person].n_unique()
        return int(
            published.select(times(published)).item()
            - self.counted.select(times(self.counted)).item()
        )

    def sizes(self) -> pl.DataFrame:
        """One row for each class, with its ``size``."""
        return self.context.sizes(self.counted, self.on).alias(SIZE).to_frame()

    def judged(
        self,
        classes: pl.DataFrame,
        breaks: pl.Expr,
        achieved: Mapping[str, float | int | None],
        achieved_with: Mapping[str, PlainMapping] | None = None,
        *,
        diverse: bool = True,
    ) -> Verdict:
        """The verdict where ``breaks`` says of each class whether it breaks the promise.

        Arguments:
            classes: One row for each class, with its ``size`` and what ``breaks`` looks at.
            breaks: Whether a class breaks the promise.
            achieved: What the release achieves of each parameter.
            achieved_with: The other parameters, as asked, that a figure holds with.
            diverse: Whether these settings ask for different values; False only where a check of
                values was asked for none.
        """
        broken = classes.filter(breaks)
        verdict = Verdict(
            requirement=self.requirement,
            on=self.on,
            holds=broken.is_empty(),
            achieved=achieved,
            breaking_classes=broken.height,
            breaking_records=int(broken[SIZE].sum()),
            achieved_with=achieved_with or {},
        )
        return self._not_certain(verdict) if self.counts_values and diverse else verdict

    def _not_certain(self, verdict: Verdict) -> Verdict:
        """The verdict on a promise of diversity where people have several values.

        Many different values say nothing of one that everybody of a class has: such a class is
        broken. Nor do many different sets, where one value is in all of them.
        """
        cells, members = self.cells(), self.context.members
        if members is not None:
            rows, number = members
            seen = replace(
                self.context, person=number, linked=None, members=None, _sizes={}, _counts={}
            )
            cells = seen.counts(rows, self.on, self.sensitive)
        classes = cells.group_by(CLASS).agg(
            (pl.col(RECORDS).filter(self.harmful).max() >= pl.col(UNITS).first()).alias("had"),
            (pl.col(RECORDS).sum() > pl.col(UNITS).first()).alias("several"),
            pl.col(UNITS).first(),
        )
        certain = classes.filter(pl.col("had") & pl.col("several"))
        if certain.is_empty():
            return verdict
        return replace(
            verdict,
            holds=False,
            breaking_classes=max(verdict.breaking_classes, certain.height),
            breaking_records=max(verdict.breaking_records, int(certain[UNITS].sum())),
        )


def described(cells: pl.DataFrame, **figures: pl.Expr) -> pl.DataFrame:
    """One row for each class, with its ``size`` and further figures of its rows in ``cells``."""
    return cells.group_by(CLASS, maintain_order=True).agg(
        pl.col(UNITS).first().alias(SIZE), **figures
    )


def least(figures: pl.Series) -> Any:
    """The smallest figure; None if there is none, or no number that is finite."""
    return _plain(figures.min())


def most(figures: pl.Series) -> Any:
    """The largest figure; None if there is none, or no number that is finite."""
    return _plain(figures.max())


def _plain(figure: Any) -> Any:
    return figure if figure is not None and math.isfinite(figure) else None


# Distributions to compare with


def reference(asked: Asked) -> pl.DataFrame:
    """The distribution that a promise compares with: columns ``value`` and ``share``.

    That of the published records, or of the original table, which a release does not show: the
    certificate or the policy must tell it.

    Raises:
        PolicyError: If the original distribution is asked for and is not known.
    """
    if asked.requirement.reference == "published":
        told = (
            asked.published_cells().group_by(VALUE, maintain_order=True).agg(pl.col(RECORDS).sum())
        )
    else:
        known = asked.known.reference
        told = pl.DataFrame(
            {VALUE: list(known), RECORDS: list(known.values())},
            schema={VALUE: pl.String, RECORDS: pl.Float64},
        ).filter(pl.col(RECORDS) > 0)
        if told.is_empty():
            raise PolicyError(
                "reference-not-known",
                f"promise '{asked.requirement.model}' compares with the distribution of the "
                "original table, which is not known",
                attribute=asked.requirement.sensitive,
                remedy="audit a folder whose certificate tells it, or give it with the "
                'policy; reference = "published" needs none',
            )
    told = asked.applicable(told).sort(VALUE)
    return told.select(VALUE, (pl.col(RECORDS) / pl.col(RECORDS).sum()).alias(SHARE))


def beside(cells: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Each class's values with ``share``, and ``expected``: the share in another distribution.

    ``expected`` is 0 for a value that the other distribution does not have.
    """
    within = cells.with_columns((pl.col(RECORDS) / pl.col(RECORDS).sum().over(CLASS)).alias(SHARE))
    return within.join(
        told.rename({SHARE: "expected"}),
        on=VALUE,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    ).with_columns(pl.col("expected").fill_null(0.0))


# Categories, order, hierarchy


def categories(cells: pl.DataFrame, asked: Asked, *, ordered: bool = False) -> pl.DataFrame:
    """``cells`` with the ``category`` of each value; if ``ordered``, its ``place`` and ``weight``.

    ``place`` counts from 0, the least sensitive; ``weight`` is 0 for the most sensitive category
    and 1 for the least.

    Arguments:
        cells: how often each value occurs in each class, a row for each.
        asked: the promise, with what is known of the values.
        ordered: whether the order of the categories is needed.

    Raises:
        PolicyError: If categories, or their order, are not known, or a value has none.
    """
    known = asked.known
    if not known.categories and cells.height:
        raise _lacking(asked, "the category of every value", "categories")
    if ordered and not known.category_order and cells.height:
        raise _lacking(
            asked,
            "the order of the categories, from the least to the most sensitive",
            "categories with an order",
        )
    order = known.category_order
    rows = [(value, name) for value, name in known.categories.items() if not order or name in order]
    table = pl.DataFrame(rows, {VALUE: pl.String, "category": pl.String}, orient="row")
    found = cells.join(table, on=VALUE, how="left", nulls_equal=True, maintain_order="left")
    without = found.filter(pl.col("category").is_null())[VALUE].n_unique()
    if without:
        many = "a published value has" if without == 1 else f"{without} published values have"
        raise PolicyError(
            "value-without-category",
            f"{many} no category, and promise '{asked.requirement.model}' needs one for each",
            attribute=asked.requirement.sensitive,
            remedy="name the category of every value, and of the missing one if there is any",
        )
    if not ordered:
        return found
    weights = known.category_weights
    places = pl.DataFrame(
        {
            "category": list(order),
            "place": list(range(len(order))),
            "weight": [float(weights[name]) for name in order],
        }
    )
    return found.join(places, on="category", how="left", maintain_order="left")


def in_order(values: Iterable[Value], asked: Asked) -> list[Value]:
    """The values from the smallest to the largest.

    In the order that is known; without one in that of numbers. What the order leaves out comes
    after it, and the missing value last.

    Raises:
        PolicyError: If no order is known and the values are no numbers.
    """
    place = {value: at for at, value in enumerate(asked.known.order)}
    found = list(values)
    if place:
        return sorted(
            found,
            key=lambda value: (place.get(value, len(place)), value is None, value or ""),
        )
    try:
        keys = {value: 0.0 if value is None else float(value) for value in found}
    except ValueError:
        keys = {None: math.nan}
    if not all(map(math.isfinite, keys.values())):
        raise _lacking(asked, "an order of the values, which are not numbers", "an order")
    return sorted(found, key=lambda value: (value is None, keys[value], value or ""))


def levels(values: Iterable[Value], asked: Asked) -> list[dict[Value, Value | int]]:
    """For each level of the hierarchy below its root the label of every value, values first.

    A chain that is shorter than others stays at its last label; a value without a chain stands
    for itself on every level.

    Raises:
        PolicyError: If no hierarchy is known.
    """
    chains = {chain[0]: chain for chain in asked.known.chains if chain}
    values = list(values)
    if not chains and values:
        raise _lacking(asked, "a hierarchy of the values", "a hierarchy")
    height = max(map(len, chains.values()), default=2) - 1
    return [
        {
            # A value without a chain is told apart from a label that is spelled alike.
            value: chains[value][min(level, len(chains[value]) - 1)] if value in chains else -at
            for at, value in enumerate(values, 1)
        }
        for level in range(height)
    ]


def _lacking(asked: Asked, what: str, short: str) -> PolicyError:
    return PolicyError(
        "values-not-known",
        f"promise '{asked.requirement.model}' needs {what}",
        attribute=asked.requirement.sensitive,
        remedy=f"audit a folder whose certificate tells it, or a policy that gives the "
        f"attribute {short}",
    )
