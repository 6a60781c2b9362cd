"""What kind a warning is: said where it is made, and what decides which one comes first."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Self


class Kind(enum.Enum):
    """What a warning is about, the most urgent kind first.

    A column that is published and tells next to nothing comes before all: nobody needs to be at
    risk for such a release to be made again.

    A kind makes a warning of a sentence. The result is a text like any other:

    >>> found = Kind.LOSS("the release keeps nothing of 'age'")
    >>> found.kind is Kind.LOSS, found == "the release keeps nothing of 'age'"
    (True, True)
    """

    COLUMN = "column"
    """A column that tells next to nothing any more, and what keeps it."""

    RISK = "risk"
    """Somebody can be found in this release, or something be learnt of people."""

    LOSS = "loss"
    """What is lost: of the table, of its use, or of the truth of its figures."""

    LIMIT = "limit"
    """What promises or figures do not cover: attackers not bounded, or not tried."""

    SETTING = "setting"
    """What a setting of the policy does, or does not do."""

    SOURCE = "source"
    """How the table was read."""

    @property
    def title(self) -> str:
        """The kind in words."""
        return _TITLES[self]

    def __call__(self, text: str, share: float = 1.0) -> WarningText:
        """A warning of this kind.

        Arguments:
            text: its sentence.
            share: how many of the people it is about, as far as that was counted.
        """
        return WarningText(text, self, share)


_TITLES = {
    Kind.COLUMN: "columns that tell little",
    Kind.RISK: "people at risk",
    Kind.LOSS: "what is lost",
    Kind.LIMIT: "what is not bounded or not tried",
    Kind.SETTING: "settings",
    Kind.SOURCE: "how the table was read",
}

_PLACES = {kind: place for place, kind in enumerate(Kind)}


class WarningText(str):
    """A warning: a sentence, what kind of warning it is, and how many of the people it is about."""

    __slots__ = ("kind", "share")

    kind: Kind
    share: float

    def __new__(cls, text: str, kind: Kind, share: float = 1.0) -> Self:
        """The sentence, as a text that knows its kind."""
        made = super().__new__(cls, text)
        made.kind, made.share = kind, share
        return made

    def __getnewargs__(self) -> tuple[str, Kind, float]:  # type: ignore[override]
        """What a copy is made of."""
        return str(self), self.kind, self.share


def ranked(warnings: Iterable[WarningText]) -> list[WarningText]:
    """Each warning once, the most urgent kind first, and in it what is about most people.

    Else they stay as they were given.

    >>> given = [Kind.SOURCE("one"), Kind.RISK("of some", 0.2), Kind.RISK("of everybody")]
    >>> ranked(given)
    ['of everybody', 'of some', 'one']
    """
    return sorted(dict.fromkeys(warnings), key=lambda told: (_PLACES[told.kind], -told.share))


def kinds_of(warnings: Iterable[WarningText]) -> list[str]:
    """The kind of each warning, as documents have it beside the sentences."""
    return [warning.kind.value for warning in warnings]


def read_warnings(texts: Sequence[str], kinds: Sequence[str]) -> list[WarningText]:
    """The warnings of a document; those of one without kinds could be the most urgent."""
    known = [*kinds, *[Kind.RISK.value] * (len(texts) - len(kinds))]
    return [Kind(kind)(text) for text, kind in zip(texts, known, strict=True)]
