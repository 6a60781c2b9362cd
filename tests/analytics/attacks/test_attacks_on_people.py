"""Attackers of people with many records: for each a release that it wins, and one that resists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.analytics.attacks.contexts import of_records
from tests.analytics.attacks.people_contexts import (
    CATEGORIES,
    QUASI,
    SYMPTOMS,
    TABLE_1,
    lists,
    of_lists,
    of_people,
    partial_cut,
    table_1,
    table_12,
    taxonomies,
)

from indistinct.analytics.attacks import (
    Finding,
    Skipped,
    background_exclusion,
    categorical_similarity,
    composition,
    corruption,
    down_coding,
    fingerprint_correlation,
    homogeneity,
    learned_correlation,
    membership,
    noise_stripping,
    non_membership,
    order,
    presence,
    record_linkage,
    sensitive_variance,
    skewness,
    vertical,
    worst_posterior,
)
from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.subtraction import left_over
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.requirement import Requirement

PROMISED = (
    Requirement("k-anonymity", {"k": 2}, unit="person"),
    Requirement("theta-sensitive", {"k": 2, "mu": 0.6}, sensitive="s", unit="person"),
)
KINDS = ValueMetadata(
    categories={"flu": "mild", "cold": "mild", "HIV": "grave", "cancer": "grave"},
    category_order=("mild", "grave"),
)


def won(found: Finding | Skipped) -> Finding:
    assert isinstance(found, Finding)
    return found


def skipped(found: Finding | Skipped) -> Skipped:
    assert isinstance(found, Skipped)
    return found


def resisted(found: Finding | Skipped) -> Finding:
    finding = won(found)
    assert finding.success["certain"] == 0
    assert finding.gain["max"] <= 1e-9
    return finding


def in_table_1(cut: bool) -> AttackContext:
    """A row for everybody of Table 1, symptoms as they are or generalized where they can be."""
    people, values = table_1(), [own for _, own in TABLE_1.values()]
    published: list[Any] = [sorted(partial_cut(own, CATEGORIES)) if cut else own for own in values]
    return of_lists(
        quasi=QUASI,
        sensitive=("s",),
        people=people,
        values={"s": lists(values)},
        rows=people,
        bucket_of=np.arange(len(values), dtype=np.int32),
        buckets={"s": lists(published)},
        semantics="all",
        taxonomies=taxonomies(people),
        known={"s": SYMPTOMS},
    )


# Who somebody is


def test_rows_are_people_however_many_records_they_have() -> None:
    many = [[f"v{number}" for number in range(9)], ["v0"]]
    found = won(record_linkage.run(of_people([many]), "s"))
    assert found.success["0.5"] == 1
    assert found.success["certain"] == 0
    assert found.figures["prosecutor_highest"] == 0.5
    assert found.worst["people"] == 2
    assert "at least 2 people" in found.note
    alone = won(record_linkage.run(of_people([[["a", "b", "c"]]]), "s"))
    assert alone.success["certain"] == 1
    assert "1 of 1 person is found for certain" in alone.note


def test_presence_compares_people() -> None:
    scene = of_people([[["a", "b"], ["c"]], [["a"], ["b"]]])
    assert "population" in skipped(presence.run(scene, "s")).why
    around = pl.DataFrame({"q": ["0.0", "0.1", "1.0", "1.1", "1.1", "1.0"]})
    found = won(presence.run(replace(scene, places=replace(scene.places, population=around)), "s"))
    assert found.figures["delta_highest"] == 1
    assert found.figures["delta_lowest"] == 0.5
    assert found.success["certain"] == 0.5
    assert found.worst["people"] == 2


def test_tight_cells_of_the_quasi_table_tell_more_than_they_cover() -> None:
    found = won(down_coding.run(table_12(), "s"))
    assert found.figures["sharpened"] > 0.5
    ages = Taxonomy("q", [[str(age), "20+", "*"] for age in range(20, 30)])
    whole = of_lists(
        quasi=("q",),
        sensitive=(),
        people=pl.DataFrame({"q": ["22", "23"]}),
        values={},
        rows=pl.DataFrame({"q": ["20+", "20+"]}),
        bucket_of=np.zeros(2, np.int32),
        buckets={},
        semantics="one",
        taxonomies={"q": ages},
    )
    assert won(down_coding.run(whole)).figures["sharpened"] == 0
    nobody = replace(
        whole,
        places=replace(whole.places, rows=whole.places.rows.head(0)),
        bucket_of=np.zeros(0, np.int32),
    )
    assert "nothing is published" in skipped(down_coding.run(nobody)).why


# What somebody has


def test_membership() -> None:
    weak = of_people([[["HIV", "flu"], ["HIV", "cold"]], [["flu"], ["cold"]]])
    found = won(membership.run(weak, "s"))
    assert found.success["certain"] == 0.5
    assert found.figures["value_gain_max"] == 0.5
    assert won(membership.run(table_12(), "s")).success["0.5"] == 0
    same = of_people([[["a"], ["b"]], [["a"], ["b"]]])
    resisted(membership.run(same, "s"))


def test_membership_tells_who_is_misled() -> None:
    # Both rows that the second person could stand in say that he has what he has not.
    scene = of_people([[["a"], ["b"]]], published=[["a"], ["a"]], bucket_of=[0, 1], semantics="one")
    found = won(membership.run(scene, "s"))
    assert found.figures["misled"] == 0.5
    assert found.success["certain"] == 0.5


def test_membership_misleads_nobody_about_a_missing_value_that_is_there() -> None:
    found = won(membership.run(of_people([[["a", None], ["b", None]]]), "s"))
    assert found.figures["misled"] == 0
    assert found.success["certain"] == 0
    without = of_people([[["a", None], ["b"]]], published=[["a", None], [None]])
    assert won(membership.run(without, "s")).figures["misled"] == 0.5


def test_worst_posterior_is_the_worst_of_all_classes_that_fit() -> None:
    # The person fits a class of two with HIV for both, and one of four without.
    rows = ["[20, 29]"] * 2 + ["[25, 39]"] * 4
    ages = Taxonomy("q", [(str(age), "*") for age in range(20, 40)])
    scene = of_lists(
        quasi=("q",),
        sensitive=("s",),
        people=pl.DataFrame({"q": ["26"]}),
        values={"s": lists([["HIV"]])},
        rows=pl.DataFrame({"q": rows}),
        bucket_of=np.array([0, 0, 1, 1, 1, 1], np.int32),
        buckets={"s": lists([["HIV", "HIV"], ["flu", "flu", "flu", "HIV"]])},
        semantics="one",
        taxonomies={"q": ages},
    )
    assert won(membership.run(scene, "s")).figures["found"] == 1
    assert scene.true_belief("s").tolist() == [0.5]
    found = won(worst_posterior.run(scene, "s"))
    assert found.success["certain"] == 1
    assert found.figures["at_least_1"] == 1
    assert found.figures["median"] == 1
    assert found.figures["bucket_certain"] == 1
    known = won(worst_posterior.run(table_12(), "s")).figures
    assert known["at_least_0.5"] == 0
    assert known["bucket_0.5"] == 1
    assert known["bucket_largest"] == pytest.approx(2 / 3)


def test_worst_posterior_of_records() -> None:
    people = pl.DataFrame({"q": ["a", "b"], "s": ["x", "y"]})
    scene = of_records(
        ("q",), ("s",), people, people, {"q": Taxonomy("q", [("a", "*"), ("b", "*")])}
    )
    assert won(worst_posterior.run(scene, "s")).success["certain"] == 1
    stars = people.with_columns(pl.lit("*").alias("q"))
    hidden = of_records(("q",), ("s",), people, stars, scene.places.taxonomies)
    assert won(worst_posterior.run(hidden, "s")).success["0.95"] == 0


def test_non_membership() -> None:
    weak = of_people([[["HIV", "flu"], ["HIV", "flu"]], [["cold"], ["cancer"]]])
    found = won(non_membership.run(weak, "s"))
    assert found.figures["excluded_pairs"] == 8
    assert found.figures["right"] == 1
    assert found.figures["support_mean"] == 2
    one = of_people([[["HIV"], ["HIV"]], [["cold"], ["cancer"]]])
    alone = won(non_membership.run(one, "s"))
    assert alone.success["certain"] == 0.5
    assert alone.figures["support_one"] == 0.5
    whole = of_people([[["a"], ["b"]], [["b"], ["a"]]])
    assert resisted(non_membership.run(whole, "s")).figures["excluded_pairs"] == 0


def test_a_value_is_possible_where_its_category_is_listed() -> None:
    scene = of_people(
        [[["flu"], ["cold"]], [["HIV"], ["flu"]]],
        published=[["mild"], ["mild"], ["HIV"], ["flu"]],
        known={"s": KINDS},
    )
    found = won(non_membership.run(scene, "s"))
    # Of HIV, flu and mild: HIV is excluded in the first class, nothing in the second.
    assert found.figures["excluded_pairs"] == 2
    assert found.figures["right"] == 1


def test_homogeneity() -> None:
    weak = of_people([[["HIV", "flu"], ["HIV"]], [["flu"], ["cold"]]])
    found = won(homogeneity.run(weak, "s"))
    assert found.figures["weak_classes"] == 1
    assert found.figures["weak_people"] == 2
    assert found.success["certain"] == 0.5
    assert found.worst["class"] == {"q": "class 0"}
    resisted(homogeneity.run(table_12(), "s"))


def test_categorical_similarity() -> None:
    classes = [[["HIV", "flu"], ["cancer", "cold"]], [["flu"], ["HIV"]]]
    weak = of_people(classes, known={"s": KINDS})
    found = won(categorical_similarity.run(weak, "s"))
    assert found.figures["weak_classes"] == 1
    assert found.success["certain"] == 0.5
    assert won(homogeneity.run(weak, "s")).success["certain"] == 0
    one = of_people(
        [[["HIV"], ["cancer"]]],
        published=[["HIV", "cancer"]],
        bucket_of=[0, 0],
        semantics="one",
        known={"s": KINDS},
    )
    assert won(categorical_similarity.run(one, "s")).success["certain"] == 1
    resisted(categorical_similarity.run(table_12(), "s"))
    assert "no categories" in skipped(categorical_similarity.run(of_people(classes), "s")).why


def test_categories_published_in_place_of_values_are_homogeneity() -> None:
    scene = of_people(
        [[["flu"], ["cold"]], [["HIV"], ["flu"]]],
        published=[["mild", "mild"], ["grave", "mild"]],
        bucket_of=[0, 0, 1, 1],
        semantics="one",
        known={"s": KINDS},
    )
    one = won(homogeneity.run(scene, "s"))
    other = won(categorical_similarity.run(scene, "s"))
    assert one.success == other.success
    assert one.success["certain"] == 0.5


def test_sensitive_variance_of_buckets_before_and_after_noise_is_stripped() -> None:
    scene = table_12(promises=PROMISED, may_contain=("noise",))
    found = resisted(sensitive_variance.run(scene, "s"))
    assert found.figures["theta"] == 0.15
    assert found.figures["smallest_variance"] == pytest.approx(2 / 9)
    assert found.figures["weak_buckets"] == 0
    assert found.figures["stripped_weak_buckets"] == 1
    assert found.figures["stripped_certain_buckets"] == 1
    assert found.figures["stripped_certain_people"] == 2
    weak = of_people(
        [[["flu"], ["flu"]], [["HIV"], ["flu"]]],
        published=[["flu", "flu"], ["HIV", "flu"]],
        bucket_of=[0, 0, 1, 1],
        semantics="one",
        promises=PROMISED,
    )
    lost = won(sensitive_variance.run(weak, "s"))
    assert lost.figures["weak_buckets"] == 1
    assert lost.figures["bucket_people"] == 2
    assert lost.success["certain"] == 0.5


def test_sensitive_variance_of_classes_counts_people() -> None:
    weak = of_people([[["flu"] * 5, ["flu"]], [["HIV"], ["flu"]]], promises=PROMISED)
    found = won(sensitive_variance.run(weak, "s"))
    assert found.figures["weak_classes"] == 1
    assert found.success["certain"] == 0.5
    by_size = (Requirement("theta-sensitive", {"theta": "size", "k": 2}, sensitive="s"),)
    found = won(sensitive_variance.run(replace(weak, promises=by_size), "s"))
    assert "theta" not in found.figures
    assert found.figures["weak_classes"] == 1
    alone = of_people([[["a", "b"]]])
    assert "a class of one person" in skipped(sensitive_variance.run(alone, "s")).why


def test_skewness() -> None:
    classes = [[["HIV", "flu"], ["HIV"]], [["flu"], ["cold"]], [["cold"], ["flu"]]]
    found = won(skewness.run(of_people(classes, known={"s": KINDS}), "s"))
    assert found.figures["harmful_values"] == 1
    assert found.figures["doubled"] == pytest.approx(1 / 3)
    assert found.figures["harmed"] == 1
    assert found.figures["largest_ratio"] == pytest.approx(3)
    unnamed = won(skewness.run(of_people(classes), "s"))
    assert unnamed.figures["harmful_values"] == 0
    assert unnamed.figures["doubled"] == pytest.approx(1 / 3)
    resisted(skewness.run(table_12(), "s"))


def test_background_exclusion() -> None:
    # Whoever has not flu is the one without it.
    weak = of_people([[["HIV"], ["flu", "cold"], ["flu"]]])
    found = won(background_exclusion.run(weak, "s"))
    # Of each of the three one exclusion leaves rows that all have one of the own values.
    assert found.success["certain"] == 1
    assert found.figures["b"] == 1
    wide = of_people([[[f"v{at}"] for at in range(20)]])
    assert won(background_exclusion.run(wide, "s")).gain["max"] == pytest.approx(1 / 19 - 1 / 20)
    one = won(background_exclusion.run(table_12(), "s"))
    assert one.success["certain"] == 0
    # Low of the second class: a third, and 3/7 of somebody who is known not to be Mild; Severe and
    # Mild are 1/4 and 5/12.
    assert one.gain["max"] == pytest.approx((1 / 3) / (1 - 5 / 12) - 1 / 3)


def test_what_somebody_has_is_never_excluded() -> None:
    scene = of_people([[["a", "b"], ["a", "b"], ["c"]]])
    found = won(background_exclusion.run(scene, "s"))
    # c can be excluded for the first two, who then are known; for the third, a or b.
    assert found.success["certain"] == 1
    kept = of_people([[["a", "b"], ["b", "a"]]])
    assert won(background_exclusion.run(kept, "s")).gain["mean"] == 0


def test_colleague() -> None:
    weak = of_people([[["HIV"], ["flu"]], [["cold"], ["cancer"]]])
    found = won(corruption.run(weak, "s"))
    assert found.success["certain"] == 1
    assert "class" in found.knowledge
    linked = won(corruption.run(table_12(), "s"))
    assert linked.success["certain"] == 0
    assert "bucket" in linked.knowledge
    # p6: Low of a third; with Mild known in bucket 4 the two others are Low: (0 + 0 + 1) / 2.
    assert linked.gain["max"] == pytest.approx(0.5 - 1 / 9)
    wide = of_people([[[f"v{at}"] for at in range(20)]])
    assert won(corruption.run(wide, "s")).gain["max"] == pytest.approx(1 / 19 - 1 / 20)


def test_vertical_finds_the_exposed_of_the_paper() -> None:
    scene = in_table_1(cut=True)
    found = won(vertical.run(scene, "s"))
    assert found.figures["exposed_people"] == 6
    assert found.success["certain"] == 6 / 8
    own, exact = scene.own("s"), scene.exact("s")
    exposed = own.best(exact[own.label] * (scene.believed("s") > 0).astype(float)) > 0
    assert [name for name, is_it in zip(TABLE_1, exposed, strict=True) if is_it] == [
        "p1", "p2", "p3", "p4", "p7", "p8",
    ]  # fmt: skip
    none = resisted(vertical.run(table_12(), "s"))
    assert none.figures["exposed"] == 0
    assert "as they are" in skipped(vertical.run(in_table_1(cut=False), "s")).why


def test_all_of_table_1_have_a_set_of_their_own() -> None:
    found = won(fingerprint_correlation.run(in_table_1(cut=False), "s"))
    assert found.figures["whole_set_unique"] == 6 / 8  # the sets of p6 and p8 are parts of p5's
    # Of p1 Chills and Fever are had by nobody else, of p2 Difficult Breathing, and so on.
    assert found.figures["recognized"] >= 4 / 8
    assert found.figures["near_certain"] == 1  # with exact quasi-identifiers all stand alone
    assert found.success["certain"] >= 4 / 8


def test_fingerprints_that_are_shared_resist() -> None:
    same = of_people([[["a", "b"]] * 4, [["a", "b"]] * 4])
    resisted(fingerprint_correlation.run(same, "s"))
    none = resisted(fingerprint_correlation.run(table_12(), "s"))
    assert "no set" in none.note
    some = of_people(
        [[["a", "b"], ["a", "b"], ["c", "d"], ["c", "d"]]],
        published=[["a", "b", "c", "d"] * 2],
        bucket_of=[0, 0, 0, 0],
        semantics="some",
    )
    spread = won(fingerprint_correlation.run(some, "s"))
    assert spread.gain["max"] == pytest.approx(0)
    assert spread.figures["anonymity_set_smallest"] == 2
    telling = of_people(
        [[["a", "b"], ["a", "b"], ["c", "d"], ["c", "d"]]],
        published=[["a", "b"] * 2, ["c", "d"] * 2],
        bucket_of=[0, 0, 1, 1],
        semantics="some",
    )
    assert won(fingerprint_correlation.run(telling, "s")).success["certain"] == 1


def test_a_value_hidden_by_the_same_label_is_nothing_new() -> None:
    scene = of_people(
        [[["flu", "cold"], ["HIV", "flu"]]],
        published=[["mild"], ["mild", "HIV"]],
        known={"s": KINDS},
    )
    found = won(fingerprint_correlation.run(scene, "s"))
    # Of the first nothing is learnt beyond mild; of the second, HIV of one in two.
    assert found.success["certain"] == 0
    assert fingerprint_correlation._of_sets(scene, "s").right.tolist() == [0, 0, 1, 1]


def test_composition_of_classes_that_meet_in_one_person() -> None:
    first = of_people(
        [[["a"], ["b"]], [["c"], ["d"]]],
        published=[["a", "b"], ["c", "d"]],
        bucket_of=[0, 0, 1, 1],
        semantics="one",
    )
    second = of_lists(
        quasi=first.quasi,
        sensitive=first.sensitive,
        people=first.people,
        values=first.values,
        rows=pl.DataFrame({"q": ["{0.0, 1.0}", "{0.1, 1.1}", "{0.0, 1.0}", "{0.1, 1.1}"]}),
        bucket_of=np.array([0, 1, 0, 1], np.int32),
        buckets={"s": lists([["a", "c"], ["b", "d"]])},
        semantics="one",
        taxonomies=first.places.taxonomies,
    )
    assert won(membership.run(first, "s")).success["certain"] == 0
    assert won(membership.run(second, "s")).success["certain"] == 0
    found = won(composition.run(replace(first, second=second), "s"))
    assert found.success["certain"] == 1
    assert found.figures["left_with_one"] == 1
    assert found.figures["in_both"] == 1
    again = won(composition.run(replace(first, second=first), "s"))
    assert again.success["certain"] == 0
    assert again.figures["left_with_one"] == 0
    assert again.gain["mean"] == won(membership.run(first, "s")).gain["mean"]
    assert "no second" in skipped(composition.run(first, "s")).why


def test_composition_of_sets_of_values() -> None:
    first = of_people([[["a", "b"], ["a", "c"]], [["d"], ["b", "e"]]])
    crossed = of_lists(
        quasi=first.quasi,
        sensitive=first.sensitive,
        people=first.people,
        values=first.values,
        rows=pl.DataFrame({"q": ["{0.0, 1.0}", "{0.1, 1.1}", "{0.0, 1.0}", "{0.1, 1.1}"]}),
        bucket_of=np.arange(4, dtype=np.int32),
        buckets=first.buckets,
        semantics="all",
        taxonomies=first.places.taxonomies,
    )
    found = won(composition.run(replace(first, second=crossed), "s"))
    assert found.success["certain"] == 1
    assert found.figures["left_with_one"] == 1
    assert "set of values" in found.note


@pytest.mark.parametrize("semantics", ["all", "one"])
def test_sets_of_those_who_left_are_subtracted(semantics: str) -> None:
    """Of three people two are in the other release: the third has the set that is left."""
    own = [["a"], ["a", "b"], ["a"]]
    both = [["a"], ["a", "b"]]
    many = semantics == "all"
    first = of_people(
        [own],
        published=None if many else [["a", "{a, b}", "a"]],
        bucket_of=None if many else [0, 0, 0],
        semantics=semantics,
    )
    second = of_lists(
        quasi=first.quasi,
        sensitive=first.sensitive,
        people=first.people,
        values=first.values,
        rows=pl.DataFrame({"q": ["{0.0, 0.1}", "{0.0, 0.1}"]}),
        bucket_of=np.arange(2, dtype=np.int32) * many,
        buckets={"s": lists(both if many else [["a", "{a, b}"]])},
        semantics=semantics,
        taxonomies=first.places.taxonomies,
    )
    left = left_over((first, second), *composition._listed((first, second), "s", sets=True))
    assert left is not None
    assert left.known.all()
    assert left.belief == pytest.approx([1, 1, 1])  # all sets hold a
    assert left.possible.tolist() == [2, 2, 1]


def test_composition_of_labels_at_different_levels() -> None:
    classes = [[["flu"], ["HIV"]], [["cold"], ["cancer"]]]
    exact = of_people(
        classes,
        published=[["flu", "HIV", "cold", "cancer"]],
        bucket_of=[0, 0, 0, 0],
        semantics="one",
        known={"s": KINDS},
    )
    kinds = of_people(
        classes,
        published=[["mild", "mild"], ["grave", "grave"]],
        bucket_of=[0, 0, 1, 1],
        semantics="one",
        known={"s": KINDS},
    )
    found = won(composition.run(replace(exact, second=kinds), "s"))
    # Everybody of the first class is said to be mild: of four values two are left.
    assert found.figures["possible_in_first"] == 4
    assert found.figures["possible_in_both"] == 2
    belief = composition.by_values(exact, kinds, "s").belief
    assert belief.tolist() == [0.5, 0.0, 0.0, 0.5]


def test_releases_that_contradict_each_other() -> None:
    first = of_people([[["a"], ["b"]]])
    other = of_people([[["a"], ["b"]]], published=[["x"], ["y"]])
    found = won(composition.run(replace(first, second=other), "s"))
    assert found.figures["contradicted"] == 1
    assert found.gain["mean"] == won(membership.run(first, "s")).gain["mean"]
    silent = replace(first, second=replace(other, sensitive=()))
    assert "says nothing" in skipped(composition.run(silent, "s")).why


def test_composition_of_records() -> None:
    people = pl.DataFrame({"q": ["a", "b", "c", "d"], "s": ["1", "2", "3", "4"]})
    tree = Taxonomy("q", [(value, "*") for value in "abcd"])
    one = people.with_columns(q=pl.Series(["{a, b}", "{a, b}", "{c, d}", "{c, d}"]))
    two = people.with_columns(q=pl.Series(["{a, c}", "{b, d}", "{a, c}", "{b, d}"]))
    second = of_records(("q",), ("s",), people, two, {"q": tree})
    scene = of_records(("q",), ("s",), people, one, {"q": tree}, second=second)
    assert won(composition.run(scene, "s")).success["certain"] == 1
    assert "no second" in skipped(composition.run(replace(scene, second=None), "s")).why


def test_noise_stripping_of_table_12() -> None:
    scene = table_12(promises=PROMISED, may_contain=("noise",))
    found = won(noise_stripping.run(scene, "s"))
    assert found.figures["open_buckets"] == 1
    assert found.figures["bucket_certain_people"] == 2
    assert found.figures["bucket_certain_before"] == 0
    assert found.success["certain"] == 0
    # p8: of EC4's rows one is linked to bucket 2, two to bucket 4, each real with 2/3 and Low then.
    assert found.gain["max"] == pytest.approx(4 / 7 - 1 / 3)
    assert "nothing says" in skipped(noise_stripping.run(table_12(), "s")).why
    bare = table_12(may_contain=("noise",))
    assert "no k" in skipped(noise_stripping.run(bare, "s")).why
    several = of_people([[["a"], ["b"]]], may_contain=("noise",), promises=PROMISED)
    assert "several" in skipped(noise_stripping.run(several, "s")).why
    full = of_people(
        [[["a"], ["b"]]],
        published=[["a", "b"]],
        bucket_of=[0, 0],
        semantics="one",
        may_contain=("noise",),
        promises=PROMISED,
    )
    kept = won(noise_stripping.run(full, "s"))
    assert kept.figures["removable"] == 0
    assert kept.gain["max"] == 0


def anatomized(pairs: list[tuple[str, str]], buckets: list[int]) -> AttackContext:
    """Exact quasi-identifiers with buckets of exact values."""
    people = pl.DataFrame(
        {"q": [own for own, _ in pairs], "id": [str(at) for at in range(len(pairs))]}
    )
    listed = [
        [value for (_, value), own in zip(pairs, buckets, strict=True) if own == at]
        for at in range(max(buckets) + 1)
    ]
    return of_lists(
        quasi=("q", "id"),
        sensitive=("s",),
        people=people,
        values={"s": lists([[value] for _, value in pairs])},
        rows=people,
        bucket_of=np.array(buckets, np.int32),
        buckets={"s": lists(listed)},
        semantics="one",
        taxonomies=taxonomies(people),
    )


def test_learned_correlation_breaks_anatomy() -> None:
    # Smokers have cancer in buckets that hold nobody else, and in those that hold both.
    telling = [("smoker", "cancer")] * 6 + [("other", "flu")] * 6
    mixed = [("smoker", "cancer"), ("other", "flu")] * 10
    buckets = [0] * 6 + [1] * 6 + [2 + at // 2 for at in range(20)]
    found = won(learned_correlation.run(anatomized(telling + mixed, buckets), "s"))
    assert found.figures["accuracy"] == 1
    assert found.figures["random_worlds_accuracy"] < 1
    assert found.gain["mean"] > 0.3
    even = [(q, s) for q in ("a", "b") for s in ("x", "y")] * 4
    resist = won(learned_correlation.run(anatomized(even, [0] * len(even)), "s"))
    assert resist.gain["max"] == pytest.approx(0, abs=1e-6)
    assert resist.figures["accuracy_gain"] == 0
    long = skipped(learned_correlation.run(of_people([[["a"], ["b"]]]), "s"))
    assert "dealt out" in long.why


def test_order() -> None:
    classes = [[[f"v{at}", f"w{at % 7}"] for at in range(40)]]
    kept = of_people(classes)
    found = won(order.run(kept, "s"))
    assert found.success["certain"] == 1
    assert found.figures["matched"] == 1
    mixed = np.random.default_rng(5).permutation(40)
    shuffled = of_lists(
        quasi=kept.quasi,
        sensitive=kept.sensitive,
        people=kept.people,
        values=kept.values,
        rows=kept.places.rows,
        bucket_of=mixed.astype(np.int32),
        buckets=kept.buckets,
        semantics="all",
        taxonomies=kept.places.taxonomies,
    )
    told = won(order.run(shuffled, "s"))
    assert told.figures["trust"] == 0
    assert told.success["certain"] == 0
    numbered = tuple(str(at) for at in mixed)
    by_name = won(order.run(replace(shuffled, pseudonyms=numbered), "s"))
    assert by_name.figures["matched_by_pseudonym"] == 1
    assert by_name.success["certain"] == 1


def test_who_has_many_records_comes_first_in_any_order() -> None:
    # In source and release people with more records come first; nothing else tells the order.
    random = np.random.default_rng(2)
    number = random.integers(1, 9, 120)
    values = [[str(v) for v in range(own)] for own in number]

    def shuffled(seed: int) -> list[int]:
        draws = np.random.default_rng(seed).exponential(size=len(values)) / number
        return np.argsort(draws).tolist()

    people = [values[at] for at in shuffled(3)]
    published = [values[at] for at in shuffled(4)]
    scene = replace(
        of_people([people], published=published), pseudonyms=tuple(map(str, shuffled(5)))
    )
    assert won(order.run(scene, "s")).figures["trust"] == 0


def test_order_where_people_of_a_bucket_have_one_value() -> None:
    classes = [[["x"] if at % 2 else ["y"] for at in range(30)]]
    kept = of_people(
        classes, published=[["x"], ["y"]], bucket_of=[0 if at % 2 else 1 for at in range(30)],
        semantics="one",
    )  # fmt: skip
    assert won(order.run(kept, "s")).figures["matched"] == 1


def test_thirds_that_make_a_whole_are_certain_and_no_more() -> None:
    chains = (("flu", "mild", "any"), ("gout", "mild", "any"), ("HIV", "grave", "any"))
    settings: dict[str, Any] = {"semantics": "some", "known": {"s": ValueMetadata(chains=chains)}}
    first = of_people([[["flu"]]], published=[["flu", "mild"]], **settings)
    second = of_people([[["flu"]]], published=[["any"]], **settings)
    for one, other in ((first, second), (second, first)):
        found = won(composition.run(replace(one, second=other), "s"))
        assert found.success["0.5"] == 1
        assert found.gain["max"] <= 1


def listing_sets(values: list[list[list[str]]]) -> AttackContext:
    """Classes that are buckets, which list the set of everybody as one value."""
    texts = [
        ["{" + ", ".join(own) + "}" if len(own) > 1 else own[0] for own in part] for part in values
    ]
    bucket_of = [at for at, part in enumerate(values) for _ in part]
    return of_people(values, published=texts, bucket_of=bucket_of, semantics="one")


def test_sets_that_are_listed_as_one_value() -> None:
    scene = listing_sets([[["a", "b"], ["a", "c"]], [["d"], ["e", "f"]]])
    assert won(membership.run(scene, "s")).success["certain"] == 0.5
    assert won(homogeneity.run(scene, "s")).figures["weak_classes"] == 1
    told = won(fingerprint_correlation.run(scene, "s"))
    # With e the set is known to be {e, f}; with b it is {a, b}.
    assert told.figures["recognized"] == 0.75
    assert told.success["certain"] == 0.75
    assert "near_0.5" not in told.figures
    excluded = background_exclusion.after_exclusion(scene, "s", 1)
    assert scene.own("s").best(excluded).tolist() == [1, 1, 1, 1]
    assert "sets" in skipped(noise_stripping.run(replace(scene, may_contain=("noise",)), "s")).why
    assert won(corruption.run(scene, "s")).success["certain"] == 1
    assert won(learned_correlation.run(scene, "s")).gain["max"] <= 1


def test_two_lists_of_sets() -> None:
    first = listing_sets([[["a", "b"], ["a", "c"]], [["d"], ["b", "c"]]])
    crossed = of_lists(
        quasi=first.quasi,
        sensitive=first.sensitive,
        people=first.people,
        values=first.values,
        rows=pl.DataFrame({"q": ["{0.0, 1.0}", "{0.1, 1.1}", "{0.0, 1.0}", "{0.1, 1.1}"]}),
        bucket_of=np.array([0, 1, 0, 1], np.int32),
        buckets={"s": lists([["{a, b}", "d"], ["{a, c}", "{b, c}"]])},
        semantics="one",
        taxonomies=first.places.taxonomies,
    )
    found = won(composition.run(replace(first, second=crossed), "s"))
    assert found.success["certain"] == 1
    assert found.figures["left_with_one"] == 1


def test_a_label_that_covers_everything_says_nothing() -> None:
    chains = (("flu", "mild", "any"), ("gout", "mild", "any"), ("HIV", "grave", "any"))
    known = {"s": ValueMetadata(chains=chains)}
    people = [[["flu"], ["HIV"]]]
    root = of_people(people, published=[["any"], ["any"]], semantics="all", known=known)
    assert won(membership.run(root, "s")).success["0.5"] == 0
    assert won(homogeneity.run(root, "s")).success["certain"] == 0
    beside = of_people(
        people, published=[["any", "flu"], ["any", "HIV"]], semantics="all", known=known
    )
    assert won(membership.run(beside, "s")).success["0.5"] == 1
    assert won(membership.run(beside, "s")).success["certain"] == 0


def test_a_known_visit_says_which_row_it_is() -> None:
    """Of somebody with two values that stayed as they were, either makes the other certain."""
    people = [["flu", "HIV", "cancer"], ["flu"], ["flu", "HIV"]]
    published = [["mild", "HIV", "cancer"], ["mild"], ["mild", "HIV"]]
    found = won(vertical.run(of_people([people], published=published, known={"s": KINDS}), "s"))
    assert found.figures["known_visit"] == pytest.approx(1 / 3)
    assert found.figures["exposed"] == pytest.approx(2 / 3)
    hidden = [["mild", "grave"], ["mild"], ["mild", "grave"]]
    none = won(vertical.run(of_people([people], published=hidden, known={"s": KINDS}), "s"))
    assert none.figures["known_visit"] == 0
