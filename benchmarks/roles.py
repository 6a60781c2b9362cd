"""How many roles, dates, code systems and missing codes a draft gets right, on real tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from common import need, parser, show
from indistinct import anonymize
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.described import Profile
from indistinct.analytics.profile.first_policy import first_policy
from indistinct.errors import IndistinctError
from indistinct.hierarchies.cells import Coverage
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.microdata.microdata import distinct_values
from indistinct.policy import Policy
from indistinct.sources.engines import open_table
from indistinct.sources.files import read_table

ROLES = ("identifier", "quasi-identifier", "sensitive", "insensitive")
OTHER = ("dates", "codes", "missing", "categories", "person", "stated")


@dataclass
class Score:
    """What was found of what there is, in one table or several."""

    right: dict[str, int] = field(default_factory=dict)
    all: dict[str, int] = field(default_factory=dict)
    published: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def take(self, what: str, holds: bool, told: str) -> None:
        """Count one thing; tell it where it is wrong."""
        self.all[what] = self.all.get(what, 0) + 1
        self.right[what] = self.right.get(what, 0) + holds
        if not holds:
            self.wrong.append(f"{what}: {told}")

    def add(self, other: Score) -> None:
        """Put another table's score to this one."""
        for what, count in other.all.items():
            self.all[what] = self.all.get(what, 0) + count
            self.right[what] = self.right.get(what, 0) + other.right[what]
        self.published += other.published
        self.wrong += other.wrong

    def cells(self) -> list[str]:
        """A row of the table that is shown."""
        shares = [
            f"{self.right[what]}/{self.all[what]}" if what in self.all else "-"
            for what in ("roles", "one role", *OTHER)
        ]
        share = self.right.get("roles", 0) / max(1, self.all.get("roles", 0))
        return [f"{share:.1%}", *shares, str(len(self.published))]


def roles(truth: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every scored column with the roles that are right for it."""
    for key, names in truth.items():
        allowed = tuple(key.split("|"))
        if set(allowed) <= set(ROLES):
            yield from ((name, allowed) for name in names)


def score(truth: Mapping[str, Any], drafted: Mapping[str, Any], name: str) -> Score:
    """Hold a draft against what was written down by hand."""
    found = Score()
    items = {item["attribute"]: item for item in drafted["attributes"]}
    for column, allowed in roles(truth):
        item = items[column]
        told = f"{name}.{column}: {item['role']}, not {'|'.join(allowed)} ({item['why'][:70]})"
        found.take("roles", item["role"] in allowed, told)
        if len(allowed) == 1:
            found.take("one role", item["role"] == allowed[0], told)
            if allowed == ("identifier",) and item["role"] != "identifier":
                found.published.append(f"{name}.{column}")
    for column in truth.get("dates", ()):
        found.take("dates", items[column]["kind"] == "date", f"{name}.{column}")
    for column, system in truth.get("codes", {}).items():
        spec = items[column]["hierarchy"]
        drafted_system = spec.get("code_system") if isinstance(spec, dict) else spec
        if isinstance(drafted_system, dict):
            drafted_system = drafted_system["name"]
        found.take("codes", drafted_system == system, f"{name}.{column}: {spec}")
    for column, tokens in truth.get("missing", {}).items():
        seen = set(items[column]["missing_tokens"])
        found.take("missing", set(tokens) <= seen, f"{name}.{column}: {sorted(seen)}")
    for column in truth.get("categories", ()):
        kind = items[column]["kind"]
        found.take("categories", kind == "category", f"{name}.{column}: {kind}")
    if "person" in truth:
        asked = drafted.get("people", {}).get("column")
        found.take("person", asked == truth["person"], f"{name}: {asked}")
    if drafted["person"] is not None:
        right = drafted["person"] == truth.get("person")
        found.take("stated", right, f"{name}: {drafted['person']} for a person")
    return found


def kept(seen: Profile, frame: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Of each quasi-identifier of a release made of the draft as it stands, what is not ``*``.

    Beside the share of cells stands that of the information: a cell tells the logarithm of the
    share of the records whose values it stands for, of the entropy of the values.
    """
    policy = Policy.from_dict(tomllib.loads(first_policy(seen)))
    table = open_table(frame, seen.table, missing_tokens=policy.missing_tokens())
    release = anonymize(frame, policy)
    shares = {}
    for name, item in policy.attributes.items():
        if item.role != "quasi-identifier" or name not in frame.columns:  # drafts may add one
            continue
        values, counts = distinct_values(table.text([name])[name])
        parts = np.array(counts) / sum(counts)
        told = float(-(parts * np.log2(parts)).sum())
        taxonomy = taxonomy_of(policy, table, name, values, counts)
        coverage, held = Coverage(taxonomy), dict(zip(values, parts.tolist(), strict=True))
        weights = np.array([held.get(leaf, 0.0) for leaf in taxonomy.leaves])
        cells = release.tables[name].cast(pl.String)
        bits = sum(
            -count * np.log2(max(float(weights[coverage.mask(cell)].sum()), 1e-9))
            for cell, count in cells.value_counts(name="count").iter_rows()
        )
        if told > 0:
            left = min(1.0, bits / len(cells) / told)
            shares[name] = 1 - float((cells == "*").mean() or 0), left
    return shares


def tell_kept(name: str, seen: Profile, frame: pl.DataFrame, found: list[Any]) -> None:
    """Put what the release of a draft keeps to those of others, or why there is none."""
    try:
        shares = kept(seen, frame)
    except IndistinctError as refused:
        found.append([name, str(refused).splitlines()[0][:90], "", "", ""])
        return
    cells, left = np.mean([*shares.values()], axis=0) if shares else (0.0, 0.0)
    gone = sum(1 for one, _ in shares.values() if one < GONE)
    found.append([name, "", f"{cells:.1%}", f"{left:.1%}", gone])


GONE = 0.05
"""With a smaller share of cells a column is lost."""


def main() -> None:
    """Run the benchmark."""
    options = parser(__doc__)
    options.add_argument("--table", help="only this table, with all that is wrong")
    options.add_argument("--round", type=int, help="only the tables of this round")
    options.add_argument("--nameless", action="store_true", help="with names that say nothing")
    options.add_argument("--wrong", action="store_true", help="tell what is wrong")
    options.add_argument("--releases", action="store_true", help="make a release of each draft")
    given = options.parse_args()
    folder = need(given.shared / "data" / "health_tables")
    truths = tomllib.loads(Path(__file__).with_name("roles.toml").read_text(encoding="utf-8"))
    sums: dict[str, Score] = {}
    rows = []
    for name, truth in truths.items():
        path = folder / f"{name}.{truth.get('ending', 'csv')}"
        turn = truth.get("round", 1)
        if given.table not in (None, name) or given.round not in (None, turn) or not path.exists():
            continue
        source = {key: truth[key] for key in ("separator", "header", "encoding") if key in truth}
        try:
            frame = read_table(path, **source)
        except IndistinctError as refused:
            print(f"{name} is not read: {refused}")
            continue
        names = {f"V{at}": column for at, column in enumerate(frame.columns)}
        if given.nameless:
            frame.columns = list(names)
        seen = profile(open_table(frame, path.name)).closed()
        if given.releases:
            tell_kept(name, seen, frame, rows)
            continue
        drafted = seen.to_dict()
        if given.nameless:
            drafted["person"] = names.get(drafted["person"])
            if "people" in drafted:
                drafted["people"]["column"] = names[drafted["people"]["column"]]
            for item in drafted["attributes"]:
                item["attribute"] = names[item["attribute"]]
        found = score(truth, drafted, name)
        held = truth.get("held_out", False)
        kind = f"round {turn}" if turn > 1 else "held out" if held else "tuned"
        sums.setdefault(kind, Score()).add(found)
        rows.append([f"{name} ({kind})" if kind != "tuned" else name, *found.cells()])
        if given.table or given.wrong:
            print(*found.wrong, sep="\n")
    if given.releases:
        show("What releases keep", ["table", "refused", "cells", "information", "lost"], rows)
        return
    rows += [[name, *found.cells()] for name, found in sums.items() if found.all]
    head = ["table", "right", "roles", "one role", *OTHER, "identifiers published"]
    show("What a draft gets right", head, rows)


if __name__ == "__main__":
    main()
