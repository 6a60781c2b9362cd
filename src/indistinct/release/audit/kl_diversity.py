"""Do k people share every fingerprint, and does every class have l, none of them too frequent?

Gong, Luo, Yang and Ni (2017), (k,l)-diversity. What a bucket lists, everybody in it has: its
fingerprint. Buckets that list the same are one to readers. At least k people have each
fingerprint; and in every class of equal quasi-identifiers are at least l different ones, none of
them with more than one in l of the people.
"""

from __future__ import annotations

import polars as pl

from indistinct.errors import PolicyError
from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, least
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Context, LinkedTables, Verdict

MODEL = "kl-diversity"

_PRINT, _HELD, _TIMES = "\0fingerprint", "\0held", "\0times"


@class_check(MODEL, counts="linked", settings={"k": whole(2, example=10), "l": whole(2, example=5)})
def check(asked: Asked) -> Verdict:
    """Whether every fingerprint has k people and every class l fingerprints, evenly enough.

    A class breaks the promise also where somebody in it has a fingerprint of too few people.

    Raises:
        PolicyError: If the release is no linked tables, or its buckets do not list what everybody
            in them has.
    """
    linked = _linked(asked.context)
    on = asked.on
    people = asked.records.join(
        _fingerprints(linked, asked.sensitive),
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
    return asked.judged(
        classes,
        few | (pl.col("k") < asked["k"]),
        {"k": least(people[_HELD]), "l": least(classes["l"])},
    )


def _linked(context: Context) -> LinkedTables:
    linked = context.linked
    if linked is None or linked.holding != "all":
        raise PolicyError(
            "no-fingerprints",
            f"promise '{MODEL}' applies to two linked tables whose buckets list what everybody "
            "in them has"
            + ("" if linked is None else f", and here everybody has '{linked.holding}' of it"),
            remedy="audit the folder of such a release with its certificate, or say that "
            'holding = "all"',
        )
    return linked


def _fingerprints(linked: LinkedTables, sensitive: str) -> pl.DataFrame:
    """The number of every bucket's fingerprint, the same for buckets that list the same."""
    lists = (
        linked.sensitive[sensitive]
        .unique()
        .sort(sensitive)
        .group_by(linked.by, maintain_order=True)
        .agg(pl.col(sensitive).alias(_HELD))
    )
    numbers = lists.select(_HELD).unique().with_row_index(_PRINT)
    return lists.join(numbers, on=_HELD, how="left", nulls_equal=True).select(linked.by, _PRINT)
