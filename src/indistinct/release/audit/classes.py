"""What several checks share: reading a promise's parameters, and counting values class by class.

No privacy model is defined here. A check reads its parameters with :func:`read`, asks
:func:`counts` how often each sensitive value occurs in each equivalence class, describes every
class with figures of its own, and says with :func:`judged` which classes break the promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from indistinct.errors import PolicyError, Problem, did_you_mean
from indistinct.metadata import Value, ValueMetadata
from indistinct.release.audit.verdict import CLASS, RECORDS, UNITS, VALUE, Context, Verdict
from indistinct.requirement import Requirement

SIZE = "size"
"""Column with the number of records of a class."""

SHARE = "share"
"""Column with the share of a value: in its class, or in a distribution to compare with."""

TOLERANCE = 1e-9
"""By how much a computed figure may miss its bound: what arithmetic loses, never a record."""


# Parameters


@dataclass(frozen=True)
class Setting:
    """A parameter of a privacy model: what it may be, and what it is where it is left out.

    Arguments:
        says: What it must be, in words: ``a whole number of at least 1``.
        fits: Whether a value is one of these.
        example: A value to propose where the parameter is missing.
        default: What it is where it is left out; None for one that must be given.
    """

    says: str
    fits: Callable[[Any], bool]
    example: Any
    default: Any = None


def whole(least: int, example: int, default: int | None = None) -> Setting:
    """A whole number."""
    return Setting(
        f"a whole number of at least {least}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least,
        example,
        default,
    )


def number(
    says: str, fits: Callable[[float], bool], example: float, default: float | None = None
) -> Setting:
    """A finite number, whole or not, for which ``fits`` holds."""
    return Setting(
        says,
        lambda value: (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and math.isfinite(value)
            and fits(value)
        ),
        example,
        default,
    )


def word(*choices: str) -> Setting:
    """One of several words; the first where it is left out."""
    return Setting(
        "one of " + ", ".join(f"'{choice}'" for choice in choices),
        lambda value: isinstance(value, str) and value in choices,
        choices[0],
        choices[0],
    )


def share(example: float, default: float | None = None) -> Setting:
    """A number above 0 and at most 1."""
    return number("a number above 0 and at most 1", lambda value: 0 < value <= 1, example, default)


def read(
    requirement: Requirement, *, sensitive: bool = True, compares: bool = False, **settings: Setting
) -> dict[str, Any]:
    """The parameters of a promise, each of the right form, in the order of ``settings``.

    Arguments:
        requirement: The promise.
        sensitive: Whether it must name an attribute that it protects.
        compares: Whether it compares with a distribution, so that a reference may be named.
        settings: Its parameters.

    Raises:
        PolicyError: If something is missing, unknown or of the wrong form; all that is.
    """
    model, given = requirement.model, requirement.parameters
    problems = [
        Problem(
            "unknown-setting",
            f"promise '{model}' has no parameter '{name}': {did_you_mean(name, settings)}",
        )
        for name in given
        if name not in settings
    ]
    found = {name: given.get(name, setting.default) for name, setting in settings.items()}
    for name, setting in settings.items():
        if found[name] is None:
            remedy = f"add {name} = {setting.example}, say"
            problems.append(
                Problem("missing-setting", f"promise '{model}' needs '{name}'", remedy=remedy)
            )
        elif not setting.fits(found[name]):
            problems.append(
                Problem(
                    "bad-parameter",
                    f"{name} of {model} must be {setting.says}, not {found[name]!r}",
                )
            )
    problems += _general(requirement, sensitive, compares)
    if problems:
        raise PolicyError(problems)
    return found


def _general(requirement: Requirement, sensitive: bool, compares: bool) -> Iterable[Problem]:
    model = requirement.model
    if sensitive and requirement.sensitive is None:
        yield Problem(
            "missing-setting",
            f"promise '{model}' protects an attribute, and none is named",
            remedy='add sensitive = "diagnosis", say',
        )
    if requirement.reference != "published" and not compares:
        yield Problem(
            "unknown-setting",
            f"promise '{model}' compares with no distribution, and a reference is named",
            remedy="leave reference out",
        )


# Classes


def counts(records: pl.DataFrame, requirement: Requirement, context: Context) -> pl.DataFrame:
    """How often each value of the sensitive attribute occurs in each class.

    One row for each value that occurs in a class, with the columns ``class`` (a number), ``value``,
    ``records`` and ``units`` (the size of the class); a missing value is a value of its own. Rows
    are sorted, so that sums over floating point numbers come out alike each time.
    """
    assert requirement.sensitive is not None
    return context.counts(records, context.on(requirement), requirement.sensitive)


def described(cells: pl.DataFrame, **figures: pl.Expr) -> pl.DataFrame:
    """One row for each class, with its ``size`` and further figures of its rows in ``cells``."""
    return cells.group_by(CLASS, maintain_order=True).agg(
        pl.col(UNITS).first().alias(SIZE), **figures
    )


def judged(
    requirement: Requirement,
    context: Context,
    classes: pl.DataFrame,
    breaks: pl.Expr,
    achieved: Mapping[str, float | int | None],
    achieved_with: Mapping[str, Mapping[str, Any]] | None = None,
) -> Verdict:
    """The verdict where ``breaks`` says of each class whether it breaks the promise.

    ``achieved_with`` are the other parameters, as asked, that a figure holds with.
    """
    broken = classes.filter(breaks)
    return Verdict(
        requirement=requirement,
        on=context.on(requirement),
        holds=broken.is_empty(),
        achieved=achieved,
        breaking_classes=broken.height,
        breaking_records=int(broken[SIZE].sum()),
        achieved_with=achieved_with or {},
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


def reference(cells: pl.DataFrame, requirement: Requirement, context: Context) -> pl.DataFrame:
    """The distribution that a promise compares with: columns ``value`` and ``share``.

    That of the published records, or of the original table, which a release does not show: the
    certificate or the policy must tell it.

    Raises:
        PolicyError: If the original distribution is asked for and is not known.
    """
    if requirement.reference == "published":
        told = cells.group_by(VALUE, maintain_order=True).agg(pl.col(RECORDS).sum())
    else:
        known = _known(requirement, context).reference
        told = pl.DataFrame(
            {VALUE: list(known), RECORDS: list(known.values())},
            schema={VALUE: pl.String, RECORDS: pl.Float64},
        ).filter(pl.col(RECORDS) > 0)
        if told.is_empty():
            raise PolicyError(
                Problem(
                    "reference-not-known",
                    f"promise '{requirement.model}' compares with the distribution of the original "
                    "table, which is not known",
                    attribute=requirement.sensitive,
                    remedy="audit a folder whose certificate tells it, or give it with the "
                    'policy; reference = "published" needs none',
                )
            )
    told = told.sort(VALUE)
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


def categories(
    cells: pl.DataFrame, requirement: Requirement, context: Context, *, ordered: bool = False
) -> pl.DataFrame:
    """``cells`` with the ``category`` of each value; if ``ordered``, its ``place`` and ``weight``.

    ``place`` counts from 0, the least sensitive; ``weight`` is 0 for the most sensitive category
    and 1 for the least.

    Raises:
        PolicyError: If categories, or their order, are not known, or a value has none.
    """
    known = _known(requirement, context)
    if not known.categories and cells.height:
        raise _lacking(requirement, "the category of every value", "categories")
    if ordered and not known.category_order and cells.height:
        raise _lacking(
            requirement,
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
            Problem(
                "value-without-category",
                f"{many} no category, and promise '{requirement.model}' needs one for each",
                attribute=requirement.sensitive,
                remedy="name the category of every value, and of the missing one if there is any",
            )
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


def in_order(values: Iterable[Value], requirement: Requirement, context: Context) -> list[Value]:
    """The values from the smallest to the largest.

    In the order that is known; without one in that of numbers. What the order leaves out comes
    after it, and the missing value last.

    Raises:
        PolicyError: If no order is known and the values are no numbers.
    """
    place = {value: at for at, value in enumerate(_known(requirement, context).order)}
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
        raise _lacking(requirement, "an order of the values, which are no numbers", "an order")
    return sorted(found, key=lambda value: (value is None, keys[value], value or ""))


def levels(
    values: Iterable[Value], requirement: Requirement, context: Context
) -> list[dict[Value, Value | int]]:
    """For each level of the hierarchy below its root the label of every value, values first.

    A chain that is shorter than others stays at its last label; a value without a chain stands
    for itself on every level.

    Raises:
        PolicyError: If no hierarchy is known.
    """
    chains = {chain[0]: chain for chain in _known(requirement, context).chains if chain}
    values = list(values)
    if not chains and values:
        raise _lacking(requirement, "a hierarchy of the values", "a hierarchy")
    height = max(map(len, chains.values()), default=2) - 1
    return [
        {
            # A value without a chain is told apart from a label that is spelled alike.
            value: chains[value][min(level, len(chains[value]) - 1)] if value in chains else -at
            for at, value in enumerate(values, 1)
        }
        for level in range(height)
    ]


def _known(requirement: Requirement, context: Context) -> ValueMetadata:
    return context.known.get(requirement.sensitive or "", ValueMetadata())


def _lacking(requirement: Requirement, what: str, short: str) -> PolicyError:
    return PolicyError(
        Problem(
            "values-not-known",
            f"promise '{requirement.model}' needs {what}",
            attribute=requirement.sensitive,
            remedy=f"audit a folder whose certificate tells it, or a policy that gives the "
            f"attribute {short}",
        )
    )
