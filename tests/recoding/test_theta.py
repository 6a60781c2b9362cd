"""From a table and promises to a plan: what is promised holds for what is published."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.intervals import intervals_taxonomy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.pipeline.anonymization import anonymize
from indistinct.privacy.promise import Promise, promise
from indistinct.recoding.exchange import ThetaInfeasible, ThetaSettings, theta_sensitive
from indistinct.recoding.plan import CellPlan
from indistinct.release.audit import audit
from indistinct.requirement import Requirement

PLACES = Taxonomy(
    "place",
    [[town, country, "*"] for town, country in ("aA", "bA", "cA", "dB", "eB", "fC")],
)


def table(
    seed: int, records: int = 400, values: int = 6, *, second: int = 0
) -> tuple[LeveledTable, pl.DataFrame]:
    rng = random.Random(seed)
    odds = [1 / (1 + at) for at in range(values)]
    columns = {
        "age": [str(rng.randint(20, 60)) for _ in range(records)],
        "place": rng.choices("abcdef", [5, 3, 3, 2, 2, 1], k=records),
        "illness": [f"v{at}" for at in rng.choices(range(values), odds, k=records)],
    }
    if second:
        columns["job"] = [f"j{at}" for at in rng.choices(range(second), k=records)]
    texts = pl.DataFrame(columns)
    taxonomies = {
        "age": intervals_taxonomy("age", sorted(set(columns["age"])), width=10),
        "place": PLACES,
    }
    sensitive = ["illness", "job"] if second else ["illness"]
    return Microdata.encode(texts, taxonomies, sensitive, by_record=True).data, texts


def paper_chunks(max_noise: float | None = None) -> ThetaSettings:
    return ThetaSettings(variant="paper", partition="chunks", max_noise=max_noise)


def release(data: LeveledTable, texts: pl.DataFrame, plan: CellPlan) -> pl.DataFrame:
    """The published rows, noise among them."""
    columns: dict[str, list[str | None]] = {}
    groups = plan.class_of.tolist() + [noise.group for noise in plan.noise]
    for j, name in enumerate(data.attributes):
        cells = [plan.texts[j][at] for at in plan.cell_of[j].tolist()]
        columns[name] = [cells[group] for group in groups]
    for name in data.table.sensitive:
        columns[name] = texts[name].to_list() + [noise.values[name] for noise in plan.noise]
    return pl.DataFrame(columns)


def holds(data: LeveledTable, texts: pl.DataFrame, plan: CellPlan, promises: list[Promise]) -> bool:
    asked = [
        Requirement(part.model, part.parameters, part.on, part.sensitive, part.unit, part.reference)
        for part in promises
    ]
    return audit(release(data, texts, plan), asked, data.attributes).holds


def theta(**more: Any) -> Promise:
    return promise("theta-sensitive", **({"k": 4, "sensitive": "illness"} | more))


POSTERIOR = promise("max-posterior", bound=0.5, sensitive="illness")


@pytest.mark.parametrize("partition", ["mondrian", "k-member", "chunks"])
@pytest.mark.parametrize("variant", ["safe", "paper"])
def test_release_keeps_theta(partition: Any, variant: Any) -> None:
    data, texts = table(1)
    promises = [theta()] + ([POSTERIOR] if variant == "safe" else [])
    plan = theta_sensitive(data, promises, ThetaSettings(variant=variant, partition=partition))
    assert holds(data, texts, plan, promises)
    assert plan.scope == "exchange"
    assert not plan.suppressed.any()
    assert np.bincount(plan.class_of).min() >= 4
    for noise in plan.noise:
        held = texts["illness"].filter(pl.Series(plan.class_of == noise.group))
        assert variant == "safe" or noise.values["illness"] not in held.to_list()


def test_the_log_tells_every_move_and_why() -> None:
    data, texts = table(1)
    plan = theta_sensitive(data, [theta()], paper_chunks())
    log = plan.log
    assert log["noise"] == len(plan.noise) == sum(log["reasons"].values())
    moves = log["moves"]
    assert len(moves) == log["swaps"] + log["noise"]
    swap = next(move for move in moves if move["kind"] == "swap")
    given, taken = swap["records"]
    assert texts["illness"][given - 1] == swap["given"]
    assert texts["illness"][taken - 1] == swap["taken"]
    assert swap["variance"][1] > swap["variance"][0]
    assert all(move["why"] for move in moves if move["kind"] == "noise")
    assert plan.search.to_dict()["swaps"] == log["swaps"]
    assert plan.search.value == log["noise"] >= plan.search.bound


def test_chunks_are_in_the_order_of_the_quasi_identifiers() -> None:
    data, texts = table(3, 42)
    plan = theta_sensitive(data, [theta(k=2, mu=0.01)], ThetaSettings(partition="chunks"))
    sizes = np.bincount(plan.class_of, minlength=plan.groups)
    assert sizes.sum() == 42
    assert set(sizes.tolist()) <= {2, 4, 6, 8}
    assert texts.height == 42


def test_a_bound_on_the_posterior_is_kept_where_theta_alone_leaves_more() -> None:
    rng = random.Random(2)
    records = 600
    texts = pl.DataFrame(
        {
            "age": [str(20 + at // 100) for at in range(records)],
            "place": ["a"] * records,
            "illness": [
                f"v{rng.randint(1, 9)}" if rng.random() < (0.2 if at < 100 else 0.9) else "v0"
                for at in range(records)
            ],
        }
    )
    taxonomies = {
        "age": Taxonomy("age", [[str(v), "*"] for v in range(20, 26)]),
        "place": PLACES,
    }
    data = Microdata.encode(texts, taxonomies, ["illness"], by_record=True).data
    alone = theta_sensitive(data, [theta()])
    assert not holds(data, texts, alone, [theta(), POSTERIOR])
    both = theta_sensitive(data, [theta(), POSTERIOR])
    assert holds(data, texts, both, [theta(), POSTERIOR])


def test_several_sensitive_attributes() -> None:
    data, texts = table(5, second=5)
    promises = [theta(), theta(k=3, sensitive="job"), POSTERIOR]
    plan = theta_sensitive(data, promises, ThetaSettings(partition="chunks"))
    assert holds(data, texts, plan, promises)
    assert all(set(noise.values) == {"illness", "job"} for noise in plan.noise)


def test_noise_fills_attributes_without_a_promise() -> None:
    data, texts = table(5, second=5)
    plan = theta_sensitive(data, [theta(k=5)], paper_chunks())
    assert plan.noise
    assert all(noise.values["job"] is not None for noise in plan.noise)
    assert holds(data, texts, plan, [theta(k=5)])


@pytest.mark.parametrize(
    "further",
    [
        promise("t-closeness", t=0.45, sensitive="illness", reference="original"),
        promise("distinct-l-diversity", l=4, sensitive="illness"),
        promise("entropy-l-diversity", l=3, sensitive="illness"),
        promise("k-anonymity", k=6),
    ],
    ids=lambda part: part.model,
)
@pytest.mark.parametrize("partition", ["mondrian", "chunks"])
def test_further_promises_hold_beside_it(further: Promise, partition: Any) -> None:
    data, texts = table(7, 300)
    promises = [theta(), POSTERIOR, further]
    plan = theta_sensitive(data, promises, ThetaSettings(partition=partition))
    asked = [part for part in promises if part.reference == "published"]
    assert holds(data, texts, plan, asked)
    if further.reference == "original":
        # The audit of a release alone does not know the original distribution.
        cells = data.table.sensitive["illness"]
        whole = cells.totals / cells.totals.sum()
        found: dict[int, list[str]] = defaultdict(list)
        rows = release(data, texts, plan)
        keys = rows.select(pl.struct(data.attributes).rank("dense")).to_series().to_list()
        for key, value in zip(keys, rows["illness"].to_list(), strict=True):
            found[key].append(value)
        for values in found.values():
            own = np.array([values.count(str(v)) / len(values) for v in cells.domain])
            assert np.abs(own - whole).sum() / 2 <= 0.45 + 1e-9


def test_promise_about_some_quasi_identifiers() -> None:
    data, texts = table(9, 500)
    promises = [theta(), theta(k=5, mu=0.7, on=("place",))]
    plan = theta_sensitive(data, promises, ThetaSettings(partition="chunks"))
    assert holds(data, texts, plan, promises)


def test_theta_by_size_on_classes_of_one_size() -> None:
    rng = random.Random(4)
    texts = pl.DataFrame(
        {
            "age": [str(at) for at in range(240)],
            "place": rng.choices("abcdef", k=240),
            "illness": [f"v{at}" for at in rng.choices(range(9), range(9, 0, -1), k=240)],
        }
    )
    taxonomies = {"age": Taxonomy("age", [[v, "*"] for v in texts["age"]]), "place": PLACES}
    data = Microdata.encode(texts, taxonomies, ["illness"], by_record=True).data
    promises = [theta(theta="size", k=4, mu=0.5)]
    plan = theta_sensitive(data, promises, ThetaSettings(partition="chunks"))
    assert holds(data, texts, plan, promises)


def test_classes_that_are_published_alike_are_too_large_for_theta_by_size() -> None:
    texts = pl.DataFrame(
        {
            "age": ["20", "30"] * 4,
            "place": ["a"] * 8,
            "illness": ["v0", "v0", "v1", "v1", "v2", "v2", "v3", "v3"],
        }
    )
    taxonomies = {"age": Taxonomy("age", [["20", "*"], ["30", "*"]]), "place": PLACES}
    data = Microdata.encode(texts, taxonomies, ["illness"], by_record=True).data
    # By age each class has all four values; of equal ages there is one class alone.
    promises = [theta(theta="size")]
    assert holds(data, texts, theta_sensitive(data, promises), promises)
    alike = texts.sort("age", maintain_order=True).with_columns(age=pl.lit("20"))
    same = Microdata.encode(alike, taxonomies, ["illness"], by_record=True).data
    with pytest.raises(Unsatisfiable, match="2 classes break a promise as they are published"):
        theta_sensitive(same, promises, ThetaSettings(partition="chunks"))


def test_looking_back_saves_noise() -> None:
    data, texts = table(1)
    noise = {}
    for donors in ("later", "all"):
        plan = theta_sensitive(
            data,
            [theta()],
            ThetaSettings(partition="chunks", donors=donors),  # type: ignore[arg-type]
        )
        assert holds(data, texts, plan, [theta()])
        noise[donors] = len(plan.noise)
    assert noise["all"] <= noise["later"]


@pytest.mark.parametrize("settings", [{}, {"mu": 0.55, "theta": "size"}])
def test_a_release_fails_by_the_error_of_theta_as_the_search_does(settings: dict[str, Any]) -> None:
    _, texts = table(1, values=5)
    asked = {"model": "theta-sensitive", "k": 7, "sensitive": "illness"} | settings
    with pytest.raises(ThetaInfeasible) as error:
        anonymize(
            texts.select("place", "illness"),
            {
                "attributes": {
                    "place": {"role": "quasi-identifier"},
                    "illness": {"role": "sensitive"},
                },
                "promises": [asked],
                "method": {"algorithm": "theta"},
            },
        )
    assert error.value.to_dict()["error"] == "ThetaInfeasible"


def test_too_few_values_are_told_before_any_work() -> None:
    data, _ = table(1, values=5)
    with pytest.raises(ThetaInfeasible) as error:
        theta_sensitive(data, [theta(k=7)])
    assert error.value.exit_code == 3
    assert "6 different values, but the table has 5" in str(error.value)
    assert "choose k of at most 6" in str(error.value)
    with pytest.raises(ThetaInfeasible, match="theta of its own size"):
        theta_sensitive(data, [theta(k=7, theta="size", mu=0.55)])


def test_classes_too_large_for_theta_by_size() -> None:
    data, _ = table(1, values=5)
    with pytest.raises(ThetaInfeasible, match="classes have more than 6 records"):
        theta_sensitive(data, [theta(theta="size")])


def test_more_noise_than_allowed() -> None:
    data, _ = table(1)
    needed = len(theta_sensitive(data, [theta()], paper_chunks()).noise)
    for most in (needed - 1, (needed - 0.5) / 400):
        with pytest.raises(ThetaInfeasible, match=f"{needed} records of noise are needed"):
            theta_sensitive(data, [theta()], paper_chunks(max_noise=most))
    theta_sensitive(data, [theta()], paper_chunks(max_noise=needed))


def test_classes_that_cannot_be_repaired() -> None:
    """All values are in every class, too evenly for theta(20): merging helps nothing either."""
    texts = pl.DataFrame(
        {
            "age": [str(20 + at // 28) for at in range(56)],
            "place": ["a"] * 56,
            "illness": [f"v{at % 14}" for at in range(56)],
        }
    )
    taxonomies = {"age": Taxonomy("age", [["20", "*"], ["21", "*"]]), "place": PLACES}
    data = Microdata.encode(texts, taxonomies, ["illness"], by_record=True).data
    with pytest.raises(ThetaInfeasible, match="merges such classes"):
        theta_sensitive(data, [theta(k=20)], ThetaSettings(variant="paper"))
    with pytest.raises(ThetaInfeasible, match="choose k = 18 or mu"):
        theta_sensitive(data, [theta(k=20)])
    assert theta_sensitive(data, [theta(k=18)]).groups


def test_settings_and_promises_that_do_not_fit() -> None:
    data, texts = table(1, 60)
    with pytest.raises(PolicyError, match="no promise requires it"):
        theta_sensitive(data, [promise("k-anonymity", k=2)])
    with pytest.raises(PolicyError, match="whose values are not counted"):
        theta_sensitive(data, [theta(sensitive="job")])
    with pytest.raises(PolicyError, match="which is not a quasi-identifier"):
        theta_sensitive(data, [theta()], ThetaSettings(weights={"agee": 2.0}))
    with pytest.raises(PolicyError, match="did you mean 'safe'"):
        ThetaSettings(variant="save")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="max_noise must be"):
        ThetaSettings(max_noise=1.5)
    by_combination = Microdata.encode(texts, data.taxonomies, ["illness"]).data
    with pytest.raises(PolicyError, match="encode the table by record"):
        theta_sensitive(by_combination, [theta()])
    with pytest.raises(Unsatisfiable, match="k-anonymity"):
        theta_sensitive(data, [theta(), promise("k-anonymity", k=61)])


def test_progress_rises_to_one() -> None:
    data, _ = table(1)
    told: list[float] = []
    theta_sensitive(data, [theta()], progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(1, 120),
    st.integers(1, 8),
    st.integers(1, 6),
    st.sampled_from(["safe", "paper"]),
    st.sampled_from(["mondrian", "chunks"]),
    st.booleans(),
)
def test_it_keeps_its_promise_or_says_that_it_cannot(
    seed: int, records: int, values: int, k: int, variant: Any, partition: Any, bound: bool
) -> None:
    data, texts = table(seed, records, values)
    promises = [theta(k=k)] + ([POSTERIOR] if bound else [])
    try:
        plan = theta_sensitive(data, promises, ThetaSettings(variant=variant, partition=partition))
    except Unsatisfiable:
        return
    assert holds(data, texts, plan, promises)
    assert (plan.class_of >= 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_theta_that_the_table_itself_does_not_reach_comes_with_ways_that_do(seed: int) -> None:
    data, _ = table(seed, records=120, values=8)
    bound = promise("max-posterior", bound=0.6, sensitive="illness")
    with pytest.raises(ThetaInfeasible) as failed:
        theta_sensitive(data, [promise("theta-sensitive", k=10, sensitive="illness"), bound])
    problem = failed.value.problems[0]
    assert "its own rank variance" in problem.message
    ways = re.fullmatch(
        r"choose k = (\d+) or mu = ([\d.]+), which the whole table reaches", str(problem.remedy)
    )
    assert ways is not None
    for own in ({"k": int(ways[1])}, {"k": 10, "mu": float(ways[2])}):
        asked = [promise("theta-sensitive", sensitive="illness", **own), bound]
        assert theta_sensitive(data, asked).groups >= 1
