"""The template of a page is compiled once, and kept where that is safe."""

from __future__ import annotations

import errno
from pathlib import Path

import jinja2
import pytest
from jinja2.bccache import Bucket

from indistinct import kept_code
from indistinct.report import page


@pytest.fixture(autouse=True)
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder in which what is compiled is kept."""
    monkeypatch.setattr(kept_code, "_cache_root", lambda: tmp_path / "own")
    return tmp_path / "own"


def test_a_template_is_compiled_once(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    page._template.__wrapped__()
    assert len(list(root.glob("pages-*/*"))) == 1

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    monkeypatch.setattr(jinja2.Environment, "compile", refuse)
    assert page._template.__wrapped__().name == "page.html"


def test_a_full_disk_does_not_stop_a_report(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Bucket, "write_bytecode", full)
    assert page._template.__wrapped__().name == "page.html"
    assert not list(root.glob("pages-*/*"))
