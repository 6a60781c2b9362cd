"""The server answers the browser that was opened with its token, and nobody else."""

import json
import os
import signal
import socket
import stat
import tempfile
import time
from pathlib import Path

import polars as pl
import pytest
import uvicorn

from indistinct.cli import verbs
from indistinct.studio import guard, server

from .conftest import ANSWERS, Start, Studio


def opened(studio: Studio, cookie: str) -> dict:
    """The state once the table is read."""
    while True:
        state = studio.call(cookie, "GET", "/api/state")
        if not state["opening"] and (state["table"] or state["problems"]):
            return state
        time.sleep(0.05)


def test_the_token_opens_the_page_once(start: Start):
    studio = start()
    assert studio.address.startswith("http://127.0.0.1:")
    status, headers, _ = studio.ask("GET", f"/?token={studio.token}")
    assert status == 200
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]
    assert "set-cookie" not in studio.ask("GET", f"/?token={studio.token}")[1]
    assert studio.ask("GET", f"/?token={studio.token}")[0] == 403
    cookie = headers["set-cookie"].partition(";")[0]
    assert studio.ask("GET", "/", headers={"Cookie": cookie})[0] == 200
    # The same browser may come back by the address.
    assert studio.ask("GET", f"/?token={studio.token}", headers={"Cookie": cookie})[0] == 200


TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt  uid  timeout
   0: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 1 1
   1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  {user}        0 2 1
"""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs users with numbers")
def test_the_token_is_of_no_use_to_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Who lists the processes of the machine sees it, where a browser is started with it."""
    table = tmp_path / "tcp"
    monkeypatch.setattr(guard, "CONNECTIONS", (tmp_path / "none", table))
    client = "127.0.0.1", 0xC001
    for user, another in ((os.geteuid(), False), (0, False), (os.geteuid() + 1, True)):
        table.write_text(TABLE.format(user=user))
        assert guard.of_another(client, 0x1F90) == another
        assert not guard.of_another(("127.0.0.1", 1), 0x1F90)
        asked = guard.Guard(lambda *_: None, 0x1F90, "token")  # type: ignore[arg-type, return-value]
        host = "127.0.0.1:8080"
        scope = {"method": "GET", "path": "/", "query_string": b"token=token", "client": client}
        status, _, cookie = asked._verdict(scope, {"host": host})
        assert (status, cookie is None) == (403 if another else 200, another)
        if not another:  # nor is the cookie, which browsers show to every port of the machine
            table.write_text(TABLE.format(user=os.geteuid() + 1))
            headers = {"host": host, "cookie": str(cookie).partition(";")[0]}
            assert asked._verdict(scope, headers)[0] == 403
        # Whoever it was made for can still open the page.
        scope["client"] = ("127.0.0.1", 1)
        status, _, cookie = asked._verdict(scope, {"host": host})
        assert (status, cookie is None) == ((200, False) if another else (403, True))


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs the tables of Linux")
def test_whose_a_connection_is_can_be_told(monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as one:
            client = one.getsockname()
            user = Path("/proc/self").stat().st_uid
            assert not guard.of_another(client, port)
            monkeypatch.setattr(os, "geteuid", lambda: user + 1)
            assert guard.of_another(client, port) == (user != 0)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Cookie": ""}, 403),
        ({"Cookie": "indistinct-studio=guess"}, 403),
        ({"Host": "example.org"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Origin": "http://example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Length": "8500000"}, 413),
    ],
)
def test_hostile_requests_are_refused(
    studio_in: tuple[Studio, str], change: dict[str, str], status: int
):
    studio, cookie = studio_in
    headers = {"Cookie": cookie} | change
    body = None if "Content-Length" in change else b"{}"
    assert studio.ask("POST", "/api/undo", body, headers)[0] == status


def test_a_large_file_is_refused_before_it_comes(studio_in: tuple[Studio, str]):
    studio, cookie = studio_in
    headers = {"Cookie": cookie, "Content-Length": str(1 << 30)}
    status, _, told = studio.ask("PUT", "/api/upload/large.csv", None, headers)
    assert status == 413
    assert b"by its path" in told


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"version": "one"}',
        b"{}",
        b'{"version": 0, "text": "\\ud800"}',
    ],
)
@pytest.mark.parametrize("name", ["open", "policy", "role", "edit", "run", "stop", "nothing"])
def test_malformed_messages_are_refused(studio_in: tuple[Studio, str], body: bytes, name: str):
    studio, cookie = studio_in
    status, _, told = studio.ask("POST", f"/api/{name}", body, {"Cookie": cookie})
    assert status in {400, 404, 422}
    assert json.loads(told)["problems"]


@pytest.fixture(scope="module")
def studio_in(tmp_path_factory: pytest.TempPathFactory):
    """One studio for many messages."""
    from .conftest import start

    made = start.__wrapped__(tmp_path_factory.mktemp("studio"))
    begin = next(made)
    studio = begin()
    yield studio, studio.enter()
    next(made, None)


@pytest.mark.parametrize(
    "path",
    [
        "/web/../server.py",
        "/web/..%2fserver.py",
        "/web/%2e%2e/server.py",
        "/web//etc/passwd",
        "/../../etc/passwd",
        "/web/studio.py",
    ],
)
def test_no_path_leads_out_of_the_page(studio_in: tuple[Studio, str], path: str):
    studio, cookie = studio_in
    assert studio.ask("GET", path, headers={"Cookie": cookie})[0] == 404


def test_every_answer_says_how_little_the_page_may_do(studio_in: tuple[Studio, str]):
    studio, cookie = studio_in
    for headers in ({"Cookie": cookie}, {}, {"Host": "example.org"}):
        told = studio.ask("GET", "/", headers=headers)[1]
        assert "default-src 'none'" in told["content-security-policy"]
        assert told["cache-control"] == "no-store"
        assert told["x-frame-options"] == "DENY"


@pytest.mark.parametrize("name", ["..%2f..%2fout.csv", "%2ftmp%2fout.csv", "..%5cout.csv"])
def test_a_file_stays_in_the_private_folder(start: Start, table: Path, name: str):
    studio = start()
    cookie = studio.enter()
    studio.call(cookie, "PUT", f"/api/upload/{name}", table.read_bytes())
    state = opened(studio, cookie)
    assert state["table"]["name"] == "out.csv"
    (folder,) = studio.temporary.glob("indistinct-studio-*")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert Path(state["table"]["path"]).parent == folder


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_private_folder_goes_with_the_server(start: Start, table: Path, number: int):
    studio = start()
    cookie = studio.enter()
    studio.call(cookie, "PUT", "/api/upload/discharges.csv", table.read_bytes())
    opened(studio, cookie)
    assert list(studio.temporary.iterdir())
    studio.end(number)
    assert not list(studio.temporary.iterdir())


def test_a_hangup_is_told_to_the_server_and_then_to_the_verb(monkeypatch: pytest.MonkeyPatch):
    told: list[bool] = []

    class Stepping:
        should_exit = False

        def run(self, **_: object) -> None:
            signal.raise_signal(signal.SIGHUP)  # nothing is raised in the middle of a step
            told.append(self.should_exit)

    monkeypatch.setattr(uvicorn, "Server", lambda config: Stepping())
    with pytest.raises(verbs.Ended), verbs.ended_by_signals():
        server.serve(None, None, port=0, browser=False, tell=lambda address: None)
    assert told == [True]


def test_the_folder_of_a_killed_server_goes_with_the_next_one(start: Start, table: Path):
    studio = start()
    cookie = studio.enter()
    studio.call(cookie, "PUT", "/api/upload/discharges.csv", table.read_bytes())
    studio.end(signal.SIGKILL)
    assert len(list(studio.temporary.iterdir())) == 1
    other = start()
    assert other.ask("GET", "/")[0] == 403
    assert len(list(studio.temporary.iterdir())) == 1
    other.end()
    assert not list(studio.temporary.iterdir())


def test_what_a_killed_server_left_goes_whoever_has_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / f"{server.PREFIX}{os.getpid()}-left").mkdir()
    with server._private_folder() as own, server._private_folder() as other:
        assert {*tmp_path.iterdir()} == {own, other}
    assert not list(tmp_path.iterdir())


def test_steps_are_kept_in_the_file_and_undone(start: Start, table: Path):
    studio = start(table)
    cookie = studio.enter()
    state = opened(studio, cookie)
    file = table.with_suffix(".toml")
    drafted = file.read_text()
    assert state["policy"]["text"] == drafted
    assert state["policy"]["attributes"]["ward"]["role"] == "quasi-identifier"

    message = {"version": state["version"], "attribute": "ward", "role": "sensitive"}
    studio.call(cookie, "POST", "/api/role", message)
    state = studio.call(cookie, "GET", "/api/state")
    assert state["policy"]["attributes"]["ward"] == {"role": "sensitive"}
    assert state["policy"]["problems"] == []
    assert file.read_text() == state["policy"]["text"]

    # Another window that has not seen it is told so, and changes nothing.
    status, _, told = studio.ask("POST", "/api/role", message, {"Cookie": cookie})
    assert status == 422
    assert b"another window" in told

    # What cannot be read is not taken from a field; typed as text it leaves what was read last.
    wrong = {"version": state["version"], "place": ["promises", 0, "k"], "value": 0}
    status, _, told = studio.ask("POST", "/api/edit", wrong, {"Cookie": cookie})
    assert status == 422
    assert b"at least 1" in told
    text = state["policy"]["text"].replace("k = 5", "k = 0")
    studio.call(cookie, "POST", "/api/policy", {"version": state["version"], "text": text})
    bad = studio.call(cookie, "GET", "/api/state")
    assert bad["policy"]["problems"]
    assert bad["policy"]["attributes"] == state["policy"]["attributes"]
    assert bad["policy"]["sections"] == state["policy"]["sections"]
    studio.call(cookie, "POST", "/api/undo", {"version": bad["version"]})
    state = studio.call(cookie, "GET", "/api/state")

    studio.call(cookie, "POST", "/api/undo", {"version": state["version"]})
    assert file.read_text() == drafted
    state = studio.call(cookie, "GET", "/api/state")
    assert state["policy"]["redo"]
    assert not state["policy"]["undo"]

    studio.end(signal.SIGKILL)
    file.write_text(drafted.replace("k = 5", "k = 7"))
    again = start(table)
    assert opened(again, again.enter())["policy"]["text"] == file.read_text()


def test_a_hierarchy_is_changed_exported_and_imported(start: Start, table: Path):
    studio = start(table)
    cookie = studio.enter()
    state = opened(studio, cookie)
    hierarchy = "/api/hierarchy?attribute=ward"

    def level(number: int) -> dict[str, int]:
        return dict(studio.call(cookie, "GET", hierarchy)["levels"][number]["shown"])

    before = level(0)
    change = {"attribute": "ward", "level": 0, "labels": ["Surgery", "Urology"], "act": "group"}
    message = {"version": state["version"], "name": "Operations", **change}
    studio.call(cookie, "POST", "/api/regroup", message)
    assert level(1)["Operations"] == before["Surgery"] + before["Urology"]
    text = studio.call(cookie, "GET", "/api/export?attribute=ward")["text"]
    assert "Surgery;Operations;*" in text

    version = studio.call(cookie, "GET", "/api/state")["version"]
    text = text.replace("Operations", "Knives")
    asked = {"version": version, "attribute": "ward", "text": text}
    studio.call(cookie, "POST", "/api/import", asked)
    assert "Knives" in level(1)
    version = studio.call(cookie, "GET", "/api/state")["version"]
    studio.call(cookie, "POST", "/api/undo", {"version": version})
    assert "Operations" in level(1)

    # No tree: nothing is changed.
    version = studio.call(cookie, "GET", "/api/state")["version"]
    bad = {"version": version, "attribute": "ward", "text": "a;b;*\nb;a;*\n"}
    status, _, told = studio.ask("POST", "/api/import", bad, {"Cookie": cookie})
    assert status == 422
    assert json.loads(told)["problems"]
    assert studio.call(cookie, "GET", "/api/state")["version"] == version


def test_a_table_that_cannot_be_read_says_why(start: Start, tmp_path: Path):
    bad = tmp_path / "bad.xyz"
    bad.write_text("a,b\n1,2\n")
    studio = start(bad)
    (problem,) = opened(studio, studio.enter())["problems"]
    assert problem["remedy"]


def test_a_folder_of_a_health_format_opens(start: Start, tmp_path: Path):
    folder = tmp_path / "export"
    folder.mkdir()
    people = [
        {"resourceType": "Patient", "id": f"p{at}", "gender": "female", "birthDate": "1950-01-01"}
        for at in range(20)
    ]
    codes = {"coding": [{"system": "http://hl7.org/fhir/sid/icd-10", "code": "I48"}]}
    found = [
        {
            "resourceType": "Condition",
            "id": f"c{at}",
            "subject": {"reference": f"Patient/p{at}"},
            "code": codes,
        }
        for at in range(20)
    ]
    for name, rows in (("Patient", people), ("Condition", found)):
        (folder / f"{name}.ndjson").write_text("\n".join(map(json.dumps, rows)))
    studio = start(folder)
    state = opened(studio, studio.enter())
    assert state["problems"] == []
    assert state["policy"]["problems"] == []
    assert state["policy"]["sections"]["source"]["person"] in state["policy"]["attributes"]


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    from typer.testing import CliRunner

    from indistinct.cli import app
    from indistinct.cli import studio as verb

    monkeypatch.setattr(verb, "NEEDED", ("starlette", "no_such_module"))
    result = CliRunner().invoke(app, ["studio", "--no-browser"])
    assert result.exit_code == 2
    assert "indistinct[studio]" in result.stderr


def test_a_taken_port_is_told(start: Start):
    studio = start()
    other = start("--port", str(studio.port))
    assert other.process.wait(ANSWERS) == 2
    assert other.process.stderr is not None
    assert "--port" in other.process.stderr.read()


def test_a_release_is_not_replaced_unasked(studio_in: tuple[Studio, str], tmp_path: Path):
    studio, cookie = studio_in
    for name, files in {"release": ("certificate.json",), "photos": ("cat.jpg",)}.items():
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file).write_text("{}")
    (tmp_path / "file").write_text("")
    found = {}
    for name in ("release", "photos", "file"):
        version = studio.call(cookie, "GET", "/api/state")["version"]
        asked = {"version": version, "kind": "release", "out": str(tmp_path / name)}
        status, _, told = studio.ask("POST", "/api/run", asked, {"Cookie": cookie})
        assert status == 422
        found[name] = json.loads(told)["problems"][0]["code"]
    assert found == {
        "release": "release-there",
        "photos": "foreign-files",
        "file": "file-in-the-way",
    }
    asked |= {"out": str(tmp_path / "release"), "replace": True}
    _, _, told = studio.ask("POST", "/api/run", asked, {"Cookie": cookie})
    assert b"release-there" not in told


def test_a_table_is_read_again_in_another_way(studio_in: tuple[Studio, str], tmp_path: Path):
    studio, cookie = studio_in
    file = tmp_path / "patienten.csv"
    rows = "".join(f"{20 + at};Köln;gut\n" for at in range(30))
    file.write_bytes(f"Alter;Ort;Befund\n{rows}".encode("cp1252"))
    studio.call(cookie, "POST", "/api/open", {"path": str(file)})
    assert [item["code"] for item in opened(studio, cookie)["problems"]] == ["undecodable"]
    asked = {"path": str(file), "source": {"encoding": "cp1252"}}
    studio.call(cookie, "POST", "/api/open", asked)
    state = opened(studio, cookie)
    assert state["table"]["path"] == str(file)
    assert 'encoding = "cp1252"' in state["policy"]["text"]
    assert 'encoding = "cp1252"' in file.with_suffix(".toml").read_text()

    file.with_suffix(".toml").unlink()
    file.write_text(rows)
    studio.call(cookie, "POST", "/api/open", {"path": str(file)})
    problem = opened(studio, cookie)["problems"][0]
    assert problem["code"] == "header-is-a-record"
    assert "header = false" in problem["remedy"]  # else the page offers no first line as data
    parquet = tmp_path / "patienten.parquet"
    pl.read_csv(file, separator=";").write_parquet(parquet)
    studio.call(cookie, "POST", "/api/open", {"path": str(parquet)})
    problem = opened(studio, cookie)["problems"][0]
    assert problem["code"] == "header-is-a-record"
    assert "header = false" not in problem["remedy"]
    studio.call(cookie, "POST", "/api/open", {"path": str(file), "source": {"header": False}})
    assert opened(studio, cookie)["policy"]["sections"]["source"]["header"] is False
    asked = {"path": str(file), "source": {"people": "x"}}
    status, _, told = studio.ask("POST", "/api/open", asked, {"Cookie": cookie})
    assert (status, b"source" in told) == (422, True)
