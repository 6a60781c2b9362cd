"""MDAV: against the same written with NumPy, and what every result must be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import Promise, promise
from indistinct.recoding.judge import Judge
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.partition.mdav import mdav, standardized

ILLS = ("asthma", "burn", "cold", "dengue")


def encoded(
    numbers: NDArray[np.float64], ills: Sequence[str] | None = None, scale: int = 1000
) -> LeveledTable:
    """The table of some columns of numbers, a combination for every record."""
    columns = {
        f"q{j}": [str(round(number * scale) / scale) for number in column]
        for j, column in enumerate(numbers.T)
    }
    trees = {
        name: Taxonomy(name, [(text, "*") for text in sorted(set(column), key=float)])
        for name, column in columns.items()
    }
    texts = pl.DataFrame(columns)
    if ills is not None:
        texts = texts.with_columns(ill=pl.Series(list(ills), dtype=pl.String))
    return Microdata.encode(texts, trees, [] if ills is None else ["ill"], by_record=True).data


def k_anonymity(k: int) -> list[Promise]:
    return [promise("k-anonymity", k=k)]


def in_numpy(points: NDArray[np.float64], k: int) -> list[list[int]]:
    """MDAV as it is described, with nothing but distances and sorting."""
    left = np.arange(len(points))
    found: list[list[int]] = []

    def furthest(point: NDArray[np.float64]) -> int:
        return int(left[np.argmax(((points[left] - point) ** 2).sum(axis=1))])

    def take(centre: int) -> NDArray[np.int64]:
        away = ((points[left] - points[centre]) ** 2).sum(axis=1)
        away[left == centre] = -1
        chosen = left[np.argsort(away, kind="stable")[:k]]
        found.append(sorted(chosen.tolist()))
        return left[~np.isin(left, chosen)]

    while len(left) >= 3 * k:
        one = furthest(points[left].mean(axis=0))
        other = furthest(points[one])
        left = take(one)
        left = take(other)
    if len(left) >= 2 * k:
        left = take(furthest(points[left].mean(axis=0)))
    if len(left):
        found.append(sorted(left.tolist()))
    return found


def members(class_of: NDArray[np.int32]) -> list[list[int]]:
    return [np.flatnonzero(class_of == group).tolist() for group in range(class_of.max() + 1)]


@pytest.mark.parametrize("seed", range(12))
def test_the_groups_are_those_of_the_description(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, k = int(random.integers(2, 120)), int(random.integers(1, 9))
    rows = max(rows, k)
    data = encoded(random.normal(size=(rows, int(random.integers(1, 5)))) * [1000], scale=10**6)
    found = members(mdav(data, k_anonymity(k), PartitionSettings()))
    assert found == in_numpy(standardized(data), k)
    assert all(k <= len(own) <= 2 * k - 1 for own in found)
    assert sorted(row for own in found for row in own) == list(range(rows))


def test_groups_by_hand() -> None:
    # The mean is 36/7, so 11 is outermost, and 0 furthest from it; the last three are one group.
    data = encoded(np.array([[0.0], [1], [2], [5], [8], [9], [11]]))
    assert members(mdav(data, k_anonymity(2), PartitionSettings())) == [[5, 6], [0, 1], [2, 3, 4]]


def test_attributes_count_on_one_scale() -> None:
    points = np.array([[0.0, 0], [0, 9000], [1, 0], [1, 9000]])
    data = encoded(points)
    assert standardized(data) == pytest.approx(np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]]))
    for weights, expected in (({"q0": 9}, [[0, 1], [2, 3]]), ({"q1": 9}, [[0, 2], [1, 3]])):
        chosen = PartitionSettings(weights=weights)
        assert sorted(members(mdav(data, k_anonymity(2), chosen))) == expected
    assert not standardized(encoded(np.array([[7.0], [7]]))).any()


def test_equal_records() -> None:
    data = encoded(np.zeros((11, 2)))
    found = members(mdav(data, k_anonymity(2), PartitionSettings()))
    assert sorted(map(len, found)) == [2, 2, 2, 2, 3]


def test_categories_are_told_apart_by_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = ["cook", "nurse", None, "baker"] * 6
    homes = {"cook": "kitchen", "baker": "kitchen", "nurse": "ward", None: None}
    chains = [(job, home, "*") for job, home in homes.items()]
    trees = {
        "age": Taxonomy("age", [(str(at), "*") for at in range(24)]),
        "job": Taxonomy("job", chains),
        "code": Taxonomy("code", [("1", "*"), ("2", "*"), ("97", "*")]),
    }  # fmt: skip
    texts = pl.DataFrame(
        {"age": [str(at) for at in range(24)], "job": jobs, "code": ["1", "2", "97"] * 8}
    )
    data = Microdata.encode(texts, trees, by_record=True).data
    points = standardized(data, None, ("range", "ancestor", "set"))
    assert points.shape == (24, 1 + 4 + 3 + 3)
    away = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    codes = np.array([str(at) for at in texts["code"]])
    of_code = ((points[:, None, -3:] - points[None, :, -3:]) ** 2).sum(axis=2)
    assert of_code == pytest.approx(np.where(codes[:, None] == codes, 0.0, 3.0))
    assert away.mean() == pytest.approx(2.0 * 3)
    mdav(data, k_anonymity(3), PartitionSettings())
    monkeypatch.setattr("indistinct.recoding.partition.mdav.MOST_CATEGORIES", 6)
    with pytest.raises(PolicyError, match="7 labels, more than 6"):
        mdav(data, k_anonymity(3), PartitionSettings())


def test_several_records_in_one_row_are_refused() -> None:
    trees = {"age": Taxonomy("age", [("20", "*"), ("21", "*")])}
    texts = pl.DataFrame({"age": ["20", "21", "20"]})
    with pytest.raises(PolicyError, match="several records"):
        mdav(Microdata.encode(texts, trees).data, k_anonymity(2), PartitionSettings())


def test_too_few_records() -> None:
    data = encoded(np.array([[1.0], [2]]))
    with pytest.raises(Unsatisfiable, match="only 2 records"):
        mdav(data, k_anonymity(3), PartitionSettings())
    found = mdav(data, k_anonymity(3), PartitionSettings(suppression_limit=1.0))
    assert found.tolist() == [-1, -1]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 3), st.sampled_from(ILLS)),
        min_size=2,
        max_size=30,
    ),
    st.integers(1, 5),
    st.integers(1, 4),
    st.sampled_from([None, 0.3, 0.5]),
    st.sampled_from([0.0, 0.4]),
)
@settings(max_examples=150)
def test_promises_are_kept(
    rows: list[tuple[int, int, str]],
    k: int,
    l: int,  # noqa: E741
    t: float | None,
    limit: float,
) -> None:
    data = encoded(np.array([row[:2] for row in rows], dtype=float), [row[2] for row in rows])
    promises = [*k_anonymity(k), promise("distinct-l-diversity", l=l, sensitive="ill")]
    if t is not None:
        promises.append(promise("t-closeness", t=t, distance="equal", sensitive="ill"))
    chosen = PartitionSettings(suppression_limit=limit)
    try:
        class_of = mdav(data, promises, chosen)
    except Unsatisfiable:
        return
    dropped = class_of < 0
    assert dropped.sum() <= limit * len(rows) + 1e-9
    groups = int(class_of.max(initial=-1)) + 1
    kept = np.where(dropped, groups, class_of).astype(np.int32)
    size = np.append(np.bincount(class_of[~dropped], minlength=groups), 0).astype(np.int64)
    assert (size[:-1] >= k).all()
    assert not Judge(data, promises).broken(kept, size, dropped).any()
    assert mdav(data, promises, chosen).tolist() == class_of.tolist()


def test_a_group_takes_the_nearest_that_it_lacks() -> None:
    points = np.array([[0.0], [1], [2], [97], [98], [99]])
    ills = ["cold", "cold", "burn", "burn", "cold", "cold"]
    data = encoded(points, ills)
    promises = [*k_anonymity(2), promise("distinct-l-diversity", l=2, sensitive="ill")]
    found = members(mdav(data, promises, PartitionSettings()))
    assert [{ills[row] for row in own} for own in found] == [{"burn", "cold"}] * 2
    assert sorted(found) == [[0, 1, 2], [3, 4, 5]]


def test_ranges_are_published() -> None:
    data = encoded(np.array([[0.0], [1], [8], [9]]))
    plan = partition(data, k_anonymity(2), "mdav", PartitionSettings())
    texts = np.array(plan.texts[0])[plan.cell_of[0][plan.class_of]].tolist()
    assert texts == ["[0.0, 1.0]"] * 2 + ["[8.0, 9.0]"] * 2


def test_progress_is_told() -> None:
    told: list[float] = []
    random = np.random.default_rng(0)
    mdav(encoded(random.normal(size=(600, 1))), k_anonymity(2), PartitionSettings(), told.append)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1
