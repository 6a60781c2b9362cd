"""Two thousand hostile cases: none ends in an internal error, shows a cell, or leaves anything."""

from __future__ import annotations

import pytest
from tests.fuzz.trial import sound_release, tried

STEP = 100


@pytest.fixture(scope="module")
def release() -> dict[str, bytes]:
    return sound_release()


@pytest.mark.parametrize("start", range(0, 2000, STEP))
def test_hostile_cases(start: int, release: dict[str, bytes]) -> None:
    wrong = list(tried(0, range(start, start + STEP), release))
    assert not wrong, "\n".join(wrong)
