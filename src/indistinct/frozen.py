"""Frozen dataclasses that cost little to define.

The standard library compiles six methods for each frozen dataclass, which takes about a
millisecond, and a command imports some three hundred of them: a fifth of its time on a small
table. Here five methods are the same for every class. Fields are listed and ``__init__`` is
compiled when somebody asks for them: most of the classes that a command imports it never uses.
Dataclasses of either kind may inherit from each other.
"""

from __future__ import annotations

import dataclasses
import inspect
import threading
from dataclasses import field
from reprlib import recursive_repr
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

else:

    def dataclass(
        *, frozen: bool, eq: bool = True, kw_only: bool = False
    ) -> Callable[[type], type]:
        """Make a class what ``dataclasses.dataclass(frozen=True)`` makes it.

        Arguments:
            frozen: always true: said, so that who reads the class sees it, and type checkers too.
            eq: whether two objects of the class are compared, and hashed, by their fields.
            kw_only: whether the fields are given by name alone.

        Raises:
            TypeError: if ``frozen`` is not true.
        """
        if not frozen:
            message = "this decorator makes frozen dataclasses only"
            raise TypeError(message)

        def made(cls: type) -> type:
            own = vars(cls)
            shared: dict[str, object] = {
                "__setattr__": _set_once,
                "__delattr__": _keep,
                "__repr__": _shown,
            }
            if eq:
                shared["__eq__"] = _equal
                if own.get("__hash__") is None:
                    cls.__hash__ = _hashed
            for name, method in shared.items():
                if name not in own:
                    setattr(cls, name, method)
            cls.__doc__ = cls.__doc__ or cls.__name__
            _define_later(cls, kw_only=kw_only)
            return cls

        return made


_DEFINING = threading.RLock()
_DEFINED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__compared__")


class _Later:
    """An attribute of a class that is defined when it is first asked for."""

    def __init__(self, name: str, define: Callable[[], None]) -> None:
        self.name = name
        self.define = define

    def __get__(self, instance: object, owner: type) -> object:
        self.define()
        return getattr(owner, self.name, None)


def _define_later(cls: Any, *, kw_only: bool) -> None:
    """List the fields of a class, and compile its ``__init__``, when these are first asked for."""
    written = inspect.get_annotations(cls)
    given = {name: getattr(cls, name) for name in written if hasattr(cls, name)}
    for name, value in given.items():
        if isinstance(value, dataclasses.Field):
            if value.default is dataclasses.MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, value.default)

    def define() -> None:
        with _DEFINING:
            if not isinstance(vars(cls)["__compared__"], _Later):
                return  # another thread has
            made = _library_made(cls, {**given, "__annotations__": written}, kw_only=kw_only)
            if vars(cls)["__init__"] is start:
                cls.__init__ = made.__init__
            del cls.__signature__
            for name in _DEFINED:  # and with the last of them it is defined
                setattr(cls, name, getattr(made, name))

    def start(self: Any, *args: object, **named: object) -> None:
        define()
        cls.__init__(self, *args, **named)

    # The library looks for a signature before it looks for ``__init__``.
    for name in (*_DEFINED, "__signature__"):
        setattr(cls, name, _Later(name, define))
    if "__init__" not in vars(cls):
        cls.__init__ = start


def _library_made(cls: Any, body: dict[str, Any], *, kw_only: bool) -> Any:
    """A dataclass of the standard library with the fields of another class, and nothing else.

    Arguments:
        cls: the other class.
        body: its annotations, and what its own fields are by default.
        kw_only: whether its own fields are given by name alone.
    """
    inherited: dict[str, Any] = {}
    for base in cls.__mro__[:0:-1]:
        inherited |= getattr(base, "__dataclass_fields__", {})
    above = {
        "__dataclass_fields__": inherited,
        "__dataclass_params__": SimpleNamespace(frozen=False),
    }
    named = {name: getattr(cls, name) for name in ("__doc__", "__module__", "__qualname__")}
    if hasattr(cls, "__post_init__"):
        body["__post_init__"] = cls.__post_init__
    made: Any = type(cls.__name__, (type("Above", (), above),), {**body, **named})
    dataclasses.dataclass(made, eq=False, repr=False, kw_only=kw_only)
    made.__dataclass_params__.frozen = True  # so that others may inherit
    made.__compared__ = tuple(field.name for field in dataclasses.fields(made) if field.compare)
    return made


def _set_once(self: Any, name: str, value: object) -> None:
    # As ``__init__`` does, and nobody after it.
    if name in vars(self) or name not in self.__dataclass_fields__:
        message = f"cannot assign to field {name!r} of {type(self).__name__}"
        raise dataclasses.FrozenInstanceError(message)
    object.__setattr__(self, name, value)


def _keep(self: object, name: str) -> None:
    message = f"cannot delete field {name!r} of {type(self).__name__}"
    raise dataclasses.FrozenInstanceError(message)


@recursive_repr()
def _shown(self: Any) -> str:
    shown = (
        f"{field.name}={getattr(self, field.name)!r}"
        for field in dataclasses.fields(self)
        if field.repr
    )
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _equal(self: Any, other: object) -> object:
    if type(other) is not type(self):
        return NotImplemented
    return _values(self) == _values(other)


def _hashed(self: Any) -> int:
    return hash(_values(self))


def _values(self: Any) -> tuple[object, ...]:
    return tuple(getattr(self, name) for name in self.__compared__)
