"""How many records everybody keeps, so that each number is that of k people of a class."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.numbers import least_lost
from indistinct.microdata.subjects import Subjects
from indistinct.randomness import Random
from indistinct.types import Bools, Ints


def kept_numbers(number: Ints, class_of: Ints, k: int, random: Random) -> Ints:
    """The number of records that each person keeps, at most their own; the fewest are lost.

    People of a class who are alike in number are taken in random order. In classes of fewer than k
    people nothing is done.

    Arguments:
        number: of records, [n].
        class_of: the class of each, -1 of those in none, [n].
        k: people who have every number.
        random: draws who of equals keeps fewer.
    """
    order = np.lexsort((random.permutation(len(number)), number, class_of))
    order = order[class_of[order] >= 0]
    starts = np.flatnonzero(np.diff(class_of[order], prepend=-1))
    kept = number.copy()
    kept[order] = least_lost(number[order], np.append(starts, len(order)), k)
    return kept


def records_kept(people: Subjects, class_of: Ints, k: int, random: Random) -> Bools:
    """Which records stay, [rows]: of those who have more than they keep some, drawn at random.

    Arguments:
        people: whose the records are.
        class_of: the class of every person, -1 of those in none.
        k: people who have every number.
        random: draws what is left out.
    """
    number = np.bincount(people.person_of, minlength=people.count).astype(np.int64)
    kept = kept_numbers(number, class_of, k, random)
    order = np.lexsort((random.permutation(people.rows), people.person_of))
    first = np.cumsum(number) - number
    place = np.arange(people.rows) - first[people.person_of[order]]
    stays = np.empty(people.rows, np.bool_)
    stays[order] = place < kept[people.person_of[order]]
    return stays
