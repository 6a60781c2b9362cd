"""What a release promises, and how any algorithm asks whether it is kept.

A promise looks at equivalence classes and says which of them break it, what was achieved, and how
it behaves when classes grow or merge. It knows nothing of the algorithm that made the classes.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problem, did_you_mean
from indistinct.microdata.frequencies import ClassTable, FrequencyTable

Closure = Literal["superset", "union", "none"]
"""How a promise behaves when classes change.

``superset``: a class that keeps it still keeps it after any records are added (k-anonymity,
distinct l-diversity). ``union``: merging two classes that keep it gives one that keeps it
(entropy l-diversity, t-closeness with a fixed reference). ``none``: neither.
"""

SHARED = ("on", "sensitive", "unit")
"""Fields every promise has beside its own parameters."""


@dataclass(frozen=True, kw_only=True)
class Promise(ABC):
    """A privacy model with its parameters and the attributes it speaks of.

    ``on`` are the quasi-identifiers whose classes it looks at (none named: all of them);
    ``sensitive`` the attribute it protects, where it protects one.
    """

    model: ClassVar[str]
    closure: ClassVar[Closure]
    needs_sensitive: ClassVar[bool] = False

    on: tuple[str, ...] | None = None
    sensitive: str | None = None
    unit: str = "record"

    def __post_init__(self) -> None:
        if self.needs_sensitive and self.sensitive is None:
            raise PolicyError(
                Problem(
                    "promise-without-sensitive",
                    f"promise '{self.model}' protects a sensitive attribute, and none is named",
                    remedy='add sensitive = "..." to the promise',
                )
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The model's own parameters, by the names the policy uses."""
        return {
            item.name: getattr(self, item.name) for item in fields(self) if item.name not in SHARED
        }

    @property
    def breaks_at_most(self) -> int | None:
        """Units of the largest class that can break the promise; None where no size is safe."""
        return None

    def infeasible(self, table: FrequencyTable) -> Problem | None:
        """Why no release of this table can keep the promise, short of an empty one, if so."""
        del table
        return None

    @abstractmethod
    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Which classes break the promise: a mask of length G. Classes of size 0 never do."""

    @abstractmethod
    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The strictest parameters that the classes would still keep."""

    def __str__(self) -> str:
        own = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        on = f" on {', '.join(self.on)}" if self.on else ""
        of = f" of {self.sensitive}" if self.sensitive else ""
        return f"{self.model}({own}){of}{on}"


def models() -> Mapping[str, type[Promise]]:
    """Every privacy model, by the name the policy uses.

    Those of this package, and any other that was imported.
    """
    _import_all()
    found = {kind.model: kind for kind in _descendants(Promise) if hasattr(kind, "model")}
    return dict(sorted(found.items()))


def promise(model: str, **settings: Any) -> Promise:
    """The promise of that model with those settings.

    Raises :class:`PolicyError` for an unknown model, a setting it does not have or one it lacks.

    >>> promise("k-anonymity", k=5)
    KAnonymity(on=None, sensitive=None, unit='record', k=5)
    """
    known = models()
    if model not in known:
        raise PolicyError(
            Problem("unknown-model", f"no privacy model '{model}': {did_you_mean(model, known)}")
        )
    kind = known[model]
    names = {item.name: item for item in fields(kind)}
    problems = [
        Problem(
            "unknown-setting",
            f"promise '{model}' has no setting '{name}': {did_you_mean(name, names)}",
        )
        for name in settings
        if name not in names
    ]
    problems += [
        Problem("missing-setting", f"promise '{model}' needs '{name}'", remedy=f"add {name} = ...")
        for name, item in names.items()
        if name not in settings and item.default is MISSING and item.default_factory is MISSING
    ]
    if problems:
        raise PolicyError(problems)
    if settings.get("on") is not None:
        settings["on"] = tuple(settings["on"])
    return kind(**settings)


@functools.cache
def _import_all() -> None:
    package = importlib.import_module("indistinct.privacy")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"indistinct.privacy.{module.name}")


def _descendants(kind: Any) -> list[type[Promise]]:
    direct: list[type[Promise]] = kind.__subclasses__()
    return direct + [deeper for child in direct for deeper in _descendants(child)]
