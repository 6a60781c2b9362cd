"""From a plan to what is published instead of what."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from indistinct.hierarchies.taxonomy import SUPPRESSED, Label
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.plan import Plan
from indistinct.sources.table import Change
from indistinct.types import Bools, Ints32


def change(
    data: LeveledTable,
    plan: Plan,
    columns: Sequence[str],
    *,
    keep_suppressed: bool = False,
    combination_of: Ints32 | None = None,
    resolved: Collection[str] = (),
) -> Change:
    """What a table has to change to become the release that a plan describes.

    Arguments:
        data: the table the plan was made for.
        plan: which node every combination is published at.
        columns: the columns of the release, in order.
        keep_suppressed: publish suppressed records with ``*`` in every quasi-identifier.
        combination_of: the combination of every record, where it is known.
        resolved: attributes that differ between records of one combination in the source, and are
            published as in the plan throughout.
    """
    keep = np.ones(len(plan.suppressed), dtype=np.bool_) if keep_suppressed else ~plan.suppressed
    starred = keep_suppressed and bool(plan.suppressed.any())
    published = {}
    texts = {}
    for j, name in enumerate(data.attributes):
        leaves = data.taxonomies[name].leaves
        texts[name] = _labels(leaves, data.table.codes[j].astype(np.int32))
        made = _labels([*plan.labels(data, j), SUPPRESSED], plan.cells(data, j))
        if starred or name in resolved or not _untouched(made, texts[name], keep):
            published[name] = made
    return Change(
        keys=data.attributes,
        combinations=pl.DataFrame(texts),
        published=pl.DataFrame(published),
        keep=keep,
        columns=tuple(columns),
        combination_of=combination_of,
    )


def _untouched(made: pl.Series, texts: pl.Series, keep: Bools) -> bool:
    """Whether every published cell of an attribute is the original value.

    Suppressed records have no say: else the type of a column would tell what they have. A column
    with missing values is never left as it is: an empty text, a null and a token that stands for
    one are the same leaf, and would be told apart.
    """
    kept = pl.Series(keep)
    shown = texts.filter(kept)
    return not shown.null_count() and bool(shown.eq_missing(made.filter(kept)).all())


def _labels(labels: Sequence[Label], codes: Ints32) -> pl.Series:
    """The label of every code; -1 is the last one."""
    at = np.where(codes < 0, len(labels) - 1, codes).astype(np.uint32)
    return pl.Series(labels, dtype=pl.String).gather(pl.Series(at))
