"""A column that leaves fewer records of a class to whoever knows an exact value is warned of."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind

KEYS: dict[str, Any] = {
    "rest": "keep",
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
    },
    "promises": [{"model": "k-anonymity", "k": 5}],
}


def people(seed: int, beside: str) -> pl.DataFrame:
    """People, with a column beside their quasi-identifiers."""
    random = np.random.default_rng(seed)
    age, n = random.integers(20, 70, 300), 300
    columns = {
        "year of birth": 2024 - age - random.integers(0, 2, n),
        "five years": age // 5,
        "mostly right": np.where(random.random(n) < 0.9, age, random.integers(20, 70, n)),
        "chance": random.integers(0, 50, n),
        "few": random.integers(0, 2, n),
        "pension": (age >= 65).astype(int),
    }
    return pl.DataFrame({"age": age, "sex": random.choice(["F", "M"], n), "x": columns[beside]})


def left(table: pl.DataFrame, release: pl.DataFrame) -> float:
    """The share of a class that fits on average who is as old, whatever the column says at all."""
    known = table.group_by("age").agg(pl.col("x").unique().alias("may"))
    found = []
    for age, may in known.rows():
        rows = release.filter(pl.col("age") == f"[{age // 10 * 10}, {age // 10 * 10 + 10})")
        found.append(rows["x"].is_in(may).mean())
    return float(np.mean(found))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("beside", ["year of birth", "five years", "mostly right"])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_what_narrows_a_class_is_warned_of(seed: int, beside: str, algorithm: str) -> None:
    table = people(seed, beside)
    keys = KEYS | {"method": {"algorithm": algorithm}}
    keys["promises"] = [{"model": "k-anonymity", "k": 40}]
    release = ind.anonymize(table, keys)
    assert any("'x' is published as it is, and narrows 'age'" in w for w in release.warnings)
    if algorithm == "optimal" and release.plan.levels["age"] == 1:
        assert left(table, release.tables) < 0.6


@pytest.mark.parametrize("beside", ["chance", "few", "pension"])
def test_what_leaves_classes_as_they_are_is_not(beside: str) -> None:
    for seed in range(2):
        release = ind.anonymize(people(seed, beside), KEYS)
        assert not any("narrows" in warning for warning in release.warnings)


@pytest.mark.parametrize("beside", ["year of birth", "five years", "pension", "chance", "few"])
def test_a_sensitive_column_that_follows_from_one_is_warned_of(beside: str) -> None:
    keys = KEYS | {"attributes": KEYS["attributes"] | {"x": {"role": "sensitive"}}}
    warnings = ind.anonymize(people(0, beside), keys).warnings
    found = any("and follows from 'age': it leaves" in text for text in warnings)
    assert found == (beside not in {"chance", "few"})


def test_a_column_that_determines_a_quasi_identifier_is_warned_of_once() -> None:
    keys = KEYS | {"attributes": KEYS["attributes"] | {"x": {"role": "sensitive"}}}
    table = people(0, "chance").with_columns(x=3 * pl.col("age").cast(pl.Int64))
    told = [text for text in ind.anonymize(table, keys).warnings if "'x' is published" in text]
    assert [text.partition(", ")[2].partition(",")[0] for text in told] == ["and determines 'age'"]


def stays(seed: int, column: str) -> pl.DataFrame:
    """Stays, with something that follows from both of their dates, from one, or from neither."""
    random, n = np.random.default_rng(seed), 400
    first = np.datetime64("2023-01-01") + random.integers(0, 90, n)
    days = random.geometric(0.15, n)
    columns = {
        "days": days,
        "about how many": np.minimum(days // 3, 8),
        "survived": -2.5 * days,
        "weeks of the year": (first - np.datetime64("2023-01-01")).astype(int) // 7,
        "chance": random.permutation(days),
        "yes or no": random.integers(0, 2, n),
    }
    return pl.DataFrame(
        {"in": first, "out": first + days, "ward": random.integers(0, 3, n), "x": columns[column]}
    ).with_columns(pl.col("in", "out").cast(pl.Date).cast(pl.String))


STAYS: dict[str, Any] = {
    "rest": "keep",
    "attributes": {
        "in": {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year"]}},
        "out": {"role": "quasi-identifier", "hierarchy": {"date": ["month", "year"]}},
    },
    "promises": [{"model": "k-anonymity", "k": 3}],
}


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
@pytest.mark.parametrize(
    ("column", "told"),
    [
        ("days", True),
        ("about how many", True),
        ("survived", True),
        ("weeks of the year", False),
        ("chance", False),
        ("yes or no", False),
    ],
)
def test_what_follows_from_two_dates_is_warned_of(column: str, told: bool, role: str) -> None:
    keys = STAYS | {"attributes": STAYS["attributes"] | {"x": {"role": role}}}
    told = told or (role == "sensitive" and column == "weeks of the year")
    warnings = ind.anonymize(stays(0, column), keys).warnings
    two = "" if column == "weeks of the year" else " and 'out'"
    said = f"'x' is published as it is, and follows from 'in'{two}"
    assert any(said in warning for warning in warnings) == told


def test_what_follows_from_two_dates_of_people_and_visits_is_warned_of() -> None:
    table = stays(0, "days").with_columns(who=pl.int_range(400).cast(pl.String))
    keys = STAYS | {"source": {"person": "who"}}
    keys["attributes"] = STAYS["attributes"] | {"who": {"role": "identifier"}}
    warnings = ind.anonymize(pl.concat([table, table]), keys).warnings
    assert any("follows from 'in' and 'out'" in warning for warning in warnings)


@pytest.mark.parametrize(("kind", "told"), [("number", True), ("category", False)])
def test_codes_have_no_difference(kind: str, told: bool) -> None:
    days = stays(0, "days").with_columns(pl.col("in", "out").str.to_date().to_physical())
    numbers = {"role": "quasi-identifier", "type": kind, "hierarchy": "suppress"}
    method = {"algorithm": "mondrian"}
    keys = STAYS | {"attributes": {"in": numbers, "out": numbers, "x": {"role": "sensitive"}}}
    warnings = ind.anonymize(days, keys | {"method": method}).warnings
    assert any("follows from 'in' and 'out'" in warning for warning in warnings) == told


def test_a_difference_of_few_values_puts_none_in_order() -> None:
    """Two groupings of ages differ by little, and a colour by chance stands beside."""
    random = np.random.default_rng(0)
    age = random.integers(0, 80, 4000)
    group = pl.Series(np.where(age < 15, 1, age // 5 - 1))
    table = pl.DataFrame(
        {"group": group, "of five": age // 5 + 1, "x": random.integers(1, 17, 4000)}
    )
    intervals = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 2}}}
    keys = STAYS | {"promises": [{"model": "k-anonymity", "k": 400}]}
    keys["attributes"] = {"group": intervals, "of five": intervals, "x": {"role": "sensitive"}}
    warnings = ind.anonymize(table, keys).warnings
    assert not any("follows from" in warning for warning in warnings)


def test_columns_of_people_are_looked_at_person_by_person() -> None:
    table = people(0, "year of birth").with_columns(who=pl.int_range(300).cast(pl.String))
    visits = pl.concat([table, table])
    keys = KEYS | {"source": {"person": "who"}}
    keys["attributes"] = KEYS["attributes"] | {"who": {"role": "identifier"}}
    warnings = ind.anonymize(visits, keys).warnings
    assert any("'x' is published as it is, and narrows 'age'" in warning for warning in warnings)
    same = people(0, "chance").with_columns(who=pl.int_range(300).cast(pl.String))
    warnings = ind.anonymize(pl.concat([same, same]), keys).warnings
    assert not any("narrows" in warning for warning in warnings)


@pytest.mark.parametrize("name", ["patient_id", "name", "ref"])
def test_columns_that_name_people_are_not_kept_silently(name: str) -> None:
    """Ten records each: such a column is not nearly unique, and k records may be one person's."""
    random = np.random.default_rng(0)
    who = np.repeat(np.arange(60), 10)
    table = pl.DataFrame(
        {
            name: [f"N{100_000 + 37 * at}" for at in who],
            "age": random.integers(20, 70, 60)[who],
            "sex": random.choice(["F", "M"], 60)[who],
            "smoker": random.choice(["yes", "no"], 600),
        }
    )
    told = f"'{name}': seems to name people"
    assert any(told in warning for warning in ind.anonymize(table, KEYS).warnings)
    silent = ind.anonymize(table.drop(name), KEYS)
    assert not any("seems to name people" in warning for warning in silent.warnings)


@pytest.mark.parametrize("beside", ["ward", "half", "chance"])
def test_columns_that_determine_what_is_known_of_a_visit_are_warned_of(beside: str) -> None:
    """Whoever knows one visit, and so the column, finds fewer people than the promise says."""
    random = np.random.default_rng(0)
    who = np.repeat(np.arange(60), 3)
    ward, day = random.integers(0, 12, 180), random.integers(0, 9, 180)
    half = np.where(random.random(180) < 0.8, ward // 3, random.integers(0, 4, 180))
    columns = {"ward": ward * 7 % 13, "half": half, "chance": (ward + day) % 3}
    visits = {"ward": [f"W{at}" for at in ward], "day": [f"D{at}" for at in day]}
    table = pl.DataFrame({"who": who, "age": who % 3, **visits, "x": columns[beside]})
    visit = {"role": "quasi-identifier", "level": "event", "hierarchy": "suppress"}
    keys = {
        "source": {"person": "who"},
        "rest": "keep",
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "ward": visit | {"min_level": 1},
            "day": visit,
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    warnings = ind.anonymize(table, keys).warnings
    told = "'x' is published as it is, and determines 'ward', which is generalized"
    assert any(told in warning for warning in warnings) == (beside == "ward")
    told = "'x' is published as it is, and narrows 'ward', which is generalized"
    assert any(told in warning for warning in warnings) == (beside == "half")


def computing(seed: int, what: str) -> tuple[pl.DataFrame, str]:
    """People of whom two columns together tell a third, but in one case; and that column."""
    random, n = np.random.default_rng(seed), 400
    age, sex = random.integers(20, 80, n), random.choice(["F", "M"], n)
    day = np.datetime64("2020-01-01") + random.integers(0, 700, n)
    stay = random.integers(1, 40, n)
    year, weight = random.integers(2015, 2024, n), random.normal(75, 15, n).round()
    height = random.normal(170, 10, n).round()
    known, one, other = {
        "age": (age, year, year - age),
        "day": (day.astype(str), (day + stay).astype(str), stay),
        "weight": (weight, height, (weight / (height / 100) ** 2).round(1)),
        "chance": (age, year, random.permutation(year - age)),
        "dead": (weight, height, (weight > 80).astype(int)),
    }[what]
    table = pl.DataFrame({"known": known, "sex": sex, "one": one, "other": other})
    return table, "'known' is generalized, and can be computed from 'one' and 'other'"


COMPUTING: dict[str, Any] = {
    "rest": "keep",
    "attributes": {
        "known": {"role": "quasi-identifier"},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
    },
    "promises": [{"model": "k-anonymity", "k": 4}],
    "method": {"algorithm": "mondrian"},
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("what", ["age", "day", "weight", "chance", "dead"])
def test_what_can_be_computed_from_two_columns_is_warned_of(what: str, seed: int) -> None:
    table, told = computing(seed, what)
    warnings = ind.anonymize(table, COMPUTING).warnings
    assert any(told in text for text in warnings) == (what not in {"chance", "dead"})


def parts_of_a_total(seed: int, parts: int, error: float = 0) -> pl.DataFrame:
    """Costs of people, one of them known; their total, and another column."""
    random, n = np.random.default_rng(seed), 400
    table = {"known": random.integers(20, 80, n)}
    table |= {f"part {at}": random.integers(0, 80, n) for at in range(parts)}
    total = np.sum([*table.values()], axis=0) + random.normal(0, error, n).round()
    return pl.DataFrame(
        {
            "sex": random.choice(["F", "M"], n),
            **table,
            "total": total,
            "x": random.integers(0, 80, n),
        }
    )


@pytest.mark.parametrize(("parts", "error", "told"), [(2, 0, True), (5, 0, True), (3, 20, False)])
def test_what_is_left_of_a_total_is_warned_of(parts: int, error: float, told: bool) -> None:
    table = parts_of_a_total(1, parts, error)
    those = " and ".join(f"'{name}'" for name in [*table.columns[2:-1]])
    said = f"'known' is generalized, and can be computed from {those}, which"
    assert any(said in text for text in ind.anonymize(table, COMPUTING).warnings) is told
    changed = {"role": "insensitive", "transform": {"noise": {"scale": 30}}}
    attributes = {"sex": {"role": "quasi-identifier"}, "known": changed}
    warnings = ind.anonymize(table, COMPUTING | {"attributes": attributes}).warnings
    assert any("so telling what 'known' was" in text for text in warnings) is told


def test_whoever_computes_an_exact_age_finds_people_alone() -> None:
    release = ind.anonymize(computing(0, "age")[0], COMPUTING)
    assert release.certificate.promises[0]["achieved"]["k"] >= 4
    shown = release.tables.with_columns(age=pl.col("one") - pl.col("other"))
    assert shown.group_by("sex", "age").len()["len"].min() == 1


STAY: dict[str, Any] = COMPUTING | {
    "attributes": {
        "stay": {"role": "quasi-identifier"},
        "sex": {"role": "quasi-identifier"},
        "who": {"role": "identifier"},
    }
}


def moved_stays(days: int | None) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Stays that are generalized, beside their first and last days, moved as far or each apart."""
    random, n = np.random.default_rng(3), 400
    first, stay = (
        np.datetime64("2020-01-01") + random.integers(0, 700, n),
        random.integers(1, 40, n),
    )
    shown = {"first": first, "last": first + stay}
    table = pl.DataFrame({"who": np.arange(n), "stay": stay, "sex": "F", **shown})
    table = table.with_columns(pl.col("first", "last").cast(pl.Date))
    alike = {"shift": {"days": days, "by": "who"}}
    changed = {"role": "insensitive", "transform": alike if days else {"noise": {"scale": 60}}}
    attributes = STAY["attributes"] | {"first": changed, "last": changed}
    return table, STAY | {"attributes": attributes}


@pytest.mark.parametrize("days", [100, None])
def test_what_is_computed_from_changed_columns_is_warned_of(days: int | None) -> None:
    release = ind.anonymize(*moved_stays(days))
    assert release.certificate.promises[0]["achieved"]["k"] >= 4
    told = (
        "'stay' is generalized, and can be computed from 'first' and 'last', which are published:"
    )
    assert any(told in text for text in release.warnings) is bool(days)
    if days:  # whoever knows somebody's stay finds fewer than four with it
        shown = release.tables.with_columns(stay=pl.col("last") - pl.col("first"))
        assert shown.group_by("sex", "stay").len()["len"].min() < 4


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"noise": {"scale": 1}}, "follows from 'age'"),
        ({"microaggregate": 3}, "determines 'age'"),
        ({"round": 2}, "determines 'age'"),
        ({"noise": {"scale": 40}}, None),
        ({"swap": {}}, None),
    ],
)
def test_a_changed_column_that_tells_a_quasi_identifier_is_warned_of(
    change: dict[str, Any], what: str | None
) -> None:
    random, n = np.random.default_rng(5), 400
    age = random.integers(20, 80, n)
    table = pl.DataFrame({"age": age // 2, "sex": random.choice(["F", "M"], n), "born": 2000 - age})
    attributes = {
        "age": {"role": "quasi-identifier"},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "born": {"role": "insensitive", "transform": change},
    }
    warnings = ind.anonymize(table, COMPUTING | {"attributes": attributes}).warnings
    told = [text for text in warnings if "'born' is published after its transformation" in text]
    assert bool(told) is (what is not None)
    assert what is None or any(what in text for text in told)


@pytest.mark.parametrize("role", ["insensitive", "sensitive"])
def test_what_stays_of_a_quasi_identifier_computes_too(role: str) -> None:
    """The year is a quasi-identifier that is published as it is."""
    table, told = computing(0, "age")
    year = {"role": "quasi-identifier", "hierarchy": "suppress", "max_level": 0}
    attributes = COMPUTING["attributes"] | {"one": year, "other": {"role": role}}
    attributes["known"] = {"role": "quasi-identifier", "hierarchy": "suppress"}
    keys = COMPUTING | {"attributes": attributes, "method": {"algorithm": "optimal"}}
    release = ind.anonymize(table, keys)
    told = "'known' is generalized, and can be computed from 'other' and 'one'"
    assert any(told in text for text in release.warnings)


def test_what_computes_the_day_of_a_visit_is_warned_of() -> None:
    table, told = computing(0, "day")
    table = table.with_columns(who=pl.int_range(400) // 2, sex=pl.lit("F"))
    day = {"role": "quasi-identifier", "level": "event", "type": "date"}
    keys = {
        "source": {"person": "who"},
        "rest": "keep",
        "attributes": {
            "who": {"role": "identifier"},
            "sex": {"role": "quasi-identifier"},
            "known": day,
        },
        "promises": [{"model": "known-visit", "k": 4}],
    }
    assert any(told in text for text in ind.anonymize(table, keys).warnings)


def test_what_computes_it_beside_buckets_is_warned_of() -> None:
    table, told = computing(0, "age")
    who, ill = pl.int_range(400), pl.Series([f"d{at % 7}" for at in range(400)])
    keys = COMPUTING | {"source": {"person": "who"}, "method": {"algorithm": "p-l-angelization"}}
    keys["attributes"] = COMPUTING["attributes"] | {
        "who": {"role": "identifier"},
        "ill": {
            "role": "sensitive",
            "categories": {
                "table": {"low": ["d0", "d1", "d2"], "high": ["d3", "d4", "d5", "d6"]},
                "order": ["low", "high"],
            },
        },
    }
    keys["promises"] = [
        {"model": "k-anonymity", "k": 4},
        {"model": "p-plus-sensitive", "p": 2, "sensitive": "ill"},
    ]
    warnings = ind.anonymize(table.with_columns(who=who, ill=ill), keys).warnings
    assert any(told in text for text in warnings)


@pytest.mark.parametrize(("price", "told"), [(True, True), (False, False)])
def test_what_computes_a_changed_value_is_warned_of(price: bool, told: bool) -> None:
    """A cost with noise, beside its price and how many there were."""
    random, n = np.random.default_rng(0), 300
    each, many = random.integers(5, 90, n), random.integers(1, 20, n)
    columns = {"each": each if price else random.permutation(each), "many": many}
    table = pl.DataFrame({"age": random.integers(20, 60, n), "sex": "F", **columns})
    table = table.with_columns(cost=pl.Series(each * many))
    noise = {"role": "insensitive", "transform": {"noise": {"scale": 100}}}
    keys = KEYS | {"attributes": KEYS["attributes"] | {"cost": noise}}
    said = "'each' and 'many': published as in the table, and so telling what 'cost' was"
    assert any(said in text for text in ind.anonymize(table, keys).warnings) == told
