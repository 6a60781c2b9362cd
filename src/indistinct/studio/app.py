"""What the studio answers: the page, and plain data for it."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from indistinct import DataError, IndistinctError, PolicyError
from indistinct.studio.guard import MOST_FILE, MOST_JSON
from indistinct.studio.workspace import Workspace, of_system
from indistinct.types import Plain

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""The files of the page, by their endings."""

Handler = Callable[[Workspace, Plain], Any]

Working = dict[tuple[str, int], asyncio.Task[Response]]
"""The answers that are worked on, by what was asked and the step of the policy."""

PATIENCE = 0.6
"""Seconds after which a question is told to be asked again, while its answer is worked on."""


def application(space: Workspace) -> Starlette:
    """The studio as an ASGI application, which trusts every request."""
    reading: dict[str, Handler] = {
        "state": lambda at, _: at.state(),
        "table": _table,
        "classes": _classes,
        "promises": lambda at, _: at.bench.offered(),
        "feasible": lambda at, _: [item.to_dict() for item in at.held().infeasible()],
        "hierarchy": lambda at, asked: at.held().hierarchy(_text(asked, "attribute")).to_dict(),
        "dates": lambda at, asked: at.held().date_formats(_text(asked, "attribute")),
        "export": lambda at, asked: {"text": at.hierarchy_text(_text(asked, "attribute"))},
        "job": lambda at, asked: _of_job(at.jobs.told, asked),
    }
    acting: dict[str, Handler] = {
        "open": _open,
        "policy": lambda at, asked: at.change(_number(asked, "version"), _text(asked, "text")),
        "role": lambda at, asked: at.role(
            _number(asked, "version"), _text(asked, "attribute"), _text(asked, "role")
        ),
        "edit": _edit,
        "regroup": _regroup,
        "import": lambda at, asked: at.take_hierarchy(
            _number(asked, "version"), _text(asked, "attribute"), _text(asked, "text")
        ),
        "undo": lambda at, asked: at.move(_number(asked, "version"), -1),
        "redo": lambda at, asked: at.move(_number(asked, "version"), 1),
        "run": _run,
        "stop": lambda at, asked: _of_job(at.jobs.stop, asked),
    }

    working: Working = {}

    async def read(request: Request) -> Response:
        handler = reading.get(request.path_params["name"])
        return await _soon(working, space, handler, request)

    async def act(request: Request) -> Response:
        body = await _body(request, MOST_JSON)
        try:
            asked = json.loads(body)
            json.dumps(asked, ensure_ascii=False).encode()  # halves of signs are in no file
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return _refused("the message is not a JSON object")
        return await _answered(space, acting.get(request.path_params["name"]), asked)

    async def upload(request: Request) -> Response:
        # A name is taken for a name: nothing in it leads out of the folder.
        name = Path(request.path_params["name"].replace("\\", "/")).name
        if name in {"", ".", ".."} or "\0" in name:
            return _refused("the file has no name")
        path = space.folder / name
        beside = path.with_name(f".{secrets.token_hex(8)}.part")  # another window's is another
        try:
            with beside.open("wb") as file:
                size = 0
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > MOST_FILE:
                        raise HTTPException(413)
                    file.write(chunk)
            beside.replace(path)
        except ClientDisconnect:
            return _refused("the file did not come whole")
        except OSError as error:
            return _refused(f"the file is not kept: {error.strerror}", 422)
        finally:
            beside.unlink(missing_ok=True)
        return await _answered(space, lambda at, _: at.open(path), {})

    return Starlette(
        routes=[
            Route("/", lambda _: _page("index.html")),
            Route("/web/{name}", lambda request: _page(request.path_params["name"])),
            Route("/report/{name}", lambda request: _report(space, request.path_params["name"])),
            Route("/api/upload/{name:path}", upload, methods=["PUT"]),
            Route("/api/{name}", read, methods=["GET"]),
            Route("/api/{name}", act, methods=["POST"]),
        ],
        exception_handlers={Exception: _broken},
    )


async def _soon(
    working: Working, space: Workspace, handler: Handler | None, request: Request
) -> Response:
    """The answer, or after a while that it is to be asked for again: it is worked on meanwhile."""
    key = str(request.url), space.version
    if key not in working:
        for other in [other for other in working if other[1] != space.version]:
            del working[other]
        answer = _answered(space, handler, dict(request.query_params))
        working[key] = asyncio.create_task(answer)
    task = working[key]
    done, _ = await asyncio.wait({task}, timeout=PATIENCE)
    if not done:
        return JSONResponse({"later": True}, 202)
    working.pop(key, None)
    return task.result()


async def _answered(space: Workspace, handler: Handler | None, asked: Plain) -> Response:
    if handler is None:
        return _refused("there is no such thing here", 404)
    return await run_in_threadpool(_told, handler, space, asked)


def _told(handler: Handler, space: Workspace, asked: Plain) -> Response:
    """The answer, in a thread; the server would print an error with its words, and with cells."""
    try:
        return JSONResponse(handler(space, asked))
    except IndistinctError as error:
        return JSONResponse(error.to_dict(), 422)
    except OSError as error:
        return _refused(of_system(error), 422)
    except BaseException as error:  # noqa: BLE001 - told without its message
        return _internal(error)


def _refused(message: str, status: int = 400) -> Response:
    return JSONResponse({"problems": [{"message": message}]}, status)


async def _broken(request: Request, error: Exception) -> Response:
    del request
    return _internal(error)


def _internal(error: BaseException) -> Response:
    """Our bug: the kind of the error, and no value of the table."""
    return _refused(f"internal error: {type(error).__name__}. This is a bug in indistinct.", 500)


async def _body(request: Request, most: int) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413)
    return body


def _page(name: str) -> Response:
    path = Path(name)
    if path.name != name or path.suffix not in KINDS:
        raise HTTPException(404)
    file = files("indistinct.studio") / "web" / name
    if not file.is_file():
        raise HTTPException(404)
    return Response(file.read_bytes(), media_type=KINDS[path.suffix])


def _report(space: Workspace, name: str) -> Response:
    """The report of the release that was made last: with styles of its own, and nothing more."""
    folder = space.made
    if folder is None or name not in {"public", "private"}:
        raise HTTPException(404)
    file = (folder if name == "public" else folder / "private") / "report.html"
    if not file.is_file():
        raise HTTPException(404)
    alone = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    headers = {"content-security-policy": alone}
    return Response(file.read_bytes(), media_type=KINDS[".html"], headers=headers)


def _table(space: Workspace, asked: Plain) -> Plain:
    """What was read, and what is suggested."""
    del asked
    space.reread()
    bench = space.bench
    return {
        "columns": list(bench.table.columns),
        "head": bench.head(6),
        "notes": list(bench.notes),
        "format": bench.format,
        "profile": bench.profile.to_dict(),
    }


def _classes(space: Workspace, asked: Plain) -> Plain:
    """Who looks like whom, at levels that are asked for as a JSON object."""
    try:
        levels = json.loads(_text(asked, "levels")) if "levels" in asked else {}
        levels = {name: int(level) for name, level in levels.items()}
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise _malformed("levels") from None
    return space.held().class_sizes(levels).to_dict()


def _open(space: Workspace, asked: Plain) -> None:
    path = Path(_text(asked, "path")).expanduser()
    if not path.exists():
        raise DataError("no-such-table", "there is no such file or folder", file=str(path))
    source = asked.get("source") or {}
    kinds = {"encoding": str, "header": bool, "sheet": str}
    if not isinstance(source, dict) or any(
        type(value) is not kinds.get(key) for key, value in source.items()
    ):
        raise _malformed("source")
    space.open(path, source)


def _edit(space: Workspace, asked: Plain) -> None:
    place = asked.get("place")
    if (
        not isinstance(place, list)
        or not place
        or not all(type(key) in (str, int) for key in place)
    ):
        raise _malformed("place")
    space.edit(_number(asked, "version"), place, asked.get("value"))


def _regroup(space: Workspace, asked: Plain) -> None:
    labels = asked.get("labels")
    if not isinstance(labels, list) or not all(type(label) is str for label in labels):
        raise _malformed("labels")
    act = _text(asked, "act")
    if act not in {"rename", "group"}:
        raise _malformed("act")
    attribute, name = _text(asked, "attribute"), _text(asked, "name").strip()
    version, level = _number(asked, "version"), _number(asked, "level")
    space.regroup(version, attribute, level, labels, name, act)


def _run(space: Workspace, asked: Plain) -> Plain:
    kind, version = _text(asked, "kind"), _number(asked, "version")
    if kind in {"assess", "alternatives"}:
        return space.start(version, {"kind": kind})
    if kind in {"explore", "beside"}:
        tried, pair = asked.get("k"), asked.get("pair")
        if not isinstance(tried, list) or not all(type(k) is int for k in tried):
            raise _malformed("k")
        if pair is not None and (
            not isinstance(pair, list) or [type(one) for one in pair] != [str, str]
        ):
            raise _malformed("pair")
        return space.start(version, {"kind": kind, "k": tried, "pair": pair})
    if kind not in {"release", "prove"}:
        raise _malformed("kind")
    out = Path(_text(asked, "out").strip()).expanduser()
    if not out.is_absolute():
        raise DataError("relative-folder", "name a folder by its whole path", file=str(out))
    if kind == "release":
        _require_place(out, replace=asked.get("replace") is True)
    return space.start(version, {"kind": kind, "out": str(out)})


def _require_place(out: Path, *, replace: bool) -> None:
    """Say before a run what would stop it at its end, and that an earlier release would go."""
    try:
        found = {path.name for path in out.iterdir()} if out.exists() else set()
    except NotADirectoryError:
        raise DataError("file-in-the-way", "there is a file of this name", file=str(out)) from None
    except OSError as error:
        raise DataError(
            "unreadable-file", f"the folder cannot be read: {error.strerror}", file=str(out)
        ) from None
    if found and "certificate.json" not in found:
        raise DataError(
            "foreign-files",
            "the folder holds files, and no release",
            file=str(out),
            remedy="name a new folder",
        )
    if found and not replace:
        raise DataError(
            "release-there",
            "the folder holds a release, which the new one would replace",
            file=str(out),
            remedy="replace it, or name a new folder to keep both",
        )


def _of_job(tell: Callable[[int], Any], asked: Plain) -> Any:
    number = str(asked.get("job", ""))
    try:
        return tell(int(number))
    except (KeyError, ValueError):
        raise _malformed("job") from None


def _text(asked: Plain, name: str) -> str:
    value = asked.get(name)
    if not isinstance(value, str):
        raise _malformed(name)
    return value


def _number(asked: Plain, name: str) -> int:
    value = asked.get(name)
    if type(value) is not int:
        raise _malformed(name)
    return value


def _malformed(name: str) -> PolicyError:
    return PolicyError("malformed-message", f"'{name}' is missing or malformed")
