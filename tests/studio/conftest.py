"""A studio of its own for every test that asks: a process, as a user starts it."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'studio' is not installed")
pytest.importorskip("uvicorn", reason="the extra 'studio' is not installed")

ANSWERS = 600.0


@dataclass
class Studio:
    process: subprocess.Popen[str]
    address: str
    temporary: Path

    @property
    def port(self) -> int:
        return int(self.address.split(":")[2].split("/")[0])

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        host = f"127.0.0.1:{self.port}"
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWERS)
        own = {"Host": host, "Origin": f"http://{host}"} | (headers or {})
        link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if data is not None and "Content-Length" not in own:
            own["Content-Length"] = str(len(data))
        for name, value in own.items():
            if value:
                link.putheader(name, value)
        link.endheaders(data)
        answer = link.getresponse()
        found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        link.close()
        return found

    def enter(self) -> str:
        """The cookie that the token gives."""
        _, headers, _ = self.ask("GET", f"/?token={self.token}")
        return headers["set-cookie"].partition(";")[0]

    def call(self, cookie: str, method: str, path: str, body: Any = None) -> Any:
        status, _, told = self.ask(method, path, body, {"Cookie": cookie})
        while status == 202:  # worked on: asked for again
            status, _, told = self.ask(method, path, body, {"Cookie": cookie})
        assert status == 200, told
        return json.loads(told)

    def end(self, number: int = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(ANSWERS)


Start = Callable[..., Studio]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a studio with these arguments; all of them end with the test."""
    started: list[Studio] = []
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def begin(*arguments: str | Path) -> Studio:
        process = subprocess.Popen(
            [sys.executable, "-m", "indistinct", "studio", "--no-browser", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(temporary)},
            cwd=tmp_path,
        )
        assert process.stdout is not None
        studio = Studio(process, process.stdout.readline().strip(), temporary)
        started.append(studio)
        return studio

    yield begin
    for studio in started:
        studio.end()
        for stream in (studio.process.stdout, studio.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    from indistinct.demo import discharges

    path = tmp_path / "discharges.csv"
    discharges().head(600).write_csv(path)
    return path
