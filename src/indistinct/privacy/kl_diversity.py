"""(k,l)-diversity of people with many records (Gong, Luo, Yang and Ni 2017).

    Q. Gong, J. Luo, M. Yang, W. Ni: "Anonymizing 1:M microdata with high utility". Knowledge-Based
    Systems 115, 2017.

A release of two linked tables: one has everybody's quasi-identifiers and the number of a bucket,
the other the *fingerprint* of each bucket, generalized items that everybody in it has. k or more
people share each fingerprint; who stands in a class of equal quasi-identifiers is one of l or more
people with l different fingerprints or more, none of them more likely than one in l.

What it does not promise: that classes have k people (promise ``k-anonymity`` beside it); nor that
an item is unlikely. Fingerprints of one class may share an item: promise ``max-posterior`` beside
it.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.frozen import dataclass, field
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import BeyondClasses, Closure, Subject


@dataclass(frozen=True, kw_only=True)
class KLDiversity(BeyondClasses):
    """In linked tables, k people share every fingerprint, and every class has l different ones.

    Algorithms for linked tables keep it, and their audit checks it; one table alone cannot. Closed
    under union of classes, whose buckets stay as they are.
    """

    model: ClassVar[str] = "kl-diversity"
    closure: ClassVar[Closure] = "union"
    subject: ClassVar[Subject] = "linked"
    applies_to: ClassVar[str] = "linked tables, not to classes of one table"
    way_out: ClassVar[str] = 'choose method.algorithm = "k-l-diversity"'
    needs_sensitive: ClassVar[bool] = True

    k: int = field(metadata=must(whole, least=2, remedy="choose k = 10, say"))
    """People who share every fingerprint at least."""
    l: int = field(  # noqa: E741, the field's own letter
        metadata=must(whole, least=2, remedy="choose l = 5, say")
    )
    """Different fingerprints that every class has at least, none with more than one in l of it."""

    @property
    def class_size(self) -> int:
        """The k people who share the fingerprint of a bucket."""
        return self.k
