"""Sets of items, generalized the same for everybody.

The items of people (their diagnoses, what they bought) are generalized along a hierarchy by one
cut for all, so that few items do not single anybody out.
"""

from indistinct.recoding.items.km import ItemPlan, km_anonymous, published_items
from indistinct.recoding.items.known import ClassItems, known_items_protected
from indistinct.recoding.items.tree import ItemTree, tree_of

__all__ = [
    "ClassItems",
    "ItemPlan",
    "ItemTree",
    "km_anonymous",
    "known_items_protected",
    "published_items",
    "tree_of",
]
