"""A keyed hash in place of a text: the same text has the same pseudonym under one key."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

import polars as pl

from indistinct.errors import InputError, PolicyError, Problem
from indistinct.release.key_strength import guessed_bits
from indistinct.release.transforms.texts import mapped

BITS = 64
"""How many bits somebody has to guess of a key at least; 128 random bits always have them."""


def pseudonyms(column: pl.Series, *, key: bytes, length: int) -> dict[str, str]:
    """HMAC-SHA256 of every distinct text under a key (RFC 2104), its first hexadecimal digits.

    Arguments:
        column: the texts, null for missing.
        key: the key.
        length: how many digits.

    Raises:
        InputError: If two texts have the same pseudonym.
    """
    texts = column.drop_nulls().unique().sort().to_list()
    digests = {
        text: hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:length] for text in texts
    }
    if len(set(digests.values())) < len(digests):
        raise InputError(
            "pseudonym-collision",
            f"two values have the same pseudonym of {length} digits",
            attribute=column.name,
            remedy="choose a greater length",
        )
    return digests


def pseudonymize(column: pl.Series, *, key: bytes, length: int) -> pl.Series:
    """The pseudonym of every text (see :func:`pseudonyms`).

    The same text has the same pseudonym under one key, and another under every other key. Those who
    have the key can test guesses; without it nothing is learnt but which records belong together.

    Arguments:
        column: the texts, null for missing.
        key: the key.
        length: how many hexadecimal digits a pseudonym has.

    Raises:
        InputError: If two texts have the same pseudonym.
    """
    return mapped(column, pseudonyms(column, key=key, length=length))


def derived(key: bytes, domain: str) -> bytes:
    """The key of one domain of pseudonyms, by HKDF with SHA-256 (RFC 5869).

    Under the keys of two domains, equal texts have pseudonyms that nobody can compare who has not
    got the key that both were made of.
    """
    extracted = hmac.digest(b"indistinct pseudonyms", key, "sha256")
    return hmac.digest(extracted, domain.encode() + b"\x01", "sha256")


def read_key(attribute: str, *, env: str | None, file: str | None, directory: Path) -> bytes:
    """The key for an attribute's pseudonyms.

    Arguments:
        attribute: the attribute, for messages.
        env: an environment variable that holds the key.
        file: a file that holds it, where no variable does.
        directory: the folder from which the file is named.

    Raises:
        PolicyError: If there is none, others can read its file, or it is easily guessed.
    """
    if env is not None:
        where, found = f"environment variable {env}", os.environ.get(env, "").encode()
    else:
        path = directory / str(file)
        where = f"key file {path}"
        try:
            found = path.read_bytes().strip()
            about = path.stat()
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise PolicyError(
                "no-key", f"the {where} cannot be read: {reason}", attribute=attribute
            ) from None
        own = about.st_uid in (0, os.geteuid())
        if about.st_mode & 0o077 or not own:
            change = "chmod 600" if own else "chown $USER"
            problem = Problem(
                "open-key",
                f"other users can read the {where}" + ("" if own else ": it is not yours"),
                attribute=attribute,
                remedy=f"{change} {path}; and make another key if anybody may have read it",
            )
            raise PolicyError(problem)
    if (bits := guessed_bits(found)) < BITS:
        word = "empty or not set" if not found else f"guessed in 2^{bits:.0f} tries, not 2^{BITS}"
        raise PolicyError(
            "no-key",
            f"the key for pseudonyms, {where}, is {word}",
            attribute=attribute,
            remedy="make one with: python -c 'import secrets; print(secrets.token_hex())'",
        )
    return found


def told() -> str:
    """What the certificate says of it."""
    return "replaced by keyed pseudonyms, the same in every release under this key"
