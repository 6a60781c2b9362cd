"""What a release is asked to promise, in the words of a policy: a privacy model and its parameters.

A :class:`Requirement` only says what is asked. It knows neither how a model is computed nor whether
the model exists, so a policy, a search and an audit can share it without sharing any method.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from indistinct.document import in_quotes
from indistinct.errors import PolicyError, Problem, did_you_mean, refuse
from indistinct.types import Plain, PlainMapping

UNITS = ("record", "person")
REFERENCES = ("original", "published")

ABOUT_VALUES = ("values", "not_values", "not_applicable")
"""Parameters that say which values of its attribute a promise is about."""

_SHARED = ("model", "parameters", "on", "sensitive", "unit", "reference")


@dataclass(frozen=True)
class Requirement:
    """A promise as a policy writes it: the model's name, its parameters, and its columns.

    Arguments:
        model: Name of the privacy model, such as ``k-anonymity``.
        parameters: The model's own parameters, such as ``{"k": 5}``.
        on: Quasi-identifiers that make the equivalence classes; None for all of them.
        sensitive: The attribute that is protected, for models that protect one.
        unit: Whether ``record`` s or ``person`` s are counted.
        reference: The distribution that sensitive values are compared with, for models that
            compare: that of the ``original`` table or of the ``published`` one.
        number: Its place among the promises of a policy, from 1; 0 if it is of no policy.

    Raises:
        PolicyError: If a field has the wrong form; all that are wrong are named.
    """

    model: str
    parameters: PlainMapping = field(default_factory=dict, hash=False)
    on: tuple[str, ...] | None = None
    sensitive: str | None = None
    unit: str = "record"
    reference: str = "published"
    number: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        refuse(PolicyError, list(_problems(self)))
        object.__setattr__(self, "parameters", dict(self.parameters))
        if self.on is not None:
            object.__setattr__(self, "on", tuple(self.on))

    @classmethod
    def from_dict(cls, document: PlainMapping) -> Requirement:
        """The requirement that a policy's table or a certificate's entry describes.

        In a policy the parameters stand beside the model (``{"model": "k-anonymity", "k": 5}``); in
        a certificate they have a key of their own, ``parameters``, and further keys are results,
        which are passed over.

        Raises:
            PolicyError: If the document names no model or a field has the wrong form.
        """
        if not isinstance(document, Mapping):
            raise PolicyError("bad-promise", "a promise is a table with a model and its parameters")
        if "parameters" in document:
            parameters = document["parameters"]
        else:
            parameters = {key: value for key, value in document.items() if key not in _SHARED}
        return cls(
            model=document.get("model", ""),
            parameters=parameters,
            on=document.get("on"),
            sensitive=document.get("sensitive"),
            unit=document.get("unit", "record"),
            reference=document.get("reference", "published"),
        )

    @property
    def settings(self) -> Plain:
        """Parameters and what all models share in one table, as a model is built from."""
        return {
            **self.parameters,
            "on": self.on,
            "sensitive": self.sensitive,
            "unit": self.unit,
            "reference": self.reference,
        }

    @property
    def place(self) -> str:
        """Where it stands in a policy, for messages."""
        return f"promises[{self.number}]"

    @property
    def columns(self) -> tuple[str, ...]:
        """Its sensitive columns: the one it protects, and those ``together``."""
        return () if self.sensitive is None else (self.sensitive, *self._together)

    @property
    def looked_at(self) -> tuple[str, ...]:
        """All its columns except quasi-identifiers of people or records."""
        return (*self.columns, *self._names("visit"))

    @property
    def _together(self) -> tuple[str, ...]:
        return self._names("together")

    def _names(self, parameter: str) -> tuple[str, ...]:
        given = self.parameters.get(parameter, ())
        return tuple(map(str, given)) if isinstance(given, list | tuple) else ()

    @property
    def names_values(self) -> bool:
        """Whether it is about some values of its attribute alone."""
        return any(self.parameters.get(name) for name in ABOUT_VALUES)

    def renamed(self, names: Mapping[str, str]) -> Requirement:
        """The same with other names of columns, by the old names."""
        parameters = dict(self.parameters)
        for key in ("together", "visit"):
            if self._names(key):
                parameters[key] = [names[name] for name in self._names(key)]
        return replace(
            self,
            parameters=parameters,
            on=None if self.on is None else tuple(names[name] for name in self.on),
            sensitive=None if self.sensitive is None else names[self.sensitive],
        )

    def to_dict(self) -> Plain:
        """The requirement as plain data.

        ``sensitive``, ``unit`` and ``reference`` are there only when they say something: an
        attribute, people instead of records, the original distribution instead of the published.

        >>> Requirement("k-anonymity", {"k": 5}).to_dict()
        {'model': 'k-anonymity', 'parameters': {'k': 5}, 'on': None}
        """
        document: Plain = {
            "model": self.model,
            "parameters": dict(self.parameters),
            "on": None if self.on is None else list(self.on),
        }
        if self.sensitive is not None:
            document["sensitive"] = self.sensitive
        if self.unit != "record":
            document["unit"] = self.unit
        if self.reference != "published":
            document["reference"] = self.reference
        return document

    def __str__(self) -> str:
        own = ", ".join(f"{name}={in_words(value)}" for name, value in self.parameters.items())
        of = f" of {self.sensitive}" if self.sensitive else ""
        on = f" on {', '.join(self.on)}" if self.on else ""
        return f"{self.model}({own}){of}{on}"


def in_words(value: object) -> str:
    """A parameter as it stands in a sentence.

    >>> in_words({"1": 10, "4": 3}), in_words(5), in_words(["day", ""])
    ('{1: 10, 4: 3}', '5', "[day, '']")
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {item}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(in_words(item) or repr(item) for item in value)}]"
    return str(value)


def _problems(requirement: Requirement) -> Iterable[Problem]:
    model, parameters, on = requirement.model, requirement.parameters, requirement.on
    if not isinstance(model, str) or not model:
        yield Problem(
            "promise-without-model",
            "a promise names no privacy model",
            remedy='add model = "k-anonymity" or another',
        )
    if not isinstance(parameters, Mapping) or any(not isinstance(key, str) for key in parameters):
        yield Problem("bad-promise", f"the parameters of promise '{model}' must be a table")
    if on is not None:
        yield from _problems_of_on(model, on)
    if requirement.sensitive is not None and not isinstance(requirement.sensitive, str):
        yield Problem("bad-promise", f"'sensitive' of promise '{model}' must name one attribute")
    for name, value, known in (
        ("unit", requirement.unit, UNITS),
        ("reference", requirement.reference, REFERENCES),
    ):
        if value not in known:
            yield Problem(
                "bad-promise",
                f"'{name}' of promise '{model}' cannot be {value!r}: "
                f"{did_you_mean(str(value), known)}",
            )


def _problems_of_on(model: object, on: object) -> Iterable[Problem]:
    names = list(on) if isinstance(on, Iterable) and not isinstance(on, (str, Mapping)) else None
    if names is None or any(not isinstance(name, str) for name in names):
        yield Problem(
            "bad-promise",
            f"'on' of promise '{model}' must be a list of quasi-identifiers",
            remedy='write on = ["age", "sex"], or leave it out to mean all of them',
        )
    elif not names:
        yield Problem(
            "bad-promise",
            f"'on' of promise '{model}' names no quasi-identifier",
            remedy="leave it out to mean all of them",
        )
    elif len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        named = in_quotes(twice)
        yield Problem("bad-promise", f"'on' of promise '{model}' names {named} twice")
