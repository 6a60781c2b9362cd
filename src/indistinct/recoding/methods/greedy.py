"""The step that keeps the most rows, again and again (Arca and Hewett 2021, Method 2)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.methods.iab import IAB


class Greedy(IAB):
    """Takes the step that keeps the most distinct rows until the promises hold."""

    name = "greedy"
    settings: ClassVar[frozenset[str]] = IAB.settings - {"tie_break"}
