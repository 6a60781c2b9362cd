"""k^m-anonymity of sets of items, against counting every combination."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
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
from indistinct.errors import HierarchyError, PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.privacy.km_anonymity import KMAnonymity
from indistinct.recoding.items import ItemPlan, km, km_anonymous, published_items
from indistinct.release.audit import audit

Sets = Sequence[Sequence[Label]]

CHECKED = settings(max_examples=50)
SETS = st.lists(
    st.lists(st.sampled_from([*ITEMS, None]), min_size=1, max_size=4), min_size=1, max_size=30
)


def asked(k: int, m: int, *together: str) -> KMAnonymity:
    return KMAnonymity(k=k, m=m, sensitive="illness", together=together)


def plan_of(sets: Sets, k: int, m: int, suppress: float = 0.0, *, local: bool = False) -> ItemPlan:
    return km_anonymous(cells_of_sets(sets), asked(k, m), suppress=suppress, local=local)


def shown(sets: Sets, plan: ItemPlan) -> list[list[Label]]:
    """What every item of every set is published as, in the order of the set, or that it is not."""
    cells = cells_of_sets(sets)
    code = {value: at for at, value in enumerate(cells.domain)}
    place = {
        (row, value): at
        for at, (row, value) in enumerate(
            zip(cells.row_of.tolist(), cells.value.tolist(), strict=True)
        )
    }
    return [
        [
            LEFT_OUT if plan.left[entry] else plan.labels[plan.node[entry]]
            for entry in (place[row, code[item]] for item in items)
        ]
        for row, items in enumerate(sets)
    ]


LEFT_OUT = "left out"


def as_published(sets: Sets, plan: ItemPlan, root: Label | None = None) -> list[frozenset[Label]]:
    """The published sets; with a root, left out items are published as it."""
    return [
        frozenset(
            root if label == LEFT_OUT else label
            for label in labels
            if label != LEFT_OUT or root is not None
        )
        for labels in shown(sets, plan)
    ]


def information(sets: Sets, labels: Sequence[Sequence[Label]]) -> float:
    """The share of the bits that items tell and that is left, by the definition."""
    entries = sorted(
        {
            (person, item, label)
            for person, (items, own) in enumerate(zip(sets, labels, strict=True))
            for item, label in zip(items, own, strict=True)
        },
        key=str,
    )
    times = Counter(item for _, item, _ in entries)
    under: Counter[Label] = Counter()
    for item, count in times.items():
        for label in {*way_of(item)}:
            under[label] += count
    total = sum(math.log2(len(entries) / times[item]) for _, item, _ in entries)
    left = sum(
        0.0
        if label == LEFT_OUT
        else math.log2(len(entries) / (times if label == item else under)[label])
        for _, item, label in entries
    )
    return left / total if total else 1.0


def way_of(item: Label) -> Sequence[Label]:
    return next((chain for chain in CHAINS if chain[0] == item), (item, "ill"))


def fewest(sets: Iterable[frozenset[Label]], m: int) -> int | None:
    """The fewest people who have a combination of up to m items."""
    counted: Counter[tuple[Label, ...]] = Counter()
    for items in sets:
        ordered = sorted(items, key=lambda item: (item is None, item or ""))
        for size in range(1, m + 1):
            counted.update(combinations(ordered, size))
    return min(counted.values(), default=None)


@CHECKED
@given(
    sets=SETS,
    k=st.integers(1, 6),
    m=st.integers(1, 4),
    share=st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    as_root=st.booleans(),
)
def test_no_combination_is_rare(sets: Sets, k: int, m: int, share: float, as_root: bool) -> None:
    if len(sets) < k:
        with pytest.raises(Unsatisfiable, match=f"and {len(sets)} have any"):
            plan_of(sets, k, m)
        return
    wanted = asked(k, m, *["further"] * as_root)
    plan = km_anonymous(cells_of_sets(sets), wanted, suppress=share)
    least = fewest(as_published(sets, plan, "ill" if as_root else None), m)
    assert least is None or least >= k
    entries = sum(len(set(items)) for items in sets)
    assert plan.entries == entries
    assert plan.left_out <= share * entries + 1e-9
    # The same for everybody, and true: a value is published as itself or as a node above it.
    for item, label in plan.published.items():
        assert label in way_of(item)
    already = fewest([frozenset(items) for items in sets], m)
    if already is not None and already >= k:
        assert all(item == label for item, label in plan.published.items())
        assert plan.ncp == 0.0
        assert plan.information == plan.bound == 1.0
    assert 0.0 <= plan.information <= plan.bound <= 1.0 + 1e-9
    if not {"chronic", None} & set(plan.published):
        assert plan.information == pytest.approx(information(sets, shown(sets, plan)))
        behind = Counter(plan.published.values())
        as_they_are = sum(
            label == item and behind[label] == 1
            for items, own in zip(sets, shown(sets, plan), strict=True)
            for item, label in {*zip(items, own, strict=True)}
        )
        assert plan.exact == pytest.approx(as_they_are / entries)


@CHECKED
@given(sets=SETS, k=st.integers(2, 5), m=st.integers(1, 3), seed=st.integers(0, 99))
def test_neither_order_nor_repetition_matters(sets: Sets, k: int, m: int, seed: int) -> None:
    """Neither for the labels nor for whose items are left out: equal sets are treated alike."""
    if len(sets) < k:
        return
    plan = plan_of(sets, k, m, 0.2)
    order = random.Random(seed).sample(range(len(sets)), len(sets))
    mixed = [[*reversed(sets[at])] for at in order]
    again = plan_of(mixed, k, m, 0.2)
    assert again.published == plan.published
    before = as_published(sets, plan)
    assert as_published(mixed, again) == [before[at] for at in order]


@CHECKED
@given(
    sets=st.lists(
        st.lists(st.sampled_from([*ITEMS[:3], "angina"]), min_size=1), min_size=3, max_size=9
    ),
    k=st.integers(2, 3),
    m=st.integers(1, 2),
    share=st.sampled_from([0.0, 0.3]),
)
def test_the_best_of_all_choices_of_nodes(sets: Sets, k: int, m: int, share: float) -> None:
    """Where nothing may be left out none is better; else what may be is used only to gain."""
    plan = plan_of(sets, k, m, share)
    held = sorted({item for items in sets for item in items})
    best = 0.0
    for labels in product(*map(way_of, held)):
        published = dict(zip(held, labels, strict=True))
        own = [[published[item] for item in items] for items in sets]
        least = fewest(map(frozenset, own), m)
        if least is not None and least >= k:
            best = max(best, information(sets, own))
    if share:
        assert plan.information >= best - 1e-9
    else:
        assert plan.information == pytest.approx(best)


def test_siblings_that_are_rare_alone_become_their_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two have angina, six an infarct, k = 4: heart for eight, also if not all ways are tried."""
    monkeypatch.setattr(km, "MOST_WAYS", 0)
    sets = [*[["flu"]] * 7, *[["cold"]] * 5, *[["infarct"]] * 6, *[["angina"]] * 2]
    assert plan_of(sets, 4, 1).cut == {
        "flu": ["flu"],
        "cold": ["cold"],
        "heart": ["angina", "infarct"],
    }


@pytest.mark.parametrize("local", [False, True])
def test_combinations_of_more_items_than_anybody_has(local: bool) -> None:
    sets = [["flu", "lice"]] * 3 + [["cold", "lice"], ["asthma"]] * 2
    plan, whole = (plan_of(sets, 2, m, 0.2, local=local) for m in (2**31, 2))
    assert plan.to_dict() | {"m": 2, "seconds": 0} == whole.to_dict() | {"seconds": 0}


def test_nearly_the_best_of_very_many_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what the best of all ways keep, a search that looks at few of them keeps most."""
    draws = random.Random(5)
    some = [ITEMS[at] for at in (0, 1, 2, 3, 5, 6)]
    kept = Counter[str]()
    for _ in range(20):
        sets = [draws.sample(some, draws.choice([1, 1, 2, 3])) for _ in range(draws.randint(9, 40))]
        k, m = draws.randint(2, 4), draws.randint(1, 3)
        for name, ways in (("all", 10_000), ("few", 0)):
            monkeypatch.setattr(km, "MOST_WAYS", ways)
            kept[name] += plan_of(sets, k, m).information
    assert kept["few"] > 0.95 * kept["all"]


@CHECKED
@given(
    sets=st.lists(
        st.lists(st.sampled_from([*ITEMS[:2], "angina"]), min_size=1, max_size=2, unique=True),
        min_size=3,
        max_size=4,
    ),
    k=st.integers(2, 3),
    m=st.integers(1, 2),
)
def test_nothing_keeps_more_than_the_bound(sets: Sets, k: int, m: int) -> None:
    """Not even where every occurrence has a node of its own, or is left out."""
    plan = plan_of(sets, k, m)
    best = 0.0
    for labels in product(*([*way_of(item), LEFT_OUT] for items in sets for item in items)):
        left = iter(labels)
        own = [[next(left) for _ in items] for items in sets]
        least = fewest([frozenset(some) - {LEFT_OUT} for some in own], m)
        if least is None or least >= k:
            best = max(best, information(sets, own))
    assert plan.bound >= best - 1e-9


def test_a_small_table_by_hand() -> None:
    """Five with flu or cold, one of them with angina as well, one with infarct; k = 2.

    Angina and infarct become heart, each of which tells one bit less. With pairs, flu and heart are
    rare together: the flu of the one who has both is left out, which tells less than the heart.
    """
    sets = [["flu"], ["flu"], ["flu", "angina"], ["cold"], ["infarct"], ["cold"]]
    alone = plan_of(sets, 2, 1)
    assert {item: alone.published[item] for item in ("flu", "cold", "angina", "infarct")} == {
        "flu": "flu",
        "cold": "cold",
        "angina": "heart",
        "infarct": "heart",
    }
    assert alone.ncp == pytest.approx(2 * (2 / 8) / 7)
    assert list(alone.cut) == ["flu", "cold", "heart"]
    total = 3 * math.log2(7 / 3) + 2 * math.log2(7 / 2) + 2 * math.log2(7)
    assert alone.information == pytest.approx(1 - 2 / total)
    assert alone.exact == pytest.approx(5 / 7)
    kept = plan_of(sets, 2, 2, suppress=2 / 7)
    assert kept.left_out == 1
    assert list(kept.cut) == ["flu", "cold", "heart"]
    assert kept.ncp == pytest.approx((1 + 2 * (2 / 8)) / 7)
    assert shown(sets, kept)[2] == [LEFT_OUT, "heart"]
    assert plan_of(sets, 2, 2).left_out == 0


@CHECKED
@given(
    sets=st.lists(
        st.lists(st.sampled_from([*ITEMS[:3], "angina"]), min_size=1, max_size=3),
        min_size=3,
        max_size=8,
    ),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.2, 1.0]),
)
def test_local_generalization(sets: Sets, k: int, m: int, share: float) -> None:
    """Every set says what is true, no combination is rare, and nothing is left out.

    Where no more may become the root, it keeps at least what is kept with a cut for all.
    """
    plan = plan_of(sets, k, m, share, local=True)
    own = shown(sets, plan)
    whole = [["ill" if label == LEFT_OUT else label for label in labels] for labels in own]
    least = fewest(map(frozenset, whole), m)
    assert least is not None
    assert least >= k
    assert plan.left_out <= share * plan.entries + 1e-9
    assert (plan.node >= 0).all()
    behind: dict[Label, set[Label]] = {}
    for items, labels in zip(sets, own, strict=True):
        for item, label in zip(items, labels, strict=True):
            if label != LEFT_OUT:
                assert label in way_of(item)
                behind.setdefault(label, set()).add(item)
    assert {label: set(values) for label, values in plan.cut.items()} == behind
    assert plan.information == pytest.approx(information(sets, whole))
    assert plan.information <= plan.bound + 1e-9
    if share == 0.0:
        assert plan.information >= plan_of(sets, k, m).information - 1e-9


def test_what_is_rare_beside_others_is_generalized_for_some_people_only() -> None:
    """By hand: k = 3, m = 2. Asthma and flu are frequent, and each is rare beside lice."""
    rare = [["asthma", "lice"], ["flu", "lice"]]
    sets = [["flu"]] * 8 + [["asthma"]] * 4 + [["cold", "lice"]] * 3 + rare
    assert shown(sets, plan_of(sets, 3, 2, 1.0))[-2:] == [[LEFT_OUT, "lice"]] * 2
    plan = plan_of(sets, 3, 2, 1.0, local=True)
    assert shown(sets, plan) == [*sets[:12], *[["airways", "lice"]] * 5]
    assert plan.cut == {"airways": ["asthma", "cold", "flu"], "flu": ["flu"], "asthma": ["asthma"],
                        "lice": ["lice"]}  # fmt: skip
    assert plan.to_dict()["generalization"] == "local"


def test_siblings_stay_beside_their_parent() -> None:
    """What is frequent stays as it is where a rare sibling cannot."""
    sets = [["flu"]] * 5 + [["cold"], ["asthma"]]
    plan = plan_of(sets, 2, 1)
    assert plan.published == {"flu": "flu", "cold": "airways", "asthma": "airways"}


def test_people_lose_only_what_is_rare_with_their_others() -> None:
    """A value stays with those whose combinations are frequent."""
    sets = [["flu", "lice"]] * 5 + [["angina"]] * 5 + [["angina", "lice"]]
    plan = plan_of(sets, 3, 2, 0.2)
    found = as_published(sets, plan)
    assert found[:10] == [frozenset(items) for items in sets[:10]]
    assert len(found[10]) == 1
    assert plan.left_out == 1


def test_a_column_as_published() -> None:
    plan = plan_of([["flu"], ["flu"], ["angina"], ["infarct"], [None], [None]], 2, 1)
    done = published_items(plan, "illness", np.array([3, 4, 0, -1]))
    assert done.to_list() == ["heart", None, "flu", None]
    assert done.name == "illness"


def test_the_plan_as_plain_data() -> None:
    plan = plan_of([["flu"], ["flu"], ["angina"], ["infarct"]], 2, 2)
    document = plan.to_dict()
    assert document["cut"] == {"flu": ["flu"], "heart": ["angina", "infarct"]}
    assert document["k"] == document["m"] == 2
    assert document["exact"] == 0.5
    assert document["information"] == pytest.approx(4 / 6)
    assert document["information_at_most"] == pytest.approx(4 / 6)
    assert repr(plan) == ("<ItemPlan: illness, k=2, m=2, 2 labels, 66.7% of the information kept>")
    told: list[float] = []
    sets = [["flu"], ["cold"], ["angina"]]
    km_anonymous(cells_of_sets(sets), asked(2, 2), progress=told.append)
    assert told
    assert all(0.0 <= share <= 1.0 for share in told)


def test_nobody_has_nothing_to_lift() -> None:
    cells = cells_of_sets([[], []])
    plan = km_anonymous(cells, asked(3, 2))
    assert plan.ncp == 0.0
    assert not plan.cut


def test_settings_and_hierarchies_that_make_no_sense() -> None:
    with pytest.raises(PolicyError, match="none is named"):
        km_anonymous(cells_of_sets([["flu"]], ()), asked(1, 1))
    with pytest.raises(HierarchyError, match="no common root"):
        km_anonymous(cells_of_sets([["a"]], [("a", "x"), ("b",)]), asked(1, 1))


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(km, "MOST_COMBINATIONS", 5)
    with pytest.raises(PolicyError, match="6 combinations of 2 out of 4 items"):
        plan_of([["flu", "cold", "lice", "angina"]], 1, 2)


def released(sets: Sets, plan: ItemPlan) -> pl.DataFrame:
    rows = [
        (str(person), "all", label)
        for person, labels in enumerate(shown(sets, plan))
        for label in labels
        if label != LEFT_OUT
    ]
    return pl.DataFrame(
        rows, {"who": pl.String, "town": pl.String, "illness": pl.String}, orient="row"
    )


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
    """98,703 diagnoses of 26,854 people: four fifths of what they tell are kept."""
    linked = survey(shared / "data" / "informs")
    cells = linked.events["ICD9CODX"]
    plan = km_anonymous(cells, asked(5, 2), suppress=0.05)
    assert plan.entries == 98_703
    assert plan.left_out <= 0.05 * plan.entries
    assert plan.information > 0.8
    assert plan.exact > 0.4
    assert km_anonymous(cells, asked(5, 1)).information > 0.99


def test_what_is_left_out_for_one_attribute_is_missing_in_the_others() -> None:
    """Both promises hold of the records that are left, and no more is left out than is allowed."""
    draws = np.random.default_rng(4)
    rows = [
        (f"P{at:03d}", "fm"[at % 2], *(f"{own}" for own in np.minimum(draws.pareto(1, 2), 20) // 1))
        for at in range(150)
        for _ in range(2)
    ]
    table = pl.DataFrame(rows, ["id", "sex", "ill", "drug"], orient="row")
    policy = {
        "source": {"person": "id"},
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            **{name: {"role": "sensitive", "hierarchy": "suppress"} for name in ("ill", "drug")},
        },
        "promises": [{"model": "km-anonymity", "k": 12, "m": 1}],
        "method": {"suppression_limit": 0.25, "seed": 1},
    }
    release = anonymize(table, policy)
    assert all(item["holds"] for item in release.certificate.promises)
    documents = release.private["items.json"]
    for name in ("ill", "drug"):
        assert documents[name]["left_out"] <= 0.25 * documents[name]["entries"]
    assert documents["ill"]["left_out"] > 0


def encounters(people: int, seed: int) -> pl.DataFrame:
    """Encounters with up to three diagnoses each, in no order."""
    draws = random.Random(seed)
    rows = []
    for at in range(people):
        ill = draws.choices(ITEMS, weights=[9, 7, 5, 1, 1, 6, 1, 1], k=draws.randint(1, 3))
        rows.append((f"P{at // 2:03d}", "fm"[at // 2 % 2], *dict.fromkeys(ill), None, None)[:5])
    return pl.DataFrame(rows, ["id", "sex", "d1", "d2", "d3"], orient="row")


def together(person: bool, limit: float) -> dict[str, object]:
    sensitive = {"role": "sensitive"}
    return {
        **({"source": {"person": "id"}} if person else {}),
        "attributes": {
            "id": {"role": "identifier"},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "d1": {**sensitive, "hierarchy": Taxonomy("d1", CHAINS)},
            "d2": sensitive,
            "d3": sensitive,
        },
        "promises": [
            {"model": "k-anonymity", "k": 2},
            {"model": "km-anonymity", "k": 4, "sensitive": "d1", "together": ["d2", "d3"]},
        ],
        "method": {"suppression_limit": limit, "seed": 1},
    }


@settings(max_examples=12)
@given(person=st.booleans(), limit=st.sampled_from([0.0, 0.1, 0.3]), seed=st.integers(0, 99))
def test_several_columns_are_one_set(person: bool, limit: float, seed: int) -> None:
    """Of the diagnoses in three columns; of a person's encounters, or of each."""
    table = encounters(60, seed)
    release = anonymize(table, together(person, limit))
    assert release.tables.height == table.height
    whose = "id" if person else "row"
    found = release.tables.with_row_index("row").with_columns(pl.col("row").cast(pl.String))
    long = found.unpivot(["d1", "d2", "d3"], index=whose, value_name="ill").drop_nulls("ill")
    sets = [frozenset(items) for items in long.group_by(whose).agg("ill")["ill"].to_list()]
    least = fewest(sets, 2)
    assert least is not None
    assert least >= 4
    promise = release.certificate.to_dict()["promises"][1]
    assert promise["parameters"] == {"k": 4, "m": 2, "together": ["d2", "d3"]}
    assert promise["achieved"]["k"] == least
    document = release.private["items.json"]["d1"]
    assert document["columns"] == ["d1", "d2", "d3"]
    assert document["left_out"] <= limit * document["entries"]
    for name in ("d1", "d2", "d3"):
        published = found[name].null_count()
        assert published == table[name].null_count()


def test_columns_that_are_no_set() -> None:
    policy = together(True, 0.0)
    policy["promises"] = [
        {"model": "km-anonymity", "k": 4, "sensitive": "d1", "together": ["d1"]},
        {"model": "km-anonymity", "k": 4, "sensitive": "d1", "together": "d2"},
    ]
    with pytest.raises(PolicyError) as caught:
        anonymize(encounters(9, 1), policy)
    assert [item.code for item in caught.value.problems] == ["bad-parameter"] * 2
    policy = together(True, 0.0)
    policy["attributes"] |= {"d2": {"role": "sensitive", "hierarchy": "suppress"}}  # type: ignore[operator]
    policy["promises"] = [
        {"model": "km-anonymity", "k": 4, "sensitive": "d1", "together": ["d2", "sex"]}
    ]
    with pytest.raises(PolicyError) as caught:
        anonymize(encounters(9, 1), policy)
    assert [item.code for item in caught.value.problems] == ["bad-value", "wrong-role"]
    table = encounters(20, 1).drop("id")
    wanted = {"model": "km-anonymity", "k": 2, "sensitive": "d1", "together": 3}
    with pytest.raises(PolicyError, match="a list of texts"):
        audit(table, [wanted], ["sex"])
