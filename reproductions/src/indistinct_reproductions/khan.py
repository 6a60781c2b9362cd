"""Khan and others (2020), computed again: variances, detectors, thresholds, scores, noise.

The tables of the paper are quoted in :mod:`.khan_tables`; its exchange is run in
:mod:`.khan_replay`; which scores of Table 11 exist at all is worked out in
:mod:`.khan_scores`; the experiments of section 6 on the Adult census table are in
:mod:`.khan_figures`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import indistinct as ind
from indistinct import largest_k, least_noise, least_values, rank_variance_exact, theta
from indistinct.document import many
from indistinct_reproductions.drawing import Bars
from indistinct_reproductions.khan_adult import read_adult
from indistinct_reproductions.khan_figures import figures
from indistinct_reproductions.khan_replay import (
    Remade,
    best_members,
    cells_of,
    fitting,
    frame_of,
    members,
    policy,
    replay_items,
)
from indistinct_reproductions.khan_rules import figures_1_and_2
from indistinct_reproductions.khan_scores import (
    discernibility,
    highest_variance,
    least_score,
    least_score_with_noise,
    noise_that_reaches,
)
from indistinct_reproductions.khan_tables import (
    DISEASE,
    FULLY_DIVERSE,
    MOST_NOISE,
    MU,
    NOISE,
    OCCUPATIONS,
    QUASI,
    RECORDS,
    RELEASED,
    TABLE_1A,
    TABLE_1B,
    TABLE_4A,
    TABLE_4B,
    TABLE_5,
    TABLE_8A,
    TABLE_8B,
    TABLE_11,
    Released,
)
from indistinct_reproductions.reproduction import Ledger, Progress, Reproduction, Value
from indistinct_reproductions.reproduction import Verdict as Outcome

if TYPE_CHECKING:
    from indistinct.release.audit import Verdict

NAME = "khan"
USUAL: Mapping[Outcome, str] = {"truncated": "cut off after the last digit printed, not rounded"}
"""Most figures of the paper are rounded; only those that are not need a word."""

SEEDS = 3
"""With so many seeds a release is made where nothing may depend on them."""

DETECTORS = {
    "homogeneity": "homogeneity",
    "categorical similarity": "categorical-similarity",
    "sensitive variance": "sensitive-variance",
}
"""The attackers of the program that are the three attacks."""


def reproduce(
    data: Path | None = None, *, seed: int = 0, progress: Progress | None = None
) -> Reproduction:
    """The paper, computed again; ``data`` is the folder of the Adult census files."""
    ledger = Ledger(USUAL)
    tell = progress or (lambda stage, share: None)
    adult = None if data is None else read_adult(data, seed)
    tell("classes of the printed tables", None)
    _captions(ledger)
    _variances(ledger)
    _detectors(ledger)
    _ranges(ledger)
    _definitions(ledger)
    _thresholds(ledger)
    tell("replaying the exchange", None)
    replay_items(ledger)
    _stripping(ledger)
    tell("nets", None)
    figures_1_and_2(ledger)
    tell("scores of Table 11", None)
    _small_scores(ledger)
    _table_11(ledger)
    _noise(ledger)
    _text(ledger)
    if adult is None:
        ledger.left_out.append(
            ("Figures 3 to 7", "they need the folder of the Adult census files (--data)")
        )
    else:
        figures(ledger, adult, seed, tell)
    return Reproduction(
        paper=NAME,
        source="Khan and others (2020), theta-Sensitive k-Anonymity: An Anonymization Model for "
        "IoT based Electronic Health Records",
        items=tuple(ledger.items),
        sheets=tuple(ledger.sheets),
        pictures=tuple(ledger.pictures),
        left_out=tuple(ledger.left_out),
        seed=seed,
    )


# -------- What a printed table keeps --------


def kept(table: Released, model: str, **parameters: float | str) -> Verdict:
    """What the audit says of one promise about the diseases of a printed table."""
    about = {} if model == "k-anonymity" else {"sensitive": DISEASE}
    asked = {"model": model, **parameters, **about}
    found: ind.Audit = ind.audit(table.frame(), policy(table.k), promises=[asked])
    return found.promises[0]


@cache
def attacked(table: Released) -> Mapping[str, Mapping[str, Any]]:
    """The figures of every attacker of a printed table who is of use here."""
    only = [*DETECTORS.values(), "membership", "noise-stripping"]
    found = ind.attack(frame_of(), table.readable(), policy(table.k), only=only)
    return {attack.name: attack.figures for attack in found.attacks}


def detected(table: Released, detector: str) -> tuple[int, int]:
    """In how many classes, with how many records, one of the three attacks succeeds."""
    figures = attacked(table)[DETECTORS[detector]]
    return figures["weak_classes"], figures["weak_records"]


def _captions(ledger: Ledger) -> None:
    for table in RELEASED:
        found = kept(table, "k-anonymity", k=table.k).achieved["k"]
        ledger.same(table.name, "k", table.k, found)
    where, name = "Table 4a", "2+-sensitive: least number of categories in a class"
    ledger.same(where, name, 2, kept(TABLE_4A, "p-plus-sensitive", p=2).achieved["p"])
    where, name = "Table 4b", "(3, 1)-sensitive: least number of values in a class"
    ledger.same(where, name, 3, kept(TABLE_4B, "p-sensitive", p=3).achieved["p"])
    for over in ("distinct", "records"):
        weight = kept(TABLE_4B, "p-alpha-sensitive", p=3, alpha=1, over=over).achieved["alpha"]
        what = "different values" if over == "distinct" else "records"
        ledger.same(where, f"(3, 1)-sensitive: least total weight, over {what}", 1, weight)
    for table in (TABLE_1B, TABLE_4A, TABLE_8A, TABLE_8B):
        own = kept(table, "p-alpha-sensitive", p=1, alpha=0).achieved
        plus = kept(table, "p-plus-sensitive", p=1).achieved["p"]
        ledger.unprinted(table.name, "p: least number of values", own["p"])
        if table is not TABLE_4A:
            ledger.unprinted(table.name, "p+: least number of categories", plus)
        ledger.unprinted(
            table.name,
            "alpha: least total weight of the values",
            own["alpha"],
            "weights 0, 1/3, 2/3, 1 from the most to the least sensitive category",
        )
    for table in (TABLE_8A, TABLE_8B):
        lowest = min(part.categories for part in table.classes)
        ledger.figure("Section 5.1.2", f"{table.name}, least number of categories", 3, lowest)
        values = min(len(part.counts) for part in table.classes)
        ledger.figure("Section 5.1.2", f"{table.name}, least number of values", 4, values)
    for table, printed in ((TABLE_4A, 2), (TABLE_8A, 4)):
        highest = max(part.categories for part in table.classes)
        ledger.figure(
            "Section 5.2", f"{table.name}, largest number of categories", printed, highest
        )


# -------- Section 4: variance --------


def _variances(ledger: Ledger) -> None:
    for number, (size, linear, square, printed) in TABLE_5.items():
        part = TABLE_4A.classes[number - 1]
        falling = sorted(part.counts, reverse=True)
        where, name = "Table 5", f"EC{number}"
        ledger.figure(where, f"{name}, sum of f", size, sum(falling))
        ledger.figure(
            where, f"{name}, sum of f x", linear, sum(x * f for x, f in enumerate(falling, 1))
        )
        ledger.figure(
            where, f"{name}, sum of f x^2", square, sum(x * x * f for x, f in enumerate(falling, 1))
        )
        ledger.figure(where, f"{name}, variance", printed, float(part.variance))
    ledger.transcribed(
        "Section 4",
        "ranks of the four values of EC2",
        "1, 1, 1, 1",
        "1, 2, 3, 4",
        "Table 5 counts them from 1 to 4; with equal ranks the variance would be 0",
    )
    rows: list[tuple[Value, ...]] = []
    for table in RELEASED:
        least = theta(table.k, MU)
        for number, part in enumerate(table.classes, 1):
            own = part.variance
            rows.append(
                (
                    table.name,
                    f"EC{number}",
                    len(part.diseases),
                    len(part.counts),
                    part.categories,
                    float(own),
                    str(own),
                    least,
                    own >= Fraction(str(least)),
                )
            )
    ledger.sheet(
        "classes",
        "Tables 1b to 8b: the classes, and theta(k) for mu = 0.6",
        (
            "table", "class", "records", "values", "categories", "variance", "as a fraction",
            "theta", "keeps theta",
        ),
        rows,
    )  # fmt: skip
    for table in (TABLE_8A, TABLE_8B):
        found = kept(table, "theta-sensitive", k=table.k, mu=MU)
        ledger.same(table.name, "theta-sensitive for k = 4", True, found.holds)


def _detectors(ledger: Ledger) -> None:
    rows: list[tuple[Value, ...]] = []
    for table in RELEASED:
        found = {name: detected(table, name) for name in DETECTORS}
        for name, (classes, records) in found.items():
            ledger.unprinted(table.name, f"{name}, classes", classes, detail={"records": records})
        few = sum(part.categories < 3 for part in table.classes)
        rows.append((table.name, *(n for pair in found.values() for n in pair), few))
    ledger.sheet(
        "detectors",
        "Classes and records in which each attack succeeds, by Table 3 and theta(k) for mu = 0.6",
        (
            "table",
            *(f"{name}, {what}" for name in DETECTORS for what in ("classes", "records")),
            "fewer than 3 categories, classes",
        ),
        rows,
    )
    alike = [number for number, part in enumerate(TABLE_4A.classes, 1) if part.categories == 1]
    low = [
        number
        for number, part in enumerate(TABLE_4A.classes, 1)
        if part.variance < Fraction(str(theta(4, MU)))
    ]
    ledger.claim(
        "Section 4",
        "classes of Table 4a open to categorical similarity",
        "EC2, EC3",
        _classes(alike),
        alike == [2, 3],
        "each of its classes has two of the four categories",
    )
    ledger.claim(
        "Section 4",
        "classes of Table 4a open to sensitive variance",
        "EC2, EC3",
        _classes(low),
        low == [2, 3],
        "EC2 has four values once each, the largest variance of its size, as Table 5 says itself",
    )
    ledger.claim(
        "Section 5.2",
        "Table 4a is open to homogeneity",
        True,
        detected(TABLE_4A, "homogeneity")[0] > 0,
        detected(TABLE_4A, "homogeneity")[0] > 0,
        "no class has a single disease",
    )
    ledger.claim(
        "Section 4",
        "whoever cannot win by variance cannot win by similar categories",
        "always",
        f"V = {rank_variance_exact([1, 1, 1, 1])} with four diseases of one category",
        rank_variance_exact([1, 1, 1, 1]) < Fraction(str(theta(4, MU))),
        "variance knows no categories; by Table 3 it holds, where a category has two diseases",
    )


def _classes(numbers: Sequence[int]) -> str:
    return ", ".join(f"EC{number}" for number in numbers) or "none"


# -------- The printed cells --------


def _ranges(ledger: Ledger) -> None:
    why = {
        "Table 4a": "14247 is the zip of two people; EC1 is all American and has both of them",
        "Table 8a": "14063 is Paul's, who has Obesity in EC1: the made-up record copies him",
    }
    for table in RELEASED:
        groups = best_members(table)
        wrong = {
            f"EC{number}, {column}": (printed, own)
            for number, (part, group) in enumerate(zip(table.classes, groups, strict=True), 1)
            for column, printed, own, fits in zip(
                QUASI,
                (part.age, part.zip_code, part.country),
                cells_of(group),
                fitting(part, group),
                strict=True,
            )
            if not fits
        }
        cells = len(QUASI) * len(table.classes)
        ledger.same(
            table.name,
            "cells that are those of the people in the class, at best",
            cells,
            cells - len(wrong),
            why.get(table.name, ""),
        )
        if table.name == "Table 8a":
            (found,) = wrong.values()
            ledger.same(table.name, "EC3, zip codes of the real records", *found, why[table.name])
    upper = max(
        max(person.zip_code for person in groups[2])
        for groups in members(TABLE_4A)
        if all(fitting(TABLE_4A.classes[0], groups[0]))
    )
    printed = TABLE_4A.classes[2].zip_code
    ledger.same(
        "Table 4a",
        "EC3, largest zip code, given that EC1 is as printed",
        int(printed.split("-")[1]),
        upper,
        why["Table 4a"],
    )


# -------- Section 5.1: the threshold --------


def _definitions(ledger: Ledger) -> None:
    third = TABLE_4A.classes[2]
    ledger.claim(
        "Definition 10",
        "its formula, Count(Dist) >= theta, tells what is theta-sensitive",
        "as the sentence does",
        f"{len(third.counts)} >= 0.75 where V = {third.variance}",
        (len(third.counts) >= theta(4, MU)) == (third.variance >= Fraction(str(theta(4, MU)))),
        "it counts values; EC3 of Table 4a passes the formula and fails the sentence",
    )
    ledger.transcribed(
        "Definition 10",
        "a variance equal to theta",
        "suffices",
        "goes on (line 39)",
        "the definition says at least, Algorithm 1 greater; read as at least",
    )
    one, other = rank_variance_exact([3, 1, 1]), rank_variance_exact([2, 2, 1])
    ledger.claim(
        "Section 5.1",
        "high variance is high diversity",
        "always",
        f"V = {float(one)} of (3, 1, 1), {float(other)} of (2, 2, 1)",
        one <= other,
        "variance is largest where one value has a third of the records",
    )
    many = rank_variance_exact([90, *[1] * 10])
    ledger.claim(
        "Section 1.2",
        "theta prevents attribute disclosure in a class",
        True,
        f"V = {float(many)} with one value in 90 of 100 records",
        many < Fraction(str(theta(4, MU))),
        "a bound on the largest share has to be promised beside it",
    )
    seven = rank_variance_exact([7, *[1] * 13])
    twos = rank_variance_exact([2] * 6 + [1] * 8)
    ledger.claim(
        "Section 5.1",
        "high variance is high diversity: two classes of 14 values for k = 20",
        "always",
        f"(7, 1 x 13): V = {float(seven)}; (2 x 6, 1 x 8): V = {float(twos)}",
        seven <= twos,
        f"theta is {theta(20, MU)}: the class with a share of 7 in 20 passes, that of 2 in 20 not",
    )


def _thresholds(ledger: Ledger) -> None:
    for values, printed in FULLY_DIVERSE.items():
        own = float(rank_variance_exact([1] * values))
        ledger.figure("Section 5.1.1", f"variance of {values} different values", printed, own)
    ledger.figure("Section 5.1.2", "theta(4) for mu = 0.5", "0.625", theta(4, 0.5))
    ledger.figure("Section 5.1.2", "theta(4) for mu = 0.6", "0.75", theta(4, 0.6))
    diverse = [k for k in TABLE_11 if least_values(k, MU) == k]
    fifth = rank_variance_exact([2, 1, 1, 1])
    ledger.claim(
        "Section 5.1.2",
        "mu = 0.6 gives fully diverse classes, whatever k",
        "all k",
        f"k up to {_last_diverse()}; k = 5 takes (2, 1, 1, 1) with V = {float(fifth)}",
        len(diverse) == len(TABLE_11),
        f"theta(5) is {theta(5, MU)}; of the k of Table 11 only {_and(diverse)} need k values",
    )
    ledger.sheet(
        "values-needed",
        "theta(k) for mu = 0.6, and how many different values every class needs at least",
        ("k", "theta", "values needed", "14 values can serve it"),
        [
            (k, theta(k, MU), least_values(k, MU), least_values(k, MU) <= len(OCCUPATIONS))
            for k in range(2, 21)
        ],
    )
    ledger.sheet(
        "largest-variance",
        "Variance of D different values, the least upper bound over all classes of D values, and "
        "the largest k that D values can serve",
        ("D", "all different", "upper bound", "mu = 0.5", "mu = 0.6", "mu = 0.9"),
        [
            (
                number,
                float(rank_variance_exact([1] * number)),
                highest_variance(number),
                *(largest_k(number, mu) for mu in (0.5, 0.6, 0.9)),
            )
            for number in range(2, 16)
        ],
    )
    last = max(TABLE_11)
    ledger.claim(
        "Abstract",
        "the model works effectively for all k, in Table 11 up to 20",
        "all k",
        f"every class of k = {last} needs all {least_values(last, MU)}",
        least_values(last, MU) < len(OCCUPATIONS),
        "of 14 occupations; one is that of 9 people, and all other classes need noise for it",
    )


def _last_diverse() -> int:
    return next(k for k in range(2, 100) if least_values(k + 1, MU) <= k)


def _and(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


# -------- Section 5.2: what is still told --------


def _stripping(ledger: Ledger) -> None:
    figures = attacked(TABLE_8A)
    belief = figures["noise-stripping"]["largest_belief"]
    ledger.unprinted(
        "Table 8a",
        "EC3, largest belief in a disease once a made-up record is taken out",
        belief,
        "five records for k = 4 give away that one is made up, and its value occurs once",
    )
    prior = sum(person.disease == "Flu" for person in TABLE_1A) / len(TABLE_1A)
    ledger.claim(
        "Section 5.2",
        "Table 8a has no attribute disclosure risk",
        True,
        f"belief in Flu in EC3: {figures['membership']['largest_belief']}, without noise {belief}; "
        f"{prior} before",
        belief <= prior,
        "a threshold for variance bounds no belief",
    )
    gain = float(kept(TABLE_8A, "basic-beta-likeness", beta=9).achieved["beta"] or 0)
    ledger.claim(
        "Section 5.2",
        "Table 8a is secure from skewness attacks",
        True,
        f"a disease becomes {1 + gain:g} times as likely in its class",
        gain <= 0,
        "theta compares with no distribution",
    )
    one, other = (_outcomes(disease) for disease in (TABLE_1A[0].disease, "Flu"))
    ledger.claim(
        "Section 5.1",
        "noise makes the model imply epsilon-differential privacy",
        True,
        f"{many(len(one | other), 'release')} of two tables, {len(one & other)} of both",
        bool(one & other),
        "tables that differ in one record give different releases whatever is drawn: no epsilon",
    )


def _outcomes(disease: str) -> set[str]:
    """What Algorithm 1 publishes of Table 1a, with a disease of the first patient, by seeds."""
    people = [replace(TABLE_1A[0], disease=disease), *TABLE_1A[1:]]
    groups = [people[at : at + 4] for at in range(0, len(people), 4)]
    releases = [Remade.of(groups, seed=seed).release for seed in range(SEEDS)]
    return {repr(sorted(map(repr, one.tables.rows()))) for one in releases}


# -------- Section 6: scores --------


@cache
def _score(table: Released) -> Mapping[str, Any]:
    """What is left in a printed table."""
    measured = ind.compare(
        frame_of(), {table.name: table.readable()}, policy=policy(table.k), queries=1
    )
    (found,) = measured.to_dict()["releases"]
    return dict(found)


def _small_scores(ledger: Ledger) -> None:
    ledger.figure("Section 6.2", "DCP of 10 records, k = 2", 20, discernibility([2] * 5))
    for table in RELEASED:
        found = _score(table)
        ledger.unprinted(table.name, "DCP", found["dcp"])
        ledger.unprinted(table.name, "C_AVG", found["c_avg"])


def _table_11(ledger: Ledger) -> None:
    rows = []
    for k, (base, own, plus) in TABLE_11.items():
        ledger.figure("Table 11", f"k = {k}, baseline n k", base, RECORDS * k)
        least, spared = least_score(RECORDS, k), least_score_with_noise(RECORDS, k)
        ways = noise_that_reaches(own, RECORDS, k)
        rows.append((k, base, least, spared, own, _ways(ways), plus, 100 * (plus / base - 1)))
        if least == base:
            ledger.same("Table 11", f"k = {k}, smallest score there is", base, least)
        else:
            ledger.claim(
                "Table 11",
                f"k = {k}, smallest score there is",
                base,
                least,
                least == base,
                f"{k} does not divide {RECORDS}; "
                + (f"with noise {spared}" if spared < least else "noise does not help"),
            )
        ledger.claim(
            "Table 11",
            f"k = {k}, score {own} of theta-sensitivity exists",
            True,
            _ways(ways),
            bool(ways),
            ""
            if ways
            else f"below the smallest one, {spared}"
            if own < spared
            else "no classes of at least k records have it, with any number of made-up ones",
        )
    ledger.sheet(
        "table-11",
        "Table 11: discernibility scores, and which of them exist",
        (
            "k", "baseline", "smallest for 160,150", "smallest with noise", "theta", "exists",
            "p+", "p+ above the baseline, percent",
        ),
        rows,
    )  # fmt: skip
    base, own, plus = (
        sum(column) / len(TABLE_11) for column in zip(*TABLE_11.values(), strict=True)
    )
    where = "Table 11"
    ledger.figure(where, "average of the baseline", 1761650, base)
    ledger.figure(where, "average of theta-sensitivity", "1761697.2", own)
    ledger.figure(where, "average of p+-sensitivity", "2059994.7", plus)
    ledger.figure(where, "theta-sensitivity above the baseline", "47.2", round(own - base, 6))
    ledger.figure(where, "p+-sensitivity above the baseline", "298344.7", round(plus - base, 6))
    ledger.figure(
        where,
        "the same of theta-sensitivity, percent",
        "0.002679235",
        100 * (own - base) / base,
        f"of its own average it is {100 * (own - base) / own:.9f}",
    )
    ledger.figure(
        where,
        "the same of p+-sensitivity, percent",
        "14.65",
        100 * (plus - base) / base,
        f"of its own average it is {100 * (plus - base) / plus:.2f}; 14.65 is neither",
    )
    ledger.figure(
        where,
        "p+-sensitivity above theta-sensitivity, percent",
        "14.64",
        100 * (plus - own) / own,
        "the difference of the two percentages as printed",
    )
    ledger.figure(
        "Section 6.2", "theta-sensitivity above the baseline, percent", "0.002679",
        100 * (own - base) / base,
    )  # fmt: skip
    told = sorted(
        (_score(table)["dcp"], attacked(table)["noise-stripping"]["largest_belief"])
        for table in RELEASED
    )
    ledger.claim(
        "Abstract",
        "14.64% of discernibility are privacy",
        "privacy security",
        ", ".join(f"{belief:g} at {score}" for score, belief in told),
        all(
            (score < larger and belief > less) or (score, belief) == (larger, less)
            for (score, belief), (larger, less) in pairwise(told)
        ),
        "largest beliefs in a disease at the scores of the printed tables: the score does not tell",
    )


def _ways(noise: Sequence[int]) -> str:
    if not noise:
        return "no"
    return "with " + " or ".join(map(str, noise)) + " of noise"


def _noise(ledger: Ledger) -> None:
    ledger.figure("Section 6.4", "34 records, percent of all", "0.021", 100 * NOISE / RECORDS)
    ledger.figure("Section 6.4", "160150 / 4", "40037.5", RECORDS / 4)
    ledger.figure("Section 6.4", "160152 / 4", 40038, (RECORDS + 2) / 4)
    missing = {k: -RECORDS % k for k in TABLE_11}
    worst = max(missing, key=lambda k: missing[k])
    ledger.claim(
        "Section 6.4",
        "at most 6 records of noise for one k, with groups of k",
        MOST_NOISE,
        f"{missing[worst]} to fill the last group of k = {worst}",
        missing[worst] <= MOST_NOISE,
        f"{RECORDS} leaves {RECORDS % worst} over; for all k together {sum(missing.values())}, "
        f"not {NOISE}",
    )
    ledger.transcribed(
        "Section 6.4",
        "records of the Adult table",
        RECORDS,
        48842,
        "both public files together; 32,561 in the first, 30,162 of them complete",
    )
    totals, rows, least = list(OCCUPATIONS.values()), [], {}
    for k in TABLE_11:
        classes = sum(totals) // k
        least[k] = least_noise(totals, classes, k, MU)
        rows.append((k, least_values(k, MU), classes, least[k], 100 * least[k] / sum(totals)))
    ledger.claim(
        "Section 6.4",
        "34 records of noise are enough for mu = 0.6 and all k up to 20",
        NOISE,
        f"at least {sum(least.values())} on the complete records of Adult",
        sum(least.values()) <= NOISE,
        "classes of 14 to 20 need 10 to 14 occupations, and some are rare: no algorithm does with "
        "less",
    )
    ledger.sheet(
        "least-noise",
        "Noise that any algorithm needs on the 30,162 complete records of Adult, occupation, "
        "mu = 0.6, n / k classes",
        ("k", "values needed", "classes", "noise at least", "percent"),
        rows,
    )
    ledger.picture(
        "least-noise",
        Bars(
            "Noise that any algorithm needs, occupations of Adult, mu = 0.6",
            tuple(f"k = {k}" for k in least),
            {"at least": list(map(float, least.values()))},
            unit="records",
            reference={"at least": [float(MOST_NOISE)] * len(least)},
            note="line across a bar: the most that the paper needed for one k",
        ),
    )


def _text(ledger: Ledger) -> None:
    ledger.transcribed(
        "Section 6.5",
        "the error of a query grows with",
        "its selectivity",
        "the number of records it selects",
        "the section says both; no direction is taken for granted here",
    )
