"""Does every class of the release have l different sensitive values?

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), distinct l-diversity: count the
different values in every group of equal quasi-identifiers. A missing value is a value of its own.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked, described, least
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "distinct-l-diversity"


@class_check(MODEL, counts="values", settings={"l": whole(1, example=3)}, about_values=True)
def check(asked: Asked) -> Verdict:
    """Whether every equivalence class has at least l different values."""
    return different_values(asked, "l")


def different_values(asked: Asked, name: str) -> Verdict:
    """Whether every class has as many different values as the parameter of this name asks for.

    Only classes in which somebody has a value that harms have to.
    """
    classes = described(
        asked.cells(), different=pl.len().cast(pl.Int64), harm=asked.harmful.any()
    ).filter("harm")
    return asked.judged(
        classes, pl.col("different") < asked[name], {name: least(classes["different"])}
    )
