from __future__ import annotations

import json
from pathlib import Path


def test_the_demonstration_can_be_repeated_by_hand(run, tmp_path: Path):
    out = tmp_path / "demo"
    result = run("demo", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "5,000 invented hospital discharges" in result.stdout
    assert f"indistinct audit {out}" in result.stdout
    assert result.stdout.endswith(f"what it cost:\n  {out / 'private' / 'report.html'}\n")
    assert (out / "private" / "report.html").is_file()
    lines = [line for line in result.stdout.splitlines() if str(out) not in line]
    assert max(map(len, lines)) <= 80
    assert run("audit", out).exit_code == 0
    private = out / "private"
    again = run(
        *("anonymize", private / "discharges.csv", "--policy", private / "release.toml"),
        *("--out", tmp_path / "again", "--json"),
    )
    assert again.exit_code == 0
    first = json.loads((private / "run.json").read_text(encoding="utf-8"))
    second = json.loads(again.stdout)
    for key in ("levels", "objective", "optimal"):
        assert second["plan"][key] == first["plan"][key]
    assert run("demo", "--out", out).exit_code == 0


def test_nothing_is_written_without_a_folder(run, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["records"] == 5000
    assert list(tmp_path.iterdir()) == []
