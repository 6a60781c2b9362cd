"""Does the release leave open who of a population is in it?

Nergiz, Atzori and Clifton (2007), delta-presence: of the people of a population who lie under the
quasi-identifiers of a class, the share whose records are released is between a lower and an upper
bound. People under no class are known to be absent: their share is 0, unless they are passed over.
"""

from __future__ import annotations

import polars as pl

from indistinct.errors import PolicyError, Problem
from indistinct.release.audit.classes import (
    SIZE,
    TOLERANCE,
    Setting,
    least,
    most,
    number,
    read,
    word,
)
from indistinct.release.audit.population import PEOPLE, people
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "delta-presence"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether the released share of the people under every class is between the bounds.

    A promise can be broken without a class that breaks it, by people of the population who are
    under no class.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``lower``, ``upper`` and ``absent``: whether
            people under no class ``break`` a lower bound (where it is left out) or are passed over:
            those of ``suppressed`` classes, or all (``skip``). A release does not tell the two
            apart, so both are checked as the latter.
        context: The release's quasi-identifiers, the population, and what labels stand for.

    Raises:
        PolicyError: If a parameter is missing or of the wrong form, or the population or the
            meaning of a label is not known.
    """

    def bound(example: float) -> Setting:
        return number("a number from 0 to 1", lambda share: 0 <= share <= 1, example)

    asked = read(
        requirement,
        sensitive=False,
        lower=bound(0.0),
        upper=bound(0.5),
        absent=word("break", "suppressed", "skip"),
    )
    if asked["lower"] > asked["upper"]:
        raise PolicyError(
            Problem(
                "bad-parameter",
                f"lower of {MODEL} is above upper: {asked['lower']!r} and {asked['upper']!r}",
            )
        )
    classes, absent = people(records, requirement, context)
    classes = classes.with_columns((pl.col(SIZE) / pl.col(PEOPLE)).alias("presence"))
    presence = pl.col("presence")
    below = presence < asked["lower"] - TOLERANCE
    above = presence > asked["upper"] + TOLERANCE
    broken = classes.filter(below | above)
    if asked["absent"] != "break":
        absent = 0
    lowest = 0.0 if absent and classes.height else least(classes["presence"])
    return Verdict(
        requirement=requirement,
        on=context.on(requirement),
        holds=broken.is_empty() and not (classes.height and absent and asked["lower"] > 0),
        achieved={"lower": lowest, "upper": most(classes["presence"])},
        breaking_classes=broken.height,
        breaking_records=int(broken[SIZE].sum()),
    )
