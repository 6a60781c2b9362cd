"""Reports as a browser shows them: nothing is loaded, nothing complains, all can read them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import indistinct as ind
from indistinct.demo import POLICY, discharges

LONG = 600_000.0

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)

sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync.sync_playwright() as started:
        yield started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=LONG)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    (folder / "p.toml").write_text(POLICY, encoding="utf-8")
    table = discharges().head(1500)
    table.write_csv(folder / "t.csv")
    out = ind.anonymize(table, folder / "p.toml").write(folder / "out")
    ind.write_report(out, data=folder / "t.csv", policy=folder / "p.toml", template="wp216")
    return out


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 390])
@pytest.mark.parametrize("file", ["report.html", "private/report.html"])
def test_a_report_opens_offline_and_is_accessible(
    browser: Any, out: Path, file: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True
    )
    context.set_default_timeout(LONG)
    page = context.new_page()
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((out / file).as_uri())
    assert asked == [(out / file).as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out"
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    drawn = "Array.from(document.querySelectorAll('.track i')).every(one => one.offsetHeight > 0)"
    assert page.evaluate(drawn)
    if width > 390:  # which colours and names there are does not depend on the width
        found = axe.Axe().run(page).response["violations"]
        assert not [item["id"] for item in found if item["impact"] in ("serious", "critical")]
    assert told == []
    context.close()


def test_a_report_is_printed_with_what_is_folded(browser: Any, out: Path) -> None:
    page = browser.new_page()
    page.goto((out / "report.html").as_uri())
    screen = page.evaluate("document.documentElement.scrollHeight")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollHeight") > screen
    page.close()
