from __future__ import annotations

import json

import pytest

from indistinct.errors import PolicyError
from indistinct.privacy import promise
from indistinct.requirement import Requirement


def test_a_policy_and_a_certificate_describe_the_same_requirement() -> None:
    written = Requirement("k-anonymity", {"k": 5}, ("age", "sex"))
    assert Requirement.from_dict({"model": "k-anonymity", "k": 5, "on": ["age", "sex"]}) == written
    certified = {**written.to_dict(), "holds": True, "achieved": {"k": 9}, "violations": {}}
    assert Requirement.from_dict(certified) == written


@pytest.mark.parametrize(
    "requirement",
    [
        Requirement("k-anonymity", {"k": 5}),
        Requirement("t-closeness", {"t": 0.2}, ("age",), "salary", "person", "original"),
    ],
)
def test_a_requirement_survives_json(requirement: Requirement) -> None:
    document = json.loads(json.dumps(requirement.to_dict()))
    assert Requirement.from_dict(document) == requirement
    assert hash(Requirement.from_dict(document)) == hash(requirement)


def test_the_document_names_only_what_says_something() -> None:
    full = Requirement("t-closeness", {"t": 0.2}, ("age",), "salary", "person", "original")
    assert full.to_dict() == {
        "model": "t-closeness",
        "parameters": {"t": 0.2},
        "on": ["age"],
        "sensitive": "salary",
        "unit": "person",
        "reference": "original",
    }
    assert str(full) == "t-closeness(t=0.2) of salary on age"


def test_a_model_is_built_from_its_settings() -> None:
    requirement = Requirement("k-anonymity", {"k": 5}, ("age",))
    assert str(promise(requirement.model, **requirement.settings)) == "k-anonymity(k=5) on age"


def test_the_parameters_are_a_copy() -> None:
    given = {"k": 5}
    requirement = Requirement("k-anonymity", given)
    given["k"] = 1
    assert requirement.parameters == {"k": 5}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "names no privacy model"),
        ({"model": 3}, "names no privacy model"),
        ({"model": "k-anonymity", "parameters": [5]}, "must be a table"),
        ({"model": "k-anonymity", "k": 5, "on": "age"}, "must be a list of quasi-identifiers"),
        ({"model": "k-anonymity", "k": 5, "on": [1]}, "must be a list of quasi-identifiers"),
        ({"model": "k-anonymity", "k": 5, "on": []}, "names no quasi-identifier"),
        ({"model": "k-anonymity", "k": 5, "on": ["b", "a", "b"]}, "names 'b' twice"),
        ({"model": "x", "sensitive": ["a"]}, "must name one attribute"),
        ({"model": "x", "unit": "persons"}, "did you mean 'person'?"),
        ({"model": "x", "reference": "orignal"}, "did you mean 'original'?"),
        ("k-anonymity", "a promise is a table"),
    ],
)
def test_a_wrong_form_is_named(document: object, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Requirement.from_dict(document)  # type: ignore[arg-type]
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(PolicyError) as caught:
        Requirement("", {}, (), None, "house", "none")
    assert len(caught.value.problems) == 4
