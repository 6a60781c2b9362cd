"""Rows become people: whose they are, and what they have."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import DataError
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Events, Subjects

VISITS = pl.DataFrame(
    {
        "who": ["b", "a", "b", "c", "a"],
        "sex": ["f", "m", "f", "f", "m"],
        "zip": ["1", "2", "1", "1", "2"],
    }
)


def test_people_are_numbered_by_their_first_row() -> None:
    people = Subjects.of_people(VISITS, "who", ["sex", "zip"])
    assert people.person_of.tolist() == [0, 1, 0, 2, 1]
    assert people.texts.rows() == [("f", "1"), ("m", "2"), ("f", "1")]
    assert people.first_rows().tolist() == [0, 1, 3]
    assert (people.count, people.rows, people.resolved) == (3, 5, {})


def test_what_differs_within_people_is_told_at_once_without_values() -> None:
    torn = VISITS.with_columns(
        sex=pl.Series(["f", "m", "x", "f", "m"]),
        zip=pl.Series(["1", "2", "1", "1", "7"]),
        who=pl.Series(["b", "a", "b", None, "a"]),
    )
    with pytest.raises(DataError) as caught:
        Subjects.of_people(torn, "who", ["sex", "zip"], file="visits.csv")
    told = caught.value.problems
    assert [item.code for item in told] == [
        "row-without-person",
        "differs-within-people",
        "differs-within-people",
    ]
    assert [item.rows for item in told] == [(4,), (1, 3), (2, 5)]
    assert told[1].attribute == "sex"
    assert told[1].file == "visits.csv"
    assert "'x'" not in str(caught.value)


RULES = {
    "first": [("f",), ("m",)],
    "last": [("x",), ("n",)],
    "most-frequent": [("f",), ("n",)],
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_chooses_one_value_of_several(rule: str) -> None:
    rows = pl.DataFrame(
        {
            "who": ["a", "a", "a", "b", "b", "b"],
            "sex": ["f", "f", "x", "m", "n", "n"],
        }
    )
    people = Subjects.of_people(rows, "who", ["sex"], conflicts=rule)  # type: ignore[arg-type]
    assert people.texts.rows() == RULES[rule]
    assert people.resolved == {"sex": 2}


@pytest.mark.parametrize("rule", RULES)
def test_a_missing_value_is_chosen_only_without_another(rule: str) -> None:
    rows = pl.DataFrame({"who": ["a", "a", "a", "b"], "sex": [None, "f", None, None]})
    people = Subjects.of_people(rows, "who", ["sex"], conflicts=rule)  # type: ignore[arg-type]
    assert people.texts.rows() == [("f",), (None,)]


def test_no_rows_are_no_people() -> None:
    people = Subjects.of_people(VISITS.clear(), "who", ["sex"])
    assert people.count == 0
    assert people.texts.height == 0


@st.composite
def visits(draw: st.DrawFn) -> tuple[list[int], list[str], list[str | None]]:
    people = draw(st.integers(1, 6))
    rows = draw(st.integers(people, 15))
    who = [
        *range(people),
        *draw(st.lists(st.integers(0, people - 1), min_size=rows - people, max_size=rows - people)),
    ]
    age = draw(st.lists(st.sampled_from("xyz"), min_size=people, max_size=people))
    value = st.sampled_from(["A", "B", "C", None])
    return who, [age[p] for p in who], draw(st.lists(value, min_size=rows, max_size=rows))


@given(visits())
def test_each_value_is_counted_once_for_everybody_who_has_it(
    table: tuple[list[int], list[str], list[str | None]],
) -> None:
    who, age, value = table
    rows = pl.DataFrame({"who": [str(p) for p in who], "age": age, "value": value})
    people = Subjects.of_people(rows, "who", ["age"], ["value"])
    chains = [[label, "*"] for label in "xyz"]
    made = Microdata.encode(people, {"age": Taxonomy("age", chains)}, ["value"])
    table_ = made.data.table
    cells = table_.sensitive["value"]
    assert table_.records == len(set(who))
    assert cells.exclusive == (len({*zip(who, value, strict=True)}) == len(set(who)))
    for c in range(table_.combinations):
        label = "xyz"[table_.codes[0][c]]
        here = slice(cells.indptr[c], cells.indptr[c + 1])
        found = {
            cells.domain[v]: int(n)
            for v, n in zip(cells.value[here], cells.count[here], strict=True)
        }
        wanted: dict[str | None, set[int]] = {}
        for p, a, v in zip(who, age, value, strict=True):
            if a == label:
                wanted.setdefault(v, set()).add(p)
        assert found == {v: len(people) for v, people in wanted.items()}
        assert table_.weight[c] == len({p for p, a in zip(who, age, strict=True) if a == label})


def test_some_of_the_people_keep_their_records() -> None:
    events = Events(np.array([0, 1, 0, 2], np.int32), pl.DataFrame({"v": ["a", "b", "c", "d"]}))
    some = events.of(np.array([True, False, True]))
    assert some.person_of.tolist() == [0, 0, 1]
    assert some.texts["v"].to_list() == ["a", "c", "d"]
