"""What the package says of the recorded cases is what it said when they were recorded."""

from __future__ import annotations

import json

import pytest
from tests.golden.cases import CASES
from tests.golden.record import CHANCE, recorded
from tests.golden.replay import digest, parts_of

from indistinct.analytics.attacks import attackers
from indistinct.measures import measures
from indistinct.policy.sections import TRANSFORMS
from indistinct.privacy import models
from indistinct.recoding.method import methods

RECORDED = recorded()


@pytest.mark.parametrize("name", CASES)
def test_a_case_says_what_was_recorded(name: str) -> None:
    assert name in RECORDED, f"not recorded: python tests/golden/record.py --write {name}"
    before = {part: digits for part, digits in RECORDED[name].items() if part != CHANCE}
    now = {part: digest(item) for part, item in parts_of(CASES[name]).items()}
    moved = {part for part in {*before, *now} if before.get(part) != now.get(part)}
    by_seed = moved & set(RECORDED[name].get(CHANCE, ()))
    assert not moved, (
        f"{sorted(moved)} of {name} differ (another seed changes {sorted(by_seed)} as well): "
        f"python tests/golden/record.py --diff REVISION {name}"
    )


def test_the_record_has_every_case_and_no_other() -> None:
    assert sorted(RECORDED) == sorted(CASES)


def test_whatever_is_registered_stands_in_a_case() -> None:
    policies = [
        keys
        for case in CASES.values()
        if not case.id.startswith("refused")
        for keys in (case.policy, case.options.get("policy", {}))
    ]
    own = {name for name, kind in models().items() if kind.__module__.startswith("indistinct.")}
    assert own <= {item["model"] for keys in policies for item in keys.get("promises", ())}
    used = [keys.get("method", {}) for keys in policies]
    assert set(methods()) == {item.get("algorithm", "optimal") for item in used}
    goals = [item["objective"] for item in used if "objective" in item]
    assert set(measures()) == {item["measure"] for item in goals}
    transforms = json.dumps([keys.get("attributes") for keys in policies])
    assert {name for name in TRANSFORMS if f'"{name}"' in transforms} == set(TRANSFORMS)
    told = {part for parts in RECORDED.values() for part in parts}
    untold = {f"attack {name}" for name in attackers()} - told
    assert not untold, f"no case has {sorted(untold)}: python tests/golden/record.py --write"
