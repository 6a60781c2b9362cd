"""A small table, and a policy for it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROWS = [(age, sex, f"{zip_code}", "flu" if age % 3 else "cancer")
        for age in range(20, 60) for sex in ("f", "m") for zip_code in (81667, 81675)]  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """160 records of age, sex, zip and diagnosis."""
    path = tmp_path / "patients.csv"
    lines = ["age,sex,zip,diagnosis", *(",".join(map(str, row)) for row in ROWS)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy for that table."""
    path = tmp_path / "release.toml"
    path.write_text(
        """
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = { width = 10 } }
[attributes.sex]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = { from = "right" } }
[attributes.diagnosis]
role = "sensitive"
[[promises]]
model = "k-anonymity"
k = 5
""",
        encoding="utf-8",
    )
    return path
