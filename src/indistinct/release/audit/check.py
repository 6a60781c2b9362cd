"""How a check of a privacy model is written: its parameters, what it counts, and a function.

A file of the audit's folder says with :func:`class_check` what its model asks for; reading the
parameters and what the check of any model has to heed is done here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

import polars as pl

from indistinct.frozen import dataclass
from indistinct.release.audit.classes import Asked
from indistinct.release.audit.settings import ABOUT_VALUES, Setting, read
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

Counts = Literal["units", "people", "values", "shares", "items", "combinations", "visits", "linked"]
"""What a check counts, which says what else it has to heed, and what of linked tables shows it.

``units``: the records of a class, or the people whose they are; ``people``: those of a population
whom the class stands for. Both are shown by the one of two linked tables that has the
quasi-identifiers. ``values``: how different the values of a class are, or how usual; of linked
tables the buckets. Where people have several values, one that everybody of a class has breaks such
a promise, also where it is in different sets that are listed as one value each. ``shares``: how
many of a class have a value, each by itself; of linked tables the buckets, where a set of values
counts for each of its members. ``items``: sets of items of people with many records,
``combinations``: the same class by class, and ``visits``: their records, by the values of several
columns or by their number; linked tables do not show them. ``linked``: two linked tables, both at
once.
"""


@dataclass(frozen=True)
class ClassCheck:
    """The check of one privacy model, which is called with a release and a promise.

    Arguments:
        model: Name of the privacy model.
        counts: What it counts.
        settings: The model's parameters.
        compares: Whether it compares with a distribution, so that a reference may be named.
        judge: The model's own part.
        about_values: Whether it may be about some of the values alone.
        together: Whether all classes keep it together, and none by itself.
    """

    model: str
    counts: Counts
    settings: Mapping[str, Setting]
    compares: bool
    judge: Callable[[Asked], Verdict]
    about_values: bool
    together: bool

    def __call__(
        self, records: pl.DataFrame, requirement: Requirement, context: Context
    ) -> Verdict:
        """Whether the records keep the promise.

        Arguments:
            records: The published records as text, missing cells null; records that are suppressed
                as a whole are left out.
            requirement: The promise. Its attributes are columns of ``records``.
            context: The release's quasi-identifiers, and what is known beside the records.

        Raises:
            PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form,
                or something has to be known that is not.
        """
        about_values = self.counts not in ("units", "people", "visits")
        known = {**self.settings, **(ABOUT_VALUES if self.about_values else {})}
        settings = read(requirement, known, sensitive=about_values, compares=self.compares)
        return self.judge(Asked(records, requirement, context, settings, self.counts == "values"))


def class_check(
    model: str,
    *,
    counts: Counts,
    settings: Mapping[str, Setting],
    compares: bool = False,
    about_values: bool = False,
    together: bool = False,
) -> Callable[[Callable[[Asked], Verdict]], ClassCheck]:
    """Make the check of a privacy model of the function below.

    Arguments:
        model: Name of the privacy model.
        counts: What the check counts.
        settings: The model's parameters.
        compares: Whether it compares with a distribution, so that a reference may be named.
        about_values: Whether it may be about some of the values alone.
        together: Whether all classes keep it together, and none by itself.
    """
    return lambda judge: ClassCheck(
        model, counts, settings, compares, judge, about_values, together
    )


class Check(Protocol):
    """A module that checks one privacy model.

    It names its model in ``MODEL``. It is found by being in the folder of the audit.
    """

    MODEL: str
    check: ClassCheck
