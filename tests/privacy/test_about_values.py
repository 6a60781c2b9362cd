"""Promises about some values alone, and records that these do not apply to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy.drawing import CHECKED, LABELS, Class, classes, table

from indistinct import anonymize, attack
from indistinct.errors import PolicyError
from indistinct.intake.private_table import told_apart
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, models, promise
from indistinct.privacy.values import AboutValues, domain_of, had_by_all, shares_of
from indistinct.release.audit import audit

ABLE = sorted(name for name, kind in models().items() if issubclass(kind, AboutValues))

SETTINGS: dict[str, dict[str, list[float]]] = {
    "alpha-k-anonymity": {"alpha": [0.2, 0.5, 0.9], "k": [1, 4]},
    "basic-beta-likeness": {"beta": [0.2, 1, 4]},
    "delta-disclosure": {"delta": [0.2, 1, 4]},
    "distinct-l-diversity": {"l": [1, 2, 4]},
    "enhanced-beta-likeness": {"beta": [0.2, 1, 4]},
    "max-posterior": {"bound": [0.2, 0.5, 0.9]},
    "p-sensitive": {"p": [1, 2, 4]},
    "t-closeness": {"t": [0.05, 0.2, 0.6]},
}


def test_every_model_that_can_is_tested_here() -> None:
    assert sorted(SETTINGS) == ABLE


@st.composite
def promises(draw: st.DrawFn, model: str) -> AboutValues:
    names = st.lists(st.sampled_from(["", "1", "2", "3", "4", "5"]), unique=True, max_size=4)
    given = {name: draw(st.sampled_from(values)) for name, values in SETTINGS[model].items()}
    which = draw(st.sampled_from(["values", "not_values"]))
    named, without = draw(names), draw(names)
    about = {which: named, "not_applicable": [value for value in without if value not in named]}
    found = promise(model, sensitive="s", **given, **about)
    assert isinstance(found, AboutValues)
    return found


def keeps(asked: Any, one: Class, reference: Sequence[int]) -> bool:
    """By the definition of each model, of the records that it applies to and the values that harm.

    What does not harm may be as likely as it likes.
    """
    names = [label or "" for label in LABELS]
    own = {n: c for n, c in zip(names, one.counts, strict=True) if n not in asked.not_applicable}
    told = {n: c for n, c in zip(names, reference, strict=True) if n in own}
    harm = [n for n in own if (n in asked.values if asked.values else n not in asked.not_values)]
    size, everybody = sum(own.values()), max(sum(told.values()), 1)
    if asked.model == "alpha-k-anonymity" and one.size < asked.k:
        return False
    if not size:
        return True
    p = {n: own[n] / size for n in own}
    q = {n: told[n] / everybody for n in own}
    if asked.model in ("max-posterior", "alpha-k-anonymity"):
        most = asked.bound if asked.model == "max-posterior" else asked.alpha
        return all(p[n] <= most + 1e-12 for n in harm)
    if asked.model in ("distinct-l-diversity", "p-sensitive"):
        least = asked.l if asked.model == "distinct-l-diversity" else asked.p
        return not any(own[n] for n in harm) or sum(c > 0 for c in own.values()) >= least
    if asked.model == "t-closeness":
        rest = [n for n in own if n not in harm]
        if not asked.about_all:
            distance = sum(abs(p[n] - q[n]) for n in harm)
            distance += abs(sum(p[n] for n in rest) - sum(q[n] for n in rest))
            return distance / 2 <= asked.t + 1e-9
        return sum(abs(p[n] - q[n]) for n in own) / 2 <= asked.t + 1e-9
    if asked.model == "delta-disclosure":
        return all(
            (not p[n] and not q[n])
            or (p[n] > 0 and q[n] > 0 and abs(math.log(p[n] / q[n])) < asked.delta * (1 - 1e-12))
            for n in harm
        )
    for n in harm:
        if not p[n]:
            continue
        if not q[n]:
            return False
        most = asked.beta
        if asked.model == "enhanced-beta-likeness":
            most = min(most, -math.log(q[n]))
        if p[n] > q[n] * (1 + most) * (1 + 1e-12):
            return False
    return True


@pytest.mark.parametrize("model", ABLE)
@CHECKED
@given(data=st.data())
def test_only_values_that_harm_are_looked_at(model: str, data: st.DataObject) -> None:
    asked = data.draw(promises(model))
    drawn = data.draw(st.lists(classes(least=1), min_size=1, max_size=4))
    reference = tuple(sum(one.counts[v] for one in drawn) for v in range(len(LABELS)))
    broken = asked.breaks(table(drawn, reference))
    assert broken.tolist() == [not keeps(asked, one, reference) for one in drawn]
    rows = [
        (str(at), label)
        for at, one in enumerate(drawn)
        for label, count in zip(LABELS, one.counts, strict=True)
        for _ in range(count)
    ]
    release = pl.DataFrame(rows, {"class": pl.String, "s": pl.String}, orient="row")
    verdict = audit(release, [asked.spec], ["class"]).promises[0]
    assert verdict.holds == (not broken.any())
    assert verdict.breaking_classes == broken.sum()
    assert verdict.to_dict()["parameters"] == asked.parameters
    assert verdict.achieved == pytest.approx(asked.achieved(table(drawn, reference)))


@pytest.mark.parametrize("model", ABLE)
def test_a_class_of_records_that_a_promise_does_not_apply_to_keeps_it(model: str) -> None:
    given = {name: values[0] for name, values in SETTINGS[model].items()}
    asked = promise(model, sensitive="s", **given, not_applicable=["1", "2"])
    everybody = [Class((5, 4, 0, 0, 0, 0), 9), Class((0, 3, 0, 0, 0, 0), 3)]
    assert not asked.breaks(table(everybody)).any()
    rows = [("a", "1")] * 5 + [("a", "2")] * 4 + [("b", "2")] * 3
    release = pl.DataFrame(rows, {"class": pl.String, "s": pl.String}, orient="row")
    assert audit(release, [asked.spec], ["class"]).holds


@pytest.mark.parametrize("model", sorted({*models()} - {*ABLE}))
@pytest.mark.parametrize("name", ["values", "not_values", "not_applicable"])
def test_every_other_model_refuses_them(model: str, name: str) -> None:
    kind = models()[model]
    if not kind.__module__.startswith("indistinct.") or not kind.needs_sensitive:
        return
    with pytest.raises(PolicyError) as caught:
        promise(model, sensitive="s", **{name: ["HIV"]})
    refused = [item for item in caught.value.problems if item.code == "unknown-setting"]
    assert len(refused) == 1
    assert "max-posterior" in str(refused[0].remedy)


WRONG: list[dict[str, Any]] = [
    {"values": "HIV"},
    {"values": [1]},
    {"values": ["a"], "not_values": ["b"]},
    {"values": ["a"], "not_applicable": ["a"]},
    {"not_applicable": ["a"], "unit": "person"},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_makes_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(PolicyError) as caught:
        promise("max-posterior", sensitive="s", **wrong)
    assert [item.code for item in caught.value.problems] == ["bad-parameter"]


def test_some_values_are_no_steps_apart() -> None:
    with pytest.raises(PolicyError, match="there are no steps"):
        promise("t-closeness", t=0.2, sensitive="s", distance="ordered", values=["1"])
    asked = {"model": "t-closeness", "t": 0.2, "distance": "ordered", "values": ["1"]}
    with pytest.raises(PolicyError, match="there are no steps"):
        audit(pl.DataFrame({"s": ["1"], "c": ["a"]}), [{**asked, "sensitive": "s"}], ["c"])


# A table of patients: most survive; who was no inpatient has no ward.

PATIENTS = pl.DataFrame(
    [
        (str(20 + at % 40), "died" if at % 13 == 0 else "survived", ward)
        for at in range(240)
        for ward in ["ICU" if at % 20 == 0 else "general" if at % 5 == 0 else "none"]
    ],
    ["age", "outcome", "ward"],
    orient="row",
)


def policy(*promises: dict[str, Any], **attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "outcome": {"role": "sensitive", **attributes.get("outcome", {})},
            "ward": {"role": "sensitive", **attributes.get("ward", {})},
        },
        "promises": [{"model": "k-anonymity", "k": 4}, *promises],
        "method": {"seed": 1, **attributes.get("method", {})},
    }


def test_deaths_among_survivors() -> None:
    """A bound on every value cannot be kept where 92 % survive; one on deaths can."""
    bound = {"model": "max-posterior", "sensitive": "outcome", "bound": 0.3}
    with pytest.raises(Exception, match=r"share of 0\.921"):
        anonymize(PATIENTS, policy(bound))
    release = anonymize(PATIENTS, policy({**bound, "values": ["died"]}))
    told = release.certificate.to_dict()["promises"][1]
    assert told["parameters"] == {"bound": 0.3, "values": ["died"]}
    shares = release.tables.group_by("age").agg(deaths=(pl.col("outcome") == "died").mean())
    assert told["achieved"]["bound"] == pytest.approx(shares["deaths"].max())
    of_attribute = anonymize(PATIENTS, policy(bound, outcome={"not_values": ["survived"]}))
    told = of_attribute.certificate.to_dict()["promises"][1]
    assert told["parameters"] == {"bound": 0.3, "not_values": ["survived"]}


def test_outpatients_hide_no_inpatient() -> None:
    """The share of the ICU is that among those who were on a ward."""
    bound = {"model": "max-posterior", "sensitive": "ward", "bound": 0.5}
    release = anonymize(PATIENTS, policy({**bound, "values": ["ICU"], "not_applicable": ["none"]}))
    inside = release.tables.filter(pl.col("ward") != "none")
    shares = inside.group_by("age").agg(icu=(pl.col("ward") == "ICU").mean())
    most = shares["icu"].max()
    assert isinstance(most, float)
    assert most <= 0.5
    verdict = release.certificate.to_dict()["promises"][1]
    assert verdict["achieved"]["bound"] == pytest.approx(most)


def test_attackers_look_at_the_same_values() -> None:
    asked = policy(
        {"model": "max-posterior", "sensitive": "outcome", "bound": 0.3, "values": ["died"]}
    )
    release = anonymize(PATIENTS, asked)
    found = {
        (item.name, item.sensitive): item
        for item in attack(PATIENTS, release, asked, only=["worst-posterior", "skewness"]).attacks
    }
    worst = found["worst-posterior", "outcome"]
    deaths = int((PATIENTS["outcome"] == "died").sum())
    assert worst.people == worst.figures["concerned"] == deaths
    assert worst.success["0.5"] == 0.0
    assert found["skewness", "outcome"].figures["harmful_values"] == 1
    assert found["worst-posterior", "ward"].people == PATIENTS.height


def test_values_that_nobody_has() -> None:
    bound = {"model": "max-posterior", "sensitive": "outcome", "bound": 0.3}
    with pytest.raises(PolicyError) as caught:
        anonymize(PATIENTS, policy({**bound, "values": ["Died"]}))
    assert [item.code for item in caught.value.problems] == ["no-such-value"]
    assert "Died" not in str(caught.value)
    release = anonymize(PATIENTS, policy({**bound, "values": ["died", "Died"]}))
    assert any("names 1 value that no record has" in text for text in release.warnings)


@pytest.mark.parametrize(
    ("values", "several"),
    [
        (["1.5", "1.50", "01.5", "1,5", "+1.5", "1.5 "], 6),
        (["0", "0.0", "00", "<1"], 3),
        (["1", "10", "100", "1000", "-1", "1.01", "1.1", None], 0),
        (["E11.9", "E11.90", "1.2.3", "1.2.30"], 0),
        (["9007199254740992", "9007199254740993"], 0),
    ],
)
def test_numbers_written_in_several_ways(values: list[str | None], several: int) -> None:
    """In a column of text "1.5" and "1.50" count as two values."""
    told = told_apart("outcome", values)
    assert [text.split()[0] for text in told] == ([str(several)] if several else [])


@pytest.mark.parametrize(
    ("values", "several"),
    [
        pytest.param(["HIV", "\u041dIV", "H\u0406V", "\u0397\u0399V", "flu"], 4, id="look alike"),
        pytest.param(["H\u00f6he", "Ho\u0308he", "Hohe"], 3, id="accents"),
        pytest.param(["a-b", "a\u2013b", "a b", "a\u00a0b"], 4, id="hyphens and blanks"),
        pytest.param(["Fuss", "Fu\u00df", "FUSS"], 3, id="sharp s"),
        pytest.param(["\uff11\uff12", "12"], 2, id="wide digits"),
        pytest.param(
            ["\u304b\u304d", "\u304b\u304e", "\u0915\u093f", "\u0915\u0941"], 0, id="others"
        ),
    ],
)
def test_letters_written_in_several_ways(values: list[str], several: int) -> None:
    """Greek and Cyrillic letters that look like Latin ones, composed or not, with or without."""
    told = told_apart("outcome", values)
    assert [text.split()[0] for text in told] == ([str(several)] if several else [])


@pytest.mark.parametrize("model", ["distinct-l-diversity", "entropy-l-diversity"])
def test_one_value_written_in_several_ways(model: str) -> None:
    """A class of one value passes for one of three: nothing in the release shows it."""
    ways = pl.Series("outcome", ["Died", "died", "di\u200bed", "well"] * 10)
    frame = pl.DataFrame({"age": [20, 30] * 20, "outcome": ways})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "outcome": {"role": "sensitive"},
        },
        "promises": [{"model": model, "l": 1.5 if "entropy" in model else 2}],
    }
    told = [text for text in anonymize(frame, asked).warnings if "write them alike" in text]
    assert len(told) == 1
    assert told[0].startswith("3 values of 'outcome' differ")
    alike = frame.with_columns(ways.replace(ways.to_list()[1:3], ["Died", "Died"]))
    assert not any("write them alike" in text for text in anonymize(alike, asked).warnings)


@pytest.mark.parametrize("word", ["unknown", "UNK", "Unbekannt", "n/a", " missing"])
def test_a_word_for_no_value_passes_for_one_until_its_remedy_is_followed(word: str) -> None:
    """Everybody of 20 of whom something is known has the same."""
    frame = pl.DataFrame({"age": [20, 20, 30, 30], "outcome": ["died", word, "died", "well"]})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "outcome": {"role": "sensitive"},
        },
        "promises": [{"model": "distinct-l-diversity", "l": 2}],
    }
    release = anonymize(frame, asked)
    assert release.tables["age"].n_unique() == 2
    remedy = f'not_applicable = ["{word}"] under [attributes.outcome]'
    (told,) = (text for text in release.warnings if remedy in text)
    assert told.share == 0.25
    asked["attributes"]["outcome"]["not_applicable"] = [word]
    followed = anonymize(frame, asked)
    assert followed.tables["age"].n_unique() == 1
    assert not any("one more value" in text for text in followed.warnings)
    other = frame.with_columns(outcome=pl.col("outcome").replace(word, "none"))
    assert not any("one more value" in text for text in anonymize(other, asked).warnings)


REFUSED: dict[str, Callable[[], dict[str, Any]]] = {
    "linked": lambda: policy(
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "outcome", "values": ["died"]},
        method={"algorithm": "anatomy"},
    ),
    "theta": lambda: policy(
        {"model": "theta-sensitive", "k": 2, "sensitive": "ward"},
        {"model": "max-posterior", "sensitive": "ward", "values": ["ICU"]},
        method={"algorithm": "theta"},
    ),
    "role": lambda: policy(outcome={"role": "insensitive", "values": ["died"]}),
    "items": lambda: {
        **policy(
            {"model": "max-posterior", "sensitive": "ward", "values": ["ICU"]},
            {"model": "km-anonymity", "k": 2, "sensitive": "ward"},
            ward={"hierarchy": "suppress"},
        ),
        "source": {"person": "id"},
    },
}


@pytest.mark.parametrize("case", REFUSED)
def test_methods_that_know_nothing_of_values_refuse_them(case: str) -> None:
    with pytest.raises(PolicyError) as caught:
        anonymize(PATIENTS, REFUSED[case]())
    codes = Counter(item.code for item in caught.value.problems)
    assert codes["wrong-role" if case == "role" else "other-algorithm"] >= 1


def test_a_promise_is_written_down_whole() -> None:
    asked: Promise = promise("max-posterior", sensitive="s", values=["a"], not_applicable=[""])
    assert promise(asked.model, **asked.spec.settings) == asked
    assert str(asked) == "max-posterior(bound=0.5, values=[a], not_applicable=['']) of s"


@pytest.mark.parametrize(
    ("cell", "missing"), [("NA", []), ("NA", ["NA"]), (None, []), (None, ["NA"])]
)
@pytest.mark.parametrize("named", ["NA", ""])
def test_a_missing_value_is_no_diversity_once_it_is_named(
    cell: str | None, missing: list[str], named: str
) -> None:
    frame = pl.DataFrame(
        {"age": [30] * 4 + [40] * 4, "ill": ["hiv", cell] * 2 + ["hiv", "flu"] * 2}
    )
    ill: dict[str, Any] = {"role": "sensitive", "missing": {"tokens": missing}}
    asked = {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": ill},
        "promises": [{"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}],
    }
    (told,) = (it for it in anonymize(frame, asked).run.warnings if "missing values" in it)
    if named == (cell or "") or "NA" in missing:  # otherwise no record has what is named
        ill["not_applicable"] = [named]
        release = anonymize(frame, asked)
        assert release.tables["age"].n_unique() == 1
        assert told not in release.run.warnings


def test_of_values_that_nothing_is_known_of_each_is_without_a_label() -> None:
    """Every record has one of them then, and they are compared with what all classes have."""
    cells = np.array([[2, 0, 1], [1, 0, 0]])
    seen = ClassTable(np.arange(2, dtype=np.int32), np.array([3, 1]), {"ill": cells})
    asked = promise("max-posterior", bound=0.5, sensitive="ill")
    assert domain_of(asked, seen).labels == (None,) * 3
    assert domain_of(asked, seen).exclusive
    assert shares_of(asked, seen).tolist() == [0.75, 0.0, 0.25]
    assert not had_by_all(asked, seen).any()
    nobody = ClassTable(np.arange(1, dtype=np.int32), np.array([0]), {"ill": cells[:1] * 0})
    assert shares_of(asked, nobody).tolist() == [0.0] * 3
