"""Queries and their answers, against counting by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from indistinct.analytics.published import Original, read_rows
from indistinct.analytics.utility.query_error import Condition, Mode, Queries, Workload
from indistinct.errors import DataError
from indistinct.hierarchies.taxonomy import Taxonomy

Row = tuple[str | None, str | None, str | None]

WARDS = Taxonomy(
    "ward", [("A", "top", "*"), ("B", "top", "*"), ("C", "low", "*"), ("D", "low", "*")]
)
NAMES = ("age", "ward", "height")


def taxonomies(rows: list[Row]) -> dict[str, Taxonomy]:
    found = {}
    for at, name in enumerate(NAMES):
        values = {row[at] for row in rows}
        chains = [(value, "*") for value in sorted(v for v in values if v is not None)]
        known = WARDS if name == "ward" else Taxonomy(name, chains)
        found[name] = known.extended("value" if None in values else None)
    return found


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(NAMES, pl.String), orient="row")


def number(text: str | None) -> float | None:
    return None if text is None else float(text)


def is_whole(rows: list[Row], at: int) -> bool:
    return all(float(row[at] or 0).is_integer() for row in rows)


def ends(rows: list[Row], at: int, cell: str) -> tuple[float, float]:
    if cell == "*":
        there = [float(row[at]) for row in rows if row[at] is not None]  # type: ignore[arg-type]
        return min(there), max(there)
    if cell.startswith("["):
        low, high = cell[1:-1].split(", ")
        return float(low), float(high)
    return float(cell), float(cell)


def fit(
    rows: list[Row], at: int, cell: str | None, asked: Condition, leaves: tuple[str | None, ...]
) -> tuple[bool, float]:
    """Whether a cell meets a condition, and the share of it that does, the slow way."""
    if asked.leaves is not None:
        wanted = {leaves[place] for place in asked.leaves.tolist()}
        under = [leaf for leaf in leaves if cell == "*" or cell in _above(leaf)]
        share = sum(leaf in wanted for leaf in under) / len(under)
        return share > 0, share
    if cell is None:
        return False, 0.0
    low, high = ends(rows, at, cell)
    values = range(math.ceil(low), math.floor(high) + 1)
    if is_whole(rows, at) and values:
        inside = [x for x in values if asked.low <= x <= asked.high]
        return bool(inside), len(inside) / len(values)
    start, end = max(low, asked.low), min(high, asked.high)
    if start > end:
        return False, 0.0
    return True, 1.0 if high == low else (end - start) / (high - low)


def _above(leaf: str | None) -> tuple[str | None, ...]:
    return (None,) if leaf is None else (leaf, *WARDS.ancestors(leaf))


def by_hand(
    rows: list[Row], published: list[Row], queries: Queries, mode: Mode
) -> list[tuple[float, float]]:
    """The true and the published answer to every query."""
    leaves = [tuple(queries.original.domains[name].taxonomy.leaves) for name in NAMES]
    answers = []
    for query in queries.asked:
        sums = []
        for source in (rows, published):
            total = 0.0
            for row in source:
                if all(cell == "*" for cell in row):
                    continue
                share = 1.0
                for asked in query:
                    at = asked.attribute
                    meets, part = fit(rows, at, row[at], asked, leaves[at])
                    share *= part if mode == "uniform" else float(meets)
                total += share
            sums.append(total)
        answers.append((sums[0], sums[1]))
    return answers


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """A table, and some release of it: any cell above the true one, or rows left out or added."""
    rows: list[Row] = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["20", "21", "24", "30", "41", None]),
                st.sampled_from(["A", "B", "C", None]),
                st.sampled_from(["1.5", "1.62", "1.8", "2"]),
            ),
            min_size=1,
            max_size=12,
        )
    )
    assume(any(row[0] is not None for row in rows))
    published: list[Row] = []
    for row in rows:
        if draw(st.integers(0, 9)) == 0:
            published += [("*", "*", "*")] * draw(st.integers(0, 1))
            continue
        age = draw(st.sampled_from([row[0], "*", *_ranges(row[0])]))
        ward = draw(st.sampled_from(_above(row[1]) if row[1] else (None, "*")))
        height = draw(st.sampled_from([row[2], "*", "[1.5, 2]", "[1.2, 2.5]"]))
        published += [(age, ward, height)] * draw(st.sampled_from([1, 1, 1, 2]))
    return rows, published


def _ranges(age: str | None) -> list[str]:
    return [] if age is None else [f"[{int(age) - 1}, {int(age) + 3}]", f"[{age}, 60]"]


@settings(max_examples=150)
@given(
    tables(),
    st.integers(1, 3),
    st.sampled_from([0.05, 0.2, 0.5, 1.0]),
    st.integers(0, 5),
    st.sampled_from(["overlap", "uniform"]),
)
def test_answers_are_those_of_counting(
    drawn: tuple[list[Row], list[Row]], dimensions: int, selectivity: float, seed: int, mode: Mode
) -> None:
    rows, published = drawn
    original = Original.of(frame(rows), taxonomies(rows))
    try:
        queries = Workload(10, dimensions, selectivity, seed).draw(original)
    except DataError:
        assume(False)
    answers = queries.answers(read_rows(original, frame(published)), mode)
    expected = by_hand(rows, published, queries, mode)
    assert queries.counts.tolist() == [true for true, _ in expected]
    assert answers == pytest.approx([found for _, found in expected])
    assert (queries.counts > 0).all()
    error = queries.error(read_rows(original, frame(published)), mode)
    errors = [abs(found - true) / true for true, found in expected]
    assert error.mean == pytest.approx(np.mean(errors))
    assert error.median == pytest.approx(np.median(errors))


@given(tables(), st.integers(1, 3), st.sampled_from(["overlap", "uniform"]))
@settings(max_examples=50)
def test_the_table_itself_answers_right(
    drawn: tuple[list[Row], list[Row]], dimensions: int, mode: Mode
) -> None:
    rows, _ = drawn
    original = Original.of(frame(rows), taxonomies(rows))
    try:
        queries = Workload(10, dimensions, 0.5).draw(original)
    except DataError:
        assume(False)
    assert queries.error(read_rows(original, frame(rows)), mode).to_dict() == {
        "mean": 0.0,
        "median": 0.0,
        "mode": mode,
        "queries": 10,
    }


@pytest.fixture
def rows() -> list[Row]:
    random = np.random.default_rng(3)
    ages = random.integers(18, 80, 400)
    wards = random.choice(list("ABCD"), 400)
    heights = np.round(random.normal(1.7, 0.1, 400), 2)
    return [(str(a), str(w), f"{h:g}") for a, w, h in zip(ages, wards, heights, strict=True)]


def test_nothing_published_finds_nothing(rows: list[Row]) -> None:
    original = Original.of(frame(rows), taxonomies(rows))
    queries = Workload(50).draw(original)
    for published in ([], [("*", "*", "*")] * 400):
        for mode in ("overlap", "uniform"):
            error = queries.error(read_rows(original, frame(published)), mode)
            assert (error.mean, error.median) == (1.0, 1.0)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_conditions_have_the_size_asked_for(rows: list[Row], dimensions: int) -> None:
    original = Original.of(frame(rows), taxonomies(rows))
    queries = Workload(200, dimensions, 0.1, 7).draw(original)
    share = 0.1 ** (1 / dimensions)
    seen = set()
    low, high = original.domains["height"].span
    for query in queries.asked:
        assert [part.attribute for part in query] == sorted({part.attribute for part in query})
        assert len(query) == dimensions
        for part in query:
            seen.add(part.attribute)
            if part.attribute == 0:
                assert part.high - part.low + 1 == math.ceil(share * 62)
                assert 18 <= part.low <= part.high <= 79
            elif part.attribute == 1:
                assert part.leaves is not None
                assert len(set(part.leaves.tolist())) == math.ceil(share * 4)
            else:
                assert part.high - part.low == pytest.approx(share * (high - low))
                assert low <= part.low <= part.high <= high + 1e-12
    assert seen == {0, 1, 2}


def test_the_same_seed_asks_the_same(rows: list[Row]) -> None:
    original = Original.of(frame(rows), taxonomies(rows))
    published = read_rows(original, frame([(f"[{r[0]}, 99]", r[1], "*") for r in rows]))
    first, again = (Workload(80, seed=4).draw(original) for _ in range(2))
    other = Workload(80, seed=5).draw(original)
    longer = Workload(160, seed=4).draw(original)
    assert first.counts.tolist() == again.counts.tolist()
    assert first.error(published) == again.error(published)
    assert first.counts.tolist() != other.counts.tolist()
    assert longer.counts[:80].tolist() == first.counts.tolist()


def test_few_queries_on_the_same_columns_are_counted_alike(
    rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Original.of(frame(rows), taxonomies(rows))
    published = read_rows(original, frame([("*", r[1], f"[1, {r[2]}]") for r in rows]))
    grouped = Workload(90).draw(original)
    monkeypatch.setattr("indistinct.analytics.utility.query_error.WORTH_GROUPING", 1000)
    monkeypatch.setattr("indistinct.analytics.utility.query_error.CELLS_AT_ONCE", 500)
    plain = Workload(90).draw(original)
    assert plain.counts.tolist() == grouped.counts.tolist()
    assert plain.answers(published, "uniform") == pytest.approx(
        grouped.answers(published, "uniform")
    )


def test_the_published_examples(shared: Path) -> None:
    known = json.loads((shared / "spec/oracles.json").read_text())["D_004"]["query_examples"]
    people = pl.DataFrame(
        {
            "age": ["40", "45", "45", "38", "42", "40", "45", "32"],
            "zip": ["2139", "2545", "2238", "2843", "2341", "2548", "2544", "2538"],
            "gender": ["F", "M", "F", "M", "F", "M", "F", "M"],
        }
    )
    cells = pl.DataFrame(
        {
            "age": ["[40, 42]", "[40, 45]", "45", "[32, 38]"] * 2,
            "zip": ["[2139, 2341]", "[2545, 2548]", "[2238, 2544]", "[2538, 2843]"] * 2,
            "gender": people["gender"],
        }
    )
    flat = {
        name: Taxonomy(name, [(value, "*") for value in people[name].unique().sort()])
        for name in people.columns
    }
    original = Original.of(people, flat)
    published = read_rows(original, cells)
    for example in known:
        genders = [flat["gender"].code_of(value) for value in example["gender"]]
        query = (
            Condition(0, *map(float, example["age"])),
            Condition(1, *map(float, example["zip"])),
            Condition(2, leaves=np.array(genders)),
        )
        queries = Queries(
            Workload(1), 3, original, (query,), np.array([float(example["original"])])
        )
        assert queries.answers(read_rows(original, people))[0] == example["original"]
        assert queries.answers(published)[0] == example["overlap"]
        assert queries.error(published).mean == example["overlap_error"]
        if "uniform" in example:
            assert queries.answers(published, "uniform")[0] == pytest.approx(example["uniform"])
            assert queries.error(published, "uniform").mean == pytest.approx(
                example["uniform_error"]
            )


def test_numbers_between_whole_ones_are_numbers(rows: list[Row]) -> None:
    original = Original.of(frame(rows), taxonomies(rows))
    published = read_rows(original, frame([("39.5", "A", "1.7"), ("[39.2, 39.8]", "A", "1.7")]))
    query = (Condition(0, 39.0, 40.0),)
    queries = Queries(Workload(1), 1, original, (query,), np.array([1.0]))
    assert queries.answers(published)[0] == 2
    assert queries.answers(published, "uniform")[0] == 2


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"queries": 0}, "queries must be 1 or more"),
        ({"queries": 10**20}, "queries must be 10,000,000 or fewer"),
        ({"dimensions": 0}, "dimensions must be 1 or more"),
        ({"selectivity": 0.0}, "selectivity must be a share"),
        ({"selectivity": math.nan}, "selectivity must be a share"),
        ({"seed": -1}, "seed must be 0 or more"),
    ],
)
def test_settings_out_of_range(settings: dict[str, float], says: str) -> None:
    with pytest.raises(DataError, match=says):
        Workload(**settings)  # type: ignore[arg-type]


def test_what_cannot_be_asked(rows: list[Row]) -> None:
    original = Original.of(frame(rows), taxonomies(rows))
    with pytest.raises(DataError, match="there are 3 quasi-identifiers"):
        Workload(dimensions=4).draw(original)
    far = [("1", "A", "1.7"), ("1000000", "B", "1.7")]
    apart = Original.of(frame(far), taxonomies(far))
    ages = Original({"age": apart.domains["age"]}, apart.codes[:1], apart.weight)
    assert Workload(10, 1, 1e-9).draw(ages).occurring
    thin = [(str(at), "ABCD"[at % 4], f"{at}.5") for at in range(300)]
    with pytest.raises(DataError, match="found a record"):
        Workload(10, 3, 1e-9).draw(Original.of(frame(thin), taxonomies(thin)))
    with pytest.raises(DataError, match="mode must be overlap or uniform"):
        Workload(10).draw(original).errors(read_rows(original, frame(rows)), "both")  # type: ignore[arg-type]
