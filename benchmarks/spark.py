"""A whole run on Spark against Spark's own floor, with one core and with two; and executors killed.

The floor is a process that reads the same file, counts the combinations of the quasi-identifiers
and writes the file again. CPU seconds count Python and Java; memory is told of each. The heap of
Java, which ``--driver-memory`` bounds, is at most the sum of what its pools held. With ``--kill``
a run on a cluster of two executors (``local-cluster[2,1,1024]``) loses one of them at several
moments, and has to make the same release. With ``--cut`` people have a day of birth, and there are
nearly as many combinations as rows: too many for the driver. Mondrian cuts them on the cluster, and
has to make the classes that it makes in memory; with ``--kill`` executors are lost meanwhile.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from common import describe_machine, parser, show, spent
from scale import POLICY, QUASI, write_table

CEILING = "300MB"
"""What the driver may take for combinations that are cut on the cluster."""

ENDING = """
import os
from pathlib import Path
from pyspark.sql import SparkSession

def peak(process):
    status = Path("/proc", str(process), "status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line) << 10

session = SparkSession.active()
java = session.sparkContext._gateway.proc
pools = session._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
heap = [one.getPeakUsage().getUsed() for one in pools if "Heap" in str(one.getType())]
figures = sum(heap), peak(java.pid), peak("self")
Path(os.environ["INDISTINCT_PEAKS"]).write_text(" ".join(map(str, figures)))
session.stop()
session.sparkContext._gateway.shutdown()
java.stdin.close()
java.wait()
"""
"""Writes down peaks of memory, and waits for Java, so that its CPU seconds are counted."""

FLOOR = f"""
import sys
from indistinct.sources.spark_session import begin_spark
master, source, target, *keys = sys.argv[1:]
frame = begin_spark(master).read.parquet(source)
print(len(frame.groupBy(*keys).count().collect()))
frame.write.option("compression", "zstd").parquet(target)
{ENDING}
"""

RUN = f"""
import sys
from indistinct.cli import app
try:
    app()
except SystemExit as ended:
    if ended.code:
        raise
{ENDING}
"""

MARKED = """
import os
from pathlib import Path
from indistinct.sources.spark_cuts import SparkParts
cut, mark = SparkParts.by_region, Path(os.environ["INDISTINCT_PEAKS"] + ".regions")
def marked(self, *asked):
    mark.touch()
    found = cut(self, *asked)
    mark.unlink()
    return found
SparkParts.by_region = marked
"""
"""Leaves a mark as long as executors cut regions to their end."""


def run_of(master: str, source: Path, work: Path, name: str) -> list[str]:
    """A run whose release the executors write into a folder."""
    place = work / f"{name}.parquet"
    policy, out = str(work / "policy.toml"), str(work / name)
    command = [sys.executable, "-c", RUN, "anonymize", str(source), "--policy", policy]
    command += ["--engine", "spark", "--master", master]
    return [*command, "--out", out, "--into", f"file://{place}", "--no-report"]


def measure(rows: int, masters: list[str], work: Path, source: Path) -> None:
    """Floor and run for every master."""
    table = []
    peaks = Path(os.environ["INDISTINCT_PEAKS"])
    for master in masters:
        copy = work / "copy"
        floor = spent([sys.executable, "-c", FLOOR, master, source, copy, *QUASI])
        shutil.rmtree(copy)
        held = [peaks.read_text()]
        run = spent(run_of(master, source, work, "run"))
        held.append(peaks.read_text())
        for what, took, of in zip(("floor", "the run"), (floor, run), held, strict=True):
            megabytes = (int(one) / (1 << 20) for one in of.split())
            figures = [took.cpu, took.cpu / floor.cpu, took.wall, *megabytes]
            table.append([f"{what}, {master}", *(f"{one:.1f}" for one in figures)])
            print(*table[-1], flush=True)
        shutil.rmtree(work / "run")
        shutil.rmtree(work / "run.parquet")
    head = ["what", "CPU s", "times", "seconds", "heap MB", "Java MB", "Python MB"]
    title = f"{rows} rows of 8 columns, driver of 1 GB"
    show(title, head, table)


def executors(run: int) -> list[int]:
    """The processes of a run's executors."""
    parents, found = {}, []
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                parents[int(one.name)] = int(
                    (one / "stat").read_text().rpartition(")")[2].split()[1]
                )
                if b"CoarseGrainedExecutorBackend" in (one / "cmdline").read_bytes():
                    found.append(int(one.name))
            except OSError:
                continue

    def under(pid: int) -> bool:
        while pid > 1 and pid != run:
            pid = parents.get(pid, 0)
        return pid == run

    return [pid for pid in found if under(pid)]


def kill(times: int, work: Path, source: Path, *, cutting: bool) -> None:
    """Runs that lose an executor make the release of one that does not.

    With ``cutting`` they lose it while regions are cut, some later than others.
    """
    master = "local-cluster[2,1,1024]"
    began = time.monotonic()
    subprocess.run(run_of(master, source, work, "whole"), check=True, capture_output=True)
    length = time.monotonic() - began
    whole = pl.read_parquet(work / "whole.parquet" / "*.parquet")
    mark = Path(os.environ["INDISTINCT_PEAKS"] + ".regions")
    lost = meanwhile = 0
    for at in range(times):
        command = run_of(master, source, work, f"run{at}")
        command[2] = (MARKED if cutting else "") + command[2]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            later = at if cutting else length * (0.3 + 0.6 * at / max(times - 1, 1))
            while cutting and run.poll() is None and not mark.exists():
                time.sleep(0.05)
            try:
                run.wait(later)
            except subprocess.TimeoutExpired:
                if held := executors(run.pid):
                    os.kill(held[0], signal.SIGKILL)
                    lost += 1
                    meanwhile += mark.exists()
            _, said = run.communicate()
        if run.returncode:
            sys.exit(f"a run that lost an executor ended with {run.returncode}: {said.decode()}")
        made = pl.read_parquet(work / f"run{at}.parquet" / "*.parquet")
        if not made.sort(made.columns).equals(whole.sort(whole.columns)):
            sys.exit("a run that lost an executor made another release")
    when = f" ({meanwhile} while regions were cut)" if cutting else ""
    print(f"{times} runs, {lost} executors killed{when}, the same release each time")


def cut(rows: int, master: str, work: Path) -> None:
    """Cuts on the cluster are those of memory."""
    source, policy = work / "register.parquet", work / "policy.toml"
    born = pl.Series("age", np.random.default_rng(2).integers(0, 30_000, rows))
    table = pl.read_parquet(source).with_columns(born)
    table.write_parquet(source)
    told = POLICY.replace("ALGORITHM", "mondrian").replace("width = 5 }", "width = 3650 }")
    policy.write_text(told.replace("k = 10", "k = 100").replace("[method]", "[method]\nseed = 1"))
    print(f"{table.select(QUASI).n_unique()} combinations; {CEILING} hold 300,000")
    table, made = [], []
    plain = [sys.executable, "-m", "indistinct", "anonymize", str(source), "--policy", str(policy)]
    plain += ["--out", str(work / "memory"), "--no-report"]
    for what, command, ceiling in (
        ("in memory", plain, ""),
        (master, run_of(master, source, work, "cut"), CEILING),
    ):
        os.environ["INDISTINCT_MAX_MEMORY"] = ceiling
        took = spent(command)
        table.append([what, f"{took.cpu:.1f}", f"{took.wall:.1f}"])
    for release in ((work / "memory").glob("*.parquet"), (work / "cut.parquet").glob("*.parquet")):
        made.append(pl.read_parquet(list(release)).group_by(QUASI).len().sort(QUASI))
    if not made[0].equals(made[1]):
        sys.exit("the cluster made other classes")
    show(f"{rows} rows, {made[0].height} classes, the same", ["what", "CPU s", "seconds"], table)


def main() -> None:
    """Run the benchmark."""
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--masters", default="local[1] local[2]")
    arguments.add_argument("--kill", type=int, default=0, help="how many runs lose an executor")
    arguments.add_argument("--cut", action="store_true", help="combinations do not fit the driver")
    arguments.add_argument("--folder", type=Path, help="where the tables are written")
    options = arguments.parse_args()
    print(describe_machine())
    os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 1g pyspark-shell"
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        work = Path(folder)
        os.environ["INDISTINCT_PEAKS"] = str(work / "peaks")
        source = work / "register.parquet"
        write_table(options.rows, source)
        policy = POLICY.replace("ALGORITHM", "optimal").replace("[method]", "[method]\nseed = 1")
        (work / "policy.toml").write_text(policy)
        if options.cut:
            cut(options.rows, options.masters.split()[0], work)
        else:
            measure(options.rows, options.masters.split(), work, source)
        if options.kill:
            kill(options.kill, work, source, cutting=options.cut)


if __name__ == "__main__":
    main()
