"""Arca and Hewett (2021), computed again: leakage, generalization step by step, three searches.

The tables of the paper are quoted in :mod:`.arca_hewett_tables`; what needs the
three public heart disease files is in :mod:`.arca_hewett_heart`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from indistinct import Promise, Taxonomy, Unsatisfiable
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.recoding.subtree.search import Step
from indistinct.recoding.subtree.space import DomainSpace, Space, space
from indistinct_reproductions.arca_hewett_data import (
    METHODS,
    Data,
    Leaking,
    levels_of,
    requirement,
    searched,
    told,
)
from indistinct_reproductions.arca_hewett_heart import hospitals, read_hospitals
from indistinct_reproductions.arca_hewett_tables import (
    COLUMNS,
    FIGURE_3,
    SMALL,
    TABLE_1,
    TABLE_2,
    TABLE_3A,
    TABLE_3B,
    TABLE_3C,
    TABLE_3D,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    Row,
    age_taxonomy,
    alcohol_taxonomy,
    frame,
    rows_of,
    zip_taxonomy,
)
from indistinct_reproductions.drawing import Bars
from indistinct_reproductions.replay import Lift, compare, lifted, merged, records_sharing
from indistinct_reproductions.reproduction import Ledger, Progress, Reproduction
from indistinct_reproductions.trees import Kind, Node, Tree, search_tree, taxonomy_tree

NAME = "arca-hewett"
SHIELD = ("Zip", "Age", "AC")
K = 3
IAB: Mapping[str, Any] = {"algorithm": "iab", "tie_break": "paper"}
BEYOND = "beyond"
"""Where the paper prints nothing of the kind."""

OWN_COUNT = "counts records of the row itself; those that share its shield count (section 3.2)"
DRAFT = "as if the zip of row 2 were not 52000, which Table 2 needs; rows 2 and 14 share the shield"


def table_1(row_2_zip: str = "52000") -> Data:
    """Table 1 with the hierarchies of Figure 2; row 2 may be given another zip."""
    rows = rows_of(TABLE_1)
    texts = frame(rows)
    codes = texts["Zip"].to_list()
    codes[1] = row_2_zip
    texts = texts.with_columns(pl.Series("Zip", codes))
    return Data(
        texts,
        np.array([row.records for row in rows], dtype=np.int64),
        {
            "Zip": zip_taxonomy(codes),
            "Age": age_taxonomy(map(int, texts["Age"])),
            "AC": alcohol_taxonomy(),
            "Sex": Taxonomy("Sex", [["F"], ["M"]]),
        },
    )


def made(own: Data, **method: Any) -> list[Row]:
    """Table 1 as the program publishes it, equal rows as one, with the rows they come from.

    Without levels to choose it is what a search finds for <Zip, Age, AC; 3>.
    """
    k = 1 if "levels" in method else K
    released: pl.DataFrame = own.released(SHIELD, k, **method).tables
    numbers = [row.numbers[0] for row in rows_of(TABLE_1)]
    published = released.with_columns(number=np.repeat(numbers, own.weight))
    rows = published.group_by(COLUMNS, maintain_order=True).agg("number").rows()
    return [
        Row(tuple(often), tuple(cells), tuple(often.values()))
        for *cells, own_numbers in rows
        for often in [Counter(own_numbers)]
    ]


def reproduce(
    data: Path | None = None, *, seed: int = 0, progress: Progress | None = None
) -> Reproduction:
    """The paper, computed again; ``data`` is the folder of the heart disease files."""
    ledger = Ledger()
    tell = progress or (lambda stage, share: None)
    heart = None
    if data is not None:
        heart = read_hospitals(data)
    tell("leakage of Table 1", None)
    own = table_1()
    _leakage(ledger, own)
    _taxonomies(ledger, own)
    _table_3(ledger)
    tell("searching Table 1", None)
    _figure_3(ledger, own)
    _iab(ledger, own)
    _counterexamples(ledger)
    _methods(ledger, own)
    _replays(ledger, own)
    _further(ledger, own)
    if heart is None:
        ledger.left_out.append(
            (
                "Tables 7 and 8, Figures 6 to 10",
                "they need the folder of the three heart disease files (--data)",
            )
        )
    else:
        hospitals(ledger, heart, seed, tell)
    return Reproduction(
        paper=NAME,
        source="Arca and Hewett (2021), Analytics on Anonymity for Privacy Retention in Smart "
        "Health Data",
        items=tuple(ledger.items),
        sheets=tuple(ledger.sheets),
        pictures=tuple(ledger.pictures),
        left_out=tuple(ledger.left_out),
        seed=seed,
    )


# -------- Section 3.1: leakage --------


def _leakage(ledger: Ledger, own: Data) -> None:
    analysis = own.leakage()
    women = int(own.weight[(own.texts["Sex"] == "F").to_numpy()].sum())
    men = analysis.records - women
    ledger.figure("Section 3.1", "records", 60, analysis.records)
    ledger.figure("Section 3.1", "women", 27, women)
    ledger.figure("Section 3.1", "men", 33, men)
    ledger.figure("Section 3.1", "S0, bits", "5.9", analysis.entropy)
    ledger.figure("Section 3.1", "S of women, bits", "4.75", float(np.log2(women)))
    ledger.figure("Section 3.1", "S of men, bits", "5", float(np.log2(men)))
    sum_of_terms = 27 / 60 * (5.9 - 4.75) + 33 / 60 * (5.9 - 5)
    ledger.figure(
        "Section 3.1",
        "loss by Sex from the terms as printed",
        "0.99",
        sum_of_terms,
        "the printed terms are too coarse for the printed sum; unrounded ones give 0.9928",
    )
    ledger.claim(
        "Section 3.1",
        "sign of S_j in Proposition 2, by the formula for women",
        "sum of p log p",
        -float(np.log2(women)),
        -float(np.log2(women)) >= 0,
        "the minus sign is missing; the worked example has it",
    )
    alone = Leaking(pl.DataFrame({"person": [str(at) for at in range(60)]})).of(["person"])
    ledger.claim(
        "Section 3.1",
        "loss equal to S0: no information is lost",
        "nothing learnt",
        f"{alone.normalized:g} of 1 learnt",
        alone.normalized == 0,
        "the other way round: S_j = 0 says that everybody is identified",
    )
    rows: list[tuple[str | float, ...]] = []
    for attribute, (parts, loss, normalized) in TABLE_2.items():
        found = analysis.of([attribute])
        ledger.figure("Table 2", f"{attribute}, partitions", parts, found.partitions)
        ledger.figure("Table 2", f"{attribute}, loss in bits", loss, found.loss)
        ledger.figure("Table 2", f"{attribute}, normalized loss", normalized, found.normalized)
    risk = analysis.of(["Genetic Risk"])
    ledger.unprinted("Table 2", "Genetic Risk, loss in bits", risk.loss, "left out as disclosed")
    ledger.unprinted("Table 2", "Genetic Risk, normalized loss", risk.normalized)
    worst = sorted(TABLE_2, key=lambda name: -analysis.of([name]).loss)[:3]
    ledger.same("Section 3.1", "what leaks most", "Age, Zip, Race", ", ".join(worst))
    joint = analysis.of(["Age", "Zip", "AC"])
    why = "the paper names combinations and does not compute them"
    ledger.unprinted("Section 3.1", "Age, Zip and AC together, partitions", joint.partitions, why)
    ledger.unprinted("Section 3.1", "Age, Zip and AC together, loss in bits", joint.loss)
    ledger.unprinted("Section 3.1", "Age, Zip and AC together, normalized", joint.normalized)
    after = [
        ("Table 1", analysis),
        ("Table 5", Leaking(own.released(SHIELD, K, **IAB).tables)),
        ("Table 6", Leaking(own.released(SHIELD, K, algorithm="greedy").tables)),
    ]
    for attribute in COLUMNS:
        rows.append((attribute, *(a.of([attribute]).normalized for _, a in after)))
    ledger.sheet(
        "leakage",
        "Normalized leakage of Table 1 and of the two results made from it",
        ("attribute", *(name for name, _ in after)),
        rows,
    )
    ledger.picture(
        "table-2-leakage",
        Bars(
            "Table 2: normalized average information loss",
            tuple(TABLE_2),
            {"computed": [analysis.of([name]).normalized for name in TABLE_2]},
            reference={"computed": [float(figures[2]) for figures in TABLE_2.values()]},
            note="line across a bar: as printed",
        ),
    )


# -------- Section 3.2: hierarchies, single cells --------


def _taxonomies(ledger: Ledger, own: Data) -> None:
    values = own.texts["AC"].n_unique()
    ledger.figure(
        "Section 3.2", "values of AC in Table 1", 3, values, "rows 20 and 21 hold the fourth, No"
    )
    for tree in (alcohol_taxonomy(), age_taxonomy(range(20, 86)), own.taxonomies["Zip"]):
        note = {"AC": "read off Table 6", "Age": "read off Table 5", "Zip": "read off Table 4"}
        ledger.unprinted(
            "Figure 2", f"levels of {tree.attribute}", tree.levels, note[tree.attribute]
        )
        (picture,) = taxonomy_tree([tree], "Figure 2", note=note[tree.attribute])
        ledger.picture(f"figure-2-{tree.attribute.lower()}", picture)


def _table_3(ledger: Ledger) -> None:
    start = rows_of(TABLE_3A)
    ages = age_taxonomy(range(20, 86))
    trees = {
        "AC": alcohol_taxonomy(),
        "Age": ages,
        "Zip": zip_taxonomy(row.cells[3] for row in start),
    }
    shield = ("AC", "Age", "Zip")

    def violating(rows: Sequence[Row]) -> str:
        found = records_sharing(rows, SMALL, shield)
        return ", ".join(str(number) for number, records in found.items() if records < 3) or "none"

    ledger.same("Table 3a", "rows that violate <AC, Age, Zip; 3>", "1, 5, 6", violating(start))
    women = Lift("AC", rows=(1, 2, 5, 6))
    step_b = lifted(start, SMALL, trees, [women])
    compare(ledger, "Table 3b", rows_of(TABLE_3B), step_b, SMALL)
    cells = [women, Lift("Age", 3, rows=(5, 6)), Lift("Zip", 1, rows=(5, 6))]
    step_c = lifted(start, SMALL, trees, cells)
    compare(ledger, "Table 3c", rows_of(TABLE_3C), step_c, SMALL)
    steps = next(level for level in range(ages.levels) if ages.generalize("35", level) == ages.root)
    ledger.figure(
        "Section 3.2",
        "steps from age 35 to 20-85",
        2,
        steps,
        "leaves out a level of ranges that Table 5 publishes",
    )
    compare(ledger, "Table 3d", rows_of(TABLE_3D), merged(step_c), SMALL)
    ledger.same(
        "Table 3d", "rows that violate <AC, Age, Zip; 3>", "none", violating(merged(step_c))
    )
    once = {row.cells[2] for row in lifted(start, SMALL, trees, [Lift("Age")])}
    ledger.same(
        "Section 3.2",
        "ages of Table 3a after one step",
        "20-44, 45-85",
        ", ".join(sorted(once)),
        "Table 5 has four ranges after one step",
    )


# -------- Section 3.3.2: the search --------


def _figure_3(ledger: Ledger, own: Data) -> None:
    micro = own.encoded(SHIELD)
    states = space("domain", micro.data, [requirement(SHIELD, 3)])
    variant = table_1("52001")
    other = space("domain", variant.encoded(SHIELD).data, [requirement(SHIELD, 3)])
    small = int((own.weight < 3).sum())
    ledger.figure("Section 3.3.2", "rows of fewer than 3 records", 6, small)
    rows: list[tuple[str, str, int, int, int, int, int, int, str]] = []
    pairs: list[tuple[str, tuple[int, int], tuple[int, int]]] = []
    nodes = []
    names = list(FIGURE_3)
    for name, (levels, violations, printed) in FIGURE_3.items():
        state = _state(states, levels)
        found, changed = states.read(state), other.read(_state(other, levels))
        wrong = _violating(own, micro, states, levels)
        why = {"T": OWN_COUNT, "T2": DRAFT}.get(name, "")
        ledger.figure("Figure 3", f"{name}, violating rows", violations, found.violations, why)
        why = "no reading of the steps gives 21 rows; 22 with either zip" if name == "T2" else ""
        ledger.figure("Figure 3", f"{name}, rows", printed, found.rows, why)
        pairs.append((name, (violations, printed), (changed.violations, changed.rows)))
        rows.append(
            (
                name,
                told(levels) or "as it is",
                violations,
                printed,
                found.violations,
                found.rows,
                changed.violations,
                changed.rows,
                ", ".join(map(str, wrong)) or "none",
            )
        )
        parent = {"T": None, "T4": 1, "T5": 1, "T6": 1}.get(name, 0)
        kind: Kind = "good" if found.violations == 0 else "open"
        nodes.append(
            Node(
                (
                    name,
                    f"exact ({found.violations}, {found.rows})",
                    f"printed ({violations}, {printed})",
                ),
                parent,
                "" if parent is None else _step_to(FIGURE_3[names[parent]][0], levels),
                "chosen" if name == "T5" else kind,
                {"T": "1", "T1": "2"}.get(name, ""),
            )
        )
    for name, said, changed_to in pairs:
        ledger.same(
            "Figure 3",
            f"{name}(n, m) if the zip of row 2 were 52001",
            str(said),
            str(changed_to),
            "the printed tables come from different drafts: no zip gives all seven",
        )
    ledger.same(
        "Section 3.3.2",
        "rows of T that violate the requirement",
        "1, 4, 9, 10, 13, 14",
        ", ".join(map(str, _violating(own, micro, states, {}))),
        "rows 2 and 14 share (Low, 35, 52000): 5 records",
    )
    ledger.same(
        "Section 3.3.2",
        "rows of T1 that violate the requirement",
        "10, 13",
        ", ".join(map(str, _violating(own, micro, states, {"Zip": 1}))),
    )
    shared = records_sharing(made(own, algorithm="optimal", levels={"Zip": 1}), COLUMNS, SHIELD)
    ledger.figure(
        "Section 3.3.2",
        "records of (Med, 35, 5200*) in T1",
        4,
        shared[1],
        "row 9 has 2 records, not 3",
    )
    ledger.figure(
        "Section 3.3.2",
        "records of (Low, 35, 5200*) in T1",
        3,
        shared[4],
        "row 2 shares it with rows 4 and 14",
    )
    ledger.sheet(
        "figure-3",
        "Figure 3: violating rows and rows, printed, exact, and with zip 52001 in row 2",
        (
            "table", "levels", "printed n", "printed m", "exact n", "exact m", "52001 n", "52001 m",
            "violating rows",
        ),
        rows,
    )  # fmt: skip
    ledger.picture(
        "figure-3",
        Tree(
            "Figure 3: the search tree of section 3.3.2",
            tuple(nodes),
            legend={"open": "violates", "good": "satisfies", "chosen": "chosen"},
            note="(violating rows, rows); the number at a corner is the order of expansion as "
            "printed",
        ),
    )


def _iab(ledger: Ledger, own: Data) -> None:
    data = own.encoded(SHIELD).data
    wanted = [requirement(SHIELD, 3)]
    found = searched(data, wanted, "iab", tie_break="paper")
    ledger.figure(
        "Figure 3",
        "tables that IAB generates",
        6,
        found.generated,
        "rests on T2(4, 21): T2 has 22 rows, so the rule of most rows opens it before T1",
    )
    ledger.figure("Section 3.3.2", "rows of the result of IAB", 21, found.chosen.rows)
    ledger.same(
        "Section 3.3.2",
        "levels of the result of IAB",
        "Zip 1, Age 1, AC 0",
        told(levels_of(data, found.chosen)),
    )
    order = sorted(
        (s for s in found.steps if s.expanded is not None), key=lambda s: s.expanded or 0
    )
    ledger.same(
        "Section 3.3.2",
        "tables in the order expanded",
        "T; Zip 1",
        "; ".join(_short(levels_of(data, step)) or "T" for step in order),
        "the three tables of age alone keep 22 rows and come first",
    )
    least = searched(data, wanted, "iab", tie_break="least_general")
    ledger.unprinted(
        "Section 3.3.2",
        "distinct tables with the least general of the best",
        least.distinct,
        "tables with as many rows are expanded too",
        {"generated": least.generated, "distinct": least.distinct, "expanded": least.expanded},
    )
    levels = levels_of
    ledger.picture(
        "iab-search",
        search_tree(
            found,
            "IAB on Table 1, k = 3: what Figure 3 should show",
            name=lambda step: _short(levels(data, step)) or "T",
        ),
    )
    ledger.picture(
        "iab-search-least-general",
        search_tree(
            least,
            'IAB on Table 1, k = 3, tie_break = "least_general"',
            name=lambda step: _code(levels(data, step)),
            short=True,
            direction="right",
            note="levels of Zip, Age and AC (C), then (violating rows, rows); number at a corner: "
            "order of expansion",
        ),
    )
    tree = data
    for scope, what in (
        ("siblings", "values of violating rows, all at once"),
        ("subtree", "one subtree at a time"),
    ):
        other = searched(tree, wanted, "iab", scope=scope, tie_break="paper")
        ledger.unprinted(
            "Section 3.3.2",
            f"rows when a step lifts {what}",
            other.chosen.rows,
            f"{other.distinct} distinct tables",
            {"generated": other.generated, "distinct": other.distinct, "expanded": other.expanded},
        )


def _steps(data: Any, found: Any) -> int:
    return sum(levels_of(data, found.chosen).values())


def _counterexamples(ledger: Ledger) -> None:
    own = table_1()
    data = own.encoded(SHIELD).data
    found = searched(data, [requirement(SHIELD, 4)], "iab", tie_break="paper")
    least = searched(data, [requirement(SHIELD, 4)], "iab", tie_break="least_general")
    ledger.claim(
        "Section 3.3.1",
        "the first found has the least generalization steps (Table 1, k = 4)",
        "the least",
        f"{_steps(data, found)}, and {_steps(data, least)} do",
        _steps(data, found) <= _steps(data, least),
        f"{told(levels_of(data, found.chosen))} is found first; "
        f"{told(levels_of(data, least.chosen))} satisfies with as many rows "
        f"({least.chosen.rows})",
    )
    dominated = dominated_counterexample().encoded(("A", "B")).data
    wanted = [requirement(("A", "B"), 2)]
    first = searched(dominated, wanted, "iab", tie_break="paper")
    better = searched(dominated, wanted, "iab", tie_break="least_general")
    ledger.claim(
        "Section 3.3.1",
        "the first found has the least generalization steps (4 records)",
        "the least",
        f"{_steps(dominated, first)}, and {_steps(dominated, better)} do",
        _steps(dominated, first) <= _steps(dominated, better),
        f"{told(levels_of(dominated, better.chosen))} keeps the {better.chosen.rows} rows of "
        f"{told(levels_of(dominated, first.chosen))}",
    )
    scoped = siblings_counterexample().encoded(("A", "B")).data
    kept = {
        scope: searched(scoped, wanted, "iab", scope=scope).chosen.rows
        for scope in ("siblings", "subtree", "domain")
    }
    ledger.claim(
        "Section 3.2",
        "IAB is optimal, a step generalizing siblings together (8 records)",
        "the most rows",
        f"{kept['siblings']}, and {kept['subtree']} are possible",
        kept["siblings"] >= kept["subtree"],
        "one subtree at a time keeps more; whole attributes keep "
        f"{kept['domain']}: each scope is a search of its own",
    )


def siblings_counterexample() -> Data:
    """Eight records on which lifting all violating siblings at once lifts too much."""
    records = [
        ("a1", "b1", "2"), ("a2", "b1", "1"), ("a2", "b2", "0"), ("a2", "b2", "1"),
        ("b1", "a1", "1"), ("b1", "a1", "2"), ("b2", "a1", "2"), ("b2", "a2", "0"),
    ]  # fmt: skip
    chains = [["a1", "p", "*"], ["a2", "p", "*"], ["b1", "q", "*"], ["b2", "q", "*"]]
    return Data(
        pl.DataFrame(records, schema=["A", "B", "X"], orient="row"),
        np.ones(len(records), dtype=np.int64),
        {name: Taxonomy(name, chains) for name in ("A", "B")},
    )


def dominated_counterexample() -> Data:
    """Four records on which the first table found is more general than need be."""
    records = [("a", "y", "1"), ("b", "y", "2"), ("d", "x", "3"), ("d", "z", "4")]
    first = [["a", "g0", "*"], ["b", "g0", "*"], ["c", "g1", "*"], ["d", "g1", "*"]]
    second = [["x", "g0", "*"], ["y", "g0", "*"], ["z", "g1", "*"], ["w", "g1", "*"]]
    return Data(
        pl.DataFrame(records, schema=["A", "B", "id"], orient="row"),
        np.ones(len(records), dtype=np.int64),
        {"A": Taxonomy("A", first), "B": Taxonomy("B", second)},
    )


# -------- Section 4.1: three methods --------


def _methods(ledger: Ledger, own: Data) -> None:
    data = own.encoded(SHIELD).data
    wanted = [requirement(SHIELD, 3)]
    full = searched(data, wanted, "exhaustive")
    pruned = searched(data, wanted, "exhaustive", prune_satisfying=True)
    quick = searched(data, wanted, "greedy")
    ledger.figure("Figure 4", "rows of the result of Method 1", 21, full.chosen.rows)
    ledger.same(
        "Section 4.1",
        "levels of the result of Method 1",
        "Zip 1, Age 1, AC 0",
        told(levels_of(data, full.chosen)),
    )
    ledger.unprinted(
        "Figure 4",
        "distinct tables of Method 1",
        full.distinct,
        "the printed tree is a part of it",
        {"generated": full.generated, "distinct": full.distinct, "expanded": full.expanded},
    )
    ledger.unprinted(
        "Figure 4", "distinct tables, not going on from satisfying ones", pruned.distinct
    )
    ledger.figure("Figure 5", "tables that Method 2 generates", 3, quick.generated)
    ledger.same(
        "Section 4.1",
        "levels of the result of Method 2",
        "Zip 0, Age 0, AC 1",
        told(levels_of(data, quick.chosen)),
    )
    root, *children = quick.steps
    ledger.figure("Figure 5", "violating rows of T", 6, root.violations, OWN_COUNT)
    for child, printed in zip(children, (2, 4, 0), strict=True):
        ledger.figure(
            "Figure 5",
            f"violating rows after {child.generalized}",
            printed,
            child.violations,
            DRAFT,
        )
    ledger.figure(
        "Section 4.1",
        "rows of the result of Method 2",
        19,
        quick.chosen.rows,
        "Figure 3 and Table 6 have 18; 19 if the zip of row 2 were not 52000",
    )
    ledger.figure(
        "Table 6", "rows of the result of Method 2", len(rows_of(TABLE_6)), quick.chosen.rows
    )

    def code(step: Step) -> str:
        return _code(levels_of(data, step))

    note = "levels of Zip (Z), Age (A) and AC (C), then (violating rows, rows)"
    ledger.picture(
        "figure-4",
        search_tree(
            full,
            "Figure 4: every table that Method 1 makes of Table 1, k = 3",
            name=code,
            short=True,
            direction="right",
            note=f"{note}; each table once, below the first it was made from",
        ),
    )
    ledger.picture(
        "figure-5",
        search_tree(
            quick,
            "Figure 5: Method 2 on Table 1, k = 3",
            name=lambda step: _short(levels_of(data, step)) or "T",
        ),
    )


def _replays(ledger: Ledger, own: Data) -> None:
    table_4 = made(own, algorithm="optimal", levels={"Zip": 1})
    compare(
        ledger,
        "Table 4",
        rows_of(TABLE_4),
        table_4,
        COLUMNS,
        {("1,9", "#Rec."): "row 9 of Table 1 has 2 records"},
    )
    table_5 = made(own, **IAB)
    compare(ledger, "Table 5", rows_of(TABLE_5), table_5, COLUMNS)
    shared = records_sharing(table_5, COLUMNS, SHIELD)
    ledger.figure(
        "Section 4.1",
        "records that share the shield with rows 4 and 14 of Table 5",
        3,
        shared[4],
        "row 2 shares it too",
    )
    for pair, printed in (((6, 10), 5), ((11, 13), 4)):
        ledger.figure(
            "Section 4.1",
            f"records that share the shield with rows {pair[0]} and {pair[1]} of Table 5",
            printed,
            shared[pair[0]],
        )
    table_6 = made(own, algorithm="greedy")
    compare(
        ledger,
        "Table 6",
        rows_of(TABLE_6),
        table_6,
        COLUMNS,
        {
            ("3", "Zip"): "row 3 of Table 1 has zip 53000",
            ("8", "#Rec."): "row 8 of Table 1 has 4 records",
            ("12", "#Rec."): "row 12 of Table 1 has 4 records",
        },
    )


def _further(ledger: Ledger, own: Data) -> None:
    data = own.encoded(SHIELD).data
    rows: list[tuple[Any, ...]] = []
    optimal = 0
    runs: list[tuple[str, str, dict[str, Any]]] = [
        ("exhaustive", "Method 1", {}),
        ("exhaustive", "Method 1, pruned", {"prune_satisfying": True}),
        ("iab", "IAB, first found", {"tie_break": "paper"}),
        ("iab", "IAB, least general", {"tie_break": "least_general"}),
        ("greedy", "Method 2", {}),
    ]

    def all_runs(table: LeveledTable, wanted: Sequence[Promise], what: str) -> bool:
        states = space("domain", table, wanted)
        kept: dict[str, int] = {}
        for method, called, settings in runs:
            found = searched(table, wanted, method, **settings)
            levels = levels_of(table, found.chosen)
            counts = {
                "rows": found.chosen.rows,
                "generated": found.generated,
                "distinct": found.distinct,
                "expanded": found.expanded,
            }
            kept[called] = found.chosen.rows
            penalty = states.loss(found.chosen.state) / len(states.shield)
            rows.append((what, called, *counts.values(), penalty, told(levels)))
            ledger.unprinted(
                BEYOND,
                f"{called}, {what}",
                f"{found.chosen.rows} rows of {found.distinct} tables",
                told(levels),
                {**counts, "levels": levels, "ncp": penalty},
            )
        return kept["Method 1"] == kept["IAB, first found"] == kept["IAB, least general"]

    for k in (2, 3, 4, 5, 8):
        optimal += all_runs(data, [requirement(SHIELD, k)], f"k = {k}")
    both = [requirement(SHIELD, 3), requirement(("Sex", "Zip"), 5)]
    with_sex = own.encoded((*SHIELD, "Sex")).data
    start = space("domain", with_sex, both)
    ledger.unprinted(
        BEYOND,
        "violating rows of Table 1 under <Zip, Age, AC; 3> and <Sex, Zip; 5>",
        start.read(start.root).violations,
        "several requirements are allowed, and no example is given",
    )
    optimal += all_runs(with_sex, both, "two requirements")
    ledger.claim(
        "Section 3.3.1",
        "IAB keeps the most rows: as many as Method 1",
        "always",
        f"{optimal} of 6",
        optimal == 6,
        "proved for whole attributes and for single subtrees; k = 2, 3, 4, 5, 8, and two "
        "requirements",
    )
    ledger.sheet(
        "searches",
        "Table 1 under further requirements",
        (
            "requirement", "method", "rows", "generated", "distinct", "expanded", "NCP", "levels",
        ),
        rows,
    )  # fmt: skip
    told_so = 0
    for method in METHODS:
        try:
            searched(data, [requirement(SHIELD, 61)], method)
        except Unsatisfiable:
            told_so += 1
    ledger.unprinted(
        BEYOND,
        "methods that say k = 61 cannot be met",
        f"{told_so} of {len(METHODS)}",
        "there are 60 records",
    )


# -------- Helpers --------


def _state(states: Space, levels: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(levels.get(name, 0) for name in states.data.attributes)


def _violating(own: Data, micro: Microdata, states: Space, levels: Mapping[str, int]) -> list[int]:
    """Numbers of the rows of Table 1 whose row violates a requirement at some levels."""
    assert isinstance(states, DomainSpace)
    marked = np.zeros(micro.data.table.combinations, dtype=np.bool_)
    for mask in states.violating(_state(states, levels)):
        marked |= mask
    numbers = [row.numbers[0] for row in rows_of(TABLE_1)]
    return [numbers[at] for at in range(len(own.texts)) if marked[micro.combination_of[at]]]


def _step_to(parent: Mapping[str, int], levels: Mapping[str, int]) -> str:
    return next(name for name in levels if levels[name] > parent.get(name, 0))


def _short(levels: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {level}" for name, level in levels.items() if level)


def _code(levels: Mapping[str, int]) -> str:
    return " ".join(f"{name.replace('AC', 'C')[0]}{level}" for name, level in levels.items())
