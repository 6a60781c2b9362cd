"""Promises that classes of one table say nothing of."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from tests.privacy.drawing import Class, table

from indistinct.errors import PolicyError
from indistinct.privacy import Promise, models, promise
from indistinct.release.audit import audit

GIVEN: dict[str, dict[str, Any]] = {
    "kl-diversity": {"k": 10, "l": 5},
    "km-anonymity": {"k": 5, "m": 2},
    "known-number": {"k": 5},
    "known-records": {"k": 5, "bound": 0.5, "m": 2},
    "known-visit": {"k": 5, "visit": ("date", "ward")},
}


def example(model: str, **more: Any) -> Promise:
    return promise(model, **{**GIVEN[model], "sensitive": "s", **more})


def test_what_promises_speak_of() -> None:
    subjects = {
        name: kind.subject
        for name, kind in models().items()
        if kind.subject not in ("classes", "together") and kind.__module__.startswith("indistinct.")
    }
    items = dict.fromkeys(("km-anonymity", "known-number", "known-records", "known-visit"), "items")
    assert subjects == {"kl-diversity": "linked", **items}


@pytest.mark.parametrize("model", GIVEN)
def test_they_count_people_and_are_not_judged_by_classes(model: str) -> None:
    asked = example(model)
    assert asked.unit == "person"
    assert asked.parameters == GIVEN[model]
    classes = table([Class((1,) * 6, 6)])
    with pytest.raises(PolicyError, match=f"promise '{model}' applies to"):
        asked.breaks(classes)
    with pytest.raises(PolicyError, match=f"promise '{model}' applies to") as caught:
        asked.achieved(classes)
    assert caught.value.problems[0].remedy
    if not asked.needs_sensitive:
        return
    with pytest.raises(PolicyError, match="protects a sensitive attribute"):
        promise(model, **GIVEN[model])


@pytest.mark.parametrize(
    ("model", "name", "wrong"),
    [
        ("kl-diversity", "k", 1),
        ("kl-diversity", "l", 1),
        ("kl-diversity", "l", 2.5),
        ("km-anonymity", "k", 0),
        ("km-anonymity", "m", 0),
        ("km-anonymity", "m", True),
        ("known-visit", "k", 0),
        ("known-number", "k", 0),
        ("known-records", "k", 0),
        ("known-records", "k", 2.5),
        ("known-records", "bound", 0),
        ("known-records", "bound", 1.5),
        ("known-records", "m", 0),
    ],
)
def test_parameters_are_checked(model: str, name: str, wrong: Any) -> None:
    with pytest.raises(PolicyError, match=f"{name} of {model}"):
        example(model, **{name: wrong})


def test_buckets_of_fewer_people_than_class_size_break_it() -> None:
    """What ``class_size`` says of a promise about linked tables, the audit of these shows."""
    tables = {
        "quasi": pl.DataFrame({"age": ["30"] * 4, "bucket": ["1", "1", "2", "2"]}),
        "sensitive": pl.DataFrame({"bucket": ["1", "2"], "item": ["x", "y"]}),
    }
    linked = {"quasi": "quasi", "sensitive": "sensitive", "by": "bucket", "holding": "all"}
    for k in (2, 3):
        asked = promise("kl-diversity", k=k, l=2, sensitive="item")
        found = audit(tables, [asked.spec], ["age"], linked=linked)
        assert found.holds == (asked.class_size <= 2)


def test_known_records_asks_for_one_of_two() -> None:
    asked = promise("known-records", k=1, sensitive="s")
    assert asked.parameters == {"k": 1, "m": 1}
    assert "promises nothing" in (asked.caution or "")
    bounded = promise("known-records", bound=0.5, m=2, sensitive="s")
    assert bounded.parameters == {"bound": 0.5, "m": 2}
    assert bounded.caution is None
    with pytest.raises(PolicyError, match="needs 'k' or 'bound'"):
        promise("known-records", sensitive="s")
