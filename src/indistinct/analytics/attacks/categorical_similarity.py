"""Categorical similarity: different values that mean the same (Khan and others 2020).

Four values that are all cancers are four values, and one category. The attacker knows which
category every value belongs to, and learns a person's category where the compatible classes hold
fewer than p of them: one, unless another p is asked. A value without a category is alike to no
other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene
from indistinct.analytics.attacks.scene import Pool, Rows, Scene
from indistinct.analytics.attacks.weak_classes import strike, strike_people

NAME = "categorical-similarity"
KNOWLEDGE = "what membership knows, and the category of every value"
SOURCE = "Khan and others (2020), section 3"


def run(scene: Scene, sensitive: str | None, *, p: int = 2) -> Finding | Skipped:
    """Strike where the compatible classes hold fewer than ``p`` categories.

    The truth that is learnt, and the prior, are a person's category.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns the category of.
        p: categories that a class needs at least so as not to be weak.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    domain = scene.domain(sensitive)
    if not domain.categories:
        return Skipped(NAME, f"the values of {sensitive} have no categories", sensitive)
    category_of = categories(domain.category_of)
    held, pool = scene.held(sensitive), scene.pooled(sensitive)
    groups = int(category_of.max(initial=0)) + 1
    truth = category_of[scene.truth(sensitive)]
    by_category = np.zeros(groups)
    np.add.at(by_category, category_of, scene.prior(sensitive))
    in_class = held.distinct(category_of)
    return strike(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        weak_classes=in_class < p,
        weak_crowds=pool.distinct(category_of) < p,
        true_count=merged(pool, category_of, groups).of(scene.crowd_of, truth, groups),
        prior=by_category[truth],
        figures={"p": p},
        note=(
            f"A class is weak if all its values of {sensitive} are of one category"
            if p == 2
            else f"A class is weak if its values of {sensitive} are of fewer than {p} categories"
        ),
        categories=in_class,
    )


def run_people(scene: PeopleScene, sensitive: str | None, *, p: int = 2) -> Finding | Skipped:
    """Strike where the compatible classes hold fewer than ``p`` categories, or one for everybody.

    The truth that is learnt, and the prior, are the categories of a person's values. Where
    categories are published in place of values, this is homogeneity.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns the category of.
        p: categories that a class needs at least so as not to be weak.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    domain = scene.domain(sensitive)
    if not domain.categories:
        return Skipped(NAME, f"the values of {sensitive} have no categories", sensitive)
    category_of = categories(domain.category_of)
    groups = int(category_of.max(initial=0)) + 1
    to = Rows(np.arange(len(category_of) + 1, dtype=np.int64), category_of)
    spread, own = scene.lifted(sensitive, to, groups), scene.own(sensitive)
    truth = category_of[own.label]
    amount = spread.pooled.of(scene.crowd_of[own.person], truth, groups)
    share = amount / np.maximum(scene.rows_of[own.person], 1)
    size, crowd_size = scene.classes.size, np.maximum(scene.places.crowd_size, 1)
    in_class = spread.held.length
    return strike_people(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        weak_classes=(in_class < p) | (spread.held.largest >= size - SURE),
        weak_crowds=(spread.pooled.length < p) | (spread.pooled.largest >= crowd_size - SURE),
        belief=own.best(share),
        prior=own.best(spread.prior[truth]),
        figures={"p": p},
        note=(
            f"A class is weak if everybody in it has a value of {sensitive} of one category"
            if p == 2
            else f"A class is weak if its values of {sensitive} are of fewer than {p} categories"
        ),
        categories=in_class,
    )


def categories(category_of: NDArray[np.int32]) -> NDArray[np.int32]:
    """The category of each value, values without one (-1) each in a category of its own, [D].

    >>> categories(np.array([1, -1, 0, -1], np.int32)).tolist()
    [1, 2, 0, 3]
    """
    found = category_of.copy()
    bare = np.flatnonzero(category_of < 0)
    found[bare] = int(category_of.max(initial=-1)) + 1 + np.arange(len(bare))
    return found


def merged(pool: Pool, group_of: NDArray[np.int32], groups: int) -> Pool:
    """The same rows with the counts of groups of values, in place of single values."""
    keys = pool.row_of * groups + group_of[pool.index]
    found, place = np.unique(keys, return_inverse=True)
    count = np.rint(np.bincount(place, weights=pool.count, minlength=len(found))).astype(np.int64)
    indptr = np.zeros(len(pool) + 1, np.int64)
    np.cumsum(np.bincount(found // groups, minlength=len(pool)), out=indptr[1:])
    return Pool(indptr, (found % groups).astype(np.int32), count)
