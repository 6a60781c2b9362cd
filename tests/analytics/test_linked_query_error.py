"""Questions about people, answered by joined tables: against counting by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.analytics import paper_people as paper
from tests.analytics.joined_tables import (
    AGE_CELLS,
    ILLS,
    LABELS,
    WARD_CELLS,
    WARDS,
    Case,
    cases,
    long_release,
)

from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.utility.linked_query_error import LinkedQueries, Question
from indistinct.analytics.utility.query_error import MODES, Condition, Mode, Workload
from indistinct.errors import DataError
from indistinct.types import Ints

SLOW = settings(max_examples=60)

ANY_GENDER = Condition(2, leaves=np.array([0, 1]))


def of_ages(low: int, high: int, least: int, most: int) -> Question:
    return Question((Condition(0, low, high), Condition(1, least, most), ANY_GENDER))


def test_the_papers_questions() -> None:
    people = paper.people()
    asked = of_ages(40, 42, 2139, 2545), of_ages(32, 45, 2138, 2843)
    queries = LinkedQueries(people, asked, "age")
    assert queries.counts.tolist() == [2, 8]
    assert queries.sums.tolist() == [82, 327]
    release = paper.table_12(people, noise=False)
    overlap, uniform = queries.answers(release), queries.answers(release, "uniform")
    assert overlap["count"].tolist() == pytest.approx([4, 8])
    assert uniform["count"].tolist() == pytest.approx([2.25, 8])
    assert queries.errors(release)["count"].tolist() == pytest.approx([1, 0])
    assert queries.errors(release, "uniform")["count"].tolist() == pytest.approx([0.125, 0])
    # Two people of [40, 42] and, for their zips, all of the others of [40, 45].
    assert overlap["sum"][0] == pytest.approx(2 * 41 + 2 * 42.5)
    assert uniform["avg"].tolist() == pytest.approx([41, 327 / 8])
    document = queries.error(release).to_dict()
    assert document["of"] == "age"
    assert document["count"]["uniform"] == {
        "mean": pytest.approx(0.0625),
        "median": pytest.approx(0.0625),
        "queries": 2,
    }


def test_a_category_is_expected_and_not_joined() -> None:
    people = paper.people()
    values = people.values[paper.SYMPTOM].labels
    severe = np.array([at for at, v in enumerate(values) if paper.CATEGORY[str(v)] == "Severe"])
    queries = LinkedQueries(people, (Question((ANY_GENDER,), paper.SYMPTOM, severe),))
    assert queries.counts.tolist() == [2]
    release = paper.table_12(people)
    # Two buckets with two people each, one of whom has it; a plain join counts four.
    assert queries.answers(release, "uniform")["count"].tolist() == pytest.approx([2])
    assert queries.answers(release)["count"].tolist() == [4]
    assert set(queries.answers(release)) == {"count"}


def test_what_labels_stand_for_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    people = paper.people()
    looked: list[str] = []
    standing = PeopleTable.standing

    def counted(table: PeopleTable, name: str, labels: Sequence[str | None]) -> tuple[Ints, Ints]:
        looked.append(name)
        return standing(table, name, labels)

    monkeypatch.setattr(PeopleTable, "standing", counted)
    asked = [Question((ANY_GENDER,), paper.SYMPTOM, np.array([at])) for at in range(3)]
    LinkedQueries(people, tuple(asked)).answers(paper.table_12(people), "uniform")
    assert looked == [paper.SYMPTOM]


def fit(cell: str, asked: Condition, case: Case) -> tuple[float, list[float]]:
    """How well an age cell fits, and the numbers of the part that does; the slow way."""
    ages = [float(age) for age, _, _ in case.people if age is not None]
    if cell == "*" or cell.startswith("["):
        low, high = (
            (min(ages), max(ages)) if cell == "*" else tuple(map(float, cell[1:-1].split(", ")))
        )
        inside = [float(x) for x in range(int(low), int(high) + 1)]
        fitting = [x for x in inside if asked.low <= x <= asked.high]
        return len(fitting) / len(inside), fitting
    members = [float(age) for age in AGE_CELLS[cell] if age is not None]
    fitting = [x for x in members if asked.low <= x <= asked.high]
    return len(fitting) / len(members), fitting


def whole(cell: str, case: Case) -> list[float]:
    return fit(cell, Condition(0, -math.inf, math.inf), case)[1]


def chance(case: Case, bucket: int, asked: set[str], mode: Mode) -> float:
    # What nobody has is no value of the table.
    there = {ill for _, _, ills in case.people for ill in ills}
    own = {
        label: len(LABELS[label] & asked & there) / len(LABELS[label] & there)
        if LABELS[label] & there
        else 0.0
        for label in case.lists[bucket]
    }
    if mode == "overlap":
        return float(any(own.values()))
    parts = [case.share(bucket, label) * share for label, share in own.items()]
    if case.holding == "one":
        return min(sum(parts), 1.0)
    left = 1.0
    for part in parts:
        left *= 1 - part
    return 1 - left


@SLOW
@given(
    cases(),
    st.integers(19, 31),
    st.integers(0, 8),
    st.sets(st.sampled_from(WARDS), min_size=1),
    st.sets(st.sampled_from(ILLS), min_size=1),
    st.booleans(),
)
def test_answers_by_hand(
    case: Case, low: int, more: int, wards: set[str], ills: set[str], on_age: bool
) -> None:
    table = case.table
    release = case.release(table)
    leaves = table.original.domains["ward"].taxonomy.leaves
    ages = Condition(0, low, low + more)
    places = np.array([leaves.index(ward) for ward in wards])
    values = table.values["ill"].labels
    asked = np.array([at for at, value in enumerate(values) if value in ills])
    assume(len(asked))
    conditions = (*([ages] if on_age else []), Condition(1, leaves=places))
    queries = LinkedQueries(table, (Question(conditions, "ill", asked),), "age")

    found = [
        age
        for age, ward, own in case.people
        if ward in wards and set(own) & ills
        and (not on_age or (age is not None and low <= float(age) <= low + more))
    ]  # fmt: skip
    assert queries.counts[0] == len(found)
    assert queries.sums[0] == pytest.approx(sum(float(age) for age in found if age is not None))
    assert queries.numbers[0] == sum(age is not None for age in found)

    for mode in MODES:
        count = total = 0.0
        for age, ward, bucket in case.rows:
            if (age, ward) == ("*", "*"):
                continue
            share, fitting = fit(age, ages, case) if on_age else (1.0, whole(age, case))
            under = WARD_CELLS[ward]
            weight = chance(case, bucket, ills, mode)
            if mode == "overlap":
                weight *= bool(share) * bool(under & wards)
                middle = np.mean(whole(age, case))
            else:
                weight *= share * len(under & wards) / len(under)
                middle = np.mean(fitting) if fitting else 0.0
            count += weight
            total += weight * float(middle)
        answers = queries.answers(release, mode)
        assert answers["count"][0] == pytest.approx(count, abs=1e-9)
        assert answers["sum"][0] == pytest.approx(total, abs=1e-7)
        if count > 1e-9:
            assert answers["avg"][0] == pytest.approx(total / count)
        else:
            assert math.isnan(answers["avg"][0]) or answers["count"][0] > 0


@SLOW
@given(cases(), st.integers(0, 5))
def test_a_table_answers_its_own_questions(case: Case, seed: int) -> None:
    """Released as it is, a table answers everything right, in both modes."""
    table = case.table
    rows = pl.DataFrame(
        [
            (str(at), age, ward, ill)
            for at, (age, ward, ills) in enumerate(case.people)
            for ill in ills
        ],
        schema=dict.fromkeys(["who", "age", "ward", "ill"], pl.String),
        orient="row",
    )
    release = long_release(table.original, rows, "who", "ill")
    queries = LinkedQueries.draw(table, Workload(queries=30, selectivity=0.6, seed=seed))
    assert len(queries) == 30
    assert (queries.counts > 0).all()
    for mode in MODES:
        errors = queries.errors(release, mode)
        assert np.abs(errors["count"]).max() < 1e-9
        assert np.abs(errors["sum"]).max(initial=0.0) < 1e-9
        assert np.abs(errors["avg"]).max(initial=0.0) < 1e-9
    again = LinkedQueries.draw(table, Workload(queries=30, selectivity=0.6, seed=seed))
    assert again.counts.tolist() == queries.counts.tolist()


def test_questions_ask_for_whole_categories() -> None:
    people = paper.people()
    labels = people.values[paper.SYMPTOM].labels
    queries = LinkedQueries.draw(people, Workload(queries=40, selectivity=0.3))
    for question in queries.asked:
        names = {labels[at] for at in question.values}
        homes = {paper.CATEGORY[str(name)] for name in names}
        assert names == {label for label in labels if paper.CATEGORY[str(label)] in homes}
    plain = LinkedQueries.draw(people, Workload(queries=5, selectivity=0.3), sensitive=())
    assert {question.sensitive for question in plain.asked} == {None}


def test_what_cannot_be_asked() -> None:
    people = paper.people()
    with pytest.raises(DataError, match=r"no sensitive attribute 'symptoms'.*symptom"):
        LinkedQueries.draw(people, Workload(), sensitive=["symptoms"])
    with pytest.raises(DataError, match="there are 3 quasi-identifiers"):
        LinkedQueries.draw(people, Workload(dimensions=4))
    with pytest.raises(DataError, match="'gender': it is not numeric"):
        LinkedQueries(people, (), "gender")
    rare = Workload(queries=50, dimensions=3, selectivity=1e-9)
    assert len(LinkedQueries.draw(people, rare)) == 50
    with pytest.raises(ValueError, match="needs a condition"):
        Question(())
    release = paper.table_12(people)
    bare = JoinedRelease(release.published, release.bucket_of, {})
    queries = LinkedQueries.draw(people, Workload(queries=3, selectivity=0.5))
    with pytest.raises(DataError, match="symptom"):
        queries.answers(bare)
