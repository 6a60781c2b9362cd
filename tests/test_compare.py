"""Releases side by side: the verb, on releases of this and of other tools."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import indistinct as ind
from indistinct.document import share
from indistinct.errors import DataError, PolicyError

DIAGNOSES = ("flu", "asthma", "ulcer", "gastritis", "flu")
ROWS = [
    (age, sex, zip_code, DIAGNOSES[(age + at) % 5])
    for age in range(20, 60)
    for at, (sex, zip_code) in enumerate([("f", 81667), ("m", 81675), ("f", 81925), ("m", 81931)])
]


def policy(k: int = 5, l: int | None = None, **method: Any) -> ind.Policy:  # noqa: E741
    promises: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}]
    if l is not None:
        promises.append({"model": "distinct-l-diversity", "l": l, "sensitive": "diagnosis"})
    return ind.Policy(
        attributes={
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
            "diagnosis": {"role": "sensitive"},
        },
        promises=promises,
        method=method,
    )


@pytest.fixture
def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=["age", "sex", "zip", "diagnosis"], orient="row")


def one(found: ind.Comparison) -> dict[str, Any]:
    document: dict[str, Any] = found.to_dict()["releases"][0]
    return document


@pytest.mark.parametrize("person", [False, True])
def test_a_few_numbers_far_apart_are_asked_for_as_values_that_occur(*, person: bool) -> None:
    """Hardly any range of the span between two towns' postcodes finds a record."""
    frame = pl.DataFrame({
        "patient": [1, 2, 3, 4, 1, 2, 3, 4],
        "zip": [52311, 52310, 99902, 52303] * 2,
        "region": ["south", "north", "north", "north"] * 2,
        "diagnosis": ["flu", "cold", "flu", "gout", "HIV", "flu", "flu", "flu"],
    })  # fmt: skip
    asked = ind.Policy.from_dict({
        "source": {"person": "patient"} if person else {},
        "attributes": {
            "patient": {"role": "identifier"},
            "zip": {"role": "quasi-identifier"},
            "region": {"role": "quasi-identifier"},
            "diagnosis": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": {"algorithm": "mondrian"},
    })  # fmt: skip
    release = ind.anonymize(frame, asked)
    found = ind.compare(frame, release, policy=asked, queries=50)
    assert found.to_dict()["workload"]["ranges"] == "values"
    assert any("values that occur" in getattr(part, "text", "") for part in found.parts())


def test_the_document(frame: pl.DataFrame) -> None:
    release = ind.anonymize(frame, policy())
    found = ind.compare(frame, release, policy=policy(), queries=50)
    document = found.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["records"] == 160
    assert document["quasi_identifiers"] == ["age", "sex", "zip"]
    assert document["workload"] == {
        "queries": 50, "dimensions": 2, "selectivity": 0.05, "seed": 0, "ranges": "span",
    }  # fmt: skip
    item = one(found)
    assert set(item) == {
        "path", "name", "rows", "suppressed", "classes", "ncp", "loss", "k", "dcp", "dcp_least",
        "c_avg", "quality", "noise_ratio", "query_error", "added", "seconds", "promises", "notes",
    }  # fmt: skip
    assert set(item["ncp"]) == {"total", "normalized", "per_attribute"}
    assert set(item["query_error"]) == {"mean", "median", "mode", "queries", "by_mode"}
    assert (item["query_error"]["mode"], item["query_error"]["queries"]) == ("overlap", 50)
    assert item["query_error"]["by_mode"]["overlap"]["mean"] == item["query_error"]["mean"]
    assert item["rows"] == 160
    assert item["k"] == 5
    assert item["added"] == {"noise": 0, "decoys": 0}
    assert item["loss"]["mean"] == pytest.approx(release.measures["loss-arithmetic"])
    assert item["promises"] == [
        {
            "model": "k-anonymity",
            "parameters": {"k": 5},
            "on": ["age", "sex", "zip"],
            "holds": True,
            "achieved": dict(release.certificate.promises[0]["achieved"]),
            "promised": True,
        }
    ]
    text = found._repr_html_() + repr(found) + repr(found.releases)
    assert "NCP" in text
    assert found["release 1"] is found.releases[0]
    with pytest.raises(KeyError):
        found["release 2"]
    told = found.frame()
    assert told.height == 1
    assert told["dcp"].item() == item["dcp"]
    assert told["k-anonymity(k=5)"].item() == f"k={item['classes']['smallest']}"


def test_folders_files_frames_and_releases_say_the_same(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    frame.write_csv(tmp_path / "table.csv")
    asked = policy()
    release = ind.anonymize(tmp_path / "table.csv", asked)
    release.write(tmp_path / "out")
    found = ind.compare(
        tmp_path / "table.csv",
        [
            release,
            tmp_path / "out",
            str(tmp_path / "out" / "release.csv"),
            release.tables,
            release.tables.to_pandas(),
            duckdb.from_arrow(release.tables.to_arrow()),
        ],
        policy=asked,
        queries=60,
    )
    first, *others = found.to_dict()["releases"]
    assert first["seconds"] is not None
    for item in others[:2]:
        assert {**item, "path": "", "name": ""} == {**first, "path": "", "name": ""}
    for item in others[2:]:
        assert (item["added"], item["seconds"], item["noise_ratio"]) == (None, None, None)
        for key in ("ncp", "dcp", "c_avg", "query_error", "quality", "rows", "promises"):
            assert item[key] == first[key]
    assert first["path"] == "release 1"
    assert others[0]["path"] == str(tmp_path / "out")
    assert len({item["name"] for item in [first, *others]}) == 6


def test_every_promise_is_looked_for_in_every_release(frame: pl.DataFrame) -> None:
    alone, diverse = policy(5), policy(10, l=4)
    found = ind.compare(
        frame,
        {"k": ind.anonymize(frame, alone), "l": ind.anonymize(frame, diverse)},
        policy=alone,
        queries=20,
    )
    asked = [
        [(part["model"], part["parameters"], part["promised"]) for part in item["promises"]]
        for item in found.to_dict()["releases"]
    ]
    assert asked == [
        [
            ("k-anonymity", {"k": 5}, True),
            ("k-anonymity", {"k": 10}, False),
            ("distinct-l-diversity", {"l": 4}, False),
        ],
        [
            ("k-anonymity", {"k": 5}, False),
            ("k-anonymity", {"k": 10}, True),
            ("distinct-l-diversity", {"l": 4}, True),
        ],
    ]
    assert [item["k"] for item in found.to_dict()["releases"]] == [5, 10]
    assert found["l"].utility.ncp.total >= found["k"].utility.ncp.total
    assert [item.name for item in found.releases] == ["k", "l"]
    titles = [title for title, _ in found.sections()]
    assert titles[1].startswith("promises: achieved")


def test_promises_about_other_quasi_identifiers_are_looked_at(frame: pl.DataFrame) -> None:
    """What a policy or a release leaves out counts as suppressed, in promises as in measures."""
    wide, keys = policy(4), policy(6).to_dict()
    keys["attributes"]["zip"] = {"role": "identifier"}
    narrow = ind.Policy.from_dict(keys)
    made = {"wide": ind.anonymize(frame, wide), "narrow": ind.anonymize(frame, narrow)}

    def smallest(name: str, quasi: list[str]) -> int:
        there = [one for one in quasi if one in made[name].tables.columns]
        return int(made[name].tables.group_by(there).len()["len"].min())

    for asked, others in ((wide, ["age", "sex"]), (narrow, ["age", "sex", "zip"])):
        found = ind.compare(frame, made, policy=asked, queries=5)
        for item in found.to_dict()["releases"]:
            own, other = item["promises"]
            quasi = list(asked.quasi_identifiers)
            assert (own["on"], other["on"]) == (quasi, others)
            assert own["achieved"] == {"k": smallest(item["name"], quasi)}
            assert other["achieved"] == {"k": smallest(item["name"], others)}
        assert "promises: achieved (no: not kept)" in dict(found.sections())


def test_one_k_for_all(frame: pl.DataFrame) -> None:
    found = ind.compare(frame, frame, policy=policy(), k=2, queries=5)
    assert one(found)["c_avg"] == 0.5


def test_the_table_itself_and_nothing(frame: pl.DataFrame) -> None:
    stars = frame.with_columns(pl.lit("*").alias(name) for name in ("age", "sex", "zip"))
    found = ind.compare(
        frame, {"all": frame, "stars": stars, "none": frame.clear()}, policy=policy(), queries=40
    )
    whole, stars_, none = found.to_dict()["releases"]
    assert whole["ncp"]["total"] == 0
    assert whole["query_error"]["by_mode"]["uniform"] == {"mean": 0.0, "median": 0.0}
    assert whole["query_error"]["mean"] == 0
    assert whole["promises"][0]["holds"] is False
    for item in (stars_, none):
        assert item["suppressed"] == 160
        assert item["ncp"]["normalized"] == 1
        assert item["query_error"]["mean"] == 1
        assert item["c_avg"] is None
        assert item["classes"]["count"] == 0
    assert "no" in dict(found.sections())["promises: achieved (no: not kept)"][0][1][0]


def test_another_tool_with_ranges_sets_and_a_column_left_out(frame: pl.DataFrame) -> None:
    low = pl.col("age") // 20 * 20
    other = frame.select(
        pl.format("[{}, {}]", low, low + 19).alias("age"),
        pl.lit("{f, m}").alias("sex"),
        "diagnosis",
    )
    found = ind.compare(frame, other, policy=policy(), queries=30)
    item = one(found)
    expected = {"age": 19 / 39, "sex": 1.0, "zip": 1.0}
    assert item["ncp"]["per_attribute"] == pytest.approx(expected)
    assert item["notes"] == ["has no column 'zip': it counts as suppressed throughout"]
    assert item["promises"][0]["achieved"] == {"k": 80}


def test_numbers_and_stars_in_one_column_of_objects(frame: pl.DataFrame) -> None:
    """What other tools make of a frame of pandas: 39 stays a number beside ``*``."""
    starred = frame.to_pandas().astype(object)
    starred.loc[[0, 5, 9], "age"] = "*"
    texts = frame.with_columns(age=pl.Series([str(one) for one in starred["age"]]))
    ours, theirs = (
        ind.compare(frame, given, policy=policy(), queries=20).to_dict()["releases"][0]
        for given in (texts, starred)
    )
    assert {**theirs, "seconds": 0} == {**ours, "seconds": 0}


def test_weights_are_those_of_the_policy_or_given(frame: pl.DataFrame) -> None:
    release = frame.with_columns(pl.lit("*").alias("sex"))
    asked = policy()
    keys = asked.to_dict()
    keys["attributes"]["sex"]["weight"] = 3.0
    weighed = ind.Policy.from_dict(keys)
    assert one(ind.compare(frame, release, policy=asked, queries=5))["ncp"]["total"] == 160
    assert one(ind.compare(frame, release, policy=weighed, queries=5))["ncp"]["total"] == 480
    given = ind.compare(frame, release, policy=weighed, weights={"sex": 0.5}, queries=5)
    assert one(given)["ncp"]["total"] == 80


def test_the_same_seed_asks_the_same(frame: pl.DataFrame) -> None:
    release = ind.anonymize(frame, policy(suppression_limit=0.1))
    asked = {"policy": policy(), "queries": 30}
    first = ind.compare(frame, release, **asked).to_dict()  # type: ignore[arg-type]
    assert ind.compare(frame, release, **asked).to_dict() == first  # type: ignore[arg-type]
    other = one(ind.compare(frame, release, seed=1, **asked))  # type: ignore[arg-type]
    assert other["query_error"] != first["releases"][0]["query_error"]
    assert other["ncp"] == first["releases"][0]["ncp"]


def test_a_table_in_a_database(frame: pl.DataFrame) -> None:
    release = ind.anonymize(frame, policy())
    held = duckdb.from_arrow(frame.to_arrow())
    found = ind.compare(held, release, policy=policy(), queries=30).to_dict()
    assert found == ind.compare(frame, release, policy=policy(), queries=30).to_dict()


def test_records_that_were_added_are_known_from_the_run(frame: pl.DataFrame) -> None:
    # Decoys are new combinations of what is published beside the quasi-identifiers.
    wide = frame.with_columns((pl.int_range(pl.len()) % 23).alias("stay"))
    keys = policy(2, decoys={"to": 12, "limit": 0.5}).to_dict()
    keys["attributes"]["stay"] = {"role": "insensitive"}
    asked = ind.Policy.from_dict(keys)
    release = ind.anonymize(wide, asked)
    found = ind.compare(wide, release, policy=asked, queries=10)
    item = one(found)
    added = release.run.decoys
    assert added > 0
    assert item["added"] == {"noise": 0, "decoys": added}
    assert item["noise_ratio"] == added / 160
    assert item["suppressed"] == release.run.suppressed
    assert item["rows"] == 160 + added
    account = release.run.to_dict()
    assert item["classes"] == account["classes"]
    assert item["classes"]["smallest"] < release.certificate.to_dict()["classes"]["smallest"]
    assert item["promises"][0]["achieved"] == account["promises"][0]["achieved"]
    rows = dict(found.sections())["size"]
    assert "added records, share" in [label for label, _ in rows]
    assert dict(rows)["smallest class"] == (str(account["classes"]["smallest"]),)
    assert dict(rows)["records published"] == (str(160 - release.run.suppressed),)
    (linked,) = ind.attack(wide, release, asked, only=["record-linkage"]).attacks
    assert linked.worst["records"] == account["classes"]["smallest"]


def test_attackers_are_let_loose_where_asked(frame: pl.DataFrame) -> None:
    release = ind.anonymize(frame, policy())
    found = ind.compare(frame, release, frame, policy=policy(), queries=10, attacks=["membership"])
    ours, raw = found.to_dict()["releases"]
    assert [part["name"] for part in raw["attacks"]] == ["membership"]
    assert raw["attacks"][0]["success"]["certain"] == 1.0
    assert ours["attacks"][0]["success"]["certain"] < 1.0
    told = dict(found.sections())["attackers (less is better)"]
    assert told[0] == ("membership of diagnosis", told[0][1])
    assert told[0][1][1] == "100%, 100%"
    assert "membership of diagnosis, certain" in found.frame().columns
    usual = ind.compare(frame, release, policy=policy(), queries=10, attacks=True)
    assert {part["name"] for part in one(usual)["attacks"]} >= {"membership", "known-records"}
    told = dict(usual.sections())["attackers (less is better)"]
    worst = ind.attack(frame, release, policy()).worst()
    assert [label for label, _ in told] == ["who somebody is", "what somebody has: diagnosis"]
    assert [text for _, (text,) in told] == [share(found.learnt) for found in worst]


def test_kl_divergence_is_what_the_search_says_it_is() -> None:
    """Over the bits of a table of which nothing is known: three leaves times two."""
    rows = [("a", "u")] * 3 + [("b", "u")] * 2 + [("c", "v")] * 3 + [("b", "v")]
    table = pl.DataFrame([*rows], schema=["ward", "sex"], orient="row")
    tree = {"*": {"L": ["a", "b"], "M": ["c"]}}
    asked = {
        "attributes": {
            "ward": {"role": "quasi-identifier", "hierarchy": {"tree": tree}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"objective": "kl-divergence"},
    }
    release = ind.anonymize(table, asked)
    bits = release.run.to_dict()["plan"]["objective"]["value"]
    shares = [n / 9 for n in (3, 2, 3, 1)]
    most = sum(p * math.log2(p * 6) for p in shares)
    kept = ind.compare(table, release, policy=asked, queries=2).releases[0].utility.quality
    assert 0 < bits < most
    assert kept["kl_divergence"] == pytest.approx(1 - bits / most)


def test_a_promise_that_cannot_be_audited_is_left_open(frame: pl.DataFrame) -> None:
    bare = frame.drop("diagnosis")
    found = ind.compare(frame, bare, policy=policy(l=2), queries=10)
    kept, open_ = one(found)["promises"]
    assert kept["holds"] is False
    assert (open_["holds"], open_["achieved"]) == (None, None)
    assert "promises: achieved (no: not kept; -: cannot be checked)" in dict(found.sections())


def test_original_distributions_come_from_the_table(frame: pl.DataFrame) -> None:
    keys = policy().to_dict()
    keys["promises"] = [
        {"model": "t-closeness", "t": 0.2, "sensitive": "diagnosis", "reference": "original"}
    ]
    asked = ind.Policy.from_dict(keys)
    half = frame.head(80)
    (kept,) = one(ind.compare(frame, half, policy=asked, queries=10))["promises"]
    assert kept["reference"] == "original"
    assert kept["holds"] is False


def test_tampering_is_noted(frame: pl.DataFrame, tmp_path: Path) -> None:
    ind.anonymize(frame, policy()).write(tmp_path / "out")
    file = tmp_path / "out" / "release.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    (tmp_path / "out" / "private" / "run.json").write_text("[", encoding="utf-8")
    item = one(ind.compare(frame, tmp_path / "out", policy=policy(), queries=10))
    assert item["notes"] == ["is not the release that its certificate describes"]
    assert (item["added"], item["seconds"]) == (None, None)


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"names": ["a", "b"]}, "2 names were given to 1 release"),
        ({"mode": "all"}, "mode must be"),
        ({"dimensions": 9}, "3 quasi-identifiers"),
        ({"queries": 0, "selectivity": 2}, "queries must be"),
        ({"k": -1}, "k must be"),
        ({"weights": {"diagnosis": 1}}, "a weight was given for 'diagnosis'"),
    ],
)
def test_settings_out_of_range(frame: pl.DataFrame, keys: dict[str, Any], says: str) -> None:
    with pytest.raises(DataError, match=says):
        ind.compare(frame, frame, policy=policy(), **keys)


def test_what_cannot_be_compared(frame: pl.DataFrame) -> None:
    with pytest.raises(DataError, match="no release"):
        ind.compare(frame, policy=policy())
    with pytest.raises(DataError, match="same name"):
        ind.compare(frame, frame, frame, policy=policy(), names=["a", "a"])
    with pytest.raises(DataError, match="no such column"):
        ind.compare(frame, frame.select("diagnosis"), policy=policy())
    strange = frame.with_columns(pl.lit("about twenty").alias("age"))
    with pytest.raises(DataError, match="attribute 'age'") as raised:
        ind.compare(frame, strange, policy=policy(), queries=5)
    assert "twenty" not in str(raised.value)
    with pytest.raises(PolicyError, match="zip"):
        ind.compare(frame.drop("zip"), frame, policy=policy())


def test_half_of_the_values_and_their_number_are_one_promise() -> None:
    frame = pl.DataFrame(
        {
            "age": [20 + at * 7 % 40 for at in range(120)],
            "ill": [("flu", "asthma", "hiv", "gout")[at % 11 % 4] for at in range(120)],
        }
    )
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ill": {
                "role": "sensitive",
                "ranks": {"table": {"flu": 4, "asthma": 3, "hiv": 1, "gout": 3}},
            },
        },
        "promises": [{"model": "knm-anonymity", "k": {"1": 5, "3": 3, "4": 2}}],
    }
    release = ind.anonymize(frame, policy)
    assert release.certificate.to_dict()["promises"][0]["parameters"]["diversity"] == 2
    (kept,) = ind.compare(frame, release, policy=policy).to_dict()["releases"][0]["promises"]
    assert kept["promised"]
    assert kept["holds"]
    assert kept["on"] == ["age"]
    assert kept["parameters"]["diversity"] == 2


def test_where_measures_disagree_it_is_said_why(frame: pl.DataFrame) -> None:
    fine, coarse = ind.anonymize(frame, policy(5)), ind.anonymize(frame, policy(20))
    alike = ind.compare(frame, [fine, fine], policy=policy(5), names=["one", "other"], queries=50)
    assert not any("disagree" in getattr(part, "text", "") for part in alike.parts())
    found = ind.compare(
        frame, [fine, coarse], policy=policy(5), names=["fine", "coarse"], queries=50
    )
    best = {
        "NCP": min(found.releases, key=lambda item: item.utility.ncp.normalized).name,
        "C_AVG": min(found.releases, key=lambda item: item.utility.c_avg or 0.0).name,
    }
    told = [part.text for part in found.parts() if "disagree" in getattr(part, "text", "")]
    assert len(told) == (len({*best.values()}) > 1)
    for text in told:
        for label, name in best.items():
            assert label in next(own for own in text.split("; ") if f"{name} by" in own)


def test_transformed_columns_are_compared_with_what_they_were(frame: pl.DataFrame) -> None:
    wide = frame.with_columns(ward=pl.int_range(pl.len()) % 4, bed=pl.int_range(pl.len()) % 4)
    found = {}
    for name, transform in {"swapped": "swap", "as it is": None}.items():
        asked = policy(3).to_dict()
        asked["attributes"]["bed"] = {"role": "insensitive"}
        asked["attributes"]["ward"] = {"role": "insensitive"} | (
            {} if transform is None else {"transform": {transform: {}}}
        )
        release = ind.anonymize(wide, {**asked, "method": {**asked.get("method", {}), "seed": 1}})
        compared = ind.compare(wide, release, policy=asked, queries=5)
        found[name] = (one(compared).get("transformed"), dict(compared.sections()), release)
    assert found["as it is"][0] is None
    left, rows, release = found["swapped"]
    assert left["moved"]["ward"] < 0.05
    (pair,) = [pair for pair in left["pairs"] if set(pair["columns"]) == {"ward", "bed"}]
    assert pair["before"] > 0.95
    assert pair["after"] < 0.3
    assert left["transformed-associations"] > 0.5
    told = [label for rows in rows.values() for label, _ in rows]
    assert "'ward', transformed: moved" in told
    assert "transformed, associations lost" in told


SOUTH_OF = (
    {"*": {"south": ["Ulm", "Isny"], "north": ["Kiel", "Husum", "Rom"]}},
    {"*": {"south": ["Ulm", "Isny", "Rom"], "north": ["Kiel", "Husum"]}},
)
TOWNS = pl.DataFrame(
    {"town": ["Ulm", "Isny", "Rom", "Kiel", "Husum", "Kiel", "Husum"], "ill": list("aaabcbb")}
)


def by_regions(tree: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "town": {"role": "quasi-identifier", "hierarchy": {"tree": tree}},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"seed": 1},
        **more,
    }


def test_every_release_is_read_by_the_hierarchies_it_was_made_with() -> None:
    """South has Rom in the second release, and does not in the first: by that one Rom is north."""
    first, second = (ind.anonymize(TOWNS, by_regions(tree)) for tree in SOUTH_OF)
    assert sorted(second.tables["town"]) == ["north"] * 4 + ["south"] * 3
    alone = ind.attack(TOWNS, second, only=["membership"]).attacks[0]
    assert alone.success["certain"] == pytest.approx(3 / 7)
    both = ind.compare(TOWNS, first, second, attacks=["membership"]).releases[1]
    assert both.attacks is not None
    assert both.attacks[0].success == alone.success
    assert both.attacks[0].gain == alone.gain
    assert "'town' read by the hierarchy of its own policy" in both.notes
    own = ind.compare(TOWNS, second).releases[0]
    assert both.utility.ncp == own.utility.ncp
    # Somebody who names the policy of the first one learns no less.
    named = ind.attack(TOWNS, second, by_regions(SOUTH_OF[0]), only=["membership"])
    assert named.attacks[0].success == alone.success
    assert named.notes[0] == "'town' read by the hierarchy of its own policy"


def test_people_of_a_class_are_counted_by_its_own_hierarchy(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    towns = ["Ulm", "Isny", "Rom", "Rom", "Kiel", "Husum", "Husum", "Kiel", "Ulm"]
    pl.DataFrame({"town": towns}).write_csv(people)
    more = {
        "promises": [{"model": "k-anonymity", "k": 3}, {"model": "k-map", "k": 4}],
        "risk": {"population": {"file": str(people)}},
    }
    first, second = (ind.anonymize(TOWNS, by_regions(tree, **more)) for tree in SOUTH_OF)
    assert second.certificate.to_dict()["promises"][1]["achieved"] == {"k": 4}
    found = ind.compare(TOWNS, first, second).releases[1].promises[1]
    assert found.verdict is not None
    assert found.verdict.achieved == {"k": 4}


MESSY = pl.DataFrame({
    "age": [None if at % 11 == 0 else 18 + at * 7 % 45 for at in range(120)],
    "job": [("nurse", "doctor", "cook", "baker", "smith")[at * at % 5] for at in range(120)],
})  # fmt: skip
JOBS = {"*": {"cook": [], "health": ["nurse", "doctor"], "trade": {"food": ["baker"], "smith": []}}}


@pytest.mark.parametrize(
    "method",
    [
        {"algorithm": "optimal", "suppression_limit": 0.05},
        {"algorithm": "optimal", "suppression_limit": 0.1, "objective": "precision"},
        {"algorithm": "optimal", "suppression_limit": 0.1, "objective": "non-uniform-entropy"},
        {"algorithm": "heuristic"},
        *(
            {"algorithm": "mondrian", "cells": {"age": style}}
            for style in ("range", "set", "ancestor", "level")
        ),
    ],
)
def test_a_run_and_a_comparison_have_one_figure(method: dict[str, Any]) -> None:
    """Of ages below 20 and above 50, missing ones, and branches that end early, too."""
    ages = {"intervals": {"width": 5, "bottom": 20, "top": 50}}
    asked = ind.Policy.from_dict({
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": ages},
            "job": {"role": "quasi-identifier", "hierarchy": {"tree": JOBS}},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
        "method": method,
    })  # fmt: skip
    release = ind.anonymize(MESSY, asked)
    own = one(ind.compare(MESSY, release, policy=asked, queries=10))
    wanted = {"loss-arithmetic": own["loss"]["mean"]}
    if method["algorithm"] == "mondrian":  # whose classes overlap: which had what is not known
        wanted["ncp"] = own["ncp"]["normalized"]
    found = {name: release.measures[name] for name in wanted}
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("kept", ["drop", "keep"])
def test_rows_of_stars_are_suppressed_wherever_they_are_counted(kept: str) -> None:
    """Three people of whom only what is missing could be published, beside twenty."""
    frame = pl.DataFrame({
        "age": [*range(30, 50), None, None, None],
        "zip": [*[f"81{at % 5}" for at in range(20)], None, None, None],
        "diagnosis": [DIAGNOSES[at % 5] for at in range(23)],
    })  # fmt: skip
    asked = ind.Policy.from_dict({
        "attributes": {
            "age": {"role": "quasi-identifier", "missing": "suppress"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}, "missing": "suppress"},
            "diagnosis": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "output": {"suppressed": kept},
    })  # fmt: skip
    release = ind.anonymize(frame, asked)
    (few,) = (text for text in release.warnings if "fits no class is one of these few" in text)
    assert few.startswith("3 records are * in every quasi-identifier")
    found = [
        (release.run.published, release.run.suppressed),
        (23 - ind.audit(release).suppressed, ind.audit(release).suppressed),
        (20, one(ind.compare(frame, release, policy=asked, queries=10))["suppressed"]),
    ]
    for further in ({}, {"gain": 1.0}):
        point = ind.explore(frame, asked, k=[3], **further).points[0]
        found.append((point.published, point.suppressed))
        assert point.risk is not None
        assert point.risk["highest"] == 1 / 3
    assert found == [(20, 3)] * 5


def test_an_attacker_that_was_named_and_not_tried_is_told(frame: pl.DataFrame) -> None:
    release = ind.anonymize(frame, policy())
    asked = ["presence", "membership"]
    (found,) = ind.compare(frame, release, policy=policy(), attacks=asked).releases
    assert [item.name for item in found.attacks or ()] == ["membership"]
    told = "not tried: presence, because it needs a table of the population"
    assert told in found.notes
    (usual,) = ind.compare(frame, release, policy=policy(), attacks=True).releases
    assert not any("not tried" in note for note in usual.notes)
    bare = release.tables.drop("diagnosis").with_columns(diagnosis=pl.lit("other"))
    (untried,) = ind.compare(frame, bare, policy=policy(), attacks=True).releases
    assert untried.attacks is not None
    assert any("diagnosis: not tried, because" in note for note in untried.notes)
