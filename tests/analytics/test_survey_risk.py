"""The risk of surveys: individual risk by sampling weights, and households."""

from __future__ import annotations

import math
from collections.abc import Sequence

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.risk.individual import risk_of_links

ROWS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("fm"),
        st.sampled_from([0.5, 1.0, 2.5, 40.0]),
        st.sampled_from(["h1", "h2", "h3", None]),
    ),
    min_size=1,
    max_size=25,
)


def _frame(rows: Sequence[tuple[str, str, float, str | None]]) -> pl.DataFrame:
    schema = {"place": pl.String, "sex": pl.String, "wt": pl.Float64, "house": pl.String}
    return pl.DataFrame(rows, schema, orient="row")


def _expected_inverse(f: int, share: float) -> float:
    """E[1 / F] from the definition: F is negative binomial from f on, size by size."""
    total, size = 0.0, f
    log_chance = f * math.log(share)
    while size < 200_000:
        chance = math.exp(log_chance)
        total += chance / size
        if size > f / share and chance < 1e-18:
            break
        if share == 1:
            break
        log_chance += math.log1p(-share) + math.log(size) - math.log(size + 1 - f)
        size += 1
    return total


def _chance_of_fewer(f: int, share: float) -> float:
    """How probable fewer than five people are, size by size: a risk above 0.2."""
    return sum(
        math.comb(size - 1, f - 1) * share**f * (1 - share) ** (size - f) for size in range(f, 5)
    )


@given(st.integers(1, 60), st.floats(0.002, 1))
def test_a_link_is_as_often_right_as_all_sizes_of_the_class_say(f: int, share: float) -> None:
    found = risk_of_links(np.array([f]), np.array([f / share]))[0]
    assert found == pytest.approx(_expected_inverse(f, share), rel=1e-8)


@pytest.mark.parametrize("share", [0.5, 0.50001, 0.4999, 1e-9, 1.0])
@pytest.mark.parametrize("f", [1, 19, 20, 21, 5000])
def test_the_risk_is_between_that_of_the_mean_size_and_of_the_records(f: int, share: float) -> None:
    found = risk_of_links(np.array([f]), np.array([f / share]))[0]
    # 1 / F is convex: its mean is not below the value at the mean.
    assert share / f * (1 - 1e-9) <= found <= 1 / f * (1 + 1e-12)


def test_many_classes_are_as_each_alone() -> None:
    size = np.array([1, 3, 19, 20, 7, 1, 2])
    people = np.array([1.0, 9.0, 500.0, 21.0, 7.5, 900.0, 3.9])
    alone = [risk_of_links(size[i : i + 1], people[i : i + 1])[0] for i in range(7)]
    np.testing.assert_allclose(risk_of_links(size, people), alone, rtol=1e-12)


@given(ROWS.filter(lambda rows: sum(row[2] for row in rows) >= len(rows)))
def test_weights_and_households_are_as_counted_by_hand(
    rows: list[tuple[str, str, float, str | None]],
) -> None:
    report = ind.risk(_frame(rows), quasi=["place", "sex"], weights="wt", household="house")
    risks, classes = [], []
    for place, sex, _, _ in rows:
        like = [row for row in rows if row[:2] == (place, sex)]
        people = max(sum(row[2] for row in like), len(like))
        classes.append((like, people))
        risks.append(_expected_inverse(len(like), len(like) / people))
    found = report.individual
    assert found is not None
    assert report.estimated is not None
    assert report.basis == "weights"
    assert report.population == pytest.approx(sum(row[2] for row in rows))
    assert found.matches == pytest.approx(sum(risks))
    assert report.estimated.journalist.highest == pytest.approx(max(risks))
    fewer = [_chance_of_fewer(len(like), len(like) / people) for like, people in classes]
    assert report.estimated.journalist.at_risk == pytest.approx(sum(fewer) / len(rows))
    alone = [row for row in rows if sum(other[:2] == row[:2] for other in rows) == 1]
    assert found.uniques == pytest.approx(sum(min(1, 1 / row[2]) for row in alone))

    together = []
    for at, (_, _, _, house) in enumerate(rows):
        members = [i for i, row in enumerate(rows) if row[3] == house and house] or [at]
        together.append(1 - math.prod(1 - risks[i] for i in members))
    households = report.households
    assert households is not None
    names = {row[3] for row in rows if row[3]}
    assert households.households == len(names) + sum(row[3] is None for row in rows)
    assert households.highest == pytest.approx(max(together))
    assert households.success == pytest.approx(sum(together) / len(rows))
    assert households.at_risk == pytest.approx(sum(risk > 0.2 for risk in together) / len(rows))
    exposed = report.exposed
    assert exposed is not None
    by_row = exposed.sort("row")
    np.testing.assert_allclose(by_row["individual"], risks)
    np.testing.assert_allclose(by_row["household"], together)


ENOUGH = [
    ("a", "f", 10.0, "h1"),
    ("a", "f", 2.5, "h1"),
    ("b", "m", 3.0, "h2"),
    ("b", "f", 1.0, None),
    ("b", "f", 8.0, "h2"),
]


def test_households_without_weights_count_records_of_the_class() -> None:
    report = ind.risk(_frame(ENOUGH), quasi=["place", "sex"], household="house")
    assert report.households is not None
    # h1: two of a class of two; h2: one alone, and one of two.
    assert report.households.highest == 1
    assert report.households.success == pytest.approx((0.75 * 2 + 1 * 2 + 0.5) / 5)


def test_an_engine_says_the_same_and_names_no_records() -> None:
    frame = _frame(ENOUGH)
    relation = duckdb.from_arrow(frame.to_arrow())
    options = {"quasi": ["place", "sex"], "weights": "wt", "household": "house"}
    here, there = ind.risk(frame, **options), ind.risk(relation, **options)
    assert there.exposed is None
    for key in ("individual", "households", "estimated"):
        assert _rounded(there.to_dict()[key]) == _rounded(here.to_dict()[key])


def _rounded(found: object) -> object:
    if isinstance(found, dict):
        return {key: _rounded(value) for key, value in found.items()}
    return round(found, 9) if isinstance(found, float) else found


def test_people_with_many_records_count_once() -> None:
    rows = pl.concat([_frame(ENOUGH).with_columns(who=pl.Series(list("vwxyz")))] * 3)
    policy = {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "place": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "wt": {"role": "insensitive"},
            "house": {"role": "insensitive"},
        },
    }
    found = ind.risk(rows, policy, weights="wt", household="house").to_dict()
    plain = ind.risk(
        _frame(ENOUGH), quasi=["place", "sex"], weights="wt", household="house"
    ).to_dict()
    for key in ("individual", "households", "estimated"):
        assert _rounded(found[key]) == _rounded(plain[key])


def test_a_release_that_publishes_weights_is_measured_by_them() -> None:
    rows = pl.DataFrame(
        {
            "age": [str(20 + i % 4) for i in range(40)],
            "sex": ["f", "m"] * 20,
            "wt": [1.0 + i for i in range(40)],
        }
    )
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "wt": {"role": "insensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    release = ind.anonymize(rows, policy)
    found = ind.risk(release, weights="wt")
    assert found.quasi == ("age", "sex")
    assert found.individual is not None
    assert found.individual.population == pytest.approx(sum(rows["wt"]))


@pytest.mark.parametrize("bad", ["0", "-1", "many", None, "inf", "nan"])
def test_a_weight_that_is_none_is_refused_with_its_row(bad: str | None) -> None:
    frame = pl.DataFrame({"age": ["20", "20"], "wt": ["2", bad]})
    with pytest.raises(ind.DataError) as caught:
        ind.risk(frame, quasi="age", weights="wt")
    problem = caught.value.problems[0]
    assert (problem.code, problem.attribute, problem.rows) == ("bad-weight", "wt", (2,))


def test_weights_that_are_scaled_to_the_sample_are_refused() -> None:
    frame = pl.DataFrame({"age": ["20", "30"], "wt": [0.9, 1.0]})
    with pytest.raises(ind.DataError, match="scaled to the sample"):
        ind.risk(frame, quasi="age", weights="wt")


def test_weights_and_a_population_are_two_answers_to_one_question() -> None:
    with pytest.raises(ind.DataError, match="leave one of them out"):
        ind.risk(_frame(ENOUGH), quasi="place", weights="wt", population=400)


def test_weights_stand_in_for_the_population_of_a_policy() -> None:
    policy = {
        "attributes": {
            "place": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "wt": {"role": "insensitive"},
            "house": {"role": "insensitive"},
        },
        "risk": {"population": {"size": 4000}},
    }
    report = ind.risk(_frame(ENOUGH), policy, weights="wt")
    assert report.population == 24.5
    assert any("not the policy's" in note for note in report.notes)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ind.DataError, match="weigth"):
        ind.risk(_frame(ENOUGH), quasi="place", weights="weigth")


def test_the_weights_are_no_quasi_identifier_by_themselves() -> None:
    frame = pl.DataFrame({"age": list(range(30, 60)), "household": [*range(15)] * 2})
    report = ind.risk(frame, household="household")
    assert report.quasi == ("age",)
