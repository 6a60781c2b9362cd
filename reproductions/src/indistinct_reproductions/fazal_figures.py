"""Figures 6 to 9 of Fazal and others (2023), drawn again: four methods on people with many records.

The figures are drawings without numbers; what the text says of them is held against what comes out,
on the table that :mod:`.fazal_adult` generates and, where its files are given, on
that of :mod:`.fazal_informs`. Releases are made and measured in
:mod:`.fazal_releases`.

The paper prints neither the l of its baselines nor a p; l is k here, p is 2. (k,l)-diversity and
theta-star run in their published variants, and theta-star guarded beside: it is what the program
makes if nobody asks for another. What is drawn is the mean error of COUNT questions with conditions
on quasi-identifiers, as Equation 22 has them, counting every row that may be meant.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from indistinct import largest_k
from indistinct.analytics.utility.linked_query_error import LinkedQueries
from indistinct.analytics.utility.query_error import Workload
from indistinct_reproductions.drawing import Lines
from indistinct_reproductions.fazal_releases import (
    COMPARED,
    GUARDED,
    KL,
    METHODS,
    PL,
    ROWS,
    THETA_STAR,
    Asked,
    Patients,
    Run,
    measured,
)
from indistinct_reproductions.fazal_tables import LEVELS, MU
from indistinct_reproductions.reproduction import Ledger, Progress, Value

KS: Final = (2, 3, 4, 5, 6)
"""Beyond 6 five categories serve no bucket; the paper does not print its k."""

K: Final = 4
"""Figures 6b, 7b, 9b."""

SIZES: Final = (1000, 2000, 3000, 4000, 5000, 6000)
SELECTIVITIES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
QUERIES: Final = 1000
SELECTIVITY: Final = 0.05
INFORMS_KS: Final = (2, 4, 6)
INFORMS_PEOPLE: Final = 6000
INFORMS_QUERIES: Final = 200

NOT_PRINTED = "drawn in the paper without a number"
ANOTHER_TABLE = "on the table generated here; the paper's was not published with its symptoms"

Runs = Mapping[str, Mapping[int, Run]]


def figures(
    ledger: Ledger,
    patients: Patients,
    seed: int,
    tell: Progress,
    *,
    ks: Sequence[int] = KS,
    sizes: Sequence[int] = SIZES,
    queries: int = QUERIES,
) -> None:
    """Figures 6 to 9 on one table of people."""
    people = patients.people.count
    _table(ledger, patients)
    tell("experiments on people with many records", None)
    for name in METHODS:
        measured(name, 2, patients.first(100))
    asked = Asked(
        _questions(patients, SELECTIVITY, seed, queries, categories=False),
        _questions(patients, SELECTIVITY, seed, queries, categories=True),
    )
    found: dict[str, dict[int, Run]] = {name: {} for name in METHODS}
    steps = list(itertools.product(ks, METHODS))
    for at, (k, name) in enumerate(steps):
        tell(f"experiments on {people} people, k = {k}", at / len(steps))
        found[name][k] = measured(name, k, patients, asked)
    by_size: dict[str, dict[int, Run]] = {name: {} for name in METHODS}
    steps = list(itertools.product([size for size in sizes if size <= people], METHODS))
    for at, (size, name) in enumerate(steps):
        tell(f"experiments on {size} people", at / len(steps))
        by_size[name][size] = measured(name, K, patients.first(size))
    _reach(ledger, found, ks)
    _figure_6(ledger, found, by_size, ks)
    _figure_7a(ledger, found, ks)
    tell("experiments on people with many records, queries", None)
    _figure_7b(ledger, patients, found, seed, queries)
    _figure_8(ledger, found, ks)
    _figure_9(ledger, found, by_size, ks)
    ledger.sheet(
        "figures",
        f"Figures 6 to 9: releases of {people} people",
        COLUMNS,
        [_row(run, run.k) for runs in found.values() for run in runs.values()],
    )
    ledger.sheet(
        "figures-by-size",
        f"Figures 6b and 9b: releases by the number of people, k = {K}",
        ("people", *COLUMNS[:1], *COLUMNS[2:]),
        [
            (size, run.method, *_row(run, size)[2:])
            for runs in by_size.values()
            for size, run in runs.items()
        ],
    )


def informs(
    ledger: Ledger,
    patients: Patients,
    seed: int,
    tell: Progress,
    *,
    ks: Sequence[int] = INFORMS_KS,
    people: int = INFORMS_PEOPLE,
    queries: int = INFORMS_QUERIES,
) -> None:
    """The same figures on real people with real diagnoses, as many as the paper's.

    Clustering by (p,l)-angelization takes time with the square of the people; that is why there are
    not more.
    """
    where, records = "INFORMS", patients.rows.height
    ledger.unprinted(
        where,
        "people with conditions",
        patients.people.count,
        "with a code of ICD-9-CM",
        {"records": records, "categories": len(patients.categories)},
    )
    patients = patients.first(people)
    people, records = patients.people.count, patients.rows.height
    asked = Asked(
        _questions(patients, SELECTIVITY, seed, queries, categories=False),
        _questions(patients, SELECTIVITY, seed, queries, categories=True),
    )
    runs: list[Run] = []
    steps = list(itertools.product(ks, METHODS))
    for at, (k, name) in enumerate(steps):
        tell(f"experiments on INFORMS, k = {k}", at / len(steps))
        runs.append(measured(name, k, patients, asked))
    for run in runs:
        ledger.unprinted(
            where,
            f"k = {run.k}, {run.method}: people of whom something true is believed with 0.5",
            run.believed() if run.made else "no release",
            run.why,
        )
    ledger.sheet(
        "informs",
        f"INFORMS: releases of {people} people with {records} conditions",
        COLUMNS,
        [_row(run, run.k) for run in runs],
    )


def _questions(
    patients: Patients, selectivity: float, seed: int, queries: int, *, categories: bool
) -> LinkedQueries:
    workload = Workload(queries, None, selectivity, seed)
    if not categories:
        return LinkedQueries.draw(patients.people, workload, sensitive=[])
    found = LinkedQueries.draw(patients.people, workload, sensitive=[patients.sensitive])
    # Only counted: sums and averages of such questions are not told of.
    return replace(found, of=None)


COLUMNS = (
    "method", "k", "classes", "noise", "NCP", "NCP, total", "COUNT error", "SUM error",
    "AVG error", "COUNT error, with categories", "linkability", "exact records",
    "believed with 0.5", "believed with 0.95", "believed for certain", "classes of one person",
    "seconds", "why there is no release",
)  # fmt: skip


def _row(run: Run, first: int) -> tuple[Value, ...]:
    if not run.made:
        nothing: tuple[Value, ...] = (None,) * (len(COLUMNS) - 4)
        return (run.method, first, *nothing, run.seconds, run.why)
    assert run.ncp is not None
    assert run.linkability is not None
    return (
        run.method,
        first,
        run.classes,
        run.noise,
        run.ncp.normalized,
        run.ncp.total,
        run.error("count"),
        run.error("sum"),
        run.error("avg"),
        run.error("count", categories=True),
        run.linkability.normalized,
        run.vulnerable,
        run.believed("0.5"),
        run.believed("0.95"),
        run.believed("certain"),
        run.alone,
        run.seconds,
        None,
    )


# -------- What is told of each figure --------


def _table(ledger: Ledger, patients: Patients) -> None:
    where = "Section 6.1"
    ledger.figure(where, "people", 6000, patients.people.count, "fewer were asked for")
    ledger.unprinted(
        where,
        "records",
        patients.rows.height,
        "as many for each person as in Table 1; the paper prints no number",
    )
    ledger.transcribed(
        where,
        "where the zip codes and the symptoms come from",
        "the Adult table",
        "drawn from a seed",
        "the public files have neither",
    )


def _ncp(run: Run) -> float | None:
    return None if run.ncp is None else run.ncp.normalized


def _linked(run: Run) -> float | None:
    return None if run.linkability is None else run.linkability.normalized


def _error_of(run: Run, kind: str) -> float | None:
    return run.error(kind)


def _count_error(run: Run) -> float | None:
    return run.error("count")


Read = Callable[[Run], float | None]


def _claim(
    ledger: Ledger, where: str, what: str, printed: Value, computed: Value, holds: bool, why: str
) -> None:
    """What the text says of a drawing, on another table than the paper's."""
    told = "" if holds else why
    ledger.claim(where, what, printed, computed, holds, told, otherwise="differs")


def _made(runs: Mapping[int, Run]) -> list[int]:
    return [at for at, run in runs.items() if run.made]


def _least(found: Runs, read: Read, name: str, others: Sequence[str]) -> tuple[int, int]:
    """For how many k a method has less than all of the others that have a release; of how many."""
    better, of = 0, 0
    for k in _made(found[name]):
        own = read(found[name][k])
        rest = [read(found[other][k]) for other in others if found[other][k].made]
        of += 1
        better += all(own is not None and one is not None and own < one for one in rest)
    return better, of


def _rises(runs: Mapping[int, Run], read: Read) -> bool:
    values = [read(runs[at]) or 0.0 for at in _made(runs)]
    return len(values) > 1 and all(one <= other for one, other in itertools.pairwise(values))


def _span(runs: Mapping[int, Run], read: Read, text: str = "{:.4f}") -> str:
    values = [read(runs[at]) or 0.0 for at in _made(runs)]
    if not values:
        return "no release"
    return f"{text.format(values[0])} to {text.format(values[-1])}"


def _less(
    ledger: Ledger,
    where: str,
    what: str,
    found: Runs,
    read: Read,
    name: str,
    others: Sequence[str],
    why: str,
) -> None:
    better, of = _least(found, read, name, others)
    _claim(
        ledger,
        where,
        what,
        "for all k",
        f"for {better} of {of} k",
        better == of > 0,
        why,
    )


def _grows(ledger: Ledger, where: str, what: str, found: Runs, read: Read) -> None:
    for name in COMPARED:
        _claim(
            ledger,
            where,
            f"{what} grows with k: {name}",
            True,
            _span(found[name], read),
            _rises(found[name], read),
            "not step by step, or too few k have a release",
        )


def _reach(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    for name in METHODS:
        lost = [k for k in ks if not found[name][k].made]
        ledger.claim(
            "Section 6",
            f"there is a release for every k: {name}",
            "all k",
            "all k" if not lost else f"not for k = {', '.join(map(str, lost))}",
            not lost,
            found[name][lost[0]].why if lost else "",
            otherwise="differs",
        )
    most = largest_k(len(LEVELS), MU)
    ledger.unprinted(
        "Section 6",
        "largest k that any buckets of five categories serve, mu = 0.6",
        most,
        "beyond it there is no theta-star release of any table",
    )
    for k in ks:
        run = found[THETA_STAR][k]
        if run.made:
            ledger.unprinted(
                "Section 6",
                f"k = {k}, made-up people, percent: {THETA_STAR}",
                100.0 * run.noise / run.people,
                "the paper does not say how many there are",
                {"noise": run.noise, f"noise, {GUARDED}": found[GUARDED][k].noise},
            )


def _figure_6(ledger: Ledger, found: Runs, by_size: Runs, ks: Sequence[int]) -> None:
    where = "Figure 6a"
    _printless(ledger, where, found, ks, _ncp, "NCP")
    _grows(ledger, where, "NCP", found, _ncp)
    for name in (THETA_STAR, GUARDED):
        _less(
            ledger, where, f"NCP is the lowest of the four: {name}", found, _ncp, name,
            (KL, PL, ROWS), "made-up people stand in classes too, and count",
        )  # fmt: skip
    _less(
        ledger, where, "NCP of (k,l)-diversity is below (p,l)-angelization and theta", found, _ncp,
        KL, (PL, ROWS), ANOTHER_TABLE,
    )  # fmt: skip
    where = "Figure 6b"
    for name in COMPARED:
        if not _made(by_size[name]):
            continue
        values = [_ncp(by_size[name][size]) or 0.0 for size in _made(by_size[name])]
        if name == THETA_STAR:
            _claim(
                ledger,
                where,
                f"NCP is almost constant with any number of people: {name}",
                True,
                f"falls from {values[0]:.4f} to {values[-1]:.4f}",
                max(values) <= 1.2 * min(values),
                "among more people nearer ones are found",
            )
        else:
            _claim(
                ledger,
                where,
                f"NCP falls with the number of people: {name}",
                True,
                f"{values[0]:.4f} to {values[-1]:.4f}",
                values[-1] < values[0],
                ANOTHER_TABLE,
            )
    _picture(ledger, "figure-6a", "Figure 6a: certainty penalty", ks, found, _ncp)
    sizes = sorted({size for runs in by_size.values() for size in runs})
    _picture(
        ledger, "figure-6b", f"Figure 6b: certainty penalty, k = {K}", sizes, by_size, _ncp,
        across="people",
    )  # fmt: skip


def _figure_7a(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where = "Figure 7a"
    _printless(ledger, where, found, ks, _count_error, "mean error of COUNT")
    _grows(ledger, where, "error", found, _count_error)
    for name, kind in itertools.product((THETA_STAR, GUARDED), ("count", "sum", "avg")):
        _less(
            ledger, where, f"error of {kind.upper()} is the lowest of the four: {name}", found,
            partial(_error_of, kind=kind), name, (KL, PL, ROWS),
            "made-up people are counted as well",
        )  # fmt: skip
    for name in (THETA_STAR, GUARDED):
        _less(
            ledger, where, f"error of COUNT with a category is the lowest of the four: {name}",
            found, lambda run: run.error("count", categories=True), name, (KL, PL, ROWS),
            "it publishes one category of everybody, and the others are lost to it",
        )  # fmt: skip
    _less(
        ledger, where, "error of theta is below (p,l)-angelization and (k,l)-diversity", found,
        _count_error, ROWS, (PL, KL), ANOTHER_TABLE,
    )  # fmt: skip
    _picture(
        ledger,
        "figure-7a",
        f"Figure 7a: mean relative error of queries of selectivity {SELECTIVITY:g}",
        ks,
        found,
        _count_error,
        note="every row counts that may be meant; gaps: no release",
    )


def _figure_7b(ledger: Ledger, patients: Patients, found: Runs, seed: int, queries: int) -> None:
    where = "Figure 7b"
    made = {name: runs[K] for name, runs in found.items() if K in runs and runs[K].made}
    errors: dict[str, list[float | None]] = {name: [] for name in made}
    for share in SELECTIVITIES:
        plain = _questions(patients, share, seed, queries, categories=False)
        for name, run in made.items():
            assert run.table is not None
            assert run.published is not None
            own = Asked(plain).over(run.table).plain.error(run.published)
            errors[name].append(own.errors["count"]["overlap"].mean)
    for name, values in errors.items():
        first, last = values[0] or 0.0, values[-1] or 0.0
        _claim(
            ledger,
            where,
            f"the error falls as selectivity rises: {name}",
            True,
            f"{first:.3f} at {SELECTIVITIES[0]:g}, {last:.3f} at {SELECTIVITIES[-1]:g}",
            last < first,
            ANOTHER_TABLE,
        )
    ledger.sheet(
        "figure-7b",
        f"Figure 7b: mean relative error by selectivity, k = {K}",
        ("selectivity", *errors),
        [(share, *row) for share, *row in zip(SELECTIVITIES, *errors.values(), strict=True)],
    )
    ledger.picture(
        "figure-7b",
        Lines(
            f"Figure 7b: mean relative error of queries, k = {K}",
            tuple(f"{share:g}" for share in SELECTIVITIES),
            errors,
            "selectivity",
        ),
    )


def _figure_8(ledger: Ledger, found: Runs, ks: Sequence[int]) -> None:
    where = "Figure 8a"
    total = {
        name: sum(run.vulnerable or 0 for run in found[name].values() if run.made)
        for name in METHODS
    }
    for name in METHODS:
        ledger.unprinted(
            where, f"people whose exact record is in the release, all k: {name}", total[name],
            NOT_PRINTED,
            {str(k): found[name][k].vulnerable for k in ks if found[name][k].made},
        )  # fmt: skip
    ledger.claim(
        where,
        "records found by intersection: fewest for theta-star",
        True,
        f"{total[THETA_STAR]}, by construction",
        total[THETA_STAR] <= min(total[name] for name in COMPARED),
        "no category is a symptom: it would be 0 of exact quasi-identifiers, too",
    )
    _claim(
        ledger,
        where,
        "more are found of (k,l)-diversity and (p,l)-angelization than of theta on rows",
        True,
        f"{total[KL]} and {total[PL]}, {total[ROWS]}",
        min(total[KL], total[PL]) > total[ROWS],
        "half of the classes of two records are one person's, with exact values",
    )
    for least, word in (("0.5", "0.5"), ("certain", "certainty")):
        for name in METHODS:
            ledger.unprinted(
                where,
                f"people of whom something true is believed with {word}, k = {ks[0]}: {name}",
                found[name][ks[0]].believed(least),
                "what should be counted in place of the intersection",
            )
    alone = found[ROWS][ks[0]]
    ledger.claim(
        where,
        f"classes of theta on rows hold k = {ks[0]} people",
        True,
        f"{alone.alone:.1%} are one person's",
        not alone.alone,
        "k records of one person are a class",
    )
    where = "Figure 8b"
    _printless(ledger, where, found, ks, _linked, "linkability")
    for name in METHODS:
        values = [_linked(found[name][k]) or 0.0 for k in _made(found[name])]
        _claim(
            ledger,
            where,
            f"linkability falls as k grows: {name}",
            True,
            _span(found[name], _linked),
            all(one >= other for one, other in itertools.pairwise(values)),
            ANOTHER_TABLE,
        )
    own = found[THETA_STAR]
    worst = max((_linked(own[k]) or 0.0 for k in _made(own)), default=0.0)
    ledger.claim(
        where,
        "linkability almost vanishes: theta-star",
        True,
        f"up to {worst:.1%} of people",
        worst < 0.01,
        "it is about the number of classes, and linkage to buckets does not enter it",
    )
    better, of = _least(found, _linked, THETA_STAR, (KL, PL, ROWS))
    _claim(
        ledger,
        where,
        "linkability of theta-star is the lowest of the four",
        "for all k",
        f"for {better} of {of} k",
        better == of > 0,
        "the wider the cells, the lower it is; wide cells are what the other figures call a loss",
    )
    ledger.unprinted(
        where,
        f"k = {ks[0]}, linkability: {GUARDED}",
        _linked(found[GUARDED][ks[0]]),
        "narrow cells, no made-up people",
    )
    _picture(ledger, "figure-8b", "Figure 8b: record linkability, per person", ks, found, _linked)
    _picture(
        ledger,
        "figure-8a",
        "Figure 8a in other words: people of whom something true is believed with 0.5",
        ks,
        found,
        Run.believed,
    )


def _figure_9(ledger: Ledger, found: Runs, by_size: Runs, ks: Sequence[int]) -> None:
    where = "Figure 9a"
    for k in ks:
        for name in METHODS:
            run = found[name][k]
            ledger.unprinted(
                where,
                f"k = {k}, {name}, seconds",
                run.seconds,
                "of this run; " + (NOT_PRINTED if run.made else "without a release"),
            )
    order = sorted(COMPARED, key=lambda name: -sum(run.seconds for run in found[name].values()))
    ledger.unprinted(
        where,
        "from the slowest to the fastest",
        ", ".join(order),
        "of this run; the paper: (p,l)-angelization, theta-star, theta, (k,l)-diversity",
    )
    sizes = sorted({size for runs in by_size.values() for size in runs})
    for name, title, places, runs, across in (
        ("figure-9a", "Figure 9a: time", ks, found, "k"),
        ("figure-9b", f"Figure 9b: time, k = {K}", sizes, by_size, "people"),
    ):
        _picture(
            ledger, name, title, places, runs, lambda run: 1000 * run.seconds, across=across,
            unit="milliseconds", note="of this run; gaps: no release",
        )  # fmt: skip


def _printless(
    ledger: Ledger, where: str, found: Runs, ks: Sequence[int], read: Read, what: str
) -> None:
    for k in ks:
        for name in METHODS:
            if found[name][k].made:
                ledger.unprinted(
                    where, f"k = {k}, {what}: {name}", read(found[name][k]), NOT_PRINTED
                )


def _picture(
    ledger: Ledger,
    name: str,
    title: str,
    places: Sequence[int],
    runs: Runs,
    read: Read,
    across: str = "k",
    unit: str = "",
    note: str = "gaps: no release",
) -> None:
    values = {
        method: [read(own[at]) if at in own and own[at].made else None for at in places]
        for method, own in runs.items()
    }
    groups = tuple(f"{place:g}" for place in places)
    ledger.picture(name, Lines(title, groups, values, across, unit=unit, note=note))
