"""Does the release leave open who of a population is in it?

Nergiz, Atzori and Clifton (2007), delta-presence: of the people of a population who lie under the
quasi-identifiers of a class, the share whose records are released is between a lower and an upper
bound. People under no class are known to be absent: their share is 0, unless they are passed over.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from indistinct.errors import PolicyError
from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, TOLERANCE, Asked, least, most
from indistinct.release.audit.population import PEOPLE, PRESENCE, people
from indistinct.release.audit.settings import Setting, number, word
from indistinct.release.audit.verdict import Verdict

MODEL = "delta-presence"


def _bound(example: float) -> Setting:
    return number("a number from 0 to 1", lambda share: 0 <= share <= 1, example)


@class_check(
    MODEL,
    counts="people",
    settings={
        "lower": _bound(0.0),
        "upper": _bound(0.5),
        "absent": word("break", "suppressed", "skip"),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether the released share of the people under every class is between the bounds.

    A promise can be broken without a class that breaks it, by people of the population who are
    under no class. ``absent`` says whether these ``break`` a lower bound or are passed over: those
    of ``suppressed`` classes, or all (``skip``). A release does not tell the two apart, so both are
    checked as the latter. Where suppressed records are published, people under no class may be in
    these: that is held against the upper bound, unless they are passed over (``skip``).

    Raises:
        PolicyError: If the lower bound is above the upper one, or the population or the meaning of
            a label is not known.
    """
    if asked["lower"] > asked["upper"]:
        raise PolicyError(
            "bad-parameter",
            f"lower of {MODEL} is above upper: {asked['lower']!r} and {asked['upper']!r}",
        )
    classes, absent = people(asked)
    if asked.context.published is not None:
        return _of_suppressed(asked, absent)
    share = classes[SIZE] / classes[PEOPLE]
    below = pl.col(SIZE) / pl.col(PEOPLE) < asked["lower"] - TOLERANCE
    above = pl.col(PRESENCE) > asked["upper"] + TOLERANCE
    outside = bool(classes.height and absent) and asked["absent"] == "break"
    verdict = asked.judged(
        classes,
        below | above,
        {
            "lower": 0.0 if outside else least(share),
            "upper": most(classes[PRESENCE]),
        },
    )
    return replace(verdict, holds=verdict.holds and not (outside and asked["lower"] > 0))


def _of_suppressed(asked: Asked, absent: int) -> Verdict:
    """The verdict on suppressed records, which are about people under no class."""
    number = asked.suppressed
    keeps = number <= (asked["upper"] + TOLERANCE) * absent
    holds = None if asked["absent"] == "skip" else keeps
    achieved = {"lower": None, "upper": number / absent if absent else None}
    return Verdict(
        asked.requirement, asked.on, holds, achieved, int(not keeps), 0 if keeps else number
    )
