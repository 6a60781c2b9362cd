"""Analyses on the table and on a release say what statsmodels says of both, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.report.test_report import run, text_of  # noqa: F401

import indistinct as ind
from indistinct.analytics.analyses import (
    KINDS,
    Analyses,
    Answer,
    Estimate,
    Figure,
    Question,
    analyse,
)
from indistinct.randomness import simulation

sm = pytest.importorskip("statsmodels.api")
pytest.importorskip("sklearn")


def patients(n: int = 600) -> pl.DataFrame:
    draw = simulation(11)
    age = draw.integers(20, 80, n)
    sex = np.where(draw.random(n) < 0.5, "f", "m")
    cost = 100 + 5 * age + 40 * (sex == "m") + draw.normal(0, 60, n)
    ill = draw.random(n) < 1 / (1 + np.exp(4 - 0.08 * age))
    months = np.ceil(draw.exponential(2000 / age)).astype(int) + 1
    return pl.DataFrame(
        {
            "age": age.astype(str),
            "sex": sex,
            "cost": np.round(cost).astype(int).astype(str),
            "ill": np.where(ill, "yes", "no"),
            "visits": draw.poisson(age / 20).astype(str),
            "months": months.astype(str),
            "died": np.where(draw.random(n) < 0.7, "1", "0"),
        }
    )


ASKED: list[dict[str, Any]] = [
    {"kind": "table", "by": ["sex"]},
    {"kind": "table", "outcome": "cost", "by": ["sex"], "name": "cost by sex"},
    {"kind": "linear", "outcome": "cost", "predictors": ["age", "sex"], "min_overlap": 0.5},
    {"kind": "logistic", "outcome": "ill", "predictors": ["age", "sex"]},
    {"kind": "poisson", "outcome": "visits", "predictors": ["age"]},
    {"kind": "cox", "outcome": "months", "event": "died", "predictors": ["age", "sex"]},
    {"kind": "kaplan-meier", "outcome": "months", "event": "died", "by": ["sex"]},
    {"kind": "classifier", "outcome": "ill", "predictors": ["age", "sex"]},
    {"kind": "regressor", "outcome": "cost", "predictors": ["age", "sex"], "min_overlap": 1.0},
]

POLICY: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        **{name: {"role": "insensitive"} for name in ("cost", "ill", "visits", "months", "died")},
    },
    "promises": [{"model": "k-anonymity", "k": 5}],
    "method": {"seed": 4},
    "analyses": ASKED,
}


def asked() -> list[Question]:
    return [Question(**dict(item)) for item in ind.Policy.from_dict(POLICY).analyses]


def by_kind(found: Analyses, kind: str) -> Answer:
    return next(item for item in found.answers if item.question.kind == kind)


def originals(answer: Answer) -> dict[str, Figure]:
    return {item.term: item.original for item in answer.estimates if item.original is not None}


def test_every_kind_is_asked_for() -> None:
    assert {item.kind for item in asked()} == set(KINDS)


def test_a_release_that_changes_nothing_keeps_every_analysis() -> None:
    table = patients()
    found = analyse(asked(), table, table)
    for item in found.answers:
        assert item.why is None
        assert item.overlap == 1.0
        assert all(one.difference == 0 and not one.changed("sign") for one in item.estimates)


def test_estimates_are_those_of_statsmodels_by_hand() -> None:
    table = patients()
    found = analyse(asked(), table, table)
    age = table["age"].cast(pl.Float64).to_numpy()
    # The more frequent sex is the one compared with.
    common = table["sex"].value_counts(sort=True)["sex"][0]
    other = next(iter({"f", "m"} - {common}))
    is_other = (table["sex"] == other).to_numpy().astype(float)
    x = np.column_stack([np.ones(len(age)), age, is_other])
    terms = ["(intercept)", "age", f"sex = {other}"]
    cost = table["cost"].cast(pl.Float64).to_numpy()
    ill = (table["ill"] == "yes").to_numpy().astype(float)
    visits = table["visits"].cast(pl.Float64).to_numpy()
    months = table["months"].cast(pl.Float64).to_numpy()
    died = (table["died"] == "1").to_numpy().astype(float)
    models = {
        "linear": (sm.OLS(cost, x).fit(), terms),
        "logistic": (sm.Logit(ill, x).fit(disp=0), terms),
        "poisson": (sm.GLM(visits, x[:, :2], family=sm.families.Poisson()).fit(), terms[:2]),
        "cox": (sm.PHReg(months, x[:, 1:], status=died, ties="efron").fit(disp=0), terms[1:]),
    }
    for kind, (model, names) in models.items():
        figures = originals(by_kind(found, kind))
        assert list(figures) == names
        for at, name in enumerate(names):
            assert figures[name].estimate == pytest.approx(model.params[at], abs=1e-9)
            assert figures[name].low == pytest.approx(model.conf_int()[at][0], abs=1e-9)
            assert figures[name].p == pytest.approx(model.pvalues[at], abs=1e-9)
    own = table.filter(pl.col("sex") == "f")
    mean = originals(next(item for item in found.answers if item.question.name))["mean of cost, f"]
    assert mean.estimate == pytest.approx(own["cost"].cast(pl.Float64).mean())
    shares = originals(found.answers[0])
    assert shares["share of f"].estimate == pytest.approx(own.height / table.height)
    curve = sm.SurvfuncRight(
        own["months"].cast(pl.Float64).to_numpy(), (own["died"] == "1").to_numpy().astype(float)
    )
    middle = float(np.quantile(months, 0.5))
    alive = originals(by_kind(found, "kaplan-meier"))[f"without it at {middle:g}, f"].estimate
    assert alive == pytest.approx(curve.surv_prob[curve.surv_times <= middle][-1])
    classifier = by_kind(found, "classifier")
    assert classifier.figures is not None
    assert classifier.figures["original"]["zero_rule"] == pytest.approx(
        max(ill.mean(), 1 - ill.mean())
    )
    assert 0.6 < originals(classifier)["AUC"].estimate < 0.9


def test_the_overlap_is_that_of_karr_and_others() -> None:
    def overlap(one: tuple[float, float], other: tuple[float, float]) -> float:
        figures = [Figure(sum(part) / 2, *part) for part in (one, other)]
        return Estimate("x", *figures).overlap

    assert overlap((0, 2), (1, 3)) == 0.5
    assert overlap((0, 4), (1, 2)) == pytest.approx((1 / 4 + 1) / 2)
    assert overlap((0, 1), (2, 3)) == 0.0
    assert Estimate("x", Figure(1, 0, 2), None).overlap == 0.0
    change = Estimate("x", Figure(1, 0.5, 1.5, 0.01), Figure(-1, -3, 1, 0.4))
    assert change.changed("sign")
    assert change.changed("significance")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    patients().write_csv(tmp_path / "t.csv")
    (tmp_path / "p.toml").write_text(ind.Policy.from_dict(POLICY).to_toml(), encoding="utf-8")
    return tmp_path / "t.csv"


def test_they_are_told_in_json_in_compare_and_in_the_report_and_never_in_public(
    run: Any,  # noqa: F811
    table: Path,
) -> None:
    out, policy = table.parent / "out", table.parent / "p.toml"
    result = run("anonymize", table, "--policy", policy, "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["analyses"]
    assert [item["kind"] for item in told] == [item["kind"] for item in ASKED]
    assert "warning: analysis 'regressor of cost by age, sex' keeps" in result.stderr
    result = run("compare", table, out, "--policy", policy, "--json", "--queries", 10)
    compared = json.loads(result.stdout)["releases"][0]["analyses"]
    assert compared == told
    private = text_of((out / "private" / "report.html").read_text(encoding="utf-8"))
    linear = next(item for item in told if item["kind"] == "linear")
    assert f"Confidence intervals overlap by {linear['overlap']:.0%}, 50% asked" in private
    for path in (out / "report.html", out / "certificate.json"):
        public = path.read_text(encoding="utf-8")
        assert "analys" not in public.replace("Does the analysis still hold", "")
        assert "overlap" not in public


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kind": "linear", "outcome": "cost"}, "linear needs predictors"),
        ({"kind": "table"}, "table needs by or outcome"),
        ({"kind": "cox", "predictors": ["age"]}, "cox needs outcome"),
        ({"kind": "linear", "outcome": "cost", "predictors": ["age"], "by": ["sex"]}, "has no by"),
        ({"kind": "anova", "outcome": "cost"}, "anova"),
        ({"kind": "table", "by": ["sex"], "min_overlap": 2.0}, "min_overlap"),
    ],
)
def test_what_an_analysis_cannot_have_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ind.PolicyError, match=message):
        ind.Policy.from_dict(POLICY | {"analyses": [keys]})


def test_a_column_that_is_not_there_is_named() -> None:
    asked = [{"kind": "table", "by": ["sexe"]}]
    with pytest.raises(ind.PolicyError, match=r"has no column 'sexe'.*'sex'"):
        ind.anonymize(patients(), ind.Policy.from_dict(POLICY | {"analyses": asked}))


def test_what_has_no_answer_says_why() -> None:
    table = patients()
    gone = table.drop("sex")
    found = analyse(asked(), table, gone)
    assert (
        by_kind(found, "linear").why == "the release has no sex: the analysis cannot be made on it"
    )
    starred = table.with_columns(age=pl.lit("*"))
    found = analyse(asked(), table, starred)
    assert "too few records" in str(by_kind(found, "poisson").why)
    assert by_kind(found, "linear").kept is False
