"""The checks of (k,l)-diversity and k^m-anonymity against their definitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.privacy.examples import EXAMPLES, SEE

from indistinct.errors import DataError, PolicyError
from indistinct.metadata import ValueMetadata
from indistinct.release.audit import Audit, Verdict, audit, checks

LINK = {"quasi": "quasi", "sensitive": "sensitive", "by": "bucket", "holding": "all"}
ITEMS: tuple[str | None, ...] = ("airways", "flu", "heart", "*", None)
BUCKETS: tuple[str | None, ...] = ("1", "2", "3", None)


def linked(
    people: Sequence[tuple[str, str | None]],
    buckets: Mapping[Any, Sequence[str | None]],
    k: int = 2,
    l: int = 2,  # noqa: E741
    **more: Any,
) -> Audit:
    tables = {
        "quasi": pl.DataFrame(people, {"town": pl.String, "bucket": pl.String}, orient="row"),
        "sensitive": pl.DataFrame(
            [(bucket, item) for bucket, items in buckets.items() for item in items],
            {"bucket": pl.String, "illness": pl.String},
            orient="row",
        ),
    }
    asked = {"model": "kl-diversity", "k": k, "l": l, "sensitive": "illness", "unit": "person"}
    return audit(tables, [asked], ["town"], **{"linked": LINK, **more})


def test_a_small_release_by_hand() -> None:
    """Two towns; flu and heart are shared by two each, one of each lives in either town."""
    people = [("N", "1"), ("N", "2"), ("S", "1"), ("S", "2")]
    found = linked(people, {"1": ["flu"], "2": ["heart", "flu"]}).promises[0]
    assert found.holds
    assert found.achieved == {"k": 2, "l": 2}
    assert not linked(people, {"1": ["flu"], "2": ["heart"]}, k=3).holds
    assert dict(linked(people, {"1": ["flu"], "2": ["heart"]}).summary_rows())["people"] == "4"
    assert not linked(people, {"1": ["flu"], "2": ["heart"]}, l=3).holds


def test_buckets_that_list_the_same_are_one() -> None:
    people = [("N", "1"), ("N", "2"), ("S", "1"), ("S", "2")]
    found = linked(people, {"1": ["flu", "heart"], "2": ["heart", "flu", "flu"]}).promises[0]
    assert found.achieved == {"k": 4, "l": 1}
    assert found.breaking_classes == 2
    assert found.breaking_records == 4


def test_somebody_alone_with_a_fingerprint_breaks_it() -> None:
    people = [("N", "1"), ("N", "2"), ("N", "3"), ("N", "1"), ("N", "2"), ("S", "1"), ("S", "2")]
    found = linked(people, {"1": ["flu"], "2": ["heart"], "3": [None]}).promises[0]
    assert found.achieved == {"k": 1, "l": 2}
    assert found.breaking_classes == 1
    assert found.breaking_records == 5


@settings(max_examples=100)
@given(
    people=st.lists(st.tuples(st.sampled_from("NSE"), st.sampled_from(BUCKETS)), max_size=24),
    lists=st.lists(
        st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3), min_size=4, max_size=4
    ),
    k=st.integers(2, 5),
    l=st.integers(2, 3),
)
def test_as_defined(
    people: list[tuple[str, str | None]],
    lists: list[list[str | None]],
    k: int,
    l: int,  # noqa: E741
) -> None:
    buckets = dict(zip(BUCKETS, lists, strict=True))
    found = linked(people, buckets, k, l).promises[0]
    prints = {bucket: frozenset(items) for bucket, items in buckets.items()}
    shared = Counter(prints[bucket] for _, bucket in people)
    classes: dict[str, Counter[frozenset[str | None]]] = defaultdict(Counter)
    for town, bucket in people:
        classes[town][prints[bucket]] += 1
    broken = [
        own
        for own in classes.values()
        if any(shared[one] < k for one in own)
        or len(own) < l
        or max(own.values()) * l > own.total()
    ]
    assert found.breaking_classes == len(broken)
    assert found.breaking_records == sum(own.total() for own in broken)
    assert found.holds == (not broken)
    assert found.achieved == {
        "k": min(shared.values(), default=None),
        "l": min((own.total() // max(own.values()) for own in classes.values()), default=None),
    }


def test_only_fingerprints_can_be_judged() -> None:
    people, lists = [("N", "1"), ("N", "1")], {"1": ["flu", "heart"]}
    with pytest.raises(PolicyError, match="everybody has 'one' of it"):
        linked(people, lists, linked={**LINK, "holding": "one"})
    table = pl.DataFrame({"town": ["N"], "illness": ["flu"], "who": ["a"]})
    asked = {"model": "kl-diversity", "k": 2, "l": 2, "sensitive": "illness", "unit": "person"}
    with pytest.raises(PolicyError, match="two linked tables"):
        audit(table, [asked], ["town"], person="who")
    with pytest.raises(PolicyError, match="needs 'l'"):
        audit(table, [{**asked, "l": None}], ["town"], person="who")


def of_items(rows: list[tuple[str, str | None]], k: int, m: int | None = None) -> Verdict:
    table = pl.DataFrame(
        [("N", *row) for row in rows],
        {"town": pl.String, "who": pl.String, "illness": pl.String},
        orient="row",
    )
    asked = {"model": "km-anonymity", "k": k, "sensitive": "illness", "unit": "person"}
    if m is not None:
        asked["m"] = m
    return audit(table, [asked], ["town"], person="who").promises[0]


def test_pairs_of_items_by_hand() -> None:
    rows: list[tuple[str, str | None]] = [
        ("a", "flu"),
        ("a", "flu"),
        ("a", "heart"),
        ("b", "flu"),
        ("b", "heart"),
        ("c", "flu"),
        ("c", None),
        ("d", None),
    ]
    found = of_items(rows, 2)
    assert not found.holds
    assert found.achieved == {"k": 1, "m": 1}
    assert found.breaking_classes == 1
    assert found.breaking_records == 1
    assert of_items(rows, 2, 1).holds
    assert of_items(rows[:5], 2, 3).achieved == {"k": 2, "m": 3}


@settings(max_examples=100)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(ITEMS)), max_size=24),
    k=st.integers(1, 4),
    m=st.integers(1, 4),
)
def test_every_combination_is_counted(rows: list[tuple[str, str | None]], k: int, m: int) -> None:
    found = of_items(rows, k, m)
    sets = {who: frozenset(item for one, item in rows if one == who) for who, _ in rows}
    held: Counter[tuple[str | None, ...]] = Counter()
    for items in sets.values():
        ordered = sorted(items, key=str)
        for size in range(1, m + 1):
            held.update(combinations(ordered, size))
    rare = {one for one, people in held.items() if people < k}
    assert found.breaking_classes == len(rare)
    assert found.breaking_records == sum(
        any(set(one) <= items for one in rare) for items in sets.values()
    )
    assert found.achieved["k"] == min(held.values(), default=None)
    kept = min((len(one) - 1 for one in rare), default=m)
    assert found.achieved["m"] == (kept if rows else None)


@settings(max_examples=100)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("NS"), st.sampled_from(ITEMS)),
        min_size=1,
        max_size=24,
    ),
    k=st.integers(1, 4),
)
def test_every_visit_is_counted(rows: list[tuple[str, str, str | None]], k: int) -> None:
    table = pl.DataFrame(
        rows, {"who": pl.String, "town": pl.String, "date": pl.String}, orient="row"
    )
    asked = {"model": "known-visit", "k": k, "visit": ["date"], "unit": "person"}
    found = audit(table, [asked], ["town"], person="who").promises[0]
    had: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for who, town, date in rows:
        had[town, date].add(who)
    rare = [people for people in had.values() if len(people) < k]
    assert found.holds is not bool(rare)
    assert found.achieved == {"k": min(map(len, had.values()))}
    assert found.breaking_classes == len(rare)
    assert found.breaking_records == len(set().union(*rare))


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("NS")), max_size=24),
    k=st.integers(1, 4),
)
def test_every_number_of_records_is_counted(rows: list[tuple[str, str]], k: int) -> None:
    home = dict(rows)
    table = pl.DataFrame([(who, home[who]) for who, _ in rows],
                         {"who": pl.String, "town": pl.String}, orient="row")  # fmt: skip
    asked = {"model": "known-number", "k": k, "unit": "person"}
    found = audit(table, [asked], ["town"], person="who").promises[0]
    held = Counter((home[who], n) for who, n in Counter(table["who"]).items())
    rare = [people for people in held.values() if people < k]
    assert found.holds is (not rare if held else found.holds)
    assert found.achieved == {"k": min(held.values(), default=None)}
    assert (found.breaking_classes, found.breaking_records) == (len(rare), sum(rare))


def test_whose_items_they_are_has_to_be_told() -> None:
    table = pl.DataFrame({"town": ["N"], "illness": ["flu"]})
    asked = {"model": "km-anonymity", "k": 2, "sensitive": "illness"}
    with pytest.raises(PolicyError, match="nothing says whose each record is"):
        audit(table, [asked], ["town"])


def _tables(
    people: list[tuple[str, str | None]], rows: list[tuple[str | None, str]]
) -> dict[str, pl.DataFrame]:
    return {
        "quasi": pl.DataFrame(people, {"town": pl.String, "bucket": pl.String}, orient="row"),
        "sensitive": pl.DataFrame(rows, {"bucket": pl.String, "illness": pl.String}, orient="row"),
    }


def _asked(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "sensitive": "illness", "unit": "person", **more}


def test_belief_in_a_value_is_belief_in_every_set_that_holds_it() -> None:
    """Three different sets, and flu in each of them; the order of promises changes nothing."""
    people = [("N", "1")] * 3
    tables = _tables(people, [("1", "flu"), ("1", '{flu, "pain, chest"}'), ("1", "{flu, missing}")])
    diverse, bound = _asked("distinct-l-diversity", l=3), _asked("max-posterior", bound=0.5)
    for promises in ([diverse, bound], [bound, diverse]):
        found = {
            part.requirement.model: part for part in audit(tables, promises, ["town"]).promises
        }
        assert found["distinct-l-diversity"].achieved == {"l": 3}
        assert found["max-posterior"].achieved == {"bound": 1.0}
        assert not found["max-posterior"].holds
    apart = _tables(people, [("1", "flu"), ("1", "{cough, heart}"), ("1", "{back, missing}")])
    assert audit(apart, [bound], ["town"]).promises[0].achieved == {"bound": pytest.approx(1 / 3)}


@pytest.mark.parametrize(
    ("first", "second", "bound"),
    [
        ("{flu, flu}", "heart", 0.5),
        ("{flu,heart}", "{ heart , back }", 1.0),
        ('{"say \\"ah\\"", back}', '{"say \\"ah\\""}', 1.0),
        ("{[20, 30[, flu}", "{[20, 30[}", 1.0),
        ("{}", "{}", 1.0),
        ("{flu}", "flu", 1.0),
        ("{flu, heart", "flu", 0.5),
        ("flu, heart}", "heart", 0.5),
        ("{flu}", "{flu", 0.5),
        ('{"flu', "flu", 0.5),
        ("{flu}}", "flu", 0.5),
    ],
)
def test_what_is_a_set_and_what_a_text_with_braces(first: str, second: str, bound: float) -> None:
    """Belief in the value that is believed most, of two people who have one of two texts."""
    tables = _tables([("N", "1"), ("N", "1")], [("1", first), ("1", second)])
    found = audit(tables, [_asked("max-posterior", bound=1.0)], ["town"])
    assert found.promises[0].achieved == {"bound": pytest.approx(bound)}


def test_sets_are_taken_apart_where_everybody_has_one_text_and_beliefs_are_asked_for() -> None:
    people = [("N", "1"), ("N", "1")]
    tables = _tables(people, [("1", "{flu, heart}"), ("1", "{flu, back}")])
    bound = _asked("max-posterior", bound=0.5)
    assert not audit(tables, [bound], ["town"], linked={**LINK, "holding": "one"}).holds
    assert audit(tables, [bound], ["town"], linked={**LINK, "holding": "some"}).promises[0].holds
    diverse = _asked("distinct-l-diversity", l=2)
    found = audit(tables, [diverse], ["town"], linked={**LINK, "holding": "one"})
    assert found.promises[0].achieved == {"l": 2}


def test_buckets_list_something_of_everybody() -> None:
    people = [("N", "1"), ("N", "1"), ("N", "1"), ("N", "2"), ("N", "2")]
    tables = _tables(people, [("1", "flu"), ("1", "heart"), ("2", "flu"), ("2", "heart")])
    found = audit(tables, [_asked("max-posterior", bound=0.5)], ["town"])
    assert found.promises[0].holds
    assert not found.holds
    assert "1 bucket lists fewer values than people" in found.notes


def test_a_promise_on_the_buckets_is_that_of_the_sensitive_table() -> None:
    tables = _tables([("N", "1"), ("N", "1")], [("1", "flu"), ("1", "heart")])
    asked = _asked("max-posterior", bound=0.5)
    named, plain = (
        audit(tables, [{**asked, **on}], ["town"]).promises[0] for on in ({"on": ["bucket"]}, {})
    )
    assert named == plain
    assert named.holds


def test_how_values_belong_to_people_is_told_or_said_to_be_taken_so() -> None:
    people = [("N", "1"), ("N", "2"), ("S", "1"), ("S", "2")]
    tables = _tables(people, [("1", "flu"), ("2", "heart")])
    fingerprints = audit(tables, [_asked("kl-diversity", k=2, l=2)], ["town"])
    assert fingerprints.holds
    assert "everybody of a bucket has all the values" in " ".join(fingerprints.notes)
    told = audit(tables, [_asked("kl-diversity", k=2, l=2)], ["town"], linked=LINK)
    assert told.holds
    assert "nothing says" not in " ".join(told.notes)


def test_tables_that_do_not_belong_together_are_told() -> None:
    people = [("N", "1"), ("N", "1"), ("N", "2"), ("N", "3")]
    rows = [("1", "flu"), ("1", "flu"), ("1", "flu"), ("2", "heart"), ("4", "heart")]
    bound = _asked("max-posterior", bound=1.0)
    some = audit(_tables(people, rows), [bound], ["town"], linked={**LINK, "holding": "some"})
    assert not some.holds
    assert "2 buckets are in one of the tables only ('illness')" in some.notes
    assert "1 value is listed more often than a bucket has people" in some.notes
    one = audit(_tables(people, rows), [bound], ["town"], linked={**LINK, "holding": "one"})
    assert "1 bucket lists more or fewer values than people" in one.notes
    whole = audit(
        _tables(people[:3], [("1", "flu"), ("1", "heart"), ("2", "flu")]), [bound], ["town"],
        linked={**LINK, "holding": "one"},
    )  # fmt: skip
    assert whole.holds
    nowhere = _tables([("N", "1"), ("S", None)], [("1", "flu"), (None, "heart")])
    missing = audit(nowhere, [bound], ["town"], linked={**LINK, "holding": "one"})
    assert "in one of the tables only" not in " ".join(missing.notes)


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        (["flu", "flu", "heart"], []),
        (["flu", "heart"], []),
        (["flu"], ["1 bucket lists fewer values than people"]),
        (["flu"] * 3 + ["heart"] * 2, ["1 value is listed more often than a bucket has people"]),
        (["flu"] * 3 + ["heart"] * 3, ["2 values are listed more often than a bucket has people"]),
    ],
)
def test_a_bucket_lists_a_value_for_each_of_its_people(listed: list[str], told: list[str]) -> None:
    tables = _tables([("N", "1")] * 2, [("1", value) for value in listed])
    bound = _asked("max-posterior", bound=1.0)
    found = audit(tables, [bound], ["town"], linked={**LINK, "holding": "some"})
    assert found.agrees is (not told)
    assert [note for note in found.notes if "list" in note] == told


def test_a_link_that_leads_nowhere_is_refused() -> None:
    tables = _tables([("N", "1")], [("1", "flu")])
    bound = _asked("max-posterior", bound=1.0)
    with pytest.raises(DataError) as missing:
        audit(tables, [bound], ["town"], linked={**LINK, "sensitive": "elsewhere"})
    assert [(one.code, one.file) for one in missing.value.problems] == [("no-table", "elsewhere")]
    with pytest.raises(PolicyError) as odd:
        audit(tables, [bound], ["town"], linked={**LINK, "holding": "often"})
    assert [one.code for one in odd.value.problems] == ["bad-link"]


def test_values_are_listed_in_a_column_each_or_by_the_name_of_their_attribute() -> None:
    people = [("N", "1"), ("N", "1"), ("S", "2"), ("S", "2")]
    rows = [("1", "flu"), ("1", "heart"), ("2", "flu"), ("2", "flu")]
    tables = _tables(people, rows)
    long = tables["sensitive"].select(
        "bucket", pl.lit("illness").alias("attribute"), pl.col("illness").alias("value")
    )
    link = {**LINK, "holding": "one"}
    bound = _asked("max-posterior", bound=0.5)
    found = audit({**tables, "sensitive": long}, [bound], ["town"], linked=link)
    assert found.to_dict() == audit(tables, [bound], ["town"], linked=link).to_dict()
    assert found.promises[0].achieved == {"bound": 1.0}
    with pytest.raises(DataError) as missing:
        audit(
            {**tables, "sensitive": long}, [{**bound, "sensitive": "drug"}], ["town"], linked=link
        )
    assert [(one.code, one.attribute) for one in missing.value.problems] == [
        ("missing-column", "drug")
    ]


def test_what_everybody_of_a_bucket_has_is_held_against_the_classes() -> None:
    """Flu is had by everybody of the north, however many other values there are."""
    people = [("N", "1"), ("N", "2"), ("S", "1"), ("S", "3")]
    rows = [("1", "flu"), ("1", "heart"), ("2", "flu"), ("2", "back"), ("3", "cough")]
    diverse = _asked("distinct-l-diversity", l=2)
    found = audit(_tables(people, rows), [diverse], ["town"], linked=LINK).promises[0]
    assert found.achieved == {"l": 3}
    assert (found.holds, found.breaking_classes, found.breaking_records) == (False, 1, 2)
    other = [*rows[:2], ("2", "cough"), *rows[3:]]
    assert audit(_tables(people, other), [diverse], ["town"], linked=LINK).promises[0].holds


def test_two_tables_are_linked_by_their_names_and_their_bucket() -> None:
    tables = _tables([("N", "1"), ("N", "1")], [("1", "flu"), ("1", "heart")])
    bound = _asked("max-posterior", bound=0.5)
    assert audit(tables, [bound], ["town"]).holds
    for apart in (
        {"quasi": tables["quasi"], "other": tables["sensitive"]},
        {**tables, "sensitive": tables["sensitive"].rename({"bucket": "drawer"})},
    ):
        with pytest.raises(PolicyError) as apart_told:
            audit(apart, [bound], ["town"])
        assert [one.code for one in apart_told.value.problems] == ["people-not-told"]


def test_records_of_people_belong_together_or_it_is_told() -> None:
    rows = [("N", "ann"), ("S", "ann"), ("N", "ben"), ("N", "ben"), ("N", None), ("N", None)]
    table = pl.DataFrame(rows, {"town": pl.String, "who": pl.String}, orient="row")
    asked = {"model": "k-anonymity", "k": 1, "unit": "person"}
    found = audit(table, [asked], ["town"], person="who")
    assert not found.holds
    notes = " ".join(found.notes)
    assert "2 records name no person in 'who'" in notes
    assert "the quasi-identifiers differ between the records of 1 " in notes
    assert audit(table.filter(pl.col("who") == "ben"), [asked], ["town"], person="who").holds
    with pytest.raises(PolicyError) as counted:
        audit(table, [{**asked, "unit": "record"}], ["town"], person="who")
    assert [one.code for one in counted.value.problems] == ["records-of-people"]


# Every check heeds that people may have several values

SETTINGS = {name: one.weak for name, one in EXAMPLES.items() if one.weak is not None}
"""Parameters so weak that a class of two people with two values each keeps them."""

KNOWN = {
    "illness": ValueMetadata(
        {"flu": "mild", "heart": "grave", "back": "mild"},
        ("mild", "grave"),
        ranks={"flu": 4, "heart": 1, "back": 4},
    )
}


def test_every_check_of_values_is_tried_here() -> None:
    counted = {name: part.check.counts for name, part in checks().items()}
    wanted = {name for name, what in counted.items() if what in ("values", "shares")}
    lacking = sorted(wanted - {*SETTINGS})
    assert not lacking, f"EXAMPLES of tests/privacy/examples.py lack 'weak' of {lacking}: {SEE}"
    assert wanted == {*SETTINGS}
    assert counted["kl-diversity"] == "linked"
    assert counted["km-anonymity"] == "items"
    assert all(name == part.check.model == part.MODEL for name, part in checks().items())


@pytest.mark.parametrize("model", SETTINGS)
def test_a_value_that_everybody_of_a_class_has_breaks_every_promise_of_values(model: str) -> None:
    """Two people with two values each: apart they keep what one value in common breaks."""

    def of(*rows: tuple[str, str]) -> Verdict:
        table = pl.DataFrame(rows, {"who": pl.String, "illness": pl.String}, orient="row")
        asked = _asked(model, **SETTINGS[model])
        named = table.with_columns(town=pl.lit("N"))
        return audit(named, [asked], ["town"], person="who", known=KNOWN).promises[0]

    apart = of(("a", "flu"), ("a", "back"), ("b", "heart"))
    shared = of(("a", "flu"), ("a", "back"), ("b", "heart"), ("b", "flu"))
    assert apart.holds
    assert not shared.holds
    assert (shared.breaking_classes, shared.breaking_records) == (1, 2)


@pytest.mark.parametrize("model", sorted(SETTINGS))
def test_different_sets_that_share_a_value_tell_it(model: str) -> None:
    def of(*sets: str) -> Any:
        rows = [("1", own) for own in sets]
        asked = {**SETTINGS[model], "sensitive": "illness", "unit": "person", "model": model}
        grave = {own: "grave" if "flu" in own else "mild" for own in sets}
        known = ValueMetadata(
            categories=grave, category_order=("mild", "grave"), ranks=dict.fromkeys(sets, 4)
        )
        tables = _tables([("N", "1")] * len(sets), rows)
        link = {**LINK, "holding": "one"}
        return audit(tables, [asked], ["town"], linked=link, known={"illness": known}).promises[0]

    assert of("{flu, back}", "heart").holds
    shared = of("{flu, back}", "{back, heart}")
    assert not shared.holds
    assert (shared.breaking_classes, shared.breaking_records) == (1, 2)


def test_sizes_by_rank_alone_ask_for_no_different_values() -> None:
    rows = [("a", "flu"), ("a", "back"), ("b", "flu")]
    table = pl.DataFrame(rows, {"who": pl.String, "illness": pl.String}, orient="row")
    asked = _asked("knm-anonymity", k={"1": 2, "4": 2}, diversity=False)
    named = table.with_columns(town=pl.lit("N"))
    assert audit(named, [asked], ["town"], person="who", known=KNOWN).holds


def test_what_linked_tables_show_of_a_promise() -> None:
    """Sizes of the quasi table, shares of members of sets, and nothing of sets of items."""
    people = [("N", "1"), ("S", "1"), ("S", "1")]
    tables = _tables(people, [("1", "{flu, heart}"), ("1", "{flu, back}"), ("1", "flu")])
    (sizes,) = audit(tables, [_asked("k-anonymity", k=2)], ["town"]).promises
    assert sizes.achieved == {"k": 1}
    assert not sizes.holds
    asked = _asked("alpha-k-anonymity", alpha=0.5, k=2)
    assert audit(tables, [asked], ["town"]).promises[0].achieved == {"alpha": 1.0, "k": 3}
    with pytest.raises(PolicyError, match="sets of items, which linked tables do not show"):
        audit(tables, [_asked("km-anonymity", k=2, m=1)], ["town"])
