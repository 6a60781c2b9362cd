"""Items generalized class by class, so that who knows a few of a person's items learns little.

The promise :mod:`~indistinct.privacy.known_records`, kept by local recoding: every class has a cut
of its own through the items' hierarchy, and items that are too rare even so are published as the
root. The greedy lifts are those of Terrovitis, Mamoulis and Kalnis (2008), within a class, with the
normalised certainty penalty as cost.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from indistinct.document import many
from indistinct.errors import PolicyError
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.kernels.grouping import LARGEST_KEY
from indistinct.kernels.items import protect_items
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.frequencies import Cells
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.items.km import MOST_COMBINATIONS
from indistinct.recoding.items.tree import ItemTree
from indistinct.types import Ints32

ANY_SHARE = 2.0
"""A bound on shares that no share reaches."""


@dataclass(frozen=True, eq=False)
class ClassItems:
    """What the items of people are published as, each in its class.

    Arguments:
        tree: the items' hierarchy.
        published: the node of every item of every person, by entries of the people's items.
        ncp: normalised certainty penalty, 0 to 1, mean over all items of all people.
    """

    tree: ItemTree
    published: Ints32
    ncp: float

    @property
    def labels(self) -> tuple[Label, ...]:
        """What each node is published as, [N]: the root as ``*``."""
        return (SUPPRESSED, *self.tree.labels[1:])

    @property
    def as_root(self) -> int:
        """Items that are published as the root."""
        return int((self.published == 0).sum())


def known_items_protected(
    name: str, sets: Cells, class_of: Ints32, known: KnownRecords
) -> ClassItems:
    """What every item is published as in its class.

    Where no hierarchy is known, an item stays or becomes the root. It always ends: where everything
    is the root, nothing is told. Nothing is drawn, and the order of people does not matter.

    Arguments:
        name: the attribute whose values are the items.
        sets: the items of every person, and their hierarchy; counts do not matter.
        class_of: the class of every person, [n].
        known: the promise.

    Raises:
        PolicyError: there are too many combinations of m items to be counted.
        HierarchyError: the hierarchy has no root, or lacks an item.
    """
    chains = sets.known.chains or [
        (value, SUPPRESSED) for value in sets.domain if value is not None
    ]
    tree = ItemTree.of(Taxonomy(name, chains or [("nothing", SUPPRESSED)]), sets.domain)
    starred = np.array([value == SUPPRESSED for value in sets.domain], np.bool_)
    item = np.where(starred[sets.value], 0, tree.node_of[sets.value]).astype(np.int32)
    order = np.lexsort((item, sets.row_of))
    known = replace(known, m=min(known.m, int(sets.lengths.max(initial=1))))
    _refuse_too_many(name, sets, class_of, known)
    members = Ragged.by_owner(np.sort(class_of), np.argsort(class_of, kind="stable"),
                              int(class_of.max(initial=-1)) + 1)  # fmt: skip
    found = np.empty(len(item), np.int32)
    found[order] = protect_items(
        members.indptr, members.value.astype(np.int64), sets.indptr, item[order], tree.parent,
        tree.last, tree.cost, known.k or 0,
        ANY_SHARE if known.bound is None else float(known.bound), known.m,
    )  # fmt: skip
    cost = tree.cost.copy()
    cost[0] = 1.0
    return ClassItems(tree, found, float(cost[found].mean()) if len(found) else 0.0)


def _refuse_too_many(name: str, sets: Cells, class_of: Ints32, known: KnownRecords) -> None:
    """Raise :class:`PolicyError` where a class has more combinations of items than fit."""
    size = known.m if known.bound is None else known.m + 1
    held = np.diff(sets.indptr)
    each = np.array([math.comb(own, size) for own in range(int(held.max(initial=0)) + 1)], float)
    total = np.bincount(class_of, each[held]).max(initial=0.0)
    pairs = np.unique(class_of[sets.row_of].astype(np.int64) * len(sets.domain) + sets.value)
    base = int(np.bincount(pairs // max(len(sets.domain), 1)).max(initial=0)) + 1
    if total > MOST_COMBINATIONS or base**size > LARGEST_KEY:
        raise PolicyError(
            "too-many-combinations",
            f"people of one class have {total:.0f} combinations of {size} out of "
            f"{many(base, 'item')}, "
            "too many to count",
            attribute=name,
            remedy="choose a smaller m",
        )
