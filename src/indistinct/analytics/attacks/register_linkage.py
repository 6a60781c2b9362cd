"""Register linkage: which published record is this person's, if all people of the table are known?

Classes of local recoding, and those that are made by what fits each class, may overlap: a person
then fits several. Record linkage takes all their rows for equally likely. Who has a register of the
people knows who else fits them: people who fit one class alone have its rows, so others who fit it
are likely elsewhere. Every way to give all people a row that fits them is equally likely; how often
each is in each class then is approximated by proportional fitting (Deming and Stephan 1940). The
attacker guesses the likeliest row.

    A. Gionis, A. Mazza, T. Tassa: "k-Anonymization Revisited". ICDE 2008, whose global (1,
    k)-anonymity asks for k rows that could be a person's in some such way.
"""

from __future__ import annotations

from indistinct.analytics.attacks import record_linkage
from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.places import MOST_PAIRS
from indistinct.analytics.attacks.remedies import larger_classes

NAME = "register-linkage"
KIND = "identity"
PLACE = 12
KNOWLEDGE = "the exact quasi-identifiers of everybody in the table"
SOURCE = "Gionis, Mazza and Tassa (2008), global (1, k)-anonymity"
REMEDY = larger_classes

APART = "classes fit nobody twice, so that it tells nothing who else there is"
TOO_MANY = f"more than {MOST_PAIRS:,} pairs of people and classes fit each other"
"""Why it is skipped: classes do not overlap, or too many fit to work out who is where."""


def run(context: AttackContext, sensitive: str | None = None) -> Finding | Skipped:
    """Link every person to the row that is likeliest if all share the rows out.

    Arguments:
        context: what the attacker is given.
        sensitive: not looked at.
    """
    known = context.with_register()
    return without(context, NAME) if known is None else record_linkage.run(known, sensitive)


def without(context: AttackContext, name: str) -> Skipped:
    """Why an attacker has nothing from a register.

    Arguments:
        context: what the attacker is given.
        name: the attacker.
    """
    too_many = context.places.too_many
    return Skipped(name, TOO_MANY if too_many else APART, leaves_open=too_many)
