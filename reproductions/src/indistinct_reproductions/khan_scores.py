"""Which discernibility scores and which variances exist at all.

Table 11 of Khan and others (2020) prints sums of squared class sizes. Whether there is any way to
put n records, and perhaps some made-up ones, into classes of at least k so that the squares add up
to a printed number is a question about whole numbers, and is answered here for all ways at once.
"""

from __future__ import annotations

from collections.abc import Sequence


def discernibility(sizes: Sequence[int]) -> int:
    """The sum of the squares of class sizes, equation (2).

    >>> discernibility([2, 2, 2, 2, 2])
    20
    """
    return sum(size * size for size in sizes)


def least_score(records: int, k: int) -> int:
    """The smallest score of any classes of at least k records: as many, as equal, as can be.

    >>> least_score(10, 2), least_score(11, 2), least_score(160150, 4)
    (20, 25, 640610)
    """
    classes = records // k
    size, larger = divmod(records, classes)
    return (classes - larger) * size**2 + larger * (size + 1) ** 2


def least_score_with_noise(records: int, k: int) -> int:
    """The smallest score if records may be added; more than k - 1 of them never help.

    >>> least_score_with_noise(160150, 4)
    640608
    """
    return min(least_score(records + noise, k) for noise in range(k))


def noise_that_reaches(score: int, records: int, k: int) -> list[int]:
    """With which numbers of added records some classes of at least k have exactly this score.

    With N records in G classes of k + e_i, where all e_i >= 0, E = sum(e_i) = N - k G and
    Q = sum(e_i^2), the score is k N + k E + Q. So for each N the excess of the score over k N must
    be k E + Q for some E that leaves N - E divisible by k, and E numbers' worth of squares Q must
    be within reach of at most G parts. A knapsack over parts tells with how few parts E and Q are.

    >>> noise_that_reaches(20, 10, 2), noise_that_reaches(21, 10, 2)
    ([0], [])
    >>> noise_that_reaches(960912, 160150, 6)
    [2]
    """
    found = []
    noise = 0
    while (excess := score - k * (records + noise)) >= 0:
        total = records + noise
        # Q >= E, since every part is its own square at least.
        most = excess // (k + 1)
        for extra in range(total % k, most + 1, k):
            fewest = _fewest_parts(extra, excess - k * extra)
            if fewest is not None and fewest <= (total - extra) // k:
                found.append(noise)
                break
        noise += 1
    return found


def _fewest_parts(total: int, squares: int) -> int | None:
    """The least number of positive whole numbers with this sum and this sum of squares."""
    if squares < total:
        return None
    reached: dict[tuple[int, int], int] = {(0, 0): 0}
    for part in range(1, total + 1):
        waiting = sorted(reached)
        # Each part any number of times: what it reaches is looked at again with it.
        for before in waiting:
            state, count = before, reached[before]
            while state[0] + part <= total and state[1] + part * part <= squares:
                state, count = (state[0] + part, state[1] + part * part), count + 1
                if reached.get(state, count + 1) <= count:
                    break
                reached[state] = count
    return reached.get((total, squares))


def highest_variance(values: int) -> float:
    """What no class with that many distinct values exceeds: ((2D - 1) / 6)^2, 0 for one value.

    :func:`indistinct.privacy.rank_variance.serves` says why.
    """
    return 0.0 if values <= 1 else ((2 * values - 1) / 6) ** 2
