"""A plugin of pytest that judges mutants: tests are collected once, each mutant is a fork.

``run.py`` starts pytest with it and sends a line of JSON for every mutant. In a fork of this
process the functions of the changed files get the code of the mutant, and the tests named run, in
their order, until one fails. What cannot be put into a process that has imported the files (a
constant, a default, a decorator) is answered with ``CANNOT``.

A mutant can only be judged too mildly here: what ran at import, and what tests start in processes
of their own, is the code without the change.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import json
import math
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TextIO

import pytest

SURVIVED, FAILED, CANNOT = 0, 1, 77
RAN = "_mutants_ran"
"""What notes a block is called, in every module whose blocks are noted."""

SAID: list[str] = []
"""What failed tests say."""

Modules = dict[str, tuple[dict[str, Any], list[FunctionType]]]


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Judge what is asked until nothing is asked any more."""
    if session.testsfailed:
        return None  # pytest says what could not be collected
    with contextlib.ExitStack() as opened:
        asked, told = (
            opened.enter_context(os.fdopen(int(number), way))
            for number, way in zip(os.environ["MUTANTS_PIPES"].split(), "rw", strict=True)
        )
        for pipe in (asked, told):
            os.set_inheritable(pipe.fileno(), False)
        modules = changed_modules()
        refuse_threads()
        tell(told, tests=[item.nodeid for item in session.items])
        for line in asked:
            process = os.fork()
            if not process:
                end = 3
                with contextlib.suppress(BaseException):
                    end = child(session, modules, json.loads(line), told)
                told.flush()
                os._exit(end)
            _, status, _ = os.wait4(process, 0)
            tell(told, code=os.waitstatus_to_exitcode(status))
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep what the failed test says."""
    if report.failed:
        SAID.append(report.longreprtext)


def child(session: pytest.Session, modules: Modules, asked: dict[str, Any], told: TextIO) -> int:
    """Run the tests with the code asked for; tell the one that fails, or what each has run."""
    ran: dict[str, set[int]] = {path: set() for path in asked["codes"]}
    for path, text in asked["codes"].items():
        names, functions = modules[path]
        tree = ast.parse(text)
        if asked["note"]:
            names[RAN] = ran[path].add
            tree = noting(tree)
        if not replace(functions, compile(tree, names["__file__"], "exec", dont_inherit=True)):
            return CANNOT
    items = {item.nodeid: item for item in session.items}
    chosen = [items[name] for name in asked["limits"]]
    for item, following in pairwise([*chosen, None]):
        for lines in ran.values():
            lines.clear()
        began = time.process_time()
        limit = math.ceil(began + asked["limits"][item.nodeid])
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]  # which not everybody may raise
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
        passed = False
        with contextlib.suppress(BaseException):  # what pytest itself stumbles over
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            passed = not session.testsfailed
        if not passed:
            tell(told, failed=item.nodeid, said=SAID)
            return FAILED
        if asked["note"]:
            blocks = [(path, line) for path, lines in ran.items() for line in sorted(lines)]
            tell(told, test=item.nodeid, seconds=time.process_time() - began, ran=blocks)
    return SURVIVED


def tell(told: TextIO, **what: Any) -> None:
    """A line of JSON for whoever asked."""
    told.write(json.dumps(what) + "\n")
    told.flush()


def changed_modules() -> Modules:
    """The names of the modules that are changed, and their functions, whoever holds these."""
    modules = {}
    for path in os.environ["MUTANTS_FILES"].split(os.pathsep):
        name = path.partition("src/")[2].removesuffix(".py").removesuffix("/__init__")
        modules[path] = vars(importlib.import_module(name.replace("/", "."))), []
    files = {names["__file__"]: functions for names, functions in modules.values()}
    gc.unfreeze()
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename in files:
            files[thing.__code__.co_filename].append(thing)
    gc.freeze()
    return modules


def refuse_threads() -> None:
    """A fork has none of the threads of Polars, and waits for them for ever."""
    for name in Path("/proc/self/task").glob("*/comm"):
        if name.read_text().startswith("polars-0"):
            sys.exit("a test module computes with Polars when it is imported")


def replace(functions: list[FunctionType], module: CodeType) -> bool:
    """Give functions the code they have in a module, if it can be told and fits."""
    new: defaultdict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for code in codes_in(module):
        new[code.co_qualname, code.co_firstlineno].append(code)
    for function in functions:
        own = function.__code__
        found = new[own.co_qualname, own.co_firstlineno]
        if own in found:
            continue
        if len(found) != 1 or found[0].co_freevars != own.co_freevars:
            return False
        function.__code__ = found[0]
    return True


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """All code inside of code."""
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield inside
            yield from codes_in(inside)


def noting(tree: ast.Module) -> ast.Module:
    """The module with a note of its line at the start of every block of a function."""
    for body in list(function_blocks(tree)):
        line = body[0].lineno
        called = ast.Call(ast.Name(RAN, ast.Load()), [ast.Constant(line)], [])
        note = ast.copy_location(ast.Expr(called), body[0])
        note.end_lineno, note.end_col_offset = note.lineno, note.col_offset
        body.insert(0, ast.fix_missing_locations(note))
    return tree


def function_blocks(node: ast.AST, *, inside: bool = False) -> Iterator[list[ast.stmt]]:
    """Every list of statements that a function runs as one."""
    inside = inside or isinstance(node, ast.FunctionDef)
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        if inside and body and isinstance(body, list) and not isinstance(node, ast.ClassDef):
            yield body
    for below in ast.iter_child_nodes(node):
        yield from function_blocks(below, inside=inside)


def block_of(tree: ast.Module, line: int, column: int) -> int | None:
    """The line with which the innermost block that holds a place begins; None outside functions."""
    held = [
        (statement.lineno, -(statement.end_lineno or 0), body[0].lineno)
        for body in function_blocks(tree)
        for statement in body
        if (statement.lineno, statement.col_offset) <= (line, column)
        and (line, column) < (statement.end_lineno, statement.end_col_offset)
    ]
    return max(held)[-1] if held else None
