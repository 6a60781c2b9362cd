"""The risk of records that are alone in a sample, by log-linear models of the population.

Estimates from class sizes alone take all unique records for alike. A log-linear model knows which
are surprising: of people as frequent as it expects, those with frequent values are likely shared by
others of the population, those with rare ones are not. With mu people expected in a class of the
sample, of whom a share pi of the population is in it, the class has

    f + Poisson(mu (1 - pi) / pi)

people in the population if f are in the sample. From that follow how likely a unique record is
unique there, and how likely a link is right. Models are fitted to the table: with attributes that
have nothing to do with each other, or with all associations of two.

    C. J. Skinner, N. Shlomo: "Assessing Identification Risk in Survey Microdata Using Log-Linear
    Models". Journal of the American Statistical Association 103, 2008; C. J. Skinner, D. J. Holmes:
    "Estimating the Re-identification Risk Per Record in Microdata". Journal of Official Statistics
    14(4), 1998. Fitting to margins: W. E. Deming, F. F. Stephan: "On a Least Squares Adjustment of
    a Sampled Frequency Table When the Expected Marginal Totals are Known", 1940.

A model that knows too little takes some frequent people for rare, one that knows too much believes
the sample. All of it holds for a random sample of the population only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import numpy as np

from indistinct.document import Grid, Line, Part, PlainData, share, shown
from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.types import Floats, Ints, Ints32

MOST_CELLS = 4_000_000
"""Combinations of values, at most, of which associations of two are fitted."""

SWEEPS = 500
"""Rounds through all margins, at most."""

NEAR = 1e-8
"""Share by which margins may be missed."""

MANY = 60
"""Records of a class from which on its size in the population is as good as its mean."""

MODELS: Mapping[int, str] = {1: "no associations", 2: "all associations of two attributes"}


@dataclass(frozen=True)
class LogLinear(PlainData):
    """What a log-linear model of the population expects.

    Arguments:
        interactions: attributes whose associations the model knows: 1 for none, 2 for all pairs.
        uniques: records that are unique in the population, as expected of those unique in the
            sample.
        matches: right links of all records, one guess each.
        risk: how likely a link of a record of each class is right, [G].
        sample_uniques: records that are unique in the sample.
    """

    interactions: int
    uniques: float
    matches: float
    sample_uniques: int
    risk: Floats = field(repr=False)

    def parts(self, records: int, units: str) -> Iterator[Part]:
        """What is expected of unique records, and of all."""
        yield Line(f"\nexpected by a log-linear model with {MODELS[self.interactions]}", "title")
        once, whole = max(self.sample_uniques, 1), max(records, 1)
        rows = [
            ("unique in the population", shown(round(self.uniques, 1)), share(self.uniques / once)),
            ("found by a link", shown(round(self.matches, 1)), share(self.matches / whole)),
        ]
        of = (f"of {self.sample_uniques:,} that are unique here", f"of {records:,}")
        grid = [(*row, text) for row, text in zip(rows, of, strict=True)]
        yield Grid(("", units, "share", ""), grid, right=(units, "share"))


def log_linear(
    codes: Mapping[str, Ints32],
    domains: Mapping[str, int],
    size: Ints,
    interactions: int,
    population: float | None,
) -> LogLinear:
    """What a log-linear model expects of the classes of a sample.

    Arguments:
        codes: the values of every class by attribute, from 0, each [G].
        domains: how many values each attribute has.
        size: records of every class, [G].
        interactions: 1 for a model without associations, 2 for all of two attributes.
        population: the number of people that the sample was drawn from.

    Raises:
        DataError: the population is not known or smaller than the sample, there is no such model,
            or too many combinations for associations of two.
    """
    if interactions not in MODELS:
        raise DataError(
            "bad-setting",
            f"a log-linear model knows associations of 1 or 2 attributes, not {interactions}",
            remedy="write 1 for none, 2 for all of two attributes",
        )
    if population is None:
        raise DataError(
            "no-population-size",
            "a log-linear model says how many of the population are like a record, and how many "
            "people it has is not known",
            remedy="name their number, or the share of them that is in the table, as population",
        )
    records = float(size.sum())
    if population < records:
        raise DataError(
            "small-population",
            f"a population of {population:,.0f} cannot hold a sample of {records:,.0f} records",
            remedy="give the number of people that the table was drawn from",
        )
    if interactions == 1:
        expected = _independent(codes, domains, size)
    else:
        expected = _of_pairs(codes, domains, size)
    fraction = records / population if population else 1.0
    others = expected * (1 - fraction) / fraction if fraction else expected
    risk = _inverse_size(size.astype(np.float64), others)
    once = size == 1
    return LogLinear(
        interactions,
        uniques=float(np.exp(-others[once]).sum()),
        matches=float((size * risk).sum()),
        sample_uniques=int(once.sum()),
        risk=risk,
    )


def _independent(codes: Mapping[str, Ints32], domains: Mapping[str, int], size: Ints) -> Floats:
    """The records expected in every class if attributes have nothing to do with each other, [G]."""
    records = size.sum()
    found = np.full(len(size), float(records))
    for name, own in codes.items():
        found *= np.bincount(own, size, domains[name])[own] / max(records, 1)
    return found


def _of_pairs(codes: Mapping[str, Ints32], domains: Mapping[str, int], size: Ints) -> Floats:
    """The records expected in every class if all associations are of two attributes, [G].

    Every combination of values is held, and fitted in turn to the counts of each two attributes.
    """
    shape = tuple(domains[name] for name in codes)
    if math.prod(shape) > MOST_CELLS:
        raise DataError(
            "too-many-combinations",
            f"these attributes have {math.prod(shape):,} combinations of values, and associations "
            f"are fitted of {MOST_CELLS:,} at most",
            remedy="name fewer quasi-identifiers, make values coarser, or write 1",
        )
    if len(shape) < 2:
        return size.astype(np.float64)
    counts = np.zeros(shape)
    np.add.at(counts, tuple(codes.values()), size)
    cells = np.full(shape, counts.sum() / max(counts.size, 1))
    pairs = list(combinations(range(len(shape)), 2))
    margins = {pair: counts.sum(axis=_others(pair, len(shape)), keepdims=True) for pair in pairs}
    for _ in range(SWEEPS):
        far = 0.0
        for pair in pairs:
            now = cells.sum(axis=_others(pair, len(shape)), keepdims=True)
            wanted = margins[pair]
            factor = np.divide(wanted, now, out=np.zeros_like(wanted), where=now > 0)
            far = max(far, float(np.abs(now - wanted).max()) / max(float(wanted.max()), 1.0))
            cells *= factor
        if far <= NEAR:
            break
    return cells[tuple(codes.values())]


def _others(pair: tuple[int, ...], number: int) -> tuple[int, ...]:
    return tuple(at for at in range(number) if at not in pair)


def _inverse_size(size: Floats, others: Floats) -> Floats:
    """The mean of 1 / (f + X), X drawn from a Poisson distribution with mean nu.

    It is the integral of t^(f - 1) exp(-nu (1 - t)) from 0 to 1, by Gauss and Legendre in pieces
    that are finer near 1, where the integrand is.

    Arguments:
        size: f, each 1 or more.
        others: nu, each 0 or more.

    >>> _inverse_size(np.array([1.0]), np.array([2.0])).round(6).tolist()
    [0.432332]
    """
    found = 1 / (size + others)
    few = np.flatnonzero(size <= MANY)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    ends = 1 - np.concatenate([[1.0], 2.0 ** -np.arange(1, 40), [0.0]])
    total = np.zeros(len(few))
    for low, high in pairwise(ends):
        half = (high - low) / 2
        for node, weight in zip(nodes, weights, strict=True):
            t = low + half * (node + 1)
            total += weight * half * t ** (size[few] - 1) * np.exp(-others[few] * (1 - t))
    found[few] = total
    return found
