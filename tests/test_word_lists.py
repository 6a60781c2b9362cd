"""The lists of words and codes that lie beside the modules that need them."""

from __future__ import annotations

from pathlib import Path

import pytest

import indistinct
from indistinct.analytics.profile.concepts import Concept, concept_named
from indistinct.analytics.profile.safe_harbor import KINDS
from indistinct.word_lists import listed, lists_of

HERE = Path(indistinct.__file__).parent
FILES = sorted(HERE.rglob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_list_lies_beside_the_module_that_reads_it(path: Path) -> None:
    module = path.with_suffix(".py")
    assert module.is_file()
    assert lists_of(str(module))


def test_no_word_is_empty_and_every_key_is_known() -> None:
    lists = lists_of(str(HERE / "analytics/profile/concepts.py"))
    told = [listed(lists["beside"])]
    for keys in lists["concepts"]:
        concept = concept_named(keys["name"])
        assert isinstance(concept, Concept)
        assert set(keys) <= set(vars(concept))
        told += [listed(own) for key, own in keys.items() if isinstance(own, str) and key != "why"]
    kinds = lists_of(str(HERE / "analytics/profile/safe_harbor.py"))
    assert set(kinds["anywhere"]) == {kind.name for kind in KINDS} >= set(kinds["whole"])
    told += [listed(words) for place in kinds.values() for words in place.values()]
    for words in told:
        assert all(words)
