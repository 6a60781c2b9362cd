"""Where chance comes in: one stream of random numbers for every purpose.

A run has one seed, from the operating system unless the policy says another. Every purpose (the
shuffle, the numbers of buckets, who is dealt to which bucket, ...) draws from a stream of its own,
and the streams are cryptographic: what was drawn for one purpose tells nothing of the
others, of what is drawn next, or of the seed. So the published order of rows tells nothing of how
people were dealt to buckets, even to somebody who has this program and the source's order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from indistinct.types import Array

Shape: TypeAlias = int | tuple[int, ...] | None

_WORD = 8  # bytes of a random word
_FRACTION = 53  # bits of a float


class Stream:
    """Random numbers from SHAKE-256, keyed; the methods are those of NumPy's generators.

    Arguments:
        key: what the stream depends on. The same key draws the same numbers.
    """

    def __init__(self, key: bytes) -> None:
        self._key = hashlib.sha256(key).digest()
        self._draws = 0

    def bytes(self, length: int) -> bytes:
        """So many random bytes."""
        self._draws += 1
        return hashlib.shake_256(self._key + self._draws.to_bytes(16)).digest(length)

    def _words(self, count: int) -> NDArray[np.uint64]:
        return np.frombuffer(self.bytes(_WORD * count), "<u8").astype(np.uint64)

    def random(self, size: Shape = None) -> Any:
        """Numbers from 0 to below 1."""
        found = (self._words(_count(size)) >> np.uint64(64 - _FRACTION)) * 2.0**-_FRACTION
        return float(found[0]) if size is None else found.reshape(size)

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Shape = None,
        dtype: Any = np.int64,
    ) -> Any:
        """Whole numbers from ``low`` to below ``high``, each as likely as the others.

        Arguments:
            low: the least number; where ``high`` is not given, that is ``low``, and the least is 0.
            high: what the numbers stay below.
            size: the shape of the result; that of ``low`` and ``high`` where not given.
            dtype: the type of the numbers.
        """
        least, below = (np.asarray(0), low) if high is None else (np.asarray(low), high)
        span = np.asarray(below).astype(np.int64) - least
        if (span < 1).any():
            raise ValueError("there is no number from low to below high")
        shape = np.broadcast_shapes(span.shape) if size is None else size
        found = self._below(np.broadcast_to(span, shape).ravel().astype(np.uint64))
        numbers = (found.astype(np.int64).reshape(shape) + least).astype(dtype)
        return int(numbers) if size is None and not span.shape else numbers

    def _below(self, span: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """A number below each span: words beyond the last multiple of the span are drawn again."""
        multiple = np.uint64(2**64 - 1) // span * span
        words = self._words(len(span))
        while len(beyond := np.flatnonzero(words >= multiple)):
            words[beyond] = self._words(len(beyond))
        return words % span

    def permutation(self, x: Any) -> Any:
        """The numbers below ``x``, or the entries of ``x``, in random order."""
        if not isinstance(x, int | np.integer):
            entries = np.asarray(x)
            return entries[self.permutation(len(entries))]
        while True:
            words = self._words(int(x))
            order = order_of_words(words)
            drawn = words[order]
            if not (drawn[1:] == drawn[:-1]).any():
                return order

    def shuffle(self, x: Array) -> None:
        """Put the entries of ``x`` into random order, in place."""
        x[:] = x[self.permutation(len(x))]

    def choice(self, a: Any, size: Shape = None, replace: bool = True) -> Any:
        """Entries of ``a``, or numbers below it, drawn with or without replacement.

        Arguments:
            a: the entries, or how many numbers there are.
            size: how many are drawn; one where not given.
            replace: whether the same entry may be drawn again.
        """
        entries = np.arange(a) if isinstance(a, int | np.integer) else np.asarray(a)
        if replace:
            return entries[self.integers(len(entries), size=size)]
        count = _count(size)
        if count > len(entries):
            raise ValueError("fewer entries than are to be drawn")
        found = self.permutation(entries)[:count]
        return found[0] if size is None else found.reshape(size)

    def standard_normal(self, size: Shape = None) -> Any:
        """Numbers of the normal distribution of mean 0 and variance 1."""
        count = _count(size)
        radius = np.sqrt(-2.0 * np.log1p(-self.random(count)))  # the logarithm of (0, 1]
        found = radius * np.cos(2.0 * np.pi * self.random(count))
        return float(found[0]) if size is None else found.reshape(size)

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Shape = None) -> Any:
        """Numbers of the normal distribution.

        Arguments:
            loc: its mean.
            scale: its standard deviation.
            size: the shape of the result.
        """
        return loc + scale * self.standard_normal(size)

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Shape = None) -> Any:
        """Numbers of the Laplace distribution.

        Arguments:
            loc: its mean.
            scale: its scale; the standard deviation is the root of 2 times as large.
            size: the shape of the result.
        """
        far = -np.log1p(-self.random(_count(size)))
        sign = 2.0 * (self.random(_count(size)) < 0.5) - 1.0
        found = loc + scale * sign * far
        return float(found[0]) if size is None else found.reshape(size)


Random: TypeAlias = Stream | np.random.Generator
"""What draws: the streams of a run; in simulations and tests one of NumPy's generators, too."""


def stream(seed: int, purpose: str) -> Stream:
    """The random numbers of a run for one purpose, which tell nothing of those for any other.

    Arguments:
        seed: of the run.
        purpose: what is drawn, as ``room.act``: ``publication.shuffle``.
    """
    return Stream(f"{seed} {purpose}".encode())


def simulation(seed: int | Sequence[int]) -> np.random.Generator:
    """Random numbers of which nothing is published: for searches, queries and invented data."""
    return np.random.default_rng(seed)


def _count(size: Shape) -> int:
    return 1 if size is None else int(np.prod(size, dtype=np.int64))


def order_of_words(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order of random words: each with its place in its last bits is sorted by itself."""
    bits = np.uint64(max(len(words) - 1, 0).bit_length())
    mine = np.arange(len(words), dtype=np.uint64)
    drawn = np.sort(words >> bits << bits | mine)
    order = (drawn & ~(~np.uint64(0) << bits)).astype(np.int64)
    same = np.zeros(len(words) + 1, dtype=np.bool_)
    same[1:-1] = drawn[1:] >> bits == drawn[:-1] >> bits
    close = np.flatnonzero(same[1:] | same[:-1])  # the last bits tell which of these is first
    order[close] = order[close][np.argsort(words[order[close]])]
    return order
