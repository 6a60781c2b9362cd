"""Runs that are killed at many moments: a release is there whole, or not at all, and nothing stays.

A scanned run is killed after each of its steps, as they are told, and in between. Then it is run
again: what a killed run left beside the table has to go with it. With the address of a server to
write to, the same of runs in PostgreSQL whose release goes into a schema.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import indistinct as ind
from indistinct.sources.postgres import Address, Session
from postgres import SCHEMA, schema
from scale import POLICY, write_table

SERVED = """
rest = "drop"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = { width = 10 } }
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = {} }
[[promises]]
model = "k-anonymity"
k = 20
"""


def killed(command: list[str], after: float) -> bool:
    """Whether a run was killed so many seconds after its begin, and had not ended before."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as run:
        try:
            run.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            return True
    return False


def left_beside(folder: Path) -> list[str]:
    """What a run staged beside its table and did not remove."""
    return [one.name for one in folder.iterdir() if ".ind-" in one.name]


def whole_in_files(out: Path) -> bool:
    """Whether a release is there, whole; a part of one is an error."""
    if not out.exists():
        return False
    if not ind.audit(out).holds:
        sys.exit(f"{out}: a release is there and is not whole")
    return True


def whole_in_server(address: str, name: str) -> bool:
    """Whether a release and its certificate are in the schema; one of them alone is an error."""
    asked = ", ".join(
        f"to_regclass('{SCHEMA}.{table}') IS NOT NULL AS n{at}"
        for at, table in enumerate((name, f"{name}_certificate"))
    )
    there, certified = Session(Address.of(address)).fetch(f"SELECT {asked}").row(0)
    if there != certified:
        sys.exit(f"{name}: a release without a certificate, or the reverse")
    return bool(there)


def main() -> None:
    """Kill runs, look at what they leave, and run once more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--address", help="postgresql://user@host/database, of a server")
    asked = parser.parse_args()
    moments = random.Random(1)
    script = str(Path(sys.executable).with_name("indistinct"))
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        source, policy = folder / "register.parquet", folder / "policy.toml"
        write_table(asked.rows, source)
        policy.write_text(POLICY.replace("ALGORITHM", "optimal"))
        run = [script, "anonymize", str(source), "--policy", str(policy), "--engine", "duckdb"]
        began = time.monotonic()
        subprocess.run([*run, "--out", str(folder / "first")], check=True, capture_output=True)
        length = time.monotonic() - began
        cut = whole = 0
        for at in range(asked.moments):
            out = folder / f"out{at}"
            cut += killed([*run, "--out", str(out)], moments.uniform(0.1, 1.05) * length)
            whole += whole_in_files(out)
        subprocess.run([*run, "--out", str(folder / "last")], check=True, capture_output=True)
        left = left_beside(folder)
        print(f"files: {asked.moments} runs, {cut} killed, {whole} releases, all whole")
        print(f"left beside the table after one more run: {len(left)}")
        if left:
            sys.exit("what a killed run left was not removed")
        if asked.address is None:
            return
        policy.write_text(SERVED)
        with schema(asked.address, asked.rows):
            cut = whole = 0
            for at in range(asked.moments + 1):
                into = f"{asked.address}?schema={SCHEMA}&table=r{at}"
                run = [script, "anonymize", f"{asked.address}?table={SCHEMA}.visits"]
                run += ["--policy", str(policy), "--out", str(folder / f"run{at}"), "--into", into]
                began = time.monotonic()
                if at == 0:
                    subprocess.run([*run, "--no-report"], check=True, capture_output=True)
                    length = time.monotonic() - began
                    continue
                after = moments.uniform(0.1, 1.05) * length
                cut += killed([*run, "--no-report"], after)
                whole += whole_in_server(asked.address, f"r{at}")
            print(f"server: {asked.moments} runs, {cut} killed, {whole} releases, all whole")


if __name__ == "__main__":
    main()
