"""The verb *report*: what there is to know of a release, as one HTML file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.analytics.utility.contingency import COLUMNS, ROWS
from indistinct.errors import DataError, InputError, Unsatisfiable
from indistinct.intake.kept_policy import policy_of
from indistinct.intake.opening import PolicyLike, Progress, as_policy, no_progress
from indistinct.pipeline.attack import attack
from indistinct.pipeline.evidence import EVIDENCE, evidence_in, policy_text
from indistinct.report.chapters.evidence import Evidence, counts_population
from indistinct.report.outlines import page, require_template
from indistinct.sources.writing import PRIVATE, REPORT, json_text, write_private, write_text
from indistinct.types import Frame, Plain
from indistinct.verbs.auditing import audit
from indistinct.verbs.comparison import compare

if TYPE_CHECKING:
    from indistinct.policy import Policy


def write_report(
    folder: str | Path,
    *,
    public: bool = False,
    template: str = "plain",
    data: Frame = None,
    policy: PolicyLike | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the report of a release: one HTML file that loads nothing from elsewhere.

    The promises are audited first. Where the private table is given, attackers are tried and the
    release is compared with the table; what they find is kept in ``private/``, and later reports
    have it too.

    Arguments:
        folder: the folder of a release.
        public: whether the report says only what every reader of the release may know. It is
            then ``report.html`` in the folder, and made without a look into ``private/``; else
            ``private/report.html``.
        template: the order of its chapters: ``plain``, ``hipaa-expert``, ``ema-hc``, ``iso-27559``
            or ``wp216``.
        data: the private table.
        policy: its policy; by default the one that the release keeps in ``private/``.
        progress: is told what is being done.

    Returns:
        The file.

    Raises:
        DataError: the release cannot be read, or its private account is not there or damaged.
        InputError: there is no such template; a policy is given without the table, or a table for
            a public report.
        PolicyError: a table is given, and no policy, and the release keeps none.
        OutputError: the report cannot be written.
    """
    require_template(template)
    if (data is None and policy is not None) or (public and data is not None):
        raise InputError(
            "table-and-policy",
            "attackers need the private table, and stand in no public report",
            remedy="give --data FILE, without --public",
        )
    tell = progress or no_progress
    place = Path(folder)
    tell("auditing", None)
    with _as_it_was_written(place):
        found = evidence_in(place, public=public)
        seen, kept = _promises(found)
        quasi = list(found.certificate["quasi_identifiers"])
    found = replace(found, holds=audit(place, promises=seen, quasi=quasi).holds if seen else kept)
    if data is not None:
        found = _with_attacks(found, place, data, policy_of(policy, [place])[0], tell)
    target = (place if public else place / PRIVATE) / REPORT
    with _as_it_was_written(place):
        made = page(found, template).html()
    if public:
        write_text(target, made)
        return target
    texts = {target: made}
    if data is not None:
        texts[place / PRIVATE / EVIDENCE] = json_text(found.private or {})
    write_private(texts)
    return target


def _with_attacks(
    found: Evidence, folder: Path, data: Frame, policy: Policy, tell: Progress
) -> Evidence:
    """The same, with what attackers achieve and how wrong counts are."""
    attacks = attack(data, folder, policy, progress=tell).to_dict()
    with _as_it_was_written(folder):
        pair = _telling(found)
    told = compare(data, folder, policy=policy, contingency=pair, progress=tell)
    comparison = told.to_dict()
    if told.contingency is not None:
        comparison["contingency"] = told.contingency.within(ROWS, COLUMNS).to_dict()
    private = {**(found.private or {}), "attacks": attacks, "comparison": comparison}
    return replace(found, private=json.loads(json.dumps(private)))


FEW_VALUES, MOST_VALUES = 24, 1000
"""Values of a column that one sees at a glance, and those that are counted at all."""


def _telling(found: Evidence) -> tuple[str, str] | None:
    """Two quasi-identifiers that are counted together: those that tell most and can be seen."""
    if found.run is None or len(found.certificate["tables"]) > 1:
        return None
    leaks = found.run["plan"].get("leakage", {})
    spreads = [(own["name"], own["before"]) for own in found.of("attributes") or ()]
    spreads += [(own["name"], own["spread"]) for own in found.published["attributes"]]
    values = dict.fromkeys(leaks, 1)
    for name, own in spreads:
        if name in values:
            values[name] = max(values[name], MOST_VALUES + 1 if own is None else own["distinct"])
    wide = {name: max(FEW_VALUES, count) for name, count in values.items() if count <= MOST_VALUES}
    few = sorted(wide, key=lambda name: (wide[name], -leaks[name]["before"], name))
    return (few[0], few[1]) if len(few) > 1 else None


@contextlib.contextmanager
def _as_it_was_written(folder: Path) -> Iterator[None]:
    """Tell what is missing in a release's own documents, or of another kind, as what it is."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            "damaged-account",
            "the certificate or a file in private/ is not as it was written",
            file=str(folder),
            remedy="take the folder as indistinct wrote it; --public does without private/",
        ) from error


def _promises(found: Evidence) -> tuple[list[Plain], bool]:
    """The promises that files show to be kept or broken, and whether all are said to be kept.

    Those about a population cannot be seen in files.
    """
    told = found.certificate["promises"]
    seen = [item for item in told if not counts_population(item["model"])]
    return seen, all(item["holds"] for item in told)


def write_refusal(error: Unsatisfiable, policy: PolicyLike, path: str | Path) -> Path:
    """Write why there is no release, as one HTML file that only its owner may read.

    Arguments:
        error: why no release can keep the promises.
        policy: what was asked.
        path: the file.

    Raises:
        OutputError: it cannot be written.
    """
    policy = as_policy(policy)
    private = {
        "policy": policy_text(policy),
        "promised": "; ".join(str(item) for item in policy.promises),
    }
    write_private({Path(path): page(Evidence(refused=error.problems, private=private)).html()})
    return Path(path)
