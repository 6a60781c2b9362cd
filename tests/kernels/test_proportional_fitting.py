"""Sharing people out over the values of their classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.proportional_fitting import fit, fit_margins, joined
from indistinct.kernels.ragged import Ragged


@pytest.mark.parametrize("listed", [[0, 1, 2], [0, 2], [2], []])
def test_shares_of_values_that_are_not_listed_are_left_out(listed: list[int]) -> None:
    """Two combinations of one class with three values; the first lists some of them alone."""
    one, both = np.array([0]), np.array([0, 1], np.int32)
    within = np.array([0, 1])
    scale, filled = np.ones(3), np.array([2, 1, 3])
    out_value = np.array([*listed, 0, 1, 2], np.int32)
    out_indptr = np.array([0, len(listed), len(out_value)])
    out, belief, right = np.zeros(len(out_value)), np.zeros(3), np.zeros(3)
    fit(
        one, within, one, within, both, np.array([0, 2]),
        np.zeros((2, 1), np.int32), np.zeros(1, np.int64), np.ones((1, 3)), np.array([1, 2]),
        within, np.zeros(1, np.int32), np.array([0, 3]), np.array([0, 1, 2], np.int32), filled,
        scale, 20, False, np.zeros((0, 3)), out_indptr, out_value, out,
        np.array([0, 1, 2], np.int32), np.array([0, 1, 3]), np.array([2, -1, 0], np.int32),
        belief, right,
    )  # fmt: skip
    assert scale / scale.sum() == pytest.approx(filled / 6)
    assert out == pytest.approx(filled[out_value] / 6)
    assert belief == pytest.approx([1 / 2, 0, 1 / 3])
    assert right.tolist() == [1, 0, 0]


@pytest.mark.parametrize("number", [3, 4, 10])
def test_unlikely_values_are_told_apart_by_many_features(number: int) -> None:
    """Forty features of which none is likely: their product is too small for a coarse number."""
    one, both, values = np.array([0]), np.array([0, 1]), np.arange(number, dtype=np.int32)
    features, more = 40, np.array([1.0, 1.1, *np.linspace(0.9, 1.08, number - 2)])
    table = np.full((features, number), 1e-3, np.float32) * more.astype(np.float32)
    scale, out, belief, right = np.ones(number, np.float32), np.zeros(number), *np.zeros((2, 1))
    fit(
        one, both, one, both, np.zeros(1, np.int32), both,
        np.zeros((1, features), np.int32), np.arange(features), table, np.array([1]),
        both, np.zeros(1, np.int32), np.array([0, number]), values, np.ones(number, np.int64),
        scale, 0, False, np.zeros((0, number)), np.array([0, number]), values, out,
        np.zeros(1, np.int32), both, np.ones(1, np.int32), belief, right,
    )  # fmt: skip
    expected = more**features
    assert out == pytest.approx(expected / expected.sum(), rel=1e-4)
    assert (belief, right) == (pytest.approx(out[1]), 1)


@given(st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), max_size=6))
def test_classes_that_rows_join_have_the_label_of_the_first(rows: list[list[int]]) -> None:
    groups = [{number} for number in range(8)]
    for row in rows:
        together = [group for group in groups if not group.isdisjoint(row)]
        groups = [group for group in groups if group not in together]
        groups.append(set().union(*together))
    joining = Ragged.of(rows)
    label = joined(joining.indptr, joining.value, 8)
    assert label.tolist() == [min(own) for n in range(8) for own in groups if n in own]


def test_classes_that_some_row_joins_have_one_label() -> None:
    indptr, index = np.array([0, 2, 3, 3, 5]), np.array([1, 4, 2, 3, 4], np.int32)
    assert joined(indptr, index, 6).tolist() == [0, 1, 2, 1, 1, 5]


HOLDS = [[0, 1, 2], [1, 3], [0, 1, 2, 3, 4], [2, 5], []]
"""The values of each class. Sets 0 to 3 are of the first three classes, set 4 of the last two."""
SETS = Ragged.of([[0], [0, 1], [1, 2], [0, 1, 2], [3, 4]])
BLOCKS = ([0, 1, 2, 3], [4]), ([0, 1, 2], [3, 4])
DOMAIN = 6


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.booleans(), st.booleans())
def test_people_are_shared_out_as_by_dense_tables(
    seed: int, sweeps: int, plain: bool, coarse: bool
) -> None:
    """Sweep by sweep: every place has the people it is believed to have, times what it misses."""
    random = np.random.default_rng(seed)
    kind = np.float32 if coarse else np.float64
    features, combinations = 9, 12
    set_of = np.sort(random.integers(0, 5, combinations))
    member = Ragged.of([np.flatnonzero(set_of == q).tolist() for q in range(5)])
    codes = random.integers(0, 2, (combinations, features)).astype(np.int32)
    start = 2 * np.arange(features)
    table = np.ones((2 * features, DOMAIN)) if plain else random.random((2 * features, DOMAIN))
    if not plain:
        table[table < 0.05] = 0.0
    table = table.astype(kind)
    weight = random.integers(1, 5, combinations)
    places = Ragged.of(HOLDS)
    held, scale = random.integers(1, 9, len(places.value)), np.ones(len(places.value), kind)

    likely = np.ones((combinations, DOMAIN))
    for j in range(features):
        likely *= table[start[j] + codes[:, j]]
    row_of = places.row_of
    allowed = (
        np.array([np.isin(row_of, SETS[q]) for q in set_of], dtype=float) * likely[:, places.value]
    )
    expected = np.ones(len(places.value))

    def believed() -> np.ndarray:
        total = (allowed * expected).sum(axis=1, keepdims=True)
        return np.divide(allowed * expected, total, out=np.zeros_like(allowed), where=total > 0)

    for sweep in range(sweeps):
        filled = weight @ believed()
        change = np.divide(held, filled, out=np.ones_like(filled), where=filled > 0)
        expected *= change ** (1.5 if coarse and 0 < sweep < sweeps - 1 else 1.0)
    belief = np.zeros((combinations, DOMAIN))
    np.add.at(belief.T, places.value, believed().T)

    listed = Ragged.of([sorted(random.choice(9, 4, replace=False)) for _ in range(combinations)])
    people = Ragged.of([[2 * c, 2 * c + 1] for c in range(combinations)])
    truth = random.integers(-1, 8, 2 * combinations).astype(np.int32)
    counted, out = np.zeros((2 * features, DOMAIN)), np.zeros(len(listed.value))
    own, right = np.zeros((2, 2 * combinations))
    sets, groups = map(Ragged.of, BLOCKS)
    read = table[: 0 if plain else None]
    fit(
        sets.value.astype(np.int64), sets.indptr, groups.value.astype(np.int64), groups.indptr,
        member.value, member.indptr, codes, start, read, weight, SETS.indptr, SETS.value,
        places.indptr, places.value, held, scale, sweeps, plain, counted, listed.indptr,
        listed.value, out, people.value, people.indptr, truth, own, right,
    )  # fmt: skip
    near = {"rel": 1e-3, "abs": 1e-4} if coarse else {"rel": 1e-9, "abs": 1e-12}
    assert scale == pytest.approx(expected, **near)
    seen = np.zeros_like(counted)
    for j in range(features):
        np.add.at(seen, start[j] + codes[:, j], weight[:, None] * belief)
    assert counted == pytest.approx(seen, **near)
    wide = np.pad(belief, ((0, 0), (0, 3)))
    assert out == pytest.approx(wide[listed.row_of, listed.value], **near)
    for p, has in enumerate(truth.tolist()):
        share = wide[p // 2]
        ties = np.isclose(share[:DOMAIN], share.max(), rtol=0, atol=1e-6) & (
            np.isin(np.arange(DOMAIN), [v for g in SETS[set_of[p // 2]] for v in HOLDS[g]])
        )
        assert own[p] == pytest.approx(share[has] if has >= 0 else 0.0, **near)
        guessed = own[p] >= share.max() - 1e-6
        assert right[p] == pytest.approx(guessed / max(ties.sum(), 1))


@settings(max_examples=60)
@given(st.data())
def test_margins_are_fitted_with_a_further_row_or_group(data: st.DataObject) -> None:
    """Against a dense table that has the further row, or group, as one of its own."""
    groups = data.draw(st.integers(1, 4))
    fits = data.draw(
        st.lists(st.sets(st.integers(0, groups - 1), min_size=1), min_size=1, max_size=6)
    )
    weight = np.array([data.draw(st.integers(1, 5)) for _ in fits])
    size = np.array([data.draw(st.integers(1, 5)) for _ in range(groups)])
    size[np.setdiff1d(np.arange(groups), [g for own in fits for g in own])] = 0
    more = int(weight.sum() - size.sum())
    table = np.array([[float(g in own) for g in range(groups)] for own in fits])
    rows, columns = weight.astype(float), size.astype(float)
    if more > 0:
        table, columns = np.c_[table, np.ones(len(fits))], np.r_[columns, more]
    elif more < 0:
        table, rows = np.r_[table, np.ones((1, groups))], np.r_[rows, -more]
    of_rows, of_columns = np.ones(len(rows)), np.ones(len(columns))
    for _ in range(40):
        of_columns = columns / np.maximum(table.T @ of_rows, 1e-300)
        of_rows = rows / np.maximum(table @ of_columns, 1e-300)
    met, of_people, of_groups = Ragged.of([sorted(own) for own in fits]), *np.empty((2, 9))
    people, classes = of_people[: len(fits)], of_groups[:groups]
    others = fit_margins(
        met.indptr, met.value.astype(np.int32), weight, size, more, 40, 0.0, people, classes
    )
    assert people == pytest.approx(of_rows[: len(fits)])
    assert classes == pytest.approx(of_columns[:groups])
    assert others == pytest.approx(of_columns[groups] if more > 0 else 0.0)
