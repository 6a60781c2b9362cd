"""How a class's values in one attribute can be published, and what that is called."""

from __future__ import annotations

from typing import Final

STYLES: Final = {
    "range": "its range",
    "set": "its values",
    "ancestor": "their common node",
    "level": "their common level",
}
"""The styles of cells, each in the words of a summary: of each class ..."""
