"""Values of a class that are different, and near: the class nearly tells them.

Promises that count values, or bound the share of one, take 50,000 and 50,001 for two, two kinds of
cancer, and "HIV; flu" and "HIV; gout". Li, Tao and Xiao (2008) call the first a proximity breach;
Sun, Sun and Wang (2011) speak of the second.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from indistinct.analytics.attacks.proximity import MOST, NEAR
from indistinct.analytics.leakage.derivations import on_scales
from indistinct.document import share
from indistinct.metadata import NO_METADATA, Value, ValueMetadata
from indistinct.sources.convert import to_polars
from indistinct.types import Frame
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.background_warnings import FEWEST, NEARLY_ALL
from indistinct.warnings.group_values import GROUP, HAVE, OF, GroupValues, told_of_no_bound

_KIND = "\0kind"

_LISTED = r"[^;|]+"
"""What stands between the marks of a list. A comma is none: names of illnesses have some."""


def near(found: GroupValues) -> float:
    """The share who are in a group of values that differ, and are all near one another."""
    rows = found.rows
    texts = rows.select(pl.col(found.name).cast(pl.String, strict=False))
    scale = on_scales(texts, {found.name: "text"}, [found.name]).get(found.name)
    if scale is None or not len(scale) or np.isnan(scale).any():
        return 0.0
    order = np.argsort(scale, kind="stable")
    below = np.cumsum(rows[HAVE].to_numpy()[order]) / max(int(rows[HAVE].sum()), 1)
    ends = np.searchsorted(below, [(1 - MOST) / 2, (1 + MOST) / 2])
    low, high = scale[order[np.minimum(ends, len(order) - 1)]]
    groups = rows.select(GROUP, OF, pl.Series("value", scale)).group_by(GROUP)
    told = groups.agg(
        pl.col(OF).first(), (pl.col("value").max() - pl.col("value").min()).alias("width")
    )
    close = told.filter(pl.col("width").is_between(0.0, NEAR * (high - low), closed="right"))
    return float(close[OF].sum()) / found.total


def of_one_kind(found: GroupValues, about: ValueMetadata) -> float:
    """The share who are in a group of values that differ, and are all of one category.

    Where no categories are known, of one group right below the root of the values' hierarchy. A
    value without a category is of a kind of its own, and a kind that nearly all have is no news.
    """
    kinds: Mapping[Value, Value] = about.categories or {
        chain[0]: chain[-2] for chain in about.chains if len(chain) > 2
    }
    if not kinds:
        return 0.0
    value = pl.col(found.name).cast(pl.String, strict=False)
    told = pl.DataFrame(
        list(kinds.items()), {found.name: pl.String, _KIND: pl.String}, orient="row"
    )
    rows = found.rows.select(GROUP, OF, HAVE, value).join(told, on=found.name, how="left")
    rows = rows.with_columns(pl.col(_KIND).fill_null(pl.lit("\0") + pl.col(found.name)))
    have = rows.group_by(_KIND).agg(pl.col(HAVE).sum())
    news = have.filter(pl.col(HAVE) < NEARLY_ALL * pl.col(HAVE).sum())
    groups = rows.group_by(GROUP).agg(
        pl.col(OF).first(), pl.col(_KIND).first(), pl.col(_KIND).n_unique().alias("kinds"), pl.len()
    )
    alike = groups.filter(pl.col("kinds") == 1, pl.col("len") > 1).join(news, on=_KIND, how="semi")
    return float(alike[OF].sum()) / found.total


def of_one_part(found: GroupValues, bound: float = 1.0) -> float:
    """The share who are in a group of lists that differ, and have something in common.

    A cell may list several values. What nearly all have is no news. With a bound it is enough that
    a larger share of the group has it.
    """
    parts = pl.col(found.name).cast(pl.String, strict=False).str.extract_all(_LISTED)
    rows = found.rows.select(GROUP, OF, HAVE, parts.alias(_KIND)).with_row_index("value")
    if not len(rows) or (rows[_KIND].list.len() <= 1).all():
        return 0.0
    sizes = rows.group_by(GROUP).agg(pl.len().alias("values")).filter(pl.col("values") > 1)
    listed = rows.explode(_KIND).with_columns(pl.col(_KIND).str.strip_chars().str.to_lowercase())
    listed = listed.filter(pl.col(_KIND) != "").unique(["value", _KIND])
    have = listed.group_by(_KIND).agg(pl.col(HAVE).sum())
    news = have.filter(pl.col(HAVE) < NEARLY_ALL * int(rows[HAVE].sum()))
    shared = listed.group_by(GROUP, _KIND).agg(pl.len(), pl.col(OF).first(), pl.col(HAVE).sum())
    shared = shared.join(news, on=_KIND, how="semi").join(sizes, on=GROUP)
    often = pl.col(HAVE) > bound * pl.col(OF) * (1 + 1e-9)
    told = shared.filter((pl.col("len") == pl.col("values")) | often).unique(GROUP)
    return float(told[OF].sum()) / found.total


def told_of_shared_items(
    tables: Mapping[str, Frame],
    link: Mapping[str, str],
    known: Mapping[str, ValueMetadata],
    quasi: Sequence[str],
) -> list[WarningText]:
    """What readers are told of buckets in which everybody has all items that are listed.

    A class tells an item if all its buckets list it, or one below it. That the buckets of nearly
    everybody list it, and the root, is no news.

    Arguments:
        tables: the frames that the link names.
        link: how they belong together, as a certificate has it.
        known: the hierarchy of each attribute to look at.
        quasi: the quasi-identifiers.
    """
    people, listed = (to_polars(tables[link[key]]) for key in ("quasi", "sensitive"))
    size = pl.len().over(quasi).alias(OF)
    rows, found = people.select(*quasi, link["by"], size).with_row_index(GROUP), {}
    for name, about in known.items():
        above = {
            (one, up) for way in about.chains for at, one in enumerate(way) for up in way[at:-1]
        }
        wider = pl.DataFrame([*above], {name: pl.String, _KIND: pl.String}, orient="row")
        items = listed.select(link["by"], pl.col(name).cast(pl.String)).join(wider, on=name)
        of = rows.join(items.select(link["by"], _KIND).unique(), on=link["by"])
        news = pl.len().over(_KIND) < NEARLY_ALL * len(rows)
        of = of.filter(news).filter(pl.len().over(*quasi, _KIND) == pl.col(OF))
        if told := of[GROUP].n_unique() / max(len(rows), 1):
            found[name] = told
    return told_of_no_bound(
        found,
        "people",
        "max-posterior below 1 would: all buckets of such a class list the same item, or items of "
        "the same group, so an attacker who knows that a person is in it knows that the person has "
        "one",
    )


def warn_about_near_values(
    found: Iterable[GroupValues],
    measured: Collection[str],
    known: Mapping[str, ValueMetadata],
    bounds: Mapping[str, float],
    group: str,
    unit: str,
) -> list[WarningText]:
    """Warnings about attributes whose values are near one another in classes, or buckets.

    Arguments:
        found: the values of each group, of attributes that promises are about.
        measured: attributes of which no more is to be said: codes, and those of which a promise
            takes into account how far values are apart, if they are numbers.
        known: what is known of the values of attributes: of which category each is.
        bounds: what is promised of beliefs in single values.
        group: what a group is called.
        unit: who is counted.
    """
    lie = (
        f"all values of the {group} are near (within {NEAR:.0%} of the range of most values), so "
        f"the {group} tells the value "
        "roughly: promises count near values as different; group values first (aggregate, round), "
        'or promise t-closeness with distance = "ordered"'
    )
    remedy = (
        "promises count lists as a whole; write a row for each thing listed, and count people "
        "(person in [source])"
    )
    parts = (
        f"all values of the {group} are lists that have something in common, which the {group} "
        f"tells: {remedy}"
    )
    often = (
        f"more values of the {group} than a promise allows of one are lists that have something "
        f"in common: {remedy}"
    )
    of = (
        f"all values of the {group} are of one category, which the {group} tells: p-plus-sensitive "
        "promises several"
    )
    told = []
    for one in found:
        if (part := 0.0 if one.name in measured else near(one)) >= FEWEST:
            told.append((one.name, part, lie))
        elif (part := of_one_kind(one, known.get(one.name, NO_METADATA))) >= FEWEST:
            told.append((one.name, part, of))
        elif (part := of_one_part(one)) >= FEWEST:
            told.append((one.name, part, parts))
        elif (part := of_one_part(one, bounds.get(one.name, 1.0))) >= FEWEST:
            told.append((one.name, part, often))
    return [
        Kind.RISK(
            f"'{name}': for {share(part)} of {unit} {how}",
            part,
        )
        for name, part, how in told
    ]
