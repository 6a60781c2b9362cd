"""How many days lie between a person's records: dates that are shifted alike still tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from indistinct.document import in_quotes, share
from indistinct.release.transforms.measured import as_measured
from indistinct.sources.convert import to_polars
from indistinct.sources.text import canonical
from indistinct.types import Frame
from indistinct.warning_kinds import Kind, WarningText

_DAY, _GAP, _ONE, _MEAN = "\0day", "\0gap", "\0one", "\0mean"


def warn_about_days_between(
    released: Frame, shifted: Mapping[str, str], person: str, quasi: Sequence[str]
) -> list[WarningText]:
    """That quasi-identifiers and the days between two successive dates single people out.

    Arguments:
        released: what is published, a row per record.
        shifted: the columns of dates that are moved alike for a person, and how dates are written.
        person: the column that tells people apart.
        quasi: the quasi-identifiers.
    """
    held = to_polars(released)
    found = {}
    for name in (one for one in shifted if one in held.columns):
        texts = canonical(held.select(name))[name]
        dates = as_measured(held[name], texts, shifted[name])
        if dates is not None and dates.kind != "number":
            found[name] = pl.Series(dates.days).set(texts.is_null(), None)
    if not found:
        return []
    days = pl.concat_list(*found.values()).alias(_DAY)
    rows = canonical(held.select(person, *quasi)).with_columns(days).explode(_DAY)
    one, mean = _alone_with_days(rows.drop_nulls(_DAY), person, quasi)
    people = held[person].n_unique()
    listed = in_quotes(found)
    return [
        Kind.RISK(
            f"{listed}: quasi-identifiers and the days between two successive dates single out "
            f"{share(one / people)} of people at worst ({share(mean / people)} on average): "
            "shifted dates keep these days",
            one / people,
        )
    ] * bool(one)


def _alone_with_days(rows: pl.DataFrame, person: str, quasi: Sequence[str]) -> tuple[float, float]:
    """How many people are alone with a number of days: with any of theirs, and on average."""
    of = pl.col(person)
    days = rows.unique([person, _DAY]).sort(_DAY)
    gaps = days.with_columns(pl.col(_DAY).diff().over(of).alias(_GAP)).drop_nulls(_GAP)
    gaps = gaps.unique([person, *quasi, _GAP])
    alone = gaps.select(of, (of.count().over(*quasi, _GAP) == 1).alias(_ONE))
    told = alone.group_by(person).agg(pl.col(_ONE).any(), pl.col(_ONE).mean().alias(_MEAN))
    return float(told[_ONE].sum()), float(told[_MEAN].sum())
