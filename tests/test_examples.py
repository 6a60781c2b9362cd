"""Every example runs as it stands, in an empty folder."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if name == "frames.py":
        pytest.importorskip("duckdb")
        pytest.importorskip("pandas")
    if name == "labelled_survey.py":
        pytest.importorskip("pyreadstat")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr("sys.argv", [name])
    monkeypatch.setenv("VISITS_KEY", "set by the example")
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert capsys.readouterr().out


def test_the_list_of_examples_is_whole() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in SCRIPTS if f"`{name}`" not in listed] == []
