"""Linkability, intersection and belief: the paper's example, and counting by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from numpy.typing import NDArray
from tests.analytics import paper_people as paper
from tests.analytics.joined_tables import (
    LABELS,
    Case,
    cases,
    fits,
    long_release,
)

from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import read_rows
from indistinct.analytics.utility.figures import Utility
from indistinct.analytics.utility.linkability import (
    as_attackers_see,
    record_intersection,
    record_linkability,
)
from indistinct.errors import DataError

SLOW = settings(max_examples=60)


def beliefs(people: PeopleTable, release: JoinedRelease, name: str) -> NDArray[np.float64]:
    """The belief in the value of each person that is believed most."""
    return as_attackers_see(people, release).true_belief(name)


@pytest.mark.parametrize(("noise", "expected"), [(True, Fraction(11, 3)), (False, Fraction(4))])
def test_linkability_of_the_papers_release(noise: bool, expected: Fraction) -> None:
    people = paper.people()
    release = paper.table_12(people, noise=noise)
    found = record_linkability(people, release.published)
    assert found.total == pytest.approx(float(expected))
    assert found.to_dict() == {
        "total": found.total,
        "normalized": pytest.approx(float(expected) / 8),
    }


def test_penalty_of_the_papers_release() -> None:
    people = paper.people()
    quasi = paper.table_12(people, noise=False).published
    found = Utility(people.original, quasi).ncp
    assert found.total == pytest.approx(95 / 22)
    assert found.normalized == pytest.approx(0.17992424242424243)
    assert sorted(found.of_class) == pytest.approx(
        sorted([2017 / 4576, 3559 / 9152, 153 / 352, 8189 / 9152])
    )


def test_nobodys_record_stands_in_the_papers_release_and_yet_something_is_believed() -> None:
    people = paper.people()
    release = paper.table_12(people)
    found = record_intersection(people, release)
    assert found.vulnerable == {paper.SYMPTOM: 0}
    belief = beliefs(people, release, paper.SYMPTOM)
    # p1 has Low and Mild, p2 High and Severe, p4 the same, p6 and p8 Low.
    expected = [1 / 4, 1 / 4, 1 / 4, 1 / 6, 1 / 4, 1 / 3, 1 / 4, 4 / 9]
    assert belief.tolist() == pytest.approx(expected)
    document = found.to_dict()[paper.SYMPTOM]
    assert document["believed"]["highest"] == pytest.approx(4 / 9)
    assert document["believed"]["0.5"] == 0.0


def test_a_bare_release_is_found_by_all_three() -> None:
    people = paper.people()
    rows = paper.rows_of_table_1()
    release = long_release(people.original, rows, "person", paper.SYMPTOM)
    found = record_intersection(people, release)
    assert found.vulnerable == {paper.SYMPTOM: 8}
    assert found.believed[paper.SYMPTOM]["certain"] == 1.0
    assert record_linkability(people, release.published).total == 8
    nobody = rows.with_columns(person=pl.lit(None, dtype=pl.String))
    with pytest.raises(DataError, match="16 rows name no person"):
        long_release(people.original, nobody, "person", paper.SYMPTOM)


def test_a_bucket_that_lists_nothing_is_believed_nothing_of() -> None:
    people = paper.people()
    frames = paper.tables()
    listed = frames["sensitive"].filter(pl.col("bucket") != 4)
    release = JoinedRelease.of_linked(
        read_rows(people.original, frames["quasi"].select(paper.QUASI)),
        frames["quasi"]["bucket"].cast(pl.String),
        {paper.SYMPTOM: listed.select(pl.col("bucket").cast(pl.String), paper.SYMPTOM)},
    )
    assert release.holding == "some"
    assert beliefs(people, release, paper.SYMPTOM)[7] == pytest.approx(0.0)


@SLOW
@given(cases())
def test_linkability_by_hand(case: Case) -> None:
    table = case.table
    published = case.release(table).published
    there = [row for row in case.rows if row[:2] != ("*", "*")]
    classes = sorted({row[:2] for row in there})
    size = {own: sum(row[:2] == own for row in there) for own in classes}
    alone = record_linkability(table, published).linked
    for at, person in enumerate(case.people):
        met = [own for own in classes if fits(person, own)]
        pooled = sum(size[own] for own in met)
        # The own class is met with a probability in proportion to its size, then picked of all.
        expected = sum(size[own] / pooled * 1 / len(met) * 1 / size[own] for own in met)
        assert alone[at] == pytest.approx(expected)


@SLOW
@given(cases())
def test_beliefs_and_intersection_by_hand(case: Case) -> None:
    # A set listed as one value is read whole by attackers: who has it has all its members.
    assume(not any(label.startswith("{") for own in case.lists.values() for label in own))
    table = case.table
    release = case.release(table)
    believed = beliefs(table, release, "ill")
    everybody = range(len(case.rows))
    vulnerable = 0
    for at, person in enumerate(case.people):
        classes = {row[:2] for row in case.rows if row[:2] != ("*", "*") and fits(person, row)}
        classes = classes or {("*", "*")}
        rows = [place for place in everybody if case.rows[place][:2] in classes]
        told = {label for own in case.lists.values() for label in own}
        # What covers every value says nothing.
        told -= {"*"}
        true = [label for label in told if LABELS[label] & set(person[2])]
        among = rows or everybody
        best = max(
            (
                sum(case.belief(case.rows[place][2], label) for place in among) / len(among)
                for label in true
            ),
            default=0.0,
        )
        assert believed[at] == pytest.approx(best)
        vulnerable += any(
            row[0] == person[0] and row[1] == person[1] and set(case.lists[row[2]]) & set(person[2])
            for row in case.rows
        )
    found = record_intersection(table, release)
    assert found.vulnerable["ill"] == vulnerable
    assert found.highest["ill"] == pytest.approx(believed.max())
    assert found.believed["ill"]["0.5"] == pytest.approx(np.mean(believed >= 0.5 - 1e-12))
