"""p-sensitivity: every class has p different sensitive values (Truta and Vinay 2006).

    T. M. Truta, B. Vinay: "Privacy Protection: p-Sensitive k-Anonymity Property". ICDE Workshops
    2006.

The same condition as distinct l-diversity under the name it has together with k-anonymity; promise
``k-anonymity`` beside it for the whole of the model.

What it does not promise: that the values differ in meaning or are evenly frequent. That is why
categories (``p-plus-sensitive``) and weights (``p-alpha-sensitive``) were added to it. A missing
value is a value like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from indistinct.frozen import dataclass, field
from indistinct.privacy.distinct_l_diversity import DistinctValues
from indistinct.privacy.parameters import must, whole


@dataclass(frozen=True, kw_only=True)
class PSensitive(DistinctValues):
    """Every equivalence class has at least ``p`` values of the sensitive attribute.

    Closed under supersets: records that join a class take no value away from it.
    """

    model: ClassVar[str] = "p-sensitive"
    nothing_at: ClassVar[Mapping[str, float]] = {"p": 1}
    parameter: ClassVar[str] = "p"

    p: int = field(metadata=must(whole, least=1, remedy="choose p = 2 or more"))
    """Different values that every class has at least."""
