"""How values generalize: trees over domains, and the builders that make them.

A :class:`Taxonomy` says what every value of an attribute may be published as, level by level.
:func:`build_taxonomy` makes one from what a policy says; the builders can be called directly, too.
"""

from indistinct.hierarchies.build import BUILDERS, build_taxonomy, validate_spec
from indistinct.hierarchies.code_systems import code_systems_taxonomy
from indistinct.hierarchies.dates import dates_taxonomy
from indistinct.hierarchies.equal_frequency import equal_frequency_taxonomy
from indistinct.hierarchies.files import find_hierarchy, read_hierarchy, write_hierarchy
from indistinct.hierarchies.intervals import interval_key, intervals_taxonomy
from indistinct.hierarchies.masking import masking_taxonomy
from indistinct.hierarchies.ordered import ordered_taxonomy
from indistinct.hierarchies.preview import describe, preview
from indistinct.hierarchies.suppression import suppression_taxonomy
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, LevelTable, Taxonomy
from indistinct.hierarchies.tree import tree_taxonomy

__all__ = [
    "BUILDERS",
    "SUPPRESSED",
    "Label",
    "LevelTable",
    "Taxonomy",
    "build_taxonomy",
    "code_systems_taxonomy",
    "dates_taxonomy",
    "describe",
    "equal_frequency_taxonomy",
    "find_hierarchy",
    "interval_key",
    "intervals_taxonomy",
    "masking_taxonomy",
    "ordered_taxonomy",
    "preview",
    "read_hierarchy",
    "suppression_taxonomy",
    "tree_taxonomy",
    "validate_spec",
    "write_hierarchy",
]
