"""Several releases audited together: what is proved of them is true of all that may be so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.test_ledger import Stream, beliefs, streams
from tests.test_over_releases import possible_values, together

import indistinct as ind
from indistinct.errors import DataError, PolicyError
from indistinct.release.audit.reading import read_release
from indistinct.release.audit.series import (
    OneOf,
    _days,
    _joined,
    _kind,
    _known,
    _members,
    may_meet,
    verdict_over,
)
from indistinct.requirement import Requirement

ABOUT = {"sensitive": "ill"}
PROMISES = [
    {"model": "max-posterior", "bound": 0.5, "over": "releases", **ABOUT},
    {"model": "tau-safety", "m": 1, **ABOUT},
    {"model": "m-invariance", "m": 1, **ABOUT},
    {"model": "kl-cover", "k": 2, "l": 2, **ABOUT},
]


def sex(name: str) -> str:
    return "fm"[ord(name[-1]) % 2]


def frames_of(stream: Stream) -> list[pl.DataFrame]:
    return [
        pl.DataFrame(
            [(who, group, sex(who), value) for who, (group, value) in release.items()],
            schema=["who", "class", "sex", "ill"],
            orient="row",
        )
        for release in stream
    ]


def audited(stream: Stream, **asked: Any) -> list[Any]:
    frames = frames_of(stream)
    if "follow" not in asked:  # rows would be joined by it
        frames = [one.drop("who") for one in frames]
    found = ind.audit(frames, promises=PROMISES, quasi=["class", "sex"], **asked)
    return list(found.promises)


def believed(stream: Stream) -> list[float]:
    """How much is believed of anybody in each class at most, by what its part of classes lists.

    Classes that share people are of one part. A class by itself says how often its values occur;
    of several, only that all list the same values equally often says anything.
    """
    classes: list[tuple[set[str], list[str]]] = []
    for release in stream:
        for own in sorted({group for group, _ in release.values()}):
            inside = {who: ill for who, (group, ill) in release.items() if group == own}
            classes.append((set(inside), sorted(inside.values())))
    parts = [{at} for at in range(len(classes))]
    for one, other in combinations(range(len(classes)), 2):
        if classes[one][0] & classes[other][0]:
            joined = [part for part in parts if part & {one, other}]
            parts = [part for part in parts if part not in joined] + [set().union(*joined)]
    bounds = []
    for part in parts:
        lists = [classes[at][1] for at in part]
        even = all(len({own.count(ill) for ill in own}) == 1 for own in lists)
        bound = 1.0
        if len(part) == 1:
            bound = max(lists[0].count(ill) for ill in lists[0]) / len(lists[0])
        elif even and len({frozenset(own) for own in lists}) == 1:
            bound = 1 / len(set(lists[0]))
        bounds += [bound] * len(part)
    return bounds


@settings(max_examples=15)
@given(streams().filter(lambda stream: len(stream) > 1))
def test_what_is_proved_is_true_of_all_worlds(stream: Stream) -> None:
    stream = [{who: (own + sex(who), ill) for who, (own, ill) in one.items()} for one in stream]
    most = max(beliefs(stream).values())
    signature = [
        {
            who: frozenset(value for group, value in release.values() if group == own)
            for who, (own, _) in release.items()
        }
        for release in stream
    ]
    kept = [
        all(one[who] == other[who] for one, other in pairs for who in one.keys() & other.keys())
        for pairs in (list(combinations(signature, 2)), list(pairwise(signature)))
    ]
    followed = audited(stream, follow="who")
    bounds = believed(stream)
    assert followed[0].achieved["bound"] in (None, pytest.approx(max(bounds)))
    assert followed[0].holds == (True if max(bounds) <= 0.5 else None)
    assert followed[0].classes == sum(bound > 0.5 for bound in bounds)
    assert [one.holds for one in followed[1:3]] == kept
    people, values = together(stream)[0], possible_values(stream)[0]
    assert followed[3].achieved["k"] == people
    for verdicts in (followed, audited(stream, constant=["sex"]), audited(stream)):
        belief, *signatures, cover = verdicts
        assert (cover.achieved["l"] or 0) <= values
        assert not cover.holds or (people >= 2 and values >= cover.achieved["l"] >= 2)
        if belief.holds:
            assert most <= belief.achieved["bound"] + 1e-9
        for one, so in zip(signatures, kept, strict=True):
            assert not one.holds or so
        assert all(two.holds for one, two in zip(verdicts, followed, strict=True) if one.holds)


def test_of_a_class_by_itself_its_largest_share_is_believed() -> None:
    """Nobody is in both releases: two of four have one illness, one each of two another."""
    first = {who: ("north", ill) for who, ill in zip("aceg", "xxyz", strict=True)}
    second = {who: ("south", ill) for who, ill in zip("ikm", "xyz", strict=True)}
    belief = audited([first, second], follow="who")[0]
    assert believed([first, second]) == [1 / 2, 1 / 3]
    assert (belief.holds, belief.achieved) == (True, {"bound": 0.5})


def test_more_people_than_asked_may_stay_together() -> None:
    """Three share a class and its three values in both releases, where two are asked for."""
    first = {who: ("north", ill) for who, ill in zip("ace", "xyz", strict=True)}
    second = {who: ("south", ill) for who, ill in zip("ace", "yzx", strict=True)}
    cover = audited([first, second], follow="who")[3]
    assert cover.achieved == {"k": 3, "l": 3}
    assert cover.holds is True
    asked = {"model": "kl-cover", "k": 4, "l": 2, **ABOUT}
    frames = frames_of([first, second])
    as_many, more = ind.audit(
        frames, promises=[{**asked, "k": 3}, asked], quasi=["class"], follow="who"
    ).promises
    assert (as_many.holds, as_many.why) == (True, "")
    assert more.holds is False
    assert str(more.why).endswith("shares the classes of all releases with 2 others alone")
    assert more.classes == 0


@pytest.mark.parametrize("rows", [(0, 0), (0, 2), (2, 0)])
@pytest.mark.parametrize("constant", [[], ["age"]])
def test_releases_without_rows_are_held_together(
    rows: tuple[int, int], constant: list[str]
) -> None:
    frames = [
        pl.DataFrame({"age": ["20", "20"], "ill": ["x", "y"]}).head(number) for number in rows
    ]
    belief = ind.audit(frames, promises=PROMISES[:1], quasi=["age"], constant=constant).promises[0]
    assert belief.holds is True
    assert belief.achieved == {"bound": 0.5 if any(rows) else 0.0}
    assert len(ind.audit(frames, promises=PROMISES, quasi=["age"]).promises) == 4


def test_what_a_series_says_of_itself() -> None:
    frames = [pl.DataFrame({"sex": [*"ff"], "ill": [*"xy"]})] * 2
    over: dict[str, Any] = {"model": "tau-safety", "m": 2, **ABOUT}
    alone: dict[str, Any] = {"model": "k-anonymity", "k": 2}

    def said(*promises: dict[str, Any]) -> str:
        return repr(ind.audit(frames, promises=promises, quasi=["sex"], constant=["sex"]))

    kept, apart = "tau-safety(m=2) of ill holds", "not looked at together: k-anonymity(k=2)"
    assert said(over) == f"<SeriesAudit: holds, 2 releases: {kept}>"
    assert said(over, alone) == f"<SeriesAudit: holds, 2 releases: {kept}; {apart}>"
    assert said(alone) == f"<SeriesAudit: each release by itself holds, 2 releases: {apart}>"


def test_missing_cells_are_cells_of_people_like_others() -> None:
    """Classes that differ in another cell are not one, and may share people of another release."""
    told = {"sex": [None] * 4, "ward": [*"nnss"]}
    frames = [
        pl.DataFrame({**told, "ill": [*ill]}, schema_overrides={"sex": pl.String})
        for ill in ("xxyy", "xxyz")
    ]
    for constant, breaking in ((["sex", "ward"], 2), (["ward"], 2), (["sex"], 4)):
        asked: dict[str, Any] = {"quasi": ["sex", "ward"], "constant": constant}
        belief, _, signature, _ = ind.audit(frames, promises=PROMISES, **asked).promises
        assert belief.holds is signature.holds is None
        assert belief.classes == 4
        assert signature.classes == breaking
        belief, _, signature, _ = ind.audit(frames[:1] * 2, promises=PROMISES, **asked).promises
        assert belief.classes == 4
        assert signature.holds is (None if constant == ["sex"] else True)


def test_where_nobody_is_everybody_stays_together() -> None:
    frames = [pl.DataFrame({"who": ["a"], "age": ["20"], "ill": ["x"]}).clear()] * 2
    cover = ind.audit(frames, promises=PROMISES[3:], quasi=["age"], follow="who").promises[0]
    assert cover.holds is True
    assert cover.achieved == {"k": None, "l": None}


@pytest.mark.parametrize(("most", "holds"), [(3, True), (2, None)])
@pytest.mark.parametrize("sexes", [[*"fmx"], ["1", "2", "3"]])
def test_labels_that_look_alike_are_compared_with_their_equals_alone(
    most: int, holds: bool | None, sexes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indistinct.release.audit.series.MOST", most)
    frames = [pl.DataFrame({"sex": sexes, "ill": [*"xyz"]}, strict=False)] * 2
    asked = {"model": "m-invariance", "m": 1, **ABOUT}
    (verdict,) = ind.audit(frames, promises=[asked], quasi=["sex"], constant=["sex"]).promises
    assert (verdict.holds, verdict.classes) == (holds, 0)
    assert ("more than 2 pairs of labels" in verdict.why) is (holds is None)


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("turn", [1, -1])
def test_pairs_of_labels_are_counted_of_both_releases(
    most: int, turn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two classes of one release could share people with the only class of the other."""
    monkeypatch.setattr("indistinct.release.audit.series.MOST", most)
    two = pl.DataFrame({"sex": ["f", "f"], "age": ["[1, 2]", "[3, 4]"], "ill": ["x", "y"]})
    one = pl.DataFrame({"sex": ["f"], "age": ["[1, 4]"], "ill": ["x"]})
    asked = {"model": "m-invariance", "m": 1, **ABOUT}
    found = ind.audit(
        [two, one][::turn], promises=[asked], quasi=["sex", "age"], constant=["sex", "age"]
    )
    assert ("more than 1 pairs of labels" in found.promises[0].why) is (most == 1)


def test_signatures_of_releases_apart_count_for_one_promise_alone() -> None:
    """Whoever is in the first and third release alone is with other values in the third."""
    some = {who: ("north", ill) for who, ill in zip("ac", "xy", strict=True)}
    others = {who: ("south", ill) for who, ill in zip("eg", "xz", strict=True)}
    again = {who: ("west", ill) for who, ill in zip("ac", "xz", strict=True)}
    asked = [{"model": model, "m": 2, **ABOUT} for model in ("m-invariance", "tau-safety")]
    for stream, kept in (([some, others, again], [True, False]), ([some, again], [False, False])):
        found = ind.audit(frames_of(stream), promises=asked, quasi=["class"], follow="who")
        assert [one.holds for one in found.promises] == kept


def test_a_column_beside_that_another_release_takes_for_known_finds_rows() -> None:
    frames = [
        pl.DataFrame({"sex": ["f"] * 2, "ward": ["n", "s"], "ill": ["x", "y"]}),
        pl.DataFrame({"sex": ["f"] * 2, "ill": ["x", "y"]}),
    ]
    for quasi, told in ((["sex"], False), (["ward"], True)):
        frames[1] = frames[1].rename({frames[1].columns[0]: quasi[0]})
        series = [OneOf(read_release(frames[0], None), ("sex",))]
        series += [OneOf(read_release(frames[1], None), tuple(quasi))]
        known = "whoever knows 'ward', as another release takes for known, finds rows"
        assert _known(series, [{"ward"}, set()]) == known * told


@pytest.mark.parametrize(
    ("ill", "many", "holds"),
    [("xy", False, True), ("xy", True, None), (["x", "{x, y}"], False, None)],
)
def test_people_who_may_have_several_values_prove_nothing(
    ill: Sequence[str], many: bool, holds: bool | None
) -> None:
    """Whether they have several records, or one that lists several values."""
    rows = pl.DataFrame({"sex": ["f"] * 2, "ill": [*ill]})
    series = [OneOf(read_release(rows, None), ("sex",), people_have_many=many)] * 2
    asked = Requirement("m-invariance", {"m": 2}, sensitive="ill")
    verdict = verdict_over(asked, series, ["sex"], None)
    assert verdict.holds is holds
    assert ("people do not have one value each" in verdict.why) is (holds is None)
    assert verdict.classes == 0


@pytest.mark.parametrize(
    ("second", "apart"), [("[25, 35)", False), ("[30, 40)", True), ("{22, 41}", False)]
)
def test_ranges_that_overlap_may_share_people(second: str, apart: bool) -> None:
    frames = [
        pl.DataFrame({"age": [age] * 2, "ill": ill})
        for age, ill in (("[20, 30)", ["x", "y"]), (second, ["x", "z"]))
    ]
    asked = {"model": "m-invariance", "m": 2, **ABOUT}
    (verdict,) = ind.audit(frames, promises=[asked], quasi=["age"], constant=["age"]).promises
    assert verdict.holds == (True if apart else None)
    assert (verdict.why == "") is apart


def test_people_who_are_followed_are_told_apart_by_any_name() -> None:
    """Names that look like ranges which overlap: the classes of two people list other values."""
    frames = [
        pl.DataFrame({"who": [f"[{low}, 9)"] * 2, "ward": ["n"] * 2, "ill": ill})
        for low, ill in ((1, ["x", "y"]), (2, ["x", "z"]))
    ]
    asked = {"model": "m-invariance", "m": 2, **ABOUT}
    (verdict,) = ind.audit(frames, promises=[asked], quasi=["ward"], follow="who").promises
    assert verdict.holds is True


def test_rows_are_joined_by_what_stands_beside_classes() -> None:
    """By a name in both releases, if people are not followed anyhow and it divides no class."""
    stream = [
        {who: (where, ill) for who, ill in zip("ace", "xyz", strict=True)}
        for where in ("north", "south")
    ]
    frames = [one.with_columns(ward=pl.col("who")) for one in frames_of(stream)]
    asked = {"promises": PROMISES, "quasi": ["class", "sex"]}
    joined = "rows of two releases can be joined by 'ward', 'who', which may divide classes"
    verdicts = ind.audit(frames, **asked).promises
    assert any(joined in (one.why or "") for one in verdicts)
    assert verdicts[0].holds is None
    assert verdicts[0].achieved == {"bound": None}
    assert verdicts[3].achieved == {"k": None, "l": None}
    followed = ind.audit(frames, **asked, follow="who")
    assert not any("joined" in (one.why or "") for one in followed.promises)


def test_series_from_files_end_with_their_verdict(tmp_path: Path, run: Any) -> None:
    first = pl.DataFrame({"age": ["[20, 30)"] * 2 + ["[30, 40)"] * 2, "ill": [*"abcd"]})
    for name, ills in {"1": "abcd", "2": "bacd", "3": "cdab"}.items():
        table = first.with_columns(pl.Series("ill", [*ills]))
        table.write_csv(tmp_path / f"{name}.csv")
    asked = tmp_path / "policy.toml"
    asked.write_text(
        '[attributes.age]\nrole = "quasi-identifier"\nhierarchy = "suppress"\n'
        '[attributes.ill]\nrole = "sensitive"\n'
        '[[promises]]\nmodel = "tau-safety"\nm = 2\nsensitive = "ill"\n'
        '[[promises]]\nmodel = "max-posterior"\nbound = 0.5\nover = "releases"\n'
        'sensitive = "ill"\n'
    )
    files = [tmp_path / f"{at}.csv" for at in (1, 2, 3)]
    done = run("audit", *files[:2], "--policy", asked, "--constant", "age")
    assert done.exit_code == 0, done.output
    assert "all 2 releases together" in done.output
    assert done.output.rstrip().endswith("every promise holds")
    numbers = [
        pl.DataFrame({"age": ages, "ill": [*"ab"]}) for ages in (["24", "25"], ["24.0", "9"])
    ]
    promised = {"promises": [{"model": "tau-safety", "m": 1, "sensitive": "ill"}], "quasi": ["age"]}
    numbers[1] = numbers[1].with_columns(pl.Series("ill", [*"cb"]))
    assert not ind.audit(numbers, constant=["age"], **promised).holds
    nobody = [numbers[0], numbers[1].with_columns(who=pl.lit(None, pl.String))]
    with pytest.raises(DataError, match="name nobody"):
        ind.audit([one.with_columns(who=one["age"]) for one in nobody[:1]] + nobody[1:],
                  follow="who", **promised)  # fmt: skip
    for files_, more in ((files[:2], []), (files, ["--constant", "age"])):
        done = run("audit", *files_, "--policy", asked, *more)
        assert done.exit_code == 3
        assert "NOT PROVED" in done.output
    done = run("audit", *files, "--policy", asked, "--follow", "age", "--json")
    assert done.exit_code == 3
    assert '"holds": false' in done.stdout
    with pytest.raises(DataError, match="no such column"):
        ind.audit(files, asked, constant=["sex"])
    for given_ in ([files[0]], files[0]):
        with pytest.raises(PolicyError, match=r"one release|two releases"):
            ind.audit(given_, asked, constant=["age"])


def test_releases_in_another_order_than_their_certificates_are_told(tmp_path: Path) -> None:
    """The order decides which releases follow each other; one given twice is no series."""
    rows = pl.DataFrame({"age": [20, 20, 30, 30], "ill": ["flu", "gout"] * 2})
    asked: dict[str, Any] = {
        "attributes": {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    folders = [tmp_path / str(year) for year in (2023, 2024, 2025)]
    for times, folder in enumerate(folders, start=1):
        ind.anonymize(pl.concat([rows] * times), asked).write(folder, report=False)
        certificate = folder / "certificate.json"
        made = {"created": f"{folder.name}-01-01T00:00:00Z"}
        certificate.write_text(json.dumps(json.loads(certificate.read_text()) | made))

    def told(*places: int) -> list[str]:
        found = ind.audit([folders[at] for at in places])
        assert found.holds
        return [one for one in found.notes if one.startswith("release")]

    assert told(0, 1, 2) == []
    (said,) = told(0, 2, 1)
    assert said.startswith("release 3 was made before release 2, as their certificates say")
    assert told(0, 1, 1) == ["releases 2 and 3 are the same files"]


def test_linked_releases_of_one_ledger_are_held_together(tmp_path: Path) -> None:
    ages = [20 + at // 2 for at in range(24)]
    table = pl.DataFrame({"who": [f"p{at}" for at in range(24)], "age": ages, "ill": [*"xy"] * 12})
    asked = {
        "source": {"person": "who"},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "m-invariance", "m": 2, "sensitive": "ill"}],
        "method": {"algorithm": "m-invariant"},
        "ledger": {"path": str(tmp_path / "ledger")},
    }
    for year, rows in enumerate((table.head(20), table.tail(20))):
        ind.anonymize(rows, asked).write(tmp_path / str(year), report=False)
    found = ind.audit([tmp_path / "0", tmp_path / "1"])
    assert found.holds
    assert found.promises[0].achieved == {"m": 2}
    assert "nobody's 'age' changes" in ind.audit(
        [tmp_path / "0", tmp_path / "1"], constant=["age"]
    ).notes[0]  # fmt: skip


PLAIN = st.integers(0, 40)


@given(PLAIN, PLAIN, PLAIN, PLAIN, st.sampled_from(["[{}, {})", "[{}, {}]", "({}, {}]", "{}-{}"]))
def test_ranges_meet_where_a_number_is_in_both(a: int, b: int, c: int, d: int, form: str) -> None:
    (a, b), (c, d) = sorted((a, b)), sorted((c, d))
    halves = [at / 2 for at in range(-2, 84)]

    def has(low: int, high: int, number: float) -> bool:
        above = low < number if form[0] == "(" else low <= number
        return above and (number < high if form[-1] == ")" else number <= high)

    both = any(has(a, b, one) and has(c, d, one) for one in halves)
    meet = may_meet(form.format(a, b), form.format(c, d))
    assert meet or not both
    if a < b and c < d:
        assert meet == both
    assert may_meet(str(a), form.format(c, d)) == has(c, d, a) or form.format(c, d) == str(a)


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (None, "a", True),
        ("021**", "02134", True),
        ("021**", "022**", False),
        ("021**", "02234", False),
        ("021**", "02", True),
        ("021**", "12134", False),
        ("2*", "[10, 30)", True),
        ("2*", "[10, 15)", True),
        ("2*", "{11, 12}", False),
        ("0****", "021**", True),
        ("1-5 years", "3-8 years", True),
        ("[74, >=90]", "[80, >=90]", True),
        ("unknown", "24", True),
        ("[5, 5]", "5", True),
        ("[5, 5]", "6", False),
        ("7-3", "24", True),
        ("{f, m}", "f", True),
        ("{f, m}", "x", False),
        ("<20", ">=20", False),
        ("24", "24.0", True),
        ("2024-05-01", "2024-05", True),
    ],
)
def test_labels_meet_unless_they_cannot(one: str | None, other: str, meet: bool) -> None:
    assert may_meet(one, other) == may_meet(other, one) == meet


ENDS = ["<{}", "<={}", "≤{}", ">{}", ">={}", "≥{}", "{}", "{}.0", " {} "]
BETWEEN = ["[{}, {})", "({}, {}]", "]{}, {}]", "[{}, {}[", "({}, {})", "]{}, {}[", "[{}, {}]"]
BETWEEN += ["{}-{}", "{} to {}", "{}–{}", "{}..{}"]


@st.composite
def numbers_of_labels(draw: st.DrawFn) -> tuple[str, set[float]]:
    """A label about whole numbers from -3 to 4, and the halves that it stands for."""
    low, high = sorted(draw(st.sets(st.integers(-3, 4), min_size=2, max_size=2)))
    halves = [at / 2 for at in range(-10, 12)]
    form = draw(st.sampled_from([*ENDS, *BETWEEN]))
    if form in BETWEEN:
        above = [one for one in halves if one > low or (one == low and form[0] not in "(]")]
        below = {one for one in halves if one < high or (one == high and form[-1] not in ")[")}
        return form.format(low, high), below.intersection(above)
    if form[0] == "<":
        below = {one for one in halves if one < low or (one == low and form[1] == "=")}
    elif form[0] == ">":
        below = {one for one in halves if one > low or (one == low and form[1] == "=")}
    else:
        below = {
            one
            for one in halves
            if one == low or (one < low and form[0] == "≤") or (one > low and form[0] == "≥")
        }
    return form.format(low), below


@settings(max_examples=300)
@given(numbers_of_labels(), numbers_of_labels())
def test_labels_of_numbers_meet_where_a_number_is_in_both(
    one: tuple[str, set[float]], other: tuple[str, set[float]]
) -> None:
    assert may_meet(one[0], other[0]) == bool(one[1] & other[1])


Day = tuple[int, int, int]


@st.composite
def periods(draw: st.DrawFn) -> tuple[str, Day, Day]:
    """A period as hierarchies of dates write it, and its first and last day."""
    decade, year = draw(st.integers(200, 201)), draw(st.integers(2008, 2011))
    month, day = draw(st.integers(1, 12)), draw(st.integers(1, 31))
    quarter = (month + 2) // 3
    return draw(
        st.sampled_from(
            [
                (f"{decade}0s", (10 * decade, 1, 1), (10 * decade + 9, 12, 31)),
                (f"{year}", (year, 1, 1), (year, 12, 31)),
                (f"{year}-Q{quarter}", (year, 3 * quarter - 2, 1), (year, 3 * quarter, 31)),
                (f"{year}-{month:02}", (year, month, 1), (year, month, 31)),
                (f"{year}-{month:02}-{day:02}", (year, month, day), (year, month, day)),
            ]
        )
    )


@st.composite
def spans(draw: st.DrawFn) -> tuple[str, Day, Day]:
    """A period, or a range of two."""
    one, other = sorted(draw(st.tuples(periods(), periods())), key=lambda period: period[1])
    if draw(st.booleans()) or other[2] < one[2]:
        return one
    return f"[{one[0]}, {other[0]}]", one[1], other[2]


@settings(max_examples=300)
@given(spans(), spans())
def test_periods_meet_where_a_day_is_in_both(
    one: tuple[str, Day, Day], other: tuple[str, Day, Day]
) -> None:
    assert may_meet(one[0], other[0]) == (one[1] <= other[2] and other[1] <= one[2])


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2020-Q1", "2020-01-01", "2020-03-31"),
        ("2020-Q2", "2020-04-01", "2020-06-31"),
        ("2020-Q4", "2020-10-01", "2020-12-31"),
        ("[2019-Q3, 2020-Q3]", "2019-07-01", "2020-09-31"),
        ("2020-02", "2020-02-01", "2020-02-31"),
        ("2020-02-03", "2020-02-03", "2020-02-03"),
        ("[2019, 2020]", "2019-01-01", "2020-12-31"),
        ("2020s", "2020-01-01", "2029-12-31"),
        ("[1990s, 2000s]", "1990-01-01", "2009-12-31"),
        ("[2019-05, 1990s]", "2019-05-01", "1999-12-31"),
    ],
)
def test_the_first_and_the_last_day_of_a_period(text: str, first: str, last: str) -> None:
    assert _days(text) == (first, last)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (None, ""),
        ("24", "number"),
        (" -2.5 ", "number"),
        ("f", "word"),
        ("two words", "word"),
        ("C34.1", "a00.0"),
        ("ÄB_7", "aa_0"),
        ("2024-05", "date"),
        ("2024-05-06", "day"),
        ("20-30", ""),
        ("3 to 4 years", ""),
        ("3 - 4 years", ""),
        *((text, "") for text in ("1*", "[1", "1]", "{1", "1}", "(1", "1)", "<1", ">1", "≤1")),
        *((text, "") for text in ("≥1", "a,b", "a;b", "a–b")),
    ],
)
def test_what_labels_look_like(text: str | None, kind: str) -> None:
    assert _kind(text) == kind


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ('{a, "b c" ,d}', ["a", "b c", "d"]),
        ("{a}", ["a"]),
        ("{a, b", ["{a, b"]),
        ("a, b}", ["a, b}"]),
    ],
)
def test_sets_are_written_in_braces(text: str, members: list[str]) -> None:
    assert _members(text) == members


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        ("c", "'c'"),
        ("bca", "'a', 'b', 'c'"),
        ("dbca", "'a', 'b', 'c' and 1 more"),
        ("edbca", "'a', 'b', 'c' and 2 more"),
    ],
)
def test_columns_by_which_rows_can_be_joined_are_named(names: str, listed: str) -> None:
    classes = [pl.DataFrame({"who": [*"xy"], "\0class": own}) for own in ([0, 0], [0, 1], [1, 1])]
    divided, together = [classes[0], classes[1]], [classes[0], classes[2]]
    beside = [{*names, "p"}, {*names, "q"}]
    said = f"rows of two releases can be joined by {listed}, which"
    assert _joined(divided, beside, None) == f"{said} may divide classes"
    assert _joined(together, beside, None) == f"{said} may divide classes"
    for both in (divided, divided[::-1]):
        assert _joined(both, beside, "who") == f"{said} divides classes"
    assert _joined(together, beside, "who") == ""
    assert _joined(divided, [{"p"}, {"q"}], None) == ""


GROUPINGS = [
    {"mild": ["x"], "grave": ["y"], "other": ["z"]},
    {"mild": ["y"], "grave": ["z"], "other": ["x"]},
]
"""Of these two groupings mild or grave in the first and in the second together are y alone."""


@pytest.mark.parametrize("algorithm", ["m-invariant", "anatomy"])
def test_labels_that_stand_for_other_values_prove_nothing(algorithm: str, tmp_path: Path) -> None:
    """All that two releases list is mild and grave, and whoever is in both has y."""
    made = []
    for at, (groups, ills) in enumerate(zip(GROUPINGS, ("xyxy", "zyzy"), strict=True)):
        asked: dict[str, Any] = {
            "source": {"person": "who"},
            "attributes": {
                "who": {"role": "identifier"},
                "sex": {"role": "quasi-identifier"},
                "ill": {
                    "role": "sensitive",
                    "categories": {"table": groups, "order": list(groups)},
                },
            },
            "promises": [
                {"model": "max-posterior", "bound": 0.5, "sensitive": "ill", "unit": "person"},
                *[{"model": "m-invariance", "m": 2, "sensitive": "ill"}] * (algorithm != "anatomy"),
            ],
            "method": {"algorithm": algorithm},
        }
        rows = pl.DataFrame({"who": [*"abcd"], "sex": [*"ffmm"], "ill": [*ills]})
        release = ind.anonymize(rows, asked)
        assert "categor" in release.certificate.transformed["ill"]
        release.write(tmp_path / str(at), report=False)
        made.append(release)
    series: list[list[Any]] = [made, [tmp_path / "0", tmp_path / "1"]]
    for one in series:
        found = ind.audit(one, promises=PROMISES, quasi=["sex"], constant=["sex"])
        assert [verdict.holds for verdict in found.promises] == [None] * len(PROMISES)
        assert all("categories are listed" in verdict.why for verdict in found.promises[:3])


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([{"transformed": {"ill": "a"}}, {"transformed": {"ill": "b"}}], "not changed in the same"),
        ([{"transformed": {"ill": "a"}}, {}], "not changed in the same"),
        (
            [{"sensitive": {"ill": {"hierarchy": [["a", up, "*"]]}}} for up in ("m", "n")],
            "different things of the same value",
        ),
        *(
            (
                [{"sensitive": {"ill": {"categories": [["a", up]]}}} for up in both],
                "different things of the same value" * (both != "mm"),
            )
            for both in ("mn", "nm", "mm")
        ),
        ([{"transformed": {"ill": "a"}}] * 2, ""),
    ],
)
def test_certificates_that_differ_on_labels_prove_nothing(
    told: list[dict[str, Any]], why: str, tmp_path: Path
) -> None:
    rows = pl.DataFrame({"sex": [*"ffmm"], "ill": [*"abab"]})
    asked: dict[str, Any] = {
        "attributes": {"sex": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 2}],
    }
    for at, more in enumerate(told):
        ind.anonymize(rows, asked).write(tmp_path / str(at), report=False)
        certificate = tmp_path / str(at) / "certificate.json"
        certificate.write_text(json.dumps(json.loads(certificate.read_text()) | more))
    found = ind.audit(
        [tmp_path / "0", tmp_path / "1"], promises=PROMISES, quasi=["sex"], constant=["sex"]
    )
    assert [verdict.holds for verdict in found.promises[:3]] == [None if why else True] * 3
    assert all(why in verdict.why for verdict in found.promises[:3])
    assert any("stands for the same values" in note for note in found.notes)
