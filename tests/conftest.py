"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data kept beside the project; tests that need it skip without."""
    place = Path(os.environ.get("INDISTINCT_SHARED", REPOSITORY.parent / "shared"))
    if not place.is_dir():
        pytest.skip("the real data kept beside the project is not here")
    return place
