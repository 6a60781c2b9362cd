"""Releases of tables in which a person has many rows: promises are made to people."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app

QUASI = ["age", "sex", "zip"]


def visits(people: int = 120, seed: int = 1) -> pl.DataFrame:
    """Visits of invented patients, one to four each, in no order."""
    random = np.random.default_rng(seed)
    many = random.integers(1, 5, people)
    who = np.repeat(np.arange(people), many)
    random.shuffle(who)
    return pl.DataFrame(
        {
            "patient": [f"P{number:04d}" for number in who],
            "age": random.integers(20, 60, people)[who],
            "sex": random.choice(["f", "m"], people)[who],
            "zip": random.choice(["1010", "1020", "1030", "1110"], people)[who],
            "dx": random.choice(list("ABCDEFG"), len(who)),
            "ward": random.choice(["east", "west"], len(who)),
        }
    )


def policy(*promises: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
            "dx": {"role": "sensitive"},
            "ward": {"role": "insensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}, *promises],
        "method": {"suppression_limit": 0.1, "seed": 7},
    } | sections


def classes_of(release: pl.DataFrame) -> list[dict[str, set[str]]]:
    """For every class the people in it and the values that each of them has."""
    found: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in release.iter_rows(named=True):
        found[tuple(str(row[name]) for name in QUASI)][row["patient"]].add(row["dx"])
    return list(found.values())


def _holders(people: dict[str, set[str]]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for values in people.values():
        for value in values:
            counts[value] += 1
    return counts


def _keeps_bound(people: dict[str, set[str]]) -> bool:
    return max(_holders(people).values()) <= 0.7 * len(people)


def _keeps_distinct(people: dict[str, set[str]]) -> bool:
    return len(_holders(people)) >= 3 and max(_holders(people).values()) < len(people)


def _keeps_entropy(people: dict[str, set[str]]) -> bool:
    counts = list(_holders(people).values())
    shares = [count / sum(counts) for count in counts]
    entropy = -sum(share * math.log(share) for share in shares)
    return entropy >= math.log(3) - 1e-9 and max(counts) < len(people)


PROMISES = {
    "bound": ({"model": "max-posterior", "bound": 0.7, "sensitive": "dx"}, _keeps_bound),
    "distinct": ({"model": "distinct-l-diversity", "l": 3, "sensitive": "dx"}, _keeps_distinct),
    "entropy": ({"model": "entropy-l-diversity", "l": 3, "sensitive": "dx"}, _keeps_entropy),
}


@pytest.mark.parametrize("algorithm", ["optimal", "heuristic", "mondrian", "k-member", "mdav"])
@pytest.mark.parametrize("promise", PROMISES)
def test_classes_hold_people_and_promises_are_made_to_them(promise: str, algorithm: str) -> None:
    asked, keeps = PROMISES[promise]
    table = visits()
    for seed in range(2):
        table = visits(seed=seed)
        method = {"algorithm": algorithm, "suppression_limit": 0.2, "seed": 7}
        if algorithm == "mdav":
            table = table.with_columns(sex=table["sex"].replace_strict({"f": 0, "m": 1}))
            table = table.with_columns(pl.col("zip").cast(pl.Int64))
        result = ind.anonymize(table, policy(asked, method=method))
        found = classes_of(result.tables)
        assert found
        assert all(len(people) >= 3 and keeps(people) for people in found)
        names = result.tables.select("patient", *QUASI).unique()
        assert names["patient"].n_unique() == names.height
        told = result.run.to_dict()["people"]
        assert told["published"] == names.height
        assert told["source"] == table["patient"].n_unique()


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "k-member"])
def test_what_cannot_be_kept_is_told_of_people_not_of_their_rows(algorithm: str) -> None:
    for table, promise, said in (
        (visits(people=4), {"model": "k-anonymity", "k": 9}, "the table has only 4 people"),
        (visits(), {"model": "m-invariance", "m": 2, "sensitive": "dx"}, "m-invariance(m=2) of dx"),
        (visits(), {"model": "max-posterior", "bound": 0.01, "sensitive": "dx"}, "12 people left"),
    ):
        keys = policy(promise) | {"method": {"algorithm": algorithm, "suppression_limit": 0.1}}
        with pytest.raises(ind.Unsatisfiable) as caught:
            ind.anonymize(table, keys)
        assert said in str(caught.value)
        assert "record" not in str(caught.value)


def test_one_person_who_fills_a_class_is_found_by_the_audit() -> None:
    long = pl.DataFrame({"who": ["1", "1", "1", "2", "3"], "age": ["20", "20", "20", "30", "30"]})
    asked = [{"model": "k-anonymity", "k": 2}]
    assert ind.audit(long.filter(pl.col("age") == "20"), promises=asked, quasi=["age"]).holds
    found = ind.audit(long, promises=asked, quasi=["age"], person="who")
    assert not found.holds
    assert found.people == 3
    assert found.promises[0].achieved == {"k": 1}
    assert found.promises[0].breaking_classes == 1


def test_people_in_several_classes_break_the_release() -> None:
    long = pl.DataFrame({"who": ["1", "2", "1", "2"], "age": ["20", "20", "30", "30"]})
    asked = [{"model": "k-anonymity", "k": 2}]
    found = ind.audit(long, promises=asked, quasi=["age"], person="who")
    assert found.promises[0].holds
    assert not found.holds
    assert "differ between the records of 2 people" in " ".join(found.notes)


def test_an_audit_does_not_count_rows_where_people_are_declared() -> None:
    result = ind.anonymize(visits(), policy())
    by_rows = [{"model": "k-anonymity", "k": 3, "unit": "record"}]
    with pytest.raises(ind.PolicyError, match="may be one person's"):
        ind.audit(result.tables, promises=by_rows, quasi=QUASI, person="patient")
    people = [{"model": "k-anonymity", "k": 3, "unit": "person"}]
    with pytest.raises(ind.PolicyError, match="nothing says whose"):
        ind.audit(result.tables, promises=people, quasi=QUASI)
    assert ind.audit(result.tables, policy()).holds


def test_a_value_that_everybody_has_is_not_diverse() -> None:
    long = pl.DataFrame(
        {
            "who": ["1", "1", "2", "2", "3", "3"],
            "age": ["20"] * 6,
            "dx": ["A", "B", "A", "C", "A", "D"],
        }
    )
    asked = [{"model": "distinct-l-diversity", "l": 3, "sensitive": "dx"}]
    found = ind.audit(long, promises=asked, quasi=["age"], person="who")
    assert found.promises[0].achieved == {"l": 4}
    assert not found.holds


def test_the_pseudonym_is_made_for_one_release_and_tells_nothing() -> None:
    table = visits()
    one = ind.anonymize(table, policy())
    other = ind.anonymize(table, policy(method={"suppression_limit": 0.1, "seed": 8}))
    assert not set(one.tables["patient"]) & set(table["patient"])
    assert one.certificate.to_dict()["person"] == "patient"

    def sets_of(release: pl.DataFrame) -> dict[str, tuple[str, ...]]:
        grouped = release.sort("dx").group_by("patient", maintain_order=True).agg("dx")
        return {name: tuple(values) for name, values in grouped.iter_rows()}

    assert sorted(sets_of(one.tables).values()) == sorted(sets_of(other.tables).values())
    assert sets_of(one.tables) != sets_of(other.tables)
    assert one.tables["patient"].str.len_chars().n_unique() == 1


def test_a_second_table_of_people_is_joined(tmp_path: Path) -> None:
    table = visits()
    people = table.select("patient", *QUASI).unique().sort("patient")
    people.rename({"patient": "Id"}).write_csv(tmp_path / "people.csv")
    events = table.select("patient", "dx", "ward")
    events.write_csv(tmp_path / "visits.csv")
    keys = policy(source={"person": "patient", "people": {"file": "people.csv", "key": "Id"}})
    joined = ind.Policy.from_dict(keys, directory=tmp_path)
    for data in (events, events.to_pandas(), tmp_path / "visits.csv"):
        result = ind.anonymize(data, joined)
        assert result.certificate.classes == ind.anonymize(table, policy()).certificate.classes
    people.rename({"patient": "Id"}).tail(-1).write_csv(tmp_path / "people.csv")
    with pytest.raises(ind.DataError, match=r"records are of people who are not in people\.csv"):
        ind.anonymize(events, joined)
    pl.concat([people, people.head(1)]).rename({"patient": "Id"}).write_csv(tmp_path / "people.csv")
    with pytest.raises(ind.DataError, match="1 person stands in more than one row"):
        ind.anonymize(events, joined)


def test_attributes_that_differ_are_told_in_one_warning_the_most_frequent_first() -> None:
    many = visits().group_by("patient", maintain_order=True).len().filter(pl.col("len") > 1)
    three, one = many["patient"].head(3), many["patient"].head(1)
    first = pl.int_range(pl.len()).over("patient") == 0
    table = visits().with_columns(
        sex=pl.when(first & pl.col("patient").is_in(one.implode()))
        .then(pl.lit("x"))
        .otherwise("sex"),
        zip=pl.when(first & pl.col("patient").is_in(three.implode()))
        .then(pl.lit("9999"))
        .otherwise("zip"),
    )
    result = ind.anonymize(table, policy(source={"person": "patient", "conflicts": "last"}))
    (told,) = (text for text in result.warnings if "it differed between records" in text)
    assert told.endswith(": 'zip' of 3 people, 'sex' of 1 person")


def test_quasi_identifiers_that_differ_are_an_error_or_resolved() -> None:
    table = (
        visits()
        .with_row_index("row")
        .with_columns(age=pl.when(pl.col("row") == 0).then(pl.lit(61)).otherwise(pl.col("age")))
        .drop("row")
    )
    first = table["patient"][0]
    if table.filter(pl.col("patient") == first).height == 1:
        pytest.fail("the first patient has one visit only")
    with pytest.raises(ind.DataError, match="differs between the rows of 1 person"):
        ind.anonymize(table, policy())
    source = {"person": "patient", "conflicts": "first"}
    result = ind.anonymize(table, policy(source=source))
    told = "one value was chosen for each person where it differed between records: "
    assert f"{told}'age' of 1 person" in result.warnings
    # The recipient is told, and not of how many.
    (public,) = (one for one in result.certificate.warnings if "differed between" in one)
    assert "its first value is published for all of them" in public
    exact = policy(
        source=source,
        promises=[{"model": "k-anonymity", "k": 1}],
        method={"suppression_limit": 0.0, "seed": 1},
    )
    published = ind.anonymize(table, exact).tables
    assert published.select("patient", *QUASI).unique()["patient"].is_unique().all()


def test_the_command_line_speaks_of_people(tmp_path: Path) -> None:
    visits().write_csv(tmp_path / "visits.csv")
    ind.Policy.from_dict(policy()).to_toml()
    (tmp_path / "p.toml").write_text(ind.Policy.from_dict(policy()).to_toml(), encoding="utf-8")
    run = CliRunner()
    out = tmp_path / "out"
    made = run.invoke(
        app, ["anonymize", str(tmp_path / "visits.csv"), "--policy", str(tmp_path / "p.toml"),
              "--out", str(out), "--json"],
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    assert document["people"]["source"] == 120
    assert document["records"] == visits().height
    found = run.invoke(app, ["audit", str(out), "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["people"] == document["people"]["published"]
    file = str(out / "release.csv")
    alone = ["audit", file, "--quasi", ",".join(QUASI), "--k", "3", "--person", "patient"]
    assert run.invoke(app, alone).exit_code == 0


TREE = {"*": {"acute": ["A", "B", "C"], "chronic": ["D", "E", "F", "G"]}}


@pytest.mark.parametrize(
    ("k", "limit", "generalize"),
    [(4, 0.0, "global"), (9, 0.0, "global"), (9, 0.3, "global"), (9, 0.3, "local")],
)
def test_no_combination_of_items_is_rare(k: int, limit: float, generalize: str) -> None:
    table = visits()
    keys = policy({"model": "km-anonymity", "k": k, "m": 2, "sensitive": "dx"})
    keys["attributes"]["dx"] = {"role": "sensitive", "hierarchy": {"tree": TREE}}
    keys["method"] = {"suppression_limit": limit, "seed": 2, "items": generalize}
    result = ind.anonymize(table, keys)
    if generalize == "local":
        assert result.tables.height == table.height
    held: dict[frozenset[str], set[str]] = defaultdict(set)
    sets: dict[str, set[str]] = defaultdict(set)
    for row in result.tables.iter_rows(named=True):
        sets[row["patient"]].add(row["dx"])
    for person, items in sets.items():
        for one in items:
            for other in items:
                held[frozenset((one, other))].add(person)
    assert min(map(len, held.values())) >= k
    assert ind.audit(result).holds
    assert result.tables.height >= (1 - limit) * table.height - 1
    assert "items.json" in result.private
    told = result.run.to_dict()
    assert told["records"] == table.height
    assert told["published"] == result.tables.height
    assert told["people"]["source"] == 120
    assert told["people"]["published"] == result.tables["patient"].n_unique()
    everything = set(table["dx"]) | {"acute", "chronic", "*"}
    assert set(result.tables["dx"]) <= everything


def test_sets_of_items_need_a_hierarchy_and_a_person() -> None:
    promise = {"model": "km-anonymity", "k": 4, "m": 2, "sensitive": "dx"}
    with pytest.raises(ind.PolicyError, match="items are generalized in a hierarchy"):
        ind.anonymize(visits(), policy(promise))
    with pytest.raises(ind.PolicyError, match="no column says whose a record is"):
        ind.Policy.from_dict(policy(promise, source={}))


GROUPS = {"low": ["A", "B"], "mid": ["C", "D"], "high": ["E", "F", "G"]}


def _linked_policy(algorithm: str, *promises: dict[str, Any], **method: Any) -> dict[str, Any]:
    asked = policy(method={"algorithm": algorithm, "seed": 7, **method})
    asked["promises"] = list(promises)
    asked["attributes"]["dx"] = {
        "role": "sensitive",
        "categories": {"table": GROUPS, "order": list(GROUPS)},
        "hierarchy": {"tree": {"*": GROUPS}},
    }
    return asked


OF_ALGORITHMS: dict[str, list[dict[str, Any]]] = {
    "theta-star": [
        {"model": "k-anonymity", "k": 3},
        {"model": "theta-sensitive", "k": 3, "sensitive": "dx"},
    ],
    "k-l-diversity": [{"model": "kl-diversity", "k": 3, "l": 2, "sensitive": "dx"}],
    "p-l-angelization": [
        {"model": "k-anonymity", "k": 3},
        {"model": "p-plus-sensitive", "p": 2, "sensitive": "dx"},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": "dx"},
    ],
    "anatomy": [{"model": "max-posterior", "bound": 0.5, "sensitive": "dx"}],
    "m-invariant": [
        {"model": "k-anonymity", "k": 3},
        {"model": "m-invariance", "m": 2, "sensitive": "dx"},
    ],
}


def _with_few_high(people: int, seed: int) -> pl.DataFrame:
    """Visits of which the high group is rare, so that anatomy can spread it."""
    table = visits(people, seed)
    rare = pl.col("dx").is_in(GROUPS["high"]) & (pl.int_range(pl.len()) % 3 > 0)
    return table.with_columns(dx=pl.when(rare).then(pl.lit("A")).otherwise("dx"))


@pytest.mark.parametrize("algorithm", OF_ALGORITHMS)
def test_linked_tables_are_made_told_and_audited(algorithm: str, tmp_path: Path) -> None:
    asked = _linked_policy(algorithm, *OF_ALGORITHMS[algorithm])
    release = ind.anonymize(_with_few_high(90, 3), asked)
    quasi, sensitive = release.tables["quasi"], release.tables["sensitive"]
    assert set(quasi["bucket"]) == set(sensitive["bucket"])
    told = release.run.to_dict()
    assert told["people"]["published"] == 90
    chosen = algorithm in ("theta-star", "p-l-angelization")
    assert told["plan"].get("quasi") == ("k-member" if chosen else None)
    release.write(tmp_path / "out")
    # With the certificate, by the policy, and by the policy without any certificate.
    assert ind.audit(tmp_path / "out").holds
    assert ind.audit(tmp_path / "out", asked).holds
    assert ind.audit({"quasi": quasi, "sensitive": sensitive}, asked).holds
    warned = " ".join(release.certificate.to_dict()["warnings"])
    assert ("baseline" in warned) == (algorithm == "p-l-angelization")
    assert ("exact quasi-identifiers" in warned) == (algorithm == "anatomy")


@pytest.mark.parametrize("algorithm", OF_ALGORITHMS)
def test_links_name_the_published_buckets(algorithm: str) -> None:
    """The custodian finds everybody's row and list by ``links.csv``."""
    asked = _linked_policy(algorithm, *OF_ALGORITHMS[algorithm])
    release = ind.anonymize(_with_few_high(90, 3), asked)
    links = release.private["links.csv"]
    assert isinstance(links, pl.DataFrame)
    rows = release.tables["quasi"]
    numbered = links.filter(pl.col("bucket") > 0)["bucket"]
    assert numbered.value_counts().sort("bucket").rows() == (
        rows["bucket"].value_counts().sort("bucket").rows()
    )
    cells = pl.exclude("bucket")
    for _, part in links.group_by("class"):
        # People of a class have the same cells: each of its buckets has a row with them.
        own = [
            {*rows.filter(pl.col("bucket") == bucket).select(cells).rows()}
            for bucket in part["bucket"]
        ]
        assert set.intersection(*own)


def test_sets_that_share_a_value_do_not_keep_a_bound_on_beliefs() -> None:
    table = visits(60, 2).with_columns(dx=pl.lit("A"))
    both = pl.concat([table, visits(60, 2)])
    promises = [*OF_ALGORITHMS["p-l-angelization"], OF_ALGORITHMS["anatomy"][0]]
    with pytest.raises(ind.Unsatisfiable, match="everybody has the same value of 'dx'"):
        ind.anonymize(both, _linked_policy("p-l-angelization", *promises))
    some = pl.concat([table.filter(pl.col("patient") != "P0001"), visits(60, 2)])
    with pytest.raises(ind.Unsatisfiable, match="of dx, value by value"):
        ind.anonymize(some, _linked_policy("p-l-angelization", *promises))


def test_what_a_method_as_published_breaks_is_not_released() -> None:
    """Everybody has the same items: no group can be 2-diverse, and the paper's method makes one."""
    table = visits(40, 1).with_columns(dx=pl.lit("A"))
    promises = OF_ALGORITHMS["k-l-diversity"]
    with pytest.raises(ind.Unsatisfiable, match="as published breaks kl-diversity"):
        ind.anonymize(table, _linked_policy("k-l-diversity", *promises, variant="paper"))
    with pytest.raises(ind.Unsatisfiable, match="no grouping is 2-diverse"):
        ind.anonymize(table, _linked_policy("k-l-diversity", *promises))


@pytest.mark.parametrize("algorithm", ["theta-star", "optimal"])
def test_what_tells_people_apart_is_told_though_no_record_is_alone(algorithm: str) -> None:
    """Everybody has six records with the same text, which nobody else has."""
    table = pl.concat([visits(60, 4)] * 6).with_columns(file=pl.col("patient") + "/7")
    promises = [*OF_ALGORITHMS["theta-star"]] if algorithm == "theta-star" else []
    promises += [{"model": "max-posterior", "bound": 0.8, "sensitive": "dx"}] * bool(promises)
    asked = _linked_policy(algorithm, *promises) if promises else policy()
    asked["attributes"]["file"] = {"role": "insensitive"}
    told = ind.anonymize(table, asked).run.to_dict()["warnings"]
    assert [part for part in told if "nearly unique by person" in part and "'file'" in part]
    assert not [part for part in told if "'ward'" in part and "nearly unique" in part]


@pytest.mark.parametrize("missing", ["value", "suppress"])
def test_who_is_starred_in_every_quasi_identifier_is_of_a_bucket_all_the_same(missing: str) -> None:
    """The bucket lists a value for them, too: it was taken for one of fewer people."""
    rows = [(f"p{at}", str(20 + at), "fm"[at % 2], "abcd"[at % 4]) for at in range(12)]
    rows[3] = ("p3", "*", "*", "d")
    table = pl.DataFrame(rows, ["who", "age", "sex", "ill"], orient="row")
    quasi = {"role": "quasi-identifier", "missing": {"as": missing}}
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {"age": quasi, "sex": quasi, "ill": {"role": "sensitive"}},
        "promises": [{"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}],
        "method": {"algorithm": "anatomy", "seed": 1},
    }
    release = ind.anonymize(table, keys)
    assert release.tables["quasi"].height == 12
    assert ind.audit(release).holds


@pytest.mark.parametrize(
    ("another", "several"), [(str.lower, 3), (" {} ".format, 3), ("Q{}".format, 0)]
)
def test_one_person_whose_key_is_written_in_several_ways_is_told(
    another: Any, several: int
) -> None:
    table = visits()
    first = table["patient"].unique().sort()[:3]
    added = table.filter(pl.col("patient").is_in(first.implode())).unique("patient")
    texts = pl.Series("patient", [another(key) for key in added["patient"]])
    release = ind.anonymize(pl.concat([table, added.with_columns(texts)]), policy())
    found = [told for told in release.warnings if "count as different people" in told]
    assert [told.split()[0] for told in found] == [str(2 * several)] * bool(several)


def test_zeros_before_the_number_of_a_person_are_told() -> None:
    table = visits().with_columns(pl.col("patient").str.strip_prefix("P"))
    added = table.head(1).with_columns(pl.col("patient").str.strip_chars_start("0"))
    release = ind.anonymize(pl.concat([table, added]), policy())
    assert any("count as different people" in told for told in release.warnings)


@pytest.mark.parametrize("algorithm", ["anatomy", "theta-star", "m-invariant"])
def test_a_column_that_tells_which_value_of_the_bucket_is_theirs_is_told(algorithm: str) -> None:
    """A ward that stands in the row of a person tells the disease, whatever the bucket lists."""
    table = visits(90, 3).unique("patient", keep="first", maintain_order=True)
    random = np.random.default_rng(1)
    for ward, told in (
        (pl.col("dx").str.to_lowercase(), True),
        (pl.Series(random.permutation(table["dx"].to_numpy())), False),
    ):
        asked = _linked_policy(algorithm, *OF_ALGORITHMS[algorithm])
        asked["attributes"]["ward"] = {"role": "insensitive"}
        release = ind.anonymize(table.with_columns(ward=ward), asked)
        found = [text for text in release.warnings if "which 'dx' of the bucket is theirs" in text]
        assert [text for text in found if "nearly certainly for 100%" in text] == found
        assert bool(found) == told
        said = release.certificate.to_dict()["warnings"]
        assert any(text.startswith("'ward': published for each person") for text in said)


def test_certificates_name_no_attribute_that_linked_tables_do_not_list() -> None:
    asked = _linked_policy("anatomy", *OF_ALGORITHMS["anatomy"])
    asked["attributes"]["ward"] = {"role": "sensitive"}
    release = ind.anonymize(_with_few_high(90, 3), asked)
    assert not any("'ward'" in text for text in release.certificate.to_dict()["warnings"])


def test_suppressed_records_of_one_person_are_not_taken_for_many_people() -> None:
    """Whoever knows that somebody of 93 is in the table knows whose the five rows of stars are."""
    rows = [(f"{age}{value}", age, value) for age in (20, 30) for value in "xyz"]
    rows += [("old", 93, value) for value in "vwxyz"]
    table = pl.DataFrame(rows, ["who", "age", "ill"], orient="row")
    policy = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "max_level": 0},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"suppression_limit": 0.2},
        "output": {"suppressed": "keep"},
    }
    release = ind.anonymize(table, policy)
    warned = "suppressed records are kept of fewer people than the smallest class has"
    assert any(text.startswith(warned) for text in release.warnings)
    audit = ind.audit(release)
    assert (audit.suppressed, audit.suppressed_people, audit.people) == (5, 1, 6)
    assert audit.to_dict()["suppressed_group"]["people"] == 1
    assert any("of fewer people than the smallest class" in note for note in audit.notes)
