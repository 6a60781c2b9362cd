"""From what the caller gave to a table and a policy that fit each other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.sources.convert import to_polars
from indistinct.sources.eager import EagerTable
from indistinct.sources.files import read_table
from indistinct.sources.table import Table, open_table

if TYPE_CHECKING:
    from indistinct.policy import Policy

Progress = Callable[[str, float | None], None]
"""Called with what is being done, and the share of it that is done where that is known."""


def understood(policy: Policy | Mapping[str, Any]) -> Policy:
    """A policy as it is, or the one that a mapping of its keys says."""
    from indistinct.policy import Policy

    return Policy.from_dict(policy) if isinstance(policy, Mapping) else policy


def silent(what: str, share: float | None) -> None:
    """Progress that nobody wants to hear of."""
    del what, share


def open_source(
    data: Any, policy: Policy, path: str | Path | None, *, held: bool = False
) -> tuple[Table, str | None]:
    """The table given, held against the policy, and the digest of the file it came from.

    ``held`` asks for a table in memory, whichever engine holds it: for methods that go record by
    record.
    """
    tokens = {
        name: item.missing.tokens for name, item in policy.attributes.items() if item.missing.tokens
    }
    native = data
    if isinstance(data, str | Path):
        path, source = data, policy.source
    name = "table" if path is None else Path(path).name
    with ThreadPoolExecutor(1) as beside:
        # Reading and hashing the same file take turns on disk and processor.
        digest = None if path is None else beside.submit(sha256_of, Path(path))
        if isinstance(data, str | Path):
            native = read_table(
                data,
                separator=source.separator,
                quote=source.quote,
                encoding=source.encoding,
                sheet=source.sheet,
            )
    known = open_table(native, name)
    if held and not isinstance(known, EagerTable):
        native = to_polars(native)
        known = open_table(native, name)
    policy.check(known.columns, "the table" if path is None else name)
    return (open_table(native, name, missing_tokens=tokens) if tokens else known), (
        None if digest is None else digest.result()
    )


def sha256_of(path: Path) -> str:
    """The SHA-256 digest of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
