"""Special uniques: records that few attributes single out, and how few.

A record is unique on some quasi-identifiers if no other has its values of them; a minimal unique if
it is on none of them left out. The smaller and the more of these sets a record has, the likelier it
is unique in the population, too, and found by who knows little. SUDA scores it by

    sum over its minimal uniques of  (m - s) (m - s - 1) ... (m - M)

for a set of s of m attributes, where sets of up to M are looked for:

    M. J. Elliot, A. M. Manning, R. W. Ford: "A Computational Algorithm for Handling the Special
    Uniques Problem". International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems
    10(5), 2002; M. J. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane: "SUDA: A Program for
    Detecting Special Uniques". UNECE/Eurostat work session on statistical data confidentiality,
    Geneva, 2005.

The score orders records; it is no probability. Where it is known which share p of a population the
table is, of n1 unique records and n2 pairs alike, a link to a unique record is right with

    DIS = p n1 / (p n1 + 2 (1 - p) n2)

    C. J. Skinner, M. J. Elliot: "A Measure of Disclosure Risk for Microdata". Journal of the Royal
    Statistical Society B 64(4), 2002,

on average. For each unique record the odds DIS / (1 - DIS) are taken times its score over the mean
score of unique records (DIS-SUDA, Elliot and others 2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from indistinct.document import Grid, Line, Part, PlainData, share, shown
from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.microdata.encoding import numbers_of_combinations
from indistinct.types import Floats, Ints, Ints32


@dataclass(frozen=True, eq=False)
class SpecialUniques(PlainData):
    """Which records few quasi-identifiers single out.

    Arguments:
        most: the largest number of attributes of a set, M.
        records: records that some set singles out.
        by_size: of these, how many have a smallest set of so many attributes.
        attributes: the share of all scores that comes from sets with an attribute, highest first.
        score: the score of every class, 0 without a set, [G].
        fewest: the size of its smallest set, 0 without one, [G].
        dis: how likely a link to a unique record is right, on average; None where the population
            is not known, or no record is unique.
        dis_of: the same for each class, 0 without a set, [G].
    """

    most: int
    records: int
    by_size: Mapping[int, int]
    attributes: Mapping[str, float]
    score: Floats = field(repr=False)
    fewest: Ints = field(repr=False)
    dis: float | None = None
    dis_of: Floats | None = field(default=None, repr=False)

    def parts(self, records: int, units: str) -> Iterator[Part]:
        """How few attributes single out how many, and which."""
        yield Line(f"\nspecial uniques (SUDA): sets of up to {self.most} attributes", "title")
        whole = max(records, 1)
        rows = [(shown(s), shown(n), share(n / whole)) for s, n in self.by_size.items()]
        rows.append(
            ("more, or never alone", shown(records - self.records), share(1 - self.records / whole))
        )
        head = ("attributes needed", units, "share")
        yield Grid(head, rows, right=head[1:])
        if self.records:
            told = [(name, share(part)) for name, part in self.attributes.items()]
            yield Grid(("attribute", "in so much of the score"), told, right=("share",))
            yield Line("Coarsen the first of these first: with others it singles out most.")
        if self.dis is not None:
            yield Line(
                f"A link to a record that is unique on all attributes is right for "
                f"{share(self.dis)} (DIS; of each record with --exposed)."
            )


def special_uniques(
    codes: Mapping[str, Ints32],
    domains: Mapping[str, int],
    size: Ints,
    most: int,
    fraction: float | None = None,
    tell: Callable[[float], None] = lambda done: None,
) -> SpecialUniques:
    """The minimal uniques of a table.

    Arguments:
        codes: of every quasi-identifier the value of each class, [G].
        domains: of every quasi-identifier how many values there are.
        size: records of each class, [G].
        most: the largest number of attributes of a set, from 1 to one less than there are.
        fraction: which share of a population the records are, if that is known.
        tell: gets the share that is done.

    Raises:
        DataError: ``most`` is out of its range.
    """
    names = tuple(codes)
    if not 1 <= most < len(names):
        last = len(names) - 1
        sizes = f"from 1 to {last}" if last > 1 else "1" if last == 1 else "none"
        raise DataError(
            "bad-setting",
            f"sets of special uniques leave a quasi-identifier out: of {len(names)} their size can "
            f"be {sizes}, not {most}",
            remedy="name another number, or more quasi-identifiers",
        )
    alone = np.flatnonzero(size == 1)
    score, fewest = np.zeros(len(size)), np.zeros(len(size), np.int64)
    through = dict.fromkeys(names, 0.0)
    sets = sum(math.comb(len(names), s) for s in range(1, most + 1))
    done = 0
    smaller: dict[tuple[str, ...], NDArray[np.uint8]] = {}
    for s in range(1, most + 1):
        worth = float(math.prod(len(names) - i for i in range(s, most + 1)))
        unique: dict[tuple[str, ...], NDArray[np.uint8]] = {}
        for own in combinations(names, s):
            found = _unique([codes[one] for one in own], [domains[one] for one in own], size)[alone]
            unique[own] = np.packbits(found)
            for part in combinations(own, s - 1):
                if part:
                    found &= ~np.unpackbits(smaller[part], count=len(alone)).astype(np.bool_)
            here = alone[found]
            score[here] += worth
            fewest[here] = np.where(fewest[here], fewest[here], s)
            for one in own:
                through[one] += worth * len(here)
            done += 1
            tell(done / sets)
        smaller = unique
    whole = float(score.sum()) or 1.0
    counted = np.bincount(fewest, minlength=most + 1)
    dis = None if fraction is None or not len(alone) else _dis(size, fraction)
    order = sorted(names, key=lambda name: -through[name])
    return SpecialUniques(
        most=most,
        records=int(counted[1:].sum()),
        by_size={s: int(counted[s]) for s in range(1, most + 1)},
        attributes={name: through[name] / whole for name in order},
        score=score,
        fewest=fewest,
        dis=dis,
        dis_of=None if dis is None else _dis_of_each(score, score.sum() / len(alone), dis),
    )


def _dis(size: Ints, fraction: float) -> float:
    """How likely a link to a unique record is right, on average; classes are of these sizes."""
    once, pairs = fraction * (size == 1).sum(), 2 * (1 - fraction) * (size == 2).sum()
    return float(once / (once + pairs)) if once + pairs else 0.0


def _dis_of_each(score: Floats, mean: float, dis: float) -> Floats:
    """The same for every class by its score."""
    odds = dis * score
    return np.divide(odds, odds + (1 - dis) * mean, out=np.zeros(len(score)), where=score > 0)


def _unique(columns: Sequence[Ints32], domains: Sequence[int], size: Ints) -> NDArray[np.bool_]:
    """Which classes hold a record that no other has the values of, in some columns, [G]."""
    number = numbers_of_combinations(columns, domains, size)
    found: NDArray[np.bool_] = np.bincount(number, size)[number] == 1
    return found
