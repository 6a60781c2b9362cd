"""What a release in PostgreSQL costs, beside the same release written by hand in SQL.

By hand: the table grouped, joined with its own combinations and stored in random order, which is
what the server has to do anyhow. Ours: making the release (lookup uploaded, joined, sorted), and
the whole run with its counts, warnings and audit, stored as a table with its certificate. In a
schema of its own, which is removed again. The password comes from where libpq looks for it.

A busy machine gives SQL by hand more than its share, since the server joins it in parallel: CPU
seconds are told as well, of this process and of a server on the same machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import indistinct as ind
from common import describe_machine, show
from indistinct.sources.postgres import Address, PostgresTable, Session
from indistinct.sources.table import Change

SCHEMA = "indistinct_benchmark"
POLICY = {
    "attributes": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
        "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
        "ill": {"role": "sensitive"},
    },
    "rest": "keep",
    "promises": [{"model": "k-anonymity", "k": 60}],
    "method": {"seed": 1},
}
TABLE = """CREATE TABLE {schema}.visits AS SELECT 'P' || g AS id, 20 + (g * 7) % 60 AS age,
CASE WHEN g % 3 = 0 THEN 'f' ELSE 'm' END AS sex, (100 + (g * 31) % 900)::text AS zip,
'd' || g % 50 AS ill, (g * 1.25)::numeric(10,2) AS cost, date '2024-01-01' + (g % 200)::int AS seen
FROM generate_series(1, {rows}) g"""
BY_HAND = """CREATE TABLE {schema}.hand AS
SELECT l.a AS age, s.sex, l.z AS zip, s.ill, s.cost, s.seen
FROM {schema}.visits s JOIN (SELECT age, sex, zip, (age / 10 * 10)::text AS a,
left(zip, 2) || '*' AS z FROM {schema}.visits GROUP BY age, sex, zip) l
ON s.age = l.age AND s.sex = l.sex AND s.zip = l.zip ORDER BY random()"""


class Clock:
    """CPU seconds of this process, and of a server on the same machine.

    Arguments:
        session: speaks to the server; others on the machine do not count.
    """

    def __init__(self, session: Session) -> None:
        pid = int(session.fetch("SELECT pg_backend_pid() AS pid").item())
        self._server = int(_stat(pid)[1])

    def spent(self) -> float:
        """What was spent so far, by processes that ended too."""
        ticks = 0
        for path in Path("/proc").glob("[0-9]*"):
            try:
                told = _stat(int(path.name))
            except OSError:  # it has ended meanwhile
                continue
            if self._server in (int(path.name), int(told[1])):
                own = told[11:15] if int(path.name) == self._server else told[11:13]
                ticks += sum(map(int, own))
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    def seconds(self, work: Callable[[], object], until: float = 0.2) -> tuple[float, float]:
        """How long it takes: by the clock, and CPU seconds, when the server's workers ended."""
        began, so_far = time.perf_counter(), self.spent()
        work()
        took = time.perf_counter() - began
        time.sleep(until)
        return took, self.spent() - so_far


def _stat(pid: int) -> list[str]:
    """What the system says of a process, from its state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


@contextmanager
def schema(address: str, rows: int) -> Iterator[Session]:
    """A schema with a table of so many rows."""
    session = Session(Address.of(address))
    session.run(f"CREATE SCHEMA {SCHEMA}")
    session.run(TABLE.format(schema=SCHEMA, rows=rows))
    session.run(f"ANALYZE {SCHEMA}.visits")
    session.commit()
    try:
        yield session
    finally:
        session.run(f"DROP SCHEMA {SCHEMA} CASCADE")
        session.commit()


def main() -> None:
    """Measure all of it, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="postgresql://user@host/database, of a server to write to")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    made: list[tuple[float, float]] = []
    own = PostgresTable.publish
    hand, whole = [], []
    with schema(asked.address, asked.rows) as session:
        clock = Clock(session)

        def publish(table: PostgresTable, change: Change) -> PostgresTable:
            found: list[PostgresTable] = []
            made.append(clock.seconds(lambda: found.append(own(table, change)), 0))
            return found[0]

        PostgresTable.publish = publish  # type: ignore[method-assign]

        def by_hand() -> None:
            session.run(BY_HAND.format(schema=SCHEMA))
            session.run(f"DROP TABLE {SCHEMA}.hand")
            session.commit()

        for at in range(asked.runs):
            hand.append(clock.seconds(by_hand))

            def run(name: str = f"schema={SCHEMA}&table=r{at}") -> None:
                release = ind.anonymize(f"{asked.address}?table={SCHEMA}.visits", POLICY)
                with tempfile.TemporaryDirectory() as folder:
                    release.write(f"{folder}/run", report=False, into=f"{asked.address}?{name}")

            whole.append(clock.seconds(run))
    rows = []
    for what, took in (("by hand", hand), ("the release", made), ("the whole run", whole)):
        row = [what]
        for own_times, least in zip(zip(*took, strict=True), zip(*hand, strict=True), strict=True):
            row += [f"{min(own_times):.2f}", f"{min(own_times) / min(least):.2f}"]
        rows.append(row)
    print(describe_machine())
    columns = ("what", "seconds", "times", "CPU seconds", "times")
    show(f"{asked.rows:,} rows, best of {asked.runs}", columns, rows)


if __name__ == "__main__":
    main()
