"""What everybody knows of how sensitive values go with quasi-identifiers: men are not pregnant.

A promise about a class bounds what its values tell by themselves. Where a quasi-identifier is
generalized, a class has women and men. If a person is known to be a woman, one rules out what
women do not have.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.document import share
from indistinct.intake.private_table import PrivateTable
from indistinct.recoding.earlier_plan import published_labels
from indistinct.recoding.plan import Plan
from indistinct.sources.text import ranks
from indistinct.types import Bools, Floats, Ints
from indistinct.warning_kinds import Kind, WarningText

FEW_VALUES = 20
"""Quasi-identifiers of more values are not looked at: what goes with which would be chance."""

ENOUGH = 30
"""So many records have a value, and so many a quasi-identifier's, whose relation is no chance."""

SOME = 100_000
"""About so many records are looked at, some classes whole."""

BELIEVED = 0.8
"""From this belief on somebody is nearly certain."""

MORE = 0.05
"""The share of records of whom that is so by general knowledge alone, from which on it is said."""


def warn_about_general_knowledge(private: PrivateTable, plan: Plan) -> list[WarningText]:
    """Warnings about values that are believed by who knows what goes with a quasi-identifier.

    General knowledge is taken to be what the whole table shows. It weighs the values of a class by
    how likely each goes with the person's own quasi-identifier.

    Arguments:
        private: the table, and what is promised of it; where people have many records nothing is
            looked at.
        plan: what becomes of the quasi-identifiers.
    """
    data, subjects = private.data, private.subjects
    if subjects.unit != "record" or not subjects.count:
        return []
    promised = {part.sensitive for part in private.promises_of_classes if part.sensitive}
    known = [
        j
        for j, name in enumerate(data.attributes)
        if not plan.untouched(j) and len(data.taxonomies[name].leaves) <= FEW_VALUES
    ]
    names = [name for name in private.sensitive if name in promised and name in subjects.texts]
    if not known or not names:
        return []
    of = private.microdata.combination_of[: subjects.count]
    if len(of) != len(subjects.texts) or (of < 0).any():
        return []  # a table that was cut where it is: who has what is not known here
    there = ~plan.suppressed[of]
    labels = published_labels(data, plan)
    group = labels.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)
    weight = np.ones(len(of), np.int64) if subjects.weight is None else subjects.weight
    found = []
    for name in names:
        value = ranks(subjects.texts[name])
        for j in known:
            own = np.asarray(data.table.codes[j], np.int64)[of]
            part = _nearly_certain(group[of], value, own, weight, there)
            if part >= MORE:
                found.append(
                    Kind.RISK(
                        f"'{name}': some values go with some of '{data.attributes[j]}' and "
                        "hardly with others, as everybody may know: with the exact "
                        f"'{data.attributes[j]}', the true value is believed with "
                        f"{BELIEVED:.0%} or more for {share(part)} of records, where the class "
                        "alone does not tell it; no promise bounds that: publish "
                        f"'{data.attributes[j]}' exactly, or leave such values out",
                        part,
                    )
                )
    return found


def _nearly_certain(group: Ints, value: Ints, own: Ints, weight: Ints, there: Bools) -> float:
    """The share of published records whose true value is believed so, and not by the class alone.

    Arguments:
        group: the class of every record.
        value: its sensitive value; 0 is missing.
        own: its exact quasi-identifier.
        weight: how many records it stands for.
        there: whether it is published.
    """
    likely = _likely(value, own, weight)
    there = there & (group % -(-len(group) // SOME) == 0)
    group, value, own, weight = group[there], value[there], own[there], weight[there]
    if not len(group):
        return 0.0
    width, most = likely.shape
    # Who is in a class, with which value: pairs of class and value with their counts.
    pairs, at = np.unique(group * width + value, return_inverse=True)
    count = np.bincount(at, weight)
    classes, place = np.unique(pairs // width, return_inverse=True)
    weights = count[:, None] * likely[pairs % width]
    whole = np.zeros((len(classes), most))
    np.add.at(whole, place, weights)
    size = np.bincount(place, count)
    belief = weights[at, own] / np.maximum(whole[place[at], own], 1e-12)
    alone = count[at] / size[place[at]]
    new = (belief >= BELIEVED) & (alone < BELIEVED) & (value > 0)
    return float(weight[new].sum()) / float(weight.sum())


def _likely(value: Ints, own: Ints, weight: Ints) -> Floats:
    """How much more often each value goes with a quasi-identifier's than by chance, [values, q].

    Of what few records have nothing is known: it goes with all alike.
    """
    shape = int(value.max(initial=0)) + 1, int(own.max(initial=0)) + 1
    counts = np.bincount(value * shape[1] + own, weight, shape[0] * shape[1]).reshape(shape)
    of_value, of_own = counts.sum(axis=1), counts.sum(axis=0)
    expected = np.outer(of_value, of_own) / max(counts.sum(), 1)
    known = (of_value >= ENOUGH)[:, None] & (of_own >= ENOUGH)
    return np.where(known, counts / np.maximum(expected, 1e-12), 1.0)
