"""Rows that are left when items of a person are known, against all sets of items."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indistinct.kernels.known_items import MOST_ITEMS, know_items
from indistinct.kernels.ragged import Ragged

ITEMS = 5
OVER = Ragged.of([[0, 5], [1, 5, 7], [2, 6], [3, 6, 7], [4]])
"""The labels that cover each item: its own, and labels above several."""
LABELS = 8
CROWDS = Ragged.of([[0], [], [1, 2], [0, 2]])


class Release:
    """Rows of three classes; a row may show one thing or another, each a possibility."""

    def __init__(self, seed: int, several: bool) -> None:
        random = np.random.default_rng(seed)
        self.ways = [
            [int(random.integers(1, 3)) if several else 1 for _ in range(random.integers(0, 4))]
            for _ in range(3)
        ]
        self.start = np.cumsum([0, *map(sum, self.ways)])
        self.row_of = np.repeat(
            np.arange(sum(map(len, self.ways))), list(itertools.chain(*self.ways))
        )
        self.shown = [
            sorted(random.choice(LABELS, random.integers(0, 5), replace=False)) for _ in self.row_of
        ]
        self.labels = Ragged.of(self.shown)
        self.sure = random.random(len(self.labels.value)) < 0.7
        self.vague = np.arange(LABELS) >= random.choice([6, 7, 8])
        self.people = [
            np.flatnonzero(random.random(ITEMS) < random.choice([0.1, 0.6, 0.9])).tolist()
            for _ in range(2 * len(CROWDS))
        ]

    def know(self, crowd: int, items: list[int]) -> tuple[np.ndarray, int]:
        """What all sets of up to three items tell, and the rows that the most telling leaves."""
        ways = [r for g in CROWDS[crowd] for r in range(self.start[g], self.start[g + 1])]
        if not items:
            rows = len({self.row_of[r] for r in ways})
            return np.tile([rows == 1, rows == 1, 0.0], (3, 1)), rows
        over = [set(OVER[item].tolist()) for item in items]
        everything = {label for r in ways for label in self.shown[r]}
        shown = [any(not self.vague[one] for one in own & everything) for own in over]

        def covered(r: int, also_vague: bool) -> dict[int, bool]:
            """The items that a possibility covers, and whether it surely has each by itself."""
            told: dict[int, bool] = {}
            entries = range(self.labels.indptr[r], self.labels.indptr[r + 1])
            for label, entry in zip(self.shown[r], entries, strict=True):
                alone = sum(label in own for own in over) == 1 and bool(self.sure[entry])
                for at, own in enumerate(over):
                    if label in own and (also_vague or not (self.vague[label] and shown[at])):
                        told[at] = told.get(at, False) or alone
            return told

        for also_vague in (False, True):
            possible = {r: covered(r, also_vague) for r in ways}
            if any(len(told) == len(items) for told in possible.values()):
                break
        else:
            return np.zeros((3, 3)), 0
        found, fewest = np.zeros((3, 3)), len(ways)
        for size in range(1, 4):
            sets = list(itertools.combinations(range(len(items)), min(size, len(items))))
            for known in map(set, sets):
                fits = [r for r in ways if known <= set(possible[r])]
                rows = {self.row_of[r] for r in fits}
                fewest = min(fewest, len(rows)) if size == 1 else fewest
                found[size - 1, 0] = max(found[size - 1, 0], len(rows) == 1)
                found[size - 1, 1] += (len(rows) == 1) / len(sets)
                others = set(range(len(items))) - known
                certain = any(all(possible[r].get(at, False) for r in fits) for at in others)
                found[size - 1, 2] = max(found[size - 1, 2], certain)
        return found, fewest


def asked(release: Release, people: list[list[int]], crowds: Ragged, over: Ragged):
    """What the kernel says of everybody, and how many steps each takes."""
    items = Ragged.of(people)
    place = np.random.default_rng(1).permutation(len(people))
    work = np.full(len(people), -7.0)
    found, fewest = np.full((len(people), 3, 3), 7.0), np.full(len(people), 7)
    for fill in (False, True):
        know_items(
            CROWDS.indptr, CROWDS.value, release.start, release.row_of, release.labels.indptr,
            release.labels.value, release.sure, release.vague, crowds.indptr,
            crowds.value.astype(np.int64), place, items.indptr, items.value, over.indptr,
            over.value, work, found, fewest, fill,
        )  # fmt: skip
    assert (work > 0).all()
    return found[place], fewest[place]


@settings(max_examples=120)
@example(34, False, 0)  # no class has a row
@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(0, 3))
def test_what_known_items_tell(seed: int, several: bool, first: int) -> None:
    """Nobody is in the crowds before the first."""
    release = Release(seed, several)
    crowd_of = [max(person // 2, first) for person in range(8)]
    crowds = Ragged.of([[p for p in range(8) if crowd_of[p] == q] for q in range(len(CROWDS))])
    found, fewest = asked(release, release.people, crowds, OVER)
    for person, items in enumerate(release.people):
        wanted, least = release.know(crowd_of[person], items)
        assert found[person] == pytest.approx(wanted)
        assert fewest[person] == least


def test_of_many_items_the_rarest_are_known() -> None:
    """All rows show 32 common items, and one row shows a rare one besides, the last of them."""
    release = Release(0, False)
    most = MOST_ITEMS + 1
    release.start, release.row_of = np.array([0, 3, 3, 3]), np.arange(3)
    release.labels = Ragged.of([[*range(most)], [*range(most - 1)], [*range(most - 1)]])
    release.sure = np.ones(len(release.labels.value), np.bool_)
    release.vague = np.zeros(most, np.bool_)
    one_each = Ragged.of([[item] for item in range(most)])
    crowds = Ragged.of([[0], [], [], []])
    found, fewest = asked(release, [[*range(most)]], crowds, one_each)
    assert fewest.tolist() == [1]
    assert found[0, 0] == pytest.approx([1, 1 / MOST_ITEMS, 1])
