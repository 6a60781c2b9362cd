"""The lists of words and codes that a module needs, from the TOML file that lies beside it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from indistinct.types import Plain


@cache
def lists_of(module: str) -> Plain:
    """The keys of the file that lies beside a module and has its name; nobody changes them."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def listed(text: str) -> tuple[str, ...]:
    """The words between commas, on however many lines they stand.

    >>> listed("zip, zip code, post code")
    ('zip', 'zip code', 'post code')
    """
    return tuple(word.strip() for word in text.split(","))
