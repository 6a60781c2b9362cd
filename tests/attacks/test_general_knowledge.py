"""What goes with a generalized quasi-identifier is told: a class of both sexes, and a pregnancy."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind

KEYS: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress", "min_level": 1},
        "ill": {"role": "sensitive"},
    },
    "promises": [
        {"model": "k-anonymity", "k": 10},
        {"model": "max-posterior", "bound": 0.7, "sensitive": "ill"},
    ],
    "method": {"algorithm": "optimal", "suppression_limit": 0.05},
}
TOLD = "'ill': some values go with some of 'sex' and hardly with others"


def patients(seed: int, kind: str) -> pl.DataFrame:
    """Patients, with illnesses that only one sex has, or both."""
    random, n = np.random.default_rng(seed), 300
    age, sex = random.integers(20, 80, n), random.choice(["M", "F"], n)
    ill = np.where(random.random(n) < 0.9, "pregnant", "flu")
    ill = np.where(sex == "F", ill, random.choice(["prostate", "flu"], n))
    if kind == "both":
        ill = random.permutation(ill)
    if kind == "rare":
        ill = np.where(np.arange(n) < 12, ill, random.choice(["gout", "cold", "flu"], n))
    return pl.DataFrame({"age": age, "sex": sex, "ill": ill})


@pytest.mark.parametrize(("kind", "told"), [("one", True), ("both", False), ("rare", False)])
@pytest.mark.parametrize("seed", range(2))
def test_what_goes_with_a_sex_is_warned_of(kind: str, told: bool, seed: int) -> None:
    table = patients(seed, kind)
    release = ind.anonymize(table, KEYS)
    bound = release.certificate.promises[1]
    assert bound["holds"]
    assert bound["achieved"]["bound"] <= 0.7
    assert any(TOLD in text for text in release.warnings) == told
    if told:
        right = (table.filter(sex="F")["ill"] == "pregnant").mean()
        assert right > 0.85  # whoever guesses of a woman what no man has


def test_a_sex_that_is_published_is_not() -> None:
    shown = KEYS["attributes"] | {"sex": {"role": "quasi-identifier"}}
    keys = KEYS | {"attributes": shown, "promises": KEYS["promises"][:1]}
    assert not any(TOLD in text for text in ind.anonymize(patients(0, "one"), keys).warnings)
