"""Numbers of records that k people of a class have: what is left out, and what is promised."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.recoding.method import methods
from indistinct.recoding.numbers import kept_numbers


@settings(max_examples=80)
@given(
    people=st.lists(st.tuples(st.integers(1, 5), st.integers(-1, 1)), max_size=7),
    k=st.integers(1, 3),
)
def test_as_few_records_as_possible_are_lost(people: list[tuple[int, int]], k: int) -> None:
    number, class_of = (np.array([one[at] for one in people], np.int64) for at in (0, 1))
    kept = kept_numbers(number, class_of, k, np.random.default_rng(1))
    assert ((kept >= 1) & (kept <= number)).all()
    assert (kept == number)[class_of < 0].all()
    for own in (0, 1):
        there, had = kept[class_of == own], number[class_of == own].tolist()
        if len(had) < k:
            assert there.tolist() == had
            continue
        assert min(Counter(there.tolist()).values(), default=k) >= k
        ways = product(*(range(1, n + 1) for n in had))
        best = max(sum(way) for way in ways if min(Counter(way).values(), default=k) >= k)
        assert there.sum() == best


def table(seed: int = 1, people: int = 40) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    ages = (20 + 10 * random.integers(3, size=people)).tolist()
    rows = [
        (f"p{person}", ages[person], "MF"[person % 2], ill, visit)
        for person in range(people)
        for visit in range(int(random.geometric(0.3)))
        for ill in (str(random.choice(["flu", "gout", "hiv", "cold"])),)
    ]
    return pl.DataFrame(rows, ["who", "age", "sex", "ill", "visit"], orient="row")


def policy(algorithm: str = "optimal", *more: dict[str, Any], k: int = 3) -> dict[str, Any]:
    return {
        "source": {"person": "who"},
        "rest": "keep",
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 5},
            {"model": "known-number", "k": k},
            *more,
        ],
        "method": {"algorithm": algorithm, "suppression_limit": 0.7},
        "output": {"report": False},
    }


OF_PEOPLE = [
    name for name, own in methods().items()
    if own.unit != "record" and not own.linked
    and name not in ("exhaustive", "greedy", "iab", "knm", "mdav")
]  # fmt: skip


@pytest.mark.parametrize("algorithm", OF_PEOPLE)
def test_everybody_has_as_many_records_as_others_of_the_class(
    tmp_path: Path, algorithm: str
) -> None:
    source = table()
    diverse = {"model": "distinct-l-diversity", "l": 3, "sensitive": "ill"}
    release = ind.anonymize(source, policy(algorithm, diverse)).write(tmp_path / "out")
    told = ind.audit(release)
    assert told.holds
    assert "known-number" in {item.requirement.model for item in told.promises}
    rows = pl.read_csv(release / "release.csv")
    numbers = rows.group_by("age", "sex", "who").len("number")
    shared = numbers.group_by("age", "sex", "number").len("people")
    assert shared["people"].min() >= 3  # type: ignore[operator]
    values = rows.unique(["age", "sex", "ill"]).group_by("age", "sex").len()
    assert values["len"].min() >= 3  # type: ignore[operator]


def test_no_more_records_are_left_out_than_may_be_and_the_remedy_is_enough() -> None:
    keys = policy() | {"method": {"algorithm": "optimal"}}
    with pytest.raises(Unsatisfiable, match=r"0\.0% of them may be") as caught:
        ind.anonymize(table(), keys)
    (told,) = caught.value.problems
    enough = float(str(told.remedy).split(" = ")[1].split(",")[0])
    keys["method"]["suppression_limit"] = enough
    lost = ind.anonymize(table(), keys).run.to_dict()["suppressed"]
    assert 0 < lost <= enough * table().height


def test_what_is_left_out_is_counted_and_nobody_is_singled_out_by_number() -> None:
    source = table()
    before = ind.anonymize(source, policy(k=1))
    release = ind.anonymize(source, policy())
    run = release.run.to_dict()
    assert run["records"] == source.height
    assert 0 < run["suppressed"] == source.height - release.tables.height
    assert run["people"] == {"source": 40, "published": 40, "suppressed": 0}
    assert any(f"{run['suppressed']} of {source.height} records" in w for w in release.warnings)
    known = (one.run.to_dict()["singled_out"]["known-records"] for one in (before, release))
    first, then = (own["records"]["singled_out"] for own in known)
    assert first > 0.1
    assert then == 0.0


def test_it_needs_classes_that_are_large_enough_and_items_as_they_are() -> None:
    with pytest.raises(PolicyError, match="needs classes of 6 people"):
        ind.anonymize(table(), policy(k=6))
    items = {"model": "km-anonymity", "k": 2, "m": 1, "sensitive": "ill"}
    with pytest.raises(PolicyError, match="kept before records are left out"):
        ind.anonymize(table(), policy("optimal", items))
