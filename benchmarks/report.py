"""How long both reports of a large release take, and how large they are.

The table is Adult forty times with ages disturbed by a seeded draw (1.2 million rows, eight
quasi-identifiers). Seconds are of the processor, of whole commands.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from common import adult_frame, adult_policy, describe_machine, parser, show, spent
from whole_command import large_table


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--copies", type=int, default=40, help="how often Adult is repeated")
    options = arguments.parse_args()
    print(describe_machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        large, policy, out = (folder / part for part in ("large.csv", "adult.toml", "release"))
        large_table(adult_frame(options.shared), options.copies, large)
        policy.write_text(adult_policy(options.shared.resolve()), encoding="utf-8")
        run = ("anonymize", large, "--policy", policy, "--out", out)
        rows = []
        for what, command in (
            ("anonymize --no-report", (*run, "--no-report")),
            ("report", ("report", out)),
            ("report --public", ("report", out, "--public")),
            ("anonymize with both reports", (*run[:-1], folder / "again")),
        ):
            took = spent([sys.executable, "-m", "indistinct", *command])
            rows.append([what, f"{took.cpu:.1f}", f"{took.megabytes:.0f}"])
        show(
            f"{options.copies * 30162} rows, eight quasi-identifiers",
            ["what", "CPU s", "MB"],
            rows,
        )
        for path in sorted(out.rglob("report.html")):
            print(f"{path.relative_to(out)}: {path.stat().st_size / 1e6:.2f} MB")
    print(describe_machine())


if __name__ == "__main__":
    main()
