"""``indistinct studio``: a page on this machine, in which a policy is written by clicking."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import argument, option
from indistinct.errors import DataError, InputError

NEEDED = ("starlette", "uvicorn")


def studio(
    data: Annotated[
        Path | None, argument("[DATA]", "The private table that is opened first.")
    ] = None,
    policy: Annotated[
        Path | None, option("FILE", "The policy (next to the table when not given).")
    ] = None,
    port: Annotated[int, option("N", "Where it listens (0: a free port).", min=0, max=65535)] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open the page, only print its address.")
    ] = False,
) -> None:
    """Open a page on this machine, to write a policy and make a release by clicking.

    The printed address opens the page once. The page works only on this machine and sends nothing
    elsewhere. Every step is written to the policy; anonymize makes the same release from it. Ctrl+C
    ends it.
    """
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        raise InputError(
            "no-studio",
            f"the studio needs {' and '.join(lacking)}, which cannot be imported",
            remedy="pip install 'indistinct[studio]'",
        )
    if data is not None and not data.exists():
        raise DataError("no-such-table", "there is no such file or folder", file=str(data))
    from indistinct.studio.server import serve

    try:
        serve(
            None if data is None else data.absolute(),
            None if policy is None else policy.absolute(),
            port=port,
            browser=not no_browser,
            tell=typer.echo,
        )
    except OSError as error:
        message = f"port {port} cannot be used: {(error.strerror or 'unknown reason').lower()}"
        remedy = "choose another with --port, or leave it out"
        raise InputError("port-taken", message, remedy=remedy) from None
