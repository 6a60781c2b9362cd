"""Records that are published with ``*`` throughout are in no class, as an audit sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct as ind
from indistinct.errors import Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import promise
from indistinct.recoding.fully_suppressed import FullySuppressed
from indistinct.recoding.subtree.search import SearchResult, run
from indistinct.recoding.subtree.space import space

PUBLISHED = {"model": "t-closeness", "t": 0.4, "sensitive": "disease"}
ON_AGE = {"model": "distinct-l-diversity", "l": 2, "sensitive": "disease", "on": ["age"]}


def policy(asked: dict[str, Any], **method: Any) -> ind.Policy:
    return ind.Policy.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "missing": "suppress"},
                "zip": {"role": "quasi-identifier", "missing": "suppress"},
                "disease": {"role": "sensitive"},
            },
            "promises": [asked],
            "method": method,
        }
    )


def test_which_records_are_starred() -> None:
    ages = Taxonomy("age", [("30", "*"), ("40", "4x", "*")])
    zips = Taxonomy("zip", [("1", "*"), ("2", "*")])
    texts = pl.DataFrame({"age": ["30", "40"], "zip": ["1", "2"]})
    data = Microdata.encode(texts, {"age": ages, "zip": zips}).data
    starred = FullySuppressed(data, [promise("k-anonymity", k=2, on=("age",))])
    assert starred
    found = starred.at(np.array([1, 1]))
    assert found is not None
    assert found.tolist() == [True, False]
    assert starred.at(np.array([1, 0])) is None
    assert starred.at(np.array([2, 1])) is None  # all of them
    assert not FullySuppressed(data, [promise("k-anonymity", k=2)])


@pytest.mark.parametrize("objective", ["loss", "rows"])
def test_a_class_over_some_attributes_has_no_starred_records(objective: str) -> None:
    # With age at "*" the two without a zip are "*" throughout: the others have one disease.
    frame = pl.DataFrame(
        {
            "age": ["30", "31", "32", "33"],
            "zip": [None, None, "1", "1"],
            "disease": ["flu", "cold", "ulcer", "ulcer"],
        }
    )
    release = ind.anonymize(frame, policy(ON_AGE, objective=objective))
    assert (release.tables["zip"] == "*").all()
    held = policy(ON_AGE).to_dict()
    held["attributes"]["zip"]["max_level"] = 0
    with pytest.raises(Unsatisfiable):
        ind.anonymize(frame, held)


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.sampled_from("ab"),
            st.none() | st.sampled_from("xy"),
            st.sampled_from("pqr"),
        ),
        min_size=1,
        max_size=12,
    ),
    asked=st.sampled_from([PUBLISHED, ON_AGE]),
    method=st.sampled_from(
        [
            {},
            {"suppression_limit": 0.5},
            {"suppression_limit": 0.5, "algorithm": "heuristic"},
            {"suppression_limit": 0.9, "local_recoding": True},
            {"suppression_limit": 0.5, "objective": "rows"},
            {"algorithm": "iab"},
            {"algorithm": "iab", "scope": "siblings"},
            {"algorithm": "greedy", "scope": "subtree"},
            {"algorithm": "exhaustive"},
        ]
    ),
)
def test_a_release_is_made_or_refused(
    rows: list[tuple[str | None, str | None, str]], asked: dict[str, Any], method: dict[str, Any]
) -> None:
    frame = pl.DataFrame(
        rows, schema=dict.fromkeys(("age", "zip", "disease"), pl.String), orient="row"
    )
    try:
        release = ind.anonymize(frame, policy(asked, **method))
    except Unsatisfiable:
        return
    assert ind.audit(release.tables, policy(asked)).holds


@pytest.mark.parametrize("algorithm", ["iab", "greedy", "exhaustive"])
@pytest.mark.parametrize("scope", ["domain", "siblings", "subtree"])
def test_searches_for_rows_leave_starred_records_out_of_classes(algorithm: str, scope: str) -> None:
    frame = pl.DataFrame(
        {
            "age": ["30", "31", "32", "33"],
            "zip": [None, None, "1", "1"],
            "disease": ["flu", "cold", "ulcer", "ulcer"],
        }
    )
    asked = policy(ON_AGE, algorithm=algorithm, scope=scope)
    with pytest.raises(Unsatisfiable):  # the zip is in no requirement, and stays as it is
        ind.anonymize(frame, asked)
    both = asked.to_dict()
    both["promises"].append({"model": "k-anonymity", "k": 1, "on": ["zip"]})
    release = ind.anonymize(frame, both)
    assert (release.tables["zip"] == "*").all()
    assert (release.tables["age"] == "*").all()


@pytest.mark.parametrize("algorithm", ["iab", "greedy", "exhaustive"])
def test_others_are_lifted_to_a_suppressed_value(algorithm: str) -> None:
    # Nobody but the one without an age breaks the promise, and his cell is "*" already.
    microdata = Microdata.encode(
        pl.DataFrame({"age": [None, "a", "a", "b", "b"]}),
        {"age": Taxonomy("age", [("a", "*"), ("b", "*")], suppressed=[None])},
    )
    states = space("subtree", microdata.data, [promise("k-anonymity", k=2, on=("age",))])
    assert run(algorithm, states).chosen.rows == 1


MISSING = ("age", "zip")


@settings(max_examples=80)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.sampled_from("abcd"),
            st.none() | st.sampled_from("wxyz"),
            st.sampled_from("pqr"),
        ),
        min_size=1,
        max_size=9,
    ),
    asked=st.lists(
        st.sampled_from(
            [
                promise("t-closeness", t=0.4, sensitive="disease", on=MISSING),
                promise("distinct-l-diversity", l=2, sensitive="disease", on=("age",)),
                promise("distinct-l-diversity", l=2, sensitive="disease", on=("zip",)),
                promise("k-anonymity", k=2, on=("age",)),
            ]
        ),
        min_size=1,
        max_size=2,
    ),
    scope=st.sampled_from(["domain", "subtree"]),
)
def test_iab_keeps_as_many_rows_as_looking_at_every_table(
    rows: list[tuple[str | None, str | None, str]], asked: list[Any], scope: str
) -> None:
    def tree(name: str, values: str) -> Taxonomy:
        paths = [(v, f"{values[at // 2 * 2]}+", "*") for at, v in enumerate(values)]
        return Taxonomy(name, paths, suppressed=[None])

    texts = pl.DataFrame(rows, schema=dict.fromkeys((*MISSING, "disease"), pl.String), orient="row")
    microdata = Microdata.encode(
        texts, {"age": tree("age", "abcd"), "zip": tree("zip", "wxyz")}, sensitive=["disease"]
    )
    found: dict[str, SearchResult | None] = {}
    for name in ("exhaustive", "iab"):
        states = space(scope, microdata.data, asked)
        try:
            found[name] = run(name, states)
        except Unsatisfiable:
            found[name] = None
    best, quick = found["exhaustive"], found["iab"]
    assert (best is None) == (quick is None)
    if best is not None and quick is not None:
        assert quick.optimal
        assert quick.chosen.rows == best.chosen.rows


@pytest.mark.parametrize("start", ["chunks", "mondrian", "k-member"])
def test_theta_leaves_out_no_more_than_is_allowed(start: str) -> None:
    frame = pl.DataFrame({"age": ["1", "2", "3", "4", None, None], "disease": list("pqpqpq")})
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier", "missing": "suppress"},
            "disease": {"role": "sensitive"},
        },
        "promises": [{"model": "theta-sensitive", "k": 2, "mu": 0.5, "sensitive": "disease"}],
        "method": {"algorithm": "theta", "partition": {"start": start}},
    }
    with pytest.raises(Unsatisfiable, match="0 of 6 records"):
        ind.anonymize(frame, asked)
