"""A certificate that gives ranks, which follow from outcomes, tells outcomes of few people."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind

RARE: dict[str, Any] = {"role": "sensitive", "ranks": {"dependent": "outcome", "harmful": ["died"]}}


def fates(seed: int, rare: int) -> pl.DataFrame:
    """People, some of whom have an illness that nobody else has, and what became of them."""
    random, n = np.random.default_rng(seed), 200
    ill = random.choice(["flu", "cold", "gout"], n).astype(object)
    ill[:rare] = [f"rare {at}" for at in range(rare)]
    columns = {
        "age": random.integers(20, 60, n),
        "ill": ill.tolist(),
        "outcome": np.where(random.random(n) < 0.3, "died", "home"),
    }
    return pl.DataFrame(columns)


@pytest.mark.parametrize(
    ("rare", "outcome", "told"),
    [(12, "identifier", True), (0, "identifier", False), (12, "insensitive", False)],
)
def test_ranks_that_tell_what_became_of_few_are_warned_of(
    rare: int, outcome: str, told: bool
) -> None:
    """The rank of an illness that one person has is that person's outcome."""
    table = fates(0, rare)
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": RARE,
            "outcome": {"role": outcome},
        },
        "promises": [{"model": "knm-anonymity", "k": {"1": 4, "2": 4, "3": 4, "4": 4}}],
        "method": {"algorithm": "mondrian"},
    }
    keys["promises"][0]["sensitive"] = "ill"
    release = ind.anonymize(table, keys)
    ranks = dict(release.certificate.to_dict()["sensitive"]["ill"]["ranks"])
    truth = table.filter(pl.col("ill").str.starts_with("rare"))
    for value, became in truth.select("ill", "outcome").rows():
        assert (ranks[value] == 1) == (became == "died")
    said = "the ranks in the certificate are computed from 'outcome', and tell"
    assert any(said in text for text in release.warnings) == told
    assert not told or any(
        "12 records with a value that fewer than 5" in text for text in release.warnings
    )
    assert any("from the outcomes of all people" in text for text in release.certificate.warnings)
    by_hand = keys["attributes"] | {"ill": RARE | {"ranks": {"table": ranks}}}
    silent = ind.anonymize(table, keys | {"attributes": by_hand})
    assert not any("outcome" in text or "became" in text for text in silent.warnings)
