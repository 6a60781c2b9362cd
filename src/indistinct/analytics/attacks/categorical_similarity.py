"""Categorical similarity: are all values of a class of one category?

Four values that are all cancers are four values, and one category. The attacker knows which
category every value belongs to, and learns a person's category where the compatible classes hold
fewer than p of them: one, unless another p is asked. A value without a category is alike to no
other.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.remedies import bounded_distance
from indistinct.analytics.attacks.weak_classes import Weak, target_weak_classes
from indistinct.analytics.weighted import Rows
from indistinct.types import Floats, Ints, Ints32

NAME = "categorical-similarity"
KIND = "attribute"
PLACE = 70
KNOWLEDGE = "the exact quasi-identifiers of a person, and the category of every value"
SOURCE = "Khan and others (2020), section 3"
LEARNS = "the category of the {}"
REMEDY = bounded_distance


def run(context: AttackContext, sensitive: str, *, p: int = 2) -> Finding | Skipped:
    """Strike where the compatible classes hold fewer than ``p`` categories, or one for everybody.

    The truth that is learnt, and the prior, are the categories of a person's values, whether these
    values are published or not. Where categories are published in place of values, this is
    homogeneity.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns the category of.
        p: categories that a class needs at least so as not to be weak.
    """
    domain = context.domain(sensitive)
    if not domain.categories:
        return Skipped(NAME, f"the values of {sensitive} have no categories", sensitive)
    category_of = categories(domain.category_of)
    groups = int(category_of.max(initial=-1)) + 1
    to = Rows(np.arange(len(category_of) + 1, dtype=np.int64), category_of)
    spread = context.lifted(sensitive, to, groups)
    person, truth = _truth(context, sensitive, category_of, domain.categories)
    people, size = context.people.height, context.classes.size
    in_class = spread.held.length
    set_size = np.maximum(context.places.set_size, 1)
    because = f"its values of {sensitive} are of fewer than {p} categories"
    if p == 2:
        everybody = "everybody in it has a value of {} of one category"
        each = "all its values of {} are of one category"
        because = (each if context.one_record_each else everybody).format(sensitive)
    weak = Weak(
        classes=(in_class < p) | (spread.held.largest >= size - SURE),
        sets=(spread.pooled.length < p) | (spread.pooled.largest >= set_size - SURE),
        belief=best_of(person, context.likely(spread, person, truth), people),
        prior=best_of(person, spread.prior[truth], people),
        because=f"A class is weak if {because}",
        figures={"p": p},
        by_class={"categories": in_class},
    )
    return target_weak_classes(context, sensitive, weak)


def _truth(
    context: AttackContext, sensitive: str, category_of: Ints32, names: tuple[str, ...]
) -> tuple[Ints, Ints]:
    """People, and the category of each of their values that anything published is of.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute.
        category_of: the category of each published label, [D].
        names: what the first of these categories are called.
    """
    own, values = context.own(sensitive), context.own_values(sensitive)
    known = context.known[sensitive].categories
    place = {name: at for at, name in enumerate(names)}
    published = set(category_of.tolist())
    of_value = np.array(
        [place.get(known.get(value, ""), -1) for value in context.covering(sensitive).values],
        np.int64,
    )
    category = of_value[values.index]
    there = np.isin(category, list(published))
    return (
        np.concatenate([own.person, values.row_of[there]]),
        np.concatenate([category_of[own.label].astype(np.int64), category[there]]),
    )


def best_of(person: Ints, amount: Floats, people: int) -> Floats:
    """The largest amount of every person, 0 for people without one, [n].

    Arguments:
        person: the person of each amount, [pairs].
        amount: the amounts, [pairs].
        people: how many people there are, n.
    """
    found = np.zeros(people)
    np.maximum.at(found, person, amount)
    return found


def categories(category_of: Ints32) -> Ints32:
    """The category of each value, values without one (-1) each in a category of its own, [D].

    >>> categories(np.array([1, -1, 0, -1], np.int32)).tolist()
    [1, 2, 0, 3]
    """
    found = category_of.copy()
    bare = np.flatnonzero(category_of < 0)
    found[bare] = int(category_of.max(initial=-1)) + 1 + np.arange(len(bare))
    return found
