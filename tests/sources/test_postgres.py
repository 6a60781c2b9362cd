"""Tables in a PostgreSQL server: counted and published there, and never half."""

from __future__ import annotations

import datetime as dt
import glob
import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.sources import test_cut_in_place
from tests.sources.suite import (
    BY_ROWS,
    COUNTED,
    POLICIES,
    TABLES,
    TOGETHER,
    VERB_KEYS,
    is_that_of_polars,
    numbers_are_held_together,
    rows_of,
)
from typer.testing import CliRunner

import indistinct as ind
from indistinct.analytics.profile.columns import profile
from indistinct.cli import app
from indistinct.errors import DataError, IndistinctError, OutputError
from indistinct.recoding.partition import first_cuts
from indistinct.sources import memory, postgres_cuts
from indistinct.sources.eager import count_distinct
from indistinct.sources.engines import some_classes
from indistinct.sources.postgres import Address, PostgresTable, Session, open_in_server
from indistinct.sources.text import canonical

PASSWORD = "s3cret-Wort"
N = 400
TABLE = pl.DataFrame(
    {
        "id": [f"P{i:04}" for i in range(N)],
        "age": [None if i % 50 == 0 else 20 + (i * 7) % 60 for i in range(N)],
        "sex": ["f" if i % 3 else "m" for i in range(N)],
        "zip": [str(100 + i % 12) for i in range(N)],
        "ill": [None if i % 11 == 0 else f"d{i % 5}" for i in range(N)],
        "cost": [i * 1.25 for i in range(N)],
        "seen": [dt.date(2024, 1 + i % 9, 10 + i % 10) for i in range(N)],
        "big": [2**62 + i for i in range(N)],
    },
    schema_overrides={"cost": pl.Decimal(10, 2)},
)
ROLES: dict[str, Any] = {
    "id": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
    "sex": {"role": "quasi-identifier", "hierarchy": "suppress"},
    "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
    "ill": {"role": "sensitive"},
    "cost": {"role": "insensitive"},
    "seen": {"role": "insensitive"},
    "big": {"role": "insensitive"},
}


def policy(*promises: dict[str, Any], **changes: Any) -> dict[str, Any]:
    method = {"seed": 3, "suppression_limit": 0.05, **changes.pop("method", {})}
    asked = [{"model": "k-anonymity", "k": 5}, *promises]
    found = {"attributes": ROLES, "promises": asked, "method": method}
    return found | {"output": {"format": "parquet"}, **changes}


def _tool(name: str) -> str | None:
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))  # noqa: PTH207
    return found[-1] if found else shutil.which(name)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server on this machine, which asks for a password."""
    pytest.importorskip("adbc_driver_postgresql")
    initdb, control = _tool("initdb"), _tool("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("no PostgreSQL server is installed (Debian's package postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="indistinct-postgres-"))
    (secret := folder / "secret").write_text(PASSWORD)
    user: Any = None
    if os.geteuid() == 0:  # the server refuses to be run by root
        user = "postgres"
        for place in (folder, secret):
            shutil.chown(place, user)

    def call(*command: str) -> None:
        subprocess.run(command, check=True, user=user, cwd=folder, capture_output=True)

    data = str(folder / "data")
    call(initdb, "-D", data, "-A", "scram-sha-256", "--pwfile", str(secret), "-U", "owner", "-N",
         "--encoding=UTF8", "--locale=C")  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off "
        "-c log_statement=all"
    )
    call(control, "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
    before = os.environ.get("PGPASSWORD")
    os.environ["PGPASSWORD"] = PASSWORD
    try:
        address = f"postgresql://owner@127.0.0.1:{port}/postgres"
        session = Session(Address.of(address))
        session.run("CREATE SCHEMA clinic")
        session.upload(TABLE.to_arrow(), "visits", "clinic")
        session.run("ALTER TABLE clinic.visits ALTER cost TYPE numeric(10,2)")
        session.run("CREATE ROLE reader LOGIN PASSWORD 'reads'")
        session.run("GRANT USAGE ON SCHEMA clinic TO reader")
        session.run("GRANT SELECT ON clinic.visits TO reader")
        session.commit()
        yield address
    finally:
        os.environ.pop("PGPASSWORD")
        if before is not None:
            os.environ["PGPASSWORD"] = before
        call(control, "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder)


@pytest.fixture
def visits(server: str) -> str:
    return f"{server}?table=clinic.visits"


@pytest.fixture
def schema(server: str) -> Iterator[str]:
    """The address of an empty schema."""
    session = Session(Address.of(server))
    session.run("CREATE SCHEMA release")
    session.commit()
    yield f"{server}?schema=release"
    session = Session(Address.of(server))
    session.fetch(
        "SELECT pg_terminate_backend(pid) AS t FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    session.run("DROP SCHEMA release CASCADE")
    session.commit()


def fetched(server: str, query: str) -> pl.DataFrame:
    return Session(Address.of(server)).fetch(query)


@pytest.fixture(scope="module")
def suite_tables(server: str) -> str:
    """The address, where the tables of the suite are."""
    session = Session(Address.of(server))
    session.run("CREATE SCHEMA suite")
    for kind, table in TABLES.items():
        session.upload(table.to_arrow(), kind, "suite")
        for name in ("fee", "paid"):
            session.run(f"ALTER TABLE suite.{kind} ALTER {name} TYPE numeric(12,2)")
    session.commit()
    return server


@pytest.mark.parametrize("name", POLICIES)
def test_the_release_is_that_of_the_table_in_memory(name: str, suite_tables: str) -> None:
    is_that_of_polars(name, f"{suite_tables}?table=suite.{POLICIES[name][0]}")


@pytest.mark.parametrize("named", test_cut_in_place.POLICIES)
def test_a_table_whose_combinations_do_not_fit_is_cut_where_it_is(
    named: str, suite_tables: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgresTable, "rows", test_cut_in_place.too_many)
    monkeypatch.setattr(postgres_cuts, "_PAGES", 1)
    monkeypatch.setattr(first_cuts, "REGION", 15)
    query = "SELECT age, zip, ill, born, fee, visit, site, seen, paid, note FROM suite.table"
    keys = test_cut_in_place.POLICIES[named] | {"source": {"query": query}}
    test_cut_in_place.is_that_of_memory(ind.anonymize(suite_tables, keys), named)


def test_no_more_combinations_come_home_than_fit(
    visits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "most_combinations", lambda _: 64)
    fetched: list[int] = []
    own = Session.fetch

    def fetch(session: Session, query: str) -> pl.DataFrame:
        found = own(session, query)
        fetched.append(found.height)
        return found

    monkeypatch.setattr(Session, "fetch", fetch)
    with pytest.raises(DataError, match="more than 64 combinations of 'age', 'sex', 'zip'"):
        ind.anonymize(visits, policy())
    assert max(fetched) <= 65


@pytest.mark.parametrize("verb", COUNTED | BY_ROWS)
def test_every_verb_says_what_it_says_of_memory(verb: str, suite_tables: str) -> None:
    ask = (COUNTED | BY_ROWS)[verb]
    release = ind.anonymize(TABLES["table"], VERB_KEYS).tables
    given = f"{suite_tables}?table=suite.table"
    assert ask(given, release) == ask(TABLES["table"], release)


def test_types_of_a_written_release_are_those_of_memory(visits: str, tmp_path: Path) -> None:
    for at, data in enumerate((visits, TABLE)):
        ind.anonymize(data, policy()).write(tmp_path / str(at), report=False)
    theirs, ours = (pl.read_parquet(tmp_path / f"{at}/release.parquet") for at in (0, 1))
    assert theirs.select(pl.all().exclude("cost")).schema == ours.drop("cost").schema
    assert rows_of(theirs) == rows_of(ours)


def test_no_row_comes_home_and_no_value_stands_in_a_statement(
    server: str, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "SELECT *, 'k' || id AS tag FROM clinic.visits WHERE age IS NOT NULL;"
    asked = policy({"model": "distinct-l-diversity", "sensitive": "ill", "l": 2})
    asked["attributes"] = ROLES | {"tag": {"role": "identifier"}}
    monkeypatch.setattr(PostgresTable, "frame", lambda _: pytest.fail("all rows were fetched"))
    said: list[str] = []
    for name in ("run", "fetch"):
        own = getattr(Session, name)
        monkeypatch.setattr(Session, name, lambda *a, own=own: (said.append(a[1]), own(*a))[1])
    release = ind.anonymize(server, asked | {"source": {"query": query}})
    release.write(tmp_path / "out", into=schema, report=False)
    assert not [text for text in said if "d1" in text or "101" in text]
    assert ind.audit(schema).holds
    with pytest.raises(DataError, match=r"stored in a server .*--into") as none:
        ind.audit(tmp_path / "out")
    assert "&table=release" in str(none.value.problems[0].remedy)
    monkeypatch.undo()
    stored = fetched(server, "SELECT * FROM release.release")
    assert stored.height == release.certificate.records_published
    types = fetched(
        server,
        "SELECT format_type(atttypid, atttypmod) AS t FROM pg_attribute"
        " WHERE attrelid = 'release.release'::regclass AND attnum > 0 ORDER BY attnum",
    )["t"].to_list()
    assert types[3:] == ["text", "numeric(10,2)", "date", "bigint"]
    files = sorted(path.name for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [name for name in files if "release" in name] == []
    assert "certificate.json" in files
    private = json.loads((tmp_path / "out/private/run.json").read_text())["warnings"]
    public = json.loads((tmp_path / "out/certificate.json").read_text())["warnings"]
    told = [text for text in private if "catalogue" in text]
    assert (len(told), told[0] in public) == (1, False)


def test_a_release_in_a_schema_is_there_whole_or_not_at_all(
    server: str, visits: str, schema: str, tmp_path: Path
) -> None:
    release = ind.anonymize(visits, policy())
    session = Session(Address.of(server))
    session.run("CREATE TABLE release.y_certificate (document jsonb)")
    session.commit()
    with pytest.raises(DataError, match="there is a table of that name"):
        release.write(tmp_path / "out", into=f"{schema}&table=y")
    assert not (tmp_path / "out").exists()
    with pytest.raises(DataError):  # what was begun is over
        release.write(tmp_path / "out", into=f"{schema}&table=z")
    del release
    cut = ind.anonymize(visits, policy())
    fetched(
        server,
        "SELECT pg_terminate_backend(pid) AS t FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    )
    with pytest.raises(DataError, match="cannot be reached"):
        cut.write(tmp_path / "out", into=f"{schema}&table=z")
    assert not (tmp_path / "out").exists()
    found = fetched(server, "SELECT to_regclass('release.y')::text AS t")["t"]
    assert found.to_list() == [None]
    with pytest.raises(OutputError, match="the database that its table is in"):
        ind.anonymize(visits, policy()).write(
            tmp_path / "out", into="postgresql://owner@127.0.0.1/other?schema=release"
        )


def test_a_place_for_a_release_is_refused_before_it_is_made(
    server: str, visits: str, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    real = ind.anonymize
    monkeypatch.setattr(ind, "anonymize", lambda *a, **b: made.append("run") or real(*a, **b))
    rules = tmp_path / "p.toml"
    rules.write_text(ind.Policy.model_validate(policy()).to_toml(), "utf-8")

    def publish(out: str, into: str) -> str:
        words = ["anonymize", visits, "--policy", str(rules), "--out", str(tmp_path / out)]
        done = CliRunner().invoke(app, [*words, "--into", into])
        return " ".join(done.output.split())

    assert f"certificate, public, are at {schema}&table=y" in publish("one", f"{schema}&table=y")
    assert made == ["run"]
    assert "there is a table of that name" in publish("two", f"{schema}&table=y")
    session = Session(Address.of(server))
    session.run("DROP TABLE release.y")
    session.commit()
    assert "there is a table of that name" in publish("two", f"{schema}&table=y")  # certificate
    assert "3F000" in publish("two", f"{server}?schema=nowhere")
    assert made == ["run"]
    assert "private/run.json" in publish("two", f"{schema}&table=z")
    assert made == ["run", "run"]


def test_linked_tables_and_tables_in_memory_are_stored_too(
    server: str, schema: str, tmp_path: Path
) -> None:
    names = ["id", "age", "sex", "zip", "ill"]
    asked = {
        "source": {"person": "id"},
        "attributes": {name: ROLES[name] for name in names},
        "promises": [{"model": "max-posterior", "sensitive": "ill", "bound": 0.5}],
        "method": {"algorithm": "anatomy"},
    }
    release = ind.anonymize(TABLE.select(names).drop_nulls(), asked)
    release.write(tmp_path / "out", into=f"{schema}&table=y")
    assert ind.audit(f"{schema}&table=y").holds
    found = [
        ind.attack(TABLE.select(names).drop_nulls(), given, asked, only=["membership"]).attacks
        for given in (f"{schema}&table=y", release)
    ]
    assert found[0] == found[1] != ()
    session = Session(Address.of(server))
    session.run("DELETE FROM release.y_quasi WHERE ctid = '(0,1)'")
    session.commit()
    assert not ind.audit(f"{schema}&table=y").holds


def test_nothing_is_counted_twice_or_sorted(visits: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    own = Session.fetch

    def fetch(session: Session, query: str) -> pl.DataFrame:
        asked.append(query)
        if "GROUP BY" in query:
            assert own(session, "SELECT current_setting('enable_sort') AS s").item() == "off"
        return own(session, query)

    monkeypatch.setattr(Session, "fetch", fetch)
    keys = policy(method={"suppression_limit": 0})
    release = ind.anonymize(visits, keys)
    first = next(at for at, one in enumerate(asked) if "GROUP BY" in one)
    assert sum("LIMIT 0" not in one for one in asked[:first]) == 1  # opened by one look at records
    of_release = [one for one in asked if "pg_temp" in one and "GROUP BY" in one]
    assert len(of_release) == len(set(of_release))
    # What the columns beside tell is counted by class, and the classes and values follow from it.
    beside = ("ill", "cost", "seen", "big")
    heads = [one.partition(" FROM ")[0] for one in of_release]
    counted = [next(name for name in beside if f'"{name}"' in head) for head in heads]
    assert sorted(counted) == sorted(beside)
    assert not any("SELECT DISTINCT" in one and '"id"' not in one for one in asked)
    assert release.run.to_dict()["plan"]["rows"] == TABLE.height  # each has a number of its own


def test_records_of_a_number_are_held_together(server: str) -> None:
    session = Session(Address.of(server))
    session.upload(TOGETHER.to_arrow(), "together", "clinic")
    session.commit()
    numbers_are_held_together(open_in_server(server, "TABLE clinic.together"))


def test_odd_values_are_told_apart_as_everywhere(server: str) -> None:
    query = (
        "SELECT * FROM (VALUES (1.0, 0.0::float8, 'a'::char(3), 'infinity'::date, true),"
        " (1.00, '-0.0', 'a', '2024-01-31', false), ('NaN', 'NaN', '', NULL, NULL))"
        " AS t(num, real, fixed, v, n)"
    )
    table = open_in_server(server, query)
    assert sorted(table.distinct(["num", "real"]).rows(), key=str) == [
        ("1", "0", 2),
        (None, None, 1),
    ]
    assert set(table.distinct(["v"])["v"]) == {"infinity", "2024-01-31", None}
    far = open_in_server(server, "VALUES (date '5874897-12-31'), ('2024-01-31'), (NULL)")
    assert set(far.distinct(far.columns)[far.columns[0]]) == {"5874897-12-31", "2024-01-31", None}
    assert far.about(far.columns) == {far.columns[0]: (2, 2)}
    assert far.different_records() == 3
    assert set(table.distinct(["fixed"])["fixed"]) == {"a", None}
    assert table.tally("n", 2) == (2, 2, 2)
    assert table.about(["num", "v", "n"]) == {"num": (2, 3), "v": (2, 2), "n": (2, 2)}
    assert table.different_records() == 3
    for alike in ("(1.0, 2), (1.00, 2)", "(0.0::float8, 2), ('-0.0', 2)"):
        assert open_in_server(server, f"VALUES {alike}").different_records() == 2
    assert open_in_server(server, "VALUES (1.0, 'a'), (1.0, 'a')").different_records() == 1
    every = "('NaN'::numeric), ('Infinity'), ('-Infinity'), (1.5), (-1.5), (0), (NULL), (NULL)"
    assert open_in_server(server, f"VALUES {every}").different_records() == 7
    signed = open_in_server(
        server, "SELECT g::numeric / 4 AS n FROM generate_series(-99999, 99999) g"
    )
    assert 190_000 < signed.about(["n"])["n"][1] < 210_000
    assert table.sample(["n"], 2).height == 2
    whole = some_classes(table, ["fixed", "n"], ["real", "n"], 1)
    assert whole is not None
    assert whole.height == 3
    assert some_classes(table, ["fixed", "n"], ["real", "n"], 1 << 30) is None
    assert "uuid" not in str(table)


def test_what_is_not_text_travels_as_the_server_writes_it(server: str, tmp_path: Path) -> None:
    query = "SELECT g % 2 AS sex, decode(lpad(to_hex(g % 3), 2, '0'), 'hex') AS scan, "
    query += "ARRAY[g % 2, NULL] AS tags, jsonb_build_object('x', g % 2) AS doc, "
    query += (
        "daterange('2024-01-01', date '2024-01-02' + g % 2) AS stay FROM generate_series(1, 30) g"
    )
    table = open_in_server(server, query)
    assert set(table.distinct(["scan"])["scan"]) == {r"\x00", r"\x01", r"\x02"}
    assert set(table.distinct(["tags"])["tags"]) == {"{0,NULL}", "{1,NULL}"}
    assert {own.attribute for own in profile(table).attributes} == set(table.columns)
    keys = {
        "source": {"query": query},
        "rest": "keep",
        "attributes": {"sex": {"role": "quasi-identifier"}},
        "promises": [{"model": "k-anonymity", "k": 5}],
    }
    ind.anonymize(server, keys).write(tmp_path / "out")
    release = pl.read_csv(tmp_path / "out" / "release.csv")
    assert set(release["scan"]) == {r"\x00", r"\x01", r"\x02"}


def test_classes_are_drawn_whole_whatever_their_values(server: str) -> None:
    query = (
        "SELECT nullif(g % 3, 0) AS a, nullif(g % 7, 1)::text AS b, (g % 2)::real AS g, "
        "nullif(date '2024-01-01' + g % 11, '2024-01-03') AS c, (g % 5)::smallint AS d, "
        "nullif(g % 2, 1)::numeric(5, 2) AS e, g::bigint % 4 AS f, "
        "(ARRAY['NaN', NULL, '0', '-0'])[1 + g % 4]::float8 AS h, "
        "(ARRAY['', NULL, 'x'])[1 + g % 3] AS i FROM generate_series(1, 20000) g"
    )
    table = open_in_server(server, query)
    names = list(table.columns)
    for keys in (names, names[:1], names[1:3], ["h", "i"]):
        every = table.distinct(keys)
        drawn = table.where(table.one_of(5, keys), keys)
        assert drawn is not None
        counted = count_distinct(canonical(drawn, {}))
        assert counted.join(every, on=[*keys, "count"], nulls_equal=True).height == counted.height
        if keys == names:
            assert 0.1 * every.height < counted.height < 0.3 * every.height


def test_what_is_refused_names_neither_cell_nor_password(
    server: str, visits: str, tmp_path: Path, run: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def refused(data: str, **changes: Any) -> str:
        with pytest.raises(IndistinctError) as caught:
            ind.anonymize(data, policy(**changes))
        assert caught.value.exit_code == 2
        return str(caught.value)

    host = server.rpartition("@")[2]
    for address in (
        f"postgresql://owner:{PASSWORD}@{host}?table=clinic.visits",
        f"{visits}&password={PASSWORD}",
    ):
        told = refused(address)
        assert "holds a password" in told
        assert PASSWORD not in told
        result = run("assess", address)
        assert result.exit_code == 2
        assert PASSWORD not in result.output + result.stderr
    assert "no table and no query" in refused(server)
    assert "a query are named" in refused(visits, source={"query": "SELECT 1"})
    assert "no such table" in refused(f"{server}?table=clinic.nix")
    names = ", ".join(name for name in ROLES if name != "ill")
    query = f"SELECT {names}, ill::int AS ill FROM clinic.visits"  # noqa: S608
    told = refused(server, source={"query": query})
    assert "SQLSTATE 22P02" in told
    assert "d1" not in told
    assert "separator" in refused(visits, source={"separator": ";"})
    monkeypatch.setenv("PGPASSWORD", "wrong")
    assert "does not let this user in" in refused(visits)
    monkeypatch.setenv("PGPASSWORD", "reads")
    reader = visits.replace("owner@", "reader@")
    release = ind.anonymize(reader, policy())
    with pytest.raises(DataError, match="no such schema"):
        release.write(tmp_path / "out", into=reader.replace("table=clinic.visits", "schema=nix"))
    del release
    memory.allow(1000)
    try:
        assert "records take about" in refused(reader, method={"algorithm": "k-member"})
    finally:
        memory.allow(None)


def test_a_role_that_may_make_no_temporary_table_is_told_so(server: str) -> None:
    owner = Session(Address.of(server))
    owner.run("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    owner.commit()
    try:
        address = f"{server.replace('owner', 'reader')}?table=clinic.visits"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PGPASSWORD", "reads")
            with pytest.raises(DataError, match=r"the role may not do that .SQLSTATE 42501.") as no:
                ind.anonymize(address, policy())
        assert "TEMPORARY on the database" in str(no.value.problems[0].remedy)
    finally:
        owner.run("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")
        owner.commit()
    address = f"{server}?table=clinic.visits&options=-c%20default_transaction_read_only%3Don"
    with pytest.raises(DataError, match=r"allows no temporary tables.* .SQLSTATE 25006."):
        ind.anonymize(address, policy())


def test_the_command_line_takes_addresses(
    server: str, visits: str, schema: str, tmp_path: Path, run: Callable[..., Any]
) -> None:
    asked = tmp_path / "policy.toml"
    drafted = run("init", visits, "--policy", asked)
    assert drafted.exit_code == 0
    assert f"indistinct anonymize '{visits}' --policy" in drafted.stdout
    assert 'role = "identifier"' in asked.read_text()
    out = tmp_path / "out"
    keys = ["--quasi", "age,sex", "--k", 5, "--drop", "id,big", "--sensitive", "ill"]
    done = run("anonymize", visits, *keys, "--rest", "keep", "--out", out, "--into", schema)
    assert done.exit_code == 0, done.stderr
    assert "k = 5" in done.output
    result = run("audit", schema)
    assert result.exit_code == 0
    assert "every promise holds" in result.output
    assert result.stdout.startswith("postgresql://")
    assert run("risk", visits, "--quasi", "age,sex").exit_code == 0
    mine = tmp_path / "mine.toml"
    mine.write_text(ind.Policy.from_dict(policy()).to_toml(), encoding="utf-8")
    attacked = run("attack", visits, schema, "--policy", mine, "--only", "record-linkage")
    assert attacked.exit_code == 0, attacked.stderr
    assert f"{N} people attacked" in attacked.stdout
    assert run("compare", visits, out, "--policy", asked).exit_code != 1
    assert (out / "private" / "report.html").is_file()
    assert server.rpartition("@")[2] not in (out / "private" / "run.json").read_text()


def test_names_that_are_a_record_are_refused(server: str) -> None:
    record = pl.DataFrame({"P1": ["P2", "P3"], "34": [40, 51], "HIV": ["HIV", "flu"]})
    session = Session(Address.of(server))
    session.upload(record.to_arrow(), "headerless", "clinic")
    session.commit()
    given = f"{server}?table=clinic.headerless"
    with pytest.raises(DataError) as error:
        ind.assess(given)
    assert [problem.code for problem in error.value.problems] == ["header-is-a-record"]
    assert "HIV" not in str(error.value)
    assert open_in_server(given, header=True).columns == ("P1", "34", "HIV")
    with pytest.raises(DataError, match="header are said of files"):
        open_in_server(given, header=False)
