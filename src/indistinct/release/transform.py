"""What is published of an identifier that is not simply left out: a mask, or a keyed pseudonym."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from indistinct.errors import InputError, PolicyError, Problem


def mask(column: pl.Series, *, keep: int, char: str, end: str) -> pl.Series:
    """All characters but ``keep`` of every text replaced by ``char``, from the ``end`` named.

    The length of the text stays; a missing value stays missing. A text of ``keep`` characters or
    fewer is masked whole.

    >>> mask(pl.Series(["ab1234", "x"]), keep=2, char="*", end="right").to_list()
    ['ab****', '*']
    """
    masks: dict[str, str] = {}
    for text in column.drop_nulls().unique().to_list():
        left = keep if keep < len(text) else 0
        hidden = char * (len(text) - left)
        masks[text] = text[:left] + hidden if end == "right" else hidden + text[len(text) - left :]
    return _mapped(column, masks)


def pseudonymize(column: pl.Series, *, key: bytes, length: int) -> pl.Series:
    """HMAC-SHA256 of every text under a key (RFC 2104), its first hexadecimal digits.

    The same text has the same pseudonym under one key, and another under every other key. Who has
    the key can test guesses; without it nothing is learnt but which records belong together.

    Raises:
        InputError: If two texts have the same pseudonym.
    """
    texts = column.drop_nulls().unique().to_list()
    digests = {
        text: hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:length] for text in texts
    }
    if len(set(digests.values())) < len(digests):
        raise InputError(
            Problem(
                "pseudonym-collision",
                f"two values have the same pseudonym of {length} digits",
                attribute=column.name,
                remedy="choose a greater length",
            )
        )
    return _mapped(column, digests)


def read_key(
    attribute: str, *, env: str | None, file: str | None, directory: Path, least: int = 16
) -> bytes:
    """The key for an attribute's pseudonyms, from an environment variable or a file.

    Raises:
        PolicyError: If there is none, or it is shorter than ``least`` bytes.
    """
    if env is not None:
        where, found = f"environment variable {env}", os.environ.get(env, "").encode()
    else:
        path = directory / str(file)
        where = f"key file {path}"
        try:
            found = path.read_bytes().strip()
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise PolicyError(
                Problem("no-key", f"the {where} cannot be read: {reason}", attribute=attribute)
            ) from None
    if len(found) < least:
        word = "empty or not set" if not found else f"shorter than {least} bytes"
        raise PolicyError(
            Problem(
                "no-key",
                f"the key for pseudonyms, {where}, is {word}",
                attribute=attribute,
                remedy="make one with: python -c 'import secrets; print(secrets.token_hex())'",
            )
        )
    return found


def _mapped(column: pl.Series, texts: Mapping[str, str]) -> pl.Series:
    if not texts:
        return column.cast(pl.String)
    return column.replace_strict(texts, default=None, return_dtype=pl.String)
