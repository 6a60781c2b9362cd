"""The records that are ``*`` in every quasi-identifier, looked at as the group that they are.

A person who is known to be in the table and fits no class is known to be one
of these. So every promise is held against them as against a class. And what they show is seen by
everybody: a promise that compares classes with the published records has to hold beside these too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from indistinct.errors import PolicyError
from indistinct.release.audit.check import Check
from indistinct.release.audit.reading import SUPPRESSED
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement


def verdicts_on_suppressed(
    published: pl.DataFrame,
    suppressed: pl.Series | None,
    promises: Sequence[Requirement],
    context: Context,
    checks: Mapping[str, Check],
) -> tuple[Verdict, ...]:
    """The verdict on each promise of the suppressed records as one group; none where none are.

    Where classes break it that are compared with these records as well, that is the verdict.

    Arguments:
        published: All published records as text, missing cells null.
        suppressed: Which of them are suppressed; None where none is.
        promises: What was promised.
        context: The release's quasi-identifiers, and what is known beside the records.
        checks: The check of every model.
    """
    if suppressed is None or not suppressed.any():
        return ()
    group, classes = published.filter(suppressed), published.filter(~suppressed)
    found = []
    for part in promises:
        module = checks[part.model]
        verdict = _verdict((group, classes), published, part, context, module)
        if verdict.holds and module.check.compares and part.reference == "published":
            hidden = suppressed & published[str(part.sensitive)].eq_missing(SUPPRESSED)
            beside = replace(context, published=published.filter(~hidden), _sizes={}, _counts={})
            of_classes = module.check(classes, part, beside)
            verdict = verdict if of_classes.holds else of_classes
        found.append(verdict)
    return tuple(found)


def _verdict(
    parts: tuple[pl.DataFrame, pl.DataFrame],
    published: pl.DataFrame,
    requirement: Requirement,
    context: Context,
    module: Check,
) -> Verdict:
    """What can be said of the group by the check of one model.

    A sensitive value that is ``*`` as well tells nothing. Nothing can be said of a group that is
    too small for a class, nor of values that a bucket lists beside those of others. The people of a
    population whom it may be about are those who fit no class: so such a check is given the
    classes. What classes keep together, they have to keep with the group as one of them.
    """
    (group, classes), counts = parts, module.check.counts
    unknown = Verdict(requirement, context.on(requirement), None, {})
    if context.linked is not None and counts not in ("units", "people"):
        return unknown
    alone = replace(context, published=published, _sizes={}, _counts={})
    together = counts == "items" or module.check.together
    records = published if together else classes if counts == "people" else group
    if counts not in {"units", "people", "items", "combinations", "visits"}:
        records = group.filter(pl.col(str(requirement.sensitive)).ne_missing(SUPPRESSED))
    try:
        verdict = module.check(records, requirement, alone)
    except PolicyError:
        return unknown
    of_sizes = (counts in ("units", "visits") and not together) or (
        counts == "combinations" and set(group[str(requirement.sensitive)]) == {SUPPRESSED}
    )
    return unknown if of_sizes and not verdict.holds else verdict
