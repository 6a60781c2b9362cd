"""The page in Firefox, through its own remote protocol (Marionette): it needs no other program."""

import json
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Start

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
pytestmark = pytest.mark.skipif(FIREFOX is None, reason="no Firefox is installed")

SCRIPT_SECONDS = 600
CHANGES_OF_PAGE = 10
WAIT = """
const done = arguments[0];
const look = () => { let found; try { found = READY; } catch (error) { found = null; }
  if (found) done(typeof found === "string" ? found : true); else setTimeout(look, 100); };
look();
"""


def free_port() -> int:
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        port: int = own.getsockname()[1]
        return port


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Sends a command to a Firefox of its own, and gives what it answers."""
    profile, port = tmp_path / "profile", free_port()
    profile.mkdir()
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    assert FIREFOX is not None
    call = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
    process = subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"HOME": str(tmp_path)}
    )
    assert process.stdout is not None
    for line in process.stdout:
        if b"Listening on port" in line:
            break
    link = socket.create_connection(("127.0.0.1", port), timeout=SCRIPT_SECONDS * 2)
    stream = link.makefile("rb")

    def message() -> Any:
        size = b""
        while (part := stream.read(1)) != b":":
            size += part
        return json.loads(stream.read(int(size)))

    message()

    def ask(name: str, **parameters: Any) -> Any:
        text = json.dumps([0, 1, f"WebDriver:{name}", parameters]).encode()
        link.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, told = message()
        if error is not None:
            raise RuntimeError(error)
        return told

    ask("NewSession", capabilities={"alwaysMatch": {}})
    ask("SetTimeouts", script=SCRIPT_SECONDS * 1000)
    yield ask
    stream.close()
    link.close()
    process.terminate()
    process.wait(SCRIPT_SECONDS)
    process.stdout.close()


def test_the_rooms_work_in_firefox(
    firefox: Callable[..., Any], start: Start, table: Path, tmp_path: Path
) -> None:
    def until(ready: str) -> Any:
        script = WAIT.replace("READY", ready)
        for _ in range(CHANGES_OF_PAGE):
            try:
                found = firefox("ExecuteAsyncScript", script=script, args=[])["value"]
            except RuntimeError:  # the page that takes the token leads to the studio
                continue
            if found:  # a page that goes meanwhile may answer with nothing
                return found
        raise AssertionError(ready)

    def act(script: str) -> Any:
        return firefox("ExecuteScript", script=script, args=[], newSandbox=False)["value"]

    firefox("Navigate", url=start(table).address)
    until("document.querySelector('#role-ward')")
    act("window.wrong = []; addEventListener('error', (event) => wrong.push(event.message))")
    act(
        "const menu = document.getElementById('role-ward'); menu.value = 'sensitive';"
        "menu.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    until("document.querySelector('#role-ward[data-role=sensitive]')")
    act("document.getElementById('to-hierarchies').click()")
    until("document.querySelector('.levels button')")
    act("document.getElementById('to-promises').click()")
    until("document.getElementById('at-risk')")
    act(
        "const k = document.getElementById('k'); k.value = '7';"
        "k.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    assert until("document.getElementById('k-value').textContent") == "k = 7"
    act("document.getElementById('to-publish').click()")
    until("document.getElementById('publish')")
    out = tmp_path / "by-firefox"
    act(
        f"const out = document.getElementById('out'); out.value = {json.dumps(str(out))};"
        "out.dispatchEvent(new Event('input', { bubbles: true }));"
        "document.getElementById('publish').click()"
    )
    until("document.getElementById('report-public')")
    assert (out / "certificate.json").is_file()
    assert act("return window.wrong") == []
    # The frame of the page takes what a content security policy may refuse: styles and modules.
    assert act("return getComputedStyle(document.querySelector('nav')).gridArea") != ""
