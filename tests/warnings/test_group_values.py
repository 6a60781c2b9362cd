"""What the other people's values of a group tell of the rest, against all ways to know them."""

from __future__ import annotations

import html
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.warnings.group_values import (
    HAVE,
    OF,
    NumberedRows,
    certain_beside,
    of_buckets,
    of_classes,
)


def only_known(classes: list[list[str]], unknown: set[str]) -> float:
    """The share who have a value that every other of their class has, but those without one."""
    told = 0
    for values in classes:
        known = [one for one in values if one not in unknown]
        told += len(known) * (len(set(known)) == 1 and len(known) < len(values))
    return told / max(sum(map(len, classes)), 1)


rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", "z", "?", "*", None])),
    min_size=1,
    max_size=9,
)


def certain(classes: list[list[str]], others: int, unknown: set[str]) -> float:
    """The share of whom some choice of so many others of the class leaves one value."""
    sure = 0
    for values in classes:
        for at, own in enumerate(values):
            rest = [*values[:at], *values[at + 1 :]]
            unlike = sum(one != own for one in rest)
            known = combinations(rest, min(others, len(rest)))
            left = any(sum(one != own for one in some) == unlike for some in known)
            sure += left and own not in unknown
    return sure / max(sum(map(len, classes)), 1)


@given(rows, st.integers(0, 3))
def test_who_is_certain_once_others_are_known(table: list[tuple[str, Any]], others: int) -> None:
    frame = pl.DataFrame(table, ["age", "ill"], orient="row", schema_overrides={"ill": pl.String})
    texts = [(one, value or "") for one, value in table]
    classes = [[value for one, value in texts if one == own] for own in "ab"]
    wanted = certain(classes, others, {"", "?", "*"})
    for person in (None, "who"):
        held = frame.with_row_index("who").cast({"who": pl.String})
        found = list(of_classes(held, ["age"], person, {"ill": ["?"]}))
        assert found[0].certain(others) == pytest.approx(wanted)
        assert found[0].only_known == pytest.approx(only_known(classes, {"", "?", "*"}))
    tables = {
        "quasi": frame.select(bucket="age", age="age"),
        "sensitive": frame.select("ill", bucket="age").drop_nulls(),
    }
    link = {"quasi": "quasi", "sensitive": "sensitive", "by": "bucket"}
    found = list(of_buckets(tables, link, {"ill": ["?"]}))
    assert found[0].certain(others) == pytest.approx(wanted)


def test_a_set_is_told_by_its_members() -> None:
    tables = {
        "quasi": pl.DataFrame({"bucket": [1, 1, 1], "age": [20, 30, 40]}),
        "sensitive": pl.DataFrame(
            {"bucket": 1, "attribute": "ill", "value": ["{flu, gout}", "{flu, cold}", "hiv"]}
        ),
    }
    link = {"quasi": "quasi", "sensitive": "sensitive", "by": "bucket"}
    found = next(iter(of_buckets(tables, link, {"ill": []})))
    assert [found.certain(others) for others in (0, 1, 2)] == pytest.approx([0, 2 / 3, 1])


def hospital(promise: dict[str, Any], algorithm: str, **method: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "ill": {"role": "sensitive"},
            "ward": {"role": "sensitive"},
        },
        "promises": [{"sensitive": "ill", **promise}],
        "method": {"algorithm": algorithm, "seed": 1, **method},
    }


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_certificates_say_what_who_knows_others_is_certain_of(
    tmp_path: Path, engine: str | None
) -> None:
    ages = [20] * 3 + [30] * 4 + [40] * 5
    ill = ["flu", "flu", "hiv", "flu", "flu", "hiv", "gout", *["flu", "cold", "hiv", "gout", "flu"]]
    pl.DataFrame({"age": ages, "ill": ill, "ward": "w"}).write_csv(tmp_path / "in.csv")
    policy = hospital({"model": "max-posterior", "bound": 0.7}, "optimal")
    release = ind.anonymize(tmp_path / "in.csv", policy, engine=engine)
    told = [text for text in release.certificate.warnings if "another person's value" in text]
    assert len(told) == 1
    assert "'ill' (16.7% of records, two others' 41.7%)" in told[0]
    assert "ward" not in told[0]  # no promise bounds it: that is said elsewhere
    assert not any("was not tried" in text for text in release.warnings)
    if engine is None:
        answers = html.unescape(release.report(public=True))
        at_risk = answers.partition("What is still at risk?")[2].partition("<h2")[0]
        assert f"K{told[0][1:]}." in at_risk
        assert "No promise bounds what a class tells about 'ward'" in at_risk


def test_buckets_say_it_too_and_made_up_people_count_for_nothing_in_public() -> None:
    who = [f"p{at}" for at in range(8)]
    data = pl.DataFrame(
        {
            "id": who,
            "age": [2, 2, 2, 2, 5, 5, 5, 5],
            "ill": ["flu", "flu", "hiv", "hiv"] * 2,
            "ward": "w",
        }
    )
    asked = hospital({"model": "max-posterior"}, "anatomy") | {"source": {"person": "id"}}
    release = ind.anonymize(data, asked)
    told = [text for text in release.certificate.warnings if "another person's value" in text]
    assert "in a bucket" in told[0]
    assert "'ill' (100% of people, two others' 100%)" in told[0]
    asked = hospital({"model": "max-posterior"}, "optimal", decoys={"to": 5, "limit": 0.5})
    release = ind.anonymize(data.select(pl.col("age") * 10, "ill", "ward"), asked)
    public = [text for text in release.certificate.warnings if "other people's values" in text]
    assert len(public) == 1
    assert "%" not in public[0]
    private = [text for text in release.warnings if "another person's value" in text]
    assert "in a class" in private[0]
    assert private[0] not in release.certificate.warnings


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from(["x", "y", None]), st.sampled_from([1, 2, None])
        ),
        min_size=1,
        max_size=12,
    )
)
def test_what_one_value_of_a_record_tells_of_another(table: list[tuple[str, Any, Any]]) -> None:
    schema = {"age": pl.String, "job": pl.String, "ill": pl.Int64}
    frame = pl.DataFrame(table, schema, orient="row")
    found = certain_beside(
        NumberedRows(frame, ["age"]), ["age"], ["ill"], {"job": [], "ill": ["2"]}
    )
    sure = usual = 0
    most = max((1, 2), key=lambda one: sum(ill == one for _, _, ill in table))
    for age, job, ill in table:
        seen = {other for own, known, other in table if (own, known) == (age, job)}
        certain = job is not None and seen == {ill} and ill not in (None, 2)
        sure += certain
        usual += certain and ill == most
    part, other = found["ill"]["job"]
    assert part == pytest.approx(sure / len(table))
    assert other == pytest.approx((sure - usual) / max(sure, 1))


def test_a_run_tells_of_values_that_another_one_of_the_record_makes_certain() -> None:
    """Each is bounded in its class, and both together are nothing but one value."""
    pairs = [("hiv", "smith"), ("flu", "cook")] * 2
    rows = [(20, *pair) for pair in pairs] + [(40, *pair) for pair in pairs]
    data = pl.DataFrame(rows, ["age", "ill", "ward"], orient="row")
    asked = hospital({"model": "max-posterior"}, "optimal")
    asked["promises"].append({**asked["promises"][0], "sensitive": "ward"})
    told = [
        text for text in ind.anonymize(data, asked).warnings if "tell another for certain" in text
    ]
    assert len(told) == 1
    assert "'ward' tells 'ill' (100% of records), 'ill' tells 'ward' (100% of records)" in told[0]


def test_many_columns_take_few_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars plans each query anew, which took most of a run on thousands of columns."""
    asked: list[int] = []
    plain = pl.DataFrame.lazy
    monkeypatch.setattr(pl.DataFrame, "lazy", lambda frame: asked.append(1) or plain(frame))
    columns = {f"c{at}": ["x", "y", "x", None] for at in range(50)}
    frame = pl.DataFrame({"age": ["a", "a", "b", "b"], **columns, "ill": ["1", "1", "2", "3"]})
    unknown: dict[str, list[str]] = {name: [] for name in frame.columns[1:]}
    beside = certain_beside(NumberedRows(frame, ["age"]), ["age"], ["ill"], unknown)["ill"]
    assert beside["c0"] == beside["c49"] == (0.75, 1 / 3)
    assert len(asked) < 50


def test_what_most_have_is_told_last_of_what_a_value_makes_certain() -> None:
    """That a home without falls has no absconsion either is no news: hardly any home has one."""
    rows = [
        (20 + 20 * (at % 2), at // 2 % 4, int(at in (3, 8)), "xyyz"[at // 2 % 4])
        for at in range(40)
    ]
    data = pl.DataFrame(rows, ["age", "falls", "absconsion", "ward"], orient="row")
    asked = hospital({"model": "max-posterior"}, "optimal")
    for name in ("falls", "absconsion"):
        asked["attributes"][name] = {"role": "sensitive"}
    del asked["attributes"]["ill"]
    asked["promises"] = [{"model": "k-anonymity", "k": 4}]
    (told,) = [
        text for text in ind.anonymize(data, asked).warnings if "tell another for certain" in text
    ]
    assert told.index("'falls' tells 'ward'") < told.index("tells 'absconsion'")
    assert "of records, 100% of them the most frequent value)" in told


@pytest.mark.parametrize("part", [{"values": ["hiv"]}, {"not_values": ["flu"]}])
def test_values_that_a_promise_leaves_out_are_told(part: dict[str, Any]) -> None:
    ill = ["flu"] * 4 + ["hiv", "flu", "cold", "gout"]
    data = pl.DataFrame({"age": [20] * 4 + [40] * 4, "ill": ill, "ward": "w"})
    release = ind.anonymize(data, hospital({"model": "max-posterior", **part}, "optimal"))
    public = " ".join(release.certificate.warnings)
    assert "tells about 'ward', values of 'ill' that promises leave out:" in public
    assert "'ill' (50.0% of records)" in " ".join(release.warnings)


@pytest.mark.parametrize("person", [None, "nr"])
def test_no_number_is_no_value_whoever_holds_the_table(person: str | None) -> None:
    """As a missing one, which stands beside it in one class and not in the other."""
    duckdb = pytest.importorskip("duckdb")
    nan = float("nan")
    rows = pl.DataFrame(
        {
            "age": [1, 1, 1, 2, 2, 2],
            "level": [1.5, nan, nan, None, nan, 2.5],
            "nr": [f"P{at}" for at in range(6)],
        }
    )
    for held in (rows, rows[::-1], rows.to_arrow(), duckdb.from_arrow(rows.to_arrow())):
        if person and not isinstance(held, pl.DataFrame):
            continue  # people are counted in memory
        found = next(iter(of_classes(held, ["age"], person, {"level": []})))
        assert sorted(found.rows.select("level", HAVE, OF).cast(pl.String).rows()) == [
            ("1.5", "1", "3"),
            ("2.5", "1", "3"),
        ]
