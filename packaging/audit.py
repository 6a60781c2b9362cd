"""Ask whether a dependency has a known vulnerability, and list all dependencies in an SBOM.

    python packaging/audit.py ENVIRONMENT

ENVIRONMENT is a virtual environment that holds what users install. The Python that runs this has
the group ``tools``. The SBOM is written first, to ``dist/indistinct-VERSION.cdx.json``; that needs
no network.

Exit codes: 0 no vulnerability is known, 1 one is known, 75 the database of vulnerabilities did not
answer for every dependency, so nothing is said about the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(sys.executable).parent
NO_ANSWER = 75


def main(environment: Path) -> int:
    """Write the SBOM, ask the database, and tell what it said."""
    print(f"SBOM written to {write_sbom(environment).relative_to(ROOT)}")
    answers = ask(environment)
    if answers is None:
        print("not audited: the database of vulnerabilities cannot be reached from here")
        return NO_ANSWER
    known = [
        f"{answer['name']} {answer['version']}: {vulnerability['id']}, mended in "
        + (", ".join(vulnerability["fix_versions"]) or "no version yet")
        for answer in answers
        for vulnerability in answer.get("vulns", ())
    ]
    unanswered = [answer["name"] for answer in answers if "skip_reason" in answer]
    for line in known:
        print(line)
    asked = len(answers) - len(unanswered)
    print(f"{asked} of {len(answers)} dependencies audited, {len(known)} known vulnerabilities")
    if known:
        return 1
    if unanswered:
        print("not audited, because the database does not answer:", *unanswered)
        return NO_ANSWER
    return 0


def write_sbom(environment: Path) -> Path:
    """Write the SBOM of an environment; its time is that of the last commit."""
    project = ROOT / "pyproject.toml"
    version = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    path = ROOT / "dist" / f"indistinct-{version}.cdx.json"
    path.parent.mkdir(exist_ok=True)
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    subprocess.run(
        [
            *(TOOLS / "cyclonedx-py", "environment", "--output-reproducible"),
            *("--mc-type", "library", "--pyproject", project, "--output-file", path, environment),
        ],
        env=os.environ | {"SOURCE_DATE_EPOCH": epoch},
        check=True,
    )
    return path


def ask(environment: Path) -> list[dict] | None:
    """What pip-audit says of every dependency, or None where it could not ask at all."""
    (packages,) = environment.glob("lib/python3*/site-packages")
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.json"
        subprocess.run(
            [
                *(TOOLS / "pip-audit", "--progress-spinner", "off", "--path", packages),
                *("--format", "json", "--output", said),
            ],
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if not said.exists():
            return None
        return json.loads(said.read_text(encoding="utf-8"))["dependencies"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
