"""Characters of a text replaced by one that says nothing."""

from __future__ import annotations

import polars as pl

from indistinct.document import many
from indistinct.release.transforms.texts import mapped


def mask(column: pl.Series, *, keep: int, char: str, end: str) -> pl.Series:
    """All characters of every text replaced, but for some at one end.

    The length of the text stays; a missing value stays missing.

    Arguments:
        column: the texts, null for missing.
        keep: how many characters stay; a text of so many or fewer is masked whole.
        char: what stands for each of the others.
        end: from where they are masked: ``"right"``, and the first stay; ``"left"``, and the last.

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
