"""Attackers that strike where a class is weak, and keep to the prior elsewhere.

A detector of the literature says of every class whether it is weak: one value, one category, too
little variance. As an attacker it looks at the compatible classes of a person together. Where they
are weak it takes the belief that random worlds give; where they are not it knows no more than the
marginal distribution. The classes and records that a detector finds are counted beside.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import Finding, summarize, worst_class
from indistinct.frozen import dataclass, field
from indistinct.types import Array, Bools, Floats


@dataclass(frozen=True)
class Weak:
    """What a detector finds weak, and what follows from it.

    Arguments:
        classes: which published classes are weak, [G].
        sets: which candidate sets are, their classes taken together, [K].
        belief: belief in the truth where the attacker strikes, [n].
        prior: the share of the truth in the whole release, [n].
        because: what makes a class weak, without a full stop.
        figures: further figures.
        by_class: further figures by class, told of the worst one.
    """

    classes: Bools
    sets: Bools
    belief: Floats
    prior: Floats
    because: str
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
    by_class: Mapping[str, Array] = field(default_factory=dict)


def target_weak_classes(context: AttackContext, sensitive: str, weak: Weak) -> Finding:
    """The finding of an attacker that strikes at weak classes.

    Arguments:
        context: what the attacker was given.
        sensitive: the attribute it learns.
        weak: what is weak.
    """
    struck = context.found & weak.sets[context.set_of]
    size = np.where(weak.classes, context.rows_of_people, 0)
    number, people, units = int(weak.classes.sum()), int(size.sum()), context.units
    counted = (
        f"{number:,} of {len(context.classes):,} {'is' if number == 1 else 'are'}, "
        f"with {people:,} of {int(context.rows_of_people.sum()):,} {units}"
        if number
        else f"none of {len(context.classes):,} is"
    )
    return summarize(
        context,
        sensitive,
        np.where(struck, weak.belief, weak.prior),
        weak.prior,
        struck & (weak.belief >= 1 - SURE),
        figures={
            "weak_classes": number,
            f"weak_{units}": people,
            "struck": float(struck.mean()) if len(struck) else 0.0,
            **weak.figures,
        },
        worst=worst_class(context, size.astype(np.float64), **weak.by_class) if people else {},
        note=f"{weak.because}: {counted}.",
    )
