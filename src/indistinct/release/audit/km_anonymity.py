"""Do k people have every combination of up to m published items that somebody has?

Terrovitis, Mamoulis and Kalnis (2008), k^m-anonymity. The items of a person are the different
values in the person's records; a missing value is an item too, and so is ``*``. Where several
columns hold the items ``together``, missing values are none; if no column tells people apart, each
record is a person. Combinations of two items are pairs of records of a person, those of three add
another record, and so on.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked
from indistinct.release.audit.settings import names, optional, whole
from indistinct.release.audit.verdict import Verdict

MODEL = "km-anonymity"

_PERSON, _ITEM, _NEXT, _PEOPLE = "\0person", "\0item", "\0next", "\0people"


@class_check(
    MODEL,
    counts="items",
    settings={
        "k": whole(1, example=5),
        "m": whole(1, example=2, default=2),
        "together": optional(names("diag_2", "diag_3")),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every combination of up to m items that occurs is held by k people.

    What is achieved: as ``k`` the fewest people who have a combination of up to m items, as ``m``
    the length up to which k people have each combination. What breaks the promise are combinations
    (as classes), and the people who have one (as records).

    Raises:
        PolicyError: If nothing tells people apart.
    """
    together = list(asked["together"] or ())
    person = asked.context.person if together else asked.person
    k, m = asked["k"], asked["m"]
    whose = pl.int_range(pl.len()) if person is None else pl.col(person)
    held = pl.concat(
        asked.records.select(whose.alias(_PERSON), pl.col(name).alias(_ITEM))
        for name in [asked.sensitive, *together]
    ).unique()
    if together:
        held = held.drop_nulls(_ITEM)
    items = held.select(_ITEM).unique().sort(_ITEM).with_row_index(_NEXT)
    single = held.join(items, on=_ITEM, nulls_equal=True).select(_PERSON, _NEXT)
    sets, columns = single.rename({_NEXT: "0"}), ["0"]
    fewest: list[int] = []
    rare, concerned = 0, [single.select(_PERSON).clear()]
    while sets.height:
        counted = sets.group_by(columns).agg(pl.len().cast(pl.Int64).alias(_PEOPLE))
        fewest += counted.select(pl.col(_PEOPLE).min()).to_series().to_list()
        few = counted.filter(pl.col(_PEOPLE) < k)
        rare += few.height
        concerned.append(sets.join(few, on=columns, how="semi").select(_PERSON))
        if len(columns) == m:
            break
        larger = sets.join(single, on=_PERSON, nulls_equal=True)
        larger = larger.filter(pl.col(_NEXT) > pl.col(columns[-1]))
        columns.append(str(len(columns)))
        sets = larger.rename({_NEXT: columns[-1]})
    kept = next((at for at, people in enumerate(fewest) if people < k), m)
    return Verdict(
        requirement=asked.requirement,
        on=asked.on,
        holds=not rare,
        achieved={"k": min(fewest, default=None), "m": kept if fewest else None},
        breaking_classes=rare,
        breaking_records=pl.concat(concerned).n_unique(),
        achieved_with={"k": {"m": m}, "m": {"k": k}},
    )
