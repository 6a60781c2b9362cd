"""What the tests share."""

from __future__ import annotations

import functools
import gc
import hashlib
import itertools
import os
import secrets
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers
from typer.testing import CliRunner, Result

REPOSITORY = Path(__file__).resolve().parent

os.environ["INDISTINCT_LOG_SECONDS"] = "0"  # what is printed does not depend on how long it took
# As many tests run beside each other as there are cores: their threads would wait for one another.
for library in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[library] = "1"

# Verbs that run in this process share one tree of commands: to build it takes longer than most run.
vars(typer.testing)["_get_command"] = functools.cache(typer.main.get_command)

for number, usual in (
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGINT, signal.default_int_handler),
):
    if signal.getsignal(number) is signal.SIG_IGN:  # as nohup and shells pass on to what they run
        signal.signal(number, usual)

USUAL = 40
"""Examples of a test in the profile ``same``; of tests that ask for more, this or a third."""

LONGEST = tuple(
    f"tests/{name}" for name in ("studio/test_page", "golden/", "contracts/test_sources", "report/")
)
"""Files that take minutes."""

LONG = tuple(
    line
    for line in (REPOSITORY / "tests/long.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
"""Beginnings of the names of tests that ``make test`` leaves out."""

for profile, same_examples, shrink in (
    ("same", True, True),
    ("random", False, True),
    ("unshrunk", True, False),  # of `make mutants`, where nobody reads the example that fails
):
    settings.register_profile(
        profile,
        deadline=None,
        max_examples=USUAL if same_examples else 100,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=same_examples,
        print_blob=True,
        phases=[phase for phase in Phase if shrink or phase not in {Phase.shrink, Phase.explain}],
    )
settings.load_profile("same")


def pytest_collection() -> None:
    """Look for no garbage among what is collected: all of it stays.

    In the profile ``same``, draw the same examples whatever has been imported so far.

    Hypothesis draws now and then a constant of the modules loaded at that moment. Which ones those
    are depends on which tests ran before in the same process, that is on how fast the others were.
    """
    gc.disable()
    if settings().derandomize:
        providers._get_local_constants = providers.Constants


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: none is left for the end, when other workers are idle.

    What ``tests/long.txt`` names is marked ``long``.

    In the profile ``same``, draw a third of the examples that tests ask for.

    They are the same in every run: what the first of them do not find, more of them seldom do.
    ``make search`` draws all, and others each time.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
    for item in items:
        if item.nodeid.startswith(LONG):
            item.add_marker("long")
    if not settings().derandomize:
        return
    tests = {getattr(item.obj, "__func__", item.obj) for item in items if hasattr(item, "obj")}
    for test in filter(is_hypothesis_test, tests):
        own = getattr(test, "_hypothesis_internal_use_settings", settings())
        fewer = min(own.max_examples, max(USUAL, own.max_examples // 3))
        test._hypothesis_internal_use_settings = settings(own, max_examples=fewer)


def pytest_collection_finish() -> None:
    """Look for garbage again, but no longer among the tests themselves."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    """In the profile ``same``, give every run without a seed the one of its place in the tests.

    What holds but for chance then holds on every machine or on none; ``make search`` draws anew.
    """
    if settings().derandomize:
        runs: Counter[str] = Counter()

        def seed(k: int) -> int:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
            runs[test] += 1
            drawn = hashlib.shake_256(f"{test} {runs[test]}".encode()).digest(k // 8 + 1)
            return int.from_bytes(drawn) & ((1 << k) - 1)

        secrets.randbits = seed


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data kept beside the project; tests that need it skip without."""
    place = Path(os.environ.get("INDISTINCT_SHARED", REPOSITORY.parent / "shared"))
    if not place.is_dir():
        pytest.skip("the real data kept beside the project is not here")
    return place


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Make every look at the clock take so many seconds, however busy the machine is."""

    def tick(seconds: float) -> None:
        looks = itertools.count()
        monkeypatch.setattr(time, "perf_counter", lambda: next(looks) * seconds)

    return tick


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a verb in this process: ``run("audit", path, "--k", 5)``."""
    from indistinct.cli import app

    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    runner = CliRunner()

    def invoke(*arguments: object) -> Result:
        return runner.invoke(app, [str(item) for item in arguments])

    return invoke
