"""Make the pictures of the gallery and of the front page: ``python docs/gallery.py``.

Needs the extra ``report``, Playwright and a Chromium. Table and policy are those of the
demonstration, so that nobody in the pictures exists.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import indistinct as ind
from indistinct.demo import POLICY, discharges
from indistinct.report.plots import draw_leakage

PICTURES = Path(__file__).parent / "pictures"
SIZE = {"width": 1100, "height": 920}


def main() -> None:
    """Release the table of the demonstration, and draw what there is to see."""
    with tempfile.TemporaryDirectory() as name, mock.patch("secrets.randbits", lambda bits: bits):
        folder = Path(name)
        table, policy = discharges(), folder / "release.toml"
        policy.write_text(POLICY, encoding="utf-8")
        table.write_csv(folder / "discharges.csv")
        release = ind.anonymize(folder / "discharges.csv", policy)
        out = release.write(folder / "out")
        draw_leakage(ind.assess(table, policy, release=release.tables), PICTURES / "leakage.svg")
        known = ["age", "sex", "zip"]
        simple = {
            "attributes": {
                key: item
                for key, item in ind.Policy.load(policy).to_dict()["attributes"].items()
                if key in known
            },
            "promises": [{"model": "k-anonymity", "k": 5}],
        }
        of_three = table.select(known)
        found = ind.explore(of_three, simple, k=range(2, 21), suppression=(0, 0.02, 0.1))
        (PICTURES / "frontier.svg").write_text(found.svg(), encoding="utf-8")
        ind.write_report(out, data=folder / "discharges.csv", policy=policy)
        shoot(out / "private" / "report.html")


def shoot(report: Path) -> None:
    """The parts of a report, light and dark."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            page: Any = browser.new_context(
                viewport=SIZE, color_scheme=scheme, bypass_csp=True
            ).new_page()
            page.goto(report.as_uri())
            page.screenshot(path=PICTURES / f"report-{scheme}.png")
            first = page.locator("section[aria-labelledby=attributes] > details").first
            first.locator("summary").first.click()
            first.locator("figure > details").evaluate("part => part.remove()")
            first.screenshot(path=PICTURES / f"before-after-{scheme}.png")
            page.locator("section[aria-labelledby=attackers]").screenshot(
                path=PICTURES / f"attackers-{scheme}.png"
            )
        browser.close()


if __name__ == "__main__":
    main()
