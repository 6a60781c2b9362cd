"""Ranks of sensitivity from scores, from outcomes, and the k of every rank made to fall."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.leakage.sensitivity_ranks import falling_ks, ranks_by_score, share_of_harm
from indistinct.errors import DataError

TABLE_II = [
    ("Hepatitis", "Y"), ("Malaria", "Y"), ("Influenza", "Y"), ("HIV", "N"), ("Malaria", "Y"),
    ("H1N1", "N"), ("Malaria", "Y"), ("Hepatitis", "Y"), ("H1N1", "N"), ("Influenza", "Y"),
    ("Hepatitis", "Y"), ("HIV", "N"),
]  # fmt: skip
"""Diagnosis and discharge status of the paper's table II."""


def test_the_papers_table() -> None:
    shares = share_of_harm([(value, out, 1) for value, out in TABLE_II], ["N"])
    assert shares == {"Hepatitis": 0, "Malaria": 0, "Influenza": 0, "HIV": 1, "H1N1": 1}
    found = ranks_by_score(shares)
    assert found == {"Hepatitis": 4, "Malaria": 4, "Influenza": 4, "HIV": 1, "H1N1": 1}


def test_scores_at_a_cut_are_above_it() -> None:
    scores = {"a": 0.0, "b": 25.0, "c": 50.0, "d": 75.0, "e": 100.0, "f": 74.9}
    assert ranks_by_score(scores) == {"a": 4, "b": 3, "c": 2, "d": 1, "e": 1, "f": 2}
    others = {"a": 4, "b": 3, "c": 3, "d": 2, "e": 1, "f": 2}
    assert ranks_by_score(scores, (0.9, 0.6, 0.1)) == others


def test_few_values_are_ranked_in_order() -> None:
    assert ranks_by_score({"a": 1, "b": 1.01, "c": 900}) == {"a": 3, "b": 2, "c": 1}
    assert ranks_by_score({"a": 5, "b": 5}) == {"a": 1, "b": 1}
    assert ranks_by_score({"a": 5}) == {"a": 1}
    assert ranks_by_score({}) == {}


def test_equal_scores_tell_nothing_apart() -> None:
    assert set(ranks_by_score(dict.fromkeys("abcde", 3.0)).values()) == {1}


@given(st.dictionaries(st.text(max_size=3), st.integers(-1000, 1000), min_size=4, max_size=12))
def test_the_rule_by_brute_force(scores: dict[str, int]) -> None:
    low, high = min(scores.values()), max(scores.values())
    found = ranks_by_score(scores)
    for value, score in scores.items():
        share = Fraction(score - low, high - low) if high > low else Fraction(1)
        rank = 1 if share >= Fraction(3, 4) else 2 if share >= Fraction(1, 2) else 3
        assert found[value] == (rank if share >= Fraction(1, 4) else 4)


def test_unknown_outcomes_do_not_count() -> None:
    counted = [("a", "bad", 1), ("a", None, 7), ("a", "good", 1), ("b", None, 3), (None, "bad", 2)]
    assert share_of_harm(counted, {"bad"}) == {"a": 0.5, None: 1.0}


def test_what_makes_no_sense() -> None:
    for cuts in ((0.5, 0.75, 0.25), (0.75, 0.5), (1.0, 0.5, 0.2), (0.7, 0.5, 0.0)):
        with pytest.raises(DataError, match="three shares"):
            ranks_by_score({"a": 1}, cuts)
    with pytest.raises(DataError, match="not a number"):
        ranks_by_score({"a": math.nan})


@given(st.dictionaries(st.integers(1, 4), st.integers(1, 20), min_size=1))
def test_no_less_sensitive_rank_has_a_larger_k(ks: dict[int, int]) -> None:
    found = falling_ks(ks)
    assert list(found) == sorted(ks)
    for rank, k in found.items():
        assert k == max(own for other, own in ks.items() if other >= rank)
