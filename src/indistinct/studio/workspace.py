"""What one studio is at work on: a table, and the text of one policy with all its steps."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import tempfile
import threading
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import indistinct
from indistinct import IndistinctError, PolicyError
from indistinct.studio.jobs import Jobs
from indistinct.types import Plain

if TYPE_CHECKING:
    from indistinct import Workbench

OURS = "this is a bug in indistinct, not in your data"
"""What is said of an error that nobody foresaw."""

STEPS = 200
"""Steps that can be undone, at most."""


MANY = 100_000
"""Records that take a while to be counted."""


class Workspace:
    """A table and a policy for it, which is kept in a file at every step.

    Arguments:
        folder: where files that the browser hands over are put; private, and removed at the end.
        policy: the file of the policy; beside the table where not given.
    """

    def __init__(self, folder: Path, policy: Path | None = None) -> None:
        self.folder = folder
        self.jobs = Jobs()
        self.data: Path | None = None
        self.file: Path = policy or folder / "policy.toml"
        self.opening: str | None = None
        self.problems: list[Plain] = []
        self.version = 0
        self._named = policy
        self._bench: Workbench | None = None
        self._steps: list[str] = []
        self._at = -1
        self._read: indistinct.Held | None = None
        self._readings = 0
        self._lock = threading.RLock()

    @property
    def bench(self) -> Workbench:
        """The table.

        Raises:
            PolicyError: none is open.
        """
        if self._bench is None:
            raise PolicyError("no-open-table", "no table is open", remedy="open one first")
        return self._bench

    @property
    def text(self) -> str:
        """The policy as it stands."""
        return self._steps[self._at] if self._steps else ""

    def open(self, data: Path, source: Plain | None = None) -> None:
        """Read a table, beside everything else; :meth:`state` tells when that is done.

        Arguments:
            data: the file or folder.
            source: keys for ``[source]`` that say how it is read, kept in the policy.
        """
        with self._lock:
            self.jobs.end()
            data = data.absolute()
            self.data, self._bench, self._steps, self._at = data, None, [], -1
            self._read = None
            self.opening, self.problems = f"reading {data.name}", []
            self.version += 1
        threading.Thread(target=self._open, args=(data, source or {}), daemon=True).start()

    def _open(self, data: Path, source: Plain) -> None:
        problems: list[Plain] = []
        try:
            file = self._named or self._home(data)
            there = file.read_text(encoding="utf-8-sig") if file.exists() else None
            said = _with_source(there or "", source) or None
            bench = indistinct.workbench(
                data, said, directory=file.parent, progress=lambda what, _: self._tell(data, what)
            )
            bench.profile  # noqa: B018 - looked at here, and not by the first who asks
            text = _with_source(bench.draft(), source) if there is None else str(said)
            with self._lock:
                if self.data == data:
                    self.file, self._bench = file, bench
                    self._take(text, save=text != there)
        except IndistinctError as error:
            problems = [item.to_dict() for item in error.problems]
        except OSError as error:
            problems = [{"message": of_system(error)}]
        except UnicodeDecodeError:
            problems = [{"message": "the policy is not encoded in UTF-8"}]
        except BaseException as error:  # noqa: BLE001 - told without its message, which could hold a value
            problems = [{"message": f"internal error: {type(error).__name__}: {OURS}"}]
        with self._lock:
            if self.data != data:  # another table was opened meanwhile
                return
            self.problems, self.opening = problems, None
            self.version += 1
        if self._bench is not None and self._bench.profile.records > MANY:
            # Counted while somebody looks at the columns, who asks for it in a later room.
            with contextlib.suppress(IndistinctError):
                self.held().class_sizes()

    def _tell(self, data: Path, what: str) -> None:
        if self.data == data:
            self.opening = what

    def _home(self, data: Path) -> Path:
        """Where the policy of a table is kept: beside it, as far as that can be written."""
        inside = data.parent == self.folder or not os.access(data.parent, os.W_OK)
        return (self.folder if inside else data.parent) / f"{data.stem}.toml"

    def change(self, version: int, text: str) -> None:
        """Another text of the policy.

        Raises:
            PolicyError: the page had not seen the last step.
        """
        with self._step(version):
            self._take(text)

    def edit(self, version: int, place: Sequence[str | int], value: Any) -> None:
        """One key of the policy changed, where it can be read thereafter as far as before.

        Arguments:
            version: the step that the page had seen.
            place: the names of the tables and the key, from the outermost on.
            value: what it becomes.
        """
        with self._step(version):
            text = indistinct.edit_policy(self.text, place, value)
            changed = self.bench.hold(text, self.file.parent)
            if changed.policy is None and self.held().policy is not None:
                raise PolicyError(changed.problems)
            self._take(text)

    def role(self, version: int, attribute: str, role: str) -> None:
        """Another role for a column, with what it needs.

        Arguments:
            version: the step that the page had seen.
            attribute: the column.
            role: its role from now on.
        """
        with self._step(version):
            self._take(self.bench.with_role(self.text, attribute, role))

    def regroup(
        self, version: int, attribute: str, level: int, labels: Sequence[str], name: str, act: str
    ) -> None:
        """Other names or other groups for labels of a hierarchy.

        What comes out is a file of its own, under another name at every step, so that steps can be
        undone.

        Arguments:
            version: the step that the page had seen.
            attribute: whose hierarchy it is.
            level: the level of the labels, that of values being 0.
            labels: the labels.
            name: their name or that of their group.
            act: ``rename`` or ``group``.
        """
        with self._step(version):
            change = indistinct.rename_labels if act == "rename" else indistinct.regroup_labels
            held = self.held().hierarchy(attribute).taxonomy
            self._put_hierarchy(attribute, change(held, level, labels, name))

    def take_hierarchy(self, version: int, attribute: str, text: str) -> None:
        """The hierarchy that a file says.

        Arguments:
            version: the step that the page had seen.
            attribute: whose hierarchy it is.
            text: what stands in the file.
        """
        with self._step(version):
            with tempfile.TemporaryDirectory(dir=self.folder) as alone:
                given = Path(alone) / "given.csv"
                given.write_text(text, encoding="utf-8")
                taxonomy = indistinct.read_hierarchy(given, attribute)
            self._put_hierarchy(attribute, taxonomy)

    def hierarchy_text(self, attribute: str) -> str:
        """A hierarchy as the text of a file."""
        return self._written(self.held().hierarchy(attribute).taxonomy)

    def _written(self, taxonomy: indistinct.Taxonomy) -> str:
        """By way of a file of its own: another window may ask at the same time."""
        with tempfile.TemporaryDirectory(dir=self.folder) as alone:
            made = Path(alone) / "made.csv"
            indistinct.write_hierarchy(taxonomy, made)
            return made.read_text(encoding="utf-8")

    def _put_hierarchy(self, attribute: str, taxonomy: indistinct.Taxonomy) -> None:
        digest = hashlib.sha256(self._written(taxonomy).encode()).hexdigest()[:12]
        plain = re.sub(r"[^\w-]+", "_", attribute)[:60]
        folder = self.file.with_name(f"{self.file.stem}-hierarchies")
        folder.mkdir(mode=0o700, exist_ok=True)
        indistinct.write_hierarchy(taxonomy, folder / f"{plain}-{digest}.csv")
        spec = {"file": f"{folder.name}/{plain}-{digest}.csv"}
        self._take(indistinct.edit_policy(self.text, ("attributes", attribute, "hierarchy"), spec))

    def move(self, version: int, steps: int) -> None:
        """Undo (-1) or redo (1) a step."""
        with self._step(version):
            if 0 <= self._at + steps < len(self._steps):
                self._save(self._steps[self._at + steps])
                self._at += steps

    @contextlib.contextmanager
    def _step(self, version: int) -> Iterator[None]:
        with self._lock:
            if version != self.version:
                raise changed_meanwhile()
            yield
            self.version += 1

    def _take(self, text: str, *, save: bool = True) -> None:
        if self._steps and text == self.text:
            return
        if save:
            self._save(text)
        self._steps = [*self._steps[: self._at + 1], text][-STEPS:]
        self._at = len(self._steps) - 1

    def _save(self, text: str) -> None:
        """The file holds a whole policy at any time; where there is no room, the last one."""
        beside = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.file)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise OSError(error.errno, error.strerror, str(self.file)) from None

    def reread(self) -> None:
        """Read the table again where its file has changed, or the policy reads it otherwise."""
        bench = self._bench
        if bench is None or bench.reads(self.text, self.file.parent):
            return
        with self._lock:
            if self._bench is bench:
                home = self.file.parent
                self._bench = indistinct.workbench(bench.path, self.text, directory=home)
                self._readings += 1

    def held(self) -> indistinct.Held:
        """The policy against the table."""
        self.reread()
        return self.bench.hold(self.text, self.file.parent)

    @property
    def made(self) -> Path | None:
        """The folder of the release that was made last."""
        out = self.jobs.outcome("release").get("out")
        return None if out is None else Path(out)

    def start(self, version: int, asked: Plain) -> Plain:
        """Begin a long run with the policy as it stands.

        Raises:
            PolicyError: no table is open, or the page had not seen the last step.
        """
        self.bench  # noqa: B018 - raises where there is no table
        with self._lock:
            if version != self.version:
                raise changed_meanwhile()
            place = {"data": str(self.data), "policy": str(self.file), "text": self.text}
        return self.jobs.start({**asked, **place}).to_dict()

    def state(self) -> Plain:
        """Everything that a page shows at once."""
        told: Plain = {
            "version": self.version,
            "opening": self.opening,
            "problems": self.problems,
            "jobs": self.jobs.latest(),
            "table": None,
            "tried": None if self.data is None else str(self.data),
        }
        if self._bench is None or self.data is None:
            return told
        try:
            held = self.held()
        except IndistinctError as error:
            held = None
            wrong = [item.to_dict() for item in error.problems]
        if held is not None:
            wrong = [item.to_dict() for item in held.problems]
            if held.policy is not None:
                self._read = held
        own = self.data.parent == self.folder
        out = (Path.cwd() if own else self.data.parent) / f"{self.data.stem}-release"
        names = map(shlex.quote, (str(self.data), str(self.file)))
        return told | {
            "table": {
                "name": self.data.name,
                "path": str(self.data),
                "uploaded": own,
                "reading": self._readings,
            },
            "policy": {
                "text": self.text,
                "file": str(self.file),
                "undo": self._at > 0,
                "redo": self._at < len(self._steps) - 1,
                "problems": wrong,
                "warnings": [] if held is None else list(held.warnings),
                "heeded": [] if self._read is None else list(self._read.heeded),
                "lacks": [] if held is None else list(held.lacks),
                "attributes": _attributes(self._read),
                **_sections(self._read, self.text),
            },
            "out": str(out),
            "beside": str(out.parent),
            "command": "indistinct anonymize {} --policy {} --out ".format(*names),
        }


def changed_meanwhile() -> PolicyError:
    """The refusal of what was asked of a policy that is another one now."""
    message = "the policy was changed in another window"
    remedy = "look at it as it is now, and try again"
    return PolicyError("changed-meanwhile", message, remedy=remedy)


def of_system(error: OSError) -> str:
    """What the system says of a place."""
    place = "" if error.filename is None else f"{error.filename}: "
    return f"{place}{error.strerror or type(error).__name__}"


def _with_source(text: str, source: Plain) -> str:
    for key, value in source.items():
        text = indistinct.edit_policy(text, ("source", key), value)
    return text


def _attributes(held: indistinct.Held | None) -> Plain:
    """The attributes of the policy that could be read last."""
    if held is None or held.policy is None:
        return {}
    return {name: item.to_dict() for name, item in held.policy.attributes.items()}


def _sections(held: indistinct.Held | None, text: str) -> Plain:
    """The other sections, and the promises that others bring with them, which no key changes."""
    if held is None or held.policy is None:
        return {"sections": {}, "implied": []}
    keys = held.policy.to_dict()
    found = {name: keys.get(name) for name in ("promises", "method", "source", "output", "rest")}
    promises: Sequence[Plain] = found["promises"] or []
    try:
        written = len(tomllib.loads(text).get("promises", promises))
    except (tomllib.TOMLDecodeError, TypeError):
        written = len(promises)
    return {"sections": found | {"promises": promises[:written]}, "implied": promises[written:]}
