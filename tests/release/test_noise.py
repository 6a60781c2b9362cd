from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from indistinct.errors import IndistinctError
from indistinct.release.decoys import Insertion
from indistinct.release.noise import with_noise

RELEASE = pl.DataFrame(
    {
        "age": ["[20, 24]", "[20, 24]", "30", "30"],
        "zip": ["81***", "81***", None, None],
        "ill": ["flu", "asthma", "flu", "hiv"],
        "visits": [1, 2, 3, 4],
        "id": ["aaaa", "bbbb", "cccc", "dddd"],
    }
)
QUASI = ["age", "zip"]
ADDED = [(("[20, 24]", "81***"), {"ill": "hiv"}), (("30", None), {"ill": "asthma"})]


def drawn(seed: int, **settings: Any) -> Insertion:
    return Insertion(np.random.default_rng(seed), **settings)


def noised(seed: int = 0, **settings: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The whole release, and the noise in it."""
    done = with_noise(RELEASE, QUASI, ADDED, drawn(seed, fresh=["id"], **settings))
    return done.frame, done.frame[[at - 1 for at in done.places]]


def test_noise_is_published_like_its_class() -> None:
    for seed in range(20):
        whole, noise = noised(seed)
        assert whole.height == 6
        assert whole.schema == RELEASE.schema
        rows = {row["ill"]: row for row in noise.iter_rows(named=True)}
        assert (rows["hiv"]["age"], rows["hiv"]["zip"]) == ("[20, 24]", "81***")
        assert (rows["asthma"]["age"], rows["asthma"]["zip"]) == ("30", None)
        assert rows["hiv"]["visits"] in (1, 2)
        assert rows["asthma"]["visits"] in (3, 4)
        assert not set(noise["id"]) & set(RELEASE["id"])
        assert noise["id"].str.len_chars().to_list() == [4, 4]


def test_without_a_shuffle_the_records_keep_their_order() -> None:
    whole, noise = noised(shuffle=False)
    others = whole.filter(~pl.col("id").is_in(noise["id"].to_list()))
    assert others.equals(RELEASE)
    assert whole["age"].to_list() == ["[20, 24]"] * 3 + ["30"] * 3


def test_a_number_is_published_as_a_number() -> None:
    frame = RELEASE.with_columns(ill=pl.Series([1, 2, 1, 3]))
    added = [(("30", None), {"ill": "2"}), (("30", None), {"ill": "7"})]
    done = with_noise(frame, QUASI, added, drawn(0))
    assert done.frame.schema == frame.schema
    assert sorted(done.frame["ill"].to_list()) == [1, 1, 2, 2, 3, 7]


def test_noise_without_a_class_is_a_bug_of_ours() -> None:
    with pytest.raises(IndistinctError, match="belongs to no class"):
        with_noise(RELEASE, QUASI, [(("x", "y"), {})], drawn(0))
