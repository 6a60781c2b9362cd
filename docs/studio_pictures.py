"""Make the pictures of the studio's rooms, light and dark: ``python docs/studio_pictures.py``.

Needs the extra ``studio``, Playwright and a Chromium. The table is that of the demonstration.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).parent / "pictures"
SIZE = {"width": 1280, "height": 860}


def main() -> None:
    """Walk through all rooms, once in each scheme."""
    from playwright.sync_api import sync_playwright

    # Its path stands in the pictures.
    folder = Path(tempfile.gettempdir()) / "hospital"
    folder.mkdir()
    with sync_playwright() as driver:
        out = folder / "demo"
        call = [sys.executable, "-m", "indistinct"]
        subprocess.run([*call, "demo", "--out", out], check=True, stdout=subprocess.DEVNULL)
        table = folder / "discharges.csv"
        shutil.copyfile(out / "private" / "discharges.csv", table)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            with subprocess.Popen(
                [*call, "studio", table, "--no-browser"], stdout=subprocess.PIPE, text=True
            ) as studio:
                assert studio.stdout is not None
                page = browser.new_context(viewport=SIZE, color_scheme=scheme).new_page()
                page.set_default_timeout(300_000)
                page.goto(studio.stdout.readline().strip())
                walk(page, scheme)
                studio.terminate()
            shutil.rmtree(folder / "discharges-release")
        browser.close()
    shutil.rmtree(folder)


def walk(page: Any, scheme: str) -> None:
    """Every room, when it has something to show."""

    def shoot(room: str) -> None:
        path = PICTURES / f"studio-{room}-{scheme}.png"
        page.wait_for_timeout(500)
        page.evaluate("document.getElementById('live').textContent = ''")
        page.screenshot(path=path)

    page.wait_for_selector("text=Measure again")
    shoot("table")
    page.click("#to-hierarchies")
    page.wait_for_selector(".levels")
    shoot("hierarchies")
    page.click("#to-promises")
    page.wait_for_selector("text=No problem found")
    shoot("promises")
    page.click("#to-explore")
    page.click("#try")
    page.wait_for_selector("text=recommended")
    page.click("#try-k")
    page.wait_for_selector("text=Recommended: k")
    shoot("explore")
    page.check("#beside-5")
    page.check("#beside-10")
    page.click("#compare")
    page.wait_for_selector("#box-0")
    page.focus("#box-0")
    page.keyboard.press("ArrowLeft")
    page.evaluate("document.querySelector('svg.partition').closest('section').scrollIntoView()")
    shoot("groups")
    page.evaluate("scrollTo(0, 0)")
    page.click("#to-publish")
    page.click("#publish")
    page.wait_for_selector("text=Those who learn most", state="attached")
    page.evaluate("scrollTo(0, 0)")
    shoot("publish")


if __name__ == "__main__":
    main()
