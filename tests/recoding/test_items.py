"""k^m-anonymity of sets of items, against counting every combination."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.test_k_l_diversity import (
    CHAINS,
    ITEMS,
    cells_of_sets,
    survey,
)

from indistinct import anonymize
from indistinct.errors import DataError, HierarchyError, PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Label
from indistinct.recoding.items import ItemPlan, km, km_anonymous, published_items
from indistinct.release.audit import audit

Sets = Sequence[Sequence[Label]]

CHECKED = settings(max_examples=200)
SETS = st.lists(
    st.lists(st.sampled_from([*ITEMS, None]), min_size=1, max_size=4), min_size=1, max_size=30
)


def plan_of(sets: Sets, k: int, m: int, suppress: float = 0.0) -> ItemPlan:
    return km_anonymous("illness", cells_of_sets(sets), k, m, suppress=suppress)


def as_published(sets: Sets, plan: ItemPlan) -> list[frozenset[Label]]:
    return [
        frozenset(plan.published[item] for item in items if item not in plan.suppressed)
        for items in sets
    ]


def fewest(sets: Iterable[frozenset[Label]], m: int) -> int | None:
    """The fewest people who have a combination of up to m items."""
    counted: Counter[tuple[Label, ...]] = Counter()
    for items in sets:
        ordered = sorted(items, key=lambda item: (item is None, item or ""))
        for size in range(1, m + 1):
            counted.update(combinations(ordered, size))
    return min(counted.values(), default=None)


def cost(sets: Sets, published: Mapping[Label, Label]) -> float:
    """The certainty penalty of the sets, where neither missing ones nor "chronic" occur."""
    under: Counter[Label] = Counter(label for chain in CHAINS for label in chain)
    leaves = len(CHAINS)
    total, entries = 0.0, 0
    for items in sets:
        for item in set(items):
            label = published[item]
            total += 0.0 if label == item else under[label] / leaves
            entries += 1
    return total / entries


@CHECKED
@given(sets=SETS, k=st.integers(1, 6), m=st.integers(1, 4))
def test_no_combination_is_rare(sets: Sets, k: int, m: int) -> None:
    if len(sets) < k:
        with pytest.raises(Unsatisfiable, match=f"and {len(sets)} have any"):
            plan_of(sets, k, m)
        return
    plan = plan_of(sets, k, m)
    least = fewest(as_published(sets, plan), m)
    assert least is not None
    assert least >= k
    assert not plan.suppressed
    # A cut: what is published covers its items, and nothing published lies under another.
    for item, label in plan.published.items():
        way = next((chain for chain in CHAINS if chain[0] == item), (item, "ill"))
        assert label in way
        assert not {*way[way.index(label) + 1 :]} & {*plan.published.values()} - {"chronic"}
    if None not in plan.published and "chronic" not in plan.published:
        assert plan.ncp == pytest.approx(cost(sets, plan.published))
    already = fewest([frozenset(items) for items in sets], m)
    if already is not None and already >= k:
        assert all(item == label for item, label in plan.published.items())
        assert plan.ncp == 0.0


@CHECKED
@given(sets=SETS, k=st.integers(2, 6), m=st.integers(1, 3), share=st.sampled_from([0.1, 0.3, 1.0]))
def test_what_is_left_out_stays_within_the_limit(sets: Sets, k: int, m: int, share: float) -> None:
    if len(sets) < k:
        return
    plan = plan_of(sets, k, m, share)
    least = fewest(as_published(sets, plan), m)
    assert least is None or least >= k
    entries = sum(len(set(items)) for items in sets)
    lost = sum(item in plan.suppressed for items in sets for item in set(items))
    assert plan.entries == entries
    assert plan.left_out == lost <= share * entries + 1e-9


@CHECKED
@given(sets=SETS, k=st.integers(2, 5), m=st.integers(1, 3), seed=st.integers(0, 99))
def test_neither_order_nor_repetition_matters(sets: Sets, k: int, m: int, seed: int) -> None:
    if len(sets) < k:
        return
    plan = plan_of(sets, k, m)
    mixed = random.Random(seed).sample(list(sets), len(sets))
    assert plan_of(mixed, k, m).published == plan.published


@CHECKED
@given(
    sets=st.lists(st.lists(st.sampled_from(ITEMS[:3]), min_size=1), min_size=3, max_size=9),
    k=st.integers(2, 3),
    m=st.integers(1, 2),
)
def test_no_cheaper_than_the_best_cut(sets: Sets, k: int, m: int) -> None:
    """Against all cuts of the part of the tree that matters."""
    plan = plan_of(sets, k, m)
    ways = [next(chain for chain in CHAINS if chain[0] == item) for item in ITEMS[:3]]
    costs = []
    for labels in product(*ways):
        published = dict(zip(ITEMS[:3], labels, strict=True))
        cuts = all(
            label not in way[:-1] or published[way[0]] in way[way.index(label) :]
            for label in labels
            for way in ways
            if label not in ITEMS
        )
        shown = [frozenset(published[item] for item in items) for items in sets]
        least = fewest(shown, m)
        if cuts and least is not None and least >= k:
            costs.append(cost(sets, published))
    assert plan.ncp >= min(costs) - 1e-9


def test_a_small_table_by_hand() -> None:
    """Four with flu or cold, one of them with angina as well; k = 2.

    Angina is rare: together with infarct it becomes heart, a quarter of the leaves for both. Then
    heart and flu are rare together. To lift flu costs 5 times 5/8, to lift heart (and with it all)
    more; airways and heart are rare together again, and end at the root. To leave both out costs
    1.5, where two of seven items may be.
    """
    sets = [["flu"], ["flu"], ["flu", "angina"], ["cold"], ["infarct"]]
    alone = plan_of([*sets, ["cold"]], 2, 1)
    assert {item: alone.published[item] for item in ("flu", "cold", "angina")} == {
        "flu": "flu",
        "cold": "cold",
        "angina": "heart",
    }
    assert alone.lifts == 1
    assert alone.ncp == pytest.approx(2 * (2 / 8) / 7)
    assert alone.cut == ("flu", "cold", "heart")
    pairs = plan_of([*sets, ["cold"]], 2, 2)
    assert set(pairs.published.values()) == {"ill"}
    assert pairs.ncp == 1.0
    assert pairs.lifts == 3
    kept = plan_of([*sets, ["cold"]], 2, 2, suppress=2 / 7)
    assert kept.suppressed == {"angina", "infarct"}
    assert kept.left_out == 2
    assert kept.cut == ("flu", "cold")
    assert kept.ncp == pytest.approx(2 / 7)


def test_a_column_as_published() -> None:
    plan = plan_of([["flu"], ["flu"], ["angina"], ["infarct"], [None], [None]], 2, 1)
    column = pl.Series("illness", ["infarct", None, "flu"])
    assert published_items(plan, column).to_list() == ["heart", None, "flu"]
    assert published_items(plan, column).name == "illness"
    with pytest.raises(DataError, match="row 2") as caught:
        published_items(plan, pl.Series("illness", ["flu", "plague"]))
    assert "plague" not in str(caught.value)


def test_the_plan_as_plain_data() -> None:
    plan = plan_of([["flu"], ["flu"], ["angina"], ["infarct"]], 2, 2)
    document = plan.to_dict()
    assert document["cut"] == ["flu", "heart"]
    assert document["k"] == document["m"] == 2
    assert repr(plan) == "<ItemPlan: illness, k=2, m=2, 2 labels, ncp=0.125>"
    told: list[float] = []
    km_anonymous("illness", cells_of_sets([["flu"]] * 2), 2, 2, progress=told.append)
    assert told == [0.5, 1.0]


def test_nobody_has_nothing_to_lift() -> None:
    cells = cells_of_sets([[], []])
    plan = km_anonymous("illness", cells, 3, 2)
    assert plan.ncp == 0.0
    assert plan.cut == ()


def test_settings_and_hierarchies_that_make_no_sense() -> None:
    with pytest.raises(PolicyError) as caught:
        plan_of([["flu"]], 0, 0, 2.0)
    assert len(caught.value.problems) == 3
    with pytest.raises(PolicyError, match="none is named"):
        km_anonymous("illness", cells_of_sets([["flu"]], ()), 1, 1)
    with pytest.raises(HierarchyError, match="no common root"):
        km_anonymous("illness", cells_of_sets([["a"]], [("a", "x"), ("b",)]), 1, 1)


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(km, "MOST_COMBINATIONS", 5)
    with pytest.raises(PolicyError, match="6 combinations of 2 out of 4 items"):
        plan_of([["flu", "cold", "lice", "angina"]], 1, 2)


def released(sets: Sets, plan: ItemPlan) -> pl.DataFrame:
    rows = [(str(person), "all", item) for person, items in enumerate(sets) for item in items]
    table = pl.DataFrame(
        rows, {"who": pl.String, "town": pl.String, "illness": pl.String}, orient="row"
    )
    found = table.with_columns(published_items(plan, table["illness"]))
    return found.filter(pl.col("illness").ne_missing("*"))


@settings(max_examples=60)
@given(sets=SETS, k=st.integers(2, 4), m=st.integers(1, 3), share=st.sampled_from([0.0, 0.2]))
def test_the_audit_agrees(sets: Sets, k: int, m: int, share: float) -> None:
    if len(sets) < k:
        return
    plan = plan_of(sets, k, m, share)
    wanted = {
        "model": "km-anonymity",
        "k": k,
        "m": m,
        "sensitive": "illness",
        "unit": "person",
    }
    verdict = audit(released(sets, plan), [wanted], ["town"], person="who").promises[0]
    assert verdict.holds
    assert verdict.achieved["k"] == fewest(as_published(sets, plan), m)


def test_people_of_the_survey(shared: Path) -> None:
    """98,703 diagnoses of 26,854 people: up to three of them."""
    linked = survey(shared / "data" / "informs")
    plan = km_anonymous("ICD9CODX", linked.events["ICD9CODX"], 5, 3, suppress=0.05)
    assert len(plan.cut) > 10
    assert 0 < plan.left_out <= 0.05 * plan.entries
    assert plan.entries == 98_703
    assert km_anonymous("ICD9CODX", linked.events["ICD9CODX"], 5, 1).ncp < 0.01


def test_what_is_left_out_for_one_attribute_is_missing_in_the_others() -> None:
    """Both promises hold of the records that are left, and no more is left out than is allowed."""
    draws = np.random.default_rng(4)
    rows = [
        (f"P{at:03d}", "fm"[at % 2], *(f"{own}" for own in np.minimum(draws.pareto(1, 2), 20) // 1))
        for at in range(150)
        for _ in range(2)
    ]
    table = pl.DataFrame(rows, ["id", "sex", "ill", "drug"], orient="row")
    asked = {
        "source": {"person": "id"},
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            **{name: {"role": "sensitive", "hierarchy": "suppress"} for name in ("ill", "drug")},
        },
        "promises": [{"model": "km-anonymity", "k": 12, "m": 1}],
        "method": {"suppression_limit": 0.25, "seed": 1},
    }
    release = anonymize(table, asked)
    assert all(item["holds"] for item in release.certificate.promises)
    documents = release.private["items.json"]
    for name in ("ill", "drug"):
        assert documents[name]["left_out"] <= 0.25 * documents[name]["entries"]
    assert documents["ill"]["left_out"] > 0
