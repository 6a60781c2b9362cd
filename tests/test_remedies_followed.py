"""Remedies work: each case makes an error, does what its remedy says, and the error is gone.

A case writes lines into a policy, as ``section.key = value``, or takes ``-section.key`` out. Its
remedy is quoted as the source has it, with … for what the program fills in; what a case writes to
follow it has {1} there. Each of several ways is tried by itself.
"""

# ruff: noqa: E501

from __future__ import annotations

import copy
import json
import re
import shutil
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from tests.test_remedies import found

import indistinct as ind
from indistinct.errors import IndistinctError, PolicyError
from indistinct.privacy.promise import Promise, models

TABLE = pl.DataFrame(
    {
        "patient": [f"p{at // 2:02}" for at in range(40)],
        "age": [20 + at // 2 * 2 % 37 for at in range(40)],
        "sex": ["f", "m"] * 20,
        "ill": ["flu", "flu", "gout", "hiv", "gout", "gout", "hiv", "flu"] * 5,
        "drug": ["a", "b"] * 20,
        "day": [f"2024-{1 + at % 12:02}-{1 + at % 27:02}" for at in range(40)],
    }
)
"""Two records of each of 20 people, who are of one age; records differ in sex."""

BASE = """
rest = "drop"
attributes.age = { role = "quasi-identifier", hierarchy = { intervals = 5 } }
attributes.sex.role = "quasi-identifier"
attributes.ill.role = "sensitive"
promise = { model = "k-anonymity", k = 3 }
"""
PEOPLE = 'source = { person = "patient", conflicts = "first" }\n'
ADD = "add [[promises]] with model = "
PERSON = 'name it: [source] person = "patient_id", say'
VISIT = 'attributes.day = { role = "quasi-identifier", level = "event" }\n'
KM = 'promise = { model = "km-anonymity", k = 3, m = 2, sensitive = "ill" }\n'
CATEGORIES = 'attributes.ill.categories = { table = { A = ["flu"], B = ["gout", "hiv"] } }\n'
RANKS = "attributes.ill.ranks.table = { hiv = 1, gout = 4, flu = 4 }\n"


def of(model: str, settings: str) -> str:
    """The one promise of a policy, of the sensitive attribute."""
    return f'promise = {{ model = "{model}", sensitive = "ill", {settings} }}\n'


FINE = "attributes.age.max_level = 0\nattributes.sex.max_level = 0\n"
CO = CATEGORIES + 'attributes.ill.categories.order = ["A", "B"]\n'
KL = (
    f"{PEOPLE}method.algorithm = 'k-l-diversity'\n{of('kl-diversity', 'k = 2, l = 2')}"
    'attributes.ill.hierarchy = { tree = { "*" = { A = ["flu"], B = ["gout", "hiv"] } } }\n'
)
THETA = "method.algorithm = 'theta'\n" + of("theta-sensitive", "k = 3, mu = 0.5")
STAR = f"{PEOPLE}{CO}method.algorithm = 'theta-star'\n" + of("theta-sensitive", "k = 2, mu = 0.5")
DP = (
    "attributes.age = { role = 'quasi-identifier', min_level = 1, "
    "hierarchy = { intervals = { width = 100, levels = 1 } } }\n"
    "attributes.sex.min_level = 1\nattributes.ill.role = 'identifier'\n"
    "method.algorithm = 'safepub'\n"
    "promise = { model = 'differential-privacy', epsilon = 0.5, delta = 0.01 }\n"
)
STATED = "attributes.age.max_level = 1\nattributes.sex.max_level = 1\n"
KNM = of("knm-anonymity", 'k = { "1" = 5, "4" = 3 }')


class Case(NamedTuple):
    """An error, what makes it, its remedy, and each way to follow that."""

    code: str
    wrong: str
    remedy: str
    right: tuple[str, ...]


CASES = [
    # Promises
    Case("k-exceeds-records", "promise.k = 41", "choose a smaller k", ("promise.k = 5",)),
    Case("k-exceeds-records", 'promise = { model = "average-risk", bound = 0.001 }',
         "choose a larger bound", ("promise.bound = 0.5",)),
    Case("bad-parameter", "promise.k = 'x'", "choose k = 5 or more", ("promise.k = 5",)),
    Case("bad-parameter", of("entropy-l-diversity", "l = 0"), "choose l = 2", ("promise.l = 2",)),
    Case("bad-parameter", 'promise = { model = "average-risk", bound = 2 }',
         "choose bound = 0.05, or 0.1", ("promise.bound = 0.1",)),
    Case("other-algorithm",
         'promise = { model = "average-risk", bound = 0.5 }\nmethod.algorithm = "mondrian"',
         "choose …, or promise 'k-anonymity' with k = … instead: each class by itself keeps it then",
         ('method.algorithm = "optimal"', 'promise = { model = "k-anonymity", k = 2 }')),
    Case("wrong-role", 'promise.on = ["age", "ill"]',
         "write role = \"…\" for '…', or take it out of there",
         ('attributes.ill.role = "quasi-identifier"', 'promise.on = ["age"]')),
    Case("wrong-role", 'attributes.ill.level = "event"', "take level out of this attribute",
         ("-attributes.ill.level",)),
    Case("no-promise", "-promise", f'{ADD}"k-anonymity" and k = 5',
         ('promise = { model = "k-anonymity", k = 5 }',)),
    Case("bad-promise", 'promise.on = "age"', 'write on = ["age", "sex"], or leave it out',
         ('promise.on = ["age", "sex"]', "-promise.on")),
    Case("bad-promise", "promise.on = []", "leave it out to mean all of them", ("-promise.on",)),
    Case("missing-setting", of("estimated-k-map", "k = 3"), "add … = ...", ("promise.{1} = 0.5",)),
    Case("unknown-setting", 'promise.reference = "original"', "leave reference out",
         ("-promise.reference",)),
    Case("promise-without-sensitive", '-attributes.ill\npromise = { model = "p-sensitive", p = 2 }', 'add sensitive = "..."',
         ('promise.sensitive = "ill"\nattributes.ill.role = "sensitive"',)),
    Case("too-few-values", of("distinct-l-diversity", "l = 5"),
         "use a smaller number, or another promise", ("promise.l = 3", of("max-posterior", "bound = 0.9"))),
    Case("too-few-values", of("theta-sensitive", "k = 30, mu = 0.5"), "choose k of at most …",
         ("promise.k = {1}",)),
    Case("too-few-values", of("theta-sensitive", "k = 5, mu = 1"),
         "choose k of at most …, or mu of at most …", ("promise.k = {1}", "promise.mu = {2}")),
    Case("values-too-uneven", of("max-posterior", "bound = 0.3"), "choose a bound of at least …, or",
         ("promise.bound = {1}", 'promise.values = ["gout"]')),
    Case("values-too-uneven", of("alpha-k-anonymity", "alpha = 0.3, k = 2"),
         "choose alpha of at least …, or", ("promise.alpha = {1}",)),
    Case("values-too-uneven", of("entropy-l-diversity", "l = 2.99"), "choose l of at most …, or",
         ("promise.l = {1}",)),
    Case("values-too-uneven", of("recursive-cl-diversity", "c = 0.5, l = 2"), "choose c above … or a",
         ("promise.c = {1}1",)),
    Case("values-too-light", of("p-alpha-sensitive", "p = 2, alpha = 5") + CATEGORIES
         + 'attributes.ill.categories.order = ["A", "B"]',
         "choose alpha of at most …", ("promise.alpha = {1}",)),
    Case("categories-missing", of("p-plus-sensitive", "p = 2"),
         "add … = { table = { ... }, order = [...] }",
         ('{1} = { table = { A = ["flu"], B = ["gout", "hiv"] }, order = ["A", "B"] }',)),
    Case("categories-without-order", of("p-plus-alpha-sensitive", "p = 2, alpha = 0.5") + CATEGORIES,
         "add order = [...] to …, from", ('{1}.order = ["A", "B"]',)),
    Case("value-without-category", of("p-plus-sensitive", "p = 2")
         + 'attributes.ill.categories.table = { A = ["flu"], B = ["hiv"] }', "to the categories of",
         ('attributes.ill.categories.table.B = ["hiv", "gout"]',)),
    Case("halves-out-of-balance", of("balanced-p-plus-sensitive", "p = 2, difference = 0")
         + 'attributes.ill.categories = { table = { A = ["hiv"], B = ["flu", "gout"] }, '
         'order = ["A", "B"] }', "choose a larger difference", ("promise.difference = 40",)),
    Case("bad-parameter", of("theta-sensitive", "k = 3, mu = 2"), "choose mu from 0.5 to 0.9",
         ("promise.mu = 0.5",)),
    Case("order-missing", of("t-closeness", 't = 0.3, distance = "ordered"'),
         "add … = { order = { values = [...] } }",
         ('{1} = { order = { values = ["flu", "gout", "hiv"] } }',)),
    Case("hierarchy-missing", of("t-closeness", 't = 0.3, distance = "hierarchical"'),
         "add … = { file = ... }, or { tree = { ... } }",
         ('{1} = { tree = { "*" = { A = ["flu"], B = ["gout", "hiv"] } } }',)),
    Case("bad-parameter", of("t-closeness", 't = 0.3, distance = "ordered", values = ["hiv"]'),
         'leave out distance, or write distance = "equal"',
         ("-promise.distance", 'promise.distance = "equal"')),
    Case("no-such-value", of("distinct-l-diversity", 'l = 2, values = ["x"]'),
         "write the values as in the table", ('promise.values = ["hiv"]',)),
    # Ranks
    Case("bad-parameter", of("knm-anonymity", "k = 3") + RANKS, "write k = …",
         ('promise.k = { "1" = 10, "2" = 5, "3" = 3, "4" = 2 }',)),
    Case("ranks-missing", KNM, "add … = { table = { ... } }, with a rank from 1",
         ("{1} = { table = { hiv = 1, gout = 4, flu = 4 } }",)),
    Case("rank-without-k", RANKS + of("knm-anonymity", 'k = { "1" = 5 }'), 'add "…" = ... to k',
         ('promise.k = { "1" = 5, "{1}" = 3 }',)),
    Case("value-without-rank", KNM + "attributes.ill.ranks.table = { hiv = 1, flu = 4 }",
         'or say unknown = "critical"; missing values have a key of their own',
         (RANKS, 'attributes.ill.ranks.unknown = "critical"')),
    Case("one-table", f'{KNM}{RANKS}attributes.ill.ranks.dependent = "drug"\n'
         'attributes.ill.ranks.harmful = ["a"]', "for example table = ",
         ("-attributes.ill.ranks.dependent\n-attributes.ill.ranks.harmful",)),
    Case("idle-key", f"{KNM}{RANKS}attributes.ill.ranks.cuts = [0.75, 0.5, 0.25]", "leave it out",
         ("-attributes.ill.ranks.cuts",)),
    Case("bad-value", f'{KNM}attributes.ill.ranks = {{ dependent = "drug", harmful = ["a"], '
         "cuts = [0.1, 0.2, 0.3] }", "for example …",
         ("attributes.ill.ranks.cuts = {1}",)),
    Case("unknown-outcome", f'{KNM}attributes.ill.ranks = {{ dependent = "drug", harmful = ["x"] }}',
         "name outcomes as in the table", ('attributes.ill.ranks.harmful = ["a"]',)),
    Case("method-without-promise", f'method.mode = "split"\n{RANKS}', ADD + '"…" and k = …',
         ('promise = { model = "{1}", sensitive = "ill", k = {2} }',)),
    Case("beside-known-number", f'{PEOPLE}{KM}second = {{ model = "known-number", k = 3 }}',
         'choose model = "…" in its place', ('promise.model = "{1}"',)),
    Case("idle-key", 'method.items = "local"', "leave it out", ("-method.items",)),
    Case("idle-key", "method.accept_unsafe = true", "leave it out", ("-method.accept_unsafe",)),
    Case("idle-key", "attributes.ill.hierarchy = { intervals = { width = 5, top = 60 } }",
         "leave it out, and add transform = { aggregate = { … = … } }", ("-attributes.ill.hierarchy",)),
    # Attributes
    Case("attribute-without-role", "-rest", "add [attributes.…] with a role, let indistinct init",
         ('attributes.{1}.role = "identifier"\nattributes.drug.role = "insensitive"\n'
          'attributes.day.role = "identifier"',)),
    Case("attribute-without-role", "-rest", 'rest = "drop"', ('rest = "drop"', 'rest = "keep"')),
    Case("no-quasi-identifier", "-attributes.age\n-attributes.sex",
         'give role = "quasi-identifier"', ('attributes.age.role = "quasi-identifier"',)),
    Case("unknown-attribute", 'attributes.x.role = "insensitive"',
         "correct the name, or take the attribute out of the policy", ("-attributes.x",)),
    Case("no-weight", "attributes.age.weight = 0\nattributes.sex.weight = 0", "weigh one of them",
         ("attributes.age.weight = 1",)),
    Case("bad-level-bounds", "attributes.age.min_level = 20",
         "choose 0 <= min_level <= max_level <= …",
         ("attributes.age.max_level = {1}\nattributes.age.min_level = {1}",)),
    Case("bad-token", 'attributes.age.missing.tokens = [""]', "list only texts that are not blank",
         ('attributes.age.missing.tokens = ["?"]',)),
    Case("two-categories", of("p-plus-sensitive", "p = 2")
         + 'attributes.ill.categories.table = { A = ["flu"], B = ["flu", "gout", "hiv"] }',
         "put every value into one category", (CATEGORIES,)),
    Case("category-without-place", CATEGORIES + 'attributes.ill.categories.order = ["A"]',
         "name every category, from the least", ('attributes.ill.categories.order = ["A", "B"]',)),
    Case("bad-value", 'attributes.age.type = "category"', "correct the type, or choose another",
         ('attributes.age.type = "number"', 'attributes.age.hierarchy = "suppress"')),
    Case("derived-in-a-circle", 'attributes.age.derived_from = "sex"\n'
         'attributes.sex.derived_from = "age"', "say of one of them only what it is derived from",
         ("-attributes.sex.derived_from",)),
    Case("uncovered-value", 'attributes.sex.hierarchy = { tree = { "*" = ["f"] } }',
         'add what is missing to the hierarchy, or set uncovered = "suppress"',
         ('attributes.sex.uncovered = "suppress"',
          'attributes.sex.hierarchy = { tree = { "*" = ["f", "m"] } }')),
    Case("unplaced-value", "attributes.sex.hierarchy = { intervals = 5 }",
         'declare them as missing; or choose another hierarchy; or set uncovered = "suppress"',
         ('attributes.sex.missing.tokens = ["f", "m"]', 'attributes.sex.hierarchy = "suppress"',
          'attributes.sex.uncovered = "suppress"')),
    Case("unknown-hierarchy", "attributes.age.hierarchy = { mask = { keep = 1 }, intervals = 5 }",
         'give one of …, or "suppress"', ('attributes.age.hierarchy = "suppress"',)),
    # Transformations
    Case("one-key", 'attributes.patient = { role = "identifier", transform = { pseudonymize = '
         '{ key_env = "A", key_file = "B" } } }', "keep the key in an environment variable or",
         ("-attributes.patient.transform.pseudonymize.key_file",)),
    Case("unfit-transform", "attributes.age.transform.mask = { keep = 1 }",
         "with that role go …, swap", ("-attributes.age.transform.mask\n"
         "attributes.age.transform.{1} = { by = 'patient' }",)),
    Case("bad-value", "attributes.age.transform.aggregate = { thresholds = [18, 18] }",
         "for example [18, 40, 65]", ("attributes.age.transform.aggregate.thresholds = [18, 40, 65]",)),
    Case("two-groups", 'attributes.sex.transform.aggregate.groups = { x = ["f"], y = ["f", "m"] }',
         "put every value into one group", ('attributes.sex.transform.aggregate.groups.y = ["m"]',)),
    Case("two-shifts", 'attributes.patient.role = "identifier"\n'
         'attributes.day = { role = "insensitive", transform = { shift = { by = "patient", days = 3 } } }\n'
         'attributes.drug = { role = "insensitive", transform = { shift = { by = "patient" } } }',
         "name the same number of days", ("attributes.drug.transform.shift.days = 3",)),
    Case("no-dates", 'attributes.age.transform = "shift"',
         'name the format of the dates, such as format = "%Y%m%d", or choose noise',
         ('attributes.age.transform = { shift = { format = "%S" } }',
          "attributes.age.transform = { noise = 2 }")),
    Case("no-group", 'attributes.sex.transform.aggregate.groups = { x = ["f"] }',
         'put them into one, or name the group of all others: other = "other"',
         ('attributes.sex.transform.aggregate.groups.x = ["f", "m"]',
          'attributes.sex.transform.aggregate.other = "other"')),
    Case("no-numbers", 'attributes.day = { role = "sensitive", transform = { aggregate = '
         "{ thresholds = [1] } } }", 'round dates: transform = { round = "month" }',
         ('attributes.day.transform = { round = "month" }',)),
    Case("not-measured", "attributes.sex.transform.noise = 2", "or choose another transformation",
         ('attributes.sex.transform = "swap"', 'attributes.sex.missing.tokens = ["f", "m"]')),
    Case("dates-multiplied", 'attributes.day = { role = "insensitive", transform = { noise = '
         "{ scale = 2, multiplicative = true } } }", "leave 'multiplicative' out",
         ("-attributes.day.transform.noise.multiplicative",)),
    Case("unfit-rounding", 'attributes.day = { role = "insensitive", transform = { round = 5 } }', "…",
         ('attributes.day.transform = { round = "month" }',)),
    Case("no-key", 'attributes.patient = { role = "identifier", transform = { pseudonymize = '
         '{ key_env = "NO_SUCH_KEY" } } }', "make one with", ()),
    # Methods
    Case("method-without-promise", 'method.algorithm = "theta"', ADD + '"…"',
         ('promise = { model = "{1}", k = 3, mu = 0.5, sensitive = "ill" }',)),
    Case("other-algorithm", 'method.algorithm = "mdav"\nmethod.local_recoding = true',
         "leave it out, or choose one of these algorithms",
         ("-method.local_recoding", 'method.algorithm = "optimal"')),
    Case("other-algorithm", 'method.algorithm = "iab"\nmethod.suppression_limit = 0.1',
         'leave it out, or write algorithm = "optimal" and objective = "rows"',
         ("-method.suppression_limit",
          'method.algorithm = "optimal"\nmethod.objective = "rows"')),
    Case("other-objective", 'method.algorithm = "mondrian"\nmethod.objective = "precision"',
         'leave the objective out, or choose algorithm = "optimal"',
         ("-method.objective", 'method.algorithm = "optimal"')),
    Case("no-local-recoding", 'method.local_recoding = true\n'
         'risk.population.file = "population.csv"\n'
         'promise = { model = "delta-presence", lower = 0.1, upper = 1 }',
         "leave local_recoding out, or write lower = 0",
         ("-method.local_recoding", "promise.lower = 0")),
    Case("other-algorithm", f"{DP}method.algorithm = 'optimal'", 'write algorithm = "…"',
         ("method.algorithm = 'safepub'",)),
    Case("idle-key", DP + STATED, "write search = 0", ("promise.search = 0",)),
    Case("not-differential", f"{DP}promise.search = 0",
         "write min_level and max_level alike, or leave search out", (STATED, "-promise.search")),
    Case("unsatisfiable", f"{DP}{STATED.replace('1', '0')}promise.search = 0\n"
         "attributes.age.min_level = 0\nattributes.sex.min_level = 0",
         "choose higher levels (min_level), a larger epsilon or delta, or fewer quasi-identifiers",
         (f"{STATED}attributes.age.min_level = 1\nattributes.sex.min_level = 1",)),
    Case("no-population", 'promise = { model = "k-map", k = 3 }',
         'add [risk] with population = { file = "..." }',
         ('risk.population = { file = "population.csv" }',)),
    Case("no-population-table", 'promise = { model = "k-map", k = 3 }\nrisk.population.size = 99',
         'name a table of them: population = { file = "..." }',
         ('risk.population = { file = "population.csv" }',)),
    Case("k-exceeds-population", 'promise = { model = "k-map", k = 99 }\n'
         'risk.population = { file = "population.csv" }', "choose a smaller k", ("promise.k = 3",)),
    Case("bad-value", "risk.amber = 0.5\nrisk.red = 0.2", "choose a smaller amber, or a larger red",
         ("risk.amber = 0.1", "risk.red = 0.6")),
    # People
    Case("person-without-column", 'source.conflicts = "first"', 'name it: person = "patient_id"',
         ('source.person = "patient"',)),
    Case("person-without-column", 'promise.unit = "person"', PERSON, (PEOPLE,)),
    Case("person-without-column", KM,
         f'{PERSON}; where every record is of another person, give the attribute role = '
         '"quasi-identifier" instead of the promise',
         (PEOPLE, '-promise\npromise = { model = "k-anonymity", k = 3 }\n'
          'attributes.ill.role = "quasi-identifier"')),
    Case("person-without-column", VISIT, PERSON, (PEOPLE,)),
    Case("person-without-column", 'method.algorithm = "theta-star"\n'
         + of("theta-sensitive", "k = 3, mu = 0.5"), '…choose algorithm = "mondrian"',
         (PEOPLE, 'method.algorithm = "mondrian"')),
    Case("differs-within-people", 'source.person = "patient"',
         'say which value counts: source.conflicts = "first", "last" or "most-frequent"',
         ('source.conflicts = "first"', 'source.conflicts = "last"',
          'source.conflicts = "most-frequent"')),
    Case("differs-within-people", 'source.person = "patient"',
         'for an attribute of visits, write level = "event" at it',
         ('attributes.sex.level = "event"',)),
    Case("person-not-identifier", PEOPLE + 'attributes.patient.role = "insensitive"',
         'write role = "identifier"', ('attributes.patient.role = "identifier"',)),
    Case("person-transformed", PEOPLE
         + 'attributes.patient = { role = "identifier", transform = "replace" }',
         "leave it out, or choose pseudonymize",
         ("-attributes.patient.transform",
          'attributes.patient.transform = { pseudonymize = { key_env = "MADE" } }')),
    Case("records-of-people", PEOPLE + 'promise.unit = "record"', 'write unit = "person"',
         ('promise.unit = "person"', "-promise.unit")),
    Case("records-of-people", PEOPLE + 'method.algorithm = "theta"\n'
         + of("theta-sensitive", "k = 3, mu = 0.5"),
         'choose "theta-star", or a partitioning such as "mondrian"',
         ('method.algorithm = "theta-star"', 'method.algorithm = "mondrian"')),
    Case("rows-of-people", PEOPLE + 'method.algorithm = "greedy"', 'choose "optimal", which counts people',
         ('method.algorithm = "optimal"',)),
    Case("records-of-people", f'{PEOPLE}{KNM}{RANKS}method.mode = "split"', 'choose mode = "joint"',
         ('method.mode = "joint"',)),
    Case("records-of-people", PEOPLE + RANKS + of("knm-anonymity",
         'k = { "1" = 5, "4" = 3 }, count = "rank"'), 'leave it out: count = "class" counts',
         ("-promise.count",)),
    Case("records-of-people", PEOPLE + "method.decoys.to = 5", "leave decoys out",
         ("-method.decoys",)),
    Case("promise-of-linked-tables", PEOPLE + of("kl-diversity", "k = 3, l = 2"),
         'choose method.algorithm = "k-l-diversity"', ('method.algorithm = "k-l-diversity"',)),
    Case("beside-known-records", PEOPLE + of("known-records", "k = 3")
         + 'second = { model = "max-posterior", bound = 0.9, sensitive = "ill" }',
         "write both k and bound in one known-records",
         ("-second\n" + of("known-records", "k = 3, bound = 0.9"),)),
    Case("missing-setting", PEOPLE + of("known-records", "m = 1"), "add k = 5, say, or bound = 0.5",
         ("promise.k = 5", "promise.bound = 0.5")),
    Case("bad-parameter", PEOPLE + KM + 'promise.together = ["ill"]',
         'write sensitive = "diag_1" and together = ["diag_2", "diag_3"]',
         ('attributes.drug.role = "sensitive"\npromise.together = ["drug"]',)),
    # Linked tables
    Case("method-without-promise", PEOPLE + 'method.algorithm = "anatomy"', ADD + '"…"',
         (of("{1}", "l = 2"),)),
    Case("method-without-promise", PEOPLE + 'method.algorithm = "p-l-angelization"', ADD + '"…"',
         (of("{1}", "p = 2") + CATEGORIES,)),
    Case("values-too-uneven", PEOPLE + 'method.algorithm = "anatomy"\n'
         + of("distinct-l-diversity", "l = 5"), "choose l of at most …", ("promise.l = {1}",)),
    Case("several-sensitive", PEOPLE + 'method.algorithm = "anatomy"\n'
         'attributes.drug.role = "sensitive"\n' + of("distinct-l-diversity", "l = 2")
         + 'second = { model = "distinct-l-diversity", l = 2, sensitive = "drug" }',
         'choose algorithm = "theta-star" or "p-l-angelization"',
         ('method.algorithm = "theta-star"', 'method.algorithm = "p-l-angelization"')),
    Case("categories-missing", PEOPLE + 'method.algorithm = "theta-star"\n'
         + of("theta-sensitive", "k = 2, mu = 0.5"), "add … = { table = { ... }, order = [...] }",
         ('{1} = { table = { A = ["flu"], B = ["gout", "hiv"] }, order = ["A", "B"] }',)),
    Case("series-dealt-anew", STAR + 'ledger.path = "dealt"\n'
         'second = { model = "tau-safety", sensitive = "ill", m = 2 }', 'choose algorithm = "m-invariant"',
         ('method.algorithm = "m-invariant"\nmethod.suppression_limit = 0.9',)),
    Case("several-values", PEOPLE + 'method.algorithm = "m-invariant"\n' + of("m-invariance", "m = 2"),
         "give the values categories in an order: then everybody has the highest",
         (CATEGORIES + 'attributes.ill.categories.order = ["A", "B"]',)),
    Case("person-without-column", 'method.algorithm = "m-invariant"\n' + of("m-invariance", "m = 2"),
         '…choose algorithm = "mondrian"', (PEOPLE, 'method.algorithm = "mondrian"')),
    Case("no-hierarchy", PEOPLE + 'method.algorithm = "k-l-diversity"\n'
         + of("kl-diversity", "k = 2, l = 2"), "add …",
         ('{1} = { tree = { "*" = { A = ["flu"], B = ["gout", "hiv"] } } }',)),
    Case("unsatisfiable", PEOPLE + KM + "promise.k = 30", "choose k of at most …",
         ("promise.k = {1}",)),
    # Searches
    Case("unsatisfiable", f"{FINE}attributes.age.max_level = 1", "a suppression_limit of … or more",
         ("method.suppression_limit = {1}",)),
    Case("unsatisfiable", f"{FINE}promise.k = 5", "a smaller k, a higher max_level for age, sex",
         ("promise.k = 1", "attributes.age.max_level = 4\nattributes.sex.max_level = 1")),
    Case("unsatisfiable", PEOPLE + VISIT + "attributes.day.max_level = 0",
         "raise max_level, allow a larger suppression_limit, or promise a k",
         ("attributes.day.max_level = 5", "method.suppression_limit = 1", "promise.k = 1")),
    Case("other-algorithm", 'method.algorithm = "mondrian"\nattributes.age.max_level = 1',
         "leave it out, or choose one of these algorithms",
         ("-attributes.age.max_level", 'method.algorithm = "optimal"')),
    Case("no-numbers", 'method.algorithm = "mondrian"\nmethod.cells = "range"',
         'choose cells = "set", "ancestor" or "level" for it',
         ('method.cells = "set"', 'method.cells = "ancestor"', 'method.cells = "level"')),
    Case("theta-too-few-values", 'method.algorithm = "theta"\n'
         + of("theta-sensitive", "k = 5, mu = 1"), "choose k of at most …, or mu of at most …",
         ("promise.k = {1}", "promise.mu = {2}")),
    Case("too-few-values", f'method.mode = "split"\n{KNM}{RANKS}', 'or mode = "joint"',
         ('method.mode = "joint"',)),
    Case("linked-without-promise", f"{KL}second = {{ model = 'kl-diversity', k = 3, l = 3, sensitive = 'ill' }}",
         "make one: model = …", ("-second",)),
    Case("unsatisfiable", f"{KL}promise.k = 21", "choose k and l of at most …", ("promise.k = {1}",)),
    Case("unsatisfiable", f"{KL}promise.l = 5", "choose l of at most …, or a smaller k",
         ("promise.l = {1}",)),
    Case("unsatisfiable", f"{KL}second = {{ model = 'max-posterior', bound = 0.1, sensitive = 'ill' }}",
         "choose a bound of at least …, or a smaller k", ("second.bound = {1}",)),
    Case("several-sensitive-attributes", f"{KL}attributes.drug.role = 'sensitive'\n"
         "second = { model = 'max-posterior', bound = 0.9, sensitive = 'drug' }",
         'choose "p-l-angelization" or "theta-star", or leave all but one out',
         ('method.algorithm = "p-l-angelization"', 'method.algorithm = "theta-star"',
          "-second\n-attributes.drug")),
    Case("theta-classes-too-large", THETA + 'promise.theta = "size"\nmethod.partition.start = "mondrian"',
         'partition = "chunks" or "k-member", choose theta = "k"',
         ('method.partition.start = "chunks"', 'method.partition.start = "k-member"',
          'promise.theta = "k"')),
    Case("classes-too-large", 'attributes.age.role = "insensitive"\n'
         + of("theta-sensitive", 'k = 3, mu = 0.9, theta = "size"'),
         'leave out theta = "size", or choose a smaller mu', ("-promise.theta", "promise.mu = 0.001")),
    Case("theta-infeasible", THETA + 'promise.mu = 0.9\nmethod.variant = "paper"',
         'choose a smaller k or mu, or variant = "safe"', ('method.variant = "safe"', "promise.mu = 0.3")),
    Case("unsatisfiable", THETA + 'method.variant = "paper"\n'
         'second = { model = "t-closeness", t = 0.1, sensitive = "ill" }',
         'or choose variant = "safe", which keeps other promises too', ('method.variant = "safe"',)),
    Case("bad-setting", STAR + 'method.partition.start = "mdav"', 'choose "k-member" or "mondrian"',
         ('method.partition.start = "k-member"', 'method.partition.start = "mondrian"')),
    Case("values-too-uneven", STAR, "choose a bound of at least …, or",
         ('second = { model = "max-posterior", sensitive = "ill", bound = {1} }',)),
    Case("unsatisfiable", 'method.algorithm = "iab"\npromise.k = 41', "a smaller k, a hierarchy with",
         ("promise.k = 20",)),
]  # fmt: skip


def people_with(ills: list[str | None]) -> pl.DataFrame:
    """A person for each value, of different ages."""
    ages = [20 + at for at in range(len(ills))]
    return pl.DataFrame({"who": [f"p{at}" for at in ages], "age": ages, "ill": ills})


UNVARIED = {
    "same": people_with(["flu"] * 4),
    "one": people_with(["flu"]),
    "two": people_with(["flu", "flu", "hiv"]),
    "most": people_with(["flu"] * 5 + ["hiv"]),
    "nearly": people_with(["flu"] * 3000 + ["hiv"]),
}
"""Tables that hardly vary."""

TOO_MUCH: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "k-anonymity": ({"k": 5000}, ("optimal", "iab")),
    "distinct-l-diversity": ({"l": 9}, ("optimal", "anatomy", "mondrian")),
    "entropy-l-diversity": ({"l": 1.9}, ("optimal", "mdav")),
    "recursive-cl-diversity": ({"c": 0.1, "l": 2}, ("optimal",)),
    "max-posterior": ({"bound": 0.01}, ("optimal", "anatomy", "mondrian")),
    "alpha-k-anonymity": ({"alpha": 0.01, "k": 1}, ("optimal",)),
    "theta-sensitive": ({"k": 9, "mu": 0.9}, ("optimal", "theta", "theta-star")),
    "p-sensitive": ({"p": 9}, ("optimal",)),
    "p-plus-sensitive": ({"p": 9}, ("optimal",)),
    "p-alpha-sensitive": ({"p": 1, "alpha": 9999}, ("optimal",)),
    "p-plus-alpha-sensitive": ({"p": 1, "alpha": 99}, ("optimal",)),
    "km-anonymity": ({"k": 5000, "m": 2}, ("optimal",)),
    "kl-diversity": ({"k": 5000, "l": 9}, ("k-l-diversity",)),
    "m-invariance": ({"m": 9}, ("m-invariant",)),
    "known-number": ({"k": 5000}, ("mondrian",)),
}
"""Promises that no such table can keep, with algorithms that work towards them."""

ABOVE = {"k": 1, "l": 1, "at most": 1, "alpha": 0, "mu": 0, "c": 0}
"""What a parameter has to lie above to promise something."""

NAMED = re.compile(
    r"\b(k|l|alpha|mu|c|bound|at most|suppression_limit)(?: and l)?(?: of at (?:most|least)| above| =)? "
    r"(-?[0-9.]*[0-9])"
)


@pytest.mark.parametrize("name", UNVARIED)
@pytest.mark.parametrize("model", TOO_MUCH)
def test_no_remedy_names_a_value_that_helps_nobody(name: str, model: str) -> None:
    settings, algorithms = TOO_MUCH[model]
    about = {} if model in {"k-anonymity", "known-number"} else {"sensitive": "ill"}
    ill: dict[str, Any] = {"role": "sensitive", "hierarchy": "suppress"}
    if "p-" in model:
        groups = {"A": ["flu"], "B": ["hiv"]}
        ill["categories"] = {
            "table": groups,
            "order": ["B", "A"] if model[2] == "a" else ["A", "B"],
        }
    for algorithm in algorithms if name != "nearly" else algorithms[:1]:
        with pytest.raises(IndistinctError) as caught:
            ind.anonymize(UNVARIED[name], {
                "source": {"person": "who"},
                "attributes": {"age": {"role": "quasi-identifier"}, "ill": ill},
                "promises": [{"model": model, **settings, **about}],
                "method": {"algorithm": algorithm, "seed": 1},
            })  # fmt: skip
        for problem in caught.value.problems:
            assert (
                "use a smaller number" not in str(problem.remedy)
                or UNVARIED[name]["ill"].n_unique() > 1
            )
            for what, given in NAMED.findall(problem.remedy or ""):
                value = float(given)
                if what == "bound":
                    assert 0 < value < 1, problem
                elif what == "suppression_limit":
                    assert 0 < value <= 1, problem
                else:
                    assert value > ABOVE[what], problem


def test_a_value_of_most_people_is_kept_by_another_promise_than_anatomys() -> None:
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}],
        "method": {"algorithm": "anatomy", "seed": 1},
    }
    with pytest.raises(
        IndistinctError, match='choose algorithm = "mondrian" and max-posterior'
    ) as caught:
        ind.anonymize(UNVARIED["most"], keys)
    bound = re.search(r"of at least ([0-9.]+):", str(caught.value))
    assert bound is not None
    keys["promises"].append(
        {"model": "max-posterior", "bound": float(bound[1]), "sensitive": "ill"}
    )
    keys["method"]["algorithm"] = "mondrian"
    assert len(ind.anonymize(UNVARIED["most"], keys).tables) == 6


LIMITED = [
    # What needs a large table: the limit is made small.
    ("recoding.partition.repair.MOST", 'method.algorithm = "mdav"', 'choose algorithm = "mondrian"',
     ('method.algorithm = "mondrian"',)),
    ("recoding.partition.repair.MOST", 'method.algorithm = "k-member"',
     'choose algorithm = "mondrian"', ('method.algorithm = "mondrian"',)),
    ("recoding.partition.mdav.MOST_CATEGORIES", 'method.algorithm = "mdav"',
     'choose algorithm = "k-member" or "mondrian"',
     ('method.algorithm = "k-member"', 'method.algorithm = "mondrian"')),
    ("recoding.visits.MOST_NODES", PEOPLE + VISIT, "set min_level and max_level",
     ("attributes.day.min_level = 1\nattributes.day.max_level = 1",)),
]  # fmt: skip


COMMANDS = [
    ("anonymize table.csv --quasi age --out new", "give --policy FILE, or both --quasi NAMES and --k K",
     ("anonymize table.csv --policy policy.toml --out one",
      "anonymize table.csv --quasi age --k 2 --rest drop --out two")),
    ("anonymize table.csv --quasi age --k 2 --out new", "name them with --drop (left out) or --keep",
     ("anonymize table.csv --quasi age --k 2 --drop patient,sex,ill,drug,day --out three",
      "anonymize table.csv --quasi age --k 2 --keep patient,sex,ill,drug,day --out four")),
    ("anonymize table.csv --policy policy.toml --k 3 --out new", "or leave the policy out",
     ("anonymize table.csv --quasi age --k 3 --rest drop --out five",)),
    ("anonymize table.csv --quasi age --k 2 --engine duckdb --out new", "write a policy: indistinct init",
     ("init table.csv --policy drafted.toml",)),
    ("risk release --engine duckdb", "leave --engine and --memory out, or name the policy",
     ("risk release", "risk release --engine duckdb --policy policy.toml")),
    ("audit release --quasi age", "add --k 5", ("audit release --quasi age --k 3",)),
    ("audit release --separator ;", "leave --separator out", ("audit release",)),
    ("risk table.csv --policy policy.toml --as-it-is",
     "ask for one, --curve 2-20 (in Python: k_range), or leave this out",
     ("risk table.csv --policy policy.toml --as-it-is --curve 2-20",
      "risk table.csv --policy policy.toml")),
    ("audit release --policy policy.toml --k 3", "give one of them",
     ("audit release --policy policy.toml", "audit release --k 3")),
    ("compare table.csv release --policy policy.toml --contingency age",
     "separate them by a comma: --contingency age,sex",
     ("compare table.csv release --policy policy.toml --contingency age,sex",)),
    ("hierarchy table.csv age", "for example --intervals 5",
     ("hierarchy table.csv age --intervals 5",)),
    ("risk table.csv --quasi age --curve 2", "for example --curve 2-20",
     ("risk table.csv --quasi age --curve 2-20",)),
    ("init table.csv --policy policy.toml", "name another file with --policy, or replace it with --force",
     ("init table.csv --policy another.toml", "init table.csv --policy drafted.toml --force")),
    ("audit nothing", "say what was promised, with --policy, or with --quasi and --k",
     ("audit nothing --policy policy.toml", "audit nothing --quasi age,sex --k 3")),
    ("explore table.csv --policy policy.toml --promise k", "see indistinct explore --help",
     ("explore --help",)),
    ("ledger list ledger --release 1", "leave --release out", ("ledger list ledger",)),
    ("ledger forget ledger", "add --release 1", ("ledger forget ledger --release 1",)),
    ("ledger list ledger --with ledger", "leave --with out", ("ledger list ledger",)),
    ("ledger show ledger --release 9", "indistinct ledger list", ("ledger list ledger",)),
    ("anonymize table.csv --policy policy.toml --master local --out new",
     "add --engine spark, or leave it out", ("anonymize table.csv --policy policy.toml --out six",)),
    ("anonymize table.csv --policy policy.toml --engine duckdb --memory 1MB --out seven",
     "give it more: --memory ",
     ("anonymize table.csv --policy policy.toml --engine duckdb --memory 784.0MB --out seven",)),
    ("anonymize people.sqlite --policy policy.toml --engine duckdb --out eight",
     "leave --engine and --memory out, or write the table as CSV or Parquet",
     ("anonymize table.csv --policy policy.toml --engine duckdb --memory 1GB --out eight",)),
    ("report empty", "name the folder of a release as it was written; without private/ only the public report is possible",
     ("report release --public",)),
]  # fmt: skip


def keys(lines: str = "") -> dict[str, Any]:
    """The policy with lines written into it, as functions take it."""
    asked = put(put({}, BASE), lines)
    promises = [asked.pop(name) for name in ("promise", "second") if name in asked]
    return asked | ({"promises": promises} if promises else {})


def held(model: str, parameters: dict[str, Any], **more: Any) -> ind.Audit:
    """The audit of a table for a promise, in classes of equal sex."""
    promise = {"model": model, **parameters, **more}
    person = "patient" if "unit" in more else None
    return ind.audit(TABLE, promises=[promise], quasi=["sex"], person=person)


ONE = TABLE.select("age", "sex")
TWO = TABLE.select("drug", "sex")
IDS = pl.DataFrame({"patient": [f"p{at:05}" for at in range(40)]})
LISTS = pl.DataFrame({"name": ["a"] * 4, "x": [[1]] * 4})
TREE = ind.Taxonomy("sex", [("f", "*"), ("m", "*")])
COUNTS = ONE.group_by("age").len("n").with_columns(pl.col("n") + 5)

CALLS = [
    ("name the columns to look at with --attributes (in Python: attributes)",
     lambda: ind.assess(IDS), [lambda: ind.assess(IDS, attributes=["patient"])]),
    ("name one (--identifiers name); with --accept it need not be a column",
     lambda: ind.quasi(TWO, sensitive=["drug"], accept=True),
     [lambda: ind.quasi(TWO, sensitive=["drug"], identifiers=["sex"]),
      lambda: ind.quasi(TWO, sensitive=["drug"], identifiers=["name"], accept=True)]),
    ('give a column role = "sensitive", or name it (--sensitive diagnosis)',
     lambda: ind.quasi(ONE, identifiers=["age"]),
     [lambda: ind.quasi(ONE, identifiers=["age"], sensitive=["sex"])]),
    ("name them with --quasi (in Python: quasi)", lambda: ind.risk(TABLE.select("drug")),
     [lambda: ind.risk(TABLE.select("drug"), quasi=["drug"])]),
    ('write Parquet ([output] format = "parquet")', lambda: ind.anonymize(LISTS, QUOTED | {"rest": "keep"}).write("wide"),
     [lambda: ind.anonymize(LISTS, QUOTED | {"rest": "keep", "output": {"format": "parquet"}}).write("wide")]),
    ("give the table with --population (in Python: population)",
     lambda: ind.risk(TABLE, quasi=["age"], counts="n"),
     [lambda: ind.risk(TABLE, quasi=["age"], counts="n", population=COUNTS)]),
    ("name it with --standard … (in Python: standard), or leave the numbers out",
     lambda: ind.risk(TABLE, quasi=["age"], zip_population=COUNTS),
     [lambda: ind.risk(TABLE.with_columns(age=pl.lit("*")), quasi=["age"], standard="hipaa-safe-harbor",
                       zip_population=pl.DataFrame({"zip": ["43210"], "people": [70_000]})),
      lambda: ind.risk(TABLE, quasi=["age"])]),
    ('count people: unit = "person"', lambda: held("k-anonymity", {"k": 2}, unit="record"),
     [lambda: held("k-anonymity", {"k": 2}, unit="person")]),
    ('add sensitive = "diagnosis", say', lambda: held("p-sensitive", {"p": 1}),
     [lambda: held("p-sensitive", {"p": 1}, sensitive="ill")]),
    ('reference = "published" needs none',
     lambda: held("t-closeness", {"t": 1}, sensitive="ill", reference="original"),
     [lambda: held("t-closeness", {"t": 1}, sensitive="ill", reference="published")]),
    ('write constant = { everybody = "all" } under [source], and attributes.everybody = …: all people are then one class',
     lambda: ind.anonymize(TABLE, OF_VISITS),
     [lambda: ind.anonymize(TABLE, OF_VISITS | {
         "source": OF_VISITS["source"] | {"constant": {"everybody": "all"}},
         "attributes": OF_VISITS["attributes"] | {"everybody": {"role": "quasi-identifier"}}})]),
    ("add population = {file = …} under [risk]", lambda: held("k-map", {"k": 1}),
     [lambda: ind.audit(TABLE, keys('promise = { model = "k-map", k = 1 }\n'
                                    'risk.population = { file = "population.csv" }'))]),
    ('add model = "k-anonymity" or another', lambda: held("", {"k": 1}),
     [lambda: held("k-anonymity", {"k": 1})]),
    ('write algorithm = "…" in [method]',
     lambda: ind.apply("release", TABLE, keys('method.algorithm = "mondrian"')),
     [lambda: ind.apply("release", TABLE, keys('method.algorithm = "optimal"'))]),
    ('name the column: [source] person = "patient_id", say',
     lambda: ind.attack(TABLE, ind.anonymize(TABLE, keys(PEOPLE)), keys(), only=["membership"]),
     [lambda: ind.attack(TABLE, ind.anonymize(TABLE, keys(PEOPLE)), keys(PEOPLE), only=["membership"])]),
    ("write it with write_hierarchy and name the file: …",
     lambda: ind.Policy.from_dict(keys() | {"attributes": {"sex": {"role": "quasi-identifier", "hierarchy": TREE}}}).to_toml(),
     [lambda: (ind.write_hierarchy(TREE, "sex.csv"),
               ind.Policy.from_dict(keys('attributes.sex.hierarchy = { file = "sex.csv" }')).to_toml())]),
    ("header = false under [source], init --no-header", lambda: ind.anonymize("bare.csv", BARE),
     [lambda: ind.anonymize("bare.csv", BARE | {"source": {"header": False}})]),
    ("if these are their names, header = true under [source]", lambda: ind.anonymize(RECORD, NUMBERED),
     [lambda: ind.anonymize(RECORD, NUMBERED | {"source": {"header": True}})]),
    ("if it is one, header = true under [source]", lambda: ind.anonymize("bare.csv", BARE),
     [lambda: ind.anonymize("bare.csv", BARE | {"source": {"header": True}, "attributes": {"33": {"role": "quasi-identifier"}}})]),
    ("has the names of the columns, say how many stand above it", lambda: ind.anonymize("titled.csv", QUOTED),
     [lambda: ind.anonymize("titled.csv", QUOTED | {"source": {"skip_rows": 2}})]),
    ("skip_rows = 2 under [source], init --skip-rows 2, say", lambda: ind.anonymize("padded.csv", QUOTED),
     [lambda: ind.anonymize("padded.csv", QUOTED | {"source": {"skip_rows": 2}})]),
    ("correct skip_rows: the number of the row", lambda: ind.anonymize("padded.csv", QUOTED | {"source": {"skip_rows": 9}}),
     [lambda: ind.anonymize("padded.csv", QUOTED | {"source": {"skip_rows": 2}})]),
    ('or write quote = "" if quotes have no meaning', lambda: ind.anonymize("quoted.csv", QUOTED),
     [lambda: ind.anonymize("quoted.csv", QUOTED | {"source": {"quote": ""}})]),
    ('choose one, such as separator = ";"', lambda: ind.risk("latin.csv", quasi=["name"], source={"separator": "ab", "encoding": "latin-1"}),
     [lambda: ind.risk("latin.csv", quasi=["name"], source={"separator": ";", "encoding": "latin-1"})]),
    ('encoding = "windows-1252" under [source] with one', lambda: ind.anonymize("latin.csv", QUOTED),
     [lambda: ind.anonymize("latin.csv", QUOTED | {"source": {"encoding": "windows-1252"}})]),
    ('add query = "SELECT ..." to [source]', lambda: ind.anonymize("people.sqlite", QUOTED),
     [lambda: ind.anonymize("people.sqlite", QUOTED | {"source": {"query": "SELECT * FROM people"}})]),
]  # fmt: skip

QUOTED = {"rest": "drop", "attributes": {"name": {"role": "quasi-identifier"}},
          "promises": [{"model": "k-anonymity", "k": 1}]}  # fmt: skip
NUMBERED = QUOTED | {"attributes": {"33": {"role": "quasi-identifier"}}}
RECORD = pl.DataFrame({"33": [20, 30, 40, 50] * 5, "f": ["f", "m"] * 10})
BARE = QUOTED | {"attributes": {"column_1": {"role": "quasi-identifier"}}}
OF_VISITS = {"rest": "drop", "source": {"person": "patient"},
             "attributes": {"day": {"role": "quasi-identifier", "level": "event"}},
             "promises": [{"model": "k-anonymity", "k": 2}]}  # fmt: skip


def put(policy: dict[str, Any], lines: str) -> dict[str, Any]:
    """A policy with lines written into it."""
    policy = copy.deepcopy(policy)
    for line in filter(None, lines.splitlines()):
        key, _, value = line.removeprefix("-").partition(" = ")
        *way, last = key.split(".")
        at = policy
        for name in way:
            at = at.setdefault(name, {})
        if line.startswith("-"):
            del at[last]
        else:
            at[last] = tomllib.loads(f"x = {value}")["x"]
    return policy


def problems(act: Callable[[], object]) -> tuple[ind.Problem, ...]:
    """What stands against it."""
    try:
        act()
    except IndistinctError as error:
        return error.problems
    return ()


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folder that the policies are in: it has a table of the population."""
    with pytest.MonkeyPatch.context() as here:
        # Slow, and about what no remedy is.
        here.setattr("indistinct.pipeline.publishing.warn_about_forgotten_person", lambda *_: [])
        here.setenv("MADE", "8f3a92c1d07be6545a1e0c9b7d3f2846")
        here.chdir(tmp_path_factory.mktemp("remedies"))
        TABLE.write_csv("table.csv")
        TABLE.select("age", "sex").write_csv("population.csv")
        policy = ind.Policy.from_dict(keys())
        Path("bare.csv").write_text("33,f,HIV\n" + "33,m,HIV\n44,f,HIV\n" * 5, encoding="utf-8")
        Path("quoted.csv").write_text('name;x\n"a;1\nb;2\n' * 1, encoding="utf-8")
        Path("titled.csv").write_text(
            "Visits\n\nname,x,y\n" + "a,1,2\nb,3,4\n" * 2, encoding="utf-8"
        )
        Path("padded.csv").write_text("Visits,,\n,,\nname,x,y\na,1,2\nb,3,4\n", encoding="utf-8")
        Path("latin.csv").write_bytes("name;x\nJosé;1\nZoë;2\n".encode("latin-1"))
        with closing(sqlite3.connect("people.sqlite")) as base:
            base.executescript("CREATE TABLE people (name, x); INSERT INTO people VALUES ('a', 1)")
        Path("policy.toml").write_text(policy.to_toml(), encoding="utf-8")
        ind.anonymize(TABLE, policy).write("release")
        ind.anonymize(TABLE, keys(f'{PEOPLE}ledger.path = "ledger"')).write("listed")
        shutil.copytree("release", "nothing")
        account = Path("nothing/certificate.json")
        account.write_text(json.dumps(json.loads(account.read_text()) | {"promises": []}))
        Path("empty").mkdir()
        yield


def asked(lines: str) -> tuple[ind.Problem, ...]:
    return problems(lambda: ind.anonymize(TABLE, keys(lines)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}: {case.remedy[:40]}")
def test_what_is_written_helps(case: Case) -> None:
    found = asked(case.wrong)
    pattern = re.escape(case.remedy).replace("…", "(.+?)")
    if case.remedy.endswith("…"):
        pattern = pattern.removesuffix("?)") + ")"
    told = [
        hit for it in found if it.code == case.code and (hit := re.search(pattern, it.remedy or ""))
    ]
    assert told, [(it.code, it.remedy) for it in found]
    for way in case.right:
        filled = re.sub(r"\{(\d)\}", lambda at: told[0][int(at[1])], way)
        left = [it for it in asked(f"{case.wrong}\n{filled}") if it.code == case.code]
        assert not any(re.search(pattern, it.remedy or "") for it in left), (filled, left)


@pytest.mark.parametrize(
    ("limit", "wrong", "remedy", "right"), LIMITED, ids=[f"{it[0]}: {it[2]}" for it in LIMITED]
)
def test_what_is_written_for_large_tables_helps(
    limit: str, wrong: str, remedy: str, right: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"indistinct.{limit}", 1)
    assert any(remedy in (it.remedy or "") for it in asked(wrong)), asked(wrong)
    for way in right:
        assert not asked(f"{wrong}\n{way}")


@pytest.mark.parametrize(("remedy", "wrong", "right"), CALLS, ids=[it[0][:40] for it in CALLS])
def test_what_is_called_helps(remedy: str, wrong: Callable[[], object], right: Any) -> None:
    pattern = re.escape(remedy).replace("…", ".+")
    found = [it for it in problems(wrong) if re.search(pattern, it.remedy or "")]
    assert found, problems(wrong)
    for way in right:
        assert not problems(way)


@pytest.mark.parametrize(
    ("wrong", "remedy", "right"), COMMANDS, ids=[f"{it[0]}: {it[1][:40]}" for it in COMMANDS]
)
def test_what_is_typed_helps(run, wrong: str, remedy: str, right: tuple[str, ...]) -> None:
    result = run(*wrong.split())
    assert result.exit_code == 2
    assert remedy in " ".join(result.output.split()), result.output
    for way in right:
        mended = run(*way.split())
        assert mended.exit_code == 0, (way, mended.output)


def test_more_memory_or_an_engine_helps_where_a_table_takes_too_much(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("anonymize", "table.csv", "--policy", "policy.toml", "--out")
    monkeypatch.setenv("INDISTINCT_MAX_MEMORY", "10B")
    told = " ".join(run(*asked, "nine").output.split())
    assert "give it more (--max-memory, or INDISTINCT_MAX_MEMORY)" in told
    assert "--engine duckdb of anonymize, assess and risk" in told
    monkeypatch.setenv("INDISTINCT_MAX_MEMORY", "1GB")
    assert run(*asked, "nine").exit_code == 0
    assert run(*asked, "ten", "--engine", "duckdb").exit_code == 0


NAMES = re.compile(r" = |--[a-z]|\"[a-z-]+\"|indistinct [a-z]|[a-z]+_[a-z]+")
"""A key of a policy, a value of one, an option or a verb."""

ELSEWHERE = {
    "tests/cli/test_init.py": ("give --check FILE",),
    "draws a picture": ("name them: --contingency A,B",),
    "tests/test_kept_policy.py": ("name the policy that it was made with",),
    "tests/test_ledger.py": ("conflict = ", "one key from the first", "name the key of the first"),
    "tests/test_applying.py": ("search for a plan of this table", "for the attribute, or …"),
    "tests/report": (
        "give --data FILE, without --public", "take the folder as indistinct wrote it; --public",
    ),
    "tests/sources/test_files.py": ("name another sheet",),
    "tests/sources": ("end the address with ?table=", "or the folder that --into named"),
    "needs Spark, a full disk or lines that are wrong": (
        "leave --engine out", "--engine spark out", "run without --engine", "leave --memory out", "make room on the disk",
        "or --memory with --engine", "more memory (--max-memory, or", "leave format, people and constant out", "of a release name its file",
    ),
    "test_more_memory_or_an_engine_helps_where_a_table_takes_too_much": (
        "or have its files scanned where they are",
    ),
    "tests/test_sensitivities.py": ("name every group that occurs",),
    "tests/attacks/test_suppressed.py": (", leave local_recoding out, or ",),
    "tests/test_population.py": ("population = { size = ... }",),
    "tests/recoding/test_numbers.py": (", or promise a smaller k",),
    "tests/recoding/test_m_invariant.py": (
        "leave them out for this time", "allow max_noise = ……",
    ),
    "the policy is refused before": (
        'give role = "sensitive" to what is to be kept', "add them to the hierarchy, or set",
    ),
    "needs a large table, or a rare one": (
        "no person may be under two classes", 'without mode = "split"',
        'missing = "value"', 'choose variant = "safe", or a weaker promise', "or max_noise = 0",
        'write start = "mondrian"', "what would help: weaker parameters, a larger", 'what would help: mode = "joint"',
        'or say that holding = "all"', "choose the other style",
        'choose weaker promises, or variant = "safe"', "allow max_noise = …, or choose variant",
    ),
}  # fmt: skip
"""Remedies that are not followed here, and why; tests of their own follow most."""

PARAMETERS = {
    (kind, item.name): item.metadata["must"]
    for kind in models().values()
    for item in fields(kind)  # type: ignore[arg-type]
    if "remedy" in getattr(item.metadata.get("must"), "keywords", ())
}
"""Parameters of promises whose remedy stands where they are defined."""


@pytest.mark.parametrize(
    ("kind", "name"), PARAMETERS, ids=[f"{a.model}.{b}" for a, b in PARAMETERS]
)
def test_what_a_parameter_may_be_is_taken(kind: type[Promise], name: str) -> None:
    must = PARAMETERS[kind, name]
    remedy = must.keywords["remedy"]
    with pytest.raises(PolicyError) as refused:
        must(kind.model, name, 0)
    assert refused.value.problems[0].remedy == remedy
    key, value = re.findall(r"(\w+) (?:=|from) ([\d.]+)", remedy)[0]
    assert key == name
    must(kind.model, name, float(value) if "." in value else int(value))


FOLLOWED = (
    [case.remedy for case in CASES]
    + [must.keywords["remedy"] for must in PARAMETERS.values()]
    + [remedy for _, remedy, _ in COMMANDS]
    + [remedy for remedy, _, _ in CALLS]
    + [remedy for _, _, remedy, _ in LIMITED]
)


def test_every_remedy_that_names_something_is_followed() -> None:
    known = [re.escape(one).replace("…", ".*") for one in FOLLOWED if len(one) > 8]
    missing = [
        (place, text)
        for place, text in found().items()
        if ".py:" in place
        and NAMES.search(text)
        and not any(re.search(one, text) for one in known)
        and not any(one in text for part in ELSEWHERE.values() for one in part)
    ]
    told = "\n".join(map(str, missing))
    assert not missing, f"add a case that follows it, or say in ELSEWHERE why none does:\n{told}"
