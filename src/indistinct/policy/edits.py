"""Changing one key in the text of a policy, with its comments and its order left as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError
from tomlkit.items import AoT, Item, Table

from indistinct import _toml
from indistinct.errors import PolicyError


def edit_policy(text: str, place: Sequence[str | int], value: Any = None) -> str:
    """The text of a policy with another value in one place.

    Arguments:
        text: the policy, as TOML.
        place: the keys that lead there, ``("attributes", "age", "role")``; promises are counted
            from 0. Sections that are missing are made; the place behind the last promise is that
            of a new one.
        value: what stands there afterwards: plain data; none takes the key out.

    Raises:
        PolicyError: the text is not TOML, or has no such place.

    >>> print(edit_policy("k = 5  # enough", ("k",), 10))
    k = 10  # enough
    """
    try:
        document = tomlkit.parse(text)
    except (ParseError, RecursionError) as error:
        raise PolicyError("bad-toml", f"is not valid TOML: {error}") from None
    node: Any = document
    for key, after in pairwise(place):
        if not isinstance(node, list) and key not in node:
            node[str(key)] = tomlkit.aot() if isinstance(after, int) else tomlkit.table()
        node = _inside(node, key, place)
    _put(node, place, value)
    return tomlkit.dumps(document)


def _inside(node: Any, key: str | int, place: Sequence[str | int]) -> Any:
    try:
        found = node[key]
    except (KeyError, IndexError, TypeError):
        raise _nowhere(place) from None
    if not isinstance(found, Mapping | list):
        raise _nowhere(place)
    return found


def _put(node: Any, place: Sequence[str | int], value: Any) -> None:
    key = place[-1]
    if isinstance(node, list):
        if not isinstance(key, int) or not 0 <= key <= len(node):
            raise _nowhere(place)
        if key < len(node):
            del node[key]
        if value is not None:
            made = _toml.as_table(value) if isinstance(node, AoT) else _toml.as_item(value)
            if isinstance(node, AoT):
                made.add(tomlkit.nl())
            node.insert(key, made)
    elif value is None:
        node.pop(key, None)
    elif isinstance(value, Mapping) and [*place[:-1]] in ([], ["attributes"]):
        node[key] = _toml.as_table(value)
    else:
        _set(node, str(key), tomlkit.item(_toml.as_item(value)))


def _set(node: Any, key: str, made: Item) -> None:
    """Give a key another value; a new key follows the last one of its table."""
    if hasattr(node.get(key), "trivia"):
        # The remark behind a value stays where it was.
        made.trivia.comment = node[key].trivia.comment
        made.trivia.comment_ws = node[key].trivia.comment_ws
        node[key] = made
        return
    plain = [own for own in node.values() if hasattr(own, "trivia") and not isinstance(own, Table)]
    if not isinstance(node, Table) or not plain:
        node[key] = made
        return
    line = f"{tomlkit.key(key).as_string()} = {made.as_string()}"
    plain[-1].trivia.trail += f"{line}\n"


def _nowhere(place: Sequence[str | int]) -> PolicyError:
    where = ".".join(map(str, place))
    return PolicyError("no-such-place", f"the policy has no place '{where}'")
