"""A k of its own for every rank of sensitivity (Victor and Lopez 2020)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.methods.optimal import Optimal


class KNM(Optimal):
    """The best full-domain release, of all records or of every rank by itself."""

    name = "knm"
    works_towards: ClassVar[tuple[str, ...]] = ("knm-anonymity",)
