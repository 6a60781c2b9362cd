"""Do k people share every fingerprint, and does every class have l, none of them too frequent?

Gong, Luo, Yang and Ni (2017), (k,l)-diversity. What a bucket lists, everybody in it has: its
fingerprint. Buckets that list the same are one to whoever reads them. At least k people have each
fingerprint; and in every class of equal quasi-identifiers are at least l different ones, none of
them with more than one in l of the people.
"""

from __future__ import annotations

import polars as pl

from indistinct.errors import PolicyError, Problem
from indistinct.release.audit.classes import SIZE, judged, least, read, whole
from indistinct.release.audit.verdict import Context, LinkedTables, Verdict
from indistinct.requirement import Requirement

MODEL = "kl-diversity"

TABLES = "linked"

_PRINT, _HELD, _TIMES = "\0fingerprint", "\0held", "\0times"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every fingerprint has k people and every class l fingerprints, evenly enough.

    A class breaks the promise also where somebody in it has a fingerprint of too few people.

    Arguments:
        records: The rows of the quasi table as text, missing cells null, suppressed ones left out.
        requirement: The promise, with its parameters ``k`` and ``l``.
        context: The release's quasi-identifiers, and the two tables.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, the
            release is no linked tables, or its buckets do not list what everybody in them has.
    """
    asked = read(requirement, k=whole(2, example=10), l=whole(2, example=5))
    linked = _linked(context)
    on = context.on(requirement)
    people = records.join(
        _fingerprints(linked, str(requirement.sensitive)),
        on=linked.by,
        how="left",
        nulls_equal=True,
    ).with_columns(pl.len().cast(pl.Int64).over(_PRINT).alias(_HELD))
    classes = (
        people.group_by([*on, _PRINT])
        .agg(pl.len().cast(pl.Int64).alias(_TIMES), pl.col(_HELD).first())
        .group_by(list(on))
        .agg(
            pl.col(_TIMES).sum().alias(SIZE),
            (pl.col(_TIMES).sum() // pl.col(_TIMES).max()).alias("l"),
            pl.len().alias("different"),
            pl.col(_HELD).min().alias("k"),
        )
    )
    few = (pl.col("different") < asked["l"]) | (pl.col("l") < asked["l"])
    return judged(
        requirement,
        context,
        classes,
        few | (pl.col("k") < asked["k"]),
        {"k": least(people[_HELD]), "l": least(classes["l"])},
    )


def _linked(context: Context) -> LinkedTables:
    linked = context.linked
    if linked is None or linked.holding != "all":
        raise PolicyError(
            Problem(
                "no-fingerprints",
                f"promise '{MODEL}' speaks of two linked tables whose buckets list what everybody "
                "in them has"
                + ("" if linked is None else f", and here everybody has '{linked.holding}' of it"),
                remedy="audit the folder of such a release with its certificate, or say that "
                'holding = "all"',
            )
        )
    return linked


def _fingerprints(linked: LinkedTables, sensitive: str) -> pl.DataFrame:
    """The number of every bucket's fingerprint, the same for buckets that list the same."""
    lists = (
        linked.sensitive[sensitive]
        .unique()
        .sort(sensitive, nulls_last=True)
        .group_by(linked.by, maintain_order=True)
        .agg(pl.col(sensitive).alias(_HELD))
    )
    numbers = lists.select(_HELD).unique(maintain_order=True).with_row_index(_PRINT)
    return lists.join(numbers, on=_HELD, how="left", nulls_equal=True).select(linked.by, _PRINT)
