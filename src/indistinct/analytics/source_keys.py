"""Pseudonyms that are the source's own keys of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from indistinct.document import some_of

if TYPE_CHECKING:
    from indistinct.analytics.attacks import Places


def warn_about_source_keys(
    own: Mapping[str | None, int], pseudonyms: Sequence[str | None], places: Places
) -> list[str]:
    """The warning that pseudonyms are the source's own keys, where they are.

    Numbers drawn anew are keys of the source, too, where its keys are numbers, but of other people.
    They are taken for keys where the people of these keys fit the classes that their pseudonyms
    stand in more often than halfway between chance and always.

    Arguments:
        own: the person of each key of the source.
        pseudonyms: of the published people.
        places: who could stand in which published row; row r is of pseudonym r.
    """
    names = dict(zip(pseudonyms, places.class_of.tolist(), strict=False))
    told = [name for name in names if name is not None and name in own]
    if not told or 2 * len(told) < len(names):
        return []
    met, classes = places.compatible, len(places.classes)
    asked = places.combination_of[[own[name] for name in told]].astype(np.int64) * classes
    at = np.array([names[name] for name in told])
    fits = np.isin(asked + at, met.row_of * classes + met.index).mean()
    chance = np.bincount(met.index, places.weight[met.row_of], classes)[at].mean()
    if 2 * fits <= 1 + chance / places.weight.sum():
        return []
    return [
        f"{some_of(len(told), len(names), 'pseudonym is')} keys of the source: anyone with a "
        "person's key finds their records, and releases can be linked"
    ]
