"""What a table leaks, what its release leaves to leak, and what is advised."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.leakage import assessment
from indistinct.analytics.leakage.assessment import Assessment
from indistinct.analytics.leakage.encoded import Encoded, encode
from indistinct.analytics.leakage.leakage_change import (
    Known,
    compare_leakage,
    leakage_by_level,
    level_below,
)
from indistinct.analytics.leakage.sensitive_leakage import sensitive_leakage
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table
from indistinct.verbs import discovering


def people(records: int = 240) -> pl.DataFrame:
    draw = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "patient_id": [f"P{number:05}" for number in range(records)],
            "age": draw.integers(20, 80, records),
            "sex": draw.choice(["f", "m"], records),
            "zip": draw.choice(["81667", "81669", "81925", "82031"], records),
            "diagnosis": draw.choice(["flu", "asthma", "cancer"], records, p=[0.6, 0.3, 0.1]),
            "colour": ["red"] * records,
        }
    )


POLICY: dict[str, Any] = {
    "attributes": {
        "patient_id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
        "diagnosis": {"role": "sensitive"},
        "colour": {"role": "insensitive"},
    },
    "promises": [{"model": "k-anonymity", "k": 4}],
}


@pytest.fixture(scope="module")
def found() -> Assessment:
    return ind.assess(people())


def test_an_assessment_without_a_policy(found: Assessment) -> None:
    assert found.records == 240
    assert found.entropy == pytest.approx(math.log2(240))
    assert [item.attributes[0] for item in found.leakage] == [
        "age", "sex", "zip", "diagnosis", "colour",
    ]  # fmt: skip
    assert [item.attribute for item in found.left_out] == ["patient_id"]
    assert "identifier" in found.left_out[0].why
    assert found.singles[0].attributes == ("age",)
    assert found.together.attributes == ("age", "sex", "zip")
    assert found.shield.attributes == ("age", "zip", "sex")
    assert found.shield.why[0].startswith("age alone leaks")
    alone = people().group_by("age", "sex", "zip").len().filter(pl.col("len") == 1).height
    assert found.uniqueness == pytest.approx(alone / 240)
    assert found.crowd(found.together) >= 1
    assert [item.attribute for item in found.sensitive] == ["diagnosis"]
    assert found.change is None


def test_the_document(found: Assessment) -> None:
    document = found.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["records"] == 240
    age = document["leakage"][0]
    assert age["attributes"] == ["age"]
    assert {"partitions", "loss", "normalized", "max", "sd"} <= set(age)
    assert document["uniqueness"] == found.uniqueness
    assert {"attribute", "role", "why"} <= set(document["suggested"][0])
    assert "exposed" not in document
    assert "change" not in document
    assert found.to_dict(exposed=True)["exposed"][0] == found.exposed[0].to_dict()
    assert document["suggested_shield"]["attributes"] == ["age", "zip", "sex"]


def test_it_shows_itself(found: Assessment) -> None:
    assert repr(found).startswith("<Assessment: 240 records")
    assert "<th>age</th>" in found._repr_html_()
    frame = found.frame()
    assert frame.height == 5
    assert frame["attributes"][0] == "age"
    assert "P0000" not in repr(found) + found._repr_html_()


def test_combinations_of_a_given_size() -> None:
    found = ind.assess(people(), combinations=2)
    assert len(found.leakage) == 5 + 10
    assert found.leakage[5].attributes == ("age", "sex")
    assert max(len(item.attributes) for item in found.top) <= 2
    assert ind.assess(people(), combinations=1).top[0].attributes == ("age",)


def test_chosen_columns_and_what_they_leak_together() -> None:
    found = ind.assess(people(), attributes=["zip", "patient_id"])
    assert [item.attributes for item in found.leakage] == [
        ("patient_id",), ("zip",), ("patient_id", "zip"),
    ]  # fmt: skip
    assert found.leakage[-1].normalized == pytest.approx(1)
    assert found.left_out[0].why == "was not asked for"
    assert found.together.attributes == ("zip",)
    # A key by itself is no news in combinations.
    assert [item.attributes for item in found.top] == [("zip",)]
    assert found.key_like[0].attributes == ("patient_id",)


def test_only_sensitive_columns() -> None:
    found = ind.assess(people(), attributes=["diagnosis"])
    assert found.together.attributes == ("diagnosis",)
    assert found.sensitive == ()


def test_a_policy_says_the_roles() -> None:
    policy = ind.Policy.from_dict(POLICY)
    found = ind.assess(people(), policy)
    assert found.left_out[0].why == "the policy leaves it out"
    assert found.roles == {
        "age": "quasi-identifier", "sex": "quasi-identifier", "zip": "quasi-identifier",
        "diagnosis": "sensitive", "colour": "insensitive",
    }  # fmt: skip
    (advice,) = found.min_levels
    assert advice.attribute == "age"
    shares = [item for item in found.leakage if item.attributes == ("age",)]
    assert advice.normalized < 0.5 < shares[0].normalized


def test_a_warning_where_a_column_that_is_not_shielded_leaks_a_lot() -> None:
    frame = people().with_columns(cost=pl.int_range(240) / 7)
    found = ind.assess(frame)
    assert found.roles["cost"] == "sensitive"
    assert "cost is not among them because it counts as sensitive" in found.shield.why[-1]


def test_identifiers_are_let_go_before_combinations_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = []

    def counted(table: Table, *rest: Any) -> Encoded:
        held.append([*table.columns, table.text(["patient_id"])["patient_id"].count()])
        return encode(table, *rest)

    for verb in (assessment, discovering):
        monkeypatch.setattr(verb, "encode", counted)
    frame = people()
    ind.assess(frame)
    ind.quasi(frame, accept=True)
    assert held == [[*frame.columns, 0]] * 2
    assert frame["patient_id"].null_count() == 0
    ind.assess(frame, attributes=["patient_id", "age"])
    assert held[-1][-1] == frame.height


def test_before_and_after_a_release() -> None:
    policy = ind.Policy.from_dict(POLICY)
    release = ind.anonymize(people(), policy)
    found = ind.assess(people(), policy, release=release, threshold=0.2)
    change = found.change
    assert change is not None
    by_name = {item.attribute: item for item in change.attributes}
    assert list(by_name) == ["age", "sex", "zip", "diagnosis", "colour"]
    age = by_name["age"]
    assert age.after is not None
    assert age.after.loss < age.before.loss
    assert change.after is not None
    assert change.after.alone == 0
    assert change.before.alone == found.uniqueness
    assert change.shield == ("age", "sex", "zip")
    assert [item.attribute for item in change.exposed] == [
        name
        for name, item in by_name.items()
        if item.after is not None and item.after.normalized >= 0.2
    ]
    frame = change.frame()
    assert frame.columns == ["attribute", "before", "after"]
    assert frame.height == 6
    assert "<th>age</th>" in change._repr_html_()
    document = found.to_dict()["change"]
    assert json.loads(json.dumps(document)) == document
    assert document["records"]["before"] == 240
    assert document["uniqueness"]["after"] == 0
    ((sensitive, still),) = change.sensitive
    assert sensitive == found.sensitive[0]
    assert still is not None
    assert still.share < sensitive.share


# -------- advice --------

AGES = Taxonomy("age", [(str(n), f"{n // 10}x", "*") for n in range(20, 60)])


def advised(published: Sequence[str], roles: Any = None, **settings: Any) -> dict[str, Any]:
    before = pl.DataFrame({"age": [str(n) for n in range(20, 60)], "sex": ["f", "m"] * 20})
    after = pl.DataFrame({"age": published, "sex": ["f", "m"] * 20})
    change = compare_leakage(
        open_table(before),
        open_table(after),
        ["age", "sex"],
        known=Known(roles or {}, taxonomy_of=lambda name: AGES if name == "age" else None),
        **settings,
    )
    (item,) = [item for item in change.attributes if item.attribute == "age"]
    return {action.kind: action for action in item.actions}


def test_generalize_further() -> None:
    actions = advised([str(n) for n in range(20, 60)], threshold=0.6)
    assert list(actions) == ["generalize", "suppress", "decoys"]
    assert actions["generalize"].policy == "[attributes.age]\nmin_level = 1"
    assert "from level 1 on" in actions["generalize"].text
    assert actions["suppress"].policy == '[attributes.age]\nrole = "identifier"'
    assert actions["decoys"].policy == "[method]\ndecoys = { to = 2 }"
    assert "it then leaks 96% instead of 100%" in actions["decoys"].text


def test_nothing_left_to_generalize_but_the_top() -> None:
    actions = advised([f"{n // 10}x" for n in range(20, 60)], threshold=0.3)
    assert list(actions) == ["suppress", "decoys"]
    assert "fewer than 10" in actions["decoys"].text


def test_no_advice_is_needed_below_the_threshold() -> None:
    assert advised([f"{n // 10}x" for n in range(20, 60)], threshold=0.9) == {}


def test_advice_for_what_is_no_quasi_identifier_and_without_a_hierarchy() -> None:
    ages = [str(n) for n in range(20, 60)]
    roles = {"age": "insensitive", "sex": "quasi-identifier"}
    actions = advised(ages, roles=roles, shield=["sex"])
    assert list(actions) == ["generalize", "suppress"]
    assert 'role = "quasi-identifier"' in actions["generalize"].policy
    change = compare_leakage(
        open_table(pl.DataFrame({"age": ages})), open_table(pl.DataFrame({"age": ages})), ["age"]
    )
    assert "hierarchy" in change.exposed[0].actions[0].policy


def test_labels_of_no_level() -> None:
    assert "generalize" in advised(["young"] * 20 + [str(n) for n in range(20)], threshold=0.5)


def test_leakage_by_level() -> None:
    encoded = encode(open_table(pl.DataFrame({"age": [str(n) for n in range(20, 60)]})), ["age"])
    shares = leakage_by_level(encoded, "age", AGES)
    assert shares == pytest.approx([1.0, 2 / math.log2(40), 0.0])
    assert level_below(shares, 0.5, 1) == 1
    assert level_below(shares, 0.1, 1) is None


def test_a_release_without_a_column_and_one_without_all() -> None:
    frame = people()
    found = ind.assess(frame, release=frame.select("sex"))
    assert found.change is not None
    by_name = {item.attribute: item for item in found.change.attributes}
    assert by_name["age"].after is None
    assert not by_name["age"].exposed
    with pytest.raises(ind.DataError, match="none of the attributes"):
        ind.assess(frame, release=pl.DataFrame({"other": ["x"]}))


def test_an_empty_release() -> None:
    found = ind.assess(people(), release=people().clear())
    assert found.change is not None
    assert found.change.records_after == 0
    assert found.change.exposed == ()


# -------- sensitive attributes --------


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from([0.0, 1.0, 2.5])),
        min_size=1,
        max_size=20,
    ).filter(lambda rows: any(row[2] for row in rows)),
    st.booleans(),
)
@settings(max_examples=100)
def test_mutual_information(rows: list[tuple[int, int, float]], weighted: bool) -> None:
    frame = pl.DataFrame(rows, schema=["e", "s", "w"], orient="row")
    encoded = encode(open_table(frame), ["e", "s"], "w" if weighted else None)
    found = sensitive_leakage(encoded, "s", ["e"])
    p = [row[2] if weighted else 1.0 for row in rows]
    total = sum(p)

    def entropy(values: list[tuple[int, float]]) -> float:
        mass: Counter[int] = Counter()
        for value, weight in values:
            mass[value] += weight  # type: ignore[assignment]
        whole = sum(mass.values())
        return -sum(x / whole * math.log2(x / whole) for x in mass.values() if x > 0)

    whole = entropy([(row[1], weight) for row, weight in zip(rows, p, strict=True)])
    losses = []
    for row, weight in zip(rows, p, strict=True):
        if weight == 0:
            continue
        alike = [
            (other[1], w) for other, w in zip(rows, p, strict=True) if other[0] == row[0] and w > 0
        ]
        losses.append((weight / total, whole - entropy(alike)))
    mean = sum(share * loss for share, loss in losses)
    spread = sum(share * (loss - mean) ** 2 for share, loss in losses)
    assert found.entropy == pytest.approx(whole, abs=1e-9)
    assert found.information == pytest.approx(mean, abs=1e-9)
    assert found.deviation == pytest.approx(math.sqrt(max(spread, 0)), abs=1e-6)
    assert found.maximum == pytest.approx(max(loss for _, loss in losses), abs=1e-9)
    assert 0 <= found.information <= whole + 1e-12
    assert found.share == pytest.approx(found.information / whole if whole > 0 else 0)


# -------- records, weights, engines --------


@pytest.mark.parametrize("others", [0, 1])
def test_what_does_not_apply_hides_nobody(others: int) -> None:
    """Of three people who have a ward one has x for certain, and the others y or z."""
    rows = [*[(1, one) for one in ("x", "none", "none", None)], (2, "y"), (2, "z"), (2, "none")]
    table = pl.DataFrame(rows, ["e", "s"], orient="row")
    about = [{"not_applicable": ["none", ""]}, {"not_applicable": []}][: 1 + others]
    policy = {
        "attributes": {"e": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}},
        "promises": [
            {"model": "max-posterior", "sensitive": "s", "bound": 1, **one} for one in about
        ],
    }
    (found,) = (assessed := ind.assess(table, policy, release=table)).sensitive
    assert assessed.change is not None
    assert assessed.change.sensitive == ((found, found),)
    assert found.certain == (0 if others else pytest.approx(1 / 3))
    assert others or found.entropy == pytest.approx(math.log2(3))


def test_the_most_exposed_records_are_named_by_number_in_python_only() -> None:
    frame = pl.DataFrame({"age": [30] * 30 + [77] + [40] * 9, "sex": ["f"] * 40})
    found = ind.assess(frame, exposed=2)
    assert [(item.row, item.alike) for item in found.exposed] == [(31, 1), (32, 9)]
    assert found.exposed[0].loss == pytest.approx(math.log2(40))
    assert ind.assess(frame, exposed=0).exposed == ()
    assert "exposed" not in repr(found)


def test_weights() -> None:
    frame = pl.DataFrame({"age": [1, 1, 2, 3], "sex": list("ffmm"), "p": [1, 1, 2, 0]})
    found = ind.assess(frame, weights="p", attributes=["age", "sex"])
    assert found.entropy == pytest.approx(1.5)
    assert found.leakage[0].loss == pytest.approx(1.0)
    same = ind.assess(frame.with_columns(p=pl.lit(3)), weights="p", attributes=["age", "sex"])
    plain = ind.assess(frame, attributes=["age", "sex"])
    for one, other in zip(same.leakage, plain.leakage, strict=True):
        assert one.loss == pytest.approx(other.loss)
    assert ind.assess(frame, weights="p").left_out[-1].why == "holds the weights of the records"


def test_weights_that_are_none() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "p": ["1", "-2", "x", None]})
    with pytest.raises(ind.DataError) as caught:
        ind.assess(frame, weights="p", attributes=["age"])
    assert caught.value.problems[0].rows == (2, 3, 4)
    assert "x" not in str(caught.value).replace("exp", "")
    with pytest.raises(ind.DataError, match="all weights are 0"):
        ind.assess(frame.with_columns(p=pl.lit(0)), weights="p", attributes=["age"])


def test_a_table_that_a_database_holds() -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = people().with_columns(p=pl.int_range(240) % 3)
    with duckdb.connect() as connection:
        connection.register("people", frame.to_arrow())
        relation = connection.sql("select * from people")
        there = ind.assess(relation, weights="p", combinations=2)
    here = ind.assess(frame, weights="p", combinations=2)
    assert there.exposed == ()
    for one, other in zip(there.leakage, here.leakage, strict=True):
        assert one.attributes == other.attributes
        assert one.loss == pytest.approx(other.loss)
    assert there.uniqueness == pytest.approx(here.uniqueness)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"threshold": 2}, "threshold must be a share"),
        ({"key_like": -1}, "key_like must be a share"),
        ({"combinations": 0}, "combinations must be 1 or more"),
        ({"top": -1}, "top must be 0 or more"),
        ({"attributes": ["aeg"]}, "did you mean 'age'"),
        ({"weights": "sax"}, "did you mean 'sex'"),
        ({"attributes": []}, "no column was named"),
    ],
)
def test_what_cannot_be_assessed(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ind.DataError, match=said):
        ind.assess(people(), **asked)


def test_people_who_are_exposed_in_a_release() -> None:
    release = pl.DataFrame(
        {
            "who": ["1", "1", "1", "2", "2", "3"],
            "age": ["20", "20", "20", "30", "30", "20"],
            "ill": ["a", "b", "c", "a", "b", "a"],
        }
    )
    keys = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
            "who": {"role": "identifier"},
        },
        "promises": [{"model": "k-anonymity", "k": 1}],
    }
    found = ind.assess(release, ind.Policy.from_dict(keys), release=release, exposed=3)
    assert [(item.row, item.alike) for item in found.exposed] == [(4, 1), (1, 2), (6, 2)]
    document = found.to_dict(exposed=True)
    assert (document["exposed_in"], document["exposed_rows"]) == ("release", "table")
    # Without a policy nothing says how cells are read: the rows of the release are told.
    plain = ind.assess(release, release=release[::-1], attributes=["age"], exposed=2)
    assert [(item.row, item.alike) for item in plain.exposed] == [(2, 2), (3, 2)]
    assert plain.exposed_rows == "release"
