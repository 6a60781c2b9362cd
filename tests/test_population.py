"""Promises about a population, end to end: who may be missing from a release, and what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind
from indistinct.errors import Unsatisfiable

INSIDE = {"north": 2, "south": 1}
SKIP = 'absent = "skip"'
SUPPRESSED = 'absent = "suppressed"'


def table() -> pl.DataFrame:
    """Two of four people of the north and one of twelve of the south are patients."""
    return pl.DataFrame({"town": [town for town, times in INSIDE.items() for _ in range(times)]})


def asked(folder: Path, absent: str | None, *, empty: bool, **method: Any) -> ind.Policy:
    """A policy of delta-presence; ``empty``: nobody of the west is a patient."""
    people = {"north": 4, "south": 12, "west": 2 if empty else 0}
    lines = [town for town, times in people.items() for _ in range(times)]
    (folder / "people.csv").write_text("\n".join(["town", *lines]) + "\n")
    bounded = {"max_level": 0} if method.get("algorithm") != "k-member" else {}
    bounds: dict[str, Any] = {"model": "delta-presence", "lower": 0.15, "upper": 0.6}
    return ind.Policy.from_dict(
        {
            "attributes": {"town": {"role": "quasi-identifier"} | bounded},
            "promises": [bounds if absent is None else bounds | {"absent": absent}],
            "method": {"suppression_limit": 0.5} | method,
            "risk": {"population": {"file": "people.csv"}},
        },
        directory=folder,
    )


@pytest.mark.parametrize("algorithm", ["optimal", "heuristic"])
def test_who_is_left_out_breaks_a_lower_bound_unless_passed_over(
    tmp_path: Path, algorithm: str
) -> None:
    def made(absent: str | None, *, empty: bool) -> list[str]:
        policy = asked(tmp_path, absent, empty=empty, algorithm=algorithm)
        return list(ind.anonymize(table(), policy).tables["town"])

    for absent in (None, "break"):
        with pytest.raises(Unsatisfiable) as error:
            made(absent, empty=False)
        assert "with at most 0 of 3 records suppressed" in str(error.value)
        assert SUPPRESSED in str(error.value)
        assert SKIP in str(error.value)
        assert "suppression_limit" not in str(error.value)
    assert made("suppressed", empty=False) == ["north", "north"]
    with pytest.raises(Unsatisfiable) as error:
        made("suppressed", empty=True)
    assert SKIP in str(error.value)
    assert SUPPRESSED not in str(error.value)
    assert "leaves a class that no suppression repairs" in str(error.value)
    assert made("skip", empty=True) == ["north", "north"]


def test_what_no_suppression_mends_is_no_release_even_if_all_may_be_suppressed(
    tmp_path: Path,
) -> None:
    policy = asked(tmp_path, "suppressed", empty=True, suppression_limit=1.0)
    with pytest.raises(Unsatisfiable, match="leaves a class that no suppression repairs"):
        ind.anonymize(table(), policy)


def test_clustering_that_fails_names_the_setting_too(tmp_path: Path) -> None:
    # No class of theirs covers the west, where nobody is a patient.
    with pytest.raises(Unsatisfiable) as error:
        ind.anonymize(table(), asked(tmp_path, None, empty=True, algorithm="k-member"))
    assert f"delta-presence with {SUPPRESSED}" in str(error.value)
    assert SKIP in str(error.value)
    passed = asked(tmp_path, "suppressed", empty=True, algorithm="k-member")
    assert list(ind.anonymize(table(), passed).tables["town"]) == ["north", "north"]


def test_what_is_impossible_beforehand_names_the_setting(tmp_path: Path) -> None:
    keys = asked(tmp_path, None, empty=True).to_dict()
    keys["promises"][0] |= {"lower": 0.3}
    with pytest.raises(Unsatisfiable) as error:
        ind.anonymize(table(), ind.Policy.from_dict(keys, directory=tmp_path))
    assert "a share of 0.167" in str(error.value)
    assert SUPPRESSED in str(error.value)


def test_a_limit_that_a_lower_bound_makes_idle_draws_a_warning(tmp_path: Path) -> None:
    def warned(absent: str | None, **keys: Any) -> bool:
        policy = asked(tmp_path, absent, empty=False, **keys)
        return any(SUPPRESSED in text for text in policy.warnings)

    assert warned(None)
    assert warned("break")
    assert not warned("suppressed")
    assert not warned("skip")
    assert not warned(None, suppression_limit=0)


def test_people_beside_the_table_need_no_category(tmp_path: Path) -> None:
    records = pl.DataFrame(
        {
            "person": [f"P{at // 2}" for at in range(48)],
            "age": [str(20 + at // 4 % 4 * 5) for at in range(48)],
            "illness": [("flu", "gout")[at // 2 % 2] for at in range(48)],
        }
    )
    beside = pl.DataFrame({"age": ["20", "25", "30", "35"] * 8 + ["91", "92"]})
    beside.write_csv(tmp_path / "people.csv")
    policy = {
        "source": {"person": "person"},
        "attributes": {
            "person": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "illness": {
                "role": "sensitive",
                "categories": {"table": {"mild": ["flu"], "other": ["gout"]}},
            },
        },
        "promises": [
            {"model": "k-map", "k": 3},
            {"model": "p-plus-sensitive", "p": 2, "sensitive": "illness"},
        ],
        "method": {"algorithm": "p-l-angelization"},
        "risk": {"population": {"file": str(tmp_path / "people.csv")}},
    }
    release = ind.anonymize(records, policy)
    assert all(item["holds"] for item in release.certificate.promises)


def around(people: pl.DataFrame, folder: Path, **more: Any) -> dict[str, Any]:
    """A policy of k-map among some people."""
    people.write_csv(folder / "people.csv")
    return {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
        },
        "promises": [{"model": "k-map", "k": 4}],
        "risk": {"population": {"file": str(folder / "people.csv")}},
        **more,
    }


def test_a_population_of_visits_does_not_count_a_person_twice(tmp_path: Path) -> None:
    """Two people of each age with three visits each are no six people."""
    visits = pl.DataFrame({"who": range(8), "age": [20, 20, 21, 21, 30, 30, 31, 31]})
    with pytest.raises(ind.errors.DataError, match="16 rows are further ones of people") as caught:
        ind.anonymize(visits, around(pl.concat([visits] * 3), tmp_path))
    assert caught.value.problems[0].code == "people-twice"
    policy = ind.Policy.from_dict(around(visits, tmp_path))
    with pytest.raises(ind.errors.DataError, match="16 rows"):
        ind.risk(visits, policy=policy, population=pl.concat([visits] * 3))
    release = ind.anonymize(visits, policy)
    assert release.tables.group_by("age").len()["len"].to_list() == [4, 4]


@pytest.mark.parametrize(
    ("shift", "lacking"), [(0, None), (100, "8 of 8 people"), (1, "4 of 8 people")]
)
def test_a_population_that_cannot_hold_the_table_is_warned_of(
    tmp_path: Path, shift: int, lacking: str | None
) -> None:
    people = pl.DataFrame({"who": range(8), "age": [20, 20, 21, 21, 30, 30, 31, 31]})
    others = pl.concat([people.with_columns(pl.col("age") + shift), people.head(0)])
    method = {"method": {"suppression_limit": 0.0}}
    warnings = ind.anonymize(people, around(others, tmp_path, **method)).warnings
    told = [one for one in warnings if "cannot be in the population" in one]
    assert [one.partition(" cannot")[0] for one in told] == ([] if lacking is None else [lacking])
