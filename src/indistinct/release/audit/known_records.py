"""What is left to those who know a person's class and up to m of the person's items?

Terrovitis, Mamoulis and Kalnis (2008), k^m-anonymity, class by class; and the share of those who
have some items that has another. The items of a person are the different values in the person's
records; a missing value is an item too, and so is ``*``: if the values of the table are known, one
sees which ones a class does not show. If nobody of a class shows anything but ``*``, there is
nothing to believe; but the class still has to have k people.
"""

from __future__ import annotations

import polars as pl

from indistinct.errors import PolicyError
from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import TOLERANCE, Asked
from indistinct.release.audit.reading import SUPPRESSED
from indistinct.release.audit.settings import optional, share, whole
from indistinct.release.audit.verdict import Verdict

MODEL = "known-records"

_PERSON, _CLASS, _ITEM, _NEXT, _STAR = "\0person", "\0class", "\0item", "\0next", "\0star"
_PEOPLE, _BEFORE, _KNOWN = "\0people", "\0before", "\0known"


@class_check(
    MODEL,
    counts="combinations",
    settings={
        "k": optional(whole(1, example=5)),
        "bound": optional(share(example=0.5)),
        "m": whole(1, example=1, default=1),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every combination of up to m items leaves k people, and a belief of ``bound``.

    What is achieved: as ``k`` the fewest people of a class who have a combination of up to m items,
    as ``bound`` the largest share, of those who have up to m items, that has another. What breaks
    the promise are classes, and the people in them (as records).

    Raises:
        PolicyError: If nothing tells people apart, or neither k nor bound is asked for.
    """
    k, bound, m = asked["k"], asked["bound"], asked["m"]
    _require(k, bound)
    held = _items(asked)
    believed = held.filter(~pl.col(_STAR).all().over(_CLASS)).select(_CLASS).unique()
    size = held.group_by(_CLASS).agg(pl.col(_PERSON).n_unique().cast(pl.Int64).alias(_PEOPLE))
    single = held.select(_CLASS, _PERSON, _NEXT)
    sets, columns = single.rename({_NEXT: "0"}), ["0"]
    before, known = size.rename({_PEOPLE: _BEFORE}), pl.Series(dtype=pl.String).to_list()
    fewest: list[int] = []
    largest: list[float] = []
    broken = [size.select(_CLASS).clear()]
    while sets.height:
        counted = sets.group_by(_CLASS, *columns).agg(pl.len().cast(pl.Int64).alias(_PEOPLE))
        if len(columns) <= m:
            fewest.append(int(counted[_PEOPLE].min()))  # type: ignore[arg-type]
            if k is not None:
                broken.append(counted.filter(pl.col(_PEOPLE) < k).select(_CLASS))
        if bound is not None:
            for left in columns:
                others = [name for name in columns if name != left]
                learnt = counted.join(
                    before.rename(dict(zip(known, others, strict=True))), on=[_CLASS, *others]
                )
                learnt = learnt.join(believed, on=_CLASS, how="semi")
                part = learnt.select(_CLASS, (pl.col(_PEOPLE) / pl.col(_BEFORE)).alias(_KNOWN))
                if part.height:
                    largest.append(float(part[_KNOWN].max()))  # type: ignore[arg-type]
                too_much = pl.col(_KNOWN) > bound + TOLERANCE
                broken.append(part.filter(too_much).select(_CLASS))
        if len(columns) == (m if bound is None else m + 1):
            break
        before, known = counted.rename({_PEOPLE: _BEFORE}), columns.copy()
        larger = sets.join(single, on=[_CLASS, _PERSON])
        larger = larger.filter(pl.col(_NEXT) > pl.col(columns[-1]))
        columns.append(str(len(columns)))
        sets = larger.rename({_NEXT: columns[-1]})
    classes = pl.concat(broken).unique()
    achieved: dict[str, float | int | None] = {}
    if k is not None:
        achieved["k"] = min(fewest, default=None)
    if bound is not None:
        achieved["bound"] = max(largest, default=None)
    return Verdict(
        requirement=asked.requirement,
        on=asked.on,
        holds=classes.is_empty(),
        achieved=achieved,
        breaking_classes=classes.height,
        breaking_records=int(size.join(classes, on=_CLASS, how="semi")[_PEOPLE].sum()),
        achieved_with={name: {"m": m} for name in achieved},
    )


def _items(asked: Asked) -> pl.DataFrame:
    """Class, person and item of everybody, each once, and whether it is a star."""
    records, on = asked.records, list(asked.on)
    held = records.select(
        pl.struct(on).rank("dense").cast(pl.Int64).alias(_CLASS),
        pl.col(asked.person).alias(_PERSON),
        pl.col(asked.sensitive).alias(_ITEM),
    ).unique()
    items = held.select(_ITEM).unique().sort(_ITEM).with_row_index(_NEXT)
    star = pl.col(_ITEM).eq_missing(pl.lit(SUPPRESSED))
    return held.join(items, on=_ITEM, nulls_equal=True).with_columns(star.alias(_STAR))


def _require(k: int | None, bound: float | None) -> None:
    """Raise :class:`PolicyError` unless something is asked for."""
    if k is None and bound is None:
        raise PolicyError(
            "missing-setting",
            f"promise '{MODEL}' needs 'k' or 'bound'",
            remedy="add k = 5, say, or bound = 0.5",
        )
