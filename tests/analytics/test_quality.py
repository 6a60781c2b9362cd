"""What is left of a release, in ARX's figures: known values, and sums over all records."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.published import Original, read_rows
from indistinct.analytics.utility import quality
from indistinct.analytics.utility.figures import Utility
from indistinct.hierarchies.taxonomy import Taxonomy

AGES = [23, 24, 27, 29, 31, 33, 36, 38, 41, 44, 46, 49]


def fives(ages: list[int]) -> Taxonomy:
    chains = [(str(a), f"{a // 5 * 5}-{a // 5 * 5 + 4}", "*") for a in dict.fromkeys(ages)]
    return Taxonomy("age", chains)


def utility(cells: list[str]) -> Utility:
    original = Original.of(pl.DataFrame({"age": list(map(str, AGES))}), {"age": fives(AGES)})
    return Utility(original, read_rows(original, pl.DataFrame({"age": cells})))


NODES = [f"{a // 5 * 5}-{a // 5 * 5 + 4}" for a in AGES]


def test_ages_in_steps_of_five(shared: Path) -> None:
    """Tables II and III of Victor and Lopez (2020): hierarchy of the values, steps of 5, and *."""
    known = json.loads((shared / "spec/oracles.json").read_text())["B_001"]
    expected = known["arx_quality_age_TableII_to_III"]
    found = utility(NODES).quality
    assert found["generalization_intensity"] == expected["intensity"] == 0.5
    assert found["granularity"] == pytest.approx(expected["granularity"])
    assert found["non_uniform_entropy"] == pytest.approx(expected["non_uniform_entropy"])
    assert found["squared_error"] == pytest.approx(expected["squared_error_tight"])
    assert found["discernibility"] == pytest.approx(expected["discernibility_quality"])
    assert found["average_class_size"] == pytest.approx(expected["aecs_quality"])
    # The paper prints ranges that overlap, 20-25 and 25-30.
    wide = utility([f"[{a // 5 * 5}, {a // 5 * 5 + 5}]" for a in AGES]).quality
    assert wide["squared_error"] == pytest.approx(expected["squared_error_nominal"])


def test_ages_in_steps_of_five_by_hand() -> None:
    found = utility(NODES).quality
    assert found["squared_error"] == pytest.approx(Fraction(5067, 5129))
    assert found["non_uniform_entropy"] == pytest.approx(0.7210570543)
    assert found["ambiguity"] == pytest.approx(1 - Fraction(24 - 12, 144 - 12))


def test_one_class_of_two_is_suppressed() -> None:
    for cells in (NODES[2:], [*NODES[2:], "*", "*"]):
        found = utility(cells).quality
        assert found["generalization_intensity"] == pytest.approx(Fraction(5, 12))
        assert found["granularity"] == pytest.approx(Fraction(25, 33))
        assert found["missings"] == pytest.approx(Fraction(10, 12))
        # Of 23 and 24 nothing is left: 26 and 25 to the farther end.
        lost = 5129 - 5067 - 2 + 26**2 + 25**2
        assert found["squared_error"] == pytest.approx(1 - Fraction(lost, 5129))


def test_nothing_and_everything() -> None:
    whole = utility(list(map(str, AGES)))
    assert set(whole.quality.values()) == {1.0}
    for cells in (["*"] * 12, []):
        nothing = utility(cells).quality
        # All ages are equally frequent, which is what readers expect.
        assert nothing.pop("kl_divergence") == 1.0
        assert set(nothing.values()) == {0.0}
    own = whole.to_dict()["quality"]["per_attribute"]["age"]
    assert own == dict.fromkeys(
        ["missings", "generalization_intensity", "granularity", "non_uniform_entropy",
         "squared_error"], 1.0,
    )  # fmt: skip


def test_texts_are_as_far_apart_as_their_places_in_the_hierarchy() -> None:
    jobs = Taxonomy(
        "job", [("cook", "hands", "*"), ("clerk", "desk", "*"), ("judge", "desk", "*"),
                ("unused", "desk", "*")],
    )  # fmt: skip
    original = Original.of(pl.DataFrame({"job": ["judge", "cook", "clerk"]}), {"job": jobs})
    frame = pl.DataFrame({"job": ["{clerk, judge}", "cook", "{clerk, judge}"]})
    found = Utility(original, read_rows(original, frame))
    # Places 0, 1, 2: two cells reach one place too far, of 2, 1 and 2 places at most.
    assert found.quality["squared_error"] == pytest.approx(1 - Fraction(1 + 1, 4 + 1 + 4))
    assert found.quality["row_squared_error"] is None


def test_left_over_values_count_as_the_others_are_published() -> None:
    even = utility(NODES[2:]).quality["non_uniform_entropy"]
    bits = sum(math.log2(NODES.count(node)) for node in NODES)
    assert even == pytest.approx(1 - bits / (12 * math.log2(12)))
    # 23 and 49 are of two bins: that either is in the first is worth a bit of each.
    two = [node for at, node in enumerate(NODES) if at not in (0, 11)]
    told = utility(two).quality["non_uniform_entropy"]
    assert told == pytest.approx(1 - (bits + 2) / (12 * math.log2(12)))
    # Cells of several levels: nothing is known of whoever is left over.
    mixed = utility([*["[20, 29]"] * 4, *NODES[4:8]]).quality["non_uniform_entropy"]
    assert mixed == pytest.approx(1 - (4 * 2 + 4 * 1 + 4 * math.log2(12)) / (12 * math.log2(12)))


@pytest.mark.parametrize(
    "method",
    [
        {"suppression_limit": 0.3},
        {"algorithm": "heuristic", "suppression_limit": 0.3, "local_recoding": True},
        {"algorithm": "mondrian"},
        {"algorithm": "k-member"},
    ],
    ids=lambda method: method.get("algorithm", "optimal"),
)
def test_a_run_and_compare_lose_the_same_bits(method: dict[str, Any]) -> None:
    rows = [(str(20 + at // 4 * 10 + at % 3), "fm"[at // 4 % 2]) for at in range(24)]
    table = pl.DataFrame(rows, ["age", "sex"], orient="row")
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "sex": {"role": "quasi-identifier"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {**method, "seed": 1},
    }
    release = ind.anonymize(table, keys)
    (found,) = ind.compare(table, release, policy=keys).to_dict()["releases"]
    told = found["quality"]["non_uniform_entropy"]
    assert 0 < told < 1
    assert 1 - told == pytest.approx(release.measures["non-uniform-entropy"])


def test_a_cell_of_transformed_values_counts_as_suppressed() -> None:
    original = Original.of(pl.DataFrame({"age": list(map(str, AGES))}), {"age": fives(AGES)})
    texts = pl.DataFrame({"age": [*NODES[:-2], "60-64", "60-64"]})
    rows = read_rows(original, texts, transformed=["age"])
    found = Utility(original, rows)
    assert found.quality["missings"] == pytest.approx(10 / 12)
    # A number that the table does not have is read as a number.
    rows = read_rows(original, pl.DataFrame({"age": [*NODES[:-2], "60", "61"]}))
    assert Utility(original, rows).quality["missings"] == 1.0
    assert 0 < (Utility(original, rows).quality["squared_error"] or 0) < 1


rows_drawn = st.lists(
    st.tuples(st.integers(18, 60), st.sampled_from(["f", "m"])), min_size=1, max_size=25
)


@settings(max_examples=120)
@given(rows_drawn, st.integers(0, 2), st.integers(0, 1), st.sets(st.integers(0, 24)))
def test_even_levels_are_measured_record_by_record(
    people: list[tuple[int, str]], age_level: int, sex_level: int, gone: set[int]
) -> None:
    ages = fives([age for age, _ in people])
    sexes = Taxonomy("sex", [("f", "*"), ("m", "*")])
    texts = pl.DataFrame(
        {"age": [str(age) for age, _ in people], "sex": [sex for _, sex in people]}
    )
    original = Original.of(texts, {"age": ages, "sex": sexes})
    published = [
        (ages.generalize(str(age), age_level), sexes.generalize(sex, sex_level))
        for age, sex in people
    ]
    # Whole classes are suppressed, as a search does it.
    left_out = {published[at] for at in gone if at < len(people)}
    hidden = [cells in left_out for cells in published]
    shown = [cells for cells, out in zip(published, hidden, strict=True) if not out]
    frame = pl.DataFrame(shown, schema={"age": pl.String, "sex": pl.String}, orient="row")
    found = Utility(original, read_rows(original, frame)).quality_by_attribute

    numbers = np.array([age for age, _ in people])
    least, most = numbers.min(), numbers.max()
    spans = np.maximum((numbers - least) ** 2, (numbers - most) ** 2)
    squares, bits, worst = [], 0.0, 0.0
    lost = Counter(cells[0] for cells, out in zip(published, hidden, strict=True) if out)
    if len(shown) == 0:
        lost = Counter(str(age) for age, _ in people)
    for at, (age, _) in enumerate(people):
        cell = "*" if hidden[at] else published[at][0]
        under = [
            other for other in numbers.tolist()
            if cell == "*" or ages.generalize(str(other), age_level) == cell
        ]  # fmt: skip
        away = max((age - min(under)) ** 2, (age - max(under)) ** 2)
        squares.append(min(away, int(spans[at])))
        alike = (numbers == age).sum()
        if hidden[at]:
            own_cell = published[at][0] if shown else str(age)
            under = [
                other for other in numbers.tolist()
                if own_cell in (str(other), ages.generalize(str(other), age_level))
            ]  # fmt: skip
            bits += math.log2(lost.total() / lost[str(own_cell)])
        bits += math.log2(len(under) / alike)
        worst += math.log2(len(people) / alike)
    own = found.per_attribute["age"]
    total = spans.sum()
    assert own.squared_error == pytest.approx(1 - sum(squares) / total if total else 1.0)
    assert own.non_uniform_entropy == pytest.approx(1 - bits / worst if worst else 1.0)
    distance = np.sqrt(spans).sum()
    assert found.row_squared_error == pytest.approx(
        1 - np.sqrt(squares).sum() / distance if distance else 1.0
    )
    for figure in own.to_dict().values():
        assert figure is not None
        assert 0 <= figure <= 1
    assert 0 <= found.ambiguity <= 1


def test_too_many_pairs_are_looked_at_by_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pl.DataFrame({"age": list(map(str, AGES)), "sex": ["f", "m"] * 6})
    sexes = Taxonomy("sex", [("f", "*"), ("m", "*")])
    original = Original.of(texts, {"age": fives(AGES), "sex": sexes})
    frame = pl.DataFrame({"age": NODES[2:], "sex": ["*"] * 10})
    joint = Utility(original, read_rows(original, frame)).quality
    monkeypatch.setattr(quality, "MOST_PAIRS", 1)
    alone = Utility(original, read_rows(original, frame)).quality
    for name in ("missings", "generalization_intensity", "granularity", "ambiguity"):
        assert alone[name] == joint[name]
    for name in ("non_uniform_entropy", "squared_error", "row_squared_error"):
        assert alone[name] is not None
        assert 0 <= alone[name] <= 1  # type: ignore[operator]


def test_distances_of_rows_attribute_by_attribute_count_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many people of one age count as many, also where every attribute is looked at alone."""
    ages = [20] * 8 + [24] + [30, 44]
    original = Original.of(pl.DataFrame({"age": list(map(str, ages))}), {"age": fives(ages)})
    frame = pl.DataFrame({"age": [f"{a // 5 * 5}-{a // 5 * 5 + 4}" for a in ages]})
    joint = Utility(original, read_rows(original, frame)).quality["row_squared_error"]
    far = np.array([24] * 8 + [20] + [14, 24])
    near = np.array([4] * 8 + [4] + [0, 0])
    assert joint == pytest.approx(1 - near.sum() / far.sum())
    monkeypatch.setattr(quality, "MOST_PAIRS", 1)
    alone = Utility(original, read_rows(original, frame)).quality["row_squared_error"]
    assert alone == pytest.approx(joint)


UNDER = {"a": "a", "b": "b", "c": "c", "L": "ab", "*": "abc"}
WARDS = Taxonomy("ward", [("a", "L", "*"), ("b", "L", "*"), ("c", "c", "*")])
SEXES = Taxonomy("sex", [("a", "*"), ("c", "*")])


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("ac")), min_size=1, max_size=8),
    st.lists(st.tuples(st.sampled_from("abcL*"), st.sampled_from("ac*")), max_size=8),
)
def test_kl_divergence_is_that_of_what_readers_expect(
    rows: list[tuple[str, str]], cells: list[tuple[str, str]]
) -> None:
    """Against every combination that each record may be; cells overlap as they like."""
    cells = cells[: len(rows)]
    original = Original.of(
        pl.DataFrame(rows, schema=["ward", "sex"], orient="row"), {"ward": WARDS, "sex": SEXES}
    )
    shown = pl.DataFrame(cells, schema={"ward": pl.String, "sex": pl.String}, orient="row")
    records = [*cells, *[("*", "*")] * (len(rows) - len(cells))]
    believed = Counter[tuple[str, str]]()
    for ward, sex in records:
        may_be = [(x, y) for x in UNDER[ward] for y in UNDER[sex] if y != "b"]
        for one in may_be:
            believed[one] += 1 / len(records) / len(may_be)
    share = {one: count / len(rows) for one, count in Counter(rows).items()}
    most = sum(p * math.log2(p * 6) for p in share.values())
    found = Utility(original, read_rows(original, shown)).quality["kl_divergence"]
    assert found is not None
    if any(not believed[one] for one in share):
        assert found == (0 if most > 1e-9 else 1)
    elif most > 1e-9:
        bits = sum(p * math.log2(p / believed[one]) for one, p in share.items())
        assert found == pytest.approx(min(max(1 - bits / most, 0), 1), abs=1e-9)
