"""Victor and Lopez (2020), computed again: tables, graphs, risks, ranks, bends, and what leaks.

Tables and graphs of the paper are quoted in :mod:`.victor_lopez_tables`; what it
computes on the Adult census table, and the split by sensitivity that it proposes, is in
:mod:`.victor_lopez_adult`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

import indistinct as ind
from indistinct.report.graphs import GraphPicture
from indistinct_reproductions.drawing import Lines
from indistinct_reproductions.reproduction import Ledger, Progress, Reproduction
from indistinct_reproductions.reproduction import Value as Shown
from indistinct_reproductions.reproduction import Verdict as Outcome
from indistinct_reproductions.victor_lopez_adult import experiments, printed_selection, read_adult
from indistinct_reproductions.victor_lopez_tables import (
    ALL_PARTS,
    DIAGNOSIS,
    FIGURE_7,
    GRAPHS,
    JOBS,
    PARALLEL,
    QUASI,
    RANKS,
    SIZES,
    STAND_INS,
    STATUS,
    TABLE_VI,
    THRESHOLD,
    Graph,
    age_range,
    table_ii,
    table_iii,
)

NAME = "victor-lopez"
USUAL: Mapping[Outcome, str] = {"truncated": "cut off after the last digit printed, not rounded"}
"""Most figures of the paper are rounded; only those that are not need a word."""

HARM = ("N",)
"""Discharge status of who was not discharged."""

BINS = (3, 4, 5, 6)
ENDS = (10, 12, 15, 20, 21)
"""Last k of a range that begins at 2, for the curve 1/k."""


def reproduce(
    data: Path | None = None, *, seed: int = 0, progress: Progress | None = None
) -> Reproduction:
    """The paper, computed again; ``data`` is the folder of the Adult table and its hierarchies."""
    ledger = Ledger(USUAL)
    tell = progress or (lambda stage, share: None)
    tell("tables and graphs", None)
    _table_iii(ledger)
    _definitions(ledger)
    _graphs(ledger)
    _ranks(ledger)
    _bends(ledger)
    _risks(ledger)
    _bins(ledger)
    _quality(ledger)
    ledger.left_out.append(
        ("the toy and the disease table of Table V", "they were not published with the paper")
    )
    if data is None:
        ledger.left_out.append(
            (
                "Table VI, Figures 6 and 8 to 11, the split by salary",
                "they need the folder of the Adult table and its hierarchies (--data)",
            )
        )
    else:
        experiments(ledger, read_adult(data), tell)
    return Reproduction(
        paper=NAME,
        source="Victor and Lopez (2020), Privacy Preserving Sensitive Data Publishing Using "
        "(k,n,m) Anonymity Approach",
        items=tuple(ledger.items),
        sheets=tuple(ledger.sheets),
        pictures=tuple(ledger.pictures),
        left_out=tuple(ledger.left_out),
        seed=None,
    )


# -------- Tables II and III --------


def generalized() -> pl.DataFrame:
    """Table II as section III makes it coarser: ages in ranges of five, jobs by kind."""
    return table_ii().select(
        pl.Series("Age", [age_range(age) for age in table_ii()["Age"].to_list()]),
        "Gender",
        pl.Series("Job", [JOBS.generalize(job, 1) for job in table_ii()["Job"].to_list()]),
        STATUS,
        DIAGNOSIS,
    )


def ranks() -> dict[Any, int]:
    """The rank of every diagnosis of Table II by how often people with it were not discharged."""
    counted = table_ii().group_by(DIAGNOSIS, STATUS, maintain_order=True).len().rows()
    return ind.ranks_by_score(ind.share_of_harm(counted, HARM))


def kept(model: str, **parameters: Any) -> Any:
    """What the audit says of one promise about Table III."""
    about = {} if model == "k-anonymity" else {"sensitive": DIAGNOSIS}
    policy = {
        "attributes": {
            **{name: {"role": "quasi-identifier", "hierarchy": "suppress"} for name in QUASI},
            DIAGNOSIS: {"role": "sensitive", "ranks": {"table": ranks()}},
        },
        "promises": [{"model": model, **parameters, **about}],
    }
    found: ind.Audit = ind.audit(table_iii().drop("Sl No"), policy)
    return found.promises[0]


def _table_iii(ledger: Ledger) -> None:
    where, printed = "Table III", table_iii().drop("Sl No")
    own = generalized()
    agree = sum((Counter(own.rows()) & Counter(printed.rows())).values())
    ledger.same(where, "rows that Table II gives, made coarser", printed.height, agree)
    classes = printed.group_by(QUASI).agg(
        size=pl.len(),
        values=pl.col(DIAGNOSIS).n_unique(),
    )
    ledger.same(where, "k", 2, kept("k-anonymity", k=2).achieved["k"])
    ledger.same(where, "classes", 6, classes.height)
    ends = Counter(end for label in printed["Age"].unique() for end in label.split("-"))
    twice = sorted(end for end, times in ends.items() if times > 1)
    ledger.claim(
        where,
        "an age is in one range",
        True,
        f"{', '.join(twice)} end one range and begin the next",
        not twice,
        "read as 20 to 24, 25 to 29 and so on, as all ages of Table II go",
    )
    alike = classes.height - int(
        printed.group_by([name for name in QUASI if name != STATUS])
        .agg(states=pl.col(STATUS).n_unique())
        .filter(pl.col("states") > 1)
        .height
    )
    ledger.unprinted(
        where,
        "classes by age, gender and job in which all have the same discharge status",
        alike,
        "the status is published, and by it ranks are given: every class tells the rank",
    )
    risk = ind.risk(printed, quasi=QUASI, threshold=THRESHOLD).prosecutor
    for name, value in zip(("R1", "R2", "R3"), risk.to_dict().values(), strict=True):
        ledger.unprinted(where, f"prosecutor's {name}, threshold {THRESHOLD:g}", value)
    ledger.sheet(
        "table-iii",
        "Table III: its classes",
        (*QUASI, "records", "diagnoses"),
        classes.sort(QUASI).rows(),
    )


def _definitions(ledger: Ledger) -> None:
    labels = table_ii()[DIAGNOSIS].n_unique()
    ledger.same("Example 3", "values of the sensitive attribute", 5, labels)
    ledger.same(
        "Example 6",
        "ranks of sensitivity",
        "m1 to m5",
        f"1 to {len(RANKS)}",
        "one for every value in the example, four in all by Table IV and section IV.D",
    )
    known = ranks()
    ledger.unprinted(
        "Example 6",
        "diagnoses that discharge status ranks as critical",
        ", ".join(sorted(str(value) for value, rank in known.items() if rank == 1)),
        "",
        {str(value): rank for value, rank in known.items()},
    )
    both = {str(rank): 2 for rank in set(known.values())}
    ledger.same(
        "Definition 6",
        "Table III has 2 records to every rank of its classes",
        True,
        kept("knm-anonymity", k=both, diversity=False).holds,
    )
    least = kept("knm-anonymity", k=both).achieved["diversity"]
    ledger.same(
        "Example 6",
        "different values in every class: c/2 of five, and those of Table III",
        "2.5",
        str(least),
        "rounded down its own table keeps it, rounded up not; for two values it would say nothing, "
        "so that two are the least",
    )


# -------- Figures 2 to 5: graphs of attributes --------


def found_in(graph: Graph) -> ind.QuasiIdentifiers | None:
    """The quasi-identifiers of a graph; None where no cut can protect."""
    try:
        return graph.found()
    except ind.Unsatisfiable:
        return None


def _graphs(ledger: Ledger) -> None:
    first = PARALLEL.found()
    ledger.claim(
        "Section IV.A",
        "quasi-identifiers of Figure 2 are cut vertices",
        "all of them",
        f"{len(first.cuts.single)} of {len(first.quasi_identifiers)}",
        bool(first.cuts.single),
        "side by side none cuts all ways; together they do, as the smallest set that does",
    )
    parts = ALL_PARTS.found()
    ledger.claim(
        "Section IV.A",
        "an address replaced by all of its parts leaves the graph connected",
        "connected",
        f"cut by {', '.join(parts.quasi_identifiers)}",
        not parts.quasi_identifiers,
        "so it is with single vertices only",
    )
    stand_ins = STAND_INS.found()
    ledger.unprinted(
        "Figure 5",
        "quasi-identifiers over all replacements",
        ", ".join(stand_ins.quasi_identifiers),
        "whatever derives from a quasi-identifier, and each of its parts, is one",
    )
    rows: list[tuple[Shown, ...]] = []
    for name, graph in GRAPHS.items():
        found = found_in(graph)
        if found is None:
            rows.append((name, *(None,) * 4, "a way passes no attribute of the table: refused"))
            continue
        cuts = found.cuts
        sides = (cuts.source_side, cuts.sink_side, cuts.union)
        union = ", ".join(found.quasi_identifiers) or "none"
        rows.append((name, *map(", ".join, sides), float(cuts.value), union))
    ledger.sheet(
        "graphs",
        "Graphs of attributes, their smallest cuts, and the quasi-identifiers",
        (
            "graph",
            "nearest to identifiers",
            "nearest to what is sensitive",
            "in any",
            "cost",
            "quasi-identifiers",
        ),
        rows,
    )
    for name, title, cut in (
        ("figure-2", "Figure 2: quasi-identifiers side by side", first),
        ("figure-5", "Figures 4 and 5: what stands for what", stand_ins),
    ):
        ledger.picture(name, GraphPicture(title, cut.graph, cut.quasi_identifiers))
    for at, variant in enumerate(stand_ins.variants, 1):
        title = f"Figure 5: {variant.by} in place of {variant.replaced}"
        picture = GraphPicture(title, variant.graph, variant.cuts.union)
        ledger.picture(f"figure-5-{at}", picture)


# -------- Figure 7: ranks; section IV.D: bends --------


def _ranks(ledger: Ledger) -> None:
    ledger.same(
        "Figure 7",
        "ranks",
        10,
        len(RANKS),
        "causes of death by their number: an order, of which no four ranks are made in the paper; "
        "here a rank is a quarter of the range",
    )
    found = {year: ind.ranks_by_score(deaths) for year, deaths in FIGURE_7.items()}
    for year, by_cause in found.items():
        graded = Counter(by_cause.values())
        ledger.unprinted(
            "Figure 7",
            f"{year}: causes that are critical, major, medium, low",
            ", ".join(str(graded[rank]) for rank in RANKS),
        )
    ledger.sheet(
        "figure-7",
        "Figure 7: ranks by deaths, each a quarter of the range",
        ("year", "cause", "deaths", "rank", ""),
        [
            (year, cause, deaths, found[year][cause], RANKS[found[year][cause]])
            for year, causes in FIGURE_7.items()
            for cause, deaths in causes.items()
        ],
    )


def bends_of_reciprocal(last: int) -> tuple[int, ...]:
    """Every k at which the curve 1/k over 2 to ``last`` is farthest below its chord.

    >>> bends_of_reciprocal(10), bends_of_reciprocal(20)
    ((4, 5), (6,))
    """
    below = {k: Fraction((last - k) * (k - 2), k * (last - 2)) for k in range(2, last + 1)}
    most = max(below.values())
    return tuple(k for k, d in below.items() if d == most)


def _bends(ledger: Ledger) -> None:
    printed = printed_selection()
    for name, own in printed.elbows.items():
        most = max(own.d)
        farthest = [k for k, d in zip(own.ks, own.d, strict=True) if d >= most - 1e-9]
        ledger.unprinted(
            "Table VI",
            f"{name.replace('_', ' ')}: k where the printed curve bends",
            " or ".join(map(str, farthest)),
            f"{most:.4f} below the chord",
            {str(k): round(d, 4) for k, d in zip(own.ks, own.d, strict=True)},
        )
    ledger.same("Section V.B", "k that the printed curves speak for", 5, printed.k)
    least = min(TABLE_VI)
    highest = [float(row[1]) for row in TABLE_VI.values()]
    ledger.same(
        "Table VI",
        "highest risks that are 100 / k, whatever the table",
        len(highest),
        sum(abs(value - 100 / k) < 0.005 for k, value in zip(TABLE_VI, highest, strict=True)),
    )
    for last in ENDS:
        ks = range(least, last + 1)
        ledger.unprinted(
            "Section IV.D",
            f"highest risk over k = {least} to {last}: where it bends in every table",
            " or ".join(map(str, bends_of_reciprocal(last))),
            "near the square root of twice the last k",
            {"larger of equals": ind.elbow(list(ks), [1 / k for k in ks]).k},
        )
    ledger.picture(
        "bends",
        Lines(
            "Where the curve 1/k bends, by the last k that is looked at",
            tuple(map(str, range(5, 41))),
            {"bend": [float(bends_of_reciprocal(last)[-1]) for last in range(5, 41)]},
            across="last k",
            note="the highest risk of classes of k is 1/k, whatever the table",
        ),
    )


# -------- Section IV.E: three attackers --------


def _risks(ledger: Ledger) -> None:
    rows: list[tuple[Shown, ...]] = []
    ordered = at_risk = 0
    for sizes, people in SIZES:
        own, all_ = (
            pl.DataFrame({"class": [at for at, n in enumerate(counts) for _ in range(n)]})
            for counts in (sizes, people)
        )
        risk = ind.risk(own, quasi=["class"], population=all_, threshold=THRESHOLD)
        first, second, third = risk.prosecutor, risk.journalist, risk.marketer
        assert second is not None
        assert third is not None
        ordered += first.highest >= second.highest and first.success >= second.success >= third
        at_risk += first.at_risk >= second.at_risk >= third
        rows.append(
            (
                ", ".join(map(str, sizes)),
                ", ".join(map(str, people)),
                *first.to_dict().values(),
                *second.to_dict().values(),
                third,
            )
        )
    ledger.sheet(
        "attackers",
        f"Equations 5 to 12 for small classes, threshold {THRESHOLD:g}",
        (
            "records of the classes",
            "people",
            *(f"{who} R{n}" for who in ("prosecutor", "journalist") for n in (1, 2, 3)),
            "marketer",
        ),
        rows,
    )
    of = f"{len(SIZES)} of {len(SIZES)}"
    ledger.claim(
        "Section IV.E",
        "prosecutor's risk, journalist's, marketer's: each not below the next, by R2 and R3",
        of,
        f"{ordered} of {len(SIZES)}",
        ordered == len(SIZES),
        "",
    )
    ledger.claim(
        "Section IV.E",
        "the same of the records at risk, R1",
        of,
        f"{at_risk} of {len(SIZES)}",
        at_risk == len(SIZES),
        "R1 counts records above a threshold: nobody may be above it, and the average be above 0",
    )


# -------- Section V.B: equal frequency, quality --------


def _ages() -> list[str]:
    return sorted(table_ii()["Age"].to_list(), key=int)


def _bins(ledger: Ledger) -> None:
    ages = _ages()
    rows: list[tuple[Shown, ...]] = []
    for bins in BINS:
        whole = ind.Taxonomy("Age", [(age, "*") for age in ages])
        even = ind.equalization("Age", ages, [1] * len(ages), whole, bins=bins).equalized
        sizes = dict(zip(even.labels, even.records, strict=True))
        rows += [(bins, label, count) for label, count in sizes.items()]
        ledger.unprinted(
            "Section V.B",
            f"ages of Table II in {bins} ranges of equal frequency: records of each",
            ", ".join(map(str, sizes.values())),
            "",
            {str(label): count for label, count in sizes.items()},
        )
    ledger.sheet(
        "equal-frequency",
        "Ages of Table II in ranges of equal frequency",
        ("ranges", "range", "records"),
        rows,
    )


def quality_of_ages(tight: bool = True) -> dict[str, float | None]:
    """What is left of the ages of Table II in Table III: each 1 where nothing is lost.

    Arguments:
        tight: a class stands for the ages that are in it; else for the range that is printed.
    """
    ages = _ages()
    labels = {age: f"{int(age) // 5 * 5}-{int(age) // 5 * 5 + 4}" for age in ages}
    taxonomy = ind.Taxonomy("Age", [(age, labels[age], "*") for age in ages])
    wide = {age: f"[{int(age) // 5 * 5}, {int(age) // 5 * 5 + 5}]" for age in ages}
    cells = pl.DataFrame({"Age": [(labels if tight else wide)[age] for age in ages]})
    policy = {
        "attributes": {"Age": {"role": "quasi-identifier", "hierarchy": taxonomy}},
        "promises": [{"model": "k-anonymity", "k": 1}],
    }
    compared = ind.compare(pl.DataFrame({"Age": ages}), {"III": cells}, policy=policy, queries=1)
    quality: dict[str, float | None] = compared.releases[0].to_dict()["quality"]
    return quality


def _quality(ledger: Ledger) -> None:
    names = (
        "generalization_intensity",
        "granularity",
        "non_uniform_entropy",
        "squared_error",
        "discernibility",
        "average_class_size",
    )
    found = quality_of_ages()
    for name in names:
        ledger.unprinted("Section V.B", f"ages of Table III, {name.replace('_', ' ')}", found[name])
    ledger.unprinted(
        "Section V.B",
        "ages of Table III, squared error to the ends of the printed ranges",
        quality_of_ages(tight=False)["squared_error"],
    )
