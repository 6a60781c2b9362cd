"""Proximity: is somebody's number, or date, roughly known, whatever its last digits are?

Promises that count values, or bound the share of one, take 50,000 and 50,001 for two. Whoever finds
a class of five different incomes near 50,000 knows the income all the same: a proximity breach. The
belief in a person's truth is the share of the values of the person's classes that are near it: no
further from it than 5 % of the range of nine tenths of all values.

Of values with noise, and of shifted dates, the published y is x + e, with a known distribution of
e. The belief is the mean over the rows that fit of how likely y - e is near the truth, of all x
alike beforehand. Noise that is small beside what counts as near hides nothing.

    J. Li, Y. Tao, X. Xiao: "Preservation of Proximity Privacy in Publishing Numerical Sensitive
    Data". SIGMOD, 2008.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import SURE, AttackContext, Perturbed
from indistinct.analytics.attacks.finding import Finding, Skipped, of_people, summarize
from indistinct.analytics.attacks.remedies import Remedy, without
from indistinct.analytics.weighted import expanded
from indistinct.document import shown
from indistinct.frozen import dataclass
from indistinct.types import Floats, Ints, Ints32

NAME = "proximity"
KIND = "attribute"
PLACE = 65
KNOWLEDGE = "the exact quasi-identifiers of a person, and that near values are much the same"
SOURCE = "Li, Tao and Xiao (2008)"
LEARNS = "roughly the {}"
MOVED = True
"""It is tried on values that were moved at random, too."""

NEAR = 0.05
"""Values are near that are no further apart than this share of the range of most."""

MOST = 0.9
"""The share of all values whose range that is: those in the middle."""

TOGETHER = 1 << 16
"""People who are looked at at once."""

DRAWS = 20
"""Quantiles of the noise that stand for it."""

SLACK = 1e-9


def REMEDY(context: AttackContext, sensitive: str | None) -> Remedy:  # noqa: N802
    """Shares of near values in a class that are near those of the table; of moved ones, none."""
    assert sensitive is not None
    if sensitive in context.perturbed:
        return without(sensitive)
    promise = {"model": "t-closeness", "sensitive": sensitive, "t": 0.2, "distance": "ordered"}
    text = f"keep classes from having values of '{sensitive}' that are near one another"
    return Remedy(text, {"promises": [promise]})


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Believe in what is near the truth as much of the person's classes is."""
    if not context.one_record_each:
        return Skipped(NAME, "it attacks tables in which every record is a person", sensitive)
    moved = context.perturbed.get(sensitive)
    read = _plain(context, sensitive) if moved is None else _moved(moved, context.bucket_of)
    if read is None or sensitive in context.codes:
        return Skipped(NAME, f"the values of {sensitive} are no numbers or dates", sensitive)
    truth, rows = read
    known = ~np.isnan(truth)
    far = _reach(truth[known])
    if moved is None and not _some_near(np.unique(rows[1]), far):
        return Skipped(NAME, f"no two values of {sensitive} are near each other", sensitive)
    size, sets = context.rows_of_people, context.places.candidate_sets
    spread = np.zeros(len(truth)) if moved is None else moved.spread
    drawn = np.zeros(1) if moved is None else _errors(moved.kind)
    inside, everywhere = _Listed.of(*rows), _Listed.of(np.zeros(len(rows[0]), np.int64), *rows[1:])
    before, belief = np.zeros(len(truth)), np.zeros(len(truth))
    for first in range(0, len(truth), TOGETHER):
        some = slice(first, min(first + TOGETHER, len(truth)))
        centres = truth[some] + drawn[:, None] * spread[some]
        before[some] = everywhere.near(np.zeros(centres.shape[1], np.int64), centres, far)
        of, at = expanded(sets, context.set_of[some])
        near = inside.near(sets.index[at].astype(np.int64), centres[:, of], far)
        whole = np.bincount(of, size[sets.index[at]], minlength=centres.shape[1])
        belief[some] = np.bincount(of, near, minlength=len(whole)) / np.maximum(whole, 1)
    before /= max(int(size.sum()), 1)
    belief = np.where(context.found & known, np.minimum(belief, 1.0), before)
    sure = context.found & (belief >= 1 - SURE) & (moved is None)
    about = sensitive if moved is None else None
    told = summarize(context, about, belief, before, sure, figures={"near": far})
    note = (
        f"The {sensitive} is known with 95% or more, but for {shown(far)}, of "
        f"{of_people(told.success['0.95'])}."
    )
    return replace(told, sensitive=sensitive, note=f"{note} {told.note}".rstrip())


Entries = tuple[Ints, Floats, Ints]
"""The class of published values, the values, and how often each is there."""


def _plain(context: AttackContext, sensitive: str) -> tuple[Floats, Entries] | None:
    """Everybody's number, NaN without one, and what classes list; None of other values."""
    labels, values = context.labels(sensitive), context.covering(sensitive).values
    about = context.known.get(sensitive)
    if about is not None and (about.categories or about.chains or about.ranks):
        return None
    texts = pl.Series([*labels, *values], dtype=pl.String)
    numbers = texts.cast(pl.Float64, strict=False)
    days = texts.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).to_physical()
    read = [one for one in (numbers, days) if one.null_count() == texts.null_count()]
    if not read:
        return None
    scale = read[0].cast(pl.Float64).fill_null(np.nan).to_numpy()
    own, held = context.own_values(sensitive), context.spread(sensitive).held
    truth = np.full(len(own), np.nan)
    truth[own.row_of] = scale[len(labels) + own.index]
    value = scale[held.index]
    there = ~np.isnan(value)
    return truth, (held.row_of[there], value[there], held.amount[there].astype(np.int64))


def _moved(moved: Perturbed, bucket_of: Ints32) -> tuple[Floats, Entries]:
    """The same of values that were moved; their classes show them record by record."""
    there = ~np.isnan(moved.shown)
    value = moved.shown[there]
    return moved.own, (bucket_of[there].astype(np.int64), value, np.ones(len(value), np.int64))


def _reach(truth: Floats) -> float:
    """How far apart values are that are near."""
    ends = np.quantile(truth, [(1 - MOST) / 2, (1 + MOST) / 2]) if len(truth) else np.zeros(2)
    return NEAR * float(ends[1] - ends[0])


def _some_near(values: Floats, far: float) -> bool:
    """Whether different values, which rise, are near."""
    return bool((np.diff(values) <= far).any())


def _errors(kind: str) -> Floats:
    """What values may have been moved by, of a spread of 1, all as likely, [draws]."""
    part = (np.arange(DRAWS) + 0.5) / DRAWS
    if kind == "uniform":
        return 2 * part - 1
    if kind == "laplace":
        drawn: Floats = np.sign(part - 0.5) * -np.log(1 - 2 * np.abs(part - 0.5))
        return drawn
    return np.array([NormalDist().inv_cdf(one) for one in part.tolist()])


@dataclass(frozen=True)
class _Listed:
    """What classes list, in order.

    Arguments:
        values: the different values, which rise.
        key: of every class and value that it lists a number, which rises.
        summed: how often all before it are listed, and all together.
    """

    values: Floats
    key: Ints
    summed: Ints

    @classmethod
    def of(cls, row: Ints, value: Floats, times: Ints) -> _Listed:
        """The entries in any order.

        Arguments:
            row: the class of every entry, [entries].
            value: the value that it lists, [entries].
            times: how often, [entries].
        """
        values, place = np.unique(value, return_inverse=True)
        key = row * (len(values) + 1) + place
        order = np.argsort(key, kind="stable")
        return cls(values, key[order], np.append(0, np.cumsum(times[order])))

    def near(self, wanted: Ints, centres: Floats, far: float) -> Floats:
        """How many of a class are near the centres, on average over these, [asked].

        Arguments:
            wanted: the class that is asked about, [asked].
            centres: what values should be near, [centres, asked]; NaN where nothing is.
            far: how far apart near values are.
        """
        # What is asked in order is found sooner.
        asked = np.lexsort((centres[0], wanted))
        first, found = wanted[asked] * (len(self.values) + 1), np.zeros(len(wanted))
        for centre in centres[:, asked]:
            ends = centre + np.array([[-far], [far]]) * (1 + SLACK)
            low = first + np.searchsorted(self.values, ends[0], side="left")
            high = first + np.searchsorted(self.values, ends[1], side="right")
            inside = self.summed[np.searchsorted(self.key, high)]
            inside -= self.summed[np.searchsorted(self.key, low)]
            found[asked] += np.where(np.isnan(centre), 0, inside)
        return found / len(centres)
