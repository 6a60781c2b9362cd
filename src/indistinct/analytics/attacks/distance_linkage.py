"""Distance linkage: which published record is this person's, by a value that was changed at random?

Noise moves a number, and shifted dates a day, by an amount whose distribution the certificate
tells. Who knows the true value looks for the published ones near it: among the records that a
person's exact quasi-identifiers allow, each is the person's with a probability in proportion to how
likely the true value x became the y that it shows,

    exp(-(y - x)^2 / (2 s^2))  for Gaussian noise,  exp(-|y - x| / b)  for Laplacian noise,

the same for all within the largest shift, and none beyond. Rounding adds to the variance. Values
exchanged with others near in rank (swaps with a window) are within it; where only a share p of the
records takes part in a swap, or values stay with a probability (PRAM), most rows show what is true:

    [x = y] (1 - p) + p / m  of m values to exchange with,  [x = y] keep + (1 - keep) share(y).

The belief is that in the likeliest record, which is right as often as it says. Small noise in small
classes gives most people away, whatever k is; told is the column by which most are found, and
under ``together`` who knows all of them.

    J. Domingo-Ferrer, V. Torra: "A Quantitative Comparison of Disclosure Control Methods for
    Microdata". Confidentiality, Disclosure and Data Access, 2001; D. Pagliuca, G. Seri: "Some
    Results of Individual Ranking Method on the System of Enterprise Accounts Annual Survey", 1999.
    They count a link as right where the nearest record is the person's.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import AttackContext, Perturbed
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    THRESHOLDS,
    Figures,
    Finding,
    Skipped,
    of_people,
    share_of,
)
from indistinct.analytics.attacks.known_records import margin
from indistinct.analytics.attacks.remedies import Remedy, without
from indistinct.kernels.nearness import LAPLACE, NORMAL, UNIFORM, link_nearest
from indistinct.randomness import simulation
from indistinct.types import Floats, Ints

NAME = "distance-linkage"
KIND = "identity"
PLACE = 17
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and one true value that was moved, swapped or drawn"
)
SOURCE = "Pagliuca and Seri (1999); Domingo-Ferrer and Torra (2001)"

MOST_STEPS = 1_000_000_000
"""Pairs of a person and a record after which only some of the people are looked at."""

FEWEST_STEPS = 10_000_000
"""The same where it is only asked by which column most are linked."""

FEWEST = 1_000
"""How many of them at least."""

_KINDS = {"gaussian": NORMAL, "laplace": LAPLACE, "uniform": UNIFORM}
_SLACK = 1e-9


def REMEDY(context: AttackContext, sensitive: str | None = None) -> Remedy:  # noqa: N802
    """Leave out the column by which most are linked."""
    del sensitive
    people = _looked_at(context, FEWEST_STEPS)
    linked = {n: _linked(context, people, [one]).sum() for n, one in context.perturbed.items()}
    return without(max(linked, key=lambda name: linked[name]))


def run(
    context: AttackContext, sensitive: str | None = None, *, most: int = MOST_STEPS
) -> Finding | Skipped:
    """Look for published numbers near the true ones.

    Arguments:
        context: what the attacker is given.
        sensitive: not looked at.
        most: pairs of a person and a record after which only some of the people are looked at.
    """
    del sensitive
    if not context.one_record_each:
        return Skipped(NAME, "it attacks tables in which every record is a person")
    if not context.perturbed:
        return Skipped(NAME, "no value is published that was moved, swapped or drawn at random")
    people = _looked_at(context, most)
    found = {name: _linked(context, people, [own]) for name, own in context.perturbed.items()}
    best = max(found, key=lambda name: (share_of(found[name] >= THRESHOLDS[-1]), found[name].sum()))
    belief, records = found[best], max(int(context.rows_of_people.sum()), 1)
    figures: dict[str, Figures] = {name: _told(own) for name, own in found.items()}
    if len(found) > 1:
        figures["together"] = _told(_linked(context, people, list(context.perturbed.values())))
    if len(people) < context.people.height:
        figures |= {"looked_at": len(people), "error": margin(len(people))}
    prior = 1 / records
    sure = share_of(belief >= THRESHOLDS[-1])
    return Finding(
        people=context.people.height,
        success={
            **{str(at): share_of(belief >= at - _SLACK) for at in THRESHOLDS},
            CERTAIN: share_of(belief >= 1 - _SLACK),
        },
        prior={**{str(at): float(prior >= at) for at in THRESHOLDS}, CERTAIN: float(records == 1)},
        gain={"mean": float(belief.mean()) - prior, "max": float(belief.max()) - prior}
        if len(belief)
        else {"mean": 0.0, "max": 0.0},
        figures=figures,
        note=f"Who knows the true {best} as well links {of_people(sure)} with 95% or more.",
    )


def _looked_at(context: AttackContext, most: int) -> Ints:
    """All people, or as many drawn ones as there are steps for."""
    everybody = context.people.height
    steps = int(context.places.rows_of.sum()) * 2 * (len(context.perturbed) + 1)
    if steps <= most:
        return np.arange(everybody)
    number = min(everybody, max(FEWEST, int(everybody * most / steps)))
    random = simulation([context.seed, 0x0D])
    return np.sort(random.choice(everybody, number, replace=False)).astype(np.int64)


def _linked(context: AttackContext, people: Ints, columns: list[Perturbed]) -> Floats:
    """The belief in the likeliest record of everybody who is looked at; as before without one."""
    order = np.argsort(context.bucket_of, kind="stable")
    first = np.append(0, np.cumsum(context.classes.size)).astype(np.int64)
    sets, found = context.places.candidate_sets, np.empty(len(people))
    link_nearest(
        people,
        (context.set_of, sets.indptr, sets.index, first),
        np.array([one.own for one in columns]),
        np.array([one.shown[order] for one in columns]),
        np.array([one.spread for one in columns]),
        np.array([_KINDS[one.kind] for one in columns], np.int64),
        np.array([_each(one.drawn, one.shown)[order] for one in columns]),
        np.array([_each(one.same, one.shown)[order] for one in columns]),
        found,
    )
    rows = context.places.rows_of[people]
    return np.where(found > 0, found, 1 / np.maximum(rows, max(context.records, 1) * (rows == 0)))


def _each(given: Floats | None, shown: Floats) -> Floats:
    """What is given of every row; 0 where nothing is."""
    return np.zeros(len(shown)) if given is None else given


def _told(belief: Floats) -> dict[str, float]:
    """Who is linked by one column."""
    return {str(at): share_of(belief >= at - _SLACK) for at in THRESHOLDS}
