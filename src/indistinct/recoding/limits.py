"""When a search stops before its end, and whom it tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

from indistinct.frozen import dataclass

Progress = Callable[[float], None]
"""Called with the share of a search that is done."""


def silent(share: float) -> None:
    """Tell nobody."""
    del share


@dataclass(frozen=True)
class Limits:
    """When to stop before the end: after so many seconds, or so many nodes looked at."""

    seconds: float | None = None
    nodes: int | None = None
