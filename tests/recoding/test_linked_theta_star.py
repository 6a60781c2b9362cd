"""(theta*,k)-utility: the paper's example, and what holds for every release of the kind."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.people import (
    AGES,
    LEVELS,
    PEOPLE,
    QUASI,
    SYMPTOM,
    audited,
    linked,
    many,
    random_people,
    rows_of_table_1,
    table_1,
)

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.metadata import ValueMetadata
from indistinct.privacy.promise import Promise, promise
from indistinct.privacy.rank_variance import rank_variance_exact, theta
from indistinct.recoding.exchange import ThetaInfeasible, Widths
from indistinct.recoding.linked import LinkedPlan, LinkedSettings, LinkedTable, theta_star
from indistinct.recoding.linked.category_reduction import highest_categories

PAPER = LinkedSettings(variant="paper")


def asked(k: int = 2, **more: Any) -> Promise:
    return promise("theta-sensitive", **({"k": k, "sensitive": SYMPTOM} | more))


def lists(plan: LinkedPlan, name: str) -> list[list[str | None]]:
    """The sorted values of every bucket."""
    part = plan.buckets[name]
    ends = zip(part.indptr.tolist(), part.indptr[1:].tolist(), strict=False)
    return [[part.labels[at] for at in part.value[low:high].tolist()] for low, high in ends]


def people_of(plan: LinkedPlan) -> list[list[str]]:
    """The names of the people of every bucket."""
    names = np.array([*PEOPLE])
    return [
        names[plan.bucket_of == at].tolist() for at in range(len(next(iter(plan.buckets.values()))))
    ]


# The paper's example


def test_everybody_keeps_the_highest_category_and_the_last_record_of_it() -> None:
    plan = theta_star(table_1(), [asked()], PAPER)
    labels = plan.buckets[SYMPTOM].labels
    assert labels == LEVELS
    assert [labels[at] for at in plan.truth[SYMPTOM].tolist()] == [
        "Mild",
        "Severe",
        "High",
        "Severe",
        "Low",
        "Low",
        "A-symptomatic",
        "Low",
    ]
    history = plan.history[SYMPTOM]
    left = sorted(zip(history.person.tolist(), history.value, history.count.tolist(), strict=True))
    assert left == sorted(
        [
            (0, "Flu", 1),
            (0, "Chills", 1),
            (1, "Difficult Breathing", 1),
            (2, "Cough", 1),
            (3, "Stomach Pain", 1),
            (4, "Headache", 1),
            (4, "Tiredness", 1),
            (5, "Headache", 1),
        ]
    )


def test_repeated_records_of_the_kept_value_stay_in_the_history() -> None:
    rows = pl.concat([rows_of_table_1(), rows_of_table_1().tail(1)])
    plain = table_1()
    taxonomies = dict(plain.data.taxonomies)
    table = linked(rows, "person", taxonomies, {SYMPTOM: plain.events[SYMPTOM].known})
    history = theta_star(table, [asked()]).history[SYMPTOM]
    assert (7, "Headache", 1) in zip(
        history.person.tolist(), history.value, history.count.tolist(), strict=True
    )


def test_the_papers_buckets_come_out_person_by_person() -> None:
    plan = theta_star(table_1(), [asked()], PAPER)
    assert people_of(plan) == [["p1", "p2"], ["p3", "p4"], ["p5", "p7"], ["p6", "p8"]]
    assert lists(plan, SYMPTOM)[:3] == [
        ["Mild", "Severe"],
        ["High", "Severe"],
        ["A-symptomatic", "Low"],
    ]
    fourth = lists(plan, SYMPTOM)[3]
    assert len(fourth) == 3
    assert Counter(fourth)["Low"] == 2
    counts = plan.buckets[SYMPTOM].counts
    assert [rank_variance_exact(row) for row in counts.tolist()] == [
        Fraction(1, 4),
        Fraction(1, 4),
        Fraction(1, 4),
        Fraction(2, 9),
    ]
    assert theta(2, 0.6) == 0.15
    assert [(one.group, one.bucket) for one in plan.noise] == [(3, 3)]
    moves = plan.log["moves"]
    assert [(one["kind"], one.get("given"), one.get("taken")) for one in moves[:1]] == [
        ("swap", "Low", "A-symptomatic")
    ]
    assert moves[0]["records"] == [6, 7]
    assert [one["kind"] for one in moves] == ["swap", "noise"]
    assert plan.log["swaps"] == plan.log["noise"] == 1


def test_the_guard_moves_the_noise_to_the_bucket_before() -> None:
    own = LinkedSettings(buckets="exchanged", donors="later")
    plan = theta_star(table_1(), [asked()], own)
    assert people_of(plan) == [["p1", "p2"], ["p3", "p4"], ["p5", "p6"], ["p7", "p8"]]
    assert [one.bucket for one in plan.noise] == [2]
    everywhere = LinkedSettings(buckets="exchanged")
    assert theta_star(table_1(), [asked()], everywhere).noise == ()


def test_the_papers_quasi_table_comes_out() -> None:
    table = table_1()
    plan = theta_star(table, [asked()], PAPER)
    names = np.array([*PEOPLE])
    groups = [names[plan.quasi.class_of == at].tolist() for at in range(plan.quasi.groups)]
    assert groups == [["p1", "p5"], ["p2", "p6"], ["p3", "p7"], ["p4", "p8"]]
    rows = [
        tuple(
            texts[cell_of[at]]
            for texts, cell_of in zip(plan.quasi.texts, plan.quasi.cell_of, strict=True)
        )
        for at in range(4)
    ]
    assert rows == [
        ("[40, 42]", "[2139, 2341]", "Female"),
        ("[40, 45]", "[2545, 2548]", "Male"),
        ("45", "[2238, 2544]", "Female"),
        ("[32, 38]", "[2538, 2843]", "Male"),
    ]
    widths = Widths.of(table.data)
    classes = [np.flatnonzero(plan.quasi.class_of == at).tolist() for at in range(4)]
    assert [widths(own) / len(own) for own in classes] == pytest.approx(
        [2017 / 4576, 3559 / 9152, 153 / 352, 8189 / 9152]
    )
    assert sum(map(widths, classes)) == pytest.approx(95 / 22)
    buckets = [np.flatnonzero(plan.bucket_of == at).tolist() for at in range(4)]
    assert sum(map(widths, buckets)) == pytest.approx(11.015734265734265)


def test_beliefs_in_the_papers_release() -> None:
    plan = theta_star(table_1(), [asked()], PAPER)
    counts = plan.buckets[SYMPTOM].counts
    share = counts / counts.sum(axis=1, keepdims=True)
    rows = [
        (group, bucket) for group, bucket in zip(plan.quasi.class_of, plan.bucket_of, strict=True)
    ]
    rows += [(one.group, one.bucket) for one in plan.noise]
    belief = [
        sum(share[bucket] for group, bucket in rows if group == at)
        / sum(group == at for group, _ in rows)
        for at in range(4)
    ]
    low = LEVELS.index("Low")
    assert [own[low] for own in belief] == pytest.approx([1 / 4, 1 / 3, 1 / 4, 4 / 9])
    assert belief[3][LEVELS.index("High")] == pytest.approx(1 / 6)
    assert (np.max(belief, axis=0) <= share.max(axis=0) + 1e-12).all()


def test_a_tail_that_nobody_looks_at() -> None:
    own = LinkedSettings(variant="paper", unchecked_tails=True)
    plan = theta_star(table_1(), [asked()], own)
    assert people_of(plan) == [["p1", "p2"], ["p3", "p4"], ["p5", "p6", "p7", "p8"]]
    assert not plan.noise
    assert any("not checked" in note for note in plan.notes)
    twice = LinkedSettings(variant="paper", unchecked_tails=True)
    few = random_people(
        [(20 + at, "a", ["a1"], ["u1"]) for at in range(2)]
        + [(30, "a", ["b1"], ["u1"]), (31, "b", ["c1"], ["u1"])],
        False,
    )
    with pytest.raises(PolicyError, match="unchecked_tails"):
        LinkedSettings(unchecked_tails=True)
    assert len(theta_star(few, [asked(2, sensitive="ill")], twice).buckets["ill"]) == 1


def test_safe_release_of_the_example_needs_no_noise() -> None:
    promises = [asked(), promise("max-posterior", bound=0.5, sensitive=SYMPTOM)]
    table = table_1()
    plan = theta_star(table, promises, LinkedSettings(seed=4))
    assert plan.noise == ()
    assert len(plan.buckets[SYMPTOM]) == 4
    assert audited(plan, [*promises, promise("k-anonymity", k=2)], QUASI).holds
    again = theta_star(table, promises, LinkedSettings(seed=4))
    assert again.bucket_of.tolist() == plan.bucket_of.tolist()
    assert again.quasi.class_of.tolist() == plan.quasi.class_of.tolist()
    others = [theta_star(table, promises, LinkedSettings(seed=at)).bucket_of for at in range(9)]
    assert any(other.tolist() != plan.bucket_of.tolist() for other in others)


def test_no_text_tells_of_a_person() -> None:
    plan = theta_star(table_1(), [asked()], LinkedSettings(keep_history="generalized"))
    told = str(plan.to_dict()) + " ".join(plan.notes)
    assert not any(value in told for value in (*PEOPLE, "Flu", "2139", "Headache"))


# What cannot be done


def test_too_few_categories_are_told_before_any_work() -> None:
    with pytest.raises(ThetaInfeasible, match="at most 6"):
        theta_star(table_1(), [asked(7)])
    with pytest.raises(ThetaInfeasible, match="at most"):
        theta_star(table_1(), [asked(20)], PAPER)


def test_noise_is_limited() -> None:
    people = [(20 + at % 30, "abcd"[at % 4], ["a1"], ["u1"]) for at in range(40)]
    people += [(20, "a", ["b1"], ["u1"])]
    table = random_people(people, False)
    wanted = [
        asked(2, sensitive="ill"),
        promise("max-posterior", bound=0.99, sensitive="ill"),
    ]
    plan = theta_star(table, wanted)
    assert plan.noise
    assert audited(plan, wanted, ("age", "place")).holds
    with pytest.raises(ThetaInfeasible, match="are allowed") as told:
        theta_star(table, wanted, LinkedSettings(max_noise=1))
    assert told.value.problems[0].code == "theta-max-noise"
    with pytest.raises(ThetaInfeasible):
        theta_star(table, wanted, LinkedSettings(max_noise=0))
    with pytest.raises(ThetaInfeasible):
        theta_star(table, [asked(2, sensitive="ill")], LinkedSettings(variant="paper", max_noise=0))


def test_categories_are_needed_in_order() -> None:
    rows = rows_of_table_1()
    taxonomies = dict(table_1().data.taxonomies)
    for known in (ValueMetadata(), ValueMetadata(categories=dict.fromkeys(PEOPLE, "Low"))):
        with pytest.raises(PolicyError, match="categories"):
            theta_star(linked(rows, "person", taxonomies, {SYMPTOM: known}), [asked()])
    some = ValueMetadata(categories={"Flu": "Low"}, category_order=("Low", "High"))
    with pytest.raises(PolicyError) as told:
        theta_star(linked(rows, "person", taxonomies, {SYMPTOM: some}), [asked()])
    assert told.value.problems[0].code == "value-without-category"
    assert "Headache" not in str(told.value)


def test_what_is_asked_must_fit() -> None:
    with pytest.raises(PolicyError, match="no promise requires"):
        theta_star(table_1(), [promise("k-anonymity", k=2)])
    with pytest.raises(PolicyError, match="not there"):
        theta_star(table_1(), [asked(sensitive="other")])
    far = promise("t-closeness", t=0.3, distance="hierarchical", sensitive=SYMPTOM)
    with pytest.raises(PolicyError):
        theta_star(table_1(), [asked(), far])
    for wrong in (
        {"variant": "sfe"},
        {"quasi": "mdav"},
        {"buckets": "dealed"},
        {"donors": "some"},
        {"keep_history": True},
        {"max_noise": 1.5},
        {"max_noise": -1},
    ):
        with pytest.raises(PolicyError):
            LinkedSettings(**wrong)  # type: ignore[arg-type]


def test_the_papers_buckets_may_break_what_rank_variance_does_not_see() -> None:
    wanted = [asked(), promise("max-posterior", bound=0.5, sensitive=SYMPTOM)]
    with pytest.raises(Unsatisfiable, match="breaks a promise"):
        theta_star(table_1(), wanted, PAPER)
    assert theta_star(table_1(), wanted).noise == ()


# Every release


def kept(plan: LinkedPlan, table: LinkedTable, k: int) -> None:
    """What holds for every plan: sizes, that everybody is there once, and what buckets list."""
    there = plan.quasi.class_of >= 0
    assert ((plan.bucket_of >= 0) == there).all()
    assert np.bincount(plan.quasi.class_of[there], minlength=1).min() >= k
    for name, part in plan.buckets.items():
        noise = np.bincount([one.bucket for one in plan.noise], minlength=len(part))
        people = np.bincount(plan.bucket_of[there], minlength=len(part)) + noise
        assert people.min() >= k
        assert (part.counts <= people[:, None]).all()
        own = highest_categories(table).code[name]
        assert plan.truth[name][there].tolist() == own[there].tolist()
        listed = part.counts
        if part.holding == "one":
            assert listed.sum(axis=1).tolist() == people.tolist()
            real = np.zeros_like(listed)
            np.add.at(real, (plan.bucket_of[there], own[there]), 1)
            assert ((listed - real).sum(axis=1) == noise).all()
            assert (listed >= real).all()
        records = table.events[name].count.sum()
        assert plan.history[name].count.sum() == records - there.sum()
    assert all(0 <= one.group < plan.quasi.groups for one in plan.noise)


def believed(plan: LinkedPlan, name: str) -> None:
    """No belief of a class exceeds the largest share of a bucket."""
    part = plan.buckets[name]
    noise = np.bincount([one.bucket for one in plan.noise], minlength=len(part))
    people = np.bincount(plan.bucket_of[plan.bucket_of >= 0], minlength=len(part)) + noise
    share = part.counts / people[:, None]
    group = np.concatenate([plan.quasi.class_of, [one.group for one in plan.noise]]).astype(int)
    bucket = np.concatenate([plan.bucket_of, [one.bucket for one in plan.noise]]).astype(int)
    for at in range(plan.quasi.groups):
        belief = share[bucket[group == at]].mean(axis=0)
        assert (belief <= share.max(axis=0) + 1e-12).all()


@settings(max_examples=60)
@given(
    many(),
    st.integers(2, 6),
    st.sampled_from([None, "k-member", "mondrian"]),
    st.sampled_from([False, "generalized"]),
    st.sampled_from([None, 0.4, 0.5]),
    st.integers(0, 5),
)
def test_safe_releases_keep_what_is_promised(
    table: LinkedTable, k: int, quasi: Any, history: Any, bound: float | None, seed: int
) -> None:
    wanted = [asked(k, sensitive="ill"), promise("k-anonymity", k=3)]
    if bound is not None:
        wanted.append(promise("max-posterior", bound=bound, sensitive="ill"))
    own = LinkedSettings(quasi=quasi, keep_history=history, seed=seed)
    try:
        plan = theta_star(table, wanted, own)
    except Unsatisfiable:
        return
    kept(plan, table, max(k, 3))
    believed(plan, "ill")
    assert audited(plan, wanted, ("age", "place")).holds
    assert (plan.buckets["ill"].holding == "some") or not history or len(plan.notes) == 1


@settings(max_examples=40)
@given(many(), st.integers(2, 5), st.booleans(), st.booleans())
def test_releases_by_exchange_keep_theta(
    table: LinkedTable, k: int, paper: bool, every: bool
) -> None:
    wanted = [asked(k, sensitive="ill")]
    own = LinkedSettings(
        variant="paper" if paper else "safe",
        buckets="exchanged",
        donors="all" if every else "later",
        quasi="k-member",
    )
    try:
        plan = theta_star(table, wanted, own)
    except Unsatisfiable:
        return
    kept(plan, table, k)
    believed(plan, "ill")
    assert audited(plan, wanted, ("age", "place")).holds


@settings(max_examples=40)
@given(many(least=12, jobs=True), st.integers(2, 4), st.sampled_from([False, "generalized"]))
def test_several_attributes_at_once(table: LinkedTable, k: int, history: Any) -> None:
    wanted = [
        asked(k, sensitive="ill"),
        asked(2, sensitive="job"),
        promise("max-posterior", bound=0.6, sensitive="ill"),
        promise("max-posterior", bound=0.7, sensitive="job"),
    ]
    try:
        plan = theta_star(table, wanted, LinkedSettings(keep_history=history))
    except Unsatisfiable:
        return
    kept(plan, table, k)
    assert audited(plan, wanted, ("age", "place")).holds


@settings(max_examples=25)
@given(many(least=20), st.sampled_from(["published", "original"]))
def test_promises_that_compare_are_kept(table: LinkedTable, reference: str) -> None:
    wanted = [
        asked(2, sensitive="ill"),
        promise("t-closeness", t=0.4, sensitive="ill", reference=reference),
        promise("entropy-l-diversity", l=1.5, sensitive="ill"),
    ]
    try:
        plan = theta_star(table, wanted)
    except Unsatisfiable:
        return
    assert audited(plan, wanted, ("age", "place")).holds


def test_history_is_published_where_the_promises_hold_for_it() -> None:
    people = [
        (20 + at % 40, "abcd"[at % 4], [f"{'abcde'[at % 5]}1", f"{'abcde'[at * 3 % 5]}2"], ["u1"])
        for at in range(100)
    ]
    table = random_people(people, False)
    wanted = [asked(4, sensitive="ill"), promise("max-posterior", bound=0.5, sensitive="ill")]
    plan = theta_star(table, wanted, LinkedSettings(keep_history="generalized"))
    assert plan.buckets["ill"].holding == "some"
    assert plan.notes == ()
    assert audited(plan, wanted, ("age", "place")).holds
    had = [len({value[0] for value in ills}) for _, _, ills, _ in people]
    assert plan.buckets["ill"].counts.sum() == sum(had)
    # Everybody has a category in common: it cannot be told of all.
    common = random_people(
        [(age, place, [*ills, "a2"], job) for age, place, ills, job in people], False
    )
    plain = theta_star(common, wanted, LinkedSettings(keep_history="generalized"))
    assert plain.buckets["ill"].holding == "one"
    assert "keep_history" in plain.notes[0]


def test_many_people_get_mondrian_and_are_told() -> None:
    random = np.random.default_rng(1)
    people = [
        (int(age), str(place), [f"{ill}1"], ["u1"])
        for age, place, ill in zip(
            random.integers(20, 60, 600), random.choice([*"abcd"], 600),
            random.choice([*"abcde"], 600, p=[0.35, 0.3, 0.25, 0.07, 0.03]), strict=True,
        )
    ]  # fmt: skip
    table = random_people(people, False)
    from indistinct.recoding.linked import quasi_table

    wanted = [asked(4, sensitive="ill"), promise("max-posterior", bound=0.5, sensitive="ill")]
    few = pytest.MonkeyPatch()
    few.setattr(quasi_table, "MOST_CLUSTERED", 500)
    try:
        plan = theta_star(table, wanted)
        with pytest.raises(PolicyError, match="mondrian"):
            theta_star(table, wanted, LinkedSettings(variant="paper", quasi="k-member"))
    finally:
        few.undo()
    assert plan.log["quasi"] == "mondrian"
    assert "500 people" in plan.notes[0]
    assert plan.noise == ()
    kept(plan, table, 4)
    # Buckets need four of the five categories, one of the two rare ones among them.
    rare = int(plan.buckets["ill"].counts[:, 3:].sum())
    assert 0.9 * rare <= len(plan.buckets["ill"]) <= rare < 600 / 4


def test_suppressed_people_are_in_no_bucket() -> None:
    people = [(20 + at % 8, "a", [f"{'abcde'[at % 5]}1"], ["u1"]) for at in range(40)]
    people += [(59, "d", ["a1"], ["u1"])]
    table = random_people(people, False)
    own = LinkedSettings(quasi="mondrian", suppression_limit=0.1)
    plan = theta_star(table, [asked(4, sensitive="ill")], own)
    kept(plan, table, 4)
    assert plan.suppressed.tolist() == (plan.quasi.class_of < 0).tolist()


def test_progress_is_told() -> None:
    seen: list[float] = []
    theta_star(table_1(), [asked()], LinkedSettings(), seen.append)
    assert seen[-1] == 1.0
    assert seen == sorted(seen)
    seen.clear()
    theta_star(table_1(), [asked()], PAPER, seen.append)
    assert seen[-1] == 1.0


def test_noise_is_spread_over_the_classes() -> None:
    people = [(20 + at % 8, "a", ["a1"], ["u1"]) for at in range(24)]
    table = random_people([*people, (30, "a", ["b1"], ["u1"])], False)
    wanted = [asked(2, sensitive="ill"), promise("max-posterior", bound=0.97, sensitive="ill")]
    plan = theta_star(table, wanted, LinkedSettings(seed=2))
    homes = Counter(one.group for one in plan.noise)
    assert plan.noise
    assert max(homes.values()) <= -(-len(plan.noise) // plan.quasi.groups)


def test_nobody_is_left() -> None:
    wanted = [asked(), promise("k-anonymity", k=9)]
    own = LinkedSettings(suppression_limit=1.0)
    plan = theta_star(table_1(), wanted, own)
    assert plan.suppressed.all()
    assert len(plan.buckets[SYMPTOM]) == 0
    assert plan.history[SYMPTOM].count.sum() == 16
    paper = LinkedSettings(suppression_limit=1.0, quasi="mondrian", variant="paper")
    assert theta_star(table_1(), wanted, paper).suppressed.all()


def _in_a_population(others: int) -> LinkedTable:
    """People of three ages of whom nearly all have one illness, in a population of that size."""
    rows = pl.DataFrame(
        [(str(at), str(20 + at % 3), "a1" if at % 12 else "b1") for at in range(24)],
        schema=["person", "age", "ill"],
        orient="row",
    )
    known = random_people([(20, "a", ["a1"], ["u1"])], False).events["ill"].known
    population = pl.DataFrame({"age": [str(20 + at % 3) for at in range(24 + others)]})
    return linked(rows, "person", {"age": AGES}, {"ill": known}, population)


def test_made_up_people_break_no_promise_about_a_population() -> None:
    wanted = [
        asked(2, sensitive="ill"),
        promise("max-posterior", bound=0.97, sensitive="ill"),
        promise("k-map", k=2),
        promise("delta-presence", lower=0.0, upper=0.9),
    ]
    plan = theta_star(_in_a_population(12), wanted)
    assert plan.noise
    size = np.bincount(plan.quasi.class_of[:24], minlength=plan.quasi.groups)
    size += np.bincount([one.group for one in plan.noise], minlength=plan.quasi.groups)
    assert (size <= 0.9 * 36).all()
    # With hardly anybody else a made-up person more is one too many everywhere.
    with pytest.raises(Unsatisfiable, match="no class for them"):
        theta_star(_in_a_population(3), wanted)


def test_a_population_is_counted_by_mondrian_too() -> None:
    wanted = [
        asked(2, sensitive="ill"),
        promise("max-posterior", bound=0.97, sensitive="ill"),
        promise("delta-presence", lower=0.0, upper=0.9),
    ]
    plan = theta_star(_in_a_population(12), wanted, LinkedSettings(quasi="mondrian"))
    size = np.bincount(plan.quasi.class_of[:24], minlength=plan.quasi.groups)
    size += np.bincount([one.group for one in plan.noise], minlength=plan.quasi.groups)
    assert plan.noise
    # A class holds one to three of the ages, each of which a dozen of the population have.
    ages = np.zeros(plan.quasi.groups)
    for group in plan.quasi.class_of[:3].tolist():
        ages[group] += 12
    assert (size <= 0.9 * ages).all()
    assert (plan.bucket_of[24:] == -1).all()


def test_what_exchange_cannot_mend_is_told() -> None:
    people = [(20, "a", ["a1"], ["u1"])] * 2 + [(21, "b", ["b1"], ["u1"])]
    table = random_people(people, False)
    wanted = [asked(2, sensitive="ill", theta="size")]
    with pytest.raises(ThetaInfeasible, match="1 of 1 bucket cannot"):
        theta_star(table, wanted, PAPER)


def test_history_is_not_published_beside_unchecked_tails() -> None:
    own = LinkedSettings(variant="paper", unchecked_tails=True, keep_history="generalized")
    plan = theta_star(table_1(), [asked()], own)
    assert plan.buckets[SYMPTOM].holding == "one"
    assert any("keep_history" in note for note in plan.notes)
    share = LinkedSettings(max_noise=0.25, variant="paper")
    assert len(theta_star(table_1(), [asked()], share).noise) == 1


def test_what_is_compared_with_goes_with_the_release() -> None:
    near = promise("t-closeness", t=0.9, sensitive=SYMPTOM, reference="original")
    plan = theta_star(table_1(), [asked(), near])
    assert plan.known[SYMPTOM].reference == {
        "A-symptomatic": 1.0,
        "Low": 3.0,
        "Mild": 1.0,
        "High": 1.0,
        "Severe": 2.0,
    }
