"""The verb *alternatives*: what other methods would keep of a table under the same policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from indistinct.analytics.profile.first_policy import toml_value
from indistinct.document import Document, Grid, Line, Part, PlainData, share
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.frozen import dataclass, field
from indistinct.intake.opening import PolicyLike, Progress, as_policy
from indistinct.pipeline.anonymization import anonymize
from indistinct.pipeline.release import Release
from indistinct.policy import Policy
from indistinct.recoding.method import method_named
from indistinct.types import Frame, PlainMapping
from indistinct.warnings.what_is_left import lost_attributes

OTHERS: Final[Mapping[str, PlainMapping]] = {
    "one level per attribute": {"algorithm": "optimal", "suppression_limit": 0.05},
    "levels by record": {"algorithm": "optimal", "local_recoding": True},
    "ranges by class": {"algorithm": "mondrian"},
    "ranges by nearest records": {"algorithm": "k-member"},
}
"""The methods that are tried beside the one asked for, from the most to the least uniform cells."""

MANY = 20_000
"""Records beyond which methods that look at pairs of them are not tried."""

CLOSE = 0.03
"""How much more information a less uniform method has to keep to be recommended."""

COST = "loss-arithmetic"
"""The measure that all of these methods report."""


@dataclass(frozen=True)
class Alternative(PlainData):
    """What one method makes of the table.

    Arguments:
        name: what it publishes, in words.
        method: its keys, as a policy has them.
        kept: the share of the quasi-identifiers' information that is published, from 0 to 1 (1 less
            the mean loss over attributes and records, what is left out being lost); none where
            there is no release.
        left_out: the share of the records that are not published.
        lost: the attributes of which at most a quarter is left.
        why_not: why there is no release.
    """

    name: str
    method: PlainMapping
    kept: float | None = None
    left_out: float | None = None
    lost: tuple[str, ...] = ()
    why_not: str | None = None


@dataclass(frozen=True)
class Alternatives(PlainData, Document):
    """Methods side by side, the one asked for first. Private.

    Arguments:
        tried: what each of them keeps.
        recommended: the place of the one that is recommended; none where no method has a release.
    """

    tried: tuple[Alternative, ...] = field(metadata={"as": "alternatives"})
    recommended: int | None

    def parts(self) -> Iterator[Part]:
        """A row for each method, and which of them is recommended."""
        yield Line("\nwhat other methods would keep of the same table:", "title")
        columns = ("method", "keeps", "records left out", "lost")
        yield Grid(columns, [_row(item) for item in self.tried], columns[1:3])
        if self.recommended is None:
            return
        if self.recommended == 0:
            yield Line("recommended: the method asked for", "good")
            return
        best = self.tried[self.recommended]
        keys = ", ".join(f"{key} = {toml_value(value)}" for key, value in best.method.items())
        yield Line(f"recommended: {best.name}: write {keys} in [method]", "good")


def _row(item: Alternative) -> tuple[str, ...]:
    if item.kept is None or item.left_out is None:
        return item.name, "no release", "", item.why_not or ""
    return item.name, share(item.kept), share(item.left_out), ", ".join(item.lost) or "nothing"


def alternatives(
    data: Frame,
    policy: PolicyLike,
    *,
    release: Release | None = None,
    progress: Progress | None = None,
) -> Alternatives:
    """What other methods and limits would keep of a table with the same promises.

    Each is a whole audited run; nothing is written. The one that keeps most information is
    recommended, if it keeps noticeably more than those with more uniform cells.

    Arguments:
        data: a frame or the path of a file, as for :func:`anonymize`.
        policy: a policy, its keys or its file.
        release: the release by the policy's own method, if you have it.
        progress: a function that gets the stage and the share done.

    Raises:
        PolicyError: the release is two linked tables, for which no other method is tried, or one
            method alone keeps what is promised.
        IndistinctError: all others that :func:`anonymize` raises for the policy's own method.
    """
    asked = as_policy(policy)
    method = method_named(asked.method.algorithm)
    if method is not None and method.linked:
        raise PolicyError(
            "no-alternatives",
            f"method.algorithm: '{method.name}' publishes two linked tables, for which no "
            "other method is tried",
            remedy="leave the alternatives out",
        )
    only = next((item for item in asked.privacy_models if item.kept_by is not None), None)
    if only is not None:
        raise PolicyError(
            "no-alternatives",
            f"promises: '{only.model}' is kept by '{only.kept_by}' alone",
            remedy="leave the alternatives out",
        )
    made = release or anonymize(data, asked, progress=progress)
    own = asked.method.to_dict() or {"algorithm": asked.method.algorithm}
    tried = [_measured("as asked", own, made)]
    records = made.run.to_dict()["records"]
    for name, keys in OTHERS.items():
        if _is_asked(asked, keys) or (keys["algorithm"] == "k-member" and records > MANY):
            continue
        try:
            other = _with_method(asked, keys)
            tried.append(_measured(name, keys, anonymize(data, other, progress=progress)))
        except (PolicyError, Unsatisfiable) as error:
            tried.append(Alternative(name, keys, why_not=error.problems[0].code))
    return Alternatives(tuple(tried), _best(tried))


def _is_asked(policy: Policy, keys: PlainMapping) -> bool:
    """Whether these keys come to what the policy asks of its method."""
    other = Policy.model_fields["method"].get_default().model_copy(update=dict(keys))
    names = {"algorithm", "suppression_limit", "local_recoding"}
    return all(getattr(policy.method, name) == getattr(other, name) for name in names)


def _with_method(policy: Policy, keys: PlainMapping) -> Policy:
    """The policy with another method and the same seed."""
    held = {name: getattr(policy, name) for name in Policy.model_fields}
    sections = {name: own for name, own in held.items() if own is not None}
    seed = {} if policy.method.seed is None else {"seed": policy.method.seed}
    return Policy.from_dict({**sections, "method": {**seed, **keys}}, directory=policy.directory)


def _measured(name: str, keys: PlainMapping, release: Release) -> Alternative:
    run = release.run.to_dict()
    left_out = run["suppressed"] / run["records"]
    return Alternative(
        name,
        keys,
        1 - release.measures[COST],
        left_out,
        tuple(lost_attributes(run["plan"]["leakage"])),
    )


def _best(tried: list[Alternative]) -> int | None:
    """The place of the method that keeps most; of those close to it, of the most uniform one."""
    kept = [-1.0 if item.kept is None else item.kept for item in tried]
    if max(kept) < 0:
        return None
    near = [at for at, value in enumerate(kept) if value >= max(kept) - CLOSE]
    return near[0]
