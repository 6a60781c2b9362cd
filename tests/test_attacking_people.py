"""The verb *attack* where people have many records: who is read, and that rows are people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app

QUASI = ["age", "sex"]
CATEGORIES = {
    "table": {"none": ["A"], "low": ["B", "C"], "mild": ["D"], "high": ["E"], "severe": ["F"]},
    "order": ["none", "low", "mild", "high", "severe"],
}


def visits(people: int = 80, seed: int = 1) -> pl.DataFrame:
    """Visits of invented patients, one to four each, patient by patient."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), random.integers(1, 5, people))
    return pl.DataFrame(
        {
            "patient": [f"P{number:04d}" for number in who],
            "age": random.integers(20, 40, people)[who],
            "sex": random.choice(["f", "m"], people)[who],
            "dx": random.choice(list("ABCDEF"), len(who)),
        }
    )


def policy(algorithm: str = "mondrian", **sections: Any) -> dict[str, Any]:
    promises: list[dict[str, Any]] = [{"model": "k-anonymity", "k": 3}]
    if algorithm == "theta-star":
        promises.append({"model": "theta-sensitive", "k": 3, "sensitive": "dx"})
    if algorithm == "k-l-diversity":
        promises = [{"model": "kl-diversity", "k": 4, "l": 2, "sensitive": "dx"}]
    dx: dict[str, Any] = {"role": "sensitive", "categories": CATEGORIES}
    if algorithm == "k-l-diversity":
        dx["hierarchy"] = {"tree": {"any": CATEGORIES["table"]}}
    return {
        "source": {"person": "patient"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "dx": dx,
        },
        "promises": promises,
        "method": {"algorithm": algorithm, "seed": 7},
    } | sections


def without_person(keys: dict[str, Any]) -> dict[str, Any]:
    return {
        "attributes": {**keys["attributes"], "patient": {"role": "identifier"}},
        "promises": [{"model": "k-anonymity", "k": 3}],
    }


@pytest.fixture(scope="module")
def long() -> ind.Release:
    return ind.anonymize(visits(), policy())


@pytest.fixture(scope="module")
def star() -> ind.Release:
    return ind.anonymize(visits(), policy("theta-star"))


def test_a_long_release_is_attacked_person_by_person(long: ind.Release) -> None:
    found = ind.attack(visits(), long, policy())
    assert found.unit == "person"
    assert found.records == 80
    assert {item.people for item in found.attacks} >= {80}
    sizes = long.tables.select("patient", *QUASI).unique().group_by(QUASI).len()["len"]
    assert found["record-linkage"].figures["prosecutor_highest"] == 1 / sizes.min()
    assert found["record-linkage"].figures["prosecutor_average"] == len(sizes) / 80
    assert found["fingerprint-correlation"].figures["whole_set_unique"] > 0
    skipped = {item.name: item.why for item in found.skipped}
    assert "no promise is about" in skipped["minimality"]
    assert "as they are" in skipped["vertical"]


def test_beliefs_about_a_long_release_count_everybody_once(long: ind.Release) -> None:
    found = ind.attack(visits(), long, policy(), only=["membership"])["membership"]
    rows = long.tables.select("patient", *QUASI, "dx").unique()
    people = rows.select("patient", *QUASI).unique().group_by(QUASI).len("people")
    shares = rows.group_by([*QUASI, "dx"]).len("had").join(people, on=QUASI)
    largest = (shares["had"] / shares["people"]).max()
    assert found.figures["largest_belief"] == pytest.approx(largest)


def test_linked_tables_are_attacked(star: ind.Release) -> None:
    found = ind.attack(visits(), star, policy("theta-star"))
    assert found.records == len(star.tables["quasi"])
    assert found["vertical"].figures["exposed"] == 0
    assert found["noise-stripping"].figures["k"] == 3
    assert "no set" in found["fingerprint-correlation"].note
    bound = found["worst-posterior"].figures
    assert bound["largest"] <= bound["bucket_largest"] + 1e-9
    assert found.notes == ()


def test_people_who_are_exchanged_are_not_said_to_be_dealt_at_random() -> None:
    """In the paper's variant the same people are in the same buckets, whatever the seed."""
    keys = policy("theta-star")
    keys["method"] = {"algorithm": "theta-star", "variant": "paper", "max_noise": 0.9}
    found = ind.attack(visits(), ind.anonymize(visits(), keys), keys, only=["minimality"])
    (why,) = [item.why for item in found.skipped]
    assert "or exchanged between them (variant = 'paper'), which tells much" in why


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "k-member", "mdav"])
@pytest.mark.parametrize("person", ["patient", None])
def test_a_release_of_nobody_tells_nothing(algorithm: str, person: str | None) -> None:
    """Nobody is in a class, but that nothing is published tells that all have the same value."""
    table = pl.DataFrame({"patient": ["P1", "P2", "P3"], "age": [21, 22, 23], "dx": list("AAA")})
    keys = {
        "source": {"person": person} if person else {},
        "attributes": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "dx": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 2},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "dx"},
        ],
        "method": {"algorithm": algorithm, "suppression_limit": 1.0},
    }
    release = ind.anonymize(table, keys)
    assert release.tables.is_empty()
    for item in ind.attack(table, release, keys).attacks:
        assert item.learnt == 0 or item.name == "minimality"


def test_fingerprints_of_linked_tables() -> None:
    keys = policy("k-l-diversity")
    release = ind.anonymize(visits(), keys)
    assert release.certificate.linked is not None
    assert release.certificate.linked["holding"] == "all"
    found = ind.attack(visits(), release, keys)
    assert found["fingerprint-correlation"].figures["anonymity_set_smallest"] >= 4
    bare = ind.attack(visits(), release.tables, keys)
    assert bare.frame().equals(found.frame())


def test_folder_frames_and_release_give_the_same(
    long: ind.Release, star: ind.Release, tmp_path: Path
) -> None:
    visits().write_csv(tmp_path / "visits.csv")
    for name, release in (("mondrian", long), ("theta-star", star)):
        keys = policy(name)
        want = ind.attack(visits(), release, keys).to_dict()
        folder = release.write(tmp_path / name)
        assert ind.attack(tmp_path / "visits.csv", folder, keys).to_dict() == want
        assert ind.attack(visits().to_pandas(), folder, keys).to_dict() == want
        assert ind.attack(visits(), release.tables, keys).to_dict() == want


def test_several_attributes_in_one_sensitive_table(star: ind.Release) -> None:
    keys = policy("theta-star")
    listed = star.tables["sensitive"]
    several = listed.select("bucket", pl.lit("dx").alias("attribute"), pl.col("dx").alias("value"))
    tables = {"quasi": star.tables["quasi"], "sensitive": several}
    want = ind.attack(visits(), star, keys)
    assert ind.attack(visits(), tables, keys).frame().equals(want.frame())


def test_rows_are_never_taken_for_people(
    long: ind.Release, star: ind.Release, tmp_path: Path
) -> None:
    for name, release in (("long", long), ("star", star)):
        keys = without_person(policy())
        folder = release.write(tmp_path / name)
        for one in (release, folder):
            with pytest.raises(ind.PolicyError, match="rows would count as people") as told:
                ind.attack(visits(), one, keys)
            assert [item.code for item in told.value.problems] == ["release-of-people"]
    with pytest.raises(ind.PolicyError, match="two linked tables"):
        ind.attack(visits(), star.tables, without_person(policy()))
    with pytest.raises(
        ind.DataError, match="nothing in the release says whose its rows are"
    ) as lacking:
        ind.attack(visits(), long.tables.drop("patient"), policy())
    assert "P00" not in str(lacking.value)


def test_what_does_not_go_together_is_told(long: ind.Release, star: ind.Release) -> None:
    table = long.tables.with_row_index("row")
    torn = table.with_columns(
        pl.when(pl.col("row") == 0).then(pl.lit("*")).otherwise(pl.col("sex")).alias("sex"),
        pl.when(pl.col("row") == 1).then(None).otherwise(pl.col("patient")).alias("patient"),
    ).drop("row")
    again = table.filter(pl.col("patient") == table["patient"][0]).height > 1
    notes = " ".join(ind.attack(visits(), torn, policy(), only=["membership"]).notes)
    assert "1 row of the release names no person" in notes
    assert ("more combinations than people" in notes) == again
    quasi, sensitive = star.tables["quasi"], star.tables["sensitive"]
    short = {"quasi": quasi, "sensitive": sensitive.filter(pl.col("bucket") != 1)}
    found = ind.attack(visits(), short, policy("theta-star"), only=["membership"])
    assert "1 bucket of the quasi table lists no value" in found.notes
    with pytest.raises(ind.DataError, match="no such column"):
        ind.attack(visits(), {**short, "quasi": quasi.select("bucket")}, policy("theta-star"))
    without = {"quasi": quasi.drop("sex"), "sensitive": sensitive}
    told = ind.attack(visits(), without, policy("theta-star"), only=["membership"]).notes
    assert told[0] == "the release has no column 'sex': nothing is learnt from it"


def test_suppressed_people_are_in_no_class(long: ind.Release) -> None:
    hidden = long.tables["patient"][0]
    stars = long.tables.with_columns(
        pl.when(pl.col("patient") == hidden).then(pl.lit("*")).otherwise(pl.col(name)).alias(name)
        for name in QUASI
    )
    found = ind.attack(visits(), stars, policy(), only=["record-linkage", "order"])
    assert found.records == 80
    assert found["order"].people == 80
    everybody = long.tables.with_columns(pl.lit("*").alias(name) for name in QUASI)
    nothing = ind.attack(visits(), everybody, policy())
    assert nothing.records == 80
    assert any("no row is published in a class" in note for note in nothing.notes)
    assert nothing["membership"].gain["max"] == pytest.approx(0.0)
    assert nothing["known-records"].gain["mean"] > 0


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(["20", "25", "*"]), st.sampled_from("ABC")), min_size=1),
        min_size=1,
        max_size=6,
    )
)
def test_people_are_partly_suppressed(pseudonyms: list[list[tuple[str, str]]]) -> None:
    """A pseudonym with a row in a class is nobody's whom no class fits."""
    release = pl.DataFrame(
        [(str(at), *row, "*") for at, own in enumerate(pseudonyms) for row in own],
        ["patient", "age", "dx", "sex"],
        orient="row",
    ).with_columns(sex=pl.when(pl.col("age") == "*").then(pl.lit("*")).otherwise(pl.lit("f")))
    people = [(age, dx) for age in (20, 25, 30) for dx in "ABC"]
    table = pl.DataFrame(
        [(f"P{at}", *own, "f") for at, own in enumerate(people)],
        ["patient", "age", "dx", "sex"],
        orient="row",
    )
    found = ind.attack(table, release, policy(), only=["membership"])["membership"]
    of = [({age for age, _ in own} - {"*"}, {dx for _, dx in own}) for own in pseudonyms]
    rows = [(age, own) for ages, own in of for age in (ages or {"*"})]
    expected = []
    for age, dx in people:
        fits = any(cell == str(age) for cell, _ in rows)
        sets = [own for cell, own in rows if cell == (str(age) if fits else "*")]
        sets = sets or [own for _, own in rows]
        expected.append(sum(dx in own for own in sets) / len(sets))
    before = [sum(dx in own for _, own in rows) / len(rows) for _, dx in people]
    assert found.gain["mean"] == pytest.approx(np.mean(expected) - np.mean(before))
    assert found.success["0.5"] == pytest.approx(np.mean([b >= 0.5 - 1e-9 for b in expected]))


def test_two_releases_of_the_same_people(long: ind.Release, star: ind.Release) -> None:
    keys = policy()
    other = ind.anonymize(visits(), policy("k-member"))
    alone = ind.attack(visits(), long, keys, only=["membership", "composition"])
    assert "no second release" in alone.skipped[0].why
    both = ind.attack(visits(), long, keys, second=other, only=["membership", "composition"])
    assert both["composition"].figures["in_both"] == 1
    assert both["composition"].success["certain"] > both["membership"].success["certain"]
    mixed = ind.attack(visits(), long, keys, second=star, only=["composition"])
    assert mixed["composition"].figures["possible_in_first"] > 0


def test_two_releases_of_records() -> None:
    people = visits().unique("patient", keep="first", maintain_order=True).drop("patient")
    keys = without_person(policy())
    keys = {**keys, "attributes": {n: a for n, a in keys["attributes"].items() if n != "patient"}}
    keys["method"] = {"algorithm": "mondrian", "seed": 3}
    one = ind.anonymize(people, keys)
    two = ind.anonymize(people, {**keys, "method": {"algorithm": "k-member", "seed": 3}})
    found = ind.attack(people, one, keys, second=two)
    assert found.unit == "record"
    assert found["composition"].gain["mean"] > found["membership"].gain["mean"]
    assert found["worst-posterior"].gain["mean"] >= found["membership"].gain["mean"] - 1e-9
    three = ind.anonymize(people, {**keys, "method": {"algorithm": "k-member", "seed": 4}})
    more = ind.attack(people, one, keys, second=[two, three], only=["composition"])
    assert found["composition"].figures["releases"] == 2
    assert more["composition"].figures["releases"] == 3
    assert more["composition"].gain["mean"] > found["composition"].gain["mean"]
    assert more["composition"].note.startswith("All 3 releases together")
    alone = ind.attack(people, one, keys, second=[two], only=["composition"])
    assert alone["composition"] == found["composition"]
    named = ind.attack(people, one, keys, only=["vertical"])
    assert "no value is generalized" in named.skipped[0].why


def test_a_population_names_and_harmful_values(long: ind.Release) -> None:
    around = pl.concat([visits().unique("patient").select(QUASI)] * 2)
    only = ["presence", "skewness"]
    found = ind.attack(
        visits(), long, policy(), only=only, population=around, harmful={"dx": ["B"]}
    )
    assert found["presence"].figures["population"] == 160
    assert found["skewness"].figures["harmful_values"] == 1
    with pytest.raises(ind.PolicyError, match="no attacker 'fingerprints'"):
        ind.attack(visits(), long, policy(), only=["fingerprints"])


def test_the_command_line_says_people(long: ind.Release, star: ind.Release, tmp_path: Path) -> None:
    visits().write_csv(tmp_path / "visits.csv")
    file = tmp_path / "p.toml"
    file.write_text(ind.Policy.from_dict(policy()).to_toml(), encoding="utf-8")
    one, two = long.write(tmp_path / "one"), star.write(tmp_path / "two")
    run = CliRunner()
    asked = ["attack", str(tmp_path / "visits.csv"), str(one), "--policy", str(file)]
    shown = run.invoke(app, [*asked, "--second", str(two), "--details"])
    assert shown.exit_code == 0, shown.output
    assert "80 people attacked in 80 published people" in shown.stdout
    assert "composition" in shown.stdout
    further = ["--second", str(two), "--second", str(one), "--only", "composition", "--json"]
    document = json.loads(run.invoke(app, [*asked, *further]).stdout)
    assert {item["figures"]["releases"] for item in document["attacks"]} == {3}
    document = json.loads(run.invoke(app, [*asked, "--json"]).stdout)
    assert document["unit"] == "person"
    by_name = {item["name"]: item for item in document["attacks"]}
    assert by_name["worst-posterior"]["people"] == 80
    file.write_text(ind.Policy.from_dict(without_person(policy())).to_toml(), encoding="utf-8")
    refused = run.invoke(app, asked)
    assert refused.exit_code == 2
    assert "source" in refused.output


def test_pseudonyms_that_are_keys_of_the_source_are_told() -> None:
    table = pl.DataFrame(
        {"who": ["a", "a", "b", "c"], "age": ["1", "1", "2", "2"], "dx": ["x", "y", "x", "y"]}
    )
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "dx": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 1}],
    }
    bare = ind.attack(table, table, keys, only=["membership"])
    assert "3 of 3 pseudonyms are keys of the source" in " ".join(bare.notes)
    made = ind.attack(table, ind.anonymize(table, keys), keys, only=["membership"])
    assert "keys of the source" not in " ".join(made.notes)


@pytest.mark.parametrize("own", [True, False])
def test_numbers_drawn_anew_are_not_taken_for_the_keys_that_they_equal(own: bool) -> None:
    keys: dict[str, Any] = {
        "source": {"person": "id"},
        "attributes": {
            "id": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 2}],
        "method": {"seed": 1},
    }
    table = pl.DataFrame({"id": [f"{at:02}" for at in range(1, 41)] * 2, "age": [*range(20)] * 4})
    release = table if own else ind.anonymize(table, keys)
    notes = " ".join(ind.attack(table, release, keys, only=["membership"]).notes)
    assert ("40 of 40 pseudonyms are keys of the source" in notes) == own


@pytest.mark.parametrize(
    ("algorithm", "promises", "ages", "ills"),
    [
        (
            "p-l-angelization",
            [{"model": "k-anonymity", "k": 3}, {"model": "distinct-l-diversity", "l": 2}],
            [20, 31, 37, 39, 42, 44, 47, 49],
            "aaaacabc",
        ),
        ("k-l-diversity", [{"model": "kl-diversity", "k": 2, "l": 2}], [23, 26, 29, 50], "baaa"),
        (
            "k-member",
            [{"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}],
            [28, 39, 43, 48, 53],
            ["ab", "a", "c", "a", "b"],
        ),
    ],
)
def test_programs_that_make_releases_of_people_are_run_again(
    algorithm: str, promises: Any, ages: list[int], ills: Sequence[str]
) -> None:
    """Against runs of the whole program with the values of each class in every order."""
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "hierarchy": "suppress"},
        },
        "promises": promises,
        "method": {"algorithm": algorithm, "seed": 1},
    }

    def table(own: Sequence[str]) -> pl.DataFrame:
        lists = [[*one] for one in own]
        people = pl.DataFrame({"who": [f"p{age}" for age in ages], "age": ages, "ill": lists})
        return people.explode("ill")

    def shown(tables: Any) -> Counter[Any]:
        if isinstance(tables, pl.DataFrame):
            own = tables.group_by("who", "age").agg(pl.col("ill").sort())
            return Counter((age, tuple(ill)) for _, age, ill in own.rows())
        lists = tables["sensitive"].group_by("bucket").agg(pl.col("ill").sort())
        rows = tables["quasi"].join(lists, on="bucket").select("age", "ill").rows()
        return Counter((age, tuple(ill)) for age, ill in rows)

    tables = ind.anonymize(table(ills), keys).tables
    told, certain = shown(tables), 0
    for cell in {age for age, _ in told}:
        low, high = (int(end) for end in cell.strip("[]").split(", "))
        those = [at for at, age in enumerate(ages) if low <= age <= high]
        left = []
        for order in sorted(set(permutations(ills[at] for at in those))):
            own = [*ills]
            for at, value in zip(those, order, strict=True):
                own[at] = value
            if shown(ind.anonymize(table(own), keys).tables) == told:
                left.append(own)
        for at in those:
            certain += any(all(ill in own[at] for own in left) for ill in ills[at])
    found = ind.attack(table(ills), tables, keys, only=["minimality"])["minimality"]
    assert certain > 0
    assert found.success["certain"] == certain / len(ages)
    assert found.without["certain"] == 0


@pytest.mark.parametrize("name", ["known-records", "fingerprint-correlation"])
def test_values_that_few_people_have_are_better_left_out(name: str) -> None:
    table = visits(120)
    table = table.with_columns(cost=pl.Series([f"{17 + 31 * at}.25" for at in range(len(table))]))
    asked = policy()
    asked["attributes"] = {**asked["attributes"], "cost": {"role": "sensitive"}}
    found = ind.attack(table, ind.anonymize(table, asked), only=[name])
    worst = next(item for item in found.attacks if item.sensitive in (None, "cost"))
    remedy = worst.remedy
    assert remedy is not None
    assert remedy.text == "leave 'cost' out, as most people have a value there that few share"
    assert remedy.policy == {"attributes": {"cost": {"role": "identifier"}}}
    asked["attributes"]["cost"] = {"role": "identifier"}
    after = ind.attack(table, ind.anonymize(table, asked), only=[name])
    later = [item for item in after.attacks if item.sensitive == worst.sensitive]
    assert all(item.gain["mean"] < worst.gain["mean"] for item in later)
