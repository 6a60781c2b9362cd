"""What is found by being there: files of a package, and what other distributions add.

A distribution names what it brings under one of the groups ``indistinct.verbs``,
``indistinct.promises``, ``indistinct.checks`` (how the audit recomputes a promise),
``indistinct.methods``, ``indistinct.attackers``, ``indistinct.measures``, ``indistinct.sources``
(health formats) and ``indistinct.files`` (kinds of files). Entry points are read when the first of
them is needed, and each object is imported when its kind is. A plugin that cannot be used is left
out with a warning, and is an error where somebody asks for it by name; everything else works
without it.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Literal, TypeGuard, TypeVar, cast

from indistinct.errors import PluginError, Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal[
    "verbs", "promises", "checks", "methods", "attackers", "measures", "sources", "files"
]
"""What a plugin can be: its group of entry points is ``indistinct.`` and this word."""

T = TypeVar("T")

Fits = Callable[[object, str], TypeGuard[T]]
"""Whether an imported object is what its kind has to be, under the name of its entry point."""


@functools.cache
def modules_of(package: str) -> tuple[ModuleType, ...]:
    """Every module of a package, imported."""
    names = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return tuple(importlib.import_module(f"{package}.{item.name}") for item in names)


def subclass_named(base: type[T], key: str) -> Fits[type[T]]:
    """Whether an object is a subclass of ``base`` that has its name in the attribute ``key``."""

    def fits(loaded: object, name: str) -> TypeGuard[type[T]]:
        return (
            isinstance(loaded, type)
            and issubclass(loaded, base)
            and getattr(loaded, key, None) == name
        )

    return fits


def subclasses_by(base: type[T], key: str) -> dict[str, type[T]]:
    """Every subclass that was imported and names itself, by that name."""
    return {getattr(one, key): one for one in _descendants(base) if hasattr(one, key)}


def _descendants(base: type[T]) -> Iterator[type[T]]:
    for child in base.__subclasses__():
        yield child
        yield from _descendants(child)


class Files(Mapping[str, T]):
    """Things of one kind by their names, a file of a package for each.

    The file is called as the thing is, with ``_`` for ``-``. It alone is imported when a thing of
    the package is asked for by its name; going through all imports all, and those of plugins.

    Arguments:
        kind: what they are as plugins.
        fits: whether a module, or an object in it, is the thing of a name.
        package: the package of the files.
        others: what else there is of the kind, which takes no name of these.
    """

    def __init__(
        self,
        kind: Kind,
        fits: Fits[T],
        package: str,
        others: Callable[[], Mapping[str, T]] = dict,
    ) -> None:
        self._kind, self._fits, self._package, self._others = kind, fits, package, others

    def __getitem__(self, name: str) -> T:
        """The one of this name."""
        own = self._own(name)
        return self.every()[name] if own is None else own

    def __iter__(self) -> Iterator[str]:
        """All names, sorted."""
        return iter(self.every())

    def __len__(self) -> int:
        """How many there are."""
        return len(self.every())

    def named(self, name: str) -> T | None:
        """The one of this name, of the package or of a plugin; None where there is none.

        Raises:
            PluginError: for that of a plugin that cannot be used.
        """
        own = self._own(name)
        return find(self._kind, name, self._fits) if own is None else own

    def every(self) -> dict[str, T]:
        """All of them by their names, sorted: of the package, of plugins, and others."""
        names = _names_of(self._package)
        own = {name: found for name in names if (found := self._own(name)) is not None}
        brought = load(self._kind, self._fits, taken=own)
        return dict(sorted({**self._others(), **brought, **own}.items()))

    def _own(self, name: str) -> T | None:
        """The one of this name in the package's file of that name."""
        if name not in _names_of(self._package):
            return None
        module = importlib.import_module(f"{self._package}.{name.replace('-', '_')}")
        there = (module, *vars(module).values())
        own = next((one for one in there if self._fits(one, name)), None)
        if own is not None and name in _entries(self._kind):
            _warn(_taken(_entries(self._kind)[name]))
        return own


@functools.cache
def _names_of(package: str) -> tuple[str, ...]:
    path = importlib.import_module(package).__path__
    return tuple(item.name.replace("_", "-") for item in pkgutil.iter_modules(path))


class PluginWarning(UserWarning):
    """A plugin is installed that cannot be used."""


def load(kind: Kind, fits: Fits[T], taken: Collection[str] = ()) -> dict[str, T]:
    """Import the plugins of a kind; warn of those that cannot be used, and leave them out.

    Arguments:
        kind: what they are.
        fits: whether an imported object is what this kind has to be, under its name.
        taken: names of what is built in, which no plugin can have.

    Returns:
        What was imported, by the names of the entry points.
    """
    found: dict[str, T] = {}
    for name in _entries(kind):
        one = _usable(kind, name, fits, taken)
        if isinstance(one, Problem):
            _warn(one)
        else:
            found[name] = one
    return found


def find(kind: Kind, name: str, fits: Fits[T]) -> T | None:
    """Import the plugin of this name; None where there is none.

    Arguments:
        kind: what it is.
        name: the name of its entry point.
        fits: whether the imported object is what this kind has to be, under that name.

    Raises:
        PluginError: if there is one and it cannot be used.
    """
    if name not in _entries(kind):
        return None
    one = _usable(kind, name, fits, ())
    if isinstance(one, Problem):
        raise PluginError(one)
    return one


def _usable(kind: Kind, name: str, fits: Fits[T], taken: Collection[str]) -> T | Problem:
    entries = _entries(kind)[name]
    if name in taken:
        return _taken(entries)
    if len(entries) > 1:
        return _problem(entries, "several distributions bring a plugin of this name")
    one = _imported(entries[0])
    if isinstance(one, Problem):
        return one
    try:
        fit = fits(one, name)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001, what cannot even be looked at is nothing of the kind
        fit = False
    if fit:
        return cast("T", one)
    return _problem(entries, f"{entries[0].value} is not {_EXPECTED[kind]}")


def _taken(entries: tuple[EntryPoint, ...]) -> Problem:
    return _problem(entries, "its name is taken by a part of indistinct itself")


_EXPECTED: Mapping[Kind, str] = {
    "verbs": "a function",
    "promises": "a subclass of Promise that has this name as its model",
    "checks": "a module with this name as its MODEL, and a check made by class_check",
    "methods": "a subclass of Method that has this name",
    "attackers": "a module with this name as its NAME, KIND, PLACE, KNOWLEDGE, SOURCE and run",
    "measures": "a subclass of Objective that has this name as its measure",
    "sources": "a subclass of Format that has this name",
    "files": "a subclass of FileKind that has this name",
}


@functools.cache
def _entries(kind: Kind) -> Mapping[str, tuple[EntryPoint, ...]]:
    """The entry points of a kind, by name."""
    group = f"indistinct.{kind}"
    select = _stated()
    every = _readable(group) if select is None else select(group=group)
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in every:
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return dict(sorted(found.items()))


@functools.cache
def _stated() -> Callable[..., Collection[EntryPoint]] | None:
    """Select from the entry points of all distributions; None where one has unreadable ones."""
    from importlib.metadata import entry_points  # noqa: PLC0415, slow to import

    try:
        return entry_points().select
    except Exception:  # noqa: BLE001, that of one distribution is no reason to lose the others'
        return None


def _readable(group: str) -> list[EntryPoint]:
    """The entry points of a group, one distribution at a time; a warning where one has no list."""
    from importlib.metadata import distributions  # noqa: PLC0415, slow to import

    found: dict[str, list[EntryPoint]] = {}
    for home in distributions():
        name = home.name
        if name in found:  # a folder further down the path has it too
            continue
        try:
            found[name] = list(home.entry_points.select(group=group))
        except Exception as error:  # noqa: BLE001, any error loses only this list
            found[name] = []
            _warn(
                Problem(
                    "plugin-not-usable",
                    f"entry_points.txt of the distribution '{name}' cannot be read "
                    f"({type(error).__name__}): if it brings plugins, they are left out",
                    remedy=_REMEDY,
                )
            )
    return [entry for entries in found.values() for entry in entries]


@functools.cache
def _imported(entry: EntryPoint) -> object:
    """What an entry point stands for, or the problem that its import ended with."""
    try:
        return entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001, any error loses only it
        return _problem((entry,), f"its import ended with {type(error).__name__}: {error}")


def _problem(entries: tuple[EntryPoint, ...], why: str) -> Problem:
    homes = sorted({entry.dist.name for entry in entries if entry.dist is not None})
    home = " and ".join(f"'{name}'" for name in homes) or "of an unknown name"
    first = entries[0]
    return Problem(
        "plugin-not-usable",
        f"the plugin '{first.name}' ({first.group}) of the distribution {home} cannot be used: "
        f"{why}",
        remedy=_REMEDY,
    )


_REMEDY = "install a version that works, or uninstall it"


@functools.cache
def _warn(problem: Problem) -> None:
    """Warn of a plugin, once."""
    warnings.warn(str(problem), PluginWarning, stacklevel=3)
