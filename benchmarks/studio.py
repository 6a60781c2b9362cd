"""How long the studio lets somebody wait, measured through a real browser.

``python benchmarks/studio.py --rows 1200000`` invents a table with eight quasi-identifiers, opens
it in the studio and tells how long each request took, how long the figures of the slider take to
follow it, and how much memory the server holds. Needs the extra ``studio``, Playwright and a
Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl

SLIDE = """() => {
  const input = document.getElementById("k");
  const waits = [];
  for (let k = 2; k <= 50; k++) {
    const began = performance.now();
    input.value = String(k);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.getElementById("at-risk").getBoundingClientRect();
    waits.push(performance.now() - began);
  }
  return Math.max(...waits);
}"""


def main() -> None:
    """Measure, and print what was found."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_200_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "people.csv"
        invent(rows).write_csv(path)
        began = time.perf_counter()
        call = [sys.executable, "-m", "indistinct", "studio", path, "--no-browser"]
        with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as studio:
            assert studio.stdout is not None
            address = studio.stdout.readline().strip()
            print(f"answers after {time.perf_counter() - began:.1f} s")
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page()
            page.set_default_timeout(600_000)
            waits: dict[str, list[float]] = defaultdict(list)
            page.on("requestfinished", lambda request: note(waits, request))
            page.goto(address)
            page.wait_for_selector("#role-age")
            print(f"table open after {time.perf_counter() - began:.1f} s")
            if page.query_selector("#stop-assess"):
                page.click("#stop-assess")
            page.click("#to-promises")
            asked = time.perf_counter()
            page.wait_for_selector("#at-risk")
            print(f"classes there after {time.perf_counter() - asked:.1f} s more")
            page.wait_for_selector("text=Nothing speaks against")
            print(f"figures of the slider after at most {page.evaluate(SLIDE):.1f} ms")
            page.fill("#promise-0-k", "11")
            page.press("#promise-0-k", "Enter")
            page.wait_for_selector("#promise-0-k[value='11']")
            page.click("#to-hierarchies")
            page.wait_for_selector(".levels")
            for name, own in sorted(waits.items()):
                print(f"{name:18} {len(own):4} requests, {max(own):7.2f} s at most")
            status = Path(f"/proc/{studio.pid}/status")
            if status.exists():
                held = [line for line in status.read_text().splitlines() if "VmHWM" in line]
                print(f"memory of the server: {' '.join(held[0].split()[1:])}")
            browser.close()
            studio.terminate()


def note(waits: dict[str, list[float]], request: Any) -> None:
    """Keep how long an answer took."""
    name = request.url.split("/")[-1].partition("?")[0]
    if "/api/" in request.url:
        waits[name].append(request.timing["responseEnd"] / 1000)


def invent(rows: int) -> pl.DataFrame:
    """People with eight columns that others could know, and an illness."""
    at = pl.int_range(rows, eager=True)

    def spread(values: int, step: int) -> pl.Series:
        return (at * step + at // 97) % values

    return pl.DataFrame(
        {
            "age": spread(95, 7),
            "sex": spread(2, 3).replace_strict({0: "female", 1: "male"}),
            "zip": spread(400, 13) + 10_000,
            "admission_date": (spread(365, 11).cast(pl.Int32) + 19_358).cast(pl.Date),
            "ward": "ward " + spread(12, 5).cast(pl.String),
            "length_of_stay": spread(30, 17) + 1,
            "nationality": spread(40, 19).cast(pl.String) + " country",
            "marital_status": spread(4, 23).replace_strict(
                {0: "single", 1: "married", 2: "widowed", 3: "divorced"}
            ),
            "diagnosis": "E" + (spread(80, 29) + 10).cast(pl.String),
        }
    )


if __name__ == "__main__":
    main()
