"""The ledger: who was published how, and what all releases say together."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sqlite3
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import indistinct as ind
from indistinct.analytics.series.ledger_report import reported
from indistinct.analytics.series.together import Series, worlds
from indistinct.cli import app
from indistinct.cli.ledger import in_turn
from indistinct.cli.terminal import Progress
from indistinct.errors import IndistinctError, InputError
from indistinct.pipeline.recording import _numbered
from indistinct.privacy.max_posterior import MaxPosterior
from indistinct.release.ledger import FILE, Entry, Ledger, Listed, hashes_of, numbered


def entry(classes: Mapping[str, tuple[str, ...]], lists: Mapping[str, tuple[str, ...]]) -> Entry:
    """A release: the people of each class, and the values that it lists, one for every row."""
    people = [who for members in classes.values() for who in members]
    group = [at for at, members in enumerate(classes.values()) for _ in members]
    labels = sorted({value for values in lists.values() for value in values})
    rows = [sorted({*lists[name]}) for name in classes]
    named = zip(classes, rows, strict=True)
    counts = [lists[name].count(value) for name, own in named for value in own]
    listed = Listed(
        tuple(labels),
        np.cumsum([0, *map(len, rows)]),
        np.array([labels.index(value) for own in rows for value in own], np.int32),
        np.array(counts, np.int64),
    )
    return Entry.of(
        hashes_of(pl.Series(people), b"key"),
        np.array(group, np.int32),
        np.array([len(lists[name]) for name in classes]),
        {"ill": listed},
        {},
    )


Stream = list[dict[str, tuple[str, str]]]
"""Releases: of everybody in one the class and the value."""


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """Up to three releases of up to five people, who join, leave and come back."""
    names = ["a", "b", "c", "d", "e"][: draw(st.integers(2, 5))]
    value = {name: draw(st.sampled_from("xyz")) for name in names}
    found = []
    for _ in range(draw(st.integers(1, 3))):
        there = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        found.append({name: (draw(st.sampled_from("12")), value[name]) for name in there})
    return found


def entries_of(stream: Stream) -> list[Entry]:
    found = []
    for release in stream:
        classes: dict[str, tuple[str, ...]] = {}
        lists: dict[str, tuple[str, ...]] = {}
        for who, (group, value) in release.items():
            classes[group] = (*classes.get(group, ()), who)
            lists[group] = (*lists.get(group, ()), value)
        found.append(entry(classes, lists))
    return found


def fits(world: Mapping[str, str], stream: Stream) -> bool:
    """Whether all classes list what their people have in a world."""
    return all(
        sorted(world[who] for who, (own, _) in release.items() if own == group)
        == sorted(value for own, value in release.values() if own == group)
        for release in stream
        for group in {own for own, _ in release.values()}
    )


def beliefs(stream: Stream) -> dict[str, float] | None:
    """The largest belief in a value of everybody, over all possible worlds; None: there is none."""
    people = sorted({who for release in stream for who in release})
    weight = {who: dict.fromkeys("xyz", 0) for who in people}
    total = 0
    for values in product("xyz", repeat=len(people)):
        world = dict(zip(people, values, strict=True))
        if fits(world, stream):
            total += 1
            for who in people:
                weight[who][world[who]] += 1
    return {who: max(found.values()) / total for who, found in weight.items()} if total else None


@st.composite
def crowds(draw: st.DrawFn) -> Stream:
    """Two or three releases of up to ten people, in classes of neighbours."""
    values = draw(st.lists(st.sampled_from("xyz"), min_size=8, max_size=10))
    found = []
    for _ in range(draw(st.integers(2, 3))):
        width, shift = draw(st.integers(3, 6)), draw(st.integers(0, 3))
        out = draw(st.sets(st.integers(0, len(values) - 1), max_size=2))
        found.append(
            {
                f"{at}": (f"{(at + shift) // width}", value)
                for at, value in enumerate(values)
                if at not in out
            }
        )
    return found


def possible_values(stream: Stream) -> dict[str, dict[str, float]]:
    """How likely each value of everybody is, over all possible worlds, person by person."""
    people = sorted({who for release in stream for who in release})
    left = [Counter(release.values()) for release in stream]
    found: dict[str, dict[str, float]] = {who: {} for who in people}
    world: dict[str, str] = {}
    total = 0

    def place(at: int) -> None:
        nonlocal total
        if at == len(people):
            total += 1
            for who, value in world.items():
                found[who][value] = found[who].get(value, 0) + 1
            return
        who = people[at]
        for value in "xyz":
            rows = [
                (rest, (release[who][0], value))
                for rest, release in zip(left, stream, strict=True)
                if who in release
            ]
            if all(rest[row] for rest, row in rows):
                for rest, row in rows:
                    rest[row] -= 1
                world[who] = value
                place(at + 1)
                for rest, row in rows:
                    rest[row] += 1

    place(0)
    return {who: {v: n / total for v, n in own.items()} for who, own in found.items()}


@given(streams())
def test_the_bound_is_what_counting_all_worlds_says(stream: Stream) -> None:
    entries = entries_of(stream)
    series = Series.of(entries, "ill")
    found = series.composed()
    exact = sorted((beliefs(stream) or {}).values())
    assert sorted(found.bound) == pytest.approx(exact)
    assert found.left.min() >= 1


@pytest.mark.parametrize("key", ["not_applicable", "not_values", "values"])
@given(stream=st.one_of(streams(), crowds()))
def test_of_a_promise_about_some_values_only_these_are_believed(stream: Stream, key: str) -> None:
    """A reader of a promise with ``not_applicable`` knows that something applies to the person."""
    named = ("x", "y") if key == "values" else ("z",)
    about = MaxPosterior(bound=0.5, sensitive="ill", **{key: named})  # type: ignore[arg-type]
    found = Series.of(entries_of(stream), "ill", about=about).composed()
    place = {tuple(one): at for at, one in enumerate(found.hashes.tolist())}
    for who, belief in possible_values(stream).items():
        at = place[tuple(hashes_of(pl.Series([who]), b"key")[0].tolist())]
        rest = {v: p for v, p in belief.items() if key != "not_applicable" or v != "z"}
        harmful = [share for value, share in rest.items() if value != "z"]
        exact = max(harmful, default=0) / (sum(rest.values()) or 1)
        assert found.bound[at] == found.together[at] == pytest.approx(exact)
        assert found.left[at] == len(rest) or not rest


@pytest.mark.parametrize("over", ["release", "releases"])
def test_what_does_not_apply_hides_nobody_over_releases(tmp_path: Path, over: str) -> None:
    """Somebody to whom a ward applies has x by both releases: y and z are listed by one alone."""
    wards = dict(zip("abcdefgh", ["x", "y", "none", "none", "z", "w", "none", "none"], strict=True))
    keys = policy(tmp_path) | {
        "promises": [
            {"model": "max-posterior", "bound": 0.6, "sensitive": "ill", "over": over},
            {"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"},
        ],
        "method": {"algorithm": "optimal"},
    }
    keys["attributes"] |= {
        "age": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "not_applicable": ["none"]},
    }

    def table(*classes: str) -> pl.DataFrame:
        rows = [(who, age, wards[who]) for age, own in enumerate(classes) for who in own]
        return pl.DataFrame(rows, ["patient", "age", "ill"], orient="row")

    ind.anonymize(table("abcd", "efgh"), keys).write(tmp_path / "one")
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.anonymize(table("aecg", "bfdh"), keys)
    assert len(caught.value.problems) == 2
    assert all("8 people (one value with" in one.message for one in caught.value.problems)
    ind.anonymize(table("abdc", "efhg"), keys).write(tmp_path / "two")
    assert ind.check_ledger(tmp_path / "ledger").holds


@pytest.mark.parametrize("others", [0, 1])
def test_figures_leave_aside_what_no_promise_takes_to_apply(others: int) -> None:
    """Of four people three have no ward: whoever has one has x."""
    about = [{"not_applicable": ["none"]}, {"bound": 0.8}][: 1 + others]
    promises = [{"model": "max-posterior", "sensitive": "ill", "parameters": one} for one in about]
    one = entry({"1": ("a", "b", "c", "d")}, {"1": ("x", "none", "none", "none")})
    found = reported([replace(one, account={"promises": promises})])
    (figures,) = found.to_dict()["attributes"]
    told = [figures[name] for name in ("worst_alone", "worst_together", "fewest_values")]
    assert told == ([0.75, 0.75, 2] if others else [1, 1, 1])


@given(crowds())
def test_worlds_of_more_than_a_few_are_counted_too(stream: Stream) -> None:
    """Nobody is left out of what is certain: a promise of two values held for people with one."""
    found = Series.of(entries_of(stream), "ill").composed()
    worlds_say = possible_values(stream)
    assert sorted(found.bound) == pytest.approx(
        sorted(max(one.values()) for one in worlds_say.values())
    )
    assert (found.left == 1).sum() == sum(len(one) == 1 for one in worlds_say.values())


def test_what_would_take_too_long_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = {0: {1: 2, 2: 2}, 1: {1: 2, 2: 2}}
    members = {0: [0, 1, 2, 3], 1: [2, 3, 4, 5]}
    exact = worlds(members, lists)
    assert exact is not None
    assert exact[0] == {1: 0.5, 2: 0.5}
    assert worlds(members, lists, 2) is None
    rows = [{f"{at}": (f"{at // 4}", "xy"[at % 2]) for at in range(8)}]
    rows.append({f"{at}": (f"{at // 3}", "xy"[at % 2]) for at in range(8)})
    assert Series.of(entries_of(rows), "ill").composed().bound.min() < 1
    for name in ("SOME", "STEPS", "SETS"):
        with monkeypatch.context() as limits:
            limits.setattr(f"indistinct.analytics.series.together.{name}", 0)
            assert Series.of(entries_of(rows), "ill").composed().bound.min() == 1


@given(streams())
def test_a_person_in_one_release_is_believed_by_share(stream: Stream) -> None:
    found = Series.of(entries_of(stream[:1]), "ill").composed()
    assert found.alone == pytest.approx(found.together)
    assert found.alone == pytest.approx(found.bound)


@given(st.integers(2, 4), st.integers(1, 3), st.integers(0, 99))
def test_classes_that_keep_their_values_are_bounded_at_any_size(
    m: int, times: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    values = tuple(f"v{at}" for at in range(m)) * times
    people = [f"p{at}" for at in range(4 * m * times)]
    owner = {name: values[at % len(values)] for at, name in enumerate(people)}
    entries = []
    for _ in range(3):
        groups = [[] for _ in range(4)]  # type: list[list[str]]
        for value in set(values):
            having = [name for name in people if owner[name] == value]
            for at, place in enumerate(random.permutation(len(having))):
                groups[at % 4].append(having[place])
        classes = {str(at): tuple(group) for at, group in enumerate(groups)}
        entries.append(entry(classes, dict.fromkeys(classes, values)))
    found = Series.of(entries, "ill").composed()
    assert found.bound == pytest.approx(1 / m)
    assert found.together == pytest.approx(1 / m)


def test_what_two_releases_leave_together() -> None:
    one = entry({"1": ("bob", "al"), "2": ("cy", "di")}, {"1": ("x", "y"), "2": ("y", "z")})
    two = entry({"1": ("bob", "cy"), "2": ("al", "di")}, {"1": ("x", "z"), "2": ("y", "y")})
    found = Series.of([one, two], "ill").composed()
    assert found.alone.max() == 1
    assert found.left.min() == 1
    assert (found.together >= 0.99).all()


def test_a_changed_value_is_believed_before_and_after() -> None:
    one = entry({"1": ("bob", "al")}, {"1": ("x", "y")})
    two = entry({"1": ("bob", "al")}, {"1": ("z", "w")})
    found = Series.of([one, two], "ill").composed()
    assert found.together == pytest.approx(0.5)
    assert found.left.tolist() == [2, 2]
    assert worlds({0: [1], 1: [1]}, {0: {1: 1}, 1: {2: 1}}) == {1: {}}


def test_a_changed_value_hides_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whoever is not in the classes that contradict each other as much is known as before."""
    for name in ("FEW", "SOME"):
        monkeypatch.setattr(f"indistinct.analytics.series.together.{name}", 0)
    one = entry(
        {"1": ("al", "bob", "cy"), "2": ("di", "ed", "fay")}, dict.fromkeys("12", tuple("xyz"))
    )
    for values in (("x", "y"), ("x", "w")):
        two = entry({"1": ("al", "bob"), "2": ("di", "ed")}, {"1": ("x", "y"), "2": values})
        found = Series.of([one, two], "ill").composed()
        hashes = [tuple(row) for row in found.hashes.tolist()]
        keys = hashes_of(pl.Series(["al", "bob", "cy", "di", "fay"]), b"key")
        who = [hashes.index(tuple(row)) for row in keys.tolist()]
        assert found.together[who[:3]] == pytest.approx([0.5, 0.5, 1], abs=1e-6)
        assert found.left[who[:3]].tolist() == [2, 2, 1]
        assert found.changed[who].tolist() == [False, False, False, "w" in values, False]
        assert found.together[who[3]] == pytest.approx(0.5, abs=1e-6)
        assert found.left[who[4]] == (3 if "w" in values else 1)


# With releases


def table(year: int, size: int = 60) -> pl.DataFrame:
    random = np.random.default_rng(year)
    return pl.DataFrame(
        {
            "patient": [f"P{at + 10 * year:03d}" for at in range(size)],
            "age": random.integers(20, 60, size),
            "ill": random.choice(["flu", "gout", "asthma", "cancer"], size),
        }
    )


def policy(folder: Path, conflict: str = "refuse", **more: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "ill": {"role": "sensitive"},
        },
        "promises": [
            {"model": "k-anonymity", "k": 4},
            {"model": "max-posterior", "bound": 0.6, "sensitive": "ill"},
        ],
        "method": {"seed": 1, "algorithm": "mondrian", "suppression_limit": 0.2},
        "ledger": {"path": str(folder / "ledger"), "person": "patient", "conflict": conflict},
        **more,
    }


def test_a_release_is_written_down_with_its_folder(tmp_path: Path) -> None:
    release = ind.anonymize(table(1), policy(tmp_path))
    assert not (tmp_path / "ledger").exists()
    release.write(tmp_path / "one")
    (found,) = Ledger(tmp_path / "ledger").entries()
    assert len(found.people) == release.certificate.records_published
    assert found.sizes.sum() == release.certificate.records_published
    assert found.account["promises"][0]["model"] == "k-anonymity"
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o700
    for file in (tmp_path / "ledger").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert b"P010" not in file.read_bytes()


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_groups_are_those_of_the_release(tmp_path: Path, algorithm: str) -> None:
    asked = policy(tmp_path, output={"shuffle": False})
    asked["method"] = {"seed": 1, "algorithm": algorithm}
    data = table(3)
    release = ind.anonymize(data, asked)
    assert release.record is not None
    found = release.record.entry
    key = release.record.ledger.key()
    place = {tuple(one): at for at, one in enumerate(hashes_of(data["patient"], key).tolist())}
    ages = release.tables["age"].to_list()
    assert len(found.people) == data.height == len(ages)
    for one, group in zip(found.people.tolist(), found.groups.tolist(), strict=True):
        label = ages[place[tuple(one)]]
        assert found.sizes[group] == ages.count(label)
        listed = found.listed["ill"]
        own = slice(listed.starts[group], listed.starts[group + 1])
        values = release.tables.filter(pl.col("age") == label)["ill"].to_list()
        assert {listed.labels[at]: count for at, count in
                zip(listed.places[own], listed.counts[own], strict=True)} == {
            value: values.count(value) for value in values}  # fmt: skip


def test_a_release_that_tells_too_much_beside_another_is_refused(tmp_path: Path) -> None:
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one")
    other = table(1).with_columns(age=pl.col("age").shuffle(3))
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.anonymize(other, policy(tmp_path))
    (problem,) = caught.value.problems
    assert problem.code == "broken-over-releases"
    assert problem.attribute == "ill"
    assert ind.check_ledger(tmp_path / "ledger").holds
    warned = ind.anonymize(other, policy(tmp_path, "warn"))
    assert any("tells too much" in text for text in warned.warnings)
    assert any(text.startswith("k-anonymity(k=") for text in warned.warnings)
    warned.write(tmp_path / "two")
    report = ind.check_ledger(tmp_path / "ledger")
    assert not report.holds
    assert report.to_dict()["worst_posterior"] > 0.6
    Ledger(tmp_path / "ledger").forget(2)
    assert ind.check_ledger(tmp_path / "ledger").holds


BY_AGE_AND_HOME = pl.DataFrame(
    {
        "who": [f"P{at}" for at in range(12)],
        "age": [20] * 6 + [30] * 6,
        "home": [place for place in "abab" for _ in range(3)],
        "ill": [ill for ill in ("HIV", "flu", "gout", "cold") for _ in range(3)],
    }
)
"""By age three of six have HIV; of those of one home they are the only ones with an infection."""

GROUPS = {
    "throat": ["cold"],
    "infection": ["HIV", "syphilis"],
    "airways": ["flu"],
    "joints": ["gout"],
}


def by_one(quasi: str, folder: Path, transform: Any, **keys: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {name: {"role": "identifier"} for name in ("who", "age", "home")}
    attributes[quasi] = {"role": "quasi-identifier"}
    attributes["ill"] = {"role": "sensitive"} | ({"transform": transform} if transform else {})
    bound = {"model": "max-posterior", "bound": 0.5, "sensitive": "ill"}
    return {
        "attributes": attributes,
        "promises": [{"model": "k-anonymity", "k": 3}, bound],
        "ledger": {"path": str(folder / "ledger"), "person": "who", **keys},
    }


@pytest.mark.parametrize(
    "transforms",
    [
        (None, {"aggregate": {"groups": GROUPS}}),
        ({"aggregate": {"groups": GROUPS}}, None),
        (None, {"mask": {"keep": 1}}),
    ],
)
def test_values_written_in_two_ways_are_proved_of_nobody(tmp_path: Path, transforms: Any) -> None:
    """HIV or flu by age, an infection or gout by home: it is HIV, and no label is in both lists."""
    first, then = transforms
    ind.anonymize(BY_AGE_AND_HOME, by_one("age", tmp_path, first)).write(tmp_path / "one")
    with pytest.raises(IndistinctError, match="in another way than in the earlier release") as told:
        ind.anonymize(BY_AGE_AND_HOME, by_one("home", tmp_path, then))
    assert "nothing is proved for 12 people" in str(told.value)
    assert "write the values as in the earlier" in str(told.value)
    warned = ind.anonymize(BY_AGE_AND_HOME, by_one("home", tmp_path, then, conflict="warn"))
    warned.write(tmp_path / "two")
    found = ind.check_ledger(tmp_path / "ledger", pairs=True)
    assert not found.holds
    assert found.to_dict()["attributes"][0]["bound"] == 1
    assert found.pairs == []
    assert "NOT PROVED for all releases together" in str([*found.parts()])
    assert any("in several ways" in note for note in found.notes)


def test_values_written_in_one_way_are_compared(tmp_path: Path) -> None:
    groups = {"aggregate": {"groups": GROUPS}}
    ind.anonymize(BY_AGE_AND_HOME, by_one("age", tmp_path, groups)).write(tmp_path / "one")
    ind.anonymize(BY_AGE_AND_HOME, by_one("age", tmp_path, groups)).write(tmp_path / "two")
    found = ind.check_ledger(tmp_path / "ledger")
    assert (found.holds, found.notes) == (True, [])
    with pytest.raises(IndistinctError, match="with 100%"):
        ind.anonymize(BY_AGE_AND_HOME, by_one("home", tmp_path, groups))


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ({"role": "insensitive"}, "with 100%"),
        ({"role": "quasi-identifier", "max_level": 0}, "with 100%"),
        ({"role": "quasi-identifier", "min_level": 1}, ""),
        ({"role": "identifier"}, ""),
    ],
)
def test_what_is_sensitive_in_one_release_is_compared_in_the_next(
    tmp_path: Path, role: dict[str, Any], said: str
) -> None:
    """A promise about it is one about the next release too, where nobody protects it."""
    ind.anonymize(BY_AGE_AND_HOME, by_one("age", tmp_path, None)).write(tmp_path / "one")
    asked = by_one("home", tmp_path, None)
    asked["attributes"]["ill"] = role
    asked["promises"] = asked["promises"][:1]
    if not said:
        then = ind.anonymize(BY_AGE_AND_HOME, asked)
        assert any("only one release lists 'ill'" in text for text in then.warnings)
        return
    with pytest.raises(IndistinctError, match=said):
        ind.anonymize(BY_AGE_AND_HOME, asked)


def test_values_in_other_codes_are_told(tmp_path: Path) -> None:
    """As codes of another system: nothing says that they are the same, and a reader may know."""
    codes = {"HIV": "B20", "gout": "M10", "flu": "J11", "cold": "J00"}
    coded = BY_AGE_AND_HOME.with_columns(ill=pl.col("ill").replace_strict(codes))
    ind.anonymize(BY_AGE_AND_HOME, by_one("age", tmp_path, None)).write(tmp_path / "one")
    told = "'ill': releases of 12 people contradict each other"
    then = ind.anonymize(coded, by_one("home", tmp_path, None))
    assert any(text.startswith(told) for text in then.warnings)
    then.write(tmp_path / "two")
    (note,) = ind.check_ledger(tmp_path / "ledger").notes
    assert note.startswith(told)


@pytest.mark.parametrize(
    ("account", "other", "unlike"),
    [
        ({"policy": {"attributes": {"ill": {"transform": "swap"}}}}, {}, True),
        ({"policy": {"attributes": {"ill": {"transform": {"round": 5}}}}}, None, False),
        ({"policy": {"attributes": {"ill": {"transform": {"noise": 5}}}}}, None, True),
        ({"policy": {"attributes": {"ill": {"transform": {"aggregate": {"top": 9}}}}}}, None, True),
        ({"policy": {"attributes": {"home": {"transform": "swap"}}}}, {}, False),
        ({"policy": "damaged"}, {}, False),
        ({"categories": {"ill": [["1", "x"], ["2", "y"]]}}, {}, False),
        ({"categories": {"ill": [["a", "1"], ["b", "2"], ["c", "3"]]}}, {}, True),
        ({"policy": {"method": {"algorithm": "k-l-diversity"}}}, None, False),
        (
            {
                "policy": {
                    "attributes": {"ill": {"hierarchy": "suppress"}},
                    "method": {"algorithm": "k-l-diversity"},
                }
            },
            None,
            True,
        ),
        (
            {
                "policy": {"attributes": {"ill": {"hierarchy": "suppress"}}},
                "promises": [{"model": "known-records", "sensitive": "ill", "parameters": {}}],
            },
            None,
            True,
        ),
    ],
)
def test_which_ways_of_writing_are_compared(account: Any, other: Any, unlike: bool) -> None:
    """Two releases of the same people, the second with the same account where none is given."""
    one = entry({"1": ("a", "b"), "2": ("c",)}, {"1": ("1", "2"), "2": ("1",)})
    two = entry({"1": ("a",), "2": ("d",)}, {"1": ("3",), "2": ("2",)})
    second = account if other is None else other
    series = Series.of([replace(one, account=account), replace(two, account=second)], "ill")
    assert series.people == 4
    found = dict(zip(map(tuple, series.hashes.tolist()), series.unlike.tolist(), strict=True))
    a, b, c, d = map(tuple, hashes_of(pl.Series(list("abcd")), b"key").tolist())
    assert [found[who] for who in (a, b, c, d)] == [unlike, unlike, False, False]


def test_the_same_people_in_the_same_classes_learn_nobody_anything(tmp_path: Path) -> None:
    for name in ("one", "two"):
        ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / name)
    found = ind.check_ledger(tmp_path / "ledger")
    assert repr(found) == "<LedgerReport: 2 releases of 60 people, no promise broken>"
    report = found.to_dict()
    assert (report["releases"], report["people"], report["holds"]) == (2, 60, True)
    (figures,) = report["attributes"]
    assert figures["worst_together"] == pytest.approx(figures["worst_alone"], abs=1e-4)


@given(streams())
def test_fitted_beliefs_are_near_to_those_of_all_worlds(stream: Stream) -> None:
    series = Series.of(entries_of(stream), "ill")
    units, support = series._units(np.ones(series.people, np.bool_))
    together = np.zeros(series.people)
    series._fit(units, support, together, np.full(series.people, 3))
    exact = sorted((beliefs(stream) or {}).values())
    assert sorted(together) == pytest.approx(exact, abs=0.3)
    certain = np.array(sorted(together)) > 1 - 1e-6
    assert (certain <= (np.array(exact) > 1 - 1e-6)).all()


Several = list[dict[str, str]]
"""Releases: of everybody in one the class. What they have is elsewhere."""


def entries_of_several(releases: Several, sets: Mapping[str, str]) -> list[Entry]:
    """Releases of people who have several values, of which classes list how many have each."""
    found = []
    for own in releases:
        classes = {name: tuple(who for who in own if own[who] == name) for name in own.values()}
        lists = {name: tuple("".join(map(sets.__getitem__, who))) for name, who in classes.items()}
        made = entry(classes, lists)
        sizes = np.array([len(members) for members in classes.values()])
        listed = replace(made.listed["ill"], holding="some")
        found.append(replace(made, sizes=sizes, listed={"ill": listed}))
    return found


def test_people_with_several_values_whose_releases_contradict_each_other_are_told() -> None:
    """Everybody of a class had x, and in the next release nobody of the same class has it."""
    classes = {"al": "1", "bob": "1", "cy": "2", "di": "2"}
    before = {"al": "x", "bob": "xy", "cy": "y", "di": "z"}
    after = before | {"al": "w", "bob": "wy"}
    both = [made for sets in (before, after) for made in entries_of_several([classes], sets)]
    found = Series.of(both, "ill").composed()
    told = {
        who
        for who in classes
        for key in hashes_of(pl.Series([who]), b"key")
        if (found.hashes[found.changed] == key).all(axis=1).any()
    }
    assert told == {"al", "bob"}


def had_for_certain(releases: Several, sets: Mapping[str, str], labels: str) -> dict[str, set[str]]:
    """The values that everybody has in every world that fits what classes list, by brute force."""
    people = sorted({who for own in releases for who in own})
    some = [set(own) for n in range(1, len(labels) + 1) for own in combinations(labels, n)]

    def told(world: Mapping[str, Iterable[str]]) -> list[Counter[tuple[str, str]]]:
        return [
            Counter((own[who], value) for who in own for value in world[who]) for own in releases
        ]

    fits = [
        world
        for own in product(some, repeat=len(people))
        if told(world := dict(zip(people, own, strict=True))) == told(sets)
    ]
    return {who: set.intersection(*(world[who] for world in fits)) for who in people}


def believed(entries: list[Entry], people: Iterable[str]) -> dict[str, tuple[float, int]]:
    """What all releases together say of everybody, and how many values are possible."""
    found = Series.of(entries, "ill").composed()
    rows = zip(found.hashes.tolist(), found.together.tolist(), found.left.tolist(), strict=True)
    told = {tuple(hash_): (belief, left) for hash_, belief, left in rows}
    hashes = hashes_of(pl.Series([*people]), b"key").tolist()
    return {who: told[tuple(own)] for who, own in zip(people, hashes, strict=True)}


def test_what_is_left_is_had_by_who_left_where_people_have_several_values() -> None:
    """Of three x in the first release two are left in the second: p has x, and not y."""
    releases = [{"p": "1", "q": "1", "r": "1", "s": "1"}, {"q": "1", "r": "1", "s": "1"}]
    sets = {"p": "x", "q": "xy", "r": "x", "s": "yz"}
    found = believed(entries_of_several(releases, sets), sets)
    assert found["p"] == (1, 1)
    assert had_for_certain(releases, sets, "xyz") == {
        "p": {"x"},
        "q": set(),
        "r": set(),
        "s": set(),
    }
    assert [found[who][0] for who in "qrs"] == [0.75] * 3  # as the first says
    assert [found[who][1] for who in "qrs"] == [3] * 3


@given(st.data())
def test_certain_of_people_with_several_values_is_certain_in_all_worlds(
    data: st.DataObject,
) -> None:
    names = "abcd"[: data.draw(st.integers(2, 4))]
    some = ["x", "y", "z", "xy", "xz", "yz", "xyz"]
    sets = {who: data.draw(st.sampled_from(some)) for who in names}
    releases = [
        {who: data.draw(st.sampled_from("12")) for who in there}
        for there in data.draw(
            st.lists(
                st.lists(st.sampled_from(names), min_size=1, unique=True), min_size=1, max_size=3
            )
        )
    ]
    certain = had_for_certain(releases, sets, "xyz")
    found = believed(entries_of_several(releases, sets), certain)
    for who, (belief, left) in found.items():
        assert (belief > 1 - 1e-7) == bool(certain[who])
        assert left > 1 or certain[who]


def released_of(people: Mapping[str, str], ledger: Path, bound: float, **keys: Any) -> ind.Release:
    """A release of people of one age, of whom everybody has some values, with beliefs bounded."""
    rows = [(who, 30, value) for who, own in people.items() for value in own]
    table = pl.DataFrame(rows, ["who", "age", "ill"], orient="row")
    return ind.anonymize(table, {
        "source": {"person": "who"},
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "max-posterior", "sensitive": "ill", "bound": bound}],
        "ledger": {"path": str(ledger)},
        **keys,
    })  # fmt: skip


def test_a_release_of_people_with_several_values_is_refused_for_who_left(tmp_path: Path) -> None:
    people = {"p": "x", "q": "xy", "r": "x", "s": "yz"}
    released_of(people, tmp_path / "ledger", 0.75).write(tmp_path / "one")
    del people["p"]
    with pytest.raises(ind.Unsatisfiable, match="about 1 person "):
        released_of(people, tmp_path / "ledger", 0.75)


SETS = {"x": "{a, b}", "y": "{a, c}", "z": "{b, c}"}


@given(streams())
def test_values_in_sets_are_believed_as_all_sets_that_hold_them(stream: Stream) -> None:
    """Of whom only {a, b} and {a, c} are possible a is certain, whichever it is."""
    shown = [{who: (at, SETS[own]) for who, (at, own) in release.items()} for release in stream]
    series = Series.of(entries_of(shown), "ill")
    found = series.composed()
    by_hash = {
        tuple(own): (bound, belief, left)
        for own, bound, belief, left in zip(
            found.hashes.tolist(), found.bound, found.together, found.left, strict=True
        )
    }
    for who, shares in possible_values(stream).items():
        most = max(sum(shares.get(own, 0) for own in both) for both in ("xy", "xz", "yz"))
        bound, belief, left = by_hash[tuple(hashes_of(pl.Series([who]), b"key").tolist()[0])]
        assert bound == pytest.approx(most)
        assert belief == pytest.approx(most)
        assert (left == 1) == (most > 1 - 1e-9)


def test_a_value_in_all_sets_that_are_left_is_certain(tmp_path: Path) -> None:
    def released(people: Mapping[str, str]) -> ind.Release:
        buckets = {"algorithm": "anatomy"}
        return released_of(people, tmp_path / "ledger", 0.5, method=buckets)

    both = {"p": "xy", "q": "xz"}
    released(both | {"r": "w", "t": "u"}).write(tmp_path / "one")
    with pytest.raises(ind.Unsatisfiable, match="about 2 people "):
        released(both | {"s": "v", "k": "m"})


ORDERED = {"table": {"low": ["x"], "high": ["y", "z"]}, "order": ["low", "high"]}


@pytest.mark.parametrize(
    "promise",
    [
        {"model": "distinct-l-diversity", "l": 2},
        {"model": "entropy-l-diversity", "l": 1.5},
        {"model": "recursive-cl-diversity", "c": 3, "l": 2},
        {"model": "p-plus-sensitive", "p": 2},
        {"model": "p-alpha-sensitive", "p": 2, "alpha": 0.5},
        {"model": "p-plus-alpha-sensitive", "p": 2, "alpha": 0.5},
        {"model": "balanced-p-plus-sensitive", "p": 2, "difference": 2},
    ],
)
def test_promises_of_several_values_are_broken_where_one_is_left(
    tmp_path: Path, promise: dict[str, Any]
) -> None:
    """Who left has the x that the second release does not list any more."""
    keys = {
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "categories": ORDERED},
        },
        "promises": [promise | {"sensitive": "ill"}],
        "ledger": {"path": str(tmp_path / "ledger"), "person": "who"},
    }
    rows = [("p", 30, "x"), ("q", 30, "y"), ("r", 30, "x"), ("s", 30, "z")]
    people = pl.DataFrame(rows, ["who", "age", "ill"], orient="row")
    ind.anonymize(people, keys).write(tmp_path / "one")
    other = pl.DataFrame([("t", 30, "x"), ("u", 30, "y")], ["who", "age", "ill"], orient="row")
    checked = promise["model"] == "distinct-l-diversity"
    later = ind.anonymize(other, keys)
    told = [text for text in later.warnings if "holds for this release alone" in text]
    assert bool(told) is not checked
    with pytest.raises(ind.Unsatisfiable, match=rf"1 person.*{promise['model']}"):
        ind.anonymize(people[1:], keys)


def test_values_in_another_order_are_the_same_signature() -> None:
    numbers: dict[tuple[str | None, ...], int] = {}
    starts, counts = np.array([0, 2, 4, 5]), np.ones(5, np.int64)
    one = Listed(("x", "y", None), starts, np.array([0, 1, 1, 2, 0], np.int32), counts)
    two = Listed((None, "y", "x"), starts, np.array([0, 1, 1, 2, 1], np.int32), counts)
    found = [_numbered(part, numbers, np.arange(3)).tolist() for part in (one, two)]
    signatures = [[list(numbers)[at] for at in own] for own in found]
    assert signatures == [
        [("x", "y"), ("y", None), ("x",)],
        [("y", None), ("x", "y"), ("y",)],
    ]


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), unique=True), max_size=4))
def test_everybody_has_one_number_in_all_releases(releases: list[list[tuple[int, int]]]) -> None:
    """Also where two people share a half of their hashes."""
    told = [one for release in releases for one in sorted(release)]
    hashes = [np.array(sorted(own), np.uint64).reshape(-1, 2) for own in releases]
    order, person = numbered(hashes)
    names = {at: told[place] for place, at in zip(order, person, strict=True)}
    assert [names[at] for at in person] == sorted(told) == [told[place] for place in order]
    assert sorted(names) == list(range(len(set(told))))


def test_long_and_linked_tables_are_written_down(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    who = np.repeat(np.arange(40), random.integers(1, 4, 40))
    ages = random.integers(20, 60, 40)
    visits = pl.DataFrame(
        {"who": [f"P{at}" for at in who], "age": ages[who],
         "ill": random.choice([f"i{at}" for at in range(8)], len(who))}
    )  # fmt: skip
    keys = {
        "source": {"person": "who"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 3}],
        "ledger": {"path": str(tmp_path / "ledger")},
    }
    long = ind.anonymize(visits, keys)
    assert long.record is not None
    assert len(long.record.entry.people) == 40
    assert long.record.entry.listed["ill"].holding == "some"
    buckets = {
        **keys,
        "promises": [{"model": "distinct-l-diversity", "l": 2, "sensitive": "ill"}],
        "method": {"algorithm": "anatomy"},
    }
    linked = ind.anonymize(visits, buckets)
    assert linked.record is not None
    assert linked.record.entry.sizes.sum() == len(linked.record.entry.people)
    linked.write(tmp_path / "linked")
    assert ind.check_ledger(tmp_path / "ledger").releases == 1


@pytest.mark.parametrize("several", [True, False])
def test_all_values_of_a_person_join_rows_of_releases(tmp_path: Path, several: bool) -> None:
    """Who is in both has what one row of each shows: where rows show sets, A and B for certain."""

    def releases(values: Mapping[str, str]) -> ind.Release:
        rows = [(who, 30, one) for who, own in values.items() for one in own[: 1 + several]]
        table = pl.DataFrame(rows, ["who", "age", "ill"], orient="row")
        return ind.anonymize(table, {
            "source": {"person": "who"},
            "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
            "promises": [
                {"model": "kl-cover", "sensitive": "ill", "k": 1, "l": 2},
                {"model": "max-posterior", "sensitive": "ill", "bound": 0.5},
            ],
            "ledger": {"path": str(tmp_path / "ledger"), "conflict": "warn"},
        })  # fmt: skip

    releases({"p": "AB", "q": "CD", "r": "EF"}).write(tmp_path / "one")
    later = releases({"p": "AB", "s": "CE", "t": "DF" if several else "E"})
    told = "'ill': rows of several releases can be joined by 'ill', which divides the classes of 5"
    assert any(told in warning for warning in later.warnings) is several
    if several:
        assert any(
            "fewer than 2 values would stay possible of them" in warning
            for warning in later.warnings
        )
    later.write(tmp_path / "two")
    found = ind.check_ledger(tmp_path / "ledger")
    assert [one.promise.model for one in found.broken] == ["kl-cover"] * several


def test_what_is_wrong_with_a_ledger_is_told(tmp_path: Path) -> None:
    used = {"path": str(tmp_path / "used"), "person": "patient"}
    ind.anonymize(table(1), policy(tmp_path, ledger=used)).write(tmp_path / "one", report=False)
    codes = []
    for make in (
        lambda: Ledger(tmp_path / "nothing").entries(),
        lambda: ind.Policy.from_dict({**policy(tmp_path), "ledger": {"path": "x"}}),
        lambda: ind.anonymize(pl.concat([table(1), table(1)]), policy(tmp_path)),
        lambda: Ledger(tmp_path / "used").forget(7),
    ):
        with pytest.raises(ind.InputError) as caught:
            make()
        codes.append(caught.value.problems[0].code)
    assert codes == ["no-ledger", "person-without-column", "ledger-person", "no-such-release"]
    (tmp_path / "ledger").mkdir(0o755)
    with pytest.raises(ind.OutputError):
        ind.anonymize(table(1), policy(tmp_path))
    (tmp_path / "ledger").chmod(0o700)
    (tmp_path / "file").touch()
    for place in ("file", "file/ledger"):
        own = {"path": str(tmp_path / place), "person": "patient"}
        with pytest.raises(ind.OutputError) as refused:
            ind.anonymize(table(1), policy(tmp_path, ledger=own))
        assert "cannot write here (not a directory)" in str(refused.value)
    (tmp_path / "ledger" / "ledger.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(ind.InputError) as caught:
        Ledger(tmp_path / "ledger").entries()
    assert caught.value.problems[0].code == "bad-ledger"


Change = Callable[[Any], Any]


@pytest.mark.parametrize(
    ("column", "kind", "change"),
    [
        ("releases.sizes", np.int64, lambda sizes: sizes // 2),
        ("releases.groups", np.int32, lambda groups: groups * 0),
        ("releases.groups", np.int32, lambda groups: groups[1:]),
        ("releases.groups", np.int32, lambda groups: groups + 1000),
        ("releases.people", np.uint64, lambda people: np.roll(people, 2)),
        ("releases.people", np.uint64, lambda people: np.append(people[:2], people[:-2])),
        ("releases.created", None, lambda created: f"on {created}"),
        ("releases.account", None, lambda account: "[]"),
        ("releases.account", None, lambda account: "{}"),
        ("listed.counts", np.int64, lambda counts: counts * 0),
        ("listed.counts", np.int64, lambda counts: counts + 1),
        ("listed.counts", np.int64, lambda counts: counts[1:]),
        ("listed.places", np.int32, lambda places: places * 0),
        ("listed.places", np.int32, lambda places: places + 1000),
        ("listed.starts", np.int64, lambda starts: starts[::-1]),
        ("listed.starts", np.int64, lambda starts: starts + 1),
        ("listed.starts", np.int64, lambda starts: starts[:-1]),
        ("listed.labels", None, lambda labels: json.dumps([1] * 50)),
        ("listed.labels", None, lambda labels: json.dumps(json.loads(labels)[:1] * 50)),
        ("listed.holding", None, lambda holding: "each"),
        ("listed.attribute", None, lambda attribute: "other"),
        ("listed.release", None, lambda release: 3 - release),
    ],
)
def test_a_ledger_that_does_not_fit_together_is_refused(
    tmp_path: Path, column: str, kind: Any, change: Change
) -> None:
    """Else people whom it knows no more, or counts that are none, would let a promise hold."""
    for at in range(2):
        ind.anonymize(table(at, 60 + 20 * at), policy(tmp_path, "warn")).write(
            tmp_path / f"release-{at}"
        )
    ledger = Ledger(tmp_path / "ledger")
    assert len(ledger.entries()) == 2
    held, name = column.split(".")
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger" / FILE)) as connection:
        read = f"SELECT rowid, {name} FROM {held}"  # noqa: S608 - names of this file
        write = f"UPDATE {held} SET {name} = ? WHERE rowid = ?"  # noqa: S608 - the same
        for row, value in connection.execute(read).fetchall():
            found = change(value if kind is None else np.frombuffer(value, kind))
            told = found if kind is None else found.astype(kind).tobytes()
            connection.execute(write, (told, row))
        connection.commit()
    for look in (ledger.entries, lambda: ind.check_ledger(tmp_path / "ledger")):
        with pytest.raises(ind.InputError) as caught:
            look()
        assert caught.value.problems[0].code == "bad-ledger"


@pytest.mark.parametrize(
    ("write", "known"),
    [
        (str.lower, 60),
        (lambda name: f" {name.lower()} ", 60),
        (lambda name: f"P-{name[1:]}", 60),
        (lambda name: name[1:].lstrip("0") or "0", 0),  # another name, as far as anybody can tell
        (lambda name: name, 0),
        (lambda name: f"Q{name}", 0),
    ],
)
def test_who_is_out_under_another_spelling_is_told(
    tmp_path: Path, write: Callable[[str], str], known: int
) -> None:
    first = table(1)
    ind.anonymize(first, policy(tmp_path, "warn")).write(tmp_path / "first", report=False)
    again = first.with_columns(pl.Series("patient", [write(name) for name in first["patient"]]))
    told = ind.anonymize(again, policy(tmp_path, "warn")).warnings
    found = [str(one) for one in told if "if their key were written otherwise" in str(one)]
    assert [one.startswith(f"{known} of 60 people") for one in found] == [True] * bool(known)


def test_numbers_with_and_without_zeros_are_told(tmp_path: Path) -> None:
    first = table(1).with_columns(pl.col("patient").str.slice(1).str.zfill(6))
    ind.anonymize(first, policy(tmp_path, "warn")).write(tmp_path / "first", report=False)
    again = first.with_columns(pl.col("patient").cast(pl.Int64))
    told = " ".join(map(str, ind.anonymize(again, policy(tmp_path, "warn")).warnings))
    assert "60 of 60 people who are new to the ledger" in told


def test_of_two_runs_at_once_the_later_is_made_again(tmp_path: Path) -> None:
    one = ind.anonymize(table(1), policy(tmp_path))
    two = ind.anonymize(table(9), policy(tmp_path))
    one.write(tmp_path / "one")
    with pytest.raises(ind.OutputError) as caught:
        two.write(tmp_path / "two")
    assert caught.value.problems[0].code == "ledger-changed"
    assert not (tmp_path / "two").exists()


def test_commands_at_once_wait_for_each_other(tmp_path: Path) -> None:
    asked = ind.Policy.from_dict(policy(tmp_path))
    arrived, served = Event(), Event()

    def later() -> None:
        arrived.set()
        with in_turn(asked, Progress()):
            served.set()
            ind.anonymize(table(1), asked).write(tmp_path / "two", report=False)

    with ThreadPoolExecutor() as pool:
        with in_turn(asked, Progress()):
            release = ind.anonymize(table(1), asked)
            other = pool.submit(later)
            arrived.wait()
            release.write(tmp_path / "one", report=False)
            assert not served.is_set()
        other.result()
    assert [one.number for one in Ledger(tmp_path / "ledger").entries()] == [1, 2]


@pytest.mark.parametrize("already", ["", "of", "of/us", "of/us/ledger"])
def test_who_comes_while_a_ledger_is_made_waits_for_who_makes_it(
    tmp_path: Path, already: str
) -> None:
    """The first run has locked what was there before the folder of the ledger, and its parents."""
    (tmp_path / already).mkdir(mode=0o700, parents=True, exist_ok=True)
    place, arrived, served = tmp_path / "of" / "us" / "ledger", Event(), Event()

    def later() -> None:
        found = Ledger.made(place)
        arrived.set()
        with found.turn():
            served.set()

    with ThreadPoolExecutor() as pool:
        with Ledger.made(place).turn():
            (tmp_path / "of" / "us").mkdir(parents=True, exist_ok=True)
            halfway = pool.submit(later)
            arrived.wait()
            assert not served.wait(0.2)
            Ledger.made(place)._make()
            arrived.clear()
            after = pool.submit(later)
            arrived.wait()
            assert not served.wait(0.2)
        halfway.result()
        after.result()
    assert served.is_set()


def test_a_folder_that_cannot_appear_leaves_no_entry(tmp_path: Path) -> None:
    own = {"path": str(tmp_path / "of" / "us" / "ledger"), "person": "patient"}
    release = ind.anonymize(table(1), policy(tmp_path, ledger=own))
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "mine.txt").write_text("mine")
    with pytest.raises(ind.OutputError):
        release.write(tmp_path / "one")
    assert [one.name for one in tmp_path.iterdir()] == ["one"]
    release.write(tmp_path / "two", report=False)
    with pytest.raises(ind.OutputError):
        release.write(tmp_path / "one")
    assert [one.number for one in Ledger(tmp_path / "of" / "us" / "ledger").entries()] == [1]


def test_where_nothing_is_released_no_ledger_is_made(tmp_path: Path) -> None:
    """An empty ledger would say that nothing is out yet, wherever the folder is put."""
    asked = policy(tmp_path)
    table(1).write_csv(tmp_path / "table.csv")
    ind.anonymize(table(1), asked)
    ind.explore(table(1), asked, k=[2, 3], gain=0.9)
    with pytest.raises(ind.Unsatisfiable):
        ind.anonymize(table(1), {**asked, "promises": [{"model": "k-anonymity", "k": 1000}]})
    (tmp_path / "policy.toml").write_text(
        '[attributes]\npatient = { role = "identifier" }\nill = { role = "sensitive" }\n'
        'age = { role = "quasi-identifier", hierarchy = "suppress" }\n'
        '[[promises]]\nmodel = "k-anonymity"\nk = 1000\n'
        '[ledger]\npath = "ledger"\nperson = "patient"\n'
    )
    told = ["--policy", str(tmp_path / "policy.toml"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["anonymize", str(tmp_path / "table.csv"), *told])
    assert result.exit_code == 3, result.output
    assert not (tmp_path / "ledger").exists()


def test_first_runs_at_once_have_one_key(tmp_path: Path) -> None:
    """Both would hash people by a key of their own, and the later one find nobody."""
    one, two = (ind.anonymize(table(at), policy(tmp_path, "warn")) for at in (1, 9))
    assert one.record is not None
    with one.record.ledger._made_for_first():
        two.write(tmp_path / "two", report=False)
        with pytest.raises(ind.OutputError) as caught:
            one.write(tmp_path / "one", report=False)
    assert caught.value.problems[0].code == "ledger-changed"
    ind.Ledger(tmp_path / "ledger").forget(1)
    with pytest.raises(ind.OutputError) as caught:
        one.write(tmp_path / "one", report=False)
    assert caught.value.problems[0].code == "ledger-changed"
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one", report=False)
    assert len(Ledger(tmp_path / "ledger").entries()) == 1


def test_killed_at_any_step_release_and_entry_are_both_there_or_neither(tmp_path: Path) -> None:
    """What stands in the file system at every line of code from the entry on, opened again.

    ``benchmarks/ledger.py`` kills processes at the system calls in between.
    """
    release = ind.anonymize(table(1, 20), policy(tmp_path))
    ledger, out = tmp_path / "ledger", tmp_path / "out"
    seen: dict[frozenset[tuple[str, bytes]], dict[Path, bytes]] = {}
    begun = False

    def step(frame: FrameType, event: str, given: Any) -> Any:
        nonlocal begun
        del given
        begun |= frame.f_code.co_name == "await_folder"
        if not begun or Path(frame.f_code.co_filename).name not in ("ledger.py", "writing.py"):
            return None
        if event == "line":
            files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
            seen.setdefault(frozenset((str(path), text) for path, text in files.items()), files)
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        release.write(out, report=False)
    finally:
        sys.settrace(before)
    states = set()
    for files in seen.values():
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder)
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        awaited = sqlite3.connect(ledger / "ledger.sqlite").execute(_AWAITED).fetchall()
        there = (out / "certificate.json").exists()
        assert len(Ledger(ledger).entries()) == there
        states.add((bool(awaited), there))
    assert states == {(False, False), (True, False), (True, True), (False, True)}


_AWAITED = "SELECT 1 FROM releases WHERE NOT published"


def test_the_verb(tmp_path: Path) -> None:
    runner = CliRunner()
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one")
    path = str(tmp_path / "ledger")
    listed = json.loads(runner.invoke(app, ["ledger", "list", path, "--json"]).stdout)
    assert [item["release"] for item in listed["releases"]] == [1]
    assert "1 release" in runner.invoke(app, ["ledger", "list", path]).stdout
    shown = json.loads(runner.invoke(app, ["ledger", "show", path, "--release", "1"]).stdout)
    assert shown["people"] == 60
    assert json.loads(runner.invoke(app, ["ledger", "show", path, "--json"]).stdout) == shown
    checked = runner.invoke(app, ["ledger", "check", path, "--json"])
    document = json.loads(checked.stdout)
    assert {"releases", "people", "holds", "worst_posterior", "broken"} <= set(document)
    assert (checked.exit_code, document["holds"]) == (0, True)
    assert runner.invoke(app, ["ledger", "forget", path]).exit_code == 2
    assert runner.invoke(app, ["ledger", "show", path, "--release", "3"]).exit_code == 2
    for name in ("two", "three"):
        other = table(1).with_columns(age=pl.col("age").shuffle(len(name)))
        ind.anonymize(other, policy(tmp_path, "warn")).write(tmp_path / name)
    newest = json.loads(runner.invoke(app, ["ledger", "show", path]).stdout)
    assert newest["release"] == 3
    assert runner.invoke(app, ["ledger", "show", path, "--release", "0"]).exit_code == 2
    told = tmp_path / "people.csv"
    asked = ["ledger", "check", path, "--pairs", "--people", str(told)]
    checked = runner.invoke(app, [*asked, "--json"])
    assert checked.exit_code == 3
    assert runner.invoke(app, asked).exit_code == 2  # the file is there
    pairs = json.loads(checked.stdout)["pairs"]
    assert sorted(one["releases"] for one in pairs) == [[1, 2], [1, 3], [2, 3]]
    assert [one["worst"] for one in pairs] == sorted((one["worst"] for one in pairs), reverse=True)
    beliefs = pl.read_csv(told)
    assert beliefs["together"].is_sorted(descending=True)
    assert beliefs["together"][0] == json.loads(checked.stdout)["worst_posterior"]
    assert {*Ledger(path).hashes(table(1)["patient"].to_list())} == {*beliefs["person"]}
    assert runner.invoke(app, ["ledger", "list", path, "--pairs"]).exit_code == 2
    forgotten = runner.invoke(app, ["ledger", "forget", path, "--release", "1"])
    assert forgotten.exit_code == 0
    assert "its folder is still there" in forgotten.stdout


def test_a_ledger_on_a_medium_without_writing_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one")
    opened = os.open

    def refused(path: Any, flags: int, *more: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", refused)
    ledger = str(tmp_path / "ledger")
    for verb in ("list", "check"):
        found = CliRunner().invoke(app, ["ledger", verb, ledger, "--json"])
        assert found.exit_code == 0, found.output


def test_two_custodians_hold_their_ledgers_against_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARED", "8f3a92c1d07be6545a1e0c9b7d3f2846")
    ours, theirs = table(1), table(1).with_columns(age=pl.col("age").shuffle(3))
    for name, frame, key in (("a", ours, True), ("b", theirs, True), ("c", theirs, False)):
        folder = tmp_path / name
        asked = policy(folder)
        asked["ledger"] |= {"key_env": "SHARED"} if key else {}
        ind.anonymize(frame, asked).write(folder / "release", report=False)
    a, b, c = (tmp_path / name / "ledger" for name in "abc")
    assert ind.check_ledger(a).holds
    assert ind.check_ledger(b).holds
    both = ind.check_ledger(a, b)
    assert not both.holds
    assert both.to_dict() == ind.check_ledger(b, a).to_dict()
    with pytest.raises(InputError, match="different keys"):
        ind.check_ledger(a, c)
    runner = CliRunner()
    done = runner.invoke(app, ["ledger", "check", str(a), "--with", str(b)])
    assert done.exit_code == 3
    assert "2 releases of" in done.stdout
    assert runner.invoke(app, ["ledger", "list", str(a), "--with", str(b)]).exit_code == 2
    assert not both.notes


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ([pl.col("patient").str.to_lowercase(), "age", "ill"], "nobody is in two releases"),
        (
            ["patient", "age", pl.col("ill").alias("illness")],
            "only one release lists 'ill', 'illness'",
        ),
    ],
)
def test_what_is_compared_with_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: list[pl.Expr | str], told: str
) -> None:
    monkeypatch.setenv("SHARED", "8f3a92c1d07be6545a1e0c9b7d3f2846")
    for name, one in (("a", table(1)), ("b", table(1).select(changed))):
        asked = json.loads(
            json.dumps(policy(tmp_path / name)).replace('"ill"', f'"{one.columns[2]}"')
        )
        asked["ledger"] |= {"key_env": "SHARED"}
        ind.anonymize(one, asked).write(tmp_path / name / "release", report=False)
    a, b = (tmp_path / name / "ledger" for name in "ab")
    assert not ind.check_ledger(a).notes
    (note,) = ind.check_ledger(a, b).notes
    assert note.startswith(told)
    shown = CliRunner().invoke(app, ["ledger", "check", str(a), "--with", str(b)]).stdout
    assert told in " ".join(shown.split())


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE releases SET account = ?",
        "UPDATE releases SET people = ?",
        "UPDATE releases SET sizes = ?",
        "pages",
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path: Path, damage: str) -> None:
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "first")
    file = tmp_path / "ledger" / "ledger.sqlite"
    if damage == "pages":
        whole = file.read_bytes()
        file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    else:
        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.execute(damage, (b"\xff" * 7,))
            connection.commit()
    done = CliRunner().invoke(app, ["ledger", "list", str(tmp_path / "ledger")])
    assert done.exit_code == 2, done.output
    assert "is not a ledger that this version can read" in done.stderr
    with pytest.raises(ind.InputError, match="is not a ledger"):
        ind.anonymize(table(1), policy(tmp_path))


@pytest.fixture(scope="module")
def of_three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of three releases, one of them forgotten; tests copy it."""
    folder = tmp_path_factory.mktemp("three")
    for at in range(3):
        ind.anonymize(table(at), policy(folder, "warn")).write(folder / f"{at}", report=False)
    Ledger(folder / "ledger").forget(2)
    return folder / "ledger"


def copied(ledger: Path, folder: Path) -> tuple[Path, Ledger]:
    shutil.copytree(ledger, folder / "ledger")
    return folder / "ledger" / FILE, Ledger(folder / "ledger")


def what_it_knows(ledger: Ledger) -> list[Any]:
    """Everything that a ledger says; nothing where it is refused."""
    found: list[Any] = []
    with contextlib.suppress(ind.InputError):
        for one in ledger.entries():
            found += [one.to_dict(), one.people.tolist(), one.groups.tolist(), one.sizes.tolist()]
            for name, part in one.listed.items():
                lists = (part.starts.tolist(), part.places.tolist(), part.counts.tolist())
                found.append((name, part.labels, part.holding, lists))
    return found


def test_no_changed_byte_of_a_ledger_changes_what_it_says(of_three: Path, tmp_path: Path) -> None:
    file, ledger = copied(of_three, tmp_path)
    known, whole, refused = what_it_knows(ledger), file.read_bytes(), 0
    for at in [*range(0, len(whole), 61), *range(3700, 4090, 7)]:  # the last: names of tables
        changed = bytearray(whole)
        changed[at] ^= 0xFF
        file.write_bytes(changed)
        said = what_it_knows(ledger)
        assert said in ([], known), at
        refused += not said
    assert refused > 50
    file.write_bytes(whole)
    assert what_it_knows(ledger) == known


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM releases WHERE number = 1",
        "DELETE FROM releases WHERE number = 3",
        "DELETE FROM releases",
        "DELETE FROM listed WHERE release = 3",
        "DELETE FROM struck",
        "INSERT INTO struck VALUES (4)",
        "UPDATE listed SET release = 9 WHERE release = 3",
        "UPDATE listed SET release = 4 - release",
        "UPDATE releases SET number = 7 WHERE number = 3",
        "INSERT INTO releases SELECT 2, published, created, folder, certificate_sha256, account, "
        "people, groups, sizes, digest FROM releases WHERE number = 1",
        "UPDATE releases SET published = 0, folder = '/nowhere'",
        "UPDATE releases SET published = 0",
        "UPDATE releases SET created = '2020-01-01'",
        "UPDATE releases SET folder = folder || '/'",
        "UPDATE releases SET account = replace(account, '0.6', '0.9')",
        "UPDATE releases SET account = replace(account, 'max-posterior', 'k-anonymity')",
        "UPDATE releases SET people = (SELECT people FROM releases WHERE number = 1)",
        "UPDATE releases SET groups = (SELECT groups FROM releases WHERE number = 1)",
        "UPDATE listed SET labels = replace(labels, 'gout', 'ague')",
        "UPDATE sqlite_sequence SET seq = seq + 1",
        "DELETE FROM sqlite_sequence",
        "DROP TABLE struck",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = 2",
        "",
    ],
)
def test_a_ledger_that_was_changed_is_refused(of_three: Path, tmp_path: Path, change: str) -> None:
    file, ledger = copied(of_three, tmp_path)
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute(change)
        connection.commit()
    if not change:
        file.write_bytes(b"")
    for look in (ledger.entries, lambda: ind.anonymize(table(1), policy(tmp_path, "warn"))):
        with pytest.raises(ind.InputError) as caught:
            look()
        assert caught.value.problems[0].code == "bad-ledger"
    file.unlink()
    with pytest.raises(ind.InputError, match="has lost what it held"):
        ind.anonymize(table(1), policy(tmp_path, "warn"))
    assert not file.exists()


@pytest.mark.parametrize(
    ("key", "code"),
    [
        (None, "bad-ledger"),
        ("", "bad-ledger"),
        ("ab" * 31, "bad-ledger"),
        ("\xe9" * 64, "bad-ledger"),
        ("ab" * 33, "bad-ledger"),
        ("ab" * 32, "other-key"),
    ],
)
def test_no_release_is_made_where_the_key_is_another(
    tmp_path: Path, key: str | None, code: str
) -> None:
    """Else nobody would be found in an earlier release, and every promise would hold."""
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one", report=False)
    place = tmp_path / "ledger" / "key"
    place.unlink()
    if key is not None:
        place.write_text(key)
    with pytest.raises(ind.InputError) as caught:
        ind.anonymize(table(1), policy(tmp_path))
    assert caught.value.problems[0].code == code
    assert place.exists() == (key is not None)


def test_no_release_is_made_where_the_policy_names_another_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one", report=False)
    monkeypatch.setenv("OTHER", "6e1f" + "0c9a53b7d28e41f6" * 4)
    own = {"path": str(tmp_path / "ledger"), "person": "patient", "key_env": "OTHER"}
    with pytest.raises(ind.InputError) as caught:
        ind.anonymize(table(1), policy(tmp_path, ledger=own))
    assert caught.value.problems[0].code == "other-key"


def test_a_full_disk_leaves_neither_release_nor_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ind.anonymize(table(1), policy(tmp_path)).write(tmp_path / "one", report=False)
    release = ind.anonymize(table(9, 3000), policy(tmp_path, "warn"))
    connect = sqlite3.connect

    def full(file: Path) -> sqlite3.Connection:
        connection = connect(file)
        connection.execute("PRAGMA max_page_count = 1")  # no page more than there are
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", full)
        with pytest.raises(ind.OutputError) as caught:
            release.write(tmp_path / "two", report=False)
    assert caught.value.problems[0].code == "disk-full"
    assert not (tmp_path / "two").exists()
    assert len(Ledger(tmp_path / "ledger").entries()) == 1
    release.write(tmp_path / "two", report=False)
    assert len(Ledger(tmp_path / "ledger").entries()) == 2


class Server:
    """One that takes the rows of a release, or refuses them, and what happens as it does."""

    told = ()

    def __init__(self, then: Callable[[], object]) -> None:
        self.commit = then

    def put(self, frames: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
        return {name: (name, len(frame)) for name, frame in frames.items()}

    def certify(self, certificate: Any) -> None: ...


@pytest.mark.parametrize("taken", [True, False])
def test_what_a_server_has_counts_though_the_folder_cannot_appear(
    tmp_path: Path, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, out = ind.anonymize(table(1), policy(tmp_path)), tmp_path / "out"

    def commit() -> None:
        if not taken:
            raise ind.DataError("no-server", "the server refuses")
        out.mkdir()
        (out / "mine.txt").touch()

    monkeypatch.setattr(ind.Release, "_store", lambda *_: Server(commit))
    with pytest.raises(IndistinctError):
        release.write(out, report=False, into="postgresql://host/db?schema=s")
    assert not (out / "certificate.json").exists()
    assert len(Ledger(tmp_path / "ledger").entries()) == taken


def _of_those_who_left(folder: Path, second: list[str], conflict: str = "refuse") -> None:
    """Four values of four people; then a release of some of them, each value known by now."""
    ills = {"a": "flu", "b": "gout", "c": "ms", "d": "HIV"}
    asked = {
        "attributes": {
            "who": {"role": "identifier"},
            "zip": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "max-posterior", "bound": 0.6, "over": "releases"}],
        "ledger": {"path": str(folder / "ledger"), "person": "who", "conflict": conflict},
    }
    for number, people in enumerate([[*ills], second]):
        rows = [{"who": who, "zip": "1010", "ill": ills[who]} for who in people]
        ind.anonymize(pl.DataFrame(rows), asked).write(folder / f"release-{number}")


def test_a_release_that_tells_too_much_about_those_who_left_is_refused(tmp_path: Path) -> None:
    """Three of four people in a release list three of four values: the fourth is the fourth's."""
    with pytest.raises(ind.Unsatisfiable) as caught:
        _of_those_who_left(tmp_path, ["a", "b", "c"])
    (problem,) = caught.value.problems
    assert problem.code == "broken-over-releases"
    assert "1 person" in problem.message
    assert ind.check_ledger(tmp_path / "ledger").holds
    _of_those_who_left(tmp_path / "warned", ["a", "b", "c"], "warn")
    assert not ind.check_ledger(tmp_path / "warned" / "ledger").holds


def test_who_was_known_before_is_no_reason_to_refuse_a_release_of_others(tmp_path: Path) -> None:
    _of_those_who_left(tmp_path, ["a", "b", "c"], "warn")
    others = [entry({"1": ("e", "f")}, {"1": ("flu", "gout")})]
    known = Ledger(tmp_path / "ledger").entries()
    assert [one.people for one in reported([*known]).broken] == [1]
    assert not reported([*known, *others], of_last=True).broken


@given(streams())
def test_the_last_release_answers_for_all_whom_it_tells_of(stream: Stream) -> None:
    """Counting all worlds before and after it, whoever is in it."""
    entries = entries_of(stream)
    bound = {"bound": 0.6, "over": "releases"}
    asked = {"model": "max-posterior", "parameters": bound, "on": ["q"], "sensitive": "ill"}
    for one in entries:
        one.account["promises"] = [asked]
    before, after = beliefs(stream[:-1]) or {}, beliefs(stream)
    if after is None or len(stream) == 1:
        return
    told = {
        who
        for who, belief in after.items()
        if belief > 0.6 + 1e-9 and (who in stream[-1] or before.get(who, 0) <= 0.6 + 1e-9)
    }
    assert sum(one.people for one in reported(entries, of_last=True).broken) == len(told)


def test_epsilons_of_several_releases_add_up(tmp_path: Path) -> None:
    table = pl.DataFrame({"who": [f"p{at}" for at in range(400)], "sex": ["f", "m"] * 200})
    keys: dict[str, Any] = {
        "attributes": {
            "who": {"role": "identifier"},
            "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        },
        "promises": [{"model": "differential-privacy", "epsilon": 0.5, "delta": 0.01}],
        "method": {"algorithm": "safepub"},
        "ledger": {"path": str(tmp_path / "ledger"), "person": "who"},
    }
    ind.anonymize(table, keys).write(tmp_path / "first")
    assert not any("add" in note for note in ind.check_ledger(tmp_path / "ledger").notes)
    second = ind.anonymize(table, keys)
    assert any("epsilon = 1, delta = 0.02" in text for text in second.warnings)
    second.write(tmp_path / "second")
    found = ind.check_ledger(tmp_path / "ledger").notes
    assert any("both releases together promise epsilon = 1, delta = 0.02" in one for one in found)
    other = keys | {"promises": [{"model": "k-anonymity", "k": 5}], "method": {}}
    ind.anonymize(table, other).write(tmp_path / "third")
    found = ind.check_ledger(tmp_path / "ledger").notes
    assert any("all 3 together promise none" in one for one in found)
