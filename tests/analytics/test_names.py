from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.profile.names import (
    is_one_of,
    names_one_of,
    phrases,
    starts_with_one_of,
    words,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HHIncome", ("hh", "income")),
        ("zip_code", ("zip", "code")),
        ("dateOfBirth", ("date", "of", "birth")),
        ("ICD9CODX", ("icd", "9", "codx")),
        ("marital-status", ("marital", "status")),
        ("Année de naissance", ("annee", "de", "naissance")),
        ("Größe (cm)", ("grosse", "cm")),
        ("", ()),
        ("%%%", ()),
    ],
)
def test_words(name: str, expected: tuple[str, ...]) -> None:
    assert words(name) == expected


def test_a_word_is_found_written_together_or_apart() -> None:
    for name in ("ZIPCode", "zipcode", "Patient_ZIP_code", "zip code 2"):
        assert names_one_of(name, ["zip code"]) == "zip code"
    assert names_one_of("capacity", ["city"]) is None


def test_the_whole_name() -> None:
    assert is_one_of("Age2", ["age"]) == "age"
    assert is_one_of("age_at_admission", ["age"], ["at", "admission"]) == "age"
    assert is_one_of("Age1stBaby", ["age"], ["years"]) is None
    assert is_one_of("state", ["state"], ["state"]) == "state"


def test_stems() -> None:
    assert starts_with_one_of("SmokingStatus", ["smok"]) == "smok"
    assert starts_with_one_of("besmoked", ["smok"]) is None


@given(st.text(max_size=40))
def test_any_name_can_be_read(name: str) -> None:
    assert all(word and word == word.lower() for word in words(name))
    assert set(words(name)) <= phrases(name)
