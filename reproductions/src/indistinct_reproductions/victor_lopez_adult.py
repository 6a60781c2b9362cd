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
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from indistinct.analytics.attacks import AttackContext, Finding, Places, membership
from indistinct.analytics.contingency import Contingency, Counts, contingency, said
from indistinct.analytics.elbow import Selection, select_k
from indistinct.analytics.histogram import Equalization, Histogram, equalization
from indistinct.analytics.published import Original, read_rows
from indistinct.analytics.risk import Criteria, RiskCurve, curve_point, prosecutor
from indistinct.analytics.utility import Utility
from indistinct.errors import DataError, Problem
from indistinct.hierarchies.files import read_hierarchy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.metadata import ValueMetadata
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata, distinct_values
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.recoding.full_domain import Settings, full_domain, full_domain_for_each
from indistinct.recoding.plan import LevelPlan
from indistinct.recoding.recoded import published_classes
from indistinct.recoding.split import split_by_rank
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

RANKS: Final[Mapping[str | None, int]] = {">50K": 1, "<=50K": 4}
"""The two salaries; one is more sensitive than the other, and which does not matter here."""

SHOWN_K: Final = (2, 5, 10)
BOUNDS: Final = {1: 5, 2: 10, 3: 20}
"""Figure 6a: how many years wide the ranges of age are on each level, from 1 on."""


@dataclass(frozen=True, eq=False)
class Adult:
    """The table and a hierarchy for every attribute of :data:`COLUMNS`."""

    texts: pl.DataFrame
    taxonomies: Mapping[str, Taxonomy]

    def data(self, columns: Sequence[str] = COLUMNS) -> LeveledTable:
        """The table as a search sees it, with these quasi-identifiers and no others."""
        return Microdata.encode(self.texts, {name: self.taxonomies[name] for name in columns}).data

    @cached_property
    def nine(self) -> LeveledTable:
        """The table with all nine attributes as quasi-identifiers."""
        return self.data()


def read_adult(folder: Path) -> Adult:
    """The table and the hierarchies of a folder.

    Raises:
        DataError: for files that are missing, a table without the columns, or hierarchies that do
            not cover its values.
        HierarchyError: for a file that is no hierarchy.
    """
    from indistinct.sources.files import PACKED, read_table

    packed = (folder / f"{FILE}{ending}" for ending in ("", *PACKED))
    path = next((path for path in packed if path.is_file()), folder / FILE)
    remedy = "--data names the folder that holds the table and a hierarchy for every attribute"
    missing = [one for one in (path, *_hierarchies(folder)) if not one.is_file()]
    if missing:
        raise DataError(
            [
                Problem("missing-file", "there is no such file", file=str(one), remedy=remedy)
                for one in missing
            ]
        )
    read = read_table(path)
    lacking = [name for name in COLUMNS if name not in read.columns]
    if lacking:
        raise DataError(
            Problem("unknown-column", f"has no column {', '.join(lacking)}", file=str(path))
        )
    taxonomies = {
        name: read_hierarchy(file, name)
        for name, file in zip(COLUMNS, _hierarchies(folder), strict=True)
    }
    problems = []
    for name, taxonomy in taxonomies.items():
        strange = ~read[name].is_in(list(taxonomy.leaves)) | read[name].is_null()
        rows = strange.arg_true()
        if len(rows):
            problems.append(
                Problem(
                    "uncovered-value",
                    "has values that its hierarchy does not cover",
                    file=str(path),
                    attribute=name,
                    rows=tuple((rows.head(11) + 1).to_list()),
                )
            )
    if problems:
        raise DataError(problems)
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
    return Adult(adult.texts, {**adult.taxonomies, COUNTRY: Taxonomy(COUNTRY, chains)})


def experiments(ledger: Ledger, adult: Adult, tell: Callable[[str, float | None], None]) -> None:
    """All that the paper computes on the table, in its order, and the split that it announces."""
    _table_v(ledger, adult)
    _figure_6(ledger, adult)
    apart = england_apart(adult)
    tell("releases for k = 2 to 20", None)
    plans = series(adult, FURTHER)
    closer = series(apart, FURTHER)
    _beside_the_table(ledger, curve(adult.nine, plans, KS))
    with ledger.marked("fitted"):
        _figure_8(ledger, apart, closer[SPLIT_K])
        _figure_9(ledger, apart, closer)
        _table_vi(ledger, plans, closer, adult, apart)
        _figure_10(ledger, curve(apart.nine, closer, KS), curve(apart.nine, closer, FURTHER))
        tell("quality of the releases", None)
        _figure_11(ledger, apart, closer)
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
    values, counts = distinct_values(adult.texts["age"])
    found = equalization("age", values, counts, ages, level=1)
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


def _histograms(found: Equalization) -> Histograms:
    def bars(held: Histogram) -> dict[str, int]:
        return {said(label): n for label, n in zip(held.labels, held.records, strict=True)}

    names = ("ages as they are", "in ranges of five years", "in as many ranges of equal frequency")
    return Histograms(
        "Figures 6b to 6d: how ages are distributed",
        {name: bars(held) for name, held in zip(names, found.stages.values(), strict=True)},
    )


# -------- Releases for every k --------

Plans = Mapping[int, LevelPlan]


def series(
    adult: Adult, ks: Sequence[int], columns: Sequence[str] = COLUMNS
) -> dict[int, LevelPlan]:
    """The release of least loss (geometric mean) for every k, any share of records suppressed."""
    data = adult.nine if columns == COLUMNS else adult.data(columns)
    found = full_domain_for_each(
        data,
        [[KAnonymity(k=k)] for k in ks],
        objective("loss"),
        Settings(suppression_limit=1.0),
    )
    return {k: plan for k, plan in zip(ks, found, strict=True) if plan is not None}


def curve(data: LeveledTable, plans: Plans, ks: Sequence[int]) -> RiskCurve:
    """The prosecutor's risk of the releases for these k."""
    return RiskCurve(
        "releases",
        tuple(
            curve_point(
                k,
                published_classes(data, plans[k]),
                data.table.records,
                THRESHOLD,
                plans[k].levels,
            )
            for k in ks
            if k in plans
        ),
    )


def released(adult: Adult, plan: LevelPlan, columns: Sequence[str] = COLUMNS) -> pl.DataFrame:
    """The records that a plan keeps, as they are published."""
    encoded = Microdata.encode(adult.texts, {name: adult.taxonomies[name] for name in columns})
    return _published(encoded, plan, adult.texts)


def _published(encoded: Microdata, plan: LevelPlan, texts: pl.DataFrame) -> pl.DataFrame:
    of_row = encoded.combination_of
    there = ~plan.suppressed[of_row]
    cells = [
        pl.Series(name, plan.labels(encoded.data, j), dtype=pl.String).gather(
            plan.cells(encoded.data, j)[of_row[there]]
        )
        for j, name in enumerate(encoded.data.attributes)
    ]
    others = [name for name in texts.columns if name not in encoded.data.attributes]
    return pl.DataFrame([*cells, *(texts[name].filter(there) for name in others)])


# -------- Figures 8 and 9 --------


def _figure_8(ledger: Ledger, adult: Adult, plan: LevelPlan) -> None:
    found: Contingency = contingency(adult.texts, {"after": released(adult, plan)}, "age", "sex")
    for name, title, counts in (
        ("figure-8a", "Figure 8a: age and sex as they are", found.before),
        (
            "figure-8b",
            f"Figure 8b: age and sex in the release for k = {SPLIT_K}",
            found.after["after"],
        ),
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
        int(np.count_nonzero(found.after["after"].counts)),
        "Figure 8b has sex generalized; the best releases keep it",
    )


def _heat_map(title: str, counts: Counts) -> HeatMap:
    return HeatMap(
        title,
        tuple(map(said, counts.rows)),
        tuple(map(said, counts.columns)),
        counts.counts.tolist(),
    )


def _figure_9(ledger: Ledger, adult: Adult, plans: Plans) -> None:
    raw = prosecutor(adult.nine.weight, THRESHOLD)
    risks = {"as it is": raw} | {
        f"k = {point.k}": point.risk for point in curve(adult.nine, plans, SHOWN_K).points
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


def _table_vi(ledger: Ledger, plans: Plans, closer: Plans, adult: Adult, apart: Adult) -> None:
    own, near = curve(adult.nine, plans, KS), curve(apart.nine, closer, KS)
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
    eight = curve(apart.data(EIGHT), series(apart, KS, EIGHT), KS)
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


def printed_selection() -> Selection:
    """The bends of the curves that Table VI prints, and the k they speak for."""
    columns = [[float(row[at]) for row in TABLE_VI.values()] for at in range(3)]
    return select_k(list(TABLE_VI), *columns)


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
    ledger: Ledger, name: str, title: str, found: RiskCurve, selection: Selection
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


def quality(adult: Adult, plan: LevelPlan) -> tuple[dict[str, tuple[float, ...]], Utility]:
    """The figures of :data:`FIGURES` in percent by attribute, and what else is left."""
    original = Original.of(adult.texts, adult.taxonomies)
    utility = Utility(original, read_rows(original, released(adult, plan)))
    found: dict[str, tuple[float, ...]] = {
        name: (
            100 * own.generalization_intensity,
            100 * own.granularity,
            100 * own.non_uniform_entropy,
            100 * own.squared_error,
        )
        for name, own in utility.quality_by_attribute.per_attribute.items()
    }
    return found, utility


def _figure_11(ledger: Ledger, adult: Adult, plans: Plans) -> None:
    rows: list[tuple[Value, ...]] = []
    whole: dict[int, Mapping[str, float | None]] = {}
    for part, (k, printed) in zip("ac", FIGURE_11.items(), strict=True):
        where = f"Figure 11{part}"
        own, utility = quality(adult, plans[k])
        whole[k] = utility.quality
        ledger.figure(
            where,
            f"k = {k}, missing, percent",
            MISSING[k],
            100 * (1 - utility.quality["missings"]),  # type: ignore[operator]
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


def learned(adult: Adult, release: pl.DataFrame) -> Learned:
    """Let the detectors of homogeneity and of beliefs look at a release."""
    context = AttackContext.of_records(
        Places(
            quasi=EIGHT,
            people=adult.texts.select(EIGHT),
            rows=release.select(EIGHT),
            taxonomies={name: adult.taxonomies[name] for name in EIGHT},
        ),
        adult.texts.select(SALARY),
        release.select(SALARY),
        known={SALARY: ValueMetadata(ranks=RANKS)},
    )
    found = membership.run(context, SALARY)
    assert isinstance(found, Finding)
    spread, size = context.spread(SALARY), context.classes.size
    held, met = spread.held, spread.pooled
    told = (met.length == 1)[context.set_of]
    value = met.index[np.minimum(met.indptr[:-1], len(met.index) - 1)][context.set_of]
    right = value == context.true_label(SALARY)
    return Learned(
        classes=len(size),
        one_salary=float(size[held.length == 1].sum() / size.sum()),
        believed=found.success["0.95"],
        believed_before=found.prior["0.95"],
        told=float(told.mean()),
        right=float(right[told].mean()) if told.any() else None,
    )


def joint_release(adult: Adult, k: int = SPLIT_K, *, diversity: bool = False) -> pl.DataFrame:
    """The best release of the whole table in which every class has k records.

    With ``diversity`` every class has both salaries, too: what the promise asks for unless it is
    told not to, and what a split by salary cannot have.
    """
    taxonomies = {name: adult.taxonomies[name] for name in EIGHT}
    known = {SALARY: ValueMetadata(ranks=RANKS)}
    encoded = Microdata.encode(adult.texts, taxonomies, [SALARY], known=known)
    plan = full_domain(
        encoded.data,
        [_knm(k, diversity)],
        objective("loss"),
        Settings(suppression_limit=SPLIT_LIMIT),
    )
    return _published(encoded, plan, adult.texts)


def split_release(adult: Adult, k: int = SPLIT_K) -> pl.DataFrame:
    """The best releases of the people of each salary, put together."""
    taxonomies = {name: adult.taxonomies[name] for name in EIGHT}
    rank_of_row = np.array([RANKS[value] for value in adult.texts[SALARY].to_list()], np.int32)
    encoded = Microdata.encode(
        adult.texts,
        taxonomies,
        [SALARY],
        unchanged={SALARY: rank_of_row},
        known={SALARY: ValueMetadata(ranks=RANKS)},
    )
    table = encoded.data.table
    ranks = table.codes[-1].astype(np.int64)
    table = replace(table, attributes=table.attributes[:-1], codes=table.codes[:-1])
    encoded = Microdata(LeveledTable(table, taxonomies), encoded.combination_of)
    plan = split_by_rank(
        encoded.data, ranks, [_knm(k)], objective("loss"), Settings(suppression_limit=SPLIT_LIMIT)
    )
    return _published(encoded, plan, adult.texts)


def _knm(k: int, diversity: bool = False) -> KNMAnonymity:
    return KNMAnonymity(
        k={str(rank): k for rank in RANKS.values()}, sensitive=SALARY, diversity=diversity
    )


def _split(ledger: Ledger, adult: Adult) -> None:
    where = "Section V.B"
    releases = {
        "split by salary": split_release(adult),
        "in one piece": joint_release(adult),
        "in one piece, both salaries in every class": joint_release(adult, diversity=True),
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
