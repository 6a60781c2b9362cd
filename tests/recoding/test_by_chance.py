"""Levels and records by chance: what one record more changes, held against definitions."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.cli import main
from indistinct.hierarchies.build import build_taxonomy
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.microdata.microdata import Microdata
from indistinct.privacy.differential_privacy import DifferentialPrivacy, least_size
from indistinct.randomness import Random, stream
from indistinct.recoding.full_domain import by_chance
from indistinct.recoding.full_domain.by_chance import Choice, _drawn
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.sources.engines import open_table

TREES = {
    "place": {"*": {"north": ["a", "b"], "south": ["c"]}},
    "sex": {"*": ["f", "m"]},
}
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("fm")), min_size=1, max_size=30)


def _choice(rows: list[tuple[str, str]], needed: float) -> tuple[Choice, Lattice]:
    table = pl.DataFrame(rows, list(TREES), orient="row")
    domain = {"place": "abc", "sex": "fm"}
    taxonomies = {
        name: build_taxonomy(name, {"tree": tree}, list(domain[name]), directory=".")
        for name, tree in TREES.items()
    }
    data = Microdata.encode(table, taxonomies, by_record=True).data
    lattice = Lattice.of(data)
    return Choice(data, lattice, np.array([1.0, 2.0]), needed, Grouper(data)), lattice


@given(ROWS, st.tuples(st.sampled_from("abc"), st.sampled_from("fm")), st.floats(1, 12))
def test_one_record_more_adds_two_at_most_to_the_score_of_a_node(
    rows: list[tuple[str, str]], more: tuple[str, str], needed: float
) -> None:
    (fewer, lattice), (greater, _) = _choice(rows, needed), _choice([*rows, more], needed)
    for levels in lattice.levels.astype(np.int64):
        gained = greater.score(levels) - fewer.score(levels)
        assert -1e-9 <= gained <= 2 + 1e-9


@given(ROWS, st.tuples(st.sampled_from("abc"), st.sampled_from("fm")), st.floats(1, 12))
def test_one_record_more_changes_the_probability_of_a_node_by_epsilon(
    rows: list[tuple[str, str]], more: tuple[str, str], needed: float
) -> None:
    """From the definition of the exponential mechanism, for an influence of 2 and no loss."""
    epsilon, likely = 0.7, []
    for table in (rows, [*rows, more]):
        choice, lattice = _choice(table, needed)
        scores = np.array([choice.score(node) for node in lattice.levels.astype(np.int64)])
        parts = np.exp(epsilon * (scores - scores.max()) / 2)
        likely.append(np.log(parts / parts.sum()))
    assert np.abs(likely[0] - likely[1]).max() <= epsilon + 1e-9


@given(ROWS, st.floats(1, 6), st.integers(0, 2**32), st.sampled_from([0.0, 0.1, 3.0, 30.0]))
def test_the_best_node_is_found_without_a_look_at_all(
    rows: list[tuple[str, str]], needed: float, seed: int, scale: float
) -> None:
    choice, lattice = _choice(rows, needed)
    noise = np.random.default_rng(seed).gumbel(scale=scale, size=lattice.size)
    scores = [choice.score(node) for node in lattice.levels.astype(np.int64)]
    assert choice.looked_at == lattice.size
    chosen = choice.best(noise)
    best = lattice.node(chosen)
    assert scores[best] + noise[best] == pytest.approx(max(scores + noise))


def _often(choice: Choice, lattice: Lattice, epsilon: float, runs: int) -> np.ndarray:
    """How many runs choose each node."""
    found = np.zeros(lattice.size)
    for run in range(runs):
        found[lattice.node(choice.drawn(epsilon, stream(run, "a choice")))] += 1
    return found


def test_nodes_are_as_likely_as_the_exponential_mechanism_asks() -> None:
    choice, lattice = _choice([("a", "f")] * 9 + [("c", "m")] * 5, 2.0)
    scores = np.array([choice.score(node) for node in lattice.levels.astype(np.int64)])
    runs, epsilon = 1500, 0.5
    parts = np.exp(epsilon * (scores - scores.max()) / 2)
    likely = parts / parts.sum()
    far = np.abs(_often(choice, lattice, epsilon, runs) / runs - likely)
    assert (far / np.sqrt(likely * (1 - likely) / runs)).max() < 4.5


def test_a_way_down_a_lattice_too_large_to_list_reaches_every_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choice, lattice = _choice([("a", "f")] * 9 + [("c", "m")] * 5, 2.0)
    monkeypatch.setattr(by_chance, "LISTED", lattice.size - 1)
    found = _often(choice, lattice, 0.5, 300)
    assert (found > 0).all()
    assert (_often(choice, lattice, 1e6, 5) > 0).sum() == 1


def test_the_choices_of_a_way_spend_epsilon_together(monkeypatch: pytest.MonkeyPatch) -> None:
    choice, lattice = _choice([("a", "f")] * 9 + [("c", "m")] * 5, 2.0)
    spent = []

    def drawn(scores: list[float], epsilon: float, random: Random) -> int:
        spent.append(epsilon)
        return _drawn(scores, epsilon, random)

    monkeypatch.setattr(by_chance, "LISTED", lattice.size - 1)
    monkeypatch.setattr(by_chance, "_drawn", drawn)
    choice.drawn(0.8, stream(1, "a choice"))
    assert len(spent) == lattice.height.max() + 1
    assert sum(spent) == pytest.approx(0.8)


def test_the_score_of_a_node_is_what_its_classes_keep() -> None:
    choice, _ = _choice([("a", "f")] * 5 + [("b", "f")] * 4 + [("c", "m")] * 3, 3.5)
    # north, f: 9 records, more than twice what they need; south, m: 3, too few. Precision is 2.5
    # of 3: half of the place, whose weight is 1, and the sex, whose weight is 2.
    assert choice.score(np.array([1, 0])) == pytest.approx(9 * 2.5 / 3)
    # a, f: 5, 1.5 beyond what they need; b, f: 4, 0.5 beyond. Precision 1.
    assert choice.score(np.array([0, 0])) == pytest.approx(2 * 1.5 + 2 * 0.5)
    assert choice.score(np.array([2, 1])) == 0


class Given:
    """Random numbers that are given."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = iter(numbers)

    def random(self, size: Any = None) -> float:
        del size
        return next(self.numbers)


@given(st.lists(st.floats(0, 40), min_size=1, max_size=6), st.sampled_from([0.05, 0.5, 2.0]))
def test_a_choice_has_the_probabilities_of_the_exponential_mechanism(
    scores: list[float], epsilon: float
) -> None:
    steps = 2000
    found = [0] * len(scores)
    for step in range(steps):
        found[_drawn(scores, epsilon, Given([(step + 0.5) / steps]))] += 1
    parts = [math.exp(epsilon * (score - max(scores)) / 2) for score in scores]
    for count, part in zip(found, parts, strict=True):
        assert abs(count / steps - part / sum(parts)) <= 1.5 / steps


@pytest.mark.parametrize(("epsilon", "delta"), [(0.3, 1e-3), (0.9, 1e-4), (1.5, 1e-5)])
def test_one_record_changes_the_counts_of_a_class_by_epsilon_and_delta(
    epsilon: float, delta: float
) -> None:
    """From the definition, in fractions: every count that can be published, for classes of n."""
    stays = Fraction(1 - math.exp(-epsilon)).limit_denominator(10**9)
    factor = Fraction(math.exp(epsilon)).limit_denominator(10**9)
    k = least_size(epsilon, delta)

    def likely(n: int, size: int) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for count in range(n + 1):
            part = math.comb(n, count) * stays**count * (1 - stays) ** (n - count)
            at = count if count >= size else 0
            found[at] = found.get(at, Fraction(0)) + part
        return found

    def told(size: int) -> float:
        worst = Fraction(0)
        for n in range(1, 3 * k + 10):
            one, other = likely(n, size), likely(n - 1, size)
            for a, b in ((one, other), (other, one)):
                beyond = (max(Fraction(0), a[at] - factor * b.get(at, 0)) for at in a)
                worst = max(worst, sum(beyond, Fraction(0)))
        return float(worst)

    assert told(k) <= delta
    assert told(k - 1) > delta


KEYS: dict[str, Any] = {
    "attributes": {
        "place": {"role": "quasi-identifier", "hierarchy": {"tree": TREES["place"]}},
        "sex": {"role": "quasi-identifier", "hierarchy": {"tree": TREES["sex"]}},
    },
    "promises": [{"model": "differential-privacy", "epsilon": 1.0, "delta": 1e-4}],
    "method": {"algorithm": "safepub"},
}
TABLE = pl.DataFrame({"place": ["a", "b", "c", "c"] * 500, "sex": ["f", "m"] * 1000})


def test_records_stay_as_often_as_epsilon_allows_and_none_is_published_in_a_small_class() -> None:
    asked = DifferentialPrivacy(epsilon=1.0, delta=1e-4)
    released = ind.anonymize(TABLE, KEYS)
    plan = released.run.to_dict()["plan"]
    deviation = math.sqrt(len(TABLE) * asked.chance * (1 - asked.chance))
    assert abs(plan["drawn"] - len(TABLE) * asked.chance) < 6 * deviation
    sizes = released.tables.group_by("place", "sex").len()["len"]
    assert sizes.min() >= asked.size
    assert len(released.tables) <= plan["drawn"]
    assert ind.audit(released.tables, KEYS).holds


def test_two_runs_draw_other_records() -> None:
    drawn = {ind.anonymize(TABLE, KEYS).run.to_dict()["plan"]["drawn"] for _ in range(4)}
    assert len(drawn) > 1


def test_the_certificate_says_what_records_cannot_show() -> None:
    released = ind.anonymize(TABLE, KEYS)
    assert any("how a release was made" in text for text in released.certificate.warnings)
    assert [item.get("in_part") for item in released.certificate.promises] == [True]
    sizes = _changed(promises=[{"model": "k-anonymity", "k": 5}], method={})
    assert "in_part" not in ind.anonymize(TABLE, sizes).certificate.promises[0]
    public = str(released.certificate.to_dict())
    assert "drawn" not in public
    assert str(len(TABLE)) not in public


def test_no_class_is_large_enough() -> None:
    with pytest.raises(ind.Unsatisfiable, match="levels that were drawn"):
        ind.anonymize(TABLE.head(40), KEYS)


def _changed(**changes: Any) -> dict[str, Any]:
    return {**KEYS, **changes}


def _attribute(**keys: Any) -> dict[str, Any]:
    return _changed(
        attributes={**KEYS["attributes"], "place": {"role": "quasi-identifier", **keys}}
    )


PROMISE = KEYS["promises"][0]
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another method": (_changed(method={"algorithm": "optimal"}), "'safepub' alone"),
    "no method": (_changed(method={}), "'safepub' alone"),
    "sensitive": (_attribute(role="sensitive"), "values as they are"),
    "insensitive": (_attribute(role="insensitive"), "values as they are"),
    "rest": (_changed(rest="keep"), "rest: publishes columns"),
    "transform": (_attribute(hierarchy={"intervals": {"width": 5, "levels": 2}},
                             transform={"round": 5}), "depend on other records"),
    "stars": (_changed(output={"suppressed": "keep"}), "how many records there were"),
    "order": (_changed(output={"shuffle": False}), "which records stayed"),
    "decoys": (_changed(method={"algorithm": "safepub", "decoys": {"multiplier": 1}}), "decoys"),
    "intervals": (_attribute(hierarchy={"intervals": 5}), "write levels = 3"),
    "mask": (_attribute(hierarchy={"mask": {"length": 5}}), "write levels = 4, keep = 1"),
    "bins": (_attribute(hierarchy={"equal_frequency": 4}), "bounds follow from the values"),
    "dates": (_attribute(hierarchy={"date": {}}), 'levels = \\["month", "year"\\]'),
    "a promise of values": (_changed(promises=[PROMISE, {
        "model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}]), "more than sizes"),
    "a promise of a part": (_changed(promises=[PROMISE, {
        "model": "k-anonymity", "k": 3, "on": ["sex"]}]), "some quasi-identifiers"),
    "twice": (_changed(promises=[PROMISE, {**PROMISE, "epsilon": 2.0}]), "promised 2 times"),
    "no epsilon for levels": (_changed(promises=[{**PROMISE, "search": 0.0}]), "search = 0 leaves"),
    "decimal commas": (_changed(source={"decimal": ","}), "whether all of its cells"),
    "people": (_changed(source={"person": "patient"}), "single records"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_break_it_is_refused(case: str) -> None:
    keys, told = REFUSED[case]
    with pytest.raises(ind.PolicyError, match=told):
        ind.Policy.from_dict(keys)


def test_a_policy_that_names_no_method_is_refused() -> None:
    without = {key: value for key, value in KEYS.items() if key != "method"}
    with pytest.raises(ind.PolicyError, match="'safepub' alone"):
        ind.Policy.from_dict(without)


def test_levels_that_are_stated_need_no_epsilon() -> None:
    stated = {
        name: {**item, "min_level": 1, "max_level": 1} for name, item in KEYS["attributes"].items()
    }
    with pytest.raises(ind.PolicyError, match="write search = 0"):
        ind.Policy.from_dict(_changed(attributes=stated))
    promises = [{**PROMISE, "search": 0.0}]
    released = ind.anonymize(TABLE, _changed(attributes=stated, promises=promises))
    assert set(released.tables["place"]) == {"north", "south"}
    assert set(released.tables["sex"]) == {"*"}


def test_k_anonymity_beside_it_asks_for_larger_classes() -> None:
    keys = _changed(promises=[PROMISE, {"model": "k-anonymity", "k": 200}])
    released = ind.anonymize(TABLE, keys)
    assert released.tables.group_by("place", "sex").len()["len"].min() >= 200
    assert ind.audit(released.tables, keys).holds


STATED: dict[str, tuple[Any, list[list[str | None]]]] = {
    "numbers": ({"intervals": {"width": 10, "levels": 2}}, [[None], ["5"], ["5", "7.25"]]),
    "ages": ({"intervals": {"width": 10, "levels": 2, "read": "ages"}}, [[None], ["3 months"]]),
    "codes": ({"mask": {"length": 5, "levels": 4, "keep": 1}}, [[None], ["1"], ["8", "1234567"]]),
    "dates": (
        {"date": {"levels": ["day", "month", "year"]}},
        [[None], ["2020"], ["2020-03"], ["2020-03-04"], ["2020-03-04T10:00:00"]],
    ),
    "days": (
        {"date": {"levels": ["month", "year"], "format": "days since 1970-01-01"}},
        [[None], ["5"]],
    ),
    "patterns": (
        {"date": {"levels": ["day", "year"], "format": "%d %b %Y %H:%M %z"}},
        [[None], ["04 Mar 2020 10:00 +0100"]],
    ),
    "diseases": (
        {"code_system": {"name": "icd-10", "levels": ["subcategory", "category", "chapter"]}},
        [[None], ["E11"], ["E11.9"], ["E11.9212"]],
    ),
    "older diseases": (
        {"code_system": {"name": "icd-9-cm", "levels": ["subcategory", "category", "block"]}},
        [[None], ["250"], ["250.01"]],
    ),
    "drugs": ({"code_system": {"name": "atc", "levels": ["anatomical"]}}, [[None], ["A10"]]),
    "places": ({"code_system": {"name": "us-zip", "levels": ["one-digit"]}}, [[None], ["2139"]]),
    "states": ({"code_system": {"name": "us-state", "levels": ["region"]}}, [[None], ["ME"]]),
    "countries": ({"code_system": {"name": "country", "levels": ["region"]}}, [[None], ["Mali"]]),
    "words": ("suppress", [[None], ["a"]]),
    "a tree": ({"tree": TREES["place"]}, [[None], ["a"]]),
}  # fmt: skip


@pytest.mark.parametrize("case", STATED)
@pytest.mark.parametrize("missing", ["value", "suppress"])
def test_levels_do_not_depend_on_a_single_value(case: str, missing: str) -> None:
    """Neither a more exact value nor the only one that is not missing adds a level."""
    spec, columns = STATED[case]
    keys = _attribute(hierarchy=spec, missing={"as": missing})
    policy = ind.Policy.from_dict(keys)
    found = []
    for column in columns:
        table = open_table(pl.DataFrame({"place": pl.Series(column, dtype=pl.String)}), "a table")
        found.append(taxonomy_of(policy, table, "place", column, None))
    assert len({made.height for made in found}) == 1
    assert found[0].height >= 1


@pytest.mark.parametrize("odd", ["007", "1e400", "abc"])
def test_one_value_does_not_change_how_others_are_written(odd: str, tmp_path: Path) -> None:
    keys = _attribute(hierarchy="suppress", min_level=0, max_level=0)
    file = tmp_path / "table.csv"
    for more in ([], [odd]):
        place = ["24.0", "25.0"] * 400 + more
        pl.DataFrame({"place": place, "sex": ["f"] * len(place)}).write_csv(file)
        assert set(ind.anonymize(file, keys).tables["place"]) == {"24", "25"}


def test_records_that_were_suppressed_before_are_a_class_like_any_other() -> None:
    """Otherwise one record of another kind would decide whether all of them are published."""
    keys = _attribute(hierarchy={"tree": TREES["place"]})
    for name in ("place", "sex"):
        keys["attributes"][name] = {**keys["attributes"][name], "uncovered": "suppress"}
    starred = pl.DataFrame({"place": ["*"] * 400, "sex": ["*"] * 400})
    one_more = pl.concat([starred, TABLE.head(1)])
    for table in (starred, one_more):
        assert len(ind.anonymize(table, keys).tables) >= 200


def test_no_other_method_is_tried_beside_it() -> None:
    with pytest.raises(ind.PolicyError, match="'safepub' alone"):
        ind.alternatives(TABLE, KEYS)


def test_what_records_cannot_show_is_not_said_to_be_proved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ind.anonymize(TABLE, KEYS).write(tmp_path / "out")
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "As far as files show it." in report
    monkeypatch.setattr("sys.argv", ["indistinct", "audit", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "'differential-privacy' as far as records show it" in capsys.readouterr().out
