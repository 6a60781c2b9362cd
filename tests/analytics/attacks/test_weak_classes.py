"""Detectors as attackers: homogeneity, categorical similarity, sensitive variance."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.analytics.attacks.contexts import DISEASES, K20, of_classes

from indistinct.analytics.attacks import (
    Finding,
    Skipped,
    categorical_similarity,
    homogeneity,
    sensitive_variance,
)
from indistinct.analytics.attacks.categorical_similarity import categories
from indistinct.metadata import ValueMetadata
from indistinct.requirement import Requirement


def weak(found: object) -> tuple[object, object]:
    assert isinstance(found, Finding)
    return found.figures["weak_classes"], found.figures["weak_records"]


DETECTED = {
    # classes and records: one value; one category; fewer than three; variance below theta
    "1b": ((3, 6), (4, 8), (3, 6)),
    "4a": ((0, 0), (0, 0), (1, 4)),
    "4b": ((0, 0), (0, 0), (2, 8)),
    "8a": ((0, 0), (0, 0), (0, 0)),
    "8b": ((0, 0), (0, 0), (0, 0)),
}


@pytest.mark.parametrize("table", K20)
def test_the_classes_and_records_that_detectors_find_in_published_tables(table: str) -> None:
    k, classes = K20[table]
    asked = (Requirement("k-anonymity", {"k": k}),)
    scene = of_classes(classes, known=DISEASES, promises=asked)
    found = (
        weak(homogeneity.run(scene, "s")),
        weak(categorical_similarity.run(scene, "s")),
        weak(sensitive_variance.run(scene, "s")),
    )
    assert found == DETECTED[table]


@pytest.mark.parametrize(("table", "count"), [("4a", 3), ("4b", 3), ("8a", 0), ("8b", 0)])
def test_classes_with_fewer_than_three_categories(table: str, count: int) -> None:
    scene = of_classes(K20[table][1], known=DISEASES)
    assert weak(categorical_similarity.run(scene, "s", p=3))[0] == count


def test_the_counts_are_those_recomputed_from_the_paper(shared: Path) -> None:
    oracles = json.loads((shared / "spec" / "oracles.json").read_text(encoding="utf-8"))
    for name, table in oracles["C_003"]["tables"].items():
        detect = table["detect"]
        asked = (Requirement("k-anonymity", {"k": table["k"]}),)
        scene = of_classes(table["classes"], known=DISEASES, promises=asked)
        for module, classes, records in (
            (homogeneity, "homogeneity", "rec_h"),
            (categorical_similarity, "similarity", "rec_s"),
            (sensitive_variance, "variance", "rec_v"),
        ):
            want = (detect[classes], detect[records])
            assert weak(module.run(scene, "s")) == want, (name, classes)  # type: ignore[attr-defined]
        variance = [float(np.prod([_number(part)])) for part in table["variance"]]
        held = sensitive_variance.variances(scene.buckets["s"])
        assert held == pytest.approx(variance)


def _number(text: str) -> float:
    over, _, under = text.partition("/")
    return int(over) / int(under or 1)


def test_a_release_that_homogeneity_beats() -> None:
    found = homogeneity.run(of_classes([["flu"] * 3, ["flu", "hiv", "hiv"]]), "s")
    assert isinstance(found, Finding)
    # Three are known for certain; the others are believed as everywhere: flu 4/6, hiv 2/6.
    assert found.success == pytest.approx({"0.5": 4 / 6, "0.95": 0.5, "certain": 0.5})
    assert found.gain == pytest.approx({"mean": 1 / 6, "max": 1 / 3})
    assert found.figures["struck"] == 0.5
    assert found.worst == {"class": {"q": "class 0"}, "records": 3}
    assert found.note == (
        "A class is weak if everybody in it has the same s: 1 of 2 is, with 3 of 6 records."
    )


def test_a_release_that_resists_homogeneity() -> None:
    found = homogeneity.run(of_classes([["a", "b"], ["b", "c"]]), "s")
    assert isinstance(found, Finding)
    assert found.success == found.prior
    assert found.gain == {"mean": 0, "max": 0}
    assert found.worst == {}
    assert found.note.endswith("none of 2 is.")


def test_similar_values_give_the_category_away_and_not_the_value() -> None:
    known = ValueMetadata({"hiv": "bad", "cancer": "bad", "flu": "mild", "cold": "mild"}, ())
    scene = of_classes([["hiv", "cancer"], ["flu", "hiv"]], known=known)
    found = categorical_similarity.run(scene, "s")
    assert isinstance(found, Finding)
    # Bad are 3 of 4: the first two are certain, the others at the prior 1/4 and 3/4.
    assert found.success == {"0.5": 0.75, "0.95": 0.5, "certain": 0.5}
    assert found.prior == {"0.5": 0.75, "0.95": 0, "certain": 0}
    assert found.gain == {"mean": 0.125, "max": 0.25}
    assert found.worst["categories"] == 1
    assert weak(homogeneity.run(scene, "s")) == (0, 0)


def test_mixed_categories_resist() -> None:
    known = ValueMetadata({"hiv": "bad", "flu": "mild"}, ("mild", "bad"))
    found = categorical_similarity.run(of_classes([["hiv", "flu"]] * 2, known=known), "s")
    assert isinstance(found, Finding)
    assert found.success == found.prior
    wider = categorical_similarity.run(of_classes([["hiv", "flu"]] * 2, known=known), "s", p=3)
    assert isinstance(wider, Finding)
    assert wider.figures == {"weak_classes": 2, "weak_records": 4, "struck": 1, "p": 3}
    assert wider.success["certain"] == 0


def test_values_without_a_category_are_like_no_other() -> None:
    assert categories(np.array([-1, -1], np.int32)).tolist() == [0, 1]
    known = ValueMetadata({"hiv": "bad"}, ("bad",))
    found = categorical_similarity.run(of_classes([["x", "y"], ["x", "x"]], known=known), "s")
    assert weak(found) == (1, 2)


def test_without_categories_there_is_nothing_to_learn() -> None:
    found = categorical_similarity.run(of_classes([["a"]]), "s")
    assert isinstance(found, Skipped)
    assert found.sensitive == "s"


def test_variance_takes_theta_from_the_promise_for_the_attribute() -> None:
    classes = [["a", "a", "b", "c"], ["a", "b", "c", "d"]]  # 11/16 and 5/4
    asked = (
        Requirement("theta-sensitive", {"k": 4, "mu": 0.9}, sensitive="t"),
        Requirement("theta-sensitive", {"k": 4, "mu": 0.6}, sensitive="s"),
        Requirement("k-anonymity", {"k": 9}),
    )
    found = sensitive_variance.run(of_classes(classes, promises=asked), "s")
    assert isinstance(found, Finding)
    assert found.figures["theta"] == 0.75
    assert weak(found) == (1, 4)
    assert found.figures["smallest_variance"] == 0.6875
    assert found.worst["variance"] == 0.6875
    # Two believe in a with 1/2, one in b and one in c with 1/4; prior a 3/8, b 2/8, c 2/8.
    assert found.gain == pytest.approx({"mean": (2 * 1 / 8) / 8, "max": 1 / 8})


def test_variance_takes_k_from_the_release_where_nothing_is_promised() -> None:
    found = sensitive_variance.run(of_classes([["a", "a", "a"], ["a", "b", "c", "d"]]), "s")
    assert isinstance(found, Finding)
    assert found.figures["k"] == 3
    assert found.success["certain"] == pytest.approx(3 / 7)
    assert isinstance(sensitive_variance.run(of_classes([["a"], ["b", "b"]]), "s"), Skipped)


def test_theta_of_each_class_size() -> None:
    asked = (Requirement("theta-sensitive", {"k": 2, "mu": 0.6, "theta": "size"}, sensitive="s"),)
    classes = [["a", "a", "b", "c"], ["a", "b"]]  # 11/16 below 3/4; 1/4 above 0.15
    found = sensitive_variance.run(of_classes(classes, promises=asked), "s")
    assert isinstance(found, Finding)
    assert weak(found) == (1, 4)
    assert "theta" not in found.figures
    resists = sensitive_variance.run(of_classes(classes, promises=asked[:0]), "s", k=2)
    assert weak(resists) == (0, 0)


def test_wide_rows_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sensitive_variance, "CELLS_AT_ONCE", 4)
    scene = of_classes([["a", "b", "c", "d"], ["a", "a"], ["a", "a", "b", "c"]])
    assert sensitive_variance.variances(scene.buckets["s"]).tolist() == [1.25, 0.0, 0.6875]
