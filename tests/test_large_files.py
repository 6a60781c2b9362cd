"""Of a large file, which is read in parts as codes, verbs say what they say of a small one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import indistinct as ind
from indistinct.demo import discharges
from indistinct.sources import csv_parts
from indistinct.sources.file_kinds import csv as csv_kind
from indistinct.types import Plain

POLICY: Plain = {
    "rest": "keep",
    "attributes": {
        "patient_id": {"role": "identifier"},
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "zip": {
            "role": "quasi-identifier",
            "hierarchy": {"mask": {}},
            "missing": {"tokens": ["10115"]},
        },
        "diagnosis": {"role": "sensitive"},
        "cost": {"role": "insensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 3}],
}

Verb = Callable[[Path, Path], Any]

VERBS: dict[str, Verb] = {
    "risk": lambda table, _: ind.risk(table, POLICY),
    "risk of releases": lambda table, _: ind.risk(table, POLICY, k_range=(2, 4)),
    "risk by Safe Harbor": lambda table, _: ind.risk(table, POLICY, standard="hipaa-safe-harbor"),
    "risk of suggested columns": lambda table, _: ind.risk(table),
    "quasi": lambda table, _: ind.quasi(table, POLICY, threshold=0.5),
    "quasi of suggested columns": lambda table, _: ind.quasi(table),
    "assess": lambda table, _: ind.assess(table, POLICY),
    "assess with weights": lambda table, _: ind.assess(table, weights="cost"),
    "compare": lambda table, made: ind.compare(
        table, made, policy=POLICY, contingency=("sex", "ward")
    ),
    "attack": lambda table, made: ind.attack(table, made, POLICY),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_large_file_tells_what_a_small_one_does(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, made = tmp_path / "table.csv", tmp_path / "release"
    discharges(400).write_csv(table)
    ind.anonymize(table, POLICY).write(made)
    told = VERBS[verb](table, made).to_dict()
    read = []

    def in_parts(*given: Any) -> Any:
        read.append(original(*given))
        return read[-1]

    original = csv_kind.read_in_parts
    monkeypatch.setattr(csv_kind, "LARGE", 1)
    monkeypatch.setattr(csv_parts, "_PART", 1 << 12)
    monkeypatch.setattr(csv_kind, "read_in_parts", in_parts)
    again = VERBS[verb](table, made).to_dict()
    assert read
    assert all(frame is not None for frame in read)
    _without_clock(told)
    _without_clock(again)
    assert again == told


def _without_clock(document: Any) -> None:
    """Take out how long something took."""
    if isinstance(document, dict):
        document.pop("seconds", None)
        for part in document.values():
            _without_clock(part)
    elif isinstance(document, list):
        for part in document:
            _without_clock(part)
