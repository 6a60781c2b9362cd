"""Cells of classes: as tight as their style allows, and honest about what is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.recoding import tables
from tests.recoding.tables import Table, members, released

import indistinct as ind
from indistinct.errors import HierarchyError, PolicyError
from indistinct.hierarchies.cells import Coverage, range_text, set_text
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.recoding.cells import amounts_under, cells_of, classes_as_published
from indistinct.recoding.plan import CellPlan, LevelPlan, SearchReport
from indistinct.recoding.recoded import leaked, mean_loss, measured, ncp

REPORT = SearchReport("test", "ncp", "arithmetic", 0.0, False, 0.0, 0, 0, 0.0)


def in_order(taxonomy: Taxonomy, values: Sequence[Label]) -> list[Label]:
    """Depth first: every value by the first leaf under each node on its way down."""
    order = taxonomy.compile().order
    return sorted(set(values), key=lambda value: order[taxonomy.index[value]])


def expected(taxonomy: Taxonomy, values: Sequence[Label], style: str) -> Label:
    """The cell of these values, by going through the hierarchy."""
    shown = [taxonomy.level(0)[taxonomy.index[value]] for value in values]
    if style == "ancestor":
        if set(shown) == {SUPPRESSED}:
            return SUPPRESSED
        return taxonomy.lowest_common_ancestor(shown)
    if style == "level":
        for level in range(taxonomy.levels):
            labels = {taxonomy.generalize(value, level) for value in values}
            if len(labels) == 1:
                return labels.pop()
        return SUPPRESSED
    if any(value in taxonomy.suppressed for value in values):
        return SUPPRESSED
    if style == "set":
        return set_text(in_order(taxonomy, values))
    known = sorted({value for value in values if value is not None})
    if not known:
        return None
    if taxonomy.dates is not None:
        ends = [period(value, taxonomy) for value in known]
    else:
        ends = sorted(known, key=int)
    text = range_text(ends[0], ends[-1])
    return set_text([text, None]) if None in values else text


def period(day: str, taxonomy: Taxonomy) -> str:
    """What a range of days begins or ends with under a hierarchy of dates."""
    if "-Q" in str(taxonomy.level(1)[0]):
        return f"{day[:4]}-Q{(int(day[5:7]) + 2) // 3}"
    return day[:7] if taxonomy.periods == ("iso", "month") else day


def cell(plan: CellPlan, attribute: int, group: int) -> Label:
    return plan.texts[attribute][plan.cell_of[attribute][group]]


@settings(max_examples=400)
@given(st.data())
def test_cells_are_tight(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    microdata = table.encoded()
    leveled = microdata.data
    combinations = leveled.table.combinations
    class_of = np.array(
        data.draw(st.lists(st.integers(-1, 4), min_size=combinations, max_size=combinations)),
        dtype=np.int32,
    )
    plan = cells_of(leveled, class_of, data.draw(tables.cells(table)), REPORT)
    for group in range(plan.groups):
        rows = np.flatnonzero(class_of == group)
        if not len(rows):
            continue
        held = [
            [leveled.taxonomies[name].leaves[code] for code in leveled.table.codes[j][rows]]
            for j, name in enumerate(leveled.attributes)
        ]
        wanted = [
            expected(leveled.taxonomies[name], values, style)
            for name, values, style in zip(leveled.attributes, held, plan.style, strict=True)
        ]
        found = [cell(plan, j, group) for j in range(len(wanted))]
        if all(text == SUPPRESSED for text in wanted):
            # Published otherwise, if any attribute allows it.
            can = [
                name
                for name, values in zip(leveled.attributes, held, strict=True)
                if not set(values) & set(leveled.taxonomies[name].suppressed)
            ]
            assert bool((plan.class_of[rows] == -1).all()) == (not can)
            changed = [j for j, text in enumerate(found) if text != SUPPRESSED]
            assert len(changed) == min(len(can), 1)
            for j in changed:
                name = leveled.attributes[j]
                style = "range" if name == "age" else "set"
                assert found[j] == expected(leveled.taxonomies[name], held[j], style)
            continue
        assert found == wanted
        assert (plan.class_of[rows] == group).all()
    for j, name in enumerate(leveled.attributes):
        taxonomy = leveled.taxonomies[name]
        coverage = Coverage(taxonomy)
        assert len(set(plan.texts[j])) == len(plan.texts[j])
        for text, covered in zip(plan.texts[j], plan.covered[j], strict=True):
            assert coverage.mask(text).sum() == covered
        amounts = np.arange(1, len(taxonomy.leaves) + 1)
        assert amounts_under(taxonomy, plan.texts[j], amounts).tolist() == [
            int(amounts[coverage.mask(text)].sum()) for text in plan.texts[j]
        ]


@settings(max_examples=200)
@given(st.data())
def test_published_cells_cover_every_member(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    microdata = table.encoded()
    class_of = np.array(
        [data.draw(st.integers(0, 3)) for _ in range(microdata.data.table.combinations)],
        dtype=np.int32,
    )
    plan = cells_of(microdata.data, class_of, data.draw(tables.cells(table)), REPORT)
    release = released(table, microdata, plan)
    group_of = plan.class_of[microdata.combination_of]
    for name in table.attributes:
        coverage = Coverage(microdata.data.taxonomies[name])
        for text, value, group in zip(release[name], table.texts[name], group_of, strict=True):
            if group >= 0:
                place = coverage.leaves.index(value)
                assert coverage.mask(text)[place]
    hidden = release.select(pl.all_horizontal(pl.col(table.attributes).eq_missing(SUPPRESSED)))
    assert hidden.to_series().to_list() == (group_of < 0).tolist()


@settings(max_examples=100)
@given(st.data())
def test_classes_with_equal_cells_get_one_number(data: st.DataObject) -> None:
    table = data.draw(tables.tables(plain=True))
    leveled = table.encoded().data
    class_of = np.array(
        [data.draw(st.integers(0, 5)) for _ in range(leveled.table.combinations)], dtype=np.int32
    )
    plan = cells_of(leveled, class_of, data.draw(tables.cells(table)), REPORT)
    number = classes_as_published(plan)
    looks = [
        tuple(cell(plan, j, group) for j in range(len(plan.texts))) for group in range(plan.groups)
    ]
    for one in range(plan.groups):
        for other in range(plan.groups):
            assert (number[one] == number[other]) == (looks[one] == looks[other])


@settings(max_examples=150)
@given(st.data())
def test_a_partition_by_levels_costs_what_the_levels_cost(data: st.DataObject) -> None:
    table = data.draw(tables.tables())
    leveled = table.encoded().data
    levels = tuple(data.draw(st.integers(0, int(height))) for height in leveled.heights)
    columns = np.stack([leveled.columns[leveled.row_of[j, at]] for j, at in enumerate(levels)])
    _, class_of = np.unique(columns, axis=1, return_inverse=True)
    gone = np.array([data.draw(st.booleans()) for _ in leveled.weight])
    node_of = np.where(gone, -1, 0).astype(np.int32)
    whole = LevelPlan(leveled.attributes, (levels,), node_of, REPORT)
    plan = _at_levels(leveled, levels, np.where(gone, -1, class_of.reshape(-1)).astype(np.int32))
    found, wanted = measured(leveled, plan), measured(leveled, whole)
    assert "height" not in found
    assert "precision" not in found
    for name in set(found) - {"ncp", "non-uniform-entropy"}:
        assert found[name] == pytest.approx(wanted[name], abs=1e-12)
    assert leaked(leveled, plan) == leaked(leveled, whole)


def _at_levels(data: LeveledTable, levels: Sequence[int], class_of: NDArray[np.int32]) -> CellPlan:
    """The plan of cells that publishes each class at these levels."""
    groups = int(class_of.max(initial=-1)) + 1
    cell_of, texts, covered = [], [], []
    for j, level in enumerate(levels):
        column = data.columns[data.row_of[j, level]]
        own = np.zeros(groups, dtype=np.int32)
        own[class_of[class_of >= 0]] = column[class_of >= 0]
        cell_of.append(own)
        texts.append(data.compiled[j].labels[level])
        covered.append(data.leaves[j][level])
    style = ("level",) * len(levels)
    return CellPlan(
        data.attributes, class_of, tuple(cell_of), tuple(texts), tuple(covered), style, REPORT
    )


def plain(rows: Sequence[tuple[str | None, ...]], **chains: Sequence[Sequence[Label]]) -> Microdata:
    names = list(chains)
    texts = pl.DataFrame(list(rows), schema=dict.fromkeys(names, pl.String), orient="row")
    return Microdata.encode(texts, {name: Taxonomy(name, chains[name]) for name in names})


def test_loss_of_ranges_and_sets_by_hand() -> None:
    ages = [(str(age), "*") for age in range(20, 30)]
    towns = [("N", "*"), ("E", "*"), ("S", "*")]
    found = plain([("20", "N"), ("22", "N"), ("27", "N"), ("29", "S")], age=ages, town=towns)
    class_of = np.array([0, 0, 1, 1], dtype=np.int32)
    plan = cells_of(found.data, class_of, {"town": "set"}, REPORT)
    assert [cell(plan, 0, 0), cell(plan, 0, 1)] == ["[20, 22]", "[27, 29]"]
    assert [cell(plan, 1, 0), cell(plan, 1, 1)] == ["N", "{N, S}"]
    # Three of ten ages each; one of three towns twice, two of three twice.
    age, town = (4 * 0.3 - 0.4) / (4 - 0.4), (2 / 3 + 4 / 3 - 4 / 3) / (4 - 4 / 3)
    assert measured(found.data, plan)["loss-arithmetic"] == pytest.approx((age + town) / 2)
    assert mean_loss(found.data, plan) == pytest.approx((age + town) / 2)
    # Of nine years between the youngest and the oldest two; of three towns one twice, two twice.
    assert ncp(found.data, plan) == pytest.approx((2 / 9 + (2 * 2 / 3) / 4) / 2)
    gone = cells_of(found.data, np.full(4, -1, dtype=np.int32), None, REPORT)
    assert ncp(found.data, gone) == 1.0
    assert measured(found.data, gone)["loss"] == pytest.approx(1.0)


def test_bits_lost_under_a_set() -> None:
    towns = [("N", "*"), ("E", "*"), ("S", "*")]
    found = plain([("N",), ("N",), ("E",), ("S",)], town=towns)
    class_of = np.array([0, 0, 1], dtype=np.int32)  # E and N together: by code N, E, S
    plan = cells_of(found.data, class_of, "set", REPORT)
    # N: 2 of 3 under {N, E}; E: 1 of 3.
    lost = 2 * np.log2(3 / 2) + np.log2(3)
    worst = 2 * np.log2(4 / 2) + 2 * np.log2(4)
    assert measured(found.data, plan)["non-uniform-entropy"] == pytest.approx(lost / worst)


def test_uneven_branches_tell_ancestor_and_level_apart() -> None:
    chains = [("a", "x", "*"), ("b", "c", "x", "*"), ("d", "*")]
    found = plain([("a",), ("b",)], q=chains)
    both = np.zeros(2, dtype=np.int32)
    beside = plain([("a", "1"), ("b", "1")], q=chains, r=[("1", "*"), ("2", "*")])
    assert cell(cells_of(beside.data, both, {"q": "ancestor"}, REPORT), 0, 0) == "x"
    assert cell(cells_of(beside.data, both, {"q": "level"}, REPORT), 0, 0) == "*"
    assert cell(cells_of(found.data, both, "ancestor", REPORT), 0, 0) == "x"
    # Nothing else is published of the class, and '*' alone would read as suppressed.
    assert cell(cells_of(found.data, both, "level", REPORT), 0, 0) == "{a, b}"


def test_many_values_make_sets_too() -> None:
    chains = [(f"v{at:03}", "*") for at in range(200)]
    found = plain([(f"v{at:03}",) for at in range(0, 200, 2)], q=chains)
    class_of = (np.arange(100) // 3).astype(np.int32)
    plan = cells_of(found.data, class_of, "set", REPORT)
    assert cell(plan, 0, 0) == "{v000, v002, v004}"
    assert cell(plan, 0, 33) == "v198"
    assert plan.covered[0][plan.cell_of[0]].tolist() == [3] * 33 + [1]


def test_ranges_keep_the_text_of_numbers() -> None:
    chains = [("1.5", "*"), ("007", "*"), ("-3", "*"), ("1e2", "*")]
    found = plain([(chain[0],) for chain in chains], q=chains)
    plan = cells_of(found.data, np.zeros(4, dtype=np.int32), "range", REPORT)
    assert plan.texts[0] == ("[-3, 1e2]",)
    assert plan.covered[0].tolist() == [4]


@pytest.mark.parametrize(
    ("style", "code"),
    [
        ("range", "no-numbers"),
        ({"town": "range"}, "no-numbers"),
        ("sett", "unknown-cells"),
        ({"twon": "set"}, "unknown-attribute"),
    ],
)
def test_styles_that_do_not_fit_are_told(style: dict[str, str] | str, code: str) -> None:
    found = plain([("N",)], town=[("N", "*"), ("S", "*")])
    with pytest.raises(PolicyError) as caught:
        cells_of(found.data, np.zeros(1, dtype=np.int32), style, REPORT)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_people_of_a_population_widen_the_cells_of_their_class() -> None:
    table = Table((("20", "A1", "town N", "u"),), "value", ("age",))
    people = Table((("20", "A1", "town N", "u"), ("22", "A1", "town N", "u")), "value", ("age",))
    found = table.encoded(population=people).data
    assert found.weight.tolist() == [1, 0]
    inside = cells_of(found, np.zeros(2, dtype=np.int32), None, REPORT)
    outside = cells_of(found, np.array([0, -1], dtype=np.int32), None, REPORT)
    assert (cell(inside, 0, 0), cell(outside, 0, 0)) == ("[20, 22]", "20")


def test_no_class_at_all() -> None:
    found = plain([("N",)], town=[("N", "*"), ("S", "*")])
    plan = cells_of(found.data, np.full(1, -1, dtype=np.int32), None, REPORT)
    assert plan.groups == 0
    assert classes_as_published(plan).tolist() == []
    assert leaked(found.data, plan)["town"]["after"] == 0.0
    assert members(plan, found.data, 0) == [()]


CODES = pl.DataFrame(
    {
        "sex": ["1", "2"] * 20,
        "state": [f"{at % 13:02d}" for at in range(40)],
        "ward": [str(11 + at % 17) for at in range(40)],
        "age": [str(20 + at) for at in range(40)],
        "ill": ["a", "b"] * 20,
    }
)


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member", "k-l-diversity"])
def test_categories_with_numbers_for_names_stay_sets(algorithm: str) -> None:
    keys: dict[str, Any] = {
        "attributes": {
            name: {"role": "quasi-identifier", "hierarchy": "suppress"} for name in CODES.columns
        }
        | {"ill": {"role": "sensitive"}},
        "promises": [{"model": "k-anonymity", "k": 8}],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    keys["attributes"]["ward"]["type"] = "category"
    table = CODES
    if algorithm == "k-l-diversity":
        table = CODES.with_columns(who=pl.int_range(pl.len()).cast(pl.String))
        keys["source"] = {"person": "who"}
        keys["attributes"]["ill"]["hierarchy"] = "suppress"
        keys["promises"] = [{"model": "kl-diversity", "k": 8, "l": 2, "sensitive": "ill"}]
    made = ind.anonymize(table, keys).tables
    rows = made["quasi"] if isinstance(made, dict) else made
    for name in ("sex", "state", "ward"):
        assert not [cell for cell in rows[name].cast(pl.String) if cell and cell.startswith("[")]
    assert [cell for cell in rows["age"].cast(pl.String) if cell and cell.startswith("[")]


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member", "k-l-diversity"])
def test_few_numbers_that_become_ranges_are_told(algorithm: str) -> None:
    keys: dict[str, Any] = {
        "source": {"person": "who"},
        "attributes": {
            "the zone": {"role": "quasi-identifier", "hierarchy": "suppress"},
            "age": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "hierarchy": "suppress"},
        },
        "promises": [{"model": "kl-diversity", "k": 11, "l": 2, "sensitive": "ill"}],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    if algorithm != "k-l-diversity":
        keys["promises"] = [{"model": "k-anonymity", "k": 11}]
    zone = pl.Series("the zone", [str(10 + 10 * (at % 4)) for at in range(40)])
    table = CODES.select("age", "ill", zone, who=pl.int_range(pl.len()).cast(pl.String))

    def told(**said: Any) -> list[str]:
        keys["attributes"]["the zone"].update(said)
        release = ind.anonymize(table, keys)
        return [one for one in release.warnings if "published as ranges" in one]

    assert told() == [
        "'the zone': its 4 values are numbers, and published as ranges; if they are codes, write "
        'attributes."the zone".type = "category", else "number"'
    ]
    assert told(type="number") == []
    del keys["attributes"]["the zone"]["type"]
    keys["method"]["cells"] = {"the zone": "range"}
    assert told() == []
    del keys["method"]["cells"]
    assert told(type="category") == []


def test_what_a_type_says_comes_before_what_numbers_look_like() -> None:
    keys: dict[str, Any] = {
        "attributes": {
            "state": {"role": "quasi-identifier", "type": "number"},
            "ward": {"role": "quasi-identifier", "type": "category"},
        },
        "promises": [{"model": "k-anonymity", "k": 20}],
        "method": {"algorithm": "mondrian", "cells": "range", "seed": 1},
    }
    cells = ind.anonymize(CODES.select("state", "ward"), keys).tables
    assert all(cell.startswith("[") for cell in cells["state"])
    assert all(cell.startswith("{") for cell in cells["ward"])
    keys["method"]["cells"] = {"ward": "range"}
    with pytest.raises(PolicyError, match="categories have no ranges"):
        ind.anonymize(CODES.select("state", "ward"), keys)
    keys["method"].pop("cells")
    keys["attributes"]["ward"]["hierarchy"] = {"intervals": 5}
    with pytest.raises(PolicyError, match="categories have no intervals"):
        ind.anonymize(CODES.select("state", "ward"), keys)


@pytest.mark.parametrize(
    "said", [{"type": "category", "hierarchy": {"file": "ward.csv"}}, {"hierarchy": {"mask": {}}}]
)
def test_no_category_becomes_a_range_where_a_class_would_be_all_stars(
    said: dict[str, Any], tmp_path: Path
) -> None:
    tree = "\n".join(f"{at},{at // 10}*,*" for at in (5, *range(11, 28)))
    (tmp_path / "ward.csv").write_text(tree)
    keys = {
        "attributes": {"ward": {"role": "quasi-identifier", **said}},
        "promises": [{"model": "k-anonymity", "k": 30}],
        "method": {"algorithm": "mondrian", "seed": 1},
    }
    policy = ind.Policy.from_dict(keys, directory=tmp_path)
    wards = pl.concat([CODES["ward"], pl.Series("ward", ["5"])]).to_frame()
    cells = ind.anonymize(wards, policy).tables["ward"].unique().to_list()
    assert all(cell.startswith("{") for cell in cells), cells


DATES = pl.DataFrame(
    {
        "day": [f"2024{1 + at % 12:02d}{1 + at % 28:02d}" for at in range(96)],
        "age": [str(20 + at % 40) for at in range(96)],
    }
)


def test_dates_are_generalized_as_dates_where_the_policy_says_so() -> None:
    days = DATES.with_columns(pl.col("day").str.replace(r"(....)(..)(..)", "$1-$2-$3"))
    days = pl.concat([days, days.head(8).with_columns(day=pl.lit("9999-99-99"))])
    keys: dict[str, Any] = {
        "attributes": {
            "day": {"role": "quasi-identifier", "type": "date", "missing": ["9999-99-99"]},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
    }
    keys["attributes"]["day"]["missing"] = {"tokens": ["9999-99-99"], "as": "value"}
    made = ind.anonymize(days, keys).tables
    assert set(made["day"]) <= {None, "*", "2024", "2020s"} | {f"2024-Q{at}" for at in range(1, 5)}
    keys["attributes"]["day"]["missing"] = "value"
    with pytest.raises(HierarchyError, match="cannot be read as a date in the format 'iso'"):
        ind.anonymize(days, keys)


def test_dates_that_look_like_numbers_have_ranges_of_dates() -> None:
    keys: dict[str, Any] = {
        "attributes": {
            "day": {
                "role": "quasi-identifier",
                "type": "date",
                "hierarchy": {"date": {"format": "%Y%m%d", "levels": ["month", "year"]}},
            },
            "age": {"role": "quasi-identifier"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
        "method": {"algorithm": "mondrian", "seed": 1},
    }
    made = ind.anonymize(DATES, keys).tables
    ranges = [cell for cell in made["day"].unique() if cell.startswith("[")]
    assert ranges
    assert all(re.fullmatch(r"\[2024-\d\d, 2024-\d\d\]", cell) for cell in ranges), ranges
    keys["method"]["cells"] = {"day": "ancestor"}
    made = ind.anonymize(DATES, keys).tables
    assert not [cell for cell in made["day"] if cell.startswith("[")]
    keys["method"].pop("cells")
    keys["attributes"]["day"]["hierarchy"] = {"intervals": 5}
    with pytest.raises(PolicyError, match="dates have no intervals"):
        ind.anonymize(DATES, keys)


def test_codes_under_a_mask_are_published_as_nodes_unless_they_are_called_numbers() -> None:
    """The postcodes from 52010 to 53090 are no place; 52*** is one."""
    codes = pl.DataFrame({"postcode": [f"5{2 + at // 20}{at % 9}{at % 7}0" for at in range(40)]})
    code: dict[str, Any] = {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}}
    keys: dict[str, Any] = {
        "attributes": {"postcode": code},
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "mondrian", "seed": 1},
    }
    cells = ind.anonymize(codes, keys).tables["postcode"].cast(pl.String)
    assert cells.str.contains(r"^5\d*\**$").all()
    code["type"] = "number"
    cells = ind.anonymize(codes, keys).tables["postcode"].cast(pl.String)
    assert cells.str.starts_with("[").any()
