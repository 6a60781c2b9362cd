"""What can go wrong, said so that the reader can mend it.

    IndistinctError                 base of everything raised on purpose        exit code 1
    ├── InputError                  the user can correct it                     exit code 2
    │   ├── DataError               a file or table that cannot be understood
    │   ├── PolicyError             a policy, or an option that stands for one
    │   ├── HierarchyError          a hierarchy that is not a tree, or lacks values
    │   ├── PluginError             an installed plugin that cannot be used
    │   └── OutputError             a place that cannot be written
    └── Unsatisfiable               no release can meet the promise             exit code 3

Every error carries its :class:`Problem` s: all that was found in one pass, not only the first. A
problem names the file, the attribute, the rows and the remedy; it never names a private value.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, TypedDict, Unpack

from indistinct.frozen import dataclass

ROWS_SHOWN = 10


_BEFORE_HOST = re.compile(r"(\b[a-zA-Z][\w+.-]+:/{1,2})[^\s'\"]*@")  # a password may hold / and @
_NAMED = re.compile(r"(?i)\b((?:\w*pass\w*|pwd|token|secret|\w*key)=)[^\s&'\"]*[^\s&'\":,]")


class Where(TypedDict, total=False):
    """Where a problem is, and what mends it."""

    file: str | None
    attribute: str | None
    rows: tuple[int, ...]
    remedy: str | None
    sheets: tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """One problem: what is wrong, where, and what to write.

    ``rows`` are record numbers counted from 1, the header not counted. ``sheets`` are those of a
    workbook of which another one may hold the table.
    """

    code: str
    message: str
    file: str | None = None
    attribute: str | None = None
    rows: tuple[int, ...] = ()
    remedy: str | None = None
    sheets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for part in ("message", "file", "remedy"):
            if told := getattr(self, part):
                object.__setattr__(self, part, without_credentials(told))

    def __str__(self) -> str:
        where = []
        if self.file:
            where.append(self.file)
        if self.attribute:
            where.append(f"attribute '{self.attribute}'")
        if self.rows:
            where.append(_rows(self.rows))
        text = f"{', '.join(where)}: {self.message}" if where else self.message
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text

    def to_dict(self) -> dict[str, object]:
        """The problem as plain data, without the keys that do not apply."""
        full = {
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "attribute": self.attribute,
            "rows": list(self.rows),
            "remedy": self.remedy,
            "sheets": list(self.sheets),
        }
        return {key: value for key, value in full.items() if value}


_OF_ATTRIBUTE = re.compile(r'attributes\.("(?:[^"\\]|\\.)*"|[\w-]+)((?:\.[^:\s]+)?: .*)', re.DOTALL)


def in_words(problems: Iterable[Problem]) -> list[str]:
    """Problems for people to read: what is wrong with many attributes alike is said once.

    >>> role = "'sensitive' is not published"
    >>> wrong = [Problem("x", f"attributes.{name}.role: {role}") for name in ("cost", "flu")]
    >>> in_words(wrong)
    ["attributes.*.role: 'sensitive' is not published ('cost', 'flu')"]
    """
    alike: dict[object, dict[str | None, Problem]] = {}
    for one in problems:
        placed = _OF_ATTRIBUTE.fullmatch(one.message)
        name = placed[1].strip('"') if placed else one.attribute
        said = (placed[2], True) if placed else (one.message, one.attribute is None)
        alike.setdefault((one.code, one.file, one.rows, one.remedy, said), {})[name] = one
    return [_of_all(group) for group in alike.values()]


def _of_all(group: Mapping[str | None, Problem]) -> str:
    """One problem, or the same of many attributes."""
    first, *others = group.values()
    if not others:
        return str(first)
    names = ", ".join(f"'{name}'" for name in group)
    placed = _OF_ATTRIBUTE.fullmatch(first.message)
    told = (
        f"attributes.*{placed[2]} ({names})" if placed else f"attributes {names}: {first.message}"
    )
    return str(replace(first, attribute=None, message=told))


class Problems(list[Problem]):
    """What is wrong so far, all of it told at once in the end."""

    def add(self, code: str, message: str, **where: Unpack[Where]) -> None:
        """One problem more.

        Arguments:
            code: the code of the problem.
            message: what is wrong.
            where: where it is and what mends it, as :class:`Problem` has it.
        """
        self.append(Problem(code, message, **where))


def without_credentials(text: str) -> str:
    """A text without the names and passwords that addresses in it hold.

    >>> without_credentials("postgresql://me:word@host/db?table=t&password=word: no such file")
    'postgresql://host/db?table=t&password=...: no such file'
    """
    if ":/" not in text:
        return text
    return _NAMED.sub(r"\1...", _BEFORE_HOST.sub(r"\1", text))


class IndistinctError(Exception):
    """Base class of all errors of this package.

    Arguments:
        problems: all that was found; or the code of the one problem; or a message alone.
        message: what is wrong, behind a code.
        where: file, attribute, rows and remedy of that one problem.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        problems: str | Problem | Sequence[Problem],
        message: str | None = None,
        **where: Unpack[Where],
    ) -> None:
        if isinstance(problems, str):
            code, message = ("error", problems) if message is None else (problems, message)
            problems = Problem(code, message, **where)
        if isinstance(problems, Problem):
            problems = [problems]
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(in_words(self.problems)))

    def to_dict(self) -> dict[str, object]:
        """The error as plain data: its kind, its exit code and its problems."""
        return {
            "error": type(self).__name__,
            "exit_code": self.exit_code,
            "problems": [problem.to_dict() for problem in self.problems],
        }


class InputError(IndistinctError):
    """Something in the user's input that the user can correct."""

    exit_code = 2


class DataError(InputError):
    """A file or a table that cannot be read."""


class PolicyError(InputError):
    """A policy, or options instead of one, that cannot be applied."""


class HierarchyError(InputError):
    """A hierarchy that is not a tree, or does not cover the data."""


class PluginError(InputError):
    """An installed plugin that cannot be used."""


class OutputError(InputError):
    """A place that cannot be written."""


class Unsatisfiable(IndistinctError):  # noqa: N818, the field's own word
    """No release can keep the promises within the limits."""

    exit_code = 3


def refuse(kind: type[IndistinctError], problems: Iterable[Problem]) -> None:
    """Raise an error of a kind that tells all of the problems, if there is any."""
    if found := tuple(problems):
        raise kind(found)


class UncertainNames(tuple[str, ...]):
    """Names of columns that may be the cells of a record: messages count them, and show none."""

    __slots__ = ()

    def __str__(self) -> str:
        """What a message says in place of the names."""
        return (
            f"the names of its columns ({len(self)}) are not shown: the first line may be a record"
        )


_RUNS_ON = re.compile(r"[\"\t]").search


def running_on(columns: Iterable[str]) -> list[int]:
    """Which names, from 1, have a quote or a tab: records may follow in the name.

    >>> running_on(["sex", 'zip81672"', "f"])
    [2]
    """
    return [at for at, name in enumerate(columns, start=1) if _RUNS_ON(name)]


def shown_names(columns: Iterable[str], named: Iterable[str]) -> Sequence[str]:
    """Names of columns as messages may show them: certain, once the user has named one of them.

    Where a name runs on they are not: the header may be there, and a record in the same line.
    """
    columns = columns if isinstance(columns, UncertainNames) else list(columns)
    hidden = set(columns).isdisjoint(named) or running_on(columns)
    return columns if hidden else list(columns)


NAMES_SHOWN = 30
"""How many of the known names a message lists."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the nearest known name, or the list of them.

    >>> did_you_mean("sufix", ["prefix", "suffix"])
    "did you mean 'suffix'?"
    >>> did_you_mean("q", ["prefix", "suffix"])
    "known are 'prefix', 'suffix'"
    >>> did_you_mean("q", [])
    'there is none'
    >>> did_you_mean("q", [f"column {at}" for at in range(3000)])[-46:]
    "column 27', 'column 28', 'column 29', … (3000)"
    >>> did_you_mean("age", UncertainNames(["P1", "34", "HIV"]))
    'the names of its columns (3) are not shown: the first line may be a record'
    """
    if isinstance(known, UncertainNames):
        return str(known)
    names = list(dict.fromkeys(known))
    if not names:
        return "there is none"
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if not near:
        lowered = {other.lower(): other for other in names}
        found = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
        near = [lowered[other] for other in found]
    if near:
        return f"did you mean '{near[0]}'?"
    shown = ", ".join(f"'{other}'" for other in names[:NAMES_SHOWN])
    return f"known are {shown}" + (f", … ({len(names)})" if len(names) > NAMES_SHOWN else "")


def _rows(rows: Sequence[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:ROWS_SHOWN])
    more = len(rows) - ROWS_SHOWN
    label = "row" if len(rows) == 1 else "rows"
    # Who looks rows up stops at one more than is shown: there may be any number of others.
    rest = " and more" if more == 1 else f" and {more} more" if more > 0 else ""
    return f"{label} {shown}{rest}"
