"""Characters of a text replaced by one that says nothing."""

from __future__ import annotations

import polars as pl

from indistinct.document import many
from indistinct.release.transforms.texts import mapped


def mask(column: pl.Series, *, keep: int, char: str, end: str) -> pl.Series:
    """All characters but ``keep`` of every text replaced by ``char``, from the ``end`` named.

    The length of the text stays; a missing value stays missing. A text of ``keep`` characters or
    fewer is masked whole.

    >>> mask(pl.Series(["ab1234", "x"]), keep=2, char="*", end="right").to_list()
    ['ab****', '*']
    """
    masks: dict[str, str] = {}
    for text in column.drop_nulls().unique().to_list():
        left = keep if keep < len(text) else 0
        hidden = char * (len(text) - left)
        masks[text] = text[:left] + hidden if end == "right" else hidden + text[len(text) - left :]
    return mapped(column, masks)


def told(keep: int) -> str:
    """What the certificate says of it."""
    return f"masked, {many(keep, 'character')} kept" if keep else "masked whole"
