"""Does every class of the release stand for at least k people of a population?

Sweeney (2002), k-map: a link from a published record to a known population leads to at least
k people whom it may be about. For every class the people of the population are counted whose exact
quasi-identifiers lie under the published ones.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked, least
from indistinct.release.audit.population import LEFT, PEOPLE, people
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "k-map"

COMPARED = (
    f"'{MODEL}' counts the people of every class by itself, but some people are under several "
    "classes: an attacker who compares classes may be left with fewer"
)


@class_check(MODEL, counts="people", settings={"k": whole(1, example=5)})
def check(asked: Asked) -> Verdict:
    """Whether at least k people of the population are under every class.

    A comparison of overlapping classes may leave fewer: that is noted.

    Raises:
        PolicyError: If the population or the meaning of a label is not known.
    """
    classes, absent = people(asked)
    if asked.context.published is not None:  # asked of suppressed records, beside the classes
        return Verdict(asked.requirement, asked.on, absent >= asked["k"] or None, {"k": absent})
    verdict = asked.judged(classes, pl.col(PEOPLE) < asked["k"], {"k": least(classes[PEOPLE])})
    fewer = classes.filter(pl.col(LEFT) < asked["k"]).height > verdict.breaking_classes
    return replace(verdict, note=COMPARED if fewer else "")
