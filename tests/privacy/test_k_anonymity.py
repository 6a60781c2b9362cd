"""Classes of k are safe, smaller ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from indistinct.errors import PolicyError
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy import promise
from indistinct.privacy.k_anonymity import KAnonymity


def classes(*size: int) -> ClassTable:
    return ClassTable(np.arange(len(size), dtype=np.int32), np.array(size, dtype=np.int64))


def test_a_class_breaks_it_if_it_is_too_small_and_not_empty() -> None:
    three = KAnonymity(k=3)
    assert three.breaks(classes(1, 2, 3, 4, 0)).tolist() == [True, True, False, False, False]
    assert three.largest_violating_size == 2
    assert KAnonymity(k=1).breaks(classes(1, 0)).tolist() == [False, False]
    assert three.breaks(classes()).tolist() == []


def test_what_is_achieved_is_the_smallest_class() -> None:
    assert KAnonymity(k=3).achieved(classes(7, 0, 4)) == {"k": 4}
    assert KAnonymity(k=3).achieved(classes(0)) == {"k": None}


def test_fewer_records_than_k() -> None:
    table = FrequencyTable(("q",), (np.array([0, 1], np.uint8),), np.array([2, 2]))
    assert KAnonymity(k=4).infeasible(table) is None
    problem = KAnonymity(k=5, on=("q",)).infeasible(table)
    assert problem is not None
    assert problem.code == "k-exceeds-records"
    assert "k-anonymity(k=5) on q" in problem.message
    assert "only 4 records" in problem.message


@pytest.mark.parametrize("k", [0, -1, 2.5, "5", True, None])
def test_k_must_be_a_whole_number(k: Any) -> None:
    with pytest.raises(PolicyError, match="whole number of at least 1"):
        promise("k-anonymity", k=k)
