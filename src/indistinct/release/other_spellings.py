"""People of a ledger whose key another release wrote otherwise: ``P1`` and ``p1``, 001 and 1.

The ledger has hashes alone, so a key is written in other ways, and these are looked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.release.ledger import hashes_of, numbered
from indistinct.warning_kinds import Kind, WarningText

MOST = 5_000
"""So many people whom no earlier release has are looked at."""

_LONGEST_NUMBER = 12


def told_otherwise(
    people: pl.Series,
    hashes: NDArray[np.uint64],
    earlier: Sequence[NDArray[np.uint64]],
    key: bytes,
) -> list[WarningText]:
    """The warning that people count as new who are out already under another spelling.

    Arguments:
        people: the keys of the people of a release, [n].
        hashes: their hashes, two halves of 64 bits, [n, 2].
        earlier: the hashes of the people of each earlier release.
        key: the key of the hashes.
    """
    known, of = known_otherwise(people, hashes, earlier, key)
    if not known:
        return []
    return [
        Kind.RISK(
            f"{known} of {of} people who are new to the ledger would be in an earlier release "
            "if their key were written otherwise (case, blanks, hyphens, leading zeros): they "
            "count as other people, and their earlier releases are not taken into account; "
            "write keys as before"
        )
    ]


def known_otherwise(
    people: pl.Series,
    hashes: NDArray[np.uint64],
    earlier: Sequence[NDArray[np.uint64]],
    key: bytes,
) -> tuple[int, int]:
    """How many people are in no earlier release, but for another spelling of their key.

    Arguments:
        people: the keys of the people of a release.
        hashes: their hashes.
        earlier: the hashes of the people of each earlier release.
        key: the key of the hashes.

    Returns:
        How many are, and how many were looked at.
    """
    if not earlier:
        return 0, 0
    new = np.flatnonzero(~_among(hashes, earlier))
    if len(new) > MOST:  # evenly over the table, in any order
        new = new[np.linspace(0, len(new) - 1, MOST).astype(np.int64)]
    texts = people.gather(pl.Series(new)).to_list()
    own = set(people.to_list()) if len(texts) else set()
    others = [(at, one) for at, text in enumerate(texts) for one in spellings(text)]
    others = [(at, one) for at, one in others if one not in own]
    found = _among(hashes_of(pl.Series([one for _, one in others], dtype=pl.String), key), earlier)
    return len({at for (at, _), known in zip(others, found, strict=True) if known}), len(texts)


def spellings(text: str) -> Iterator[str]:
    """Other ways to write a key: case, blanks, hyphens, zeros before a number, ``.0`` behind it.

    >>> sorted(spellings("P-1 "))
    ['P 1', 'P-1', 'P1', 'P_1', 'p 1', 'p-1', 'p1', 'p_1']
    >>> {"001", "1", "1.0"} <= {*spellings("01")}
    True
    """
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf").strip()
    bare = plain.replace("_", " ").replace("-", " ")
    found = {plain, bare, *(bare.replace(" ", sign) for sign in ("", "-", "_"))}
    found |= {form for one in found for form in (one.lower(), one.upper())}
    number = plain.removesuffix(".0")
    if number.isascii() and number.isdigit():
        short = number.lstrip("0") or "0"
        found |= {short.zfill(width) for width in range(1, _LONGEST_NUMBER + 1)} | {f"{short}.0"}
    yield from found - {text, ""}


def _among(hashes: NDArray[np.uint64], earlier: Sequence[NDArray[np.uint64]]) -> NDArray[np.bool_]:
    """Which of these hashes some earlier release has."""
    order, person = numbered([hashes, *earlier])
    old = np.zeros(int(person.max(initial=-1)) + 1, dtype=bool)
    own = order < len(hashes)
    old[person[~own]] = True
    found = np.zeros(len(hashes), dtype=bool)
    found[order[own]] = old[person[own]]
    return found
