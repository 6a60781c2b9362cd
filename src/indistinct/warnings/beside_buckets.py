"""What columns that stand beside everybody's quasi-identifiers tell of the values of buckets.

Linked tables publish them with the number of a person's bucket. Which values of a column go with
which values of a bucket is learnt from all buckets, or known: a ward tells the disease.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from indistinct.document import in_quotes, share
from indistinct.microdata.microdata import row_numbers
from indistinct.recoding.linked_plan import Buckets, LinkedPlan
from indistinct.types import Bools, Floats, Ints32
from indistinct.warning_kinds import Kind, WarningText

SURE = 0.9
"""A belief from which on a value is as good as certain."""

MANY = 0.05
"""The share of people from which on it is warned of."""

_AT_ONCE = 1 << 22
"""Cells, people times values, that are worked out at once."""


def told_of_columns(beside: pl.DataFrame, plan: LinkedPlan) -> list[WarningText]:
    """What readers are told: that no promise bounds it."""
    if not beside.width:
        return []
    listed = in_quotes(beside.columns)
    about = in_quotes(plan.buckets)
    return [
        Kind.LIMIT(
            f"{listed}: published for each person next to the quasi-identifiers: no promise "
            f"bounds what these columns tell about {about}, only what a bucket tells by itself"
        )
    ]


def told_of_untried(beside: Sequence[str]) -> list[str]:
    """What an attack says of these columns."""
    listed = in_quotes(beside)
    return [
        f"{listed}: published for each person; what they tell about the values of a bucket was "
        "not tried: anonymize warns of it"
    ] * bool(beside)


def warn_about_columns(beside: pl.DataFrame, plan: LinkedPlan) -> list[WarningText]:
    """The warning that a column tells which value of their bucket somebody has.

    Arguments:
        beside: the columns, text, a row for everybody, [n].
        plan: the buckets, and which value stands for everybody.
    """
    found = []
    for column in beside.columns:
        for name, truth in plan.truth.items():
            there = truth >= 0
            if not there.any():
                continue
            codes = row_numbers(beside.filter(pl.Series(there)), [column])
            sure = _sure(codes, truth[there], plan.bucket_of[there], plan.buckets[name])
            if (part := float(sure.sum()) / len(there)) >= MANY:
                found.append(
                    Kind.RISK(
                        f"'{column}' is published for each person, and tells which '{name}' of "
                        f"the bucket is theirs, nearly certainly for {share(part)} of people: "
                        f"leave '{column}' out, or make it a quasi-identifier",
                        part,
                    )
                )
    return found


def _sure(codes: Ints32, truth: Ints32, bucket_of: Ints32, buckets: Buckets) -> Bools:
    """Of whom a value becomes as good as certain that the bucket alone does not make so.

    What goes with a person's value of the column is counted among all others, so that what only
    this person shows is not taken for known.

    Arguments:
        codes: the value of the column of everybody, [n].
        truth: the place of everybody's value among the labels, [n].
        bucket_of: the bucket of everybody, [n].
        buckets: what is listed.
    """
    counts = buckets.counts.astype(np.float64)
    met = np.zeros((int(codes.max()) + 1, counts.shape[1]))
    np.add.at(met, (codes, truth), 1.0)
    usual = np.maximum(met.sum(axis=0), 1.0)
    sure = np.zeros(len(codes), np.bool_)
    step = max(_AT_ONCE // counts.shape[1], 1)
    for start in range(0, len(codes), step):
        of = slice(start, start + step)
        listed, others = counts[bucket_of[of]], met[codes[of]]
        at = np.arange(len(others))
        others[at, truth[of]] -= 1.0
        sure[of] = _belief(listed * others / usual, truth[of]) >= SURE
        sure[of] &= _belief(listed, truth[of]) < SURE
    return sure


def _belief(weight: Floats, truth: Ints32) -> Floats:
    found: Floats = weight[np.arange(len(weight)), truth] / np.maximum(weight.sum(axis=1), 1e-12)
    return found
