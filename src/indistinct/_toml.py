"""Writing a policy's keys as TOML, laid out as a person would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indistinct.types import PlainMapping


def document(sections: PlainMapping) -> str:
    """The text of a file: keys of no section, then a table per section, a line per key.

    ``attributes`` becomes one table per attribute, and a list of mappings an array of tables.
    """
    import tomlkit

    text = tomlkit.document()
    for name, keys in sections.items():
        if name == "attributes":
            part = tomlkit.table(is_super_table=True)
            for attribute, own in keys.items():
                part.add(attribute, as_table(own))
            text.add(name, part)
        elif isinstance(keys, list):
            array = tomlkit.aot()
            for own in keys:
                array.append(as_table(own))
            text.add(name, array)
        elif isinstance(keys, Mapping):
            text.add(name, as_table(keys))
        else:
            text.add(name, as_item(keys))
    return tomlkit.dumps(text)


def value(plain: Any) -> str:
    """A value as it stands to the right of a key.

    >>> value({"intervals": {"width": 5}})
    '{intervals = {width = 5}}'
    """
    import tomlkit

    return str(tomlkit.item(as_item(plain)).as_string())


def as_table(keys: PlainMapping) -> Any:
    """The keys as a table of its own, a line for each."""
    import tomlkit

    table = tomlkit.table()
    for key, plain in keys.items():
        if plain is not None:
            table.add(key, as_item(plain))
    return table


def as_item(plain: Any) -> Any:
    """A value with inline tables and arrays in it alone."""
    import tomlkit

    if isinstance(plain, Mapping):
        inline = tomlkit.inline_table()
        for key, inner in plain.items():
            if inner is not None:
                inline.add(str(key), as_item(inner))
        return inline
    if isinstance(plain, list | tuple):
        array = tomlkit.array()
        for inner in plain:
            array.append(as_item(inner))
        return array
    return plain
