"""Classes that tell a value, or its category, under promises that hold: that is said."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.document import share

ENOUGH = "of 'ill' ({}) enough, as max-posterior below 1"
QUASI = {
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
    "sex": {"role": "quasi-identifier"},
}
SEXES = {"F": ("breast", "flu"), "M": ("gout", "prostate")}


def patients(seed: int, rare: float = 0.0) -> pl.DataFrame:
    """Patients of whom sex and age tell the illness, or nearly all have one below fifty."""
    random, n = np.random.default_rng(seed), 600
    age, sex = random.integers(20, 80, n), random.choice(["F", "M"], n)
    own = [SEXES[one][int(years >= 50)] for one, years in zip(sex, age, strict=True)]
    if rare:
        other = random.random(n) < np.where(age < 50, rare, 0.4)
        own = np.where(other, random.choice(["gout", "hiv"], n), "flu").tolist()
    return pl.DataFrame({"age": age, "sex": sex, "ill": own})


def keys(promise: dict[str, Any], algorithm: str, **ill: Any) -> dict[str, Any]:
    return {
        "attributes": QUASI | {"ill": {"role": "sensitive", **ill}},
        "promises": [{"model": "k-anonymity", "k": 5}, {**promise, "sensitive": "ill"}],
        "method": {"algorithm": algorithm},
    }


PERMISSIVE: list[tuple[dict[str, Any], float]] = [
    ({"model": "max-posterior", "bound": 0.7, "on": ["sex"]}, 0.0),
    ({"model": "t-closeness", "t": 0.3}, 0.005),
    ({"model": "basic-beta-likeness", "beta": 3}, 0.005),
    ({"model": "delta-disclosure", "delta": 1.5, "absent": "skip"}, 0.005),
]


@pytest.mark.parametrize(("promise", "rare"), PERMISSIVE, ids=str)
def test_a_promise_under_which_all_of_a_class_have_one_value_is_told(
    promise: dict[str, Any], rare: float
) -> None:
    release = ind.anonymize(patients(1, rare), keys(promise, "optimal"))
    assert all(item["holds"] for item in release.certificate.promises)
    classes = release.tables.group_by(*QUASI).agg(pl.len(), pl.col("ill").n_unique().alias("of"))
    alike = classes.filter(of=1)["len"].sum() / release.tables.height
    assert alike > 0.1
    said = ENOUGH.format(f"{share(alike)} of records")
    assert sum(said in text for text in release.certificate.warnings) == 1


def test_a_promise_that_bounds_what_a_class_tells_is_not_doubted() -> None:
    for promise in ({"model": "max-posterior", "bound": 0.7}, {"model": "p-sensitive", "p": 2}):
        release = ind.anonymize(patients(1), keys(promise, "optimal"))
        assert not any("enough, as" in text for text in release.warnings)


def test_values_of_whom_there_is_nothing_to_know_are_alike_in_silence() -> None:
    table = patients(1, 0.005)
    promise = {"model": "distinct-l-diversity", "l": 2, "not_applicable": ["flu"]}
    release = ind.anonymize(table, keys(promise, "optimal"))
    assert not any("enough, as" in text for text in release.warnings)


KINDS = {"cancer": ["breast", "prostate"], "other": ["flu", "gout"]}


@pytest.mark.parametrize("way", ["categories", "hierarchy", "none"])
def test_classes_of_one_category_are_told(way: str) -> None:
    random, n = np.random.default_rng(3), 400
    age = random.integers(20, 80, n)
    ill = np.where(age < 50, random.choice(KINDS["cancer"], n), random.choice(KINDS["other"], n))
    told: dict[str, Any] = {
        "categories": {"categories": {"table": KINDS}},
        "hierarchy": {"hierarchy": {"tree": {"*": KINDS}}},
    }.get(way, {})
    table = pl.DataFrame({"age": age, "sex": random.choice(["F", "M"], n), "ill": ill})
    promise: dict[str, Any] = {"model": "distinct-l-diversity", "l": 2}
    release = ind.anonymize(table, keys(promise, "mondrian", **told))
    of = {value: kind for kind, values in KINDS.items() for value in values}
    shown = release.tables.with_columns(kind=pl.col("ill").replace_strict(of))
    classes = shown.group_by(*QUASI).agg(pl.len(), pl.col("kind").n_unique())
    alike = classes.filter(kind=1)["len"].sum() / n
    assert alike > 0.5
    said = [text for text in release.warnings if "are of one category" in text]
    assert len(said) == (way != "none")
    assert all(f"for {share(alike)} of records" in text for text in said)
    if way == "categories":
        promise = {"model": "p-plus-sensitive", "p": 2}
        kept = ind.anonymize(table, keys(promise, "mondrian", **told))
        assert not any("of one category" in text for text in kept.warnings)


@pytest.mark.parametrize("seed", range(2))
def test_two_values_that_single_out_together_are_told(seed: int) -> None:
    random, n = np.random.default_rng(seed), 600
    beside = {name: random.choice(list("pqrst"), n) for name in ("ward", "job", "team")}
    table = patients(seed, 0.2).with_columns(pl.Series(name, own) for name, own in beside.items())
    asked = keys({"model": "max-posterior", "bound": 0.95}, "mondrian")
    asked["attributes"] |= {name: {"role": "insensitive"} for name in beside}
    asked["promises"][0]["k"] = 20
    release = ind.anonymize(table, asked)
    alone = [
        release.tables.group_by(*QUASI, one, other).len().filter(len=1).height / n
        for one, other in combinations([*beside, "ill"], 2)
    ]
    assert max(alone) > 0.05
    said = [text for text in release.warnings if re.search("and '[a-z]+'(:| finds) [0-9]", text)]
    assert len(said) == 1
    assert re.search(rf"'(: | finds ){share(max(alone))}", said[0])


@pytest.mark.parametrize("person", [False, True])
@pytest.mark.parametrize("keep", [0, 1])
def test_whom_the_mask_of_a_name_singles_out_is_told(keep: int, person: bool) -> None:
    """Whoever knows a name knows its first letters, which some of a class have alone."""
    random, n = np.random.default_rng(7), 300
    table = patients(7, 0.2).head(n)
    names = ["".join(random.choice(list("aeioumnrst"), 6)) for _ in range(n)]
    table = table.with_columns(name=pl.Series(names), who=pl.int_range(n))
    asked = keys({"model": "max-posterior", "bound": 0.95}, "mondrian")
    asked["attributes"] |= {
        "name": {"role": "identifier", "transform": {"mask": {"keep": keep}}},
        "who": {"role": "identifier"},
    }
    if person:
        table = pl.concat([table, table.head(50).with_columns(ill=pl.lit("gout"))])
        asked["source"] = {"person": "who"}
    release = ind.anonymize(table, asked)
    shown = release.tables.with_columns(who=pl.col("who") if person else pl.int_range(n))
    shown = shown.unique(["who", *QUASI, "name"])
    alone = shown.group_by(*QUASI, "name").len().filter(len=1).height / n
    said = [text for text in release.warnings if "quasi-identifiers and 'name' finds" in text]
    assert len(said) == (keep > 0)
    if keep:
        assert alone > 0.3
        unit = "people" if person else "records"
        assert f"'name' finds {share(alone)} of {unit}" in said[0]


@pytest.mark.parametrize("role", ["identifier", "insensitive"])
@pytest.mark.parametrize("size", [1, 3, 60])
def test_whoever_knows_a_family_finds_its_members(size: int, role: str) -> None:
    """Classes of eight: a pseudonym of the household shows which classes go together."""
    table = patients(3, 0.2)
    table = table.with_columns(house="h" + (pl.int_range(600) // size).cast(pl.String))
    asked = keys({"model": "max-posterior", "bound": 0.95}, "mondrian")
    asked["promises"][0]["k"] = 8
    asked["attributes"]["house"] = {"role": role, "transform": "replace"}
    release = ind.anonymize(table, asked)
    homes = release.tables.group_by("house").agg(
        pl.concat_str(*QUASI).sort().str.join("&"), pl.len().alias("members")
    )
    found = homes.filter(pl.len().over("age") == 1)["members"].sum() / 600
    said = [text for text in release.warnings if "'house' shows which records belong" in text]
    assert len(said) == (size == 3)
    if said:
        assert found > 0.8
        assert f"finds {share(found)} of records" in said[0]
    notes = ind.attack(table, release, asked, only=["record-linkage"]).notes
    told = [text for text in notes if "no attacker uses what belongs together" in text]
    assert [text.partition(": ")[2] for text in told] == said


def test_suppressed_records_that_achieve_less_than_classes_are_told() -> None:
    random, n = np.random.default_rng(5), 300
    age = np.append(random.integers(20, 70, n - 12), [999] * 12)
    ill = np.append(random.choice(["flu", "cold", "gout"], n - 12), ["hiv"] * 10 + ["flu", "gout"])
    table = pl.DataFrame({"age": age, "sex": "F", "ill": ill})
    asked = keys({"model": "max-posterior", "bound": 0.9}, "optimal")
    asked["promises"][0]["k"] = 20
    asked["attributes"]["age"] = {
        "role": "quasi-identifier",
        "hierarchy": {"intervals": {"width": 10}},
        "max_level": 1,
    }
    asked["method"]["suppression_limit"] = 0.1
    release = ind.anonymize(table, asked | {"output": {"suppressed": "keep"}})
    stars = release.tables.filter(pl.col("age") == "*")["ill"]
    assert (stars == "hiv").mean() == 10 / 12
    assert release.certificate.promises[1]["achieved"]["bound"] < 0.6
    said = [text for text in release.certificate.warnings if "figures are those of classes" in text]
    assert len(said) == 1
    assert "max-posterior of 'ill' bound=0.8333" in said[0]
    dropped = ind.anonymize(table, asked).certificate.warnings
    assert not any("figures are those of classes" in text for text in dropped)


@pytest.mark.parametrize("model", ["km-anonymity", "known-records"])
def test_whoever_knows_the_items_of_others_and_the_program_is_told_of(model: str) -> None:
    random = np.random.default_rng(1)
    rows = [
        (at, 20 + at % 50, str(item))
        for at in range(120)
        for item in random.choice(["flu", "gout", "hiv"], 2, replace=False, p=[0.5, 0.4, 0.1])
    ]
    table = pl.DataFrame(rows, ["id", "age", "ill"], orient="row")
    asked = keys({"model": model, "k": 3}, "mondrian")
    asked["attributes"] = {"id": {"role": "identifier"}, "age": QUASI["age"]} | {
        "ill": {"role": "sensitive", "hierarchy": {"tree": {"*": ["flu", "gout", "hiv"]}}}
    }
    release = ind.anonymize(table, asked | {"source": {"person": "id"}})
    told = release.certificate.warnings
    assert any("promises about 'ill' bound what published items tell" in text for text in told)


HARM: list[tuple[dict[str, Any], bool]] = [
    ({"model": "max-posterior", "bound": 0.7, "values": ["HIV", "AIDS"]}, True),
    ({"model": "distinct-l-diversity", "l": 2, "values": ["HIV", "AIDS"]}, True),
    ({"model": "max-posterior", "bound": 0.7, "not_values": ["none", "flu"]}, True),
    ({"model": "max-posterior", "bound": 0.7, "not_applicable": ["flu"]}, False),
    ({"model": "max-posterior", "bound": 0.7}, False),
]


@pytest.mark.parametrize(("promise", "told"), HARM, ids=str)
@pytest.mark.parametrize("person", [False, True])
def test_a_class_in_which_everybody_has_some_value_that_harms_is_told(
    promise: dict[str, Any], told: bool, person: bool
) -> None:
    """Half of the youngest have HIV and half AIDS: neither is believed, one is certain."""
    if person and "not_applicable" in promise:
        pytest.skip("is refused of people with many records")
    other = ["none", "flu", "none", "HIV", "none", "AIDS", "flu", "none"]
    ill = ["HIV", "AIDS"] * 10 + [other[at % 8] for at in range(80)]
    table = pl.DataFrame({"age": [20 + at // 20 for at in range(100)], "ill": ill})
    asked = keys(promise, "optimal")
    asked["attributes"] = {"age": {"role": "quasi-identifier", "max_level": 0}} | {
        "ill": {"role": "sensitive"}
    }
    if person:
        table = table.with_columns(who=pl.int_range(pl.len()).cast(pl.String))
        table = pl.concat([table, table])
        asked["source"] = {"person": "who"}
    release = ind.anonymize(table, asked)
    assert all(item["holds"] for item in release.certificate.promises)
    said = [text for text in release.certificate.warnings if "have one of them" in text]
    assert len(said) == told
    assert all(f"'ill' (20.0% of {'people' if person else 'records'})" in text for text in said)


def test_nothing_is_told_where_a_class_has_harmless_values_too() -> None:
    table = pl.DataFrame(
        {"age": [20] * 20 + [30] * 20, "ill": (["HIV", "AIDS"] * 9 + ["flu"] * 2) * 2}
    )
    asked = keys({"model": "max-posterior", "bound": 0.7, "values": ["HIV", "AIDS"]}, "optimal")
    asked["attributes"].pop("sex")
    release = ind.anonymize(table.with_columns(ill=pl.col("ill").replace("AIDS", "cold")), asked)
    assert not any("have one of them" in text for text in release.warnings)
