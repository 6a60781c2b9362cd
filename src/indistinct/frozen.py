"""Frozen dataclasses that cost little to define.

The standard library compiles six methods for each frozen dataclass, which takes about a
millisecond, and a command imports some three hundred of them: a fifth of its time on a small
table. Here only ``__init__`` is compiled; the other five are the same for every class. A class that
inherits from a dataclass is made by the standard library alone, whose dataclasses may inherit from
these.
"""

from __future__ import annotations

import dataclasses
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

else:

    def dataclass(
        *, frozen: bool, eq: bool = True, kw_only: bool = False
    ) -> Callable[[type], type]:
        """Make a class what ``dataclasses.dataclass(frozen=True)`` makes it.

        Args:
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
            if dataclasses.is_dataclass(cls):  # one that it inherits from
                return dataclasses.dataclass(cls, frozen=True, eq=eq, kw_only=kw_only)
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
            # Or the library would work out the class's signature for its docstring.
            cls.__doc__ = cls.__doc__ or cls.__name__
            dataclasses.dataclass(cls, eq=False, repr=False, kw_only=kw_only)
            cls.__dataclass_params__.frozen = True  # so that others may inherit
            if eq:
                fields = dataclasses.fields(cls)
                cls.__compared__ = tuple(field.name for field in fields if field.compare)
            return cls

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
