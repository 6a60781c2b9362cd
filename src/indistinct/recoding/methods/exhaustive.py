"""Every generalized table (Arca and Hewett 2021, Method 1)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.methods.iab import IAB


class Exhaustive(IAB):
    """Looks at every generalized table for the one with the most distinct rows."""

    name = "exhaustive"
    settings: ClassVar[frozenset[str]] = IAB.settings - {"tie_break"}
