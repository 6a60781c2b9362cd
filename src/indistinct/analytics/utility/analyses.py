"""Will an analysis still hold? The same one on the table and on a release, estimates side by side.

Generalized cells are read as a sensible analyst would: a range of numbers as its midpoint, ``<8``
and ``>=8`` as the bound, a set of numbers as its mean, another cell and codes as categories, a set
of these as equal parts of each; ``*`` is missing. Of two linked tables everybody is read with each
value that the bucket lists, weighted by how likely it is: weights count as people. The overlap of
two confidence intervals is that of Karr, Kohnen, Oganian, Reiter and Sanil (2006): the share of
each interval that lies in the other, on average; 0 where they do not meet or the release has no
such estimate.
"""

from __future__ import annotations

import importlib.util
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.document import Document, Grid, Line, Part, PlainData, brief, many, share, shown
from indistinct.errors import InputError
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cell_categories import read_categories, values_in
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints, Plain

KINDS = (
    "table",
    "linear",
    "logistic",
    "poisson",
    "cox",
    "kaplan-meier",
    "classifier",
    "regressor",
)
"""What can be asked of a table and its release."""

SIGNIFICANT = 0.05
MOST_LEVELS = 30
"""Categories of a predictor, or groups of a table, that an analysis may have."""

FOLDS = 5
MOST_RECORDS = 50_000
"""Records that a classifier or a regressor is trained and tried on, at most."""

PERSON, WEIGHT = "\0person", "\0weight"
"""Columns of a release whose people have several rows, each with the chance that it is theirs."""

_Z = 1.959963984540054
_STEPS = 50
_TINY = 1e-10
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"^[\[(]?\s*({_NUMBER})\s*(?:,|to|–|-)\s*({_NUMBER})\s*[\])]?$")
_BOUND = re.compile(rf"^(?:<=?|>=?|≤|≥)\s*({_NUMBER})$")


@dataclass(frozen=True)
class Question:
    """An analysis that somebody wants to make.

    Arguments:
        kind: one of :data:`KINDS`.
        outcome: what is explained, counted or predicted; of survival the time.
        by: the columns whose values make the groups of a table or a curve.
        predictors: the columns that explain it.
        event: of survival the column that says whether the event was seen.
        positive: the value of a two-valued outcome, or event, that counts; without, the last.
        weight: the column of sampling weights.
        min_overlap: the least overlap of confidence intervals, on average, that is asked for.
        name: what it is called.
        categories: the columns whose numbers are codes of categories.
    """

    kind: str
    outcome: str | None = None
    by: tuple[str, ...] = ()
    predictors: tuple[str, ...] = ()
    event: str | None = None
    positive: str | None = None
    weight: str | None = None
    min_overlap: float | None = None
    name: str = ""
    categories: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        named = (self.outcome, self.event, self.weight, *self.by, *self.predictors)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def title(self) -> str:
        """What it is called, or what it does."""
        what = f" of {self.outcome}" if self.outcome else ""
        by = [*self.by, *self.predictors]
        return self.name or f"{self.kind}{what}" + (f" by {', '.join(by)}" if by else "")


@dataclass(frozen=True)
class Figure(PlainData):
    """An estimate with its confidence interval of 95 %, and the p of its test where it has one."""

    estimate: float
    low: float
    high: float
    p: float | None = None


@dataclass(frozen=True)
class Estimate:
    """One estimate on the table and on the release; None where there is none.

    Arguments:
        term: what is estimated.
        original: on the table.
        release: on the release.
    """

    term: str
    original: Figure | None
    release: Figure | None

    @property
    def overlap(self) -> float:
        """How far the two confidence intervals overlap, 0 to 1."""
        one, other = self.original, self.release
        if one is None or other is None:
            return 0.0
        shared = min(one.high, other.high) - max(one.low, other.low)
        if shared < 0:
            return 0.0
        widths = one.high - one.low, other.high - other.low
        if min(widths) <= 0:
            return 1.0 if one.estimate == other.estimate else 0.0
        return float(sum(shared / width for width in widths) / 2)

    @property
    def difference(self) -> float | None:
        """How many standard errors of the table's estimate lie between the two."""
        one, other = self.original, self.release
        if one is None or other is None or one.high <= one.low:
            return None
        return (other.estimate - one.estimate) / ((one.high - one.low) / (2 * _Z))

    def changed(self, what: str) -> bool | None:
        """Whether ``sign`` or ``significance`` differ; None where that is not known."""
        one, other = self.original, self.release
        if one is None or other is None or one.p is None or other.p is None:
            return None
        if what == "sign":
            return bool(one.estimate * other.estimate < 0)
        return bool((one.p < SIGNIFICANT) != (other.p < SIGNIFICANT))

    def to_dict(self) -> Plain:
        """The estimate as plain data."""
        return {
            "term": self.term,
            "original": None if self.original is None else self.original.to_dict(),
            "release": None if self.release is None else self.release.to_dict(),
            "overlap": self.overlap,
            "standardized_difference": self.difference,
            "sign_changed": self.changed("sign"),
            "significance_changed": self.changed("significance"),
        }


@dataclass(frozen=True)
class Answer(PlainData):
    """An analysis on the table and on a release.

    Arguments:
        question: what was asked.
        estimates: side by side.
        records: records that could be used, of the table and of the release.
        figures: of classifiers and regressors further figures, of both and of a zero-rule baseline.
        why: why there is nothing to compare, where there is not.
    """

    told_keys: ClassVar = (
        "name=question.title kind=question.kind outcome=question.outcome records=_records "
        "estimates overlap min_overlap=question.min_overlap kept figures? why?"
    )

    question: Question
    estimates: tuple[Estimate, ...] = ()
    records: tuple[int, int] = (0, 0)
    figures: Plain | None = None
    why: str | None = None

    @property
    def overlap(self) -> float | None:
        """The mean overlap of the confidence intervals; None without an estimate."""
        if not self.estimates:
            return None
        return float(np.mean([item.overlap for item in self.estimates]))

    @property
    def kept(self) -> bool | None:
        """Whether the overlap is what was asked for; None where nothing was."""
        if self.question.min_overlap is None:
            return None
        return self.overlap is not None and self.overlap >= self.question.min_overlap

    @property
    def _records(self) -> Plain:
        return dict(zip(("original", "release"), self.records, strict=True))


@dataclass(frozen=True)
class Analyses(PlainData, Document):
    """Analyses on the table and on a release, side by side.

    Arguments:
        answers: one for each.
    """

    answers: tuple[Answer, ...] = field(metadata={"as": "analyses"})

    def parts(self) -> Iterator[Part]:
        """Every analysis with its estimates."""
        for item in self.answers:
            yield from answer_parts(item)


def answer_parts(item: Answer) -> Iterator[Part]:
    """One analysis in lines and a table."""
    yield Line(f"\n{item.question.title}", "title")
    if item.why is not None:
        yield Line(item.why, "doubt")
        return
    before, after = item.records
    usable = f"{many(before, 'record', 'records')} of the table, {shown(after)} of the release"
    overlap = (
        "" if item.overlap is None else f"; confidence intervals overlap by {share(item.overlap)}"
    )
    style = {True: "good", False: "bad", None: "text"}[item.kept]
    asked = "" if item.question.min_overlap is None else f" ({item.question.min_overlap:.0%} asked)"
    yield Line(f"{usable}{overlap}{asked}", style)  # type: ignore[arg-type]
    rows = [
        (
            one.term,
            _told(one.original),
            _told(one.release),
            share(one.overlap),
            _change(one),
        )
        for one in item.estimates
    ]
    head = ("estimate", "table", "release", "overlap", "")
    if rows:
        yield Grid(head, rows, right=("table", "release", "overlap"))


def _told(figure: Figure | None) -> str:
    if figure is None:
        return "none"
    return f"{brief(figure.estimate)} [{brief(figure.low)}, {brief(figure.high)}]"


def _change(item: Estimate) -> str:
    found = [what for what in ("sign", "significance") if item.changed(what)]
    return f"other {' and '.join(found)}" if found else ""


# Reading ---------------------------------------------------------------------------------------


def number_of(cell: str) -> float | None:
    """The number that an analyst reads in a cell; None where it is none.

    >>> number_of("31"), number_of("[20, 40)"), number_of("<8"), number_of("{1, 2}")
    (31.0, 30.0, 8.0, 1.5)
    >>> number_of("20-30"), number_of("asthma") is None
    (25.0, True)
    """
    if re.fullmatch(_NUMBER, cell):
        return float(cell)
    if (found := _RANGE.match(cell)) is not None:
        return (float(found[1]) + float(found[2])) / 2
    if (found := _BOUND.match(cell)) is not None:
        return float(found[1])
    if cell.startswith("{") and cell.endswith("}"):
        parts = [number_of(part.strip()) for part in cell[1:-1].split(",")]
        if parts and None not in parts:
            return float(np.mean([part for part in parts if part is not None]))
    return None


def is_numeric(column: pl.Series) -> bool:
    """Whether all values of a column of the table are numbers, and more than two of them."""
    values = column.drop_nulls().unique()
    numbers = values.cast(pl.Float64, strict=False)
    return values.len() > 2 and numbers.null_count() == 0 and bool(numbers.is_finite().all())


def _numbers(column: pl.Series) -> Floats:
    texts = column.unique().drop_nulls().to_list()
    read = {text: number_of(text) for text in texts}
    found = column.replace_strict(read, default=None, return_dtype=pl.Float64)
    return found.to_numpy().astype(np.float64)


def _labels(column: pl.Series) -> NDArray[np.object_]:
    found = column.set(column == SUPPRESSED, None)
    return np.array(found.to_list(), dtype=object)


@dataclass(frozen=True)
class _Side:
    """What an analysis sees of the table or of the release.

    Arguments:
        outcome: numbers, nan where missing; of classes 1 where positive.
        event: 1 where the event was seen; of survival.
        design: a column of numbers for each term, nan where missing.
        terms: the names of these columns.
        groups: the group of each record; None where missing.
        person: whose each record is.
        weight: how much it counts: how likely it is that person's, and its sampling weight.
        chance: how likely it is that person's.
    """

    outcome: Floats
    event: Floats
    design: Floats
    terms: tuple[str, ...]
    groups: NDArray[np.object_]
    person: Ints
    weight: Floats
    chance: Floats

    @property
    def records(self) -> float:
        """How many records these are; of weighted ones, how many are expected."""
        return float(self.weight.sum())

    @property
    def several(self) -> bool:
        """Whether somebody has several records."""
        return len(np.unique(self.person)) < len(self.person)

    def complete(self) -> _Side:
        """The records that lack nothing."""
        there = ~np.isnan(self.outcome) & ~np.isnan(self.event) & (self.weight > 0)
        there &= ~np.isnan(self.design).any(axis=1)
        there &= np.array([group is not None for group in self.groups], dtype=np.bool_)
        design = self.design[there]
        varied = np.ones(len(self.terms), np.bool_) if not len(design) else np.ptp(design, 0) > 0
        terms = tuple(name for name, kept in zip(self.terms, varied, strict=True) if kept)
        weight = self.weight[there]
        if len(weight):  # so many records in all, whatever the weights add up to
            weight = weight * (self.chance[there].sum() / weight.sum())
        return _Side(
            self.outcome[there],
            self.event[there],
            design[:, varied],
            terms,
            self.groups[there],
            self.person[there],
            weight,
            self.chance[there],
        )


def _sides(question: Question, table: pl.DataFrame, release: pl.DataFrame) -> tuple[_Side, _Side]:
    """Both sides, with the same reading of every column, the table's."""
    numeric = {
        name: name not in question.categories and is_numeric(table[name])
        for name in question.columns
    }
    frames = table, _apart(release, table, _grouping(question, numeric))
    classed = question.kind in {"logistic", "classifier"}
    positive = _positive(question, table)
    reference = {
        name: _reference(table[name], release[name])
        for name in question.predictors
        if not numeric[name]
    }
    made = []
    for frame in frames:
        full = np.zeros(frame.height)
        outcome = full
        if question.outcome is not None and question.kind != "table":
            column = frame[question.outcome]
            outcome = (
                _classes(column, table[question.outcome], positive) if classed else _numbers(column)
            )
        elif question.outcome is not None and numeric[question.outcome]:
            outcome = _numbers(frame[question.outcome])
        event = full + 1
        if question.event is not None:
            event = _classes(frame[question.event], table[question.event], positive)
        parts: list[Floats] = []
        terms: list[str] = []
        for name in question.predictors:
            if numeric[name]:
                parts.append(_numbers(frame[name]))
                terms.append(name)
                continue
            own = table[name].drop_nulls().unique().to_list()
            shares = _shares(frame[name], own, reference[name])
            parts += shares.values()
            terms += [f"{name} = {label}" for label in shares]
        design = np.column_stack(parts) if parts else np.zeros((frame.height, 0))
        groups = _groups(question, frame, numeric)
        person, weight = np.arange(frame.height), full + 1
        if WEIGHT in frame.columns:
            person, weight = frame[PERSON].to_numpy(), frame[WEIGHT].to_numpy()
        chance = weight
        if question.weight is not None:
            weight = weight * _numbers(frame[question.weight])
        made.append(_Side(outcome, event, design, tuple(terms), groups, person, weight, chance))
    return made[0].complete(), made[1].complete()


def _shares(column: pl.Series, own: Sequence[str], reference: str | None) -> dict[str, Floats]:
    """Of categories but the reference how far each record is in them; of those alike, together."""
    alike: dict[bytes, list[str]] = {}
    read = read_categories(column, own)
    for name in read.columns:
        if name != reference:
            alike.setdefault(read[name].to_numpy().tobytes(), []).append(name)
    return {
        names[0] if len(names) == 1 else f"{{{', '.join(names)}}}": np.asarray(
            read.select(pl.sum_horizontal(names, ignore_nulls=False)).to_series().to_numpy(),
            np.float64,
        )
        for names in alike.values()
    }


def _grouping(question: Question, numeric: Mapping[str, bool]) -> list[str]:
    """The columns whose values make the groups."""
    by = list(question.by)
    if question.kind == "table" and question.outcome is not None and not numeric[question.outcome]:
        by.append(question.outcome)
    return by


def _apart(release: pl.DataFrame, table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The release with a row for every value of a set in these columns, which share its weight."""
    for name in names:
        known = {*table[name].drop_nulls()}
        cells = release[name].unique().drop_nulls()
        listed = {cell: [*values_in(cell, known)] for cell in cells}
        if all(len(values) == 1 for values in listed.values()):
            continue
        if WEIGHT not in release.columns:
            rows = pl.int_range(pl.len())
            release = release.with_columns(rows.alias(PERSON), pl.lit(1.0).alias(WEIGHT))
        values = pl.Series(name, [listed.get(cell, [cell]) for cell in release[name]])
        share = pl.col(WEIGHT) / values.list.len()
        release = release.with_columns(values, share.alias(WEIGHT)).explode(name)
    return release


def _groups(
    question: Question, frame: pl.DataFrame, numeric: Mapping[str, bool]
) -> NDArray[np.object_]:
    by = _grouping(question, numeric)
    groups = np.full(frame.height, "all", dtype=object)
    if by:
        columns = [_labels(frame[name]) for name in by]
        groups[:] = [
            None if None in cells else ", ".join(map(str, cells))
            for cells in zip(*columns, strict=True)
        ]
    return groups


def _positive(question: Question, table: pl.DataFrame) -> str | None:
    name = question.event or question.outcome
    if name is None or question.positive is not None:
        return question.positive
    values = sorted(table[name].drop_nulls().unique().to_list())
    return values[-1] if values else None


def _classes(column: pl.Series, own: pl.Series, positive: str | None) -> Floats:
    """1 for the value that counts, 0 for others of the table, nan for generalized cells."""
    known = set(own.drop_nulls().unique().to_list())
    return np.array(
        [float(cell == positive) if cell in known else np.nan for cell in column.to_list()]
    )


def _reference(own: pl.Series, other: pl.Series) -> str | None:
    """The most frequent category of the table that the release has too."""
    there = set(other.drop_nulls().unique().to_list())
    counted = (
        own.drop_nulls()
        .value_counts(sort=True, name="n")
        .sort("n", own.name, descending=[True, False])
    )
    values: list[str] = counted[own.name].to_list()
    return next((value for value in values if value in there), values[0] if values else None)


# Models ----------------------------------------------------------------------------------------


def _fitted(side: _Side, kind: str) -> dict[str, Figure]:
    """The coefficients of a regression, by term."""
    import statsmodels.api as sm

    with_ones = sm.add_constant(side.design, prepend=True, has_constant="add")
    if kind == "linear":
        asked = sm.WLS(side.outcome, with_ones, weights=side.weight)
        # Weights are people: a person with two possible values is no two people.
        asked.df_resid = side.records - with_ones.shape[1]
        model = asked.fit()
    elif kind == "cox":
        model = sm.PHReg(side.outcome, side.design, status=side.event, ties="efron").fit(disp=0)
    else:
        family = sm.families.Binomial() if kind == "logistic" else sm.families.Poisson()
        model = sm.GLM(side.outcome, with_ones, family=family, freq_weights=side.weight).fit(
            tol=_TINY, tol_criterion="params"
        )
    terms = side.terms if kind == "cox" else ("(intercept)", *side.terms)
    bounds = np.asarray(model.conf_int())
    return {
        term: Figure(float(value), float(low), float(high), float(p))
        for term, value, (low, high), p in zip(
            terms, model.params, bounds, model.pvalues, strict=True
        )
    }


def _weighted_cox(side: _Side) -> dict[str, Figure]:
    """Log hazard ratios of weighted records, by Newton's steps; ties as by Breslow (1974)."""
    order = np.argsort(-side.outcome, kind="stable")
    x = side.design[order] - np.average(side.design, axis=0, weights=side.weight)
    weight, died = side.weight[order], (side.weight * side.event)[order]
    falling = -side.outcome[order]
    first, last = (np.searchsorted(falling, falling, side) for side in ("left", "right"))
    beta = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        risk = weight * np.exp(x @ beta)
        whole = np.cumsum(risk)[last - 1]
        mean = np.cumsum(risk[:, None] * x, axis=0)[last - 1] / whole[:, None]
        hazard = np.cumsum((died / whole)[::-1])[::-1][first]
        information = (x * (risk * hazard)[:, None]).T @ x - (mean * died[:, None]).T @ mean
        step = np.linalg.solve(information, (x - mean).T @ died)
        beta = beta + step
        if np.abs(step).max(initial=0) < _TINY:
            break
    else:
        raise ArithmeticError("no convergence")
    error = np.sqrt(np.diag(np.linalg.inv(information)))
    return {
        term: Figure(
            float(value),
            float(value - _Z * spread),
            float(value + _Z * spread),
            math.erfc(abs(value) / spread / math.sqrt(2)),
        )
        for term, value, spread in zip(side.terms, beta, error, strict=True)
    }


def _table(side: _Side, question: Question) -> dict[str, Figure]:
    """Means of a number by group, or the share of each group."""
    means = bool(question.outcome) and bool(side.outcome.any())
    total, found = side.records, {}
    for group in sorted(set(side.groups)):
        there = side.groups == group
        own, weight = side.outcome[there], side.weight[there]
        count = float(weight.sum())
        if means:
            value = float(np.average(own, weights=weight))
            spread = float(weight @ (own - value) ** 2)
            error = math.sqrt(spread / (count - 1) / count) if count > 1 else 0.0
            name = f"mean of {question.outcome}, {group}"
        else:
            value = count / total
            error = math.sqrt(value * (1 - value) / total)
            name = f"share of {group}"
        found[name] = Figure(value, value - _Z * error, value + _Z * error)
    return found


def _survival(side: _Side, times: Floats) -> dict[str, Figure]:
    """The share of each group without the event at some times, by Kaplan and Meier."""
    found = {}
    for group in sorted(set(side.groups)):
        own = side.groups == group
        outcome, weight = side.outcome[own], side.weight[own]
        ends, at_end = np.unique(outcome, return_inverse=True)
        died = np.bincount(at_end, weight * side.event[own], len(ends))
        there = np.cumsum(np.bincount(at_end, weight, len(ends))[::-1])[::-1]
        left = np.maximum(there - died, 0)
        for time in times:
            past = (ends <= time) & (died > 0)
            value = float(np.prod(left[past] / there[past]))
            lost = past & (left > 0)
            error = value * math.sqrt(float((died[lost] / (there[lost] * left[lost])).sum()))
            name = f"without it at {time:g}" + ("" if group == "all" else f", {group}")
            found[name] = Figure(value, value - _Z * error, value + _Z * error)
    return found


def _predicted(side: _Side, *, classes: bool) -> tuple[Figure, Plain]:
    """How well held-out records are predicted, in five folds: AUC, or the share explained."""
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.model_selection import KFold, PredefinedSplit, StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    person = np.unique(side.person, return_inverse=True)[1]
    place = np.argsort(simulation(0).permutation(int(person.max()) + 1))[person]
    order = np.argsort(place, kind="stable")[:MOST_RECORDS]
    x, y, weight = side.design[order], side.outcome[order], side.weight[order]
    n = float(weight.sum())
    folds = StratifiedKFold(FOLDS) if classes else KFold(FOLDS)
    if side.several:
        # Nobody is learnt from and predicted at once.
        folds = PredefinedSplit(place[order] % FOLDS)
    last = LogisticRegression(max_iter=1000) if classes else LinearRegression()
    guess = cross_val_predict(
        make_pipeline(StandardScaler(), last),
        x,
        y,
        cv=folds,
        method="predict_proba" if classes else "predict",
        params={
            f"{type(last).__name__.lower()}__sample_weight": weight,
            "standardscaler__sample_weight": weight,
        },
    )
    if not classes:
        missed = weight @ (y - guess) ** 2
        explained = float(1 - missed / (weight @ (y - np.average(y, weights=weight)) ** 2))
        r2, k = min(max(explained, 0.0), 1.0), x.shape[1]
        error = np.sqrt(4 * r2 * (1 - r2) ** 2 * (n - k - 1) ** 2 / ((n**2 - 1) * (n + 3)))
        return Figure(explained, explained - _Z * error, explained + _Z * error), {"baseline": 0.0}
    score = guess[:, 1]
    auc, roc = _roc(score, y > 0.5, weight)
    ones = float(weight @ y)
    zeros = n - ones
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (ones - 1) * (q1 - auc**2) + (zeros - 1) * (q2 - auc**2)
    error = np.sqrt(max(spread, 0.0) / (ones * zeros))
    right = float(np.average((score > 0.5) == (y > 0.5), weights=weight))
    figures = {"accuracy": right, "zero_rule": max(ones, zeros) / n, "baseline": 0.5, "roc": roc}
    return Figure(auc, auc - _Z * error, auc + _Z * error), figures


def _roc(score: Floats, positive: Bools, weight: Floats) -> tuple[float, list[list[float]]]:
    """The area under the curve (ties count half), and its points at steps of a tenth."""
    from sklearn.metrics import roc_auc_score, roc_curve

    wrong, right, _ = roc_curve(positive, score, sample_weight=weight)
    steps = np.linspace(0, 1, 11)
    points = [
        [float(x), float(y)] for x, y in zip(steps, np.interp(steps, wrong, right), strict=True)
    ]
    return float(roc_auc_score(positive, score, sample_weight=weight)), points


# Side by side ----------------------------------------------------------------------------------


def analyse(
    questions: Sequence[Question],
    table: pl.DataFrame,
    release: pl.DataFrame,
    tell: Callable[[str, float | None], None] | None = None,
) -> Analyses:
    """Make analyses on a table and on its release.

    Arguments:
        questions: the analyses.
        table: the columns they read, as text.
        release: the same, as published; with :data:`PERSON` and :data:`WEIGHT` where people have
            several rows.
        tell: is told what is being done.

    Raises:
        InputError: the extra ``analysis`` is not installed.
    """
    missing = [
        name for name in ("statsmodels", "sklearn") if importlib.util.find_spec(name) is None
    ]
    if missing and questions:
        raise InputError(
            "missing-extra",
            f"analyses need {' and '.join(missing)}",
            remedy="pip install 'indistinct[analysis]'",
        )
    answers = []
    for at, question in enumerate(questions):
        if tell is not None:
            tell("making analyses", at / len(questions))
        answers.append(_answer(question, table, release))
    return Analyses(tuple(answers))


def _answer(question: Question, table: pl.DataFrame, release: pl.DataFrame) -> Answer:
    lacking = [name for name in question.columns if name not in release.columns]
    if lacking:
        lost = f"the release has no {', '.join(lacking)}: the analysis cannot be made on it"
        return Answer(question, why=lost)
    one, other = _sides(question, table, release)
    records = round(one.records), round(other.records)
    why: str | None = None
    levels = max(len(one.terms), len(other.terms), len(set(one.groups)), len(set(other.groups)))
    if min(records) <= len(one.terms) + FOLDS:
        why = "too few records lack nothing that the analysis needs"
    elif levels > MOST_LEVELS * max(len(question.predictors), 1):
        why = f"there are more than {MOST_LEVELS} categories: group them first"
    elif question.kind in {"logistic", "classifier"}:
        sides = zip((one, other), ("table", "release"), strict=True)
        single = [name for side, name in sides if np.ptp(side.outcome) == 0]
        if single:
            why = f"'{question.outcome}' has one of its two outcomes alone on the {single[0]}"
    if why is not None:
        return Answer(question, records=records, why=why)
    from statsmodels.tools.sm_exceptions import ConvergenceWarning, PerfectSeparationWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for unfit in (ConvergenceWarning, PerfectSeparationWarning):
            warnings.simplefilter("error", unfit)
        try:
            return _compared(question, one, other, records)
        except (np.linalg.LinAlgError, ValueError, ArithmeticError, Warning) as error:
            why = f"it could not be fitted on both ({type(error).__name__})"
            return Answer(question, records=records, why=why)


def _compared(question: Question, one: _Side, other: _Side, records: tuple[int, int]) -> Answer:
    kind, sides, further = question.kind, (one, other), None
    if kind in {"classifier", "regressor"}:
        found = [_predicted(side, classes=kind == "classifier") for side in sides]
        name = "AUC" if kind == "classifier" else "share explained"
        made = [{name: figure} for figure, _ in found]
        further = dict(zip(("original", "release"), (more for _, more in found), strict=True))
    elif kind == "table":
        made = [_table(side, question) for side in sides]
    elif kind == "kaplan-meier":
        times = np.unique(np.quantile(one.outcome, (0.25, 0.5, 0.75)))
        made = [_survival(side, times) for side in sides]
    elif kind == "cox" and (other.several or question.weight is not None):
        made = [_weighted_cox(side) for side in sides]
    else:
        made = [_fitted(side, kind) for side in sides]
    if not all(
        np.isfinite(list(vars(item).values())[:3]).all() for part in made for item in part.values()
    ):
        return Answer(question, records=records, why="it could not be fitted on both (no estimate)")
    terms = dict.fromkeys([*made[0], *made[1]])
    estimates = tuple(Estimate(term, made[0].get(term), made[1].get(term)) for term in terms)
    return Answer(question, estimates, records, further)
