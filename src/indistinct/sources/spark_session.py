"""The session of Spark that this process speaks to: found, or begun.

A session of our own is set for counting, and on one machine for what it reads. Of a small table
Spark mostly plans, generates code and compiles, which takes longer than to go through the rows
without.
"""

from __future__ import annotations

import glob
import os
import re
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.errors import DataError
from indistinct.sources.spark_release import telling

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

SMALL = 1 << 24
"""Files of so many bytes are small, at most."""

_ON_ONE_MACHINE = "local["
_QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
"""What Spark says of an error may quote a cell, on one machine that of the executors too."""

_JAVA_OF_SMALL = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"
"""To compile well what is soon over takes half of the time; and memory of classes need not be
cleared each time that it grows."""

_JAVA_OF_LARGE = (
    "-XX:Tier4InvocationThreshold=80000 -XX:Tier4MinInvocationThreshold=9600"
    " -XX:Tier4CompileThreshold=240000 -XX:Tier4BackEdgeThreshold=640000"
    " -XX:InitiatingHeapOccupancyPercent=70 -XX:MetaspaceSize=256m"
)
"""Compiled well is what runs sixteen times as often as Java waits for: planning is soon over, and
what goes through records is not. Kept records leave less of the memory free than Java waits for
before it looks for more."""

_OF_COUNTS = {
    "spark.sql.execution.replaceHashWithSortAgg": "true",
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
}
"""Sorted records are counted one after the other, and combinations in one map: they do not fit the
small one that Spark tries first."""

_OF_SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


class _Own:
    """The session that this process begins or began; None where it is somebody else's."""

    coming: Future[SparkSession] | None = None
    session: Any = None


def begin_spark(master: str | None = None, source: str | Path | None = None) -> SparkSession:
    """The session of this process; made where there is none.

    Arguments:
        master: which cluster it speaks to; what Spark is set to where not given.
        source: what is read, where that is known.

    Raises:
        DataError: PySpark is not installed, or Spark does not start.
    """
    if _Own.coming is not None:
        coming, _Own.coming = _Own.coming, None
        return _active(coming.result())
    if (running := _running()) is not None:
        return running
    return _made(master, source)


def begin_beside(master: str | None = None, source: str | Path | None = None) -> None:
    """Let a session begin while this process does something else: :func:`begin_spark` waits for it.

    Arguments:
        master: which cluster it speaks to; what Spark is set to where not given.
        source: what will be read.
    """
    if "pyspark.sql" in sys.modules and _running() is not None:
        return
    coming = _Own.coming = Future()

    def work() -> None:
        try:
            coming.set_result(_made(master, source))
        except BaseException as error:  # noqa: BLE001, raised where it is waited for
            coming.set_exception(error)

    threading.Thread(target=work, daemon=True).start()


def settle(session: SparkSession, source: str | Path) -> None:
    """Set a session of our own for what is asked, and on one machine for what is read, but where
    Spark is set itself.

    Arguments:
        session: the session; nothing is set in one of somebody else.
        source: what is read.
    """
    context = session.sparkContext
    if session is not _Own.session:
        return
    wanted: dict[str, str | None] = dict(_OF_COUNTS)
    if context.master.startswith(_ON_ONE_MACHINE):
        fitting = {**_OF_SMALL, "spark.sql.shuffle.partitions": str(context.defaultParallelism)}
        wanted |= fitting if is_small(source) else dict.fromkeys(fitting)
    own = context.getConf()
    for name, value in wanted.items():
        if own.contains(name):
            continue
        if value is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, value)


def is_small(source: str | Path) -> bool:
    """Whether a path is of files of this machine that are small together.

    >>> is_small("hdfs://node/visits"), is_small("table:visits"), is_small(__file__)
    (False, False, True)
    >>> is_small(Path(f"file://{Path(__file__).absolute()}")), "a path keeps one slash of three"
    (True, 'a path keeps one slash of three')
    """
    local = re.sub("^file:/+", "/", str(source))
    files = [Path(one) for one in glob.glob(local)]  # noqa: PTH207
    inside = [one for path in files for one in ([path] if path.is_file() else path.rglob("*"))]
    return bool(inside) and sum(one.stat().st_size for one in inside) <= SMALL


def use_own_python(context: SparkContext) -> None:
    """Let executors on this machine use the Python of this process, unless another one is set.

    PySpark starts the first ``python3`` of the path, which has no PyArrow where a program of a
    virtual environment runs without the environment being activated.
    """
    named = "PYSPARK_PYTHON" in os.environ or context.getConf().contains("spark.pyspark.python")
    if context.master.partition("[")[0] in ("local", "local-cluster") and not named:
        context.pythonExec = sys.executable


def _running() -> SparkSession | None:
    """The session that somebody began in this process; None where there is none."""
    try:
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError:
        remedy = "install the extra: pip install 'indistinct[spark]'; Java 17 is needed, too"
        message = "PySpark or PyArrow is not installed"
        raise DataError("not-installed", message, remedy=remedy) from None
    return SparkSession.getActiveSession()


def _made(master: str | None, source: str | Path | None) -> SparkSession:
    """A session that is begun here."""
    if (running := _running()) is not None:
        return running
    from pyspark.sql import SparkSession

    builder, settings = SparkSession.builder.appName("indistinct"), dict(_QUIET)
    if master is not None:
        builder = builder.master(master)
        if master.startswith(_ON_ONE_MACHINE):
            settings["spark.ui.enabled"] = "false"
            if source is not None:
                small = is_small(source)
                options = _JAVA_OF_SMALL if small else _JAVA_OF_LARGE
                settings["spark.driver.defaultJavaOptions"] = options
    with telling("Spark"):
        try:
            made = builder.config(map=settings).getOrCreate()
        except RuntimeError:  # Java is not there, or ends at once
            remedy = "install Java 17, and set JAVA_HOME"
            raise DataError("not-installed", "Java does not start", remedy=remedy) from None
    use_own_python(made.sparkContext)
    _Own.session = made
    return made


def _active(session: SparkSession) -> SparkSession:
    """A session that another thread began, as that of this thread."""
    from pyspark.sql import SparkSession

    java = SparkSession._get_j_spark_session_class(session._jvm)  # noqa: SLF001, no other way
    java.setActiveSession(session._jsparkSession)  # noqa: SLF001, there is no other way
    return session
