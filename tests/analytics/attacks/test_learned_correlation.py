"""Learning from all classes: against correlations that are there, and that are not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.analytics.attacks.contexts import of_classes, of_records

from indistinct.analytics.attacks import AttackContext, Finding, Skipped, learned_correlation
from indistinct.analytics.attacks.learned_correlation import (
    PSEUDO,
    SWEEPS,
    learnt,
    model,
    run,
)
from indistinct.hierarchies.taxonomy import Taxonomy


def found(scene: AttackContext, **settings: int) -> Finding:
    result = run(scene, "illness", **settings)
    assert isinstance(result, Finding)
    return result


def smokers(people: int, strength: float, size: int = 4, seed: int = 3) -> AttackContext:
    """Classes of neighbours; who smokes coughs with that probability, and others with the rest."""
    random = np.random.default_rng(seed)
    smoking = random.random(people) < 0.5
    cough = np.where(random.random(people) < strength, smoking, ~smoking)
    home = np.arange(people) // size
    table = pl.DataFrame(
        {
            "home": [str(place) for place in home],
            "smoking": np.where(smoking, "yes", "no").tolist(),
            "illness": np.where(cough, "cough", "cold").tolist(),
        }
    )
    return of_records(
        quasi=("home", "smoking"),
        sensitive=("illness",),
        people=table,
        release=table.with_columns(smoking=pl.lit("*")).sample(fraction=1, shuffle=True, seed=seed),
        taxonomies={
            "home": Taxonomy("home", [[str(h), "*"] for h in range(people // size)]),
            "smoking": Taxonomy("smoking", [["yes", "*"], ["no", "*"]]),
        },
    )


def test_beats_classes_that_share_a_correlation() -> None:
    result = found(smokers(400, 0.9))
    figures = result.figures
    assert float(figures["random_worlds_accuracy"] or 0) < 0.75
    assert float(figures["exact_accuracy"] or 0) > 0.85
    assert float(figures["exact_gain_mean"] or 0) > result.gain["mean"] + 0.05
    assert figures["fitted_accuracy"] == pytest.approx(figures["random_worlds_accuracy"])


def test_resists_where_there_is_none() -> None:
    figures = found(smokers(400, 0.5)).figures
    assert abs(float(figures["exact_accuracy_gain"] or 0)) < 0.1
    assert abs(float(figures["exact_belief_gain"] or 0)) < 0.02


def test_one_class_tells_nothing_about_others() -> None:
    people = smokers(40, 1.0, size=40)
    result = found(people)
    assert result.figures["exact_accuracy_gain"] == pytest.approx(0.0)
    assert result.figures["exact_belief_gain"] == pytest.approx(0.0, abs=1e-9)
    assert result.gain["max"] == pytest.approx(0.0)


def test_published_cells_tell_no_more_than_the_class() -> None:
    scene = smokers(80, 0.9)
    result = found(scene)
    belief = scene.true_belief("illness")
    assert result.success["0.5"] == np.mean(belief >= 0.5)
    assert result.gain["mean"] == pytest.approx((belief - scene.true_prior("illness")).mean())


def test_a_model_of_published_cells() -> None:
    table = pl.DataFrame(
        {"home": ["a"] * 4 + ["b"] * 4, "illness": ["flu"] * 4 + ["gout"] * 3 + ["flu"]}
    )
    scene = of_records(
        quasi=("home",),
        sensitive=("illness",),
        people=table,
        release=table,
        taxonomies={"home": Taxonomy("home", [["a", "*"], ["b", "*"]])},
    )
    assert model(scene, "illness").tolist() == [1, 1, 1, 1, 1, 1, 1, 0]
    assert found(scene).figures["model_accuracy"] == pytest.approx(7 / 8)


def test_some_are_drawn_where_classes_and_values_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_correlation, "CELLS_AT_ONCE", 0)
    monkeypatch.setattr(learned_correlation, "DRAWN", 60)
    result = found(smokers(80, 0.9))
    assert result.figures["model_looked_at"] == 60
    assert result.figures["model_error"] == pytest.approx(0.98 / np.sqrt(60))
    assert "60 people drawn at random" in result.note


def test_of_very_many_people_shares_have_four_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = found(smokers(80, 0.9)).figures
    monkeypatch.setattr(learned_correlation, "MANY", 0)
    assert found(smokers(80, 0.9)).figures == pytest.approx(exact, abs=1e-5)


def test_ties_are_guessed() -> None:
    result = run(of_classes([["a", "b"], ["a", "b"]]), "s")
    assert isinstance(result, Finding)
    assert result.figures["accuracy"] == 0.5
    assert result.figures["prior_accuracy"] == 0.5


def test_skipped() -> None:
    assert isinstance(run(of_classes([], published=[]), "s"), Skipped)


def test_same_again() -> None:
    first, second = (found(smokers(100, 0.8)).to_dict() for _ in range(2))
    assert first == second


def plainly(scene: AttackContext, rounds: int) -> NDArray[np.float64]:
    """The same, person by person: belief of every person in every value, [n, D]."""
    n, d = scene.people.height, len(scene.labels("illness"))
    counts = scene.buckets["illness"].dense(d)
    meets = [set(scene.places.compatible[c].tolist()) for c in scene.places.combination_of]
    values = [scene.people[name].to_list() for name in scene.quasi]
    likely = np.ones((n, d))
    scale = counts.astype(float)

    def shares() -> NDArray[np.float64]:
        found = np.zeros((n, len(counts), d))
        for i in range(n):
            for g in meets[i]:
                found[i, g] = scale[g] * likely[i]
            if found[i].sum() > 0:
                found[i] /= found[i].sum()
        return found

    def fit(sweeps: int) -> None:
        nonlocal scale
        for _ in range(sweeps):
            filled = shares().sum(axis=0)
            scale = scale * np.divide(counts, filled, out=np.ones_like(filled), where=filled > 0)

    for _ in range(rounds):
        fit(SWEEPS)
        belief = shares().sum(axis=1)
        likely = np.ones((n, d))
        for column in values:
            for i in range(n):
                alike = np.array([other == column[i] for other in column])
                likely[i] *= (belief[alike].sum(axis=0) + PSEUDO * alike.mean()) / (
                    belief.sum(axis=0) + PSEUDO
                )
    fit(20)
    return shares().sum(axis=1)


@settings(max_examples=40)
@given(
    people=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("123")),
        min_size=1,
        max_size=7,
    ),
    cells=st.lists(
        st.tuples(st.sampled_from(["a", "*"]), st.sampled_from(["x", "{x, y}", "*"])),
        min_size=7,
        max_size=7,
    ),
    rounds=st.integers(0, 3),
)
def test_against_plain_arithmetic(
    people: list[tuple[str, str, str]], cells: list[tuple[str, str]], rounds: int
) -> None:
    release = [(*cell, value) for cell, (_, _, value) in zip(cells, people, strict=False)]
    columns = ["home", "work", "illness"]
    scene = of_records(
        quasi=("home", "work"),
        sensitive=("illness",),
        people=pl.DataFrame(people, columns, orient="row"),
        release=pl.DataFrame(release, columns, orient="row"),
        taxonomies={
            "home": Taxonomy("home", [["a", "*"], ["b", "*"]]),
            "work": Taxonomy("work", [["x", "*"], ["y", "*"], ["z", "*"]]),
        },
    )
    shares = learnt(scene, "illness", rounds)
    expected = plainly(scene, rounds)
    for person, combination in enumerate(scene.places.combination_of.tolist()):
        dense = np.zeros(expected.shape[1])
        dense[shares[combination]] = shares.amount[
            shares.indptr[combination] : shares.indptr[combination + 1]
        ]
        assert dense == pytest.approx(expected[person], abs=1e-6)
    truth, places = scene.true_label("illness"), scene.places
    sets = places.set_of_combination[places.combination_of]
    among = scene.spread("illness").pooled.of(sets, truth)
    assert np.where(
        scene.found & (truth >= 0),
        among / np.maximum(places.set_size, 1)[sets],
        scene.true_prior("illness"),
    ) == pytest.approx(scene.true_belief("illness"))
