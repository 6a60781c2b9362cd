"""Promises are found by their names, and a new one is one class."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.privacy.examples import least_of

from indistinct.errors import PluginError, PolicyError
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Closure, Promise, models, promise
from indistinct.privacy.differential_privacy import DifferentialPrivacy
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import (
    effective,
    in_short,
    known_promise,
    promise_of,
    promised_class_size,
)
from indistinct.requirement import Requirement


def test_known_models() -> None:
    assert models()["k-anonymity"] is KAnonymity
    assert list(models()) == sorted(models())


def test_a_promise_by_name() -> None:
    found = promise("k-anonymity", k=4, on=["b", "a"])
    assert found == KAnonymity(k=4, on=("b", "a"))
    assert found.parameters == {"k": 4}
    assert str(found) == "k-anonymity(k=4) on b, a"
    assert str(promise("k-anonymity", k=4)) == "k-anonymity(k=4)"


def test_settings_are_left_as_they_were() -> None:
    given = {"k": 4, "on": ["a"]}
    promise("k-anonymity", **given)
    assert given == {"k": 4, "on": ["a"]}


def test_everything_that_is_wrong_is_said() -> None:
    with pytest.raises(PolicyError, match="did you mean 'k-anonymity'") as caught:
        promise("k-anonimity", k=3)
    assert caught.value.exit_code == 2
    with pytest.raises(PolicyError) as caught:
        promise("k-anonymity", K=3, onn=["a"])
    assert [problem.code for problem in caught.value.problems] == [
        "unknown-setting",
        "unknown-setting",
        "missing-setting",
    ]
    assert "did you mean 'k'" in str(caught.value)
    assert "add k = ..., a whole number of at least 1" in str(caught.value)
    with pytest.raises(PolicyError, match=r"add delta = \.\.\., a number above 0 .*delta = 0\.0"):
        promise("differential-privacy", epsilon=1)


@pytest.mark.parametrize("name", ["l-diversity", "L_Diversity", "ldiversity"])
def test_the_name_of_a_family_names_all_of_it(name: str) -> None:
    family = (
        "'distinct-l-diversity', 'entropy-l-diversity', 'kl-diversity' or 'recursive-cl-diversity'"
    )
    with pytest.raises(PolicyError, match=f"did you mean {family}"):
        promise(name, l=3)


def test_a_class_that_is_defined_later_is_found() -> None:
    before = set(models())

    @dataclass(frozen=True, kw_only=True)
    class Late(Promise):
        model: ClassVar[str] = "test-late"
        closure: ClassVar[Closure] = "none"
        needs_sensitive: ClassVar[bool] = True
        part: int

        def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
            return classes.size > self.part

        def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
            return {"part": int(classes.size.max())}

    found = promise("test-late", part=3, sensitive="s")
    assert set(models()) - before == {"test-late"}
    assert isinstance(found, Late)
    assert str(found) == "test-late(part=3) of s"
    assert found.largest_violating_size is None
    assert found.infeasible(None) is None  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="protects a sensitive attribute"):
        promise("test-late", part=3)


MODEL = '''
"""A model in a file of its own."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from indistinct.privacy.promise import Promise


@dataclass(frozen=True, kw_only=True)
class Own(Promise):
    model: ClassVar[str] = "own"
    closure: ClassVar[str] = "none"

    def breaks(self, classes):
        return classes.size < 0

    def achieved(self, classes):
        return {}
'''


def test_a_new_model_is_one_file(tmp_path: Path) -> None:
    """A file beside the others is found by being there."""
    (tmp_path / "own.py").write_text(MODEL)
    code = (
        "import indistinct.privacy as privacy\n"
        f"privacy.__path__.append({str(tmp_path)!r})\n"
        "print(privacy.promise('own', on=['a']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "own() on a", done.stderr


def test_a_requirement_with_every_parameter() -> None:
    asked = Requirement("theta-sensitive", {"k": 4, "mu": 0.5}, sensitive="s", on=("a",))
    assert effective(asked) == replace(asked, parameters={"k": 4, "mu": 0.5, "theta": "k"})
    assert effective(effective(asked)) == effective(asked)
    for wrong in (Requirement("k-anonymity", {"j": 5}), Requirement("no-such-model", {"k": 5})):
        assert effective(wrong) == wrong


def test_a_requirement_in_short() -> None:
    asked = Requirement("theta-sensitive", {"k": 4, "mu": 0.6, "theta": "size"}, sensitive="s")
    assert in_short(asked).parameters == {"k": 4, "theta": "size"}
    assert effective(in_short(asked)) == asked
    knm = Requirement("knm-anonymity", {"k": {"1": 2}, "count": "class", "diversity": 1})
    assert in_short(knm).parameters == {"k": {"1": 2}, "diversity": 1}
    assert in_short(Requirement("no-such-model", {"k": 5})).parameters == {"k": 5}


@pytest.mark.parametrize(
    "asked",
    [
        promise("k-anonymity", k=4, on=["b", "a"]),
        promise("theta-sensitive", k=4, mu=0.5, sensitive="s"),
        promise("t-closeness", t=0.2, sensitive="s", reference="original"),
        promise("knm-anonymity", k={"1": 9, "4": 3}, sensitive="s"),
        promise("km-anonymity", k=4, sensitive="s"),
    ],
)
def test_a_promise_is_what_it_is_written_down_as(asked: Promise) -> None:
    assert promise_of(asked.spec) == asked
    assert effective(asked.spec) == asked.spec
    assert promise_of(Requirement.from_dict(asked.spec.to_dict())) == asked


def test_the_class_size_that_is_promised() -> None:
    """People of a population and combinations of items are no records of a class."""
    both = Requirement("k-anonymity", {"k": 5})
    one = Requirement("k-anonymity", {"k": 9}, on=("a",))
    others = [
        Requirement("km-anonymity", {"k": 50, "m": 2}, sensitive="s"),
        Requirement("k-map", {"k": 50}),
        Requirement("t-closeness", {"t": 0.2}, sensitive="s"),
        Requirement("no-such-model", {"k": 50}),
    ]
    assert known_promise(others[-1]) is None
    assert promised_class_size([both, one, *others], ["a", "b"]) == 5
    assert promised_class_size([both, one, *others], ["a"]) == 9
    assert promised_class_size(others, ["a"]) is None
    assert promised_class_size([Requirement("k-anonymity", {"k": 1})], ["a"]) == 1


@pytest.mark.parametrize(
    ("kind", "asked", "said"),
    [
        (KAnonymity, {"k": 5}, 2),
        (KNMAnonymity, {"k": "elbow", "sensitive": "s"}, {"1": 2}),
        (KNMAnonymity, {"k": {"1": 5}, "sensitive": "s"}, "elbow"),
        (KNMAnonymity, {"k": {"1": 5}, "sensitive": "s"}, {"1": 2}),
    ],
)
def test_a_promise_that_says_other_than_it_is_asked_is_refused(
    kind: type[Promise], asked: dict[str, Any], said: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit is asked what a promise says of itself: it must not say less than the policy."""

    def weaker(self: Promise) -> None:
        object.__setattr__(self, "k", said)

    monkeypatch.setattr(kind, "__post_init__", weaker)
    with pytest.raises(PluginError, match=rf"'{kind.model}' .* says other than it is asked: k"):
        promise(kind.model, **asked)
    assert promise(kind.model, **asked | {"k": said}).parameters["k"] == said


@pytest.mark.parametrize("delta", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.5])
def test_published_classes_are_as_large_as_the_mechanism_needs(
    epsilon: float, delta: float
) -> None:
    asked = DifferentialPrivacy(epsilon=epsilon, delta=delta, search=0.0)
    assert asked.size == least_of(epsilon, delta)


@pytest.mark.parametrize("search", [0.0, 0.05, 0.9])
def test_epsilon_is_spent_on_levels_and_on_records(search: float) -> None:
    asked = DifferentialPrivacy(epsilon=2.0, delta=1e-6, search=search)
    assert asked.on_levels == pytest.approx(2.0 * search)
    assert asked.on_levels + asked.on_records == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("epsilon", "delta", "told"),
    [
        (0.5, 1e-6, []),
        (3.9, 1e-6, []),
        (0.5, 0.005, ["in a table of 200 records or more"]),
        (4.0, 0.01, ["may be 55 times as likely", "in a table of 100 records or more"]),
    ],
)
def test_how_little_differential_privacy_may_promise(
    epsilon: float, delta: float, told: list[str]
) -> None:
    said = (promise("differential-privacy", epsilon=epsilon, delta=delta).caution or "").split("; ")
    assert len(list(filter(None, said))) == len(told)
    assert all(part in one for part, one in zip(told, said, strict=False))
