"""What every verb does in the same way: end with the right exit code, and without a trace."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn, ParamSpec

import typer

from indistinct.cli.streams import LEFT, kept
from indistinct.cli.terminal import complain, forgive_encodings, is_quiet, print_json
from indistinct.errors import IndistinctError, Problem, in_words
from indistinct.sources.standing import Followed, following
from indistinct.types import Plain, PlainMapping

DEBUG = "INDISTINCT_DEBUG"
"""Environment variable: set to 1, an unexpected error shows its traceback (and perhaps values)."""

KILLED = 128
"""What is added to the number of a signal that ends a verb: 130 for an interrupt."""

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""What a system or a terminal sends to end a program, and what is as orderly an end as Ctrl+C."""

_PANICS = "pyo3_runtime"
"""Where errors come from that are none of Python's: of Polars, which ends its own work by one."""

P = ParamSpec("P")


def verb(
    function: Callable[P, None], leaves: Callable[[Plain], bool] = lambda asked: False
) -> Callable[P, None]:
    """The function as a verb: its errors told on standard error, its exit code ours.

    Input that cannot be used and places that cannot be written end with 2, promises that cannot be
    kept with 3, anything unforeseen with 1 and without the message of the error, which could hold a
    value of the table.

    Arguments:
        function: the verb.
        leaves: whether files are what it makes when it is asked so; they stand where standard
            output is closed or full. What it draws or drafts beside its answer is not.
    """

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        forgive_encodings()
        asked = kwargs.get("as_json") is True
        answers = asked or kwargs.get("alternatives") is True
        with kept(silent=is_quiet() and not answers and leaves(kwargs)) as out:
            try:
                with ended_as_told(function.__module__, as_json=asked), ended_by_signals():
                    function(*args, **kwargs)
            finally:
                out.flush()
                if out.lost is not None:
                    _tell_of_loss(out.lost, leaves_files=leaves(kwargs))
            if out.lost not in (None, *LEFT) and not leaves(kwargs):
                raise typer.Exit(2)

    return guarded


@contextlib.contextmanager
def ended_as_told(module: str, *, as_json: bool = False) -> Iterator[None]:
    """Tell of errors on standard error, and end with their exit codes.

    Arguments:
        module: that of the verb.
        as_json: whether standard output gets one JSON document in any case: then that of the error.
    """
    followed = Followed()
    try:
        with following(followed):
            yield
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except IndistinctError as error:
        for told in in_words(error.problems):
            complain("error", told)
        _end(error.to_dict(), as_json)
    except KeyboardInterrupt as error:
        number = error.number if isinstance(error, Ended) else signal.SIGINT
        problem = Problem("interrupted", _left_by(followed))
        complain("interrupted", problem.message)
        _end(ended("Interrupted", KILLED + number, problem), as_json)
    except MemoryError:
        problem = Problem("out-of-memory", "the table does not fit into the memory of this machine")
        complain("error", problem.message)
        _end(ended("MemoryError", 2, problem), as_json)
    except OSError as error:
        if _has_no_folder():
            problem = Problem(
                "system-error",
                "the folder in which the command was started is not there any more",
                remedy="change to a folder that is there (cd), and run it again",
            )
        elif error.filename is None or error.strerror is None:
            _confess(error, module, as_json)
        else:
            problem = Problem("system-error", str(error.strerror), file=str(error.filename))
        complain("error", str(problem))
        _end(ended("OSError", 2, problem), as_json)
    except BaseException as error:  # any error: a message, and no value of the table
        if not isinstance(error, Exception) and type(error).__module__ != _PANICS:
            raise
        _confess(error, module, as_json)


def _has_no_folder() -> bool:
    """Whether the folder that the program runs in was removed: libraries stumble over that."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _left_by(followed: Followed) -> str:
    """What a verb that was broken off has left."""
    stands = followed.standing
    if not stands:
        return "nothing was left half written"
    return f"the release is in {', '.join(stands)}; nothing was left half written"


def ended(error: str, code: int, problem: Problem) -> Plain:
    """What a verb that failed says of it, in the shape of :meth:`IndistinctError.to_dict`.

    Arguments:
        error: the kind of error.
        code: what the program ends with.
        problem: what went wrong.
    """
    return {"error": error, "exit_code": code, "problems": [problem.to_dict()]}


def _end(document: PlainMapping, as_json: bool) -> NoReturn:
    """End with the exit code of an error."""
    if as_json:
        print_json(document)
    raise typer.Exit(int(document["exit_code"])) from None


def _tell_of_loss(number: int, *, leaves_files: bool) -> None:
    """Say that standard output did not take everything."""
    why = "it is closed" if number in LEFT else os.strerror(number).lower()
    if leaves_files:
        stands = "what was written to files stands"
        complain("warning", f"standard output did not take everything ({why}); {stands}")
    elif number not in LEFT:
        complain("error", f"standard output did not take everything ({why})")


class Ended(KeyboardInterrupt):
    """A signal that asks the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let signals that end the program end it as an interrupt does, with everything tidied up.

    One that is ignored, as under ``nohup``, stays ignored. A library that is broken off may answer
    with an error of its own (a compiler does): it is the end that was asked for all the same.
    """
    came: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)
        if number in ENDING:
            signal.signal(number, signal.SIG_IGN)  # a second one would break off the tidying
        raise Ended(number)

    main = threading.current_thread() is threading.main_thread()
    usual = dict.fromkeys(ENDING, signal.SIG_DFL) | {signal.SIGINT: signal.default_int_handler}
    caught = {one: own for one, own in usual.items() if main and signal.getsignal(one) is own}
    for one in caught:
        signal.signal(one, end)
    try:
        yield
    except Exception:
        if came:
            raise Ended(came[0]) from None
        raise
    finally:
        for one, own in caught.items():
            signal.signal(one, own)


def _confess(error: BaseException, module: str, as_json: bool) -> NoReturn:
    """Say that this is our bug, or that of the plugin whose verb it is, and end with 1."""
    package = module.partition(".")[0]
    what = f"{type(error).__name__} in {_place(error, package)}"
    if os.environ.get(DEBUG, "0") not in {"", "0"}:
        traceback.print_exception(error, file=sys.stderr)
    else:
        complain(
            "internal error",
            f"{what}\n"
            f"  This is a bug in {package}, not in your data: please report the line above.\n"
            f"  {DEBUG}=1 shows more, which can hold values of your table: read before you share.",
        )
    _end(ended("InternalError", 1, Problem("internal-error", what)), as_json)


def _place(error: BaseException, package: str) -> str:
    """The last line that ran of this package, or of the plugin's."""
    homes = [Path(place) for name in ("indistinct", package) for place in _folders(name)]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        for home in homes:
            if path.is_relative_to(home):
                return f"{path.relative_to(home).as_posix()}, line {frame.lineno}"
    return "an unknown place"


def _folders(package: str) -> list[str]:
    return list(getattr(sys.modules.get(package), "__path__", ()))
