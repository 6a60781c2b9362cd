"""The exchange: the paper's example, its properties on random tables, and both forms the same."""

from __future__ import annotations

import csv
import io
import json
import lzma
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recoding.plain_exchange import Exchanged, exchange
from tests.recoding.plain_exchange_steps import replay

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels import exchange as kernel
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import Microdata
from indistinct.privacy.rank_variance import (
    falls_short,
    least_noise,
    rank_variance,
    rank_variance_exact,
    theta,
)
from indistinct.recoding.exchange import (
    Proposal,
    Rules,
    Target,
    ThetaInfeasible,
    Widths,
    procedure,
)
from indistinct.recoding.exchange.procedure import Moves, exchange_classes

PEOPLE = [
    ("JULIAN", 34, 14247, "USA", "HIV"),
    ("KALEEM", 40, 14208, "Pakistan", "HIV"),
    ("JOHANNA", 26, 14205, "USA", "Cancer"),
    ("MICHAEL", 25, 14242, "Canada", "Cancer"),
    ("JUDITH", 40, 14054, "USA", "Hepatitis"),
    ("EVA", 48, 13073, "Japan", "Phthisis"),
    ("HARIS", 45, 14066, "Pakistan", "Asthma"),
    ("PAUL", 40, 14063, "USA", "Obesity"),
    ("YIN LI", 40, 14243, "China", "Flu"),
    ("BEVERLY", 37, 14203, "Canada", "Flu"),
    ("DENISE", 36, 14204, "Canada", "Flu"),
    ("JANETTE", 35, 14247, "USA", "Indigestion"),
]
"""Table 1a of the paper."""

CATEGORIES = {
    "HIV": 1, "Cancer": 1, "Hepatitis": 2, "Phthisis": 2, "Asthma": 3, "Obesity": 3,
    "Indigestion": 4, "Flu": 4,
}  # fmt: skip
"""Table 3."""

AMERICA, ASIA = {"USA", "Canada"}, {"Pakistan", "Japan", "China"}


def penalty(records: Sequence[int]) -> float:
    """The normalised certainty penalty of a class of people of Table 1a."""
    ages = [PEOPLE[r][1] for r in records]
    zips = [PEOPLE[r][2] for r in records]
    places = {PEOPLE[r][3] for r in records}
    if len(places) == 1:
        place = 0.0
    elif places <= AMERICA:
        place = 2 / 5
    elif places <= ASIA:
        place = 3 / 5
    else:
        place = 1.0
    width = (max(ages) - min(ages)) / 23 + (max(zips) - min(zips)) / 1174 + place
    return width * len(records)


@pytest.fixture(scope="session")
def oracles(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text())
    return document


def test_table_8a_step_by_step(oracles: dict[str, Any]) -> None:
    expected = oracles["C_003"]["table8a_replay"]
    found = replay(
        [range(4), range(4, 8), range(8, 12)],
        [person[4] for person in PEOPLE],
        penalty,
        k=4,
        categories=CATEGORIES,
    )
    assert [step.to_list() for step in found.steps] == expected["trace"]
    names = [
        [*(PEOPLE[r][0] for r in group), *("noise" for _ in more)]
        for group, more in zip(found.classes, found.noise, strict=True)
    ]
    assert list(map(sorted, names)) == list(map(sorted, expected["members"]))
    assert list(map(sorted, found.values)) == list(map(sorted, expected["sensitive"]))
    assert found.variance == (Fraction(5, 4), Fraction(5, 4), Fraction(34, 25))
    assert sum(map(len, found.noise)) == expected["noise"]
    # The ranges that Table 8a prints of its first two classes.
    assert [
        (min(PEOPLE[r][2] for r in group), max(PEOPLE[r][2] for r in group))
        for group in found.classes[:2]
    ] == [(14054, 14247), (13073, 14243)]


def test_table_8a_after_one_swap_as_the_text_says() -> None:
    """Section 5.2: HIV swaps with Obesity, the class is 3-diverse then and still short of theta."""
    found = replay([range(4), range(4, 8), range(8, 12)], [p[4] for p in PEOPLE], penalty, k=4)
    first = found.steps[0]
    assert (first.given, first.taken) == ("HIV", "Obesity")
    assert float(first.variance) < theta(4, 0.6)


def test_from_table_4b_two_swaps_and_no_noise() -> None:
    names = {person[0]: at for at, person in enumerate(PEOPLE)}
    classes = [
        [names[name] for name in group]
        for group in (
            ("JULIAN", "KALEEM", "JOHANNA", "BEVERLY"),
            ("JUDITH", "EVA", "HARIS", "PAUL"),
            ("MICHAEL", "YIN LI", "DENISE", "JANETTE"),
        )
    ]
    found = replay(classes, [person[4] for person in PEOPLE], penalty, k=4)
    assert [step.kind for step in found.steps] == ["swap", "cross"]
    assert found.variance == (Fraction(5, 4),) * 3


PATIENTS = [
    (40, 2139, "Female", "Mild"),
    (45, 2545, "Male", "Severe"),
    (45, 2238, "Female", "High"),
    (38, 2843, "Male", "Severe"),
    (42, 2341, "Female", "Low"),
    (40, 2548, "Male", "Low"),
    (45, 2544, "Female", "A-symptomatic"),
    (32, 2538, "Male", "Low"),
]
"""Table 10 of Fazal and others (2023), with categories of symptoms."""

BUCKETS = [[0, 1], [2, 3], [4, 5], [6, 7]]


def patients_penalty(records: Sequence[int]) -> float:
    people = [PATIENTS[r] for r in records]
    ages, zips = [p[0] for p in people], [p[1] for p in people]
    width = (max(ages) - min(ages)) / 13 + (max(zips) - min(zips)) / 704
    return len(records) * (width + (len({p[2] for p in people}) > 1))


def test_buckets_of_the_later_paper(oracles: dict[str, Any]) -> None:
    """Fazal and others (2023), Table 12: the same exchange over categories with k = 2."""
    expected = oracles["D_004"]["replay"]
    found = replay(BUCKETS, [p[3] for p in PATIENTS], patients_penalty, k=2)
    swap, noise = (step.to_list() for step in found.steps)
    assert swap == expected["trace"][0]
    # Which absent value noise takes follows no rule in the papers.
    assert noise[:2] + noise[3:] == expected["trace"][1][:2] + expected["trace"][1][3:]
    assert found.classes == ((0, 1), (2, 3), (4, 6), (5, 7))
    assert [len(more) for more in found.noise] == [0, 0, 0, 1]
    assert found.variance == (Fraction(1, 4),) * 3 + (Fraction(2, 9),)


def test_the_guard_moves_the_noise() -> None:
    found = replay(BUCKETS, [p[3] for p in PATIENTS], patients_penalty, k=2, donor_guard=True)
    assert [len(more) for more in found.noise] == [0, 0, 1, 0]


def test_replay_says_why_it_cannot_be() -> None:
    with pytest.raises(ThetaInfeasible, match="too few values"):
        replay([[0, 1], [2, 3]], ["a", "a", "b", "b"], lambda records: 0.0, k=5)
    with pytest.raises(ThetaInfeasible, match="1 records of noise are needed, and 0 are allowed"):
        replay(
            [range(4), range(4, 8), range(8, 12)],
            [person[4] for person in PEOPLE],
            penalty,
            k=4,
            max_noise=0,
        )


@dataclass
class Case:
    """A random table in random classes, with random targets."""

    classes: list[list[int]]
    values: dict[str, list[int]]
    targets: dict[str, Target]
    widths: Widths
    guard: bool
    back: bool
    allowed: Callable[[Proposal], bool] | None


def random_widths(rng: random.Random, records: int) -> Widths:
    keys, levels, domains, bases, nodes, widths = [], [], [], [], [], []  # type: ignore[var-annotated]
    for _ in range(rng.randint(0, 3)):
        domain = rng.randint(1, 8)
        keys.append([rng.randrange(domain) for _ in range(records)])
        domains.append(domain)
        bases.append(len(widths))
        if rng.random() < 0.5:
            levels.append(0)
            nodes += [0] * domain
            widths += [at / max(domain - 1, 1) for at in range(domain)]
            continue
        levels.append(3)
        for step in (1, 3, 8):
            nodes += [at // step for at in range(domain)]
            widths += [0.0 if step == 1 else min(step, domain) / domain] * domain
    return Widths(
        key=np.array(keys, np.int32).reshape(len(keys), records),
        levels=np.array(levels, np.int64),
        domain=np.array(domains, np.int64),
        base=np.array(bases, np.int64),
        node=np.array(nodes, np.int32),
        width=np.array(widths, float),
        weight=np.array([rng.choice([1.0, 0.5]) for _ in keys], float),
    )


def random_case(seed: int, *, most: int = 40, plain: bool = False) -> Case:
    rng = random.Random(seed)
    records, k = rng.randint(1, most), rng.randint(1, 6)
    groups = max(1, records // k)
    classes = [list(range(g * k, (g + 1) * k)) for g in range(groups)]
    classes[-1] = list(range((groups - 1) * k, records))
    values, targets = {}, {}
    for at in range(1 if plain else rng.randint(1, 3)):
        domain = rng.randint(1, 9)
        odds = [rng.random() ** 2 + 0.01 for _ in range(domain)]
        values[f"s{at}"] = rng.choices(range(domain), odds, k=records)
        targets[f"s{at}"] = Target(
            domain,
            k=rng.choice([1, k, rng.randint(2, 6)]),
            mu=rng.choice([0.5, 0.6, 0.9]),
            by="k" if plain else rng.choice(["k", "k", "size"]),  # type: ignore[arg-type]
            posterior=None if plain else rng.choice([None, 0.5, 0.4, 0.8]),
            categories=rng.choice([(), tuple(rng.randint(-1, 2) for _ in range(domain))]),
        )
    allowed = None
    if not plain and rng.random() < 0.3:
        salt, share = rng.random(), rng.random()

        def allowed(proposal: Proposal) -> bool:
            return random.Random(f"{salt}{proposal.after}").random() < share

    return Case(
        classes=classes,
        values=values,
        targets=targets,
        widths=random_widths(rng, records),
        guard=rng.random() < 0.6,
        back=rng.random() < 0.5,
        allowed=allowed,
    )


def plainly(case: Case, *, guard: bool | None = None) -> Exchanged:
    return exchange(
        case.classes,
        case.values,
        case.targets,
        case.widths,
        Rules(case.guard if guard is None else guard, case.back, case.allowed),
    )


def compiled(case: Case) -> Exchanged:
    found = exchange_classes(
        Ragged.of(case.classes),
        {name: np.array(codes, np.int32) for name, codes in case.values.items()},
        case.targets,
        case.widths,
        Rules(case.guard, case.back, case.allowed),
    )
    return Exchanged(
        classes=tuple(tuple(found.classes[at].tolist()) for at in range(len(found.classes))),
        noise=tuple(
            (int(group), dict(zip(found.names, map(int, values), strict=True)))
            for group, values in zip(found.noise_group, found.noise_values, strict=True)
        ),
        log=found.moves(),
        failed=dict(found.failed),
    )


def counts(case: Case, found: Exchanged, group: int, name: str) -> list[int]:
    held = Counter(case.values[name][r] for r in found.classes[group])
    held.update(values[name] for at, values in found.noise if at == group)
    return [held[value] for value in range(case.targets[name].domain)]


def same(one: Exchanged, other: Exchanged) -> None:
    assert one.classes == other.classes
    assert one.noise == other.noise
    assert dict(one.failed) == dict(other.failed)
    assert len(one.log) == len(other.log)
    for mine, theirs in zip(one.log, other.log, strict=True):
        left, right = mine.to_dict(), theirs.to_dict()
        for key in ("variance", "partner_variance", "cost"):
            assert left.pop(key, None) == pytest.approx(right.pop(key, None), abs=1e-9)
        assert left == right


@pytest.mark.parametrize("block", range(20))
def test_compiled_is_as_plain(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        case = random_case(seed)
        same(plainly(case), compiled(case))


@pytest.mark.parametrize("seed", range(8))
def test_compiled_is_as_plain_over_many_blocks_of_classes(seed: int) -> None:
    case = random_case(10_000 + seed, most=40)
    rng = random.Random(seed)
    size, groups, domain = rng.choice([2, 3]), rng.randint(130, 220), rng.choice([3, 5, 70])
    records = size * groups
    odds = [rng.random() ** 3 + 0.005 for _ in range(domain)]
    case = Case(
        classes=[list(range(g * size, (g + 1) * size)) for g in range(groups)],
        values={"s": sorted(rng.choices(range(domain), odds, k=records), key=lambda v: v % 7)},
        targets={"s": Target(domain, k=size)},
        widths=random_widths(rng, records),
        guard=seed % 2 == 0,
        back=seed % 3 == 0,
        allowed=None,
    )
    found = compiled(case)
    same(plainly(case), found)
    assert found.log


@pytest.mark.parametrize("seed", range(8))
def test_compiled_is_as_plain_with_more_values_than_bits(seed: int) -> None:
    rng = random.Random(seed)
    size, groups, domain = rng.randint(6, 12), 12, 140
    records = size * groups
    often = rng.sample(range(domain), 12)
    drawn = [
        rng.choice(often) if rng.random() < 0.7 else rng.randrange(domain) for _ in range(records)
    ]
    case = Case(
        classes=[list(range(g * size, (g + 1) * size)) for g in range(groups)],
        values={"s": sorted(drawn, key=lambda v: v % 5)},
        targets={"s": Target(domain, k=4, posterior=rng.choice([0.2, 0.3, 0.4]))},
        widths=random_widths(rng, records),
        guard=seed % 2 == 0,
        back=seed % 3 == 0,
        allowed=None,
    )
    found = compiled(case)
    same(plainly(case), found)
    assert found.log


def could_give(target: Target, own: Sequence[int], guard: bool, new: bool) -> set[int]:
    """The values that a class could give for one that it holds, or for a new one, and keep its own.

    A class of many values counts as able to give any of them.
    """
    held = {value for value, count in enumerate(own) if count}
    if target.short_of_variance(own):
        return set()
    if not guard or len(held) > kernel.MANY:
        return held
    found = set()
    for out in held:
        for into in set(range(len(own))) - held if new else held - {out}:
            after = list(own)
            after[out] -= 1
            after[into] += 1
            if target.kept(own, after):
                found.add(out)
    return found


def indexed(seed: int) -> Case:
    """A random table; or one of many classes, or of more values than bits."""
    case, rng = random_case(seed, most=60), random.Random(seed)
    groups, size, domain = [(0, 0, 0), (150, 3, 5), (5, 100, 80)][seed % 3]
    if not groups:
        return case
    sizes = [rng.randint(2, size) for _ in range(groups)]
    starts = [sum(sizes[:at]) for at in range(groups + 1)]
    odds = [rng.random() ** 2 + 0.01 for _ in range(domain)]
    return replace(
        case,
        classes=[list(range(*ends)) for ends in pairwise(starts)],
        values={"s": rng.choices(range(domain), odds, k=starts[-1])},
        targets={"s": Target(domain, k=rng.choice([1, 2, 3]), posterior=rng.choice([None, 0.4]))},
        widths=random_widths(rng, starts[-1]),
    )


@pytest.mark.parametrize("seed", range(9))
def test_the_index_of_donors_says_what_each_class_could_give(seed: int) -> None:
    case = indexed(seed)
    classes = Ragged.of(case.classes)
    codes = {name: np.array(own, np.int32) for name, own in case.values.items()}
    facts = procedure._facts(classes.indptr, codes, case.targets, case.widths)
    state = procedure._state(classes.value, facts)
    kernel.prepare(facts, state, case.guard)

    def values_of(bits: Sequence[int]) -> set[int]:
        return {
            64 * at + bit
            for at, word in enumerate(bits)
            for bit in range(64)
            if int(word) >> bit & 1
        }

    for at, (name, target) in enumerate(case.targets.items()):
        code, could = case.values[name], list[tuple[set[int], set[int], set[int]]]()
        for group, members in enumerate(case.classes):
            number = Counter(code[r] for r in members)
            own = [number[value] for value in range(target.domain)]
            for_new, for_held = (could_give(target, own, case.guard, new) for new in (True, False))
            could.append((set(number), for_new, for_held))
            assert state.able[at, group] == (not target.short_of_variance(own))
            assert tuple(values_of(state.sets[at, which, group]) for which in range(3)) == could[-1]
        for block, found in enumerate(state.blocks[at]):
            some = could[block * kernel.BLOCK : (block + 1) * kernel.BLOCK]
            if len(found) == 1:
                assert values_of(found[0]) == set().union(*(new | old for _, new, old in some))
                continue
            for value in range(target.domain):
                told = (old if value in held else new for held, new, old in some)
                assert values_of(found[value]) == set().union(*told)


@settings(max_examples=400)
@given(st.integers(100_000, 10_000_000))
def test_it_ends_as_it_should(seed: int) -> None:
    case = random_case(seed)
    found = compiled(case)
    assert sorted(r for group in found.classes for r in group) == sorted(
        r for group in case.classes for r in group
    )
    assert list(map(len, found.classes)) == list(map(len, case.classes))
    # Noise is for the classes that could be repaired alone.
    assert not {at for at, _ in found.noise} & set(found.failed)
    for group in range(len(case.classes)):
        for name, target in case.targets.items():
            held = counts(case, found, group, name)
            if group not in found.failed:
                assert not target.short(held)
    for name, target in case.targets.items():
        # Every swap for variance brings a value that was absent, so there are few of them.
        for group, members in enumerate(case.classes):
            swaps = [
                move
                for move in found.log
                if (move.kind, move.group, move.attribute) == ("swap", group, name)
            ]
            if target.posterior is None:
                assert len(swaps) <= min(len(members), target.domain) - 1 or not swaps


@settings(max_examples=300)
@given(st.integers(0, 10_000_000))
def test_moves_of_one_attribute(seed: int) -> None:
    """With theta alone: every move raises the variance, donors under guard keep theirs."""
    case = random_case(seed, plain=True)
    ((name, target),) = case.targets.items()
    found = compiled(case)
    least = float(target.threshold(0))
    last = len(case.classes) - 1
    for move in found.log:
        assert move.variance[1] > move.variance[0]
        if move.kind == "cross":
            assert (move.group, move.partner) == (last, last - 1)
            assert move.partner_variance is not None
            assert move.partner_variance[1] >= min(move.partner_variance[0], least) - 1e-12
        elif move.kind == "swap":
            assert move.partner is not None
            assert move.partner > move.group or case.back
            assert move.partner_variance is not None
            assert move.partner_variance[0] >= least - 1e-12
            if case.guard or move.partner < move.group:
                assert move.partner_variance[1] >= least - 1e-12
        else:
            assert move.why
    assert sum(move.kind == "cross" for move in found.log) <= 1
    for group, values in found.noise:
        held = Counter(case.values[name][r] for r in found.classes[group])
        # Later classes may have given a record to a class with noise.
        assert held[values[name]] == 0 or case.back
    # A class fails only where all values together would not do, or all are there.
    for group in found.failed:
        held = counts(case, found, group, name)
        fullest = [max(count, 1) for count in held]
        assert rank_variance_exact(fullest) < target.threshold(0)


@settings(max_examples=200)
@given(st.integers(0, 10_000_000))
def test_noise_is_never_below_the_bound(seed: int) -> None:
    case = random_case(seed, plain=True)
    found = compiled(case)
    ((name, target),) = case.targets.items()
    if found.failed or target.k == 1:
        return
    totals = [case.values[name].count(value) for value in range(target.domain)]
    assert len(found.noise) >= least_noise(totals, len(case.classes), target.k, target.mu)


def test_looking_back_takes_less_noise() -> None:
    """It need not in every table: what an earlier class gave away, a later one may have wanted."""
    noise, failed = {False: 0, True: 0}, {False: 0, True: 0}
    for seed in range(600):
        case = random_case(seed, plain=True)
        for case.back in (False, True):
            found = compiled(case)
            noise[case.back] += len(found.noise)
            failed[case.back] += len(found.failed)
    assert 0 < noise[True] < 0.95 * noise[False]
    assert failed[True] <= 1.01 * failed[False]


def test_why_there_is_noise() -> None:
    def why(classes: Sequence[Sequence[int]], values: Sequence[int], **more: Any) -> str | None:
        target = Target(max(values) + 2, k=2)
        found = exchange(classes, {"s": values}, {"s": target}, lambda records: 0.0, Rules(**more))
        return next(move.why for move in found.log if move.kind == "noise")

    assert why([[0], [1, 2]], [0, 0, 1]) == "no value occurs twice in the class"
    assert why([[0, 1]], [0, 0]) == "the last class has no other to exchange with"
    assert str(why([[0, 1], [2, 3]], [0, 0, 0, 0])).startswith("no donor")
    guarded = why([[0, 1], [2, 3], [4, 5]], [0, 0, 0, 1, 0, 1])
    assert str(guarded).startswith("guard")
    refused = why([[0, 1], [2, 3]], [0, 0, 1, 2], allowed=lambda p: len(p.groups) == 1)
    assert str(refused).startswith("promise")


def test_a_large_share_is_lowered_with_values_that_are_there() -> None:
    """A class with variance enough and all values, one of them too often."""
    values = [0] * 7 + [1, 2, 3] + [1, 2, 3] * 4
    classes = [range(10), range(10, 22)]
    target = Target(4, k=2, posterior=0.5)
    found = exchange(classes, {"s": values}, {"s": target}, lambda records: 0.0)
    assert not found.noise
    assert not found.failed
    assert found.swaps == 2


def adult(shared: Path) -> tuple[Widths, np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    text = lzma.decompress((shared / "data" / "adult_uci" / "adult.data.xz").read_bytes()).decode()
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text))]
    rows = [row for row in rows if len(row) == 15 and "?" not in row]
    import polars as pl

    texts = pl.DataFrame(
        {name: [row[at] for row in rows] for name, at in (("age", 0), ("hours", 12), ("job", 6))}
    )
    taxonomies = {
        name: Taxonomy(name, [[v, "*"] for v in sorted(texts[name].unique())])
        for name in ("age", "hours")
    }
    data = Microdata.encode(texts, taxonomies, ["job"], by_record=True).data
    jobs = tuple(sorted(texts["job"].unique()))
    age, hours = (texts[name].cast(pl.Int64).to_numpy() for name in ("age", "hours"))
    order = np.lexsort((np.arange(len(rows)), hours, age)).astype(np.int32)
    return Widths.of(data), order, codes_in(texts["job"], jobs), len(jobs)


def test_occupation_of_adults(shared: Path, oracles: dict[str, Any]) -> None:
    """The guard never costs noise, and no run needs less than any algorithm must."""
    widths, order, code, values = adult(shared)
    totals = np.bincount(code)
    records = len(order)
    assert (records, values) == (30162, 14)
    noise: dict[int, list[Moves]] = {}
    for k in (4, 6, 8, 10, 12, 14, 16, 18, 20):
        groups = records // k
        start = np.append(np.arange(groups) * k, records).astype(np.int64)
        noise[k] = [
            exchange_classes(
                Ragged(start, order),
                {"job": code},
                {"job": Target(values, k=k)},
                widths,
                Rules(guard, back),
            )
            for guard, back in ((False, False), (True, False), (True, True))
        ]
        for moves in noise[k]:
            short = falls_short(rank_variance(moves.counts["job"]), theta(k, 0.6))
            assert set(np.flatnonzero(short)) == set(moves.failed)
        unguarded, guarded, asking_all = (len(moves.noise_group) for moves in noise[k])
        assert asking_all <= guarded <= unguarded
        if not noise[k][1].failed:
            assert asking_all >= least_noise(totals, groups, k, 0.6)
            explained = sum(noise[k][1].reasons().values())
            assert explained == guarded
    printed = oracles["C_003"]["adult_occupation_mu0.6"]
    assert len(noise[20][1].failed) == printed["k20_infeasible_classes"]
    # Most of a swap-for-swap prototype's figures, which depend on ties: within a few records.
    assert len(noise[18][1].failed) == pytest.approx(printed["k18_infeasible_classes"], abs=5)
    assert len(noise[4][1].noise_group) <= 10
    assert len(noise[4][0].noise_group) > 1000


def test_widths_are_those_of_the_cells() -> None:
    import polars as pl

    texts = pl.DataFrame(
        {"age": ["20", "30", "40", None], "job": ["a", "b", "c", "a"], "s": ["x", "y", "x", "y"]}
    )
    jobs = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]
    taxonomies: Mapping[str, Taxonomy] = {
        "age": Taxonomy("age", [[v, "*"] for v in ("20", "30", "40")]).extended("value", []),
        "job": Taxonomy("job", jobs),
    }
    widths = Widths.of(Microdata.encode(texts, taxonomies, ["s"], by_record=True).data)
    assert widths([0]) == 0
    assert widths([0, 1]) == pytest.approx(2 * (0.5 + 0.5))
    assert widths([0, 2]) == pytest.approx(2 * (1.0 + 1.0))
    assert widths([0, 3]) == pytest.approx(2 * (1.0 + 0.0))
