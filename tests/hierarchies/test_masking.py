from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import PolicyError
from indistinct.hierarchies import masking_taxonomy


def test_zip_codes_as_the_field_writes_them() -> None:
    taxonomy = masking_taxonomy("zip", ["81667", "81931"])
    assert taxonomy.rows() == [
        ("81667", "8166*", "816**", "81***", "8****", "*****"),
        ("81931", "8193*", "819**", "81***", "8****", "*****"),
    ]
    assert taxonomy.root == "*****"


def test_from_the_left() -> None:
    taxonomy = masking_taxonomy("phone", ["12", "345"], side="left", char="#")
    assert taxonomy.rows() == [("12", "#12", "##2", "*"), ("345", "#45", "##5", "*")]


def test_unequal_lengths_line_up_by_their_prefix() -> None:
    taxonomy = masking_taxonomy("icd", ["E11", "E11.9", "F20.0"])
    assert taxonomy.level(2) == ("E11**", "E11**", "F20**")
    assert taxonomy.level(5) == ("*",) * 3
    assert taxonomy.levels == 6


def test_the_longest_code_shows_in_no_label() -> None:
    rows = masking_taxonomy("zip", ["8166", "8193", "81667812"]).rows()
    assert sorted(rows) == [
        ("8166", "816*", "81**", "8***", "*"),
        ("81667812", "816*", "81**", "8***", "*"),
        ("8193", "819*", "81**", "8***", "*"),
    ]
    named = masking_taxonomy("zip", ["8166", "81667812"], length=6, step=2)
    assert named.level(1) == ("8166**", "8166**")
    assert set(masking_taxonomy("x", ["123", "923", "77123"], side="left").level(1)) == {"*23"}


def test_steps_keep_and_levels() -> None:
    assert masking_taxonomy("z", ["81667"], step=2).rows() == [("81667", "816**", "8****", "*****")]
    assert masking_taxonomy("z", ["81667"], keep=3).rows() == [("81667", "8166*", "816**", "*")]
    assert masking_taxonomy("z", ["81667"], levels=1).rows() == [("81667", "8166*", "*")]
    assert masking_taxonomy("z", ["81667"], keep=3, step=4).rows() == [("81667", "816**", "*")]
    assert masking_taxonomy("z", ["81"], keep=9).rows() == [("81", "*")]
    assert masking_taxonomy("z", ["8"]).rows() == [("8", "*")]
    assert masking_taxonomy("z", ["8", "99"], levels=9).rows() == [
        ("8", "8*", "*"),
        ("99", "9*", "*"),
    ]


@pytest.mark.parametrize(
    "settings",
    [{"char": "**"}, {"char": " "}, {"char": ""}, {"keep": -1}, {"step": 0}, {"side": "top"}],
)
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        masking_taxonomy("zip", ["1"], **settings)


def test_long_texts_make_no_table_of_masks_larger_than_memory() -> None:
    texts = ["f", "x" * 200_000]
    with pytest.raises(PolicyError, match="more than 255 levels of masks") as caught:
        masking_taxonomy("note", texts)
    assert caught.value.problems[0].attribute == "note"
    assert "length = 20" in str(caught.value)
    assert masking_taxonomy("note", texts, length=20).height == 20
    assert masking_taxonomy("note", texts, step=1000).height == 200
    assert masking_taxonomy("note", texts, levels=2).height == 3


@given(
    st.sets(st.text("ab0*", min_size=1, max_size=6), min_size=1),
    st.sampled_from("*0"),
    st.integers(0, 3),
    st.integers(1, 3),
    st.sampled_from(["left", "right"]),
    st.none() | st.integers(1, 4),
)
def test_any_codes_make_a_tree(
    values: set[str], char: str, keep: int, step: int, side: Any, levels: int | None
) -> None:
    if values == {"*"}:
        return
    taxonomy = masking_taxonomy(
        "x", list(values), char=char, keep=keep, step=step, side=side, levels=levels
    )
    assert set(taxonomy.leaves) == values - {"*"}
    assert taxonomy.has_root
    often = Counter(len(value) for value in values - {"*"})
    width = max(often, key=lambda size: (often[size], size))
    for level in range(1, taxonomy.height):
        hidden = min(level * step, width - keep)
        for leaf, label in zip(taxonomy.leaves, taxonomy.level(level), strict=True):
            assert leaf is not None
            assert label is not None
            assert len(label) == width
            if side == "right":
                assert label.endswith(char * hidden)
                assert leaf.startswith(label[: width - hidden].rstrip(char)[: len(leaf)])
            else:
                assert label.startswith(char * hidden)
                assert (char * width + leaf).endswith(label[hidden:])
