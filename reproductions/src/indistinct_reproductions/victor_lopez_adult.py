"""Victor and Lopez (2020) on the Adult census table: Tables V and VI, Figures 6 and 8 to 11.

What is needed is the table of the benchmarks of ARX, which the paper was computed with, and a
hierarchy of every attribute; the paper prints that of age alone. With these files its releases come
out all but exactly: for every k the best release of least loss over *nine* attributes, salary
among them, and any share of records suppressed. What is left is one country: the figures are those
of a hierarchy in which England is not in Europe (:func:`england_apart`).

The split by salary, which section V announces, is in none of its figures. It is made here with
eight quasi-identifiers, k = 5 and up to 5 % of the records suppressed, and shown to an attacker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

import indistinct as ind
from indistinct_reproductions.charts import HeatMap, Histograms
from indistinct_reproductions.drawing import Bars, Lines
from indistinct_reproductions.reproduction import Ledger, Value, verdict_of
from indistinct_reproductions.trees import taxonomy_tree
from indistinct_reproductions.victor_lopez_tables import (
    COLUMNS,
    FIGURE_11,
    FIGURES,
    MISSING,
    RECORDS,
    TABLE_V,
    TABLE_VI,
    THRESHOLD,
)

if TYPE_CHECKING:
    from indistinct.analytics.risk.reidentification import Criteria, RiskCurve
    from indistinct.analytics.utility.contingency import Counts
    from indistinct.analytics.utility.histogram import Histogram

FILE: Final = "adult.csv"
HIERARCHY: Final = "adult_hierarchy_{}.csv"
FILES: Final = (FILE, *(HIERARCHY.format(name) for name in COLUMNS))

SALARY: Final = "salary-class"
EIGHT: Final = tuple(name for name in COLUMNS if name != SALARY)
COUNTRY, ENGLAND, APART = "native-country", "England", "England apart"

KS: Final = tuple(TABLE_VI)
FURTHER: Final = tuple(range(2, 21))
"""The range of the algorithm in section IV.D; that of the experiment ends at 10."""

SPLIT_K: Final = 5
SPLIT_LIMIT: Final = 0.05
"""The k that the paper chooses; it does not print how many records a split may lose."""

RANKS: Final[Mapping[str, int]] = {">50K": 1, "<=50K": 4}
"""The two salaries; one is more sensitive than the other, and which does not matter here."""

SHOWN_K: Final = (2, 5, 10)
BOUNDS: Final = {1: 5, 2: 10, 3: 20}
"""Figure 6a: how many years wide the ranges of age are on each level, from 1 on."""


@dataclass(frozen=True, eq=False)
class Adult:
    """The table and a hierarchy for every attribute of :data:`COLUMNS`."""

    texts: pl.DataFrame
    taxonomies: Mapping[str, ind.Taxonomy]

    def policy(
        self, promise: Mapping[str, Any], columns: Sequence[str] = COLUMNS, **method: Any
    ) -> dict[str, Any]:
        """The best release of least loss (geometric mean) that keeps a promise.

        Arguments:
            promise: what is promised.
            columns: the quasi-identifiers; salary is sensitive where it is none of them.
            method: how else; any share of records may be suppressed, unless this says otherwise.
        """
        sensitive = {"role": "sensitive", "ranks": {"table": RANKS}}
        return {
            "attributes": {
                name: {"role": "quasi-identifier", "hierarchy": self.taxonomies[name]}
                if name in columns
                else sensitive
                for name in COLUMNS
            },
            "promises": [promise],
            "method": {"algorithm": "optimal", "suppression_limit": 1.0, "seed": 0, **method},
            "output": {"shuffle": False},
            "risk": {"threshold": THRESHOLD},
        }


def read_adult(folder: Path) -> Adult:
    """The table and the hierarchies of a folder.

    Raises:
        DataError: for files that are missing, a table without the columns, or hierarchies that do
            not cover its values.
        HierarchyError: for a file that is no hierarchy.
    """
    from indistinct.sources.files import read_table
    from indistinct.sources.packed import PACKED

    packed = (folder / f"{FILE}{ending}" for ending in ("", *PACKED))
    path = next((path for path in packed if path.is_file()), folder / FILE)
    remedy = "--data names the folder that holds the table and a hierarchy for every attribute"
    missing = [one for one in (path, *_hierarchies(folder)) if not one.is_file()]
    if missing:
        raise ind.DataError(
            [
                ind.Problem("missing-file", "there is no such file", file=str(one), remedy=remedy)
                for one in missing
            ]
        )
    read = read_table(path)
    lacking = [name for name in COLUMNS if name not in read.columns]
    if lacking:
        raise ind.DataError("unknown-column", f"has no column {', '.join(lacking)}", file=str(path))
    taxonomies = {
        name: ind.read_hierarchy(file, name)
        for name, file in zip(COLUMNS, _hierarchies(folder), strict=True)
    }
    problems = []
    for name, taxonomy in taxonomies.items():
        strange = ~read[name].is_in(list(taxonomy.leaves)) | read[name].is_null()
        rows = strange.arg_true()
        if len(rows):
            problems.append(
                ind.Problem(
                    "uncovered-value",
                    "has values that its hierarchy does not cover",
                    file=str(path),
                    attribute=name,
                    rows=tuple((rows.head(11) + 1).to_list()),
                )
            )
    if problems:
        raise ind.DataError(problems)
    return Adult(read.select(COLUMNS), taxonomies)


def _hierarchies(folder: Path) -> list[Path]:
    return [folder / HIERARCHY.format(name) for name in COLUMNS]


def england_apart(adult: Adult) -> Adult:
    """The same table, with England in a group of its own wherever countries are grouped.

    The paper does not print its hierarchy of countries. Of all that differ from the one beside the
    table by the group of a single country, only this gives Figure 11 and Table VI, and one in which
    England joins the single country of Africa, which cannot be told from it: both are suppressed.
    """
    taxonomy = adult.taxonomies[COUNTRY]
    chains = [
        (chain[0], *(APART for _ in chain[1:-1]), chain[-1]) if chain[0] == ENGLAND else chain
        for chain in taxonomy.chains
    ]
    return Adult(adult.texts, {**adult.taxonomies, COUNTRY: ind.Taxonomy(COUNTRY, chains)})


def experiments(ledger: Ledger, adult: Adult, tell: Callable[[str, float | None], None]) -> None:
    """All that the paper computes on the table, in its order, and the split that it announces."""
    _table_v(ledger, adult)
    _figure_6(ledger, adult)
    apart = england_apart(adult)
    tell("releases for k = 2 to 20", None)
    _, own = risk_of(adult, KS)
    raw, further = risk_of(apart, FURTHER)
    near = replace(further, points=further.points[: len(KS)])
    _beside_the_table(ledger, own)
    with ledger.marked("fitted"):
        _figure_8(ledger, apart)
        _figure_9(ledger, raw, near)
        _table_vi(ledger, own, near, risk_of(apart, KS, EIGHT)[1])
        _figure_10(ledger, near, further)
        tell("quality of the releases", None)
        _figure_11(ledger, apart)
    tell("the table split by salary", None)
    _split(ledger, adult)


# -------- Table V, Figure 6 --------


def _table_v(ledger: Ledger, adult: Adult) -> None:
    ledger.same(
        "Table V",
        "records of the Adult table",
        RECORDS,
        adult.texts.height,
        "another file than the paper's",
    )
    ledger.same(
        "Table V",
        "Adult, values of the sensitive attribute, salary",
        TABLE_V["Adult"][1],
        adult.texts[SALARY].n_unique(),
    )
    ledger.transcribed(
        "Table V",
        "Adult, quasi-identifiers",
        TABLE_V["Adult"][0],
        len(FIGURE_11[2]),
        "Figure 11 has salary among them, and Table VI comes out with all nine only",
    )


def _figure_6(ledger: Ledger, adult: Adult) -> None:
    ages = adult.taxonomies["age"]
    whole = [leaf for leaf in ages.leaves if leaf is not None and leaf.isdecimal()]
    as_printed = 0
    for level, width in BOUNDS.items():
        groups: dict[str | None, set[int]] = {}
        for leaf in whole:
            groups.setdefault(ages.generalize(leaf, level), set()).add((int(leaf) - 1) // width)
        as_printed += len(groups) == len({(int(leaf) - 1) // width for leaf in whole}) and all(
            len(own) == 1 for own in groups.values()
        )
    ledger.same(
        "Figure 6a",
        "levels of age that group years as printed: 1-5, 1-10, 1-20",
        len(BOUNDS),
        as_printed,
        "another hierarchy than the paper's",
    )
    ledger.same(
        "Figure 6a",
        "what the first five years are called",
        "[1, 5]",
        ages.generalize(whole[0], 1),
        "the file beside the table has the same ranges under other names",
    )
    values, counts = adult.texts["age"].value_counts().sort("age").get_columns()
    found = ind.equalization("age", values.to_list(), counts.to_list(), ages, level=1)
    for stage, held in found.stages.items():
        ledger.unprinted(
            "Figure 6",
            f"age, {stage}: records of the fullest label over those of the emptiest",
            round(held.unevenness or 0.0, 2),
            "equal bins of equal numbers would give 1; equal ages are never split"
            if held is found.equalized
            else "",
            {"labels": len(held.labels)},
        )
    (tree,) = taxonomy_tree([ages], "Figure 6a")
    ledger.picture("figure-6a", tree)
    ledger.picture("figure-6", _histograms(found))


def _histograms(found: ind.Equalization) -> Histograms:
    def bars(held: Histogram) -> dict[str, int]:
        return {label or "missing": n for label, n in zip(held.labels, held.records, strict=True)}

    names = ("ages as they are", "in ranges of five years", "in as many ranges of equal frequency")
    return Histograms(
        "Figures 6b to 6d: how ages are distributed",
        {name: bars(held) for name, held in zip(names, found.stages.values(), strict=True)},
    )


# -------- Releases for every k --------


def anonymous(k: int) -> dict[str, Any]:
    """The promise of k-anonymity."""
    return {"model": "k-anonymity", "k": k}


def risk_of(
    adult: Adult, ks: Sequence[int], columns: Sequence[str] = COLUMNS
) -> tuple[Criteria, RiskCurve]:
    """The prosecutor's risk of the table, and of the best release for every k from 2 on."""
    found = ind.risk(adult.texts, adult.policy(anonymous(2), columns), k_range=(ks[0], ks[-1]))
    assert found.curve is not None
    return found.prosecutor, found.curve


def released(adult: Adult, k: int) -> ind.Release:
    """The best release for k, all nine attributes as quasi-identifiers."""
    return ind.anonymize(adult.texts, adult.policy(anonymous(k)))


def measured(adult: Adult, k: int, **asked: Any) -> ind.Comparison:
    """What is left in the best release for k."""
    policy = adult.policy(anonymous(k))
    return ind.compare(adult.texts, released(adult, k), policy=policy, queries=1, **asked)


# -------- Figures 8 and 9 --------


def _figure_8(ledger: Ledger, adult: Adult) -> None:
    found = measured(adult, SPLIT_K, contingency=("age", "sex")).contingency
    assert found is not None
    (after,) = found.after.values()
    for name, title, counts in (
        ("figure-8a", "Figure 8a: age and sex as they are", found.before),
        ("figure-8b", f"Figure 8b: age and sex in the release for k = {SPLIT_K}", after),
    ):
        ledger.picture(name, _heat_map(title, counts))
    ledger.unprinted(
        "Figure 8",
        "pairs of age and sex that occur, before",
        int(np.count_nonzero(found.before.counts)),
    )
    ledger.unprinted(
        "Figure 8",
        f"pairs of age and sex that occur in the release for k = {SPLIT_K}",
        int(np.count_nonzero(after.counts)),
        "Figure 8b has sex generalized; the best releases keep it",
    )


def _heat_map(title: str, counts: Counts) -> HeatMap:
    return HeatMap(
        title,
        tuple(label or "missing" for label in counts.rows),
        tuple(label or "missing" for label in counts.columns),
        counts.counts.tolist(),
    )


def _figure_9(ledger: Ledger, raw: Criteria, curve: RiskCurve) -> None:
    risks = {"as it is": raw} | {
        f"k = {point.k}": point.risk for point in curve.points if point.k in SHOWN_K
    }
    for what, value in (
        ("records at risk", raw.at_risk),
        ("highest risk", raw.highest),
        ("success rate", raw.success),
    ):
        ledger.unprinted("Figure 9", f"the table as it is, {what}, percent", 100 * value)
    ledger.picture(
        "figure-9",
        Bars(
            "Figure 9: risk of the table as it is, and of releases",
            tuple(risks),
            {
                name: [round(100 * value, 2) for value in values]
                for name, values in _by_criterion(risks.values()).items()
            },
            unit="percent",
            note=f"a record is at risk where its risk is above {THRESHOLD:g}",
        ),
    )


def _by_criterion(risks: Iterable[Criteria]) -> dict[str, list[float]]:
    held = list(risks)
    return {
        "records at risk": [one.at_risk for one in held],
        "highest risk": [one.highest for one in held],
        "success rate": [one.success for one in held],
    }


# -------- Table VI --------


def _beside_the_table(ledger: Ledger, own: RiskCurve) -> None:
    ledger.same(
        "Table VI",
        "k = 10, records that are kept: hierarchies as they lie beside the table",
        round(RECORDS * (1 - float(MISSING[10]) / 100)),
        round(own.points[-1].kept * RECORDS),
        "countries were grouped otherwise: with England in a group of its own all of Figure 11c "
        "comes out; so it is from here on",
    )


def _table_vi(ledger: Ledger, own: RiskCurve, near: RiskCurve, eight: RiskCurve) -> None:
    ledger.same(
        "Table VI",
        "k = 10, records that are kept: England in a group of its own",
        round(RECORDS * (1 - float(MISSING[10]) / 100)),
        round(near.points[-1].kept * RECORDS),
    )
    for point in near.points:
        for what, printed, value in zip(
            ("records at risk", "highest risk", "success rate"),
            TABLE_VI[point.k],
            _percent(point.risk),
            strict=True,
        ):
            with ledger.marked("forced" if _forced(what, point.k) else "fitted"):
                ledger.figure(
                    "Table VI",
                    f"k = {point.k}, {what}, percent",
                    printed,
                    value,
                    "the release is that of the other figures of this k",
                )
    figures = sum(map(len, TABLE_VI.values()))
    ledger.claim(
        "Section V.A",
        "eight quasi-identifiers, and a release for every salary by itself",
        "8, in splits",
        f"{_agreeing(eight)} of {figures} figures with 8, {_agreeing(near)} with all 9",
        _agreeing(eight) > _agreeing(near),
        "Table VI is of releases of the whole table, salary one of nine quasi-identifiers; nothing "
        "was split, and any share of the records could be suppressed",
    )
    names = ("hierarchies beside the table", "England apart", "eight quasi-identifiers")
    ledger.sheet(
        "table-vi",
        "Table VI: risk of the best releases for every k, in percent",
        (
            "k",
            *(f"{what}, printed" for what in ("at risk", "highest", "success")),
            *(
                f"{what}, {name}"
                for name in names
                for what in ("at risk", "highest", "success", "kept")
            ),
        ),
        [
            (
                points[0].k,
                *map(float, TABLE_VI[points[0].k]),
                *(v for one in points for v in (*_percent(one.risk), 100 * one.kept)),
            )
            for points in zip(own.points, near.points, eight.points, strict=True)
        ],
    )


def _forced(what: str, k: int) -> bool:
    """Whether any table has this risk: 1/k where a class has k records, and 0 where 1/k is none."""
    return what == "highest risk" or (what == "records at risk" and k * THRESHOLD >= 1)


def _percent(risk: Criteria) -> tuple[float, float, float]:
    return 100 * risk.at_risk, 100 * risk.highest, 100 * risk.success


def _agreeing(found: RiskCurve) -> int:
    """How many figures of Table VI are those of this curve."""
    return sum(
        verdict_of(printed, value) != "differs"
        for point in found.points
        for printed, value in zip(TABLE_VI[point.k], _percent(point.risk), strict=True)
    )


# -------- Figure 10 --------


def printed_selection() -> ind.Selection:
    """The bends of the curves that Table VI prints, and the k they speak for."""
    columns = [[float(row[at]) for row in TABLE_VI.values()] for at in range(3)]
    return ind.select_k(list(TABLE_VI), *columns)


def _figure_10(ledger: Ledger, short: RiskCurve, long: RiskCurve) -> None:
    printed, own, further = printed_selection(), short.selection, long.selection
    assert own is not None
    assert further is not None
    for name, found in (("the printed figures", printed), ("our own", own)):
        with ledger.marked("computed" if found is printed else "fitted"):
            ledger.same(
                "Figure 10",
                f"k where the curves bend, from {name}",
                "4, 5",
                ", ".join(map(str, sorted({item.k for item in found.elbows.values()}))),
                "the point farthest below the chord",
            )
            ledger.same("Figure 10", f"k that is chosen, from {name}", 5, found.k)
    first = next(point.k for point in long.points if point.risk.at_risk == 0)
    halved = next(point.k for point in long.points if point.risk.highest <= THRESHOLD / 2)
    ledger.claim(
        "Section V.B",
        "5 is better than 4, as no record is at risk from there on",
        "a finding",
        f"{first} for a threshold of {THRESHOLD:g}, {halved} for {THRESHOLD / 2:g}",
        (first, halved) != (round(1 / THRESHOLD), round(2 / THRESHOLD)),
        "whatever the table, nobody is at risk once k is 1 / threshold: the threshold chose the k",
    )
    ledger.transcribed(
        "Section IV.D",
        "range of k",
        "2 to 20",
        f"{min(TABLE_VI)} to {max(TABLE_VI)}",
        "the algorithm says one and the experiment took the other; the bend depends on it",
    )
    ledger.unprinted(
        "Figure 10",
        "k that is chosen over 2 to 20",
        further.k,
        "; ".join(f"{_NAMES[name]} bends at {item.k}" for name, item in further.elbows.items()),
    )
    _drawn_curve(ledger, "figure-10", "Figure 10: risk over k", short, own)
    _drawn_curve(ledger, "figure-10-to-20", "Figure 10 for k up to 20", long, further)
    ledger.picture(
        "figure-10-bends",
        Lines(
            "Figure 10: how far each curve lies below its chord",
            tuple(str(k) for k in KS),
            {_NAMES[name]: item.d for name, item in own.elbows.items()},
            across="k",
            note="the curve bends where this is largest",
        ),
    )
    ledger.sheet(
        "figure-10",
        "Figure 10: how far each curve lies below its chord",
        ("k", *(f"{_NAMES[name]}, {of}" for of in ("printed", "own") for name in _NAMES)),
        [
            (k, *(sel.elbows[name].d[at] for sel in (printed, own) for name in _NAMES))
            for at, k in enumerate(KS)
        ],
    )


_NAMES: Final = {
    "records_at_risk": "records at risk",
    "highest": "highest risk",
    "success": "success rate",
}


def _drawn_curve(
    ledger: Ledger, name: str, title: str, found: RiskCurve, selection: ind.Selection
) -> None:
    bends = ", ".join(f"{_NAMES[one]} at {item.k}" for one, item in selection.elbows.items())
    ledger.picture(
        name,
        Lines(
            title,
            tuple(str(point.k) for point in found.points),
            {
                one: [100 * value for value in values]
                for one, values in _by_criterion(point.risk for point in found.points).items()
            },
            across="k",
            unit="percent",
            note=f"bends: {bends}; chosen: k = {selection.k}",
        ),
    )


# -------- Figure 11 --------


def quality(adult: Adult, k: int) -> tuple[dict[str, tuple[float, ...]], dict[str, float | None]]:
    """The figures of :data:`FIGURES` in percent by attribute, and what else is left."""
    (release,) = measured(adult, k).to_dict()["releases"]
    whole = dict(release["quality"])
    by_attribute = whole.pop("per_attribute")
    names = ("generalization_intensity", "granularity", "non_uniform_entropy", "squared_error")
    found = {name: tuple(100 * by_attribute[name][figure] for figure in names) for name in COLUMNS}
    return found, whole


def _figure_11(ledger: Ledger, adult: Adult) -> None:
    rows: list[tuple[Value, ...]] = []
    whole: dict[int, Mapping[str, float | None]] = {}
    for part, (k, printed) in zip("ac", FIGURE_11.items(), strict=True):
        where = f"Figure 11{part}"
        own, whole[k] = quality(adult, k)
        ledger.figure(
            where,
            f"k = {k}, missing, percent",
            MISSING[k],
            100 * (1 - (whole[k]["missings"] or 0)),
            f"all other columns are at most {printed['sex'][0]}, which leaves this",
        )
        pairs = [
            (name, figure, text, value)
            for name in COLUMNS
            for figure, text, value in zip(FIGURES, printed[name], own[name], strict=True)
        ]
        wrong = [pair for pair in pairs if verdict_of(pair[2], pair[3]) == "differs"]
        ledger.same(
            where,
            f"k = {k}, figures that agree",
            len(pairs),
            len(pairs) - len(wrong),
            "the others, below, differ in one to three digits of the small print",
        )
        for name, figure, text, value in wrong:
            ledger.figure(where, f"k = {k}, {name}, {figure}", text, value, _digits(text, value))
        rows += [
            (
                k,
                name,
                *(v for pair in zip(printed[name], own[name], strict=True) for v in _both(*pair)),
            )
            for name in COLUMNS
        ]
        ledger.picture(
            f"figure-11{part}",
            Bars(
                f"Figure 11{part}: what is left of every attribute, k = {k}",
                COLUMNS,
                {
                    figure: [round(own[name][at], 1) for name in COLUMNS]
                    for at, figure in enumerate(FIGURES[:3])
                },
                unit="percent",
                reference={
                    figure: [float(printed[name][at]) for name in COLUMNS]
                    for at, figure in enumerate(FIGURES[:3])
                },
                note="line across a bar: as printed",
            ),
        )
    ledger.sheet(
        "figure-11",
        "Figure 11: quality by attribute in percent, printed and computed",
        (
            "k",
            "attribute",
            *(f"{name}, {of}" for name in FIGURES for of in ("printed", "computed")),
        ),
        rows,
    )
    ledger.transcribed(
        "Figure 11",
        "caption of part d",
        "k = 2",
        "k = 10",
        "it repeats that of part b, and stands below the figures for k = 10",
    )
    for part, k in zip("bd", whole, strict=True):
        ledger.unprinted(
            f"Figure 11{part}",
            f"k = {k}, discernibility, percent",
            100 * (whole[k]["discernibility"] or 0.0),
            "the figures of this part are lost",
            {name: value for name, value in whole[k].items() if value is not None},
        )


def _both(printed: str, own: float | None) -> tuple[Value, Value]:
    return float(printed), own


def _digits(printed: str, value: float) -> str:
    """In how many digits a printed figure differs from the one that comes out."""
    own = f"{value:.{len(printed.partition('.')[2])}f}"
    if len(own) != len(printed):
        return "another figure"
    wrong = sum(one != other for one, other in zip(own, printed, strict=True))
    return f"{wrong} of {len(own) - 1} digits, as if misread: {own}"


# -------- The table split by salary --------


@dataclass(frozen=True)
class Learned:
    """What somebody learns from a release who knows everybody's exact quasi-identifiers.

    Shares: of published records in classes of one salary; of people whose salary is believed with
    0.95 or more, and how many of them would be without looking at classes; of people who fit
    classes of one salary only, and for how many of these it is the true one.
    """

    classes: int
    one_salary: float
    believed: float
    believed_before: float
    told: float
    right: float | None


def learned(adult: Adult, release: ind.Release) -> Learned:
    """Let the attackers by homogeneity and by membership look at a release."""
    only = ("homogeneity", "membership")
    policy = adult.policy(shared_salaries(SPLIT_K), EIGHT, algorithm="knm")
    attacks = ind.attack(adult.texts, release, policy, only=only).to_dict()["attacks"]
    found = {attack["name"]: attack for attack in attacks}
    alike, met = found["homogeneity"]["figures"], found["membership"]
    true, false = met["success"]["certain"], met["figures"]["misled"]
    published = release.certificate.to_dict()
    return Learned(
        classes=published["classes"]["count"],
        one_salary=alike["weak_records"] / published["records_published"],
        believed=met["success"]["0.95"],
        believed_before=met["prior"]["0.95"],
        told=true + false,
        right=true / (true + false) if true + false else None,
    )


def shared_salaries(k: int, *, diversity: bool = False) -> dict[str, Any]:
    """The promise of k records to every rank of salary, and with ``diversity`` of both in a class.

    That is what the promise asks for unless it is told not to, and what a split by salary cannot
    have.
    """
    ks = {str(rank): k for rank in RANKS.values()}
    return {"model": "knm-anonymity", "sensitive": SALARY, "k": ks, "diversity": diversity}


def release_by_rank(
    adult: Adult, mode: str, k: int = SPLIT_K, *, diversity: bool = False
) -> ind.Release:
    """The best release of the whole table (``joint``), or of the people of each salary (``split``).

    Arguments:
        adult: the table.
        mode: the method's.
        k: records that a class has at least.
        diversity: whether every class has both salaries.
    """
    promise = shared_salaries(k, diversity=diversity)
    asked = {"algorithm": "knm", "mode": mode, "suppression_limit": SPLIT_LIMIT}
    accepted = {"accept_unsafe": True} if mode == "split" or not diversity else {}
    return ind.anonymize(adult.texts, adult.policy(promise, EIGHT, **asked, **accepted))


def _split(ledger: Ledger, adult: Adult) -> None:
    where = "Section V.B"
    releases = {
        "split by salary": release_by_rank(adult, "split"),
        "in one piece": release_by_rank(adult, "joint"),
        "in one piece, both salaries in every class": release_by_rank(
            adult, "joint", diversity=True
        ),
    }
    found = {mode: learned(adult, release) for mode, release in releases.items()}
    figures = (
        ("records in classes of one salary", "one_salary"),
        ("people who fit records of one salary only", "told"),
        ("of these, people whose salary it is", "right"),
        ("people whose salary is believed with 0.95 or more", "believed"),
        ("the same, for somebody who does not look at classes", "believed_before"),
    )
    rows: list[tuple[Value, ...]] = []
    for what, name in figures:
        values = [getattr(one, name) for one in found.values()]
        shares = [None if value is None else 100 * value for value in values]
        rows.append((f"{what}, percent", *shares))
        for mode, share in zip(found, shares, strict=True):
            if share is not None and name != "believed_before":
                ledger.unprinted(where, f"k = {SPLIT_K}, {mode}: {what}, percent", share)
    rows.append(("classes", *(one.classes for one in found.values())))
    apart, together, diverse = found.values()
    ledger.claim(
        "Section IV",
        "sensitive information is released without compromising privacy in any manner",
        "in any manner",
        f"{apart.one_salary:.1%} of records in classes of one salary",
        apart.one_salary < 0.5,
        "every class is of one split, and its members have one salary; in one piece it is "
        f"{together.one_salary:.1%} with the same k alone, and {diverse.one_salary:.1%} with the "
        "c/2 values that the paper asks for and a split cannot have",
    )
    ledger.sheet(
        "split",
        f"Adult by salary, k = {SPLIT_K} throughout, 5 % suppressed at most: what is learnt",
        ("", *found),
        rows,
    )
    ledger.picture(
        "split",
        Bars(
            "What is learnt from a release that was split by salary, and from two that were not",
            ("classes of one salary", "one salary fits", "believed with 0.95"),
            {
                mode: [round(100 * value, 1) for value in (one.one_salary, one.told, one.believed)]
                for mode, one in found.items()
            },
            unit="percent",
            note=f"k = {SPLIT_K} holds in all of them",
        ),
    )
