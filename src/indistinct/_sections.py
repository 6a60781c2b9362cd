"""What every table of a policy has in common: its keys, and how their problems are told.

Pydantic holds the values against the fields; what it finds is told here in the words of the policy
file: the dotted place, what is expected there, the nearest known key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from indistinct.errors import PolicyError, Problem, did_you_mean
from indistinct.types import Plain

Place = tuple[str | int, ...]
"""Where a key stands: the names of tables and keys, and numbers of list items from 1."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Section(BaseModel):
    """One table of the policy: frozen, with exactly the keys it names.

    Wrong keys and values raise :class:`~indistinct.errors.PolicyError`, all at once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_by_name=True)

    def __init__(self, **keys: Any) -> None:
        try:
            super().__init__(**keys)
        except ValidationError as error:
            raise PolicyError(list(told(error, type(self), ()))) from None

    # Tells Pydantic that nested sections are validated together, not one constructor at a time.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def to_dict(self) -> Plain:
        """The keys that differ from their defaults, under the names the policy file uses."""
        return self.model_dump(by_alias=True, exclude_defaults=True)


def told(error: ValidationError, kind: type[Section], place: Place) -> Iterator[Problem]:
    """What Pydantic found, in our own words.

    Arguments:
        error: what it found.
        kind: the table of the policy that it looked at.
        place: where that table stands.
    """
    for item in error.errors(include_url=False):
        loc = tuple(step for step in item["loc"] if isinstance(step, str | int))
        given, context, reason = item["input"], item.get("ctx", {}), item["type"]
        where = (*place, *(step + 1 if isinstance(step, int) else step for step in loc))
        if reason == "extra_forbidden":
            yield unknown(_kind_at(kind, loc[:-1]), where)
        elif reason == "missing":
            yield Problem("missing-key", f"{place_of(where)}: is missing")
        elif reason == "literal_error":
            known = _literals(_kind_at(kind, loc[:-1]), str(loc[-1]))
            yield _unknown_value(where, given, known)
        elif reason == "unknown_name":
            yield _unknown_value(where, given, context["known"])
        elif reason == "value_error":
            yield Problem("bad-value", f"{place_of(where)}: {context['error']}")
        elif reason in _BOUNDS:
            words, key = _BOUNDS[reason]
            yield wrong(where, f"{words} {context[key]:g}", given)
        else:
            yield wrong(where, _EXPECTED.get(reason, "something else"), given)


_EXPECTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table of keys",
    "mapping_type": "a table of keys",
    "model_type": "a table of keys",
    "model_attributes_type": "a table of keys",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def _kind_at(kind: type[Section], loc: Place) -> type[Section]:
    """The section that stands at a place inside another."""
    for step in loc:
        for name, item in kind.model_fields.items():
            if step in (name, item.alias):
                kind = next(iter(_sections_in(item.annotation)), kind)
                break
    return kind


def _sections_in(annotation: object) -> Iterator[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for part in get_args(annotation):
        yield from _sections_in(part)


def _literals(kind: type[Section], key: str) -> list[str | bool]:
    for name, item in kind.model_fields.items():
        if key in (name, item.alias):
            return list(_choices(item.annotation))
    return []


def _choices(annotation: object) -> Iterator[str | bool]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from _choices(part)


def unknown(kind: type[Section], place: Place) -> Problem:
    key = str(place[-1])
    known = [item.alias or name for name, item in kind.model_fields.items()]
    return Problem("unknown-key", f"{place_of(place)}: unknown key: {did_you_mean(key, known)}")


def _unknown_value(place: Place, given: object, known: Sequence[str | bool]) -> Problem:
    words = [name for name in known if isinstance(name, str)]
    if isinstance(given, str):
        near = did_you_mean(given, words) + " or false" * (False in known)
        return Problem("unknown-value", f"{place_of(place)}: unknown value '{given}': {near}")
    listed = [f"'{name}'" for name in words] + ["false"] * (False in known)
    return wrong(place, "one of " + ", ".join(listed), given)


def wrong(place: Place, expected: str, given: object) -> Problem:
    """A value that is not what is expected.

    Arguments:
        place: where it stands.
        expected: in words, what may stand there.
        given: what stands there.
    """
    return Problem("bad-value", f"{place_of(place)}: must be {expected}, not {_shown(given)}")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    return str(value) if isinstance(value, int | float) else f"a {type(value).__name__}"


def place_of(steps: Place) -> str:
    """A dotted place, as TOML writes it; items of a list are counted from 1.

    >>> place_of(("attributes", "marital status", "missing", "tokens", 2))
    'attributes."marital status".missing.tokens[2]'
    """
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            key = step if _BARE_KEY.fullmatch(step) else json.dumps(step, ensure_ascii=False)
            text += f".{key}" if text else key
    return text
