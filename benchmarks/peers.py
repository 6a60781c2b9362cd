"""Against Python packages from PyPI: the same k on Adult, seconds and loss of what each publishes.

ANJANA and AnonyPy run in a Python of their own (``--python``), because ANJANA demands exact older
versions of NumPy and pandas. Times are of the call on a frame in memory. Ours is the whole verb
(encode, search, publish, audit, measure) and the search alone. Loss is computed from every output
by the same function of this file: the mean over cells of (leaves covered - 1) / (leaves - 1), a
record that is missing counting as covered in full.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

import indistinct as ind
from common import (
    EIGHT,
    adult_file,
    adult_frame,
    adult_hierarchy,
    adult_table,
    adult_taxonomies,
    describe_machine,
    parser,
    show,
    timed,
)
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.privacy.promise import promise
from indistinct.recoding.full_domain import Settings, full_domain

K = 5
LIMITS = (0.5, 0.2, 0.05, 0.0)


def loss(released: pl.DataFrame, taxonomies: Mapping[str, Taxonomy], records: int) -> float:
    """Mean arithmetic loss of a release, whatever package made it."""
    total = 0.0
    for name, taxonomy in taxonomies.items():
        counted = released[name].value_counts(name="records in it")
        for text, count in counted.iter_rows():
            total += count * (covered(text, taxonomy) - 1) / (len(taxonomy.leaves) - 1)
    missing = records - released.height
    return (total + missing * len(taxonomies)) / (records * len(taxonomies))


def covered(text: str, taxonomy: Taxonomy) -> int:
    """Leaves that a published text may stand for: a node, a set "a,b,c", or a range "17-25"."""
    known = {label for chain in taxonomy.chains for label in chain}
    if text in known:
        return taxonomy.leaf_count(text)
    parts = text.split(",")
    if all(part in known for part in parts):
        return len(set(parts))
    low, high = (float(part) for part in text.split("-"))
    return sum(low <= float(leaf) <= high for leaf in taxonomy.leaves if leaf is not None)


def policy(shared: Path, limit: float, *, local: bool) -> ind.Policy:
    """Eight quasi-identifiers, salary-class sensitive."""
    attributes: dict[str, dict[str, Any]] = {
        name: {
            "role": "quasi-identifier",
            "hierarchy": {"file": str(adult_hierarchy(shared, name)), "separator": ";"},
        }
        for name in EIGHT
    }
    return ind.Policy.from_dict(
        {
            "attributes": {**attributes, "salary-class": {"role": "sensitive"}},
            "promises": [{"model": "k-anonymity", "k": K}],
            "method": {
                "objective": {"measure": "loss", "aggregate": "arithmetic"},
                "suppression_limit": limit,
                "local_recoding": local,
            },
        }
    )


def peer(
    python: str, package: str, shared: Path, limit: float
) -> tuple[float, pl.DataFrame] | None:
    """Seconds and release of a package; None, with a word why, where it cannot run."""
    table = adult_file(shared)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "release.csv"
        runs = Path(__file__).with_name("peer_runs.py")
        done = subprocess.run(
            [python, runs, package, table, table.parent, str(K), str(limit), out],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            why = "not installed" if done.returncode == 5 else "failed"
            said = done.stderr.strip().splitlines()[-1:] or [""]
            print(f"{package}: {why} ({said[0]})")
            return None
        return float(done.stdout), pl.read_csv(out, infer_schema=False)


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--python", default=sys.executable, help="Python with the packages")
    options = arguments.parse_args()
    shared = options.shared.resolve()
    print(describe_machine())
    frame = adult_frame(shared)
    taxonomies = adult_taxonomies(shared, EIGHT)
    data = adult_table(shared, EIGHT)
    rows = []
    ours: dict[float, tuple[float, float]] = {}
    for limit in LIMITS:
        for local in (False, True) if limit == 0.05 else (False,):
            chosen = policy(shared, limit, local=local)
            whole = timed(lambda chosen=chosen: ind.anonymize(frame, chosen))
            search = timed(
                lambda limit=limit, local=local: full_domain(
                    data,
                    [promise("k-anonymity", k=K)],
                    objective("loss", aggregate="arithmetic"),
                    Settings(suppression_limit=limit, local_recoding=local),
                )
            )
            released = whole.result.tables
            cost = loss(released, taxonomies, frame.height)
            if not local:
                ours[limit] = whole.best, search.best
            rows.append(
                [
                    "indistinct, local recoding" if local else "indistinct",
                    limit,
                    f"{whole.best:.3f}",
                    f"{search.best:.3f}",
                    f"{cost:.4f}",
                    frame.height - released.height,
                    "",
                    "",
                ]
            )
    for package, limits in (("anjana", LIMITS), ("anonypy", (0.0,))):
        for limit in limits:
            found = peer(options.python, package, shared, limit)
            if found is None:
                break
            seconds, released = found
            rows.append(
                [
                    package,
                    limit,
                    f"{seconds:.3f}",
                    "",
                    f"{loss(released, taxonomies, frame.height):.4f}",
                    frame.height - released.height,
                    f"{seconds / ours[limit][0]:.0f}",
                    f"{seconds / ours[limit][1]:.0f}",
                ]
            )
    show(
        f"Adult, {len(EIGHT)} quasi-identifiers, k = {K}; times = peer / ours at the same limit",
        ["package", "limit", "call s", "search s", "loss", "left out", "times", "times search"],
        rows,
    )
    print(describe_machine())


if __name__ == "__main__":
    main()
