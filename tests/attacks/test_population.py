"""Whoever has the population and compares all classes finds no more than an audit says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.release.audit import audit
from indistinct.requirement import Requirement

VALUES = "abcd"

people = st.lists(st.sampled_from(VALUES), min_size=1, max_size=6)
labels = st.lists(st.sets(st.sampled_from(VALUES), min_size=1), min_size=1, max_size=4)

SKIP = {"lower": 0.0, "upper": 1.0, "absent": "skip"}
PRESENCE = Requirement("delta-presence", SKIP, on=("age",))


def worlds(population: Sequence[str], rows: Sequence[str]) -> list[tuple[int, ...]]:
    """Every way to give each row a person of its own who fits it."""
    found: list[tuple[int, ...]] = [()]
    for row in rows:
        found = [
            (*world, person)
            for world in found
            for person, value in enumerate(population)
            if value in row and person not in world
        ]
    return found


@given(people, labels, st.integers(2, 4))
def test_no_row_and_no_presence_is_surer_than_audited(
    population: list[str], published: list[set[str]], k: int
) -> None:
    rows = ["".join(sorted(label)) for label in published]
    possible = worlds(population, rows)
    if not possible:
        return
    verdict = audit(
        pl.DataFrame({"age": rows}),
        [Requirement("k-map", {"k": k}, on=("age",)), PRESENCE],
        ["age"],
        population=pl.DataFrame({"age": population}),
        covers={"age": {row: frozenset(row) for row in rows}},
    )
    k_map, presence = verdict.promises[0], verdict.promises[1].achieved
    for row in range(len(rows)):
        owners = Counter(world[row] for world in possible)
        assert max(owners.values()) / len(possible) <= 1 / k + 1e-9 or k_map.note or not k_map.holds
    there = Counter(person for world in possible for person in world)
    able = [at for at, value in enumerate(population) if any(value in row for row in rows)]
    shares = np.array([there[at] for at in able]) / len(possible)
    assert presence["upper"] is not None
    assert presence["lower"] is not None
    assert shares.max() <= presence["upper"] + 1e-9
    assert shares.min() >= presence["lower"] - 1e-9


@given(people, st.data(), st.integers(0, 3), st.sampled_from(["break", "suppressed"]))
def test_no_presence_in_suppressed_records_is_surer_than_audited(
    population: list[str], data: st.DataObject, stars: int, absent: str
) -> None:
    """Who fits no class is in one of the rows of stars, each as likely as the others."""
    rows = data.draw(st.lists(st.sampled_from(population), max_size=3))
    rows = [row for row in rows if rows.count(row) <= population.count(row)]
    outside = [value for value in population if value not in rows]
    verdict = audit(
        pl.DataFrame({"age": [*rows, *["*"] * stars]}, schema={"age": pl.String}),
        [
            Requirement("delta-presence", {"lower": 0.0, "upper": 0.6, "absent": absent}),
            Requirement("delta-presence", {"lower": 0.0, "upper": 0.6, "absent": "skip"}),
            Requirement("k-map", {"k": 2}),
        ],
        ["age"],
        population=pl.DataFrame({"age": population}),
    )
    if not rows:
        return
    assert len(verdict.suppressed_group) == (3 if stars else 0)
    if stars:
        presence, skipped, k_map = verdict.suppressed_group
        assert presence.holds is (stars <= 0.6 * len(outside))
        assert presence.achieved["upper"] == (stars / len(outside) if outside else None)
        assert skipped.holds is None
        assert k_map.holds is (True if len(outside) >= 2 else None)


def test_who_fits_no_class_is_not_told_to_be_there(tmp_path: Path) -> None:
    """One of four people lives in Ulm: a row of stars beside Kiel would be hers."""
    table = pl.DataFrame({"town": ["Kiel", "Kiel", "Ulm"], "ill": list("xyx")})
    pl.DataFrame({"town": ["Kiel"] * 3 + ["Ulm"]}).write_csv(tmp_path / "population.csv")
    policy = {
        "attributes": {
            "town": {"role": "quasi-identifier", "max_level": 0, "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "delta-presence", "lower": 0, "upper": 0.8}],
        "risk": {"population": {"file": str(tmp_path / "population.csv")}},
        "method": {"suppression_limit": 0.5},
        "output": {"suppressed": "keep"},
    }
    release = ind.anonymize(table, policy)
    assert release.tables["town"].to_list() == ["Kiel", "Kiel"]
    assert any("suppressed records would break a promise" in text for text in release.warnings)
    found = ind.attack(table, release, policy, only=["presence"])["presence"]
    assert found.success["certain"] == 0


def test_classes_that_tell_who_is_there_only_together_are_withheld(tmp_path: Path) -> None:
    """Four of five people: by each class three of four are there at most, by all of them more."""
    everybody = pl.DataFrame({"age": [1, 5, 11, 4, 9], "sex": list("MMFMM")})
    everybody.write_csv(tmp_path / "population.csv")
    policy = {
        "attributes": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"intervals": {"width": 2, "levels": 3}},
            },
            "sex": {"role": "quasi-identifier"},
        },
        "promises": [{"model": "delta-presence", "lower": 0, "upper": 0.75}],
        "method": {"local_recoding": True, "suppression_limit": 0.5},
        "risk": {"population": {"file": str(tmp_path / "population.csv")}},
    }
    table = everybody.tail(4)
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.anonymize(table, policy)
    assert [problem.code for problem in caught.value.problems] == ["overlapping-classes"]
    policy["method"] = {"suppression_limit": 0.5}
    (held,) = ind.anonymize(table, policy).certificate.promises
    assert held["achieved"]["upper"] <= 0.75


@pytest.mark.parametrize("algorithm", ["iab", "greedy", "exhaustive"])
def test_methods_that_look_at_whole_rows_refuse_to_count_a_population(algorithm: str) -> None:
    policy = {
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": 2}}},
        "promises": [{"model": "k-map", "k": 2}],
        "method": {"algorithm": algorithm},
        "risk": {"population": {"file": "population.csv"}},
    }
    with pytest.raises(ind.PolicyError) as caught:
        ind.anonymize(pl.DataFrame({"age": [1, 2, 3]}), policy)
    assert "population-beside-rows" in {problem.code for problem in caught.value.problems}


@given(people, st.data())
def test_presence_is_certain_of_whom_the_rows_need_whoever_has_which(
    population: list[str], drawn: st.DataObject
) -> None:
    there = drawn.draw(st.sets(st.integers(0, len(population) - 1), min_size=1))
    table = pl.DataFrame({"age": [population[at] for at in sorted(there)], "ill": "flu"})
    also = drawn.draw(st.lists(st.sets(st.sampled_from(VALUES)), min_size=6, max_size=6))
    rows = [
        "".join(sorted({value, *more})) for value, more in zip(table["age"], also, strict=False)
    ]
    shown = ["{" + ", ".join(row) + "}" if len(row) > 1 else row for row in rows]
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    release = table.with_columns(pl.Series("age", shown))
    register = pl.DataFrame({"age": population})
    found = ind.attack(table, release, policy, population=register, only=["presence"])["presence"]
    possible = worlds(population, rows)
    needed = [at for at in there if all(at in world for world in possible)]
    assert found.success["certain"] == pytest.approx(len(needed) / len(there))
    assert found.success["0.5"] >= found.success["certain"]
