"""Try many hostile cases, or one of them again.

python tests/fuzz/run.py --cases 1000000 --seed 7     try so many, on all cores
python tests/fuzz/run.py --case 1234 --seed 7 --keep DIR   one again; its files stay in DIR
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
if "PYTHONPATH" not in os.environ:
    sys.path.insert(0, str(ROOT / "src"))

from tests.fuzz.cases import case  # noqa: E402
from tests.fuzz.trial import sound_release, tried  # noqa: E402

STEP = 500


def try_some(seed: int, start: int, end: int) -> list[str]:
    """What is wrong with the cases from one number to another."""
    return list(tried(seed, range(start, end), sound_release()))


def main() -> int:
    """Try, and print what is wrong; 1 where something is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    if asked.case is not None:
        one = case(asked.seed, asked.case, sound_release())
        for name, data in one.files.items() if asked.keep else ():
            path = asked.keep / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        print("indistinct", *one.words)
        found = try_some(asked.seed, asked.case, asked.case + 1)
        print("\n".join(found))
        return int(bool(found))
    wrong, begun = 0, time.perf_counter()
    starts = range(0, asked.cases, STEP)
    ends = [min(start + STEP, asked.cases) for start in starts]
    with ProcessPoolExecutor() as pool:
        for found in pool.map(try_some, [asked.seed] * len(ends), starts, ends):
            wrong += len(found)
            print("\n".join(found), end="\n" * bool(found), flush=True)
    print(f"{asked.cases} cases in {time.perf_counter() - begun:.0f} s, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
