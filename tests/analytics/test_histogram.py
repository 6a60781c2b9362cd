"""Histograms of one attribute: every record once, in order, and equalized as the paper has it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.utility.histogram import Histogram, equalization, histogram
from indistinct.errors import DataError
from indistinct.hierarchies import intervals_taxonomy

AGES = ["23", "24", "27", "29", "31", "33", "36", "38", "41", "44", "46", "49"]


def test_the_papers_ages() -> None:
    taxonomy = intervals_taxonomy("age", AGES, width=10)
    found = equalization("age", AGES, [1] * 12, taxonomy)
    assert found.before == Histogram(tuple(AGES), (1,) * 12)
    assert found.generalized.records == (4, 4, 4)
    narrow = equalization("age", AGES, [1] * 12, taxonomy, bins=4)
    assert narrow.equalized == Histogram(
        ("[23, 27]", "[29, 33]", "[36, 41]", "[44, 49]"), (3, 3, 3, 3)
    )
    assert narrow.equalized.unevenness == 1
    assert narrow.frame().height == 12 + 3 + 4
    assert set(narrow.to_dict()) == {"attribute", "before", "generalized", "equalized"}
    assert "equalized 4 labels (1 to 1)" in repr(narrow)
    assert "[23, 27]" in narrow._repr_html_()


def test_labels_are_in_order() -> None:
    labels = ["[100, 110)", "<20", ">=90", "[20, 30)", None, "*", "9", "-3", "other", "[9, 20)"]
    assert histogram(labels, [1] * 10).labels == (
        "-3", "9", "[9, 20)", "<20", "[20, 30)", ">=90", "[100, 110)", "other", "*", None,
    )  # fmt: skip
    assert histogram([], []).unevenness is None


@given(st.lists(st.integers(-20, 90), min_size=1, max_size=60), st.integers(0, 9))
def test_every_record_is_counted_once_at_every_stage(numbers: list[int], missing: int) -> None:
    counted: Counter[str | None] = Counter(map(str, numbers))
    if missing:
        counted[None] = missing
    values = list(counted)
    taxonomy = intervals_taxonomy("age", [v for v in values if v is not None], width=7)
    taxonomy = taxonomy.extended(missing="value" if missing else None, uncovered=[])
    found = equalization("age", values, list(counted.values()), taxonomy)
    for held in found.stages.values():
        assert sum(held.records) == len(numbers) + missing
    assert len(found.equalized.labels) <= max(len(found.generalized.labels), 1)


def test_a_level_that_is_not_there() -> None:
    with pytest.raises(DataError, match="levels 0 to"):
        equalization("age", AGES, [1] * 12, intervals_taxonomy("age", AGES, width=10), level=9)


def test_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    found = equalization("age", AGES, [1] * 12, intervals_taxonomy("age", AGES, width=10))
    drawn = found.plot(tmp_path / "ages.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "equalized" in drawn
