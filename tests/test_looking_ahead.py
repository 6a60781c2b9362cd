"""Classes of the size that leaves most, where what others know of records is promised against."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.pipeline import looking_ahead


def visits(people: int, seed: int, illnesses: int) -> pl.DataFrame:
    """One to three visits of each person."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), random.integers(1, 4, people))
    return pl.DataFrame(
        {
            "who": [f"P{at}" for at in who],
            "age": random.integers(20, 60, people)[who],
            "sex": random.choice(["f", "m"], people)[who],
            "ill": [f"i{at}" for at in random.integers(0, illnesses, len(who))],
        }
    )


def policy(k: int, *promises: dict[str, Any], **method: Any) -> dict[str, Any]:
    return {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 4}},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": k}, *promises],
        "method": {"seed": 1, **method},
    }


KNOWN = {"model": "known-records", "sensitive": "ill", "k": 3, "m": 1}


@settings(max_examples=15)
@given(
    st.integers(12, 60),
    st.integers(0, 9),
    st.integers(2, 9),
    st.sampled_from(["optimal", "mondrian"]),
)
def test_the_best_of_the_sizes_is_kept(people: int, seed: int, illnesses: int, how: str) -> None:
    table, asked = visits(people, seed, illnesses), policy(3, KNOWN, algorithm=how)
    release = ind.anonymize(table, asked)
    assert ind.audit(release, asked).holds
    document = release.private["class_sizes.json"]
    tried = document["tried"]
    best = min(tried, key=lambda one: one["loss"])
    assert document["k"] == best["k"]
    assert [one["k"] for one in tried] == sorted({one["k"] for one in tried})
    assert tried[0]["k"] == 3
    items = release.private["items.json"]["ill"]
    assert (items["ncp"], items["as_root"]) == (best["items"], best["as_root"])
    run = release.run.to_dict()
    assert run["measures"]["loss-arithmetic"] == pytest.approx(best["quasi_identifiers"])
    assert release.certificate.to_dict()["classes"]["smallest"] == best["smallest"]
    larger = any("people instead of 3" in text for text in release.warnings)
    assert larger == (best["k"] > 3)
    assert not (larger and run["plan"]["optimal"])
    # Each size costs what a release of that size costs, which tries no smaller one.
    for one in tried:
        alone = ind.anonymize(table, policy(one["k"], KNOWN, algorithm=how))
        assert alone.private["class_sizes.json"]["tried"][0]["loss"] == pytest.approx(one["loss"])


def test_nothing_is_tried_without_the_promise_or_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = visits(60, 1, 6)
    assert "class_sizes.json" not in ind.anonymize(table, policy(3)).private
    clock = SimpleNamespace(perf_counter=iter(range(0, 10_000, 600)).__next__)
    monkeypatch.setattr(looking_ahead, "time", clock)
    short = ind.anonymize(table, policy(3, KNOWN, time_limit=500))
    assert [one["k"] for one in short.private["class_sizes.json"]["tried"]] == [3]
    longer = ind.anonymize(table, policy(3, KNOWN, time_limit=700))
    assert len(longer.private["class_sizes.json"]["tried"]) == 2


def test_what_is_promised_is_the_size_that_was_asked_for() -> None:
    table = visits(200, 1, 4)
    release = ind.anonymize(table, policy(3, {**KNOWN, "k": 8}))
    assert release.private["class_sizes.json"]["k"] > 3
    (told, _) = release.certificate.to_dict()["promises"]
    assert told["parameters"] == {"k": 3}
    assert told["achieved"]["k"] == release.certificate.to_dict()["classes"]["smallest"] > 3


@pytest.mark.parametrize("how", ["optimal", "mondrian"])
def test_the_curve_of_releases_has_the_sizes_that_are_kept(how: str) -> None:
    table = visits(120, 1, 6)
    found = ind.risk(table, policy(2, KNOWN, algorithm=how), k_range=(2, 4)).curve
    assert found is not None
    larger = 0
    for point in found.points:
        release = ind.anonymize(table, policy(point.k, KNOWN, algorithm=how))
        assert point.classes == release.certificate.to_dict()["classes"]["count"]
        larger += "people instead of" in " ".join(release.warnings)
    assert larger
