"""Ends of published ranges that are the values of few, far from all others: the oldest of a table.

Ranges of ``mondrian``, ``k-member``, ``mdav`` and ``theta`` begin and end at values of records. In
a class of people of about one age that tells little; the only person of 108 years makes a range
that ends at 108.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np

from indistinct.document import many, toml_key
from indistinct.hierarchies.cells import members_of, range_of
from indistinct.hierarchies.moments import days_of
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.intake.private_table import PrivateTable
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.recoding.cells import places_of
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.plan import CellPlan, Plan
from indistinct.types import Floats, Ints
from indistinct.warning_kinds import Kind, WarningText

FAR = 0.1
"""An end is far from others by this share of the range of most values, or more."""

MIDDLE = (0.05, 0.95)
"""The range of most values: without those at both ends."""


def warn_about_range_ends(private: PrivateTable, plan: Plan | LinkedPlan) -> list[WarningText]:
    """Warnings about ranges whose end is the value of fewer than k, far from all others."""
    cells = plan.quasi if isinstance(plan, LinkedPlan) else plan
    if not isinstance(cells, CellPlan):
        return []
    sizes = [part.k for part in private.promises if isinstance(part, KAnonymity)]
    few, found = max(sizes, default=2), []
    for place, (name, style) in enumerate(zip(cells.attributes, cells.style, strict=True)):
        ranges = style == "range"
        taxonomy = private.taxonomies[name]
        ends = [] if ranges else _further_ranges(cells.texts[place], taxonomy)
        if not ranges and not ends:
            continue
        counts = _published(private, cells, place)
        dated = taxonomy.dates is not None
        scale = np.array(
            (places_of(taxonomy) if dated else None) or [_number(one) for one in taxonomy.level(0)],
            dtype=np.float64,
        )
        known = scale[(counts > 0) & np.isfinite(scale)]
        shown = {
            end: ranges or any(float(one[at]) == last for one in ends)
            for at, (end, last) in enumerate(
                (("lowest", known.min(initial=np.inf)), ("highest", known.max(initial=-np.inf)))
            )
        }
        for end, there in lone_ends(scale, counts, few):
            if not shown[end]:
                continue
            found.append(
                Kind.RISK(
                    f"'{name}': ranges end at values of records, and the {end} end is that of "
                    f"{many(there, private.subjects.unit)} far from all others, so the range "
                    f"shows the {'date' if dated else 'value'}: "
                    + ", or ".join(_remedies(name, ranges=ranges, dated=dated)),
                    there / max(int(counts.sum()), 1),
                )
            )
    return found


def _remedies(name: str, *, ranges: bool, dated: bool) -> Iterator[str]:
    if dated:
        yield "let its hierarchy begin with a longer period, such as the year"
    else:
        yield "group such values (top, bottom of intervals)"
    if ranges:
        yield f'write method.cells.{toml_key(name)} = "level"'


def _further_ranges(texts: Sequence[Label], taxonomy: Taxonomy) -> list[tuple[Decimal, Decimal]]:
    """The ends of ranges among labels that are none of a hierarchy's.

    A class that would be ``*`` in every cell has one in place of its label.
    """
    own = {label for level in range(taxonomy.levels) for label in taxonomy.level(level)}
    parts = [part for text in texts if text not in own for part in members_of(text) or (text,)]
    if taxonomy.dates is None:
        return [ends for part in parts if (ends := range_of(part)) is not None]
    days = [[days_of(end) for end in (part or "").strip("[]").split(", ")] for part in parts]
    return [(Decimal(one[0][0]), Decimal(one[-1][0])) for one in days if one[0] and one[-1]]


def lone_ends(scale: Floats, counts: Ints, few: int) -> Iterator[tuple[str, int]]:
    """Which ends of values are those of fewer than so many, far from the others, and of how many.

    Arguments:
        scale: the values in any order, NaN for what is no number, [leaves].
        counts: how many have each, [leaves].
        few: so many others hide somebody.

    >>> ages, people = np.array([30.0, 40, 50, 60, 108]), np.array([10, 10, 10, 10, 1])
    >>> list(lone_ends(ages, people, few=3))
    [('highest', 1)]
    """
    there = (counts > 0) & np.isfinite(scale)
    order = np.argsort(scale[there], kind="stable")
    values, have = scale[there][order], counts[there][order]
    total = int(have.sum())
    if total < few or len(values) <= 1:
        return
    below = np.cumsum(have)
    low, high = values[np.searchsorted(below, [share * total for share in MIDDLE])]
    for end, far, held in (
        ("lowest", values - values[0], have),
        ("highest", (values[-1] - values)[::-1], have[::-1]),
    ):
        near = int(held[far < max(FAR * (high - low), np.finfo(float).tiny)].sum())
        if high > low and near < few:
            yield end, near


def _published(private: PrivateTable, cells: CellPlan, place: int) -> Ints:
    """How many published units have each leaf of an attribute, [leaves]."""
    data = private.data
    if data.marginals is not None:
        return data.marginals[place]
    codes, weight = data.table.codes[place], data.weight
    if len(cells.class_of) == len(codes):
        weight = np.where(cells.class_of >= 0, weight, 0)
    leaves = len(private.taxonomies[cells.attributes[place]].leaves)
    return np.bincount(codes, weight, minlength=leaves).astype(np.int64)


def _number(label: str | None) -> float:
    """The number of a label, NaN for what is none."""
    try:
        return float(label or "nan")
    except ValueError:
        return float("nan")
