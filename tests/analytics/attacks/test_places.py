"""Who meets which published class, and what is believed there."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from statistics import mean

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.analytics.attacks.contexts import of_classes, of_records, of_rows, people_of, release_of

from indistinct.analytics.attacks import AttackContext, Places, places
from indistinct.analytics.published import is_suppressed
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.requirement import Requirement

AGES = Taxonomy(
    "age",
    [
        ("20", "20-29", "*"),
        ("25", "20-29", "*"),
        ("30", "30-39", "*"),
        ("35", "30-39", "*"),
    ],
)
SEXES = Taxonomy("sex", [("f", "*"), ("m", "*"), (None, "*")])


def combinations(given: Places) -> list[tuple[str | None, ...]]:
    """The distinct combinations of exact values; null for one that no hierarchy knows."""
    texts = [
        [None if code < 0 else given.taxonomies[name].leaves[code] for code in codes.tolist()]
        for name, codes in zip(given.known, given.codes, strict=True)
    ]
    return list(zip(*texts, strict=True))


def met(scene: AttackContext) -> dict[tuple[str | None, ...], list[tuple[str | None, ...]]]:
    """The cells of the classes that every combination meets."""
    cells = scene.classes.cells.rows()
    return {
        row: [cells[g] for g in scene.places.compatible[c]]
        for c, row in enumerate(combinations(scene.places))
    }


def test_cells_of_every_kind_cover_what_they_say() -> None:
    cells = ["20", "20-29", "[24, 31]", "{20, 35}", "*", "40"]
    people = [{"age": age, "sex": "f", "s": "x"} for age in ("20", "25", "30", "35")]
    rows = [{"age": cell, "sex": "f", "s": "x"} for cell in cells]
    scene = of_rows(people, rows, {"age": AGES, "sex": SEXES})
    found = {row[0]: sorted(str(cell[0]) for cell in own) for row, own in met(scene).items()}
    assert found == {
        "20": ["*", "20", "20-29", "{20, 35}"],
        "25": ["*", "20-29", "[24, 31]"],
        "30": ["*", "[24, 31]"],
        "35": ["*", "{20, 35}"],
    }


def test_a_missing_value_meets_missing_cells_stars_sets_with_it_and_its_nodes() -> None:
    sexes = Taxonomy("sex", [("f", "known", "*"), ("m", "known", "*"), (None, "open", "*")])
    cells = [None, "*", "{f, missing}", "{f, m}", "open", "known", "f"]
    people: list[dict[str, str | None]] = [
        {"sex": None, "age": "20", "s": "x"},
        {"sex": "f", "age": "20", "s": "x"},
    ]
    rows = [{"sex": cell, "age": "20", "s": "x"} for cell in cells]
    scene = of_rows(people, rows, {"sex": sexes, "age": AGES})
    found = {row[0]: {cell[0] for cell in own} for row, own in met(scene).items()}
    assert found[None] == {None, "*", "{f, missing}", "open"}
    assert found["f"] == {"*", "{f, missing}", "{f, m}", "known", "f"}


def test_suppressed_values_and_values_unknown_to_the_hierarchy() -> None:
    ages = AGES.extended(None, ["99"])
    people = [{"age": "99", "sex": "f", "s": "x"}, {"age": "77", "sex": "f", "s": "x"}]
    release = [{"age": cell, "sex": "f", "s": "x"} for cell in ("*", "99", "20-29")]
    scene = of_rows(people, release, {"age": ages, "sex": SEXES})
    assert [len(own) for own in met(scene).values()] == [2, 0]
    assert scene.found.tolist() == [True, False]


@settings(max_examples=60)
@given(
    people=st.lists(
        st.tuples(st.sampled_from(["20", "25", "30", "35"]), st.sampled_from(["f", "m", None])),
        min_size=1,
        max_size=8,
    ),
    release=st.lists(
        st.tuples(
            st.sampled_from(["20", "25", "20-29", "[25, 30]", "{20, 35}", "*"]),
            st.sampled_from(["f", "m", None, "*", "{f, missing}"]),
            st.sampled_from(["flu", "asthma", None]),
        ),
        max_size=10,
    ),
    blocks=st.sampled_from([1, 1 << 29]),
)
def test_everything_counted_is_what_brute_force_counts(
    people: list[tuple[str, str | None]],
    release: list[tuple[str, str | None, str | None]],
    blocks: int,
) -> None:
    taxonomies = {"age": AGES, "sex": SEXES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "BITS_AT_ONCE", blocks)
        scene = of_rows(
            [{"age": age, "sex": sex, "s": "flu"} for age, sex in people],
            [{"age": age, "sex": sex, "s": value} for age, sex, value in release],
            taxonomies,
        )
        pooled = scene.spread("s").pooled
    labels = scene.labels("s")
    # Rows of stars that people of classes have, too, are looked at by themselves.
    assume(scene.places.suppressed <= (~scene.places.in_class).sum())
    covers = [Coverage(taxonomies[name]) for name in scene.quasi]
    for i, person in enumerate(people):
        c = scene.places.combination_of[i]
        assert combinations(scene.places)[c] == person
        own = [
            value
            for *cells, value in release
            if cells != ["*", "*"]
            and all(
                cover.mask(cell)[taxonomies[name].code_of(exact)]
                for cover, cell, name, exact in zip(covers, cells, scene.quasi, person, strict=True)
            )
        ]
        assert scene.places.in_class[i] == bool(own)
        own = own or [value for *cells, value in release if cells == ["*", "*"]]
        held = own or [value for *_, value in release]
        want = [held.count(label) / len(held) if held else 0.0 for label in labels]
        if own:
            size, found = len(own), pooled.dense(len(labels))[scene.set_of[i]]
            assert found / size == pytest.approx(want)
        flu = want[labels.index("flu")] if "flu" in labels else 0.0
        assert scene.true_belief("s")[i] == pytest.approx(flu)
        assert scene.places.set_size[scene.set_of[i]] == len(own)
        assert scene.found[i] == bool(own)
    assert scene.classes.size.sum() == len(release)
    if release:
        assert np.array_equal(
            scene.buckets["s"].dense(len(labels)).sum(axis=0),
            [sum(value == label for *_, value in release) for label in labels],
        )
        for r, (*cells, _) in enumerate(release):
            assert list(scene.classes.cells.row(scene.places.class_of[r])) == cells


def test_many_classes_are_laid_out_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [str(at) for at in range(150)]
    ages = Taxonomy("age", [(number, "*") for number in numbers])
    people = [{"age": number, "s": "x"} for number in numbers]
    release = [{"age": f"[{at}, {at + 9}]", "s": "x"} for at in range(150)]
    whole = of_rows(people, release, {"age": ages})
    monkeypatch.setattr(places, "BITS_AT_ONCE", 1)
    parts = of_rows(people, release, {"age": ages})
    assert np.array_equal(whole.places.compatible.indptr, parts.places.compatible.indptr)
    assert np.array_equal(whole.places.compatible.index, parts.places.compatible.index)
    assert whole.places.compatible.length.tolist() == [min(int(age) + 1, 10) for age in numbers]
    assert whole.places.weight.tolist() == [1] * 150


def test_crowds_are_the_people_with_the_same_compatible_classes() -> None:
    scene = of_classes([["a", "b"], ["a"]])
    assert len(scene.places.candidate_sets) == 2
    assert len(set(scene.set_of[:2])) == 1
    assert scene.set_of[2] != scene.set_of[0]


def test_classes_do_not_depend_on_the_order_of_the_release() -> None:
    scene = of_classes([["a", "b"], ["a", "c"], ["b", "b"]])
    people, release = people_of(scene), release_of(scene).reverse()
    other = of_records(scene.quasi, scene.sensitive, people, release, scene.places.taxonomies)
    assert scene.classes.cells.equals(other.classes.cells)
    assert np.array_equal(scene.buckets["s"].dense(3), other.buckets["s"].dense(3))


def test_k_is_the_largest_promised_for_all_quasi_identifiers() -> None:
    asked = (
        Requirement("k-anonymity", {"k": 3}),
        Requirement("theta-sensitive", {"k": 4, "mu": 0.6}, on=("q",), sensitive="s"),
        Requirement("k-anonymity", {"k": 9}, on=("other",)),
        Requirement("distinct-l-diversity", {"l": 20}, sensitive="s"),
        Requirement("k-anonymity", {"k": 30}, unit="person"),
    )
    assert of_classes([["a"]], promises=asked).k == 4
    assert of_classes([["a"]]).k is None


def test_harmful_are_the_values_of_the_most_sensitive_category_unless_others_are_named() -> None:
    known = ValueMetadata({"a": "low", "b": "high", "c": "high"}, ("low", "high"))
    assert of_classes([["a"]], known=known).harmful == {"s": {"b", "c"}}
    named = of_classes([["a"]], known=known, harmful={"s": frozenset({"a"})})
    assert named.harmful == {"s": {"a"}}
    assert of_classes([["a"]]).harmful == {}


def test_a_population_counts_for_every_class_that_could_be_its_people() -> None:
    people = [{"age": "20", "s": "x"}, {"age": "30", "s": "x"}]
    release = [{"age": "20-29", "s": "x"}, {"age": "[30, 34]", "s": "x"}]
    ages = ["20", "25", "25", "31", "33", None, "20-29"]
    population = pl.DataFrame({"age": ages}, schema={"age": pl.String})
    scene = of_rows(people, release, {"age": AGES}, population=population)
    assert scene.classes.cells["age"].to_list() == ["20-29", "[30, 34]"]
    assert scene.places.class_population is not None
    # 31 and 33 are no values of the hierarchy: only the range covers them. "20-29" is no age.
    assert scene.places.class_population.tolist() == [3, 2]
    assert of_rows(people, release, {"age": AGES}).places.class_population is None
    assert of_rows(people, release, {"age": AGES}).places.population_compatible is None


def test_rows_of_stars_are_the_class_of_those_whom_no_class_fits() -> None:
    ages = AGES.extended(None, ["99"])
    people = [{"age": age, "s": "x"} for age in ("20", "25", "35", "99", "77")]
    release = [{"age": cell, "s": "x"} for cell in ("20-29", "*", "*", "*")]
    around = ["20", "25", "30", "35", "99", "50"]
    population = pl.DataFrame({"age": around}, schema={"age": pl.String})
    scene = of_rows(people, release, {"age": ages}, population=population)
    assert scene.classes.cells["age"].to_list() == ["*", "20-29"]
    assert scene.classes.starred.tolist() == [True, False]
    assert [scene.places.candidate_sets[q].tolist() for q in scene.set_of] == [[1], [1], *[[0]] * 3]
    assert scene.places.in_class.tolist() == [True, True, False, False, False]
    assert scene.places.suppressed == 3
    assert scene.places.class_population is not None
    assert scene.places.class_population.tolist() == [4, 2]


@settings(max_examples=80)
@given(
    st.lists(st.sampled_from(["20", "25", "30", "35"]), min_size=2, max_size=6),
    st.data(),
)
def test_who_is_suppressed_beside_those_whom_no_class_fits(
    people: list[str], data: st.DataObject
) -> None:
    """Held against every way to give people rows that fit them."""
    cells = {"20": ["20", "20-29"], "25": ["20-29"], "30": ["30-39"], "35": ["35", "30-39"]}
    release = [data.draw(st.sampled_from(["*", "*", "{20, 30}", *cells[age]])) for age in people]
    assume("*" in release and set(release) != {"*"})
    cover = Coverage(AGES)
    fits = [[cell == "*" or cover.mask(cell)[AGES.code_of(age)] for cell in release]
            for age in people]  # fmt: skip
    worlds = [
        rows
        for rows in permutations(range(len(people)))
        if all(fits[person][row] for person, row in enumerate(rows))
    ]
    assume(worlds)
    scene = of_rows([{"age": age, "s": "x"} for age in people],
                    [{"age": cell, "s": "x"} for cell in release], {"age": AGES})  # fmt: skip
    places_, star = scene.places, release.count("*")
    for person in range(len(people)):
        share = sum(release[rows[person]] == "*" for rows in worlds) / len(worlds)
        own = [
            scene.classes.cells["age"][int(g)] for g in places_.candidate_sets[scene.set_of[person]]
        ]
        fitting = {cell for cell, fit in zip(release, fits[person], strict=True) if fit} - {"*"}
        assert places_.in_class[person] == bool(fitting)
        if not fitting or share > 0.65:
            assert own == ["*"]
        if fitting and (share < 0.35 or star <= sum(not flag for flag in places_.in_class)):
            assert set(own) == fitting


def test_a_class_is_never_larger_than_its_population() -> None:
    population = pl.DataFrame({"q": ["0.0"]}, schema={"q": pl.String})
    scene = of_classes([["a", "b"]], population=population)
    assert scene.places.class_population is not None
    assert scene.places.class_population.tolist() == [2]


def test_an_empty_release_leaves_nothing_to_believe() -> None:
    scene = of_rows([{"age": "20", "s": "x"}], [], {"age": AGES})
    assert len(scene.classes) == len(scene.places.class_of) == scene.records == 0
    assert scene.true_prior("s").tolist() == [0.0]
    assert scene.true_belief("s").tolist() == [0.0]
    assert scene.spread("s").held.dense(1).shape == (0, 1)


def test_suppressed_are_the_records_with_stars_in_every_quasi_identifier() -> None:
    records = pl.DataFrame({"a": ["*", "*", None], "b": ["*", "1", "*"], "s": ["x", "*", "*"]})
    assert is_suppressed(records, ("a", "b")).to_list() == [True, False, False]


def shared_out(fits: list[list[int]], rows: list[int]) -> list[dict[int, float]]:
    """How often each person is in each class, in all ways to give everybody a row that fits."""
    ways: list[list[int]] = []
    for told in product(*fits):
        if all(told.count(at) == number for at, number in enumerate(rows)):
            ways.append([*told])
    return [
        {at: mean(way[one] == at for way in ways) for at in own} for one, own in enumerate(fits)
    ]


CLASSES = {"20": (20,), "[20, 25]": (20, 25), "[20, 30]": (20, 25, 30), "[25, 30]": (25, 30)}


@settings(max_examples=100)
@given(
    drawn=st.lists(
        st.sampled_from([(age, cell) for cell, ages in CLASSES.items() for age in ages]),
        min_size=2,
        max_size=7,
    )
)
def test_rows_are_likely_theirs_who_could_not_have_others(drawn: list[tuple[int, str]]) -> None:
    """Against all ways to share rows out: nobody is further from them than by any row alike."""
    ages = Taxonomy("age", [(str(age), "*") for age in (20, 25, 30)])
    people = [{"age": str(age), "s": "x"} for age, _ in drawn]
    scene = of_rows(people, [{"age": cell, "s": "x"} for _, cell in drawn], {"age": ages})
    cells, size = scene.classes.cells["age"].to_list(), scene.classes.size.tolist()
    fits = [[at for at, cell in enumerate(cells) if age in CLASSES[cell]] for age, _ in drawn]
    truth = shared_out(fits, size)
    assert (scene.places.row_weight == 1).all()  # without a register
    weight = replace(scene.places, register=True).row_weight
    far = alike = 0.0
    for own, shares in zip(fits, truth, strict=True):
        whole = sum(size[at] * weight[at] for at in own)
        rows = sum(size[at] for at in own)
        far += sum(abs(size[at] * weight[at] / whole - shares[at]) for at in own)
        alike += sum(abs(size[at] / rows - shares[at]) for at in own)
        for at, share in shares.items():
            assert size[at] * weight[at] / whole == pytest.approx(share, abs=0.25)
    assert far <= alike + 0.05
