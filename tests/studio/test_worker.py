"""What a run tells the page is what the library says."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind

worker = pytest.importorskip("indistinct.studio.worker")
app = pytest.importorskip("indistinct.studio.app")
workspace = pytest.importorskip("indistinct.studio.workspace")
jobs = pytest.importorskip("indistinct.studio.jobs")

POLICY = """
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = { width = 10 } }
[attributes.ward]
role = "quasi-identifier"
hierarchy = "suppress"
[attributes.ill]
role = "sensitive"
[[promises]]
model = "k-anonymity"
k = 5
[method]
seed = 2
"""


def test_releases_stand_beside_each_other_as_they_are_made_alone(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "age": [20 + at * 7 % 40 for at in range(90)],
            "ward": ["north" if at % 3 else "south" for at in range(90)],
            "ill": ["flu" if at % 4 else "gout" for at in range(90)],
        }
    )
    data, policy = tmp_path / "t.csv", tmp_path / "t.toml"
    table.write_csv(data)
    policy.write_text(POLICY, encoding="utf-8")
    asked = {"data": str(data), "policy": str(policy), "k": [2, 9, 91], "pair": ["ward", "ill"]}
    told = worker.beside(asked, lambda *_: None)
    assert [item["name"] for item in told["releases"]] == ["k = 2", "k = 9"]
    keys = ind.Policy.load(policy).to_dict()
    made = [
        ind.anonymize(data, {**keys, "promises": [{"model": "k-anonymity", "k": k}]})
        for k in (2, 9)
    ]
    names, pair = ("k = 2", "k = 9"), ("ward", "ill")
    alone = ind.compare(data, *made, policy=policy, names=names, contingency=pair).to_dict()
    for own, item, other in zip(made, told["releases"], alone["releases"], strict=True):
        assert item["head"] == own.tables.head(5).to_dicts()
        assert item["spreads"] == own.spreads()
        assert item["partition"] == own.private["evidence.json"]["partition"]
        assert item["loss"] == other["loss"]
    assert told["contingency"] == alone["contingency"]
    assert [item["name"] for item in told["before"]] == ["age", "ward", "ill"]
    assert worker.beside(asked | {"k": [91], "pair": None}, lambda *_: None)["releases"] == []


def test_the_report_for_the_custodian_has_the_attacks_that_were_tried(tmp_path: Path) -> None:
    data, policy, out = tmp_path / "t.csv", tmp_path / "t.toml", tmp_path / "out"
    rows = [(20 + at % 3 * 10, "flu" if at % 4 else "gout") for at in range(24)]
    pl.DataFrame(rows, schema=["age", "ill"], orient="row").write_csv(data)
    ward = POLICY.index("[attributes.ward]"), POLICY.index("[attributes.ill]")
    policy.write_text(POLICY[: ward[0]] + POLICY[ward[1] :], encoding="utf-8")
    text = policy.read_text(encoding="utf-8")
    asked = {"data": str(data), "policy": str(policy), "out": str(out), "text": text}
    worker.release(asked, lambda *_: None)
    untried = "Attackers have not been tried yet"
    report = out / "private" / "report.html"
    assert untried in report.read_text(encoding="utf-8")
    told = worker.prove(asked, lambda *_: None)
    assert untried not in report.read_text(encoding="utf-8")
    assert told["attack"]["attacks"][0]["name"] in report.read_text(encoding="utf-8")


def test_what_takes_long_is_asked_for_again_and_worked_on_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    space = workspace.Workspace(tmp_path)

    def slow() -> Any:
        assert not begun.is_set(), "it is begun once"
        begun.set()
        go_on.wait(600)
        return {"version": 0}

    monkeypatch.setattr(space, "state", slow)
    served = app.application(space)

    async def asked() -> tuple[int, Any]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        scope = {"type": "http", "method": "GET", "path": "/api/state", "headers": []}
        await served(scope | {"query_string": b""}, receive, send)
        return sent[0]["status"], json.loads(sent[1]["body"])

    async def twice_and_once_more() -> list[tuple[int, Any]]:
        monkeypatch.setattr(app, "PATIENCE", 0.0)
        early = [await asked(), await asked()]
        go_on.set()
        monkeypatch.setattr(app, "PATIENCE", 600.0)
        return [*early, await asked()]

    later = 202, {"later": True}
    assert asyncio.run(twice_and_once_more()) == [later, later, (200, {"version": 0})]


def test_a_run_that_is_asked_for_while_all_are_ended_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, others = jobs.Jobs(), []

    class Slow:
        """A run that another window answers with a new one while it is being stopped."""

        def __init__(self, number: int, asked: dict[str, Any], spare: object) -> None:
            self.number, self.asked, self.running = number, asked, True

        def stop(self) -> None:
            others.append(threading.Thread(target=runs.start, args=({"kind": "other"},)))
            others[-1].start()
            others[-1].join(0.1)
            self.running = False

    monkeypatch.setattr(jobs, "Job", Slow)
    runs.start({"kind": "assess"})
    runs.end()
    for other in others:
        other.join()
    assert [item["kind"] for item in runs.latest()] == ["other"]


def test_a_process_that_has_answered_serves_the_next_run_and_none_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "LONG", 1e9)  # no run is long, however slow the machine
    data, policy = tmp_path / "t.csv", tmp_path / "t.toml"
    pl.DataFrame({"age": [20, 20, 30, 30], "ill": list("abcd")}).write_csv(data)
    keys = "[attributes.age]\nrole = 'quasi-identifier'\n[attributes.ill]\nrole = 'sensitive'\n"
    policy.write_text(keys, encoding="utf-8")
    asked = {"kind": "assess", "data": str(data), "policy": str(policy), "text": keys}
    runs, used = jobs.Jobs(), []

    def told(asked: dict[str, Any], *, stop: bool = False) -> dict[str, Any]:
        job = runs.start(asked)
        used.append(job._process)
        if stop:
            job.stop()
        while job.running:
            time.sleep(0.01)
        return job.to_dict()

    first, again = told(asked), told(asked)
    assert first["result"] == again["result"]
    many = tmp_path / "many.csv"  # so many that the run goes on when it is stopped
    rows = pl.DataFrame({"age": range(1_000_000)}).with_columns(ill=pl.col("age").hash())
    rows.write_csv(many)
    assert told(asked | {"data": str(many)}, stop=True)["stopped"]
    assert "problems" in told(asked | {"data": str(tmp_path / "none.csv")})
    assert told(asked)["result"] == first["result"]
    runs.end()
    assert used[0] is used[1] is used[2]
    assert len(set(used)) == 3
    assert None not in [process.wait(60) for process in used]
