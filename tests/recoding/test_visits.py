"""Visits that single nobody out of a class, against looking at every choice of levels."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import anonymize, attack
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.recoding import visits
from indistinct.recoding.visits import VisitAttribute, VisitPlan, Visits, visits_protected
from indistinct.release.audit import audit

DAYS = Taxonomy(
    "day",
    [
        ("mo", "early", "week", "*"),
        ("tu", "early", "week", "*"),
        ("th", "late", "week", "*"),
        ("su", "sunday", "week's end", "*"),
    ],
)
WARDS = Taxonomy("ward", [("A", "*"), ("B", "*"), (None, "*")])

Row = tuple[str, int, str, str | None]
"""A class, a person, and the day and ward of a visit. A person's class is that of the number."""

ROWS = st.lists(
    st.tuples(
        st.integers(0, 7), st.sampled_from(["mo", "tu", "th", "su"]), st.sampled_from("AB")
    ).map(lambda row: ("xy"[row[0] % 2], *row)),
    min_size=1,
    max_size=14,
)


def plan_of(rows: Sequence[Row], k: int, allowed: int) -> VisitPlan:
    place = {"x": 0, "y": 1, "-": -1}
    return visits_protected(
        [
            VisitAttribute(DAYS, np.array([DAYS.leaves.index(row[2]) for row in rows], np.int32)),
            VisitAttribute(WARDS, np.array([WARDS.leaves.index(row[3]) for row in rows], np.int32)),
        ],
        np.array([place[row[0]] for row in rows], np.int32),
        np.array([row[1] for row in rows], np.int32),
        k,
        allowed,
    )


def shown(
    rows: Sequence[Row], levels: Sequence[int], starred: Sequence[bool]
) -> list[tuple[str | None, ...]]:
    found: list[tuple[str | None, ...]] = []
    for row, star in zip(rows, starred, strict=True):
        labels = [
            taxonomy.level(level)[taxonomy.leaves.index(value)]
            for taxonomy, level, value in zip((DAYS, WARDS), levels, row[2:], strict=True)
        ]
        found.append((row[0], *(["*", "*"] if star else labels)))
    return found


def fewest(rows: Sequence[Row], cells: Sequence[tuple[str | None, ...]]) -> int:
    people: dict[tuple[str | None, ...], set[int]] = {}
    for row, cell in zip(rows, cells, strict=True):
        people.setdefault(cell, set()).add(row[1])
    return min(map(len, people.values()))


def loss(rows: Sequence[Row], levels: Sequence[int], starred: Sequence[bool]) -> float:
    total = 0.0
    for row, star in zip(rows, starred, strict=True):
        for taxonomy, level, value in zip((DAYS, WARDS), levels, row[2:], strict=True):
            labels = taxonomy.level(level)
            under = labels.count(labels[taxonomy.leaves.index(value)])
            total += 0.5 * (1.0 if star else (under - 1) / (len(labels) - 1))
    return total / len(rows)


@settings(max_examples=100)
@given(rows=ROWS, k=st.integers(1, 4), share=st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_k_people_have_every_visit(rows: list[Row], k: int, share: float) -> None:
    allowed = int(share * len(rows))
    possible = [
        node
        for node in itertools.product(range(4), range(2))
        if fewest(rows, shown(rows, node, [False] * len(rows))) >= k
    ]
    if not possible:
        with pytest.raises(Unsatisfiable, match=f"{k} people"):
            plan_of(rows, k, allowed)
        return
    plan = plan_of(rows, k, allowed)
    starred = plan.starred.tolist()
    assert fewest(rows, shown(rows, plan.levels, starred)) >= k
    assert sum(starred) <= allowed
    assert plan.loss == pytest.approx(loss(rows, plan.levels, starred))
    best = min(loss(rows, node, [False] * len(rows)) for node in possible)
    if allowed:
        assert plan.loss <= best + 1e-9
    else:
        assert plan.loss == pytest.approx(best)
    # Neither the order of rows nor who is who matters.
    order = random.Random(len(rows)).sample(range(len(rows)), len(rows))
    again = plan_of([rows[at] for at in order], k, allowed)
    assert again.levels == plan.levels
    assert again.starred.tolist() == [starred[at] for at in order]


def test_what_the_first_attribute_singles_out_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seven days of one visit each allow nothing but ``*``, whatever else is known of a visit."""
    days = Taxonomy("day", [(str(at), f"half {at // 4}", "*") for at in range(8)])
    leaves = np.arange(8, dtype=np.int32)
    wards = [Taxonomy(f"ward {at}", [("A", "*"), ("B", "*")]) for at in range(5)]
    asked = [VisitAttribute(days, leaves, weight=10.0)]
    asked += [VisitAttribute(ward, np.zeros(8, np.int32)) for ward in wards]
    groups: list[int] = []
    counted = visits._Rows._people

    def people(self: Any, group: Any, number: int) -> Any:
        groups.append(number)
        return counted(self, group, number)

    monkeypatch.setattr(visits._Rows, "_people", people)
    plan = visits_protected(asked, np.zeros(8, np.int32), leaves, 5, 0)
    assert (plan.levels, plan.nodes) == ((2, 0, 0, 0, 0, 0), 96)
    assert len(groups) < 20


def test_whoever_is_not_looked_at_tells_nothing() -> None:
    rows: list[Row] = [("x", 1, "mo", "A"), ("x", 2, "mo", "A"), ("-", 3, "su", "B")]
    plan = plan_of(rows, 2, 0)
    assert plan.levels == (0, 0)
    assert plan.starred.tolist() == [False, False, True]
    assert plan.to_dict() == {
        "levels": {"day": 0, "ward": 0},
        "heights": {"day": 3, "ward": 1},
        "loss": 0.0,
        "records": 3,
        "starred": 1,
        "nodes": 8,
        "checked": 1,
    }


def test_stars_take_others_with_them_where_too_few_have_them() -> None:
    """One Sunday of one person: the next visit that fewest have becomes * as well."""
    rows: list[Row] = [
        *(("x", person, "mo", "A") for person in range(4)),
        *(("x", person, "tu", "A") for person in range(2)),
        ("x", 3, "su", "A"),
    ]
    plan = plan_of(rows, 2, 3)
    cells = shown(rows, plan.levels, plan.starred.tolist())
    assert fewest(rows, cells) >= 2
    assert plan.starred.sum() == 3
    assert plan.levels == (0, 0)


def test_levels_that_may_be_published(monkeypatch: pytest.MonkeyPatch) -> None:
    leaf = np.zeros(4, np.int32)
    one = [VisitAttribute(DAYS, leaf, levels=(1, 2))]
    none, people = np.zeros(4, np.int32), np.arange(4, dtype=np.int32)
    assert visits_protected(one, none, people, 2, 0).levels == (1,)
    monkeypatch.setattr(visits, "MOST_NODES", 1)
    with pytest.raises(PolicyError, match="2 choices of levels"):
        visits_protected(one, none, people, 2, 0)


# In a table


def table(people: int = 60, seed: int = 3) -> pl.DataFrame:
    draws = random.Random(seed)
    rows = [
        (
            f"P{person:03d}",
            str(30 + person % 40),
            f"2024-{draws.choice(['01', '01', '02', '07'])}-{draws.randint(1, 28):02d}",
            draws.choice(["ICU", "surgery", "medicine", "medicine"]),
            draws.choice(["flu", "asthma", "fracture"]),
        )
        for person in range(people)
        for _ in range(draws.randint(1, 4))
    ]
    return pl.DataFrame(rows, ["id", "age", "date", "ward", "ill"], orient="row")


def policy(*promises: dict[str, Any], **sections: Any) -> dict[str, Any]:
    quasi = {"role": "quasi-identifier"}
    return {
        "source": {"person": "id"},
        "attributes": {
            "age": {**quasi, "hierarchy": {"intervals": {"width": 10}}},
            "date": {**quasi, "hierarchy": {"date": {}}, "level": "event"},
            "ward": {**quasi, "level": "event"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}, *promises],
        "method": {"seed": 1, "suppression_limit": 0.1},
        **sections,
    }


def people_with(release: pl.DataFrame) -> pl.Series:
    held = release.select("id", "age", "date", "ward").unique()
    return held.group_by("age", "date", "ward").len()["len"]


@pytest.mark.parametrize("algorithm", ["optimal", "heuristic", "mondrian", "k-member", "mdav"])
@pytest.mark.parametrize("suppressed", ["drop", "keep"])
def test_people_are_alike_by_any_of_their_visits(algorithm: str, suppressed: str) -> None:
    method = {"seed": 1, "suppression_limit": 0.1, "algorithm": algorithm}
    if algorithm in ("k-member", "mdav"):
        del method["suppression_limit"]
    source = table()
    release = anonymize(source, policy(method=method, output={"suppressed": suppressed}))
    kept = release.tables.filter(pl.col("age") != "*")
    assert people_with(kept).min() >= 4  # type: ignore[operator]
    told = release.certificate.to_dict()["promises"]
    assert [item["model"] for item in told] == ["k-anonymity", "known-visit"]
    assert told[1]["parameters"] == {"k": 4, "visit": ["date", "ward"]}
    assert told[1]["achieved"]["k"] == people_with(kept).min()
    assert told[1]["on"] == ["age"]
    document = release.private["visits.json"]
    rows = kept.height
    assert document["starred"] - (document["records"] - rows) <= 0.1 * rows


def test_the_audit_sees_what_is_tampered_with() -> None:
    release = anonymize(table(), policy()).tables
    wanted = {"model": "known-visit", "k": 4, "visit": ["date", "ward"], "unit": "person"}
    assert audit(release, [wanted], ["age"], person="id").holds
    other = release.with_columns(
        ward=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("morgue")).otherwise("ward")
    )
    verdict = audit(other, [wanted], ["age"], person="id").promises[0]
    assert not verdict.holds
    assert verdict.achieved["k"] == 1
    assert verdict.breaking_classes >= 1
    with pytest.raises(PolicyError, match="whose each record is"):
        audit(release, [{**wanted, "unit": "record"}], ["age"])


def test_a_larger_k_for_visits_is_kept_or_refused() -> None:
    release = anonymize(table(), policy({"model": "known-visit", "k": 9}))
    assert people_with(release.tables).min() >= 9  # type: ignore[operator]
    with pytest.raises(Unsatisfiable, match="61 people"):
        anonymize(table(), policy({"model": "known-visit", "k": 61}))


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no person": ({"source": {}}, ["person-without-column"]),
    "linked": ({"method": {"algorithm": "anatomy"}}, ["other-algorithm"]),
    "on": (
        {"promises": [{"model": "k-anonymity", "k": 4, "on": ["age", "date"]}]},
        ["no-promise", "bad-value"],
    ),
    "two": (
        {"promises": [{"model": "known-visit", "k": k} for k in (2, 3)]},
        ["bad-value"],
    ),
    "some": (
        {"promises": [{"model": "known-visit", "k": 2, "visit": ["date"]}]},
        ["bad-value"],
    ),
    "cells": (
        {"method": {"algorithm": "mondrian", "cells": {"ward": "set"}}},
        ["bad-value"],
    ),
    "weights": (
        {"method": {"objective": {"measure": "loss", "weights": {"ward": 2.0}}}},
        ["bad-value"],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_does_not_go_with_visits(case: str) -> None:
    sections, codes = WRONG[case]
    with pytest.raises(PolicyError) as caught:
        anonymize(table(), policy(**sections))
    found = [item.code for item in caught.value.problems]
    assert set(codes) <= set(found)


def test_only_quasi_identifiers_have_a_level() -> None:
    asked = policy()
    asked["attributes"]["ill"]["level"] = "event"
    with pytest.raises(PolicyError) as caught:
        anonymize(table(), asked)
    assert "wrong-role" in [item.code for item in caught.value.problems]


def test_attackers_who_know_a_visit() -> None:
    """Whoever knows the age, the day and the ward of a visit finds one person without the promise.

    Of the release that keeps it at least k people are left, by a count of everybody's visits.
    """
    source, asked = table(), policy()
    asked["attributes"]["ill"]["role"] = "identifier"
    release = anonymize(source, asked)
    found = attack(source, release, asked, only=["known-records"])["known-records"]
    assert found.figures["1"]["singled_out"] == 0.0  # type: ignore[index]
    assert found.success["0.5"] == 0.0
    ages = {str(age): str(age // 10 * 10) for age in range(30, 70)}
    bare = source.drop("ill").with_columns(
        age=pl.col("age")
        .replace_strict(ages, return_dtype=pl.String)
        .map_elements(lambda low: f"[{low}, {int(low) + 10})", return_dtype=pl.String)
    )
    loose = attack(source, bare, asked, only=["known-records"])["known-records"]
    alone = (
        bare.unique()
        .with_columns(n=pl.col("id").n_unique().over("age", "date", "ward"))
        .group_by("id")
        .agg(pl.col("n").min())
    )
    assert loose.figures["1"]["singled_out"] == pytest.approx((alone["n"] == 1).mean())  # type: ignore[index]


def test_promises_about_values_say_whom_they_speak_of() -> None:
    asked = policy({"model": "max-posterior", "sensitive": "ill", "bound": 0.9})
    warnings = anonymize(table(), asked).warnings
    assert any("those who also know date, ward of a visit may learn more" in w for w in warnings)


def test_what_is_lost_of_visits_is_said_first_with_what_keeps_it() -> None:
    rows = [
        (
            f"p{who}",
            who * 7 % 60 + 20,
            f"2024-{(who // 3 + turn * 5) % 12 + 1:02d}-{who % 28 + 1:02d}",
            who % 2,
        )
        for who in range(240)
        for turn in range(1 + who % 3)
    ]
    data = {
        "id": [row[0] for row in rows],
        "age": [str(row[1]) for row in rows],
        "date": [row[2] for row in rows],
        "ward": [f"ward {row[3]}" for row in rows],
        "ill": ["flu"] * len(rows),
    }
    source = pl.DataFrame(data)
    first = anonymize(source, policy()).run.warnings[0]
    assert first.startswith("the release keeps little or nothing of 'date'")
    assert "k = 40 in k-anonymity, and promise known-visit with k = 4" in first
    asked = [{"model": "k-anonymity", "k": 40}, {"model": "known-visit", "k": 4}]
    assert anonymize(source, policy(promises=asked)).tables["date"].n_unique() > 1


def test_where_a_star_stands_tells_nothing_of_an_attribute_that_is_a_star_everywhere() -> None:
    """Which rows have ``*`` was taken for information, and advised where nothing was kept."""
    rows = [("x", person, day, ward) for person, (day, ward) in enumerate([("mo", "A")] * 16)]
    rows += [("x", 16 + turn, "th", "B") for turn in range(4)]
    days = VisitAttribute(DAYS, np.array([DAYS.leaves.index(row[2]) for row in rows], np.int32))
    class_of, person_of = np.zeros(20, np.int32), np.arange(20, dtype=np.int32)
    looked_at = Visits([days], class_of, person_of, 5)
    starred = np.arange(20) >= 16
    all_gone = VisitPlan(("day",), (3,), (3,), starred, 1.0, 4, 4)
    assert looked_at.lost(all_gone) == ["day"]
    some_left = VisitPlan(("day",), (0,), (3,), starred, 0.2, 4, 4)
    assert looked_at.lost(some_left) == []


def test_larger_classes_are_classes_put_together() -> None:
    class_of = np.repeat(np.array([0, 1, -1, 2, 3, 4], np.int32), [2, 2, 3, 2, 2, 1])
    person_of = np.array([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10], np.int32)
    larger = Visits([], class_of, person_of, 2).in_larger_classes(3).class_of
    assert larger.tolist() == [0, 0, 0, 0, -1, -1, -1, 1, 1, 1, 1, 1]


def test_a_promise_about_items_leaves_visits_their_limit() -> None:
    """One that costs no item took the whole limit, and every date became ``*``."""
    asked = policy(method={"suppression_limit": 0.3, "seed": 1})
    asked["attributes"]["ill"]["hierarchy"] = "suppress"
    alone = anonymize(table(), asked).private["visits.json"]
    asked["promises"] += [{"model": "km-anonymity", "sensitive": "ill", "k": 2, "m": 1}]
    beside = anonymize(table(), asked).private["visits.json"]
    assert beside == alone
    assert alone["starred"]
