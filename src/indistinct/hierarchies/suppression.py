"""The smallest hierarchy: a value is published, or it is not."""

from __future__ import annotations

from collections.abc import Iterable

from indistinct.hierarchies.domain import texts
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy


def suppression_taxonomy(attribute: str, values: Iterable[Label]) -> Taxonomy:
    """Every value as it is on level 0, and ``*`` on level 1.

    Raises:
        HierarchyError: when there are no values.

    >>> suppression_taxonomy("sex", ["male", "female"]).rows()
    [('female', '*'), ('male', '*')]
    """
    return Taxonomy(attribute, [(text, SUPPRESSED) for text in texts(values)])
