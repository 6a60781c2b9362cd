"""What holds of every attacker there is, records and people alike.

Nothing is found in a release that tells nothing, something where it was planted, and the order of
rows changes nothing but for those who read it.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.analytics.attacks.contexts import numbers

import indistinct as ind
from indistinct.analytics.attacks import attackers

ILLS = ("flu", "asthma", "gout", "HIV", "cancer", "hepatitis")
GROUPS = {"mild": ["flu", "asthma"], "middle": ["gout", "hepatitis"], "grave": ["HIV", "cancer"]}
RANKS = {"flu": 4, "asthma": 4, "gout": 3, "hepatitis": 2, "HIV": 1, "cancer": 1}
QUASI = ["age", "town"]
EVERYBODY = {"age": "[0, 99]", "town": "{Bonn, Hof, Ulm}"}
"""A class that covers everybody and is not what a suppressed record looks like."""

READS_ROWS = ("order",)
"""Attackers who learn from the order of rows: it is theirs to depend on."""


def records(seed: int = 1, size: int = 60) -> pl.DataFrame:
    """One row per person; older people have the graver illnesses."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 50, size)
    ill = [ILLS[min(5, int(own) // 10 * 2 - 4 + int(random.integers(0, 2)))] for own in age]
    town = random.choice(["Bonn", "Hof", "Ulm"], size)
    return pl.DataFrame({"patient": [f"P{at:03d}" for at in range(size)], "age": age,
                         "town": town, "ill": ill})  # fmt: skip


def visits() -> pl.DataFrame:
    """One to three rows per person, and a drug for every illness."""
    table = records(2, 40)
    drugs = {name: f"drug of {name}" for name in ILLS}
    others = dict(zip(ILLS, (*ILLS[1:], ILLS[0]), strict=True))
    second = table.filter(pl.int_range(pl.len()) % 2 == 0).with_columns(
        pl.col("ill").replace(others)
    )
    third = table.filter(pl.int_range(pl.len()) % 5 == 0).with_columns(ill=pl.lit("HIV"))
    return pl.concat([table, second, third]).with_columns(drug=pl.col("ill").replace_strict(drugs))


def keys(
    *promises: dict[str, Any],
    person: bool = False,
    pram: float | None = None,
    noise: float | None = None,
    near: float | None = None,
    **method: Any,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "attributes": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "town": {"role": "quasi-identifier"},
            "ill": {
                "role": "sensitive",
                "categories": {"table": GROUPS, "order": list(GROUPS)},
                "hierarchy": {"tree": {"*": GROUPS}},
                "ranks": {"table": RANKS},
            },
        },
        "promises": list(promises) or [{"model": "k-anonymity", "k": 3}],
        "method": {"seed": 3, **method},
    }
    if pram is not None:
        found["attributes"]["ill"]["transform"] = {"pram": pram}
    if noise is not None:
        found["attributes"]["cost"] = {"role": "insensitive", "transform": {"noise": noise}}
    if near is not None:
        found["attributes"]["cost"] = {"role": "sensitive"}
        if near:
            found["attributes"]["cost"]["transform"] = {"noise": near}
    if person:
        found["source"] = {"person": "patient"}
        drugs = {group: [f"drug of {ill}" for ill in ills] for group, ills in GROUPS.items()}
        found["attributes"]["drug"] = {
            "role": "sensitive",
            "categories": {"table": drugs, "order": list(drugs)},
        }
        del found["attributes"]["patient"]
    return found


# Releases in which something is to be found


@dataclass(frozen=True)
class Case:
    """A release that is attacked; ``how`` are its promises, its method, the second one's method."""

    how: Mapping[str, Any]
    raw: bool = False

    @property
    def asked(self) -> dict[str, Any]:
        own = {name: part for name, part in self.how.items() if name not in ("promises", "second")}
        return keys(*self.how.get("promises", ()), **own)

    @property
    def table(self) -> pl.DataFrame:
        if self.how.get("noise"):
            return records().with_columns(cost=37 * pl.int_range(pl.len()))
        if "near" in self.how:
            return records().with_columns(cost=pl.col("age") // 10 * 1000 + pl.int_range(pl.len()))
        return visits() if self.how.get("person") else records()

    def attack(self, asked: dict[str, Any], raw: bool = False) -> ind.AttackReport:
        """What is found in the release that a policy makes; or in the table itself."""
        table, more = self.table, {}
        if second := self.how.get("second"):
            more["second"] = ind.anonymize(table, {**self.asked, "method": second})
        if self.raw:
            more["population"] = pl.concat([table, records(9)]).select(*QUASI, "ill")
        release = table.drop("patient") if raw else ind.anonymize(table, asked)
        return ind.attack(table, release, asked, **more)


def _made(**how: Any) -> Case:
    return Case(how)


THETA = {"model": "theta-sensitive", "k": 3, "sensitive": "ill"}
GALLERY: Mapping[str, Case] = {
    "as it is": Case({}, raw=True),
    "decoys": _made(suppression_limit=0.2, decoys={"to": 5, "limit": 0.5}),
    "noise": _made(promises=[THETA], algorithm="theta", variant="paper", max_noise=0.9),
    "minimal": _made(promises=[{"model": "distinct-l-diversity", "l": 3}], suppression_limit=0.1),
    "mondrian": _made(algorithm="mondrian"),
    "local": _made(local_recoding=True, suppression_limit=0.5),
    "drawn": _made(pram=0.7, algorithm="mondrian"),
    "moved": _made(noise=9.0, algorithm="mondrian"),
    "near": _made(near=0.0, algorithm="mondrian"),
    "near and moved": _made(near=2.0, algorithm="mondrian"),
    "twice": _made(algorithm="mondrian", second={"algorithm": "k-member", "seed": 8}),
    "people": _made(person=True, algorithm="mondrian"),
    "people items": _made(
        person=True,
        promises=[
            {"model": "k-anonymity", "k": 3},
            {"model": "km-anonymity", "k": 14, "m": 2, "sensitive": "ill"},
        ],
    ),
    "people twice": _made(
        person=True, algorithm="mondrian", second={"algorithm": "k-member", "seed": 8}
    ),
    "linked": _made(
        person=True,
        promises=[{"model": "k-anonymity", "k": 3}, THETA],
        algorithm="theta-star",
    ),
    "linked twice": _made(
        person=True,
        promises=[{"model": "k-anonymity", "k": 3}, THETA, THETA | {"sensitive": "drug"}],
        algorithm="theta-star",
    ),
    "linked groups": _made(
        person=True,
        promises=[{"model": "kl-diversity", "k": 4, "l": 2, "sensitive": "ill"}],
        algorithm="k-l-diversity",
    ),
    "linked buckets": _made(
        person=True,
        promises=[{"model": "max-posterior", "bound": 0.7, "sensitive": "ill"}],
        algorithm="anatomy",
    ),
}


@functools.cache
def report(name: str) -> ind.AttackReport:
    case = GALLERY[name]
    return case.attack(case.asked, raw=case.raw)


def found_something(item: Any) -> bool:
    """Whether some person is believed more than from overall frequencies alone."""
    better = any(item.success[at] > item.prior[at] for at in item.success)
    return better or item.gain["max"] > 1e-9


every_attacker = pytest.mark.parametrize("name", attackers())


def of(found: ind.AttackReport, name: str) -> list[Any]:
    """What an attacker found of every attribute."""
    return [item for item in found.attacks if item.name == name]


@every_attacker
def test_everybody_finds_something_somewhere(name: str) -> None:
    assert any(found_something(item) for case in GALLERY for item in of(report(case), name))


@every_attacker
def test_shares_are_shares(name: str) -> None:
    for case in GALLERY:
        people = 40 if "people" in case or "link" in case else 60
        found = report(case)
        for item in of(found, name):
            assert item.people == people, case
            for shares in (item.success, item.prior):
                low, high, certain = shares.values()
                assert 0.0 <= certain <= high + 1e-9 <= low + 2e-9 <= 1.0 + 2e-9, case
            gain = item.gain
            assert -1.0 - 1e-9 <= gain["mean"] <= gain["max"] + 1e-12 <= 1.0 + 1e-9, case
            assert np.isfinite(numbers(item.figures)).all(), case
            assert item.knowledge
        assert all(item.why for item in found.skipped if item.name == name), case


REPEATED = re.compile(r"[bc]2_|\d+$")
"""Figures of one more, or of so many: what they repeat is explained."""


@every_attacker
def test_its_figures_are_explained(name: str) -> None:
    if not attackers()[name].__name__.startswith("indistinct."):
        pytest.skip("a plugin's figures are explained where it is")
    page = Path(__file__).parents[2].joinpath("docs", "reference", "json.md").read_text("utf-8")
    told = re.findall(rf"^\| (?:all of attributes|[^|]*`{name}`[^|]*) \|.*$", page, flags=re.M)
    figures = {key for case in GALLERY for item in of(report(case), name) for key in item.figures}
    own = {re.sub(r"^(age|town)\.", "", key) for key in figures if not REPEATED.match(key)}
    assert sorted(key for key in own if f"`{key}`" not in "".join(told)) == []


@pytest.mark.parametrize("case", GALLERY)
def test_a_report_is_plain_data(case: str) -> None:
    json.dumps(report(case).to_dict(), allow_nan=False)


# What to do about it


def followed(asked: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A policy with the keys of a remedy."""
    new = {_about(item) for item in more.get("promises", ())}
    kept = [item for item in asked["promises"] if _about(item) not in new]
    return {
        **asked,
        "attributes": {**asked["attributes"], **more.get("attributes", {})},
        "promises": [*kept, *more.get("promises", ())],
        "method": {**asked["method"], **more.get("method", {})},
        "output": {**asked.get("output", {}), **more.get("output", {})},
    }


def _about(promise: Mapping[str, Any]) -> tuple[Any, Any]:
    return promise["model"], promise.get("sensitive")


@functools.cache
def report_after(case: str, remedy: str) -> ind.AttackReport:
    """What is found in the release that a policy makes with the keys of a remedy, as JSON."""
    made = GALLERY[case]
    with tempfile.TemporaryDirectory() as folder:
        population = Path(folder, "population.csv")
        pl.concat([records(), records(9)]).write_csv(population)
        risk = {"risk": {"population": {"file": str(population)}}} if made.raw else {}
        return made.attack(followed({**made.asked, **risk}, json.loads(remedy)))


@every_attacker
def test_a_remedy_that_is_followed_lowers_what_is_learnt(name: str) -> None:
    for case in GALLERY:
        for item in of(report(case), name):
            if not item.learnt:
                continue
            assert item.remedy is not None, case
            try:
                after = report_after(case, json.dumps(item.remedy.policy))
            except ind.IndistinctError as error:
                pytest.fail(f"the REMEDY of {name} cannot be followed in '{case}': {error}")
            now = [it for it in of(after, name) if it.sensitive == item.sensitive]
            assert sum(it.learnt for it in now) < item.learnt, (case, str(item.remedy))


# Releases that tell nothing


def _nothing(table: pl.DataFrame, person: bool) -> dict[str, pl.DataFrame]:
    rows = table if person else table.drop("patient")
    one = rows.with_columns(pl.lit(cell).alias(name) for name, cell in EVERYBODY.items())
    same = one.with_columns(ill=pl.lit("flu"))
    if person:
        same = same.with_columns(drug=pl.lit("drug of flu"))
    stars = same.with_columns(pl.lit("*").alias(name) for name in QUASI)
    return {"no row": rows.clear(), "stars": stars, "one value": same}


@functools.cache
def report_of_nothing(what: str, person: bool) -> ind.AttackReport:
    """What is found in a release that tells nothing."""
    table = visits() if person else records()
    if what != "no row":
        table = table.with_columns(ill=pl.lit("flu"))
        table = table.with_columns(drug=pl.lit("drug of flu")) if person else table
    return ind.attack(table, _nothing(table, person)[what], keys(person=person))


@every_attacker
def test_nothing_is_found_where_nothing_is_told(name: str) -> None:
    for what, person in itertools.product(("no row", "stars", "one value"), (False, True)):
        for item in of(report_of_nothing(what, person), name):
            assert not found_something(item), (what, person)


# Order of rows


def _figures(found: ind.AttackReport) -> dict[str, Any]:
    document = found.to_dict()
    kept = [item for item in document["attacks"] if item["name"] not in READS_ROWS]
    return {
        f"{item['name']} {item['sensitive']}": {
            part: [round(value, 9) for value in numbers(item[part])]
            for part in ("success", "prior", "gain", "figures")
        }
        for item in kept
    }


@pytest.mark.parametrize("person", [False, True])
def test_the_order_of_rows_changes_nothing(person: bool) -> None:
    table = visits() if person else records()
    asked = keys(person=person, algorithm="mondrian")
    release = ind.anonymize(table, asked).tables
    before = _figures(ind.attack(table, release, asked))
    turned = ind.attack(table.reverse(), release.reverse(), asked)
    assert _figures(turned) == before
