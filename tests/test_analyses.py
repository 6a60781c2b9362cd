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
from indistinct.analytics.release_view import ReleaseView, Sought
from indistinct.analytics.utility.analyses import (
    KINDS,
    Analyses,
    Answer,
    Estimate,
    Figure,
    Question,
    analyse,
)
from indistinct.document import share
from indistinct.intake.opening import open_table
from indistinct.intake.run import Run
from indistinct.metadata import ValueMetadata
from indistinct.pipeline.analyses import analysed, columns_of, questions_of
from indistinct.randomness import simulation

stats = pytest.importorskip("scipy.stats")
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
            assert figures[name].low == pytest.approx(model.conf_int()[at][0], abs=1e-6)
            assert figures[name].p == pytest.approx(model.pvalues[at], abs=1e-6)
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


def test_codes_that_the_policy_calls_categories_have_a_coefficient_each() -> None:
    table = patients().with_columns(race=pl.Series([str(1 + at % 4) for at in range(600)]))
    attributes = {"race": {"role": "quasi-identifier", "type": "category"}}
    wanted = [{"kind": "linear", "outcome": "cost", "predictors": ["age", "race"]}]
    policy = ind.Policy.from_dict(
        POLICY | {"attributes": POLICY["attributes"] | attributes, "analyses": wanted}
    )
    joined = table.with_columns(race=pl.col("race").replace({"3": "{3, 4}", "4": "{3, 4}"}))
    found = analyse(questions_of(policy), table, joined).answers[0]
    terms = {item.term: item.release is not None for item in found.estimates}
    assert {"age", "race = 2", "race = 3", "race = 4", "race = {3, 4}"} == set(terms) - {
        "(intercept)"
    }
    assert terms["race = 2"]
    assert not terms["race = 3"]


def test_a_set_of_categories_is_read_as_equal_parts_of_each() -> None:
    table = patients().with_columns(race=pl.Series([str(1 + at % 3) for at in range(600)]))
    attributes = {"race": {"role": "quasi-identifier", "type": "category"}}
    wanted = [{"kind": "linear", "outcome": "cost", "predictors": ["race"]}]
    policy = ind.Policy.from_dict(
        POLICY | {"attributes": POLICY["attributes"] | attributes, "analyses": wanted}
    )
    some = pl.int_range(600) % 5 == 0
    half = pl.when(some & (pl.col("race") != "1")).then(pl.lit("{2, 3}")).otherwise("race")
    release = table.with_columns(race=half)
    found = analyse(questions_of(policy), table, release).answers[0]
    assert {item.term for item in found.estimates} == {"(intercept)", "race = 2", "race = 3"}
    of = {code: (release["race"] == code).cast(float).to_numpy() for code in ("2", "3", "{2, 3}")}
    design = np.column_stack([np.ones(600), *(of[code] + of["{2, 3}"] / 2 for code in ("2", "3"))])
    cost = table["cost"].cast(pl.Float64).to_numpy()
    solved = np.linalg.lstsq(design, cost, rcond=None)[0]
    by_term = {item.term: item.release for item in found.estimates}
    for term, value in zip(("(intercept)", "race = 2", "race = 3"), solved, strict=True):
        assert by_term[term].estimate == pytest.approx(value)  # type: ignore[union-attr]
    assert found.overlap is not None
    assert found.overlap > 0.8
    wanted = [
        {"kind": "table", "by": ["race"]},
        {"kind": "table", "outcome": "cost", "by": ["race"]},
        {"kind": "kaplan-meier", "outcome": "months", "event": "died", "by": ["race"]},
    ]
    policy = ind.Policy.from_dict(
        POLICY | {"attributes": POLICY["attributes"] | attributes, "analyses": wanted}
    )
    shares, means, curves = analyse(questions_of(policy), table, release).answers
    weight = of["2"] + of["{2, 3}"] / 2
    estimates = {item.term: item.release for item in (*shares.estimates, *means.estimates)}
    assert set(estimates) == {
        f"{what} {code}" for what in ("share of", "mean of cost,") for code in "123"
    }
    assert estimates["share of 2"].estimate == pytest.approx(weight.mean())  # type: ignore[union-attr]
    mean = estimates["mean of cost, 2"]
    assert mean is not None
    assert mean.estimate == pytest.approx(np.average(cost, weights=weight))
    assert shares.records == curves.records == (600, 600)
    assert curves.overlap is not None
    assert curves.overlap > 0.8


def test_records_count_as_often_as_their_sampling_weights_say() -> None:
    """An analysis of weighted records is that of as many equal ones, but for its intervals."""
    table = patients().with_columns(wt=pl.Series([str(1 + at % 3) for at in range(600)]))
    asked = [
        {"kind": "logistic", "outcome": "ill", "predictors": ["age", "sex"]},
        {"kind": "linear", "outcome": "cost", "predictors": ["age"]},
        {"kind": "table", "outcome": "cost", "by": ["sex"]},
        {"kind": "table", "by": ["sex"]},
        {"kind": "kaplan-meier", "outcome": "months", "event": "died", "by": ["sex"]},
        {"kind": "cox", "outcome": "months", "event": "died", "predictors": ["age"]},
    ]
    often = pl.col("wt").cast(pl.Int64)
    repeated = table.with_columns(times=often).select(pl.exclude("times").repeat_by("times"))
    repeated = repeated.explode(pl.all())
    weighted = ind.Policy.from_dict(
        POLICY | {"analyses": [{**one, "weight": "wt"} for one in asked]}
    )
    plain = ind.Policy.from_dict(POLICY | {"analyses": asked})
    found = analyse(questions_of(weighted), table, table).answers
    whole = analyse(questions_of(plain), repeated, repeated).answers
    for one, other in zip(found, whole, strict=True):
        assert one.why is None
        assert one.records == (600, 600)
        assert other.records == (repeated.height, repeated.height)
        assert one.overlap == pytest.approx(1.0)
        mine, theirs = originals(one), originals(other)
        exact = 1e-2 if one.question.kind == "cox" else 1e-6  # ties by Breslow, and by Efron
        for term in mine.keys() & theirs.keys():
            assert mine[term].estimate == pytest.approx(theirs[term].estimate, rel=exact, abs=1e-9)
    assert set(originals(found[0])) == set(originals(whole[0]))


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
    lines = run("anonymize", table, "--policy", policy, "--out", out).stdout.splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("analysis "))
    assert [line.split("  ")[0] for line in lines[at + 1 :]][: len(told)] == [
        item["name"] for item in told
    ]
    assert [item["kind"] for item in told] == [item["kind"] for item in ASKED]
    assert "warning: analysis 'regressor of cost by age, sex' keeps" in result.stderr
    result = run("compare", table, out, "--policy", policy, "--json", "--queries", 10)
    compared = json.loads(result.stdout)["releases"][0]["analyses"]
    assert compared == told
    private = text_of((out / "private" / "report.html").read_text(encoding="utf-8"))
    linear = next(item for item in told if item["kind"] == "linear")
    assert f"Confidence intervals overlap by {share(linear['overlap'])}, 50% asked" in private
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


def test_a_value_that_is_not_there_is_refused_and_not_printed() -> None:
    asked = [{"kind": "logistic", "outcome": "ill", "positive": "ja", "predictors": ["age"]}]
    with pytest.raises(ind.PolicyError, match="positive is 'ja', and 'ill' has no such value"):
        ind.anonymize(patients(), ind.Policy.from_dict(POLICY | {"analyses": asked}))


def test_an_outcome_that_predictors_foretell_is_no_estimate() -> None:
    table = patients().with_columns(ill=pl.when(pl.col("sex") == "f").then(pl.lit("a")))
    one = table.with_columns(pl.col("ill").fill_null("b"))
    asked = [Question("logistic", outcome="ill", predictors=("sex",))]
    found = analyse(asked, one, one).answers[0]
    assert "could not be fitted" in str(found.why)
    found = analyse(asked, one, table.with_columns(ill=pl.lit("a"))).answers[0]
    assert found.why == "'ill' has one of its two outcomes alone on the release"


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


LINKED_POLICY: dict[str, Any] = {
    "source": {"person": "patient"},
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
    },
    "promises": [
        {"model": "k-anonymity", "k": 2},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
    ],
    "method": {"algorithm": "p-l-angelization", "seed": 1},
    "analyses": [
        {"kind": "table", "by": ["sex", "ill"]},
        {"kind": "table", "outcome": "age", "by": ["ill"]},
        {"kind": "linear", "outcome": "age", "predictors": ["ill", "sex"]},
        {"kind": "logistic", "outcome": "ill", "positive": "gout", "predictors": ["age"]},
        {"kind": "poisson", "outcome": "age", "predictors": ["ill"]},
        {
            "kind": "cox",
            "outcome": "age",
            "event": "ill",
            "positive": "gout",
            "predictors": ["sex"],
        },
        {"kind": "kaplan-meier", "outcome": "age", "event": "ill", "positive": "gout"},
        {"kind": "classifier", "outcome": "ill", "positive": "gout", "predictors": ["age"]},
        {"kind": "regressor", "outcome": "age", "predictors": ["ill"]},
    ],
}


def linked_tables(people: int = 60) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """People with one value each, and two tables of buckets of two and of three of them."""
    draw = simulation(3)
    age = draw.integers(20, 60, people)
    ill = np.where(draw.random(people) < age / 80, "gout", np.where(age % 2 == 0, "cold", "flu"))
    table = pl.DataFrame(
        {
            "patient": [f"p{at}" for at in range(people)],
            "age": age.astype(str),
            "sex": np.where(draw.random(people) < 0.5, "f", "m"),
            "ill": ill,
        }
    )
    bucket = np.concatenate([np.arange(30) // 2, 15 + np.arange(people - 30) // 3])
    quasi = table.select("age", "sex", bucket=pl.Series(bucket))
    return table, {"quasi": quasi, "sensitive": table.select(bucket=pl.Series(bucket), ill="ill")}


def linked_answers(
    policy: dict[str, Any], table: pl.DataFrame, release: Any, known: Any = None
) -> dict[str, Answer]:
    begun = Run.begin(ind.Policy.from_dict(policy))
    texts = columns_of(begun.policy, open_table(table, "t"))
    assert texts is not None
    view = ReleaseView.read(release, Sought(quasi=("age", "sex")))
    found = analysed(begun, texts, view, known or {})
    return {item.question.title: item for item in found.answers}


def test_linked_tables_are_read_with_every_value_of_the_bucket_as_if_people_were_repeated() -> None:
    table, release = linked_tables()
    found = linked_answers(LINKED_POLICY, table, release)
    assert {item.question.kind for item in found.values()} == set(KINDS)
    assert all(item.why is None and item.records == (60, 60) for item in found.values())
    # By hand: everybody six times, with each value of a bucket of two or three equally often.
    rows = []
    for person in release["quasi"].iter_rows(named=True):
        listed = release["sensitive"].filter(bucket=person["bucket"])["ill"].to_list()
        rows += [(*person.values(), ill) for ill in listed * (6 // len(listed))]
    six = pl.DataFrame(rows, ["age", "sex", "bucket", "ill"], orient="row")
    age, gout = six["age"].cast(pl.Float64).to_numpy(), (six["ill"] == "gout").to_numpy()

    def is_other(name: str) -> list[tuple[str, Any]]:
        common = table[name].value_counts(sort=True)[name][0]
        others = sorted(set(table[name]) - {common})
        return [(f"{name} = {one}", (six[name] == one).to_numpy().astype(float)) for one in others]

    ones = ("(intercept)", np.ones(len(age)))
    asked = {
        "linear": (sm.OLS, age, [ones, *is_other("ill"), *is_other("sex")], {}),
        "logistic": (sm.Logit, gout.astype(float), [ones, ("age", age)], {}),
        "poisson": (sm.Poisson, age, [ones, *is_other("ill")], {}),
        "cox": (sm.PHReg, age, is_other("sex"), {"status": gout, "ties": "breslow"}),
    }
    for kind, (model, outcome, terms, more) in asked.items():
        fitted = model(outcome, np.column_stack([one for _, one in terms]), **more).fit(disp=0)
        degrees = (len(age) - len(terms)) / (60 - len(terms)) if kind == "linear" else 6
        answer = next(item for item in found.values() if item.question.kind == kind)
        figures = {item.term: item.release for item in answer.estimates}
        assert set(figures) == {name for name, _ in terms}
        for at, (name, _) in enumerate(terms):
            figure = figures[name]
            assert figure is not None
            assert figure.estimate == pytest.approx(fitted.params[at], abs=1e-6)
            width = stats.t.ppf(0.975, 60 - len(terms)) if kind == "linear" else 1.959963984540054
            error = fitted.bse[at] * np.sqrt(degrees)
            assert figure.high - figure.estimate == pytest.approx(width * error, rel=1e-4)
    shares = {item.term: item.release for item in found["table by sex, ill"].estimates}
    counted = six.group_by("sex", "ill").len()
    for sex, ill, count in counted.iter_rows():
        assert shares[f"share of {sex}, {ill}"].estimate == pytest.approx(count / six.height)
    means = {item.term: item.release for item in found["table of age by ill"].estimates}
    assert means["mean of age, gout"].estimate == pytest.approx(age[gout].mean())
    curve = sm.SurvfuncRight(age, gout.astype(float))
    for item in found["kaplan-meier of age"].estimates:
        at = curve.surv_times <= float(item.term.removeprefix("without it at "))
        assert item.release.estimate == pytest.approx(curve.surv_prob[at][-1])
        assert item.release.high - item.release.estimate == pytest.approx(
            1.959963984540054 * curve.surv_prob_se[at][-1] * np.sqrt(6)
        )


def test_people_with_several_values_count_with_each_and_sets_are_somebodys_who_has_them_all() -> (
    None
):
    table = linked_tables()[0]
    more = table.filter(pl.col("ill") == "cold").with_columns(ill=pl.lit("flu"))
    table = pl.concat([table, more, more])
    policy = LINKED_POLICY | {"analyses": [{"kind": "table", "by": ["ill"]}]}
    release = ind.anonymize(table, ind.Policy.from_dict(policy))
    assert any("{" in text for text in release.tables["sensitive"]["ill"])
    told = release.private["analyses.json"]["analyses"][0]
    assert told["records"] == {"original": 60 + more.height, "release": 60 + more.height}
    pairs = table.unique()
    for item in told["estimates"]:
        own = pairs.filter(ill=item["term"].removeprefix("share of ")).height
        assert item["original"]["estimate"] == pytest.approx(own / pairs.height)
        assert item["release"] == pytest.approx(item["original"])


def test_values_are_read_as_categories_where_buckets_list_these() -> None:
    table, release = linked_tables()
    about = ValueMetadata(
        categories={"cold": "mild", "flu": "mild", "gout": "lasting"},
        category_order=("mild", "lasting"),
    )
    both = table.filter(pl.col("ill") == "gout").with_columns(ill=pl.lit("flu"))
    listed = release["sensitive"].with_columns(pl.col("ill").replace(about.categories))
    policy = LINKED_POLICY | {"analyses": [{"kind": "table", "by": ["ill"]}]}
    found = linked_answers(
        policy, pl.concat([table, both]), release | {"sensitive": listed}, {"ill": about}
    )["table by ill"]
    assert found.overlap == pytest.approx(1.0)
    # Everybody's most sensitive category is what a bucket lists once for everybody.
    assert found.records == (60, 60)
