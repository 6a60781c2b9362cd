"""Does every published record share its quasi-identifiers with k - 1 others?

Counted as the definition reads (Samarati 2001; Sweeney 2002): group the records by the published
values of the quasi-identifiers and look at the smallest group.
"""

from __future__ import annotations

import polars as pl

from indistinct.errors import PolicyError, Problem
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "k-anonymity"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every equivalence class has at least k records.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``k``.
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If ``k`` is missing or no whole number of at least 1, if there are other
            parameters, or if people are to be counted instead of records.
    """
    k = _k(requirement)
    on = context.on(requirement)
    sizes = context.sizes(records, on)
    small = sizes.filter(sizes < k)
    smallest = sizes.min()
    return Verdict(
        requirement=requirement,
        on=on,
        holds=not len(small),
        achieved={"k": smallest if isinstance(smallest, int) else None},
        breaking_classes=len(small),
        breaking_records=int(small.sum()),
    )


def _k(requirement: Requirement) -> int:
    problems = [
        Problem("unknown-setting", f"promise '{MODEL}' has no parameter '{name}', only 'k'")
        for name in requirement.parameters
        if name != "k"
    ]
    k = requirement.parameters.get("k")
    if k is None:
        problems.append(
            Problem("missing-setting", f"promise '{MODEL}' needs 'k'", remedy="add k = 5, say")
        )
    elif isinstance(k, bool) or not isinstance(k, int) or k < 1:
        problems.append(
            Problem(
                "bad-parameter", f"k of {MODEL} must be a whole number of at least 1, not {k!r}"
            )
        )
    if problems:
        raise PolicyError(problems)
    assert isinstance(k, int)
    return k
