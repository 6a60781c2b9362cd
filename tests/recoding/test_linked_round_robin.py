"""Dealing people to buckets: what is told of it beforehand is what comes out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.recoding.linked.round_robin import Dealer, alike

Lists = Mapping[str, NDArray[np.int64]]


def dealer(people: NDArray[np.int64], k: int, least: int, share: float) -> Dealer:
    """People with one value each; every bucket wants some values, and none too often.

    The values may be those of made-up people, the shares are of the others.
    """

    def broken(lists: Lists, size: NDArray[np.int64], whole: Lists) -> NDArray[np.bool_]:
        return ((lists["value"] > 0).sum(axis=1) < least) | hopeless(lists, size, whole)

    def hopeless(lists: Lists, size: NDArray[np.int64], whole: Lists) -> NDArray[np.bool_]:
        assert len(whole["value"]) == len(people)
        return lists["value"].max(axis=1) > share * size

    code = np.arange(len(people), dtype=np.int32)
    had = {"value": np.eye(len(people), dtype=np.int64)}
    return Dealer(people, {"value": code}, had, {"value": "value"}, (broken, hopeless), k)


@settings(max_examples=200)
@given(st.data())
def test_stretches_are_what_is_dealt(data: st.DataObject) -> None:
    people = np.array(data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=6)))
    buckets = data.draw(st.integers(1, int(people.sum())))
    turn = np.array(data.draw(st.permutations(range(len(people)))))
    own = dealer(people, 1, 1, 1.0)
    start, times, counts = own._stretches(buckets, turn)
    assert times.sum() == buckets
    assert (counts * times[:, None]).sum(axis=0).tolist() == people.tolist()
    assert len(start) <= len(people) + 1
    by_bucket = np.zeros((buckets, len(people)), dtype=np.int64)
    at = 0
    for profile in np.argsort(turn):
        for _ in range(people[profile]):
            by_bucket[at % buckets, profile] += 1
            at += 1
    assert np.repeat(counts, times, axis=0).tolist() == by_bucket.tolist()


@settings(max_examples=150)
@given(st.data())
def test_the_best_arrangement_keeps_what_is_asked(data: st.DataObject) -> None:
    people = np.array(data.draw(st.lists(st.integers(1, 30), min_size=1, max_size=6)))
    k = data.draw(st.integers(1, int(people.sum())))
    least = data.draw(st.integers(1, 5))
    share = data.draw(st.sampled_from([0.3, 0.5, 0.7, 1.0]))
    allowed = data.draw(st.sampled_from([None, 0, 2]))
    own = dealer(people, k, least, share)
    deal = own.best(allowed)
    if deal is None:
        uneven = people.max() > share * people.sum()
        assert allowed is not None or least > len(people) or uneven
        return
    profile = np.repeat(np.arange(len(people), dtype=np.int32), people)
    bucket_of = own.dealt(deal, profile, np.random.default_rng(3))
    noise_of, noise = own.made_up(deal)
    assert len(noise_of) == deal.made
    assert allowed is None or deal.made <= allowed
    counts = np.zeros((deal.buckets, len(people)), dtype=np.int64)
    np.add.at(counts, (bucket_of, profile), 1)
    assert counts.sum(axis=1).min() >= k
    assert (counts.max(axis=1) <= share * counts.sum(axis=1)).all()
    np.add.at(counts, (noise_of, noise["value"]), 1)
    assert ((counts > 0).sum(axis=1) >= least).all()
    assert (counts.max(axis=1) <= share * counts.sum(axis=1)).all()


def test_few_people_of_a_category_make_larger_buckets_not_noise() -> None:
    people = np.array([4000, 3000, 2000, 600, 400])
    deal = dealer(people, 4, 4, 0.5).best(None)
    assert deal is not None
    assert deal.made == 0
    # Each bucket needs one of the thousand that are in the last two.
    assert 950 <= deal.buckets <= 1000


def test_one_made_up_person_is_less_than_a_single_bucket() -> None:
    people = np.array([50_000, 49_999, 1])
    deal = dealer(people, 2, 3, 0.5).best(None)
    # All but one bucket would need somebody made up.
    assert deal is not None
    assert (deal.buckets, deal.made) == (1, 0) or deal.made < 2000
    assert dealer(people, 2, 3, 0.4).best(0) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(5, 7)), min_size=1, max_size=30))
def test_profiles_number_equal_rows(rows: list[tuple[int, int]]) -> None:
    columns = [np.array([row[at] for row in rows]) for at in range(2)]
    first, number = alike(columns)
    assert [rows[at] for at in first[number].tolist()] == rows
    assert len(first) == len(set(rows))
