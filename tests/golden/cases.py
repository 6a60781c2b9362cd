"""The cases of the golden set: policies over all verbs, algorithms, promises, sources and seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.golden.tables import GROUPS, ILLS, QUASI, RANKS
from tests.privacy.examples import EXAMPLES

Keys = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One thing that a user asks for.

    ``table`` is the maker of the table with its number of people and its seed, ``source`` the kind
    of frame or file it comes as, ``files`` the texts (or their makers) that stand beside it, and
    ``options`` what the verb takes further.
    """

    id: str
    verb: str
    table: tuple[str | int, ...]
    policy: Keys = field(default_factory=dict)
    source: str = "polars"
    files: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


TREE = {"any": GROUPS}
DIAGNOSIS: Keys = {
    "role": "sensitive",
    "categories": {"table": GROUPS, "order": list(GROUPS)},
    "ranks": {"table": RANKS},
    "hierarchy": {"tree": TREE},
}
AGE: Keys = {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}}
SEX: Keys = {"role": "quasi-identifier", "hierarchy": "suppress"}
ZIP: Keys = {"role": "quasi-identifier", "hierarchy": {"mask": {}}}
IDENTIFIER: Keys = {"role": "identifier"}
INSENSITIVE: Keys = {"role": "insensitive"}
K3: Keys = {"model": "k-anonymity", "k": 3}
BOUND: Keys = {"model": "max-posterior", "bound": 0.6}


def attributes(**changes: Keys | None) -> Keys:
    """The roles of the patients' columns, with these in place of their own, or none of them."""
    roles: Keys = {
        "name": IDENTIFIER,
        "age": AGE,
        "sex": SEX,
        "zip": ZIP,
        "admitted": IDENTIFIER,
        "code": IDENTIFIER,
        "smoker": IDENTIFIER,
        "diagnosis": DIAGNOSIS,
        "job": INSENSITIVE,
        "outcome": IDENTIFIER,
        "cost": INSENSITIVE,
    }
    return {name: keys for name, keys in (roles | changes).items() if keys is not None}


def policy(*promises: Keys, seed: int = 7, **sections: Keys) -> Keys:
    """A policy for patients; ``method`` has a seed and some suppression unless it says more."""
    method = {"suppression_limit": 0.1, "seed": seed} | sections.pop("method", {})
    if method["suppression_limit"] is None:
        del method["suppression_limit"]
    return {
        "attributes": attributes(**sections.pop("attributes", {})),
        "promises": list(promises) or [K3],
        "method": method,
    } | sections


def people_policy(*promises: Keys, seed: int = 7, **sections: Keys) -> Keys:
    """A policy for visits: a person has many records."""
    dx = {key: value for key, value in DIAGNOSIS.items() if key != "ranks"}
    roles = {"age": AGE, "sex": SEX, "zip": ZIP, "diagnosis": dx, "ward": INSENSITIVE}
    roles |= sections.pop("attributes", {})
    return {
        "source": {"person": "patient"},
        "attributes": roles,
        "promises": list(promises) or [K3],
        "method": {"seed": seed} | sections.pop("method", {"suppression_limit": 0.15}),
    } | sections


PATIENTS = ("patients", 120, 3)
VISITS = ("visits", 60, 3)


# Promises


MODELS: dict[str, Keys] = {
    name: dict(one.classes.golden) for name, one in EXAMPLES.items() if one.classes
}
"""Promises about the classes of one table."""

OF_NOBODY = (
    "k-anonymity", "k-map", "estimated-k-map", "delta-presence", "differential-privacy",
)  # fmt: skip
"""Promises that name no sensitive attribute."""

OF_POPULATION = ("k-map", "delta-presence")
CLASSIFIERS = ("optimal", "heuristic", "mondrian", "k-member", "mdav")


def promised(model: str, **changes: Any) -> Keys:
    """A promise of that model, of the diagnosis where it is about a sensitive attribute."""
    sensitive = {} if model in OF_NOBODY else {"sensitive": "diagnosis"}
    return {"model": model, **MODELS[model], **sensitive, **changes}


def beside(*models: str, people: tuple[int, int] = (120, 3)) -> tuple[Keys, Keys]:
    """The section and the file that promises about a population need."""
    if not set(models) & set(OF_POPULATION):
        return {}, {}
    file = {"population.csv": ("population", *people)}
    return {"risk": {"population": {"file": "population.csv"}}}, file


def _numbers(algorithm: str) -> Keys:
    """MDAV wants numbers: a zip is one of its own, and the sex is left out."""
    if algorithm != "mdav":
        return {}
    return {"sex": IDENTIFIER, "zip": {"role": "quasi-identifier"}}


def differential(asked: Keys, **bounds: Keys) -> Keys:
    """A policy in which nothing looks at the table but levels and records, by chance."""
    age = AGE | {"hierarchy": {"intervals": {"width": 20, "levels": 2}}}
    place = ZIP | {"hierarchy": {"mask": {"length": 4, "levels": 3, "keep": 1}}}
    attributes = {"diagnosis": IDENTIFIER, "job": IDENTIFIER, "cost": IDENTIFIER}
    method = {"algorithm": "safepub", "suppression_limit": None}
    quasi = {"age": age, "sex": SEX, "zip": place}
    changed = {name: keys | bounds.get(name, {}) for name, keys in quasi.items()}
    return policy(asked, method=method, attributes=attributes | changed)


def promise_cases() -> Iterator[Case]:
    for model in MODELS:
        if model == "differential-privacy":
            drawn = differential(promised(model))
            fixed = {name: {"min_level": 1, "max_level": 1} for name in ("age", "sex")}
            fixed["zip"] = {"min_level": 3, "max_level": 3}
            stated = differential(promised(model, search=0.0, epsilon=0.5), **fixed)
            yield Case(f"promise-{model}-safepub", "anonymize", ("patients", 400, 3), drawn)
            yield Case(f"promise-{model}-stated", "anonymize", ("patients", 400, 3), stated)
            continue
        further, files = beside(model)
        for number, algorithm in enumerate(CLASSIFIERS):
            method = {"algorithm": algorithm, "suppression_limit": 0.2}
            keys = policy(
                promised(model), method=method, attributes=_numbers(algorithm), seed=number + 1,
                **further,
            )  # fmt: skip
            yield Case(f"promise-{model}-{algorithm}", "anonymize", PATIENTS, keys, files=files)
    together = {"average-risk": {"bound": 0.2}, "sample-uniqueness": {"bound": 0.02}}
    for model, parameters in together.items():
        for algorithm, local in (("optimal", False), ("optimal", True), ("heuristic", False)):
            method = {"algorithm": algorithm, "suppression_limit": 0.1, "local_recoding": local}
            keys = policy({"model": model, **parameters}, method=method)
            name = f"promise-{model}-{'local' if local else algorithm}"
            yield Case(name, "anonymize", PATIENTS, keys)
    settings: dict[str, Keys] = {
        "t-ordered": promised("t-closeness", distance="ordered", t=0.3),
        "t-hierarchical": promised("t-closeness", distance="hierarchical", t=0.3),
        "t-original": promised("t-closeness", reference="original"),
        "basic-beta-original": promised("basic-beta-likeness", reference="original"),
        "enhanced-beta-original": promised("enhanced-beta-likeness", reference="original"),
        "delta-break": promised("delta-disclosure", delta=4.0, absent="break"),
        "delta-original": promised("delta-disclosure", reference="original"),
        "theta-size": promised("theta-sensitive", theta="size", mu=0.1),
        "knm-rank": promised("knm-anonymity", k={"1": 3, "2": 2, "3": 3, "4": 2}, count="rank"),
        "knm-plain": promised("knm-anonymity", diversity=False),
        "knm-three": promised("knm-anonymity", diversity=3),
        "knm-elbow": promised("knm-anonymity", k="elbow"),
        "poisson": promised("estimated-k-map", estimator="poisson", significance=0.05),
        "on-two": {**K3, "on": ["age", "sex"]},
    }
    for name, asked in settings.items():
        attribute = {}
        if name == "t-ordered":
            order = {"role": "sensitive", "hierarchy": {"order": list(ILLS)}}
            attribute = {"diagnosis": order}
        for algorithm in ("optimal", "mondrian"):
            method = {"algorithm": algorithm, "suppression_limit": 0.3}
            keys = policy(asked, method=method, attributes=attribute, risk={"k_range": [2, 8]})
            yield Case(f"promise-{name}-{algorithm}", "anonymize", PATIENTS, keys)
    several = {
        "two-models": [K3, BOUND, promised("t-closeness", t=0.5)],
        "two-sensitive": [K3, promised("distinct-l-diversity", sensitive=["diagnosis", "job"])],
        "all-sensitive": [K3, {"model": "distinct-l-diversity", "l": 2}],
        "two-ons": [{**K3, "on": ["age", "sex"]}, {"model": "k-anonymity", "k": 2}],
    }
    for name, promises in several.items():
        keys = policy(*promises, attributes={"job": {"role": "sensitive"}})
        yield Case(f"promise-{name}", "anonymize", PATIENTS, keys)


# Methods


def method_cases() -> Iterator[Case]:
    for algorithm in ("iab", "exhaustive", "greedy"):
        for scope in ("domain", "subtree", "siblings"):
            for model in ("k-anonymity", "distinct-l-diversity"):
                keys = policy(
                    promised(model),
                    method={"algorithm": algorithm, "scope": scope, "suppression_limit": None,
                            "node_limit": 400},
                    attributes={"age": {**AGE, "hierarchy": {"intervals": {"width": 20}}},
                                "job": IDENTIFIER, "cost": IDENTIFIER},
                )  # fmt: skip
                yield Case(
                    f"rows-{algorithm}-{scope}-{model}", "anonymize", ("equal_records", 60, 2), keys
                )
    tie = policy(
        method={"algorithm": "iab", "tie_break": "paper", "suppression_limit": None},
        attributes={"job": IDENTIFIER, "cost": IDENTIFIER},
    )
    yield Case("rows-iab-paper", "anonymize", ("equal_records", 60, 2), tie)

    theta = promised("theta-sensitive")
    for start in ("mondrian", "k-member", "mdav", "chunks"):
        for donors in ("later", "all"):
            method = {"algorithm": "theta", "suppression_limit": 0.0,
                      "partition": {"start": start, "donors": donors}}  # fmt: skip
            keys = policy(theta, method=method, attributes=_numbers(start))
            yield Case(f"theta-{start}-{donors}", "anonymize", PATIENTS, keys)
    for name, method in {
        "paper": {"variant": "paper"},
        "noise-share": {"max_noise": 0.3, "partition": {"start": "chunks"}},
        "noise-number": {"max_noise": 25, "partition": {"start": "chunks"}},
        "sets": {"cells": "set"},
    }.items():
        for asked in (theta, promised("theta-sensitive", k=4, mu=0.9)):
            own = {"algorithm": "theta", "suppression_limit": 0.0} | method
            many = "tight" if "mu" in asked else "loose"
            yield Case(
                f"theta-{name}-{many}", "anonymize", PATIENTS, policy(asked, method=own, seed=2)
            )

    knm = promised("knm-anonymity", diversity=False)
    for name, method in {
        "joint": {},
        "split-refused": {"mode": "split"},
        "split": {"mode": "split", "accept_unsafe": True},
        "nothing-suppressed": {"suppression_limit": 0.0},
    }.items():
        for people in (90, 200):
            own = {"algorithm": "knm", "suppression_limit": 0.2} | method
            keys = policy(knm, method=own)
            yield Case(f"knm-{name}-{people}", "anonymize", ("patients", people, 5), keys)
    harm = {"dependent": "outcome", "harmful": ["dead", "ward"]}
    own = {"role": "sensitive", "ranks": harm}
    keys = policy(knm, method={"algorithm": "knm"}, attributes={"diagnosis": own})
    yield Case("knm-dependent", "anonymize", ("patients", 200, 5), keys)
    scores = {"role": "sensitive", "ranks": {"file": "scores.csv", "score": "deaths"}}
    text = "diagnosis,deaths\n" + "".join(f"{ill},{at * at}\n" for at, ill in enumerate(ILLS))
    keys = policy(knm, method={"algorithm": "knm"}, attributes={"diagnosis": scores})
    files = {"scores.csv": text}
    yield Case("knm-scores", "anonymize", ("patients", 200, 5), keys, files=files)

    for algorithm in ("mondrian", "k-member", "mdav"):
        for cells in ("range", "set", "ancestor", "level"):
            numbers = _numbers("mdav" if cells == "range" else algorithm)
            method = {"algorithm": algorithm, "cells": cells}
            keys = policy(K3, BOUND, method=method, attributes=numbers)
            yield Case(f"cells-{algorithm}-{cells}", "anonymize", PATIENTS, keys)
    mixed = {"age": "set", "zip": "range"}
    keys = policy(method={"algorithm": "mondrian", "cells": mixed})
    yield Case("cells-mondrian-mixed", "anonymize", PATIENTS, keys)
    for name, partition in {
        "relaxed": {"strict": False},
        "entropy": {"dimension": "entropy"},
        "ncp": {"dimension": "ncp", "cut": "ncp"},
        "width-ncp": {"dimension": "width", "cut": "ncp"},
    }.items():
        for table in (PATIENTS, ("equal_records", 90, 4)):
            keys = policy(method={"algorithm": "mondrian", "partition": partition})
            yield Case(f"mondrian-{name}-{table[0]}", "anonymize", table, keys)


def objective_cases() -> Iterator[Case]:
    aggregates = ("arithmetic", "geometric", "sum", "max", "rank")
    objectives: dict[str, Keys] = {
        f"{measure}-{aggregate}": {"measure": measure, "aggregate": aggregate}
        for measure in ("loss", "precision", "non-uniform-entropy", "height")
        for aggregate in aggregates
    }
    objectives |= {
        "discernibility": {"measure": "discernibility"},
        "discernibility-monotonic": {"measure": "discernibility", "monotonic": True},
        "average-class-size": {"measure": "average-class-size"},
        "precision-monotonic": {"measure": "precision", "monotonic": True},
        "entropy-monotonic": {"measure": "non-uniform-entropy", "monotonic": True},
        "loss-generalize": {"measure": "loss", "gs_factor": 0.0},
        "loss-suppress": {"measure": "loss", "gs_factor": 1.0},
        "loss-weights": {"measure": "loss", "weights": {"age": 3.0, "zip": 0.5}},
        "rows": {"measure": "rows"},
        "kl-divergence": {"measure": "kl-divergence"},
    }
    for number, (name, objective) in enumerate(objectives.items()):
        algorithm = ("optimal", "heuristic")[number % 2]
        method = {"algorithm": algorithm, "objective": objective}
        if name == "rows":
            method |= {"suppression_limit": None}
        yield Case(f"objective-{name}", "anonymize", PATIENTS, policy(method=method, seed=number))
    for name, method in {
        "local": {"local_recoding": True},
        "local-much": {"local_recoding": True, "suppression_limit": 0.5},
        "local-heuristic": {
            "local_recoding": True, "algorithm": "heuristic", "suppression_limit": 0.4
        },
        "nodes": {"node_limit": 5},
        "nothing-suppressed": {"suppression_limit": 0.0},
        "everything-suppressed": {"suppression_limit": 1.0},
        "decoys": {"decoys": {"to": 5}},
        "decoys-many": {"decoys": {"to": 8, "limit": 0.5}},
        "decoys-mondrian": {"decoys": {"to": 6, "limit": 0.3}, "algorithm": "mondrian"},
    }.items():  # fmt: skip
        for promises in ((K3,), (K3, BOUND)):
            yield Case(
                f"method-{name}-{len(promises)}", "anonymize", ("patients", 150, 6),
                policy(*promises, method=method),
            )  # fmt: skip
    for seed in (0, 1, 2, 12345):
        for algorithm in ("optimal", "k-member"):
            keys = policy(method={"algorithm": algorithm}, seed=seed)
            yield Case(f"seed-{seed}-{algorithm}", "anonymize", PATIENTS, keys)


# Attributes


def attribute_cases() -> Iterator[Case]:
    quasi = {"role": "quasi-identifier"}
    hierarchies: dict[str, tuple[str, Any]] = {
        "intervals-breaks": ("age", {"intervals": {"breaks": [30, 50, 70]}}),
        "intervals-ends": ("age", {"intervals": {"width": 10, "bottom": 30, "top": 80}}),
        "intervals-levels": ("age", {"intervals": {"width": 5, "levels": 3}}),
        "equal-frequency": ("age", {"equal_frequency": 6}),
        "mask-left": ("zip", {"mask": {"from": "left"}}),
        "date": ("admitted", {"date": {}}),
        "date-levels": ("admitted", {"date": {"levels": ["month", "year"]}}),
        "order": ("job", {"order": ["clerk", "teacher", "nurse", "cook", "driver"]}),
        "tree": ("job", {"tree": {"all": {"in": ["clerk", "teacher"], "out": ["driver", "nurse",
                                                                              "cook"]}}}),
        "icd-10": ("code", {"code_system": "icd-10"}),
        "file": ("job", {"file": "jobs.csv", "separator": ";"}),
        "suppress": ("job", "suppress"),
        "none": ("age", None),
    }  # fmt: skip
    jobs = "\n".join(
        f"{job};{kind};*"
        for job, kind in {"nurse": "care", "teacher": "care", "cook": "hand", "driver": "hand",
                          "clerk": "desk"}.items()
    )  # fmt: skip
    for name, (attribute, hierarchy) in hierarchies.items():
        for algorithm in ("optimal", "mondrian"):
            keys = policy(
                attributes={attribute: quasi | ({"hierarchy": hierarchy} if hierarchy else {})},
                method={"algorithm": algorithm, "suppression_limit": 0.2},
            )
            yield Case(
                f"hierarchy-{name}-{algorithm}", "anonymize", PATIENTS, keys,
                files={"jobs.csv": jobs},
            )  # fmt: skip
    smoker: Keys = {"role": "quasi-identifier", "hierarchy": "suppress"}
    for name, attribute in {
        "missing-value": {"smoker": smoker},
        "missing-token": {"smoker": smoker | {"missing": {"tokens": ["?"], "as": "value"}}},
        "missing-suppressed": {"smoker": smoker | {"missing": {"tokens": ["?"], "as": "suppress"}}},
        "missing-sensitive": {"smoker": {"role": "sensitive", "missing": {"tokens": ["?"]}}},
        "uncovered": {"age": AGE | {"uncovered": "suppress", "hierarchy": {"order": list(range(
            18, 80))}}},
        "min-level": {"age": AGE | {"min_level": 2}},
        "max-level": {"age": AGE | {"max_level": 2}, "zip": ZIP | {"max_level": 4}},
        "weight": {"age": AGE | {"weight": 4.0}, "zip": ZIP | {"weight": 0.0}},
        "derived": {"age": AGE | {"derived_from": "admitted"}, "zip": ZIP | {"part_of": "job"}},
    }.items():  # fmt: skip
        for algorithm in ("optimal", "mondrian"):
            keys = policy(
                attributes=attribute, method={"algorithm": algorithm, "suppression_limit": 0.3}
            )
            yield Case(f"attribute-{name}-{algorithm}", "anonymize", PATIENTS, keys)
    transforms: dict[str, tuple[str, str, Any]] = {
        "mask": ("name", "identifier", {"mask": {"keep": 2, "char": "#"}}),
        "mask-left": ("job", "insensitive", {"mask": {"keep": 1, "from": "left"}}),
        "pseudonymize": ("name", "identifier", {"pseudonymize": {"key_file": "key", "length": 12}}),
        "pseudonym-table": ("name", "identifier", {"pseudonymize": {"key_file": "key",
                                                                    "table": True}}),
        "replace": ("name", "identifier", "replace"),
        "replace-code": ("code", "insensitive", {"replace": {"style": "code"}}),
        "shift": ("admitted", "insensitive", {"shift": {"days": 30}}),
        "shift-by": ("admitted", "insensitive", {"shift": {"by": "name"}}),
        "swap": ("job", "insensitive", {"swap": {"share": 0.5}}),
        "swap-within": ("job", "insensitive", {"swap": {"within": "sex"}}),
        "swap-window": ("age", "quasi-identifier", {"swap": {"window": 0.1}}),
        "pram": ("job", "insensitive", {"pram": {"keep": 0.7, "within": "sex"}}),
        "noise": ("cost", "insensitive", {"noise": 10}),
        "noise-laplace": ("cost", "insensitive", {"noise": {"scale": 0.1, "multiplicative": True,
                                                            "distribution": "laplace"}}),
        "noise-age": ("age", "quasi-identifier", {"noise": 2}),
        "noise-date": ("admitted", "insensitive", {"noise": {"scale": 3}}),
        "round": ("cost", "insensitive", {"round": 50}),
        "round-digits": ("cost", "sensitive", {"round": {"digits": -2}}),
        "round-date": ("admitted", "quasi-identifier", {"round": "month"}),
        "microaggregate": ("cost", "insensitive", {"microaggregate": 4}),
        "microaggregate-median": ("age", "quasi-identifier", {"microaggregate": {
            "k": 3, "centre": "median"}}),
        "aggregate-ends": ("cost", "insensitive", {"aggregate": {"bottom": 100, "top": 900}}),
        "aggregate-thresholds": ("cost", "insensitive", {"aggregate": {
            "thresholds": [100, 500, 1000], "show": "median"}}),
        "aggregate-groups": ("job", "insensitive", {"aggregate": {
            "groups": {"care": ["nurse", "teacher"]}, "other": "else"}}),
        "synthesize": ("cost", "insensitive", "synthesize"),
        "synthesize-alone": ("job", "insensitive", {"synthesize": {"joint": False}}),
    }  # fmt: skip
    for name, (attribute, role, transform) in transforms.items():
        own: Keys = {"role": role, "transform": transform}
        if role == "quasi-identifier":
            own["hierarchy"] = {"date": {}} if attribute == "admitted" else "suppress"
        keys = policy(attributes={attribute: own})
        files = {"key": "8f3a92c1d07be6545a1e0c9b7d3f2846\n"}
        yield Case(f"transform-{name}", "anonymize", PATIENTS, keys, files=files)
    both = {"cost": {"role": "insensitive", "transform": "synthesize"},
            "age": {"role": "insensitive", "transform": "synthesize"}}  # fmt: skip
    yield Case("transform-synthesize-two", "anonymize", PATIENTS, policy(attributes=both))


def output_cases() -> Iterator[Case]:
    outputs: dict[str, Keys] = {
        "keep": {"suppressed": "keep"},
        "in-order": {"shuffle": False},
        "keep-in-order": {"suppressed": "keep", "shuffle": False},
        "safe": {"spreadsheet_safe": True},
        "parquet": {"format": "parquet"},
    }
    for name, output in outputs.items():
        for algorithm in ("optimal", "k-member"):
            keys = policy(output=output, method={"algorithm": algorithm})
            yield Case(
                f"output-{name}-{algorithm}", "anonymize", ("formulas", 80, 3), keys,
                options={"write": True},
            )  # fmt: skip
    for source in ("lazy", "pandas", "pyarrow", "duckdb", "csv", "tsv", "parquet"):
        for algorithm in ("optimal", "mondrian"):
            keys = policy(K3, BOUND, method={"algorithm": algorithm})
            yield Case(f"source-{source}-{algorithm}", "anonymize", PATIENTS, keys, source=source)
        noisy = {"cost": {"role": "insensitive", "transform": {"noise": 5}}}
        yield Case(
            f"source-{source}-noise", "anonymize", PATIENTS, policy(attributes=noisy), source=source
        )
        yield Case(f"source-{source}-people", "anonymize", VISITS, people_policy(K3), source=source)
    for form in ("fhir", "omop"):
        for algorithm in ("optimal", "mondrian"):
            keys = {
                "source": {"format": form},
                "promises": [K3],
                "method": {"algorithm": algorithm, "suppression_limit": 0.3, "seed": 4},
            }
            yield Case(f"source-{form}-{algorithm}", "anonymize", (f"{form}_folder", 40, 2), keys)


# People with many records


LINKED: dict[str, list[Keys]] = {
    "theta-star": [K3, promised("theta-sensitive")],
    "k-l-diversity": [{"model": "kl-diversity", "k": 3, "l": 2, "sensitive": "diagnosis"}],
    "p-l-angelization": [
        K3,
        promised("p-plus-sensitive"),
        promised("distinct-l-diversity", l=2),
    ],
    "anatomy": [promised("max-posterior")],
    "m-invariant": [K3, promised("m-invariance")],
}


def people_cases() -> Iterator[Case]:
    for model in MODELS:
        if model in ("differential-privacy", "estimated-k-map", "knm-anonymity"):
            continue
        further, files = beside(model)
        for number, algorithm in enumerate(("optimal", "mondrian", "k-member")):
            keys = people_policy(
                promised(model), seed=number,
                method={"algorithm": algorithm, "suppression_limit": 0.3},
                **further,
            )  # fmt: skip
            if number and model not in ("k-anonymity", "max-posterior", "entropy-l-diversity"):
                continue
            table = ("visits", 60, 3) if not files else ("visits", 40, 3)
            made = {"population.csv": "age,sex,zip\n" + "".join(
                f"{age},{sex},{place}\n"
                for age in range(20, 60) for sex in "fm" for place in (1010, 1020, 1030, 1110)
            )} if files else {}  # fmt: skip
            yield Case(f"people-{model}-{algorithm}", "anonymize", table, keys, files=made)
    for rule in ("error", "first", "last", "most-frequent"):
        source = {"person": "patient", "conflicts": rule}
        yield Case(
            f"people-conflicts-{rule}", "anonymize", ("conflicting_visits", 60, 3),
            people_policy(source=source),
        )  # fmt: skip
    joined = {"person": "patient", "people": {"file": "people.csv", "key": "id"}}
    without = people_policy(source=joined)
    yield Case(
        "people-second-table", "anonymize", VISITS, without,
        files={"people.csv": ("people_file", 60, 3)},
    )  # fmt: skip
    items = {"diagnosis": {"role": "sensitive", "hierarchy": {"tree": TREE}}}
    for k, m, limit in ((4, 2, 0.0), (8, 2, 0.0), (8, 2, 0.3), (4, 3, 0.1), (12, 1, 0.0)):
        km = {"model": "km-anonymity", "k": k, "m": m, "sensitive": "diagnosis"}
        keys = people_policy(K3, km, attributes=items, method={"suppression_limit": limit})
        yield Case(f"people-km-{k}-{m}-{limit}", "anonymize", VISITS, keys)
    for name, asked in {"k": {"k": 3, "m": 2}, "bound": {"bound": 0.6}}.items():
        known = {"model": "known-records", "sensitive": "diagnosis", **asked}
        keys = people_policy(K3, known, attributes=items)
        yield Case(f"people-known-records-{name}", "anonymize", VISITS, keys)
    yield Case("people-known-number", "anonymize", VISITS,
               people_policy(K3, {"model": "known-number", "k": 2},
                             method={"suppression_limit": 0.5}))  # fmt: skip
    visit = {"role": "quasi-identifier", "level": "event"}
    for limit in (0.0, 0.1):
        keys = people_policy(
            K3, attributes={"ward": visit}, method={"suppression_limit": limit}
        )  # fmt: skip
        yield Case(f"people-known-visit-{limit}", "anonymize", VISITS, keys)
    keys = people_policy(K3, {"model": "known-visit", "k": 2}, attributes={"ward": visit})
    yield Case("people-known-visit-2", "anonymize", VISITS, keys)
    for algorithm, promises in LINKED.items():
        for seed in (1, 2):
            keys = people_policy(*promises, method={"algorithm": algorithm}, seed=seed)
            yield Case(
                f"linked-{algorithm}-{seed}", "anonymize", ("visits", 90, seed), keys,
                options={"write": seed == 1},
            )  # fmt: skip
    for name, algorithm, method in (
        ("paper", "theta-star", {"variant": "paper"}),
        ("history", "theta-star", {"keep_history": "generalized"}),
        ("mondrian", "theta-star", {"partition": {"start": "mondrian"}}),
        (
            "tails",
            "theta-star",
            {"variant": "paper", "partition": {"unchecked_tails": True}, "max_noise": 0.5},
        ),
        ("paper", "k-l-diversity", {"variant": "paper"}),
        ("refused", "anatomy", {"variant": "paper"}),
    ):
        keys = people_policy(*LINKED[algorithm], method={"algorithm": algorithm, **method})
        yield Case(f"linked-{algorithm}-{name}", "anonymize", ("visits", 90, 1), keys)


# What is refused


def refused_cases() -> Iterator[Case]:
    quasi = {"role": "quasi-identifier"}
    wrong: dict[str, Keys] = {
        "no-attributes": {"promises": [K3]},
        "no-promise": policy() | {"promises": []},
        "unknown-key": policy(method={"sed": 3}),
        "unknown-section": policy() | {"methods": {}},
        "unknown-role": policy(attributes={"age": {"role": "quasi"}}),
        "unknown-model": policy({"model": "k-anonymous", "k": 3}),
        "unknown-algorithm": policy(method={"algorithm": "best"}),
        "unknown-measure": policy(method={"objective": "beauty"}),
        "unknown-setting": policy(
            method={"objective": {"measure": "discernibility", "aggregate": "max"}}
        ),
        "unknown-builder": policy(attributes={"age": quasi | {"hierarchy": {"interval": 5}}}),
        "unknown-category": policy(
            attributes={"diagnosis": {"role": "sensitive", "categories": {
                "table": GROUPS, "order": ["minor", "major"]}}}
        ),
        "bad-k": policy({"model": "k-anonymity", "k": 0}),
        "bad-t": policy(promised("t-closeness", t=2)),
        "bad-limit": policy(method={"suppression_limit": 1.5}),
        "bad-levels": policy(attributes={"age": AGE | {"min_level": 3, "max_level": 1}}),
        "bad-token": policy(attributes={"age": AGE | {"missing": {"tokens": [" "]}}}),
        "missing-k": policy({"model": "k-anonymity"}),
        "no-sensitive": policy(promised("t-closeness"), attributes={"diagnosis": IDENTIFIER}),
        "no-quasi": policy(attributes=dict.fromkeys(QUASI, IDENTIFIER)),
        "no-such-column": policy(attributes={"height": quasi}),
        "no-role-for-column": policy(attributes={"job": None}),
        "no-order": policy(promised("t-closeness", distance="ordered"),
                           attributes={"diagnosis": {"role": "sensitive"}}),
        "no-categories": policy(promised("p-plus-sensitive"),
                                attributes={"diagnosis": {"role": "sensitive"}}),
        "no-ranks": policy(promised("knm-anonymity"),
                           attributes={"diagnosis": {"role": "sensitive"}}),
        "no-population": policy(promised("k-map")),
        "no-theta": policy(method={"algorithm": "theta"}),
        "no-weight": policy(attributes={name: {**keys, "weight": 0.0} for name, keys in
                                        (("age", AGE), ("sex", SEX), ("zip", ZIP))}),
        "two-transforms": policy(
            attributes={"cost": INSENSITIVE | {"transform": {"noise": 1, "round": 5}}}
        ),
        "unfit-transform": policy(attributes={"age": AGE | {"transform": "mask"}}),
        "no-key": policy(attributes={"name": IDENTIFIER | {"transform": "pseudonymize"}}),
        "uncovered": policy(attributes={"age": quasi | {"hierarchy": {"order": [18, 19]}}}),
        "not-numbers": policy(attributes={"job": quasi | {"hierarchy": {"intervals": 5}}}),
        "not-dates": policy(attributes={"job": quasi | {"hierarchy": {"date": {}}}}),
        "no-file": policy(attributes={"job": quasi | {"hierarchy": "file.csv"}}),
        "cells-of-optimal": policy(method={"cells": "set"}),
        "objective-of-mondrian": policy(method={"algorithm": "mondrian", "objective": "height"}),
        "suppression-of-iab": policy(method={"algorithm": "iab"}),
        "scope-of-optimal": policy(method={"scope": "subtree"}),
        "unsafe-joint": policy(method={"accept_unsafe": True}),
        "person-without-column": policy({**K3, "unit": "person"}),
        "link-to-itself": policy() | {"links": [{"from": "age", "to": "age"}]},
        "infeasible": policy(promised("distinct-l-diversity", l=20)),
        "infeasible-k": policy({"model": "k-anonymity", "k": 500}),
        "infeasible-levels": policy(
            {"model": "k-anonymity", "k": 50},
            attributes={"age": AGE | {"max_level": 0}, "zip": ZIP | {"max_level": 0}},
        ),
        "infeasible-mondrian": policy(
            promised("max-posterior", bound=0.05), method={"algorithm": "mondrian"}
        ),
        "infeasible-member": policy(
            promised("max-posterior", bound=0.05), method={"algorithm": "k-member"}
        ),
        "infeasible-theta": policy(
            promised("theta-sensitive", k=40),
            method={"algorithm": "theta", "suppression_limit": 0.0, "max_noise": 0},
        ),
    }  # fmt: skip
    for name, keys in wrong.items():
        yield Case(f"refused-{name}", "anonymize", PATIENTS, keys)
    people = {
        "records": people_policy({**K3, "unit": "record"}),
        "theta": people_policy(method={"algorithm": "theta"}),
        "iab": people_policy(method={"algorithm": "iab"}),
        "decoys": people_policy(method={"decoys": {"to": 3}}),
        "theta-star": people_policy(method={"algorithm": "theta-star"}),
        "anatomy": people_policy(
            promised("max-posterior", bound=0.05), method={"algorithm": "anatomy"}
        ),
        "kl": people_policy(
            {"model": "kl-diversity", "k": 3, "l": 40, "sensitive": "diagnosis"},
            method={"algorithm": "k-l-diversity"},
        ),
        "no-such-person": people_policy(source={"person": "pateint"}),
        "no-people-file": people_policy(source={"person": "patient", "people": "nobody.csv"}),
    }
    for name, keys in people.items():
        yield Case(f"refused-people-{name}", "anonymize", VISITS, keys)


# The other verbs


def audit_cases() -> Iterator[Case]:
    plain = policy(K3, BOUND)
    for how in ("release", "frame", "folder"):
        yield Case(f"audit-{how}", "audit", PATIENTS, plain, options={"release": how})
    yield Case(
        "audit-certificate", "audit", PATIENTS, plain,
        options={"release": "folder", "by": {}},
    )  # fmt: skip
    stricter = {"promises": [{"model": "k-anonymity", "k": 30}], "quasi": list(QUASI)}
    for how in ("frame", "file"):
        options = {"release": how, "by": stricter}
        yield Case(f"audit-broken-{how}", "audit", PATIENTS, plain, options=options)
    for model in MODELS:
        if model in OF_POPULATION:
            continue
        differs = model == "differential-privacy"
        by = differential(promised(model)) if differs else policy(promised(model))
        yield Case(
            f"audit-{model}", "audit", PATIENTS, policy(K3, method={"algorithm": "mondrian"}),
            options={"release": "release", "policy": by},
        )  # fmt: skip
    yield Case("audit-spoilt", "audit", PATIENTS, plain, options={"release": "frame", "spoil": 7})
    yield Case("audit-people", "audit", VISITS, people_policy(K3, BOUND),
               options={"release": "frame"})  # fmt: skip
    for algorithm, promises in LINKED.items():
        keys = people_policy(*promises, method={"algorithm": algorithm})
        yield Case(f"audit-{algorithm}", "audit", ("visits", 90, 1), keys,
                   options={"release": "frame"})  # fmt: skip


def look_cases() -> Iterator[Case]:
    plain = policy(K3, BOUND)
    small = ("patients", 60, 8)
    assessed: dict[str, tuple[Keys, Keys]] = {
        "bare": ({}, {}),
        "policy": (plain, {}),
        "combinations": ({}, {"combinations": 2, "top": 4}),
        "attributes": ({}, {"attributes": ["age", "sex", "zip"], "exposed": 3}),
        "thresholds": (plain, {"threshold": 0.2, "key_like": 0.5}),
        "weights": ({}, {"weights": "age", "attributes": ["sex", "zip"]}),
        "release": (plain, {"release": True}),
        "release-mondrian": (policy(method={"algorithm": "mondrian"}), {"release": True}),
    }
    for name, (keys, options) in assessed.items():
        yield Case(f"assess-{name}", "assess", small, keys, options=options)
    yield Case("assess-people", "assess", VISITS, people_policy())
    yield Case("assess-people-release", "assess", VISITS, people_policy(),
               options={"release": True})  # fmt: skip
    risks: dict[str, tuple[Keys, Keys]] = {
        "bare": ({}, {}),
        "quasi": ({}, {"quasi": ["age", "sex"], "threshold": 0.1}),
        "policy": (plain, {}),
        "population-size": (plain, {"population": 4000}),
        "population-share": (plain, {"population": 0.05}),
        "curve": (plain, {"k_range": [2, 6]}),
        "curve-as-it-is": (plain, {"k_range": [2, 6], "releases": False}),
        "curve-mondrian": (policy(method={"algorithm": "mondrian"}), {"k_range": [2, 5]}),
        "standard": (plain, {"standard": ["hipaa-safe-harbor", "0.09"]}),
        "released": (plain, {"release": "instead"}),
    }
    for name, (keys, options) in risks.items():
        yield Case(f"risk-{name}", "risk", PATIENTS, keys, options=options)
    yield Case(
        "risk-population-file", "risk", PATIENTS, plain,
        files={"population.csv": ("population", 120, 3)},
        options={"population": "population.csv", "paths": ["population"]},
    )  # fmt: skip
    yield Case("risk-people", "risk", VISITS, people_policy(), options={"k_range": [2, 5]})
    for algorithm in ("optimal", "theta-star", "anatomy"):
        keys = people_policy(*LINKED.get(algorithm, [K3]), method={"algorithm": algorithm})
        yield Case(f"risk-people-{algorithm}", "risk", ("visits", 90, 1), keys,
                   options={"release": "instead"})  # fmt: skip
    linked = plain | {
        "links": [
            {"from": "name", "to": ["zip", "age"], "source": "a register"},
            {"from": "zip", "to": "job"},
        ]
    }
    found: dict[str, tuple[Keys, Keys]] = {
        "bare": ({}, {"identifiers": ["name"], "accept": True, "rows": True}),
        "links": (linked, {"identifiers": ["name"]}),
        "rows": (linked, {"identifiers": ["name"], "rows": True}),
        "threshold": (linked, {"identifiers": ["name"], "threshold": 0.05}),
        "published": (linked, {"identifiers": ["name"], "rows": True,
                               "published": {"club": ["name", "sex", "job"]}}),
        "costs": (linked, {"identifiers": ["name"], "rows": True, "costs": {"zip": 5.0}}),
        "accept": (linked, {"identifiers": ["name"], "accept": True}),
        "derived": (
            linked | {"attributes": attributes(age=AGE | {"derived_from": "admitted"})},
            {"identifiers": ["name"], "sensitive": ["diagnosis"], "rows": True},
        ),
        "no-identifier": (policy(attributes={"name": INSENSITIVE, "admitted": INSENSITIVE,
                                             "code": INSENSITIVE, "smoker": INSENSITIVE,
                                             "outcome": INSENSITIVE}), {}),
    }  # fmt: skip
    for name, (keys, options) in found.items():
        yield Case(f"quasi-{name}", "quasi", small, keys, options=options)


def attack_cases() -> Iterator[Case]:
    table = ("patients", 100, 9)
    releases: dict[str, Keys] = {
        "optimal": policy(K3),
        "bounded": policy(K3, BOUND),
        "kept": policy(K3, output={"suppressed": "keep", "shuffle": False}),
        "mondrian": policy(K3, method={"algorithm": "mondrian"}),
        "member-sets": policy(K3, BOUND, method={"algorithm": "k-member", "cells": "set"}),
        "decoys": policy(K3, method={"decoys": {"to": 5, "limit": 0.4}}),
        "theta": policy(
            promised("theta-sensitive"), method={"algorithm": "theta", "suppression_limit": 0.0}
        ),
        "theta-paper": policy(
            promised("theta-sensitive", k=4, mu=0.9),
            method={"algorithm": "theta", "suppression_limit": 0.0, "variant": "paper"},
        ),
        "local": policy(K3, method={"local_recoding": True, "suppression_limit": 0.4}),
        "split": policy(
            promised("knm-anonymity", diversity=False),
            method={"algorithm": "knm", "mode": "split", "accept_unsafe": True,
                    "suppression_limit": 0.2},
        ),
        "two-sensitive": policy(K3, attributes={"job": {"role": "sensitive"}}),
        "pram": policy(K3, attributes={"job": {"role": "sensitive", "transform": {"pram": 0.7}}}),
        "noise": policy(
            K3,
            attributes={
                "cost": {"role": "insensitive", "transform": {"noise": 10}},
                "admitted": {"role": "insensitive", "transform": {"shift": {"days": 20}}},
            },
        ),
    }  # fmt: skip
    for name, keys in releases.items():
        yield Case(f"attack-{name}", "attack", table, keys)
    yield Case("attack-frame", "attack", table, policy(K3), options={"release": "frame"})
    yield Case("attack-folder", "attack", table, policy(K3), options={"release": "folder"})
    yield Case(
        "attack-second", "attack", table, policy(K3),
        options={"second": {"method": {"algorithm": "mondrian", "seed": 11}}},
    )  # fmt: skip
    yield Case(
        "attack-population", "attack", table, policy(K3),
        files={"population.csv": ("population", 100, 9)},
        options={"population": "population.csv"},
    )  # fmt: skip
    yield Case(
        "attack-harmful", "attack", table, policy(K3),
        options={"harmful": {"diagnosis": ["flu"]}},
    )  # fmt: skip
    yield Case(
        "attack-only", "attack", table, policy(K3), options={"only": ["homogeneity", "order"]}
    )
    yield Case("attack-unknown", "attack", table, policy(K3), options={"only": ["nobody"]})
    for name, keys in {
        "optimal": people_policy(K3),
        "mondrian": people_policy(K3, method={"algorithm": "mondrian"}),
        "bounded": people_policy(K3, BOUND),
        **{
            algorithm: people_policy(*promises, method={"algorithm": algorithm})
            for algorithm, promises in LINKED.items()
        },
    }.items():
        yield Case(f"attack-people-{name}", "attack", ("visits", 90, 1), keys)
    yield Case(
        "attack-people-second", "attack", ("visits", 60, 1), people_policy(K3),
        options={"second": {"method": {"algorithm": "mondrian", "seed": 11}}},
    )  # fmt: skip


def compare_cases() -> Iterator[Case]:
    releases: Keys = {
        "optimal": {},
        "mondrian": {"method": {"algorithm": "mondrian", "seed": 1}},
        "k-member": {"method": {"algorithm": "k-member", "cells": "set", "seed": 1}},
    }
    compared: dict[str, Keys] = {
        "plain": {"queries": 100},
        "uniform": {"queries": 50, "mode": "uniform", "dimensions": 1, "selectivity": 0.2},
        "k": {"queries": 20, "k": 5, "weights": {"age": 2.0}},
        "attacked": {"queries": 20, "attacks": True},
        "contingency": {"queries": 20, "contingency": ("job", "diagnosis")},
    }
    for name, options in compared.items():
        yield Case(
            f"compare-{name}", "compare", PATIENTS, policy(K3, BOUND),
            options={"releases": releases, **options},
        )  # fmt: skip
    people = {key: value for key, value in releases.items() if key != "k-member"}
    for name, further in {"people": {}, "people-attacked": {"attacks": True}}.items():
        yield Case(
            f"compare-{name}", "compare", VISITS, people_policy(K3),
            options={"releases": people, "queries": 50, **further},
        )  # fmt: skip
    for algorithm, promises in LINKED.items():
        keys = people_policy(*promises, method={"algorithm": algorithm})
        yield Case(
            f"compare-{algorithm}", "compare", ("visits", 90, 1), keys,
            options={"releases": {"one": {}}, "queries": 50},
        )  # fmt: skip


def command_cases() -> Iterator[Case]:
    made = ["anonymize", "table.csv", "--policy", "p.toml", "--out", "out"]
    quasi = ["--quasi", "age,sex,zip"]
    plain: dict[str, list[list[str]]] = {
        "anonymize": [made],
        "anonymize-json": [[*made, "--json"]],
        "anonymize-options": [
            ["anonymize", "table.csv", *quasi, "--k", "4", "--sensitive", "diagnosis",
             "--algorithm", "mondrian", "--rest", "drop", "--out", "out"],
        ],
        "audit": [made, ["audit", "out"]],
        "audit-json": [made, ["audit", "out", "--json"]],
        "audit-broken": [made, ["audit", "out/release.csv", *quasi, "--k", "40"]],
        "audit-broken-json": [made, ["audit", "out/release.csv", *quasi, "--k", "40", "--json"]],
        "assess": [["assess", "table.csv"]],
        "assess-json": [["assess", "table.csv", "--combinations", "2", "--top", "3", "--json"]],
        "assess-release": [made, ["assess", "table.csv", "--policy", "p.toml", "--release", "out"]],
        "assess-write": [["assess", "table.csv", "--write", "draft.toml"]],
        "risk": [["risk", "table.csv", *quasi, "--exposed", "3"]],
        "risk-json": [["risk", "table.csv", *quasi, "--population", "5000", "--json"]],
        "risk-curve": [["risk", "table.csv", "--policy", "p.toml", "--curve", "2-5"]],
        "risk-standard": [["risk", "table.csv", *quasi, "--standard", "hipaa-safe-harbor"]],
        "quasi": [["quasi", "table.csv", "--policy", "p.toml", "--identifiers", "name", "--rows"]],
        "quasi-json": [["quasi", "table.csv", "--policy", "p.toml", "--identifiers", "name",
                        "--rows", "--json"]],
        "quasi-mermaid": [["quasi", "table.csv", "--policy", "p.toml", "--identifiers", "name",
                           "--rows", "--mermaid"]],
        "attack": [made, ["attack", "table.csv", "out", "--policy", "p.toml"]],
        "attack-json": [made, ["attack", "table.csv", "out", "--policy", "p.toml", "--json"]],
        "compare": [made, ["compare", "table.csv", "out", "--policy", "p.toml", "--queries", "50"]],
        "compare-json": [made, ["compare", "table.csv", "out", "--policy", "p.toml", "--queries",
                                "50", "--json"]],
        "init": [["init", "table.csv", "--policy", "draft.toml"]],
        "init-json": [["init", "table.csv", "--policy", "draft.toml", "--json"]],
        "hierarchy": [["hierarchy", "table.csv", "age", "--intervals", "10"]],
        "hierarchy-json": [["hierarchy", "table.csv", "zip", "--mask", "right", "--json"]],
        "hierarchy-codes": [["hierarchy", "table.csv", "code", "--code-system", "icd-10",
                             "--json"]],
        "error-file": [["anonymize", "none.csv", "--policy", "p.toml", "--out", "out"]],
        "error-column": [["risk", "table.csv", "--quasi", "height"]],
        "error-unsatisfiable": [["anonymize", "table.csv", *quasi, "--k", "500", "--rest",
                                 "drop", "--out", "out"]],
    }  # fmt: skip
    files = {"assess-write": ["draft.toml"], "init": ["draft.toml"]}
    for name, commands in plain.items():
        yield Case(
            f"cli-{name}", "cli", PATIENTS, policy(K3, BOUND), source="csv",
            options={"commands": commands, "files": files.get(name, ())},
        )  # fmt: skip
    for algorithm in ("optimal", "theta-star"):
        keys = people_policy(*LINKED.get(algorithm, [K3]), method={"algorithm": algorithm})
        for name, commands in {
            "anonymize": [made],
            "attack": [made, ["attack", "table.csv", "out", "--policy", "p.toml"]],
            "compare": [made, ["compare", "table.csv", "out", "--policy", "p.toml"]],
            "audit": [made, ["audit", "out"]],
        }.items():
            yield Case(f"cli-people-{algorithm}-{name}", "cli", VISITS, keys, source="csv",
                       options={"commands": commands})  # fmt: skip


def all_cases() -> Iterator[Case]:
    for part in (
        promise_cases, method_cases, objective_cases, attribute_cases, output_cases, people_cases,
        refused_cases, audit_cases, look_cases, attack_cases, compare_cases, command_cases,
    ):  # fmt: skip
        yield from part()


CASES: Mapping[str, Case] = {case.id: case for case in all_cases()}
