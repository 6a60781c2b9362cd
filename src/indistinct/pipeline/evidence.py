"""What reports rest on: plain data, in public from the published files alone.

:func:`published_evidence` sees a release as anybody does who has it: no public report says more.
:func:`private_evidence` is gathered while the table is at hand, and stays with the custodian.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.published import is_suppressed
from indistinct.analytics.release_view import Made, ReleaseView, Sought
from indistinct.analytics.risk.reidentification import curve_of_classes, prosecutor
from indistinct.analytics.utility.spread import spread
from indistinct.errors import DataError
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.plan import published_classes
from indistinct.recoding.published_nodes import published_nodes, published_partition
from indistinct.release.audit.reading import PublishedTable
from indistinct.report.chapters.evidence import HARM, VISITS, Evidence, known_of_visits
from indistinct.sources.writing import CERTIFICATE, PRIVATE
from indistinct.types import Frame, Plain, PlainMapping
from indistinct.warnings.what_is_left import lost_attributes

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan

THRESHOLDS = (0.05, 0.09, 0.2, 0.33)
"""Bounds on the risk of a record that guidelines name; EMA and Health Canada ask for 0.09."""

_COUNT = "\0records"
STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where the groups begin that class sizes are counted in."""


MOST_EXPOSED = 20
"""Records that a report names as the most exposed."""

KS = range(2, 21)
"""The k for which a report says what smaller classes amount to, at least."""

ANALYSES = "analyses.json"
"""The private file with estimates on the table and on the release."""

COUNTED = {"analyses": ANALYSES, VISITS: "visits.json"}
"""Further private documents that a report reads, by their name in the evidence."""

EVIDENCE = "evidence.json"
"""The private file with what was counted in the table for reports."""


def published_evidence(release: Frame) -> Plain:
    """What a reader can count in a release, and nothing else.

    Returns:
        ``attributes``, each with its ``table``, ``role`` as far as the certificate tells it and the
        ``spread`` of its values; ``sizes`` of the classes; ``risk`` of their records, and its
        ``curve`` over k; how many are ``suppressed``, with ``*`` in every quasi-identifier.
    """
    view = ReleaseView.read(release, Sought())
    rows, weight = view.counted or (view.rows, None)
    classes = _counted(rows.select(view.quasi), weight)
    stars, size = 0, np.zeros(0, dtype=np.int64)
    if view.quasi:
        suppressed = is_suppressed(classes, view.quasi)
        stars = int(classes[_COUNT].filter(suppressed).sum())
        classes = classes.filter(~suppressed)
        size = classes[_COUNT].to_numpy()
    known = set(view.said.known)
    attributes = [
        {
            "name": name,
            "table": part.name,
            "role": _public_role(name, view, known),
            "spread": spread(classes[name], size)
            if part is view.table and name in view.quasi
            else spread_in(part, name),
        }
        for part in view.published.tables
        for name in part.columns
        if name not in (view.person, None if view.link is None else view.by)
    ]
    return {"attributes": attributes, "suppressed": stars, **sizes_and_risk(size)}


def apart(private: PrivateTable) -> PrivateTable:
    """The same table with texts of its own: those of Arrow are the caller's memory."""
    subjects = private.subjects
    events, texts = subjects.events, _own(subjects.texts)
    if events is not None:
        events = replace(events, texts=_own(events.texts))
    found = replace(private, subjects=replace(subjects, texts=texts, events=events))
    found.__dict__["microdata"] = private.microdata
    return found


def _own(texts: pl.DataFrame) -> pl.DataFrame:
    return texts.with_columns(pl.col(pl.String) + "")  # which no longer shares memory


def private_evidence(private: PrivateTable, plan: Plan | LinkedPlan, policy: str) -> Plain:
    """What only the custodian can count: the table before, and who is most exposed in the release.

    Arguments:
        private: the table.
        plan: what is published instead of what.
        policy: the policy's text.

    Returns:
        ``source``, ``policy``, ``attributes`` before and as they are ``drawn``, ``sizes``, ``risk``
        and ``curve`` of the table as it was, the ``partition`` of the release, and the ``exposed``
        records where they have an order.
    """
    subjects, data = private.subjects, private.data
    texts = subjects.texts
    names = list(data.attributes)
    size: NDArray[np.int64] = data.weight[data.weight > 0]  # each combination is a class
    if data.marginals is not None:  # combinations were never here
        size = size[:0]
    elif private.sight.by_record or data.unchanged:
        there = [name for name in names if name in texts.columns]
        weight = None if subjects.weight is None else pl.Series(subjects.weight)
        size = _counted(texts.select(there), weight)[_COUNT].to_numpy() if there else size[:0]
    known = _values_counted(private)
    before = {
        name: known[name] if name in known else spread(texts[name], subjects.weight)
        for name in texts.columns
    }
    if subjects.events is not None:
        events = subjects.events.texts
        before |= {name: spread(events[name]) for name in events.columns}
    heights = dict(zip(names, data.heights.tolist(), strict=True))
    of_people = plan.quasi if isinstance(plan, LinkedPlan) else plan
    drawn = {name: published_nodes(data, of_people, at) for at, name in enumerate(names)}
    attributes = [
        {
            "name": name,
            "role": item.role,
            "height": heights.get(name),
            "before": before.get(name),
            "drawn": drawn.get(name),
        }
        for name, item in private.policy.attributes.items()
    ]
    return {
        "source": private.file,
        "policy": policy,
        "person": subjects.key,
        "attributes": attributes,
        **sizes_and_risk(size),
        "partition": published_partition(data, of_people),
        "exposed": None if isinstance(plan, LinkedPlan) else _exposed(private, plan),
    }


def policy_text(policy: Policy) -> str:
    """A policy as it was written, or as it can be written."""
    if policy.content is not None:
        return policy.content.decode("utf-8-sig").replace("\r\n", "\n")
    if any(
        not isinstance(one.hierarchy, str | Mapping | None) for one in policy.attributes.values()
    ):
        return json.dumps(policy.to_dict(), indent=2, default=str)
    return policy.to_toml()


def sizes_and_risk(size: NDArray[np.int64]) -> Plain:
    """How large classes are, and the risk of their records by what guidelines ask, and over k."""
    starts = np.array(STEPS)
    step = np.searchsorted(starts, size, side="right") - 1
    sizes = [
        {
            "from": int(starts[at]),
            "to": int(starts[at + 1]) - 1 if at + 1 < len(starts) else None,
            "classes": int((step == at).sum()),
            "records": int(size[step == at].sum()),
        }
        for at in range(len(starts))
        if (step == at).any()
    ]
    if not len(size):
        return {"sizes": sizes, "risk": None, "curve": []}
    at = {f"{bound:g}": prosecutor(size, bound).at_risk for bound in THRESHOLDS}
    criteria = prosecutor(size)
    highest, average = float(criteria.highest), float(criteria.success)
    last = max(KS.stop - 1, 2 * int(size.min()))
    curve = curve_of_classes(size, range(KS.start, last + 1, -(-last // KS.stop)), HARM)
    return {
        "sizes": sizes,
        "risk": {"above": at, "highest": highest, "average": average},
        "curve": [point.to_dict() for point in curve.points],
    }


def _public_role(name: str, view: ReleaseView, known: set[str]) -> str:
    visits = known_of_visits(part.to_dict() for part in view.said.promises)
    if name in view.quasi or name in visits:
        return "quasi-identifier"
    asked = {part.sensitive for part in view.said.promises}
    return "sensitive" if name in known or name in asked else "published as it is"


def spread_in(part: PublishedTable, name: str) -> Plain:
    """How often each value of a published column occurs, as :func:`spread` tells it."""
    try:
        return spread(*part.tallied(name))
    except DataError:  # nearly as many values as records
        return {"distinct": None, "missing": 0.0, "bars": [], "rest": 1.0, "ranges": False}


def _values_counted(private: PrivateTable) -> dict[str, Plain]:
    """How often each value occurs of attributes that combinations were counted by."""
    data, table = private.data, private.data.table
    if data.marginals is not None:  # combinations were never here
        return {}
    found: dict[str, tuple[Sequence[str | None], NDArray[np.int64]]] = {}
    for name, codes in zip(table.attributes, table.codes, strict=True):
        if name not in data.unchanged:
            labels = data.taxonomies[name].leaves
            often = np.bincount(codes, weights=table.weight, minlength=len(labels))
            found[name] = labels, np.rint(often).astype(np.int64)
    if private.subjects.events is None:
        found |= {name: (cells.domain, cells.totals) for name, cells in table.sensitive.items()}
    return {
        name: spread(pl.Series(labels, dtype=pl.String).filter(often > 0), often[often > 0])
        for name, (labels, often) in found.items()
    }


def _counted(texts: pl.DataFrame, weight: pl.Series | None) -> pl.DataFrame:
    """The different rows of some columns, and how many records each stands for, in ``_COUNT``."""
    if not texts.width:
        return pl.DataFrame(schema={_COUNT: pl.Int64})
    times = pl.len() if weight is None else pl.col(_COUNT).sum()
    rows = texts if weight is None else texts.with_columns(weight.alias(_COUNT))
    return rows.group_by(texts.columns).agg(times.cast(pl.Int64).alias(_COUNT))


def _exposed(private: PrivateTable, plan: Plan) -> Plain | None:
    """The records in the smallest classes of the release, by their rows in the table, from 1."""
    subjects, data = private.subjects, private.data
    if subjects.weight is not None:
        return None
    class_of = published_classes(data, plan, data.attributes)
    size = np.bincount(class_of, weights=data.weight).astype(np.int64)[class_of]
    own = private.microdata.combination_of
    published = ~plan.suppressed[own]
    if not published.any():
        return None
    of_release, alone = size[own], data.weight[own]
    first = np.arange(len(own)) if subjects.key is None else subjects.first_rows()
    smallest = int(of_release[published].min())
    there = np.flatnonzero(published & (of_release == smallest))
    named = there[np.lexsort((first[there], alone[there]))][:MOST_EXPOSED]
    return {
        "smallest": smallest,
        "records": len(there),
        "rows": [[int(first[at]) + 1, int(alone[at]), smallest] for at in named],
        "suppressed": _rows(first[~published]),
    }


def _rows(first: NDArray[np.int64]) -> Sequence[int]:
    rows: list[int] = (np.sort(first)[:MOST_EXPOSED] + 1).tolist()
    return rows


def evidence_in(release: Frame, *, public: bool, published: PlainMapping | None = None) -> Evidence:
    """What is known of a release.

    Arguments:
        release: the folder of a release, or a release that was made here.
        public: whether only what everybody may know is looked at.
        published: what :func:`published_evidence` says of it, where that was counted already.

    Raises:
        DataError: the release cannot be read, or the private account of the run is not there.
    """
    if isinstance(release, Made):
        documents = getattr(release, "private", {})
        certificate, run = release.certificate.to_dict(), release.run.to_dict()
        plan, private, *counted = map(documents.get, ("plan.json", EVIDENCE, *COUNTED.values()))
    else:
        folder = Path(release)
        certificate = _document(folder / CERTIFICATE)
        run, plan, private, *counted = (
            None if public else _document(folder / PRIVATE / name)
            for name in ("run.json", "plan.json", EVIDENCE, *COUNTED.values())
        )
    if certificate is None or (run is None and not public):
        what = (
            f"the folder has no {CERTIFICATE}" if certificate is None else "private/ is not there"
        )
        raise DataError(
            "no-account",
            f"{what}, so there is nothing to report of",
            file=str(release),
            remedy="name the folder of a release as it was written; without private/ only "
            "the public report is possible: --public",
        )
    found = Evidence(certificate, published or published_evidence(release))
    if public:
        return found
    assert run is not None
    lost = lost_attributes(run["plan"].get("leakage", {}))
    there = {key: one for key, one in zip(COUNTED, counted, strict=True) if one is not None}
    if there:
        private = {**(private or {}), **there}
    return replace(found, run=run, plan=plan, private=private, lost=lost)


def _document(path: Path) -> PlainMapping | None:
    if not path.is_file():
        return None
    document: PlainMapping = json.loads(path.read_text(encoding="utf-8"))
    return document
