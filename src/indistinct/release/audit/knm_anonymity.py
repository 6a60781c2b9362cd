"""Is every class as large as the most sensitive record in it asks for?

Victor and Lopez (2020), (k,n,m)-anonymity, definition 6: a record whose value has rank r, from 1
(critical) to 4 (low), is in a class of at least k_r records, or (``count = "rank"``) of at least
k_r records of rank r. Example 6 asks of every class half as many different values as the table has:
rounded down, and two at least. Where ``diversity`` is true, the table is the published one; a
release made here names the number instead, since what was suppressed may have had further values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from indistinct.errors import PolicyError
from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, least
from indistinct.release.audit.settings import Setting, word
from indistinct.release.audit.verdict import CLASS, RECORDS, UNITS, VALUE, Verdict

MODEL = "knm-anonymity"

RANK, ASKED, COUNTED = "rank", "asked", "counted"


def _table_of_ks(given: Any) -> bool:
    return (
        isinstance(given, Mapping)
        and len(given) > 0
        and all(str(rank) in ("1", "2", "3", "4") for rank in given)
        and all(isinstance(k, int) and not isinstance(k, bool) and k > 0 for k in given.values())
    )


def _diversity(given: Any) -> bool:
    return isinstance(given, bool) or (isinstance(given, int) and given > 0)


@class_check(
    MODEL,
    counts="values",
    settings={
        "k": Setting(
            "a table with a k for every rank from 1 to 4, as a certificate tells it",
            _table_of_ks,
            {"1": 10, "2": 5},
        ),
        "count": word("class", "rank"),
        "diversity": Setting("true, false or a whole number of at least 1", _diversity, True, True),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class is as large as the k of its ranks, and has enough different values.

    Raises:
        PolicyError: If a published value has no rank, or a published rank no k.
    """
    ks = {int(rank): k for rank, k in asked["k"].items()}
    cells = _ranked(asked, ks)
    by_rank = asked["count"] == "rank"
    counted = pl.col(RECORDS).sum().over([CLASS, RANK]) if by_rank else pl.col(UNITS)
    cells = cells.with_columns(counted.alias(COUNTED))
    wanted = _wanted(asked["diversity"], asked.published_cells()[VALUE].n_unique())
    classes = cells.group_by(CLASS, maintain_order=True).agg(
        pl.col(UNITS).first().alias(SIZE),
        pl.len().cast(pl.Int64).alias("diversity"),
        (pl.col(COUNTED) < pl.col(ASKED)).any().alias("small"),
    )
    achieved = {
        f"k_{rank}": least(cells.filter(pl.col(RANK) == rank)[COUNTED]) for rank in sorted(ks)
    }
    if asked["diversity"] is not False:
        achieved["diversity"] = least(classes["diversity"])
    return asked.judged(
        classes,
        pl.col("small") | (pl.col("diversity") < wanted),
        achieved,
        diverse=asked["diversity"] is not False,
    )


def _wanted(diversity: bool | int, labels: int) -> int:
    """Different values that a class needs."""
    return max(2, labels // 2) if diversity is True else int(diversity)


def _ranked(asked: Asked, ks: Mapping[int, int]) -> pl.DataFrame:
    """Every value of every class with its rank, and the k that the rank asks for."""
    ranks = asked.known.ranks
    table = pl.DataFrame(
        {VALUE: list(ranks), RANK: list(ranks.values())}, {VALUE: pl.String, RANK: pl.Int64}
    )
    found = asked.cells().join(table, on=VALUE, how="left", nulls_equal=True, maintain_order="left")
    bare = found.filter(pl.col(RANK).is_null())[VALUE].n_unique()
    if bare:
        many = "a published value has" if bare == 1 else f"{bare} published values have"
        raise PolicyError(
            "value-without-rank",
            f"{many} no rank of sensitivity, and promise '{MODEL}' needs one for each",
            attribute=asked.sensitive,
            remedy="audit a folder whose certificate tells the ranks, or with a policy that "
            "gives the attribute ranks in a table or a file",
        )
    if unasked := sorted(set(found[RANK].to_list()) - set(ks)):
        raise PolicyError(
            "rank-without-k",
            f"promise '{MODEL}' has no k for rank {', '.join(map(str, unasked))}, which is "
            "published",
            attribute=asked.sensitive,
        )
    return found.with_columns(pl.col(RANK).replace_strict(ks, return_dtype=pl.Int64).alias(ASKED))
