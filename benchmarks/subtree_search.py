"""IAB against exhaustive search: tables made, distinct ones, seconds.

Table 1 of Arca and Hewett (2021), their Cleveland data with random zips, and Adult with the first 3
to 9 of its attributes as shield, whole attributes one level at a time, k = 5; the other attributes
stay as they are and count for what a row is. Every search stops after ``--limit`` seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from common import ADULT, adult_frame, adult_taxonomies, describe_machine, need, parser, show
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata, row_numbers
from indistinct.recoding.limits import Limits
from indistinct.recoding.subtree.search import run
from indistinct.recoding.subtree.space import space
from indistinct_reproductions.arca_hewett import REST, requirement, table_1
from indistinct_reproductions.arca_hewett_heart import HOSPITALS, read_hospitals

HEAD = ["search", "rows", "bound", "generated", "distinct", "expanded", "seconds", "ended by"]
RUNS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("exhaustive", "exhaustive", {}),
    ("exhaustive, pruned", "exhaustive", {"prune_satisfying": True}),
    ("iab, first found", "iab", {"tie_break": "paper"}),
    ("iab, least general", "iab", {}),
    ("greedy", "greedy", {}),
)


def compare(title: str, data: LeveledTable, shield: Sequence[str], k: int, limit: float) -> None:
    """All searches on one table."""
    rows = []
    for called, method, settings in RUNS:
        states = space("domain", data, [requirement(shield, k)])
        found = run(method, states, limits=Limits(seconds=limit), **settings)
        rows.append(
            [
                called,
                found.chosen.rows,
                found.bound,
                found.generated,
                found.distinct,
                found.expanded,
                f"{found.seconds:.3f}",
                found.stopped_by or "proof" * found.optimal or "first found",
            ]
        )
    show(title, HEAD, rows)


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--attributes", type=int, nargs="+", default=[3, 4, 5, 6, 7, 8, 9])
    arguments.add_argument("--limit", type=float, default=60.0)
    options = arguments.parse_args()
    print(describe_machine())
    first = ("Zip", "Age", "AC")
    compare("warm-up, not counted", table_1().encoded(first).data, first, 3, options.limit)
    compare("Table 1, k = 3", table_1().encoded(first).data, first, 3, options.limit)
    heart = options.shared / "data" / "heart"
    for file, _ in HOSPITALS.values():
        need(heart / file)
    second = ("Zip", "Smoker", "Sex", "Age")
    cleveland = read_hospitals(heart)[0].drawn(0)
    compare("Cleveland, k = 5", cleveland.encoded(second).data, second, 5, options.limit)
    frame = adult_frame(options.shared)
    for count in options.attributes:
        shield = ADULT[:count]
        others = [name for name in frame.columns if name not in shield]
        data = Microdata.encode(
            frame,
            adult_taxonomies(options.shared, shield),
            unchanged={REST: row_numbers(frame, others)},
        ).data
        nodes = int((data.heights[:count] + 1).prod())
        compare(f"Adult, {count} attributes, {nodes} nodes", data, shield, 5, options.limit)
    print(describe_machine())


if __name__ == "__main__":
    main()
