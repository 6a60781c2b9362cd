"""Run the blocks of the documentation, and write down or check what they print.

    python docs/blocks.py                 check every page
    python docs/blocks.py --write         run every page, and write what its commands print
    python docs/blocks.py --write docs/tutorials/first-release.md

The blocks of a page run one after the other in an empty folder that holds ``visits.csv`` and the
folder ``examples``. What a fence says after its language decides what is done:

    console             lines after "$ " are run, the lines below them are what is printed
    console unchecked   run, but what it prints differs from run to run: written down once
    toml file=NAME      (or csv, text, python) written to a file of that name
    toml                must be valid TOML
    python              run; the blocks of a page share their names
    text output         what the Python block above it prints
    ... skip            left alone

A line ``<!-- $ command -->``, which readers do not see, is run as well.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100

_FENCE = re.compile(
    r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$|^<!-- \$ (?P<hidden>[^\n]*) -->$", re.M | re.S
)
_VARYING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<digest>"),
    (re.compile(r'("seed": )\d+'), r"\1<seed>"),
    (re.compile(r'("created": )"[^"]*"'), r'\1"<time>"'),
    (re.compile(r'("seconds": )[0-9.e-]+'), r"\1<seconds>"),
    (re.compile(r"(seconds of search) .*"), r"\1 <seconds>"),
)


@dataclass(frozen=True)
class Difference:
    """A block that does not print what its page says."""

    page: str
    line: int
    said: str
    found: str

    def __str__(self) -> str:
        return (
            f"{self.page}:{self.line}\n--- the page says\n{self.said}\n--- it prints\n{self.found}"
        )


def pages() -> list[Path]:
    """The pages whose blocks are run."""
    found = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "reproductions").glob("*.md")),
    ]
    return [page for page in found if "reference" not in page.parts]


def run_page(page: Path) -> tuple[str, list[Difference]]:
    """The page with what its blocks print now, and where that differs from what it says."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    differences: list[Difference] = []
    parts: list[str] = []
    end = 0
    printed = ""
    with _folder() as session:
        for fence in _FENCE.finditer(text):
            if fence["hidden"]:
                session.command(fence["hidden"])
                continue
            info, body = fence["info"].split(), fence["body"]
            line = text[: fence.start()].count("\n") + 1
            new = body
            if not info or "skip" in info:
                pass
            elif named := [word[5:] for word in info if word.startswith("file=")]:
                Path(named[0]).write_text(body, encoding="utf-8")
            elif info[0] == "console":
                shown = list(_commands(body))
                new = "".join(session.command(part) for part in shown)
                if "unchecked" in info and body.strip() != "\n".join(shown):
                    new = body
            elif info[0] == "toml":
                tomllib.loads(body)
            elif info[0] == "python":
                printed = session.python(body, f"{name}:{line}")
            elif info == ["text", "output"]:
                new = printed
            if "unchecked" not in info and _settled(new) != _settled(body):
                differences.append(Difference(name, line, body, new))
            parts += [text[end : fence.start()], f"```{fence['info']}\n{new}```"]
            end = fence.end()
    return "".join([*parts, text[end:]]), differences


def _settled(text: str) -> str:
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return text.rstrip()


def _commands(body: str) -> Iterator[str]:
    command = ""
    for line in body.splitlines():
        if line.startswith("$ ") or (command.endswith("\\") and line.startswith("    ")):
            command = f"{command}\n{line}" if command.endswith("\\") else line
            if not line.endswith("\\"):
                yield command
                command = ""


_REDIRECTION = re.compile(r"(?P<two>2)?>(?P<file>.*)")


def _first_of(line: str) -> tuple[list[str], str]:
    """The words of the first command of a pipeline, and the others as they are written.

    >>> _first_of("indistinct audit out 2> notes.txt | grep 'a|b'")
    (['indistinct', 'audit', 'out', '2>', 'notes.txt'], "grep 'a|b'")
    """
    found = re.match(r"""(?P<first>(?:[^|'"]|'[^']*'|"[^"]*")*)\|(?P<rest>.*)""", line, re.S)
    first, rest = (found["first"], found["rest"].strip()) if found else (line, "")
    return shlex.split(first), rest


class _Session:
    """One page's folder, variables and Python names."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"__name__": "page"}
        self._code = 0

    def command(self, shown: str) -> str:
        """The command as it was written, and what it prints."""
        line = re.sub(r"\\\n\s+", "", shown.removeprefix("$ "))
        output = self._run(line)
        ending = "" if not output or output.endswith("\n") else "\n"
        return f"{shown}\n{output}{ending}"

    def _run(self, line: str) -> str:
        words = shlex.split(line)
        if line == "echo $?":
            return f"{self._code}\n"
        if words[0] == "export":
            variable, _, value = words[1].partition("=")
            os.environ[variable] = value
            return ""
        if words[0] == "indistinct" and not {"&&", ";"} & set(words):
            return self._indistinct(*_first_of(line))
        return self._shell(line)

    def _shell(self, line: str, given: str = "") -> str:
        done = subprocess.run(
            line,
            shell=True,
            input=given.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self._code = done.returncode
        return done.stdout.decode()

    def _indistinct(self, words: Sequence[str], rest: str) -> str:
        """What a verb prints, with its redirections, and the commands that it is piped to."""
        screen, pipe = io.StringIO(), io.StringIO()
        results, messages = pipe if rest else screen, screen
        files: dict[str, io.StringIO] = {}
        said: list[str] = []
        left = iter(words)
        for word in left:
            redirected = _REDIRECTION.fullmatch(word)
            if redirected is None:
                said.append(word)
            elif word == "2>&1":
                messages = results
            else:
                stream = files.setdefault(redirected["file"] or next(left), io.StringIO())
                results, messages = (results, stream) if redirected["two"] else (stream, messages)
        with contextlib.redirect_stdout(results), contextlib.redirect_stderr(messages):
            try:
                _verbs()(said[1:], prog_name="indistinct")
            except SystemExit as end:
                self._code = end.code if isinstance(end.code, int) else 1
        for name, stream in files.items():
            if name != os.devnull:
                Path(name).write_text(stream.getvalue(), encoding="utf-8")
        return screen.getvalue() + (self._shell(rest, pipe.getvalue()) if rest else "")

    def python(self, source: str, where: str) -> str:
        """What a block of Python prints."""
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(compile(source, where, "exec"), self._names)
        return stream.getvalue()


@functools.cache
def _verbs() -> Any:
    """The command line; to make it takes longer than most verbs run."""
    import typer

    from indistinct.cli import app

    return typer.main.get_command(app)


@functools.cache
def _visits() -> bytes:
    """The invented table, as its script writes it."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "visits.csv"
        script = ROOT / "examples" / "visits.py"
        subprocess.run([sys.executable, script, path], check=True, capture_output=True)
        return path.read_bytes()


@contextlib.contextmanager
def _folder() -> Iterator[_Session]:
    """An empty folder to work in, with the invented table."""
    before, variables = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {
            "COLUMNS": str(WIDTH),
            "NO_COLOR": "1",
            "INDISTINCT_LOG_SECONDS": "0",
            "PYTHONUNBUFFERED": "1",
            "LC_ALL": "C.UTF-8",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        os.chdir(place)
        (Path(place) / "examples").symlink_to(ROOT / "examples")
        (Path(place) / "visits.csv").write_bytes(_visits())
        try:
            yield _Session()
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(variables)


def main(arguments: Sequence[str]) -> int:
    """Check the pages, or write them."""
    chosen = [Path(word).resolve() for word in arguments if not word.startswith("-")]
    wrong = 0
    for page in chosen or pages():
        text, differences = run_page(page)
        wrong += len(differences)
        if "--write" in arguments:
            page.write_text(text, encoding="utf-8")
        for difference in differences:
            print(difference)
    return 0 if "--write" in arguments or not wrong else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
