"""What certificate and run say: every parameter, what a figure holds with, how much is noise."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import indistinct as ind
from indistinct.cli.summary import print_promises
from indistinct.errors import Unsatisfiable
from indistinct.pipeline.evidence import private_evidence
from indistinct.warnings.made_up import warn_about_made_up

RANKS = {"flu": 4, "asthma": 3, "hiv": 1, "gout": 3, "cold": 4}


def frame(n: int = 120, ill: tuple[str, ...] = tuple(RANKS)) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [20 + at * 7 % 40 for at in range(n)],
            "ill": [ill[at % 11 % len(ill)] for at in range(n)],
        }
    )


def policy(promises: list[dict[str, Any]], **method: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ill": {"role": "sensitive", "ranks": {"table": RANKS}},
        },
        "promises": promises,
        "method": method,
    }


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"model": "k-anonymity", "k": 2}, {"k": 2}),
        ({"model": "t-closeness", "t": 0.5}, {"t": 0.5, "distance": "equal"}),
        ({"model": "delta-disclosure", "delta": 4, "absent": "skip"}, None),
        (
            {"model": "knm-anonymity", "k": {"1": 5, "3": 3, "4": 2}},
            {"k": {"1": 5, "3": 3, "4": 2}, "count": "class", "diversity": 2},
        ),
    ],
)
def test_a_certificate_names_every_parameter(
    asked: dict[str, Any], told: dict[str, Any] | None
) -> None:
    document = ind.anonymize(frame(), policy([asked])).certificate.to_dict()
    (found,) = document["promises"]
    assert found["parameters"] == (told or {"delta": 4, "absent": "skip"})


def test_parameters_of_theta_and_an_old_certificate_without_them(tmp_path: Path) -> None:
    asked = policy([{"model": "theta-sensitive", "k": 3}], algorithm="theta")
    ind.anonymize(frame(), asked).write(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text())
    theta, bound = document["promises"]
    assert theta["parameters"] == {"k": 3, "mu": 0.6, "theta": "k"}
    # Records may be made up: what is said to be achieved is what was asked.
    assert theta["achieved"] == {"k": 3, "mu": 0.6}
    assert bound["achieved"] == {"bound": 0.5}
    assert "achieved_with" not in theta
    assert ind.audit(tmp_path / "out").holds
    theta["parameters"] = {"k": 3}
    del theta["counts_made_up"], theta["achieved"]
    path.write_text(json.dumps(document))
    audited = ind.audit(tmp_path / "out")
    assert audited.holds
    assert audited.promises[0].achieved_with == {"k": {"mu": 0.6}, "mu": {"k": 3}}


def test_what_is_achieved_says_with_what(capsys: pytest.CaptureFixture[str]) -> None:
    table = pl.DataFrame({"age": ["x"] * 10, "ill": ["flu"] * 4 + ["hiv"] * 3 + ["gout"] * 3})
    found = ind.audit(
        table,
        promises=[{"model": "recursive-cl-diversity", "c": 3, "l": 2, "sensitive": "ill"}],
        quasi=["age"],
    )
    (verdict,) = found.promises
    # 4 < c (3 + 3), and for c = 3 still 4 < 3 * 3.
    assert verdict.achieved == {"c": pytest.approx(4 / 6), "l": 3}
    assert verdict.achieved_with == {"c": {"l": 2}, "l": {"c": 3}}
    assert "c=0.666667 (l=2), l=3 (c=3)" in repr(found)
    print_promises([verdict.to_dict()])
    assert "c = 0.6667 with l = 2, l = 3 with c = 3" in " ".join(capsys.readouterr().out.split())


def test_theta_by_size_has_figures_that_stand_alone() -> None:
    table = pl.DataFrame({"age": ["x"] * 4, "ill": ["flu", "hiv", "gout", "cold"]})
    asked = {"model": "theta-sensitive", "k": 3, "theta": "size", "sensitive": "ill"}
    (verdict,) = ind.audit(table, promises=[asked], quasi=["age"]).promises
    assert verdict.achieved == {"k": 4, "mu": pytest.approx(1.0)}
    assert "achieved_with" not in verdict.to_dict()


UNEVEN = [
    {"model": "theta-sensitive", "k": 4, "mu": 0.9},
    {"model": "max-posterior", "bound": 0.9},
]


def test_much_that_is_made_up_draws_a_private_warning() -> None:
    assert warn_about_made_up(5, 100) == []
    (told,) = warn_about_made_up(6, 100)
    assert told.startswith("6% of the release is made up: 6 of 100 records are nobody")
    assert warn_about_made_up(0, 0) == []
    asked = policy(UNEVEN, algorithm="theta", max_noise=0.9)
    release = ind.anonymize(uneven(), asked)
    noise = release.run.noise
    assert noise > 0.1 * release.certificate.records_published
    assert any(f"made up: {noise} of " in text for text in release.warnings)
    assert not any("made up:" in text for text in release.certificate.to_dict()["warnings"])


def uneven() -> pl.DataFrame:
    """Mostly one illness: without made-up records no class has variance enough."""
    return frame(60, ("flu",) * 7 + tuple(RANKS)[1:])


def test_a_tenth_at_most_is_made_up_unless_more_is_asked_for() -> None:
    asked = policy(UNEVEN, algorithm="theta")
    with pytest.raises(Unsatisfiable, match="allow max_noise"):
        ind.anonymize(uneven(), asked)


def visits(n: int = 60) -> pl.DataFrame:
    """Visits of people of whom most are slightly ill, two rows each."""
    ill = ["flu"] * 8 + ["gout", "asthma", "hiv"]
    return pl.DataFrame(
        {
            "patient": [f"p{at // 2}" for at in range(2 * n)],
            "age": [20 + at // 2 * 7 % 40 for at in range(2 * n)],
            "ill": [ill[at // 2 % 11] for at in range(2 * n)],
        }
    )


LEVELS = {"low": ["flu"], "mild": ["gout"], "high": ["asthma"], "severe": ["hiv"]}


def of_people(promises: list[dict[str, Any]], **method: Any) -> dict[str, Any]:
    asked = policy(promises, algorithm="theta-star", **method)
    asked["source"] = {"person": "patient"}
    asked["attributes"]["patient"] = {"role": "identifier"}
    asked["attributes"]["ill"] = {
        "role": "sensitive",
        "categories": {"table": LEVELS, "order": list(LEVELS)},
    }
    return asked


THETA = {"model": "theta-sensitive", "k": 4, "mu": 0.6}


@pytest.mark.parametrize("kind", ["theta", "theta-star", "decoys"])
def test_no_figure_of_people_counts_those_made_up(kind: str, tmp_path: Path) -> None:
    if kind == "theta-star":
        table, asked = visits(), of_people([UNEVEN[0] | {"unit": "person"}], max_noise=0.9, seed=1)
        asked["promises"].append({"model": "max-posterior", "bound": 0.8, "unit": "person"})
        asked["promises"].append({"model": "k-anonymity", "k": 4, "unit": "person"})
    else:
        table = uneven() if kind == "theta" else frame(60)
        promised = [{"model": "k-anonymity", "k": 4}, {"model": "max-posterior", "bound": 0.9}]
        method: dict[str, Any] = {"algorithm": "theta", "max_noise": 0.9}
        if kind == "decoys":
            method = {"decoys": {"to": 40, "limit": 0.5}}
            table = table.with_columns(pl.Series("more", range(60)) % 13)
        asked = policy([THETA, *promised] if kind == "theta" else promised, **method, seed=1)
        if kind == "decoys":
            asked["attributes"]["more"] = {"role": "insensitive"}
    release = ind.anonymize(table, asked)
    run, public = release.run.to_dict(), release.certificate.to_dict()
    assert sum(run["added"].values()) > 0
    shown = {item["model"]: item for item in public["promises"]}
    known = {item["model"]: item for item in run["promises"]}
    published = {part.requirement.model: part for part in ind.audit(release).promises}
    assert shown["k-anonymity"]["achieved"] == {"k": 4}
    assert known["k-anonymity"]["achieved"] == {"k": run["classes"]["smallest"]}
    # Exactly the people are counted.
    there = run["people"]["published"] if kind == "theta-star" else run["published"]
    assert run["classes"]["mean"] * run["classes"]["count"] == pytest.approx(there)
    assert public["classes"]["mean"] > run["classes"]["mean"]
    bound = shown["max-posterior"]["parameters"]["bound"]
    assert shown["max-posterior"]["achieved"] == {"bound": bound}
    assert known["max-posterior"]["achieved"]["bound"] <= bound
    if kind != "decoys":
        assert shown["theta-sensitive"]["counts_made_up"] is True
        assert (
            published["max-posterior"].achieved["bound"]
            < known["max-posterior"]["achieved"]["bound"]
        )
    assert shown["max-posterior"]["counts_made_up"] is False
    assert any("made-up records" in text for text in public["warnings"])
    # The certificate agrees with the files, and a figure changed in it does not.
    release.write(tmp_path / "out")
    audited = ind.audit(tmp_path / "out")
    assert audited.holds
    assert any("rely on what each promise asked" in note for note in audited.notes)
    for given in (release, tmp_path / "out"):
        assert any("count as people" in note for note in ind.risk(given).notes)
        compared = ind.compare(table, given, policy=asked).releases[0]
        assert any("count as people" in note for note in compared.notes)
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text())
    for item in document["promises"]:
        if item["model"] == "k-anonymity":
            item["achieved"] = {"k": 40}
    path.write_text(json.dumps(document))
    assert not ind.audit(tmp_path / "out").holds


def test_places_of_noise_are_right_beside_decoys() -> None:
    asked = policy(
        [THETA, UNEVEN[1]],
        algorithm="theta",
        max_noise=0.9,
        decoys={"to": 30, "limit": 0.5},
        seed=3,
    )
    table = uneven().with_columns(pl.Series("more", range(60)).cast(pl.String))
    asked["attributes"]["more"] = {"role": "insensitive"}
    release = ind.anonymize(table, asked)
    made = {row for name in ("noise", "decoys") for row in release.private[f"{name}.json"]["rows"]}
    assert len(made) == release.run.noise + release.run.decoys
    real = release.tables.with_row_index(offset=1).filter(~pl.col("index").is_in(sorted(made)))
    assert sorted(real["more"].cast(pl.Int64)) == list(range(60))


@pytest.mark.parametrize("algorithm", ["theta", "theta-star"])
def test_a_bound_on_beliefs_holds_without_those_made_up(algorithm: str) -> None:
    for seed in range(8):
        many = 44 + 11 * seed
        if algorithm == "theta":
            table = frame(many, ("flu",) * (3 + seed % 3) + tuple(RANKS)[1:])
            asked = policy([{**THETA, "k": 2}], algorithm="theta", max_noise=0.9, seed=seed)
        else:
            table = visits(many)
            asked = of_people([UNEVEN[0] | {"unit": "person"}], max_noise=0.9, seed=seed)
        asked["promises"].append(
            {
                "model": "max-posterior",
                "bound": 0.75,
                "unit": asked["promises"][0].get("unit", "record"),
            }
        )
        release = ind.anonymize(table, asked)
        own = {item["model"]: item for item in release.run.to_dict()["promises"]}["max-posterior"]
        assert own["holds"]
        assert own["achieved"]["bound"] <= 0.75 + 1e-12


def test_what_is_lost_is_said_first_with_ways_to_keep_it() -> None:
    ages = [*range(20, 60), 99]
    table = pl.DataFrame({"age": ages, "sex": ["m", "f"] * 20 + ["m"]})
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
    }
    lost = ind.anonymize(table, keys)
    assert lost.warnings[0].startswith("the release keeps nothing of 'age'; to keep more, try")
    for way in ({"suppression_limit": 0.05}, {"algorithm": "mondrian"}):
        assert f"{next(iter(way))} = " in lost.warnings[0]
        kept = ind.anonymize(table, {**keys, "method": way})
        assert not any("the release keeps" in text for text in kept.warnings)
        assert kept.tables["age"].n_unique() > 1
    top = keys["attributes"]["age"] | {"min_level": 3}
    asked = {**keys, "attributes": {**keys["attributes"], "age": top}}
    told = ind.anonymize(table, asked).warnings[0]
    assert "to keep more, try" in told
    assert "age.max_level" not in told  # below the level that is asked for at least
    assert "age.max_level" in lost.warnings[0]


def test_ways_to_keep_many_lost_columns_stay_few_and_name_their_number_first() -> None:
    random = np.random.default_rng(3)
    names = [f"q{at}" for at in range(14)]
    words = [f"word {at}" for at in range(12)]
    table = pl.DataFrame({name: random.choice(words, 60).tolist() for name in names})
    keys: dict[str, Any] = {
        "attributes": {
            name: {"role": "quasi-identifier", "hierarchy": "suppress"} for name in names
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "mondrian"},
    }
    told = ind.anonymize(table, keys).warnings[0]
    ways = told.split("; to keep more, try ")[1].split(", or ")
    assert ways[0] == "fewer than 14 quasi-identifiers: leave out what nobody needs"
    assert ways[3] == 'method.cells.q2 = "set" (and so for 11 more columns)'
    assert ways[4:] == ["a weaker promise"]


def test_what_is_to_be_written_is_toml_whatever_a_column_is_called() -> None:
    table = pl.DataFrame({"age (years)": [*range(20, 60), 99], "sex": ["m", "f"] * 20 + ["m"]})
    keys: dict[str, Any] = {
        "attributes": {
            "age (years)": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
    }
    ways = ind.anonymize(table, keys).warnings[0].partition("try ")[2].split(", or ")
    level = next(way for way in ways if "max_level" in way)
    asked = tomllib.loads(level)["attributes"]
    assert asked.keys() == {"age (years)"}


def test_a_common_node_that_says_nothing_is_kept_as_a_set() -> None:
    table = pl.DataFrame(
        {
            "age": [20 + at * 7 % 60 for at in range(120)],
            "zip": [f"100{10 + at * 11 % 40}" for at in range(120)],
        }
    )
    keys: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "mondrian", "objective": {"weights": {"age": 5}}},
    }
    lost = ind.anonymize(table, keys)
    assert 'method.cells.zip = "set"' in lost.warnings[0]
    kept = ind.anonymize(table, {**keys, "method": keys["method"] | {"cells": {"zip": "set"}}})
    assert not any("'zip'" in text for text in kept.warnings)


def test_an_attribute_that_is_starred_in_many_records_is_told() -> None:
    wards = [f"w{at // 12}" if at < 60 else f"x{at}" for at in range(100)]
    table = pl.DataFrame({"sex": ["f", "m"] * 50, "ward": wards})
    keys = {
        "attributes": {
            "sex": {"role": "quasi-identifier"},
            "ward": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "optimal", "local_recoding": True},
    }
    release = ind.anonymize(table, ind.Policy.from_dict(keys))
    share = (release.tables["ward"] == "*").mean()
    assert 1 / 3 < share < 1
    (told,) = (one for one in release.warnings if "to keep more" in one)
    assert f"'ward' in {share:.0%} of its records" in told


def test_where_all_records_may_be_left_out_a_release_without_any_is_one() -> None:
    table = pl.DataFrame({"ward": [str(ward) for ward in range(6)]})
    keys = {
        "attributes": {"ward": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 7}],
        "method": {"seed": 1, "suppression_limit": 1.0},
    }
    release = ind.anonymize(table, keys)
    assert release.tables.height == 0
    assert release.certificate.to_dict()["records_published"] == 0


def test_a_certificate_with_the_original_shares_says_whose_values_they_tell() -> None:
    """The only one of 99 is left out, and the only rare illness is missing from the release."""
    data = frame().extend(pl.DataFrame({"age": [99], "ill": ["rare"]}))
    promise = {"model": "t-closeness", "t": 0.9, "reference": "original"}
    asked = policy([{"model": "k-anonymity", "k": 2}, promise], suppression_limit=0.1)
    asked["attributes"]["ill"].pop("ranks")
    asked["attributes"]["age"]["max_level"] = 1
    release = ind.anonymize(data, asked)
    assert "rare" not in release.tables["ill"]
    told = "this certificate has the shares of all values of the table"
    assert any(told in text for text in release.certificate.warnings)
    (private,) = (text for text in release.warnings if "left out have" in text)
    assert "left out have: 1 of them have the most frequent value" in private
    asked["promises"][1].pop("reference")
    plain = ind.anonymize(data, asked)
    assert not any("left out have" in text or told in text for text in plain.warnings)


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        ({"model": "entropy-l-diversity", "l": 1.5}, "add distinct-l-diversity or max-posterior"),
        ({"model": "recursive-cl-diversity", "c": 3, "l": 2}, "add distinct-l-diversity or max-"),
        ({"model": "max-posterior", "bound": 0.7}, "under [attributes.ill] stops counting them"),
    ],
)
def test_missing_values_that_pass_for_an_illness_are_told(
    asked: dict[str, Any], remedy: str
) -> None:
    """Whoever has a value at all has the same one."""
    data = pl.DataFrame({"age": [20 + at % 4 for at in range(40)], "ill": [None, *["a"]] * 20})
    keys = policy([{"model": "k-anonymity", "k": 2}, asked])
    keys["attributes"]["ill"].pop("ranks")
    warnings = ind.anonymize(data, keys).warnings
    (told,) = (text for text in warnings if "missing values of 'ill' count as one more" in text)
    assert remedy in told


def test_a_certificate_says_that_its_hierarchy_is_as_deep_as_the_table_needs() -> None:
    """The only long code is that of the only record left out, and every chain is longer for it."""
    data = frame(ill=("I10", "E11")).extend(pl.DataFrame({"age": [99], "ill": ["S72.001A"]}))
    asked = policy(
        [
            {"model": "t-closeness", "t": 0.9, "distance": "hierarchical"},
            {"model": "k-anonymity", "k": 2},
        ],
        suppression_limit=0.1,
    )
    asked["attributes"]["ill"] = {"role": "sensitive", "hierarchy": {"code_system": "icd-10"}}
    asked["attributes"]["age"]["max_level"] = 1
    certificate = ind.anonymize(data, asked).certificate
    assert {len(chain) for chain in certificate.to_dict()["sensitive"]["ill"]["hierarchy"]} == {8}
    assert any("as many levels as the longest code" in text for text in certificate.warnings)


def test_what_a_report_rests_on_is_counted_once_and_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counted(*given: Any) -> dict[str, Any]:
        asked.append(given)
        return private_evidence(*given)

    monkeypatch.setattr("indistinct.pipeline.accounts.private_evidence", counted)
    release = ind.anonymize(frame(), policy([{"model": "k-anonymity", "k": 5}]))
    assert "evidence.json" in release.private
    assert not asked
    again = copy.deepcopy(release.private)
    assert again["evidence.json"] == release.private["evidence.json"]
    assert len(release.private["evidence.json"]["attributes"]) == 2
    assert len(asked) == 1


@pytest.mark.parametrize("person", [False, True])
def test_what_a_report_rests_on_is_the_table_as_it_was(person: bool) -> None:
    """The texts of an Arrow table may lie in memory that its maker writes to again."""
    ills = [f"whatever is called {ill}" for ill in frame()["ill"]]
    memory = bytearray("".join(ills).encode())
    ends = np.cumsum([0, *map(len, ills)], dtype=np.int64)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(memory)]
    texts = pa.Array.from_buffers(pa.large_utf8(), len(ills), buffers)
    table = frame().to_arrow().set_column(1, "ill", texts)
    asked = policy([{"model": "k-anonymity", "k": 5}, {"model": "max-posterior", "bound": 0.9}])
    asked["attributes"]["ill"] = {"role": "sensitive"}
    if person:
        table = table.append_column("patient", pa.array(map(str, range(len(ills)))))
        asked |= {"source": {"person": "patient"}}
        asked["attributes"]["patient"] = {"role": "identifier"}
    first, second = (ind.anonymize(table, asked) for _ in range(2))
    before = first.private["evidence.json"], first.private["plan.json"]["attributes"]
    memory[:] = b"x" * len(memory)
    assert (second.private["evidence.json"], second.private["plan.json"]["attributes"]) == before
