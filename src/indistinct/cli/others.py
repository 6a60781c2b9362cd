"""Verbs that other distributions bring, read when a verb is asked for that is not built in."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeGuard

import typer
from typer.core import TyperArgument, TyperGroup

from indistinct import plugins
from indistinct.cli.options import FILE, option
from indistinct.cli.terminal import hush, print_json
from indistinct.cli.verbs import ended, verb
from indistinct.errors import IndistinctError, PluginError, PolicyError, Problem
from indistinct.sources import memory

if TYPE_CHECKING:
    from typer._click import Command, Context, Parameter

MOVED = {"paper": "indistinct-reproductions"}
"""Verbs that were built in once, and the distributions that bring them now."""

_ANY_WORDS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


class VerbGroup(TyperGroup):
    """The built-in verbs, and those of plugins where the built-in ones are not enough."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The names of all verbs, the built-in ones first."""
        self._add_plugins()
        return super().list_commands(ctx)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The verb of this name; one that only tells what is wrong where it cannot be used."""
        if cmd_name not in self.commands:
            self._add_plugins()
        command = super().get_command(ctx, cmd_name) or _refusing(cmd_name)
        if command is not None:
            known = {part.name for part in command.params}
            command.params += [part for part in _common_options() if part.name not in known]
        return command

    def invoke(self, ctx: Context) -> object:
        """Run the verb; options that nobody knows are told as JSON too where that is asked for."""
        words = [*getattr(ctx, "_protected_args", ()), *ctx.args]
        try:
            return super().invoke(ctx)
        except Exception as error:
            missing = getattr(error, "param", None)
            if isinstance(missing, TyperArgument) and not getattr(error, "message", True):
                error.message = missing.help or ""  # type: ignore[attr-defined]
            if "--json" in words and (told := getattr(error, "format_message", None)) is not None:
                print_json(ended("UsageError", 2, Problem("bad-option", told())))
            raise
        finally:
            hush(False)

    def _add_plugins(self) -> None:
        for name, function in plugins.load("verbs", _is_function, taken=self._built_in).items():
            self.commands.setdefault(name, _command(name, function))

    @functools.cached_property
    def _built_in(self) -> frozenset[str]:
        return frozenset(self.commands)


def _allow_memory(given: str | None) -> None:
    size = None if given is None else memory.size_of(given)
    if given is not None and size is None:
        raise typer.BadParameter("it is not a size of memory: write 2GB, for example")
    memory.allow(size)


def _common(
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            help="Print no progress, no notes, and no summary of files that are written.",
            callback=hush,
        ),
    ] = False,
    max_memory: Annotated[
        str | None,
        option(
            "SIZE",
            "Refuse a table that takes more memory, such as 2GB (what is free).",
            panel=FILE,
            callback=_allow_memory,
        ),
    ] = None,
) -> None:
    """Has the options that every verb has."""
    del quiet, max_memory


def _common_options() -> list[Parameter]:
    options = _command("", _common).params
    for own in options:
        own.expose_value = False
    return options


def help_of(function: Callable[..., None]) -> str:
    """The docstring of a verb, each paragraph in one line for the terminal to break."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _command(name: str, function: Callable[..., None], **settings: object) -> Command:
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], **settings},
    )
    app.command(name, help=help_of(function))(verb(function))
    return typer.main.get_command(app)


def _refusing(name: str) -> Command | None:
    """A verb that tells why this one cannot be used; None where nobody knows it."""
    error: IndistinctError
    try:
        plugins.find("verbs", name, _is_function)
    except PluginError as refused:
        error = refused
    else:
        if name not in MOVED:
            return None
        error = PolicyError(
            "verb-moved",
            f"the verb '{name}' is in a distribution of its own now",
            remedy=f"pip install {MOVED[name]}",
        )

    def refuse() -> None:
        raise error

    return _command(name, refuse, **_ANY_WORDS)


def _is_function(loaded: object, name: str) -> TypeGuard[Callable[..., None]]:
    del name
    return callable(loaded)
