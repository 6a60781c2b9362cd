"""Register membership: what a person has, if all people of the table are known.

Where classes overlap, membership takes all rows that fit a person for equally likely. Who has a
register of the people knows better which class the person is in, as
:mod:`~indistinct.analytics.attacks.register_linkage` says, and believes what that class shows.
"""

from __future__ import annotations

from indistinct.analytics.attacks import membership
from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.register_linkage import without
from indistinct.analytics.attacks.remedies import bounded_belief

NAME = "register-membership"
KIND = "attribute"
PLACE = 35
KNOWLEDGE = "the exact quasi-identifiers of everybody in the table"
SOURCE = "Gionis, Mazza and Tassa (2008), with the shares of membership"
REMEDY = bounded_belief


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Believe of everybody what the classes show that they are likely in.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute.
    """
    known = context.with_register(sensitive)
    if known is None:
        return without(context, NAME)
    found = membership.run(known, sensitive)
    known.forget()
    return found
