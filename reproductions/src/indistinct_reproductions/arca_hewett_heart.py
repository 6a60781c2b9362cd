"""Sections 4.2 and 5 of Arca and Hewett (2021): the heart disease data of three hospitals.

The public files lack what the paper adds: Zip is drawn at random, four digits, and so is Smoker, a
fair coin, from a seed. A question mark in a file is a value of its own. The taxonomies of Figure 7
are lost; Age is that of Figure 2, Zip ``dddd``, ``d***``, ``****`` after Figure 6 and Table 8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl

from indistinct import DataError, Problem
from indistinct.recoding.subtree.search import SearchResult
from indistinct.recoding.subtree.space import space
from indistinct_reproductions.arca_hewett_data import (
    METHODS,
    Data,
    levels_of,
    requirement,
    searched,
    told,
)
from indistinct_reproductions.arca_hewett_tables import (
    TABLE_7,
    TABLE_8,
    age_taxonomy,
    either_taxonomy,
    zip4_taxonomy,
)
from indistinct_reproductions.drawing import Bars
from indistinct_reproductions.reproduction import Ledger
from indistinct_reproductions.trees import Tree, taxonomy_tree

HOSPITALS = {
    "Cleveland": ("processed.cleveland.data", 303),
    "Hungarian": ("processed.hungarian.data", 294),
    "VA": ("processed.va.data", 200),
}
"""The file of each hospital, and the rows that Figure 6 says it has."""

FIELDS = 14
"""age, sex, cp, trestbps, chol, fbs, restecg, thalach, exang, oldpeak, slope, ca, thal, num."""

APART = 1_000_003
"""What lies between the seeds of two hospitals."""

K = 5
SEEDS = 3
"""How many seeds the assertions are held against, from the one asked for on."""

RANDOM = "the zips of the paper are its own random draw; cholesterol keeps nearly all rows apart"
LOST = "Figure 7 is lost; this counts the lattice over Figure 2's age"


@dataclass(frozen=True)
class Hospital:
    """A hospital's records as the files have them, without what is drawn at random."""

    name: str
    texts: pl.DataFrame

    def drawn(self, seed: int, *, fives: bool = False) -> Data:
        """With a random Zip and Smoker; ``fives`` gives Age five levels."""
        place = list(HOSPITALS).index(self.name)
        random = Random(seed + APART * place)
        count = self.texts.height
        zips = [f"{random.randrange(10_000):04d}" for _ in range(count)]
        coins = [str(random.randrange(2)) for _ in range(count)]
        texts = self.texts.with_columns(pl.Series("Zip", zips), pl.Series("Smoker", coins))
        return Data(
            texts,
            np.ones(count, dtype=np.int64),
            {
                "Age": age_taxonomy(range(20, 86), fives=fives),
                "Zip": zip4_taxonomy(texts["Zip"]),
                "Smoker": either_taxonomy("Smoker", ["0", "1"]),
                "Sex": either_taxonomy("Sex", ["F", "M"]),
            },
        )


def read_hospitals(folder: Path) -> list[Hospital]:
    """The three files of a folder.

    Raises :class:`DataError` for what is missing or is no file of fourteen fields.
    """
    problems: list[Problem] = []
    found = []
    for name, (file, _) in HOSPITALS.items():
        try:
            text = (folder / file).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            missing = isinstance(error, FileNotFoundError)
            problems.append(
                Problem(
                    "missing-file" if missing else "unreadable-file",
                    "there is no such file" if missing else "cannot be read",
                    file=str(folder / file),
                    remedy="--data names the folder that holds " + ", ".join(_files()),
                )
            )
            continue
        rows = [line.split(",") for line in text.splitlines() if line.strip()]
        wrong = [at for at, row in enumerate(rows, 1) if not _sound(row)]
        if wrong or not rows:
            problems.append(
                Problem(
                    "bad-rows",
                    f"has rows that are not {FIELDS} numbers or question marks, "
                    "with an age from 20 to 85 and a sex of 0 or 1",
                    file=str(folder / file),
                    rows=tuple(wrong[:11]),
                )
            )
            continue
        found.append(Hospital(name, _texts(rows)))
    if problems:
        raise DataError(problems)
    return found


def _files() -> list[str]:
    return [file for file, _ in HOSPITALS.values()]


def _sound(row: Sequence[str]) -> bool:
    if len(row) != FIELDS:
        return False
    try:
        numbers = [None if cell.strip() == "?" else float(cell) for cell in row]
    except ValueError:
        return False
    age, sex = numbers[0], numbers[1]
    return age is not None and 20 <= age <= 85 and age.is_integer() and sex in (0.0, 1.0)


def _plain(cell: str) -> str:
    cell = cell.strip()
    if cell == "?":
        return cell
    number = float(cell)
    return str(int(number)) if number.is_integer() else repr(number)


def _texts(rows: Sequence[Sequence[str]]) -> pl.DataFrame:
    disease = [_plain(row[13]) for row in rows]
    return pl.DataFrame(
        {
            "Age": [_plain(row[0]) for row in rows],
            "Sex": ["M" if _plain(row[1]) == "1" else "F" for row in rows],
            "Chol": [_plain(row[4]) for row in rows],
            "BS": [_plain(row[5]) for row in rows],
            "Heart disease": [
                value if value == "?" else "absent" if value == "0" else "present"
                for value in disease
            ],
        }
    )


def hospitals(
    ledger: Ledger,
    found: Sequence[Hospital],
    seed: int,
    tell: Callable[[str, float | None], None],
) -> None:
    """Figures 6 to 10, Tables 7 and 8."""
    for hospital in found:
        ledger.figure(
            "Figure 6",
            f"rows of {hospital.name}",
            HOSPITALS[hospital.name][1],
            hospital.texts.height,
        )
    cleveland = found[0].drawn(seed)
    _figure_7(ledger, cleveland)
    tell("searching the heart data", None)
    _figures_8_to_10(ledger, found, seed)
    tell("searching the heart data", 0.3)
    _table_7(ledger, found[0], seed)
    _table_8(ledger, cleveland)
    _assertions(ledger, found, seed, tell)


def _figure_7(ledger: Ledger, own: Data) -> None:
    notes = {
        "Age": "that of Figure 2",
        "Zip": "read off Figure 6 and Table 8; the first of 10 digits are drawn",
        "Smoker": "two values",
        "Sex": "two values",
    }
    for name, note in notes.items():
        tree = own.taxonomies[name]
        ledger.unprinted("Figure 7", f"levels of {name}", tree.levels, note)
        picture: Tree
        (picture,) = taxonomy_tree([tree], "Figure 7", note=note)
        ledger.picture(f"figure-7-{name.lower()}", picture)


def _runs(own: Data, shield: Sequence[str], times: int = 1) -> dict[str, SearchResult]:
    """What each method finds; of several runs the quickest."""
    data = own.encoded(shield).data
    wanted = [requirement(shield, K)]
    return {
        method: min(
            (
                searched(
                    data, wanted, method, **({"tie_break": "paper"} if method == "iab" else {})
                )
                for _ in range(times)
            ),
            key=lambda run: run.seconds,
        )
        for method in METHODS
    }


def _figures_8_to_10(ledger: Ledger, found: Sequence[Hospital], seed: int) -> None:
    shield = ("Zip", "Smoker", "Sex", "Age")
    runs = {hospital.name: _runs(hospital.drawn(seed), shield, 5) for hospital in found}
    parts: tuple[tuple[str, str, str, Callable[[SearchResult], float]], ...] = (
        ("Figure 8", "generalizations", "distinct tables", lambda run: run.distinct),
        ("Figure 9", "rows", "rows of the result", lambda run: run.chosen.rows),
        ("Figure 10", "seconds", "time", lambda run: run.seconds),
    )
    for where, unit, title, read in parts:
        values = {
            METHODS[method]: [float(read(runs[name][method])) for name in runs]
            for method in METHODS
        }
        for at, name in enumerate(runs):
            for method in METHODS:
                computed = values[METHODS[method]][at]
                ledger.unprinted(
                    where,
                    f"{name}, {METHODS[method]}, {unit}",
                    computed if unit == "seconds" else int(computed),
                    "the figure is lost",
                )
        ledger.picture(
            where.lower().replace(" ", "-"),
            Bars(
                f"{where}: {title}, <Zip, Smoker, Sex, Age; {K}>",
                tuple(runs),
                {
                    name: [1000 * figure for figure in figures] if unit == "seconds" else figures
                    for name, figures in values.items()
                },
                unit="milliseconds" if unit == "seconds" else "",
            ),
        )


def _table_7(ledger: Ledger, cleveland: Hospital, seed: int) -> None:
    own = cleveland.drawn(seed)
    five = cleveland.drawn(seed, fives=True)
    rows: list[tuple[Any, ...]] = []
    for shield, printed in TABLE_7.items():
        runs = _runs(own, shield)
        data = own.encoded(shield).data
        named = f"<{', '.join(shield)}; {K}>"
        exact = shield == ("Zip", "Smoker", "Sex")
        for method, (kept, tables) in printed.items():
            run = runs[method]
            ledger.figure(
                "Table 7", f"{named}, {METHODS[method]}, rows", kept, run.chosen.rows, RANDOM
            )
            ledger.figure(
                "Table 7",
                f"{named}, {METHODS[method]}, generalizations",
                tables,
                run.distinct,
                "" if exact else _why_tables(shield, method, tables),
            )
            levels = levels_of(data, run.chosen)
            rows.append(
                (
                    named,
                    METHODS[method],
                    kept,
                    run.chosen.rows,
                    tables,
                    run.distinct,
                    told(levels),
                    lost(own, shield, levels),
                    own.leakage(levels).of(["Age"]).normalized,
                    own.leakage(levels).of(["Zip"]).normalized,
                )
            )
    pair = ("Zip", "Age")
    ledger.figure(
        "Table 7",
        f"<Zip, Age; {K}>, Method 1, generalizations with five levels of age",
        TABLE_7[pair]["exhaustive"][1],
        _runs(five, pair)["exhaustive"].distinct,
    )
    for shield, most in ((("Zip", "Smoker", "Age"), 29), (("Zip", "Smoker", "Sex", "Age"), 59)):
        ledger.claim(
            "Table 7",
            f"<{', '.join(shield)}; {K}>, most tables that there are beside 14 for <Zip, Age>",
            TABLE_7[shield]["exhaustive"][1],
            most,
            int(TABLE_7[shield]["exhaustive"][1]) <= most,
            "an attribute of two levels doubles a lattice; the printed counts exclude each other",
        )
    ledger.sheet(
        "table-7",
        "Table 7: rows and generalizations on the Cleveland data, and what they cost",
        (
            "requirement", "method", "rows printed", "rows", "tables printed", "tables", "levels",
            "NCP", "leakage of Age", "leakage of Zip",
        ),
        rows,
    )  # fmt: skip


def _why_tables(shield: Sequence[str], method: str, printed: int) -> str:
    if tuple(shield) == ("Zip", "Age") and method == "exhaustive":
        return "14 needs five levels of age (3 x 5 - 1); Figure 2 has four"
    if printed > 59:
        return "no lattice over these attributes has so many tables"
    return LOST


def lost(own: Data, shield: Sequence[str], levels: Mapping[str, int]) -> float:
    """The normalized certainty penalty (NCP) over the cells of a shield, from 0 to 1."""
    data = own.encoded(shield).data
    state = tuple(levels.get(name, 0) for name in data.attributes)
    return space("domain", data, [requirement(shield, K)]).loss(state) / len(shield)


def _assertions(
    ledger: Ledger,
    found: Sequence[Hospital],
    seed: int,
    tell: Callable[[str, float | None], None],
) -> None:
    ran = as_many_rows = fewer_rows = fewer_tables = between = 0
    reached: dict[str, list[bool]] = {"Age": [], "Zip": [], "Smoker": [], "Sex": []}
    total = SEEDS * len(found) * len(TABLE_7)
    for number in range(seed, seed + SEEDS):
        cleveland = found[0].drawn(number)
        whole = tuple(reached)
        data = cleveland.encoded(whole).data
        levels = levels_of(data, _runs(cleveland, whole)["iab"].chosen)
        for name in reached:
            printed = {"Age": 3, "Zip": 1, "Smoker": 1, "Sex": 0}[name]
            reached[name].append(levels[name] == printed)
        for hospital in found:
            own = hospital.drawn(number)
            for shield in TABLE_7:
                runs = _runs(own, shield)
                full, quick, iab = runs["exhaustive"], runs["greedy"], runs["iab"]
                ran += 1
                as_many_rows += iab.chosen.rows == full.chosen.rows
                fewer_rows += quick.chosen.rows <= iab.chosen.rows
                fewer_tables += iab.distinct <= full.distinct
                between += quick.distinct <= iab.distinct <= full.distinct
                tell("searching the heart data", 0.4 + 0.6 * ran / total)
    for name, hits in reached.items():
        ledger.unprinted(
            "Table 8",
            f"<Age, Zip, Smoker, Sex; {K}>, {name} as general as printed",
            f"{sum(hits)} of {SEEDS} seeds",
            "Smoker or Sex goes up, as the random zips have it"
            if name in ("Smoker", "Sex")
            else "",
        )
    where = "Section 4.2"
    said = f"{len(found)} hospitals, {len(TABLE_7)} shields, {SEEDS} seeds"
    for what, count, why in (
        ("IAB keeps as many rows as Method 1", as_many_rows, "proved for whole attributes"),
        ("Method 2 keeps at most as many rows", fewer_rows, "follows from the same proof"),
        ("IAB makes at most as many tables as Method 1", fewer_tables, "it makes some of them"),
        ("Method 2 makes the fewest tables", between, "so here; no theorem"),
    ):
        ledger.claim(where, what, "always", f"{count} of {ran}", count == ran, f"{why}; {said}")


def _table_8(ledger: Ledger, own: Data) -> None:
    rows: list[tuple[Any, ...]] = []
    names = list(TABLE_8[()])
    why = {
        "Zip": "random zips: ten first digits, as evenly spread as chance has it",
        "Smoker": "a random coin here; the paper's source of Smoker is not in the files",
    }
    computed: dict[str, list[float]] = {}
    for shield, printed in TABLE_8.items():
        levels: dict[str, int] = {}
        kept = own.texts.height
        if shield:
            data = own.encoded(shield).data
            run = searched(data, [requirement(shield, K)], "iab", tie_break="paper")
            levels, kept = levels_of(data, run.chosen), run.chosen.rows
        analysis = own.leakage(levels)
        stage = f"<{', '.join(shield)}; {K}>" if shield else "before"
        figures = [analysis.of([name]).normalized for name in names]
        computed[stage] = figures
        for name, value in zip(names, figures, strict=True):
            reason = why.get(name, "")
            if shield and name in shield and name not in why:
                reason = f"which attributes go up depends on the random zips: {told(levels)}"
            ledger.figure("Table 8", f"{stage}, {name}", printed[name], value, reason)
        rows.append(
            (
                stage,
                *figures,
                kept,
                lost(own, shield, levels) if shield else 0.0,
                told(levels) if shield else "as it is",
            )
        )
    before, after = computed["before"], computed[f"<Age, Zip; {K}>"]
    ledger.claim(
        "Section 4.2.2",
        "most rows is most information",
        "maximum information",
        f"loss by Age {before[0]:.2f} to {after[0]:.2f} with {rows[1][-3]} of {rows[0][-3]} rows",
        after[0] > before[0] / 2,
        "a nearly unique column keeps the rows apart while others are erased",
    )
    ledger.sheet(
        "table-8",
        "Table 8: normalized leakage before and after, rows and NCP beside it",
        ("stage", *names, "rows", "NCP of the shield", "levels"),
        rows,
    )
    ledger.picture(
        "table-8",
        Bars(
            "Table 8: normalized leakage, Cleveland",
            tuple(names),
            computed,
            reference={
                stage: [float(value) for value in printed.values()]
                for stage, printed in zip(computed, TABLE_8.values(), strict=True)
            },
            note="lines across bars: as printed",
        ),
    )
