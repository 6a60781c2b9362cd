"""Fazal and others (2023), computed again: (theta*,k)-utility for people with many records.

The tables of the paper are quoted in :mod:`.fazal_tables`, and made again here by
:func:`indistinct.anonymize` from the paper's sixteen records; its nets are run in
:mod:`.fazal_nets`; its experiments are in
:mod:`.fazal_figures`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import indistinct as ind
from indistinct import Release, Unsatisfiable, largest_k, least_values, rank_variance_exact, theta
from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import read_rows
from indistinct.analytics.utility.linked_query_error import LinkedQueries, Question
from indistinct.analytics.utility.query_error import MODES, Condition
from indistinct.hierarchies.cells import range_text
from indistinct.intake.run import Run as OneRun
from indistinct.pipeline.anonymization import read
from indistinct.pipeline.searching import search
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct_reproductions.fazal_adult import read_generated
from indistinct_reproductions.fazal_figures import figures, informs
from indistinct_reproductions.fazal_informs import FILES, file_in, read_informs
from indistinct_reproductions.fazal_nets import (
    disclosed,
    kl_net,
    kl_start,
    releases,
    rows_net,
    rows_start,
    theta_star_net,
    theta_star_start,
)
from indistinct_reproductions.fazal_releases import (
    KL,
    ROWS,
    THETA_STAR,
    Patients,
    asked_of,
    made,
    one_person_classes,
)
from indistinct_reproductions.fazal_tables import (
    CATEGORY,
    LEVELS,
    MU,
    NOISE,
    PARTIAL_CUT,
    PEOPLE,
    PERSON,
    QUASI,
    SCENARIO_1,
    SYMPTOM,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_10,
    TABLE_11,
    TABLE_12A,
    TABLE_12B,
    K,
    frame_of_table_1,
    frames_of_table_12,
    partial_cut,
    spelt_alike,
)
from indistinct_reproductions.khan_adult import FILE as ADULT
from indistinct_reproductions.khan_nets import VISITS
from indistinct_reproductions.net_pictures import show
from indistinct_reproductions.net_tokens import linked_marking, linked_release, renumbered
from indistinct_reproductions.nets import Net, Reached, reachable
from indistinct_reproductions.reproduction import Ledger, Progress, Reproduction, Value

NAME = "fazal"
TOLERANCE = 1e-9

TREES = {
    "age": {"intervals": {"width": 5}},
    "zip": {"intervals": {"width": 100}},
    "gender": "suppress",
}
"""The paper prints no hierarchies; ranges are published, and these do not enter them."""

CLASSES = {
    group: tuple(row.person for row in TABLE_12A if row.group == group and row.person != NOISE)
    for group in sorted({row.group for row in TABLE_12A})
}


def reproduce(
    data: Path | None = None, *, seed: int = 0, progress: Progress | None = None
) -> Reproduction:
    """The paper, computed again; ``data`` is the folder of Adult's training file or of INFORMS."""
    ledger = Ledger()
    tell = progress or (lambda stage, share: None)
    tell("tables of the paper", None)
    paper = Replayed.of_table_1()
    _table_1(ledger)
    _tables_2_to_4(ledger)
    _tables_10_and_11(ledger, paper)
    _table_12a(ledger, paper)
    _table_12b(ledger, paper)
    _penalty(ledger, paper)
    _linkability(ledger)
    _beliefs(ledger)
    _questions(ledger)
    _scenarios(ledger)
    _algorithm(ledger)
    tell("nets", None)
    _nets(ledger, paper)
    adult = None if data is None else file_in(data, ADULT)
    if adult is None:
        ledger.left_out.append(
            ("Figures 6 to 9", f"they need the folder of Adult's training file {ADULT} (--data)")
        )
    else:
        figures(ledger, read_generated(adult.parent, seed), seed, tell)
    if data is None or any(file_in(data, name) is None for name in FILES):
        ledger.left_out.append(
            ("the same on INFORMS", f"it needs the folder of {' and '.join(FILES)} (--data)")
        )
    else:
        informs(ledger, read_informs(data), seed, tell)
    return Reproduction(
        paper=NAME,
        source="Fazal and others (2023), Improved angelization technique against background "
        "knowledge attack for 1:M microdata",
        items=tuple(ledger.items),
        sheets=tuple(ledger.sheets),
        pictures=tuple(ledger.pictures),
        left_out=tuple(ledger.left_out),
        seed=seed,
    )


# -------- The paper's example, made again --------


def patients_of_table_1() -> Patients:
    """Table 1 with the categories of Table 3, in the spelling of the former."""
    spelt = {spelt_alike(visit.symptom): visit.symptom for visit in TABLE_1}
    categories = {
        level: [spelt.get(spelt_alike(one), one) for one in symptoms]
        for level, symptoms in TABLE_3.items()
    }
    return Patients(frame_of_table_1(), PERSON, TREES, SYMPTOM, categories)


def policy(name: str = THETA_STAR, k: int = K) -> ind.Policy:
    """What the program is asked of Table 1 by the name of a method."""
    patients = patients_of_table_1()
    promises, method = asked_of(name, k, patients)
    return patients.policy(promises, {**method, "seed": 0}, by_rows=name == ROWS)


def compared(releases: Mapping[str, Any]) -> dict[str, Any]:
    """What :func:`indistinct.compare` says of releases of Table 1, by their names."""
    table = frame_of_table_1()
    found = ind.compare(table, releases, policy=policy(), queries=1).to_dict()["releases"]
    return {release["name"]: release for release in found}


@cache
def attacked() -> Mapping[str, Mapping[str, Any]]:
    """The figures of every attacker of Table 12, as it is printed, who is of use here."""
    only = ("membership", "non-membership", "categorical-similarity", "sensitive-variance",
            "noise-stripping")  # fmt: skip
    found = ind.attack(frame_of_table_1(), frames_of_table_12(), policy(), only=only)
    return {attack.name: attack.figures for attack in found.attacks}


CATEGORIES = ind.Taxonomy(
    SYMPTOM,
    [
        (symptom, level, "*")
        for level, symptoms in patients_of_table_1().categories.items()
        for symptom in symptoms
    ],
)
"""Table 3 as a hierarchy."""


@dataclass(frozen=True)
class Replayed:
    """The paper's release, made again: what is published, and what the custodian keeps of it."""

    release: Release

    @classmethod
    def of_table_1(cls) -> Replayed:
        """(theta*,k)-utility of Table 1 as printed, for k = 2."""
        return cls(made(THETA_STAR, K, patients_of_table_1()))

    @cached_property
    def history(self) -> dict[str, list[str]]:
        """The records of everybody that nobody keeps, by their names."""
        left = {*self._private("history.csv").select("person", "value").rows()}
        return {
            person: [
                visit.name
                for visit in TABLE_1
                if visit.person == person and (person, visit.symptom) in left
            ]
            for person in PEOPLE
        }

    @cached_property
    def category(self) -> dict[str, str]:
        """What everybody keeps."""
        return {
            visit.person: str(CATEGORIES.generalize(visit.symptom, 1))
            for visit in TABLE_1
            if visit.name not in self.history[visit.person]
        }

    @cached_property
    def classes(self) -> list[tuple[str, ...]]:
        """Who is in which class of the quasi table."""
        return [*self._groups("class").values()]

    @cached_property
    def buckets(self) -> dict[int, tuple[str, ...]]:
        """Who is in which bucket, by its published number."""
        return self._groups("bucket")

    @cached_property
    def noise(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """The people of the class and of the bucket of everybody who is made up."""
        links = self._private("links.csv")
        groups = self._groups("class")
        return [
            (groups[group], self.buckets[bucket])
            for person, group, bucket in links.rows()
            if person is None
        ]

    def cells(self, people: Sequence[str]) -> tuple[str, ...]:
        """The published cells of the people of a class: those that all of their buckets have."""
        rows = self.release.tables["quasi"]
        every = [
            {*rows.filter(pl.col("bucket") == bucket).select(QUASI).rows()}
            for bucket, own in self.buckets.items()
            if {*own} & {*people}
        ]
        (found,) = set.intersection(*every)
        return tuple(map(str, found))

    def values(self, bucket: int) -> list[str]:
        """The published values of a bucket, sorted from the least severe."""
        listed = self.release.tables["sensitive"]
        return _by_level(listed.filter(pl.col("bucket") == bucket)[SYMPTOM])

    def _private(self, name: str) -> pl.DataFrame:
        found = self.release.private[name]
        assert isinstance(found, pl.DataFrame)
        return found

    def _groups(self, by: str) -> dict[int, tuple[str, ...]]:
        links = self._private("links.csv").drop_nulls("person").sort(by, maintain_order=True)
        groups = links.group_by(by, maintain_order=True).agg("person").rows()
        return {number: tuple(people) for number, people in groups}


def _by_level(values: Iterable[str]) -> list[str]:
    return sorted(values, key=LEVELS.index)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(values) or "none"


# -------- Tables 1 to 4, 10, 11 --------


def _alone(values: Mapping[str, object]) -> int:
    """How many people have something that nobody else has."""
    often = Counter(values.values())
    return sum(often[value] == 1 for value in values.values())


def _of_people(value: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Something of every record, sorted, by person."""
    return {
        person: tuple(sorted(value[visit.name] for visit in TABLE_1 if visit.person == person))
        for person in PEOPLE
    }


def _table_1(ledger: Ledger) -> None:
    where = "Table 1"
    ledger.unprinted(where, "people", len(PEOPLE), "", {"records": len(TABLE_1)})
    quasi = {visit.person: visit.quasi for visit in TABLE_1}
    ledger.unprinted(where, "people whose quasi-identifiers nobody else has", _alone(quasi))
    symptoms = _of_people({visit.name: visit.symptom for visit in TABLE_1})
    ledger.unprinted(where, "people whose set of symptoms nobody else has", _alone(symptoms))
    ledger.unprinted(
        where,
        "people whose categories nobody else has",
        _alone(_of_people(TABLE_4)),
        "counted as often as they occur: why the history must not be published",
    )


def _tables_2_to_4(ledger: Ledger) -> None:
    own: dict[str, list[str]] = {person: [] for person in PEOPLE}
    for visit in TABLE_1:
        own[visit.person].append(visit.symptom)
    for person, printed in TABLE_2.items():
        ledger.same(
            "Table 2",
            person,
            _listed(sorted(map(spelt_alike, printed))),
            _listed(sorted(map(spelt_alike, own[person]))),
        )
    spelt = {symptom for symptoms in TABLE_3.values() for symptom in symptoms}
    used = {visit.symptom for visit in TABLE_1 if spelt_alike(visit.symptom) in CATEGORY}
    other = next(one for one in sorted(used) if one not in spelt and "Lung" in one)
    ledger.same(
        "Table 3",
        "spelling of the symptom of p2 and p4",
        next(one for one in sorted(spelt) if spelt_alike(one) == spelt_alike(other)),
        other,
        "as in Tables 1 and 2; labels are told apart without case and apostrophes here",
    )
    ledger.transcribed(
        "Section 8",
        "table of the categories",
        "Table 2",
        "Table 3",
        "Table 2 is the table of people with their sets of symptoms",
    )
    for person in PEOPLE:
        visits = [visit for visit in TABLE_1 if visit.person == person]
        ledger.same(
            "Table 4",
            person,
            _listed(TABLE_4[visit.name] for visit in visits),
            _listed(str(CATEGORIES.generalize(visit.symptom, 1)) for visit in visits),
        )


def _tables_10_and_11(ledger: Ledger, paper: Replayed) -> None:
    for person, printed in TABLE_10.items():
        ledger.same("Table 10", person, printed, paper.category[person])
    where = "Table 11"
    for person in PEOPLE:
        printed_names = [visit.name for visit in TABLE_11 if visit.person == person]
        ledger.same(
            where,
            f"{person}, records left over",
            _listed(printed_names),
            _listed(paper.history[person]),
            "of equal categories p1 and p5 keep the last record; p6, who does not, is printed so",
        )
    for visit in TABLE_11:
        original = next(own for own in TABLE_1 if own.name == visit.name)
        if visit.quasi != original.quasi:
            ledger.same(
                where, f"{visit.name}, zip code", visit.zip_code, original.zip_code, "a slip"
            )
    kept = len(TABLE_10) + len(TABLE_11)
    ledger.same(where, "records kept and left over together", len(TABLE_1), kept)
    ledger.claim(
        where,
        "the history is kept to avoid any wastage of data",
        "for use",
        f"{_alone(_of_people(TABLE_4))} of {len(PEOPLE)} people alone with their categories",
        _alone(_of_people(TABLE_4)) == 0,
        "published with Table 10 it gives them away, names or not; it is private here",
    )


# -------- Table 12 --------


def _table_12a(ledger: Ledger, paper: Replayed) -> None:
    where = "Table 12A"
    for group, members in CLASSES.items():
        found = next(own for own in paper.classes if members[0] in own)
        row = next(row for row in TABLE_12A if row.group == group)
        ledger.same(where, f"EC{group}, people", _listed(members), _listed(found))
        ledger.same(where, f"EC{group}, cells", "; ".join(row.cells), "; ".join(paper.cells(found)))
    number = {
        members: bucket
        for bucket in TABLE_12B
        for members in [
            tuple(sorted(r.person for r in TABLE_12A if r.bucket == bucket and r.person != NOISE))
        ]
    }
    for row in TABLE_12A:
        if row.person == NOISE:
            continue
        own = next(people for people in paper.buckets.values() if row.person in people)
        ledger.same(where, f"{row.person}, BID", row.bucket, number.get(own), "in another bucket")
    made_up = [row for row in TABLE_12A if row.person == NOISE]
    ((classmates, listed),) = paper.noise
    added = paper.release.run.to_dict()["added"]["noise"]
    ledger.same(where, "made-up rows", len(made_up), added)
    ledger.same(
        where,
        "made-up row: classmates; people of its bucket",
        "p4, p8; p6, p8",
        f"{_listed(classmates)}; {_listed(listed)}",
    )
    for row in TABLE_12A:
        visit = next((own for own in TABLE_1 if own.person == row.person), None)
        if visit is not None and row.exact != (visit.age, visit.zip_code):
            ledger.same(
                where, f"{row.person}, zip code in brackets", row.exact[1], visit.zip_code,
                "a slip; it is not in the range printed beside it"
                if not row.zip_code[0] <= int(row.exact[1]) <= row.zip_code[1]
                else "a slip",
            )  # fmt: skip
    exact = Counter((row.exact, row.gender) for row in TABLE_12A)
    alone = sum(exact[row.exact, row.gender] == 1 for row in TABLE_12A if row.person != NOISE)
    ledger.claim(
        where,
        "the published table is 2-anonymous",
        True,
        f"{alone} of {len(PEOPLE)} people alone by the values in brackets",
        not alone,
        "exact values stand beside the ranges; the eighth is p8, whom the made-up row copies",
    )


def _table_12b(ledger: Ledger, paper: Replayed) -> None:
    where = "Table 12B"
    found: dict[int, list[str]] = {}
    for bucket, printed in TABLE_12B.items():
        members = {row.person for row in TABLE_12A if row.bucket == bucket} - {NOISE}
        number = next(at for at, own in paper.buckets.items() if {*own} == members)
        found[bucket] = paper.values(number)
        ledger.same(
            where,
            f"bucket {bucket}",
            _listed(_by_level(printed)),
            _listed(found[bucket]),
            "any category that the bucket lacks will do; the paper's choice follows no rule that "
            "it states",
        )
        variance = rank_variance_exact([*Counter(printed).values()])
        ledger.unprinted(where, f"bucket {bucket}, rank variance", float(variance), str(variance))
    weak, stripped = attacked()["sensitive-variance"], attacked()["noise-stripping"]
    lowest = Fraction(weak["smallest_variance"]).limit_denominator(100)
    ledger.claim(
        where,
        "every bucket keeps theta(2) = 0.15, mu = 0.6",
        True,
        f"lowest variance {lowest}",
        ind.audit(frames_of_table_12(), policy()).holds,
        "",
    )
    certain = stripped["bucket_certain_people"]
    ledger.claim(
        "Section 5",
        "the sensitive variance attack is prevented",
        True,
        f"certain for {certain} people without the noise",
        not certain,
        "a bucket of k + 1 tells that one value is noise, and only one occurs once",
    )
    ledger.sheet(
        "buckets",
        "Table 12B: buckets, rank variances, and theta(2) for mu = 0.6",
        ("bucket", "people", "printed", "computed", "variance", "theta"),
        [
            (
                bucket,
                _listed(r.person for r in TABLE_12A if r.bucket == bucket),
                _listed(printed),
                _listed(found[bucket]),
                str(rank_variance_exact([*Counter(printed).values()])),
                weak["theta"],
            )
            for bucket, printed in TABLE_12B.items()
        ],
    )


# -------- What is lost --------


def spanned(people: Sequence[str]) -> tuple[str, ...]:
    """The cells of a class of people of Table 1: ranges, and the gender they share."""
    own = frame_of_table_1().filter(pl.col(PERSON).is_in([*people]))
    ages, codes = (sorted(own[name].unique(), key=int) for name in QUASI[:2])
    genders = own[QUASI[2]].unique().to_list()
    return (
        range_text(ages[0], ages[-1]),
        range_text(codes[0], codes[-1]),
        genders[0] if len(genders) == 1 else "*",
    )


def grouped(groups: Iterable[Sequence[str]]) -> dict[str, pl.DataFrame]:
    """A release of Table 1 in these classes, which are its buckets as well; others are alone."""
    classes = [tuple(group) for group in groups]
    classes += [(person,) for person in PEOPLE if not any(person in own for own in classes)]
    people = [(person, at, spanned(own)) for at, own in enumerate(classes) for person in own]
    return {
        "quasi": pl.DataFrame(
            [(*cells, at) for _, at, cells in people], schema=[*QUASI, "bucket"], orient="row"
        ),
        "sensitive": pl.DataFrame(
            [(at, TABLE_10[person]) for person, at, _ in people],
            schema=["bucket", SYMPTOM],
            orient="row",
        ),
    }


def penalties(ways: Sequence[Iterable[Sequence[str]]]) -> list[float]:
    """The certainty penalty of each way to group people of Table 1 (Equations 20, 21)."""
    found = compared({str(at): grouped(way) for at, way in enumerate(ways)})
    return [found[str(at)]["ncp"]["total"] for at in range(len(ways))]


def pairings(people: Sequence[str]) -> list[tuple[tuple[str, str], ...]]:
    """All ways to put people into pairs.

    >>> len(pairings("abcdef"))
    15
    """
    if not people:
        return [()]
    first, *others = people
    return [
        ((first, mate), *rest)
        for mate in others
        for rest in pairings([one for one in others if one != mate])
    ]


def _penalty(ledger: Ledger, paper: Replayed) -> None:
    where = "Equations 20, 21"
    every = pairings(PEOPLE)
    of_classes = penalties([[members] for members in CLASSES.values()])
    rows: list[tuple[Value, ...]] = []
    for (group, members), of_class in zip(CLASSES.items(), of_classes, strict=True):
        own = of_class / len(members)
        exact = str(Fraction(own).limit_denominator(10_000))
        ledger.unprinted(where, f"EC{group}, NCP of a row", own, exact)
        rows.append((f"EC{group}", _listed(members), *paper.cells(members), exact, own))
    total, linked, *others = penalties([paper.classes, [*paper.buckets.values()], *every])
    exact = str(Fraction(total).limit_denominator(10_000))
    ledger.unprinted(
        where, "NCP of the eight people", total, f"{exact}; of Table 12A as it is printed"
    )
    ledger.unprinted(
        where,
        "the same, from 0 to 1",
        total / (len(PEOPLE) * len(QUASI)),
        "over people and quasi-identifiers",
    )
    ledger.claim(
        "Section 5",
        "loose linkage loses less than buckets that are classes",
        True,
        f"{total:.3f}, and {linked:.3f} of the buckets as classes",
        total < linked,
        "",
    )
    best, second, *_ = sorted(others)
    ledger.claim(
        "Section 5",
        "the least distant people are in one class",
        True,
        f"the best of {len(every)} pairings; the next has {second:.3f}",
        abs(total - best) < TOLERANCE < second - best,
        "",
    )
    ledger.sheet(
        "certainty",
        "Table 12A: certainty penalty of a row of each class",
        ("class", "people", *QUASI, "as a fraction", "NCP"),
        rows,
    )


def printed_release(people: PeopleTable, *, noise: bool = True) -> JoinedRelease:
    """Table 12 as it is printed, without the brackets, as measures see it."""
    frames = frames_of_table_12(noise=noise)
    return JoinedRelease.of_linked(
        read_rows(people.original, frames["quasi"].select(QUASI)),
        frames["quasi"]["bucket"],
        {SYMPTOM: frames["sensitive"]},
        "one",
    )


def _linkability(ledger: Ledger) -> None:
    where = "Equations 26, 27"
    kinds = {"with the made-up row": True, "without it": False}
    found = compared({what: frames_of_table_12(noise=noise) for what, noise in kinds.items()})
    for what in kinds:
        linked = found[what]["record_linkability"]["total"]
        ledger.unprinted(
            where,
            f"record linkability of Table 12, {what}",
            linked,
            str(Fraction(linked).limit_denominator(100)),
        )
    share = found["with the made-up row"]["record_linkability"]["normalized"]
    ledger.claim(
        "Section 6",
        "loose linkage almost vanishes record linkability",
        "almost 0",
        f"{share:.0%} of the people of Table 12",
        share < 0.01,
        "everybody lies in the own class, so it is the number of classes, whatever they are "
        "linked to",
    )
    met = found["with the made-up row"]["record_intersection"][SYMPTOM]
    ledger.unprinted(
        "Equation 25",
        "people of Table 12 found by intersection",
        met["vulnerable"],
        "no category is a symptom, so it is 0 whatever a reader learns",
        {"believed": met["believed"]},
    )


# -------- What is learnt --------


def believed(group: int) -> dict[str, Fraction]:
    """How likely somebody in a class of Table 12A has each category, as printed."""
    cells = next(row.cells for row in TABLE_12A if row.group == group)
    frames = frames_of_table_12()
    here = [pl.col(name) == cell for name, cell in zip(QUASI, cells, strict=True)]
    rows = frames["quasi"].filter(here).height
    weights = ind.expected(frames).filter(here).group_by(SYMPTOM).agg(pl.col("weight").sum())
    own = dict(weights.rows())
    return {level: Fraction(own.get(level, 0.0) / rows).limit_denominator(100) for level in LEVELS}


def _beliefs(ledger: Ledger) -> None:
    where = "Table 12"
    beliefs = {group: believed(group) for group in CLASSES}
    for group, own in beliefs.items():
        ledger.unprinted(
            where,
            f"EC{group}, highest belief in a category",
            float(max(own.values())),
            ", ".join(f"{value} {belief}" for value, belief in own.items() if belief),
        )
    ledger.sheet(
        "beliefs",
        "Table 12: how likely somebody in a class has each category",
        ("class", "people", *LEVELS),
        [
            (f"EC{group}", _listed(CLASSES[group]), *(str(own[level]) for level in LEVELS))
            for group, own in beliefs.items()
        ],
    )
    figures = attacked()["membership"]["largest_belief"]
    highest = Fraction(figures).limit_denominator(100)
    listed = max(
        Fraction(max(Counter(values).values()), len(values)) for values in TABLE_12B.values()
    )
    ledger.claim(
        "Definition 1",
        "membership attacks are prevented: no category is believed with 1/2",
        True,
        f"highest {highest}; of a bucket alone {listed}",
        highest < Fraction(1, 2),
        "",
    )
    excluded = {
        group: [value for value, belief in own.items() if not belief]
        for group, own in beliefs.items()
    }
    ledger.claim(
        "Definition 2",
        "non-membership attacks are prevented: nothing is ruled out",
        True,
        "; ".join(f"EC{group}: {_listed(own)}" for group, own in excluded.items()),
        not attacked()["non-membership"]["excluded_pairs"],
        "fewer categories in a class's buckets than there are rule out the rest",
        )  # fmt: skip
    ledger.claim(
        "Definition 4",
        "categorical similarity attacks are prevented: no class has one category",
        True,
        f"least {min(sum(map(bool, own.values())) for own in beliefs.values())} categories",
        not attacked()["categorical-similarity"]["weak_classes"],
        "",
    )


def _questions(ledger: Ledger) -> None:
    people = patients_of_table_1().people
    release = printed_release(people, noise=False)
    gender = Condition(2, leaves=np.array([0, 1]))
    asked = {
        "age 40 to 42, zip 2139 to 2545": Question(
            (Condition(0, 40, 42), Condition(1, 2139, 2545), gender)
        ),
        "everybody": Question((Condition(0, 32, 45), Condition(1, 2138, 2843), gender)),
    }
    queries = LinkedQueries(people, tuple(asked.values()), "age")
    answers = {mode: queries.answers(release, mode)["count"].tolist() for mode in MODES}
    for at, name in enumerate(asked):
        true = float(queries.counts[at])
        for mode in MODES:
            ledger.unprinted(
                "Equation 24",
                f"{name}: error, {mode}",
                abs(answers[mode][at] - true) / true,
                f"{answers[mode][at]:g} counted, {true:g} true",
            )


# -------- The scenarios, the algorithm --------


def _scenarios(ledger: Ledger) -> None:
    where = "Scenario I"
    ledger.same(
        where,
        "what is published of headache, flu, tiredness, chills",
        _listed(PARTIAL_CUT),
        _listed(partial_cut(SCENARIO_1)),
    )
    symptoms = {
        person: tuple(visit.symptom for visit in TABLE_1 if visit.person == person)
        for person in PEOPLE
    }
    exposed = [person for person, own in symptoms.items() if {*partial_cut(own)} & {*own}]
    ledger.unprinted(
        where,
        "people of Table 1 with a symptom as it is, by this cut",
        f"{len(exposed)}: {_listed(exposed)}",
    )
    patients = patients_of_table_1()
    release = made(KL, K, patients)
    plan = release.plan
    assert isinstance(plan, LinkedPlan)
    part = plan.buckets[SYMPTOM]
    printed = [
        {str(part.labels[at]) for at in part.value[low:high].tolist()}
        for low, high in itertools.pairwise(part.indptr.tolist())
    ]
    exposed = [
        person
        for person, bucket in zip(PEOPLE, plan.bucket_of.tolist(), strict=True)
        if printed[bucket] & {*symptoms[person]}
    ]
    ledger.unprinted(
        where,
        "the same by (k,l)-diversity after Gong and others, k = l = 2",
        f"{len(exposed)}: {_listed(exposed)}",
        "its cut is that of k people together, and goes by gain; the attack is real",
        {"fingerprints": [sorted(own) for own in printed]},
    )
    where = "Scenario II"
    rows = made(ROWS, K, patients)
    alone, classes = one_person_classes(rows, patients.read.subjects.person_of)
    ledger.claim(
        where,
        "theta cannot be computed of people with several records",
        "not applicable",
        f"it can, of records; {alone} of {classes} classes are one person's",
        classes == 0,
        "what fails is not the variance but who is counted: every class keeps theta, and k "
        "records of one person are a class",
    )


def _algorithm(ledger: Ledger) -> None:
    where = "Equation (5)"
    ledger.transcribed(
        where,
        "what is held against theta",
        "number of values <= theta",
        "variance >= theta",
        "the sign is reversed, and theta bounds a variance: Khan and others (2020), Definition 10",
    )
    where = "Algorithm 1"
    tail = _unchecked_tail()
    variance = rank_variance_exact([*Counter(tail).values()])
    ledger.claim(
        where,
        "every bucket is sensitive to theta, that of line 22 too",
        True,
        f"Table 1 without p7 ends in {_listed(tail)}: V = {variance}",
        variance >= Fraction(str(theta(K, MU))),
        "the last k to 2k people are published unseen; everybody in the bucket is known",
    )
    most = largest_k(len(LEVELS), MU)
    ledger.claim(
        where,
        "it makes buckets of k for any k that is asked for",
        "any k",
        f"up to k = {most}",
        least_values(most + 1, MU) <= len(LEVELS),
        "no numbers of five categories vary as much as theta(7) asks, mu = 0.6",
    )
    try:
        made(THETA_STAR, most + 1, patients_of_table_1())
    except Unsatisfiable as impossible:
        ledger.lost(where, f"Table 1, k = {most + 1}", None, impossible.problems[0].message)


def _unchecked_tail() -> list[str]:
    """The last bucket of Table 1 without p7, where nobody looks at it."""
    patients = patients_of_table_1()
    own = Patients(
        patients.rows.filter(pl.col(PERSON) != "p7"), PERSON, TREES, SYMPTOM, patients.categories
    )
    promises, method = asked_of(THETA_STAR, K, own)
    policy = own.policy(promises, {**method, "partition": {"unchecked_tails": True}, "seed": 0})
    run = OneRun(policy, 0)
    plan = search(read(own.rows, run)[0], run)
    assert isinstance(plan, LinkedPlan)
    part = plan.buckets[SYMPTOM]
    return [str(part.labels[at]) for at in part.value[part.indptr[-2] : part.indptr[-1]].tolist()]


# -------- The nets --------


def _nets(ledger: Ledger, paper: Replayed) -> None:
    names = {visit.person: record.person for visit, record in zip(TABLE_1, VISITS, strict=True)}
    classes = [tuple(names[person] for person in members) for members in CLASSES.values()]
    rows: list[tuple[Value, ...]] = []

    def explored(net: Net, reached: Reached, what: str) -> tuple[int, int]:
        won = sum(bool(disclosed(marking)) for marking in reached.final)
        rows.append((net.name, what, len(reached), len(reached.final), won))
        return won, len(reached.final)

    net = kl_net()
    reached = reachable(net, kl_start(k=K))
    show(ledger, "figure-3", "Figure 3: the attack on (k,l)-diversity", net, reached)
    won, ends = explored(net, reached, "one visit is known")
    ledger.claim(
        "Figure 3",
        "the attack of Rule 3 on (k,l)-diversity succeeds",
        True,
        f"in {won} of {ends} ends",
        won > 0,
        "",
    )
    net = rows_net()
    reached = reachable(net, rows_start(k=K))
    show(ledger, "figure-4", "Figure 4: the attack on theta on rows", net, reached)
    won, ends = explored(net, reached, "how many records is known")
    ledger.claim(
        "Figure 4",
        "an attack on theta on rows succeeds",
        True,
        f"in {won} of {ends} ends",
        won > 0,
        "",
    )
    net = theta_star_net(classes=classes)
    reached = reachable(net, theta_star_start(k=K))
    explored(net, reached, "classes of Table 12A, any buckets")
    show(ledger, "figure-5", "Figure 5: (theta*,k)-utility and its adversaries", net, reached)
    ends_of_rules = {renumbered(one) for marking in reached.final for one in releases(marking)}
    printed = linked_release(frames_of_table_12(), QUASI, SYMPTOM)
    own = linked_release(paper.release.tables, QUASI, SYMPTOM)
    ledger.same("Figure 5", "Table 12 is an end", True, printed in ends_of_rules)
    ledger.unprinted(
        "Figure 5", "what the program publishes of Table 1 is an end", own in ends_of_rules
    )
    seen = reachable(net, linked_marking(own, net, theta_star_start(k=K), VISITS))
    explored(net, seen, "the release of the program")
    for name, rule, what in (
        ("MA Attack", 15, "membership: nothing is certain"),
        ("NMA Attack", 16, "non-membership: nothing is ruled out"),
        ("SVer Attack", 17, "sensitive vertical: no symptom is published"),
        ("SVA", 19, "sensitive variance: every bucket keeps theta"),
    ):
        fired = name in reached.fired
        ledger.claim(
            "Figure 5",
            f"Rule {rule}, {what}",
            "never",
            f"reached in {len(reached.final)} of {len(reached.final)} ends"
            if fired
            else f"never, in {len(reached)} markings",
            not fired,
            "there are five categories, and buckets of two and three" if fired else "",
        )
        ledger.claim(
            "Figure 5",
            f"Rule {rule} on the release of the program",
            "never",
            "reached" if name in seen.fired else "never",
            name not in seen.fired,
            "as of any release of five categories" if name in seen.fired else "",
        )
    net = theta_star_net(classes=classes, strips=True)
    reached = reachable(net, theta_star_start(k=K))
    explored(net, reached, "the same, noise is left out")
    ledger.claim(
        "Figure 5",
        "Rule 19 against who leaves out single values of larger buckets",
        "never",
        "reached" if "SVA" in reached.fired else "never",
        "SVA" not in reached.fired,
        "what is left of such a bucket is one category",
    )
    ledger.sheet(
        "nets",
        "Figures 3 to 5: nets on Table 1, k = 2",
        ("net", "adversary", "markings", "final", "of these, with a disclosure"),
        rows,
    )
