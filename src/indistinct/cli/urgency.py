"""Which warnings of a run come first: that people are at risk, then what is lost, then the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable

RISK, LOSS, REST = range(3)

_ALWAYS = re.compile(
    r"^promises about .* bound what the values of a (class|bucket) tell"
    r"|follow from the values of the whole table"
)
"""Said of every release of its kind: it tells nothing of this one."""

_AT_RISK = re.compile(
    r"whoever|somebody|anybody|everybody|no promise bounds|is no bound|tells how sensitive"
    r"|promises? .*do(es)? not bound|singles? out|all of a class have the same|nearly unique"
    r"|differ from another one in case|may be one person's|which records are of one person"
    r"|free text|undo|can be matched|recogni[sz]e|finds? (a|the) record|(identifies|names) people"
)
_LOST = re.compile(
    r"keeps nothing|keeps none|% of what|nothing is left|suppressed|left out|is empty|made.up"
    r"|later release|as the root of|too small|overwritten|first value of a person"
)


def urgency(warning: str) -> int:
    """How urgent a warning is: a smaller number is told sooner.

    >>> urgency("the release keeps nothing of 'age'") == LOSS
    True
    """
    if _ALWAYS.search(warning):
        return REST
    if _AT_RISK.search(warning):
        return RISK
    return LOSS if _LOST.search(warning) else REST


def ranked(warnings: Iterable[str]) -> list[str]:
    """Each warning once, the most urgent first, else in the order in which they were given."""
    return sorted(dict.fromkeys(warnings), key=urgency)
