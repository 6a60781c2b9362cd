"""How attackers are found, and how their findings are told."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.analytics.attacks.contexts import of_classes

from indistinct.analytics.attacks import (
    AttackReport,
    Finding,
    Skipped,
    attackers,
    findings,
    summarize,
)
from indistinct.analytics.attacks.finding import LEVELS, NEVER_PUBLISH, _once_each, worst_class
from indistinct.document import Line

CORE = (
    "record-linkage",
    "presence",
    "membership",
    "non-membership",
    "homogeneity",
    "categorical-similarity",
    "sensitive-variance",
    "skewness",
    "background-exclusion",
    "colleague",
)


def test_attackers_are_found_by_being_there_in_a_steady_order() -> None:
    found = attackers()
    assert [name for name in found if name in CORE] == list(CORE)
    for name, module in found.items():
        assert name == module.NAME
        assert module.KNOWLEDGE
        assert module.SOURCE
        assert callable(module.run)


def test_where_nothing_is_sensitive_nothing_is_learnt() -> None:
    scene = replace(of_classes([["a", "b"]]), sensitive=())
    for name, module in attackers().items():
        if module.KIND == "attribute":
            assert list(findings(scene, [name])) == [
                Skipped(name, "no attribute is sensitive", kind=module.KIND)
            ]


def test_a_finding_has_the_name_and_the_knowledge_of_its_module() -> None:
    for name, module in attackers().items():
        for found in findings(of_classes([["a", "b"], ["c", "d"]]), [name]):
            assert found.name == name
            if isinstance(found, Finding):
                assert found.kind == module.KIND
                assert found.knowledge


def test_findings_stand_in_the_order_of_attackers_however_they_are_run() -> None:
    scene = of_classes([["a", "b"], ["c", "d"]])
    told: list[tuple[str, float]] = []
    names = list(attackers())
    found = list(findings(scene, names, lambda name, share: told.append((name, share))))
    assert [own.name for own in found] == names
    assert [own for name in names for own in findings(scene, [name])] == found
    assert [share for _, share in told] == [at / len(names) for at in range(len(names))]
    assert {name for name, _ in told} == set(names)


def test_a_summary_counts_thresholds_and_gains() -> None:
    scene = of_classes([["a", "b"], ["c", "d"]])
    found = summarize(
        scene,
        "s",
        np.array([0.5, 0.95, 1.0, 0.2]),
        np.array([0.25, 0.5, 1.0, 0.5]),
        np.array([False, False, True, False]),
        knowledge="something",
    )
    assert found.success == {"0.5": 0.75, "0.95": 0.5, "certain": 0.25}
    assert found.prior == {"0.5": 0.75, "0.95": 0.25, "certain": 0.25}
    assert found.gain == pytest.approx({"mean": (0.25 + 0.45 - 0.3) / 4, "max": 0.45})
    assert repr(found) == "<Finding:  on s: 0.5 75.0%, 0.95 50.0%, certain 25.0% of 4 people>"


def test_nobody_is_attacked_with_no_success() -> None:
    scene = of_classes([])
    none = np.zeros(0)
    found = summarize(scene, "s", none, none, none > 0)
    assert found.success == found.prior == {"0.5": 0, "0.95": 0, "certain": 0}
    assert found.gain == {"mean": 0, "max": 0}
    for module in attackers().values():
        result = module.run(scene, "s")
        assert isinstance(result, Skipped) or result.people == 0


def test_the_worst_class_is_the_first_of_the_highest() -> None:
    scene = of_classes([["a"], ["b", "b"], ["c", "c"]])
    assert worst_class(scene, np.array([0.0, 2.0, 2.0]), extra=np.array([1, 2, 3])) == {
        "class": {"q": "class 1"},
        "records": 2,
        "extra": 2,
    }
    assert worst_class(scene, np.zeros(0)) == {}


def report() -> AttackReport:
    scene = of_classes([["a", "a"], ["a", "<b>"]])
    found = tuple(
        item for name in ("membership", "homogeneity") for item in findings(scene, [name])
    )
    assert all(isinstance(item, Finding) for item in found)
    return AttackReport(found, (Skipped("presence", "no <population>"),), 4, ("a note",))  # type: ignore[arg-type]


def test_a_report_as_plain_data() -> None:
    document = report().to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["warning"] == NEVER_PUBLISH
    assert [item["name"] for item in document["attacks"]] == ["membership", "homogeneity"]
    for item in document["attacks"]:
        assert {"name", "knowledge", "people", "success", "prior", "gain"} <= set(item)
        assert list(item["success"]) == list(item["prior"]) == ["0.5", "0.95", "certain"]
        assert list(item["gain"]) == ["mean", "max"]
    assert document["skipped"] == [
        {"name": "presence", "sensitive": None, "why": "no <population>"}
    ]
    assert document["notes"] == ["a note"]


def test_a_report_as_a_table() -> None:
    frame = report().frame()
    assert frame["attacker"].to_list() == ["membership", "homogeneity"]
    assert frame["success_certain"].to_list() == [0.5, 0.5]
    assert AttackReport(()).frame().columns == frame.columns


def test_a_report_on_a_page_and_in_a_line() -> None:
    page = report()._repr_html_()
    assert NEVER_PUBLISH in page
    assert "no &lt;population&gt;" in page
    assert repr(report()) == "<AttackReport: 2 attacks, 1 skipped, worst membership: 50.0% certain>"
    assert repr(AttackReport(())) == "<AttackReport: 0 attacks, 0 skipped>"
    assert report()["homogeneity"].name == "homogeneity"
    with pytest.raises(KeyError):
        report()["nobody"]


def test_a_kind_that_nobody_tried_has_a_line_of_its_own() -> None:
    membership = Skipped("presence", "it needs a population", kind="membership")
    noise = Skipped("homogeneity", "noise was added", "cost", kind="attribute")
    of_all = Skipped("vertical", "no cell is exact", kind="attribute")
    found = replace(report(), skipped=(membership, noise, of_all))
    assert [part.text for part in found.summary() if isinstance(part, Line)][4:-1] == [
        "open  who somebody is: not tried, because no attacker of this kind was asked for",
        "open  whether somebody is in it: not tried, because it needs a population",
        "open  what somebody has: cost: not tried, because noise was added",
    ]


def test_attributes_of_which_nothing_is_learnt_share_a_line() -> None:
    found = report()
    item = found["homogeneity"]
    nothing = replace(item, success=dict.fromkeys(item.success, 0.0), prior=item.prior)
    of_each = [replace(nothing, sensitive=f"s{at}") for at in range(7)]
    many = replace(found, attacks=(replace(item, sensitive="cost"), *of_each), skipped=())
    told = [part.text for part in many.summary() if isinstance(part, Line)]
    alike = [text for text in told if "no attacker knows" in text]
    assert alike == [
        "low   what somebody has: s0, s1, s2 and 4 more: no attacker knows anything with 95% "
        "certainty"
    ]
    few = replace(many, attacks=many.attacks[:5])
    told = [part.text for part in few.summary() if isinstance(part, Line)]
    assert sum("no attacker knows" in text for text in told) == 4


def test_an_attacker_that_succeeds_at_more_succeeds_at_less() -> None:
    scene = of_classes([["a", "a"], ["a", "b", "c"], ["d", "d", "d", "a"]])
    for module in attackers().values():
        found = module.run(scene, "s")
        if isinstance(found, Finding):
            shares = [found.success[key] for key in ("0.5", "0.95", "certain")]
            assert all(one >= other for one, other in pairwise(shares)), module.NAME


def test_details_name_the_attribute_of_every_sentence_and_repeat_none() -> None:
    told = [("age", "of the average"), ("sex", "of the average"), ("ward", "the ward of 5")]
    assert list(_once_each(told)) == ["age, sex: of the average", "the ward of 5"]
    whys = [(name, f"the values of {name} have no ranks") for name in ("age", "sex")]
    assert list(_once_each(whys, alike=True)) == ["the values of age, sex have no ranks"]
    assert list(_once_each([("age", "no noise"), ("sex", "no noise")], alike=True)) == ["no noise"]
    assert list(_once_each([(None, "nobody")])) == ["nobody"]
    two = [("age", "no noise"), ("sex", "no rows")]
    assert list(_once_each(two, alike=True)) == ["age: no noise", "sex: no rows"]


@pytest.mark.parametrize(
    ("learnt", "thresholds", "level"),
    [
        (0.0, (0.0, 0.2), "low"),
        (0.01, (0.0, 0.2), "some"),
        (0.2, (0.0, 0.2), "some"),
        (0.21, (0.0, 0.2), "high"),
        (0.21, (0.3, 0.5), "low"),
        (0.5, (0.3, 0.5), "some"),
        (1.0, (1.0, 1.0), "low"),
    ],
)
def test_how_much_is_learnt_is_told_by_the_thresholds(
    learnt: float, thresholds: tuple[float, float], level: str
) -> None:
    believed = np.array([1.0] * round(100 * learnt) + [0.0] * round(100 * (1 - learnt)))
    none = np.zeros(100)
    found = replace(
        summarize(of_classes([["a", "b"]]), "s", believed, none, believed > 0, knowledge="all"),
        name="one",
    )
    assert found.learnt == pytest.approx(learnt)
    report = AttackReport((found,), thresholds=thresholds)
    assert LEVELS[report.level(found)][0].lower() == level


def test_attributes_left_open_for_one_reason_are_told_together() -> None:
    skipped = [
        Skipped("minimality", "it has no node", name, leaves_open=True, kind="attribute")
        for name in ("flu", "asthma", "gout", "copd", "sepsis")
    ]
    other = Skipped("minimality", "it is broken", "stroke", leaves_open=True, kind="attribute")
    parts = AttackReport((), (*skipped, other)).summary()
    told = [part.text for part in parts if isinstance(part, Line) and "reruns" in part.text]
    assert [text.partition(": an attacker")[0] for text in told] == [
        "open  what somebody has: flu, asthma, gout, 2 more",
        "open  what somebody has: stroke",
    ]
