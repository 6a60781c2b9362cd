"""One run of another package, in whatever Python it is installed; imports nothing of ours.

``python peer_runs.py PACKAGE TABLE HIERARCHIES K LIMIT OUT`` writes the package's release to OUT as
CSV and prints the seconds its call took on a frame already in memory. Ends with 5 if the package is
not installed.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from pathlib import Path

QUASI = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
]
SENSITIVE = "salary-class"


def run_anjana(table: str, folder: str, k: int, limit: float, out: str) -> float:
    """ANJANA: greedy generalization, level by level, with suppression."""
    import numpy as np
    import pandas as pd
    from anjana.anonymity import k_anonymity

    frame = pd.read_csv(table, sep=";", dtype=str)
    hierarchies = {}
    for name in QUASI:
        file = Path(folder) / f"adult_hierarchy_{name}.csv"
        chains = pd.read_csv(file, sep=";", header=None, dtype=str)
        hierarchies[name] = {at: np.array(chains[at].values) for at in chains.columns}
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        released = k_anonymity(frame, [], QUASI, k, 100 * limit, hierarchies)
        seconds = time.perf_counter() - start
    released.to_csv(out, index=False)
    return seconds


def run_anonypy(table: str, folder: str, k: int, limit: float, out: str) -> float:
    """AnonyPy: Mondrian, published as sets and ranges; without suppression or hierarchies."""
    import anonypy
    import pandas as pd

    del folder, limit
    frame = pd.read_csv(table, sep=";")
    for name in [*QUASI[1:], SENSITIVE]:
        frame[name] = frame[name].astype("category")
    start = time.perf_counter()
    rows = anonypy.Preserver(frame, QUASI, SENSITIVE).anonymize_k_anonymity(k=k)
    seconds = time.perf_counter() - start
    released = pd.DataFrame(rows)
    for name in QUASI:
        released[name] = [cell[0] if isinstance(cell, list) else cell for cell in released[name]]
    released.loc[released.index.repeat(released["count"])].to_csv(out, index=False)
    return seconds


RUNS = {"anjana": run_anjana, "anonypy": run_anonypy}


if __name__ == "__main__":
    package, source, hierarchies, k, limit, target = sys.argv[1:]
    try:
        taken = RUNS[package](source, hierarchies, int(k), float(limit), target)
    except ModuleNotFoundError as missing:
        sys.stderr.write(f"{missing}\n")
        sys.exit(5)
    sys.stdout.write(f"{taken}\n")
