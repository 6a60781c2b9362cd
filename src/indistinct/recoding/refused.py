"""What a method tried in place of the classes that it made, and refused because of values.

Those who know the program and everybody's quasi-identifiers know what was tried, and so that of
every attempt some part broke a promise (Wong, Fu, Wang and Pei 2007).
"""

from __future__ import annotations

from indistinct.frozen import dataclass
from indistinct.kernels.ragged import Ragged
from indistinct.types import Ints


@dataclass(frozen=True)
class Refused:
    """Attempts to make finer classes: the parts of each were large enough, and one broke a promise.

    Arguments:
        attempt: the attempt that every part belongs to, from 0 and rising, [P].
        parts: the combinations of each part, [P].
    """

    attempt: Ints
    parts: Ragged
