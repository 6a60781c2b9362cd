"""The verbs, composed from the rooms: anonymize a table; audit, assess, attack, risk and the rest.

What goes in as a frame of some kind comes out as a frame of that kind; what goes in as a file comes
out as a Polars frame that can be written to a folder. Read
:mod:`~indistinct.pipeline.anonymization` first: it is the way of the data as one function.
"""

from indistinct.pipeline.anonymization import anonymize
from indistinct.pipeline.assessing import assess
from indistinct.pipeline.attack import attack
from indistinct.pipeline.auditing import audit
from indistinct.pipeline.comparison import compare
from indistinct.pipeline.discovering import quasi
from indistinct.pipeline.opening import Progress
from indistinct.pipeline.release import Release
from indistinct.pipeline.risking import risk

__all__ = [
    "Progress",
    "Release",
    "anonymize",
    "assess",
    "attack",
    "audit",
    "compare",
    "quasi",
    "risk",
]
