"""How many people of the population are unique, estimated from a sample alone.

A person who is unique in the table need not be unique in the population. If the population's size
is known, the number of its uniques can be estimated from how many classes of each size the sample
has. Each estimate rests on a model of the population:

* ``zayatz``: classes of the population have the sizes that those of the sample have.
    L. Zayatz: "Estimation of the Number of Unique Population Elements Using a Sample". Proceedings
    of the Section on Survey Research Methods, American Statistical Association, 1991.
* ``pitman``: a random partition with two parameters, fitted by maximum likelihood.
    N. Hoshino: "Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment".
    Journal of Official Statistics 17(4), 2001.
* ``snb``: the size of a class less one is negative binomial ("slide negative binomial"), fitted to
  the classes of one and of two records; their number by Shlosser's method.
    G. Chen, S. Keller-McNulty: "Estimation of Identification Disclosure Risk in Microdata". Journal
    of Official Statistics 14(1), 1998.
    P. J. Haas, L. Stokes: "Estimating the Number of Classes in a Finite Population". Journal of the
    American Statistical Association 93, 1998 (the third of the Shlosser estimators there).
* ``dankar``: up to a tenth of the population Pitman's, beyond the smaller of SNB's and Zayatz's.
    F. K. Dankar, K. El Emam, A. Neisa, T. Roffey: "Estimating the Re-identification Risk of
    Clinical Data Sets". BMC Medical Informatics and Decision Making 12:66, 2012.

No estimate says who is unique, or anything about a table that is not a random sample of the
population, such as the patients of one hospital.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal

import numpy as np

from indistinct.errors import DataError
from indistinct.frozen import dataclass, field
from indistinct.types import Floats, Ints, Plain

Model = Literal["pitman", "snb", "zayatz"]
MODELS: tuple[Model, ...] = ("pitman", "snb", "zayatz")

SMALL_SAMPLE = 0.1
"""Up to this share of the population Dankar and others believe Pitman's estimate."""

_HALVINGS = 200
_LARGEST_CLASS = 20_000
"""Sizes of a class in the population that are looked at one by one; beyond, they count together."""

Distribution = tuple[Floats, float]
"""Probabilities of the sizes f, f + 1, ... of a class in the population, and of all beyond."""


@dataclass(frozen=True)
class SampleSizes:
    """How many classes of each size a sample has, and how large the population is.

    ``sizes`` [s] are the sizes that occur, rising, ``classes`` [s] how many classes have each.
    """

    sizes: Ints
    classes: Ints
    population: float

    def __post_init__(self) -> None:
        if not len(self.sizes):
            raise DataError("no-records", "there is no class to estimate from")
        if not self.population >= self.records:
            raise DataError(
                "small-population",
                f"a population of {self.population:,.0f} cannot hold a sample of "
                f"{self.records:,} records",
                remedy="give the number of people that the table was drawn from",
            )

    @classmethod
    def of(cls, class_sizes: Ints, population: float) -> SampleSizes:
        """Counted from the size of every class."""
        sizes, classes = np.unique(class_sizes[class_sizes > 0], return_counts=True)
        return cls(sizes.astype(np.int64), classes.astype(np.int64), float(population))

    @cached_property
    def records(self) -> int:
        """Number of records, n."""
        return int((self.sizes * self.classes).sum())

    @cached_property
    def count(self) -> int:
        """Number of classes."""
        return int(self.classes.sum())

    @property
    def fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.records / self.population

    def with_size(self, size: int) -> int:
        """How many classes have that size."""
        at = int(np.searchsorted(self.sizes, size))
        return int(self.classes[at]) if at < len(self.sizes) and self.sizes[at] == size else 0


@dataclass(frozen=True)
class Fit:
    """What one model says of the population.

    ``uniques`` is the estimated number of people who are unique in it, None where the model cannot
    be fitted (``why`` says so); ``parameters`` are those of the fitted model.
    """

    model: Model
    uniques: float | None
    parameters: Mapping[str, float] = field(default_factory=dict)
    why: str = ""
    _size_given: Callable[[int], Distribution] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def fitted(self) -> bool:
        """Whether :meth:`size_given` has something to say."""
        return self._size_given is not None

    def size_given(self, records: int) -> Distribution:
        """How large a class of so many records is in the population: a probability for each size.

        The first entry is that of a class which has no more people in the population than records
        in the sample; what is beyond some twenty thousand people stands in the second part.
        """
        if self._size_given is None:
            raise ValueError(f"the model '{self.model}' was not fitted")
        return self._size_given(records)


@dataclass(frozen=True)
class Uniqueness:
    """Estimates of population uniqueness by all models, and the one that Dankar's rule picks."""

    sample: SampleSizes
    fits: Mapping[Model, Fit]
    picked: Model
    why: str

    @property
    def best(self) -> Fit:
        """The fit that Dankar's rule picks."""
        return self.fits[self.picked]

    def to_dict(self) -> Plain:
        """The estimated numbers of people by model, None where a model could not be fitted."""
        return {
            **{name: fit.uniques for name, fit in self.fits.items()},
            "dankar": self.best.uniques,
            "picked": self.picked,
            "why": self.why,
            "size": self.sample.population,
            "fraction": self.sample.fraction,
            "shares": {
                name: None if fit.uniques is None else fit.uniques / self.sample.population
                for name, fit in (*self.fits.items(), ("dankar", self.best))
            },
        }


def estimate_uniqueness(class_sizes: Ints, population: float) -> Uniqueness:
    """Estimate how many people of a population are unique from the classes of a sample of it.

    Arguments:
        class_sizes: the number of records of every class.
        population: the number of people that the sample was drawn from.

    Raises:
        DataError: no class, or a population smaller than the sample.
    """
    sample = SampleSizes.of(class_sizes, population)
    fits: dict[Model, Fit] = {
        "pitman": pitman(sample),
        "snb": snb(sample),
        "zayatz": zayatz(sample),
    }
    picked, why = _pick(sample, fits)
    return Uniqueness(sample, fits, picked, why)


def _pick(sample: SampleSizes, fits: Mapping[Model, Fit]) -> tuple[Model, str]:
    """Dankar's rule, and what is done where it picks a model that could not be fitted."""
    share = f"{sample.fraction:.3g} of the population is in the sample"
    if sample.fraction <= SMALL_SAMPLE:
        if fits["pitman"].uniques is not None:
            return "pitman", f"{share}, not more than a tenth"
        return "zayatz", f"{share}; Pitman's model could not be fitted"
    snb_, zayatz_ = fits["snb"].uniques, fits["zayatz"].uniques
    assert zayatz_ is not None
    if snb_ is None:
        return "zayatz", f"{share}, more than a tenth; the model SNB could not be fitted"
    if snb_ <= zayatz_:
        return "snb", f"{share}, more than a tenth, and SNB's estimate is not above Zayatz's"
    return "zayatz", f"{share}, more than a tenth, and Zayatz's estimate is below SNB's"


def _plain(model: Model, once: int) -> Fit:
    """What every model says where the sample has no uniques, or is the population itself."""
    why = "the sample is the population" if once else "no record is unique in the sample"
    return Fit(model, float(once), why=why)


# Zayatz ----------------------------------------------------------------------------------------


def zayatz(sample: SampleSizes) -> Fit:
    """Zayatz' estimate: classes of the population have the sizes that those of the sample have.

    Of the classes of j people, as many appear with one record as the hypergeometric distribution
    says; the share of those with j = 1 among them is the share of the sample's uniques that are
    unique in the population.
    """
    once = sample.with_size(1)
    if not once or sample.fraction >= 1:
        return _plain("zayatz", once)
    seen = _seen_once(sample)[sample.sizes - 1]
    share = once * float(seen[0]) / math.fsum((sample.classes * seen).tolist())
    return Fit(
        "zayatz",
        once * share / sample.fraction,
        {"unique_given_sample_unique": share},
        _size_given=lambda f: _of_observed(sample, f),
    )


def _seen_once(sample: SampleSizes) -> Floats:
    """The probability that just one of 1, 2, ... people is among those drawn (hypergeometric).

    Of j people it is j n / N times the product over i < j - 1 of (N - n - i) / (N - 1 - i).
    """
    most = int(sample.sizes[-1])
    i = np.arange(most - 1, dtype=np.float64)
    left = sample.population - sample.records - i
    factors = np.where(left > 0, left, 0.0) / (sample.population - 1 - i)
    others = np.concatenate([[1.0], np.cumprod(factors)])
    found: Floats = np.arange(1, most + 1) * sample.fraction * others
    return found


def _of_observed(sample: SampleSizes, records: int) -> Distribution:
    """The size of a class if the population's classes are as large as those observed."""
    weights = np.zeros(int(sample.sizes[-1]), dtype=np.float64)
    weights[sample.sizes - 1] = sample.classes
    return _given(weights, sample.fraction, records)


def _given(weights: Floats, fraction: float, records: int) -> Distribution:
    """The size of a class of which some records were drawn, each person with the same probability.

    ``weights`` are the frequencies of the sizes 1, 2, ... among the population's classes.
    """
    sizes = np.arange(records, len(weights) + 1, dtype=np.float64)
    steps = sizes[1:] / (sizes[1:] - records) * (1 - fraction)
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(steps))]) + np.log(weights[records - 1 :])
    if not len(logs) or not np.isfinite(logs.max()):
        return np.ones(1), 0.0
    found = np.exp(logs - logs.max())
    return found / found.sum(), 0.0


# Pitman ----------------------------------------------------------------------------------------


def pitman(sample: SampleSizes) -> Fit:
    """Hoshino's estimate: Pitman's sampling formula, fitted by maximum likelihood.

    The likelihood is maximised over 0 <= alpha < 1 and theta > -alpha: for every alpha the theta at
    which its derivative is zero is found by halving, then so the alpha. Population uniques are
    expected to be Gamma(theta + 1) / Gamma(theta + alpha) N^alpha.
    """
    once, classes, records = sample.with_size(1), sample.count, sample.records
    if not once or sample.fraction >= 1:
        return _plain("pitman", once)
    if classes == records:
        return Fit("pitman", None, why="every record is unique in the sample")
    if classes == 1:
        return Fit("pitman", None, why="the sample has one class only")

    def theta_at(alpha: float) -> float:
        def slope(log_theta: float) -> float:
            theta = math.exp(log_theta) - alpha
            # Less the sum of 1 / (theta + i) for i from 1 to records - 1.
            of_ones = _digamma(theta + records) - _digamma(theta + 1)
            return _sum_of_steps(theta, alpha, classes) - of_ones

        return math.exp(_root(slope, -30.0, 60.0)) - alpha

    def slope_of_alpha(alpha: float) -> float:
        theta = theta_at(alpha)
        # The sum of i / (theta + i alpha) over all classes but the first.
        up = (classes - 1 - theta * _sum_of_steps(theta, alpha, classes)) / alpha
        down = math.fsum(
            int(number) * (_digamma(int(size) - alpha) - _digamma(1 - alpha))
            for size, number in zip(sample.sizes, sample.classes, strict=True)
            if size > 1
        )
        return up - down

    low, high = 1e-6, 1 - 1e-9
    if slope_of_alpha(low) <= 0:
        alpha = 0.0  # The likelihood falls from 0 on: Ewens' formula.
        theta = theta_at(low)
    else:
        alpha = _root(slope_of_alpha, low, high)
        theta = theta_at(alpha)
    if theta > 1e15:
        return Fit("pitman", None, why="the likelihood has no maximum")
    uniques = math.exp(
        math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(sample.population)
    )
    if not uniques <= sample.population:
        return Fit("pitman", None, why="more uniques than people would be expected")
    return Fit(
        "pitman",
        uniques,
        {"theta": theta, "alpha": alpha},
        _size_given=lambda f: _urn(theta, alpha, sample, f),
    )


def _sum_of_steps(theta: float, alpha: float, classes: int) -> float:
    """The sum of 1 / (theta + i alpha) for i from 1 to classes - 1."""
    return (_digamma(theta / alpha + classes) - _digamma(theta / alpha + 1)) / alpha


def _urn(theta: float, alpha: float, sample: SampleSizes, records: int) -> Distribution:
    """The size of a class in the population, if people go on to join classes as in the sample.

    The next person joins a class of f people with probability (f - alpha) / (n + theta), so that
    the number of those who join before all N are there is beta-binomial.
    """
    further = sample.population - sample.records
    own = records - alpha
    others = theta + sample.records - own
    most = int(min(_LARGEST_CLASS, further))
    x = np.arange(most, dtype=np.float64)
    steps = np.log((further - x) * (own + x) / ((x + 1) * (others + further - x - 1)))
    none = (
        math.lgamma(others + further)
        - math.lgamma(others)
        + math.lgamma(own + others)
        - math.lgamma(own + others + further)
    )
    found = np.exp(none + np.concatenate([[0.0], np.cumsum(steps)]))
    return found, max(0.0, 1 - float(found.sum()))


# SNB -------------------------------------------------------------------------------------------


def snb(sample: SampleSizes) -> Fit:
    """The estimate of Chen and Keller-McNulty: sizes of classes are slide negative binomial.

    With G(s) = s (beta / (1 - (1 - beta) s))^alpha, the generating function of a class's size, and
    K classes of which a share p is sampled, K p G'(1 - p) classes are expected to appear with one
    record and K p^2 G''(1 - p) / 2 with two. For each beta the alpha is found that explains the
    first number, among these the pair that explains the second. Unique are K beta^alpha people.
    """
    once, twice, p = sample.with_size(1), sample.with_size(2), sample.fraction
    if not once or p >= 1:
        return _plain("snb", once)
    if not twice:
        return Fit("snb", None, why="no class has two records")
    classes = shlosser(sample)
    ratio = once / (classes * p)

    def first(alpha: float, beta: float) -> float:
        d = (1 - p) * (1 - beta)
        return alpha * math.log(beta / (1 - d)) + math.log1p(alpha * d / (1 - d)) - math.log(ratio)

    def second(alpha: float, beta: float) -> float:
        q = 1 - beta
        d = (1 - p) * q
        expected = (
            math.log(classes * alpha * q * p * p / 2 * (2 - (1 - alpha) * d))
            + alpha * math.log(beta / (1 - d))
            - 2 * math.log(1 - d)
        )
        return expected - math.log(twice)

    found = _solve(first, second, p)
    if found is None:
        return Fit(
            "snb",
            None,
            {"classes": classes},
            why="no parameters explain how many classes have one record and two",
        )
    alpha, beta = found
    return Fit(
        "snb",
        classes * beta**alpha,
        {"classes": classes, "alpha": alpha, "beta": beta},
        _size_given=lambda f: _slid(alpha, beta, p, f),
    )


def shlosser(sample: SampleSizes) -> float:
    """The number of classes in the population (Haas and Stokes 1998, the third such estimator)."""
    q = sample.fraction
    i, f = sample.sizes.astype(np.float64), sample.classes.astype(np.float64)
    missed = np.power(1 - q, i)
    squared = float((i * q * q * np.power(1 - q * q, i - 1) * f).sum())
    both = float(((np.power(1 - q * q, i) - missed) * f).sum())
    lost = float((missed * f).sum())
    alone = float((i * q * np.power(1 - q, i - 1) * f).sum())
    if both <= 0 or alone <= 0:
        return float(sample.count)
    return sample.count + sample.with_size(1) * squared / both * (lost / alone) ** 2


def _solve(
    first: Callable[[float, float], float], second: Callable[[float, float], float], p: float
) -> tuple[float, float] | None:
    """The alpha and beta at which both are zero: along the curves where the first one is."""
    betas = (1 / (1 + np.exp(-np.linspace(math.log(p) - 25, 25, 400)))).tolist()
    reached = [first(_peak(beta, p), beta) >= 0 for beta in betas]
    # The two alphas of a beta meet where the first condition is only just reached.
    for at in np.flatnonzero(np.diff(reached)).tolist():
        out, inside = (at, at + 1) if reached[at + 1] else (at + 1, at)
        low, high = betas[out], betas[inside]
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if first(_peak(middle, p), middle) >= 0:
                high = middle
            else:
                low = middle
        betas.append(high)
    betas.sort()
    for branch in (0, 1):
        before: tuple[float, float] | None = None
        for beta in betas:
            alpha = _alpha_at(first, beta, p, branch)
            here = None if alpha is None else (beta, second(alpha, beta))
            if before is not None and here is not None and before[1] * here[1] <= 0:
                found = _meet(first, second, p, branch, before[0], beta)
                if found is not None:
                    return found
            before = here
    return None


def _meet(
    first: Callable[[float, float], float],
    second: Callable[[float, float], float],
    p: float,
    branch: int,
    low: float,
    high: float,
) -> tuple[float, float] | None:
    """Halve the range of beta until both conditions hold."""
    start = _alpha_at(first, low, p, branch)
    if start is None:
        return None
    sign = second(start, low) > 0
    alpha = start
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        between = _alpha_at(first, middle, p, branch)
        if between is None:
            return None
        alpha = between
        if (second(alpha, middle) > 0) == sign:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * high:
            break
    return (alpha, low) if abs(second(alpha, low)) < 1e-6 else None


def _alpha_at(
    first: Callable[[float, float], float], beta: float, p: float, branch: int
) -> float | None:
    """The alpha at which the first condition holds: before the peak of its curve, or behind it.

    As a function of alpha the condition is concave, so that it has at most two zeros.
    """
    peak = _peak(beta, p)
    if first(peak, beta) < 0 or (branch == 0 and (peak == 0 or first(0.0, beta) > 0)):
        return None
    if branch == 0:
        return _root(lambda alpha: first(alpha, beta), 0.0, peak)
    high = max(2 * peak, 1.0)
    while first(high, beta) > 0:
        high *= 2
        if high > 1e12:
            return None
    return _root(lambda alpha: first(alpha, beta), peak, high)


def _peak(beta: float, p: float) -> float:
    """The alpha at which the first condition is largest."""
    d = (1 - p) * (1 - beta)
    fall, rise = -math.log(beta / (1 - d)), d / (1 - d)
    return max(0.0, 1 / fall - 1 / rise) if fall > 0 and rise > 0 else 0.0


def _slid(alpha: float, beta: float, p: float, records: int) -> Distribution:
    """The size of a class of which some records were drawn, under the fitted model."""
    y = np.arange(_LARGEST_CLASS - 1, dtype=np.float64)
    steps = np.log((alpha + y) / (y + 1) * (1 - beta))
    logs = alpha * math.log(beta) + np.concatenate([[0.0], np.cumsum(steps)])
    return _given(np.exp(logs), p, records)


# Numbers ---------------------------------------------------------------------------------------


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes its sign once between two numbers does, by halving."""
    sign = function(low) > 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if (function(middle) > 0) == sign:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _digamma(x: float) -> float:
    """The derivative of the logarithm of Gamma, for x above 0.

    The recurrence lifts x above 10, where six terms of the asymptotic series are exact to machine
    precision (Abramowitz and Stegun, 6.3.5 and 6.3.18).

    >>> abs(_digamma(1.0) + 0.5772156649015329) < 1e-14
    True
    """
    lifted = 0.0
    while x < 12:
        lifted -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (
        1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760))))
    )
    return lifted + math.log(x) - 0.5 / x - series
