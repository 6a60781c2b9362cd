"""A good full-domain release, for lattices that are too large to go through."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.methods.optimal import Optimal


class Heuristic(Optimal):
    """Full-domain generalization by a search that does not prove its result the best."""

    name = "heuristic"
    settings: ClassVar[frozenset[str]] = Optimal.settings - {"mode"}
