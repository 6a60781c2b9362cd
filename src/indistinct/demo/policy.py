"""The policy that releases the demonstration's table of hospital discharges."""

from __future__ import annotations

from pathlib import Path

POLICY = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
"""The text of the policy, as a custodian would write it."""
