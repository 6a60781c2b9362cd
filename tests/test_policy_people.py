"""What a policy says of people with many records."""

from __future__ import annotations

from typing import Any

import pytest

from indistinct.errors import PolicyError
from indistinct.policy import Policy


def visits(**sections: Any) -> dict[str, Any]:
    """A policy for visits of patients, with these sections in place of its own."""
    return {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "dx": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    } | sections


def test_promises_count_people_where_a_column_names_them() -> None:
    policy = Policy.from_dict(visits())
    assert policy.person == "patient"
    assert policy.attributes["patient"].role == "identifier"
    assert [item.unit for item in policy.promises] == ["person"]
    assert Policy.from_dict(policy.to_dict()) == policy
    bounded = [{"model": "theta-sensitive", "k": 2, "sensitive": "dx"}]
    policy = Policy.from_dict(visits(promises=bounded))
    assert [(item.model, item.unit) for item in policy.promises] == [
        ("theta-sensitive", "person"),
        ("max-posterior", "person"),
    ]


LINKED: dict[str, Any] = {
    "promises": [{"model": "distinct-l-diversity", "l": 2, "sensitive": "dx"}],
    "method": {"algorithm": "anatomy"},
}
"""Sections of a policy that makes linked tables."""

REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"promises": [{"model": "k-anonymity", "k": 2, "unit": "record"}]},
        "promises[1].unit: 'patient' is the person column",
    ),
    (
        {"source": {}, "promises": [{"model": "k-anonymity", "k": 2, "unit": "person"}]},
        "promises[1].unit: no column says whose a record is",
    ),
    ({"source": {"conflicts": "first"}}, "source.conflicts: no column says whose a record is"),
    (
        {"source": {"people": "people.csv"}},
        "source.people: no column says whose a record is",
    ),
    ({"method": {"algorithm": "theta"}}, "'theta' moves single records"),
    ({"method": {"algorithm": "iab"}}, "algorithm: 'iab' looks for distinct rows"),
    (
        {"method": {"algorithm": "heuristic", "objective": "rows"}},
        "objective: 'rows' looks for distinct rows",
    ),
    ({"method": {"objective": "rows"}}, "objective: 'rows' looks for distinct rows"),
    ({"method": {"decoys": {"to": 3}}}, "method.decoys: a decoy copies a record"),
    (LINKED | {"output": {"suppressed": "keep"}}, "output.suppressed: has no effect, as linked"),
    (LINKED | {"output": {"shuffle": False}}, "output.shuffle: has no effect, as linked tables"),
    ({"method": {"algorithm": "theta-star"}}, "works towards 'theta-sensitive'"),
    ({"method": {"algorithm": "k-l-diversity"}}, "works towards 'kl-diversity'"),
    (
        {"source": {}, "method": {"algorithm": "anatomy"}},
        "'anatomy' is for people with many records",
    ),
    (
        {
            "attributes": {
                "patient": {"role": "insensitive"},
                "age": {"role": "quasi-identifier"},
            }
        },
        "attributes.patient.role: is 'insensitive', and the column names the person",
    ),
    (
        {
            "attributes": {
                "patient": {"role": "identifier", "transform": "mask"},
                "age": {"role": "quasi-identifier"},
            }
        },
        "attributes.patient.transform: the column of the person gets a pseudonym",
    ),
]


@pytest.mark.parametrize(("sections", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_does_not_go_with_people_is_refused(sections: dict[str, Any], text: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict(visits(**sections))
    assert text in str(caught.value)


def test_an_attribute_of_a_format_takes_further_keys_or_another_role() -> None:
    keys = {
        "source": {"format": "omop"},
        "attributes": {
            "condition": {"categories": {"table": {"low": ["flu"], "high": ["HIV"]}}},
            "race": {"role": "identifier"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    policy = Policy.from_dict(keys)
    assert policy.attributes["condition"].role == "sensitive"
    assert policy.attributes["condition"].categories is not None
    assert policy.attributes["race"].role == "identifier"
    assert policy.attributes["race"].hierarchy is None
    assert policy.attributes["gender"].role == "quasi-identifier"
