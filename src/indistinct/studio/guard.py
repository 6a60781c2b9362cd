"""Who may talk to the studio: the browser that was opened with the token, and no other page."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
"""What every answer says to the browser."""

MOST_JSON: Final = 8 << 20
"""Bytes of a message, at most."""

MOST_FILE: Final = 512 << 20
"""Bytes of a file that is handed over by the browser, at most."""

UPLOADS: Final = "/api/upload/"
"""Where files may be handed over."""

_WELCOME: Final = (
    '<!doctype html><html lang="en"><title>indistinct studio</title>'
    '<link rel="icon" href="/web/icon.svg"><meta http-equiv="refresh" content="0;url=/">'
    '<p><a href="/">Open the studio</a></p></html>'
)
_CLOSED: Final = (
    '<!doctype html><html lang="en"><title>indistinct studio</title><h1>This door is closed</h1>'
    "<p>The address with the token works once, in one browser. Start <code>indistinct studio</code>"
    " again, and open the address that it prints.</p></html>"
)


CONNECTIONS: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Where Linux tells whose the connections of this machine are."""


class Guard:
    """Lets through what comes from the page that was opened with the token.

    A list of the processes of the machine shows the address that the browser is started with,
    and a browser shows its cookies to every port of the machine: other users get no answer,
    whatever they hold.

    Arguments:
        app: what answers.
        port: where the server listens; requests must name it as their host.
        token: what opens the first page, once.
    """

    def __init__(self, app: App, port: int, token: str) -> None:
        self.app = app
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie = f"indistinct-studio-{port}"
        self._port = port
        self._token: str | None = token
        self._session = secrets.token_urlsafe(32)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", [])
                own = [(key.encode(), value.encode()) for key, value in HEADERS.items()]
                said = {key for key, _ in given}
                message["headers"] = [*given, *(item for item in own if item[0] not in said)]
            await send(message)

        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        status, text, cookie = self._verdict(scope, headers)
        if status:
            await _answer(guarded, status, text, cookie)
            return
        await self.app(scope, receive, guarded)

    def _verdict(self, scope: Message, headers: dict[str, str]) -> tuple[int, str, str | None]:
        """The status and page of a refusal or a welcome, and a cookie; status 0 lets through."""
        if headers.get("host") not in self.hosts:
            return 421, "The studio answers under 127.0.0.1 alone.", None
        if of_another(scope.get("client"), self._port):
            return 403, "The studio answers the user who started it.", None
        reading = scope["method"] in {"GET", "HEAD"}
        origin = headers.get("origin")
        if origin is None and not reading:
            return 403, "A change needs an origin.", None
        if origin is not None and origin != f"http://{headers['host']}":
            return 403, "The studio takes no request of another page.", None
        known = self._knows(headers.get("cookie", ""))
        if scope["path"] == "/" and b"token=" in scope["query_string"]:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if self._token is not None and hmac.compare_digest(
                given.encode(), self._token.encode()
            ):
                self._token = None
                flags = "Path=/; HttpOnly; SameSite=Strict"
                return 200, _WELCOME, f"{self.cookie}={self._session}; {flags}"
            return (200, _WELCOME, None) if known else (403, _CLOSED, None)
        if not known:
            return 403, _CLOSED, None
        if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            return 403, "The studio takes no request of another page.", None
        length = headers.get("content-length", "0")
        most = MOST_FILE if scope["path"].startswith(UPLOADS) else MOST_JSON
        if not length.isdigit() or int(length) > most:
            return 413, f"More than {most >> 20} MB: open the file by its path.", None
        return 0, "", None

    def _knows(self, given: str) -> bool:
        try:
            held = SimpleCookie(given).get(self.cookie)
        except CookieError:
            return False
        return held is not None and hmac.compare_digest(held.value.encode(), self._session.encode())


def of_another(client: tuple[str, int] | None, port: int) -> bool:
    """Whether a connection of this machine is another user's, as far as the system tells.

    Arguments:
        client: the address and port that it comes from.
        port: where it arrives.
    """
    if client is None or not hasattr(os, "geteuid"):
        return False
    ends = f":{client[1]:04X}", f":{port:04X}"
    for table in CONNECTIONS:
        with contextlib.suppress(OSError):
            for line in table.read_text().splitlines()[1:]:
                _, own, other, _, _, _, _, user, *_ = line.split()
                if own.endswith(ends[0]) and other.endswith(ends[1]):
                    return int(user) not in (0, os.geteuid())  # root need not ask
    return False


async def _answer(send: Send, status: int, text: str, cookie: str | None) -> None:
    body = text.encode()
    kind = b"text/html; charset=utf-8" if text.startswith("<") else b"text/plain; charset=utf-8"
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if cookie is not None:
        headers.append((b"set-cookie", cookie.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
