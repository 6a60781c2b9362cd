"""Worst posterior: how much somebody believes of each person at most.

Counting the records of which exact quasi-identifiers and an exact value stand in the release is no
measure of harm: where values are generalized nothing exact stands there, and nobody is safe for it.
What can be measured is the belief. Of all classes that a person could stand in the one is taken
that tells most of her; the figures ``bucket_*`` are of somebody who knows her bucket as well, which
no promise about classes can be worse than. The share of people with a posterior of at least tau is
what should be compared between releases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import (
    THRESHOLDS,
    Finding,
    Skipped,
    of_people,
    summarize,
)
from indistinct.analytics.attacks.people_scene import SURE, Mass, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Rows, Scene

NAME = "worst-posterior"
KNOWLEDGE = "the class of a person, of all that are compatible the one that tells most"
SOURCE = "in place of record intersection, Fazal and others (2023), Equation (25)"

TENTHS = tuple(at / 10 for at in range(1, 11))
"""Posteriors from which on people are counted."""


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """The largest belief in each person's value; every record is of another person."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    return run_people(PeopleScene.of_records(scene), sensitive)


def run_people(scene: PeopleScene, sensitive: str | None) -> Finding | Skipped:
    """The largest belief in one of each person's values, over classes and over buckets."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    belief, before = posteriors(scene, sensitive), scene.true_prior(sensitive)
    spread = scene.spread(sensitive)
    figures: dict[str, float | int | None] = {
        f"at_least_{at:g}": _of(belief >= at - SURE, np.mean) or 0.0 for at in TENTHS
    }
    figures |= {
        "mean": _of(belief, np.mean),
        "median": _of(belief, np.median),
        "largest": _of(belief, np.max),
    }
    if scene.holding != "all":
        known = posteriors(scene, sensitive, of_buckets=True)
        figures |= {
            **{f"bucket_{at}": _of(known >= at - SURE, np.mean) or 0.0 for at in THRESHOLDS},
            "bucket_certain": _of(scene.found & (known >= 1 - SURE), np.mean) or 0.0,
            "bucket_mean": _of(known, np.mean),
            "bucket_largest": _of(known, np.max),
        }
    share = spread.held.amount / scene.classes.size[spread.held.row_of]
    top = np.zeros(len(spread.held))
    np.maximum.at(top, spread.held.row_of, share)
    found = summarize(
        scene,
        sensitive,
        belief,
        before,
        scene.found & (belief >= 1 - SURE),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures=figures,
        worst=worst_of(scene, top, posterior=top),
    )
    note = (
        f"The {sensitive} is believed with {belief.max(initial=0.0):.0%} at most; with 50% or more "
        f"for {of_people(found.success['0.5'])}."
    )
    return Finding(**{**vars(found), "note": note})


def posteriors(
    scene: PeopleScene, sensitive: str, *, of_buckets: bool = False
) -> NDArray[np.float64]:
    """The largest belief in a true label of each person, over the classes that fit, [n].

    Arguments:
        scene: people and release.
        sensitive: the attribute.
        of_buckets: over the buckets that these classes are linked to, instead.

    The prior, for people who fit nowhere.
    """
    own, spread = scene.own(sensitive), scene.spread(sensitive)
    places: Rows
    if of_buckets:
        places, lists = scene.crowd_buckets, spread.shares
    else:
        places, held = scene.places.crowds, spread.held
        lists = Mass(held.indptr, held.index, held.amount / scene.classes.size[held.row_of])
    _, most = scene.over_own(sensitive, places, np.ones(len(places.index)), lists)
    return np.where(scene.found, own.best(most), scene.true_prior(sensitive))


def _of(values: NDArray[Any], figure: Callable[[NDArray[Any]], Any]) -> float | None:
    return float(figure(values)) if len(values) else None
