"""Figures 3 to 7 of Khan and others (2020), drawn again: theta against p+ on the Adult table.

The figures are drawings without numbers; what the text says of them is held against what comes out.
The table is that of :mod:`.khan_adult`.

Theta as printed is Algorithm 1 in its variant ``paper``, on classes of k records in the order of
the quasi-identifiers: by section 6.2 its groups were made by k, and only such classes come near the
baseline n k. The guarded variant is ``safe``, with at most half of a class having one occupation.
p+-sensitivity is Mondrian, cut in the widest attribute at the median; its p is not printed, and 2
here as in Table 4a. For comparison there are p = 4, (p, alpha) = (3, 1) as in Table 4b, and guarded
theta on Mondrian's classes.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import indistinct as ind
from indistinct import Unsatisfiable, least_noise, least_values, rank_variance_exact
from indistinct_reproductions.drawing import Lines
from indistinct_reproductions.khan_adult import OCCUPATION, Adult
from indistinct_reproductions.khan_tables import MOST_NOISE, MU, NOISE, RECORDS, TABLE_11
from indistinct_reproductions.reproduction import Ledger, Value

KS: Final = tuple(TABLE_11)
QUERIES: Final = 1000
"""Section 6.5."""

DIMENSIONS: Final = 2
SELECTIVITY: Final = 0.05
SELECTIVITIES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""The paper prints neither how many attributes its queries have conditions on, nor how many records
they are to find."""

HALF: Final = 0.5
SAMPLE: Final = 300
"""Records on which everything is run once, so that nothing is compiled while time is taken."""

THETA, GUARDED, PLUS = "theta as printed", "theta guarded", "p+ (p = 2)"
OTHER_CLASSES, PLUS_4, P_ALPHA = "theta guarded on Mondrian", "p+ (p = 4)", "(p, alpha) = (3, 1)"
BASELINE, LEAST, MOST = "baseline n k", "least for n / k classes", "most in the paper"

NOT_PRINTED = "drawn in the paper without a number"


Promises = list[dict[str, Any]]


@dataclass(frozen=True)
class Method:
    """How releases are made for k from ``least`` on: what is promised, and by what means."""

    promises: Callable[[int], Promises]
    settings: Mapping[str, Any]
    least: int = 1

    def policy(self, adult: Adult, k: int) -> dict[str, Any]:
        """What the program is asked for one k."""
        return adult.policy(self.promises(k), {"seed": 0, **self.settings})


def _theta(k: int) -> Promises:
    return [_about("theta-sensitive", k=k, mu=MU)]


def _bounded(k: int) -> Promises:
    return [*_theta(k), _about("max-posterior", bound=HALF)]


def _with_k(model: str, **parameters: float) -> Callable[[int], Promises]:
    return lambda k: [{"model": "k-anonymity", "k": k}, _about(model, **parameters)]


def _about(model: str, **parameters: float) -> dict[str, Any]:
    return {"model": model, **parameters, "sensitive": OCCUPATION}


def _by_exchange(variant: str, start: str) -> dict[str, Any]:
    return {
        "algorithm": "theta", "variant": variant, "partition": {"start": start}, "max_noise": 0.9,
    }  # fmt: skip


_MEDIAN = {"algorithm": "mondrian", "partition": {"dimension": "width", "cut": "median"}}

METHODS: Mapping[str, Method] = {
    THETA: Method(_theta, _by_exchange("paper", "chunks")),
    GUARDED: Method(_bounded, _by_exchange("safe", "chunks")),
    OTHER_CLASSES: Method(_bounded, _by_exchange("safe", "mondrian")),
    PLUS: Method(_with_k("p-plus-sensitive", p=2), _MEDIAN, least=2),
    PLUS_4: Method(_with_k("p-plus-sensitive", p=4), _MEDIAN, least=4),
    P_ALPHA: Method(_with_k("p-alpha-sensitive", p=3, alpha=1), _MEDIAN, least=3),
}

SHOWN = (THETA, GUARDED, PLUS)
"""What the pictures show."""


@dataclass(frozen=True, eq=False)
class Run:
    """A release for one k by one method, measured; or ``why`` there is none.

    ``classes`` are those that a reader tells apart, ``alike`` of these those of one category,
    ``varied_little`` those below theta: in these the two attacks that the paper speaks of succeed.
    """

    method: str
    k: int
    records: int
    seconds: float
    noise: int = 0
    why: str = ""
    release: ind.Release | None = None
    classes: int = 0
    dcp: int = 0
    c_avg: float = 0.0
    ncp: float = 0.0
    largest_share: float = 0.0
    holds: bool | None = None
    alike: int = 0
    varied_little: int = 0
    errors: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def made(self) -> bool:
        """Whether there is a release."""
        return self.release is not None

    @property
    def over_baseline(self) -> float:
        """The score over that of the baseline, n k."""
        return self.dcp / (self.records * self.k)

    @property
    def error(self) -> float:
        """The mean error of queries, counting every record that may be meant."""
        return self.errors["overlap"]["mean"]


Runs = Mapping[str, Mapping[int, Run]]


def figures(
    ledger: Ledger,
    adult: Adult,
    seed: int,
    tell: Callable[[str, float | None], None],
    *,
    ks: Sequence[int] = KS,
    queries: int = QUERIES,
) -> None:
    """Figures 3 to 7 for these k, and all of Table 11's k where no others are named."""
    _table(ledger, adult)
    tell("experiments on Adult", None)
    for method in METHODS.values():
        _made(method, adult.first(SAMPLE), method.least)
    found: dict[str, dict[int, Run]] = {name: {} for name in METHODS}
    steps = [(k, name) for k in ks for name, method in METHODS.items() if k >= method.least]
    for at, (k, name) in enumerate(steps):
        tell(f"experiments on Adult, k = {k}", at / len(steps))
        found[name][k] = measured(adult, name, k, queries=queries, seed=seed)
    _reach(ledger, adult, found, ks)
    _attacks(ledger, found, ks)
    _figure_3(ledger, found, ks)
    _figure_4(ledger, found, ks)
    _figure_5(ledger, adult, found, ks)
    _figure_6a(ledger, found, ks)
    tell("experiments on Adult, queries", None)
    _figure_6b(ledger, adult, found, seed, queries)
    _figure_7(ledger, found, ks)
    _sheet(ledger, found)


# -------- Making and measuring --------


def _made(method: Method, adult: Adult, k: int) -> ind.Release | Unsatisfiable:
    try:
        return ind.anonymize(adult.texts, method.policy(adult, k))
    except Unsatisfiable as impossible:
        return impossible


def measured(adult: Adult, name: str, k: int, **asked: Any) -> Run:
    """A release for one k, audited as a stranger would, and compared with the table.

    Arguments:
        adult: the table.
        name: one of :data:`METHODS`.
        k: of its promise.
        asked: how many ``queries`` the release is asked, and by which ``seed`` they are drawn.
    """
    method = METHODS[name]
    policy = method.policy(adult, k)
    began = time.perf_counter()
    release = _made(method, adult, k)
    seconds = time.perf_counter() - began
    if isinstance(release, Unsatisfiable):
        return Run(name, k, adult.records, seconds, why=release.problems[0].message)
    further = [*_theta(k), _about("p-plus-sensitive", p=2), _about("max-posterior", bound=1.0)]
    wanted = method.promises(k)
    verdicts = ind.audit(release.tables, policy, promises=wanted + further).promises
    kept, (variance, categories, share) = verdicts[: len(wanted)], verdicts[len(wanted) :]
    own = compared(adult, {name: release}, policy, k=k, **asked)[name]
    return Run(
        name,
        k,
        adult.records,
        seconds,
        noise=own["added"]["noise"],
        release=release,
        classes=own["classes"]["count"],
        dcp=own["dcp"],
        c_avg=own["c_avg"],
        ncp=own["ncp"]["normalized"],
        largest_share=float(share.achieved["bound"] or 0.0),
        holds=all(verdict.holds for verdict in kept),
        alike=categories.breaking_classes,
        varied_little=variance.breaking_classes,
        errors=own["query_error"]["by_mode"],
    )


def compared(
    adult: Adult, releases: Mapping[str, ind.Release], policy: Mapping[str, Any], **asked: Any
) -> dict[str, dict[str, Any]]:
    """What :func:`indistinct.compare` says of each release, by name."""
    questions = {"dimensions": DIMENSIONS, "selectivity": SELECTIVITY, **asked}
    found = ind.compare(adult.texts, releases, policy=policy, **questions)
    return {own["name"]: own for own in found.to_dict()["releases"]}


def _both(found: Runs, ks: Sequence[int], name: str = THETA) -> list[int]:
    """The k for which there is a release by a method, and one by p+."""
    return [k for k in ks if found[name][k].made and found[PLUS][k].made]


def _picture(
    ledger: Ledger,
    name: str,
    title: str,
    places: Sequence[float],
    values: Mapping[str, Sequence[float | None]],
    across: str = "k",
    **more: Any,
) -> None:
    groups = tuple(f"{place:g}" for place in places)
    ledger.picture(name, Lines(title, groups, values, across, **more))


def _values(
    found: Runs, ks: Sequence[int], read: Callable[[Run], float]
) -> dict[str, list[float | None]]:
    return {
        name: [read(found[name][k]) if found[name][k].made else None for k in ks] for name in SHOWN
    }


# -------- What is told of each figure --------


def _table(ledger: Ledger, adult: Adult) -> None:
    where = "Section 6.1"
    ledger.figure(
        where,
        "complete records of Adult's training file",
        RECORDS,
        adult.records,
        "no public file has so many; what follows is on these",
    )
    ledger.transcribed(
        where,
        "quasi-identifiers",
        "age, zip code, salary",
        "age, sex, education, zip code",
        "the files have no zip code (drawn here) and two values of salary",
    )
    ledger.unprinted(
        where,
        "rank variance of all occupations as one class",
        float(rank_variance_exact(adult.totals)),
        "what merging classes comes to in the end; theta(k) may lie above it",
    )


def _reach(ledger: Ledger, adult: Adult, found: Runs, ks: Sequence[int]) -> None:
    values = sum(count > 0 for count in adult.totals)
    for name in (THETA, GUARDED):
        lost = [k for k in ks if not found[name][k].made]
        hopeless = [k for k in lost if least_values(k, MU) > values]
        ledger.claim(
            "Abstract",
            f"effective for all k: {name}, on Adult",
            "all k",
            "all k" if not lost else f"not for k = {_and(lost)}",
            not lost,
            "" if not lost else f"k = {lost[0]}: {found[name][lost[0]].why}"
            + (f"; {values} values serve no class for k = {_and(hopeless)}" if hopeless else ""),
        )  # fmt: skip


def _attacks(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where, both = "Section 6.1", _both(found, ks)
    theta, plus = ([found[name][k] for k in both] for name in (THETA, PLUS))
    own, other = sum(run.alike for run in theta), sum(run.alike for run in plus)
    ledger.claim(
        where,
        "classes open to categorical similarity over all k: fewer by theta than by p+",
        True,
        f"{own} by theta, {other} by p+",
        own < other,
        "theta knows no categories; p+ leaves no class of one category by what it promises",
    )
    own, other = sum(run.varied_little for run in theta), sum(run.varied_little for run in plus)
    ledger.claim(
        where,
        "classes open to sensitive variance over all k: fewer by theta than by p+",
        True,
        f"{own} by theta, {other} by p+",
        own < other,
        "theta promises nothing else, and nobody else promises it",
    )


def _figure_3(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where = "Figure 3"
    for k in ks:
        base, *printed_scores = TABLE_11[k]
        for name, printed in zip((THETA, PLUS), printed_scores, strict=True):
            run = found[name][k]
            what = f"k = {k}, {name}: score over n k (Table 11: {printed} / {base})"
            if not run.made:
                ledger.lost(where, what, float(f"{printed / base:.4f}"), run.why)
                continue
            why = "another table; the paper does not print its p"
            if name == THETA:
                why = f"{run.noise} records of noise make classes of more than k"
            if name == THETA and not run.noise:
                why = "classes whose cells are equal are one to a reader"
            ledger.figure(where, what, f"{printed / base:.4f}", run.over_baseline, why)
    for name in (THETA, GUARDED):
        made = [found[name][k].over_baseline for k in ks if found[name][k].made]
        ledger.claim(
            where,
            f"the score is almost the baseline, for all k: {name}",
            "0.002679% above",
            _span(made, "{:.2%} to {:.2%} above", less=1.0),
            len(made) == len(ks) and max(made) < 1.001,
            "classes of k have it by making, until noise is added: it tells of sizes alone",
            otherwise="differs",
        )
        both = _both(found, ks, name)
        theta, plus = ([found[own][k].dcp for k in both] for own in (name, PLUS))
        ledger.figure(
            where,
            f"p+ above {name}, percent, averages over k",
            "14.64",
            100.0 * (sum(plus) / max(sum(theta), 1) - 1),
            f"k up to {max(both, default=0)}, where both exist",
        )
        fewer = sum(one < other for one, other in zip(theta, plus, strict=True))
        ledger.claim(
            where,
            f"the score is below that of p+: {name}",
            "for all k",
            f"for {fewer} of {len(ks)} k",
            fewer == len(ks),
            "where noise fills the classes, or no release is made, it is not",
            otherwise="differs",
        )
    _picture(
        ledger,
        "figure-3",
        "Figure 3: discernibility penalty over the baseline n k",
        ks,
        _values(found, ks, lambda run: run.over_baseline) | {BASELINE: [1.0] * len(ks)},
        dashed=frozenset({BASELINE}),
        note="gaps: no release",
    )


def _figure_4(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where = "Figure 4"
    first, last = found[PLUS][ks[0]].c_avg, found[PLUS][ks[-1]].c_avg
    ledger.claim(
        where,
        "C_AVG of p+ is worse for small k than for large",
        True,
        f"{first:.2f} for k = {ks[0]}, {last:.2f} for k = {ks[-1]}",
        first > last,
        "with p = 2 most classes of k have two categories anyway",
        otherwise="differs",
    )
    for name in (THETA, GUARDED):
        both = _both(found, ks, name)
        theta, plus = ([found[own][k].c_avg for k in both] for own in (name, PLUS))
        ledger.claim(
            where,
            f"C_AVG is balanced over all k, more so than that of p+: {name}",
            True,
            f"{_span(theta)}, p+ {_span(plus)}" + _up_to(both, ks),
            len(both) == len(ks) and max(theta) - min(theta) < max(plus) - min(plus),
            "noise makes classes larger as k grows, until there is no release",
            otherwise="differs",
        )
        fewer = sum(one <= other for one, other in zip(theta, plus, strict=True))
        ledger.claim(
            where,
            f"C_AVG is at most that of p+: {name}",
            "for all k",
            f"for {fewer} of {len(ks)} k",
            fewer == len(ks),
            "where noise fills the classes, or no release is made, it is not",
            otherwise="differs",
        )
    _picture(
        ledger,
        "figure-4",
        "Figure 4: records per class over k (C_AVG)",
        ks,
        _values(found, ks, lambda run: run.c_avg),
        note="gaps: no release",
    )


def _figure_5(ledger: Ledger, adult: Adult, found: Runs, ks: Sequence[int]) -> None:
    where = "Figure 5"
    least = {k: least_noise(adult.totals, adult.records // k, k, MU) for k in ks}
    rows: list[tuple[Value, ...]] = []
    for k in ks:
        printed, guarded = found[THETA][k], found[GUARDED][k]
        own = least_noise(adult.totals, guarded.classes, k, MU)
        for run in (printed, guarded):
            if run.made:
                ledger.unprinted(
                    where,
                    f"k = {k}, {run.method}, records of noise",
                    run.noise,
                    NOT_PRINTED,
                    {LEAST: least[k], "classes": run.classes},
                )
        rows.append(
            (
                k,
                _or_none(printed, printed.noise),
                _or_none(guarded, guarded.noise),
                _or_none(guarded, 100 * guarded.noise / adult.records),
                _or_none(guarded, guarded.classes),
                _or_none(guarded, own),
                least[k],
                printed.why or guarded.why or None,
            )
        )
    for name in (THETA, GUARDED):
        noise = {k: found[name][k].noise for k in ks if found[name][k].made}
        lost = [k for k in ks if k not in noise]
        short = f"; no release for k = {_and(lost)}" if lost else ""
        worst = max(noise, key=lambda k: noise[k], default=0)
        ledger.figure(
            where,
            f"most records of noise for one k, {name}",
            MOST_NOISE,
            noise.get(worst, 0),
            f"for k = {worst}, where no algorithm with n / k classes needs fewer than "
            f"{least.get(worst, 0)}{short}",
        )
        ledger.figure(
            "Section 6.4",
            f"records of noise for all k, {name}",
            NOISE,
            sum(noise.values()),
            f"no algorithm with n / k classes needs fewer than {sum(least[k] for k in noise)} for "
            f"these k{short}",
        )
    ledger.sheet(
        "figure-5",
        "Figure 5: records of noise, and how many any algorithm needs at least, mu = 0.6",
        (
            "k", THETA, GUARDED, "guarded, percent", "classes, guarded",
            "least for these classes", LEAST, "why there is no release",
        ),
        rows,
    )  # fmt: skip
    values = _values(found, ks, lambda run: float(run.noise))
    del values[PLUS]
    _picture(
        ledger,
        "figure-5",
        "Figure 5: records of noise",
        ks,
        values | {LEAST: [float(least[k]) for k in ks], MOST: [float(MOST_NOISE)] * len(ks)},
        unit="records",
        powers=True,
        dashed=frozenset({LEAST, MOST}),
        note="gaps: none, or no release",
    )


def _figure_6a(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where = "Figure 6a"
    for k in ks:
        for name in SHOWN:
            run = found[name][k]
            if run.made:
                ledger.unprinted(
                    where,
                    f"k = {k}, {name}, mean error",
                    run.error,
                    NOT_PRINTED,
                    run.errors,
                )
    for name in (THETA, PLUS):
        errors = [found[name][k].error for k in ks if found[name][k].made]
        rising = all(one <= other for one, other in itertools.pairwise(errors))
        ledger.claim(
            where,
            f"the error grows with k, {name}",
            True,
            f"{errors[0]:.2f} to {errors[-1]:.2f}, {'' if rising else 'not '}step by step"
            if errors
            else "no release",
            rising and len(errors) > 1,
            "noise and exchange widen classes unevenly",
            otherwise="differs",
        )
    both = _both(found, ks)
    better = [k for k in both if found[THETA][k].error < found[PLUS][k].error]
    ledger.unprinted(
        where,
        "k for which theta answers better than p+",
        f"{len(better)} of {len(both)}",
        "exchanged records widen the cells of two classes, and classes in one order of records "
        "are wide from the start",
    )
    _picture(
        ledger,
        "figure-6a",
        f"Figure 6a: mean relative error of queries of selectivity {SELECTIVITY:g}",
        ks,
        _values(found, ks, lambda run: run.error),
        note="every record counts that may be meant; gaps: no release",
    )


def _figure_6b(ledger: Ledger, adult: Adult, found: Runs, seed: int, queries: int) -> None:
    where, both = "Figure 6b", _both(found, list(found[PLUS]))
    if not both:
        return
    k = both[len(both) // 2]
    errors: dict[str, list[float | None]] = {name: [] for name in SHOWN if found[name][k].made}
    made = {name: own for name in errors if (own := found[name][k].release) is not None}
    policy = METHODS[PLUS].policy(adult, k)
    for share in SELECTIVITIES:
        asked = {"selectivity": share, "queries": queries, "seed": seed}
        answers = compared(adult, made, policy, **asked)
        for name, values in errors.items():
            values.append(answers[name]["query_error"]["mean"])
            ledger.unprinted(
                where, f"selectivity {share:g}, {name}, k = {k}, mean error", values[-1],
                NOT_PRINTED,
            )  # fmt: skip
    for name, values in errors.items():
        first, last = values[0] or 0.0, values[-1] or 0.0
        ledger.claim(
            where,
            f"the more a query selects the larger its error, {name}",
            True,
            f"{first:.2f} at {SELECTIVITIES[0]:g}, {last:.2f} at {SELECTIVITIES[-1]:g}",
            last > first,
            "the error is relative: what is counted in excess grows less than what is counted",
            otherwise="differs",
        )
    ledger.sheet(
        "figure-6b",
        f"Figure 6b: mean relative error by selectivity, k = {k}",
        ("selectivity", *errors),
        [(share, *row) for share, *row in zip(SELECTIVITIES, *errors.values(), strict=True)],
    )
    _picture(
        ledger,
        "figure-6b",
        f"Figure 6b: mean relative error of queries, k = {k}",
        SELECTIVITIES,
        errors,
        across="selectivity",
    )


def _figure_7(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where, both = "Figure 7", _both(found, ks)
    for k in ks:
        for name in SHOWN:
            ledger.unprinted(
                where,
                f"k = {k}, {name}, seconds",
                found[name][k].seconds,
                "of this run; " + (NOT_PRINTED if found[name][k].made else "without a release"),
            )
    quicker = [k for k in both if found[THETA][k].seconds < found[PLUS][k].seconds]
    ledger.unprinted(
        where,
        "k for which theta took less time than p+",
        f"{len(quicker)} of {len(both)}",
        "of this run; the paper says all, and that both take longer as k grows",
    )
    _picture(
        ledger,
        "figure-7",
        "Figure 7: time",
        ks,
        _values(found, ks, lambda run: 1000 * run.seconds),
        unit="milliseconds",
        note="of this run; gaps: no release",
    )


def _sheet(ledger: Ledger, found: Runs) -> None:
    rows = []
    for runs in found.values():
        for run in runs.values():
            if not run.made:
                nothing: tuple[Value, ...] = (None,) * 12
                rows.append((run.method, run.k, *nothing, run.seconds, run.why))
                continue
            rows.append(
                (
                    run.method,
                    run.k,
                    run.holds,
                    run.classes,
                    run.noise,
                    run.dcp,
                    run.over_baseline,
                    run.c_avg,
                    run.ncp,
                    run.largest_share,
                    run.alike,
                    run.varied_little,
                    run.error,
                    run.errors["uniform"]["mean"],
                    run.seconds,
                    None,
                )
            )
    ledger.sheet(
        "figures",
        "Figures 3 to 7: releases of Adult",
        (
            "method", "k", "keeps it (audit)", "classes", "noise", "DCP", "DCP over n k", "C_AVG",
            "NCP", "largest share of an occupation", "classes of one category",
            "classes below theta", "query error", "the same, uniform", "seconds",
            "why there is no release",
        ),
        rows,
    )  # fmt: skip


def _or_none(run: Run, value: Value) -> Value:
    return value if run.made else None


def _span(values: Sequence[float], text: str = "{:.2f} to {:.2f}", less: float = 0.0) -> str:
    if not values:
        return "no release"
    return text.format(min(values) - less, max(values) - less)


def _up_to(some: Sequence[int], ks: Sequence[int]) -> str:
    return "" if len(some) == len(ks) or not some else f" up to k = {some[-1]}"


def _and(numbers: Sequence[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last
