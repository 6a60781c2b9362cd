"""tau-safety: m-invariance also for people who are away in between (Anjum and others).

    A. Anjum, G. Raschia, M. Gelgon and others: "tau-safety: A privacy model for sequential
    publication with arbitrary updates". Computers & Security 66, 2017.

The reader knows of everybody when they joined, left, came back, or got another value. Signatures
therefore stay the same over all releases that somebody is in, with gaps between them or not, and a
value that changes stays within the signature. The condition is that of m-invariance, for every two
releases of a person in place of those that follow each other.

What it does not promise: anything of a reader who knows how values change, such as that an illness
is never followed by another. A missing value is a value like any other.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.frozen import dataclass, field
from indistinct.privacy.m_invariance import Signatures
from indistinct.privacy.parameters import must, whole


@dataclass(frozen=True, kw_only=True)
class TauSafety(Signatures):
    """All values of a class differ, and people always get a class with the same values.

    Closed under nothing: two classes may have a value in common.
    """

    model: ClassVar[str] = "tau-safety"
    consecutive: ClassVar[bool] = False

    m: int = field(default=2, metadata=must(whole, least=1, remedy="choose m = 2 or more"))
    """Values that a class has at least, each of one record."""
