"""What the studio keeps in files: whole, of one window at a time, and what the page shows."""

from __future__ import annotations

import asyncio
import json
import re
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import indistinct as ind

workspace = pytest.importorskip("indistinct.studio.workspace")
worker = pytest.importorskip("indistinct.studio.worker")
app = pytest.importorskip("indistinct.studio.app")


@pytest.fixture
def space(tmp_path: Path) -> Any:
    """A table that is open."""
    (tmp_path / "own").mkdir()
    found = workspace.Workspace(tmp_path / "own")
    rows = [(20 + at % 40, "fm"[at % 2], "flu" if at % 3 else "gout") for at in range(120)]
    pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row").write_csv(tmp_path / "t.csv")
    found.open(tmp_path / "t.csv")
    while found.opening:
        time.sleep(0.01)
    return found


@contextmanager
def no_room() -> Iterator[None]:
    """Files end after a few bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_step_that_cannot_be_kept_is_not_taken(space: Any, tmp_path: Path) -> None:
    """Else a release would be made by another policy than the page shows."""
    text, file = space.text, space.file
    files = {path.name for path in tmp_path.iterdir()}
    other = text.replace("k = 5", "k = 7")
    assert other != text
    steps: tuple[tuple[Any, Any], ...] = ((space.change, other), (space.move, -1))
    for step, asked in steps:
        with no_room(), pytest.raises(OSError, match=str(file)):
            step(space.version, asked)
        assert space.text == text == file.read_text(encoding="utf-8")
        assert {path.name for path in tmp_path.iterdir()} == files
        space.change(space.version, other)
        assert file.read_text(encoding="utf-8") == other
        text, other = other, text


def test_two_windows_write_hierarchies_at_once(space: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write, asked = ind.write_hierarchy, []
    space.edit(space.version, ("attributes", "sex", "role"), "quasi-identifier")

    def slow(taxonomy: Any, path: Any) -> None:
        write(taxonomy, path)
        if not asked:  # another window asks before the file is read
            asked.append("age")
            space.hierarchy_text("age")

    sex = space.hierarchy_text("sex")
    monkeypatch.setattr(ind, "write_hierarchy", slow)
    assert space.hierarchy_text("sex") == sex


def test_two_windows_hand_over_files_of_one_name(tmp_path: Path) -> None:
    space = workspace.Workspace(tmp_path)
    served, second = app.application(space), asyncio.Event()

    async def put(parts: list[bytes], waits: bool) -> int:
        sent, left = [], list(parts)

        async def receive() -> Any:
            if waits and len(left) < len(parts):
                await second.wait()
            body = left.pop(0)
            return {"type": "http.request", "body": body, "more_body": bool(left)}

        async def send(message: Any) -> None:
            sent.append(message)

        path = "/api/upload/t.csv"
        scope = {"type": "http", "method": "PUT", "path": path, "headers": [], "query_string": b""}
        await served(scope, receive, send)
        second.set()
        return int(sent[0]["status"])

    whole = [b"a,b\n", b"1,2\n" * 9]

    async def both() -> list[int]:
        return await asyncio.gather(put(whole, True), put([b"c\n", b"3\n"], False))

    assert asyncio.run(both()) == [200, 200]
    assert (tmp_path / "t.csv").read_bytes() == b"".join(whole)
    with no_room():
        assert asyncio.run(put(whole * 9, False)) == 422
    assert (tmp_path / "t.csv").read_bytes() == b"".join(whole)
    assert [path.name for path in tmp_path.iterdir() if path.name != "t.toml"] == ["t.csv"]


def test_a_run_is_made_by_the_policy_that_the_page_shows(space: Any) -> None:
    with pytest.raises(ind.PolicyError) as caught:
        space.start(space.version - 1, {"kind": "assess"})
    assert caught.value.problems[0].code == "changed-meanwhile"
    asked = {"kind": "assess", "data": str(space.data), "policy": str(space.file)}
    asked["text"] = space.text
    assert "result" in worker._told(asked, _Nowhere())
    space.file.write_text(space.text.replace("k = 5", "k = 2"), encoding="utf-8")
    told = worker._told(asked, _Nowhere())
    assert told["problems"][0]["code"] == "changed-meanwhile"


def test_a_table_that_was_replaced_on_disk_is_read_again(space: Any, tmp_path: Path) -> None:
    """Else the page would count another table than the release is made of."""
    before = space.state()["table"]
    assert space.held().class_sizes().to_dict()["units"] == 120
    pl.read_csv(tmp_path / "t.csv").head(90).write_csv(tmp_path / "t.csv")
    assert space.held().class_sizes().to_dict()["units"] == 90
    assert space.state()["table"]["reading"] == before["reading"] + 1
    (tmp_path / "t.csv").write_text("age,sex\n1,2,3\n", encoding="utf-8")
    assert space.state()["policy"]["problems"][0]["code"] == "ragged-records"
    (tmp_path / "t.csv").unlink()
    assert space.held().class_sizes().to_dict()["units"] == 90


def _timeless(told: Any) -> str:
    return re.sub(r'"seconds": [^,]*', "", json.dumps(told, default=str))


def test_a_run_keeps_to_the_policy_that_it_began_with(space: Any, tmp_path: Path) -> None:
    """Releases were held against each other by what the file said when they were made."""
    out = str(tmp_path / "out")
    space.change(space.version, space.text.replace("[method]", "[method]\nseed = 1"))
    asked: dict[str, Any] = {"kind": "beside", "k": [2, 3], "pair": None, "out": out}
    asked |= {"data": str(space.data), "policy": str(space.file), "text": space.text}
    other = space.text.replace('role = "sensitive"', 'role = "insensitive"')

    def changed(run: Any) -> Any:
        def changing(asked: Any, progress: Any) -> Any:
            space.file.write_text(other, encoding="utf-8")
            return run(asked, progress)

        return changing

    want = _timeless(worker._told(asked, _Nowhere()))
    for kind, run in worker.RUNS.items():
        space.file.write_text(space.text, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patched:
            patched.setitem(worker.RUNS, kind, changed(run))
            told = worker._told({**asked, "kind": kind}, _Nowhere())
        assert "result" in told
        if kind == "beside":
            assert _timeless(told) == want
        if kind == "release":
            kept = (tmp_path / "out" / "private" / "policy.toml").read_text(encoding="utf-8")
            assert kept == told["result"]["policy"] == space.text


def test_a_table_that_was_left_tells_nothing_of_the_next(space: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(b"a,b\n1,2,3\n")
    space._open(tmp_path / "bad.csv", {})  # ends after another table was opened
    assert space.problems == []
    json.dumps(space.state())


class _Nowhere:
    def write(self, text: str) -> None: ...

    def flush(self) -> None: ...


PANIC = pl.exceptions.PanicException("cell 42")
"""What Polars raises over what it did not foresee, which is a BaseException."""


@pytest.mark.parametrize("error", [ValueError("cell 42"), PANIC])
def test_a_bug_is_told_by_its_kind_and_printed_nowhere(
    space: Any, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    answer = asyncio.run(app._answered(space, fails, {}))
    assert answer.status_code == 500
    assert f"internal error: {type(error).__name__}" in answer.body.decode()
    monkeypatch.setattr(ind, "workbench", fails)
    space.open(space.data)
    while space.opening:
        time.sleep(0.01)
    monkeypatch.setitem(worker.RUNS, "assess", fails)
    asked = {"kind": "assess", "policy": str(space.file), "text": space.file.read_text()}
    for problems in (space.state()["problems"], worker._told(asked, None)["problems"]):
        assert problems[0]["message"].startswith(f"internal error: {type(error).__name__}: ")
        assert "42" not in problems[0]["message"]


@pytest.mark.parametrize("level", ["1e999", "NaN", "[]", "null", '"x"'])
def test_levels_that_are_none_are_refused(space: Any, level: str) -> None:
    answer = asyncio.run(app._answered(space, app._classes, {"levels": f'{{"age": {level}}}'}))
    assert answer.status_code == 422
    assert "'levels' is missing or malformed" in answer.body.decode()
