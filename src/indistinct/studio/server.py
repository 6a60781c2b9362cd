"""The server: a socket on the loopback interface, a private folder, and an orderly end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn

from indistinct.studio.app import application
from indistinct.studio.guard import Guard
from indistinct.studio.workspace import Workspace

HOST: Final = "127.0.0.1"
PREFIX: Final = "indistinct-studio-"
ENDING: Final = 3
"""Seconds in which answers under way are finished when the server ends."""


def serve(
    data: Path | None,
    policy: Path | None,
    *,
    port: int,
    browser: bool,
    tell: Callable[[str], None],
) -> None:
    """Serve the studio until it is interrupted.

    Arguments:
        data: the table that is opened first.
        policy: the file of the policy; beside the table where not given.
        port: where it listens; 0 for one that is free.
        browser: whether the page is opened.
        tell: is given the address with the token, once.

    Raises:
        OSError: the port is taken.
    """
    with socket.socket() as listening, _private_folder() as folder:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        space = Workspace(folder, policy)
        address = f"http://{HOST}:{port}/?token={token}"
        guarded = Guard(application(space), port, token)
        config = uvicorn.Config(
            guarded,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=ENDING,
        )
        listening.listen()
        tell(address)
        if data is not None:
            space.open(data)
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server = uvicorn.Server(config)
        try:
            with _ended_by_hangup(server):
                server.run(sockets=[listening])
        finally:
            space.jobs.end()


@contextlib.contextmanager
def _ended_by_hangup(server: uvicorn.Server) -> Iterator[None]:
    """The end of its terminal ends a server in good order, as other signals do by themselves.

    An error that a handler raises would come in the middle of a step of the server's loop.
    """
    number: int = getattr(signal, "SIGHUP", 0)  # which not every system has
    usual = signal.getsignal(number) if number else None
    if not callable(usual) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came = []

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)
        server.should_exit = True

    signal.signal(number, end)
    try:
        yield
    finally:
        signal.signal(number, usual)
    if came:
        signal.raise_signal(number)


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder that nobody else can read, removed at the end; those of killed servers as well.

    A server locks its folder. The lock ends with the process, even if its number is taken again.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # what is another user's stays
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left)
            finally:
                os.close(handle)
    folder, handle = _locked_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def _locked_folder() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with contextlib.suppress(FileNotFoundError):  # another server swept it before it was locked
            handle = os.open(folder, os.O_RDONLY)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            if folder.exists():
                return folder, handle
            os.close(handle)
