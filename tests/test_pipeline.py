"""The verbs end to end: every engine, every promise kept, nothing private in public."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

import indistinct as ind
from indistinct.cli.summary import summarize
from indistinct.errors import (
    DataError,
    HierarchyError,
    IndistinctError,
    OutputError,
    PolicyError,
    Unsatisfiable,
)
from indistinct.policy import DraftPolicy

WARDS = ("cardiology", "surgery", "oncology", "geriatrics")


def patients(n: int = 400, seed: int = 3) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"Person {at:05d}" for at in range(n)],
            "age": random.integers(18, 95, n),
            "sex": random.choice(["f", "m"], n),
            "zip": [f"{value:05d}" for value in 52000 + random.integers(0, 60, n) ** 2 % 400],
            "ward": random.choice(WARDS, n),
            "cost": random.integers(100, 9_000, n) + 0.5,
        }
    ).with_columns(pl.when(pl.col("cost") > 8_500).then(None).otherwise(pl.col("zip")).alias("zip"))


def policy(**changes: Any) -> ind.Policy:
    keys: dict[str, Any] = {
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
            "ward": {"role": "sensitive"},
            "cost": {"role": "insensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"suppression_limit": 0.05},
    }
    return ind.Policy.from_dict(keys | changes)


ENGINES = ["polars", "polars-lazy", "pandas", "pyarrow", "duckdb"]


def as_engine(frame: pl.DataFrame, engine: str) -> Any:
    if engine == "polars":
        return frame
    if engine == "polars-lazy":
        return frame.lazy()
    if engine == "pandas":
        return frame.to_pandas().set_index(pd.Index(range(7, 7 + 3 * frame.height, 3)))
    table = frame.to_arrow()
    if engine == "pyarrow":
        return table
    return duckdb.from_arrow(table)


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    known = nw.from_native(frame)
    held = known.collect(backend="polars") if isinstance(known, nw.LazyFrame) else known
    return [tuple(map(_plain, row)) for row in held.rows()]


def _plain(value: Any) -> Any:
    missing = value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))
    return None if missing else value


def test_a_release_keeps_what_it_promises() -> None:
    frame = patients()
    release = ind.anonymize(frame, policy())
    table = release.tables
    assert table.columns == ["age", "sex", "zip", "ward", "cost"]
    sizes = Counter(table.select("age", "sex", "zip").rows())
    assert min(sizes.values()) >= 5
    run = release.run.to_dict()
    assert run["records"] == frame.height
    assert run["published"] == table.height
    assert run["suppressed"] == frame.height - table.height
    assert run["suppressed"] <= 0.05 * frame.height
    assert run["classes"]["count"] == len(sizes)
    assert run["classes"]["smallest"] == min(sizes.values())
    assert 0.0 < release.measures["loss"] < 1.0


def test_every_published_record_belongs_to_a_source_record() -> None:
    """Sensitive and insensitive values stay with the generalized values of their own record."""
    frame = patients()
    release = ind.anonymize(frame, policy())
    levels = release.run.to_dict()["plan"]["levels"]
    source = Counter(frame.select("ward", "cost").rows())
    assert not Counter(release.tables.select("ward", "cost").rows()) - source
    by_cost = {row["cost"]: row for row in frame.unique("cost", keep="none").rows(named=True)}
    checked = 0
    for row in release.tables.rows(named=True):
        own = by_cost.get(row["cost"])
        if own is None:
            continue
        checked += 1
        assert row["ward"] == own["ward"]
        if levels["sex"] == 0:
            assert row["sex"] == own["sex"]
        digits = (row["zip"] or "").rstrip("*")
        assert (own["zip"] or "").startswith(digits)
    assert checked > 100


def test_kept_suppressed_records_are_stars_and_no_class() -> None:
    chosen = policy(output={"suppressed": "keep"})
    release = ind.anonymize(patients(), chosen)
    table = release.tables
    run = release.run.to_dict()
    stars = table.filter((pl.col("age") == "*") & (pl.col("sex") == "*") & (pl.col("zip") == "*"))
    assert stars.height == run["suppressed"] > 0
    assert table.height == 400
    verdict = ind.audit(table, chosen).to_dict()
    assert verdict["holds"]
    assert verdict["suppressed"] == run["suppressed"]
    assert verdict["classes"]["smallest"] >= 5


def test_several_promises_settle_together() -> None:
    asked = [
        {"model": "k-anonymity", "k": 12, "on": ["age", "sex"]},
        {"model": "k-anonymity", "k": 4, "on": ["zip", "sex"]},
        {"model": "k-anonymity", "k": 2},
    ]
    release = ind.anonymize(patients(), policy(promises=asked))
    table = release.tables
    assert min(Counter(table.select("age", "sex").rows()).values()) >= 12
    assert min(Counter(table.select("zip", "sex").rows()).values()) >= 4
    assert min(Counter(table.select("age", "sex", "zip").rows()).values()) >= 2


def test_local_recoding_keeps_the_promise_on_the_union() -> None:
    chosen = policy(method={"suppression_limit": 0.05, "local_recoding": True})
    release = ind.anonymize(patients(), chosen)
    assert ind.audit(release.tables, chosen).holds
    plain = ind.anonymize(patients(), policy())
    assert release.measures["loss"] < plain.measures["loss"]


def test_missing_values_are_one_value_however_they_were_written() -> None:
    frame = pl.DataFrame({"age": ["", None, "?", "", "30", "30", "31", "31"], "sex": ["f"] * 8})
    chosen = policy(
        attributes={
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"intervals": {"width": 10}},
                "missing": {"tokens": ["?"], "as": "value"},
                "max_level": 0,
            },
            "sex": {"role": "quasi-identifier"},
        },
        promises=[{"model": "k-anonymity", "k": 2}],
    )
    release = ind.anonymize(frame, chosen)
    assert Counter(release.tables["age"].to_list()) == {None: 4, "30": 2, "31": 2}


def test_a_seed_repeats_a_run_byte_for_byte_and_draws_a_warning(tmp_path: Path) -> None:
    chosen = policy(method={"suppression_limit": 0.05, "seed": 7})
    for name in ("one", "two"):
        ind.anonymize(patients(), chosen).write(tmp_path / name)
    files = [(tmp_path / name / "release.csv").read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]
    assert any("seed" in warning for warning in chosen.warnings)


@pytest.mark.parametrize("missing", [[], ["52004"]])
def test_texts_held_as_codes_make_the_same_release(
    missing: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    promises = [*policy().to_dict()["promises"], {"model": "distinct-l-diversity", "l": 2}]
    chosen = policy(
        method={"suppression_limit": 0.05, "seed": 7},
        promises=[promises[0], {**promises[1], "sensitive": "ward"}],
        attributes={
            **policy().to_dict()["attributes"],
            "zip": {
                "role": "quasi-identifier",
                "hierarchy": {"mask": {"from": "right"}},
                "missing": {"tokens": missing},
            },
        },
    )
    usual = ind.anonymize(patients(), chosen)
    monkeypatch.setattr("indistinct.sources.text._FEW_RECORDS", 0)
    held = ind.anonymize(patients(), chosen)
    assert held.tables.equals(usual.tables)
    assert held.private["evidence.json"] == usual.private["evidence.json"]
    assert held.warnings == usual.warnings


def test_the_remembered_seed_repeats_a_run() -> None:
    first = ind.anonymize(patients(), policy())
    seed = first.run.to_dict()["seed"]
    again = ind.anonymize(patients(), policy(method={"suppression_limit": 0.05, "seed": seed}))
    assert again.tables.equals(first.tables)


def test_shuffling_is_on_by_default_and_differs_between_runs() -> None:
    first, second = (ind.anonymize(patients(), policy()).tables for _ in range(2))
    assert not first.equals(second)
    in_order = policy(output={"shuffle": False})
    kept = ind.anonymize(patients(), in_order)
    costs = kept.tables["cost"].to_list()
    places = {cost: at for at, cost in reversed(list(enumerate(patients()["cost"].to_list())))}
    assert [places[cost] for cost in costs if costs.count(cost) == 1] == sorted(
        places[cost] for cost in costs if costs.count(cost) == 1
    )
    assert any("order" in warning for warning in kept.warnings)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_nothing_public_holds_what_must_not_be_there(tmp_path: Path, form: str) -> None:
    frame = patients()
    chosen = policy(output={"format": form})
    source = tmp_path / "patients.csv"
    frame.write_csv(source)
    release = ind.anonymize(source, chosen)
    out = release.write(tmp_path / "out")
    assert sorted(path.name for path in out.iterdir()) == [
        "certificate.json",
        "private",
        f"release.{form}",
        "report.html",
    ]
    assert (out / "private").stat().st_mode & 0o777 == 0o700
    public = b"".join(path.read_bytes() for path in out.iterdir() if path.is_file())
    assert b"Person" not in public
    levels = release.run.to_dict()["plan"]["levels"]
    assert levels["zip"] > 0
    whole = [zip_.encode() for zip_ in frame["zip"].drop_nulls().unique().to_list()]
    assert not [value for value in whole if value in public]
    certificate = json.loads((out / "certificate.json").read_text())
    run = json.loads((out / "private" / "run.json").read_text())
    words = json.dumps(certificate)
    for private in ("seed", "suppressed", "sha256_source", "source_sha256", "policy_sha256",
                    "objective", "checked", "levels", "plan"):  # fmt: skip
        assert private not in words
    assert str(run["seed"]) not in words
    assert set(certificate) <= set(run)
    assert run["source_sha256"] not in words


def test_a_parquet_release_has_no_statistics_and_no_metadata(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    chosen = policy(output={"format": "parquet"})
    out = ind.anonymize(patients(), chosen).write(tmp_path / "out")
    file = pq.ParquetFile(out / "release.parquet")
    assert not [key for key in (file.schema_arrow.metadata or {}) if key != b"ARROW:schema"]
    group = file.metadata.row_group(0)
    assert all(group.column(at).statistics is None for at in range(group.num_columns))


def test_categories_that_do_not_occur_do_not_travel() -> None:
    frame = patients().to_pandas()
    frame["ward"] = pd.Categorical(frame["ward"], categories=[*WARDS, "secret ward"])
    frame.attrs["owner"] = "Person 00001"
    released = ind.anonymize(frame, policy()).tables
    assert "secret ward" not in str(released.dtypes) + str(released.ward.dtype)
    assert not hasattr(released["ward"], "cat")
    assert not released.attrs
    assert isinstance(released.index, pd.RangeIndex)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("suppressed", ["drop", "keep"])
def test_records_that_were_suppressed_before_are_no_class(engine: str, suppressed: str) -> None:
    table = pl.DataFrame({"age": [*"111222", *"****"], "sex": [*"mmmmmm", *"***f"]})
    attributes = {name: {"role": "quasi-identifier"} for name in table.columns}
    chosen = ind.Policy(
        attributes=attributes,
        promises=[{"model": "k-anonymity", "k": 3}],
        method={"suppression_limit": 0.15},
        output={"suppressed": suppressed},
    )
    given: Any = table
    if engine == "duckdb":
        given = pytest.importorskip("duckdb").from_arrow(table.to_arrow())
    run = ind.anonymize(given, chosen).run.to_dict()
    assert run["plan"]["levels"] == {"age": 0, "sex": 0}
    assert run["classes"]["count"] == 2
    assert (run["published"], run["suppressed"]) == (6, 4)
    assert run["records_published"] == (10 if suppressed == "keep" else 6)
    assert any("these 3 form no class" in text for text in run["warnings"])


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize(
    ("outliers", "kept"), [(["HIV", "HIV", "HIV"], 0), (["HIV", "flu", "back"], 3)]
)
def test_suppressed_records_are_kept_where_they_break_no_promise_as_a_group(
    engine: str, outliers: list[str], kept: int
) -> None:
    """Whoever fits no class is one of the suppressed: three people with HIV would be told."""
    table = pl.DataFrame(
        {"age": [*"111222", *"789"], "illness": [*("flu", "heart", "back") * 2, *outliers]}
    )
    chosen = ind.Policy(
        attributes={"age": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}},
        promises=[{"model": "k-anonymity", "k": 3}, {"model": "distinct-l-diversity", "l": 2}],
        method={"suppression_limit": 0.4},
        output={"suppressed": "keep"},
    )
    given: Any = table
    if engine == "duckdb":
        given = pytest.importorskip("duckdb").from_arrow(table.to_arrow())
    release = ind.anonymize(given, chosen)
    run = release.run.to_dict()
    assert run["plan"]["levels"] == {"age": 0}
    assert (run["published"], run["suppressed"], run["records_published"]) == (6, 3, 6 + kept)
    told = [text for text in run["warnings"] if "are left out" in text]
    assert len(told) == (0 if kept else 1)
    assert not any("are left out" in text for text in release.certificate.warnings)
    found = ind.audit(release.tables, chosen)
    assert found.holds
    assert found.suppressed == kept


def test_an_audit_takes_promises_as_a_policy_does() -> None:
    release = ind.anonymize(patients(), policy())
    keys = {"model": "k-anonymity", "k": 2, "on": ["age"]}
    for asked in (ind.KAnonymity(k=2, on=("age",)), keys):
        verdict = ind.audit(release.tables, promises=[asked], quasi=["age", "sex"])
        assert verdict.holds
        assert verdict.to_dict()["promises"][0]["on"] == ["age"]


def test_an_audit_of_a_tampered_file_fails(tmp_path: Path) -> None:
    chosen = policy()
    out = ind.anonymize(patients(), chosen).write(tmp_path / "out")
    assert ind.audit(out).holds
    file = out / "release.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:-1]) + "\n")
    assert not ind.audit(out).holds
    table = pl.read_csv(file, infer_schema=False)
    table[0, "age"] = "[90, 100)"
    table[0, "sex"] = "x"
    table.write_csv(file)
    assert not ind.audit(out).holds
    assert not ind.audit(file, chosen).holds


def test_identifiers_are_masked_and_pseudonymized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDY_KEY", "8f3a92c1d07be6545a1e0c9b7d3f2846")
    frame = patients().with_columns(pl.col("name").alias("alias"))
    attributes = policy().to_dict()["attributes"]
    attributes["name"]["transform"] = {"pseudonymize": {"key_env": "STUDY_KEY"}}
    attributes["alias"] = {"role": "identifier", "transform": {"mask": {"keep": 2}}}
    table = ind.anonymize(frame, policy(attributes=attributes)).tables
    assert set(table["alias"].to_list()) == {"Pe" + "*" * 10}
    assert table["name"].n_unique() == table.height
    assert table["name"].str.contains("^[0-9a-f]{16}$").all()
    monkeypatch.delenv("STUDY_KEY")
    with pytest.raises(PolicyError, match="STUDY_KEY"):
        ind.anonymize(frame, policy(attributes=attributes))


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_transformed_identifiers_stay_with_their_record(engine: str) -> None:
    frame = patients()
    attributes = policy().to_dict()["attributes"]
    attributes["name"]["transform"] = {"mask": {"keep": 3, "from": "left", "char": "#"}}
    release = ind.anonymize(as_engine(frame, engine), policy(attributes=attributes))
    released = rows_of(release.tables)
    source = Counter(("#" * 9 + name[-3:], cost) for name, cost in frame["name", "cost"].rows())
    assert not Counter((row[0], row[5]) for row in released) - source


def test_limits_are_told_and_never_silent() -> None:
    chosen = policy(method={"suppression_limit": 0.05, "node_limit": 6})
    release = ind.anonymize(patients(), chosen)
    plan = release.run.to_dict()["plan"]
    assert plan["stopped_by"] == "node_limit"
    assert plan["bound"] <= plan["objective"]["value"]
    assert not plan["optimal"]
    assert any("node_limit" in warning for warning in release.warnings)


def test_a_hierarchy_can_be_an_object() -> None:
    sexes = ind.Taxonomy("sex", [("f", "any"), ("m", "any")])
    attributes = policy().to_dict()["attributes"]
    attributes["sex"] |= {"hierarchy": sexes, "min_level": 1}
    release = ind.anonymize(patients(), policy(attributes=attributes))
    assert set(release.tables["sex"].to_list()) == {"any"}


def test_lists_may_be_published_as_they_are() -> None:
    frame = patients().with_columns(pl.concat_list("cost", "cost").alias("cost"))
    release = ind.anonymize(frame, policy())
    assert release.tables["cost"].dtype == pl.List(pl.Float64)


@pytest.mark.parametrize("algorithm", ["iab", "exhaustive", "greedy"])
def test_searches_for_rows_keep_what_they_promise(algorithm: str) -> None:
    chosen = policy(method={"algorithm": algorithm})
    release = ind.anonymize(patients(), chosen)
    plan = release.run.to_dict()["plan"]
    assert ind.audit(release.tables, chosen).holds
    assert plan["rows"] == release.tables.n_unique() == plan["objective"]["value"]
    assert plan["algorithm"] == algorithm
    assert plan["generated"] >= plan["distinct"] >= plan["expanded"] - 1
    assert release.run.to_dict()["suppressed"] == 0
    assert set(plan["leakage"]) == {"age", "sex", "zip"}
    assert all(part["after"] <= part["before"] + 1e-12 for part in plan["leakage"].values())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scope", ["domain", "subtree", "siblings"])
def test_iab_in_every_scope_on_every_engine(engine: str, scope: str) -> None:
    chosen = policy(method={"algorithm": "iab", "scope": scope, "node_limit": 60})
    frame = patients(80).select("name", "age", "sex", "zip", "ward", "cost")
    release = ind.anonymize(as_engine(frame, engine), chosen)
    assert ind.audit(release.tables, chosen).holds
    assert len(rows_of(release.tables)) == 80


def test_words_follow_the_direction_of_a_measure(capsys: pytest.CaptureFixture[str]) -> None:
    method = {"objective": "rows", "node_limit": 2, "suppression_limit": 0.05}
    release = ind.anonymize(patients(), policy(method=method))
    plan = release.run.to_dict()["plan"]
    assert plan["stopped_by"] == "node_limit"
    (told,) = [text for text in release.warnings if "node_limit" in text]
    assert "keeps" in told
    assert "no release can keep more than" in told
    assert plan["bound"] >= plan["objective"]["value"]
    summarize(release)
    assert "none is above" in capsys.readouterr().out


def test_a_search_for_rows_says_which_columns_it_erased() -> None:
    release = ind.anonymize(patients(), policy(method={"algorithm": "iab"}))
    erased = {name for name in ("age", "sex", "zip") if release.tables[name].n_unique() == 1}
    assert erased
    told = [warning for warning in release.warnings if "most distinct rows" in warning]
    assert len(told) == 1
    assert all(
        (name in told[0].split("all information in")[1]) == (name in erased) for name in erased
    )


def test_the_optimal_search_and_iab_agree_on_rows() -> None:
    frame = patients(150).with_columns(pl.lit(1.5).alias("cost"))
    values = [
        ind.anonymize(frame, policy(method=method)).run.to_dict()["plan"]["objective"]["value"]
        for method in (
            {"algorithm": "iab"},
            {"algorithm": "exhaustive"},
            {"algorithm": "optimal", "objective": "rows"},
        )
    ]
    assert len(set(values)) == 1


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_an_identifier_that_repeats_is_told_where_nobody_says_whose_records_are(
    engine: str,
) -> None:
    visits = patients(200).with_columns(name=pl.int_range(200).floordiv(4).map_elements(
        lambda at: f"01-{701 + at % 7}-{1000 + 13 * at}", return_dtype=pl.String
    ))  # fmt: skip
    (told,) = (
        warned
        for warned in ind.anonymize(as_engine(visits, engine), policy()).warnings
        if "to count people" in warned
    )
    assert "the identifier 'name' has 50 values in 200 records" in told
    assert 'person = "name" under [source]' in told
    for frame, rules in (
        (visits, policy(source={"person": "name", "conflicts": "first"})),
        (patients(200), policy()),
    ):
        warnings = ind.anonymize(frame, rules).warnings
        assert not any("to count people" in warned for warned in warnings)


def test_level_bounds_hold_in_searches_for_rows() -> None:
    attributes = policy().to_dict()["attributes"]
    attributes["age"] |= {"min_level": 1, "max_level": 2}
    for scope in ("domain", "subtree"):
        method = {"algorithm": "iab", "scope": scope, "node_limit": 80}
        asked = [{"model": "k-anonymity", "k": 2}]
        chosen = policy(attributes=attributes, method=method, promises=asked)
        release = ind.anonymize(patients(400), chosen)
        assert release.tables["age"].str.contains(r"^\[").all()


@pytest.mark.parametrize("engine", ENGINES)
def test_decoys_are_counted_in_private_only(engine: str, tmp_path: Path) -> None:
    chosen = policy(method={"suppression_limit": 0.05, "decoys": {"to": 12}})
    given = as_engine(patients(), engine)
    release = ind.anonymize(given, chosen)
    assert type(release.tables) is type(given)
    run = release.run.to_dict()
    assert run["added"]["decoys"] > 0
    assert len(rows_of(release.tables)) == run["published"] + run["added"]["decoys"]
    certificate = release.certificate.to_dict()
    assert certificate["may_contain"] == ["decoys"]
    assert any("decoys" in warning for warning in release.warnings)
    assert "added" not in certificate
    out = release.write(tmp_path / "out")
    places = json.loads((out / "private" / "decoys.json").read_text())["rows"]
    assert len(places) == run["added"]["decoys"]
    assert ind.audit(out).holds


# What goes wrong --------------------------------------------------------------------------------


def test_a_missing_column_is_named() -> None:
    with pytest.raises(PolicyError, match="did you mean 'wards'") as raised:
        ind.anonymize(patients().rename({"ward": "wards"}), policy())
    assert raised.value.exit_code == 2


def test_an_uncovered_value_is_told_by_row_and_not_by_value() -> None:
    frame = patients().with_columns(pl.col("age").cast(pl.String))
    frame[7, "age"] = "forty-one"
    with pytest.raises(HierarchyError) as raised:
        ind.anonymize(frame, policy())
    text = str(raised.value)
    assert "age" in text
    assert "8" in text
    assert "forty-one" not in text
    assert raised.value.exit_code == 2


def test_all_uncovered_attributes_are_told_at_once() -> None:
    frame = patients().with_columns(pl.col("age").cast(pl.String), pl.col("sex"))
    frame[7, "age"] = "old"
    frame[9, "sex"] = "x"
    attributes = policy().to_dict()["attributes"]
    attributes["sex"]["hierarchy"] = {"tree": {"*": ["f", "m"]}}
    with pytest.raises(HierarchyError) as raised:
        ind.anonymize(frame, policy(attributes=attributes))
    assert {problem.attribute for problem in raised.value.problems} == {"age", "sex"}
    attributes["sex"]["uncovered"] = attributes["age"]["uncovered"] = "suppress"
    assert ind.audit(ind.anonymize(frame, policy(attributes=attributes)).tables, policy()).holds


def test_k_larger_than_the_table() -> None:
    with pytest.raises(Unsatisfiable, match="only 400 records") as raised:
        ind.anonymize(patients(), policy(promises=[{"model": "k-anonymity", "k": 401}]))
    assert raised.value.exit_code == 3


def test_a_promise_that_cannot_be_kept_says_what_would_help() -> None:
    attributes = policy().to_dict()["attributes"]
    attributes["zip"]["max_level"] = 0
    with pytest.raises(Unsatisfiable) as raised:
        ind.anonymize(patients(), policy(attributes=attributes))
    text = str(raised.value)
    assert "k-anonymity(k=5)" in text
    assert "suppression_limit" in text
    assert "max_level" in text


@pytest.mark.parametrize("to", [3, 4])
def test_decoys_do_not_break_what_is_promised(to: int) -> None:
    """One decoy makes the small class uneven, two do not."""
    frame = pl.DataFrame(
        {
            "town": ["A"] * 2 + ["B"] * 8,
            "ill": ["flu", "cold"] * 5,
            "note": [f"{at}" for at in range(10)],
        }
    )
    keys: dict[str, Any] = {
        "attributes": {
            "town": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
            "note": {"role": "insensitive"},
        },
        "promises": [
            {"model": "basic-beta-likeness", "beta": 0.1, "sensitive": "ill"},
            {"model": "max-posterior", "bound": 0.6, "sensitive": "ill", "on": ["town"]},
        ],
        "method": {"decoys": {"to": to, "limit": 0.5}, "seed": 7},
    }
    release = ind.anonymize(frame, keys)
    assert ind.audit(release).holds
    held = Counter(release.tables["town"].to_list())
    assert held["B"] == 8
    assert held["A"] == 2 + (release.run.decoys if to == 4 else 0)
    left_out = sum("left out again" in warning for warning in release.warnings)
    assert left_out == (release.run.decoys < to - 2)


def test_the_curve_of_a_table_without_records_says_what_is_missing() -> None:
    empty = pl.DataFrame(schema={"town": pl.String})
    keys = {
        "attributes": {"town": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    with pytest.raises(DataError, match="no records, and so no values"):
        ind.risk(empty, policy=keys, k_range=(2, 3))


@pytest.mark.parametrize(
    "own",
    [
        {
            "categories": {
                "table": {"low": ["=flu", "cold"], "high": ["@x"]},
                "order": ["low", "high"],
            }
        },
        {"ranks": {"table": {"=flu": 1, "cold": 2, "@x": 2}}},
        {"hierarchy": {"tree": {"*": {"=a": ["=flu", "cold"], "b": ["@x"]}}}},
    ],
)
def test_a_policy_knows_its_values_in_a_file_that_is_safe_for_spreadsheets(
    own: dict[str, Any], tmp_path: Path
) -> None:
    frame = pl.DataFrame({"town": ["A"] * 4 + ["B"] * 4, "ill": ["=flu", "cold", "@x", "=flu"] * 2})
    asked: dict[str, Any] = {"model": "p-plus-sensitive", "p": 2}
    if "ranks" in own:
        asked = {"model": "knm-anonymity", "k": {"1": 3, "2": 2}}
    if "hierarchy" in own:
        asked = {"model": "t-closeness", "t": 0.2, "distance": "hierarchical"}
    policy = ind.Policy.from_dict(
        {
            "attributes": {
                "town": {"role": "quasi-identifier"},
                "ill": {"role": "sensitive"} | own,
            },
            "promises": [asked | {"sensitive": "ill"}],
            "output": {"spreadsheet_safe": True},
        }
    )
    release = ind.anonymize(frame, policy)
    out = release.write(tmp_path / "out")
    assert "'=flu" in (out / "release.csv").read_text()
    by_policy, by_certificate = ind.audit(out, policy), ind.audit(out)
    assert by_policy.holds
    assert by_policy.promises[0].achieved == by_certificate.promises[0].achieved
    assert ind.audit(release, policy).holds


@pytest.mark.parametrize(
    "start",
    [
        {"algorithm": "k-member"},
        {"algorithm": "mdav"},
        {"algorithm": "theta", "partition": {"start": "k-member"}},
    ],
)
def test_a_population_makes_up_for_records_that_are_not_there(
    start: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_text("age\n" + "1\n" * 30)
    promises: list[dict[str, Any]] = [{"model": "k-map", "k": 20}]
    if start["algorithm"] == "theta":
        promises.append({"model": "theta-sensitive", "k": 1, "mu": 0.3, "sensitive": "ill"})
    keys = {
        "attributes": {
            "age": {"role": "quasi-identifier", "type": "number"},
            "ill": {"role": "sensitive"},
        },
        "promises": promises,
        "method": start,
        "risk": {"population": {"file": "people.csv"}},
    }
    frame = pl.DataFrame({"age": ["1", "2", "3"], "ill": ["a", "b", "c"]})
    release = ind.anonymize(frame, ind.Policy.from_dict(keys, directory=tmp_path))
    assert release.tables["age"].to_list() == ["[1, 3]"] * 3


def test_an_empty_file_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.touch()
    header = tmp_path / "header.csv"
    header.write_text("name,age,sex,zip,ward,cost\n")
    for path in (empty, header, tmp_path / "nowhere.csv"):
        with pytest.raises(DataError, match=path.name):
            ind.anonymize(path, policy())


def test_a_place_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    chosen = policy()
    release = ind.anonymize(patients(), chosen)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(OutputError):
        release.write(blocked / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_disk_that_fills_up_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno
    import os

    chosen = policy()
    release = ind.anonymize(patients(), chosen)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="disk is full"):
        release.write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_release_that_breaks_its_promise_is_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the algorithm were wrong, the audit inside of the run would stop the release."""
    from indistinct.privacy.k_anonymity import KAnonymity

    monkeypatch.setattr(KAnonymity, "breaks", lambda self, classes: classes.size < 2)
    with pytest.raises(IndistinctError, match="withheld") as raised:
        ind.anonymize(patients(), policy())
    assert raised.value.exit_code == 1


def test_what_moves_records_keeps_the_types_of_pandas_and_can_be_repeated() -> None:
    pd = pytest.importorskip("pandas")
    ages = [20 + at % 40 for at in range(120)]
    frame = pd.DataFrame(
        {
            "age": ages,
            "ill": [("flu", "flu", "flu", "asthma", "hiv")[at * 7 % 5] for at in range(120)],
            "visits": pd.array([None if at % 9 == 0 else at % 4 for at in range(120)], "Int64"),
        }
    )
    policy: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ill": {"role": "sensitive"},
            "visits": {"role": "insensitive"},
        },
        "promises": [
            {"model": "theta-sensitive", "k": 3},
            {"model": "max-posterior", "bound": 0.7},
        ],
        "method": {"algorithm": "theta", "partition": {"start": "k-member"}, "max_noise": 0.9},
    }
    first = ind.anonymize(frame, policy)
    assert str(first.tables["visits"].dtype) == "Int64"
    policy["method"]["seed"] = first.run.seed
    assert ind.anonymize(frame, policy).tables.equals(first.tables)


def test_the_certificate_tells_of_sensitive_values_only_what_a_promise_rests_on() -> None:
    frame = pl.DataFrame({"age": ["30"] * 4, "ill": ["flu", "asthma", "hiv", "flu"]})
    table = {"low": ["flu", "asthma"], "high": ["hiv"]}
    attributes = {
        "age": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "categories": {"table": table, "order": ["low", "high"]}},
    }
    for model, parameters, told in (
        ("distinct-l-diversity", {"l": 2}, False),
        ("p-plus-sensitive", {"p": 2}, True),
    ):
        asked = [{"model": model, **parameters}]
        document = ind.anonymize(frame, {"attributes": attributes, "promises": asked})
        assert ("sensitive" in document.certificate.to_dict()) == told


def test_theta_with_a_further_promise_and_suppression_ends() -> None:
    frame = pl.DataFrame(
        {"age": ["35", "27", "32", "29", "34"], "s": list("baabb"), "other": list("zxyzx")}
    )
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "s": {"role": "sensitive"},
            "other": {"role": "sensitive"},
        },
        "promises": [
            {"model": "theta-sensitive", "k": 2, "sensitive": "s"},
            {"model": "distinct-l-diversity", "l": 3, "sensitive": "other"},
            {"model": "max-posterior", "bound": 0.7, "sensitive": "s"},
        ],
        "method": {
            "algorithm": "theta",
            "suppression_limit": 0.5,
            "partition": {"start": "k-member"},
        },
    }
    assert all(item["holds"] for item in ind.anonymize(frame, policy).certificate.promises)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["polars", "pandas"])
def test_values_with_blanks_and_quotes_are_audited_as_they_are(
    tmp_path: Path, engine: str, form: str
) -> None:
    frame = pl.DataFrame(
        {
            "age": [30, 31, 32, 33] * 2,
            "note": ['the "big" one', " x", "y ", None] * 2,
            "disease": [" flu", "cold", None, "ulcer "] * 2,
        }
    )
    asked = ind.Policy.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 2}},
                "note": {"role": "insensitive"},
                "disease": {
                    "role": "sensitive",
                    "categories": {
                        "table": {"mild": [" flu", "cold"], "grave": ["ulcer "]},
                        "missing": "mild",
                    },
                },
            },
            "promises": [
                {"model": "t-closeness", "t": 0.6, "sensitive": "disease", "reference": "original"},
                {"model": "p-plus-sensitive", "p": 1, "sensitive": "disease"},
            ],
            "output": {"format": form},
        }
    )
    data = frame if engine == "polars" else frame.to_pandas()
    ind.anonymize(data, asked).write(tmp_path / "release")
    for found in (ind.audit(tmp_path / "release"), ind.audit(tmp_path / "release", asked)):
        assert found.holds
        assert not any("figures" in note for note in found.notes)


def test_an_audit_by_the_policy_asks_only_for_what_a_promise_rests_on(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 30, 31, 31], "disease": ["flu", "cold", "ulcer", "flu"]})
    asked = ind.Policy.from_dict(
        {
            "attributes": {
                "age": {"role": "quasi-identifier"},
                "disease": {
                    "role": "sensitive",
                    "transform": {"mask": {"keep": 1}},
                    "categories": {"table": {"mild": ["flu", "cold"], "grave": ["ulcer"]}},
                },
            },
            "promises": [{"model": "k-anonymity", "k": 2}],
        }
    )
    ind.anonymize(frame, asked).write(tmp_path / "release")
    assert ind.audit(tmp_path / "release", asked).holds


def test_a_table_that_was_suppressed_before_and_its_population(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n31,m\n")
    asked = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "disease": {
                "role": "sensitive",
                "categories": {"table": {"mild": ["flu"]}, "order": ["mild"]},
            },
        },
        "promises": [
            {"model": "k-map", "k": 2},
            {"model": "p-plus-sensitive", "p": 1, "sensitive": "disease"},
        ],
        "method": {"algorithm": "mondrian", "partition": {"strict": False}, "suppression_limit": 1},
        "risk": {"population": {"file": "people.csv"}},
    }
    frame = pl.DataFrame({"age": ["*"], "sex": ["*"], "disease": ["flu"]})
    with pytest.raises(Unsatisfiable):
        ind.anonymize(frame, ind.Policy.from_dict(asked, directory=tmp_path))


# A source that changes, columns of any name -----------------------------------------------------


def test_a_source_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indistinct.intake import opening

    path = tmp_path / "patients.csv"
    patients().write_csv(path)
    digest = ind.anonymize(path, policy()).run.to_dict()["source_sha256"]
    assert digest == hashlib.sha256(path.read_bytes()).hexdigest()
    reads = opening.read_table

    def read(*given: Any, **settings: Any) -> pl.DataFrame:
        frame = reads(*given, **settings)
        with path.open("a") as file:
            file.write("\n")
        return frame

    monkeypatch.setattr(opening, "read_table", read)
    with pytest.raises(DataError, match="changed while it was read") as caught:
        ind.anonymize(path, policy())
    assert caught.value.problems[0].code == "changed-while-read"


@pytest.mark.parametrize("which", ["people.csv", "around.csv"])
def test_tables_beside_the_source_that_change_while_they_are_read(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indistinct.sources.file_kinds.csv import CsvFile

    table = patients().with_row_index("who")
    table.select("who", "sex").write_csv(tmp_path / "people.csv")
    table.select("age", "sex", "zip").write_csv(tmp_path / "around.csv")
    table.drop("sex").write_csv(tmp_path / "visits.csv")
    asked = policy(
        source={"person": "who", "people": {"file": "people.csv"}},
        promises=[{"model": "k-map", "k": 2}],
        risk={"population": {"file": "around.csv"}},
    ).to_dict()
    asked["attributes"]["who"] = {"role": "identifier"}
    made = ind.Policy.from_dict(asked, directory=tmp_path)
    assert ind.anonymize(tmp_path / "visits.csv", made).run.to_dict()["people"]["source"] > 0
    reads = CsvFile.read

    def read(kind: CsvFile, given: Path, how: Any) -> pl.DataFrame:
        frame = reads(kind, given, how)
        if given.name == which:
            with given.open("a") as file:
                file.write("\n")
        return frame

    monkeypatch.setattr(CsvFile, "read", read)
    with pytest.raises(DataError, match="changed while it was read") as caught:
        ind.anonymize(tmp_path / "visits.csv", made)
    assert which in str(caught.value.problems[0].file)
    with pytest.raises(DataError, match="changed while it was read"):
        ind.assess(tmp_path / which)


def test_decoys_that_are_not_needed_are_told() -> None:
    asked = policy(method={"suppression_limit": 0.05, "decoys": {"to": 2}})
    release = ind.anonymize(patients(), asked)
    assert release.run.decoys == 0
    assert any("no decoy was made: every class has 2 records or more" in text
               for text in release.warnings)  # fmt: skip
    assert "no decoy" not in " ".join(release.certificate.to_dict()["warnings"])


@pytest.mark.parametrize("name", ["len", "count", "size", "people", "rows", "literal", "index"])
def test_a_column_of_any_name(name: str) -> None:
    frame = pl.DataFrame(
        {name: ["a", "b"] * 4, "who": ["p", "q", "r", "s"] * 2, "d": ["x", "y"] * 4}
    )
    keys: dict[str, Any] = {
        "attributes": {
            name: {"role": "quasi-identifier"},
            "who": {"role": "identifier"},
            "d": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    for person in (None, "who"):
        keys["source"] = {} if person is None else {"person": person}
        asked = ind.Policy.from_dict(keys)
        release = ind.anonymize(frame, asked)
        assert ind.audit(release).holds
        ind.attack(frame, release, asked)
        ind.compare(frame, release, policy=asked)
        ind.assess(frame, asked, release=release.tables)
        ind.risk(frame, asked)
    keys["attributes"]["d"]["role"] = "quasi-identifier"
    keys["attributes"][name]["role"] = "sensitive"
    keys["promises"] = [{"model": "distinct-l-diversity", "l": 2, "sensitive": name}]
    keys["method"] = {"algorithm": "anatomy"}
    assert ind.audit(ind.anonymize(frame, ind.Policy.from_dict(keys))).holds


def test_cells_that_look_like_formulas_are_warned_of(tmp_path: Path) -> None:
    frame = patients().with_columns(note=pl.lit("=1+1"))
    keys = policy().to_dict()
    keys["attributes"]["note"] = {"role": "insensitive"}
    for output, warned in (
        ({}, True),
        ({"spreadsheet_safe": True}, False),
        ({"format": "parquet"}, False),
    ):
        release = ind.anonymize(frame, {**keys, "output": output})
        out = release.write(tmp_path / "out")
        told = json.loads((out / "private" / "run.json").read_text())["warnings"]
        assert any("'note' look like formulas" in one for one in told) is warned
        assert any("'note' look like formulas" in one for one in release.warnings) is warned


# A policy, its keys, its file -------------------------------------------------------------------


def test_a_policy_is_given_in_any_form(tmp_path: Path) -> None:
    chosen, frame = policy(), patients()
    path = tmp_path / "release.toml"
    path.write_text(chosen.to_toml(), encoding="utf-8")
    release = ind.anonymize(frame, chosen)
    for form in (chosen, chosen.to_dict(), path, str(path)):
        assert ind.anonymize(frame, form).certificate.classes == release.certificate.classes
        assert ind.assess(frame, form).records == frame.height
        assert ind.risk(frame, form).records == frame.height
        assert ind.quasi(frame, form).records == frame.height
        assert ind.audit(release.tables, policy=form).holds
        assert ind.attack(frame, release, form).attacks
        assert ind.compare(frame, release, policy=form).releases


def test_what_promises_nothing_needs_no_promise(tmp_path: Path) -> None:
    frame = patients()
    keys = policy().to_dict()
    del keys["promises"]
    assert ind.assess(frame, keys).records == frame.height
    assert ind.risk(frame, keys, k_range=(2, 4)).curve is not None
    assert ind.quasi(frame, keys).records == frame.height
    bare = {"attributes": {name: {"role": "insensitive"} for name in frame.columns}}
    assert ind.assess(frame, bare).records == frame.height
    assert ind.risk(frame, bare, k_range=(2, 4)).curve is not None
    draft = DraftPolicy.from_dict(keys)
    for given in (keys, draft):
        with pytest.raises(PolicyError, match="needs at least one promise"):
            ind.anonymize(frame, given)
        with pytest.raises(PolicyError, match="needs at least one promise"):
            ind.attack(frame, frame, given)
        with pytest.raises(PolicyError, match="needs at least one promise"):
            ind.compare(frame, frame, policy=given)


@pytest.mark.parametrize("given", [3, ["release.toml"], object()])
def test_what_is_no_policy(given: Any) -> None:
    for verb in (ind.anonymize, ind.assess, ind.risk, ind.quasi):
        with pytest.raises(PolicyError, match="is not a policy") as caught:
            verb(patients(), given)
        assert caught.value.problems[0].code == "no-policy"


def test_one_attribute_with_an_order_and_a_tree(tmp_path: Path) -> None:
    grades = ["mild", "moderate", "severe", "critical"]
    frame = pl.DataFrame(
        {
            "age": [str(20 + at % 8) for at in range(80)],
            "grade": [grades[at % 4] for at in range(80)],
        }
    )
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "grade": {
                "role": "sensitive",
                "hierarchy": {"tree": {"*": {"home": grades[:2], "ward": grades[2:]}}},
                "order": grades,
            },
        },
        "promises": [
            {"model": "t-closeness", "t": 0.4, "sensitive": "grade", "distance": distance}
            for distance in ("ordered", "hierarchical")
        ],
    }
    policy = ind.Policy.from_dict(keys)
    assert ind.Policy.from_dict(policy.to_dict()).attributes["grade"].order == tuple(grades)
    release = ind.anonymize(frame, policy)
    folder = release.write(tmp_path / "out")
    assert [item.holds for item in ind.audit(folder).promises] == [True, True]
    known = release.certificate.to_dict()["sensitive"]["grade"]
    assert known["order"] == grades
    assert known["hierarchy"]
    keys["attributes"]["grade"]["order"] = grades[:3]
    with pytest.raises(ind.DataError, match="1 value of 'grade' has no place in the order"):
        ind.anonymize(frame, keys)
    for wrong, text in (
        ({"order": ["mild", "mild"]}, "names a value twice"),
        ({"order": grades, "hierarchy": {"order": {"values": grades}}}, "states an order already"),
    ):
        bad = {**keys["attributes"]["grade"], **wrong}
        with pytest.raises(ind.PolicyError, match=text):
            ind.Policy.from_dict({**keys, "attributes": {**keys["attributes"], "grade": bad}})
    misplaced = {**keys["attributes"], "age": {"role": "quasi-identifier", "order": ["20"]}}
    with pytest.raises(ind.PolicyError, match="only a sensitive attribute has an order"):
        ind.Policy.from_dict({**keys, "attributes": misplaced})


@pytest.mark.parametrize(
    ("pair", "distance"),
    [
        ("ab", 1 / 3),
        ("ac", 2 / 3),
        ("cd", 2 / 3),
        ("ce", 1),
        ("ef", 1),
        ("eg", 1),
    ],
)
def test_values_right_under_the_root_are_as_far_apart_as_any(pair: str, distance: float) -> None:
    """Half a class moves from one value to the other: to the height at which they meet, of 3."""
    tree = {"*": {"low": {"lowest": ["a", "b"], "c": [], "d": []}, "e": [], "f": [], "": []}}
    one, other = (value.replace("g", "") for value in pair)
    frame = pl.DataFrame({"town": ["A", "A", "B", "B"], "ill": [one, one, other, other]})
    policy: dict[str, Any] = {
        "attributes": {
            "town": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "hierarchy": {"tree": tree}},
        },
        "promises": [{"model": "t-closeness", "t": 1, "distance": "hierarchical"}],
    }
    release = ind.anonymize(frame.with_columns(pl.col("ill").replace("", None)), policy)
    assert release.tables["town"].n_unique() == 2
    for audit in (ind.audit(release), ind.audit(release, policy)):
        assert audit.promises[0].achieved == {"t": pytest.approx(distance / 2)}
    policy["promises"][0]["t"] = distance / 2 - 0.01
    closer = ind.anonymize(release.tables, policy)
    assert closer.tables["town"].unique().to_list() == ["*"]


def test_the_curve_speaks_of_the_release_that_the_policy_makes() -> None:
    """Generalizing either of two attributes costs the same here: both verbs take the same one."""
    rows = ["001", "330", "230", "331", "101", "030", "321", "101", "031", "200"]
    table = pl.DataFrame([list(row) for row in rows], ["a", "b", "c"], orient="row")
    tree = {"tree": {"*": {"x": ["0", "1"], "y": ["2", "3"]}}}
    keys = {
        "attributes": {
            "a": {"role": "quasi-identifier", "hierarchy": tree},
            "b": {"role": "quasi-identifier", "hierarchy": tree},
            "c": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": {"algorithm": "optimal", "suppression_limit": 0.2},
    }
    curve = ind.risk(table, keys, k_range=(2, 4), releases=True).curve
    assert curve is not None
    assert curve.points[0].k == 2
    assert curve.points[0].levels == ind.anonymize(table, keys).plan.levels
