"""A hierarchy as a person checks it before using it."""

from __future__ import annotations

from indistinct.document import many
from indistinct.hierarchies.taxonomy import Label, Taxonomy

MISSING_SHOWN = "(missing)"

EXAMPLES = 4
"""Labels of a level that are shown, and one more where that is all."""


def describe(taxonomy: Taxonomy) -> list[str]:
    """What each level publishes: one line for the whole and one per level.

    >>> from indistinct.hierarchies.masking import masking_taxonomy
    >>> for line in describe(masking_taxonomy("zip", ["81667", "81675", "81925"], keep=3)):
    ...     print(line)
    zip: 3 values, 4 levels, root '*'
    level 0: 3 labels: 81667, 81675, 81925
    level 1: 3 labels: 8166*, 8167*, 8192*
    level 2: 2 labels: 816**, 819**
    level 3: 1 label: *
    """
    root = f"root '{_shown(taxonomy.root)}'" if taxonomy.has_root else "no common root"
    values, levels = len(taxonomy.leaves), taxonomy.levels
    lines = [f"{taxonomy.attribute}: {many(values, 'value')}, {many(levels, 'level')}, {root}"]
    for level in range(levels):
        labels = [_shown(label) for label in dict.fromkeys(taxonomy.level(level))]
        shown = labels
        if len(labels) > EXAMPLES + 1:
            shown = [*labels[: EXAMPLES - 1], "…", labels[-1]]
        lines.append(f"level {level}: {many(len(labels), 'label')}: {', '.join(shown)}")
    if taxonomy.suppressed:
        lines.append(
            f"suppressed on every level: {many(len(taxonomy.suppressed), 'value')}"
            + (", the missing value among them" if None in taxonomy.suppressed else "")
        )
    if taxonomy.covers(None) and None not in taxonomy.suppressed:
        way = [
            _shown(label)
            for label in dict.fromkeys(taxonomy.generalize(None, level) for level in range(levels))
        ]
        lines.append(f"a missing value is published as {', then '.join(way)}")
    return lines


def preview(taxonomy: Taxonomy, rows: int = 20) -> list[tuple[str, ...]]:
    """The first values with what they become level by level; all of them for ``rows = 0``."""
    table = taxonomy.rows()
    shown = table[:rows] if rows else table
    return [tuple(_shown(label) for label in row) for row in shown]


def _shown(label: Label) -> str:
    return MISSING_SHOWN if label is None else label
